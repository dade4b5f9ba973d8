//! A what-if counts what an edited list of rules would have taken and refused of all that was ever
//! seen. Nothing is fetched, nothing is looked up.

use super::country::Countries;
use super::launch_rules::{ByLaunch, Decided, LaunchRules};
use super::redecision::Redecision;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{ContentFact, Decision, PREREQUISITE_RULE, Verdict};
use crate::store::rows::SeenId;
use crate::store::{Catalogue, SeenUrl, StoreError};
use crate::work::Session;
use crate::work::models::{
    CampaignId, FirstIds, HostMoves, HostNumber, LaunchId, Moved, MovedHost, MovedRow, MovedSide, MovedUrl, RuleHits,
    RuleMatches, RuleMoves, RuleReport, Runs, WhatIf, WhatIfList,
};
use foldhash::fast::RandomState;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Tries the rules of `edited` on every URL that launches of the campaign (all of them, or one)
/// have seen. Each URL counts once, as the last launch saw it. It is compared with the decision of
/// that launch's rules under the same facts, so that rules which were not changed change nothing.
pub fn what_if(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    edited: &Campaign,
    cx: &JobCx,
) -> anyhow::Result<WhatIf> {
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    let edited = redecision.edited(edited, cx)?;
    let uses: Vec<&LaunchRules> = edited.values().collect();
    redecision.begin(cx, "Trying the edited rules", &uses)?;
    let trials = trials(&redecision, &edited, cx)?;
    let rules = uses.first().map_or(0, |launch_rules| launch_rules.rules.len());
    let tallies = redecision.scan(
        None,
        &uses,
        cx,
        || Tally { by_rule: vec![(0, 0); rules], ..Tally::default() },
        |tally: &mut Tally, before, candidate, known| {
            tally.seen.push(before.row.id);
            if before.row.is_apart {
                tally.apart += 1;
                return Ok(());
            }
            let Some(Trial { after, countries }) = trials.get(&before.row.launch) else { return Ok(()) };
            let rules = &before.launch.rules;
            let mut then = rules.before_fetch(candidate, known);
            let mut now = after.with_own_seeds(rules, candidate, |candidate| after.before_fetch(candidate, known));
            let hung = rules.hangs_on_country(candidate, known);
            let hangs = after.with_own_seeds(rules, candidate, |candidate| after.hangs_on_country(candidate, known));
            let unknown_country = hung || hangs;
            let uses_content = rules.uses_content || after.uses_content;
            if rules.hangs_on_content(then) || after.hangs_on_content(now) || (unknown_country && uses_content) {
                before.load_content(known)?;
                then = rules.after_fetch(then, candidate, known);
                now = after.with_own_seeds(rules, candidate, |candidate| after.after_fetch(now, candidate, known));
            }
            if unknown_country && countries.can_move((rules, hung), (after, hangs), candidate, known) {
                tally.unknown.add_one(before.row, now.rule);
            }
            if now.needs_fetch && !then.needs_fetch {
                tally.unfetched.push(before.row.id);
            }
            tally.note(then, now, before.row);
            Ok(())
        },
        |tally| tally.weigh(redecision.catalogue),
    )?;
    let mut total = Tally { by_rule: vec![(0, 0); rules], ..Tally::default() };
    tallies.into_iter().for_each(|tally| total.add(tally));
    total.seen.sort();
    for ids in [&mut total.other_rule, &mut total.unfetched] {
        ids.sort_unstable();
    }
    let [moved_in, moved_out, unknown] = [total.moved_in, total.moved_out, total.unknown].map(MovedTally::finish);
    let mut hosts: Vec<HostMoves> = total.hosts.into_values().collect();
    hosts.sort_unstable_by_key(|host| host.id);
    let lines: Vec<(usize, &'static str, String, bool)> =
        uses.first().map(|launch_rules| launch_rules.rules.lines().collect()).unwrap_or_default();
    let by_rule = lines.into_iter().zip(&total.by_rule).map(|((index, name, words, enabled), (into, out))| RuleMoves {
        index,
        name: name.to_owned(),
        words,
        enabled,
        moved_in: *into,
        moved_out: *out,
    });
    let by_rule = by_rule.collect();
    Ok(WhatIf {
        launches: redecision.ids.clone(),
        seen: total.apart + total.stay_in + total.stay_out + moved_in.urls + moved_out.urls,
        seen_ids: total.seen,
        apart: total.apart,
        stay_in: total.stay_in,
        stay_out: total.stay_out,
        other_rule: total.other_rule.len() as u64,
        other_rule_ids: total.other_rule,
        unfetched: total.unfetched.len() as u64,
        unfetched_ids: total.unfetched,
        by_rule,
        moved_hosts: hosts.len() as u64,
        hosts,
        unknown,
        moved_in,
        moved_out,
        remarks: redecision.remark().into_iter().collect(),
    })
}

/// Hosts that are read in one go, between which the work can be stopped.
const HOSTS_AT_ONCE: usize = 10_000;

/// The hosts of the URLs that change side, those with the most first.
pub fn what_if_hosts(session: &Session, answer: &WhatIf, cx: &JobCx) -> anyhow::Result<Vec<MovedHost>> {
    let mut hosts: Vec<MovedHost> = Vec::with_capacity(answer.hosts.len());
    for some in answer.hosts.chunks(HOSTS_AT_ONCE) {
        cx.checkpoint()?;
        let ids: Vec<i64> = some.iter().map(|host| host.id.into()).collect();
        let names = session.catalogue().host_names(&ids)?;
        hosts.extend(some.iter().zip(names).map(|(host, name)| host.named(name)));
    }
    hosts.sort_by(|a, b| {
        let urls = |host: &MovedHost| host.moved_in + host.moved_out;
        urls(b).cmp(&urls(a)).then_with(|| a.host.cmp(&b.host))
    });
    Ok(hosts)
}

/// Hands out a part of a list, in its order. The rules are compiled once,
/// however long the part is.
#[allow(clippy::too_many_arguments)] // Each is another kind of thing.
pub fn what_if_rows(
    session: &Session,
    campaign: CampaignId,
    edited: &Campaign,
    answer: &WhatIf,
    list: WhatIfList,
    part: Range<u64>,
    cx: &JobCx,
    mut each: impl FnMut(MovedRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let launch = match answer.launches.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    let edited = redecision.edited(edited, cx)?;
    cx.checkpoint()?;
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let ids = answer.ids(list).skip(at(part.start)).take(at(part.end.saturating_sub(part.start)));
    redecision.each_again(ids, |before, candidate, known| {
        let row = before.row;
        let rules = &before.launch.rules;
        let Some(after) = edited.get(&row.launch) else { return Ok(()) };
        let (verdicts, as_counted) = match row.is_apart {
            true => {
                let apart = || Verdict::unlisted(Decision::Accept, PREREQUISITE_RULE);
                ([apart(), apart()], list == WhatIfList::Seen)
            }
            false => {
                let then = rules.decide(candidate, known);
                let hung = rules.hangs_on_country(candidate, known);
                after.with_own_seeds(rules, candidate, |candidate| {
                    let now = after.decide(candidate, known);
                    let hangs = hung || after.hangs_on_country(candidate, known);
                    ([rules.verdict(then), after.verdict(now)], belongs(list, then, now, hangs))
                })
            }
        };
        let [then, now] = verdicts;
        let bytes = match known.facts.content {
            ContentFact::Fetched { bytes, .. } => Some(bytes),
            ContentFact::NotFetched => None,
        };
        each(MovedRow {
            seen: row.id,
            launch: row.launch,
            url: row.url.to_owned(),
            via: row.via.to_owned(),
            hops: row.hops.to_owned(),
            before: then,
            after: now,
            bytes,
            as_counted,
        })
    })
}

/// Whether a URL that is decided so is one that a list counts. Where it depends on a country it
/// need not be an open one, but it may be.
fn belongs(list: WhatIfList, then: Decided, now: Decided, hangs_on_country: bool) -> bool {
    let moves = then.decision != now.decision;
    match list {
        WhatIfList::Seen => true,
        WhatIfList::Side(MovedSide::Unknown) => hangs_on_country,
        WhatIfList::Side(MovedSide::In) => moves && now.decision == Decision::Accept,
        WhatIfList::Side(MovedSide::Out) => moves && now.decision == Decision::Reject,
        WhatIfList::Both | WhatIfList::Host(_) | WhatIfList::Captured => moves,
        WhatIfList::ByRule(rule) => moves && now.rule == Some(rule),
        WhatIfList::Unfetched => now.needs_fetch && !then.needs_fetch,
        WhatIfList::OtherRule => !moves && then.rule != now.rule,
    }
}

/// The edited rules in one launch.
struct Trial<'a> {
    after: &'a LaunchRules,
    /// Of two lists of rules, which most launches share.
    countries: Arc<Countries>,
}

/// The edited rules in each launch.
fn trials<'a>(
    redecision: &Redecision<'_>,
    edited: &'a ByLaunch<LaunchRules>,
    cx: &JobCx,
) -> anyhow::Result<ByLaunch<Trial<'a>>> {
    let mut pairs: HashMap<(usize, usize), Arc<Countries>> = HashMap::new();
    let mut trials = ByLaunch::default();
    for (id, after) in edited {
        cx.checkpoint()?;
        let Some(before) = redecision.launches.get(id).map(|launch| &launch.rules) else { continue };
        let countries = pairs
            .entry((before.rules.id(), after.rules.id()))
            .or_insert_with(|| Arc::new(Countries::of(&before.rules, &after.rules)));
        trials.insert(*id, Trial { after, countries: Arc::clone(countries) });
    }
    Ok(trials)
}

