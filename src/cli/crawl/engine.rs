//! Jobs of other crawlers: their results, and campaigns exported for them.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{in_file, json_line, plain};
use crate::jobs::{Existing, counted};
use crate::scope::other_crawlers::EngineNote;
use crate::work::{self, EngineImport};
use std::io::Write;
use std::path::Path;

/// Prints each job; gives the number of log lines that could not be read.
pub(in crate::cli) fn print_jobs(jobs: &[EngineImport], json: bool, out: &mut dyn Write) -> anyhow::Result<u64> {
    for job in jobs {
        if json {
            json_line(out, job)?;
        } else {
            let known = if job.is_new { "new" } else { "known, left as it is" };
            writeln!(
                out,
                "{} job {}: campaign {} “{}” ({known}), {}, {}, {}",
                job.engine.name(),
                plain(&job.folder),
                job.campaign,
                plain(&job.name),
                counted(job.seeds as u64, "seed"),
                counted(job.rules as u64, "rule"),
                counted(job.launches.len() as u64, "run")
            )?;
            for launch in &job.launches {
                writeln!(out, "  run {}: {} new", plain(&launch.name), counted(launch.new_urls, "URL"))?;
                for log in &launch.logs {
                    writeln!(
                        out,
                        "    {}: {}, {}, {} (dns and the like), {} with a scope decision, {} unreadable",
                        plain(&log.file),
                        counted(log.lines, "line"),
                        counted(log.urls, "URL"),
                        counted(log.others, "other"),
                        log.decisions,
                        log.unread
                    )?;
                }
            }
            if job.pages > 0 {
                writeln!(out, "  {} listed", counted(job.pages, "page"))?;
            }
        }
        print_notes(&job.notes);
        if let Some(terms) = &job.suspended_terms {
            notice!("{}", plain(&crate::work::suspension_line(job.campaign, terms)));
        }
        for log in job.launches.iter().flat_map(|launch| &launch.logs) {
            log.unread_examples
                .iter()
                .for_each(|example| warn_of!("unreadable lines", "unreadable: {}", plain(example)));
        }
        job.passed_over.iter().for_each(|path| warn_of!("passed over", "passed over: {}", plain(path)));
    }
    Ok(jobs.iter().map(EngineImport::unread).sum())
}

fn print_notes(notes: &[EngineNote]) {
    notes.iter().for_each(|note| warn_of!("notes", "note: {}", plain(&note.to_string())));
}

/// Writes a campaign for another crawler.
pub(in crate::cli) fn export(
    folder: &Path,
    campaign: &str,
    heritrix: Option<&Path>,
    browsertrix: Option<&Path>,
    out: &mut dyn Write,
) -> anyhow::Result<u8> {
    let session = read_only_session(folder)?;
    let (_, spec) = session.catalogue().campaign(session.catalogue().find_campaign(campaign)?)?;
    if let Some(job) = heritrix {
        let (written, notes) = work::write_heritrix_job(&spec, job)?;
        written.iter().try_for_each(|path| writeln!(out, "{}", path.display()))?;
        print_notes(&notes);
    }
    if let Some(file) = browsertrix {
        let (yaml, notes) = work::browsertrix_crawl(&spec);
        in_file(file, Existing::Stays, |out| Ok(out.write_all(yaml.as_bytes())?))?;
        writeln!(out, "{}", file.display())?;
        print_notes(&notes);
    }
    Ok(FINE)
}
