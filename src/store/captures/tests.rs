//! Nearest captures against a scan, originals that come late or go, and work that grows with what there is.

use super::originals::*;
use crate::captures::CaptureEntry;
use crate::jobs::JobCx;
use crate::store::rows::CaptureId;
use crate::store::tests::{Made, capture, made};
use crate::uri::{CaptureDate, PageKey, Url};
use proptest::prelude::*;
use rusqlite::StatementStatus::VmStep;

const PAGE: &str = "http://many.pt/p";

fn revisit(url: &str, second: i64, digest: &str, of: i64) -> CaptureEntry {
    let revisit_of = Some(CaptureDate::from_seconds(of));
    CaptureEntry { revisit_of, ..capture(url, second, second.unsigned_abs(), digest, &[]) }
}

fn add(made: &Made, entries: Vec<CaptureEntry>) {
    made.workspace.catalogue().add_captures(made.launch, entries).unwrap();
}

fn settle(made: &Made) {
    made.workspace.catalogue().settle_originals(&JobCx::detached()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_nearest_capture_is_the_one_that_a_scan_finds(
        captures in prop::collection::vec((0_i64..9_000, prop::sample::select(vec![200, 204, 301, 304, 404, 503])), 1..20),
        dates in prop::collection::vec(-2_000_i64..11_000, 1..8),
    ) {
        let made = made();
        let entry = |(at, (date, status)): (usize, &(i64, i32))| {
            let mut entry = capture(PAGE, 0, at as u64, &format!("sha1:{at}"), &[]);
            entry.date = CaptureDate::from_millis(*date);
            entry.notes.status = *status;
            entry
        };
        add(&made, captures.iter().enumerate().map(entry).collect());
        let page = PageKey::of(&Url::parse(PAGE).unwrap());
        for date in dates {
            for answers in [Answers::All, Answers::WithoutErrors] {
                let rank = |(at, (when, status)): &(usize, &(i64, i32))| {
                    ((when - date).abs() / 1000, !(200..300).contains(status), *when, *at)
                };
                // Captures of one instant may be distinguished by their digests, which are numbered here.
                let scan = captures
                    .iter()
                    .enumerate()
                    .filter(|(_, (_, status))| answers == Answers::All || *status < 400)
                    .min_by_key(rank)
                    .map(|(at, _)| captures[at]);
                let found = made.workspace.catalogue().nearest_capture(&page, CaptureDate::from_millis(date), answers);
                let found = found.unwrap().map(|id| captures[usize::try_from(id.get() - 1).unwrap()]);
                prop_assert_eq!(found, scan);
            }
        }
    }
}

/// Steps that SQLite takes for the revisits whose originals came since.
fn steps(revisits: u32, originals: u32, url: &str, digest: &str) -> i32 {
    let made = made();
    let of = |n: u32| revisit(url, i64::from(n) + 100_000, digest, 1_000_000_000);
    add(&made, (0..revisits).map(of).collect());
    settle(&made);
    let settled = made.workspace.catalogue().newest_capture().unwrap();
    add(&made, (0..originals).map(|n| capture(PAGE, n.into(), n.into(), "sha1:SAME", &[])).collect());
    let read = made.workspace.catalogue().read(|conn| {
        let mut statement = conn.prepare(&may_change())?;
        let newest = CaptureId::new(settled.get() + i64::from(originals));
        let found = statement.query_map([settled, newest], |row| row.get::<_, i64>(0))?.count();
        assert!(found <= revisits as usize);
        Ok(statement.get_status(VmStep))
    });
    read.unwrap()
}

#[test]
fn finding_originals_takes_as_long_with_many_captures_of_a_page_as_with_few() {
    for (name, url, digest) in [
        ("of its own URL", PAGE, "sha1:SAME"),
        ("of another spelling", "https://www.many.pt/p", "sha1:SAME"),
        ("of another payload", PAGE, "sha1:OTHER"),
        ("of no digest", PAGE, ""),
    ] {
        for with_originals in [0, 1] {
            let few = steps(20, 20 * with_originals, url, digest);
            let many = steps(400, 400 * with_originals, url, digest);
            assert!(many < few.max(200) * 40, "{name}: {few} steps for 20, {many} for 400");
        }
    }
}

#[test]
fn a_revisit_whose_original_is_lost_has_nothing_of_it_and_finds_another() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    add(&made, vec![capture(PAGE, 10, 1, "sha1:SAME", &[]), revisit(PAGE, 90, "sha1:SAME", 10)]);
    add(&made, vec![capture(PAGE, 70, 3, "sha1:SAME", &[])]);
    settle(&made);
    let original = || catalogue.original_of(CaptureId::new(2)).unwrap().map(|original| original.id.get());
    let title = || catalogue.capture_row(CaptureId::new(2)).unwrap().title;
    assert_eq!((original(), title().is_empty()), (Some(1), false));
    let before = catalogue.originals_changed().unwrap();
    catalogue.write(|conn| lose_original(conn, CaptureId::new(1))).unwrap();
    assert_eq!((original(), title().as_str()), (None, ""));
    assert_eq!(catalogue.count_missing_originals().unwrap(), 1);
    assert!(catalogue.originals_changed().unwrap() > before && catalogue.originals_replaced().unwrap() > before);
    catalogue.write(|conn| Ok(conn.execute("DELETE FROM record WHERE capture = 1", [])?)).unwrap();
    settle(&made);
    // The first one is there still in this test: only its record is gone.
    assert_eq!((original(), title().is_empty()), (Some(1), false));
}
