//! The trait of the store that keeps URLs, captures and decisions of a crawl.

use super::relevance::guide::TermTally;
use super::{CrawlError, CrawlEvent, LaunchTally, PriorityParts};
use crate::campaign::{Seed, SeedScope};
use crate::captures::{CaptureEntry, RecordPlace};
use crate::exchange::DiskGate;
use crate::links::Outlink;
use crate::scope::{AnnotationFact, Candidate, GeoFact, Verdict};
use crate::uri::{CaptureDate, Url};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The memory failed; the crawl stops rather than lose something.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the catalogue cannot be written or read: {0}")]
pub struct LedgerError(pub String);

/// The state that a URL gets when it is first seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionState {
    /// In scope: it waits to be fetched.
    Queued,
    /// Out of scope.
    Refused,
}

/// A URL seen for the first time in this launch, with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Admission {
    /// The candidate as it was judged.
    pub candidate: Candidate,
    /// The decision of the rules. A queued URL with a reject waits for its host's
    /// location, which could not be looked up yet: it is decided again when
    /// its turn comes.
    pub verdict: Verdict,
    /// Queued or refused.
    pub state: AdmissionState,
    /// Lower is fetched earlier; 0 for seeds and what they need.
    pub priority: i64,
    /// The parts of the priority, where the launch goes by relevance.
    pub parts: Option<PriorityParts>,
    /// When it was seen.
    pub date: CaptureDate,
}

/// The ledger's answer to a URL that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// It was not seen before, or refused when it was found and is queued now.
    New,
    /// It waits already, and now comes by the shorter way, or earlier.
    Nearer,
    /// Nothing: it is known.
    Known,
}

/// A URL waiting to be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedUrl {
    /// Its number in the ledger.
    pub id: i64,
    /// Its admission.
    pub admission: Admission,
    /// How often it was tried.
    pub tries: u32,
    /// Not before this.
    pub due: CaptureDate,
    /// The page whose link gives it its priority, and the text of that link, where they are others
    /// than those of the shortest way.
    pub linker: Option<(Url, String)>,
}

impl QueuedUrl {
    /// The URL itself.
    pub fn url(&self) -> &Url {
        &self.admission.candidate.url
    }

    /// Ends the URL without a capture; `why` is for people.
    pub fn ended(&self, fetch_status: i32, why: &str) -> Finished {
        let (refused, capture) = (None, None);
        let why = Some(why.to_owned());
        Finished { id: self.id, fetch_status, why, refused, capture, found: Vec::new(), reading: None }
    }
}

/// A part of the URLs that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePart<'a> {
    /// Those numbered from the first to the second number.
    Numbered(i64, i64),
    /// At most so many of a host, by priority.
    FirstOf(&'a str, usize),
}

/// A URL that waits, as far as its place in the queue depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitingUrl<'r> {
    /// Its number in the ledger.
    pub id: i64,
    /// The URL.
    pub url: &'r str,
    /// The page whose link gives it its priority.
    pub linker: Option<&'r str>,
    /// The text of that link.
    pub anchor: &'r str,
    /// See [`Candidate::hops`].
    pub hops: &'r str,
    /// Whether it is a seed of the campaign.
    pub is_seed: bool,
    /// The tag of the seed that it descends from.
    pub source_tag: &'r str,
    /// Lower is fetched earlier.
    pub priority: i64,
    /// The parts of the priority, where the launch goes by relevance.
    pub parts: Option<PriorityParts>,
}

/// A page that a source of the campaign named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// The page.
    pub url: Url,
    /// The answer that named it.
    pub via: Option<Url>,
    /// The source tag of its source.
    pub tag: String,
    /// The item whose text has it, where it is no item itself.
    pub within: Option<Url>,
}

impl SourcePage {
    /// The seed that it is: the page and what it links to.
    pub fn seed(&self) -> Option<Seed> {
        let url = self.within.is_none().then(|| self.url.to_string())?;
        Some(Seed { url, scope: SeedScope::Plus1, depth: None, source_tag: self.tag.clone() })
    }

