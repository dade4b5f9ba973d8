//! Manages a folder of segments and the list of those that count.

use super::super::LinkError;
use super::super::kept::{lock, write_list};
use super::super::merge::{Merge, Stream};
use super::super::row::Row;
use super::super::sorted::ROWS_PER_CHECK;
use super::super::sorted::Sorted;
use super::segment::{SegmentCounts, SegmentWriter, StoredSegment, open_own_file};
use crate::inlinks::Notation;
use crate::jobs::{FileLock, JobCx, create_own, free_bytes};
use crate::uri::InternalPolicy;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const LIST: &str = "links.json";
const LOCK: &str = "links.lock";
/// Stands beside segments of which none was listed yet: what a first load
/// leaves that was killed counts for nothing.
const FIRST: &str = "links.json.first";
/// Ends the name of a segment that is being written.
const OPEN: &str = ".open";
const FORMAT: &str = "fonds links";
const VERSION: u32 = 1;

/// A segment stays apart from the later ones while it is more than so many
/// times as large as they are together: few segments, and rows are seldom
/// written again.
const LEVEL: u64 = 2;

/// Room that is left on a disk for others, in bytes.
const DISK_FLOOR_BYTES: u64 = 32 * 1024 * 1024;

/// Rules that all rows of a folder share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoreRules {
    /// How keys are written.
    pub notation: Notation,
    /// Rule for internal links, where the rows did not declare it.
    pub internal: InternalPolicy,
}

/// Position in the input up to which links are stored, for adding later ones. It changes together with the
/// list of segments, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mark {
    /// The newest capture whose links are in.
    pub captures_up_to: i64,
    /// Which form the keys have, as a number of the caller's.
    pub keys: u32,
    /// The last reading of links of earlier captures that is in.
    #[serde(default)]
    pub read_up_to: i64,
    /// A checksum of what the newest capture is: in another catalogue its number is that of another one.
    #[serde(default)]
    pub last: u64,
    /// How many captures had been taken out of the catalogue by then.
    #[serde(default)]
    pub lost: u64,
}

impl Mark {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct List {
    format: String,
    version: u32,
    #[serde(flatten)]
    rules: StoreRules,
    #[serde(default, skip_serializing_if = "Mark::is_none")]
    mark: Mark,
    next: u64,
    segments: Vec<Listed>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Listed {
    number: u64,
    bytes: u64,
    #[serde(flatten)]
    counts: SegmentCounts,
}

impl List {
    fn new(rules: StoreRules) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules,
            mark: Mark::default(),
            next: 1,
            segments: Vec::new(),
        }
    }
}

/// Result of one addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Added {
    /// What the new segment held.
    #[serde(flatten)]
    pub counts: SegmentCounts,
    /// Segments that there are now.
    pub segments: usize,
    /// Bytes that they take.
    pub bytes: u64,
    /// Segments of like size wait for the next addition to be merged: there
    /// was no room for it, or a cancel.
    pub unmerged: bool,
}

/// Stored links: segments that are read as one.
pub struct LinkStore {
    folder: PathBuf,
    list: List,
    segments: Vec<StoredSegment>,
    /// Held by the process that adds; the system frees it when that dies.
    lock: Option<FileLock>,
}

