//! Distinct hosts with their counts, in bounded memory: what does not fit goes
//! to sorted temporary files, which are merged at the end.

use crate::jobs::SpillSort;
use std::collections::HashMap;
use std::io;

/// A host and what was counted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostTally {
    pub host: String,
    pub decisions: u64,
    pub first_url: String,
}

/// Gathers hosts. Keys are hosts with their labels reversed, so that those of
/// a domain come out together.
#[derive(Debug)]
pub(super) struct HostRuns {
    present: HashMap<String, Entry>,
    used_bytes: usize,
    most_bytes: usize,
    runs: SpillSort,
    /// The current key, so that a known host costs no allocation.
    key: String,
}

#[derive(Debug)]
struct Entry {
    decisions: u64,
    first_url: Box<str>,
}

/// Bytes of an entry besides its text: the map's slot at its usual load,
/// and the overhead of two allocations.
const ENTRY_BYTES: usize = 130;

/// Longer URLs are cut in what is kept; they are examples.
const MAX_URL_BYTES: usize = 2_000;

impl HostRuns {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self {
            present: HashMap::new(),
            used_bytes: 0,
            most_bytes,
            runs: SpillSort::new(usize::MAX),
            key: String::new(),
        }
    }

    /// Times that memory was full.
    pub(super) fn spills(&self) -> u64 {
        self.runs.spills() as u64
    }

    /// Counts a decision about a URL of a host.
    pub(super) fn add(&mut self, host: &str, url: &[u8]) -> io::Result<()> {
        reverse(host, &mut self.key);
        if let Some(entry) = self.present.get_mut(&self.key) {
            entry.decisions += 1;
            return Ok(());
        }
        let url = String::from_utf8_lossy(&url[..url.len().min(MAX_URL_BYTES)]);
        // A tab or a line end would break the temporary file; no URL has one.
        let first_url: Box<str> = url.replace(['\t', '\n', '\r'], " ").into();
        self.used_bytes += ENTRY_BYTES + self.key.len() + first_url.len();
        self.present.insert(self.key.clone(), Entry { decisions: 1, first_url });
        if self.used_bytes > self.most_bytes { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        // Of equal keys the earliest run comes first: it has the first URL.
        let run = self.runs.spills();
        for (key, Entry { decisions, first_url }) in std::mem::take(&mut self.present) {
            self.runs.push(format!("{key}\t{run:09}\t{decisions}\t{first_url}"))?;
        }
        self.used_bytes = 0;
        self.runs.spill()
    }

    /// Hands out every host once, sorted by its reversed labels.
    pub(super) fn merge<E: From<io::Error>>(
        mut self,
        mut each: impl FnMut(HostTally) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.runs.spills() > 0 {
            self.spill()?;
            let mut whole: Option<(String, Entry)> = None;
            for line in self.runs.finish()? {
                let (key, entry) = spilled(&line?)?;
                match &mut whole {
                    Some((same, whole)) if *same == key => whole.decisions += entry.decisions,
                    _ => {
                        if let Some((key, entry)) = whole.replace((key, entry)) {
                            each(entry.tally(&key))?;
                        }
                    }
                }
            }
            return whole.map_or(Ok(()), |(key, entry)| each(entry.tally(&key)));
        }
        let mut entries: Vec<_> = self.present.into_iter().collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        entries.into_iter().try_for_each(|(key, entry)| each(entry.tally(&key)))
    }
}

impl Entry {
    fn tally(self, key: &str) -> HostTally {
        let mut host = String::new();
        reverse_back(key, &mut host);
        HostTally { host, decisions: self.decisions, first_url: self.first_url.into_string() }
    }
}

/// An entry as it was spilled: key, run, decisions and first URL.
fn spilled(line: &str) -> io::Result<(String, Entry)> {
    let mut parts = line.splitn(4, '\t');
    let mut entry = || {
        let key = parts.next()?.to_owned();
        let decisions = parts.nth(1)?.parse().ok()?;
        Some((key, Entry { decisions, first_url: parts.next()?.into() }))
    };
    entry().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a temporary file was changed"))
}

/// `www.fct.pt` as `pt,fct,www`: a comma sorts before all that names hold.
/// Addresses stay as they are.
fn reverse(host: &str, key: &mut String) {
    key.clear();
    if is_address(host) {
        key.push_str(host);
        return;
    }
    for label in host.rsplit('.') {
        if !key.is_empty() {
            key.push(',');
        }
        key.push_str(label);
    }
}

fn reverse_back(key: &str, host: &mut String) {
    for label in key.rsplit(',') {
        if !host.is_empty() {
            host.push('.');
        }
        host.push_str(label);
    }
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn gathered(hosts: &[String], most_bytes: usize) -> (Vec<HostTally>, u64) {
        let mut runs = HostRuns::new(most_bytes);
        for (number, host) in hosts.iter().enumerate() {
            runs.add(host, format!("http://{host}/{number}").as_bytes()).unwrap();
        }
        let spills = runs.spills();
        let mut found = Vec::new();
        runs.merge(|tally| {
            found.push(tally);
            io::Result::Ok(())
        })
        .unwrap();
        (found, spills)
    }

    proptest! {
        #[test]
        fn spilling_changes_nothing(hosts in proptest::collection::vec("([a-c]\\.){0,2}(pt|com)|192\\.0\\.2\\.[0-9]", 0..200)) {
            let (whole, spills) = gathered(&hosts, usize::MAX);
            prop_assert_eq!(spills, 0);
            let (spilled, spills) = gathered(&hosts, 400);
            prop_assert!(spills > 0 || whole.len() < 3);
            prop_assert_eq!(&spilled, &whole);
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            hosts.iter().for_each(|host| *counts.entry(host).or_default() += 1);
            prop_assert_eq!(whole.len(), counts.len());
            for tally in &whole {
                prop_assert_eq!(counts[tally.host.as_str()], tally.decisions);
                let first = hosts.iter().position(|host| *host == tally.host).unwrap();
                prop_assert_eq!(&tally.first_url, &format!("http://{}/{first}", tally.host));
            }
        }
    }

    #[test]
    fn hosts_of_a_domain_come_together() {
        let hosts = ["b.a-x.pt", "a.pt", "192.0.2.1", "www.a.pt", "a-x.pt"].map(str::to_owned);
        let names: Vec<String> = gathered(&hosts, 1).0.into_iter().map(|tally| tally.host).collect();
        assert_eq!(names, ["192.0.2.1", "a.pt", "www.a.pt", "a-x.pt", "b.a-x.pt"]);
    }
}
