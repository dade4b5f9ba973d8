//! The grid of forms: labels at the right of one column, fields at the left of the next, on the whole
//! page; what a field means or lacks stands beside it.

use crate::ui::icons::{Icon, icon_ui};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::{Align, Color32, Label, Layout, Rect, Response, RichText, Stroke, Ui, WidgetInfo, vec2};

/// How much a remark on a field matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldLevel {
    /// It can be saved as a draft and not be crawled with.
    Error,
    /// It can be used as it is.
    Warning,
}

/// A remark on a field, and what would mend it.
struct FieldRemark<'a> {
    level: FieldLevel,
    text: &'a str,
    cure: &'a str,
}

/// A row of a form.
pub struct FormRow<'a> {
    label: &'a str,
    name: &'a str,
    note: &'a str,
    remark: Option<FieldRemark<'a>>,
    is_changed: bool,
}

/// What came of a row of a form.
pub struct FormAnswer {
    /// The field.
    pub field: Response,
    /// Whether the link that mends the remark was clicked.
    pub is_cured: bool,
}

impl<'a> FormRow<'a> {
    /// A row with this label.
    pub fn new(label: &'a str) -> Self {
        Self { label, name: label, note: "", remark: None, is_changed: false }
    }

    /// Names the field for who listens, where its label is clear only beside the others.
    pub fn named(mut self, name: &'a str) -> Self {
        self.name = name;
        self
    }

    /// Adds a unit or what follows from the value, at the right of the field.
    pub fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// Adds an error or a warning, with the label of a link that mends it, or none.
    pub fn remark(mut self, level: FieldLevel, text: &'a str, cure: &'a str) -> Self {
        self.remark = Some(FieldRemark { level, text, cure });
        self
    }

    /// Marks it as changed since it was saved.
    pub fn changed(mut self, is_changed: bool) -> Self {
        self.is_changed = is_changed;
        self
    }

    /// Draws it. The field is named by the label.
    pub fn show_ui(self, ui: &mut Ui, field: impl FnOnce(&mut Ui) -> Response) -> FormAnswer {
        let colors = tokens(ui);
        let mut is_cured = false;
        let drawn = ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let size = vec2(theme::LABEL_COLUMN, theme::CONTROL);
            let label = ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.set_min_size(size);
                ui.label(RichText::new(self.label).color(colors.weak_text))
            });
            label.inner.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.name));
            ui.add_space(theme::LABEL_GAP);
            let edge = self.remark.as_ref().map(|remark| color_of(ui, remark.level));
            let field = edged_ui(ui, edge, field).labelled_by(label.inner.id);
            ui.add_space(theme::GAP);
            ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
            match &self.remark {
                Some(remark) => is_cured = remark_ui(ui, remark),
                None if self.note.is_empty() => {}
                // A note beside a long field makes no page wider; what is cut shows in a tip.
                None => {
                    let note = RichText::new(self.note).size(theme::SMALL_TEXT).color(colors.weak_text);
                    ui.add(Label::new(note).truncate());
                }
            }
            field
        });
        if self.is_changed {
            let row = drawn.response.rect;
            let bar = Rect::from_x_y_ranges(
                row.left() - theme::GAP..=row.left() - theme::GAP + theme::MARK_BAR,
                row.y_range(),
            );
            ui.painter().rect_filled(bar, 0.0, colors.flag);
        }
        FormAnswer { field: drawn.inner, is_cured }
    }
}

fn color_of(ui: &Ui, level: FieldLevel) -> Color32 {
    match level {
        FieldLevel::Error => tokens(ui).reject,
        FieldLevel::Warning => tokens(ui).flag,
    }
}

/// Draws a field with an edge of this colour. Its width is the same with every colour.
fn edged_ui(ui: &mut Ui, edge: Option<Color32>, field: impl FnOnce(&mut Ui) -> Response) -> Response {
    let drawn = ui.scope(|ui| {
        if let Some(edge) = edge {
            let widgets = &mut ui.visuals_mut().widgets;
            for state in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
                state.bg_stroke = Stroke::new(state.bg_stroke.width.max(1.0), edge);
            }
        }
        field(ui)
    });
    drawn.inner
}

fn remark_ui(ui: &mut Ui, remark: &FieldRemark<'_>) -> bool {
    let color = color_of(ui, remark.level);
    let icon = match remark.level {
        FieldLevel::Error => Icon::Error,
        FieldLevel::Warning => Icon::Warning,
    };
    icon_ui(ui, icon, theme::SMALL_ICON, color);
    ui.label(RichText::new(text::line(remark.text)).size(theme::SMALL_TEXT).color(color));
    !remark.cure.is_empty() && ui.link(RichText::new(remark.cure).size(theme::SMALL_TEXT)).clicked()
}

/// A remark on a row of a table of fields, just below it, on the ground of errors or warnings. Whether
/// the link that mends it was clicked.
pub fn remark_row_ui(ui: &mut Ui, level: FieldLevel, text: &str, cure: &str) -> bool {
    let ground = match level {
        FieldLevel::Error => tokens(ui).reject_bg,
        FieldLevel::Warning => tokens(ui).flag_bg,
    };
    let frame = egui::Frame::new().fill(ground).inner_margin(egui::Margin::symmetric(theme::CELL_PAD as i8, 2));
    let drawn = frame.show(ui, |ui| {
        let font = egui::FontId::proportional(theme::SMALL_TEXT);
        let width =
            |text: &str| ui.painter().layout_no_wrap(text::line(text), font.clone(), Color32::PLACEHOLDER).size().x;
        let needed = theme::SMALL_ICON + width(text) + width(cure) + 3.0 * theme::GAP;
        let draw = |ui: &mut Ui| {
            ui.set_min_width(ui.available_width());
            remark_ui(ui, &FieldRemark { level, text, cure })
        };
        // A long sentence takes more lines and makes no page wider.
        if needed > ui.available_width() { ui.horizontal_wrapped(draw).inner } else { ui.horizontal(draw).inner }
    });
    drawn.inner
}
