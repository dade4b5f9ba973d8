//! A campaign's specification, edited and saved as a new version.

pub(super) mod crawl_settings;
pub(super) mod geo;
pub(super) mod order;
pub(super) mod permissions;
pub(super) mod request;
pub(super) mod rules;
pub(super) mod sample;
pub(super) mod schedule;
pub(super) mod scope_lists;
pub(super) mod sections;
pub(super) mod seeds;
pub(super) mod sources;
pub(super) mod tester;
mod versions;
pub(super) mod what_if;

use super::select::captures_by;
use super::spec::geo::GeoTab;
use super::spec::order::order_ui;
use super::spec::permissions::{PermissionsEditor, list_entries};
use super::spec::request::{KnownTerms, RequestEditor};
use super::spec::rules::RulesEditor;
use super::spec::sample::SampleView;
use super::spec::schedule::{next_launches_ui, schedule_ui};
use super::spec::sections::{Section, Sections, marks_of};
use super::spec::seeds::{SeedsEditor, open_redirects};
use super::spec::sources::SourcesEditor;

use super::spec::what_if::what_if_ui;
use crate::app::models::{CampaignId, CampaignPage, Loaded, MovedSeed, campaign_title};
use crate::app::{Action, AppState, CampaignAct, Command, Route, RuleLine, SpecDraft};
use crate::campaign::CampaignProblem;
use crate::ui::header::{Header, HeaderButton};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{FormRow, lead_here, lead_to_field, loaded_ui, notice_ui, stop_leading, write_button_ui};
use egui::{RichText, ScrollArea, TextEdit, Ui};
use std::sync::Arc;

/// Width of the list of sections beside the page.
const LIST: f32 = 132.0;
/// Width of the column with what the edits come to, and what it leaves free of the page.
const SIDE: f32 = 268.0;
/// Narrower pages have the list of sections as tabs.
const ROOM_FOR_LIST: f32 = 840.0;
/// Narrower pages have what the edits come to above the sections.
const ROOM_FOR_SIDE: f32 = 1040.0;

/// The page Spec.
#[derive(Default)]
pub struct SpecPage {
    sections: Sections,
    request: RequestEditor,
    sample: SampleView,
    seeds: SeedsEditor,
    sources: SourcesEditor,
    rules: RulesEditor,
    geo: GeoTab,
    permissions: PermissionsEditor,
    tags: Option<String>,
    checked: Option<Checked>,
}

/// The problems of a draft, searched once an edit and not once a frame.
struct Checked {
    revision: u64,
    /// The lines of the rules that were known then.
    lines: Option<Arc<Vec<RuleLine>>>,
    /// The campaign as the catalogue had it then.
    page: Option<Arc<CampaignPage>>,
    /// The problems of the specification, and after them broken rules.
    problems: Vec<CampaignProblem>,
    of_campaign: usize,
    /// Seeds that redirect to another site that a person has yet to decide on.
    moved: Vec<MovedSeed>,
}

