//! What follow-ups of the index bring besides new captures.

use super::*;
use crate::campaign::Campaign;
use crate::inlinks::stored::LinkStore;
use crate::testing::revisit_record;
use crate::work::models::ReviewMark;

/// What each of some queries finds.
fn found(session: &Session) -> Vec<Vec<String>> {
    let queries = ["harbour", "anchors:harbour", "anchors:lighthouse", "anchors:museum", "anchors:notes", "nothing"];
    queries.iter().map(|query| urls(session, query)).collect()
}

/// Checks that the index is what one that is built from scratch is, and stays so.
#[track_caller]
fn check_like_rebuilt(session: &Session) {
    let again = index(session);
    assert_eq!((again.indexed, again.renewed, again.rebuilt.as_str()), (0, 0, ""));
    assert!(!crate::work::is_index_behind(&session.workspace).unwrap());
    let check = crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap();
    assert!(check.is_fine() && !check.is_behind(), "{check:?}");
    let before = found(session);
    session.index_texts(true, &JobCx::detached()).unwrap();
    assert_eq!(found(session), before);
}

fn build(session: &Session, from_scratch: bool) {
    session.build_inlinks(from_scratch, &JobCx::detached()).unwrap();
}

#[test]
fn anchors_of_inlinks_that_are_built_later_are_followed_up_and_nothing_else() {
    let target = "https://a.pt/target";
    let link = |anchor: &str| format!("<p>See <a href='{target}'>{anchor}</a> and <a href='/own'>notes</a></p>");
    let museum = link("harbour museum");
    let (dir, session) = session_of(&[
        (target, "2024-03-01T10:00:00Z", "<p>Nothing of note</p>"),
        (target, "2024-05-01T10:00:00Z", "<p>Nothing of note, again</p>"),
        ("https://b.pt/", "2024-03-02T10:00:00Z", &museum),
        ("https://b.pt/own", "2024-03-02T10:00:00Z", "<p>Of the same site</p>"),
    ]);
    let first = index(&session);
    assert_eq!((first.indexed, first.renewed), (4, 0));
    check(&session, "anchors:harbour", &[]);
    assert!(!crate::work::is_index_behind(&session.workspace).unwrap());

    build(&session, false);
    assert!(crate::work::is_index_behind(&session.workspace).unwrap());
    let differs = crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap();
    assert_eq!((differs.anchors.len(), differs.is_fine(), differs.is_behind()), (2, false, true));
    // Both versions of the page, by who follows as by who asks.
    let followed = session.follow_index(&JobCx::detached()).unwrap().unwrap();
    assert_eq!((followed.indexed, followed.renewed), (0, 2));
    check(&session, "anchors:harbour", &[target, target]);
    check(&session, "anchors:notes", &[]);
    assert!(session.follow_index(&JobCx::detached()).unwrap().is_none());
    check_like_rebuilt(&session);

    // Another site says the same: no page is called otherwise.
    add(&session, dir.path(), "same", &[("https://d.pt/", "2024-03-03T10:00:00Z", &museum)]);
    assert_eq!(index(&session).indexed, 1);
    build(&session, false);
    assert_eq!(index(&session).renewed, 0);
    // One more name.
    add(&session, dir.path(), "more", &[("https://e.pt/", "2024-03-04T10:00:00Z", &link("old lighthouse"))]);
    build(&session, false);
    let report = index(&session);
    assert_eq!((report.indexed, report.renewed), (1, 2));
    check(&session, "anchors:lighthouse", &[target, target]);
    check_like_rebuilt(&session);
    // The same links once more.
    build(&session, true);
    assert!(crate::work::is_index_behind(&session.workspace).unwrap());
    let report = index(&session);
    assert_eq!((report.indexed, report.renewed), (0, 0));
    check_like_rebuilt(&session);

    // Links that are gone call nothing any more.
    LinkStore::remove(&session.workspace.built_folder()).unwrap();
    assert_eq!(crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().anchors.len(), 2);
    assert_eq!(index(&session).renewed, 2);
    check(&session, "anchors:harbour", &[]);
    check_like_rebuilt(&session);
    // Built again from nothing, their edition is one that was there before.
    build(&session, false);
    assert_eq!(index(&session).renewed, 2);
    check(&session, "anchors:lighthouse", &[target, target]);
    check_like_rebuilt(&session);
}

