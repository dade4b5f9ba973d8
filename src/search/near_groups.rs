//! Groups of near-duplicate texts, and the file beside the index that keeps them.
//!
//! The file is written whole to another name and renamed. It is `FONDSNG2`;
//! for each text its version (8 bytes, little-endian as all numbers) and its
//! [`MinHash`]; for each text that joined a group its version and that of the
//! text that the group began with; the [`IndexMark`] of the index that it is
//! of, as JSON; and at its end how many texts, how many of these, the first
//! ones, were compared, how many joined, and bytes of the mark, a checksum of
//! the texts, one of all behind them, and `FONDSNG2`.

use super::builder::IndexMark;
use crate::jobs::WholeFile;
use crate::text::near::MinHash;
use foldhash::fast::{FixedState, FoldHasher};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Name of the file in the folder of the index.
const NAME: &str = "near.bin";
const MAGIC: [u8; 8] = *b"FONDSNG2";
/// Bytes of a text: version and signature.
const TEXT_BYTES: usize = 8 + MinHash::BYTES;
/// Bytes of a text that joined a group: its version and the first of the group.
const PAIR_BYTES: usize = 16;
/// Bytes of the end of the file.
const END_BYTES: usize = 56;

/// Groups of content versions that are near-duplicates of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NearGroups {
    /// Versions of each group, the oldest first.
    groups: Vec<Vec<u64>>,
    /// The group of each version that has near-duplicates.
    of: HashMap<u64, usize>,
}

impl NearGroups {
    /// Builds groups from versions that joined one, each with the version that it began with.
    pub fn of_pairs(pairs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut by_first: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (version, first) in pairs {
            by_first.entry(first).or_insert_with(|| vec![first]).push(version);
        }
        let mut groups: Vec<Vec<u64>> = by_first.into_values().collect();
        groups.iter_mut().for_each(|versions| versions.sort_unstable());
        groups.sort_unstable();
        let numbered = groups.iter().enumerate();
        let of = numbered.flat_map(|(nth, versions)| versions.iter().map(move |version| (*version, nth))).collect();
        Self { groups, of }
    }

    /// Reads the groups that were found last; none where nothing was looked
    /// for yet, or the file is damaged.
    pub fn load(folder: &Path) -> Option<Self> {
        let file = NearFile::open(folder)?;
        Some(Self::of_pairs(file.groups))
    }

    /// The time at which the groups of an index were found last.
    pub fn date(folder: &Path) -> Option<std::time::SystemTime> {
        std::fs::metadata(folder.join(NAME)).and_then(|meta| meta.modified()).ok()
    }

    /// The number of a version's group, which is its oldest version; none
    /// where it has no near-duplicates.
    pub fn group_of(&self, version: u64) -> Option<u64> {
        self.members(version).first().copied()
    }

    /// The versions of a version's group, the oldest first; empty where it has no near-duplicates.
    pub fn members(&self, version: u64) -> &[u64] {
        self.of.get(&version).and_then(|nth| self.groups.get(*nth)).map_or(&[], Vec::as_slice)
    }

    /// Every group: its versions, the oldest first.
    pub fn groups(&self) -> impl Iterator<Item = &[u64]> {
        self.groups.iter().map(Vec::as_slice)
    }
}

/// The file of signatures and groups, open for reading.
#[derive(Debug)]
pub struct NearFile {
    path: PathBuf,
    /// The index that it is of.
    pub mark: IndexMark,
    /// Texts in it.
    pub texts: u64,
    /// The first of them that were compared with those before; the others are of no group yet.
    pub compared: u64,
    /// The first version of the group of each version that joined one.
    pub groups: HashMap<u64, u64>,
    checksum: u64,
}

impl NearFile {
    /// Opens the file of an index; none where it is missing or damaged: it is
    /// made again then.
    pub fn open(folder: &Path) -> Option<Self> {
        let path = folder.join(NAME);
        let mut file = crate::jobs::open_own(&path, File::options().read(true)).ok()?;
        let len = file.seek(SeekFrom::End(0)).ok()?;
        let end_at = len.checked_sub(END_BYTES as u64)?;
        file.seek(SeekFrom::Start(end_at)).ok()?;
        let mut end = [0; END_BYTES];
        file.read_exact(&mut end).ok()?;
        let [texts, compared, pairs, mark_len, checksum, behind, magic] = numbers(&end)?;
        let texts_len = texts.checked_mul(TEXT_BYTES as u64)?.checked_add(MAGIC.len() as u64)?;
        let pairs_len = pairs.checked_mul(PAIR_BYTES as u64)?;
        // Before anything is allocated: the file is as long as it declares.
        if magic != u64::from_le_bytes(MAGIC) || texts_len.checked_add(pairs_len)?.checked_add(mark_len)? != end_at {
            return None;
        }
        file.seek(SeekFrom::Start(texts_len)).ok()?;
        let mut bytes = vec![0; usize::try_from(pairs_len + mark_len).ok()?];
        file.read_exact(&mut bytes).ok()?;
        let mut sum = checksums();
        sum.write(&bytes);
        sum.write_u64(compared);
        let (pairs, mark) = bytes.split_at_checked(usize::try_from(pairs_len).ok()?)?;
        if sum.finish() != behind {
            return None;
        }
        let pairs = pairs.chunks_exact(PAIR_BYTES).filter_map(numbers::<2>);
        let groups = pairs.map(|[version, first]| (version, first)).collect();
        Some(Self { path, mark: serde_json::from_slice(mark).ok()?, texts, compared, groups, checksum })
    }

