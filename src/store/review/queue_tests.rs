//! The queue of Review on a catalogue of generated captures; `FONDS_REVIEW_CAPTURES=1000000` makes a large one of it and
//! prints how long its questions take.

use crate::analysis::checks::FindingState;
use crate::campaign::Campaign;
use crate::store::Workspace;
use crate::store::large_tests::{Size, fill};
use crate::store::rows::{
    ActDetail, Assessment, CampaignId, CaptureId, CaptureQuery, CaptureTab, ReviewAspect, ReviewMark, ReviewOrder,
    ReviewQueueQuery, ReviewReason, ReviewSampleSpec, SampleId,
};
use std::collections::BTreeSet;
use std::time::Instant;

const CAMPAIGN: CampaignId = CampaignId::new(1);

/// A workspace with so many captures; each second page was checked.
fn filled(captures: u32) -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    let workspace = Workspace::create(&folder).unwrap();
    workspace.catalogue().save_campaign(None, &Campaign::new("Large")).unwrap();
    let path = workspace.catalogue().path().to_path_buf();
    drop(workspace);
    fill(&path, Size { hosts: 7 + captures / 200, captures, seen: captures.max(100) });
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "BEGIN;
         INSERT INTO finding_template (id, host, template) SELECT id, id, '/path/*' FROM host;
         INSERT INTO page_loss (capture, loss, external, problems, odd)
            SELECT id, iif(id % 3, id * 7919 % 9001, 0), id % 50, id % 3 > 0, 0 FROM capture WHERE media = 1;
         INSERT INTO finding (capture, check_id, state, severity, template, evidence)
            SELECT id, iif(id % 2, 'status', 'missing-resources'), 0, id * 7919 % 9001, host, '{\"text\":\"x\"}'
            FROM capture WHERE media = 1 AND id % 3;
         INSERT INTO capture_inlinks (capture, internal, external, hosts, top_anchor, cut)
            SELECT id, 1, id % 97, 1, '', 0 FROM capture WHERE id % 5 = 3;
         COMMIT;",
    )
    .unwrap();
    drop(conn);
    (dir, Workspace::open(&folder).unwrap())
}

fn query(order: ReviewOrder, limit: u64) -> ReviewQueueQuery {
    ReviewQueueQuery { campaign: Some(CAMPAIGN), order, limit, person: "Ana".to_owned(), ..ReviewQueueQuery::default() }
}

/// What is to review, by the table of captures.
fn to_review(workspace: &Workspace) -> BTreeSet<CaptureId> {
    let query = CaptureQuery {
        filter: String::new(),
        tab: CaptureTab::NotReviewed,
        campaign: Some(CAMPAIGN),
        sort: Vec::new(),
        offset: 0,
        limit: u64::MAX,
    };
    workspace.catalogue().capture_ids(&query).unwrap().into_iter().collect()
}

fn ids(workspace: &Workspace, query: &ReviewQueueQuery) -> Vec<CaptureId> {
    let page = workspace.catalogue().review_queue(query).unwrap();
    assert_eq!(page.filter_problem, None);
    page.rows.iter().map(|of| of.row.id).collect()
}

