//! The lower panel: everything about the current row.

pub(super) mod entities;
mod files;
pub(super) mod needs;
pub(super) mod page_text;
pub(super) mod related;
mod strip;
pub(super) mod versions;

use super::access::{Region, begin_region};
use super::decisions::{headline_ui, keep_note, several_ui};
use super::table::{Column, RowsAction, Table, Value, key_of};
use super::text;
use super::theme::{self, GAP, tokens};
use super::trace::trace_ui;
use super::widgets::{
    PANEL_NOTE, decision_ui, empty_ui, hair, heading_ui, is_typing, loaded_ui, mark_ui, note_field_ui, outcome_cell_ui,
    outcome_ui, take_page_room, write_ui,
};
use crate::app::models::*;
use crate::app::{Action, AppState, ByIdentity, Command, Focus, PanelTab, Route, ScopeList, SelectedRows};
use crate::ui::panel::entities::page_entities_ui;
use crate::ui::panel::files::{file_ui, lost_ui, problem_ui};
use crate::ui::panel::needs::needs_ui;
use crate::ui::panel::page_text::TextTab;
use crate::ui::panel::related::related_ui;
use crate::ui::panel::strip::side_grip_ui;
use crate::ui::panel::versions::VersionsTab;
use crate::uri::CaptureDate;
use egui::{Rect, RichText, ScrollArea, Sense, Stroke, Ui, UiBuilder};

/// Height of the time strip.
const STRIP: f32 = 46.0;
/// Radius of a link in the time strip.
const DOT: f32 = 2.5;

/// State of the lower panel between frames.
#[derive(Default)]
pub struct LowerPanel {
    note: NoteField,
    /// Height that it was drawn with last.
    drawn: f32,
    /// Height that the page leaves to it.
    most: f32,
    /// Height that the page needs beside it.
    page_needs: f32,
    /// Whether it covers the page, which has no room beside it.
    is_whole: bool,
    /// Whether it stands at the right of the page.
    is_aside: bool,
    /// A capture and the anchor whose links alone are listed.
    chosen_anchor: Option<(CaptureId, String)>,
    text: TextTab,
    versions: VersionsTab,
}

impl LowerPanel {
    /// The height of the panel at the foot of an area that it shares with the page, which
    /// needed its room down to `page_room` when it was drawn last: a line where it is closed, all of the
    /// area where both cannot be read.
    pub fn height(&mut self, area: Rect, app: &AppState, page_room: Option<f32>) -> f32 {
        if !app.panel_is_open() {
            self.is_whole = false;
            return theme::PANEL_STRIP.min(area.height());
        }
        // A page may fold something for the panel, so that it needs less than before.
        match page_room {
            Some(room) => self.page_needs = room - area.top() + GAP,
            None if !self.is_whole => self.page_needs = theme::PAGE_LEAST,
            None => {}
        }
        self.most = area.height() - self.page_needs;
        self.is_whole = self.most < theme::PANEL_READABLE;
        if self.is_whole {
            return area.height();
        }
        app.settings.panel_height.clamp(theme::PANEL_READABLE, self.most)
    }

    /// The width of the panel at the right of its page, in a window of this width that has room for both; none where
    /// it is below the page.
    pub fn width_aside(&mut self, window: f32, app: &AppState) -> Option<f32> {
        self.is_aside = app.panel_is_open() && app.settings.panel_aside && window >= theme::WIDE_WINDOW;
        self.is_whole &= !self.is_aside;
        self.is_aside.then(|| app.settings.panel_width.clamp(theme::SIDE_PANEL_LEAST, window * theme::PANEL_SHARE))
    }

