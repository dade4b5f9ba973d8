//! Media in part: a part of a file, a playlist without its segments, a player without a source.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static MEDIA_IN_PART: Check = Check {
    id: "media-in-part",
    label: "Media in part",
    level: CheckLevel::Page,
    weight: 0.7,
    rule: "The answer is a part of a file (206), and all captured parts together are not the whole; or fewer than half of the segments \
           that a playlist names were captured; or a page has a player and no file for it, which is odd.",
    inputs: &["status", "Content-Range", "other parts", "segments of playlists", "media of the page"],
    thresholds: &[threshold("segments", 0.5, "share of captured segments below which a playlist is in part, 0 to 1")],
    sources: &["RFC 9110, section 14", "RFC 8216"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    if let (206, Some([first, last, whole])) = (of.of.status, of.page.range) {
        let covered = of.of.covered_bytes.unwrap_or(last.saturating_sub(first) + 1);
        if covered >= whole {
            return None;
        }
        let more = json!({ "bytes": covered, "whole": whole, "first": first, "last": last });
        return Some(Signal::problem(1.0, evidence(format!("{covered} of {whole} bytes"), more)));
    }
    let segments = of.of.requisites.as_ref().and_then(|requisites| requisites.segments);
    if let Some([named, captured]) = segments {
        let share = captured as f64 / named.max(1) as f64;
        if share >= limits.of("segments") {
            return None;
        }
        let text = format!("{captured} of {} of the playlist", counted(named, "segment"));
        let more = json!({ "segments": named, "captured": captured });
        return Some(Signal::problem(1.0 - share / 2.0, evidence(text, more)));
    }
    let lacks_source = of.of.status == 200 && of.page.media > 0 && of.page.media_links == 0 && of.page.frames == 0;
    lacks_source.then(|| {
        let text = format!("{} without a file", counted(u64::from(of.page.media), "player"));
        Signal::odd(0.5, evidence(text, json!({ "players": of.page.media })))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, RequisiteSigns};

    #[test]
    fn parts_that_make_the_whole_are_no_fault() {
        let check = |covered| {
            let (mut page, mut of) = page("http://a.pt/v.mp4", 0);
            page.range = Some([0, 99, 1000]);
            (of.status, of.covered_bytes) = (206, covered);
            found(&MEDIA_IN_PART, &page, &of)
        };
        assert_eq!((check(None), check(Some(1000))), (Some(FindingState::Problem), None));
        let segments = |captured| {
            let (page, mut of) = page("http://a.pt/v.m3u8", 0);
            of.requisites = Some(RequisiteSigns { segments: Some([10, captured]), ..RequisiteSigns::default() });
            found(&MEDIA_IN_PART, &page, &of)
        };
        assert_eq!((segments(2), segments(5)), (Some(FindingState::Problem), None));
    }
}