#[test]
fn the_queue_by_severity_holds_what_is_to_review_the_worst_first_and_the_unchecked_last() {
    let (_dir, workspace) = filled(2_000);
    let catalogue = workspace.catalogue();
    let all = catalogue.review_queue(&query(ReviewOrder::Severity, u64::MAX)).unwrap().rows;
    assert_eq!(all.iter().map(|of| of.row.id).collect::<BTreeSet<_>>(), to_review(&workspace));
    assert_eq!(catalogue.review_queue_count(&query(ReviewOrder::Severity, 1)).unwrap(), Some(all.len() as u64));
    let checked = all.iter().take_while(|of| of.loss.is_some()).count();
    assert!(checked > 100 && all[checked..].iter().all(|of| of.loss.is_none()) && checked < all.len());
    let losses: Vec<f64> = all[..checked].iter().filter_map(|of| of.loss).collect();
    assert!(losses.is_sorted_by(|a, b| a >= b));
    assert_eq!((all[0].state, all[0].same_cause > 1), (Some(FindingState::Problem), true));
    // Parts of it are parts of the whole, also where checked and unchecked ones meet.
    let part = ReviewQueueQuery { offset: checked as u64 - 5, ..query(ReviewOrder::Severity, 10) };
    let expected: Vec<CaptureId> = all[checked - 5..checked + 5].iter().map(|of| of.row.id).collect();
    assert_eq!(ids(&workspace, &part), expected);
    let found = ReviewQueueQuery { filter: "status:404".to_owned(), ..query(ReviewOrder::Severity, u64::MAX) };
    let failed = catalogue.review_queue(&found).unwrap().rows;
    assert!(!failed.is_empty() && failed.iter().all(|of| of.row.status == 404));
    let broken = ReviewQueueQuery { filter: "nofield:1".to_owned(), ..query(ReviewOrder::Severity, 1) };
    assert!(catalogue.review_queue(&broken).unwrap().filter_problem.is_some());
}

#[test]
fn parts_of_pages_and_robots_do_not_come_up() {
    let (_dir, workspace) = filled(400);
    let before = to_review(&workspace);
    let hidden: Vec<CaptureId> = before.iter().copied().take(3).collect();
    let conn = rusqlite::Connection::open(workspace.catalogue().path()).unwrap();
    for (id, hops) in hidden.iter().zip(["LE", "LLER", "P"]) {
        conn.execute("UPDATE capture SET hops = ?2 WHERE id = ?1", (id, hops)).unwrap();
    }
    drop(conn);
    let after = to_review(&workspace);
    assert_eq!(before.difference(&after).copied().collect::<Vec<_>>(), hidden);
    let everything = ReviewQueueQuery { includes_all: true, ..query(ReviewOrder::Severity, u64::MAX) };
    assert_eq!(ids(&workspace, &everything).len(), 400);
}

