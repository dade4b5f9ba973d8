//! Figures, cells and gaps against counts that are made in another way.

use super::*;
use crate::analysis::{Matcher, TextFields};
use crate::campaign::{Campaign, PrivateAddresses, Request, Seed, SeedScope};
use crate::exchange::HostOverride;
use crate::search::FacetKind;
use crate::store::Workspace;
use crate::testing::{ScriptedReply, ScriptedServer, town};
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::{CaptureId, CaptureQuery, CaptureRow};
use crate::work::{AnalysisInputs, CrawlOptions, everything, load_authority, matrix_aggregate};
use std::collections::HashMap;

const TOWN: CampaignId = CampaignId::new(1);

fn session_of_town() -> (tempfile::TempDir, Session) {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    session.index_texts(false, &JobCx::detached()).unwrap();
    (root, session)
}

fn captures(session: &Session, campaign: CampaignId, filter: &str) -> Vec<CaptureRow> {
    let query = CaptureQuery { filter: filter.to_owned(), campaign: Some(campaign), limit: 10_000, ..everything() };
    let page = session.catalogue().captures(&query).unwrap();
    assert_eq!(page.filter_problem, None, "{filter}");
    assert_eq!(page.rows.len() as u64, page.total, "{filter}");
    page.rows
}

#[test]
fn each_figure_counts_the_rows_that_it_leads_to() {
    let (_root, session) = session_of_town();
    let overview = session.overview(TOWN, &JobCx::detached()).unwrap();
    let figure = |key: &str| overview.figures.iter().find(|of| of.key == key).unwrap();
    for of in &overview.figures {
        if let Some(RowList::Captures { filter }) = &of.rows {
            assert_eq!(captures(&session, TOWN, filter).len() as u64, of.count, "{}", of.key);
        }
    }
    let all = captures(&session, TOWN, "");
    assert_eq!(figure("captures").count, all.len() as u64);
    assert_eq!(figure("good").count, all.iter().filter(|row| (200..300).contains(&row.status)).count() as u64);
    let last = &overview.launches.last().unwrap().row;
    let of_last = captures(&session, TOWN, &format!("launch:{}", last.launch)).len() as i64;
    assert_eq!(figure("captures").change, Some(of_last));
    // What became of the URLs of a launch adds up.
    let parts = ["fetched", "queued", "failed", "refused"].map(|key| figure(key).count);
    assert_eq!(figure("known").count, parts.iter().sum::<u64>());
    assert_eq!(parts, [last.fetched, last.queued, last.failed, last.refused]);
    let before = &overview.launches[overview.launches.len() - 2].row;
    assert_eq!(figure("fetched").change, Some(last.fetched as i64 - before.fetched as i64));
}

#[test]
fn each_cell_counts_the_captures_that_hold_its_term() {
    let (_root, session) = session_of_town();
    let request = session.catalogue().campaign(TOWN).unwrap().1.request;
    let matcher = Matcher::compile(&request);
    // Each text read by itself, without the index of words.
    let texts = PageTexts::open(&session.workspace).unwrap();
    let mut reader = texts.reader().unwrap();
    let facts = session.search_room().facts(session.catalogue()).unwrap();
    let with_text = facts.with_text();
    let mut holding: Vec<HashMap<CaptureId, ()>> = vec![HashMap::new(); matcher.terms().len()];
    for row in captures(&session, TOWN, "") {
        let at = usize::try_from(row.id).unwrap();
        if !with_text.contains(at) {
            continue;
        }
        let language = Some(facts.language_of(at)).filter(|language| !language.is_empty());
        let date = Some(row.date);
        let url = crate::analysis::url_text(&row.url);
        // Some files of the town were changed or are gone: of their captures URL and title are known.
        let hits = match reader.text(row.id, facts.version_of(at) as u64) {
            Ok(page) => matcher.read(&TextFields {
                title: &page.title,
                main: &page.main,
                rest: &page.rest,
                url: &page.url,
                language,
                date,
            }),
            Err(_) => matcher.read(&TextFields { title: &row.title, main: "", rest: "", url: &url, language, date }),
        };
        for hit in hits.hits {
            holding[hit.term].insert(row.id, ());
        }
    }
    for by in MatrixBy::ALL {
        let matrix = session.matrix(TOWN, by).unwrap();
        assert_eq!(matrix.waiting, Some(0));
        assert_eq!(matrix.rows.len(), matcher.terms().len(), "every term has a row");
        assert!(matrix.columns.len() > 1, "{by:?}");
        let columns: Vec<Vec<CaptureId>> = matrix
            .columns
            .iter()
            .map(|column| captures(&session, TOWN, &column.filter).iter().map(|row| row.id).collect())
            .collect();
        for (column, found) in matrix.columns.iter().zip(&columns) {
            assert_eq!(column.captures, found.len() as u64, "{}", column.label);
        }
        for (at, row) in matrix.rows.iter().enumerate() {
            assert_eq!(row.captures, holding[at].len() as u64, "{} {by:?}", row.label);
            assert_eq!(row.cells.iter().sum::<u64>(), row.captures, "each capture is in one column");
            for (nth, found) in columns.iter().enumerate() {
                let expected = found.iter().filter(|id| holding[at].contains_key(id)).count() as u64;
                let filter = matrix.cell_filter(at, nth);
                assert_eq!(row.cells[nth], expected, "{filter}");
                if at % 4 == nth % 4 {
                    assert_eq!(captures(&session, TOWN, &filter).len() as u64, expected, "{filter}");
                }
            }
        }
        let folded = matrix.folded(4);
        assert_eq!(folded.columns.len(), matrix.columns.len().min(4));
        for (at, row) in folded.rows.iter().enumerate() {
            assert_eq!(row.cells.iter().sum::<u64>(), row.captures);
            let nth = at % folded.columns.len();
            let filter = folded.cell_filter(at, nth);
            assert_eq!(captures(&session, TOWN, &filter).len() as u64, row.cells[nth], "{filter}");
        }
        for column in &folded.columns {
            assert_eq!(captures(&session, TOWN, &column.filter).len() as u64, column.captures, "{}", column.filter);
        }
        let lines = matrix_aggregate(&matrix, 0, false).to_tsv();
        assert_eq!(lines.lines().count(), matrix.rows.len() + 1);
        assert!(lines.lines().all(|line| line.split('\t').count() == matrix.columns.len() + 2));
    }
    let matrix = session.matrix(TOWN, MatrixBy::Hosts).unwrap();
    assert!(matrix.rows.iter().any(|row| row.is_against), "what slips in of what is not requested has a row, too");
}

