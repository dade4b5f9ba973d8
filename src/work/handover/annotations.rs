//! Decisions and notes as W3C Web Annotations (Web Annotation Data Model, W3C
//! Recommendation of 23 February 2017), one JSON object a line.
//!
//! | here | there |
//! |---|---|
//! | approve, reject, flag, clear | `motivation` *assessing*, a body of that purpose with the mark as its value |
//! | a note | `motivation` *commenting* |
//! | the reason of a decision | a further body of purpose *commenting* |
//! | the capture | a `SpecificResource`: URL, `TimeState` with its second, `fonds:digest`, `fonds:record` |
//! | taken back | `fonds:undone` |

use crate::store::MarkRow;
use crate::work::models::ReviewMark;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The annotation that stands for a mark. The same mark has the same id from
/// whatever workspace it is written.
pub fn annotation(mark: &MarkRow) -> Value {
    let is_note = mark.mark == ReviewMark::Note;
    let comment = json!({ "type": "TextualBody", "purpose": "commenting", "value": mark.note });
    let decision = json!({ "type": "TextualBody", "purpose": "assessing", "value": mark.mark });
    let mut body = Vec::new();
    if !is_note {
        body.push(decision);
    }
    if is_note || !mark.note.is_empty() {
        body.push(comment);
    }
    let mut target = json!({
        "type": "SpecificResource",
        "source": mark.url,
        "state": { "type": "TimeState", "sourceDate": mark.captured.to_warc() },
    });
    for (name, value) in [("fonds:digest", &mark.digest), ("fonds:record", &mark.record_id)] {
        if !value.is_empty() {
            target[name] = json!(value);
        }
    }
    let mut annotation = json!({
        "@context": ["http://www.w3.org/ns/anno.jsonld", { "fonds": crate::export::VOCABULARY }],
        "id": mark.annotation.clone().unwrap_or_else(|| annotation_id(mark)),
        "type": "Annotation",
        "motivation": if is_note { "commenting" } else { "assessing" },
        "creator": { "type": "Person", "name": mark.who },
        "created": mark.date.to_warc(),
        "body": body,
        "target": target,
    });
    if let Some(undone) = mark.undone {
        annotation["fonds:undone"] = json!(undone.to_warc());
    }
    annotation
}

/// A UUID (version 8, RFC 9562) made of what the mark says.
pub(super) fn annotation_id(mark: &MarkRow) -> String {
    let mut hash = Sha256::new();
    let kind = serde_json::to_string(&mark.mark).unwrap_or_default();
    for part in [
        mark.url.as_str(),
        &mark.captured.millis().to_string(),
        &mark.digest,
        // Two captures of a second may declare one digest.
        &mark.record_id,
        &kind,
        &mark.note,
        &mark.who,
        &mark.date.millis().to_string(),
    ] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    format!("urn:uuid:{}", uuid::Builder::from_custom_bytes(bytes).into_uuid())
}
