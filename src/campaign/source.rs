//! Sources of a campaign: services that name pages, such as feeds and the programming interfaces of wikis.

use crate::uri::{Url, parse_web_url};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Sources of one campaign.
pub const MAX_SOURCES: usize = 100;
/// Queries of one source.
pub const MAX_SOURCE_QUERIES: usize = 20;
/// Letters of one query.
const MAX_QUERY_CHARS: usize = 300;
/// Letters of a name.
const MAX_NAME_CHARS: usize = 60;
/// The longest time between two runs: a year.
const MAX_HOURS: u32 = 8784;
/// The place of the query in the address of a search engine.
pub const QUERY_PLACE: &str = "{query}";

/// The protocol of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// `api.php` of a MediaWiki.
    MediaWiki,
    /// Timelines of hashtags of a Mastodon server.
    Mastodon,
    /// REST API of a WordPress site.
    WordPress,
    /// JSON of a Discourse forum.
    Discourse,
    /// RSS, Atom or JSON Feed.
    Feed,
    /// A sitemap or an index of sitemaps.
    Sitemap,
    /// Results of a search engine, by a template of its address.
    Search,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::MediaWiki, Self::Mastodon, Self::WordPress, Self::Discourse, Self::Feed, Self::Sitemap, Self::Search];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::MediaWiki => "mediawiki",
            Self::Mastodon => "mastodon",
            Self::WordPress => "wordpress",
            Self::Discourse => "discourse",
            Self::Feed => "feed",
            Self::Sitemap => "sitemap",
            Self::Search => "search",
        }
    }

    /// Its name on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::MediaWiki => "MediaWiki",
            Self::Mastodon => "Mastodon",
            Self::WordPress => "WordPress",
            Self::Discourse => "Discourse",
            Self::Feed => "Feed",
            Self::Sitemap => "Sitemap",
            Self::Search => "Search engine",
        }
    }

    /// Whether queries narrow what it gives.
    pub fn takes_queries(self) -> bool {
        !matches!(self, Self::Feed | Self::Sitemap)
    }
}

impl std::str::FromStr for SourceKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|kind| kind.name()).collect();
            format!("“{text}” is no kind of source; there are {}", names.join(", "))
        })
    }
}

/// A service that is asked for pages before the launches of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CampaignSource {
    /// Its name, which URLs that it brings carry as their source tag.
    pub name: String,
    /// Its protocol.
    pub kind: SourceKind,
    /// The address of its interface, or of the site.
    pub address: String,
    /// What is searched for; none: made from the request, empty: all that is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<Vec<String>>,
    /// Hours between two runs.
    #[serde(default = "six")]
    pub every_hours: u32,
    /// Whether launches run it when it is due.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether a token out of the system's keychain is sent to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub token: bool,
    /// Whether its interface is read although robots.txt closes it to crawlers, since its
    /// owner offers it to programs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_robots: bool,
}

fn six() -> u32 {
    6
}

fn yes() -> bool {
    true
}

impl CampaignSource {
    /// A source with the usual interval, switched on.
    pub fn new(name: impl Into<String>, kind: SourceKind, address: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            address: address.into(),
            queries: None,
            every_hours: six(),
            enabled: true,
            token: false,
            ignore_robots: false,
        }
    }

    /// The source tag of what it brings.
    pub fn tag(&self) -> String {
        format!("source:{}", self.name)
    }

    /// Its address; of a search engine with a letter in the places of the query. None where that is none.
    pub fn url(&self) -> Option<Url> {
        let address = self.address.trim();
        if self.kind == SourceKind::Search && address.contains('{') {
            return parse_web_url(&fill_template(address, |_| "x".to_owned())?);
        }
        parse_web_url(address)
    }

    /// Its address without user name and password; none where it has none.
    pub fn without_user(&self) -> Option<String> {
        let address = self.address.trim();
        let (scheme, rest) = address.split_once("://").filter(|_| has_user(address))?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
        Some(format!("{scheme}://{}", &rest[host..]))
    }

    /// Its faults: field, what, and what to do.
    pub(super) fn problems(&self) -> Vec<(&'static str, String, String)> {
        let mut found = Vec::new();
        let mut note = |field, what: String, hint: &str| found.push((field, what, hint.to_owned()));
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        let name = self.name.as_str();
        if name.trim().is_empty() || name.trim() != name || name.chars().count() > MAX_NAME_CHARS {
            note("name", format!("“{name}” is no name for a source"), "write 1 to 60 letters without blanks around");
        } else if !name.chars().all(is_plain) {
            note(
                "name",
                format!("“{name}” has signs that a source tag cannot have"),
                "use letters, digits, -, _ and .",
            );
        }
        match self.url() {
            None => note(
                "address",
                format!("“{}” is no web address", self.address.trim()),
                "write the whole address, such as https://wiki.example.org/w/api.php",
            ),
            Some(_) if has_user(&self.address) => note(
                "address",
                "the address has a user name or a password in it".to_owned(),
                "take it out; a token belongs into the keychain: fonds sources token",
            ),
            Some(_) => {}
        }
        if self.kind == SourceKind::Search && !self.address.contains(QUERY_PLACE) {
            note(
                "address",
                "the address of a search engine has no place for the query".to_owned(),
                "write it with {query}, such as https://search.example.org/?q={query}",
            );
        }
        if !(1..=MAX_HOURS).contains(&self.every_hours) {
            note("every_hours", format!("{} hours are no interval", self.every_hours), "write 1 to 8784 hours");
        }
        let queries = self.queries.as_deref().unwrap_or_default();
        if queries.len() > MAX_SOURCE_QUERIES {
            note("queries", format!("there are {} of them", queries.len()), "write at most 20");
        }
        if !queries.is_empty() && !self.kind.takes_queries() {
            note("queries", "feeds and sitemaps are read whole".to_owned(), "take the queries out");
        }
        if let Some(query) = queries.iter().find(|query| {
            query.trim().is_empty() || query.chars().count() > MAX_QUERY_CHARS || query.chars().any(char::is_control)
        }) {
            let begin: String = query.chars().take(40).collect();
            note("queries", format!("“{begin}” is no query"), "write 1 to 300 letters on one line");
        }
        found
    }
}

