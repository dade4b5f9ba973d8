//! Why a URL was or would be taken or refused.

mod country;
mod evidence;
mod geo;
mod launch_rules;
mod permissions;
mod redecision;
mod rule_cache;
mod trace;
mod version_diff;
mod what_if;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(in crate::work) use evidence::{EVIDENCE, EvidenceFiles, keep_evidence, own_name};
pub use evidence::{EvidenceState, attach_evidence, check_evidence, missing_evidence};
pub use geo::{geo_drift, geo_report};
pub use permissions::{permissions, seeds_verdict, target_grounds};
pub use rule_cache::RuleCache;
pub use trace::{scope_test, scope_verdicts, what_if_trace, why};
pub use version_diff::{VersionDifference, version_differences};
pub use what_if::{edited_campaign, rule_hits, urls_matched_by_rule, what_if, what_if_hosts, what_if_rows};

use crate::campaign::Campaign;
use crate::crawl::{RobotsAnswer, RobotsRules};
use crate::scope::{DecideRules, GeoDatabase};
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::{GeoChoice, GeoDatabaseInfo};
use anyhow::Context;
use std::path::Path;
use std::time::SystemTime;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Refuses a campaign whose rules cannot be read.
pub fn check_campaign(campaign: &Campaign) -> anyhow::Result<()> {
    DecideRules::compile(campaign).context("the campaign was not saved")?;
    Ok(())
}

/// The rules in an answer; none where nobody answered: then the crawl gives
/// the host up, and no rule refuses it.
fn robots_rules(answer: &RobotsAnswer, agent: &str) -> Option<RobotsRules> {
    let status = u16::try_from(answer.status).ok().filter(|status| *status > 0)?;
    Some(RobotsRules::from_answer(Some(status), &answer.body, agent))
}

/// The setting that names the workspace's geolocation database.
const GEO_SETTING: &str = "geo_database";

/// The workspace's geolocation database, when one was chosen.
pub fn geo_database(session: &Session) -> anyhow::Result<Option<GeoDatabase>> {
    match session.catalogue().setting(GEO_SETTING)? {
        None => Ok(None),
        Some(stored) => Ok(Some(GeoDatabase::open(session.workspace.file_path(&stored)?)?)),
    }
}

/// Chooses the workspace's geolocation database, after reading it.
pub fn set_geo_database(session: &Session, path: &Path) -> anyhow::Result<()> {
    let path = path.canonicalize().with_context(|| path.display().to_string())?;
    GeoDatabase::open(&path)?;
    session.catalogue().set_setting(GEO_SETTING, &session.workspace.stored_name(&path))?;
    Ok(())
}

/// Chooses none. Evidence that was kept stays.
pub fn forget_geo_database(session: &Session) -> anyhow::Result<()> {
    Ok(session.catalogue().forget_setting(GEO_SETTING)?)
}

/// The description of a geolocation database as it was read: with the length and the time of its
/// file, and the day, on which its age depends.
pub struct GeoChoiceSeen {
    at: (u64, SystemTime, i64),
    choice: GeoChoice,
}

/// The file that was chosen, with what is in it or what is wrong with it. It
/// is read again only when it has changed since it was `seen`.
pub fn geo_choice(session: &Session, seen: &mut Option<GeoChoiceSeen>) -> anyhow::Result<Option<GeoChoice>> {
    let Some(stored) = session.catalogue().setting(GEO_SETTING)? else { return Ok(None) };
    let path = session.workspace.file_path(&stored)?;
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
