//! The map in `lib.rs` is true: rooms know only the rooms they may know.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each room may know besides itself; `jobs` may be known by any, and so may `testing` by tests.
const MAY_KNOW: [(&str, &[&str]); 25] = [
    ("uri", &[]),
    ("jobs", &[]),
    ("keys", &[]),
    ("query", &["uri", "text"]),
    ("campaign", &["uri", "query"]),
    ("scope", &["uri", "campaign"]),
    ("serve", &["uri"]),
    ("warc", &["uri", "keys"]),
    ("links", &["uri", "warc"]),
    ("text", &["uri", "warc", "links"]),
    ("captures", &["uri", "scope", "warc", "links", "text"]),
    ("inlinks", &["uri", "warc", "links", "captures"]),
    ("exchange", &["uri", "campaign", "scope", "warc", "links", "captures"]),
    ("crawl", &["uri", "campaign", "scope", "warc", "links", "captures", "exchange"]),
    ("analysis", &["uri", "query", "campaign", "warc", "links", "text", "captures", "inlinks"]),
    ("search", &["uri", "query", "text", "analysis"]),
    (
        "store",
        &[
            "uri", "query", "campaign", "scope", "warc", "links", "text", "captures", "inlinks", "exchange", "crawl",
            "analysis", "search",
        ],
    ),
    ("guide", &["campaign", "query", "store"]),
    ("knowledge", &["uri", "query", "campaign", "scope", "inlinks", "analysis"]),
    ("export", &["uri", "keys", "warc", "links", "text", "captures", "inlinks", "store", "knowledge"]),
    (
        "work",
        &[
            "uri",
            "keys",
            "query",
            "campaign",
            "scope",
            "warc",
            "links",
            "text",
            "captures",
            "inlinks",
            "exchange",
            "crawl",
            "analysis",
            "search",
            "store",
            "serve",
            "knowledge",
            "export",
        ],
    ),
    (
        "app",
        &[
            "uri", "keys", "campaign", "scope", "warc", "links", "captures", "inlinks", "exchange", "crawl",
            "analysis", "search", "store", "guide", "export", "work",
        ],
    ),
    (
        "cli",
        &[
            "uri", "keys", "query", "campaign", "scope", "warc", "links", "text", "captures", "inlinks", "exchange",
            "crawl", "analysis", "search", "store", "guide", "export", "work",
        ],
    ),
    ("ui", &["uri", "query", "campaign", "scope", "warc", "links", "captures", "analysis", "guide", "app"]),
    ("testing", &["campaign", "scope", "links", "inlinks", "exchange", "crawl", "store", "work"]),
];

/// Longer files are split by meaning.
const MOST_LINES: usize = 800;

/// Longer tests are in a file beside the code, see `tests/README.md`.
const MOST_LINES_OF_TESTS: usize = 150;

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Code without comments and doc links, so that only real uses count.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The rooms named after `crate::` in a piece of code.
fn rooms_used(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let end = group.find('}').unwrap_or(group.len());
            rooms.extend(group[..end].split(',').map(|part| part.trim().split("::").next().unwrap_or("").to_owned()));
        } else {
            rooms.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    rooms
}

