//! Cut short: bytes at the end are missing.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

/// Parts of problems of a body that say that its end is missing.
const OF_AN_END: [&str; 6] = ["truncated", "cut", "unexpected end", "ends early", "incomplete", "shorter than"];

pub static CUT_SHORT: Check = Check {
    id: "cut-short",
    label: "Cut short",
    level: CheckLevel::Page,
    weight: 0.8,
    rule: "The crawler cut it (WARC-Truncated); fewer bytes are stored than the head declares; its coding has no end; a page has \
           no </html> and ends inside a tag or a script (the first alone is common and legal); a PDF, image or archive has no end mark. \
           Bytes behind an end mark are no fault.",
    inputs: &["WARC-Truncated", "Content-Length", "bytes", "end of the body"],
    thresholds: &[],
    sources: &["WARC 1.1, section 5.13", "ISO 32000-1, annex H", "RFC 9112, section 8"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, _: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    if !page.is_read || of.of.status == 304 || page.range.is_some() {
        return None;
    }
    let more = json!({ "bytes": page.body_bytes, "declared": page.declared_bytes });
    if !page.truncated.is_empty() {
        return Some(Signal::problem(1.0, evidence(format!("the crawler cut it: {}", page.truncated), more)));
    }
    if let Some(declared) = page.declared_bytes.filter(|declared| *declared > page.body_bytes) {
        let text = format!("{} of {declared} bytes", page.body_bytes);
        return Some(Signal::problem(1.0, evidence(text, more)));
    }
    let lacks_end = page.problems.iter().find(|problem| OF_AN_END.iter().any(|part| problem.contains(part)));
    if let Some(problem) = lacks_end {
        return Some(Signal::problem(1.0, evidence(problem.clone(), more)));
    }
    let end = page.end.filter(|end| !end.is_closed)?;
    if page.is_page {
        return end.is_inside.then(|| Signal::problem(1.0, evidence("it ends inside a tag or a script", more)));
    }
    let medium = if page.sniffed.is_empty() { "file" } else { &page.sniffed };
    Some(Signal::problem(1.0, evidence(format!("the {medium} has no end mark"), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};
    use crate::captures::PageEnd;

    #[test]
    fn a_page_without_a_last_tag_is_whole_and_one_inside_a_tag_is_not() {
        let check = |is_closed, is_inside, declared: Option<u64>| {
            let (mut page, of) = page("http://a.pt/x", 100);
            page.end = Some(PageEnd { is_closed, is_inside });
            (page.body_bytes, page.declared_bytes) = (500, declared);
            found(&CUT_SHORT, &page, &of)
        };
        assert_eq!(check(false, false, None), None);
        assert_eq!(check(false, true, None), Some(FindingState::Problem));
        assert_eq!(check(true, true, Some(500)), None);
        assert_eq!(check(true, false, Some(501)), Some(FindingState::Problem));
    }
}
