//! Checks the dialects against the vectors of the systems they come from, and against arbitrary text.

use super::*;
use crate::testing::data_text;
use proptest::prelude::*;

/// Rows where [`CdxKey`] follows the Java program and not the Python one: a host with a port but no scheme.
const PYTHON_DIFFERS: [&str; 1] = ["example.pt:8080/a"];

/// Rows where it follows the Python program and not the Java one, by whose keys an address of mail is the front page of
/// its host: what has no host is its own key.
const JAVA_DIFFERS: [&str; 3] = ["dns:www.example.pt", "dns:archive.org", "mailto:ana@example.pt"];

#[test]
fn the_table_of_the_room_is_true() {
    let line = "https://www.Example.pt:8080/A/?b=2&a=1#f";
    let url = Url::parse(line).unwrap();
    assert_eq!(PageKey::of(&url).as_str(), "pt,example:8080)/A?b=2&a=1");
    assert_eq!(DatasetKey::of(&url).as_str(), "(pt,example,:8080)/a/?b=2&a=1");
    assert_eq!(CdxKey::of(&url).as_str(), "pt,example:8080)/a?a=1&b=2");
    assert_eq!(ScopeSurt::of(&url).as_str(), "https://(pt,example,www,:8080)/a/?b=2&a=1");
    assert_eq!(Ssurt::of(&url).as_str(), "pt,example,www,//8080:https:/A/?b=2&a=1#f");
}

#[test]
fn keys_agree_with_every_school() {
    let Some(table) = data_text("surt/surt.tsv") else { return };
    let mut counts: std::collections::BTreeMap<String, (usize, usize)> = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (school, line, expected) = (columns[0], columns[1], columns[2]);
        let note = columns.get(3).copied().unwrap_or_default();
        let free = ["artefact", "code only", "edge"].iter().any(|marker| note.starts_with(marker));
        if free || expected.starts_with('!') {
            continue;
        }
        let line = line.replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\");
        let key = match school {
            "arquivo" | "arquivo-test" | "seed000" => DatasetKey::of_text(&line).map(|key| key.to_string()),
            _ => CdxKey::of_text(&line).map(|key| key.to_string()),
        };
        let count = counts.entry(school.to_owned()).or_default();
        count.1 += 1;
        let differs = [("ia_python", &PYTHON_DIFFERS[..]), ("wayback_key", &JAVA_DIFFERS[..])];
        if differs.iter().any(|(name, lines)| school.starts_with(name) && lines.contains(&line.as_str())) {
            assert_ne!(key.as_deref(), Some(expected), "{line} no longer differs");
            continue;
        }
        if key.as_deref() == Some(expected) {
            count.0 += 1;
        } else {
            wrong.push(format!("{school} {line}: {} instead of {expected}", key.unwrap_or_default()));
        }
    }
    for (school, (right, all)) in &counts {
        println!("{school}: {right} of {all}");
    }
    let (right, all) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    println!("SURT rows that are no artefacts: {right} of {all}, {} of them another program's on purpose", all - right);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sort_keys_agree_with_urlcanon() {
    let Some(text) = data_text("url/urlcanon-ssurt.json") else { return };
    let tables: serde_json::Value = serde_json::from_str(&text).unwrap();
    let table = tables["ssurt"].as_object().unwrap();
    for (line, expected) in table {
        let key = Ssurt::of(&Url::parse(line).unwrap());
        assert_eq!(key.as_str(), expected.as_str().unwrap(), "{line}");
    }
    println!("urlcanon ssurt: {0} of {0}", table.len());
}

#[test]
fn urls_of_the_standard_survive_the_sort_key() {
    let Some(text) = data_text("url/urltestdata.json") else { return };
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut counted = 0;
    for row in rows {
        let Some(href) = row["href"].as_str() else { continue };
        let Ok(url) = Url::parse(href) else { continue };
        assert_eq!(Ssurt::of(&url).to_url().as_ref(), Some(&url), "{href}");
        let _ = (DatasetKey::of(&url), CdxKey::of(&url), ScopeSurt::of(&url), PageKey::of(&url));
        counted += 1;
    }
    println!("urls of the WHATWG test data through the sort key and back: {counted}");
}

