//! Inlinks of small workspaces are built, counted and queried.

use super::*;
use crate::captures::{CaptureEntry, CaptureNotes, RecordPlace, Unread};
use crate::inlinks::MAX_INLINKS_PER_SIDE;
use crate::links::{LinkKind, Outlink, PagePlace};
use crate::warc::{RecordType, Span};
use crate::work::Report;
use crate::work::Session;
use crate::work::models::{
    CaptureId, CaptureQuery, CaptureRow, HostColumn, LaunchId, LinkForm, captures_of_host, captures_of_page,
};
use std::sync::Arc;

const DAY: i64 = 86_400_000;

/// A page captured at some millisecond, and its links with their texts.
type TestPage<'a> = (&'a str, i64, Vec<(&'a str, &'a str)>);

struct LinkFixture {
    _dir: tempfile::TempDir,
    session: Arc<Session>,
    launch: LaunchId,
    records: u64,
}

impl LinkFixture {
    fn new(captures: &[TestPage<'_>]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let campaign = crate::campaign::Campaign::new("Town");
        let campaign = workspace.catalogue().save_campaign(None, &campaign).unwrap();
        let launch = workspace.catalogue().begin_launch(campaign, "town", CaptureDate::now()).unwrap().id;
        let mut made = Self { _dir: dir, session: Arc::new(Session::new(workspace)), launch, records: 0 };
        made.add(captures);
        made
    }

    fn add(&mut self, captures: &[TestPage<'_>]) {
        let entries = captures.iter().map(|(url, millis, links)| self.entry(url, *millis, links)).collect();
        self.session.catalogue().add_captures(self.launch, entries).unwrap();
    }

    fn entry(&mut self, url: &str, millis: i64, links: &[(&str, &str)]) -> CaptureEntry {
        self.records += 10;
        let outlinks = links.iter().enumerate().map(|(position, (target, anchor))| Outlink {
            anchor: (*anchor).to_owned(),
            position: position as u32,
            nofollow: position % 3 == 1,
            ..Outlink::bare(Url::parse(target).unwrap(), LinkKind::Anchor)
        });
        CaptureEntry {
            notes: CaptureNotes {
                status: 200,
                mime: "text/html".to_owned(),
                outlinks: outlinks.collect(),
                ..CaptureNotes::default()
            },
            payload_digest: format!("sha1:{}", self.records),
            records: vec![RecordPlace {
                record_type: RecordType::Response,
                record_id: format!("urn:uuid:{}", self.records),
                file: "output/warcs/town/1/a.warc.gz".to_owned(),
                span: Span { offset: self.records, length: 10 },
            }],
            ..CaptureEntry::bare(Url::parse(url).unwrap(), CaptureDate::from_millis(millis))
        }
    }

    fn build(&self) -> InlinkReport {
        build_inlinks(&self.session.workspace, false, &JobCx::detached()).unwrap()
    }

    fn build_again(&self) -> InlinkReport {
        build_inlinks(&self.session.workspace, true, &JobCx::detached()).unwrap()
    }

    /// All that is shown of inlinks.
    fn shown(&self) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for row in self.rows() {
            for days in [0, 90, 3650] {
                shown.push(format!("{:?}", self.session.workspace.inlinks_of_capture(row.id, days).unwrap()));
                shown.push(format!("{:?}", self.session.anchors(row.id, days).unwrap()));
            }
            shown.push(format!("{row:?}"));
        }
        shown.push(format!(
            "{:?}",
            self.session.catalogue().prospects(&crate::store::rows::ProspectQuery::new(None, "", 0, 1000)).unwrap()
        ));
        shown.push(format!("{:?}", self.session.top_anchors(1000).unwrap()));
        shown
    }

    fn segments(&self) -> Vec<Vec<u8>> {
        let mut files: Vec<_> = std::fs::read_dir(self.session.workspace.built_folder())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "seg"));
        files.sort();
        files.iter().map(|path| std::fs::read(path).unwrap()).collect()
    }

    fn rows(&self) -> Vec<CaptureRow> {
        self.session.catalogue().captures(&CaptureQuery { limit: 10_000, ..crate::work::everything() }).unwrap().rows
    }

    fn id_of(&self, url: &str) -> CaptureId {
        self.rows().iter().find(|row| row.url == url).unwrap().id
    }
}

#[test]
fn links_of_one_second_are_one_and_the_report_counts_what_is_kept() {
    let page = "http://a.pt/p";
    let link = || vec![(page, "P")];
    let archive = LinkFixture::new(&[
        (page, 5 * DAY, vec![]),
        ("http://b.pt/", 5 * DAY + 200, link()),
        ("http://b.pt/", 5 * DAY + 700, link()),
        ("http://b.pt/", 5 * DAY + 1_200, link()),
    ]);
    let report = archive.build();
    assert_eq!((report.links_seen, report.inlinks, report.duplicates), (3, 2, 1));
    let shown = archive.session.workspace.inlinks_of_capture(archive.id_of(page), 90).unwrap();
    assert_eq!((shown.rows.len() as u64, shown.external), (report.inlinks, report.external));
}

