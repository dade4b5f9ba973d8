//! Reads files that other tools wrote, without panic and with their problems listed.

use super::*;
use crate::jobs::JobCx;
use crate::testing::{data, files_under};
use crate::warc::{RecordType, Severity, WarcError, check_file, format_offset};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Offsets listed for one kind of problem; further ones are counted.
const OFFSETS: usize = 6;

/// Format, packing, records by type, and problems by kind with their offsets.
fn summary(path: &Path) -> String {
    let mut types: BTreeMap<String, u32> = BTreeMap::new();
    let mut versions: BTreeMap<String, u32> = BTreeMap::new();
    let mut direct = 0;
    let mut reader = ArchiveReader::open(path).unwrap();
    let compression = reader.compression().as_str();
    loop {
        match reader.next_record(1000) {
            Ok(Some(record)) => {
                *types.entry(record.head.record_type.to_string()).or_default() += 1;
                *versions.entry(record.head.version.clone()).or_default() += 1;
                direct += u32::from(!record.span.is_inside_member());
                let again = read_record_at(path, record.span.offset, 1000).unwrap();
                assert_eq!(again.head.headers, record.head.headers, "{}", path.display());
                assert_eq!(again.block, record.block, "{}", path.display());
            }
            Ok(None) => break,
            Err(WarcError::NotArchive { .. }) => return format!("{compression} · no archive file"),
            Err(error) => panic!("{error}"),
        }
    }
    let (report, problems) = check_file(path, true, &JobCx::detached()).unwrap();
    let mut kinds: BTreeMap<(Reverse<Severity>, &str), Vec<u64>> = BTreeMap::new();
    for problem in &problems {
        if std::env::var_os("FONDS_TELL").is_some() {
            println!("{}: {problem}", path.display());
        }
        kinds.entry((Reverse(problem.kind.severity()), problem.kind.label())).or_default().push(problem.offset);
    }
    let list = |counts: &BTreeMap<String, u32>| {
        counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    let total: u32 = types.values().sum();
    let place = if direct == total { String::new() } else { format!(" · {} without place", total - direct) };
    let mut lines = format!(
        "{} · {compression} · {total} records: {} · digests of {} checked{place}",
        versions.keys().map(String::as_str).collect::<Vec<_>>().join(" and "),
        list(&types),
        report.digests_checked,
    );
    for ((Reverse(severity), kind), offsets) in kinds {
        let listed: Vec<String> = offsets.iter().take(OFFSETS).map(|offset| format_offset(*offset)).collect();
        let more =
            offsets.len().checked_sub(OFFSETS + 1).map_or(String::new(), |_| format!(" … {} in all", offsets.len()));
        write!(lines, "\n    {}: {kind} @ {}{more}", severity.as_str(), listed.join(", ")).unwrap();
    }
    lines
}

#[test]
fn every_file_of_other_tools_is_read() {
    let Some(data) = data("") else { return };
    let mut files = Vec::new();
    for folder in ["warc", "wacz"] {
        files.extend(files_under(&data.join(folder)));
    }
    files.push(data.join("inlinks/seed-walkthrough.warc.gz"));
    files.sort();
    let mut table = String::new();
    for file in files {
        let name = file.strip_prefix(&data).unwrap().display().to_string();
        writeln!(table, "{name}\n    {}", summary(&file)).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_arc_file_holds_what_its_warc_twin_holds() {
    let Some(data) = data("") else { return };
    let captures = |name: &str| -> Vec<(String, String, Vec<u8>)> {
        let records =
            ArchiveReader::open(&data.join("warc").join(name)).unwrap().records(usize::MAX).map(Result::unwrap);
        let responses = records.filter(|record| record.head.record_type == RecordType::Response);
        let mut captures: Vec<_> =
            responses.map(|r| (r.head.target_uri().unwrap(), r.head.date().unwrap().to_warc(), r.block)).collect();
        captures.sort();
        captures
    };
    let (arc, warc) = (captures("arc/blackbook.arc.gz"), captures("real/blackbook.warc.gz"));
    assert_eq!(arc.len(), 299);
    let different: Vec<_> = arc.iter().zip(&warc).filter(|(arc, warc)| arc != warc).map(|(arc, _)| &arc.0).collect();
    assert_eq!(different, [""; 0]);
}
