//! Links of what is no page, kept within the limits of a page.

use super::html::{MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, read_page};
use super::page::{LinkKind, Outlink, PageOptions};
use crate::uri::{Url, resolve};

/// The links of one document so far.
pub(super) struct ListedLinks {
    base: Url,
    links: Vec<Outlink>,
    left_out: u64,
    bytes: usize,
}

impl ListedLinks {
    /// For references that are resolved against `url`, if against nothing nearer.
    pub(super) fn new(url: &Url) -> Self {
        Self { base: url.clone(), links: Vec::new(), left_out: 0, bytes: 0 }
    }

    /// Adds a reference as it is written.
    pub(super) fn add(&mut self, kind: LinkKind, reference: &str) {
        self.add_to(None, kind, reference);
    }

    /// The same, resolved against a base of its own.
    pub(super) fn add_to(&mut self, base: Option<&Url>, kind: LinkKind, reference: &str) {
        let reference = reference.trim();
        if reference.is_empty() || reference.starts_with('#') {
            return;
        }
        // A long base makes much out of little.
        if reference.len() > MAX_URL_BYTES || self.is_full() {
            self.left_out += 1;
            return;
        }
        let Some(url) = resolve(base.unwrap_or(&self.base), reference) else { return };
        self.keep(Outlink::bare(url, kind));
    }

    /// One more is left out.
    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    fn is_full(&self) -> bool {
        self.links.len() >= MAX_LINKS_PER_PAGE || self.bytes >= MAX_LINK_BYTES_PER_PAGE
    }

    fn keep(&mut self, link: Outlink) {
        let len = link.url.as_str().len() + link.anchor.len();
        self.bytes += len;
        match link.url.as_str().len() > MAX_URL_BYTES || self.bytes > MAX_LINK_BYTES_PER_PAGE {
            true => self.left_out += 1,
            false => self.links.push(link),
        }
    }

    /// Adds the links of HTML that stands in a text: those of entries of feeds, which are no links of a page.
    pub(super) fn markup(&mut self, html: &str) {
        self.markup_to(None, html);
    }

    /// The same, resolved against a base of its own.
    pub(super) fn markup_to(&mut self, base: Option<&Url>, html: &str) {
        if !html.contains('<') {
            return;
        }
        let page = read_page(html.as_bytes(), Some("utf-8"), base.unwrap_or(&self.base), &PageOptions::links_only());
        self.left_out += page.cut.links;
        for link in page.links {
            if self.is_full() {
                self.left_out += 1;
                continue;
            }
            let kind = if link.kind == LinkKind::Anchor { LinkKind::Area } else { link.kind };
            self.keep(Outlink { kind, place: None, ..link });
        }
    }

    /// The links, and how many were left out.
    pub(super) fn finish(self) -> (Vec<Outlink>, u64) {
        (self.links, self.left_out)
    }
}
