//! The catalogue serves a crawl, a reviewer and the captures table.

use super::rows::{
    CampaignId, CaptureColumn, CaptureId, CaptureQuery, CaptureTab, LaunchId, Launches, ReviewMark, SelectionSpec,
};
use super::{Captures, LaunchLedger, LinkingPages, Workspace};
use crate::campaign::{Campaign, Seed, SeedScope};
use crate::captures::{CaptureEntry, CaptureNotes, RecordPlace};
use crate::crawl::{Admission, AdmissionState, Admitted, Finished, Ledger};
use crate::inlinks::invert::{LinkRow, Shuffle};
use crate::inlinks::stored::{Mark, host_of};
use crate::jobs::JobCx;
use crate::links::{LinkKind, Outlink};
use crate::scope::{Candidate, Decision, GeoFact, Verdict};
use crate::uri::{CaptureDate, Url};
use crate::warc::{RecordType, Span};
use std::sync::Arc;

pub(super) struct Made {
    _dir: tempfile::TempDir,
    pub(super) workspace: Workspace,
    pub(super) ledger: LaunchLedger,
    pub(super) launch: LaunchId,
    pub(super) campaign: CampaignId,
}

pub(super) fn made() -> Made {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&dir.path().join("w")).unwrap();
    let spec = Campaign {
        name: "Town".to_owned(),
        seeds: vec![Seed {
            url: "http://a.pt/".to_owned(),
            scope: SeedScope::Root,
            depth: None,
            source_tag: String::new(),
        }],
        ..Campaign::default()
    };
    let campaign = workspace.catalogue().save_campaign(None, &spec).unwrap();
    let launch = workspace.catalogue().begin_launch(campaign, "town", CaptureDate::now()).unwrap().id;
    let ledger = LaunchLedger::new(Arc::clone(workspace.catalogue()), launch);
    Made { _dir: dir, workspace, ledger, launch, campaign }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn verdict(decision: Decision) -> Verdict {
    Verdict { decision, rule_index: Some(1), rule_name: "SurtPrefixedDecideRule".to_owned() }
}

pub(super) fn admission(text: &str, state: AdmissionState, priority: i64) -> Admission {
    Admission {
        candidate: Candidate {
            hops: "L".to_owned(),
            via: Some(url("http://a.pt/")),
            anchor: "there".to_owned(),
            seed: Some("http://a.pt/".to_owned()),
            ..Candidate::bare(url(text))
        },
        verdict: verdict(if state == AdmissionState::Queued { Decision::Accept } else { Decision::Reject }),
        state,
        priority,
        parts: None,
        date: CaptureDate::from_seconds(1_700_000_000),
    }
}

pub(super) fn capture(text: &str, seconds: i64, offset: u64, digest: &str, links: &[(&str, &str)]) -> CaptureEntry {
    CaptureEntry {
        notes: CaptureNotes {
            status: 200,
            mime: "text/html".to_owned(),
            fetch_ms: Some(5),
            title: Some(format!("Title of {text}")),
            language: Some("pt".to_owned()),
            verdict: Some(verdict(Decision::Accept)),
            outlinks: links
                .iter()
                .enumerate()
                .map(|(position, (target, anchor))| Outlink {
                    anchor: (*anchor).to_owned(),
                    position: position as u32,
                    ..Outlink::bare(url(target), LinkKind::Anchor)
                })
                .collect(),
            ..CaptureNotes::default()
        },
        payload_len: 100,
        payload_digest: digest.to_owned(),
        records: vec![RecordPlace {
            record_type: RecordType::Response,
            record_id: format!("urn:uuid:{offset}"),
            file: "output/warcs/town/1/a.warc.gz".to_owned(),
            span: Span { offset, length: 10 },
        }],
        ..CaptureEntry::bare(url(text), CaptureDate::from_seconds(seconds))
    }
}

fn query(filter: &str) -> CaptureQuery {
    CaptureQuery {
        filter: filter.to_owned(),
        tab: CaptureTab::All,
        campaign: None,
        sort: Vec::new(),
        offset: 0,
        limit: 100,
    }
}

#[test]
fn a_url_that_waits_takes_a_shorter_way_and_is_no_new_one() {
    let made = made();
    let queued = admission("http://a.pt/x", AdmissionState::Queued, 5);
    let way = Url::parse("http://a.pt/y").unwrap();
    let by = |hops: &str, anchor: &str, url: &Url| {
        let bare = Candidate::bare(url.clone());
        let (hops, anchor, via) = (hops.to_owned(), anchor.to_owned(), queued.candidate.via.clone());
        Admission { candidate: Candidate { hops, anchor, via, ..bare }, ..queued.clone() }
    };
    let far = Url::parse("http://a.pt/far").unwrap();
    let less_far = by(&"L".repeat(50), "there", &far);
    let far = by(&format!("40+{}", "E".repeat(50)), "there", &far);
    let nearer = Admission { priority: 1, ..by("L", "near", &way) };
    let ways = [by("LLL", "there", &way), by("LLLL", "there", &way), nearer.clone()];
    let [new, known, near] = [Admitted::New, Admitted::Known, Admitted::Nearer];
    let found = ways.into_iter().chain([far, less_far]).collect();
    assert_eq!(made.ledger.admit(found).unwrap(), [new, known, near, new, near]);
    let row = made.ledger.find_waiting(&way).unwrap().unwrap();
    assert_eq!(
        (row.admission.candidate.hops.as_str(), row.admission.candidate.anchor.as_str(), row.admission.priority),
        ("L", "near", 1)
    );
}

