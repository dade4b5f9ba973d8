//! Seeds and prefixes, one a line, as crawlers keep them in files.

use crate::campaign::{Seed, SeedScope};
use crate::uri::{ScopePrefix, parse_web_url};

/// Reads `seeds.txt`: `#` begins a comment, the first word of a line counts, a
/// bare host is http. Lines with `+` and `-` are prefixes to take or refuse.
/// Returns seeds, prefixes with their sign, and what could not be read,
/// with its line from 1.
#[allow(clippy::type_complexity)]
pub fn seeds_of_text(text: &str) -> (Vec<Seed>, Vec<(bool, String)>, Vec<(usize, String)>) {
    let (mut seeds, mut prefixes, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        let Some(entry) = line.split_whitespace().next().filter(|entry| !entry.starts_with('#')) else { continue };
        if let Some(prefix) = entry.strip_prefix(['+', '-']) {
            match ScopePrefix::parse(prefix) {
                Some(prefix) => prefixes.push((entry.starts_with('+'), prefix.to_string())),
                None => unread.push((number + 1, line.to_owned())),
            }
            continue;
        }
        let url = if entry.contains("://") { entry.to_owned() } else { format!("http://{entry}") };
        match parse_web_url(&url) {
            Some(_) => seeds.push(Seed { url, scope: SeedScope::Root, depth: None, source_tag: String::new() }),
            None => unread.push((number + 1, line.to_owned())),
        }
    }
    (seeds, prefixes, unread)
}

/// Reads a file of prefixes: a URL or SURT a line, with or without `+`.
pub(super) fn prefixes_of_text(text: &str) -> (Vec<String>, Vec<(usize, String)>) {
    let (mut prefixes, mut unread) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match ScopePrefix::parse(line) {
            _ if line.is_empty() => {}
            Some(prefix) => prefixes.push(prefix.to_string()),
            None => unread.push((number + 1, line.to_owned())),
        }
    }
    (prefixes, unread)
}
