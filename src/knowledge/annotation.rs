//! Decisions, notes and judgements of persons, as W3C Web Annotations (Web Annotation Data Model, W3C Recommendation of
//! 23 February 2017) in JSON and as statements.

use super::graphs::MARKS;
use super::statement::{RdfNode, Statements};
use super::{VOCABULARY, part_of_address};
use crate::uri::CaptureDate;
use serde_json::{Value, json};

/// A statement of a person about something, made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAnnotation {
    /// Its address.
    pub id: String,
    /// The person who gave it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// When it was taken back or replaced.
    pub undone: Option<CaptureDate>,
    /// The URL that it is about.
    pub url: String,
    /// When that was captured; none where it is about something else than one capture.
    pub captured: Option<CaptureDate>,
    /// The payload digest of the capture.
    pub digest: String,
    /// The id of its record.
    pub record_id: String,
    /// Its content.
    pub bodies: Vec<AnnotationBody>,
    /// The addresses of what it came with from elsewhere, newest first.
    pub sources: Vec<String>,
}

/// The content of an annotation: a decision, text, tag or judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnnotationBody {
    /// A decision, by its term (`f:approve`), with what it says of the page.
    Decision(&'static str, PageAssessment),
    /// A reason or a note.
    Comment(String),
    /// A judgement of a result of a search.
    Judgement {
        /// The judgement by its name.
        value: &'static str,
        /// The line that was searched.
        query: String,
        /// The place among the results, from 1.
        rank: Option<u64>,
    },
    /// A tag of others.
    Tag(String),
}

/// The two judgements that a decision makes of a page, and the reason codes that were chosen with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAssessment {
    /// Whether the content is sound; none where nobody judged it.
    pub content: Option<bool>,
    /// Whether the capture is technically sound; none where nobody judged it.
    pub technical: Option<bool>,
    /// The reason codes.
    pub reasons: Vec<String>,
}

impl PageAssessment {
    /// The two judgements by the names of their fields, in words.
    fn judged(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let of = |is_sound: bool| if is_sound { SOUND } else { FAULTY };
        let both = [("content", self.content), ("technical", self.technical)];
        both.into_iter().filter_map(move |(name, is_sound)| Some((name, of(is_sound?))))
    }

    /// What the body of an annotation says of a page.
    pub fn of_json(body: &Value) -> Self {
        let of = |name: &str| match body.get(name)?.as_str()? {
            SOUND => Some(true),
            FAULTY => Some(false),
            _ => None,
        };
        let reasons = body.get("fonds:reasons").and_then(Value::as_array).into_iter().flatten();
        let reasons = reasons.filter_map(|reason| reason.as_str().map(str::to_owned)).take(MOST_REASONS).collect();
        Self { content: of("fonds:content"), technical: of("fonds:technical"), reasons }
    }
}

const SOUND: &str = "sound";
const FAULTY: &str = "faulty";
/// Reason codes that are read of one decision.
const MOST_REASONS: usize = 9;

impl WebAnnotation {
    /// Whether it decides or judges; else it comments.
    fn is_assessing(&self) -> bool {
        self.bodies.iter().any(|body| matches!(body, AnnotationBody::Decision(..) | AnnotationBody::Judgement { .. }))
    }

    /// The object of a file of annotations; tags and sources are none of what this program writes itself.
    pub fn json(&self) -> Value {
        let bodies: Vec<Value> = self.bodies.iter().map(AnnotationBody::json).collect();
        let mut target = json!({ "type": "SpecificResource", "source": self.url });
        if let Some(captured) = self.captured {
            target["state"] = json!({ "type": "TimeState", "sourceDate": captured.to_warc() });
        }
        for (name, value) in [("fonds:digest", &self.digest), ("fonds:record", &self.record_id)] {
            if !value.is_empty() {
                target[name] = json!(value);
            }
        }
        let mut annotation = json!({
            "@context": ["http://www.w3.org/ns/anno.jsonld", { "fonds": VOCABULARY }],
            "id": self.id,
            "type": "Annotation",
            "motivation": if self.is_assessing() { "assessing" } else { "commenting" },
            "creator": { "type": "Person", "name": self.who },
            "created": self.date.to_warc(),
            "body": bodies,
            "target": target,
        });
        if let Some(undone) = self.undone {
            annotation["fonds:undone"] = json!(undone.to_warc());
        }
        annotation
    }

