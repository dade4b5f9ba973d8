//! `fonds judge` and `fonds evaluate`: how good the results of a search are.

use super::facet_choice;
use super::query_text::QueryText;
use crate::analysis::{Judgement, PrecisionAt, Proportion};
use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain};
use crate::cli::review::captures::ChosenCaptures;
use crate::export::csv_row;
use crate::jobs::counted;
use crate::search::{FacetChoice, narrowed_by};
use crate::work::{self, JobKind, QueryEvaluation, SearchQuery};
use anyhow::Context;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Say whether captures are right or wrong as results of a search.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds judge my-archive right 'budget -football' --id 17 --id 23\n  \
    fonds judge my-archive wrong budget --url https://www.example.org/sport --by 'Ana Reis'\n  \
    fonds judge my-archive clear budget --id 17\n\n\
    right: it answers the query. wrong: it does not. unsure: you cannot say. clear: takes your judgement back.\n\
    Of several judgements of one person on a result the last one counts; earlier ones are kept. The place of the \
    result by relevance is kept with it: fonds evaluate.")]
pub struct JudgeArgs {
    /// Workspace.
    folder: PathBuf,
    /// What to say.
    judgement: JudgementArg,
    /// The query, as in fonds search.
    #[arg(allow_hyphen_values = true)]
    query: QueryText,
    /// A value that was chosen beside the query, as in fonds search; can be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = facet_choice)]
    facet: Vec<FacetChoice>,
    #[command(flatten)]
    captures: ChosenCaptures,
    /// Who judges; the system's user name without it.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// A judgement as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum JudgementArg {
    Right,
    Wrong,
    Unsure,
    Clear,
}

impl JudgementArg {
    fn judgement(self) -> Option<Judgement> {
        match self {
            Self::Right => Some(Judgement::Right),
            Self::Wrong => Some(Judgement::Wrong),
            Self::Unsure => Some(Judgement::Unsure),
            Self::Clear => None,
        }
    }
}

/// Measure search results by the assessments of people.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds evaluate my-archive\n  \
    fonds evaluate my-archive budget --json\n  \
    fonds evaluate my-archive --topics topics.tsv --qrels qrels.txt\n  \
    fonds search my-archive --trec fonds --batch topics.tsv > run.txt\n\n\
    Columns: judges, results judged, right, wrong, unsure, P@5, P@10, nDCG@10, κ, query. Right or wrong is what most judges of a \
    result say; where they balance it is unsure. P@10 is the share of right ones among those of the first ten results \
    that are right or wrong, with an interval of 95 % (Wilson); the place of a result is the one at which it was judged \
    last. nDCG@10 counts their order, too: a right result gains 1, an unsure one 0.5, one that is wrong or that nobody \
    judged 0, as a share of the best order of all that were judged. κ is Cohen's, of two judges; of several pairs the lowest and the highest.\n\n\
    --topics and --qrels write queries and judgements as evaluation programs read them (trec_eval, ir-measures), with \
    URLs as documents; results that are unsure are left out.")]
pub struct EvaluateArgs {
    /// Workspace.
    folder: PathBuf,
    /// Only this query; every one that was judged without it.
    #[arg(allow_hyphen_values = true)]
    query: Option<QueryText>,
    /// One object a query, with more figures.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Comma-separated values with a head line.
    #[arg(long)]
    csv: bool,
    /// Write the judgements to this file, a line each: topic, 0, URL, 1 for right and 0 for wrong.
    #[arg(long, value_name = "FILE", requires = "topics")]
    qrels: Option<PathBuf>,
    /// Write the queries to this file, a line each: number of the topic, query.
    #[arg(long, value_name = "FILE")]
    topics: Option<PathBuf>,
}

pub(in crate::cli) fn run(args: &JudgeArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let by = match args.by.as_deref().map(str::trim) {
        Some("") => anyhow::bail!("--by: the name is empty"),
        Some(name) => name.to_owned(),
        None => work::operator(),
    };
    let session = session(&args.folder)?;
    // The query may need a campaign, as the filter may.
    let campaign = args.captures.campaign(&session)?;
    let captures = args.captures.find_in(campaign, &session, &args.folder)?;
    let text = narrowed_by(&args.query, &args.facet);
    let query = SearchQuery { text, campaign, ..SearchQuery::default() };
    let judgement = args.judgement.judgement();
    let label = judgement.map_or("Judgement cleared", Judgement::label);
    let line = query.query_line();
    let number = counted(captures.len() as u64, "capture");
    session.run_job(JobKind::Mark, || {
        session.judge(&query, &captures, judgement, &by)?;
        Ok(format!("{label} for “{line}”: {number}, by {by}"))
    })?;
    match args.json {
        true => {
            json_line(out, &serde_json::json!({"query": line, "judgement": judgement, "captures": captures, "by": by}))?
        }
        false => writeln!(out, "{label} for “{}”: {number}, by {}", plain(line), plain(&by))?,
    }
    Ok(FINE)
}

