//! `fonds check`: what is wrong with captured pages, hosts and launches.

use crate::analysis::checks::{CHECKS, Check, FindingState, check_of_id};
use crate::cli::FINE;
use crate::cli::campaign::session;
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::search::query_text::QueryText;
use crate::jobs::counted;
use crate::store::{CheckPrecision, KeptFinding, LaunchFinding, ListedFinding};
use crate::uri::CaptureDate;
use crate::work::models::CaptureQuery;
use crate::work::{self, JobKind, Report, Session};
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Pages of a check that the plain list names.
const NAMED: usize = 10;

/// Check captured pages, hosts and launches, and list what is wrong with them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds check my-archive\n  fonds check my-archive 'check:soft-404 host:gov.pt' --json\n  \
    fonds check my-archive --explain soft-404\n  fonds check my-archive --list\n  \
    fonds check my-archive 'url:/news/7' --false-alarm soft-404 --by 'Ana Reis'\n  \
    fonds check my-archive --set soft-404.main_words=80 --off consent-wall\n\n\
    States are problem, odd and not applicable; where a check says nothing, nothing is known. A problem needs two signs that \
    do not depend on each other, or a fact. Severity is the weight of the check times the strength of its signs, 0 to 1; pages \
    with the greatest loss come first.\n\n\
    Checks read what the index and the catalogue keep, nothing is fetched. Only what changed is read; after another \
    threshold findings follow from kept signs. What persons say of findings counts for the precision that each check is \
    shown with; a false alarm hides the finding on that URL until its content changes.\n\n\
    Fields of filters: check:ID, check:ID/odd, finding:problem, finding:odd, finding:none, loss>=0.5, breaks:URL."
)]
pub struct PageCheckArgs {
    /// Workspace.
    folder: PathBuf,
    /// Only captures that this filter finds, as fonds captures has it.
    #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    /// Show rule, thresholds and sources of a check.
    #[arg(long, value_name = "CHECK")]
    explain: Option<String>,
    /// List all checks with their precision.
    #[arg(long, conflicts_with = "explain")]
    list: bool,
    /// Say that the findings of a check on the captures of the filter are right.
    #[arg(long, value_name = "CHECK", conflicts_with_all = ["explain", "list"])]
    confirm: Option<String>,
    /// Say that they are false alarms.
    #[arg(long, value_name = "CHECK", conflicts_with_all = ["explain", "list", "confirm"])]
    false_alarm: Option<String>,
    /// Who says so; the system's user name without it.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Set a threshold; without a value (CHECK.NAME=) that of the program. Can be given several times.
    #[arg(long, value_name = "CHECK.NAME=NUMBER")]
    set: Vec<String>,
    /// Switch a check off. Can be given several times.
    #[arg(long, value_name = "CHECK")]
    off: Vec<String>,
    /// Switch a check on again. Can be given several times.
    #[arg(long, value_name = "CHECK")]
    on: Vec<String>,
    /// One object a finding: url, date, check, state, severity, evidence.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &PageCheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    change_settings(&session, args)?;
    if let Some(id) = &args.explain {
        return explain(&session, named(id)?, args.json, out);
    }
    if args.list {
        return list(&session, args.json, out);
    }
    let report = with_progress(|cx| session.check_pages(cx))?;
    let query = CaptureQuery { filter: args.filter.to_string(), ..work::everything() };
    if let Some((id, is_right)) =
        args.confirm.as_ref().map(|id| (id, true)).or(args.false_alarm.as_ref().map(|id| (id, false)))
    {
        return mark(&session, args, named(id)?, is_right, &query, out);
    }
    let mut table: BTreeMap<String, CheckLines> = BTreeMap::new();
    let mut writer = BufWriter::new(out);
    session.catalogue().each_finding(&query, |of| {
        match args.json {
            true => json_line(&mut writer, &object(&of))?,
            false if of.finding.false_alarm => {}
            false => table.entry(of.finding.check.clone()).or_default().add(&of.finding, of.date, &of.url),
        }
        Ok::<(), anyhow::Error>(())
    })?;
    // Findings on launches are about no capture: a filter leaves them out.
    let launches = if query.filter.is_empty() { session.catalogue().launch_findings(None)? } else { Vec::new() };
    if args.json {
        for finding in &launches {
            json_line(&mut writer, &launch_object(finding))?;
        }
    } else {
        for of in &launches {
            table.entry(of.finding.check.clone()).or_default().add(&of.finding, of.date, &of.subject);
        }
        write_table(&session, &table, &mut writer)?;
    }
    writer.flush()?;
    notice!("{}", report.summary());
    for of in session.catalogue().check_precision()?.iter().filter(|of| of.offers_off) {
        notice!("{} was {}; switch it off: fonds check {} --off {0}", of.check, of.label(), args.folder.display());
    }
    Ok(FINE)
}

