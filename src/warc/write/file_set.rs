//! Writes records into a growing folder of WARC files.

use super::super::{OPEN_SUFFIX, Span, WarcError};
use super::build::{RecordBuilder, WarcWriter, new_record_id, warc_fields};
use crate::jobs::{make_folder, rename_new, sync_folder};
use crate::uri::CaptureDate;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Names and size limit of the files of a set, and the fields of their `warcinfo`.
pub struct FileSetOptions {
    /// Folder of the files; made when it is missing.
    pub folder: PathBuf,
    /// Files are called `PREFIX-yyyyMMddHHmmssSSS-00001.warc.gz`.
    pub prefix: String,
    /// A file that has reached so many bytes is closed before the next append.
    pub max_bytes: u64,
    /// The number of the last file that an earlier set of the same files made:
    /// numbers go on behind it.
    pub last_serial: u32,
    /// Fields of the `warcinfo` record that opens each file.
    pub info: Vec<(String, String)>,
    /// Tells the time for names and `warcinfo`.
    pub clock: Box<dyn Fn() -> CaptureDate + Send>,
    /// Makes the ids of `warcinfo` records.
    pub record_id: Box<dyn Fn() -> String + Send>,
}

impl FileSetOptions {
    /// Files of at most about 1 GB (as WARC/1.1, annex C advises), the
    /// system's clock, random ids.
    pub fn new(folder: impl Into<PathBuf>, prefix: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
            prefix: prefix.into(),
            max_bytes: 1_000_000_000,
            last_serial: 0,
            info: Vec::new(),
            clock: Box::new(CaptureDate::now),
            record_id: Box::new(new_record_id),
        }
    }
}

/// Beginning of a new file.
struct FileStart {
    name: String,
    warcinfo_id: String,
    /// Its `warcinfo` record.
    record: Vec<u8>,
}

impl FileSetOptions {
    fn start_of(&self, serial: u32) -> FileStart {
        let date = (self.clock)();
        let name = format!("{}-{}-{serial:05}.warc.gz", self.prefix, date.to_digits17());
        let warcinfo_id = (self.record_id)();
        let info = warc_fields(self.info.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let record = RecordBuilder::warcinfo(&warcinfo_id, date, &name).compress(&info);
        FileStart { name, warcinfo_id, record }
    }
}

/// The files that a [`WarcFileSet`] would write, by name and size; nothing is written.
pub struct FileSetSizes {
    options: FileSetOptions,
    serial: u32,
    /// Name, id of the `warcinfo` record, bytes.
    current: Option<(String, String, u64)>,
    closed: Vec<(String, u64)>,
}

impl FileSetSizes {
    /// Makes the names of files that a set with these options would write.
    pub fn new(options: FileSetOptions) -> Self {
        let serial = options.last_serial;
        Self { options, serial, current: None, closed: Vec::new() }
    }

    /// Counts the bytes of records that belong together, as [`WarcFileSet::append`]
    /// would write them.
    pub fn append(&mut self, len: u64) {
        let max_bytes = self.options.max_bytes;
        if let Some((name, _, bytes)) = self.current.take_if(|(.., bytes)| *bytes >= max_bytes) {
            self.closed.push((name, bytes));
        }
        let (.., bytes) = self.current.get_or_insert_with(|| {
            self.serial += 1;
            let FileStart { name, warcinfo_id, record } = self.options.start_of(self.serial);
            (name, warcinfo_id, record.len() as u64)
        });
        *bytes += len;
    }

    /// Number of files, with the current one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.closed.len() + usize::from(self.current.is_some())
    }

    /// As [`WarcFileSet::next_warcinfo_id`].
    pub fn next_warcinfo_id(&mut self) -> String {
        self.append(0);
        self.current.as_ref().map(|(_, id, _)| id.clone()).unwrap_or_default()
    }

    /// Names of all files, with their bytes.
    pub fn close(mut self) -> Vec<(String, u64)> {
        self.closed.extend(self.current.map(|(name, _, bytes)| (name, bytes)));
        self.closed
    }
}

/// File and span of a written record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The file by the name it will have when it is closed. Readers of this
    /// room find it under its `.open` name until then.
    pub file: PathBuf,
    /// Where in the file.
    pub span: Span,
}

