//! The page that is reviewed: title, address, its text with what it lacks, and the resources that it needs.

use super::findings::FindingList;
use crate::app::models::{CaptureDetail, CaptureId, Loaded, NeedState, PageNeed};
use crate::app::{AppState, Command, Route};
use crate::ui::icons::Icon;
use crate::ui::long_text::LongText;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{keep_page_room, loaded_ui, tab_of_ui, tabs_ui};
use egui::{Align, Layout, RichText, ScrollArea, Sense, Ui, Vec2};

/// Missing resources that are named above the text.
const MOST_NAMED: usize = 8;

/// What is shown of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CapturePart {
    /// Its text.
    #[default]
    Text,
    /// The resources that it needs.
    Needs,
    /// Findings, where they have no column.
    Findings,
}

/// The page in the middle.
#[derive(Default)]
pub(super) struct CaptureView {
    part: CapturePart,
    text: LongText,
}

impl CaptureView {
    /// Draws it; findings are given where they have no column of their own. The room of the window ends at `bottom`.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        id: CaptureId,
        findings: Option<&mut FindingList>,
        bottom: f32,
    ) {
        let answer = app.reads.detail(id, app.settings.window_days);
        loaded_ui(ui, &answer, |ui, detail| head_ui(ui, app, detail));
        let needs = app.reads.page_needs(id);
        let needed = needs.shown().map_or(0, |needs| needs.len());
        let missing = needs.shown().map_or(0, |needs| needs.iter().filter(|need| need.state.is_missing()).count());
        if findings.is_none() && self.part == CapturePart::Findings {
            self.part = CapturePart::Text;
        }
        tabs_ui(ui, "Parts of the page", |ui| {
            tab_of_ui(ui, &mut self.part, CapturePart::Text, "Text");
            tab_of_ui(ui, &mut self.part, CapturePart::Needs, format!("Needs {needed}"));
            if findings.is_some() {
                tab_of_ui(ui, &mut self.part, CapturePart::Findings, "Findings");
            }
        });
        let below = (bottom - ui.max_rect().bottom()).max(0.0);
        keep_page_room(ui, theme::ROWS_LEAST as f32 * ui.text_style_height(&egui::TextStyle::Body) + below);
        match (self.part, findings) {
            (CapturePart::Findings, Some(findings)) => findings.ui(ui, app, id),
            (CapturePart::Needs, _) => loaded_ui(ui, &needs, |ui, needs| needs_ui(ui, app, needs)),
            (_, findings) => {
                if let Some(findings) = findings {
                    findings.lines_ui(ui, app, id);
                }
                if missing > 0 {
                    loaded_ui(ui, &needs, |ui, needs| missing_ui(ui, needs, missing));
                }
                self.text_ui(ui, app, id);
            }
        }
    }

    fn text_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let content = app.reads.content(id);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            loaded_ui(ui, &content, |ui, _| {
                let is_own = matches!(content, Loaded::Ready(_));
                let Some(content) = content.shown().filter(|content| is_own || self.text.shows(content)) else {
                    return;
                };
                if content.text.trim().is_empty() {
                    ui.weak("This capture has no visible text");
                } else {
                    theme::keep_reading_width(ui);
                    self.text.ui(ui, content, None);
                }
            });
        });
    }
}

fn head_ui(ui: &mut Ui, app: &mut AppState, detail: &CaptureDetail) {
    let row = &detail.row;
    let title = if row.title.is_empty() { "(no title)".to_owned() } else { text::line(&row.title) };
    let title = theme::strong(title, theme::PART_TEXT).color(tokens(ui).strong_text);
    ui.add(egui::Label::new(title).truncate());
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(format!("{} UTC", row.date.to_readable())).color(tokens(ui).weak_text));
            if ui.link("Replay").on_hover_text("The capture as it was, in the browser (O)").clicked() {
                app.send(Command::OpenInBrowser(row.id));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Truncate);
                if ui.link(text::line(&row.url)).on_hover_text("Pages that link here").clicked() {
                    app.send(Command::Go(Route::Links { target: row.url.clone() }));
                }
            });
        });
    });
}

/// Names what the page lacks, before its text.
fn missing_ui(ui: &mut Ui, needs: &[PageNeed], missing: usize) {
    let colors = tokens(ui);
    egui::Frame::new().fill(colors.reject_bg).inner_margin(theme::CONTROL_PAD).show(ui, |ui| {
        let title = format!("Missing on this page: {}", text::counted(missing as u64, "resource"));
        ui.label(theme::strong(title, theme::BODY_TEXT).color(colors.strong_text));
        for (nth, need) in (1..).zip(needs.iter().filter(|need| need.state.is_missing()).take(MOST_NAMED)) {
            let line = format!("{nth}  {}: {}", text::middle(&need.url, 60), state_text(&need.state));
            ui.add(egui::Label::new(RichText::new(line).color(colors.text)).truncate())
                .on_hover_text(text::line(&need.url));
        }
        if missing > MOST_NAMED {
            ui.weak(format!("and {} more, under Needs", missing - MOST_NAMED));
        }
    });
}

/// Lists what the page needs with its state, missing ones first.
fn needs_ui(ui: &mut Ui, app: &mut AppState, needs: &[PageNeed]) {
    if needs.is_empty() {
        ui.weak("The page needs no other resource to be shown");
        return;
    }
    ScrollArea::vertical().id_salt("needs").auto_shrink([false, false]).show_rows(
        ui,
        theme::ROW,
        needs.len(),
        |ui, rows| {
            for need in &needs[rows] {
                ui.horizontal(|ui| {
                    let colors = tokens(ui);
                    let (icon, color) = match need.state {
                        NeedState::Captured { days, .. } if days.abs() <= 30 => (Icon::Check, colors.accept),
                        NeedState::Captured { .. } => (Icon::Clock, colors.flag),
                        _ => (Icon::Close, colors.reject),
                    };
                    let (square, _) = ui.allocate_exact_size(Vec2::splat(theme::SMALL_ICON), Sense::hover());
                    icon.paint(ui.painter(), square, color);
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.label(RichText::new(state_text(&need.state)).color(color));
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            let url = egui::Label::new(text::line(text::without_scheme(&need.url))).truncate();
                            let response = ui.add(url.sense(Sense::click())).on_hover_text(text::line(&need.url));
                            if response.clicked() {
                                let filter = format!("url:{}", crate::app::models::quoted(&need.url));
                                app.send(Command::Go(Route::Captures { filter }));
                            }
                        });
                    });
                });
            }
        },
    );
}

/// What became of a resource, in words.
fn state_text(state: &NeedState) -> String {
    match state {
        NeedState::Captured { days: 0, .. } => "captured".to_owned(),
        NeedState::Captured { days, .. } if *days > 0 => {
            format!("captured {} later", text::counted(days.unsigned_abs(), "day"))
        }
        NeedState::Captured { days, .. } => format!("captured {} earlier", text::counted(days.unsigned_abs(), "day")),
        NeedState::Failed { status, .. } => format!("failed: status {status}"),
        NeedState::NotCaptured(outcome) => text::short(outcome.sentence.trim_end_matches('.'), 60),
        NeedState::NeverSeen => "never requested".to_owned(),
    }
}
