//! The index of texts: opened, looked into, read from.

use super::best::KnownLengths;
use super::builder::IndexMark;
use super::doc_versions::KnownVersions;
use super::page_file::{PageBlock, PageFile, PageSlot, StoredPage};
use super::phrase_counts::KnownPhrases;
use super::read_only::ReadOnlyDirectory;
use super::schema::{Fields, register, schema};
use fixedbitset::FixedBitSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::directory::MmapDirectory;
use tantivy::directory::error::{LockError, OpenReadError, OpenWriteError};
use tantivy::query::Query;
use tantivy::schema::{TantivyDocument, Value};
use tantivy::{
    DocId, DocSet, Index, IndexReader, InvertedIndexReader, ReloadPolicy, Score, Searcher, SegmentOrdinal,
    SegmentReader, TantivyError, Term,
};

/// The text index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum TextIndexError {
    /// Nothing was indexed yet.
    #[error("{}: there is no text index; build it: fonds index DIR", .0.display())]
    Absent(PathBuf),
    /// Another version made it, or it is damaged: it has to be made again.
    #[error("{}: the text index has to be built again ({why})", .folder.display())]
    Outdated {
        /// Its folder.
        folder: PathBuf,
        /// Why.
        why: String,
    },
    /// A file or the engine failed.
    #[error("{}", labels_of(.folder, .error))]
    Engine {
        /// Its folder.
        folder: PathBuf,
        /// The error of the engine, in the words of its code.
        error: TantivyError,
    },
}

/// Longest list of an index's files that is read, in bytes: some thousand names.
const MAX_LIST_BYTES: u64 = 1 << 20;

/// Refuses files in the folder of an index that are none of its own, without the engine, which
/// deletes the files of its list that it does not need, wherever they are, and opens whatever lies
/// at their names: a pipe would be waited for. A workspace may come from anybody.
fn check_files(folder: &Path) -> Result<(), String> {
    let message = |error: std::io::Error| error.to_string();
    for entry in std::fs::read_dir(folder).map_err(message)? {
        let entry = entry.map_err(message)?;
        if !entry.file_type().map_err(message)?.is_file() {
            return Err(format!("{} is no regular file", entry.path().display()));
        }
    }
    let list = folder.join(".managed.json");
    let mut text = Vec::new();
    match crate::jobs::open_own(&list, std::fs::File::options().read(true)) {
        Ok(file) => file.take(MAX_LIST_BYTES).read_to_end(&mut text).map_err(message)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(message(error)),
    };
    let names: Vec<String> = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", list.display()))?;
    match names.iter().find(|name| !is_file_of_index(name)) {
        Some(name) => Err(format!("{} lists “{}”, which is no file of an index", list.display(), name.escape_debug())),
        None => Ok(()),
    }
}

/// Whether a name is one that the engine gives its files: 32 hexadecimal digits and what they hold, or the list of
/// segments.
fn is_file_of_index(name: &str) -> bool {
    let is_segment = |(number, holds): (&str, &str)| {
        number.len() == 32
            && number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && !holds.is_empty()
            && holds.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    };
    name == "meta.json" || name.split_once('.').is_some_and(is_segment)
}

impl TextIndexError {
    /// Whether only building it again helps.
    pub fn is_outdated(&self) -> bool {
        match self {
            Self::Absent(_) | Self::Outdated { .. } => true,
            // What is torn is none of these: locks, permissions and a full disk stay what they are.
            Self::Engine { error, .. } => {
                matches!(
                    error,
                    TantivyError::DataCorruption(_)
                        | TantivyError::IncompatibleIndex(_)
                        | TantivyError::SchemaError(_)
                        | TantivyError::FieldNotFound(_)
                        | TantivyError::OpenReadError(
                            OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_)
                        )
                ) || matches!(
                    error,
                    TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
                        if matches!(io_error.kind(), ErrorKind::UnexpectedEof | ErrorKind::NotFound | ErrorKind::InvalidData)
                )
            }
        }
    }
}

/// An index that is open for reading. It shows what was committed when it was
/// opened, until [`reload`](Self::reload).
#[derive(Clone)]
pub struct TextIndex {
    pub(super) folder: Arc<PathBuf>,
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    /// What rankings know of its documents.
    pub(super) lengths: Arc<KnownLengths>,
    pub(super) versions_known: Arc<KnownVersions>,
    pub(super) phrases: Arc<KnownPhrases>,
    /// Its file of pages; none where nothing was committed yet.
    pages: Option<Arc<PageFile>>,
}

