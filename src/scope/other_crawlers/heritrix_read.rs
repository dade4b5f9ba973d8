//! A Heritrix 3 job as a campaign.

use super::beans::{Beans, Element, Node, OtherFiles, Setting};
use super::heritrix_rules::{Known, Reading};
use super::{EngineError, EngineJob, EngineNote, heritrix_settings, seeds_of_text};
use crate::campaign::{Campaign, Limits};
use crate::jobs::counted;
use crate::scope::rules::{RejectAll, Rule, RuleKind};

/// Reads `crawler-beans.cxml`. `others` reads other files of the job's folder
/// by their names (`seeds.txt`, `surts.txt`, imported beans); where it answers
/// none, the file is not there.
///
/// # Errors
///
/// When the text is no XML, or has a document type.
pub fn read_heritrix_job(file: &str, text: &str, others: OtherFiles<'_>) -> Result<EngineJob, EngineError> {
    let mut notes = Vec::new();
    let beans = Beans::read(file, text, others, &mut notes)?;
    let mut campaign = Campaign { limits: Limits::default(), ..Campaign::default() };
    heritrix_settings::read(&beans, &mut campaign, &mut notes);
    let mut prefixes = Vec::new();
    if let Some(text) = seeds_text(&beans, others, &mut notes) {
        let (seeds, signed, unread) = seeds_of_text(&text);
        campaign.seeds = seeds;
        prefixes = signed;
        for (line, entry) in unread {
            notes.push(EngineNote::new(format!("seeds, line {line}"), format!("“{entry}” is neither seed nor prefix")));
        }
    }
    notes.extend(beans.take_unread());
    let mut reading = Reading { beans: &beans, others, campaign: &mut campaign, notes, prefixes };
    let rules = reading.scope();
    let (mut notes, prefixes) = (reading.notes, reading.prefixes);
    if !prefixes.is_empty() {
        notes.push(EngineNote::new(
            "seeds",
            format!("{} with + or -, used by no rule", counted(prefixes.len() as u64, "line")),
        ));
    }
    Ok(EngineJob { campaign, rules, notes })
}

fn seeds_text(beans: &Beans, others: OtherFiles<'_>, notes: &mut Vec<EngineNote>) -> Option<String> {
    if let Some(text) = beans.overridden("seeds.textSource.value") {
        return Some(text.to_owned());
    }
    let source = beans.by_id("seeds").and_then(|seeds| beans.property(seeds, "textSource"));
    let Some(Setting::Bean(source)) = source else {
        return others("seeds.txt");
    };
    match source.class() {
        "ConfigString" => beans.text(source, "value"),
        "ConfigFile" => {
            let path = beans.text(source, "path").unwrap_or_default();
            let text = others(&path);
            if text.is_none() {
                notes.push(EngineNote::new(
                    &source.place,
                    format!("the seeds are in “{path}”, which is not in the folder; the campaign has none"),
                ));
            }
            text
        }
        other => {
            notes.push(EngineNote::new(&source.place, format!("seeds from {other} cannot be read")));
            None
        }
    }
}

impl Reading<'_> {
    /// Reads the rules into the campaign; returns their number.
    fn scope(&mut self) -> usize {
        let beans = self.beans;
        let Some(scope) = beans.by_id("scope").or_else(|| beans.by_class("DecideRuleSequence")) else {
            self.notes.push(EngineNote::new("scope", "there is no bean “scope”, so there are no rules"));
            return 0;
        };
        let list = scope
            .elements()
            .find(|element| element.tag == "property" && element.attribute("name") == Some("rules"))
            .and_then(|property| property.child("list"));
        let Some(list) = list else {
            self.notes.push(EngineNote::new(&scope.place, "the scope has no list of rules"));
            return 0;
        };
        let mut rules = 0;
        let mut remark = String::new();
        for node in &list.nodes {
            match node {
                Node::Comment(text) => remark = joined(text),
                Node::Text(_) => {}
                Node::Element(element) => {
                    let remark = std::mem::take(&mut remark);
                    if let Some(rule) = self.rule(element, remark, rules) {
                        self.campaign.rules.push(serde_json::to_value(rule).unwrap_or_default());
                        rules += 1;
                    }
                }
            }
        }
        rules
    }

    /// A rule; none where it is there for Heritrix alone.
    fn rule(&mut self, element: &Element, remark: String, index: usize) -> Option<Rule> {
        let beans = self.beans;
        let Some(bean) = beans.resolved(element) else {
            let name = element.attribute("bean").unwrap_or_default().to_owned();
            return Some(self.unknown(&element.place, index, &format!("the bean “{name}” that it names is not there")));
        };
        let enabled = beans.flag(bean, "enabled").unwrap_or(true);
        let known = self.known(bean, &remark);
        // A rule with a default where something else was meant would decide otherwise.
        let unread = beans.take_unread();
        if let Some(first) = unread.first() {
            let more =
                if unread.len() > 1 { format!(", and {} more like it", unread.len() - 1) } else { String::new() };
            let why = format!("{}: {} ({}){more}", bean.class(), first.what, first.place);
            return Some(self.unknown(&bean.place, index, &why));
        }
        match known {
            Known::Rule(kind) => {
                let kind = match self.workable(&bean.place, index, kind) {
                    Ok(kind) => kind,
                    Err(why) => return Some(self.unknown(&bean.place, index, &why)),
                };
                Some(Rule { enabled, comment: remark, kind })
            }
            Known::Kept(rule) => Some(match self.workable(&bean.place, index, rule.kind.clone()) {
                Ok(_) => *rule,
                Err(why) => self.unknown(&bean.place, index, &why),
            }),
            Known::OfHeritrix => None,
            Known::Not(why) => Some(self.unknown(&bean.place, index, &format!("{}: {why}", bean.class()))),
        }
    }

    /// A rule that is switched off and holds the place of one that is not known.
    fn unknown(&mut self, place: &str, index: usize, why: &str) -> Rule {
        self.notes.push(EngineNote::new(
            format!("{place}, rule {index}"),
            format!("{why}; a rule that is switched off holds its place"),
        ));
        Rule { enabled: false, comment: format!("Not known here: {why}"), kind: RuleKind::RejectAll(RejectAll {}) }
    }
}

/// A comment on one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
