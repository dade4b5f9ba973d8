//! Compares stored links with plain ones in memory.

use super::load::{LoadInput, LoadOptions, LoadReport, load};
use super::*;
use crate::inlinks::filters::{map_files, reduce_rows};
use crate::inlinks::invert::{AssignOptions, LinkRow, Shape, Shuffle, ShuffleOptions, Sorted, TargetCapture, assign};
use crate::inlinks::{DatasetOptions, LinkError, Notation, read_dataset};
use crate::jobs::JobCx;
use crate::links::{LinkKind, MAX_PAGE_BYTES};
use crate::testing::{self, gzip};
use crate::uri::{CaptureDate, Fqdn, InternalPolicy, PageKey, Url};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// `None` as source: a capture.
type PlainRow = (String, i64, Option<(String, String)>);

const MARK: Mark = Mark { captures_up_to: 7, keys: 1, read_up_to: 0, last: 0, lost: 0 };

fn is_internal(target: &str, source: &str) -> bool {
    host_of(target) == host_of(source)
}

fn sorted(rows: &[PlainRow]) -> Sorted {
    sorted_with(rows, &JobCx::detached())
}

fn sorted_with(rows: &[PlainRow], cx: &JobCx) -> Sorted {
    let rows: Vec<(PlainRow, u64)> = rows.iter().map(|row| (row.clone(), 0)).collect();
    sorted_of(&rows, cx)
}

/// Sorts rows, each with the number of the capture that links, or is.
fn sorted_of(rows: &[(PlainRow, u64)], cx: &JobCx) -> Sorted {
    let options = ShuffleOptions { memory_bytes: 1 << 20, threads: 1, ..ShuffleOptions::default() };
    let mut shuffle = Shuffle::new(&options, cx).unwrap();
    for ((target, seconds, link), number) in rows {
        let date = CaptureDate::from_seconds(*seconds);
        match link {
            None => shuffle.push_capture(&TargetCapture { target, date, id: *number }).unwrap(),
            Some((source, anchor)) => shuffle
                .push_link(&LinkRow {
                    target,
                    target_url: "",
                    source,
                    source_url: "",
                    source_id: *number,
                    date,
                    anchor,
                    internal: is_internal(target, source),
                    nofollow: false,
                    kind: LinkKind::Anchor,
                    position: 0,
                })
                .unwrap(),
        }
    }
    shuffle.finish().unwrap()
}

fn store_of(folder: &Path, pieces: &[&[PlainRow]]) -> LinkStore {
    let mut store = LinkStore::open_to_add(folder, StoreRules::default()).unwrap();
    for piece in pieces {
        store.add(&mut sorted(piece), MARK, &JobCx::detached()).unwrap();
    }
    store
}

fn segment_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "seg"));
    files.sort();
    files
}

/// Enough rows for many blocks and some leaves' worth of targets.
fn many(count: usize) -> Vec<PlainRow> {
    (0..count)
        .map(|n| {
            let target = format!("(pt,alvo{:04},)/pagina", n % 1777);
            let host = n * 7 % 13;
            let source = (n % 5 > 0).then(|| (format!("(pt,fonte{host},)/{}", n % 31), format!("texto {}", n % 3)));
            (target, (n as i64 * 37 % 4001) * 86_400, source)
        })
        .collect()
}

/// The rule written down plainly.
fn plainly(
    rows: &[PlainRow],
    target: &str,
    window: Option<Window>,
) -> (Vec<i64>, Vec<(i64, String, String)>, CitedCounts) {
    let fits = |seconds: i64| {
        window
            .is_none_or(|window| (seconds - window.around.seconds()).unsigned_abs() <= u64::from(window.days) * 86_400)
    };
    let of_target = || rows.iter().filter(|row| row.0 == target);
    let captures: BTreeSet<i64> = of_target().filter(|row| row.2.is_none()).map(|row| row.1).collect();
    let links: BTreeSet<(i64, String, String)> = of_target()
        .filter_map(|(_, seconds, link)| link.clone().map(|(source, anchor)| (*seconds, source, anchor)))
        .filter(|link| fits(link.0))
        .collect();
    let external = || links.iter().filter(|link| !is_internal(target, &link.1));
    let counts = CitedCounts {
        hosts: external().map(|link| host_of(&link.1)).collect::<HashSet<_>>().len() as u64,
        external: external().count() as u64,
        internal: (links.len() - external().count()) as u64,
    };
    (captures.into_iter().collect(), links.into_iter().collect(), counts)
}

fn check_page(store: &LinkStore, rows: &[PlainRow], target: &str, window: Option<Window>) {
    let (captures, links, counts) = plainly(rows, target, window);
    let answer = store.inlinks(target, window, usize::MAX).unwrap();
    let seconds = |dates: &[CaptureDate]| dates.iter().map(|date| date.seconds()).collect::<Vec<_>>();
    assert_eq!(seconds(&answer.captures), captures, "{target}");
    let got: Vec<(i64, String, String)> =
        answer.inlinks.into_iter().map(|link| (link.date.seconds(), link.source, link.anchor)).collect();
    assert_eq!(got, links, "{target} {window:?}");
    assert_eq!((answer.counts, answer.cut), (counts, 0), "{target} {window:?}");
}

