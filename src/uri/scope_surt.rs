//! Makes the SURTs that scope rules match, as Heritrix has them.

use super::Url;
use super::fqdn::{is_address, push_reversed};
use super::text::{self, push_lower};
use serde::{Deserialize, Serialize};
use std::fmt;

/// `http://(pt,fct,www,)/sobre`: the SURT of a URL, lower case; https is read
/// as http when prefixes are matched.
///
/// `scheme://user:pass@host:port/path` becomes
/// `scheme://(labels,reversed,:port@user:pass)/path`; addresses keep their
/// order; a URL without a host is its own SURT.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSurt(String);

impl ScopeSurt {
    /// The SURT of a parsed URL.
    pub fn of(url: &Url) -> Self {
        let mut surt = Self(String::with_capacity(url.as_str().len() + 4));
        surt.set(url);
        surt
    }

    /// Becomes the SURT of another URL, in the room that it has.
    pub fn set(&mut self, url: &Url) {
        let surt = &mut self.0;
        surt.clear();
        if !url.has_host() {
            surt.push_str(url.as_str());
            return;
        }
        surt.push_str(url.scheme());
        surt.push_str("://(");
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        if is_address(host) {
            surt.push_str(host);
            if host.starts_with('[') {
                surt.push(',');
            }
        } else {
            push_reversed(surt, host, true);
        }
        if let Some(port) = url.port() {
            text::push_port(surt, port);
        }
        if !url.username().is_empty() || url.password().is_some() {
            surt.push('@');
            push_lower(surt, url.username());
            if let Some(password) = url.password() {
                surt.push(':');
                push_lower(surt, password);
            }
        }
        surt.push(')');
        push_lower(surt, url.path());
        if let Some(query) = url.query().filter(|query| !query.is_empty()) {
            surt.push('?');
            push_lower(surt, query);
        }
    }

    /// The SURT of a URL as typed, with or without scheme. Unlike
    /// [`ScopeSurt::of`] it does not add the slash that a bare host lacks,
    /// because that slash has a meaning in prefixes.
    ///
    /// `None` where the text is no URL.
    pub fn of_text(line: &str) -> Option<Self> {
        let line = line.trim();
        let mut surt = Self::of(&text::parse_loose(line)?);
        if !line.ends_with('/') && surt.0.ends_with(")/") {
            surt.0.pop();
        }
        Some(surt)
    }

    /// The text of the SURT.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Text that prefixes are compared with: http and https are one, so the scheme's name is left away for
    /// these two (`://(pt,fct,)/`).
    pub fn tail(&self) -> &str {
        tail(&self.0)
    }
}

fn tail(surt: &str) -> &str {
    match surt.strip_prefix("http") {
        Some(rest) => match rest.strip_prefix('s').unwrap_or(rest) {
            rest if rest.starts_with("://") => rest,
            _ => surt,
        },
        None => surt,
    }
}

impl fmt::Display for ScopeSurt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A SURT prefix, as a scope rule has it: `http://(pt,fct,` opens
/// subdomains, `http://(pt,fct,)/` does not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopePrefix(String);

impl ScopePrefix {
    /// The prefix that a seed implies: https read as http, cut after the last
    /// slash; without any path the parenthesis stays open for subdomains.
    ///
    /// Text that is no URL implies itself and matches nothing.
    pub fn implied_by_seed(seed: &str) -> Self {
        let Some(surt) = ScopeSurt::of_text(seed) else {
            return Self(seed.trim().to_owned());
        };
        Self(as_prefix(surt.0))
    }

