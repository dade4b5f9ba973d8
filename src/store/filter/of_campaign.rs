//! Fields of a filter that ask what a campaign says of captures: its scores and selections.
//!
//! Without a campaign they mean the only one there is. Where there are several
//! the question has no answer: taken for “none of them”, `NOT selected:yes`
//! would find every capture.

use super::among::CaptureSets;
use super::{CAPTURES, Filter, FilterContext, FilterField};
use crate::query::{FieldTerm, Query, parse_fields};
use crate::search::CaptureFacts;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::{CampaignId, CaptureColumn, CaptureQuery, CaptureTab};
use crate::uri::PageKey;
use fixedbitset::FixedBitSet;

/// SQL: whether capture `c` is of no campaign, or of one that was deleted.
pub(super) const OF_NO_CAMPAIGN: &str = "c.launch IN (SELECT id FROM launch WHERE campaign IS NULL
    OR campaign IN (SELECT id FROM campaign WHERE deleted_ms IS NOT NULL))";

/// Campaigns that a refusal names at most.
const MOST_NAMED: usize = 12;

impl FilterField {
    /// Whether its answer is that of a campaign.
    pub fn is_of_campaign(&self) -> bool {
        matches!(self.name, "score" | "selected" | "byhand" | "requisite" | "vetoed" | "export" | "saved")
    }
}

/// What of a query of fields asks a campaign, with its column; queries within it (`found:`) too.
fn campaign_part(query: &Query<FieldTerm>) -> Option<String> {
    let mut found = None;
    query.for_each_term(&mut |term| {
        let Some(test) = term.field.as_ref().filter(|_| found.is_none()) else { return };
        let is_of_campaign = |field: &FilterField| field.name == test.name && field.is_of_campaign();
        if CAPTURES.fields.iter().any(is_of_campaign) {
            found = Some(format!("column {}: {}:", term.column, test.name));
        } else if test.name == "found" {
            let inner = parse_fields(&test.value).ok().and_then(|inner| campaign_part(&inner));
            found = inner.map(|_| format!("column {}: {}", term.column, term.text));
        }
    });
    found
}

impl CaptureQuery {
    /// What of it, besides its filter, asks a campaign.
    fn part_of_campaign(&self) -> Option<String> {
        if self.tab == CaptureTab::Selected {
            return Some("Selected".to_owned());
        }
        let by_score = self.sort.iter().any(|(column, _)| *column == CaptureColumn::Score);
        by_score.then(|| "the order by score".to_owned())
    }
}

/// Sets of captures that a catalogue finds, those of launches in a campaign or in all.
struct SetsOf<'c> {
    catalogue: &'c Catalogue,
    campaign: Option<CampaignId>,
}

impl CaptureSets for SetsOf<'_> {
    fn linking(&self, page: &PageKey) -> Result<FixedBitSet, String> {
        self.catalogue.linking_captures(page).map_err(|error| error.to_string())
    }

    fn since(&self, value: &str) -> Result<FixedBitSet, String> {
        self.catalogue.captures_with_change(value, self.campaign)
    }

    fn to_review(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String> {
        let shown = |error: StoreError| error.to_string();
        // As the table is shown: where there is one campaign only, with that.
        let campaign = self.campaign.map_or_else(|| self.catalogue.only_campaign(), |named| Ok(Some(named)));
        self.catalogue.captures_to_review(facts, campaign.map_err(shown)?).map_err(shown)
    }

    fn gone(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String> {
        self.catalogue.gone_captures(facts).map_err(|error| error.to_string())
    }

    fn selected(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String> {
        let selected = self.campaign.map(|campaign| self.catalogue.selected_captures(facts, campaign));
        selected.unwrap_or_else(|| Ok(FixedBitSet::new())).map_err(|error| error.to_string())
    }
}

impl Catalogue {
    /// The campaign that a query of fields is asked of: the one that is named, or the only one there is
    /// where the query asks a campaign; none where it does not.
    ///
    /// # Errors
    ///
    /// [`StoreError::Filter`] where there are several, with their names.
    pub fn query_campaign(
        &self,
        named: Option<CampaignId>,
        query: &Query<FieldTerm>,
    ) -> Result<Option<CampaignId>, StoreError> {
        self.campaign_of(named, || campaign_part(query))
    }

    /// A filter of captures, and the campaign that the whole question is asked of.
    pub(in crate::store) fn capture_filter(
        &self,
        query: &CaptureQuery,
    ) -> Result<(Filter, Option<CampaignId>), StoreError> {
        let parsed = parse_fields(&query.filter).map_err(|error| StoreError::Filter(error.to_string()))?;
        let part = || campaign_part(&parsed).or_else(|| query.part_of_campaign());
        let campaign = self.campaign_of(query.campaign, part)?;
        let full_text = self.full_text();
        let sets = SetsOf { catalogue: self, campaign };
        let context = FilterContext { full_text: full_text.as_deref(), campaign, sets: Some(&sets) };
        Ok((Filter::of(&CAPTURES, &parsed, context).map_err(StoreError::Filter)?, campaign))
    }

    fn campaign_of(
        &self,
        named: Option<CampaignId>,
        find_part: impl FnOnce() -> Option<String>,
    ) -> Result<Option<CampaignId>, StoreError> {
        let Some(part) = named.map_or_else(find_part, |_| None) else { return Ok(named) };
        match self.campaign_titles()?.as_slice() {
            [] => Ok(None),
            [(only, _)] => Ok(Some(*only)),
            several => Err(StoreError::Filter(format!(
                "{part} asks what a campaign has selected and scored, and there are several: {}. Choose one of them, on \
                 the command line with --campaign NUMBER",
                named_campaigns(several)
            ))),
        }
    }
}

/// Campaigns as messages name them, to choose one of them.
pub fn named_campaigns(campaigns: &[(CampaignId, String)]) -> String {
    let mut names: Vec<String> =
        campaigns.iter().take(MOST_NAMED).map(|(id, title)| format!("{id} “{title}”")).collect();
    let more = campaigns.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        names.push(format!("and {more} more (fonds campaign list)"));
    }
    names.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_field_whose_sql_needs_a_campaign_is_known_as_one() {
        for field in CAPTURES.fields.iter().filter(|field| !field.needs_index()) {
            let query = parse_fields(field.example).unwrap();
            let filter = Filter::of(&CAPTURES, &query, FilterContext::default()).unwrap();
            // Campaign and score of a capture, as the table of captures has them.
            // What is to review is asked of all captures, too.
            let sql = filter.sql.replace(crate::store::review::marks::to_review_sql!(), "");
            let needs_campaign = sql.contains("?1") || sql.contains("s.score") || sql.contains("s.selected");
            assert_eq!(field.is_of_campaign(), needs_campaign, "{}: {sql}", field.name);
            let is_named = campaign_part(&query).is_some_and(|part| part.contains(field.name));
            assert_eq!(field.is_of_campaign(), is_named, "{}", field.name);
        }
        for nested in ["found:\"selected:yes\"", "a OR NOT (host:b -score>0.5)", "found:\"x found:export:yes\""] {
            assert!(campaign_part(&parse_fields(nested).unwrap()).is_some(), "{nested}");
        }
        assert_eq!(campaign_part(&parse_fields("title:selected found:\"score\" mark:reject").unwrap()), None);
    }
}
