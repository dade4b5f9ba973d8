//! `fonds scope what-if`, `hits`, `geo` and `drift`: questions to what the
//! catalogue holds.

use super::geo_csv::{drift_csv, geo_csv};
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::{FINE, PROBLEMS};
use crate::jobs::{JobCx, counted, verb};
use crate::scope::{GeoDatabase, GeoFact};
use crate::work;
use crate::work::Session;
use crate::work::models::{
    CampaignId, Drift, DriftHost, GeoHost, GeoReport, LaunchId, Moved, MovedHost, MovedSide, RuleHits, RuleReport,
    WhatIf, WhatIfList, moved_on,
};
use anyhow::Context;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Arguments for seen URLs: workspace, campaign and launch.
#[derive(Debug, clap::Args)]
pub struct SeenArgs {
    /// Workspace.
    pub folder: PathBuf,
    /// Number or title of the campaign.
    pub campaign: String,
    /// Only what this launch saw (its 14 digits); all launches without it.
    #[arg(long)]
    pub launch: Option<String>,
}

/// Show what an edited list of rules would change.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds campaign export my-archive 1 > edited.json      then change its rules or seeds\n  \
    fonds scope what-if my-archive 1 edited.json\n  \
    fonds scope what-if my-archive 1 edited.json --list out | head\n\n\
    EDITED.json is a campaign, or a list of rules that replaces the campaign's. Every URL that was ever\n\
    seen is decided again, by the rules of its launch and by the edited ones, with the addresses and\n\
    robots rules that were recorded. Nothing is fetched, nothing is saved.\n\
    Columns of --list and --by-rule: rule before, rule after, path from the seed, URL; of --list hosts: URLs in,\n\
    URLs out, URLs with a capture, their bytes, host.")]
pub struct WhatIfArgs {
    #[command(flatten)]
    seen: SeenArgs,
    /// The edited campaign or rules, or - for standard input.
    #[arg(value_name = "EDITED.json")]
    edited: PathBuf,
    /// List the URLs that would be newly in or out, that cannot be decided, that depend on a fetch, or that
    /// another rule decides; or the hosts of what would be newly in or out.
    #[arg(long, value_parser = ["in", "out", "unknown", "unfetched", "other-rule", "hosts"])]
    list: Option<String>,
    /// List the URLs among those newly in or out which the edited rule of this index decides.
    #[arg(long, value_name = "INDEX", conflicts_with = "list")]
    by_rule: Option<usize>,
    /// The figures as one object; with --list one object a URL.
    #[arg(long)]
    json: bool,
}

/// Show how often each rule matched and decided.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds scope hits my-archive 1\n  \
    fonds scope hits my-archive 1 --json | jq 'select(.spoke == 0) | .words'\n\n\
    Columns: index, URLs it matched, URLs it decided, the rule, an example.")]
pub struct HitsArgs {
    #[command(flatten)]
    seen: SeenArgs,
    /// One object a rule.
    #[arg(long)]
    json: bool,
}

/// List the hosts accepted by geolocation only, with the evidence.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds scope geo my-archive 1\n  \
    fonds scope geo my-archive 1 --csv > hosts.csv\n\n\
    Columns: URLs let in, captures, bytes, host, addresses with network and country, when the host was first\n\
    let in (UTC), the URL.")]
pub struct ScopeGeoArgs {
    #[command(flatten)]
    seen: SeenArgs,
    /// One object a host.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Comma-separated values with a head line.
    #[arg(long)]
    csv: bool,
}

/// List the hosts whose verdicts another country database would change.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds scope drift my-archive 1 --geo GeoLite2-Country.mmdb\n\n\
    The addresses are those that were recorded when the URLs were found; names are not resolved again.\n\
    Exit status 1 says that some verdict would change.")]
pub struct DriftArgs {
    #[command(flatten)]
    seen: SeenArgs,
    /// The other database.
    #[arg(long, value_name = "NEWER.mmdb")]
    geo: PathBuf,
    /// One object a host.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Comma-separated values with a head line.
    #[arg(long)]
    csv: bool,
}

/// The workspace, the campaign and the launch that are meant.
fn meant(seen: &SeenArgs) -> anyhow::Result<(Session, CampaignId, Option<LaunchId>)> {
    let session = read_only_session(&seen.folder)?;
    let campaign = session.catalogue().find_campaign(&seen.campaign)?;
    let launches = session.catalogue().launches(Some(campaign))?;
    let launch = match &seen.launch {
        None => None,
        Some(requested) => {
            let found = launches.iter().find(|launch| launch.launch == *requested).map(|launch| launch.id);
            let known: Vec<&str> = launches.iter().map(|launch| launch.launch.as_str()).collect();
            let known = known.join(", ");
            Some(found.with_context(|| format!("the campaign has no launch “{requested}”; it has: {known}"))?)
        }
    };
    if launches.is_empty() {
        notice!("The campaign was never crawled, so no URL was seen");
    }
    Ok((session, campaign, launch))
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).context("standard input")?;
    } else {
        text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    }
    Ok(text)
}

