//! Reads an export back and holds everything in it together.

pub(super) mod evidence;
pub(super) mod join;

use super::bag::{bag_is_whole, is_of_bag};
use super::knowledge::{KNOWLEDGE_NAME, KnowledgeRead, SORTED_KNOWLEDGE_NAME, is_knowledge};
use super::known_inlinks::{KnownInlinks, is_export_metadata};
use super::manifest::{LOCK_NAME, MANIFEST_NAME, Manifest, ManifestFile, measure};
use super::signature::{check_packages, check_signature};
use super::write::{INDEX_NAME, INLINKS_NAME};
use super::{ExportError, io_at, no_temporary};
use crate::export::verify::evidence::evidence_is_here;
use crate::export::verify::join::Join;
use crate::export::write::attachments::attachments_are_whole;
use crate::inlinks::DatasetObject;
use crate::jobs::{JobCx, counted, verb};
use crate::keys::PublicKey;
use crate::uri::{CaptureDate, DatasetKey, Url};
use crate::warc::cdx::{IndexLine, indexed_url};
use crate::warc::wacz::stays_inside;
use crate::warc::{ArchiveReader, Problem, ProblemKind, RecordProof, RecordType};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Faults named in the detail of a check; further ones are counted.
const MAX_NAMED: usize = 5;

/// A check of the verification, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyCheck {
    /// The statement that was checked.
    pub what: String,
    /// Whether it holds.
    pub ok: bool,
    /// Figures, or what is wrong and where.
    pub detail: String,
    /// The key of a signature that holds. Then `ok` is false until somebody vouches
    /// for the key, which a handover cannot do for itself.
    pub signer: Option<PublicKey>,
}

impl VerifyCheck {
    /// A signature: where all about it holds, it is that of `key`.
    pub(super) fn signed_by(self, key: Option<PublicKey>) -> Self {
        Self { ok: self.ok && key.is_none(), signer: key.filter(|_| self.ok), ..self }
    }
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
        VerifyCheck { what: what.to_owned(), ok, detail, signer: None }
    }
}

/// The origin of a statement: a record of itself, or one of these about it.
const OF_RECORD: u8 = 0;
const OF_METADATA: u8 = 1;
const OF_KNOWLEDGE: u8 = 2;
const OF_LINE: u8 = 3;

/// A place in an archive file, as a key.
fn place_key(file: &str, offset: u64) -> String {
    format!("{offset} {file}")
}

/// The facts about records that are kept while they are read.
struct Contents {
    knowledge: KnowledgeRead,
    records: u64,
    captures: u64,
    /// By id: the record that has it, and the metadata and knowledge about it.
    ids: Join,
    /// By file name and offset: a capture, and the line of the index that leads to it.
    places: Join,
    /// Ids of `warcinfo` records.
    warcinfos: HashSet<String>,
    /// Ids of `warcinfo` records that records name, and a place of each.
    named_warcinfos: BTreeMap<String, String>,
    metadata: u64,
    metadata_faults: Faults,
    /// Inlinks by the metadata records, by key of the page and second of the capture.
    inlinks: Join,
    source_keys: SourceKeys,
    structure: Faults,
    digests: Faults,
    digests_checked: u64,
}

impl Contents {
    fn beside(knowledge: KnowledgeRead) -> Self {
        Self {
            knowledge,
            records: 0,
            captures: 0,
            ids: Join::default(),
            places: Join::default(),
            warcinfos: HashSet::new(),
            named_warcinfos: BTreeMap::new(),
            metadata: 0,
            metadata_faults: Faults::default(),
            inlinks: Join::default(),
            source_keys: SourceKeys::default(),
            structure: Faults::default(),
            digests: Faults::default(),
            digests_checked: 0,
        }
    }
}

