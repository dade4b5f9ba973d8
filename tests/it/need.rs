//! Needs of tests beyond this project. Where one is absent the test is
//! skipped with a message; where `FONDS_REQUIRE` names it, the test fails instead,
//! so that nothing is skipped silently on the machines that check everything.
//!
//! | name in `FONDS_REQUIRE` | what it is | where it is looked for |
//! |---|---|---|
//! | `data` | test data of others | `FONDS_TEST_DATA`, else `../shared/data` |
//! | `peers` | `wget`, Java 17, `xmllint`, Chromium, `openssl`, `dbus-run-session`, `gnome-keyring-daemon`; a Python environment with warcio, fastwarc, pywb, cdxj-indexer, wacz, duckdb, pyspark, networkx, bagit, rdflib, pyshacl, pyld, jsonschema, cryptography, scikit-learn and yake | `PATH`; `FONDS_PEERS` |
//! | `window` | Xvfb, xdotool, ImageMagick; a binary with the window | `PATH`; `FONDS_BIN` |

pub(crate) use crate::folders::{data, skip};
use std::path::PathBuf;

/// A program of the system, or none where it is not installed.
#[track_caller]
pub fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skip("peers", &format!("{name} is not installed"));
    }
    found
}

/// Programs of a Python environment, by name; none where it is absent or not whole.
#[track_caller]
pub fn peers<const N: usize>(names: [&str; N]) -> Option<[PathBuf; N]> {
    let Some(folder) = std::env::var_os("FONDS_PEERS").map(PathBuf::from) else {
        skip(
            "peers",
            "FONDS_PEERS names no Python environment with warcio, fastwarc, pywb, cdxj-indexer, wacz, duckdb, pyspark, networkx, bagit, rdflib, pyshacl, pyld and jsonschema",
        );
        return None;
    };
    let programs = names.map(|name| folder.join("bin").join(name));
    if let Some(missing) = programs.iter().find(|program| !program.is_file()) {
        skip("peers", &format!("{} is not there (FONDS_PEERS)", missing.display()));
        return None;
    }
    Some(programs)
}
