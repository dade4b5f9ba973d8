//! Reads an export back and holds everything in it together.

use super::attachments::attachments_are_whole;
use super::bag::{bag_is_whole, is_of_bag};
use super::knowledge::{KNOWLEDGE_NAME, KnowledgeRead, is_knowledge};
use super::manifest::{LOCK_NAME, MANIFEST_NAME, Manifest, ManifestFile, measure};
use super::write::{INDEX_NAME, INLINKS_NAME, METADATA_KIND};
use super::{ExportError, io_at, no_temporary};
use crate::inlinks::DatasetObject;
use crate::jobs::{JobCx, counted};
use crate::uri::{CaptureDate, DatasetKey, Url};
use crate::warc::cdx::{IndexLine, indexed_url};
use crate::warc::wacz::stays_inside;
use crate::warc::{ArchiveReader, Problem, ProblemKind, RecordHead, RecordProof, RecordType, metadata_target};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Faults named in the detail of a check; further ones are counted.
const MAX_NAMED: usize = 5;

/// One thing that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyCheck {
    /// What, in words.
    pub what: String,
    /// Whether it holds.
    pub ok: bool,
    /// Figures, or what is wrong and where.
    pub detail: String,
}

/// A check in the making.
#[derive(Default)]
pub(super) struct Faults {
    named: Vec<String>,
    count: u64,
}

impl Faults {
    pub(super) fn add(&mut self, fault: impl Into<String>) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(fault.into());
        }
    }

    pub(super) fn into_check(self, what: &str, figures: String) -> VerifyCheck {
        let ok = self.count == 0;
        let mut detail = figures;
        if !ok {
            detail = format!("{detail}; {} wrong: {}", self.count, self.named.join("; "));
            if self.count > self.named.len() as u64 {
                detail.push_str(" …");
            }
        }
        VerifyCheck { what: what.to_owned(), ok, detail }
    }
}

/// What is remembered of the records while they are read.
#[derive(Default)]
struct Contents {
    knowledge: KnowledgeRead,
    records: u64,
    captures: u64,
    ids: HashSet<String>,
    /// Captures by file name and offset: URL and 14-digit date.
    places: HashMap<(String, u64), (String, String)>,
    /// Ids of `warcinfo` records.
    warcinfos: HashSet<String>,
    /// Ids of `warcinfo` records that records name, and a place of each.
    named_warcinfos: BTreeMap<String, String>,
    /// Metadata record and the record it is about.
    references: Vec<(String, String)>,
    metadata_faults: Faults,
    /// Inlinks by the metadata records, by key of the page and second of the capture.
    inlinks: HashMap<(String, String), Vec<InlinkList>>,
    structure: Faults,
    digests: Faults,
    digests_checked: u64,
}

