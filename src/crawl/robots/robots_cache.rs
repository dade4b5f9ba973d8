//! Cache of robots.txt files, each fetched once a day per origin and launch.
//!
//! RFC 9309, 2.4: an answer is used for 24 hours at most, unless none newer
//! can be had.

use super::{RobotsRules, product_name};
use crate::crawl::{Ledger, LedgerError, RobotsAnswer};
use crate::exchange::fetch_status::{BLOCKED_BY_SETTING, ROBOTS_PREREQUISITE_FAILED};
use crate::uri::{CaptureDate, Url};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// Redirects of a robots.txt that are followed, to any path of any host (RFC
/// 9309, 2.3.1.2).
const MAX_REDIRECTS: usize = 5;
/// Bytes of rules in memory, about; the ledger has the rest.
const MAX_BYTES: usize = 16 << 20;
/// Bytes in memory of an origin without rules, about.
const ORIGIN_BYTES: usize = 256;
/// An answer is used for so long, in milliseconds.
const USED_FOR_MS: i64 = 24 * 3_600_000;
/// An answer that no newer one could be had for is used so much longer.
const USED_AGAIN_FOR_MS: i64 = 3_600_000;

/// The cached robots.txt of an origin.
#[derive(Clone)]
pub enum CachedRobots {
    /// Its rules.
    Rules(Arc<RobotsRules>),
    /// It could not be had: why, as a fetch status.
    Unreachable(i32),
    /// This robots.txt has to be fetched first.
    Needed(Url),
}

/// The answers of a launch.
pub struct RobotsCache<'a> {
    ledger: &'a dyn Ledger,
    /// The User-Agent as sent.
    agent: String,
    /// Its product name, by which files and fields call the crawler.
    product: String,
    known: RwLock<Known>,
}

/// The answers in memory: of each origin, with their dates.
#[derive(Default)]
struct Known {
    origins: HashMap<String, (CachedRobots, CaptureDate)>,
    bytes: usize,
    /// URLs that a robots.txt redirects to and that have no such name: their
    /// answers hold rules, too.
    targets: HashSet<String>,
}

/// The end of the redirects of a robots.txt, by the answers that are known.
pub enum RobotsTrail {
    /// To this answer of this URL.
    Answer(RobotsAnswer, Url),
    /// To this URL, which was not fetched yet.
    Needed(Url),
    /// On and on.
    TooLong,
}

/// Follows the redirects of the robots.txt that holds for a URL. `answer_of`
/// knows answers by [`robots_key`].
///
/// # Errors
///
/// Those of `answer_of`.
pub fn follow_robots<E>(
    url: &Url,
    mut answer_of: impl FnMut(&str) -> Result<Option<RobotsAnswer>, E>,
) -> Result<RobotsTrail, E> {
    let mut place = robots_url(url);
    for _ in 0..=MAX_REDIRECTS {
        let Some(answer) = answer_of(&robots_key(&place))? else { return Ok(RobotsTrail::Needed(place)) };
        match redirect_of(&answer) {
            Some(target) if target != place => place = target,
            _ => return Ok(RobotsTrail::Answer(answer, place)),
        }
    }
    Ok(RobotsTrail::TooLong)
}

/// The key of an answer with rules: the origin where the URL is its
/// robots.txt, else the URL.
pub fn robots_key(url: &Url) -> String {
    if is_robots_url(url) { origin_of(url) } else { url.to_string() }
}

fn is_old(date: CaptureDate, now: CaptureDate) -> bool {
    now.millis().saturating_sub(date.millis()) >= USED_FOR_MS
}

/// The robots.txt that holds for a URL.
pub fn robots_url(url: &Url) -> Url {
    let mut robots = url.clone();
    robots.set_path("/robots.txt");
    robots.set_query(None);
    robots.set_fragment(None);
    robots
}

/// Whether a URL is a robots.txt.
pub fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

pub(in crate::crawl) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

impl<'a> RobotsCache<'a> {
    /// Creates a cache over the answers in the ledger; `agent` is the User-Agent as sent.
    pub fn new(ledger: &'a dyn Ledger, agent: &str) -> Self {
        Self { ledger, agent: agent.to_owned(), product: product_name(agent), known: RwLock::default() }
    }