/// Writes records into files that are rotated by size.
///
/// A file is called `….open` until it is closed and synced. An append that
/// fails (a full disk) is taken back, so that a file never holds a torn
/// record; after a kill, [`repair_open_file`](super::repair_open_file) cuts it off.
pub struct WarcFileSet {
    options: FileSetOptions,
    serial: u32,
    current: Option<Current>,
    closed: Vec<PathBuf>,
    /// Files that could not be synced: what they hold may be lost.
    unsynced: Vec<PathBuf>,
}

/// The end of the current file, to be synced while others append to it.
pub struct SyncPoint {
    /// The file by the name it will have when it is closed.
    pub file: PathBuf,
    /// Bytes that were written to it.
    pub len: u64,
    open_path: PathBuf,
    handle: File,
}

impl SyncPoint {
    /// Makes these bytes safe against a power cut.
    ///
    /// # Errors
    ///
    /// A disk that does not take them. Syncing again proves nothing then: the
    /// system may have dropped what it could not write.
    pub fn sync(&self) -> Result<(), WarcError> {
        self.handle.sync_data().map_err(|source| WarcError::Io { path: self.open_path.clone(), source })
    }
}

struct Current {
    path: PathBuf,
    open_path: PathBuf,
    writer: WarcWriter<File>,
    warcinfo_id: String,
}

impl WarcFileSet {
    /// Writes nothing yet: the first append makes the first file.
    pub fn new(options: FileSetOptions) -> Self {
        let serial = options.last_serial;
        Self { options, serial, current: None, closed: Vec::new(), unsynced: Vec::new() }
    }

    /// Appends records that belong together to one file, in this order; each
    /// as [`RecordBuilder::compress`] makes it.
    pub fn append(&mut self, members: &[&[u8]]) -> Result<Vec<Placed>, WarcError> {
        self.append_each(members, |writer, member| writer.append(member))
    }

    /// As [`append`](Self::append), from streams (a spool file for a large record).
    pub fn append_from(&mut self, members: &mut [&mut dyn Read]) -> Result<Vec<Placed>, WarcError> {
        self.append_each(members, |writer, member| writer.append_from(member))
    }

    fn append_each<M>(
        &mut self,
        members: impl IntoIterator<Item = M>,
        append: impl Fn(&mut WarcWriter<File>, M) -> io::Result<Span>,
    ) -> Result<Vec<Placed>, WarcError> {
        if self.current.as_ref().is_some_and(|current| current.writer.offset() >= self.options.max_bytes) {
            self.close_current()?;
        }
        let current = match &mut self.current {
            Some(current) => current,
            none => {
                // A file that could not be begun takes no number.
                let current = Current::create(&self.options, self.serial + 1, |writer, info| writer.append(info))?;
                self.serial += 1;
                none.insert(current)
            }
        };
        let start = current.writer.offset();
        let mut placed = Vec::new();
        for member in members {
            match append(&mut current.writer, member) {
                Ok(span) => placed.push(Placed { file: current.path.clone(), span }),
                Err(source) => {
                    let is_too_large = source.kind() == io::ErrorKind::FileTooLarge;
                    let error = WarcError::Io { path: current.open_path.clone(), source };
                    // What was half written is taken back; if even that fails,
                    // the file is left to repair and another one begun.
                    let taken_back = current
                        .writer
                        .get_mut()
                        .set_len(start)
                        .and_then(|()| io::Seek::seek(current.writer.get_mut(), io::SeekFrom::Start(start)));
                    match taken_back {
                        // Where files may not be longer, the next one goes on.
                        Ok(_) if is_too_large && start > 0 => {
                            current.writer.set_offset(start);
                            self.close_current()?;
                        }
                        Ok(_) => current.writer.set_offset(start),
                        Err(_) => {
                            self.unsynced.push(current.path.clone());
                            self.current = None;
                        }
                    }
                    return Err(error);
                }
            }
        }
        Ok(placed)
    }

