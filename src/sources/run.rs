//! A run of one query: request after request, as far as the list goes and the limits let.

use super::adapters::{AnswerPage, ItemOrder, SourceAdapter};
use super::answer::{ApiAnswer, ApiRequest, Refusal, SourceItem};
use super::queries::SourceQuery;
use crate::campaign::{CampaignSource, SourceKind};
use crate::jobs::{counted, counted_time};
use crate::uri::{CaptureDate, Url};
use std::collections::{HashSet, VecDeque};
use std::time::Duration;

/// Times that one request is sent.
const MAX_TRIES: u32 = 4;
/// Pages in a row without an item that was not there before: the list repeats itself.
const MAX_STALE_PAGES: u32 = 5;
/// Addresses of further pages that wait at the same time, as of an index of sitemaps.
const MAX_WAITING_PAGES: usize = 50_000;
/// How far dates of items may be ahead of the server's clock.
const CLOCK_SLACK_MS: i64 = 3_600_000;
/// Remarks of a run.
const MAX_NOTES: usize = 10;

/// What a run may still take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLimits {
    /// Requests.
    pub requests: u64,
    /// Items that were not known.
    pub items: u64,
    /// Waiting that servers request.
    pub waiting: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { requests: 100, items: 10_000, waiting: Duration::from_secs(300) }
    }
}

/// Whoever sends the requests of a run and keeps what it brings.
pub trait SourceExchanges {
    /// An error that ends the run: stopped by a person, or a disk that takes nothing.
    type Error;

    /// Sends a request. Its answer is in the archive when this returns.
    fn fetch(&mut self, request: &ApiRequest) -> Result<Result<ApiAnswer, Refusal>, Self::Error>;

    /// Keeps items that an answer from `via` has; returns how many were not known.
    fn keep(&mut self, items: &[SourceItem], via: &Url) -> Result<u64, Self::Error>;

    /// Waits.
    fn wait(&mut self, time: Duration, why: &str) -> Result<(), Self::Error>;
}

/// The outcome of one query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryOutcome {
    /// Requests that were answered.
    pub requests: u64,
    /// Items of all answers.
    pub items: u64,
    /// Items that were not known.
    pub new: u64,
    /// Items without an address that can be fetched.
    pub left_out: u64,
    /// The mark for the next run.
    pub mark: Option<String>,
    /// Why it ended before the end of the list; none where it did not.
    pub failure: Option<String>,
    /// Whether a limit ended it.
    pub is_limited: bool,
    /// Whether the source is gone for good.
    pub is_gone: bool,
    /// The least time till the next run, by the word of the source.
    pub pause: Option<Duration>,
    /// Remarks for a person.
    pub notes: Vec<String>,
}

/// The parts of a run that stay the same.
pub struct SourceRun<'r> {
    /// The source.
    pub source: &'r CampaignSource,
    /// Its protocol.
    pub adapter: &'r dyn SourceAdapter,
    /// The query.
    pub query: &'r SourceQuery,
    /// The mark of the run before.
    pub mark: Option<&'r str>,
}

