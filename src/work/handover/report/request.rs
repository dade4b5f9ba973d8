//! The request of a campaign in words, as a list of what pages were to have.

use super::format::capitalized;
use crate::campaign::{ReportLanguage, Request, Term, TermKind};
use crate::query::Query;

impl ReportLanguage {
    /// The request as lines of a list, each with its depth; empty where nothing is requested.
    pub(super) fn request(self, request: &Request) -> Vec<(usize, String)> {
        let mut lines = Vec::new();
        match request {
            Query::And(parts) if parts.is_empty() => {}
            request => self.push_query(request, 0, &mut lines),
        }
        lines
    }

    fn push_query(self, query: &Request, depth: usize, lines: &mut Vec<(usize, String)>) {
        let (title, parts) = match query {
            Query::Term(term) => return lines.push((depth, self.described(term))),
            Query::And(parts) | Query::Or(parts) if parts.len() == 1 => {
                return parts.iter().for_each(|part| self.push_query(part, depth, lines));
            }
            Query::And(parts) => (self.all_of_these(), parts.as_slice()),
            Query::Or(parts) => (self.one_of_these(), parts.as_slice()),
            Query::Not(part) => (self.not_this(), std::slice::from_ref(&**part)),
        };
        lines.push((depth, title));
        parts.iter().for_each(|part| self.push_query(part, depth + 1, lines));
    }

    /// A term with what it names: `person “Ana Reis”, also written “A. Reis”`.
    fn described(self, term: &Term) -> String {
        let mut text = format!("{} {}", self.kind_of(term.kind), self.value_of(term));
        if !term.aliases.is_empty() {
            let aliases: Vec<String> = term.aliases.iter().map(|alias| self.quoted(alias)).collect();
            text = self.term_also(&text, &self.any_of(&aliases));
        }
        let day = |date: &Option<String>| date.as_deref().map_or_else(|| "…".to_owned(), |day| self.day(day));
        if term.from.is_some() || term.to.is_some() {
            text = self.term_between(&text, &day(&term.from), &day(&term.to));
        }
        if term.weight < 0.0 { self.term_speaks_against(&text) } else { text }
    }

    /// The name of a language; what else a term has, as it was typed.
    fn value_of(self, term: &Term) -> String {
        match term.kind {
            TermKind::Language => self.term_name(term),
            _ => self.quoted(&term.value),
        }
    }

    /// A term as a table names it.
    pub(super) fn term_name(self, term: &Term) -> String {
        match term.kind {
            TermKind::Language => capitalized(&self.name_of(&term.value.to_lowercase())),
            _ => term.value.clone(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_list_of_what_pages_have() {
        let request: Request =
            "(person:\"Ana Reis\" OR phrase:\"regata internacional\") AND lang:es AND NOT futebol".parse().unwrap();
        let lines = |language: ReportLanguage| -> Vec<String> {
            language
                .request(&request)
                .into_iter()
                .map(|(depth, line)| format!("{}{line}", "  ".repeat(depth)))
                .collect()
        };
        assert_eq!(
            lines(ReportLanguage::En),
            [
                "all of these:",
                "  at least one of these:",
                "    person “Ana Reis”",
                "    phrase “regata internacional”",
                "  language Spanish",
                "  but not:",
                "    word “futebol”",
            ]
        );
        assert_eq!(lines(ReportLanguage::De)[4], "  Sprache Spanisch");
        assert_eq!(lines(ReportLanguage::Fr)[2], "    personne «\u{a0}Ana Reis\u{a0}»");
        assert!(ReportLanguage::En.request(&Request::default()).is_empty());
    }
}
