//! Launches of a campaign, compared with the ones before.

use crate::analysis::checks::{CheckSettings, Finding, LaunchSigns, check_launch};
use crate::crawl::RobotsRules;
use crate::scope::RobotsFact;
use crate::store::{Catalogue, KeptRobots};
use crate::uri::Url;
use crate::work::models::{CampaignId, LaunchId};
use std::collections::{BTreeSet, HashMap};

/// Launches before one that say what is usual.
const USUAL_LAUNCHES: usize = 3;

/// The findings on every launch that ended, each with its subject.
pub(super) fn check_launches(
    catalogue: &Catalogue,
    settings: &CheckSettings,
) -> anyhow::Result<Vec<(LaunchId, String, Finding)>> {
    let mut found = Vec::new();
    let launches = catalogue.launches_to_check()?;
    for of_campaign in launches.chunk_by(|one, other| one.0 == other.0) {
        let Some((campaign, _)) = of_campaign.first() else { continue };
        let ids: Vec<LaunchId> = of_campaign.iter().map(|(_, launch)| *launch).collect();
        for at in 0..ids.len() {
            let (earlier, rest) = ids.split_at(at);
            let Some(launch) = rest.first() else { continue };
            let signs = launch_signs(catalogue, *campaign, *launch, earlier)?;
            found.extend(check_launch(&signs, settings).into_iter().map(|(subject, of)| (*launch, subject, of)));
        }
    }
    Ok(found)
}

fn launch_signs(
    catalogue: &Catalogue,
    campaign: CampaignId,
    launch: LaunchId,
    earlier: &[LaunchId],
) -> anyhow::Result<LaunchSigns> {
    let recent = earlier.get(earlier.len().saturating_sub(USUAL_LAUNCHES)..).unwrap_or_default();
    let [urls, bytes] = catalogue.launch_totals(launch)?;
    let (unseen, unseen_count) = catalogue.not_seen_again(launch, recent)?;
    let mut hosts = catalogue.launch_hosts(launch)?;
    let before = catalogue.hosts_before(recent)?;
    let known: BTreeSet<String> = catalogue.hosts_before(earlier)?.into_keys().collect();
    let closed = match recent.last() {
        Some(last) => newly_closed(catalogue, campaign, launch, *last)?,
        None => BTreeSet::new(),
    };
    for host in &mut hosts {
        [host.urls_before, host.failed_before] = before.get(&host.host).copied().unwrap_or_default();
        host.is_new = !known.contains(&host.host);
        host.is_newly_forbidden = closed.contains(&host.host);
    }
    let totals = recent.iter().map(|launch| catalogue.launch_totals(*launch)).collect::<Result<Vec<_>, _>>()?;
    let median = |nth: usize| {
        let mut all: Vec<u64> = totals.iter().filter_map(|totals| totals.get(nth).copied()).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or(0)
    };
    Ok(LaunchSigns {
        seeds: catalogue.seeds_to_check(launch)?,
        hosts,
        urls,
        bytes,
        usual: (!totals.is_empty()).then(|| [median(0), median(1)]),
        earlier: earlier.len() as u64,
        unseen,
        unseen_count,
    })
}

/// Hosts whose robots.txt refuses the front page in a launch, and did not in the one before.
fn newly_closed(
    catalogue: &Catalogue,
    campaign: CampaignId,
    launch: LaunchId,
    before: LaunchId,
) -> anyhow::Result<BTreeSet<String>> {
    let agent = catalogue.campaign(campaign).map(|(_, campaign)| campaign.politeness.user_agent).unwrap_or_default();
    let is_closed = |(origin, status, body): &KeptRobots| {
        let Ok(front) = Url::parse(&format!("{}/", origin.trim_end_matches('/'))) else { return false };
        let status = u16::try_from(*status).ok().filter(|status| *status > 0);
        // A robots.txt that could not be read forbids nothing by itself.
        let rules = RobotsRules::from_answer(status, body, if agent.is_empty() { "fonds" } else { &agent });
        status.is_some_and(|status| status < 300) && matches!(rules.fact(&front), RobotsFact::Denied { .. })
    };
    let earlier: HashMap<String, bool> =
        catalogue.robots_to_check(before)?.iter().map(|of| (of.0.clone(), is_closed(of))).collect();
    let closed = catalogue.robots_to_check(launch)?;
    let newly = closed.iter().filter(|of| is_closed(of) && earlier.get(&of.0) == Some(&false));
    let host = |of: &KeptRobots| {
        let url = Url::parse(&of.0).ok()?;
        let host = url.host_str()?.to_owned();
        Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
    };
    Ok(newly.filter_map(host).collect())
}
