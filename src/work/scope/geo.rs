//! The geo report lists what location let in, and drift what another database would change.

use super::launch_rules::ByLaunch;
use super::redecision::Redecision;
use crate::jobs::JobCx;
use crate::scope::{Decision, GEOLOCATION_RULE, GeoDatabase, GeoEvidence, GeoFact};
use crate::store::rows::SeenId;
use crate::uri::{CaptureDate, authority_of};
use crate::work::Session;
use crate::work::models::{CampaignId, Drift, DriftHost, FirstIds, GeoHost, GeoReport, LaunchId, ROWS_SHOWN};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

/// Lists each host that has a URL which only geolocation let in: it would have been refused without
/// a look-up of the country of its server.
pub fn geo_report(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<GeoReport> {
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    let (mut lists, mut without) = (HashMap::new(), ByLaunch::default());
    for (id, launch) in redecision.launches.iter() {
        // Most launches share one list.
        let list = lists.entry(launch.rules.rules.id()).or_insert_with(|| Arc::new(launch.rules.without_robots()));
        without.insert(*id, Arc::clone(list));
    }
    redecision.begin(cx, "Looking for what geolocation let in", &[])?;
    let found = redecision.scan(
        Some(GEOLOCATION_RULE),
        &[],
        cx,
        || (HostsLetIn::default(), FirstIds::default()),
        |(hosts, otherwise): &mut (HostsLetIn, FirstIds), before, candidate, known| {
            let row = before.row;
            if before.launch.rules.uses_content {
                before.load_content(known)?;
            }
            // Rules about permissions test countries too, and more.
            let geo = std::mem::take(&mut known.facts.geo);
            let others = without.get(&row.launch).map(|rules| rules.decide(candidate, known).decision);
            known.facts.geo = geo;
            if others == Some(Decision::Accept) {
                otherwise.push(row.id);
                return Ok(());
            }
            let host = hosts.push(row.host_id, row.id, || authority_of(&candidate.url).to_owned());
            let rules = &before.launch.rules;
            rules.each_opinion(candidate, known, |index, opinion| {
                let name = rules.rules.name_of(Some(index));
                if opinion == Decision::Accept && name != GEOLOCATION_RULE {
                    host.also.insert(name);
                }
            });
            Ok(())
        },
        |_| Ok(()),
    )?;
    let (mut hosts, mut report) = (HostsLetIn::default(), GeoReport::default());
    for (part, otherwise) in found {
        report.otherwise_ids.add(otherwise);
        hosts.add(part);
    }
    report.otherwise = report.otherwise_ids.urls();
    report.decided = report.otherwise + hosts.by_id.values().map(|host| host.ids.urls()).sum::<u64>();
    report.remarks.extend(redecision.remark());
    let hosts: Vec<(i64, HostLetIn)> = hosts.by_id.into_iter().collect();
    let numbers: Vec<i64> = hosts.iter().map(|(id, _)| *id).collect();
    let mut captured = HashMap::new();
    for some in numbers.chunks(HOSTS_AT_ONCE) {
        cx.checkpoint()?;
        captured.extend(session.catalogue().captures_of_hosts(some, campaign, launch)?);
    }
    for (id, host) in hosts {
        cx.checkpoint()?;
        let Some(as_met_last) = host.ids.first().first() else { continue };
        // The scan has each URL as the last launch met it.
        let first = session.catalogue().first_let_in(host.ids.first(), &redecision.ids, GEOLOCATION_RULE)?;
        let first = first.unwrap_or(*as_met_last);
        let (captures, bytes) = captured.get(&id).copied().unwrap_or_default();
        let (first_url, first_seen, first_via) = session
            .catalogue()
            .seen_one(first, |row| (row.url.to_owned(), row.date.unwrap_or_default(), row.via.to_owned()))?;
        let name = host.host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let name = name.map_or(host.host.as_str(), |(name, _)| name);
        let evidence = match redecision.geo_of(name)? {
            // Rules of a foreign crawl need not test what its log has.
            GeoFact::NotQueried => session.catalogue().geo_fact(name)?,
            known => known,
        };
        report.hosts.push(GeoHost {
            evidence,
            host: host.host,
            urls: host.ids.urls(),
            ids: host.ids,
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

/// Hosts between which the work can be stopped.
const HOSTS_AT_ONCE: usize = 1_000;

/// Numbers of URLs that are kept of all hosts together, eight bytes each.
const MOST_IDS: usize = 2_000_000;

/// The URLs that location let in of all hosts. Of each the first URLs are kept, the fewer the more
/// hosts there are.
struct HostsLetIn {
    by_id: HashMap<i64, HostLetIn>,
    kept: usize,
    /// Most URLs that are kept of a host.
    most: usize,
}

impl Default for HostsLetIn {
    fn default() -> Self {
        Self { by_id: HashMap::new(), kept: 0, most: ROWS_SHOWN }
    }
}

impl HostsLetIn {
    /// Takes a URL of a host down, which is behind those before it.
    fn push(&mut self, host: i64, seen: SeenId, name: impl FnOnce() -> String) -> &mut HostLetIn {
        if self.kept >= MOST_IDS {
            self.hold_fewer(MOST_IDS / 2);
        }
        let host = self.by_id.entry(host).or_insert_with(|| HostLetIn { host: name(), ..HostLetIn::default() });
        self.kept += usize::from(host.ids.push_within(seen, self.most));
        host
    }

    fn add(&mut self, other: Self) {
        self.most = self.most.min(other.most);
        for (id, host) in other.by_id {
            self.by_id
                .entry(id)
                .or_insert_with(|| HostLetIn { host: host.host.clone(), ..HostLetIn::default() })
                .add(host);
        }
        // What one part kept more of than another has gaps behind its end.
        self.hold_within(self.most);
        self.hold_fewer(MOST_IDS);
    }

    /// Holds ever fewer of each host, but the first of all, until so many are kept.
    fn hold_fewer(&mut self, target: usize) {
        while self.kept > target && self.most > 1 {
            self.hold_within(self.most / 2);
        }
    }

    fn hold_within(&mut self, most: usize) {
        self.most = most;
        self.by_id.values_mut().for_each(|host| host.ids.hold_within(most));
        self.kept = self.by_id.values().map(|host| host.ids.first().len()).sum();
    }
}

/// The URLs of a host that location let in.
#[derive(Default)]
struct HostLetIn {
    host: String,
    ids: FirstIds,
    also: BTreeSet<&'static str>,
}

impl HostLetIn {
    fn add(&mut self, other: Self) {
        self.ids.add(other.ids);
        self.also.extend(other.also);
    }
}

/// Hosts whose verdicts change when the recorded addresses are looked up in
/// another database. Names are not resolved again.
pub fn geo_drift(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    newer: &GeoDatabase,
    cx: &JobCx,
) -> anyhow::Result<Drift> {
    let mut redecision = Redecision::new(session, campaign, launch, cx)?;
    let mut drift = Drift {
        hosts: Vec::new(),
        quiet: Vec::new(),
        known: 0,
        known_hosts: Vec::new(),
        moved: 0,
        failed: 0,
        failures: Vec::new(),
        database: newer.database_type().to_owned(),
        database_build: newer.build_date(),
        remarks: newer.remark(CaptureDate::now()).into_iter().collect(),
    };
    let mut elsewhere: HashMap<String, Moved> = HashMap::new();
    let mut older = None;
    let (mut unreadable, mut why_unreadable, mut with_ipv6) = (0_u64, None, 0_u64);
    for (number, (host, fact)) in session.catalogue().geo_facts()?.into_iter().enumerate() {
        if number % HOSTS_AT_ONCE == 0 {
            cx.checkpoint()?;
        }
        let old = match fact {
            GeoFact::Known(old) => old,
            GeoFact::Failed { why } => {
                drift.failed += 1;
                drift.failures.push((host, why));
                continue;
            }
            GeoFact::NotQueried => continue,
        };
        drift.known += 1;
        drift.known_hosts.push((host.clone(), old.places()));
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
            elsewhere.insert(host, Moved { old, new });
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
    drift.failures.sort();
    drift.known_hosts.sort();
    if elsewhere.is_empty() {
        return Ok(drift);
    }
    redecision.begin(cx, "Deciding with the other database", &[])?;
    let found = redecision.scan(
        None,
        &[],
        cx,
        HashMap::new,
        |hosts: &mut HashMap<String, [FirstIds; 2]>, before, candidate, known| {
            let Some(Moved { new, .. }) = elsewhere.get(candidate.url.host_str().unwrap_or_default()) else {
                return Ok(());
            };
            if before.row.is_apart {
                return Ok(());
            }
            let then = before.decide(candidate, known)?.decision;
            let old = std::mem::replace(&mut known.facts.geo, GeoFact::Known(new.clone()));
            let now = before.decide(candidate, known)?.decision;
            known.facts.geo = old;
            if then == now {
                return Ok(());
            }
            let host = candidate.url.host_str().unwrap_or_default();
            let [into, out] = hosts.entry(host.to_owned()).or_default();
            if now == Decision::Accept { into } else { out }.push(before.row.id);
            Ok(())
        },
        |_| Ok(()),
    )?;
    drift.remarks.extend(redecision.remark());
    let mut hosts: HashMap<String, [FirstIds; 2]> = HashMap::new();
    for (host, [into, out]) in found.into_iter().flatten() {
        let sum = hosts.entry(host).or_default();
        sum[0].add(into);
        sum[1].add(out);
    }
    for (host, Moved { old, new }) in elsewhere {
        cx.checkpoint()?;
        let [ids_in, ids_out] = hosts.remove(&host).unwrap_or_default();
        let example = match ids_in.first().first().into_iter().chain(ids_out.first().first()).min() {
            Some(first) => session.catalogue().seen_one(*first, |row| row.url.to_owned())?,
            None => String::new(),
        };
        let (moved_in, moved_out) = (ids_in.urls(), ids_out.urls());
        let list = if moved_in + moved_out == 0 { &mut drift.quiet } else { &mut drift.hosts };
        list.push(DriftHost { host, moved_in, moved_out, ids_in, ids_out, example, old, new });
    }
    for list in [&mut drift.hosts, &mut drift.quiet] {
        list.sort_by(|a, b| a.host.cmp(&b.host));
    }
    Ok(drift)
}

/// The recorded location of a host, and the one of the other database.
struct Moved {
    old: GeoEvidence,
    new: GeoEvidence,
}

fn day(date: CaptureDate) -> String {
    date.to_readable().split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_numbers_are_bounded_and_are_the_first_of_each_host() {
        let mut parts = [HostsLetIn::default(), HostsLetIn::default()];
        let urls = MOST_IDS as i64 * 2;
        for seen in 0..urls {
            // Stretches of rows go to one reader or the other.
            let part = &mut parts[usize::from(seen / 8192 % 2 == 1)];
            part.push(seen % 7, SeenId::new(seen), String::new);
            assert!(part.kept <= MOST_IDS);
        }
        let [mut hosts, other] = parts;
        hosts.add(other);
        assert!(hosts.kept <= MOST_IDS && hosts.kept > MOST_IDS / 8, "{} held", hosts.kept);
        assert_eq!(hosts.by_id.values().map(|host| host.ids.urls()).sum::<u64>(), urls.unsigned_abs());
        for (id, host) in &hosts.by_id {
            let first: Vec<SeenId> = (0..).map(|at| SeenId::new(id + 7 * at)).take(host.ids.first().len()).collect();
            assert_eq!(host.ids.first(), first);
        }
        // However many hosts there are, the first URL of each is kept.
        let mut many = HostsLetIn::default();
        for seen in 0..urls {
            many.push(seen / 2, SeenId::new(seen), String::new);
        }
        assert!(many.by_id.values().all(|host| !host.ids.first().is_empty()));
    }
}