    /// Number of files, with the current one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.closed.len() + usize::from(self.current.is_some())
    }

    /// Id of the `warcinfo` record of the file that the next append goes to; it
    /// is begun where there is none.
    ///
    /// # Errors
    ///
    /// A file that cannot be begun or closed.
    pub fn next_warcinfo_id(&mut self) -> Result<String, WarcError> {
        self.append(&[])?;
        Ok(self.warcinfo_id().unwrap_or_default().to_owned())
    }

    /// Id of the `warcinfo` record of the current file, for `WARC-Warcinfo-ID`; none before the first append
    /// and between files.
    pub fn warcinfo_id(&self) -> Option<&str> {
        self.current.as_ref().map(|current| current.warcinfo_id.as_str())
    }

    /// The end of the current file; none before the first append and between files. Files that were closed
    /// before are safe, unless [`is_unsynced`](Self::is_unsynced) is true.
    ///
    /// # Errors
    ///
    /// When the system gives no second handle of the file.
    pub fn sync_point(&mut self) -> Result<Option<SyncPoint>, WarcError> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let open_path = current.open_path.clone();
        match current.writer.get_mut().try_clone() {
            Ok(handle) => {
                Ok(Some(SyncPoint { file: current.path.clone(), len: current.writer.offset(), open_path, handle }))
            }
            Err(source) => Err(WarcError::Io { path: open_path, source }),
        }
    }

    /// Whether a file of the set could not be synced when it was left.
    pub fn is_unsynced(&self, file: &Path) -> bool {
        self.unsynced.iter().any(|unsynced| unsynced == file)
    }

    /// Closes the current file: synced, then renamed to its final name.
    pub fn close_current(&mut self) -> Result<(), WarcError> {
        let Some(current) = self.current.take() else { return Ok(()) };
        let io = |source| WarcError::Io { path: current.open_path.clone(), source };
        let mut writer = current.writer;
        if let Err(source) = writer.get_mut().sync_all() {
            self.unsynced.push(current.path.clone());
            return Err(io(source));
        }
        drop(writer);
        rename_new(&current.open_path, &current.path)
            .map_err(|source| WarcError::Io { path: current.path.clone(), source })?;
        self.closed.push(current.path);
        Ok(())
    }

    /// Closes the set and names all its closed files.
    pub fn close(mut self) -> Result<Vec<PathBuf>, WarcError> {
        self.close_current()?;
        Ok(std::mem::take(&mut self.closed))
    }
}

impl Drop for WarcFileSet {
    /// A set that is dropped by an error still closes its file in good order.
    fn drop(&mut self) {
        if let Err(error) = self.close_current() {
            tracing::warn!("{error}");
        }
    }
}

