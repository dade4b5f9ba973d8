//! Answers about the scope as comma-separated values.

use super::super::written::{new_folder, write_file};
use super::{what_if_hosts, what_if_rows};
use crate::export::csv_row;
use crate::jobs::{JobCx, counted};
use crate::scope::{GeoEvidence, GeoFact};
use crate::store::job_name;
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::{
    Drift, DriftList, GeoReport, MovedHost, MovedRow, MovedSide, ScopeTable, WhatIfAnswer, WhatIfList, moved_on,
};
use std::io::Write;
use std::path::Path;

/// The geo report, one row a host.
pub fn geo_csv(report: &GeoReport, out: &mut dyn Write) -> std::io::Result<()> {
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
        let [source, database, build, looked_up] = evidence.map(origin).unwrap_or_default();
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
                &looked_up,
                &also,
                &host.first_url,
                &first_seen,
                &host.first_via,
            ],
        )?;
    }
    Ok(())
}

/// A list of what another database would change, one row a host.
pub fn drift_csv(drift: &Drift, list: DriftList, out: &mut dyn Write) -> std::io::Result<()> {
    let (head, hosts) = match list {
        DriftList::Known => ("addresses", &drift.known_hosts),
        DriftList::Failed => ("last_look_up", &drift.failures),
        DriftList::ChangeSide | DriftList::Quiet | DriftList::Moved => return moved_hosts_csv(drift, list, out),
    };
    csv_row(out, &["host", head])?;
    hosts.iter().try_for_each(|(host, words)| csv_row(out, &[host.as_str(), words.as_str()]))
}

fn moved_hosts_csv(drift: &Drift, list: DriftList, out: &mut dyn Write) -> std::io::Result<()> {
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
    for host in drift.moved_hosts(list) {
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

/// Where evidence comes from: source of the addresses, database, its build, the look-up.
fn origin(evidence: &GeoEvidence) -> [String; 4] {
    [
        evidence.source.label().to_owned(),
        evidence.database.clone(),
        evidence.database_build.to_warc(),
        evidence.date.to_warc(),
    ]
}

fn moved_row(row: &MovedRow, out: &mut dyn Write) -> std::io::Result<()> {
    let index = |index: Option<usize>| index.map(|index| index.to_string()).unwrap_or_default();
    let (before, after) = (&row.before, &row.after);
    csv_row(
        out,
        &[
            &row.url,
            row.host(),
            before.decision.as_str(),
            &index(before.rule_index),
            &before.rule_name,
            after.decision.as_str(),
            &index(after.rule_index),
            &after.rule_name,
            &row.hops,
            &row.via,
            &row.bytes.map(|bytes| bytes.to_string()).unwrap_or_default(),
        ],
    )
}

/// Writes a list into a folder, which is made if absent. Files are named by
/// what they hold and the moment; none is replaced.
pub fn export_table(session: &Session, table: &ScopeTable, folder: &Path, cx: &JobCx) -> anyhow::Result<String> {
    let folder = &new_folder(&session.workspace, folder)?;
    let moment = CaptureDate::now().to_digits14();
    let path = |name: &str| folder.join(format!("{name}-{moment}.csv"));
    let mut remark = None;
    let (path, rows) = match table {
        ScopeTable::Geo(report) => {
            let path = path("geo-report");
            write_file(&path, |out| Ok(geo_csv(report, out)?))?;
            (path, report.hosts.len() as u64)
        }
        ScopeTable::Drift(drift, list) => {
            let (name, rows) = match list {
                DriftList::ChangeSide => ("geo-drift", drift.hosts.len() as u64),
                DriftList::Quiet => ("geo-drift-without-effect", drift.quiet.len() as u64),
                DriftList::Moved => ("geo-drift-other-country", drift.moved_hosts(*list).len() as u64),
                DriftList::Known => ("geo-known-hosts", drift.known),
                DriftList::Failed => ("geo-not-resolved", drift.failed),
            };
            let path = path(name);
            write_file(&path, |out| Ok(drift_csv(drift, *list, out)?))?;
            (path, rows)
        }
        ScopeTable::WhatIf(answer, list) => {
            let (path, rows) = (path(&name_of(session, *list)?), answer.figures.count(*list));
            cx.stage(format!("Writing {}", path.display()), Some(rows));
            write_file(&path, |out| {
                remark = moved_on(moved_csv(session, answer, *list, out, cx)?);
                Ok(())
            })?;
            (path, rows)
        }
        ScopeTable::WhatIfHosts(answer) => {
            let path = path("what-if-hosts");
            let hosts = what_if_hosts(session, &answer.figures, cx)?;
            write_file(&path, |out| Ok(hosts_csv(&hosts, out)?))?;
            (path, hosts.len() as u64)
        }
    };
    let remark = remark.map(|remark| format!("; {remark}")).unwrap_or_default();
    Ok(format!("{} in {}{remark}", counted(rows, "row"), path.display()))
}

/// The name of a file that holds a list. A host's name is typed by strangers:
/// of it letters, digits and dashes are left.
fn name_of(session: &Session, list: WhatIfList) -> anyhow::Result<String> {
    let name = match list {
        WhatIfList::Seen => "what-if-all-tried",
        WhatIfList::Both => "what-if-in-and-out",
        WhatIfList::Side(MovedSide::In) => "what-if-in",
        WhatIfList::Side(MovedSide::Out) => "what-if-out",
        WhatIfList::Side(MovedSide::Unknown) => "what-if-cannot-be-told",
        WhatIfList::Host(host) => {
            let names = session.catalogue().host_names(&[host.into()])?;
            let host = names.first().map(|name| job_name(name)).unwrap_or_default();
            return Ok(format!("what-if-of-{host}"));
        }
        WhatIfList::Captured => "what-if-captured",
        WhatIfList::ByRule(rule) => return Ok(format!("what-if-by-rule-{rule}")),
        WhatIfList::Unfetched => "what-if-hang-on-a-fetch",
        WhatIfList::OtherRule => "what-if-stay-by-another-rule",
    };
    Ok(name.to_owned())
}

fn hosts_csv(hosts: &[MovedHost], out: &mut dyn Write) -> std::io::Result<()> {
    csv_row(out, &["host", "urls_in", "urls_out", "captured", "bytes"])?;
    for row in hosts {
        let numbers = [row.moved_in, row.moved_out, row.captured, row.bytes].map(|number| number.to_string());
        let [into, gone, captured, bytes] = &numbers;
        csv_row(out, &[row.host.as_str(), into, gone, captured, bytes])?;
    }
    Ok(())
}

/// Writes the rows; says how many of them the catalogue has moved out of the list since.
fn moved_csv(
    session: &Session,
    answer: &WhatIfAnswer,
    list: WhatIfList,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    csv_row(
        out,
        &[
            "url",
            "host",
            "before",
            "before_rule",
            "before_rule_name",
            "after",
            "after_rule",
            "after_rule_name",
            "hops",
            "via",
            "bytes",
        ],
    )?;
    let WhatIfAnswer { campaign, edited, figures } = answer;
    let mut moved_on = 0;
    what_if_rows(session, *campaign, edited, figures, list, 0..u64::MAX, cx, |row| {
        moved_row(&row, out)?;
        moved_on += u64::from(!row.as_counted);
        Ok(cx.advance(1)?)
    })?;
    Ok(moved_on)
}