#[test]
fn one_decision_on_a_cause_is_one_act_with_its_query_and_one_undo() {
    let (_dir, workspace) = filled(2_000);
    let catalogue = workspace.catalogue();
    let groups = catalogue.cause_groups(Some(CAMPAIGN)).unwrap();
    let group = &groups[0];
    let of_cause = CaptureQuery {
        filter: group.filter.clone(),
        tab: CaptureTab::NotReviewed,
        campaign: Some(CAMPAIGN),
        sort: Vec::new(),
        offset: 0,
        limit: u64::MAX,
    };
    let captures = catalogue.capture_ids(&of_cause).unwrap();
    assert_eq!(captures.len() as u64, group.captures, "{}", group.filter);
    let before = to_review(&workspace);
    let detail = ActDetail { query: group.filter.clone(), ..ActDetail::default() };
    catalogue.mark_with(&captures, ReviewMark::Reject, ("soft 404", "Ana"), detail).unwrap();
    let conn = rusqlite::Connection::open(catalogue.path()).unwrap();
    let kept: (String, i64) = conn
        .query_row("SELECT a.query, (SELECT count(*) FROM mark m WHERE m.act = a.act) FROM review_act a", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(kept, (group.filter.clone(), group.captures as i64));
    let after = to_review(&workspace);
    assert!(captures.iter().all(|id| !after.contains(id)));
    assert!(catalogue.cause_groups(Some(CAMPAIGN)).unwrap().iter().all(|of| of.filter != group.filter));
    assert_eq!(catalogue.undo_mark().unwrap(), Some((ReviewMark::Reject, group.captures)));
    assert_eq!(to_review(&workspace), before);
}

#[test]
fn what_was_put_off_comes_back_when_a_later_crawl_captured_the_page() {
    let (_dir, workspace) = filled(400);
    let catalogue = workspace.catalogue();
    let id = *to_review(&workspace).iter().next().unwrap();
    catalogue.mark(&[id], ReviewMark::Later, "missing parts", "Ana").unwrap();
    assert!(!to_review(&workspace).contains(&id));
    let conn = rusqlite::Connection::open(catalogue.path()).unwrap();
    conn.execute_batch(&format!(
        "INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
            VALUES (3, 'crawl', 1, 1, 'large', '20240301000000', 'finished', 1709251200000);
         INSERT INTO capture (launch, url, page, host, date_ms, status, mime, media, size, digest, hops, stored)
            SELECT 3, url, page, host, 1709251200000, status, mime, media, size, digest, hops, 9 FROM capture WHERE id = {id}"
    ))
    .unwrap();
    drop(conn);
    assert!(to_review(&workspace).contains(&id), "the page was captured again with the same content");
    catalogue.mark(&[id], ReviewMark::Approve, "", "Ana").unwrap();
    assert!(!to_review(&workspace).contains(&id));
}

fn spec(seed: u64) -> ReviewSampleSpec {
    ReviewSampleSpec {
        name: String::new(),
        campaign: Some(CAMPAIGN),
        filter: String::new(),
        margin: 0.1,
        expected: 0.5,
        size: None,
        is_stratified: false,
        seed,
        who: "Ana".to_owned(),
    }
}

fn decide(workspace: &Workspace, id: CaptureId, who: &str, faulty: Option<ReviewAspect>) {
    let reasons: Vec<ReviewReason> =
        faulty.into_iter().map(|aspect| ReviewReason { aspect, code: "a reason".to_owned() }).collect();
    let mark = if faulty.is_some() { ReviewMark::Reject } else { ReviewMark::Approve };
    let detail = ActDetail { assessment: Assessment::of(mark, &reasons), ..ActDetail::default() };
    workspace.catalogue().mark_with(&[id], mark, ("", who), detail).unwrap();
}

#[test]
fn a_sample_is_the_same_for_its_seed_and_has_its_share_as_far_as_it_was_judged() {
    let (_dir, workspace) = filled(2_000);
    let catalogue = workspace.catalogue();
    let first = catalogue.draw_sample(&ReviewSampleSpec { name: "First".to_owned(), ..spec(7) }).unwrap();
    let again = catalogue.draw_sample(&ReviewSampleSpec { name: "Again".to_owned(), ..spec(7) }).unwrap();
    let other = catalogue.draw_sample(&ReviewSampleSpec { name: "Other".to_owned(), ..spec(8) }).unwrap();
    let drawn = |sample: SampleId| catalogue.sampled_captures(sample).unwrap();
    assert_eq!(drawn(first), drawn(again));
    assert_ne!(drawn(first), drawn(other));
    let open = to_review(&workspace);
    assert!(drawn(first).iter().all(|id| open.contains(id)));
    let expected = crate::analysis::sampling::sample_size(open.len() as u64, 0.1, 0.5);
    assert_eq!(drawn(first).len() as u64, expected);
    let taken = catalogue.draw_sample(&ReviewSampleSpec { name: "first".to_owned(), ..spec(1) });
    assert!(taken.unwrap_err().to_string().contains("choose another name"));

    assert_eq!(ids(&workspace, &query(ReviewOrder::Sample(first), 500)), drawn(first));
    for (nth, id) in drawn(first).iter().take(10).enumerate() {
        decide(&workspace, *id, "Ana", (nth < 2).then_some(ReviewAspect::Technical));
    }
    catalogue.skip_sampled(first, drawn(first)[10], true).unwrap();
    let samples = catalogue.samples(Some(CAMPAIGN)).unwrap();
    let of = samples.iter().find(|sample| sample.id == first).unwrap();
    assert_eq!((of.figures.judged, of.figures.faulty, of.figures.skipped), (10, 2, 1));
    assert_eq!((of.technical.faulty, of.content.faulty, of.content.judged), (2, 0, 10));
    assert_eq!(of.figures.bounds, Some([2.0 / 11.0, 3.0 / 11.0]));
    assert!(of.figures.line().unwrap().starts_with("after 10: 20.0 %, 5.7–51.0 %"));
    assert_eq!(of.population, open.len() as u64);
    assert_eq!(ids(&workspace, &query(ReviewOrder::Sample(first), 500)), drawn(first)[11..]);
}

#[test]
fn a_sample_by_hosts_has_pages_of_each() {
    let (_dir, workspace) = filled(2_000);
    let catalogue = workspace.catalogue();
    let sample = catalogue.draw_sample(&ReviewSampleSpec { is_stratified: true, ..spec(7) }).unwrap();
    let rows: Vec<_> =
        catalogue.sampled_captures(sample).unwrap().iter().map(|id| catalogue.capture_row(*id).unwrap()).collect();
    let host = |url: &str| url.split('/').nth(2).unwrap().to_owned();
    let mut counts = std::collections::BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(host(&row.url)).or_insert(0) += 1);
    assert!(counts.len() > 5 && counts.values().all(|count| *count >= 2), "{counts:?}");
    for row in &rows {
        decide(&workspace, row.id, "Ana", None);
    }
    let of = &catalogue.samples(None).unwrap()[0];
    assert_eq!(of.figures.stratified.map(|share| (share.value, share.collapsed)), Some((0.0, 0)));
}