/// Verifies the export in `folder`.
///
/// # Errors
///
/// When the folder is no export, cannot be read, or the work was stopped.
/// What does not hold is no error but a check that is not `ok`.
pub fn verify(folder: &Path, cx: &JobCx) -> Result<Vec<VerifyCheck>, ExportError> {
    if folder.is_file() {
        let why = "it is a file. Unpack it and name its folder: what is checked are the files of that".to_owned();
        return Err(ExportError::NotAnExport { folder: folder.to_owned(), why });
    }
    let manifest = Manifest::read(folder)?;
    let mut checks = vec![files_are_those_of(&manifest, folder, cx)?];

    let archive = manifest.payload("archive/");
    let archives = manifest.files.iter().filter(|file| file.path.starts_with(&archive) && stays_inside(&file.path));
    let total = archives.clone().map(|file| file.bytes).sum();
    cx.stage("Reading records", Some(total));
    // As this version writes it, or as earlier ones did.
    let knowledge = [KNOWLEDGE_NAME, SORTED_KNOWLEDGE_NAME].map(|name| manifest.payload(name));
    let knowledge =
        manifest.files.iter().find(|file| knowledge.contains(&file.path)).map(|file| folder.join(&file.path));
    let mut contents = Contents::beside(KnowledgeRead::beside(knowledge.as_deref()));
    let mut done = 0;
    for ManifestFile { path, .. } in archives {
        cx.note(path.as_str());
        done += read_records(&folder.join(path), path, done, &mut contents, cx)?;
    }

    let counts = &manifest.counts;
    let ids = std::mem::take(&mut contents.ids);
    let mut here: Option<String> = None;
    ids.each(cx, |id, kind, value| match kind {
        OF_RECORD if here.as_deref() == Some(id) => {
            let place = value.split_once(' ').map_or(value, |(_, place)| place);
            contents.structure.add(format!("{place}: the record id occurs twice"));
        }
        OF_RECORD => here = Some(id.to_owned()),
        _ if here.as_deref() == Some(id) => {}
        OF_METADATA => contents.metadata_faults.add(format!("{value} is about {id}, which is not here")),
        _ => contents.knowledge.lacks(value, id),
    })?;
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
    if contents.metadata != counts.metadata {
        faults.add({
            let (listed, there) = (counted(counts.metadata, "metadata record"), contents.metadata);
            format!("the manifest says {listed}, {there} {} there", verb(there, "is"))
        });
    }
    if contents.captures < counts.captures {
        faults.add(format!("the manifest says {}", counted(counts.captures, "capture")));
    }
    checks.push(faults.into_check(
        "Counts are those of the manifest",
        format!("{}, {}", counted(contents.captures, "capture"), counted(contents.records, "record")),
    ));

    let figures = counted(contents.metadata, "metadata record");
    checks.push(contents.metadata_faults.into_check("Metadata belongs to records that are here", figures));
    let mut faults = Faults::default();
    for (id, place) in contents.named_warcinfos.iter().filter(|(id, _)| !contents.warcinfos.contains(*id)) {
        faults.add(format!("{place}: names the warcinfo record {id}, which is not here"));
    }
    checks.push(faults.into_check(
        "Warcinfo records that records name are here",
        format!("{} named", counted(contents.named_warcinfos.len() as u64, "record")),
    ));
    let index = folder.join(manifest.payload(INDEX_NAME));
    checks.push(index_is_right(&index, contents.places, counts.index_lines, cx)?);
    let inlinks = manifest.payload(INLINKS_NAME);
    if manifest.files.iter().any(|file| file.path == inlinks) {
        let inlinks = folder.join(inlinks);
        checks.push(inlinks_are_those_of_records(&inlinks, contents.inlinks, counts.inlink_objects, cx)?);
    }
    if knowledge.is_some() || !contents.knowledge.is_empty() {
        checks.push(contents.knowledge.into_check(knowledge.as_deref(), counts.metadata, cx)?);
    }
    if manifest.version >= 2 {
        checks.push(attachments_are_whole(&manifest, folder, cx)?);
        checks.extend(evidence_is_here(&manifest, folder, cx)?);
        checks.push(bag_is_whole(&manifest, folder));
    }
    checks.extend(check_signature(&manifest, folder)?);
    checks.extend(check_packages(&manifest, folder)?);
    Ok(checks)
}