/// The counts of one reader.
#[derive(Default)]
struct Tally {
    seen: Runs,
    apart: u64,
    stay_in: u64,
    stay_out: u64,
    other_rule: Vec<SeenId>,
    unknown: MovedTally,
    unfetched: Vec<SeenId>,
    moved_in: MovedTally,
    moved_out: MovedTally,
    /// Of the hosts of what moves in or out.
    hosts: HashMap<HostNumber, HostMoves, RandomState>,
    /// Of each edited rule: what it brought in, and threw out.
    by_rule: Vec<(u64, u64)>,
}

#[derive(Default)]
struct MovedTally {
    list: Vec<MovedUrl>,
    captured: u64,
    bytes: u64,
    /// The last of these as the catalogue numbers URLs: their bytes are not read yet.
    new: Vec<i64>,
}

impl MovedTally {
    fn add_one(&mut self, row: &SeenUrl<'_>, rule: Option<usize>) {
        self.list.push(MovedUrl::new(row.id, row.host_id, rule));
        self.new.push(row.url_id);
    }

    /// Asks how large the new ones are, and hands each out with that.
    fn weigh(&mut self, catalogue: &Catalogue, mut each: impl FnMut(&MovedUrl, Option<u64>)) -> Result<(), StoreError> {
        let known = catalogue.captured_bytes(&self.new)?;
        let from = self.list.len().saturating_sub(self.new.len());
        for (url, bytes) in self.list.iter_mut().skip(from).zip(known) {
            if let Some(bytes) = bytes {
                url.set_captured();
                self.captured += 1;
                self.bytes += bytes;
            }
            each(url, bytes);
        }
        self.new.clear();
        Ok(())
    }

