//! Read models of archive files, imports and problems.

use super::ProblemId;
use super::{CampaignId, FileId, LaunchId, LaunchState};
use crate::uri::CaptureDate;
use crate::warc::SharedMember;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The state of a file on the disk, compared with what was read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// There, and unchanged since it was read, by size and date.
    Present,
    /// There and of the same size, but written to since: only its digest shows whether it is the same.
    Touched,
    /// There, but an import was stopped or failed in the middle of it.
    Unfinished,
    /// Still being written, or left open by a program that was killed.
    Open,
    /// Not at its place.
    Missing,
    /// Other bytes are at its place.
    Changed,
    /// It ends before records that a crawl wrote into it.
    Truncated,
}

impl FileState {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Present, Self::Touched, Self::Unfinished, Self::Open, Self::Missing, Self::Changed, Self::Truncated];

    /// The state as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Touched => "touched",
            Self::Unfinished => "unfinished",
            Self::Open => "open",
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Truncated => "truncated",
        }
    }

    /// The meaning of the state, and the next step, for a person.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Present => "The file is in place, with unchanged size and date",
            Self::Touched => {
                "The date of the file has changed since it was read; “Check file digests” shows whether its content has"
            }
            Self::Unfinished => "The file was not read completely; import it again, nothing is lost",
            Self::Open => "The file is still being written, or its writer was interrupted",
            Self::Missing => "The file is missing; reconnect its disk, or locate it",
            Self::Truncated => {
                "The file ends before the last captures that were written to it; resume its crawl to fetch them again"
            }
            Self::Changed => "The content of the file has changed, so it is not read; locate the original file",
        }
    }

    /// Whether its captures cannot be read, or not all of them.
    pub fn is_lost(self) -> bool {
        matches!(self, Self::Missing | Self::Changed | Self::Truncated)
    }
}

/// An archive file of the workspace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileRow {
    /// Its number.
    pub id: FileId,
    /// Its name as the catalogue keeps it: relative inside the workspace,
    /// absolute outside.
    pub path: String,
    /// Its place.
    pub location: PathBuf,
    /// Its state.
    pub state: FileState,
    /// Whether a crawl of this workspace wrote it; else it was imported.
    pub crawled: bool,
    /// The launch that brought it in first.
    pub launch: LaunchId,
    /// The campaign of that launch; none where its captures are of no campaign.
    pub campaign: Option<CampaignId>,
    /// Size in bytes when it was read; now, for what a crawl wrote.
    pub size: u64,
    /// SHA-256 in hex; empty while it is not known.
    pub sha256: String,
    /// Records in it; 0 for what a crawl wrote.
    pub records: u64,
    /// Captures whose first record lies in it, or in what was unpacked from it.
    pub captures: u64,
    /// Problems met in it.
    pub problems: u64,
}

/// The outcome of the import of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOutcome {
    /// Read to its end.
    Read,
    /// The same bytes were read before; skipped.
    Known,
    /// The same bytes were read before under a name that is gone; they are
    /// read from here now.
    Moved,
    /// Reading failed in the middle; what came before is kept.
    Cut,
    /// Not read at all.
    Unread,
}

impl FileOutcome {
    /// Every outcome.
    pub const ALL: [Self; 5] = [Self::Read, Self::Known, Self::Moved, Self::Cut, Self::Unread];

    /// The outcome as text, as the catalogue keeps it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Known => "known",
            Self::Moved => "moved",
            Self::Cut => "cut",
            Self::Unread => "unread",
        }
    }
}

/// A file of an import, with its outcome and counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportedFile {
    /// The path at which it was found.
    pub path: String,
    /// Its outcome.
    pub outcome: FileOutcome,
    /// Its number in the catalogue; none where nothing could be read of it.
    pub file: Option<FileId>,
    /// Size in bytes.
    pub bytes: u64,
    /// When it was written last, in nanoseconds since 1970.
    #[serde(skip)]
    pub mtime_ns: i64,
    /// Records read.
    pub records: u64,
    /// Captures in it.
    pub captures: u64,
    /// Captures that the catalogue did not know.
    pub new_captures: u64,
    /// Captures that repeat a payload.
    pub revisits: u64,
    /// Responses and resources about nothing of the web, by the scheme of their
    /// URIs (`dns`, `urn`): they are no captures.
    pub left_out: BTreeMap<String, u64>,
    /// Requests and metadata records of no capture that is in it.
    pub orphans: u64,
    /// The number of all its problems.
    pub problem_count: u64,
    /// It was read before, under this name.
    pub same_as: Option<String>,
    /// Why it could not be read, or not to its end.
    pub error: Option<String>,
    /// Milliseconds it took.
    pub took_ms: u64,
}

/// Options of an import: what is done with its files besides reading them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Copies them into the workspace instead of linking them.
    pub copy: bool,
    /// Follows links that lead out of the folders that were named.
    pub follow_links: bool,
    /// The campaign that captures are of whose files bring none.
    pub campaign: CampaignChoice,
}

/// The campaign that something shall belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CampaignChoice {
    /// The only one; none where there is none. Where there are several, a person has to choose.
    #[default]
    Only,
    /// None.
    None,
    /// This one.
    Of(CampaignId),
}

