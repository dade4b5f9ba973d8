//! `fonds files`.

use super::campaign::{read_only_session, reading_session, session};
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::store::rows::{FileState, ImportedFile, LaunchId, PlainOffset, ProblemQuery, ProblemRow};
use crate::warc::format_offset;
use crate::work;
use crate::work::Report;
use crate::work::Session;
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

/// Archive files of a workspace.
#[derive(Debug, clap::Subcommand)]
pub enum FilesCommand {
    /// List the archive files and how they stand on the disk.
    #[command(after_help = "Examples:\n  fonds files list my-archive\n  \
        fonds files list my-archive --check      compare digests, too; slow\n  \
        fonds files list my-archive --json | jq -r 'select(.state == \"missing\") | .path'\n\n\
        Columns: state, bytes, captures, problems, file. States: present; touched (written to since, same size);\n\
        unfinished (an import was stopped in it); open (being written); missing; changed (other bytes stand there);\n\
        discarded (of a trial that was discarded: only you delete it); truncated (it ends before captures that a crawl wrote: resume the crawl).\n\
        Exit status 1 says that files are missing, changed or truncated.")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// Read every file and compare its digest; what is found is kept, where the workspace can be written to.
        #[arg(long)]
        check: bool,
        /// One object a file.
        #[arg(long)]
        json: bool,
    },
    /// Look in a folder for missing and changed files, by size and digest, and read them from there.
    #[command(after_help = "Example:\n  fonds files locate my-archive /media/new-disk\n\n\
        Files are not moved: the workspace keeps where they are now.\n\
        Exit status 1 says that some are still missing.")]
    Locate {
        /// Workspace.
        folder: PathBuf,
        /// Folder to look in, with all folders in it.
        search: PathBuf,
        /// One object a file.
        #[arg(long)]
        json: bool,
    },
    /// List what is broken or odd in the files, with offsets.
    #[command(after_help = "Examples:\n  fonds files problems my-archive\n  \
        fonds files problems my-archive --kind truncated\n\n\
        Columns: file, offset, kind, words. The record at an offset: fonds warc cat FILE OFFSET")]
    Problems {
        /// Workspace.
        folder: PathBuf,
        /// Only this kind, as it is listed.
        #[arg(long, default_value = "")]
        kind: String,
        /// Only with these words in the file's name or in the problem's description.
        #[arg(long = "words", value_name = "WORDS", default_value = "")]
        text: String,
        /// One object a problem.
        #[arg(long)]
        json: bool,
    },
    /// List the imports of a workspace.
    #[command(after_help = "Example:\n  fonds files imports my-archive\n\n\
        Columns: number, campaign, date, state, what was asked for, what it came to.")]
    Imports {
        /// Workspace.
        folder: PathBuf,
        /// One object an import.
        #[arg(long)]
        json: bool,
    },
    /// Give the captures of an import to a campaign, or to none.
    #[command(after_help = "Examples:\n  fonds files assign my-archive 3 2\n  \
        fonds files assign my-archive 3 none\n\n\
        Captures of no campaign are scored and exported by none. Scores and selections of the campaign that had them \
        before lose them; decisions, notes and selections that were saved stay. Numbers of imports: fonds files imports my-archive")]
    Assign {
        /// Workspace.
        folder: PathBuf,
        /// Number of the import.
        import: LaunchId,
        /// Number or title of the campaign, or none.
        #[arg(value_name = "CAMPAIGN|none")]
        campaign: String,
        /// What changed as one object.
        #[arg(long)]
        json: bool,
    },
    /// Print again what an import came to, file by file.
    #[command(after_help = "Examples:\n  fonds files report my-archive          the last import\n  \
        fonds files report my-archive 3 --json\n\n\
        Numbers of imports: fonds files imports my-archive")]
    Report {
        /// Workspace.
        folder: PathBuf,
        /// Number of the import; the last one without it.
        import: Option<LaunchId>,
        /// One object a file.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(command: FilesCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        FilesCommand::List { folder, check, json } => list(&folder, check, json, out),
        FilesCommand::Locate { folder, search, json } => {
            let session = session(&folder)?;
            let outcome = with_progress(|cx| session.locate(&search, None, cx))?;
            for (before, now) in &outcome.found {
                match json {
                    true => json_line(out, &serde_json::json!({"was": before, "is": now}))?,
                    false => writeln!(out, "{}: found as {}", plain(before), plain(now))?,
                }
            }
            for lost in &outcome.still_lost {
                match json {
                    true => json_line(out, &serde_json::json!({"was": lost, "is": null}))?,
                    false => writeln!(out, "{}: not found", plain(lost))?,
                }
            }
            notice!("{}", plain(&outcome.summary()));
            Ok(if outcome.still_lost.is_empty() && outcome.not_taken.is_empty() { FINE } else { PROBLEMS })
        }
        FilesCommand::Problems { folder, kind, text, json } => {
            let session = read_only_session(&folder)?;
            let page = session.catalogue().problems(&ProblemQuery {
                kind: kind.clone(),
                text: text.clone(),
                ..ProblemQuery::default()
            })?;
            let is_meant = |row: &ProblemRow| {
                let text = text.to_lowercase();
                let is_contained = |field: &str| field.to_lowercase().contains(&text);
                (kind.is_empty() || row.kind == kind) && (is_contained(&row.path) || is_contained(&row.detail))
            };
            let truncated: Vec<ProblemRow> =
                session.workspace.truncated_files()?.into_iter().filter(is_meant).collect();
            for row in truncated.iter().chain(&page.rows) {
                match json {
                    true => json_line(out, row)?,
                    false => writeln!(
                        out,
                        "{}\t{}\t{}\t{}",
                        plain(&row.path),
                        format_offset(row.offset),
                        row.kind,
                        plain(&row.detail)
                    )?,
                }
            }
            let further = page.further(&kind);
            if further > 0 {
                notice!("{further} further problems are not listed here: narrow by --kind or --words");
            }
            if page.unlisted > 0 {
                notice!("{} further problems were counted but are not listed", page.unlisted);
            }
            Ok(if page.rows.is_empty() && truncated.is_empty() { FINE } else { PROBLEMS })
        }
        FilesCommand::Imports { folder, json } => {
            let session = read_only_session(&folder)?;
            for import in work::imports(&session.workspace)? {
                if json {
                    json_line(out, &import)?;
                } else {
                    let (state, sources) = (import.state.label(), import.sources.join(" "));
                    let summary = work::import_summary(&import);
                    writeln!(
                        out,
                        "{}\t{}\t{}\t{state}\t{}\t{}",
                        import.launch,
                        import.campaign.map_or_else(|| "none".to_owned(), |id| id.to_string()),
                        import.started,
                        plain(&sources),
                        plain(&summary)
                    )?;
                }
            }
            Ok(FINE)
        }
        FilesCommand::Assign { folder, import, campaign, json } => {
            let session = session(&folder)?;
            let campaign = super::campaign::campaign_or_none(&session, &campaign)?;
            let assigned = session.assign_import(import, campaign)?;
            match json {
                true => json_line(out, &assigned)?,
                false => writeln!(out, "{}", assigned.summary())?,
            }
            Ok(FINE)
        }
        FilesCommand::Report { folder, import, json } => {
            let session = read_only_session(&folder)?;
            let Some(launch) = import.or(session.catalogue().imports()?.first().map(|import| import.launch)) else {
                notice!("nothing was imported into this workspace yet");
                return Ok(FINE);
            };
            let import = session.catalogue().import(launch)?;
            print_import(&session, launch, json, out)?;
            let passed_paths = if json { Vec::new() } else { session.catalogue().passed_paths(launch)? };
            for path in passed_paths {
                writeln!(out, "{}: passed over, its name is not that of an archive", plain(&path))?;
            }
            notice!("{}", plain(&work::import_summary(&import)));
            Ok(if work::has_problems(&import) { PROBLEMS } else { FINE })
        }
    }
}

