//! The program itself, called as a script does.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The result of a call of the program.
pub struct CallResult {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl CallResult {
    /// Checks the exit status.
    #[track_caller]
    pub fn with_status(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Standard output as one JSON object a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// Checks that standard error has this text.
    #[track_caller]
    pub fn with_message(self, text: &str) -> Self {
        assert!(self.err.contains(text), "“{text}” is missing: {}", self.err);
        self
    }
}

/// The program, ready for more arguments. It never asks the terminal for anything.
pub fn command<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fonds"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Settings of whoever runs the tests stay as they are.
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/settings")).env_remove("FONDS_LOG");
    command
}

/// Calls the program.
#[track_caller]
pub fn fonds<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> CallResult {
    fonds_with(args, b"")
}

/// Calls the program with something on its standard input.
#[track_caller]
pub fn fonds_with<S: AsRef<std::ffi::OsStr>>(args: &[S], input: &[u8]) -> CallResult {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feed = std::thread::spawn(move || {
        // A program that reads nothing closes the pipe.
        drop(stdin.write_all(&input));
    });
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    result_of(&output)
}

/// Calls the program as a person whose home and settings are in another folder, and
/// who has no session with a keychain.
#[track_caller]
pub fn fonds_of<S: AsRef<std::ffi::OsStr>>(home: &Path, args: &[S]) -> CallResult {
    let mut call = command(args);
    call.env("HOME", home).env("APPDATA", home).env_remove("XDG_CONFIG_HOME").env_remove("XDG_RUNTIME_DIR");
    result_of(&call.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere").output().unwrap())
}

/// Calls the program and watches how much memory it takes at most, in MiB; 0
/// where the system does not say it.
#[track_caller]
pub fn fonds_watched<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> (CallResult, u64) {
    let child = command(args).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let waiting = std::thread::spawn(|| child.wait_with_output().unwrap());
    let mut peak_kib = 0;
    while !waiting.is_finished() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        peak_kib = line.trim().trim_end_matches(" kB").parse().unwrap_or(0).max(peak_kib);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    (result_of(&waiting.join().unwrap()), peak_kib / 1024)
}

#[track_caller]
fn result_of(output: &Output) -> CallResult {
    let result = CallResult {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!(!result.err.contains("panicked"), "the program panicked: {}", result.err);
    result
}

/// A path as an argument.
#[track_caller]
pub fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}