    /// The URL for the rules.
    pub(super) fn candidate(&self) -> Candidate {
        let hops = if self.within.is_some() { "M" } else { "" };
        Candidate {
            is_seed: self.within.is_none(),
            seed: Some(self.within.as_ref().unwrap_or(&self.url).to_string()),
            source_tag: self.tag.clone(),
            via: self.via.clone(),
            hops: hops.to_owned(),
            ..Candidate::bare(self.url.clone())
        }
    }
}

/// A URL that another plan decides otherwise than the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedAdmission {
    /// Its number in the ledger.
    pub id: i64,
    /// Its state before.
    pub from: AdmissionState,
    /// Its admission now; candidate, verdict, state and priority may be others.
    pub to: Admission,
}

/// The answer of an origin to a request for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsAnswer {
    /// HTTP status, or a Heritrix fetch status below zero.
    pub status: i32,
    /// The text, content encoding removed, at most 500 KiB.
    pub body: Vec<u8>,
    /// When it was fetched.
    pub date: CaptureDate,
}

/// Number of URLs that wait for one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostBacklog {
    /// Host name with port where it is no default, as in the URL.
    pub authority: String,
    /// URLs that wait.
    pub waiting: u64,
    /// The lowest priority among them.
    pub first: i64,
}

/// A pause of a launch towards one host, with its end and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostWait {
    /// Host name with port where it is no default.
    pub authority: String,
    /// No request goes to it before this.
    pub free: CaptureDate,
    /// Times in a row that it gave no answer.
    pub failures: u32,
    /// Times in a row that it refused for now (429, 503).
    pub refusals: u32,
    /// When this was decided, by the clock that `free` is of.
    pub set: CaptureDate,
    /// Where it was given up: the fetch status of its URLs, and why.
    pub given_up: Option<(i32, String)>,
}

/// The end of one URL's way through the frontier, stored in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Its number in the ledger.
    pub id: i64,
    /// HTTP status, or a Heritrix fetch status below zero.
    pub fetch_status: i32,
    /// Words for a person where it failed.
    pub why: Option<String>,
    /// The verdict, when it changed after admission (robots, location).
    pub refused: Option<Verdict>,
    /// The capture, when there is one.
    pub capture: Option<CaptureEntry>,
    /// URLs seen for the first time on it.
    pub found: Vec<Admission>,
    /// What its page has of the request, where the launch goes by relevance.
    pub reading: Option<PageReading>,
}

/// What a page has of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageReading {
    /// Its score, from 0 to 10,000.
    pub score: u16,
    /// Terms of the request in its main text, each once.
    pub terms: Vec<String>,
}

/// What a launch has learned of its request and hosts so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearnedOrder {
    /// The seed of its random choices.
    pub seed: u64,
    /// Pages that it has read.
    pub pages: u64,
    /// Pages with each term.
    pub terms: HashMap<String, TermTally>,
    /// The version of the campaign that all of the queue is ordered by.
    pub version: Option<u32>,
}

/// A capture whose records are not in the files that the ledger names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostCapture {
    /// Its number in the ledger.
    pub id: i64,
    /// Its URL.
    pub url: Url,
    /// When it was taken.
    pub date: CaptureDate,
    /// Decisions and notes of people about it, oldest first.
    pub decisions: Vec<String>,
}

/// The store of one launch of a campaign. Calls are durable when they
/// return, against a kill of the process.
pub trait Ledger: Send + Sync {
    /// Adds URLs that this launch has not seen (the exact URL counts, without
    /// fragment); returns the result for each. A URL that was refused
    /// when it was found and now comes as queued (by a shorter way, or as a
    /// robots.txt that is needed) is taken over as queued and counts as new;
    /// one that was refused at its turn ([`Finished::refused`]) is not. One
    /// that waits and is found again fewer hops from its seed takes that way.
    fn admit(&self, found: Vec<Admission>) -> Result<Vec<Admitted>, LedgerError>;

    /// The next URLs that wait for a host, leaving out those numbered in
    /// `in_flight`: first those that are due at `now`, by priority and then in
    /// the order they were admitted; after them those due later, earliest
    /// first.
    fn waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError>;

