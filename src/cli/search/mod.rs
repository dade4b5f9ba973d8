//! `fonds search`.

pub(super) mod analyse;
pub(super) mod documents;
pub(super) mod entities;
pub(super) mod index;
pub(super) mod judge;
pub(super) mod query_text;
pub(super) mod related;
pub(super) mod text;

use super::FINE;
use super::campaign::{read_only_session, session};
use super::output::{json_line, plain};
use crate::cli::review::captures::named_campaign;
use crate::cli::search::query_text::QueryText;
use crate::export::csv_row;
use crate::jobs::{counted, verb};
use crate::search::{FacetChoice, FacetKind, Period, narrowed_by};
use crate::store::{named_campaigns, query_help};
use crate::work::models::CampaignId;
use crate::work::{self, Hit, SearchOrder, SearchQuery, Session, operator};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::{BufRead, BufWriter, Write};
use std::path::PathBuf;

/// Results of a query in a run for evaluation, as is usual there.
const RUN_DEPTH: usize = 1_000;

/// Find captures by their words.
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub struct SearchArgs {
    /// Workspace.
    folder: PathBuf,
    /// What is looked for; everything without it.
    #[arg(allow_hyphen_values = true, conflicts_with = "batch")]
    query: Option<QueryText>,
    /// Number or title of the campaign whose captures are searched; all captures without it. Fields that ask a
    /// campaign, such as selected: and score, and --facets term need it where there are several.
    #[arg(long)]
    campaign: Option<String>,
    /// Only captures with this value of a facet: NAME=VALUE, or NAME!=VALUE for all others; can be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = facet_choice)]
    facet: Vec<FacetChoice>,
    /// Count the captures found by these facets: media, lang, host, domain, tld, country, year, status, campaign,
    /// launch, mark, kind (of site), term (terms of the campaign's request); separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = facet_kind)]
    facets: Vec<FacetKind>,
    /// Count the captures found by day, month or year.
    #[arg(long, value_name = "PERIOD", value_parser = period)]
    histogram: Option<Period>,
    /// relevance, newest or oldest first; relevance, or the order of the saved search, without it.
    #[arg(long, value_name = "ORDER", value_parser = order)]
    sort: Option<SearchOrder>,
    /// Results at most.
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Leave so many out before the first.
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// Show every result of a host, and every near-duplicate.
    #[arg(long)]
    all: bool,
    /// Only say how many pages and captures there are.
    #[arg(long)]
    count: bool,
    /// One object a result; with --batch one a query, with all of its results.
    #[arg(long, conflicts_with_all = ["csv", "trec"])]
    json: bool,
    /// Comma-separated values with a head line.
    #[arg(long, conflicts_with = "trec")]
    csv: bool,
    /// A run of this name as evaluation programs read it, with URLs as documents; with --batch, whose lines begin with
    /// the number of the topic and a tabulator.
    #[arg(long, value_name = "RUN")]
    trec: Option<String>,
    /// Queries from a file, one a line: a CSV with the query, pages, captures and the first results.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// Run the search that was saved under this name; --facet narrows it further.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["query", "batch"])]
    saved: Option<String>,
    /// Save this search (query with facets, and order) under a name, in the place of one that had it.
    #[arg(long, value_name = "NAME", conflicts_with = "batch")]
    save: Option<String>,
    /// List the saved searches: name, query, order, who saved it and when.
    #[arg(long, conflicts_with_all = ["query", "batch", "saved", "save", "facets", "histogram", "csv", "trec", "count"])]
    list_saved: bool,
    /// Give a saved search another name.
    #[arg(long, num_args = 2, value_names = ["NAME", "NEW_NAME"], conflicts_with_all = ["query", "batch", "saved", "save", "list_saved"])]
    rename_saved: Option<Vec<String>>,
    /// Remove a saved search.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["query", "batch", "saved", "save", "list_saved", "rename_saved"])]
    remove_saved: Option<String>,
}

