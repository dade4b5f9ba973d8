//! A handover that was sent as one file, zip or tar: unpacked into the workspace when it is
//! imported, into a folder for the time being when it is verified.
//!
//! What is in the file is what a stranger wrote: only names below the folder of the
//! handover are taken, no links, nothing twice, and no more bytes than such a file can
//! honestly hold.

use super::super::import::{IMPORTS, INCOMING, is_package};
use crate::export::MANIFEST_NAME;
use crate::jobs::{JobCx, plain_name, sync_folder, sync_tree};
use crate::store::Workspace;
use crate::warc::wacz::stays_inside;
use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use zip::CompressionMethod;

/// The longest manifest that is read, in bytes.
const MOST_MANIFEST: u64 = 256 << 20;
/// A handover is archive files, which are compressed already, and lists of text: nothing of it unpacks to more
/// times its size.
const MOST_RATIO: u64 = 200;
/// Bytes that may be unpacked of a file however small it is.
const ALWAYS_FINE: u64 = 16 << 20;
/// Bytes of a block of a tar.
const TAR_BLOCK: usize = 512;
/// Files that only a handover has, any of which identifies it without its manifest.
const CONTENTS: [&str; 4] =
    ["data/decisions.jsonl", "data/campaign/campaign.v1.json", "data/selection.json", "data/seen.jsonl.gz"];
/// Folder that a Mac adds to a zip, with what no other system knows.
const OF_MAC: &str = "__MACOSX/";

/// The form in which a handover is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Zip,
    Tar,
    TarGz,
}

/// A member of a packed handover.
struct Member<'m> {
    /// Its name, without a leading `./`.
    name: &'m str,
    /// Whether it is a file, and no folder, link or device.
    is_file: bool,
    is_folder: bool,
    /// The form in which it is packed, where that is not read here.
    unread: Option<String>,
}

/// A packed handover that is not read: how it is packed, or what of it is missing.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UnreadPackage(String);

/// A file that is a packed handover.
pub(in crate::work) struct PackedHandover<'p> {
    path: &'p Path,
    packing: Packing,
    /// The folder in the file that has the manifest, with `/`.
    folder: String,
    /// SHA-256 of the manifest, in hex.
    digest: String,
}

/// A handover as it was unpacked.
pub(super) struct Unpacked {
    /// Its path.
    pub folder: PathBuf,
    /// Its name: its folder in the file, or the file without its ending.
    pub name: String,
    /// Whether it was unpacked now.
    pub is_new: bool,
}

impl Packing {
    fn of(path: &Path) -> io::Result<Option<Self>> {
        if !path.is_file() {
            return Ok(None);
        }
        if is_package(path)? {
            return Ok(Some(Self::Zip));
        }
        let is_tar = |source: &mut dyn Read| -> io::Result<bool> {
            let mut block = Vec::new();
            source.take(TAR_BLOCK as u64).read_to_end(&mut block)?;
            Ok(block.get(257..262) == Some(b"ustar"))
        };
        if is_tar(&mut File::open(path)?)? {
            return Ok(Some(Self::Tar));
        }
        // What is no gzip at all cannot be read.
        let is_packed = is_tar(&mut MultiGzDecoder::new(BufReader::new(File::open(path)?))).unwrap_or(false);
        Ok(is_packed.then_some(Self::TarGz))
    }

