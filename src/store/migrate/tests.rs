#![allow(clippy::unwrap_used)]

use super::*;
use crate::campaign::Campaign;
use crate::store::Workspace;
use crate::store::rows::{CampaignId, CaptureId, LaunchId};

/// An empty workspace of an earlier version.
fn of_version(version: u32) -> (tempfile::TempDir, std::path::PathBuf, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    drop(Workspace::create(&folder).unwrap());
    let path = folder.join("fonds.sqlite");
    std::fs::remove_file(&path).unwrap();
    let conn = Connection::open(&path).unwrap();
    create_version(&conn, version).unwrap();
    conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    conn.pragma_update(None, "user_version", version).unwrap();
    (dir, folder, conn)
}

/// What the page of files and the filter of captures ask for.
#[track_caller]
fn read_only_answers(looking: &Workspace) {
    let catalogue = looking.catalogue();
    assert_eq!(catalogue.imports().unwrap(), []);
    assert_eq!(catalogue.problems(&Default::default()).unwrap().rows, []);
    assert!(looking.files().unwrap().is_empty());
    assert_eq!(catalogue.judgements(None).unwrap(), []);
    assert_eq!(catalogue.imported_files(LaunchId::new(1)).unwrap(), []);
    for filter in ["file:a.warc.gz", "imported:1", "file:1", "requisite:yes", "export:yes", "right:*", "wrong:ship"] {
        let query = crate::store::rows::CaptureQuery {
            filter: filter.to_owned(),
            tab: crate::store::rows::CaptureTab::All,
            campaign: None,
            sort: Vec::new(),
            offset: 0,
            limit: 9,
        };
        assert_eq!(catalogue.captures(&query).unwrap().rows, [], "{filter}");
    }
}

#[test]
fn inlinks_of_an_earlier_format_are_thrown_away_and_built_again() {
    let (_dir, folder, conn) = of_version(4);
    conn.execute_batch(
        "INSERT INTO page VALUES (1, 'pt,a)/'), (2, 'pt,b)/');
         INSERT INTO anchor VALUES (1, 'A');
         INSERT INTO inlink VALUES (1, 5, 2, 1, 0, 1);
         CREATE TABLE inlink_new (target INTEGER);
         INSERT INTO inlink_build (date_ms, report) VALUES (5, '{}');",
    )
    .unwrap();
    drop(conn);
    let looking = Workspace::look(&folder).unwrap();
    assert_eq!(
        looking.catalogue().prospects(&crate::store::rows::ProspectQuery::new(None, "", 0, 9)).unwrap().rows,
        []
    );
    assert_eq!(looking.top_anchors(9, &Default::default()).unwrap(), []);
    assert!(looking.built_links().unwrap().is_none() && looking.catalogue().needs_rebuild().unwrap());
    assert!(looking.catalogue().inlink_build().unwrap().is_none());
    drop(looking);
    let open = Workspace::open(&folder).unwrap();
    assert!(open.catalogue().needs_rebuild().unwrap());
    assert!(open.built_links().unwrap().is_none() && open.catalogue().inlink_build().unwrap().is_none());
    crate::store::tests::build(&open);
    assert!(open.built_links().unwrap().is_some() && !open.catalogue().needs_rebuild().unwrap());
}

#[test]
fn problems_of_an_earlier_version_know_of_no_member() {
    let (_dir, folder, conn) = of_version(5);
    conn.execute_batch(
        "INSERT INTO launch (id, kind, job, launch, state, started_ms) VALUES (1, 'import', 'import', 'x', 'finished', 5);
         INSERT INTO import_file (id, launch, path, mtime_ns, bytes, outcome, records, captures, new_captures,
            revisits, problems, took_ms) VALUES (1, 1, 'a.warc.gz', 0, 9, 'unread', 0, 0, 0, 0, 1, 1);
         INSERT INTO problem (import_file, offset, kind, detail) VALUES (1, 5, 'cut off', 'y');",
    )
    .unwrap();
    drop(conn);
    for workspace in [Workspace::look(&folder).unwrap(), Workspace::open(&folder).unwrap()] {
        let rows = workspace.catalogue().problems(&Default::default()).unwrap().rows;
        assert_eq!(rows.iter().map(|row| (row.offset, row.member)).collect::<Vec<_>>(), [(5, None)]);
    }
    // Its kind is called as it is called now.
    let rows = Workspace::look(&folder).unwrap().catalogue().problems(&Default::default()).unwrap().rows;
    assert_eq!(rows[0].kind, crate::warc::ProblemKind::Truncated.label());
}