fn some_rows() -> impl Strategy<Value = Vec<PlainRow>> {
    let key = || "\\((pt,a|pt,b|pt,b,c),(\\)/[xy]?)?";
    let row = (key(), 0..40_i64, proptest::option::of((key(), "[ab]?")));
    proptest::collection::vec(row, 0..120)
        .prop_map(|rows| rows.into_iter().map(|(target, day, link)| (target, day * 43_200, link)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn links_loaded_in_pieces_and_merged_are_those_loaded_at_once(
        rows in some_rows(), cuts in proptest::collection::vec(0..121_usize, 0..6)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (one, many) = (folder.path().join("one"), folder.path().join("many"));
        store_of(&one, &[&rows]);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows.len())).chain([0, rows.len()]).collect();
        cuts.sort_unstable();
        let pieces: Vec<&[PlainRow]> = cuts.windows(2).rev().map(|cut| &rows[cut[0]..cut[1]]).collect();
        let mut store = store_of(&many, &pieces);
        // Before and after merging the answers are the same.
        for merged in [false, true] {
            if merged {
                store.compact(&JobCx::detached()).unwrap();
            }
            for target in rows.iter().map(|row| &row.0) {
                for days in [0, 1, 7, 3650] {
                    let around = CaptureDate::from_seconds(10 * 86_400);
                    check_page(&store, &rows, target, Some(Window { around, days }));
                }
                check_page(&store, &rows, target, None);
            }
        }
        let bytes = |folder: &Path| segment_files(folder).iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>();
        prop_assert!(bytes(&one) == bytes(&many), "{} rows in {} pieces", rows.len(), pieces.len());
    }

    #[test]
    fn of_links_that_are_equal_but_for_their_captures_the_first_capture_stays(
        rows in some_rows(), numbers in proptest::collection::vec(1..9_u64, 120), cut in 0..121_usize
    ) {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<(PlainRow, u64)> = rows.into_iter().zip(numbers).collect();
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let cx = JobCx::detached();
        let mut pieces = store_of(&folder.path().join("pieces"), &[]);
        for piece in [second, first] {
            pieces.add(&mut sorted_of(piece, &cx), MARK, &cx).unwrap();
        }
        let mut least = BTreeMap::<&PlainRow, u64>::new();
        for (row, number) in &rows {
            least.entry(row).and_modify(|least| *least = (*least).min(*number)).or_insert(*number);
        }
        for target in rows.iter().map(|((target, ..), _)| target) {
            for link in pieces.inlinks(target, None, usize::MAX).unwrap().inlinks {
                let row = (target.clone(), link.date.seconds(), Some((link.source, link.anchor)));
                prop_assert_eq!(Some(&link.source_id), least.get(&row));
            }
        }
        pieces.compact(&cx).unwrap();
        let mut one = store_of(&folder.path().join("one"), &[]);
        one.fill(&mut sorted_of(&rows, &cx), MARK).unwrap();
        let bytes = |store: &LinkStore| segment_files(store.folder()).iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>();
        prop_assert!(bytes(&one) == bytes(&pieces));
    }

    #[test]
    fn pages_of_one_host_name_are_those_that_the_policy_takes_for_one_site(
        hosts in proptest::array::uniform2("(www[0-9]?\\.)?([ab]\\.){0,2}(a|b|pt|com\\.pt)\\.?|10\\.0\\.0\\.[12]|\\[::[12]\\]"),
        rests in proptest::array::uniform2("(:80|:81)?(/A?(\\?b=:\\(\\))?)?"),
        scheme in "https?"
    ) {
        let [one, other] = [0, 1].map(|n: usize| Url::parse(&format!("{scheme}://{}{}", hosts[n], rests[n])).unwrap());
        let same = host_of(PageKey::of(&one).as_str()) == host_of(PageKey::of(&other).as_str());
        prop_assert_eq!(same, InternalPolicy::Fqdn.is_internal(&Fqdn::of(&one), &Fqdn::of(&other)), "{} {}", one, other);
    }

    #[test]
    fn a_requested_window_is_the_window_at_build(rows in some_rows(), days in 0..20_u32, cap in 0..6_usize) {
        let folder = tempfile::tempdir().unwrap();
        let store = store_of(folder.path(), &[&rows[rows.len() / 3..], &rows[..rows.len() / 3]]);
        let options = AssignOptions { window_days: days, cap, shape: Shape::PerCapture, ..AssignOptions::default() };
        assign(sorted(&rows), &options, |object| {
            let window = Window { around: object.capture_date.unwrap(), days };
            let answer = store.inlinks(object.target, Some(window), cap).unwrap();
            let built: Vec<_> = object.inlinks().map(|link| (link.date, link.source, link.anchor, link.internal)).collect();
            let listed: Vec<_> = answer.inlinks.iter()
                .map(|link| (link.date, link.source.as_str(), link.anchor.as_str(), link.internal)).collect();
            assert_eq!((listed, answer.cut), (built, object.cut), "{} {window:?}", object.target);
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn counts_of_captures_are_those_of_their_windows(rows in some_rows(), days in 0..20_u32) {
        let folder = tempfile::tempdir().unwrap();
        let store = store_of(folder.path(), &[&rows[..rows.len() / 2], &rows[rows.len() / 2..]]);
        let mut expected = BTreeMap::new();
        for target in rows.iter().map(|row| &row.0).collect::<BTreeSet<_>>() {
            let mut got = Vec::new();
            store.counts_of_captures(target, days, |date, counts| got.push((date.seconds(), counts))).unwrap();
            let (captures, ..) = plainly(&rows, target, None);
            let window = |seconds| Window { around: CaptureDate::from_seconds(seconds), days };
            let expected_counts: Vec<(i64, CitedCounts)> =
                captures.iter().map(|&seconds| (seconds, plainly(&rows, target, Some(window(seconds))).2)).collect();
            prop_assert_eq!(&got, &expected_counts);
            for (seconds, counts) in expected_counts {
                if counts.external + counts.internal > 0 {
                    expected.insert((std::cmp::Reverse(counts), target.clone(), seconds), ());
                }
            }
        }
        for limit in [0, 1, 3, 1000] {
            let got: Vec<_> = store.most_cited(days, limit, &JobCx::detached()).unwrap().into_iter()
                .map(|cited| (std::cmp::Reverse(cited.counts()), cited.target.clone(), cited.date.seconds())).collect();
            let first: Vec<_> = expected.keys().take(limit as usize).cloned().collect();
            prop_assert_eq!(got, first);
        }
    }
}

/// Compares a pass with a query for each.
fn check_counts(store: &LinkStore, captures: &[(String, i64)], days: u32, cap: usize) {
    let options = ShuffleOptions { memory_bytes: 1 << 16, threads: 1, ..ShuffleOptions::default() };
    let mut counting = Counting::new(&options, &JobCx::detached()).unwrap();
    for (id, (target, seconds)) in captures.iter().enumerate() {
        counting.push(target, CaptureDate::from_seconds(*seconds), id as u64).unwrap();
    }
    let (mut pages, mut given) = (Vec::new(), BTreeSet::new());
    let totals = store
        .count_windows(counting, days, cap, &JobCx::detached(), |counted| -> Result<(), LinkError> {
            match counted {
                Counted::Capture { id, counts, cut, top_anchor } => {
                    let (target, seconds) = &captures[id as usize];
                    let window = Window { around: CaptureDate::from_seconds(*seconds), days };
                    let answer = store.inlinks(target, Some(window), cap).unwrap();
                    assert_eq!((counts, cut), (answer.counts, answer.cut), "{target} {window:?}");
                    assert_eq!(top_anchor, store.top_anchor(target, Some(window)).unwrap(), "{target} {window:?}");
                    assert!(given.insert(id), "{id} came twice");
                }
                Counted::Uncaptured { page, top_anchor, .. } => {
                    assert_eq!(top_anchor, store.top_anchor(&page.target, None).unwrap());
                    pages.push(page.clone());
                }
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(given.len(), captures.len());
    let mut expected = CountTotals::default();
    let mut uncaptured = Vec::new();
    store
        .each_target("", &JobCx::detached(), |page| {
            let is_linked = page.counts.internal + page.counts.external > 0;
            expected.internal += page.counts.internal;
            expected.external += page.counts.external;
            expected.targets += u64::from(is_linked);
            if is_linked && captures.iter().all(|(target, _)| *target != page.target) {
                expected.uncaptured += 1;
                uncaptured.push(page.clone());
            }
            Ok(true)
        })
        .unwrap();
    (expected.captures_with_inlinks, expected.cut) = (totals.captures_with_inlinks, totals.cut);
    assert_eq!((pages, totals), (uncaptured, expected));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn one_pass_counts_what_questions_answer(
        rows in some_rows(), days in 0..20_u32, cap in 0..6_usize, cut in 0..121_usize,
        others in proptest::collection::vec(("\\((pt,a|pt,b|pt,b,c),(\\)/[xyz]?)?", 0..40_i64), 0..12)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let store = store_of(folder.path(), &[first, second]);
        // Some of the captures of the store, some of one instant, some of pages that nothing links to.
        let mut captures: Vec<(String, i64)> =
            others.into_iter().map(|(target, half_day)| (target, half_day * 43_200 + half_day % 2)).collect();
        captures.extend(rows.iter().filter(|row| row.2.is_none()).map(|row| (row.0.clone(), row.1)));
        check_counts(&store, &captures, days, cap);
        check_counts(&store, &[], days, cap);
    }
}

#[test]
fn one_pass_counts_windows_to_the_second_and_captures_of_one_instant() {
    let folder = tempfile::tempdir().unwrap();
    let target = "(pt,alvo,".to_owned();
    let link = |seconds: i64, anchor: &str| {
        (target.clone(), seconds, Some((format!("(pt,b{},", seconds % 7), anchor.to_owned())))
    };
    let day = 86_400;
    let rows = [link(0, "a"), link(1, "b"), link(2 * day, "c"), link(2 * day + 1, "c"), link(9 * day, "a")];
    let store = store_of(folder.path(), &[&rows]);
    let captures: Vec<(String, i64)> =
        [day, day, day + 1, 5 * day, 20 * day].iter().map(|&seconds| (target.clone(), seconds)).collect();
    check_counts(&store, &captures, 1, 2);
    let rows = many(60_000);
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(folder.path(), &[&rows[..40_000], &rows[40_000..]]);
    let captures: Vec<(String, i64)> =
        rows.iter().filter(|row| row.2.is_none()).step_by(9).map(|row| (row.0.clone(), row.1 + 3)).collect();
    check_counts(&store, &captures, 300, 3);
    let stopped = JobCx::detached();
    stopped.cancel();
    let counting = Counting::new(&ShuffleOptions::default(), &stopped).unwrap();
    let error = store.count_windows(counting, 1, 1, &stopped, |_| Ok::<(), LinkError>(())).unwrap_err();
    assert!(matches!(error, LinkError::Cancelled(_)));
}

#[test]
fn any_page_of_many_blocks_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let rows = many(60_000);
    let mut store = store_of(folder.path(), &[&rows[..40_000], &rows[40_000..55_000], &rows[55_000..]]);
    let fine = |store: &LinkStore| {
        for n in (0..1777).step_by(97) {
            let target = format!("(pt,alvo{n:04},)/pagina");
            check_page(store, &rows, &target, None);
            let around = CaptureDate::from_seconds(2000 * 86_400);
            check_page(store, &rows, &target, Some(Window { around, days: 300 }));
        }
        for nobody in ["", "(pt,alvo0000,)/pagin", "(pt,alvo0000,)/paginas", "(zz,"] {
            check_page(store, &rows, nobody, None);
        }
    };
    fine(&store);
    store.compact(&JobCx::detached()).unwrap();
    fine(&store);
    assert_eq!((store.segments(), segment_files(folder.path()).len()), (1, 1));
    drop(store);
    fine(&LinkStore::open(folder.path()).unwrap());
}

#[test]
fn many_small_additions_leave_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    let rows = many(3_000);
    let pieces: Vec<&[PlainRow]> = rows.chunks(50).collect();
    let store = store_of(folder.path(), &pieces);
    assert!(store.segments() <= 8, "{} segments", store.segments());
    assert_eq!(segment_files(folder.path()).len(), store.segments());
    check_page(&store, &rows, "(pt,alvo0001,)/pagina", None);
}

#[test]
fn the_cap_cuts_each_side_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<PlainRow> = (0..30)
        .map(|n| {
            let host = if n % 3 == 0 { "alvo" } else { "outro" };
            ("(pt,alvo,".to_owned(), n, Some((format!("(pt,{host},)/{n}"), "texto".to_owned())))
        })
        .collect();
    let store = store_of(folder.path(), &[&rows]);
    let answer = store.inlinks("(pt,alvo,", None, 4).unwrap();
    assert_eq!((answer.inlinks.len(), answer.cut), (8, 22));
    assert_eq!(answer.counts, CitedCounts { hosts: 1, external: 20, internal: 10 });
    assert!(answer.inlinks.is_sorted_by_key(|link| link.date));
}

#[test]
fn pages_never_captured_and_anchors_come_by_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let link = |target: &str, seconds, source: &str, anchor: &str| {
        (target.to_owned(), seconds, Some((source.to_owned(), anchor.to_owned())))
    };
    let rows = [
        ("(pt,a,".to_owned(), 5, None),
        link("(pt,a,", 1, "(pt,b,)/1", "Arquivo"),
        link("(pt,c,", 1, "(pt,b,)/1", "Arquivo"),
        link("(pt,c,", 2, "(pt,d,)/1", "C"),
        link("(pt,c,", 3, "(pt,c,)/1", "Início"),
        link("(pt,c,)/x", 3, "(pt,b,)/1", ""),
        link("(pt,cc,", 9, "(pt,b,)/1", "Arquivo"),
        link("(pt,cc,", 9, "(pt,b,)/2", "C"),
    ];
    let store = store_of(folder.path(), &[&rows[..3], &rows[3..]]);
    let cx = JobCx::detached();
    let uncaptured = |prefix: &str, limit| -> Vec<(String, u64, u64)> {
        let cited = store.uncaptured(prefix, limit, &cx).unwrap().0.into_iter();
        cited.map(|cited| (cited.target, cited.counts.hosts, cited.counts.external)).collect()
    };
    let (c, cc, x) = (("(pt,c,".into(), 2, 2), ("(pt,cc,".into(), 1, 2), ("(pt,c,)/x".into(), 1, 1));
    assert_eq!(uncaptured("", 10), [c.clone(), cc.clone(), x.clone()]);
    assert_eq!(uncaptured("", 1), std::slice::from_ref(&c));
    assert_eq!(uncaptured("(pt,c,", 10), [c, x]);
    let options = ShuffleOptions { memory_bytes: 1 << 16, threads: 1, ..ShuffleOptions::default() };
    let anchors: Vec<(String, u64, u64)> = store
        .top_anchors(2, &options, &cx)
        .unwrap()
        .into_iter()
        .map(|count| (count.text, count.hosts, count.links))
        .collect();
    assert_eq!(anchors, [("C".into(), 2, 2), ("Arquivo".into(), 1, 3)]);
    assert_eq!(store.top_anchor("(pt,c,", None).unwrap(), "Arquivo");
    let mut targets = Vec::new();
    store
        .each_target("(pt,c", &cx, |cited| {
            targets.push(cited.target.clone());
            Ok(targets.len() < 2)
        })
        .unwrap();
    assert_eq!(targets, ["(pt,c,", "(pt,c,)/x"]);
}

// ---- what may go wrong

#[test]
fn damage_is_named_with_file_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    store_of(folder.path(), &[&many(20_000)]);
    let path = &segment_files(folder.path())[0];
    let whole = std::fs::read(path).unwrap();
    let all = |folder: &Path| -> Result<u64, LinkError> {
        let mut pages = 0;
        LinkStore::open(folder)?.each_target("", &JobCx::detached(), |_| {
            pages += 1;
            Ok(true)
        })?;
        Ok(pages)
    };
    assert_eq!(all(folder.path()).unwrap(), 1777);
    let error_of = |bytes: &[u8]| {
        std::fs::write(path, bytes).unwrap();
        let error = match all(folder.path()) {
            // The lists of places are read only to find a page.
            Ok(_) => (0..1777)
                .map(|n| LinkStore::open(folder.path()).unwrap().captures(&format!("(pt,alvo{n:04},)/pagina")))
                .find_map(Result::err),
            Err(error) => Some(error),
        };
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    for place in (0..whole.len()).step_by(whole.len() / 97) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        let message = error_of(&damaged);
        assert!(message.contains("links-000001.seg"), "byte {place}: {message}");
        assert!(message.contains("offset ") || place < 16 || place + 8 > whole.len(), "byte {place}: {message}");
    }
    for len in [0, 15, 100, whole.len() / 2, whole.len() - 1] {
        let message = error_of(&whole[..len]);
        assert!(message.contains("links-000001.seg"), "{len} bytes: {message}");
    }
    std::fs::remove_file(path).unwrap();
    assert!(all(folder.path()).unwrap_err().to_string().contains("links-000001.seg"));
}

#[test]
fn what_was_not_finished_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let rows = many(2_000);
    let store = store_of(folder.path(), &[&rows[..1000]]);
    let before = store.counts();
    let mut more = sorted(&rows[1000..]);
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    let there = files(folder.path());
    // A kill while a segment was written, and one between a merge and its clean-up.
    for name in ["links-000007.seg.open", "links-000009.seg"] {
        std::fs::write(folder.path().join(name), "half a segment").unwrap();
    }
    assert!(LinkStore::open_to_add(folder.path(), StoreRules::default()).is_err(), "two at once");
    drop(store);
    let mut store = LinkStore::open_to_add(folder.path(), StoreRules::default()).unwrap();
    assert_eq!((store.counts(), files(folder.path())), (before, there));
    store.add(&mut more, MARK, &JobCx::detached()).unwrap();
    check_page(&store, &rows, "(pt,alvo0003,)/pagina", None);
    let mut reader = LinkStore::open(folder.path()).unwrap();
    assert!(reader.compact(&JobCx::detached()).is_err());
    // Without their list segments are nobody's to remove.
    drop(store);
    std::fs::remove_file(folder.path().join("links.json")).unwrap();
    let there = segment_files(folder.path());
    let lost = LinkStore::open_to_add(folder.path(), StoreRules::default()).map(|_| ()).unwrap_err();
    assert!(lost.is_damage() && lost.to_string().contains("links.json"), "{lost}");
    assert_eq!(segment_files(folder.path()), there);
}

