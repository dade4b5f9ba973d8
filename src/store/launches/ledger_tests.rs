//! What a plan decides again meets what workers stored meanwhile.

use crate::crawl::{Admission, AdmissionState, ChangedAdmission, Ledger};
use crate::scope::Decision;
use crate::store::tests::{admission, made};
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