/// Runs a query.
///
/// # Errors
///
/// Those of `exchanges`. What the server does wrong is in the outcome.
pub fn run_query<E: SourceExchanges>(
    run: &SourceRun<'_>,
    limits: &mut RunLimits,
    exchanges: &mut E,
) -> Result<QueryOutcome, E::Error> {
    let mut outcome = QueryOutcome { mark: run.mark.map(str::to_owned), ..QueryOutcome::default() };
    let first = match run.adapter.first(run.source, run.query, run.mark) {
        Ok(first) => first,
        Err(why) => {
            outcome.failure = Some(why);
            return Ok(outcome);
        }
    };
    let home = first.url.clone();
    let mut progress = Progress::default();
    progress.seen.insert(first.url.to_string());
    progress.waiting.push_back(first);
    while let Some(request) = progress.waiting.pop_front() {
        if limits.requests == 0 || limits.items == 0 {
            outcome.is_limited = true;
            let what = if limits.items == 0 { "new pages" } else { "requests" };
            let then = match progress.order {
                ItemOrder::NewestFirst => "what is older is left out",
                ItemOrder::OldestFirst | ItemOrder::Any => "the next one goes on",
            };
            outcome.note(format!("a run takes no more {what}; {then}"));
            break;
        }
        let Some((page, answer)) = read_one(run, &request, limits, &mut outcome, exchanges)? else { break };
        outcome.items += page.items.len() as u64;
        outcome.left_out += page.left_out;
        let unmet = page.items.iter().filter(|item| progress.items.insert(item.url.to_string())).count();
        let new = exchanges.keep(&page.items, &answer.url)?;
        outcome.new += new;
        limits.items = limits.items.saturating_sub(new);
        progress.add(&page, &answer, &mut outcome);
        progress.stale = if unmet == 0 { progress.stale + 1 } else { 0 };
        // What a run before that came to its end knew is the end of what is new.
        let is_known = page.order == ItemOrder::NewestFirst && run.mark.is_some() && new == 0;
        if is_known {
            break;
        }
        if progress.stale >= MAX_STALE_PAGES && run.source.kind != SourceKind::Sitemap {
            outcome.note(format!(
                "its last {} brought nothing new: the list repeats itself",
                counted(progress.stale.into(), "page")
            ));
            break;
        }
        progress.go_on(run.source.kind, &home, page.next, &mut outcome);
        if let Some(wait) = answer.requested_wait().filter(|_| !progress.waiting.is_empty())
            && !wait_for(wait, "the server's rate limit is used up", limits, &mut outcome, exchanges)?
        {
            break;
        }
    }
    let is_whole = outcome.failure.is_none() && !outcome.is_limited;
    let keeps_mark = match progress.order {
        // All before the mark is kept already.
        ItemOrder::OldestFirst => true,
        ItemOrder::NewestFirst => outcome.failure.is_none(),
        ItemOrder::Any => is_whole,
    };
    if keeps_mark && !outcome.is_gone {
        outcome.mark = later(outcome.mark.take(), progress.mark);
    }
    Ok(outcome)
}

/// Where a run is.
#[derive(Default)]
struct Progress {
    waiting: VecDeque<ApiRequest>,
    /// Addresses that were requested, or wait.
    seen: HashSet<String>,
    /// Addresses of items.
    items: HashSet<String>,
    stale: u32,
    /// A page was read.
    is_begun: bool,
    mark: Option<String>,
    order: ItemOrder,
}

impl Progress {
    fn add(&mut self, page: &AnswerPage, answer: &ApiAnswer, outcome: &mut QueryOutcome) {
        self.order = page.order;
        // Validators are those of the first page, by which the others are found.
        let mark = page.mark.as_deref().map(|mark| if self.is_begun { parts_of(mark).0 } else { mark });
        self.is_begun = true;
        if let Some(mark) = mark.filter(|mark| !mark.is_empty()) {
            let (mark, is_ahead) = not_ahead(mark, answer.server_time());
            if is_ahead {
                outcome.note("dates of items are ahead of the server's clock: they do not move the mark".to_owned());
            }
            self.mark = later(self.mark.take(), Some(mark));
        }
        if let Some(minutes) = page.minutes {
            outcome.pause = Some(Duration::from_secs(minutes.saturating_mul(60)));
        }
        if let Some(note) = &page.note {
            outcome.note(note.clone());
        }
    }

