//! Undo takes back decisions of persons, and redo restores them, in the order in which they were
//! given: marks, which the catalogue keeps as taken back, and judgements of this session, where an
//! earlier judgement is given once more.

use super::*;
use crate::analysis::Judgement;
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

/// An act that was taken back.
pub(super) enum Undone {
    /// A mark on some captures.
    Mark,
    /// Judgements.
    Judgements(JudgeAct),
}

/// Judgements of this session, and what was taken back in it.
#[derive(Default)]
pub(super) struct ReviewHistory {
    judged: Vec<JudgeAct>,
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

impl Session {
    /// Keeps judgements that can be taken back.
    pub(super) fn give_judgements(&self, query: String, given: Vec<GivenJudgement>, who: &str) -> anyhow::Result<()> {
        let mut review = lock(&self.review);
        let (last_mark, _) = self.catalogue().last_marks()?;
        let before = self.catalogue().judge(&query, given.clone(), who)?;
        review.judged.push(JudgeAct { query, who: who.to_owned(), given, before, last_mark });
        review.undone.clear();
        Ok(())
    }

    /// Takes back the last mark that still counts, or the last judgement of this session, whichever was
    /// given later; returns its summary.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn undo_mark(&self) -> anyhow::Result<String> {
        let mut review = lock(&self.review);
        let (_, last_mark) = self.catalogue().last_marks()?;
        if let Some(act) = review.judged.pop_if(|act| last_mark <= act.last_mark) {
            let earlier = act.given.iter().zip(&act.before);
            let earlier = earlier.map(|((capture, rank, _), before)| (*capture, *rank, *before)).collect();
            if let Err(error) = self.catalogue().judge(&act.query, earlier, &act.who) {
                review.judged.push(act);
                return Err(error.into());
            }
            let undone = format!("Undone: {}", act.summary());
            review.undone.push(Undone::Judgements(act));
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
            Some(Undone::Judgements(act)) => {
                if let Err(error) = self.catalogue().judge(&act.query, act.given.clone(), &act.who) {
                    review.undone.push(Undone::Judgements(act));
                    return Err(error.into());
                }
                let redone = format!("Redone: {}", act.summary());
                review.judged.push(act);
                return Ok(redone);
            }
            // A mark that was undone before the judgement.
            None if !review.judged.is_empty() => return Ok("Nothing to redo".to_owned()),
            Some(Undone::Mark) | None => {}
        }
        Ok(match self.catalogue().redo_mark()? {
            None => "Nothing to redo".to_owned(),
            Some((mark, captures)) => format!("Redone: {}", act_summary(mark, captures)),
        })
    }
}
