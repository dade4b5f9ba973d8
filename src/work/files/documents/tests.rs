//! Documents of watched targets are found, explained, and distinguished by version.

use super::*;
use crate::campaign::{Campaign, Seed};
use crate::captures::{CaptureEntry, CaptureNotes, RecordPlace};
use crate::links::{LinkKind, Outlink};
use crate::uri::Url;
use crate::warc::{RecordType, Span};

fn capture(
    url: &str,
    mime: &str,
    second: i64,
    digest: &str,
    via: Option<&str>,
    links: &[(&str, &str)],
) -> CaptureEntry {
    CaptureEntry {
        notes: CaptureNotes {
            status: 200,
            mime: mime.to_owned(),
            via: via.map(|via| Url::parse(via).unwrap()),
            source_tag: "tid:1:http://a.pt/".to_owned(),
            outlinks: links
                .iter()
                .zip(0..)
                .map(|((target, anchor), position)| Outlink {
                    anchor: (*anchor).to_owned(),
                    position,
                    ..Outlink::bare(Url::parse(target).unwrap(), LinkKind::Anchor)
                })
                .collect(),
            ..CaptureNotes::default()
        },
        payload_len: 324,
        payload_digest: digest.to_owned(),
        records: vec![RecordPlace {
            record_type: RecordType::Response,
            record_id: format!("urn:uuid:{second}"),
            file: "a.warc.gz".to_owned(),
            span: Span { offset: second.unsigned_abs() * 100, length: 10 },
        }],
        ..CaptureEntry::bare(Url::parse(url).unwrap(), CaptureDate::from_seconds(1_700_000_000 + second))
    }
}

fn campaign(name: &str, seed: &str, scheme: Option<&str>, watched: bool) -> Campaign {
    let mut campaign = Campaign::new(name);
    campaign.seeds =
        vec![Seed { url: seed.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() }];
    let document_url_scheme = scheme.map(str::to_owned);
    campaign.target = Some(Target { watched, document_url_scheme, ..Target::default() });
    campaign
}

/// Marks, URL, title, landing page, versions, and why, of each row.
fn list_text(list: &DocumentList) -> String {
    let rows = list.rows.iter().map(|row| {
        let mark = if row.is_new {
            "N"
        } else if row.has_new_version {
            "V"
        } else {
            "-"
        };
        let versions =
            row.versions.iter().map(|v| format!("{}x{}{}", v.digest, v.captures, if v.is_new { "!" } else { "" }));
        format!(
            "{mark} {} {} “{}” <- {} ({}), {}",
            row.campaign_name,
            row.url,
            row.title,
            row.landing_page.as_deref().unwrap_or("-"),
            versions.collect::<Vec<_>>().join(" "),
            row.why
        )
    });
    rows.chain([format!("{} elsewhere", list.elsewhere)]).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_new_version_at_the_same_place_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&dir.path().join("w")).unwrap();
    let catalogue = workspace.catalogue();
    let town = catalogue.save_campaign(None, &campaign("Town", "http://a.pt/", None, true)).unwrap();
    catalogue.save_campaign(None, &campaign("Reports", "http://a.pt/", Some("docs.pt/reports/"), true)).unwrap();
    catalogue.save_campaign(None, &campaign("Not watched", "http://c.pt/", None, false)).unwrap();
    let launch = catalogue.begin_launch(town, "town", CaptureDate::from_seconds(1_700_000_000)).unwrap().id;
    let (pdf, html, report) = ("application/pdf", "text/html", "http://docs.pt/reports/Plan%202024.pdf");
    catalogue
        .add_captures(
            launch,
            vec![
                capture("http://a.pt/p", html, 0, "h", None, &[(report, "The plan"), ("http://a.pt/x.pdf", "")]),
                capture(report, pdf, 1, "v1", Some("http://a.pt/p"), &[]),
                capture("http://a.pt/x.pdf", "application/octet-stream", 2, "x", Some("http://a.pt/p"), &[]),
                capture("http://a.pt/font", "application/vnd.ms-fontobject", 3, "f", None, &[]),
                capture("http://c.pt/c.docx", "application/msword", 4, "c", Some("http://c.pt/"), &[]),
            ],
        )
        .unwrap();
    let cx = JobCx::detached();
    let list = documents(&workspace, false, &cx).unwrap();
    assert_eq!(list.watched, 2);
    insta::assert_snapshot!(list_text(&list), @r"
    N Town http://a.pt/x.pdf “x” <- http://a.pt/p (xx1!), it is under http://(pt,a,)/
    N Town http://docs.pt/reports/Plan%202024.pdf “The plan” <- http://a.pt/p (v1x1!), a page under http://(pt,a,)/ links to it
    N Reports http://docs.pt/reports/Plan%202024.pdf “The plan” <- http://a.pt/p (v1x1!), a page under http://(pt,a,)/ links to it
    1 elsewhere
    ");
    documents_noted(&workspace, &documents(&workspace, true, &cx).unwrap()).unwrap();
    assert_eq!(documents(&workspace, true, &cx).unwrap().rows, []);
    // The same again, a new payload at the same place, and the old one back.
    catalogue
        .add_captures(
            launch,
            vec![
                capture("http://a.pt/x.pdf", "application/octet-stream", 12, "x", Some("http://a.pt/p"), &[]),
                capture(report, pdf, 11, "v2", Some("http://a.pt/p"), &[]),
                capture(report, pdf, 13, "v1", Some("http://a.pt/p"), &[]),
            ],
        )
        .unwrap();
    insta::assert_snapshot!(list_text(&documents(&workspace, true, &cx).unwrap()), @r"
    V Town http://docs.pt/reports/Plan%202024.pdf “The plan” <- http://a.pt/p (v1x2 v2x1!), a page under http://(pt,a,)/ links to it
    V Reports http://docs.pt/reports/Plan%202024.pdf “The plan” <- http://a.pt/p (v1x2 v2x1!), a page under http://(pt,a,)/ links to it
    1 elsewhere
    ");
}

#[test]
fn a_target_that_is_watched_later_shows_its_documents_as_new() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&dir.path().join("w")).unwrap();
    let catalogue = workspace.catalogue();
    let town = catalogue.save_campaign(None, &campaign("Town", "http://a.pt/", None, true)).unwrap();
    let later = catalogue.save_campaign(None, &campaign("Later", "http://b.pt/", None, false)).unwrap();
    let launch = catalogue.begin_launch(town, "town", CaptureDate::from_seconds(1_700_000_000)).unwrap().id;
    let pdf = |url, second| capture(url, "application/pdf", second, url, None, &[]);
    catalogue.add_captures(launch, vec![pdf("http://a.pt/a.pdf", 1), pdf("http://b.pt/b.pdf", 2)]).unwrap();
    let cx = JobCx::detached();
    documents_noted(&workspace, &documents(&workspace, true, &cx).unwrap()).unwrap();
    catalogue.save_campaign(Some(later), &campaign("Later", "http://b.pt/", None, true)).unwrap();
    let list = documents(&workspace, true, &cx).unwrap();
    let urls: Vec<&str> = list.rows.iter().map(|row| row.url.as_str()).collect();
    assert_eq!(urls, ["http://b.pt/b.pdf"]);
    documents_noted(&workspace, &list).unwrap();
    assert_eq!(documents(&workspace, true, &cx).unwrap().rows, []);
}

#[test]
fn a_file_name_is_the_last_piece_of_a_path() {
    assert_eq!(filename("http://a.pt/b/Plan%202024.pdf?x=/y"), "Plan 2024.pdf");
}
