//! The worker: it takes one URL from the frontier, fetches it and stores the result.

use super::engine::Engine;
use super::frontier::LONG_WAIT;
use super::judge::Source;
use super::outcome::{not_followed, robots_unreachable};
use super::outlink_parts::FurtherOutlinks;
use super::outlinks::{followed, sitemap_links, unfetchable_redirect, usual_sitemap};
use super::priority::ROBOTS_PRIORITY;
use super::rejudge::changed_admission;
use super::robots::MAX_ROBOTS_BYTES;
use super::{
    Admission, AdmissionState, Admitted, CrawlError, CrawlEvent, EventKind, Finished, PageReading, Plan, QueuedUrl,
    RobotsAnswer, TOP_POINTS,
};
use crate::campaign::RobotsPolicy;
use crate::captures::{CaptureEntry, redirect_target};
use crate::crawl::frontier::retry::Refusal;
use crate::crawl::logs::crawl_log::CrawlLogLine;
use crate::crawl::robots::robots_cache::CachedRobots;
use crate::exchange::{AddressGate, CutCause, Exchange, FetchLimits, Provenance, Taken, fetch_status, full_error};
use crate::jobs::{counted, counted_time, panic_message};
use crate::links::{LinkKind, Outlink};
use crate::scope::{
    Candidate, Decision, PREREQUISITE_RULE, PRIVATE_ADDRESS_RULE, ROBOTS_RULE, RobotsFact, UNSUPPORTED_SCHEME, Verdict,
    is_open_redirect, with_hop,
};
use crate::uri::{ScopeSurt, Url, authority_of, is_same_site};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A URL whose robots.txt is on its way comes back after this time.
const ROBOTS_ON_ITS_WAY: Duration = Duration::from_millis(100);
/// Longest wait for a robots.txt that is tried again.
const ROBOTS_RETRY: Duration = Duration::from_secs(5);

/// A thread of the crawl that fetches one URL after the other.
pub(in crate::crawl) struct Worker<'e> {
    pub(in crate::crawl) engine: &'e Engine<'e>,
    number: usize,
}

/// The frontier's next step for a URL and its host.
pub(in crate::crawl) enum Disposition {
    /// The URL is at its end; `captured` if there is a capture.
    Release { wait: Duration, captured: bool },
    /// The URL comes again.
    PutBack { wait: Duration },
    /// The URL comes again as soon as its address has room.
    WaitForAddress,
}

/// A URL on its way to being fetched, with the plan it follows.
pub(in crate::crawl) struct FetchAttempt {
    /// The plan that it follows, whatever plan comes meanwhile; its links go by
    /// that which counts when they are stored.
    pub(in crate::crawl) plan: Arc<Plan>,
    pub(in crate::crawl) queued: QueuedUrl,
    verdict: Verdict,
    annotations: Vec<String>,
    pub(in crate::crawl) crawl_delay: Option<Duration>,
}

impl FetchAttempt {
    /// The delay of the host after this URL.
    pub(in crate::crawl) fn wait_after(&self, took: Option<Duration>) -> Duration {
        self.plan.delays.after(authority_of(self.queued.url()), took, self.crawl_delay)
    }

    /// How an answer to it came about.
    fn provenance(&self, further_links: Vec<Outlink>) -> Provenance {
        let candidate = &self.queued.admission.candidate;
        let mut annotations = self.annotations.clone();
        annotations.extend(self.tries_annotation());
        Provenance {
            via: candidate.via.clone(),
            hops: candidate.hops.clone(),
            seed: candidate.seed.clone(),
            source_tag: candidate.source_tag.clone(),
            verdict: Some(self.verdict.clone()),
            annotations,
            further_links,
            followed: Some(followed),
        }
    }

    /// Heritrix's remark on a URL that was tried before.
    fn tries_annotation(&self) -> Option<String> {
        (self.queued.tries > 0).then(|| format!("{}t", self.queued.tries + 1))
    }
}