impl LinkStore {
    /// Whether a folder holds stored links.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(LIST).is_file()
    }

    /// The list in a folder, which changes with every change of the links.
    pub fn list_of(folder: &Path) -> PathBuf {
        folder.join(LIST)
    }

    /// Opens stored links for reading.
    ///
    /// # Errors
    ///
    /// A folder without stored links, or files that are not as they were written.
    pub fn open(folder: &Path) -> Result<Self, LinkError> {
        match Self::open_once(folder) {
            // Segments may have been merged away between the list and its files.
            Err(LinkError::Stored(error)) if error.kind() == io::ErrorKind::NotFound => Self::open_once(folder),
            opened => opened,
        }
    }

    fn open_once(folder: &Path) -> Result<Self, LinkError> {
        let path = folder.join(LIST);
        let mut text = Vec::new();
        open_own_file(&path).and_then(|mut file| file.read_to_end(&mut text)).map_err(at(&path))?;
        let damaged = |why: String| stored(&path, io::Error::new(io::ErrorKind::InvalidData, why));
        let list: List = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if list.format != FORMAT || list.version != VERSION {
            return Err(damaged(format!(
                "the form is “{}” version {}, this program reads “{FORMAT}” version {VERSION}",
                list.format, list.version
            )));
        }
        let mut segments = Vec::with_capacity(list.segments.len());
        for listed in &list.segments {
            let path = segment_path(folder, listed.number);
            let segment = StoredSegment::open(&path)?;
            if segment.bytes() != listed.bytes || segment.counts() != listed.counts {
                let why = format!("the file is another one than {LIST} lists");
                return Err(stored(&path, io::Error::new(io::ErrorKind::InvalidData, why)));
            }
            segments.push(segment);
        }
        Ok(Self { folder: folder.to_owned(), list, segments, lock: None })
    }

    /// Opens stored links to add to them; makes the folder where it is absent.
    /// `rules` are those of a new one; another notation than that of links
    /// which are there is refused.
    ///
    /// # Errors
    ///
    /// As [`Self::open`]; and where another process adds at the moment.
    pub fn open_to_add(folder: &Path, rules: StoreRules) -> Result<Self, LinkError> {
        if !Self::is_in(folder) && folder.exists() {
            let strangers = fs::read_dir(folder).map_err(at(folder))?.flatten();
            // What a first load leaves that was killed is ours.
            let is_ours = |name: &str| name == LOCK || name.starts_with(LIST) || number_of(name).is_some();
            if strangers.map(|entry| entry.file_name()).any(|name| !name.to_str().is_some_and(is_ours)) {
                let why = "the folder holds other files. Name a new one, or one that holds stored links";
                return Err(stored(folder, io::Error::new(io::ErrorKind::AlreadyExists, why)));
            }
        }
        let lock = lock(folder, LOCK)?;
        let first = folder.join(FIRST);
        if !Self::is_in(folder) && !first.exists() {
            let names = fs::read_dir(folder).map_err(at(folder))?.flatten().map(|entry| entry.file_name());
            if names.flat_map(OsString::into_string).any(|name| number_of(&name).is_some() && !name.ends_with(OPEN)) {
                let why =
                    format!("segments of links lie here, and the list that says which of them count is gone ({LIST})");
                return Err(stored(folder, io::Error::new(io::ErrorKind::InvalidData, why)));
            }
            create_own(&first).and_then(|file| file.sync_all()).map_err(at(&first))?;
        }
        let mut store = match Self::is_in(folder) {
            true => Self::open(folder)?,
            false => Self { folder: folder.to_owned(), list: List::new(rules), segments: Vec::new(), lock: None },
        };
        if store.list.rules != rules {
            let (has, requested) = (store.list.rules, rules);
            let why = format!(
                "the links here have {:?} keys and {:?} as the rule of internal links, the new ones {:?} and {:?}. Load them into another folder",
                has.notation, has.internal, requested.notation, requested.internal
            );
            return Err(stored(folder, io::Error::new(io::ErrorKind::InvalidInput, why.to_lowercase())));
        }
        store.lock = Some(lock);
        store.remove_strangers();
        if Self::is_in(folder) {
            store.forget_first()?;
        }
        Ok(store)
    }

    /// Removes what stored links consist of, and nothing else: damaged ones, before they are built again.
    ///
    /// # Errors
    ///
    /// Errors of the system; and where another process adds at the moment.
    pub fn remove(folder: &Path) -> Result<(), LinkError> {
        let _lock = lock(folder, LOCK)?;
        for entry in fs::read_dir(folder).map_err(at(folder))?.flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(LIST) || number_of(name).is_some()) {
                fs::remove_file(entry.path()).map_err(at(&entry.path()))?;
            }
        }
        Ok(())
    }

    /// Takes away what opening to add has left where no links are listed after
    /// all; the folder too, where it is new.
    pub(super) fn abandon(self, is_new: bool) {
        if Self::is_in(&self.folder) {
            return;
        }
        self.remove_strangers();
        for name in [FIRST, LOCK] {
            let _ = fs::remove_file(self.folder.join(name));
        }
        if is_new {
            let _ = fs::remove_dir(&self.folder);
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Rules that all rows share.
    pub fn rules(&self) -> StoreRules {
        self.list.rules
    }

    /// A number that grows with every change of the segments.
    pub fn edition(&self) -> u64 {
        self.list.next
    }

    /// Position in the input up to which links are stored.
    pub fn mark(&self) -> Mark {
        self.list.mark
    }

    /// Counts of the segments, summed: a link in two of them counts twice until they are merged.
    pub fn counts(&self) -> SegmentCounts {
        let mut sum = SegmentCounts::default();
        self.segments.iter().for_each(|segment| sum += segment.counts());
        sum
    }

    /// Compares every byte with the checksums that were written with it.
    ///
    /// # Errors
    ///
    /// Files that are not as they were written, or `Cancelled`.
    pub fn check(&self, cx: &JobCx) -> Result<(), LinkError> {
        cx.stage_in_bytes("Checking inlinks", Some(self.bytes()));
        self.segments.iter().try_for_each(|segment| segment.check(cx))
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Size on disk.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(StoredSegment::bytes).sum()
    }

    /// Adds sorted rows as a segment, and merges it with others of its size.
    /// What was there before stays until the new segment is complete; from
    /// then on neither a full disk nor a cancel is an error.
    ///
    /// # Errors
    ///
    /// No room or no way to write, or `Cancelled`: nothing is added then.
    /// Files that turn out damaged while they are merged.
    pub fn add(&mut self, sorted: &mut Sorted, mark: Mark, cx: &JobCx) -> Result<Added, LinkError> {
        let counts = self.put(self.segments.len(), sorted, mark)?;
        let mut unmerged = false;
        while !unmerged && let Some(from) = self.level_to_merge() {
            unmerged = match self.merge_from(from, cx) {
                Err(LinkError::Cancelled(_) | LinkError::NoRoom { .. }) => true,
                Err(LinkError::Stored(error)) if is_full(&error) => true,
                merged => merged.map(|()| false)?,
            };
        }
        Ok(Added { counts, segments: self.segments(), bytes: self.bytes(), unmerged })
    }

    /// Puts sorted rows in the place of all that is there, which stays until
    /// they are complete.
    ///
    /// # Errors
    ///
    /// No room or no way to write, or `Cancelled`: all is as before then.
    pub fn fill(&mut self, sorted: &mut Sorted, mark: Mark) -> Result<Added, LinkError> {
        let counts = self.put(0, sorted, mark)?;
        Ok(Added { counts, segments: self.segments(), bytes: self.bytes(), unmerged: false })
    }

    /// Writes sorted rows as a segment in the place of those from `from` on.
    fn put(&mut self, from: usize, sorted: &mut Sorted, mark: Mark) -> Result<SegmentCounts, LinkError> {
        self.ensure_lock()?;
        let number = self.list.next;
        let path = segment_path(&self.folder, number);
        let mut writer = SegmentWriter::create(&path).map_err(at(&path))?;
        sorted.in_one(|rows| {
            while let Some(merge) = rows.next()? {
                writer.push(&merge.row(), !merge.is_new_target()).map_err(at(&path))?;
            }
            Ok(())
        })?;
        let counts = writer.finish().map_err(at(&path))?;
        if counts.targets == 0 {
            fs::remove_file(&path).map_err(at(&path))?;
        }
        // A folder without links is one of stored links all the same.
        self.replace(from, (counts.targets > 0).then_some((number, counts)), mark)?;
        Ok(counts)
    }

    /// Makes one segment of all: the bytes are those of a load in one go.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn compact(&mut self, cx: &JobCx) -> Result<Added, LinkError> {
        self.ensure_lock()?;
        if self.segments.len() > 1 {
            self.merge_from(0, cx)?;
        }
        Ok(Added { counts: self.counts(), segments: self.segments(), bytes: self.bytes(), unmerged: false })
    }

    /// Whoever looks must not write.
    fn ensure_lock(&self) -> Result<(), LinkError> {
        let why = "the links were opened for reading only";
        let closed = || stored(&self.folder, io::Error::new(io::ErrorKind::PermissionDenied, why));
        self.lock.as_ref().map(|_| ()).ok_or_else(closed)
    }

    /// The first of the last segments that are no longer apart in size.
    fn level_to_merge(&self) -> Option<usize> {
        let mut after = self.segments.last()?.bytes();
        let mut from = None;
        for (at, segment) in self.segments.iter().enumerate().rev().skip(1) {
            if segment.bytes() > after.saturating_mul(LEVEL) {
                break;
            }
            from = Some(at);
            after += segment.bytes();
        }
        from
    }

    fn merge_from(&mut self, from: usize, cx: &JobCx) -> Result<(), LinkError> {
        let some = self.segments.get(from..).unwrap_or_default();
        let links: u64 = some.iter().map(|segment| segment.counts().links + segment.counts().captures).sum();
        self.ensure_room(some.iter().map(StoredSegment::bytes).sum())?;
        cx.stage("Merging segments", Some(links));
        let number = self.list.next;
        let path = segment_path(&self.folder, number);
        let mut writer = SegmentWriter::create(&path).map_err(at(&path))?;
        let mut rows = MergedRows::new(some, b"", 0, None, cx)?;
        while rows.advance()? {
            writer.push(&rows.merge.row(), !rows.merge.is_new_target()).map_err(at(&path))?;
        }
        let counts = writer.finish().map_err(at(&path))?;
        self.replace(from, Some((number, counts)), self.list.mark)
    }

    /// Lists a new segment, or none, in the place of those from `from` on.
    fn replace(&mut self, from: usize, new: Option<(u64, SegmentCounts)>, mark: Mark) -> Result<(), LinkError> {
        let mut list = List { mark, ..self.list.clone() };
        let old: Vec<Listed> = list.segments.drain(from.min(list.segments.len())..).collect();
        let mut segment = None;
        if let Some((number, counts)) = new {
            let opened = StoredSegment::open(&segment_path(&self.folder, number))?;
            list.next = number + 1;
            list.segments.push(Listed { number, bytes: opened.bytes(), counts });
            segment = Some(opened);
        } else if !old.is_empty() {
            list.next += 1;
        }
        write_list(&self.folder, LIST, &list).map_err(at(&self.folder))?;
        self.forget_first()?;
        self.list = list;
        self.segments.truncate(from);
        self.segments.extend(segment);
        for old in old {
            // Where it is held open it goes with the next addition.
            let _ = fs::remove_file(segment_path(&self.folder, old.number));
        }
        Ok(())
    }

    /// Removes the mark of the first list, so that the loss of the list is reported from now on.
    fn forget_first(&self) -> Result<(), LinkError> {
        let first = self.folder.join(FIRST);
        match fs::remove_file(&first) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(stored(&first, error)),
            _ => Ok(()),
        }
    }

    /// Segments that were not finished, and those that were merged.
    fn remove_strangers(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(number) = name.to_str().and_then(number_of) else { continue };
            let is_open = name.to_str().is_some_and(|name| name.ends_with(OPEN));
            if is_open || !self.list.segments.iter().any(|listed| listed.number == number) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn ensure_room(&self, need_bytes: u64) -> Result<(), LinkError> {
        let need_bytes = need_bytes.saturating_add(DISK_FLOOR_BYTES);
        match free_bytes(&self.folder) {
            Ok(free_bytes) if free_bytes < need_bytes => {
                Err(LinkError::NoRoom { folder: self.folder.clone(), free_bytes, need_bytes })
            }
            _ => Ok(()),
        }
    }

    /// The rows of all segments as one, from `target` and `when` on and before `until`.
    pub(super) fn rows<'s>(
        &'s self,
        target: &[u8],
        when: u64,
        until: Option<Vec<u8>>,
        cx: &'s JobCx,
    ) -> Result<MergedRows<'s>, LinkError> {
        MergedRows::new(&self.segments, target, when, until, cx)
    }
}

