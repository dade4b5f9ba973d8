//! Workspaces and folders of strangers: nothing in them leads out of them.
#![cfg(unix)]

use crate::archive::write;
use crate::files::{made, warc};
use crate::program::{CallResult, arg, fonds, fonds_with};
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::work;
use fonds::work::Session;
use fonds::work::models::CampaignId;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// What the user has beside the workspace and nobody else may change.
const THESIS: &str = "years of work";

/// A stranger's workspace with a campaign of one page, and the user's own
/// folder beside it with a file in it.
struct HostileWorkspace {
    dir: tempfile::TempDir,
    workspace: PathBuf,
    own: PathBuf,
    thesis: PathBuf,
}

impl HostileWorkspace {
    fn new() -> Self {
        let (dir, workspace, own) = made();
        let thesis = write(&own, "thesis.txt", THESIS.as_bytes());
        let spec = serde_json::json!({
            "name": "Small", "seeds": [{"url": format!("http://127.0.0.1:{}/", serve())}],
            "rules": [{"rule": "reject_all"}, {"rule": "seed_scope"}, {"rule": "too_many_hops", "max_hops": 0}],
            "politeness": {
                "user_agent": "Mozilla/5.0 (compatible; tester; +https://archive.example.org/bot)",
                "delay_factor": 0.0, "min_delay_ms": 0, "allow_private_addresses": true, "robots": "ignore",
            },
            "limits": {"disk_floor_bytes": 0},
        });
        fonds_with(&["campaign", "add", arg(&workspace), "-"], spec.to_string().as_bytes()).with_status(0);
        Self { dir, workspace, own, thesis }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    /// A link in the workspace; what has the name goes.
    fn link(&self, name: &str, target: &Path) {
        let path = self.path(name);
        match path.is_dir() && !path.is_symlink() {
            true => fs::remove_dir_all(&path).unwrap(),
            false => drop(fs::remove_file(&path)),
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    #[track_caller]
    fn call(&self, before: &[&str], after: &[&str]) -> CallResult {
        let output = fonds(&[before, &[arg(&self.workspace)], after].concat());
        self.assert_untouched();
        output
    }

    #[track_caller]
    fn crawl(&self) -> CallResult {
        self.call(&["crawl"], &["1"])
    }

    fn sql(&self, sql: &str) {
        rusqlite::Connection::open(self.path("fonds.sqlite")).unwrap().execute_batch(sql).unwrap();
    }

    /// The user's folder is as it was.
    #[track_caller]
    fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(&self.thesis).unwrap(), THESIS);
        let names: Vec<_> = fs::read_dir(&self.own).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["thesis.txt"], "something was written into the user's folder");
    }
}

/// A pipe: whoever opens it waits for its other end.
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A server of small pages.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            std::thread::spawn(move || {
                let lines = BufReader::new(socket.try_clone().unwrap()).lines();
                for _ in lines.map_while(Result::ok).filter(|line| line.starts_with("GET ")) {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n<p>Page";
                    drop(socket.write_all(answer));
                }
            });
        }
    });
    port
}

#[test]
fn a_lock_file_that_is_a_link_leads_nowhere() {
    let hostile = HostileWorkspace::new();
    hostile.link("fonds.lock", &hostile.thesis);
    hostile.crawl().with_status(2).with_message("fonds.lock: this is a link");
    hostile.call(&["select", "run"], &["1", "--filter", "*"]).with_status(2).with_message("Delete it");
    // Whoever only looks needs no lock.
    hostile.call(&["captures"], &[]).with_status(0);
    fs::remove_file(hostile.path("fonds.lock")).unwrap();
    pipe(&hostile.path("fonds.lock"));
    hostile.crawl().with_status(2).with_message("fonds.lock: this is no regular file");
    fs::remove_file(hostile.path("fonds.lock")).unwrap();
    hostile.crawl().with_status(0);
}