/// The facts about an answer that are reported once it is in the archive.
struct AnswerFacts {
    status: i32,
    took: Duration,
    cut: Option<CutCause>,
    /// Where it redirects to, where that cannot be fetched because of its scheme.
    unfetchable: Option<Url>,
}

impl AnswerFacts {
    fn of(url: &Url, exchange: &Exchange) -> Self {
        let head = &exchange.head;
        Self {
            status: i32::from(head.status),
            took: exchange.took,
            cut: exchange.cut,
            unfetchable: unfetchable_redirect(url, head.status, &head.headers),
        }
    }
}

impl<'e> Worker<'e> {
    pub(in crate::crawl) fn new(engine: &'e Engine<'e>, number: usize) -> Self {
        Self { engine, number }
    }

    /// Fetches one URL; true if a capture came of it.
    pub(in crate::crawl) fn process(&self, queued: QueuedUrl) -> Result<bool, CrawlError> {
        let engine = self.engine;
        engine.stats.taken();
        let mut attempt = FetchAttempt {
            plan: engine.setup.plan.now(),
            verdict: queued.admission.verdict.clone(),
            queued,
            annotations: Vec::new(),
            crawl_delay: None,
        };
        let then = catch_unwind(AssertUnwindSafe(|| self.attempt(&mut attempt)));
        let then = then.unwrap_or_else(|panic| self.panicked(&attempt, panic.as_ref()));
        match then {
            Ok(Disposition::Release { wait, captured }) => {
                engine.stats.done();
                engine.frontier.release(&attempt.queued, wait);
                Ok(captured)
            }
            Ok(Disposition::PutBack { wait }) => {
                engine.stats.put_back();
                engine.frontier.put_back(&attempt.queued, wait);
                Ok(false)
            }
            Ok(Disposition::WaitForAddress) => {
                engine.stats.put_back();
                engine.frontier.hold(&attempt.queued);
                Ok(false)
            }
            Err(error) => {
                engine.stats.put_back();
                engine.frontier.put_back(&attempt.queued, Duration::ZERO);
                // For want of room it comes again when there is some.
                let Some((path, full)) = error.disk_full() else { return Err(error) };
                engine.disk.pause(path, full);
                Ok(false)
            }
        }
    }

