//! A new workspace from one that an earlier version wrote.

use super::backup::copy_file;
use crate::jobs::{FileLock, JobCx, NotLocked, counted, make_private_folder};
use crate::store::{CATALOGUE_FILE, EarlierRows, LOCK_FILE, Workspace, catalogue_version, earlier_files, is_earlier};
use crate::work::Report;
use anyhow::Context;
use serde::Serialize;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders of a workspace whose files the new one needs. The others are made again (`inlinks`,
/// `index`) or have left already (`exports`).
const FOLDERS: [&str; 3] = ["output", "imports", "evidence"];

/// Counts of what a workspace took over from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierOutcome {
    /// Its folder.
    pub folder: PathBuf,
    /// The earlier workspace, which stays as it is.
    pub earlier: PathBuf,
    /// Rows of its catalogue.
    #[serde(flatten)]
    pub rows: EarlierRows,
    /// Files that both share on the disk: archive files, which never change.
    pub shared_files: u64,
    /// Files that were copied.
    pub copied_files: u64,
    /// Links to other places, what else is no file, and archive files that are not there: left out.
    pub left_out: Vec<PathBuf>,
}

impl Report for EarlierOutcome {
    fn summary(&self) -> String {
        let rows = &self.rows;
        let mut line = format!(
            "{}, {}, {}, {}, {}, {}, {} taken over; {} shared, {} copied",
            counted(rows.campaigns, "campaign"),
            counted(rows.marks, "mark"),
            counted(rows.judgements, "judgement"),
            counted(rows.collections, "collection"),
            counted(rows.launches, "launch"),
            counted(rows.seen, "seen URL"),
            counted(rows.captures, "capture"),
            counted(self.shared_files, "file"),
            self.copied_files
        );
        if !self.left_out.is_empty() {
            line.push_str(&format!("; {} left out", counted(self.left_out.len() as u64, "file")));
        }
        line
    }
}

/// Makes a workspace in `folder`, which must be empty or absent, from one that an earlier version wrote:
/// campaigns with their versions and evidence, decisions, notes, judgements, collections, saved searches,
/// selections, imports, launches with the URLs that they have seen, captures and their archive files. The
/// earlier one stays as it is.
///
/// # Errors
///
/// A workspace of another version or one that is open elsewhere, files that cannot be read or written, and
/// `Cancelled`. What was made until then is removed again.
pub fn from_earlier(folder: &Path, earlier: &Path, cx: &JobCx) -> anyhow::Result<EarlierOutcome> {
    let catalogue = earlier.join(CATALOGUE_FILE);
    anyhow::ensure!(
        catalogue.is_file() && !catalogue.is_symlink(),
        "{}: this folder is not a workspace (it holds no {CATALOGUE_FILE}). Name the folder of the earlier workspace",
        earlier.display()
    );
    let version = catalogue_version(&catalogue)?;
    anyhow::ensure!(
        is_earlier(version),
        "{}: this workspace has a catalogue of version {version}. Only one of version 28 is brought over. {}",
        earlier.display(),
        if version > 28 {
            "Open this one as it is, or copy it with: fonds backup"
        } else {
            "Open it once with the last program that knows it (fonds of version 28), then try again"
        }
    );
    let earlier = earlier.canonicalize().with_context(|| earlier.display().to_string())?;
    let absolute = std::path::absolute(folder).with_context(|| folder.display().to_string())?;
    let above = absolute.ancestors().find_map(|above| above.canonicalize().ok());
    anyhow::ensure!(
        !above.is_some_and(|above| above.starts_with(&earlier)),
        "{}: this folder is inside the earlier workspace. Choose one outside",
        folder.display()
    );
    // Nobody writes it meanwhile; nobody can where it is read-only.
    let _lock = match FileLock::take(&earlier.join(LOCK_FILE), "another workspace is made from it") {
        Ok(lock) => Some(lock),
        Err(NotLocked::LockedBy(holder)) => {
            anyhow::bail!("{}: the workspace is open elsewhere ({holder}). Close it there first", earlier.display())
        }
        Err(NotLocked::Failed(_)) => None,
    };
    let was_there = folder.exists();
    let workspace = Workspace::create(folder)?;
    let made = workspace.folder().to_owned();
    let outcome = fill(&workspace, &earlier, cx);
    if outcome.is_err() {
        drop(workspace);
        let _ = fs::remove_dir_all(&made);
        if was_there {
            let _ = make_private_folder(&made);
        }
    }
    outcome
}