#[test]
fn files_at_names_of_our_own_are_written_through_no_link() {
    let hostile = HostileWorkspace::new();
    let versions = "output/warcs/small/campaign.v1.json";
    hostile.link(&format!("{versions}.open"), &hostile.thesis);
    hostile.crawl().with_status(0);
    assert!(fs::read_to_string(hostile.path(versions)).unwrap().contains("Small"));
    // A launch that goes on writes into logs that are there.
    hostile.sql("UPDATE launch SET state = 'stopped', ended_ms = NULL; UPDATE seen SET state = 0");
    let logs = fs::read_dir(hostile.path("output/logs/small")).unwrap().next().unwrap().unwrap().path();
    let log = format!("output/logs/small/{}/crawl.log", logs.file_name().unwrap().to_str().unwrap());
    let kept = fs::read(hostile.path(&log)).unwrap();
    hostile.link(&log, &hostile.thesis);
    hostile.crawl().with_status(2).with_message("crawl.log: this is a link");
    fs::remove_file(hostile.path(&log)).unwrap();
    fs::write(hostile.path(&log), kept).unwrap();
    // So does one that mends what a kill left.
    let warcs = logs.file_name().unwrap().to_str().unwrap().to_owned();
    let name = format!("output/warcs/small/{warcs}/x-20240301090000000-00001.warc.gz.open");
    hostile.link(&name, &hostile.thesis);
    hostile.crawl().with_status(2).with_message(".open: this is a link");
}

#[test]
fn a_catalogue_that_is_a_link_is_not_opened() {
    let hostile = HostileWorkspace::new();
    let elsewhere = hostile.dir.path().join("elsewhere.sqlite");
    fs::rename(hostile.path("fonds.sqlite"), &elsewhere).unwrap();
    hostile.link("fonds.sqlite", &elsewhere);
    let before = fs::read(&elsewhere).unwrap();
    hostile.crawl().with_status(2).with_message("fonds.sqlite: this is a link");
    hostile.call(&["captures"], &[]).with_status(2).with_message("fonds.sqlite: this is a link");
    assert!(fs::read(&elsewhere).unwrap() == before);
    fs::remove_file(hostile.path("fonds.sqlite")).unwrap();
    fs::rename(&elsewhere, hostile.path("fonds.sqlite")).unwrap();
    for beside in ["fonds.sqlite-wal", "fonds.sqlite-shm", "fonds.sqlite-journal"] {
        hostile.link(beside, &hostile.thesis);
        hostile.crawl().with_status(2).with_message(&format!("{beside}: this is a link"));
        fs::remove_file(hostile.path(beside)).unwrap();
    }
    hostile.crawl().with_status(0);
}

#[test]
fn folders_of_a_workspace_that_are_links_are_not_written_into() {
    let file = warc("one", 3);
    for name in ["output", "output/warcs", "output/logs", "output/warcs/small"] {
        let hostile = HostileWorkspace::new();
        hostile.link(name, &hostile.own);
        hostile.crawl().with_status(2).with_message(&format!("{name}: this is a link"));
        fs::remove_file(hostile.path(name)).unwrap();
        hostile.crawl().with_status(0);
    }
    let hostile = HostileWorkspace::new();
    let source = write(hostile.dir.path(), "a.warc.gz", &file);
    hostile.link("imports", &hostile.own);
    hostile.call(&["import"], &["--copy", arg(&source)]).with_status(2).with_message("imports: this is a link");
    hostile.call(&["import"], &[arg(&source)]).with_status(0);
    for name in ["inlinks/built", "inlinks"] {
        hostile.link(name, &hostile.own);
        hostile.call(&["inlinks", "build"], &[]).with_status(2).with_message(&format!("{name}: this is a link"));
    }
    let lines = write(hostile.dir.path(), "links.tsv", b"pt,a)/\t20240301090000\n");
    hostile.call(&["inlinks", "load"], &[arg(&lines)]).with_status(2).with_message("inlinks: this is a link");
    hostile.link("exports", &hostile.own);
    hostile.call(&["select", "run"], &["1", "--filter", "*"]).with_status(0);
    let out = hostile.path("exports/new");
    hostile.call(&["export"], &["--out", arg(&out)]).with_status(2).with_message("exports: this is a link");
    // An export builds inlinks first.
    hostile
        .call(&["export"], &["--out", arg(&hostile.dir.path().join("out"))])
        .with_status(2)
        .with_message("inlinks: this is a link");
    fs::remove_file(hostile.path("inlinks")).unwrap();
    // What an export is called until it is whole.
    fs::remove_file(hostile.path("exports")).unwrap();
    fs::write(hostile.own.join("export.lock"), "").unwrap();
    hostile.link("exports/new.open", &hostile.own);
    let output = fonds(&["export", arg(&hostile.workspace), "--out", arg(&out)]).with_status(2);
    assert!(output.err.contains("new.open"), "{}", output.err);
    assert_eq!(fs::read_dir(&hostile.own).unwrap().count(), 2);
}

