//! `fonds scope`.

mod catalogue;
mod geo_csv;
mod permissions;
mod report;

use super::campaign::read_only_session;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::scope::{Decision, Trace};
use crate::work;
use crate::work::models::ScopeTest;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Why URLs would be taken or refused.
#[derive(Debug, clap::Subcommand)]
pub enum ScopeCommand {
    /// Run URLs through a campaign's rules and show what each rule says.
    #[command(after_help = "Examples:\n  fonds scope test my-archive 1 http://www.site.pt/agenda?mes=2031-01\n  \
        fonds scope test my-archive 1 - < urls.txt\n\n\
        Addresses and robots rules are taken from what the catalogue knows; nothing is fetched.\n\
        Exit status 1 says that at least one URL would be refused.")]
    Test {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign.
        campaign: String,
        /// URLs, or - for one a line on standard input.
        #[arg(required = true)]
        urls: Vec<String>,
        /// One object a URL.
        #[arg(long)]
        json: bool,
    },
    WhatIf(catalogue::WhatIfArgs),
    Hits(catalogue::HitsArgs),
    Geo(catalogue::ScopeGeoArgs),
    Drift(catalogue::DriftArgs),
    Report(report::ReportArgs),
    Permissions(permissions::PermissionsArgs),
    Attach(permissions::AttachArgs),
}

pub(super) fn run(command: ScopeCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        ScopeCommand::Test { folder, campaign, urls, json } => test(&folder, &campaign, urls, json, out),
        ScopeCommand::WhatIf(args) => catalogue::what_if(&args, out),
        ScopeCommand::Hits(args) => catalogue::hits(&args, out),
        ScopeCommand::Geo(args) => catalogue::geo(&args, out),
        ScopeCommand::Drift(args) => catalogue::drift(&args, out),
        ScopeCommand::Permissions(args) => permissions::run(&args, out),
        ScopeCommand::Attach(args) => permissions::attach(&args, out),
        ScopeCommand::Report(args) => with_progress(|cx| report::run(&args, out, cx)),
    }
}

fn test(folder: &Path, campaign: &str, mut urls: Vec<String>, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(folder)?;
    let id = session.catalogue().find_campaign(campaign)?;
    let (_, spec) = session.catalogue().campaign(id)?;
    if urls == ["-"] {
        urls = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
        urls.retain(|line| !line.trim().is_empty());
    }
    let mut status = FINE;
    for (url, result) in urls.iter().zip(work::scope_test(&session, Some(id), &spec, &urls)?) {
        match result {
            Ok(ScopeTest { trace, .. }) => {
                if trace.verdict.decision == Decision::Reject {
                    status = PROBLEMS;
                }
                if json { json_line(out, &trace)? } else { print(&trace, out)? }
            }
            Err(why) => {
                status = PROBLEMS;
                if json {
                    json_line(out, &serde_json::json!({ "url": url, "error": why }))?;
                } else {
                    writeln!(out, "{}", plain(&why))?;
                }
            }
        }
    }
    Ok(status)
}

/// A trace as lines, the deciding one marked.
pub(super) fn print(trace: &Trace, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{} {} by {}", trace.verdict.decision.as_str(), plain(&trace.url), plain(&trace.verdict.rule_name))?;
    for step in &trace.steps {
        let opinion = match (step.enabled, step.opinion) {
            (false, _) => "off",
            (true, None) => "-",
            (true, Some(decision)) => decision.as_str(),
        };
        let mark = if step.deciding { '>' } else { ' ' };
        writeln!(out, "{mark} {:>2} {opinion:<6} {}  [{}]", step.index, plain(&step.words), plain(&step.tested))?;
    }
    if let Some(change) = &trace.remedy {
        writeln!(out, "  Smallest rule change that reverses this: {}", plain(change))?;
    }
    Ok(())
}
