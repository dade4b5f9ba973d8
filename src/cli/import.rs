//! `fonds import`.

use super::campaign::desk;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS, WRONG_USE};
use crate::app::work;
use std::io::Write;
use std::path::PathBuf;

/// Bring archive files made elsewhere in.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds import my-archive old-crawl.warc.gz\n  \
    fonds import my-archive /media/archive/2009 --copy\n\n\
    Files are linked where they are, unless --copy is given. A file that was read before is skipped.\n\
    Exit status 1 says that problems were found; they are listed and kept in the catalogue. 2 says that a file is not there;\n\
    the others are read.")]
pub struct Args {
    /// Workspace.
    folder: PathBuf,
    /// WARC and ARC files, or folders that hold some.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Copy the files into the workspace instead of linking them.
    #[arg(long)]
    copy: bool,
    /// One object a file.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<u8> {
    let desk = desk(&args.folder)?;
    let report = with_progress(|cx| work::import(&desk.workspace, &args.paths, args.copy, cx))?;
    for file in &report.files {
        if args.json {
            json_line(out, file)?;
            continue;
        }
        writeln!(out, "{}: {}", plain(&file.path), file.words())?;
        for problem in &file.problems {
            writeln!(out, "  {}", plain(problem))?;
        }
    }
    eprintln!("{}", plain(&report.words()));
    Ok(match report.has_problems() {
        _ if !report.not_found.is_empty() => WRONG_USE,
        true => PROBLEMS,
        false => FINE,
    })
}
