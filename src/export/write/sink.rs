//! Sink of the files of an export: its folder, or nowhere.
//!
//! A dry run takes the way of an export, with a sink that counts bytes: it
//! cannot list other files than the export writes. Archive files are summed up
//! from the records that would be copied; what is made out of whole archive
//! files (the index, the package) is estimated.

use super::attachments::{Attachment, Written};
use crate::export::bag::PAYLOAD;
use crate::export::manifest::{LOCK_NAME, ManifestFile, measure};
use crate::export::{ExportError, io_at};
use crate::jobs::{InOrder, JobCx};
use crate::warc::{FileSetOptions, FileSetSizes, Placed, SyncPoint, WarcError, WarcFileSet, reading_threads};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Estimated sizes differ from those of the export by at most this part …
pub const SIZE_MARGIN: f64 = 0.1;
/// … or by so many bytes.
pub const SIZE_MARGIN_BYTES: u64 = 4096;

/// Bytes that are written at once.
const BUFFER_BYTES: usize = 128 << 10;

/// A file that an export would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedFile {
    /// Path in the folder, with `/`. Names of archive files have the time of
    /// writing in them.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
    /// Whether it will have exactly so many, as long as the workspace stays as it is.
    pub exact: bool,
}

/// The destination of files.
pub(in crate::export) enum Sink<'f> {
    /// Into this folder.
    Folder(&'f Path),
    /// Nowhere; their sizes are kept.
    Sizes(Vec<PlannedFile>),
}

impl Sink<'_> {
    /// Archive files of an export in this sink.
    pub(in crate::export) fn archives(&self, options: FileSetOptions) -> Archives {
        match self {
            Self::Folder(_) => Archives::Files(WarcFileSet::new(options)),
            Self::Sizes(_) => Archives::Sizes(FileSetSizes::new(options)),
        }
    }

    /// The folder that is written to; none in a dry run.
    pub(in crate::export) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Sizes(_) => None,
        }
    }

    /// Makes a file with its folder, buffered and synced.
    pub(in crate::export) fn file(
        &mut self,
        name: &str,
        exact: bool,
        write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        match self.unsynced_file(name, exact, write)? {
            Some((file, path)) => file.sync_all().map_err(io_at(&path)),
            None => Ok(()),
        }
    }

    /// Makes a file that is synced by [`files`](Self::files).
    fn unsynced_file(
        &mut self,
        name: &str,
        exact: bool,
        write: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
    ) -> Result<Option<(File, PathBuf)>, ExportError> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(io_at(parent))?;
                }
                let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create_new(&path).map_err(io_at(&path))?);
                write(&mut out)?;
                let file = out.into_inner().map_err(|error| io_at(&path)(error.into_error()))?;
                Ok(Some((file, path)))
            }
            Self::Sizes(files) => {
                let mut out = ByteCount(0);
                write(&mut out)?;
                files.push(PlannedFile { path: name.to_owned(), bytes: out.0, exact });
                Ok(None)
            }
        }
    }

    /// Makes a file of one piece; returns its size and digest.
    pub(in crate::export) fn text(
        &mut self,
        name: &str,
        exact: bool,
        text: &[u8],
    ) -> Result<ManifestFile, ExportError> {
        self.file(name, exact, |out| out.write_all(text).map_err(io_at(Path::new(name))))?;
        let sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(text));
        Ok(ManifestFile { path: name.to_owned(), bytes: text.len() as u64, sha256 })
    }

    /// Makes an attachment; returns its place and number of rows. Others are written
    /// to the disk meanwhile, and a wait for it is one for those: it is synced with all.
    pub(in crate::export) fn attachment(
        &mut self,
        attachment: Attachment<'_>,
        written: &Written<'_>,
    ) -> Result<(String, u64), ExportError> {
        let (name, exact) = (attachment.path().to_owned(), attachment.is_exact());
        let mut rows = 0;
        self.unsynced_file(&name, exact, |out| {
            rows = attachment.write(out, written)?;
            Ok(())
        })?;
        Ok((name, rows))
    }

    /// Notes a file whose size is estimated; nothing where files are written.
    pub(in crate::export) fn estimate(&mut self, path: String, bytes: u64) {
        if let Self::Sizes(files) = self {
            files.push(PlannedFile { path, bytes, exact: false });
        }
    }

    /// Everything in it, by path. What is written is read once more for its digests, and
    /// is synced then.
    pub(in crate::export) fn files(&self, cx: &JobCx) -> Result<Vec<ManifestFile>, ExportError> {
        let folder = match self {
            Self::Folder(folder) => folder,
            Self::Sizes(files) => {
                let listed = |file: &PlannedFile| ManifestFile {
                    path: file.path.clone(),
                    bytes: file.bytes,
                    sha256: "0".repeat(64),
                };
                let mut files: Vec<ManifestFile> = files.iter().map(listed).collect();
                files.sort_by(|one, other| one.path.cmp(&other.path));
                return Ok(files);
            }
        };
        let paths = crate::export::verify::files_below(folder)?;
        let len = |path: &String| fs::metadata(folder.join(path)).map_or(0, |data| data.len());
        cx.stage_in_bytes("Measuring files", Some(paths.iter().map(len).sum()));
        let measured = |path: String| {
            let place = folder.join(&path);
            let (bytes, sha256) = measure(&place, |piece| Ok(cx.advance(piece)?))?;
            // One that is on the disk already takes no time.
            File::options().append(true).open(&place).and_then(|file| file.sync_all()).map_err(io_at(&place))?;
            Ok(ManifestFile { path, bytes, sha256 })
        };
        std::thread::scope(|scope| {
            let paths = paths.into_iter().filter(|path| path != LOCK_NAME);
            InOrder::start(scope, reading_threads(), &measured).each(paths).collect()
        })
    }

    /// The sizes that were kept, by path.
    pub(in crate::export) fn into_sizes(self) -> Vec<PlannedFile> {
        match self {
            Self::Folder(_) => Vec::new(),
            Self::Sizes(mut files) => {
                files.sort_by(|one, other| one.path.cmp(&other.path));
                files
            }
        }
    }
}

