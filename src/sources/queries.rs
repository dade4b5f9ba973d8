//! Queries to a source: what its campaign is about, in the terms of its protocol.

use crate::campaign::{CampaignSource, Request, SourceKind, Term, TermKind};

/// Terms of a request that are searched for, the first ones.
const MAX_TERMS: usize = 40;
/// Queries that are made of a request.
const MAX_MADE: usize = 8;
/// Letters of one query: what MediaWiki takes.
const MAX_QUERY_CHARS: usize = 280;
/// Hashtags of one timeline: what Mastodon takes besides the first.
const TAGS_AT_ONCE: usize = 5;

/// One query, before it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceQuery {
    /// What is searched for; empty: all that is new.
    pub text: String,
    /// A language (ISO 639-1), where the request has one alone.
    pub language: Option<String>,
    /// First day of the request's period.
    pub from: Option<String>,
    /// Last day of it.
    pub to: Option<String>,
}

/// The queries to a source: its own, or those made of the request. One with an
/// empty text where it gives all that is new.
pub fn queries_of(source: &CampaignSource, request: &Request) -> Vec<SourceQuery> {
    if !source.kind.takes_queries() {
        return vec![SourceQuery::default()];
    }
    let found = Found::of(request);
    let texts = match &source.queries {
        Some(own) => own.iter().map(|query| query.trim().to_owned()).collect(),
        None => found.texts(source.kind),
    };
    let query =
        |text| SourceQuery { text, language: found.language.clone(), from: found.from.clone(), to: found.to.clone() };
    if texts.is_empty() { vec![query(String::new())] } else { texts.into_iter().map(query).collect() }
}

/// What a request has for a search engine.
#[derive(Default)]
struct Found {
    terms: Vec<String>,
    language: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

impl Found {
    fn of(request: &Request) -> Self {
        let (mut found, mut languages) = (Self::default(), Vec::new());
        found.collect(request, &mut languages);
        languages.dedup();
        if let [only] = languages.as_slice() {
            found.language = Some(only.clone());
        }
        found
    }

    fn collect(&mut self, request: &Request, languages: &mut Vec<String>) {
        match request {
            Request::And(parts) | Request::Or(parts) => parts.iter().for_each(|part| self.collect(part, languages)),
            // What pages must not have is no query.
            Request::Not(_) => {}
            Request::Term(term) if term.weight <= 0.0 => {}
            Request::Term(term) => self.term(term, languages),
        }
    }

    fn term(&mut self, term: &Term, languages: &mut Vec<String>) {
        if matches!(term.kind, TermKind::Event | TermKind::Period) {
            self.from = self.from.iter().chain(&term.from).min().cloned();
            self.to = self.to.iter().chain(&term.to).max().cloned();
        }
        match term.kind {
            TermKind::Language => languages.push(term.value.to_lowercase()),
            TermKind::Period => {}
            _ => {
                for name in std::iter::once(&term.value).chain(&term.aliases) {
                    let name = name.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "");
                    if !name.is_empty() && self.terms.len() < MAX_TERMS && !self.terms.contains(&name) {
                        self.terms.push(name);
                    }
                }
            }
        }
    }

    fn texts(&self, kind: SourceKind) -> Vec<String> {
        match kind {
            SourceKind::Feed | SourceKind::Sitemap => Vec::new(),
            // A hashtag has letters and digits alone.
            SourceKind::Mastodon => {
                let tag = |term: &String| term.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
                let tags: Vec<String> = self.terms.iter().map(tag).filter(|tag| !tag.is_empty()).collect();
                tags.chunks(TAGS_AT_ONCE).take(MAX_MADE).map(|tags| tags.join(" ")).collect()
            }
            // Their search has “or”.
            SourceKind::MediaWiki | SourceKind::Search => joined(self.terms.iter().map(|term| quoted(term))),
            // Theirs has not: one query a term.
            SourceKind::WordPress | SourceKind::Discourse => {
                self.terms.iter().take(MAX_MADE).map(|term| quoted(term)).collect()
            }
        }
    }
}

fn quoted(term: &str) -> String {
    if term.contains(' ') { format!("\"{term}\"") } else { term.to_owned() }
}

/// Terms with `OR` between them, in as few queries as their length lets.
fn joined(terms: impl Iterator<Item = String>) -> Vec<String> {
    let mut queries: Vec<String> = Vec::new();
    for term in terms {
        let room = |last: &&mut String| last.chars().count() + term.chars().count() + 4 <= MAX_QUERY_CHARS;
        if let Some(last) = queries.last_mut().filter(room) {
            last.push_str(" OR ");
            last.push_str(&term);
        } else if queries.len() < MAX_MADE {
            queries.push(term);
        }
    }
    queries
}
