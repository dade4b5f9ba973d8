//! Near-duplicate texts of the index, found again after each change of it.

use crate::jobs::JobCx;
use crate::search::{IndexMark, NearFile, NearWriter, TextIndex, TextIndexError};
use crate::text::near::{MinHash, NearFinder, shingles};
use anyhow::Context;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Texts with fewer words are not compared: of notices and error pages too many are the same.
const SHORTEST: u64 = 20;
/// Texts that are read in one step.
const BATCH: usize = 128;
/// Runs of tokens of older texts that are kept while they are compared, in numbers of 8 bytes.
const MOST_KEPT: usize = 1 << 21;

/// What changed of an index since its near-duplicates were found.
pub(super) struct IndexChange<'a> {
    /// Its mark before.
    pub before: &'a IndexMark,
    /// Versions whose text may be another one.
    pub replaced: &'a HashSet<u64>,
    /// Looks at new texts; otherwise only takes out what is gone.
    pub is_complete: bool,
}

/// Follows up the groups of near-duplicates of an index: compares new texts
/// with all, dissolves groups that lost a text and finds them again. What is
/// kept is of the index before the change, or is made again. The number of
/// versions that joined a group of an older one.
///
/// # Errors
///
/// An index that cannot be read, a file that cannot be written, or `Cancelled`:
/// what was found by then is kept.
pub(super) fn follow_near_duplicates(
    folder: &Path,
    index: &TextIndex,
    change: &IndexChange<'_>,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let now = index.mark()?.unwrap_or_default();
    let there = index.versions_of_length(SHORTEST)?;
    let old = NearFile::open(folder).filter(|old| old.mark == *change.before);
    let all = there.count_ones(..) as u64;
    match &old {
        Some(old) if old.mark == now && old.texts == all && change.replaced.is_empty() => {
            return Ok(old.groups.len() as u64);
        }
        None if !change.is_complete => return Ok(0),
        _ => {}
    }
    cx.stage("Finding near-duplicates", Some(all));
    let mut finding = Finding::new(folder, index)?;
    if let Some(old) = &old
        && !finding.restore(old, &there, change.replaced, cx)?
    {
        // Damaged: from the texts of the index again.
        cx.set_done(0);
        finding = Finding::new(folder, index)?;
    }
    let stopped = if change.is_complete { finding.add(&there, cx) } else { Ok(()) };
    let joined = finding.writer.joined();
    if stopped.as_ref().err().is_none_or(|error| error.is::<crate::jobs::Cancelled>()) {
        finding.writer.finish(&now).with_context(|| folder.display().to_string())?;
    }
    stopped.map(|()| joined)
}

/// One run over the texts.
struct Finding<'a> {
    folder: &'a Path,
    index: &'a TextIndex,
    finder: NearFinder,
    writer: NearWriter,
    /// Versions that are in.
    known: FixedBitSet,
    /// Runs of tokens of texts that were compared last.
    kept: HashMap<u64, Vec<u64>>,
    kept_len: usize,
}

impl<'a> Finding<'a> {
    fn new(folder: &'a Path, index: &'a TextIndex) -> anyhow::Result<Self> {
        let writer = NearWriter::create(folder).with_context(|| folder.display().to_string())?;
        let (finder, known, kept) = Default::default();
        Ok(Self { folder, index, finder, writer, known, kept, kept_len: 0 })
    }

    /// Takes in what was kept of texts that are still there, and not of a group
    /// that lost one. False where the file is damaged.
    fn restore(
        &mut self,
        old: &NearFile,
        there: &FixedBitSet,
        replaced: &HashSet<u64>,
        cx: &JobCx,
    ) -> anyhow::Result<bool> {
        let is_there = |version: u64| there.contains(version as usize) && !replaced.contains(&version);
        let pairs = old.groups.iter();
        let dissolved: HashSet<u64> = pairs
            .filter(|(version, first)| !is_there(**version) || !is_there(**first))
            .map(|(_, first)| *first)
            .collect();
        old.each_text(|version, signature| {
            let group = old.groups.get(&version).copied();
            if !is_there(version) || dissolved.contains(&group.unwrap_or(version)) {
                return Ok(());
            }
            self.finder.restore(version, &signature, group);
            self.put(version, &signature, group)?;
            Ok(cx.advance(1)?)
        })
    }

    fn put(&mut self, version: u64, signature: &MinHash, group: Option<u64>) -> anyhow::Result<()> {
        self.writer.put(version, signature, group).with_context(|| self.folder.display().to_string())?;
        self.known.grow_and_insert(version as usize);
        Ok(())
    }

    /// Compares texts that are not in yet with all that are, the oldest first.
    fn add(&mut self, there: &FixedBitSet, cx: &JobCx) -> anyhow::Result<()> {
        let is_new = |version: &usize| !self.known.contains(*version);
        let new: Vec<u64> = there.ones().filter(is_new).map(|version| version as u64).collect();
        let index = self.index;
        for some in new.chunks(BATCH) {
            let read: Vec<Option<(Vec<u64>, MinHash)>> = some
                .par_iter()
                .map(|version| {
                    let runs = runs_of(index, *version)?;
                    Ok(runs.and_then(|runs| MinHash::of(&runs).map(|signature| (runs, signature))))
                })
                .collect::<Result<_, TextIndexError>>()?;
            for (version, read) in some.iter().zip(read) {
                let Some((runs, signature)) = read else { continue };
                let group = self.join(*version, &runs, &signature)?;
                self.put(*version, &signature, group)?;
            }
            cx.advance(some.len() as u64)?;
        }
        Ok(())
    }

    /// The first version of the group that a text joins.
    fn join(&mut self, version: u64, runs: &[u64], signature: &MinHash) -> Result<Option<u64>, TextIndexError> {
        let (index, kept, kept_len) = (self.index, &mut self.kept, &mut self.kept_len);
        let mut failed = None;
        let group = self.finder.add_signed(version, runs, signature, |older| {
            if let Some(runs) = kept.get(&older) {
                return Some(runs.clone());
            }
            let runs = match runs_of(index, older) {
                Ok(runs) => runs?,
                Err(error) => {
                    failed = Some(error);
                    return None;
                }
            };
            if *kept_len + runs.len() > MOST_KEPT {
                kept.clear();
                *kept_len = 0;
            }
            *kept_len += runs.len();
            kept.insert(older, runs.clone());
            Some(runs)
        });
        failed.map_or(Ok(group), Err)
    }
}

/// The runs of tokens of a version's main text.
fn runs_of(index: &TextIndex, version: u64) -> Result<Option<Vec<u64>>, TextIndexError> {
    Ok(index.text_of(version)?.map(|text| shingles(&text.main)))
}
