//! Puts texts into a page at the elements that name certain parts.

use super::html::OpenTag;
use super::{Edits, Rewriter, Rewritten, Source, in_ascii};
use crate::links::resolve::join_url;
use crate::links::{MarkupPart, Tag, detect_charset, each_markup, srcset_ranges};
use crate::uri::Url;

/// Elements that show a part of a page in their place.
const PLACED: [Tag; 10] = [
    Tag::IMG,
    Tag::IMAGE,
    Tag::INPUT,
    Tag::IFRAME,
    Tag::FRAME,
    Tag::VIDEO,
    Tag::AUDIO,
    Tag::SOURCE,
    Tag::EMBED,
    Tag::OBJECT,
];

impl Rewriter {
    /// Puts a text before each element that names such a part, where `text_of` has one for its URL; everything else stays.
    /// `http_charset` is that of the type of the page. Texts are of ASCII.
    pub fn mark(
        mut self,
        body: &[u8],
        http_charset: Option<&str>,
        text_of: impl Fn(&Url) -> Option<String>,
    ) -> Rewritten {
        let (charset, _) = detect_charset(body, http_charset);
        let (bytes, charset_now) = in_ascii(body, charset);
        self.charset = charset;
        let source = Source::new(&bytes, charset_now);
        self.take_base(&source);
        let mut edits = Edits::default();
        each_markup(&source.markup, |part| {
            let MarkupPart::Start(start) = part else { return };
            if !PLACED.contains(&start.tag) {
                return;
            }
            let tag = OpenTag { start: &start, source: &source };
            let sizes = tag.value("srcset");
            let of_sizes = srcset_ranges(&sizes).filter_map(|place| sizes.get(place).map(str::to_owned));
            let named = ["src", "data-src", "data", "poster"].into_iter().map(|name| tag.value(name).into_owned());
            let text = named
                .chain(of_sizes)
                .filter(|reference| !reference.trim().is_empty())
                .find_map(|reference| text_of(&join_url(&self.base, reference.trim(), self.charset)?));
            if let Some(text) = text {
                edits.insert(start.place.start, &text);
            }
        });
        let charset = (charset_now != charset).then(|| charset_now.name());
        Rewritten { bytes: edits.apply(&bytes), charset }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_text_precedes_the_element_that_names_a_part() {
        let page = "<base href=/a/><p>one <IMG SRC='x.png' alt=x> two<script>'<img src=x.png>'</script>\
                    <img srcset='y.png 1x, /a/x.png 2x'><a href=x.png>x</a>";
        let rewriter = Rewriter::new(Url::parse("https://a.pt/b/c").unwrap(), "20240105093000");
        let text_of = |url: &Url| (url.as_str() == "https://a.pt/a/x.png").then(|| "[MARK]".to_owned());
        let found = rewriter.mark(page.as_bytes(), None, text_of).bytes;
        let expected = "<base href=/a/><p>one [MARK]<IMG SRC='x.png' alt=x> two<script>'<img src=x.png>'</script>\
                        [MARK]<img srcset='y.png 1x, /a/x.png 2x'><a href=x.png>x</a>";
        assert_eq!(String::from_utf8(found).unwrap(), expected);
    }
}
