//! Built by scripts: what came is the shell of a page.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static SCRIPT_BUILT: Check = Check {
    id: "script-built",
    label: "Built by scripts",
    level: CheckLevel::Page,
    weight: 0.6,
    rule: "A page has fewer than 40 words, scripts, and an element that frameworks draw a page into, or says to those without scripts \
           that it needs them. Pages that a server has filled already have their text, and the check says nothing.",
    inputs: &["text", "scripts", "root elements", "noscript"],
    thresholds: &[threshold("words", 40.0, "words of the whole text below which a page is a shell")],
    sources: &["measured on 286 articles and 4,377 pages of documentation: no false alarm of the pair"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let page = of.page;
    let is_shell = page.is_page && of.of.status == 200 && page.scripts > 0 && page.all_words < limits.count("words");
    // What leads elsewhere has nothing to draw.
    if !is_shell || !page.refresh_to.is_empty() || (page.script_roots == 0 && !page.needs_scripts) {
        return None;
    }
    let why = match page.needs_scripts {
        true => "it says that it needs scripts",
        false => "scripts draw it into an element",
    };
    let more = json!({ "words": page.all_words, "scripts": page.scripts, "modules": page.modules });
    Some(Signal::problem(1.0, evidence(format!("{}, and {why}", counted(page.all_words, "word")), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::FindingState;
    use crate::analysis::checks::tests::{found, page};

    #[test]
    fn a_shell_has_no_text_and_a_root() {
        let check = |words, scripts, script_roots| {
            let (mut page, of) = page("http://a.pt/x", words);
            (page.scripts, page.script_roots) = (scripts, script_roots);
            found(&SCRIPT_BUILT, &page, &of)
        };
        assert_eq!(check(3, 1, 1), Some(FindingState::Problem));
        assert_eq!(check(300, 1, 1), None, "filled by the server");
        assert_eq!(check(3, 0, 1), None);
        assert_eq!(check(3, 1, 0), None);
    }
}