    /// Reads a prefix of a scope file: a SURT (`http://(pt,fct,`, `(pt,fct,)/sobre`), or a URL or host
    /// (`pt`), read as the prefix that a seed implies. The `+` that marks prefixes in such files may come
    /// first.
    ///
    /// `None` where the text is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('+').map_or(text, str::trim_start);
        if text.starts_with('(') {
            return (text.len() > 1).then(|| Self(format!("http://{}", text.to_ascii_lowercase())));
        }
        if text.contains("://(") {
            let surt = text.to_ascii_lowercase();
            let prefix = match surt.strip_prefix("https://") {
                Some(rest) => format!("http://{rest}"),
                None => surt,
            };
            return Some(Self(prefix));
        }
        let url = text::parse_loose(text)?;
        url.has_host().then(|| Self::implied_by_seed(text))
    }

    /// Reads a prefix as [`Self::parse`] does, but for URLs with a path: these match all that begins as they
    /// are written.
    pub fn as_written(text: &str) -> Option<Self> {
        let implied = Self::parse(text)?;
        let text = text.trim();
        let text = text.strip_prefix('+').map_or(text, str::trim_start);
        let surt = ScopeSurt::of_text(text).filter(|_| !text.contains('(')).map(|surt| http_of(surt.0));
        Some(surt.filter(|surt| surt.starts_with(&implied.0) && surt.contains(")/")).map_or(implied, Self))
    }

    /// The prefix of the seed's whole host: path, and port, cut.
    pub fn host_of(url: &Url) -> Self {
        let mut prefix = Self::domain_of(url).0;
        if let Some(host) = url.host_str().map(|host| host.trim_end_matches('.')) {
            prefix = match host.strip_prefix("www.") {
                Some(rest) if !is_address(host) && rest.contains('.') => format!("{prefix}www,)"),
                // A SURT has a comma behind an IPv6 address.
                _ if host.starts_with('[') => format!("{prefix},)"),
                _ => format!("{prefix})"),
            };
        }
        Self(prefix)
    }

    /// The prefix of the seed's host and all its subdomains; a `www` label
    /// counts as none (`http://(pt,fct,` of `https://www.fct.pt/sobre`).
    pub fn domain_of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let mut prefix = match url.scheme() {
            "https" => String::from("http://("),
            scheme => format!("{scheme}://("),
        };
        if is_address(host) {
            prefix.push_str(host);
        } else {
            let host = host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host);
            push_reversed(&mut prefix, host, true);
        }
        Self(prefix)
    }

    /// Whether the URL's SURT starts with this prefix, https read as http.
    pub fn matches(&self, surt: &ScopeSurt) -> bool {
        self.0.contains('(') && surt.tail().starts_with(self.tail())
    }

    /// The text of the prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As [`ScopeSurt::tail`].
    pub fn tail(&self) -> &str {
        tail(&self.0)
    }

    /// Remark for the person who types this prefix on what it matches beyond the obvious; `None` where it
    /// matches as it reads.
    pub fn remark(&self) -> Option<&'static str> {
        let Some((_, rest)) = self.0.split_once('(') else {
            return Some("is no SURT prefix and matches nothing");
        };
        if rest.contains(')') {
            return None;
        }
        if rest.ends_with(',') {
            return Some("opens subdomains; end the seed with a slash to keep to this host");
        }
        if rest.contains(':') {
            return Some("an open port also matches longer ports; end the seed with a slash to keep to this port");
        }
        Some("an open label also matches longer labels; end it with a comma")
    }
}

/// A SURT with https read as http.
fn http_of(surt: String) -> String {
    match surt.strip_prefix("https://") {
        Some(rest) => format!("http://{rest}"),
        None => surt,
    }
}

/// Cuts a SURT to the prefix that it implies.
fn as_prefix(surt: String) -> String {
    let mut prefix = http_of(surt);
    // Three slashes and more: cut what follows the last one.
    if let Some(last) = prefix.rfind('/') {
        let authority_end = prefix.find("://").map_or(0, |at| at + 3);
        if last >= authority_end && authority_end > 0 {
            prefix.truncate(last + 1);
        } else if prefix.ends_with(')') {
            prefix.pop();
        }
    }
    prefix
}

impl fmt::Display for ScopePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Set of prefixes, matched in the time of a binary search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopePrefixSet {
    /// Sorted tails, none of them a prefix of another.
    tails: Vec<Box<str>>,
}

impl ScopePrefixSet {
    /// Gathers prefixes; those that a shorter one covers are dropped.
    pub fn new(prefixes: impl IntoIterator<Item = ScopePrefix>) -> Self {
        let mut tails: Vec<Box<str>> = prefixes.into_iter().map(|prefix| Box::from(prefix.tail())).collect();
        // What is no SURT matches nothing; an empty prefix would let everything in.
        tails.retain(|tail| tail.contains('('));
        tails.sort_unstable();
        tails.dedup_by(|longer, kept| longer.starts_with(&**kept));
        Self { tails }
    }

    /// Number of prefixes left.
    pub fn len(&self) -> usize {
        self.tails.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tails.is_empty()
    }

    /// Whether any prefix matches.
    pub fn matches(&self, surt: &ScopeSurt) -> bool {
        self.find(surt).is_some()
    }