#[test]
fn a_url_is_seen_once_and_a_better_way_reopens_a_refused_one() {
    let made = made();
    let refused = admission("http://a.pt/x", AdmissionState::Refused, 5);
    let queued = admission("http://a.pt/x", AdmissionState::Queued, 5);
    assert_eq!(made.ledger.admit(vec![refused.clone(), refused]).unwrap(), [Admitted::New, Admitted::Known]);
    assert!(made.ledger.backlog().unwrap().is_empty());
    assert_eq!(made.ledger.admit(vec![queued.clone(), queued.clone()]).unwrap(), [Admitted::New, Admitted::Known]);
    let waiting = made.ledger.waiting("a.pt", &[], CaptureDate::now(), 10).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].admission, queued);

    // Refused at its turn, it stays refused.
    let finished = Finished {
        id: waiting[0].id,
        fetch_status: -9998,
        why: Some("robots.txt".to_owned()),
        refused: Some(verdict(Decision::Reject)),
        capture: None,
        found: Vec::new(),
        reading: None,
    };
    made.ledger.finish(finished).unwrap();
    assert_eq!(made.ledger.admit(vec![queued]).unwrap(), [Admitted::Known]);
    assert!(made.ledger.has_seen(&url("http://a.pt/x")).unwrap());
    let launch = made.workspace.catalogue().launch(made.launch).unwrap();
    assert_eq!((launch.queued, launch.refused, launch.fetched), (0, 1, 0));
}

#[test]
fn what_is_due_comes_by_priority_and_what_was_put_back_comes_last() {
    let made = made();
    let names = ["http://a.pt/late", "http://a.pt/b", "http://a.pt/first", "http://a.pt/c"];
    let found = names.iter().zip([0, 3, 1, 3]);
    let found = found.map(|(name, priority)| admission(name, AdmissionState::Queued, priority)).collect();
    made.ledger.admit(found).unwrap();
    let late = made.ledger.find_waiting(&url("http://a.pt/late")).unwrap().unwrap();
    let hour = CaptureDate::from_millis(CaptureDate::now().millis() + 3_600_000);
    made.ledger.defer(late.id, 1, hour, "timed out").unwrap();
    let order = |in_flight: &[i64], limit| -> Vec<String> {
        let waiting = made.ledger.waiting("a.pt", in_flight, CaptureDate::now(), limit).unwrap();
        waiting.into_iter().map(|queued| queued.admission.candidate.url.path().to_owned()).collect()
    };
    assert_eq!(order(&[], 10), ["/first", "/b", "/c", "/late"]);
    assert_eq!(order(&[], 2), ["/first", "/b"]);
    let first = made.ledger.find_waiting(&url("http://a.pt/first")).unwrap().unwrap().id;
    assert_eq!(order(&[first], 2), ["/b", "/c"]);
    assert_eq!(made.ledger.backlog().unwrap()[0].waiting, 4);
}

#[test]
fn a_capture_is_reported_once_with_all_that_was_found_on_it() {
    let made = made();
    made.ledger.admit(vec![admission("http://a.pt/p", AdmissionState::Queued, 1)]).unwrap();
    let id = made.ledger.waiting("a.pt", &[], CaptureDate::now(), 1).unwrap()[0].id;
    let entry = capture("http://a.pt/p", 1000, 0, "sha1:A", &[("http://b.pt/", "B")]);
    let finished = Finished {
        id,
        fetch_status: 200,
        why: None,
        refused: None,
        capture: Some(entry.clone()),
        found: vec![admission("http://b.pt/", AdmissionState::Refused, 0)],
        reading: None,
    };
    assert_eq!(made.ledger.finish(finished).unwrap(), [Admitted::New]);
    assert_eq!(made.workspace.catalogue().add_captures(made.launch, vec![entry]).unwrap(), 0, "known by its record");
    assert_eq!(
        made.ledger.recorded("output/warcs/town/1/a.warc.gz").unwrap(),
        std::iter::once(0..10).collect::<Vec<_>>()
    );
    let same = made.ledger.same_payload(&url("http://a.pt/p"), "sha1:A").unwrap();
    assert_eq!(same, Some((CaptureDate::from_seconds(1000), "urn:uuid:0".to_owned())));
    assert_eq!(made.ledger.same_payload(&url("http://a.pt/q"), "sha1:A").unwrap(), None);
    let page = made.workspace.catalogue().captures(&query("")).unwrap();
    assert_eq!(page.total, 1);
    assert_eq!(page.rows[0].title, "Title of http://a.pt/p");
}

