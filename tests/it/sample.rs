//! One finished demo that many tests look at.

use fonds::jobs::JobCx;
use fonds::work::sample::{DemoReport, run_demo};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

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
        // A value of the whole run is never dropped, so its folder lies where
        // builds lie, and the next run takes old ones away.
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        remove_old(place);
        let folder = place.join(format!("it-demo-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        let report = run_demo(&folder, &JobCx::detached(), &|_| {}).unwrap();
        Demo { report, folder }
    })
}

fn remove_old(place: &Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let is_demo = entry.file_name().to_string_lossy().starts_with("it-demo-");
        let age = entry.metadata().and_then(|meta| meta.modified()).ok();
        let old = age.is_some_and(|made| {
            SystemTime::now().duration_since(made).is_ok_and(|age| age > Duration::from_secs(3600))
        });
        if is_demo && old {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let goal = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &goal);
        } else {
            std::fs::copy(&path, &goal).unwrap();
        }
    }
}
