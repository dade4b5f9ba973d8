//! Two archives that meet stay two: campaigns are known by their identity,
//! whatever their titles, numbers and contents.

use crate::archive::{copy_folder, file, page};
use crate::handover::put;
use crate::program::{CallResult, arg, fonds, fonds_with};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An archive that begins with the example, as the README has it, and then edits it.
struct ExampleArchive {
    folder: PathBuf,
}

impl ExampleArchive {
    fn new(dir: &Path, name: &str) -> Self {
        let folder = dir.join(name);
        fonds(&["new", arg(&folder)]).with_status(0);
        Self { folder }
    }

    fn of_example(dir: &Path, name: &str, title: &str) -> Self {
        let archive = Self::new(dir, name);
        let example = fonds(&["campaign", "example"]).with_status(0).out;
        assert!(!example.contains("\"identity\""), "{example}");
        archive.add(&example, &[]).with_status(0);
        archive.add(&example.replace("My first campaign", title), &["--id", "1"]).with_status(0);
        let captured = page(&format!("http://{name}.pt/"), "2024-03-01T09:00:30Z", &format!("<p>{name}"));
        let warc = file(dir, &format!("{name}.warc.gz"), &[captured]);
        fonds(&["import", arg(&archive.folder), arg(&warc)]).with_status(0);
        archive
    }

    fn add(&self, text: &str, more: &[&str]) -> CallResult {
        fonds_with(&[&["campaign", "add", arg(&self.folder), "-"], more].concat(), text.as_bytes())
    }

    fn exported(&self, id: &str) -> String {
        fonds(&["campaign", "export", arg(&self.folder), id]).with_status(0).out
    }

    /// Saves a version with other comments.
    fn edit(&self, id: &str, comments: &str) {
        let mut campaign: Value = serde_json::from_str(&self.exported(id)).unwrap();
        campaign["comments"] = comments.into();
        self.add(&campaign.to_string(), &["--id", id]).with_status(0);
    }

    fn export_handover(&self, id: &str, to: &str) -> PathBuf {
        let out = self.folder.with_file_name(to);
        fonds(&["select", "run", arg(&self.folder), id, "--filter", "*"]).with_status(0);
        fonds(&["export", arg(&self.folder), "--campaign", id, "--out", arg(&out)]).with_status(0);
        out
    }

    fn import(&self, handover: &Path) -> CallResult {
        fonds(&["import", arg(&self.folder), arg(handover)]).with_status(0)
    }

    fn campaigns(&self) -> Vec<Value> {
        fonds(&["campaign", "list", arg(&self.folder), "--json"]).with_status(0).json_lines()
    }

    /// Number, title and version of each campaign, by number.
    fn listed(&self) -> Vec<(i64, String, u64)> {
        let mut rows: Vec<_> = self
            .campaigns()
            .iter()
            .map(|row| {
                assert_eq!(row["branches"], Value::Array(Vec::new()), "{row}");
                (
                    row["id"].as_i64().unwrap(),
                    row["name"].as_str().unwrap().to_owned(),
                    row["version"].as_u64().unwrap(),
                )
            })
            .collect();
        rows.sort();
        rows
    }

    fn hosts_of(&self, campaign: &str) -> String {
        let rows = fonds(&["captures", arg(&self.folder), &format!("campaign:{campaign}"), "--json"]).json_lines();
        rows.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    }
}

fn without_identity(handover: &Path, to: &Path) {
    copy_folder(handover, to);
    for entry in std::fs::read_dir(to.join("data/campaign")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let mut campaign: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for field in ["identity", "digest", "parent"] {
            campaign.as_object_mut().unwrap().remove(field);
        }
        let name = format!("data/campaign/{}", path.file_name().unwrap().to_str().unwrap());
        put(to, &name, campaign.to_string().as_bytes());
    }
}