    /// Draws the panel into all of `ui`. What is in it never makes it grow.
    pub fn show_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        let area = ui.max_rect();
        // The page may need more room, or less, than when it was drawn last.
        if std::mem::replace(&mut self.drawn, area.height()) != area.height() {
            ui.ctx().request_repaint();
        }
        ui.painter().rect_filled(area, 0.0, tokens(ui).chrome_bg);
        let is_open = app.panel_is_open();
        let rect = area.shrink2(egui::vec2(theme::PAGE_MARGIN, 0.0));
        let mut inside = ui.new_child(UiBuilder::new().max_rect(rect));
        inside.set_clip_rect(area.intersect(ui.clip_rect()));
        begin_region(&mut inside, Region::Panel, "Lower panel");
        let (strip, rest) = rect.split_top_bottom_at_y((rect.top() + theme::PANEL_STRIP).min(rect.bottom()));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut line = inside.new_child(UiBuilder::new().id_salt("strip").max_rect(strip).layout(layout));
        let rest = match self.is_aside {
            // The tabs have a line of their own there.
            true => {
                self.title_ui(&mut line, app, is_open);
                let (tabs, rest) = rest.split_top_bottom_at_y((rest.top() + theme::TAB_ROW).min(rest.bottom()));
                let mut tabs =
                    inside.new_child(UiBuilder::new().scope_id(strip::tabs_id()).max_rect(tabs).layout(layout));
                self.tabs_ui(&mut tabs, app, is_open);
                rest
            }
            false => {
                self.strip_ui(&mut line, app, is_open);
                rest
            }
        };
        if is_open {
            let rest = rest.with_max_y((rest.bottom() - GAP).max(rest.top()));
            let mut contents = inside.new_child(UiBuilder::new().id_salt("contents").max_rect(rest));
            contents.set_clip_rect(rest.expand(2.0).intersect(ui.clip_rect()));
            self.contents_ui(&mut contents, app);
        }
        ui.advance_cursor_after_rect(area);
        if is_open && self.is_whole && !is_typing(ui) && app.dialog().is_none() {
            let goes_back = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
            if goes_back {
                app.act(Action::ToggleLowerPanel);
            }
        }
        let line = Stroke::new(hair(ui), tokens(ui).border);
        if self.is_aside {
            ui.painter().vline(area.left(), area.y_range(), line);
            side_grip_ui(ui, app, area);
            return;
        }
        ui.painter().hline(area.x_range(), area.top(), line);
        if is_open && !self.is_whole {
            self.grip_ui(ui, app, area);
        }
    }

    fn contents_ui(&mut self, ui: &mut Ui, app: &mut AppState) {
        match (app.selected_together(), app.focus()) {
            (Some(_), _) => several_ui(ui, app, &mut self.note),
            (None, Some(Focus::Capture(id))) => headline_ui(ui, app, id),
            (None, Some(Focus::File(_) | Focus::Problem(_) | Focus::Seen(_)) | None) => {}
        }
        ui.push_id(app.settings.panel_tab as usize, |ui| match app.focus() {
            _ if app.selected_together().is_some() => {}
            None => {
                ui.weak("Select a row to see its details here");
            }
            Some(Focus::Seen(id)) => seen_ui(ui, app, id),
            Some(Focus::File(id)) => file_ui(ui, app, id),
            Some(Focus::Problem(id)) => problem_ui(ui, app, id),
            Some(Focus::Capture(id)) => {
                lost_ui(ui, app, id);
                self.capture_ui(ui, app, id);
            }
        });
        // Tables in here are no part of the page.
        let _ = take_page_room(ui);
    }

    fn capture_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let days = app.settings.window_days;
        match app.settings.panel_tab {
            PanelTab::Details => {
                let answer = app.reads.detail(id, days);
                scroll_ui(ui, |ui| loaded_ui(ui, &answer, |ui, detail| details_ui(ui, app, detail)));
            }
            PanelTab::Decision => {
                let answer = app.reads.detail(id, days);
                scroll_ui(ui, |ui| {
                    loaded_ui(ui, &answer, |ui, detail| {
                        outcome_ui(ui, &detail.outcome);
                        match &detail.trace {
                            Some(trace) => trace_ui(ui, "trace", trace),
                            None => empty_ui(
                                ui,
                                "No scope decision recorded",
                                "This capture was imported from a file without crawl logs",
                            ),
                        }
                    });
                });
            }
            PanelTab::Inlinks => {
                let answer = app.reads.inlinks(id, days);
                let mut anchor = self.chosen_anchor.take().filter(|(of, _)| *of == id).map(|(_, anchor)| anchor);
                loaded_ui(ui, &answer, |ui, page| inlinks_ui(ui, app, page, &mut anchor));
                self.chosen_anchor = anchor.map(|anchor| (id, anchor));
            }
            PanelTab::Outlinks => {
                let answer = app.reads.outlinks(id);
                loaded_ui(ui, &answer, |ui, rows| outlinks_ui(ui, app, rows));
            }
            PanelTab::Anchors => {
                let answer = app.reads.anchors(id, days);
                loaded_ui(ui, &answer, |ui, rows| {
                    if rows.is_empty() {
                        empty_ui(ui, "No anchor text in the window", "No inlink of this page has anchor text");
                    } else if let Some(text) = anchors_ui(ui, app, rows, "Show the links with this anchor text") {
                        self.chosen_anchor = Some((id, text));
                        set_side(ui, Side::Both);
                        app.settings.panel_tab = PanelTab::Inlinks;
                    }
                });
            }
            PanelTab::Text => self.text.ui(ui, app, id),
            PanelTab::Entities => {
                let answer = app.reads.page_analysis(id);
                loaded_ui(ui, &answer, |ui, page| page_entities_ui(ui, app, page));
            }
            PanelTab::Related => {
                let answer = app.reads.related(id, days);
                loaded_ui(ui, &answer, |ui, page| related_ui(ui, app, page));
            }
            PanelTab::Needs => {
                let answer = app.reads.needs(id);
                loaded_ui(ui, &answer, |ui, needs| needs_ui(ui, app, id, needs));
            }
            PanelTab::Versions => {
                let answer = app.reads.detail(id, days);
                loaded_ui(ui, &answer, |ui, detail| self.versions.ui(ui, app, &detail.versions, detail.row.id));
            }
            PanelTab::Headers => {
                let answer = app.reads.content(id);
                scroll_ui(ui, |ui| loaded_ui(ui, &answer, headers_ui));
            }
            PanelTab::Notes => {
                let answer = app.reads.detail(id, days);
                let captures = app.decision_target().unwrap_or_else(|_| vec![id].into());
                self.note.ui(ui, app, captures);
                scroll_ui(ui, |ui| loaded_ui(ui, &answer, |ui, detail| notes_ui(ui, &detail.notes)));
            }
        }
    }
}