fn hosts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9]{1,8}(\\.[a-z0-9-]{1,8}){0,3}\\.(pt|com|co\\.uk)\\.?",
        "www[0-9]{0,2}\\.[a-z]{1,6}\\.pt",
        "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
        Just("[2001:db8::1]".to_owned()),
        Just("a,b.example.pt".to_owned()),
        Just("localhost".to_owned()),
    ]
}

proptest! {
    #[test]
    fn sort_keys_are_reversible(
        scheme in "(https?|ftp|gopher|ws)",
        user in "([a-z:,@%]{0,6}@)?",
        host in hosts(),
        port in proptest::option::of(0u16..),
        tail in "([/?#][a-zA-Z0-9/?#:@,.%&=;()!\\[\\]é -]{0,24})?",
    ) {
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        if let Ok(url) = Url::parse(&format!("{scheme}://{user}{host}{port}{tail}")) {
            prop_assert_eq!(Ssurt::of(&url).to_url(), Some(url));
        }
    }

    #[test]
    fn no_text_stops_a_key(text in "\\PC{0,60}", scheme in "(https?:|ftp:|dns:|data:|filedesc:|[a-z]{1,5}:)?/{0,3}") {
        for line in [text.clone(), format!("{scheme}{text}")] {
            let _ = (DatasetKey::of_text(&line), CdxKey::of_text(&line), ScopeSurt::of_text(&line), Ssurt::of_text(&line));
            let _ = Ssurt::from_stored(line.clone()).to_url();
            let key = DatasetKey::from_stored(line.clone());
            let _ = (key.host_part().len(), key.host(), key.likely_url());
            let _ = (ScopePrefix::implied_by_seed(&line).remark(), ScopePrefix::parse(&line));
            if let Ok(url) = Url::parse(&line) {
                let _ = (DatasetKey::of(&url), CdxKey::of(&url), ScopeSurt::of(&url), PageKey::of(&url), Fqdn::of(&url));
                let _ = (ScopePrefix::host_of(&url), ScopePrefix::domain_of(&url));
            }
        }
    }

    #[test]
    fn spelling_does_not_change_a_page_key(
        host in "[a-z]{1,6}\\.[a-z]{1,6}\\.pt",
        path in "(/[a-zA-Z0-9._-]{1,6}){0,3}",
        query in "(\\?[a-z]=[0-9])?",
    ) {
        // Of two `www.` one is left.
        prop_assume!(!host.starts_with("www."));
        let key = |text: String| Url::parse(&text).map(|url| PageKey::of(&url).to_string());
        let plain = key(format!("http://{host}{path}{query}"));
        prop_assert_eq!(&plain, &key(format!("https://{host}:443{path}/{query}")));
        prop_assert_eq!(&plain, &key(format!("http://www.{}:80{path}/{query}#f", host.to_uppercase())));
        prop_assert_eq!(&plain, &key(format!("http://user@{host}.{path}{query}")));
    }

    #[test]
    fn prefix_sets_agree_with_their_prefixes(
        prefixes in proptest::collection::vec("\\(pt,[ab,)/]{0,4}", 0..8),
        host in "[ab]{1,2}(\\.[ab]{1,2})?\\.pt",
        path in "(/[ab]{0,2}){0,2}",
    ) {
        let prefixes: Vec<ScopePrefix> = prefixes.iter().filter_map(|text| ScopePrefix::parse(text)).collect();
        let surt = ScopeSurt::of(&Url::parse(&format!("https://{host}{path}")).unwrap());
        let expected = prefixes.iter().any(|prefix| prefix.matches(&surt));
        let set = ScopePrefixSet::new(prefixes);
        prop_assert_eq!(set.matches(&surt), expected);
    }

    #[test]
    fn prefixes_match_what_their_seed_is(host in hosts(), path in "(/[a-z0-9]{1,5}){0,3}/?") {
        let seed = format!("https://{host}{path}");
        if let Ok(url) = Url::parse(&seed) {
            prop_assert!(ScopePrefix::implied_by_seed(&seed).matches(&ScopeSurt::of(&url)), "{}", seed);
        }
    }
}
