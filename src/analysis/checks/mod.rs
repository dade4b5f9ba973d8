//! Review checks, which judge a capture by the stored facts of its page.
//!
//! In: a [`PageInput`]: what the catalogue keeps of a capture, and what was read of its page when that was indexed
//! ([`PageFacts`]); no check reads a record. Out: a [`Finding`] of each check that applies, in the
//! order of [`REVIEW_CHECKS`].
//!
//! One check is one file, in the folder of its subject; a new one is that file
//! and a line in [`REVIEW_CHECKS`]:
//!
//! | folder | compares |
//! |---|---|
//! | `answer` | what the server answered: status, redirects, type, completeness |
//! | `content` | what the page holds: title, text, language |
//! | `history` | the capture with earlier ones of the page |
//! | `links` | the page with what links to it |
//!
//! Invariants: pure; nothing is fetched or read from disk; a check without its
//! inputs does not apply and finds nothing.
//!
//! Not here: where the inputs come from, how findings are drawn.

mod answer;
mod content;
mod history;
mod links;

use crate::captures::{PageFacts, is_page_type};

/// The facts of a page that checks compare, as catalogue and index keep them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageInput<'a> {
    /// HTTP status; 0 or less without an answer.
    pub status: i32,
    /// Media type.
    pub mime: &'a str,
    /// Title; empty without one. Hostile text.
    pub title: &'a str,
    /// Bytes of the payload.
    pub size_bytes: u64,
    /// Bytes of the payload of the capture before, of the same page; none for the first.
    pub previous_size_bytes: Option<u64>,
    /// Inlinks from other hosts in the inlink window; none where inlinks are not built.
    pub external_inlinks: Option<u64>,
    /// The facts of the page itself; none where it is not indexed, or its record could not be read.
    pub facts: Option<&'a PageFacts>,
}

impl PageInput<'_> {
    /// Whether it is a page, by the form it was read as, else by its type.
    pub fn is_page(&self) -> bool {
        self.facts.map_or_else(|| is_page_type(self.mime), |facts| facts.is_page)
    }
}

/// The conclusion of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingLevel {
    /// The page is as it should be in this respect.
    Passed,
    /// A person should look at it.
    Odd,
    /// A fact that counts neither for nor against the page.
    Neutral,
}

/// The evidence of a check, for a person to read.
#[derive(Debug, Clone, PartialEq)]
pub enum FindingEvidence {
    /// A short text without a full stop: `has no title`. Figures in it are below a thousand.
    Text(String),
    /// A number of things, which the place that shows it writes as its other numbers.
    Count {
        /// How many.
        number: u64,
        /// Their name where there is one.
        one: &'static str,
        /// Their name otherwise.
        many: &'static str,
    },
}

/// The result of one check on one page.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check, see [`ReviewCheck::id`].
    pub check: &'static str,
    /// The conclusion.
    pub level: FindingLevel,
    /// Why.
    pub evidence: FindingEvidence,
}

/// A check of a captured page.
pub trait ReviewCheck: Sync {
    /// Its name in data, which stays the same for ever: `previous-size`.
    fn id(&self) -> &'static str;

    /// Runs the check; none where it does not apply.
    fn check(&self, page: &PageInput<'_>) -> Option<(FindingLevel, FindingEvidence)>;
}

/// Every check, in the order of the screen.
pub const REVIEW_CHECKS: [&dyn ReviewCheck; 5] =
    [&answer::Status, &answer::DeclaredType, &content::HasTitle, &history::PreviousSize, &links::ExternalInlinks];

/// Runs every check on a page.
pub fn run_checks<'a>(page: &'a PageInput<'_>) -> impl Iterator<Item = Finding> + 'a {
    REVIEW_CHECKS.into_iter().filter_map(move |check| {
        let (level, evidence) = check.check(page)?;
        Some(Finding { check: check.id(), level, evidence })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_check_has_a_name_of_its_own() {
        let mut ids: Vec<_> = REVIEW_CHECKS.iter().map(|check| check.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), REVIEW_CHECKS.len());
        assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{ids:?}");
    }

    #[test]
    fn a_page_gets_the_findings_of_all_checks_that_apply() {
        let page = PageInput { status: 200, mime: "text/html", title: "A", size_bytes: 9, ..PageInput::default() };
        let found = |page: &PageInput<'_>| run_checks(page).map(|finding| finding.check).collect::<Vec<_>>();
        assert_eq!(found(&page), ["status", "title"]);
        let again = PageInput { previous_size_bytes: Some(9), external_inlinks: Some(0), ..page };
        assert_eq!(found(&again), ["status", "title", "previous-size", "external-inlinks"]);
        assert_eq!(found(&PageInput { mime: "image/png", ..page }), ["status"]);
    }
}