fn fill(workspace: &Workspace, earlier: &Path, cx: &JobCx) -> anyhow::Result<EarlierOutcome> {
    let mut outcome = EarlierOutcome {
        folder: workspace.folder().to_owned(),
        earlier: earlier.to_owned(),
        rows: EarlierRows::default(),
        shared_files: 0,
        copied_files: 0,
        left_out: Vec::new(),
    };
    cx.stage("Taking over files", None);
    for name in FOLDERS {
        let from = earlier.join(name);
        if from.is_symlink() {
            outcome.left_out.push(from);
        } else if from.is_dir() {
            take_folder(&from, &workspace.folder().join(name), &mut outcome, cx)?;
        }
    }
    let catalogue = earlier.join(CATALOGUE_FILE);
    for name in earlier_files(&catalogue)? {
        // A crawl names a file without what its name ends in while it is written.
        let (path, goal) = (earlier.join(&name), workspace.folder().join(&name));
        let written = PathBuf::from(format!("{}.open", goal.display()));
        if goal.exists() || written.exists() {
            continue;
        }
        let is_below = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        let is_file = path.canonicalize().is_ok_and(|real| real == path) && path.is_file();
        if is_below && is_file {
            if let Some(folder) = goal.parent() {
                fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            }
            take_file(&path, &goal, &mut outcome)?;
        } else {
            outcome.left_out.push(path);
        }
    }
    outcome.rows = workspace.catalogue().take_earlier(&catalogue, cx)?;
    cx.stage("Looking for what revisits repeat", None);
    workspace.catalogue().settle_originals(cx)?;
    Ok(outcome)
}

/// Takes the files of a folder: those that never change are shared, others are copied.
fn take_folder(from: &Path, to: &Path, outcome: &mut EarlierOutcome, cx: &JobCx) -> anyhow::Result<()> {
    let of = |path: &Path| path.display().to_string();
    make_private_folder(to).with_context(|| of(to))?;
    for entry in fs::read_dir(from).with_context(|| of(from))? {
        cx.checkpoint()?;
        let entry = entry.with_context(|| of(from))?;
        let (path, goal) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().with_context(|| of(&path))?;
        if kind.is_dir() {
            take_folder(&path, &goal, outcome, cx)?;
        } else if !kind.is_file() {
            outcome.left_out.push(path);
        } else {
            take_file(&path, &goal, outcome)?;
        }
    }
    Ok(())
}

/// Shares or copies one file. The copy has mode and date of its source: by its date an archive file is known not to
/// have changed.
fn take_file(path: &Path, goal: &Path, outcome: &mut EarlierOutcome) -> anyhow::Result<()> {
    if never_changes(path) && fs::hard_link(path, goal).is_ok() {
        outcome.shared_files += 1;
        return Ok(());
    }
    let of = |path: &Path| path.display().to_string();
    let (file, copy) = copy_file(path, goal)?;
    let source = file.metadata().with_context(|| of(path))?;
    copy.set_permissions(source.permissions()).with_context(|| of(goal))?;
    if let Ok(modified) = source.modified() {
        copy.set_modified(modified).with_context(|| of(goal))?;
    }
    outcome.copied_files += 1;
    Ok(())
}