#[test]
fn inlinks_show_their_place_and_their_rel() {
    let page = "http://a.pt/p";
    let mut archive = LinkFixture::new(&[(page, 50 * DAY, vec![])]);
    let mut entry_of = |url: &str, day: i64, links: &[(&str, &str, Option<PagePlace>)]| {
        let pairs: Vec<(&str, &str)> = links.iter().map(|(anchor, ..)| (page, *anchor)).collect();
        let mut entry = archive.entry(url, day * DAY, &pairs);
        for (link, (_, rel, place)) in entry.notes.outlinks.iter_mut().zip(links) {
            (link.rel, link.place) = ((*rel).replace("robots", ""), *place);
            link.nofollow = rel.contains("nofollow") || rel.contains("robots");
        }
        entry.payload_digest = format!("sha1:{url}");
        entry
    };
    let (main, nav, footer) = (Some(PagePlace::Main), Some(PagePlace::Nav), Some(PagePlace::Footer));
    let c = [("P", "nofollow", footer), ("P", "", main), ("Q", "nofollow ugc", footer)];
    let entries = vec![
        entry_of("http://b.pt/", 50, &[("P", "", nav), ("P", "", main)]),
        entry_of("http://c.pt/", 50, &c),
        CaptureEntry { revisit_of: Some(CaptureDate::from_millis(50 * DAY)), ..entry_of("http://c.pt/", 51, &[]) },
        entry_of("http://d.pt/", 50, &[("P", "robots", None)]),
    ];
    archive.session.catalogue().add_captures(archive.launch, entries).unwrap();
    archive.build();
    let inlinks = |days: u32| {
        let rows = archive.session.workspace.inlinks_of_capture(archive.id_of(page), days).unwrap().rows;
        let line = |row: crate::work::models::InlinkRow| {
            let (place, rel) = (row.place.unwrap_or_default(), row.rel);
            format!("{} {} {:?} {place} {rel} {}", row.source, row.anchor, row.position, row.nofollow)
        };
        rows.into_iter().map(line).collect::<Vec<_>>()
    };
    // Of equal links the first that is followed.
    let expected = [
        "http://b.pt/ P Some(0) nav  false",
        "http://c.pt/ P Some(1) main  false",
        "http://c.pt/ Q Some(2) footer nofollow ugc true",
        "http://d.pt/ P Some(0)   true",
        "http://c.pt/ P Some(1) main  false",
        "http://c.pt/ Q Some(2) footer nofollow ugc true",
    ];
    assert_eq!(inlinks(90), expected);
    assert_eq!(archive.session.inlinks_of(page, 90).unwrap().rows[2].rel, "nofollow ugc");
    // The store has it too, for readers without a catalogue.
    let store = archive.session.workspace.built_links().unwrap().unwrap();
    let stored = store.inlinks("pt,a)/p", None, 100).unwrap().inlinks;
    assert_eq!(stored.iter().map(|link| link.nofollow).collect::<Vec<_>>(), [false, false, true, true, false, true]);
}

#[test]
fn links_of_other_years_keep_none_of_the_window_out() {
    let page = "http://a.pt/p";
    let old = MAX_INLINKS_PER_SIDE + 5;
    let names: Vec<String> = (0..old + 50).map(|n| format!("http://h{n}.pt/")).collect();
    let mut captures: Vec<TestPage<'_>> = vec![(page, 15 * 365 * DAY, vec![])];
    for (n, name) in names.iter().enumerate() {
        let day = if n < old { n as i64 % 300 } else { 15 * 365 };
        captures.push((name, day * DAY, vec![(page, "P")]));
    }
    let archive = LinkFixture::new(&captures);
    archive.build();
    let id = archive.id_of(page);
    let shown = archive.session.workspace.inlinks_of_capture(id, 90).unwrap();
    assert_eq!((shown.external, shown.cut, shown.outside_cut), (50, 0, 5));
    assert_eq!(shown.rows.iter().filter(|row| row.in_window).count(), 50);
    assert_eq!(shown.rows.len(), 50 + MAX_INLINKS_PER_SIDE);
    assert_eq!(
        archive
            .session
            .workspace
            .exported_capture(id, 90, &crate::store::LinkingPages::default())
            .unwrap()
            .inlinks
            .unwrap()
            .len(),
        50
    );
}

