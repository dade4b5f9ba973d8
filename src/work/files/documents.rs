//! Documents on watched targets: what is there, and which version is new.
//!
//! In: captures of documents (PDF and the like), the inlinks that point at them, the campaigns
//! whose target is watched. Out: a row a document and target, with its versions distinguished by
//! their digests.
//!
//! The harvester of the annotation tool takes the URL alone for its key, so a
//! new version at the same place is never seen; and it takes the crawl's via
//! for the landing page. Here a version is a payload, and the landing page is
//! one whose link has words.

use crate::campaign::{SeedScope, Target};
use crate::jobs::JobCx;
use crate::store::rows::{CampaignId, CaptureId};
use crate::store::{DocumentCapture, LandingPage, Workspace};
use crate::uri::{CaptureDate, ScopePrefix, ScopePrefixSet, ScopeSurt, parse_web_url};
use serde::Serialize;

/// Setting, with the number of a campaign behind it: captures up to this number are known to the
/// persons. One that is watched later starts from its beginning.
const KNOWN: &str = "documents_known_capture ";

/// The documents of all watched targets.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DocumentList {
    /// By target and URL.
    pub rows: Vec<DocumentRow>,
    /// Campaigns whose target is watched.
    pub watched: usize,
    /// Captures of documents that no watched target wants.
    pub elsewhere: u64,
    /// Campaigns that cannot be read, so that nobody knows whether their target
    /// is watched: number, title, what is wrong.
    pub unread: Vec<(CampaignId, String, String)>,
    /// The newest capture when the list was made.
    pub newest_capture: CaptureId,
    /// The campaigns that it was made for.
    #[serde(skip)]
    pub campaigns: Vec<CampaignId>,
}

/// A document of a watched target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentRow {
    /// The campaign whose target it is of.
    pub campaign: CampaignId,
    /// Title of that campaign.
    pub campaign_name: String,
    /// Number of the target in the annotation tool.
    pub target: Option<String>,
    /// The document's URL.
    pub url: String,
    /// Last piece of its path.
    pub filename: String,
    /// Its title: in itself, by the link, or by its file name.
    pub title: String,
    /// The page that links to it.
    pub landing_page: Option<String>,
    /// Title of that page.
    pub landing_title: String,
    /// Text of the link.
    pub anchor: String,
    /// Why it is one of the target's.
    pub why: String,
    /// First capture.
    pub first_seen: CaptureDate,
    /// Last capture.
    pub last_seen: CaptureDate,
    /// Whether the document itself was not known.
    pub is_new: bool,
    /// Whether it was known, and a version of it was not.
    pub has_new_version: bool,
    /// Its versions, oldest first.
    pub versions: Vec<DocumentVersion>,
}

/// A version of a document: one payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentVersion {
    /// Digest of the payload.
    pub digest: String,
    /// MIME type.
    pub mime: String,
    /// Bytes.
    pub bytes: u64,
    /// First capture of it.
    pub first_seen: CaptureDate,
    /// Last capture of it.
    pub last_seen: CaptureDate,
    /// Captures of it, those included whose answer was that nothing changed.
    pub captures: u64,
    /// Number of the first of them.
    pub capture: CaptureId,
    /// Whether it came after the list was last taken note of.
    pub is_new: bool,
    /// Job and launch that found it, and the tag of the seed.
    pub job: String,
    /// The launch.
    pub launch: String,
    /// The tag of the seed.
    pub source: String,
}

/// A target that is watched.
struct Watched {
    campaign: CampaignId,
    name: String,
    target: Target,
    prefixes: ScopePrefixSet,
    /// Captures up to this number are known.
    known: CaptureId,
}

impl Watched {
    fn covers(&self, url: &str) -> Option<ScopePrefix> {
        self.prefixes.matching(&ScopeSurt::of(&parse_web_url(url)?))
    }
}

/// Lists the documents of watched targets; with `only_new` those that are new
/// or have a new version.
///
/// # Errors
///
/// When the catalogue fails or the job is stopped.
pub fn documents(workspace: &Workspace, only_new: bool, cx: &JobCx) -> anyhow::Result<DocumentList> {
    cx.stage("Looking for documents", None);
    let catalogue = workspace.catalogue();
    let (watched, unread) = watched(workspace)?;
    let mut list = DocumentList {
        watched: watched.len(),
        unread,
        newest_capture: catalogue.newest_capture()?,
        campaigns: watched.iter().map(|watch| watch.campaign).collect(),
        ..DocumentList::default()
    };
    let mut captures: Vec<DocumentCapture> = Vec::new();
    let mut of_one_url: Vec<Vec<DocumentCapture>> = Vec::new();
    catalogue.for_each_document(|capture| -> anyhow::Result<()> {
        cx.advance(1)?;
        if captures.first().is_some_and(|first| first.url != capture.url) {
            of_one_url.push(std::mem::take(&mut captures));
        }
        captures.push(capture);
        Ok(())
    })?;
    of_one_url.extend((!captures.is_empty()).then_some(captures));
    for captures in of_one_url {
        cx.checkpoint()?;
        let Some(first) = captures.first() else { continue };
        let via = captures.iter().find_map(|capture| capture.via.as_deref());
        // Most documents are of no watched target: only then links matter.
        let landings = if watched.is_empty() { Vec::new() } else { workspace.landing_pages(&first.url, via)? };
        let mut has_target = false;
        for watch in watched.iter().filter(|watch| watch.target.wants_document(&first.url)) {
            let Some((why, landing)) = reason(watch, &first.url, &landings) else { continue };
            has_target = true;
            let row = row(watch, &captures, why, landing);
            if !only_new || row.is_new || row.has_new_version {
                list.rows.push(row);
            }
        }
        if !has_target {
            list.elsewhere += captures.len() as u64;
        }
    }
    list.rows.sort_by(|a, b| (a.campaign, &a.url).cmp(&(b.campaign, &b.url)));
    Ok(list)
}

