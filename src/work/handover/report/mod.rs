//! The report for people: what the collection is, how it was selected, what it holds and lacks, who
//! decided, and how to check it; in the language of the campaign, or in the one of the export's
//! options.
//!
//! Sentences are in `messages.rs`, `labels.rs` and `rules.rs`, nowhere else.

mod format;
mod grounds;
mod labels;
mod left_out;
mod messages;
mod page;
mod problem_names;
mod request;
mod rule_names;
mod rules;
mod tables;
mod targeted;

use super::decision_counts::DecisionCounts;
use super::{CaptureGrounds, ExportedEvidence};
use crate::analysis::{Matcher, TermCoverage};
use crate::campaign::{Campaign, ReportLanguage, Seed, Term};
use crate::export::Written;
use crate::jobs::JobCx;
use crate::scope::{AddressCountry, GeoFact};
use crate::store::{ExportedFigures, Lacking, LeftOutCaptures, StoreError, Workspace};
use crate::uri::CaptureDate;
use crate::work::models::{Balance, CampaignId, CaptureId, ReviewMark, SelectionSpec};
use anyhow::Context;
use format::capitalized;
use page::{Block, ReportCell, counted_by, text_row};
use problem_names::{problem_name, without_folders};
use rules::listed_rules;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};

/// Resources that nobody captured and that are listed.
const MOST_MISSING: u64 = 50;
/// Captures that were left out and are listed.
const MOST_LEFT_OUT: u64 = 100;
/// Persons that the summary names.
const MOST_PERSONS: usize = 5;

/// The facts of a report that are not in the catalogue.
#[derive(Clone)]
pub(super) struct ReportFacts<'a> {
    /// The campaign.
    pub id: CampaignId,
    /// Its version.
    pub version: u32,
    /// Its value.
    pub campaign: Campaign,
    /// The settings that selected the captures.
    pub spec: SelectionSpec,
    /// The language of the report.
    pub language: ReportLanguage,
    /// The report can point at the list of URLs that were seen.
    pub with_seen: bool,
    /// The selection in figures.
    pub balance: Balance,
    /// Captures that come along because a selected page needs them.
    pub requisites: &'a [CaptureId],
    /// The lookup of resources that its pages need and nobody captured.
    pub missing: Rc<MissingLookup>,
    /// Resources that pages lack since a person rejected them.
    pub lacking: &'a RefCell<Vec<Lacking>>,
    /// The captures of the handover, in its order.
    pub captures: &'a [CaptureId],
    /// The files that prove permissions.
    pub evidence: &'a ExportedEvidence,
    /// The grounds of captures.
    pub grounds: &'a CaptureGrounds<'a>,
    /// The kinds of site that its captures are of, by name, most frequent first.
    pub site_kinds: Vec<(String, u64)>,
    /// Persons are left out of what is known of entities.
    pub without_persons: bool,
}

/// Looks up what pages need and nobody captured, and what of the campaign does not leave,
/// while the archive files are written.
pub(in crate::work) struct MissingLookup(Receiver<MissingAnswer>);

type MissingAnswer = Result<Absent, StoreError>;

/// The contents that are not in an export.
struct Absent {
    /// URLs that pages need and nobody captured: how many, and the most needed ones.
    missing: (u64, Vec<(String, u64)>),
    /// Captures of the campaign that were left out.
    left_out: LeftOutCaptures,
}

impl MissingLookup {
    /// A lookup, and what a thread has to do for it.
    pub(in crate::work) fn new<'a>(
        workspace: &'a Workspace,
        campaign: CampaignId,
        requisites: &'a [CaptureId],
        leaving: &'a [CaptureId],
        cx: &'a JobCx,
    ) -> (Self, impl FnOnce() + Send + use<'a>) {
        let (send, answer) = channel();
        let lookup = move || {
            let catalogue = workspace.catalogue();
            let absent = || {
                let missing = catalogue.missing_resources(campaign, requisites, MOST_MISSING, cx)?;
                let left_out = catalogue.left_out_captures(campaign, leaving, MOST_LEFT_OUT, cx)?;
                Ok(Absent { missing, left_out })
            };
            // Nobody may wait for it any more.
            let _ = send.send(absent());
        };
        (Self(answer), lookup)
    }

    fn answer(&self) -> anyhow::Result<Absent> {
        Ok(self.0.recv().context("what is missing was not looked up")??)
    }
}

