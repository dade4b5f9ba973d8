//! A line finds the same captures wherever it is typed: as a search, as a filter, within `found:`, and by columns in
//! memory or SQL.

use super::*;
use crate::jobs::JobCx;
use crate::query::quoted_value;
use crate::search::{FacetChoice, narrowed_by};
use crate::store::FullText;
use crate::testing::{data, empty_session, town};
use crate::work::models::ImportOptions;
use crate::work::{Session, index_folder};
use std::collections::BTreeSet;

/// Numbers that look random, and are the same in each run.
struct RandomLineNumbers(u64);

impl RandomLineNumbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn one_of<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        &some[self.below(some.len())]
    }
}

/// As the workspace answers, but no columns are in memory: SQL answers what it can.
struct OnDisk(TextAnswers);

impl FullText for OnDisk {
    fn captures(&self, term: &FieldTerm, campaign: Option<CampaignId>) -> Result<FixedBitSet, String> {
        self.0.captures(term, campaign)
    }

    fn has_index(&self) -> Result<bool, String> {
        self.0.has_index()
    }

    fn facts(&self) -> Result<Arc<CaptureFacts>, String> {
        self.0.facts()
    }

    fn facts_in_memory(&self) -> Option<Arc<CaptureFacts>> {
        None
    }

    fn letters(&self, _: LettersOf) -> Result<Option<Arc<CaptureLetters>>, String> {
        Ok(None)
    }
}

/// Words of pages, values of every facet, and each field as its example has it.
struct Leaves {
    terms: Vec<String>,
    choices: Vec<FacetChoice>,
    captures: usize,
}

impl Leaves {
    fn of(session: &Session) -> Self {
        let rows = session.catalogue().captures(&CaptureQuery { limit: 60, ..everything() }).unwrap().rows;
        let texts = rows.iter().map(|row| format!("{} {}", row.title, row.url));
        let mut terms: Vec<String> = texts.flat_map(|text| crate::text::words(&text)).collect();
        terms.extend(["ria", "de", "the", "a", "report"].map(str::to_owned));
        let counts = session.search_counts(&SearchQuery::default(), &FacetKind::ALL, None).unwrap();
        let of_kind = |(kind, values): (FacetKind, Vec<FacetValue>)| {
            values.into_iter().take(12).map(move |of| FacetChoice { kind, value: of.value, is_excluded: false })
        };
        Self { terms, choices: counts.facets.into_iter().flat_map(of_kind).collect(), captures: rows.len() }
    }

    fn leaf(&self, numbers: &mut RandomLineNumbers) -> String {
        let [one, other] = [0; 2].map(|_| numbers.one_of(&self.terms).clone());
        let begin: String = one.chars().take(3).collect();
        let (long, capture) = (one.chars().count() > 3, 1 + numbers.below(self.captures));
        match numbers.below(16) {
            0 if long => format!("{begin}*"),
            1 if long => format!("~{one}"),
            2 => format!("\"{one} {other}\"~{}", numbers.below(5)),
            3 => format!("{one} NEAR/{} {other}", numbers.below(9)),
            4 => format!("={one}^2"),
            5 => format!(
                "{}{one}",
                numbers.one_of(&["text:", "main:", "rest:", "title:", "url:", "anchors:", "anchor:"])
            ),
            6 => format!("found:{}", quoted_value(&format!("{one} OR {other}"))),
            7 => format!("request:{}", quoted_value(&format!("{one} AND NOT {other}"))),
            8 => format!("{}:{capture}", numbers.one_of(&["like", "similar", "file", "imported"])),
            9 => numbers.one_of(&["date:2024-03..2025", "date>=2020", "date:..2024-05-03", "date<2024"]).to_string(),
            10 => numbers
                .one_of(&[
                    "status:2xx",
                    "status>=300",
                    "status:0",
                    "size:1k..",
                    "depth<=2",
                    "versions>1",
                    "revisit:no",
                    "review:no",
                ])
                .to_string(),
            11 => numbers.one_of(filter_fields()).example.to_owned(),
            12 => format!("{}:*", numbers.one_of(filter_fields()).name),
            13 | 14 => narrowed_by("", &[numbers.one_of(&self.choices).clone()]),
            _ => one,
        }
    }

