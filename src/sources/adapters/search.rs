//! A search engine of the person's choice: a template of its address, and the links of its page of results that lead
//! elsewhere.

use super::{AnswerPage, PageSigns, SourceAdapter};
use crate::campaign::{CampaignSource, SourceKind, fill_template};
use crate::links::{LinkKind, PageOptions, read_page};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, web_address};
use crate::sources::queries::SourceQuery;
use crate::uri::{Url, is_same_site, parse_web_url};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::HashSet;

/// Results of a page that are taken.
const MAX_RESULTS: usize = 200;

pub(super) struct SearchTemplate;

impl SourceAdapter for SearchTemplate {
    fn kind(&self) -> SourceKind {
        SourceKind::Search
    }

    fn fingerprint(&self, _: &PageSigns<'_>) -> Option<(Url, String)> {
        None
    }

    fn first(&self, source: &CampaignSource, query: &SourceQuery, _: Option<&str>) -> Result<ApiRequest, String> {
        if query.text.is_empty() {
            return Err("there is nothing to search for: give the source queries, or the request a word".to_owned());
        }
        let value = |name: &str| {
            let value = match name {
                "query" => Some(&query.text),
                "language" => query.language.as_ref(),
                "from" => query.from.as_ref(),
                _ => query.to.as_ref(),
            };
            let value = value.map(String::as_str).unwrap_or_default();
            utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
        };
        let filled = fill_template(source.address.trim(), value);
        let url = filled.as_deref().and_then(parse_web_url);
        let bad = || format!("“{}” is no address with {{query}}, {{language}}, {{from}} or {{to}}", source.address);
        Ok(ApiRequest::new(url.ok_or_else(bad)?))
    }

    fn read(&self, _: &ApiRequest, answer: &ApiAnswer, _: Option<&str>) -> Result<AnswerPage, Refusal> {
        answer.check()?;
        let options = PageOptions::links_only();
        let results = read_page(&answer.body, answer.charset().as_deref(), &answer.url, &options);
        let mut page = AnswerPage::default();
        let mut seen = HashSet::new();
        for link in results.links.iter().filter(|link| link.kind == LinkKind::Anchor) {
            let Some(target) = result_of(&link.url, &answer.url) else { continue };
            if page.items.len() >= MAX_RESULTS {
                page.left_out += 1;
            } else if seen.insert(target.clone()) {
                page.items.extend(SourceItem::at(&answer.url, target.as_str(), &link.anchor, ""));
            }
        }
        if page.items.is_empty() {
            page.note = Some(
                "the page of results has no link to another site: it may be drawn by scripts, or find nothing"
                    .to_owned(),
            );
        }
        Ok(page)
    }
}

/// The page that a link of a page of results leads to; none where that is the engine itself. Engines that count clicks
/// have it in a parameter of an address of their own.
fn result_of(link: &Url, engine: &Url) -> Option<Url> {
    let target = match is_same_site(link, engine) {
        false => web_address(engine, link.as_str())?,
        true => link.query_pairs().find_map(|(_, value)| parse_web_url(&value))?,
    };
    let target = web_address(engine, target.as_str())?;
    (!is_same_site(&target, engine)).then_some(target)
}