/// The check of a name.
fn named(id: &str) -> anyhow::Result<&'static Check> {
    check_of_id(id).with_context(|| {
        let ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
        format!("there is no check “{id}”; checks are {}", ids.join(", "))
    })
}

fn object(of: &ListedFinding) -> Value {
    let mut object = json!({
        "url": of.url, "date": of.date.to_warc(), "check": of.finding.check, "state": of.finding.state.as_str(),
        "severity": of.finding.severity, "evidence": of.finding.evidence, "capture": of.capture,
    });
    if let (true, Some(object)) = (of.finding.false_alarm, object.as_object_mut()) {
        object.insert("false_alarm".to_owned(), Value::Bool(true));
    }
    object
}

fn launch_object(of: &LaunchFinding) -> Value {
    json!({
        "url": of.subject, "date": of.date.to_warc(), "check": of.finding.check, "state": of.finding.state.as_str(),
        "severity": of.finding.severity, "evidence": of.finding.evidence, "launch": of.launch,
    })
}

/// What a check found: how often, and the first findings in words.
#[derive(Default)]
struct CheckLines {
    counts: [u64; FindingState::ALL.len()],
    first: Vec<String>,
}

impl CheckLines {
    fn add(&mut self, finding: &KeptFinding, date: CaptureDate, subject: &str) {
        for (count, _) in self.counts.iter_mut().zip(FindingState::ALL).filter(|(_, of)| *of == finding.state) {
            *count += 1;
        }
        if finding.state != FindingState::NotApplicable && self.first.len() < NAMED {
            self.first.push(format!("{}\t{}\t{}", date.to_readable(), plain(subject), plain(finding.text())));
        }
    }
}

/// Writes counts of each check, and the pages that lost most by it.
fn write_table(session: &Session, table: &BTreeMap<String, CheckLines>, out: &mut dyn Write) -> anyhow::Result<()> {
    let precision = session.catalogue().check_precision()?;
    for check in CHECKS {
        let Some(lines) = table.get(check.id) else { continue };
        let [problems, odd, silent] = lines.counts;
        let marked = precision.iter().find(|of| of.check == check.id).map(CheckPrecision::label).unwrap_or_default();
        writeln!(
            out,
            "{} ({}): {}, {odd} odd, {silent} not applicable; {marked}",
            check.label,
            check.id,
            counted(problems, "problem")
        )?;
        for line in &lines.first {
            writeln!(out, "  {line}")?;
        }
        let more = (problems + odd).saturating_sub(lines.first.len() as u64);
        if more > 0 {
            writeln!(out, "  and {more} more: check:{}", check.id)?;
        }
    }
    if table.is_empty() {
        writeln!(out, "No check found anything. That is no proof that all is well.")?;
    }
    Ok(())
}

fn explain(session: &Session, check: &'static Check, as_json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let settings = session.catalogue().check_settings()?;
    let limits = settings.limits(check);
    let precision = session.catalogue().check_precision()?.into_iter().find(|of| of.check == check.id);
    let marked = precision.as_ref().map(CheckPrecision::label).unwrap_or_default();
    if as_json {
        let thresholds: Vec<Value> = check
            .thresholds
            .iter()
            .map(|of| json!({ "name": of.name, "value": limits.of(of.name), "default": of.default, "about": of.about }))
            .collect();
        json_line(
            out,
            &json!({
                "check": check.id, "label": check.label, "level": check.level.as_str(), "weight": check.weight,
                "rule": check.rule, "inputs": check.inputs, "thresholds": thresholds, "sources": check.sources,
                "on": settings.is_on(check), "precision": precision,
            }),
        )?;
        return Ok(FINE);
    }
    writeln!(out, "{} ({}), of a {}, weight {}", check.label, check.id, check.level.as_str(), check.weight)?;
    if !settings.is_on(check) {
        writeln!(out, "Switched off.")?;
    }
    writeln!(out, "{}\nReads: {}.", check.rule, check.inputs.join(", "))?;
    for of in check.thresholds {
        let (value, default) = (limits.of(of.name), of.default);
        let was =
            if (value - default).abs() > f64::EPSILON { format!(" (the program's: {default})") } else { String::new() };
        writeln!(out, "  {}.{} = {value}{was}: {}", check.id, of.name, of.about)?;
    }
    writeln!(out, "Sources: {}.\nPrecision: {marked}.", check.sources.join("; "))?;
    Ok(FINE)
}