#[test]
fn archives_that_began_with_the_same_example_stay_two() {
    let dir = tempfile::tempdir().unwrap();
    let clocks = ExampleArchive::of_example(dir.path(), "clocks", "Museum of clocks");
    let parliament = ExampleArchive::of_example(dir.path(), "parliament", "Parliament 2026");
    let handover = parliament.export_handover("1", "parliament-handover");
    clocks.import(&handover).with_message("“Parliament 2026” (restored)");
    let two = [(1, "Museum of clocks".to_owned(), 2), (2, "Parliament 2026".to_owned(), 2)];
    assert_eq!(clocks.listed(), two);
    assert_eq!(clocks.hosts_of("2"), "http://parliament.pt/");
    let rows = clocks.campaigns();
    assert_eq!(rows.iter().map(|row| row["origin"].as_str()).collect::<Vec<_>>(), [None, Some("parliament-handover")]);
    assert_ne!(rows[0]["identity"], rows[1]["identity"]);
    clocks.import(&handover).with_message("here already, left as it is");
    assert_eq!(clocks.listed(), two);

    let third = ExampleArchive::new(dir.path(), "third");
    third.import(&clocks.export_handover("1", "clocks-handover"));
    third.import(&handover);
    assert_eq!(third.listed(), two);
    let identities = |archive: &ExampleArchive| {
        let mut all: Vec<_> = archive.campaigns().iter().map(|row| row["identity"].clone().to_string()).collect();
        all.sort();
        all
    };
    assert_eq!(identities(&third), identities(&clocks), "they are the same campaigns everywhere");
    // The graph names the campaign, too.
    let graph = crate::archive::knowledge_of(&handover);
    let identity = parliament.campaigns()[0]["identity"].as_str().unwrap().to_owned();
    assert!(graph.contains(&format!("<urn:uuid:{identity}>")), "the versions are specializations of it");
}

#[test]
fn siblings_of_one_campaign_are_branches_and_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let one = ExampleArchive::of_example(dir.path(), "one", "Ria");
    let other = ExampleArchive::new(dir.path(), "other");
    other.import(&one.export_handover("1", "first"));
    one.edit("1", "mine");
    other.edit("1", "theirs");
    let before = one.exported("1");
    let second = other.export_handover("1", "second");
    one.import(&second)
        .with_message("branch of campaign 1 since version 2")
        .with_message("Nothing of campaign 1 changed");
    assert_eq!(one.exported("1"), before);
    let rows = one.campaigns();
    assert_eq!(rows.len(), 1, "one object a campaign: {rows:?}");
    let branch = &rows[0]["branches"][0];
    assert_eq!(rows[0]["branches"].as_array().unwrap().len(), 1);
    assert_eq!((branch["branch"]["campaign"].as_i64(), branch["branch"]["since"].as_u64()), (Some(1), Some(2)));
    assert_eq!((branch["version"].as_u64(), branch["origin"].as_str()), (Some(3), Some("second")));
    assert_eq!(branch["identity"], rows[0]["identity"]);
    one.import(&second).with_message("here already, left as it is");
    assert_eq!(one.campaigns(), rows);
    let list = fonds(&["campaign", "list", arg(&one.folder)]).with_status(0).out;
    assert!(list.lines().count() == 2 && list.contains("  2\tv3\t"), "{list}");
    // What came goes on; a title means what it meant.
    other.edit("1", "theirs, later");
    one.import(&other.export_handover("1", "later")).with_message("here already, goes on").with_message("new 4");
    assert_eq!(one.campaigns()[0]["branches"][0]["version"], 4);
    let shown = fonds(&["campaign", "show", arg(&one.folder), "Ria"]).with_status(0).out;
    assert!(shown.contains("(campaign 1, version 3)") && shown.contains("Identity  "), "{shown}");
    // A person takes it over.
    one.add(&one.exported("2"), &["--id", "1"]).with_status(0);
    let now: Value = serde_json::from_str(&one.exported("1")).unwrap();
    let mine: Value = serde_json::from_str(&before).unwrap();
    assert_eq!((now["comments"].as_str(), &now["parent"]), (Some("theirs, later"), &mine["digest"]));
}

