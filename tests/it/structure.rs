//! The map in `lib.rs` is true: rooms know only the rooms they may know.

use crate::rust_code::{code_only, names};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each room may know besides itself; `jobs` may be known by any, and so may `testing` by tests.
const MAY_KNOW: [(&str, &[&str]); 27] = [
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
    ("replay", &["uri", "serve", "warc", "links", "captures"]),
    ("inlinks", &["uri", "warc", "links", "captures"]),
    ("exchange", &["uri", "campaign", "scope", "warc", "links", "captures"]),
    ("analysis", &["uri", "query", "campaign", "warc", "links", "text", "captures", "inlinks"]),
    ("crawl", &["uri", "campaign", "scope", "warc", "links", "captures", "exchange", "analysis"]),
    ("sources", &["uri", "campaign", "warc", "links", "crawl"]),
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
            "sources",
            "search",
            "store",
            "serve",
            "replay",
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
            "crawl", "analysis", "search", "store", "guide", "export", "replay", "work",
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
fn no_room_knows_more_than_the_map_allows() {
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
fn uses_name(code: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let rest = &code[at + name.len()..];
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

/// Terms that mean too much or too little to be part of a name, see `src/STYLE.md`.
const BANNED: [&str; 31] = [
    "told", "tell", "tells", "telling", "said", "say", "says", "saying", "held", "stand", "stands", "standing", "anew",
    "looking", "look", "looks", "looked", "turn", "turns", "doubt", "wanted", "asked", "ask", "asks", "asking", "lone",
    "alike", "desk", "handed", "hand", "hands",
];

/// Terms that no item has in its name: in locals and fields they may mean those of a text.
const BANNED_IN_ITEMS: [&str; 2] = ["word", "words"];

/// The item that a line declares: with its kind, such as `fn`, and whether it is public.
fn item_of(line: &str) -> Option<(&str, &str, bool)> {
    let line = line.trim_start();
    let public = line.strip_prefix("pub");
    let line = public.map_or(line, |rest| {
        // `pub`, `pub(super)`, `pub(in crate::work)`.
        rest.split_once(") ").filter(|_| rest.starts_with('(')).map_or(rest, |(_, rest)| rest)
    });
    let mut parts = line.split([' ', '(', '<', ':', ';', '{', '=']).filter(|part| !part.is_empty()).peekable();
    let mut kind = parts.next()?;
    while matches!(kind, "const" | "async" | "unsafe") && matches!(parts.peek(), Some(&("fn" | "async" | "unsafe"))) {
        kind = parts.next()?;
    }
    let is_item = matches!(kind, "fn" | "struct" | "enum" | "union" | "trait" | "mod" | "type" | "static" | "const");
    Some((kind, parts.next()?, public.is_some())).filter(|_| is_item)
}

/// Whether one of these terms is a part of a name, in any case: `has_part("ReadWord", &["word"])`.
fn has_part(name: &str, terms: &[&str]) -> bool {
    let mut parts = String::new();
    for (at, letter) in name.char_indices() {
        let begins = letter.is_uppercase() && name[..at].ends_with(|c: char| c.is_lowercase() || c.is_numeric());
        parts.extend(begins.then_some('_'));
        parts.extend(letter.to_lowercase());
    }
    parts.split('_').any(|part| terms.contains(&part))
}

/// Names in a file that have a banned term: items, locals, fields and parameters, those of tests too.
fn banned_names(path: &Path) -> BTreeSet<String> {
    let code = code_only(&fs::read_to_string(path).unwrap());
    let items = code.lines().filter_map(item_of).filter(|(_, name, _)| has_part(name, &BANNED_IN_ITEMS));
    let all: BTreeSet<&str> = names(&code).collect();
    let found = all.into_iter().filter(|name| has_part(name, &BANNED));
    found.chain(items.map(|(_, name, _)| name)).map(str::to_owned).collect()
}

/// `kept_names.txt` has the names of other crates (`* name: reason`) and those in which such a term is one of the
/// field (`file name: reason`).
#[test]
fn names_are_plain_or_have_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept: BTreeMap<&str, &str> =
        include_str!("kept_names.txt").lines().map(|line| line.split_once(": ").unwrap_or((line, ""))).collect();
    let mut found = BTreeSet::new();
    for path in rust_files(&root.join("src")).into_iter().chain(rust_files(&root.join("tests"))) {
        let place = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        for name in banned_names(&path) {
            let everywhere = format!("* {name}");
            let is_kept = kept.contains_key(everywhere.as_str());
            found.insert(if is_kept { everywhere } else { format!("{place} {name}") });
        }
    }
    let new: Vec<_> = found.iter().filter(|name| !kept.contains_key(name.as_str())).collect();
    assert!(new.is_empty(), "find other names, see src/STYLE.md: {new:#?}");
    let without_reason: Vec<_> = kept.iter().filter(|(_, reason)| reason.trim().is_empty()).collect();
    assert!(without_reason.is_empty(), "names in tests/it/kept_names.txt without a reason: {without_reason:#?}");
    let gone: Vec<_> = kept.keys().filter(|kept| !found.contains(**kept)).collect();
    assert!(gone.is_empty(), "take these off tests/it/kept_names.txt: {gone:#?}");
}

/// Most lines of `src` that may have each of these words, in code, comments and texts: they were this program's own
/// language. The numbers may only shrink.
const MOST_LINES_WITH: [(&str, usize); 5] = [("told", 10), ("asked", 60), ("said", 40), ("wanted", 15), ("stands", 90)];

#[test]
fn prose_is_plain() {
    let files = rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let has = |line: &&str, word: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
    let counts = MOST_LINES_WITH.map(|(word, most)| (word, text.lines().filter(|line| has(line, word)).count(), most));
    let above: Vec<_> = counts.iter().filter(|(_, lines, most)| lines > most).collect();
    assert!(above.is_empty(), "more lines with a word than may have it (word, lines, most): {above:?}");
}

/// A reader who meets a name in a room finds one type of it there.
#[test]
fn a_private_type_name_has_one_meaning_in_its_room() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: BTreeMap<(PathBuf, String), Vec<String>> = BTreeMap::new();
    for path in rust_files(&root.join("src")).into_iter().chain(rust_files(&root.join("tests"))) {
        let place = path.strip_prefix(root).unwrap();
        let room: PathBuf = place.components().take(2).collect();
        for (number, line) in code_only(&fs::read_to_string(&path).unwrap()).lines().enumerate() {
            let Some((kind, name, is_public)) = item_of(line) else { continue };
            // `type Row = …` inside of a trait or an `impl` is no type of its own.
            let is_associated = kind == "type" && line.starts_with(' ') && !is_public;
            if matches!(kind, "struct" | "enum" | "union" | "trait" | "type") && !is_associated {
                let places = places.entry((room.clone(), name.to_owned())).or_default();
                places.push(format!("{}:{}", place.display(), number + 1));
            }
        }
    }
    let shared: Vec<_> = places.into_iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(shared.is_empty(), "two types of one name in a room: {shared:#?}");
}

/// One file answers which capture is nearest, and one which types are those of pages: rooms above `captures` ask
/// `store/captures/originals.rs` and `captures::media`.
#[test]
fn nearest_captures_and_pages_are_found_in_one_place() {
    let distance = regex::Regex::new(r"(?i)\babs\s*\([^)]*date_ms").unwrap();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for room in ["store", "search", "export", "work", "app", "ui"] {
        for path in rust_files(&src.join(room)) {
            let name = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
            let is_test = name.contains("test") || name.starts_with("work/sample/") || name.starts_with("ui/tests/");
            if is_test || name == "store/captures/originals.rs" {
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
            let parts: Vec<&str> = line.trim_start().split([' ', '(', '<', ':', ';', '{', '=']).collect();
            if let ["pub", "struct" | "enum" | "trait" | "type", name, ..] = parts[..] {
                places.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    let shared: Vec<_> = places.into_iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(shared.is_empty(), "two types of one name: {shared:#?}");
}
