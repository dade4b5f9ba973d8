//! `fonds select`.

use super::campaign::{read_only_session, session};
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::cli::search::query_text::FilterText;
use crate::jobs::counted;
use crate::store::Catalogue;
use crate::uri::CaptureDate;
use crate::work::models::{
    Balance, CampaignId, CaptureQuery, ReviewMark, ScorePart, ScoreWeights, ScoredRow, SelectionOffer, SelectionSide,
    SelectionSpec, changed_rejections, with_source,
};
use crate::work::{self, SelectReport, Session};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Unreadable captures that are named one by one; all are counted.
const MAX_NAMED: usize = 20;
/// Captures shown on each side of the threshold.
const NEAREST: usize = 10;

/// Selections of a campaign.
#[derive(Debug, clap::Subcommand)]
pub enum SelectCommand {
    List(ListArgs),
    Preview(PreviewArgs),
    Run(RunArgs),
    Sample(SampleArgs),
    /// Save the kept selection under a name, to compare with it later.
    #[command(after_help = "Example:\n  fonds select save my-archive 1 'Handover 2026'")]
    Save(SaveArgs),
    /// List the selections that were saved, each compared with the kept one.
    #[command(after_help = "Example:\n  fonds select saved my-archive 1\n\n\
        Columns: name, captures, + and − of the kept selection against it, date, by whom, criterion.\n\
        Their captures: fonds captures my-archive 'saved:\"Handover 2026\"' --campaign 1")]
    Saved(SavedArgs),
    /// Select again with the weights, threshold, filter and collections of a saved selection.
    #[command(after_help = "Example:\n  fonds select use my-archive 1 'Handover 2026'")]
    Use(NamedArgs),
    /// Make the kept selection again as it was made last, with what came since.
    #[command(after_help = "Example:\n  fonds select again my-archive 1\n\n\
        What it would change: fonds select changes my-archive 1. A campaign with \"select_after_run\": true does this\n\
        after each of its crawls and each import.")]
    Again(CampaignArgs),
    Changes(ChangesArgs),
    /// Put the selection back that the kept one took the place of; once.
    #[command(after_help = "Example:\n  fonds select undo my-archive 1")]
    Undo(CampaignArgs),
    /// Delete a saved selection; captures and the kept selection stay.
    #[command(after_help = "Example:\n  fonds select delete my-archive 1 'Handover 2026'")]
    Delete(NamedArgs),
}

/// A selection by its name.
#[derive(Debug, clap::Args)]
pub struct NamedArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Name of the selection.
    name: String,
}

/// Arguments that name the saved selection.
#[derive(Debug, clap::Args)]
pub struct SaveArgs {
    #[command(flatten)]
    named: NamedArgs,
    /// What was saved as one object.
    #[arg(long)]
    json: bool,
}

/// Whose selection is meant.
#[derive(Debug, clap::Args)]
pub struct CampaignArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
}

/// List what the kept selection would change if it were made again now; nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select changes my-archive 1\n  \
    fonds select changes my-archive 1 --json | jq .added\n\n\
    Columns: + for what would come in or − for what would go out, number, date, URL. A selection stays as it was kept\n\
    whatever crawls and imports bring. To keep the changes: fonds select again.")]
pub struct ChangesArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Numbers of captures and the filters that list them, as one object.
    #[arg(long)]
    json: bool,
}

/// Whose saved selections are listed.
#[derive(Debug, clap::Args)]
pub struct SavedArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// One object a selection.
    #[arg(long)]
    json: bool,
}

/// List the kept selection, best score first; nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select list my-archive 1\n  \
    fonds select list my-archive 1 --json | jq 'select(.selected) | .url'\n\n\
    Columns: score, in or out, decision, date, URL; with --parts what the score is made of.")]
pub struct ListArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// At most so many captures.
    #[arg(long)]
    limit: Option<u64>,
    /// Show the parts of each score.
    #[arg(long)]
    parts: bool,
    /// One object a capture.
    #[arg(long)]
    json: bool,
}

/// Show what a threshold or filter would select; nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select preview my-archive 1 --threshold 0.4\n  \
    fonds select preview my-archive 1 --filter 'host:gov.pt status:200'\n\n\
    Shows captures, hosts and bytes on both sides, the change against the kept selection, and the captures\n\
    nearest to the threshold. Exit status 1 says that records could not be read; their captures are scored\n\
    without their text.")]