    fn add(&mut self, other: Self) {
        self.list.extend(other.list);
        self.captured += other.captured;
        self.bytes += other.bytes;
    }

    fn finish(mut self) -> Moved {
        self.list.sort_unstable_by_key(|url| url.seen);
        Moved {
            urls: self.list.len() as u64,
            hosts: self.list.iter().map(|url| url.host).collect::<HashSet<_, RandomState>>().len() as u64,
            captured: self.captured,
            bytes: self.bytes,
            list: self.list,
        }
    }
}

impl Tally {
    fn note(&mut self, then: Decided, now: Decided, row: &SeenUrl<'_>) {
        let moved = match (then.decision, now.decision) {
            (Decision::Accept, Decision::Accept) => {
                self.stay_in += 1;
                return self.note_stay(then, now, row);
            }
            (Decision::Reject, Decision::Reject) => {
                self.stay_out += 1;
                return self.note_stay(then, now, row);
            }
            (Decision::Reject, Decision::Accept) => &mut self.moved_in,
            (Decision::Accept, Decision::Reject) => &mut self.moved_out,
        };
        moved.add_one(row, now.rule);
        if let Some((into, out)) = now.rule.and_then(|rule| self.by_rule.get_mut(rule)) {
            *if now.decision == Decision::Accept { into } else { out } += 1;
        }
    }

    fn note_stay(&mut self, then: Decided, now: Decided, row: &SeenUrl<'_>) {
        if then.rule != now.rule {
            self.other_rule.push(row.id);
        }
    }

    /// Reads how large the URLs are that moved since the last call.
    fn weigh(&mut self, catalogue: &Catalogue) -> anyhow::Result<()> {
        let hosts = &mut self.hosts;
        for (moved, comes_in) in [(&mut self.moved_in, true), (&mut self.moved_out, false)] {
            moved.weigh(catalogue, |url, bytes| {
                let host = hosts.entry(url.host).or_insert(HostMoves { id: url.host, ..HostMoves::default() });
                *if comes_in { &mut host.moved_in } else { &mut host.moved_out } += 1;
                host.captured += u64::from(bytes.is_some());
                host.bytes += bytes.unwrap_or(0);
            })?;
        }
        Ok(self.unknown.weigh(catalogue, |_, _| {})?)
    }

