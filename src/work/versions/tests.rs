//! A generated site crawled twice: what is new, gone, changed and failing; holes that are patched, and a patch that is
//! discarded.

use crate::campaign::{Campaign, PrivateAddresses, Seed, SeedScope};
use crate::exchange::HostOverride;
use crate::jobs::JobCx;
use crate::store::{HoleState, PageChange, Workspace};
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::text::PartKind;
use crate::work;
use crate::work::models::{CampaignId, CaptureId, CaptureQuery, CaptureTab};
use crate::work::{CrawlOptions, HoleChoice, NamedCapture, Session, everything};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A site, the number of its state, and a workspace with a campaign of it.
struct Site {
    state: Arc<AtomicUsize>,
    server: ScriptedServer,
    session: Session,
    campaign: CampaignId,
    dir: tempfile::TempDir,
}

fn seed(url: &str) -> Seed {
    Seed { url: url.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() }
}

impl Site {
    fn new(seeds: &[&str], answer: impl Fn(usize, &str, &str) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let state = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&state);
        let server = ScriptedServer::start(move |host, path| match path {
            "/robots.txt" => ScriptedReply::page(404, "", ""),
            _ => answer(now.load(Ordering::SeqCst), host, path),
        });
        let dir = tempfile::tempdir().unwrap();
        let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
        let to_server = |host: &str| HostOverride { host: host.to_owned(), port: 80, addr: server.addr };
        session.set_overrides(["a.example", "b.example"].map(to_server).into());
        let mut spec = Campaign::new("Town");
        spec.rules = crate::scope::standard_rules();
        spec.seeds = seeds.iter().map(|url| seed(url)).collect();
        spec.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
        (spec.politeness.delay_factor, spec.politeness.min_delay_ms) = (0.0, 0);
        (spec.politeness.max_retries, spec.politeness.retry_delay_seconds) = (0, 0);
        spec.politeness.allow_private_addresses = PrivateAddresses::Listed(vec!["127.0.0.0/8".to_owned()]);
        let campaign = session.catalogue().save_campaign(None, &spec).unwrap();
        Self { state, server, session, campaign, dir }
    }

    fn crawl_in(&self, state: usize) {
        self.state.store(state, Ordering::SeqCst);
        self.session.crawl_with(self.campaign, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    }

    fn found(&self, filter: &str) -> Vec<(CaptureId, String)> {
        let query = CaptureQuery { filter: filter.to_owned(), limit: 1_000, ..everything() };
        let page = self.session.catalogue().captures(&query).unwrap();
        assert_eq!(page.filter_problem, None, "{filter}");
        assert_eq!(page.rows.len() as u64, page.total, "{filter}");
        page.rows.into_iter().map(|row| (row.id, row.url.trim_start_matches("http://").to_owned())).collect()
    }

    fn urls(&self, filter: &str) -> BTreeSet<String> {
        self.found(filter).into_iter().map(|(_, url)| url).collect()
    }
}

fn weekly() -> Site {
    let links = |names: &[&str]| names.iter().map(|name| format!("<a href=\"{name}\">{name}</a> ")).collect::<String>();
    Site::new(&["http://a.example/", "http://b.example/"], move |week, host, path| {
        let html = |text: &str| ScriptedReply::html(&format!("<title>{path}</title><p>{text}</p>"));
        match (host, path, week) {
            ("a.example", "/", 0) => html(&links(&[
                "/same",
                "/changed",
                "/gone404",
                "/gone410",
                "/unlinked",
                "/failing",
                "/silent",
                "/moved",
                "/back",
                "/bad",
            ])),
            ("a.example", "/", _) => html(&links(&[
                "/same", "/changed", "/gone404", "/gone410", "/failing", "/silent", "/moved", "/back", "/bad", "/new",
                "/new404",
            ])),
            ("b.example", "/", 0) => html("the front page"),
            ("b.example", "/", _) => html("another front page"),
            (_, "/same", _) | (_, "/unlinked", 0) | (_, "/new", 1) => html("it stays"),
            (_, "/changed", _) => html(&format!("week {week} of the yard")),
            (_, "/failing", 1) | (_, "/bad", _) => ScriptedReply::page(500, "", "broken"),
            (_, "/gone404", 1) | (_, "/back", 0) | (_, "/new404", _) => ScriptedReply::page(404, "", "none"),
            (_, "/gone410", 1) => ScriptedReply::page(410, "", "none"),
            (_, "/silent", 1) => ScriptedReply::raw(""),
            (_, "/moved", 1) => ScriptedReply::page(302, "Location: /same\r\n", ""),
            _ => html("a page"),
        }
    })
}

