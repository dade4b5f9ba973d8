//! The way from a new campaign to a verified export, in steps that tick themselves.

use crate::campaign::contact_in;
use crate::store::Workspace;
use crate::work::models::CampaignId;

/// A step of the way, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStep {
    /// Seeds are there, and a way to contact who crawls them.
    Describe,
    /// Something was crawled or imported.
    Collect,
    /// Inlinks are built.
    BuildInlinks,
    /// A person decided on a capture.
    Review,
    /// A selection is saved.
    Select,
    /// A selection was exported.
    Export,
    /// An export was read back, and all checks passed.
    Verify,
}

impl FirstStep {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Describe, Self::Collect, Self::BuildInlinks, Self::Review, Self::Select, Self::Export, Self::Verify];
}

/// The steps of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstSteps(pub [(FirstStep, bool); 7]);

impl FirstSteps {
    /// How many are done.
    pub fn done(&self) -> u64 {
        self.0.iter().filter(|(_, done)| *done).count() as u64
    }

    /// Whether the way is gone to its end: nothing shows the steps then.
    pub fn is_finished(&self) -> bool {
        self.next().is_none()
    }

    /// The first step that is not done.
    pub fn next(&self) -> Option<FirstStep> {
        self.0.iter().find(|(_, done)| !done).map(|(step, _)| *step)
    }
}

/// The steps of a campaign, as far as the workspace shows that they were done: the exports of another
/// campaign are no step of this one.
///
/// # Errors
///
/// A catalogue or a campaign that cannot be read.
pub fn first_steps(workspace: &Workspace, id: CampaignId) -> anyhow::Result<FirstSteps> {
    let catalogue = workspace.catalogue();
    let campaign = catalogue.campaign(id)?.1;
    let has_captures = catalogue.has_captures(id)?;
    let is_selected = catalogue.kept_selection(id)?.is_some();
    let mut exports = if is_selected { catalogue.exports_of(id)? } else { Vec::new() };
    exports.retain(|row| row.campaign == Some(id));
    let is_verified =
        exports.iter().any(|row| row.verified.as_ref().is_some_and(|lines| lines.iter().all(|line| line.ok)));
    let is_described = !campaign.seeds.is_empty() && contact_in(&campaign.politeness.user_agent).is_some();
    Ok(FirstSteps(FirstStep::ALL.map(|step| {
        let done = match step {
            // Captures of an archive that was imported need neither.
            FirstStep::Describe => is_described || has_captures,
            FirstStep::Collect => has_captures,
            FirstStep::BuildInlinks => workspace.catalogue().inlink_build().is_ok_and(|build| build.is_some()),
            FirstStep::Review => catalogue.has_decisions(id).unwrap_or_default(),
            FirstStep::Select => is_selected,
            FirstStep::Export => !exports.is_empty(),
            FirstStep::Verify => is_verified,
        };
        (step, done)
    })))
}
