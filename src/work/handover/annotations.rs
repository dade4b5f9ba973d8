//! Decisions, notes and judgements as W3C Web Annotations (Web Annotation Data
//! Model, W3C Recommendation of 23 February 2017), one JSON object a line.
//!
//! | here | there |
//! |---|---|
//! | approve, reject, flag, later, clear | `motivation` *assessing*, a body of that purpose with the mark as its value |
//! | a note | `motivation` *commenting* |
//! | the reason of a decision | a further body of purpose *commenting* |
//! | its judgements of content and technical quality, its reason codes | `fonds:content`, `fonds:technical`, `fonds:reasons` of the body with the mark |
//! | right, wrong, unsure, clear as a result of a search | as a mark; the body has `fonds:query` and `fonds:rank`, too |
//! | the capture | a `SpecificResource`: URL, `TimeState` with its second, `fonds:digest`, `fonds:record` |
//! | taken back, or replaced by a later judgement | `fonds:undone` |
//! | the handover or file it came with, and those before | `via`, newest first |
//!
//! What others wrote with tags, or about a URL, a host, a link or anything else than one
//! capture, leaves as it came.

use crate::analysis::Judgement;
use crate::knowledge::{AnnotationBody, PageAssessment, WebAnnotation};
use crate::store::{JudgementRow, MarkRow};
use crate::work::models::{Assessment, ReviewMark};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The name of a judgement that takes an earlier one back.
pub(super) const CLEAR: &str = "clear";

/// The prefix of the origin of an annotation, before its name.
const SOURCE: &str = "urn:fonds:source:";
/// Of names, what is written as it is.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Hands that an annotation went through and that are named.
const MAX_SOURCES: usize = 16;

/// The address of a handover or file by its name.
pub(super) fn source_address(name: &str) -> String {
    format!("{SOURCE}{}", utf8_percent_encode(name, &UNRESERVED))
}

/// The sources that an annotation passed before it came here, newest first.
pub(super) fn sources_of(annotation: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match annotation.get("via") {
        Some(Value::Array(sources)) => sources.iter().filter_map(text).take(MAX_SOURCES).collect(),
        source => source.and_then(text).into_iter().collect(),
    }
}

/// The annotation of a mark. The same mark has the same id from whatever workspace it is written.
pub fn annotation(mark: &MarkRow) -> Value {
    let came = mark.annotation.as_deref().zip(mark.line.as_deref());
    let value = came.and_then(|(id, line)| as_it_came(id, line)).unwrap_or_else(|| of_mark(mark, &[]).json());
    from_source(value, mark.origin.as_deref())
}

/// An annotation as it came from elsewhere, with the id that it is known by.
pub(super) fn as_it_came(id: &str, line: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    value.as_object_mut()?.entry("id").or_insert_with(|| json!(id));
    Some(value)
}

/// The annotation with its origin, before the origins that it had there.
pub(super) fn from_source(mut annotation: Value, origin: Option<&str>) -> Value {
    let Some(origin) = origin else { return annotation };
    let mut sources = sources_of(&annotation);
    sources.insert(0, source_address(origin));
    sources.truncate(MAX_SOURCES);
    if let Some(fields) = annotation.as_object_mut() {
        fields.insert("via".to_owned(), json!(sources));
    }
    annotation
}

/// A mark as this program writes it, whatever it came as, and its tags.
pub(super) fn of_mark(mark: &MarkRow, tags: &[String]) -> WebAnnotation {
    let decision = match mark.mark {
        ReviewMark::Approve => Some("f:approve"),
        ReviewMark::Reject => Some("f:reject"),
        ReviewMark::Flag => Some("f:flag"),
        ReviewMark::Later => Some("f:later"),
        ReviewMark::Clear => Some("f:clear"),
        ReviewMark::Note => None,
    };
    let Assessment { content, technical, codes } = mark.assessment.clone();
    let assessment = PageAssessment { content, technical, reasons: codes };
    let has_comment = !mark.note.is_empty() || decision.is_none() && tags.is_empty();
    let comment = has_comment.then(|| AnnotationBody::Comment(mark.note.clone()));
    WebAnnotation {
        id: mark.annotation.clone().unwrap_or_else(|| annotation_id(mark)),
        who: mark.who.clone(),
        date: mark.date,
        undone: mark.undone,
        url: mark.url.clone(),
        captured: Some(mark.captured),
        digest: mark.digest.clone(),
        record_id: mark.record_id.clone(),
        bodies: decision
            .map(|term| AnnotationBody::Decision(term, assessment))
            .into_iter()
            .chain(comment)
            .chain(tags_of(tags))
            .collect(),
        sources: Vec::new(),
    }
}

/// A judgement as an annotation.
pub(super) fn of_judgement(row: &JudgementRow, tags: &[String]) -> WebAnnotation {
    let value = judgement_name(row.judgement);
    let body = AnnotationBody::Judgement { value, query: row.query.clone(), rank: row.rank };
    WebAnnotation {
        id: judgement_id(row),
        who: row.who.clone(),
        date: row.date,
        undone: row.replaced,
        url: row.url.clone(),
        captured: Some(row.captured),
        digest: row.digest.clone(),
        record_id: row.record_id.clone(),
        bodies: std::iter::once(body).chain(tags_of(tags)).collect(),
        sources: Vec::new(),
    }
}

fn tags_of(tags: &[String]) -> impl Iterator<Item = AnnotationBody> {
    tags.iter().cloned().map(AnnotationBody::Tag)
}

/// The annotation of a judgement; its id as that of a mark.
pub(super) fn judgement_annotation(row: &JudgementRow) -> Value {
    let came = row.annotation.as_deref().zip(row.line.as_deref());
    let value = came.and_then(|(id, line)| as_it_came(id, line)).unwrap_or_else(|| of_judgement(row, &[]).json());
    from_source(value, row.origin.as_deref())
}

pub(super) fn judgement_name(judgement: Option<Judgement>) -> &'static str {
    judgement.map_or(CLEAR, Judgement::name)
}

/// A UUID (version 8, RFC 9562) made of the content of the mark.
pub(super) fn annotation_id(mark: &MarkRow) -> String {
    let kind = serde_json::to_string(&mark.mark).unwrap_or_default();
    id_of(&[
        mark.url.as_str(),
        &mark.captured.millis().to_string(),
        &mark.digest,
        // Two captures of a second may declare one digest.
        &mark.record_id,
        &kind,
        &mark.note,
        &mark.who,
        &mark.date.millis().to_string(),
    ])
}

/// A UUID made of the content of a judgement; that of another workspace has its own.
pub(super) fn judgement_id(row: &JudgementRow) -> String {
    let of_parts = || {
        id_of(&[
            row.url.as_str(),
            &row.captured.millis().to_string(),
            &row.digest,
            &row.record_id,
            judgement_name(row.judgement),
            &row.query,
            &row.who,
            &row.date.millis().to_string(),
        ])
    };
    row.annotation.clone().unwrap_or_else(of_parts)
}

fn id_of(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    format!("urn:uuid:{}", uuid::Builder::from_custom_bytes(bytes).into_uuid())
}
