//! The terms that statements use, each with a prefix: `prov:used`.

/// Namespace of our own terms in RDF.
pub const VOCABULARY: &str = "urn:fonds:ns:";

/// Prefixes of the properties and classes that statements use.
const PREFIXES: [(&str, &str); 11] = [
    ("f", VOCABULARY),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("dct", "http://purl.org/dc/terms/"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("dqv", "http://www.w3.org/ns/dqv#"),
    ("oa", "http://www.w3.org/ns/oa#"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("schema", "https://schema.org/"),
    ("nif", "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"),
    ("its", "http://www.w3.org/2005/11/its/rdf#"),
];

/// Graphs of statements, each `urn:fonds:NAME`.
pub mod graphs {
    /// Facts of captures, and the locations of their hosts.
    pub const FACTS: &str = "facts";
    /// Scores of captures and what they are made of.
    pub const SCORES: &str = "scores";
    /// Decisions, notes and judgements of persons.
    pub const MARKS: &str = "marks";
    /// Links to captures.
    pub const LINKS: &str = "links";
    /// Entities that texts name, and where.
    pub const ENTITIES: &str = "entities";
    /// Crawls, selections and analyses.
    pub const RUNS: &str = "runs";
    /// Versions of campaigns, with their permissions.
    pub const CAMPAIGNS: &str = "campaigns";
}

/// The class of captures.
pub(super) const CAPTURE_CLASS: &str = "f:Capture";

/// The namespace of a term, and its name there.
pub(super) fn space_and_name(term: &str) -> (&'static str, &str) {
    let (prefix, name) = term.split_once(':').unwrap_or(("f", term));
    let space = PREFIXES.iter().find(|(known, _)| *known == prefix).map_or(VOCABULARY, |(_, space)| space);
    (space, name)
}
