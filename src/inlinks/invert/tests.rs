//! Compares the sort and the assignment with plain ones in memory.

use super::*;
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::uri::CaptureDate;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
enum OwnedRow {
    Capture(String, i64),
    Link { target: String, source: String, seconds: i64, anchor: String, id: u64 },
}

impl OwnedRow {
    fn push(&self, row_writer: &mut RowWriter<'_>) {
        match self {
            Self::Capture(target, seconds) => {
                row_writer
                    .push_capture(&TargetCapture { target, date: CaptureDate::from_seconds(*seconds), id: 0 })
                    .unwrap();
            }
            Self::Link { target, source, seconds, anchor, id } => row_writer
                .push_link(&LinkRow {
                    target,
                    target_url: "http://alvo.pt/",
                    source,
                    source_url: "http://fonte.pt/",
                    source_id: *id,
                    date: CaptureDate::from_seconds(*seconds),
                    anchor,
                    internal: is_internal(target, source),
                    nofollow: false,
                    kind: LinkKind::Anchor,
                    position: 0,
                })
                .unwrap(),
        }
    }
}

fn is_internal(target: &str, source: &str) -> bool {
    target.as_bytes().first() == source.as_bytes().first()
}

fn shuffle(rows: &[OwnedRow], memory_bytes: usize) -> Sorted {
    shuffle_with(rows, memory_bytes, 1)
}

/// Several threads bring the rows, each a part of them.
fn shuffle_with(rows: &[OwnedRow], memory_bytes: usize, threads: usize) -> Sorted {
    let options = ShuffleOptions { memory_bytes, threads, ..ShuffleOptions::default() };
    let shuffle = Shuffle::new(&options, &JobCx::detached()).unwrap();
    std::thread::scope(|scope| {
        for part in rows.chunks(rows.len().div_ceil(threads).max(1)) {
            let mut row_writer = shuffle.row_writer();
            scope.spawn(move || part.iter().for_each(|row| row.push(&mut row_writer)));
        }
    });
    shuffle.finish().unwrap()
}

/// The objects as bytes, made by some threads.
fn rendered(mut sorted: Sorted, options: &AssignOptions, threads: usize) -> (Vec<u8>, ShuffleReport, AssignReport) {
    let mut lines = Vec::new();
    let take = |piece: &[u8]| {
        lines.extend_from_slice(piece);
        Ok(())
    };
    let render = |object: &Assigned<'_>, out: &mut Vec<u8>| crate::inlinks::dataset::render_line(object, false, out);
    let (shuffled, assigned) = assign_rendered(&mut sorted, options, threads, render, take).unwrap();
    (lines, shuffled, assigned)
}

fn read(mut sorted: Sorted) -> (Vec<String>, ShuffleReport) {
    let mut rows = Vec::new();
    sorted
        .for_each(|row| {
            rows.push(format!("{row:?}"));
            Ok::<(), LinkError>(())
        })
        .unwrap();
    (rows, sorted.report())
}

type Lines = Vec<(String, Option<i64>, Vec<(i64, String, String)>, u64)>;

fn objects(rows: &[OwnedRow], memory_bytes: usize, options: &AssignOptions) -> (Lines, AssignReport) {
    let mut lines = Vec::new();
    let (_, report) = assign(shuffle(rows, memory_bytes), options, |object| {
        assert_eq!(object.count_internal + object.count_external, object.inlinks().len() as u64);
        let inlinks = object
            .inlinks()
            .map(|link| (link.date.seconds(), link.source.to_owned(), link.anchor.to_owned()))
            .collect();
        lines.push((object.target.to_owned(), object.capture_date.map(CaptureDate::seconds), inlinks, object.cut));
        Ok(())
    })
    .unwrap();
    (lines, report)
}

