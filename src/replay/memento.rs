//! Memento (RFC 7089): dates, links between captures, lists of them.

use super::replay_url::{Hint, replay_path};
use crate::serve::http_date;
use crate::uri::CaptureDate;
use std::fmt::Write;

/// Reads the value of `Accept-Datetime`; only the form of RFC 1123 is one.
pub fn parse_http_date(text: &str) -> Option<CaptureDate> {
    let civil = jiff::civil::DateTime::strptime("%a, %d %b %Y %H:%M:%S GMT", text.trim()).ok()?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(CaptureDate::from_seconds(zoned.timestamp().as_second()))
}

/// The URLs of a page in a replay at `base` (`http://127.0.0.1:8091`).
pub struct MementoLinks<'a> {
    /// Origin of the replay, without a slash at its end.
    pub base: &'a str,
    /// The archived URL.
    pub url: &'a str,
}

impl MementoLinks<'_> {
    /// The URL of a capture as a page.
    pub fn memento(&self, date: CaptureDate) -> String {
        replay_path(self.base, &date.to_digits14(), Hint::Page, self.url)
    }

    /// The link to a capture.
    pub fn memento_link(&self, date: CaptureDate) -> String {
        format!("<{}>; rel=\"memento\"; datetime=\"{}\"", self.memento(date), http_date(date))
    }

    /// The field `Link` of a capture, or of an answer that leads to one; the latter names no time gate, which it is.
    pub fn field(&self, date: CaptureDate, is_gate: bool) -> String {
        let Self { base, url } = self;
        let gate = if is_gate { String::new() } else { format!("<{base}/w/{url}>; rel=\"timegate\", ") };
        format!(
            "<{url}>; rel=\"original\", {gate}<{base}/w/timemap/link/{url}>; rel=\"timemap\"; \
             type=\"application/link-format\", {}",
            self.memento_link(date)
        )
    }

    /// The list of captures, oldest first.
    pub fn time_map(&self, dates: &[CaptureDate]) -> String {
        let Self { base, url } = self;
        let bound = |date: Option<&CaptureDate>| date.copied().map(http_date).unwrap_or_default();
        let mut out = format!(
            "<{base}/w/timemap/link/{url}>; rel=\"self\"; type=\"application/link-format\"; from=\"{}\"; until=\"{}\",\n\
             <{base}/w/{url}>; rel=\"timegate\",\n<{url}>; rel=\"original\"",
            bound(dates.first()),
            bound(dates.last())
        );
        for date in dates {
            // Writing into a string does not fail.
            let _ = write!(out, ",\n{}", self.memento_link(*date));
        }
        out.push('\n');
        out
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_links_have_the_form_of_the_standard() {
        let date = parse_http_date("Fri, 05 Jan 2024 09:30:00 GMT").unwrap();
        assert_eq!(date.to_digits14(), "20240105093000");
        for text in ["2024-01-05", "Fri, 05 Jan 2024", "", "Fri, 05 Jan 2024 09:30:00 +0100"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
        let links = MementoLinks { base: "http://127.0.0.1:1", url: "https://museu.example/" };
        let memento = "<http://127.0.0.1:1/w/20240105093000mp_/https://museu.example/>; rel=\"memento\"; \
                       datetime=\"Fri, 05 Jan 2024 09:30:00 GMT\"";
        assert!(links.field(date, false).ends_with(&format!("type=\"application/link-format\", {memento}")));
        assert!(
            links.field(date, false).contains("rel=\"timegate\"") && !links.field(date, true).contains("timegate\"")
        );
        assert!(links.time_map(&[date]).ends_with(&format!("rel=\"original\",\n{memento}\n")));
    }
}
