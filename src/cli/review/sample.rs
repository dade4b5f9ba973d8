//! `fonds review sample`, `samples`, `agreement` and `reasons`.

use super::captures::named_campaign;
use crate::analysis::{LEAST_PAIRS, RaterAgreement};
use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain};
use crate::cli::search::query_text::QueryText;
use crate::jobs::counted;
use crate::uri::CaptureDate;
use crate::work;
use crate::work::Session;
use crate::work::models::{ReviewAspect, ReviewReason, ReviewSample, ReviewSampleSpec};
use std::io::Write;
use std::path::PathBuf;

/// Draw a sample of what is to review.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review sample my-archive --margin 0.1\n  \
    fonds review sample my-archive --size 50 --by-host --seed 7 --name 'November' --json\n\n\
    The share of faulty pages is known within the margin, with 95 %, once all are judged; each beginning of the sample is\n\
    one, too. With --by-host at least two pages of each host, and the rest by the root of their pages. The same seed\n\
    draws the same pages. Pages are judged in the window, or by fonds mark; what they tell: fonds review samples")]
pub struct ReviewSampleArgs {
    /// Workspace.
    folder: PathBuf,
    /// How far the share may be off, from 0 to 1.
    #[arg(long, default_value_t = 0.1)]
    margin: f64,
    /// About how many pages are faulty, from 0 to 1; 0.5 assumes nothing.
    #[arg(long, default_value_t = 0.5)]
    expected: f64,
    /// So many pages, instead of a margin.
    #[arg(long)]
    size: Option<u64>,
    /// Pages of each host.
    #[arg(long)]
    by_host: bool,
    /// Seed of the order; one by the time without it.
    #[arg(long)]
    seed: Option<u64>,
    /// Name of the sample.
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Number or title of the campaign; all captures without it.
    #[arg(long)]
    campaign: Option<String>,
    /// Draw from captures that this filter finds.
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    /// Who draws it; the system's user name without it.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// One object a capture, in the order in which they are judged.
    #[arg(long)]
    json: bool,
}

pub(super) fn sample(args: &ReviewSampleArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    anyhow::ensure!(args.margin > 0.0 && args.margin < 1.0, "--margin: a number between 0 and 1, such as 0.1");
    anyhow::ensure!((0.0..=1.0).contains(&args.expected), "--expected: a number from 0 to 1, such as 0.1");
    let session = session(&args.folder)?;
    let spec = ReviewSampleSpec {
        name: args.name.clone(),
        campaign: named_campaign(&session, args.campaign.as_deref())?,
        filter: args.filter.to_string(),
        margin: args.margin,
        expected: args.expected,
        size: args.size,
        is_stratified: args.by_host,
        // JSON has no larger whole numbers.
        seed: args.seed.unwrap_or_else(|| CaptureDate::now().millis().unsigned_abs()),
        who: args.by.clone().unwrap_or_else(work::operator),
    };
    let id = session.catalogue().draw_sample(&spec)?;
    let sample = named_sample(&session, &id.to_string())?;
    for (place, capture) in (1_u64..).zip(session.catalogue().sampled_captures(id)?) {
        let row = session.catalogue().capture_row(capture)?;
        match args.json {
            true => json_line(
                out,
                &serde_json::json!({
                    "sample": id, "place": place, "id": row.id, "url": row.url, "date": row.date, "status": row.status
                }),
            )?,
            false => writeln!(out, "{place}\t{}\t{}\t{}", row.id, row.status, plain(&row.url))?,
        }
    }
    notice!(
        "{}: {} of {}, seed {}",
        plain(&sample.name),
        sample.size,
        counted(sample.population, "capture"),
        sample.seed
    );
    Ok(FINE)
}

/// The sample of this name or number.
pub(super) fn named_sample(session: &Session, name: &str) -> anyhow::Result<ReviewSample> {
    let samples = session.catalogue().samples(None)?;
    let is_named = |sample: &&ReviewSample| sample.name.eq_ignore_ascii_case(name) || sample.id.to_string() == name;
    samples.iter().find(is_named).cloned().ok_or_else(|| {
        anyhow::anyhow!(
            "there is no sample “{name}”; fonds review samples lists those there are, fonds review sample draws one"
        )
    })
}

/// List samples with what their decisions tell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review samples my-archive\n  fonds review samples my-archive --json\n\n\
    Faulty is what was not approved, or approved with a reason. Skipped pages count as not judged: the bounds say what\n\
    the share is if all of them were sound, or faulty. Columns: number, name, judged, size, share of faulty pages.")]