/// The rule of the data set, written down plainly.
fn brute_force(rows: &[OwnedRow], options: &AssignOptions) -> (Lines, u64) {
    let mut captures: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    let mut links: BTreeMap<&str, BTreeSet<(i64, &str, &str)>> = BTreeMap::new();
    for row in rows {
        match row {
            OwnedRow::Capture(target, seconds) => {
                captures.entry(target).or_default().insert(*seconds);
                links.entry(target).or_default();
            }
            OwnedRow::Link { target, source, seconds, anchor, .. } => {
                links.entry(target).or_default().insert((*seconds, source, anchor));
            }
        }
    }
    let window = i64::from(options.window_days) * 86_400;
    let (mut lines, mut repeated) = (Lines::new(), 0);
    for (target, links) in links {
        let none = BTreeSet::new();
        let captures = captures.get(target).unwrap_or(&none);
        let mut cap = |fitting: Vec<(i64, &str, &str)>| {
            let (mut kept, mut sides, mut cut) = (Vec::new(), [0, 0], 0);
            let mut sources = BTreeSet::new();
            for (seconds, source, anchor) in fitting {
                if options.dedup == Dedup::SourceTarget && sources.contains(source) {
                    repeated += 1;
                    continue;
                }
                let side = &mut sides[usize::from(is_internal(target, source))];
                if *side < options.cap {
                    *side += 1;
                    kept.push((seconds, source.to_owned(), anchor.to_owned()));
                    sources.insert(source);
                } else {
                    cut += 1;
                }
            }
            (kept, cut)
        };
        let within = |capture: i64, link: i64| (capture - link).abs() <= window;
        match options.shape {
            Shape::PerPage => {
                let fitting = links
                    .iter()
                    .filter(|link| captures.is_empty() || captures.iter().any(|&capture| within(capture, link.0)))
                    .copied()
                    .collect();
                let (kept, cut) = cap(fitting);
                if !kept.is_empty() {
                    lines.push((target.to_owned(), captures.first().copied(), kept, cut));
                }
            }
            Shape::PerCapture => {
                for &capture in captures {
                    let (kept, cut) = cap(links.iter().filter(|link| within(capture, link.0)).copied().collect());
                    lines.push((target.to_owned(), Some(capture), kept, cut));
                }
            }
        }
    }
    (lines, repeated)
}

fn rows() -> impl Strategy<Value = Vec<OwnedRow>> {
    let key = "[ab][bc]{0,2}";
    // Days around each other, so that windows of some days are met and missed.
    let seconds = (0_i64..12, -2_i64..3).prop_map(|(days, more)| days * 86_400 + more);
    let capture = (key, seconds.clone()).prop_map(|(target, seconds)| OwnedRow::Capture(target, seconds));
    let link = (key, key, seconds, "[ç x]{0,3}", 0_u64..3)
        .prop_map(|(target, source, seconds, anchor, id)| OwnedRow::Link { target, source, seconds, anchor, id });
    proptest::collection::vec(prop_oneof![1 => capture, 4 => link], 0..200)
}

proptest! {
    #[test]
    fn neither_memory_nor_order_change_the_rows(rows in rows(), seed in any::<u64>()) {
        let (expected, report) = read(shuffle(&rows, 1 << 20));
        let mut other = rows.clone();
        let len = other.len().max(1);
        for at in 0..other.len() {
            other.swap(at, (seed as usize).wrapping_mul(at + 7) % len);
        }
        let (got, spilled) = read(shuffle(&other, 0));
        prop_assert_eq!(&got, &expected);
        prop_assert_eq!(spilled.duplicates, report.duplicates);
        prop_assert_eq!(report.duplicates + expected.len() as u64, rows.len() as u64);
        prop_assert_eq!(report.runs, 0);
    }

    #[test]
    fn neither_threads_nor_memory_change_a_byte(rows in rows(), threads in 1_usize..5, per_capture in any::<bool>()) {
        let shape = if per_capture { Shape::PerCapture } else { Shape::PerPage };
        let options = AssignOptions { shape, window_days: 3, cap: 3, ..AssignOptions::default() };
        let (expected, report, assigned) = rendered(shuffle(&rows, 64 << 20), &options, 1);
        let (got, got_report, got_assigned) = rendered(shuffle_with(&rows, 0, threads), &options, threads);
        prop_assert!(got == expected);
        prop_assert_eq!((got_report.duplicates, got_report.links), (report.duplicates, report.links));
        prop_assert_eq!(got_assigned, assigned);
    }

    #[test]
    fn assignment_is_the_plain_rule(rows in rows(), window_days in 0_u32..8, cap in 1_usize..6, per_capture in any::<bool>(), by_source in any::<bool>()) {
        let shape = if per_capture { Shape::PerCapture } else { Shape::PerPage };
        let dedup = if by_source { Dedup::SourceTarget } else { Dedup::Exact };
        let options = AssignOptions { window_days, cap, shape, dedup, ..AssignOptions::default() };
        let (expected, repeated) = brute_force(&rows, &options);
        let (got, report) = objects(&rows, 1 << 20, &options);
        prop_assert_eq!(&got, &expected);
        prop_assert_eq!(report.repeated_sources, repeated);
        prop_assert_eq!(report.cut, expected.iter().map(|line| line.3).sum::<u64>());
        prop_assert_eq!(objects(&rows, 0, &options).0, expected);
    }
}

