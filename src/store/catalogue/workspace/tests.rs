#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeMap;

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// Opening fails with these words, and nothing in the folder changes.
#[track_caller]
fn check_refused(folder: &Path, expected: &str) {
    let before = contents(folder);
    let error = Workspace::open(folder).err().expect("has to be refused").to_string();
    assert!(error.contains(expected), "{error}");
    assert!(contents(folder) == before, "the folder was changed: {error}");
}

fn made() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("archive");
    drop(Workspace::create(&folder).unwrap());
    (dir, folder)
}

#[test]
fn a_new_workspace_opens_again_and_only_once() {
    let (_dir, folder) = made();
    let first = Workspace::open(&folder).unwrap();
    let error = Workspace::open(&folder).err().unwrap().to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    let second = Workspace::open_or_read_only(&folder).unwrap();
    assert!(matches!(second.access(), Access::ReadOnly(_)));
    let error = second.catalogue().set_setting("a", "b").unwrap_err().to_string();
    let holder = format!("the workspace is open elsewhere (process {} since", std::process::id());
    assert!(error.contains(&holder) && !error.contains("writable"), "{error}");
    let error = second.links_to_build().err().unwrap().to_string();
    assert!(error.contains(&holder), "{error}");
    drop(first);
    Workspace::open(&folder).unwrap();
}

#[test]
fn what_is_no_workspace_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    check_refused(dir.path(), "not a workspace");
    let error = Workspace::open(&dir.path().join("nowhere")).err().unwrap().to_string();
    assert!(error.contains("no such folder") && error.contains("fonds new"), "{error}");

    fs::write(dir.path().join(CATALOGUE_FILE), b"short").unwrap();
    check_refused(dir.path(), "damaged (the file is too short)");
    fs::write(dir.path().join(CATALOGUE_FILE), [b'x'; 4096]).unwrap();
    check_refused(dir.path(), "damaged");
    fs::remove_file(dir.path().join(CATALOGUE_FILE)).unwrap();
    let other = rusqlite::Connection::open(dir.path().join(CATALOGUE_FILE)).unwrap();
    other.execute_batch("CREATE TABLE t (a)").unwrap();
    drop(other);
    check_refused(dir.path(), "another program");
}

#[test]
fn a_newer_a_damaged_and_a_read_only_workspace_are_refused_and_left_alone() {
    let (_dir, folder) = made();
    let path = folder.join(CATALOGUE_FILE);
    let good = fs::read(&path).unwrap();

    let mut newer = good.clone();
    newer[60..64].copy_from_slice(&(SCHEMA_VERSION + 1).to_be_bytes());
    fs::write(&path, &newer).unwrap();
    check_refused(&folder, "newer Fonds");

    let mut damaged = good.clone();
    damaged[100..2000].fill(0x55);
    fs::write(&path, &damaged).unwrap();
    check_refused(&folder, "fonds import");

    fs::write(&path, &good).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    check_refused(&folder, "cannot be written to");
    let reader = Workspace::open_or_read_only(&folder).unwrap();
    assert_eq!(*reader.access(), Access::ReadOnly(ReadOnlyReason::NotWritable));
    let error = reader.catalogue().set_setting("a", "b").unwrap_err().to_string();
    assert!(error.contains("Make the folder and its fonds.sqlite writable"), "{error}");
    assert!(Workspace::open_read_only(&folder).unwrap().catalogue().campaigns().unwrap().is_empty());
}

#[test]
fn a_file_and_a_workspace_are_no_place_for_a_new_one() {
    let (_dir, folder) = made();
    let refused = |path: &Path| Workspace::create(path).err().unwrap().to_string();
    assert!(refused(&folder).contains("a workspace already"));
    let file = folder.join(CATALOGUE_FILE);
    assert!(refused(&file).contains("this is a file"));
    check_refused_as_file(&file);
}

#[track_caller]
fn check_refused_as_file(file: &Path) {
    let error = Workspace::open(file).err().unwrap().to_string();
    assert!(error.contains("this is a file") && !error.contains("fonds new"), "{error}");
}

#[test]
fn reading_does_not_keep_others_from_writing() {
    let (_dir, folder) = made();
    let reader = Workspace::open_read_only(&folder).unwrap();
    reader.catalogue().campaigns().unwrap();
    let writing = Workspace::open(&folder).unwrap();
    writing.catalogue().set_setting("a", "b").unwrap();
    assert_eq!(reader.catalogue().setting("a").unwrap().as_deref(), Some("b"));
    assert!(matches!(reader.catalogue().set_setting("a", "c"), Err(StoreError::OpenedReadOnly(_))));
}

#[test]
fn a_workspace_killed_while_its_log_was_carried_over_opens() {
    let (dir, folder) = made();
    let killed = dir.path().join("killed");
    fs::create_dir(&killed).unwrap();
    let open = Workspace::open(&folder).unwrap();
    let mut campaign = crate::campaign::Campaign::new("Long");
    campaign.description = "x".repeat(50_000);
    open.catalogue().save_campaign(None, &campaign).unwrap();
    for name in ["fonds.sqlite", "fonds.sqlite-wal"] {
        fs::copy(folder.join(name), killed.join(name)).unwrap();
    }
    drop(open);
    // The first page is written, those behind it are not.
    let whole = fs::read(folder.join(CATALOGUE_FILE)).unwrap();
    let mut torn = fs::read(killed.join(CATALOGUE_FILE)).unwrap();
    assert!(torn.len() < whole.len());
    torn[..4096].copy_from_slice(&whole[..4096]);
    fs::write(killed.join(CATALOGUE_FILE), torn).unwrap();
    let again = Workspace::open(&killed).unwrap();
    assert_eq!(again.catalogue().campaigns().unwrap()[0].name, "Long");
}