#[test]
fn an_addition_that_is_stopped_adds_nothing_and_a_merge_that_is_stopped_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows = many(30_000);
    let mut store = store_of(folder.path(), &[&rows[..10_000]]);
    let (before, there) = (store.counts(), segment_files(folder.path()));
    // In the middle of a segment.
    let writing = JobCx::detached();
    let mut more = sorted_with(&rows[10_000..20_000], &writing);
    writing.cancel();
    let error = store.add(&mut more, MARK, &JobCx::detached()).unwrap_err();
    assert!(matches!(error, LinkError::Cancelled(_)), "{error}");
    assert_eq!((store.counts(), segment_files(folder.path())), (before, there));
    assert!(!folder.path().join("links-000002.seg.open").exists());
    // In the middle of the merge that follows: what was added is there.
    let merging = JobCx::detached();
    merging.cancel();
    let added = store.add(&mut sorted(&rows[10_000..20_000]), MARK, &merging).unwrap();
    assert_eq!((added.unmerged, added.segments, segment_files(folder.path()).len()), (true, 2, 2));
    check_page(&store, &rows[..20_000], "(pt,alvo0003,)/pagina", None);
    assert!(matches!(store.compact(&merging), Err(LinkError::Cancelled(_))));
    drop(store);
    // The next addition makes up for it.
    let mut store = LinkStore::open_to_add(folder.path(), StoreRules::default()).unwrap();
    assert_eq!(store.segments(), 2);
    let added = store.add(&mut sorted(&rows[20_000..]), MARK, &JobCx::detached()).unwrap();
    assert_eq!((added.unmerged, added.segments), (false, 1));
    check_page(&store, &rows, "(pt,alvo0003,)/pagina", None);
}

