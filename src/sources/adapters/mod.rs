//! One protocol a file, behind one trait.

mod discourse;
mod feed;
mod mastodon;
mod mediawiki;
mod search;
mod sitemap;
mod wordpress;

use super::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem};
use super::queries::SourceQuery;
use crate::campaign::{CampaignSource, SourceKind};
use crate::links::{LinkKind, PageOptions, read_page};
use crate::uri::Url;
use serde_json::{Value, json};

/// Links out of the text of one item that are kept.
const MAX_ITEM_LINKS: usize = 20;

/// The order of items in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemOrder {
    /// None, or by relevance.
    #[default]
    Any,
    /// Newer ones first, so that a page of known ones is the end of what is new.
    NewestFirst,
    /// Older ones first, so that a run that ends early goes on where it was.
    OldestFirst,
}

/// A page of a list of items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerPage {
    /// Its items, in order.
    pub items: Vec<SourceItem>,
    /// Items without an address that can be fetched.
    pub left_out: u64,
    /// Where the list goes on: the first of these that was not read yet.
    pub next: Vec<ApiRequest>,
    /// The mark for the next run, as far as this page tells.
    pub mark: Option<String>,
    /// The order of the list.
    pub order: ItemOrder,
    /// Minutes till the source shall be read again, by its own word.
    pub minutes: Option<u64>,
    /// A remark for a person.
    pub note: Option<String>,
}

/// What a page has of the programs behind it, for a fingerprint.
pub struct PageSigns<'a> {
    /// The answer.
    pub answer: &'a ApiAnswer,
    /// `<meta name=generator>`, and elements `<link rel=…>`: relation and address.
    pub generator: String,
    /// Relations of `<link>` elements and header fields, with their addresses.
    pub links: Vec<(String, String)>,
}

/// A source that was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// Its protocol.
    pub kind: SourceKind,
    /// The address for the source.
    pub address: Url,
    /// What it was recognised by, for a person.
    pub evidence: String,
}

/// A protocol of sources.
pub trait SourceAdapter: Send + Sync {
    /// Its kind.
    fn kind(&self) -> SourceKind;

    /// Whether a page is of a site with this protocol, and by what.
    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)>;

    /// The first request of a run. The error says what is wrong with the address or the query.
    fn first(&self, source: &CampaignSource, query: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String>;

    /// Reads an answer to `request`; `mark` is that of the run before.
    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal>;
}

/// The protocol of a kind of source.
pub fn adapter_of(kind: SourceKind) -> &'static dyn SourceAdapter {
    match kind {
        SourceKind::MediaWiki => &mediawiki::MediaWiki,
        SourceKind::Mastodon => &mastodon::Mastodon,
        SourceKind::WordPress => &wordpress::PostList,
        SourceKind::Discourse => &discourse::Discourse,
        SourceKind::Feed => &feed::Feed,
        SourceKind::Sitemap => &sitemap::Sitemap,
        SourceKind::Search => &search::SearchTemplate,
    }
}

/// The sources that an address leads to, the surest first.
pub fn recognise(answer: &ApiAnswer) -> Vec<Recognised> {
    let (generator, links) = signs_of(&String::from_utf8_lossy(&answer.body));
    let signs = PageSigns { answer, generator, links };
    let found = SourceKind::ALL.into_iter().filter_map(|kind| {
        let (address, evidence) = adapter_of(kind).fingerprint(&signs)?;
        Some(Recognised { kind, address, evidence })
    });
    found.collect()
}

/// The generator and the `<link>` elements of a page.
fn signs_of(html: &str) -> (String, Vec<(String, String)>) {
    let (mut generator, mut links) = (String::new(), Vec::new());
    let mut rest = html;
    while let Some((_, behind)) = rest.split_once('<') {
        rest = behind;
        let Some((tag, after)) = behind.split_once('>') else { break };
        let begins = |name: &str| tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        if begins("meta ") && value_of(tag, "name").is_some_and(|name| name.eq_ignore_ascii_case("generator")) {
            if generator.is_empty() {
                generator = value_of(tag, "content").unwrap_or_default();
            }
        } else if begins("link ") && links.len() < 200 {
            let rel = value_of(tag, "rel").unwrap_or_default();
            let kind = value_of(tag, "type").unwrap_or_default();
            links.extend(value_of(tag, "href").map(|href| (format!("{rel} {kind}"), href)));
        }
        rest = if begins("meta ") || begins("link ") { after } else { rest };
    }
    (generator, links)
}

