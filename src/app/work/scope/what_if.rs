//! What an edited list of rules would have taken and refused of all that was
//! ever seen. Nothing is fetched, nothing is looked up.

use super::bench::{Bench, Decided, Judged, is_apart};
use super::country::Countries;
use crate::app::models::{CampaignId, LaunchId, MovedRow, MovedSide, RuleMoves, WhatIf};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{Decision, Difference};
use crate::store::SeenUrl;
use std::collections::{HashMap, HashSet};

/// Tries the rules of `edited` on every URL that launches of the campaign
/// (all of them, or one) have seen. Each URL counts once, as the last launch
/// saw it. It is compared with what the rules of that launch say under the
/// same facts, so that rules which were not changed change nothing.
pub fn what_if(
    desk: &WorkspaceDesk,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    edited: &Campaign,
    cx: &JobCx,
) -> anyhow::Result<WhatIf> {
    let mut bench = Bench::new(desk, campaign, launch)?;
    let edited = bench.edited(edited)?;
    let uses: Vec<&Judged> = edited.values().collect();
    bench.begin(cx, "Trying the edited rules", &uses)?;
    let trials: HashMap<LaunchId, Trial<'_>> = edited
        .iter()
        .filter_map(|(id, after)| {
            let before = &bench.launches.get(id)?.rules;
            let countries = Countries::of(&before.rules, &after.rules);
            Some((*id, Trial { after, countries, difference: before.difference(after) }))
        })
        .collect();
    let rules = uses.first().map_or(0, |judged| judged.rules.len());
    let tallies = bench.scan(
        None,
        &uses,
        cx,
        || Tally { by_rule: vec![(0, 0); rules], ..Tally::default() },
        |tally: &mut Tally, before, candidate, known| {
            tally.seen += 1;
            if is_apart(before.row) {
                tally.apart += 1;
                return Ok(());
            }
            let Some(Trial { after, countries, difference }) = trials.get(&before.row.launch) else { return Ok(()) };
            let then = before.launch.rules.decide(candidate, known);
            let alike = difference.as_ref().and_then(|found| after.decide_like(then, found, candidate, known));
            if let Some(now) = alike {
                tally.note(then, now, before.row);
                return Ok(());
            }
            let hung = before.launch.rules.hangs_on_country(candidate, known);
            let (now, hangs) = after.with_own_seeds(&before.launch.rules, candidate, |candidate| {
                let now = after.decide(candidate, known);
                (now, after.hangs_on_country(candidate, known))
            });
            if (hung || hangs) && countries.can_move((&before.launch.rules, hung), (after, hangs), candidate, known) {
                tally.unknown.add_one(before.row);
            }
            tally.unfetched += u64::from(now.untold && !then.untold);
            tally.note(then, now, before.row);
            Ok(())
        },
        |tally| {
            for moved in [&mut tally.moved_in, &mut tally.moved_out, &mut tally.unknown] {
                for bytes in bench.catalogue.captured_bytes(&moved.new)?.into_iter().flatten() {
                    moved.captured += 1;
                    moved.bytes += bytes;
                }
                moved.new.clear();
            }
            Ok(())
        },
    )?;
    let mut total = Tally { by_rule: vec![(0, 0); rules], ..Tally::default() };
    tallies.into_iter().for_each(|tally| total.add(tally));
    let words: Vec<(usize, &'static str, String, bool)> =
        uses.first().map(|judged| judged.rules.lines().collect()).unwrap_or_default();
    let by_rule = words.into_iter().zip(&total.by_rule).map(|((index, name, words, enabled), (into, out))| RuleMoves {
        index,
        name: name.to_owned(),
        words,
        enabled,
        moved_in: *into,
        moved_out: *out,
    });
    let by_rule = by_rule.collect();
    Ok(WhatIf {
        launches: bench.ids.clone(),
        seen: total.seen,
        apart: total.apart,
        stay_in: total.stay_in,
        stay_out: total.stay_out,
        other_rule: total.other_rule,
        unknown: total.unknown.finish(),
        unfetched: total.unfetched,
        by_rule,
        moved_hosts: total.moved_in.hosts.union(&total.moved_out.hosts).count() as u64,
        moved_in: total.moved_in.finish(),
        moved_out: total.moved_out.finish(),
    })
}

/// A part of the URLs that change side, in the order they were seen.
pub fn what_if_rows(
    desk: &WorkspaceDesk,
    campaign: CampaignId,
    edited: &Campaign,
    answer: &WhatIf,
    side: MovedSide,
    offset: u64,
    limit: u64,
) -> anyhow::Result<Vec<MovedRow>> {
    let launch = match answer.launches.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let mut bench = Bench::new(desk, campaign, launch)?;
    let edited = bench.edited(edited)?;
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let ids = answer.side(side).ids.iter().skip(at(offset)).take(at(limit));
    let mut rows = Vec::new();
    for id in ids {
        let row = bench.again(*id, |before, candidate, known| {
            let row = before.row;
            let rules = &before.launch.rules;
            let then = rules.verdict(rules.decide(candidate, known));
            let Some(after) = edited.get(&row.launch) else { return Ok(None) };
            let now = after.with_own_seeds(rules, candidate, |candidate| after.verdict(after.decide(candidate, known)));
            let bytes = desk.catalogue().captured_bytes(&[row.url_id])?.into_iter().next().flatten();
            Ok(Some(MovedRow {
                seen: row.id,
                launch: row.launch,
                url: row.url.to_owned(),
                via: row.via.to_owned(),
                hops: row.hops.to_owned(),
                before: then,
                after: now,
                bytes,
            }))
        })?;
        rows.extend(row.flatten());
    }
    Ok(rows)
}

/// The edited rules in one launch.
struct Trial<'a> {
    after: &'a Judged,
    countries: Countries,
    /// Where most URLs are decided alike, and how to tell; none where each has
    /// to be decided twice.
    difference: Option<Difference>,
}

