//! Paths, typed or chosen in the desktop's file dialog.

use super::theme::{self, tokens};
use crate::app::AppState;
use egui::{Button, Response, TextEdit, Ui};
use poll_promise::Promise;
use std::path::PathBuf;

/// The answer of the desktop's file dialog.
pub(super) enum Picked<T> {
    /// A person chose this.
    Path(T),
    /// A person chose nothing.
    Cancelled,
    /// This desktop has no file dialog.
    NoDialog,
}

/// Opens the desktop's file dialog on a thread of its own.
pub(super) fn pick<T: Send + 'static>(dialog: impl FnOnce() -> Option<T> + Send + 'static) -> Promise<Picked<T>> {
    Promise::spawn_thread("pick a path", move || {
        if !has_file_dialog() {
            return Picked::NoDialog;
        }
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(dialog)) {
            Ok(Some(path)) => Picked::Path(path),
            Ok(None) => Picked::Cancelled,
            Err(_) => Picked::NoDialog,
        }
    })
}

/// Draws the message that the desktop has no file dialog, with the next step.
pub(super) fn no_picker_ui(ui: &mut Ui) {
    let text = "This desktop has no file dialog (neither a desktop portal nor zenity). Type the path into the field";
    ui.colored_label(tokens(ui).flag, format!("⚠ {text}"));
}

/// Whether a file dialog can open here: one of a desktop portal, or zenity.
#[cfg(target_os = "linux")]
fn has_file_dialog() -> bool {
    let list = |name: &str, default: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty()).unwrap_or_else(|| default.into());
        std::env::split_paths(&value).collect::<Vec<_>>()
    };
    let has_zenity = list("PATH", "").iter().any(|folder| folder.join("zenity").is_file());
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty())
        || std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
    let offers_files = |file: std::fs::DirEntry| {
        std::fs::read_to_string(file.path()).is_ok_and(|portal| portal.contains("portal.FileChooser"))
    };
    let has_portal = || {
        list("XDG_DATA_DIRS", "/usr/local/share:/usr/share").iter().any(|folder| {
            let portals = std::fs::read_dir(folder.join("xdg-desktop-portal/portals"));
            portals.is_ok_and(|files| files.flatten().any(offers_files))
        })
    };
    has_zenity || (has_bus && has_portal())
}

/// Other systems have one.
#[cfg(not(target_os = "linux"))]
fn has_file_dialog() -> bool {
    true
}

/// The kind of a path that a dialog offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A country database.
    GeoDatabase,
    /// A folder.
    Folder,
    /// A folder or a file.
    Any,
}

/// A field for a path, with a button that opens the desktop's file dialog.
#[derive(Default)]
pub(super) struct PathField {
    /// The path as typed.
    pub text: String,
    picked: Option<Promise<Picked<PathBuf>>>,
    has_no_picker: bool,
}

impl PathField {
    /// Draws label, field and button.
    pub(super) fn ui(&mut self, ui: &mut Ui, label: &str, hint: &str, sort: Sort) {
        self.field_ui(ui, label, hint);
        self.browse_ui(ui, sort);
    }

    /// Draws label and field.
    pub(super) fn field_ui(&mut self, ui: &mut Ui, label: &str, hint: &str) -> Response {
        self.take_picked();
        let label = ui.label(label);
        let field = TextEdit::singleline(&mut self.text).hint_text(hint.to_owned()).desired_width(theme::LONG_FIELD);
        let field = ui.add(field).labelled_by(label.id);
        if self.has_no_picker {
            no_picker_ui(ui);
        }
        field
    }

    /// Draws the label, and below it the field with the button in one line.
    pub(super) fn line_ui(&mut self, ui: &mut Ui, label: &str, hint: &str, sort: Sort) -> Response {
        self.line_of_ui(ui, label, hint, sort, theme::LONG_FIELD - theme::FIELD / 3.0)
    }

    /// The same with a field of this width.
    pub(super) fn line_of_ui(&mut self, ui: &mut Ui, label: &str, hint: &str, sort: Sort, width: f32) -> Response {
        self.take_picked();
        let label = ui.label(label);
        let line = ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.text).hint_text(hint.to_owned()).desired_width(width);
            let field = ui.add(field).labelled_by(label.id);
            self.browse_ui(ui, sort);
            field
        });
        if self.has_no_picker {
            no_picker_ui(ui);
        }
        line.inner
    }

    /// Draws the button.
    pub(super) fn browse_ui(&mut self, ui: &mut Ui, sort: Sort) {
        const BROWSE: &str = "Browse…";
        if self.picked.is_some() {
            ui.add_enabled(false, Button::new(BROWSE));
            return;
        }
        let folder = || pick(|| rfd::FileDialog::new().pick_folder());
        match sort {
            Sort::Any => {
                ui.menu_button(BROWSE, |ui| {
                    if ui.button("Folder…").clicked() {
                        self.picked = Some(folder());
                    }
                    if ui.button("File…").clicked() {
                        self.picked = Some(pick(|| rfd::FileDialog::new().pick_file()));
                    }
                });
            }
            Sort::Folder | Sort::GeoDatabase => {
                if ui.button(BROWSE).clicked() {
                    self.picked = Some(match sort {
                        Sort::GeoDatabase => {
                            pick(|| rfd::FileDialog::new().add_filter("MaxMind database", &["mmdb"]).pick_file())
                        }
                        Sort::Folder | Sort::Any => folder(),
                    });
                }
            }
        }
    }

    /// Takes in what the desktop's file dialog answered.
    fn take_picked(&mut self) {
        let Some(promise) = self.picked.take() else { return };
        match promise.try_take() {
            Ok(Picked::Path(path)) => self.text = path.display().to_string(),
            Ok(Picked::Cancelled) => {}
            Ok(Picked::NoDialog) => self.has_no_picker = true,
            Err(promise) => self.picked = Some(promise),
        }
    }

    /// Notes that the desktop has no file dialog.
    pub(super) fn note_no_picker(&mut self) {
        self.has_no_picker = true;
    }

    /// The path, if there is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let text = self.text.trim();
        (!text.is_empty()).then(|| PathBuf::from(text))
    }
}

/// A folder, and a button that writes something there.
#[derive(Default)]
pub(super) struct FolderExport {
    folder: PathField,
    /// The workspace that the folder was offered for.
    offered_for: Option<PathBuf>,
}

impl FolderExport {
    /// Offers this folder among the exports of the workspace that is open.
    pub(super) fn offer(&mut self, app: &AppState, first: &str) {
        if let Some(workspace) = &app.settings.last_workspace
            && self.offered_for.as_ref() != Some(workspace)
        {
            // What was typed or is being picked was meant for the one before.
            let text = workspace.join("exports").join(first).display().to_string();
            self.folder = PathField { text, ..PathField::default() };
            self.offered_for = Some(workspace.clone());
        }
    }

    /// The folder.
    pub(super) fn field(&mut self) -> &mut PathField {
        &mut self.folder
    }

    /// Draws both; the folder is at first this one among the exports of
    /// the workspace that is open. Gives it out when the button is clicked.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        app: &AppState,
        label: &str,
        first: &str,
        button: &str,
    ) -> Option<PathBuf> {
        self.offer(app, first);
        self.folder.ui(ui, label, "a folder; created if missing", Sort::Folder);
        let folder = self.folder.path();
        let button = ui.add_enabled(folder.is_some(), Button::new(button));
        let button = button.on_hover_text("File names contain the time; no file is replaced");
        let is_clicked = button.on_disabled_hover_text("Enter a folder first").clicked();
        folder.filter(|_| is_clicked)
    }
}