fn many_rows() -> Vec<OwnedRow> {
    (0..20_000_u64)
        .map(|n| OwnedRow::Link {
            target: format!("alvo{:03}", n * 7 % 500),
            source: format!("fonte{}", n % 1000),
            seconds: (n % 10) as i64,
            anchor: "texto da âncora".to_owned(),
            id: n % 3,
        })
        .collect()
}

#[test]
fn many_runs_are_merged_in_passes_and_in_parts() {
    let rows = many_rows();
    let (expected, _) = read(shuffle(&rows, 64 << 20));
    let (got, report) = read(shuffle(&rows, 0));
    assert!(report.runs > 200, "{report:?}");
    assert_eq!(got, expected);
    let options = AssignOptions::default();
    let expected = rendered(shuffle(&rows, 64 << 20), &options, 1);
    for memory_bytes in [300_000, 60_000] {
        let got = rendered(shuffle_with(&rows, memory_bytes, 3), &options, 4);
        // Rows go to the disk as numbers as long as their texts fit.
        assert_eq!(got.1.runs > 3, memory_bytes < 100_000, "{:?}", got.1);
        assert!(got.1.spilled_bytes > 100_000 && got.0 == expected.0, "{:?}", got.1);
        assert_eq!((got.1.duplicates, got.2), (expected.1.duplicates, expected.2));
    }
}

#[test]
fn a_page_with_more_links_than_the_memory_holds_is_sorted_too() {
    let mut rows = many_rows();
    rows.extend((0..30_000_i64).map(|n| OwnedRow::Link {
        target: "alvo250".to_owned(),
        source: format!("fonte{}", n % 100),
        seconds: n * 7919 % 29_989,
        anchor: String::new(),
        id: 0,
    }));
    let (expected, whole) = read(shuffle(&rows, 64 << 20));
    let (got, report) = read(shuffle(&rows, 200_000));
    assert!(report.runs > 3 && whole.runs == 0, "{report:?}");
    assert!(got == expected);
    assert_eq!(report.duplicates, whole.duplicates);
}

#[test]
fn rows_go_to_the_disk_once_in_whatever_order_targets_come() {
    let numbers: Vec<u64> = (0..100_000).map(|n| n * 7919 % 100_003).collect();
    let link = |&n: &u64| OwnedRow::Link {
        target: format!("(pt,alvo{:04},)/", n % 3000),
        source: format!("fonte{}", n % 10),
        seconds: (n / 3000) as i64 / 2,
        anchor: String::new(),
        id: 0,
    };
    let mut rows: Vec<OwnedRow> = numbers.iter().map(link).collect();
    rows.extend((0..3000).map(|n| OwnedRow::Capture(format!("(pt,alvo{n:04},)/"), 3)));
    let (expected, whole) = read(shuffle(&rows, 64 << 20));
    // A row takes four to five bytes there.
    let most_bytes = 5 * rows.len() as u64;
    let mut once = Vec::new();
    // What threads put in order at once shares the memory: two need more of it.
    for (threads, memory_bytes) in [(1, 2_000_000), (2, 3_000_000)] {
        let (got, report) = read(shuffle_with(&rows, memory_bytes, threads));
        assert!(got == expected);
        assert!((1..=most_bytes).contains(&report.spilled_bytes) && report.runs == 0, "{report:?}");
        assert_eq!((report.duplicates, report.links), (whole.duplicates, whole.links));
        once.push(report.spilled_bytes);
    }
    // Early rows do not predict later ones: parts are cut again.
    rows.sort_by_key(|row| match row {
        OwnedRow::Capture(target, _) | OwnedRow::Link { target, .. } => target.clone(),
    });
    let (got, report) = read(shuffle(&rows, 2_000_000));
    assert!(got == expected);
    assert!(report.spilled_bytes > once[0] && report.runs == 0, "{report:?}, {once:?} before");
    assert_eq!(report.duplicates, whole.duplicates);
}

