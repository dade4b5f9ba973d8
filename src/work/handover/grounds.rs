//! Where the host of a capture stands, and on what grounds it was collected, for
//! its metadata record.

use crate::campaign::Campaign;
use crate::scope::{Candidate, Facts, GeoFact, Permissions};
use crate::store::{StoredCapture, Workspace};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hosts that are remembered; then all are forgotten.
const MAX_HOSTS: usize = 10_000;

/// What is known of the hosts of a selection, and of its permissions.
pub(in crate::work) struct CaptureGrounds<'a> {
    workspace: &'a Workspace,
    campaign: &'a Campaign,
    /// None where the campaign's records make no sense; its check says why.
    permissions: Option<Permissions>,
    hosts: Mutex<HashMap<String, GeoFact>>,
}

impl<'a> CaptureGrounds<'a> {
    /// The grounds of a campaign.
    pub(in crate::work) fn new(workspace: &'a Workspace, campaign: &'a Campaign) -> Self {
        let permissions = Permissions::compile(&campaign.permissions, &campaign.grounds).ok();
        Self { workspace, campaign, permissions, hosts: Mutex::default() }
    }

    /// The evidence of where the host of a capture stands, and the permission or
    /// criterion that covers its URL on its date; null where there is none.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of(&self, capture: &StoredCapture) -> anyhow::Result<(Value, Value)> {
        let host = capture.url.host_str().unwrap_or_default();
        let known = self.hosts().get(host).cloned();
        let geo = match known {
            Some(geo) => geo,
            None => {
                let geo = self.workspace.catalogue().known_location(host)?;
                let mut hosts = self.hosts();
                if hosts.len() >= MAX_HOSTS {
                    hosts.clear();
                }
                hosts.insert(host.to_owned(), geo.clone());
                geo
            }
        };
        let location = location(host, &geo);
        let facts = Facts { geo, date: Some(capture.date), ..Facts::default() };
        let derived =
            self.permissions.as_ref().map(|records| records.derive(&Candidate::bare(capture.url.clone()), &facts));
        let permission = derived.filter(|derived| derived.state.is_some()).map(|derived| {
            let record = derived.record.and_then(|at| self.campaign.permissions.get(at));
            json!({
                "state": derived.state,
                "criterion": derived.criterion,
                "record": derived.record,
                "covers": record.map(|record| &record.covers),
                "licence": record.map(|record| &record.licence).filter(|licence| !licence.is_empty()),
                "why": derived.why,
            })
        });
        Ok((location, permission.unwrap_or(Value::Null)))
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<String, GeoFact>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn location(host: &str, geo: &GeoFact) -> Value {
    match geo {
        GeoFact::NotAsked => Value::Null,
        GeoFact::Failed { why } => json!({ "host": host, "failed": why }),
        GeoFact::Known(evidence) => json!({
            "host": host,
            "date": evidence.date.to_warc(),
            "addresses": evidence.addresses,
            "database": evidence.database,
            "databaseBuilt": evidence.database_build.to_warc(),
            "source": evidence.source,
        }),
    }
}
