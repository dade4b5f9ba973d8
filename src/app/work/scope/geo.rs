//! What location let in, and what another database would change.

use super::bench::{Bench, is_apart};
use crate::app::models::{CampaignId, Drift, DriftHost, GeoHost, GeoReport, LaunchId};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::jobs::JobCx;
use crate::scope::{Decision, GEOLOCATION_RULE, GeoDatabase, GeoEvidence, GeoFact};
use crate::uri::CaptureDate;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

/// One row for each host that has a URL which only geolocation let in: with
/// the rules about countries switched off it would have been refused.
pub fn geo_report(
    desk: &WorkspaceDesk,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<GeoReport> {
    let mut bench = Bench::new(desk, campaign, launch)?;
    let without: HashMap<LaunchId, crate::scope::DecideRules> =
        bench.launches.iter().map(|(id, launch)| (*id, launch.rules.rules.without_geolocation())).collect();
    bench.begin(cx, "Looking for what geolocation let in", &[])?;
    let found = bench.scan(
        Some(GEOLOCATION_RULE),
        &[],
        cx,
        || (HashMap::new(), 0, 0),
        |(hosts, decided, otherwise): &mut (HashMap<i64, HostLetIn>, u64, u64), before, candidate, known| {
            let row = before.row;
            *decided += 1;
            let others = without.get(&row.launch).map(|rules| rules.decide_by_index(candidate, &known.facts).0);
            if others == Some(Decision::Accept) {
                *otherwise += 1;
                return Ok(());
            }
            let name = || host_name(&candidate.url);
            let host = hosts.entry(row.host_id).or_insert_with(|| HostLetIn {
                host: name(),
                first: row.id,
                ..HostLetIn::default()
            });
            host.urls += 1;
            host.first = host.first.min(row.id);
            let rules = &before.launch.rules.rules;
            rules.each_opinion(candidate, &known.facts, |index, said| {
                let name = rules.name_of(Some(index));
                if said == Decision::Accept && name != GEOLOCATION_RULE {
                    host.also.insert(name);
                }
            });
            Ok(())
        },
        |_| Ok(()),
    )?;
    let (mut hosts, mut report) =
        (HashMap::<i64, HostLetIn>::new(), GeoReport { hosts: Vec::new(), decided: 0, otherwise: 0 });
    for (part, decided, otherwise) in found {
        report.decided += decided;
        report.otherwise += otherwise;
        for (id, host) in part {
            match hosts.entry(id) {
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(host);
                }
                std::collections::hash_map::Entry::Occupied(mut held) => held.get_mut().add(host),
            }
        }
    }
    for (id, host) in hosts {
        cx.checkpoint()?;
        let (captures, bytes) = desk.catalogue().captures_of_host(id, &bench.ids)?;
        let (first_url, first_seen, first_via) =
            desk.catalogue().seen_one(host.first, |row| (row.url.to_owned(), row.date, row.via.to_owned()))?;
        let name = host.host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let name = name.map_or(host.host.as_str(), |(name, _)| name);
        report.hosts.push(GeoHost {
            evidence: bench.geo_of(name)?,
            host: host.host,
            urls: host.urls,
            also: host.also.into_iter().map(str::to_owned).collect(),
            first_url,
            first_seen,
            first_via,
            captures,
            bytes,
        });
    }
    report.hosts.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(report)
}

/// What was found of a host.
#[derive(Default)]
struct HostLetIn {
    host: String,
    urls: u64,
    first: i64,
    also: BTreeSet<&'static str>,
}

impl HostLetIn {
    fn add(&mut self, other: Self) {
        self.urls += other.urls;
        self.first = self.first.min(other.first);
        self.also.extend(other.also);
    }
}