const CSV_COLUMNS: [&str; 16] = [
    "query",
    "judges",
    "judged",
    "right",
    "wrong",
    "unsure",
    "judged_5",
    "p_5",
    "p_5_low",
    "p_5_high",
    "judged_10",
    "p_10",
    "p_10_low",
    "p_10_high",
    "ndcg_10",
    "kappa",
];

pub(in crate::cli) fn evaluate(args: &EvaluateArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let query = args.query.as_deref().map(str::trim);
    let found = work::evaluations(session.catalogue(), query)?;
    if let (Some(query), []) = (query, found.as_slice()) {
        anyhow::bail!(
            "nobody judged a result of “{query}”. Judge one: fonds judge; what was judged: fonds evaluate DIR"
        );
    }
    if let Some(topics) = &args.topics {
        write_topics(&session, &found, topics, args.qrels.as_deref())?;
    }
    if args.csv {
        csv_row(out, &CSV_COLUMNS)?;
    }
    for of in &found {
        let (figures, counts) = (&of.evaluation, of.evaluation.counts);
        let (judges, kappa) = (figures.judges.len(), figures.kappa_summary());
        let [five, ten] = [5, 10].map(|k| figures.first(k));
        if args.json {
            json_line(out, of)?;
        } else if args.csv {
            let mut cells = vec![of.query.clone()];
            cells.extend(
                [judges as u64, counts.judged(), counts.right, counts.wrong, counts.unsure].map(|n| n.to_string()),
            );
            for at in [five, ten] {
                let precision = at.and_then(|at| at.precision);
                cells.push(at.map_or(0, |at| at.counts.judged()).to_string());
                let part =
                    |get: fn(Proportion) -> f64| precision.map(get).map_or(String::new(), |share| share.to_string());
                cells.extend([part(|of| of.value), part(|of| of.low), part(|of| of.high)]);
            }
            cells.push(figures.ndcg_10.map_or(String::new(), |gain| gain.to_string()));
            cells.push(kappa.unwrap_or_default());
            csv_row(out, &cells.iter().map(String::as_str).collect::<Vec<_>>())?;
        } else {
            let share = |at: Option<&PrecisionAt>| {
                at.and_then(|at| at.precision).map_or_else(|| "-".to_owned(), |share| share.to_string())
            };
            writeln!(
                out,
                "{judges}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                counts.judged(),
                counts.right,
                counts.wrong,
                counts.unsure,
                share(five),
                share(ten),
                figures.ndcg_10.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.2}")),
                kappa.as_deref().unwrap_or("-"),
                plain(&of.query)
            )?;
        }
    }
    if found.is_empty() && !args.json && !args.csv {
        notice!("fonds: no result of a search was judged yet. Judge some: fonds judge --help");
    }
    Ok(FINE)
}

/// The queries as topics with numbers, and the assessments of their results.
fn write_topics(
    session: &work::Session,
    found: &[QueryEvaluation],
    topics: &Path,
    qrels: Option<&Path>,
) -> anyhow::Result<()> {
    let (mut topic_lines, mut qrel_lines) = (String::new(), String::new());
    for (number, of) in (1..).zip(found) {
        topic_lines.push_str(&format!("{number}\t{}\n", plain(&of.query)));
        // The documents of a run are URLs: of two contents of one the better counts.
        let mut by_url: BTreeMap<String, u8> = BTreeMap::new();
        for (url, judgement) in work::judged_urls(session.catalogue(), &of.query)? {
            let relevance = match judgement {
                Judgement::Right => 1,
                Judgement::Wrong => 0,
                Judgement::Unsure => continue,
            };
            let known = by_url.entry(url).or_default();
            *known = relevance.max(*known);
        }
        for (url, relevance) in by_url {
            qrel_lines.push_str(&format!("{number} 0 {} {relevance}\n", plain(&url)));
        }
    }
    let write = |path: &Path, lines: String| std::fs::write(path, lines).with_context(|| path.display().to_string());
    write(topics, topic_lines)?;
    qrels.map_or(Ok(()), |path| write(path, qrel_lines))
}