#[test]
fn a_revisit_without_a_digest_of_ours_is_found_by_its_date() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let mut revisit = capture("http://a.pt/", 500, 40, "", &[]);
    revisit.revisit_of = Some(CaptureDate::from_seconds(200));
    let mut captures: Vec<CaptureEntry> =
        [100, 200, 300].map(|at| capture("http://a.pt/", at, at.unsigned_abs(), &format!("sha1:{at}"), &[])).into();
    captures.push(revisit);
    let launch = catalogue.launches(None).unwrap()[0].id;
    catalogue.add_captures(launch, captures).unwrap();
    let original = |id: CaptureId| catalogue.original_of(id).unwrap().map(|original| original.digest);
    let revisits: Vec<Option<String>> = (1..=4).map(|id| original(CaptureId::new(id))).collect();
    assert_eq!(revisits, [None, None, None, Some("sha1:200".to_owned())]);
}

#[test]
fn a_failed_write_takes_back_only_itself() {
    let made = made();
    let mut broken = capture("http://a.pt/broken", 1, 50, "sha1:B", &[]);
    broken.records.clear();
    assert!(made.workspace.catalogue().add_captures(made.launch, vec![broken]).is_err());
    let fine = capture("http://a.pt/fine", 1, 60, "sha1:C", &[]);
    assert_eq!(made.workspace.catalogue().add_captures(made.launch, vec![fine]).unwrap(), 1);
    assert_eq!(made.workspace.catalogue().captures(&query("")).unwrap().total, 1);
}

#[test]
fn the_last_location_of_a_host_counts() {
    let made = made();
    let failed = GeoFact::Failed { why: "no such name".to_owned() };
    made.ledger.keep_geo_facts(&[("a.pt".to_owned(), GeoFact::NotQueried)]).unwrap();
    made.ledger.keep_geo_facts(&[("a.pt".to_owned(), failed.clone())]).unwrap();
    assert_eq!(made.ledger.geo_facts().unwrap().get("a.pt"), Some(&failed));
    assert_eq!(made.workspace.catalogue().geo_fact("a.pt").unwrap(), failed);
    assert_eq!(made.workspace.catalogue().geo_fact("b.pt").unwrap(), GeoFact::NotQueried);
}

const DAY: i64 = 86_400;

/// Builds inlinks of all there is.
pub(super) fn build(workspace: &Workspace) {
    build_with(workspace, Mark::default());
}

pub(super) fn build_with(workspace: &Workspace, mark: Mark) {
    let catalogue = workspace.catalogue();
    let mut shuffle = Shuffle::new(&workspace.shuffle_options(), &JobCx::detached()).unwrap();
    let fed = catalogue.feed_inlinks(Captures::ALL, |link| {
        shuffle.push_link(&LinkRow {
            target: &link.target_key,
            target_url: "",
            source: &link.source_key,
            source_url: "",
            source_id: link.capture.unsigned_abs(),
            date: CaptureDate::from_seconds(link.date.seconds()),
            anchor: &link.anchor,
            internal: host_of(&link.target_key) == host_of(&link.source_key),
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        })
    });
    fed.unwrap().unwrap();
    workspace.links_to_build().unwrap().fill(&mut shuffle.finish().unwrap(), mark).unwrap();
    workspace.keep_build(90, |_| serde_json::json!({}), &JobCx::detached()).unwrap();
}

