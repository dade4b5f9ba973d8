//! Nearly empty: much less text than the pages around it.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

/// Images from which a page without sizes is a gallery.
const GALLERY: u32 = 4;

pub static NEARLY_EMPTY: Check = Check {
    id: "nearly-empty",
    label: "Nearly empty",
    level: CheckLevel::Host,
    weight: 0.8,
    rule: "A page with 200 has fewer than 20 words of main text, no large image, media, form or frame, and less than a fifth of the \
           median of the pages of its host with addresses of its form, or is one of few such pages of the host; or it has fewer than 5 \
           words in all. It is odd where the whole text has 20 words or more, such as lists, unless its main text has fewer than 5 \
           where its neighbours have more. Never by a fixed limit alone: of sound reference pages 23 of 100 have fewer than 20 words.",
    inputs: &["main text", "images", "forms", "frames", "pages of the host"],
    thresholds: &[
        threshold("main_words", 20.0, "words of main text below which a page may be nearly empty"),
        threshold("share", 0.2, "share of the median of its neighbours below which it is"),
        threshold("short_percent", 10.0, "percent of short pages of the host below which it is"),
        threshold("neighbours", 5.0, "pages of the host with addresses of the form from which they are compared"),
        threshold("words", 5.0, "words in all below which a page is empty whatever its neighbours have"),
    ],
    sources: &["measured on 4,377 pages of documentation and 286 articles"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_page || of.of.status != 200 || of.of.is_embedded || page.words >= limits.count("main_words") {
        return None;
    }
    let has_else =
        page.large_images > 0 || page.media > 0 || page.forms > 0 || page.frames > 0 || page.images >= GALLERY;
    // What scripts build, and what leads elsewhere, has its own check.
    let is_of_others = page.script_roots > 0 || page.needs_scripts || !page.refresh_to.is_empty();
    if has_else || is_of_others {
        return None;
    }
    let host = of.of.host.clone().unwrap_or_default();
    let more = json!({
        "words": page.all_words, "main_words": page.words, "median": host.median_words, "pages": host.of_form,
    });
    let neighbours = limits.count("neighbours");
    let is_below = host.of_form >= neighbours && (page.words as f64) < limits.of("share") * host.median_words as f64;
    let is_rare = host.pages >= 2 * neighbours && (host.short_percent as f64) < limits.of("short_percent");
    let text = format!("{} of main text", counted(page.words, "word"));
    if is_below {
        let text = format!("{text}; pages with addresses like it have {}", host.median_words);
        // Contents, tables and titles of parts have little main text.
        let is_empty = page.words < limits.count("words") || page.all_words < limits.count("main_words");
        return Some(Signal::paired(is_empty, 1.0, evidence(text, more)));
    }
    if page.all_words < limits.count("words") {
        let text = format!("{} in all", counted(page.all_words, "word"));
        return Some(Signal::paired(page.images == 0, 1.0, evidence(text, more)));
    }
    is_rare.then(|| {
        let text = format!("{text}; {} of 100 pages of the host are so short", host.short_percent);
        // Lists have little main text and many links.
        Signal::paired(page.all_words < limits.count("main_words"), 0.8, evidence(text, more))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, HostSigns};

    #[test]
    fn short_pages_are_compared_with_their_neighbours() {
        let check = |words, images, median_words, short_percent| {
            let (mut page, mut of) = page("http://a.pt/x/1", words);
            page.images = images;
            of.host = Some(HostSigns { pages: 30, of_form: 10, median_words, short_percent, ..HostSigns::default() });
            found(&NEARLY_EMPTY, &page, &of)
        };
        assert_eq!(check(10, 0, 200, 50), Some(FindingState::Problem));
        assert_eq!(check(10, 0, 20, 50), None);
        assert_eq!(check(10, 0, 20, 3), Some(FindingState::Problem));
        assert_eq!(check(2, 0, 8, 50), Some(FindingState::Problem));
        assert_eq!(check(2, 9, 200, 3), None, "a gallery");
        assert_eq!(check(30, 0, 900, 3), None);
    }
}
