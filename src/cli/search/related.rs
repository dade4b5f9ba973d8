//! `fonds related`.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::query::quoted_value;
use crate::work::models::{CaptureColumn, CaptureId, CaptureQuery};
use crate::work::{self, Session};
use anyhow::Context;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Captures that links and texts bring together with one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds related my-archive 17\n  \
    fonds related my-archive https://ria.example/news --json | jq .url\n\n\
    Columns: number, date, URL, title, reasons; the most related first, of each page one capture. Reasons are links \
    (this one links to it, it links to this one), pages that cite both, and a text that is like its own: 1.00 is the \
    same text. Each link counts the less the more links there are beside it. Inlinks are those of the window, and have \
    to be built (fonds inlinks build); texts have to be indexed (fonds index).")]
pub struct RelatedArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number of a capture, or a URL: its newest capture.
    capture: String,
    /// Days before and after the capture that links count in; without it as the columns of the workspace count.
    #[arg(long, value_name = "DAYS")]
    window: Option<u32>,
    /// Captures at most.
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// One object a capture.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &RelatedArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let capture = capture_of(&session, &args.capture)?;
    let window_days = match args.window {
        Some(days) => days,
        None => session.catalogue().window_days()?,
    };
    let page = session.related(capture, window_days)?;
    let folder = args.folder.display();
    if !page.built {
        let why = session.workspace.why_no_links()?;
        notice!("fonds: {why}: what links to it is not known. Build them: fonds inlinks build {folder}");
    }
    if !page.indexed {
        notice!("fonds: its text is not indexed: texts are not compared. Index them: fonds index {folder}");
    }
    let mut out = BufWriter::new(out);
    for row in page.rows.iter().take(args.limit) {
        if args.json {
            json_line(&mut out, row)?;
            continue;
        }
        let (of, date) = (&row.capture, row.capture.date.to_readable());
        writeln!(out, "{}\t{date}\t{}\t{}\t{}", of.id, plain(&of.url), plain(&of.title), row.reasons())?;
    }
    out.flush()?;
    Ok(FINE)
}

/// The capture of a number, or the newest one of a URL.
fn capture_of(session: &Session, text: &str) -> anyhow::Result<CaptureId> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let filter = format!("key:{}", quoted_value(text));
    let newest = vec![(CaptureColumn::Date, true)];
    let page = session.catalogue().captures(&CaptureQuery { filter, sort: newest, limit: 1, ..work::everything() })?;
    if let Some(problem) = page.filter_problem {
        anyhow::bail!("“{text}” is neither the number of a capture nor a URL: {problem}");
    }
    let row = page.rows.first();
    Ok(row.with_context(|| format!("“{text}” was not captured. List captures with: fonds captures"))?.id)
}