impl std::fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl TextIndex {
    /// Opens the index in a folder.
    ///
    /// # Errors
    ///
    /// [`TextIndexError`]; where it [`is_outdated`](TextIndexError::is_outdated), building it helps.
    pub fn open(folder: &Path) -> Result<Self, TextIndexError> {
        if !folder.join("meta.json").is_file() {
            return Err(TextIndexError::Absent(folder.to_owned()));
        }
        check_files(folder).map_err(|why| TextIndexError::Outdated { folder: folder.to_owned(), why })?;
        let engine = engine(folder);
        let opened = Self::of(folder, Index::open_in_dir(folder).map_err(&engine)?);
        match opened {
            Err(TextIndexError::Engine { error, .. }) if is_read_only(&error) => {
                let directory = MmapDirectory::open(folder).map_err(|error| engine(error.into()))?;
                Self::of(folder, Index::open(ReadOnlyDirectory(directory)).map_err(&engine)?)
            }
            opened => opened,
        }
    }

    /// Makes an empty one in an empty folder.
    pub(super) fn create(folder: &Path) -> Result<Self, TextIndexError> {
        let index = Index::create_in_dir(folder, schema().0).map_err(engine(folder))?;
        Self::of(folder, index)
    }

    pub(super) fn of(folder: &Path, index: Index) -> Result<Self, TextIndexError> {
        let (schema, fields) = schema();
        if index.schema() != schema {
            let why = "its fields are those of another version".to_owned();
            return Err(TextIndexError::Outdated { folder: folder.to_owned(), why });
        }
        register(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(engine(folder))?;
        let mut opened = Self {
            folder: Arc::new(folder.to_owned()),
            index,
            reader,
            fields,
            lengths: Arc::default(),
            versions_known: Arc::default(),
            phrases: Arc::default(),
            pages: None,
        };
        opened.check_lengths()?;
        if let Some(mark) = opened.mark()? {
            opened.open_pages(mark.pages)?;
        }
        Ok(opened)
    }

    /// The columns of every segment are as long as in the list of segments: the engine takes that on
    /// trust, and would read behind their ends.
    fn check_lengths(&self) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        for segment in self.reader.searcher().segment_readers() {
            let columns = segment.fast_fields();
            let numbers = columns.u64("version").map_err(&engine)?.num_docs();
            let lengths = columns.u64("words").map_err(&engine)?.num_docs();
            let norms = segment.get_fieldnorms_reader(self.fields.text).map_err(&engine)?.num_docs();
            if [numbers, lengths, norms].iter().any(|length| *length != segment.max_doc()) {
                return Err(TextIndexError::Outdated {
                    folder: self.folder.to_path_buf(),
                    why: format!("a segment of {numbers} texts has {} by meta.json", segment.max_doc()),
                });
            }
        }
        Ok(())
    }

