//! What is to review and what is selected, of all captures at once: by their columns in memory, and by SQL for what
//! these do not have. The same as `to_review_sql` and `selected_sql` say of one capture.

use super::marks::{rejected_before_sql, undecided_sql};
use crate::search::{CaptureFacts, FacetKind};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::{CampaignId, ReviewMark};
use crate::store::{captures::capture_table::set_of, catalogue::sql::mark_name};
use fixedbitset::FixedBitSet;
use rusqlite::types::Value;

impl Catalogue {
    /// The captures that are to review, as they are shown with a campaign, or with none.
    pub(in crate::store) fn captures_to_review(
        &self,
        facts: &CaptureFacts,
        campaign: Option<CampaignId>,
    ) -> Result<FixedBitSet, StoreError> {
        let mut decided = facts.with_value(FacetKind::Mark, |mark| !mark.is_empty());
        let later = mark_name(ReviewMark::Later);
        if facts.has_value(FacetKind::Mark, &later) {
            // What was put off for a new crawl waits again once that captured it.
            const WAITING: &str = concat!(
                "SELECT c.id FROM capture c
                 WHERE c.page IN (SELECT page FROM mark WHERE mark = 'later' AND undone_ms IS NULL) AND ",
                undecided_sql!()
            );
            decided.difference_with(&self.read(|conn| set_of(conn, WAITING, []))?);
        }
        let mut found = facts.by_themselves().clone();
        found.difference_with(&decided);
        match campaign {
            Some(campaign) => facts.remove_repeats(&mut found, &facts.of_campaign(campaign.get())),
            None => facts.remove_repeats(&mut found, facts.captures()),
        }
        Ok(found)
    }

    /// The captures that are selected for a campaign.
    pub(in crate::store) fn selected_captures(
        &self,
        facts: &CaptureFacts,
        campaign: CampaignId,
    ) -> Result<FixedBitSet, StoreError> {
        const SCORED: &str = "SELECT capture FROM score WHERE campaign = ? AND selected";
        const REJECTED_BEFORE: &str = concat!(
            "SELECT c.id FROM capture c
             WHERE c.page IN (SELECT page FROM mark WHERE mark = 'reject' AND undone_ms IS NULL) AND ",
            rejected_before_sql!()
        );
        let decided_as = |mark: ReviewMark| {
            let name = mark_name(mark);
            facts.with_value(FacetKind::Mark, |of| of == name)
        };
        let mut found = self.read(|conn| set_of(conn, SCORED, [Value::Integer(campaign.get())]))?;
        found.intersect_with(facts.captures());
        let rejected = decided_as(ReviewMark::Reject);
        found.difference_with(&self.read(|conn| set_of(conn, REJECTED_BEFORE, []))?);
        found.difference_with(&rejected);
        let mut approved = decided_as(ReviewMark::Approve);
        approved.intersect_with(&facts.of_campaign(campaign.get()));
        found.union_with(&approved);
        Ok(found)
    }
}
