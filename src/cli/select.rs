//! `fonds select`.

use super::campaign::desk;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::app::models::{ScoreWeights, SelectionSpec};
use crate::app::work;
use std::io::Write;
use std::path::PathBuf;

/// Unreadable captures that are told one by one; all are counted.
const MAX_TOLD: usize = 20;

/// Score captures and keep a selection.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds select my-archive 1 --threshold 0.4\n  \
    fonds select my-archive 1 --weight request=0.7 --weight external_hosts=0.3 --list\n  \
    fonds select my-archive 1 --filter 'host:gov.pt status:200'\n\n\
    Hand decisions made in the window win over the score.\n\
    Exit status 1 says that records could not be read; their captures are scored without their text.")]
pub struct Args {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign whose request counts.
    campaign: String,
    /// Captures with at least this score are in, 0 to 1.
    #[arg(long, default_value_t = SelectionSpec::default().threshold)]
    threshold: f64,
    /// Days of the inlink window.
    #[arg(long, default_value_t = crate::links::MATCH_WINDOW_DAYS)]
    window_days: u32,
    /// Weight of a part: request, external_hosts, anchors, depth, review or freshness.
    #[arg(long, value_name = "PART=NUMBER")]
    weight: Vec<String>,
    /// Leave images, style sheets and scripts of selected pages behind.
    #[arg(long)]
    without_requisites: bool,
    /// Take what this filter finds instead of what scores high.
    #[arg(long, default_value = "")]
    filter: String,
    /// List the scored captures, best first, with the parts of the score.
    #[arg(long)]
    list: bool,
    /// One object a capture.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// `with_wacz` is what was wished for exports before.
    fn spec(&self, campaign: i64, with_wacz: bool) -> anyhow::Result<SelectionSpec> {
        anyhow::ensure!((-1.0..=1.0).contains(&self.threshold), "--threshold {}: a score is at most 1", self.threshold);
        let mut weights = serde_json::to_value(ScoreWeights::default())?;
        for text in &self.weight {
            let wanted = "PART=NUMBER is wanted, such as request=0.7";
            let (part, number) = text.split_once('=').ok_or_else(|| anyhow::anyhow!("--weight {text}: {wanted}"))?;
            let number: f64 = number.parse().map_err(|_| anyhow::anyhow!("--weight {text}: {wanted}"))?;
            anyhow::ensure!((0.0..=1.0).contains(&number), "--weight {text}: a weight is between 0 and 1");
            match weights.get_mut(part) {
                Some(value) => *value = number.into(),
                None => anyhow::bail!(
                    "--weight {text}: there is no part “{part}” of the score; there are {}",
                    weights
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| name.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            }
        }
        Ok(SelectionSpec {
            campaign,
            weights: serde_json::from_value(weights)?,
            threshold: self.threshold,
            window_days: self.window_days,
            with_requisites: !self.without_requisites,
            with_wacz,
            filter: self.filter.clone(),
        })
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<u8> {
    let desk = desk(&args.folder)?;
    let campaign = desk.catalogue().find_campaign(&args.campaign)?;
    let with_wacz = desk.catalogue().selection_page(campaign)?.spec.is_some_and(|spec| spec.with_wacz);
    let spec = args.spec(campaign, with_wacz)?;
    let report = with_progress(|cx| work::select(&desk.workspace, &spec, cx))?;
    if args.json || args.list {
        let mut rows = report.rows.clone();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.url.cmp(&b.url)));
        for row in &rows {
            if args.json {
                json_line(out, row)?;
                continue;
            }
            let mark = if row.selected { "in " } else { "out" };
            writeln!(out, "{:.3} {mark} {} {}", row.score, row.date.to_words(), plain(&row.url))?;
            for (name, value, weight, why) in &row.parts {
                writeln!(out, "        {value:.2} × {weight:.2} {name}: {}", plain(why))?;
            }
        }
    }
    if !args.json {
        writeln!(out, "{}", report.words())?;
    }
    for unread in report.unread.iter().take(MAX_TOLD) {
        tell!("not read: {}", plain(unread));
    }
    Ok(if report.unread.is_empty() { FINE } else { PROBLEMS })
}