impl SpecPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, id: Option<CampaignId>) {
        let saved = id.map(|id| app.reads.campaign(id));
        if !self.take_up(ui, app, id, saved.as_ref()) {
            return;
        }
        let page = match &saved {
            Some(Loaded::Ready(page)) => Some(page.clone()),
            _ => None,
        };
        // Edits of another campaign are left only by an answer to what becomes of them.
        if let Some(spec) = &app.open.spec
            && spec.id != id
        {
            let of = spec.id;
            app.send(Command::Go(Route::Spec(of)));
            return;
        }
        self.head_ui(ui, app);
        // The draft is taken out while it is edited, so that a part may query the session.
        let Some(mut spec) = app.open.spec.take() else { return };
        self.rules.name_rules(app, &spec);
        let checked = self.check(&spec, page.as_ref());
        let is_suspended = page.as_ref().is_some_and(|page| page.suspended.is_some());
        let state = (self.rules.is_reading(), is_suspended);
        let marks = marks_of(&spec.saved, &spec.campaign, &checked.problems, |problem| spec.is_stopped_by(problem));
        let room = ui.available_width();
        let (is_list_aside, has_side) = (room >= ROOM_FOR_LIST, room >= ROOM_FOR_SIDE);
        if is_list_aside {
            column_ui(ui, true, |ui| self.sections.list_ui(ui, &marks, true));
        }
        if has_side {
            column_ui(ui, false, |ui| {
                ScrollArea::vertical().id_salt("effects").auto_shrink([false, false]).show(ui, |ui| {
                    self.state_ui(ui, app, &spec, page.as_deref(), &checked, state);
                    self.sample.ui(ui, app, &spec.campaign.request);
                    ui.add_space(theme::GROUP_GAP);
                    next_launches_ui(ui, &spec.campaign, page.as_deref());
                });
            });
        } else {
            self.state_ui(ui, app, &spec, page.as_deref(), &checked, state);
        }
        if !is_list_aside {
            self.sections.list_ui(ui, &marks, false);
        }
        // Taken out while it is drawn, since a section is a part of the page.
        let mut sections = std::mem::take(&mut self.sections);
        sections.show_ui(ui, |ui, section| {
            self.section_ui(ui, app, &mut spec, page.as_deref(), (&checked, section, !has_side));
        });
        self.sections = sections;
        stop_leading(ui.ctx());
        self.checked = Some(checked);
        app.open.spec = Some(spec);
    }

    /// What stands against the campaign, and what its edits come to.
    fn state_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        spec: &SpecDraft,
        page: Option<&CampaignPage>,
        checked: &Checked,
        state: (bool, bool),
    ) {
        if let Some(field) = problems_ui(ui, spec, &checked.problems, state) {
            self.sections.go_to(Section::of_field(&field));
            lead_to_field(ui.ctx(), &field);
        }
        if let Some(text) = open_redirects(&checked.moved)
            && ui.link(RichText::new(text).color(tokens(ui).flag)).clicked()
        {
            self.sections.go_to(Section::Seeds);
        }
        suspension_ui(ui, app, page);
        what_if_ui(ui, app, spec.id);
    }

    fn check(&mut self, spec: &SpecDraft, page: Option<&Arc<CampaignPage>>) -> Checked {
        let lines = self.rules.lines();
        let is_same = |checked: &Checked| {
            let same_lines = checked.lines.as_ref().map(Arc::as_ptr) == lines.map(Arc::as_ptr);
            let same_page = checked.page.as_ref().map(Arc::as_ptr) == page.map(Arc::as_ptr);
            checked.revision == spec.revision() && same_lines && same_page
        };
        if let Some(checked) = self.checked.take().filter(is_same) {
            return checked;
        }
        let mut problems = spec.problems().as_ref().clone();
        let of_campaign = problems.len();
        problems.extend(self.rules.broken(&spec.campaign.rules).map(|(index, why)| CampaignProblem {
            field: format!("rules[{index}]"),
            what: format!("rule {index} cannot be read: {why}"),
            hint: "correct it, or undo the edit; it cannot be saved like this".to_owned(),
            stops_crawl: true,
            is_error: true,
        }));
        problems.extend(self.rules.problems(&spec.campaign).cloned());
        let moved = page.iter().flat_map(|page| &page.moved_seeds);
        let moved = moved.filter(|moved| moved.is_open(&spec.campaign)).cloned().collect();
        let (lines, page) = (lines.cloned(), page.cloned());
        Checked { revision: spec.revision(), lines, page, problems, of_campaign, moved }
    }

    /// Makes sure that a draft is open; false while there is none to draw.
    fn take_up(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        id: Option<CampaignId>,
        saved: Option<&Loaded<Arc<CampaignPage>>>,
    ) -> bool {
        let kept = app.open.spec.as_ref().is_some_and(|spec| spec.id == id || spec.is_edited());
        match (kept, saved) {
            (true, Some(Loaded::Ready(page))) => {
                // Another window or the command line saved a newer version.
                if let Some(spec) = app.open.spec.as_mut().filter(|spec| spec.id == Some(page.id)) {
                    spec.newest = spec.newest.max(page.version);
                    if spec.version < page.version && !spec.is_edited() {
                        *spec = SpecDraft::of(page);
                        self.forget();
                    }
                }
                true
            }
            (true, _) => true,
            (false, None) => {
                app.open.spec = Some(SpecDraft::new(app.settings.user_agent()));
                self.forget();
                true
            }
            (false, Some(Loaded::Ready(page))) => {
                app.open.spec = Some(SpecDraft::of(page));
                self.forget();
                // What a campaign is called is known by now.
                self.sections.go_to(Section::Request);
                true
            }
            (false, Some(Loaded::Failed(notice))) => {
                notice_ui(ui, notice);
                false
            }
            (false, Some(Loaded::Loading { .. })) => {
                ui.weak("Loading…");
                false
            }
        }
    }

    /// Resets the state of all parts: it does not fit the next draft.
    fn forget(&mut self) {
        self.request = RequestEditor::default();
        self.sample = SampleView::default();
        self.seeds = SeedsEditor::default();
        self.sources = SourcesEditor::default();
        self.rules = RulesEditor::default();
        self.permissions = PermissionsEditor::default();
        self.tags = None;
    }

    fn head_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let Some(spec) = &app.open.spec else { return };
        let title = match spec.id {
            None if spec.campaign.name.trim().is_empty() => "New campaign".to_owned(),
            id => text::short(&campaign_title(id.unwrap_or_default(), &spec.campaign.name), 80),
        };
        let edited = spec.shows_edits();
        let about = match (spec.id, edited) {
            (None, _) => "not saved yet".to_owned(),
            (Some(_), false) => format!("version {}, saved", spec.version),
            (Some(_), true) => format!("version {} with unsaved edits", spec.version),
        };
        // Rules that cannot be read are known here only.
        let is_stopped = |checked: &Checked| checked.problems.iter().any(|problem| problem.stops_crawl);
        let is_stopped = self.checked.as_ref().is_some_and(is_stopped);
        let why_not = is_stopped.then_some("The reasons are listed below; each leads to its field");
        let saved = spec.saved.clone();
        let header = Header::new("Spec").state(title);
        let header = if edited || spec.id.is_none() { header.flag(about) } else { header.detail(about) };
        let discarded = header
            .plain(HeaderButton::own("Discard changes", ()).off((!edited).then_some("No changes")))
            .plain(HeaderButton::action(Action::StartCrawl).off(why_not))
            .primary(HeaderButton::action(Action::SaveCampaign))
            .more(HeaderButton::action(Action::Undo))
            .more(HeaderButton::action(Action::Redo))
            .ui(ui, app);
        if discarded.is_some() {
            app.send(Command::EditSpec(Box::new(saved)));
            self.forget();
        }
    }

    fn section_ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        spec: &mut SpecDraft,
        page: Option<&CampaignPage>,
        (checked, section, has_sample): (&Checked, Section, bool),
    ) {
        match section {
            Section::About => self.about_ui(ui, spec),
            Section::Request => {
                let known = KnownTerms { saved: &spec.saved.request, found: self.sample.found() };
                if let Some(filter) = self.request.ui(ui, &mut spec.campaign.request, &known) {
                    captures_by(app, filter);
                }
                if has_sample {
                    self.sample.ui(ui, app, &spec.campaign.request);
                }
            }
            Section::Seeds => {
                let problems = checked.problems.get(..checked.of_campaign).unwrap_or_default();
                self.seeds.ui(ui, app, &mut spec.campaign, page, &checked.moved, problems);
            }
            Section::Sources => {
                let problems = checked.problems.get(..checked.of_campaign).unwrap_or_default();
                self.sources.ui(ui, app, &mut spec.campaign, (spec.id, &spec.saved), problems);
            }
            Section::Rules => self.rules.ui(ui, app, &mut spec.campaign, page),
            Section::Order => order_ui(ui, app, &mut spec.campaign, spec.id),
            Section::Geo => self.geo.ui(ui, app, spec.id),
            Section::Permissions => self.permissions.ui(ui, app, &mut spec.campaign),
            Section::Schedule => schedule_ui(ui, app, &mut spec.campaign, page),
            Section::Limits => crawl_settings::limits_ui(ui, &mut spec.campaign.limits),
            Section::Politeness => crawl_settings::politeness_ui(ui, &mut spec.campaign.politeness),
            Section::Versions => versions_ui(ui, app, page),
        }
    }

    fn about_ui(&mut self, ui: &mut Ui, spec: &mut SpecDraft) {
        let campaign = &mut spec.campaign;
        // An undone edit may have changed them.
        let tags = match &mut self.tags {
            Some(tags) if list_entries(tags).eq(campaign.tags.iter().map(String::as_str)) => tags,
            tags => tags.insert(campaign.tags.join(", ")),
        };
        let width = (ui.available_width() - theme::LABEL_COLUMN - theme::LABEL_GAP).min(theme::LONG_FIELD);
        for (name, text, hint, rows) in [
            ("Name", &mut campaign.name, "short title", 1),
            ("Description", &mut campaign.description, "purpose of the campaign", 4),
            ("Owner", &mut campaign.owner, "person or department responsible", 1),
            ("Comments", &mut campaign.comments, "free text", 3),
        ] {
            let answer = FormRow::new(name).show_ui(ui, |ui| {
                let field = if rows == 1 { TextEdit::singleline(text) } else { TextEdit::multiline(text) };
                ui.add(field.hint_text(hint).desired_rows(rows).desired_width(width))
            });
            lead_here(&answer.field, &name.to_lowercase());
        }
        let row = FormRow::new("Tags").named("Tags, separated by commas");
        let answer = row
            .show_ui(ui, |ui| ui.add(TextEdit::singleline(tags).hint_text("separated by commas").desired_width(width)));
        if answer.field.changed() {
            campaign.tags = list_entries(tags).map(str::to_owned).collect();
        }
        ui.horizontal(|ui| {
            ui.add_space(theme::LABEL_COLUMN + theme::LABEL_GAP);
            let active = ui.checkbox(&mut campaign.active, "Active (runs on schedule)");
            lead_here(&active, "active");
        });
    }
}