/// What one reader has found.
#[derive(Default)]
struct Tally {
    seen: u64,
    apart: u64,
    stay_in: u64,
    stay_out: u64,
    other_rule: u64,
    unknown: MovedTally,
    unfetched: u64,
    moved_in: MovedTally,
    moved_out: MovedTally,
    /// Of each edited rule: what it brought in, and threw out.
    by_rule: Vec<(u64, u64)>,
}

#[derive(Default)]
struct MovedTally {
    ids: Vec<i64>,
    hosts: HashSet<i64>,
    captured: u64,
    bytes: u64,
    /// URLs whose bytes are not asked for yet.
    new: Vec<i64>,
}

impl MovedTally {
    fn add_one(&mut self, row: &SeenUrl<'_>) {
        self.ids.push(row.id);
        self.hosts.insert(row.host_id);
        self.new.push(row.url_id);
    }

    fn finish(mut self) -> crate::app::models::Moved {
        self.ids.sort_unstable();
        crate::app::models::Moved {
            urls: self.ids.len() as u64,
            hosts: self.hosts.len() as u64,
            captured: self.captured,
            bytes: self.bytes,
            ids: self.ids,
        }
    }

    fn add(&mut self, other: Self) {
        self.ids.extend(other.ids);
        self.hosts.extend(other.hosts);
        self.captured += other.captured;
        self.bytes += other.bytes;
    }
}

impl Tally {
    fn note(&mut self, then: Decided, now: Decided, row: &SeenUrl<'_>) {
        let moved = match (then.decision, now.decision) {
            (Decision::Accept, Decision::Accept) => {
                self.stay_in += 1;
                self.other_rule += u64::from(then.rule != now.rule);
                return;
            }
            (Decision::Reject, Decision::Reject) => {
                self.stay_out += 1;
                self.other_rule += u64::from(then.rule != now.rule);
                return;
            }
            (Decision::Reject, Decision::Accept) => &mut self.moved_in,
            (Decision::Accept, Decision::Reject) => &mut self.moved_out,
        };
        moved.add_one(row);
        if let Some((into, out)) = now.rule.and_then(|rule| self.by_rule.get_mut(rule)) {
            *if now.decision == Decision::Accept { into } else { out } += 1;
        }
    }

    fn add(&mut self, other: Self) {
        self.seen += other.seen;
        self.apart += other.apart;
        self.stay_in += other.stay_in;
        self.stay_out += other.stay_out;
        self.other_rule += other.other_rule;
        self.unknown.add(other.unknown);
        self.unfetched += other.unfetched;
        self.moved_in.add(other.moved_in);
        self.moved_out.add(other.moved_out);
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
                _ => anyhow::bail!("rules: a list is wanted"),
            }
        }
        _ => return Ok(Campaign::from_json(text)?),
    };
    Ok(Campaign { rules, ..base.clone() })
}

/// Of each rule of a launch's list: how often it spoke and how often it
/// decided, with an example of each.
pub fn rule_hits(
    desk: &WorkspaceDesk,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<Vec<crate::app::models::RuleHits>> {
    use crate::app::models::RuleHits;
    let mut bench = Bench::new(desk, campaign, launch)?;
    bench.begin(cx, "Asking every rule", &[])?;
    // Launches of several versions: the list of the last one names the rules.
    let Some(last) = bench.ids.last().and_then(|id| bench.launches.get(id)) else { return Ok(Vec::new()) };
    let lines: Vec<(usize, &'static str, String, bool)> = last.rules.rules.lines().collect();
    let found = bench.scan(
        None,
        &[],
        cx,
        HashMap::<usize, Deeds>::new,
        |deeds, before, candidate, known| {
            if is_apart(before.row) {
                return Ok(());
            }
            let decided = last.rules.decide(candidate, known);
            last.rules.rules.each_opinion(candidate, &known.facts, |index, _| {
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
        let Deeds { spoke, first, decided: mut ids } = total.remove(&index).unwrap_or_default();
        ids.sort_unstable();
        let seen = ids.first().copied().or(first);
        let example = match seen {
            Some(id) => Some(desk.catalogue().seen_one(id, |row| row.url.to_owned())?),
            None => None,
        };
        let (name, decided) = (name.to_owned(), ids.len() as u64);
        rows.push(RuleHits { index, name, words, enabled, spoke, decided, seen, example, ids });
    }
    Ok(rows)
}

/// What a rule did.
#[derive(Default)]
struct Deeds {
    spoke: u64,
    /// The first URL it spoke of.
    first: Option<i64>,
    decided: Vec<i64>,
}

impl Deeds {
    fn note_spoken(&mut self, id: i64) {
        self.spoke += 1;
        self.first = Some(self.first.map_or(id, |first| first.min(id)));
    }

    fn add(&mut self, other: Self) {
        self.spoke += other.spoke;
        self.first = self.first.into_iter().chain(other.first).min();
        self.decided.extend(other.decided);
    }
}
