//! Real workspaces and small archives for tests; not in the program.
//!
//! [`town`] is made once per run of the tests by what the program itself does:
//! two launches on the sample web, inlinks, a selection, an export, and an
//! import of archives that are broken, cut, doubled, changed and gone. Tests
//! that write take a copy.

#![allow(clippy::unwrap_used)]
// The tests of the window use most of it.
#![cfg_attr(not(feature = "gui"), allow(dead_code, unused_imports))]

mod town;

pub(crate) use town::{HOSTILE, far_record, town, write_archives, write_long_archive};

use crate::crawl::Ledger;
use crate::inlinks::stored::load::{LoadInput, LoadOptions, load};
use crate::jobs::JobCx;
use crate::scope::GeoFact;
use crate::store::{LaunchLedger, Workspace};
use crate::work::Session;
use crate::work::sample::HOSTS;
use mmdb_writer::{IpVersion, Value, Writer};
use std::path::{Path, PathBuf};

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let goal = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &goal);
        } else {
            std::fs::copy(&path, &goal).unwrap();
        }
    }
}

/// A session on a workspace with nothing in it, which goes with its folder.
pub(crate) fn empty_session() -> (tempfile::TempDir, Session) {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("empty")).unwrap());
    (dir, session)
}

/// Every file under a folder, in order.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

const LINKS: &str = concat!(
    r#"{"url":"(pt,fct,","count":3,"captureDate":"2024-03-01T09:00","inlinks":["#,
    r#"{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"Fundação"},"#,
    r#"{"date":"2024-03-01T10:00","source":"(pt,jornal,)/n","anchor":"FCT"},"#,
    r#"{"date":"2024-03-02T10:00","source":"(pt,fct,)/sobre","anchor":"Início"}]}"#,
    "\n",
    r#"{"url":"(pt,fct,)/sobre","count":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"X"}]}"#,
    "\n",
    r#"{"url":"(pt,fct,sub,)/x","count":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"X"}]}"#,
    "\n",
    r#"{"url":"(pt,fctx,)/x","count":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"X"}]}"#,
);

/// Loads six links to four pages into a folder.
pub(crate) fn load_links(folder: &Path) {
    let input = LoadInput { name: "lines".to_owned(), input: Box::new(LINKS.as_bytes()) };
    let report = load(folder, vec![input], &LoadOptions::default(), &JobCx::detached()).unwrap();
    assert_eq!((report.bad_lines, report.added.counts.links), (0, 6));
}

/// Keeps what a lookup of a host found, as the last crawl would.
pub(crate) fn keep_geo_fact(session: &Session, host: &str, fact: GeoFact) {
    let launch = session.catalogue().launches(None).unwrap()[0].id;
    let ledger = LaunchLedger::new(std::sync::Arc::clone(session.workspace.catalogue()), launch);
    ledger.keep_geo_facts(&[(host.to_owned(), fact)]).unwrap();
}

/// Host, network and country of every site of the town.
pub(crate) fn town_countries() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    let alive = HOSTS.iter().map(|host| (host.name, format!("127.0.{}.0/24", host.net), host.country));
    alive.chain([("camara-antiga.example", "127.0.22.0/24".to_owned(), "PT")])
}

/// Writes a geolocation database that puts these networks into countries.
pub(crate) fn write_country_database(path: &Path, networks: impl Iterator<Item = (String, &'static str)>) {
    // 2024-06-01
    let built = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_717_200_000);
    let mut writer = Writer::builder("Test-Country").ip_version(IpVersion::V4).build_epoch(built).build();
    for (network, country) in networks {
        let network: ipnet::IpNet = network.parse().unwrap();
        writer.insert_value(network, Value::map([("country_code", country)])).unwrap();
    }
    std::fs::write(path, writer.to_bytes().unwrap()).unwrap();
}
