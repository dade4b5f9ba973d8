//! The catalogue answers quickly when it is large: 100,000 captures, a million seen URLs.
//!
//! The tests use a hundredth of that; where `FONDS_LARGE` is set, all of it, within a time limit
//! (two minutes, half a gigabyte):
//!
//! `FONDS_LARGE=1 cargo test --no-default-features large_catalogue -- --nocapture`

use super::rows::{CampaignId, CaptureColumn, CaptureId, CaptureQuery, CaptureTab, LaunchId, Launches, SeenQuery};
use super::{LaunchLedger, Workspace};
use crate::campaign::{Campaign, Seed, SeedScope};
use crate::crawl::Ledger;
use crate::jobs::JobCx;
use crate::links::{LinkKind, Outlink};
use crate::uri::CaptureDate;
use crate::uri::Url;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The size of a catalogue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) hosts: u32,
    pub(super) captures: u32,
    pub(super) seen: u32,
}

const LARGE: Size = Size { hosts: 5_000, captures: 100_000, seen: 1_000_000 };

const SMALL: Size = Size { hosts: 50, captures: 1_000, seen: 10_000 };

/// A question a page of the window waits for is answered in this time,
/// even where SQLite is compiled for debugging and other work runs beside.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// One campaign, two launches: the first one captured 50,000 pages, the second
/// one again, half of them unchanged, and saw a million URLs.
pub(super) fn fill(path: &std::path::Path, Size { hosts, captures, seen }: Size) {
    let (anchors, marks) = (captures / 5, captures / 20);
    let conn = rusqlite::Connection::open(path).unwrap();
    crate::store::captures::link_list::register(&conn).unwrap();
    conn.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
         CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
         WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < {seen}) INSERT INTO n SELECT i FROM c;
         BEGIN;
         INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms) VALUES
            (1, 'crawl', 1, 1, 'large', '20240101000000', 'finished', 1704067200000),
            (2, 'crawl', 1, 1, 'large', '20240201000000', 'stopped', 1706745600000);
         INSERT INTO host SELECT i, 'host' || i || '.example' FROM n WHERE i <= {hosts};
         INSERT INTO page SELECT i, 'example,host' || (1 + i % {hosts}) || ')/path/' || i FROM n;
         INSERT INTO url SELECT i, 'http://host' || (1 + i % {hosts}) || '.example/path/' || i, i, 1 + i % {hosts} FROM n;
         INSERT INTO seen (launch, url, host, via, hops, anchor, seed, source_tag, is_seed, nofollow, accepted,
                rule_index, rule_name, state, priority, due_ms, fetch_status, date_ms)
            SELECT 2, i, CASE WHEN i % 3 THEN 1 + i % {hosts} ELSE 1 + i % 7 END, 1 + i * 7919 % {seen}, 'LL', 'there',
                'http://host1.example/', '', 0, 0, i <= {captures} / 2 OR i % 3 = 0,
                CASE WHEN i <= {captures} / 2 OR i % 3 = 0 THEN 1 ELSE 3 + i % 4 END,
                CASE WHEN i <= {captures} / 2 OR i % 3 = 0 THEN 'SeedScopeDecideRule' ELSE 'Rule' || (3 + i % 4) END,
                CASE WHEN i <= {captures} / 2 THEN 2 WHEN i % 30 = 0 THEN 3 WHEN i % 3 = 0 THEN 0 ELSE 1 END,
                100 + i % 50, CASE WHEN i % 100 THEN 0 ELSE 9999999999999 END,
                CASE WHEN i <= {captures} / 2 THEN 200 WHEN i % 30 = 0 THEN -2 ELSE 0 END, 1706745600000 + i FROM n;
         INSERT INTO warc_file (id, path, launch) SELECT i, 'output/warcs/large/' || i || '.warc.gz', 1 + i % 2 FROM n WHERE i <= 100;
         INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, media, size, digest, title, hops, via, seed,
                rule_index, rule_name, revisit_of_ms, original, change, stored)
            SELECT i, 1 + (i > {captures} / 2), p, p, 1 + p % {hosts},
                1704067200000 + (i > {captures} / 2) * 2678400000 + i * 1000,
                CASE WHEN i % 20 = 0 THEN 404 WHEN i % 21 = 0 THEN 301 ELSE 200 END,
                CASE i % 10 WHEN 0 THEN 'image/png' WHEN 1 THEN 'text/css' WHEN 2 THEN 'application/pdf' ELSE 'text/html' END,
                CASE i % 10 WHEN 0 THEN 4 WHEN 1 THEN 7 WHEN 2 THEN 2 ELSE 1 END,
                1000 + i, 'sha1:' || CASE WHEN i % 2 THEN i ELSE p END, 'Title ' || i, 'LL', 1 + i * 7919 % ({captures} / 2),
                'http://host1.example/', 1, 'SeedScopeDecideRule',
                CASE WHEN i > {captures} / 2 AND i % 2 = 0 THEN 1704067200000 + p * 1000 END,
                CASE WHEN i > {captures} / 2 AND i % 2 = 0 THEN p END,
                CASE WHEN i <= {captures} / 2 THEN 0 WHEN i % 2 THEN 1 ELSE 2 END, 9000
            FROM (SELECT i, 1 + (i - 1) % ({captures} / 2) AS p FROM n WHERE i <= {captures});
         INSERT INTO revisit (capture, names_payload, lacks_head, declared_kind, found_by) SELECT id, 1, 0, 1, 0 FROM capture WHERE original;
         INSERT INTO record SELECT i, k, CASE k WHEN 0 THEN 'response' WHEN 1 THEN 'request' ELSE 'metadata' END,
                'urn:uuid:' || i || '-' || k, 1 + i % 100, i * 10000 + k * 3000, 3000
            FROM n, (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2) WHERE i <= {captures} ORDER BY i, k;
         INSERT INTO mark (act, capture, mark, note, who, date_ms)
            SELECT i, i * 17, CASE i % 3 WHEN 0 THEN 'approve' WHEN 1 THEN 'reject' ELSE 'note' END, '', 'somebody', 1 FROM n WHERE i <= {marks};
         INSERT INTO score SELECT 1, i, (i % 100) / 100.0, i % 100 > 40, '' FROM n WHERE i <= {captures} AND i % 10 > 2;
         INSERT INTO measure SELECT 1, i, (i % 100) / 100.0, i % 3 = 0, i % 7, i % 4, NULL, 0, 'ria 2 × in title' FROM n WHERE i <= {captures};
         INSERT INTO selection VALUES (1, '{}', 1);
         COMMIT;",
        serde_json::to_string(&super::rows::SelectionSpec { campaign: CampaignId::new(1), ..Default::default() }).unwrap()
    ))
    .unwrap();
    let all = conn.unchecked_transaction().unwrap();
    for i in (1..=captures).filter(|i| i % 10 > 2) {
        let link = |k: u32| {
            let most = if k.is_multiple_of(3) { seen } else { captures / 2 };
            let to = 1 + (u64::from(i) * 7919 + u64::from(k) * 104_729) % u64::from(most);
            let url = format!("http://host{}.example/path/{to}", 1 + to % u64::from(hosts));
            Outlink {
                anchor: format!("anchor text {}", 1 + (i + k) % anchors),
                position: k,
                ..Outlink::bare(Url::parse(&url).unwrap(), if k > 25 { LinkKind::Image } else { LinkKind::Anchor })
            }
        };
        crate::store::captures::link_list::insert_outlinks(
            &all,
            super::rows::CaptureId::new(i.into()),
            &(1..=30).map(link).collect::<Vec<_>>(),
        )
        .unwrap();
    }
    all.commit().unwrap();
}

