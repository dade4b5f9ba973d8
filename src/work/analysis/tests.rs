//! Analyses of the sample town.

use super::*;
use crate::analysis::entities::EntityKind;
use crate::analysis::terms::CorpusTerm;
use crate::analysis::{Proposal, ProposalKind, ScorePart};
use crate::campaign::{Request, Term};
use crate::jobs::JobCx;
use crate::search::{FacetKind, Period};
use crate::store::{AnalysisStore, EntityRow, RunKind, RunReach, Workspace};
use crate::testing::town;
use crate::uri::CaptureDate;
use crate::work::Report;
use crate::work::models::{CampaignId, CaptureId, CaptureQuery, ReviewMark, SelectionSpec};
use crate::work::overview::{Matrix, MatrixBy, MatrixRow};
use crate::work::{JobKind, SearchQuery, Session, accept_proposals, everything, suggestions};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

fn town_session(root: &std::path::Path) -> Session {
    Session::new(Workspace::open(&town().copy(root)).unwrap())
}

fn found(session: &Session, line: &str) -> BTreeSet<u64> {
    let search = SearchQuery { text: line.to_owned(), limit: 1_000, shows_all: true, ..SearchQuery::default() };
    let answer = session.search(&search).unwrap();
    assert_eq!(answer.problem, None, "{line}");
    answer.hits.iter().map(|hit| hit.version).collect()
}

#[test]
fn an_analysis_runs_once_and_its_results_can_be_searched_compared_and_deleted() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let cx = JobCx::detached();
    let first = session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    assert!(!first.is_unchanged && first.run.counts.entities > 20 && first.run.counts.terms > 20, "{first:?}");
    // Every text that people read, once.
    assert_eq!(first.run.counts.fresh, first.run.counts.pages);
    let again = session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    assert!(again.is_unchanged && again.run == first.run, "{again:?}");

    // A narrower one reads no text again, and has other pages as its reference.
    let jornal = AnalysisInputs { query: "host:jornal.vilanova.example".to_owned(), ..AnalysisInputs::default() };
    let narrow = session.analyse(&jornal, &cx).unwrap().run;
    assert_eq!(narrow.counts.fresh, 0);
    assert!(narrow.counts.pages > 0 && narrow.counts.pages < first.run.counts.pages);
    let terms = terms_of_run(&session.workspace, Some(narrow.id), 10).unwrap();
    assert!(terms.iter().all(|term| term.keyness.is_some_and(|keyness| keyness > 0.0)), "{terms:?}");

    // Every entity leads to its pages, on the search page as well.
    let wide = Some(first.run.id);
    let rows = entity_rows(&session.workspace, None, None, 10).unwrap();
    for row in &rows {
        let named = entity_rows(&session.workspace, None, None, usize::MAX).unwrap();
        let same = named.iter().filter(|other| crate::text::fold(&other.name) == crate::text::fold(&row.name)).count();
        let versions = found(&session, &format!("entity:{}", crate::query::quoted_value(&row.name)));
        assert!(versions.len() as u64 >= row.pages && same > 0, "{row:?}: {versions:?}");
        let details = session.entity_detail(None, &row.name, Period::Month).unwrap();
        let detail = details.iter().find(|detail| detail.entity.id == row.id).unwrap();
        assert!(detail.quotes.len() as u64 == row.pages.min(50), "{row:?}");
        for quote in &detail.quotes {
            assert_eq!(quote.name.chars().count(), quote.length as usize, "{quote:?}");
            let page = page_analysis(&session.workspace, quote.capture).unwrap();
            assert!(page.entities.iter().any(|found| found.entity.id == row.id), "{quote:?}");
        }
    }
    let all = found(&session, "entity:*");
    assert!(all.is_superset(&found(&session, &format!("entity:{}", crate::query::quoted_value(&rows[0].name)))));
    let facets = session.search_counts(&SearchQuery::default(), &[FacetKind::Entity], None).unwrap().facets;
    assert!(facets[0].1.iter().any(|value| value.value == rows[0].name), "{facets:?}");

    let comparison = compare_runs(&session.workspace, [narrow.id, first.run.id]).unwrap();
    assert!(!comparison.only_second.is_empty() && comparison.only_first.is_empty(), "{comparison:?}");
    delete_run(&session.workspace, first.run.id).unwrap();
    assert!(analysis_run(&session.workspace, wide).unwrap_err().to_string().contains("no analysis"));
    assert!(session.job_history(10).unwrap().iter().any(|job| job.name == JobKind::Analyse.label()));
}

