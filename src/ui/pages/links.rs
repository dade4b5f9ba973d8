//! Inlinks of any page, and the anchors of the whole archive.

use crate::app::models::{LinkForm, Loaded};
use crate::app::{Action, AppState, Command, Route};
use crate::ui::panel::{anchors_ui, inlinks_ui};
use crate::ui::pick::FolderExport;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{action_ui, empty_ui, heading_ui, loaded_ui, title_ui};
use crate::ui::words;
use egui::{ComboBox, TextEdit, Ui};

/// Anchors asked for.
const ANCHORS: u64 = 1000;

/// The page Links.
#[derive(Default)]
pub struct LinksPage {
    typed: String,
    shown: String,
    form: LinkForm,
    export: FolderExport,
}

impl LinksPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, target: &str) {
        if self.shown != target {
            self.shown = target.to_owned();
            self.typed = target.to_owned();
        }
        title_ui(ui, "Links", "An inlink is a link seen from its target");
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Inlinks of");
            let response = ui
                .add(
                    TextEdit::singleline(&mut self.typed)
                        .hint_text("URL or page key, captured or not")
                        .desired_width(theme::LONG_FIELD),
                )
                .labelled_by(label.id);
            let entered = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if ui.button("Show inlinks").clicked() || entered {
                app.send(Command::Go(Route::Links { target: self.typed.trim().to_owned() }));
            }
            if !target.is_empty() && ui.button("All anchors").clicked() {
                app.send(Command::Go(Route::Links { target: String::new() }));
            }
            action_ui(ui, app, Action::BuildInlinks);
        });
        ui.add_space(GAP);
        if target.trim().is_empty() {
            self.export_ui(ui, app);
            ui.add_space(GAP);
            top_anchors_ui(ui, app);
        } else {
            heading_ui(ui, &words::short(target, 160));
            let answer = app.reads.inlinks_of(target.trim().to_owned(), app.settings.window_days);
            loaded_ui(ui, &answer, |ui, page| inlinks_ui(ui, app, page));
        }
    }

    /// All links of the archive, for other programs.
    fn export_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("All links as").id;
            let forms = ComboBox::from_id_salt("link form").selected_text(self.form.words());
            let forms = forms.show_ui(ui, |ui| {
                for (form, words) in LinkForm::ALL {
                    ui.selectable_value(&mut self.form, form, words);
                }
            });
            forms.response.labelled_by(label);
            if let Some(folder) = self.export.ui(ui, app, "in the folder", "links", "Write links") {
                app.send(Command::ExportLinks { form: self.form, folder });
            }
        });
    }
}

fn top_anchors_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.top_anchors(ANCHORS);
    if let Loaded::Ready(rows) = &answer
        && rows.is_empty()
    {
        empty_ui(
            ui,
            "No anchors are known yet",
            "Build the inlinks to see with which words captured pages link to each other",
        );
        return;
    }
    heading_ui(ui, "Anchors of the whole archive, most linking hosts first");
    loaded_ui(ui, &answer, |ui, rows| anchors_ui(ui, rows, None));
}
