//! `fonds warc recompress`

use super::super::output::{json_line, plain, with_progress};
use super::super::{FINE, PROBLEMS, WRONG_USE};
use crate::jobs::{JobCx, counted};
use crate::warc::{NewCompression, RecompressError, RecompressReport, Span, convert_arc_file, recompress_file};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `fonds warc recompress`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc recompress old.warc                  makes old.warc.gz beside it\n  \
    fonds warc recompress old.warc.gz --out new.warc.gz\n  \
    fonds warc recompress *.arc.gz --out fixed/     a folder that exists\n  \
    fonds warc recompress --plain crawl.warc.gz     makes crawl.warc\n  \
    fonds warc recompress --to-warc old.arc.gz      makes old.warc.gz\n\n\
    Heads and blocks of records stay byte for byte: versions, digests and ARC stay what they are. The new\n\
    file is read back before it gets its name, and replaces nothing. Damaged records are left out and named.\n\
    Writing Zstandard is not offered: the encoder at hand has only its fastest level.\n\
    Exit status: 0 everything is in the new file, 1 something was damaged and left out, 2 no new file.")]
pub struct RecompressArgs {
    /// Files: WARC or ARC, plain, gzip (per record or not) or zstd.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The new file, or a folder for new files.
    #[arg(long, short)]
    pub(super) out: Option<PathBuf>,
    /// No compression; without this, one gzip member a record.
    #[arg(long)]
    pub(super) plain: bool,
    /// Make WARC files of ARC files: blocks stay as they are, lines become fields.
    #[arg(long, conflicts_with = "plain")]
    pub(super) to_warc: bool,
    /// One object a file.
    #[arg(long)]
    pub(super) json: bool,
}

/// A function that makes a new file of an old one.
type Work = dyn Fn(&Path, &Path, &JobCx) -> Result<RecompressReport, RecompressError>;

pub(super) fn run(args: &RecompressArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let work: &Work = match (args.to_warc, args.plain) {
        (true, _) => &convert_arc_file,
        (false, true) => &|old, new, cx| recompress_file(old, new, NewCompression::Plain, cx),
        (false, false) => &|old, new, cx| recompress_file(old, new, NewCompression::GzipPerRecord, cx),
    };
    let new_files = new_names(args)?;
    let mut status = FINE;
    with_progress(|cx| {
        for (old, new) in args.files.iter().zip(&new_files) {
            status = status.max(one(old, new, work, args.json, cx, out)?);
        }
        Ok(())
    })?;
    Ok(status)
}

fn one(old: &Path, new: &Path, work: &Work, json: bool, cx: &JobCx, out: &mut dyn Write) -> anyhow::Result<u8> {
    cx.stage("Recompressing", std::fs::metadata(old).ok().map(|meta| meta.len()));
    cx.note(old.display().to_string());
    let report = match work(old, new, cx) {
        Ok(report) => report,
        Err(RecompressError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => {
            notice!("fonds: {}", plain(&error.to_string()));
            if json {
                json_line(out, &json!({"file": old, "new_file": null, "error": error.to_string()}))?;
            }
            return Ok(WRONG_USE);
        }
    };
    print_report(old, new, &report, json, out)?;
    let lost = !report.left_out.is_empty() || report.losses().next().is_some();
    Ok(if lost { PROBLEMS } else { FINE })
}

fn print_report(
    old: &Path,
    new: &Path,
    report: &RecompressReport,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if json {
        let problems: Vec<_> = report
            .problems
            .iter()
            .map(|problem| {
                let place = Span { offset: problem.offset, length: 0 };
                json!({
                    "offset": place.decoded_offset(), "shares_member": place.is_inside_member(),
                    "kind": problem.kind.label(), "detail": problem.detail,
                })
            })
            .collect();
        return json_line(
            out,
            &json!({
                "file": old, "new_file": new, "from": report.from.as_str(), "records": report.records,
                "left_out": report.left_out, "old_bytes": report.old_bytes, "new_bytes": report.new_bytes,
                "problems": problems,
            }),
        );
    }
    for problem in &report.problems {
        warn_of!(problem.kind.label(), "{}: {}", plain(&old.display().to_string()), plain(&problem.to_string()));
    }
    let left_out = match report.left_out.len() {
        0 => String::new(),
        count => format!(", {} left out", counted(count as u64, "damaged record")),
    };
    writeln!(
        out,
        "{}: {}, {} bytes ({} bytes before){left_out}",
        plain(&new.display().to_string()),
        counted(report.records, "record"),
        report.new_bytes,
        report.old_bytes,
    )?;
    Ok(())
}

/// The name of each new file; two files never get the same.
fn new_names(args: &RecompressArgs) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match &args.out {
        Some(out) if out.as_os_str() == "-" => {
            bail!("the new file is read back before it counts, which standard output cannot be: name a file")
        }
        Some(out) if out.is_dir() => Some(out.as_path()),
        Some(out) if args.files.len() > 1 || ends_like_a_folder(out) => {
            bail!("{} is no folder; make it first, or give one file alone", out.display())
        }
        Some(out) => return Ok(vec![out.clone()]),
        None => None,
    };
    let mut names: Vec<PathBuf> = Vec::new();
    for file in &args.files {
        let name = file.file_name().with_context(|| format!("{} has no file name", file.display()))?;
        let name = name.to_str().with_context(|| format!("the name of {} is no text", file.display()))?;
        let name = new_name(name, args.plain, args.to_warc);
        let new = folder.map_or_else(|| file.with_file_name(&name), |folder| folder.join(&name));
        if names.contains(&new) {
            bail!("{} would be made from two of these files; recompress them into different folders", new.display());
        }
        names.push(new);
    }
    Ok(names)
}

fn ends_like_a_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// `a.warc.zst` becomes `a.warc.gz`, or `a.warc` where it is to be plain;
/// `a.arc.gz` becomes `a.warc.gz` where it is to be a WARC file.
fn new_name(name: &str, plain: bool, to_warc: bool) -> String {
    let lower = name.to_ascii_lowercase();
    let compressed = [".gz", ".zst", ".zstd"].iter().find(|ending| lower.ends_with(**ending));
    let stem = &name[..name.len() - compressed.map_or(0, |ending| ending.len())];
    let is_arc = stem.to_ascii_lowercase().ends_with(".arc");
    let stem = match to_warc {
        true if is_arc => format!("{}.warc", &stem[..stem.len() - ".arc".len()]),
        true => format!("{stem}.warc"),
        false => stem.to_owned(),
    };
    if plain { stem } else { format!("{stem}.gz") }
}

#[cfg(test)]
mod tests {
    use super::new_name;

    #[test]
    fn names_follow_the_packing() {
        for (old, gzip, plain, warc) in [
            ("a.warc", "a.warc.gz", "a.warc", "a.warc.warc.gz"),
            ("a.warc.gz", "a.warc.gz", "a.warc", "a.warc.warc.gz"),
            ("a.arc.ZST", "a.arc.gz", "a.arc", "a.warc.gz"),
            ("é", "é.gz", "é", "é.warc.gz"),
        ] {
            let names = [new_name(old, false, false), new_name(old, true, false), new_name(old, false, true)];
            assert_eq!(names, [gzip, plain, warc]);
        }
    }
}