#[test]
fn names_of_authority_files_are_found_and_others_are_put_to_them() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let cx = JobCx::detached();
    session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    let before = entity_rows(&session.workspace, None, None, usize::MAX).unwrap();
    let mut unlisted = before.iter().filter(|row| row.source.is_empty() && row.pages > 1);
    let (known, other) = (unlisted.next().unwrap(), unlisted.next().unwrap());
    let file = root.path().join("names.csv");
    std::fs::write(&file, format!("name,uri,kind\n\"{}\",urn:x:1,organisation\n", known.name)).unwrap();
    assert_eq!(load_authority(&session.workspace, &file, None, "Ana").unwrap(), ("names.csv".to_owned(), 1));
    let run = session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    assert!(!run.is_unchanged);
    let now = session.entity_detail(None, "urn:x:1", Period::Month).unwrap();
    assert_eq!((now[0].entity.kind, now[0].entity.source.as_str()), (EntityKind::Organisation, "names.csv"));
    assert_eq!(now[0].entity.pages, known.pages);

    session.catalogue().merge_entities(std::slice::from_ref(&other.name), "urn:x:1", "Ana").unwrap();
    let run = session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    assert_eq!((run.is_unchanged, run.run.counts.fresh), (false, 0));
    let merged = session.entity_detail(None, &other.name, Period::Month).unwrap();
    assert_eq!(merged[0].entity.uri, "urn:x:1");
    assert!(merged[0].entity.mentions >= known.mentions + other.mentions, "{merged:?}");
    assert_eq!(session.catalogue().split_entities(std::slice::from_ref(&other.name)).unwrap(), 1);
    session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    assert_eq!(
        session.entity_detail(None, "urn:x:1", Period::Month).unwrap()[0].entity.mentions,
        now[0].entity.mentions
    );
}

#[test]
fn approved_pages_suggest_names_that_the_request_lacks() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let campaign = CampaignId::new(1);
    session.analyse(&AnalysisInputs::default(), &JobCx::detached()).unwrap();
    let query = CaptureQuery { filter: "campaign:1 page:yes".to_owned(), campaign: Some(campaign), ..everything() };
    let captures = session.capture_ids(&query, None).unwrap();
    session.mark(&captures, ReviewMark::Approve, "", "Ana").unwrap();
    let before = session.catalogue().campaign(campaign).unwrap();
    let of = suggestions(&session, campaign, None).unwrap();
    let is_named = |proposal: &Proposal| matches!(proposal.kind, ProposalKind::Name | ProposalKind::Person);
    let at = of.proposals.iter().position(is_named).unwrap();
    let proposal = &of.proposals[at];
    assert!(proposal.relevant >= 3 && proposal.examples.len() == 3, "{proposal:?}");
    assert!(!before.1.request.to_string().contains(&proposal.value), "{proposal:?}");
    let version = accept_proposals(&session, campaign, None, &[at + 1]).unwrap();
    let after = session.catalogue().campaign(campaign).unwrap();
    assert_eq!((version, after.0), (before.0 + 1, before.0 + 1));
    assert!(after.1.request.to_string().contains(&proposal.value), "{}", after.1.request);
    let again = suggestions(&session, campaign, None).unwrap();
    assert!(again.proposals.iter().all(|other| other.value != proposal.value));
}

#[test]
fn a_stop_loses_no_text_that_was_read_and_leaves_no_run() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    session.index_texts(false, &JobCx::detached()).unwrap();
    let cx = JobCx::detached();
    cx.cancel();
    assert!(session.analyse(&AnalysisInputs::default(), &cx).is_err());
    assert_eq!(analysis_runs(&session.workspace).unwrap(), []);
    // As a kill leaves it: a run that never ended.
    let store = AnalysisStore::open_or_create(session.workspace.folder()).unwrap();
    let kind = RunKind { reach: RunReach::Workspace, is_interim: false };
    store.begin_run(&serde_json::json!({}), &kind, "0").unwrap();
    drop(store);
    let whole = session.analyse(&AnalysisInputs::default(), &JobCx::detached()).unwrap().run;
    assert_eq!(analysis_runs(&session.workspace).unwrap(), [whole]);
}

