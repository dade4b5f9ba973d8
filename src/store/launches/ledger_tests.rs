//! What a plan decides again meets what workers stored meanwhile.

use crate::crawl::{
    Admission, AdmissionState, Admitted, ChangedAdmission, Finished, Ledger, PageReading, PriorityParts, TermTally,
};
use crate::scope::Decision;
use crate::store::rows::CaptureId;
use crate::store::tests::{admission, capture, made};
use crate::uri::CaptureDate;

/// The same URL, as another plan has it.
fn decided(id: i64, before: &Admission, state: AdmissionState) -> ChangedAdmission {
    let mut to = Admission { state, priority: 7, ..before.clone() };
    to.verdict.decision = if state == AdmissionState::Queued { Decision::Accept } else { Decision::Reject };
    to.verdict.rule_name = "Again".to_owned();
    ChangedAdmission { id, from: before.state, to }
}

#[test]
fn a_url_that_changed_while_it_was_decided_again_stays_as_it_is() {
    use AdmissionState::{Queued, Refused};
    let made = made();
    let ledger = &made.ledger;
    let urls = ["http://a.pt/1", "http://a.pt/2", "http://a.pt/3"];
    ledger.admit(urls.map(|url| admission(url, Refused, 5)).to_vec()).unwrap();
    let read = ledger.undecided(i64::MIN, 10).unwrap();
    // A worker finds the first on a nearer page, and the second is fetched before the decision is kept.
    ledger.admit(urls[..2].iter().map(|url| admission(url, Queued, 5)).collect()).unwrap();
    let second = ledger.find_waiting(&read[1].admission.candidate.url).unwrap().unwrap();
    ledger.finish(second.ended(-2, "refused the connection")).unwrap();
    let changed = |state| read.iter().map(|url| decided(url.id, &url.admission, state)).collect();
    assert_eq!(ledger.rejudge(changed(Refused)).unwrap(), [false, false, true]);
    assert_eq!(ledger.rejudge(changed(Queued)).unwrap(), [false, false, true]);
    let waiting = ledger.waiting("a.pt", &[], CaptureDate::now(), 10).unwrap();
    let waiting = waiting.iter().map(|queued| {
        let admission = &queued.admission;
        (admission.candidate.url.path(), &*admission.verdict.rule_name, admission.priority)
    });
    assert_eq!(waiting.collect::<Vec<_>>(), [("/1", "SurtPrefixedDecideRule", 5), ("/3", "Again", 7)]);
    let launch = made.workspace.catalogue().launch(made.launch).unwrap();
    assert_eq!((launch.queued, launch.refused, launch.failed), (2, 0, 1));
}

/// A page that was found by a link with these parts.
fn linked(url: &str, hops: &str, via: &str, anchor: &str, parts: PriorityParts) -> Admission {
    let mut admission = admission(url, AdmissionState::Queued, parts.priority());
    admission.parts = Some(parts);
    admission.candidate.hops = hops.to_owned();
    admission.candidate.via = via.parse().ok();
    admission.candidate.anchor = anchor.to_owned();
    admission
}

