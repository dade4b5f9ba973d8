//! Answers about hosts and countries as comma-separated values.

use crate::export::csv_row;
use crate::scope::{GeoEvidence, GeoFact};
use crate::work::models::{Drift, GeoReport};
use std::io::Write;

/// The geo report, one row a host.
pub(super) fn geo_csv(report: &GeoReport, out: &mut dyn Write) -> std::io::Result<()> {
    csv_row(
        out,
        &[
            "host",
            "urls",
            "captures",
            "bytes",
            "addresses",
            "addresses_from",
            "database",
            "database_build",
            "looked_up",
            "also_accepted_by",
            "first_url",
            "first_seen",
            "first_via",
        ],
    )?;
    for host in &report.hosts {
        let evidence = match &host.evidence {
            GeoFact::Known(evidence) => Some(evidence),
            _ => None,
        };
        let addresses = evidence.map_or_else(|| "no evidence is kept".to_owned(), GeoEvidence::places);
        let [source, database, build, lookup_date] = evidence.map(origin).unwrap_or_default();
        let [urls, captures, bytes] = [host.urls, host.captures, host.bytes].map(|number| number.to_string());
        let (also, first_seen) = (host.also.join(" "), host.first_seen.to_warc());
        csv_row(
            out,
            &[
                &host.host,
                &urls,
                &captures,
                &bytes,
                &addresses,
                &source,
                &database,
                &build,
                &lookup_date,
                &also,
                &host.first_url,
                &first_seen,
                &host.first_via,
            ],
        )?;
    }
    Ok(())
}

/// Writes the changes of another database, one row a host.
pub(super) fn drift_csv(drift: &Drift, out: &mut dyn Write) -> std::io::Result<()> {
    csv_row(
        out,
        &[
            "host",
            "urls_in",
            "urls_out",
            "old_addresses",
            "old_database",
            "old_build",
            "new_addresses",
            "new_database",
            "new_build",
            "example",
        ],
    )?;
    for host in &drift.hosts {
        let ([_, old_database, old_build, _], [_, new_database, new_build, _]) = (origin(&host.old), origin(&host.new));
        csv_row(
            out,
            &[
                &host.host,
                &host.moved_in.to_string(),
                &host.moved_out.to_string(),
                &host.old.places(),
                &old_database,
                &old_build,
                &host.new.places(),
                &new_database,
                &new_build,
                &host.example,
            ],
        )?;
    }
    Ok(())
}

/// The origin of evidence: source of the addresses, database, its build, date of the look-up.
fn origin(evidence: &GeoEvidence) -> [String; 4] {
    [
        evidence.source.label().to_owned(),
        evidence.database.clone(),
        evidence.database_build.to_warc(),
        evidence.date.to_warc(),
    ]
}
