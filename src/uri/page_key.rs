//! Makes the keys that identify pages inside Fonds.

use super::fqdn::{is_address, push_reversed, strip_www};
use super::text::push_port;
use super::{Url, WebParts, parse_web_url};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Key of the page that a URL means, whatever its spelling.
///
/// The scheme, a `www` label, a default port, credentials, the fragment, an empty query and one trailing
/// slash of the path do not split a page. Path case, query order and session ids do: servers may distinguish
/// them. Host labels are reversed so that keys of one site sort together; addresses stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageKey(String);

impl PageKey {
    /// The key of a page.
    pub fn of(url: &Url) -> Self {
        let mut key = String::with_capacity(url.as_str().len());
        Self::push(&WebParts::of(url), &mut key);
        Self(key)
    }

    /// Appends the key of an http or https URL.
    pub fn push(parts: &WebParts<'_>, key: &mut String) {
        let host = parts.host.trim_end_matches('.');
        if is_address(host) {
            key.push_str(host);
        } else {
            push_reversed(key, strip_www(host), false);
        }
        // Port 443 of http and port 80 of https are no defaults, so `port` decides.
        if let Some(port) = parts.port {
            push_port(key, port);
        }
        key.push(')');
        let path = parts.path;
        key.push_str(if path.len() > 1 { path.strip_suffix('/').unwrap_or(path) } else { path });
        if let Some(query) = parts.query.filter(|query| !query.is_empty()) {
            key.push('?');
            key.push_str(query);
        }
    }

    /// The page that a text means: a URL with or without scheme, a key, or a
    /// key of the data set. `None` for a text that names no page.
    pub fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(url) = parse_web_url(text) {
            return Some(Self::of(&url));
        }
        // `(pt,fccn,)/path` and `pt,fccn)/path` name the same page.
        let key = text.strip_prefix('(').unwrap_or(text);
        let url = match key.split_once(')') {
            Some((host, "")) => url_at(host, "/"),
            Some((host, rest)) => url_at(host, rest),
            None if text.contains("://") => None,
            None if key.contains(',') => url_at(key, "/"),
            None => parse_web_url(&format!("http://{text}")),
        };
        url.map(|url| Self::of(&url))
    }

    /// A key as it was stored.
    pub fn from_stored(key: String) -> Self {
        Self(key)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A URL of the page: the key forgets the scheme and `www`, so this is
    /// where to look first, not what was captured.
    pub fn likely_url(&self) -> Option<Url> {
        let (host, rest) = self.0.split_once(')')?;
        url_at(host, rest)
    }

    /// The host part, up to and without `)`.
    pub fn host_part(&self) -> &str {
        self.0.split_once(')').map_or(&self.0, |(host, _)| host)
    }
}

/// The URL at a host with its labels reversed, with or without a comma behind
/// them and a port.
fn url_at(host: &str, rest: &str) -> Option<Url> {
    let colon = match host.rfind(']') {
        Some(end) => host[end..].find(':').map(|colon| end + colon),
        None => host.find(':'),
    };
    let (labels, port) = host.split_at(colon.unwrap_or(host.len()));
    let labels = labels.trim_end_matches(',');
    let mut text = String::from("http://");
    for (number, label) in labels.rsplit(',').enumerate() {
        if number > 0 {
            text.push('.');
        }
        text.push_str(label);
    }
    parse_web_url(&format!("{text}{port}{rest}"))
}

impl fmt::Display for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_split_a_page() {
        let key = |text: &str| PageKey::of(&Url::parse(text).unwrap());
        for text in ["http://www.fct.pt/sobre/", "https://fct.pt:443/sobre", "http://u:p@fct.pt:80/sobre?#x"] {
            assert_eq!(key(text).as_str(), "pt,fct)/sobre", "{text}");
        }
        assert_eq!(key("http://fct.pt").as_str(), "pt,fct)/");
        assert_eq!(key("http://fct.pt:8080/A/?b=2&a=1").as_str(), "pt,fct:8080)/A?b=2&a=1");
        assert_ne!(key("http://fct.pt/a"), key("http://fct.pt/A"));
        assert_eq!(key("http://192.168.0.1/a").as_str(), "192.168.0.1)/a");
        assert_eq!(key("http://[2001:db8::1]:8080/a").as_str(), "[2001:db8::1]:8080)/a");
    }

    #[test]
    fn every_way_to_write_a_page_finds_it() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(PageKey::of_text(text).as_ref().map(PageKey::as_str), expected, "{text}");
        };
        for text in ["https://www.fct.pt/sobre/", "fct.pt/sobre", "pt,fct)/sobre", "(pt,fct,)/sobre"] {
            check(text, Some("pt,fct)/sobre"));
        }
        check("(pt,fct,", Some("pt,fct)/"));
        check("pt,fct)", Some("pt,fct)/"));
        check("pt,fct:8080)/A?u=http://b.pt/", Some("pt,fct:8080)/A?u=http://b.pt/"));
        check("(pt,fct,:8080)/", Some("pt,fct:8080)/"));
        check("[2001:db8::1]:8080)/a", Some("[2001:db8::1]:8080)/a"));
        check("([2001:db8::1])/a", Some("[2001:db8::1])/a"));
        check("192.168.0.1)/a", Some("192.168.0.1)/a"));
        for text in ["http://", "", "ftp://fct.pt/", ")", "]:)"] {
            check(text, None);
        }
    }

    #[test]
    fn a_likely_url_has_the_key_it_was_made_of() {
        for text in ["http://fct.pt/", "http://sobre.fct.pt:8080/A?b=2", "http://192.168.0.1/a", "http://[::1]:81/"] {
            let key = PageKey::of(&Url::parse(text).unwrap());
            assert_eq!(key.likely_url().unwrap().as_str(), text);
        }
        assert_eq!(PageKey::from_stored("no key".to_owned()).likely_url(), None);
    }
}
