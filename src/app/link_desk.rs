//! All links of a workspace, or of a folder that others filled, as the window asks.

use super::models::{CitedBy, CitedPages, HostTable, InlinkPage, LinkSet};
use crate::jobs::JobCx;
use crate::work::Session;
use std::path::Path;

/// The part of a desk that knows links as a whole. A folder is one of stored
/// links; none stands for what was captured into the workspace. Every call may
/// block and is made on a worker thread.
pub trait LinkDesk {
    /// What a folder holds; without one, that into which links were loaded
    /// here. None where nothing was.
    fn link_set(&self, folder: Option<&Path>) -> anyhow::Result<Option<LinkSet>>;
    /// Inlinks of a page, of all times.
    fn inlinks_in(&self, folder: &Path, page: &str) -> anyhow::Result<InlinkPage>;
    /// Hosts with what links to them; none while inlinks are not built.
    fn link_hosts(&self, folder: Option<&Path>, cx: &JobCx) -> anyhow::Result<Option<HostTable>>;
    /// Pages that are linked to; none while inlinks are not built.
    fn cited_pages(&self, folder: Option<&Path>, by: &CitedBy, cx: &JobCx) -> anyhow::Result<Option<CitedPages>>;
}

impl LinkDesk for Session {
    fn link_set(&self, folder: Option<&Path>) -> anyhow::Result<Option<LinkSet>> {
        Session::link_set(self, folder)
    }

    fn inlinks_in(&self, folder: &Path, page: &str) -> anyhow::Result<InlinkPage> {
        Session::inlinks_in(self, folder, page)
    }

    fn link_hosts(&self, folder: Option<&Path>, cx: &JobCx) -> anyhow::Result<Option<HostTable>> {
        Session::link_hosts(self, folder, cx)
    }

    fn cited_pages(&self, folder: Option<&Path>, by: &CitedBy, cx: &JobCx) -> anyhow::Result<Option<CitedPages>> {
        Session::cited_pages(self, folder, by, cx)
    }
}