fn host_name(url: &crate::uri::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Hosts whose verdicts change when the recorded addresses are looked up in
/// another database. Names are not resolved again.
pub fn geo_drift(
    desk: &WorkspaceDesk,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    newer: &GeoDatabase,
    cx: &JobCx,
) -> anyhow::Result<Drift> {
    let mut bench = Bench::new(desk, campaign, launch)?;
    let mut drift = Drift {
        hosts: Vec::new(),
        known: 0,
        moved: 0,
        failed: 0,
        database: newer.database_type().to_owned(),
        database_build: newer.build_date(),
        remarks: newer.remark(CaptureDate::now()).into_iter().collect(),
    };
    let mut elsewhere: HashMap<String, GeoEvidence> = HashMap::new();
    let mut older = None;
    let (mut unreadable, mut why_unreadable, mut with_ipv6) = (0_u64, None, 0_u64);
    for (host, fact) in desk.catalogue().geo_facts()? {
        let old = match fact {
            GeoFact::Known(old) => old,
            GeoFact::Failed { .. } => {
                drift.failed += 1;
                continue;
            }
            GeoFact::NotAsked => continue,
        };
        drift.known += 1;
        let addresses: Vec<IpAddr> = old.addresses.iter().map(|place| place.address).collect();
        let new = match newer.evidence(&addresses, old.date) {
            Ok(new) => new.answered_by(old.source),
            Err(error) => {
                unreadable += 1;
                why_unreadable.get_or_insert_with(|| error.to_string());
                continue;
            }
        };
        with_ipv6 += u64::from(!newer.knows_ipv6() && addresses.iter().any(IpAddr::is_ipv6));
        older = older.max((old.database_build > new.database_build).then_some(old.database_build));
        let countries = |evidence: &GeoEvidence| -> Vec<Option<String>> {
            evidence.addresses.iter().map(|place| place.country.clone()).collect()
        };
        if countries(&old) != countries(&new) {
            drift.moved += 1;
            elsewhere.insert(host, new);
        }
    }
    if let Some(build) = older {
        drift.remarks.push(format!(
            "the database is older than one that evidence comes from (built {}); name the newer one",
            day(build)
        ));
    }
    if let Some(why) = why_unreadable {
        drift.remarks.push(format!("{unreadable} hosts are not compared: their entries cannot be read ({why})"));
    }
    if with_ipv6 > 0 {
        drift.remarks.push(format!(
            "the database knows no IPv6 address; {with_ipv6} hosts have one, which counts as no country here"
        ));
    }
    if elsewhere.is_empty() {
        return Ok(drift);
    }
    bench.begin(cx, "Deciding with the other database", &[])?;
    let found = bench.scan(
        None,
        &[],
        cx,
        HashMap::new,
        |hosts: &mut HashMap<String, (u64, u64, i64)>, before, candidate, known| {
            let Some(new) = elsewhere.get(candidate.url.host_str().unwrap_or_default()) else { return Ok(()) };
            if is_apart(before.row) {
                return Ok(());
            }
            let rules = &before.launch.rules;
            let then = rules.decide(candidate, known).decision;
            let old = std::mem::replace(&mut known.facts.geo, GeoFact::Known(new.clone()));
            let now = rules.decide(candidate, known).decision;
            known.facts.geo = old;
            if then == now {
                return Ok(());
            }
            let host = candidate.url.host_str().unwrap_or_default();
            let (into, out, first) = hosts.entry(host.to_owned()).or_insert((0, 0, before.row.id));
            *if now == Decision::Accept { into } else { out } += 1;
            *first = before.row.id.min(*first);
            Ok(())
        },
        |_| Ok(()),
    )?;
    let mut hosts: HashMap<String, (u64, u64, i64)> = HashMap::new();
    for (host, (into, out, first)) in found.into_iter().flatten() {
        let sum = hosts.entry(host).or_insert((0, 0, first));
        *sum = (sum.0 + into, sum.1 + out, sum.2.min(first));
    }
    for (host, (moved_in, moved_out, first)) in hosts {
        let (GeoFact::Known(old), Some(new)) = (bench.geo_of(&host)?, elsewhere.remove(&host)) else { continue };
        let example = desk.catalogue().seen_one(first, |row| row.url.to_owned())?;
        drift.hosts.push(DriftHost { host, moved_in, moved_out, example, old, new });
    }
    drift.hosts.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(drift)
}

fn day(date: CaptureDate) -> String {
    date.to_words().split(' ').next().unwrap_or_default().to_owned()
}