#[test]
fn a_campaign_comes_back_from_a_third_archive() {
    let dir = tempfile::tempdir().unwrap();
    let a = ExampleArchive::of_example(dir.path(), "a", "Ria");
    let (b, c) = (ExampleArchive::new(dir.path(), "b"), ExampleArchive::new(dir.path(), "c"));
    b.import(&a.export_handover("1", "of-a"));
    c.import(&b.export_handover("1", "of-b"));
    let unchanged = c.export_handover("1", "of-c");
    a.import(&unchanged).with_message("here already, left as it is");
    assert_eq!(a.listed(), [(1, "Ria".to_owned(), 2)]);
    c.edit("1", "by the third");
    let before = a.exported("1");
    a.import(&c.export_handover("1", "of-c-again")).with_message("branch of campaign 1 since version 2");
    assert_eq!(a.exported("1"), before, "nobody changes what was saved here");
    // Who only ever had a copy goes on with it.
    b.import(&dir.path().join("of-c-again")).with_message("here already, goes on");
    assert_eq!(b.listed(), [(1, "Ria".to_owned(), 3)]);
    assert_eq!(b.exported("1"), c.exported("1"));
}

#[test]
fn a_file_of_another_campaign_is_no_version_of_this_one() {
    let dir = tempfile::tempdir().unwrap();
    let clocks = ExampleArchive::of_example(dir.path(), "clocks", "Museum of clocks");
    let parliament = ExampleArchive::of_example(dir.path(), "parliament", "Parliament 2026");
    let foreign = parliament.exported("1");
    clocks
        .add(&foreign, &["--id", "1"])
        .with_status(2)
        .with_message("“Parliament 2026”")
        .with_message("“Museum of clocks”");
    assert_eq!(clocks.listed(), [(1, "Museum of clocks".to_owned(), 2)]);
    // Without a number it is a campaign of its own, under its identity; again it is known.
    clocks.add(&foreign, &[]).with_status(0);
    assert_eq!(clocks.listed()[1], (2, "Parliament 2026".to_owned(), 1));
    assert_eq!(clocks.campaigns()[1]["identity"], parliament.campaigns()[0]["identity"]);
    clocks.add(&foreign, &[]).with_status(0).with_message("this version is here already, as campaign 2");
    assert_eq!(clocks.listed().len(), 2);
    // Without its identity a person makes it what it shall be.
    let mut bare: Value = serde_json::from_str(&foreign).unwrap();
    bare.as_object_mut().unwrap().remove("identity");
    clocks.add(&bare.to_string(), &["--id", "1"]).with_status(0);
    assert_eq!(clocks.listed()[0], (1, "Parliament 2026".to_owned(), 3));
    let broken = foreign.replacen("\"identity\": \"", "\"identity\": \"x", 1);
    clocks.add(&broken, &[]).with_status(2).with_message("field identity: this is no UUID");
}

#[test]
fn a_handover_without_identity_is_a_campaign_of_its_own_once() {
    let dir = tempfile::tempdir().unwrap();
    let clocks = ExampleArchive::of_example(dir.path(), "clocks", "Museum of clocks");
    let parliament = ExampleArchive::of_example(dir.path(), "parliament", "Parliament 2026");
    let earlier = dir.path().join("earlier");
    without_identity(&parliament.export_handover("1", "with"), &earlier);
    clocks.import(&earlier).with_message("“Parliament 2026” (restored)");
    clocks.import(&earlier).with_message("here already, left as it is");
    let renamed = dir.path().join("renamed");
    copy_folder(&earlier, &renamed);
    clocks.import(&renamed).with_message("here already, left as it is");
    assert_eq!(clocks.listed().len(), 2);
    // Given with a number it is the next version of that campaign.
    let version = earlier.join("data/campaign/campaign.v2.json");
    fonds(&["campaign", "add", arg(&clocks.folder), arg(&version), "--id", "1"]).with_status(0);
    assert_eq!(clocks.listed()[0], (1, "Parliament 2026".to_owned(), 3));
}