    /// One URL that waits for a host and is due at `now`, leaving out those numbered in `in_flight`:
    /// that at this place of the queue, counted from 0.
    fn waiting_at(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        place: u64,
    ) -> Result<Option<QueuedUrl>, LedgerError>;

    /// What the launch has learned; `each` gets the host and score of every page that it read, in
    /// the order in which they were fetched.
    fn learned_order(&self, each: &mut dyn FnMut(&str, u16)) -> Result<LearnedOrder, LedgerError>;

    /// The least and the greatest number of a URL that waits.
    fn waiting_span(&self) -> Result<Option<(i64, i64)>, LedgerError>;

    /// Gives `each` the URLs that wait, of a part of the queue.
    fn each_waiting(&self, part: QueuePart<'_>, each: &mut dyn FnMut(&WaitingUrl<'_>)) -> Result<(), LedgerError>;

    /// Does `work` that changes much of the queue, while others use the ledger as well.
    fn in_bulk(&self, work: &mut dyn FnMut() -> Result<(), CrawlError>) -> Result<(), CrawlError> {
        work()
    }

    /// Keeps other priorities of URLs that wait.
    fn rescore(&self, changed: Vec<(i64, i64, Option<PriorityParts>)>) -> Result<(), LedgerError>;

    /// Keeps that all of the queue is ordered by a version of the campaign.
    fn keep_ordered(&self, version: u32) -> Result<(), LedgerError>;

    /// Keeps which terms are looked for from now on; what is known of them stays.
    fn keep_terms(&self, terms: Vec<(String, TermTally)>) -> Result<(), LedgerError>;

    /// Hosts for which URLs wait.
    fn backlog(&self) -> Result<Vec<HostBacklog>, LedgerError>;

    /// Puts a failed URL back.
    fn defer(&self, id: i64, tries: u32, due: CaptureDate, why: &str) -> Result<(), LedgerError>;

    /// Ends at most `limit` URLs that wait for a host, leaving out those
    /// numbered in `in_flight`, as failed; gives them.
    fn fail_waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        status: i32,
        why: &str,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError>;

    /// Puts a URL that came to its end, or waits with less urgency, into the
    /// queue before all others of its host; true if there was one.
    fn queue_again(&self, url: &Url, priority: i64) -> Result<bool, LedgerError>;

    /// Hosts that this launch leaves alone.
    fn host_waits(&self) -> Result<Vec<HostWait>, LedgerError>;

    /// Keeps how long a host is left alone.
    fn keep_host_wait(&self, wait: &HostWait) -> Result<(), LedgerError>;

    /// Ends the wait for a host that answered: nothing is kept about it any more.
    fn end_host_wait(&self, authority: &str) -> Result<(), LedgerError>;

    /// Whether a host answered in this launch, or a seed is on it.
    fn is_known_host(&self, authority: &str) -> Result<bool, LedgerError>;

    /// Ends a URL; returns for each of `found` the result of [`Ledger::admit`].
    fn finish(&self, finished: Finished) -> Result<Vec<Admitted>, LedgerError>;

    /// Adds outlinks to a capture that was kept without all of them, named by
    /// its first record; with the last part it has them all. Those that are
    /// there stay.
    fn add_outlinks(&self, record: &RecordPlace, links: Vec<Outlink>, is_last: bool) -> Result<(), LedgerError>;

    /// An earlier capture of any launch with this payload under the same URL,
    /// for a revisit record: its date and record id.
    fn same_payload(&self, url: &Url, payload_digest: &str) -> Result<Option<(CaptureDate, String)>, LedgerError>;

    /// The countries of hosts that are known.
    fn geo_facts(&self) -> Result<HashMap<String, GeoFact>, LedgerError>;

    /// Marks and notes of people on earlier captures, by URL.
    fn annotations(&self) -> Result<HashMap<String, AnnotationFact>, LedgerError> {
        Ok(HashMap::new())
    }

    /// Pages that sources named and no launch has taken yet become those of this launch.
    fn take_source_pages(&self) -> Result<Vec<SourcePage>, LedgerError> {
        Ok(Vec::new())
    }

    /// All pages of sources that this launch has taken.
    fn source_pages(&self) -> Result<Vec<SourcePage>, LedgerError> {
        Ok(Vec::new())
    }

    /// Keeps the countries of hosts.
    fn keep_geo_facts(&self, facts: &[(String, GeoFact)]) -> Result<(), LedgerError>;

    /// The robots.txt answers this launch has had, kept so that a resumed
    /// crawl does not fetch them again. `origin` as in `https://example.pt:8443`.
    fn robots(&self, origin: &str) -> Result<Option<RobotsAnswer>, LedgerError>;

    /// Keeps the robots.txt answer of an origin for this launch.
    fn keep_robots(&self, origin: &str, answer: &RobotsAnswer) -> Result<(), LedgerError>;

    /// Where this launch found a URL to redirect to.
    fn redirect_of(&self, url: &Url) -> Result<Option<Url>, LedgerError>;

    /// At most `limit` URLs numbered above `after`, in order, that wait or
    /// were refused when they were found.
    fn undecided(&self, after: i64, limit: usize) -> Result<Vec<QueuedUrl>, LedgerError>;

    /// Keeps the verdicts of URLs that were judged once more: decision, state and
    /// priority, whether each is a seed, and the word of its seed. Returns for each
    /// whether it was kept: one that is in another state by now, or came to its
    /// end, stays as it is.
    fn rejudge(&self, changed: Vec<ChangedAdmission>) -> Result<Vec<bool>, LedgerError>;

    /// Keeps that the launch goes on with another version of its campaign since an instant.
    fn change_version(&self, from: u32, to: u32, since: CaptureDate) -> Result<(), LedgerError>;

    /// The URL, if it still waits to be fetched in this launch.
    fn find_waiting(&self, url: &Url) -> Result<Option<QueuedUrl>, LedgerError>;

    /// Begin and end of every record of this file that belongs to a capture,
    /// in the order of the file. `file` as in
    /// [`RecordPlace::file`](super::RecordPlace::file).
    fn recorded(&self, file: &str) -> Result<Vec<Range<u64>>, LedgerError>;

    /// Keeps a capture that lies in the files although no URL waits for it:
    /// what is on disk is in the catalogue.
    fn keep_capture(&self, capture: CaptureEntry) -> Result<(), LedgerError>;

    /// Passes on each decision since `date`, as the ledger has it now.
    fn decided_since(&self, date: CaptureDate, each: &mut dyn FnMut(Admission)) -> Result<(), LedgerError>;

    /// Gives the ledger what it shall wait for when its disk is full, so that
    /// a call comes back when there was room.
    fn set_disk_gate(&self, _gate: Arc<DiskGate>) {}

    /// Adds events of the launch. It fails on a full disk.
    fn keep_events(&self, events: Vec<CrawlEvent>) -> Result<(), LedgerError>;

    /// The files with captures of this launch.
    fn files(&self) -> Result<Vec<String>, LedgerError>;

    /// The captures that have a record at one of these places of a file.
    fn captures_at(&self, file: &str, offsets: &[u64]) -> Result<Vec<LostCapture>, LedgerError>;

    /// Takes captures out of the ledger, with all that is known of them, and
    /// puts their URLs back into the queue.
    fn lose_captures(&self, lost: &[LostCapture]) -> Result<(), LedgerError>;

    /// Captures of the launch that began at an instant or later, and the last
    /// ones that were kept whenever they began, one by one, without records
    /// and links.
    fn captures_since(&self, date: CaptureDate, each: &mut dyn FnMut(CaptureEntry)) -> Result<(), LedgerError>;

    /// URLs that came to their end without a capture at an instant of the
    /// system's clock or later, with their fetch status, one by one.
    fn failed_since(&self, date: CaptureDate, each: &mut dyn FnMut(Admission, i32)) -> Result<(), LedgerError>;

    /// The totals of the launch so far. Reports, limits and the figures of a
    /// launch that goes on are all reckoned from this.
    fn tally(&self, seeds: &[Url]) -> Result<LaunchTally, LedgerError>;

    /// Keeps that the launch runs, so that the time it ran is known after a kill.
    fn keep_running(&self) -> Result<(), LedgerError>;

    /// Whether the launch has seen this URL.
    fn has_seen(&self, url: &Url) -> Result<bool, LedgerError>;
}
