//! Reads and writes WACZ packages (1.1.1): archive files, an index and a list of pages in one zip.
//!
//! In: a `.wacz` file of anybody. Out: its description and pages, and its archive files to be read in place.
//!
//! Invariants: nothing is unpacked to be read; the directory of the zip is believed only where the zip itself
//! agrees with it; a member whose name leads elsewhere, that is listed twice, overlaps another or unpacks to
//! far more than it packs is set aside with a reason ([`Wacz::refused`]), the others stay readable; no length
//! is trusted.
//!
//! | where | what |
//! |---|---|
//! | [`Wacz`], [`Member`] | the package and what is in it |
//! | [`MemberReader`], [`MemberWindow`] | bytes of a member; seekable where it is stored |
//! | [`Package`], [`Resource`] | `datapackage.json` |
//! | [`PageReader`] | lists of pages |
//! | [`write_wacz`] | archive files into a package |
//! | [`Wacz::check`], [`Signature`] | what does not hold; who signed, and what that proves |
//!
//! A record of a stored archive file has a place in the package itself:
//! [`Member::offset`] plus the offset of its span is what
//! [`read_record_at`](super::read_record_at) takes, with the path of the package.

mod check;
mod directory;
mod extract;
mod member;
mod name;
mod package;
mod pages;
mod signature;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod write;

pub use check::{CheckError, WaczReport};
pub use extract::ExtractError;
pub use member::{MemberReader, MemberWindow};
pub use name::stays_inside;
pub use package::{Package, Resource};
pub use pages::{PageProblem, PageReader, WaczPage};
pub use signature::Signature;
pub use write::{WaczOptions, WaczWriteError, WaczWritten, write_wacz};

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Name of the member that lists the contents of the package.
pub const DATAPACKAGE: &str = "datapackage.json";
/// Name of the member that has the digest of [`DATAPACKAGE`].
pub const DATAPACKAGE_DIGEST: &str = "datapackage-digest.json";
/// The list of pages.
pub const PAGES: &str = "pages/pages.jsonl";

/// A member that is read whole into memory is at most so long, in bytes.
const MAX_JSON_BYTES: u64 = 64 * 1024 * 1024;

/// A file that cannot be read as a package, or a member that cannot.
#[derive(Debug, thiserror::Error)]
pub enum WaczError {
    /// Error of the operating system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file is no zip, or none that is read here.
    #[error("{}: no WACZ package ({why})", path.display())]
    NotPackage {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file is a zip that is not whole.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        why: &'static str,
    },
    /// A member is missing, set aside or damaged.
    #[error("{}, {member}: {why}", path.display())]
    Member {
        /// The package.
        path: PathBuf,
        /// The member.
        member: String,
        /// What is wrong.
        why: String,
    },
}

/// Something wrong with a package; the rest of it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaczProblem {
    /// The member, as the zip calls it; empty for the package as a whole.
    pub member: String,
    /// What is wrong.
    pub what: String,
}

impl WaczProblem {
    pub(super) fn new(member: impl Into<String>, what: impl Into<String>) -> Self {
        Self { member: member.into(), what: what.into() }
    }
}

impl fmt::Display for WaczProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.member.as_str() {
            "" => f.write_str(&self.what),
            member => write!(f, "{member}: {}", self.what),
        }
    }
}

/// A file in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its path in the package, with `/`; never leads out of a folder.
    pub name: String,
    /// Where its bytes begin in the package.
    pub offset: u64,
    /// Bytes that it takes in the package.
    pub packed_len: u64,
    /// Bytes that it has, as the zip declares.
    pub len: u64,
    /// Whether it is stored, without compression by the zip.
    pub stored: bool,
    /// CRC-32 of its bytes, as the zip declares.
    pub crc32: u32,
}

impl Member {
    /// Whether its name is that of an archive file.
    pub fn is_archive(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let stem = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        name.starts_with("archive/") && (stem.ends_with(".warc") || stem.ends_with(".arc"))
    }

