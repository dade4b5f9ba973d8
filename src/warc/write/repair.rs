//! Repairs files whose writer was killed.

use super::super::read::{ArchiveReader, Compression, RETAIN};
use super::super::{OPEN_SUFFIX, Problem, ProblemKind, WarcError};
use crate::jobs::{WholeFile, have_equal_bytes, open_own, rename_new};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Suffix of the name of a tail that was cut off and kept.
const TORN_SUFFIX: &str = ".torn";

/// Names that are tried for a tail; more than this is no accident.
const MAX_TAILS: u32 = 1000;

/// Result of repairing a file whose writer was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Its final name; none when it held no whole record and was removed.
    pub file: Option<PathBuf>,
    /// Whole records in it.
    pub records: u64,
    /// Bytes that were cut off its end.
    pub cut_bytes: u64,
    /// Where they are kept; none where they are a torn record and nothing else,
    /// and few enough that this is certain (in a plain file: no other record
    /// seems to begin in them).
    pub kept: Option<KeptTail>,
    /// What the reader found.
    pub problems: Vec<Problem>,
}

/// The end of a file that was cut off and kept beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTail {
    /// The file it is kept in: `NAME.torn`, or `NAME.torn-2` and so on where
    /// that exists.
    pub file: PathBuf,
    /// Offset in the old file at which it began.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whole records that seem to be in it.
    pub records: u64,
}

impl std::fmt::Display for KeptTail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, offset, bytes, records } = self;
        let file = file.display();
        write!(f, "a record at offset {offset} is damaged")?;
        match records {
            0 => {}
            1 => write!(f, ", 1 whole record seems to follow it")?,
            count => write!(f, ", {count} whole records seem to follow it")?,
        }
        write!(f, ": ")?;
        write!(f, "the {bytes} bytes from there on are kept in {file}; look at it with `fonds warc check`")
    }
}

/// Cuts a torn record off a `.open` file and gives the file its final name.
///
/// The end of a killed writer is one record that breaks off. Where more than
/// that is cut off (records behind a damaged one, which may also be those of an
/// archive inside it; damage that no kill does), or so much that not all of it
/// was searched for records, the tail is kept in a file beside it.
///
/// # Errors
///
/// When the file cannot be read or written, does not end in `.open`, is no
/// archive file, or holds no whole record but other damage than a torn end;
/// it is left as it is then.
pub fn repair_open_file(open_path: &Path) -> Result<Repaired, WarcError> {
    repair_retaining(open_path, RETAIN)
}

/// As [`repair_open_file`]; of a longer tail, only so many bytes are searched
/// for records.
fn repair_retaining(open_path: &Path, retain: usize) -> Result<Repaired, WarcError> {
    let io = |source| WarcError::Io { path: open_path.to_owned(), source };
    let name = open_path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(name) = name.strip_suffix(OPEN_SUFFIX) else {
        return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "the name does not end in .open")));
    };
    let path = open_path.with_file_name(name);
    let mut file = open_own(open_path, File::options().read(true).write(true)).map_err(io)?;
    let mut reader = ArchiveReader::open(open_path)?.retaining(retain);
    let (mut records, mut behind) = (0, 0);
    let mut problems: Vec<Problem> = Vec::new();
    let mut sound_len = 0;
    // Where members broke off, from the end of the last whole record on.
    let mut torn: Vec<u64> = Vec::new();
    while let Some(record) = reader.next_record(0)? {
        let mut fresh = reader.take_problems();
        // What the reader finds within a torn record (an archive that was
        // being captured) is no record of this file.
        let fresh_torn = fresh.iter().filter(|problem| problem.kind == ProblemKind::Truncated);
        torn.extend(fresh_torn.map(|problem| problem.offset).filter(|&offset| offset >= sound_len));
        if behind > 0 || torn.iter().any(|&offset| offset < record.span.decoded_offset()) {
            behind += 1;
        } else {
            records += 1;
            sound_len = reader.sound_len();
            // A record that was written short is whole as far as it goes; the
            // member behind it, which was looked into with it, may be torn.
            torn.retain(|&offset| offset >= sound_len);
        }
        problems.append(&mut fresh);
    }
    problems.append(&mut reader.take_problems());
    let is_plain = reader.compression() == Compression::Plain;
    drop(reader);
    let len = file.metadata().map_err(io)?.len();
    let is_other = |problem: &&Problem| problem.kind != ProblemKind::Truncated || behind > 0;
    if records == 0 {
        // Records behind the damage may be all there is of a crawl.
        if let Some(other) = problems.iter().find(is_other) {
            let why = format!("no whole record ({other}); look at it by hand");
            return Err(WarcError::NoRecord { path: open_path.to_owned(), offset: 0, why });
        }
    }
    let mut of_tail = problems.iter().filter(|problem| problem.offset >= sound_len);
    let mut is_searched = len - sound_len <= retain as u64;
    if is_plain && is_searched && sound_len < len {
        // Nobody looked into a torn plain record: a wrong length may have taken
        // whole ones for its block.
        is_searched = !holds_record(&mut file, sound_len, retain).map_err(io)?;
    }
    let kept = match sound_len < len && (!is_searched || of_tail.any(|problem| is_other(&problem))) {
        true => Some(keep_tail(&mut file, open_path, &path, sound_len, behind)?),
        false => None,
    };
    if records == 0 {
        drop(file);
        fs::remove_file(open_path).map_err(io)?;
        return Ok(Repaired { file: None, records, cut_bytes: len, kept, problems });
    }
    file.set_len(sound_len).map_err(io)?;
    file.sync_all().map_err(io)?;
    drop(file);
    rename_new(open_path, &path).map_err(|source| WarcError::Io { path: path.clone(), source })?;
    Ok(Repaired { file: Some(path), records, cut_bytes: len - sound_len, kept, problems })
}