/// The report in both forms: HTML, Markdown.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn report(
    workspace: &Workspace,
    facts: &ReportFacts<'_>,
    written: &Written<'_>,
    cx: &JobCx,
) -> anyhow::Result<(String, String)> {
    let language = facts.language;
    let blocks = Reporter { workspace, facts, written, language }.blocks(cx)?;
    let title = match facts.campaign.name.trim() {
        "" => language.untitled(),
        name => name.to_owned(),
    };
    Ok((page::html(language, &title, &blocks), page::markdown(language, &title, &blocks)))
}

/// Puts the report together.
struct Reporter<'a> {
    workspace: &'a Workspace,
    facts: &'a ReportFacts<'a>,
    written: &'a Written<'a>,
    language: ReportLanguage,
}

impl Reporter<'_> {
    fn blocks(&self, cx: &JobCx) -> anyhow::Result<Vec<Block>> {
        let catalogue = self.workspace.catalogue();
        let left_out: Vec<usize> = self.written.left_out.to_vec();
        let is_in = |(at, _): &(usize, &CaptureId)| left_out.binary_search(at).is_err();
        let captures: Vec<CaptureId> =
            self.facts.captures.iter().enumerate().filter(is_in).map(|(_, capture)| *capture).collect();
        let figures = catalogue.exported_figures(&captures, cx)?;
        let decided = DecisionCounts::of(self.workspace, self.facts.id)?;
        let absent = self.facts.missing.answer()?;
        let mut out = Vec::new();
        self.summary(&mut out, &figures, &decided, &absent)?;
        self.request(&mut out);
        self.coverage(&mut out)?;
        self.targeted(&mut out, cx)?;
        self.scope(&mut out);
        self.selection(&mut out, &decided, &absent)?;
        self.contents(&mut out, &figures)?;
        self.launches(&mut out)?;
        self.collections(&mut out)?;
        self.hosts(&mut out, &figures)?;
        self.permissions(&mut out)?;
        self.decisions(&mut out, &decided);
        self.samples(&mut out)?;
        self.judgements(&mut out)?;
        self.left_out(&mut out, &absent)?;
        self.problems(&mut out);
        let language = self.language;
        out.push(Block::Heading(language.how_to_check()));
        out.push(Block::Text(language.check_explained(&language.quoted("fonds verify FOLDER"))));
        Ok(out)
    }

    fn heading(&self, out: &mut Vec<Block>, heading: fn(ReportLanguage) -> String) {
        out.push(Block::Heading(heading(self.language)));
    }

    fn table(
        &self,
        out: &mut Vec<Block>,
        head: &[fn(ReportLanguage) -> String],
        numbers: &[usize],
        rows: Vec<Vec<ReportCell>>,
    ) {
        let head = head.iter().map(|name| name(self.language)).collect();
        out.push(Block::Table { head, numbers: numbers.to_vec(), rows });
    }

    /// Writes a summary for readers who read nothing else.
    fn summary(
        &self,
        out: &mut Vec<Block>,
        figures: &ExportedFigures,
        decided: &DecisionCounts,
        absent: &Absent,
    ) -> anyhow::Result<()> {
        let (language, campaign) = (self.language, &self.facts.campaign);
        let (captures, hosts) = (language.captures(figures.captures), language.hosts(figures.hosts.len() as u64));
        let bytes = language.bytes(figures.bytes);
        if let Some((first, last)) = figures.dates {
            let (first, last) = (language.date(first), language.date(last));
            out.push(Block::Lead(match first == last {
                true => language.lead_of_one_day(&captures, &hosts, &first, &bytes),
                false => language.lead_of_days(&captures, &hosts, &first, &last, &bytes),
            }));
        }
        // What could not be written is of either kind; the requisites give their number.
        let embedded = self.facts.requisites.len() as u64;
        let parts = [
            language.selected_captures(figures.captures.saturating_sub(embedded)),
            language.embedded_resources(embedded),
        ];
        let parts = &parts[..if embedded > 0 { 2 } else { 1 }];
        let mut left_out = Vec::new();
        let LeftOutCaptures { all, rejected, .. } = absent.left_out;
        left_out.extend((rejected > 0).then(|| language.rejected_captures(rejected)));
        left_out.extend((all > rejected).then(|| language.unselected_captures(all - rejected)));
        let refused: u64 =
            self.workspace.catalogue().refused_by_rule(self.facts.id)?.iter().map(|(_, urls)| urls).sum();
        left_out.extend((refused > 0).then(|| language.refused_urls(refused)));
        out.push(Block::Facts(vec![
            (language.what_it_is_for(), campaign.description.clone()),
            (language.who_answers(), campaign.owner.clone()),
            (language.contents(), language.of_lead(&captures, &language.all_of(parts))),
            (language.selected_how(), capitalized(&self.criterion())),
            (language.who_decided(), self.persons(decided)),
            (language.legal_basis(), capitalized(&self.bases(true)?)),
            (language.left_out(), if left_out.is_empty() { language.nothing() } else { language.all_of(&left_out) }),
            (
                language.problems(),
                match self.written.problems.len() {
                    0 => language.no_problems(),
                    problems => language.problems_listed(problems as u64),
                },
            ),
            (language.campaign(), language.campaign_version(&campaign.name, &self.facts.version.to_string())),
            (
                language.written(),
                language
                    .written_with(&language.moment(CaptureDate::now()), concat!("Fonds/", env!("CARGO_PKG_VERSION"))),
            ),
        ]));
        Ok(())
    }

    /// The persons who decided, those with the most decisions first.
    fn persons(&self, decided: &DecisionCounts) -> String {
        let language = self.language;
        let mut persons: Vec<(&String, u64)> = decided.by_person.iter().map(|(who, of)| (who, of.all())).collect();
        if persons.is_empty() {
            return language.nobody_decided();
        }
        persons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let rest = persons.len().saturating_sub(MOST_PERSONS);
        let named = |(who, count): &(&String, u64)| format!("{who} ({})", language.decisions_of(*count));
        let named: Vec<String> = persons.iter().take(MOST_PERSONS).map(named).collect();
        match rest {
            0 => language.all_of(&named),
            _ => format!("{} {}", named.join(", "), language.more_rows(rest as u64)),
        }
    }

    /// The criterion where no person decided.
    fn criterion(&self) -> String {
        let (language, spec) = (self.language, &self.facts.spec);
        let mut criterion = match spec.filter.trim() {
            "" => language.by_score(&language.decimal(spec.threshold)),
            "*" => language.by_every_capture(),
            filter => language.by_filter(&language.quoted(filter)),
        };
        for name in &spec.collections {
            criterion = language.or_in_collection(&criterion, &language.quoted(name));
        }
        criterion
    }

    fn request(&self, out: &mut Vec<Block>) {
        let language = self.language;
        self.heading(out, ReportLanguage::request_heading);
        let lines = language.request(&self.facts.campaign.request);
        if lines.is_empty() {
            out.push(Block::Text(language.no_request()));
        } else {
            out.push(Block::Text(language.pages_that_have()));
            out.push(Block::List(lines));
        }
    }

    /// Writes how many captures match each term of the request: the aim compared with the result, as
    /// kept when they were scored.
    fn coverage(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let (language, facts, catalogue) = (self.language, self.facts, self.workspace.catalogue());
        let conditions = catalogue.measured_with(facts.id)?.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let version = conditions.and_then(|conditions| conditions["campaign_version"].as_u64());
        let measured = match version.filter(|version| *version != u64::from(facts.version)) {
            None => None,
            Some(old) => {
                catalogue.campaign_versions(facts.id)?.into_iter().find(|(version, _)| u64::from(*version) == old)
            }
        };
        let request = measured.as_ref().map_or(&facts.campaign.request, |(_, campaign)| &campaign.request);
        let matcher = Matcher::compile(request);
        if matcher.terms().is_empty() {
            return Ok(());
        }
        let (mut selected, mut all) = (TermCoverage::new(&matcher), TermCoverage::new(&matcher));
        catalogue.each_term_description(facts.id, |is_selected, terms| {
            all.add(terms);
            if is_selected {
                selected.add(terms);
            }
        })?;
        self.heading(out, ReportLanguage::found_of_it);
        let mut text = language.term_counts(&language.number(selected.pages()), &language.number(all.pages()));
        if let Some((version, _)) = &measured {
            text = format!("{text} {}", language.scored_with_version(&version.to_string()));
        }
        if all.unclear() > 0 {
            text = format!("{text} {}", language.scored_with_others(&language.number(all.unclear())));
        }
        out.push(Block::Text(text));
        let names = matcher.terms().iter().map(|term| language.term_name(term));
        let counts = names.zip(selected.found().iter().copied()).collect();
        out.push(Block::Bars { of: language.term(), counts });
        let row = |(number, term): (usize, &Term)| {
            let count = |coverage: &TermCoverage| match coverage.found().get(number) {
                Some(0) | None if matcher.speaks_for(number) => ReportCell::Lack(language.none()),
                found => language.number(found.copied().unwrap_or_default()).into(),
            };
            let side = if matcher.speaks_for(number) { language.counts_for() } else { language.counts_against() };
            let (name, aliases) = (language.term_name(term), term.aliases.join(", "));
            let mut row = text_row([language.kind_of(term.kind), name, aliases, language.decimal(term.weight), side]);
            row.extend([count(&selected), count(&all)]);
            row
        };
        let rows = matcher.terms().iter().enumerate().map(row).collect();
        let head: [fn(ReportLanguage) -> String; 7] = [
            ReportLanguage::kind,
            ReportLanguage::term,
            ReportLanguage::other_names,
            ReportLanguage::weight,
            ReportLanguage::counts_head,
            ReportLanguage::selected,
            ReportLanguage::of_all,
        ];
        self.table(out, &head, &[3, 5, 6], rows);
        Ok(())
    }

    fn scope(&self, out: &mut Vec<Block>) {
        let (language, campaign) = (self.language, &self.facts.campaign);
        self.heading(out, ReportLanguage::where_it_went);
        let seed = |seed: &Seed| {
            let reach = language.reach(seed.scope);
            let reach = match seed.depth {
                Some(depth) => format!("{reach}, {}", language.links_from_seed(u64::from(depth))),
                None => reach,
            };
            text_row([seed.url.clone(), reach])
        };
        let rows = campaign.seeds.iter().map(seed).collect();
        self.table(out, &[ReportLanguage::seed, ReportLanguage::scope], &[], rows);
        let (rules, idle) = listed_rules(campaign, language);
        if !rules.is_empty() {
            out.push(Block::Text(language.rules_in_order()));
            let row = |rule: rules::ListedRule| {
                let decision = match rule.accepts {
                    Some(true) => language.accepted(),
                    Some(false) => language.refused(),
                    None => String::new(),
                };
                text_row([rule.number.to_string(), decision, rule.about, rule.note])
            };
            let head: [fn(ReportLanguage) -> String; 4] = [
                ReportLanguage::rule_number,
                ReportLanguage::rule_decision,
                ReportLanguage::rule_about,
                ReportLanguage::note,
            ];
            self.table(out, &head, &[0], rules.into_iter().map(row).collect());
        }
        if idle > 0 {
            out.push(Block::Text(language.rules_not_listed(idle)));
        }
    }

    fn selection(&self, out: &mut Vec<Block>, decided: &DecisionCounts, absent: &Absent) -> anyhow::Result<()> {
        let (language, spec, balance) = (self.language, &self.facts.spec, &self.facts.balance);
        self.heading(out, ReportLanguage::how_selected);
        let side = |captures, hosts| language.captures_of_hosts(&language.captures(captures), &language.hosts(hosts));
        let embedded = match spec.with_requisites {
            true => language.resources_included(
                &language.number(self.facts.requisites.len() as u64),
                &language.number(self.workspace.catalogue().vetoed(self.facts.id)?),
            ),
            false => language.resources_left_out(),
        };
        let excluded = balance.excluded + decided.not_here(ReviewMark::Reject);
        out.push(Block::Facts(vec![
            (language.selected_how(), self.criterion()),
            (language.selected(), side(balance.inside.captures, balance.inside.hosts)),
            (language.left_out(), language.captures(absent.left_out.all)),
            (language.included_manually(), language.number(balance.included)),
            (language.excluded_manually(), language.number(excluded)),
            (language.against_score(), language.number(balance.overrides)),
            (language.window_of_inlinks(), language.days_around(u64::from(spec.window_days))),
            (language.resources_of_pages(), embedded),
        ]));
        if spec.filter.trim().is_empty() {
            out.push(Block::Text(language.score_of_parts()));
            let row = |(part, weight)| text_row([part, language.decimal(weight)]);
            let rows = language.weights(&spec.weights).map(row).collect();
            self.table(out, &[ReportLanguage::part_of_score, ReportLanguage::weight], &[1], rows);
        }
        Ok(())
    }

    fn contents(&self, out: &mut Vec<Block>, figures: &ExportedFigures) -> anyhow::Result<()> {
        let (language, counts) = (self.language, self.written.counts);
        self.heading(out, ReportLanguage::what_it_holds);
        let number = |count| language.number(count);
        out.push(Block::Facts(vec![
            (language.captures_head(), number(figures.captures)),
            (language.size(), language.bytes(figures.bytes)),
            (language.records(), number(counts.records)),
            (language.originals_along(), number(counts.originals_added)),
            (language.revisits_without(), number(counts.revisits_unresolved)),
            (language.pages_with_inlinks(), number(counts.inlink_objects)),
        ]));
        let months = figures.months.iter().map(|(month, count)| (language.day(month), *count)).collect();
        let statuses = figures.statuses.iter().map(|(status, count)| (language.status(*status), *count)).collect();
        let kinds = figures.types.iter().map(|(mime, count)| (language.content_kind(mime), *count));
        let named = |code: &String| match code.as_str() {
            "" => language.not_known(),
            code => language.name_of(code),
        };
        let languages = figures.languages.iter().map(|(code, count)| (named(code), *count));
        for (of, counts) in [
            (language.month(), months),
            (language.answer(), statuses),
            (language.kind_of_content(), most_first(kinds)),
            (language.kind_of_site(), self.facts.site_kinds.clone()),
            (language.language(), most_first(languages)),
        ] {
            if !counts.is_empty() {
                out.extend(counted_by(language, of, counts));
            }
        }
        Ok(())
    }

    /// Writes the launches and imports that the captures came from.
    fn launches(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let language = self.language;
        let launches = self.workspace.catalogue().launches(Some(self.facts.id))?;
        let rows: Vec<_> = launches
            .iter()
            .map(|launch| {
                let ended = launch.ended.map(|ended| language.moment(ended)).unwrap_or_default();
                let [fetched, failed, refused] =
                    [launch.fetched, launch.failed, launch.refused].map(|urls| language.number(urls));
                text_row([
                    language.moment(launch.started),
                    ended,
                    language.launch_state(launch),
                    fetched,
                    failed,
                    refused,
                ])
            })
            .collect();
        if !rows.is_empty() {
            self.heading(out, ReportLanguage::crawls);
            let head: [fn(ReportLanguage) -> String; 6] = [
                ReportLanguage::began,
                ReportLanguage::ended,
                ReportLanguage::state,
                ReportLanguage::fetched,
                ReportLanguage::failed,
                ReportLanguage::refused_head,
            ];
            self.table(out, &head, &[3, 4, 5], rows);
        }
        Ok(())
    }

    /// Collections whose captures are selected, too.
    fn collections(&self, out: &mut Vec<Block>) -> anyhow::Result<()> {
        let (language, spec) = (self.language, &self.facts.spec);
        let collections = self.workspace.catalogue().collections()?.into_iter();
        let rows: Vec<_> = collections
            .filter(|row| spec.collections.contains(&row.name))
            .map(|row| text_row([row.name, row.about, row.who, language.number(row.captures)]))
            .collect();
        if !rows.is_empty() {
            self.heading(out, ReportLanguage::collections);
            let head: [fn(ReportLanguage) -> String; 4] = [
                ReportLanguage::collection,
                ReportLanguage::purpose,
                ReportLanguage::made_by,
                ReportLanguage::captures_head,
            ];
            self.table(out, &head, &[3], rows);
        }
        Ok(())
    }

    /// Hosts with their locations, by which database, and its build.
    fn hosts(&self, out: &mut Vec<Block>, figures: &ExportedFigures) -> anyhow::Result<()> {
        let language = self.language;
        let mut hosts: Vec<(&String, (u64, u64))> = figures.hosts.iter().map(|(host, of)| (host, *of)).collect();
        hosts.sort_by_key(|(_, (captures, _))| std::cmp::Reverse(*captures));
        let mut rows = Vec::new();
        for (host, (captures, bytes)) in hosts {
            let [country, address, database, built] = match self.workspace.catalogue().known_location(host)? {
                GeoFact::Known(evidence) => {
                    let country = |place: &AddressCountry| match place.country.as_deref() {
                        Some(code) => language.name_of(code),
                        None => language.no_country(),
                    };
                    let mut countries: Vec<String> = evidence.addresses.iter().map(country).collect();
                    countries.dedup();
                    let address = |place: &AddressCountry| format!("{} ({})", place.address, place.network);
                    let addresses: Vec<String> = evidence.addresses.iter().map(address).collect();
                    let built = language.date(evidence.database_build);
                    [countries.join(", "), addresses.join(", "), evidence.database.clone(), built]
                }
                GeoFact::Failed { .. } => [language.country_not_known(), String::new(), String::new(), String::new()],
                GeoFact::NotQueried => Default::default(),
            };
            let (captures, bytes) = (language.number(captures), language.bytes(bytes));
            rows.push(text_row([host.clone(), captures, bytes, country, address, database, built]));
        }
        self.heading(out, ReportLanguage::hosts_heading);
        let head: [fn(ReportLanguage) -> String; 7] = [
            ReportLanguage::host,
            ReportLanguage::captures_head,
            ReportLanguage::size,
            ReportLanguage::country,
            ReportLanguage::address_and_network,
            ReportLanguage::database,
            ReportLanguage::built,
        ];
        self.table(out, &head, &[1, 2], rows);
        Ok(())
    }

    fn problems(&self, out: &mut Vec<Block>) {
        if self.written.problems.is_empty() && self.written.notes.is_empty() {
            return;
        }
        self.heading(out, ReportLanguage::problems);
        out.push(Block::Text(self.language.problems_explained()));
        let row = |problem: &String| {
            vec![ReportCell::Text(problem_name(self.language, problem)), ReportCell::Message(without_folders(problem))]
        };
        let rows = self.written.problems.iter().chain(self.written.notes).map(row).collect();
        self.table(out, &[ReportLanguage::problem, ReportLanguage::program_message], &[], rows);
    }
}

