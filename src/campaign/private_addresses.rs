//! Setting of the private and loopback addresses that a campaign may fetch from.

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Private and loopback addresses that are allowed. In a file: `false` for
/// none, a list of hosts and networks, or `true` for all of them, as campaigns
/// of earlier versions have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivateAddresses {
    /// All of them, for every host.
    All,
    /// Those of these hosts (`intranet.example`, `*.intranet.example` for the
    /// hosts below it), and those in these networks (`10.1.0.0/16`,
    /// `fd00:1::/48`, or one address). Empty lines count for nothing.
    Listed(Vec<String>),
}

impl Default for PrivateAddresses {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl PrivateAddresses {
    /// Whether a private address may be fetched from for a host, which is
    /// written as in a URL.
    pub fn allows(&self, host: &str, ip: IpAddr) -> bool {
        match self {
            Self::All => true,
            Self::Listed(entries) => {
                entries.iter().filter_map(|entry| Entry::parse(entry)).any(|entry| entry.allows(host, ip))
            }
        }
    }

    /// The entries, without empty ones; none where all are allowed.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        let entries = match self {
            Self::All => &[][..],
            Self::Listed(entries) => entries,
        };
        entries.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty())
    }

    /// The entries that are neither host nor network.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        self.entries().filter(|entry| Entry::parse(entry).is_none())
    }

    /// Whether no private address may be fetched from.
    pub fn is_none(&self) -> bool {
        *self != Self::All && self.entries().next().is_none()
    }
}

enum Entry {
    Host(String),
    /// Hosts below this one.
    Below(String),
    Network(IpAddr, u32),
}

impl Entry {
    fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        let (address, len) = match entry.split_once('/') {
            Some((address, len)) => (address, Some(len)),
            None => (entry, None),
        };
        let bare = address.strip_prefix('[').and_then(|address| address.strip_suffix(']')).unwrap_or(address);
        if let Ok(ip) = bare.parse::<IpAddr>() {
            let most = if ip.is_ipv4() { 32 } else { 128 };
            let len = len.map_or(Some(most), |len| len.parse().ok().filter(|len| *len <= most))?;
            return Some(Self::Network(ip, len));
        }
        let name = entry.strip_prefix("*.").unwrap_or(entry);
        if name.contains([':', '/', '@', '?', '#', '\\']) {
            return None;
        }
        // As in a URL: lower case, punycode.
        let url = crate::uri::Url::parse(&format!("http://{name}/")).ok()?;
        let host = url.domain()?;
        let host = host.trim_end_matches('.').to_owned();
        Some(if name.len() < entry.len() { Self::Below(host) } else { Self::Host(host) })
    }

    fn allows(&self, host: &str, ip: IpAddr) -> bool {
        let host = host.trim_end_matches('.');
        match self {
            Self::Host(name) => host == name,
            Self::Below(name) => host.strip_suffix(name.as_str()).is_some_and(|below| below.ends_with('.')),
            Self::Network(network, len) => match (*network, ip.to_canonical()) {
                (IpAddr::V4(network), IpAddr::V4(ip)) => bits_v4(network, *len) == bits_v4(ip, *len),
                (IpAddr::V6(network), IpAddr::V6(ip)) => bits_v6(network, *len) == bits_v6(ip, *len),
                _ => false,
            },
        }
    }
}

fn bits_v4(ip: Ipv4Addr, len: u32) -> u32 {
    ip.to_bits().checked_shr(32 - len).unwrap_or(0)
}

fn bits_v6(ip: Ipv6Addr, len: u32) -> u128 {
    ip.to_bits().checked_shr(128 - len).unwrap_or(0)
}

impl Serialize for PrivateAddresses {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => to.serialize_bool(true),
            // Earlier versions know no list.
            Self::Listed(_) if self.is_none() => to.serialize_bool(false),
            Self::Listed(_) => to.collect_seq(self.entries()),
        }
    }
}

impl<'de> Deserialize<'de> for PrivateAddresses {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct BoolOrList;