#[test]
fn pages_that_are_new_gone_changed_and_failing_are_found_exactly() {
    let site = weekly();
    site.crawl_in(0);
    for change in PageChange::ALL {
        assert!(site.urls(&change.filter(None)).is_empty(), "there is nothing to compare yet");
    }
    site.crawl_in(1);
    let set = |urls: &[&str]| urls.iter().map(|url| (*url).to_owned()).collect::<BTreeSet<String>>();
    let expected = [
        (PageChange::New, set(&["a.example/new"])),
        (PageChange::Gone, set(&["a.example/gone404", "a.example/gone410", "a.example/unlinked"])),
        (
            PageChange::Changed,
            set(&[
                "a.example/",
                "b.example/",
                "a.example/changed",
                "a.example/gone404",
                "a.example/gone410",
                "a.example/failing",
                "a.example/moved",
                "a.example/back",
            ]),
        ),
        (PageChange::Failing, set(&["a.example/failing", "a.example/silent"])),
    ];
    let catalogue = site.session.catalogue();
    let compared = work::launch_comparison(&site.session, site.campaign, None, None).unwrap().unwrap();
    assert!(compared.is_last);
    for is_indexed in [false, true] {
        if is_indexed {
            site.session.index_texts(false, &JobCx::detached()).unwrap();
        }
        for (change, urls) in &expected {
            assert_eq!(site.urls(&change.filter(None)), *urls, "{change:?}");
            assert_eq!(compared.count(*change), urls.len() as u64, "{change:?}");
            let named = change.filter(Some((&compared.before, &compared.after)));
            assert_eq!(site.urls(&named), *urls, "{named}");
            // Every number leads to its rows.
            for host in &compared.hosts {
                let rows = site.urls(&compared.filter(*change, Some(&host.host)));
                assert_eq!(rows.len() as u64, host.count(*change), "{change:?} of {}", host.host);
            }
        }
        let all: BTreeSet<CaptureId> = site.found("").into_iter().map(|(id, _)| id).collect();
        let changed: BTreeSet<CaptureId> = site.found("since:changed").into_iter().map(|(id, _)| id).collect();
        let others: BTreeSet<CaptureId> = site.found("NOT since:changed").into_iter().map(|(id, _)| id).collect();
        assert_eq!(&changed | &others, all);
        assert!(changed.is_disjoint(&others));
    }
    assert_eq!(compared.same, 1, "of the pages only /same is the same");
    // One object a page, with what says most.
    let listed = work::listed_changes(&site.session, compared.pair).unwrap();
    assert_eq!(listed.len(), 11);
    let of = |path: &str| listed.iter().find(|page| page.url.ends_with(path)).unwrap();
    let gone = of("/gone404");
    assert_eq!((gone.change, gone.before_status, gone.after_status), (PageChange::Gone, Some(200), Some(404)));
    assert_eq!(gone.changes, [PageChange::Gone, PageChange::Changed]);
    assert!(gone.before_date < gone.after_date);
    let unlinked = of("/unlinked");
    assert_eq!((unlinked.after_status, unlinked.outcome.as_deref()), (None, Some("not met")));
    assert!(of("/silent").outcome.is_some() && of("/back").change == PageChange::Changed);
    // The ready filter of the table.
    let tab = CaptureQuery { tab: CaptureTab::Changed, limit: 100, ..everything() };
    let tab: BTreeSet<String> = catalogue.captures(&tab).unwrap().rows.into_iter().map(|row| row.url).collect();
    assert!(tab.contains("http://a.example/gone404") && tab.contains("http://a.example/changed"), "{tab:?}");
    assert!(!tab.contains("http://a.example/same") && !tab.contains("http://a.example/new404"), "{tab:?}");
    // Another campaign is compared by its own launches.
    let mut other = catalogue.campaign(site.campaign).unwrap().1;
    other.name = "Other".to_owned();
    let other = catalogue.save_campaign(None, &other).unwrap();
    assert_eq!(work::launch_comparison(&site.session, other, None, None).unwrap(), None);
    let query = CaptureQuery { filter: "since:new".to_owned(), campaign: Some(other), ..everything() };
    assert_eq!(catalogue.captures(&query).unwrap().total, 0);
    let wrong = CaptureQuery { filter: "since:new@1..2".to_owned(), ..everything() };
    assert!(catalogue.captures(&wrong).unwrap().filter_problem.unwrap().contains("no launches 1 and 2"));
    // The launches the other way round.
    let back = (compared.pair.after, compared.pair.before);
    let back = work::launch_comparison(&site.session, site.campaign, Some(back.0), Some(back.1)).unwrap().unwrap();
    assert_eq!((back.count(PageChange::Gone), back.is_last), (2, false), "/new and /back");
    assert_eq!(site.urls(&back.filter(PageChange::Gone, None)).len(), 2);
}

