//! A finished demo that many tests read.

use crate::folders::folder_of_this_run;
use fonds::jobs::JobCx;
use fonds::work::sample::{DemoReport, run_demo};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A demo that came to its end. Nobody writes into its folder: tests that
/// need to work on a copy.
pub struct Demo {
    /// What it told.
    pub report: DemoReport,
    /// Its folder.
    pub folder: PathBuf,
}

/// The demo of this run of the tests, made by the first who asks.
pub fn demo() -> &'static Demo {
    static DEMO: OnceLock<Demo> = OnceLock::new();
    DEMO.get_or_init(|| {
        let folder = folder_of_this_run(Path::new(env!("CARGO_TARGET_TMPDIR")), "it-demo-");
        let report = run_demo(&folder, &JobCx::detached(), &|_| {}).unwrap();
        Demo { report, folder }
    })
}
