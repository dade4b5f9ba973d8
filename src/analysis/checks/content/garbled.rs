//! Garbled text: letters that were read in the wrong charset.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static GARBLED: Check = Check {
    id: "garbled",
    label: "Garbled text",
    level: CheckLevel::Page,
    weight: 0.7,
    rule: "Signs for bytes of no letter (U+FFFD) are 0.3 of 100 characters or more, or five or more in title and headings; or the text has three \
           or more pairs such as Ã© in 1,000 characters, and a line of it is valid UTF-8 and has fewer of them once it is read \
           so. Pairs that cannot be read so are odd. Capitals such as Ã alone say nothing. It concerns what is shown: the bytes are \
           as they were.",
    inputs: &["text", "title", "first heading", "charset"],
    thresholds: &[
        threshold("replaced", 0.003, "share of characters in the place of bytes of no letter"),
        threshold("replaced_above", 5.0, "the same in title and first heading, as a count"),
        threshold("pairs", 3.0, "pairs in 1,000 characters"),
    ],
    sources: &["ftfy: pairs of UTF-8 in the wrong charset", "WHATWG Encoding"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || page.chars == 0 {
        return None;
    }
    let share = page.replaced as f64 / page.chars as f64;
    let more = json!({
        "replaced": page.replaced, "pairs": page.pairs, "characters": page.chars, "charset": page.charsets,
        "before": page.repaired.as_ref().map(|lines| lines[0].clone()),
        "after": page.repaired.as_ref().map(|lines| lines[1].clone()),
    });
    let is_replaced = page.replaced >= 3 && share >= limits.of("replaced");
    if is_replaced || page.replaced_above >= limits.count("replaced_above") {
        let text = format!("{} of no letter in {}", counted(page.replaced, "sign"), counted(page.chars, "character"));
        return Some(Signal::problem(1.0, evidence(text, more)));
    }
    let has_pairs = page.pairs >= 2 && page.pairs as f64 * 1000.0 >= limits.of("pairs") * page.chars as f64;
    if !has_pairs {
        return None;
    }
    let text = match &page.repaired {
        Some([before, after]) => format!("“{before}” is “{after}”"),
        None => format!("{} of a wrong charset", counted(page.pairs, "pair")),
    };
    Some(Signal::paired(page.repaired.is_some(), 1.0, evidence(text, more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn pairs_have_to_be_readable_as_letters() {
        let check = |replaced, pairs, is_repaired: bool| {
            let (mut page, of) = page("http://a.pt/x", 300);
            (page.chars, page.replaced, page.pairs) = (2000, replaced, pairs);
            page.repaired = is_repaired.then(|| ["Ã©".to_owned(), "é".to_owned()]);
            found(&GARBLED, &page, &of)
        };
        assert_eq!(check(6, 0, false), Some(FindingState::Problem));
        assert_eq!(check(1, 0, false), None);
        assert_eq!(check(0, 10, true), Some(FindingState::Problem));
        assert_eq!(check(0, 10, false), Some(FindingState::Odd));
        assert_eq!(check(0, 2, true), None);
    }
}