    /// The last part of its name.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// An open package.
#[derive(Debug)]
pub struct Wacz {
    path: PathBuf,
    members: Vec<Member>,
    archives: Vec<Member>,
    refused: Vec<WaczProblem>,
    package: Package,
    /// What is wrong with `datapackage.json`.
    package_problems: Vec<WaczProblem>,
}

impl Wacz {
    /// Reads the directory of the zip and `datapackage.json`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no zip, or has too many members. A package without
    /// `datapackage.json`, or with a broken one, is opened: its archive files can be read, and
    /// [`Wacz::problems`] reports it.
    pub fn open(path: &Path) -> Result<Self, WaczError> {
        let (members, refused) = directory::read(path)?;
        let archives = members.iter().filter(|member| member.is_archive()).cloned().collect();
        let mut wacz = Self {
            path: path.to_owned(),
            members,
            archives,
            refused,
            package: Package::default(),
            package_problems: Vec::new(),
        };
        let mut problems = Vec::new();
        if wacz.member(DATAPACKAGE).is_some() {
            match wacz.read_small(DATAPACKAGE) {
                Ok(bytes) => wacz.package = Package::parse(&bytes, &mut problems),
                Err(WaczError::Member { why, .. }) => problems.push(WaczProblem::new(DATAPACKAGE, why)),
                Err(error) => return Err(error),
            }
        } else if wacz.member("webarchive.yaml").is_some() {
            let why = "a package of WACZ 0.1, before datapackage.json; its archive files are read, its pages are not";
            problems.push(WaczProblem::new("webarchive.yaml", why));
        } else {
            problems.push(WaczProblem::new(DATAPACKAGE, "is missing: nothing says what is in the package"));
        }
        wacz.package_problems = problems;
        Ok(wacz)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Contents of `datapackage.json`.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// Files in the package that can be read, in the order of the zip's directory.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Archive files in the package.
    pub fn archives(&self) -> &[Member] {
        &self.archives
    }

    /// Lists of pages, the main one first.
    pub fn page_lists(&self) -> impl Iterator<Item = &Member> {
        let others = self.members.iter().filter(|member| {
            member.name.starts_with("pages/") && member.name.ends_with(".jsonl") && member.name != PAGES
        });
        self.member(PAGES).into_iter().chain(others)
    }

    /// Members that are not given out, and why.
    pub fn refused(&self) -> &[WaczProblem] {
        &self.refused
    }

    /// Problems found on opening: members set aside, a `datapackage.json` that is missing or broken.
    pub fn problems(&self) -> impl Iterator<Item = &WaczProblem> {
        self.refused.iter().chain(&self.package_problems)
    }

    /// The bytes of the archive file with this index in [`Wacz::archives`].
    ///
    /// # Errors
    ///
    /// When there is no such archive file or the package cannot be opened.
    pub fn open_archive(&self, index: usize) -> Result<MemberReader, WaczError> {
        match self.archives.get(index) {
            Some(member) => self.open_member(member),
            None => {
                Err(self.bad_member("archive/", format!("there are {} archive files, no {index}", self.archives.len())))
            }
        }
    }

    /// The bytes of a member.
    pub fn open_member(&self, member: &Member) -> Result<MemberReader, WaczError> {
        let file = File::open(&self.path).map_err(|source| WaczError::Io { path: self.path.clone(), source })?;
        MemberReader::new(file, member).map_err(|source| WaczError::Io { path: self.path.clone(), source })
    }

    /// The bytes of a small member, whole.
    fn read_small(&self, name: &str) -> Result<Vec<u8>, WaczError> {
        let member = self.member(name).ok_or_else(|| self.bad_member(name, "is missing".to_owned()))?;
        if member.len > MAX_JSON_BYTES {
            return Err(self.bad_member(name, format!("{} bytes; at most {MAX_JSON_BYTES} are read", member.len)));
        }
        let mut bytes = Vec::new();
        let read = self.open_member(member)?.take(MAX_JSON_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| self.bad_member(name, error.to_string()))?;
        Ok(bytes)
    }

    fn bad_member(&self, member: &str, why: String) -> WaczError {
        WaczError::Member { path: self.path.clone(), member: member.to_owned(), why }
    }
}
