//! Decide rules of Heritrix as rules of a campaign.

use super::beans::{Beans, Element, OtherFiles, Setting};
use super::seeds_text::prefixes_of_text;
use super::write_rules::{ADDED_RULE, KEPT_RULE, SEED_RULE};
use super::{EngineNote, write_rules};
use crate::campaign::{Campaign, Grounds, SeedScope};
use crate::scope::Decision;
use crate::scope::rules::{
    AcceptAll, Geolocation, Ground, HopPath, HopType, PathologicalPath, RegexList, RejectAll, Rule, RuleKind,
    SchemeNotInSet, SeedScopeRule, SourceTag, SurtPrefix, TooManyHops, TooManyPathSegments, Transclusion,
};
use crate::uri::{ScopePrefix, parse_web_url};
use std::collections::HashSet;

/// A job being read.
pub(super) struct Reading<'a> {
    pub beans: &'a Beans,
    pub others: OtherFiles<'a>,
    pub campaign: &'a mut Campaign,
    pub notes: Vec<EngineNote>,
    /// Prefixes among the seeds, with whether they are to be taken.
    pub prefixes: Vec<(bool, String)>,
}

/// The counterpart of a Heritrix bean in a campaign.
pub(super) enum Known {
    /// This.
    Rule(RuleKind),
    /// A rule that Heritrix has not, kept in a comment.
    Kept(Box<Rule>),
    /// Written for Heritrix alone.
    OfHeritrix,
    /// Nothing; why.
    Not(String),
}

/// Schemes that Heritrix takes by default.
const SCHEMES: [&str; 6] = ["http", "https", "ftp", "sftp", "dns", "whois"];

