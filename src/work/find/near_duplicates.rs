//! Near-duplicate texts of the index, found again after each change of it.

use crate::jobs::JobCx;
use crate::search::{IndexMark, NearFile, NearLinks, NearWriter, TextIndex, TextIndexError};
use crate::text::near::{MinHash, group_among, jaccard, shingles};
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
/// Texts that one thread reads behind each other: those beside each other in a file are unpacked once.
const READ_TOGETHER: usize = 16;

/// The amounts that are compared in one step.
#[derive(Clone, Copy)]
struct Steps {
    /// Hashes of bands that are in memory.
    hashes: usize,
    /// Texts whose candidates are looked up.
    texts: u32,
}

const STEPS: Steps = Steps { hashes: 1 << 22, texts: 4096 };

/// The changes of an index since its near-duplicates were found.
pub(in crate::work) struct IndexChange<'a> {
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
pub(in crate::work) fn follow_near_duplicates(
    folder: &Path,
    index: &TextIndex,
    change: &IndexChange<'_>,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    follow_in_steps(folder, index, change, STEPS, cx)
}

fn follow_in_steps(
    folder: &Path,
    index: &TextIndex,
    change: &IndexChange<'_>,
    steps: Steps,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let now = index.mark()?.unwrap_or_default().without_pages();
    let there = index.versions_of_length(SHORTEST)?;
    let old = NearFile::open(folder).filter(|old| old.mark == change.before.without_pages());
    let all = there.count_ones(..) as u64;
    match &old {
        Some(old) if old.mark == now && [old.texts, old.compared] == [all; 2] && change.replaced.is_empty() => {
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
        // First: whoever gives up a half-written file takes it off the disk, and the next one has its name.
        drop(finding);
        finding = Finding::new(folder, index)?;
    }
    let mut stopped = Ok(());
    if change.is_complete {
        stopped = finding.sign(&there, cx).and_then(|()| finding.compare(steps, cx));
    }
    let Finding { writer, versions, firsts, .. } = finding;
    let joined = joined_of(&versions, &firsts).count() as u64;
    if stopped.as_ref().err().is_none_or(|error| error.is::<crate::jobs::Cancelled>()) {
        writer
            .finish(&now, firsts.len() as u64, joined_of(&versions, &firsts))
            .with_context(|| folder.display().to_string())?;
    }
    stopped.map(|()| joined)
}

/// One run over the texts: first all are signed, then compared, so that no
/// more than a few bytes of each are in memory.
struct Finding<'a> {
    folder: &'a Path,
    texts: TextReader<'a>,
    writer: NearWriter,
    /// Versions that are in, by age.
    versions: Vec<u64>,
    /// The oldest text of the group of each that was compared, or itself.
    firsts: Vec<u32>,
    /// Versions that are in.
    known: FixedBitSet,
}

impl<'a> Finding<'a> {
    fn new(folder: &'a Path, index: &'a TextIndex) -> anyhow::Result<Self> {
        let writer = NearWriter::create(folder).with_context(|| folder.display().to_string())?;
        let (versions, firsts, known) = Default::default();
        Ok(Self { folder, texts: TextReader::new(index), writer, versions, firsts, known })
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
        let mut places: HashMap<u64, u32> = old.groups.values().map(|first| (*first, u32::MAX)).collect();
        let mut left = old.compared;
        old.each_text(|version, signature| {
            let is_compared = left > 0;
            left = left.saturating_sub(1);
            let group = old.groups.get(&version).copied();
            if !is_there(version) || dissolved.contains(&group.unwrap_or(version)) {
                return Ok(());
            }
            let at = self.put(version, &signature)?;
            if is_compared {
                if let Some(place) = places.get_mut(&version) {
                    *place = at;
                }
                let first = group.and_then(|first| places.get(&first)).filter(|first| **first < at);
                self.firsts.push(first.copied().unwrap_or(at));
            }
            Ok(cx.advance(1)?)
        })
    }

    /// Takes a text in; its place by age.
    fn put(&mut self, version: u64, signature: &MinHash) -> anyhow::Result<u32> {
        let at = u32::try_from(self.versions.len())?;
        self.writer.put(version, signature).with_context(|| self.folder.display().to_string())?;
        self.versions.push(version);
        self.known.grow_and_insert(version as usize);
        Ok(at)
    }

    /// Takes in texts that are not yet, the oldest first.
    fn sign(&mut self, there: &FixedBitSet, cx: &JobCx) -> anyhow::Result<()> {
        let is_new = |version: &usize| !self.known.contains(*version);
        let new: Vec<u64> = there.ones().filter(is_new).map(|version| version as u64).collect();
        for some in new.chunks(BATCH) {
            let signatures = self.texts.each_of(some, |runs| MinHash::of(&runs))?;
            for (version, signature) in some.iter().zip(signatures) {
                if let Some(signature) = signature.flatten() {
                    self.put(*version, &signature)?;
                }
            }
            cx.advance(some.len() as u64)?;
        }
        Ok(())
    }

