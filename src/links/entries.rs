//! Entries of feeds and sitemaps, one by one: where each leads, its date, and where the list goes on.
//!
//! [`read_xml`](super::read_xml) gives all links of such a document, whatever they are for; here the address of an entry
//! is told from pictures and comments.

use super::html::{MAX_URL_BYTES, Reading, decode_references, decode_text, detect_xml};
use super::xml::lenient_reader;
use crate::uri::{Url, resolve};
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

/// Entries of one list: as many as a sitemap may have (sitemaps.org).
const MAX_LISTED_ENTRIES: usize = 50_000;
/// Bytes of a title or date that are kept.
const MAX_TEXT_BYTES: usize = 1000;
/// Elements deeper than this are not read.
const MAX_DEPTH: usize = 64;

/// The kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryListKind {
    /// RSS, Atom or JSON Feed.
    Feed,
    /// Addresses of pages.
    Sitemap,
    /// Addresses of sitemaps.
    SitemapIndex,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The page it leads to.
    pub url: Url,
    /// Its title; empty where it has none.
    pub title: String,
    /// Its date as written: when it was changed, else when it was published.
    pub date: String,
}

/// A feed or a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryList {
    /// What it is.
    pub kind: EntryListKind,
    /// Its entries, in order.
    pub entries: Vec<ListEntry>,
    /// Entries without an address of the web, or beyond the most.
    pub left_out: u64,
    /// Further parts of it: `next` and `prev-archive` (RFC 5005), `next_url` (JSON Feed), `next-archive`.
    pub further: Vec<Url>,
    /// Minutes that it stays as it is, by its own word (`ttl`, `sy:updatePeriod`).
    pub minutes: Option<u64>,
    /// Whether it names a hub that would report changes (WebSub).
    pub has_hub: bool,
    /// It broke off or is not well formed: what comes behind that place is missing.
    pub is_damaged: bool,
}

impl EntryList {
    fn new(kind: EntryListKind) -> Self {
        let (entries, further) = (Vec::new(), Vec::new());
        Self { kind, entries, left_out: 0, further, minutes: None, has_hub: false, is_damaged: false }
    }

    fn add(&mut self, base: &Url, reference: &str, title: &str, date: &str) {
        let reference = reference.trim();
        let url = if reference.is_empty() || reference.len() > MAX_URL_BYTES { None } else { resolve(base, reference) };
        match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
            Some(url) if self.entries.len() < MAX_LISTED_ENTRIES => {
                let (title, date) = (begin(title), begin(date));
                self.entries.push(ListEntry { url, title, date });
            }
            _ => self.left_out += 1,
        }
    }
}

fn begin(text: &str) -> String {
    let text = text.trim();
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a feed or a sitemap; none where the body is neither.
pub fn read_entries(body: &[u8], http_charset: Option<&str>, url: &Url) -> Option<EntryList> {
    let begin = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    if begin.starts_with(b"{") { json_feed(begin, url) } else { xml_entries(body, http_charset, url) }
}

/// JSON Feed 1.1 (jsonfeed.org).
fn json_feed(body: &[u8], base: &Url) -> Option<EntryList> {
    let feed: Value = serde_json::from_slice(body).ok()?;
    feed["version"].as_str().filter(|version| version.contains("//jsonfeed.org/version/"))?;
    let mut list = EntryList::new(EntryListKind::Feed);
    for item in feed["items"].as_array()? {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let url = if text("url").is_empty() { text("external_url") } else { text("url") };
        let date = if text("date_modified").is_empty() { text("date_published") } else { text("date_modified") };
        list.add(base, url, text("title"), date);
    }
    list.further.extend(feed["next_url"].as_str().and_then(|next| resolve(base, next)));
    list.has_hub = feed["hubs"].as_array().is_some_and(|hubs| !hubs.is_empty());
    Some(list)
}

/// The entry that is read.
#[derive(Default)]
struct OpenEntry {
    depth: usize,
    link: String,
    /// `guid` that is an address, where there is no link.
    guid: String,
    title: String,
    changed: String,
    published: String,
}

fn xml_entries(body: &[u8], http_charset: Option<&str>, url: &Url) -> Option<EntryList> {
    let (text, _) = decode_text(body, detect_xml(body, http_charset));
    let mut reader = lenient_reader(&text);
    let mut document = ListDocument {
        base: url,
        list: None,
        depth: 0,
        entry: None,
        name: String::new(),
        text: String::new(),
        period: 0,
        frequency: 1,
    };
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => document.start(&tag)?,
            Ok(Event::Empty(tag)) => {
                document.start(&tag)?;
                document.end();
            }
            Ok(Event::End(_)) => document.end(),
            Ok(Event::Text(text)) => document.push(&String::from_utf8_lossy(&text)),
            Ok(Event::CData(text)) => document.push(&String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(name)) => {
                let reference = format!("&{};", String::from_utf8_lossy(&name));
                document.push(&decode_references(&reference, Reading::Data));
            }
            Ok(Event::Eof) => {
                document.finish_entry(0);
                let is_whole = document.depth == 0;
                let mut list = document.finish()?;
                list.is_damaged |= !is_whole;
                return Some(list);
            }
            Ok(_) => {}
            Err(_) => {
                let mut list = document.finish()?;
                list.is_damaged = true;
                return Some(list);
            }
        }
    }
}

