//! Host names.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::Fqdn;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Accepts or rejects URLs by host name, a `www` label not counted; with
/// `subdomains` everything below a name too, so that `pt` means a whole
/// top-level domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostList {
    /// Host names or domains.
    pub hosts: Vec<String>,
    /// Whether subdomains are meant too.
    #[serde(default)]
    pub subdomains: bool,
    /// The decision on a host in the list.
    pub decision: Decision,
}

#[derive(Debug)]
pub(super) struct CompiledHostList {
    rule: HostList,
    names: HashSet<Fqdn>,
}

impl HostList {
    pub(super) fn compile(&self) -> Result<CompiledHostList, String> {
        let mut names = HashSet::new();
        for host in &self.hosts {
            let name = host.trim().trim_start_matches("*.").trim_start_matches('.');
            let parsed = crate::uri::Url::parse(&format!("http://{name}/"))
                .ok()
                .filter(|url| url.path() == "/" && url.port().is_none() && url.username().is_empty());
            let url = parsed.ok_or_else(|| format!("“{host}” is no host name; give it as sobre.fct.pt"))?;
            names.insert(Fqdn::of(&url));
        }
        Ok(CompiledHostList { rule: self.clone(), names })
    }
}

impl CompiledHostList {
    /// The name in the list that means this host.
    fn entry(&self, candidate: &Candidate) -> Option<&Fqdn> {
        let mut name = Fqdn::name_of(&candidate.url);
        loop {
            if let Some(entry) = self.names.get(name) {
                return Some(entry);
            }
            name = match name.split_once('.') {
                Some((_, parent)) if self.rule.subdomains => parent,
                _ => return None,
            };
        }
    }
}

impl DecideRule for CompiledHostList {
    fn name(&self) -> &'static str {
        if self.rule.subdomains { "OnDomainsDecideRule" } else { "OnHostsDecideRule" }
    }

    fn summary(&self) -> String {
        let (one, many) = if self.rule.subdomains { ("domain", "domains") } else { ("host", "hosts") };
        format!("{} {}", verb(self.rule.decision), listed(&self.rule.hosts, one, many))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.entry(candidate).map(|_| self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        let name = Fqdn::name_of(&candidate.url);
        match self.entry(candidate) {
            Some(entry) if entry.as_str() == name => format!("{name} is in the list"),
            Some(entry) => format!("{name} is under {entry}"),
            None => format!("{name} is not in the list"),
        }
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let edited = |hosts| Edit::Entry(RuleKind::HostList(HostList { hosts, ..self.rule.clone() }));
        match (target, self.entry(candidate)) {
            (None, Some(entry)) => {
                let kept = self.rule.hosts.iter().filter(|host| {
                    let name = host.trim().trim_start_matches("*.").trim_start_matches('.');
                    Fqdn::new(name) != *entry
                });
                let summary = format!("take {entry} out of the list");
                vec![Change { summary, edit: edited(kept.cloned().collect()) }]
            }
            (Some(target), None) if target == self.rule.decision && candidate.url.has_host() => {
                let name = Fqdn::of(&candidate.url).to_string();
                let summary = format!("add {name} to the list");
                let mut hosts = self.rule.hosts.clone();
                hosts.push(name);
                vec![Change { summary, edit: edited(hosts) }]
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

    fn list(hosts: &[&str], subdomains: bool) -> HostList {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        HostList { hosts, subdomains, decision: Decision::Accept }
    }

    #[test]
    fn hosts_and_domains() {
        let hosts = compiled(RuleKind::HostList(list(&["www.FCT.pt", "192.168.0.1"], false)));
        let domains = compiled(RuleKind::HostList(list(&["fct.pt", "*.uk"], true)));
        let accept = Some(Decision::Accept);
        for (url, on_host, on_domain) in [
            ("http://fct.pt/", accept, accept),
            ("https://www.fct.pt:8080/a", accept, accept),
            ("http://sobre.fct.pt/", None, accept),
            ("http://xfct.pt/", None, None),
            ("http://bl.uk/", None, accept),
            ("http://192.168.0.1/", accept, None),
        ] {
            assert_eq!(decision_of(&*hosts, url, "L"), on_host, "{url}");
            assert_eq!(decision_of(&*domains, url, "L"), on_domain, "{url}");
        }
        assert!(list(&["fct.pt/sobre"], false).compile().is_err());
    }
}
