//! `fonds backup`.

use super::FINE;
use super::campaign::reading_session;
use super::output::{json_line, plain, with_progress};
use crate::work::Report;
use std::io::Write;
use std::path::PathBuf;

/// Copy the catalogue and the campaigns of a workspace.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds backup my-archive /media/backup/my-archive-2026-11\n\n\
    Works while a crawl runs, and on a workspace that cannot be written to. The copy of the catalogue is checked.\n\
    WARC files are not copied: they never change, any copying program will do.\n\n\
    To use it, close the workspace and put fonds.sqlite in the place of the damaged one (delete fonds.sqlite-wal and\n\
    fonds.sqlite-shm beside it). The text index and the inlinks that are there are of later captures then: nothing is\n\
    answered out of them until fonds index and fonds inlinks build have made them again. Campaigns are also in campaigns/, one JSON file a version, for fonds campaign add.")]
pub struct BackupArgs {
    /// Workspace.
    folder: PathBuf,
    /// Folder to write; made if absent, refused if it holds something.
    out: PathBuf,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BackupArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = reading_session(&args.folder)?;
    let outcome = with_progress(|cx| session.back_up(&args.out, cx))?;
    match args.json {
        true => json_line(out, &outcome)?,
        false => writeln!(out, "{}: {}", plain(&outcome.folder.display().to_string()), outcome.summary())?,
    }
    Ok(FINE)
}
