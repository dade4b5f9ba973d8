//! `fonds inlinks`.

use super::campaign::{desk, looking_desk};
use super::output::{json_line, plain, short, with_progress};
use super::{FINE, PROBLEMS};
use crate::app::{Desk, work};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Inlinks: outlinks seen from their targets.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Invert the outlinks of everything captured.
    Build {
        /// Workspace.
        folder: PathBuf,
        /// The report as one object.
        #[arg(long)]
        json: bool,
    },
    /// Write the inlinks of a workspace in the shape of the published data set.
    #[command(after_help = "Example:\n  fonds inlinks export my-archive --out inlinks.jsonl")]
    Export {
        /// Workspace.
        folder: PathBuf,
        /// File to write; standard output without it.
        #[arg(long)]
        out: Option<PathBuf>,
        /// Days of the window; the workspace's own without it.
        #[arg(long)]
        window_days: Option<u32>,
    },
    /// Show who links to a page.
    #[command(after_help = "Examples:\n  fonds inlinks show my-archive http://www.site.pt/sobre\n  \
        fonds inlinks show my-archive '(pt,site,)/sobre'")]
    Show {
        /// Workspace.
        folder: PathBuf,
        /// URL or key of the page.
        page: String,
        /// One object an inlink.
        #[arg(long)]
        json: bool,
    },
    /// List the captures that most other hosts link to.
    Top {
        /// Workspace.
        folder: PathBuf,
        /// Rows.
        #[arg(long, default_value_t = 20)]
        limit: u64,
        /// One object a capture.
        #[arg(long)]
        json: bool,
    },
    /// List pages that are cited but were never captured.
    Uncaptured {
        /// Workspace.
        folder: PathBuf,
        /// Rows.
        #[arg(long, default_value_t = 100)]
        limit: u64,
        /// One object a page.
        #[arg(long)]
        json: bool,
    },
    /// List the anchor texts that other sites use most, or those for one page.
    Anchors {
        /// Workspace.
        folder: PathBuf,
        /// URL of a captured page.
        page: Option<String>,
        /// Rows.
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// One object an anchor.
        #[arg(long)]
        json: bool,
    },
    /// Turn WARC and ARC files straight into the inlink data set.
    Dataset(super::dataset::Args),
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        Command::Build { folder, json } => {
            let desk = desk(&folder)?;
            let report = with_progress(|cx| work::build_inlinks(&desk.workspace, cx))?;
            if json { json_line(out, &report)? } else { writeln!(out, "{}", report.words())? }
        }
        Command::Export { folder, out: file, window_days } => {
            let desk = looking_desk(&folder)?;
            let window = match window_days {
                Some(days) => days,
                None => desk.catalogue().window_days()?,
            };
            let written = match file {
                Some(path) => {
                    let mut file = BufWriter::new(File::create_new(&path).map_err(|error| {
                        anyhow::anyhow!("{}: {error}. Choose a file that does not exist yet", path.display())
                    })?);
                    let written =
                        with_progress(|cx| work::write_dataset(&desk.workspace, window, None, &mut file, cx))?;
                    file.flush()?;
                    written
                }
                None => with_progress(|cx| work::write_dataset(&desk.workspace, window, None, out, cx))?,
            };
            eprintln!("{written} linked pages");
        }
        Command::Show { folder, page, json } => {
            let desk = looking_desk(&folder)?;
            let answer = desk.inlinks_of(&page, desk.catalogue().window_days()?)?;
            if !answer.built {
                anyhow::bail!("inlinks are not built yet; run: fonds inlinks build {}", folder.display());
            }
            for row in &answer.rows {
                if json {
                    json_line(out, row)?;
                } else {
                    let side = if row.internal { "internal" } else { "external" };
                    writeln!(
                        out,
                        "{} {side} {}  “{}”",
                        row.date.to_words(),
                        plain(&row.source),
                        short(&row.anchor, 80)
                    )?;
                }
            }
            eprintln!(
                "{} internal, {} external, {} cut by the cap; captured {} times",
                answer.internal,
                answer.external,
                answer.cut,
                answer.capture_dates.len()
            );
            return Ok(if answer.rows.is_empty() { PROBLEMS } else { FINE });
        }
        Command::Top { folder, limit, json } => {
            let desk = looking_desk(&folder)?;
            let query = work::most_cited(limit);
            for row in desk.captures(&query)?.rows {
                if json {
                    json_line(out, &row)?;
                } else {
                    writeln!(
                        out,
                        "{} hosts, {} external, {} internal\t{}\t“{}”",
                        row.inlink_hosts.unwrap_or(0),
                        row.inlinks_external.unwrap_or(0),
                        row.inlinks_internal.unwrap_or(0),
                        plain(&row.url),
                        short(&row.top_anchor, 60)
                    )?;
                }
            }
        }
        Command::Uncaptured { folder, limit, json } => {
            for row in looking_desk(&folder)?.prospects(None, "", limit)? {
                if json {
                    json_line(out, &row)?;
                } else {
                    writeln!(
                        out,
                        "{} hosts, {} links\t{}\t“{}”\t{}",
                        row.hosts,
                        row.links,
                        plain(&row.url),
                        short(&row.anchor, 60),
                        row.verdict
                    )?;
                }
            }
        }
        Command::Anchors { folder, page, limit, json } => {
            let desk = looking_desk(&folder)?;
            let rows = match page {
                None => desk.top_anchors(limit)?,
                Some(page) => work::anchors_of_page(&desk, &page)?,
            };
            for row in rows.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
                if json {
                    json_line(out, &row)?;
                } else {
                    writeln!(out, "{} hosts, {} links\t“{}”", row.hosts, row.links, short(&row.text, 100))?;
                }
            }
        }
        Command::Dataset(args) => return with_progress(|cx| super::dataset::run(&args, out, cx)),
    }
    Ok(FINE)
}
