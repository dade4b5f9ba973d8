//! The boolean request: a tree, and the same as one line of text.

use crate::query::Query;
use serde::{Deserialize, Serialize};

/// The kind of thing that a term names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TermKind {
    /// One word.
    Keyword,
    /// Words in this order.
    Phrase,
    /// A person.
    Person,
    /// A place.
    Place,
    /// An organisation.
    Organisation,
    /// An event, with dates where known.
    Event,
    /// A language (ISO 639-1).
    Language,
    /// A time period.
    Period,
}

/// A term of the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The kind of thing that it names.
    pub kind: TermKind,
    /// The word, phrase or name.
    pub value: String,
    /// From -1 (speaks against) to +1 (speaks for).
    #[serde(default = "full_weight")]
    pub weight: f64,
    /// Other names of the same thing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// A URI that names it (DBpedia, Wikidata).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// First day (ISO), of an event or period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Last day (ISO), of an event or period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

fn full_weight() -> f64 {
    1.0
}

/// The subject of a campaign's pages, as a query.
pub type Request = Query<Term>;

/// A request that a further term meets as well, by itself.
pub fn with_alternative(request: Request, term: Term) -> Request {
    match request {
        request if request.is_empty() => Query::Term(term),
        Query::Or(mut parts) => {
            parts.push(Query::Term(term));
            Query::Or(parts)
        }
        request => Query::Or(vec![request, Query::Term(term)]),
    }
}

impl Term {
    /// A term of this kind with full weight and no other names.
    pub fn new(kind: TermKind, value: impl Into<String>) -> Self {
        Self { kind, value: value.into(), weight: full_weight(), aliases: Vec::new(), uri: None, from: None, to: None }
    }
}
