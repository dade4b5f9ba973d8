//! An index in a folder where nothing can be written, as on a read-only share.

use std::io;
use std::path::Path;
use std::sync::Arc;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// A folder whose files are only read, without the lock file that the engine
/// makes for that: nobody who cannot write it can be kept from anything by one.
#[derive(Debug, Clone)]
pub(super) struct ReadOnlyDirectory(pub MmapDirectory);

fn refusal() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "the index is only read")
}

impl Directory for ReadOnlyDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(refusal()), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::IoError { io_error: Arc::new(refusal()), filepath: path.to_owned() })
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refusal())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::search::text_index::TextIndex;
    use crate::search::{IndexBuilder, IndexMark, StoredPage, TextDocument};

    #[test]
    fn an_index_is_read_without_a_file_made_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut builder = IndexBuilder::open(dir.path()).unwrap();
        let page = StoredPage { version: 1, main: "zebra".to_owned(), ..StoredPage::default() };
        builder.put(&TextDocument { page, ..TextDocument::default() }).unwrap();
        builder.commit(&IndexMark::default()).unwrap();
        builder.finish().unwrap();
        let names =
            || -> Vec<_> { std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect() };
        for lock in [".tantivy-meta.lock", ".tantivy-writer.lock"] {
            std::fs::remove_file(dir.path().join(lock)).unwrap();
        }
        let before = names().len();
        let directory = ReadOnlyDirectory(MmapDirectory::open(dir.path()).unwrap());
        let index = TextIndex::of(dir.path(), tantivy::Index::open(directory).unwrap()).unwrap();
        assert_eq!((index.documents(), index.page_of(1).unwrap().unwrap().main.as_str()), (1, "zebra"));
        assert_eq!(names().len(), before, "{:?}", names());
    }
}