        impl<'de> Visitor<'de> for BoolOrList {
            type Value = PrivateAddresses;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of hosts and networks, or true or false")
            }

            fn visit_bool<E>(self, all: bool) -> Result<Self::Value, E> {
                Ok(if all { PrivateAddresses::All } else { PrivateAddresses::default() })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    entries.push(entry);
                }
                Ok(PrivateAddresses::Listed(entries))
            }
        }

        from.deserialize_any(BoolOrList)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::campaign::Campaign;

    #[track_caller]
    fn check(entries: &[&str], host: &str, ip: &str, expected: bool) {
        let listed = PrivateAddresses::Listed(entries.iter().map(|entry| (*entry).to_owned()).collect());
        assert_eq!(listed.allows(host, ip.parse().unwrap()), expected, "{entries:?} {host} {ip}");
    }

    #[test]
    fn hosts_and_networks_allow_what_they_name_and_no_more() {
        check(&[], "localhost", "127.0.0.1", false);
        check(&["localhost"], "localhost", "127.0.0.1", true);
        check(&["localhost"], "127.0.0.1", "127.0.0.1", false);
        check(&["Intranet.Example."], "intranet.example", "10.1.2.3", true);
        check(&["intranet.example"], "www.intranet.example", "10.1.2.3", false);
        check(&["*.intranet.example"], "www.intranet.example", "10.1.2.3", true);
        check(&["*.intranet.example"], "intranet.example", "10.1.2.3", false);
        check(&["*.intranet.example"], "notintranet.example", "10.1.2.3", false);
        check(&["bücher.example"], "xn--bcher-kva.example", "10.1.2.3", true);
        check(&["10.1.0.0/16"], "any.example", "10.1.200.3", true);
        check(&["10.1.0.0/16"], "any.example", "10.2.0.1", false);
        check(&["10.1.0.0/16"], "any.example", "::ffff:10.1.0.9", true);
        check(&["", "127.0.0.1"], "a.example", "127.0.0.1", true);
        check(&["127.0.0.1"], "a.example", "127.0.0.2", false);
        check(&["0.0.0.0/0"], "a.example", "192.168.1.1", true);
        check(&["0.0.0.0/0"], "a.example", "::1", false);
        check(&["[::1]", "fd00:1::/32"], "a.example", "fd00:1:2::3", true);
        check(&["::/0"], "a.example", "fe80::1", true);
    }

    #[test]
    fn what_is_neither_host_nor_network_is_found() {
        for bad in ["10.0.0.0/33", "10.0.0.0/x", "http://a.example/", "a.example:80", "a b", "a.example/x", "*."] {
            let listed = PrivateAddresses::Listed(vec![String::new(), bad.to_owned()]);
            assert_eq!(listed.broken().count(), 1, "{bad}");
        }
    }

    #[test]
    fn campaigns_of_both_forms_are_read_and_written_as_they_were() {
        for (field, expected) in [
            ("true", PrivateAddresses::All),
            ("false", PrivateAddresses::default()),
            (
                r#"["localhost","10.1.0.0/16"]"#,
                PrivateAddresses::Listed(vec!["localhost".into(), "10.1.0.0/16".into()]),
            ),
        ] {
            let text = format!("{{\"politeness\": {{\"allow_private_addresses\": {field}}}}}");
            let campaign = Campaign::from_json(&text).unwrap();
            assert_eq!(campaign.politeness.allow_private_addresses, expected);
            assert_eq!(campaign.other.len(), 0, "{:?}", campaign.other);
            let value = serde_json::to_value(&campaign.politeness.allow_private_addresses).unwrap();
            assert_eq!(value, serde_json::from_str::<serde_json::Value>(field).unwrap());
        }
        let wrong = Campaign::from_json(r#"{"politeness": {"allow_private_addresses": 5}}"#).unwrap_err();
        assert!(wrong.why.contains("a list of hosts and networks"), "{wrong}");
    }
}
