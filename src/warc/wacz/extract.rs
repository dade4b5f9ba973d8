//! Extracts members of a package as files.

use super::{Member, Wacz, WaczError};
use crate::jobs::{Cancelled, Existing, FileError, JobCx, WholeFile};
use flate2::Crc;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A member could not be written to the disk.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The package or the member cannot be read.
    #[error(transparent)]
    Wacz(#[from] WaczError),
    /// The name of a member clashes with that of another one here (`a` and `a/b`; `A` and `a` where case does
    /// not matter), or this system takes no such name.
    #[error("{member}: not written: {why}")]
    Name {
        /// The member.
        member: String,
        /// The reason.
        why: String,
    },
    /// Error of the operating system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Stopped on request.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
}

/// Why a file cannot be made, where its name is the reason.
fn of_name(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory => Some("something of that name exists already"),
        io::ErrorKind::NotADirectory => Some("a part of the name is a file already"),
        io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => Some("this system takes no such name"),
        _ => None,
    }
}

impl Wacz {
    /// Writes a member below `folder`, under its own path; nothing that is
    /// there is overwritten. Until it is whole it has a short name of its own that
    /// ends in `.open`; a damaged one is not kept. `folder` must be no place where others lay links.
    ///
    /// # Errors
    ///
    /// [`ExtractError::Wacz`] and [`ExtractError::Name`] concern this member only.
    pub fn extract(&self, member: &Member, folder: &Path, cx: &JobCx) -> Result<PathBuf, ExtractError> {
        let goal = folder.join(&member.name);
        let at = |path: &Path| {
            let (path, member) = (path.to_owned(), member.name.clone());
            move |source: io::Error| match of_name(&source) {
                Some(why) => ExtractError::Name { member, why: format!("{}: {why}", path.display()) },
                None => ExtractError::Io { path, source },
            }
        };
        if let Some(parent) = goal.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        if fs::symlink_metadata(&goal).is_ok() {
            return Err(at(&goal)(io::ErrorKind::AlreadyExists.into()));
        }
        let of_file = |error: FileError| at(&error.path)(error.source);
        let mut file = WholeFile::create_hidden(&goal, Existing::Stays).map_err(of_file)?;
        self.copy_out(member, &mut file, cx)?;
        file.finish().map_err(of_file)?;
        Ok(goal)
    }

    fn copy_out(&self, member: &Member, out: &mut WholeFile, cx: &JobCx) -> Result<(), ExtractError> {
        let mut reader = self.open_member(member)?;
        let mut crc = Crc::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            let read = reader.read(&mut buffer).map_err(|error| self.bad_member(&member.name, error.to_string()))?;
            if read == 0 {
                break;
            }
            crc.update(&buffer[..read]);
            let written = out.write_all(&buffer[..read]);
            written.map_err(|source| ExtractError::Io { path: out.open_path().to_owned(), source })?;
            cx.advance(read as u64)?;
        }
        if crc.sum() != member.crc32 {
            return Err(self.bad_member(&member.name, "its CRC is not that of the zip".to_owned()).into());
        }
        Ok(())
    }
}
