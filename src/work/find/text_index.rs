//! The text index of a workspace: made, followed up, compared with the catalogue.

use super::near_duplicates::{IndexChange, follow_near_duplicates};
use super::record_content::read_record;
use super::stored_pages::facts_of;
use crate::analysis::url_text;
use crate::captures::PageFacts;
use crate::captures::limits::TEXT_BYTES;
use crate::jobs::{JobCx, counted};
use crate::search::{
    IndexBuilder, IndexMark, NearFile, StoredPage, TextDocument, TextIndex, TextIndexError, anchor_stamp,
};
use crate::store::{AnchorTexts, Catalogue, VersionToIndex, Workspace};
use crate::text::words;
use crate::work::Report;
use crate::work::models::CaptureId;
use anyhow::Context;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Captures that are looked through in one step: their texts are in memory together.
const BATCH: u64 = 128;
/// Versions between two commits, at most.
const COMMIT_VERSIONS: u64 = 5_000;
/// Time between two commits, at most.
const COMMIT_EVERY: Duration = Duration::from_secs(30);
/// Replaced pages, which take room in the file of pages, below which an index is never made again for that.
const FEWEST_REPLACED: u64 = 10_000;
/// Unreadable captures that are named one by one; all are counted.
const MOST_NAMED: usize = 20;

/// The outcome of indexing.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TextIndexReport {
    /// Captures that came since the last time.
    pub captures: u64,
    /// Content versions that were indexed for them.
    pub indexed: u64,
    /// Versions taken out, whose captures are gone.
    pub removed: u64,
    /// Versions indexed again since other sites link to them with other words, or do so no more.
    pub renewed: u64,
    /// Versions in the index now.
    pub versions: u64,
    /// Those of them that are near-duplicates of an older one.
    pub near_duplicates: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Why the index was made from scratch; empty where it was not.
    pub rebuilt: String,
    /// Captures whose record could not be read; they are found by URL and title alone.
    pub unread: u64,
    /// The first of these, with why.
    pub unread_captures: Vec<String>,
    /// Captures with more text than is searched and scored, which is [`TEXT_BYTES`].
    pub cut: u64,
    /// The first of these, by URL.
    pub cut_captures: Vec<String>,
}

impl Report for TextIndexReport {
    fn summary(&self) -> String {
        let mut line = format!(
            "{} indexed of {}; {} in the index, {} bytes",
            counted(self.indexed, "text"),
            counted(self.captures, "new capture"),
            counted(self.versions, "text"),
            self.bytes
        );
        if self.removed > 0 {
            line.push_str(&format!("; {} removed", self.removed));
        }
        if self.renewed > 0 {
            line.push_str(&format!("; anchors of {} renewed", counted(self.renewed, "text")));
        }
        if self.near_duplicates > 0 {
            line.push_str(&format!("; {}", counted(self.near_duplicates, "near-duplicate")));
        }
        if !self.rebuilt.is_empty() {
            line.push_str(&format!("; built from scratch: {}", self.rebuilt));
        }
        if self.unread > 0 {
            line.push_str(&format!("; {} could not be read", counted(self.unread, "capture")));
        }
        if self.cut > 0 {
            let (captures, limit) = (counted(self.cut, "capture"), TEXT_BYTES >> 20);
            line.push_str(&format!("; of {captures} only the first {limit} MiB of text are searched and scored"));
        }
        line
    }
}

/// The differences between index and catalogue.
#[derive(Debug, Clone, Default, Serialize)]
pub struct IndexCheck {
    /// Versions in the index.
    pub versions: u64,
    /// Captures that are not indexed yet.
    pub waiting: u64,
    /// Versions of the catalogue that should be in the index and are not.
    pub missing: Vec<u64>,
    /// Versions in the index that the catalogue does not have.
    pub surplus: Vec<u64>,
    /// Versions in the index with other anchors than the inlinks have now.
    pub anchors: Vec<u64>,
    /// Inlinks were built or removed since: a follow-up brings these anchors.
    pub anchors_wait: bool,
    /// Files of the index with other bytes than were written.
    pub damaged: Vec<String>,
}

