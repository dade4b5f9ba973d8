//! The files that prove permissions, as an export is read back.

use super::Faults;
use crate::export::manifest::Manifest;
use crate::export::write::attachments::MAX_LINE;
use crate::export::{ExportError, VerifyCheck, io_at};
use crate::jobs::{JobCx, counted};
use crate::warc::wacz::stays_inside;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// The parts of a version of a campaign that name evidence.
#[derive(Deserialize)]
struct VersionRecords {
    #[serde(default)]
    permissions: Vec<RecordFiles>,
}

#[derive(Deserialize)]
struct RecordFiles {
    #[serde(default)]
    covers: String,
    #[serde(default)]
    files: Vec<NamedFile>,
}

#[derive(Deserialize)]
struct NamedFile {
    path: String,
    sha256: String,
}

/// Every file that a version of the campaign names as evidence is in the export,
/// with its digest; none where no version names any.
pub(in crate::export) fn evidence_is_here(
    manifest: &Manifest,
    folder: &Path,
    cx: &JobCx,
) -> Result<Option<VerifyCheck>, ExportError> {
    let campaign = manifest.payload("campaign/");
    let digests: HashMap<&str, &str> =
        manifest.files.iter().map(|file| (file.path.as_str(), file.sha256.as_str())).collect();
    // Each with the last version that names it.
    let mut named: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut faults = Faults::default();
    let is_version = |path: &str| {
        let name = path.strip_prefix(&campaign).and_then(|name| name.strip_prefix("campaign.v"));
        name.and_then(|name| name.strip_suffix(".json")).and_then(|number| number.parse::<u32>().ok())
    };
    let mut versions: Vec<(u32, &str)> =
        manifest.files.iter().filter_map(|file| Some((is_version(&file.path)?, file.path.as_str()))).collect();
    versions.sort_unstable();
    for (_, path) in versions.into_iter().filter(|(_, path)| stays_inside(path)) {
        cx.checkpoint()?;
        let place = folder.join(path);
        let file = match File::open(&place).map_err(io_at(&place)) {
            Ok(file) => BufReader::new(file).take(MAX_LINE),
            // That it is missing has been reported.
            Err(_) => continue,
        };
        let version: VersionRecords = match serde_json::from_reader(file) {
            Ok(version) => version,
            Err(error) => {
                faults.add(format!("{path}: {error}"));
                continue;
            }
        };
        for (record, number) in version.permissions.into_iter().zip(1..) {
            for file in record.files {
                let by = format!("{path}: record {number} ({})", record.covers);
                named.insert((file.path, file.sha256.to_lowercase()), by);
            }
        }
    }
    if named.is_empty() {
        return Ok(None);
    }
    let count = named.len() as u64;
    for ((path, sha256), by) in named {
        match digests.get(format!("{campaign}{path}").as_str()) {
            Some(found) if found.eq_ignore_ascii_case(&sha256) => {}
            Some(_) => faults.add(format!("{by} names {path} with another SHA-256")),
            None => faults.add(format!("{by} names {path}, which is not in the export")),
        }
    }
    let figures = format!("{} named", counted(count, "file"));
    Ok(Some(faults.into_check("Evidence of permissions is here", figures)))
}