#[test]
fn a_file_of_another_form_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let file = session.workspace.folder().join("analysis/analysis.sqlite");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    for other in [&b"no database"[..], b""] {
        std::fs::write(&file, other).unwrap();
        assert!(analysis_runs(&session.workspace).unwrap().is_empty());
        assert!(session.analyse(&AnalysisInputs::default(), &JobCx::detached()).unwrap().run.counts.pages > 0);
        session.analyse(&AnalysisInputs::default(), &JobCx::detached()).unwrap();
    }
}

#[test]
fn documents_are_analysed_line_by_line() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("names.csv");
    std::fs::write(&file, "name,kind\nAmélia Vaz,person\n").unwrap();
    let text = "{\"id\":\"a\",\"content\":\"Ontem a deputada Amélia Vaz falou em Vila Nova.\"}\n{\"id\":\"b\"}\n";
    let mut out = Vec::new();
    let input = &mut text.as_bytes();
    let skipped = analyse_documents(&["-".into()], &[file], input, &mut out).unwrap();
    let line: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((skipped, &line["id"]), (1, &serde_json::json!("a")));
    let names: Vec<&str> =
        line["mentions"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ontem", "Amélia Vaz", "Vila Nova"]);
    assert_eq!(line["mentions"][1]["start"], 17);
}

#[test]
fn an_analysis_of_a_part_takes_the_place_of_no_wider_one() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let cx = JobCx::detached();
    let part = AnalysisInputs { query: "host:jornal.vilanova.example".to_owned(), ..AnalysisInputs::default() };
    let of = |inputs: &AnalysisInputs| session.analyse(inputs, &cx).unwrap();
    // Where there is no other one, the part answers.
    let narrow = of(&part);
    assert_eq!((narrow.answers, narrow.run.reach.clone()), (None, RunReach::Part));
    let in_part = found(&session, "entity:*");
    assert!(!in_part.is_empty());
    let whole = of(&AnalysisInputs::default()).run;
    let everywhere = found(&session, "entity:*");
    assert!(everywhere.is_superset(&in_part) && everywhere.len() > in_part.len());
    let rows = entity_rows(&session.workspace, None, None, usize::MAX).unwrap();
    for inputs in [part.clone(), AnalysisInputs { steps: vec![AnalysisStep::Terms], ..AnalysisInputs::default() }] {
        let report = of(&inputs);
        assert_eq!(report.answers, Some(whole.id), "{inputs:?}");
        assert!(report.summary().contains(&format!("searches go by analysis {}", whole.id)), "{}", report.summary());
        assert_eq!(found(&session, "entity:*"), everywhere);
        assert_eq!(entity_rows(&session.workspace, None, None, usize::MAX).unwrap(), rows);
    }
    assert_eq!(terms_of_run(&session.workspace, None, 5).unwrap().len(), 5);
    // A whole campaign stands beside the workspace, and a later workspace covers it.
    let campaign = AnalysisInputs { campaigns: vec![CampaignId::new(1)], ..AnalysisInputs::default() };
    assert_eq!(of(&campaign).answers, None);
    assert_eq!(found(&session, "entity:*"), everywhere);
    of(&AnalysisInputs::default());
    assert_eq!(analysis_run(&session.workspace, None).unwrap().id, whole.id);
}

