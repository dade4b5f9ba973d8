//! Annotations read back: those of another workspace, and those of other tools.
//!
//! What comes in decides nothing that a person decided here: see
//! [`crate::store`] on marks of other workspaces.

use super::annotations::{
    CLEAR, annotation_id, as_it_came, from_source, judgement_id, judgement_name, of_judgement, of_mark, sources_of,
};
use crate::analysis::Judgement;
use crate::captures::lone_surrogates::without_halves;
use crate::jobs::{JobCx, counted};
use crate::knowledge::{PageAssessment, WebAnnotation};
use crate::store::{
    AnnotationApart, CaptureName, ForeignJudgement, ForeignMark, JudgementRow, MarkRow, StoreError, Workspace,
};
use crate::uri::{CaptureDate, Url};
use crate::work::Report;
use crate::work::models::{Assessment, CaptureId, FileId, ReviewMark};
use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Longest file of annotations that is read.
const MOST_BYTES: u64 = 1 << 30;
/// Annotations without a place here that are named.
const MOST_NAMED: usize = 100;
/// Annotations on captures that did not come with them that are named.
const MOST_EXAMPLES: usize = 3;

/// Captures that annotations may be put on.
#[derive(Debug, Clone, Copy)]
pub enum AnnotationReach<'a> {
    /// Any one: a person gave the annotations.
    Any,
    /// Those that came with them: these files hold them.
    Files(&'a HashSet<FileId>),
}

impl AnnotationReach<'_> {
    fn includes(self, workspace: &Workspace, capture: CaptureId) -> Result<bool, StoreError> {
        match self {
            Self::Any => Ok(true),
            Self::Files(files) => workspace.catalogue().is_capture_in(capture, files),
        }
    }
}

/// The outcome of reading a file of annotations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AnnotationImport {
    /// The file.
    pub file: String,
    /// Annotations in it.
    pub found: u64,
    /// Marks, notes and judgements that are new here.
    pub added: u64,
    /// Those that were here already.
    pub known: u64,
    /// Of the new ones, those whose capture is not here: they are kept, and
    /// handed over again.
    pub without_capture: u64,
    /// Those of a handover on captures that are here and did not come with it: they were
    /// not taken in.
    pub on_other_captures: u64,
    /// The first of those.
    pub on_other_examples: Vec<String>,
    /// Annotations that could not be taken in, with why: the first hundred.
    pub left_out: Vec<String>,
}

impl Report for AnnotationImport {
    fn summary(&self) -> String {
        let mut line = format!(
            "{}: {}, {} new, {} here already",
            self.file,
            counted(self.found, "annotation"),
            self.added,
            self.known
        );
        if self.without_capture > 0 {
            line.push_str(&format!(", {} on captures that are not here", self.without_capture));
        }
        if self.on_other_captures > 0 {
            line.push_str(&format!(
                ", {} left out since their captures are not in the handover ({}). Whoever wants them, too: fonds \
                 annotations import WORKSPACE {}",
                self.on_other_captures,
                some_of(self.on_other_captures, &self.on_other_examples),
                self.file
            ));
        }
        line
    }
}

/// The first of many, and how many more there are.
fn some_of(all: u64, first: &[String]) -> String {
    let more = all.saturating_sub(first.len() as u64);
    let more = (more > 0).then(|| format!("and {more} more"));
    first.iter().cloned().chain(more).collect::<Vec<_>>().join(", ")
}

impl AnnotationImport {
    fn leave_out(&mut self, why: String) {
        if self.left_out.len() < MOST_NAMED {
            self.left_out.push(why);
        }
    }
}

/// An annotation as it was read.
#[derive(Debug, PartialEq)]
struct ReadAnnotation {
    id: String,
    url: String,
    /// When its target was captured, where it has that.
    captured: Option<CaptureDate>,
    digest: String,
    record: String,
    mark: ReviewMark,
    /// What the decision says of the page.
    assessment: PageAssessment,
    /// Without tags.
    note: String,
    tags: Vec<String>,
    /// Its judgement of a result of a search, in the place of mark and note.
    judgement: Option<ReadJudgement>,
    who: String,
    date: CaptureDate,
    undone: Option<CaptureDate>,
    /// The origins before it came, newest first.
    sources: Vec<String>,
}