impl IndexCheck {
    /// Whether nothing but anchors differs, which a follow-up brings.
    pub fn is_behind(&self) -> bool {
        self.anchors_wait && !self.is_fine() && Self { anchors: Vec::new(), ..self.clone() }.is_fine()
    }

    /// Whether index and catalogue agree.
    pub fn is_fine(&self) -> bool {
        [&self.missing, &self.surplus, &self.anchors].iter().all(|some| some.is_empty()) && self.damaged.is_empty()
    }
}

/// The folder of a workspace's text index.
pub fn index_folder(workspace: &Workspace) -> PathBuf {
    workspace.folder().join("index")
}

/// Indexes what came since the last time, or everything where there is no
/// index that can be followed up, or where it is to be `from_scratch`. A stop
/// or a kill loses nothing that was committed.
///
/// # Errors
///
/// A catalogue, files or an index that cannot be read or written, or `Cancelled`.
pub fn index_texts(workspace: &Workspace, from_scratch: bool, cx: &JobCx) -> anyhow::Result<TextIndexReport> {
    let folder = workspace.own_folder("index")?;
    crate::jobs::make_private_folder(&folder).with_context(|| folder.display().to_string())?;
    let mut report = TextIndexReport::default();
    let follow_up = |report: &mut TextIndexReport| Indexing::open(workspace, folder.clone())?.run(report, cx);
    let why = match from_scratch {
        true => "on request".to_owned(),
        false => match why_from_scratch(workspace)? {
            Some(why) => why,
            None => match follow_up(&mut report) {
                Err(error) if is_damage(&error) => crate::work::error_chain(&error),
                done => return done.map(|()| report),
            },
        },
    };
    // What cannot be followed up goes as a whole: it is made again from the archive files.
    std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    crate::jobs::make_private_folder(&folder).with_context(|| folder.display().to_string())?;
    report = TextIndexReport { rebuilt: why, ..TextIndexReport::default() };
    follow_up(&mut report)?;
    Ok(report)
}

fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<TextIndexError>().is_some_and(TextIndexError::is_outdated))
}

