//! Keeps runs beyond the life of the program, with a list of what is in them.

use super::LinkError;
use super::notes::Notes;
use super::run::{Run, run_path};
use crate::captures::MAX_LISTED;
use crate::jobs::{FileLock, NotLocked, create_own, replace_own};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LIST: &str = "runs.json";
const LOCK: &str = "runs.lock";
/// Stands in a folder that was made for the runs and goes with them; one that was there before stays.
const MADE: &str = "runs.made";

/// Program that writes runs. Another version may cut pages up in another way.
const PROGRAM: &str = concat!("fonds ", env!("CARGO_PKG_VERSION"));

/// Folder in which runs are kept, locked for one build, and the input they are of.
#[derive(Debug, Clone)]
pub struct ResumeDir {
    pub(super) folder: PathBuf,
    input: String,
    lock: Arc<FileLock>,
}

impl ResumeDir {
    /// Takes a folder, which is made where it is missing; nothing else should
    /// lie in it. `input` says line by line how the input is read, and what it is.
    ///
    /// # Errors
    ///
    /// [`LinkError::NoFolder`] where something else is, [`LinkError::KeptLocked`] while another build has it,
    /// [`LinkError::KeptOther`] when runs of another input or of another
    /// version of the program lie there, and errors of the system.
    pub fn take(folder: &Path, input: String) -> Result<Self, LinkError> {
        let is_new = !folder.exists();
        if !is_new && !folder.is_dir() {
            return Err(LinkError::NoFolder { path: folder.to_owned() });
        }
        let lock = Arc::new(lock(folder, LOCK)?);
        if is_new {
            create_own(&folder.join(MADE)).map_err(|source| LinkError::Temp { folder: folder.to_owned(), source })?;
        }
        if let Some(list) = Owner::read(folder)? {
            let other = |what: &'static str, was: &str, is: &str| LinkError::KeptOther {
                folder: folder.to_owned(),
                what,
                was: if was.is_empty() { "nothing" } else { was }.to_owned(),
                is: if is.is_empty() { "nothing" } else { is }.to_owned(),
            };
            if list.program != PROGRAM {
                let was = if list.program.is_empty() { "an earlier version" } else { &list.program };
                return Err(other("program", was, PROGRAM));
            }
            if list.input != input {
                let lines = || list.input.lines().chain(std::iter::repeat("")).zip(input.lines().chain([""]));
                let (at, (was, is)) = lines().enumerate().find(|(_, (was, is))| was != is).unwrap_or_default();
                return Err(other(if at == 0 { "options" } else { "files" }, was, is));
            }
        }
        Ok(Self { folder: folder.to_owned(), input, lock })
    }
}

/// Takes a folder, which is made where it is missing, for this process alone.
/// The system frees the lock when the process dies.
pub(super) fn lock(folder: &Path, name: &str) -> Result<FileLock, LinkError> {
    let failed = |source| LinkError::Temp { folder: folder.to_owned(), source };
    loop {
        fs::create_dir_all(folder).map_err(failed)?;
        match FileLock::take(&folder.join(name), &format!("process {}", std::process::id())) {
            Ok(lock) => return Ok(lock),
            // A build that ended just now has taken the folder away.
            Err(NotLocked::Failed(source)) if source.kind() == io::ErrorKind::NotFound => {}
            Err(NotLocked::Failed(source)) => return Err(failed(source)),
            Err(NotLocked::LockedBy(holder)) => {
                return Err(LinkError::KeptLocked { folder: folder.to_owned(), holder });
            }
        }
    }
}

/// Puts a list in the place of an earlier one, all at once.
pub(super) fn write_list(folder: &Path, name: &str, list: &impl Serialize) -> io::Result<()> {
    let list = serde_json::to_vec(list)?;
    replace_own(&folder.join(name), |file| file.write_all(&list))
}

/// A stretch of the input whose rows are in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct InputRange {
    /// Which part of the input: a file's number.
    pub(super) unit: u32,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl InputRange {
    /// Adds a stretch to a list, as one with the last where they touch.
    pub(super) fn add_to(self, list: &mut Vec<Self>) {
        match list.last_mut() {
            Some(last) if last.unit == self.unit && last.to == self.from => last.to = self.to,
            _ => list.push(self),
        }
    }
}

/// Parts of the input that runs of an earlier build hold already (see [`super::RowWriter::mark`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessedInput(Vec<InputRange>);

impl ProcessedInput {
    fn of(runs: &[KeptRun]) -> Self {
        let mut all: Vec<InputRange> = runs.iter().flat_map(|run| run.covered.iter().copied()).collect();
        all.sort_unstable();
        // One after the other: what is looked for is in the last that begins before it.
        all.dedup_by(|next, last| {
            let joined = next.unit == last.unit && next.from <= last.to;
            if joined {
                last.to = last.to.max(next.to);
            }
            joined
        });
        Self(all)
    }

