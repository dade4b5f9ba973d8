#![allow(clippy::unwrap_used)]

use super::super::loader::{Order, Pool};
use super::*;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::cell::Cell;

/// Questions to an empty workspace, which goes with its folder.
fn cx() -> (ReadCx, tempfile::TempDir) {
    let (dir, session) = crate::testing::empty_session();
    let pool = Pool::new("test", 1, Order::NewestFirst).unwrap();
    (
        ReadCx { session: Some(Arc::new(session)), generation: 0, wake: Arc::new(|| ()), pool, later: Cell::new(None) },
        dir,
    )
}

/// Work that reports its begin, and answers its query when it may.
struct Slow {
    begun: Sender<u32>,
    may: Receiver<()>,
}

impl Slow {
    fn request(&self, scan: &mut Scan<u32, u32>, cx: &ReadCx, query: u32) -> Loaded<Arc<u32>> {
        let (begun, may) = (self.begun.clone(), self.may.clone());
        scan.get(
            cx,
            |of| *of == query,
            || query,
            move |_, query, cx| {
                begun.send(query).unwrap();
                may.recv().unwrap();
                cx.checkpoint()?;
                Ok(query * 10)
            },
        )
    }
}

fn until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(found) = poll() {
            return found;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_newer_question_stops_the_older_one_whose_answer_is_dropped() {
    let (cx, _dir) = cx();
    let (begun, begins) = unbounded();
    let (allow, may) = unbounded();
    let slow = Slow { begun, may };
    let mut scan = Scan { keeps_last: true, ..Scan::new("test") };
    assert!(matches!(slow.request(&mut scan, &cx, 1), Loaded::Loading { last: None }));
    assert_eq!(begins.recv().unwrap(), 1);
    assert!(scan.progress().is_some());
    slow.request(&mut scan, &cx, 2);
    assert_eq!(begins.recv().unwrap(), 2);
    allow.send(()).unwrap();
    allow.send(()).unwrap();
    let answer = until(|| match slow.request(&mut scan, &cx, 2) {
        Loaded::Ready(value) => Some(value),
        Loaded::Loading { last } => last.inspect(|_| panic!("the answer to a dropped question is shown")),
        Loaded::Failed(notice) => panic!("{notice:?}"),
    });
    assert_eq!(*answer, 20);
    // The same question is answered without work, a third keeps the last in sight.
    assert!(matches!(slow.request(&mut scan, &cx, 2), Loaded::Ready(_)));
    assert!(matches!(slow.request(&mut scan, &cx, 3), Loaded::Loading { last: Some(last) } if *last == 20));
    assert_eq!(begins.recv().unwrap(), 3);
    allow.send(()).unwrap();
    scan.forget();
    assert!(scan.progress().is_none() && begins.is_empty());
}

#[test]
fn lists_of_one_question_are_not_shown_under_another() {
    let (cx, _dir) = cx();
    let (begun, begins) = unbounded();
    let (allow, may) = unbounded();
    let slow = Slow { begun, may };
    let mut scan = Scan::new("test");
    allow.send(()).unwrap();
    until(|| slow.request(&mut scan, &cx, 1).ready().cloned());
    assert!(matches!(slow.request(&mut scan, &cx, 2), Loaded::Loading { last: None }));
    assert_eq!(begins.iter().take(2).collect::<Vec<_>>(), [1, 2]);
    allow.send(()).unwrap();
    assert_eq!(*until(|| slow.request(&mut scan, &cx, 2).ready().cloned()), 20);
}

#[test]
fn an_answer_about_a_part_is_loaded_again_when_that_part_has_changed() {
    let (cx, _dir) = cx();
    let mut scan = Scan::new("test");
    let request =
        |scan: &mut Scan<u32, u32>, revision| scan.get_as_of(revision, &cx, |_| true, || 1, |_, query, _| Ok(query));
    until(|| request(&mut scan, 5).ready().cloned());
    for (revision, is_restarted) in [(5, false), (6, true)] {
        // Long enough ago to be repeated.
        let shown = scan.shown.as_mut().unwrap();
        shown.at = shown.at.checked_sub(SHORTEST_WAIT).unwrap();
        // What is known is shown meanwhile.
        assert!(request(&mut scan, revision).ready().is_some());
        assert_eq!(scan.is_running(), is_restarted);
    }
}

#[test]
fn what_is_shown_no_more_is_stopped() {
    let (cx, _dir) = cx();
    let (begun, begins) = unbounded();
    let (allow, may) = unbounded();
    let slow = Slow { begun, may };
    let mut scan = Scan::new("test");
    slow.request(&mut scan, &cx, 1);
    assert_eq!(begins.recv().unwrap(), 1);
    scan.keep_only(|query| *query == 1);
    assert!(scan.is_running());
    let (_, _, running) = scan.pending.as_ref().unwrap().running.as_ref().unwrap();
    let job = running.cx.clone();
    scan.keep_only(|_| false);
    assert!(!scan.is_running() && job.is_cancelled());
    allow.send(()).unwrap();
}

#[test]
fn what_still_changes_waits() {
    let (cx, _dir) = cx();
    let (begun, begins) = unbounded();
    let (_allow, may) = unbounded();
    let slow = Slow { begun, may };
    let mut scan = Scan { settled: Duration::from_secs(3600), ..Scan::new("test") };
    for query in 1..4 {
        slow.request(&mut scan, &cx, query);
    }
    assert!(begins.is_empty() && scan.progress().is_none());
    let later = cx.later.take().unwrap();
    assert!(later > Duration::from_secs(3000), "repeated after {later:?}");
}

#[test]
fn what_is_opened_does_not_wait_and_its_edits_do() {
    let (cx, _dir) = cx();
    let (begun, begins) = unbounded();
    let (allow, may) = unbounded();
    let slow = Slow { begun, may };
    let mut scan = Scan { settled: Duration::from_secs(3600), begins_at_once: true, ..Scan::new("test") };
    allow.send(()).unwrap();
    assert_eq!(*until(|| slow.request(&mut scan, &cx, 1).ready().cloned()), 10);
    slow.request(&mut scan, &cx, 2);
    assert_eq!(begins.try_iter().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_broken_rule_hides_no_other_and_a_cancelled_job_describes_none() {
    let rules = ["reject_all", "no_such_rule", "accept_all"].map(|rule| serde_json::json!({"rule": rule}));
    let campaign = Campaign { rules: rules.to_vec(), ..Campaign::new("Town") };
    let cx = JobCx::detached();
    let readable: Vec<bool> =
        name_rules(&campaign, &cx).unwrap().into_iter().map(|line| line.description.is_ok()).collect();
    assert_eq!(readable, [true, false, true]);
    cx.cancel();
    assert!(name_rules(&campaign, &cx).is_err());
}

#[test]
fn failures_are_shown() {
    let (cx, _dir) = cx();
    let mut scan: Scan<u32, u32> = Scan::new("test");
    let notice = until(|| {
        let answer = scan.get(&cx, |_| true, || 1, |_, _, _| anyhow::bail!("rule 3: no such country"));
        if let Loaded::Failed(notice) = answer { Some(notice) } else { None }
    });
    assert_eq!(notice.why, "rule 3: no such country");
}