pub struct SamplesArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign; all samples without it.
    #[arg(long)]
    campaign: Option<String>,
    /// One object a sample.
    #[arg(long)]
    json: bool,
}

pub(super) fn samples(args: &SamplesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let samples = session.catalogue().samples(named_campaign(&session, args.campaign.as_deref())?)?;
    for of in &samples {
        if args.json {
            json_line(out, of)?;
            continue;
        }
        let line = of.figures.line().unwrap_or_else(|| "-".to_owned());
        writeln!(out, "{}\t{}\t{}\t{}\t{line}", of.id, plain(&of.name), of.figures.judged, of.size)?;
    }
    notice!("{}", counted(samples.len() as u64, "sample"));
    Ok(FINE)
}

/// Say how far two persons agree about a sample.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review agreement my-archive\n  \
    fonds review agreement my-archive --sample 'November' --json\n\n\
    A fifth of each sample is judged by a second person who does not see the first decision: fonds review queue --by\n\
    second. Cohen's kappa is low where nearly all pages are sound; Gwet's AC1 is not. Fewer than 30 pages have neither.")]
pub struct AgreementArgs {
    /// Workspace.
    folder: PathBuf,
    /// Name or number of the sample; the newest without it.
    #[arg(long, value_name = "SAMPLE")]
    sample: Option<String>,
    /// One object.
    #[arg(long)]
    json: bool,
}

pub(super) fn agreement(args: &AgreementArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let sample = match &args.sample {
        Some(name) => named_sample(&session, name)?,
        None => session.catalogue().samples(None)?.into_iter().next().ok_or_else(|| {
            anyhow::anyhow!("there is no sample yet; draw one: fonds review sample {}", args.folder.display())
        })?,
    };
    let found = session.catalogue().sample_agreement(sample.id)?;
    if args.json {
        json_line(out, &serde_json::json!({ "sample": sample.id, "name": sample.name, "agreement": found }))?;
        return Ok(FINE);
    }
    writeln!(out, "{}", plain(&sample.name))?;
    for (label, of) in [("all in all", found.overall), ("content", found.content), ("technical", found.technical)] {
        writeln!(out, "{label}\t{}", agreement_text(&of))?;
    }
    notice!("{} for a second person", counted(found.waiting, "page"));
    Ok(FINE)
}

fn agreement_text(of: &RaterAgreement) -> String {
    let Some(raw) = of.raw() else { return "no page judged by two persons".to_owned() };
    let share = format!("{} of {} ({:.0} %)", of.agreed, counted(of.both, "page"), raw * 100.0);
    match (of.kappa, of.ac1) {
        (None, None) => format!("{share}; kappa and AC1 need {LEAST_PAIRS} pages"),
        (kappa, ac1) => {
            let of = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
            format!("{share}; kappa {}, AC1 {}", of(kappa), of(ac1))
        }
    }
}

/// List the reason codes of the workspace, or change them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review reasons my-archive\n  \
    fonds review reasons my-archive --content 'off topic' --content ended --technical 'missing resources'\n  \
    fonds review reasons my-archive --usual\n\n\
    Codes of content and of technical quality have the keys 1 to 9 in Review, in this order. Decisions keep the codes\n\
    that they were given with.")]
pub struct ReasonsArgs {
    /// Workspace.
    folder: PathBuf,
    /// A reason about the content; all are replaced.
    #[arg(long, value_name = "CODE")]
    content: Vec<String>,
    /// A reason about technical quality; all are replaced.
    #[arg(long, value_name = "CODE")]
    technical: Vec<String>,
    /// Bring the usual ones back.
    #[arg(long, conflicts_with_all = ["content", "technical"])]
    usual: bool,
    /// One object a reason.
    #[arg(long)]
    json: bool,
}

pub(super) fn reasons(args: &ReasonsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let of = |aspect: ReviewAspect, codes: &[String]| -> Vec<ReviewReason> {
        codes.iter().map(|code| ReviewReason { aspect, code: code.clone() }).collect()
    };
    let given = [of(ReviewAspect::Content, &args.content), of(ReviewAspect::Technical, &args.technical)].concat();
    let session =
        if given.is_empty() && !args.usual { read_only_session(&args.folder)? } else { session(&args.folder)? };
    if args.usual || !given.is_empty() {
        session.catalogue().set_review_reasons(given)?;
    }
    for (key, reason) in (1_u64..).zip(session.catalogue().review_reasons()?) {
        match args.json {
            true => json_line(out, &reason)?,
            false => writeln!(out, "{key}\t{}\t{}", reason.aspect.label().to_lowercase(), plain(&reason.code))?,
        }
    }
    Ok(FINE)
}