/// Whether a folder has the contents of an export beside archive files: decisions, campaigns or a selection.
fn has_payload(folder: &Path) -> bool {
    let data = folder.join("data");
    let names = ["decisions.jsonl", "campaign/campaign.v1.json", "selection.json", "seen.jsonl.gz"];
    data.join("archive").is_dir() && names.iter().any(|name| data.join(name).is_file())
}

/// The manifest of a folder that shall be read back; none where it is no export.
/// Its files are those of the manifest, byte for byte, and there are no others.
///
/// # Errors
///
/// What of it is not there or another, before any of it is taken in.
pub fn check_handover(folder: &Path, cx: &JobCx) -> Result<Option<Manifest>, ExportError> {
    let not = |why: String| ExportError::NotAnExport { folder: folder.to_owned(), why };
    if !folder.join(MANIFEST_NAME).is_file() {
        return match has_payload(folder) {
            true => Err(not(format!("its {MANIFEST_NAME} is missing, and without it nothing in it can be checked"))),
            false => Ok(None),
        };
    }
    let manifest = match Manifest::read(folder) {
        Ok(manifest) => manifest,
        // Packages of others have a file of this name, too.
        Err(ExportError::NotAnExport { why, .. }) if !why.contains("version") && !has_payload(folder) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if let Some(check) = check_signature(&manifest, folder)?.filter(|check| !check.ok && check.signer.is_none()) {
        return Err(not(format!("{}: {}", check.what, check.detail)));
    }
    cx.stage("Checking the handover", Some(manifest.files.iter().map(|file| file.bytes).sum()));
    let fails = |path: &str, why: &str| not(format!("{path}: {why}; fonds verify names all that is wrong"));
    // Names and sizes first: they are known at once.
    for file in &manifest.files {
        if !stays_inside(&file.path) {
            return Err(fails(&file.path, "it leads out of the folder"));
        }
        let led_out = Path::new(&file.path).ancestors().skip(1).find(|parent| folder.join(parent).is_symlink());
        if let Some(link) = led_out.filter(|parent| !parent.as_os_str().is_empty()) {
            return Err(fails(&file.path, &format!("{} is a link, which is not followed", link.display())));
        }
        let meta = fs::symlink_metadata(folder.join(&file.path));
        let meta = meta.map_err(|error| fails(&file.path, &error.to_string()))?;
        if !meta.is_file() || meta.len() != file.bytes {
            return Err(fails(&file.path, "it is not the file that the manifest lists"));
        }
    }
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    for path in files_below(folder)? {
        if !listed.contains(path.as_str()) && !is_apart(&manifest, &path) {
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
        if !listed.contains(path.as_str()) && !is_apart(manifest, &path) {
            faults.add(format!("{path}: not in the manifest"));
        }
    }
    Ok(faults.into_check(
        "Files are those of the manifest",
        format!("{}, {}", counted(manifest.files.len() as u64, "file"), counted(bytes, "byte")),
    ))
}

/// Whether a file that the manifest does not list may lie there: the manifest itself, those of the bag, and what
/// desktops leave in every folder that they show. Nothing reads these.
fn is_apart(manifest: &Manifest, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // The lock file may stay behind where an export was killed at its very end.
    path == MANIFEST_NAME
        || path == LOCK_NAME
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
        // What macOS keeps of a file on disks of other systems, beside it.
        || name.starts_with("._")
        || manifest.version >= 2 && is_of_bag(path)
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
        let mut quads = is_knowledge(&head).then(|| contents.knowledge.record(&head));
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
        if let Some(quads) = quads
            && let Some((about, place)) =
                quads.end(&head, &format!("{file_name}, offset {}", span.decoded_offset())).map_err(no_temporary)?
        {
            contents.ids.push(&about, OF_KNOWLEDGE, &place)?;
        }
        contents.records += 1;
        contents.digests_checked += u64::from(proof.has_digests());
        for wrong in proof.finish() {
            contents.digests.add(at(span.decoded_offset(), &wrong));
        }
        let id = head.record_id().unwrap_or_default();
        if is_metadata {
            let about = head.headers.get("WARC-Refers-To").unwrap_or_default();
            let about = about.trim_matches(['<', '>']);
            match KnownInlinks::of_record(&json) {
                Err(_) => {
                    contents.metadata_faults.add(at(span.decoded_offset(), "the metadata is not the JSON of an export"))
                }
                Ok(Some(inlinks)) if inlinks.count > 0 => {
                    let url = head.target_uri().unwrap_or_default().to_string();
                    let key = Url::parse(&url).map(|url| DatasetKey::of(&url).as_str().to_owned()).unwrap_or(url);
                    let date = head.date().map(CaptureDate::to_digits14).unwrap_or_default();
                    contents.knowledge.links_of(about, inlinks.stated());
                    contents.inlinks.push(
                        &format!("{key} {date}"),
                        OF_RECORD,
                        &InlinkList::of_record(&inlinks, &mut contents.source_keys).to_string(),
                    )?;
                }
                Ok(_) => {}
            }
            contents.metadata += 1;
            contents.ids.push(about, OF_METADATA, &id)?;
        }
        if let (Some(url), Some(date)) = (indexed_url(&head), head.date()) {
            // The graph of an export has a name, no place in the web.
            contents.captures += u64::from(head.record_type.is_capture() && !url.starts_with("urn:"));
            contents.places.push(
                &place_key(file_name, span.offset),
                OF_RECORD,
                &format!("{} {url}", date.to_digits14()),
            )?;
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
        if !id.is_empty() {
            let place = format!("{:012} {file_name}, offset {}", contents.records, span.decoded_offset());
            contents.ids.push(&id, OF_RECORD, &place)?;
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

/// Checks that every line of the index leads to its record.
fn index_is_right(path: &Path, mut places: Join, lines_declared: u64, cx: &JobCx) -> Result<VerifyCheck, ExportError> {
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
            Ok(entry) => {
                let found = format!("{lines} {} {}", entry.date.to_digits14(), entry.url);
                places.push(&place_key(&entry.filename, entry.span.offset), OF_LINE, &found)?;
            }
        }
        Ok(())
    })?;
    let (mut at, mut of_record) = (String::new(), String::new());
    places.each(cx, |place, kind, value| {
        if kind == OF_RECORD {
            place.clone_into(&mut at);
            value.clone_into(&mut of_record);
            return;
        }
        let (line, found) = value.split_once(' ').unwrap_or_default();
        let (offset, file) = place.split_once(' ').unwrap_or_default();
        if at != place {
            faults.add(format!("line {line}: no record at {file}, offset {offset}"));
        } else if of_record != found {
            faults.add(format!("line {line}: another record is at offset {offset}"));
        }
    })?;
    if lines != lines_declared {
        faults.add(format!("the manifest says {}", counted(lines_declared, "line")));
    }
    Ok(faults.into_check("The CDXJ index leads to its records", counted(lines, "line")))
}

/// Counts of a list of inlinks, in all and of both sides, and a digest of its
/// entries in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InlinkList {
    counts: (u64, u64, u64),
    entries: u64,
}

fn digest_of_link(second: String, source: &str, anchor: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (second, source, anchor).hash(&mut hasher);
    hasher.finish()
}

impl fmt::Display for InlinkList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, internal, external) = self.counts;
        write!(f, "{all} {internal} {external} {:016x}", self.entries)
    }
}