    fn line(&self, numbers: &mut RandomLineNumbers, deepest: usize) -> String {
        if deepest == 0 || numbers.below(3) == 0 {
            return self.leaf(numbers);
        }
        let parts: Vec<String> = (0..2 + numbers.below(2)).map(|_| self.line(numbers, deepest - 1)).collect();
        let group = format!("({})", parts.join(if numbers.below(2) == 0 { " " } else { " OR " }));
        if numbers.below(4) == 0 { format!("-{group}") } else { group }
    }
}

type Answer = Result<BTreeSet<usize>, String>;

fn filtered(session: &Session, line: &str) -> Answer {
    let query = CaptureQuery { filter: line.to_owned(), ..everything() };
    match session.catalogue().capture_ids(&query) {
        Ok(found) => Ok(found.into_iter().filter_map(|id| usize::try_from(id).ok()).collect()),
        Err(crate::store::StoreError::Filter(why)) => Err(why),
        Err(error) => panic!("{line}: {error}"),
    }
}

fn searched(session: &Session, line: &str) -> Answer {
    let query = SearchQuery { text: line.to_owned(), ..SearchQuery::default() };
    match Found::of(session.catalogue(), &index_folder(&session.workspace), &SearchRoom::default(), &query) {
        Ok(found) => Ok(found.captures.ones().collect()),
        Err(error) => match error.downcast() {
            Ok(crate::store::StoreError::Filter(why)) => Err(why),
            Ok(error) => panic!("{line}: {error}"),
            Err(error) => Err(error.to_string()),
        },
    }
}

/// Asks so many random lines, and their contraries, at every door.
#[track_caller]
fn check(session: &Session, cases: usize) {
    session.index_texts(false, &JobCx::detached()).unwrap();
    let (leaves, mut numbers) = (Leaves::of(session), RandomLineNumbers(7));
    let all = filtered(session, "").unwrap();
    let lines: Vec<String> = (0..cases).map(|_| leaves.line(&mut numbers, 2)).collect();
    let answers: Vec<Answer> = lines.iter().map(|line| searched(session, line)).collect();
    let (mut understood, mut finding) = (0, 0);
    for (line, answer) in lines.iter().zip(&answers) {
        assert_eq!(&filtered(session, line), answer, "{line}");
        if let Ok(found) = answer {
            let others: BTreeSet<usize> = all.difference(found).copied().collect();
            assert_eq!(filtered(session, &format!("-({line})")), Ok(others), "-({line})");
            assert_eq!(&filtered(session, &format!("found:{}", quoted_value(line))), answer, "found: {line}");
            understood += 1;
            finding += usize::from(!found.is_empty() && found.len() < all.len());
        }
    }
    assert!(understood > cases / 2 && finding > cases / 4, "{understood} understood, {finding} finding of {cases}");
    let answering = OnDisk(TextAnswers::new(&session.workspace, Arc::new(SearchRoom::default())));
    session.catalogue().set_full_text(Arc::new(answering));
    for (line, answer) in lines.iter().zip(&answers) {
        assert_eq!(&filtered(session, line), answer, "by SQL: {line}");
    }
}

#[test]
fn a_line_finds_the_same_as_filter_and_as_search() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    check(&session, 300);
    // Of words that are as rare, the same are compared each time.
    let similar = |capture: usize| filtered(&session, &format!("like:{capture}"));
    for capture in 1..40 {
        let first = similar(capture);
        assert!((0..4).all(|_| similar(capture) == first), "like:{capture}");
    }
}

#[test]
fn a_line_finds_the_same_in_real_archives() {
    let Some(folder) = data("reports") else { return };
    let (_dir, session) = empty_session();
    session.import(&[folder], ImportOptions::default(), &JobCx::detached()).unwrap();
    check(&session, 150);
}