impl ReadAnnotation {
    /// The text for people: its note, with its tags.
    fn text(&self) -> String {
        let tags = self.tags.iter().map(|tag| format!("#{tag}"));
        let note = Some(self.note.clone()).filter(|note| !note.is_empty());
        note.into_iter().chain(tags).collect::<Vec<_>>().join("\n")
    }

    /// A line with its mark, person and target.
    fn summary(&self) -> String {
        let what = match &self.judgement {
            Some(judgement) => judgement_name(judgement.judgement),
            None => self.mark.label(),
        };
        let date = self.captured.map_or(String::new(), |date| format!(" of {}", date.to_readable()));
        format!("{what} by {}: {}{date}", self.who, self.url)
    }
}

/// The judgement of an annotation on a result of a search.
#[derive(Debug, Clone, PartialEq)]
struct ReadJudgement {
    query: String,
    /// None where an earlier judgement is taken back.
    judgement: Option<Judgement>,
    rank: Option<u64>,
}

/// The outcome of attaching an annotation to a capture here.
enum Attached {
    Mark(ForeignMark),
    Judgement(ForeignJudgement),
}

/// Annotations as the catalogue takes them.
#[derive(Default)]
struct AttachedRows {
    /// With whether they had come from elsewhere before.
    marks: Vec<(bool, ForeignMark)>,
    judgements: Vec<ForeignJudgement>,
}

impl AttachedRows {
    fn push(&mut self, read: &ReadAnnotation, attached: Attached) {
        match attached {
            Attached::Mark(mark) => self.marks.push((!read.sources.is_empty(), mark)),
            Attached::Judgement(judgement) => self.judgements.push(judgement),
        }
    }

    fn keep(
        mut self,
        workspace: &Workspace,
        apart: (Vec<(String, String)>, bool),
        origin: &str,
    ) -> Result<u64, StoreError> {
        // The last one counts: what was decided where they come from held there against what had come.
        self.marks.sort_by_key(|(is_of_others, mark)| (!is_of_others, mark.date.millis()));
        let marks = self.marks.into_iter().map(|(_, mark)| mark).collect();
        workspace.catalogue().add_foreign_marks(marks, self.judgements, apart, origin)
    }
}

/// Takes annotations in: JSON lines, a list, a W3C collection or page, or what
/// Hypothesis exports (`rows`). An annotation without the time of a capture goes
/// to the capture of its URL that is nearest to when it was written, as a note.
///
/// # Errors
///
/// A file that cannot be read or is no JSON, a catalogue that cannot be written,
/// or a stop. Nothing is kept then.
pub fn import_annotations(
    workspace: &Workspace,
    file: &Path,
    origin: &str,
    reach: AnnotationReach<'_>,
    cx: &JobCx,
) -> anyhow::Result<AnnotationImport> {
    let mut report = AnnotationImport { file: file.display().to_string(), ..AnnotationImport::default() };
    let values = annotations_in(file)?;
    cx.stage("Reading annotations", Some(values.len() as u64));
    let mut known = HashSet::new();
    workspace.catalogue().each_mark(None, |mark| -> Result<(), StoreError> {
        known.insert(mark.annotation.clone().unwrap_or_else(|| annotation_id(&mark)));
        Ok(())
    })?;
    workspace.catalogue().each_judgement(None, |row| -> Result<(), StoreError> {
        known.insert(judgement_id(&row));
        Ok(())
    })?;
    let is_for_any = matches!(reach, AnnotationReach::Any);
    let waiting = workspace.catalogue().annotations_apart()?.into_iter();
    // Whether there is nothing more to wait for than they wait for already.
    let mut waiting: HashMap<String, bool> =
        waiting.map(|apart| (apart.annotation, apart.is_for_any || !is_for_any)).collect();
    let (mut rows, mut apart) = (AttachedRows::default(), Vec::new());
    for (number, value) in (1..).zip(&values) {
        cx.advance(1)?;
        report.found += 1;
        let read = match read(value) {
            Ok(read) => read,
            Err(why) => {
                report.leave_out(format!("annotation {number}: {why}"));
                continue;
            }
        };
        if !known.insert(read.id.clone()) {
            report.known += 1;
            continue;
        }
        match on_capture(workspace, &read, value, reach)? {
            Placement::Nowhere if waiting.remove(&read.id) == Some(true) => report.known += 1,
            Placement::Nowhere => {
                report.without_capture += 1;
                apart.push((read.id, value.to_string()));
            }
            Placement::Elsewhere => {
                report.on_other_captures += 1;
                if report.on_other_examples.len() < MOST_EXAMPLES {
                    report.on_other_examples.push(read.summary());
                }
            }
            Placement::On(attached) => rows.push(&read, attached),
        }
    }
    report.added = rows.keep(workspace, (apart, is_for_any), origin)?;
    Ok(report)
}