/// An import as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImportRow {
    /// Its launch.
    pub launch: LaunchId,
    /// The campaign that its captures belong to; none where they belong to none.
    pub campaign: Option<CampaignId>,
    /// Title of that campaign; empty where there is none.
    pub campaign_name: String,
    /// The paths that were given.
    pub sources: Vec<String>,
    /// Whether the files were copied into the workspace.
    pub copy: bool,
    /// Whether links that lead out of the folders were followed.
    pub follow_links: bool,
    /// Its state.
    pub state: LaunchState,
    /// Why it stopped, in words; empty for a normal end.
    pub why: String,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: Option<CaptureDate>,
    /// Files read.
    pub files: u64,
    /// Files that were read to their end.
    pub read: u64,
    /// Files whose bytes were known; those found at another place are among them.
    pub known: u64,
    /// Files found at another place than before.
    pub moved: u64,
    /// Files not read, or not to their end.
    pub unread: u64,
    /// Files in folders that are no archives by their names.
    pub passed_over: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Records read.
    pub records: u64,
    /// Captures in the files that were read.
    pub captures: u64,
    /// Captures that the catalogue did not know.
    pub new_captures: u64,
    /// Captures that repeat a payload.
    pub revisits: u64,
    /// Problems met.
    pub problems: u64,
}

impl ImportRow {
    /// The options that it was begun with.
    pub fn options(&self) -> ImportOptions {
        let campaign = self.campaign.map_or(CampaignChoice::None, CampaignChoice::Of);
        ImportOptions { copy: self.copy, follow_links: self.follow_links, campaign }
    }
}

/// Something broken or odd in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemRow {
    /// Its number.
    pub id: ProblemId,
    /// The file; none where it could not be read at all.
    pub file: Option<FileId>,
    /// The name of the file.
    pub path: String,
    /// Offset in the file, in bytes; where records share a compressed member,
    /// marked as in [`crate::warc::Span`].
    #[serde(flatten, serialize_with = "unmarked")]
    pub offset: u64,
    /// That member, where it is known.
    #[serde(rename = "member_offset", skip_serializing_if = "Option::is_none", serialize_with = "offset_of_member")]
    pub member: Option<SharedMember>,
    /// The kind of problem, as text.
    pub kind: String,
    /// The details, as text. May hold hostile text of the file.
    pub detail: String,
    /// A later import has read the file again and listed its present problems.
    pub read_again: bool,
}

/// A query for problems of archive files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ProblemQuery {
    /// Only those of this import.
    pub launch: Option<LaunchId>,
    /// Only those of this file.
    pub file: Option<FileId>,
    /// Only those of this kind; empty for all.
    pub kind: String,
    /// Only those of what was found at this very path; empty for all.
    pub path: String,
    /// Text in the file's name or in the problem, searched within the rest; empty for all.
    pub text: String,
}

/// Problems, and how many there are of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProblemPage {
    /// The problems, by file and offset; the first 20,000 of them.
    pub rows: Vec<ProblemRow>,
    /// Kind and count, most frequent first; not narrowed by the kind in the query.
    pub kinds: Vec<(String, u64)>,
    /// Problems that were counted but are not listed: a file keeps a thousand.
    pub unlisted: u64,
}

impl ProblemPage {
    /// Problems of a kind, of every kind where it is empty, that are kept but
    /// are not among the rows: a page holds only so many.
    pub fn further(&self, kind: &str) -> u64 {
        let of_kind = self.kinds.iter().filter(|(of, _)| kind.is_empty() || of == kind);
        of_kind.map(|(_, count)| count).sum::<u64>().saturating_sub(self.rows.len() as u64)
    }
}

/// A problem and the bytes it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemDetail {
    /// The problem.
    pub row: ProblemRow,
    /// A command that shows the record; none where the file cannot be read.
    pub command: Option<String>,
    /// The bytes of the file at this place, as a table of hex digits and letters: from the offset on,
    /// or from the beginning of the compressed member that the record shares.
    pub hex: String,
    /// Bytes that are decompressed to come to the record.
    pub far: u64,
    /// Why bytes are not shown; empty when they are.
    pub trouble: String,
}

impl ProblemDetail {
    /// Whether the record is so near that it is read at once.
    pub fn is_near(&self) -> bool {
        self.far <= NEAR
    }
}

/// Bytes that are decompressed in a moment.
const NEAR: u64 = 16 * 1024 * 1024;

fn offset_of_member<S: serde::Serializer>(member: &Option<SharedMember>, serializer: S) -> Result<S::Ok, S::Error> {
    member.map(|member| member.offset).serialize(serializer)
}

/// A record in a file, as an inspection of the file finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRecord {
    /// The name of the file; of one in a package, behind that of the package.
    pub path: String,
    /// The type of the record.
    pub kind: String,
    /// Offset in the file or member of the package, in bytes, marked as in
    /// [`crate::warc::Span`].
    pub offset: u64,
    /// Length in bytes up to the next record.
    pub length: u64,
    /// `WARC-Date`, where it can be read.
    pub date: Option<CaptureDate>,
    /// Its target. Hostile text.
    pub target: String,
}

/// The records that an import has counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundRecords {
    /// The records, in their order in the file; not all of very many.
    pub rows: Vec<FoundRecord>,
    /// There are more.
    pub is_cut: bool,
    /// Files whose records cannot be listed, with the reason.
    pub unread: Vec<String>,
    /// Files that are not as the import has found them, in words.
    pub differing: Vec<String>,
}

/// An offset for programs. Where it counts in the decompressed file, the
/// table of the window and the commands put a “+” before it.
fn unmarked<S: serde::Serializer>(offset: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    PlainOffset::of(*offset).serialize(serializer)
}

/// An offset for programs, and what it counts in.
#[derive(Debug, Serialize)]
pub struct PlainOffset {
    offset: u64,
    /// It counts in the decompressed file: the record shares its member.
    shares_member: bool,
}

impl PlainOffset {
    /// The plain form of an offset in the catalogue ([`crate::warc::Span::offset`]).
    pub fn of(offset: u64) -> Self {
        let place = crate::warc::Span { offset, length: 0 };
        Self { offset: place.decoded_offset(), shares_member: place.is_inside_member() }
    }
}