/// Verifies the export in `folder`.
///
/// # Errors
///
/// When the folder is no export, cannot be read, or the work was stopped.
/// What does not hold is no error but a check that is not `ok`.
pub fn verify(folder: &Path, cx: &JobCx) -> Result<Vec<VerifyCheck>, ExportError> {
    let manifest = Manifest::read(folder)?;
    let mut checks = vec![files_are_those_of(&manifest, folder, cx)?];

    let archive = manifest.payload("archive/");
    let archives = manifest.files.iter().filter(|file| file.path.starts_with(&archive) && stays_inside(&file.path));
    let total = archives.clone().map(|file| file.bytes).sum();
    cx.stage("Reading records", Some(total));
    let mut contents = Contents::default();
    let mut done = 0;
    for ManifestFile { path, .. } in archives {
        cx.note(path.as_str());
        done += read_records(&folder.join(path), path, done, &mut contents, cx)?;
    }

    let counts = &manifest.counts;
    checks.push(contents.structure.into_check("Every record can be read", counted(contents.records, "record")));
    checks.push(
        contents.digests.into_check(
            "Block and payload digests",
            format!("{} checked", counted(contents.digests_checked, "record")),
        ),
    );
    let mut faults = Faults::default();
    if contents.records != counts.records {
        faults.add(format!("the manifest says {}", counted(counts.records, "record")));
    }
    if contents.references.len() as u64 != counts.metadata {
        faults.add(format!(
            "the manifest says {} metadata records, {} are there",
            counts.metadata,
            contents.references.len()
        ));
    }
    if contents.captures < counts.captures {
        faults.add(format!("the manifest says {}", counted(counts.captures, "capture")));
    }
    checks.push(faults.into_check(
        "Counts are those of the manifest",
        format!("{}, {}", counted(contents.captures, "capture"), counted(contents.records, "record")),
    ));

    let mut faults = contents.metadata_faults;
    for (metadata, about) in &contents.references {
        if !contents.ids.contains(about) {
            faults.add(format!("{metadata} is about {about}, which is not here"));
        }
    }
    let figures = format!("{} metadata records", contents.references.len());
    checks.push(faults.into_check("Metadata belongs to records that are here", figures));
    let mut faults = Faults::default();
    for (id, place) in contents.named_warcinfos.iter().filter(|(id, _)| !contents.warcinfos.contains(*id)) {
        faults.add(format!("{place}: names the warcinfo record {id}, which is not here"));
    }
    checks.push(faults.into_check(
        "Warcinfo records that records name are here",
        format!("{} named", counted(contents.named_warcinfos.len() as u64, "record")),
    ));
    let index = folder.join(manifest.payload(INDEX_NAME));
    checks.push(index_is_right(&index, &contents.places, counts.index_lines, cx)?);
    let inlinks = manifest.payload(INLINKS_NAME);
    if manifest.files.iter().any(|file| file.path == inlinks) {
        let inlinks = folder.join(inlinks);
        checks.push(inlinks_are_those_of_records(&inlinks, contents.inlinks, counts.inlink_objects, cx)?);
    }
    let knowledge = manifest.payload(KNOWLEDGE_NAME);
    let has_graph = manifest.files.iter().any(|file| file.path == knowledge);
    if has_graph || !contents.knowledge.is_empty() {
        let path = has_graph.then(|| folder.join(&knowledge));
        let is_here = |id: &str| contents.ids.contains(id);
        checks.push(contents.knowledge.into_check(path.as_deref(), counts.metadata, is_here, cx)?);
    }
    if manifest.version >= 2 {
        checks.push(attachments_are_whole(&manifest, folder, cx)?);
        checks.push(bag_is_whole(&manifest, folder));
    }
    Ok(checks)
}

/// The manifest of a folder that shall be read back; none where it is no export.
/// Its files are those of the manifest, byte for byte, and nothing else lies
/// where an import looks for archive files, campaigns and decisions.
///
/// # Errors
///
/// What of it is not there or another, before any of it is taken in.
pub fn check_handover(folder: &Path, cx: &JobCx) -> Result<Option<Manifest>, ExportError> {
    if !folder.join(MANIFEST_NAME).is_file() {
        return Ok(None);
    }
    let not = |why: String| ExportError::NotAnExport { folder: folder.to_owned(), why };
    let manifest = match Manifest::read(folder) {
        Ok(manifest) => manifest,
        // Packages of others have a file of this name, too.
        Err(ExportError::NotAnExport { why, .. }) if !why.contains("version") => return Ok(None),
        Err(error) => return Err(error),
    };
    cx.stage("Checking the handover", Some(manifest.files.iter().map(|file| file.bytes).sum()));
    let fails = |path: &str, why: &str| not(format!("{path}: {why}; fonds verify names all that is wrong"));
    // Names and sizes first: they are known at once.
    for file in &manifest.files {
        if !stays_inside(&file.path) {
            return Err(fails(&file.path, "it leads out of the folder"));
        }
        let meta = fs::symlink_metadata(folder.join(&file.path));
        let meta = meta.map_err(|error| fails(&file.path, &error.to_string()))?;
        if !meta.is_file() || meta.len() != file.bytes {
            return Err(fails(&file.path, "it is not the file that the manifest lists"));
        }
    }
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let taken = [manifest.payload("archive/"), manifest.payload("campaign/"), manifest.payload("decisions.jsonl")];
    for path in files_below(folder)? {
        if taken.iter().any(|prefix| path.starts_with(prefix)) && !listed.contains(path.as_str()) {
            return Err(fails(&path, "the manifest does not list it"));
        }
    }
    for file in &manifest.files {
        if measure(&folder.join(&file.path), |piece| Ok(cx.advance(piece)?))?.1 != file.sha256 {
            return Err(fails(&file.path, "its bytes are others than the manifest lists"));
        }
    }
    Ok(Some(manifest))
}