/// Puts annotations that a person took in and that were kept apart on their captures, where these
/// have come since; returns how many. Origin and id stay theirs. Those of a handover wait for one
/// that brings their captures.
///
/// # Errors
///
/// A catalogue that cannot be read or written, or a stop.
pub(in crate::work) fn attach_annotations(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<u64> {
    let mut by_origin: BTreeMap<String, AttachedRows> = BTreeMap::new();
    let apart = workspace.catalogue().annotations_apart()?.into_iter();
    for AnnotationApart { annotation, line, origin, .. } in apart.filter(|apart| apart.is_for_any) {
        cx.checkpoint()?;
        let Some(value) = as_it_came(&annotation, &line) else { continue };
        let Ok(read) = read(&value) else { continue };
        if let Placement::On(attached) = on_capture(workspace, &read, &value, AnnotationReach::Any)? {
            by_origin.entry(origin).or_default().push(&read, attached);
        }
    }
    let mut attached = 0;
    for (origin, rows) in by_origin {
        attached += rows.keep(workspace, (Vec::new(), true), &origin)?;
    }
    Ok(attached)
}

/// Annotations that wait for their captures and are handed over, each with its origin. Those of a
/// handover whose captures came otherwise are not: who gets captures with them would take both for
/// what was decided here.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn waiting_annotations(workspace: &Workspace) -> anyhow::Result<Vec<(String, Value)>> {
    let mut waiting = Vec::new();
    for AnnotationApart { annotation, line, origin, is_for_any } in workspace.catalogue().annotations_apart()? {
        let Some(value) = as_it_came(&annotation, &line) else { continue };
        let is_here = || -> anyhow::Result<bool> {
            let Ok(read) = read(&value) else { return Ok(false) };
            Ok(!matches!(capture_of(workspace, &read.target(), AnnotationReach::Any)?, Placement::Nowhere))
        };
        if is_for_any || !is_here()? {
            let value = from_source(value, Some(&origin));
            waiting.push((origin, value));
        }
    }
    Ok(waiting)
}

/// The place of an annotation among the captures of a workspace.
pub(super) enum Placement<T> {
    /// There.
    On(T),
    /// Its capture is here, and did not come with it.
    Elsewhere,
    /// Its capture is not here.
    Nowhere,
}

