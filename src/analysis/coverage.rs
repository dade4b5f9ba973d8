//! Counts of the pages that have each term of a request, out of the output of
//! [`Matcher::describe`]: the texts of pages are not read again.

use super::matching::Matcher;

/// Pages in which each term was found.
#[derive(Debug, Clone)]
pub struct TermCoverage {
    /// The name of each term in descriptions.
    names: Vec<String>,
    found: Vec<u64>,
    pages: u64,
    unclear: u64,
}

impl TermCoverage {
    /// Nothing counted yet.
    pub fn new(matcher: &Matcher) -> Self {
        let terms = matcher.terms();
        let names = terms.iter().map(Matcher::name_of).collect();
        Self { names, found: vec![0; terms.len()], pages: 0, unclear: 0 }
    }

    /// Counts the terms that the description of a page names.
    pub fn add(&mut self, description: &str) {
        self.pages += 1;
        match self.terms_in(description) {
            Some(terms) => {
                for term in terms {
                    if let Some(found) = self.found.get_mut(term) {
                        *found += 1;
                    }
                }
            }
            None => self.unclear += 1,
        }
    }

    /// Pages that were counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Pages whose description is of another request.
    pub fn unclear(&self) -> u64 {
        self.unclear
    }

    /// Pages with each term, in the order of [`Matcher::terms`].
    pub fn found(&self) -> &[u64] {
        &self.found
    }

    /// The terms that a description names: each at most once, in their order.
    fn terms_in(&self, description: &str) -> Option<Vec<usize>> {
        let mut terms = Vec::new();
        let mut rest = match description {
            Matcher::NOTHING_FOUND => "",
            some => some,
        };
        for (number, name) in self.names.iter().enumerate() {
            let Some(behind) = rest.strip_prefix(name.as_str()).map(behind_counts) else { continue };
            if let Some(next) = behind.strip_prefix("; ").or_else(|| behind.is_empty().then_some("")) {
                terms.push(number);
                rest = next;
            }
        }
        rest.is_empty().then_some(terms)
    }
}

/// The text after ` 2 × in title, 5 × in text`, where it begins so.
fn behind_counts(text: &str) -> &str {
    let mut rest = text;
    loop {
        let part = if rest.len() == text.len() { rest } else { rest.strip_prefix(',').unwrap_or("") };
        let digits = part.strip_prefix(' ').unwrap_or("");
        let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let place = behind.strip_prefix(" × in ").filter(|_| behind.len() < digits.len());
        let found = place.and_then(|place| ["title", "URL", "text"].iter().find_map(|name| place.strip_prefix(name)));
        match found {
            Some(behind) => rest = behind,
            None => return rest,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::TextFields;
    use crate::campaign::Request;

    #[test]
    fn terms_are_counted_from_descriptions_as_they_were_found() {
        let request: Request =
            "(ria OR \"ria; formosa\" OR person:\"Leonor Maresia\"|Maresia^0.8 OR regata) AND lang:pt AND receita^-0.5"
                .parse()
                .unwrap();
        let matcher = Matcher::compile(&request);
        let mut coverage = TermCoverage::new(&matcher);
        let pages = [
            ("Ria; Formosa", "A ria, Maresia e a ria Formosa", "http://ria.example/", Some("pt")),
            ("Receita", "nada", "http://a.example/", None),
            ("", "", "http://a.example/", Some("en")),
        ];
        let mut expected = vec![0; matcher.terms().len()];
        for (title, text, url, language) in pages {
            let matches = matcher.read(&TextFields { title, main: text, rest: "", url, language, date: None });
            let mut terms: Vec<usize> = matches.hits.iter().map(|hit| hit.term).collect();
            terms.dedup();
            terms.into_iter().for_each(|term| expected[term] += 1);
            coverage.add(&matcher.describe(&matches));
        }
        assert_eq!((coverage.found(), coverage.pages(), coverage.unclear()), (&expected[..], 3, 0));
        assert!(expected.contains(&0) && expected.contains(&1), "{expected:?}");
        coverage.add("“another request” 2 × in title");
        assert_eq!((coverage.pages(), coverage.unclear()), (4, 1));
        assert_eq!(coverage.found(), &expected[..]);
    }
}