    /// Takes where the list goes on: of an index of sitemaps all, else the first address that was not read.
    fn go_on(&mut self, kind: SourceKind, home: &Url, next: Vec<ApiRequest>, outcome: &mut QueryOutcome) {
        let most = if kind == SourceKind::Sitemap { MAX_WAITING_PAGES } else { 1 };
        let mut taken = 0;
        let mut is_repeated = false;
        for request in next {
            if taken >= most || self.waiting.len() >= MAX_WAITING_PAGES {
                break;
            }
            let may_move = matches!(kind, SourceKind::Feed | SourceKind::Sitemap);
            if !matches!(request.url.scheme(), "http" | "https") || (!may_move && request.url.origin() != home.origin())
            {
                outcome.note(format!("its next page is on another server and is not read: {}", request.url));
                continue;
            }
            if !self.seen.insert(request.url.to_string()) {
                is_repeated = true;
                continue;
            }
            self.waiting.push_back(request);
            taken += 1;
        }
        if taken == 0 && is_repeated && kind != SourceKind::Feed {
            outcome.note("its next page is one that was read: the list goes round in a circle".to_owned());
        }
    }
}

/// Sends one request, again where the server requests a wait. None where the run ends here.
fn read_one<E: SourceExchanges>(
    run: &SourceRun<'_>,
    request: &ApiRequest,
    limits: &mut RunLimits,
    outcome: &mut QueryOutcome,
    exchanges: &mut E,
) -> Result<Option<(AnswerPage, ApiAnswer)>, E::Error> {
    for _ in 0..MAX_TRIES {
        if limits.requests == 0 {
            break;
        }
        limits.requests -= 1;
        let read = exchanges.fetch(request)?.and_then(|answer| {
            outcome.requests += 1;
            Ok((run.adapter.read(request, &answer, run.mark)?, answer))
        });
        match read {
            Ok(read) => return Ok(Some(read)),
            Err(Refusal::BeyondEnd) => return Ok(None),
            Err(Refusal::Gone(why)) => {
                (outcome.is_gone, outcome.failure) = (true, Some(why));
                return Ok(None);
            }
            Err(Refusal::Failed(why)) => {
                outcome.failure = Some(why);
                return Ok(None);
            }
            Err(Refusal::Wait(wait, why)) => {
                if !wait_for(wait, &why, limits, outcome, exchanges)? {
                    return Ok(None);
                }
            }
        }
    }
    outcome.failure = Some("the server requested a wait again and again; the next run tries once more".to_owned());
    Ok(None)
}

/// Waits as a server requests, as far as the limits let; false where the run ends instead.
fn wait_for<E: SourceExchanges>(
    wait: Duration,
    why: &str,
    limits: &mut RunLimits,
    outcome: &mut QueryOutcome,
    exchanges: &mut E,
) -> Result<bool, E::Error> {
    if wait > limits.waiting {
        outcome.pause = Some(wait.max(outcome.pause.unwrap_or_default()));
        outcome.failure = Some(format!("{why} and requests a wait of {}: the next run goes on", counted_time(wait)));
        return Ok(false);
    }
    limits.waiting -= wait;
    exchanges.wait(wait, why)?;
    Ok(true)
}

impl QueryOutcome {
    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// The later one of two marks; of validators, the new ones.
fn later(before: Option<String>, new: Option<String>) -> Option<String> {
    let (Some(before), Some(new)) = (&before, &new) else { return new.or(before) };
    let ((date, validators), (new_date, new_validators)) = (parts_of(before), parts_of(new));
    let validators = if new_validators.is_empty() { validators } else { new_validators };
    Some(format!("{} {validators}", date.max(new_date)).trim().to_owned())
}

/// The parts of a mark: a date with the number of its entry, and the validators of a server.
fn parts_of(mark: &str) -> (&str, &str) {
    let (place, validators) = mark.split_at(mark.find('{').unwrap_or(mark.len()));
    (place.trim_end(), validators)
}

/// A mark that is not ahead of the server's clock, and whether it was.
fn not_ahead(mark: &str, now: CaptureDate) -> (String, bool) {
    let (date, rest) = mark.split_once(' ').unwrap_or((mark, ""));
    match CaptureDate::parse(date) {
        Ok(date) if date.millis() > now.millis().saturating_add(CLOCK_SLACK_MS) => {
            let now = CaptureDate::from_seconds(now.seconds()).to_warc();
            (if rest.is_empty() { now } else { format!("{now} {rest}") }, true)
        }
        _ => (mark.to_owned(), false),
    }
}
