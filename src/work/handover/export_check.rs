//! A kept selection is checked before it is handed over.
//!
//! The window shows the check beside the selection; an export of the window and one of the command line
//! are refused for the same reason, by [`refused_hosts`].

use crate::campaign::Campaign;
use crate::jobs::{JobCx, counted};
use crate::scope::Refusals;
use crate::store::Workspace;
use crate::uri::{CaptureDate, Url};
use crate::work::everything;
use crate::work::models::{CampaignId, CaptureId, CaptureQuery, SelectionStamp};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Hosts that a message names.
const NAMED: usize = 3;
/// Missing resources that are listed.
const MOST_MISSING: u64 = 20;
/// Filter of the captures that leave with a selection.
const LEAVING: &str = "export:yes";

/// A host with captures that a permission refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedHost {
    /// Its name.
    pub host: String,
    /// Captures of it that would leave.
    pub captures: u64,
}

/// The check of a kept selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportCheck {
    /// The state that was checked.
    pub stamp: SelectionStamp,
    /// Hosts with captures that a permission refuses, those with the most first.
    pub refused: Vec<RefusedHost>,
    /// Whether the campaign obeys refusals, so that nothing is exported with them.
    pub obeys_refusals: bool,
    /// Pages that lack something a person rejected.
    pub lacking: u64,
    /// Resources that pages need and nobody captured.
    pub missing: u64,
    /// The most needed ones of them, each with the number of pages.
    pub most_missing: Vec<(String, u64)>,
}

impl ExportCheck {
    /// Captures that a permission refuses.
    pub fn refused_captures(&self) -> u64 {
        self.refused.iter().map(|host| host.captures).sum()
    }

    /// Why the selection is not exported; none where it is.
    pub fn obstacle(&self) -> Option<String> {
        (self.obeys_refusals && !self.refused.is_empty()).then(|| refusal_message(&self.refused))
    }
}

/// Checks the kept selection of a campaign as it would leave now.
///
/// # Errors
///
/// A catalogue that cannot be read, a campaign that cannot be read, or a stop.
pub fn check_export(workspace: &Workspace, id: CampaignId, cx: &JobCx) -> anyhow::Result<ExportCheck> {
    let catalogue = workspace.catalogue();
    let stamp = catalogue.selection_stamp(id)?;
    if catalogue.kept_selection(id)?.is_none() {
        return Ok(ExportCheck { stamp, ..ExportCheck::default() });
    }
    let campaign = catalogue.campaign(id)?.1;
    let of_filter = |filter: &str| {
        let query = CaptureQuery { campaign: Some(id), filter: filter.to_owned(), ..everything() };
        catalogue.capture_ids(&query)
    };
    let refused = refused_hosts(workspace, &campaign, || Ok(of_filter(LEAVING)?), cx)?;
    let lacking = catalogue.lacking(id)?;
    let pages: HashSet<_> = lacking.iter().map(|row| (&row.page, row.page_date)).collect();
    let (missing, most_missing) = catalogue.missing_resources(id, &of_filter("requisite:yes")?, MOST_MISSING, cx)?;
    Ok(ExportCheck {
        stamp,
        refused,
        obeys_refusals: campaign.grounds.obey_refusals,
        lacking: pages.len() as u64,
        missing,
        most_missing,
    })
}