#[test]
fn two_captures_of_a_page_are_compared_by_text_and_links() {
    let page = |text: &str, links: &str| {
        ScriptedReply::html(&format!(
            "<title>Yard</title><main><article><p>{text} The yard built wooden boats for many years beside the river.</p>\
             <p>Seventeen carpenters worked there until the last boat left the ramp.</p>{links}</article></main>"
        ))
    };
    let site = Site::new(&["http://a.example/"], move |week, _, path| match (path, week) {
        ("/", 0) => page("The yard is open.", "<a href=/one>One</a> <a href=/two>Two</a>"),
        ("/", _) => page("The yard is closed.", "<a href=/one>First</a> <a href=/three>Three</a>"),
        _ => ScriptedReply::html("<p>leaf</p>"),
    });
    site.crawl_in(0);
    site.crawl_in(1);
    site.session.index_texts(false, &JobCx::detached()).unwrap();
    // What the index kept is enough.
    std::fs::remove_dir_all(site.dir.path().join("w").join("warcs")).ok();
    let named = NamedCapture::parse("http://a.example/").unwrap();
    let (before, after) = work::captures_to_compare(&site.session, &named, None, (None, None)).unwrap();
    assert!(before < after);
    let diff = work::capture_diff(&site.session, before, after, false).unwrap();
    assert!(!diff.is_same_payload);
    let parts: Vec<(PartKind, &str)> =
        diff.text.lines.iter().flat_map(|line| &line.parts).map(|part| (part.kind, part.text.as_str())).collect();
    assert!(parts.contains(&(PartKind::Removed, "open")) && parts.contains(&(PartKind::Added, "closed")), "{parts:?}");
    assert_eq!(diff.links_added[0].url, "http://a.example/three");
    assert_eq!(diff.links_removed[0].url, "http://a.example/two");
    let reworded = &diff.links_reworded[0];
    assert_eq!(
        (reworded.before.clone(), reworded.after.clone()),
        (Some(vec!["One".into()]), Some(vec!["First".into()]))
    );
    let by_number = NamedCapture::parse(&after.to_string()).unwrap();
    assert_eq!(
        work::captures_to_compare(&site.session, &by_number, None, (None, None)).unwrap(),
        (before, after),
        "a capture is compared with the one before"
    );
    let first = NamedCapture::Number(before);
    let none = work::captures_to_compare(&site.session, &first, None, (None, None)).unwrap_err().to_string();
    assert!(none.contains("the first of its page"), "{none}");
    assert!(work::capture_diff(&site.session, after, after, false).unwrap().text.removed_words == 0);
    assert!(NamedCapture::parse("nothing here").is_err());
}

/// A page with an image that the server fails to give at first, one that a rule refuses, one that is not there, and a
/// style sheet that names a further one.
fn with_holes() -> Site {
    let site = Site::new(&["http://a.example/"], |state, host, path| match (host, path, state) {
        ("a.example", "/", _) => ScriptedReply::html(
            "<title>Yard</title><link rel=stylesheet href=/style.css><img src=/hole.png>\
             <img src=http://b.example/maps/x.png><img src=/none.png><a href=/next>next</a>",
        ),
        ("a.example", "/style.css", _) => {
            ScriptedReply::page(200, "Content-Type: text/css\r\n", "body { background: url(/back.png) }")
        }
        (_, "/hole.png" | "/back.png", 0) => ScriptedReply::page(503, "", "busy"),
        (_, "/none.png", _) => ScriptedReply::page(404, "", "none"),
        (_, path, _) if path.ends_with(".png") => {
            ScriptedReply::page(200, "Content-Type: image/png\r\n", format!("\u{89}PNG{path}"))
        }
        _ => ScriptedReply::html("<p>next</p>"),
    });
    let catalogue = site.session.catalogue();
    let mut spec = catalogue.campaign(site.campaign).unwrap().1;
    let regex = spec.rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
    regex["patterns"] = serde_json::json!([".*/maps/.*"]);
    catalogue.save_campaign(Some(site.campaign), &spec).unwrap();
    site.crawl_in(0);
    site
}

