//! A statement is about a capture or another thing, before it is written as RDF.

use crate::uri::CaptureDate;

/// The subject of a statement, or the thing that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RdfNode {
    /// The capture that an item of an export is: its record there.
    Capture,
    /// A part of it: a score, a link to it.
    PartOfCapture(String),
    /// Anything else, by its address.
    Iri(String),
    /// A term of a vocabulary: `f:keep`.
    Term(&'static str),
}

/// The object of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum RdfValue {
    /// Another thing.
    Node(RdfNode),
    /// Text.
    Text(String),
    /// A moment.
    Date(CaptureDate),
    /// A number without a unit.
    Real(f64),
    /// A count.
    Count(u64),
}

/// A statement: a quad of RDF.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Name of its graph.
    pub graph: &'static str,
    /// Its subject.
    pub subject: RdfNode,
    /// The property, as `prov:used`.
    pub property: &'static str,
    /// Its value.
    pub value: RdfValue,
}

/// Statements in the making.
#[derive(Debug, Clone, Default)]
pub struct Statements(Vec<Statement>);

impl Statements {
    /// Statements about a thing, in a graph.
    pub fn about(&mut self, graph: &'static str, subject: RdfNode) -> AboutNode<'_> {
        AboutNode { of: self, graph, subject }
    }

    /// Takes them out.
    pub fn take(&mut self) -> Vec<Statement> {
        std::mem::take(&mut self.0)
    }
}

/// Statements about one thing. What is empty is not stated.
pub struct AboutNode<'s> {
    of: &'s mut Statements,
    graph: &'static str,
    subject: RdfNode,
}

impl AboutNode<'_> {
    fn push(self, property: &'static str, value: RdfValue) -> Self {
        self.of.0.push(Statement { graph: self.graph, subject: self.subject.clone(), property, value });
        self
    }

    /// States that it is one of a class.
    pub fn is_a(self, class: &'static str) -> Self {
        self.push("rdf:type", RdfValue::Node(RdfNode::Term(class)))
    }

    /// Another thing.
    pub fn node(self, property: &'static str, node: RdfNode) -> Self {
        self.push(property, RdfValue::Node(node))
    }

    /// An address.
    pub fn iri(self, property: &'static str, address: &str) -> Self {
        if address.is_empty() { self } else { self.node(property, RdfNode::Iri(address.to_owned())) }
    }

    /// Text.
    pub fn text(self, property: &'static str, text: &str) -> Self {
        if text.is_empty() { self } else { self.push(property, RdfValue::Text(text.to_owned())) }
    }

    /// A moment.
    pub fn date(self, property: &'static str, date: CaptureDate) -> Self {
        self.push(property, RdfValue::Date(date))
    }

    /// A number.
    pub fn real(self, property: &'static str, number: f64) -> Self {
        if number.is_finite() { self.push(property, RdfValue::Real(number)) } else { self }
    }

    /// States a count.
    pub fn count(self, property: &'static str, count: u64) -> Self {
        self.push(property, RdfValue::Count(count))
    }
}