/// Whether a text has a name as it is written, with no letter on either side.
fn has_name(text: &str, name: &str) -> bool {
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(name)
        .any(|(at, _)| is_apart(text[..at].chars().next_back()) && is_apart(text[at + name.len()..].chars().next()))
}

#[test]
fn names_of_authority_files_have_rows_found_or_not_and_so_have_names_that_the_request_lacks() {
    let (root, session) = session_of_town();
    let file = root.path().join("deputies.csv");
    let names = ["Vila Nova", "Leonor Maresia", "Nobody Atall", "Assembleia Municipal"];
    std::fs::write(&file, format!("name,kind\n{}\n", names.map(|name| format!("{name},person")).join("\n"))).unwrap();
    load_authority(&session.workspace, &file, None, "Ana").unwrap();
    assert!(session.matrix(TOWN, MatrixBy::Hosts).unwrap().rows.iter().all(|row| row.origin == RowOrigin::Request));
    session.analyse(&AnalysisInputs::default(), &JobCx::detached()).unwrap();
    // Scripts, style sheets and data name nobody.
    let code = session.facts().unwrap().with_value(FacetKind::Media, |of| ["code", "data"].contains(&of));
    let texts = PageTexts::open(&session.workspace).unwrap();
    let mut pages = texts.index().unwrap().pages().unwrap();
    for by in MatrixBy::ALL {
        let matrix = session.matrix(TOWN, by).unwrap();
        let of = |origin: RowOrigin| matrix.rows.iter().filter(move |row| row.origin == origin);
        let known: Vec<&str> = of(RowOrigin::Authority).map(|row| row.label.as_str()).collect();
        // A name that the request has is its row.
        assert!(!known.contains(&"Leonor Maresia") && known.contains(&"Vila Nova"), "{known:?}");
        assert_eq!(known.last(), Some(&"Nobody Atall"), "what is never found comes last");
        assert!(of(RowOrigin::Found).count() > 3);
        for row in of(RowOrigin::Authority) {
            let at = matrix.rows.iter().position(|other| other.label == row.label).unwrap();
            let holding = captures(&session, TOWN, "").into_iter().filter(|capture| {
                if code.contains(usize::try_from(capture.id.get()).unwrap()) {
                    return false;
                }
                let version = session.catalogue().capture_heads(&[capture.id]).unwrap()[0].version;
                pages.page(version).unwrap().is_some_and(|page| has_name(&page.main, &row.label))
            });
            assert_eq!(holding.count() as u64, row.captures, "{}", row.label);
            assert_eq!(row.cells.iter().sum::<u64>(), row.captures, "each capture is in one column");
            for (nth, count) in row.cells.iter().enumerate() {
                let filter = matrix.cell_filter(at, nth);
                assert_eq!(captures(&session, TOWN, &filter).len() as u64, *count, "{filter}");
            }
        }
        for row in of(RowOrigin::Found) {
            assert_eq!(captures(&session, TOWN, &row.filter).len() as u64, row.captures, "{}", row.filter);
        }
    }
    // Names of files that are nowhere are no gap of the request.
    let gaps = session.overview(TOWN, &JobCx::detached()).unwrap().gaps;
    assert!(gaps.iter().flat_map(|gap| &gap.items).all(|item| item.label != "Nobody Atall"), "{gaps:?}");
}

