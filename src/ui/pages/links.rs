//! Inlinks of any page, and the anchors of the whole archive; or those of a
//! data set that was loaded.

use crate::app::models::{CitedBy, LinkForm, LinkSet, Loaded};
use crate::app::{Action, AppState, Command, JobKind, Route};
use crate::ui::header::{Header, HeaderButton};
use crate::ui::panel::{anchors_ui, inlinks_ui};
use crate::ui::pick::{FolderExport, PathField, Sort};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{drop_ui, empty_ui, fold_ui, heading_ui, loaded_ui, tab_ui, tabs_ui};
use egui::{Align, Button, ComboBox, Id, Layout, RichText, TextEdit, Ui};
use std::path::PathBuf;

/// Most anchors that are read.
const ANCHORS: u64 = 1000;

/// A part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTab {
    Inlinks,
    /// All anchors; of a folder, what it holds.
    Anchors,
    Sites,
    Cited,
}

/// The page Links.
#[derive(Default)]
pub struct LinksPage {
    typed: String,
    shown: String,
    /// The page that was requested last.
    last: String,
    /// The list of inlinks is shown before a page is named.
    shows_inlinks: bool,
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
            self.shows_inlinks = false;
        }
        if !target.trim().is_empty() {
            self.last = target.to_owned();
        }
        if ui.data_mut(|data| data.remove_temp::<bool>(inlinks_tab_id())).is_some() {
            match self.last.is_empty() {
                true => self.shows_inlinks = true,
                false if target.is_empty() => {
                    app.send(Command::Go(Route::inlinks(folder.cloned(), self.last.clone())));
                }
                false => {}
            }
        }
        header_ui(ui, app);
        self.requested_ui(ui, app, folder);
        let target = target.trim();
        let tab = if target.is_empty() && !self.shows_inlinks { LinkTab::Anchors } else { LinkTab::Inlinks };
        if link_tabs_ui(ui, app, folder, tab) == Some(LinkTab::Anchors) {
            self.shows_inlinks = false;
        }
        match folder {
            _ if !target.is_empty() => {
                heading_ui(ui, &text::short(target, 160));
                let answer = match folder {
                    None => app.reads.inlinks_of(target.to_owned(), app.settings.window_days),
                    Some(folder) => app.reads.inlinks_in(folder.clone(), target.to_owned()),
                };
                loaded_ui(ui, &answer, |ui, page| inlinks_ui(ui, app, page, &mut None));
            }
            _ if self.shows_inlinks => {
                empty_ui(ui, "No page named yet", "Enter a URL above, or choose a page of Sites or Cited pages");
            }
            Some(folder) => {
                let answer = app.reads.link_set(Some(folder.clone())).only_own();
                loaded_ui(ui, &answer, |ui, set| link_set_ui(ui, set.as_ref()));
            }
            None => {
                if fold_ui(ui, "export of links", "Export all links", "GEXF, GraphML, CSV, data set, Nutch") {
                    self.export_ui(ui, app);
                }
                top_anchors_ui(ui, app);
            }
        }
    }

    /// Draws the field of the page whose inlinks are shown, and whose links they are.
    fn requested_ui(&mut self, ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>) {
        let inlinks_of = |target: &str| Command::Go(Route::inlinks(folder.cloned(), target.to_owned()));
        let mut opens_other = false;
        ui.horizontal(|ui| {
            let label = ui.label("Inlinks of");
            let width =
                (ui.available_width() - theme::FIELD - theme::SIDE_LIST).clamp(theme::DATE_FIELD, theme::LONG_FIELD);
            let field = TextEdit::singleline(&mut self.typed).hint_text("URL, page key or site").desired_width(width);
            let response = ui.add(field).labelled_by(label.id);
            let entered = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if ui.button("Show inlinks").clicked() || entered {
                app.send(inlinks_of(self.typed.trim()));
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                opens_other = data_set_ui(ui, app, folder);
            });
        });
        const OTHER: &str = "another link data set";
        if opens_other {
            ui.data_mut(|data| data.insert_temp(Id::unique(OTHER), true));
        }
        if ui.data(|data| data.get_temp::<bool>(Id::unique(OTHER))) != Some(true) {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            self.data_set.ui(ui, "Link data set", "a folder made by “fonds inlinks load”", Sort::Folder);
            let path = self.data_set.path();
            let open = ui.add_enabled(path.is_some(), Button::new("Open link data set"));
            let is_clicked = open.on_disabled_hover_text("Enter a folder first").clicked();
            if let Some(path) = path.filter(|_| is_clicked) {
                app.send(Command::Go(Route::inlinks(Some(path), String::new())));
            }
            if ui.button("Cancel").clicked() {
                ui.data_mut(|data| data.insert_temp(Id::unique(OTHER), false));
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

/// Draws the header; building inlinks is the next step only where the built ones are not those of all captures.
fn header_ui(ui: &mut Ui, app: &mut AppState) {
    let behind = app.reads.inlinks_behind();
    let behind = behind.shown().and_then(|why| why.as_ref().as_ref()).map(|why| text::capital(why));
    let header = Header::<()>::new("Links");
    let build = HeaderButton::action(Action::BuildInlinks);
    let header = match behind {
        Some(why) => header.flag(why).primary(build),
        None => header.detail("Inlinks of all captures are built").more(build),
    };
    with_window(header, app).ui(ui, app);
}

fn inlinks_tab_id() -> Id {
    Id::unique("the list of inlinks is to be shown")
}

/// Draws the tabs of all parts of the page, and goes to what is clicked: which that was.
pub(super) fn link_tabs_ui(
    ui: &mut Ui,
    app: &mut AppState,
    folder: Option<&PathBuf>,
    shown: LinkTab,
) -> Option<LinkTab> {
    let first = if folder.is_some() { "Data set" } else { "Anchors" };
    let tabs = [
        (LinkTab::Inlinks, "Inlinks"),
        (LinkTab::Anchors, first),
        (LinkTab::Sites, "Sites"),
        (LinkTab::Cited, "Cited pages"),
    ];
    let clicked = tabs_ui(ui, "Parts of Links", |ui| {
        tabs.into_iter().filter(|(tab, label)| tab_ui(ui, *tab == shown, label).clicked()).map(|(tab, _)| tab).last()
    });
    ui.add_space(GAP / 2.0);
    let clicked = clicked.inner?;
    let start = Route::inlinks(folder.cloned(), String::new());
    let route = match clicked {
        LinkTab::Inlinks => {
            ui.data_mut(|data| data.insert_temp(inlinks_tab_id(), true));
            // What is listed already stays.
            if shown == LinkTab::Inlinks || app.route() == &start {
                return Some(clicked);
            }
            start
        }
        LinkTab::Anchors => start,
        LinkTab::Sites => Route::LinkHosts(folder.cloned()),
        LinkTab::Cited => Route::CitedPages(folder.cloned(), CitedBy::All),
    };
    app.send(Command::Go(route));
    Some(clicked)
}

/// Draws the choice whose links are shown: those of this workspace, of what was loaded into it, or of any folder.
/// Whether another folder is to be named.
fn data_set_ui(ui: &mut Ui, app: &mut AppState, folder: Option<&PathBuf>) -> bool {
    const OWN: &str = "this workspace";
    const LOADED: &str = "its loaded data set";
    let loaded = app.reads.link_set(None).only_own();
    let loaded = loaded.shown().and_then(|set| set.as_ref().as_ref()).map(|set| set.folder.clone());
    let other = folder.filter(|folder| loaded.as_ref() != Some(folder));
    let shown = match (folder, other) {
        (None, _) => OWN.to_owned(),
        (Some(_), None) => LOADED.to_owned(),
        (Some(_), Some(other)) => text::line(&other.display().to_string()),
    };
    let chosen = drop_ui(ui, "data set of links", "Links of", &shown, theme::FIELD, |ui| {
        let mut chosen = None;
        if ui.selectable_label(folder.is_none(), OWN).clicked() {
            chosen = Some(Some(Route::inlinks(None, String::new())));
        }
        if let Some(loaded) = &loaded
            && ui.selectable_label(folder == Some(loaded), LOADED).clicked()
        {
            chosen = Some(Some(Route::inlinks(Some(loaded.clone()), String::new())));
        }
        if let Some(other) = other {
            drop(ui.selectable_label(true, text::line(&other.display().to_string())));
        }
        if ui.selectable_label(false, "another folder…").clicked() {
            chosen = Some(None);
        }
        chosen
    });
    ui.label(RichText::new("Links of").size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
    match chosen.flatten() {
        Some(Some(route)) => {
            app.send(Command::Go(route));
            false
        }
        Some(None) => true,
        None => false,
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
    ui.weak("Browse with “Sites” and “Cited pages” above, or enter a page to see its inlinks");
}

fn top_anchors_ui(ui: &mut Ui, app: &mut AppState) {
    let answer = app.reads.top_anchors(ANCHORS);
    if let Loaded::Ready(rows) = &answer
        && rows.is_empty()
    {
        empty_ui(ui, "No anchors yet", "Build inlinks to see the anchor texts between captured pages");
        return;
    }
    loaded_ui(ui, &answer, |ui, rows| {
        let about = "Anchors of the whole archive, most linking hosts first";
        ui.label(RichText::new(about).size(theme::SMALL_TEXT).color(tokens(ui).weak_text));
        if let Some(text) = anchors_ui(ui, app, rows, "Show pages that other sites link to with this anchor text") {
            app.send(Command::Go(Route::CitedPages(None, CitedBy::Anchor(text))));
        }
    });
}
