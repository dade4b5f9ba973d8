//! The sample town, crawled twice, with archives of others imported beside.

use super::{copy_folder, folder_of_this_run, gzip, page_record};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::store::Workspace;
use crate::work::models::{CampaignId, CaptureQuery, ImportOptions, ReviewMark, SelectionSpec};
use crate::work::sample::run_demo;
use crate::work::{self, Session};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A page whose title tries to move the terminal and to turn the reading order.
pub(crate) const HOSTILE: &str = "http://evil.example/invoice";

/// The workspace that all tests share. Nobody writes into it.
pub(crate) struct Town {
    /// The workspace.
    pub workspace: PathBuf,
    /// The folder that was imported.
    pub archives: PathBuf,
}

impl Town {
    /// A copy of the workspace in `root`, for a test that writes. Imported
    /// archives stay where they are.
    pub(crate) fn copy(&self, root: &Path) -> PathBuf {
        let folder = root.join("town");
        copy_folder(&self.workspace, &folder);
        folder
    }
}

/// The town of this run of the tests, made at its first use.
pub(crate) fn town() -> &'static Town {
    static TOWN: OnceLock<Town> = OnceLock::new();
    TOWN.get_or_init(|| make(&folder_of_this_run(&std::env::temp_dir(), "fonds-test-town-")))
}

fn make(folder: &Path) -> Town {
    let cx = JobCx::detached();
    let report = run_demo(folder, &cx, &|_| {}).unwrap();
    let archives = folder.join("old");
    write_archives(&archives);
    let session = Session::new(Workspace::open(&report.workspace).unwrap());
    // Tests of the search index them.
    std::fs::remove_dir_all(work::index_folder(&session.workspace)).unwrap();
    session.import(std::slice::from_ref(&archives), ImportOptions::default(), &cx).unwrap();
    session.build_inlinks(false, &cx).unwrap();
    review(&session);
    let spec = SelectionSpec { campaign: CampaignId::new(1), ..SelectionSpec::default() };
    session.select(&spec, false, &cx).unwrap();
    let elections = Campaign { active: false, ..work::sample::example_campaign() };
    session.save_campaign(None, &Campaign { name: "Elections".to_owned(), ..elections }).unwrap();
    // What a disk does with archives over the years.
    std::fs::remove_file(archives.join("gone.warc")).unwrap();
    std::fs::write(archives.join("changed.warc"), page_record("http://changed.example/", "other")).unwrap();
    Town { workspace: report.workspace, archives }
}

/// A person takes pages in that have too low a score, and puts others out.
fn review(session: &Session) {
    let decide = |filter: &str, captures: u64, mark| {
        let query = CaptureQuery {
            campaign: Some(CampaignId::new(1)),
            filter: filter.to_owned(),
            limit: captures,
            ..work::everything()
        };
        let rows = session.catalogue().captures(&query).unwrap().rows;
        let ids: Vec<_> = rows.into_iter().map(|row| row.id).collect();
        session.mark(&ids, mark, "", "Ana Reis").unwrap();
    };
    decide("selected:no page:yes status:200", 2, ReviewMark::Approve);
    decide("selected:yes page:yes", 4, ReviewMark::Reject);
}

/// Writes the archives that the town imports, as they were then.
pub(crate) fn write_archives(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let write = |name: &str, records: &[Vec<u8>]| std::fs::write(folder.join(name), records.concat()).unwrap();
    let page = |host: &str| page_record(&format!("http://{host}.example/"), &format!("<title>{host}</title>"));
    let title = "Invoice \u{202e}gpj.exe \u{1b}[31m\u{200b}end";
    let hostile =
        page_record(HOSTILE, &format!("<meta charset=utf-8><title>{title}</title><a href=/report>o relatório</a>"));
    let mut torn = page("torn");
    torn.truncate(torn.len() - 20);
    write("damaged.warc", &[hostile, nameless(page("nameless")), torn]);
    std::fs::copy(folder.join("damaged.warc"), folder.join("doubled.warc")).unwrap();
    write("gone.warc", &[page("gone")]);
    write("changed.warc", &[page("changed")]);
    std::fs::write(folder.join("letter.warc"), "Dear archivist, this is no archive.\n").unwrap();
    std::fs::write(folder.join("notes.txt"), "no archive\n").unwrap();
}

/// A record without its number.
fn nameless(record: Vec<u8>) -> Vec<u8> {
    String::from_utf8(record).unwrap().replace("WARC-Record-ID", "X-Record-ID").into_bytes()
}

/// An archive with more than can be read before a person stops it.
pub(crate) fn write_long_archive(path: &Path) {
    let page = |number: u32| page_record(&format!("http://long.example/{number}"), "<a href=/>home</a>");
    std::fs::write(path, (0..40_000).map(page).collect::<Vec<_>>().concat()).unwrap();
}

/// A compressed member that records share; one that has no number is far inside.
pub(crate) fn far_record() -> Vec<u8> {
    let filling = page_record("http://far.example/first", &" ".repeat(160 << 20));
    let record = nameless(page_record("http://far.example/", "far inside"));
    let last = page_record("http://far.example/last", "");
    gzip([filling, record, last].concat())
}