    /// The highest number of a version that a segment has; 0 where there is none. An upper bound: the engine rounds.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn highest_version(&self) -> Result<u64, TextIndexError> {
        let searcher = self.reader.searcher();
        let of = |segment: &SegmentReader| Ok(segment.fast_fields().u64("version")?.max_value());
        let highest = searcher.segment_readers().iter().map(of).collect::<tantivy::Result<Vec<u64>>>();
        Ok(highest.map_err(engine(&self.folder))?.into_iter().max().unwrap_or_default())
    }

    /// Shows what was committed since.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn reload(&self) -> Result<(), TextIndexError> {
        self.reader.reload().map_err(engine(&self.folder))
    }

    /// Up to where the catalogue was indexed; none where that is not noted.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn mark(&self) -> Result<Option<IndexMark>, TextIndexError> {
        let meta = self.index.load_metas().map_err(engine(&self.folder))?;
        Ok(meta.payload.and_then(|payload| serde_json::from_str(&payload).ok()))
    }

    /// Number of documents, one a content version.
    pub fn documents(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Bytes of its files.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn bytes(&self) -> Result<u64, TextIndexError> {
        let usage = self.reader.searcher().space_usage().map_err(|error| engine(&self.folder)(error.into()))?;
        let pages = self.pages.as_ref().map_or(Ok(0), |pages| pages.len()).map_err(of_pages(&self.folder))?;
        Ok(usage.total().get_bytes() + pages)
    }

    /// Compares every file with the checksum that it ends with; the names of
    /// those that are damaged.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn damaged_files(&self) -> Result<Vec<PathBuf>, TextIndexError> {
        let mut damaged: Vec<PathBuf> =
            self.index.validate_checksum().map_err(engine(&self.folder))?.into_iter().collect();
        let len = self.mark()?.unwrap_or_default().pages_len;
        if self.pages.as_ref().is_some_and(|pages| pages.check(len).is_err()) {
            damaged.push(PageFile::path(&self.folder));
        }
        damaged.sort();
        Ok(damaged)
    }

    /// The numbers of all versions in it.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn versions(&self) -> Result<FixedBitSet, TextIndexError> {
        self.versions_of(&tantivy::query::AllQuery)
    }

    /// The numbers of versions whose main text has so many words or more.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn versions_of_length(&self, fewest: u64) -> Result<FixedBitSet, TextIndexError> {
        self.collected(&tantivy::query::AllQuery, fewest)
    }

    /// The numbers of versions whose record could not be read: they have URL and title alone.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn unread_versions(&self) -> Result<FixedBitSet, TextIndexError> {
        let engine = engine(&self.folder);
        let mut unread = FixedBitSet::new();
        for segment in self.reader.searcher().segment_readers() {
            let numbers = segment.fast_fields().u64("version").map_err(&engine)?;
            let is_read = segment.fast_fields().bool("is_read").map_err(&engine)?;
            for doc in segment.doc_ids_alive().filter(|doc| is_read.first(*doc) == Some(false)) {
                let number = numbers.first(doc).and_then(|number| usize::try_from(number).ok());
                number.into_iter().for_each(|number| unread.grow_and_insert(number));
            }
        }
        Ok(unread)
    }

    /// The versions that a query of the engine finds.
    pub(super) fn versions_of(&self, query: &dyn Query) -> Result<FixedBitSet, TextIndexError> {
        self.collected(query, 0)
    }

    fn collected(&self, query: &dyn Query, fewest: u64) -> Result<FixedBitSet, TextIndexError> {
        self.reader.searcher().search(query, &VersionSet { fewest }).map_err(engine(&self.folder))
    }

    /// Opens the file of pages of an index that is made, or followed up.
    pub(super) fn open_pages(&mut self, id: u64) -> Result<(), TextIndexError> {
        self.pages = Some(Arc::new(PageFile::open(&self.folder, id).map_err(of_pages(&self.folder))?));
        Ok(())
    }

    /// A reader of pages, which remembers where it read last: pages that are read in the order of their versions
    /// cost least.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn pages(&self) -> Result<StoredPages<'_>, TextIndexError> {
        let searcher = self.reader.searcher();
        let of = |segment: &SegmentReader| {
            Ok((segment.inverted_index(self.fields.version)?, segment.fast_fields().u64("page")?))
        };
        let segments = searcher.segment_readers().iter().map(of).collect::<tantivy::Result<_>>();
        let segments = segments.map_err(engine(&self.folder))?;
        Ok(StoredPages { index: self, searcher, segments, block: PageBlock::default() })
    }

    /// The page of a version; none where it is not in the index.
    ///
    /// # Errors
    ///
    /// [`TextIndexError`]; where it [`is_outdated`](TextIndexError::is_outdated), building it again helps.
    pub fn page_of(&self, version: u64) -> Result<Option<StoredPage>, TextIndexError> {
        self.pages()?.page(version)
    }

    /// Texts of links from other sites to a version, one a line; empty without any.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn anchors_of(&self, version: u64) -> Result<String, TextIndexError> {
        let engine = engine(&self.folder);
        let pages = self.pages()?;
        let Some((segment, doc)) = pages.doc_of(version).map_err(&engine)? else { return Ok(String::new()) };
        let segment = u32::try_from(segment).unwrap_or(u32::MAX);
        let doc: TantivyDocument = pages.searcher.doc(tantivy::DocAddress::new(segment, doc)).map_err(&engine)?;
        Ok(doc.get_first(self.fields.anchors).and_then(|value| value.as_str()).unwrap_or_default().to_owned())
    }
}

/// Reads what was kept of versions.
pub struct StoredPages<'i> {
    index: &'i TextIndex,
    searcher: Searcher,
    /// Of each segment where versions are in it, and where their pages are.
    segments: Vec<(Arc<InvertedIndexReader>, Column<u64>)>,
    block: PageBlock,
}