#[test]
fn an_analysis_follows_a_running_crawl_and_the_one_after_it_takes_its_place() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let (cx, campaign) = (JobCx::detached(), CampaignId::new(1));
    session.index_texts(false, &cx).unwrap();
    assert_eq!(session.follow_analyses(&cx).unwrap(), [], "no campaign wants it");
    let mut spec = session.catalogue().campaign(campaign).unwrap().1;
    spec.analyse_after_run = true;
    session.catalogue().save_campaign(Some(campaign), &spec).unwrap();
    let reports = session.follow_analyses(&cx).unwrap();
    assert!(reports.len() == 1 && reports[0].run.is_interim, "{reports:?}");
    assert!(!found(&session, "entity:*").is_empty());
    // What changed since, here the request, makes another one; it takes the place of the first.
    spec.request = crate::campaign::Request::Or(vec![spec.request.clone(), Request::Term(person("Rosa Nobre"))]);
    session.catalogue().save_campaign(Some(campaign), &spec).unwrap();
    session.follow_analyses(&cx).unwrap();
    let runs = analysis_runs(&session.workspace).unwrap();
    assert!(runs.len() == 1 && runs[0].is_interim && runs[0].counts.fresh > 0, "{runs:?}");
    session.follow_run(Some(campaign), &cx);
    let runs = analysis_runs(&session.workspace).unwrap();
    assert!(runs.len() == 1 && !runs[0].is_interim, "{runs:?}");
}

fn person(name: &str) -> Term {
    Term::new(crate::campaign::TermKind::Person, name.to_owned())
}

#[test]
fn entities_of_the_request_raise_a_score_where_they_have_a_weight() {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    let (cx, campaign) = (JobCx::detached(), CampaignId::new(1));
    let spec = SelectionSpec { campaign, threshold: 0.0, ..SelectionSpec::default() };
    session.select(&spec, true, &cx).unwrap();
    let scores = |spec: &SelectionSpec| -> Vec<(CaptureId, f64, ScorePart)> {
        session.select(spec, true, &cx).unwrap();
        let query = CaptureQuery { filter: "page:yes".to_owned(), campaign: Some(campaign), ..everything() };
        let ids = session.capture_ids(&query, None).unwrap();
        ids.into_iter()
            .filter_map(|id| {
                let row = session.catalogue().scored_with(spec, id).unwrap()?;
                let part = row.parts.iter().find(|part| part.name == "Entities").unwrap().clone();
                Some((id, row.score, part))
            })
            .collect()
    };
    let before = scores(&spec);
    assert!(before.iter().all(|(.., part)| part.why.starts_with("not counted: nothing was analysed")), "{before:?}");
    session.analyse(&AnalysisInputs::default(), &cx).unwrap();
    let after = scores(&spec);
    // What has no weight changes no score, and is explained.
    let same = |a: &[(CaptureId, f64, ScorePart)], b: &[(CaptureId, f64, ScorePart)]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-9)
    };
    assert!(same(&before, &after));
    let named: Vec<_> = after.iter().filter(|(.., part)| part.value > 0.0).collect();
    assert!(named.len() > 3 && named.len() < after.len(), "{after:?}");
    for (id, _, part) in &named {
        assert!(part.why.contains("of the request"), "{part:?}");
        let names = ["Leonor Maresia", "Joaquim Calafate", "Inês Baltar", "Estaleiro Gaivota", "Banda Maré Alta"]
            .into_iter()
            .chain(["Festival da Ria", "Cais dos Mercantéis"]);
        let line = names.map(|name| format!("entity:\"{name}\"")).collect::<Vec<_>>().join(" OR ");
        let query = CaptureQuery { filter: line, campaign: Some(campaign), ..everything() };
        assert!(session.capture_ids(&query, None).unwrap().contains(id));
    }
    let weighed = SelectionSpec { weights: spec.weights.with("entities", 1.0).unwrap(), ..spec.clone() };
    let weighed = scores(&weighed);
    let mean = |rows: &[(CaptureId, f64, ScorePart)], is_named: bool| {
        let of: Vec<f64> =
            rows.iter().filter(|(.., part)| (part.value > 0.0) == is_named).map(|(_, score, _)| *score).collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!(mean(&weighed, true) - mean(&weighed, false) > mean(&after, true) - mean(&after, false));
    // Without analyses it is as it was.
    delete_run(&session.workspace, analysis_run(&session.workspace, None).unwrap().id).unwrap();
    assert!(same(&scores(&spec), &before));
}

/// A workspace whose matrix is a model.
static MATRIX_TOWN: LazyLock<(tempfile::TempDir, Session)> = LazyLock::new(|| {
    let root = tempfile::tempdir().unwrap();
    let session = town_session(root.path());
    session.index_texts(false, &JobCx::detached()).unwrap();
    (root, session)
});

