//! Inlinks of any page, and the anchors of the whole archive; or those of a
//! data set that was loaded.

use crate::app::models::{CitedBy, LinkForm, LinkSet, Loaded};
use crate::app::{Action, AppState, Command, JobKind, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::panel::{anchors_ui, inlinks_ui};
use crate::ui::pick::{FolderExport, PathField, Sort};
use crate::ui::text;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{empty_ui, heading_ui, loaded_ui};
use egui::{Button, ComboBox, TextEdit, Ui};
use std::path::PathBuf;

/// Most anchors that are read.
const ANCHORS: u64 = 1000;

/// The page Links.
#[derive(Default)]
pub struct LinksPage {
    typed: String,
    shown: String,
    form: LinkForm,
    export: FolderExport,
    data_set: PathField,
}

impl LinksPage {
    /// Draws the page: links of the workspace, or of a folder.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>, target: &str) {
        if self.shown != target {
            self.shown = target.to_owned();
            self.typed = target.to_owned();
        }
        let inlinks_of = |target: &str| Command::Go(Route::inlinks(folder.cloned(), target.to_owned()));
        self.header_ui(ui, app, folder);
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
                app.send(inlinks_of(self.typed.trim()));
            }
            let all = if folder.is_some() { "Data set" } else { "All anchors" };
            if !target.is_empty() && ui.button(all).clicked() {
                app.send(inlinks_of(""));
            }
        });
        self.data_set_ui(ui, app, folder);
        ui.add_space(GAP);
        let target = target.trim();
        match folder {
            _ if !target.is_empty() => {
                heading_ui(ui, &text::short(target, 160));
                let answer = match folder {
                    None => app.reads.inlinks_of(target.to_owned(), app.settings.window_days),
                    Some(folder) => app.reads.inlinks_in(folder.clone(), target.to_owned()),
                };
                loaded_ui(ui, &answer, |ui, page| inlinks_ui(ui, app, page, &mut None));
            }
            Some(folder) => {
                let answer = app.reads.link_set(Some(folder.clone())).only_own();
                loaded_ui(ui, &answer, |ui, set| link_set_ui(ui, set.as_ref()));
            }
            None => {
                self.export_ui(ui, app);
                ui.add_space(GAP);
                top_anchors_ui(ui, app);
            }
        }
    }

    fn header_ui(&self, ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>) {
        let hosts = HeaderButton::send("Hosts", Command::Go(Route::LinkHosts(folder.cloned())));
        let cited = HeaderButton::send("Cited pages", Command::Go(Route::CitedPages(folder.cloned(), CitedBy::All)));
        let header = Header::<()>::new("Links")
            .detail("An inlink is a link seen from its target")
            .plain(hosts.hint("Hosts by PageRank, with what links to them"))
            .plain(cited.hint("Pages linked from the most other hosts"))
            .primary(HeaderButton::action(Action::BuildInlinks));
        with_window(header, app).ui(ui, app);
    }

    /// Whose links are shown: those of this workspace, of what was loaded into it, or of any folder.
    fn data_set_ui(&mut self, ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>) {
        let loaded = app.reads.link_set(None).only_own();
        let loaded = loaded.shown().and_then(|set| set.as_ref().as_ref()).map(|set| set.folder.clone());
        ui.horizontal_wrapped(|ui| {
            ui.label("Links of");
            let mut offer = |of: Option<&PathBuf>, label: &str| {
                if ui.selectable_label(folder == of, label).clicked() {
                    app.send(Command::Go(Route::inlinks(of.cloned(), String::new())));
                }
            };
            offer(None, "this workspace");
            if let Some(loaded) = &loaded {
                offer(Some(loaded), "its loaded data set");
            }
            if let Some(other) = folder.filter(|folder| loaded.as_ref() != Some(folder)) {
                offer(Some(other), &text::line(&other.display().to_string()));
            }
        });
        ui.horizontal_wrapped(|ui| {
            let hint = "a folder made by “fonds inlinks load”";
            self.data_set.ui(ui, "Link data set", hint, Sort::Folder);
            let path = self.data_set.path();
            let open = ui.add_enabled(path.is_some(), Button::new("Open link data set"));
            let is_clicked = open.on_disabled_hover_text("Enter a folder first").clicked();
            if let Some(path) = path.filter(|_| is_clicked) {
                app.send(Command::Go(Route::inlinks(Some(path), String::new())));
            }
        });
    }

    /// Draws the export of all links of the archive, for other programs.
    fn export_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Export all links as").id;
            let forms = ComboBox::from_id_salt("link form").selected_text(self.form.label());
            let forms = forms.show_ui(ui, |ui| {
                for (form, label) in LinkForm::ALL {
                    ui.selectable_value(&mut self.form, form, label);
                }
            });
            forms.response.labelled_by(label);
            if let Some(folder) = self.export.ui(ui, app, "to folder", "links", "Write links") {
                app.send(Command::ExportLinks { form: self.form, folder });
            }
        });
    }
}

/// Adds the window of inlinks to a header: how to set it, and, where the columns of tables count another
/// one, a note and the way to count them again.
pub(super) fn with_window<K>(header: Header<K>, app: &mut AppState) -> Header<K> {
    let window_days = app.settings.window_days;
    let set = format!("Inlink window ± {}…", text::counted(u64::from(window_days), "day"));
    let header = header.more(HeaderButton::named(Action::SetWindow, set));
    let info = app.reads.workspace();
    let counted = info.shown().and_then(|info| info.counted_window_days).filter(|counted| *counted != window_days);
    let Some(counted) = counted else { return header };
    let why_not = app.runs(JobKind::SetWindow).then_some("The inlink columns are being recounted");
    let recount = HeaderButton::send("Recount the inlink columns", Command::SetWindow(window_days));
    header
        .flag(format!("columns: ± {}", text::counted(u64::from(counted), "day")))
        .more(recount.hint("With the window that links are counted in").writes().off(why_not))
}

/// Draws the summary of a data set.
fn link_set_ui(ui: &mut Ui, set: Option<&LinkSet>) {
    let Some(set) = set else { return };
    heading_ui(ui, &text::line(&set.folder.display().to_string()));
    ui.horizontal_wrapped(|ui| {
        ui.label(text::counted(set.links, "link"));
        ui.label(text::counted(set.pages, "linked or captured page"));
        ui.label(text::counted(set.captures, "capture"));
        ui.weak(text::bytes(set.bytes));
    });
    ui.weak("Browse with “Hosts” and “Cited pages” above, or enter a page to see its inlinks");
}

fn top_anchors_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.top_anchors(ANCHORS);
    if let Loaded::Ready(rows) = &answer
        && rows.is_empty()
    {
        empty_ui(ui, "No anchors yet", "Build inlinks to see the anchor texts between captured pages");
        return;
    }
    heading_ui(ui, "Anchors of the whole archive, most linking hosts first");
    loaded_ui(ui, &answer, |ui, rows| {
        if let Some(text) = anchors_ui(ui, app, rows, "Show pages that other sites link to with this anchor text") {
            app.send(Command::Go(Route::CitedPages(None, CitedBy::Anchor(text))));
        }
    });
}