#[test]
fn a_new_build_replaces_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows = many(20_000);
    let mut store = store_of(folder.path(), &[&rows[..10_000], &rows[10_000..10_100]]);
    assert_eq!((store.segments(), store.mark()), (2, MARK));
    let there = segment_files(folder.path());
    let newer = Mark { captures_up_to: 9, ..MARK };
    let stopped = JobCx::detached();
    let mut more = sorted_with(&rows[10_000..], &stopped);
    stopped.cancel();
    assert!(matches!(store.fill(&mut more, newer), Err(LinkError::Cancelled(_))));
    assert_eq!((segment_files(folder.path()), LinkStore::open(folder.path()).unwrap().mark()), (there, MARK));
    store.fill(&mut sorted(&rows[10_000..]), newer).unwrap();
    assert_eq!(segment_files(folder.path()).len(), 1);
    drop(store);
    let mut store = LinkStore::open_to_add(folder.path(), StoreRules::default()).unwrap();
    assert_eq!(store.mark(), newer);
    check_page(&store, &rows[10_000..], "(pt,alvo0003,)/pagina", None);
    let edition = store.edition();
    store.fill(&mut sorted(&[]), MARK).unwrap();
    assert!(store.edition() > edition);
    assert_eq!((store.segments(), store.mark(), segment_files(folder.path()).len()), (0, MARK, 0));
}

