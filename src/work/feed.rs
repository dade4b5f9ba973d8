//! The crawl feed of an annotation tool: its targets as campaigns, and back.

use super::Report;
use super::{counted, target_grounds};
use crate::campaign::Campaign;
use crate::campaign::feed::{Dialect, DueQuestion, Feed, FeedEntry, FeedProblem, read_feed, write_feed};
use crate::scope::standard_rules;
use crate::store::rows::CampaignId;
use crate::store::{Catalogue, Workspace};
use crate::work::Session;
use crate::work::files::campaign_files::suspended_terms;
use anyhow::Context;
use serde::Serialize;
use serde_json::Map;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Longest feed that is read; they have some kilobytes a target.
const MOST_BYTES: u64 = 200_000_000;

/// The outcome of reading a feed file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeedReport {
    /// The file.
    pub file: String,
    /// Its dialect.
    pub dialect: Dialect,
    /// Entries in it.
    pub found: usize,
    /// Campaigns, one an entry that came in, in the order of the file.
    pub campaigns: Vec<FeedCampaign>,
    /// Problems that a person should check.
    pub problems: Vec<FeedProblem>,
}

/// A campaign that an entry became.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeedCampaign {
    /// Index of the entry.
    pub index: usize,
    /// Number of the campaign; none where the file was checked only.
    pub campaign: Option<CampaignId>,
    /// Its title.
    pub name: String,
    /// The change that was made.
    pub change: FeedChange,
    /// See [`RestoredCampaign::suspended_terms`](super::RestoredCampaign::suspended_terms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_terms: Option<Vec<String>>,
}

/// The change that an entry made to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedChange {
    /// A campaign was made.
    New,
    /// A campaign was brought up to date, as a new version.
    Changed,
    /// The campaign was up to date.
    Same,
}

impl FeedReport {
    /// Entries that stayed out.
    pub fn kept_out(&self) -> usize {
        self.found.saturating_sub(self.campaigns.len())
    }
}

impl Report for FeedReport {
    fn summary(&self) -> String {
        let count = |change| self.campaigns.iter().filter(|row| row.change == change).count();
        format!(
            "{} ({}): {}, {} new, {} changed, {} unchanged, {} left out, {}",
            self.file,
            self.dialect.as_str(),
            counted(self.found as u64, "entry"),
            count(FeedChange::New),
            count(FeedChange::Changed),
            count(FeedChange::Same),
            self.kept_out(),
            counted(self.problems.len() as u64, "problem"),
        )
    }
}

/// Reads a feed file and brings nothing in.
pub fn check_feed(file: &Path) -> anyhow::Result<FeedReport> {
    let feed = read_file(file)?;
    let campaigns = feed.entries.iter().map(|(index, entry)| {
        let mut campaign = Campaign::new("");
        campaign.take_entry(entry);
        FeedCampaign {
            index: *index,
            campaign: None,
            name: campaign.name,
            change: FeedChange::New,
            suspended_terms: None,
        }
    });
    Ok(report(file, campaigns.collect(), &feed))
}