#[test]
fn the_window_is_a_question_to_the_stored_list() {
    let made = made();
    let (workspace, catalogue) = (&made.workspace, made.workspace.catalogue());
    let target = "http://a.pt/p";
    let entries = vec![
        capture(target, 100 * DAY, 0, "sha1:A", &[]),
        capture("http://a.pt/", 100 * DAY, 20, "sha1:B", &[(target, "home")]),
        capture("http://b.pt/", 10 * DAY, 40, "sha1:C", &[(target, "edge"), ("http://gone.pt/", "Gone")]),
        capture("http://c.pt/", 10 * DAY - 1, 60, "sha1:D", &[(target, "before")]),
        capture("http://c.pt/x", 190 * DAY, 80, "sha1:E", &[(target, "edge")]),
    ];
    catalogue.add_captures(made.launch, entries).unwrap();
    let built = |days| workspace.inlinks_of_capture(CaptureId::new(1), days).unwrap().built;
    assert!(!built(90) && !workspace.counts_are_new(90).unwrap());
    build(workspace);
    assert!(built(90) && workspace.counts_are_new(90).unwrap() && !workspace.counts_are_new(89).unwrap());
    let counts = || {
        let row = &catalogue.captures(&query("url:/p")).unwrap().rows[0];
        (row.inlinks_internal, row.inlinks_external, row.inlink_hosts, row.top_anchor.clone())
    };
    assert_eq!(counts(), (Some(1), Some(2), Some(2), "edge".to_owned()));
    let page = workspace.inlinks_of_capture(CaptureId::new(1), 90).unwrap();
    let inside: Vec<bool> = page.rows.iter().map(|row| row.in_window).collect();
    assert_eq!(inside, [false, true, true, true], "90 days to the second, both ends in");
    let first = &page.rows[0];
    assert_eq!(
        (first.source.as_str(), first.source_host.as_str(), first.capture),
        ("http://c.pt/", "c.pt", Some(CaptureId::new(4)))
    );
    workspace.count_inlinks(89, &JobCx::detached()).unwrap();
    assert_eq!(counts(), (Some(1), Some(0), Some(0), "home".to_owned()));
    assert_eq!(catalogue.window_days().unwrap(), 89);
    // Stopped in the middle, a count leaves the one before as it was.
    let stopped = JobCx::detached();
    stopped.cancel();
    let error = anyhow::Error::from(workspace.count_inlinks(90, &stopped).unwrap_err());
    assert!(crate::jobs::StopError::is_cancelled(&error), "{error}");
    assert_eq!((counts().1, catalogue.window_days().unwrap()), (Some(0), 89));

    let anchors = |days| -> Vec<(String, u64)> {
        let rows = workspace.anchors_of_capture(CaptureId::new(1), days).unwrap();
        rows.into_iter().map(|row| (row.text, row.hosts)).collect()
    };
    assert_eq!(anchors(90), [("edge".to_owned(), 2), ("home".to_owned(), 1)]);
    let all: Vec<String> =
        workspace.top_anchors(9, &JobCx::detached()).unwrap().into_iter().map(|row| row.text).collect();
    assert_eq!(all, ["edge", "Gone", "before"]);
    let landings = workspace.landing_pages(target, Some("http://b.pt/")).unwrap();
    let urls: Vec<&str> = landings.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["http://c.pt/", "http://b.pt/", "http://a.pt/", "http://c.pt/x", "http://b.pt/"]);

    let prospects = catalogue.prospects(&super::rows::ProspectQuery::new(None, "", 0, 10)).unwrap().rows;
    assert_eq!(prospects.len(), 1);
    assert_eq!(
        (prospects[0].url.as_str(), prospects[0].hosts, prospects[0].anchor.as_str()),
        ("http://gone.pt/", 1, "Gone")
    );
    // Captured since, if only in vain: it counts as missing no more.
    let mut gone = capture("http://gone.pt/", 101 * DAY, 100, "sha1:F", &[]);
    gone.notes.status = 404;
    catalogue.add_captures(made.launch, vec![gone]).unwrap();
    assert_eq!(catalogue.prospects(&super::rows::ProspectQuery::new(None, "", 0, 10)).unwrap().rows, []);
    assert!(!workspace.counts_are_new(89).unwrap());
}

#[test]
fn damaged_inlinks_are_none_until_they_are_built_again() {
    let made = made();
    let entries = vec![
        capture("http://a.pt/p", DAY, 0, "sha1:A", &[]),
        capture("http://b.pt/", DAY, 20, "sha1:B", &[("http://a.pt/p", "P")]),
    ];
    made.workspace.catalogue().add_captures(made.launch, entries).unwrap();
    // Files that change are an error, and no answer, for whoever has not read these blocks already.
    let external_in = |workspace: &Workspace| {
        let page = workspace.inlinks_of_capture(CaptureId::new(1), 90).ok()?;
        page.built.then_some(page.external)
    };
    let external = || external_in(&made.workspace);
    let folder = made.workspace.built_folder();
    for damage in ["nothing", "list", "segment", "gone"] {
        build(&made.workspace);
        assert_eq!(external(), Some(1));
        let name = |end: &str| {
            let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            names.filter(|path| path.to_str().unwrap().ends_with(end)).last().unwrap()
        };
        match damage {
            "list" => std::fs::write(name("links.json"), "{}").unwrap(),
            "segment" => std::fs::write(name(".seg"), "short").unwrap(),
            "gone" => std::fs::remove_dir_all(&folder).unwrap(),
            _ => continue,
        }
        assert_eq!(external_in(&Workspace::open_read_only(made.workspace.folder()).unwrap()), None, "{damage}");
    }
    build(&made.workspace);
    assert_eq!(external(), Some(1));
}

#[test]
fn the_table_filters_sorts_and_counts() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let mut image = capture("http://a.pt/i.png", 3, 40, "sha1:I", &[]);
    image.notes.mime = "image/png".to_owned();
    let mut gone = capture("http://x.a.pt/gone", 4, 60, "sha1:G", &[]);
    gone.notes.status = 404;
    let entries = vec![
        capture("http://a.pt/p", 1, 0, "sha1:A", &[]),
        capture("http://a.pt/p", 2, 20, "sha1:A2", &[]),
        image,
        gone,
    ];
    catalogue.add_captures(made.launch, entries).unwrap();
    let urls = |filter: &str| -> Vec<String> {
        let page = catalogue.captures(&query(filter)).unwrap();
        assert_eq!(page.filter_problem, None);
        page.rows.into_iter().map(|row| row.url).collect()
    };
    assert_eq!(urls("host:a.pt").len(), 4, "subdomains belong to a host");
    assert_eq!(urls("-mime:image status:2xx"), ["http://a.pt/p", "http://a.pt/p"]);
    assert_eq!(urls("re:gone$"), ["http://x.a.pt/gone"]);
    assert_eq!(urls("'; DROP TABLE capture; --"), [] as [String; 0]);
    let problem = catalogue.captures(&query("colour:red")).unwrap().filter_problem;
    assert!(problem.unwrap().contains("no field"));
    let sorted = CaptureQuery { sort: vec![(CaptureColumn::Date, true)], limit: 2, offset: 1, ..query("") };
    let page = catalogue.captures(&sorted).unwrap();
    assert_eq!((page.total, page.rows[0].url.as_str()), (4, "http://a.pt/i.png"));
    let tabs = catalogue.tab_counts(&query("")).unwrap();
    let count = |tab: CaptureTab| tabs.iter().find(|(name, _)| *name == tab).unwrap().1;
    assert_eq!((count(CaptureTab::All), count(CaptureTab::Images), count(CaptureTab::Failed)), (4, 1, 1));
    assert_eq!(count(CaptureTab::Changed), 1);
}

