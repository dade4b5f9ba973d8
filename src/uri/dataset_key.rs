//! Makes the keys of the published inlink data set.

use super::fqdn::{is_address, push_reversed};
use super::text::{self, push_lower};
use super::{Fqdn, Url, WebParts};
use serde::{Deserialize, Serialize};
use std::fmt;

/// `(pt,fccn,` for a host's root page, `(pt,fccn,)/path` for the rest.
///
/// The notation of the Arquivo.pt data set: the scheme of http and https, one
/// leading `www` label, credentials and the fragment are dropped; the rest is
/// lower-cased; the order of the query and a final slash stay. Other schemes
/// stay in front (`ftp://(pt,example,ftp,)/pub`). Addresses are not reversed
/// (`(192.168.0.1)/a`).
///
/// Where the data set's program has a bug (`www` dropped in lower case only,
/// `:443` kept for https, credentials taken for a scheme) this follows what
/// the notation means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DatasetKey(String);

impl DatasetKey {
    /// The key of a parsed URL.
    pub fn of(url: &Url) -> Self {
        Self::with_port(url, url.port())
    }

    /// The key of a line of text: a URL with or without scheme (`//host/x`,
    /// `www.example.pt`), or a `data:` URL, which is its own key.
    ///
    /// `None` where the text names no page.
    pub fn of_text(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.starts_with("data:") || line.starts_with("hash:") {
            return Some(Self(line.to_owned()));
        }
        let url = text::parse_loose(line)?;
        if !url.has_host() {
            return None;
        }
        // The `url` crate drops 21 as the default of ftp; the notation drops
        // defaults of http and https only.
        let port = url.port().or_else(|| text::typed_ftp_port(line));
        Some(Self::with_port(&url, port))
    }

    fn with_port(url: &Url, port: Option<u16>) -> Self {
        let mut key = String::with_capacity(url.as_str().len() + 4);
        if !matches!(url.scheme(), "http" | "https") {
            key.push_str(url.scheme());
            key.push_str("://");
        }
        Self::push(&WebParts { port, ..WebParts::of(url) }, &mut key);
        Self(key)
    }

    /// Appends the key of an http or https URL.
    pub fn push(parts: &WebParts<'_>, key: &mut String) {
        key.push('(');
        let host = parts.host.trim_end_matches('.');
        let address = is_address(host);
        if address {
            key.push_str(host);
        } else {
            // `www` alone names the data set's rule; `www2` is a host of its own.
            let host = match host.get(..4) {
                Some(www) if www.eq_ignore_ascii_case("www.") && host[4..].contains('.') => &host[4..],
                _ => host,
            };
            push_reversed(key, host, true);
        }
        if let Some(port) = parts.port {
            text::push_port(key, port);
        }
        let query = parts.query.filter(|query| !query.is_empty());
        if matches!(parts.path, "/" | "") && query.is_none() && parts.port.is_none() && !address {
            return;
        }
        key.push(')');
        push_lower(key, parts.path);
        if let Some(query) = query {
            key.push('?');
            push_lower(key, query);
        }
    }

