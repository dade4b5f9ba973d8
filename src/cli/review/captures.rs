//! `fonds captures`.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::search::query_text::{FilterText, QueryText};
use crate::export::{csv_row, spreadsheet_cell};
use crate::store::query_help;
use crate::uri::{PageKey, Url};
use crate::work;
use crate::work::Session;
use crate::work::models::{CampaignId, CaptureColumn, CaptureId, CaptureQuery, CaptureRow, with_source};
use anyhow::Context;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Rows that are read at once.
const ROWS_AT_ONCE: u64 = 10_000;

/// Columns of the plain list.
const PLAIN_COLUMNS: [&str; 5] = ["id", "date", "status", "mark", "url"];

/// List captures, with what is known of each.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub struct CapturesArgs {
    /// Workspace.
    folder: PathBuf,
    /// Words and fields, as in the window's filter line; all captures without it.
    #[arg(default_value = "", allow_hyphen_values = true)]
    filter: QueryText,
    /// Number or title of the campaign whose captures, scores and selection are meant; without it
    /// all captures. Fields that ask a campaign, such as selected: and score, need it where there are several.
    #[arg(long)]
    campaign: Option<String>,
    /// One object a capture.
    #[arg(long, conflicts_with_all = ["csv", "tsv", "count"])]
    json: bool,
    /// Comma-separated values with a head line.
    #[arg(long, conflicts_with_all = ["tsv", "count"])]
    csv: bool,
    /// Tab-separated values with a head line.
    #[arg(long, conflicts_with = "count")]
    tsv: bool,
    /// Only say how many there are.
    #[arg(long)]
    count: bool,
    /// Columns, separated by commas, by the names that --json has.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", conflicts_with = "count")]
    columns: Vec<String>,
    /// Columns to sort by, separated by commas; - before a name begins with the largest.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    sort: Vec<String>,
    /// At most so many captures.
    #[arg(long)]
    limit: Option<u64>,
    /// Leave so many out before the first.
    #[arg(long, default_value_t = 0)]
    offset: u64,
}

/// Examples, and the fields of a filter.
fn help() -> String {
    "Examples:\n  fonds captures my-archive\n  \
        fonds captures my-archive 'host:gov.pt status:200 inlinks.ext>3' --sort=-inlink_hosts --limit 20\n  \
        fonds captures my-archive 'review:yes' --campaign 1\n  \
        fonds captures my-archive 'mark:reject' --csv --columns id,url,date > rejected.csv\n  \
        fonds captures my-archive 'selected:yes' --json | jq .url\n\n\
        Columns of the plain list: number, date, status, decision, URL.\n\n\
        A filter is a query, and finds what fonds search finds: its words are looked for in texts, titles and URLs; \
        without an index (fonds index) in URLs and titles, also as parts of words.\n\n"
        .to_owned()
        + &query_help()
}

/// The campaign that is named, if one is.
pub(in crate::cli) fn named_campaign(session: &Session, name: Option<&str>) -> anyhow::Result<Option<CampaignId>> {
    Ok(name.map(|name| session.catalogue().find_campaign(name)).transpose()?)
}

pub(in crate::cli) fn run(args: &CapturesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let mut query = CaptureQuery {
        filter: args.filter.to_string(),
        campaign: named_campaign(&session, args.campaign.as_deref())?,
        sort: args.sort.iter().map(|name| sort_key(name)).collect::<anyhow::Result<_>>()?,
        offset: args.offset,
        ..work::everything()
    };
    let columns = columns(args)?;
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut out = BufWriter::new(out);
    if args.csv {
        csv_row(&mut out, &columns)?;
    } else if args.tsv {
        writeln!(out, "{}", columns.join("\t"))?;
    }
    loop {
        query.limit = if args.count { 0 } else { left.min(ROWS_AT_ONCE) };
        let page = session.catalogue().captures(&query)?;
        if let Some(problem) = page.filter_problem {
            anyhow::bail!("the filter cannot be read: {problem}");
        }
        if args.count {
            writeln!(out, "{}", page.total)?;
            break;
        }
        for row in &page.rows {
            print(row, args, &columns, &mut out)?;
        }
        let read = page.rows.len() as u64;
        left -= read;
        query.offset += read;
        if left == 0 || read == 0 {
            break;
        }
    }
    out.flush()?;
    Ok(FINE)
}

fn print(row: &CaptureRow, args: &CapturesArgs, columns: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
    let Value::Object(mut fields) = serde_json::to_value(row)? else { return Ok(()) };
    if args.json {
        if !args.columns.is_empty() {
            fields.retain(|name, _| columns.contains(&name.as_str()));
        }
        return json_line(out, &fields);
    }
    // The origin of a decision has no column of its own and follows it.
    if !columns.iter().any(|column| column.starts_with("decision_"))
        && let Some(Value::String(mark)) = fields.get_mut("mark")
    {
        *mark = with_source(mark, row.decision_origin.as_deref(), row.decision_inherited);
    }
    let texts: Vec<String> = columns
        .iter()
        .map(|column| match fields.get(*column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        })
        .collect();
    if args.csv {
        return Ok(csv_row(out, &texts.iter().map(String::as_str).collect::<Vec<_>>())?);
    }
    let cell = |text: &String| match (args.tsv, text.is_empty()) {
        (true, _) => spreadsheet_cell(&plain(text)).into_owned(),
        (false, true) => "-".to_owned(),
        (false, false) => plain(text),
    };
    let texts: Vec<String> = texts.iter().map(cell).collect();
    Ok(writeln!(out, "{}", texts.join("\t"))?)
}

