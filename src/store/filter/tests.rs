use super::*;
use crate::analysis::{Matcher, TextFields};
use crate::query::QUERY_RULES;
use crate::search::{CaptureLetters, FactsRow, LettersOf};
use crate::store::KeptScore;
use crate::store::rows::{CaptureId, CaptureQuery, CaptureTab, SelectionSpec};
use crate::store::tests::{Made, capture, made};
use std::collections::{BTreeSet, HashMap};

pub(super) fn rows(made: &Made, filter: &str) -> BTreeSet<String> {
    let query = CaptureQuery {
        filter: filter.to_owned(),
        tab: CaptureTab::All,
        campaign: Some(CampaignId::new(1)),
        sort: Vec::new(),
        offset: 0,
        limit: 100,
    };
    let page = made.workspace.catalogue().captures(&query).unwrap();
    assert_eq!(page.filter_problem, None, "{filter}");
    assert_eq!(page.rows.len() as u64, page.total, "{filter}");
    page.rows.into_iter().map(|row| row.url.trim_start_matches("http://").to_owned()).collect()
}

/// Captures at `a.pt/0`, `a.pt/1` … with these dates.
fn dated(dates: &[&str]) -> Made {
    let made = made();
    let entries = dates.iter().enumerate().map(|(at, date)| {
        let mut entry = capture(&format!("http://a.pt/{at}"), 0, at as u64 * 20, &format!("sha1:{at}"), &[]);
        entry.date = CaptureDate::parse(date).unwrap();
        entry
    });
    made.workspace.catalogue().add_captures(made.launch, entries.collect()).unwrap();
    made
}

#[test]
fn dates_are_compared_with_the_whole_period() {
    let made = dated(&[
        "2018-12-31T23:59:59.999Z",
        "2019-01-01T00:00:00Z",
        "2019-06-15T12:30:40Z",
        "2019-12-31T23:59:59.999Z",
        "2020-01-01T00:00:00Z",
    ]);
    for (filter, expected) in [
        ("date>2019", "4"),
        ("date>=2019", "1234"),
        ("date<2019", "0"),
        ("date<=2019", "0123"),
        ("date:2019", "123"),
        ("date=2019", "123"),
        ("date>2019-06", "34"),
        ("date<=2019-06", "012"),
        ("date<2019-06-15", "01"),
        ("date<=2019-06-15", "012"),
        ("date>=2019-06-15", "234"),
        ("date>2019-06-15T12:30:40Z", "34"),
        ("date>=20190615123040", "234"),
        ("date:2019..2019-06", "12"),
        ("date:2019-06..", "234"),
        ("date:..2018", "0"),
        ("date:2018..2018 OR date>2019", "04"),
        ("NOT date>2019", "0123"),
        ("date>=2019 -date:2019-06", "134"),
    ] {
        let found: String = rows(&made, filter).iter().map(|url| url.trim_start_matches("a.pt/")).collect();
        assert_eq!(found, expected, "{filter}");
    }
}

