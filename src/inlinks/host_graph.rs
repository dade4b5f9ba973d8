//! Graph of links between hosts.
//!
//! In: captures and links in any order, as keys of pages. Out: hosts in the
//! order of their names, and edges in the order (source, target, internal).
//! Memory grows with hosts and edges (some 300 bytes and 80 bytes each), not
//! with links: a hundred million links of a national archive have some ten
//! million edges.

use super::invert::Row;
use super::invert::stored::{host_name, host_of};
use crate::uri::CaptureDate;
use foldhash::fast::RandomState;
use serde::Serialize;
use std::collections::HashMap;

/// Edges are put together when so many came one by one.
const FIRST_COMPACTION: usize = 1 << 20;

/// A host with what is known of its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostNode {
    /// Name, without `www`; hosts of all ports are one.
    pub host: String,
    /// Captures of its pages.
    pub captures: u64,
    /// Date of the first of them, and of the last.
    pub captured: Option<(CaptureDate, CaptureDate)>,
    /// Links to its pages from other sites.
    pub inlinks: u64,
    /// Links to its pages from its own site.
    pub inlinks_internal: u64,
    /// Links from its pages to other sites.
    pub outlinks: u64,
    /// Distinct hosts of other sites that link to it.
    pub citing_hosts: u64,
    /// Distinct hosts of other sites that it links to.
    pub cited_hosts: u64,
}

/// Counts of the links from one host to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostEdge {
    /// Which of [`HostGraph::hosts`] links.
    pub source: u32,
    /// Which is linked to.
    pub target: u32,
    /// Both are one site, by the policy that the links were made with.
    pub internal: bool,
    /// How many links, each (target, source, date, anchor) once.
    pub links: u64,
    /// Date of the first.
    pub first: CaptureDate,
    /// Date of the last.
    pub last: CaptureDate,
}

impl HostEdge {
    fn order(&self) -> (u32, u32, bool) {
        (self.source, self.target, self.internal)
    }
}

/// Hosts and the links between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostGraph {
    /// In the order of their names.
    pub hosts: Vec<HostNode>,
    /// In the order (source, target, external before internal).
    pub edges: Vec<HostEdge>,
}

impl HostGraph {
    /// Edges between sites.
    pub fn external(&self) -> impl Iterator<Item = &HostEdge> {
        self.edges.iter().filter(|edge| !edge.internal)
    }

    /// The name of a host of an edge.
    pub fn name(&self, number: u32) -> &str {
        self.hosts.get(number as usize).map_or("", |node| &node.host)
    }
}

/// Makes a [`HostGraph`] of rows.
pub struct HostGraphBuilder {
    /// Hosts as keys have them; several may mean one name.
    by_key: HashMap<Box<str>, u32, RandomState>,
    by_name: HashMap<Box<str>, u32, RandomState>,
    hosts: Vec<HostNode>,
    edges: Vec<HostEdge>,
    first_compaction: usize,
    compact_at: usize,
}

impl Default for HostGraphBuilder {
    fn default() -> Self {
        Self::compacted_from(FIRST_COMPACTION)
    }
}

impl HostGraphBuilder {
    /// Edges are put together when so many came, and whenever they doubled.
    fn compacted_from(first_compaction: usize) -> Self {
        Self {
            by_key: HashMap::default(),
            by_name: HashMap::default(),
            hosts: Vec::new(),
            edges: Vec::new(),
            first_compaction,
            compact_at: first_compaction,
        }
    }

    /// Takes a row; equal links have to come once. Keys that name no host
    /// (`data:`) are passed over.
    pub fn push(&mut self, row: &Row<'_>) {
        match row {
            Row::Capture(capture) => {
                let Some(host) = self.host(capture.target) else { return };
                if let Some(host) = self.hosts.get_mut(host as usize) {
                    host.captures += 1;
                    let (first, last) = host.captured.unwrap_or((capture.date, capture.date));
                    host.captured = Some((first.min(capture.date), last.max(capture.date)));
                }
            }
            Row::Link(link) => {
                let (Some(source), Some(target)) = (self.host(link.source), self.host(link.target)) else { return };
                let (date, internal) = (link.date, link.internal);
                self.edges.push(HostEdge { source, target, internal, links: 1, first: date, last: date });
                if self.edges.len() >= self.compact_at {
                    compact(&mut self.edges);
                    self.compact_at = self.first_compaction.max(2 * self.edges.len());
                    // Not twice as many as will come.
                    self.edges.reserve_exact(self.compact_at - self.edges.len());
                }
            }
        }
    }