/// A note being written in the lower panel, and the decisions that may go with it.
#[derive(Default)]
pub struct NoteField {
    text: String,
}

impl NoteField {
    /// Draws the field and the buttons, which act on these captures.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, captures: SelectedRows) {
        ui.horizontal_wrapped(|ui| {
            let opens = app.take_opens_note();
            if note_field_ui(ui, PANEL_NOTE, "Note", &mut self.text, opens) {
                keep_note(app, captures.clone(), &mut self.text);
            }
            for (mark, label) in [
                (ReviewMark::Note, "Add note"),
                (ReviewMark::Approve, "✔ Approve"),
                (ReviewMark::Reject, "✖ Reject"),
                (ReviewMark::Flag, "⚑ Flag"),
                (ReviewMark::Clear, "Clear decision"),
            ] {
                let is_empty = mark == ReviewMark::Note && self.text.trim().is_empty();
                let why_not = is_empty.then_some("Enter a note first");
                if write_ui(ui, why_not, egui::Button::new(label)).clicked() {
                    let note = std::mem::take(&mut self.text).trim().to_owned();
                    app.send(Command::Mark { captures: captures.clone(), mark, note });
                }
            }
        });
    }
}

pub(super) fn scroll_ui(ui: &mut Ui, draw: impl FnOnce(&mut Ui)) {
    ScrollArea::both().auto_shrink([false, false]).show(ui, draw);
}

