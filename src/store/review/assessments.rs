//! The two judgements of a reviewed page, of its content and of its technical quality, with reason codes that the persons of
//! a workspace choose themselves.

use super::decision_rows::ReviewMark;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

/// The setting of the reason codes.
const REASONS: &str = "review_reasons";

/// Reason codes have the keys 1 to 9.
pub const MOST_REASONS: usize = 9;

/// Letters that a reason code has at most.
const LONGEST_REASON: usize = 40;

/// What a reason code is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewAspect {
    /// Whether it is the right page, on topic, and still what it was collected for.
    Content,
    /// Whether it is complete and can be used.
    Technical,
}

impl ReviewAspect {
    /// Both, in the order of the screen.
    pub const ALL: [Self; 2] = [Self::Content, Self::Technical];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Content => "Content",
            Self::Technical => "Technical",
        }
    }
}

/// A reason code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewReason {
    /// What it is about.
    pub aspect: ReviewAspect,
    /// Its text: “soft 404”.
    pub code: String,
}

/// The reason codes of a workspace where nobody changed them.
pub fn default_reasons() -> Vec<ReviewReason> {
    let of = |aspect, codes: &[&str]| -> Vec<ReviewReason> {
        codes.iter().map(|code| ReviewReason { aspect, code: (*code).to_owned() }).collect()
    };
    let mut reasons = of(ReviewAspect::Content, &["off topic", "ended", "duplicate"]);
    reasons.extend(of(ReviewAspect::Technical, &["missing resources", "empty page", "soft 404", "wrong language"]));
    reasons
}

/// The two judgements of a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Assessment {
    /// Whether the content is sound; none where nobody judged it.
    pub content: Option<bool>,
    /// Whether the capture is technically sound; none where nobody judged it.
    pub technical: Option<bool>,
    /// The reason codes.
    pub codes: Vec<String>,
}

impl Assessment {
    /// The judgements that a mark with these reasons makes. An approval says that all is sound which no reason names; of other
    /// decisions a reason says that its aspect is faulty and the other one sound, and without a reason nothing is
    /// known.
    pub fn of(mark: ReviewMark, reasons: &[ReviewReason]) -> Self {
        let names = |aspect: ReviewAspect| reasons.iter().any(|reason| reason.aspect == aspect);
        let judged = |aspect: ReviewAspect| match mark {
            ReviewMark::Note | ReviewMark::Clear => None,
            _ if names(aspect) => Some(false),
            ReviewMark::Approve => Some(true),
            _ => (!reasons.is_empty()).then_some(true),
        };
        Self {
            content: judged(ReviewAspect::Content),
            technical: judged(ReviewAspect::Technical),
            codes: reasons.iter().map(|reason| reason.code.clone()).collect(),
        }
    }

    /// Whether a page with such a mark is faulty in any way: what was not approved is, too.
    pub fn is_faulty(&self, mark: ReviewMark) -> bool {
        self.content == Some(false) || self.technical == Some(false) || mark != ReviewMark::Approve
    }

    /// The judgement of an aspect.
    pub fn of_aspect(&self, aspect: ReviewAspect) -> Option<bool> {
        match aspect {
            ReviewAspect::Content => self.content,
            ReviewAspect::Technical => self.technical,
        }
    }

    /// The same with reason codes as a workspace has them: short, each once, few.
    pub fn within_bounds(mut self) -> Self {
        let reasons = self.codes.into_iter().map(|code| ReviewReason { aspect: ReviewAspect::Content, code }).collect();
        self.codes = cleaned(reasons).into_iter().map(|reason| reason.code).collect();
        self
    }

    pub(super) fn of_columns(content: Option<bool>, technical: Option<bool>, codes: Option<&str>) -> Self {
        let codes = codes.and_then(|codes| serde_json::from_str(codes).ok()).unwrap_or_default();
        Self { content, technical, codes }
    }
}

/// What the marks of one act come with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActDetail {
    /// The query that found the captures; empty where a person chose them one by one.
    pub query: String,
    /// The two judgements.
    pub assessment: Assessment,
    /// Whether it ends a disagreement.
    pub settles: bool,
}

