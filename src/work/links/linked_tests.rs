//! `linked:` finds the same pages, whether inlinks are built, are behind, or not there.

use super::*;

/// The numbers of the captures that a line finds.
fn found(archive: &LinkFixture, line: &str) -> Vec<CaptureId> {
    let query = CaptureQuery { filter: line.to_owned(), limit: 10_000, ..crate::work::everything() };
    let page = archive.session.catalogue().captures(&query).unwrap();
    assert_eq!(page.filter_problem, None, "{line}");
    let ids: Vec<CaptureId> = page.rows.iter().map(|row| row.id).collect();
    assert_eq!(page.total, ids.len() as u64);
    assert_eq!(archive.session.catalogue().matching_captures(&query).unwrap().count_ones(..), ids.len(), "{line}");
    ids
}

const LINES: [&str; 9] = [
    "linked:http://b.pt/x",
    "linked:b.pt/x/",
    "linked:https://www.b.pt/x?q=1",
    "linked:http://b.pt/",
    "linked:http://b.pt:8080/x",
    "-linked:b.pt/x",
    "linked:b.pt/x linked:c.pt",
    "linked:b.pt/x OR linked:c.pt",
    "linked:c.pt host:a.pt status:200",
];

#[test]
fn pages_that_link_to_a_url_are_the_same_whatever_is_built() {
    let x = || vec![("http://b.pt/x#top", "X"), ("http://c.pt/", "C")];
    let mut archive = LinkFixture::new(&[
        ("http://a.pt/1", DAY, x()),
        // The same page in the same second: its links are kept once.
        ("http://www.a.pt/1", DAY + 400, x()),
        ("http://a.pt/1", DAY + 999, vec![("http://c.pt/", "C")]),
        ("http://a.pt/2", 2 * DAY, vec![("https://www.b.pt/x/?", "X"), ("http://b.pt/x?q=1", "Q")]),
        ("http://a.pt/3", 3 * DAY, vec![("http://b.pt/", ""), ("http://b.pt/xy", "XY"), ("http://b.pt:8080/x", "")]),
        ("http://b.pt/x", 3 * DAY, vec![("http://b.pt/x", "me")]),
    ]);
    let answers = |archive: &LinkFixture| LINES.map(|line| found(archive, line));
    let unbuilt = answers(&archive);
    let ids = |numbers: &[i64]| numbers.iter().map(|number| CaptureId::new(*number)).collect::<Vec<_>>();
    assert_eq!(unbuilt[0], ids(&[1, 2, 4, 6]));
    assert_eq!(unbuilt[2], ids(&[4]));
    assert_eq!(unbuilt[3], ids(&[5]));
    assert_eq!(unbuilt[4], ids(&[5]));
    assert_eq!(unbuilt[5], ids(&[3, 5]));
    assert_eq!(unbuilt[8], ids(&[1, 2, 3]));
    archive.build();
    assert_eq!(answers(&archive), unbuilt);
    archive.add(&[("http://d.pt/", 4 * DAY, x()), ("http://www.a.pt/1", DAY + 500, x())]);
    let behind = answers(&archive);
    assert_eq!(behind[0], ids(&[1, 2, 4, 6, 7, 8]));
    archive.build();
    assert_eq!(answers(&archive), behind);
    let folder = archive.session.workspace.built_folder();
    crate::inlinks::stored::LinkStore::remove(&folder).unwrap();
    assert_eq!(answers(&archive), behind);
}
