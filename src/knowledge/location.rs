//! The location of a host is written as JSON and as statements.

use super::graphs::FACTS;
use super::part_of_address;
use super::statement::{RdfNode, Statements};
use crate::scope::{GeoEvidence, GeoFact};
use serde_json::{Value, json};

/// The location of a host as a metadata record has it; null where nobody looked it up.
pub fn location_json(host: &str, location: &GeoFact) -> Value {
    match location {
        GeoFact::NotQueried => Value::Null,
        GeoFact::Failed { why } => json!({ "host": host, "failed": why }),
        GeoFact::Known(evidence) => json!({
            "host": host,
            "date": evidence.date.to_warc(),
            "addresses": evidence.addresses,
            "database": evidence.database,
            "databaseBuilt": evidence.database_build.to_warc(),
            "source": evidence.source,
        }),
    }
}

fn location_address(host: &str, location: &GeoEvidence) -> String {
    format!("urn:fonds:location:{}.{}", part_of_address(host), location.date.to_digits17())
}

/// The node of the location of a host: another one where it was looked up again.
pub fn location_node(host: &str, location: &GeoEvidence) -> RdfNode {
    RdfNode::Iri(location_address(host, location))
}

/// States the location of a host, with its addresses and the database that has it.
pub fn state_location(out: &mut Statements, host: &str, location: &GeoEvidence) {
    let address = location_address(host, location);
    let of = |number: usize| RdfNode::Iri(format!("{address}#{number}"));
    let mut about = out
        .about(FACTS, location_node(host, location))
        .is_a("f:HostLocation")
        .text("f:host", host)
        .date("prov:generatedAtTime", location.date)
        .text("f:database", if location.database.is_empty() { "unknown" } else { &location.database })
        .date("f:databaseBuilt", location.database_build)
        .text("f:source", location.source.label());
    for number in 0..location.addresses.len() {
        about = about.node("f:hasAddress", of(number));
    }
    drop(about);
    for (number, place) in location.addresses.iter().enumerate() {
        out.about(FACTS, of(number))
            .is_a("f:ServerAddress")
            .text("f:address", &place.address.to_string())
            .text("f:network", &place.network.to_string())
            .text("f:country", place.country.as_deref().unwrap_or_default());
    }
}
