//! Catalogues whose rows hold what nobody of ours has written.

use super::{Dice, text_of};
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::uri::CaptureDate;
use fonds::warc::RecordBuilder;
use fonds::work;
use fonds::work::Session;
use fonds::work::models::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Values changed at most.
const CHANGES: usize = 12;
/// Rows of each answer that are asked further questions of.
const ROWS: usize = 4;

/// Names a workspace that is spoilt instead of a small one that is made.
const WORKSPACE: &str = "FONDS_FUZZ_WORKSPACE";

/// Rows of a catalogue get other values: whoever looks, writes, builds or
/// exports has an answer or an error, and nothing leaves the folder.
pub fn catalogue(data: &[u8]) {
    question(|path| spoil(path, data));
}

/// All that a workspace is asked and has no answer for, after its catalogue was changed.
pub fn question(change: impl FnOnce(&Path)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("w");
    copy_folder(whole(), &place);
    change(&place.join("fonds.sqlite"));
    let mut questions = Questions::default();
    if let Some(workspace) = questions.record("look", Workspace::open_read_only(&place)) {
        questions.read(&Session::new(workspace));
    }
    if let Some(workspace) = questions.record("open", Workspace::open(&place)) {
        let session = Session::new(workspace);
        questions.read(&session);
        questions.write(&session, &folder.path().join("out"));
    }
    let names = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name());
    assert!(names.into_iter().all(|name| name == "w" || name == "out"), "something was written beside the workspace");
    questions.unanswered
}

/// A workspace with something in most tables.
fn whole() -> &'static Path {
    static WHOLE: OnceLock<PathBuf> = OnceLock::new();
    WHOLE.get_or_init(|| {
        if let Some(named) = std::env::var_os(WORKSPACE) {
            return named.into();
        }
        let dir = tempfile::tempdir().unwrap().keep();
        let session = Session::new(Workspace::create(&dir.join("w")).unwrap());
        let campaign = work::sample::add_sample_campaign(&session).unwrap();
        let archive = dir.join("a.warc.gz");
        fs::write(&archive, pages()).unwrap();
        let cx = JobCx::detached();
        let copied = ImportOptions { copy: true, ..ImportOptions::default() };
        session.import(&[archive, dir.join("missing.warc")], copied, &cx).unwrap();
        session.build_inlinks(false, &cx).unwrap();
        session.mark(&[CaptureId::new(1), CaptureId::new(2)], ReviewMark::Approve, "note", "who").unwrap();
        let spec = SelectionSpec { campaign, filter: "*".to_owned(), ..SelectionSpec::default() };
        session.select(&spec, false, &cx).unwrap();
        dir.join("w")
    })
}

fn pages() -> Vec<u8> {
    let date = |second: i64| CaptureDate::from_millis(1_709_283_600_000 + second * 1000);
    let mut bytes = RecordBuilder::warcinfo("urn:test:info", date(0), "a.warc.gz").compress(b"software: test\r\n");
    for page in 0..4 {
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{page}</title><img src=/i><a href='/{}'>the next</a>\
             <a href='http://other.example/{page}'>another</a>",
            (page + 1) % 4
        );
        let url = format!("http://one.example/{page}");
        let record = RecordBuilder::response(&format!("urn:test:{page}"), date(page), &url);
        bytes.extend(record.compress(block.as_bytes()));
    }
    bytes
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let goal = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &goal);
        } else {
            fs::copy(entry.path(), goal).unwrap();
        }
    }
}

/// Changes rows as SQLite lets anybody: whatever the columns are declared as.
fn spoil(path: &Path, data: &[u8]) {
    let mut dice = Dice::of(data);
    let conn = Connection::open(path).unwrap();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
        .unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.flatten().collect()
    };
    let tables =
        names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name");
    for _ in 0..=dice.below(CHANGES) {
        let table = &tables[dice.below(tables.len())];
        let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
        let column = &columns[dice.below(columns.len())];
        // What SQLite itself refuses is not there to be read.
        let _ = match dice.below(6) {
            0 => {
                let values: Vec<Value> = columns.iter().map(|_| value(&mut dice, data, Value::Null)).collect();
                let marks = vec!["?"; columns.len()].join(", ");
                conn.execute(
                    &format!("INSERT OR REPLACE INTO {table} VALUES ({marks})"),
                    rusqlite::params_from_iter(values),
                )
            }
            1 => conn.execute(&format!("DELETE FROM {table} WHERE abs(random()) % 2 = 0 LIMIT 9"), []),
            _ => {
                let row = format!("FROM {table} LIMIT 1 OFFSET {}", dice.below(40));
                let old =
                    conn.query_row(&format!("SELECT {column} {row}"), [], |row| row.get(0)).unwrap_or(Value::Null);
                let new = value(&mut dice, data, old.clone());
                let one = format!("UPDATE OR IGNORE {table} SET {column} = ?1 WHERE rowid = (SELECT rowid {row})");
                conn.execute(&one, [&new]).or_else(|_| {
                    let replacing = format!("UPDATE OR IGNORE {table} SET {column} = ?1 WHERE {column} IS ?2");
                    conn.execute(&replacing, [&new, &old])
                })
            }
        };
    }
    let invalid = names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'setting'");
    if dice.below(8) == 0 && !invalid.is_empty() {
        let _ = conn.execute("UPDATE setting SET value = CAST(x'ff00fe' AS TEXT) WHERE name = 'window_days'", []);
    }
}

