//! Why a URL waits where it waits: its priority, part by part.

use crate::campaign::{Campaign, CrawlOrder};
use crate::crawl::{
    LinkValues, OrderPreview, PriorityParts, RELEVANCE_PARTS, RequestGuide, TOP_POINTS, preview_orders, priority_points,
};
use crate::jobs::JobCx;
use crate::scope::hop_count;
use crate::store::{LaunchLedger, QueueRow};
use crate::uri::parse_web_url;
use crate::work::Session;
use crate::work::counted;
use crate::work::models::{CampaignId, LaunchId, SeenId};
use serde::Serialize;
use std::sync::Arc;

/// A URL that waits, and why it does so at its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueuedPlace {
    /// Its place among those of its launch, or of the host that was named, by priority, from 1.
    pub rank: u64,
    /// The URL.
    pub url: String,
    /// Its host with port.
    pub host: String,
    /// Its priority, from 0 to 10,000; higher is fetched earlier.
    pub priority: u16,
    /// The parts of the priority, whose points add up to it.
    pub parts: Vec<QueuedPart>,
    /// The same in one line.
    pub explanation: String,
}

/// A part of a priority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueuedPart {
    /// Its name, such as `anchor`.
    pub part: &'static str,
    /// Its points; those of patterns and tags may be negative.
    pub points: i32,
    /// Words of the request that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// What it is of, such as the page with the link.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
}

/// The queue of the last launch of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchQueue {
    /// The launch: its 14 digits; none where the campaign was never crawled.
    pub launch: Option<String>,
    /// The order that the launch has, as people read it: a trial goes by relevance, whatever its campaign has.
    pub order: &'static str,
    /// The first URLs.
    pub first: Vec<QueuedPlace>,
    /// How many wait.
    pub waiting: u64,
}

/// The first URLs in the queue of the last launch of a campaign, or of one of its hosts.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn queue(session: &Session, campaign: CampaignId, host: Option<&str>, top: u64) -> anyhow::Result<LaunchQueue> {
    let catalogue = session.catalogue();
    let Some(launch) = catalogue.own_last_launch_or_trial(campaign)? else {
        let order = catalogue.campaign(campaign)?.1.order.label();
        return Ok(LaunchQueue { launch: None, order, first: Vec::new(), waiting: 0 });
    };
    let spec = spec_of(session, campaign, launch.id)?;
    let guide = RequestGuide::of(&spec);
    let (rows, waiting) = catalogue.queue(launch.id, host, top)?;
    let first = (1..).zip(&rows).map(|(rank, row)| place_of(rank, row, guide.as_ref())).collect();
    Ok(LaunchQueue { launch: Some(launch.launch), order: spec.order.label(), first, waiting })
}

/// What each order would fetch first of the queue of the last launch of a campaign, by a request that may not be
/// saved yet; none where nothing waits.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn queue_orders(
    session: &Session,
    campaign: CampaignId,
    draft: &Campaign,
    most: usize,
) -> anyhow::Result<Option<OrderPreview>> {
    let Some(launch) = session.catalogue().own_last_launch(campaign)? else { return Ok(None) };
    let ledger = LaunchLedger::new(Arc::clone(session.workspace.catalogue()), launch.id);
    // Words are looked for whatever the order of the draft is.
    let guide = RequestGuide::of(&Campaign { order: CrawlOrder::Relevance, ..draft.clone() });
    let preview = preview_orders(&ledger, guide.as_ref(), most, &JobCx::detached())?;
    Ok((preview.read > 0).then_some(preview))
}

/// The place of a URL in its queue; none where it does not wait.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn queued_place(session: &Session, id: SeenId) -> anyhow::Result<Option<QueuedPlace>> {
    let catalogue = session.catalogue();
    let Some((launch, row, before)) = catalogue.queue_row(id)? else { return Ok(None) };
    let guide = guide_of(session, launch)?;
    Ok(Some(place_of(before + 1, &row, guide.as_ref())))
}

/// The guide of the version that a launch runs; none where its campaign is gone.
fn guide_of(session: &Session, launch: LaunchId) -> anyhow::Result<Option<RequestGuide>> {
    let catalogue = session.catalogue();
    let campaign = catalogue.launch_campaign(launch)?;
    Ok(spec_of(session, campaign, launch).ok().as_ref().and_then(RequestGuide::of))
}