impl InlinkList {
    /// The list of a metadata record.
    fn of_record(known: &KnownInlinks, keys: &mut SourceKeys) -> Self {
        let counts = (known.count, known.count_internal, known.count_external);
        known.list.iter().fold(Self { counts, entries: 0 }, |list, link| {
            let second = CaptureDate::parse(&link.date).map(CaptureDate::to_digits14).unwrap_or_default();
            let key = link.source_key.as_deref().unwrap_or_else(|| keys.of(&link.source));
            Self { entries: list.entries.wrapping_add(digest_of_link(second, key, &link.anchor)), ..list }
        })
    }
}

/// Keys of linking pages in the data set, by their URLs: many captures are linked from the same ones.
#[derive(Default)]
struct SourceKeys(HashMap<String, String>);

impl SourceKeys {
    /// Pages that are remembered; then all are forgotten.
    const MOST: usize = 16_384;

    /// The key of a URL; itself where it is none.
    fn of(&mut self, url: &str) -> &str {
        if !self.0.contains_key(url) {
            if self.0.len() >= Self::MOST {
                self.0.clear();
            }
            let key = Url::parse(url).map_or_else(|_| url.to_owned(), |url| DatasetKey::of(&url).as_str().to_owned());
            self.0.insert(url.to_owned(), key);
        }
        self.0.get(url).map(String::as_str).unwrap_or_default()
    }
}