    /// Gives out the members in their order until one is enough.
    fn each(
        self,
        path: &Path,
        mut take: impl FnMut(Member<'_>, &mut dyn Read) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let file = BufReader::new(File::open(path)?);
        if self == Self::Zip {
            let mut zip = zip::ZipArchive::new(file).map_err(|error| cut_off(error.into()))?;
            for at in 0..zip.len() {
                let entry = zip.by_index_data(at)?;
                let name = entry.name()?.into_owned();
                let unread = match entry.compression() {
                    _ if entry.encrypted() => Some("encrypted".to_owned()),
                    CompressionMethod::Stored | CompressionMethod::Deflated => None,
                    other => Some(format!("packed with {other}")),
                };
                let (is_file, is_folder) = (entry.is_file() && !entry.is_symlink(), entry.is_dir());
                let is_read = unread.is_none();
                let member = Member { name: name.trim_start_matches("./"), is_file, is_folder, unread };
                let goes_on = match is_read {
                    true => take(member, &mut zip.by_index(at)?)?,
                    false => take(member, &mut io::empty())?,
                };
                if !goes_on {
                    break;
                }
            }
            return Ok(());
        }
        let source: Box<dyn Read> = match self {
            Self::TarGz => Box::new(MultiGzDecoder::new(file)),
            _ => Box::new(file),
        };
        for entry in tar::Archive::new(source).entries()? {
            let mut entry = entry.map_err(cut_off)?;
            let kind = entry.header().entry_type();
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let member = Member {
                name: name.trim_start_matches("./"),
                is_file: kind.is_file() || kind.is_contiguous(),
                is_folder: kind.is_dir(),
                unread: None,
            };
            if !take(member, &mut entry)? {
                break;
            }
        }
        Ok(())
    }
}

/// The name of a member below the folder of the handover; none of what lies elsewhere.
fn below<'m>(name: &'m str, folder: &str) -> Option<&'m str> {
    name.strip_prefix(folder).filter(|name| !name.is_empty() && !name.starts_with(OF_MAC))
}

/// The error of a packed file whose bytes are not whole.
fn cut_off(error: io::Error) -> anyhow::Error {
    match error.raw_os_error() {
        Some(_) => error.into(),
        None => anyhow::anyhow!("the file is cut off or damaged ({error}): fetch it again, or ask for it again"),
    }
}

/// The folder, with `/`, of a member that is called `name` at the top or in the one folder that was packed.
fn folder_of<'m>(member: &'m str, name: &str) -> Option<&'m str> {
    let folder = member.strip_suffix(name)?;
    let is_top = folder.matches('/').count() <= 1 && (folder.is_empty() || folder.ends_with('/'));
    (is_top && folder != OF_MAC).then_some(folder)
}

/// Refuses a member that is packed in a way that is not read here.
fn check_packing(member: &Member<'_>) -> Result<(), UnreadPackage> {
    match &member.unread {
        None => Ok(()),
        Some(how) => Err(UnreadPackage(format!(
            "“{}” in it is {how}, and Fonds reads zips whose files are stored or deflated: unpack it and name its folder, \
             or pack it again so",
            member.name
        ))),
    }
}

impl<'p> PackedHandover<'p> {
    /// Looks whether a file is a packed handover; none where it is none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read to where its manifest would be, a handover without a manifest or with one that
    /// is packed in another way, or a stop.
    pub(in crate::work) fn open(path: &'p Path, cx: &JobCx) -> anyhow::Result<Option<Self>> {
        let Some(packing) = Packing::of(path)? else { return Ok(None) };
        let (mut found, mut is_broken) = (None, false);
        // A folder without its manifest is no plain folder of archive files either.
        let (mut has_contents, mut has_archive) = (false, false);
        packing.each(path, |member, source| {
            cx.checkpoint()?;
            has_archive |= member.name.contains("data/archive/");
            has_contents |= CONTENTS.iter().any(|name| folder_of(member.name, name).is_some());
            let Some(folder) = folder_of(member.name, MANIFEST_NAME).filter(|_| member.is_file) else {
                return Ok(true);
            };
            check_packing(&member)?;
            let mut text = Vec::new();
            source.take(MOST_MANIFEST).read_to_end(&mut text).map_err(cut_off)?;
            let format = serde_json::from_slice::<Value>(&text).ok();
            is_broken = format.is_none();
            if format.is_some_and(|document| document["format"] == "fonds-export") {
                found = Some((folder.to_owned(), data_encoding::HEXLOWER.encode(&Sha256::digest(&text))));
            }
            Ok(found.is_none())
        })?;
        if found.is_none() && has_contents && has_archive {
            let what = if is_broken { "cannot be read" } else { "is missing" };
            return Err(UnreadPackage(format!(
                "its {MANIFEST_NAME} {what}, and without it nothing in it can be checked"
            ))
            .into());
        }
        Ok(found.map(|(folder, digest)| Self { path, packing, folder, digest }))
    }

    /// Its name: its folder in the file, or the file without its ending.
    fn name(&self) -> String {
        match self.folder.trim_end_matches('/') {
            "" => stem(self.path),
            name => name.to_owned(),
        }
    }

