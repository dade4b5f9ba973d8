//! Real workspaces and small archives for tests; not in the program.
//!
//! [`town`] is made once per run of the tests by what the program itself does:
//! two launches on the sample web, inlinks, a selection, an export, and an
//! import of archives that are broken, cut, doubled, changed and gone. Tests
//! that write take a copy.

#![allow(clippy::unwrap_used)]
// The tests of the window use most of it.
#![cfg_attr(not(feature = "gui"), allow(dead_code, unused_imports))]

mod archives;
mod files;
mod html5lib;
mod server;
mod town;

pub(crate) use archives::{DATE, gzip, page_record, record};
pub(crate) use files::{copy_folder, data, files_under, folder_of_this_run};
pub(crate) use html5lib::dat_cases;
pub(crate) use server::{ScriptedReply, ScriptedServer};
pub(crate) use town::{HOSTILE, far_record, town, write_archives, write_long_archive};

use crate::crawl::Ledger;
use crate::inlinks::stored::load::{LoadInput, LoadOptions, load};
use crate::jobs::JobCx;
use crate::scope::GeoFact;
use crate::store::{LaunchLedger, Workspace};
use crate::work::Session;
use crate::work::sample::HOSTS;
use mmdb_writer::{IpVersion, Value, Writer};
use std::path::Path;

/// A session on a workspace with nothing in it, which goes with its folder.
pub(crate) fn empty_session() -> (tempfile::TempDir, Session) {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("empty")).unwrap());
    (dir, session)
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

/// A revisit of what was captured at another URL by [`page_record`].
pub(crate) fn revisit_record(url: &str, original: &str) -> Vec<u8> {
    let original = format!("WARC-Refers-To: <urn:x:response:{original}:{DATE}>\r\n");
    record("revisit", url, DATE, &original, "")
}

/// The text of a file of the test data; bytes that are no UTF-8 are replaced.
#[track_caller]
pub(crate) fn data_text(name: &str) -> Option<String> {
    let path = data(name)?;
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

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
