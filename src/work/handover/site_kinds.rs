//! The kinds of site that captures of an export are of.

use crate::search::CaptureFacts;
use crate::store::Workspace;
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::CaptureId;
use fixedbitset::FixedBitSet;

/// The captures of each kind of site, as the index has them.
#[derive(Default)]
pub(in crate::work) struct SiteKindsOf(Vec<(String, FixedBitSet)>);

impl SiteKindsOf {
    /// Reads them; empty where nothing is indexed.
    ///
    /// # Errors
    ///
    /// A catalogue or an index that cannot be read.
    pub(super) fn new(workspace: &Workspace) -> anyhow::Result<Self> {
        let texts = PageTexts::open(workspace)?;
        let Some(index) = texts.index() else { return Ok(Self::default()) };
        let kinds = index.site_kinds()?;
        if kinds.is_empty() {
            return Ok(Self::default());
        }
        let mut facts = CaptureFacts::default();
        workspace.catalogue().fill_facts(&mut facts)?;
        Ok(Self(kinds.into_iter().map(|(name, versions)| (name, facts.captures_of(&versions))).collect()))
    }

    /// Those of a capture, by name.
    pub(super) fn of(&self, capture: CaptureId) -> Vec<String> {
        let at = usize::try_from(capture.get()).unwrap_or(usize::MAX);
        self.0.iter().filter(|(_, captures)| captures.contains(at)).map(|(name, _)| name.clone()).collect()
    }

    /// How many of these captures are of each kind, the most frequent first.
    pub(super) fn counts(&self, captures: &[CaptureId]) -> Vec<(String, u64)> {
        let at = |capture: &CaptureId| usize::try_from(capture.get()).unwrap_or(usize::MAX);
        let count = |of: &FixedBitSet| captures.iter().filter(|capture| of.contains(at(capture))).count() as u64;
        let mut counts: Vec<(String, u64)> = self.0.iter().map(|(name, of)| (name.clone(), count(of))).collect();
        counts.retain(|(_, count)| *count > 0);
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}
