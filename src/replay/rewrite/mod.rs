//! Makes what was archived refer to replayed captures in place of the web.
//!
//! In: bytes of a page, a sheet, a playlist or a header field. Out: the same bytes with the references replaced, and
//! nothing else ([`Edits`]): no charset is changed but of what is no superset of ASCII, and scripts stay as they are.

mod css;
mod fields;
mod html;
mod mark;
mod playlists;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod vectors;

pub use fields::{Cookies, rewrite_field};
pub(super) use playlists::{is_playlist, is_presentation};

use super::replay_url::{Hint, REPLAY_PATH, ReplayUrl, replay_path};
use crate::links::resolve::{join_url, scheme_of};
use crate::links::{refresh_range, srcset_ranges};
use crate::uri::Url;
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use std::ops::Range;

/// Name of the frame that pages are replayed in.
pub const FRAME_NAME: &str = "fonds_replay";

/// Schemes whose URLs lead out of the replay where they are not rewritten.
const REPLAYED_SCHEMES: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// Rewrites the references of one capture.
#[derive(Debug, Clone)]
pub struct Rewriter {
    /// The archived URL.
    page: Url,
    /// What references are resolved against: that of the page, or what its `base` names.
    base: Url,
    /// Date of the capture as 14 digits.
    timestamp: String,
    /// What the paths of the replay begin with, before [`REPLAY_PATH`].
    root: String,
    /// What its text is in.
    charset: &'static Encoding,
}

impl Rewriter {
    /// For a capture of a URL at a date.
    pub fn new(page: Url, timestamp: &str) -> Self {
        Self { base: page.clone(), page, timestamp: timestamp.to_owned(), root: String::new(), charset: UTF_8 }
    }

    /// For a replay whose paths begin with `root` (`/token`).
    #[must_use]
    pub fn below(self, root: &str) -> Self {
        Self { root: root.to_owned(), ..self }
    }

    /// The replay URL that takes the place of a reference; none where it stays as it is.
    ///
    /// Plain relative references stay, since browsers resolve them inside the path of the replayed page; with
    /// `absolute` they are replaced, too, so that the hint comes with them.
    pub fn url(&self, reference: &str, hint: Hint, absolute: bool) -> Option<String> {
        let trimmed = reference.trim_matches(|c: char| c <= ' ');
        // Tabs and line breaks inside of a URL are dropped (URL standard, 4.4).
        let clean: Cow<'_, str> = match trimmed.contains(['\t', '\n', '\r']) {
            true => Cow::Owned(trimmed.replace(['\t', '\n', '\r'], "")),
            false => Cow::Borrowed(trimmed),
        };
        if clean.is_empty() || clean.starts_with('#') || self.is_replay_url(&clean) {
            return None;
        }
        let leaves_page = match scheme_of(&clean) {
            Some(scheme) if REPLAYED_SCHEMES.iter().any(|own| scheme.eq_ignore_ascii_case(own)) => true,
            Some(_) => return None,
            None => clean.starts_with(['/', '\\']) || climbs(&clean),
        };
        if !leaves_page && !absolute {
            return (trimmed.len() < reference.len()).then(|| trimmed.to_owned());
        }
        let url = join_url(&self.base, &clean, self.charset)?;
        let is_web = REPLAYED_SCHEMES.contains(&url.scheme()) && url.has_host();
        is_web.then(|| replay_path(&self.root, &self.timestamp, hint, url.as_str()))
    }

    /// The URLs of a `srcset`.
    pub fn srcset(&self, value: &str) -> String {
        self.each_range(value, srcset_ranges(value), Hint::Image)
    }

    /// The URL of a `meta http-equiv=refresh` or of a field `Refresh`.
    pub fn refresh(&self, value: &str) -> String {
        self.each_range(value, refresh_range(value), Hint::Page)
    }

    /// Whether a reference is one of this replay already.
    fn is_replay_url(&self, reference: &str) -> bool {
        let rest = reference.strip_prefix(&self.root).and_then(|path| path.strip_prefix(REPLAY_PATH));
        rest.is_some_and(|rest| {
            rest.bytes().take(14).all(|byte| byte.is_ascii_digit())
                && ReplayUrl::parse(rest, None).is_some_and(|url| url.hint != Hint::None && url.url.contains("://"))
        })
    }

    fn each_range(&self, value: &str, places: impl IntoIterator<Item = Range<usize>>, hint: Hint) -> String {
        let mut edits = Edits::default();
        for place in places {
            if let Some(url) = value.get(place.clone()).and_then(|reference| self.url(reference, hint, false)) {
                edits.replace(place, url);
            }
        }
        edits.apply_to_text(value)
    }
}