pub struct PreviewArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// The figures as one object.
    #[arg(long)]
    json: bool,
}

/// Show the best and the worst captures under a request; nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select sample my-archive 1\n  \
    fonds select sample my-archive 1 --request '(flood OR \"high water\") AND NOT football'\n\n\
    Needs the index of texts: fonds index. A score is the part Request of the score of a selection, 0 to 1; the worst\n\
    captures are those of them that meet the request. Columns: score, date, URL, title, terms found, terms that lower\n\
    the score.")]
pub struct SampleArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign whose captures are read.
    campaign: String,
    /// Another request than that of the campaign.
    #[arg(long, allow_hyphen_values = true)]
    request: Option<FilterText>,
    /// So many of the best and of the worst.
    #[arg(long, default_value_t = NEAREST)]
    limit: usize,
    /// All of it as one object.
    #[arg(long)]
    json: bool,
}

/// Score captures and keep the selection in the place of the last one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select run my-archive 1 --threshold 0.4\n  \
    fonds select run my-archive 1 --weight request=0.7 --weight external_hosts=0.3\n  \
    fonds select run my-archive 1 --filter 'host:gov.pt status:200'\n  \
    fonds select run my-archive 1 --filter '*'      every capture\n\n\
    Approvals and rejections count above score and filter: fonds mark. A selection without a capture replaces\n\
    no other one unless --allow-empty is given. Exit status 1 says that records could not be read; their\n\
    captures are scored without their text.")]
pub struct RunArgs {
    #[command(flatten)]
    spec: SpecArgs,
    /// Keep the selection though no capture is in it.
    #[arg(long)]
    allow_empty: bool,
    /// The figures as one object.
    #[arg(long)]
    json: bool,
}

/// Arguments of a selection: campaign, threshold, weights or a filter.
#[derive(Debug, clap::Args)]
pub struct SpecArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign whose request counts.
    campaign: String,
    /// Captures with at least this score are in, 0 to 1; 0 is every capture.
    #[arg(long, default_value_t = SelectionSpec::default().threshold, conflicts_with = "filter")]
    threshold: f64,
    /// Days of the inlink window.
    #[arg(long, default_value_t = crate::inlinks::MATCH_WINDOW_DAYS)]
    window_days: u32,
    /// Weight of a part: request, external_hosts, anchors, depth, review, freshness or entities (0 unless given).
    #[arg(long, value_name = "PART=NUMBER")]
    weight: Vec<String>,
    /// Leave images, style sheets and scripts of selected pages out.
    #[arg(long)]
    without_requisites: bool,
    /// Select what this filter finds instead of what scores high; * is every capture.
    #[arg(long, allow_hyphen_values = true)]
    filter: Option<FilterText>,
    /// Select the captures of this collection as well; can be given several times.
    #[arg(long, value_name = "NAME")]
    collection: Vec<String>,
}

impl SpecArgs {
    /// The selection of the arguments; `kept` has the parts of exports.
    fn spec(&self, campaign: CampaignId, kept: &SelectionSpec) -> anyhow::Result<SelectionSpec> {
        anyhow::ensure!(
            (0.0..=1.0).contains(&self.threshold),
            "--threshold {}: a score is between 0 and 1",
            self.threshold
        );
        let mut weights = ScoreWeights::default();
        for text in &self.weight {
            let form = "write PART=NUMBER, such as request=0.7";
            let (part, number) = text.split_once('=').ok_or_else(|| anyhow::anyhow!("--weight {text}: {form}"))?;
            let number: f64 = number.parse().map_err(|_| anyhow::anyhow!("--weight {text}: {form}"))?;
            anyhow::ensure!((0.0..=1.0).contains(&number), "--weight {text}: a weight is between 0 and 1");
            weights = weights.with(part, number).ok_or_else(|| {
                let parts: Vec<&str> = weights.iter().map(|(part, _)| part.key).collect();
                let parts = parts.join(", ");
                anyhow::anyhow!("--weight {text}: there is no part “{part}” of the score; there are {parts}")
            })?;
        }
        Ok(SelectionSpec {
            campaign,
            weights,
            threshold: self.threshold,
            window_days: self.window_days,
            with_requisites: !self.without_requisites,
            filter: self.filter.as_deref().unwrap_or_default().trim().to_owned(),
            collections: self.collection.clone(),
            ..SelectionSpec::default().with_parts_of(kept)
        })
    }