/// An annotation on the capture that it is about.
fn on_capture(
    workspace: &Workspace,
    read: &ReadAnnotation,
    value: &Value,
    reach: AnnotationReach<'_>,
) -> anyhow::Result<Placement<Attached>> {
    let (capture, is_exact) = match capture_of(workspace, &read.target(), reach)? {
        Placement::On(found) => found,
        Placement::Elsewhere => return Ok(Placement::Elsewhere),
        Placement::Nowhere => return Ok(Placement::Nowhere),
    };
    let (as_written, _) = read.row();
    let as_written = as_written.annotation(&[]).json();
    let line = (!is_exact || as_written != *value).then(|| value.to_string());
    if let Some(judged) = read.judgement.as_ref().filter(|_| is_exact) {
        return Ok(Placement::On(Attached::Judgement(ForeignJudgement {
            capture,
            query: judged.query.clone(),
            judgement: judged.judgement,
            who: read.who.clone(),
            date: read.date,
            rank: judged.rank,
            annotation: read.id.clone(),
            line,
        })));
    }
    // What was here before it came and is not among its captures stays as it was.
    let reaches = match reach {
        AnnotationReach::Any => None,
        AnnotationReach::Files(files) => workspace.catalogue().first_of_version_in(capture, files)?,
    };
    Ok(Placement::On(Attached::Mark(ForeignMark {
        capture,
        // A decision is about one capture; for any other it is something to read.
        mark: if is_exact { read.mark } else { ReviewMark::Note },
        note: if is_exact { read.text() } else { as_note(read) },
        who: read.who.clone(),
        date: read.date,
        undone: read.undone,
        annotation: read.id.clone(),
        line,
        assessment: if is_exact { assessment_of(&read.assessment) } else { Assessment::default() },
        reaches,
    })))
}

fn assessment_of(read: &PageAssessment) -> Assessment {
    Assessment { content: read.content, technical: read.technical, codes: read.reasons.clone() }.within_bounds()
}

fn as_note(read: &ReadAnnotation) -> String {
    let (mark, note) = (read.mark, read.text());
    if let Some(judged) = &read.judgement {
        return format!("{} for “{}”", judgement_name(judged.judgement), judged.query);
    }
    let name = serde_json::to_value(mark).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
    match (mark, note.is_empty()) {
        (ReviewMark::Note, _) => note,
        (_, true) => name,
        (_, false) => format!("{name}: {note}"),
    }
}

/// The annotations of a file.
///
/// # Errors
///
/// A file that cannot be read or is no JSON.
pub(in crate::work) fn annotations_in(file: &Path) -> anyhow::Result<Vec<Value>> {
    let read = || -> anyhow::Result<Vec<Value>> {
        crate::jobs::check_readable(file)?;
        let len = std::fs::metadata(file)?.len();
        anyhow::ensure!(len <= MOST_BYTES, "too long for a file of annotations ({len} bytes)");
        // Half of a character or a byte that is no text spoils its annotation, not the file.
        let bytes = std::fs::read(file)?;
        values_of(&String::from_utf8_lossy(&without_halves(&bytes)))
    };
    read().with_context(|| file.display().to_string())
}

/// An annotation of others as a row of the catalogue.
pub(super) enum AnnotationRow {
    /// The mark that it would be.
    Mark(MarkRow),
    /// The judgement.
    Judgement(JudgementRow),
}

impl AnnotationRow {
    /// The annotation that this program makes of it.
    fn annotation(&self, tags: &[String]) -> WebAnnotation {
        match self {
            Self::Mark(mark) => of_mark(mark, tags),
            Self::Judgement(row) => of_judgement(row, tags),
        }
    }
}

/// An annotation of others in parts.
pub(super) struct AnnotationParts {
    pub row: AnnotationRow,
    /// When its capture was made; none where it is about something else.
    pub captured: Option<CaptureDate>,
    pub tags: Vec<String>,
    /// The origins that it came through, newest first.
    pub sources: Vec<String>,
}

impl AnnotationParts {
    /// The parts as one.
    pub(super) fn annotation(self) -> WebAnnotation {
        let Self { row, captured, tags, sources } = self;
        WebAnnotation { captured, sources, ..row.annotation(&tags) }
    }
}

/// The parts of an annotation from elsewhere.
pub(super) fn annotation_parts(value: &Value) -> Option<AnnotationParts> {
    let read = read(value).ok()?;
    let (row, captured) = read.row();
    Some(AnnotationParts { row, captured, tags: read.tags, sources: read.sources })
}

