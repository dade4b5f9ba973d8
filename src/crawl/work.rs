//! What a worker does with one URL.

use super::crawl_log::CrawlLogLine;
use super::engine::Engine;
use super::frontier::{LONG_WAIT, ROBOTS_PRIORITY};
use super::judge::Source;
use super::outcome::{not_followed, robots_unreachable};
use super::outlink_parts::FurtherOutlinks;
use super::outlinks::{followed, sitemap_links, unfetchable_redirect};
use super::politeness::wait_after;
use super::retry::Refusal;
use super::robots::MAX_ROBOTS_BYTES;
use super::robots_cache::CachedRobots;
use super::{
    Admission, AdmissionState, Admitted, CrawlError, CrawlEvent, EventKind, Finished, QueuedUrl, RobotsAnswer,
};
use crate::campaign::RobotsPolicy;
use crate::captures::CaptureNotes;
use crate::captures::Unread;
use crate::captures::media::{SNIFFED_BYTES, is_unspecific};
use crate::captures::{
    Body, PageLinks, is_nofollow_answer, is_packed_sitemap, links_bytes, may_have_links, reading_bytes,
};
use crate::captures::{CaptureEntry, Media};
use crate::captures::{LargePagePermit, PagePermit};
use crate::exchange::{
    AddressGate, Exchange, FetchLimits, PACK_IN_MEMORY, RepeatedCapture, Truncated, entry_of, fetch_status, full_error,
};
use crate::jobs::{counted, counted_time, panic_message};
use crate::links::LinkKind;
use crate::scope::{
    Candidate, ContentFact, Decision, RobotsFact, UNSUPPORTED_SCHEME, Verdict, is_open_redirect, with_hop,
};
use crate::uri::{ScopeSurt, Url, authority_of, is_same_site};
use crate::warc::http::unpacked_limit;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::Duration;

/// A URL whose robots.txt is on its way comes back after this time.
const ROBOTS_ON_ITS_WAY: Duration = Duration::from_millis(100);
/// Longest wait for a robots.txt that is tried again.
const ROBOTS_RETRY: Duration = Duration::from_secs(5);
/// Name in logs of the verdict that lets a robots.txt in: no rule decides what another URL needs.
pub const PREREQUISITE_RULE: &str = "PrerequisiteAcceptDecideRule";
/// Name of the verdict of robots.txt where the campaign has no rule for it.
const ROBOTS_RULE: &str = "RobotsDecideRule";
/// Name of the verdict that keeps private addresses out.
pub(super) const PRIVATE_ADDRESS_RULE: &str = "PrivateAddressGuard";

/// Answers longer than this are read for links on threads of their own.
const LONG_PAGE_BYTES: u64 = 256 << 10;
/// Encoded pages are expected to come out at most so many times as long; of the
/// others the length is known after a first try.
const EXPECTED_RATIO: u64 = 10;
/// Bytes of memory that a link takes while it is decided and handed on.
const ADMISSION_BYTES: usize = 1_500;

/// One of the crawl's threads.
pub(super) struct Worker<'e> {
    pub(super) engine: &'e Engine<'e>,
    number: usize,
}

/// What is to be done with a URL's host.
pub(super) enum Disposition {
    /// The URL is at its end; the flag says whether there is a capture.
    Release { wait: Duration, captured: bool },
    /// The URL comes again.
    PutBack { wait: Duration },
    /// The URL comes again as soon as its address has room.
    WaitForAddress,
}

/// An answer that is in the archive and not in the ledger yet.
struct Kept<'e> {
    /// Remarks for the crawl log.
    annotations: Vec<String>,
    entry: CaptureEntry,
    /// Its part of the memory.
    permit: PagePermit<'e>,
}

/// What is known about a URL before it is fetched.
pub(super) struct FetchAttempt {
    pub(super) queued: QueuedUrl,
    verdict: Verdict,
    annotations: Vec<String>,
    pub(super) crawl_delay: Option<Duration>,
}

impl<'e> Worker<'e> {
    pub(super) fn new(engine: &'e Engine<'e>, number: usize) -> Self {
        Self { engine, number }
    }

