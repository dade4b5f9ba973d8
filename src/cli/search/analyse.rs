//! `fonds analyse`: who and what the archive speaks of.

use super::query_text::QueryText;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::{FINE, PROBLEMS};
use crate::jobs::counted;
use crate::store::{AnalysisRun, Workspace};
use crate::work::models::{CampaignId, LaunchId};
use crate::work::{self, AnalysisInputs, AnalysisStep, Report};
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Find persons, places, organisations and terms in the texts of a workspace.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  fonds analyse my-archive\n  fonds analyse my-archive --campaign 1 --period 2024-01..2024-06\n  \
    fonds analyse my-archive --query 'lang=pt budget' --steps terms\n  fonds analyse list my-archive\n\n\
    Entities are names of authority files (fonds entities load) and of the requests of campaigns, and runs of capitalised \
    words, of a known kind only where a word says so, such as Dr. or Lda. Nothing is learned from data. Measured beside \
    labelled news: of names that files have 96 to 98 % are right and 99 % are found; of capitalised runs 47 % (English web \
    pages) to 65 % (Portuguese news) are exactly a name, and 88 to 98 % of all names are met.\n\n\
    Terms of a page are those that set it apart (TF-IDF); terms of an analysis those that set it apart from the rest of \
    the workspace (log-likelihood), with C-value.\n\n\
    Texts are those that the index kept; each content version is read once. An analysis of what did not change since one \
    with the same inputs is that one. Searches (entity:), scores and lists go by the newest analysis of the whole workspace, \
    and of whole campaigns since; one of a part (--query, --period, --launch, --import, --steps) answers where it is named \
    with --run, and otherwise only until there is a whole one. A stop loses nothing that was read. Results lie in the folder analysis of the \
    workspace, which can be deleted: they can be made again."
)]
pub struct AnalyseArgs {
    /// Workspace.
    #[arg(required = true)]
    folder: Option<PathBuf>,
    /// What else to do.
    #[command(subcommand)]
    command: Option<AnalyseCommand>,
    /// Only captures of this campaign; can be given several times.
    #[arg(long, value_name = "ID")]
    campaign: Vec<CampaignId>,
    /// Only captures of this crawl, by its name; can be given several times.
    #[arg(long, value_name = "LAUNCH")]
    launch: Vec<String>,
    /// Only captures of this import; can be given several times.
    #[arg(long, value_name = "N")]
    import: Vec<LaunchId>,
    /// Only captures that a query finds.
    #[arg(long, allow_hyphen_values = true)]
    query: Option<QueryText>,
    /// Only captures of a period, such as 2024, 2024-03 or 2024-01..2024-06.
    #[arg(long, value_name = "A..B", default_value = "", hide_default_value = true)]
    period: String,
    /// Only these parts.
    #[arg(long, value_delimiter = ',')]
    steps: Vec<StepArg>,
    /// The outcome as one object.
    #[arg(long)]
    json: bool,
}

/// A part of an analysis as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum StepArg {
    /// Persons, places, organisations, events.
    Entities,
    /// Terms.
    Terms,
}

