//! Judging results on a small workspace that came in as an archive file.

use super::*;
use crate::jobs::JobCx;
use crate::store::Workspace;
use crate::testing::{empty_session, page_record};
use crate::work::models::{CaptureId, CaptureQuery, ImportOptions};
use crate::work::{SearchQuery, Session, everything};

/// Pages on ships, the more of them the better, and their numbers in the order of results.
fn ships() -> (tempfile::TempDir, Session, Vec<CaptureId>) {
    let (dir, session) = empty_session();
    let pages = (1..=6).flat_map(|nth| page_record(&format!("http://h{nth}.pt/"), &html(nth)));
    let path = dir.path().join("a.warc");
    std::fs::write(&path, pages.collect::<Vec<u8>>()).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    session.index_texts(false, &JobCx::detached()).unwrap();
    let found = session.search(&SearchQuery { limit: 10, ..query("ship") }).unwrap();
    let captures = found.hits.iter().map(|hit| hit.capture.id).collect();
    (dir, session, captures)
}

/// A text of its own: near-duplicates are one result.
fn html(nth: usize) -> String {
    let own: String = (0..40).map(|nth_word| format!(" own{nth}x{nth_word}")).collect();
    format!("<title>{nth}</title><p>{}{own}</p>", "ship ".repeat(nth))
}

fn query(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), ..SearchQuery::default() }
}

fn captures(session: &Session, filter: &str) -> Vec<CaptureId> {
    session.catalogue().capture_ids(&CaptureQuery { filter: filter.to_owned(), ..everything() }).unwrap()
}

#[test]
fn the_last_judgement_of_each_judge_counts_and_its_place_is_kept() {
    let (_dir, session, found) = ships();
    assert_eq!(found.len(), 6);
    let judge = |nth: usize, judgement, who| session.judge(&query(" ship "), &[found[nth]], judgement, who).unwrap();
    judge(0, Some(Judgement::Wrong), "Ana");
    judge(0, Some(Judgement::Right), "Ana");
    judge(1, Some(Judgement::Right), "Ana");
    judge(1, Some(Judgement::Wrong), "Rui");
    judge(5, Some(Judgement::Wrong), "Ana");
    judge(3, Some(Judgement::Unsure), "Ana");
    judge(4, Some(Judgement::Wrong), "Ana");
    judge(4, None, "Ana");
    let all = evaluations(session.catalogue(), None).unwrap();
    assert_eq!(all.iter().map(|of| of.query.as_str()).collect::<Vec<_>>(), ["ship"]);
    let figures = &all[0].evaluation;
    // The sixth is not among the first five; of the second its judges disagree; the fifth was taken back.
    assert_eq!((figures.counts.right, figures.counts.wrong, figures.counts.unsure), (1, 1, 2));
    let five = figures.first(5).unwrap().counts;
    assert_eq!((five.right, five.wrong, five.unsure), (1, 0, 2));
    assert_eq!(figures.first(10).unwrap().precision.unwrap().value, 0.5);
    // The numbers lead to what they count.
    for (judgement, nth) in [(Judgement::Right, &[0][..]), (Judgement::Wrong, &[5]), (Judgement::Unsure, &[1, 3])] {
        let mut expected: Vec<CaptureId> = nth.iter().map(|nth| found[*nth]).collect();
        expected.sort_unstable();
        let mut listed = captures(&session, &judged_filter("ship", judgement));
        listed.sort_unstable();
        assert_eq!(listed, expected, "{judgement:?}");
        assert_eq!(captures(&session, &format!("{}:*", judgement.name())).len(), expected.len());
        assert!(captures(&session, &judged_filter("boat", judgement)).is_empty());
    }
    let of_ship = session.search_judgements("ship").unwrap();
    assert_eq!(of_ship.evaluation, *figures);
    assert_eq!(of_ship.of_version.len(), 4);
}