#[test]
fn a_build_reports_what_the_cap_cut_and_which_pages_were_not_read_whole() {
    let page = "http://a.pt/p";
    let names: Vec<String> = (0..MAX_INLINKS_PER_SIDE + 7).map(|n| format!("http://h{n}.pt/")).collect();
    let mut captures: Vec<TestPage<'_>> = names.iter().map(|name| (name.as_str(), DAY, vec![(page, "P")])).collect();
    captures.push((page, DAY, vec![]));
    let mut archive = LinkFixture::new(&captures);
    let report = archive.build();
    assert_eq!((report.cut, report.unread, report.unread_reasons.len()), (7, 0, 0));
    assert!(report.summary().ends_with("; 7 inlinks omitted by the limit of 1000 per capture"), "{}", report.summary());
    let reasons = [Unread::TooLong, Unread::Malformed, Unread::TooLong, Unread::Letters];
    let entries = reasons.iter().zip(0..).map(|(why, n)| {
        let entry = archive.entry(&format!("http://u{n}.pt/"), DAY, &[(page, "P")]);
        CaptureEntry { notes: CaptureNotes { unread: Some(*why), ..entry.notes }, ..entry }
    });
    let entries = entries.collect();
    archive.session.catalogue().add_captures(archive.launch, entries).unwrap();
    let report = archive.build();
    assert_eq!((report.cut, report.unread), (11, 3));
    let summary = report.summary();
    for part in
        ["3 pages not read completely, links may be missing", "2 × too long", "1 × the declared", "1 × undecodable"]
    {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    // With nothing new the figures stay.
    let again = archive.build();
    assert_eq!((again.cut, again.unread, again.unread_reasons), (11, 3, report.unread_reasons));
}

#[test]
fn revisits_of_a_page_that_was_not_read_whole_count_as_it_does() {
    let page = "http://a.pt/p";
    let mut archive = LinkFixture::new(&[(page, 0, vec![])]);
    let unread =
        |entry: CaptureEntry, why| CaptureEntry { notes: CaptureNotes { unread: Some(why), ..entry.notes }, ..entry };
    let original = unread(archive.entry("http://u.pt/", DAY, &[(page, "P")]), Unread::TooLong);
    let whole = archive.entry("http://u.pt/", 2 * DAY, &[(page, "P")]);
    let cut = unread(archive.entry("http://c.pt/", DAY, &[(page, "P")]), Unread::CutByTime);
    let mut revisit = |of: &CaptureEntry, url: &str, day: i64| CaptureEntry {
        revisit_of: Some(of.date),
        payload_digest: of.payload_digest.clone(),
        ..archive.entry(url, day * DAY, &[])
    };
    // Two of the first, one of another spelling; one of what was read whole; one of the third, without a digest.
    let mut dated = revisit(&cut, "http://c.pt/", 5);
    dated.payload_digest.clear();
    let revisits = [
        revisit(&original, "http://u.pt/", 3),
        revisit(&original, "http://www.u.pt/", 4),
        revisit(&whole, "http://u.pt/", 6),
        dated,
    ];
    // What was read of a revisit itself counts once.
    let itself = unread(revisit(&original, "http://u.pt/", 7), Unread::Malformed);
    let entries = [original, whole, cut, itself].into_iter().chain(revisits).collect();
    archive.session.catalogue().add_captures(archive.launch, entries).unwrap();
    let report = archive.build();
    let reasons: Vec<(&str, u64)> = report.unread_reasons.iter().map(|(why, count)| (why.as_str(), *count)).collect();
    assert_eq!(report.unread, 6, "{reasons:?}");
    assert_eq!(report.unread_reasons[&Unread::TooLong.to_string()], 3, "{reasons:?}");
    assert_eq!(report.unread_reasons[&Unread::CutByTime.to_string()], 2, "{reasons:?}");
    assert_eq!(report.unread_reasons[&Unread::Malformed.to_string()], 1, "{reasons:?}");
}

#[test]
fn two_counts_at_once_do_not_mix_their_windows() {
    let page = "http://a.pt/p";
    let archive = LinkFixture::new(&[
        (page, 100 * DAY, vec![]),
        ("http://b.pt/", 90 * DAY, vec![(page, "near")]),
        ("http://c.pt/", 30 * DAY, vec![(page, "far")]),
    ]);
    archive.build();
    let session = &archive.session;
    std::thread::scope(|scope| {
        for days in [20, 90] {
            scope.spawn(move || {
                for _ in 0..20 {
                    session.set_window(days, &JobCx::detached()).unwrap();
                }
            });
        }
    });
    let counted = session.workspace().unwrap().counted_window_days.unwrap();
    let row = archive.rows().into_iter().find(|row| row.url == page).unwrap();
    assert_eq!(row.inlinks_external, Some(if counted == 20 { 1 } else { 2 }));
    // Whoever waits for his turn can be stopped.
    let (waits, stopped) = (session.lock_inlink_count(&JobCx::detached()).unwrap(), JobCx::detached());
    stopped.cancel();
    assert!(session.set_window(30, &stopped).is_err());
    drop(waits);
    session.set_window(30, &JobCx::detached()).unwrap();
}

#[test]
fn captures_without_external_links_are_known_while_the_counts_are_new() {
    let mut with_links = 0;
    in_three_launches(|archive, _| {
        let workspace = &archive.session.workspace;
        archive.build();
        assert!(workspace.externally_linked(30).unwrap().is_none(), "counted with another window");
        for days in [30, 90] {
            archive.session.set_window(days, &JobCx::detached()).unwrap();
            let linked = workspace.externally_linked(days).unwrap().unwrap();
            for row in archive.rows() {
                let mut external = 0;
                workspace.each_inlink_of_capture(row.id, days, |link| external += u64::from(!link.internal)).unwrap();
                assert_eq!(linked.is_without(row.id), external == 0, "{} within {days} days", row.url);
                with_links += external;
            }
            assert!(!linked.is_without(CaptureId::MAX));
        }
        archive.session.set_window(90, &JobCx::detached()).unwrap();
    });
    assert!(with_links > 100);
    let mut archive = in_three_launches(|_, _| {});
    archive.build();
    archive.add(&[("http://new.pt/", 300 * DAY, vec![])]);
    assert!(archive.session.workspace.externally_linked(90).unwrap().is_none(), "a capture came since");
}

/// Three launches: pages link to each other, more each time; one revisit comes
/// before what it repeats.
fn in_three_launches(mut after_each: impl FnMut(&LinkFixture, usize)) -> LinkFixture {
    let mut archive = LinkFixture::new(&[]);
    let names: Vec<String> = (0..40).map(|n| format!("http://h{}.pt/p{}", n % 7, n)).collect();
    for launch in 0..3 {
        let captures = (0..40).step_by(launch + 1).map(|n| {
            let links = (0..n % 5).map(|k| (names[(n * 3 + k * 11) % 40].as_str(), ["a", "b", ""][k % 3]));
            let elsewhere = [("http://never.pt/", "Never"), ("http://late.pt/p", "Late")];
            (names[n].as_str(), (launch as i64 * 80 + n as i64) * DAY, links.chain(elsewhere).collect())
        });
        let captures: Vec<TestPage<'_>> = captures.collect();
        archive.add(&captures);
        let of_late = |archive: &mut LinkFixture, day: i64, links: &[(&str, &str)]| {
            let mut entry = archive.entry("http://late.pt/p", day * DAY, links);
            entry.payload_digest = "sha1:LATE".to_owned();
            entry
        };
        let late = match launch {
            0 => {
                let entry = of_late(&mut archive, 50, &[]);
                Some(CaptureEntry { revisit_of: Some(CaptureDate::from_millis(3 * DAY)), ..entry })
            }
            1 => Some(of_late(&mut archive, 3, &[(&names[0], "from late"), (&names[1], "")])),
            _ => None,
        };
        if let Some(late) = late {
            archive.session.catalogue().add_captures(archive.launch, vec![late]).unwrap();
        }
        after_each(&archive, launch);
    }
    archive
}

#[test]
fn launches_that_are_merged_in_give_what_a_build_of_all_gives() {
    let merged = in_three_launches(|archive, launch| {
        let report = archive.build();
        assert!(report.new_captures > 0 && report.links_seen > 0, "{launch}: {report:?}");
        let again = archive.build();
        assert_eq!((again.new_captures, again.links_seen, again.inlinks), (0, 0, report.inlinks));
    });
    let rebuilt = in_three_launches(|_, _| ());
    let report = rebuilt.build();
    let shown = merged.shown();
    assert!(shown == rebuilt.shown(), "what is shown differs");
    assert!(shown.iter().any(|line| line.contains("from late")));
    let last = merged.build();
    assert_eq!(
        (last.inlinks, last.internal, last.targets, last.uncaptured, last.captures_with_inlinks),
        (report.inlinks, report.internal, report.targets, report.uncaptured, report.captures_with_inlinks)
    );
    // Made one, the bytes are those of a build in one go.
    merged.session.workspace.compact_links(&JobCx::detached()).unwrap();
    assert!(merged.session.workspace.counts_are_new(90).unwrap());
    assert!(merged.segments() == rebuilt.segments(), "the segments differ");
    let before = merged.segments();
    merged.build_again();
    assert!(merged.segments() == before && merged.shown() == shown);
}

#[test]
fn a_revisit_that_was_built_before_its_original_came_is_built_as_if_it_had_been_there() {
    const AT: CaptureDate = CaptureDate::from_millis(3 * DAY);
    let page = "http://late.pt/p";
    type Change = fn(CaptureEntry) -> CaptureEntry;
    // The expected reason, and the payload of the page that comes later.
    let cases: [(&str, Change, &str); 6] = [
        ("the same payload", |revisit| revisit, "sha1:LATE"),
        (
            "not modified",
            |revisit| CaptureEntry {
                notes: CaptureNotes { status: 304, mime: String::new(), ..revisit.notes },
                ..revisit
            },
            "sha1:LATE",
        ),
        ("another kind of digest", |revisit| with_digest(revisit, "sha256:01"), "sha1:LATE"),
        ("no digest", |revisit| with_digest(revisit, ""), "sha1:LATE"),
        ("another payload", |revisit| with_digest(revisit, "sha1:OTHER"), "sha1:LATE"),
        ("none at all", |revisit| with_digest(revisit, ""), "sha1:FAR"),
    ];
    for (name, change, payload) in cases {
        let made = |build_before: bool| {
            let mut archive = LinkFixture::new(&[
                ("http://a.pt/", DAY, vec![(page, "Late"), ("http://never.pt/", "Never")]),
                ("http://late.pt/q", DAY, vec![("http://a.pt/", "A")]),
            ]);
            let revisit = CaptureEntry { revisit_of: Some(AT), ..archive.entry(page, 50 * DAY, &[]) };
            let revisit = change(with_digest(revisit, "sha1:LATE"));
            archive.session.catalogue().add_captures(archive.launch, vec![revisit]).unwrap();
            if build_before {
                archive.build();
            }
            let at = if payload == "sha1:FAR" { 30 * DAY } else { AT.millis() };
            let links = [("http://a.pt/", "from late"), ("http://late.pt/z", "Z")];
            let original = with_digest(archive.entry(page, at, &links), payload);
            archive.session.catalogue().add_captures(archive.launch, vec![original]).unwrap();
            archive.build();
            archive
        };
        let (merged, at_once) = (made(true), made(false));
        assert!(merged.shown() == at_once.shown(), "{name}: {:#?}\n{:#?}", merged.shown(), at_once.shown());
        merged.session.workspace.compact_links(&JobCx::detached()).unwrap();
        assert!(merged.segments() == at_once.segments(), "{name}: the segments differ");
        let from_late =
            merged.session.workspace.inlinks_of_capture(merged.id_of("http://a.pt/"), 90).unwrap().rows.len();
        assert_eq!(from_late, if name == "none at all" { 2 } else { 3 }, "{name}");
    }
}

fn with_digest(entry: CaptureEntry, digest: &str) -> CaptureEntry {
    CaptureEntry { payload_digest: digest.to_owned(), ..entry }
}

#[test]
fn a_revisit_whose_original_proves_to_be_another_one_has_no_links_of_the_first() {
    let (page, other) = ("http://late.pt/p", "http://www.late.pt/p");
    let mut archive = LinkFixture::new(&[("http://a.pt/", DAY, vec![(page, "Late")])]);
    let other = archive.entry(other, 3 * DAY, &[("http://a.pt/", "other")]);
    let revisit = CaptureEntry {
        revisit_of: Some(CaptureDate::from_millis(3 * DAY)),
        ..with_digest(archive.entry(page, 50 * DAY, &[]), "")
    };
    archive.session.catalogue().add_captures(archive.launch, vec![other, revisit]).unwrap();
    archive.build();
    archive.add(&[(page, 3 * DAY + 400, vec![("http://a.pt/", "late")])]);
    archive.build();
    let anchors_now = || {
        let mut anchors: Vec<_> =
            archive.session.workspace.inlinks_of_capture(archive.id_of("http://a.pt/"), 90).unwrap().rows;
        anchors.sort_by_key(|row| row.date);
        anchors.into_iter().map(|row| row.anchor).collect::<Vec<_>>()
    };
    let before = anchors_now();
    assert_eq!(before, ["late", "other", "late"]);
    archive.build_again();
    assert_eq!(anchors_now(), before);
}

#[test]
fn a_revisit_is_a_page_as_long_as_what_it_repeats_is_one() {
    let page = "http://late.pt/p";
    for (first, then, links) in [(404, 200, 2), (200, 404, 1)] {
        let mut archive = LinkFixture::new(&[("http://a.pt/", DAY, vec![(page, "Late")])]);
        let of_status = |archive: &mut LinkFixture, status: i32, day: i64| {
            let mut entry = archive.entry(page, day * DAY, &[("http://a.pt/", "late")]);
            entry.notes.status = status;
            with_digest(entry, "sha1:LATE")
        };
        let earlier = of_status(&mut archive, first, 20);
        let not_modified = CaptureNotes { status: 304, ..CaptureNotes::default() };
        let revisit = CaptureEntry {
            notes: not_modified,
            revisit_of: Some(CaptureDate::from_millis(3 * DAY)),
            ..with_digest(archive.entry(page, 50 * DAY, &[]), "sha1:LATE")
        };
        archive.session.catalogue().add_captures(archive.launch, vec![earlier, revisit]).unwrap();
        archive.build();
        let later = of_status(&mut archive, then, 3);
        archive.session.catalogue().add_captures(archive.launch, vec![later]).unwrap();
        archive.build();
        let shown = archive.shown();
        archive.build_again();
        assert!(shown == archive.shown(), "{first}, then {then}");
        let rows = archive.session.workspace.inlinks_of_capture(archive.id_of("http://a.pt/"), 90).unwrap().rows;
        assert_eq!(rows.len(), links, "{first}, then {then}: {rows:?}");
    }
}

#[test]
fn a_revisit_declared_a_page_is_none_once_its_original_shows_that_it_is_none() {
    for (name, mime, status, expected) in [
        ("a text", "text/plain", 200, 0),
        ("a page", "text/html", 200, 1),
        ("a page whose repeat is a redirect", "text/html", 301, 0),
    ] {
        let mut archive = LinkFixture::new(&[("http://a.pt/", DAY, vec![("http://late.pt/p", "Late")])]);
        let revisit = CaptureEntry {
            notes: CaptureNotes { status, mime: "text/html".to_owned(), ..CaptureNotes::default() },
            revisit_of: Some(CaptureDate::from_millis(3 * DAY)),
            ..with_digest(archive.entry("http://late.pt/p", 50 * DAY, &[]), "sha1:LATE")
        };
        archive.session.catalogue().add_captures(archive.launch, vec![revisit]).unwrap();
        archive.build();
        let original = with_digest(archive.entry("http://late.pt/p", 3 * DAY, &[]), "sha1:LATE");
        let original = CaptureEntry { notes: CaptureNotes { mime: mime.to_owned(), ..original.notes }, ..original };
        archive.session.catalogue().add_captures(archive.launch, vec![original]).unwrap();
        archive.build();
        let shown = archive.shown();
        archive.build_again();
        assert!(shown == archive.shown(), "{name}");
        let query = crate::store::rows::CaptureQuery {
            filter: "revisit:yes page:yes".to_owned(),
            tab: crate::store::rows::CaptureTab::All,
            campaign: None,
            sort: Vec::new(),
            offset: 0,
            limit: 9,
        };
        assert_eq!(archive.session.catalogue().captures(&query).unwrap().rows.len(), expected, "{name}");
    }
}

#[test]
fn links_of_a_revisit_are_read_again_where_it_proves_to_repeat_another_payload() {
    let (page, repeat) = ("http://a.pt/p", "http://b.pt/q");
    let mut archive = LinkFixture::new(&[("http://b.pt/x", 2 * DAY, vec![]), ("http://b.pt/y", 2 * DAY, vec![])]);
    let first = with_digest(archive.entry(page, DAY, &[]), "sha1:ONE");
    let revisit = CaptureEntry {
        revisit_of: Some(CaptureDate::from_millis(DAY)),
        repeats: Some(Url::parse(page).unwrap()),
        ..with_digest(archive.entry(repeat, 2 * DAY, &[]), "sha1:TWO")
    };
    let second = with_digest(archive.entry(page, DAY + 400, &[]), "sha1:TWO");
    let catalogue = archive.session.catalogue();
    let read = |target: &str| {
        let link = Outlink::bare(Url::parse(target).unwrap(), LinkKind::Anchor);
        catalogue.settle_originals(&JobCx::detached()).unwrap();
        let waiting = catalogue.waiting_repeats(None).unwrap();
        assert_eq!(waiting.len(), 1);
        catalogue.keep_repeats(waiting.into_iter().map(|repeat| (repeat, vec![link.clone()])).collect()).unwrap();
        assert_eq!(catalogue.waiting_repeats(None).unwrap(), []);
    };
    let inlinks = || {
        ["http://b.pt/x", "http://b.pt/y"]
            .map(|url| archive.session.workspace.inlinks_of_capture(archive.id_of(url), 90).unwrap().rows.len())
    };
    catalogue.add_captures(archive.launch, vec![first, revisit]).unwrap();
    read("http://b.pt/x");
    archive.build();
    assert_eq!(inlinks(), [1, 0]);
    catalogue.add_captures(archive.launch, vec![second]).unwrap();
    read("http://b.pt/y");
    archive.build();
    assert_eq!(inlinks(), [0, 1]);
}

#[test]
fn links_of_a_revisit_that_were_read_before_a_build_stopped_are_in_the_next() {
    let (page, repeat) = ("http://a.pt/p", "http://b.pt/q");
    let mut archive = LinkFixture::new(&[]);
    let original = with_digest(archive.entry(page, DAY, &[("http://a.pt/x", "X")]), "sha1:P");
    let revisit = CaptureEntry {
        revisit_of: Some(CaptureDate::from_millis(DAY)),
        repeats: Some(Url::parse(page).unwrap()),
        ..with_digest(archive.entry(repeat, 2 * DAY, &[]), "sha1:P")
    };
    let linked = archive.entry("http://b.pt/x", 2 * DAY, &[]);
    archive.session.catalogue().add_captures(archive.launch, vec![original, revisit, linked]).unwrap();
    // What it repeats cannot be read: there is no such file.
    assert_eq!(archive.build().repeats_unread, 1);
    let inlinks =
        || archive.session.workspace.inlinks_of_capture(archive.id_of("http://b.pt/x"), 90).unwrap().rows.len();
    assert_eq!(inlinks(), 0);
    let catalogue = archive.session.catalogue();
    let waiting = catalogue.waiting_repeats(None).unwrap();
    let link = Outlink::bare(Url::parse("http://b.pt/x").unwrap(), LinkKind::Anchor);
    catalogue.keep_repeats(waiting.into_iter().map(|repeat| (repeat, vec![link.clone()])).collect()).unwrap();
    assert!(archive.session.workspace.links_are_old().unwrap());
    // Another program ended here.
    let report = archive.build();
    assert_eq!((report.links_seen, inlinks()), (1, 1));
    assert!(!archive.session.workspace.links_are_old().unwrap());
    let shown = archive.shown();
    archive.build_again();
    assert!(shown == archive.shown());
}

#[test]
fn a_build_that_ended_between_links_and_counts_is_mended_by_the_next() {
    let whole = in_three_launches(|archive, _| {
        archive.build();
    });
    let mut killed = in_three_launches(|archive, launch| {
        if launch == 1 {
            take_in(&archive.session.workspace, false, &JobCx::detached()).unwrap();
        } else {
            archive.build();
        }
    });
    assert!(killed.shown() == whole.shown());
    killed.add(&[("http://h0.pt/p0", 400 * DAY, vec![("http://h1.pt/p1", "new")])]);
    take_in(&killed.session.workspace, false, &JobCx::detached()).unwrap();
    assert!(!killed.session.workspace.counts_are_new(90).unwrap() && killed.session.needs_inlink_build());
    assert_eq!(killed.build().new_captures, 0);
    assert!(!killed.session.needs_inlink_build());
    let mended = killed.shown();
    killed.build_again();
    assert!(mended == killed.shown());
    // Links that are damaged inside are made again without a message.
    let folder = killed.session.workspace.built_folder();
    for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|extension| extension == "seg") {
            let mut bytes = std::fs::read(&entry).unwrap();
            bytes[40] ^= 1;
            std::fs::remove_file(&entry).unwrap();
            std::fs::write(&entry, bytes).unwrap();
        }
    }
    killed.add(&[("http://h0.pt/p0", 401 * DAY, vec![("http://h1.pt/p1", "newer")])]);
    let report = killed.build();
    let shown = killed.shown();
    assert!(report.inlinks > 0 && shown.iter().any(|line| line.contains("newer")));
}

