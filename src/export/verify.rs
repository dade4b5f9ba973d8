//! Reads an export back and holds everything in it together.

use super::manifest::{LOCK_NAME, MANIFEST_NAME, Manifest, measure};
use super::write::METADATA_KIND;
use super::{ExportError, io_at};
use crate::jobs::{JobCx, counted};
use crate::warc::cdx::{IndexLine, indexed_url};
use crate::warc::wacz::stays_inside;
use crate::warc::{ArchiveReader, Problem, ProblemKind, RecordHead, RecordProof, RecordType, metadata_target};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
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
struct Faults {
    named: Vec<String>,
    count: u64,
}

impl Faults {
    fn add(&mut self, fault: impl Into<String>) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(fault.into());
        }
    }

    fn into_check(self, what: &str, figures: String) -> VerifyCheck {
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
struct Held {
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

    let archives: Vec<&str> = manifest
        .files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.starts_with("archive/") && stays_inside(path))
        .collect();
    let total = manifest.files.iter().filter(|file| file.path.starts_with("archive/")).map(|file| file.bytes).sum();
    cx.stage("Reading records", Some(total));
    let mut held = Held::default();
    let mut done = 0;
    for path in archives {
        cx.note(path);
        done += read_records(&folder.join(path), path, done, &mut held, cx)?;
    }

    let counts = &manifest.counts;
    checks.push(held.structure.into_check("Every record can be read", counted(held.records, "record")));
    checks.push(
        held.digests
            .into_check("Block and payload digests", format!("{} checked", counted(held.digests_checked, "record"))),
    );
    let mut faults = Faults::default();
    if held.records != counts.records {
        faults.add(format!("the manifest says {}", counted(counts.records, "record")));
    }
    if held.references.len() as u64 != counts.metadata {
        faults.add(format!(
            "the manifest says {} metadata records, {} are there",
            counts.metadata,
            held.references.len()
        ));
    }
    if held.captures < counts.captures {
        faults.add(format!("the manifest says {}", counted(counts.captures, "capture")));
    }
    checks.push(faults.into_check(
        "Counts are those of the manifest",
        format!("{}, {}", counted(held.captures, "capture"), counted(held.records, "record")),
    ));

    let mut faults = held.metadata_faults;
    for (metadata, about) in &held.references {
        if !held.ids.contains(about) {
            faults.add(format!("{metadata} is about {about}, which is not here"));
        }
    }
    let figures = format!("{} metadata records", held.references.len());
    checks.push(faults.into_check("Metadata belongs to records that are here", figures));
    let mut faults = Faults::default();
    for (id, place) in held.named_warcinfos.iter().filter(|(id, _)| !held.warcinfos.contains(*id)) {
        faults.add(format!("{place}: names the warcinfo record {id}, which is not here"));
    }
    checks.push(faults.into_check(
        "Warcinfo records that records name are here",
        format!("{} named", counted(held.named_warcinfos.len() as u64, "record")),
    ));
    checks.push(index_is_right(folder, &held.places, counts.index_lines, cx)?);
    if manifest.files.iter().any(|file| file.path == "inlinks.jsonl") {
        checks.push(inlinks_are_json(folder, counts.inlink_objects, cx)?);
    }
    Ok(checks)
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
        if !listed.contains(path.as_str()) && path != MANIFEST_NAME && path != LOCK_NAME {
            faults.add(format!("{path}: not in the manifest"));
        }
    }
    Ok(faults.into_check(
        "Files are those of the manifest",
        format!("{}, {}", counted(manifest.files.len() as u64, "file"), counted(bytes, "byte")),
    ))
}