/// Problems that are listed; the rest is counted.
const PROBLEMS_SHOWN: usize = 20;
/// Problems that are listed at first.
const PROBLEMS_OPEN: usize = 6;

/// Draws the note that a campaign came from elsewhere and waits, with the terms of its crawls.
pub(super) fn suspension_ui(ui: &mut Ui, app: &mut AppState, page: Option<&CampaignPage>) {
    let Some((page, origin)) = page.and_then(|page| Some((page, page.suspended.as_ref()?))) else { return };
    ui.horizontal_wrapped(|ui| {
        let origin = text::line(origin);
        ui.colored_label(tokens(ui).flag, format!("⚠ Came from {origin} and is switched off: no crawl of it starts"));
        if write_button_ui(ui, "Let it run").on_hover_text("Its schedule, and crawls that you start").clicked() {
            app.send(Command::Campaigns(CampaignAct::Activate(page.id)));
        }
    });
    for term in page.campaign.crawl_terms() {
        ui.weak(text::line(&term));
    }
}

/// Draws the problems; gives the path of a field that a person clicked.
fn problems_ui(
    ui: &mut Ui,
    spec: &SpecDraft,
    problems: &[CampaignProblem],
    (is_reading, is_suspended): (bool, bool),
) -> Option<String> {
    if problems.is_empty() && is_reading {
        ui.weak("… Reading the rules");
        return None;
    }
    if problems.is_empty() {
        if !is_suspended {
            ui.colored_label(tokens(ui).accept, "✔ Ready to crawl");
        }
        return None;
    }
    let stops = |problem: &CampaignProblem| spec.is_stopped_by(problem);
    let stopping = problems.iter().filter(|problem| stops(problem)).count();
    let errors = problems.iter().filter(|problem| problem.is_error).count();
    let label = if stopping == 0 && errors > 0 {
        format!("✖ {}", text::counted(errors as u64, "error"))
    } else if stopping > 0 {
        format!("✖ {} to correct before a crawl can start", text::counted(stopping as u64, "item"))
    } else {
        format!("⚠ {}", text::counted(problems.len() as u64, "warning"))
    };
    let label = if is_reading { format!("{label} …") } else { label };
    let color = if stopping + errors > 0 { tokens(ui).reject } else { tokens(ui).flag };
    let most_open = if stopping > 0 { PROBLEMS_OPEN } else { PROBLEMS_OPEN / 2 };
    let mut chosen = None;
    egui::CollapsingHeader::new(egui::RichText::new(label).color(color))
        .id_salt(("problems", stopping > 0))
        .default_open(problems.len() <= most_open)
        .show(ui, |ui| {
            // What is needed first.
            let is_error = |problem: &CampaignProblem| stops(problem) || problem.is_error;
            let needed = problems.iter().filter(|problem| is_error(problem));
            let listed = needed.chain(problems.iter().filter(|problem| !is_error(problem))).take(PROBLEMS_SHOWN);
            for problem in listed {
                ui.horizontal_wrapped(|ui| {
                    let (sign, color) =
                        if is_error(problem) { ("✖", tokens(ui).reject) } else { ("⚠", tokens(ui).flag) };
                    ui.colored_label(color, sign);
                    let link = ui.link(text::line(&text::capital(&problem.what)));
                    if link.on_hover_text(format!("Go to the field {}", text::line(&problem.field))).clicked() {
                        chosen = Some(problem.field.clone());
                    }
                    ui.weak(text::line(&problem.hint));
                });
            }
            let more = problems.len().saturating_sub(PROBLEMS_SHOWN);
            if more > 0 {
                ui.weak(format!("and {} more", text::count(more as u64)));
            }
        });
    chosen
}

