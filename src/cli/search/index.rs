//! `fonds index`.

use super::documents;
use super::documents::IndexDocumentsArgs;
use crate::captures::limits::TEXT_BYTES;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, with_progress};
use crate::cli::{FINE, PROBLEMS};
use crate::jobs::{JobCx, OnDrop, StopError, counted};
use crate::work::{Report, Session, TextIndexReport};
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Make the texts of a workspace searchable, or follow up what came since.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  fonds index my-archive\n  fonds index my-archive --check\n  \
    fonds search my-archive 'budget -football'\n\n\
    Anchors are those of the inlinks that are built: where these were built since, the next fonds index brings the\n\
    anchors that changed, and reads no page again for it.\n\n\
    The index lies in the folder index of the workspace. It holds nothing that is not in the archive files and the\n\
    catalogue: it can be deleted and built again at any time, and is built again without a question where another\n\
    version of the program made it or a file of it is damaged. A stop loses nothing that was indexed.\n\n\
    Exit status 1 says that records could not be read (their captures are found by URL and title), that a capture\n\
    has more text than is searched and scored (4 MiB; it is named), or that --check found a difference."
)]
pub struct TextIndexArgs {
    /// Workspace.
    #[arg(required = true)]
    folder: Option<PathBuf>,
    /// What else to do.
    #[command(subcommand)]
    command: Option<IndexCommand>,
    /// Build it from scratch.
    #[arg(long, conflicts_with = "check")]
    rebuild: bool,
    /// Change nothing; compare it with the catalogue, and its files with their checksums.
    #[arg(long)]
    check: bool,
    /// The figures as one object.
    #[arg(long)]
    json: bool,
}

/// Texts for the search engines of others.
#[derive(Debug, clap::Subcommand)]
pub enum IndexCommand {
    /// Turn archive files into documents for Solr, OpenSearch and Elasticsearch.
    Documents(IndexDocumentsArgs),
}

/// Runs other work, and has the index follow it meanwhile where `is_enabled`.
pub(in crate::cli) fn follow_beside<T>(session: &Session, is_enabled: bool, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let indexing = JobCx::default();
        // Where the work ends, so does what follows it: the rest is indexed then.
        let (follow, stopped) = (indexing.clone(), indexing.clone());
        let _end = OnDrop(move || indexing.cancel());
        if is_enabled {
            scope.spawn(move || match session.follow_index_while(|| !stopped.is_cancelled(), &follow) {
                Err(error) if !error.is_cancelled() => warn_of!("texts not indexed", "fonds: {error:#}"),
                _ => {}
            });
        }
        work()
    })
}

/// Brings the index up to date after other work, and the review checks with it, and prints on standard error what both
/// came to; how many captures could not be read.
pub(in crate::cli) fn follow(session: &Session) -> anyhow::Result<u64> {
    let report = with_progress(|cx| session.index_texts(false, cx))?;
    notice!("{}", report.summary());
    if let Some(checked) = with_progress(|cx| session.follow_checks(cx))? {
        notice!("Checks: {}", checked.summary());
    }
    warn_of_unread(&report);
    Ok(report.unread + report.cut)
}

fn warn_of_unread(report: &TextIndexReport) {
    for capture in &report.unread_captures {
        warn_of!("captures that could not be read", "fonds: {capture}");
    }
    for capture in &report.cut_captures {
        warn_of!(
            "captures with more text than is searched",
            "fonds: {capture}: only the first {} MiB of its text are searched, scored and shown",
            TEXT_BYTES >> 20
        );
    }
}

pub(in crate::cli) fn run(args: &TextIndexArgs, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<u8> {
    if let Some(IndexCommand::Documents(args)) = &args.command {
        return with_progress(|cx| documents::run(args, input, out, cx));
    }
    let Some(folder) = &args.folder else { anyhow::bail!("name the folder of a workspace") };
    if args.check {
        let session = read_only_session(folder)?;
        let check = with_progress(|cx| crate::work::check_index(&session.workspace, cx))?;
        match args.json {
            true => json_line(out, &check)?,
            false => {
                writeln!(
                    out,
                    "{} in the index, {} not indexed yet",
                    counted(check.versions, "text"),
                    counted(check.waiting, "capture")
                )?;
                let differing = [
                    ("missing", &check.missing),
                    ("not in the catalogue", &check.surplus),
                    ("other anchors than its inlinks have", &check.anchors),
                ];
                for (what, some) in differing {
                    some.iter().try_for_each(|version| writeln!(out, "{what}: capture {version}"))?;
                }
                check.damaged.iter().try_for_each(|file| writeln!(out, "damaged: {file}"))?;
            }
        }
        if check.is_behind() {
            notice!(
                "fonds: inlinks changed since, and anchors of {} with them. Bring them in: fonds index {}",
                counted(check.anchors.len() as u64, "text"),
                folder.display()
            );
            return Ok(PROBLEMS);
        }
        if !check.is_fine() {
            notice!(
                "fonds: the index is not what it should be. Build it again: fonds index {} --rebuild",
                folder.display()
            );
            return Ok(PROBLEMS);
        }
        return Ok(FINE);
    }
    let session = session(folder)?;
    let report = with_progress(|cx| session.index_texts(args.rebuild, cx))?;
    match args.json {
        true => json_line(out, &report)?,
        false => writeln!(out, "{}", report.summary())?,
    }
    warn_of_unread(&report);
    Ok(if report.unread + report.cut > 0 { PROBLEMS } else { FINE })
}
