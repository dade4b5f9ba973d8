//! References of style sheets.

use super::{Edits, Hint, Rewriter, Rewritten, Source, in_ascii};
use crate::links::{css_places, detect_css_charset, unescape_css};
use std::ops::Range;

impl Rewriter {
    /// Rewrites a style sheet; `http_charset` is that of its type.
    pub fn css(mut self, body: &[u8], http_charset: Option<&str>) -> Rewritten {
        let (charset, _) = detect_css_charset(body, http_charset);
        let has_mark = body.starts_with(b"\xef\xbb\xbf");
        let plain = if has_mark { body.get(3..).unwrap_or_default() } else { body };
        let (bytes, charset_now) = in_ascii(plain, charset);
        // References in a sheet are in UTF-8, whatever it is in (CSS Values, 4.5).
        self.charset = encoding_rs::UTF_8;
        let source = Source::new(&bytes, charset_now);
        let mut edits = Edits::default();
        self.css_edits(&source, 0..bytes.len(), &mut edits);
        let charset = (charset_now != charset || has_mark).then(|| charset_now.name());
        Rewritten { bytes: edits.apply(&bytes), charset }
    }

    /// Rewrites CSS inside of an attribute.
    pub(super) fn css_text(&self, css: &str) -> String {
        let mut edits = Edits::default();
        self.css_edits(&Source::new(css.as_bytes(), encoding_rs::UTF_8), 0..css.len(), &mut edits);
        edits.apply_to_text(css)
    }

    pub(super) fn css_edits(&self, source: &Source<'_>, within: Range<usize>, edits: &mut Edits) {
        let Some(css) = source.markup.get(within.clone()) else { return };
        css_places(css, |reference| {
            let place = within.start + reference.place.start..within.start + reference.place.end;
            let written = source.text(&place);
            let hint = if reference.is_import { Hint::Style } else { Hint::Other };
            let url = unescape_css(&written);
            if let Some(url) = self.url(&url, hint, false) {
                edits.replace(place, escaped(&url, reference.quote));
            }
        });
    }
}

/// A URL as CSS writes it in such quotes.
fn escaped(url: &str, quote: Option<u8>) -> String {
    let mut out = String::with_capacity(url.len());
    for letter in url.chars() {
        let ends = match quote {
            Some(quote) => letter == char::from(quote),
            None => matches!(letter, '(' | ')' | '"' | '\'') || letter.is_whitespace(),
        };
        if ends || letter == '\\' {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
