//! Same as many: one text at many addresses.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static SAME_AS_MANY: Check = Check {
    id: "same-as-many",
    label: "The same as many",
    level: CheckLevel::Host,
    weight: 0.6,
    rule: "Ten or more URLs of the host, of other paths, have a main text that is the same by 0.95 or more, and the same title. Addresses \
           that differ in their query alone do not count. Usually the cause is a soft 404, a challenge or a notice of maintenance. With \
           titles of their own it is odd: lists and references have many pages that say the same of different things.",
    inputs: &["near-duplicates of the host", "title", "URL"],
    thresholds: &[
        threshold("urls", 10.0, "URLs of other paths with the same text"),
        threshold("main_words", 5.0, "words of main text from which texts are compared"),
    ],
    sources: &["Broder 1997: MinHash"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let repeats = of.of.repeats.as_ref()?;
    // What leads elsewhere says the same on all its pages.
    let is_meant = of.page.is_page
        && (200..300).contains(&of.of.status)
        && of.page.words >= limits.count("main_words")
        && of.page.refresh_to.is_empty();
    if !is_meant || repeats.same < limits.count("urls") {
        return None;
    }
    let is_one_title = repeats.same_title >= limits.count("urls");
    let others = if is_one_title { repeats.same_title } else { repeats.same };
    let title = if is_one_title { "text and title" } else { "text" };
    let text = format!("the {title} of {} of the host", counted(others, "other URL"));
    let more = json!({ "same": repeats.same, "same_title": repeats.same_title, "example": repeats.example });
    let evidence = evidence(text, more);
    Some(if is_one_title { Signal::problem(1.0, evidence) } else { Signal::odd(0.5, evidence) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, RepeatSigns};

    #[test]
    fn ten_others_are_many() {
        let check = |same, same_title| {
            let (page, mut of) = page("http://a.pt/x", 100);
            of.repeats = Some(RepeatSigns { same, same_title, ..RepeatSigns::default() });
            found(&SAME_AS_MANY, &page, &of)
        };
        assert_eq!((check(9, 9), check(10, 10)), (None, Some(FindingState::Problem)));
        assert_eq!((check(9, 0), check(90, 9)), (None, Some(FindingState::Odd)), "pages of a reference");
    }
}