impl ReadAnnotation {
    fn target(&self) -> Target<'_> {
        let Self { url, captured, digest, record, date, .. } = self;
        Target { url, captured: *captured, digest, record, written: *date }
    }

    /// The row that it would be, and when its capture was made.
    fn row(&self) -> (AnnotationRow, Option<CaptureDate>) {
        let captured = self.captured.unwrap_or(self.date);
        if let Some(judged) = &self.judgement {
            let row = JudgementRow {
                capture: CaptureId::default(),
                version: CaptureId::default(),
                url: self.url.clone(),
                captured,
                digest: self.digest.clone(),
                record_id: self.record.clone(),
                query: judged.query.clone(),
                judgement: judged.judgement,
                who: self.who.clone(),
                date: self.date,
                rank: judged.rank,
                replaced: self.undone,
                annotation: Some(self.id.clone()),
                origin: None,
                line: None,
            };
            return (AnnotationRow::Judgement(row), self.captured);
        }
        let mark = MarkRow {
            capture: CaptureId::default(),
            url: self.url.clone(),
            captured,
            digest: self.digest.clone(),
            record_id: self.record.clone(),
            mark: self.mark,
            note: self.note.clone(),
            who: self.who.clone(),
            date: self.date,
            undone: self.undone,
            assessment: assessment_of(&self.assessment),
            annotation: Some(self.id.clone()),
            origin: None,
            line: None,
        };
        (AnnotationRow::Mark(mark), self.captured)
    }
}

/// The annotations of a file, in whatever it packs them.
fn values_of(text: &str) -> anyhow::Result<Vec<Value>> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(values)) => Ok(values),
        Ok(Value::Object(mut whole)) => {
            let Fields(fields) = serde_json::from_str(text)?;
            for list in ["rows", "items"] {
                let lists = fields.iter().filter(|(name, value)| name == list && value.is_array());
                let values: Vec<&Vec<Value>> = lists.filter_map(|(_, value)| value.as_array()).collect();
                if !values.is_empty() {
                    return Ok(values.into_iter().flatten().cloned().collect());
                }
            }
            match whole.get_mut("first").and_then(|page| page.get_mut("items")).map(Value::take) {
                Some(Value::Array(values)) => Ok(values),
                _ => Ok(vec![Value::Object(whole)]),
            }
        }
        Ok(one) => Ok(vec![one]),
        Err(_) => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            lines.map(|(at, line)| serde_json::from_str(line).with_context(|| format!("line {}", at + 1))).collect()
        }
    }
}

/// The fields of an object as they are written: of a name that is there twice, both.
struct Fields(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Visitor)
    }
}