/// The archive files of an export.
pub(in crate::export) enum Archives {
    /// They are written.
    Files(WarcFileSet),
    /// They are summed up.
    Sizes(FileSetSizes),
}

impl Archives {
    /// Appends a record; gives its place if files are written.
    pub(in crate::export) fn append(&mut self, mut member: &[u8]) -> Result<Option<Placed>, WarcError> {
        let len = member.len() as u64;
        self.append_from(&mut member, len)
    }

    /// Appends a record of `len` bytes, which are read where files are written.
    pub(in crate::export) fn append_from(
        &mut self,
        member: &mut dyn Read,
        len: u64,
    ) -> Result<Option<Placed>, WarcError> {
        match self {
            Self::Files(files) => Ok(files.append_from(&mut [member])?.pop()),
            Self::Sizes(sizes) => {
                sizes.append(len);
                Ok(None)
            }
        }
    }

    /// The end of the current file, where files are written.
    pub(in crate::export) fn sync_point(&mut self) -> Result<Option<SyncPoint>, WarcError> {
        match self {
            Self::Files(files) => files.sync_point(),
            Self::Sizes(_) => Ok(None),
        }
    }

    /// The number of files, the current one among them.
    pub(in crate::export) fn len(&self) -> usize {
        match self {
            Self::Files(files) => files.len(),
            Self::Sizes(sizes) => sizes.len(),
        }
    }

    /// See [`WarcFileSet::next_warcinfo_id`].
    pub(in crate::export) fn next_warcinfo_id(&mut self) -> Result<String, WarcError> {
        match self {
            Self::Files(files) => files.next_warcinfo_id(),
            Self::Sizes(sizes) => Ok(sizes.next_warcinfo_id()),
        }
    }

    /// Closes the files; returns their paths and sizes in bytes.
    pub(in crate::export) fn close(self, sink: &mut Sink<'_>) -> Result<Vec<(PathBuf, u64)>, ExportError> {
        match self {
            Self::Files(files) => {
                let with_len = |path: PathBuf| {
                    let len = fs::metadata(&path).map_err(io_at(&path))?.len();
                    Ok((path, len))
                };
                files.close()?.into_iter().map(with_len).collect()
            }
            Self::Sizes(sizes) => {
                let files = sizes.close();
                for (name, bytes) in &files {
                    sink.estimate(format!("{PAYLOAD}archive/{name}"), *bytes);
                }
                Ok(files.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes)).collect())
            }
        }
    }
}

/// Counts what is written to it.
struct ByteCount(u64);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
