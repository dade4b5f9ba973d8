//! RSS, Atom and JSON Feed, with their further pages and archives (RFC 5005).
//!
//! The mark is the validators of the server, as it sent them: what did not change is not sent again (304).

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter};
use crate::campaign::{CampaignSource, SourceKind};
use crate::links::{EntryListKind, read_entries};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::Url;
use serde_json::{Value, json};

/// The shortest time till a feed is read again.
const LEAST_MINUTES: u64 = 60;
/// Bytes of a validator that is kept.
const MAX_VALIDATOR_BYTES: usize = 1_000;

pub(super) struct Feed;

impl SourceAdapter for Feed {
    fn kind(&self) -> SourceKind {
        SourceKind::Feed
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        let answer = signs.answer;
        let list = read_entries(&answer.body, answer.charset().as_deref(), &answer.url).filter(|_| signs.is_page());
        if list.is_some_and(|list| list.kind == EntryListKind::Feed) {
            return Some((answer.url.clone(), "it is a feed".to_owned()));
        }
        let types = ["application/atom+xml", "application/rss+xml", "application/feed+json"];
        types.into_iter().find_map(|kind| Some((signs.link(&["alternate", kind])?, format!("link alternate {kind}"))))
    }

    fn first(&self, source: &CampaignSource, _: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String> {
        let url = source.url().ok_or_else(|| format!("“{}” is no web address", source.address))?;
        let mut request = ApiRequest::new(url);
        let mark: Value = mark.and_then(|mark| serde_json::from_str(mark).ok()).unwrap_or_default();
        for (name, member) in [("If-None-Match", "etag"), ("If-Modified-Since", "modified")] {
            request.conditions.extend(mark[member].as_str().map(|value| (name, value.to_owned())));
        }
        Ok(request)
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal> {
        if answer.status == 304 && !request.conditions.is_empty() {
            return Ok(AnswerPage {
                mark: mark.map(str::to_owned),
                order: ItemOrder::NewestFirst,
                ..AnswerPage::default()
            });
        }
        answer.check()?;
        let list = read_entries(&answer.body, answer.charset().as_deref(), &answer.url);
        let Some(list) = list.filter(|list| list.kind == EntryListKind::Feed) else {
            return Err(Refusal::Failed(format!("{}: the answer is no feed (RSS, Atom or JSON Feed)", answer.url)));
        };
        let validator = |name: &str| {
            let value = answer.headers.get_trimmed(name)?.into_owned();
            // What goes into a request stays on its line.
            (value.len() <= MAX_VALIDATOR_BYTES && !value.chars().any(char::is_control)).then_some(value)
        };
        // Of the first page alone they count: the others are found by it.
        let validators = json!({ "etag": validator("ETag"), "modified": validator("Last-Modified") });
        let items: Vec<SourceItem> = list
            .entries
            .iter()
            .filter_map(|entry| {
                let version = plain_date(&entry.date).unwrap_or_default();
                SourceItem::at(&answer.url, entry.url.as_str(), &entry.title, version)
            })
            .collect();
        let left_out = list.left_out + (list.entries.len() - items.len()) as u64;
        let mut notes = Vec::new();
        if list.is_damaged {
            notes.push("the feed is not well formed or breaks off");
        }
        if list.has_hub {
            notes.push("the feed has a hub (WebSub), which needs a public address and is not used");
        }
        Ok(AnswerPage {
            items,
            left_out,
            next: list.further.into_iter().map(ApiRequest::new).collect(),
            // What broke off is sent again.
            mark: (!list.is_damaged).then(|| validators.to_string()),
            order: ItemOrder::NewestFirst,
            minutes: list.minutes.map(|minutes| minutes.max(LEAST_MINUTES)),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        })
    }
}
