//! All links of a workspace, or of a folder that others filled, as the window asks.

use super::desk::DeskResult;
use super::models::{CitedBy, CitedPages, HostTable, InlinkPage, LinkSet};
use super::work;
use super::workspace_desk::WorkspaceDesk;
use crate::jobs::JobCx;
use std::path::Path;

/// The part of a desk that knows links as a whole. A folder is one of stored
/// links; none stands for what was captured into the workspace. Every call may
/// block and is made on a worker thread.
pub trait LinkDesk {
    /// What a folder holds; without one, that into which links were loaded
    /// here. None where nothing was.
    fn link_set(&self, folder: Option<&Path>) -> DeskResult<Option<LinkSet>>;
    /// Inlinks of a page, of all times.
    fn inlinks_in(&self, folder: &Path, page: &str) -> DeskResult<InlinkPage>;
    /// Hosts with what links to them; none while inlinks are not built.
    fn link_hosts(&self, folder: Option<&Path>, cx: &JobCx) -> DeskResult<Option<HostTable>>;
    /// Pages that are linked to; none while inlinks are not built.
    fn cited_pages(&self, folder: Option<&Path>, by: &CitedBy, cx: &JobCx) -> DeskResult<Option<CitedPages>>;
}

impl LinkDesk for WorkspaceDesk {
    fn link_set(&self, folder: Option<&Path>) -> DeskResult<Option<LinkSet>> {
        work::link_set(&self.workspace, folder)
    }

    fn inlinks_in(&self, folder: &Path, page: &str) -> DeskResult<InlinkPage> {
        work::inlinks_in(folder, page)
    }

    fn link_hosts(&self, folder: Option<&Path>, cx: &JobCx) -> DeskResult<Option<HostTable>> {
        work::link_hosts(&self.workspace, folder, cx)
    }

    fn cited_pages(&self, folder: Option<&Path>, by: &CitedBy, cx: &JobCx) -> DeskResult<Option<CitedPages>> {
        work::cited_pages(&self.workspace, folder, by, cx)
    }
}