impl Reading<'_> {
    pub(super) fn known(&mut self, bean: &Element, remark: &str) -> Known {
        let beans = self.beans;
        let read_decision = |name: &str| match name {
            "ACCEPT" => Some(Decision::Accept),
            "REJECT" => Some(Decision::Reject),
            _ => None,
        };
        let decision =
            |default| beans.read_as(bean, "decision", "decision of a rule", read_decision).unwrap_or(default);
        let size = |name: &str, default: usize| beans.number(bean, name).unwrap_or(default);
        let (accept, reject) = (Decision::Accept, Decision::Reject);
        // Rules that always reject here.
        let only_rejects = ["TooManyHops", "PathologicalPath", "TooManyPathSegments", "SchemeNotInSet"];
        if only_rejects.iter().any(|name| bean.class().starts_with(name)) && decision(reject) == accept {
            return Known::Not("here it can only reject, and this one accepts".to_owned());
        }
        Known::Rule(match bean.class() {
            "RejectDecideRule" => match remark.strip_prefix(KEPT_RULE).map(serde_json::from_str::<Rule>) {
                Some(Ok(rule)) => return Known::Kept(Box::new(rule)),
                _ => RuleKind::RejectAll(RejectAll {}),
            },
            "AcceptDecideRule" => RuleKind::AcceptAll(AcceptAll {}),
            "SurtPrefixedDecideRule" => return self.prefixes(bean, decision(accept)),
            "OnHostsDecideRule" => self.of_seeds(bean, decision(accept), ScopePrefix::host_of),
            "OnDomainsDecideRule" => self.of_seeds(bean, decision(accept), ScopePrefix::domain_of),
            "TooManyHopsDecideRule" => RuleKind::TooManyHops(TooManyHops { max_hops: size("maxHops", 20) }),
            "TransclusionDecideRule" if decision(accept) == reject => {
                return Known::Not("here it can only accept, and this one rejects".to_owned());
            }
            "TransclusionDecideRule" => RuleKind::Transclusion(Transclusion {
                max_trans_hops: size("maxTransHops", 2),
                max_speculative_hops: size("maxSpeculativeHops", 1),
            }),
            "PathologicalPathDecideRule" => {
                RuleKind::PathologicalPath(PathologicalPath { max_repetitions: size("maxRepetitions", 2) })
            }
            "TooManyPathSegmentsDecideRule" => {
                RuleKind::TooManyPathSegments(TooManyPathSegments { max_segments: size("maxPathDepth", 20) })
            }
            "PrerequisiteAcceptDecideRule" if bean.attribute("id") == Some(ADDED_RULE) => return Known::OfHeritrix,
            "PrerequisiteAcceptDecideRule" => {
                RuleKind::HopType(HopType { hops: "P".to_owned(), decision: decision(accept) })
            }
            "SchemeNotInSetDecideRule" => {
                let default = || SCHEMES.map(str::to_owned).to_vec();
                let mut schemes = beans.list(bean, "schemes").unwrap_or_else(default);
                // Names are looked up here without a URL of their own.
                schemes.retain(|scheme| scheme != "dns" && scheme != "whois");
                RuleKind::SchemeNotInSet(SchemeNotInSet { schemes })
            }
            "MatchesRegexDecideRule" => match beans.text(bean, "regex") {
                Some(pattern) => self.patterns(bean, vec![pattern], true, decision(accept)),
                None => return Known::Not("it has no “regex”".to_owned()),
            },
            "MatchesListRegexDecideRule" => {
                let patterns = beans.list(bean, "regexList").unwrap_or_default();
                let any = beans.flag(bean, "listLogicalOr").unwrap_or(true);
                self.patterns(bean, patterns, any, decision(accept))
            }
            "HopsPathMatchesRegexDecideRule" => match beans.text(bean, "regex") {
                Some(pattern) => hops(pattern, decision(accept)),
                None => return Known::Not("it has no “regex”".to_owned()),
            },
            "ExternalGeoLocationDecideRule" => RuleKind::Geolocation(Geolocation {
                countries: beans.list(bean, "countryCodes").unwrap_or_default(),
                decision: decision(accept),
            }),
            "SourceSeedDecideRule" => RuleKind::SourceTag(SourceTag {
                tags: beans.list(bean, "sourceSeeds").unwrap_or_default(),
                decision: decision(accept),
            }),
            _ => return Known::Not("Fonds has no such rule".to_owned()),
        })
    }

    fn prefixes(&mut self, bean: &Element, decision: Decision) -> Known {
        let beans = self.beans;
        let of_seeds = beans.flag(bean, "seedsAsSurtPrefixes").unwrap_or(true);
        let mut prefixes = self.listed_prefixes(bean);
        let also_check_via = beans.flag(bean, "alsoCheckVia").unwrap_or(false);
        if bean.attribute("id") == Some(SEED_RULE) {
            let signed = of_seeds && !self.prefixes.is_empty();
            if decision == Decision::Accept && !also_check_via && !signed && self.are_of_seeds(&prefixes) {
                self.scopes_of_seeds(&prefixes, of_seeds);
                return Known::Rule(RuleKind::SeedScope(SeedScopeRule {}));
            }
            self.notes.push(EngineNote::new(
                &bean.place,
                "it was written from the scopes of the seeds, and changed since; it is read as a rule of prefixes",
            ));
        }
        if of_seeds {
            let signed = std::mem::take(&mut self.prefixes);
            prefixes.extend(signed.iter().filter(|(take, _)| *take).map(|(_, prefix)| prefix.clone()));
            if signed.iter().any(|(take, _)| !take) {
                self.notes.push(EngineNote::new("seeds", "lines with - were left out: a rule for them is not known"));
            }
            if prefixes.is_empty() && decision == Decision::Accept && !also_check_via {
                return Known::Rule(RuleKind::SeedScope(SeedScopeRule {}));
            }
            let implied = self.campaign.seeds.iter().map(|seed| ScopePrefix::implied_by_seed(&seed.url).to_string());
            prefixes.extend(implied);
            self.notes.push(EngineNote::new(
                &bean.place,
                "prefixes and seeds are one rule there; here the prefixes of the present seeds are written out, \
                 and a seed that is added later needs its own",
            ));
        }
        Known::Rule(RuleKind::SurtPrefix(SurtPrefix { prefixes, decision, also_check_via }))
    }

    /// The prefixes in the bean or in a file.
    fn listed_prefixes(&mut self, bean: &Element) -> Vec<String> {
        let beans = self.beans;
        let mut texts = Vec::new();
        let files = ["surtsSource", "surtsSourceFile"];
        for setting in files.iter().filter_map(|name| beans.property(bean, name)) {
            let path = match setting {
                Setting::Bean(source) if source.class() == "ConfigString" => {
                    texts.extend(beans.text(source, "value").map(|text| (source.place.clone(), text)));
                    continue;
                }
                Setting::Bean(source) => beans.text(source, "path").unwrap_or_default(),
                Setting::Text(path) => path,
                Setting::List(_) => continue,
            };
            match (self.others)(&path) {
                _ if path.trim().is_empty() => {}
                Some(text) => texts.push((path, text)),
                None => self.notes.push(EngineNote::new(
                    &bean.place,
                    format!("its prefixes are in “{path}”, which is not in the folder; they are not known"),
                )),
            }
        }
        let mut all = Vec::new();
        for (place, text) in texts {
            let (prefixes, unread) = prefixes_of_text(&text);
            all.extend(prefixes);
            for (line, entry) in unread {
                self.notes.push(EngineNote::new(format!("{place}, line {line}"), format!("“{entry}” is no prefix")));
            }
        }
        all
    }

    /// Whether all prefixes are such as are written for the scopes of seeds.
    fn are_of_seeds(&self, prefixes: &[String]) -> bool {
        let scopes = [SeedScope::Root, SeedScope::Subdomains];
        let of_seeds: HashSet<String> = self
            .campaign
            .seeds
            .iter()
            .flat_map(|seed| scopes.map(|scope| write_rules::prefix_of(&seed.url, scope)))
            .flatten()
            .collect();
        prefixes.iter().all(|prefix| of_seeds.contains(prefix))
    }

    /// Tells the scopes of the seeds from the prefixes that were written for them.
    fn scopes_of_seeds(&mut self, prefixes: &[String], all_root: bool) {
        for seed in self.campaign.seeds.iter_mut().filter(|_| !all_root) {
            let has = |scope| {
                let prefix = write_rules::prefix_of(&seed.url, scope);
                prefix.is_some_and(|prefix| prefixes.contains(&prefix))
            };
            seed.scope = if has(SeedScope::Root) {
                SeedScope::Root
            } else if has(SeedScope::Subdomains) {
                SeedScope::Subdomains
            } else {
                SeedScope::Resource
            };
        }
    }

    fn of_seeds(
        &mut self,
        bean: &Element,
        decision: Decision,
        prefix: fn(&crate::uri::Url) -> ScopePrefix,
    ) -> RuleKind {
        let mut prefixes = self.listed_prefixes(bean);
        let seeds = self.campaign.seeds.iter().filter_map(|seed| parse_web_url(&seed.url));
        prefixes.extend(seeds.map(|url| prefix(&url).to_string()));
        self.notes.push(EngineNote::new(
            &bean.place,
            "it follows the seeds there; here the prefixes of the present seeds are written out",
        ));
        RuleKind::SurtPrefix(SurtPrefix { prefixes, decision, also_check_via: false })
    }

    /// Patterns, without those that cannot be used here.
    fn patterns(&mut self, bean: &Element, patterns: Vec<String>, any: bool, decision: Decision) -> RuleKind {
        let rule = |patterns| RuleKind::Regex(RegexList { patterns, any, decision });
        let mut usable = Vec::new();
        for pattern in patterns {
            match rule(vec![pattern.clone()]).compile(bare_ground(&Grounds::default())) {
                Ok(_) => usable.push(pattern),
                Err(why) => self.notes.push(EngineNote::new(&bean.place, format!("{why}; it is left out"))),
            }
        }
        rule(usable)
    }

    /// The rule, if it can be used.
    pub(super) fn workable(&mut self, place: &str, index: usize, kind: RuleKind) -> Result<RuleKind, String> {
        let grounds = Grounds::default();
        let ground = Ground { seeds: &self.campaign.seeds, ..bare_ground(&grounds) };
        kind.compile(ground)?;
        if let RuleKind::Regex(list) = &kind
            && list.patterns.is_empty()
            && !list.any
        {
            self.notes
                .push(EngineNote::new(format!("{place}, rule {index}"), "no pattern is left, so it says nothing"));
        }
        Ok(kind)
    }
}

/// The ground for rules that use neither seeds nor permissions.
pub(super) fn bare_ground(grounds: &Grounds) -> Ground<'_> {
    Ground { seeds: &[], permissions: &[], grounds }
}

/// A pattern over hop letters; one of the last letter alone is a rule of its own.
fn hops(pattern: String, decision: Decision) -> RuleKind {
    let letters = pattern.strip_prefix(".*[").and_then(|rest| rest.strip_suffix(']'));
    match letters.filter(|letters| !letters.is_empty() && letters.bytes().all(|b| b"LERPXIMS".contains(&b))) {
        Some(letters) => RuleKind::HopType(HopType { hops: letters.to_owned(), decision }),
        None => RuleKind::HopPath(HopPath { pattern, decision }),
    }
}
