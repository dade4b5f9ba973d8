//! `fonds warc check`

use super::super::output::{json_line, plain, with_lines};
use super::super::{FINE, PROBLEMS, WRONG_USE};
use super::{each_once, real_place};
use crate::jobs::counted;
use crate::warc::{CheckReport, Checker, Problem, Severity, Span};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Arguments of `fonds warc check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc check *.warc.gz\n  fonds warc check --json crawl.warc.gz\n\n\
    Looks at structure, the fields that each type of record must and may have, the gzip layout, every digest\n\
    (md5, sha1, sha256, sha384, sha512), and across all files given: segments, and the originals of revisits.\n\
    Errors break the standard or lose bytes; warnings are worth knowing. Problems are listed as they are found.\n\
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
    // Why no more can be written, which ends the work.
    let mut unwritten = Ok(());
    with_lines(|cx, beside_bar| {
        let mut print_problem = |file: &Path, problem: &Problem| {
            beside_bar(&mut || unwritten = write_problem(problem, file, args.json, out));
            if unwritten.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let mut checker = Checker::new(!args.no_digests);
        for file in each_once(&args.files, real_place) {
            cx.stage("Checking", std::fs::metadata(file).ok().map(|meta| meta.len()));
            cx.note(file.display().to_string());
            let mut wants_more = true;
            let mut of_file = |problem| {
                let flow = print_problem(file, &problem);
                wants_more = flow.is_continue();
                flow
            };
            match checker.check(file, cx, &mut of_file) {
                Ok(report) => reports.push((file, report)),
                Err(error) => {
                    notice!("fonds: {}", plain(&error.to_string()));
                    status = WRONG_USE;
                }
            }
            if !wants_more {
                return Ok(());
            }
            if cx.is_cancelled() {
                break;
            }
        }
        // What is not read yet may hold what files are found to lack.
        let mut joined = Vec::new();
        if !cx.is_cancelled() {
            // Problems come file by file.
            let mut last = 0;
            let finished = checker.finish(cx, |file, problem| {
                if reports.get(last).is_none_or(|(path, _)| *path != file) {
                    last = reports.iter().position(|(path, _)| *path == file).unwrap_or(0);
                }
                if let Some((_, report)) = reports.get_mut(last) {
                    *report.found.entry(problem.kind).or_default() += problem.count;
                }
                if cx.is_cancelled() { ControlFlow::Break(()) } else { print_problem(file, &problem) }
            });
            match finished {
                Ok(found) => joined = found,
                // What is known of each file alone is reported all the same.
                Err(error) => {
                    notice!("fonds: {}", plain(&error.to_string()));
                    status = WRONG_USE;
                }
            }
        }
        // Segments are joined at the end, which may be stopped as well.
        if cx.is_cancelled() {
            notice!("fonds: stopped on request; what follows is about what was read");
            status = status.max(PROBLEMS);
        }
        for (path, report) in &mut reports {
            report.digests_checked += joined.iter().filter(|file| file == path).count() as u64;
        }
        Ok(())
    })?;
    unwritten?;
    for (file, report) in &reports {
        let empty = report.total() == 0;
        let wrong = report.count(Severity::Error) > 0 || (args.strict && !report.found.is_empty());
        if empty || wrong {
            status = status.max(PROBLEMS);
        }
        summary(file, report, args.json, out)?;
    }
    Ok(status)
}

fn write_problem(problem: &Problem, file: &Path, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let Problem { offset, kind, detail, .. } = problem;
    let severity = kind.severity().as_str();
    if json {
        let (kind, place) = (kind.label(), Span { offset: *offset, length: 0 });
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
    for (kind, count) in &report.found {
        *kinds.entry(kind.label()).or_default() += count;
    }
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let compression = report.compression.map(|compression| compression.as_str());
    if json {
        return json_line(
            out,
            &json!({
                "file": file, "packing": compression, "records": report.total(), "types": report.records,
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
    writeln!(out, "{name}: {}, digests of {digests} checked, {verdict}", counted(records, "record"))?;
    let list = |counts: &mut dyn Iterator<Item = (&str, u64)>| {
        let named = |name| if str::is_empty(name) { "without a type".to_owned() } else { plain(name) };
        counts.map(|(name, count)| format!("{count} {}", named(name))).collect::<Vec<_>>().join(", ")
    };
    if records > 0 {
        let types = list(&mut report.records.iter().map(|(name, &count)| (name.as_str(), count)));
        writeln!(out, "    {}: {types}", compression.unwrap_or("unknown"))?;
    }
    if !report.truncated.is_empty() {
        let reasons = list(&mut report.truncated.iter().map(|(name, &count)| (name.as_str(), count)));
        writeln!(out, "    cut by their writer: {reasons}")?;
    }
    if !kinds.is_empty() {
        writeln!(out, "    problems: {}", list(&mut kinds.into_iter()))?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;

    /// Takes so many lines.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            self.0 = self.0.checked_sub(lines).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn where_nothing_can_be_written_the_check_ends() {
        let record = RecordBuilder::response("urn:test:1", CaptureDate::from_millis(0), "http://a.pt/")
            .field("WARC-Block-Digest", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5")
            .plain(b"");
        let folder = tempfile::tempdir().unwrap();
        let files = ["a", "b"].map(|name| folder.path().join(name));
        files.iter().for_each(|file| std::fs::write(file, record.repeat(2)).unwrap());
        let args = |json| CheckArgs { files: files.to_vec(), no_digests: false, strict: false, json };
        for json in [false, true] {
            let mut whole = Vec::new();
            assert_eq!(run(&args(json), &mut whole).unwrap(), PROBLEMS);
            let lines = whole.iter().filter(|&&byte| byte == b'\n').count();
            for room in 0..lines {
                let error = run(&args(json), &mut Full(room)).unwrap_err();
                assert!(error.downcast_ref::<std::io::Error>().is_some(), "{error}");
            }
            assert!(run(&args(json), &mut Full(lines)).is_ok());
        }
    }
}