    fn host(&mut self, key: &str) -> Option<u32> {
        let in_key = host_of(key);
        if in_key.is_empty() || key.starts_with("data:") {
            return None;
        }
        if let Some(number) = self.by_key.get(in_key) {
            return Some(*number);
        }
        let name = host_name(in_key);
        let name = name.as_str();
        let number = match self.by_name.get(name) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.hosts.len()).ok()?;
                self.hosts.push(HostNode {
                    host: name.to_owned(),
                    captures: 0,
                    captured: None,
                    inlinks: 0,
                    inlinks_internal: 0,
                    outlinks: 0,
                    citing_hosts: 0,
                    cited_hosts: 0,
                });
                self.by_name.insert(name.into(), number);
                number
            }
        };
        self.by_key.insert(in_key.into(), number);
        Some(number)
    }

    /// The graph of all rows that came, the same whatever their order.
    pub fn finish(mut self) -> HostGraph {
        let mut order: Vec<u32> = (0..self.hosts.len() as u32).collect();
        let name = |number: &u32| self.hosts.get(*number as usize).map(|node| node.host.as_str());
        order.sort_unstable_by(|a, b| name(a).cmp(&name(b)));
        let mut place = vec![0_u32; order.len()];
        for (at, number) in order.iter().enumerate() {
            if let Some(place) = place.get_mut(*number as usize) {
                *place = at as u32;
            }
        }
        let new = |number: u32| place.get(number as usize).copied().unwrap_or(number);
        for edge in &mut self.edges {
            (edge.source, edge.target) = (new(edge.source), new(edge.target));
        }
        compact(&mut self.edges);
        self.hosts.sort_unstable_by(|a, b| a.host.cmp(&b.host));
        for edge in &self.edges {
            if let Some(target) = self.hosts.get_mut(edge.target as usize) {
                if edge.internal {
                    target.inlinks_internal += edge.links;
                } else {
                    target.inlinks += edge.links;
                    target.citing_hosts += 1;
                }
            }
            if let Some(source) = self.hosts.get_mut(edge.source as usize).filter(|_| !edge.internal) {
                source.outlinks += edge.links;
                source.cited_hosts += 1;
            }
        }
        HostGraph { hosts: self.hosts, edges: self.edges }
    }
}

/// Sorts edges and makes one of those between the same hosts.
fn compact(edges: &mut Vec<HostEdge>) {
    edges.sort_unstable_by_key(HostEdge::order);
    edges.dedup_by(|edge, kept| {
        let is_same = edge.order() == kept.order();
        if is_same {
            kept.links += edge.links;
            kept.first = kept.first.min(edge.first);
            kept.last = kept.last.max(edge.last);
        }
        is_same
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::inlinks::invert::{LinkRow, TargetCapture};
    use crate::links::LinkKind;
    use proptest::prelude::*;

    fn date(text: &str) -> CaptureDate {
        CaptureDate::parse(text).unwrap()
    }

    fn link<'a>(source: &'a str, target: &'a str, year: &str, internal: bool) -> Row<'a> {
        Row::Link(LinkRow {
            target,
            target_url: "",
            source,
            source_url: "",
            source_id: 0,
            date: date(year),
            anchor: "",
            internal,
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        })
    }

    fn graph<'a>(rows: impl IntoIterator<Item = Row<'a>>) -> HostGraph {
        let mut builder = HostGraphBuilder::default();
        rows.into_iter().for_each(|row| builder.push(&row));
        builder.finish()
    }

    /// `source>target links first-last`, `=` in the place of `>` for internal ones.
    fn edges(graph: &HostGraph) -> Vec<String> {
        let year = |date: CaptureDate| date.to_dataset()[..4].to_owned();
        graph
            .edges
            .iter()
            .map(|edge| {
                let sign = if edge.internal { '=' } else { '>' };
                let (source, target) = (graph.name(edge.source), graph.name(edge.target));
                format!("{source}{sign}{target} {} {}-{}", edge.links, year(edge.first), year(edge.last))
            })
            .collect()
    }

    #[test]
    fn links_between_hosts_are_counted_with_their_dates() {
        let capture = |target, year| Row::Capture(TargetCapture { target, date: date(year), id: 0 });
        let rows = [
            capture("(pt,fct,", "2010"),
            capture("(pt,fct,)/x", "2008"),
            link("(pt,fccn,", "(pt,fct,)/x", "2009", false),
            link("(pt,fccn,)/a", "(pt,fct,:8080)/y", "2007", false),
            link("(pt,fct,)/x", "(pt,fct,", "2008", true),
            link("(pt,fct,", "pt,nunca)/", "2010", false),
            link("(pt,sobre,fct,", "(pt,fct,", "2011", true),
            link("data:x", "(pt,fct,", "2011", false),
        ];
        let graph = graph(rows);
        assert_eq!(
            edges(&graph),
            [
                "fccn.pt>fct.pt 2 2007-2009",
                "fct.pt=fct.pt 1 2008-2008",
                "fct.pt>nunca.pt 1 2010-2010",
                "fct.sobre.pt=fct.pt 1 2011-2011"
            ]
        );
        let fct = &graph.hosts[1];
        assert_eq!((fct.host.as_str(), fct.captures, fct.inlinks, fct.inlinks_internal), ("fct.pt", 2, 2, 2));
        assert_eq!((fct.outlinks, fct.citing_hosts, fct.cited_hosts), (1, 1, 1));
        assert_eq!(fct.captured, Some((date("2008"), date("2010"))));
    }

    proptest! {
        #[test]
        fn the_order_of_rows_changes_nothing(rows in prop::collection::vec((0_u8..6, 0_u8..6, 1_u8..9, any::<bool>()), 0..60)) {
            let texts: Vec<(String, String, String, bool)> = rows
                .iter()
                .map(|(a, b, year, internal)| (format!("(pt,h{a},)/p{year}"), format!("(pt,h{b},"), format!("200{year}"), *internal))
                .collect();
            let all: Vec<Row<'_>> = texts.iter().map(|(a, b, year, internal)| link(a, b, year, *internal)).collect();
            let forth = graph(all.iter().copied());
            prop_assert_eq!(&forth, &graph(all.iter().rev().copied()));
            prop_assert_eq!(forth.edges.iter().map(|edge| edge.links).sum::<u64>(), all.len() as u64);
            prop_assert!(forth.edges.is_sorted_by_key(HostEdge::order));
            let mut often = HostGraphBuilder::compacted_from(4);
            all.iter().for_each(|row| often.push(row));
            prop_assert!(often.edges.len() < often.compact_at);
            prop_assert_eq!(&forth, &often.finish());
        }
    }
}