    /// Gives each text to `each`, in the order in which they were put in.
    /// False where it is damaged: what was given is worth nothing then.
    ///
    /// # Errors
    ///
    /// Those of `each`.
    pub fn each_text<E>(&self, mut each: impl FnMut(u64, MinHash) -> Result<(), E>) -> Result<bool, E> {
        let Ok(mut file) = File::open(&self.path).map(|file| BufReader::with_capacity(1 << 18, file)) else {
            return Ok(false);
        };
        let mut magic = [0; MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Ok(false);
        }
        let mut sum = checksums();
        for _ in 0..self.texts {
            let mut version = [0; 8];
            let mut signature = [0; MinHash::BYTES];
            if file.read_exact(&mut version).and_then(|()| file.read_exact(&mut signature)).is_err() {
                return Ok(false);
            }
            sum.write(&version);
            sum.write(&signature);
            each(u64::from_le_bytes(version), MinHash::from_bytes(&signature))?;
        }
        Ok(sum.finish() == self.checksum)
    }

    /// The path of an index's file where it is not what was written; none where
    /// it is fine or not there.
    pub fn damaged(folder: &Path) -> Option<PathBuf> {
        let path = folder.join(NAME);
        let is_fine = || Self::open(folder)?.each_text(|_, _| Ok::<(), ()>(())).ok();
        (path.exists() && is_fine() != Some(true)).then_some(path)
    }
}

/// Writes the file again. Until [`finish`](Self::finish) the old one stays.
pub struct NearWriter {
    file: WholeFile,
    texts: u64,
    sum: FoldHasher<'static>,
}

impl NearWriter {
    /// Begins the file of an index. Whoever writes the index writes it: one at a time.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let mut file = WholeFile::replace_own(&folder.join(NAME)).map_err(|error| error.source)?;
        file.write_all(&MAGIC)?;
        Ok(Self { file, texts: 0, sum: checksums() })
    }

    /// Puts a text in.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn put(&mut self, version: u64, signature: &MinHash) -> io::Result<()> {
        for bytes in [&version.to_le_bytes()[..], &signature.to_bytes()] {
            self.sum.write(bytes);
            self.file.write_all(bytes)?;
        }
        self.texts += 1;
        Ok(())
    }

    /// The signatures that were put in so far.
    ///
    /// # Errors
    ///
    /// A file that cannot be written or read.
    pub fn texts(&mut self) -> io::Result<NearTexts> {
        self.file.flush()?;
        let file = File::open(self.file.open_path())?;
        Ok(NearTexts { file, texts: u32::try_from(self.texts).map_err(io::Error::other)? })
    }

    /// Ends the file and puts it in the place of the old one: the first so many
    /// texts were compared, and these versions joined a group, each with the
    /// version that it began with.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn finish(
        mut self,
        mark: &IndexMark,
        compared: u64,
        joined: impl Iterator<Item = (u64, u64)>,
    ) -> io::Result<()> {
        let mark = serde_json::to_vec(mark)?;
        let mut bytes: Vec<u8> =
            joined.flat_map(|(version, first)| [version, first]).flat_map(u64::to_le_bytes).collect();
        let pairs = (bytes.len() / PAIR_BYTES) as u64;
        bytes.extend_from_slice(&mark);
        let mut sum = checksums();
        sum.write(&bytes);
        sum.write_u64(compared);
        let magic = u64::from_le_bytes(MAGIC);
        let end = [self.texts, compared, pairs, mark.len() as u64, self.sum.finish(), sum.finish(), magic];
        bytes.extend(end.into_iter().flat_map(u64::to_le_bytes));
        self.file.write_all(&bytes)?;
        self.file.finish().map_err(|error| error.source)
    }
}

/// Signatures in a file that is being written, numbered in the order in which they were put in.
#[derive(Debug)]
pub struct NearTexts {
    file: File,
    texts: u32,
}

impl NearTexts {
    /// The number of texts.
    pub(super) fn len(&self) -> u32 {
        self.texts
    }

    /// Gives some of them to `each`, in order.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and those of `each`.
    pub(super) fn each<E: From<io::Error>>(
        &mut self,
        part: Range<u32>,
        mut each: impl FnMut(u32, &MinHash) -> Result<(), E>,
    ) -> Result<(), E> {
        self.seek(part.start)?;
        let mut file = BufReader::with_capacity(1 << 18, &self.file);
        for at in part {
            each(at, &read_text(&mut file)?)?;
        }
        Ok(())
    }

    /// The signature at this position.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn get(&mut self, at: u32) -> io::Result<MinHash> {
        self.seek(at)?;
        read_text(&mut self.file)
    }

    fn seek(&mut self, at: u32) -> io::Result<()> {
        let place = MAGIC.len() as u64 + u64::from(at) * TEXT_BYTES as u64;
        self.file.seek(SeekFrom::Start(place)).map(drop)
    }
}

/// The signature of the text that comes next.
fn read_text(file: &mut impl Read) -> io::Result<MinHash> {
    let mut bytes = [0; TEXT_BYTES];
    file.read_exact(&mut bytes)?;
    let signature = bytes.last_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(MinHash::from_bytes(signature))
}

/// Makes checksums that are the same in all runs and versions of the program.
pub(super) fn checksums() -> FoldHasher<'static> {
    FixedState::with_seed(0xf0d5).build_hasher()
}

/// Little-endian numbers, as many as there are.
fn numbers<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut found = [0; N];
    for (number, bytes) in found.iter_mut().zip(bytes.chunks_exact(8)) {
        *number = u64::from_le_bytes(bytes.try_into().ok()?);
    }
    (bytes.len() == 8 * N).then_some(found)
}
