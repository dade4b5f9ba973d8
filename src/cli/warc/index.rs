//! `fonds warc index`

use super::super::output::plain;
use super::super::{FINE, PROBLEMS};
use crate::jobs::JobCx;
use crate::warc::cdxj;
use std::io::Write;
use std::path::PathBuf;

/// Words of `fonds warc index`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds warc index *.warc.gz > index.cdxj\n\n\
    The lines of all files are sorted together, as pywb wants them.")]
pub struct IndexArgs {
    /// Files.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
}

pub(super) fn run(args: &IndexArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut lines = Vec::new();
    let mut status = FINE;
    for file in &args.files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (of_file, problems) = cdxj::index_file(file, &name, &JobCx::detached())?;
        lines.extend(of_file);
        for problem in problems {
            status = PROBLEMS;
            eprintln!("{}: {}", file.display(), plain(&problem.to_string()));
        }
    }
    cdxj::write_sorted(&lines, out)?;
    Ok(status)
}