#[test]
fn a_url_has_the_best_priority_of_all_pages_that_link_to_it_and_keeps_the_shortest_way() {
    let made = made();
    let ledger = &made.ledger;
    let url = "http://a.pt/x";
    let (poor, good) = (PriorityParts::of_link(0.2, 0.0, 0.1, 1), PriorityParts::of_link(1.0, 0.0, 0.5, 2));
    let found = [
        linked(url, "LL", "http://b.pt/poor", "mais", poor),
        linked(url, "LLLL", "http://c.pt/good", "estaleiro", good),
        linked(url, "LLL", "http://b.pt/poor", "mais", poor),
        linked(url, "L", "http://a.pt/near", "aqui", PriorityParts::of_link(0.0, 0.0, 0.2, 0)),
        linked(url, "LL", "http://d.pt/", "x", PriorityParts::of_link(0.0, 0.0, 0.0, 4)),
    ];
    let known = found.map(|admission| ledger.admit(vec![admission]).unwrap()[0]);
    let [new, nearer, known_before] = [Admitted::New, Admitted::Nearer, Admitted::Known];
    assert_eq!(known, [new, nearer, known_before, nearer, nearer]);
    let queued = ledger.find_waiting(&url.parse().unwrap()).unwrap().unwrap();
    let (candidate, parts) = (&queued.admission.candidate, queued.admission.parts.unwrap());
    assert_eq!((candidate.hops.as_str(), candidate.anchor.as_str()), ("L", "aqui"));
    assert_eq!(candidate.via.as_ref().unwrap().as_str(), "http://a.pt/near");
    let (linker, anchor) = queued.linker.unwrap();
    assert_eq!((linker.as_str(), anchor.as_str()), ("http://c.pt/good", "estaleiro"));
    assert_eq!(parts, PriorityParts { cited: 7, ..good });
    assert_eq!(queued.admission.priority, parts.priority());
    let (rows, waiting) = made.workspace.catalogue().queue(made.launch, Some("a.pt"), 5).unwrap();
    assert_eq!((rows.len(), waiting, rows[0].linker.as_str()), (1, 1, "http://c.pt/good"));
    assert_eq!(ledger.backlog().unwrap()[0].first, parts.priority());
    assert!(ledger.waiting_at("a.pt", &[], CaptureDate::now(), 0).unwrap().is_some());
    assert!(ledger.waiting_at("a.pt", &[queued.id], CaptureDate::now(), 0).unwrap().is_none());
    ledger.rescore(vec![(queued.id, poor.priority(), Some(poor))]).unwrap();
    assert_eq!(ledger.waiting("a.pt", &[], CaptureDate::now(), 5).unwrap()[0].admission.parts, Some(poor));
}

#[test]
fn what_pages_have_of_the_request_is_kept_with_the_launch() {
    let made = made();
    let ledger = &made.ledger;
    let terms = vec![("ria".to_owned(), TermTally::default()), ("doca".to_owned(), TermTally::default())];
    ledger.keep_terms(terms.clone()).unwrap();
    for (at, score) in [5000, 100, 3000].into_iter().enumerate() {
        let url = format!("http://h{}.pt/", at % 2);
        ledger
            .admit(vec![
                admission(&url, AdmissionState::Queued, 5),
                admission(&format!("{url}{at}"), AdmissionState::Queued, 5),
            ])
            .unwrap();
        let queued = ledger.find_waiting(&format!("{url}{at}").parse().unwrap()).unwrap().unwrap();
        let reading = PageReading { score, terms: vec!["ria".to_owned()] };
        ledger
            .finish(Finished { fetch_status: 200, why: None, reading: Some(reading), ..queued.ended(0, "") })
            .unwrap();
    }
    ledger.keep_terms(terms).unwrap();
    ledger.keep_ordered(3).unwrap();
    let mut scores = Vec::new();
    let learned = ledger.learned_order(&mut |host, score| scores.push((host.to_owned(), score))).unwrap();
    scores.sort();
    assert_eq!(scores, [("h0.pt".to_owned(), 3000), ("h0.pt".to_owned(), 5000), ("h1.pt".to_owned(), 100)]);
    assert_eq!(
        (learned.pages, learned.version, learned.terms["ria"].pages, learned.terms["doca"].pages),
        (3, Some(3), 3, 0)
    );
    let (all, hosts) = made.workspace.catalogue().relevant_share(made.launch).unwrap().unwrap();
    assert_eq!((all.relevant, all.pages, all.percent()), (2, 3, Some(66)));
    assert_eq!((hosts[0].host.as_str(), hosts[0].share.relevant, hosts[1].share.relevant), ("h0.pt", 2, 0));
}

#[test]
fn a_path_that_nobody_recorded_is_not_that_of_a_seed() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let with = |text: &str, offset, hops: &str, seed: Option<&str>| {
        let mut entry = capture(text, 1, offset, &format!("sha1:{offset}"), &[]);
        (entry.notes.hops, entry.notes.seed) = (hops.to_owned(), seed.map(str::to_owned));
        entry
    };
    let entries = vec![
        with("http://a.pt/imported", 0, "", None),
        with("http://a.pt/", 20, "", Some("http://a.pt/")),
        with("http://a.pt/log", 40, "LL", None),
    ];
    catalogue.add_captures(made.launch, entries).unwrap();
    let all = crate::store::ScoreScope::Any { above: CaptureId::new(0), limit: 9 };
    let facts = catalogue.to_score(made.campaign, 90, all).unwrap();
    assert_eq!(facts.iter().map(|facts| facts.input.depth).collect::<Vec<_>>(), [None, Some(0), Some(2)]);
}