    /// States it; `is_exported` is set where its capture is handed over. What is about something else,
    /// or about a capture that is not, describes its target.
    pub fn state(&self, out: &mut Statements, is_exported: bool) {
        let this = || RdfNode::Iri(self.id.clone());
        let of = |name: &str| RdfNode::Iri(format!("{}#{name}", self.id));
        let describes_target = !is_exported || self.captured.is_none();
        let who = if self.who.trim().is_empty() { "unknown" } else { self.who.trim() };
        let person = RdfNode::Iri(format!("urn:fonds:person:{}", part_of_address(who)));
        let motive = if self.is_assessing() { "oa:assessing" } else { "oa:commenting" };
        let about = out
            .about(MARKS, this())
            .is_a("oa:Annotation")
            .node("oa:motivatedBy", RdfNode::Term(motive))
            .node("oa:hasTarget", if describes_target { of("target") } else { RdfNode::Capture })
            .node("dct:creator", person.clone())
            .date("dct:created", self.date);
        if let Some(undone) = self.undone {
            about.date("prov:invalidatedAtTime", undone);
        }
        out.about(MARKS, person).is_a("foaf:Person").text("foaf:name", who);
        if describes_target {
            self.state_target(out, &of);
        }
        let mut tags = 0;
        for body in &self.bodies {
            body.state(out, &this, &of, &mut tags);
        }
        for source in &self.sources {
            out.about(MARKS, this()).iri("prov:wasQuotedFrom", source);
        }
    }

    fn state_target(&self, out: &mut Statements, of: &dyn Fn(&str) -> RdfNode) {
        let about = out
            .about(MARKS, of("target"))
            .is_a("oa:SpecificResource")
            .iri("oa:hasSource", &self.url)
            .text("f:url", &self.url)
            .text("f:digest", &self.digest);
        if let Some(captured) = self.captured {
            drop(about.node("oa:hasState", of("state")));
            out.about(MARKS, of("state")).is_a("oa:TimeState").date("oa:sourceDate", captured);
        }
    }
}

impl AnnotationBody {
    fn json(&self) -> Value {
        let text = |purpose: &str, value: &str| json!({ "type": "TextualBody", "purpose": purpose, "value": value });
        match self {
            Self::Decision(term, assessment) => {
                let mut body = text("assessing", term.trim_start_matches("f:"));
                for (name, judged) in assessment.judged() {
                    body[format!("fonds:{name}")] = json!(judged);
                }
                if !assessment.reasons.is_empty() {
                    body["fonds:reasons"] = json!(assessment.reasons);
                }
                body
            }
            Self::Comment(comment) => text("commenting", comment),
            Self::Tag(tag) => text("tagging", tag),
            Self::Judgement { value, query, rank } => {
                let mut body = text("assessing", value);
                body["fonds:query"] = json!(query);
                if let Some(rank) = rank {
                    body["fonds:rank"] = json!(rank);
                }
                body
            }
        }
    }

    fn state(&self, out: &mut Statements, this: &dyn Fn() -> RdfNode, of: &dyn Fn(&str) -> RdfNode, tags: &mut usize) {
        let (node, purpose, text) = match self {
            Self::Decision(term, assessment) => {
                let mut about = out.about(MARKS, this()).node("oa:hasBody", RdfNode::Term(term));
                for (name, judged) in assessment.judged() {
                    about = about.text(if name == "content" { "f:content" } else { "f:technical" }, judged);
                }
                for reason in &assessment.reasons {
                    about = about.text("f:reason", reason);
                }
                return;
            }
            Self::Comment(comment) => (of("comment"), "oa:commenting", comment.as_str()),
            Self::Judgement { value, .. } => (of("judgement"), "oa:assessing", *value),
            Self::Tag(tag) => {
                *tags += 1;
                (of(&format!("tag-{}", *tags - 1)), "oa:tagging", tag.as_str())
            }
        };
        out.about(MARKS, this()).node("oa:hasBody", node.clone());
        let mut about = out
            .about(MARKS, node)
            .is_a("oa:TextualBody")
            .node("oa:hasPurpose", RdfNode::Term(purpose))
            .text("rdf:value", text);
        if let Self::Judgement { query, rank, .. } = self {
            about = about.is_a("f:Judgement").text("f:query", query);
            if let Some(rank) = rank {
                about.count("f:rank", *rank);
            }
        }
    }
}
