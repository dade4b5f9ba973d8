//! A campaign at a glance: what it has against what was requested, what is missing, and what its last launch changed.
//!
//! In: the catalogue, the index of texts, the specification. Out: figures, launches, gaps and the matrix of request
//! terms. Each number is counted by the query that lists its rows ([`RowList`]), so that it leads to exactly these.

mod entity_rows;
mod figures;
mod gaps;
mod matrix;
mod row_list;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod waiting;

pub use entity_rows::term_of;
pub use figures::{Figure, LaunchFigures};
pub use gaps::{Gap, GapAction, GapItem, GapKind};
pub use matrix::{Matrix, MatrixBy, MatrixColumn, MatrixRow, RowOrigin};
pub use row_list::RowList;
pub use waiting::{Urgency, WaitingItem, WaitingKind};

use crate::jobs::JobCx;
use crate::store::{Catalogue, Workspace};
use crate::work::Session;
use crate::work::find::search::SearchRoom;
use crate::work::models::{CampaignCounts, CampaignId, CampaignRow};
use anyhow::Context;
use serde::Serialize;

/// A campaign at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    /// Number of the campaign.
    pub campaign: CampaignId,
    /// Its title.
    pub title: String,
    /// The newest version of its specification.
    pub version: u32,
    /// Figures, each with what the last launch changed.
    pub figures: Vec<Figure>,
    /// Its launches, the oldest first.
    pub launches: Vec<LaunchFigures>,
    /// What is missing, the gravest first.
    pub gaps: Vec<Gap>,
    /// What waits for a person, the most urgent first.
    pub waiting: Vec<WaitingItem>,
}

impl Session {
    /// A campaign at a glance.
    ///
    /// # Errors
    ///
    /// A campaign, catalogue or index that cannot be read, or a stop.
    pub fn overview(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<Overview> {
        overview_of(&self.workspace, self.search_room(), campaign, cx)
    }

    /// What waits for a person in a campaign, the most urgent first.
    ///
    /// # Errors
    ///
    /// No such campaign, or a catalogue that cannot be read.
    pub fn waiting(&self, campaign: CampaignId) -> anyhow::Result<Vec<WaitingItem>> {
        waiting_in(self.catalogue(), campaign)
    }

    /// The captures of a campaign that hold each term of its request, on each host, in each month, language or launch.
    ///
    /// # Errors
    ///
    /// A campaign, catalogue or index that cannot be read.
    pub fn matrix(&self, campaign: CampaignId, by: MatrixBy) -> anyhow::Result<Matrix> {
        matrix::matrix(&self.workspace, self.search_room(), campaign, by)
    }

    /// The number of rows of a list, as the list itself counts them; none of what a specification lists.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read, or a filter without meaning.
    pub fn count_rows(&self, campaign: CampaignId, rows: &RowList) -> anyhow::Result<Option<u64>> {
        row_list::count_rows(self.catalogue(), campaign, rows)
    }
}

fn row_of(catalogue: &Catalogue, campaign: CampaignId) -> anyhow::Result<(CampaignRow, CampaignCounts)> {
    let row = catalogue.listed_campaigns()?.into_iter().find(|row| row.id == campaign);
    let row = row.with_context(|| format!("there is no campaign {campaign}"))?;
    Ok((row, catalogue.campaign_counts(campaign)?))
}

fn waiting_in(catalogue: &Catalogue, campaign: CampaignId) -> anyhow::Result<Vec<WaitingItem>> {
    let last = catalogue.launches(Some(campaign))?.pop();
    let (row, counts) = row_of(catalogue, campaign)?;
    waiting::waiting(catalogue, &row, counts, last.as_ref())
}

fn overview_of(workspace: &Workspace, room: &SearchRoom, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<Overview> {
    let catalogue = workspace.catalogue();
    let (version, spec) = catalogue.campaign(campaign)?;
    let launches = figures::launches(catalogue, campaign)?;
    // Most is counted by the columns of captures: in memory they are there for all of it.
    room.facts(catalogue)?;
    let (row, rest) = rayon::join(
        || row_of(catalogue, campaign),
        || -> anyhow::Result<_> {
            let matrix = matrix::matrix(workspace, room, campaign, MatrixBy::default())?;
            cx.checkpoint()?;
            let counted = figures::of_filters(workspace, campaign, &spec, &launches, cx)?;
            Ok((counted, gaps::gaps(catalogue, campaign, &spec, &launches, &matrix, cx)?))
        },
    );
    let ((row, counts), (counted, gaps)) = (row?, rest?);
    let figures = figures::figures(workspace, &row, counts, counted, &launches, cx)?;
    let waiting = waiting::waiting(catalogue, &row, counts, launches.last().map(|of| &of.row))?;
    Ok(Overview { campaign, title: spec.name, version, figures, launches, gaps, waiting })
}

/// Gaps and matrix of a campaign for its report, where there is an index of texts.
pub(in crate::work) fn targeted_and_crawled(
    workspace: &Workspace,
    campaign: CampaignId,
    cx: &JobCx,
) -> anyhow::Result<(Vec<Gap>, Matrix)> {
    let catalogue = workspace.catalogue();
    let spec = catalogue.campaign(campaign)?.1;
    let matrix = matrix::matrix(workspace, &SearchRoom::of(workspace), campaign, MatrixBy::Hosts)?;
    let gaps = gaps::gaps(catalogue, campaign, &spec, &figures::launches(catalogue, campaign)?, &matrix, cx)?;
    Ok((gaps, matrix))
}
