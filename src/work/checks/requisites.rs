//! What became of the resources that a page needs.

use crate::analysis::checks::{LackingRequisite, PageSigns, Requisite, RequisiteKind, RequisiteSigns};
use crate::jobs::lock;
use crate::store::rows::LaunchId;
use crate::store::{CapturedAt, Catalogue, HostCapture, StoreError};
use crate::uri::{Fqdn, Url};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// URLs whose captures are remembered: the pages of a site need the same few.
const KNOWN_URLS: usize = 20_000;
/// Missing requisites that are kept of a page.
const MOST_MISSING: usize = 100;
/// Days from which the time of a part is kept.
const FEWEST_DAYS: u64 = 7;
/// Weight in tenths from which an image is large.
const LARGE_IMAGE: u64 = 30;
const DAY_SECONDS: i64 = 86_400;

/// Finds captures of URLs, and remembers them.
pub(super) struct Resources<'c> {
    catalogue: &'c Catalogue,
    known: Mutex<HashMap<String, Arc<Vec<CapturedAt>>>>,
    launches: Mutex<HashMap<LaunchId, bool>>,
    hosts: Mutex<HashMap<String, bool>>,
}

impl<'c> Resources<'c> {
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, known: Mutex::default(), launches: Mutex::default(), hosts: Mutex::default() }
    }

    fn captures(&self, url: &str) -> Result<Arc<Vec<CapturedAt>>, StoreError> {
        if let Some(known) = lock(&self.known).get(url) {
            return Ok(known.clone());
        }
        let found = match Url::parse(url) {
            Ok(url) => self.catalogue.captured_at(&url)?,
            Err(_) => Vec::new(),
        };
        let found = Arc::new(found);
        let mut known = lock(&self.known);
        if known.len() >= KNOWN_URLS {
            known.clear();
        }
        known.insert(url.to_owned(), found.clone());
        Ok(found)
    }

    fn has_resources(&self, launch: LaunchId) -> Result<bool, StoreError> {
        if let Some(known) = lock(&self.launches).get(&launch) {
            return Ok(*known);
        }
        let found = self.catalogue.has_resources(launch)?;
        lock(&self.launches).insert(launch, found);
        Ok(found)
    }

    fn is_captured_host(&self, host: &str) -> Result<bool, StoreError> {
        if let Some(known) = lock(&self.hosts).get(host) {
            return Ok(*known);
        }
        let found = self.catalogue.is_captured_host(host)?;
        lock(&self.hosts).insert(host.to_owned(), found);
        Ok(found)
    }

    /// The resources of a capture; none where its page needs none.
    pub fn of(&self, capture: &HostCapture, page: &PageSigns) -> Result<Option<RequisiteSigns>, StoreError> {
        if page.requisites.is_empty() {
            return Ok(None);
        }
        let own = Url::parse(&capture.url).ok().map(|url| Fqdn::of(&url).registrable().to_owned());
        let mut signs =
            RequisiteSigns { is_without_resources: !self.has_resources(capture.launch)?, ..Default::default() };
        let mut unknown_hosts = BTreeSet::new();
        let mut segments = [0, 0];
        for requisite in &page.requisites {
            let lacking = self.lacking(capture, requisite)?;
            if requisite.kind == RequisiteKind::Segment {
                segments[0] += 1;
                segments[1] += u64::from(lacking.as_ref().is_none_or(|of| of.days.is_some()));
                continue;
            }
            signs.weight += requisite.weight;
            let Some(lacking) = lacking else { continue };
            if lacking.days.is_some() {
                signs.far.push(lacking);
                continue;
            }
            if requisite.kind == RequisiteKind::Script
                && let Ok(url) = Url::parse(&lacking.url)
                && Some(Fqdn::of(&url).registrable()) != own.as_deref()
                && let Some(host) = url.host_str()
                && !self.is_captured_host(&host_with_port(&url, host))?
            {
                unknown_hosts.insert(host.to_owned());
            }
            if signs.missing.len() < MOST_MISSING {
                signs.missing.push(lacking);
            }
        }
        signs.segments = (segments[0] > 0).then_some(segments);
        signs.unknown_script_hosts = unknown_hosts.into_iter().take(10).collect();
        Ok(Some(signs))
    }

    /// Why a requisite is not there as it should be; none where it is.
    fn lacking(&self, capture: &HostCapture, requisite: &Requisite) -> Result<Option<LackingRequisite>, StoreError> {
        let lacking = |url: &str, why: String, rule: String, days| {
            let (kind, weight, url) = (requisite.kind, requisite.weight, url.to_owned());
            LackingRequisite { kind, url, weight, why, rule, days }
        };
        let mut failed = None;
        for url in &requisite.urls {
            let captures = self.captures(url)?;
            let good = |of: &&CapturedAt| (1..400).contains(&of.status);
            let distance = |of: &&CapturedAt| (of.date.seconds() - capture.date.seconds()).unsigned_abs();
            if let Some(nearest) = captures.iter().filter(good).min_by_key(distance) {
                let days = distance(&nearest) / DAY_SECONDS.unsigned_abs();
                let is_seen = matches!(requisite.kind, RequisiteKind::Style | RequisiteKind::Frame)
                    || requisite.kind == RequisiteKind::Image && requisite.weight >= LARGE_IMAGE;
                let changes = captures.iter().filter(good).any(|of| of.digest != nearest.digest);
                let is_far = is_seen && days >= FEWEST_DAYS && changes;
                let why = || format!("its nearest capture is {days} days off");
                return Ok(is_far.then(|| lacking(url, why(), String::new(), Some(days))));
            }
            failed = failed.or(captures.last().map(|of| (url, of.status)));
        }
        let Some(url) = requisite.urls.first() else { return Ok(None) };
        if let Some((url, status)) = failed {
            return Ok(Some(lacking(url, format!("status {status}"), String::new(), None)));
        }
        let seen = self.catalogue.seen_as(capture.launch, url)?;
        let (why, rule) = match seen {
            Some(seen) if seen.is_refused => (format!("refused by {}", seen.rule), seen.rule),
            Some(seen) if seen.is_failed => {
                let why = if seen.why.is_empty() { format!("status {}", seen.status) } else { seen.why };
                // robots.txt is a rule of the campaign, too.
                let is_robots = seen.status == ROBOTS_STATUS;
                (format!("failed: {why}"), if is_robots { "robots.txt".to_owned() } else { String::new() })
            }
            Some(_) => ("the crawl ended before it".to_owned(), String::new()),
            None => ("never seen".to_owned(), String::new()),
        };
        Ok(Some(lacking(url, why, rule, None)))
    }
}

/// Heritrix's status of what robots.txt forbids.
const ROBOTS_STATUS: i32 = -9998;

/// The host as the catalogue has it, with its port where that is no default.
fn host_with_port(url: &Url, host: &str) -> String {
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
