//! Links out of WAT records: what another program read out of a page.
//!
//! A WAT file (webarchive-commons; Common Crawl) holds a `metadata` record of
//! JSON for each record of a WARC file; ours have the same envelope beside
//! the response. Of these, the links of pages are taken: references are
//! resolved as the page would have them resolved, texts folded as anchors are.

use super::Unread;
use super::lone_surrogates::without_halves;
use super::media::{is_page_type, is_unknown_type};
use crate::links::html::collect::{
    MAX_ANCHOR_BYTES, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageLink,
};
use crate::links::html::fold::fold_into;
use crate::links::resolve::{Resolver, origin_of, scheme_of, web_url};
use crate::links::{LinkKind, PageCuts, PageOptions, has_token};
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::warc::http::MediaType;
use encoding_rs::UTF_8;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A capture in an envelope, its links passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WatPage {
    pub(super) url: Url,
    /// `None` where it is missing or cannot be read.
    pub(super) date: Option<CaptureDate>,
    /// Written by us, beside the response itself.
    pub(super) is_ours: bool,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Outer<T> {
    #[serde(rename = "Envelope")]
    envelope: Envelope<T>,
    #[serde(rename = "Fonds", default)]
    fonds: Option<Fields>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Envelope<T> {
    #[serde(rename = "WARC-Header-Metadata", default)]
    warc: Fields,
    #[serde(rename = "Payload-Metadata", default)]
    payload: Option<Payload<T>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Payload<T> {
    #[serde(rename = "HTTP-Response-Metadata", default)]
    http: Option<Http<T>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Http<T> {
    #[serde(rename = "Response-Message", default)]
    message: Fields,
    #[serde(rename = "Headers", default)]
    headers: Option<Fields>,
    #[serde(rename = "HTML-Metadata", default)]
    html: Option<T>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Html<'a> {
    #[serde(rename = "Head", default)]
    head: Option<Head<'a>>,
    #[serde(rename = "Links", default)]
    links: Links<'a>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Head<'a> {
    #[serde(rename = "Base", default)]
    base: Option<Text<'a>>,
    #[serde(rename = "Metas", default)]
    metas: Metas,
    #[serde(rename = "Link", default)]
    links: Links<'a>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Link<'a> {
    #[serde(default)]
    path: Option<Text<'a>>,
    #[serde(default)]
    url: Option<Text<'a>>,
    #[serde(default)]
    text: Option<Text<'a>>,
    #[serde(default)]
    rel: Option<Text<'a>>,
}

/// The links that name an address, as many as a page may have.
#[derive(Default)]
struct Links<'a> {
    kept: Vec<Link<'a>>,
    left_out: u64,
}

impl<'de: 'a, 'a> Deserialize<'de> for Links<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LinksVisitor<'a>(PhantomData<Links<'a>>);
        impl<'de: 'a, 'a> Visitor<'de> for LinksVisitor<'a> {
            type Value = Links<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of links")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Links<'a>, A::Error> {
                let mut links = Links::default();
                while let Some(link) = list.next_element::<Link<'a>>()? {
                    if text_of(&link.url).is_empty() {
                        continue;
                    }
                    if links.kept.len() < MAX_LINKS_PER_PAGE { links.kept.push(link) } else { links.left_out += 1 }
                }
                Ok(links)
            }
        }
        deserializer.deserialize_seq(LinksVisitor(PhantomData))
    }
}

/// The fields that are read of the objects that list fields of heads and of `meta` elements.
const FIELDS: [&str; 9] = [
    "WARC-Type",
    "WARC-Target-URI",
    "WARC-Date",
    "Status",
    "Content-Type",
    "name",
    "content",
    NOT_READ_WHOLE,
    PAGE_TYPE,
];

/// The type of what we read as a page though another or none is declared, in records of ours.
const PAGE_TYPE: &str = "mimeDetected";

/// Why we did not read the page whole, in records of ours.
const NOT_READ_WHOLE: &str = "notReadWhole";

