//! Hosts and beginnings of paths whose marked pages are of one kind.

use super::{MOST_OF_A_KIND, MarkedPage, ONE_SIDED_PERCENT, Proposal, ProposalKind, proposal};
use crate::uri::Url;
use std::collections::{BTreeMap, BTreeSet};

/// Marked pages of a host or path.
const MIN_MARKED: u64 = 5;
/// Folders of a path that are looked at.
const MOST_FOLDERS: usize = 3;

/// The addresses that a URL is below: its host, and folders of its path, as URLs that end with `/`.
fn places_of(url: &str) -> Vec<String> {
    let Ok(mut url) = Url::parse(url) else { return Vec::new() };
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().to_owned();
    let ends = path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at + 1).take(MOST_FOLDERS + 1);
    ends.map(|end| {
        url.set_path(&path[..end]);
        url.to_string()
    })
    .collect()
}

pub(super) fn place_proposals(marked: &[MarkedPage]) -> Vec<Proposal> {
    let mut pages_of: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (page, of) in marked.iter().enumerate() {
        for place in places_of(&of.url) {
            pages_of.entry(place).or_default().insert(page);
        }
    }
    let is_host = |place: &str| Url::parse(place).is_ok_and(|url| url.path() == "/");
    let mut found: Vec<Proposal> = Vec::new();
    let mut taken: Vec<(String, BTreeSet<usize>)> = Vec::new();
    // Shorter ones come first: a path below a place with the same pages says nothing more.
    for (place, pages) in pages_of {
        let relevant = pages.iter().filter(|page| marked[**page].is_relevant).count() as u64;
        let all = pages.len() as u64;
        let is_for = relevant * 100 >= all * ONE_SIDED_PERCENT;
        let is_against = (all - relevant) * 100 >= all * ONE_SIDED_PERCENT;
        let is_covered = taken.iter().any(|(above, of)| place.starts_with(above.as_str()) && pages.is_subset(of));
        if all < MIN_MARKED || !(is_for || is_against) || is_covered {
            continue;
        }
        let kind = if is_host(&place) { ProposalKind::Host } else { ProposalKind::Path };
        let urls: BTreeSet<&str> = pages.iter().map(|page| marked[*page].url.as_str()).collect();
        found.push(proposal(kind, &place, is_for, marked, |page| urls.contains(page.url.as_str())));
        taken.push((place, pages));
    }
    found.sort_by_key(|proposal| (proposal.kind, std::cmp::Reverse(proposal.relevant + proposal.irrelevant)));
    found.truncate(2 * MOST_OF_A_KIND);
    found
}