#[test]
fn captures_since_the_last_build_are_counted_before_they_are_scored() {
    let mut archive = LinkFixture::new(&[
        ("http://a.pt/", 0, vec![("http://b.pt/new", "B")]),
        ("http://c.pt/", 0, vec![("http://b.pt/new", "B")]),
    ]);
    archive.build();
    archive.add(&[("http://b.pt/new", DAY, vec![])]);
    let workspace = &archive.session.workspace;
    let campaign = archive.session.catalogue().campaigns().unwrap()[0].id;
    let spec = crate::work::models::SelectionSpec { campaign, ..Default::default() };
    let report = crate::work::select(workspace, &spec, false, &JobCx::detached()).unwrap();
    assert!(report.links_are_old && report.summary().contains("since the last build"), "{}", report.summary());
    let scored = archive.session.catalogue().scored_rows(campaign, 9).unwrap();
    let scored = scored.iter().find(|row| row.url == "http://b.pt/new").unwrap();
    let hosts = scored.parts.iter().map(|part| format!("{part:?}")).find(|part| part.contains("External hosts"));
    assert!(hosts.as_ref().is_some_and(|part| part.contains('2')), "{hosts:?}");
    archive.build();
    let report = crate::work::select(workspace, &spec, false, &JobCx::detached()).unwrap();
    assert!(!report.links_are_old);
}

