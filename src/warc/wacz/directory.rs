//! Reads the central directory of a zip and checks it against the local headers.

use super::name::why_not_inside;
use super::{Member, WaczError, WaczProblem};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// A package with more members is not opened.
const MAX_MEMBERS: usize = 100_000;

/// The directory is read with at most so many bytes; 100,000 members of
/// long names need a tenth of it.
const MAX_DIRECTORY_BYTES: u64 = 256 * 1024 * 1024;

/// A member that unpacks to more than so many times its packed length …
const MAX_RATIO: u64 = 250;

/// … and to more than so many bytes is set aside. Deflate reaches 1,032 times
/// at most; text that repeats itself stays far below 250.
const BOMB_BYTES: u64 = 64 * 1024 * 1024;

/// Limit as [`BOMB_BYTES`] for all members together.
const ALL_BOMBS_BYTES: u64 = 1 << 30;

/// Length of a local header without name and extra field (APPNOTE 4.3.7).
const LOCAL_HEADER: usize = 30;

/// Without the list of members at the end of a zip none of them is found.
const CUT_OFF: &str = "a zip file whose list of members, which ends the file, is missing or damaged: the file seems to be cut \
    off. Fetch it again; zip -FF FILE --out NEW makes a list of what is whole in it";

/// Whether the file begins with a member.
fn begins_like_a_zip(path: &Path) -> bool {
    let mut begin = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"PK\x03\x04"
}

/// The members that can be read, and those set aside with the reason.
pub(super) fn read(path: &Path) -> Result<(Vec<Member>, Vec<WaczProblem>), WaczError> {
    let io = |source| WaczError::Io { path: path.to_owned(), source };
    let not = |why: String| WaczError::NotPackage { path: path.to_owned(), why };
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let rationed = Rationed { inner: BufReader::new(file), left: MAX_DIRECTORY_BYTES, len: size };
    let archive = ZipArchive::new(rationed).map_err(|error| match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => io(error),
        ZipError::Io(_) | ZipError::InvalidArchive(_) => match begins_like_a_zip(path) {
            true => WaczError::Damaged { path: path.to_owned(), why: CUT_OFF },
            false => not("it is no zip".to_owned()),
        },
        other => not(other.to_string()),
    })?;
    if archive.len() > MAX_MEMBERS {
        return Err(not(format!("{} members; at most {MAX_MEMBERS} are looked at", archive.len())));
    }
    let twice = if archive.has_duplicate_names() {
        names_twice(path, archive.central_directory_start())
    } else {
        Ok(HashSet::new())
    };
    let twice = twice.map_err(io)?;
    let directory = archive.central_directory_start();
    let mut file = BufReader::new(File::open(path).map_err(io)?);
    let (mut members, mut refused) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(|error| not(error.to_string()))?;
        let name = match entry.name() {
            Ok(name) => name.into_owned(),
            Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
        };
        let method = entry.compression();
        let (len, packed_len) = (entry.size(), entry.compressed_size());
        let why = if name.ends_with('/') && why_not_inside(name.trim_end_matches('/')).is_none() && len == 0 {
            continue;
        } else if let Some(why) = why_not_inside(&name) {
            Some(why.to_owned())
        } else if twice.contains(entry.name_raw()) {
            Some("is twice in the zip: programs would not agree which one is meant".to_owned())
        } else if entry.is_symlink() {
            Some("is a symbolic link".to_owned())
        } else if entry.encrypted() {
            Some("is encrypted".to_owned())
        } else if !matches!(method, CompressionMethod::Stored | CompressionMethod::Deflated) {
            Some(format!("is packed by {method}; stored and deflated members are read"))
        } else if method == CompressionMethod::Stored && len != packed_len {
            Some(format!("is stored with {packed_len} bytes and declared with {len}"))
        } else if len > BOMB_BYTES && len / MAX_RATIO > packed_len {
            Some(format!("would unpack from {packed_len} to {len} bytes: a zip bomb, by the look of it"))
        } else {
            None
        };
        let offset = match why {
            Some(why) => Err(why),
            None => data_offset(&mut file, entry.header_start(), entry.name_raw(), method).map_err(io)?,
        };
        let inside = |offset: u64| offset.checked_add(packed_len).is_some_and(|end| end <= directory.min(size));
        match offset {
            Ok(offset) if !inside(offset) => {
                refused.push(WaczProblem::new(name, "its bytes go beyond the end of the zip"));
            }
            Ok(offset) => {
                let (stored, crc32) = (method == CompressionMethod::Stored, entry.crc32());
                members.push(Member { name, offset, packed_len, len, stored, crc32 });
            }
            Err(why) => refused.push(WaczProblem::new(name, why)),
        }
    }
    set_overlapping_aside(&mut members, &mut refused);
    // Many small bombs are one.
    let sum = |len: fn(&Member) -> u64| members.iter().map(len).fold(0, u64::saturating_add);
    let (len, packed_len) = (sum(|member| member.len), sum(|member| member.packed_len));
    if len > ALL_BOMBS_BYTES && len / MAX_RATIO > packed_len {
        return Err(not(format!("would unpack from {packed_len} to {len} bytes: a zip bomb, by the look of it")));
    }
    Ok((members, refused))
}

