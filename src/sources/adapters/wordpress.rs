//! WordPress: posts of the REST API, those that were changed first first.
//!
//! Source: developer.wordpress.org, REST API Handbook, Posts and Pagination (at most 100 a page; a page beyond the last
//! answers 400 with `rest_post_invalid_page_number`).

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, endpoint};
use crate::campaign::{CampaignSource, SourceKind};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, earlier, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::Url;

/// Posts of a page: the most that there are.
const PER_PAGE: usize = 100;
const POSTS: &str = "/wp/v2/posts";

pub(super) struct PostList;

impl SourceAdapter for PostList {
    fn kind(&self) -> SourceKind {
        SourceKind::WordPress
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        const REL: &str = "https://api.w.org/";
        let of_header = signs.answer.link(REL).map(|url| (url, "header Link https://api.w.org/"));
        let (api, evidence) = of_header.or_else(|| Some((signs.link(&[REL])?, "link https://api.w.org/")))?;
        Some((api, evidence.to_owned()))
    }

    fn first(&self, source: &CampaignSource, query: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String> {
        let address = source.address.trim();
        let is_api = address.contains("/wp-json") || address.contains("rest_route=");
        let mut url = match address.contains("rest_route=") {
            // Sites without addresses that speak have the route in the query.
            true => {
                let mut url =
                    crate::uri::parse_web_url(address).ok_or_else(|| format!("“{address}” is no web address"))?;
                url.set_query(Some(&format!("rest_route={POSTS}")));
                url
            }
            false => endpoint(address, POSTS, &if is_api { POSTS.to_owned() } else { format!("/wp-json{POSTS}") })?,
        };
        let mut fields = url.query_pairs_mut();
        fields.append_pair("per_page", &PER_PAGE.to_string()).append_pair("page", "1");
        fields.append_pair("orderby", "modified").append_pair("order", "asc");
        fields.append_pair("_fields", "id,link,modified_gmt,title");
        if !query.text.is_empty() {
            fields.append_pair("search", query.text.trim_matches('"'));
        }
        if let Some(day) = query.from.as_ref().filter(|day| day.len() == 10) {
            fields.append_pair("after", &format!("{day}T00:00:00"));
        }
        if let Some(day) = query.to.as_ref().filter(|day| day.len() == 10) {
            fields.append_pair("before", &format!("{day}T23:59:59"));
        }
        if let Some(mark) = mark {
            fields.append_pair("modified_after", &earlier(mark, 1));
        }
        drop(fields);
        Ok(ApiRequest::new(url))
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, _: Option<&str>) -> Result<AnswerPage, Refusal> {
        let code = "rest_post_invalid_page_number";
        if answer.status == 400 && String::from_utf8_lossy(&answer.body).contains(code) {
            return Err(Refusal::BeyondEnd);
        }
        let body = answer.json()?;
        let posts = body.as_array();
        let posts =
            posts.ok_or_else(|| Refusal::Failed("the answer is no list of posts: it is no WordPress".to_owned()))?;
        let mut page = AnswerPage { order: ItemOrder::OldestFirst, ..AnswerPage::default() };
        let mut first = None;
        for post in posts {
            let date = post["modified_gmt"].as_str().and_then(plain_date);
            first = first.or(date.clone());
            page.mark = page.mark.max(date.clone());
            let title = post["title"]["rendered"].as_str().unwrap_or_default();
            let link = post["link"].as_str().unwrap_or_default();
            match SourceItem::at(&answer.url, link, title, date.unwrap_or_default()) {
                Some(item) => page.items.push(item),
                None => page.left_out += 1,
            }
        }
        let pages: u64 =
            answer.headers.get("X-WP-TotalPages").and_then(|pages| pages.trim().parse().ok()).unwrap_or(u64::MAX);
        let number = parameter(&request.url, "page").and_then(|number| number.parse::<u64>().ok()).unwrap_or(1);
        if posts.len() >= PER_PAGE && number < pages {
            page.next.push(next_request(request, first.as_deref(), page.mark.as_deref(), number));
        }
        Ok(page)
    }
}

/// The request behind a full page. A post that is changed meanwhile goes to the end, and the others move up by one: so it
/// goes on from the last date, and by the number of the page only where all of a page have one date.
fn next_request(request: &ApiRequest, first: Option<&str>, last: Option<&str>, number: u64) -> ApiRequest {
    match last.filter(|last| first.is_some_and(|first| first < *last)) {
        Some(last) => with_fields(request, &[("modified_after", &earlier(last, 1)), ("page", "1")]),
        None => with_fields(request, &[("page", &(number + 1).to_string())]),
    }
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn with_fields(request: &ApiRequest, changed: &[(&str, &str)]) -> ApiRequest {
    let mut url = request.url.clone();
    let is_changed = |name: &str| changed.iter().any(|(key, _)| *key == name);
    let kept: Vec<(String, String)> = url.query_pairs().into_owned().filter(|(name, _)| !is_changed(name)).collect();
    url.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(changed);
    ApiRequest::new(url)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn sites_without_a_wp_json_folder_have_the_route_in_the_query() {
        let first = |address: &str| {
            let source = CampaignSource::new("x", SourceKind::WordPress, address);
            let url = PostList.first(&source, &SourceQuery::default(), Some("2026-01-02T00:00:00Z")).unwrap().url;
            (url.path().to_owned(), parameter(&url, "rest_route"), parameter(&url, "modified_after").unwrap())
        };
        let since = "2026-01-01T23:59:59Z".to_owned();
        assert_eq!(first("https://a.pt/blog/"), ("/blog/wp-json/wp/v2/posts".to_owned(), None, since.clone()));
        assert_eq!(first("https://a.pt/wp-json/"), ("/wp-json/wp/v2/posts".to_owned(), None, since.clone()));
        assert_eq!(first("https://a.pt/?rest_route=/"), ("/".to_owned(), Some(POSTS.to_owned()), since));
    }
}
