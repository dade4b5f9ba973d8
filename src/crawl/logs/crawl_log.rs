//! crawl.log: one line a URL, in Heritrix's twelve columns.
//!
//! Columns (`UriProcessingFormatter`): log time, fetch status, size, URL,
//! path from the seed, via, MIME type, worker, start and duration, payload
//! digest, source tag, annotations. Absent values are `-`.

use crate::captures::CaptureEntry;
use crate::crawl::Admission;
use crate::scope::{Decision, Verdict, split_extra};
use crate::uri::{CaptureDate, Url, parse_web_url};
use serde_json::{Map, Value};

/// One line of crawl.log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlLogLine {
    /// When the line was written.
    pub logged: CaptureDate,
    /// HTTP status, or a Heritrix fetch status below zero.
    pub status: i32,
    /// Bytes of the body as received.
    pub size: Option<u64>,
    /// The URL as the log has it.
    pub url: String,
    /// Path from the seed; empty for a seed.
    pub hops: String,
    /// The page that led here.
    pub via: Option<String>,
    /// MIME type without parameters.
    pub mime: String,
    /// Number of the worker.
    pub worker: u32,
    /// When the fetch began.
    pub started: Option<CaptureDate>,
    /// How long it took, in milliseconds.
    pub took_ms: Option<u64>,
    /// `sha1:BASE32` of the payload.
    pub digest: Option<String>,
    /// The word of the seed.
    pub source_tag: String,
    /// Remarks such as `3t`, `dol:12`, `lenTrunc`.
    pub annotations: Vec<String>,
    /// The thirteenth column, where the crawl writes one.
    pub extra: Option<Map<String, Value>>,
}

impl CrawlLogLine {
    /// A line for a URL of the frontier that came to its end.
    pub fn of(admission: &Admission, status: i32, worker: usize, logged: CaptureDate) -> Self {
        Self {
            logged,
            status,
            size: None,
            url: admission.candidate.url.to_string(),
            hops: admission.candidate.hops.clone(),
            via: admission.candidate.via.as_ref().map(Url::to_string),
            mime: "-".to_owned(),
            worker: u32::try_from(worker).unwrap_or(u32::MAX),
            started: None,
            took_ms: None,
            digest: None,
            source_tag: admission.candidate.source_tag.clone(),
            annotations: Vec::new(),
            extra: None,
        }
    }

    /// A line for a capture that lost its own.
    pub(in crate::crawl) fn recovered(capture: &CaptureEntry, logged: CaptureDate) -> Self {
        let line = Self {
            logged,
            status: capture.notes.status,
            size: None,
            url: capture.url.to_string(),
            hops: capture.notes.hops.clone(),
            via: capture.notes.via.as_ref().map(Url::to_string),
            mime: String::new(),
            worker: 0,
            started: None,
            took_ms: None,
            digest: None,
            source_tag: capture.notes.source_tag.clone(),
            annotations: vec!["recovered".to_owned()],
            extra: None,
        };
        let mut line = line.with_capture(capture);
        if capture.revisit_of.is_some() {
            line.annotations.push("duplicate:digest".to_owned());
        }
        line
    }

    /// Adds what a capture knows.
    pub fn with_capture(mut self, capture: &CaptureEntry) -> Self {
        self.size = Some(capture.payload_len);
        self.mime.clone_from(&capture.notes.mime);
        self.started = Some(capture.date);
        self.took_ms = capture.notes.fetch_ms;
        self.digest = Some(capture.payload_digest.clone());
        self
    }

    /// The URL, when it is one of the web.
    pub fn web_url(&self) -> Option<Url> {
        parse_web_url(&self.url)
    }

    /// The scope decision, where the thirteenth column has one, such as
    /// `ACCEPT by rule #4 ExternalGeoLocationDecideRule`.
    pub fn scope_decision(&self) -> Option<Verdict> {
        let decision_text = self.extra.as_ref()?.get("scopeDecision")?.as_str()?;
        let (decision, rest) = decision_text.split_once(" by rule #")?;
        let (index, rule_name) = rest.split_once(' ')?;
        let decision = match decision {
            "ACCEPT" => Decision::Accept,
            "REJECT" | "NONE" => Decision::Reject,
            _ => return None,
        };
        Some(Verdict { decision, rule_index: index.parse().ok(), rule_name: rule_name.to_owned() })
    }

    /// The line, without its end.
    pub fn write(&self) -> String {
        let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { escape(text) };
        let number = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let times = match (self.started, self.took_ms) {
            (Some(started), Some(took)) => format!("{}+{took}", started.to_digits17()),
            (Some(started), None) => started.to_digits17(),
            _ => "-".to_owned(),
        };
        let extra = self.extra.as_ref().map(|extra| format!(" {}", Value::Object(extra.clone()))).unwrap_or_default();
        format!(
            "{} {:>5} {:>10} {} {} {} {} #{:03} {times} {} {} {}{extra}",
            self.logged.to_log(),
            self.status,
            number(self.size),
            escape(&self.url),
            or_dash(&self.hops),
            or_dash(self.via.as_deref().unwrap_or_default()),
            or_dash(&self.mime),
            self.worker,
            self.digest.as_deref().map_or_else(|| "-".to_owned(), or_dash),
            or_dash(&self.source_tag),
            match self.annotations.join(",") {
                none if none.is_empty() => "-".to_owned(),
                // The last column may have blanks, and that of others has some;
                // what looks like the JSON behind it may not.
                some => escape_last(&some).replace(" {", "%20{"),
            },
        )
    }

