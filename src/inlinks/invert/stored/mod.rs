//! Stores links sorted by target, and answers queries about them.
//!
//! In: sorted rows ([`LinkStore::add`], [`LinkStore::fill`]), or lines of data sets and rows
//! ([`load`]). Out: the inlinks of a page in any window ([`query`]), and what
//! is found by reading all of them ([`scan`]).
//!
//! A folder holds a list (`links.json`) and segments (`links-000001.seg`),
//! each a file of sorted rows with an index. What is added becomes a further
//! segment; readers merge segments as they read, so that rows come in order
//! and each once; segments of like size are merged into one, so that there
//! are few.
//!
//! Invariants: the bytes of one segment depend on its rows alone, so links
//! loaded in pieces and merged are the file of a load in one go; a segment is
//! complete on the disk before it is listed, and one that is listed is never
//! changed; no damage goes unnoticed, and the file and offset of it are named.
//!
//! A link takes some 23 bytes where keys have forty letters (`tests/bench/links.rs`). A query reads one list
//! of places and the blocks of its answer; only a page with a million inlinks takes longer than one with ten,
//! since all that are in the window are counted.
//!
//! | file | holds |
//! |---|---|
//! | `segment` | one file: blocks of rows, and the way to them |
//! | `folder` | the list, adding, merging |
//! | `query` | one page: its captures, inlinks, counts |
//! | `recent` | the blocks read last, for queries page after page |
//! | `scan` | all pages: most cited, never captured, anchors |
//! | `counts` | one pass: what many captures are cited within their windows |
//! | `all` | every row as it is |
//! | `load` | lines into rows |

mod all;
mod counts;
mod folder;
pub mod load;
pub mod query;
mod recent;
pub mod scan;
mod segment;

pub use counts::{CountTotals, Counted, Counting};
pub use folder::{Added, LinkStore, Mark, StoreRules};
pub use query::{CitedCounts, StoredInlink, StoredInlinks, Window};
pub(super) use recent::Recent;
pub use scan::{AnchorCount, Cited, CitedBy, CitedCapture, Under};
pub use segment::SegmentCounts;

use crate::links::anchor_as_shown;
use crate::uri::{DatasetKey, Fqdn};
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashSet;

/// The host in a key of either notation, labels reversed, without port:
/// `pt,fct` of `(pt,fct,)/sobre`, `(pt,fct,:8080)/` and `pt,fct)/sobre`.
pub fn host_of(key: &str) -> &str {
    let end_of = |text: &str| memchr::memchr3(b')', b':', b'@', text.as_bytes()).unwrap_or(text.len());
    let host = match key.strip_prefix('(') {
        Some(host) => host,
        // Of other schemes than http the key begins with the scheme.
        None => key.get(end_of(key)..).and_then(|rest| rest.strip_prefix("://(")).unwrap_or(key),
    };
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or(host);
    }
    let end = end_of(host);
    if host.as_bytes().get(end) == Some(&b':')
        && let Some(address) = ipv6_of(host)
    {
        return address;
    }
    host.get(..end).unwrap_or_default().trim_end_matches(',')
}

/// The name of a host that [`host_of`] gives.
pub fn host_name(host: &str) -> Fqdn {
    match host.contains(':') {
        // Only an address has colons; CDX notation takes its brackets away.
        true => Fqdn::new(&format!("[{}]", host.trim_matches(['[', ']']))),
        false => DatasetKey::from_stored(format!("({host},)")).host(),
    }
}

/// An address of IPv6, which has no brackets in CDX notation and no port apart.
fn ipv6_of(host: &str) -> Option<&str> {
    let (address, _) = host.split_once(')')?;
    (address.bytes().filter(|byte| *byte == b':').count() > 1 && !address.contains(',')).then_some(address)
}

/// Bytes of an anchor that are compared where anchors are tallied: a hostile page has as many long ones as it
/// likes.
const MAX_TALLIED_ANCHOR_BYTES: usize = 1024;

/// Text by which an anchor is tallied: as it is shown, or the beginning of a very long one.
pub fn tallied_anchor(anchor: &str) -> Cow<'_, str> {
    match anchor.get(..anchor.floor_char_boundary(MAX_TALLIED_ANCHOR_BYTES)) {
        Some(begin) if begin.len() < anchor.len() => Cow::Owned(format!("{}…", anchor_as_shown(begin))),
        _ => anchor_as_shown(anchor),
    }
}

/// Distinct hosts of linking pages.
#[derive(Default)]
struct Hosts(HashSet<Box<str>, RandomState>);

impl Hosts {
    /// Takes the host in a page's key.
    fn add(&mut self, source: &str) {
        let host = host_of(source);
        if !self.0.contains(host) {
            self.0.insert(host.into());
        }
    }

    fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