/// Draws a column beside the sections, parted from them by a line.
fn column_ui(ui: &mut Ui, is_left: bool, draw: impl FnOnce(&mut Ui)) {
    let (panel, width) = match is_left {
        true => (egui::Panel::left("sections"), LIST),
        false => (egui::Panel::right("effects"), SIDE),
    };
    let mut margin = egui::Margin::ZERO;
    *(if is_left { &mut margin.right } else { &mut margin.left }) = theme::LABEL_GAP as i8;
    let frame = egui::Frame::new().inner_margin(margin);
    panel.exact_size(width).resizable(false).frame(frame).show(ui, draw);
}

fn versions_ui(ui: &mut Ui, app: &mut AppState, page: Option<&CampaignPage>) {
    let Some(page) = page else {
        ui.weak("Saving creates the first version");
        return;
    };
    ui.weak("Every saved version is kept; each crawl records its version");
    if let Some(branch) = page.branch {
        ui.label(format!("This is a {branch}: it came from another workspace, and nothing of that campaign changed"));
    }
    if let Some(identity) = page.file.identity {
        ui.weak(format!("Identity {identity}, the same in every workspace"));
    }
    versions::rows_ui(ui, app, page);
    if ui.button("Copy this version as JSON").clicked() {
        ui.ctx().copy_text(page.file.to_json());
    }
    let answer = app.reads.campaigns();
    loaded_ui(ui, &answer, |ui, rows| {
        if let Some(row) = rows.iter().find(|row| row.id == page.id) {
            ui.weak(format!("{} so far", text::counted(row.captures, "capture")));
        }
    });
}
