//! URLs that got no answer: when they are tried again, when a host is given
//! up, and when the network is gone.

use super::LONG_WAIT;
use super::politeness::retry_after;
use super::reachability::{KNOWN_HOST_RETRIES, MAX_REFUSALS, Setback, Trouble, UNKNOWN_HOST_RETRIES};
use crate::crawl::engine::Engine;
use crate::crawl::logs::crawl_log::CrawlLogLine;
use crate::crawl::worker::{Disposition, FetchAttempt, Worker};
use crate::crawl::{CrawlError, CrawlEvent, EventKind};
use crate::exchange::{Exchange, FetchError, NOT_NOW, TLS_MARK, fetch_status};
use crate::jobs::{counted, counted_time};
use crate::uri::{CaptureDate, Url, authority_of};
use std::time::{Duration, Instant};

/// A URL that was refused for now comes so long after its host wakes, so that
/// another URL is tried first.
const AFTER_OTHERS: Duration = Duration::from_secs(1);
/// Time between two checks of a network that is gone, at first and at most.
const PROBE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// A network that is gone for so long ends the run; the launch can be resumed.
const NETWORK_GONE_FOR: Duration = Duration::from_secs(12 * 3600);
/// Name of the obstacle that nobody answers.
const NETWORK: &str = "network";
/// Longest time without looking for a cancel.
const POLL: Duration = Duration::from_millis(200);

/// The way to go on after an answer that may refuse for now.
pub(in crate::crawl) enum Refusal {
    /// It did not.
    None,
    /// The URL comes again.
    TryAgain(Deferred),
    /// The answer is final; where the host is given up, why.
    Last(Option<String>),
}

/// A URL that comes again after a delay.
pub(in crate::crawl) struct Deferred {
    tries: u32,
    delay: Duration,
    why: String,
    sleep: Duration,
}

impl Deferred {
    /// Puts the URL back; its host is left alone for `wait` at least.
    pub fn put_back(
        self,
        worker: &Worker<'_>,
        attempt: &FetchAttempt,
        wait: Duration,
    ) -> Result<Disposition, CrawlError> {
        let engine = worker.engine;
        let delay = i64::try_from(self.delay.as_millis()).unwrap_or(i64::MAX);
        let due = CaptureDate::from_millis(engine.frontier.now().millis().saturating_add(delay));
        engine.ledger.defer(attempt.queued.id, self.tries, due, &self.why)?;
        engine.stats.will_retry();
        Ok(Disposition::PutBack { wait: wait.max(self.sleep) })
    }
}

