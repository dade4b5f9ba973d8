//! robots.txt by RFC 9309, with the line that decides.
//!
//! Our own reader: the available library matches, but does not name the line,
//! and accepts rules before any `User-agent` line.

use crate::scope::RobotsFact;
use crate::uri::{Url, escape_bytes};
use std::borrow::Cow;
use std::time::Duration;

/// Bytes of a robots.txt that are read; the standard requires at least so many.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;

/// The rules of one host's robots.txt for one crawler.
///
/// | answer | meaning |
/// |---|---|
/// | 2xx | its rules; none where it is HTML and no text |
/// | 3xx left after the redirects were followed, 4xx but 429 | all allowed |
/// | 429, 5xx, no answer | all denied |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsRules {
    verdict: Verdict,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    AllowAll,
    DenyAll(String),
    Rules(Vec<Rule>),
}

/// One `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    /// The path pattern, percent-encoded as URLs are.
    pattern: String,
    /// The line as the file has it, and its number from 1.
    line: String,
    number: usize,
}

impl RobotsRules {
    /// Reads the answer to a request for robots.txt. `status` is none where
    /// there was no answer; `body` has its content encoding removed; `agent`
    /// is the `User-Agent` that is sent, of which the first product name
    /// counts (`fonds` of `Mozilla/5.0 (compatible; fonds/0.1; +https://…)`).
    pub fn from_answer(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        let verdict = match status {
            Some(200..=299) => return Self::from_text(body, &product_name(agent)),
            // “Too many requests” forbids nothing and allows nothing.
            Some(300..=428 | 430..=499) => Verdict::AllowAll,
            Some(status) => Verdict::DenyAll(format!("robots.txt answered with status {status}")),
            None => Verdict::DenyAll("robots.txt could not be reached".to_owned()),
        };
        Self { verdict, crawl_delay: None, sitemaps: Vec::new() }
    }

