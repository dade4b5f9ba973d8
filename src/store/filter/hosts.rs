//! What `host:` means, for SQL and for columns in memory.

use super::escape_like;
use crate::analysis::is_like;
use crate::query::TextTest;
use crate::search::without_port;
use crate::uri::Url;

/// The hosts that a term means.
pub(super) struct HostTest {
    /// A port is written. Without one a host is meant on any, as facets of domains count it.
    has_port: bool,
    hosts: Hosts,
}

enum Hosts {
    /// `host=a.pt`
    Alone(String),
    /// `host:a.pt` stands for its subdomains too, at a label boundary.
    WithSubdomains(String),
    /// `host:*.pt`
    Like(String),
}

impl HostTest {
    pub(super) fn new(value: &str, is_alone: bool, test: &TextTest) -> Self {
        let hosts = match test {
            TextTest::Pattern(pattern) => Hosts::Like(pattern.to_lowercase()),
            _ if is_alone => Hosts::Alone(host_text(value)),
            _ => Hosts::WithSubdomains(host_text(value)),
        };
        Self { has_port: value.contains(':'), hosts }
    }

    /// The condition on a host `h`, with its values.
    pub(super) fn sql(&self) -> (String, Vec<String>) {
        let name = if self.has_port { "h.name" } else { "without_port(h.name)" };
        match &self.hosts {
            Hosts::Alone(host) => ("h.name = ?".to_owned(), vec![host.clone()]),
            Hosts::WithSubdomains(host) => {
                let below = format!("%.{}", escape_like(host));
                (format!("({name} = ? OR {name} LIKE ? ESCAPE '\\')"), vec![host.clone(), below])
            }
            Hosts::Like(pattern) => {
                let like = escape_like(pattern).replace('*', "%").replace('?', "_");
                (format!("{name} LIKE ? ESCAPE '\\'"), vec![like])
            }
        }
    }

    /// The test of a name.
    pub(super) fn into_test(self) -> Box<dyn Fn(&str) -> bool> {
        let has_port = self.has_port;
        match self.hosts {
            Hosts::Alone(host) => Box::new(move |of| of == host),
            Hosts::WithSubdomains(host) => Box::new(move |of| {
                let below = meant(of, has_port).strip_suffix(&*host);
                below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
            }),
            Hosts::Like(pattern) => {
                let pattern: Vec<char> = pattern.chars().collect();
                Box::new(move |of| is_like(&pattern, meant(of, has_port)))
            }
        }
    }
}

/// A name as far as the term goes.
fn meant(name: &str, has_port: bool) -> &str {
    if has_port { name } else { without_port(name) }
}

/// A host as it is in the catalogue, which has hosts as they are in URLs: `é.pt` is `xn--9ca.pt`.
fn host_text(value: &str) -> String {
    let ascii = |url: Url| url.host_str().map(str::to_owned);
    let of_url = || Url::parse(&format!("http://{value}/")).ok().and_then(ascii);
    if value.is_ascii() { value.to_lowercase() } else { of_url().unwrap_or_else(|| value.to_lowercase()) }
}