struct ListDocument<'u> {
    base: &'u Url,
    list: Option<EntryList>,
    depth: usize,
    entry: Option<OpenEntry>,
    /// The local name of the element whose text is read, and its text.
    name: String,
    text: String,
    /// Minutes of `sy:updatePeriod`, and how often in it.
    period: u64,
    frequency: u64,
}

fn local_name(tag: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(tag.local_name().as_ref()).into_owned()
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.html_attributes();
    let found =
        attributes.with_checks(false).filter_map(Result::ok).find(|found| found.key.as_ref() == name.as_bytes())?;
    Some(decode_references(&String::from_utf8_lossy(&found.value), Reading::Attribute).into_owned())
}

impl ListDocument<'_> {
    /// An element starts; none where the document is no list.
    fn start(&mut self, tag: &BytesStart<'_>) -> Option<()> {
        let name = local_name(tag);
        self.depth += 1;
        let Some(list) = &mut self.list else {
            let kind = match name.as_str() {
                "rss" | "RDF" | "feed" => EntryListKind::Feed,
                "urlset" => EntryListKind::Sitemap,
                "sitemapindex" => EntryListKind::SitemapIndex,
                _ => return None,
            };
            self.list = Some(EntryList::new(kind));
            return Some(());
        };
        if self.depth > MAX_DEPTH {
            return Some(());
        }
        if self.entry.is_none() && matches!(name.as_str(), "item" | "entry" | "url" | "sitemap") {
            self.entry = Some(OpenEntry { depth: self.depth, ..OpenEntry::default() });
            return Some(());
        }
        if name == "link"
            && let Some(href) = attribute(tag, "href")
        {
            let rel = attribute(tag, "rel").unwrap_or_default();
            match &mut self.entry {
                Some(entry) if self.depth == entry.depth + 1 => {
                    if matches!(rel.as_str(), "" | "alternate") && entry.link.is_empty() {
                        entry.link = href;
                    }
                }
                Some(_) => {}
                None => match rel.as_str() {
                    "next" | "prev-archive" | "next-archive" if list.further.len() < 8 => {
                        list.further.extend(resolve(self.base, &href));
                    }
                    "hub" => list.has_hub = true,
                    _ => {}
                },
            }
        }
        let is_plain_guid = name != "guid" || attribute(tag, "isPermaLink").is_none_or(|value| value.trim() != "false");
        self.name = if is_plain_guid { name } else { String::new() };
        self.text.clear();
        Some(())
    }

    fn push(&mut self, text: &str) {
        if !self.name.is_empty() && self.text.len() < MAX_URL_BYTES {
            self.text.push_str(text);
        }
    }

    fn end(&mut self) {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        let (name, text) = (std::mem::take(&mut self.name), std::mem::take(&mut self.text));
        if let Some(entry) = &mut self.entry {
            let text = text.trim();
            // Dates of news sitemaps stand two deep.
            if depth == entry.depth + 1 || name == "publication_date" {
                let place = match name.as_str() {
                    "link" | "loc" => Some(&mut entry.link),
                    "guid" => Some(&mut entry.guid),
                    "title" => Some(&mut entry.title),
                    "updated" | "lastmod" => Some(&mut entry.changed),
                    "published" | "pubDate" | "date" | "publication_date" => Some(&mut entry.published),
                    _ => None,
                };
                if let Some(place) = place.filter(|place| place.is_empty()) {
                    text.clone_into(place);
                }
            }
        } else if !name.is_empty() {
            let number = || text.trim().parse::<u64>().ok().filter(|number| *number > 0);
            match name.as_str() {
                "ttl" => {
                    if let (Some(minutes), Some(list)) = (number(), &mut self.list) {
                        list.minutes = Some(minutes);
                    }
                }
                "updatePeriod" => {
                    self.period = match text.trim() {
                        "hourly" => 60,
                        "daily" => 1440,
                        "weekly" => 10_080,
                        "monthly" => 43_200,
                        "yearly" => 525_600,
                        _ => 0,
                    };
                }
                "updateFrequency" => self.frequency = number().unwrap_or(1),
                _ => {}
            }
        }
        self.finish_entry(depth);
    }

    /// Adds the entry that ends at this depth.
    fn finish_entry(&mut self, depth: usize) {
        let Some(entry) = self.entry.take_if(|entry| entry.depth >= depth && depth > 0) else { return };
        let Some(list) = &mut self.list else { return };
        let link = if entry.link.is_empty() { &entry.guid } else { &entry.link };
        let date = if entry.changed.is_empty() { &entry.published } else { &entry.changed };
        list.add(self.base, link, &entry.title, date);
    }

    fn finish(self) -> Option<EntryList> {
        let mut list = self.list?;
        if self.period > 0 && list.minutes.is_none() {
            list.minutes = Some((self.period / self.frequency).max(1));
        }
        Some(list)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(body: &str) -> EntryList {
        read_entries(body.as_bytes(), None, &Url::parse("https://a.pt/f/rss.xml").unwrap()).unwrap()
    }

    fn urls(list: &EntryList) -> Vec<&str> {
        list.entries.iter().map(|entry| entry.url.as_str()).collect()
    }

    #[test]
    fn entries_of_feeds_are_found_among_their_links() {
        let rss = read(
            "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><link>https://a.pt/</link><ttl>90</ttl>
             <atom:link rel='next' href='?page=2'/><atom:link rel='hub' href='https://hub.pt/'/>
             <item><title>A &amp; B</title><link>/1?a=1&amp;b=2</link><comments>/1#c</comments>
               <pubDate>Wed, 21 Oct 2015 07:28:00 GMT</pubDate><enclosure url='/1.mp3'/></item>
             <item><guid isPermaLink='false'>tag:1</guid></item>
             <item><guid>https://a.pt/3</guid><media:group><link>/no</link></media:group></item></channel></rss>",
        );
        assert_eq!(urls(&rss), ["https://a.pt/1?a=1&b=2", "https://a.pt/3"]);
        assert_eq!((rss.left_out, rss.minutes, rss.has_hub, rss.is_damaged), (1, Some(90), true, false));
        assert_eq!(rss.further[0].as_str(), "https://a.pt/f/rss.xml?page=2");
        assert_eq!((rss.entries[0].title.as_str(), rss.entries[0].date.len()), ("A & B", 29));
        let atom = read(
            "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='prev-archive' href='/old'/><link href='/'/>
             <entry><link rel='self' href='/s'/><link rel='alternate' href='/e'/><updated>2026-01-02T03:04:05Z</updated>
             <published>2025-01-01T00:00:00Z</published><source><link href='/x'/></source></entry></feed>",
        );
        assert_eq!((urls(&atom), atom.further[0].as_str()), (vec!["https://a.pt/e"], "https://a.pt/old"));
        assert_eq!(atom.entries[0].date, "2026-01-02T03:04:05Z");
        let json = read(
            r#"{"version":"https://jsonfeed.org/version/1.1","next_url":"/2","items":[{"url":"/j"},{"external_url":"https://b.pt/"},{"id":"1"}]}"#,
        );
        assert_eq!((urls(&json), json.left_out), (vec!["https://a.pt/j", "https://b.pt/"], 1));
    }

    #[test]
    fn sitemaps_have_dates_and_damaged_ones_are_known() {
        let map =
            read("<urlset><url><loc>/a</loc><lastmod>2026-01-01</lastmod></url><url><loc>/b</loc></url></urlset>");
        assert_eq!((map.kind, urls(&map)), (EntryListKind::Sitemap, vec!["https://a.pt/a", "https://a.pt/b"]));
        let index = read("<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap><sitemap><loc>/s2");
        assert_eq!((index.kind, index.entries.len(), index.is_damaged), (EntryListKind::SitemapIndex, 1, true));
        let url = Url::parse("https://a.pt/").unwrap();
        for other in ["<html><a href=x>", "{\"a\":1}", "", "[[[[", "<a><rss>"] {
            assert_eq!(read_entries(other.as_bytes(), None, &url), None, "{other}");
        }
        read(&format!("<rss>{}", "<item><link>x</link>".repeat(10_000)));
    }
}
