//! Annotations read back: those of another workspace, and those of other tools.
//!
//! What comes in decides nothing that a person decided here: see
//! [`crate::store`] on marks of other workspaces.

use super::annotations::{CLEAR, annotation_id, judgement_id, judgement_name};
use crate::analysis::Judgement;
use crate::captures::lone_surrogates::without_halves;
use crate::jobs::{JobCx, counted};
use crate::store::{
    AnnotationApart, CaptureName, ForeignJudgement, ForeignMark, JudgementRow, MarkRow, StoreError, Workspace,
};
use crate::uri::{CaptureDate, Url};
use crate::work::Report;
use crate::work::models::{CaptureId, ReviewMark};
use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Longest file of annotations that is read.
const MOST_BYTES: u64 = 1 << 30;
/// Annotations without a place here that are named.
const MOST_NAMED: usize = 100;

/// What a file of annotations came to.
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
    /// What could not be taken in, with why: the first hundred.
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
        line
    }
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
struct Read {
    id: String,
    url: String,
    /// When its target was captured, where it says so.
    captured: Option<CaptureDate>,
    digest: String,
    record: String,
    mark: ReviewMark,
    note: String,
    /// What it says of a result of a search, in the place of mark and note.
    judgement: Option<ReadJudgement>,
    who: String,
    date: CaptureDate,
    undone: Option<CaptureDate>,
}

/// What an annotation says of a result of a search.
#[derive(Debug, Clone, PartialEq)]
struct ReadJudgement {
    query: String,
    /// None where an earlier judgement is taken back.
    judgement: Option<Judgement>,
    rank: Option<u64>,
}

/// What an annotation comes to on a capture here.
enum Attached {
    Mark(ForeignMark),
    Judgement(ForeignJudgement),
}

/// Annotations as the catalogue takes them.
#[derive(Default)]
struct AttachedRows {
    marks: Vec<ForeignMark>,
    judgements: Vec<ForeignJudgement>,
}

impl AttachedRows {
    fn push(&mut self, attached: Attached) {
        match attached {
            Attached::Mark(mark) => self.marks.push(mark),
            Attached::Judgement(judgement) => self.judgements.push(judgement),
        }
    }

    fn keep(mut self, workspace: &Workspace, apart: Vec<(String, String)>, origin: &str) -> Result<u64, StoreError> {
        self.marks.sort_by_key(|mark| mark.date.millis());
        workspace.catalogue().add_foreign_marks(self.marks, self.judgements, apart, origin)
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
    known.extend(workspace.catalogue().annotations_apart()?.into_iter().map(|apart| apart.annotation));
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
        match on_capture(workspace, &read)? {
            None => {
                report.without_capture += 1;
                apart.push((read.id, value.to_string()));
            }
            Some(attached) => rows.push(attached),
        }
    }
    report.added = rows.keep(workspace, apart, origin)?;
    Ok(report)
}