#[test]
fn a_second_person_judges_a_fifth_without_seeing_the_first_decision() {
    let (_dir, workspace) = filled(2_000);
    let catalogue = workspace.catalogue();
    let sample = catalogue.draw_sample(&ReviewSampleSpec { size: Some(200), ..spec(7) }).unwrap();
    let drawn = catalogue.sampled_captures(sample).unwrap();
    assert_eq!(catalogue.samples(None).unwrap()[0].twice, 40);
    let second =
        |who: &str| ReviewQueueQuery { person: who.to_owned(), ..query(ReviewOrder::SecondReading(sample), 500) };
    assert_eq!(ids(&workspace, &second("Rui")), []);
    for (nth, id) in drawn.iter().enumerate() {
        decide(&workspace, *id, "Ana", (nth % 10 == 0).then_some(ReviewAspect::Content));
    }
    assert_eq!(ids(&workspace, &second("Ana")), [], "nobody judges twice what is theirs");
    let page = catalogue.review_queue(&second("Rui")).unwrap();
    assert_eq!(page.rows.len(), 40);
    assert!(page.rows.iter().all(|of| of.row.mark.is_none()), "the first decision is not seen");
    assert_eq!(ids(&workspace, &query(ReviewOrder::Disagreements, 500)), []);
    let of_first = |id: CaptureId| drawn.iter().position(|of| *of == id).unwrap() % 10 == 0;
    let mut differing = Vec::new();
    for (nth, of) in page.rows.iter().enumerate() {
        // The second person finds one page faulty that the first one finds sound.
        let faulty = of_first(of.row.id) || nth == 0;
        if faulty != of_first(of.row.id) {
            differing.push(of.row.id);
        }
        decide(&workspace, of.row.id, "Rui", faulty.then_some(ReviewAspect::Content));
        if nth == 28 {
            let early = catalogue.sample_agreement(sample).unwrap();
            assert_eq!((early.overall.both, early.overall.kappa, early.waiting), (29, None, 11));
        }
    }
    let agreement = catalogue.sample_agreement(sample).unwrap();
    assert_eq!((agreement.overall.both, agreement.waiting), (40, 0));
    assert_eq!(agreement.overall.agreed, 40 - differing.len() as u64);
    assert!(agreement.overall.kappa.is_some() && agreement.overall.ac1.is_some());
    assert_eq!(agreement.technical.agreed, agreement.technical.both);
    assert_eq!(ids(&workspace, &query(ReviewOrder::Disagreements, 500)), differing);
    for id in &differing {
        let detail = ActDetail { settles: true, ..ActDetail::default() };
        catalogue.mark_with(&[*id], ReviewMark::Approve, ("", "Eva"), detail).unwrap();
    }
    assert_eq!(ids(&workspace, &query(ReviewOrder::Disagreements, 500)), []);
}