impl StoredPages<'_> {
    /// The document of a version: its segment, and its number there.
    fn doc_of(&self, version: u64) -> tantivy::Result<Option<(usize, DocId)>> {
        let term = Term::from_field_u64(self.index.fields.version, version);
        for (segment, (inverted, _)) in self.segments.iter().enumerate() {
            let Some(mut postings) = inverted.read_postings(&term, tantivy::schema::IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != tantivy::TERMINATED {
                let doc = postings.doc();
                if !self.searcher.segment_reader(u32::try_from(segment).unwrap_or(u32::MAX)).is_deleted(doc) {
                    return Ok(Some((segment, doc)));
                }
                postings.advance();
            }
        }
        Ok(None)
    }

    /// The slot of the page of a version; none where that is not in the index.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn slot(&self, version: u64) -> Result<Option<PageSlot>, TextIndexError> {
        let found = self.doc_of(version).map_err(engine(&self.index.folder))?;
        let column = found.and_then(|(segment, doc)| Some((&self.segments.get(segment)?.1, doc)));
        Ok(column.and_then(|(column, doc)| column.first(doc)).map(PageSlot))
    }

    /// The page of a version; none where it is not in the index.
    ///
    /// # Errors
    ///
    /// [`TextIndexError`]; where it [`is_outdated`](TextIndexError::is_outdated), building it again helps.
    pub fn page(&mut self, version: u64) -> Result<Option<StoredPage>, TextIndexError> {
        let Some(slot) = self.slot(version)? else { return Ok(None) };
        let of_pages = of_pages(&self.index.folder);
        let Some(file) = &self.index.pages else { return Ok(None) };
        self.block.read(file, slot, version).map(Some).map_err(of_pages)
    }
}

/// An error of the file of pages with the folder that it is about: what is damaged has to be made again.
pub(super) fn of_pages(folder: &Path) -> impl Fn(std::io::Error) -> TextIndexError + use<> {
    let folder = folder.to_owned();
    move |error| match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::NotFound | ErrorKind::InvalidInput => {
            let why = format!("{}: {error}", PageFile::path(&folder).display());
            TextIndexError::Outdated { folder: folder.clone(), why }
        }
        _ => engine(&folder)(error.into()),
    }
}

/// Whether the engine tried to write where it only had to read.
fn is_read_only(error: &TantivyError) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let kind = match error {
        TantivyError::LockFailure(LockError::IoError(error), _) => error.kind(),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => io_error.kind(),
        _ => return false,
    };
    matches!(kind, PermissionDenied | ReadOnlyFilesystem)
}

/// An error of the engine with the folder that it is about.
pub(super) fn engine(folder: &Path) -> impl Fn(TantivyError) -> TextIndexError + use<> {
    let folder = folder.to_owned();
    move |error| TextIndexError::Engine { folder: folder.clone(), error }
}

/// The failed action and its file, with the next step where the disk is full.
fn labels_of(folder: &Path, error: &TantivyError) -> String {
    let of = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", folder.join(path).display());
    let here = |why: &dyn std::fmt::Display| format!("{}: {why}", folder.display());
    let labels = match error {
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => of(filepath, io_error),
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => of(filepath, io_error),
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => of(path, &"the file is missing"),
        TantivyError::LockFailure(LockError::LockBusy, _) => here(&"another process has the text index open to write"),
        TantivyError::LockFailure(LockError::IoError(error), _) => here(error),
        TantivyError::IoError(error) => here(error),
        TantivyError::InternalError(why) | TantivyError::ErrorInThread(why) | TantivyError::SystemError(why) => {
            here(why)
        }
        other => here(other),
    };
    // A thread of the engine passes on no more than the words of the system.
    match labels.contains("No space left") {
        true => format!("{labels}. Make room on its disk; what was indexed before is kept"),
        false => labels,
    }
}

/// Collects the numbers of versions whose main text has so many words or more.
struct VersionSet {
    fewest: u64,
}

/// The versions of one segment.
struct SegmentVersions {
    numbers: Column<u64>,
    /// Lengths of main texts with the fewest words; none where any does.
    lengths: Option<(Column<u64>, u64)>,
    found: FixedBitSet,
}

impl Collector for VersionSet {
    type Fruit = FixedBitSet;
    type Child = SegmentVersions;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SegmentVersions> {
        let numbers = segment.fast_fields().u64("version")?;
        let most = usize::try_from(numbers.max_value()).unwrap_or_default();
        let lengths = match self.fewest {
            0 => None,
            fewest => Some((segment.fast_fields().u64("words")?, fewest)),
        };
        Ok(SegmentVersions { numbers, lengths, found: FixedBitSet::with_capacity(most + 1) })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, parts: Vec<FixedBitSet>) -> tantivy::Result<FixedBitSet> {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.union_with(&part);
        }
        Ok(all)
    }
}

impl SegmentCollector for SegmentVersions {
    type Fruit = FixedBitSet;

    fn collect(&mut self, doc: DocId, _: Score) {
        let is_short = |(lengths, fewest): &(Column<u64>, u64)| lengths.first(doc).unwrap_or_default() < *fewest;
        if self.lengths.as_ref().is_some_and(is_short) {
            return;
        }
        if let Some(number) = self.numbers.first(doc).and_then(|number| usize::try_from(number).ok()) {
            self.found.insert(number);
        }
    }

    fn harvest(self) -> FixedBitSet {
        self.found
    }
}
