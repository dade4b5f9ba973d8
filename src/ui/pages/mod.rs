//! One file a page; each is a struct with its own state and one `ui`.

mod campaigns;
mod captures;
mod captures_table;
mod crawl;
mod crawl_events;
mod crawl_plots;
mod files;
mod files_imports;
mod files_problems;
mod files_records;
mod help;
mod jobs;
mod link_hosts;
mod links;
mod prospect;
mod review;
mod scope_lists;
mod search;
mod search_evaluate;
mod search_map;
mod search_media;
mod search_saved;
mod search_timeline;
mod select;
mod select_dry_run;
mod select_hosts;
mod select_named;
mod select_score;
mod spec;
mod spec_geo;
mod spec_permissions;
mod spec_request;
mod spec_rules;
mod spec_sample;
mod spec_schedule;
mod spec_seeds;
mod spec_settings;
mod spec_tester;
mod spec_what_if;

pub use campaigns::CampaignsPage;
pub use captures::CapturesPage;
pub(super) use captures_table::{CaptureAction, menu_ui};
pub use crawl::CrawlView;
pub use files::FilesPage;
pub(super) use files::{import_of, problems_of, show_captures_of, state_ui};
pub use help::HelpPage;
pub use jobs::JobsPage;
pub use link_hosts::LinkHostsPage;
pub(super) use link_hosts::cited_pages_ui;
pub use links::LinksPage;
pub use prospect::ProspectView;
pub use review::ReviewPage;
pub use scope_lists::ScopeLists;
pub use search::SearchPage;
pub use select::SelectPage;
pub(super) use select_hosts::selected_hosts_ui;
pub use spec::SpecPage;

use super::widgets::{action_ui, empty_ui};
use crate::app::{Action, AppState};
use egui::Ui;

/// What every page but Campaigns says while no workspace is open.
pub fn no_workspace_ui(ui: &mut Ui, app: &mut AppState) {
    empty_ui(ui, "No workspace open", "Open a workspace, or start with the sample campaign, which works offline");
    ui.horizontal(|ui| {
        action_ui(ui, app, Action::OpenWorkspace);
        action_ui(ui, app, Action::LoadSample);
    });
}
