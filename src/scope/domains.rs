//! Domains that hosts may be under, as people write them.

use crate::uri::Url;

/// A list of domains (`uk`, `.uk`, `*.co.uk`, `рф`), compared by whole labels:
/// `shop.uk` is under `uk`, `uk.com` is not. An address is under none.
#[derive(Debug, Clone, Default)]
pub struct Domains(Vec<String>);

impl Domains {
    /// Reads domains. `Err` names the one that is none.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut domains = Vec::new();
        for name in names {
            let bare = name.trim().trim_start_matches('*').trim_matches('.');
            let url = Url::parse(&format!("http://{bare}/")).ok();
            let host = url
                .as_ref()
                .and_then(Url::domain)
                .filter(|_| !bare.is_empty() && !bare.contains([':', '/', '@', '?', '#', '\\']));
            let host = host.ok_or_else(|| format!("“{name}” is no domain; give it as pt or co.uk"))?;
            domains.push(host.to_owned());
        }
        Ok(Self(domains))
    }

    /// The position of the first domain that a host, in lower case and without
    /// a final dot, is or is under.
    pub fn position(&self, host: &str) -> Option<usize> {
        self.0.iter().position(|domain| {
            let rest = host.strip_suffix(domain.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_domain_is_refused() {
        for bad in ["", ".", "a b", "uk/", "http://uk", "uk:80", "uk:81", "me@uk", "192.0.2.1", "[::1]", "uk?a"] {
            assert!(Domains::parse([bad]).is_err(), "{bad}");
        }
        let domains = Domains::parse(["co.uk", "рф"]).unwrap();
        assert_eq!(domains.position("xn--j1ail.xn--p1ai"), Some(1));
        assert_eq!(domains.position("bbc.co.uk"), Some(0));
        assert_eq!(domains.position("bl.uk"), None);
    }
}