/// The value of an attribute in the text of a tag.
fn value_of(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let at = lower.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = lower[..*at].chars().next_back();
        before.is_some_and(char::is_whitespace) && lower[at + name.len()..].trim_start().starts_with('=')
    })?;
    let value = tag[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next()?;
    let value = match quote {
        '"' | '\'' => value[1..].split(quote).next()?,
        _ => value.split(char::is_whitespace).next()?.trim_end_matches('/'),
    };
    Some(value.replace("&amp;", "&"))
}

impl PageSigns<'_> {
    /// The address of the first link whose relation and type have all of these words.
    fn link(&self, words: &[&str]) -> Option<Url> {
        let has =
            |rel: &str| words.iter().all(|word| rel.split_whitespace().any(|part| part.eq_ignore_ascii_case(word)));
        let found = self.links.iter().find(|(rel, _)| has(rel));
        found.and_then(|(_, href)| crate::uri::resolve(&self.answer.url, href))
    }

    fn is_page(&self) -> bool {
        (200..300).contains(&self.answer.status)
    }
}

/// Bytes of a validator that is kept.
const MAX_VALIDATOR_BYTES: usize = 1_000;

/// The validators of an answer, as a mark keeps them: an object in JSON.
fn validators_of(answer: &ApiAnswer) -> String {
    let validator = |name: &str| {
        let value = answer.headers.get_trimmed(name)?.into_owned();
        // What goes into a request stays on its line.
        (value.len() <= MAX_VALIDATOR_BYTES && !value.chars().any(char::is_control)).then_some(value)
    };
    json!({ "etag": validator("ETag"), "modified": validator("Last-Modified") }).to_string()
}

/// The conditions of a request by the validators in a mark, as the server sent them.
fn conditions_of(mark: Option<&str>) -> Vec<(&'static str, String)> {
    let validators = mark.and_then(|mark| serde_json::from_str(&mark[mark.find('{')?..]).ok());
    let validators: Value = validators.unwrap_or_default();
    let conditions = [("If-None-Match", "etag"), ("If-Modified-Since", "modified")].into_iter();
    conditions.filter_map(|(name, member)| Some((name, validators[member].as_str()?.to_owned()))).collect()
}

/// The page of an answer that what was requested did not change (304); none of another answer.
fn unchanged(request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>, order: ItemOrder) -> Option<AnswerPage> {
    let is_unchanged = answer.status == 304 && !request.conditions.is_empty();
    is_unchanged.then(|| AnswerPage { mark: mark.map(str::to_owned), order, ..AnswerPage::default() })
}

/// The site's address with a path of its own behind that of the interface's folder.
fn endpoint(address: &str, known_end: &str, path: &str) -> Result<Url, String> {
    let bad = || format!("“{address}” is no web address");
    let mut url = crate::uri::parse_web_url(address.trim()).ok_or_else(bad)?;
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with(known_end) {
        let folder = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{folder}{path}"));
    }
    Ok(url)
}

/// Links in the markup of an item that lead to other hosts than the service itself.
fn links_elsewhere(markup: &str, service: &Url) -> Vec<Url> {
    if !markup.contains('<') {
        return Vec::new();
    }
    let page = read_page(markup.as_bytes(), Some("utf-8"), service, &PageOptions::links_only());
    let mut links: Vec<Url> = Vec::new();
    for link in page.links {
        let is_elsewhere = link.kind == LinkKind::Anchor && link.url.host_str() != service.host_str();
        let Some(url) = super::answer::web_address(service, link.url.as_str()).filter(|_| is_elsewhere) else {
            continue;
        };
        if links.len() < MAX_ITEM_LINKS && !links.contains(&url) {
            links.push(url);
        }
    }
    links
}