#[test]
fn a_number_of_captures_leads_to_the_rows_that_links_count() {
    let page = "http://www.b.pt/x";
    let links = [(page, "X"), ("http://b.pt:8080/y", "Y"), ("http://sub.b.pt/", "S"), ("http://bb.pt/", "BB")];
    let mut archive = LinkFixture::new(&[
        ("http://www.b.pt/", DAY, links.to_vec()),
        (page, DAY, vec![]),
        ("https://b.pt/x/", 2 * DAY, vec![]),
        ("http://b.pt:8080/y", DAY, vec![]),
        ("http://sub.b.pt/", DAY, vec![("http://b.pt/gone", "G"), ("http://b.pt/x y\"z", "Z")]),
        ("http://bb.pt/", DAY, vec![]),
        ("http://b.pt/x y\"z", DAY, vec![]),
    ]);
    // An answer of not modified, an error, a file that is no page.
    let mut other = |url: &str, status: i32, mime: &str, revisit_of: Option<CaptureDate>| {
        let entry = archive.entry(url, 3 * DAY, &[]);
        let payload_digest = if revisit_of.is_some() { "sha1:20".to_owned() } else { entry.payload_digest.clone() };
        CaptureEntry {
            notes: CaptureNotes { status, mime: mime.to_owned(), ..entry.notes },
            revisit_of,
            payload_digest,
            ..entry
        }
    };
    let entries = vec![
        other(page, 304, "", Some(CaptureDate::from_millis(DAY))),
        other("http://b.pt/gone", 404, "text/html", None),
        other("http://b.pt/file", 200, "application/pdf", None),
    ];
    archive.session.catalogue().add_captures(archive.launch, entries).unwrap();
    archive.build();
    let (workspace, cx) = (&archive.session.workspace, JobCx::detached());
    let rows = |filter: String| {
        let page = archive.session.catalogue().captures(&CaptureQuery { filter, ..crate::work::everything() }).unwrap();
        assert_eq!(page.filter_problem, None);
        page.total
    };
    let hosts = crate::work::link_hosts(workspace, None, &cx).unwrap().unwrap();
    let hosts = hosts.by(HostColumn::Host);
    let counts: Vec<(&str, u64)> = hosts.iter().map(|row| (row.node.host.as_str(), row.node.captures)).collect();
    assert_eq!(counts, [("b.pt", 6), ("bb.pt", 1), ("sub.b.pt", 1)]);
    for (host, captures) in counts {
        assert_eq!(rows(captures_of_host(host)), captures, "{host}");
    }
    let cited =
        crate::work::cited_pages(workspace, None, &crate::work::models::CitedBy::All, &cx).unwrap().unwrap().rows;
    let of_page = |key: &str| cited.iter().find(|row| row.target == key).unwrap().captures;
    assert_eq!((cited.len(), of_page("pt,b)/x"), of_page("pt,b)/gone")), (6, 3, 0));
    for row in cited {
        assert_eq!(rows(captures_of_page(&row.target)), row.captures, "{}", row.target);
    }
    assert_eq!(rows("fqdn:b.pt page:no".to_owned()), 2);
}