#[test]
fn every_number_of_a_selection_counts_the_rows_it_leads_to() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let urls = ["http://a.pt/1", "http://a.pt/2", "http://b.pt/1", "http://c.pt/1", "http://c.pt/2", "http://d.pt/1"];
    let entries = urls.iter().zip(0..).map(|(url, at)| capture(url, at, at as u64 * 20, &format!("sha1:{at}"), &[]));
    catalogue.add_captures(made.launch, entries.collect()).unwrap();
    let rows = |filter: &str| {
        let page = catalogue.captures(&CaptureQuery { campaign: Some(made.campaign), ..query(filter) }).unwrap();
        assert_eq!(page.filter_problem, None);
        page.rows
    };
    // The last one is not scored: it is neither in nor out.
    let scored = rows("-host:d.pt").into_iter().map(|row| super::KeptScore {
        id: row.id,
        score: 0.5,
        passes: !row.url.ends_with('2') && row.url.contains("a.pt"),
        decision: None,
    });
    let spec = SelectionSpec { campaign: made.campaign, ..SelectionSpec::default() };
    catalogue.keep_selection(&spec, scored.collect()).unwrap();
    let page = catalogue.selection_page(made.campaign).unwrap();
    assert_eq!(
        (
            page.balance.inside.captures,
            page.balance.outside.captures,
            page.balance.inside.hosts,
            page.balance.outside.hosts
        ),
        (1, 4, 1, 3)
    );
    for (side, selected, captures, hosts) in [
        ("yes", true, page.balance.inside.captures, page.balance.inside.hosts),
        ("no", false, page.balance.outside.captures, page.balance.outside.hosts),
    ] {
        assert_eq!(rows(&format!("selected:{side}")).len() as u64, captures);
        let found = catalogue.selected_hosts(made.campaign, selected).unwrap();
        assert_eq!(found.len() as u64, hosts, "{found:?}");
        for host in found {
            assert_eq!(rows(&format!("selected:{side} host={}", host.host)).len() as u64, host.captures);
        }
    }
}

#[test]
fn what_comes_along_is_counted_as_it_is_listed() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let other = catalogue.save_campaign(None, &Campaign { name: "Other".to_owned(), ..Campaign::default() }).unwrap();
    let other_launch = catalogue.begin_launch(other, "other", CaptureDate::now()).unwrap().id;
    let pages: [(&str, &[&str]); 5] = [
        ("http://a.pt/1", &["http://a.pt/i", "http://b.pt/i", "http://a.pt/2"]),
        ("http://a.pt/2", &["http://c.pt/i"]),
        ("http://a.pt/3", &["http://c.pt/i"]),
        ("http://a.pt/i", &[]),
        ("http://c.pt/i", &[]),
    ];
    let captures = pages.iter().zip(0..).map(|((at, needs), n)| {
        let links: Vec<(&str, &str)> = needs.iter().map(|need| (*need, "")).collect();
        let mut page = capture(at, 1, n * 20, &format!("sha1:{n}"), &links);
        page.notes.outlinks.iter_mut().for_each(|link| link.kind = LinkKind::Image);
        page
    });
    catalogue.add_captures(made.launch, captures.collect()).unwrap();
    // One that a page needs was captured for another campaign.
    catalogue.add_captures(other_launch, vec![capture("http://b.pt/i", 1, 900, "sha1:b", &[])]).unwrap();
    let rows = |filter: &str| {
        let page = catalogue.captures(&CaptureQuery { campaign: Some(made.campaign), ..query(filter) }).unwrap();
        assert_eq!(page.filter_problem, None);
        assert_eq!(page.rows.len() as u64, page.total);
        page.rows
    };
    let scored = rows("-http://a.pt/i -c.pt").into_iter().map(|row| super::KeptScore {
        id: row.id,
        score: 0.5,
        passes: row.url == "http://a.pt/1",
        decision: None,
    });
    let spec = SelectionSpec { campaign: made.campaign, ..SelectionSpec::default() };
    catalogue.keep_selection(&spec, scored.collect()).unwrap();
    let approved = rows("http://a.pt/2")[0].id;
    catalogue.mark(&[approved], super::rows::ReviewMark::Approve, "", "x").unwrap();
    let found = catalogue.find_requisites(made.campaign, true, &JobCx::detached()).unwrap();
    catalogue.keep_requisites(made.campaign, true, found).unwrap();
    let urls = |filter: &str| {
        let mut urls: Vec<String> = rows(filter).into_iter().map(|row| row.url).collect();
        urls.sort();
        urls
    };
    let needed = ["http://a.pt/i", "http://b.pt/i", "http://c.pt/i"];
    let page = || catalogue.selection_page(made.campaign).unwrap();
    let size = |rows: Vec<super::rows::CaptureRow>| rows.iter().map(|row| row.size).sum::<u64>();
    assert_eq!((page().balance.inside.captures, page().requisites, page().balance.overrides), (2, 3, 1));
    assert_eq!(
        (urls("requisite:yes"), size(rows("requisite:yes"))),
        (needed.map(str::to_owned).to_vec(), page().requisite_bytes)
    );
    assert_eq!(urls("export:yes").len(), 5);
    assert_eq!(size(rows("export:yes")), page().balance.inside.bytes + page().requisite_bytes);
    assert_eq!(urls("byhand:yes"), ["http://a.pt/2"]);
    assert_eq!((urls("requisite:no").len(), urls("export:no")), (3, vec!["http://a.pt/3".to_owned()]));
    // What came since comes along when it is written out, and is counted then.
    let renew = |with| {
        let found = catalogue.find_requisites(made.campaign, with, &JobCx::detached()).unwrap();
        catalogue.keep_requisites(made.campaign, with, found.clone()).unwrap();
        found
    };
    catalogue.add_captures(made.launch, vec![capture("http://b.pt/i", 1, 950, "sha1:new", &[])]).unwrap();
    assert_eq!(renew(true).len() as u64, page().requisites);
    assert_eq!(urls("requisite:yes"), needed);
    for spelled in ["Requisite:yes", "requisite=yes", "-requisite:no"] {
        assert_eq!(urls(spelled), needed, "{spelled}");
    }
    // Left out for once, they stay counted with the selection that has them.
    assert!(renew(false).is_empty());
    assert_eq!((page().requisites, urls("export:yes").len()), (3, 5));
    let without = SelectionSpec { with_requisites: false, ..spec };
    catalogue.keep_selection(&without, Vec::new()).unwrap();
    assert_eq!((page().requisites, urls("requisite:yes").len()), (0, 0));
}