/// The columns to print: those that were named, or a few, or all for files.
fn columns(args: &CapturesArgs) -> anyhow::Result<Vec<&str>> {
    if args.columns.is_empty() {
        return Ok(if args.csv || args.tsv { CaptureRow::COLUMNS.to_vec() } else { PLAIN_COLUMNS.to_vec() });
    }
    for name in &args.columns {
        anyhow::ensure!(
            CaptureRow::COLUMNS.contains(&name.as_str()),
            "--columns: there is no column “{name}”; there are {}",
            CaptureRow::COLUMNS.join(", ")
        );
    }
    Ok(args.columns.iter().map(String::as_str).collect())
}

/// A sort key as it is typed: `url`, or `-score` for the largest first.
fn sort_key(text: &str) -> anyhow::Result<(CaptureColumn, bool)> {
    let (name, descending) = match text.strip_prefix('-') {
        Some(name) => (name, true),
        None => (text, false),
    };
    match serde_json::from_value(Value::String(name.to_owned())) {
        Ok(column) => Ok((column, descending)),
        Err(error) => anyhow::bail!("--sort: {error}"),
    }
}

/// Captures that a command is about.
#[derive(Debug, clap::Args)]
pub struct ChosenCaptures {
    /// Captures of this URL; can be given several times.
    #[arg(long)]
    url: Vec<String>,
    /// The capture of this number, as fonds captures lists it; can be given several times.
    #[arg(long)]
    id: Vec<CaptureId>,
    /// Captures that this filter finds; * is every capture.
    #[arg(long, allow_hyphen_values = true)]
    filter: Option<FilterText>,
    /// Number or title of the campaign whose captures the filter looks through; without it through
    /// all. Fields that ask a campaign, such as selected: and score, need it where there are several.
    #[arg(long)]
    campaign: Option<String>,
}

impl ChosenCaptures {
    /// The campaign that a filter is evaluated for.
    pub(in crate::cli) fn campaign(&self, session: &Session) -> anyhow::Result<Option<CampaignId>> {
        named_campaign(session, self.campaign.as_deref())
    }

    /// The filter that finds them; empty without one.
    pub(in crate::cli) fn filter_text(&self) -> String {
        self.filter.as_ref().map(|filter| filter.trim().to_owned()).unwrap_or_default()
    }

    /// The captures that are named, each once, where only the filter needs the campaign.
    pub(in crate::cli) fn find(&self, session: &Session, folder: &Path) -> anyhow::Result<Vec<CaptureId>> {
        anyhow::ensure!(
            self.campaign.is_none() || self.filter.is_some(),
            "--campaign: the filter is asked of it, and there is none; leave it out, or add --filter"
        );
        self.find_in(self.campaign(session)?, session, folder)
    }

    /// The captures that are named, each once, with the filter evaluated for a campaign.
    pub(in crate::cli) fn find_in(
        &self,
        campaign: Option<CampaignId>,
        session: &Session,
        folder: &Path,
    ) -> anyhow::Result<Vec<CaptureId>> {
        anyhow::ensure!(
            self.filter.is_some() || !self.url.is_empty() || !self.id.is_empty(),
            "which captures? Name them with --url, --id or --filter"
        );
        let catalogue = session.catalogue();
        let mut captures = Vec::new();
        for id in &self.id {
            captures.push(catalogue.capture_row(*id)?.id);
        }
        for text in &self.url {
            let url = Url::parse(text).with_context(|| format!("“{text}” is not a URL"))?;
            let found = catalogue.captures_of_url(&url)?;
            if found.is_empty() {
                let other =
                    catalogue.last_capture(&PageKey::of(&url))?.map(|id| catalogue.capture_row(id)).transpose()?;
                match other {
                    Some(row) => anyhow::bail!("{text} was never captured; the same page was as {}", row.url),
                    None => anyhow::bail!("{text} was never captured. Why: fonds why {} {text}", folder.display()),
                }
            }
            captures.extend(found);
        }
        if let Some(filter) = &self.filter {
            let query = CaptureQuery { filter: filter.to_string(), campaign, ..work::everything() };
            let found = catalogue.capture_ids(&query)?;
            anyhow::ensure!(!found.is_empty(), "the filter “{}” finds no capture; nothing was changed", &**filter);
            captures.extend(found);
        }
        captures.sort_unstable();
        captures.dedup();
        Ok(captures)
    }
}