#[test]
fn folders_of_other_things_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let error = LinkStore::open(folder.path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("links.json"), "{error}");
    std::fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let error = LinkStore::open_to_add(folder.path(), StoreRules::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("other files"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::write(folder.path().join("links.json"), "{}").unwrap();
    assert!(LinkStore::open(folder.path()).is_err());
    let other = tempfile::tempdir().unwrap();
    // A first load that was killed is no obstacle.
    std::fs::write(other.path().join("links-000001.seg.open"), "half").unwrap();
    drop(LinkStore::open_to_add(other.path(), StoreRules::default()).unwrap());
    std::fs::write(other.path().join("links-000001.seg"), "whole, and not listed").unwrap();
    store_of(other.path(), &[&many(10)]);
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 3);
    let rules = StoreRules { notation: Notation::Cdx, ..StoreRules::default() };
    let error = LinkStore::open_to_add(other.path(), rules).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("another folder"), "{error}");
    // Where the list was there once, its loss is reported.
    std::fs::remove_file(other.path().join("links.json")).unwrap();
    let error = LinkStore::open_to_add(other.path(), StoreRules::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is gone"), "{error}");
}

#[test]
fn a_store_of_no_links_is_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let report = load_texts(folder.path(), &[b"\n"], &LoadOptions::default()).unwrap();
    assert_eq!(report.added, Added::default());
    let store = LinkStore::open(folder.path()).unwrap();
    check_page(&store, &[], "(pt,a,", None);
    assert_eq!(store.most_cited(90, 10, &JobCx::detached()).unwrap(), []);
}

