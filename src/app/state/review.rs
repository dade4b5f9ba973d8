//! What a person does on the page Review besides marks: decisions with reasons, samples, marks on findings.

use super::super::models::{ActDetail, Assessment, CaptureId, ReviewMark, ReviewReason, ReviewSampleSpec, SampleId};
use super::super::{ReviewDecision, SelectedRows};
use super::{Answer, AppState};
use crate::work::JobKind;

/// An action on the page Review.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewAct {
    /// Decides on captures; many are confirmed first.
    Decide {
        /// The captures.
        captures: SelectedRows,
        /// The mark.
        mark: ReviewMark,
        /// What a person wrote.
        note: String,
        /// The reasons that were chosen.
        reasons: Vec<ReviewReason>,
        /// Whether it ends a disagreement.
        settles: bool,
    },
    /// Runs the checks on what changed since they ran last.
    RunChecks,
    /// Draws a sample.
    DrawSample(Box<ReviewSampleSpec>),
    /// Notes that a capture of a sample is not judged.
    SkipSampled(SampleId, CaptureId),
    /// Changes the reason codes of the workspace; none bring the usual ones back.
    SetReasons(Vec<ReviewReason>),
    /// Confirms the finding of a check on captures, or calls it a false alarm.
    MarkFinding {
        /// The captures.
        captures: Vec<CaptureId>,
        /// The check, by its name in data.
        check: String,
        /// Whether it is right.
        is_right: bool,
    },
}

/// The note of a decision: its reasons, then what a person wrote.
fn note_of(reasons: &[ReviewReason], note: &str) -> String {
    let mut parts = vec![reasons.iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>().join(", ")];
    parts.push(note.trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

impl AppState {
    pub(super) fn act_on_review(&mut self, act: ReviewAct) {
        let who = self.settings.person();
        match act {
            ReviewAct::Decide { captures, mark, note, reasons, settles } => {
                let query = match &captures {
                    SelectedRows::Query { query, .. } => query.filter.trim().to_owned(),
                    SelectedRows::Ids(_) => String::new(),
                };
                let assessment = Assessment::of(mark, &reasons);
                let detail = ActDetail { query, assessment, settles };
                self.decide_or_confirm(ReviewDecision { captures, mark, note: note_of(&reasons, &note), detail });
            }
            ReviewAct::RunChecks => self.start(JobKind::CheckPages, |session, cx| session.check_pages(cx)),
            ReviewAct::DrawSample(spec) => self.write(
                move |session| {
                    let sample = session.catalogue().draw_sample(&ReviewSampleSpec { who, ..*spec })?;
                    let pages = session.catalogue().sampled_captures(sample)?.len();
                    Ok(format!("Drew a sample of {pages} captures"))
                },
                |done| Answer::Set("No sample was drawn", done),
            ),
            ReviewAct::SkipSampled(sample, capture) => self.write(
                move |session| Ok(session.catalogue().skip_sampled(sample, capture, true)?),
                |done| Answer::Shown("The capture was not passed over", done),
            ),
            ReviewAct::SetReasons(reasons) => self.write(
                move |session| Ok(session.catalogue().set_review_reasons(reasons)?),
                |done| Answer::Shown("The reasons were not saved", done),
            ),
            ReviewAct::MarkFinding { captures, check, is_right } => {
                self.write(move |session| session.mark_findings(&captures, &check, is_right, &who), Answer::Marked)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::models::ReviewAspect;

    #[test]
    fn a_note_begins_with_the_reasons() {
        let reasons =
            ["soft 404", "ended"].map(|code| ReviewReason { aspect: ReviewAspect::Content, code: code.to_owned() });
        assert_eq!(note_of(&reasons, " see the letter "), "soft 404, ended; see the letter");
        assert_eq!((note_of(&reasons[..1], ""), note_of(&[], " a ")), ("soft 404".to_owned(), "a".to_owned()));
    }
}