fn seed(url: &str) -> Seed {
    Seed { url: url.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() }
}

fn crawled(server: &ScriptedServer, spec: &Campaign) -> (tempfile::TempDir, Session, CampaignId) {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
    let hosts = ["a", "b", "c", "d", "e", "f"].map(|name| format!("{name}.example"));
    let to_server = |host: &String| HostOverride { host: host.clone(), port: 80, addr: server.addr };
    session.set_overrides(hosts.iter().map(to_server).collect());
    let id = session.catalogue().save_campaign(None, spec).unwrap();
    crawl(&session, id);
    (dir, session, id)
}

fn crawl(session: &Session, id: CampaignId) {
    session.crawl_with(id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    session.index_texts(false, &JobCx::detached()).unwrap();
    session.build_inlinks(false, &JobCx::detached()).unwrap();
}

fn spec(request: &str, seeds: &[&str]) -> Campaign {
    let mut spec = Campaign::new("Town");
    spec.rules = crate::scope::standard_rules();
    spec.seeds = seeds.iter().map(|url| seed(url)).collect();
    spec.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
    (spec.politeness.delay_factor, spec.politeness.min_delay_ms) = (0.0, 0);
    spec.politeness.allow_private_addresses = PrivateAddresses::Listed(vec!["127.0.0.0/8".to_owned()]);
    spec.politeness.workers = 1;
    spec.politeness.max_retries = 0;
    spec.request = request.parse::<Request>().unwrap();
    spec
}

const PAGE: &str = "<html lang=pt><title>A ria</title><meta property=article:published_time content=2024-03-02>\
                    <p>A ria e o porto da vila são de todos os que aqui vivem e trabalham há muitos anos.</p>";

#[test]
fn a_sound_campaign_has_no_gaps() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        _ => ScriptedReply::html(PAGE),
    });
    let spec = spec("ria OR porto OR lang:pt OR period:2024[2024-01-01..2024-12-31]", &["http://a.example/"]);
    let (_dir, session, id) = crawled(&server, &spec);
    crawl(&session, id);
    let overview = session.overview(id, &JobCx::detached()).unwrap();
    assert_eq!(overview.launches.len(), 2);
    assert!(overview.launches.iter().all(|launch| launch.unusual.is_empty()), "{:?}", overview.launches);
    assert_eq!(overview.gaps, []);
    // Before anything was captured nothing is missing that the first steps do not say.
    let empty = session.catalogue().save_campaign(None, &spec).unwrap();
    assert_eq!(session.overview(empty, &JobCx::detached()).unwrap().gaps, []);
}