fn seen_ui(ui: &mut Ui, app: &mut AppState, id: SeenId) {
    let tried = match (&app.route(), &app.what_if()) {
        (Route::Scope(_, ScopeList::WhatIf(_)), Some(answer)) => answer.shown().cloned(),
        _ => None,
    };
    let row = app.reads.seen_one(id);
    let outcome = row.shown().and_then(|row| row.as_ref().as_ref().map(|row| row.outcome.clone()));
    let as_edited = tried.map(|answer| app.reads.what_if_trace(ByIdentity::of(&answer), id));
    let answer = app.reads.why(id);
    let place = app.reads.queued_place(id);
    let place = place.shown().and_then(|place| place.as_ref().clone());
    scroll_ui(ui, |ui| {
        if let Some(edited) = &as_edited {
            heading_ui(ui, "With the edited rules");
            loaded_ui(ui, edited, |ui, trace| {
                ui.label(RichText::new(text::line(&trace.url)).color(tokens(ui).strong_text));
                trace_ui(ui, "edited trace", trace);
            });
            heading_ui(ui, "As crawled");
            if let Some(outcome) = &outcome {
                outcome_ui(ui, outcome);
            }
            loaded_ui(ui, &answer, |ui, trace| trace_ui(ui, "seen trace", trace));
            return;
        }
        if let Some(outcome) = &outcome {
            outcome_ui(ui, outcome);
        }
        if let Some(place) = &place {
            ui.weak(text::line(&format!("Place {} in the queue, priority {}", place.rank, place.explanation)));
        }
        loaded_ui(ui, &answer, |ui, trace| {
            ui.label(RichText::new(text::line(&trace.url)).color(tokens(ui).strong_text));
            trace_ui(ui, "seen trace", trace);
        });
    });
}

fn details_ui(ui: &mut Ui, app: &mut AppState, detail: &CaptureDetail) {
    outcome_ui(ui, &detail.outcome);
    ui.horizontal(|ui| {
        decision_ui(ui, &detail.row);
        ui.label(RichText::new(text::short(&detail.row.title, 120)).color(tokens(ui).strong_text));
    });
    egui::Grid::new("details").num_columns(2).show(ui, |ui| {
        for (label, value) in &detail.details {
            ui.weak(text::line(label));
            ui.label(text::line(value));
            ui.end_row();
        }
    });
    if !detail.path.is_empty() {
        ui.add_space(GAP);
        ui.label(RichText::new("Path from the seed").color(tokens(ui).strong_text));
        for (step, (url, anchor)) in detail.path.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.weak(format!("{}", step + 1));
                if ui.link(text::line(url)).on_hover_text("Show the inlinks of this page").clicked() {
                    app.send(Command::Go(Route::Links { target: url.clone() }));
                }
                if !anchor.is_empty() {
                    ui.weak(format!("link text “{}”", text::short(anchor, 80)));
                }
            });
        }
    }
}