/// What was analysed.
#[derive(Debug, clap::Subcommand)]
pub enum AnalyseCommand {
    /// List the analyses.
    #[command(after_help = "Example:\n  fonds analyse list my-archive\n\n\
        Columns: number, when it began, pages, entities, mentions, terms, what it is about.")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// One object a line.
        #[arg(long)]
        json: bool,
    },
    /// Show an analysis: its inputs and its first terms and entities.
    #[command(
        after_help = "Examples:\n  fonds analyse show my-archive\n  fonds analyse show my-archive --run 2 --limit 100"
    )]
    Show {
        /// Workspace.
        folder: PathBuf,
        /// The analysis; the newest without it.
        #[arg(long, value_name = "N")]
        run: Option<i64>,
        /// Terms and entities, at most.
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Run, terms and entities as one object.
        #[arg(long)]
        json: bool,
        /// Terms as comma-separated values with a head line, without those of fewer pages or occurrences than --least; how
        /// many are left out is written on standard error.
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        /// Pages and occurrences that a term needs to be written with --csv: small numbers can point to a person.
        #[arg(long, default_value_t = work::LEAST_CELL, requires = "csv")]
        least: u64,
    },
    /// Compare the entities of two analyses.
    #[command(after_help = "Example:\n  fonds analyse compare my-archive 1 2")]
    Compare {
        /// Workspace.
        folder: PathBuf,
        /// The first analysis.
        first: i64,
        /// The second one.
        second: i64,
        /// Rows of each kind, at most.
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// All differences as one object.
        #[arg(long)]
        json: bool,
    },
    /// Delete an analysis with all that it found.
    #[command(after_help = "Example:\n  fonds analyse delete my-archive 1")]
    Delete {
        /// Workspace.
        folder: PathBuf,
        /// The analysis.
        run: i64,
    },
    /// Check texts for personal data before they are handed over: e-mail, telephone, IBAN, identity numbers.
    #[command(after_help = "Examples:\n  fonds analyse personal my-archive --campaign 1\n  \
        fonds analyse personal my-archive --query 'selected:yes' --json\n\n\
        Columns: capture, how many of each kind, URL; the data are not shown. IBAN and identity numbers (Portugal, Spain, France, \
        Germany, United Kingdom) have a check digit, which has to be right. Exit status 1 says that some were found.")]
    Personal {
        /// Workspace.
        folder: PathBuf,
        /// Only captures of this campaign; can be given several times.
        #[arg(long, value_name = "ID")]
        campaign: Vec<CampaignId>,
        /// Only captures that a query finds.
        #[arg(long, allow_hyphen_values = true)]
        query: Option<QueryText>,
        /// One object a text.
        #[arg(long)]
        json: bool,
    },
    /// Find names and terms in documents, a JSON object a line, as a filter for many machines.
    #[command(after_help = "Examples:\n  \
        fonds index documents archive.warc.gz | fonds analyse documents -\n  \
        fonds analyse documents --authority deputies.csv part-1.jsonl\n\n\
        Each line is an object with a text (content, main or text) and what names it (id or url), as fonds index documents \
        writes them. Written is an object a line: id, mentions with name, kind, uri, first character and characters, terms with \
        counts. A line depends on its document alone, so that Spark and Hadoop Streaming give the same bytes: whether a word \
        that begins a sentence is a name is left open (initial).")]
    Documents {
        /// Files, or - for standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// An authority file whose names are looked for; can be given several times.
        #[arg(long, value_name = "FILE")]
        authority: Vec<PathBuf>,
    },
}