    /// The product name of the crawler in robots.txt and in fields for robots.
    pub fn product(&self) -> &str {
        &self.product
    }

    /// The rules for a URL at `now`, by the clock that answers are
    /// dated by.
    pub fn robots_for(&self, url: &Url, now: CaptureDate) -> Result<CachedRobots, LedgerError> {
        let origin = origin_of(url);
        if let Some((robots, date)) = self.read_known().origins.get(&origin)
            && !is_old(*date, now)
        {
            return Ok(robots.clone());
        }
        let answer_of = |key: &str| Ok(self.ledger.robots(key)?.filter(|answer| !is_old(answer.date, now)));
        let (answer, place) = match follow_robots(url, answer_of)? {
            RobotsTrail::Answer(answer, place) => (answer, place),
            RobotsTrail::Needed(place) => {
                if !self.is_robots(&place) {
                    self.known.write().unwrap_or_else(PoisonError::into_inner).targets.insert(place.to_string());
                }
                return Ok(CachedRobots::Needed(place));
            }
            // RFC 9309: too many redirects may count as unavailable.
            RobotsTrail::TooLong => {
                return Ok(CachedRobots::Rules(Arc::new(RobotsRules::from_answer(Some(404), b"", &self.agent))));
            }
        };
        let robots = match self.read(&answer) {
            // The page itself would not meet the guard that its redirect met.
            CachedRobots::Unreachable(BLOCKED_BY_SETTING) if origin_of(&place) != origin => {
                CachedRobots::Unreachable(ROBOTS_PREREQUISITE_FAILED)
            }
            robots => robots,
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = origin.len() + answer.body.len() + ORIGIN_BYTES;
        if known.bytes + bytes > MAX_BYTES {
            let targets = std::mem::take(&mut known.targets);
            *known = Known { targets, ..Known::default() };
        }
        known.bytes += bytes;
        known.origins.insert(origin, (robots.clone(), answer.date));
        Ok(robots)
    }

    /// Whether the answer of a URL holds rules: it is a robots.txt, or one
    /// redirects to it.
    pub fn is_robots(&self, url: &Url) -> bool {
        is_robots_url(url) || {
            let known = self.read_known();
            !known.targets.is_empty() && known.targets.contains(url.as_str())
        }
    }

    fn read_known(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the answer of a robots.txt that was fetched; gives its rules.
    /// Where it could not be had, an answer that was given before is used for
    /// some time more.
    pub fn keep(&self, url: &Url, answer: &RobotsAnswer) -> Result<CachedRobots, LedgerError> {
        let key = robots_key(url);
        let kept = match is_unreachable(answer.status) {
            true => self.ledger.robots(&key)?.filter(|before| !is_unreachable(before.status)),
            false => None,
        };
        let kept = kept.map(|before| {
            let date = answer.date.millis().saturating_sub(USED_FOR_MS - USED_AGAIN_FOR_MS);
            RobotsAnswer { date: CaptureDate::from_millis(date), ..before }
        });
        let answer = kept.as_ref().unwrap_or(answer);
        self.ledger.keep_robots(&key, answer)?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.origins.remove(&key);
        // Before it is fetched as a page, which it may be as well.
        known.targets.extend(redirect_of(answer).filter(|target| !is_robots_url(target)).map(String::from));
        drop(known);
        Ok(self.read(answer))
    }

    fn read(&self, answer: &RobotsAnswer) -> CachedRobots {
        match u16::try_from(answer.status) {
            Ok(_) if is_unreachable(answer.status) => CachedRobots::Unreachable(answer.status),
            Ok(status) => {
                CachedRobots::Rules(Arc::new(RobotsRules::from_answer(Some(status), &answer.body, &self.agent)))
            }
            Err(_) => CachedRobots::Unreachable(answer.status),
        }
    }
}

/// Whether such an answer leaves the rules unknown: none at all, 429, or
/// an error of the server.
fn is_unreachable(status: i32) -> bool {
    status < 0 || status == 429 || status >= 500
}

/// The answer of a robots.txt that redirects holds its target as the body.
fn redirect_of(answer: &RobotsAnswer) -> Option<Url> {
    (300..400)
        .contains(&answer.status)
        .then(|| std::str::from_utf8(&answer.body).ok())?
        .and_then(crate::uri::parse_web_url)
}