    /// Fetches one URL; says whether a capture came of it.
    pub(super) fn process(&self, queued: QueuedUrl) -> Result<bool, CrawlError> {
        let engine = self.engine;
        engine.stats.taken();
        let mut attempt = FetchAttempt {
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
        let words = format!("internal error: {}", panic_message(panic));
        let text = format!("{words}. This URL is given up, the crawl goes on; please report it with the URL");
        engine.stats.event(CrawlEvent::new(EventKind::Error, text).of_url(url).with_status(status));
        match engine.ledger.find_waiting(url)? {
            Some(_) => self.gave_up(attempt, status, &words, None),
            // The ledger was told of its end before.
            None => {
                let wait = wait_after(&engine.setup.campaign.politeness, None, attempt.crawl_delay);
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
        if let Some(then) = self.ask_robots(attempt, &url)? {
            return Ok(then);
        }
        if let Some(delay) = attempt.crawl_delay.filter(|_| engine.frontier.is_resumed(&url)) {
            // An earlier run may have asked this host a moment ago.
            let wait = wait_after(&engine.setup.campaign.politeness, Some(Duration::ZERO), Some(delay));
            return Ok(Disposition::PutBack { wait });
        }
        let waiting = engine.pool.wait_on_server(self.number);
        let addresses = match engine.client.addresses(&url) {
            Ok(addresses) => addresses,
            Err(error) => return self.failed(attempt, error),
        };
        if attempt.verdict.decision == Decision::Reject {
            // It waited for the location of its host, which can be had now.
            let (verdict, waits) = engine.judge.decide(&attempt.queued.admission.candidate, RobotsFact::NotAsked)?;
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
        let fetched = engine.client.fetch(&url, &addresses, gate);
        drop(waiting);
        match fetched {
            Ok(exchange) => self.answered(attempt, exchange),
            Err(error) if error.status == fetch_status::NOT_ATTEMPTED => Ok(Disposition::WaitForAddress),
            Err(error) if error.status == fetch_status::BLOCKED_BY_SETTING => {
                if engine.robots.is_robots(&url) {
                    self.keep_robots(&url, error.status, Vec::new())?;
                }
                let verdict = plain_verdict(Decision::Reject, PRIVATE_ADDRESS_RULE);
                self.refused(attempt, error.status, verdict, &error.words)
            }
            // Given up because a person wants to stop: that is no failure.
            Err(_) if engine.cx.is_cancelled() => Ok(Disposition::PutBack { wait: Duration::ZERO }),
            Err(error) if error.status == fetch_status::DISK_FULL => {
                Err(CrawlError::io(&engine.setup.warc_dir, full_error(error.words)))
            }
            Err(error) if error.status == fetch_status::DISK_FAILED => {
                Err(CrawlError::io(&engine.setup.warc_dir, std::io::Error::other(error.words)))
            }
            Err(error) => self.failed(attempt, error),
        }
    }

    /// Asks robots.txt, if the campaign does; tells what to do when the URL
    /// is not to be fetched now.
    fn ask_robots(&self, attempt: &mut FetchAttempt, url: &Url) -> Result<Option<Disposition>, CrawlError> {
        let engine = self.engine;
        let policy = engine.setup.campaign.politeness.robots;
        if policy == RobotsPolicy::Ignore || engine.robots.is_robots(url) {
            return Ok(None);
        }
        let rules = match engine.robots.robots_for(url, engine.setup.clock.now())? {
            CachedRobots::Rules(rules) => rules,
            // The robots.txt of its own host redirects to it.
            CachedRobots::Needed(robots) if robots == *url => return Ok(None),
            CachedRobots::Needed(robots) => return self.fetch_robots_first(attempt, robots).map(Some),
            // Its own fetch will meet the same guard, and says so.
            CachedRobots::Unreachable(fetch_status::BLOCKED_BY_SETTING) => return Ok(None),
            CachedRobots::Unreachable(status) if policy == RobotsPolicy::Obey => {
                let words = robots_unreachable(status);
                // A host that is not there fails all its URLs in one way, also
                // those that waited while its robots.txt failed.
                let status = match status {
                    fetch_status::DNS_FAILED | fetch_status::CONNECT_FAILED => status,
                    _ => fetch_status::ROBOTS_PREREQUISITE_FAILED,
                };
                return self.gave_up(attempt, status, &words, None).map(Some);
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
        let words = format!("robots.txt says no: {why}");
        let (mut verdict, _) = engine.judge.decide(&attempt.queued.admission.candidate, fact.clone())?;
        if verdict.decision == Decision::Accept {
            verdict = plain_verdict(Decision::Reject, ROBOTS_RULE);
        }
        self.refused(attempt, fetch_status::ROBOTS_PRECLUDED, verdict, &words).map(Some)
    }

    /// Puts a robots.txt before everything else of its host.
    fn fetch_robots_first(&self, attempt: &FetchAttempt, robots: Url) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let asked_by = &attempt.queued.admission.candidate;
        let authority = authority_of(&robots).to_owned();
        let admission = Admission {
            candidate: Candidate {
                hops: with_hop(&asked_by.hops, 'P'),
                via: Some(asked_by.url.clone()),
                seed: asked_by.seed.clone(),
                source_tag: asked_by.source_tag.clone(),
                ..Candidate::bare(robots.clone())
            },
            verdict: plain_verdict(Decision::Accept, PREREQUISITE_RULE),
            state: AdmissionState::Queued,
            priority: ROBOTS_PRIORITY,
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
            if authority != authority_of(&asked_by.url) {
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
        let known = engine.robots.robots_for(&asked_by.url, engine.setup.clock.now())?;
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
        let politeness = &engine.setup.campaign.politeness;
        let wait = wait_after(politeness, Some(exchange.took), attempt.crawl_delay);
        let status = i32::from(exchange.head.status);
        let given_up = match self.refused_for_now(attempt, &exchange)? {
            Refusal::None => {
                self.host_answered(attempt.queued.url())?;
                None
            }
            Refusal::TryAgain(deferred) => return deferred.put_back(self, attempt, wait),
            Refusal::Last(given_up) => given_up,
        };
        let took = exchange.took;
        let cut = exchange.cut.map(|cut| cut.reason(&FetchLimits::of(&engine.setup.campaign.limits)));
        let head = &exchange.head;
        let unfetchable = unfetchable_redirect(attempt.queued.url(), head.status, &head.headers);
        let Some(kept) = self.keep(attempt, exchange)? else {
            // It waits in the queue as before; nothing was written.
            return Ok(Disposition::PutBack { wait });
        };
        let Kept { mut annotations, mut entry, permit } = kept;
        // The page after its robots.txt waits as long as that says.
        let wait = match engine.robots.is_robots(attempt.queued.url()) {
            true => {
                attempt.crawl_delay = self.crawl_delay_of(attempt.queued.url())?;
                wait_after(politeness, Some(took), attempt.crawl_delay)
            }
            false => wait,
        };
        self.explain_delay(attempt, wait);
        let candidate = &attempt.queued.admission.candidate;
        // What was fetched stays in the archive; its links lead nowhere.
        let links = match engine.judge.refuses_content(candidate, content_of(&entry)) {
            Some(verdict) => {
                engine.logs.scope([(candidate, &verdict)])?;
                annotations.push("contentRefused".to_owned());
                &[]
            }
            None => followed(&entry.notes.outlinks),
        };
        let admission = &attempt.queued.admission;
        if let Some(target) = &unfetchable {
            // No URL of the crawl: it has its line, and no place in the ledger.
            let target = Candidate {
                hops: with_hop(&admission.candidate.hops, LinkKind::Redirect.hop()),
                via: Some(admission.candidate.url.clone()),
                is_seed: false,
                ..Candidate { surt: ScopeSurt::of(target), url: target.clone(), ..candidate.clone() }
            };
            engine.logs.scope([(&target, &plain_verdict(Decision::Reject, UNSUPPORTED_SCHEME))])?;
        }
        if admission.candidate.is_seed
            && let Some(target) = &entry.redirect_to
        {
            self.seed_moved(admission, target);
        }
        let source = Source::of(admission);
        let found = engine.judge.admit(&source, links)?;
        engine.archive.make_durable(&entry.records)?;
        let further = FurtherOutlinks::split(&mut entry);
        let (id, why) = (attempt.queued.id, unfetchable.map(|target| not_followed(&target)));
        let finished = Finished { id, fetch_status: status, why, refused: None, capture: Some(entry), found };
        self.end(attempt, finished, annotations)?;
        if status >= 400 {
            self.seed_without_page(&admission.candidate, status, "");
        }
        if let Some(cut) = cut {
            let url = attempt.queued.url();
            let text = format!("The answer was cut off and is kept so: {cut}");
            engine.stats.event(CrawlEvent::new(EventKind::Truncated, text).of_url(url).with_status(status));
        }
        engine.cx.note(authority_of(&admission.candidate.url));
        further.store(engine.ledger, || engine.cx.is_cancelled())?;
        drop(permit);
        if let Some(why) = given_up {
            self.give_up_host(attempt, fetch_status::TOO_MANY_RETRIES, &why)?;
        }
        Ok(Disposition::Release { wait, captured: true })
    }

    fn crawl_delay_of(&self, url: &Url) -> Result<Option<Duration>, CrawlError> {
        Ok(match self.engine.robots.robots_for(url, self.engine.setup.clock.now())? {
            CachedRobots::Rules(rules) => rules.crawl_delay(),
            _ => None,
        })
    }

    /// Reads an answer for its links and writes it to the archive; none when
    /// the crawl was cancelled before there was room for that.
    fn keep(&self, attempt: &FetchAttempt, exchange: Exchange) -> Result<Option<Kept<'e>>, CrawlError> {
        let engine = self.engine;
        let admission = &attempt.queued.admission;
        let url = &admission.candidate.url;
        let len = exchange.response.len();
        let may_have_links = may_have_links(url, &exchange.head.headers);
        let is_robots = engine.robots.is_robots(url);
        let packing = 3 * usize::try_from(len.min(PACK_IN_MEMORY)).unwrap_or(usize::MAX);
        let mut exchange = exchange;
        let mut expected = expected_len(url, &exchange);
        let (mut permit, mut leads, robots) = loop {
            let reading = if may_have_links { reading_bytes(expected) } else { 0 };
            let Some(permit) = engine.pages.reserve(packing + reading, || engine.cx.is_cancelled()) else {
                return Ok(None);
            };
            let (returned, read) = match may_have_links && len.max(expected) > LONG_PAGE_BYTES {
                true => engine.readers.run({
                    let url = url.clone();
                    move || read_answer(&url, exchange, expected, is_robots)
                }),
                false => read_answer(url, exchange, expected, is_robots),
            };
            exchange = returned;
            match read.map_err(|source| CrawlError::io(&engine.setup.warc_dir, source))? {
                AnswerRead::Done(leads, robots) => break (permit, leads, robots),
                // Who waits for more room has none: the part of this try is free again.
                AnswerRead::Longer(decoded) => expected = decoded,
            }
        };
        if is_nofollow_answer(&exchange.head.headers, Some(engine.robots.product())) {
            let links = leads.outlinks.iter_mut().filter(|link| link.kind != LinkKind::Redirect);
            links.for_each(|link| link.nofollow = true);
        }
        if is_robots {
            // Of a redirect the target is what counts.
            let body = leads.redirect_to.as_ref().map_or(robots, |target| target.as_str().as_bytes().to_vec());
            if let CachedRobots::Rules(rules) = self.keep_robots(url, i32::from(exchange.head.status), body)? {
                leads.outlinks.extend(sitemap_links(url, rules.sitemaps().iter().map(String::as_str)));
            }
        }
        let storing = links_bytes(&leads.outlinks) + followed(&leads.outlinks).len() * ADMISSION_BYTES;
        permit.set_bytes(packing + storing);
        let digests = &exchange.digests;
        let may_repeat = digests.payload_len > 0 && digests.can_be_repeated() && exchange.truncated.is_none();
        let original: Option<RepeatedCapture> = match may_repeat {
            true => engine.ledger.same_payload(url, &digests.payload)?,
            false => None,
        };
        let not_followed = leads.outlinks.len() - followed(&leads.outlinks).len();
        if not_followed > 0 {
            let all = leads.outlinks.len() as u64;
            let text = format!(
                "{not_followed} of {} are not followed: it has more than a crawl takes of one page",
                counted(all, "link")
            );
            engine.stats.event(CrawlEvent::new(EventKind::Truncated, text).of_url(url));
        }
        let notes = CaptureNotes {
            status: i32::from(exchange.head.status),
            mime: exchange.mime(),
            title: leads.title,
            language: leads.language,
            outlinks: leads.outlinks,
            unread: leads.unread,
            via: admission.candidate.via.clone(),
            hops: admission.candidate.hops.clone(),
            seed: admission.candidate.seed.clone(),
            source_tag: admission.candidate.source_tag.clone(),
            fetch_ms: Some(u64::try_from(exchange.took.as_millis()).unwrap_or(u64::MAX)),
            verdict: Some(attempt.verdict.clone()),
            annotations: annotations_of(attempt, &exchange, not_followed, original.is_some(), leads.unread),
            interim: String::from_utf8_lossy(&exchange.interim).into_owned(),
            certificate_problem: exchange.tls.as_ref().and_then(|tls| tls.certificate_problem.clone()),
        };
        let sniffed = match is_unspecific(&notes.mime) {
            false => None,
            true => {
                let begin = exchange.decoded_payload(SNIFFED_BYTES);
                let begin = begin.map_err(|source| CrawlError::io(&engine.setup.warc_dir, source))?;
                Some(Media::of("", url, &begin.bytes))
            }
        };
        let records = engine.archive.write(url, &mut exchange, original.as_ref(), &notes)?;
        let annotations = notes.annotations.clone();
        let entry = CaptureEntry { sniffed, ..entry_of(url, &exchange, original.as_ref(), notes, records) };
        permit.set_bytes(storing);
        Ok(Some(Kept { annotations, entry, permit }))
    }

    /// Says why a host is left alone for long after each answer, once an hour
    /// at most as an event.
    fn explain_delay(&self, attempt: &FetchAttempt, wait: Duration) {
        let engine = self.engine;
        let Some(delay) = attempt.crawl_delay.filter(|delay| wait >= LONG_WAIT && *delay >= LONG_WAIT) else { return };
        let authority = authority_of(attempt.queued.url());
        let asked = format!("robots.txt asks for {} between requests", counted_time(delay));
        let why = match delay > wait {
            true => format!("{asked}; the campaign waits {}, the most it obeys", counted_time(wait)),
            false => asked,
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

    /// Says so where a seed came to its end without a page: a person asked for
    /// just that one.
    pub(super) fn seed_without_page(&self, candidate: &Candidate, status: i32, why: &str) {
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
    fn seed_moved(&self, admission: &Admission, target: &Url) {
        let engine = self.engine;
        if engine.judge.keeps_seed(&admission.candidate.url, target) {
            return;
        }
        let seed = admission.candidate.seed.as_deref().unwrap_or(admission.candidate.url.as_str());
        let text = if is_same_site(&admission.candidate.url, target) {
            format!(
                "The seed {seed} redirects to {target}, whose address is private and not allowed (Spec, Politeness; campaign file: politeness.allow_private_addresses)"
            )
        } else if !is_open_redirect(&engine.setup.campaign, seed, target) {
            return;
        } else {
            format!(
                "The seed {seed} redirects to another site, {target}; nothing but this page is crawled there. \
                 Add it as a seed or leave it out (Spec, Seeds; campaign file: seeds, left_out_redirects)"
            )
        };
        engine.stats.event(CrawlEvent::new(EventKind::Seed, text).of_url(target));
    }

    pub(super) fn gave_up(
        &self,
        attempt: &FetchAttempt,
        status: i32,
        words: &str,
        took: Option<Duration>,
    ) -> Result<Disposition, CrawlError> {
        let engine = self.engine;
        let url = attempt.queued.url();
        if engine.robots.is_robots(url) {
            self.keep_robots(url, status, Vec::new())?;
        }
        let mut annotations = attempt.annotations.clone();
        if attempt.queued.tries > 0 {
            annotations.push(format!("{}t", attempt.queued.tries + 1));
        }
        self.end(attempt, attempt.queued.ended(status, words), annotations)?;
        self.seed_without_page(&attempt.queued.admission.candidate, status, words);
        let wait = wait_after(&engine.setup.campaign.politeness, took, attempt.crawl_delay);
        Ok(Disposition::Release { wait, captured: false })
    }

    /// A URL is out after all.
    fn refused(
        &self,
        attempt: &FetchAttempt,
        status: i32,
        verdict: Verdict,
        words: &str,
    ) -> Result<Disposition, CrawlError> {
        let finished = Finished { refused: Some(verdict), ..attempt.queued.ended(status, words) };
        self.end(attempt, finished, attempt.annotations.clone())?;
        Ok(Disposition::Release { wait: Duration::ZERO, captured: false })
    }

    pub(super) fn log_line(&self, queued: &QueuedUrl, status: i32) -> CrawlLogLine {
        CrawlLogLine::of(&queued.admission, status, self.number, self.engine.logs.now())
    }

    /// Keeps the end of a URL: in the ledger with what was found, in one call,
    /// then in logs and figures, and tells the frontier of what is new. A kill
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
        // What is in hand of its host may have the longer way still.
        for (admission, _) in found.iter().zip(&new).filter(|(_, admitted)| **admitted == Admitted::Nearer) {
            engine.frontier.announce(authority_of(&admission.candidate.url), ROBOTS_PRIORITY);
        }
        engine.stats.found(queued);
        engine.stats.refused(refused);
        Ok(())
    }
}

/// What came of reading an answer.
enum AnswerRead {
    /// Its links, and the text of a robots.txt.
    Done(PageLinks, Vec<u8>),
    /// It is so many bytes long once it is decoded, more than there is room for.
    Longer(u64),
}

/// Bytes that an answer is expected to have once it is decoded.
fn expected_len(url: &Url, exchange: &Exchange) -> u64 {
    let len = exchange.response.len();
    if is_packed_sitemap(url) {
        // It is unpacked on the way of reading it.
        return u64::try_from(unpacked_limit(usize::try_from(len).unwrap_or(usize::MAX))).unwrap_or(u64::MAX);
    }
    let is_encoded = exchange.head.headers.get("Content-Encoding").is_some();
    if is_encoded { len.saturating_mul(EXPECTED_RATIO) } else { len }
}

/// Reads an answer for its links, unless it is longer than expected; of a
/// robots.txt also gives its text.
fn read_answer(
    url: &Url,
    mut exchange: Exchange,
    expected: u64,
    is_robots: bool,
) -> (Exchange, io::Result<AnswerRead>) {
    let mut permit = LargePagePermit::default();
    let payload = match may_have_links(url, &exchange.head.headers) {
        true => permit.decode(|limit| exchange.decoded_payload(limit)),
        false if is_robots => exchange.decoded_payload(MAX_ROBOTS_BYTES),
        false => Ok(Vec::new().into()),
    };
    let read = payload.map(|payload| {
        if payload.bytes.len() as u64 > expected {
            return AnswerRead::Longer(payload.bytes.len() as u64);
        }
        let body = Body::new(exchange.head.status, &exchange.head.headers, payload);
        let links = body.links(url, &mut permit);
        let robots =
            if is_robots { &body.payload.bytes[..body.payload.bytes.len().min(MAX_ROBOTS_BYTES)] } else { &[] };
        AnswerRead::Done(links, robots.to_vec())
    });
    (exchange, read)
}

/// A verdict that no rule of the campaign spoke.
pub(super) fn plain_verdict(decision: Decision, rule_name: &str) -> Verdict {
    Verdict { decision, rule_index: None, rule_name: rule_name.to_owned() }
}

/// Heritrix's remarks for the last column of the crawl log.
fn annotations_of(
    attempt: &FetchAttempt,
    exchange: &Exchange,
    not_followed: usize,
    is_revisit: bool,
    unread: Option<Unread>,
) -> Vec<String> {
    let mut annotations = attempt.annotations.clone();
    if attempt.queued.tries > 0 {
        annotations.push(format!("{}t", attempt.queued.tries + 1));
    }
    match exchange.truncated {
        Some(Truncated::Length) => annotations.push("lenTrunc".to_owned()),
        Some(Truncated::Time) => annotations.push("timeTrunc".to_owned()),
        Some(Truncated::Disconnect) => annotations.push("disconnectTrunc".to_owned()),
        None => {}
    }
    if not_followed > 0 {
        annotations.push(format!("dol:{not_followed}"));
    }
    if unread.is_some_and(Unread::loses_links) {
        annotations.push("notReadWhole".to_owned());
    }
    if is_revisit {
        annotations.push("duplicate:digest".to_owned());
    }
    annotations.extend(exchange.notes.iter().map(|note| (*note).to_owned()));
    if exchange.tls.as_ref().is_some_and(|tls| tls.certificate_problem.is_some()) {
        annotations.push("certificate".to_owned());
    }
    annotations
}

/// What the rules ask about an answer.
pub(super) fn content_of(entry: &CaptureEntry) -> ContentFact {
    let status = u16::try_from(entry.notes.status).unwrap_or(0);
    ContentFact::Fetched { status, mime: entry.notes.mime.clone(), bytes: entry.payload_len }
}