#[test]
fn new_and_cited_queues_hold_what_their_names_mean() {
    let (_dir, workspace) = filled(2_000);
    let new = workspace.catalogue().review_queue(&query(ReviewOrder::New, u64::MAX)).unwrap().rows;
    assert!(!new.is_empty() && new.iter().all(|of| of.row.id > CaptureId::new(1_000) && !of.row.revisit));
    let cited = workspace.catalogue().review_queue(&query(ReviewOrder::Cited, u64::MAX)).unwrap().rows;
    let external: Vec<u64> = cited.iter().map(|of| of.row.inlinks_external.unwrap()).collect();
    assert!(external.is_sorted_by(|a, b| a >= b) && external.last().is_some_and(|least| *least > 0));
}

#[test]
fn reasons_are_of_the_workspace() {
    let (_dir, workspace) = filled(20);
    let catalogue = workspace.catalogue();
    assert_eq!(catalogue.review_reasons().unwrap(), crate::store::rows::default_reasons());
    let own = vec![ReviewReason { aspect: ReviewAspect::Technical, code: "no map".to_owned() }];
    catalogue.set_review_reasons(own.clone()).unwrap();
    assert_eq!(catalogue.review_reasons().unwrap(), own);
    catalogue.set_review_reasons(Vec::new()).unwrap();
    assert_eq!(catalogue.review_reasons().unwrap(), crate::store::rows::default_reasons());
}

/// Prints how long the questions of the page take; of a small catalogue, where nobody asks for a large one.
#[test]
fn questions_of_the_queue_are_answered() {
    let captures = std::env::var("FONDS_REVIEW_CAPTURES").ok().and_then(|of| of.parse().ok()).unwrap_or(2_000);
    let (_dir, workspace) = filled(captures);
    let catalogue = workspace.catalogue();
    let timed = |what: &str, question: &dyn Fn() -> usize| {
        let began = Instant::now();
        let found = question();
        println!("{what}: {found} in {} ms", began.elapsed().as_millis());
        assert!(found > 0, "{what}");
    };
    timed("by severity", &|| ids(&workspace, &query(ReviewOrder::Severity, 200)).len());
    timed("new", &|| ids(&workspace, &query(ReviewOrder::New, 200)).len());
    timed("most cited", &|| ids(&workspace, &query(ReviewOrder::Cited, 200)).len());
    timed("disagreements", &|| 1 + ids(&workspace, &query(ReviewOrder::Disagreements, 200)).len());
    timed("number to review", &|| {
        catalogue.review_queue_count(&query(ReviewOrder::Severity, 200)).unwrap().unwrap() as usize
    });
    timed("causes", &|| catalogue.cause_groups(Some(CAMPAIGN)).unwrap().len());
    let sample = catalogue.draw_sample(&spec(1)).unwrap();
    timed("a sample", &|| ids(&workspace, &query(ReviewOrder::Sample(sample), 200)).len());
    timed("figures of samples", &|| catalogue.samples(None).unwrap().len());
    let open = to_review(&workspace);
    let many: Vec<CaptureId> = open.iter().copied().take(10_000.min(open.len() / 2)).collect();
    timed("a decision on 10,000", &|| {
        catalogue.mark(&many, ReviewMark::Reject, "", "Ana").unwrap();
        many.len()
    });
    timed("by severity after it", &|| ids(&workspace, &query(ReviewOrder::Severity, 200)).len());
    timed("its undo", &|| catalogue.undo_mark().unwrap().unwrap().1 as usize);
}
