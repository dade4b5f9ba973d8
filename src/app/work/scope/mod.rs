//! Why a URL was or would be taken or refused.

mod bench;
mod geo;
mod permissions;
mod tables;
mod what_if;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use geo::{geo_drift, geo_report};
pub use permissions::{EvidenceState, attach_evidence, check_evidence, permissions, seeds_verdict};
pub use tables::{drift_csv, export_table, geo_csv};
pub use what_if::{edited_campaign, rule_hits, what_if, what_if_rows};

use crate::app::models::{GeoChoice, GeoDatabaseInfo, ScopeTest};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::campaign::Campaign;
use crate::crawl::{RobotsAnswer, RobotsRules};
use crate::scope::{AnswerSource, Candidate, DecideRules, Facts, GeoDatabase, GeoFact, RobotsFact, Trace};
use crate::store::Catalogue;
use crate::uri::{CaptureDate, Url, parse_web_url};
use anyhow::Context;
use std::path::Path;
use std::time::SystemTime;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Refuses a campaign whose rules cannot be read.
pub fn check_campaign(campaign: &Campaign) -> anyhow::Result<()> {
    DecideRules::compile(campaign).context("the campaign was not saved")?;
    Ok(())
}

/// The trace of a URL ever seen, with the rules of the version its launch ran.
pub fn why(desk: &WorkspaceDesk, seen: i64) -> anyhow::Result<Trace> {
    let catalogue = desk.catalogue();
    let (launch, row, is_seed, source_tag, seed) = catalogue.seen_row(seen)?;
    let campaign = catalogue.launch(launch)?.campaign;
    let spec = catalogue.campaign_version(campaign, catalogue.launch_version(launch)?)?;
    let url = Url::parse(&row.url).with_context(|| row.url.clone())?;
    let candidate = Candidate {
        hops: row.hops,
        via: parse_web_url(&row.via),
        anchor: row.anchor,
        is_seed,
        seed,
        source_tag,
        ..Candidate::bare(url)
    };
    let facts = facts(catalogue, &spec, Some(launch), &candidate.url, row.date)?;
    Ok(DecideRules::compile(&spec)?.explain(&candidate, &facts))
}

/// Traces of URLs under the rules of a campaign that need not be saved. What
/// the last launch knows of a URL (its way from the seed) is used.
pub fn scope_test(
    desk: &WorkspaceDesk,
    campaign: &Campaign,
    urls: &[String],
) -> anyhow::Result<Vec<Result<ScopeTest, String>>> {
    let catalogue = desk.catalogue();
    let rules = DecideRules::compile(campaign)?;
    // A database is large; it is read only where an address stands in a URL.
    let mut geo = None;
    let mut traces = Vec::new();
    for text in urls {
        let Some(url) = parse_web_url(text) else {
            traces.push(Err(format!("“{text}” is no http or https URL")));
            continue;
        };
        let mut candidate = Candidate::bare(url.clone());
        let mut launch = None;
        if let Some(seen) = catalogue.seen_by_url(url.as_str())? {
            let (in_launch, row, is_seed, source_tag, seed) = catalogue.seen_row(seen)?;
            launch = Some(in_launch);
            candidate.hops = row.hops;
            candidate.via = parse_web_url(&row.via);
            candidate.anchor = row.anchor;
            candidate.source_tag = source_tag;
            candidate.seed = seed;
            candidate.is_seed = is_seed;
        }
        candidate.is_seed |= campaign.seeds.iter().any(|seed| parse_web_url(&seed.url).as_ref() == Some(&url));
        let mut facts = facts(catalogue, campaign, launch, &url, CaptureDate::now())?;
        place_address(desk, &url, &mut facts, &mut geo)?;
        let (trace, turn) = rules.explain_with_turn(&candidate, &facts);
        // What only the world outside could change is told, not offered.
        let turn = turn.filter(|turn| turn.apply(campaign) != *campaign);
        traces.push(Ok(ScopeTest { trace, turn }));
    }
    Ok(traces)
}

/// The rules in an answer; none where nobody answered: then the crawl gives
/// the host up, and no rule refuses it.
fn robots_rules(answer: &RobotsAnswer, agent: &str) -> Option<RobotsRules> {
    let status = u16::try_from(answer.status).ok().filter(|status| *status > 0)?;
    Some(RobotsRules::from_answer(Some(status), &answer.body, agent))
}

