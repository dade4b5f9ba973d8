//! MediaWiki: `api.php`, recent changes or search.
//!
//! Source: mediawiki.org, API:RecentChanges, API:Search, API:Continue (every value of `continue` goes into the next
//! request as it came), API:Etiquette (`maxlag`, one request at a time).

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, endpoint};
use crate::campaign::{CampaignSource, SourceKind};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, earlier, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::{Url, resolve};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::time::Duration;

/// Letters of titles that stand in addresses of pages as they are.
const TITLE: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b':')
    .remove(b'(')
    .remove(b')')
    .remove(b',')
    .remove(b'@')
    .remove(b'!')
    .remove(b'*')
    .remove(b';');
/// Seconds that a wiki whose copies lag behind wants to be left alone, where it names none.
const LAG_SECONDS: u64 = 5;

pub(super) struct MediaWiki;

impl SourceAdapter for MediaWiki {
    fn kind(&self) -> SourceKind {
        SourceKind::MediaWiki
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        if let Some(mut api) = signs.link(&["EditURI"]) {
            api.set_query(None);
            return Some((api, "link EditURI".to_owned()));
        }
        let is_wiki = signs.generator.starts_with("MediaWiki");
        let api = resolve(&signs.answer.url, "/w/api.php").filter(|_| is_wiki)?;
        Some((api, format!("generator “{}”; the usual place of the interface, not checked", signs.generator)))
    }

    fn first(&self, source: &CampaignSource, query: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String> {
        let mut url = endpoint(&source.address, "api.php", "/api.php")?;
        let mut fields = url.query_pairs_mut();
        fields.append_pair("action", "query").append_pair("format", "json").append_pair("formatversion", "2");
        fields.append_pair("maxlag", "5").append_pair("meta", "siteinfo").append_pair("siprop", "general");
        match query.text.as_str() {
            "" => {
                fields.append_pair("list", "recentchanges").append_pair("rcprop", "title|ids|timestamp|sizes|sha1");
                fields.append_pair("rctype", "edit|new").append_pair("rcnamespace", "0");
                fields.append_pair("rclimit", "500").append_pair("rcdir", "newer");
                if let Some(mark) = mark {
                    fields.append_pair("rcstart", &earlier(mark, 1));
                }
            }
            text => {
                fields.append_pair("list", "search").append_pair("srsearch", text).append_pair("srprop", "timestamp");
                fields.append_pair("srlimit", "50");
            }
        }
        drop(fields);
        Ok(ApiRequest::new(url))
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, _: Option<&str>) -> Result<AnswerPage, Refusal> {
        let body = answer.json()?;
        if let Some(code) = body["error"]["code"].as_str() {
            let info: String = body["error"]["info"].as_str().unwrap_or_default().chars().take(200).collect();
            if matches!(code, "maxlag" | "ratelimited" | "readonly") {
                let wait = answer.requested_wait().unwrap_or(Duration::from_secs(LAG_SECONDS));
                return Err(Refusal::Wait(wait, format!("the wiki is busy ({code})")));
            }
            return Err(Refusal::Failed(format!("the wiki refuses ({code}): {info}")));
        }
        let query = &body["query"];
        let rows = query["recentchanges"].as_array().or_else(|| query["search"].as_array());
        let rows =
            rows.ok_or_else(|| Refusal::Failed("the answer has no list of pages: it is no MediaWiki".to_owned()))?;
        let general = &query["general"];
        let server = general["server"].as_str().and_then(|server| resolve(&answer.url, server));
        let path = general["articlepath"].as_str().unwrap_or("/wiki/$1");
        let base = server.unwrap_or_else(|| answer.url.clone());
        let mut page = AnswerPage::default();
        for row in rows {
            let date = row["timestamp"].as_str().and_then(plain_date);
            page.mark = page.mark.max(date.clone());
            // A change that was hidden has no title.
            let Some(title) = row["title"].as_str() else {
                page.left_out += 1;
                continue;
            };
            let encoded = utf8_percent_encode(&title.replace(' ', "_"), &TITLE).to_string();
            let version = row["revid"].as_u64().map(|id| id.to_string()).or(date).unwrap_or_default();
            match SourceItem::at(&base, &path.replace("$1", &encoded), title, version) {
                Some(item) => page.items.push(item),
                None => page.left_out += 1,
            }
        }
        // Results of a search come by relevance.
        match query["search"].is_array() {
            true => page.mark = None,
            false => page.order = ItemOrder::OldestFirst,
        }
        page.next.extend(next_request(request, &body["continue"]));
        Ok(page)
    }
}

/// The same request with every value of `continue`.
fn next_request(request: &ApiRequest, values: &Value) -> Option<ApiRequest> {
    let values = values.as_object().filter(|values| !values.is_empty())?;
    let mut url = request.url.clone();
    let kept: Vec<(String, String)> =
        url.query_pairs().into_owned().filter(|(name, _)| !values.contains_key(name)).collect();
    let mut fields = url.query_pairs_mut();
    fields.clear().extend_pairs(kept);
    for (name, value) in values {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        fields.append_pair(name, &value);
    }
    drop(fields);
    Some(ApiRequest::new(url))
}
