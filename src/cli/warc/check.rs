//! `fonds warc check`

use super::super::output::{json_line, plain, with_progress};
use super::super::{FINE, PROBLEMS, WRONG_USE};
use super::{each_once, real_place};
use crate::warc::{CheckReport, Checker, Problem, Severity, Span};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Words of `fonds warc check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc check *.warc.gz\n  fonds warc check --json crawl.warc.gz\n\n\
    Looks at structure, the fields that each type of record must and may have, the gzip layout, every digest\n\
    (md5, sha1, sha256, sha384, sha512), and across all files given: segments, and the originals of revisits.\n\
    Errors break the standard or lose bytes; warnings are worth knowing.\n\
    Exit status: 0 no errors, 1 errors were found, 2 a file cannot be read at all.")]
pub struct CheckArgs {
    /// Files; those that belong together in one call.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Leave digests alone; faster.
    #[arg(long)]
    pub(super) no_digests: bool,
    /// Warnings count as errors.
    #[arg(long)]
    pub(super) strict: bool,
    /// One object a problem, then one a file.
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &CheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut status = FINE;
    let mut reports: Vec<(&Path, CheckReport)> = Vec::new();
    with_progress(|cx| {
        let mut checker = Checker::new(!args.no_digests);
        for file in each_once(&args.files, real_place) {
            cx.stage("Checking", std::fs::metadata(file).ok().map(|meta| meta.len()));
            cx.note(file.display().to_string());
            match checker.check(file, cx) {
                Ok(report) => {
                    report.problems.iter().try_for_each(|problem| tell(problem, file, args.json, out))?;
                    reports.push((file, report));
                }
                Err(error) => {
                    eprintln!("fonds: {}", plain(&error.to_string()));
                    status = WRONG_USE;
                }
            }
            if cx.is_cancelled() {
                break;
            }
        }
        let together = checker.finish(cx)?;
        // Segments are joined at the end, which may be stopped as well.
        if cx.is_cancelled() {
            eprintln!("fonds: stopped on request; what follows is about what was read");
            status = status.max(PROBLEMS);
        }
        for (path, report) in &mut reports {
            report.digests_checked += together.joined.iter().filter(|file| file == path).count() as u64;
        }
        for (file, problem) in together.problems {
            tell(&problem, &file, args.json, out)?;
            if let Some((_, report)) = reports.iter_mut().find(|(path, _)| *path == file) {
                report.problems.push(problem);
            }
        }
        Ok(())
    })?;
    for (file, report) in &reports {
        let empty = report.total() == 0;
        let wrong = report.count(Severity::Error) > 0 || (args.strict && !report.problems.is_empty());
        if empty || wrong {
            status = status.max(PROBLEMS);
        }
        summary(file, report, args.json, out)?;
    }
    Ok(status)
}

fn tell(problem: &Problem, file: &Path, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let Problem { offset, kind, detail, .. } = problem;
    let severity = kind.severity().as_str();
    if json {
        let (kind, place) = (kind.words(), Span { offset: *offset, length: 0 });
        return json_line(
            out,
            &json!({
                "file": file, "offset": place.decoded_offset(), "shares_member": place.is_inside_member(),
                "severity": severity, "kind": kind, "detail": detail,
            }),
        );
    }
    writeln!(out, "{}: {severity}: {}", plain(&file.display().to_string()), plain(&problem.to_string()))?;
    Ok(())
}

fn summary(file: &Path, report: &CheckReport, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for problem in &report.problems {
        *kinds.entry(problem.kind.words()).or_default() += problem.count;
    }
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let packing = report.packing.map(|packing| packing.as_str());
    if json {
        return json_line(
            out,
            &json!({
                "file": file, "packing": packing, "records": report.total(), "types": report.records,
                "digests_checked": report.digests_checked, "truncated": report.truncated,
                "problems": errors + warnings, "errors": errors, "warnings": warnings, "kinds": kinds,
            }),
        );
    }
    let verdict = match (errors, warnings) {
        (0, 0) if report.total() == 0 => "nothing in it".to_owned(),
        (0, 0) => "fine".to_owned(),
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    let (records, digests) = (report.total(), report.digests_checked);
    let name = plain(&file.display().to_string());
    writeln!(out, "{name}: {records} records, digests of {digests} checked, {verdict}")?;
    let list = |counts: &mut dyn Iterator<Item = (&str, u64)>| {
        counts.map(|(word, count)| format!("{count} {}", plain(word))).collect::<Vec<_>>().join(", ")
    };
    if records > 0 {
        let types = list(&mut report.records.iter().map(|(word, &count)| (word.as_str(), count)));
        writeln!(out, "    {}: {types}", packing.unwrap_or("unknown"))?;
    }
    if !report.truncated.is_empty() {
        let reasons = list(&mut report.truncated.iter().map(|(word, &count)| (word.as_str(), count)));
        writeln!(out, "    cut by their writer: {reasons}")?;
    }
    if !kinds.is_empty() {
        writeln!(out, "    problems: {}", list(&mut kinds.into_iter()))?;
    }
    Ok(())
}

fn counted(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
