//! Redirect to front page: what was there is gone, and the server does not say so.

use crate::analysis::checks::address::{is_front, path_depth};
use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static REDIRECT_FRONT: Check = Check {
    id: "redirect-front",
    label: "Redirect to a front page",
    level: CheckLevel::Host,
    weight: 0.9,
    rule: "A page below the front page leads to a front page, of its own site or of another one, and so do further pages of its \
           host: the same target for many sources is the sign. With fewer sources it is odd. Redirects of the front page itself, \
           for languages and consents, do not count.",
    inputs: &["redirect", "refresh", "other redirects of the host"],
    thresholds: &[threshold("sources", 3.0, "pages of the host that lead to the same front page")],
    sources: &["Link Rot Bestiary, Wikibooks: repetition of one target"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let redirect = of.of.redirect.as_ref().filter(|redirect| redirect.is_to_front)?;
    if path_depth(&of.of.url) == 0 || is_front(&of.of.url) || redirect.is_to_consent || redirect.is_to_login {
        return None;
    }
    let many = redirect.sources >= limits.count("sources");
    let text =
        format!("leads to the front page {}, as {} of this host", redirect.to, counted(redirect.sources, "page"));
    let more = json!({ "to": redirect.to, "sources": redirect.sources, "others": redirect.other_sources });
    Some(Signal::paired(many, 1.0, evidence(text, more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, RedirectSigns};

    #[test]
    fn many_sources_of_one_front_page_are_a_problem() {
        let check = |url: &str, sources| {
            let (page, mut of) = page(url, 0);
            of.status = 302;
            let to = "http://a.pt/".to_owned();
            of.redirect = Some(RedirectSigns { to, is_to_front: true, sources, ..RedirectSigns::default() });
            found(&REDIRECT_FRONT, &page, &of)
        };
        assert_eq!(check("http://a.pt/news/1", 3), Some(FindingState::Problem));
        assert_eq!(check("http://a.pt/news/1", 1), Some(FindingState::Odd));
        assert_eq!(check("http://a.pt/", 9), None);
        assert_eq!(check("http://a.pt/pt/", 9), None);
    }
}