#[test]
fn judgements_survive_another_index_a_copy_and_a_kill() {
    let (dir, session, found) = ships();
    session.judge(&query("ship"), &found[..3], Some(Judgement::Right), "Ana").unwrap();
    let before = session.catalogue().judgements(None).unwrap();
    assert_eq!(before.len(), 3);
    session.index_texts(true, &JobCx::detached()).unwrap();
    assert_eq!(session.catalogue().judgements(None).unwrap(), before);
    // What was answered is durable: the files as they lie there are what a kill leaves.
    let killed = dir.path().join("killed");
    crate::testing::copy_folder(&session.workspace().unwrap().folder, &killed);
    let workspace = Workspace::open(&killed).unwrap();
    assert_eq!(workspace.catalogue().judgements(None).unwrap(), before);
    let copy = dir.path().join("copy");
    session.catalogue().back_up(&copy, &JobCx::detached()).unwrap();
    drop(workspace);
    std::fs::copy(&copy, killed.join("fonds.sqlite")).unwrap();
    assert_eq!(Workspace::open(&killed).unwrap().catalogue().judgements(None).unwrap(), before);
}

#[test]
fn a_judgement_is_about_the_content_however_often_it_was_captured() {
    let (dir, session, found) = ships();
    session.judge(&query("ship"), &found[..1], Some(Judgement::Wrong), "Ana").unwrap();
    let again = dir.path().join("again.warc");
    let date = "2026-01-01T00:00:00Z";
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", html(6));
    std::fs::write(&again, crate::testing::record("response", "http://h6.pt/", date, "", answer)).unwrap();
    session.import(&[again], ImportOptions::default(), &JobCx::detached()).unwrap();
    let row = session.catalogue().judgements(None).unwrap().remove(0);
    let newest =
        *session.catalogue().captures_of_url(&crate::uri::Url::parse(&row.url).unwrap()).unwrap().iter().max().unwrap();
    assert_ne!(newest, row.capture, "captured again");
    session.judge(&query("ship"), &[newest], Some(Judgement::Right), "Ana").unwrap();
    let figures = session.search_judgements("ship").unwrap().evaluation;
    assert_eq!((figures.counts.right, figures.counts.judged()), (1, 1));
    assert_eq!(captures(&session, "right:ship"), [newest]);
}

#[test]
fn a_query_is_one_line_that_finds_the_same_again() {
    assert_eq!(query("  a b ").query_line(), "a b");
    let (_dir, session, found) = ships();
    assert!(session.judge(&query(" "), &found, Some(Judgement::Right), "Ana").is_err());
    assert!(session.judge(&query("("), &found, Some(Judgement::Right), "Ana").is_err());
    assert!(session.catalogue().judgements(None).unwrap().is_empty());
}

#[test]
fn marks_and_judgements_are_undone_and_redone_in_their_order() {
    use crate::work::models::ReviewMark;
    let (_dir, session, found) = ships();
    let judge = |judgement| session.judge(&query("ship"), &found[..1], Some(judgement), "Ana").unwrap();
    let mark = |mark| session.mark(&found[..1], mark, "", "Ana").unwrap();
    let state = || {
        let judged = session.catalogue().judgements(None).unwrap().pop().and_then(|row| row.judgement);
        (session.catalogue().capture_row(found[0]).unwrap().mark, judged)
    };
    let mut states = vec![state()];
    for act in 0..4 {
        match act {
            0 => judge(Judgement::Wrong),
            1 => mark(ReviewMark::Approve),
            2 => judge(Judgement::Right),
            _ => mark(ReviewMark::Flag),
        }
        states.push(state());
    }
    for expected in states.iter().rev().skip(1) {
        session.undo_mark().unwrap();
        assert_eq!(state(), *expected);
    }
    assert_eq!(session.undo_mark().unwrap(), "Nothing to undo");
    for expected in states.iter().skip(1) {
        session.redo_mark().unwrap();
        assert_eq!(state(), *expected);
    }
    assert_eq!(session.redo_mark().unwrap(), "Nothing to redo");
    // Another act ends what can be redone.
    session.undo_mark().unwrap();
    judge(Judgement::Unsure);
    assert_eq!(session.redo_mark().unwrap(), "Nothing to redo");
    assert_eq!(session.undo_mark().unwrap(), "Undone: Unsure for “ship”");
    assert_eq!(state(), states[3]);
}
