//! The page Links draws all links at once from these values.

use crate::inlinks::HostNode;
pub use crate::inlinks::stored::Cited;
pub use crate::inlinks::stored::CitedBy;
use crate::work::models::quoted;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

/// A folder of stored links in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSet {
    /// The folder.
    pub folder: PathBuf,
    /// Links; those that are in two files of it count twice until they are merged.
    pub links: u64,
    /// Pages that are linked to or were captured.
    pub pages: u64,
    /// Captures of pages.
    pub captures: u64,
    /// Size on the disk.
    pub bytes: u64,
    /// Another number as soon as there are other links.
    pub revision: u64,
}

/// A host with what links to it.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHost {
    /// Its name and counts.
    pub node: HostNode,
    /// Its part of all PageRank, which is 1.
    pub pagerank: f64,
}

/// The filter of the captures table for those that links count of a host.
pub fn captures_of_host(host: &str) -> String {
    format!("fqdn:{} page:yes", quoted(host))
}

/// The filter for those that links count of a page.
pub fn captures_of_page(key: &str) -> String {
    format!("key:{} page:yes", quoted(key))
}

/// A column that hosts are put in order by: the most first, names from A to Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HostColumn {
    /// The PageRank that the hosts linking to it give it.
    #[default]
    PageRank,
    /// Distinct hosts of other sites that link to it.
    CitingHosts,
    /// Links from other sites.
    External,
    /// Links from its own site.
    Internal,
    /// Captures of its pages.
    Captures,
    /// Its name.
    Host,
}

impl HostColumn {
    /// Every one, with its head.
    pub const ALL: [(Self, &str); 6] = [
        (Self::PageRank, "PageRank ‰"),
        (Self::CitingHosts, "Citing hosts"),
        (Self::External, "External"),
        (Self::Internal, "Internal"),
        (Self::Captures, "Captures"),
        (Self::Host, "Host"),
    ];

    /// The order of two hosts; equal ones are ordered by name.
    pub fn order(self, a: &RankedHost, b: &RankedHost) -> Ordering {
        let by = |of: fn(&HostNode) -> u64| of(&b.node).cmp(&of(&a.node));
        let order = match self {
            Self::PageRank => b.pagerank.total_cmp(&a.pagerank),
            Self::CitingHosts => by(|node| node.citing_hosts),
            Self::External => by(|node| node.inlinks),
            Self::Internal => by(|node| node.inlinks_internal),
            Self::Captures => by(|node| node.captures),
            Self::Host => Ordering::Equal,
        };
        order.then_with(|| a.node.host.cmp(&b.node.host))
    }
}

/// The hosts of many links: of a large archive those that come first in one of the columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostTable {
    rows: Vec<RankedHost>,
    /// The order of the rows by each column: computed once, and drawn many times.
    orders: Vec<(HostColumn, Vec<usize>)>,
    /// All hosts.
    pub hosts: u64,
    /// Pairs of them of which one links to the other.
    pub edges: u64,
}

impl HostTable {
    /// Keeps the first ones of each column.
    pub fn of(hosts: Vec<RankedHost>, edges: u64, kept: usize) -> Self {
        let all = hosts.len() as u64;
        let first = |column: HostColumn| {
            let order = |a: &usize, b: &usize| column.order(&hosts[*a], &hosts[*b]);
            let mut first: Vec<usize> = (0..hosts.len()).collect();
            if kept < first.len() {
                first.select_nth_unstable_by(kept, order);
                first.truncate(kept);
            }
            first.sort_unstable_by(order);
            (column, first)
        };
        let mut orders: Vec<(HostColumn, Vec<usize>)> = HostColumn::ALL.map(|(column, _)| first(column)).into();
        let chosen: BTreeSet<usize> = orders.iter().flat_map(|(_, first)| first.iter().copied()).collect();
        let places: HashMap<usize, usize> = chosen.iter().copied().zip(0..).collect();
        orders.iter_mut().flat_map(|(_, first)| first).for_each(|at| *at = places[at]);
        let rows = hosts.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, host)| host);
        Self { rows: rows.collect(), orders, hosts: all, edges }
    }

    /// The first ones by a column.
    pub fn by(&self, column: HostColumn) -> Vec<&RankedHost> {
        let first = self.orders.iter().find(|(of, _)| *of == column).into_iter().flat_map(|(_, first)| first);
        first.filter_map(|at| self.rows.get(*at)).collect()
    }
}

/// Pages with what links to them, the most cited first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedPages {
    /// The first ones.
    pub rows: Vec<Cited>,
    /// The number of all.
    pub pages: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_hosts_the_first_of_each_column_are_kept() {
        let host = |number: u64| RankedHost {
            node: HostNode {
                host: format!("{number:04}.pt"),
                captures: number,
                captured: None,
                inlinks: 1000 - number,
                inlinks_internal: number * 7 % 1000,
                outlinks: 0,
                citing_hosts: number * 3 % 1000,
                cited_hosts: 0,
            },
            pagerank: (number * 11 % 1000) as f64,
        };
        let all: Vec<RankedHost> = (0..1000).map(host).collect();
        let table = HostTable::of(all.clone(), 5, 10);
        assert_eq!((table.hosts, table.edges), (1000, 5));
        for (column, _) in HostColumn::ALL {
            let mut sorted: Vec<&RankedHost> = all.iter().collect();
            sorted.sort_by(|a, b| column.order(a, b));
            assert_eq!(table.by(column), sorted[..10], "{column:?}");
        }
        assert_eq!(HostTable::of(all[..4].to_vec(), 0, 10).by(HostColumn::Captures).len(), 4);
    }
}
