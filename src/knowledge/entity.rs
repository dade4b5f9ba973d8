//! Entities that texts of captures name, and where they name them (NIF 2.0, ITS 2.0).

use super::graphs::{ENTITIES, RUNS};
use super::part_of_address;
use super::statement::{RdfNode, Statements};
use crate::analysis::entities::EntityKind;
use crate::uri::CaptureDate;
use serde::Serialize;

/// An entity that the text of a capture names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaptureEntity {
    /// Its name. Hostile text.
    pub name: String,
    /// Its kind.
    pub kind: EntityKind,
    /// What names it in its authority file; empty where it has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uri: String,
    /// The authority files and campaigns that have it; empty for a run of capitalised words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Places where it is named, in all.
    pub mentions: u64,
    /// The first of them.
    pub places: Vec<EntityPlace>,
}

/// A place where a text names an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityPlace {
    /// Its first character (Unicode code point) in the main text, from 0.
    pub start: u32,
    /// The character behind it.
    pub end: u32,
    /// As it is written. Hostile text.
    pub text: String,
}

/// The entities of a capture, by an analysis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureEntities {
    /// SHA-256 of what the analysis follows from.
    pub analysis: String,
    /// Persons were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_persons: bool,
    /// The entities, in the order of the text.
    pub list: Vec<CaptureEntity>,
}

/// An analysis, as statements have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedAnalysis {
    /// SHA-256 of what it follows from.
    pub digest: String,
    /// The version of the program that made it.
    pub program: String,
    /// What was analysed, in words.
    pub inputs: String,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: Option<CaptureDate>,
    /// Persons were left out of what is stated.
    pub without_persons: bool,
}

fn analysis_node(digest: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:analysis:{}", part_of_address(digest)))
}

/// The node of an entity: its URI, or one of its kind and name.
pub fn entity_node(kind: EntityKind, name: &str, uri: &str) -> RdfNode {
    RdfNode::Iri(match uri {
        "" => format!("urn:fonds:entity:{}:{}", kind.name(), part_of_address(name)),
        uri => uri.to_owned(),
    })
}

/// The class of schema.org that entities of a kind are of.
fn class_of(kind: EntityKind) -> Option<&'static str> {
    match kind {
        EntityKind::Person => Some("schema:Person"),
        EntityKind::Place => Some("schema:Place"),
        EntityKind::Organisation => Some("schema:Organization"),
        EntityKind::Event => Some("schema:Event"),
        EntityKind::Unknown => None,
    }
}

/// States an entity itself.
pub fn state_entity(out: &mut Statements, entity: &CaptureEntity) {
    let node = entity_node(entity.kind, &entity.name, &entity.uri);
    let about = out.about(ENTITIES, node).is_a("f:Entity").text("rdfs:label", &entity.name);
    let about = about.text("dct:source", &entity.source);
    if let Some(class) = class_of(entity.kind) {
        about.is_a(class);
    }
}

/// States the analysis that found entities.
pub fn state_analysis(out: &mut Statements, of: &StatedAnalysis, software: RdfNode) {
    let mut about = out
        .about(RUNS, analysis_node(&of.digest))
        .is_a("prov:Activity")
        .is_a("f:Analysis")
        .date("prov:startedAtTime", of.started)
        .text("dct:description", &of.inputs)
        .text("f:program", &of.program)
        .node("prov:wasAssociatedWith", software);
    if let Some(ended) = of.ended {
        about = about.date("prov:endedAtTime", ended);
    }
    if of.without_persons {
        about.text("rdfs:comment", "Persons were left out of this export.");
    }
}

impl CaptureEntities {
    /// States which entities a capture names, and where. The entities themselves are stated once, by [`state_entity`].
    pub(super) fn state(&self, out: &mut Statements) {
        if self.list.is_empty() {
            return;
        }
        let text = RdfNode::PartOfCapture("text".to_owned());
        out.about(ENTITIES, text.clone())
            .is_a("nif:Context")
            .node("prov:wasDerivedFrom", RdfNode::Capture)
            .node("prov:wasGeneratedBy", analysis_node(&self.analysis));
        for entity in &self.list {
            let node = entity_node(entity.kind, &entity.name, &entity.uri);
            out.about(ENTITIES, RdfNode::Capture).node("schema:mentions", node.clone());
            for place in &entity.places {
                let part = RdfNode::PartOfCapture(format!("char={},{}", place.start, place.end));
                out.about(ENTITIES, part)
                    .is_a("nif:Phrase")
                    .node("nif:referenceContext", text.clone())
                    .count("nif:beginIndex", place.start.into())
                    .count("nif:endIndex", place.end.into())
                    .text("nif:anchorOf", &place.text)
                    .node("its:taIdentRef", node.clone());
            }
        }
    }
}