pub(super) fn what_if(args: &WhatIfArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (session, campaign, launch) = meant(&args.seen)?;
    let (_, base) = session.catalogue().campaign(campaign)?;
    let edited =
        work::edited_campaign(&base, &read(&args.edited)?).with_context(|| args.edited.display().to_string())?;
    if let Some(index) = args.by_rule {
        let rules = edited.rules.len() + usize::from(edited.has_refusals());
        anyhow::ensure!(index < rules, "the edited list has {rules} rules, counted from 0; there is no rule {index}");
    }
    let answer = with_progress(|cx| work::what_if(&session, campaign, launch, &edited, cx))?;
    let mut out = BufWriter::new(out);
    let list = match (args.list.as_deref(), args.by_rule) {
        (None, None) => None,
        (None, Some(index)) => Some(WhatIfList::ByRule(index)),
        (Some("hosts"), _) => {
            for host in with_progress(|cx| work::what_if_hosts(&session, &answer, cx))? {
                if args.json {
                    json_line(&mut out, &host)?;
                } else {
                    let MovedHost { moved_in, moved_out, captured, bytes, host, .. } = host;
                    writeln!(out, "{moved_in}\t{moved_out}\t{captured}\t{bytes}\t{}", plain(&host))?;
                }
            }
            out.flush()?;
            print_remarks(&answer.remarks);
            return Ok(FINE);
        }
        (Some("in"), _) => Some(WhatIfList::Side(MovedSide::In)),
        (Some("unknown"), _) => Some(WhatIfList::Side(MovedSide::Unknown)),
        (Some("unfetched"), _) => Some(WhatIfList::Unfetched),
        (Some("other-rule"), _) => Some(WhatIfList::OtherRule),
        (Some(_), _) => Some(WhatIfList::Side(MovedSide::Out)),
    };
    match list {
        None if args.json => json_line(&mut out, &answer)?,
        None => print_what_if(&answer, &mut out)?,
        Some(list) => {
            let mut changed = 0;
            work::what_if_rows(&session, campaign, &edited, &answer, list, 0..u64::MAX, &JobCx::detached(), |row| {
                changed += u64::from(!row.as_counted);
                if args.json {
                    return json_line(&mut out, &row);
                }
                let hops = if row.hops.is_empty() { "-" } else { &row.hops };
                let (before, after) = (plain(&row.before.rule_name), plain(&row.after.rule_name));
                Ok(writeln!(out, "{before}\t{after}\t{}\t{}", plain(hops), plain(&row.url))?)
            })?;
            print_remarks(moved_on(changed).as_slice());
        }
    }
    out.flush()?;
    print_remarks(&answer.remarks);
    Ok(FINE)
}

/// Prints remarks on what is not in the figures.
fn print_remarks(remarks: &[String]) {
    remarks.iter().for_each(|remark| warn_of!("notes", "note: {}", plain(remark)));
}

fn print_what_if(answer: &WhatIf, out: &mut dyn Write) -> anyhow::Result<()> {
    let moved = |moved: &Moved| {
        let known = match moved.captured {
            0 => "no size known".to_owned(),
            captured => format!("{} in {}", counted(moved.bytes, "byte"), counted(captured, "capture")),
        };
        format!("{} on {} ({known})", counted(moved.urls, "URL"), counted(moved.hosts, "host"))
    };
    writeln!(out, "{} tried, of {}", counted(answer.seen, "URL"), counted(answer.launches.len() as u64, "launch"))?;
    writeln!(out, "newly in  {}", moved(&answer.moved_in))?;
    writeln!(out, "newly out {}", moved(&answer.moved_out))?;
    writeln!(
        out,
        "stay      {} in, {} out; {} of them by another rule",
        answer.stay_in, answer.stay_out, answer.other_rule
    )?;
    writeln!(out, "apart     {} fetched for others' sake (robots.txt), which no rule decides", answer.apart)?;
    if answer.unfetched > 0 {
        let note = "in scope as far as is known; robots.txt, type or size depend on a fetch";
        writeln!(out, "not known {} {note}", answer.unfetched)?;
    }
    if answer.unknown.urls > 0 {
        let (urls, hosts) = (answer.unknown.urls, answer.unknown.hosts);
        let depend = verb(urls, "depends");
        let hosts = counted(hosts, "host");
        writeln!(out, "unknown   {urls} {depend} on the country of {hosts}, which is not known")?;
    }
    for rule in answer.by_rule.iter().filter(|rule| rule.moved_in + rule.moved_out > 0) {
        writeln!(out, "rule {:<4} {} in, {} out: {}", rule.index, rule.moved_in, rule.moved_out, plain(&rule.words))?;
    }
    Ok(())
}

