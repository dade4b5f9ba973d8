//! A capture is collected on grounds, such as a permission or the location of its host; the
//! metadata record, the graph and the report name them.

use super::exported_evidence::ExportedEvidence;
use crate::campaign::{Campaign, Criterion, Permission};
use crate::jobs::lock;
use crate::knowledge::ListedEvidence;
use crate::scope::{Candidate, Facts, GeoFact, Permissions};
use crate::store::{StoredCapture, Workspace};
use crate::work::models::CaptureId;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

/// Hosts that are remembered; then all are forgotten.
const MAX_HOSTS: usize = 10_000;

/// The ground that covers a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::work) enum Ground {
    /// The record at this position of the campaign's permissions, from 0.
    Record(usize),
    /// Its host is under a domain of the campaign's grounds.
    Domain,
    /// Its server is in a country of them.
    Hosting,
    /// Nothing.
    None,
}

/// The locations of the hosts of a selection, and its permissions.
pub(in crate::work) struct CaptureGrounds<'a> {
    workspace: &'a Workspace,
    campaign: &'a Campaign,
    /// None where the campaign's records make no sense; its check has the reason.
    permissions: Option<Permissions>,
    /// The files of each record as metadata records list them.
    files: Vec<Value>,
    hosts: Mutex<HashMap<String, GeoFact>>,
    counts: Mutex<BTreeMap<Ground, u64>>,
}

/// The grounds of one capture.
pub(in crate::work) struct KnownGrounds {
    /// The location of its host.
    pub location: GeoFact,
    /// The ground that covers it.
    pub ground: Ground,
    /// The ground as its metadata record has it; null where nothing covers it.
    pub permission: Value,
}

impl<'a> CaptureGrounds<'a> {
    /// The grounds of a campaign, with the evidence that is handed over.
    pub(in crate::work) fn new(workspace: &'a Workspace, campaign: &'a Campaign, evidence: &ExportedEvidence) -> Self {
        let permissions = Permissions::compile(&campaign.permissions, &campaign.grounds).ok();
        let files_of = |record: &Permission| {
            let file = |file: ListedEvidence| json!({ "name": file.name, "path": file.path, "sha256": file.sha256 });
            Value::Array(evidence.of_record(record).into_iter().map(file).collect())
        };
        let files = campaign.permissions.iter().map(files_of).collect();
        Self { workspace, campaign, permissions, files, hosts: Mutex::default(), counts: Mutex::default() }
    }

    /// The location of the host of a capture, and the permission or criterion that covers its URL on
    /// its date. The capture counts for what covers it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of(&self, capture: &StoredCapture) -> anyhow::Result<KnownGrounds> {
        let known = self.known(capture)?;
        *lock(&self.counts).entry(known.ground).or_default() += 1;
        Ok(known)
    }

    /// The number of captures on each ground, of those that [`Self::of`] was called for and without
    /// those left out.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn counts(&self, left_out: &[CaptureId]) -> anyhow::Result<BTreeMap<Ground, u64>> {
        let mut counts = lock(&self.counts).clone();
        for capture in left_out {
            let known = self.known(&self.workspace.catalogue().stored_capture(*capture)?)?;
            counts.entry(known.ground).and_modify(|count| *count = count.saturating_sub(1));
        }
        Ok(counts)
    }

    fn known(&self, capture: &StoredCapture) -> anyhow::Result<KnownGrounds> {
        let host = capture.url.host_str().unwrap_or_default();
        let known = lock(&self.hosts).get(host).cloned();
        let location = match known {
            Some(location) => location,
            None => {
                let location = self.workspace.catalogue().known_location(host)?;
                let mut hosts = lock(&self.hosts);
                if hosts.len() >= MAX_HOSTS {
                    hosts.clear();
                }
                hosts.insert(host.to_owned(), location.clone());
                location
            }
        };
        let facts = Facts { geo: location, date: Some(capture.date), ..Facts::default() };
        let derived =
            self.permissions.as_ref().map(|records| records.derive(&Candidate::bare(capture.url.clone()), &facts));
        let location = facts.geo;
        let Some(derived) = derived.filter(|derived| derived.state.is_some()) else {
            return Ok(KnownGrounds { location, ground: Ground::None, permission: Value::Null });
        };
        let ground = match (derived.record, derived.criterion) {
            (Some(at), _) => Ground::Record(at),
            (None, Some(Criterion::Domain)) => Ground::Domain,
            (None, _) => Ground::Hosting,
        };
        let record = derived.record.and_then(|at| self.campaign.permissions.get(at));
        let text = |of: fn(&Permission) -> &String| record.map(of).filter(|text| !text.trim().is_empty());
        let files = derived.record.and_then(|at| self.files.get(at)).cloned();
        let permission = json!({
            "state": derived.state,
            "criterion": derived.criterion,
            "record": derived.record,
            "covers": record.map(|record| &record.covers),
            "licence": text(|record| &record.licence),
            "evidence": text(|record| &record.evidence),
            "files": files.unwrap_or_else(|| Value::Array(Vec::new())),
            "why": derived.why,
        });
        Ok(KnownGrounds { location, ground, permission })
    }
}