/// Whether a file is an archive file that was closed: logs go on, and so does what is still written.
fn never_changes(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let endings = [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz"];
    endings.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A workspace of version 28: a page, its revisit under another URL, and what people did.
    fn earlier(folder: &Path) {
        for sub in ["output/warcs/town/20240101000000", "imports", "evidence", "exports/old"] {
            fs::create_dir_all(folder.join(sub)).unwrap();
        }
        fs::write(folder.join("output/warcs/town/20240101000000/a.warc.gz"), b"closed").unwrap();
        fs::write(folder.join("output/warcs/town/20240101000000/b.warc.gz.open"), b"written").unwrap();
        fs::write(folder.join("evidence/letter.pdf"), b"%PDF-").unwrap();
        fs::create_dir(folder.join("mine")).unwrap();
        fs::write(folder.join("mine/c.warc"), b"in place").unwrap();
        let conn = rusqlite::Connection::open(folder.join(CATALOGUE_FILE)).unwrap();
        conn.execute_batch(include_str!("../../store/earlier.sql")).unwrap();
        let spec = crate::campaign::Campaign::new("Town").to_json();
        conn.execute_batch(&format!(
            "PRAGMA application_id = 0x466e6473; PRAGMA user_version = 28;
             INSERT INTO campaign VALUES (1, 'Town', 2, 5);
             INSERT INTO campaign_version VALUES (1, 1, '{spec}', 5), (1, 2, '{spec}', 6);
             INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
                VALUES (3, 'crawl', 1, 2, 'town', '20240101000000', 'stopped', 5);
             INSERT INTO host VALUES (1, 'a.pt');
             INSERT INTO page VALUES (1, 'pt,a)/'), (2, 'pt,b)/');
             INSERT INTO url VALUES (1, 'http://a.pt/', 1, 1), (2, 'http://b.pt/', 2, 1);
             INSERT INTO seen (launch, url, host, hops, anchor, source_tag, is_seed, nofollow, accepted, rule_name, state,
                priority, due_ms, date_ms) VALUES (3, 1, 1, '', '', '', 1, 0, 1, 'SeedScope', 2, 1, 0, 5),
                (3, 2, 1, 'L', '', '', 0, 0, 0, 'TooManyHops', 1, 1, 0, 5);
             INSERT INTO warc_file (id, path, launch) VALUES (1, 'output/warcs/town/20240101000000/a.warc.gz', 3);
             INSERT INTO warc_file (id, path, launch) VALUES (2, 'mine/c.warc', 3);
             INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, title, language, stored)
                VALUES (7, 3, 1, 1, 1, 1000, 200, 'text/html', 9, 'sha1:ONE', 'Town', 'pt', 9);
             INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, revisit_of_ms, stored)
                VALUES (9, 3, 2, 2, 1, 9000, 304, '-', 0, 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', 1000, 9);
             INSERT INTO repeat (capture, url) VALUES (9, 1);
             INSERT INTO refers_to VALUES (9, 'urn:x');
             INSERT INTO mark VALUES (1, 1, 7, 'reject', 'not ours', 'Ana', 5, NULL);
             INSERT INTO judgement (query, capture, judgement, who, date_ms) VALUES ('ship', 7, 'right', 'Ana', 5);
             INSERT INTO collection VALUES (1, 'Ships', '', '', NULL, 'Ana', 5);
             INSERT INTO collected VALUES (1, 7, 0, 'Ana', 5);
             INSERT INTO setting VALUES ('window_days', '30'), ('originals_searched', '9');"
        ))
        .unwrap();
    }

    #[test]
    fn what_people_know_of_an_earlier_workspace_is_in_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        earlier(&old);
        for open in [Workspace::open, Workspace::open_read_only] {
            let refused = open(&old).map(drop).unwrap_err().to_string();
            assert!(refused.contains("earlier Fonds") && refused.contains("fonds new NEW_FOLDER --from"), "{refused}");
        }
        let before = fs::read(old.join(CATALOGUE_FILE)).unwrap();
        let outcome = from_earlier(&new, &old, &JobCx::detached()).unwrap();
        assert_eq!(fs::read(old.join(CATALOGUE_FILE)).unwrap(), before);
        let EarlierRows { campaigns, marks, judgements, collections, launches, seen, captures } = outcome.rows;
        assert_eq!([campaigns, marks, judgements, collections, launches, seen, captures], [1, 1, 1, 1, 1, 2, 2]);
        assert_eq!((outcome.shared_files, outcome.copied_files, outcome.left_out.len()), (2, 2, 0));
        assert_eq!(fs::read(new.join("mine/c.warc")).unwrap(), b"in place");
        assert_eq!(fs::read(new.join("evidence/letter.pdf")).unwrap(), b"%PDF-");
        assert!(!new.join("exports/old").exists());

        let workspace = Workspace::open(&new).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = crate::store::rows::CampaignId::new(1);
        assert_eq!(catalogue.campaign_versions(campaign).unwrap().len(), 2);
        assert_eq!(catalogue.window_days().unwrap(), 30);
        let launch = catalogue.unfinished_launch(campaign).unwrap().unwrap();
        assert_eq!((launch.launch.as_str(), launch.id.get()), ("20240101000000", 3));
        let rejected = crate::store::rows::CaptureQuery {
            filter: "mark:reject".to_owned(),
            tab: crate::store::rows::CaptureTab::All,
            campaign: None,
            sort: Vec::new(),
            offset: 0,
            limit: 9,
        };
        assert_eq!(catalogue.captures(&rejected).unwrap().rows[0].url, "http://a.pt/");
        // The revisit has what its original has.
        let revisit = catalogue.capture_row(crate::store::rows::CaptureId::new(9)).unwrap();
        assert_eq!((revisit.title.as_str(), revisit.language.as_str(), revisit.size), ("Town", "pt", 9));
        assert_eq!(catalogue.waiting_repeats(None).unwrap().len(), 1);
    }

    #[test]
    fn a_catalogue_with_other_tables_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        earlier(&old);
        let conn = rusqlite::Connection::open(old.join(CATALOGUE_FILE)).unwrap();
        conn.execute_batch("CREATE TABLE diary (day TEXT)").unwrap();
        drop(conn);
        let error = from_earlier(&new, &old, &JobCx::detached()).unwrap_err().to_string();
        assert!(error.contains("other tables"), "{error}");
        assert!(!new.exists());
    }

    #[test]
    fn only_an_earlier_workspace_is_brought_over() {
        let dir = tempfile::tempdir().unwrap();
        let (present, new) = (dir.path().join("present"), dir.path().join("new"));
        drop(Workspace::create(&present).unwrap());
        let refused = |from: &Path| from_earlier(&new, from, &JobCx::detached()).unwrap_err().to_string();
        assert!(refused(&present).contains("Open this one as it is"), "{}", refused(&present));
        assert!(refused(dir.path()).contains("not a workspace"));
        assert!(!new.exists());
    }
}
