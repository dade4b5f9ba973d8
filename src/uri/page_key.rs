//! The identity of a page inside Fonds.

use super::Url;
use super::fqdn::{is_address, push_reversed, strip_www};
use super::text::push_port;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which page a URL means, whatever its spelling.
///
/// The scheme, a `www` label, a default port, credentials, the fragment, an
/// empty query and one trailing slash of the path do not split a page. Path
/// case, query order and session ids do: servers may tell them apart. Host
/// labels are reversed so that keys of one site stand together; addresses stay
/// as they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageKey(String);

impl PageKey {
    /// The key of a page.
    pub fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let mut key = String::with_capacity(url.as_str().len());
        if is_address(host) {
            key.push_str(host);
        } else {
            push_reversed(&mut key, strip_www(host), false);
        }
        // Port 443 of http and port 80 of https are no defaults, so `port` tells.
        if let Some(port) = url.port() {
            push_port(&mut key, port);
        }
        key.push(')');
        let path = url.path();
        let path = if path.len() > 1 { path.strip_suffix('/').unwrap_or(path) } else { path };
        key.push_str(path);
        if let Some(query) = url.query().filter(|query| !query.is_empty()) {
            key.push('?');
            key.push_str(query);
        }
        Self(key)
    }

    /// A key as it was stored.
    pub fn from_stored(key: String) -> Self {
        Self(key)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host part, up to and without `)`.
    pub fn host_part(&self) -> &str {
        self.0.split_once(')').map_or(&self.0, |(host, _)| host)
    }
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
}
