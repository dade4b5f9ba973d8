//! What strangers give us does no harm: hostile names, pages, archives and
//! job configurations, all of our own making.

use crate::need;
use crate::program::{arg, fonds, fonds_with};
use std::process::{Command, Stdio};

/// Begins colours on a terminal in one character, and turns the reading direction.
const OBEYED: &str = "a\u{9b}31m\u{85}\u{202e}\u{2067}\u{200f}b";

/// What the program writes to a terminal; none where there is nothing to make one.
fn on_terminal(args: &[&str]) -> Option<String> {
    let python = need::program("python3")?;
    let script = "import pty, sys; pty.spawn(sys.argv[1:])";
    let mut call = Command::new(python);
    call.args(["-c", script, env!("CARGO_BIN_EXE_fonds")]).args(args).stdin(Stdio::null());
    let output = call.output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn no_text_moves_a_terminal_and_json_lines_escape_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(OBEYED);
    let made = fonds(&["new", arg(&folder)]).with_status(0);
    assert!(made.out.contains(OBEYED), "a script gets the name as it is: {}", made.out);
    let campaign = dir.path().join("campaign.json");
    let seeds = [serde_json::json!({"url": "http://a.example/", "scope": "root"})];
    let text = serde_json::json!({"name": OBEYED, "seeds": seeds}).to_string();
    std::fs::write(&campaign, text).unwrap();
    // What is wrong with the campaign goes to standard error.
    let added = fonds(&["campaign", "add", arg(&folder), arg(&campaign)]).with_status(0);
    let listed = fonds(&["campaign", "list", arg(&folder), "--json"]).with_status(0);
    let shown = fonds(&["campaign", "export", arg(&folder), "1"]).with_status(0);
    let keys = fonds_with(&["surt", "--json"], format!("http://a.example/{OBEYED}\n").as_bytes()).with_status(0);
    for text in [&added.err, &listed.out, &shown.out, &keys.out] {
        assert!(!text.contains(['\u{9b}', '\u{85}', '\u{202e}', '\u{2067}', '\u{200f}']), "{text:?}");
    }
    assert!(listed.out.contains("a\\u009b31m\\u0085\\u202e\\u2067\\u200fb"), "{}", listed.out);
    assert_eq!(listed.json_lines()[0]["name"], OBEYED);
    assert_eq!(keys.json_lines()[0]["url"], format!("http://a.example/{OBEYED}"));

    let other = dir.path().join(format!("{OBEYED}2"));
    let Some(shown) = on_terminal(&["new", arg(&other)]) else { return };
    assert!(shown.contains("a\u{fffd}31m"), "{shown:?}");
    assert!(!shown.contains(['\u{9b}', '\u{85}', '\u{202e}', '\u{2067}', '\u{200f}']), "{shown:?}");
}
