//! The guides are whole, and a person reads the README to its end.

use super::{GUIDES, Guide};
use crate::query::QUERY_RULES;
use crate::store::filter_fields;

const README: &str = include_str!("../../README.md");

#[test]
fn the_guide_to_queries_has_every_field_and_sign() {
    let text = Guide::named("queries").map(Guide::text).unwrap_or_default();
    for field in filter_fields() {
        let row = format!("| `{}` | {} |\n", field.example, field.about);
        assert!(text.contains(&row), "{row}");
    }
    for (written, about) in QUERY_RULES {
        let row = format!("| `{}` | {about} |\n", written.replace(", ", "`, `"));
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn each_guide_begins_with_its_title_and_lacks_nothing() {
    for guide in &GUIDES {
        let text = guide.text();
        assert_eq!(text.lines().next(), Some(format!("# {}", guide.title).as_str()), "{}", guide.name);
        assert!(!text.contains("<!--"), "{}: a table is not filled in", guide.name);
        let long: Vec<_> = text.lines().filter(|line| !line.starts_with('|') && line.chars().count() > 100).collect();
        assert!(long.is_empty(), "{}: lines wider than a terminal: {long:#?}", guide.name);
    }
}

#[test]
fn links_between_guides_lead_somewhere() {
    for (name, text) in GUIDES.iter().map(|guide| (guide.name, guide.text())).chain([("README", README.to_owned())]) {
        for (_, link) in text
            .match_indices("](")
            .map(|(at, _)| text[at + 2..].split_once(')').unwrap_or_default())
            .map(|(link, rest)| (rest, link))
        {
            let file = link.split('#').next().unwrap_or_default();
            if let Some(guide) = file.rsplit('/').next().and_then(|file| file.strip_suffix(".md")) {
                assert!(Guide::named(guide).is_some(), "{name}: {link}");
                assert_eq!(file.starts_with("assets/guide/"), name == "README", "{name}: {link}");
            }
        }
    }
    for guide in &GUIDES {
        let link = format!("assets/guide/{}.md", guide.name);
        assert!(README.contains(&link), "README.md leads to no guide {}", guide.name);
    }
}

#[test]
fn the_readme_is_read_to_its_end() {
    assert!((9_000..=12_000).contains(&README.len()), "{} bytes", README.len());
    let steps = README.split("\n## Seven steps\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let steps: Vec<_> = steps.unwrap_or_default().split("\n   ```sh\n").collect();
    assert_eq!(steps.len() - 1, 7, "each step has its commands");
    for step in &steps[1..] {
        let commands = step.split("   ```").next().unwrap_or_default().lines().count();
        assert!((1..=3).contains(&commands), "{step}");
    }
}

/// Buttons, tabs and switches stand in italics in the guides, as they are labelled in the window.
#[test]
fn buttons_that_guides_name_are_in_the_window() {
    fn sources(folder: &std::path::Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => sources(&path, text),
                path => *text += &std::fs::read_to_string(path).unwrap_or_default(),
            }
        }
    }
    let mut window = String::new();
    for room in ["ui", "app"] {
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room), &mut window);
    }
    let named = regex::Regex::new(r"[^*]\*([A-Z][^*]+)\*[^*]").map(|pattern| {
        let texts: Vec<_> = GUIDES.iter().map(Guide::text).collect();
        texts.iter().flat_map(|text| pattern.captures_iter(text)).map(|found| found[1].replace('\n', " ")).collect()
    });
    let named: Vec<String> = named.unwrap_or_default();
    assert!(named.len() > 5, "{named:?}");
    let gone: Vec<_> = named.iter().filter(|label| !window.contains(&format!("\"{label}"))).collect();
    assert!(gone.is_empty(), "no button is called {gone:?}");
}
