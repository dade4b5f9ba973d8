//! What a page shows beside the elements that the standard gives an address: what scripts load later, what it says of
//! itself for others to show, what stands in parts that only some browsers show.

use super::collect::{Collector, Order};
use super::tag::Tag;
use super::tokens::{Attr, Attributes, Text};
use crate::links::css::css_references;
use crate::links::json::json_strings;
use crate::links::page::LinkKind;
use crate::links::resolve::may_be_file;

/// Names of `meta` elements whose content is an address (Open Graph, Twitter cards, pinned sites of Windows).
const META_LINKS: [(&str, LinkKind); 17] = [
    ("og:image", LinkKind::Image),
    ("og:image:url", LinkKind::Image),
    ("og:image:secure_url", LinkKind::Image),
    ("twitter:image", LinkKind::Image),
    ("twitter:image:src", LinkKind::Image),
    ("msapplication-tileimage", LinkKind::Image),
    ("msapplication-square70x70logo", LinkKind::Image),
    ("msapplication-square150x150logo", LinkKind::Image),
    ("og:video", LinkKind::Media),
    ("og:video:url", LinkKind::Media),
    ("og:video:secure_url", LinkKind::Media),
    ("og:audio", LinkKind::Media),
    ("og:audio:url", LinkKind::Media),
    ("og:audio:secure_url", LinkKind::Media),
    ("twitter:player:stream", LinkKind::Media),
    ("twitter:player", LinkKind::Frame),
    ("og:url", LinkKind::LinkElement),
];

/// Properties of schema.org that hold the address of an image, in microdata and JSON-LD.
const IMAGE_PROPERTIES: [&str; 6] = ["image", "logo", "thumbnail", "thumbnailUrl", "photo", "primaryImageOfPage"];

/// Attributes of one address that scripts load.
const LAZY_FILES: [Attr; 4] = [Attr::DataSrc, Attr::DataLazySrc, Attr::DataFullSrc, Attr::DataOriginal];

impl Collector<'_> {
    /// Addresses that scripts load once a reader comes near.
    #[cold]
    pub(super) fn lazy(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        let kind = match tag {
            Tag::IFRAME | Tag::FRAME => LinkKind::Frame,
            Tag::SCRIPT => LinkKind::Script,
            Tag::VIDEO | Tag::AUDIO | Tag::SOURCE | Tag::TRACK | Tag::EMBED | Tag::OBJECT => LinkKind::Media,
            _ => LinkKind::Image,
        };
        for attribute in LAZY_FILES {
            if let Some(value) = attributes.get(attribute).filter(|value| may_be_file(value)) {
                self.add(kind, &value, "", "", order);
            }
        }
        if let Some(value) = attributes.get(Attr::DataBg) {
            if value.contains('(') {
                css_references(&value, |reference| self.add(LinkKind::Image, reference, "", "", order));
            } else if may_be_file(&value) {
                self.add(LinkKind::Image, &value, "", "", order);
            }
        }
        self.candidates(attributes, Attr::DataSrcset, "", order);
        self.candidates(attributes, Attr::DataLazySrcset, "", order);
    }

    /// What a plug-in is given to show.
    pub(super) fn plugin(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        if tag == Tag::APPLET {
            let files = attributes.get(Attr::Archive).unwrap_or_default();
            files.split(',').for_each(|file| self.add(LinkKind::Media, file, "", "", order));
            return;
        }
        const NAMES: [&str; 5] = ["movie", "src", "url", "filename", "data"];
        let name = attributes.get(Attr::Name).unwrap_or_default();
        if NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
            && let Some(value) = attributes.get(Attr::Value).filter(|value| may_be_file(value))
        {
            self.add(LinkKind::Media, &value, "", "", order);
        }
    }

    /// A `meta` that names a file for others to show.
    pub(super) fn meta_link(&mut self, attributes: &Attributes, content: &str, order: Order) {
        if !self.reads_beside_anchors() || !may_be_file(content) {
            return;
        }
        let named = [Attr::Property, Attr::Name].into_iter().filter_map(|attribute| attributes.get(attribute));
        let kind = named
            .filter_map(|name| META_LINKS.iter().find(|(known, _)| name.trim().eq_ignore_ascii_case(known)))
            .map(|(_, kind)| *kind)
            .next()
            .or_else(|| {
                let name = attributes.get(Attr::Itemprop)?;
                IMAGE_PROPERTIES.iter().any(|known| name.eq_ignore_ascii_case(known)).then_some(LinkKind::Image)
            });
        if let Some(kind) = kind {
            self.add(kind, content, "", "", order);
        }
    }

    /// Images that JSON-LD names.
    pub(super) fn json_ld_images(&mut self, text: Text<'_>, order: Order) {
        if !self.options.kinds.has(LinkKind::Image) {
            return;
        }
        json_strings(text.decoded().as_bytes(), |around, name, value| {
            let is_image = |name: &str| IMAGE_PROPERTIES.contains(&name);
            let is_address = is_image(name) || is_image(around) && matches!(name, "url" | "contentUrl" | "@id");
            if is_address && may_be_file(value) {
                self.add(LinkKind::Image, value, "", "", order);
            }
        });
    }

    /// An element of a `template`: scripts make elements of it, or it is the shadow tree of the element around it.
    /// It is no part of the document, and its links are none of the page's.
    pub(super) fn template_element(&mut self, tag: Tag, attributes: &Attributes, order: Order) {
        if !self.reads_beside_anchors() {
            return;
        }
        match tag {
            Tag::BASE | Tag::META | Tag::FORM | Tag::INPUT => {}
            Tag::A => {
                let rel = attributes.get(Attr::Rel).unwrap_or_default();
                self.attribute(LinkKind::Area, attributes, Attr::Href, "", &rel, order);
            }
            Tag::IMG => {
                if attributes.has_lazy() {
                    self.lazy(tag, attributes, order);
                }
                self.attribute(LinkKind::Image, attributes, Attr::Src, "", "", order);
                self.candidates(attributes, Attr::Srcset, "", order);
            }
            Tag::LINK => {
                if attributes.get(Attr::Rel).is_some_and(|rel| rel.eq_ignore_ascii_case("stylesheet")) {
                    self.attribute(LinkKind::Stylesheet, attributes, Attr::Href, "", "stylesheet", order);
                }
            }
            Tag::IMAGE | Tag::USE | Tag::FEIMAGE => self.svg_element(tag, attributes, order),
            _ => self.references_of(tag, attributes, order),
        }
    }
}