#[test]
fn evidence_is_copied_into_no_foreign_folder_and_out_of_none() {
    let hostile = HostileWorkspace::new();
    let letter = write(hostile.dir.path(), "letter.pdf", b"yes");
    let session = || Session::new(Workspace::open(&hostile.workspace).unwrap());
    let (_, mut campaign) = session().workspace.catalogue().campaign(CampaignId::new(1)).unwrap();
    campaign.permissions.push(fonds::campaign::Permission::default());
    session().workspace.catalogue().save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
    hostile.link("evidence", &hostile.own);
    let attach =
        || work::attach_evidence(&session(), CampaignId::new(1), 0, std::slice::from_ref(&letter), &JobCx::detached());
    assert!(attach().unwrap_err().to_string().contains("evidence: this is a link"));
    hostile.assert_untouched();
    fs::remove_file(hostile.path("evidence")).unwrap();
    let place = hostile.path(&attach().unwrap()[0].path);
    // A copy that is a link is no copy.
    let elsewhere = write(hostile.dir.path(), "other.pdf", b"yes");
    fs::remove_file(&place).unwrap();
    symlink(&elsewhere, &place).unwrap();
    attach().unwrap();
    assert!(!place.is_symlink() && fs::read(&place).unwrap() == b"yes");
    hostile.link("evidence/secret", &hostile.thesis);
    let out = hostile.dir.path().join("backup");
    hostile.call(&["backup"], &[arg(&out)]).with_status(2).with_message("evidence/secret: this is a link");
}

#[test]
fn names_out_of_the_catalogue_are_no_paths() {
    let hostile = HostileWorkspace::new();
    hostile.crawl().with_status(0);
    let before = |folder: &Path| fs::read_dir(folder).unwrap().count();
    let beside = before(hostile.dir.path());
    for name in
        ["../../../../escaped", "20240301090000/../x", "2024030109000", "/tmp/escaped", "２０２４０３０１０９００００"]
    {
        hostile.sql(&format!("UPDATE launch SET launch = '{name}', state = 'running', ended_ms = NULL"));
        hostile.crawl().with_status(2).with_message("14 digits");
    }
    assert_eq!(before(hostile.dir.path()), beside);
    for name in ["../old/thesis.txt", "imports/../../old/thesis.txt"] {
        let hostile = HostileWorkspace::new();
        let source = write(hostile.dir.path(), "a.warc", &crate::files::plain_warc("one", 3));
        hostile.call(&["import"], &["--copy", arg(&source)]).with_status(0);
        hostile.sql(&format!("UPDATE warc_file SET path = '{name}'"));
        let list = hostile.call(&["files", "list", "--check"], &[]).with_status(1).out;
        assert!(list.contains("missing"), "{list}");
        hostile.call(&["select", "run"], &["1", "--filter", "*"]);
        let out = hostile.dir.path().join("export");
        hostile.call(&["export"], &["--out", arg(&out)]).with_message("leads out of the workspace");
        // The copy that grew takes the place of the old one, which goes.
        let longer = [fs::read(&source).unwrap(), crate::files::plain_warc("two", 3)].concat();
        fs::write(&source, longer).unwrap();
        hostile.call(&["import"], &["--copy", arg(&source)]);
    }
}

