//! Tally of the anchor texts of the links to a page.

use crate::inlinks::stored::tallied_anchor;
use crate::text::fold;
use crate::uri::CaptureDate;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A link, as far as its words go.
#[derive(Debug, Clone, Copy)]
pub struct AnchorLink<'a> {
    /// Text of the link. Hostile text.
    pub anchor: &'a str,
    /// Host of the linking page.
    pub source_host: &'a str,
    /// When the linking page was captured.
    pub date: CaptureDate,
}

/// An anchor text with its tally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorTally {
    /// The text folded (case, diacritics, punctuation); unchanged where
    /// nothing but signs is in it; empty for links without text.
    pub text: String,
    /// The most frequent spelling. Hostile text.
    pub spelling: String,
    /// Distinct linking hosts.
    pub hosts: u64,
    /// Links.
    pub links: u64,
    /// First date.
    pub first: CaptureDate,
    /// Last date.
    pub last: CaptureDate,
    /// Whether it matches, as the caller decides.
    pub matches_request: bool,
}

/// Anchors as they are tallied, link by link; of very long ones the beginning.
#[derive(Default)]
pub struct AnchorTallies {
    groups: HashMap<Box<str>, Group>,
    /// Linking hosts, by numbers.
    hosts: HashMap<Box<str>, u32>,
}

impl AnchorTallies {
    /// Takes a link.
    pub fn take(&mut self, link: AnchorLink<'_>) {
        let spelling = tallied_anchor(link.anchor.trim());
        let folded = fold(&spelling);
        let host = match self.hosts.get(link.source_host) {
            Some(host) => *host,
            None => {
                let next = self.hosts.len() as u32;
                *self.hosts.entry(link.source_host.into()).or_insert(next)
            }
        };
        let text = if folded.is_empty() { spelling.clone().into_owned() } else { folded };
        let Some(group) = self.groups.get_mut(&*text) else {
            let group = Group {
                spelling: (spelling.into(), 1),
                other_spellings: BTreeMap::new(),
                host,
                other_hosts: HashSet::new(),
                links: 1,
                first: link.date,
                last: link.date,
            };
            self.groups.insert(text.into(), group);
            return;
        };
        if *group.spelling.0 == *spelling {
            group.spelling.1 += 1;
        } else {
            match group.other_spellings.get_mut(&*spelling) {
                Some(count) => *count += 1,
                None => drop(group.other_spellings.insert(spelling.into(), 1)),
            }
        }
        if host != group.host {
            group.other_hosts.insert(host);
        }
        group.links += 1;
        group.first = group.first.min(link.date);
        group.last = group.last.max(link.date);
    }

    /// Most hosts first, then most links, then by text.
    ///
    /// `matches` is called once for each text with its spelling, usually
    /// [`Matcher::speaks_of`](super::Matcher::speaks_of).
    pub fn finish(self, matches: impl Fn(&str) -> bool) -> Vec<AnchorTally> {
        let tally = |(text, group): (Box<str>, Group)| {
            // Of equally frequent spellings the first by its bytes, so that the order of links is nothing.
            let spellings = group.other_spellings.into_iter().chain([group.spelling]);
            let spelling = spellings.max_by(|(a, more), (b, less)| more.cmp(less).then_with(|| b.cmp(a)));
            let spelling = spelling.map_or_else(String::new, |(text, _)| text.into());
            AnchorTally {
                matches_request: matches(&spelling),
                spelling,
                hosts: group.other_hosts.len() as u64 + 1,
                links: group.links,
                first: group.first,
                last: group.last,
                text: text.into(),
            }
        };
        let mut tallies: Vec<AnchorTally> = self.groups.into_iter().map(tally).collect();
        tallies.sort_by(|a, b| (b.hosts, b.links).cmp(&(a.hosts, a.links)).then_with(|| a.text.cmp(&b.text)));
        tallies
    }
}

/// Nearly all texts have one spelling, and one host: collections take memory.
struct Group {
    spelling: (Box<str>, u64),
    other_spellings: BTreeMap<Box<str>, u64>,
    host: u32,
    other_hosts: HashSet<u32>,
    links: u64,
    first: CaptureDate,
    last: CaptureDate,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tally<'a>(links: &mut dyn Iterator<Item = &AnchorLink<'a>>, matches: impl Fn(&str) -> bool) -> Vec<AnchorTally> {
        let mut tallies = AnchorTallies::default();
        links.for_each(|link| tallies.take(*link));
        tallies.finish(matches)
    }

    #[test]
    fn very_long_anchors_are_shown_by_their_beginning() {
        let long = "â".repeat(10_000);
        let link = AnchorLink { anchor: &long, source_host: "a", date: CaptureDate::default() };
        let spelling = tally(&mut [link].iter(), |_| false).remove(0).spelling;
        assert!(spelling.len() < 1100 && spelling.ends_with("ââ…"));
    }

    /// `anchor @ host @ year` a link in; `text (spelling) hosts/links first–last` a tally out.
    #[track_caller]
    fn check(links: &[&str], expected: &[&str]) {
        let links: Vec<AnchorLink<'_>> = links
            .iter()
            .map(|link| {
                let mut parts = link.split('@');
                let (anchor, host, year) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
                AnchorLink { anchor, source_host: host, date: CaptureDate::parse(year).unwrap() }
            })
            .collect();
        let show = |tallies: Vec<AnchorTally>| -> Vec<String> {
            tallies
                .into_iter()
                .map(|t| {
                    let year = |date: CaptureDate| date.to_dataset()[..4].to_owned();
                    let mark = if t.matches_request { " !" } else { "" };
                    format!(
                        "{} ({}) {}/{} {}–{}{mark}",
                        t.text,
                        t.spelling,
                        t.hosts,
                        t.links,
                        year(t.first),
                        year(t.last)
                    )
                })
                .collect()
        };
        let matches = |text: &str| text.contains("Ria");
        assert_eq!(show(tally(&mut links.iter(), matches)), expected);
        assert_eq!(show(tally(&mut links.iter().rev(), matches)), expected, "in reverse");
    }

    #[test]
    fn spellings_are_one_text_and_hosts_count_once() {
        check(
            &["A Ria@a.pt@2023", " a  ria! @a.pt@2022", "A Ria@b.pt@2024", "aqui@a.pt@2020", "aqui@a.pt@2021"],
            &["a ria (A Ria) 2/3 2022–2024 !", "aqui (aqui) 1/2 2020–2021"],
        );
        check(&["x@a.pt@2020", "X@a.pt@2020"], &["x (X) 1/2 2020–2020"]);
        check(&["b@a.pt@2020", "a@a.pt@2020"], &["a (a) 1/1 2020–2020", "b (b) 1/1 2020–2020"]);
        check(&["@a.pt@2020", "»@a.pt@2021", "  @b.pt@2020"], &[" () 2/2 2020–2020", "» (») 1/1 2021–2021"]);
        check(&[], &[]);
    }
}
