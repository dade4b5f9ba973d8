//! Fragments are read once and rendered into their host's layout with each answer.
//!
//! A fragment is a file `HOST/PATH.html` with front matter (`name: value`
//! lines up to `---`) and the body. `index.html` is its folder's page. Files
//! whose name begins with `_` are not served; `_layout.html` is the frame of a
//! host's pages and `_404.html` what it shows when it has no page.

use super::generated;
use super::hosts::{HOSTS, HostSpec};
use crate::serve::{HttpReply, HttpRequest, ReplyBody, ReplyFraming, type_by_name};
use include_dir::{Dir, include_dir};
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

static FIRST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/sample-web");
static SECOND: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/sample-web-2");

/// A page as its fragment describes it.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub title: String,
    pub lang: String,
    /// ISO day, where it has one.
    pub date: String,
    pub author: String,
    pub tags: Vec<String>,
    /// One sentence for listings.
    pub summary: String,
    /// HTTP status; 0 is 200.
    pub status: u16,
    /// Target of a redirect.
    pub location: String,
    /// Further elements of the head.
    pub head: String,
    /// Other paths that give the same payload.
    pub also: Vec<String>,
    pub headers: Vec<(String, String)>,
    pub delay_ms: u64,
    /// Answers with this content type and the body alone, without layout.
    pub raw: String,
    /// Left out of every listing.
    pub hidden: bool,
    /// Taken away in this edition.
    pub gone: bool,
    pub body: String,
}

impl Page {
    /// Whether it is an HTML page with content of its own.
    pub fn is_content(&self) -> bool {
        self.location.is_empty() && self.raw.is_empty() && matches!(self.status, 0 | 200)
    }

    fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let Some((front, body)) = text.split_once("\n---\n") else {
            page.body = text.to_owned();
            return page;
        };
        page.body = body.to_owned();
        for (name, value) in front.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.trim() {
                "title" => page.title = value.into(),
                "lang" => page.lang = value.into(),
                "date" => page.date = value.into(),
                "author" => page.author = value.into(),
                "tags" => page.tags = split_list(value),
                "summary" => page.summary = value.into(),
                "status" => page.status = value.parse().unwrap_or_default(),
                "location" => page.location = value.into(),
                "head" => page.head = value.into(),
                "also" => page.also = split_list(value),
                "header" => {
                    if let Some((field, content)) = value.split_once(':') {
                        page.headers.push((field.trim().into(), content.trim().into()));
                    }
                }
                "delay_ms" => page.delay_ms = value.parse().unwrap_or_default(),
                "raw" => page.raw = value.into(),
                "hidden" => page.hidden = value == "yes",
                "gone" => page.gone = value == "yes",
                other => tracing::warn!(field = other, "a sample fragment has an unknown field"),
            }
        }
        page
    }
}