    /// Whether the rows of a place of the input are there.
    pub fn holds(&self, unit: u32, place: u64) -> bool {
        let after = self.0.partition_point(|covered| (covered.unit, covered.from) <= (unit, place));
        let before = after.checked_sub(1).and_then(|before| self.0.get(before));
        before.is_some_and(|covered| covered.unit == unit && covered.to > place)
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A finished run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRun {
    pub(super) number: u64,
    pub(super) bytes: u64,
    pub(super) links: u64,
    pub(super) captures: u64,
    pub(super) duplicates: u64,
    /// The name distinguishes the list from one that had offsets in their place.
    #[serde(rename = "records")]
    pub(super) covered: Vec<InputRange>,
    /// What was noted in those stretches.
    #[serde(default)]
    pub(super) notes: Notes,
}

/// The list of finished runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptRuns {
    /// Who wrote it.
    #[serde(default)]
    program: String,
    input: String,
    next: u64,
    pub(super) runs: Vec<KeptRun>,
    /// All that were ever written, merged ones too, and their bytes.
    #[serde(default)]
    pub(super) written: (u64, u64),
    #[serde(skip)]
    lock: Option<Arc<FileLock>>,
}

/// Owner of runs in the list, the same in every version.
#[derive(Deserialize)]
struct Owner {
    #[serde(default)]
    program: String,
    #[serde(default)]
    input: String,
}

impl Owner {
    /// `None` where there is no list.
    fn read(folder: &Path) -> Result<Option<Self>, LinkError> {
        let Some(list) = read_list(folder)? else { return Ok(None) };
        serde_json::from_slice(&list).map(Some).map_err(|error| damaged(folder, &format!("{LIST}: {error}")))
    }
}

/// `None` where there is no list.
fn read_list(folder: &Path) -> Result<Option<Vec<u8>>, LinkError> {
    match fs::read(folder.join(LIST)) {
        Ok(list) => Ok(Some(list)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LinkError::Temp { folder: folder.join(LIST), source }),
    }
}

fn damaged(folder: &Path, why: &str) -> LinkError {
    LinkError::Run { folder: folder.to_owned(), why: why.to_owned() }
}

impl KeptRuns {
    /// The runs of an earlier build of the same input.
    ///
    /// # Errors
    ///
    /// Where one of them cannot be opened or is not as it was written: nothing
    /// is removed then.
    pub(super) fn open(keep: &ResumeDir) -> Result<(Self, Vec<Run>), LinkError> {
        let folder = &keep.folder;
        let mut list = match read_list(folder)? {
            Some(list) => {
                serde_json::from_slice::<Self>(&list).map_err(|error| damaged(folder, &format!("{LIST}: {error}")))?
            }
            None => Self { program: PROGRAM.to_owned(), input: keep.input.clone(), ..Self::default() },
        };
        let mut runs = Vec::with_capacity(list.runs.len());
        for kept in &list.runs {
            let path = run_path(folder, kept.number);
            let run = Run::open(&path).map_err(|error| damaged(folder, &format!("{}: {error}", path.display())))?;
            if run.bytes() != kept.bytes {
                let why = format!("{}: {} bytes are there, {} were written", path.display(), run.bytes(), kept.bytes);
                return Err(damaged(folder, &why));
            }
            runs.push(run);
        }
        list.remove_strangers(folder);
        list.lock = Some(Arc::clone(&keep.lock));
        Ok((list, runs))
    }

    /// Runs that were not finished.
    fn remove_strangers(&self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_run = name.to_str().and_then(|name| name.strip_prefix("run-")).map(str::parse::<u64>);
            if let Some(Ok(number)) = is_run
                && !self.runs.iter().any(|run| run.number == number)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Input that need not be read again.
    pub(super) fn done(&self) -> ProcessedInput {
        ProcessedInput::of(&self.runs)
    }

    /// Notes on that input.
    pub(super) fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        self.runs.iter().for_each(|run| notes.add(&run.notes));
        notes
    }

    pub(super) fn next_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Runs of one generation: all of them or none.
    pub(super) fn add(&mut self, folder: &Path, runs: Vec<KeptRun>) -> io::Result<()> {
        runs.iter().for_each(|run| self.count(run.bytes));
        self.runs.extend(runs);
        self.cut_notes();
        self.write(folder)
    }

    fn count(&mut self, bytes: u64) {
        self.written.0 += 1;
        self.written.1 += bytes;
    }

    /// Leaves out of the notes what is not among the first of all runs.
    fn cut_notes(&mut self) {
        if let Some(last) = self.notes().listed().get(MAX_LISTED - 1).cloned() {
            self.runs.iter_mut().for_each(|run| run.notes.cut_behind(&last));
        }
    }

    /// The first `count` runs were merged into one.
    pub(super) fn replace(
        &mut self,
        folder: &Path,
        count: usize,
        number: u64,
        bytes: u64,
        duplicates: u64,
    ) -> io::Result<()> {
        let old: Vec<KeptRun> = self.runs.drain(..count.min(self.runs.len())).collect();
        let mut covered = Vec::new();
        ProcessedInput::of(&old).0.into_iter().for_each(|stretch| stretch.add_to(&mut covered));
        let mut notes = Notes::default();
        old.iter().for_each(|run| notes.add(&run.notes));
        let sum = |of: fn(&KeptRun) -> u64| old.iter().map(of).sum::<u64>();
        self.runs.push(KeptRun {
            number,
            bytes,
            links: sum(|run| run.links),
            captures: sum(|run| run.captures),
            duplicates: sum(|run| run.duplicates) + duplicates,
            covered,
            notes,
        });
        self.count(bytes);
        self.write(folder)?;
        for run in old {
            fs::remove_file(run_path(folder, run.number))?;
        }
        Ok(())
    }

    /// A list is whole or it is the one before.
    fn write(&self, folder: &Path) -> io::Result<()> {
        write_list(folder, LIST, self)
    }

    /// The result is out: nothing of this is needed any more.
    pub(super) fn remove(&self, folder: &Path) -> io::Result<()> {
        if self.lock.is_none() {
            return Ok(());
        }
        match fs::remove_file(folder.join(LIST)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for run in &self.runs {
            fs::remove_file(run_path(folder, run.number))?;
        }
        let is_ours = fs::remove_file(folder.join(MADE)).is_ok();
        fs::remove_file(folder.join(LOCK))?;
        if is_ours {
            // What else lies in the folder is not ours.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}