#[test]
fn operators_are_those_of_sets() {
    let made = dated(&["2018", "2019", "2020", "2021"]);
    let catalogue = made.workspace.catalogue();
    let mut others = Vec::new();
    for (at, (url, status, mime)) in [
        ("http://b.pt/wiki/A_(b)", 404, "text/html"),
        ("http://b.pt/i.png", 200, "image/png"),
        ("http://b.pt/OR", 302, ""),
    ]
    .into_iter()
    .enumerate()
    {
        let mut entry = capture(url, 1_700_000_000, 1000 + at as u64 * 20, &format!("sha1:b{at}"), &[]);
        (entry.notes.status, entry.notes.mime) = (status, mime.to_owned());
        others.push(entry);
    }
    catalogue.add_captures(made.launch, others).unwrap();
    let ids = catalogue.capture_ids(&CaptureQuery { filter: "host:a.pt".to_owned(), ..everything() }).unwrap();
    catalogue.mark(&ids[..1], ReviewMark::Approve, "", "Ana").unwrap();
    let all = rows(&made, "");
    assert_eq!(all.len(), 7);
    for filter in ["*", " * ", "NOT (NOT *)", "* OR a.pt"] {
        assert_eq!(rows(&made, filter), all, "{filter}");
    }
    assert_eq!(rows(&made, "-*"), BTreeSet::new());
    assert_eq!(rows(&made, "\"*\""), BTreeSet::new(), "in quotes it is text");
    assert_eq!(rows(&made, "\"OR\" status>=300").len(), 1);
    assert_eq!(rows(&made, "https://b.pt/wiki/A_(b) OR b.pt/wiki/A_(b)").len(), 1);
    // Some are unknown in places: no score, no decision, no type.
    let leaves = ["host:a.pt", "status:4xx", "mime:image/", "date>2019", "mark:none", "score>0.1", "A_(b)"];
    for a in leaves {
        let has = rows(&made, a);
        let not: BTreeSet<String> = all.difference(&has).cloned().collect();
        for spelled in [format!("-{a}"), format!("NOT {a}"), format!("NOT ({a})")] {
            assert_eq!(rows(&made, &spelled), not, "{spelled}");
        }
        for b in leaves {
            let other = rows(&made, b);
            let both: BTreeSet<String> = has.intersection(&other).cloned().collect();
            let any: BTreeSet<String> = has.union(&other).cloned().collect();
            for (spelled, expected) in [
                (format!("{a} {b}"), &both),
                (format!("{a} AND {b}"), &both),
                (format!("({a} OR {b})"), &any),
                (format!("NOT (-{a} -{b})"), &any),
                (format!("NOT (NOT {a} OR NOT {b})"), &both),
            ] {
                assert_eq!(&rows(&made, &spelled), expected, "{spelled}");
            }
            // NOT binds before AND, AND before OR.
            let expected: BTreeSet<String> = not.intersection(&other).chain(&has).cloned().collect();
            assert_eq!(rows(&made, &format!("-{a} {b} OR {a}")), expected, "{a}, {b}");
        }
    }
}

fn everything() -> CaptureQuery {
    CaptureQuery {
        filter: String::new(),
        tab: CaptureTab::All,
        campaign: None,
        sort: Vec::new(),
        offset: 0,
        limit: 100,
    }
}

#[test]
fn terms_fold_as_those_of_a_request() {
    let made = made();
    let titles = [
        "Câmara Municipal",
        "Ca\u{302}mara velha",
        "МОСКВА́",
        "Ελλάδα του ΟΔΥΣΣΈΑ",
        "Große Straße",
        "İstanbul",
        "שָׁלוֹם עולם",
        "ＦＵＬＬ width",
        "東京タワー",
        "plain words",
    ];
    let entries = titles.iter().enumerate().map(|(at, title)| {
        let mut entry = capture(&format!("http://a.pt/p{at}"), 0, at as u64 * 20, &format!("sha1:{at}"), &[]);
        entry.notes.title = Some((*title).to_owned());
        entry
    });
    let catalogue = made.workspace.catalogue();
    catalogue.add_captures(made.launch, entries.collect()).unwrap();
    for word in [
        "camara",
        "CÂMARA",
        "москва",
        "Москва",
        "ελλαδα",
        "οδυσσεα",
        "strasse",
        "GROSSE",
        "istanbul",
        "שלום",
        "full",
        "東京",
    ] {
        let matcher = Matcher::compile(&word.parse().unwrap());
        let holds = |title: &&&str| matcher.read(&TextFields { title, ..TextFields::default() }).holds;
        let expected = titles.iter().filter(holds).count();
        assert_ne!(expected, 0, "{word}");
        for filter in [word.to_owned(), format!("title:{word}")] {
            assert_eq!(rows(&made, &filter).len(), expected, "{filter}");
        }
        assert_eq!(rows(&made, &format!("-{word}")).len(), titles.len() - expected, "-{word}");
    }
    // A URL holds its words percent-encoded; its signs count.
    let encoded = capture("http://a.pt/Ci%C3%AAncia/x?id=4", 0, 900, "sha1:e", &[]);
    catalogue.add_captures(made.launch, vec![encoded]).unwrap();
    for filter in ["ciencia", "url:CIÊNCIA/", "ci%c3%aancia", "/x?id=4", "url=http://a.pt/ciência/x?id=4"] {
        assert_eq!(rows(&made, filter).len(), 1, "{filter}");
    }
    for filter in ["x-id-4", "a-pt", "title=camara", "url=http://a.pt/"] {
        assert_eq!(rows(&made, filter), BTreeSet::new(), "{filter}");
    }
    assert_eq!(rows(&made, "title=\"câmara MUNICIPAL\"").len(), 1);
}