/// The files of the folder are those of the manifest, byte for byte.
fn files_are_those_of(manifest: &Manifest, folder: &Path, cx: &JobCx) -> Result<VerifyCheck, ExportError> {
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    cx.stage("Measuring files", Some(bytes));
    let mut faults = Faults::default();
    let mut listed = BTreeSet::new();
    for file in &manifest.files {
        listed.insert(file.path.as_str());
        if !stays_inside(&file.path) {
            faults.add(format!("{}: leads out of the folder", file.path));
            continue;
        }
        match measure(&folder.join(&file.path), |piece| Ok(cx.advance(piece)?)) {
            Ok((bytes, _)) if bytes != file.bytes => {
                faults.add(format!("{}: {bytes} bytes instead of {}", file.path, file.bytes));
            }
            Ok((_, sha256)) if sha256 != file.sha256 => faults.add(format!("{}: SHA-256 differs", file.path)),
            Ok(_) => {}
            Err(ExportError::Io { source, .. }) => faults.add(format!("{}: {source}", file.path)),
            Err(error) => return Err(error),
        }
    }
    for path in files_below(folder)? {
        // The lock file may stay behind where an export was killed at its very end.
        let is_apart = path == MANIFEST_NAME || path == LOCK_NAME || manifest.version >= 2 && is_of_bag(&path);
        if !listed.contains(path.as_str()) && !is_apart {
            faults.add(format!("{path}: not in the manifest"));
        }
    }
    Ok(faults.into_check(
        "Files are those of the manifest",
        format!("{}, {}", counted(manifest.files.len() as u64, "file"), counted(bytes, "byte")),
    ))
}

/// Reads one archive file; returns its size.
fn read_records(path: &Path, name: &str, done: u64, contents: &mut Contents, cx: &JobCx) -> Result<u64, ExportError> {
    let file_name = name.rsplit('/').next().unwrap_or(name);
    let at = |offset: u64, why: &str| format!("{file_name}, offset {offset}: {why}");
    let mut reader = match ArchiveReader::open(path) {
        Ok(reader) => reader,
        Err(error) => {
            contents.structure.add(error.to_string());
            return Ok(0);
        }
    };
    loop {
        let head = match reader.next_head() {
            Ok(Some(head)) => head,
            Ok(None) => break,
            Err(error) => {
                contents.structure.add(error.to_string());
                break;
            }
        };
        let mut proof = RecordProof::new(&head);
        let is_metadata = is_export_metadata(&head);
        let mut json = Vec::new();
        let mut quads = is_knowledge(&head).then(|| contents.knowledge.record());
        loop {
            let chunk = reader.fill_buf().map_err(io_at(path))?;
            if chunk.is_empty() {
                break;
            }
            proof.update(chunk);
            if is_metadata {
                json.extend_from_slice(chunk);
            }
            if let Some(quads) = &mut quads {
                quads.update(chunk).map_err(no_temporary)?;
            }
            let len = chunk.len();
            reader.consume(len);
        }
        let Some(span) = reader.finish_record()? else { continue };
        if let Some(quads) = quads {
            quads.end(&head, &format!("{file_name}, offset {}", span.decoded_offset()));
        }
        contents.records += 1;
        contents.digests_checked += u64::from(proof.has_digests());
        for wrong in proof.finish() {
            contents.digests.add(at(span.decoded_offset(), &wrong));
        }
        let id = head.record_id().unwrap_or_default();
        if is_metadata {
            match serde_json::from_slice::<Knowledge>(&json) {
                Err(_) => {
                    contents.metadata_faults.add(at(span.decoded_offset(), "the metadata is not the JSON of an export"))
                }
                Ok(Knowledge { inlinks: Some(inlinks) }) if inlinks.count > 0 => {
                    let url = head.target_uri().unwrap_or_default().to_string();
                    let key = Url::parse(&url).map(|url| DatasetKey::of(&url).as_str().to_owned()).unwrap_or(url);
                    let date = head.date().map(CaptureDate::to_digits14).unwrap_or_default();
                    contents.inlinks.entry((key, date)).or_default().push(inlinks.into());
                }
                Ok(_) => {}
            }
            let about = head.headers.get("WARC-Refers-To").unwrap_or_default();
            contents.references.push((id.clone(), about.trim_matches(['<', '>']).to_owned()));
        }
        if let (Some(url), Some(date)) = (indexed_url(&head), head.date()) {
            contents.captures += u64::from(head.record_type.is_capture());
            contents.places.insert((file_name.to_owned(), span.offset), (url, date.to_digits14()));
        }
        if let Some(named) = head.headers.get("WARC-Warcinfo-ID") {
            let named = named.trim().trim_matches(['<', '>']).to_owned();
            contents
                .named_warcinfos
                .entry(named)
                .or_insert_with(|| format!("{file_name}, offset {}", span.decoded_offset()));
        }
        if head.record_type == RecordType::Warcinfo {
            contents.warcinfos.insert(id.clone());
        }
        if !id.is_empty() && !contents.ids.insert(id) {
            contents.structure.add(at(span.decoded_offset(), "the record id stands twice"));
        }
        cx.set_done(done + reader.file_offset());
        cx.checkpoint()?;
    }
    // Odd fields are what other writers made of them; damage is ours.
    let is_damage = |problem: &Problem| problem.kind != ProblemKind::BadField;
    for problem in reader.take_problems().iter().filter(|problem| is_damage(problem)) {
        contents.structure.add(format!("{file_name}, {problem}"));
    }
    Ok(reader.file_offset())
}