    /// Reads a line of ours or of Heritrix (with or without its thirteenth
    /// column of JSON). `Err` says what is wrong, for a person.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut columns: Vec<&str> = Vec::with_capacity(12);
        let mut rest = line.trim();
        while columns.len() < 11 {
            let (column, tail) = rest.split_once(' ').ok_or_else(|| {
                format!("{} columns where 12 are expected", columns.len() + usize::from(!rest.is_empty()))
            })?;
            columns.push(column);
            rest = tail.trim_start();
        }
        let (rest, extra) = split_extra(rest);
        let text = |column: usize| match columns[column] {
            "-" => String::new(),
            // Heritrix's tags are URLs of seeds, with escapes of their own.
            url if url.contains("://") => url.to_owned(),
            text => text.replace("%20", " "),
        };
        let (started, took_ms) = match columns[8].split_once(['+', ';']) {
            Some((started, took)) => (CaptureDate::parse(started).ok(), took.parse().ok()),
            None => (CaptureDate::parse(columns[8]).ok(), None),
        };
        Ok(Self {
            logged: CaptureDate::parse(columns[0]).map_err(|error| error.to_string())?,
            status: columns[1].parse().map_err(|_| format!("“{}” is no status", columns[1]))?,
            size: columns[2].parse().ok(),
            url: columns[3].to_owned(),
            hops: text(4),
            via: Some(columns[5].to_owned()).filter(|via| via != "-"),
            mime: columns[6].to_owned(),
            worker: columns[7].trim_start_matches('#').parse().unwrap_or(0),
            started,
            took_ms,
            digest: Some(columns[9].to_owned()).filter(|digest| digest != "-"),
            source_tag: text(10),
            annotations: rest.split(',').map(str::to_owned).filter(|text| !text.is_empty() && text != "-").collect(),
            extra,
        })
    }
}

/// A column holds no blank: what has some is escaped as in URLs.
pub(in crate::crawl) fn escape(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            ' ' => "%20".to_owned(),
            character if character.is_whitespace() || character.is_control() => "_".to_owned(),
            character => character.to_string(),
        })
        .collect()
}

/// The last column of a line may have blanks.
pub(in crate::crawl) fn escape_last(text: &str) -> String {
    text.split(' ').map(escape).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const HERITRIX: &str = "2011-06-23T17:12:08.802Z   200       1299 http://content-5.powells.com/robots.txt LREP \
        http://content-5.powells.com/cgi-bin/imageDB.cgi?isbn=9780385518635 text/plain #014 20110623171208574+225 \
        sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - -";

    #[test]
    fn the_line_of_the_manual_is_read_and_written_back() {
        let line = CrawlLogLine::parse(HERITRIX).unwrap();
        assert_eq!((line.status, line.size, line.hops.as_str(), line.worker), (200, Some(1299), "LREP", 14));
        assert_eq!((line.took_ms, line.annotations.len()), (Some(225), 0));
        assert_eq!(line.write(), HERITRIX);
    }

    #[test]
    fn every_column_survives() {
        let line = CrawlLogLine {
            size: None,
            source_tag: "town library".to_owned(),
            annotations: vec!["3t".to_owned(), "dol:12".to_owned()],
            via: None,
            ..CrawlLogLine::parse(HERITRIX).unwrap()
        };
        let text = line.write();
        assert_eq!(text.split_ascii_whitespace().count(), 12, "{text}");
        assert_eq!(CrawlLogLine::parse(&text).unwrap(), line);
        let json = "{\"contentSize\":12,\"scopeDecision\":\"ACCEPT by rule #4 ExternalGeoLocationDecideRule\"}";
        let with_json = CrawlLogLine::parse(&format!("{text} {json}")).unwrap();
        assert_eq!(with_json.write(), format!("{text} {json}"));
        let verdict = with_json.scope_decision().unwrap();
        assert_eq!((verdict.rule_index, verdict.rule_name.as_str()), (Some(4), "ExternalGeoLocationDecideRule"));
        assert_eq!(CrawlLogLine { extra: None, ..with_json }, line);
        assert_eq!(line.scope_decision(), None);
    }

    #[test]
    fn annotations_with_braces_and_tags_that_are_urls_are_read() {
        let line = HERITRIX.trim_end_matches("- -");
        let json = "{\"scopeDecision\":\"ACCEPT by rule #4 X\"}";
        let read = CrawlLogLine::parse(&format!("{line}http://a.pt/b%20c 3t,err= {{odd}} {json}")).unwrap();
        assert_eq!(read.source_tag, "http://a.pt/b%20c");
        assert_eq!(read.annotations, ["3t", "err= {odd}"]);
        assert_eq!(read.scope_decision().unwrap().rule_index, Some(4));
        // What only looks like JSON is a remark.
        let read = CrawlLogLine::parse(&format!("{line}- err= {{odd}}")).unwrap();
        assert_eq!((read.annotations, read.extra), (vec!["err= {odd}".to_owned()], None));
    }

    #[test]
    fn other_text_is_refused_with_a_reason() {
        for text in ["", "hello", "2011-06-23T17:12:08.802Z 200 - http://a/ - -"] {
            assert!(CrawlLogLine::parse(text).unwrap_err().contains("columns"), "{text}");
        }
        let bad = HERITRIX.replace("  200 ", "  abc ");
        assert!(CrawlLogLine::parse(&bad).unwrap_err().contains("abc"));
    }
}
