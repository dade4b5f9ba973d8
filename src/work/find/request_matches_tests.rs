//! What a search finds of a request is what scores, whatever the request and the pages.

use super::*;
use crate::campaign::Request;
use crate::jobs::JobCx;
use crate::query::quoted_value;
use crate::search::StoredPage;
use crate::store::Workspace;
use crate::testing::{data, empty_session, town};
use crate::work::Session;
use crate::work::find::record_content::read_record;
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::{CaptureId, CaptureQuery, ImportOptions};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Numbers that look random, and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// A capture with what its record says, read anew.
struct CaptureText {
    head: CaptureHead,
    page: StoredPage,
}

fn pages_of(session: &Session) -> Vec<CaptureText> {
    let facts = session.search_room().facts(session.catalogue()).unwrap();
    let ids = facts.with_text().ones().filter_map(|capture| CaptureId::try_from(capture).ok()).collect::<Vec<_>>();
    let read = |head: CaptureHead| {
        let stored = session.catalogue().stored_capture(head.id).unwrap();
        let unread =
            || StoredPage { title: stored.title.clone(), url: url_text(stored.url.as_str()), ..StoredPage::default() };
        let page =
            read_record(&session.workspace, &stored).map_or_else(|_| unread(), |read| read.into_page(0, &stored));
        CaptureText { head, page }
    };
    session.catalogue().capture_heads(&ids).unwrap().into_iter().map(read).collect()
}

/// A name made of the words of a page: as it stands there, or by a form.
fn name(numbers: &mut Numbers, page: &StoredPage) -> String {
    let texts = [&page.title, &page.main, &page.main, &page.rest, &page.url, &page.description];
    let text = texts[numbers.below(texts.len())];
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = numbers.below(words.len());
    let Some(word) = words.get(at) else { return "ria".to_owned() };
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let begin = |count: usize| letters.iter().take(count).collect::<String>();
    match numbers.below(7) {
        0 if letters.len() > 3 => format!("{}*", begin(2 + numbers.below(3))),
        1 if letters.len() > 3 => format!("~{}", begin(letters.len() - numbers.below(2))),
        2 if letters.len() > 3 => format!("{}?{}", begin(2), letters[3..].iter().collect::<String>()),
        3 | 4 => {
            let several = words[at..words.len().min(at + 1 + numbers.below(3))].join(" ");
            Request::Term(term(crate::campaign::TermKind::Phrase, several)).to_string()
        }
        _ => Request::Term(term(crate::campaign::TermKind::Keyword, letters.iter().collect())).to_string(),
    }
}

fn term(kind: crate::campaign::TermKind, value: String) -> crate::campaign::Term {
    crate::campaign::Term { kind, value, weight: 1.0, aliases: vec![], uri: None, from: None, to: None }
}

fn request(numbers: &mut Numbers, pages: &[CaptureText], deepest: usize) -> String {
    if deepest > 0 && numbers.below(3) > 0 {
        let parts: Vec<String> = (0..1 + numbers.below(3)).map(|_| request(numbers, pages, deepest - 1)).collect();
        return format!("{}({})", ["ALL", "ANY"][numbers.below(2)], parts.join(", "));
    }
    let mut of_any = || {
        let page = &pages[numbers.below(pages.len())].page;
        name(numbers, page)
    };
    let (one, other) = (of_any(), of_any());
    match numbers.below(10) {
        0 => format!("{one}^-0.6"),
        1 if !other.contains('"') => format!("{one}|{other}^0.4"),
        2 => format!("NOT {one}"),
        3 => "lang:pt|en".to_owned(),
        4 => "period:[2024-01..2024-06]".to_owned(),
        _ => one,
    }
}

/// Holds so many random requests against every page: what its record says, what the index says, and what a filter and
/// a search find.
#[track_caller]
fn check(session: &Session, cases: usize) {
    let pages = pages_of(session);
    session.index_texts(false, &JobCx::detached()).unwrap();
    let texts = PageTexts::open(&session.workspace).unwrap();
    let (mut numbers, mut meeting) = (Numbers(1), 0);
    for case in 0..cases {
        let text = request(&mut numbers, &pages, 2);
        let Ok(request) = text.parse::<Request>() else { continue };
        let written = request.to_string();
        assert_eq!(written.parse::<Request>().as_ref(), Ok(&request), "{text}");
        let indexed = RequestMatches::of_indexed(Matcher::compile(&request), texts.index()).unwrap();
        let mut scoring = BTreeSet::new();
        for CaptureText { head, page } in &pages {
            let language = Some(head.language.as_str()).filter(|language| !language.is_empty());
            let (title, main, rest, url) = (&page.title, &page.main, &page.rest, &page.url);
            let fields = TextFields { title, main, rest, url, language, date: Some(head.date) };
            let of_record = indexed.matcher.read(&fields);
            let version = usize::try_from(head.version).unwrap();
            let of_index = indexed.matcher.matches(&indexed.counts_of(version), language, Some(head.date));
            assert!(indexed.indexed.contains(version), "{}", head.url);
            assert_eq!(of_index, of_record, "case {case}, {text}: {}", head.url);
            if of_record.holds {
                scoring.insert(head.id);
            }
        }
        meeting += scoring.len();
        if request.is_empty() {
            continue;
        }
        let filter = format!("request:{}", quoted_value(&written));
        let query = CaptureQuery { filter: filter.clone(), ..crate::work::everything() };
        let found: BTreeSet<CaptureId> = session.catalogue().capture_ids(&query).unwrap().into_iter().collect();
        assert_eq!(found, scoring, "case {case}, {filter}");
    }
    assert!(meeting > pages.len(), "{meeting} of {} pages", pages.len());
}

#[test]
fn what_search_finds_of_a_request_is_what_scores() {
    let root = tempfile::tempdir().unwrap();
    check(&Session::new(Workspace::open(&town().copy(root.path())).unwrap()), 60);
}

#[test]
fn what_search_finds_in_real_archives_is_what_scores() {
    for (name, cases) in [("reports", 150), ("warc/real", 12)] {
        let Some(folder) = data(name) else { continue };
        let (_dir, session) = empty_session();
        session.import(&archives_below(&folder), ImportOptions::default(), &JobCx::detached()).unwrap();
        check(&session, cases);
    }
}

#[test]
fn versions_keep_the_terms_that_they_hold_and_no_others() {
    let versions = 10_000_u32;
    let one_of_each = |version: u32| (version, TermCount::of(version as usize % 400, 2, u64::from(version)));
    let found: Vec<_> = (1..=versions).map(one_of_each).chain([(7, TermCount::of(399, 0, 2))]).collect();
    let counts = VersionCounts::of(&found);
    let counts_in =
        |version: usize| counts.of_version(version).iter().map(|of| (of.term, of.slot, of.count)).collect::<Vec<_>>();
    assert_eq!(counts_in(0), []);
    assert_eq!(counts_in(7), [(7, 2, 7), (399, 0, 2)]);
    assert_eq!(counts_in(10_000), [(0, 2, 10_000)]);
    assert_eq!(counts_in(10_001), []);
    // A row of all terms for each version would be 48 MB.
    let bytes = size_of_val(&counts.counts[..]) + size_of_val(&counts.begins[..]);
    assert!(bytes < 13 * versions as usize, "{bytes}");
}

/// The archives of a folder, in order.
fn archives_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(archives_below(&path)),
            false if path.to_string_lossy().contains(".warc") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
