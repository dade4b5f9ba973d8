//! The window shows the links of the workspace, or those that were loaded into a folder.

use super::hosts::{LinkSource, RankedHosts};
use crate::inlinks::stored::{LinkStore, StoredInlink, Window, host_name, host_of};
use crate::inlinks::{MAX_INLINKS_PER_SIDE, Notation};
use crate::jobs::JobCx;
use crate::store::{LOADED_LINKS, Workspace};
use crate::work::models::{CitedBy, CitedPages, HostTable, InlinkPage, InlinkRow, LinkSet, RankedHost};
use anyhow::Context;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

/// Hosts that are kept in the order of each column, and pages of a list: the
/// most cited ones of a large archive.
const ROWS_KEPT: usize = 2000;

/// The links of a folder; without one named, of that into which links were loaded here. None where
/// nothing was.
///
/// # Errors
///
/// A folder without stored links, and links that cannot be read.
pub fn link_set(workspace: &Workspace, folder: Option<&Path>) -> anyhow::Result<Option<LinkSet>> {
    let loaded = workspace.folder().join(LOADED_LINKS);
    if folder.is_none() && !LinkStore::is_in(&loaded) {
        return Ok(None);
    }
    let store = open(folder.unwrap_or(&loaded))?;
    let counts = store.counts();
    Ok(Some(LinkSet {
        folder: store.folder().to_owned(),
        links: counts.links,
        pages: counts.targets,
        captures: counts.captures,
        bytes: store.bytes(),
        revision: revision(&store),
    }))
}

/// A number that is another one whenever the links are: a folder that is emptied and filled again
/// counts its editions from the first one again, at another time.
fn revision(store: &LinkStore) -> u64 {
    let written = LinkStore::list_of(store.folder()).metadata().and_then(|list| list.modified());
    let mut hasher = DefaultHasher::new();
    (store.edition(), written.ok()).hash(&mut hasher);
    hasher.finish()
}

/// The stored links of a folder, or those that were loaded into it if it is a workspace.
fn open(folder: &Path) -> anyhow::Result<LinkStore> {
    let loaded = folder.join(LOADED_LINKS);
    let is_workspace = Workspace::is_in(folder);
    let folder = if LinkStore::is_in(&loaded) { &loaded } else { folder };
    let place = folder.display();
    anyhow::ensure!(
        LinkStore::is_in(folder) || !is_workspace,
        "{place}: this is a workspace, and no links of others were loaded into it. Open it as a workspace to see the \
         inlinks of its captures"
    );
    anyhow::ensure!(
        LinkStore::is_in(folder),
        "{place}: no links are stored here. Name a folder that was filled with: fonds inlinks load FOLDER FILE..."
    );
    let store = LinkStore::open(folder)?;
    anyhow::ensure!(
        store.rules().notation != Notation::Page,
        "{place}: these are the inlinks that a workspace has built of its captures. Open the workspace itself to see them"
    );
    Ok(store)
}

/// Has a question answered by the links of a folder, or by those that are
/// built here; none where none are.
fn with_links<T>(
    workspace: &Workspace,
    folder: Option<&Path>,
    query: impl FnOnce(&LinkStore) -> anyhow::Result<T>,
) -> anyhow::Result<Option<T>> {
    let store = match folder {
        Some(folder) => Some(Arc::new(open(folder)?)),
        None => workspace.built_links()?,
    };
    store.map(|store| query(&store)).transpose()
}

/// Hosts with what links to them, and their PageRank; none where inlinks are not built.
///
/// # Errors
///
/// As [`link_set`], or `Cancelled`.
pub fn link_hosts(workspace: &Workspace, folder: Option<&Path>, cx: &JobCx) -> anyhow::Result<Option<HostTable>> {
    with_links(workspace, folder, |store| {
        let RankedHosts { graph, ranks } = LinkSource::Store(store).hosts(cx)?;
        let edges = graph.external().count() as u64;
        let hosts = graph.hosts.into_iter().zip(ranks).map(|(node, pagerank)| RankedHost { node, pagerank });
        Ok(HostTable::of(hosts.collect(), edges, ROWS_KEPT))
    })
}

/// Pages that are linked to, of one host or of all, the most cited first;
/// none where inlinks are not built.
///
/// # Errors
///
/// As [`link_hosts`].
pub fn cited_pages(
    workspace: &Workspace,
    folder: Option<&Path>,
    by: &CitedBy,
    cx: &JobCx,
) -> anyhow::Result<Option<CitedPages>> {
    with_links(workspace, folder, |store| {
        let counts = store.counts();
        let is_all = !matches!(by, CitedBy::OfHost(_));
        cx.stage("Reading links", is_all.then_some(counts.links + counts.captures));
        let (rows, pages) = store.cited_pages(by, ROWS_KEPT as u64, cx)?;
        Ok(CitedPages { rows, pages })
    })
}

/// Inlinks of a page out of a folder, those of all times.
///
/// # Errors
///
/// As [`link_set`]; a text that names no page.
pub fn inlinks_in(folder: &Path, page: &str) -> anyhow::Result<InlinkPage> {
    inlinks_of_store(&open(folder)?, page, None)
}

/// A page by URL or key.
///
/// # Errors
///
/// A text that is neither.
pub(in crate::work) fn stored_key(store: &LinkStore, page: &str) -> anyhow::Result<String> {
    store.key_of(page).with_context(|| format!("“{page}” is neither a URL nor a key such as (pt,example,)/path"))
}

/// The page's inlinks, of all times or around a date.
///
/// # Errors
///
/// As [`stored_key`], and links that cannot be read.
pub(in crate::work) fn inlinks_of_store(
    store: &LinkStore,
    page: &str,
    window: Option<Window>,
) -> anyhow::Result<InlinkPage> {
    let key = stored_key(store, page)?;
    let answer = store.inlinks(&key, window, MAX_INLINKS_PER_SIDE)?;
    let row = |link: StoredInlink| InlinkRow {
        date: link.date,
        source_host: host_name(host_of(&link.source)).as_str().to_owned(),
        source: if link.source_url.is_empty() { link.source } else { link.source_url },
        anchor: link.anchor,
        internal: link.internal,
        in_window: true,
        capture: None,
        nofollow: link.nofollow,
        rel: String::new(),
        place: None,
        position: None,
        origin: None,
    };
    Ok(InlinkPage {
        target: key,
        capture_dates: answer.captures,
        around: window.map(|window| window.around),
        window_days: window.map_or(u32::MAX, |window| window.days),
        rows: answer.inlinks.into_iter().map(row).collect(),
        internal: answer.counts.internal,
        external: answer.counts.external,
        cut: answer.cut,
        outside_cut: 0,
        built: true,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "link_sets_tests.rs"]
mod tests;