/// Looks up where the address in a URL is; it needs no resolver. The database
/// is opened when it is wanted first.
fn place_address(
    desk: &WorkspaceDesk,
    url: &Url,
    facts: &mut Facts,
    geo: &mut Option<Option<GeoDatabase>>,
) -> anyhow::Result<()> {
    if let (GeoFact::NotAsked, Some(address)) = (&facts.geo, address_of(url)) {
        if geo.is_none() {
            *geo = Some(geo_database(desk)?);
        }
        if let Some(Some(geo)) = geo {
            facts.geo = GeoFact::Known(geo.evidence(&[address], CaptureDate::now()).answered_by(AnswerSource::Url));
        }
    }
    Ok(())
}

fn address_of(url: &Url) -> Option<std::net::IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// What the catalogue knows about a URL's host and path.
fn facts(
    catalogue: &Catalogue,
    spec: &Campaign,
    launch: Option<i64>,
    url: &Url,
    date: CaptureDate,
) -> anyhow::Result<Facts> {
    let robots = match launch {
        None => RobotsFact::NotAsked,
        Some(launch) => match catalogue.robots_answer(launch, &url.origin().ascii_serialization())? {
            None => RobotsFact::NotAsked,
            Some(answer) => match robots_rules(&answer, &spec.politeness.user_agent) {
                None => RobotsFact::NotAsked,
                Some(rules) => rules.fact(url),
            },
        },
    };
    let (mut annotation, mut content) = (None, crate::scope::ContentFact::NotFetched);
    if let Some(id) = catalogue.url_id(url.as_str())? {
        annotation = catalogue.annotation_of(id)?;
        content = catalogue.content_fact(id)?;
    }
    let geo = catalogue.geo_fact(url.host_str().unwrap_or_default())?;
    Ok(Facts { geo, robots, date: Some(date), annotation, content })
}

/// The setting that names the workspace's geolocation database.
const GEO_SETTING: &str = "geo_database";

/// The workspace's geolocation database, when one was chosen.
pub fn geo_database(desk: &WorkspaceDesk) -> anyhow::Result<Option<GeoDatabase>> {
    match desk.catalogue().setting(GEO_SETTING)? {
        None => Ok(None),
        Some(stored) => Ok(Some(GeoDatabase::open(desk.workspace.file_path(&stored))?)),
    }
}

/// Chooses the workspace's geolocation database, after a look into it.
pub fn set_geo_database(desk: &WorkspaceDesk, path: &Path) -> anyhow::Result<()> {
    let path = path.canonicalize().with_context(|| path.display().to_string())?;
    GeoDatabase::open(&path)?;
    desk.catalogue().set_setting(GEO_SETTING, &desk.workspace.stored_name(&path))?;
    Ok(())
}

/// Chooses none. Evidence that was kept stays.
pub fn forget_geo_database(desk: &WorkspaceDesk) -> anyhow::Result<()> {
    Ok(desk.catalogue().forget_setting(GEO_SETTING)?)
}

/// What a geolocation database was found to be, by the length, the time and the
/// day (which its age is told for) that the look was made at.
pub struct GeoChoiceSeen {
    at: (u64, SystemTime, i64),
    choice: GeoChoice,
}

/// The file that was chosen, with what is in it or what is wrong with it. It
/// is read again only when it has changed since it was `seen`.
pub fn geo_choice(desk: &WorkspaceDesk, seen: &mut Option<GeoChoiceSeen>) -> anyhow::Result<Option<GeoChoice>> {
    let Some(stored) = desk.catalogue().setting(GEO_SETTING)? else { return Ok(None) };
    let path = desk.workspace.file_path(&stored);
    let today = CaptureDate::now().millis().div_euclid(DAY_MS);
    let at = std::fs::metadata(&path).and_then(|meta| Ok((meta.len(), meta.modified()?, today))).ok();
    if let Some(seen) = seen.as_ref().filter(|seen| seen.choice.path == path && Some(seen.at) == at) {
        return Ok(Some(seen.choice.clone()));
    }
    let database = match GeoDatabase::open(&path) {
        Err(error) => Err(error.to_string()),
        Ok(database) => Ok(GeoDatabaseInfo {
            database_type: database.database_type().to_owned(),
            build_date: database.build_date(),
            nodes: database.nodes(),
            knows_ipv6: database.knows_ipv6(),
            len_bytes: std::fs::metadata(&path).map(|meta| meta.len()).unwrap_or(0),
            remark: database.remark(CaptureDate::now()),
        }),
    };
    let choice = GeoChoice { path, database };
    *seen = at.map(|at| GeoChoiceSeen { at, choice: choice.clone() });
    Ok(Some(choice))
}
