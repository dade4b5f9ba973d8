//! However much is handed over, export and verification keep within their memory.

use crate::archive::{file, page};
use crate::program::{arg, fonds, fonds_watched, fonds_with};
use std::path::Path;

/// The most memory that an export of so many captures and its verification take, in MiB.
fn memory_of(folder: &Path, count: u64) -> [u64; 2] {
    let (workspace, out) = (folder.join(format!("w{count}")), folder.join(format!("out{count}")));
    let url = |n: u64| format!("http://h{}.pt/{}", n % 50, n % count);
    let pages: Vec<Vec<u8>> = (0..count)
        .map(|n| {
            page(
                &url(n),
                "2024-03-01T09:00:00Z",
                &format!("<a href={}>ver</a><a href={}>ler</a>", url(n + 1), url(n + 7)),
            )
        })
        .collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(folder, &format!("{count}.warc.gz"), &pages))]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    let (exported, by_export) = fonds_watched(&["export", arg(&workspace), "--out", arg(&out), "--json"]);
    assert_eq!(exported.with_status(0).json_lines()[0]["captures"], count);
    let (verified, by_verify) = fonds_watched(&["verify", arg(&out)]);
    verified.with_status(0);
    [by_export, by_verify]
}

#[test]
#[cfg(target_os = "linux")]
fn export_and_verify_take_no_more_memory_for_more_captures() {
    let dir = tempfile::tempdir().unwrap();
    let (few, many) = (memory_of(dir.path(), 1_500), memory_of(dir.path(), 6_000));
    println!("export and verify, in MiB: {few:?} for 1,500 captures, {many:?} for 6,000");
    // Where all of it stays in memory, it is 39 and 25 MiB more.
    for (few, many) in few.into_iter().zip(many) {
        assert!(few > 0 && many <= few + 20 && many <= 256, "{few} MiB for 1,500 captures, {many} MiB for 6,000");
    }
}
