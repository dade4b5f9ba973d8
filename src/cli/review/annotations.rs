//! `fonds annotations`.

use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::{FINE, PROBLEMS};
use crate::work::Report;
use std::io::Write;
use std::path::PathBuf;

/// Decisions and notes as W3C Web Annotations, out and in.
#[derive(Debug, clap::Subcommand)]
pub enum AnnotationsCommand {
    /// Print every decision and note, also those taken back, as one annotation a line.
    #[command(after_help = "Example:\n  fonds annotations export my-archive > annotations.jsonl")]
    Export(AnnotationsExportArgs),
    /// Take annotations of another workspace or another tool in.
    #[command(after_help = "Examples:\n  fonds annotations import my-archive handover/data/decisions.jsonl\n  \
        fonds annotations import my-archive hypothesis.json\n\n\
        JSON lines, a list, a W3C annotation collection, or what Hypothesis exports. A decision of another workspace \
        stands beside those made here, with the file it came from, on whatever capture it names; what was decided here holds. Annotations that name \
        no time of a capture become notes on the capture of their URL that is nearest to them. A second import of the \
        same adds nothing.\n\n\
        Exit status 1 says that some did not fit; they are listed.")]
    Import(AnnotationsImportArgs),
}

/// Arguments of the annotations to print.
#[derive(Debug, clap::Args)]
pub struct AnnotationsExportArgs {
    /// Workspace.
    folder: PathBuf,
    /// Only what concerns this campaign, by number or name.
    #[arg(long)]
    campaign: Option<String>,
}

/// Arguments of the annotation files to read.
#[derive(Debug, clap::Args)]
pub struct AnnotationsImportArgs {
    /// Workspace.
    folder: PathBuf,
    /// Files of annotations.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One object a file.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(command: &AnnotationsCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        AnnotationsCommand::Export(args) => {
            let session = read_only_session(&args.folder)?;
            let campaign = args.campaign.as_deref().map(|name| session.catalogue().find_campaign(name)).transpose()?;
            with_progress(|cx| session.write_annotations(campaign, out, cx))?;
            Ok(FINE)
        }
        AnnotationsCommand::Import(args) => {
            let session = session(&args.folder)?;
            let mut left_out = 0;
            for file in &args.files {
                let report = with_progress(|cx| session.import_annotations(file, cx))?;
                left_out += report.found - report.added - report.known;
                if args.json {
                    json_line(out, &report)?;
                } else {
                    writeln!(out, "{}", plain(&report.summary()))?;
                }
                report.left_out.iter().for_each(|why| warn_of!("annotations left out", "{}", plain(why)));
            }
            Ok(if left_out > 0 { PROBLEMS } else { FINE })
        }
    }
}