/// Inlinks of a page, with their time strip; also on the page Links. Where an
/// anchor is `anchor`, those in the window that have it, until the filter is removed.
pub(super) fn inlinks_ui(ui: &mut Ui, app: &mut AppState, page: &InlinkPage, anchor: &mut Option<String>) {
    if !page.built {
        empty_ui(
            ui,
            "Inlinks are not built yet",
            "An inlink is a link seen from its target: which captured pages link here, when, and with which anchor text",
        );
        super::widgets::action_ui(ui, app, Action::BuildInlinks);
        return;
    }
    let mut side = Side::Both;
    let inside = page.rows.iter().filter(|row| row.in_window).count() as u64;
    let outside = page.rows.len() as u64 - inside + page.outside_cut;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{} internal", text::count(page.internal))).color(tokens(ui).strong_text));
        ui.label(RichText::new(format!("{} external", text::count(page.external))).color(tokens(ui).strong_text));
        match page.around {
            Some(_) => {
                ui.weak(format!("within ± {}", text::counted(page.window_days.into(), "day")));
                let left_out = match page.outside_cut {
                    0 => String::new(),
                    left_out => format!(", {} of them not listed", text::count(left_out)),
                };
                ui.weak(format!("{} outside the window{left_out}", text::count(outside)));
            }
            None => {
                ui.weak("of all dates");
            }
        }
        if page.cut > 0 {
            ui.colored_label(tokens(ui).flag, format!("⚠ {} more omitted by the limit", text::count(page.cut)));
        }
        side = side_ui(ui);
        if let Some(text) = anchor.clone() {
            let label =
                if text.is_empty() { "without text".to_owned() } else { format!("“{}”", text::short(&text, 60)) };
            if ui.button(format!("in the window, {label} ✖")).on_hover_text("Show all inlinks").clicked() {
                *anchor = None;
            }
        }
    });
    if page.rows.is_empty() {
        ui.weak("No captured page links here");
        return;
    }
    strip_ui(ui, page);
    let listed = |row: &&InlinkRow| match side {
        Side::Both => true,
        Side::External => !row.internal,
        Side::Internal => row.internal,
    };
    let has_anchor = |row: &&InlinkRow| anchor.as_ref().is_none_or(|anchor| row.in_window && row.has_anchor(anchor));
    let rows: Vec<&InlinkRow> = page.rows.iter().filter(listed).filter(has_anchor).collect();
    type Col<'a> = Column<'a, InlinkRow, InlinkAction>;
    let columns = [
        Col::text("anchor", "Anchor", 220.0, |row| &row.anchor).or("(no text)"),
        Col::text("source", "Page", 300.0, |row| &row.source).about("The page that links"),
        Col::date("captured", "Captured (UTC)", 140.0, |row| row.date),
        Col::text("side", "Side", 80.0, |row| if row.internal { "internal" } else { "external" }),
        Col::text("window", "Window", 90.0, |row| if row.in_window { "✔ inside" } else { "– outside" }),
        Col::text("area", "Page area", 84.0, |row| row.place.as_deref().unwrap_or_default()),
        Col::text("source_host", "Source host", 170.0, |row| &row.source_host),
        Col::value("link", "Link", 48.0, |row| Value::known(row.position.map(|position| u64::from(position) + 1)))
            .numeric()
            .about("Its number among the links of that page"),
        Col::text("rel", "Rel", 150.0, |row| rel_text(&row.rel, row.nofollow, row.position.is_some())),
        Col::text("origin", "Known from", 110.0, |row| row.origin.as_deref().unwrap_or_default())
            .about("The handover that lists the link, where the page that links is not here"),
    ];
    let key = |row: &InlinkRow| key_of((&row.source, row.date, row.position, &row.anchor));
    let table = Table::new("inlinks", "Inlinks", columns, key)
        .on_focus(|row: &InlinkRow| Some(InlinkAction::Focus(row.capture)))
        .on_select(|rows| Some(InlinkAction::Several(rows.iter().filter_map(|row| row.capture).collect())))
        .with_rows(RowsAction::copy_urls(|row: &InlinkRow| &row.source))
        .on_open(|row| Some(InlinkAction::Source(row.source.clone())));
    let is_page = matches!(app.route(), Route::Links { .. } | Route::LinkSet { .. });
    let table = if is_page { table } else { table.aside() };
    match table.rows_ui(ui, app, rows) {
        Some(InlinkAction::Source(source)) => {
            app.send(Command::Go(Route::inlinks(app.route().link_folder().cloned(), source)));
        }
        // On Captures and Review the panel follows the table's own row.
        Some(InlinkAction::Focus(Some(capture))) if matches!(app.route(), Route::Links { .. }) => {
            app.follow(Focus::Capture(capture));
        }
        Some(InlinkAction::Focus(capture)) => app.note_link_source(capture),
        Some(InlinkAction::Several(captures)) if matches!(app.route(), Route::Links { .. }) => {
            app.follow_several(captures);
        }
        Some(InlinkAction::Several(_)) | None => {}
    }
}

