//! `fonds warc index`

use super::super::cdx::CdxForm;
use super::super::output::{plain, report_if_empty};
use super::super::{FINE, PROBLEMS, WRONG_USE};
use super::{each_once, real_place};
use crate::jobs::JobCx;
use crate::warc::cdx;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `fonds warc index`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc index *.warc.gz > index.cdxj\n  \
    fonds warc index --format cdx11 *.warc.gz > index.cdx\n\n\
    The lines of all files are sorted together, as pywb wants them. fonds cdx reads indexes back.\n\
    Exit status: 0 fine, 1 something is damaged and has no line, 2 a file cannot be read at all.")]
pub struct IndexArgs {
    /// Files.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// CdxForm to write.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: CdxForm,
    /// Keys of POST and PUT requests have the body appended, as cdxj-indexer has with the same option.
    #[arg(long)]
    pub(super) post_append: bool,
}

pub(super) fn run(args: &IndexArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut sorter = cdx::IndexSorter::new(args.format.form());
    let mut status = FINE;
    let options = cdx::IndexOptions { post_append: args.post_append };
    // Its lines have the file's name: under another name they are others.
    let same = |file: &Path| (real_place(file), file.file_name().map(ToOwned::to_owned));
    for file in each_once(&args.files, same) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut lost = false;
        let indexed = cdx::index_each(file, &name, options, &JobCx::detached(), &mut |line| {
            sorter.push(&line).inspect_err(|_| lost = true)
        });
        let problems = match indexed {
            Ok(problems) => {
                if report_if_empty(file) {
                    status = status.max(PROBLEMS);
                }
                problems
            }
            // Lines that cannot be sorted are of no one file.
            Err(error) if lost => return Err(error.into()),
            // The lines of the other files are good.
            Err(error) => {
                notice!("fonds: {}", plain(&error.to_string()));
                status = WRONG_USE;
                continue;
            }
        };
        for problem in problems {
            status = status.max(PROBLEMS);
            warn_of!(problem.kind.label(), "{}: {}", plain(&file.display().to_string()), plain(&problem.to_string()));
        }
    }
    sorter.write(out)?;
    Ok(status)
}