// ---- lines

fn load_texts(folder: &Path, texts: &[&[u8]], options: &LoadOptions) -> Result<LoadReport, LinkError> {
    let input = |(number, text): (usize, &&'static [u8])| -> LoadInput<'static> {
        LoadInput { name: format!("file {number}"), input: Box::new(*text) }
    };
    // Tests leak their few lines so that they can be lent to readers.
    let texts: Vec<&'static [u8]> = texts.iter().map(|text| &*text.to_vec().leak()).collect();
    load(folder, texts.iter().enumerate().map(input).collect(), options, &JobCx::detached())
}

fn rows_of(store: &LinkStore) -> Vec<String> {
    let mut rows = Vec::new();
    store
        .each_target("", &JobCx::detached(), |cited| {
            let answer = store.inlinks(&cited.target, None, usize::MAX).unwrap();
            rows.extend(answer.captures.iter().map(|date| format!("{} {}", cited.target, date.to_dataset())));
            rows.extend(answer.inlinks.iter().map(|link| {
                let side = if link.internal { "internal" } else { "external" };
                format!("{} {} {} {side} “{}”", cited.target, link.date.to_dataset(), link.source, link.anchor)
            }));
            Ok(true)
        })
        .unwrap();
    rows
}

const OBJECTS: &str = concat!(
    r#"{"url":"(pt,fct,","count":3,"countInternal":1,"countExternal":2,"captureDate":"2024-03-01T09:00","inlinks":["#,
    r#"{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"Fundação \"C\""},"#,
    r#"{"source":"(pt,fct,)/sobre","anchor":null,"date":"2024-03-01T10:00:01Z"}]}"#,
    "\n",
    r#"  {"inlinks":[{"date":null,"source":"(pt,x,","anchor":"a"}],"captureDate":null,"url":"(pt,nunca,","count":1}"#,
    "\nnonsense\n{\"url\":7}\r\n\n",
    r#"{"url":"(pt,nunca,","count":1,"countInternal":0,"countExternal":1,"inlinks":[{"date":"20240301100000","source":"(pt,www2,fct,","anchor":""}]}"#
);

#[test]
fn objects_of_both_kinds_of_dates_are_read_from_any_packing() {
    let folder = tempfile::tempdir().unwrap();
    let zstd = |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let (half, rest) = OBJECTS.as_bytes().split_at(70);
    let packed = [
        OBJECTS.as_bytes().to_vec(),
        [gzip(half), gzip(rest)].concat(),
        [zstd(half), b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(rest)].concat(),
    ];
    for (number, bytes) in packed.iter().enumerate() {
        let folder = folder.path().join(number.to_string());
        let report = load_texts(&folder, &[bytes], &LoadOptions::default()).unwrap();
        assert_eq!((report.objects, report.unlisted, report.undated, report.bad_lines), (3, 1, 1, 2));
        assert!(report.first_bad.unwrap().starts_with("file 0, line 3: "));
        assert_eq!(
            rows_of(&LinkStore::open(&folder).unwrap()),
            [
                "(pt,fct, 2024-03-01T09:00:00",
                "(pt,fct, 2024-03-01T10:00:00 (pt,fccn, external “Fundação \"C\"”",
                "(pt,fct, 2024-03-01T10:00:01 (pt,fct,)/sobre internal “”",
                "(pt,nunca, 2024-03-01T10:00:00 (pt,www2,fct, external “”",
            ]
        );
    }
    // A file that breaks off adds nothing.
    let again = folder.path().join("0");
    let before = LinkStore::open(&again).unwrap().counts();
    let torn = &packed[1][..packed[1].len() - 12];
    let error = load_texts(&again, &[torn], &LoadOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("file 0"), "{error}");
    assert_eq!(LinkStore::open(&again).unwrap().counts(), before);
}

#[test]
fn rows_of_the_filters_are_loaded_and_the_notation_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let rows = b"pt,fct)/\t20240301090000\npt,fct)/\t20240301100000\tpt,fccn)/\texternal\tFCT\n";
    let report = load_texts(folder.path(), &[rows], &LoadOptions::default()).unwrap();
    assert_eq!((report.added.counts.links, report.added.counts.captures, report.bad_lines), (1, 1, 0));
    let store = LinkStore::open(folder.path()).unwrap();
    assert_eq!(store.rules().notation, Notation::Cdx);
    let report = load_texts(folder.path(), &[OBJECTS.as_bytes(), rows], &LoadOptions::default()).unwrap();
    assert_eq!((report.bad_lines, report.shuffle.links), (5, 1));
    assert!(report.first_bad.unwrap().contains("other notation"));
    assert_eq!(rows_of(&LinkStore::open(folder.path()).unwrap()), rows_of(&store));
    let options = LoadOptions { notation: Some(Notation::Dataset), ..LoadOptions::default() };
    assert!(load_texts(folder.path(), &[rows], &options).is_err());
    let built = folder.path().join("built");
    let page = StoreRules { notation: Notation::Page, ..StoreRules::default() };
    let mut store = LinkStore::open_to_add(&built, page).unwrap();
    store.add(&mut sorted(&[]), MARK, &JobCx::detached()).unwrap();
    drop(store);
    let error = load_texts(&built, &[rows], &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("another folder"), "{error}");
}