/// Puts annotations that were kept apart on their captures, where these have come
/// since; says how many. Origin and id stay theirs.
///
/// # Errors
///
/// A catalogue that cannot be read or written, or a stop.
pub(in crate::work) fn attach_annotations(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<u64> {
    let mut by_origin: BTreeMap<String, AttachedRows> = BTreeMap::new();
    for AnnotationApart { line, origin, .. } in workspace.catalogue().annotations_apart()? {
        cx.checkpoint()?;
        let Some(read) = serde_json::from_str(&line).ok().and_then(|value| read(&value).ok()) else { continue };
        if let Some(attached) = on_capture(workspace, &read)? {
            by_origin.entry(origin).or_default().push(attached);
        }
    }
    let mut attached = 0;
    for (origin, rows) in by_origin {
        attached += rows.keep(workspace, Vec::new(), &origin)?;
    }
    Ok(attached)
}

/// An annotation on the capture that it is about; none where that is not here.
fn on_capture(workspace: &Workspace, read: &Read) -> anyhow::Result<Option<Attached>> {
    let target = Target {
        url: &read.url,
        captured: read.captured,
        digest: &read.digest,
        record: &read.record,
        written: read.date,
    };
    let Some((capture, is_exact)) = capture_of(workspace, &target)? else { return Ok(None) };
    if let Some(said) = read.judgement.as_ref().filter(|_| is_exact) {
        return Ok(Some(Attached::Judgement(ForeignJudgement {
            capture,
            query: said.query.clone(),
            judgement: said.judgement,
            who: read.who.clone(),
            date: read.date,
            rank: said.rank,
            annotation: read.id.clone(),
        })));
    }
    Ok(Some(Attached::Mark(ForeignMark {
        capture,
        // A decision is about one capture; for any other it is something to read.
        mark: if is_exact { read.mark } else { ReviewMark::Note },
        note: if is_exact { read.note.clone() } else { as_note(read) },
        who: read.who.clone(),
        date: read.date,
        undone: read.undone,
        annotation: read.id.clone(),
    })))
}

fn as_note(read: &Read) -> String {
    let (mark, note) = (read.mark, read.note.clone());
    if let Some(said) = &read.judgement {
        return format!("{} for “{}”", judgement_name(said.judgement), said.query);
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

/// What a line says that was kept since its capture is not here.
pub(super) enum LeftApart {
    /// The mark that it would be.
    Mark(MarkRow),
    /// The judgement.
    Judgement(JudgementRow),
}

/// Such a line, and when its capture was made.
pub(super) fn left_apart(line: &str) -> Option<(LeftApart, Option<CaptureDate>)> {
    let read = read(&serde_json::from_str(line).ok()?).ok()?;
    let captured = read.captured.unwrap_or(read.date);
    if let Some(said) = read.judgement {
        let row = JudgementRow {
            capture: CaptureId::default(),
            version: CaptureId::default(),
            url: read.url,
            captured,
            digest: read.digest,
            record_id: read.record,
            query: said.query,
            judgement: said.judgement,
            who: read.who,
            date: read.date,
            rank: said.rank,
            replaced: read.undone,
            annotation: Some(read.id),
        };
        return Some((LeftApart::Judgement(row), read.captured));
    }
    let mark = MarkRow {
        capture: CaptureId::default(),
        url: read.url,
        captured,
        digest: read.digest,
        record_id: read.record,
        mark: read.mark,
        note: read.note,
        who: read.who,
        date: read.date,
        undone: read.undone,
        annotation: Some(read.id),
    };
    Some((LeftApart::Mark(mark), read.captured))
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

fn read(value: &Value) -> Result<Read, &'static str> {
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
    let mut notes = Vec::new();
    for body in bodies {
        let Some(content) = text(body).or_else(|| body.get("value").and_then(text)) else { continue };
        let assesses = body.get("purpose").and_then(Value::as_str) == Some("assessing");
        if let Some(said) = judgement_in(body, &content).filter(|_| assesses) {
            judgement = Some(said);
            continue;
        }
        match serde_json::from_value::<ReviewMark>(Value::String(content.clone())) {
            Ok(mark) if assesses && mark != ReviewMark::Note => decision = Some(mark),
            _ => notes.push(content),
        }
    }
    notes.extend(value.get("text").and_then(text).filter(|text| !text.is_empty()));
    let tags = value.get("tags").and_then(Value::as_array).into_iter().flatten();
    notes.extend(tags.filter_map(Value::as_str).map(|tag| format!("#{tag}")));
    if decision.is_none() && judgement.is_none() && notes.is_empty() {
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
    Ok(Read {
        id,
        captured: date(target.and_then(|target| target.get("state")).and_then(|state| state.get("sourceDate"))),
        digest: of_target("fonds:digest"),
        record: of_target("fonds:record"),
        url,
        mark: decision.unwrap_or(ReviewMark::Note),
        note: notes.join("\n"),
        judgement,
        who,
        date: created,
        undone: date(value.get("fonds:undone")),
    })
}

/// What a body says of a result of a search, where it names the query.
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
    /// When it was captured, where that is said.
    pub captured: Option<CaptureDate>,
    pub digest: &'a str,
    pub record: &'a str,
    /// When what names it was written.
    pub written: CaptureDate,
}

/// The capture that an annotation is about, and whether it says so itself: same
/// URL, same second and, where both have one, same digest. Otherwise the capture
/// of the URL that is nearest in time.
pub(super) fn capture_of(workspace: &Workspace, read: &Target<'_>) -> anyhow::Result<Option<(CaptureId, bool)>> {
    let catalogue = workspace.catalogue();
    let Ok(url) = Url::parse(read.url) else { return Ok(None) };
    let mut nearest: Option<(u64, CaptureId)> = None;
    for CaptureName { id, date, digest, record_id } in catalogue.capture_names(&url)? {
        let same_bytes = read.digest.is_empty() || digest.is_empty() || read.digest == digest;
        if let Some(captured) = read.captured {
            let same_second = captured.millis().div_euclid(1000) == date.millis().div_euclid(1000);
            let same_record = !read.record.is_empty() && read.record == record_id;
            if same_second && same_bytes && (same_record || nearest.is_none()) {
                nearest = Some((0, id));
            }
            continue;
        }
        let apart = date.millis().abs_diff(read.written.millis());
        if nearest.is_none_or(|(least, _)| apart < least) {
            nearest = Some((apart, id));
        }
    }
    Ok(nearest.map(|(_, id)| (id, read.captured.is_some())))
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
            annotation: None,
        };
        let written = annotation(&mark);
        let read = read(&written).unwrap();
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
        assert_eq!((found.mark, found.note.as_str()), (ReviewMark::Note, "See page 3\n#festival"));
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