/// The campaign as a launch runs it: a trial goes by relevance, whatever order the campaign has.
fn spec_of(session: &Session, campaign: CampaignId, launch: LaunchId) -> anyhow::Result<Campaign> {
    let catalogue = session.catalogue();
    let spec = catalogue.campaign_version(campaign, catalogue.launch_version(launch)?)?;
    Ok(match catalogue.launch(launch)?.trial {
        Some(_) => Campaign { order: CrawlOrder::Relevance, ..spec },
        None => spec,
    })
}

fn place_of(rank: u64, row: &QueueRow, guide: Option<&RequestGuide>) -> QueuedPlace {
    let priority = priority_points(row.priority, row.parts);
    let parts = match row.parts {
        Some(parts) => relevance_parts(row, parts, guide),
        None => vec![QueuedPart { part: "first", points: priority.into(), terms: Vec::new(), of: first_by(row) }],
    };
    let sum: Vec<String> = parts.iter().map(written).collect();
    let sum = if sum.is_empty() { "nothing of the request".to_owned() } else { sum.join(" + ") };
    let explanation = format!("{priority} = {sum}");
    QueuedPlace { rank, url: row.url.clone(), host: row.host.clone(), priority, parts, explanation }
}

/// What a URL has its place by that is not ordered by relevance.
fn first_by(row: &QueueRow) -> String {
    match row.hops.as_bytes().last() {
        _ if row.is_seed => "a seed".to_owned(),
        None => "a seed".to_owned(),
        Some(b'P') => "needed before other URLs".to_owned(),
        Some(b'R') => "a redirect".to_owned(),
        Some(b'E') => "completes a page".to_owned(),
        Some(_) => format!("{} from the seed", counted(hop_count(&row.hops) as u64, "hop")),
    }
}

fn relevance_parts(row: &QueueRow, parts: PriorityParts, guide: Option<&RequestGuide>) -> Vec<QueuedPart> {
    let part = |part, points| QueuedPart { part, points, terms: Vec::new(), of: String::new() };
    if parts.completes {
        return vec![QueuedPart { of: row.linker.clone(), ..part("completes", parts.points().into()) }];
    }
    let url = parse_web_url(&row.url);
    let [of_anchor, of_url] = match (guide, &url) {
        (Some(guide), Some(url)) => guide.terms_in(&row.anchor, url),
        _ => Default::default(),
    };
    let [anchor, path, page, cited, scored] = RELEVANCE_PARTS.each_ref().map(|part| part.key);
    let value = f64::from(parts.scored) / f64::from(TOP_POINTS);
    let values = LinkValues { citing_hosts: parts.citing_hosts(), scored: value, ..LinkValues::default() };
    let mut found = vec![
        QueuedPart { terms: of_anchor, ..part(anchor, parts.anchor.into()) },
        QueuedPart { of: row.linker.clone(), ..part(page, parts.page.into()) },
        QueuedPart { terms: of_url, ..part(path, parts.url.into()) },
        QueuedPart { of: (RELEVANCE_PARTS[3].why)(&values), ..part(cited, parts.cited_points().into()) },
        QueuedPart { of: (RELEVANCE_PARTS[4].why)(&values), ..part(scored, parts.scored.into()) },
    ];
    found.retain(|part| part.points != 0);
    // More than all counts as all, and less than nothing as nothing.
    let mut sum = 0;
    for part in &mut found {
        let before = sum;
        sum = (sum + part.points).clamp(0, TOP_POINTS.into());
        part.points = sum - before;
    }
    found
}

/// A part as in `anchor “ria” 0.30`, `page 0.21 (http://a.pt/)`.
fn written(part: &QueuedPart) -> String {
    let mut text = part.part.to_owned();
    for term in &part.terms {
        text.push_str(&format!(" “{term}”"));
    }
    text.push_str(&format!(" {:.2}", f64::from(part.points) / f64::from(TOP_POINTS)));
    if !part.of.is_empty() {
        text.push_str(&format!(" ({})", part.of));
    }
    text
}
