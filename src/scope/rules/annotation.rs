//! Rule on marks and notes of people on earlier captures.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{AnnotationFact, Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Accepts or rejects URLs whose captures a person marked: the word that holds
/// (`approve`, `reject`, `flag`, `later`), or a word in a note. A URL without either
/// gets no opinion.
///
/// Why: what a reviewer threw out last time need not be fetched again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// Marks, as the review names them.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Text that a note holds, letter case aside.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The decision on such a URL.
    pub decision: Decision,
}

const MARKS: [&str; 4] = ["approve", "reject", "flag", "later"];

impl Annotation {
    pub(super) fn compile(&self) -> Result<Self, String> {
        if let Some(mark) = self.marks.iter().find(|mark| !MARKS.contains(&mark.trim())) {
            return Err(format!("“{mark}” is no mark; give approve, reject, flag or later"));
        }
        if self.notes.iter().any(|note| note.trim().is_empty()) {
            return Err("a word looked for in notes is empty; it would be found in any".to_owned());
        }
        let trimmed = |entries: &[String]| entries.iter().map(|entry| entry.trim().to_owned()).collect();
        Ok(Self { marks: trimmed(&self.marks), notes: trimmed(&self.notes), decision: self.decision })
    }

    fn meant(&self, annotation: &AnnotationFact) -> bool {
        let noted =
            |entry: &String| annotation.notes.iter().any(|note| note.to_lowercase().contains(&entry.to_lowercase()));
        self.marks.contains(&annotation.mark) || self.notes.iter().any(noted)
    }
}

impl DecideRule for Annotation {
    fn name(&self) -> &'static str {
        "AnnotationDecideRule"
    }

    fn summary(&self) -> String {
        let marks = (!self.marks.is_empty()).then(|| listed(&self.marks, "the mark", "the marks"));
        let notes = (!self.notes.is_empty()).then(|| listed(&self.notes, "a note with", "notes with"));
        let what: Vec<String> = marks.into_iter().chain(notes).collect();
        let what = if what.is_empty() { "nothing (no marks set)".to_owned() } else { what.join(" or ") };
        format!("{} URLs whose captures have {what}", verb(self.decision))
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        facts.annotation.as_ref().is_some_and(|annotation| self.meant(annotation)).then_some(self.decision)
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match &facts.annotation {
            None => "no review decision or note".to_owned(),
            Some(annotation) if annotation.notes.is_empty() => annotation.mark.clone(),
            Some(annotation) => format!("{} {}", annotation.mark, annotation.notes.join("; ")).trim().to_owned(),
        }
    }

    fn uses_annotation(&self) -> bool {
        true
    }

    fn changes(&self, _: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let Some(annotation) = &facts.annotation else { return Vec::new() };
        match target {
            None if self.meant(annotation) => {
                let marks = self.marks.iter().filter(|mark| **mark != annotation.mark).cloned().collect();
                let kept = |entry: &&String| {
                    !Self { marks: Vec::new(), notes: vec![(*entry).clone()], ..self.clone() }.meant(annotation)
                };
                let notes = self.notes.iter().filter(kept).cloned().collect();
                let edit = Edit::Entry(RuleKind::Annotation(Self { marks, notes, ..self.clone() }));
                vec![Change { summary: "take out the marks and words that this URL has".to_owned(), edit }]
            }
            Some(target)
                if target == self.decision && !self.meant(annotation) && MARKS.contains(&annotation.mark.as_str()) =>
            {
                let mut marks = self.marks.clone();
                marks.push(annotation.mark.clone());
                let edit = Edit::Entry(RuleKind::Annotation(Self { marks, ..self.clone() }));
                vec![Change { summary: format!("add the mark {}", annotation.mark), edit }]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    #[test]
    fn marks_and_notes_speak() {
        let entries = |entries: &[&str]| entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        let rule = Annotation { marks: entries(&["reject"]), notes: entries(&["Spam"]), decision: Decision::Reject };
        let rule = rule.compile().unwrap();
        let reject = Some(Decision::Reject);
        for (annotation, expected) in [
            (None, None),
            (Some(("reject", "")), reject),
            (Some(("approve", "")), None),
            (Some(("", "this is SPAM, all of it")), reject),
            (Some(("approve", "fine")), None),
        ] {
            let annotation = annotation.map(|(mark, note)| AnnotationFact {
                mark: mark.to_owned(),
                notes: if note.is_empty() { Vec::new() } else { entries(&[note]) },
            });
            let facts = Facts { annotation, ..Facts::default() };
            let candidate = candidate("http://fct.pt/", "L");
            assert_eq!(rule.decide(&candidate, &facts), expected, "{facts:?}");
            assert!(!rule.tested(&candidate, &facts).is_empty());
        }
        assert!(Annotation { marks: entries(&["bad"]), ..rule.clone() }.compile().is_err());
        assert!(Annotation { notes: entries(&[" "]), ..rule }.compile().is_err());
    }
}