    /// Reads the text of a robots.txt for a product name, such as `fonds`.
    pub fn from_text(body: &[u8], product: &str) -> Self {
        let body = &body[..body.len().min(MAX_ROBOTS_BYTES)];
        // Paths are compared byte by byte, whatever their encoding.
        let text = escape_bytes(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
        if is_html(&text) {
            return Self { verdict: Verdict::AllowAll, crawl_delay: None, sitemaps: Vec::new() };
        }
        let mut reader = Reader::default();
        for (position, line) in text.split(['\n', '\r', '\0']).enumerate() {
            reader.take(position + 1, line, product);
        }
        let (own, any) = (reader.own, reader.any);
        let group = if own.named { own } else { any };
        // A delay before any group is meant for all.
        let crawl_delay = group.crawl_delay.or(reader.crawl_delay);
        Self { verdict: Verdict::Rules(group.rules), crawl_delay, sitemaps: reader.sitemaps }
    }

    /// Decides whether a URL is allowed, with the line that denies it.
    pub fn fact(&self, url: &Url) -> RobotsFact {
        let why = match &self.verdict {
            Verdict::AllowAll => return RobotsFact::Allowed,
            Verdict::DenyAll(why) => why.clone(),
            Verdict::Rules(rules) => match deciding(rules, url) {
                Some(rule) if !rule.allow => format!("line {}: {}", rule.number, rule.line),
                _ => return RobotsFact::Allowed,
            },
        };
        RobotsFact::Denied { why }
    }

    /// The line that decides about a URL, allowing or denying; none where no
    /// line matches or there are no rules.
    pub fn deciding_line(&self, url: &Url) -> Option<(usize, &str)> {
        match &self.verdict {
            Verdict::Rules(rules) => deciding(rules, url).map(|rule| (rule.number, rule.line.as_str())),
            _ => None,
        }
    }

    /// The `Crawl-delay` that the host requests. Not part of the
    /// standard, widely used.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// URLs of the sitemaps, as the file has them.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// Lines gathered while the file is read.
#[derive(Default)]
struct Reader {
    /// Groups that name our product.
    own: Group,
    /// Groups for `*`.
    any: Group,
    /// Which of the two the current group belongs to.
    in_own: bool,
    in_any: bool,
    /// Whether a group has begun at all.
    begun: bool,
    /// Whether the line before was a `User-agent` line of the same group.
    in_names: bool,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

/// The rules of all groups for one name together.
#[derive(Default)]
struct Group {
    named: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl Reader {
    fn take(&mut self, number: usize, line: &str, product: &str) {
        let content = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = content.split_once(':') else {
            return;
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match key.as_str() {
            "user-agent" | "useragent" | "user agent" => self.name(value, product),
            "allow" | "disallow" => self.rule(key == "allow", value, number, line.trim()),
            "crawl-delay" | "crawldelay" => self.delay(value),
            "sitemap" | "site-map" if !value.is_empty() => self.sitemaps.push(value.to_owned()),
            // Unknown lines do not end a group.
            _ => {}
        }
    }

    fn name(&mut self, value: &str, product: &str) {
        if !self.in_names {
            (self.in_own, self.in_any) = (false, false);
        }
        self.in_names = true;
        self.begun = true;
        // Names may carry a version or more words; the product name leads.
        let name = leading_name(value);
        if value == "*" || value.starts_with("* ") {
            self.in_any = true;
            self.any.named = true;
        } else if !name.is_empty() && name.eq_ignore_ascii_case(product) {
            self.in_own = true;
            self.own.named = true;
        }
    }

    /// The groups that the current line belongs to.
    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        let own = self.in_own.then_some(&mut self.own);
        own.into_iter().chain(self.in_any.then_some(&mut self.any))
    }

    fn rule(&mut self, allow: bool, value: &str, number: usize, line: &str) {
        if !self.begun {
            return;
        }
        self.in_names = false;
        // An empty path matches nothing.
        if value.is_empty() {
            return;
        }
        let pattern = match value.strip_suffix('$') {
            Some(value) => format!("{}$", encoded(value, b"$")),
            None => encoded(value, b"$").into_owned(),
        };
        let rule = Rule { allow, pattern, line: line.to_owned(), number };
        self.groups().for_each(|group| group.rules.push(rule.clone()));
    }

    fn delay(&mut self, value: &str) {
        let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        // Beyond a year it means "never"; the politeness room caps it anyway.
        let Some(delay) = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(31_536_000.0))) else {
            return;
        };
        if !self.begun {
            self.crawl_delay = Some(delay);
            return;
        }
        self.in_names = false;
        self.groups().for_each(|group| {
            group.crawl_delay.get_or_insert(delay);
        });
    }
}

/// The rule with the longest pattern that matches; of equals, the one that allows.
fn deciding<'a>(rules: &'a [Rule], url: &Url) -> Option<&'a Rule> {
    if url.path() == "/robots.txt" {
        return None;
    }
    // In a URL the two special characters of patterns are only themselves.
    let mut path = encoded(url.path(), b"*$");
    if let Some(query) = url.query() {
        let path = path.to_mut();
        path.push('?');
        path.push_str(&encoded(query, b"*$"));
    }
    let matching = rules.iter().filter(|rule| matches(&rule.pattern, &path));
    matching.reduce(|best, rule| {
        let (length, best_length) = (rule.pattern.len(), best.pattern.len());
        let better = length > best_length || length == best_length && rule.allow && !best.allow;
        if better { rule } else { best }
    })
}

/// Whether a path starts with a pattern in which `*` matches anything and a
/// final `$` the end. Time grows with the product of the lengths at worst,
/// never beyond.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !to_the_end || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if to_the_end && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

/// A path with all beyond ASCII percent-encoded, hex digits in upper case, and
/// what needs no percent sign without one, so that spellings compare equal;
/// the bytes of `also` get one too.
fn encoded<'t>(text: &'t str, also: &[u8]) -> Cow<'t, str> {
    // Most paths are spelled so already, and a million of them are tested.
    if text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'%' && !also.contains(&byte)) {
        return Cow::Borrowed(text);
    }
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    let mut push = |byte: u8, was_encoded: bool| {
        let unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        if byte <= b' ' || byte >= 0x7f || was_encoded && !unreserved || also.contains(&byte) {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        } else {
            out.push(char::from(byte));
        }
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = |at: usize| bytes.get(at).and_then(|&digit| char::from(digit).to_digit(16));
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                push((high * 16 + low) as u8, true);
                at += 3;
            }
            _ => {
                push(byte, false);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}

/// The first product name of a `User-Agent` value; the one after
/// `compatible;` where it only pretends to be a browser.
pub fn product_name(agent: &str) -> String {
    let own = match agent.split_once("compatible;") {
        Some((browser, own)) if browser.starts_with("Mozilla/") => own.trim_start(),
        _ => agent.trim_start(),
    };
    leading_name(own).to_owned()
}

/// Letters, `-` and `_`; digits and inner dots too, for the many names that
/// have some.
fn leading_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// Whether the answer to a request for robots.txt is a web page.
fn is_html(text: &str) -> bool {
    let start = text.trim_start();
    let begins = |prefix: &str| start.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"].into_iter().any(begins)
}

pub(super) mod robots_cache;
#[cfg(test)]
mod tests;
