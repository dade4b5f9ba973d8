//! What is asked of one row, or of few, costs the same in a small archive and in one eight times as large.
//!
//! Each had the statistics of an empty archive first, as SQLite makes them of one that was tried on a page.

use super::large_tests::{Size, fill};
use super::links::built_inlinks::BUILD_FORMAT_VERSION;
use super::rows::{CampaignId, CaptureId, ReviewMark};
use super::{LinkingPages, Workspace};
use crate::analysis::Judgement;
use crate::campaign::Campaign;
use crate::uri::PageKey;

const SMALL: Size = Size { hosts: 50, captures: 1_000, seen: 2_000 };
const LARGE: Size = Size { hosts: 50, captures: 8_000, seen: 16_000 };

fn filled(folder: &std::path::Path, size: Size) -> Workspace {
    let workspace = Workspace::create(folder).unwrap();
    workspace.catalogue().save_campaign(None, &Campaign { name: "Large".to_owned(), ..Campaign::default() }).unwrap();
    workspace.catalogue().write(|conn| Ok(conn.execute_batch("ANALYZE")?)).unwrap();
    drop(workspace);
    fill(&folder.join("fonds.sqlite"), size);
    let workspace = Workspace::open(folder).unwrap();
    let catalogue = workspace.catalogue();
    let newest = catalogue.newest_capture().unwrap();
    super::tests::build_with(&workspace, catalogue.mark_of_links(newest, BUILD_FORMAT_VERSION).unwrap());
    drop(workspace);
    Workspace::open(folder).unwrap()
}

/// The steps of each question.
fn steps(workspace: &Workspace) -> Vec<(&'static str, u64)> {
    let catalogue = workspace.catalogue();
    let id = CaptureId::new(105);
    let newest = catalogue.newest_capture().unwrap();
    let mut found = Vec::new();
    let mut count = |what, read: &dyn Fn()| found.push((what, catalogue.steps_of(read)));
    count("judgements of a query", &|| drop(catalogue.judgements(Some("ship")).unwrap()));
    count("judgements", &|| drop(catalogue.judgements(None).unwrap()));
    count("judgements of a campaign", &|| {
        catalogue.each_judgement::<super::StoreError>(Some(CampaignId::new(1)), |_| Ok(())).unwrap();
    });
    count("a row", &|| drop(catalogue.capture_row(id).unwrap()));
    count("a capture", &|| drop(catalogue.capture_detail(id).unwrap()));
    count("its original", &|| drop(catalogue.original_of(id).unwrap()));
    count("its outlinks", &|| drop(catalogue.outlinks(id).unwrap()));
    count("revisits without an original", &|| _ = catalogue.count_missing_originals().unwrap());
    count("revisits without links", &|| drop(catalogue.waiting_repeats(None).unwrap()));
    count("its page", &|| drop(catalogue.page_of_capture(id).unwrap()));
    count("a seen URL", &|| {
        _ = catalogue.seen_by_url(CampaignId::new(1), None, "http://host8.example/path/7").unwrap();
    });
    count("pages that link to a URL", &|| {
        drop(catalogue.linking_captures(&PageKey::of_text("http://host8.example/path/7").unwrap()).unwrap());
    });
    // What each search reads beside its set of captures.
    count("what columns depend on", &|| _ = catalogue.facts_stamp().unwrap());
    count("captures that are not indexed", &|| _ = catalogue.captures_behind(newest).unwrap());
    count("titles of campaigns", &|| drop(catalogue.campaign_titles().unwrap()));
    count("requests of campaigns", &|| drop(catalogue.readable_campaigns().unwrap()));
    count("inlinks of a capture", &|| drop(workspace.inlinks_of_capture(id, 90).unwrap()));
    // Each page that links is looked up.
    let inlinks = workspace.inlinks_of_capture(id, 90).unwrap().rows.len() as u64;
    let steps = catalogue.steps_of(|| drop(workspace.exported_capture(id, 90, &LinkingPages::default()).unwrap()));
    found.push(("what an export has of a capture, by its inlinks", steps / (inlinks + 1)));
    found
}

#[test]
fn questions_on_one_row_cost_the_same_in_any_archive() {
    let dir = tempfile::tempdir().unwrap();
    let [small, large] = [("small", SMALL), ("large", LARGE)].map(|(name, size)| filled(&dir.path().join(name), size));
    for round in ["before the first judgement", "after it"] {
        for ((what, few), (_, many)) in steps(&small).into_iter().zip(steps(&large)) {
            assert!(many <= few * 2 + 50, "{what}, {round}: {few} tens of steps, {many} in the larger archive");
        }
        for workspace in [&small, &large] {
            let id = CaptureId::new(105);
            workspace.catalogue().judge("ship", vec![(id, None, Some(Judgement::Right))], "ana").unwrap();
            workspace.catalogue().mark(&[id], ReviewMark::Approve, "", "ana").unwrap();
        }
    }
}
