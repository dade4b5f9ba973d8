//! Live leak: the page needs a host that no capture is of, so that replay would have to ask the web.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static LIVE_LEAK: Check = Check {
    id: "live-leak",
    label: "Needs the live web",
    level: CheckLevel::Page,
    weight: 0.6,
    rule: "The page has scripts of other hosts of which nothing was captured, and fewer than 40 words of its own: what it shows would come \
           from the live web.",
    inputs: &["scripts", "captured hosts", "text"],
    thresholds: &[threshold("words", 40.0, "words of the whole text below which scripts of other hosts count")],
    sources: &["Brunelle 2012: zombies in the archive"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let requisites = of.of.requisites.as_ref()?;
    let hosts = &requisites.unknown_script_hosts;
    let is_meant = of.page.is_page
        && of.of.status == 200
        && of.page.all_words < limits.count("words")
        && of.page.refresh_to.is_empty();
    if !is_meant || hosts.is_empty() || requisites.is_without_resources {
        return None;
    }
    let text = format!("{} and scripts of {}", counted(of.page.all_words, "word"), hosts.join(", "));
    Some(Signal::problem(1.0, evidence(text, json!({ "hosts": hosts, "words": of.page.all_words }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, RequisiteSigns};

    #[test]
    fn a_page_with_its_own_text_does_not_leak() {
        let check = |words, hosts: &[&str]| {
            let (page, mut of) = page("http://a.pt/x", words);
            let unknown_script_hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            of.requisites = Some(RequisiteSigns { unknown_script_hosts, ..RequisiteSigns::default() });
            found(&LIVE_LEAK, &page, &of)
        };
        assert_eq!(check(10, &["cdn.example"]), Some(FindingState::Problem));
        assert_eq!(check(400, &["cdn.example"]), None);
        assert_eq!(check(10, &[]), None);
    }
}