    fn add(&mut self, other: Self) {
        self.seen.add(other.seen);
        self.apart += other.apart;
        self.stay_in += other.stay_in;
        self.stay_out += other.stay_out;
        self.other_rule.extend(other.other_rule);
        self.unknown.add(other.unknown);
        self.unfetched.extend(other.unfetched);
        self.moved_in.add(other.moved_in);
        self.moved_out.add(other.moved_out);
        for (id, host) in other.hosts {
            self.hosts.entry(id).or_insert(HostMoves { id, ..HostMoves::default() }).add(&host);
        }
        for (sum, more) in self.by_rule.iter_mut().zip(other.by_rule) {
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }
}

/// Reads an edited list: a whole campaign file, or the rules alone as a list
/// or under `rules`, which then replace those of `base`.
pub fn edited_campaign(base: &Campaign, text: &str) -> anyhow::Result<Campaign> {
    use anyhow::Context;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: serde_json::Value = serde_json::from_str(text).context("this is no JSON")?;
    let rules = match value {
        serde_json::Value::Array(rules) => rules,
        serde_json::Value::Object(mut fields) if fields.len() == 1 && fields.contains_key("rules") => {
            match fields.remove("rules") {
                Some(serde_json::Value::Array(rules)) => rules,
                _ => anyhow::bail!("rules: a list is expected"),
            }
        }
        _ => return Ok(Campaign::from_json(text)?),
    };
    Ok(Campaign { rules, ..base.clone() })
}

/// The seen URLs that a rule of the last launch's list had an opinion of: what
/// [`rule_hits`] counts as spoken.
pub fn urls_matched_by_rule(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    rule: usize,
    cx: &JobCx,
) -> anyhow::Result<RuleMatches> {
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    redecision.begin(cx, "Asking the rule", &[])?;
    let Some(last) = redecision.ids.last().and_then(|id| redecision.launches.get(id)) else {
        return Ok(RuleMatches::default());
    };
    let found = redecision.scan(
        None,
        &[],
        cx,
        FirstIds::default,
        |ids, before, candidate, known| {
            if !before.row.is_apart {
                if last.rules.uses_content {
                    before.load_content(known)?;
                }
                last.rules.each_opinion(candidate, known, |index, _| {
                    if index == rule {
                        ids.push(before.row.id);
                    }
                });
            }
            Ok(())
        },
        |_| Ok(()),
    )?;
    let mut ids = FirstIds::default();
    found.into_iter().for_each(|part| ids.add(part));
    let line = last.rules.rules.lines().nth(rule);
    let (name, words) = line.map(|(_, name, words, _)| (name.to_owned(), words)).unwrap_or_default();
    Ok(RuleMatches { name, words, ids, remarks: redecision.remark().into_iter().collect() })
}

/// Counts for each rule of a launch's list how often it had an opinion and how often it decided,
/// with an example of each.
pub fn rule_hits(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<RuleReport> {
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    redecision.begin(cx, "Asking every rule", &[])?;
    // Launches of several versions: the list of the last one names the rules.
    let Some(last) = redecision.ids.last().and_then(|id| redecision.launches.get(id)) else {
        return Ok(RuleReport::default());
    };
    let lines: Vec<(usize, &'static str, String, bool)> = last.rules.rules.lines().collect();
    let found = redecision.scan(
        None,
        &[],
        cx,
        HashMap::<usize, Deeds>::new,
        |deeds, before, candidate, known| {
            if before.row.is_apart {
                return Ok(());
            }
            if last.rules.uses_content {
                before.load_content(known)?;
            }
            let decided = last.rules.decide(candidate, known);
            last.rules.each_opinion(candidate, known, |index, _| {
                deeds.entry(index).or_default().note_spoken(before.row.id);
            });
            if let Some(index) = decided.rule {
                deeds.entry(index).or_default().decided.push(before.row.id);
            }
            Ok(())
        },
        |_| Ok(()),
    )?;
    let mut total = HashMap::<usize, Deeds>::new();
    for (index, deeds) in found.into_iter().flatten() {
        total.entry(index).or_default().add(deeds);
    }
    let mut rows = Vec::with_capacity(lines.len());
    for (index, name, words, enabled) in lines {
        let Deeds { spoke, first, decided: ids } = total.remove(&index).unwrap_or_default();
        let seen = ids.first().first().copied().or(first);
        let example = match seen {
            Some(id) => Some(session.catalogue().seen_one(id, |row| row.url.to_owned())?),
            None => None,
        };
        let (name, decided) = (name.to_owned(), ids.urls());
        rows.push(RuleHits { index, name, words, enabled, spoke, decided, seen, example, ids });
    }
    Ok(RuleReport { rules: rows, remarks: redecision.remark().into_iter().collect() })
}

/// The counts of one rule.
#[derive(Default)]
struct Deeds {
    spoke: u64,
    /// The first URL it spoke of.
    first: Option<SeenId>,
    decided: FirstIds,
}

impl Deeds {
    fn note_spoken(&mut self, id: SeenId) {
        self.spoke += 1;
        self.first = Some(self.first.map_or(id, |first| first.min(id)));
    }

    fn add(&mut self, other: Self) {
        self.spoke += other.spoke;
        self.first = self.first.into_iter().chain(other.first).min();
        self.decided.add(other.decided);
    }
}