    fn spec_in(&self, catalogue: &Catalogue) -> anyhow::Result<SelectionSpec> {
        let campaign = catalogue.find_campaign(&self.campaign)?;
        let kept = catalogue.kept_selection(campaign)?.map(|(spec, _)| spec).unwrap_or_default();
        self.spec(campaign, &kept)
    }
}

pub(super) fn run(command: &SelectCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        SelectCommand::List(args) => list(args, out),
        SelectCommand::Preview(args) => preview(args, out),
        SelectCommand::Sample(args) => sample(args, out),
        SelectCommand::Run(args) => {
            let session = session(&args.spec.folder)?;
            let spec = args.spec.spec_in(session.catalogue())?;
            let report = with_progress(|cx| session.select(&spec, args.allow_empty, cx))?;
            print_report(&report, args.json, out)?;
            let Balance { inside, outside, .. } = &report.balance;
            if inside.captures + outside.captures == 0
                && let Some(line) = session.catalogue().unassigned()?.line()
            {
                notice!("note: the campaign has no capture, and {}: fonds files assign", plain(&line));
            }
            name_unread(&report)
        }
        SelectCommand::Save(SaveArgs { named: NamedArgs { folder, campaign, name }, json }) => {
            let session = session(folder)?;
            let campaign = session.catalogue().find_campaign(campaign)?;
            let captures = session.name_selection(campaign, name, &work::operator())?;
            if *json {
                let saved = serde_json::json!({ "campaign": campaign, "name": name.trim(), "captures": captures });
                json_line(out, &saved)?;
            } else {
                writeln!(out, "Saved as “{}”: {}", plain(name.trim()), counted(captures, "capture"))?;
            }
            Ok(FINE)
        }
        SelectCommand::Saved(args) => saved(args, out),
        SelectCommand::Use(NamedArgs { folder, campaign, name }) => {
            let session = session(folder)?;
            let campaign = session.catalogue().find_campaign(campaign)?;
            let spec = session.catalogue().named_selection(campaign, name)?;
            let report = with_progress(|cx| session.select(&spec, false, cx))?;
            print_report(&report, false, out)?;
            name_unread(&report)
        }
        SelectCommand::Again(CampaignArgs { folder, campaign }) => {
            let session = session(folder)?;
            let (spec, _) = kept_selection(session.catalogue(), folder, campaign)?;
            let report = with_progress(|cx| session.select(&spec, false, cx))?;
            print_report(&report, false, out)?;
            name_unread(&report)
        }
        SelectCommand::Changes(args) => changes(args, out),
        SelectCommand::Undo(CampaignArgs { folder, campaign }) => {
            let session = session(folder)?;
            let campaign = session.catalogue().find_campaign(campaign)?;
            let undone = with_progress(|cx| session.undo_selection(campaign, cx))?;
            writeln!(out, "{}", plain(&undone))?;
            Ok(FINE)
        }
        SelectCommand::Delete(NamedArgs { folder, campaign, name }) => {
            let session = session(folder)?;
            let campaign = session.catalogue().find_campaign(campaign)?;
            anyhow::ensure!(
                session.catalogue().forget_selection(campaign, name)?,
                "campaign {campaign} has no saved selection “{name}”. List them with: fonds select saved {} {campaign}",
                folder.display()
            );
            Ok(FINE)
        }
    }
}

fn saved(args: &SavedArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    for row in session.catalogue().named_selections(campaign)? {
        if args.json {
            json_line(out, &row)?;
            continue;
        }
        writeln!(
            out,
            "{}\t{}\t+{} −{}\t{}\t{}\t{}",
            plain(&row.name),
            counted(row.captures, "capture"),
            row.added,
            row.removed,
            row.date.to_readable(),
            plain(&row.who),
            plain(&row.spec.criterion())
        )?;
    }
    Ok(FINE)
}

