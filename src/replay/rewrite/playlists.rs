//! References in files that are no markup: playlists of HLS, presentations of DASH, maps of modules.

use super::{Edits, Hint, Rewriter};
use std::ops::Range;

/// Whether a body is a playlist of HTTP Live Streaming (RFC 8216, 4.1).
pub(in crate::replay) fn is_playlist(body: &[u8]) -> bool {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).starts_with(b"#EXTM3U")
}

/// Whether a body is a media presentation (ISO 23009-1).
pub(in crate::replay) fn is_presentation(body: &[u8]) -> bool {
    memchr::memmem::find(body.get(..2048).unwrap_or(body), b"<MPD").is_some()
}

impl Rewriter {
    /// Rewrites what scripts load that are no scripts: playlists and presentations. All else stays as it is.
    pub fn script(&self, body: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(body) else { return body.to_vec() };
        let mut edits = Edits::default();
        if is_playlist(body) {
            self.playlist_edits(text, &mut edits);
        } else if is_presentation(body) && text.trim_start().starts_with('<') {
            self.presentation_edits(text, &mut edits);
        }
        edits.apply(body)
    }

    fn change(&self, text: &str, place: Range<usize>, hint: Hint, edits: &mut Edits) {
        if let Some(url) = text.get(place.clone()).and_then(|reference| self.url(reference, hint, false)) {
            edits.replace(place, url);
        }
    }

    fn playlist_edits(&self, text: &str, edits: &mut Edits) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let (begin, len) = (start, line.trim_end().len());
            start += line.len();
            if !line.starts_with('#') {
                self.change(text, begin..begin + len, Hint::Other, edits);
            } else if let Some(at) = line.find("URI=\"").map(|at| at + 5)
                && let Some(end) = line.get(at..).and_then(|rest| rest.find('"'))
            {
                self.change(text, begin + at..begin + at + end, Hint::Other, edits);
            }
        }
    }

    /// The text of `BaseURL`, and attributes that name segments; references are of ASCII as URLs are.
    fn presentation_edits(&self, text: &str, edits: &mut Edits) {
        for (at, tag) in text.match_indices("<BaseURL") {
            let from = at + tag.len();
            let open = text.get(from..).and_then(|rest| rest.find('>')).map(|end| from + end + 1);
            if let Some(open) = open
                && let Some(len) = text.get(open..).and_then(|rest| rest.find('<'))
            {
                self.change(text, open..open + len, Hint::Other, edits);
            }
        }
        for name in [" media=\"", " initialization=\"", " sourceURL=\""] {
            for (at, _) in text.match_indices(name) {
                let from = at + name.len();
                if let Some(len) = text.get(from..).and_then(|rest| rest.find('"')) {
                    self.change(text, from..from + len, Hint::Other, edits);
                }
            }
        }
    }

    /// The addresses of an import map, which are the values of its texts.
    pub(super) fn import_map_edits(&self, text: &str, start: usize, edits: &mut Edits) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(open) = memchr::memchr(b'"', bytes.get(at..).unwrap_or_default()).map(|offset| at + offset) {
            let mut end = open + 1;
            while let Some(byte) = bytes.get(end)
                && *byte != b'"'
            {
                end += if *byte == b'\\' { 2 } else { 1 };
            }
            at = end + 1;
            let is_key = bytes.get(at..).unwrap_or_default().trim_ascii_start().starts_with(b":");
            let place = open..at;
            if let Some(value) = text.get(place.clone()).and_then(|text| serde_json::from_str::<String>(text).ok())
                && !is_key
                && let Some(url) = self.url(&value, Hint::Script, false)
            {
                edits.replace(start + place.start..start + place.end, format!("\"{url}\""));
            }
        }
    }
}
