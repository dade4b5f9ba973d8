//! Top-level domains.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{Candidate, Decision, Domains, Facts};
use crate::uri::{Fqdn, Url};
use serde::{Deserialize, Serialize};

/// Accepts or rejects hosts under these top-level domains (`pt`, `co.uk`,
/// `рф`). An address is under none.
///
/// Why beside a list of hosts: it is the first question of a national
/// collection, and a report names it as what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopLevelDomain {
    /// The domains, without the dot before them.
    pub domains: Vec<String>,
    /// The decision on a host there.
    pub decision: Decision,
}

#[derive(Debug)]
pub(super) struct CompiledTopLevelDomain {
    rule: TopLevelDomain,
    domains: Domains,
}

impl TopLevelDomain {
    pub(super) fn compile(&self) -> Result<CompiledTopLevelDomain, String> {
        let domains = Domains::parse(self.domains.iter().map(String::as_str))?;
        Ok(CompiledTopLevelDomain { rule: self.clone(), domains })
    }
}

impl CompiledTopLevelDomain {
    /// The position of the domain in the list that the host is under.
    fn entry(&self, url: &Url) -> Option<usize> {
        self.domains.position(url.domain()?.trim_end_matches('.'))
    }
}

impl DecideRule for CompiledTopLevelDomain {
    fn name(&self) -> &'static str {
        "TopLevelDomainDecideRule"
    }

    fn summary(&self) -> String {
        let listed = listed(&self.rule.domains, "the top-level domain", "the top-level domains");
        format!("{} hosts under {listed}", verb(self.rule.decision))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.entry(&candidate.url).map(|_| self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        match candidate.url.domain() {
            None => "an address, or no host".to_owned(),
            Some(host) => match self.entry(&candidate.url).and_then(|at| self.rule.domains.get(at)) {
                Some(domain) => format!("{host} is under {domain}"),
                None => format!("{host} is under none of them"),
            },
        }
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let edited = |domains| Edit::Entry(RuleKind::TopLevelDomain(TopLevelDomain { domains, ..self.rule.clone() }));
        match (target, self.entry(&candidate.url)) {
            (None, Some(_)) => {
                let one = |domain: &&String| {
                    let domains = vec![(*domain).clone()];
                    let rule = TopLevelDomain { domains, ..self.rule.clone() }.compile();
                    rule.is_ok_and(|rule| rule.entry(&candidate.url).is_some())
                };
                let (out, kept): (Vec<&String>, Vec<&String>) = self.rule.domains.iter().partition(one);
                let out: Vec<String> = out.into_iter().cloned().collect();
                let summary = format!("take {} out of the top-level domains", out.join(", "));
                vec![Change { summary, edit: edited(kept.into_iter().cloned().collect()) }]
            }
            (Some(target), None) if target == self.rule.decision => {
                let name = Fqdn::of(&candidate.url);
                let top = candidate.url.domain().and_then(|_| name.as_str().rsplit('.').next()).map(str::to_owned);
                let change = top.map(|top| {
                    let mut domains = self.rule.domains.clone();
                    domains.push(top.clone());
                    Change { summary: format!("add {top} to the top-level domains"), edit: edited(domains) }
                });
                change.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{compiled, decision_of};
    use super::*;

    fn rule(domains: &[&str]) -> TopLevelDomain {
        let domains = domains.iter().map(|domain| (*domain).to_owned()).collect();
        TopLevelDomain { domains, decision: Decision::Accept }
    }

    #[test]
    fn hosts_are_under_whole_labels() {
        let compiled = compiled(RuleKind::TopLevelDomain(rule(&[".PT", "co.uk", "рф"])));
        let accept = Some(Decision::Accept);
        for (url, expected) in [
            ("http://fct.pt/", accept),
            ("https://a.b.fct.pt:8080/", accept),
            ("http://fct.pt./", accept),
            ("http://pt/", accept),
            ("http://bbc.co.uk/", accept),
            ("http://bl.uk/", None),
            ("http://xn--e1afmkfd.xn--p1ai/", accept),
            ("http://fct.opt/", None),
            ("http://pt.com/?a.pt", None),
            ("http://192.168.0.1/", None),
            ("http://[::1]/", None),
        ] {
            assert_eq!(decision_of(&*compiled, url, "L"), expected, "{url}");
        }
        for bad in ["", "a/b", "pt:80", "a b", "192.168.0.1"] {
            assert!(rule(&[bad]).compile().is_err(), "{bad}");
        }
    }
}