/// Examples, and how queries are written.
fn help() -> String {
    "Examples:\n  fonds search my-archive budget\n  \
        fonds search my-archive '\"state budget\" -football date:2024'\n  \
        fonds search my-archive budget --facets host,lang --histogram month\n  \
        fonds search my-archive budget --count --facets country,tld\n  \
        fonds search my-archive budget --facet lang=pt --facet host!=blog.example.pt --count\n  \
        fonds search my-archive --batch names.txt > hits.csv\n  \
        fonds search my-archive budget --facet lang=pt --save 'State budget'\n  \
        fonds search my-archive --saved 'State budget' --count\n\n\
        Columns: rank, captures found, date of the newest, URL, title; below each the place in its text. A result is \
        a page with one content, however often it was captured. Of one host two results are shown, of pages with \
        nearly the same text the best one, and how many more there are; --all shows them. Counts of facets and of \
        the histogram are captures.\n\n\
        Words are looked for in the whole text of a page, in its title, its URL and the texts of links to it; text: \
        asks the text of the page alone. Without an index they are looked for in URLs and titles: fonds index.\n\n"
        .to_owned()
        + &query_help()
}

fn facet_kind(name: &str) -> Result<FacetKind, String> {
    FacetKind::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = FacetKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("no facet is called “{name}”; there are {}", names.join(", "))
    })
}

pub(super) fn facet_choice(text: &str) -> Result<FacetChoice, String> {
    let (name, value) = text.split_once('=').ok_or("write it as lang=pt, or lang!=pt for all others")?;
    let (name, is_excluded) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    Ok(FacetChoice { kind: facet_kind(name)?, value: value.to_owned(), is_excluded })
}

fn period(name: &str) -> Result<Period, String> {
    Period::of_name(name).ok_or_else(|| "day, month or year".to_owned())
}

fn order(name: &str) -> Result<SearchOrder, String> {
    SearchOrder::of_name(name).ok_or_else(|| "relevance, newest or oldest".to_owned())
}

pub(super) fn run(args: &SearchArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    if let Some(names) = &args.rename_saved {
        if let [from, to] = names.as_slice() {
            work::rename_search(session(&args.folder)?.catalogue(), from, to)?;
        }
        return Ok(FINE);
    }
    if let Some(name) = &args.remove_saved {
        work::forget_search(session(&args.folder)?.catalogue(), name)?;
        return Ok(FINE);
    }
    let session = if args.save.is_some() { session(&args.folder)? } else { read_only_session(&args.folder)? };
    let campaign = named_campaign(&session, args.campaign.as_deref())?;
    let mut out = BufWriter::new(out);
    match &args.batch {
        Some(file) => batch(args, &session, campaign, file, &mut out)?,
        None if args.list_saved => list_saved(args, &session, &mut out)?,
        None => {
            let mut search_query = query_of(args, campaign, args.query.as_deref().unwrap_or_default());
            if let Some(name) = &args.saved {
                let saved = work::saved_search(session.catalogue(), name)?;
                search_query.text = narrowed_by(&saved.query, &args.facet);
                search_query.order = args.sort.unwrap_or(saved.order);
                search_query.shows_all |= saved.shows_all;
            }
            if let Some(name) = &args.save {
                let is_empty = args.query.as_deref().is_some_and(|query| query.trim().is_empty());
                anyhow::ensure!(
                    !is_empty,
                    "--save: the query is empty and would find every capture; nothing was saved. Leave it out to save \
                     a search by facets alone"
                );
                let was_there = session.save_search(name, &search_query, &operator())?;
                let place = if was_there { ", in the place of the one that had this name" } else { "" };
                notice!("fonds: saved the search “{}”{place}", plain(name.trim()));
            }
            one(args, &session, &search_query, &mut out)?;
        }
    }
    out.flush()?;
    Ok(FINE)
}

fn list_saved(args: &SearchArgs, session: &Session, out: &mut dyn Write) -> anyhow::Result<()> {
    for search in work::saved_searches(session.catalogue())? {
        if args.json {
            json_line(out, &search)?;
            continue;
        }
        let cells = [search.name.as_str(), &search.query, search.order.name(), &search.who];
        let line = cells.map(plain).join("\t");
        writeln!(out, "{line}\t{}", search.date.to_readable())?;
    }
    Ok(())
}

