//! Knowledge is written as statements (RDF): the vocabulary, statements, and how they become
//! N-Quads; campaigns are read back from them.
//!
//! In: what other rooms know of captures, campaigns and decisions, as values. Out: [`Statement`]s, their lines of N-Quads,
//! and [`CaptureKnowledge`], which writes what is known of a capture as the JSON of its metadata record and as statements.
//!
//! | here | there |
//! |---|---|
//! | capture | the record's id; `f:Capture`, `prov:specializationOf` its URL |
//! | score and its parts | `dqv:QualityMeasurement`, one each |
//! | finding of a check of review | `dqv:QualityMeasurement` of that check, its severity; a mark of a person on it is a judgement |
//! | mark, note | `oa:Annotation` with who and when |
//! | tag of an annotation of others | a further body of it, of purpose *tagging* |
//! | what an annotation came with from elsewhere | `prov:wasQuotedFrom` |
//! | judgement of a result of a search | the same; its body is an `f:Judgement` with query and rank |
//! | link to a capture | `f:Link` with its text |
//! | entity that a text names, and where | `schema:mentions` the entity; `nif:Phrase` with characters, `its:taIdentRef` the entity |
//! | analysis | `prov:Activity` that the `nif:Context` of a capture came from |
//! | verdict of the scope | `f:Verdict` |
//! | location of a host | `f:HostLocation`, once a host; captures have `f:hostLocation` |
//! | permission | `f:Permission`, by the digest of its content; versions and captures refer to it |
//! | domains or countries of the campaign | `f:Grounds`, once a version; captures refer to them |
//! | file that proves a permission | `f:EvidenceFile`, by its digest |
//! | crawl, selection | `prov:Activity` |
//! | what a campaign asks for | the names of ARCOMEM's crawl specification ([`SPECIFICATION_TERMS`]), read back by [`read_specification`] |
//! | version of the campaign | `prov:Entity`, `prov:specializationOf` the campaign by its identity, `prov:wasRevisionOf` the one before |
//!
//! The graphs are `facts`, `scores`, `marks`, `links`, `entities`, `runs` and `campaigns`,
//! each `urn:fonds:NAME`.
//!
//! Invariants: a statement becomes one line that any reader of N-Quads takes, whatever strangers wrote into it; the same
//! statement becomes the same bytes in every workspace.
//!
//! Not here: where what is known comes from, and into which records and files it goes (see [`crate::export`]).

mod annotation;
mod authority;
mod campaign;
mod capture;
mod entity;
mod links;
mod location;
mod quads;
mod read_specification;
mod specification;
#[cfg(test)]
mod specification_tests;
mod statement;
mod vocabulary;

pub use annotation::{AnnotationBody, PageAssessment, WebAnnotation};
pub use authority::{authority_of_statements, authority_of_table, checked_entities};
pub use campaign::{
    EvidenceOf, ListedEvidence, campaign_address, domains_node, hosting_node, permission_node, state_grounds,
    state_version,
};
pub use capture::{
    CaptureInlink, CaptureInlinks, CaptureKnowledge, CaptureOrigin, KnownFinding, KnownNote, KnownScore,
};
pub use entity::{
    CaptureEntities, CaptureEntity, EntityPlace, StatedAnalysis, entity_node, state_analysis, state_entity,
};
pub use links::{StatedLink, push_links, stated_links};
pub use location::{location_json, location_node, state_location};
pub use quads::{CaptureIri, address_of, is_about, read_quad};
pub use read_specification::{RdfSyntax, SpecificationRead, read_specification};
pub use specification::{SPECIFICATION_TERMS, SpecificationTerm, state_newest_version};
pub use statement::{AboutNode, RdfNode, RdfValue, Statement, Statements};
pub use vocabulary::{VOCABULARY, graphs};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Text of people as a part of an address.
fn part_of_address(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The node of a part of scores.
pub fn part_of_score(name: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:ns:part-{}", part_of_address(name)))
}

/// The node of a check of review.
pub fn check_node(id: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:ns:check-{}", part_of_address(id)))
}

/// The node of a launch of a crawl.
pub fn launch_node(job: &str, launch: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:launch:{}/{}", part_of_address(job), part_of_address(launch)))
}