#[test]
fn a_statement_is_planned_once_whatever_values_are_bound() {
    use rusqlite::StatementStatus::RePrepare;
    use rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
    let made = made();
    let catalogue = made.workspace.catalogue();
    let entries = (0..300).map(|n| capture(&format!("http://a.pt/{n}"), 1, n, "sha1:A", &[])).collect();
    catalogue.add_captures(made.launch, entries).unwrap();
    let plans = |is_stable: bool| {
        let planned_again = catalogue.read(|conn| {
            conn.set_db_config(SQLITE_DBCONFIG_ENABLE_QPSG, is_stable)?;
            let mut statement = conn.prepare("SELECT count(*) FROM url WHERE url GLOB ?1")?;
            for id in 1..100 {
                statement.query_row([format!("http://a.pt/{id}*")], |row| row.get::<_, i64>(0))?;
            }
            Ok(statement.get_status(RePrepare))
        });
        planned_again.unwrap()
    };
    let of_readers = catalogue.read(|conn| Ok(conn.db_config(SQLITE_DBCONFIG_ENABLE_QPSG)?)).unwrap();
    // Once, where the catalogue changed since it was opened.
    let (stable, bound) = (plans(true), plans(false));
    assert!(of_readers && stable <= 1 && bound > 90, "{of_readers} {stable} {bound}");
}

#[test]
fn a_decision_is_appended_and_taken_back_but_never_lost() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let entries = vec![capture("http://a.pt/p", 1, 0, "sha1:A", &[]), capture("http://a.pt/q", 1, 20, "sha1:B", &[])];
    catalogue.add_captures(made.launch, entries).unwrap();
    catalogue.mark(&[CaptureId::new(1), CaptureId::new(2)], ReviewMark::Approve, "good", "ana").unwrap();
    catalogue.mark(&[CaptureId::new(1)], ReviewMark::Reject, "twice", "ana").unwrap();
    assert_eq!(catalogue.capture_row(CaptureId::new(1)).unwrap().mark, Some(ReviewMark::Reject));
    assert_eq!(catalogue.undo_mark().unwrap(), Some((ReviewMark::Reject, 1)));
    assert_eq!(catalogue.capture_row(CaptureId::new(1)).unwrap().mark, Some(ReviewMark::Approve));
    assert_eq!(catalogue.undo_mark().unwrap(), Some((ReviewMark::Approve, 2)));
    assert_eq!(catalogue.undo_mark().unwrap(), None);
    assert_eq!(catalogue.capture_row(CaptureId::new(2)).unwrap().mark, None);
    assert_eq!(catalogue.capture_detail(CaptureId::new(1)).unwrap().notes.len(), 2);
    assert!(made.workspace.exported_capture(CaptureId::new(1), 90, &LinkingPages::default()).unwrap().notes.is_empty());
}

