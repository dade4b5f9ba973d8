//! Extracts the links of a page or style sheet.

use super::builder::Builder;
use super::charset::{self, Fit};
use super::collect::{Collector, PageLink};
use super::tokenizer::tokenize;
use super::tree::Tree;
use crate::links::css::css_references;
use crate::links::page::{LinkKind, Outlink, Page, PageCuts, PageOptions};
use crate::links::resolve::web_url;
use crate::uri::Url;
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// Reads an HTML page.
///
/// `body` is the payload without transfer and content encoding,
/// `http_charset` the `charset` of its HTTP `Content-Type`, `url` its address.
/// Never fails: what cannot be read is text, and what is too much is counted
/// in [`Page::cut`].
pub fn read_page(body: &[u8], http_charset: Option<&str>, url: &Url, options: &PageOptions) -> Page {
    let (encoding, charset_from) = charset::detect(body, http_charset);
    let mut builder = Builder::new(Tree::new(Collector::new(options)), options.xhtml);
    tokenize_bytes(body, encoding, &mut builder);
    let found = builder.tree.page.finish(url, encoding);
    Page {
        base: found.base,
        title: found.title,
        language: found.language,
        charset: encoding.name(),
        charset_from,
        links: found.links,
        text: found.text,
        image_texts: found.image_texts,
        layout: found.layout,
        statements: found.statements,
        elements: found.elements,
        canonical: found.canonical,
        cut: found.cut,
    }
}

/// Reads nothing but the links of an HTML page and gives each to `each`, the
/// same as [`read_page`] and faster: no link costs an allocation.
pub fn read_links(
    body: &[u8],
    http_charset: Option<&str>,
    url: &Url,
    options: &PageOptions,
    each: impl FnMut(&PageLink<'_>),
) -> PageCuts {
    let (encoding, _) = charset::detect(body, http_charset);
    let options = PageOptions { max_text_bytes: 0, ..options.clone() };
    let mut builder = Builder::new(Tree::new(Collector::new(&options)), options.xhtml);
    tokenize_bytes(body, encoding, &mut builder);
    builder.tree.page.links(url, encoding, each)
}

/// Gives the tokens of a body to `builder`, and notes how its charset fits.
fn tokenize_bytes(body: &[u8], encoding: &'static Encoding, builder: &mut Builder<'_>) {
    let (text, fit) = charset::decode(body, encoding);
    tokenize(&text, builder);
    let cut = &mut builder.tree.page.cut;
    (cut.letters, cut.charset) = (fit == Fit::InPart, fit == Fit::NotAtAll);
}

/// The text of a body that is none of these, in the charset that it has.
pub(crate) fn read_text<'b>(body: &'b [u8], http_charset: Option<&str>) -> Cow<'b, str> {
    let (encoding, _) = charset::detect_css(body, http_charset);
    charset::decode(body, encoding).0
}

/// Reads a style sheet: its `url(…)` and `@import`, resolved against its own
/// address, and says how many were left out.
pub fn read_css(body: &[u8], http_charset: Option<&str>, url: &Url) -> (Vec<Outlink>, u64) {
    let (encoding, _) = charset::detect_css(body, http_charset);
    let (mut links, mut left_out, mut bytes) = (Vec::<Outlink>::new(), 0, 0);
    css_references(&charset::decode(body, encoding).0, |reference| {
        let reference = reference.trim_matches(|c: char| c <= ' ');
        if reference.is_empty() || reference.starts_with('#') {
            return;
        }
        let is_full = links.len() >= crate::links::MAX_LINKS_PER_PAGE || bytes > crate::links::MAX_LINK_BYTES_PER_PAGE;
        if is_full || reference.len() > crate::links::MAX_URL_BYTES {
            left_out += 1;
            return;
        }
        let Some(url) = web_url(url, reference, UTF_8) else { return };
        bytes += url.as_str().len();
        if url.as_str().len() > crate::links::MAX_URL_BYTES || bytes > crate::links::MAX_LINK_BYTES_PER_PAGE {
            left_out += 1;
            return;
        }
        let position = u32::try_from(links.len()).unwrap_or(u32::MAX);
        links.push(Outlink { position, ..Outlink::bare(url, LinkKind::Css) });
    });
    (links, left_out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "extract_tests.rs"]
mod tests;