fn list(folder: &std::path::Path, check: bool, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = if check { reading_session(folder)? } else { read_only_session(folder)? };
    let mut status = FINE;
    let mut checked = HashMap::new();
    if check {
        let outcome = with_progress(|cx| session.check_files(cx))?;
        for why in &outcome.unreadable {
            warn_of!("files that cannot be read", "{}", plain(why));
            status = PROBLEMS;
        }
        notice!("{}", outcome.summary());
        checked = outcome.states;
    }
    for mut file in session.workspace.files()? {
        // Where nothing can be noted, the catalogue does not have what was found just now.
        file.state = checked.get(&file.id).copied().unwrap_or(file.state);
        if file.state.is_lost() {
            status = PROBLEMS;
        }
        if json {
            json_line(out, &file)?;
        } else {
            let (state, size) = (file.state.as_str(), file.size);
            writeln!(out, "{state}\t{size}\t{}\t{}\t{}", file.captures, file.problems, plain(&file.path))?;
        }
        if file.state == FileState::Touched && !check {
            notice!("{}: {}", plain(&file.path), file.state.hint());
        }
    }
    for file in session.workspace.discarded_files()? {
        match json {
            true => json_line(out, &file)?,
            false => writeln!(out, "{}\t{}\t0\t0\t{}", file.state, file.size, plain(&file.path))?,
        }
    }
    Ok(status)
}

/// A problem of a file in a report.
#[derive(Serialize)]
struct ReportedProblem {
    #[serde(flatten)]
    place: PlainOffset,
    kind: String,
    detail: String,
}

/// A file of an import with its problems.
#[derive(Serialize)]
struct FileWithProblems {
    #[serde(flatten)]
    file: ImportedFile,
    problems: Vec<ReportedProblem>,
    more_problems: u64,
}

/// Prints the result of an import, a line or an object a file.
pub(super) fn print_import(session: &Session, launch: LaunchId, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for file in session.catalogue().imported_files(launch)? {
        let problems = match file.problem_count {
            0 => Vec::new(),
            _ => session.catalogue().problems_of(launch, &file.path)?,
        };
        let more_problems = file.problem_count.saturating_sub(problems.len() as u64);
        if json {
            let problems = problems
                .into_iter()
                .map(|row| ReportedProblem { place: PlainOffset::of(row.offset), kind: row.kind, detail: row.detail })
                .collect();
            json_line(out, &FileWithProblems { file, problems, more_problems })?;
            continue;
        }
        writeln!(out, "{}: {}", plain(&file.path), plain(&work::file_summary(&file)))?;
        // The line above names what stopped the reading.
        for problem in problems.iter().filter(|problem| Some(&problem.detail) != file.error.as_ref()) {
            writeln!(out, "  offset {}: {}: {}", format_offset(problem.offset), problem.kind, plain(&problem.detail))?;
        }
        if more_problems > 0 {
            writeln!(out, "  and {more_problems} more that are not listed")?;
        }
    }
    Ok(())
}