/// The kept selection of a campaign, and when it was kept.
fn kept_selection(
    catalogue: &Catalogue,
    folder: &Path,
    campaign: &str,
) -> anyhow::Result<(SelectionSpec, CaptureDate)> {
    let campaign = catalogue.find_campaign(campaign)?;
    catalogue.kept_selection(campaign)?.ok_or_else(|| {
        anyhow::anyhow!(
            "campaign {campaign} has no selection yet. Look at one with: fonds select preview {} {campaign}",
            folder.display()
        )
    })
}

fn changes(args: &ChangesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let catalogue = session.catalogue();
    let (SelectionSpec { campaign, .. }, _) = kept_selection(catalogue, &args.folder, &args.campaign)?;
    let Some(offer) = work::selection_offer(&session.workspace, campaign)? else { return Ok(FINE) };
    if let Some(problem) = &offer.problem {
        anyhow::bail!("the rule of the selection cannot be read: {problem}");
    }
    if args.json {
        json_line(out, &offer)?;
        return Ok(FINE);
    }
    for (sign, filter) in [('+', &offer.added_filter), ('−', &offer.removed_filter)] {
        let query = CaptureQuery { campaign: Some(campaign), filter: filter.clone(), ..work::everything() };
        for id in catalogue.capture_ids(&query)? {
            let row = catalogue.capture_row(id)?;
            writeln!(out, "{sign}\t{id}\t{}\t{}", row.date.to_readable(), plain(&row.url))?;
        }
    }
    notice!("{}", offered(&offer, &args.folder, campaign));
    Ok(FINE)
}

/// The changes of making a selection again, with the command for it.
fn offered(offer: &SelectionOffer, folder: &Path, campaign: CampaignId) -> String {
    let (added, removed) = (offer.added, offer.removed);
    let changes = format!("+{added} −{removed} since the selection of {}", offer.date.to_readable());
    match added + removed {
        0 => changes,
        _ => format!("{changes}; keep that: fonds select again {} {campaign}", folder.display()),
    }
}

/// Prints what came with a crawl or import and waits for a person: changes of kept selections, URLs
/// with an earlier rejection that changed.
pub(super) fn print_offers(session: &Session, folder: &Path, of: Option<CampaignId>) -> anyhow::Result<()> {
    let campaigns = match of {
        Some(campaign) => vec![campaign],
        None => session.catalogue().campaign_numbers()?,
    };
    for campaign in campaigns {
        let offer = work::selection_offer(&session.workspace, campaign)?;
        if let Some(offer) = offer.filter(|offer| offer.added + offer.removed > 0) {
            notice!(
                "Selection of campaign {campaign}: +{} −{} since {}, not applied; list them: fonds select changes {} \
                 {campaign}",
                offer.added,
                offer.removed,
                offer.date.to_readable(),
                folder.display()
            );
        }
        print_rejected_before(session, folder, campaign)?;
    }
    Ok(())
}

/// Names URLs with an earlier rejection that changed.
pub(super) fn print_rejected_before(session: &Session, folder: &Path, campaign: CampaignId) -> anyhow::Result<()> {
    let urls = session.catalogue().rejected_before(campaign)?;
    if urls > 0 {
        notice!(
            "{}, to review: fonds captures {} rejected_before:yes --campaign {campaign}",
            changed_rejections(urls),
            folder.display()
        );
    }
    Ok(())
}

fn list(args: &ListArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let catalogue = session.catalogue();
    let (spec, date) = kept_selection(catalogue, &args.folder, &args.campaign)?;
    let campaign = spec.campaign;
    for row in catalogue.scored_rows(campaign, args.limit.unwrap_or(u64::MAX))? {
        if args.json {
            json_line(out, &row)?;
            continue;
        }
        print_row(&row, out)?;
        for ScorePart { name, value, weight, why } in row.parts.iter().filter(|_| args.parts) {
            writeln!(out, "        {value:.2} × {weight:.2} {name}: {}", plain(why))?;
        }
    }
    let page = catalogue.selection_page(campaign)?;
    notice!(
        "Selection of {} ({}): {} in, {} out; {} embedded resources included; {} excluded by hand, {} included by hand",
        date.to_readable(),
        plain(&spec.criterion()),
        page.balance.inside.captures,
        page.balance.outside.captures,
        page.requisites,
        page.balance.excluded,
        page.balance.included
    );
    if let Some(offer) = work::selection_offer(&session.workspace, campaign)? {
        notice!("{}", offered(&offer, &args.folder, campaign));
    }
    print_rejected_before(&session, &args.folder, campaign)?;
    Ok(FINE)
}

