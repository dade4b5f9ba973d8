//! Host names, and rules for which of them are one site.

use super::Url;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

/// A fully qualified host name without its `www` label: lower case, punycode,
/// no final dot, no port.
///
/// `www.`, `www2.` … count as no label when at least two labels remain
/// (`www.pt` keeps its name, and so does `www1355544.com`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fqdn(String);

impl Fqdn {
    /// The host of a URL.
    pub fn of(url: &Url) -> Self {
        Self::new(url.host_str().unwrap_or_default())
    }

    /// Makes the name from the host name of a URL.
    pub fn new(host: &str) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        Self(strip_www(&host).to_owned())
    }

    /// From a host name whose `www` label is gone already.
    pub(super) fn of_stripped(host: &str) -> Self {
        Self(host.to_ascii_lowercase())
    }

    /// Name of the host of a URL, without a copy.
    pub fn name_of(url: &Url) -> &str {
        strip_www(url.host_str().unwrap_or_default().trim_end_matches('.'))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The labels in reverse order, joined by commas (`pt,fccn,sobre`);
    /// addresses stay as they are.
    pub fn reversed(&self) -> String {
        if is_address(&self.0) {
            return self.0.clone();
        }
        let mut reversed = String::with_capacity(self.0.len());
        push_reversed(&mut reversed, &self.0, false);
        reversed
    }

    /// The registrable domain by the Public Suffix List, private section
    /// included; the name itself where there is none (addresses, `localhost`).
    pub fn registrable(&self) -> &str {
        registrable(&self.0)
    }
}

/// Permits look-ups in sets of names with [`Fqdn::name_of`].
impl Borrow<str> for Fqdn {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fqdn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether two URLs are of one site: of one registrable domain, or, where there
/// is none (addresses, `localhost`), of one host and port.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    let (host, other_host) = (Fqdn::of(one), Fqdn::of(other));
    if is_address(host.as_str()) || psl::domain_str(host.as_str()).is_none() {
        let port = |url: &Url| url.port().unwrap_or(80);
        return host == other_host && port(one) == port(other);
    }
    host.registrable() == other_host.registrable()
}

/// Drops a leading `www`, `www2` … label when two labels remain.
pub(super) fn strip_www(host: &str) -> &str {
    if !host.starts_with("www") || is_address(host) {
        return host;
    }
    let Some((label, rest)) = host.split_once('.') else {
        return host;
    };
    let is_www = label.strip_prefix("www").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    if is_www && rest.contains('.') { rest } else { host }
}

/// Whether the host of a URL is an IP address.
pub(super) fn is_address(host: &str) -> bool {
    // Most hosts end in a letter; parsing is for the rest.
    host.starts_with('[') || host.ends_with(|c: char| c.is_ascii_digit()) && host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Appends the labels of a host in reverse order with commas between them,
/// and after the last one where `closed`.
pub(super) fn push_reversed(key: &mut String, host: &str, closed: bool) {
    let mut rest = host;
    while let Some(dot) = memchr::memrchr(b'.', rest.as_bytes()) {
        key.push_str(&rest[dot + 1..]);
        key.push(',');
        rest = &rest[..dot];
    }
    key.push_str(rest);
    if closed {
        key.push(',');
    }
}

/// Rule for internal links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InternalPolicy {
    /// Same host name after `www` removal (the walkthrough's rule).
    #[default]
    Fqdn,
    /// Same last two labels (the data set job's code since 2024-04-07; takes
    /// `bbc.co.uk` and `tesco.co.uk` for one site).
    Sldn,
    /// Same registrable domain by the Public Suffix List.
    Registrable,
}

impl InternalPolicy {
    /// Whether a link between pages of these hosts is internal.
    pub fn is_internal(self, a: &Fqdn, b: &Fqdn) -> bool {
        self.is_internal_name(&a.0, &b.0)
    }

    /// Whether a link is internal, by names as [`Fqdn::name_of`] gives them.
    pub fn is_internal_name(self, a: &str, b: &str) -> bool {
        if a == b {
            return true;
        }
        match self {
            Self::Fqdn => false,
            Self::Sldn => {
                if is_address(a) || is_address(b) {
                    return false;
                }
                let last_two = |name: &'_ str| name.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
                let (site_a, site_b) = (&a[last_two(a)..], &b[last_two(b)..]);
                site_a.contains('.') && site_a == site_b
            }
            Self::Registrable => registrable(a) == registrable(b),
        }
    }
}

/// The registrable domain of a host name by the Public Suffix List, private
/// section included; the name itself where there is none.
pub fn registrable(name: &str) -> &str {
    if is_address(name) { name } else { psl::domain_str(name).unwrap_or(name) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn www_is_no_label_when_two_remain() {
        for (host, name) in [
            ("www.fccn.pt", "fccn.pt"),
            ("WWW2.fccn.pt.", "fccn.pt"),
            ("www.pt", "www.pt"),
            ("www1355544.com", "www1355544.com"),
            ("www-2.example.pt", "www-2.example.pt"),
            ("192.168.0.1", "192.168.0.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(Fqdn::new(host).as_str(), name);
        }
    }

    #[test]
    fn labels_are_reversed_and_addresses_kept() {
        assert_eq!(Fqdn::new("www.sobre.fccn.pt").reversed(), "pt,fccn,sobre");
        assert_eq!(Fqdn::new("192.168.1.1").reversed(), "192.168.1.1");
    }

    #[test]
    fn policies_differ_where_they_should() {
        #[track_caller]
        fn check(a: &str, b: &str, expected: [bool; 3]) {
            let (a, b) = (Fqdn::new(a), Fqdn::new(b));
            let got = [InternalPolicy::Fqdn, InternalPolicy::Sldn, InternalPolicy::Registrable]
                .map(|policy| policy.is_internal(&a, &b));
            assert_eq!(got, expected, "{a} {b}");
        }
        check("fccn.pt", "www.fccn.pt", [true, true, true]);
        check("fccn.pt", "sobre.fccn.pt", [false, true, true]);
        check("fccn.pt", "fct.pt", [false, false, false]);
        check("bbc.co.uk", "tesco.co.uk", [false, true, false]);
        check("portugal.gov.pt", "sns.gov.pt", [false, true, false]);
        check("192.168.1.1", "192.168.1.2", [false, false, false]);
    }
}
