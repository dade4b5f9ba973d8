//! Makes reversible sort keys of URLs.

use super::Url;
use super::fqdn::is_address;
use super::text::push_port;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `pt,example,//8080:https@user:pass:/A?b=2#f`: host, port, scheme,
/// credentials, path. It sorts by site, and [`Ssurt::to_url`] gives the URL
/// back.
///
/// Labels are reversed, each followed by a comma (a comma inside a label is
/// written as a dot); addresses stay; a URL without a host is its own key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ssurt(String);

impl Ssurt {
    /// The key of a parsed URL.
    pub fn of(url: &Url) -> Self {
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Self(url.as_str().to_owned());
        };
        let mut key = String::with_capacity(url.as_str().len() + 4);
        if is_address(host) {
            key.push_str(host);
        } else {
            for label in host.rsplit('.') {
                key.extend(label.chars().map(|c| if c == ',' { '.' } else { c }));
                key.push(',');
            }
        }
        key.push_str("//");
        if let Some(port) = url.port() {
            // The port comes before the scheme here, so its colon moves behind it.
            let from = key.len();
            push_port(&mut key, port);
            key.remove(from);
            key.push(':');
        }
        key.push_str(url.scheme());
        if !url.username().is_empty() || url.password().is_some() {
            key.push('@');
            key.push_str(url.username());
            if let Some(password) = url.password() {
                key.push(':');
                key.push_str(password);
            }
        }
        key.push(':');
        key.push_str(url.path());
        if let Some(query) = url.query() {
            key.push('?');
            key.push_str(query);
        }
        if let Some(fragment) = url.fragment() {
            key.push('#');
            key.push_str(fragment);
        }
        Self(key)
    }

    /// The key of a URL as typed, with or without scheme; `None` where the text
    /// is no URL.
    pub fn of_text(line: &str) -> Option<Self> {
        super::text::parse_loose(line).map(|url| Self::of(&url))
    }

    /// A key as it was stored.
    pub fn from_stored(key: String) -> Self {
        Self(key)
    }

    /// The URL that this is the key of; `None` where a stored text is no key.
    pub fn to_url(&self) -> Option<Url> {
        let Some((host, rest)) = self.0.split_once("//") else {
            return Url::parse(&self.0).ok();
        };
        // A scheme's colon comes first in what has no host to reverse.
        if host.contains(':') && !host.starts_with('[') {
            return Url::parse(&self.0).ok();
        }
        let tail_start = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(tail_start);
        let head = head.strip_suffix(':')?;
        let (port, head) = match head.split_once(':') {
            Some((digits, after)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                (Some(digits), after)
            }
            _ => (None, head),
        };
        let (scheme, user) = match head.split_once('@') {
            Some((scheme, user)) => (scheme, Some(user)),
            None => (head, None),
        };
        let mut text = format!("{scheme}://");
        if let Some(user) = user {
            text.push_str(user);
            text.push('@');
        }
        match host.strip_suffix(',') {
            None => text.push_str(host),
            Some(labels) => {
                for (position, label) in labels.rsplit(',').enumerate() {
                    if position > 0 {
                        text.push('.');
                    }
                    text.extend(label.chars().map(|c| if c == '.' { ',' } else { c }));
                }
            }
        }
        if let Some(port) = port {
            text.push(':');
            text.push_str(port);
        }
        text.push_str(tail);
        Url::parse(&text).ok()
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ssurt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_site_and_gives_the_url_back() {
        for (text, expected) in [
            (
                "http://user:pass@foo.example.org:81/path?query#frag",
                "org,example,foo,//81:http@user:pass:/path?query#frag",
            ),
            ("http://foo.example.org/path?query#frag", "org,example,foo,//http:/path?query#frag"),
            ("http://81.foo.example.org/path", "org,example,foo,81,//http:/path"),
            ("screenshot:http://example.com/", "screenshot:http://example.com/"),
            ("scheme://user@foo.example.org:81/path", "org,example,foo,//81:scheme@user:/path"),
            ("scheme://host", "host,//scheme:"),
            ("HTTP://WWW.FCCN.PT/", "pt,fccn,www,//http:/"),
            ("https://www.fccn.pt:443/x", "pt,fccn,www,//https:/x"),
            ("http://0300.0250.0001.0376/", "192.168.1.254//http:/"),
            ("http://[::1]:81/x", "[::1]//81:http:/x"),
            ("http://fccn.pt//a//b", "pt,fccn,//http://a//b"),
            ("http://fccn.pt/%41%2f", "pt,fccn,//http:/%41%2f"),
            ("http://a,b.y.z./", ",z,y,a.b,//http:/"),
            ("file:///tmp/x", "file:///tmp/x"),
        ] {
            let url = Url::parse(text).unwrap();
            let key = Ssurt::of(&url);
            assert_eq!(key.as_str(), expected, "{text}");
            assert_eq!(key.to_url(), Some(url), "{text}");
        }
    }

    #[test]
    fn broken_keys_are_refused() {
        for text in ["", "pt,fccn,", "pt,fccn,//", "pt,//http", "//:/"] {
            assert_eq!(Ssurt::from_stored(text.to_owned()).to_url(), None, "{text}");
        }
    }
}
