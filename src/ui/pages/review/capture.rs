//! The page that is reviewed: title, address, its text with what it lacks, and the resources that it needs.

use super::findings::FindingList;
use crate::app::models::{CaptureDetail, CaptureId, Loaded, Need, PageNeeds, PagePicture, PatchSource};
use crate::app::{AppState, Command, Route};
use crate::ui::long_text::LongText;
use crate::ui::panel::needs::needs_ui;
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{keep_page_room, loaded_ui, read_only, tab_of_ui, tabs_ui};
use crate::uri::CaptureDate;
use egui::load::SizedTexture;
use egui::{Align, ColorImage, Layout, RichText, ScrollArea, TextureHandle, TextureOptions, Ui};

/// Missing resources that are named above the text.
const MOST_NAMED: usize = 8;
/// None of the marks in a text is the current one.
const NO_MARK: usize = usize::MAX;

/// What is shown of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CapturePart {
    /// The picture that a browser made of it; its text where none did.
    #[default]
    Picture,
    /// Its text.
    Text,
    /// The resources that it needs.
    Needs,
    /// Findings, where they have no column.
    Findings,
}

/// The page in the middle.
pub(super) struct CaptureView {
    part: CapturePart,
    text: LongText,
    picture: Option<DrawnPicture>,
}

impl Default for CaptureView {
    fn default() -> Self {
        Self { part: CapturePart::default(), text: LongText::with_missing(), picture: None }
    }
}

/// A picture as the screen has it, with the capture and the date that it is of.
struct DrawnPicture {
    of: (CaptureId, CaptureDate),
    texture: TextureHandle,
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
        let needs = app.reads.needs(id);
        let needed = needs.shown().map_or(0, |of| of.needs.len());
        let missing = needs.shown().map_or(0, |of| of.losses());
        let picture = app.reads.page_picture(id);
        let picture = picture.ready().and_then(|picture| picture.as_ref().as_ref());
        let is_gone = |part| match part {
            CapturePart::Findings => findings.is_none(),
            CapturePart::Picture => picture.is_none(),
            CapturePart::Text | CapturePart::Needs => false,
        };
        let mut part = if is_gone(self.part) { CapturePart::Text } else { self.part };
        let before = part;
        tabs_ui(ui, "Parts of the page", |ui| {
            if picture.is_some() {
                tab_of_ui(ui, &mut part, CapturePart::Picture, "Picture");
            }
            tab_of_ui(ui, &mut part, CapturePart::Text, "Text");
            tab_of_ui(ui, &mut part, CapturePart::Needs, format!("Needs {needed}"));
            if findings.is_some() {
                tab_of_ui(ui, &mut part, CapturePart::Findings, "Findings");
            }
        });
        if part != before {
            self.part = part;
        }
        let below = (bottom - ui.max_rect().bottom()).max(0.0);
        keep_page_room(ui, theme::ROWS_LEAST as f32 * ui.text_style_height(&egui::TextStyle::Body) + below);
        match (part, findings) {
            (CapturePart::Findings, Some(findings)) => findings.ui(ui, app, id),
            (CapturePart::Needs, _) => loaded_ui(ui, &needs, |ui, needs| needs_ui(ui, app, id, needs)),
            (_, findings) => {
                if let Some(findings) = findings {
                    findings.lines_ui(ui, app, id);
                }
                if missing > 0 {
                    loaded_ui(ui, &needs, |ui, needs| missing_ui(ui, app, id, needs));
                }
                match picture.filter(|_| part == CapturePart::Picture) {
                    Some(picture) => self.picture_ui(ui, picture),
                    None => self.text_ui(ui, app, id),
                }
            }
        }
    }

    /// Shows the text in the place of the picture, or the picture again.
    pub(super) fn switch_picture(&mut self) {
        self.part = if self.part == CapturePart::Picture { CapturePart::Text } else { CapturePart::Picture };
    }

    fn picture_ui(&mut self, ui: &mut Ui, picture: &PagePicture) {
        let of = (picture.capture, picture.checked);
        let made = format!("As {} showed it on {}", text::line(&picture.browser), picture.checked.to_readable());
        if self.picture.as_ref().is_none_or(|drawn| drawn.of != of) {
            let image = ColorImage::from_rgb(picture.size, &picture.pixels);
            let texture = ui.ctx().load_texture("picture of the page", image, TextureOptions::LINEAR);
            self.picture = Some(DrawnPicture { of, texture });
        }
        let Some(drawn) = &self.picture else { return };
        ui.label(RichText::new(&made).size(theme::CAPTION_TEXT).color(tokens(ui).weak_text));
        ScrollArea::vertical().id_salt("picture").auto_shrink([false, false]).show(ui, |ui| {
            let size = drawn.texture.size_vec2();
            let width = ui.available_width().min(size.x);
            let image = egui::Image::new(SizedTexture::new(drawn.texture.id(), size)).alt_text(made);
            ui.add(image.fit_to_exact_size(size * (width / size.x.max(1.0))));
        });
    }

    fn text_ui(&mut self, ui: &mut Ui, app: &mut AppState, id: CaptureId) {
        let marked = app.reads.marked_text(id);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            loaded_ui(ui, &marked, |ui, of| {
                let is_own = matches!(marked, Loaded::Ready(_));
                if !is_own && !self.text.shows(&of.content) {
                    return;
                }
                if of.content.text.trim().is_empty() {
                    ui.weak("This capture has no visible text");
                } else {
                    theme::keep_reading_width(ui);
                    self.text.ui(ui, &of.content, Some((&of.marks, NO_MARK)));
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
fn missing_ui(ui: &mut Ui, app: &mut AppState, id: CaptureId, of: &PageNeeds) {
    let colors = tokens(ui);
    let mut losses: Vec<&Need> = of.needs.iter().filter(|need| need.is_loss()).collect();
    losses.sort_by_key(|need| std::cmp::Reverse(need.weight));
    egui::Frame::new().fill(colors.reject_bg).inner_margin(theme::CONTROL_PAD).show(ui, |ui| {
        let missing = losses.len();
        ui.horizontal(|ui| {
            let title = format!("Missing on this page: {}", text::counted(missing as u64, "resource"));
            ui.label(theme::strong(title, theme::BODY_TEXT).color(colors.strong_text));
            if read_only(ui).is_none() && ui.link("Patch…").on_hover_text("Fetch what is missing (P)").clicked() {
                app.send(Command::PlanPatch(PatchSource::Captures(vec![id])));
            }
        });
        for (nth, need) in (1..).zip(losses.into_iter().take(MOST_NAMED)) {
            let line = format!("{nth}  {}: {}", text::middle(&need.url, 60), need.label());
            ui.add(egui::Label::new(RichText::new(line).color(colors.text)).truncate())
                .on_hover_text(text::line(&need.url));
        }
        if missing > MOST_NAMED {
            ui.weak(format!("and {} more, under Needs", missing - MOST_NAMED));
        }
    });
}