/// Counts put together by name, the largest first.
fn most_first(counts: impl IntoIterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (name, count) in counts {
        *sums.entry(name).or_default() += count;
    }
    let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    sums
}

#[cfg(test)]
mod tests {
    use super::{labels, messages, problem_names, rule_names, rules, targeted};

    #[test]
    fn every_message_is_another_one_in_each_language() {
        let tables = [
            labels::MESSAGES,
            messages::MESSAGES,
            messages::COUNTS,
            problem_names::MESSAGES,
            rule_names::MESSAGES,
            rules::MESSAGES,
            targeted::MESSAGES,
            targeted::COUNTS,
        ]
        .concat();
        assert!(tables.len() > 200, "{}", tables.len());
        for (name, [english, others @ ..]) in tables {
            assert!(!english.is_empty() && others.iter().all(|other| !other.is_empty()), "{name}");
            let values = |text: &str| {
                let mut values: Vec<String> =
                    text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).map(str::to_owned).collect();
                values.sort();
                values
            };
            for other in others {
                assert_eq!(values(english), values(other), "{name}: {other}");
            }
            // A sentence is never the English one; single words may be the same.
            let is_sentence = english.split_whitespace().filter(|part| !part.contains('{')).count() > 2;
            assert!(!is_sentence || others.iter().all(|other| *other != english), "{name}: {english}");
        }
    }
}
