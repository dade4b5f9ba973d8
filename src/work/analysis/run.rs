//! An analysis runs: texts that are new are read once, then what is known of all is put together.

use super::gather::{Gathering, gather};
use super::inputs::{AnalysisInputs, AnalysisStep, KnownEntities, Merges};
use crate::analysis::entities::{Gazetteer, page_names};
use crate::analysis::terms::page_terms;
use crate::jobs::{JobCx, counted};
use crate::search::{CaptureFacts, TextIndex, TextIndexError, stem_term};
use crate::store::{AnalysedPage, AnalysisRun, AnalysisStore, PackedPage, RunKind, Workspace};
use crate::work::Report;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// Texts that are read in one step.
const BATCH: usize = 128;
/// Texts that one thread reads behind each other.
const READ_TOGETHER: usize = 16;
/// Pages between two commits, at most.
const COMMIT_PAGES: usize = 1_000;
/// Time between two commits, at most.
const COMMIT_EVERY: Duration = Duration::from_secs(10);

/// The outcome of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnalysisReport {
    /// The run that has the results.
    #[serde(flatten)]
    pub run: AnalysisRun,
    /// Nothing changed since that run.
    pub is_unchanged: bool,
    /// A wider run that lists and searches go by, where this one is a part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<i64>,
}

impl Report for AnalysisReport {
    fn summary(&self) -> String {
        let (id, counts) = (self.run.id, &self.run.counts);
        let pages = counted(counts.pages, "page");
        let by = self.answers.map_or_else(String::new, |wider| {
            format!(". It is a part: searches go by analysis {wider}; this one is --run {id}")
        });
        if self.is_unchanged {
            return format!("nothing changed since analysis {id} of {pages}{by}");
        }
        let mut line = format!("analysis {id}: {pages}, {} read", counts.fresh);
        if counts.entities > 0 {
            let (entities, mentions) = (counted(counts.entities, "entity"), counted(counts.mentions, "mention"));
            line.push_str(&format!("; {entities} in {mentions}"));
        }
        if counts.terms > 0 {
            line.push_str(&format!("; {}", counted(counts.terms, "term")));
        }
        line + &by
    }
}

/// What is analysed: the captures that inputs find.
pub(in crate::work) struct AnalysedCaptures<'a> {
    pub index: &'a TextIndex,
    pub facts: &'a CaptureFacts,
    /// Every content version with a text that people read.
    pub all: FixedBitSet,
    /// The captures that inputs find.
    pub captures: FixedBitSet,
    /// A crawl goes on: the next run of these inputs takes the place of this one.
    pub is_interim: bool,
}

/// Analyses captures. Where a run had the same inputs and nothing changed since, that run has the results.
///
/// # Errors
///
/// A catalogue, an index or a file of analyses that cannot be read or written, or `Cancelled`: texts that were
/// read by then need not be read again.
pub(in crate::work) fn analyse(
    workspace: &Workspace,
    inputs: &AnalysisInputs,
    of: &AnalysedCaptures<'_>,
    cx: &JobCx,
) -> anyhow::Result<AnalysisReport> {
    cx.stage("Comparing with earlier analyses", None);
    let catalogue = workspace.catalogue();
    let known = KnownEntities::read(catalogue)?;
    let gazetteer = Gazetteer::new(&known.entities)?;
    let merges = catalogue.entity_merges()?;
    let mut versions = of.facts.versions_of(&of.captures);
    versions.intersect_with(&of.all);
    let digest = digest_of(inputs, &gazetteer, &known.sources, &merges, &[&of.all, &versions, &of.captures]);
    let store = AnalysisStore::open_or_create(workspace.folder())?;
    if let Some(run) = store.run_of_digest(&digest)? {
        store.set_present(run.id, of.is_interim)?;
        let answers = store.answering_runs()?.first().map(|first| first.id).filter(|first| *first != run.id);
        return Ok(AnalysisReport { run, is_unchanged: true, answers });
    }
    // What a kill left of a run has no results.
    for run in store.runs()?.iter().filter(|run| run.ended.is_none()) {
        store.delete_run(run.id)?;
    }
    let inputs_json = serde_json::to_value(inputs)?;
    let kind = RunKind { reach: inputs.reach(), is_interim: of.is_interim };
    let run = store.begin_run(&inputs_json, &kind, env!("CARGO_PKG_VERSION"))?;
    let done =
        Analysing { store: &store, index: of.index, gazetteer: &gazetteer }.follow(&of.all, cx).and_then(|fresh| {
            let gathering = Gathering {
                store: &store,
                facts: of.facts,
                captures: &of.captures,
                versions: &versions,
                all: &of.all,
                known: &known,
                merges: &Merges::of(&merges),
                has_entities: inputs.has(AnalysisStep::Entities),
                has_terms: inputs.has(AnalysisStep::Terms),
                fresh,
            };
            gather(&gathering, run, &digest, cx)
        });
    if let Err(error) = done {
        store.delete_run(run)?;
        return Err(error);
    }
    let run = store.run(Some(run))?;
    store.delete_interim_before(&run)?;
    let answers = store.answering_runs()?.first().map(|first| first.id).filter(|first| *first != run.id);
    Ok(AnalysisReport { run, is_unchanged: false, answers })
}

