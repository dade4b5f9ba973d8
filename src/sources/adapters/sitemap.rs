//! Sitemaps and indexes of sitemaps (sitemaps.org), also packed ones.
//!
//! The mark is the last date of a page, and behind it the validators of the server: a sitemap that did not change is not
//! sent again (304).

use super::{AnswerPage, ItemOrder, PageSigns, SourceAdapter, conditions_of, unchanged, validators_of};
use crate::campaign::{CampaignSource, SourceKind};
use crate::links::{EntryListKind, read_entries};
use crate::sources::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem, plain_date};
use crate::sources::queries::SourceQuery;
use crate::uri::Url;
use crate::warc::Headers;
use crate::warc::http::{decode_body, unpacked_limit};
use std::borrow::Cow;

/// Bytes of a sitemap, by its protocol.
const MAX_SITEMAP_BYTES: usize = 50 << 20;

pub(super) struct Sitemap;

impl SourceAdapter for Sitemap {
    fn kind(&self) -> SourceKind {
        SourceKind::Sitemap
    }

    fn fingerprint(&self, signs: &PageSigns<'_>) -> Option<(Url, String)> {
        let answer = signs.answer;
        let list =
            read_entries(&unpacked(answer), answer.charset().as_deref(), &answer.url).filter(|_| signs.is_page())?;
        (list.kind != EntryListKind::Feed).then(|| (answer.url.clone(), "it is a sitemap".to_owned()))
    }

    fn first(&self, source: &CampaignSource, _: &SourceQuery, mark: Option<&str>) -> Result<ApiRequest, String> {
        let url = source.url().ok_or_else(|| format!("“{}” is no web address", source.address))?;
        Ok(ApiRequest { conditions: conditions_of(mark), ..ApiRequest::new(url) })
    }

    fn read(&self, request: &ApiRequest, answer: &ApiAnswer, mark: Option<&str>) -> Result<AnswerPage, Refusal> {
        if let Some(page) = unchanged(request, answer, mark, ItemOrder::Any) {
            return Ok(page);
        }
        answer.check()?;
        let list = read_entries(&unpacked(answer), answer.charset().as_deref(), &answer.url);
        let Some(list) = list.filter(|list| list.kind != EntryListKind::Feed) else {
            return Err(Refusal::Failed(format!("{}: the answer is no sitemap", answer.url)));
        };
        let mut page = AnswerPage { left_out: list.left_out, ..AnswerPage::default() };
        page.note = list.is_damaged.then(|| format!("{} is not well formed or breaks off", answer.url));
        let since = mark.and_then(|mark| mark.split([' ', '{']).next()).filter(|since| !since.is_empty());
        for entry in &list.entries {
            let date = plain_date(&entry.date);
            let is_old = date.as_deref().zip(since).is_some_and(|(date, mark)| date < mark);
            page.mark = page.mark.max(date.clone());
            if is_old {
                continue;
            }
            if list.kind == EntryListKind::SitemapIndex {
                page.next.push(ApiRequest::new(entry.url.clone()));
                continue;
            }
            match SourceItem::at(&answer.url, entry.url.as_str(), "", date.unwrap_or_default()) {
                Some(item) => page.items.push(item),
                None => page.left_out += 1,
            }
        }
        // An index may stay the same while what it lists changes; what broke off is sent again.
        if list.kind != EntryListKind::SitemapIndex && !list.is_damaged {
            let date = page.mark.take().unwrap_or_default();
            page.mark = Some(format!("{date} {}", validators_of(answer)).trim().to_owned());
        }
        Ok(page)
    }
}

/// The body of a sitemap, which may be a gzip file.
fn unpacked(answer: &ApiAnswer) -> Cow<'_, [u8]> {
    if !answer.body.starts_with(&[0x1f, 0x8b]) {
        return Cow::Borrowed(&answer.body);
    }
    let mut headers = Headers::new();
    headers.push("Content-Encoding", "gzip");
    let limit = unpacked_limit(answer.body.len()).min(MAX_SITEMAP_BYTES);
    Cow::Owned(decode_body(&headers, &answer.body, limit).bytes.into_owned())
}
