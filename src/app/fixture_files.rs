//! Archive files, problems and imports of the made-up archive.

use super::date;
use crate::app::models::*;
use crate::jobs::JobCx;
use crate::warc::{SharedMember, Span};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(super) fn mime(url: &str) -> &'static str {
    match url.rsplit('.').next() {
        Some("css") => "text/css",
        Some("jpg") => "image/jpeg",
        Some("pdf") => "application/pdf",
        _ => "text/html",
    }
}

pub(super) fn rows() -> Vec<FileRow> {
    let row = |id, path: &str, state, problems| FileRow {
        id,
        path: path.to_owned(),
        location: PathBuf::from(path),
        state,
        crawled: id == 1,
        launch: 1,
        size: 7_340_032,
        sha256: if id == 1 { String::new() } else { "9f86d081884c7d659a2feaa0c55ad015".to_owned() },
        records: 912,
        captures: 304 + id.unsigned_abs(),
        problems,
    };
    vec![
        row(1, "output/warcs/1/20240917090000/1.warc.gz", FileState::Present, 0),
        row(2, "/media/old/2009/crawl-a.warc.gz", FileState::Missing, 2),
        row(3, "/media/old/2009/crawl-b.arc.gz", FileState::Changed, 0),
    ]
}

fn problem_rows() -> Vec<ProblemRow> {
    let row = |id, offset, kind: &str, detail: &str| ProblemRow {
        id,
        file: Some(2),
        path: "/media/old/2009/crawl-a.warc.gz".to_owned(),
        offset,
        member: None,
        kind: kind.to_owned(),
        detail: detail.to_owned(),
        read_again: false,
    };
    let far = Span::inside_member(FAR_INSIDE + 70_000, 0).offset;
    let member = SharedMember { offset: 4_200, decoded_offset: 70_000 };
    vec![
        row(1, 812, "invalid header", "WARC-Record-ID is missing"),
        row(2, 4_096, "truncated", "the file ends inside the record"),
        ProblemRow { member: Some(member), ..row(3, far, "wrong digest", "deep inside its member") },
    ]
}

/// Bytes of a member before the record of the last problem.
const FAR_INSIDE: u64 = 3_000_000_000;

pub(super) fn problems(query: &ProblemQuery) -> ProblemPage {
    let mut rows = problem_rows();
    let kinds = rows.iter().map(|row| (row.kind.clone(), 1)).collect();
    rows.retain(|row| query.kind.is_empty() || row.kind == query.kind);
    rows.retain(|row| row.detail.contains(&query.words));
    rows.retain(|row| query.path.is_empty() || row.path == query.path);
    ProblemPage { rows, kinds, unlisted: 0 }
}

pub(super) fn problem(id: i64) -> anyhow::Result<ProblemDetail> {
    let row = problem_rows().into_iter().find(|row| row.id == id);
    Ok(ProblemDetail {
        row: row.ok_or_else(|| anyhow::anyhow!("there is no problem {id}"))?,
        command: Some(format!("fonds warc cat /media/old/2009/crawl-a.warc.gz {}", 812 * id)),
        hex: "         812  57 41 52 43 2f 31 2e 30  WARC/1.0\n".to_owned(),
        far: if id == 3 { FAR_INSIDE } else { 0 },
        trouble: String::new(),
    })
}

/// The record of the last problem is read until it is stopped.
pub(super) fn problem_record(id: i64, cx: &JobCx) -> anyhow::Result<String> {
    if id == 3 {
        loop {
            cx.checkpoint()?;
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    Ok("WARC/1.0\nWARC-Type: response\n\nHTTP/1.1 200 OK".to_owned())
}

pub(super) fn imports() -> Vec<ImportRow> {
    let row = |launch, state, why: &str| ImportRow {
        launch,
        sources: vec!["/media/old/2009".to_owned()],
        state,
        why: why.to_owned(),
        started: date(100 + launch),
        ended: Some(date(100 + launch)),
        files: 3,
        read: 1,
        known: 1,
        unread: 1,
        bytes: 22_000_000,
        records: 2_737,
        captures: 306,
        new_captures: 306,
        revisits: 12,
        problems: 3,
        passed_over: 1,
        ..ImportRow::default()
    };
    vec![row(3, LaunchState::Stopped, crate::store::ABANDONED), row(2, LaunchState::Finished, "")]
}

pub(super) fn imported() -> Vec<ImportedFile> {
    let row = |name: &str, outcome, file, same_as: Option<&str>, error: Option<&str>| ImportedFile {
        path: format!("/media/old/2009/{name}"),
        outcome,
        file,
        bytes: 7_340_032,
        mtime_ns: 0,
        records: if file.is_some() { 912 } else { 913 },
        captures: if file.is_some() { 306 } else { 309 },
        new_captures: 306,
        revisits: 12,
        left_out: BTreeMap::new(),
        orphans: 0,
        problem_count: 2,
        same_as: same_as.map(str::to_owned),
        error: error.map(str::to_owned),
        took_ms: 1_200,
    };
    let first = row("crawl-a.warc.gz", FileOutcome::Read, Some(2), None, None);
    vec![
        ImportedFile { left_out: BTreeMap::from([("dns".to_owned(), 2)]), orphans: 1, ..first },
        row("copy-of-a.warc.gz", FileOutcome::Known, Some(2), Some("/media/old/2009/crawl-a.warc.gz"), None),
        row("letter.warc", FileOutcome::Unread, None, None, Some("neither WARC nor ARC")),
    ]
}

pub(super) fn records(path: Option<&str>) -> FoundRecords {
    let row = |number: u64, kind: &str| FoundRecord {
        path: path.unwrap_or("/media/old/2009/crawl-a.warc.gz").to_owned(),
        kind: kind.to_owned(),
        offset: 812 * number,
        length: 812,
        date: Some(date(100)),
        target: format!("http://host-{number}.example/"),
    };
    FoundRecords {
        rows: vec![row(0, "warcinfo"), row(1, "response"), row(2, "request")],
        is_cut: path.is_none(),
        unread: Vec::new(),
        differing: Vec::new(),
    }
}

pub(super) fn selected_hosts(selected: bool) -> Vec<SelectedHost> {
    let host =
        |number: u64| SelectedHost { host: format!("host-{number}.example"), captures: 40 - number, bytes: 1_000_000 };
    if selected { (0..4).map(host).collect() } else { (20..23).map(host).collect() }
}