/// SHA-256 of all that results follow from.
fn digest_of(
    inputs: &AnalysisInputs,
    gazetteer: &Gazetteer,
    sources: &[String],
    merges: &[crate::store::EntityMerge],
    sets: &[&FixedBitSet],
) -> String {
    let mut hasher = Sha256::new();
    let merges: Vec<(&str, &str)> = merges.iter().map(|merge| (merge.name.as_str(), merge.target.as_str())).collect();
    let parts = serde_json::json!([inputs, gazetteer.digest(), sources, merges]);
    hasher.update(parts.to_string());
    for set in sets {
        hasher.update([0]);
        for number in set.ones() {
            hasher.update((number as u64).to_le_bytes());
        }
    }
    data_encoding::HEXLOWER.encode(&hasher.finalize())
}

/// Reads the texts that no run has read.
struct Analysing<'a> {
    store: &'a AnalysisStore,
    index: &'a TextIndex,
    gazetteer: &'a Gazetteer,
}

impl Analysing<'_> {
    /// Reads what is new of all versions of the index; how many.
    fn follow(&self, all: &FixedBitSet, cx: &JobCx) -> anyhow::Result<u64> {
        let names = self.gazetteer.digest();
        let [mut known, outdated] = self.store.analysed(names)?;
        // Counts of all pages together hold pages that are gone.
        if !known.is_subset(all) {
            self.store.forget_pages()?;
            known.clear();
        }
        let mut corpus = self.store.corpus()?;
        let is_new = |version: &usize| !known.contains(*version) || outdated.contains(*version);
        let new: Vec<usize> = all.ones().filter(is_new).collect();
        cx.stage("Analysing texts", Some(new.len() as u64));
        let (mut waiting, mut committed, mut read) = (Vec::<PackedPage>::new(), Instant::now(), 0);
        let mut stopped = Ok(());
        for some in new.chunks(BATCH) {
            let pages = self.read(some, cx)?;
            stopped = cx.advance(pages.len() as u64);
            read += pages.len() as u64;
            for (page, packed) in pages {
                // Counts know a page whose names alone are searched again.
                if !known.contains(usize::try_from(page.version).unwrap_or(usize::MAX)) {
                    corpus.case.add(&page.names);
                    corpus.terms.add(&page.terms);
                }
                waiting.push(packed);
            }
            if stopped.is_err() {
                break;
            }
            if waiting.len() >= COMMIT_PAGES || committed.elapsed() >= COMMIT_EVERY {
                self.store.put_pages(&waiting, names, &corpus)?;
                waiting.clear();
                committed = Instant::now();
            }
        }
        if !waiting.is_empty() {
            self.store.put_pages(&waiting, names, &corpus)?;
        }
        stopped?;
        Ok(read)
    }

    /// Reads texts; only the first ones of each thread where the work is cancelled meanwhile, so that a stop waits for one
    /// text.
    fn read(&self, versions: &[usize], cx: &JobCx) -> anyhow::Result<Vec<(AnalysedPage, PackedPage)>> {
        let some = |versions: &[usize]| {
            let mut pages = self.index.pages()?;
            let mut one = |version: &usize| {
                let version = *version as u64;
                let page = pages.page(version)?.unwrap_or_default();
                let language = page.stem_language();
                let stem = |word: &str| stem_term(language, word);
                let names = page_names(&page.main, self.gazetteer);
                let page = AnalysedPage { version, names, terms: page_terms(&page.main, language, &stem) };
                let packed = page.pack();
                Ok((page, packed))
            };
            versions.iter().take_while(|_| !cx.is_cancelled()).map(&mut one).collect::<Result<Vec<_>, TextIndexError>>()
        };
        let read = versions.par_chunks(READ_TOGETHER).map(some).collect::<Result<Vec<_>, TextIndexError>>()?;
        Ok(read.into_iter().flatten().collect())
    }
}