fn value(dice: &mut Dice, data: &[u8], old: Value) -> Value {
    const NUMBERS: [i64; 12] = [
        i64::MIN,
        i64::MIN + 1,
        -253_402_300_800_001,
        -1,
        0,
        2,
        255,
        1 << 31,
        1 << 53,
        253_402_300_800_000,
        i64::MAX - 1,
        i64::MAX,
    ];
    const TEXTS: [&str; 22] = [
        "",
        "../../x",
        "/dev/zero",
        "/proc",
        "20240301090000",
        "running",
        "stopped",
        "crawl",
        "import",
        "read",
        "{}",
        "[]",
        "[[",
        "null",
        "{\"name\":1,\"seeds\":[{\"url\":\"x\"}]}",
        "\u{202e}\u{9b}31m",
        "a\0b",
        "http://[::1]:99999/",
        "pt,a)/",
        "(pt,a,)/",
        "%",
        "revisit",
    ];
    match dice.below(9) {
        0 => Value::Null,
        1 | 2 => Value::Integer(dice.below(6) as i64),
        3 => Value::Integer(NUMBERS[dice.below(NUMBERS.len())]),
        4 => Value::Real([f64::INFINITY, -1e308, 0.5, f64::MIN_POSITIVE][dice.below(4)]),
        5 => Value::Text(TEXTS[dice.below(TEXTS.len())].to_owned()),
        6 => Value::Text(text_of(data).chars().take(400).collect()),
        7 => Value::Blob(data.iter().copied().take(400).collect()),
        _ => match old {
            Value::Text(text) if !text.is_empty() => {
                let mut bytes = text.into_bytes();
                let at = dice.below(bytes.len());
                match dice.below(3) {
                    0 => bytes.truncate(at),
                    1 => bytes[at] = b"0\"[]{}-9 /\\\xff"[dice.below(12)],
                    _ => bytes.extend_from_within(at..),
                }
                Value::Text(String::from_utf8_lossy(&bytes).into_owned())
            }
            Value::Integer(number) => Value::Integer(number.wrapping_mul(dice.below(5) as i64 - 2)),
            other => other,
        },
    }
}

/// Questions, and which of them had no answer.
#[derive(Default)]
struct Questions {
    unanswered: Vec<String>,
}

impl Questions {
    fn record<T, E: std::fmt::Display>(&mut self, what: &str, answer: Result<T, E>) -> Option<T> {
        answer.map_err(|error| self.unanswered.push(format!("{what}: {error:#}"))).ok()
    }