/// An action on a row of inlinks.
enum InlinkAction {
    /// The inlinks of its source.
    Source(String),
    /// The capture of its source, where it is here.
    Focus(Option<CaptureId>),
    /// The captures of the sources that are selected.
    Several(Vec<CaptureId>),
}

/// The side of the inlinks that is listed; kept while the window is open.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    #[default]
    Both,
    External,
    Internal,
}

fn side_id() -> egui::Id {
    egui::Id::unique("side of inlinks")
}

fn set_side(ui: &Ui, side: Side) {
    ui.data_mut(|data| data.insert_temp(side_id(), side));
}

fn side_ui(ui: &mut Ui) -> Side {
    let mut side: Side = ui.data(|data| data.get_temp(side_id())).unwrap_or_default();
    for (of, label) in
        [(Side::Both, "both sides"), (Side::External, "external only"), (Side::Internal, "internal only")]
    {
        ui.selectable_value(&mut side, of, label);
    }
    set_side(ui, side);
    side
}

/// Captures as ticks, the window as a band, external links above, internal below.
fn strip_ui(ui: &mut Ui, page: &InlinkPage) {
    let dates = || page.rows.iter().map(|row| row.date).chain(page.capture_dates.iter().copied()).chain(page.around);
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return };
    let window = i64::from(page.window_days) * 86_400_000;
    let from = page.around.map_or(first, |around| first.min(CaptureDate::from_millis(around.millis() - window)));
    let to = page.around.map_or(last, |around| last.max(CaptureDate::from_millis(around.millis() + window)));
    let span = (to.millis() - from.millis()).max(1) as f32;
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), STRIP), Sense::hover());
    let area = rect.shrink2(egui::vec2(GAP, 0.0));
    let x = |date: CaptureDate| area.left() + area.width() * (date.millis() - from.millis()) as f32 / span;
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, colors.raised_bg);
    if let Some(around) = page.around {
        let band = egui::Rect::from_x_y_ranges(
            x(CaptureDate::from_millis(around.millis() - window))
                ..=x(CaptureDate::from_millis(around.millis() + window)),
            rect.y_range(),
        );
        painter.rect_filled(band, 0.0, colors.plot_band);
    }
    painter.hline(area.x_range(), rect.center().y, (1.0, colors.border));
    for date in &page.capture_dates {
        painter.vline(x(*date), rect.y_range(), (1.0, colors.plot_third));
    }
    if let Some(around) = page.around {
        painter.vline(x(around), rect.y_range(), (2.0, colors.strong_text));
    }
    for row in &page.rows {
        let (y, color) = if row.internal {
            (rect.bottom() - rect.height() / 4.0, colors.plot_second)
        } else {
            (rect.top() + rect.height() / 4.0, colors.plot_first)
        };
        painter.circle_filled(egui::pos2(x(row.date), y), DOT, color);
    }
    response.on_hover_text("Dots: links (external above, internal below); lines: captures; band: the window");
    ui.horizontal(|ui| {
        ui.weak(text::day(from));
        ui.weak("external above, internal below; shaded: the window");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.weak(text::day(to)));
    });
}

