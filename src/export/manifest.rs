//! The manifest of an export.

use super::{ExportError, io_at};
use crate::export::write::sink::Sink;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Name of the manifest in its folder.
pub const MANIFEST_NAME: &str = "manifest.json";

/// Name of the file that is locked while an export is written.
pub(super) const LOCK_NAME: &str = "export.lock";

/// Counts of the content of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Selected captures in it.
    pub captures: u64,
    /// Records, `warcinfo` and metadata included.
    pub records: u64,
    /// Records copied byte for byte.
    pub copied: u64,
    /// Records written under another head, their blocks unchanged.
    pub rewrapped: u64,
    /// Metadata records written by the export, one per capture.
    pub metadata: u64,
    /// Captures that came along because a revisit repeats them.
    pub originals_added: u64,
    /// Revisits whose original is not in the workspace.
    pub revisits_unresolved: u64,
    /// Lines of the CDXJ index.
    pub index_lines: u64,
    /// Objects of the inlink data set.
    pub inlink_objects: u64,
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Path in the folder, with `/`.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// `fonds-export`, so that the folder is known for what it is.
    pub format: String,
    /// Version of the layout: 2 has the payload in `data/`, as bags have it; 1
    /// had everything at the top.
    #[serde(default = "first_layout")]
    pub version: u32,
    /// The program that wrote it.
    pub software: String,
    /// Title of the export.
    pub title: String,
    /// When it was written, RFC 3339.
    pub created: String,
    /// The selection of the captures: threshold or filter, decisions, what pages
    /// lack; none in exports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<serde_json::Value>,
    /// The public keys that it is signed with: that of `manifest.sig.json`, and that of
    /// packages, for which whoever vouches for the first one vouches as well.
    #[serde(default, rename = "signedWith", skip_serializing_if = "Vec::is_empty")]
    pub signed_with: Vec<String>,
    /// Counts of the content.
    pub counts: Counts,
    /// Rows of each attachment: campaigns, decisions, refused URLs, knowledge.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attachments: BTreeMap<String, u64>,
    /// All files but the manifest and what makes the folder a bag, by path.
    pub files: Vec<ManifestFile>,
}

fn first_layout() -> u32 {
    1
}

impl Manifest {
    /// The value of [`Manifest::format`].
    pub const FORMAT: &str = "fonds-export";

    /// The newest [`Manifest::version`].
    pub const VERSION: u32 = 2;

    /// The path of what an export holds: `archive/`, `inlinks.jsonl` and so on.
    pub fn payload(&self, path: &str) -> String {
        let root = if self.version < 2 { "" } else { super::bag::PAYLOAD };
        format!("{root}{path}")
    }

    /// Reads the manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self, ExportError> {
        let not = |why: String| ExportError::NotAnExport { folder: folder.to_owned(), why };
        let text = fs::read(folder.join(MANIFEST_NAME)).map_err(|error| not(format!("{MANIFEST_NAME}: {error}")))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| not(format!("{MANIFEST_NAME}: {error}")))?;
        match (manifest.format == Self::FORMAT, manifest.version) {
            (true, 1..=Self::VERSION) => Ok(manifest),
            (true, version) => Err(not(format!(
                "{MANIFEST_NAME} is of version {version}; this program reads versions 1 to {}. Take a newer Fonds",
                Self::VERSION
            ))),
            (false, _) => Err(not(format!("{MANIFEST_NAME} is of format “{}”", manifest.format))),
        }
    }

    /// Writes the manifest; returns its size and digest, and its bytes.
    pub(super) fn write(&self, sink: &mut Sink<'_>) -> Result<(ManifestFile, Vec<u8>), ExportError> {
        let mut text =
            serde_json::to_vec_pretty(self).map_err(|error| io_at(Path::new(MANIFEST_NAME))(error.into()))?;
        text.push(b'\n');
        Ok((sink.text(MANIFEST_NAME, false, &text)?, text))
    }
}

/// Size and SHA-256 of a file, read in pieces; `each` hears of each piece.
pub(super) fn measure(
    path: &Path,
    mut each: impl FnMut(u64) -> Result<(), ExportError>,
) -> Result<(u64, String), ExportError> {
    let mut file = File::open(path).map_err(io_at(path))?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 256 * 1024];
    let mut bytes = 0;
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(len) => {
                hash.update(&piece[..len]);
                bytes += len as u64;
                each(len as u64)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_at(path)(error)),
        }
    }
    Ok((bytes, data_encoding::HEXLOWER.encode(&hash.finalize())))
}