    /// Unpacks it into an empty folder.
    ///
    /// # Errors
    ///
    /// Members that no handover has, a file that is cut off, a folder that cannot be written, or a stop.
    pub(in crate::work) fn unpack_into(&self, goal: &Path, cx: &JobCx) -> anyhow::Result<()> {
        let place = || self.path.display().to_string();
        let size = self.path.metadata().with_context(place)?.len();
        cx.stage_in_bytes("Unpacking the handover", None);
        let mut room = size.saturating_mul(MOST_RATIO).max(ALWAYS_FINE);
        self.packing
            .each(self.path, |member, source| {
                let Some(name) = below(member.name, &self.folder).filter(|_| !member.is_folder) else {
                    return Ok(true);
                };
                if !member.is_file || !stays_inside(name) {
                    bail!("“{}” is no file below the folder of the handover; nothing of it is unpacked", member.name);
                }
                check_packing(&member)?;
                let to = goal.join(name);
                if let Some(parent) = to.parent() {
                    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
                }
                let mut out = File::create_new(&to).with_context(|| format!("“{name}” cannot be unpacked"))?;
                room -= copy(source, &mut out, room, cx)
                    .with_context(|| format!("“{name}” cannot be unpacked into {}", goal.display()))?;
                Ok(true)
            })
            .with_context(place)
    }
}

/// Unpacks a file into the workspace if it is a packed handover; none where it is none. One that was unpacked
/// before is there.
///
/// # Errors
///
/// A file that cannot be read, members that no handover has, a workspace that cannot be written, or a stop.
pub(super) fn unpack(workspace: &Workspace, path: &Path, cx: &JobCx) -> anyhow::Result<Option<Unpacked>> {
    let place = || path.display().to_string();
    let packed = match PackedHandover::open(path, cx) {
        // A damaged file is no handover, and is reported as whatever else it is.
        Err(error) if !cx.is_cancelled() && !error.is::<UnreadPackage>() => {
            tracing::debug!("{}: {error:#}", path.display());
            None
        }
        packed => packed.with_context(place)?,
    };
    let Some(packed) = packed else { return Ok(None) };
    let name = packed.name();
    let imports = workspace.own_folder(IMPORTS)?;
    let goal = imports.join(format!("{}-{}", folder_name(&name), packed.digest.get(..16).unwrap_or_default()));
    let goal = workspace.own_folder(goal)?;
    if goal.is_dir() {
        return Ok(Some(Unpacked { folder: goal, name, is_new: false }));
    }
    fs::create_dir_all(&imports).with_context(|| imports.display().to_string())?;
    let incoming = tempfile::Builder::new().prefix(INCOMING).tempdir_in(&imports)?;
    packed.unpack_into(incoming.path(), cx)?;
    let incoming = incoming.keep();
    // The catalogue will name what is in it.
    sync_tree(&incoming).with_context(|| incoming.display().to_string())?;
    fs::rename(&incoming, &goal).with_context(|| goal.display().to_string())?;
    sync_folder(goal.parent());
    Ok(Some(Unpacked { folder: goal, name, is_new: true }))
}

/// Copies a member, of which there may be so many bytes; returns how many there were.
fn copy(source: &mut dyn Read, out: &mut File, most: u64, cx: &JobCx) -> anyhow::Result<u64> {
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let len = source.read(&mut buffer).map_err(cut_off)?;
        if len == 0 {
            return Ok(bytes);
        }
        bytes += len as u64;
        if bytes > most {
            bail!("the file unpacks to more than {MOST_RATIO} times its size, which no handover does");
        }
        io::Write::write_all(out, buffer.get(..len).unwrap_or_default())?;
        cx.advance(len as u64)?;
    }
}

/// The name of a handover as that of a folder.
fn folder_name(name: &str) -> String {
    plain_name(name, "handover").chars().take(60).collect()
}

/// The name of a file without the endings of packing.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".zip", ".tar.gz", ".tgz", ".tar"];
    let stem = endings.iter().find_map(|ending| name.to_lowercase().strip_suffix(ending).map(|stem| stem.len()));
    name.get(..stem.unwrap_or(name.len())).unwrap_or(&name).to_owned()
}
