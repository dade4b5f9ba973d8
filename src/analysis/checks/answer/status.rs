//! Status: an error, or no answer at all.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static STATUS: Check = Check {
    id: "status",
    label: "Error or no answer",
    level: CheckLevel::Page,
    weight: 1.0,
    rule: "The server answered 4xx or 5xx, or not at all. Odd only is a 404 of what browsers request by themselves (icons, \
           interfaces of blogs), and an error whose text is a whole article that an earlier capture had with 200. 401, 403 and 407 \
           are login walls, 429 and 503 rate limits.",
    inputs: &["status", "tries", "main text", "earlier captures"],
    thresholds: &[
        threshold("article_words", 150.0, "words of main text from which an error may be an article all the same"),
        threshold("article_cosine", 0.8, "likeness to an earlier capture from which it is, 0 to 1"),
    ],
    sources: &["RFC 9110, section 15"],
    reads: Reads::Capture(read),
};

/// Paths that browsers and programs request by themselves.
const BY_CONVENTION: [&str; 7] =
    ["/favicon.", "/apple-touch-icon", "/wp-json", "/xmlrpc.php", "/.well-known/", "/browserconfig.xml", "/sitemap"];

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let (status, url) = (of.of.status, of.of.url.as_str());
    let is_of_other_check = matches!(status, 401 | 403 | 407 | 429 | 503);
    if (1..400).contains(&status) || is_of_other_check {
        return None;
    }
    // A record without an HTTP head is no failed answer.
    if status == 0 && of.page.is_read && of.page.body_bytes > 0 {
        return None;
    }
    // A host without rules for robots answers 404 (RFC 9309).
    if status == 404 && url.ends_with("/robots.txt") {
        return None;
    }
    let history = of.of.history.as_ref();
    let answered = history.map_or(0, |history| history.answered);
    let text = match status {
        1.. => format!("status {status}"),
        _ if of.of.why.is_empty() => "no answer".to_owned(),
        _ => format!("no answer: {}", of.of.why),
    };
    let text = match answered {
        0 => text,
        1 => format!("{text}; one other capture answered"),
        more => format!("{text}; {more} other captures answered"),
    };
    let if_any = |number: u64| Some(number).filter(|number| *number > 0);
    let more = json!({
        "status": status, "tries": if_any(of.of.tries), "answered": if_any(answered),
        "last_answer": history.map(|history| history.last_answer.clone()).filter(|date| !date.is_empty()),
    });
    let is_by_convention = status == 404 && BY_CONVENTION.iter().any(|path| url.contains(path));
    let is_article = of.page.words >= limits.count("article_words")
        && history
            .and_then(|history| history.last.as_ref())
            .is_some_and(|last| last.cosine >= limits.of("article_cosine"));
    Some(match is_by_convention || is_article {
        true => Signal::odd(0.3, evidence(text, more)),
        false => Signal::problem(1.0, evidence(text, more)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{EarlierSigns, FindingState, HistorySigns};

    #[test]
    fn errors_and_silence_are_problems_and_success_is_none() {
        for (status, expected) in [
            (200, None),
            (301, None),
            (404, Some(FindingState::Problem)),
            (500, Some(FindingState::Problem)),
            (0, Some(FindingState::Problem)),
            (-2, Some(FindingState::Problem)),
            (403, None),
        ] {
            let (page, mut of) = page("http://a.pt/x", 0);
            of.status = status;
            assert_eq!(found(&STATUS, &page, &of), expected, "{status}");
        }
    }

    #[test]
    fn an_article_under_a_wrong_status_is_only_odd() {
        let (page, mut of) = page("http://a.pt/x", 300);
        of.status = 404;
        let last = EarlierSigns { cosine: 0.95, words: 300, ..EarlierSigns::default() };
        of.history = Some(HistorySigns { last: Some(last), ..HistorySigns::default() });
        assert_eq!(found(&STATUS, &page, &of), Some(FindingState::Odd));
    }
}