    /// A defect met this URL: it fails alone, and the crawl goes on. A capture
    /// that is in the files already is found at the next start.
    fn panicked(&self, attempt: &FetchAttempt, panic: &(dyn Any + Send)) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url();
        let status = fetch_status::RUNTIME_EXCEPTION;
        let message = format!("internal error: {}", panic_message(panic));
        let text = format!("{message}. This URL is given up, the crawl goes on; please report it with the URL");
        engine.stats.event(CrawlEvent::new(EventKind::Error, text).of_url(url).with_status(status));
        match engine.ledger.find_waiting(url)? {
            Some(_) => self.gave_up(attempt, status, &message, None),
            // The ledger has its end already.
            None => {
                let wait = attempt.wait_after(None);
                Ok(Disposition::Release { wait, captured: true })
            }
        }
    }

    fn attempt(&self, attempt: &mut FetchAttempt) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url().clone();
        if let Some((status, why)) = engine.frontier.given_up(authority_of(&url)) {
            return self.gave_up(attempt, status, &why, None);
        }
        if let Some(then) = self.decide_again(attempt)? {
            return Ok(then);
        }
        if let Some(then) = self.check_robots(attempt, &url)? {
            return Ok(then);
        }
        if let Some(delay) = attempt.crawl_delay.filter(|_| engine.frontier.is_resumed(&url)) {
            // An earlier run may have sent this host a request a moment ago.
            let wait = attempt.plan.delays.after(authority_of(&url), Some(Duration::ZERO), Some(delay));
            return Ok(Disposition::PutBack { wait });
        }
        let waiting = engine.pool.wait_on_server(self.number);
        let addresses = match engine.client.addresses(&url) {
            Ok(addresses) => addresses,
            Err(error) => return self.failed(attempt, error),
        };
        if attempt.verdict.decision == Decision::Reject {
            // It waited for the location of its host, which can be had now.
            let (verdict, waits) =
                engine.judge.decide(&attempt.plan, &attempt.queued.admission.candidate, RobotsFact::NotFetched)?;
            if waits || verdict.decision == Decision::Reject {
                return self.refused(
                    attempt,
                    fetch_status::OUT_OF_SCOPE,
                    verdict,
                    "out of scope by the host's location",
                );
            }
            attempt.verdict = verdict;
        }
        let gate = engine.polite.then_some(&engine.frontier as &dyn AddressGate);
        let fetched = engine.client.fetch(&url, &addresses, FetchLimits::of(&attempt.plan.campaign.limits), gate);
        drop(waiting);
        match fetched {
            Ok(exchange) => self.answered(attempt, exchange),
            Err(error) if error.status == fetch_status::NOT_ATTEMPTED => Ok(Disposition::WaitForAddress),
            Err(error) if error.status == fetch_status::BLOCKED_BY_SETTING => {
                if engine.robots.is_robots(&url) {
                    self.keep_robots(&url, error.status, Vec::new())?;
                }
                let verdict = Verdict::unlisted(Decision::Reject, PRIVATE_ADDRESS_RULE);
                self.refused(attempt, error.status, verdict, &error.message)
            }
            // Given up because a person wants to stop: that is no failure.
            Err(_) if engine.cx.is_cancelled() => Ok(Disposition::PutBack { wait: Duration::ZERO }),
            Err(error) if error.status == fetch_status::DISK_FULL => {
                Err(CrawlError::io(&engine.setup.warc_dir, full_error(error.message)))
            }
            Err(error) if error.status == fetch_status::DISK_FAILED => {
                Err(CrawlError::io(&engine.setup.warc_dir, std::io::Error::other(error.message)))
            }
            Err(error) => self.failed(attempt, error),
        }
    }

    /// Decides a URL by the current plan, where that came while the crawl
    /// ran; gives the next step if the URL is out of scope now. It waits as what
    /// was refused when it was found: another plan may let it in again.
    fn decide_again(&self, attempt: &mut FetchAttempt) -> Result<Option<Disposition>, CrawlError> {
        let engine = self.engine;
        let _deciding = engine.deciding.read().unwrap_or_else(PoisonError::into_inner);
        attempt.plan = engine.setup.plan.now();
        if attempt.plan.generation() == 0 {
            return Ok(None);
        }
        let Some(changed) = changed_admission(&attempt.plan, &engine.judge, &attempt.queued)? else { return Ok(None) };
        engine.ledger.rejudge(vec![changed.clone()])?;
        attempt.verdict = changed.to.verdict.clone();
        attempt.queued.admission = changed.to;
        if attempt.queued.admission.state == AdmissionState::Queued {
            return Ok(None);
        }
        engine.logs.scope_of_admissions([&attempt.queued.admission])?;
        engine.stats.refused(1);
        Ok(Some(Disposition::Release { wait: Duration::ZERO, captured: false }))
    }

    /// Checks robots.txt, if the campaign does; gives the next step if the URL
    /// is not to be fetched now.
    fn check_robots(&self, attempt: &mut FetchAttempt, url: &Url) -> Result<Option<Disposition>, CrawlError> {
        let engine = self.engine;
        let policy = attempt.plan.campaign.politeness.robots;
        if policy == RobotsPolicy::Ignore || engine.robots.is_robots(url) {
            return Ok(None);
        }
        let rules = match engine.robots.robots_for(url, engine.setup.clock.now())? {
            CachedRobots::Rules(rules) => rules,
            // The robots.txt of its own host redirects to it.
            CachedRobots::Needed(robots) if robots == *url => return Ok(None),
            CachedRobots::Needed(robots) => return self.fetch_robots_first(attempt, robots).map(Some),
            // Its own fetch will meet the same guard, and report it.
            CachedRobots::Unreachable(fetch_status::BLOCKED_BY_SETTING) => return Ok(None),
            CachedRobots::Unreachable(status) if policy == RobotsPolicy::Obey => {
                let message = robots_unreachable(status);
                // A host that is not there fails all its URLs in one way, also
                // those that waited while its robots.txt failed.
                let status = match status {
                    fetch_status::DNS_FAILED | fetch_status::CONNECT_FAILED => status,
                    _ => fetch_status::ROBOTS_PREREQUISITE_FAILED,
                };
                return self.gave_up(attempt, status, &message, None).map(Some);
            }
            CachedRobots::Unreachable(_) => {
                attempt.annotations.push("robotsUnreachable".to_owned());
                return Ok(None);
            }
        };
        attempt.crawl_delay = rules.crawl_delay();
        let fact = rules.fact(url);
        let RobotsFact::Denied { why } = &fact else { return Ok(None) };
        attempt.annotations.push("robotExcluded".to_owned());
        if policy == RobotsPolicy::ObeyButLog {
            return Ok(None);
        }
        let message = format!("robots.txt says no: {why}");
        let (mut verdict, _) = engine.judge.decide(&attempt.plan, &attempt.queued.admission.candidate, fact.clone())?;
        if verdict.decision == Decision::Accept {
            verdict = Verdict::unlisted(Decision::Reject, ROBOTS_RULE);
        }
        self.refused(attempt, fetch_status::ROBOTS_PRECLUDED, verdict, &message).map(Some)
    }

    /// Puts a robots.txt before everything else of its host.
    fn fetch_robots_first(&self, attempt: &FetchAttempt, robots: Url) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let dependent = &attempt.queued.admission.candidate;
        let authority = authority_of(&robots).to_owned();
        let admission = Admission {
            candidate: Candidate {
                hops: with_hop(&dependent.hops, 'P'),
                via: Some(dependent.url.clone()),
                seed: dependent.seed.clone(),
                source_tag: dependent.source_tag.clone(),
                ..Candidate::bare(robots.clone())
            },
            verdict: Verdict::unlisted(Decision::Accept, PREREQUISITE_RULE),
            state: AdmissionState::Queued,
            priority: ROBOTS_PRIORITY,
            parts: None,
            date: engine.setup.clock.now(),
        };
        // Most look-ups find it on its way: nothing is written for those.
        if let Some(waiting) = engine.ledger.find_waiting(&robots)? {
            // A link led to it, which may come long after what needs it.
            if waiting.admission.priority > ROBOTS_PRIORITY && engine.ledger.queue_again(&robots, ROBOTS_PRIORITY)? {
                engine.frontier.announce(&authority, ROBOTS_PRIORITY);
                return Ok(Disposition::PutBack { wait: Duration::ZERO });
            }
            let due = engine.frontier.until(waiting.due);
            if authority != authority_of(&dependent.url) {
                engine.frontier.announce(&authority, waiting.admission.priority);
            }
            return Ok(Disposition::PutBack { wait: due.clamp(ROBOTS_ON_ITS_WAY, ROBOTS_RETRY) });
        }
        let (candidate, verdict) = (admission.candidate.clone(), admission.verdict.clone());
        if engine.ledger.admit(vec![admission])?.first() == Some(&Admitted::New) {
            engine.logs.scope([(&candidate, &verdict)])?;
            engine.stats.found(1);
            engine.frontier.announce(&authority, ROBOTS_PRIORITY);
            return Ok(Disposition::PutBack { wait: Duration::ZERO });
        }
        // Another worker may have brought the answer since it was looked for.
        let known = engine.robots.robots_for(&dependent.url, engine.setup.clock.now())?;
        if matches!(known, CachedRobots::Needed(still) if still == robots) {
            // Another worker may have let it in since it was looked for.
            if engine.ledger.find_waiting(&robots)?.is_some() {
                return Ok(Disposition::PutBack { wait: ROBOTS_ON_ITS_WAY });
            }
            // It was fetched long ago, or came to its end without an answer.
            if engine.ledger.queue_again(&robots, ROBOTS_PRIORITY)? {
                engine.stats.found(1);
                engine.frontier.announce(&authority, ROBOTS_PRIORITY);
            } else {
                self.keep_robots(&robots, fetch_status::ROBOTS_PREREQUISITE_FAILED, Vec::new())?;
            }
        }
        Ok(Disposition::PutBack { wait: Duration::ZERO })
    }

    fn keep_robots(&self, url: &Url, status: i32, body: Vec<u8>) -> Result<CachedRobots, CrawlError> {
        Ok(self.engine.robots.keep(url, &RobotsAnswer { status, body, date: self.engine.setup.clock.now() })?)
    }

    /// A server answered.
    fn answered(&self, attempt: &mut FetchAttempt, exchange: Exchange) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let wait = attempt.wait_after(Some(exchange.took));
        let given_up = match self.refused_for_now(attempt, &exchange)? {
            Refusal::None => {
                self.host_answered(attempt.queued.url())?;
                None
            }
            Refusal::TryAgain(deferred) => return deferred.put_back(self, attempt, wait),
            Refusal::Last(given_up) => given_up,
        };
        let facts = AnswerFacts::of(attempt.queued.url(), &exchange);
        let Some(Taken { mut entry, main_text, permit }) = self.keep(attempt, exchange)? else {
            // It waits in the queue as before; nothing was written.
            return Ok(Disposition::PutBack { wait });
        };
        let wait = self.wait_after_robots(attempt, &facts)?.unwrap_or(wait);
        self.explain_delay(attempt, wait);
        let mut annotations = entry.notes.annotations.clone();
        let deciding = engine.deciding.read().unwrap_or_else(PoisonError::into_inner);
        let reading = self.read_page(&entry, main_text.as_deref());
        let score = reading.as_ref().map_or(0.0, |reading| f64::from(reading.score) / f64::from(TOP_POINTS));
        let found = self.admit_links(attempt, &entry, score, &mut annotations)?;
        if let Some(target) = &facts.unfetchable {
            self.log_unfetchable(attempt, target)?;
        }
        engine.archive.make_durable(&entry.records)?;
        let further = FurtherOutlinks::split(&mut entry);
        let why = facts.unfetchable.as_ref().map(not_followed);
        let (id, fetch_status) = (attempt.queued.id, facts.status);
        let capture = Some(entry);
        let finished = Finished { id, fetch_status, why, refused: None, capture, found, reading: reading.clone() };
        self.end(attempt, finished, annotations)?;
        if let Some(reading) = &reading {
            let host = authority_of(attempt.queued.url());
            if let Some(why) = engine.frontier.read_page(host, reading.score) {
                let text = format!("{host} is deferred until no other host has anything to fetch: {why}");
                engine.stats.event(CrawlEvent::new(EventKind::Host, text).of_url(attempt.queued.url()));
            }
        }
        drop(deciding);
        self.report_answer(attempt, &facts);
        engine.cx.note(authority_of(attempt.queued.url()));
        further.store(engine.ledger, || engine.cx.is_cancelled())?;
        drop(permit);
        if let Some(why) = given_up {
            self.give_up_host(attempt, fetch_status::TOO_MANY_RETRIES, &why)?;
        }
        Ok(Disposition::Release { wait, captured: true })
    }

    /// Reads the text of a page for the words of the request, and says what a person should know of
    /// these; none for what is no page, or answered with an error.
    fn read_page(&self, entry: &CaptureEntry, main_text: Option<&str>) -> Option<PageReading> {
        let engine = self.engine;
        let plan = engine.setup.plan.now();
        let guide = plan.guide.as_ref()?;
        let reading = guide.read(main_text.filter(|_| (200..300).contains(&entry.notes.status))?);
        for remark in guide.learn(&reading) {
            engine.stats.event(CrawlEvent::new(EventKind::Campaign, remark));
        }
        Some(reading)
    }

    /// The delay of a host after its robots.txt: the page behind it waits as long
    /// as that requests. None after any other URL.
    fn wait_after_robots(
        &self,
        attempt: &mut FetchAttempt,
        facts: &AnswerFacts,
    ) -> Result<Option<Duration>, CrawlError> {
        if !self.engine.robots.is_robots(attempt.queued.url()) {
            return Ok(None);
        }
        attempt.crawl_delay = self.crawl_delay_of(attempt.queued.url())?;
        Ok(Some(attempt.wait_after(Some(facts.took))))
    }

    /// Decides about the links of an answer. Where rules refuse its content it
    /// stays in the archive and its links lead nowhere.
    fn admit_links(
        &self,
        attempt: &FetchAttempt,
        entry: &CaptureEntry,
        score: f64,
        annotations: &mut Vec<String>,
    ) -> Result<Vec<Admission>, CrawlError> {
        let engine = self.engine;
        let admission = &attempt.queued.admission;
        let links = match engine.judge.refuses_content(&attempt.plan, &admission.candidate, entry.content_fact())? {
            Some(verdict) => {
                engine.logs.scope([(&admission.candidate, &verdict)])?;
                annotations.push("contentRefused".to_owned());
                &[]
            }
            None => followed(&entry.notes.outlinks),
        };
        if admission.candidate.is_seed
            && let Some(target) = &entry.redirect_to
        {
            self.seed_moved(attempt, target);
        }
        Ok(engine.judge.admit(&Source::of(admission, score), links)?)
    }

    /// Logs a redirect to what is no URL of the crawl: it has its line, and no
    /// place in the ledger.
    fn log_unfetchable(&self, attempt: &FetchAttempt, target: &Url) -> Result<(), CrawlError> {
        let from = &attempt.queued.admission.candidate;
        let target = Candidate {
            surt: ScopeSurt::of(target),
            url: target.clone(),
            hops: with_hop(&from.hops, LinkKind::Redirect.hop()),
            via: Some(from.url.clone()),
            is_seed: false,
            ..from.clone()
        };
        self.engine.logs.scope([(&target, &Verdict::unlisted(Decision::Reject, UNSUPPORTED_SCHEME))])
    }

    /// Reports what a person should know of an answer that is kept.
    fn report_answer(&self, attempt: &FetchAttempt, facts: &AnswerFacts) {
        let engine = self.engine;
        if facts.status >= 400 {
            self.seed_without_page(&attempt.queued.admission.candidate, facts.status, "");
        }
        if let Some(cut) = facts.cut {
            let reason = FetchLimits::of(&attempt.plan.campaign.limits).reason_of(cut);
            let text = format!("The answer was cut off and is kept so: {reason}");
            let event = CrawlEvent::new(EventKind::Truncated, text).of_url(attempt.queued.url());
            engine.stats.event(event.with_status(facts.status));
        }
    }

    fn crawl_delay_of(&self, url: &Url) -> Result<Option<Duration>, CrawlError> {
        Ok(match self.engine.robots.robots_for(url, self.engine.setup.clock.now())? {
            CachedRobots::Rules(rules) => rules.crawl_delay(),
            _ => None,
        })
    }

    /// Reads an answer for its links and writes it to the archive; none when
    /// the crawl was cancelled before there was room for that.
    fn keep(&self, attempt: &FetchAttempt, mut exchange: Exchange) -> Result<Option<Taken<'e>>, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url();
        let mut sitemaps = match engine.robots.is_robots(url) {
            true => self.read_robots(url, &mut exchange)?,
            false => Vec::new(),
        };
        let is_of_seed = attempt.queued.admission.candidate.hops == "P";
        if sitemaps.is_empty() && is_of_seed && exchange.head.status == 200 {
            sitemaps.extend(usual_sitemap(url));
        }
        let same_payload = |url: &Url, digest: &str| Ok::<_, CrawlError>(engine.ledger.same_payload(url, digest)?);
        let taken = engine.intake.take(url, exchange, attempt.provenance(sitemaps), same_payload)?;
        let links = taken.as_ref().map_or(&[][..], |taken| &taken.entry.notes.outlinks);
        let not_followed = links.len() - followed(links).len();
        if not_followed > 0 {
            engine.stats.left_out(not_followed);
            let text = format!(
                "{not_followed} of {} are not followed: it has more than a crawl takes of one file",
                counted(links.len() as u64, "link")
            );
            engine.stats.event(CrawlEvent::new(EventKind::Truncated, text).of_url(url));
        }
        Ok(taken)
    }

    /// Keeps the rules of a robots.txt; gives the sitemaps that it names.
    fn read_robots(&self, url: &Url, exchange: &mut Exchange) -> Result<Vec<Outlink>, CrawlError> {
        let status = exchange.head.status;
        // Of a redirect the target is what counts.
        let body = match redirect_target(url, status, &exchange.head.headers) {
            Some(target) => target.as_str().as_bytes().to_vec(),
            None => {
                let payload = exchange.decoded_payload(MAX_ROBOTS_BYTES);
                payload.map_err(|source| CrawlError::io(&self.engine.setup.warc_dir, source))?.bytes.into_owned()
            }
        };
        Ok(match self.keep_robots(url, i32::from(status), body)? {
            CachedRobots::Rules(rules) => sitemap_links(url, rules.sitemaps().iter().map(String::as_str)),
            _ => Vec::new(),
        })
    }

    /// Says why a host is left alone for long after each answer, once an hour
    /// at most as an event.
    fn explain_delay(&self, attempt: &FetchAttempt, wait: Duration) {
        let engine = self.engine;
        let Some(delay) = attempt.crawl_delay.filter(|delay| wait >= LONG_WAIT && *delay >= LONG_WAIT) else { return };
        let authority = authority_of(attempt.queued.url());
        let delay_text = format!("robots.txt asks for {} between requests", counted_time(delay));
        let why = match delay > wait {
            true => format!("{delay_text}; the campaign waits {}, the most it obeys", counted_time(wait)),
            false => delay_text,
        };
        engine.frontier.explain_wait(authority, &why);
        if engine.slow_hosts.lock().unwrap_or_else(PoisonError::into_inner).insert(authority.to_owned()) {
            let text = format!(
                "{authority}: {why}; the next is made at {} UTC",
                engine.stats.readable(engine.frontier.free_date(wait))
            );
            engine.stats.event(CrawlEvent::new(EventKind::Host, text).of_host(authority));
        }
    }

    /// Reports a seed that came to its end without a page: a person named just
    /// that one.
    pub(in crate::crawl) fn seed_without_page(&self, candidate: &Candidate, status: i32, why: &str) {
        if !candidate.is_seed {
            return;
        }
        let text = match status {
            0.. => format!("The seed answered with an error, HTTP {status}"),
            _ => format!("The seed was not fetched: {why}"),
        };
        self.engine.stats.event(CrawlEvent::new(EventKind::Seed, text).of_url(&candidate.url).with_status(status));
    }

    /// Says so where a seed redirects to another site, whose reach it does not
    /// bring along.
    fn seed_moved(&self, attempt: &FetchAttempt, target: &Url) {
        let (engine, admission) = (self.engine, &attempt.queued.admission);
        if engine.judge.keeps_seed(&admission.candidate.url, target) {
            return;
        }
        let seed = admission.candidate.seed.as_deref().unwrap_or(admission.candidate.url.as_str());
        let text = if is_same_site(&admission.candidate.url, target) {
            format!(
                "The seed {seed} redirects to {target}, whose address is private and not allowed (Spec, Politeness; campaign file: politeness.allow_private_addresses)"
            )
        } else if !is_open_redirect(&attempt.plan.campaign, seed, target) {
            return;
        } else {
            format!(
                "The seed {seed} redirects to another site, {target}; nothing but this page is crawled there. \
                 Add it as a seed or leave it out (Spec, Seeds; campaign file: seeds, left_out_redirects)"
            )
        };
        engine.stats.event(CrawlEvent::new(EventKind::Seed, text).of_url(target));
    }

    pub(in crate::crawl) fn gave_up(
        &self,
        attempt: &FetchAttempt,
        status: i32,
        message: &str,
        took: Option<Duration>,
    ) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url();
        if engine.robots.is_robots(url) {
            self.keep_robots(url, status, Vec::new())?;
        }
        let mut annotations = attempt.annotations.clone();
        annotations.extend(attempt.tries_annotation());
        self.end(attempt, attempt.queued.ended(status, message), annotations)?;
        self.seed_without_page(&attempt.queued.admission.candidate, status, message);
        let wait = attempt.wait_after(took);
        Ok(Disposition::Release { wait, captured: false })
    }

    /// A URL is out after all.
    fn refused(
        &self,
        attempt: &FetchAttempt,
        status: i32,
        verdict: Verdict,
        message: &str,
    ) -> Result<Disposition, CrawlError> {
        let finished = Finished { refused: Some(verdict), ..attempt.queued.ended(status, message) };
        self.end(attempt, finished, attempt.annotations.clone())?;
        Ok(Disposition::Release { wait: Duration::ZERO, captured: false })
    }

    pub(in crate::crawl) fn log_line(&self, queued: &QueuedUrl, status: i32) -> CrawlLogLine {
        CrawlLogLine::of(&queued.admission, status, self.number, self.engine.logs.now())
    }

    /// Keeps the end of a URL: in the ledger with what was found, in one call,
    /// then in logs and figures, and announces new URLs to the frontier. A kill
    /// between ledger and log leaves no line: it is added when the launch goes on.
    fn end(&self, attempt: &FetchAttempt, finished: Finished, annotations: Vec<String>) -> Result<(), CrawlError> {
        let engine = self.engine;
        let (status, refused, found) = (finished.fetch_status, finished.refused.clone(), finished.found.clone());
        let line = CrawlLogLine { annotations, ..self.log_line(&attempt.queued, status) };
        let capture = finished.capture.as_ref();
        let line = if let Some(capture) = capture { line.with_capture(capture) } else { line };
        let answer = capture.map(|capture| (capture.notes.mime.clone(), capture.payload_len));
        let new = engine.ledger.finish(finished)?;
        engine.logs.crawl(&CrawlLogLine { logged: engine.logs.now(), ..line })?;
        match (answer, refused) {
            (Some((mime, bytes)), _) => engine.stats.captured(status, &mime, bytes),
            (None, None) => engine.stats.gave_up(),
            (None, Some(verdict)) => {
                engine.logs.scope([(&attempt.queued.admission.candidate, &verdict)])?;
                engine.stats.refused(1);
            }
        }
        let fresh = || found.iter().zip(&new).filter(|(_, new)| **new == Admitted::New).map(|(admission, _)| admission);
        if found.is_empty() {
            return Ok(());
        }
        engine.logs.scope_of_admissions(fresh())?;
        let (mut queued, mut refused) = (0, 0);
        for admission in fresh() {
            match admission.state {
                AdmissionState::Queued => {
                    queued += 1;
                    engine.frontier.announce(authority_of(&admission.candidate.url), admission.priority);
                }
                AdmissionState::Refused => refused += 1,
            }
        }
        // The batch of its host may have the longer way still.
        for (admission, _) in found.iter().zip(&new).filter(|(_, admitted)| **admitted == Admitted::Nearer) {
            engine.frontier.reload(admission);
        }
        engine.stats.found(queued);
        engine.stats.refused(refused);
        Ok(())
    }
}
