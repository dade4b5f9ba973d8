//! Splits a URL into the parts that keys are made of.

use super::Url;
use super::fqdn::strip_www;

/// Host name with port where that is not the scheme's own: what a request names as its host, and a crawl its queues.
pub fn authority_of(url: &Url) -> &str {
    &url[url::Position::BeforeHost..url::Position::AfterPort]
}

/// Host, port, path and query of a parsed http or https URL, as slices of its text: a URL that was put
/// together need not be parsed again for its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebParts<'a> {
    /// Host in lower case, punycode; addresses in brackets where they need them.
    pub host: &'a str,
    /// Port where it is not the scheme's own.
    pub port: Option<u16>,
    /// Path, with its first slash.
    pub path: &'a str,
    /// Query without its question mark.
    pub query: Option<&'a str>,
}

impl<'a> WebParts<'a> {
    /// The parts of a URL.
    pub fn of(url: &'a Url) -> Self {
        Self { host: url.host_str().unwrap_or_default(), port: url.port(), path: url.path(), query: url.query() }
    }

    /// The host name as [`super::Fqdn`] has it: without its `www` label and final dot.
    pub fn name(&self) -> &'a str {
        strip_www(self.host.trim_end_matches('.'))
    }
}
