//! Discourse: the newest topics, or what its search finds.
//!
//! Source: docs.discourse.org (`/latest.json`, `/search.json`); on 429 `Retry-After` and `extras.wait_seconds`.

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, endpoint};
use crate::campaign::{CampaignSource, SourceKind};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::{Url, resolve};
use serde_json::Value;

pub(super) struct Discourse;

impl SourceAdapter for Discourse {
    fn kind(&self) -> SourceKind {
        SourceKind::Discourse
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        let address = resolve(&signs.answer.url, "/")?;
        signs.generator.starts_with("Discourse").then(|| (address, format!("generator “{}”", signs.generator)))
    }

    fn first(&self, source: &CampaignSource, query: &SourceQuery, _: Option<&str>) -> Result<ApiRequest, String> {
        let path = if query.text.is_empty() { "/latest.json" } else { "/search.json" };
        let mut url = endpoint(&source.address, path, path)?;
        if !query.text.is_empty() {
            let mut text = query.text.clone();
            for (name, day) in [("after", &query.from), ("before", &query.to)] {
                if let Some(day) = day.as_ref().filter(|day| day.len() == 10) {
                    text.push_str(&format!(" {name}:{day}"));
                }
            }
            url.query_pairs_mut().append_pair("q", &format!("{text} order:latest")).append_pair("page", "1");
        }
        Ok(ApiRequest::new(url))
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal> {
        let body = answer.json()?;
        let mut page = AnswerPage { order: ItemOrder::NewestFirst, ..AnswerPage::default() };
        if let Some(topics) = body["topic_list"]["topics"].as_array() {
            let mut is_older = false;
            for topic in topics {
                let date = topic["bumped_at"].as_str().and_then(plain_date);
                // Topics that are pinned stand before newer ones.
                let is_pinned =
                    topic["pinned"].as_bool() == Some(true) || topic["pinned_globally"].as_bool() == Some(true);
                is_older |= !is_pinned && date.as_deref().zip(mark).is_some_and(|(date, mark)| date < mark);
                page.mark = page.mark.max(date.clone());
                page.add(item_of(topic, &answer.url, date));
            }
            let more = body["topic_list"]["more_topics_url"].as_str().filter(|_| !is_older && !topics.is_empty());
            page.next.extend(more.and_then(|more| with_json(&resolve(&answer.url, more)?)).map(ApiRequest::new));
            return Ok(page);
        }
        let results = body["grouped_search_result"].is_object();
        if !results {
            return Err(Refusal::Failed("the answer has no topics: it is no Discourse".to_owned()));
        }
        for topic in body["topics"].as_array().into_iter().flatten() {
            let date = ["bumped_at", "last_posted_at", "created_at"].into_iter().find_map(|name| topic[name].as_str());
            let date = date.and_then(plain_date);
            page.mark = page.mark.max(date.clone());
            page.add(item_of(topic, &answer.url, date));
        }
        if body["grouped_search_result"]["more_full_page_results"].as_bool() == Some(true) && !page.items.is_empty() {
            let mut url = request.url.clone();
            let number = url.query_pairs().find(|(name, _)| name == "page").and_then(|(_, number)| number.parse().ok());
            let kept: Vec<_> = url.query_pairs().into_owned().filter(|(name, _)| name != "page").collect();
            let next = number.unwrap_or(1u64).saturating_add(1).to_string();
            url.query_pairs_mut().clear().extend_pairs(kept).append_pair("page", &next);
            page.next.push(ApiRequest::new(url));
        }
        Ok(page)
    }
}

impl AnswerPage {
    fn add(&mut self, item: Option<SourceItem>) {
        match item {
            Some(item) => self.items.push(item),
            None => self.left_out += 1,
        }
    }
}

fn item_of(topic: &Value, service: &Url, date: Option<String>) -> Option<SourceItem> {
    let (id, slug) = (topic["id"].as_u64()?, topic["slug"].as_str().unwrap_or("topic"));
    let slug: String = slug.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
    let title = topic["title"].as_str().unwrap_or_default();
    SourceItem::at(
        service,
        &format!("/t/{}/{id}", if slug.is_empty() { "topic" } else { &slug }),
        title,
        date.unwrap_or_default(),
    )
}

/// The same list as JSON: the address that the answer has is that for people.
fn with_json(url: &Url) -> Option<Url> {
    let mut url = url.clone();
    if !url.path().ends_with(".json") {
        let path = format!("{}.json", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    Some(url)
}
