//! The delay of a host after a fetch.

use crate::campaign::Politeness;
use crate::uri::CaptureDate;
use std::collections::HashMap;
use std::time::Duration;

/// URLs fetched at the same time from one address, however many hosts it
/// serves, in a polite crawl.
pub const MAX_IN_FLIGHT_PER_ADDRESS: usize = 4;

/// A host is left alone at most this long because of `Retry-After`; one that
/// requests more is tried again after this time.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// The delays between requests to a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Delays {
    factor: f64,
    least: Duration,
    most: Duration,
    crawl_delay_threshold: Duration,
    retry: Duration,
    /// The least for single hosts, by host name with port where it is no default.
    of_hosts: HashMap<String, Duration>,
}

impl Delays {
    /// The delays of a campaign.
    pub fn of(politeness: &Politeness) -> Self {
        Self {
            factor: if politeness.delay_factor.is_finite() { politeness.delay_factor.max(0.0) } else { 0.0 },
            least: Duration::from_millis(politeness.min_delay_ms),
            most: Duration::from_millis(politeness.max_delay_ms),
            crawl_delay_threshold: Duration::from_secs(politeness.respect_crawl_delay_up_to_seconds),
            retry: Duration::from_secs(politeness.retry_delay_seconds),
            of_hosts: HashMap::new(),
        }
    }

    /// Leaves one host, with port where it is no default, alone for so long at least.
    pub fn set_host(&mut self, authority: &str, least: Duration) {
        self.of_hosts.insert(authority.to_owned(), least);
    }

    /// Wait before the next fetch from a host, as Heritrix reckons it
    /// (`DispositionProcessor`): the factor times the last fetch, raised to the
    /// minimum, cut to the maximum; then, only if that is below the threshold for
    /// crawl-delays, raised to the crawl-delay, which is cut to the threshold.
    /// Nothing was fetched (`fetch` is none): no wait.
    pub fn after(&self, authority: &str, fetch: Option<Duration>, crawl_delay: Option<Duration>) -> Duration {
        let Some(fetch) = fetch else {
            return Duration::ZERO;
        };
        let by_factor = Duration::try_from_secs_f64(fetch.as_secs_f64() * self.factor).unwrap_or(Duration::MAX);
        let wait = by_factor.max(self.least).min(self.most);
        let wait = self.of_hosts.get(authority).map_or(wait, |least| wait.max(*least));
        match crawl_delay {
            Some(delay) if wait < self.crawl_delay_threshold => wait.max(delay.min(self.crawl_delay_threshold)),
            _ => wait,
        }
    }

    /// Wait before a URL that got no answer is tried again.
    pub fn retry(&self) -> Duration {
        self.retry
    }
}

/// Whether the campaign waits at all between fetches from one host. If not,
/// a host may be fetched from by all workers at once (one's own server).
pub fn is_polite(politeness: &Politeness) -> bool {
    politeness.delay_factor > 0.0 || politeness.min_delay_ms > 0
}

/// The longest wait that a server can request; longer ones mean “never” anyway.
const MAX_DECLARED_WAIT: Duration = Duration::from_secs(366 * 86_400);

/// The value of `Retry-After` (RFC 9110, 10.2.3): seconds or an HTTP date.
/// Never longer than a year; none where the text is neither. How long a host
/// is left alone is bounded by [`MAX_RETRY_AFTER`].
pub fn retry_after(value: &str, now: CaptureDate) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // Too many digits for a number is still “very long”.
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(MAX_DECLARED_WAIT));
    }
    let instant = jiff::fmt::rfc2822::parse(value).ok()?.timestamp().as_millisecond();
    let millis = u64::try_from(instant.saturating_sub(now.millis())).unwrap_or(0);
    Some(Duration::from_millis(millis).min(MAX_DECLARED_WAIT))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn waits_as_heritrix_does() {
        let defaults = Politeness::default();
        let check = |politeness: &Politeness, fetch_ms: u64, delay_s: Option<u64>, wait_ms: u64| {
            let fetch = Some(Duration::from_millis(fetch_ms));
            let wait = Delays::of(politeness).after("a.pt", fetch, delay_s.map(Duration::from_secs));
            assert_eq!(wait, Duration::from_millis(wait_ms), "{fetch_ms} ms, crawl-delay {delay_s:?}");
        };
        check(&defaults, 100, None, 3000);
        check(&defaults, 1000, None, 5000);
        check(&defaults, 10_000, None, 30_000);
        check(&defaults, 10_000, Some(60), 60_000);
        check(&defaults, 100, Some(600), 300_000);
        check(&Politeness { respect_crawl_delay_up_to_seconds: 0, ..defaults.clone() }, 100, Some(10), 3000);
        let ukwa = Politeness { delay_factor: 1.0, min_delay_ms: 500, max_delay_ms: 10_000, ..defaults.clone() };
        check(&ukwa, 100, None, 500);
        let mut delays = Delays::of(&defaults);
        assert_eq!(delays.after("a.pt", None, Some(Duration::from_secs(60))), Duration::ZERO);
        delays.set_host("a.pt", Duration::from_secs(90));
        let wait = |authority| delays.after(authority, Some(Duration::from_millis(100)), None).as_secs();
        assert_eq!((wait("a.pt"), wait("b.pt")), (90, 3));
    }

    #[test]
    fn odd_settings_do_not_panic() {
        for factor in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            let politeness = Politeness { delay_factor: factor, ..Politeness::default() };
            let wait = Delays::of(&politeness).after("a.pt", Some(Duration::from_secs(2)), None);
            assert!(wait >= Duration::from_secs(3) && wait <= Duration::from_secs(30), "{factor}");
        }
    }

    #[test]
    fn retry_after_is_read_and_capped() {
        let now = CaptureDate::parse("2015-10-21T07:28:00Z").unwrap();
        let check = |value: &str, expected: Option<u64>| {
            assert_eq!(retry_after(value, now), expected.map(Duration::from_secs), "{value}");
        };
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("99999999999999999999999", Some(366 * 86_400));
        check("Wed, 21 Oct 2015 07:28:30 GMT", Some(30));
        check("Wed, 21 Oct 2015 07:27:00 GMT", Some(0));
        check("soon", None);
        check("-5", None);
        check("", None);
    }
}