#[test]
fn no_room_knows_more_than_the_map_says() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table: BTreeMap<&str, &[&str]> = MAY_KNOW.into_iter().collect();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (room, may_know) in &table {
        // Tests of the window stand on real workspaces.
        let is_code = |file: &PathBuf| !file.starts_with(src.join("ui/tests")) && !file.ends_with("ui/table/tests.rs");
        for file in rust_files(&src.join(room)).into_iter().filter(is_code) {
            for used in rooms_used(&code_of(&file)) {
                seen += 1;
                let fine =
                    used == *room || ["jobs", "testing"].contains(&used.as_str()) || may_know.contains(&used.as_str());
                if table.contains_key(used.as_str()) && !fine {
                    wrong.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} uses were found: the test reads nothing");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a name stands in code by itself or as the begin of one (`egui_plot`);
/// “seguinte” is no use of egui.
fn uses_name(code: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let rest = &code[at + word.len()..];
        !code[..at].ends_with(inside) && !rest.starts_with(char::is_alphanumeric)
    })
}

#[test]
fn only_the_window_knows_egui() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in rust_files(&src) {
        let name = file.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
        let code = code_of(&file);
        let is_program = matches!(name.as_str(), "main.rs" | "window.rs");
        if uses_name(&code, "egui") && !name.starts_with("ui/") && !is_program {
            wrong.push(format!("{name} knows egui"));
        }
        if uses_name(&code, "eframe") && !is_program {
            wrong.push(format!("{name} knows eframe"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The state of the window changes in `app`. Pages fill in what a person types and
/// chooses: a method for each of these fields would only add lines.
#[test]
fn pages_change_the_state_of_the_window_by_its_methods() {
    const FILLED_IN: [(&str, &str, &[&str]); 2] = [
        ("src/app/state/mod.rs", "AppState", &["reads", "open", "settings"]),
        ("src/app/open_workspace.rs", "OpenWorkspace", &["spec", "selection_draft", "export_folder"]),
    ];
    for (file, name, filled_in) in FILLED_IN {
        let state = code_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
        let (_, fields) = state.split_once(&format!("pub struct {name} {{")).unwrap();
        let (fields, _) = fields.split_once("\n}").unwrap();
        let open = fields.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next());
        assert_eq!(open.collect::<Vec<_>>(), filled_in);
    }
}

/// Where the clock is wrong, all that reads it is wrong in the same way, and nothing panics.
#[test]
fn the_clock_is_read_in_one_place() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let reads = |file: &PathBuf| {
        let code = code_of(file);
        ["Timestamp::now()", "Zoned::now()", "SystemTime::now()"].iter().any(|call| code.contains(call))
    };
    // Tests compare the times of files.
    let read: Vec<_> =
        rust_files(&src).into_iter().filter(|file| !file.starts_with(src.join("testing")) && reads(file)).collect();
    assert_eq!(read, [src.join("uri/date.rs")]);
}

/// What tests run is what a person runs: limits are passed in.
#[test]
fn nothing_is_another_under_test() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let other = |file: &PathBuf| fs::read_to_string(file).unwrap().contains("cfg!(test)");
    let wrong: Vec<_> = rust_files(&src).into_iter().filter(other).collect();
    assert!(wrong.is_empty(), "cfg!(test): {wrong:?}");
}

#[test]
fn every_room_is_in_the_map_and_no_file_is_too_long() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let map = fs::read_to_string(src.join("lib.rs")).unwrap();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(&src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !(map.contains(&format!("| [`{name}`]")) || map.contains(&format!("| `{name}`"))) {
            wrong.push(format!("the room {name} is not in the map of lib.rs"));
        }
        if path.is_dir() && !MAY_KNOW.iter().any(|(room, _)| *room == name) {
            wrong.push(format!("the room {name} is not in this test's table"));
        }
    }
    for file in rust_files(&src) {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{} has {lines} lines", file.display()));
        }
        let tests = text.find("\nmod tests {").map_or(0, |at| text[at..].lines().count());
        if tests > MOST_LINES_OF_TESTS {
            wrong.push(format!("{} has {tests} lines of tests", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// More files than a person takes in at a glance are put into folders by subject; the rules of scope are one list.
const MOST_FILES_IN_A_FOLDER: usize = 24;

#[test]
fn folders_are_read_at_a_glance() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in rust_files(&src) {
        *files.entry(file.parent().unwrap().to_owned()).or_default() += 1;
    }
    files.remove(&src.join("scope/rules"));
    let crowded: Vec<_> = files.into_iter().filter(|(_, count)| *count > MOST_FILES_IN_A_FOLDER).collect();
    assert!(crowded.is_empty(), "put what belongs together into folders: {crowded:#?}");
}

/// Words that mean too much or too little to be part of a name, see `src/STYLE.md`.
const VAGUE: [&str; 15] = [
    "told", "said", "word", "words", "held", "stand", "anew", "looking", "turn", "doubt", "wanted", "asked", "lone",
    "alike", "desk",
];

/// Items of a file, tests too, whose names have one of these words.
fn vague_names(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let mut line = line.trim_start();
        if let Some(rest) = line.strip_prefix("pub") {
            // `pub`, `pub(super)`, `pub(in crate::work)`.
            line = rest.split_once(") ").filter(|_| rest.starts_with('(')).map_or(rest, |(_, rest)| rest).trim_start();
        }
        let is_const = line.starts_with("const ");
        let mut words = line.split([' ', '(', '<', ':', ';', '{', '=']).filter(|word| !word.is_empty());
        let item = words.find(|word| !matches!(*word, "const" | "async" | "unsafe"));
        let name = match item {
            Some("fn" | "struct" | "enum" | "trait" | "mod" | "type" | "static") => words.next(),
            name if is_const => name,
            _ => None,
        };
        let Some(name) = name else { continue };
        let mut parts = String::new();
        for (at, letter) in name.char_indices() {
            let begins = letter.is_uppercase() && name[..at].ends_with(|before: char| before.is_lowercase());
            parts.extend(begins.then_some('_'));
            parts.extend(letter.to_lowercase());
        }
        if parts.split('_').any(|part| VAGUE.contains(&part)) {
            names.push(name.to_owned());
        }
    }
    names
}

/// `kept_names.txt` has the names in which such a word is a term of the field:
/// `file name: reason`.
#[test]
fn names_say_what_they_are_or_have_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept: BTreeMap<&str, &str> =
        include_str!("kept_names.txt").lines().map(|line| line.split_once(": ").unwrap_or((line, ""))).collect();
    let mut found = Vec::new();
    for path in rust_files(&root.join("src")).into_iter().chain(rust_files(&root.join("tests"))) {
        let place = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        found.extend(vague_names(&path).into_iter().map(|name| format!("{place} {name}")));
    }
    let new: Vec<_> = found.iter().filter(|name| !kept.contains_key(name.as_str())).collect();
    assert!(new.is_empty(), "find other names, see src/STYLE.md: {new:#?}");
    let without_reason: Vec<_> = kept.iter().filter(|(_, reason)| reason.trim().is_empty()).collect();
    assert!(without_reason.is_empty(), "names in tests/it/kept_names.txt without a reason: {without_reason:#?}");
    let gone: Vec<_> = kept.keys().filter(|kept| !found.iter().any(|name| name == *kept)).collect();
    assert!(gone.is_empty(), "take these off tests/it/kept_names.txt: {gone:#?}");
}

/// One file answers which capture is nearest, and one which types are those of pages: rooms above `captures` ask
/// `store/captures/which.rs` and `captures::media`.
#[test]
fn nearest_captures_and_pages_are_found_in_one_place() {
    let distance = regex::Regex::new(r"(?i)\babs\s*\([^)]*date_ms").unwrap();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for room in ["store", "search", "export", "work", "app", "ui"] {
        for path in rust_files(&src.join(room)) {
            let name = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
            let is_test = name.contains("test") || name.starts_with("work/sample/") || name.starts_with("ui/tests/");
            if is_test || name == "store/captures/which.rs" {
                continue;
            }
            let code = code_of(&path);
            let code = code.split("#[cfg(test)]").next().unwrap();
            for (what, is_there) in [
                ("orders captures by their distance in time", distance.is_match(code)),
                ("tests types of pages", ["text/html", "application/xhtml"].iter().any(|kind| code.contains(kind))),
            ] {
                wrong.extend(is_there.then(|| format!("{name} {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_public_type_name_has_one_meaning() {
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for line in code_of(&path).lines() {
            let words: Vec<&str> = line.trim_start().split([' ', '(', '<', ':', ';', '{', '=']).collect();
            if let ["pub", "struct" | "enum" | "trait" | "type", name, ..] = words[..] {
                places.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    let shared: Vec<_> = places.into_iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(shared.is_empty(), "two types of one name: {shared:#?}");
}