/// Brings the targets of a feed file in, each as a campaign. A target that is
/// known, by its number, becomes a new version of its campaign, unless
/// `always_new`; what a person changed in it stays. Two tools may use one
/// number: a target with another title and none of the seeds is another one.
pub fn import_feed(workspace: &Workspace, file: &Path, always_new: bool) -> anyhow::Result<FeedReport> {
    let feed = read_file(file)?;
    let catalogue = workspace.catalogue();
    let origin = file.file_name().unwrap_or_default().to_string_lossy();
    let (mut known, unread) = if always_new { Default::default() } else { known_targets(catalogue)? };
    let mut campaigns = Vec::new();
    let mut strangers = Vec::new();
    for (index, entry) in &feed.entries {
        let key = key_of(entry);
        let mut earlier = None;
        for id in key.as_ref().and_then(|key| known.get(key)).into_iter().flatten() {
            let (_, before) = catalogue.campaign(*id)?;
            if is_same_target(&before, entry) {
                earlier = Some((*id, before));
                break;
            }
            strangers.push(stranger(*index, *id, &before));
        }
        if earlier.is_some() {
            strangers.retain(|problem| problem.index != Some(*index));
        }
        let (id, change, name) = match earlier {
            Some((id, before)) => {
                let mut campaign = before.clone();
                campaign.take_entry(entry);
                let change = if campaign == before { FeedChange::Same } else { FeedChange::Changed };
                (catalogue.save_campaign(Some(id), &campaign)?, change, campaign.name)
            }
            None => {
                let mut campaign = Campaign::new("");
                campaign.take_entry(entry);
                campaign.rules = standard_rules();
                (catalogue.save_campaign_from(&origin, &campaign)?, FeedChange::New, campaign.name)
            }
        };
        if let Some(key) = key.filter(|_| !always_new) {
            let ids: &mut Vec<CampaignId> = known.entry(key).or_default();
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let suspended_terms = suspended_terms(catalogue, id)?;
        campaigns.push(FeedCampaign { index: *index, campaign: Some(id), name, change, suspended_terms });
    }
    let mut report = report(file, campaigns, &feed);
    report.problems.extend(strangers);
    report.problems.extend(unread);
    Ok(report)
}

/// Whether an entry is about the target of a campaign.
fn is_same_target(campaign: &Campaign, entry: &FeedEntry) -> bool {
    let (meaning, _) = entry.meaning(0);
    let before = campaign
        .target
        .as_ref()
        .map(|target| FeedEntry { dialect: target.dialect, fields: target.entry.clone() }.meaning(0).0);
    let before = before.unwrap_or_default();
    let title = meaning.title.as_deref().unwrap_or_default().trim();
    let same_title =
        !title.is_empty() && (title == campaign.name || before.title.as_deref() == meaning.title.as_deref());
    let has = |url: &String| before.seeds.contains(url) || campaign.seeds.iter().any(|seed| seed.url == *url);
    same_title || meaning.seeds.iter().any(has)
}

fn stranger(index: usize, id: CampaignId, campaign: &Campaign) -> FeedProblem {
    FeedProblem {
        index: Some(index),
        field: "id".to_owned(),
        what: format!(
            "campaign {id} (“{}”) has this number too, and another title and none of the seeds",
            campaign.name
        ),
        hint: "they are kept apart, as targets of two tools".to_owned(),
        keeps_out: false,
    }
}

fn report(file: &Path, campaigns: Vec<FeedCampaign>, feed: &Feed) -> FeedReport {
    let mut problems = feed.problems.clone();
    for name in feed.beside.keys() {
        problems.push(FeedProblem {
            index: None,
            field: name.clone(),
            what: "it stands beside the targets, and no campaign has a place for it".to_owned(),
            hint: "keep the file, if it is needed".to_owned(),
            keeps_out: false,
        });
    }
    FeedReport { file: file.display().to_string(), dialect: feed.dialect, found: feed.found, campaigns, problems }
}

fn read_file(file: &Path) -> anyhow::Result<Feed> {
    let name = || format!("{}: this feed cannot be read", file.display());
    let meta = std::fs::metadata(file).with_context(name)?;
    anyhow::ensure!(!meta.is_dir(), "{}: this is a folder; name the feed file in it", file.display());
    anyhow::ensure!(
        meta.len() <= MOST_BYTES,
        "{}: it has {} bytes, and feeds of more than {MOST_BYTES} are not read; split it, one object a line",
        file.display(),
        meta.len()
    );
    let bytes = std::fs::read(file).with_context(name)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow::anyhow!("{}: byte {at} is no UTF-8; save the feed as UTF-8", file.display())
    })?;
    Ok(read_feed(&text))
}

/// The key by which an entry is of a known target: the number of the target, or of a launch message
/// its URL.
fn key_of(entry: &FeedEntry) -> Option<String> {
    let (meaning, _) = entry.meaning(0);
    match entry.dialect {
        Dialect::Launch => meaning.seeds.first().map(|url| format!("url {url}")),
        _ => meaning.id.map(|id| format!("id {id}")),
    }
}