fn outlinks_ui(ui: &mut Ui, app: &mut AppState, rows: &[OutlinkRow]) {
    if rows.is_empty() {
        empty_ui(ui, "No outlinks in this capture", "It is not a page, or it has no links");
        return;
    }
    type Col<'a> = Column<'a, OutlinkRow, CaptureId>;
    let columns = [
        Col::count("link", "#", 40.0, |row| u64::from(row.position) + 1)
            .about("Its number among the links of the page"),
        Col::text("anchor", "Anchor", 240.0, |row| &row.anchor).or("(no text)"),
        Col::text("kind", "Kind", 90.0, |row| &row.kind),
        Col::text("area", "Page area", 80.0, |row| row.place.as_deref().unwrap_or_default()),
        Col::text("rel", "Rel", 110.0, |row| rel_text(&row.rel, row.nofollow, true)),
        Col::text("captured", "Captured", 80.0, |row| if row.capture.is_some() { "✔ open" } else { "–" })
            .link("Open the capture nearest in time", |row| row.capture),
        Col::text("outcome", "Outcome", 260.0, |row| row.outcome.as_ref().map_or("", |outcome| &outcome.sentence))
            .draw(|ui, row| match &row.outcome {
                Some(outcome) => drop(outcome_cell_ui(ui, outcome)),
                None => drop(ui.weak("–")),
            }),
        Col::text("url", "URL", 320.0, |row| &row.url),
    ];
    let table = Table::new("outlinks", "Outlinks", columns, |row: &OutlinkRow| u64::from(row.position)).aside();
    if let Some(capture) = table.rows_ui(ui, app, rows) {
        app.follow_beside(vec![capture]);
    }
}

/// The `rel` of a link. One without may be not followed by
/// the robots meta of its page, which holds for all its links.
fn rel_text(rel: &str, nofollow: bool, is_known: bool) -> &str {
    match (rel, is_known) {
        ("", true) if nofollow => "(nofollow by page)",
        ("", false) if nofollow => "nofollow",
        _ => rel,
    }
}

/// Anchor texts; also on the page Links. Their numbers lead on, as `leads_to`
/// describes: gives the text that was chosen.
pub(super) fn anchors_ui(ui: &mut Ui, app: &mut AppState, rows: &[AnchorRow], leads_to: &str) -> Option<String> {
    type Col<'a> = Column<'a, AnchorRow, String>;
    let text = |row: &AnchorRow| Some(row.text.clone());
    let columns = [
        Col::text("anchor", "Anchor", 320.0, |row| &row.text).or("(no text)"),
        Col::text("request", "Request", 90.0, |row| if row.matches_request { "✔ term" } else { "" }),
        Col::count("hosts", "Hosts", 70.0, |row| row.hosts).link(leads_to, text),
        Col::count("links", "Links", 70.0, |row| row.links).link(leads_to, text),
        Col::day("first", "First", 110.0, |row| row.first),
        Col::day("last", "Last", 110.0, |row| row.last),
    ];
    let table = Table::new("anchors", "Anchors", columns, |row: &AnchorRow| key_of(&row.text));
    let table = if matches!(app.route(), Route::Links { .. }) { table } else { table.aside() };
    table.rows_ui(ui, app, rows)
}

pub(super) fn problems_ui(ui: &mut Ui, content: &CaptureContent) {
    for problem in &content.problems {
        ui.colored_label(tokens(ui).flag, format!("⚠ {}", text::line(problem)));
    }
}

fn headers_ui(ui: &mut Ui, content: &CaptureContent) {
    problems_ui(ui, content);
    for (title, head) in [("Request as sent", &content.request_head), ("Response as received", &content.response_head)]
    {
        ui.label(RichText::new(title).color(tokens(ui).strong_text));
        if head.is_empty() {
            ui.weak("Not recorded");
        } else {
            ui.monospace(text::block(head));
        }
    }
    ui.label(RichText::new("WARC record").color(tokens(ui).strong_text));
    egui::Grid::new("warc fields").num_columns(2).show(ui, |ui| {
        for (name, value) in &content.warc_fields {
            ui.monospace(text::line(name));
            ui.monospace(text::line(value));
            ui.end_row();
        }
    });
}

fn notes_ui(ui: &mut Ui, notes: &[CaptureNote]) {
    if notes.is_empty() {
        ui.weak("No notes or decisions yet");
    }
    for note in notes {
        ui.horizontal_wrapped(|ui| {
            ui.weak(note.date.to_readable());
            ui.label(text::line(&note.by()));
            mark_ui(ui, Some(note.mark), None, false);
            ui.label(text::line(&note.text()));
        });
    }
}