#[test]
fn what_comes_along_with_a_selection_of_an_earlier_version_is_found() {
    let (_dir, folder, conn) = of_version(6);
    conn.execute_batch(
        r#"INSERT INTO campaign VALUES (1, 'Old', 1, 5), (2, 'Alone', 1, 5);
         INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
            VALUES (1, 'crawl', 1, 1, 'old', 'x', 'finished', 5);
         INSERT INTO host (id, name) VALUES (1, 'a.pt');
         INSERT INTO page VALUES (1, 'pt,a)/'), (2, 'pt,a)/i'), (3, 'pt,a)/s');
         INSERT INTO url (id, url, page, host)
            VALUES (1, 'http://a.pt/', 1, 1), (2, 'http://a.pt/i', 2, 1), (3, 'http://a.pt/s', 3, 1);
         INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, stored)
            VALUES (1, 1, 1, 1, 1, 9, 200, 'text/html', 7, 'a', 7), (2, 1, 2, 2, 1, 9, 200, 'image/png', 7, 'b', 7),
                   (3, 1, 3, 3, 1, 9, 200, 'text/html', 7, 'c', 7);
         INSERT INTO anchor VALUES (1, '');
         INSERT INTO outlink VALUES (1, 0, 2, 'image', 1, 0), (1, 1, 3, 'anchor', 1, 0);
         INSERT INTO score (campaign, capture, score, parts, selected, by_hand)
            VALUES (1, 1, 0.5, '[]', 1, 0), (2, 1, 0.5, '[]', 1, 0);"#,
    )
    .unwrap();
    let spec = |campaign| {
        let spec = crate::store::rows::SelectionSpec { campaign, ..Default::default() };
        serde_json::to_string(&spec).unwrap()
    };
    for (campaign, requisites) in [(CampaignId::new(1), 1), (CampaignId::new(2), 0)] {
        conn.execute("INSERT INTO selection VALUES (?1, ?2, 5, ?3)", (campaign, spec(campaign), requisites)).unwrap();
    }
    drop(conn);
    let query = |campaign, filter: &str| crate::store::rows::CaptureQuery {
        filter: filter.to_owned(),
        tab: crate::store::rows::CaptureTab::All,
        campaign: Some(campaign),
        sort: Vec::new(),
        offset: 0,
        limit: 9,
    };
    for open in [Workspace::look, Workspace::open] {
        let workspace = open(&folder).unwrap();
        let catalogue = workspace.catalogue();
        let links = catalogue.outlinks(CaptureId::new(1)).unwrap();
        assert_eq!(
            links.iter().map(|link| (link.kind.as_str(), link.rel.as_str(), link.place.clone())).collect::<Vec<_>>(),
            [("image", "", None), ("anchor", "", None)]
        );
        for (campaign, along) in [(CampaignId::new(1), &["http://a.pt/i"][..]), (CampaignId::new(2), &[])] {
            assert_eq!(catalogue.selection_page(campaign).unwrap().requisites, along.len() as u64);
            let rows = catalogue.captures(&query(campaign, "requisite:yes")).unwrap().rows;
            assert_eq!(rows.iter().map(|row| row.url.as_str()).collect::<Vec<_>>(), along);
            let others = catalogue.captures(&query(campaign, "requisite:no export:yes")).unwrap().rows;
            assert_eq!(others.iter().map(|row| row.url.as_str()).collect::<Vec<_>>(), ["http://a.pt/"]);
        }
    }
}

#[test]
fn what_was_forced_in_or_out_is_approved_or_rejected() {
    let (_dir, folder, conn) = of_version(12);
    conn.execute_batch(
        r#"INSERT INTO campaign VALUES (1, 'Old', 1, 5);
         INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms)
            VALUES (1, 'crawl', 1, 1, 'old', 'x', 'finished', 5);
         INSERT INTO host (id, name) VALUES (1, 'a.pt');
         INSERT INTO page SELECT value, 'pt,a)/' || value FROM json_each('[1,2,3,4,5]');
         INSERT INTO url SELECT id, 'http://a.pt/' || id, id, 1 FROM page;
         INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, stored)
            SELECT id, 1, id, id, 1, 9, 200, 'text/html', 7, 'a' || id, 7 FROM url;
         INSERT INTO mark (act, capture, mark, note, who, date_ms, undone_ms) VALUES
            (1, 1, 'forcein', '', 'x', 1, NULL), (2, 2, 'forceout', '', 'x', 1, NULL),
            -- Out, whatever was said of it after; the one taken back does not count.
            (3, 3, 'forceout', 'secret', 'x', 1, NULL), (4, 3, 'approve', '', 'x', 1, NULL),
            (5, 4, 'forceout', '', 'x', 1, 2), (6, 5, 'forcein', '', 'x', 1, NULL), (7, 5, 'reject', '', 'x', 1, NULL);
         INSERT INTO score (campaign, capture, score, parts, selected, by_hand) VALUES
            (1, 1, 0.1, '[["Request",0.5,0.4,"the request holds: “ria” in title"],
                {"name":"External hosts","value":0.4,"weight":0.2,"why":"3 external hosts link here within ±90 days"},
                ["Anchors",0,0,"not counted: inlinks are not built"],["Review",1,0.05,"approved"]]', 1, 1), (1, 2, 0.9, '[]', 0, 1), (1, 3, 0.9, '[]', 0, 1),
            (1, 4, 0.9, '[]', 1, 0), (1, 5, 0.1, '[]', 1, 1);"#,
    )
    .unwrap();
    let spec = crate::store::rows::SelectionSpec { campaign: CampaignId::new(1), ..Default::default() };
    conn.execute("INSERT INTO selection VALUES (1, ?1, 5)", [serde_json::to_string(&spec).unwrap()]).unwrap();
    drop(conn);
    for open in [Workspace::look, Workspace::open] {
        let (workspace, selected) = (open(&folder).unwrap(), [1, 4].map(CaptureId::new));
        let catalogue = workspace.catalogue();
        assert_eq!(catalogue.selected(CampaignId::new(1)).unwrap(), selected);
        let page = catalogue.selection_page(CampaignId::new(1)).unwrap();
        assert_eq!(
            (page.balance.inside.captures, page.balance.outside.captures),
            (selected.len() as u64, 5 - selected.len() as u64)
        );
        let parts = catalogue.scored(CampaignId::new(1), CaptureId::new(1)).unwrap().unwrap().parts;
        let whys = ["Request", "External hosts", "Anchors", "Review"]
            .map(|name| parts.iter().find(|part| part.name == name).unwrap().why.clone());
        assert_eq!(whys[..2], ["the request holds: “ria” in title", "3 external hosts link here within ±90 days"]);
        assert!(whys[2].starts_with("not counted: inlinks") && whys[3] == "approved", "{whys:?}");
    }
}