    /// Compares texts that were not compared yet with all older ones.
    fn compare(&mut self, steps: Steps, cx: &JobCx) -> anyhow::Result<()> {
        let (mut begin, end) = (u32::try_from(self.firsts.len())?, u32::try_from(self.versions.len())?);
        cx.stage("Grouping near-duplicates", Some(u64::from(end - begin)));
        let mut signatures = self.writer.texts()?;
        let mut links = NearLinks::find::<anyhow::Error>(&mut signatures, begin, steps.hashes, self.folder, || {
            Ok(cx.checkpoint()?)
        })?;
        while begin < end {
            let some = begin..end.min(begin.saturating_add(steps.texts));
            let mut candidates = Vec::new();
            for (at, mut older) in some.clone().zip(links.older(some.clone())?) {
                if older.is_empty() {
                    continue;
                }
                let signature = signatures.get(at)?;
                let mut may_be_near = Vec::new();
                for other in older.drain(..) {
                    if signature.may_be_near(&signatures.get(other)?) {
                        may_be_near.push(other);
                    }
                }
                if !may_be_near.is_empty() {
                    candidates.push((at, may_be_near));
                }
            }
            for candidates in candidates.chunks(BATCH) {
                self.join(candidates)?;
            }
            self.firsts.extend(u32::try_from(self.firsts.len())?..some.end);
            begin = some.end;
            cx.advance(some.len() as u64)?;
        }
        Ok(())
    }

    /// Puts texts into the groups of others that may be near them.
    fn join(&mut self, texts: &[(u32, Vec<u32>)]) -> anyhow::Result<()> {
        let versions: Vec<u64> = texts.iter().filter_map(|(at, _)| self.versions.get(*at as usize).copied()).collect();
        let read = self.texts.each_of(&versions, |runs| runs)?;
        for ((at, candidates), runs) in texts.iter().zip(read) {
            // Those between have no candidates.
            self.firsts.extend(u32::try_from(self.firsts.len())?..*at);
            let (firsts, versions, texts) = (&self.firsts, &self.versions, &mut self.texts);
            let group = match runs {
                Some(runs) => group_among(
                    candidates,
                    |at| firsts.get(at as usize).copied().unwrap_or(at),
                    |at| texts.similarity(&runs, versions.get(at as usize).copied().unwrap_or_default()),
                )?,
                None => None,
            };
            self.firsts.push(group.unwrap_or(*at));
        }
        Ok(())
    }
}

/// Versions that joined a group, each with the version that it began with.
fn joined_of(versions: &[u64], firsts: &[u32]) -> impl Iterator<Item = (u64, u64)> {
    let pairs = versions.iter().zip(firsts);
    let pairs = pairs.filter_map(|(version, first)| Some((*version, *versions.get(*first as usize)?)));
    pairs.filter(|(version, first)| version != first)
}

/// Reads texts again and again.
struct TextReader<'a> {
    index: &'a TextIndex,
    /// Runs of tokens of texts that others were compared with last.
    kept: HashMap<u64, Vec<u64>>,
    kept_len: usize,
}

impl<'a> TextReader<'a> {
    fn new(index: &'a TextIndex) -> Self {
        Self { index, kept: HashMap::new(), kept_len: 0 }
    }

    /// Results of `make` on the runs of tokens of versions' main texts; none for a version that is not
    /// there.
    fn each_of<T: Send>(
        &self,
        versions: &[u64],
        make: impl Fn(Vec<u64>) -> T + Sync,
    ) -> anyhow::Result<Vec<Option<T>>> {
        let some = |versions: &[u64]| {
            let mut pages = self.index.pages()?;
            let mut one = |version: &u64| Ok(pages.page(*version)?.map(|page| make(shingles(&page.main))));
            versions.iter().map(&mut one).collect::<Result<Vec<Option<T>>, TextIndexError>>()
        };
        let made = versions.par_chunks(READ_TOGETHER).map(some).collect::<Result<Vec<_>, TextIndexError>>()?;
        Ok(made.into_iter().flatten().collect())
    }

    /// The similarity of runs of tokens with those of an older text; 0 where that is not there.
    fn similarity(&mut self, runs: &[u64], older: u64) -> anyhow::Result<f64> {
        if let Some(known) = self.kept.get(&older) {
            return Ok(jaccard(runs, known));
        }
        let Some(read) = self.each_of(&[older], |runs| runs)?.pop().flatten() else { return Ok(0.0) };
        let similarity = jaccard(runs, &read);
        if self.kept_len + read.len() > MOST_KEPT {
            self.kept.clear();
            self.kept_len = 0;
        }
        self.kept_len += read.len();
        self.kept.insert(older, read);
        Ok(similarity)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "near_duplicates_tests.rs"]
mod tests;
