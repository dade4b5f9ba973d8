//! Scores of every capture of a campaign, as a selection keeps them.

#![allow(clippy::unwrap_used)]

use fonds::store::rows::{CampaignId, SelectionSpec};
use rusqlite::{Connection, params};
use std::path::Path;

/// Gives the captures of a workspace scores in its first campaign, and keeps a
/// selection by them.
pub fn score_all(folder: &Path) {
    let spec =
        serde_json::to_string(&SelectionSpec { campaign: CampaignId::new(1), ..SelectionSpec::default() }).unwrap();
    let catalogue = Connection::open(folder.join("fonds.sqlite")).unwrap();
    let rows = "PRAGMA synchronous = OFF;
         BEGIN;
         INSERT INTO measure SELECT 1, id, (id % 100) / 100.0, id % 3 = 0, id % 7, id % 4, NULL, 0, 'ria 2 × in title' FROM capture;
         INSERT INTO score SELECT 1, id, (id % 100) / 100.0, id % 100 > 40, '' FROM capture;";
    catalogue.execute_batch(rows).unwrap();
    catalogue.execute("INSERT INTO selection VALUES (1, ?1, 1)", params![spec]).unwrap();
    catalogue.execute_batch("COMMIT;").unwrap();
}
