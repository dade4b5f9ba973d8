//! `fonds guide`.

use super::FINE;
use super::output::json_line;
use crate::guide::{GUIDES, Guide};
use clap::builder::PossibleValuesParser;
use std::io::Write;

/// Print a guide: crawl, import, review, search, queries, handover, scripts, limits.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds guide                   the list of guides\n  \
    fonds guide queries           how filters and searches are written, with every field\n  \
    fonds guide crawl | less\n\n\
    Guides are texts in Markdown. The page Help of the window has the same ones.")]
pub struct GuideArgs {
    /// Its name; without one, the guides are listed.
    #[arg(value_parser = PossibleValuesParser::new(GUIDES.map(|guide| guide.name)))]
    name: Option<String>,
    /// One object a guide; its text comes with it where a name is given.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &GuideArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let chosen = args.name.as_deref().and_then(Guide::named);
    for guide in GUIDES.iter().filter(|guide| chosen.is_none_or(|chosen| chosen.name == guide.name)) {
        let text = chosen.map(Guide::text);
        if args.json {
            let Guide { name, title, about, .. } = guide;
            json_line(out, &serde_json::json!({"name": name, "title": title, "about": about, "text": text}))?;
        } else if let Some(text) = text {
            write!(out, "{text}")?;
        } else {
            writeln!(out, "{:<10}{}: {}", guide.name, guide.title, guide.about)?;
        }
    }
    Ok(FINE)
}
