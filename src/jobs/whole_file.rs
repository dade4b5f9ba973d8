//! Writes files that appear whole or not at all; all such files of the program are written here.
//!
//! A file is written under another name in the same folder, brought to the disk, and given its name; then the folder is
//! brought to the disk, too, where the system can do that. Dropped before, it leaves nothing.
//!
//! | | what has the name already | until it is whole | for |
//! |---|---|---|---|
//! | [`WholeFile::create`] | stays, and nothing is written | `NAME.open` | archive files |
//! | [`WholeFile::create_hidden`] | stays, or is replaced | `.NAME.RANDOM.open` | names that a person gives, tables |
//! | [`WholeFile::replace_own`] | is replaced, be it a link | `NAME.open` | names of our own in a locked folder |
//! | [`replace_own`] | is replaced, be it a link | `.NAME.RANDOM.open` | names of our own that several may write |

use super::own_file::{create_own, make_private};
use super::rename::{rename_new, sync_folder};
use super::{disk_full_advice, is_disk_full};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The ending of a file until it is whole.
const OPEN: &str = ".open";
/// Letters in the name of a hidden file that make it another one than all others.
const RANDOM_LETTERS: usize = 6;
/// Bytes of the file's name in the name of a hidden one: with what is put around it, an entry of a folder.
const MOST_OF_NAME: usize = 200;
/// Bytes that are written at once.
const BUFFER_BYTES: usize = 1 << 18;

/// Treatment of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Stays,
    /// The new one takes its place when it is whole.
    IsReplaced,
}

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// Error of the system, with what to do.
    pub source: io::Error,
}

impl FileError {
    fn new(path: &Path, source: io::Error) -> Self {
        let source = if is_disk_full(&source) { disk_full_advice(path, &source) } else { source };
        Self { path: path.to_owned(), source }
    }

    fn exists(path: &Path, why: &str) -> Self {
        Self { path: path.to_owned(), source: io::Error::new(ErrorKind::AlreadyExists, why.to_owned()) }
    }
}

/// A file that gets its name when it is finished. See the table above.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    open_path: PathBuf,
    existing: Existing,
    /// None once the file has its name.
    out: Option<BufWriter<File>>,
}