#[test]
fn what_the_catalogue_does_not_need_is_given_back() {
    let archive = LinkFixture::new(&[("http://a.pt/", 0, vec![("http://b.pt/", "B")])]);
    let catalogue = archive.session.catalogue();
    let file = archive.session.workspace.folder().join("fonds.sqlite");
    catalogue.set_setting("large", &"x".repeat(8 << 20)).unwrap();
    catalogue.set_setting("large", "").unwrap();
    assert!(catalogue.free_bytes().unwrap() > 7 << 20);
    catalogue.vacuum().unwrap();
    assert!(catalogue.free_bytes().unwrap() < 1 << 20 && file.metadata().unwrap().len() < 4 << 20);
    archive.build();
    assert_eq!(archive.session.catalogue().captures(&crate::work::everything()).unwrap().total, 1);
}

#[test]
fn every_form_of_links_is_a_file_and_a_stop_leaves_none() {
    let made =
        LinkFixture::new(&[("http://a.pt/", DAY, vec![("http://b.pt/x", "Olá")]), ("http://b.pt/x", DAY, vec![])]);
    let folder = tempfile::tempdir().unwrap();
    let cx = JobCx::detached();
    for (form, _) in LinkForm::ALL {
        let out = folder.path().join(format!("{form:?}"));
        let summary = made.session.export_links(form, &out, &cx).unwrap();
        let files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        assert!(summary.ends_with(&format!("in {}", file.display())), "{summary}");
        let text = std::fs::read_to_string(file).unwrap();
        let (host, what) = match form {
            LinkForm::Dataset => ("(pt,b,)", "1 page with inlinks within ±90 days"),
            LinkForm::Nutch => ("http://b.pt/x", "1 inlink of 1 page, 0 left out over the limit"),
            _ => ("b.pt", "2 hosts, 1 edge between sites, 0 within"),
        };
        assert!(summary.starts_with(what) && text.contains(host), "{summary}: {text}");
    }
    let none = folder.path().join("none");
    cx.cancel();
    for (form, _) in LinkForm::ALL {
        assert!(made.session.export_links(form, &none, &cx).is_err());
    }
    assert_eq!(std::fs::read_dir(none).unwrap().count(), 0);
}

#[path = "linked_tests.rs"]
mod linked;
