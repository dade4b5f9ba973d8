//! Undo takes back decisions of persons, and redo restores them, in the order in which they were
//! given: marks, which the catalogue keeps as taken back, judgements of this session, where an earlier
//! judgement is given once more, and marks on findings of this session.

use super::*;
use crate::analysis::Judgement;
use crate::jobs::counted;
use crate::store::GivenJudgement;

/// Judgements that one act gave.
pub(super) struct JudgeAct {
    query: String,
    who: String,
    /// The judgements that were given.
    given: Vec<GivenJudgement>,
    /// The judgement that counted before, of each.
    before: Vec<Option<Judgement>>,
    /// The last mark there was then.
    last_mark: i64,
}

/// What a person said of the findings of a check.
pub(super) struct FindingAct {
    captures: Vec<CaptureId>,
    check: String,
    is_right: bool,
    who: String,
    /// The marks on findings, by their numbers.
    marks: Vec<i64>,
    /// The last mark there was then.
    last_mark: i64,
}

/// An act of this session that can be taken back, besides marks.
pub(super) enum SessionAct {
    /// Judgements of results.
    Judgements(JudgeAct),
    /// Marks on findings.
    Findings(FindingAct),
}

/// An act that was taken back.
pub(super) enum Undone {
    /// A mark on some captures.
    Mark,
    /// Another act.
    Act(SessionAct),
}

/// Judgements and marks on findings of this session, and what was taken back in it.
#[derive(Default)]
pub(super) struct ReviewHistory {
    acts: Vec<SessionAct>,
    /// The last one is restored first. Empty once another act follows.
    pub(super) undone: Vec<Undone>,
}

impl JudgeAct {
    fn summary(&self) -> String {
        let label = match self.given.first() {
            Some((_, _, Some(judgement))) => judgement.label(),
            _ => "Judgement cleared",
        };
        format!("{label} for “{}”", self.query)
    }
}

impl FindingAct {
    fn summary(&self) -> String {
        let verdict = if self.is_right { "Confirmed" } else { "Called a false alarm" };
        format!("{verdict}: {} on {}", self.check, counted(self.captures.len() as u64, "capture"))
    }
}

impl SessionAct {
    fn last_mark(&self) -> i64 {
        match self {
            Self::Judgements(act) => act.last_mark,
            Self::Findings(act) => act.last_mark,
        }
    }

    fn summary(&self) -> String {
        match self {
            Self::Judgements(act) => act.summary(),
            Self::Findings(act) => act.summary(),
        }
    }

    /// Gives the earlier judgements once more, or takes the marks on findings back.
    fn undo(&self, session: &Session) -> anyhow::Result<()> {
        match self {
            Self::Judgements(act) => {
                let earlier = act.given.iter().zip(&act.before);
                let earlier = earlier.map(|((capture, rank, _), before)| (*capture, *rank, *before)).collect();
                session.catalogue().judge(&act.query, earlier, &act.who)?;
            }
            Self::Findings(act) => session.catalogue().undo_finding_marks(&act.marks)?,
        }
        Ok(())
    }

    fn redo(&mut self, session: &Session) -> anyhow::Result<()> {
        match self {
            Self::Judgements(act) => drop(session.catalogue().judge(&act.query, act.given.clone(), &act.who)?),
            Self::Findings(act) => {
                act.marks = session.catalogue().mark_findings(&act.captures, &act.check, act.is_right, &act.who)?;
            }
        }
        Ok(())
    }
}

impl Session {
    /// Keeps that a person confirms the findings of a check on captures, or calls them false alarms; it can be taken
    /// back. Returns what was done.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn mark_findings(
        &self,
        captures: &[CaptureId],
        check: &str,
        is_right: bool,
        who: &str,
    ) -> anyhow::Result<String> {
        let mut review = lock(&self.review);
        let (last_mark, _) = self.catalogue().last_marks()?;
        let marks = self.catalogue().mark_findings(captures, check, is_right, who)?;
        let (captures, check, who) = (captures.to_vec(), check.to_owned(), who.to_owned());
        let act = FindingAct { captures, check, is_right, who, marks, last_mark };
        let summary = act.summary();
        review.acts.push(SessionAct::Findings(act));
        review.undone.clear();
        Ok(summary)
    }

    /// Keeps judgements that can be taken back.
    pub(super) fn give_judgements(&self, query: String, given: Vec<GivenJudgement>, who: &str) -> anyhow::Result<()> {
        let mut review = lock(&self.review);
        let (last_mark, _) = self.catalogue().last_marks()?;
        let before = self.catalogue().judge(&query, given.clone(), who)?;
        let act = JudgeAct { query, who: who.to_owned(), given, before, last_mark };
        review.acts.push(SessionAct::Judgements(act));
        review.undone.clear();
        Ok(())
    }

    /// Takes back the last mark that still counts, or the last judgement or mark on findings of this session, whichever
    /// was given later; returns its summary.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn undo_mark(&self) -> anyhow::Result<String> {
        let mut review = lock(&self.review);
        let (_, last_mark) = self.catalogue().last_marks()?;
        if let Some(act) = review.acts.pop_if(|act| last_mark <= act.last_mark()) {
            if let Err(error) = act.undo(self) {
                review.acts.push(act);
                return Err(error);
            }
            let undone = format!("Undone: {}", act.summary());
            review.undone.push(Undone::Act(act));
            return Ok(undone);
        }
        let Some((mark, captures)) = self.catalogue().undo_mark()? else { return Ok("Nothing to undo".to_owned()) };
        review.undone.push(Undone::Mark);
        Ok(format!("Undone: {}", act_summary(mark, captures)))
    }

    /// Restores the act that was undone last, unless another followed it; returns its summary.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn redo_mark(&self) -> anyhow::Result<String> {
        let mut review = lock(&self.review);
        match review.undone.pop() {
            Some(Undone::Act(mut act)) => {
                if let Err(error) = act.redo(self) {
                    review.undone.push(Undone::Act(act));
                    return Err(error);
                }
                let redone = format!("Redone: {}", act.summary());
                review.acts.push(act);
                return Ok(redone);
            }
            // A mark that was undone before the judgement.
            None if !review.acts.is_empty() => return Ok("Nothing to redo".to_owned()),
            Some(Undone::Mark) | None => {}
        }
        Ok(match self.catalogue().redo_mark()? {
            None => "Nothing to redo".to_owned(),
            Some((mark, captures)) => format!("Redone: {}", act_summary(mark, captures)),
        })
    }
}
