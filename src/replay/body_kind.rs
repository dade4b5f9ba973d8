//! What an archived body is taken for: its type, and how it is rewritten.

use super::replay_url::Hint;
use super::rewrite::{is_playlist, is_presentation};
use crate::captures::media::{Scripts, computed_type, is_page_type, is_xml_type};

/// Bytes of a page within which it has a tag.
const TAG_WITHIN_BYTES: usize = 1024;

/// What a body is rewritten as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// A page, with the script of the replay.
    Page,
    /// An image of markup.
    Image,
    /// A style sheet.
    Sheet,
    /// A list of media files.
    List,
    /// Not at all.
    Other,
}

/// The type that a body is sent as: the place that needs it settles what the server left open.
pub fn shown_type(declared: &str, hint: Hint, body: &[u8]) -> String {
    let is_open = matches!(declared, "" | "text/html" | "text/plain" | "application/octet-stream");
    let is_markup = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start().starts_with(b"<");
    let mime = match hint {
        Hint::Script if is_open && !is_markup => "text/javascript",
        Hint::Style if is_open && !is_markup => "text/css",
        _ if declared.is_empty() && computed_type("", body, Scripts::Run) == "text/html" => "text/html",
        _ => declared,
    };
    mime.to_owned()
}

/// How a body of a type is rewritten.
pub fn body_kind(mime: &str, body: &[u8]) -> BodyKind {
    let begin = body.get(..TAG_WITHIN_BYTES).unwrap_or(body);
    // Whatever type is declared, a picture is none of a text.
    let is_text =
        begin.contains(&b'<') && !matches!(begin, [0x89, b'P', ..] | [0xff, 0xd8, ..] | [b'G', b'I', b'F', ..]);
    match mime {
        "text/css" => BodyKind::Sheet,
        "image/svg+xml" => BodyKind::Image,
        mime if is_page_type(mime) && is_text => BodyKind::Page,
        mime if mime.contains("mpegurl") || is_playlist(body) => BodyKind::List,
        mime if (is_xml_type(mime) || mime.is_empty()) && is_presentation(body) => BodyKind::List,
        _ => BodyKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_settles_what_the_server_left_open() {
        for (declared, hint, body, expected) in [
            ("text/html", Hint::Script, "function(){}", "text/javascript"),
            ("text/html", Hint::Script, " <html>", "text/html"),
            ("text/plain", Hint::Style, "a{}", "text/css"),
            ("application/octet-stream", Hint::Page, "<html>", "application/octet-stream"),
            ("", Hint::Page, "<!doctype html>", "text/html"),
            ("", Hint::Page, "plain", ""),
            ("image/png", Hint::Script, "x", "image/png"),
        ] {
            assert_eq!(shown_type(declared, hint, body.as_bytes()), expected, "{declared} {hint:?}");
        }
        assert_eq!(body_kind("text/html", b"\x89PNG\r\n <a"), BodyKind::Other);
        assert_eq!(body_kind("text/html", b"no tag"), BodyKind::Other);
        assert_eq!(body_kind("application/vnd.apple.mpegurl", b""), BodyKind::List);
    }
}