/// Every line of the index leads to the record it tells of.
fn index_is_right(
    path: &Path,
    places: &HashMap<(String, u64), (String, String)>,
    lines_told: u64,
    cx: &JobCx,
) -> Result<VerifyCheck, ExportError> {
    let mut faults = Faults::default();
    let mut lines = 0;
    let mut last = String::new();
    for_each_line(path, &mut faults, cx, |line, faults| {
        lines += 1;
        if line < last.as_str() {
            faults.add(format!("line {lines} is out of order"));
        }
        last.clear();
        last.push_str(line);
        match IndexLine::parse(line) {
            Err(error) => faults.add(format!("line {lines}: {error}")),
            Ok(entry) => match places.get(&(entry.filename.clone(), entry.span.offset)) {
                None => {
                    faults.add(format!("line {lines}: no record at {}, offset {}", entry.filename, entry.span.offset))
                }
                Some((url, date)) => {
                    if *url != entry.url || *date != entry.date.to_digits14() {
                        faults.add(format!("line {lines}: another record stands at offset {}", entry.span.offset));
                    }
                }
            },
        }
    })?;
    if lines != lines_told {
        faults.add(format!("the manifest says {}", counted(lines_told, "line")));
    }
    Ok(faults.into_check("The CDXJ index leads to its records", counted(lines, "line")))
}

/// What a metadata record says of inlinks.
#[derive(Deserialize)]
struct Knowledge {
    inlinks: Option<KnownInlinks>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KnownInlinks {
    count: u64,
    count_internal: u64,
    count_external: u64,
    list: Vec<KnownInlink>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KnownInlink {
    date: String,
    source: String,
    source_key: Option<String>,
    anchor: String,
}

/// Counts of a list of inlinks, in all and of both sides, and a digest of its
/// entries in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InlinkList {
    counts: (u64, u64, u64),
    entries: u64,
}

impl InlinkList {
    fn new<'a>(counts: (u64, u64, u64), entries: impl Iterator<Item = (String, &'a str, &'a str)>) -> Self {
        let digest = |entry: (String, &str, &str)| {
            let mut hasher = DefaultHasher::new();
            entry.hash(&mut hasher);
            hasher.finish()
        };
        Self { counts, entries: entries.map(digest).fold(0, u64::wrapping_add) }
    }
}

