//! The MIME type of what was fetched.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{Candidate, ContentFact, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Accepts or rejects by the MIME type that the server gave, once it was
/// fetched; before, it has no opinion. `image/*` means all images.
///
/// Heritrix tests a regular expression here; crawls need types only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentType {
    /// MIME types without parameters.
    pub types: Vec<String>,
    /// The decision on such content.
    pub decision: Decision,
}

fn means(entry: &str, mime: &str) -> bool {
    match entry.strip_suffix('*') {
        Some(family) => mime.get(..family.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(family)),
        None => entry.eq_ignore_ascii_case(mime),
    }
}

impl ContentType {
    pub(super) fn compile(&self) -> Result<Self, String> {
        let mut types = Vec::with_capacity(self.types.len());
        for entry in &self.types {
            let bare = entry.trim();
            let (family, kind) = bare.split_once('/').unwrap_or_default();
            let is_token = |text: &str| !text.is_empty() && !text.contains(['/', ' ', ';', '*']);
            if !is_token(family) || !(kind == "*" || is_token(kind)) {
                return Err(format!("“{entry}” is no MIME type; give it as text/html or image/*"));
            }
            types.push(bare.to_ascii_lowercase());
        }
        Ok(Self { types, ..self.clone() })
    }

    fn entry(&self, facts: &Facts) -> Option<&String> {
        let ContentFact::Fetched { mime, .. } = &facts.content else { return None };
        let mime = mime.split(';').next().unwrap_or_default().trim();
        self.types.iter().find(|entry| means(entry, mime))
    }
}

impl DecideRule for ContentType {
    fn name(&self) -> &'static str {
        "ContentTypeMatchesRegexDecideRule"
    }

    fn summary(&self) -> String {
        format!("{} content of {}, once fetched", verb(self.decision), listed(&self.types, "the type", "the types"))
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        self.entry(facts).map(|_| self.decision)
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match &facts.content {
            ContentFact::NotFetched => "not fetched".to_owned(),
            ContentFact::Fetched { mime, .. } if mime.is_empty() => "no MIME type in the response".to_owned(),
            ContentFact::Fetched { mime, .. } => mime.clone(),
        }
    }

    fn uses_content(&self) -> bool {
        true
    }

    fn changes(&self, _: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let ContentFact::Fetched { mime, .. } = &facts.content else { return Vec::new() };
        let mime = mime.split(';').next().unwrap_or_default().trim();
        let edited = |types| Edit::Entry(RuleKind::ContentType(Self { types, ..self.clone() }));
        match (target, self.entry(facts)) {
            (None, Some(_)) => {
                let (out, kept): (Vec<String>, Vec<String>) =
                    self.types.iter().cloned().partition(|entry| means(entry, mime));
                vec![Change { summary: format!("take {} out of the types", out.join(", ")), edit: edited(kept) }]
            }
            (Some(target), None) if target == self.decision && mime.contains('/') => {
                let mut types = self.types.clone();
                types.push(mime.to_owned());
                vec![Change { summary: format!("add {mime} to the types"), edit: edited(types) }]
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
    fn types_and_families() {
        let types = vec!["image/*".to_owned(), "Application/PDF".to_owned()];
        let rule = ContentType { types, decision: Decision::Reject }.compile().unwrap();
        let reject = Some(Decision::Reject);
        for (mime, expected) in [
            (None, None),
            (Some(""), None),
            (Some("image/png"), reject),
            (Some("IMAGE/PNG; q=1"), reject),
            (Some("application/pdf"), reject),
            (Some("application/pdfx"), None),
            (Some("text/html; charset=utf-8"), None),
            (Some("images"), None),
        ] {
            let content = match mime {
                None => ContentFact::NotFetched,
                Some(mime) => ContentFact::Fetched { status: 200, mime: mime.to_owned(), bytes: 1 },
            };
            let facts = Facts { content, ..Facts::default() };
            let candidate = candidate("http://fct.pt/a", "L");
            assert_eq!(rule.decide(&candidate, &facts), expected, "{mime:?}");
            assert!(!rule.tested(&candidate, &facts).is_empty());
        }
        for bad in ["html", "text/", "/html", "*/*", "text/html; a=b"] {
            assert!(ContentType { types: vec![bad.to_owned()], ..rule.clone() }.compile().is_err(), "{bad}");
        }
    }
}
