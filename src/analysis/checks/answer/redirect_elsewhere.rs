//! Redirect elsewhere: another registrable domain answers.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static REDIRECT_ELSEWHERE: Check = Check {
    id: "redirect-elsewhere",
    label: "Redirect to another site",
    level: CheckLevel::Host,
    weight: 0.5,
    rule: "The target of the redirect is of another registrable domain, which is no other name of the host: to another name \
           redirects keep their path. A problem where several pages of the host lead to one and the same page there, odd otherwise.",
    inputs: &["redirect", "other redirects of the host"],
    thresholds: &[
        threshold(
            "renamed",
            5.0,
            "redirects of the host that keep their path, from which the domain is another name of it",
        ),
        threshold("sources", 3.0, "pages of the host that lead to the same page of another site"),
    ],
    sources: &["Public Suffix List, for registrable domains"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let redirect = of.of.redirect.as_ref().filter(|redirect| redirect.is_other_site)?;
    if redirect.renamed >= limits.count("renamed") || redirect.is_to_login || redirect.is_to_consent {
        return None;
    }
    let more = json!({ "to": redirect.to, "sources": redirect.sources, "others": redirect.other_sources });
    let is_pair = redirect.sources >= limits.count("sources");
    Some(Signal::paired(is_pair, 1.0, evidence(format!("leads to another site, {}", redirect.to), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, RedirectSigns};

    #[test]
    fn another_name_of_a_host_is_no_other_site() {
        let check = |renamed, sources| {
            let (page, mut of) = page("http://a.pt/x", 0);
            let to = "http://b.pt/x".to_owned();
            of.redirect = Some(RedirectSigns { to, is_other_site: true, renamed, sources, ..RedirectSigns::default() });
            found(&REDIRECT_ELSEWHERE, &page, &of)
        };
        assert_eq!(check(1, 1), Some(FindingState::Odd));
        assert_eq!(check(1, 3), Some(FindingState::Problem));
        assert_eq!(check(5, 1), None);
    }
}