#[test]
fn a_part_of_the_selection_may_be_of_another_campaign() {
    let of = |line: &str| Filter::parse(&CAPTURES, line, FilterContext::default()).unwrap().is_of_selection;
    for line in
        ["export:yes", "requisite:yes -a", "-requisite:no", "NOT (export:no OR a)", "(export:yes OR requisite:yes) b"]
    {
        assert!(of(line), "{line}");
    }
    for line in ["", "a", "export:no", "export:yes OR a", "-requisite:yes", "NOT (export:no a)", "\"export:yes\""] {
        assert!(!of(line), "{line}");
    }
}

#[test]
fn every_field_is_listed_and_its_example_works() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    catalogue.add_captures(made.launch, vec![capture("http://a.pt/p", 1, 0, "sha1:A", &[])]).unwrap();
    let row = KeptScore { id: CaptureId::new(1), score: 0.5, passes: true, decision: None };
    let spec = SelectionSpec { campaign: CampaignId::new(1), ..SelectionSpec::default() };
    catalogue.keep_selection(&spec, vec![row]).unwrap();
    for field in filter_fields() {
        if !field.needs_index() {
            rows(&made, field.example);
        }
        assert!(field.example.starts_with(field.name) && !field.about.is_empty(), "{field:?}");
    }
    let error = Filter::parse(&CAPTURES, "colour:red", FilterContext::default()).unwrap_err();
    assert!(filter_fields().iter().all(|field| error.contains(field.name)), "{error}");
    assert_eq!(rows(&made, "score>0.4").len() + rows(&made, "score<0.6").len(), 2);
}

#[test]
fn what_is_not_understood_is_reported_with_its_column() {
    for (line, column, expected) in [
        ("a inlinks.all>3", 3, "“inlinks.all” is no field"),
        ("é colour:red", 3, "“colour” is no field"),
        ("status:many", 8, "is no number"),
        ("score>nan", 7, "is no number"),
        ("a re:(", 6, "the pattern “(” is broken"),
        ("\"open", 6, "a closing quotation mark"),
        ("(a OR b", 8, "a closing bracket"),
        ("date:soon", 6, "date:2024-03"),
        ("date>2019..2020", 6, "date>=2019 date<=2020"),
        ("campaign:town", 10, "is no number of a campaign"),
        ("import:town", 8, "is no number of an import"),
        ("selected:maybe", 10, "write selected:yes or selected:no"),
        ("requisite:maybe", 11, "neither yes nor no"),
        ("page:maybe", 6, "write page:yes or page:no"),
        ("a (b OR mark:foo)", 14, "marks are approve, reject, flag"),
        ("title>x", 1, "title is not compared with >"),
        ("host: a", 6, "a value is missing, such as host:gov.pt"),
    ] {
        let error = Filter::parse(&CAPTURES, line, FilterContext::default()).unwrap_err();
        assert!(error.starts_with(&format!("column {column}: ")) && error.contains(expected), "{line}: {error}");
    }
    let error = Filter::parse(&CAPTURES, &"a ".repeat(401), FilterContext::default()).unwrap_err();
    assert!(error.starts_with("column 801: ") && error.contains("400 terms at most"), "{error}");
    let made = made();
    rows(&made, &"a ".repeat(400));
    rows(&made, &format!("{}a{}", "(x OR ".repeat(49), ")".repeat(49)));
}

/// Captures with these URLs, sizes and titles.
pub(super) fn titled(entries: &[(&str, u64, &str)]) -> Made {
    let made = made();
    let entries = entries.iter().enumerate().map(|(at, (url, size, title))| {
        let mut entry = capture(url, 1_700_000_000, at as u64 * 20, &format!("sha1:{at}"), &[]);
        entry.notes.title = (!title.is_empty()).then(|| (*title).to_owned());
        entry.payload_len = *size;
        entry
    });
    made.workspace.catalogue().add_captures(made.launch, entries.collect()).unwrap();
    made
}