/// All rows of a catalogue but names that are kept once, jobs, settings, and the list of what was discarded.
fn dump(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let conn = rusqlite::Connection::open(folder.join("fonds.sqlite")).unwrap();
    let mut names = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let left_out = ["job", "setting", "discarded_launch", "url", "page", "host"];
    let of_table = |name: String| {
        let mut rows = conn.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|at| format!("{:?}", row.get::<_, rusqlite::types::Value>(at).unwrap()));
            Ok(values.collect::<Vec<_>>().join(" "))
        };
        let mut lines: Vec<String> = rows.query_map([], text).unwrap().map(Result::unwrap).collect();
        lines.sort();
        (name, lines)
    };
    names
        .into_iter()
        .filter(|name| !name.starts_with("sqlite_") && !left_out.contains(&name.as_str()))
        .map(of_table)
        .collect()
}

#[test]
fn a_hole_is_patched_and_gone_and_a_patch_that_is_discarded_leaves_the_workspace_as_before() {
    let site = with_holes();
    let (session, catalogue) = (&site.session, site.session.catalogue());
    let cx = JobCx::detached();
    let captures = work::captures_to_patch(session, site.campaign, "").unwrap();
    let holes = session.holes(&captures, None, &cx).unwrap();
    let states: BTreeMap<&str, &HoleState> =
        holes.iter().map(|hole| (hole.url.as_str().trim_start_matches("http://"), &hole.state)).collect();
    let refused = HoleState::Refused { rule: "MatchesListRegexDecideRule".to_owned() };
    let expected: BTreeMap<&str, &HoleState> = BTreeMap::from([
        ("a.example/back.png", &HoleState::Error { status: 503 }),
        ("a.example/hole.png", &HoleState::Error { status: 503 }),
        ("a.example/none.png", &HoleState::Error { status: 404 }),
        ("b.example/maps/x.png", &refused),
    ]);
    assert_eq!(states, expected);
    let needs = catalogue.needs(captures[0]).unwrap().needs;
    assert_eq!(needs.len(), 5, "the image of the style sheet among them: {needs:?}");
    assert_eq!(needs.iter().filter(|need| need.hole().is_none()).count(), 1);
    let chosen = |lets_in| {
        let holes = session.holes(&captures, Some(HoleChoice { lets_in, with_errors: false }), &cx).unwrap();
        holes.into_iter().map(|hole| hole.url).collect::<Vec<_>>()
    };
    assert_eq!(chosen(false), ["http://a.example/back.png", "http://a.example/hole.png"]);
    let urls = chosen(true);
    assert_eq!(urls.len(), 3);

    let before = dump(&site.dir.path().join("w"));
    let last = catalogue.own_last_launch(site.campaign).unwrap().unwrap();
    site.state.store(1, Ordering::SeqCst);
    let pages = site.server.paths("a.example").len();
    let outcome = session.patch(site.campaign, &urls, &captures, &CrawlOptions::default(), &cx).unwrap();
    assert_eq!((outcome.listed, outcome.filled, outcome.left.len()), (3, 3, 0), "{outcome:?}");
    let requested = site.server.paths("a.example")[pages..].to_vec();
    let requested: BTreeSet<String> = requested.into_iter().filter(|path| path != "/robots.txt").collect();
    assert_eq!(
        requested,
        BTreeSet::from(["/back.png".to_owned(), "/hole.png".to_owned()]),
        "its list and nothing else"
    );
    let left = session.holes(&captures, None, &cx).unwrap();
    assert_eq!(left.iter().map(|hole| hole.url.as_str()).collect::<Vec<_>>(), ["http://a.example/none.png"]);
    // It is no launch that others are compared with or resumed.
    assert_eq!(catalogue.own_last_launch(site.campaign).unwrap().unwrap().id, last.id);
    assert!(catalogue.last_trial(site.campaign).unwrap().is_none());
    assert_eq!(catalogue.launch_pair(site.campaign, None, None).unwrap(), None);
    let patch = catalogue.launches(Some(site.campaign)).unwrap().pop().unwrap();
    assert!(patch.label().starts_with("Patch: finished"), "{}", patch.label());
    assert!(patch.trial.unwrap().is_patch);
    // A mark on a capture of it has to be confirmed.
    let image = site.found("url:hole.png status:200")[0].0;
    session.mark(&[image], crate::work::models::ReviewMark::Approve, "", "tester").unwrap();
    assert!(session.discard_trial(patch.id, false, &cx).unwrap_err().to_string().contains("a person decided"));
    let discarded = session.discard_trial(patch.id, true, &cx).unwrap();
    assert!(discarded.contents.is_patch && discarded.contents.captures >= 3, "{discarded:?}");
    assert!(!discarded.files.is_empty());
    for file in &discarded.files {
        assert!(file.starts_with("discarded/") && site.dir.path().join("w").join(file).is_file(), "{file}");
    }
    assert_eq!(dump(&site.dir.path().join("w")), before);
    assert_eq!(session.holes(&captures, None, &cx).unwrap(), holes);
    let named = catalogue.discarded_launches().unwrap();
    assert!(named.len() == 1 && named[0].is_patch && named[0].launch == patch.launch, "{named:?}");
    // It can be done again, and what a weekly launch misses counts as there after its patch.
    site.state.store(0, Ordering::SeqCst);
    site.crawl_in(0);
    site.state.store(1, Ordering::SeqCst);
    let again = session.patch(site.campaign, &urls[..2], &captures, &CrawlOptions::default(), &cx).unwrap();
    assert_eq!((again.filled, again.left.len()), (2, 0));
    assert_eq!(site.urls("since:failing"), BTreeSet::new());
    assert_eq!(
        site.urls("since:changed url:.png"),
        BTreeSet::from(["a.example/back.png".to_owned(), "a.example/hole.png".to_owned()])
    );
}