/// The named fields of an object, whatever the case of their names; the others are passed over.
#[derive(Default)]
struct Fields([Option<String>; FIELDS.len()]);

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        FIELDS.iter().zip(&self.0).find(|(field, _)| **field == name).and_then(|(_, value)| value.as_deref())
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(Text(name)) = map.next_key()? {
                    match FIELDS.iter().zip(&mut fields.0).find(|(field, _)| field.eq_ignore_ascii_case(&name)) {
                        Some((_, value @ None)) => *value = map.next_value::<Value>()?.0,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// A text or a number, the first of several (a header that came twice), or nothing.
struct Value(Option<String>);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value(Some(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                Ok(Value(Some(number.to_string())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(Value(Some(number.to_string())))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
                Ok(Value(Some(number.to_string())))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
                Ok(Value(None))
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let first = list.next_element::<Value>()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(first.unwrap_or(Value(None)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value(None))
            }
        }
        deserializer.deserialize_any(One)
    }
}

/// What `meta` elements declare for all links.
#[derive(Default)]
struct Metas {
    nofollow: bool,
}

impl<'de> Deserialize<'de> for Metas {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MetasVisitor;
        impl<'de> Visitor<'de> for MetasVisitor {
            type Value = Metas;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of meta elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Metas, A::Error> {
                let mut metas = Metas::default();
                while let Some(meta) = list.next_element::<Fields>()? {
                    metas.nofollow |= is_nofollow(&meta);
                }
                Ok(metas)
            }
        }
        deserializer.deserialize_seq(MetasVisitor)
    }
}

/// Within an option, serde borrows only by a name of its own.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn text_of<'t>(text: &'t Option<Text<'_>>) -> &'t str {
    text.as_ref().map_or("", |text| &text.0)
}

/// Whether the block of a metadata record may be an envelope.
pub(super) fn may_be_wat(block: &[u8]) -> bool {
    block.trim_ascii_start().first() == Some(&b'{') && memchr::memmem::find(block, b"\"Envelope\"").is_some()
}

/// The page that an envelope is about; `None` where it is about something
/// else: a request, an image, a redirect. `Err` for what is no envelope.
///
/// A page is what a page is in an archive file: status 200 to 299 and a type
/// of HTML. Where no header at all was kept, what was read as HTML is one.
pub(super) fn wat_page(block: &[u8]) -> Result<Option<WatPage>, serde_json::Error> {
    let block = without_halves(block);
    let outer: Outer<IgnoredAny> = serde_json::from_slice(&block)?;
    let Some(http) = outer.envelope.payload.and_then(|payload| payload.http) else { return Ok(None) };
    let warc = &outer.envelope.warc;
    let is_response = warc.get("WARC-Type").is_none_or(|kind| matches!(kind, "response" | "revisit"));
    let status: Option<u16> = http.message.get("Status").and_then(|status| status.trim().parse().ok());
    let kind = http.headers.as_ref().map_or(Some("text/html"), |headers| headers.get("Content-Type"));
    // What others read as HTML without a type is it; ours say what was read so.
    let mime = MediaType::parse(kind.unwrap_or("")).mime;
    let is_of_page = match &outer.fonds {
        Some(fonds) => is_page_type(&mime) || fonds.get(PAGE_TYPE).is_some_and(is_page_type),
        None => is_page_type(&mime) || is_unknown_type(&mime),
    };
    let is_page = (200..300).contains(&status.unwrap_or(0)) && is_of_page;
    if !is_response || http.html.is_none() || !is_page {
        return Ok(None);
    }
    let url = warc.get("WARC-Target-URI").and_then(|text| parse_web_url(text.trim_matches(['<', '>'])));
    let date = warc.get("WARC-Date").and_then(|text| CaptureDate::parse(text).ok());
    Ok(url.map(|url| WatPage {
        url,
        date: date.map(|date| CaptureDate::from_seconds(date.seconds())),
        is_ours: outer.fonds.is_some(),
    }))
}

/// Gives every link of an envelope to `each`. Returns what was left out of it, and what its writer
/// left out when the page was read.
pub(super) fn read_wat(
    block: &[u8],
    url: &Url,
    options: &PageOptions,
    mut each: impl FnMut(&PageLink<'_>),
) -> Result<(PageCuts, Option<Unread>), serde_json::Error> {
    let block = without_halves(block);
    let outer: Outer<Html<'_>> = serde_json::from_slice(&block)?;
    let noted = outer.fonds.as_ref().and_then(|fonds| Unread::parse(fonds.get(NOT_READ_WHOLE)?));
    let html = outer.envelope.payload.and_then(|payload| payload.http).and_then(|http| http.html);
    let mut cut = PageCuts::default();
    let Some(Html { head, links }) = html else { return Ok((cut, noted)) };
    let (base, metas, head_links) = head.map_or_else(Default::default, |head| (head.base, head.metas, head.links));
    let base = Some(text_of(&base).trim()).filter(|base| !base.is_empty()).and_then(|base| web_url(url, base, UTF_8));
    let mut base = Cow::Borrowed(base.as_ref().unwrap_or(url));
    // As for pages: what is longer than a link may be is the base of none.
    let has_base = base.as_str().len() <= MAX_URL_BYTES;
    if !has_base {
        base = Cow::Owned(origin_of(&base));
    }
    let nofollow_all = metas.nofollow;
    cut.links += head_links.left_out + links.left_out;
    let mut resolver = Resolver::new(&base, UTF_8);
    let mut anchor = String::new();
    let (mut count, mut bytes) = (0, 0);
    for link in head_links.kept.iter().chain(&links.kept) {
        let rel = text_of(&link.rel);
        let has_rel = |word: &str| has_token(rel, word);
        let kind = match LinkKind::from_wat_path(text_of(&link.path)) {
            LinkKind::LinkElement if has_rel("stylesheet") || has_rel("icon") => LinkKind::Stylesheet,
            kind => kind,
        };
        let reference = text_of(&link.url).trim_matches(|c: char| c <= ' ');
        if !options.kinds.has(kind) || reference.is_empty() || reference.starts_with('#') {
            continue;
        }
        let is_too_long = reference.len() > MAX_URL_BYTES || bytes > MAX_LINK_BYTES_PER_PAGE;
        if count >= MAX_LINKS_PER_PAGE || is_too_long || !has_base && scheme_of(reference).is_none() {
            cut.links += 1;
            continue;
        }
        let Some(url) = resolver.resolve(reference) else { continue };
        anchor.clear();
        fold_into(&mut anchor, text_of(&link.text));
        if anchor.len() > MAX_ANCHOR_BYTES {
            cut.anchors += 1;
            anchor.truncate(anchor.floor_char_boundary(MAX_ANCHOR_BYTES));
        }
        bytes += url.as_str().len() + anchor.len();
        if bytes > MAX_LINK_BYTES_PER_PAGE || url.as_str().len() > MAX_URL_BYTES {
            cut.links += 1;
            continue;
        }
        count += 1;
        each(&PageLink { url, kind, anchor: anchor.trim_end(), nofollow: nofollow_all || has_rel("nofollow") });
    }
    Ok((cut, noted))
}

/// `<meta name=robots content=nofollow>`, as the envelope lists it.
fn is_nofollow(meta: &Fields) -> bool {
    let value = |name: &str| meta.get(name).unwrap_or_default();
    let mut values = value("content").split([',', ' ']);
    value("name").eq_ignore_ascii_case("robots")
        && values.any(|value| value.eq_ignore_ascii_case("nofollow") || value.eq_ignore_ascii_case("none"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::links::LinkKinds;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn envelope(status: Value, headers: Value, html: Value) -> Vec<u8> {
        let head = json!({"WARC-Type": "response", "WARC-Target-URI": "http://a.pt/dir/x", "WARC-Date": "2014-08-02T09:52:13Z"});
        let http =
            json!({"Response-Message": {"Status": status, "Reason": "OK"}, "Headers": headers, "HTML-Metadata": html});
        json!({"Container": {"Compressed": true}, "Envelope": {"Format": "WARC", "WARC-Header-Metadata": head,
            "Payload-Metadata": {"Trailing-Slop-Length": "4", "HTTP-Response-Metadata": http}}})
        .to_string()
        .into_bytes()
    }

    fn page(html: Value) -> Vec<u8> {
        envelope(json!("200"), json!({"content-type": "text/html; charset=UTF-8"}), html)
    }

    /// `url “anchor”`, with `!` for nofollow.
    #[track_caller]
    fn check(html: Value, expected: &[&str]) {
        let block = page(html);
        let found = wat_page(&block).unwrap().unwrap();
        let mut links = Vec::new();
        let options =
            PageOptions { kinds: [LinkKind::Anchor].into_iter().collect::<LinkKinds>(), ..PageOptions::links_only() };
        read_wat(&block, &found.url, &options, |link| {
            links.push(format!("{} “{}”{}", link.url.as_str(), link.anchor, if link.nofollow { "!" } else { "" }));
        })
        .unwrap();
        assert_eq!(links, expected);
    }

    #[test]
    fn links_are_those_that_the_page_would_give() {
        check(
            json!({"Head": {"Title": "X", "Link": [{"path": "LINK@/href", "url": "/s.css", "rel": "stylesheet"}]}, "Links": [
                {"path": "A@/href", "url": "../b#top", "text": " Ol\u{e1} \n\u{a0}mundo "},
                {"path": "IMG@/src", "url": "i.png", "alt": "i"},
                {"path": "A@/href", "url": "//c.pt", "rel": "external NoFollow", "title": "t"},
                {"path": "A@/href", "url": "#top"}, {"path": "A@/href", "url": "mailto:a@b.pt"},
                {"path": "A@/data-href", "url": "/data"}, {"path": "A@/href"}, {"url": "/no-path"}]}),
            &["http://a.pt/b “Olá mundo”", "http://c.pt/ “”!"],
        );
        check(
            json!({"Head": {"Base": "https://d.pt/e/", "Metas": [{"name": "Robots", "content": "index, nofollow"}]},
                "Links": [{"path": "A@/href", "url": "f", "text": "F"}]}),
            &["https://d.pt/e/f “F”!"],
        );
        check(json!({}), &[]);
    }

    #[test]
    fn only_good_responses_of_html_are_pages() {
        let is_page = |block: Vec<u8>| wat_page(&block).unwrap().is_some();
        let html = json!({"Links": []});
        assert!(is_page(page(html.clone())));
        assert!(is_page(envelope(json!(206), json!({"Content-Type": ["application/xhtml+xml", "x"]}), html.clone())));
        assert!(!is_page(envelope(json!("301"), json!({"Content-Type": "text/html"}), html.clone())));
        assert!(!is_page(envelope(json!("200"), json!({"Content-Type": "image/png"}), html.clone())));
        assert!(!is_page(envelope(json!("200"), json!({"Content-Type": "text/html"}), Value::Null)));
        assert!(!is_page(br#"{"Envelope": {"WARC-Header-Metadata": {"WARC-Type": "request"}}}"#.to_vec()));
        let found = wat_page(&page(html)).unwrap().unwrap();
        assert_eq!(
            (found.url.as_str(), found.date.unwrap().to_digits14().as_str(), found.is_ours),
            ("http://a.pt/dir/x", "20140802095213", false)
        );
    }

    #[test]
    fn of_our_own_records_what_was_not_read_whole_is_reported_again() {
        let noted = |fonds: Value| {
            let mut block: Value = serde_json::from_slice(&page(json!({"Links": []}))).unwrap();
            block["Fonds"] = fonds;
            let block = block.to_string().into_bytes();
            let page = wat_page(&block).unwrap().unwrap();
            assert!(page.is_ours);
            read_wat(&block, &page.url, &PageOptions::links_only(), |_| ()).unwrap().1
        };
        let why = Unread::TooLong;
        assert_eq!(noted(json!({"hops": "L", "notReadWhole": why.as_str(), "verdict": {"rule": 3}})), Some(why));
        assert_eq!(noted(json!({"notReadWhole": "some reason of another version"})), None);
        assert_eq!(noted(json!({})), None);
    }

    #[test]
    fn links_beyond_those_of_a_page_are_counted_and_not_kept() {
        let list = format!(r#"[{{}},{{"url":""}}{}]"#, r#",{"url":"x"}"#.repeat(MAX_LINKS_PER_PAGE + 3));
        let links: Links<'_> = serde_json::from_str(&list).unwrap();
        assert_eq!((links.kept.len(), links.left_out), (MAX_LINKS_PER_PAGE, 3));
        let fields: Fields = serde_json::from_str(
            r#"{"other": [[{}]], "status": [200, {"a": 1}], "STATUS": "404", "name": {"a": [1]}, "WARC-Type": null}"#,
        )
        .unwrap();
        assert_eq!((fields.get("Status"), fields.get("name"), fields.get("WARC-Type")), (Some("200"), None, None));
    }

    #[test]
    fn what_is_no_envelope_is_refused_and_too_much_is_cut() {
        assert!(wat_page(b"{\"Envelope\": 3}").is_err());
        assert!(wat_page(format!("{{\"Envelope\": {}", "[".repeat(100_000)).as_bytes()).is_err());
        assert!(!may_be_wat(b"via: http://a.pt/") && may_be_wat(b" {\"Envelope\":{}}"));
        let long = "x".repeat(MAX_ANCHOR_BYTES + 5);
        let block = page(json!({"Links": [{"path": "A@/href", "url": "/a", "text": long},
            {"path": "A@/href", "url": format!("/{}", "y".repeat(MAX_URL_BYTES))}]}));
        let url = parse_web_url("http://a.pt/").unwrap();
        let mut anchors = Vec::new();
        let (cut, _) =
            read_wat(&block, &url, &PageOptions::links_only(), |link| anchors.push(link.anchor.len())).unwrap();
        assert_eq!((anchors.as_slice(), cut.anchors, cut.links), (&[MAX_ANCHOR_BYTES][..], 1, 1));
    }

    proptest! {
        #[test]
        fn nothing_panics(block in "\\PC{0,200}", at in 0_usize..400, byte in any::<u8>()) {
            let url = parse_web_url("http://a.pt/").unwrap();
            let _ = wat_page(block.as_bytes());
            let mut block = page(json!({"Head": {"Base": block}, "Links": [{"path": "A@/href", "url": block, "text": block}]}));
            let _ = wat_page(&block);
            let _ = read_wat(&block, &url, &PageOptions::links_only(), |_| ());
            let at = at % block.len();
            block[at] = byte;
            let _ = read_wat(&block, &url, &PageOptions::links_only(), |_| ());
        }
    }
}
