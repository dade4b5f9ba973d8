//! `fonds warc cut`

use super::super::output::{json_line, plain, with_progress};
use super::super::{FINE, PROBLEMS};
use super::filter::FilterArgs;
use crate::jobs::{JobCx, WholeFile};
use crate::warc::{Cut, CutError, CutReport, WarcError, choose};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `fonds warc cut`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds warc cut crawl.warc.gz --url https://www.fct.pt/ --with-related --out page.warc.gz\n  \
    fonds warc cut crawl.warc.gz --host fct.pt --status 2xx --out fct.warc.gz\n  \
    fonds warc cut crawl.warc.gz --from 48211 --limit 10 --out - | fonds warc ls /dev/stdin\n\n\
    Records keep their bytes: compressed members are copied as they are. The warcinfo record that stands\n\
    before a chosen record comes with it. A new file replaces nothing; “-” is standard output.\n\
    Exit status: 0 fine, 1 nothing was chosen or a chosen record is damaged, 2 wrong use.")]
pub struct CutArgs {
    /// File to cut from.
    pub(super) file: PathBuf,
    /// The new file; “-” for standard output.
    #[arg(long, short)]
    pub(super) out: PathBuf,
    /// Pass over so many of the records that fit.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(super) skip: u64,
    /// Take at most so many records.
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<u64>,
    /// Take along what belongs to them: request, response and metadata of a capture, the original of a
    /// revisit, the segments of a record.
    #[arg(long)]
    pub(super) with_related: bool,
    /// Tell the outcome as one object (on standard error, where the records go to standard output).
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

pub(super) fn run(args: &CutArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let cut = Cut { filter: args.filter.filter()?, skip: args.skip, most: args.limit, with_related: args.with_related };
    let to_pipe = args.out == Path::new("-");
    let report = with_progress(|cx| {
        cx.stage("Choosing", std::fs::metadata(&args.file).ok().map(|meta| meta.len()));
        write(args, &cut, to_pipe, out, cx).map_err(|error| match error {
            CutError::Cancelled(cancelled) => anyhow::Error::from(cancelled),
            other => other.into(),
        })
    })?;
    for problem in &report.problems {
        warn_of!(problem.kind.label(), "{}: {}", plain(&args.file.display().to_string()), plain(&problem.to_string()));
    }
    for offset in &report.left_out {
        let file = plain(&args.file.display().to_string());
        warn_of!("chosen records left out", "{file}: offset {offset}: a chosen record is damaged and was left out");
    }
    if args.json {
        let CutReport { chosen, related, infos, bytes, left_out, .. } = &report;
        let new_file = (!to_pipe && *chosen > 0).then_some(&args.out);
        let object = json!({
            "file": args.file, "new_file": new_file, "chosen": chosen, "related": related,
            "warcinfo": infos, "bytes": bytes, "left_out": left_out,
        });
        if to_pipe { json_line(&mut std::io::stderr(), &object)? } else { json_line(out, &object)? }
    } else if report.chosen == 0 {
        notice!("fonds: no whole record fits, so nothing was written; fonds warc ls shows what a filter takes");
    } else if !to_pipe {
        let CutReport { chosen, related, infos, bytes, .. } = &report;
        let name = plain(&args.out.display().to_string());
        writeln!(out, "{name}: {chosen} chosen, {related} related, {infos} warcinfo in front, {bytes} bytes")?;
    }
    Ok(if report.chosen == 0 || !report.left_out.is_empty() { PROBLEMS } else { FINE })
}

fn write(args: &CutArgs, cut: &Cut, to_pipe: bool, out: &mut dyn Write, cx: &JobCx) -> Result<CutReport, CutError> {
    if to_pipe {
        let chosen = choose(&args.file, cut, cx)?;
        let report = chosen.write(&args.file, out, cx)?;
        out.flush().map_err(CutError::Out)?;
        return Ok(report);
    }
    // Made before the long reading: a name that is taken is known at once.
    let mut new = WholeFile::create(&args.out).map_err(WarcError::from)?;
    let chosen = choose(&args.file, cut, cx)?;
    if chosen.is_empty() {
        return Ok(chosen.report);
    }
    let report = chosen.write(&args.file, &mut new, cx)?;
    new.finish().map_err(WarcError::from)?;
    Ok(report)
}