fn read(value: &Value) -> Result<ReadAnnotation, &'static str> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let date = |value: Option<&Value>| value.and_then(Value::as_str).and_then(date_of);
    let target = match value.get("target") {
        Some(Value::Array(targets)) => targets.first(),
        target => target,
    };
    let url = target.and_then(|target| text(target).or_else(|| target.get("source").and_then(text)));
    // Hypothesis has it beside the target.
    let url = url.or_else(|| value.get("uri").and_then(text)).ok_or("it names no target")?;
    let created = date(value.get("created")).ok_or("it does not say when it was created")?;
    let bodies: Vec<&Value> = match value.get("body") {
        Some(Value::Array(bodies)) => bodies.iter().collect(),
        body => body.into_iter().collect(),
    };
    let (mut decision, mut judgement) = (None, None);
    let (mut notes, mut tags, mut assessment) = (Vec::new(), Vec::new(), PageAssessment::default());
    for body in bodies {
        let Some(content) = text(body).or_else(|| body.get("value").and_then(text)) else { continue };
        let purpose = body.get("purpose").and_then(Value::as_str);
        let assesses = purpose == Some("assessing");
        if purpose == Some("tagging") {
            tags.push(content);
            continue;
        }
        if let Some(judged) = judgement_in(body, &content).filter(|_| assesses) {
            judgement = Some(judged);
            continue;
        }
        match serde_json::from_value::<ReviewMark>(Value::String(content.clone())) {
            Ok(mark) if assesses && mark != ReviewMark::Note => {
                (decision, assessment) = (Some(mark), PageAssessment::of_json(body));
            }
            _ => notes.push(content),
        }
    }
    notes.extend(value.get("text").and_then(text).filter(|text| !text.is_empty()));
    tags.extend(value.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(text));
    if decision.is_none() && judgement.is_none() && notes.is_empty() && tags.is_empty() {
        return Err("it says nothing");
    }
    let who = match value.get("creator") {
        Some(Value::Object(creator)) => creator.get("name").or_else(|| creator.get("id")).and_then(text),
        creator => creator.and_then(text),
    };
    let who = who.or_else(|| value.get("user").and_then(text)).unwrap_or_default();
    let of_target = |name: &str| target.and_then(|target| target.get(name)).and_then(text).unwrap_or_default();
    let id = value.get("id").and_then(text).unwrap_or_else(|| {
        // The same annotation again is the same.
        let digest = Sha256::digest(value.to_string());
        format!("urn:sha256:{}", data_encoding::HEXLOWER.encode(&digest))
    });
    Ok(ReadAnnotation {
        id,
        captured: date(target.and_then(|target| target.get("state")).and_then(|state| state.get("sourceDate"))),
        digest: of_target("fonds:digest"),
        record: of_target("fonds:record"),
        url,
        mark: decision.unwrap_or(ReviewMark::Note),
        assessment,
        note: notes.join("\n"),
        tags,
        judgement,
        who,
        date: created,
        undone: date(value.get("fonds:undone")),
        sources: sources_of(value),
    })
}

/// The judgement in a body on a result of a search, where it names the query.
fn judgement_in(body: &Value, content: &str) -> Option<ReadJudgement> {
    let query = body.get("fonds:query").and_then(Value::as_str)?.trim();
    let judgement = Judgement::of_name(content);
    let is_one = !query.is_empty() && (judgement.is_some() || content == CLEAR);
    let rank = body.get("fonds:rank").and_then(Value::as_u64).filter(|rank| *rank > 0);
    is_one.then(|| ReadJudgement { query: query.to_owned(), judgement, rank })
}

/// A date as annotations have it; one with an offset as well.
fn date_of(text: &str) -> Option<CaptureDate> {
    let stamp: Option<jiff::Timestamp> = text.parse().ok();
    stamp.map(|stamp| CaptureDate::from_millis(stamp.as_millisecond())).or_else(|| CaptureDate::parse(text).ok())
}

/// A capture as those name it who do not know its number here.
pub(super) struct Target<'a> {
    pub url: &'a str,
    /// When it was captured, where the annotation has it.
    pub captured: Option<CaptureDate>,
    pub digest: &'a str,
    pub record: &'a str,
    /// When what names it was written.
    pub written: CaptureDate,
}

