//! Mastodon and what speaks its protocol: timelines of hashtags.
//!
//! Source: docs.joinmastodon.org, timelines (tag), “Paginating through API responses” (`Link` is followed, ids are
//! never built), “Rate limits”.

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, endpoint, links_elsewhere};
use crate::campaign::{CampaignSource, SourceKind};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, plain_date, web_address};
use crate::sources::queries::SourceQuery;
use crate::uri::{Url, resolve};
use serde_json::Value;

pub(super) struct Mastodon;

impl SourceAdapter for Mastodon {
    fn kind(&self) -> SourceKind {
        SourceKind::Mastodon
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        let server = signs.answer.headers.get("Server").unwrap_or_default();
        let body = String::from_utf8_lossy(&signs.answer.body);
        let evidence = if server.eq_ignore_ascii_case("mastodon") {
            "header Server: Mastodon"
        } else if body.contains("id=\"initial-state\"") && body.contains("id=\"mastodon\"") {
            "elements #mastodon and #initial-state"
        } else {
            return None;
        };
        let is_tag = signs.answer.url.path().starts_with("/tags/");
        let address = if is_tag { signs.answer.url.clone() } else { resolve(&signs.answer.url, "/")? };
        Some((address, evidence.to_owned()))
    }

    fn first(&self, source: &CampaignSource, query: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String> {
        let mut url = endpoint(&source.address, "\0", "")?;
        let of_address = url.path().strip_prefix("/tags/").map(|tag| tag.trim_matches('/').to_owned());
        let of_query = query.text.split_whitespace().map(|tag| tag.trim_start_matches('#').to_owned());
        let mut tags: Vec<String> = of_address.into_iter().chain(of_query).filter(|tag| !tag.is_empty()).collect();
        tags.dedup();
        let Some((first, more)) = tags.split_first() else {
            return Err("there is no hashtag: give the source queries, or the request a word".to_owned());
        };
        url.set_path("/api/v1/timelines/tag/");
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push(&percent_encoding::percent_decode_str(first).decode_utf8_lossy());
        }
        let mut fields = url.query_pairs_mut();
        for tag in more {
            fields.append_pair("any[]", tag);
        }
        fields.append_pair("limit", "40");
        if let Some((_, id)) = mark.and_then(|mark| mark.split_once(' ')) {
            fields.append_pair("since_id", id);
        }
        drop(fields);
        Ok(ApiRequest::new(url))
    }

    fn read(&self, _: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal> {
        let body = answer.json()?;
        let posts = body.as_array();
        let posts = posts.ok_or_else(|| Refusal::Failed("the answer is no timeline: it is no Mastodon".to_owned()))?;
        let mut page = AnswerPage { order: ItemOrder::NewestFirst, ..AnswerPage::default() };
        // The post of the mark may have been deleted: its date ends the list as well.
        let since = mark.map(|mark| mark.split(' ').next().unwrap_or_default().to_owned());
        let mut is_older = false;
        for post in posts {
            let date = post["created_at"].as_str().and_then(plain_date).unwrap_or_default();
            if since.as_ref().is_some_and(|since| date < *since) {
                is_older = true;
                continue;
            }
            if let Some(id) = post["id"].as_str().filter(|id| !date.is_empty() && id.len() <= 64 && !id.contains(' ')) {
                page.mark = page.mark.max(Some(format!("{date} {id}")));
            }
            match item_of(post, &answer.url, date) {
                Some(item) => page.items.push(item),
                None => page.left_out += 1,
            }
        }
        if !is_older && !posts.is_empty() {
            page.next.extend(answer.link("next").map(ApiRequest::new));
        }
        Ok(page)
    }
}

fn item_of(post: &Value, service: &Url, date: String) -> Option<SourceItem> {
    // What was passed on is the post of somebody else.
    let post = if post["reblog"].is_object() { &post["reblog"] } else { post };
    let address = post["url"].as_str().or_else(|| post["uri"].as_str())?;
    let version = post["edited_at"].as_str().and_then(plain_date).unwrap_or(date);
    let account = post["account"]["acct"].as_str().unwrap_or_default();
    let mut item = SourceItem::at(service, address, account, version)?;
    item.links = links_elsewhere(post["content"].as_str().unwrap_or_default(), service);
    let card = post["card"]["url"].as_str().and_then(|card| web_address(service, card));
    let is_new = |card: &Url| card.host_str() != service.host_str() && !item.links.contains(card);
    let card = card.filter(is_new);
    item.links.extend(card);
    let of_servers = |url: &Url| {
        let path = url.path();
        path.starts_with("/@") || path.starts_with("/tags/") || path.starts_with("/users/")
    };
    // Mentions and hashtags of other servers are no citations.
    item.links.retain(|url| !of_servers(url));
    Some(item)
}