#[test]
fn a_revisit_is_indexed_again_when_its_original_comes() {
    let (dir, session) = empty_session();
    let import = |name: &str, records: &[Vec<u8>]| {
        let path = dir.path().join(format!("{name}.warc"));
        std::fs::write(&path, records.concat()).unwrap();
        session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    };
    let (original, copy, later) = ("https://x.pt/", "https://copy.pt/", "https://late.pt/");
    // One repeats a record of another URL, one what was at its own URL by another digest.
    let of_date = record(
        "revisit",
        later,
        "2024-06-01T10:00:00Z",
        "WARC-Refers-To-Target-URI: https://late.pt/\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n\
         WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
        "",
    );
    import("revisits", &[revisit_record(copy, original), of_date]);
    assert_eq!(index(&session).indexed, 2);
    check(&session, "xyzzy", &[]);
    check(&session, "quux", &[]);
    import("originals", &[page_record(original, "<p>Xyzzy</p>"), page_record(later, "<p>Quux</p>")]);
    assert!(crate::work::is_index_behind(&session.workspace).unwrap());
    // Both originals, and both revisits again.
    assert_eq!(index(&session).indexed, 4);
    check(&session, "xyzzy", &[copy, original]);
    // Original and revisit are one content version.
    check(&session, "quux", &[later]);
    check_like_rebuilt(&session);
    build(&session, false);
    assert_eq!(index(&session).indexed, 0);
    check_like_rebuilt(&session);
}

#[test]
fn columns_kept_beside_the_index_are_used_until_the_catalogue_is_another() {
    let (dir, session) = session_of(&TOWN);
    index(&session);
    let room = |session: &Session| SearchRoom { worth_keeping: Some(3), ..SearchRoom::of(&session.workspace) };
    let kept = |session: &Session| room(session).kept_facts(session.catalogue()).newest();
    let check = |session: &Session| {
        let read = SearchRoom::default().facts(session.catalogue()).unwrap();
        assert_eq!(room(session).facts(session.catalogue()).unwrap(), read);
    };
    assert_eq!(kept(&session), 0);
    check(&session);
    assert_eq!(kept(&session), 4);
    check(&session);
    // What comes later is read beside them, and decisions are renewed.
    add(&session, dir.path(), "later", &[("https://b.pt/new", DAY, "<p>new</p>"), TOWN[0]]);
    session.catalogue().mark(&[CaptureId::new(2)], ReviewMark::Approve, "", "Ana").unwrap();
    assert_eq!(kept(&session), 4);
    check(&session);
    // A room that stays open keeps them again once enough came, however few came at once.
    let open = room(&session);
    for nth in 0..3 {
        open.facts(session.catalogue()).unwrap();
        add(&session, dir.path(), &format!("one{nth}"), &[(&format!("https://c.pt/{nth}"), DAY, "<p>one</p>")]);
    }
    open.facts(session.catalogue()).unwrap();
    assert!(kept(&session) > 4);
    // A launch that captures came to is another value of them.
    let campaign = session.catalogue().save_campaign(None, &Campaign::new("Town")).unwrap();
    session.catalogue().assign_import(LaunchId::new(1), Some(campaign)).unwrap();
    assert_eq!(kept(&session), 0);
    check(&session);
    assert!(kept(&session) > 4);
    // Those of another workspace are none.
    let (_other, other) = session_of(&TOWN[1..]);
    index(&other);
    let file = |session: &Session| index_folder(&session.workspace).join("captures.bin");
    std::fs::copy(file(&session), file(&other)).unwrap();
    assert_eq!(kept(&other), 0);
    check(&other);
}
