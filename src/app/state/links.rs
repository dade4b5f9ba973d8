//! Links as a whole: what is read of all of them, in the background.
//!
//! Invariants: what no page shows is not worked on, but what was found stays;
//! links of a folder do not change with the catalogue, but when the folder is
//! filled again.

use super::super::Route;
use super::super::models::{CitedBy, CitedPages, HostTable, Loaded};
use super::AppState;
use crate::jobs::Progress;
use crate::work;
use std::path::PathBuf;
use std::sync::Arc;

impl AppState {
    /// See [`work::link_hosts`](crate::work::link_hosts); and how far the work on it is.
    pub fn link_hosts(&mut self, folder: Option<&PathBuf>) -> (Loaded<Arc<Option<HostTable>>>, Option<Progress>) {
        let Some(revision) = self.links_revision(folder) else { return (Loaded::Loading { last: None }, None) };
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.link_hosts);
        let answer = scan.get_as_of(
            revision,
            cx,
            |query| query.as_ref() == folder,
            || folder.cloned(),
            |session, folder, cx| work::link_hosts(&session.workspace, folder.as_deref(), cx),
        );
        (answer, scan.progress())
    }

    /// See [`work::cited_pages`](crate::work::cited_pages); and how far the work on it is.
    pub fn cited_pages(
        &mut self,
        folder: Option<&PathBuf>,
        by: &CitedBy,
    ) -> (Loaded<Arc<Option<CitedPages>>>, Option<Progress>) {
        let Some(revision) = self.links_revision(folder) else { return (Loaded::Loading { last: None }, None) };
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.cited_pages);
        let answer = scan.get_as_of(
            revision,
            cx,
            |(query, of)| query.as_ref() == folder && of == by,
            || (folder.cloned(), by.clone()),
            |session, (folder, by), cx| work::cited_pages(&session.workspace, folder.as_deref(), &by, cx),
        );
        (answer, scan.progress())
    }

    /// Another number as soon as there are other links; none until it is known.
    pub(in crate::app) fn links_revision(&mut self, folder: Option<&PathBuf>) -> Option<u64> {
        match folder {
            None => Some(self.session().map_or(0, |session| session.revision())),
            Some(folder) => match self.reads.link_set(Some(folder.clone())) {
                Loaded::Ready(set) => Some(set.as_ref().as_ref().map_or(0, |set| set.revision)),
                Loaded::Loading { .. } => None,
                // The query of the links reports why.
                Loaded::Failed(_) => Some(0),
            },
        }
    }

    /// Stops what was begun for a page that was left.
    pub(super) fn rest_link_scans(&mut self) {
        let route = &self.open.route;
        self.open.scans.link_hosts.cancel_unless(|query| matches!(route, Route::LinkHosts(folder) if folder == query));
        self.open
            .scans
            .cited_pages
            .cancel_unless(|(query, of)| matches!(route, Route::CitedPages(folder, by) if (folder, by) == (query, of)));
    }
}
