//! `fonds jobs`.

use super::campaign::read_only_session;
use super::output::{json_line, plain};
use super::{FINE, PROBLEMS};
use std::io::Write;
use std::path::PathBuf;

/// List what was done in a workspace: crawls, imports, builds, exports, and how each ended.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds jobs my-archive\n  fonds jobs my-archive --json | jq -r 'select(.ended == null).name'\n\n\
    Newest first, those of the window and of commands alike. Columns: began (UTC), ended (UTC), job, outcome.\n\
    Exit status 1 says that there is none."
)]
pub struct JobsArgs {
    /// Workspace.
    folder: PathBuf,
    /// At most so many.
    #[arg(long, default_value_t = 200)]
    limit: u64,
    /// One object a job.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &JobsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let rows = read_only_session(&args.folder)?.job_history(args.limit)?;
    for row in &rows {
        if args.json {
            json_line(out, row)?;
            continue;
        }
        let ended = row.ended.map_or_else(|| "-".to_owned(), |date| date.to_readable());
        writeln!(out, "{}\t{ended}\t{}\t{}", row.started.to_readable(), plain(&row.name), plain(&row.outcome))?;
    }
    if rows.is_empty() {
        notice!(
            "Nothing was done in this workspace yet. Start with: fonds import, or fonds campaign add and fonds crawl"
        );
        return Ok(PROBLEMS);
    }
    Ok(FINE)
}