/// Takes note of a list: what is in it is new no more.
pub fn documents_noted(workspace: &Workspace, list: &DocumentList) -> anyhow::Result<()> {
    for campaign in &list.campaigns {
        workspace.catalogue().set_setting(&format!("{KNOWN}{campaign}"), &list.newest_capture.to_string())?;
    }
    Ok(())
}

/// Number and name of a campaign that cannot be read, and why.
type Unread = (CampaignId, String, String);

/// The watched targets, and the campaigns that cannot be read.
fn watched(workspace: &Workspace) -> anyhow::Result<(Vec<Watched>, Vec<Unread>)> {
    let (mut watched, mut unread) = (Vec::new(), Vec::new());
    for row in workspace.catalogue().listed_campaigns()? {
        if let Some(problem) = row.problem {
            unread.push((row.id, row.name, problem));
            continue;
        }
        let (_, campaign) = workspace.catalogue().campaign(row.id)?;
        let Some(target) = campaign.target.filter(|target| target.watched) else { continue };
        let prefixes = campaign.seeds.iter().filter_map(|seed| match (seed.scope, parse_web_url(&seed.url)) {
            (SeedScope::Subdomains, Some(url)) => Some(ScopePrefix::domain_of(&url)),
            (_, url) => url.map(|_| ScopePrefix::implied_by_seed(&seed.url)),
        });
        let prefixes = ScopePrefixSet::new(prefixes);
        let known = workspace.catalogue().setting(&format!("{KNOWN}{}", row.id))?;
        let known = known.and_then(|id| id.parse().ok()).unwrap_or_default();
        watched.push(Watched { campaign: row.id, name: campaign.name, target, prefixes, known });
    }
    Ok((watched, unread))
}

/// Why a document is one of a target's, and the page to show beside it.
fn reason<'a>(watch: &Watched, url: &str, landings: &'a [LandingPage]) -> Option<(String, Option<&'a LandingPage>)> {
    let under = |page: &&LandingPage| watch.covers(&page.url).is_some();
    // A link with words on a page of the target is the best evidence.
    let landing = landings.iter().filter(under).find(|page| !page.anchor.trim().is_empty());
    let landing = landing.or_else(|| landings.iter().find(under));
    if let Some(prefix) = watch.covers(url) {
        let anywhere = || landings.iter().find(|page| !page.anchor.trim().is_empty()).or(landings.first());
        return Some((format!("it is under {prefix}"), landing.or_else(anywhere)));
    }
    let page = landing?;
    let prefix = watch.covers(&page.url)?;
    Some((format!("a page under {prefix} links to it"), Some(page)))
}

fn row(watch: &Watched, captures: &[DocumentCapture], why: String, landing: Option<&LandingPage>) -> DocumentRow {
    let known = watch.known;
    let mut versions: Vec<DocumentVersion> = Vec::new();
    for capture in captures {
        if let Some(version) =
            versions.iter_mut().find(|version| !version.digest.is_empty() && version.digest == capture.digest)
        {
            version.last_seen = version.last_seen.max(capture.date);
            if matches!(version.mime.as_str(), "" | "-") {
                version.mime.clone_from(&capture.mime);
            }
            version.captures += 1;
            version.is_new &= capture.id > known;
            continue;
        }
        versions.push(DocumentVersion {
            digest: capture.digest.clone(),
            mime: capture.mime.clone(),
            bytes: capture.bytes,
            first_seen: capture.date,
            last_seen: capture.date,
            captures: 1,
            capture: capture.id,
            is_new: capture.id > known,
            job: capture.launch.0.clone(),
            launch: capture.launch.1.clone(),
            source: capture.source_tag.clone(),
        });
    }
    let url = captures.first().map(|capture| capture.url.clone()).unwrap_or_default();
    let filename = filename(&url);
    let anchor = landing.map(|page| page.anchor.trim().to_owned()).unwrap_or_default();
    let own_title = captures.iter().rev().map(|capture| capture.title.trim()).find(|title| !title.is_empty());
    let title = match own_title {
        Some(title) => title.to_owned(),
        None if !anchor.is_empty() => anchor.clone(),
        None => filename.split('.').next().unwrap_or_default().to_owned(),
    };
    let is_new = versions.iter().all(|version| version.is_new);
    let has_new_version = !is_new && versions.iter().any(|version| version.is_new);
    let dates = || captures.iter().map(|capture| capture.date);
    DocumentRow {
        campaign: watch.campaign,
        campaign_name: watch.name.clone(),
        target: watch.target.id(),
        filename,
        title,
        landing_page: landing.map(|page| page.url.clone()),
        landing_title: landing.map(|page| page.title.clone()).unwrap_or_default(),
        anchor,
        why,
        first_seen: dates().min().unwrap_or_default(),
        last_seen: dates().max().unwrap_or_default(),
        is_new,
        has_new_version,
        versions,
        url,
    }
}

/// The last piece of a path, without its escapes.
fn filename(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