    /// The prefix that matches, http and https written as `http`.
    pub fn matching(&self, surt: &ScopeSurt) -> Option<ScopePrefix> {
        let tail = self.find(surt)?;
        Some(ScopePrefix(if tail.starts_with("://") { format!("http{tail}") } else { tail.to_owned() }))
    }

    fn find(&self, surt: &ScopeSurt) -> Option<&str> {
        let target = surt.tail();
        // Free of prefixes of each other, only the greatest one that does not
        // come after the SURT can be a prefix of it.
        let after = self.tails.partition_point(|tail| &**tail <= target);
        let tail = self.tails.get(after.checked_sub(1)?)?;
        target.starts_with(&**tail).then_some(tail)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn transforms_as_heritrix() {
        for (line, expected) in [
            ("http://www.archive.org", "http://(org,archive,www,)"),
            ("http://www.archive.org/movies/movies.php", "http://(org,archive,www,)/movies/movies.php"),
            ("http://www.archive.org:8080/movies/movies.php", "http://(org,archive,www,:8080)/movies/movies.php"),
            (
                "http://user:pass@www.archive.org/movies/movies.php",
                "http://(org,archive,www,@user:pass)/movies/movies.php",
            ),
            (
                "http://user:pass@www.archive.org:8080/movies/movies.php",
                "http://(org,archive,www,:8080@user:pass)/movies/movies.php",
            ),
            ("http://www.example.com/foo@bar", "http://(com,example,www,)/foo@bar"),
            ("http://127.2.34.5/foo", "http://(127.2.34.5)/foo"),
            ("http://www.fccn.pt", "http://(pt,fccn,www,)"),
            ("http://www.fccn.pt/", "http://(pt,fccn,www,)/"),
            ("https://www.fccn.pt:443/", "https://(pt,fccn,www,)/"),
            ("http://www.fccn.pt:443/", "http://(pt,fccn,www,:443)/"),
            ("http://www.fccn.pt:8080", "http://(pt,fccn,www,:8080)"),
            ("http://www.fccn.pt?a=1&b=2", "http://(pt,fccn,www,)/?a=1&b=2"),
            ("http://www.fccn.pt/Path/To/Page", "http://(pt,fccn,www,)/path/to/page"),
            ("http://fccn.pt./", "http://(pt,fccn,)/"),
            ("http://fccn.pt:/x", "http://(pt,fccn,)/x"),
            ("http://user@fccn.pt:8080/x", "http://(pt,fccn,:8080@user)/x"),
            ("http://192.168.1.254:8080/info", "http://(192.168.1.254:8080)/info"),
            ("http://[::1]/x", "http://([::1],)/x"),
            ("http://[2001:db8::1]:8080/x", "http://([2001:db8::1],:8080)/x"),
            ("http://localhost:8080/x", "http://(localhost,:8080)/x"),
            ("http://München.de/straße", "http://(de,xn--mnchen-3ya,)/stra%c3%9fe"),
            ("http://fccn.pt//a//b", "http://(pt,fccn,)//a//b"),
            ("http://fccn.pt/a b", "http://(pt,fccn,)/a%20b"),
            ("http://fccn.pt/%41", "http://(pt,fccn,)/%41"),
            ("http://www.fccn.pt/a%2Fb", "http://(pt,fccn,www,)/a%2fb"),
            ("http://example.com/\"dq\"", "http://(com,example,)/%22dq%22"),
            ("http://fccn.pt/#frag", "http://(pt,fccn,)"),
            ("http://fccn.pt/x#frag", "http://(pt,fccn,)/x"),
            ("http://fccn.pt/x?", "http://(pt,fccn,)/x"),
            ("//www.fccn.pt/x", "http://(pt,fccn,www,)/x"),
            ("fccn.pt", "http://(pt,fccn,)"),
            ("ftp://ftp.example.com/x", "ftp://(com,example,ftp,)/x"),
            ("mailto:foo@example.com", "mailto:foo@example.com"),
        ] {
            assert_eq!(ScopeSurt::of_text(line).unwrap().as_str(), expected, "{line}");
        }
    }

    #[test]
    fn seeds_imply_prefixes_as_in_heritrix() {
        for (seed, expected) in [
            ("http://www.archive.org/index.html", "http://(org,archive,www,)/"),
            ("http://timmknibbs4senate.blogspot.com/", "http://(com,blogspot,timmknibbs4senate,)/"),
            ("https://one.two.three", "http://(three,two,one,"),
            ("https://xone.two.three/a/b/c/", "http://(three,two,xone,)/a/b/c/"),
            ("https://yone.two.three/a/b/c", "http://(three,two,yone,)/a/b/"),
            ("http://www.fccn.pt", "http://(pt,fccn,www,"),
            ("https://www.fccn.pt/", "http://(pt,fccn,www,)/"),
            ("http://www.fccn.pt:8080", "http://(pt,fccn,www,:8080"),
            ("http://www.fccn.pt?a=1", "http://(pt,fccn,www,)/"),
            ("http://user@fccn.pt:8080/x", "http://(pt,fccn,:8080@user)/"),
            ("http://[2001:db8::1]:8080/x", "http://([2001:db8::1],:8080)/"),
            ("http://fccn.pt//a//b", "http://(pt,fccn,)//a//"),
            ("http://fccn.pt/#frag", "http://(pt,fccn,"),
            ("https://example.com/a?q=/x/y", "http://(com,example,)/a?q=/x/"),
            ("example.com/a/b", "http://(com,example,)/a/"),
            ("fccn.pt", "http://(pt,fccn,"),
            ("ftp://ftp.example.com/x", "ftp://(com,example,ftp,)/"),
            ("mailto:foo@example.com", "mailto:foo@example.com"),
        ] {
            assert_eq!(ScopePrefix::implied_by_seed(seed).as_str(), expected, "{seed}");
        }
    }

    #[test]
    fn prefixes_read_https_as_http() {
        #[track_caller]
        fn check(prefix: &str, url: &str, expected: bool) {
            let prefix = ScopePrefix::parse(prefix).unwrap();
            let surt = ScopeSurt::of(&Url::parse(url).unwrap());
            assert_eq!(prefix.matches(&surt), expected, "{prefix} {url}");
            assert_eq!(ScopePrefixSet::new([prefix.clone()]).matches(&surt), expected, "{prefix} {url}");
        }
        check("http://fct.pt", "https://sobre.fct.pt/a", true);
        check("http://fct.pt/", "https://fct.pt/a", true);
        check("https://fct.pt/", "http://fct.pt/a", true);
        check("http://fct.pt/", "https://sobre.fct.pt/a", false);
        check("(pt,fct,", "https://sobre.fct.pt/", true);
        check("HTTPS://(PT,fct,", "http://fct.pt/", true);
        check("http://(is,bok,www", "http://www2.bok.is/", true);
        check("ftp://(pt,", "http://fct.pt/", false);
        check("+uk", "http://www.bl.uk/", true);
        assert_eq!(ScopePrefix::parse(""), None);
        assert_eq!(ScopePrefix::parse("mailto:a@b.pt"), None);
    }

    #[test]
    fn sets_drop_what_a_shorter_prefix_covers() {
        let prefixes = ["http://(is,bok,", "http://(is,", "http://(pt,fct,)/", "https://(pt,fct,)/a"]
            .map(|text| ScopePrefix::parse(text).unwrap());
        let set = ScopePrefixSet::new(prefixes);
        assert_eq!(set.len(), 2);
        let surt = ScopeSurt::of(&Url::parse("https://www.bok.is/x").unwrap());
        assert_eq!(set.matching(&surt).unwrap().as_str(), "http://(is,");
        assert!(!set.matches(&ScopeSurt::of(&Url::parse("https://www.fct.pt/").unwrap())));
    }

    #[test]
    fn hosts_and_domains_of_seeds() {
        let url = Url::parse("https://www.fct.pt:8443/sobre").unwrap();
        assert_eq!(ScopePrefix::domain_of(&url).as_str(), "http://(pt,fct,");
        assert_eq!(ScopePrefix::host_of(&url).as_str(), "http://(pt,fct,www,)");
        let url = Url::parse("http://[2001:db8::1]/x").unwrap();
        assert_eq!(ScopePrefix::host_of(&url).as_str(), "http://([2001:db8::1],)");
        assert!(ScopePrefix::host_of(&url).matches(&ScopeSurt::of(&url)));
        assert!(ScopePrefix::implied_by_seed("http://fct.pt").remark().is_some());
        assert!(ScopePrefix::implied_by_seed("http://fct.pt/").remark().is_none());
    }
}