/// The capture that an annotation is about, and whether it is named exactly: same URL, same second
/// and, where both have one, same digest. Otherwise the capture of the URL that is nearest in time.
/// Captures that are out of reach are passed over.
pub(super) fn capture_of(
    workspace: &Workspace,
    read: &Target<'_>,
    reach: AnnotationReach<'_>,
) -> anyhow::Result<Placement<(CaptureId, bool)>> {
    let catalogue = workspace.catalogue();
    let Ok(url) = Url::parse(read.url) else { return Ok(Placement::Nowhere) };
    let mut is_elsewhere = false;
    let mut nearest: Option<(u64, CaptureId)> = None;
    for CaptureName { id, date, digest, record_id } in catalogue.capture_names(&url)? {
        let same_bytes = read.digest.is_empty() || digest.is_empty() || read.digest == digest;
        if let Some(captured) = read.captured {
            let same_second = captured.millis().div_euclid(1000) == date.millis().div_euclid(1000);
            let same_record = !read.record.is_empty() && read.record == record_id;
            if same_second && same_bytes && (same_record || nearest.is_none()) {
                match reach.includes(workspace, id)? {
                    true => nearest = Some((0, id)),
                    false => is_elsewhere = true,
                }
            }
            continue;
        }
        let apart = date.millis().abs_diff(read.written.millis());
        if nearest.is_none_or(|(least, _)| apart < least) {
            match reach.includes(workspace, id)? {
                true => nearest = Some((apart, id)),
                false => is_elsewhere = true,
            }
        }
    }
    Ok(match nearest {
        Some((_, id)) => Placement::On((id, read.captured.is_some())),
        None if is_elsewhere => Placement::Elsewhere,
        None => Placement::Nowhere,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::annotation;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_annotation_of_ours_is_read_as_it_was_written() {
        let date = |text: &str| CaptureDate::parse(text).unwrap();
        let mark = MarkRow {
            capture: CaptureId::new(1),
            url: "http://a.pt/".to_owned(),
            captured: date("2024-03-01T09:00:00Z"),
            digest: "sha1:X".to_owned(),
            record_id: "urn:uuid:1".to_owned(),
            mark: ReviewMark::Reject,
            note: "names a person".to_owned(),
            who: "Ana Reis".to_owned(),
            date: date("2024-05-01T09:00:00.250Z"),
            undone: Some(date("2024-05-02T09:00:00Z")),
            assessment: Assessment { content: Some(true), technical: Some(false), codes: vec!["soft 404".to_owned()] },
            annotation: None,
            origin: None,
            line: None,
        };
        let written = annotation(&mark);
        assert_eq!(written["body"][0]["fonds:technical"], "faulty");
        let read = read(&written).unwrap();
        assert_eq!(assessment_of(&read.assessment), mark.assessment);
        assert_eq!((read.url, read.captured, read.digest), (mark.url, Some(mark.captured), mark.digest));
        assert_eq!((read.mark, read.note, read.who), (mark.mark, mark.note, mark.who));
        assert_eq!((read.record, read.date, read.undone), (mark.record_id, mark.date, mark.undone));
        assert!(written["id"] == read.id);
    }

    #[test]
    fn annotations_of_other_tools_are_notes() {
        let hypothesis = json!({"id": "aB3", "created": "2024-06-02T10:11:12.131415+00:00", "user": "acct:ana@hypothes.is",
            "uri": "http://a.pt/x", "text": "See page 3", "tags": ["festival"], "target": [{"source": "http://a.pt/x"}]});
        let found = read(&hypothesis).unwrap();
        assert_eq!((found.mark, found.text().as_str()), (ReviewMark::Note, "See page 3\n#festival"));
        assert_eq!(found.tags, ["festival"]);
        assert_eq!((found.id.as_str(), found.who.as_str(), found.captured), ("aB3", "acct:ana@hypothes.is", None));
        let plain = json!({"target": "http://a.pt/", "created": "2024-01-01T00:00:00Z", "body": "reject"});
        assert_eq!(read(&plain).unwrap().mark, ReviewMark::Note, "it does not say that it assesses");
        assert!(read(&plain).unwrap().id.starts_with("urn:sha256:"));
        for (broken, why) in [
            (json!({"created": "2024-01-01T00:00:00Z", "body": "x"}), "no target"),
            (json!({"target": "http://a.pt/", "body": "x"}), "when it was created"),
            (json!({"target": "http://a.pt/", "created": "2024-01-01T00:00:00Z"}), "says nothing"),
            (json!(7), "no target"),
        ] {
            assert!(read(&broken).unwrap_err().contains(why), "{broken}");
        }
        for packed in
            [json!([plain]), json!({"total": 1, "rows": [plain]}), json!({"first": {"items": [plain]}}), plain]
        {
            assert_eq!(values_of(&packed.to_string()).unwrap().len(), 1);
        }
    }
}