#[test]
fn a_patched_hole_is_no_finding_any_more_and_checks_and_lists_have_one_answer() {
    let site = with_holes();
    let (session, catalogue) = (&site.session, site.session.catalogue());
    let cx = JobCx::detached();
    session.check_pages(&cx).unwrap();
    let page = site.found("url:a.example status:200 media:page")[0].0;
    let lacks = |page: CaptureId| {
        let found = catalogue.findings_of(page).unwrap();
        let missing = found.into_iter().find(|of| of.check == "missing-resources").map(|of| of.evidence);
        let named = missing.and_then(|of| of["requisites"].as_array().cloned()).unwrap_or_default();
        named.iter().map(|of| of["url"].as_str().unwrap().to_owned()).collect::<BTreeSet<String>>()
    };
    let listed = |page: CaptureId| {
        let needs = catalogue.needs(page).unwrap();
        assert!(needs.is_read, "{needs:?}");
        needs.needs.into_iter().filter(|need| need.is_loss()).map(|need| need.url).collect::<BTreeSet<String>>()
    };
    let of = |urls: &[&str]| urls.iter().map(|url| format!("http://{url}")).collect::<BTreeSet<String>>();
    assert_eq!(lacks(page), of(&["a.example/hole.png", "a.example/none.png", "b.example/maps/x.png"]));
    assert_eq!(listed(page), lacks(page));
    let holes = session.holes(&[page], None, &cx).unwrap();
    let weighed = holes.iter().filter(|hole| hole.weight > 0).map(|hole| hole.url.clone()).collect::<BTreeSet<_>>();
    assert_eq!(weighed, lacks(page), "what only a style sheet names weighs nothing: {holes:?}");

    site.state.store(1, Ordering::SeqCst);
    let urls = ["http://a.example/hole.png".to_owned(), "http://b.example/maps/x.png".to_owned()];
    session.patch(site.campaign, &urls, &[page], &CrawlOptions::default(), &cx).unwrap();
    assert_eq!(lacks(page), of(&["a.example/none.png"]), "nobody ran the checks");
    assert_eq!(listed(page), lacks(page));
    // A crawl is checked by itself, too.
    site.crawl_in(1);
    let pages = site.found("url:a.example status:200 media:page");
    let newest = pages.iter().filter(|(_, url)| url == "a.example/").map(|(id, _)| *id).max().unwrap();
    assert!(newest > page && catalogue.loss_of(newest).unwrap().is_some());
    assert_eq!(lacks(newest), of(&["a.example/none.png"]));
}

#[test]
fn a_patch_that_was_stopped_goes_on_with_its_list() {
    let site = with_holes();
    let urls = vec!["http://a.example/hole.png".to_owned(), "http://a.example/back.png".to_owned()];
    let catalogue = site.session.catalogue();
    let job = crate::store::job_name("Town");
    let launch = catalogue.begin_patch(site.campaign, &job, crate::uri::CaptureDate::now(), &urls).unwrap();
    assert_eq!(catalogue.patch_urls(launch.id).unwrap(), urls);
    catalogue.set_launch_state(launch.id, crate::work::models::LaunchState::Stopped, "killed").unwrap();
    site.state.store(1, Ordering::SeqCst);
    let cx = JobCx::detached();
    let outcome = site.session.patch(site.campaign, &urls, &[], &CrawlOptions::default(), &cx).unwrap();
    assert_eq!((outcome.crawl.launch, outcome.crawl.resumed), (launch.launch, true));
    assert_eq!((outcome.filled, outcome.left.len()), (2, 0));
    assert!(catalogue.unfinished_patch(site.campaign).unwrap().is_none());
}
