//! `fonds diff`.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::text::{DiffLine, PartKind};
use crate::uri::CaptureDate;
use crate::work;
use crate::work::{CaptureDiff, DiffSide, LinkDifference, NamedCapture};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Show what two captures differ in: the words of their texts, and their links.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds diff my-archive 17\n  \
    fonds diff my-archive http://www.example.org/news\n  \
    fonds diff my-archive http://www.example.org/news --before 2023-05 --after 2024-05\n  \
    fonds diff my-archive 17 23 --json | jq .links_added\n\n\
    A capture alone is compared with the one before it of the same page, a URL alone by the last two captures of its\n\
    page. Any two captures can be compared, of other pages as well. The main texts are compared, as the index keeps them;\n\
    with --whole menus and footers too. Only lines that differ are printed: [-removed-], {+added+}. Links follow, with\n\
    + before those that were added, - before those that were removed and ~ before those with another text.")]
pub struct CaptureDiffArgs {
    /// Workspace.
    folder: PathBuf,
    /// A capture by its number, or a page by a URL of it.
    capture: String,
    /// What it is compared with; without it the capture before.
    other: Option<String>,
    /// Of a page that is named by its URL: the first capture is the one nearest to this date.
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    /// The same of the second capture.
    #[arg(long, value_name = "DATE")]
    after: Option<String>,
    /// Compare all of the text, not the main text alone.
    #[arg(long)]
    whole: bool,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &CaptureDiffArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let date = |option: &str, text: &Option<String>| -> anyhow::Result<Option<CaptureDate>> {
        let period = text.as_deref().map(CaptureDate::period).transpose().with_context(|| option.to_owned())?;
        Ok(period.map(|(first, _)| first))
    };
    let dates = (date("--before", &args.before)?, date("--after", &args.after)?);
    let first = NamedCapture::parse(&args.capture)?;
    let second = args.other.as_deref().map(NamedCapture::parse).transpose()?;
    let (before, after) = work::captures_to_compare(&session, &first, second.as_ref(), dates)?;
    let diff = work::capture_diff(&session, before, after, args.whole)?;
    match args.json {
        true => json_line(out, &diff)?,
        false => print(&diff, out)?,
    }
    Ok(FINE)
}

fn print(diff: &CaptureDiff, out: &mut dyn Write) -> anyhow::Result<()> {
    for (sign, side) in [("---", &diff.before), ("+++", &diff.after)] {
        let DiffSide { capture, url, date, status, .. } = side;
        writeln!(out, "{sign} {capture}\t{} UTC\t{status}\t{}", date.to_readable(), plain(url))?;
        if let Some(why) = &side.unread {
            notice!("The text of capture {capture} cannot be read: {}", plain(why));
        }
    }
    for line in diff.text.lines.iter().filter(|line| !line.is_same()) {
        writeln!(out, "{}", plain(&marked(line)))?;
    }
    let links = [("+", &diff.links_added), ("-", &diff.links_removed), ("~", &diff.links_reworded)];
    for (sign, links) in links {
        for link in links {
            let LinkDifference { url, kind, before, after } = link;
            let texts = [before, after].map(|side| LinkDifference::anchors(side.as_ref()));
            let text = match sign {
                "~" => format!("{} → {}", texts[0], texts[1]),
                _ => texts.concat(),
            };
            writeln!(out, "{sign} {}\t{kind}\t{}", plain(url), plain(&text))?;
        }
    }
    notice!("{}", diff.summary());
    Ok(())
}

/// A line with its differences in signs.
fn marked(line: &DiffLine) -> String {
    let parts = line.parts.iter().map(|part| match part.kind {
        PartKind::Same => part.text.clone(),
        PartKind::Removed => format!("[-{}-]", part.text),
        PartKind::Added => format!("{{+{}+}}", part.text),
    });
    parts.collect()
}