impl ActDetail {
    /// Keeps it, where it says anything.
    pub(super) fn keep(&self, conn: &Connection, act: i64) -> Result<(), StoreError> {
        if *self == Self::default() {
            return Ok(());
        }
        let Assessment { content, technical, codes } = &self.assessment;
        conn.prepare_cached("INSERT OR REPLACE INTO review_act VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
            act,
            self.query,
            content,
            technical,
            serde_json::json!(codes).to_string(),
            self.settles
        ])?;
        Ok(())
    }
}

impl Catalogue {
    /// The reason codes of the workspace, in the order of their keys.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn review_reasons(&self) -> Result<Vec<ReviewReason>, StoreError> {
        let kept = self.setting(REASONS)?.and_then(|kept| serde_json::from_str::<Vec<ReviewReason>>(&kept).ok());
        Ok(kept.map_or_else(default_reasons, cleaned))
    }

    /// Whether somebody changed the reason codes of the workspace.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has_own_reasons(&self) -> Result<bool, StoreError> {
        Ok(self.setting(REASONS)?.is_some())
    }

    /// Changes the reason codes; decisions that were given keep theirs. An empty list brings the usual ones back.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn set_review_reasons(&self, reasons: Vec<ReviewReason>) -> Result<(), StoreError> {
        match cleaned(reasons) {
            reasons if reasons.is_empty() => self.forget_setting(REASONS),
            reasons => self.set_setting(REASONS, &serde_json::json!(reasons).to_string()),
        }
    }
}

/// Reasons with a text of their own, at most nine, those of content first.
fn cleaned(reasons: Vec<ReviewReason>) -> Vec<ReviewReason> {
    let mut kept: Vec<ReviewReason> = Vec::new();
    for mut reason in reasons {
        reason.code =
            reason.code.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_REASON).collect();
        if !reason.code.is_empty() && kept.iter().all(|of| of.code != reason.code) && kept.len() < MOST_REASONS {
            kept.push(reason);
        }
    }
    kept.sort_by_key(|reason| reason.aspect);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_decides_which_of_the_two_judgements_fails() {
        let of = |aspect| ReviewReason { aspect, code: "x".to_owned() };
        let (content, technical) = (of(ReviewAspect::Content), of(ReviewAspect::Technical));
        for (mark, reasons, expected) in [
            (ReviewMark::Approve, vec![], (Some(true), Some(true))),
            (ReviewMark::Approve, vec![technical.clone()], (Some(true), Some(false))),
            (ReviewMark::Reject, vec![content.clone()], (Some(false), Some(true))),
            (ReviewMark::Later, vec![content.clone(), technical.clone()], (Some(false), Some(false))),
            (ReviewMark::Flag, vec![], (None, None)),
            (ReviewMark::Note, vec![content], (None, None)),
        ] {
            let found = Assessment::of(mark, &reasons);
            assert_eq!((found.content, found.technical), expected, "{mark:?} {reasons:?}");
        }
        assert!(!Assessment::of(ReviewMark::Approve, &[]).is_faulty(ReviewMark::Approve));
        assert!(Assessment::of(ReviewMark::Approve, &[technical]).is_faulty(ReviewMark::Approve));
        assert!(Assessment::of(ReviewMark::Flag, &[]).is_faulty(ReviewMark::Flag));
    }

    #[test]
    fn codes_are_short_different_and_nine_at_most() {
        let of = |code: &str| ReviewReason { aspect: ReviewAspect::Technical, code: code.to_owned() };
        let content = ReviewReason { aspect: ReviewAspect::Content, code: "b".to_owned() };
        let kept = cleaned(vec![of(" a \n a"), of("a a"), of(""), content.clone(), of(&"x".repeat(90))]);
        assert_eq!((&kept[0], kept[1].code.as_str(), kept[2].code.len(), kept.len()), (&content, "a a", 40, 3));
        assert_eq!(cleaned((0..20).map(|nth| of(&nth.to_string())).collect()).len(), MOST_REASONS);
        assert!(default_reasons().len() <= MOST_REASONS);
    }
}
