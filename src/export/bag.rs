//! An export as a bag (BagIt 1.0, RFC 8493): what preservation systems take in
//! as it is. The payload lies in `data/`, all else is tag files.

use super::manifest::{Manifest, ManifestFile, measure};
use super::signature::SIGNATURE_NAME;
use super::verify::Faults;
use super::{ExportError, ExportOptions, VerifyCheck};
use crate::export::write::sink::Sink;
use crate::jobs::counted;
use crate::uri::CaptureDate;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Folder of the payload.
pub(super) const PAYLOAD: &str = "data/";

const DECLARATION: &str = "bagit.txt";
const INFO: &str = "bag-info.txt";
const PAYLOAD_MANIFEST: &str = "manifest-sha256.txt";
const TAG_MANIFEST: &str = "tagmanifest-sha256.txt";

/// Whether a file of this name is of the bag, and in no manifest of ours.
pub(super) fn is_of_bag(path: &str) -> bool {
    [DECLARATION, INFO, PAYLOAD_MANIFEST, TAG_MANIFEST, SIGNATURE_NAME].contains(&path)
}

/// Writes the tag files; `listed` are those of them that are there already.
pub(super) fn write_bag(
    sink: &mut Sink<'_>,
    manifest: &Manifest,
    listed: Vec<ManifestFile>,
    options: &BagInfo,
    created: CaptureDate,
) -> Result<(), ExportError> {
    let payload = || manifest.files.iter().filter(|file| file.path.starts_with(PAYLOAD));
    let octets: u64 = payload().map(|file| file.bytes).sum();
    let date = created.to_warc();
    let mut info = vec![
        ("Bag-Software-Agent", manifest.software.clone()),
        ("Bagging-Date", date.get(..10).unwrap_or_default().to_owned()),
        ("External-Description", manifest.title.clone()),
        ("Payload-Oxum", format!("{octets}.{}", payload().count())),
    ];
    if !options.contact.is_empty() {
        info.insert(0, ("Contact-Name", options.contact.clone()));
    }
    let lines = |files: &mut dyn Iterator<Item = &ManifestFile>| -> String {
        files.map(|file| format!("{}  {}\n", file.sha256, file.path)).collect()
    };
    let mut tags: Vec<ManifestFile> =
        manifest.files.iter().filter(|file| !file.path.starts_with(PAYLOAD)).cloned().collect();
    tags.extend(listed);
    let info: String = info.iter().map(|(name, value)| tag(name, value)).collect();
    for (name, exact, text) in [
        (DECLARATION, true, "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".to_owned()),
        (INFO, false, info),
        (PAYLOAD_MANIFEST, true, lines(&mut payload())),
    ] {
        tags.push(sink.text(name, exact, text.as_bytes())?);
    }
    tags.sort_by(|one, other| one.path.cmp(&other.path));
    sink.text(TAG_MANIFEST, true, lines(&mut tags.iter()).as_bytes()).map(drop)
}

/// The description of a bag beyond its manifest (`bag-info.txt`).
#[derive(Debug, Clone, Default)]
pub(super) struct BagInfo {
    /// The contact of those who answer for it.
    pub contact: String,
}

impl BagInfo {
    pub(super) fn of(options: &ExportOptions<'_>) -> Self {
        let operator = options.info.iter().find(|(name, _)| name == "operator");
        Self { contact: operator.map(|(_, value)| value.clone()).unwrap_or_default() }
    }
}

/// A line of `bag-info.txt`; text of people stays on it.
fn tag(name: &str, value: &str) -> String {
    format!("{name}: {}\n", value.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The bag lists what the manifest lists, and its tag files are whole.
pub(super) fn bag_is_whole(manifest: &Manifest, folder: &Path) -> VerifyCheck {
    let mut faults = Faults::default();
    let listed = |name: &str, faults: &mut Faults| -> BTreeMap<String, String> {
        let text = match fs::read_to_string(folder.join(name)) {
            Ok(text) => text,
            Err(error) => {
                faults.add(format!("{name}: {error}"));
                return BTreeMap::new();
            }
        };
        let pair = |line: &str| line.split_once("  ").map(|(hash, path)| (path.to_owned(), hash.to_owned()));
        text.lines().filter_map(pair).collect()
    };
    let payload = listed(PAYLOAD_MANIFEST, &mut faults);
    let files = manifest.files.iter().filter(|file| file.path.starts_with(PAYLOAD));
    let ours: BTreeMap<String, String> = files.map(|file| (file.path.clone(), file.sha256.clone())).collect();
    if payload != ours {
        faults.add(format!("{PAYLOAD_MANIFEST} lists other files or digests than the manifest"));
    }
    let tags = listed(TAG_MANIFEST, &mut faults);
    let signature = Some(SIGNATURE_NAME).filter(|name| tags.contains_key(*name) || folder.join(name).exists());
    for name in [super::MANIFEST_NAME, DECLARATION, INFO, PAYLOAD_MANIFEST].into_iter().chain(signature) {
        match (tags.get(name), measure(&folder.join(name), |_| Ok(()))) {
            (None, _) => faults.add(format!("{TAG_MANIFEST} lacks {name}")),
            (Some(_), Err(error)) => faults.add(error.to_string()),
            (Some(listed), Ok((_, sha256))) if *listed != sha256 => faults.add(format!("{name}: SHA-256 differs")),
            _ => {}
        }
    }
    let figures =
        format!("{}, {} of them payload", counted((tags.len() + payload.len()) as u64, "file"), payload.len());
    faults.into_check("The folder is a bag (BagIt)", figures)
}