impl From<KnownInlinks> for InlinkList {
    fn from(known: KnownInlinks) -> Self {
        let entries = known.list.iter().map(|link| {
            let second = CaptureDate::parse(&link.date).map(CaptureDate::to_digits14).unwrap_or_default();
            (second, link.source_key.as_deref().unwrap_or(&link.source), link.anchor.as_str())
        });
        Self::new((known.count, known.count_internal, known.count_external), entries)
    }
}

impl From<&DatasetObject> for InlinkList {
    fn from(object: &DatasetObject) -> Self {
        let entries = object.inlinks.iter().map(|link| {
            let second = link.date.map(CaptureDate::to_digits14).unwrap_or_default();
            (second, link.source.as_str(), link.anchor.as_str())
        });
        Self::new((object.count, object.count_internal, object.count_external), entries)
    }
}

/// What the data set lists of a capture is what its metadata record lists.
fn inlinks_are_those_of_records(
    path: &Path,
    mut by_records: HashMap<(String, String), Vec<InlinkList>>,
    objects_told: u64,
    cx: &JobCx,
) -> Result<VerifyCheck, ExportError> {
    let mut faults = Faults::default();
    let mut lines = 0;
    for_each_line(path, &mut faults, cx, |line, faults| {
        lines += 1;
        let object = match DatasetObject::read_line(line) {
            Ok(object) => object,
            Err(error) => return faults.add(format!("line {lines}: {error}")),
        };
        let date = object.capture_date.map(CaptureDate::to_digits14).unwrap_or_default();
        let place = (object.url.clone(), date);
        let list = InlinkList::from(&object);
        let Some(lists) = by_records.get_mut(&place) else {
            return faults.add(format!("line {lines}: no metadata record of {} {} lists inlinks", place.0, place.1));
        };
        match lists.iter().position(|known| *known == list) {
            Some(found) => drop(lists.swap_remove(found)),
            None => {
                let by_record = lists.pop().map_or(0, |known| known.counts.0);
                faults.add(format!(
                    "line {lines}: {} inlinks of {} {}, and its metadata record has {by_record}{}",
                    object.count,
                    place.0,
                    place.1,
                    if by_record == object.count { " others" } else { "" }
                ));
            }
        }
        if lists.is_empty() {
            by_records.remove(&place);
        }
    })?;
    let mut left: Vec<_> = by_records.into_iter().collect();
    left.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    for ((key, date), lists) in left {
        let count = lists.first().map_or(0, |list| list.counts.0);
        faults.add(format!("{count} inlinks of {key} {date} are in its metadata record alone"));
    }
    if lines != objects_told {
        faults.add(format!("the manifest says {objects_told} objects"));
    }
    Ok(faults.into_check("The inlink data set lists what the metadata records list", format!("{lines} objects")))
}

fn for_each_line(
    path: &Path,
    faults: &mut Faults,
    cx: &JobCx,
    mut each: impl FnMut(&str, &mut Faults),
) -> Result<(), ExportError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => {
            faults.add(format!("{}: {error}", path.display()));
            return Ok(());
        }
    };
    for line in BufReader::new(file).lines() {
        match line {
            Ok(line) => each(&line, faults),
            Err(error) => {
                faults.add(format!("{}: {error}", path.display()));
                break;
            }
        }
        cx.checkpoint()?;
    }
    Ok(())
}

/// Whether this is the metadata record that the export writes per capture.
pub(super) fn is_export_metadata(head: &RecordHead) -> bool {
    let prefix = metadata_target(METADATA_KIND, "");
    head.record_type == RecordType::Metadata
        && head.headers.get("WARC-Target-URI").is_some_and(|target| target.starts_with(&prefix))
}

/// All files below a folder as paths with `/`, sorted.
pub(super) fn files_below(folder: &Path) -> Result<Vec<String>, ExportError> {
    let mut found = Vec::new();
    let mut folders: Vec<(PathBuf, String)> = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(io_at(&folder))? {
            let entry = entry.map_err(io_at(&folder))?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(io_at(&folder))?.is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}
