//! Pages of the window, one in a file: each is a struct with its own state and one `ui`.

mod campaigns;
mod captures;
mod captures_table;
mod crawl;
mod entities;
mod entity_trends;
mod files;
mod help;
mod jobs;
mod launch_changes;
mod link_hosts;
mod links;
mod overview;
mod prospect;
mod review;
mod review_reasons;
mod search;
mod select;
mod settings;
mod site_kinds;
mod spec;

pub use campaigns::CampaignsPage;
pub use captures::CapturesPage;
pub(super) use captures_table::{CaptureAction, menu_ui};
pub use crawl::CrawlView;
pub use entities::EntitiesView;
pub use files::FilesPage;
pub(super) use files::{import_of, name_of, problems_of, show_captures_of, state_ui};
pub use help::HelpPage;
pub use jobs::JobsPage;
pub use link_hosts::LinkHostsPage;
pub(super) use link_hosts::cited_pages_ui;
pub use links::LinksPage;
pub(super) use overview::OverviewPage;
pub use prospect::ProspectView;
pub use review::ReviewPage;
pub use search::SearchPage;
pub use select::SelectPage;
pub(super) use select::hosts::selected_hosts_ui;
pub use settings::SettingsPage;
pub use spec::SpecPage;
pub use spec::scope_lists::ScopeLists;

use super::widgets::{action_ui, empty_ui};
use crate::app::{Action, AppState, page_name};
use crate::ui::header::Header;
use egui::Ui;

/// Draws the message of every page but Campaigns while no workspace is open.
pub fn no_workspace_ui(ui: &mut Ui, app: &mut AppState) {
    Header::<()>::new(page_name(app.route().page())).ui(ui, app);
    empty_ui(ui, "No workspace open", "Open a workspace, or start with the sample campaign, which works offline");
    ui.horizontal(|ui| {
        action_ui(ui, app, Action::OpenWorkspace);
        action_ui(ui, app, Action::LoadSample);
    });
}