impl WholeFile {
    /// Begins a file that replaces no other.
    ///
    /// # Errors
    ///
    /// Also where the file, or its `.open` form, exists, or its folder does not.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        check_free(path)?;
        let open_path = path.with_added_extension(&OPEN[1..]);
        let file = create_new(&open_path).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => {
                FileError::exists(&open_path, "it is being written, or was left by a call that was killed")
            }
            ErrorKind::NotFound => no_folder(path),
            _ => FileError::new(&open_path, source),
        })?;
        Ok(Self::of(path, open_path, file, Existing::Stays))
    }

    /// Begins a file under a hidden name that no other call takes: names that have the greatest length already take no
    /// ending. It is locked as long as it is written, see [`remove_left`].
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), a file of that name only where it stays.
    pub fn create_hidden(path: &Path, existing: Existing) -> Result<Self, FileError> {
        if existing == Existing::Stays {
            check_free(path)?;
        }
        let prefix = hidden_prefix(path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(OPEN).rand_bytes(RANDOM_LETTERS);
        loop {
            let made = builder.make_in(folder_of(path), create_new).map_err(|error| match error.kind() {
                ErrorKind::NotFound => no_folder(path),
                _ => FileError::new(path, without_path(error)),
            })?;
            // Until it is locked, it may be taken for one that was left.
            let is_taken = matches!(made.as_file().try_lock(), Err(TryLockError::WouldBlock));
            if is_taken || !made.path().exists() {
                continue;
            }
            let (file, open_path) = made.keep().map_err(|kept| FileError::new(path, kept.error))?;
            return Ok(Self::of(path, open_path, file, existing));
        }
    }

    /// Begins a file at a name of our own, in the place of whatever has it. No link is followed; what a call that was
    /// killed left goes.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn replace_own(path: &Path) -> Result<Self, FileError> {
        let open_path = path.with_added_extension(&OPEN[1..]);
        let file = create_own(&open_path).map_err(|source| match source.kind() {
            ErrorKind::NotFound => no_folder(path),
            _ => FileError::new(&open_path, source),
        })?;
        Ok(Self::of(path, open_path, file, Existing::IsReplaced))
    }

    fn of(path: &Path, open_path: PathBuf, file: File, existing: Existing) -> Self {
        let out = Some(BufWriter::with_capacity(BUFFER_BYTES, file));
        Self { path: path.to_owned(), open_path, existing, out }
    }

    /// The name it has until it is finished.
    pub fn open_path(&self) -> &Path {
        &self.open_path
    }

    /// Offset of the next byte.
    pub fn position(&mut self) -> io::Result<u64> {
        self.out().stream_position()
    }

    /// Takes back what was written after `len` bytes.
    pub fn cut_back(&mut self, len: u64) -> io::Result<()> {
        let out = self.out();
        out.flush()?;
        out.get_mut().set_len(len)?;
        out.seek(SeekFrom::Start(len)).map(drop)
    }

    /// Lets those read it that these permissions name.
    pub fn set_permissions(&mut self, permissions: Permissions) -> Result<(), FileError> {
        let path = self.path.clone();
        self.out().get_ref().set_permissions(permissions).map_err(|source| FileError::new(&path, source))
    }

    /// Lets only its owner read it, where the system has modes.
    pub fn make_private(&mut self) -> io::Result<()> {
        make_private(self.out().get_ref())
    }

    /// Brings everything to the disk; the file has its other name still.
    pub fn sync(&mut self) -> Result<(), FileError> {
        let path = self.path.clone();
        let out = self.out();
        out.flush().and_then(|()| out.get_mut().sync_all()).map_err(|source| FileError::new(&path, source))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.sync()?;
        let named = match self.existing {
            Existing::Stays => rename_new(&self.open_path, &self.path),
            Existing::IsReplaced => {
                fs::rename(&self.open_path, &self.path).inspect(|()| sync_folder(self.path.parent()))
            }
        };
        named.map_err(|source| FileError::new(&self.path, source))?;
        self.out = None;
        Ok(())
    }

    fn out(&mut self) -> &mut BufWriter<File> {
        self.out.as_mut().expect("only finish, which takes the value, takes it out")
    }
}

/// Replaces a file of our own as a whole, once the new one is on the disk. Of several processes that do so at the same
/// time the last one wins.
///
/// # Errors
///
/// Those of `fill`, which leave the old file, and errors of the system, without the path.
pub fn replace_own(path: &Path, fill: impl FnOnce(&mut WholeFile) -> io::Result<()>) -> io::Result<()> {
    let of_path = |error: FileError| error.source;
    remove_left([path]);
    let mut file = WholeFile::create_hidden(path, Existing::IsReplaced).map_err(of_path)?;
    fill(&mut file)?;
    file.finish().map_err(of_path)
}

/// Takes away the hidden files that calls for these files left which were killed: nobody holds their locks. What cannot
/// be taken away stays. Each folder is read once.
pub fn remove_left(paths: impl IntoIterator<Item: AsRef<Path>>) {
    let mut prefixes_by_folder: HashMap<PathBuf, HashSet<String>> = HashMap::new();
    for path in paths {
        let path = path.as_ref();
        prefixes_by_folder.entry(folder_of(path).to_owned()).or_default().insert(hidden_prefix(path));
    }
    for (folder, prefixes) in prefixes_by_folder {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(OPEN)).unwrap_or_default();
            let prefix = stem.len().checked_sub(RANDOM_LETTERS).and_then(|len| stem.get(..len));
            let is_ours = prefix.is_some_and(|prefix| prefixes.contains(prefix))
                && entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_ours && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The error of a file with a name that nobody gave, without that name.
pub fn without_path(error: io::Error) -> io::Error {
    match error.get_ref().and_then(std::error::Error::source) {
        Some(cause) => io::Error::new(error.kind(), cause.to_string()),
        None => error,
    }
}

fn check_free(path: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(FileError::exists(path, "it exists already and is not replaced; give another name")),
        Err(_) => Ok(()),
    }
}