    /// Everything that can be asked.
    fn read(&mut self, session: &Session) {
        let (cx, catalogue) = (JobCx::detached(), session.workspace.catalogue());
        self.record("workspace", session.workspace());
        let campaigns = self.record("campaigns", session.catalogue().campaigns()).unwrap_or_default();
        for id in campaigns.iter().map(|row| row.id).take(ROWS) {
            self.record("campaign", session.catalogue().campaign_page(id));
            for launches in [Launches::Last, Launches::All] {
                self.record("crawl", session.crawl(Some(id), launches));
            }
            self.record("selection", session.selection(id));
            self.record("selected hosts", session.catalogue().selected_hosts(id, true));
            self.record("rule hits", fonds::work::rule_hits(session, id, None, &cx));
            self.record("geo report", fonds::work::geo_report(session, id, None, &cx));
            self.record("versions", catalogue.campaign_versions(id));
            if let Some((_, campaign)) = self.record("specification", catalogue.campaign(id)) {
                self.record("what if", fonds::work::what_if(session, id, None, &campaign, &cx));
                self.record("evidence", work::check_evidence(session, &campaign, &cx));
            }
        }
        for state in ["all", "queued", "refused", "fetched", "failed"] {
            let launches = Launches::All;
            let query = SeenQuery {
                campaign: None,
                launches,
                state,
                filter: String::new(),
                sort: Vec::new(),
                offset: 0,
                limit: 50,
            };
            let rows = self.record("seen", session.catalogue().seen(&query)).map(|page| page.rows);
            rows.iter()
                .flatten()
                .take(ROWS)
                .for_each(|row| drop(self.record("why", fonds::work::why(session, row.id))));
        }
        for launch in self.record("launches", catalogue.launch_ids(None)).unwrap_or_default().into_iter().take(ROWS) {
            self.record("launch", catalogue.launch(launch));
            self.record(
                "events",
                session.catalogue().events(&EventQuery { launch, kind: None, each: true, offset: 0, limit: 50 }),
            );
        }
        for filter in ["", "host:one.example status>=200 date>=2019 inlinks.ext>=0", "re:."] {
            let query = CaptureQuery { filter: filter.to_owned(), limit: 50, ..work::everything() };
            self.record("tabs", session.catalogue().tab_counts(&query));
            let rows = self.record("captures", session.catalogue().captures(&query)).map(|page| page.rows);
            for row in rows.iter().flatten().take(ROWS) {
                self.record("detail", session.detail(row.id, 30));
                self.record("content", session.content(row.id));
                self.record("inlinks", session.workspace.inlinks_of_capture(row.id, 30));
                self.record("outlinks", session.catalogue().outlinks(row.id));
                self.record("anchors", session.anchors(row.id, 30));
                self.record("file of capture", session.file_of_capture(row.id));
            }
        }
        self.record("prospects", session.prospects(&fonds::store::rows::ProspectQuery::new(None, "", 0, 20)));
        self.record("top anchors", session.top_anchors(20));
        self.record("geo choice", session.geo_choice());
        self.record("jobs", session.job_history(20));
        self.record("inlinks of", session.inlinks_of("http://one.example/1", 30));
        for file in self.record("files", session.workspace.files()).unwrap_or_default().iter().take(ROWS) {
            self.record("file", session.workspace.file(file.id));
        }
        let problems = self.record("problems", session.catalogue().problems(&ProblemQuery::default()));
        for problem in problems.iter().flat_map(|page| &page.rows).take(ROWS) {
            self.record("problem", fonds::work::problem_detail(&session.workspace, problem.id));
            self.record("problem record", fonds::work::problem_record(&session.workspace, problem.id, &cx));
        }
        for import in
            self.record("imports", fonds::work::imports(&session.workspace)).unwrap_or_default().iter().take(ROWS)
        {
            self.record("passed paths", session.catalogue().passed_paths(import.launch));
            self.record("imported", session.catalogue().imported_files(import.launch));
            self.record("import records", fonds::work::import_records(&session.workspace, import.launch, None, &cx));
        }
        self.record("documents", work::documents(&session.workspace, false, &cx));
    }

    /// Everything that writes or builds, but no crawl.
    fn write(&mut self, session: &Session, out: &Path) {
        let cx = JobCx::detached();
        self.record("check", session.check_files(&cx));
        self.record("build", session.build_inlinks(false, &cx));
        self.record("window", session.set_window(9, &cx));
        self.record("undo", session.undo_mark());
        self.record("redo", session.redo_mark());
        self.record("mark", session.mark(&[CaptureId::new(1), CaptureId::new(3)], ReviewMark::Reject, "", ""));
        let filter = "*".to_owned();
        let spec =
            SelectionSpec { campaign: CampaignId::new(1), filter, with_requisites: true, ..SelectionSpec::default() };
        self.record("select", session.select(&spec, false, &cx));
        self.record("export", session.export(&spec, &out.join("export"), work::ExportWishes::default(), &cx));
        for form in [LinkForm::Gexf, LinkForm::CsvHosts, LinkForm::Dataset, LinkForm::Nutch] {
            self.record("links", session.export_links(form, out, &cx));
        }
        self.record("backup", work::back_up(&session.workspace, &out.join("backup"), &cx));
        let of_none = ImportOptions { campaign: CampaignChoice::None, ..ImportOptions::default() };
        self.record("import", session.import(&[whole().join("imports")], of_none, &cx));
        self.record("locate", session.locate(whole(), None, &cx));
        self.record("vacuum", session.workspace.catalogue().vacuum());
    }
}
