//! The forms that a crawl feed comes in.

use super::date::FeedDate;
use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The form of a feed, or of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Array of targets, dates in milliseconds: what the tool's API answers.
    #[default]
    Api,
    /// `{"targets": {"<id>": …}}`, dates as text: `w3act crawl-feed -F json`.
    Wrapped,
    /// One target a line, dates as text: `w3act crawl-feed -F jsonl`.
    Lines,
    /// Array of targets, dates as text: what the hourly launcher reads.
    Launcher,
    /// Array of `field_…` objects, dates in seconds: what the tool's API takes.
    #[serde(rename = "write-back")]
    WriteBack,
    /// One launch message a seed and line: what the crawler's queue takes.
    Launch,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Api, Self::Wrapped, Self::Lines, Self::Launcher, Self::WriteBack, Self::Launch];

    /// The name of the dialect on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Wrapped => "wrapped",
            Self::Lines => "lines",
            Self::Launcher => "launcher",
            Self::WriteBack => "write-back",
            Self::Launch => "launch",
        }
    }

    /// The dialect of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == text)
    }

    /// Names of the fields; dialects with the same names are one family.
    pub(super) fn names(self) -> &'static Names {
        match self {
            Self::Api | Self::Wrapped | Self::Lines | Self::Launcher => &CAMEL,
            Self::WriteBack => &FIELD,
            Self::Launch => &MESSAGE,
        }
    }

    /// A date as entries of the dialect have it; none of them is null in all.
    pub(super) fn date(self, date: Option<CaptureDate>) -> Value {
        match (self, date) {
            (Self::Api | Self::Launch, Some(date)) => date.millis().into(),
            (Self::Api | Self::Launch, None) => Value::Null,
            (Self::WriteBack, date) => date.map_or(0, CaptureDate::seconds).into(),
            (Self::Wrapped | Self::Lines | Self::Launcher, Some(date)) => FeedDate::text(date).into(),
            (Self::Launcher, None) => Value::Null,
            (Self::Wrapped | Self::Lines, None) => "".into(),
        }
    }
}

/// The names of the fields.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub title: &'static str,
    pub seeds: &'static str,
    pub cap: &'static str,
    pub scope: &'static str,
    pub ignore_robots: &'static str,
    pub watched: &'static str,
    pub document_url_scheme: &'static str,
    /// None where dates and frequency are in the entry itself.
    pub schedules: Option<&'static str>,
    pub start: &'static str,
    pub end: &'static str,
    pub frequency: &'static str,
}

pub(super) const CAMEL: Names = Names {
    title: "title",
    seeds: "seeds",
    cap: "depth",
    scope: "scope",
    ignore_robots: "ignoreRobotsTxt",
    watched: "watched",
    document_url_scheme: "documentUrlScheme",
    schedules: Some("schedules"),
    start: "startDate",
    end: "endDate",
    frequency: "frequency",
};

pub(super) const FIELD: Names = Names {
    title: "title",
    seeds: "field_urls",
    cap: "field_depth",
    scope: "field_scope",
    ignore_robots: "field_ignore_robots_txt",
    watched: "watched",
    document_url_scheme: "documentUrlScheme",
    schedules: None,
    start: "field_crawl_start_date",
    end: "field_crawl_end_date",
    frequency: "field_crawl_frequency",
};

/// Of a launch message only the URL is a field of its own.
pub(super) const MESSAGE: Names = Names { seeds: "url", ..CAMEL };

/// Whether an object is a target itself by the names of its fields, and not
/// a container of targets.
pub(super) fn is_entry(fields: &Map<String, Value>) -> bool {
    fields.contains_key(CAMEL.seeds) || dialect_of(fields, Dialect::Wrapped) != Dialect::Wrapped
}

/// The dialect of an object, recognised by the names of its fields; one
/// that could be several is taken for `otherwise`.
pub(super) fn dialect_of(fields: &Map<String, Value>, otherwise: Dialect) -> Dialect {
    let has_seeds = fields.contains_key(CAMEL.seeds);
    if !has_seeds && fields.keys().any(|key| key.starts_with("field_")) {
        return Dialect::WriteBack;
    }
    if !has_seeds && fields.contains_key("url") && (fields.contains_key("isSeed") || fields.contains_key("parentUrl")) {
        return Dialect::Launch;
    }
    let schedules = fields.get("schedules").and_then(|schedules| schedules.get(0));
    let is_text = |name| schedules.and_then(|schedule| schedule.get(name)).is_some_and(Value::is_string);
    if otherwise == Dialect::Api && (is_text(CAMEL.start) || is_text(CAMEL.end)) {
        return Dialect::Launcher;
    }
    otherwise
}