/// Campaigns by the keys of their targets.
type KnownTargets = HashMap<String, Vec<CampaignId>>;

/// The campaigns of targets, by their keys; and a problem for each campaign that cannot be read,
/// whose target is not known again.
fn known_targets(catalogue: &Catalogue) -> anyhow::Result<(KnownTargets, Vec<FeedProblem>)> {
    let mut known = KnownTargets::new();
    let mut unread = Vec::new();
    for row in catalogue.listed_campaigns()? {
        if let Some(problem) = row.problem {
            unread.push(FeedProblem {
                index: None,
                field: format!("campaign {}", row.id),
                what: format!("“{}” cannot be read: {problem}", row.name),
                hint: "if an entry is about its target, that became a new campaign".to_owned(),
                keeps_out: false,
            });
            continue;
        }
        let (_, campaign) = catalogue.campaign(row.id)?;
        if let Some(target) = campaign.target.filter(|target| !target.entry.is_empty())
            && let Some(key) = key_of(&FeedEntry { dialect: target.dialect, fields: target.entry })
        {
            known.entry(key).or_default().push(row.id);
        }
    }
    Ok((known, unread))
}

/// A feed written from a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFeed {
    /// The feed.
    pub text: String,
    /// Targets in it.
    pub targets: usize,
    /// Why campaigns are not in it, with their number.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Parts of a campaign that the feed cannot hold: number, title, text.
    pub notes: Vec<(CampaignId, String, String)>,
}

/// Writes the campaigns of a workspace as a feed: all, those named, or those
/// that are due.
pub fn export_feed(
    session: &Session,
    dialect: Dialect,
    only: &[CampaignId],
    due: Option<&DueQuestion>,
) -> anyhow::Result<WrittenFeed> {
    let catalogue = session.catalogue();
    let mut rows = catalogue.listed_campaigns()?;
    rows.sort_by_key(|row| row.id);
    let mut entries = Vec::new();
    let (mut left_out, mut notes) = (BTreeMap::new(), Vec::new());
    for row in rows.into_iter().filter(|row| only.is_empty() || only.contains(&row.id)) {
        if let Some(problem) = row.problem {
            notes.push((row.id, row.name, format!("it is left out: {problem}")));
            continue;
        }
        let (_, campaign) = catalogue.campaign(row.id)?;
        let (entry, remarks) = campaign.feed_entry(&row.id.to_string());
        if let Some(due) = due {
            // The tool keeps targets with a password in feeds of their own.
            let paywalled = entry.fields.get("secretId").is_some_and(|secret| !secret.is_null());
            let mut taken = due.takes(&entry.meaning(0).0, campaign.active, paywalled);
            if taken.is_ok() && due.grounds.is_some() {
                match target_grounds(session, &campaign, due.now) {
                    Ok(grounds) => taken = due.takes_on(grounds),
                    Err(error) => {
                        notes.push((
                            row.id,
                            row.name,
                            format!("it is left out: its grounds are not known ({error:#})"),
                        ));
                        continue;
                    }
                }
            }
            if let Err(why) = taken {
                *left_out.entry(why).or_insert(0) += 1;
                continue;
            }
        }
        notes.extend(remarks.into_iter().map(|remarks| (row.id, row.name.clone(), remarks)));
        entries.push((row.id, row.name, entry));
    }
    let mut taken: HashMap<String, CampaignId> = HashMap::new();
    for (id, name, entry) in &entries {
        let Some(number) = entry.meaning(0).0.id else { continue };
        match taken.get(&number) {
            Some(other) => notes.push((
                *id,
                name.clone(),
                format!("its number {number} is that of campaign {other} too; readers will take them for one"),
            )),
            None => {
                taken.insert(number, *id);
            }
        }
    }
    let entries: Vec<FeedEntry> = entries.into_iter().map(|(_, _, entry)| entry).collect();
    let text = write_feed(&entries, dialect, &Map::new());
    Ok(WrittenFeed { text, targets: entries.len(), left_out, notes })
}