#[test]
fn files_read_one_after_the_other_share_the_memory() {
    let rows = many_rows();
    let options = AssignOptions::default();
    let expected = rendered(shuffle(&rows, 64 << 20), &options, 1);
    let few = ShuffleOptions { memory_bytes: 200_000, threads: 1, ..ShuffleOptions::default() };
    let mut shuffle = Shuffle::new(&few, &JobCx::detached()).unwrap();
    shuffle.push_capture(&TargetCapture { target: "(pt,x,", date: CaptureDate::from_seconds(5), id: 0 }).unwrap();
    for some in rows.chunks(100) {
        let mut row_writer = shuffle.row_writer();
        some.iter().for_each(|row| row.push(&mut row_writer));
    }
    assert_eq!((shuffle.report().links + shuffle.report().captures) as usize, rows.len() + 1);
    let got = rendered(shuffle.finish().unwrap(), &options, 1);
    // What did not fit went to disk, as if one thread had brought all.
    assert!(got.1.spilled_bytes > 100_000 && got.0 == expected.0, "{:?}", got.1);
}

#[test]
fn a_build_that_was_killed_goes_on_from_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let keep = |input: &str| ResumeDir::take(&folder.path().join("runs"), input.to_owned()).unwrap();
    let options = |input| ShuffleOptions {
        memory_bytes: 200_000,
        threads: 1,
        keep: Some(keep(input)),
        ..ShuffleOptions::default()
    };
    let rows = many_rows();
    let expected = rendered(shuffle(&rows, 64 << 20), &AssignOptions::default(), 1);
    let bring = |shuffle: &Shuffle, upto: usize| {
        let done = shuffle.done();
        let mut row_writer = shuffle.row_writer();
        let mut brought = 0;
        for (number, some) in rows[..upto].chunks(100).enumerate() {
            let place = number as u64;
            if !done.holds(7, place) {
                some.iter().for_each(|row| row.push(&mut row_writer));
                brought += some.len();
            }
            row_writer.mark(7, place, place + 1, &Notes::default()).unwrap();
        }
        brought
    };
    let killed = Shuffle::new(&options("one"), &JobCx::detached()).unwrap();
    assert!(killed.done().is_empty());
    bring(&killed, 15_000);
    let written = |shuffle: &Shuffle| (shuffle.report().runs, shuffle.report().spilled_bytes);
    let before = written(&killed);
    drop(killed);
    assert!(Shuffle::new(&options("one"), &JobCx::detached()).unwrap().done().holds(7, 0));
    let again = Shuffle::new(&options("one"), &JobCx::detached()).unwrap();
    assert!(before.0 > 1 && written(&again) == before, "what went to the disk before a kill counts");
    let brought = bring(&again, rows.len());
    assert!((5_000..15_000).contains(&brought), "{brought} rows were brought again");
    let mut sorted = again.finish().unwrap();
    let (mut lines, render) = (Vec::new(), |object: &Assigned<'_>, out: &mut Vec<u8>| {
        crate::inlinks::dataset::render_line(object, false, out);
    });
    let take = |piece: &[u8]| {
        lines.extend_from_slice(piece);
        Ok(())
    };
    let (report, _) = assign_rendered(&mut sorted, &AssignOptions::default(), 2, render, take).unwrap();
    assert!(lines == expected.0);
    assert_eq!((report.links, report.duplicates), (expected.1.links, expected.1.duplicates));
    sorted.remove_kept().unwrap();
    assert!(!folder.path().join("runs").exists());
    let other = Shuffle::new(&options("one"), &JobCx::detached()).unwrap();
    bring(&other, 15_000);
    drop(other);
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(ResumeDir::take(&file, "one".to_owned()), Err(LinkError::NoFolder { path }) if path == file));
    // Runs of another input or of another form of the list are no use, and damage is reported.
    let other = ResumeDir::take(&folder.path().join("runs"), "two".to_owned()).unwrap_err();
    assert!(matches!(&other, LinkError::KeptOther { was, is, .. } if was == "one" && is == "two"), "{other}");
    let damaged = folder.path().join("runs/run-000001");
    std::fs::write(&damaged, "").unwrap();
    let error = Shuffle::new(&options("one"), &JobCx::detached()).err().unwrap().to_string();
    assert!(error.contains("run-000001: ") && error.contains("start over"), "{error}");
    let list = folder.path().join("runs/runs.json");
    std::fs::write(&list, r#"{"program": "fonds 0.0.1", "input": "one", "runs": {"of": "another form"}}"#).unwrap();
    let other = ResumeDir::take(&folder.path().join("runs"), "one".to_owned()).unwrap_err();
    assert!(matches!(&other, LinkError::KeptOther { what: "program", .. }), "{other}");
    std::fs::write(&list, "{").unwrap();
    let other = ResumeDir::take(&folder.path().join("runs"), "one".to_owned()).unwrap_err();
    assert!(other.to_string().contains("runs.json: "), "{other}");
    assert!(damaged.exists() && folder.path().join("runs/run-000002").exists());
}