#[test]
fn a_pipe_or_device_in_the_place_of_an_archive_is_waited_for_by_nobody() {
    for place in ["pipe.warc.gz", "/dev/zero", "/proc"] {
        let hostile = HostileWorkspace::new();
        let source = write(hostile.dir.path(), "a.warc.gz", &warc("one", 3));
        hostile.call(&["import"], &[arg(&source)]).with_status(0);
        hostile.call(&["select", "run"], &["1", "--filter", "*"]);
        pipe(&hostile.path("pipe.warc.gz"));
        hostile.sql(&format!("UPDATE warc_file SET path = '{place}', size = 0, sha256 = ''"));
        let list = hostile.call(&["files", "list", "--check"], &[]).with_status(1).out;
        assert!(list.contains("missing"), "{list}");
        let out = hostile.dir.path().join("export");
        hostile.call(&["export"], &["--out", arg(&out)]).with_message("no regular file");
        hostile.call(&["files", "problems"], &[]);
        hostile.call(&["import"], &[arg(&source)]);
    }
    // A file whose bytes are waited for, though it has none by its size.
    let hostile = HostileWorkspace::new();
    let source = write(hostile.dir.path(), "a.warc.gz", &warc("one", 3));
    hostile.call(&["import"], &[arg(&source)]).with_status(0);
    hostile.call(&["select", "run"], &["1", "--filter", "*"]);
    hostile.sql("UPDATE warc_file SET path = '/proc/kmsg', size = 0, sha256 = ''; UPDATE launch SET kind = 'crawl'");
    hostile.call(&["files", "list", "--check"], &[]);
    hostile.call(&["export"], &["--out", arg(&hostile.dir.path().join("export"))]).with_message("/proc/kmsg");
    // In the folder of a launch that goes on.
    let hostile = HostileWorkspace::new();
    hostile.crawl().with_status(0);
    hostile.sql("UPDATE launch SET state = 'stopped', ended_ms = NULL; UPDATE seen SET state = 0");
    let mut folder = fs::read_dir(hostile.path("output/warcs/small")).unwrap().map(|entry| entry.unwrap().path());
    let folder = folder.find(|path| path.is_dir()).unwrap();
    for name in ["x-00009.warc.gz", "x-00009.warc.gz.open"] {
        pipe(&folder.join(name));
        hostile.crawl().with_status(2).with_message("no regular file");
        fs::remove_file(folder.join(name)).unwrap();
    }
    hostile.crawl().with_status(0);
}

