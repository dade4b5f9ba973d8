//! A newcomer follows the guides and the README, line by line.

use crate::archive::{copy_folder, warcs_under};
use crate::program::fonds;
use crate::sample::demo;
use fonds::guide::GUIDES;
use std::path::Path;
use std::process::Command;

/// Commands that find nothing to approve of in the demo, as their guides say.
const WITH_FINDINGS: [&str; 2] = ["fonds scope permissions", "fonds schedule next"];

/// Lines of the blocks of shell commands that are to be run.
fn shell_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_run = false;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix("```") {
            Some(info) => is_run = info == "sh",
            None if is_run => lines.push(line.to_owned()),
            None => {}
        }
    }
    lines
}

/// Runs a line in a folder and gives its exit status and what it printed.
fn run(line: &str, folder: &Path) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_fonds")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut call = Command::new("sh");
    call.args(["-c", line]).current_dir(folder).env("PATH", path).stdin(std::process::Stdio::null());
    call.env("XDG_CONFIG_HOME", folder.join("settings")).env_remove("FONDS_LOG");
    let output = call.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!printed.contains("panicked"), "{line}: {printed}");
    (output.status.code().unwrap_or(-1), printed)
}

#[test]
#[cfg(unix)]
fn the_commands_of_each_guide_do_what_they_show() {
    let mut count = 0;
    for guide in &GUIDES {
        let lines = shell_lines(&guide.text());
        let folder = tempfile::tempdir().unwrap();
        if !lines.is_empty() {
            copy_folder(&demo().folder, &folder.path().join("demo"));
        }
        // The demo is there already.
        for line in lines.iter().filter(|line| !line.starts_with("fonds demo ")) {
            let (status, printed) = run(line, folder.path());
            let expected = i32::from(WITH_FINDINGS.iter().any(|command| line.starts_with(command)));
            assert_eq!(status, expected, "{}: {line}\n{printed}", guide.name);
            count += 1;
        }
    }
    assert!(count > 90, "only {count} commands were found");
}

#[test]
#[cfg(unix)]
fn the_seven_steps_of_the_readme_lead_to_a_verified_export() {
    let folder = tempfile::tempdir().unwrap();
    let warc = warcs_under(&demo().report.workspace.join("output")).remove(0);
    std::fs::copy(warc, folder.path().join("old-crawl.warc.gz")).unwrap();
    let readme = include_str!("../../README.md");
    let lines = shell_lines(readme).into_iter().filter(|line| line.starts_with("fonds "));
    // Nothing is fetched from the network: the import brings what is reviewed.
    let mut done = 0;
    for line in lines.filter(|line| !line.starts_with("fonds crawl ")) {
        // The site of the example is not in the archive file.
        let of_example = line.starts_with("fonds why ");
        let line = line.replace("host:example.org", "host:example");
        let (status, printed) = run(&line, folder.path());
        assert_eq!(status, i32::from(of_example), "{line}\n{printed}");
        done += 1;
    }
    assert!(done > 12, "only {done} commands were found");
    let (status, printed) = run("fonds verify export", folder.path());
    assert!(status == 0 && printed.contains("ok"), "{printed}");
}

#[test]
fn guides_are_listed_and_printed() {
    let list = fonds(&["guide"]).with_status(0).out;
    let names: Vec<_> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["crawl", "links", "import", "review", "search", "queries", "handover", "scripts", "limits"]);
    let queries = fonds(&["guide", "queries"]).with_status(0).out;
    assert!(queries.starts_with("# Queries\n") && queries.contains("| `host:gov.pt` |"), "{queries}");
    fonds(&["guide", "nosuch"]).with_status(2).with_message("queries");
    let rows = fonds(&["guide", "--json"]).with_status(0).json_lines();
    assert_eq!(rows.len(), 9);
    assert!(rows[0]["name"] == "crawl" && rows[0]["text"].is_null(), "{}", rows[0]);
    let row = fonds(&["guide", "limits", "--json"]).with_status(0).json_lines().remove(0);
    assert!(row["text"].as_str().unwrap().starts_with("# Limits"));
}