impl Current {
    /// Makes the file with its `warcinfo` record, which `append` writes; one
    /// that cannot be written leaves no file behind.
    fn create(
        options: &FileSetOptions,
        serial: u32,
        append: impl Fn(&mut WarcWriter<File>, &[u8]) -> io::Result<Span>,
    ) -> Result<Self, WarcError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| WarcError::Io { path, source }
        };
        make_folder(&options.folder).map_err(io(&options.folder))?;
        let FileStart { name, warcinfo_id, record } = options.start_of(serial);
        let path = options.folder.join(&name);
        let open_path = options.folder.join(format!("{name}{OPEN_SUFFIX}"));
        if path.exists() {
            return Err(io(&path)(io::ErrorKind::AlreadyExists.into()));
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&open_path).map_err(io(&open_path))?;
        let mut writer = WarcWriter::new(file, 0);
        if let Err(source) = append(&mut writer, &record) {
            drop(writer);
            if let Err(error) = fs::remove_file(&open_path) {
                tracing::warn!("{}: {error}", open_path.display());
            }
            return Err(io(&open_path)(source));
        }
        // What is synced into the file later is found after a power cut only
        // where its name is safe, too.
        sync_folder(Some(&options.folder));
        Ok(Self { path, open_path, writer, warcinfo_id })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::ArchiveReader;
    use super::*;
    use std::cell::Cell;

    const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_123);

    fn options(folder: &Path, max_bytes: u64) -> FileSetOptions {
        let count = Cell::new(0);
        FileSetOptions {
            max_bytes,
            info: vec![("software".to_owned(), "Fonds".to_owned())],
            clock: Box::new(|| DATE),
            record_id: Box::new(move || {
                count.set(count.get() + 1);
                format!("urn:test:info-{}", count.get())
            }),
            ..FileSetOptions::new(folder, "TEST")
        }
    }

    fn member(number: u32) -> Vec<u8> {
        let id = format!("urn:test:{number}");
        RecordBuilder::response(&id, DATE, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\nbody")
    }

    fn ids(path: &Path) -> Vec<String> {
        let records = ArchiveReader::open(path).unwrap().records(usize::MAX);
        records.map(|record| record.unwrap().head.record_id().unwrap()).collect()
    }

    #[test]
    fn files_are_rotated_and_get_their_name_when_closed() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = WarcFileSet::new(options(folder.path(), 400));
        let first = set.append(&[&member(1), &member(2)]).unwrap();
        assert_eq!(first[0].file, folder.path().join("TEST-20240301090000123-00001.warc.gz"));
        assert!(!first[0].file.exists());
        // A record is found while its file is being written.
        let record = super::super::super::read_record_at(&first[1].file, first[1].span.offset, 1000).unwrap();
        assert_eq!(record.head.record_id().unwrap(), "urn:test:2");
        assert_eq!(record.span, first[1].span);
        let second = set.append(&[&member(3)]).unwrap();
        assert!(first[0].file.exists());
        assert_eq!(set.warcinfo_id(), Some("urn:test:info-2"));
        let closed = set.close().unwrap();
        assert_eq!(closed, [first[0].file.clone(), second[0].file.clone()]);
        assert_eq!(ids(&closed[0]), ["urn:test:info-1", "urn:test:1", "urn:test:2"]);
        assert_eq!(ids(&closed[1]), ["urn:test:info-2", "urn:test:3"]);
    }

    #[test]
    fn names_and_sizes_are_known_without_writing() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = WarcFileSet::new(options(folder.path(), 400));
        let mut sizes = FileSetSizes::new(options(&folder.path().join("none"), 400));
        for number in 1..6 {
            assert_eq!(set.next_warcinfo_id().unwrap(), sizes.next_warcinfo_id());
            set.append(&[&member(number)]).unwrap();
            sizes.append(member(number).len() as u64);
        }
        let written: Vec<_> = set.close().unwrap();
        let of = |path: &PathBuf| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::metadata(path).unwrap().len())
        };
        assert!(written.len() > 1);
        assert_eq!(sizes.close(), written.iter().map(of).collect::<Vec<_>>());
        assert!(!folder.path().join("none").exists());
    }

    #[test]
    fn a_failed_append_leaves_no_torn_record() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the spool is gone"))
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let mut set = WarcFileSet::new(options(folder.path(), 1_000_000));
        set.append(&[&member(1)]).unwrap();
        let half = member(2);
        assert!(set.append_from(&mut [&mut (&half[..20]).chain(Fails)]).is_err());
        set.append(&[&member(3)]).unwrap();
        let closed = set.close().unwrap();
        assert_eq!(ids(&closed[0]), ["urn:test:info-1", "urn:test:1", "urn:test:3"]);
    }

    #[test]
    fn numbers_go_on_and_the_end_can_be_synced() {
        let folder = tempfile::tempdir().unwrap();
        let mut set = WarcFileSet::new(FileSetOptions { last_serial: 41, ..options(folder.path(), 1000) });
        assert!(set.sync_point().unwrap().is_none());
        let placed = set.append(&[&member(1)]).unwrap();
        assert_eq!(placed[0].file, folder.path().join("TEST-20240301090000123-00042.warc.gz"));
        let point = set.sync_point().unwrap().unwrap();
        assert_eq!((&point.file, point.len), (&placed[0].file, placed[0].span.offset + placed[0].span.length));
        // The file may be closed meanwhile.
        set.close_current().unwrap();
        point.sync().unwrap();
        assert!(!set.is_unsynced(&placed[0].file));
    }

    #[test]
    fn nothing_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("TEST-20240301090000123-00001.warc.gz"), b"theirs").unwrap();
        let mut set = WarcFileSet::new(options(folder.path(), 1000));
        assert!(set.append(&[&member(1)]).is_err());
    }

    #[test]
    fn a_file_that_cannot_be_begun_takes_neither_name_nor_number() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("warcs");
        // The disk is full after a few bytes.
        let full = |writer: &mut WarcWriter<File>, info: &[u8]| {
            writer.append(&info[..5])?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert!(Current::create(&options(&place, 1000), 1, full).is_err());
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        fs::remove_dir(&place).unwrap();
        // A file is in the place of the folder.
        fs::write(&place, b"").unwrap();
        let mut set = WarcFileSet::new(options(&place, 1000));
        assert!(set.append(&[&member(1)]).is_err());
        fs::remove_file(&place).unwrap();
        let placed = set.append(&[&member(1)]).unwrap();
        assert_eq!(placed[0].file, place.join("TEST-20240301090000123-00001.warc.gz"));
    }
}
