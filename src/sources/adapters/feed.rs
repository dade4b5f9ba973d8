//! RSS, Atom and JSON Feed, with their further pages and archives (RFC 5005).
//!
//! The mark is the validators of the server, as it sent them: what did not change is not sent again (304).

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, conditions_of, unchanged, validators_of};
use crate::campaign::{CampaignSource, SourceKind};
use crate::links::{EntryListKind, read_entries};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::Url;

/// The shortest time till a feed is read again.
const LEAST_MINUTES: u64 = 60;

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
        Ok(ApiRequest { conditions: conditions_of(mark), ..ApiRequest::new(url) })
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal> {
        if let Some(page) = unchanged(request, answer, mark, ItemOrder::NewestFirst) {
            return Ok(page);
        }
        answer.check()?;
        let list = read_entries(&answer.body, answer.charset().as_deref(), &answer.url);
        let Some(list) = list.filter(|list| list.kind == EntryListKind::Feed) else {
            return Err(Refusal::Failed(format!("{}: the answer is no feed (RSS, Atom or JSON Feed)", answer.url)));
        };
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
            mark: (!list.is_damaged).then(|| validators_of(answer)),
            order: ItemOrder::NewestFirst,
            minutes: list.minutes.map(|minutes| minutes.max(LEAST_MINUTES)),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        })
    }
}