#[test]
fn a_large_catalogue_answers_at_once() {
    let is_large = std::env::var_os("FONDS_LARGE").is_some();
    let size = if is_large { LARGE } else { SMALL };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    let workspace = Workspace::create(&folder).unwrap();
    let seed = |host: u32| Seed {
        url: format!("http://host{host}.example/"),
        scope: SeedScope::Root,
        depth: None,
        source_tag: String::new(),
    };
    let spec =
        Campaign { name: "Large".to_owned(), seeds: (1..=size.hosts / 25).map(seed).collect(), ..Campaign::default() };
    workspace.catalogue().save_campaign(None, &spec).unwrap();
    drop(workspace);
    let start = Instant::now();
    fill(&folder.join("fonds.sqlite"), size);
    println!("{:>8} ms to fill", start.elapsed().as_millis());

    let workspace = Workspace::open(&folder).unwrap();
    let catalogue = workspace.catalogue();
    let start = Instant::now();
    super::tests::build(&workspace);
    println!("{:>8} ms to build inlinks (a job)", start.elapsed().as_millis());
    let start = Instant::now();
    workspace.count_inlinks(90, &JobCx::detached()).unwrap();
    println!("{:>8} ms to count inlinks in the window (a job)", start.elapsed().as_millis());

    let mut slow = Vec::new();
    let mut time = |what: &str, action: &dyn Fn()| {
        let start = Instant::now();
        action();
        let took = start.elapsed();
        println!("{:>8.1} ms  {what}", took.as_secs_f64() * 1000.0);
        if is_large && took > PATIENCE {
            slow.push(what.to_owned());
        }
    };
    let far = CaptureId::new(i64::from(size.captures) * 6 / 10);
    let query = |filter: &str, tab: CaptureTab, sort: &[(CaptureColumn, bool)], offset: u64| CaptureQuery {
        filter: filter.to_owned(),
        tab,
        campaign: Some(CampaignId::new(1)),
        sort: sort.to_vec(),
        offset,
        limit: 200,
    };
    for (what, query) in [
        ("captures", query("", CaptureTab::All, &[], 0)),
        ("captures by date", query("", CaptureTab::All, &[(CaptureColumn::Date, true)], 0)),
        (
            "captures by URL, far down",
            query("", CaptureTab::All, &[(CaptureColumn::Url, false)], u64::from(size.captures) * 9 / 10),
        ),
        ("captures by external inlinks", query("", CaptureTab::All, &[(CaptureColumn::InlinksExternal, true)], 0)),
        ("captures by versions", query("", CaptureTab::All, &[(CaptureColumn::Versions, true)], 0)),
        ("captures by mark", query("", CaptureTab::All, &[(CaptureColumn::Mark, true)], 0)),
        ("captures with a word", query("path/777", CaptureTab::All, &[(CaptureColumn::Score, true)], 0)),
        ("captures with a rare word", query("nowhere", CaptureTab::Html, &[], 0)),
        ("captures not reviewed", query("status:2xx", CaptureTab::NotReviewed, &[(CaptureColumn::Date, false)], 0)),
    ] {
        time(what, &|| {
            catalogue.captures(&query).unwrap();
        });
    }
    time("tab counts", &|| {
        catalogue.tab_counts(&query("", CaptureTab::All, &[], 0)).unwrap();
    });
    time("tab counts with a word", &|| {
        catalogue.tab_counts(&query("path/77", CaptureTab::All, &[], 0)).unwrap();
    });
    time("numbers of all captures", &|| {
        catalogue.capture_ids(&query("", CaptureTab::All, &[], 0)).unwrap();
    });
    time("campaigns", &|| {
        catalogue.campaigns().unwrap();
    });
    time("a campaign", &|| {
        catalogue.campaign_page(CampaignId::new(1)).unwrap();
    });
    time("a launch", &|| {
        catalogue.launch(LaunchId::new(2)).unwrap();
    });
    time("the crawl page", &|| {
        catalogue.crawl_page(Some(CampaignId::new(1)), Launches::Last).unwrap();
    });
    time("the crawl page of all launches", &|| {
        catalogue.crawl_page(Some(CampaignId::new(1)), Launches::All).unwrap();
    });
    for (state, text) in [("refused", ""), ("queued", ""), ("all", "path/99999"), ("refused", "nowhere")] {
        time(&format!("seen URLs, {state}, “{text}”"), &|| {
            let filter = text.to_owned();
            let launches = Launches::One(LaunchId::new(2));
            let query = SeenQuery {
                campaign: Some(CampaignId::new(1)),
                launches,
                state,
                filter,
                sort: Vec::new(),
                offset: 0,
                limit: 200,
            };
            catalogue.seen(&query).unwrap();
        });
    }
    time("a seen URL", &|| {
        catalogue.seen_by_url(CampaignId::new(1), None, "http://host8.example/path/7").unwrap();
    });
    time("refused by rule", &|| {
        catalogue.refused_by_rule(CampaignId::new(1)).unwrap();
    });
    time("pages never captured", &|| {
        catalogue.prospects(&super::rows::ProspectQuery::new(Some(CampaignId::new(1)), "", 0, 200)).unwrap();
    });
    time("pages never captured, with a word", &|| {
        catalogue.prospects(&super::rows::ProspectQuery::new(None, "path/99999", 0, 200)).unwrap();
    });
    time("top anchors", &|| {
        workspace.top_anchors(50, &JobCx::detached()).unwrap();
    });
    time("one capture", &|| {
        catalogue.capture_detail(far).unwrap();
    });
    time("its inlinks", &|| {
        workspace.inlinks_of_capture(far, 90).unwrap();
    });
    time("its outlinks", &|| {
        catalogue.outlinks(CaptureId::new(far.get() + 4)).unwrap();
    });
    time("its original", &|| {
        catalogue.original_of(far).unwrap();
    });
    time("the selection page", &|| {
        catalogue.selection_page(CampaignId::new(1)).unwrap();
    });
    let start = Instant::now();
    let needed = catalogue.find_requisites(CampaignId::new(1), true, &JobCx::detached()).unwrap().len();
    println!("{:>8} ms to find {needed} captures that selected ones need (a job)", start.elapsed().as_millis());
    let ledger = LaunchLedger::new(Arc::clone(catalogue), LaunchId::new(2));
    time("backlog", &|| {
        ledger.backlog().unwrap();
    });
    time("waiting of a full host", &|| {
        assert!(!ledger.waiting("host1.example", &[], CaptureDate::now(), 100).unwrap().is_empty());
    });
    time("waiting of an empty host", &|| {
        ledger.waiting("host9.example", &[], CaptureDate::now(), 100).unwrap();
    });
    time("same payload", &|| {
        let url = Url::parse("http://host8.example/path/7").unwrap();
        ledger.same_payload(&url, "sha1:7").unwrap();
    });
    assert!(slow.is_empty(), "these take longer than {PATIENCE:?}: {}", slow.join("; "));
}