/// Whether an address has a user name or a password, which are not sent.
fn has_user(address: &str) -> bool {
    Url::parse(address.trim()).is_ok_and(|url| url.password().is_some() || !url.username().is_empty())
}

/// The problems of all sources of a campaign: field, what, and what to do.
pub(super) fn source_problems(sources: &[CampaignSource]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    if sources.len() > MAX_SOURCES {
        let hint = format!("write at most {MAX_SOURCES}");
        found.push(("sources".to_owned(), format!("there are {} of them", sources.len()), hint));
    }
    let mut names = HashSet::new();
    for (i, source) in sources.iter().enumerate() {
        for (field, what, hint) in source.problems() {
            found.push((format!("sources[{i}].{field}"), what, hint));
        }
        if !names.insert(source.name.as_str()) {
            let what = format!("another source is called “{}” too", source.name);
            found.push((format!("sources[{i}].name"), what, "give each a name of its own".to_owned()));
        }
    }
    found
}

/// A template with the values of its places in braces; none where a brace does not close or nothing of that name is known.
pub fn fill_template(template: &str, value: impl Fn(&str) -> String) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        if !matches!(name, "query" | "language" | "from" | "to") {
            return None;
        }
        filled.push_str(before);
        filled.push_str(&value(name));
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;

    #[test]
    fn problems_of_sources_name_their_field() {
        let mut wiki = CampaignSource::new("wiki", SourceKind::MediaWiki, "wiki.example");
        wiki.every_hours = 0;
        let search = CampaignSource::new("wiki", SourceKind::Search, "https://s.example/?q=");
        let feed = CampaignSource {
            queries: Some(vec!["x".to_owned()]),
            ..CampaignSource::new("a:b", SourceKind::Feed, "https://u:p@f.example/rss")
        };
        let campaign = Campaign { sources: vec![wiki, search, feed], ..Campaign::new("x") };
        let found = campaign.problems();
        let fields: Vec<_> = found.iter().map(|p| p.field.as_str()).filter(|f| f.starts_with("sources")).collect();
        assert_eq!(
            fields,
            [
                "sources[0].address",
                "sources[0].every_hours",
                "sources[1].address",
                "sources[1].name",
                "sources[2].name",
                "sources[2].address",
                "sources[2].queries"
            ]
        );
        assert_eq!(campaign.sources[2].without_user().as_deref(), Some("https://f.example/rss"));
        let fine = CampaignSource::new("Suche 1", SourceKind::Search, "https://s.example/?q={query}&l={language}");
        assert_eq!(fine.problems(), []);
        assert_eq!(fine.tag(), "source:Suche 1");
        assert!(CampaignSource::new("x", SourceKind::Search, "https://s.example/{q}{query}").url().is_none());
    }

    #[test]
    fn a_source_is_written_short_and_read_with_defaults() {
        let text = r#"{"name":"x","sources":[{"name":"w","kind":"wordpress","address":"https://w.example/"}]}"#;
        let campaign: Campaign = serde_json::from_str(text).unwrap_or_default();
        assert_eq!(campaign.sources, [CampaignSource::new("w", SourceKind::WordPress, "https://w.example/")]);
        let written = serde_json::to_string(&campaign.sources).unwrap_or_default();
        let expected =
            r#"[{"name":"w","kind":"wordpress","address":"https://w.example/","every_hours":6,"enabled":true}]"#;
        assert_eq!(written, expected);
        assert!(!Campaign::new("x").to_json().contains("sources"));
    }
}