/// Merged rows of some segments.
pub(super) struct MergedRows<'s> {
    pub(super) merge: Merge<'s>,
    cx: &'s JobCx,
    count: u64,
}

impl<'s> MergedRows<'s> {
    fn new(
        segments: &'s [StoredSegment],
        target: &[u8],
        when: u64,
        until: Option<Vec<u8>>,
        cx: &'s JobCx,
    ) -> Result<Self, LinkError> {
        let streams: io::Result<Vec<Stream<'s>>> =
            segments.iter().map(|segment| segment.rows_from(target, when)).collect();
        let merge = streams.and_then(|streams| Merge::new(streams, target, until)).map_err(LinkError::Stored)?;
        Ok(Self { merge, cx, count: 0 })
    }

    /// Goes to the next row; `false` at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, LinkError> {
        self.count += 1;
        if self.count.is_multiple_of(ROWS_PER_CHECK) {
            self.cx.advance(ROWS_PER_CHECK)?;
        }
        self.merge.advance().map_err(LinkError::Stored)
    }

    /// The present row, as it was put in.
    pub(super) fn row(&self) -> Result<Row<'_>, LinkError> {
        let broken = || {
            let target = String::from_utf8_lossy(self.merge.row().target).into_owned();
            io::Error::new(io::ErrorKind::InvalidData, format!("a row of {target} holds bytes that are no row"))
        };
        self.merge.row().decode().ok_or_else(|| LinkError::Stored(broken()))
    }
}

/// Whether the disk has no room, or none for this user.
fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("links-{number:06}.seg"))
}

/// The number in the name of a segment, finished or not.
fn number_of(name: &str) -> Option<u64> {
    let name = name.strip_suffix(OPEN).unwrap_or(name);
    name.strip_prefix("links-")?.strip_suffix(".seg")?.parse().ok()
}

fn stored(path: &Path, error: io::Error) -> LinkError {
    LinkError::Stored(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn at(path: &Path) -> impl Fn(io::Error) -> LinkError + '_ {
    move |error| stored(path, error)
}
