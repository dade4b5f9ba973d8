//! Terms of a campaign: the ways in which its crawls differ from what anybody would expect.

use super::{Campaign, Frequency, PrivateAddresses, RobotsPolicy};

impl Campaign {
    /// Lists when crawls start by themselves, where they may reach, whether they
    /// obey robots.txt, and their user agent: what a person has to know before
    /// somebody else's campaign runs here.
    pub fn crawl_terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        let extra = self.schedule.extra.iter().filter(|date| !date.trim().is_empty()).count();
        match (self.schedule.frequency, extra) {
            (Frequency::Manual, 0) => {}
            (Frequency::Manual, _) => terms.push(format!("schedule: on {extra} extra dates")),
            (frequency, 0) => terms.push(format!("schedule: {}", frequency.label())),
            (frequency, _) => terms.push(format!("schedule: {}, and on {extra} extra dates", frequency.label())),
        }
        for source in self.sources.iter().filter(|source| source.enabled) {
            terms.push(format!("source: {} {} ({})", source.kind.label(), source.name, source.address));
        }
        match &self.politeness.allow_private_addresses {
            PrivateAddresses::All => terms.push("private addresses: all may be fetched from".to_owned()),
            listed if listed.is_none() => {}
            listed => {
                let entries: Vec<&str> = listed.entries().collect();
                terms.push(format!("private addresses: {} may be fetched from", entries.join(", ")));
            }
        }
        match self.politeness.robots {
            RobotsPolicy::Obey => {}
            RobotsPolicy::Ignore => terms.push("robots.txt: not asked for".to_owned()),
            RobotsPolicy::ObeyButLog => terms.push("robots.txt: asked for and not obeyed".to_owned()),
        }
        if !self.politeness.user_agent.trim().is_empty() {
            terms.push(format!("user agent: {}", self.politeness.user_agent.trim()));
        }
        terms
    }
}