fn print_row(row: &ScoredRow, out: &mut dyn Write) -> anyhow::Result<()> {
    let side = if row.selected { "in " } else { "out" };
    let decision = match row.decision {
        Some(ReviewMark::Approve) => "approved",
        Some(ReviewMark::Reject) => "rejected",
        Some(ReviewMark::Flag) => "flagged",
        Some(ReviewMark::Later) => "later",
        _ if row.rejected_before => "rejected before",
        _ => "-",
    };
    let decision = plain(&with_source(decision, row.decision_origin.as_deref(), row.decision_inherited));
    Ok(writeln!(out, "{:.3} {side} {decision:<8} {} {}", row.score, row.date.to_readable(), plain(&row.url))?)
}

fn preview(args: &PreviewArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.spec.folder)?;
    let spec = args.spec.spec_in(session.catalogue())?;
    let (report, (above, below)) = with_progress(|cx| work::preview_selection(&session.workspace, &spec, NEAREST, cx))?;
    if args.json {
        let mut value = serde_json::to_value(&report)?;
        if spec.filter.is_empty() {
            value["nearest"] = json!({ "above": above, "below": below });
        }
        json_line(out, &value)?;
        return name_unread(&report);
    }
    print_report(&report, false, out)?;
    if spec.filter.is_empty() {
        writeln!(out, "Nearest to the threshold:")?;
        for row in above.iter().rev().chain(&below) {
            print_row(row, out)?;
        }
    }
    name_unread(&report)
}

fn sample(args: &SampleArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    let request = match &args.request {
        Some(text) => text.trim().parse().map_err(|error| anyhow::anyhow!("--request: {error}"))?,
        None => session.catalogue().campaign(campaign)?.1.request,
    };
    anyhow::ensure!(
        !request.is_empty(),
        "campaign {campaign} has no request, so that all captures are equal. Give one with --request"
    );
    let sample = session.request_sample(&request, Some(campaign), args.limit)?;
    let Some(waiting) = sample.waiting else {
        let folder = args.folder.display();
        anyhow::bail!("{folder}: there is no index of texts; build it: fonds index {folder}");
    };
    if args.json {
        json_line(out, &sample)?;
        return Ok(FINE);
    }
    for (title, rows) in [("Best:", &sample.best), ("Worst that meet it:", &sample.worst)] {
        writeln!(out, "{title}")?;
        for row in rows {
            let (url, title, date) = (plain(&row.url), plain(&row.title), row.date.to_readable());
            let lacks = plain(&row.lacks);
            writeln!(out, "{:.3}\t{date}\t{url}\t{title}\t{}\t{lacks}", row.score, plain(&row.found))?;
        }
    }
    notice!(
        "{} of {} meet the request; their filter: {}",
        sample.meeting,
        counted(sample.captures, "capture"),
        plain(&sample.filter)
    );
    if waiting > 0 {
        notice!("{} not indexed yet: fonds index {}", counted(waiting, "capture"), args.folder.display());
    }
    Ok(FINE)
}

fn print_report(report: &SelectReport, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        return json_line(out, report);
    }
    writeln!(out, "{}", plain(&report.outcome()))?;
    let Balance { inside, outside, .. } = &report.balance;
    for (name, SelectionSide { captures, hosts, bytes }) in [("in", inside), ("out", outside)] {
        let (captures, hosts) = (counted(*captures, "capture"), counted(*hosts, "host"));
        writeln!(out, "{name:<4} {captures} on {hosts}, {}", counted(*bytes, "byte"))?;
    }
    if let Some(change) = report.change {
        writeln!(
            out,
            "+{} −{} against the selection kept before, of {}",
            change.added,
            change.removed,
            counted(change.kept, "capture")
        )?;
    }
    Ok(())
}

fn name_unread(report: &SelectReport) -> anyhow::Result<u8> {
    for unread in report.unread.iter().take(MAX_NAMED) {
        notice!("not read: {}", plain(unread));
    }
    Ok(if report.unread.is_empty() { FINE } else { PROBLEMS })
}