#[test]
fn planted_gaps_are_found_with_what_can_be_done_about_each() {
    let is_later = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let server = ScriptedServer::start({
        let is_later = std::sync::Arc::clone(&is_later);
        move |host, path| match (host, path) {
            (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
            ("a.example", "/") => ScriptedReply::html(&format!(
                "{PAGE}<a href=/soon>soon</a><img src=/gone.png><a href=http://x.example/>o porto de abrigo</a>\
                 <a href=/private/list>lista</a>"
            )),
            ("a.example", "/soon") if is_later.load(std::sync::atomic::Ordering::SeqCst) => {
                ScriptedReply::page(404, "", "")
            }
            // Nothing comes.
            ("a.example", "/gone.png") | ("d.example", _) => ScriptedReply::raw(""),
            ("f.example", "/") => ScriptedReply::page(404, "Content-Type: text/html\r\n", "nothing"),
            _ => ScriptedReply::html(&format!(
                "{PAGE}<a href=http://x.example/>o porto de abrigo</a><a href=http://a.example/private/list>lista</a>"
            )),
        }
    });
    let request = "ria OR porto OR farol OR lang:pt OR lang:eu OR period:old[1990-01-01..1990-12-31]";
    let seeds = ["a", "b", "c", "e", "d", "f"].map(|name| format!("http://{name}.example/"));
    let mut spec = spec(request, &seeds.iter().map(String::as_str).collect::<Vec<_>>());
    let regex = spec.rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
    regex["patterns"] = serde_json::json!([".*/private/.*"]);
    let (_dir, session, id) = crawled(&server, &spec);
    is_later.store(true, std::sync::atomic::Ordering::SeqCst);
    crawl(&session, id);
    let overview = session.overview(id, &JobCx::detached()).unwrap();
    let found: Vec<(GapKind, u64)> = overview.gaps.iter().map(|gap| (gap.kind, gap.count)).collect();
    assert_eq!(
        found,
        [
            (GapKind::Seeds, 2),
            (GapKind::Terms, 1),
            (GapKind::Gone, 1),
            (GapKind::Hosts, 1),
            (GapKind::Cited, 1),
            (GapKind::Resources, 1),
            (GapKind::Languages, 1),
            (GapKind::Periods, 1),
        ],
        "{:#?}",
        overview.gaps
    );
    let gap = |kind: GapKind| overview.gaps.iter().find(|gap| gap.kind == kind).unwrap();
    let labels = |kind: GapKind| gap(kind).items.iter().map(|item| item.label.clone()).collect::<Vec<_>>();
    assert_eq!(labels(GapKind::Seeds), ["http://d.example/", "http://f.example/"]);
    assert_eq!(labels(GapKind::Terms), ["farol"]);
    assert_eq!(labels(GapKind::Gone), ["http://a.example/soon"]);
    assert_eq!(labels(GapKind::Hosts), ["d.example"]);
    assert_eq!(labels(GapKind::Cited), ["http://x.example/"]);
    assert_eq!(labels(GapKind::Resources), ["http://a.example/gone.png"]);
    assert_eq!((labels(GapKind::Languages), labels(GapKind::Periods).len()), (vec!["eu".to_owned()], 1));
    assert_eq!(gap(GapKind::Resources).action, GapAction::RetryFailed);
    assert_eq!(gap(GapKind::Gone).summary(), "1 URL missing from the last launch");
    for gap in &overview.gaps {
        let rows = gap.rows.as_ref().map(|rows| session.count_rows(id, rows).unwrap());
        assert!(rows.flatten().is_none_or(|count| count == gap.count), "{gap:?}");
    }
}

#[test]
fn what_a_stopped_launch_left_and_what_many_hosts_cite_of_the_refused_are_gaps() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        (_, "/") => {
            let links: String = (0..9).map(|n| format!("<a href=/{n}>n</a>")).collect();
            ScriptedReply::html(&format!("{PAGE}{links}<a href=http://a.example/private/list>lista</a>"))
        }
        _ => ScriptedReply::html(PAGE),
    });
    let seeds = ["a", "b", "c", "d", "e", "f"].map(|name| format!("http://{name}.example/"));
    let mut spec = spec("ria", &seeds.iter().map(String::as_str).collect::<Vec<_>>());
    let regex = spec.rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
    regex["patterns"] = serde_json::json!([".*/private/.*"]);
    spec.limits.max_documents = 20;
    let (_dir, session, id) = crawled(&server, &spec);
    let overview = session.overview(id, &JobCx::detached()).unwrap();
    let last = &overview.launches[0].row;
    let found: Vec<(GapKind, u64)> = overview.gaps.iter().map(|gap| (gap.kind, gap.count)).collect();
    assert_eq!(found, [(GapKind::Queue, last.queued), (GapKind::Refused, 1)], "{:#?}", overview.gaps);
    assert!(last.queued > 10);
    assert_eq!(overview.gaps[0].action, GapAction::ResumeCrawl);
    assert_eq!(overview.gaps[1].items[0].label, "http://a.example/private/list");
    for gap in &overview.gaps {
        assert_eq!(session.count_rows(id, gap.rows.as_ref().unwrap()).unwrap(), Some(gap.count));
    }
}

#[test]
fn a_launch_shows_how_it_differs_from_those_before_it() {
    let server = ScriptedServer::start(|_, path| match path {
        "/robots.txt" => ScriptedReply::page(404, "", ""),
        "/" => ScriptedReply::html(&(0..9).map(|n| format!("<a href=/{n}>n</a>")).collect::<String>()),
        _ => ScriptedReply::html(PAGE),
    });
    let mut spec = spec("ria", &["http://a.example/"]);
    let (_dir, session, id) = crawled(&server, &spec);
    spec.seeds[0].scope = SeedScope::Resource;
    session.catalogue().save_campaign(Some(id), &spec).unwrap();
    crawl(&session, id);
    let overview = session.overview(id, &JobCx::detached()).unwrap();
    assert!(overview.launches[0].unusual.is_empty());
    assert!(overview.launches[1].unusual[0].starts_with("URLs fetched −"), "{:?}", overview.launches[1].unusual);
}