#[test]
fn parts_of_titles_and_urls_are_found_in_memory_as_in_rows() {
    let Some(folder) = data("reports") else { return };
    let (_dir, session) = empty_session();
    session.import(&[folder], ImportOptions::default(), &JobCx::detached()).unwrap();
    let rows = session.catalogue().captures(&CaptureQuery { limit: 4_000, ..everything() }).unwrap().rows;
    let mut numbers = RandomLineNumbers(3);
    let mut parts =
        vec!["%".to_owned(), "é".to_owned(), "\u{301}".to_owned(), "http://".to_owned(), "zzzxq".to_owned()];
    for _ in 0..150 {
        let row = numbers.one_of(&rows);
        let decoded = percent_encoding::percent_decode_str(&row.url).decode_utf8_lossy().into_owned();
        let text = numbers.one_of(&[row.title.clone(), row.url.clone(), decoded, row.title.to_uppercase()]).clone();
        let letters: Vec<char> = text.chars().collect();
        let begin = numbers.below(letters.len());
        parts.push(letters.iter().skip(begin).take(1 + numbers.below(7)).collect());
    }
    let lines = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| {
        let part = quoted_value(part);
        [format!("title:{part}"), format!("url:{part}"), format!("title:{part} -url:{part}"), part]
    });
    let lines: Vec<String> = lines.collect();
    // The columns are in memory from the first search on; then nothing is.
    session.search(&SearchQuery::default()).unwrap();
    let in_memory: Vec<Answer> = lines.iter().map(|line| filtered(&session, line)).collect();
    let answering = OnDisk(TextAnswers::new(&session.workspace, Arc::new(SearchRoom::default())));
    session.catalogue().set_full_text(Arc::new(answering));
    let mut finding = 0;
    for (line, answer) in lines.iter().zip(in_memory) {
        finding += usize::from(answer.as_ref().is_ok_and(|found| !found.is_empty()));
        assert_eq!(filtered(&session, line), answer, "{line}");
    }
    assert!(finding > lines.len() / 3, "{finding} of {} found something", lines.len());
}

#[test]
fn every_count_of_a_facet_is_that_of_the_line_with_it() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    session.index_texts(false, &JobCx::detached()).unwrap();
    session.analyse(&crate::work::AnalysisInputs::default(), &JobCx::detached()).unwrap();
    for line in ["", "ria OR town", "media=page", "status:200 NOT lang=pt"] {
        let query = SearchQuery { text: line.to_owned(), ..SearchQuery::default() };
        let counts = session.search_counts(&query, &FacetKind::ALL, None).unwrap();
        assert_eq!(counts.problem, None);
        for (kind, values) in counts.facets {
            let may_be_empty = matches!(
                kind,
                FacetKind::Country
                    | FacetKind::Mark
                    | FacetKind::Kind
                    | FacetKind::Term
                    | FacetKind::Entity
                    | FacetKind::Since
            );
            assert!(!values.is_empty() || may_be_empty, "{line}: {kind:?}");
            for of in values {
                let choice = FacetChoice { kind, value: of.value, is_excluded: false };
                let with = crate::search::with_facets(line, kind, &[choice]);
                for found in [filtered(&session, &with), searched(&session, &with)] {
                    assert_eq!(found.map(|found| found.len() as u64), Ok(of.count), "{with}");
                }
            }
        }
    }
}

#[test]
fn a_filter_finds_texts_once_there_is_an_index() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    std::fs::remove_dir_all(index_folder(&session.workspace)).unwrap_or_default();
    let title = session.catalogue().captures(&CaptureQuery { filter: "title:*".to_owned(), ..everything() }).unwrap();
    assert!(title.total > 0);
    let before = filtered(&session, "the").unwrap();
    session.index_texts(false, &JobCx::detached()).unwrap();
    let after = filtered(&session, "the").unwrap();
    assert_ne!(before, after);
    assert_eq!(Ok(after), searched(&session, "the"));
}