fn link(target: &str, source: &str, date: &str) -> OwnedRow {
    let seconds = CaptureDate::parse(date).unwrap().seconds();
    OwnedRow::Link { target: target.to_owned(), source: source.to_owned(), seconds, anchor: String::new(), id: 0 }
}

fn capture(target: &str, date: &str) -> OwnedRow {
    OwnedRow::Capture(target.to_owned(), CaptureDate::parse(date).unwrap().seconds())
}

#[test]
fn the_window_is_ninety_days_to_the_second() {
    let rows = [
        capture("t", "2024-03-01T10:00:00"),
        link("t", "a", "2023-12-02T10:00:00"),
        link("t", "b", "2023-12-02T09:59:59"),
        link("t", "c", "2024-05-30T10:00:00"),
        link("t", "d", "2024-05-30T10:00:01"),
    ];
    for shape in [Shape::PerPage, Shape::PerCapture] {
        let (lines, report) = objects(&rows, 1 << 20, &AssignOptions { shape, ..AssignOptions::default() });
        let sources: Vec<&str> = lines[0].2.iter().map(|(_, source, _)| source.as_str()).collect();
        assert_eq!(sources, ["a", "c"]);
        assert_eq!((report.outside_window, report.inlinks), (2, 2));
    }
}

#[test]
fn a_thousand_on_each_side_are_kept_and_the_rest_is_counted() {
    let mut rows = vec![capture("t", "2024")];
    for n in 0..1005 {
        rows.push(link("t", &format!("t{n:04}"), "2024"));
        rows.push(link("t", &format!("x{n:04}"), "2024"));
    }
    let (lines, report) = objects(&rows, 1 << 20, &AssignOptions::default());
    assert_eq!((lines[0].2.len(), lines[0].3), (2000, 10));
    assert_eq!((report.cut, report.internal), (10, 1000));
    assert_eq!(lines[0].2.last().unwrap().1, "x0999");
}

#[test]
fn named_options_take_effect() {
    let rows = [
        link("t", "a", "2024-01-02"),
        link("t", "a", "2024-01-01"),
        link("u", "a", "2024-01-01"),
        capture("u", "2024-01-01"),
        capture("v", "2024-01-01"),
    ];
    let all = AssignOptions::default();
    assert_eq!(objects(&rows, 1 << 20, &all).1.objects, 2);
    let (lines, report) = objects(&rows, 1 << 20, &AssignOptions { dedup: Dedup::SourceTarget, ..all.clone() });
    assert_eq!((lines[0].2.len(), report.repeated_sources), (1, 1));
    assert_eq!(lines[0].2[0].0, CaptureDate::parse("2024").unwrap().seconds());
    let (lines, report) = objects(&rows, 1 << 20, &AssignOptions { uncaptured: Uncaptured::Drop, ..all.clone() });
    assert_eq!((lines.len(), report.uncaptured_dropped), (1, 2));
    let (lines, _) = objects(&rows, 1 << 20, &AssignOptions { shape: Shape::PerCapture, ..all });
    assert_eq!(lines.iter().map(|line| (line.0.as_str(), line.2.len())).collect::<Vec<_>>(), [("u", 1), ("v", 0)]);
}

#[test]
fn a_cancelled_sort_stops_and_a_missing_folder_is_named() {
    let cx = JobCx::detached();
    let mut stopped = Shuffle::new(&ShuffleOptions::default(), &cx).unwrap();
    cx.cancel();
    let error = (0..10_000)
        .find_map(|_| stopped.push_capture(&TargetCapture { target: "t", date: CaptureDate::default(), id: 0 }).err());
    assert!(matches!(error, Some(LinkError::Cancelled(_))));
    let folder = std::path::PathBuf::from("/no/such/folder");
    let options = ShuffleOptions { memory_bytes: 0, temp_folder: Some(folder), ..ShuffleOptions::default() };
    let mut lost = Shuffle::new(&options, &JobCx::detached()).unwrap();
    let row = TargetCapture { target: "t", date: CaptureDate::default(), id: 0 };
    let error = (0..10_000).find_map(|_| lost.push_capture(&row).err()).unwrap();
    assert!(error.to_string().starts_with("/no/such/folder: "), "{error}");
}