/// Whether a relative reference leads upwards: a browser would resolve it out of the archived URL.
fn climbs(reference: &str) -> bool {
    let path = reference.split(['?', '#']).next().unwrap_or_default();
    path.split(['/', '\\']).any(|part| {
        let part = part.to_ascii_lowercase();
        matches!(part.as_str(), ".." | ".%2e" | "%2e." | "%2e%2e")
    })
}

/// Replacements in a text, in the order of their places.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits(Vec<(Range<usize>, Vec<u8>)>);

impl Edits {
    fn replace(&mut self, place: Range<usize>, with: impl Into<Vec<u8>>) {
        self.0.push((place, with.into()));
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text);
    }

    fn apply(mut self, to: &[u8]) -> Vec<u8> {
        self.0.sort_by_key(|(place, _)| (place.start, place.end));
        let mut out = Vec::with_capacity(to.len() + self.0.iter().map(|(_, with)| with.len()).sum::<usize>());
        let mut at = 0;
        for (place, with) in self.0 {
            // Places that overlap are no two references.
            if let Some(between) = to.get(at..place.start) {
                out.extend_from_slice(between);
                out.extend_from_slice(&with);
                at = place.end;
            }
        }
        out.extend_from_slice(to.get(at..).unwrap_or_default());
        out
    }

    fn apply_to_text(self, to: &str) -> String {
        String::from_utf8_lossy(&self.apply(to.as_bytes())).into_owned()
    }
}

/// Text of an archived body: its bytes, and the same as a text of the same length in which markup is found.
struct Source<'b> {
    bytes: &'b [u8],
    /// Bytes beyond ASCII are DEL here where they are no UTF-8.
    markup: Cow<'b, str>,
    charset: &'static Encoding,
}

impl<'b> Source<'b> {
    fn new(bytes: &'b [u8], charset: &'static Encoding) -> Self {
        let markup = match std::str::from_utf8(bytes) {
            Ok(text) if charset == UTF_8 || text.is_ascii() => Cow::Borrowed(text),
            _ => {
                Cow::Owned(bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\x7f' }).collect())
            }
        };
        Self { bytes, markup, charset }
    }

    /// The text of a part.
    fn text(&self, place: &Range<usize>) -> Cow<'b, str> {
        let bytes = self.bytes.get(place.clone()).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) if self.charset == UTF_8 || text.is_ascii() => Cow::Borrowed(text),
            _ => self.charset.decode_without_bom_handling(bytes).0,
        }
    }
}

/// The bytes of a text that markup can be found in without decoding it: the same ones, or UTF-8 where the charset is
/// no superset of ASCII (UTF-16, ISO-2022-JP). Gives the charset that it has then.
fn in_ascii<'b>(body: &'b [u8], charset: &'static Encoding) -> (Cow<'b, [u8]>, &'static Encoding) {
    // ISO-2022-JP writes letters of ASCII inside of its own.
    if charset.is_ascii_compatible() && charset != encoding_rs::ISO_2022_JP {
        return (Cow::Borrowed(body), charset);
    }
    let (text, _) = charset.decode_with_bom_removal(body);
    (Cow::Owned(text.into_owned().into_bytes()), UTF_8)
}

/// A body that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The charset that its type has to name now, where that is another one than before.
    pub charset: Option<&'static str>,
}