#[test]
fn undone_decisions_are_redone_in_order_until_another_follows() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let entries = vec![capture("http://a.pt/p", 1, 0, "sha1:A", &[]), capture("http://a.pt/q", 1, 20, "sha1:B", &[])];
    catalogue.add_captures(made.launch, entries).unwrap();
    let marks = || [1, 2].map(|id| catalogue.capture_row(CaptureId::new(id)).unwrap().mark);
    assert_eq!(catalogue.redo_mark().unwrap(), None);
    catalogue.mark(&[CaptureId::new(1), CaptureId::new(2)], ReviewMark::Approve, "", "ana").unwrap();
    catalogue.mark(&[CaptureId::new(2)], ReviewMark::Flag, "", "ana").unwrap();
    catalogue.mark(&[CaptureId::new(1)], ReviewMark::Reject, "", "ana").unwrap();
    for _ in 0..3 {
        catalogue.undo_mark().unwrap();
    }
    assert_eq!(marks(), [None, None]);
    assert_eq!(catalogue.redo_mark().unwrap(), Some((ReviewMark::Approve, 2)));
    assert_eq!(catalogue.redo_mark().unwrap(), Some((ReviewMark::Flag, 1)));
    assert_eq!(marks(), [Some(ReviewMark::Approve), Some(ReviewMark::Flag)]);
    // The rejection is left to redo, but another act follows the two.
    catalogue.mark(&[CaptureId::new(2)], ReviewMark::Approve, "", "ana").unwrap();
    assert_eq!(catalogue.redo_mark().unwrap(), None);
    // Once that is undone, it alone was undone last.
    catalogue.undo_mark().unwrap();
    assert_eq!(catalogue.redo_mark().unwrap(), Some((ReviewMark::Approve, 1)));
    assert_eq!(catalogue.redo_mark().unwrap(), None);
    assert_eq!(marks(), [Some(ReviewMark::Approve), Some(ReviewMark::Approve)]);
}

#[test]
fn a_campaign_is_versioned_and_an_unchanged_one_is_not() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let (version, mut spec) = catalogue.campaign(made.campaign).unwrap();
    assert_eq!(version, 1);
    catalogue.save_campaign(Some(made.campaign), &spec).unwrap();
    assert_eq!(catalogue.campaign(made.campaign).unwrap().0, 1);
    spec.description = "More".to_owned();
    catalogue.save_campaign(Some(made.campaign), &spec).unwrap();
    assert_eq!(catalogue.campaign(made.campaign).unwrap(), (2, spec));
    assert_eq!(catalogue.campaign_version(made.campaign, 1).unwrap().description, "");
    assert_eq!(catalogue.find_campaign("Town").unwrap(), made.campaign);
    assert!(catalogue.find_campaign("Nowhere").unwrap_err().to_string().contains("campaign list"));
}

/// The tally equals a count of every row.
#[track_caller]
fn check_tally(made: &Made) {
    let catalogue = made.workspace.catalogue();
    type Sums = Vec<(i64, i64, i64)>;
    let (tallied, counted): (Sums, Sums) = catalogue
        .read(|conn| {
            let sums = |sql: &str| -> Sums {
                let mut statement = conn.prepare(sql).unwrap();
                let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
                rows.map(Result::unwrap).collect()
            };
            Ok((
                sums("SELECT state, accepted, sum(urls) FROM seen_tally GROUP BY 1, 2 HAVING sum(urls) <> 0 ORDER BY 1, 2"),
                sums("SELECT state, accepted, count(*) FROM seen GROUP BY 1, 2 ORDER BY 1, 2"),
            ))
        })
        .unwrap();
    assert_eq!(tallied, counted);
}

#[test]
fn seen_urls_are_tallied_as_they_come_and_change() {
    let made = made();
    let found = |state| (0..4).map(move |i| admission(&format!("http://a.pt/{i}"), state, i)).collect::<Vec<_>>();
    made.ledger.admit(found(AdmissionState::Refused)).unwrap();
    check_tally(&made);
    made.ledger.admit(found(AdmissionState::Queued)).unwrap();
    check_tally(&made);
    let ends = [(200, false), (404, false), (-2, false), (0, true)];
    for (queued, (fetch_status, refused)) in
        made.ledger.waiting("a.pt", &[], CaptureDate::now(), 10).unwrap().iter().zip(ends)
    {
        let finished = Finished {
            id: queued.id,
            fetch_status,
            why: None,
            refused: refused.then(|| verdict(Decision::Reject)),
            capture: None,
            found: Vec::new(),
            reading: None,
        };
        made.ledger.finish(finished).unwrap();
        check_tally(&made);
    }
    let launch = made.workspace.catalogue().launch(made.launch).unwrap();
    assert_eq!((launch.queued, launch.fetched, launch.failed, launch.refused), (0, 2, 1, 1));
    let page = made.workspace.catalogue().crawl_page(None, Launches::Last).unwrap().unwrap();
    assert_eq!(page.launch.map(|launch| launch.id), Some(made.launch));
    assert_eq!(page.classes, [1, 0, 1, 0, 1]);
    assert_eq!(page.refused_by_rule, [("SurtPrefixedDecideRule".to_owned(), 1)]);
    assert_eq!((page.hosts[0].host.as_str(), page.hosts[0].fetched, page.hosts[0].refused), ("a.pt", 2, 1));
}