/// Reads one archive file; returns its size.
fn read_records(path: &Path, name: &str, done: u64, held: &mut Held, cx: &JobCx) -> Result<u64, ExportError> {
    let file_name = name.rsplit('/').next().unwrap_or(name);
    let at = |offset: u64, why: &str| format!("{file_name}, offset {offset}: {why}");
    let mut reader = match ArchiveReader::open(path) {
        Ok(reader) => reader,
        Err(error) => {
            held.structure.add(error.to_string());
            return Ok(0);
        }
    };
    loop {
        let head = match reader.next_head() {
            Ok(Some(head)) => head,
            Ok(None) => break,
            Err(error) => {
                held.structure.add(error.to_string());
                break;
            }
        };
        let mut proof = RecordProof::new(&head);
        let is_metadata = is_export_metadata(&head);
        let mut json = Vec::new();
        loop {
            let chunk = reader.fill_buf().map_err(io_at(path))?;
            if chunk.is_empty() {
                break;
            }
            proof.update(chunk);
            if is_metadata {
                json.extend_from_slice(chunk);
            }
            let len = chunk.len();
            reader.consume(len);
        }
        let Some(span) = reader.finish_record()? else { continue };
        held.records += 1;
        held.digests_checked += u64::from(proof.has_digests());
        for wrong in proof.finish() {
            held.digests.add(at(span.decoded_offset(), &wrong));
        }
        let id = head.record_id().unwrap_or_default();
        if is_metadata {
            if serde_json::from_slice::<serde::de::IgnoredAny>(&json).is_err() {
                held.metadata_faults.add(at(span.decoded_offset(), "the metadata is no JSON"));
            }
            let about = head.headers.get("WARC-Refers-To").unwrap_or_default();
            held.references.push((id.clone(), about.trim_matches(['<', '>']).to_owned()));
        }
        if let (Some(url), Some(date)) = (indexed_url(&head), head.date()) {
            held.captures += u64::from(is_capture(&head));
            held.places.insert((file_name.to_owned(), span.offset), (url, date.to_digits14()));
        }
        if let Some(named) = head.headers.get("WARC-Warcinfo-ID") {
            let named = named.trim().trim_matches(['<', '>']).to_owned();
            held.named_warcinfos
                .entry(named)
                .or_insert_with(|| format!("{file_name}, offset {}", span.decoded_offset()));
        }
        if head.record_type == RecordType::Warcinfo {
            held.warcinfos.insert(id.clone());
        }
        if !id.is_empty() && !held.ids.insert(id) {
            held.structure.add(at(span.decoded_offset(), "the record id stands twice"));
        }
        cx.set_done(done + reader.file_offset());
        cx.checkpoint()?;
    }
    // Odd fields are what other writers made of them; damage is ours.
    let is_damage = |problem: &Problem| problem.kind != ProblemKind::BadField;
    for problem in reader.take_problems().iter().filter(|problem| is_damage(problem)) {
        held.structure.add(format!("{file_name}, {problem}"));
    }
    Ok(reader.file_offset())
}

/// Every line of the index leads to the record it tells of.
fn index_is_right(
    folder: &Path,
    places: &HashMap<(String, u64), (String, String)>,
    lines_told: u64,
    cx: &JobCx,
) -> Result<VerifyCheck, ExportError> {
    let path = folder.join("indexes").join("index.cdxj");
    let mut faults = Faults::default();
    let mut lines = 0;
    let mut last = String::new();
    for_each_line(&path, &mut faults, cx, |line, faults| {
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

/// Every line of the data set is a JSON object.
fn inlinks_are_json(folder: &Path, objects_told: u64, cx: &JobCx) -> Result<VerifyCheck, ExportError> {
    let mut faults = Faults::default();
    let mut lines = 0;
    for_each_line(&folder.join("inlinks.jsonl"), &mut faults, cx, |line, faults| {
        lines += 1;
        if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line).is_err() {
            faults.add(format!("line {lines} is no JSON object"));
        }
    })?;
    if lines != objects_told {
        faults.add(format!("the manifest says {objects_told} objects"));
    }
    Ok(faults.into_check("The inlink data set is JSON, an object a line", format!("{lines} objects")))
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
fn is_export_metadata(head: &RecordHead) -> bool {
    let prefix = metadata_target(METADATA_KIND, "");
    head.record_type == RecordType::Metadata
        && head.headers.get("WARC-Target-URI").is_some_and(|target| target.starts_with(&prefix))
}

fn is_capture(head: &RecordHead) -> bool {
    matches!(head.record_type, RecordType::Response | RecordType::Revisit | RecordType::Resource)
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