impl From<&DatasetObject> for InlinkList {
    fn from(object: &DatasetObject) -> Self {
        let entries = object.inlinks.iter().map(|link| {
            let second = link.date.map(CaptureDate::to_digits14).unwrap_or_default();
            digest_of_link(second, &link.source, &link.anchor)
        });
        Self {
            counts: (object.count, object.count_internal, object.count_external),
            entries: entries.fold(0, u64::wrapping_add),
        }
    }
}

/// Lists of inlinks in metadata records for one page in one second that no line
/// of the data set has matched so far.
#[derive(Default)]
struct ListsOfPage {
    /// Key of the page and second.
    page: String,
    by_records: Vec<String>,
}

impl ListsOfPage {
    /// Takes a line of the data set: its number and its list.
    fn line(&mut self, line: &str, faults: &mut Faults) {
        let (number, list) = line.split_once(' ').unwrap_or_default();
        if let Some(found) = self.by_records.iter().position(|known| known == list) {
            self.by_records.swap_remove(found);
            return;
        }
        let Some(known) = self.by_records.pop() else {
            return faults.add(format!("line {number}: no metadata record of {} lists inlinks", self.page));
        };
        let (count, by_record) = (count_of(list), count_of(&known));
        let others = if by_record == count { " others" } else { "" };
        faults.add(format!(
            "line {number}: {count} inlinks of {}, and its metadata record has {by_record}{others}",
            self.page
        ));
    }

    /// Reports the lists that no line matched.
    fn end(&mut self, faults: &mut Faults) {
        for list in self.by_records.drain(..) {
            faults.add(format!("{} inlinks of {} are in its metadata record alone", count_of(&list), self.page));
        }
    }
}

/// The count that a list of inlinks begins with.
fn count_of(list: &str) -> &str {
    list.split_once(' ').map_or(list, |(count, _)| count)
}

/// Checks that the data set lists of a capture what its metadata record lists.
fn inlinks_are_those_of_records(
    path: &Path,
    mut lists: Join,
    objects_declared: u64,
    cx: &JobCx,
) -> Result<VerifyCheck, ExportError> {
    let mut faults = Faults::default();
    let mut lines = 0;
    for_each_line(path, &mut faults, cx, |line, faults| {
        lines += 1;
        let object = match DatasetObject::read_line(line) {
            Ok(object) => object,
            Err(error) => {
                faults.add(format!("line {lines}: {error}"));
                return Ok(());
            }
        };
        let date = object.capture_date.map(CaptureDate::to_digits14).unwrap_or_default();
        lists.push(&format!("{} {date}", object.url), OF_LINE, &format!("{lines} {}", InlinkList::from(&object)))
    })?;
    let mut of_page = ListsOfPage::default();
    lists.each(cx, |page, kind, value| {
        if of_page.page != page {
            of_page.end(&mut faults);
            page.clone_into(&mut of_page.page);
        }
        match kind {
            OF_RECORD => of_page.by_records.push(value.to_owned()),
            _ => of_page.line(value, &mut faults),
        }
    })?;
    of_page.end(&mut faults);
    if lines != objects_declared {
        faults.add(format!("the manifest says {objects_declared} objects"));
    }
    Ok(faults.into_check("The inlink data set lists what the metadata records list", format!("{lines} objects")))
}

fn for_each_line(
    path: &Path,
    faults: &mut Faults,
    cx: &JobCx,
    mut each: impl FnMut(&str, &mut Faults) -> Result<(), ExportError>,
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
            Ok(line) => each(&line, faults)?,
            Err(error) => {
                faults.add(format!("{}: {error}", path.display()));
                break;
            }
        }
        cx.checkpoint()?;
    }
    Ok(())
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