/// Bytes of one member that are also those of another unpack many times.
fn set_overlapping_aside(members: &mut Vec<Member>, refused: &mut Vec<WaczProblem>) {
    let mut order: Vec<usize> = (0..members.len()).filter(|&index| members[index].packed_len > 0).collect();
    order.sort_by_key(|&index| members[index].offset);
    let mut bad: HashMap<usize, String> = HashMap::new();
    let mut last: Option<usize> = None;
    for index in order {
        let end = |index: usize| members[index].offset + members[index].packed_len;
        if let Some(before) = last
            && members[index].offset < end(before)
        {
            bad.insert(index, members[before].name.clone());
        }
        if last.is_none_or(|before| end(index) > end(before)) {
            last = Some(index);
        }
    }
    let mut index = 0;
    members.retain(|member| {
        let overlapped = bad.get(&index);
        if let Some(other) = overlapped {
            refused.push(WaczProblem::new(&member.name, format!("shares bytes with {other}")));
        }
        index += 1;
        overlapped.is_none()
    });
}

/// Offset of the bytes of a member by its local header, or why there is none.
fn data_offset(
    file: &mut (impl Read + Seek),
    header: u64,
    name: &[u8],
    method: CompressionMethod,
) -> io::Result<Result<u64, String>> {
    file.seek(SeekFrom::Start(header))?;
    let mut local = [0; LOCAL_HEADER];
    if !read_whole(file, &mut local)? || !local.starts_with(b"PK\x03\x04") {
        return Ok(Err("the directory leads to a place where no member begins".to_owned()));
    }
    let number = |at: usize| usize::from(u16::from_le_bytes([local[at], local[at + 1]]));
    let (packed_by, name_len, extra_len) = (number(8), number(26), number(28));
    let mut its_name = vec![0; name_len];
    if !read_whole(file, &mut its_name)? || its_name != name {
        let other = String::from_utf8_lossy(&its_name).into_owned();
        return Ok(Err(format!("is called “{other}” in its local header")));
    }
    let expected = if method == CompressionMethod::Stored { 0 } else { 8 };
    if packed_by != expected {
        return Ok(Err("is packed in another way than the directory says".to_owned()));
    }
    Ok(Ok(header + (LOCAL_HEADER + name_len + extra_len) as u64))
}

/// Fills `out`; `false` when the file ends before.
fn read_whole(file: &mut impl Read, out: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(out) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Names that the directory has more than once: the zip reader keeps one.
fn names_twice(path: &Path, directory: u64) -> io::Result<HashSet<Vec<u8>>> {
    /// Length of a directory entry without name, extra field and comment (APPNOTE 4.3.12).
    const ENTRY: usize = 46;
    let mut file = BufReader::new(File::open(path)?);
    file.seek(SeekFrom::Start(directory))?;
    let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
    let mut entry = [0; ENTRY];
    while read_whole(&mut file, &mut entry)? && entry.starts_with(b"PK\x01\x02") && seen.len() <= MAX_MEMBERS {
        let number = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
        let mut name = vec![0; usize::from(number(28))];
        if !read_whole(&mut file, &mut name)? {
            break;
        }
        file.seek_relative(i64::from(number(30)) + i64::from(number(32)))?;
        if !seen.insert(name.clone()) {
            twice.insert(name);
        }
    }
    Ok(twice)
}

/// Ends the reading of a directory that has no end.
struct Rationed<R> {
    inner: R,
    left: u64,
    len: u64,
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::other(format!("the directory of the zip is longer than {MAX_DIRECTORY_BYTES} bytes"))
        })?;
        Ok(read)
    }
}

impl<R: Seek> Seek for Rationed<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // The length is known: seeking to the end need not forget what is buffered.
        match to {
            SeekFrom::End(back) => {
                let place = self.len.checked_add_signed(back);
                let place = place.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
                self.inner.seek(SeekFrom::Start(place))
            }
            to => self.inner.seek(to),
        }
    }
}