/// Whether a record seems to begin in the `len` bytes behind this offset of a
/// plain file.
fn holds_record(file: &mut File, offset: u64, len: usize) -> io::Result<bool> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(len as u64).read_to_end(&mut tail)?;
    Ok(memchr::memmem::find(&tail, b"\nWARC/").is_some())
}

/// Copies the bytes of `file` at `open_path` from `offset` on into a new file beside `path`; one that holds
/// just this already, as a call that was killed leaves it, is taken for it.
fn keep_tail(file: &mut File, open_path: &Path, path: &Path, offset: u64, records: u64) -> Result<KeptTail, WarcError> {
    let of = |path: &Path| {
        let path = path.to_owned();
        move |source| WarcError::Io { path, source }
    };
    let bytes = file.metadata().map_err(of(open_path))?.len().saturating_sub(offset);
    let mut number = 1;
    let (mut out, goal) = loop {
        let mut goal = path.as_os_str().to_owned();
        goal.push(TORN_SUFFIX);
        if number > 1 {
            goal.push(format!("-{number}"));
        }
        let goal = PathBuf::from(goal);
        let present = fs::symlink_metadata(&goal);
        if present.as_ref().is_ok_and(|present| present.file_type().is_file() && present.len() == bytes) {
            file.seek(SeekFrom::Start(offset)).map_err(of(open_path))?;
            if have_equal_bytes(&mut *file, File::open(&goal).map_err(of(&goal))?).map_err(of(&goal))? {
                return Ok(KeptTail { file: goal, offset, bytes, records });
            }
        }
        if present.is_ok() && number < MAX_TAILS {
            number += 1;
            continue;
        }
        // Left by a call that was killed: what it holds is a part of this tail.
        let mut stale = goal.as_os_str().to_owned();
        stale.push(OPEN_SUFFIX);
        match fs::remove_file(&stale) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(of(Path::new(&stale))(error)),
            _ => break (WholeFile::create(&goal)?, goal),
        }
    };
    file.seek(SeekFrom::Start(offset)).map_err(of(open_path))?;
    let mut buffer = vec![0; 1 << 18];
    let mut copied = 0;
    loop {
        let read = file.read(&mut buffer).map_err(of(open_path))?;
        if read == 0 {
            break;
        }
        out.write_all(&buffer[..read]).map_err(of(&goal))?;
        copied += read as u64;
    }
    out.finish()?;
    Ok(KeptTail { file: goal, offset, bytes: copied, records })
}

#[cfg(test)]
mod tests;