#[test]
fn ranges_wildcards_and_any_value() {
    let made = titled(&[
        ("http://a.pt/0?id=1", 0, "Casas da Ria"),
        ("http://www.a.pt/1", 900, "Ria Formosa"),
        ("http://pt.example/2/casa", 2_500, "A formosa e bela ria"),
        ("http://b.gov.pt/3", 1_000_000, ""),
    ]);
    for (filter, expected) in [
        ("size:<1m", "012"),
        ("size:>=1m", "3"),
        ("size:2.5k", "2"),
        ("size:0..900", "01"),
        ("size:1k..", "23"),
        ("size:..900 -size:0", "1"),
        ("size:..", "0123"),
        ("Size:>0.5K", "123"),
        ("host:*.pt", "013"),
        ("host:*.gov.pt", "3"),
        ("HOST:w?w.*", "1"),
        ("host:*", "0123"),
        ("-host:*.pt", "2"),
        ("title:*", "012"),
        ("-title:*", "3"),
        ("mark:*", ""),
        ("-mark:*", "0123"),
        ("inlinks.ext:0..", "0123"),
        ("title:cas*", "0"),
        ("cas*", "02"),
        ("c?sa", "2"),
        ("0?id", "0"),
        ("~caza", "2"),
        ("title:~formoza", "12"),
        ("=casa", "2"),
        ("\"ria formosa\"", "1"),
        ("\"formosa ria\"~1", ""),
        ("\"formosa ria\"~2", "12"),
        ("title:formosa NEAR/0 ria", "1"),
        ("formosa NEAR/2 ria", "12"),
        ("ria^2", "012"),
        ("(ria OR casa)^2", "012"),
        ("www.a.pt/1", "1"),
        ("url:*", "0123"),
    ] {
        let found: String =
            rows(&made, filter).iter().map(|url| url.split('/').nth(1).unwrap()[..1].to_owned()).collect();
        let mut found: Vec<char> = found.chars().collect();
        found.sort_unstable();
        assert_eq!(found.into_iter().collect::<String>(), expected, "{filter}");
    }
}

#[test]
fn pages_that_link_to_a_url_are_found() {
    let made = made();
    let entries: [(&str, &[(&str, &str)]); 3] = [
        ("http://a.pt/1", &[("http://b.pt/x#top", ""), ("http://c.pt/", "")]),
        ("http://a.pt/2", &[("https://www.b.pt/x", "")]),
        ("http://a.pt/3", &[("http://b.pt/xy", ""), ("http://a.pt/1", "")]),
    ];
    let entries = entries
        .iter()
        .enumerate()
        .map(|(at, (url, links))| capture(url, 1_700_000_000, at as u64 * 20, &format!("sha1:{at}"), links));
    made.workspace.catalogue().add_captures(made.launch, entries.collect()).unwrap();
    let found = |filter: &str| rows(&made, filter).into_iter().collect::<Vec<_>>().join(" ");
    let both = if PageKey::of_text("http://www.b.pt/x") == PageKey::of_text("http://b.pt/x") {
        "a.pt/1 a.pt/2"
    } else {
        "a.pt/1"
    };
    assert_eq!(found("linked:http://b.pt/x"), both);
    assert_eq!(found("linked:b.pt/x"), both);
    assert_eq!(found("linked:http://a.pt/1"), "a.pt/3");
    assert_eq!(found("-linked:c.pt host:a.pt"), "a.pt/2 a.pt/3");
    assert_eq!(found("linked:http://nowhere.pt/"), "");
}

/// An index in which capture 2 has every word, and the rest none.
struct OnlySecond;

impl FullText for OnlySecond {
    fn captures(&self, term: &FieldTerm, _: Option<CampaignId>) -> Result<FixedBitSet, String> {
        let mut found = FixedBitSet::with_capacity(3);
        match term.test {
            TextTest::Word(_) => found.insert(2),
            _ => return Err(format!("no answer to {}", term.text)),
        }
        Ok(found)
    }

    fn has_index(&self) -> Result<bool, String> {
        Ok(true)
    }