fn list(session: &Session, as_json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let settings = session.catalogue().check_settings()?;
    for (check, precision) in CHECKS.iter().zip(session.catalogue().check_precision()?) {
        let is_on = settings.is_on(check);
        if as_json {
            json_line(
                out,
                &json!({
                    "check": check.id, "label": check.label, "level": check.level.as_str(), "weight": check.weight,
                    "on": is_on, "precision": precision,
                }),
            )?;
            continue;
        }
        let off = if is_on { "" } else { ", off" };
        writeln!(out, "{}\t{}\t{}{off}\t{}", check.id, check.label, check.level.as_str(), precision.label())?;
    }
    Ok(FINE)
}

/// Keeps what a person says of findings.
fn mark(
    session: &Session,
    args: &PageCheckArgs,
    check: &'static Check,
    is_right: bool,
    query: &CaptureQuery,
    out: &mut dyn Write,
) -> anyhow::Result<u8> {
    anyhow::ensure!(
        !query.filter.is_empty(),
        "say which captures are meant: fonds check DIR FILTER --false-alarm {}",
        check.id
    );
    let by = match args.by.as_deref().map(str::trim) {
        Some("") => anyhow::bail!("--by: the name is empty"),
        Some(name) => name.to_owned(),
        None => work::operator(),
    };
    let captures = session.catalogue().capture_ids(query)?;
    let verdict = if is_right { "confirmed" } else { "called false alarms" };
    let mut marked = 0;
    session.run_job(JobKind::Mark, || {
        marked = session.catalogue().mark_findings(&captures, check.id, is_right, &by)?.len() as u64;
        Ok(format!("{} of {} {verdict}, by {by}", counted(marked, "finding"), check.id))
    })?;
    let precision = session.catalogue().check_precision()?.into_iter().find(|of| of.check == check.id);
    if args.json {
        json_line(
            out,
            &json!({ "check": check.id, "marked": marked, "right": is_right, "by": by, "precision": precision }),
        )?;
    } else {
        let label = precision.as_ref().map(CheckPrecision::label).unwrap_or_default();
        writeln!(out, "{} of {} {verdict}, by {}; {label}", counted(marked, "finding"), check.id, plain(&by))?;
    }
    Ok(FINE)
}

/// Changes thresholds and which checks run.
fn change_settings(session: &Session, args: &PageCheckArgs) -> anyhow::Result<()> {
    let mut settings = session.catalogue().check_settings()?;
    let before = settings.clone();
    for text in &args.set {
        let (name, value) = text.split_once('=').with_context(|| format!("--set {text}: write CHECK.NAME=NUMBER"))?;
        let (id, threshold) = name.split_once('.').with_context(|| format!("--set {text}: write CHECK.NAME=NUMBER"))?;
        let check = named(id)?;
        if !check.thresholds.iter().any(|of| of.name == threshold) {
            let names: Vec<&str> = check.thresholds.iter().map(|of| of.name).collect();
            anyhow::bail!("{id} has no threshold “{threshold}”; it has {}", names.join(", "));
        }
        if value.is_empty() {
            settings.thresholds.remove(name);
            continue;
        }
        let number: f64 = value
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            .with_context(|| format!("--set {text}: “{value}” is no number from 0 on"))?;
        settings.thresholds.insert(name.to_owned(), number);
    }
    for id in &args.off {
        settings.off.insert(named(id)?.id.to_owned());
    }
    for id in &args.on {
        settings.off.remove(named(id)?.id);
    }
    if settings != before {
        session.catalogue().set_check_settings(&settings)?;
    }
    Ok(())
}
