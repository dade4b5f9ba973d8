//! Workspaces that were opened lately.

use super::text;
use super::theme::{GAP, tokens};
use super::widgets::heading_ui;
use crate::app::AppState;
use egui::{RichText, Ui};
use std::path::PathBuf;

/// Lists them, the last one first; gives out the one that was clicked. Those
/// that are gone are greyed.
pub(super) fn recent_ui(ui: &mut Ui, app: &AppState) -> Option<PathBuf> {
    let open = app.session().and(app.settings.last_workspace.as_ref());
    let mut chosen = None;
    let mut is_first = true;
    for recent in app.recent().iter().filter(|recent| Some(&recent.folder) != open) {
        if std::mem::take(&mut is_first) {
            ui.add_space(GAP);
            heading_ui(ui, "Recent workspaces");
        }
        let path = text::line(&recent.folder.display().to_string());
        if recent.exists == Some(false) {
            let text = RichText::new(format!("{path} (missing)")).color(tokens(ui).weak_text);
            ui.label(text)
                .on_hover_text("No workspace is there now: it was moved or deleted, or its disk is not mounted");
        } else if ui.link(path).on_hover_text("Open this workspace").clicked() {
            chosen = Some(recent.folder.clone());
        }
    }
    chosen
}
