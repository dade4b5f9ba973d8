//! Who may be fetched by robots.txt: asked once per origin and launch.

use super::robots::RobotsRules;
use super::{Ledger, LedgerError, RobotsAnswer};
use crate::uri::Url;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2).
const MAX_REDIRECTS: usize = 5;
/// Origins held in memory; the ledger has the rest.
const MAX_ORIGINS: usize = 5000;

/// What is known about robots of an origin.
#[derive(Clone)]
pub enum Robots {
    /// Its rules.
    Rules(Arc<RobotsRules>),
    /// It could not be had: why, as a fetch status.
    Unreachable(i32),
    /// This robots.txt has to be fetched first.
    Needed(Url),
}

/// The answers of a launch.
pub struct RobotsDesk<'a> {
    ledger: &'a dyn Ledger,
    agent: String,
    known: RwLock<HashMap<String, Robots>>,
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

fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

impl<'a> RobotsDesk<'a> {
    /// With the answers that the ledger holds; `agent` is the User-Agent as sent.
    pub fn new(ledger: &'a dyn Ledger, agent: &str) -> Self {
        Self { ledger, agent: agent.to_owned(), known: RwLock::new(HashMap::new()) }
    }

    /// What holds for a URL. Redirects from one robots.txt to another are
    /// followed; to anything else they count as an answer without rules.
    pub fn robots_for(&self, url: &Url) -> Result<Robots, LedgerError> {
        let origin = origin_of(url);
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&origin) {
            return Ok(known.clone());
        }
        let mut place = robots_url(url);
        for _ in 0..=MAX_REDIRECTS {
            let Some(answer) = self.ledger.robots(&origin_of(&place))? else {
                return Ok(Robots::Needed(place));
            };
            match redirect_of(&answer) {
                Some(target) if is_robots_url(&target) && target != place => place = target,
                _ => {
                    let robots = self.read(&answer);
                    let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                    if known.len() >= MAX_ORIGINS {
                        known.clear();
                    }
                    known.insert(origin, robots.clone());
                    return Ok(robots);
                }
            }
        }
        // RFC 9309: too many redirects may count as unavailable.
        Ok(Robots::Rules(Arc::new(RobotsRules::from_answer(Some(404), b"", &self.agent))))
    }

    /// Keeps the answer of a robots.txt that was fetched; gives its rules.
    pub fn keep(&self, url: &Url, answer: &RobotsAnswer) -> Result<Robots, LedgerError> {
        self.ledger.keep_robots(&origin_of(url), answer)?;
        Ok(self.read(answer))
    }

    fn read(&self, answer: &RobotsAnswer) -> Robots {
        match u16::try_from(answer.status) {
            Ok(status) => Robots::Rules(Arc::new(RobotsRules::from_answer(Some(status), &answer.body, &self.agent))),
            Err(_) => Robots::Unreachable(answer.status),
        }
    }
}

/// The answer of a robots.txt that redirects holds its target as the body.
fn redirect_of(answer: &RobotsAnswer) -> Option<Url> {
    (300..400)
        .contains(&answer.status)
        .then(|| std::str::from_utf8(&answer.body).ok())?
        .and_then(crate::uri::parse_web_url)
}
