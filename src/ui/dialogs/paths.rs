//! Dialogs for a folder or a file: to open, to import, to search in, and where a new
//! campaign is kept.

use super::Dialogs;
use super::answers::Answer;
use super::campaigns::import_campaign_ui;
use crate::app::models::FileId;
use crate::app::{AppState, CampaignPlace, Command};
use crate::ui::pick::{Picked, Sort, pick};
use crate::ui::recent::recent_ui;
use crate::ui::text;
use crate::ui::theme::GAP;
use crate::ui::widgets::heading_ui;
use egui::{Button, Ui};

const NO_PATH: &str = "Enter a folder or file first";

impl Dialogs {
    pub(super) fn open_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Open a workspace or archive files");
        ui.label("A workspace is a folder with the catalogue, archive files and exports");
        ui.label("Archive files and job folders of crawlers are imported into the open workspace, or into a new one");
        ui.add_space(GAP);
        let field = self.open_path.line_ui(ui, "Folder or file", "", Sort::Any);
        self.keys.first_field(ui, &field);
        self.options_ui(ui, app);
        ui.add_space(GAP);
        let path = self.open_path.path();
        let open = Answer::new("Open")
            .hint("A workspace, a job folder of a crawler, or WARC, ARC and WACZ files, which are imported");
        let answers = vec![
            open.only_if(path.is_some(), NO_PATH),
            Answer::new("Create a workspace here").hint("A new or empty folder").only_if(path.is_some(), NO_PATH),
            Answer::new("Cancel"),
        ];
        let chosen = match (self.keys.answers_ui(ui, 0, answers), path) {
            (Some(0), Some(path)) => Some(Command::Open { path, options: self.options }),
            (Some(1), Some(path)) => Some(Command::NewWorkspace(path)),
            (Some(_), _) => Some(Command::CloseDialog),
            (None, _) => recent_ui(ui, app).map(Command::OpenWorkspace),
        };
        close_with(app, chosen);
    }

    pub(super) fn import_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "Import archive files");
        ui.label("WARC, ARC and WACZ files, folders of them, or the job folder of a crawler; your files are never changed or moved");
        if app.session().is_none() {
            ui.label("No workspace is open: a new one is made for them");
        }
        ui.add_space(GAP);
        self.take_files(app);
        let field = self.import_path.line_ui(ui, "Folder or file", "/path/to/crawl.warc.gz", Sort::Any);
        self.keys.first_field(ui, &field);
        self.options_ui(ui, app);
        ui.add_space(GAP);
        let path = self.import_path.path();
        let answers = vec![Answer::new("Import").writes().only_if(path.is_some(), NO_PATH), Answer::new("Cancel")];
        let has_workspace = app.session().is_some();
        let files = &mut self.picked_files;
        let pressed = self.keys.answers_with_ui(ui, 0, answers, |ui| {
            let several = ui.add_enabled(has_workspace, Button::new("Several files…"));
            let several = several.on_hover_text("Starts the import immediately");
            if several.on_disabled_hover_text("Open or create a workspace first").clicked() {
                *files = Some(pick(|| rfd::FileDialog::new().pick_files()));
            }
        });
        let chosen = match (pressed, path) {
            (Some(0), Some(path)) if has_workspace => {
                Some(Command::Import { paths: vec![path], options: self.options })
            }
            (Some(0), Some(path)) => Some(Command::Open { path, options: self.options }),
            (Some(_), _) => Some(Command::CloseDialog),
            (None, _) => None,
        };
        close_with(app, chosen);
    }

    /// Draws the options of an import.
    fn options_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        ui.checkbox(
            &mut self.options.copy,
            "Copy imported files into the workspace; otherwise they stay where they are",
        );
        ui.checkbox(
            &mut self.options.follow_links,
            "Follow links that lead out of an imported folder; otherwise they are listed",
        )
        .on_hover_text("A folder of somebody else may hold links to any place of this computer");
        import_campaign_ui(ui, app, &mut self.options.campaign);
    }

    /// Takes in the files that the desktop's dialog answered.
    fn take_files(&mut self, app: &mut AppState) {
        let Some(promise) = self.picked_files.take() else { return };
        match promise.try_take() {
            Ok(Picked::Path(paths)) => {
                close_with(app, Some(Command::Import { paths, options: self.options }));
            }
            Ok(Picked::Cancelled) => {}
            Ok(Picked::NoDialog) => self.import_path.note_no_picker(),
            Err(promise) => self.picked_files = Some(promise),
        }
    }

    pub(super) fn locate_ui(&mut self, ui: &mut Ui, app: &mut AppState, file: Option<FileId>) {
        heading_ui(ui, if file.is_some() { "Locate this file" } else { "Locate missing files" });
        ui.label("Finds missing or changed files by size and digest, even if renamed; they are read from their new place, not moved");
        ui.add_space(GAP);
        let field = self.locate_path.line_ui(ui, "Folder to search", "/path/to/folder", Sort::Folder);
        self.keys.first_field(ui, &field);
        ui.add_space(GAP);
        let folder = self.locate_path.path();
        let search = Answer::new("Search this folder").writes().only_if(folder.is_some(), "Enter a folder first");
        let chosen = match (self.keys.answers_ui(ui, 0, vec![search, Answer::new("Cancel")]), folder) {
            (Some(0), Some(folder)) => Some(Command::Locate { folder, file }),
            (Some(_), _) => Some(Command::CloseDialog),
            (None, _) => None,
        };
        close_with(app, chosen);
    }

    /// Draws the choice of a workspace for a new campaign, where there are several.
    pub(super) fn new_campaign_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        heading_ui(ui, "In which workspace is the new campaign kept?");
        ui.label("A workspace holds any number of campaigns, with the captures that they share");
        ui.add_space(GAP);
        let places = app.campaign_places();
        self.place = self.place.min(places.len().saturating_sub(1));
        for (number, place) in places.iter().enumerate() {
            let label = match place {
                CampaignPlace::Open => "The sample workspace that is open".to_owned(),
                CampaignPlace::Workspace(folder) => text::line(&folder.display().to_string()),
                CampaignPlace::New(folder) => format!("A new workspace, {}", text::line(&folder.display().to_string())),
            };
            ui.radio_value(&mut self.place, number, label);
        }
        ui.add_space(GAP);
        let answers = vec![Answer::new("Begin campaign"), Answer::new("Cancel")];
        let chosen = match self.keys.answers_ui(ui, 0, answers) {
            Some(0) => places.into_iter().nth(self.place).map(Command::BeginCampaign),
            Some(_) => Some(Command::CloseDialog),
            None => None,
        };
        close_with(app, chosen);
    }
}

/// Closes the dialog, then does this: a question that it leads to must stay.
pub(super) fn close_with(app: &mut AppState, command: Option<Command>) {
    if let Some(command) = command {
        app.send(Command::CloseDialog);
        if command != Command::CloseDialog {
            app.send(command);
        }
    }
}