#[test]
fn launches_of_an_earlier_version_ran_as_their_captures_tell() {
    let (_dir, folder, conn) = of_version(13);
    let hour = 3_600_000;
    conn.execute_batch(&format!(
        "INSERT INTO launch (id, kind, campaign, version, job, launch, state, started_ms, ended_ms, is_foreign)
            VALUES (1, 'crawl', NULL, 1, 'old', 'x', 'finished', 5, 5 + 2400 * {hour}, 0),
                   (2, 'crawl', NULL, 1, 'log', 'y', 'finished', 5, 5 + 2 * {hour}, 1);
         INSERT INTO host (id, name) VALUES (1, 'a.pt');
         INSERT INTO page VALUES (1, 'pt,a)/');
         INSERT INTO url (id, url, page, host) VALUES (1, 'http://a.pt/', 1, 1);
         WITH at (ms) AS (VALUES (5), (1005), (2005), (2400 * {hour}), (2400 * {hour} + 4000))
         INSERT INTO capture (launch, url, page, host, date_ms, status, mime, size, digest, stored)
            SELECT 1, 1, 1, 1, ms, 200, 'text/html', 7, ms, 7 FROM at;"
    ))
    .unwrap();
    drop(conn);
    for open in [Workspace::look, Workspace::open] {
        let workspace = open(&folder).unwrap();
        assert_eq!(workspace.catalogue().launch(LaunchId::new(1)).unwrap().ran_ms, 6000);
    }
    let foreign = Workspace::open(&folder).unwrap().catalogue().launch(LaunchId::new(2)).unwrap();
    assert_eq!(foreign.ran_ms, 2 * hour);
}

#[test]
fn a_looker_goes_on_when_another_process_brings_the_catalogue_to_the_present_version() {
    for version in [1, 4, 6] {
        let (_dir, folder, conn) = of_version(version);
        drop(conn);
        let looking = Workspace::look(&folder).unwrap();
        read_only_answers(&looking);
        drop(Workspace::open(&folder).unwrap());
        looking.catalogue().revision_now().unwrap();
        read_only_answers(&looking);
    }
}

#[test]
fn a_workspace_of_an_earlier_version_opens_with_all_it_holds() {
    let (_dir, folder, conn) = of_version(1);
    let spec = serde_json::to_string(&Campaign::new("Old")).unwrap();
    conn.execute("INSERT INTO campaign VALUES (1, 'Old', 1, 5)", []).unwrap();
    conn.execute("INSERT INTO campaign_version VALUES (1, 1, ?1, 5)", [spec]).unwrap();
    for (name, state, why) in [("20260101000000", "stopped", ""), ("20250101000000", "finished", "imported from x")] {
        conn.execute(
            "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms, why)
             VALUES ('crawl', 1, 1, 'old', ?1, ?2, 5, ?3)",
            [name, state, why],
        )
        .unwrap();
    }
    drop(conn);

    let looking = Workspace::look(&folder).unwrap();
    assert_eq!(looking.catalogue().scheduled_runs(None, 9).unwrap(), []);
    assert_eq!(looking.catalogue().last_launch(None).unwrap().unwrap().launch, "20250101000000");
    read_only_answers(&looking);
    drop(looking);
    let open = Workspace::open(&folder).unwrap();
    assert_eq!(open.catalogue().campaign(CampaignId::new(1)).unwrap().1.name, "Old");
    assert_eq!(open.catalogue().last_launch(None).unwrap().unwrap().launch, "20260101000000");
    assert_eq!(open.catalogue().unfinished_launch(CampaignId::new(1)).unwrap().unwrap().launch, "20260101000000");
    let run = crate::campaign::Run { date: Default::default(), is_extra: false, words: String::new() };
    let kept = open.catalogue().keep_scheduled(
        CampaignId::new(1),
        vec![(run, crate::store::rows::RunState::Missed, "asleep".to_owned())],
        Default::default(),
    );
    assert_eq!(kept.unwrap().len(), 1);
}
