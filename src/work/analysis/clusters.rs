//! Names that may be those of one entity: proposed with evidence, put together by a person alone.

use crate::store::{AnalysisStore, EntityRow, Workspace};
use crate::text::fold;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Entities that are compared, those on most pages.
const MOST_COMPARED: usize = 3_000;
/// Similarity (W. E. Winkler 1990) from which two spellings are proposed.
const FEWEST_SIMILAR: f64 = 0.93;
/// Letters of a name that is compared by its letters.
const FEWEST_LETTERS: usize = 6;
/// Proposals.
const MOST: usize = 200;

/// Two names that may be those of one entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusterProposal {
    /// The name to be put to the other.
    pub name: String,
    /// Pages with it.
    pub pages: u64,
    /// The entity that it may be a name of.
    pub target: String,
    /// What names it; empty for a candidate.
    pub target_uri: String,
    /// Pages with that.
    pub target_pages: u64,
    /// Why, in words.
    pub why: String,
    /// Content versions that name both.
    pub shared_pages: u64,
}

/// Proposals for the names of a run, those with most evidence first.
///
/// # Errors
///
/// There is no such run, or a file that cannot be read.
pub fn cluster_proposals(workspace: &Workspace, run: Option<i64>) -> anyhow::Result<Vec<ClusterProposal>> {
    let store = AnalysisStore::open(workspace.folder())?;
    let run = store.run(run)?.id;
    let rows = store.entities(run, None, MOST_COMPARED)?;
    let folded: Vec<String> = rows.iter().map(|row| fold(&row.name)).collect();
    let mut blocks: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, name) in folded.iter().enumerate() {
        let first = name.get(..name.floor_char_boundary(3)).unwrap_or_default();
        let last = name.rsplit(' ').next().unwrap_or_default();
        blocks.entry(first).or_default().insert(at);
        blocks.entry(last).or_default().insert(at);
    }
    let mut proposed: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for block in blocks.values() {
        for (nth, a) in block.iter().enumerate() {
            for b in block.iter().skip(nth + 1) {
                let (Some(x), Some(y)) = (rows.get(*a), rows.get(*b)) else { continue };
                let (Some(of_x), Some(of_y)) = (folded.get(*a), folded.get(*b)) else { continue };
                // Two entities of authority files are two; what a person put together is one already.
                if of_x == of_y && x.uri == y.uri || !x.source.is_empty() && !y.source.is_empty() {
                    continue;
                }
                let Some(why) = evidence(of_x, of_y) else { continue };
                // The known one, or the one on more pages, is what the other is a name of.
                let pair = if is_target(x, y) { (*b, *a) } else { (*a, *b) };
                proposed.entry(pair).or_insert(why);
            }
        }
    }
    let decided: BTreeSet<String> = workspace.catalogue().entity_merges()?.into_iter().map(|of| of.name).collect();
    let mut found = Vec::new();
    for ((name, target), why) in proposed.into_iter().take(10 * MOST) {
        let (Some(name), Some(target)) = (rows.get(name), rows.get(target)) else { continue };
        // A person decided on it since the run.
        if decided.contains(&fold(&name.name)) {
            continue;
        }
        let mut shared = store.versions_with(run, Some(&[name.id]))?;
        shared.intersect_with(&store.versions_with(run, Some(&[target.id]))?);
        found.push(ClusterProposal {
            name: name.name.clone(),
            pages: name.pages,
            target: target.name.clone(),
            target_uri: target.uri.clone(),
            target_pages: target.pages,
            why,
            shared_pages: shared.count_ones(..) as u64,
        });
    }
    found.sort_by(|a, b| (b.shared_pages, b.pages, &a.name).cmp(&(a.shared_pages, a.pages, &b.name)));
    found.truncate(MOST);
    Ok(found)
}

fn is_target(one: &EntityRow, other: &EntityRow) -> bool {
    (!one.source.is_empty(), one.pages) > (!other.source.is_empty(), other.pages)
}

/// Why two folded names may be those of one entity.
fn evidence(one: &str, other: &str) -> Option<String> {
    if one == other {
        return Some("the same letters".to_owned());
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    // `A. Vaz` and `Amélia Vaz`: the same last name, and each first one or its initial.
    if short.len() > 1 && short.last() == long.last() {
        let is_met =
            |part: &&str| long.iter().any(|other| other == part || part.len() == 1 && other.starts_with(*part));
        if short.iter().all(is_met) {
            return Some("the same last name, and first names or initials".to_owned());
        }
    }
    let similarity = strsim::jaro_winkler(one, other);
    let is_long = one.len().min(other.len()) >= FEWEST_LETTERS;
    (is_long && similarity >= FEWEST_SIMILAR).then(|| format!("spelled nearly the same ({similarity:.2})"))
}