    fn facts(&self) -> Result<Arc<CaptureFacts>, String> {
        let mut facts = CaptureFacts::default();
        for capture in 1..=3 {
            let (host, media, language) = ("a.pt", "page", "");
            let row = FactsRow {
                capture,
                version: capture,
                url: capture,
                host,
                date_ms: 0,
                status: 200,
                media,
                language,
                launch: 1,
                size: 1,
                is_revisit: false,
                is_by_itself: true,
                has_text: true,
            };
            facts.push(&row);
        }
        facts.describe(HashMap::new(), [(1, Some(1), String::new())]);
        Ok(Arc::new(facts))
    }

    fn facts_in_memory(&self) -> Option<Arc<CaptureFacts>> {
        None
    }

    fn letters(&self, _: LettersOf) -> Result<Option<Arc<CaptureLetters>>, String> {
        Ok(None)
    }
}

#[test]
fn the_index_of_texts_answers_for_its_fields() {
    let made = titled(&[("http://a.pt/0", 1, "x"), ("http://a.pt/1", 1, "x"), ("http://a.pt/2", 1, "x")]);
    let catalogue = made.workspace.catalogue();
    let problem = |filter: &str| {
        let query = CaptureQuery { filter: filter.to_owned(), ..everything() };
        catalogue.captures(&query).unwrap().filter_problem.unwrap_or_default()
    };
    for filter in
        ["x text:ria", "x main:ri*", "x rest:\"a b\"", "x anchors:~ria", "x like:4", "x similar:4", "x similar:*"]
    {
        let why = problem(filter);
        assert!(why.starts_with("column ") && why.contains("build it: fonds index DIR"), "{filter}: {why}");
    }
    assert!(problem("like:me").contains("no number of a capture"));
    assert!(problem("similar:me").contains("similar:* finds"));
    assert!(problem("text=ria").contains("write text:ria"));
    catalogue.set_full_text(std::sync::Arc::new(OnlySecond));
    for (filter, expected) in [
        ("text:ria", "a.pt/1"),
        ("-text:ria", "a.pt/0 a.pt/2"),
        ("text:ria -main:ria", ""),
        ("text:ria OR url:/2", "a.pt/1 a.pt/2"),
        ("ria", "a.pt/1"),
        ("-ria title:x", "a.pt/0 a.pt/2"),
        ("like:1", "a.pt/1"),
    ] {
        assert_eq!(rows(&made, filter).into_iter().collect::<Vec<_>>().join(" "), expected, "{filter}");
    }
    assert_eq!(problem("x text:*"), "column 8: no answer to text:*");
}

#[test]
fn a_set_of_captures_is_a_lookup_or_a_test_of_each_row() {
    let made = titled(&[("http://a.pt/0", 1, "x"), ("http://a.pt/1", 1, "x"), ("http://a.pt/2", 1, "x")]);
    for (line, expected) in [("text:ria", vec![2]), ("text:ria status:200", vec![2]), ("text:ria status:404", vec![])] {
        for few in [0, 9] {
            let filter = Filter::parse(
                &CAPTURES,
                line,
                FilterContext { full_text: Some(&OnlySecond), ..FilterContext::default() },
            )
            .unwrap();
            let (sql, values) = filter.condition_by(few);
            assert_eq!(sql.contains("is_among"), few == 0, "{sql}");
            let sql = format!("SELECT c.id FROM capture c WHERE {sql}");
            let found = made.workspace.catalogue().read(|conn| {
                let mut statement = conn.prepare(&sql)?;
                let rows = statement.query_map(rusqlite::params_from_iter(&values), |row| row.get(0))?;
                Ok(rows.collect::<Result<Vec<i64>, _>>()?)
            });
            assert_eq!(found.unwrap(), expected, "{line}, {few}");
        }
    }
}

#[test]
fn the_help_of_commands_has_every_field_and_each_example_is_a_query() {
    for (written, _) in QUERY_RULES {
        for written in written.split(", ") {
            assert!(parse_fields(written).is_ok(), "{written}");
        }
    }
    let help = query_help();
    assert!(filter_fields().iter().all(|field| help.contains(field.example)), "{help}");
}