fn split_list(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Pages of one host by path (`/`, `/2024/05/regata.html`).
pub(super) type Pages = BTreeMap<String, Page>;

/// Everything that one edition serves.
pub(super) struct Library {
    hosts: BTreeMap<&'static str, Shelf>,
}

#[derive(Default)]
struct Shelf {
    pages: Pages,
    files: BTreeMap<String, &'static [u8]>,
    layout: String,
    not_found: Page,
}

impl Library {
    /// The web at the first launch.
    pub fn first() -> Self {
        Self::of(&[&FIRST])
    }

    /// The web at the second launch: the first, with what changed laid over it.
    pub fn second() -> Self {
        Self::of(&[&FIRST, &SECOND])
    }

    fn of(layers: &[&'static Dir<'static>]) -> Self {
        let mut hosts = BTreeMap::new();
        for host in HOSTS {
            let mut shelf = Shelf::default();
            for layer in layers {
                if let Some(folder) = layer.get_dir(host.name) {
                    shelf.add(folder, host.name);
                }
            }
            shelf.pages.retain(|_, page| !page.gone);
            for page in shelf.pages.values_mut().filter(|page| page.lang.is_empty()) {
                host.language.clone_into(&mut page.lang);
            }
            generated::add_listings(host, &mut shelf.pages);
            hosts.insert(host.name, shelf);
        }
        let mut library = Self { hosts };
        library.add_index_of_all();
        library
    }

    /// The aggregator's page of links to everything.
    fn add_index_of_all(&mut self) {
        let listing = self.listing(|page| !page.hidden);
        if let Some(shelf) = self.hosts.get_mut(generated::AGGREGATOR) {
            shelf.pages.insert("/todas.html".into(), generated::index_of_all(&listing));
        }
    }

    /// URL, title and language of the pages with content that pass `filter`, by URL.
    pub fn listing(&self, filter: impl Fn(&Page) -> bool) -> Vec<(String, String, String)> {
        let mut rows = Vec::new();
        for (host, shelf) in &self.hosts {
            for (path, page) in shelf.pages.iter().filter(|(_, page)| page.is_content() && filter(page)) {
                rows.push((format!("http://{host}{}", escape_path(path)), page.title.clone(), page.lang.clone()));
            }
        }
        rows
    }

    /// The answer of a host to a request.
    pub fn answer(&self, host: &HostSpec, request: &HttpRequest) -> HttpReply {
        let Some(shelf) = self.hosts.get(host.name) else {
            return HttpReply::plain(421, "No such host here");
        };
        let path = percent_decode_str(&request.path).decode_utf8_lossy().into_owned();
        if let Some(bytes) = shelf.files.get(&path) {
            let tag = format!("\"{:x}-{:x}\"", bytes.len(), fnv(bytes));
            return HttpReply::new(200, type_by_name(&path), *bytes).with("ETag", &tag);
        }
        if let Some(page) = super::traps::endless(host, request, &shelf.pages) {
            return shelf.render(host, &path, &page, request, 200);
        }
        // A second address gives the very bytes of the first.
        let found =
            shelf.pages.get_key_value(&path).or_else(|| shelf.pages.iter().find(|(_, page)| page.also.contains(&path)));
        let Some((own_path, page)) = found else {
            // A request for a folder without its slash is redirected to it.
            let folder = format!("{path}/");
            if shelf.pages.contains_key(&folder) {
                return super::traps::moved(301, &escape_path(&folder));
            }
            return shelf.render(host, &path, &shelf.not_found, request, 404);
        };
        shelf.render(host, own_path, page, request, if page.status == 0 { 200 } else { page.status })
    }
}

impl Shelf {
    fn add(&mut self, folder: &'static Dir<'static>, host: &str) {
        for file in folder.files() {
            let Some(name) = file.path().to_str().and_then(|path| path.strip_prefix(host)) else { continue };
            let name = name.replace('\\', "/");
            let text = || file.contents_utf8().unwrap_or_default().replace("\r\n", "\n");
            match name.as_str() {
                "/_layout.html" => self.layout = text(),
                "/_404.html" => self.not_found = Page::parse(&text()),
                _ => {
                    if let Some(stem) = name.strip_suffix(".html") {
                        let path = match stem.strip_suffix("index") {
                            Some(parent) if parent.ends_with('/') => parent.to_owned(),
                            _ => name.clone(),
                        };
                        self.pages.insert(path, Page::parse(&text()));
                    } else {
                        self.files.insert(name, file.contents());
                    }
                }
            }
        }
        for sub in folder.dirs() {
            self.add(sub, host);
        }
    }

    fn render(&self, host: &HostSpec, path: &str, page: &Page, request: &HttpRequest, status: u16) -> HttpReply {
        let mut reply = if !page.location.is_empty() {
            super::traps::moved(status, &page.location)
        } else if !page.raw.is_empty() {
            HttpReply::new(status, &page.raw, page.body.clone())
        } else {
            let html = generated::fill(&self.layout, host, path, page);
            let mut reply = HttpReply::new(status, host.wire.content_type(), host.wire.encode(&html));
            if host.chunked {
                reply.framing = ReplyFraming::Chunked;
            }
            // No Accept-Encoding means that any coding will do (RFC 9110, 12.5.3).
            if host.gzip && request.header("Accept-Encoding").is_none_or(|accepted| accepted.contains("gzip")) {
                reply = gzipped(reply);
            }
            reply
        };
        reply.headers.extend(page.headers.iter().cloned());
        reply.delay = Duration::from_millis(page.delay_ms);
        reply
    }
}

fn gzipped(reply: HttpReply) -> HttpReply {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    match encoder.write_all(reply.bytes()).and_then(|()| encoder.finish()) {
        Ok(body) => HttpReply { body: ReplyBody::Bytes(body), ..reply }
            .with("Content-Encoding", "gzip")
            .with("Vary", "Accept-Encoding"),
        Err(error) => {
            tracing::warn!(%error, "a sample page could not be compressed and goes out as it is");
            reply
        }
    }
}

/// A path as a URL writes it.
pub(super) fn escape_path(path: &str) -> String {
    const KEEP: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');
    percent_encoding::utf8_percent_encode(path, KEEP).to_string()
}

/// FNV-1a: an entity tag needs to differ, not to be secret.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
