//! Paths, typed or chosen in the desktop's file dialog.

use super::theme;
use crate::app::models::ScopeTable;
use crate::app::{AppState, Command};
use egui::{Button, TextEdit, Ui};
use poll_promise::Promise;
use std::path::PathBuf;

/// Asks the desktop for a path on a thread of its own. A desktop without a
/// file dialog answers nothing; the path field is always there.
pub(super) fn pick<T: Send + 'static>(ask: impl FnOnce() -> Option<T> + Send + 'static) -> Promise<Option<T>> {
    Promise::spawn_thread("pick a path", move || {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask)).unwrap_or_default()
    })
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A country database.
    GeoDatabase,
    /// A folder.
    Folder,
}

/// A field for a path, with a button that asks the desktop.
#[derive(Default)]
pub(super) struct PathField {
    /// As typed.
    pub text: String,
    picked: Option<Promise<Option<PathBuf>>>,
}

impl PathField {
    /// Draws label, field and button.
    pub(super) fn ui(&mut self, ui: &mut Ui, label: &str, hint: &str, sort: Sort) {
        if let Some(promise) = self.picked.take() {
            match promise.try_take() {
                Ok(Some(path)) => self.text = path.display().to_string(),
                Ok(None) => {}
                Err(promise) => self.picked = Some(promise),
            }
        }
        let label = ui.label(label);
        ui.add(TextEdit::singleline(&mut self.text).hint_text(hint.to_owned()).desired_width(theme::LONG_FIELD))
            .labelled_by(label.id);
        let waits = self.picked.is_some();
        if ui.add_enabled(!waits, Button::new("Browse…")).clicked() {
            self.picked = Some(match sort {
                Sort::Folder => pick(|| rfd::FileDialog::new().pick_folder()),
                Sort::GeoDatabase => {
                    pick(|| rfd::FileDialog::new().add_filter("MaxMind database", &["mmdb"]).pick_file())
                }
            });
        }
    }

    /// The path, if there is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| PathBuf::from(text))
    }
}

/// A folder, and a button that writes a table there.
#[derive(Default)]
pub(super) struct TableExport {
    folder: PathField,
}

impl TableExport {
    /// Draws both.
    pub(super) fn ui(&mut self, ui: &mut Ui, app: &mut AppState, table: impl FnOnce() -> ScopeTable) {
        if self.folder.text.is_empty()
            && let Some(workspace) = &app.settings.last_workspace
        {
            self.folder.text = workspace.join("exports").join("tables").display().to_string();
        }
        ui.horizontal_wrapped(|ui| {
            self.folder.ui(ui, "Folder for tables", "a folder; made if absent", Sort::Folder);
            let folder = self.folder.path();
            let button = ui.add_enabled(folder.is_some(), Button::new("Export as CSV"));
            let button = button.on_hover_text("Files get the time in their name; none is replaced");
            if button.on_disabled_hover_text("Name a folder first").clicked()
                && let Some(folder) = folder
            {
                app.send(Command::ExportTable { table: table(), folder });
            }
        });
    }
}