#[test]
fn a_workspace_whose_log_was_never_carried_over_opens_read_only() {
    let (dir, folder) = made();
    let path = folder.join(CATALOGUE_FILE);
    fs::remove_file(&path).unwrap();
    // The state while it is made: an empty page, then the log alone.
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    let lock = take_lock(&folder).unwrap();
    let refused = |folder: &Path| Workspace::open_read_only(folder).err().unwrap().to_string();
    assert!(refused(&folder).contains("is being made just now. Try again"), "{}", refused(&folder));
    drop((conn, lock));
    assert!(refused(&folder).contains("another program"));
    let lock = take_lock(&folder).unwrap();
    let open = Workspace::of(folder.clone(), Access::Write, Catalogue::open(&path).unwrap(), Some(lock));
    open.catalogue().save_campaign(None, &crate::campaign::Campaign::new("New")).unwrap();
    assert_eq!(fs::read(&path).unwrap()[68..72], [0; 4], "the file says whose it is");
    for reader in [Workspace::open_read_only(&folder), Workspace::open_or_read_only(&folder)] {
        assert_eq!(reader.unwrap().catalogue().campaigns().unwrap()[0].name, "New");
    }
    // Killed at that moment it can be written too; of a newer program it cannot.
    let killed = dir.path().join("killed");
    fs::create_dir(&killed).unwrap();
    for name in ["fonds.sqlite", "fonds.sqlite-wal"] {
        fs::copy(folder.join(name), killed.join(name)).unwrap();
    }
    assert_eq!(Workspace::open(&killed).unwrap().catalogue().campaigns().unwrap()[0].name, "New");
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    assert!(refused(&folder).contains("newer Fonds"), "{}", refused(&folder));
}

#[test]
fn a_file_without_a_byte_is_being_made_or_cut_off_and_its_log_is_kept() {
    let (_dir, folder) = made();
    fs::write(folder.join(CATALOGUE_FILE), b"").unwrap();
    fs::write(folder.join("fonds.sqlite-wal"), b"the only copy").unwrap();
    check_refused(&folder, "damaged (the file is too short)");
    let _lock = take_lock(&folder).unwrap();
    check_refused(&folder, "is being made just now");
}

#[test]
fn a_workspace_that_cannot_be_made_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let full = |path: &Path| {
        fs::write(path, b"the first page").unwrap();
        fs::write(path.with_extension("sqlite-wal"), b"x").unwrap();
        Err(StoreError::Commit("the disk is full".to_owned()))
    };
    let (new, above) = (dir.path().join("a/b/archive"), dir.path().join("a/b"));
    let missing = [new.clone(), above, dir.path().join("a")];
    let error = Workspace::make(&new, &missing, full).err().unwrap().to_string();
    assert!(error.contains("disk is full"), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    // An empty folder that was there stays, and what came meanwhile.
    fs::create_dir(dir.path().join("a")).unwrap();
    let there = dir.path().join("a");
    assert!(Workspace::make(&there, &[], full).is_err());
    assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
    drop(Workspace::create(&there).unwrap());
    Workspace::open(&there).unwrap();
}

#[test]
fn a_catalogue_damaged_in_its_middle_reports_what_can_be_rebuilt() {
    let (_dir, folder) = made();
    let open = Workspace::open(&folder).unwrap();
    let mut campaign = crate::campaign::Campaign::new("Long");
    campaign.description = "x".repeat(800_000);
    let id = open.catalogue().save_campaign(None, &campaign).unwrap();
    open.catalogue()
        .write(|conn| {
            conn.execute_batch(
                "INSERT INTO launch (kind, job, launch, state, started_ms) VALUES ('import', 'i', '1', 'finished', 5);
                 INSERT INTO warc_file (path, launch) VALUES ('/media/old/a.warc.gz', 1)",
            )?;
            Ok(())
        })
        .unwrap();
    drop(open);
    let path = folder.join(CATALOGUE_FILE);
    let mut bytes = fs::read(&path).unwrap();
    // Pages of the long text, whose chain breaks; the tables begin before them.
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 40 * 4096].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    let found = Workspace::open_read_only(&folder).and_then(|reader| reader.catalogue().campaign(id).map(drop));
    let error = found.unwrap_err().to_string();
    for part in ["is damaged (", "/media/old/a.warc.gz", "output/warcs", "fonds backup", "Lost without a backup"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was changed");
}

#[test]
fn a_workspace_is_never_made_on_top_of_something() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
    let error = Workspace::create(dir.path()).err().unwrap().to_string();
    assert!(error.contains("not empty"), "{error}");
    assert_eq!(contents(dir.path()).len(), 1);
}