fn no_folder(path: &Path) -> FileError {
    let why = format!("there is no folder {}. Make it, or name a file in another one", folder_of(path).display());
    FileError { path: path.to_owned(), source: io::Error::new(ErrorKind::NotFound, why) }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn hidden_prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.", name.get(..name.floor_char_boundary(MOST_OF_NAME)).unwrap_or_default())
}

fn create_new(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create_new(true).open(path)
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out().seek(to)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.out.take().is_some()
            && let Err(error) = fs::remove_file(&self.open_path)
        {
            tracing::warn!("{}: {error}", self.open_path.display());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    type Begin = fn(&Path) -> Result<WholeFile, FileError>;
    const WAYS: [(Begin, bool); 4] = [
        (WholeFile::create, false),
        (|path| WholeFile::create_hidden(path, Existing::Stays), false),
        (|path| WholeFile::create_hidden(path, Existing::IsReplaced), true),
        (WholeFile::replace_own, true),
    ];

    #[test]
    fn a_file_is_there_when_it_is_whole_and_leaves_nothing_before() {
        for (begin, replaces) in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.csv");
            let mut file = begin(&path).unwrap();
            file.write_all(b"half").unwrap();
            assert!(!path.exists() && file.open_path().exists());
            drop(file);
            assert_eq!(names(folder.path()), [""; 0]);
            let mut file = begin(&path).unwrap();
            file.write_all(b"whole").unwrap();
            file.finish().unwrap();
            assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["a.csv".to_owned()], b"whole".to_vec()));
            // One that is there.
            match begin(&path) {
                Ok(mut file) => {
                    file.write_all(b"new").unwrap();
                    file.finish().unwrap();
                    assert!(replaces && fs::read(&path).unwrap() == b"new");
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(!replaces && text.ends_with("it exists already and is not replaced; give another name"));
                }
            }
            // One that came meanwhile is not replaced either.
            if !replaces {
                let other = folder.path().join("b.csv");
                let file = begin(&other).unwrap();
                fs::write(&other, "theirs").unwrap();
                assert_eq!(file.finish().unwrap_err().source.kind(), ErrorKind::AlreadyExists);
                assert_eq!((fs::read(&other).unwrap(), names(folder.path()).len()), (b"theirs".to_vec(), 2));
            }
            let error = begin(&folder.path().join("gone/a.csv")).unwrap_err().to_string();
            assert!(error.contains("gone. Make it, or name a file in another one"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        for (begin, replaces) in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            fs::write(path("thesis"), "years of work").unwrap();
            std::os::unix::fs::symlink(path("thesis"), path("link")).unwrap();
            std::os::unix::fs::symlink("nowhere", path("dangling")).unwrap();
            for name in ["link", "dangling"] {
                let finished = begin(&path(name)).and_then(|mut file| {
                    file.write_all(b"ours").unwrap();
                    file.finish()
                });
                assert_eq!(finished.is_ok(), replaces);
                assert_eq!(path(name).is_symlink(), !replaces);
            }
            assert_eq!(fs::read(path("thesis")).unwrap(), b"years of work");
            assert!(!path("nowhere").exists());
        }
    }

    #[test]
    fn what_a_killed_call_left_goes_unless_it_is_at_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(folder.path().join(".a.csv.abcdef.open"), "left").unwrap();
        fs::write(folder.path().join(".b.csv.abcdef.open"), "of another").unwrap();
        let at_work = WholeFile::create_hidden(&path, Existing::Stays).unwrap();
        remove_left([&path]);
        assert_eq!(names(folder.path()).len(), 2);
        at_work.finish().unwrap();
        assert_eq!(names(folder.path()), [".b.csv.abcdef.open", "a.csv"]);
    }

    #[test]
    fn writers_of_one_file_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.json");
        replace_own(&path, |first| {
            first.write_all(b"first, ")?;
            replace_own(&path, |second| second.write_all(b"second"))?;
            assert_eq!(fs::read(&path)?, b"second");
            first.write_all(b"and whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first, and whole");
        assert_eq!(names(folder.path()), ["list.json"]);
    }

    #[test]
    fn a_name_of_the_greatest_length_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ç".repeat(127));
        WholeFile::create_hidden(&path, Existing::Stays).unwrap().finish().unwrap();
        assert!(path.exists());
    }
}
