//! What waits for a person in a campaign, as far as the catalogue shows it.

use crate::campaign::Campaign;
use crate::jobs::{counted, noun, verb};
use crate::search::DAY_MS;
use crate::store::Catalogue;
use crate::uri::CaptureDate;
use crate::work::models::{CampaignCounts, CampaignRow, LaunchRow, changed_rejections};
use serde::Serialize;

/// Days before the end of a permission from which on it is shown.
const PERMISSION_DAYS: i64 = 30;

/// The weight of what waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Nothing goes on without it.
    Blocked,
    /// Something may be lost or missed without it.
    Warning,
    /// The next work.
    Work,
}

/// A kind of what waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingKind {
    /// The specification cannot be read.
    Unreadable,
    /// The campaign came from elsewhere and is switched off.
    SwitchedOff,
    /// It has no seeds.
    NoSeeds,
    /// Seeds redirect to other sites.
    MovedSeeds,
    /// Permissions have ended or end soon.
    Permissions,
    /// URLs of the last launch failed.
    Failed,
    /// URLs that were rejected have new versions.
    ChangedRejections,
    /// Captures are to review.
    Review,
    /// Inlinks are not built.
    Inlinks,
    /// Nothing is selected.
    Selection,
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingItem {
    /// Its weight.
    pub urgency: Urgency,
    /// The kind.
    pub kind: WaitingKind,
    /// What waits.
    pub what: String,
    /// What is known of it besides.
    pub about: String,
}

/// What waits in a campaign, the most urgent first.
pub(super) fn waiting(
    catalogue: &Catalogue,
    row: &CampaignRow,
    counts: CampaignCounts,
    last: Option<&LaunchRow>,
) -> anyhow::Result<Vec<WaitingItem>> {
    let mut list = Vec::new();
    let mut add = |urgency, kind, what: String, about: &str| {
        list.push(WaitingItem { urgency, kind, what, about: about.to_owned() });
    };
    if let Some(problem) = &row.problem {
        let what = "The specification cannot be read".to_owned();
        add(Urgency::Blocked, WaitingKind::Unreadable, what, problem);
    }
    if let Some(origin) = &row.suspended {
        let about = format!("It came from {origin}; no crawl of it starts");
        add(Urgency::Blocked, WaitingKind::SwitchedOff, "The campaign is switched off".to_owned(), &about);
    }
    if row.seeds == 0 && row.problem.is_none() {
        let about = "A crawl starts from at least one URL";
        add(Urgency::Blocked, WaitingKind::NoSeeds, "No seeds yet".to_owned(), about);
    }
    if row.problem.is_none() {
        let campaign = catalogue.campaign(row.id)?.1;
        let moved = catalogue.moved_seeds(row.id, &campaign.seeds)?;
        let moved = moved.iter().filter(|moved| moved.is_open(&campaign)).count() as u64;
        if moved > 0 {
            let what = format!("{moved} {} {} to another site", noun(moved, "seed"), verb(moved, "redirects"));
            let about = "Decide whether the targets are seeds as well";
            add(Urgency::Warning, WaitingKind::MovedSeeds, what, about);
        }
        for (what, about) in ending_permissions(&campaign, CaptureDate::now()) {
            add(Urgency::Warning, WaitingKind::Permissions, what, &about);
        }
    }
    if let Some(failed) = last.map(LaunchRow::to_retry).filter(|failed| *failed > 0) {
        let what = format!("{} of the last launch failed", counted(failed, "URL"));
        add(Urgency::Warning, WaitingKind::Failed, what, "Not fetched, or answered with 429 or 5xx");
    }
    let changed = catalogue.rejected_before(row.id)?;
    if changed > 0 {
        let about = "In no selection until a person approves them";
        add(Urgency::Warning, WaitingKind::ChangedRejections, changed_rejections(changed), about);
    }
    if counts.to_review > 0 {
        let what = format!("{} to review", counted(counts.to_review, "capture"));
        let about = format!("of {}", counted(row.captures, "capture"));
        add(Urgency::Work, WaitingKind::Review, what, &about);
    }
    if row.captures > 0 && catalogue.inlink_build()?.is_none() {
        let about = "They show what is cited, and count in the score";
        add(Urgency::Work, WaitingKind::Inlinks, "Inlinks not built".to_owned(), about);
    }
    if row.captures > 0 && counts.selected == 0 {
        let about = "Score captures and save a selection";
        add(Urgency::Work, WaitingKind::Selection, "Nothing selected yet".to_owned(), about);
    }
    list.sort_by_key(|of| of.urgency);
    Ok(list)
}

/// Granted permissions that have ended or end within thirty days, with what they cover.
fn ending_permissions(campaign: &Campaign, now: CaptureDate) -> Vec<(String, String)> {
    let day = |date: CaptureDate| date.to_readable().chars().take(10).collect::<String>();
    let (today, soon) = (day(now), day(CaptureDate::from_millis(now.millis() + PERMISSION_DAYS * DAY_MS)));
    let ends = |until: &str| until.len() == today.len() && until <= soon.as_str();
    let granted = campaign.permissions.iter().filter(|of| of.state == crate::campaign::PermissionState::Granted);
    granted
        .filter(|of| ends(&of.until))
        .map(|of| {
            let what = match of.until.as_str() <= today.as_str() {
                true => format!("A permission ended on {}", of.until),
                false => format!("A permission ends on {}", of.until),
            };
            (what, of.covers.clone())
        })
        .collect()
}