    /// A key as it was stored or published.
    pub fn from_stored(key: String) -> Self {
        Self(key)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host part, labels reversed, without port: `pt,fccn` of
    /// `(pt,fccn,:8080)/a`.
    pub fn host_part(&self) -> &str {
        let is_http = self.0.starts_with('(');
        let Some((_, rest)) = self.0.split_once('(').filter(|(scheme, _)| is_http || scheme.ends_with("://")) else {
            return "";
        };
        if rest.starts_with('[') {
            return rest.split_inclusive(']').next().unwrap_or(rest);
        }
        let end = rest.find([')', ':', '@']).unwrap_or(rest.len());
        rest[..end].trim_end_matches(',')
    }

    /// The host name of the key; empty for a `data:` URL.
    pub fn host(&self) -> Fqdn {
        let part = self.host_part();
        if is_address(part) {
            return Fqdn::new(part);
        }
        let labels: Vec<&str> = part.rsplit(',').collect();
        let name = labels.join(".");
        // One label `www` is gone from the key: a second one is of the name.
        if labels.first() == Some(&"www") { Fqdn::of_stripped(&name) } else { Fqdn::new(&name) }
    }

    /// A URL with this key. The key forgets scheme, `www` and letter case, so
    /// this is where to look first, not what was captured.
    pub fn likely_url(&self) -> Option<Url> {
        if self.host_part().is_empty() {
            return Url::parse(&self.0).ok();
        }
        let (scheme, rest) = self.0.split_once('(')?;
        let (authority, path) = rest.split_once(')').unwrap_or((rest, "/"));
        let port = match authority.rfind(":") {
            Some(colon) if !authority.ends_with(']') => &authority[colon..],
            _ => "",
        };
        let scheme = match (scheme, port) {
            // Of http it would not be written.
            ("", ":80") => "https://",
            ("", _) => "http://",
            (other, _) => other,
        };
        Url::parse(&format!("{scheme}{}{port}{path}", self.host())).ok()
    }
}

impl fmt::Display for DatasetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let key = DatasetKey::of_text(line).map(|key| key.0);
        assert_eq!(key.as_deref().unwrap_or("-"), expected, "{line}");
    }

    #[test]
    fn writes_the_notation_of_the_data_set() {
        check("http://www.fccn.pt", "(pt,fccn,");
        check("HTTPS://WWW.fccn.pt:443/", "(pt,fccn,");
        check("http://www.fccn.pt:8080", "(pt,fccn,:8080)/");
        check("http://www.fccn.pt?b=2&a=1", "(pt,fccn,)/?b=2&a=1");
        check("http://www.fccn.pt/Path/To/", "(pt,fccn,)/path/to/");
        check("http://fccn.pt//a//b", "(pt,fccn,)//a//b");
        check("http://user:pass@fccn.pt/", "(pt,fccn,");
        check("http://München.de/straße", "(de,xn--mnchen-3ya,)/stra%c3%9fe");
        check("http://127.0.0.1:80/", "(127.0.0.1)/");
        check("http://[2001:db8::1]:8080/x", "([2001:db8::1]:8080)/x");
        check("http://localhost:8080/x", "(localhost,:8080)/x");
        check("localhost:8080/x", "(localhost,:8080)/x");
        check("//cdn.example.pt/x.js", "(pt,example,cdn,)/x.js");
        check("http://www1355544.com/", "(com,www1355544,");
        check("http://www.pt/", "(pt,www,");
        check("https://fccn.pt/x?#frag", "(pt,fccn,)/x");
        check("data:text/plain,ola", "data:text/plain,ola");
        for line in ["", "   ", "http://", "mailto:ana@example.pt", "javascript:void(0)", "#top", "/relative"] {
            check(line, "-");
        }
    }

    #[test]
    fn data_urls_have_no_host() {
        let key = DatasetKey::of_text("data:text/plain,(a)").unwrap();
        assert_eq!((key.host_part(), key.host().as_str()), ("", ""));
        assert_eq!(key.likely_url().unwrap().scheme(), "data");
    }

    #[test]
    fn knows_its_host_and_a_likely_url() {
        for (line, part, host, url) in [
            ("https://sobre.fccn.pt:8080/A", "pt,fccn,sobre", "sobre.fccn.pt", "http://sobre.fccn.pt:8080/a"),
            ("https://fccn.pt/", "pt,fccn", "fccn.pt", "http://fccn.pt/"),
            ("https://fccn.pt:80/", "pt,fccn", "fccn.pt", "https://fccn.pt:80/"),
            ("http://192.168.0.1:8080/a", "192.168.0.1", "192.168.0.1", "http://192.168.0.1:8080/a"),
            ("http://[2001:db8::1]/a", "[2001:db8::1]", "[2001:db8::1]", "http://[2001:db8::1]/a"),
        ] {
            let key = DatasetKey::of_text(line).unwrap();
            assert_eq!((key.host_part(), key.host().as_str()), (part, host), "{line}");
            assert_eq!(key.likely_url().unwrap().as_str(), url, "{line}");
        }
    }
}