fn query_of(args: &SearchArgs, campaign: Option<CampaignId>, text: &str) -> SearchQuery {
    let limit = if args.trec.is_some() { RUN_DEPTH } else { args.limit };
    SearchQuery {
        text: narrowed_by(text, &args.facet),
        campaign,
        order: args.sort.unwrap_or_default(),
        offset: args.offset,
        limit: if args.count { 0 } else { limit },
        shows_all: args.all || args.trec.is_some(),
        without_snippets: args.batch.is_some() || args.csv,
    }
}

fn one(args: &SearchArgs, session: &Session, query: &SearchQuery, out: &mut dyn Write) -> anyhow::Result<()> {
    let campaigns = session.catalogue().campaign_titles()?;
    anyhow::ensure!(
        query.campaign.is_some() || campaigns.len() < 2 || !args.facets.contains(&FacetKind::Term),
        "--facets term: the terms are those of a campaign's request, and there are several campaigns: {}. Name one \
         with --campaign",
        named_campaigns(&campaigns)
    );
    let answer = session.search(query)?;
    if let Some(problem) = answer.problem {
        anyhow::bail!("the query cannot be read: {problem}");
    }
    match answer.waiting {
        None => notice!(
            "fonds: there is no text index: words were looked for in URLs and titles. Build it: fonds index {}",
            args.folder.display()
        ),
        Some(0) => {}
        Some(waiting) => {
            let captures = counted(waiting, "capture");
            notice!(
                "fonds: {captures} {} not indexed yet. Follow up: fonds index {}",
                verb(waiting, "is"),
                args.folder.display()
            )
        }
    }
    if args.count {
        match args.json {
            true => {
                json_line(out, &json!({"pages": answer.versions, "captures": answer.captures, "code": answer.code}))?
            }
            false => writeln!(out, "{}, {}", counted(answer.versions, "page"), counted(answer.captures, "capture"))?,
        }
    } else if args.csv {
        csv_row(out, &CSV_COLUMNS)?;
        for (nth, hit) in answer.hits.iter().enumerate() {
            let cells = [
                (args.offset + nth + 1).to_string(),
                hit.capture.url.clone(),
                hit.capture.title.clone(),
                hit.capture.date.to_warc(),
                hit.captures.to_string(),
                hit.score.to_string(),
                hit.folded.to_string(),
                hit.similar.to_string(),
            ];
            csv_row(out, &cells.each_ref().map(String::as_str))?;
        }
    } else {
        for (nth, hit) in answer.hits.iter().enumerate() {
            print(hit, args, args.offset + nth + 1, out)?;
        }
        if !args.json {
            writeln!(out, "{}, {}", counted(answer.versions, "page"), counted(answer.captures, "capture"))?;
        }
        for wider in &answer.wider {
            notice!("fonds: {}: {}", wider.why, plain(&wider.query));
        }
        if answer.code > 0 {
            let (code, are) = (counted(answer.code, "page"), verb(answer.code, "is"));
            notice!("fonds: {code} {are} style sheets, scripts or robots.txt and not shown. Add media:code, or --all");
        }
        let folded: u64 = answer.hits.iter().map(|hit| hit.folded).sum();
        if folded > 0 {
            let (shown, pages) = (answer.hits.len(), counted(answer.versions, "page"));
            notice!("fonds: {shown} of {pages} shown, {folded} more of the same hosts. Every one is shown with --all");
        }
    }
    if args.facets.is_empty() && args.histogram.is_none() {
        return Ok(());
    }
    let counts = session.search_counts(query, &args.facets, args.histogram)?;
    for (kind, values) in counts.facets {
        for value in values {
            let name = kind.name();
            match args.json {
                true => json_line(out, &json!({"facet": name, "value": value.value, "captures": value.count}))?,
                false => writeln!(
                    out,
                    "{name}\t{}\t{}",
                    value.count,
                    plain(if value.value.is_empty() { "-" } else { &value.value })
                )?,
            }
        }
    }
    for period in counts.histogram {
        match args.json {
            true => json_line(out, &json!({"period": period.period, "captures": period.count, "of": period.of}))?,
            false => writeln!(out, "{}\t{}\t{}", period.period, period.count, period.of)?,
        }
    }
    Ok(())
}

