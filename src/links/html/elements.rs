//! Counts the elements of a page beside its links and text: images with their sizes, forms, frames, scripts.
//!
//! Collected only where somebody asks for it ([`PageOptions::elements`](crate::links::PageOptions)): an import and a
//! data set pay nothing for it.

use super::tag::Tag;
use super::tokens::{Attr, Attributes};
use crate::links::resolve::web_url;
use crate::uri::Url;
use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};

/// Images of a page that are kept one by one; further ones are counted.
pub const MAX_PAGE_IMAGES: usize = 500;

/// Longest URL of an image that is kept, in bytes.
const MAX_IMAGE_URL_BYTES: usize = 2048;

/// Bytes of the URLs of all images of a page.
const MAX_IMAGE_BYTES: usize = 64 << 10;

/// Identifiers of the elements into which frameworks of scripts draw a page.
const SCRIPT_ROOTS: [&str; 7] = ["root", "app", "__next", "__nuxt", "app-root", "___gatsby", "svelte"];

/// An image that the markup names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageImage {
    /// Its address. Hostile text.
    pub url: String,
    /// Declared width in pixels; none where the markup has no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Declared height in pixels; none where the markup has no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}

/// What a page is made of beside text and links.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageElements {
    /// The first images, in reading order, at most [`MAX_PAGE_IMAGES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<PageImage>,
    /// Images that are not kept one by one.
    #[serde(skip_serializing_if = "is_zero")]
    pub further_images: u32,
    /// Forms.
    #[serde(skip_serializing_if = "is_zero")]
    pub forms: u32,
    /// Fields for passwords.
    #[serde(skip_serializing_if = "is_zero")]
    pub password_fields: u32,
    /// Frames, `iframe` included.
    #[serde(skip_serializing_if = "is_zero")]
    pub frames: u32,
    /// Sound and moving images: `audio`, `video`, `embed`, `object`.
    #[serde(skip_serializing_if = "is_zero")]
    pub media: u32,
    /// Scripts of a file.
    #[serde(skip_serializing_if = "is_zero")]
    pub script_files: u32,
    /// Scripts that stand in the page.
    #[serde(skip_serializing_if = "is_zero")]
    pub inline_scripts: u32,
    /// Scripts of either sort that are modules.
    #[serde(skip_serializing_if = "is_zero")]
    pub modules: u32,
    /// Elements whose identifier says that scripts draw the page into them.
    #[serde(skip_serializing_if = "is_zero")]
    pub script_roots: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl PageElements {
    /// An element starts.
    pub(super) fn take(&mut self, tag: Tag, attributes: &Attributes) {
        let is_input = |kind: &str| attributes.get(Attr::Type).is_some_and(|own| own.eq_ignore_ascii_case(kind));
        let count = match tag {
            Tag::IMG => return self.image(attributes),
            Tag::FORM => &mut self.forms,
            Tag::FRAME | Tag::IFRAME => &mut self.frames,
            Tag::VIDEO | Tag::AUDIO | Tag::EMBED | Tag::OBJECT => &mut self.media,
            Tag::INPUT if is_input("password") => &mut self.password_fields,
            Tag::SCRIPT => {
                self.modules = self.modules.saturating_add(u32::from(is_input("module")));
                if attributes.has(Attr::Src) { &mut self.script_files } else { &mut self.inline_scripts }
            }
            _ if attributes.get(Attr::Id).is_some_and(|id| SCRIPT_ROOTS.contains(&&*id)) => &mut self.script_roots,
            _ => return,
        };
        *count = count.saturating_add(1);
    }

    fn image(&mut self, attributes: &Attributes) {
        // Behind the first that is not kept all are counted: their lengths are summed up for few images only.
        if self.further_images > 0 {
            self.further_images = self.further_images.saturating_add(1);
            return;
        }
        let url = attributes.get(Attr::Src).unwrap_or_default();
        let taken = self.images.iter().map(|image| image.url.len()).sum::<usize>();
        let url = url.trim();
        let is_full = self.images.len() >= MAX_PAGE_IMAGES || taken + url.len() > MAX_IMAGE_BYTES;
        if is_full || url.len() > MAX_IMAGE_URL_BYTES {
            self.further_images = 1;
            return;
        }
        let pixels = |attribute| attributes.get(attribute).and_then(|value| pixels_of(&value));
        self.images.push(PageImage { url: url.to_owned(), width: pixels(Attr::Width), height: pixels(Attr::Height) });
    }

    /// Resolves the addresses of images; what is no address of the web (`data:`) becomes empty.
    pub(super) fn resolve(&mut self, base: &Url, charset: &'static Encoding) {
        for image in &mut self.images {
            let url = web_url(base, &image.url, charset).map(String::from).unwrap_or_default();
            image.url = if url.len() > MAX_IMAGE_URL_BYTES { String::new() } else { url };
        }
    }
}

/// A length of HTML in pixels: digits, whatever stands behind them but a percent sign.
fn pixels_of(value: &str) -> Option<u32> {
    let value = value.trim();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, behind) = value.split_at(digits);
    number.parse().ok().filter(|_| !behind.trim_start_matches(['.', '0']).starts_with('%'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::links::{PageOptions, read_page};

    #[test]
    fn images_have_their_declared_sizes_and_elements_are_counted() {
        let html = "<base href=/d/><div id=root></div><img src=a.png width=200 height='100px'><img src=data:x width=50%>\
            <form><input type=PASSWORD></form><iframe src=f></iframe><script src=s type=module></script><script>1</script>";
        let url = "http://a.pt/x".parse().unwrap();
        let read = |elements| {
            let options = PageOptions { elements, ..PageOptions::default() };
            read_page(html.as_bytes(), Some("utf-8"), &url, &options).elements
        };
        let elements = read(true);
        let sized = PageImage { url: "http://a.pt/d/a.png".to_owned(), width: Some(200), height: Some(100) };
        assert_eq!(elements.images, [sized, PageImage::default()]);
        let counts = [elements.forms, elements.password_fields, elements.frames, elements.script_files];
        assert_eq!(counts, [1; 4]);
        assert_eq!([elements.inline_scripts, elements.modules, elements.script_roots], [1; 3]);
        assert_eq!(read(false), PageElements::default());
    }

    #[test]
    fn a_page_of_images_is_kept_within_bounds() {
        let url = "http://a.pt/x".parse().unwrap();
        let options = PageOptions { elements: true, ..PageOptions::default() };
        let html = format!("<img src='{}'>", "x".repeat(1000)).repeat(2_000);
        let elements = read_page(html.as_bytes(), Some("utf-8"), &url, &options).elements;
        assert!(elements.images.len() < 100 && elements.images.len() + elements.further_images as usize == 2_000);
    }
}