#[test]
fn a_list_of_index_files_names_no_file_of_the_user() {
    for name in ["../../own/thesis.txt", "ABSOLUTE", "thesis.txt", "0123456789abcdef0123456789abcdef/../../x.term"] {
        let hostile = HostileWorkspace::new();
        let source = write(hostile.dir.path(), "a.warc.gz", &warc("one", 3));
        hostile.call(&["import"], &[arg(&source), "--index"]).with_status(0);
        let thesis = hostile.thesis.canonicalize().unwrap();
        let name = match name {
            "ABSOLUTE" => thesis.to_str().unwrap().to_owned(),
            "../../own/thesis.txt" => {
                format!("../../{}/thesis.txt", hostile.own.file_name().unwrap().to_str().unwrap())
            }
            name => name.to_owned(),
        };
        let list = hostile.path("index/.managed.json");
        let mut names: Vec<String> = serde_json::from_slice(&fs::read(&list).unwrap()).unwrap();
        names.push(name.clone());
        fs::write(&list, serde_json::to_vec(&names).unwrap()).unwrap();
        // Whoever only looks does without it; whoever writes makes the index again, with a list of its own.
        hostile.call(&["search"], &["page"]).with_message("Build it: fonds index");
        let built = hostile.call(&["index"], &[]).with_status(0).out;
        assert!(built.contains("built from scratch"), "{name}: {built}");
        hostile.call(&["search"], &["page"]).with_status(0);
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_index_or_inlinks_is_waited_for_by_nobody() {
    let hostile = HostileWorkspace::new();
    let source = write(hostile.dir.path(), "a.warc.gz", &warc("one", 3));
    hostile.call(&["import"], &[arg(&source), "--index"]).with_status(0);
    hostile.call(&["inlinks", "build"], &[]).with_status(0);
    let of = |folder: &str, ending: &str| {
        let mut files = fs::read_dir(hostile.path(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.find(|path| path.to_string_lossy().ends_with(ending)).unwrap()
    };
    for ending in [".term", "near.bin", ".managed.json", ".tantivy-writer.lock"] {
        let file = match ending {
            ".tantivy-writer.lock" => hostile.path("index/.tantivy-writer.lock"),
            ending => of("index", ending),
        };
        drop(fs::remove_file(&file));
        pipe(&file);
        for command in [&["search"][..], &["index", "--check"]] {
            hostile.call(&command[..1], &[&command[1..], &["page"][..usize::from(command.len() == 1)]].concat());
        }
        hostile.call(&["index"], &[]).with_status(0);
        assert!(fs::symlink_metadata(&file).map_or(true, |meta| meta.is_file()), "{ending} is a pipe still");
    }
    for ending in ["links.json", ".seg"] {
        let file = of("inlinks/built", ending);
        fs::remove_file(&file).unwrap();
        pipe(&file);
        hostile.call(&["inlinks", "top"], &[]);
        hostile.call(&["inlinks", "build", "--anew"], &[]);
        drop(fs::remove_file(&file));
        hostile.call(&["inlinks", "build", "--anew"], &[]).with_status(0);
    }
}

#[test]
fn links_in_a_folder_to_import_are_followed_out_of_it_only_on_request() {
    let hostile = HostileWorkspace::new();
    let (given, outside) = (hostile.dir.path().join("given"), hostile.dir.path().join("outside"));
    fs::create_dir_all(given.join("in")).unwrap();
    fs::create_dir(&outside).unwrap();
    write(&given.join("in"), "a.warc.gz", &warc("one", 3));
    write(&outside, "secret.warc.gz", &warc("secret", 3));
    symlink(&outside, given.join("folder")).unwrap();
    symlink(outside.join("secret.warc.gz"), given.join("file.warc.gz")).unwrap();
    symlink(given.join("in/a.warc.gz"), given.join("same.warc.gz")).unwrap();
    symlink("/etc/passwd", given.join("passwd")).unwrap();
    let files = |output: CallResult| -> Vec<(String, String)> {
        let field = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        output.json_lines().iter().map(|row| (field(row, "outcome"), field(row, "path"))).collect()
    };
    let output = hostile.call(&["import"], &[arg(&given), "--copy", "--json"]).with_status(1);
    let rows = files(output);
    let read: Vec<_> = rows.iter().filter(|row| row.0 == "read").map(|row| row.1.clone()).collect();
    assert_eq!(read, [arg(&given.canonicalize().unwrap().join("in/a.warc.gz"))], "{rows:?}");
    let unread: Vec<_> = rows.iter().filter(|row| row.0 == "unread").collect();
    assert_eq!(unread.len(), 2, "{rows:?}");
    let report = hostile.call(&["files", "report"], &[]).with_status(1).out;
    assert!(report.contains("leads out of the folder") && report.contains("--follow-links"), "{report}");
    assert_eq!(fs::read_dir(hostile.path("imports")).unwrap().count(), 1, "more than one file was copied in");
    let rows = files(hostile.call(&["import"], &[arg(&given), "--follow-links", "--json"]).with_status(0));
    assert_eq!(rows.iter().filter(|row| row.0 == "read").count(), 1, "{rows:?}");
    // One that was stopped goes on in the same way only.
    hostile.sql("UPDATE launch SET state = 'stopped', ended_ms = NULL WHERE kind = 'import'");
    hostile.call(&["import"], &[arg(&given)]).with_status(1);
    assert_eq!(hostile.call(&["files", "imports", "--json"], &[]).with_status(0).json_lines().len(), 3);
    hostile.sql("UPDATE launch SET state = 'stopped', ended_ms = NULL WHERE kind = 'import'");
    hostile.call(&["import"], &[arg(&given)]).with_status(1);
    assert_eq!(hostile.call(&["files", "imports", "--json"], &[]).with_status(0).json_lines().len(), 3);
}

#[test]
fn job_folders_that_are_links_out_of_a_folder_are_not_taken_for_jobs() {
    let hostile = HostileWorkspace::new();
    hostile.crawl().with_status(0);
    // The jobs of another workspace, beside one of the folder's own.
    let jobs = hostile.dir.path().join("jobs");
    crate::archive::copy_folder(&hostile.path("output/warcs"), &jobs);
    let other = HostileWorkspace::new();
    other.crawl().with_status(0);
    symlink(other.path("output/warcs/small"), jobs.join("other")).unwrap();
    symlink(&other.thesis, jobs.join("loose.warc.gz")).unwrap();
    let new = HostileWorkspace::new();
    let output = new.call(&["import"], &[arg(&jobs)]).with_status(1);
    assert_eq!(output.err.matches("leads out of the folder").count(), 2, "{}", output.err);
    let list = new.call(&["captures"], &[]).with_status(0).out;
    assert_eq!(list.matches("http://127.0.0.1").count(), 1, "{list}");
    let version = jobs.join("small/campaign.v1.json");
    fs::rename(&version, hostile.dir.path().join("secret.json")).unwrap();
    symlink(hostile.dir.path().join("secret.json"), &version).unwrap();
    HostileWorkspace::new().call(&["import"], &[arg(&jobs)]).with_status(1).with_message("campaign file not read");
}

#[test]
fn a_catalogue_of_another_shape_is_not_opened() {
    let delete = "BEGIN DELETE FROM campaign; END";
    let rename = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql =";
    for (sql, message) in [
        (format!("CREATE TRIGGER evil AFTER INSERT ON setting {delete}"), "the trigger “evil” is none of Fonds"),
        (format!("DROP TRIGGER seen_comes; CREATE TRIGGER seen_comes AFTER INSERT ON seen {delete}"), "is another one"),
        ("DROP TABLE gap; CREATE VIEW gap AS SELECT 1".to_owned(), "the view “gap” is none of Fonds"),
        ("CREATE TABLE more (a)".to_owned(), "the table “more” is none of Fonds"),
        ("ALTER TABLE setting ADD COLUMN more AS (zeroblob(9))".to_owned(), "the table “setting” is another one"),
        ("DROP INDEX url_page".to_owned(), "the index “url_page” is missing"),
        (
            format!("{rename} replace(sql, 'value TEXT', 'value BLOB') WHERE name = 'setting'"),
            "the table “setting” is another one",
        ),
    ] {
        let hostile = HostileWorkspace::new();
        let table: String = rusqlite::Connection::open(hostile.path("fonds.sqlite"))
            .unwrap()
            .query_row("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%gap'", [], |row| row.get(0))
            .unwrap();
        hostile.sql(&sql.replace("gap", &table));
        let before = fs::read(hostile.path("fonds.sqlite")).unwrap();
        let message = message.replace("gap", &table);
        hostile.crawl().with_status(2).with_message(&message);
        hostile.call(&["captures"], &[]).with_status(2).with_message("fonds import NEW_FOLDER");
        assert!(fs::read(hostile.path("fonds.sqlite")).unwrap() == before, "it was changed");
    }
}

#[test]
fn a_trigger_that_is_only_in_the_log_is_found_too() {
    let hostile = HostileWorkspace::new();
    let open = rusqlite::Connection::open(hostile.path("fonds.sqlite")).unwrap();
    open.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
    open.execute_batch("CREATE TRIGGER evil AFTER INSERT ON setting BEGIN DELETE FROM campaign; END").unwrap();
    let copy = HostileWorkspace::new();
    for name in ["fonds.sqlite", "fonds.sqlite-wal"] {
        fs::copy(hostile.path(name), copy.path(name)).unwrap();
    }
    let files = |hostile: &HostileWorkspace| {
        ["fonds.sqlite", "fonds.sqlite-wal"].map(|name| fs::read(hostile.path(name)).unwrap())
    };
    let before = files(&copy);
    for call in [["crawl", "1"].as_slice(), &["captures"]] {
        copy.call(&call[..1], &call[1..]).with_status(2).with_message("the trigger “evil” is none of Fonds");
    }
    assert!(files(&copy) == before, "it was changed");
}

#[test]
fn what_persons_wrote_is_for_the_owner_alone_and_archives_keep_the_umask() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let hostile = HostileWorkspace::new();
    hostile.crawl().with_status(0);
    assert_eq!((mode(&hostile.workspace), mode(&hostile.path("fonds.sqlite"))), (0o700, 0o600));
    let open = Workspace::open(&hostile.workspace).unwrap();
    open.catalogue().set_setting("a", "b").unwrap();
    for log in ["fonds.sqlite-wal", "fonds.sqlite-shm"] {
        assert_eq!(mode(&hostile.path(log)), 0o600, "{log}");
    }
    drop(open);
    let usual = mode(&write(hostile.dir.path(), "usual", b""));
    for file in crate::archive::warcs_under(&hostile.path("output")) {
        assert_eq!(mode(&file), usual, "{}", file.display());
    }
    let source = write(hostile.dir.path(), "a.warc.gz", &warc("one", 3));
    fs::set_permissions(&source, fs::Permissions::from_mode(0o440)).unwrap();
    hostile.call(&["import"], &["--copy", arg(&source)]).with_status(0);
    let copies = crate::archive::warcs_under(&hostile.path("imports"));
    assert_eq!(copies.iter().map(|copy| mode(copy)).collect::<Vec<_>>(), [0o440]);
    let (_, mut campaign) =
        Workspace::open_read_only(&hostile.workspace).unwrap().catalogue().campaign(CampaignId::new(1)).unwrap();
    campaign.permissions.push(fonds::campaign::Permission::default());
    let session = Session::new(Workspace::open(&hostile.workspace).unwrap());
    session.workspace.catalogue().save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
    let file = work::attach_evidence(&session, CampaignId::new(1), 0, &[source], &JobCx::detached()).unwrap().remove(0);
    assert_eq!((mode(&hostile.path("evidence")), mode(&hostile.path(&file.path))), (0o700, 0o600));
    let backup = hostile.dir.path().join("backup");
    hostile.call(&["backup"], &[arg(&backup)]).with_status(0);
    assert_eq!((mode(&backup.join("fonds.sqlite")), mode(&backup.join(&file.path))), (0o600, 0o600));
    // A folder that was there is as its owner made it.
    let given = hostile.dir.path().join("given");
    fs::create_dir(&given).unwrap();
    fs::set_permissions(&given, fs::Permissions::from_mode(0o750)).unwrap();
    fonds(&["new", arg(&given)]).with_status(0);
    assert_eq!((mode(&given), mode(&given.join("fonds.sqlite"))), (0o750, 0o600));
}