#[test]
fn rows_of_a_real_crawl_answer_as_the_data_set_built_of_them() {
    let Some(file) = testing::data("warc/real/blackbook.warc.gz") else { return };
    let cx = JobCx::detached();
    let options = DatasetOptions {
        assign: AssignOptions { shape: Shape::PerCapture, window_days: 1, ..AssignOptions::default() },
        ..DatasetOptions::default()
    };
    let fetch = |place: crate::captures::Place| crate::warc::read_record_at(&file, place.offset, MAX_PAGE_BYTES);
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    let files = [file.clone()];
    map_files(
        &files,
        &options,
        &cx,
        |_, _| (),
        fetch,
        |piece| {
            rows.extend_from_slice(&piece);
            Ok(())
        },
    )
    .unwrap();
    let columns = crate::inlinks::filters::RowColumns::Map;
    reduce_rows(rows.as_slice(), columns, &options, &cx, |piece| {
        lines.extend_from_slice(piece);
        Ok(())
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let report = load_texts(folder.path(), &[&rows[..]], &LoadOptions::default()).unwrap();
    assert!(report.bad_lines == 0 && report.added.counts.links > 1000, "{report:?}");
    let store = LinkStore::open(folder.path()).unwrap();
    let mut objects = 0;
    for object in read_dataset(lines.as_slice()).map(Result::unwrap) {
        let window = Window { around: object.capture_date.unwrap(), days: 1 };
        let answer = store.inlinks(&object.url, Some(window), 1000).unwrap();
        let listed: Vec<_> =
            answer.inlinks.into_iter().map(|link| (Some(link.date), link.source, link.anchor)).collect();
        let built: Vec<_> = object.inlinks.into_iter().map(|link| (link.date, link.source, link.anchor)).collect();
        assert!(listed == built, "{}", object.url);
        objects += 1;
    }
    assert!(objects > 90, "{objects}");
    // The data set of them, loaded in its turn, knows the same links.
    let all = DatasetOptions {
        assign: AssignOptions { window_days: u32::MAX, cap: usize::MAX, ..AssignOptions::default() },
        ..options
    };
    let mut lines = Vec::new();
    reduce_rows(rows.as_slice(), columns, &all, &cx, |piece| {
        lines.extend_from_slice(piece);
        Ok(())
    })
    .unwrap();
    let again = tempfile::tempdir().unwrap();
    let links = load_texts(again.path(), &[&lines[..]], &LoadOptions::default()).unwrap().added.counts;
    assert_eq!((links.links, links.internal), (report.added.counts.links, report.added.counts.internal));
}

#[test]
fn pages_are_named_by_url_or_by_a_key_in_either_notation() {
    let folder = tempfile::tempdir().unwrap();
    for (name, notation, expected) in [
        ("d", Notation::Dataset, ["(pt,fct,", "(pt,fct,)/sobre", "(pt,fct,:8080)/x", "(pt,fct,"]),
        ("c", Notation::Cdx, ["pt,fct)/", "pt,fct)/sobre", "pt,fct:8080)/x", "pt,fct)/"]),
        ("p", Notation::Page, ["pt,fct)/", "pt,fct)/sobre", "pt,fct:8080)/x", "pt,fct)/"]),
    ] {
        let rules = StoreRules { notation, ..StoreRules::default() };
        let store = LinkStore::open_to_add(&folder.path().join(name), rules).unwrap();
        let keys = |texts: [&str; 4]| texts.map(|text| store.key_of(text).unwrap());
        let expected = expected.map(str::to_owned);
        assert_eq!(keys(["http://www.fct.pt/", "https://fct.pt/sobre", "fct.pt:8080/x", "fct.pt"]), expected);
        assert_eq!(keys(["(pt,fct,", "(pt,fct,)/sobre", "(pt,fct,:8080)/x", "(pt,fct,"]), expected);
        assert_eq!(keys(["pt,fct)/", "pt,fct)/sobre", "pt,fct:8080)/x", "pt,fct)/"]), expected);
    }
}

#[test]
fn hosts_are_read_from_keys() {
    for key in
        ["(pt,fct,", "(pt,fct,)/a", "(pt,fct,:8080)/a", "pt,fct)/a", "pt,fct:80)/", "ftp://(pt,fct,)/a", "(pt,fct,@u)/"]
    {
        assert_eq!(host_of(key), "pt,fct", "{key}");
    }
    assert_eq!(host_of("([::1],:80)/a"), "[::1]");
    assert_eq!(host_of("[::1]:80)/a"), "[::1]");
    let url = |text: &str| crate::uri::parse_web_url(text).unwrap();
    let host = |text: &str| host_of(&Notation::Cdx.key(&url(text))).to_owned();
    assert_ne!(host("http://[2001:db8::1]/a"), host("http://[2001:db8::2]/a"));
    assert_eq!(host("http://[2001:db8::1]/a"), host("http://[2001:db8::1]/b:c"));
    assert_eq!(host("http://fct.pt:8080/a:b:c"), "pt,fct");
    assert_eq!(host_of(""), "");
}
