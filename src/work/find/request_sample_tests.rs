//! The index gives a request the scores that selecting gives it.

use super::*;
use crate::analysis::ScoreWeights;
use crate::jobs::JobCx;
use crate::testing::{empty_session, record, town};
use crate::work::models::{CaptureQuery, ImportOptions, SelectionSpec};
use crate::work::{Session, preview_selection};
use std::collections::HashMap;

fn session_of_town() -> (tempfile::TempDir, Session) {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    session.index_texts(false, &JobCx::detached()).unwrap();
    (root, session)
}

/// Captures that a filter line finds.
fn found(session: &Session, filter: &str, campaign: Option<CampaignId>) -> u64 {
    let page = session.catalogue().captures(&CaptureQuery {
        filter: filter.to_owned(),
        campaign,
        ..crate::work::everything()
    });
    let page = page.unwrap();
    assert_eq!(page.filter_problem, None, "{filter}");
    page.total
}

#[test]
fn a_sample_has_the_scores_of_a_selection_and_its_best_and_worst_captures() {
    let (_root, session) = session_of_town();
    let request = session.catalogue().campaign(CampaignId::new(1)).unwrap().1.request;
    let sample = session.request_sample(&request, Some(CampaignId::new(1)), 10).unwrap();
    let spec =
        SelectionSpec { campaign: CampaignId::new(1), weights: ScoreWeights::default(), ..SelectionSpec::default() };
    let (_, (above, below)) = preview_selection(&session.workspace, &spec, usize::MAX, &JobCx::detached()).unwrap();
    let facts = SearchRoom::default().facts(session.catalogue()).unwrap();
    let version = |capture: CaptureId| facts.version_of(usize::try_from(capture).unwrap());
    // The result of selecting: does the request hold, and the score.
    let selected: HashMap<CaptureId, (bool, f64)> = above
        .iter()
        .chain(&below)
        .filter(|row| !row.parts[0].why.starts_with("does not apply"))
        .map(|row| (row.id, (row.parts[0].why.starts_with("the request holds"), row.parts[0].value)))
        .collect();
    assert_eq!(above.len() + below.len(), sample.captures as usize);
    assert_eq!(sample.waiting, Some(0));
    assert_eq!(sample.meeting as usize, selected.values().filter(|(holds, _)| *holds).count());
    assert!(sample.meeting > 20, "{}", sample.meeting);
    assert_eq!((sample.best.len(), sample.worst.len()), (10, 10));
    for row in sample.best.iter().chain(&sample.worst) {
        assert_eq!(selected[&row.capture], (row.holds, row.score), "{}", row.url);
    }
    let contents = |rows: &[SampleRow]| rows.iter().map(|row| version(row.capture)).collect::<HashSet<_>>();
    let (best, worst) = (contents(&sample.best), contents(&sample.worst));
    assert_eq!((best.len(), worst.len()), (10, 10));
    let least = sample.best[9].score;
    let most = sample.worst[9].score;
    for (capture, (holds, score)) in &selected {
        assert!(*score <= least || best.contains(&version(*capture)), "capture {capture}: {score} above {least}");
        let is_shown = best.contains(&version(*capture)) || worst.contains(&version(*capture));
        assert!(!holds || *score >= most || is_shown, "capture {capture}: {score} below {most}");
    }
    assert_eq!(found(&session, &sample.filter, Some(CampaignId::new(1))), sample.meeting);
    assert_eq!(
        found(&session, &format!("NOT {}", sample.filter), Some(CampaignId::new(1))),
        sample.captures - sample.meeting
    );
}

#[test]
fn without_an_index_or_a_request_nothing_is_sampled() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    let request: Request = "estaleiro".parse().unwrap();
    let sample = session.request_sample(&request, Some(CampaignId::new(1)), 10).unwrap();
    assert_eq!((sample.waiting, sample.meeting, sample.best.len()), (None, 0, 0));
    assert!(sample.captures > 100);
    session.index_texts(false, &JobCx::detached()).unwrap();
    let sample = session.request_sample(&Request::default(), None, 10).unwrap();
    assert_eq!((sample.waiting, sample.best.len(), sample.filter.as_str()), (Some(0), 0, ""));
    let problem = session
        .catalogue()
        .captures(&CaptureQuery { filter: "x request:\"(ria\"".to_owned(), ..crate::work::everything() });
    let problem = problem.unwrap().filter_problem.unwrap();
    assert!(problem.starts_with("column 11: in the request, "), "{problem}");
}

#[test]
fn what_lowers_a_score_is_named() {
    let (dir, session) = empty_session();
    let page = |url: &str, html: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        record("response", url, "2024-05-01T10:00:00Z", "Content-Type: application/http; msgtype=response\r\n", answer)
    };
    let pages = [
        page("http://a.pt/1", "<title>Ria</title><p>A ria e o mar"),
        page("http://a.pt/2", "<title>Mar</title><p>O mar, futebol e mais futebol"),
        page("http://a.pt/3", "<title>x</title><meta name=description content='ria ria mar'><p>Nada"),
    ];
    let path = dir.path().join("x.warc");
    std::fs::write(&path, pages.concat()).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    session.index_texts(false, &JobCx::detached()).unwrap();
    let sample = session.request_sample(&"mar OR ria futebol^-0.5".parse().unwrap(), None, 10).unwrap();
    let shown: Vec<(&str, &str, &str)> =
        sample.best.iter().map(|row| (row.url.as_str(), row.found.as_str(), row.lacks.as_str())).collect();
    // The text of a description alone is no text of the page, here as in a selection.
    assert_eq!(
        shown,
        [
            ("http://a.pt/1", "“mar” 1 × in text; “ria” 1 × in title, 1 × in text", ""),
            (
                "http://a.pt/2",
                "“mar” 1 × in title, 1 × in text; “futebol” 2 × in text",
                "not found: “ria”; against it: “futebol” 2 × in text"
            ),
        ]
    );
    assert_eq!(sample.meeting, 2);
}

#[test]
fn the_first_of_many_captures_are_those_of_a_full_sort() {
    let mut number = 1_u64;
    let mut below = |end: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % end
    };
    let by_score = |a: &Weighed, b: &Weighed| b.score.total_cmp(&a.score).then(a.capture.cmp(&b.capture));
    for contents in [3, 40, 5_000] {
        let made = |below: &mut dyn FnMut(u64) -> u64| -> Vec<Weighed> {
            let of = |capture| Weighed { capture, holds: true, score: below(90) as f64 };
            (0..20_000).map(of).collect()
        };
        let mut weighed = made(&mut below);
        let content = |of: &Weighed| of.capture % contents;
        let counts = |of: &Weighed| of.score > 1.0;
        let without = HashSet::from([1]);
        let mut sorted: Vec<(usize, f64)> = weighed.iter().map(|of| (of.capture, of.score)).collect();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut seen = HashSet::from([1]);
        let expected: Vec<usize> = sorted
            .into_iter()
            .filter(|(capture, score)| *score > 1.0 && seen.insert(capture % contents))
            .map(|(capture, _)| capture)
            .take(15)
            .collect();
        let first = first_contents(&mut weighed, by_score, counts, content, 15, &without);
        assert_eq!(first.iter().map(|of| of.capture).collect::<Vec<_>>(), expected, "{contents} contents");
        assert_eq!(expected.len(), (contents - 1).min(15));
    }
}