/// Why an index that is there cannot be followed up; none also where there is none.
fn why_from_scratch(workspace: &Workspace) -> anyhow::Result<Option<String>> {
    let index = match TextIndex::open(&index_folder(workspace)) {
        Ok(index) => index,
        Err(TextIndexError::Absent(_)) => return Ok(None),
        Err(error) if error.is_outdated() => return Ok(Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let Some(mark) = index.mark()? else { return Ok((index.documents() > 0).then(|| "it has no mark".to_owned())) };
    if mark.format != crate::search::INDEX_FORMAT {
        return Ok(Some("another version of the program made it".to_owned()));
    }
    if mark.site_kinds != workspace.site_kinds()?.digest() {
        return Ok(Some("the kinds of sites have other signs than before".to_owned()));
    }
    if mark.replaced > index.documents().max(FEWEST_REPLACED) {
        return Ok(Some("most pages in its file were replaced".to_owned()));
    }
    let is_other = is_of_other_catalogue(workspace.catalogue(), &index, &mark)?;
    Ok(is_other.then(|| OTHER_CATALOGUE.to_owned()))
}

const OTHER_CATALOGUE: &str = "it is of another catalogue, as after a backup was put back";

/// Opens the index of a catalogue. One of another catalogue, whose numbers mean other captures, is outdated.
///
/// # Errors
///
/// [`TextIndexError`], and a catalogue that cannot be read.
pub(in crate::work) fn open_index(catalogue: &Catalogue, folder: &Path) -> anyhow::Result<TextIndex> {
    let index = TextIndex::open(folder)?;
    let mark = index.mark()?.unwrap_or_default();
    if is_of_other_catalogue(catalogue, &index, &mark)? {
        let (folder, why) = (folder.to_owned(), OTHER_CATALOGUE.to_owned());
        return Err(TextIndexError::Outdated { folder, why }.into());
    }
    Ok(index)
}

fn is_of_other_catalogue(catalogue: &Catalogue, index: &TextIndex, mark: &IndexMark) -> Result<bool, anyhow::Error> {
    let is_other = catalogue.is_other(CaptureId::new(mark.through), mark.lost, |stamp| stamp == mark.last)?;
    // Numbers of versions are those of captures: higher ones would only cost memory.
    let highest = u64::try_from(mark.through.max(catalogue.newest_capture()?.get())).unwrap_or_default();
    Ok(is_other || index.highest_version()? > highest.saturating_mul(2).saturating_add(1 << 20))
}

/// Compares the index with the catalogue and its files with their checksums.
///
/// # Errors
///
/// A catalogue or index that cannot be read.
pub fn check_index(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<IndexCheck> {
    cx.stage("Comparing index and catalogue", None);
    let index = open_index(workspace.catalogue(), &index_folder(workspace))?;
    let mark = index.mark()?.unwrap_or_default();
    let there = index.versions()?;
    let mut check = IndexCheck { versions: index.documents(), ..IndexCheck::default() };
    check.waiting = workspace.catalogue().captures_behind(CaptureId::new(mark.through))?;
    let expected: HashSet<u64> = numbers(workspace.catalogue().versions_up_to(CaptureId::new(mark.through))?).collect();
    check.missing = expected.iter().filter(|version| !there.contains(**version as usize)).copied().collect();
    check.surplus = there.ones().map(|version| version as u64).filter(|version| !expected.contains(version)).collect();
    check.missing.sort_unstable();
    check.surplus.sort_unstable();
    cx.checkpoint()?;
    let texts = workspace.anchor_texts()?;
    check.anchors_wait = texts.stamp() != mark.links;
    check.anchors = other_anchors(workspace, &index, &texts, cx)?;
    // Those that are gone are listed above.
    check.anchors.retain(|version| check.surplus.binary_search(version).is_err());
    let damaged = index.damaged_files()?.into_iter().chain(NearFile::damaged(&index_folder(workspace)));
    check.damaged = damaged.map(|file| file.display().to_string()).collect();
    Ok(check)
}

fn numbers(versions: Vec<VersionToIndex>) -> impl Iterator<Item = u64> {
    versions.into_iter().map(|version| version.version.unsigned_abs())
}

/// Versions of an index with other anchors than inlinks have, in order. Memory
/// holds two numbers of each version that other sites call something.
fn other_anchors(
    workspace: &Workspace,
    index: &TextIndex,
    texts: &AnchorTexts,
    cx: &JobCx,
) -> anyhow::Result<Vec<u64>> {
    let mut now = Vec::new();
    texts.each(workspace.catalogue(), cx, |versions, anchors| {
        let stamp = anchor_stamp(anchors);
        now.extend(versions.iter().map(|version| (version.unsigned_abs(), stamp)));
    })?;
    now.sort_unstable();
    let mut other = Vec::new();
    index.each_anchor_stamp(|version, stamp| {
        let found = now.binary_search_by_key(&version, |(version, _)| *version).ok().and_then(|at| now.get(at));
        if found.map_or(0, |(_, stamp)| *stamp) != stamp {
            other.push(version);
        }
    })?;
    other.sort_unstable();
    Ok(other)
}

/// One run over the captures.
struct Indexing<'w> {
    workspace: &'w Workspace,
    /// The inlinks of the whole run, whatever is built meanwhile.
    texts: AnchorTexts,
    folder: PathBuf,
    builder: IndexBuilder,
    mark: IndexMark,
    /// Versions that were put in the place of what they were before.
    replaced: HashSet<u64>,
    committed: Instant,
    /// Versions put in since the last commit.
    uncommitted: u64,
}

impl<'w> Indexing<'w> {
    fn open(workspace: &'w Workspace, folder: PathBuf) -> anyhow::Result<Self> {
        let builder = IndexBuilder::open(&folder)?;
        let mut mark = builder.index().mark()?.unwrap_or_default();
        workspace.site_kinds()?.digest().clone_into(&mut mark.site_kinds);
        let (replaced, committed) = (HashSet::new(), Instant::now());
        let texts = workspace.anchor_texts()?;
        Ok(Self { workspace, texts, folder, builder, mark, replaced, committed, uncommitted: 0 })
    }

    fn run(mut self, report: &mut TextIndexReport, cx: &JobCx) -> anyhow::Result<()> {
        let before = self.mark.clone();
        let done = self.follow(report, cx);
        // What was read before a stop is kept.
        if self.uncommitted > 0 {
            self.commit()?;
        }
        let index = self.builder.index();
        (report.versions, report.bytes) = (index.documents(), index.bytes()?);
        let change = IndexChange { before: &before, replaced: &self.replaced, is_complete: done.is_ok() };
        let near = follow_near_duplicates(&self.folder, index, &change, cx);
        self.builder.finish()?;
        done?;
        report.near_duplicates = near?;
        Ok(())
    }

    fn follow(&mut self, report: &mut TextIndexReport, cx: &JobCx) -> anyhow::Result<()> {
        let catalogue = self.workspace.catalogue();
        let lost = catalogue.captures_lost()?;
        if lost != self.mark.lost {
            self.reconcile(report, cx)?;
            self.mark.lost = lost;
            // The last capture that it has may be among them: it goes on behind the last one that is there.
            self.mark.through = self.mark.through.min(catalogue.newest_capture()?.get());
            // What was taken out is not seen below.
            self.commit()?;
        }
        let originals = catalogue.originals_changed()?;
        if originals != self.mark.originals {
            if self.mark.through > 0 {
                self.index_changed_originals(report, cx)?;
            }
            self.mark.originals = originals;
            self.uncommitted += 1;
        }
        let links = self.texts.stamp();
        if links != self.mark.links {
            if self.mark.through > 0 {
                self.renew_anchors(report, cx)?;
            }
            self.mark.links = links;
            self.uncommitted += 1;
        }
        let up_to = catalogue.newest_capture()?;
        cx.stage("Indexing texts", Some(catalogue.captures_behind(CaptureId::new(self.mark.through))?));
        let is_empty = self.mark.through == 0;
        loop {
            let found = catalogue.versions_after(CaptureId::new(self.mark.through), up_to, BATCH)?;
            if found.captures == 0 {
                return Ok(());
            }
            self.index(&found.versions, is_empty, report)?;
            self.mark.through = found.through.get();
            report.captures += found.captures;
            self.uncommitted += 1;
            self.commit_now_and_then()?;
            cx.advance(found.captures)?;
        }
    }

    /// Puts revisits in again whose original has come, or is another one, since they were indexed: they may be of
    /// another content version now.
    fn index_changed_originals(&mut self, report: &mut TextIndexReport, cx: &JobCx) -> anyhow::Result<()> {
        cx.stage("Indexing revisits whose originals have come", None);
        self.reconcile(report, cx)?;
        let changed =
            self.workspace.catalogue().changed_versions(CaptureId::new(self.mark.through), self.mark.originals)?;
        for some in changed.chunks(BATCH as usize) {
            cx.checkpoint()?;
            self.index(some, false, report)?;
        }
        Ok(())
    }

    /// Reads versions and puts them in.
    fn index(&mut self, versions: &[VersionToIndex], is_new: bool, report: &mut TextIndexReport) -> anyhow::Result<()> {
        let (workspace, texts) = (self.workspace, &self.texts);
        let read: Vec<IndexedPage> =
            versions.par_iter().map(|version| document(workspace, texts, *version)).collect::<anyhow::Result<_>>()?;
        for (IndexedPage { document, unread, is_cut }, version) in read.into_iter().zip(versions) {
            // Only a version whose payload came late can be there already.
            match is_new && version.version == version.holder {
                true => self.builder.add(&document)?,
                false => {
                    self.replaced.insert(document.page.version);
                    self.builder.put(&document)?;
                }
            }
            report.indexed += 1;
            self.uncommitted += 1;
            if let Some(why) = unread {
                report.unread += 1;
                if report.unread_captures.len() < MOST_NAMED {
                    report.unread_captures.push(why);
                }
            }
            if let Some(url) = is_cut {
                report.cut += 1;
                if report.cut_captures.len() < MOST_NAMED {
                    report.cut_captures.push(url);
                }
            }
        }
        Ok(())
    }

    /// Takes out what the catalogue lost, and puts in what it has instead.
    fn reconcile(&mut self, report: &mut TextIndexReport, cx: &JobCx) -> anyhow::Result<()> {
        cx.stage("Comparing index and catalogue", None);
        let there = self.builder.index().versions()?;
        let expected = self.workspace.catalogue().versions_up_to(CaptureId::new(self.mark.through))?;
        let known: HashSet<usize> =
            expected.iter().filter_map(|version| usize::try_from(version.version).ok()).collect();
        for gone in there.ones().filter(|version| !known.contains(version)) {
            self.builder.remove(gone as u64);
            report.removed += 1;
        }
        let missing: Vec<VersionToIndex> = expected
            .into_iter()
            .filter(|version| usize::try_from(version.version).is_ok_and(|version| !there.contains(version)))
            .collect();
        for some in missing.chunks(BATCH as usize) {
            cx.checkpoint()?;
            self.index(some, false, report)?;
        }
        Ok(())
    }

    /// Puts versions in again that other sites call by other names than they are indexed with.
    fn renew_anchors(&mut self, report: &mut TextIndexReport, cx: &JobCx) -> anyhow::Result<()> {
        let index = self.builder.index().clone();
        let other = other_anchors(self.workspace, &index, &self.texts, cx)?;
        cx.stage("Renewing anchors", Some(other.len() as u64));
        for version in other {
            cx.advance(1)?;
            let mut pages = index.pages()?;
            let (Some(slot), Some(page)) = (pages.slot(version)?, pages.page(version)?) else { continue };
            let number = CaptureId::try_from(version).unwrap_or(CaptureId::MAX);
            let anchors = self.texts.of(self.workspace.catalogue(), number)?;
            let words = words(&page.main).len() as u64;
            let site_kinds = site_kinds_of(&facts_of(&page));
            self.builder.put(&TextDocument { page, anchors, words, site_kinds, slot: Some(slot) })?;
            report.renewed += 1;
            self.uncommitted += 1;
            self.commit_now_and_then()?;
        }
        Ok(())
    }

    fn commit_now_and_then(&mut self) -> anyhow::Result<()> {
        match self.uncommitted >= COMMIT_VERSIONS || self.committed.elapsed() >= COMMIT_EVERY {
            true => self.commit(),
            false => Ok(()),
        }
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        self.mark.last =
            self.workspace.catalogue().capture_stamp(CaptureId::new(self.mark.through))?.unwrap_or_default();
        self.builder.commit(&self.mark)?;
        (self.committed, self.uncommitted) = (Instant::now(), 0);
        Ok(())
    }
}

/// A version as it is indexed.
#[derive(Default)]
struct IndexedPage {
    document: TextDocument,
    /// Why its record could not be read.
    unread: Option<String>,
    /// Its URL, where there is more text than is searched.
    is_cut: Option<String>,
}

/// Names of the kinds of site that a page is of.
fn site_kinds_of(facts: &PageFacts) -> Vec<String> {
    facts.site_kinds.iter().map(|(kind, _)| kind.clone()).collect()
}

fn document(workspace: &Workspace, texts: &AnchorTexts, of: VersionToIndex) -> anyhow::Result<IndexedPage> {
    let stored = workspace.catalogue().stored_capture(of.holder)?;
    let mut indexed = IndexedPage::default();
    indexed.document.anchors = texts.of(workspace.catalogue(), of.version)?;
    let version = of.version.unsigned_abs();
    match read_record(workspace, &stored) {
        Ok(read) => {
            indexed.is_cut = read.is_text_cut().then(|| stored.url.to_string());
            indexed.document.page = read.into_page(version, &stored);
            let facts = facts_of(&indexed.document.page);
            indexed.document.words = facts.main_words;
            indexed.document.site_kinds = site_kinds_of(&facts);
        }
        Err(error) => {
            indexed.document.page = StoredPage {
                version,
                title: stored.title.clone(),
                url: url_text(stored.url.as_str()),
                language: stored.language.clone(),
                ..StoredPage::default()
            };
            indexed.unread = Some(format!("{}: {}", stored.url, crate::work::error_chain(&error)));
        }
    }
    Ok(indexed)
}