impl Worker<'_> {
    /// Looks whether a server refused for now: with 429 or 503, and a
    /// robots.txt with any 5xx. The host sleeps as a whole.
    pub(in crate::crawl) fn refused_for_now(
        &self,
        attempt: &FetchAttempt,
        exchange: &Exchange,
    ) -> Result<Refusal, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url();
        let (status, is_robots) = (exchange.head.status, engine.robots.is_robots(url));
        if !(matches!(status, 429 | 503) || is_robots && status >= 500) {
            return Ok(Refusal::None);
        }
        let politeness = &attempt.plan.campaign.politeness;
        let requested =
            exchange.head.headers.get("Retry-After").and_then(|value| retry_after(&value, CaptureDate::now()));
        let authority = authority_of(url);
        if engine.frontier.given_up(authority).is_some() {
            return Ok(Refusal::Last(None));
        }
        let setback = engine.frontier.failed(authority, Trouble::Refusing(requested), attempt.plan.delays.retry())?;
        // Others of the host are tried before this URL comes again, so that one
        // URL that is always refused does not look like a host that refuses.
        let tries = attempt.queued.tries + 1;
        let kind = if is_robots { EventKind::Robots } else { EventKind::Wait };
        let event = |text: String| {
            engine.stats.event(CrawlEvent::new(kind, text).of_url(url).with_status(i32::from(status)));
        };
        if setback.count > MAX_REFUSALS && !is_robots {
            return Ok(Refusal::Last(Some(format!(
                "The server of {authority} answered {} in a row with HTTP 429 or 503, last with {status}",
                counted(u64::from(setback.count), "time"),
            ))));
        }
        if tries > politeness.max_retries {
            if is_robots {
                event(format!("robots.txt answered with HTTP {status} {tries} times; it is taken as it is"));
            }
            return Ok(Refusal::Last(None));
        }
        let sleep = setback.sleep;
        let why = match requested {
            Some(requested) => {
                format!("the server answered with HTTP {status} and asks to wait {}", counted_time(requested))
            }
            None => format!("the server answered with HTTP {status} and is left alone for {}", counted_time(sleep)),
        };
        let until = engine.frontier.free_date(sleep);
        engine.frontier.explain_wait(authority, &why);
        event(format!(
            "{authority}: {why}; it is asked again at {} UTC. This is the {} time in a row",
            engine.stats.readable(until),
            ordinal(setback.count)
        ));
        Ok(Refusal::TryAgain(Deferred {
            tries,
            delay: sleep + AFTER_OTHERS.min(attempt.plan.delays.retry()),
            why,
            sleep,
        }))
    }

    /// A URL got no answer: it is tried again, or given up; so is its host.
    pub(in crate::crawl) fn failed(
        &self,
        attempt: &FetchAttempt,
        error: FetchError,
    ) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let politeness = &attempt.plan.campaign.politeness;
        let wait = attempt.wait_after(error.took);
        let tries = attempt.queued.tries + 1;
        if !error.retry || politeness.max_retries == 0 {
            return self.gave_up(attempt, error.status, &error.message, error.took);
        }
        let url = attempt.queued.url();
        let authority = authority_of(url);
        if engine.frontier.given_up(authority).is_some() {
            return self.gave_up(attempt, error.status, &error.message, error.took);
        }
        let trouble = trouble_of(&error);
        let setback = engine.frontier.failed(authority, trouble, attempt.plan.delays.retry())?;
        if setback.network_gone {
            return Ok(Disposition::PutBack { wait });
        }
        let delay = setback.sleep.max(attempt.plan.delays.retry());
        // A host that is gone takes no try from its URLs but from the first.
        let is_its_own = trouble == Trouble::Silent || setback.count <= 1;
        if self.is_lost(attempt, &error, setback)? {
            let why = error.message.clone();
            let then = self.gave_up(attempt, error.status, &why, error.took)?;
            self.give_up_host(attempt, error.status, &why)?;
            return Ok(then);
        }
        if is_its_own && tries > politeness.max_retries {
            return self.gave_up(attempt, error.status, &error.message, error.took);
        }
        let tries = attempt.queued.tries + u32::from(is_its_own);
        let text = match setback.sleep {
            Duration::ZERO => format!("{}; it will be tried again in {}", error.message, counted_time(delay)),
            sleep => format!(
                "{authority} did not answer {} in a row ({}); the host is left alone for {}, until {} UTC",
                counted(u64::from(setback.count), "time"),
                error.message,
                counted_time(sleep),
                engine.stats.readable(engine.frontier.free_date(sleep))
            ),
        };
        if delay >= LONG_WAIT {
            let why = format!("did not answer {} in a row", counted(u64::from(setback.count), "time"));
            engine.frontier.explain_wait(authority, &why);
        }
        let kind = if setback.sleep.is_zero() { EventKind::Wait } else { EventKind::Host };
        engine.stats.event(CrawlEvent::new(kind, text).of_url(url).with_status(error.status));
        let deferred = Deferred { tries, delay, why: error.message, sleep: setback.sleep };
        let then = deferred.put_back(self, attempt, wait)?;
        if setback.check_network {
            // The URL is back in the queue, and its host free, while this looks.
            return self.check_network().map(|()| then);
        }
        Ok(then)
    }

    /// Whether a host failed so often that it is given up.
    fn is_lost(&self, attempt: &FetchAttempt, error: &FetchError, setback: Setback) -> Result<bool, CrawlError> {
        let retries = attempt.plan.campaign.politeness.max_retries;
        if setback.count <= retries {
            return Ok(false);
        }
        let patient = retries.saturating_add(KNOWN_HOST_RETRIES);
        let has_no_name = error.status == fetch_status::DNS_FAILED && !error.message.contains(NOT_NOW);
        if setback.count > patient || has_no_name {
            return Ok(true);
        }
        // A server that takes connections is there, and a name server that is
        // gone says nothing about the host.
        let is_there = trouble_of(error) == Trouble::Silent || error.message.contains(NOT_NOW);
        if is_there || setback.count <= retries.saturating_add(UNKNOWN_HOST_RETRIES) {
            return Ok(false);
        }
        Ok(!self.engine.ledger.is_known_host(authority_of(attempt.queued.url()))?)
    }

    /// Gives the host of a URL up: what waits for it ends as failed.
    pub(in crate::crawl) fn give_up_host(
        &self,
        attempt: &FetchAttempt,
        status: i32,
        why: &str,
    ) -> Result<(), CrawlError> {
        let engine = self.engine;
        let authority = authority_of(attempt.queued.url());
        // The current URL failed with its host; an answer that refuses is kept.
        let mut urls = u64::from(status != fetch_status::TOO_MANY_RETRIES);
        let since = engine.frontier.give_up(authority, status, why, |ended| {
            urls += ended.len() as u64;
            engine.stats.gave_up_waiting(ended.len() as u64);
            for url in ended {
                self.seed_without_page(&url.admission.candidate, status, why);
                let line: CrawlLogLine = self.log_line(url, status);
                engine.logs.crawl(&line)?;
            }
            Ok(())
        })?;
        let Some(since) = since else { return Ok(()) };
        let text = format!(
            "{authority} was given up; it has been in trouble since {}: {why}. {} failed; retry them when it is back.",
            engine.stats.readable(since),
            counted(urls, "URL")
        );
        engine.stats.event(CrawlEvent::new(EventKind::HostGivenUp, text).of_host(authority).with_status(status));
        Ok(())
    }

    /// A host answered.
    pub(in crate::crawl) fn host_answered(&self, url: &Url) -> Result<(), CrawlError> {
        if let Some(since) = self.engine.frontier.answered(url)? {
            let text =
                format!("{} answers again; it had not since {}", authority_of(url), self.engine.stats.readable(since));
            self.engine.stats.event(CrawlEvent::new(EventKind::Host, text).of_url(url));
        }
        Ok(())
    }

    /// Several hosts failed in a row: looks whether any that answered before
    /// still does; if none, the crawl waits until one does.
    fn check_network(&self) -> Result<(), CrawlError> {
        let engine = self.engine;
        if engine.is_anyone_there() {
            return Ok(engine.frontier.network_answers()?);
        }
        engine.frontier.network_gone();
        let (began, since) = (Instant::now(), CaptureDate::now());
        let gone = format!("No server answers since {}: the network may be gone", engine.stats.readable(since));
        let text = format!("{gone}. The crawl waits and goes on by itself; nothing is lost.");
        engine.stats.event(CrawlEvent::new(EventKind::Network, text));
        engine.cx.set_obstacle(NETWORK, gone.as_str());
        let ended = self.wait_for_network(&gone, since, began);
        engine.cx.clear_obstacle(NETWORK);
        ended
    }

    fn wait_for_network(&self, gone: &str, since: CaptureDate, began: Instant) -> Result<(), CrawlError> {
        let engine = self.engine;
        let mut wait = PROBE.0;
        while !engine.is_ending() {
            let until = Instant::now() + wait;
            while Instant::now() < until && !engine.is_ending() {
                std::thread::sleep(POLL);
            }
            if engine.is_ending() {
                break;
            }
            if engine.is_anyone_there() {
                engine.frontier.network_answers()?;
                let text = format!("Servers answer again; none did since {}", engine.stats.readable(since));
                engine.stats.event(CrawlEvent::new(EventKind::Network, text));
                return Ok(());
            }
            if began.elapsed() >= NETWORK_GONE_FOR {
                engine.stop_for(format!("{gone}. Resume the crawl when it is back"));
            }
            wait = (wait * 2).min(PROBE.1);
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// Whether any of the hosts that answered last takes a connection.
    fn is_anyone_there(&self) -> bool {
        self.frontier.probes().iter().any(|url| !self.is_ending() && self.client.takes_connection(url))
    }
}

fn trouble_of(error: &FetchError) -> Trouble {
    match error.status {
        fetch_status::DNS_FAILED => Trouble::Unreachable,
        // A server that fails to talk TLS is there.
        fetch_status::CONNECT_FAILED if !error.message.contains(TLS_MARK) => Trouble::Unreachable,
        _ => Trouble::Silent,
    }
}

fn ordinal(count: u32) -> String {
    match count {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        count => format!("{count}th"),
    }
}