pub(super) fn hits(args: &HitsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (session, campaign, launch) = meant(&args.seen)?;
    let RuleReport { rules, remarks } = with_progress(|cx| work::rule_hits(&session, campaign, launch, cx))?;
    for row in rules {
        if args.json {
            json_line(out, &row)?;
            continue;
        }
        let RuleHits { index, words, enabled, spoke, decided, example, .. } = row;
        let off = if enabled { "" } else { " (off)" };
        let example = example.map(|url| format!("  {}", plain(&url))).unwrap_or_default();
        writeln!(out, "{index:>3} {spoke:>9} {decided:>9}  {}{off}{example}", plain(&words))?;
    }
    print_remarks(&remarks);
    Ok(FINE)
}

pub(super) fn geo(args: &ScopeGeoArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (session, campaign, launch) = meant(&args.seen)?;
    let report = with_progress(|cx| work::geo_report(&session, campaign, launch, cx))?;
    let mut out = BufWriter::new(out);
    if args.csv {
        geo_csv(&report, &mut out)?;
    } else {
        for host in &report.hosts {
            if args.json { json_line(&mut out, host)? } else { print_geo(host, &mut out)? }
        }
    }
    out.flush()?;
    let GeoReport { hosts, decided, otherwise, remarks, .. } = &report;
    notice!(
        "{} accepted by geolocation only; it decided {}, of which {otherwise} {} in scope anyway",
        counted(hosts.len() as u64, "host"),
        counted(*decided, "URL"),
        verb(*otherwise, "was")
    );
    print_remarks(remarks);
    Ok(FINE)
}

fn print_geo(host: &GeoHost, out: &mut dyn Write) -> anyhow::Result<()> {
    let addresses = match &host.evidence {
        GeoFact::Known(evidence) => evidence.places(),
        _ => "no evidence is kept".to_owned(),
    };
    let also = match host.also.as_slice() {
        [] => String::new(),
        also => format!("  (also said yes: {})", also.join(", ")),
    };
    Ok(writeln!(
        out,
        "{:>7} {:>7} {:>12}  {}  {}  {}  {}{also}",
        host.urls,
        host.captures,
        host.bytes,
        plain(&host.host),
        plain(&addresses),
        host.first_seen.to_readable(),
        plain(&host.first_url)
    )?)
}

pub(super) fn drift(args: &DriftArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (session, campaign, launch) = meant(&args.seen)?;
    let newer = GeoDatabase::open(&args.geo)?;
    let drift = with_progress(|cx| work::geo_drift(&session, campaign, launch, &newer, cx))?;
    let mut out = BufWriter::new(out);
    if args.csv {
        drift_csv(&drift, &mut out)?;
    } else {
        for host in &drift.hosts {
            if args.json { json_line(&mut out, host)? } else { print_drift(host, &mut out)? }
        }
    }
    out.flush()?;
    let Drift { hosts, known, moved, failed, database, database_build, remarks, .. } = &drift;
    notice!(
        "{} {} sides with {} of {}; {moved} of {} {} another country there{}",
        counted(hosts.len() as u64, "host"),
        verb(hosts.len() as u64, "changes"),
        plain(database),
        database_build.to_readable(),
        counted(*known, "host"),
        verb(*moved, "has"),
        if *failed == 0 { String::new() } else { format!("; {failed} could not be resolved and are not compared") }
    );
    print_remarks(remarks);
    Ok(if hosts.is_empty() { FINE } else { PROBLEMS })
}

fn print_drift(host: &DriftHost, out: &mut dyn Write) -> anyhow::Result<()> {
    Ok(writeln!(
        out,
        "{:>7} in {:>7} out  {}  was: {} ({} of {})  now: {}  {}",
        host.moved_in,
        host.moved_out,
        plain(&host.host),
        plain(&host.old.places()),
        plain(&host.old.database),
        host.old.database_build.to_readable(),
        plain(&host.new.places()),
        plain(&host.example)
    )?)
}
