//! `fonds demo` runs every step of an archive on the sample web and prints each one.

use super::campaign::list_as_own;
use super::output::{json_line, plain, with_text};
use super::{FINE, PROBLEMS};
use crate::jobs::counted;
use crate::store::Workspace;
use crate::work::sample::{DemoReport, run_demo};
use std::io::Write;
use std::path::PathBuf;

/// Do the main job on the sample web, from crawl to verified export.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds demo\n  fonds demo --out /tmp/fonds-demo\n\n\
    Serves a small web about an invented town on loopback, crawls it twice, builds inlinks, indexes the texts, scores, \
    selects, exports and reads the export back. Nothing leaves this machine.\n\
    Called again with the folder of a demo that was stopped or killed, it goes on where that ended.")]
pub struct DemoArgs {
    /// Folder for the workspace and the export; a new one under the system's temporary folder without it.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The report as one object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DemoArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => std::env::temp_dir().join(format!("fonds-demo-{}", crate::uri::CaptureDate::now().to_digits14())),
    };
    let report = with_text(|cx, print| run_demo(&folder, cx, print))?;
    list_as_own(&Workspace::open_or_read_only(&report.workspace)?);
    if args.json {
        json_line(out, &report)?;
    } else {
        print(&report, out)?;
    }
    Ok(if report.verified { FINE } else { PROBLEMS })
}

fn print(report: &DemoReport, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "Captures            {} in {}, {}",
        report.captures,
        counted(report.launches, "launch"),
        counted(report.revisits, "revisit")
    )?;
    writeln!(out, "Refused URLs        {}", report.refused)?;
    for (rule, urls) in &report.refused_by_rule {
        writeln!(out, "  {urls:>6}  {}", plain(rule))?;
    }
    let geo_hosts = counted(report.geo_hosts.len() as u64, "host");
    writeln!(out, "In by location      captures of {geo_hosts}: {}", report.geo_hosts.join(", "))?;
    writeln!(
        out,
        "Inlinks             {} ({} internal, {} external) of {}; {} cited but not captured",
        report.inlinks,
        report.internal,
        report.external,
        counted(report.linked_pages, "page"),
        counted(report.uncaptured, "page")
    )?;
    writeln!(out, "Text index          {}", counted(report.texts, "text"))?;
    writeln!(out, "Selected            {} of {} scored captures", report.selected, report.scored)?;
    let (records, captures) =
        (counted(report.exported_records, "record"), counted(report.exported_captures, "capture"));
    writeln!(out, "Exported            {records}, {captures}")?;
    for line in &report.checks {
        writeln!(out, "  {} {}: {}", if line.ok { "ok  " } else { "FAIL" }, line.what, plain(&line.detail))?;
    }
    writeln!(out, "Workspace           {}", report.workspace.display())?;
    writeln!(out, "Export              {}", report.export.display())?;
    writeln!(out, "Open it in the window with: fonds {}", report.workspace.display())?;
    Ok(())
}