pub(in crate::cli) fn run(args: &AnalyseArgs, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<u8> {
    if let Some(command) = &args.command {
        return run_command(command, input, out);
    }
    let Some(folder) = &args.folder else { anyhow::bail!("name the folder of a workspace") };
    let steps = args.steps.iter().map(|step| match step {
        StepArg::Entities => AnalysisStep::Entities,
        StepArg::Terms => AnalysisStep::Terms,
    });
    let mut inputs = AnalysisInputs {
        campaigns: args.campaign.clone(),
        launches: args.launch.clone(),
        imports: args.import.clone(),
        query: line_of(args.query.as_ref()),
        period: args.period.clone(),
        steps: steps.collect(),
    };
    inputs.steps.sort_unstable();
    inputs.steps.dedup();
    let session = session(folder)?;
    let report = with_progress(|cx| session.analyse(&inputs, cx))?;
    match args.json {
        true => json_line(out, &report)?,
        false => writeln!(out, "{}", report.summary())?,
    }
    if report.run.counts.pages == 0 {
        notice!(
            "fonds: no page with a text is among these captures; see what there is: fonds captures {}",
            folder.display()
        );
        return Ok(PROBLEMS);
    }
    Ok(FINE)
}

fn line_of(query: Option<&QueryText>) -> String {
    query.map_or_else(String::new, |query| (**query).to_owned())
}

fn label_of(run: &AnalysisRun) -> String {
    serde_json::from_value::<AnalysisInputs>(run.inputs.clone())
        .map_or_else(|_| run.inputs.to_string(), |inputs| inputs.label())
}

fn run_command(command: &AnalyseCommand, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        AnalyseCommand::List { folder, json } => {
            let session = read_only_session(folder)?;
            let runs = work::analysis_runs(&session.workspace)?;
            for run in &runs {
                if *json {
                    json_line(out, run)?;
                    continue;
                }
                let counts = &run.counts;
                let ended = if run.ended.is_some() { "" } else { "  (not finished)" };
                writeln!(
                    out,
                    "{}  {}  {:>8} {:>8} {:>9} {:>7}  {}{ended}",
                    run.id,
                    run.started.to_readable(),
                    counts.pages,
                    counts.entities,
                    counts.mentions,
                    counts.terms,
                    plain(&label_of(run))
                )?;
            }
            if runs.is_empty() {
                notice!("fonds: nothing was analysed yet. Do it: fonds analyse {}", folder.display());
            }
            Ok(FINE)
        }
        AnalyseCommand::Show { folder, run, limit, csv: true, least, .. } => {
            let terms = work::terms_of_run(&read_only_session(folder)?.workspace, *run, *limit)?;
            let table = work::terms_aggregate(&terms, *least);
            table.write_csv(out)?;
            notice!("{} of fewer than {least} left out", counted(table.dropped, "term or count"));
            Ok(FINE)
        }
        AnalyseCommand::Show { folder, run, limit, json, .. } => {
            show(&read_only_session(folder)?.workspace, *run, *limit, *json, out)
        }
        AnalyseCommand::Compare { folder, first, second, limit, json } => {
            let session = read_only_session(folder)?;
            let comparison = work::compare_runs(&session.workspace, [*first, *second])?;
            if *json {
                json_line(out, &comparison)?;
                return Ok(FINE);
            }
            writeln!(out, "{} on as many pages in both", counted(comparison.same, "entity"))?;
            for (title, rows) in [(first, &comparison.only_first), (second, &comparison.only_second)] {
                writeln!(out, "only in {title}: {}", rows.len())?;
                rows.iter()
                    .take(*limit)
                    .try_for_each(|(name, pages)| writeln!(out, "  {pages:>6}  {}", plain(name)))?;
            }
            writeln!(out, "on another number of pages: {}", comparison.changed.len())?;
            for (name, [a, b]) in comparison.changed.iter().take(*limit) {
                writeln!(out, "  {a:>6} → {b:<6}  {}", plain(name))?;
            }
            Ok(FINE)
        }
        AnalyseCommand::Delete { folder, run } => {
            let session = session(folder)?;
            work::delete_run(&session.workspace, *run)?;
            notice!("analysis {run} deleted");
            Ok(FINE)
        }
        AnalyseCommand::Personal { folder, campaign, query, json } => {
            let inputs = AnalysisInputs {
                campaigns: campaign.clone(),
                query: line_of(query.as_ref()),
                ..AnalysisInputs::default()
            };
            let session = read_only_session(folder)?;
            let found = with_progress(|cx| session.personal_data(&inputs, cx))?;
            for text in &found {
                if *json {
                    json_line(out, text)?;
                    continue;
                }
                let counts = text.counts.iter().map(|(kind, count)| format!("{count} {}", kind.name()));
                writeln!(out, "{}  {}  {}", text.capture, counts.collect::<Vec<_>>().join(", "), plain(&text.url))?;
            }
            notice!("personal data in {}", counted(found.len() as u64, "text"));
            Ok(if found.is_empty() { FINE } else { PROBLEMS })
        }
        AnalyseCommand::Documents { files, authority } => {
            work::analyse_documents(files, authority, input, out).map(|skipped| {
                if skipped > 0 {
                    notice!("fonds: {} had no text and were left out", counted(skipped, "line"));
                }
                if skipped > 0 { PROBLEMS } else { FINE }
            })
        }
    }
}

fn show(workspace: &Workspace, run: Option<i64>, limit: usize, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let run = work::analysis_run(workspace, run)?;
    let terms = work::terms_of_run(workspace, Some(run.id), limit)?;
    let entities = work::entity_rows(workspace, Some(run.id), None, limit)?;
    if json {
        json_line(out, &serde_json::json!({ "run": run, "terms": terms, "entities": entities }))?;
        return Ok(FINE);
    }
    let counts = &run.counts;
    writeln!(out, "analysis {} of {}", run.id, plain(&label_of(&run)))?;
    writeln!(out, "began {}, Fonds {}, inputs {}", run.started.to_readable(), run.program, run.digest)?;
    writeln!(
        out,
        "{} of {}, {} read for it; {}",
        counted(counts.pages, "page"),
        counted(counts.captures, "capture"),
        counts.fresh,
        counted(counts.sentences, "sentence")
    )?;
    if !terms.is_empty() {
        writeln!(out, "\n   count    pages  keyness  C-value  term, of {}", counts.terms)?;
    }
    for term in &terms {
        let keyness = term.keyness.map_or_else(|| "–".to_owned(), |keyness| format!("{keyness:.1}"));
        writeln!(out, "{:>8} {:>8} {keyness:>8} {:>8.1}  {}", term.count, term.pages, term.c_value, plain(&term.text))?;
    }
    if !entities.is_empty() {
        writeln!(out, "\nmentions    pages    hosts  kind          entity, of {}", counts.entities)?;
    }
    for entity in &entities {
        let (kind, name) = (entity.kind.name(), plain(&entity.name));
        writeln!(out, "{:>8} {:>8} {:>8}  {kind:<12}  {name}", entity.mentions, entity.pages, entity.hosts)?;
    }
    Ok(FINE)
}