#[test]
fn a_title_that_two_campaigns_share_names_neither() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    assert_eq!(catalogue.find_campaign("Town").unwrap(), made.campaign);
    assert_eq!(catalogue.find_campaign("1").unwrap(), made.campaign);
    let (_, spec) = catalogue.campaign(made.campaign).unwrap();
    catalogue.save_campaign(None, &spec).unwrap();
    let error = catalogue.find_campaign("Town").unwrap_err().to_string();
    assert!(error.contains("1, 2"), "{error}");
    let error = catalogue.find_campaign("Village").unwrap_err().to_string();
    assert!(error.contains("fonds campaign list"), "{error}");
}

#[test]
fn a_launch_that_was_given_up_is_not_taken_up_again() {
    use super::rows::LaunchState;
    let made = made();
    let catalogue = made.workspace.catalogue();
    catalogue.set_launch_state(made.launch, LaunchState::Stopped, "").unwrap();
    assert_eq!(catalogue.unfinished_launch(made.campaign).unwrap().unwrap().id, made.launch);
    let fresh = catalogue.begin_launch(made.campaign, "town", CaptureDate::now()).unwrap().id;
    catalogue.end_abandoned_launches().unwrap();
    let unfinished = catalogue.unfinished_launch(made.campaign).unwrap().unwrap();
    assert_eq!((unfinished.id, unfinished.state), (fresh, LaunchState::Stopped));
    catalogue.set_launch_state(fresh, LaunchState::Finished, "").unwrap();
    assert!(catalogue.unfinished_launch(made.campaign).unwrap().is_none());
}

#[test]
fn an_imported_job_is_no_launch_to_go_on_with() {
    use super::rows::LaunchState;
    let made = made();
    let catalogue = made.workspace.catalogue();
    catalogue.set_launch_state(made.launch, LaunchState::Stopped, "").unwrap();
    let foreign = catalogue.engine_launch(made.campaign, "town", "20250101000000", CaptureDate::now()).unwrap();
    assert!(foreign > made.launch);
    assert_eq!(catalogue.unfinished_launch(made.campaign).unwrap().unwrap().id, made.launch);
    assert_eq!(catalogue.last_launch(Some(made.campaign)).unwrap().unwrap().id, made.launch);
    assert_eq!(catalogue.launches(Some(made.campaign)).unwrap().len(), 2);
    // Where nothing else is there, it is what there is to show.
    let (_, spec) = catalogue.campaign(made.campaign).unwrap();
    let other = catalogue.save_campaign(None, &spec).unwrap();
    let only = catalogue.engine_launch(other, "other", "20250101000000", CaptureDate::now()).unwrap();
    assert_eq!(catalogue.last_launch(Some(other)).unwrap().unwrap().id, only);
    assert!(catalogue.unfinished_launch(other).unwrap().is_none());
}

#[test]
fn a_number_that_is_none_is_not_saved_and_one_campaign_keeps_no_other_out() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let (version, mut spec) = catalogue.campaign(made.campaign).unwrap();
    for number in [f64::INFINITY, f64::NAN] {
        spec.politeness.delay_factor = number;
        let error = catalogue.save_campaign(Some(made.campaign), &spec).unwrap_err().to_string();
        assert!(error.contains("Town") && error.contains("finite"), "{error}");
        assert!(catalogue.save_campaign(None, &spec).is_err());
    }
    assert_eq!((catalogue.campaign(made.campaign).unwrap().0, catalogue.campaigns().unwrap().len()), (version, 1));
    // One that an earlier version saved so.
    spec.politeness.delay_factor = 1.0;
    spec.name = "Village".to_owned();
    let broken = catalogue.save_campaign(None, &spec).unwrap();
    let written = catalogue.write(move |conn| {
        Ok(conn.execute("UPDATE campaign_version SET spec = '{\"name\": null}' WHERE campaign = ?1", [broken])?)
    });
    assert_eq!(written.unwrap(), 1);
    let rows = catalogue.campaigns().unwrap();
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["Town", "Village"]);
    assert_eq!(rows[0].problem, None);
    assert!(rows[1].problem.as_ref().unwrap().contains(&format!("campaign {broken}")), "{rows:?}");
    assert!(!rows[1].active && rows[1].next_run.is_none(), "{rows:?}");
    let (campaigns, problems) = catalogue.scheduled_campaigns().unwrap();
    assert_eq!((campaigns.len(), campaigns[0].id, problems.len()), (1, made.campaign, 1));
}

#[test]
fn changes_are_found_whatever_the_order_captures_come_in() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let redirect = |seconds, offset| {
        let mut entry = capture("http://a.pt/p", seconds, offset, "r", &[]);
        entry.notes.status = 301;
        entry
    };
    let entries = vec![
        capture("http://a.pt/p", 3_000, 0, "new", &[]),
        redirect(2_500, 10),
        capture("https://a.pt/p", 1_000, 20, "old", &[]),
        capture("http://a.pt/p", 2_000, 30, "old", &[]),
    ];
    catalogue.add_captures(made.launch, entries).unwrap();
    let in_tab = |tab| {
        let page = catalogue.captures(&CaptureQuery { tab, ..query("") }).unwrap();
        page.rows.iter().map(|row| row.date.seconds()).collect::<Vec<_>>()
    };
    assert_eq!(in_tab(CaptureTab::Changed), [3_000]);
    assert_eq!(in_tab(CaptureTab::Duplicates), [2_000]);
}