const CSV_COLUMNS: [&str; 8] = ["rank", "url", "title", "date", "captures", "score", "more_of_host", "similar"];

/// A result as an object: its newest capture, and what is known of the result.
fn object(hit: &Hit, rank: usize) -> anyhow::Result<Value> {
    let mut object = serde_json::to_value(&hit.capture)?;
    if let Value::Object(fields) = &mut object {
        for (name, value) in [
            ("rank", json!(rank)),
            ("version", json!(hit.version)),
            ("captures", json!(hit.captures)),
            ("relevance", json!(hit.score)),
            ("snippet", json!(hit.snippet)),
            ("more_of_host", json!(hit.folded)),
            ("similar", json!(hit.similar)),
        ] {
            fields.insert(name.to_owned(), value);
        }
    }
    Ok(object)
}

fn print(hit: &Hit, args: &SearchArgs, rank: usize, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.json {
        return json_line(out, &object(hit, rank)?);
    }
    let capture = &hit.capture;
    let date = capture.date.to_readable();
    writeln!(out, "{rank}\t{}\t{date}\t{}\t{}", hit.captures, plain(&capture.url), plain(&capture.title))?;
    if !hit.snippet.is_empty() {
        writeln!(out, "\t{}", plain(&hit.snippet.replace('\n', " ")))?;
    }
    if hit.folded > 0 {
        writeln!(out, "\t+ {} more of this host", hit.folded)?;
    }
    if hit.similar > 0 {
        writeln!(out, "\t+ {} similar", hit.similar)?;
    }
    Ok(())
}

/// Runs each query of a file and prints its results.
fn batch(
    args: &SearchArgs,
    session: &Session,
    campaign: Option<CampaignId>,
    file: &PathBuf,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let lines = std::fs::File::open(file).with_context(|| file.display().to_string())?;
    let is_table = args.trec.is_none() && !args.json;
    if is_table {
        csv_row(out, &["query", "pages", "captures", "rank", "url", "title", "date"])?;
    }
    for (nth, line) in std::io::BufReader::new(lines).lines().enumerate() {
        let line = line.with_context(|| format!("{}, line {}", file.display(), nth + 1))?;
        let (topic, query) = match (&args.trec, line.split_once('\t')) {
            (Some(_), Some((topic, query))) => (topic, query),
            (Some(_), None) => anyhow::bail!(
                "{}, line {}: the number of a topic, a tabulator and a query are expected",
                file.display(),
                nth + 1
            ),
            (None, _) => ("", line.as_str()),
        };
        if query.trim().is_empty() {
            continue;
        }
        let answer = session.search(&query_of(args, campaign, query))?;
        if let Some(problem) = answer.problem {
            anyhow::bail!("{}, line {}: the query cannot be read: {problem}", file.display(), nth + 1);
        }
        if args.json {
            let hits = answer.hits.iter().enumerate().map(|(nth, hit)| object(hit, args.offset + nth + 1));
            let (pages, captures, results) =
                (answer.versions, answer.captures, hits.collect::<anyhow::Result<Vec<_>>>()?);
            json_line(out, &json!({"query": query, "pages": pages, "captures": captures, "results": results}))?;
            continue;
        }
        for (rank, hit) in answer.hits.iter().enumerate() {
            let capture = &hit.capture;
            if let Some(run) = &args.trec {
                writeln!(out, "{topic} Q0 {} {} {} {run}", plain(&capture.url), rank + 1, hit.score)?;
            } else {
                let (pages, captures, rank) =
                    (answer.versions.to_string(), answer.captures.to_string(), (rank + 1).to_string());
                let cells = [query, &pages, &captures, &rank, &capture.url, &capture.title, &capture.date.to_warc()];
                csv_row(out, &cells)?;
            }
        }
        if answer.hits.is_empty() && is_table {
            csv_row(out, &[query, &answer.versions.to_string(), &answer.captures.to_string(), "", "", "", ""])?;
        }
    }
    Ok(())
}
