//! The signs of what a page needs: what is missing, what is of another time.

use crate::analysis::checks::{LackingRequisite, PageSigns, RequisiteKind, RequisiteSigns};
use crate::jobs::lock;
use crate::scope::rule_label;
use crate::store::rows::LaunchId;
use crate::store::{Catalogue, HoleState, HostCapture, Need, NeedReader, NeedState, StoreError};
use crate::uri::{Fqdn, Url};
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

/// Days from which the time of a part is kept.
const FEWEST_DAYS: u64 = 7;
/// Weight in tenths from which an image is large.
const LARGE_IMAGE: u64 = 30;

/// Finds what became of the requisites of pages.
pub(super) struct Resources<'c> {
    catalogue: &'c Catalogue,
    needs: NeedReader<'c>,
    launches: Mutex<HashMap<LaunchId, bool>>,
    hosts: Mutex<HashMap<String, bool>>,
}

impl<'c> Resources<'c> {
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, needs: NeedReader::new(catalogue), launches: Mutex::default(), hosts: Mutex::default() }
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
        for need in self.needs.fates(capture.date, &page.requisites)? {
            if need.kind == RequisiteKind::Segment {
                segments[0] += 1;
                segments[1] += u64::from(need.hole().is_none());
                continue;
            }
            signs.weight += need.weight;
            let Some(lacking) = lacking(&need).filter(|of| of.weight > 0) else { continue };
            if lacking.days.is_some() {
                signs.far.push(lacking);
                continue;
            }
            if need.kind == RequisiteKind::Script
                && let Ok(url) = Url::parse(&lacking.url)
                && Some(Fqdn::of(&url).registrable()) != own.as_deref()
                && let Some(host) = url.host_str()
                && !self.is_captured_host(&host_with_port(&url, host))?
            {
                unknown_hosts.insert(host.to_owned());
            }
            signs.missing.push(lacking);
        }
        signs.segments = (segments[0] > 0).then_some(segments);
        signs.unknown_script_hosts = unknown_hosts.into_iter().take(10).collect();
        Ok(Some(signs))
    }
}

/// Why a requisite is not there as it should be; none where it is.
fn lacking(need: &Need) -> Option<LackingRequisite> {
    let (kind, weight, url) = (need.kind, need.weight, need.url.clone());
    match &need.state {
        NeedState::Captured { days, changes, .. } => {
            let is_seen = matches!(kind, RequisiteKind::Style | RequisiteKind::Frame)
                || kind == RequisiteKind::Image && weight >= LARGE_IMAGE;
            let days = days.unsigned_abs();
            let why = format!("its nearest capture is {days} days off");
            let far = LackingRequisite { kind, url, weight, why, rule: String::new(), days: Some(days) };
            (is_seen && days >= FEWEST_DAYS && *changes).then_some(far)
        }
        NeedState::Missing(hole) => {
            let rule = match hole {
                HoleState::Refused { rule } => rule_label(rule).to_owned(),
                _ => String::new(),
            };
            Some(LackingRequisite { kind, url, weight, why: hole.label(), rule, days: None })
        }
    }
}

/// The host as the catalogue has it, with its port where that is no default.
fn host_with_port(url: &Url, host: &str) -> String {
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
