//! Events of a crawl for the people who watch it.

pub(super) mod event_queue;
#[cfg(test)]
pub(super) mod event_tests;
pub(super) mod event_writer;

use crate::uri::{CaptureDate, Url, authority_of};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// The subject of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A server requested a wait, or a failed fetch will be tried again.
    Wait,
    /// A host does not answer and is left alone for a while, or answers again.
    Host,
    /// A host was given up.
    HostGivenUp,
    /// Many hosts failed at once, or answer again.
    Network,
    /// A seed is refused, redirects elsewhere or is no web address.
    Seed,
    /// A source of the campaign named pages, or failed.
    Source,
    /// An answer was cut off by a limit or by the server.
    Truncated,
    /// robots.txt could not be fetched, or will be fetched again.
    Robots,
    /// A URL could not be processed because of an internal error.
    Error,
    /// The disk is full, or has room again.
    Disk,
    /// What an interrupted run left was put right.
    Recovery,
    /// Seeds, rules or limits of the launch changed.
    Campaign,
    /// A limit was reached, or the launch ended.
    End,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Wait,
        Self::Host,
        Self::HostGivenUp,
        Self::Network,
        Self::Seed,
        Self::Source,
        Self::Truncated,
        Self::Robots,
        Self::Error,
        Self::Disk,
        Self::Recovery,
        Self::Campaign,
        Self::End,
    ];

    /// The name of the kind in the catalogue, in logs and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Host => "host",
            Self::HostGivenUp => "host-given-up",
            Self::Network => "network",
            Self::Seed => "seed",
            Self::Source => "source",
            Self::Truncated => "truncated",
            Self::Robots => "robots",
            Self::Error => "error",
            Self::Disk => "disk",
            Self::Recovery => "recovery",
            Self::Campaign => "campaign",
            Self::End => "end",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the kind on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Wait => "Wait",
            Self::Host => "Host",
            Self::HostGivenUp => "Host given up",
            Self::Network => "Network",
            Self::Seed => "Seed",
            Self::Source => "Source",
            Self::Truncated => "Cut off",
            Self::Robots => "robots.txt",
            Self::Error => "Error",
            Self::Disk => "Disk",
            Self::Recovery => "Recovery",
            Self::Campaign => "Campaign",
            Self::End => "End",
        }
    }

    /// Whether it reports a state that another event ends: two in a row are no
    /// repeats unless their texts are the same.
    pub(super) fn is_state(self) -> bool {
        matches!(self, Self::Host | Self::Network | Self::Disk)
    }

    /// Whether a person who watches has to see it at once.
    pub fn is_anomaly(self) -> bool {
        matches!(self, Self::HostGivenUp | Self::Network | Self::Error | Self::Disk)
    }
}

/// The text behind the number of repeats of an event.
pub(super) const MORE_TIMES: &str = " more times since ";

/// Something that happened in a crawl, for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrawlEvent {
    /// When.
    pub date: CaptureDate,
    /// The kind of the event.
    pub kind: EventKind,
    /// Host with port where it is no default; empty where it concerns none.
    pub host: String,
    /// The URL, or empty.
    pub url: String,
    /// HTTP status, a Heritrix fetch status below zero, or 0 where none fits.
    pub status: i32,
    /// One sentence or more on what happened.
    pub text: String,
    /// How many times it happened; more than 1 where repeats were folded.
    pub count: u64,
}

impl CrawlEvent {
    /// An event of now that concerns no host in particular.
    pub fn new(kind: EventKind, text: impl Into<String>) -> Self {
        let (host, url) = (String::new(), String::new());
        Self { date: CaptureDate::now(), kind, host, url, status: 0, text: text.into(), count: 1 }
    }

    /// The text without what counts repeats.
    pub fn plain_text(&self) -> &str {
        let counted = self.text.split_once(MORE_TIMES);
        match counted.filter(|(count, _)| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())) {
            Some((_, rest)) => rest.split_once(": ").map_or(rest, |(_, text)| text),
            None => &self.text,
        }
    }

    /// The plain text without digits, which an event shares with its repeats.
    pub fn shape(&self) -> String {
        self.plain_text().replace(|c: char| c.is_ascii_digit(), "")
    }

    /// Names the host, with port where it is no default.
    #[must_use]
    pub fn of_host(mut self, authority: &str) -> Self {
        authority.clone_into(&mut self.host);
        self
    }

    /// Names the URL and its host.
    #[must_use]
    pub fn of_url(mut self, url: &Url) -> Self {
        authority_of(url).clone_into(&mut self.host);
        url.as_str().clone_into(&mut self.url);
        self
    }

    /// Adds an HTTP status, or a Heritrix fetch status below zero.
    #[must_use]
    pub fn with_status(mut self, status: i32) -> Self {
        self.status = status;
        self
    }
}

/// Gets each event of a running crawl, in order and repeats folded. It is
/// called by the thread that runs the crawl, never by its workers.
#[derive(Clone)]
pub struct EventObserver(Arc<dyn Fn(&CrawlEvent) + Send + Sync>);

impl EventObserver {
    /// Calls `on_event` for each event.
    pub fn new(on_event: impl Fn(&CrawlEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(on_event))
    }

    pub(super) fn notify(&self, event: &CrawlEvent) {
        (self.0)(event);
    }
}

impl fmt::Debug for EventObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventObserver")
    }
}