/// The counts of a table that may leave.
fn counts_of(table: &AggregateTable) -> Vec<u64> {
    let cells = table.rows.iter().flatten();
    cells.filter_map(|cell| if let AggregateCell::Count(count) = cell { Some(*count) } else { None }).collect()
}

proptest! {
    #[test]
    fn no_aggregate_that_leaves_is_of_fewer_than_k(
        rows in proptest::collection::vec((0..12_u64, 0..12_u64, 0..5_usize), 0..40),
        least in 1..10_u64,
        without_persons: bool,
    ) {
        let date = CaptureDate::from_millis(0);
        let rows: Vec<EntityRow> = rows.iter().map(|(pages, mentions, kind)| EntityRow {
            id: 0,
            name: "x".to_owned(),
            kind: EntityKind::ALL[*kind],
            uri: String::new(),
            source: String::new(),
            mentions: *mentions,
            sentences: *mentions,
            pages: *pages,
            hosts: 1,
            first: date,
            last: date,
            months: Vec::new(),
        }).collect();
        let table = entities_aggregate(&rows, least, without_persons);
        prop_assert!(counts_of(&table).iter().all(|count| *count == 0 || *count >= least));
        prop_assert!(!without_persons || table.rows.iter().all(|row| row[1].to_string() != "person"));
        prop_assert_eq!(table.rows.len() as u64 + table.dropped, rows.len() as u64);
    }

    #[test]
    fn no_term_that_leaves_is_of_fewer_than_k(
        rows in proptest::collection::vec((0..12_u64, 0..12_u64, 0..12_u64), 0..40),
        least in 1..10_u64,
    ) {
        let rows: Vec<CorpusTerm> = rows.iter().map(|(count, pages, elsewhere)| CorpusTerm {
            text: "x".to_owned(), count: *count, pages: *pages, elsewhere: *elsewhere, c_value: 1.0, keyness: Some(2.0),
        }).collect();
        let table = terms_aggregate(&rows, least);
        prop_assert!(counts_of(&table).iter().all(|count| *count == 0 || *count >= least));
        // What is reckoned from a count that does not leave does not leave either.
        let gives_away = |row: &Vec<AggregateCell>| matches!(row[3], AggregateCell::Below(_)) && !row[5].to_string().is_empty();
        prop_assert!(!table.rows.iter().any(gives_away));
        let all_kept = rows.iter().all(|row| [row.count, row.pages, row.elsewhere].iter().all(|n| *n == 0 || *n >= least));
        prop_assert_eq!(table.dropped == 0, all_kept);
    }

    #[test]
    fn no_cell_of_a_matrix_that_leaves_is_of_fewer_than_k(
        cells in proptest::collection::vec(proptest::collection::vec(0..12_u64, 3), 0..20),
        least in 1..10_u64,
    ) {
        let (_root, session) = (&MATRIX_TOWN.0, &MATRIX_TOWN.1);
        let model = session.matrix(CampaignId::new(1), MatrixBy::Languages).unwrap();
        let (row, column) = (model.rows[0].clone(), model.columns[0].clone());
        let of = |cells: &Vec<u64>| {
            let mut row = row.clone();
            (row.captures, row.cells) = (cells.iter().sum(), cells.clone());
            row
        };
        let rows: Vec<MatrixRow> = cells.iter().map(of).collect();
        let matrix = Matrix { rows, columns: vec![column.clone(), column.clone(), column], ..model };
        let table = matrix_aggregate(&matrix, least, false);
        prop_assert!(counts_of(&table).iter().all(|count| *count == 0 || *count >= least));
        for (cells, kept) in cells.iter().zip(&table.rows) {
            let below = cells.iter().any(|count| *count > 0 && *count < least);
            // Neither a sum nor a zero says what is left out.
            prop_assert_eq!(!matches!(kept[1], AggregateCell::Count(_)), below);
            for (count, cell) in cells.iter().zip(&kept[2..]) {
                prop_assert_eq!(*cell == AggregateCell::Count(*count), *count == 0 || *count >= least);
            }
        }
        let dropped = cells.iter().flatten().filter(|count| **count > 0 && **count < least).count() as u64;
        prop_assert_eq!(table.dropped, dropped);
    }
}