/// The hosts of captures that a permission of the campaign refuses, on the date of the capture or today,
/// those with the most first. `captures` are only looked up where there is a refusal.
///
/// # Errors
///
/// A catalogue or a record that cannot be read, or a stop.
pub(in crate::work) fn refused_hosts<C: AsRef<[CaptureId]>>(
    workspace: &Workspace,
    campaign: &Campaign,
    captures: impl FnOnce() -> anyhow::Result<C>,
    cx: &JobCx,
) -> anyhow::Result<Vec<RefusedHost>> {
    let Some(refusals) = Refusals::of_campaign(campaign).map_err(anyhow::Error::msg)? else { return Ok(Vec::new()) };
    let (captures, today) = (captures()?, CaptureDate::now());
    let mut hosts = BTreeMap::<String, u64>::new();
    workspace.catalogue().each_url(captures.as_ref(), cx, |url, date| {
        let Ok(url) = Url::parse(url) else { return };
        if refusals.refuses(&url, date) || refusals.refuses(&url, today) {
            *hosts.entry(url.host_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    })?;
    let mut refused: Vec<RefusedHost> =
        hosts.into_iter().map(|(host, captures)| RefusedHost { host, captures }).collect();
    refused.sort_by_key(|host| std::cmp::Reverse(host.captures));
    Ok(refused)
}

/// Why a selection with these captures is not exported, and what to do.
pub(in crate::work) fn refusal_message(refused: &[RefusedHost]) -> String {
    let captures: u64 = refused.iter().map(|host| host.captures).sum();
    let named: Vec<&str> = refused.iter().take(NAMED).map(|host| host.host.as_str()).collect();
    let more = if refused.len() > NAMED { " …" } else { "" };
    format!(
        "permission refused for {} of the selection, of {}: {}{more}. Reject them or change the record of the permission, \
         then export again",
        counted(captures, "capture"),
        counted(refused.len() as u64, "site"),
        named.join(", ")
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::{Permission, PermissionState};
    use crate::testing::town;
    use crate::work::{ExportWishes, Session};

    const TOWN: CampaignId = CampaignId::new(1);

    fn refuse(session: &Session, covers: &str) {
        let mut campaign = session.catalogue().campaign(TOWN).unwrap().1;
        let refused =
            Permission { covers: covers.to_owned(), state: PermissionState::Refused, ..Permission::default() };
        campaign.permissions.push(refused);
        session.save_campaign(Some(TOWN), &campaign).unwrap();
    }

    #[test]
    fn a_refused_site_is_found_and_its_captures_are_not_exported_until_they_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(Workspace::open(&town().copy(folder.path())).unwrap());
        let cx = JobCx::detached();
        let fine = check_export(&session.workspace, TOWN, &cx).unwrap();
        assert_eq!((fine.refused.len(), fine.obstacle()), (0, None));
        let host = session.catalogue().selected_hosts(TOWN, true).unwrap().remove(0).host;
        let name = host.split(':').next().unwrap().to_owned();
        refuse(&session, &format!("http://{host}/"));
        let check = check_export(&session.workspace, TOWN, &cx).unwrap();
        assert_ne!(check.stamp, fine.stamp);
        assert_eq!(check.refused.iter().map(|host| host.host.as_str()).collect::<Vec<_>>(), [name.as_str()]);
        // The same captures as the filter finds.
        let leaving = CaptureQuery { campaign: Some(TOWN), filter: format!("{LEAVING} host={host}"), ..everything() };
        let leaving = session.catalogue().capture_ids(&leaving).unwrap();
        assert_eq!(check.refused_captures(), leaving.len() as u64);
        let (spec, _) = session.catalogue().kept_selection(TOWN).unwrap().unwrap();
        let out = folder.path().join("out");
        let error = session.export(&spec, &out, ExportWishes::default(), &cx).unwrap_err().to_string();
        assert!(error.contains(&name) && error.contains("permission refused"), "{error}");
        assert!(!out.exists());
        // A dry run names it and goes on.
        let plan = session.dry_run_export(&spec, &out, ExportWishes::default(), &cx).unwrap();
        assert!(plan.problems.iter().any(|problem| problem.contains(&name)), "{:?}", plan.problems);
        session.mark(&leaving, crate::work::models::ReviewMark::Reject, "refused", "a").unwrap();
        let check = check_export(&session.workspace, TOWN, &cx).unwrap();
        assert_eq!(check.obstacle(), None);
        session.export(&spec, &out, ExportWishes::default(), &cx).unwrap();
    }

    #[test]
    fn a_campaign_that_does_not_obey_refusals_is_warned_of_them_and_exported() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(Workspace::open(&town().copy(folder.path())).unwrap());
        let host = session.catalogue().selected_hosts(TOWN, true).unwrap().remove(0).host;
        refuse(&session, &format!("http://{host}/"));
        let mut campaign = session.catalogue().campaign(TOWN).unwrap().1;
        campaign.grounds.obey_refusals = false;
        session.save_campaign(Some(TOWN), &campaign).unwrap();
        let cx = JobCx::detached();
        let check = check_export(&session.workspace, TOWN, &cx).unwrap();
        assert!(!check.refused.is_empty() && check.obstacle().is_none());
        let (spec, _) = session.catalogue().kept_selection(TOWN).unwrap().unwrap();
        session.export(&spec, &folder.path().join("out"), ExportWishes::default(), &cx).unwrap();
    }
}