#[test]
fn a_selection_that_is_here_is_called_that() {
    let dir = tempfile::tempdir().unwrap();
    let clocks = ExampleArchive::of_example(dir.path(), "clocks", "Museum of clocks");
    let handover = clocks.export_handover("1", "out");
    clocks.import(&handover).with_message("selection with 1 score, here already");
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    let first = fonds(&["import", arg(&other), arg(&handover)]).with_status(0);
    assert!(first.err.contains("selection with 1 score\n"), "{}", first.err);
    fonds(&["import", arg(&other), arg(&handover)]).with_status(0).with_message("selection with 1 score, here already");
}

#[test]
fn collections_and_saved_selections_of_one_name_stay_apart() {
    let dir = tempfile::tempdir().unwrap();
    let clocks = ExampleArchive::of_example(dir.path(), "clocks", "Museum of clocks");
    let parliament = ExampleArchive::of_example(dir.path(), "parliament", "Parliament 2026");
    for archive in [&clocks, &parliament] {
        fonds(&["collections", "save", arg(&archive.folder), "Ria", "--about", "of one"]).with_status(0);
        fonds(&["collections", "add", arg(&archive.folder), "Ria", "--filter", "*"]).with_status(0);
    }
    let handover = parliament.export_handover("1", "theirs");
    let captures = |archive: &ExampleArchive| -> Vec<(String, u64)> {
        let rows = fonds(&["collections", "list", arg(&archive.folder), "--json"]).with_status(0).json_lines();
        rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row["captures"].as_u64().unwrap())).collect()
    };
    for _ in 0..2 {
        clocks.import(&handover).with_message("kept apart as “Ria (from theirs)”");
        assert_eq!(captures(&clocks), [("Ria".to_owned(), 1), ("Ria (from theirs)".to_owned(), 1)]);
    }
    let found = fonds(&["captures", arg(&clocks.folder), "collection:Ria", "--json"]).with_status(0).out;
    assert!(found.contains("http://clocks.pt/") && !found.contains("parliament"), "{found}");
    // What a person took out of the one that came stays out, and back home it is the same one.
    fonds(&["collections", "remove", arg(&clocks.folder), "Ria (from theirs)", "--filter", "*"]).with_status(0);
    clocks.import(&handover);
    assert_eq!(captures(&clocks)[1], ("Ria (from theirs)".to_owned(), 0));
    parliament.import(&clocks.export_handover("2", "back"));
    assert_eq!(captures(&parliament)[0], ("Ria".to_owned(), 1));
}

#[test]
fn a_lost_catalogue_is_made_again_with_the_identity() {
    let dir = tempfile::tempdir().unwrap();
    let archive = ExampleArchive::of_example(dir.path(), "w", "Ria");
    // What a crawl writes beside its archive files.
    let job = archive.folder.join("output/warcs/ria");
    std::fs::create_dir_all(&job).unwrap();
    archive.edit("1", "a version that is written there");
    let names: Vec<_> = std::fs::read_dir(&job).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let again = ExampleArchive::new(dir.path(), "again");
    again.import(&archive.folder.join("output/warcs")).with_message("“Ria” (restored): version 1, 2, 3");
    assert_eq!(again.exported("1"), archive.exported("1"));
    // Files of an earlier program have no identity; they are the same campaign each time.
    for entry in std::fs::read_dir(&job).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut campaign: Value = serde_json::from_str(&text).unwrap();
        for field in ["identity", "digest", "parent"] {
            campaign.as_object_mut().unwrap().remove(field);
        }
        std::fs::write(&path, campaign.to_string()).unwrap();
    }
    let earlier = ExampleArchive::new(dir.path(), "of-earlier");
    for what in ["restored", "here already"] {
        earlier.import(&archive.folder.join("output/warcs")).with_message(what);
    }
    assert_eq!(earlier.listed().len(), 1);
    // The next save names them again, and leaves no second set of files.
    archive.edit("1", "once more");
    let names: Vec<_> = std::fs::read_dir(&job).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}
