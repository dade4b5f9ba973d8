//! Every shared widget in its states, one page for who draws or changes them: `FONDS_GALLERY=1 fonds`.

use super::{
    FieldLevel, FormRow, PLOT_LINE, action_ui, drop_ui, empty_ui, filter_chip_ui, framed_plot, heading_ui,
    in_plot_style, line_field_ui, no_plot_ui, notice_ui, paint_key_cap, plot_fill, plot_head_ui, quiet_button,
    remark_row_ui, segments_ui, tab_ui, tabs_ui, tick_chip_ui,
};
use crate::app::models::Notice;
use crate::app::{Action, AppState, Settings, Workspaces};
use crate::ui::header::primary_ui;
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::table::{Column, RowIcon, Table, Value};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::{ScrollArea, Ui};
use egui_plot::{Line, PlotPoints};
use std::sync::Arc;

/// The gallery, with what its widgets keep.
pub struct Gallery {
    app: AppState,
    segment: u8,
    is_ticked: [bool; 2],
    line: String,
    limit: String,
    time: String,
}

/// A row of the gallery's tables.
struct Specimen {
    key: u64,
    title: &'static str,
    url: &'static str,
    cited: Option<u64>,
    size: u64,
}

const SPECIMENS: [Specimen; 4] = [
    Specimen {
        key: 1,
        title: "O Estaleiro Gaivota fecha portas ao fim de noventa anos",
        url: "https://jornal.vilanova.example/2026/04/estaleiro-gaivota-fecha-portas.html",
        cited: Some(12),
        size: 1_900_000_000,
    },
    Specimen {
        key: 2,
        title: "Planos do Estaleiro Gaivota em linha",
        url: "https://biblioteca.vilanova.example/planos",
        cited: Some(0),
        size: 980_000,
    },
    Specimen { key: 3, title: "", url: "https://estaleiro-gaivota.example/", cited: Some(38_271), size: 9_400 },
    Specimen { key: 4, title: "Memória da rampa", url: "http://moliceiros.example/", cited: None, size: 0 },
];

impl Gallery {
    /// The gallery without a workspace.
    ///
    /// # Errors
    ///
    /// Threads of the workers could not be made.
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> std::io::Result<Self> {
        let app = AppState::new(Arc::new(Workspaces::default()), Settings::default(), wake)?;
        let line = "estaleiro moliceiro".to_owned();
        Ok(Self { app, segment: 0, is_ticked: [true, false], line, limit: "20 000".to_owned(), time: String::new() })
    }

    /// The state behind its widgets.
    pub fn app_mut(&mut self) -> &mut AppState {
        &mut self.app
    }

    /// Draws all of it.
    pub fn ui(&mut self, ui: &mut Ui) {
        theme::page_frame(ui).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                ui.columns(2, |columns| {
                    if let [left, right] = columns {
                        self.choices_ui(left);
                        self.form_ui(left);
                        texts_ui(left);
                        self.tables_ui(right);
                        plots_ui(right);
                    }
                });
            });
        });
    }

    fn choices_ui(&mut self, ui: &mut Ui) {
        heading_ui(ui, "Choosing");
        tabs_ui(ui, "Tabs", |ui| {
            for (label, is_chosen) in [("Sites 63", true), ("Next 2 114", false), ("Events", false)] {
                tab_ui(ui, is_chosen, label);
            }
        });
        let views = [(0, "List"), (1, "Images"), (2, "Map")];
        ui.horizontal(|ui| {
            segments_ui(ui, "Segments", &mut self.segment, &views);
            drop_ui(ui, "drop", "Drop", "Best first", theme::DATE_FIELD, |_| {});
        });
        ui.horizontal(|ui| {
            filter_chip_ui(ui, "Type: page", "Take this condition away");
            for (at, label) in ["off topic", "soft 404"].into_iter().enumerate() {
                if tick_chip_ui(ui, self.is_ticked[at], label) {
                    self.is_ticked[at] ^= true;
                }
            }
        });
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.is_ticked[0], "Also a rule in v8 of the spec");
            ui.checkbox(&mut self.is_ticked[1], "Comfortable rows");
        });
        ui.horizontal(|ui| {
            primary_ui(ui, "Review 214", egui::Vec2::ZERO, true);
            let _ = ui.button("Use as filter…");
            ui.add(quiet_button("Cancel"));
            let _ = ui.link("3 samples");
        });
        ui.horizontal(|ui| {
            ui.add_enabled_ui(false, |ui| {
                primary_ui(ui, "Save as v8", egui::Vec2::ZERO, false).on_disabled_hover_text("Nothing was edited");
                let _ = ui.button("Off");
                icon_button_ui(ui, Icon::Flag, "Flag, off");
            });
            for (icon, name) in [(Icon::Check, "Approve"), (Icon::Close, "Reject"), (Icon::More, "More")] {
                icon_button_ui(ui, icon, name);
            }
            let (_, place) = ui.allocate_space(egui::vec2(theme::NUMBER_FIELD, theme::CONTROL));
            paint_key_cap(ui, place.right_center(), "Ctrl+K");
        });
        action_ui(ui, &mut self.app, Action::StartCrawl);
    }

    fn form_ui(&mut self, ui: &mut Ui) {
        heading_ui(ui, "Forms");
        let field = |ui: &mut Ui, text: &mut String| line_field_ui(ui, "Documents", text, "20 000", theme::DATE_FIELD);
        FormRow::new("Documents")
            .note("per launch; the last one fetched 18 204")
            .show_ui(ui, |ui| field(ui, &mut self.limit));
        FormRow::new("Name").changed(true).show_ui(ui, |ui| field(ui, &mut self.line));
        let time = FormRow::new("Time")
            .remark(FieldLevel::Warning, "A trap could keep the crawl running over night", "Set 6 h")
            .show_ui(ui, |ui| field(ui, &mut self.time));
        if time.is_cured {
            "6 h".clone_into(&mut self.time);
        }
        FormRow::new("Seed")
            .remark(FieldLevel::Error, "No http or https URL", "")
            .show_ui(ui, |ui| field(ui, &mut self.line));
        remark_row_ui(ui, FieldLevel::Error, "Refused: no crawl starts while this seed is on.", "Turn the seed off");
        remark_row_ui(ui, FieldLevel::Warning, "No limit ends the crawl.", "");
    }

    fn tables_ui(&mut self, ui: &mut Ui) {
        heading_ui(ui, "Tables");
        for (id, is_two) in [("gallery one line", false), ("gallery two lines", true)] {
            type Col<'a> = Column<'a, Specimen, ()>;
            let columns = [
                Col::text("title", "Page", 180.0, |row| row.title).second("url", "URL", |row| row.url),
                Col::value("cited", "Cited by", 60.0, |row| Value::known(row.cited))
                    .numeric()
                    .link("Show these inlinks", |_| Some(())),
                Col::bytes("size", "Size", 60.0, |row| row.size),
            ];
            let table = Table::new(id, id, columns, |row: &Specimen| row.key)
                .row_icon(RowIcon::new(Icon::Check, "Approve this row", |_| Some(())))
                .chosen(Some(if is_two { 2 } else { 1 }))
                .aside();
            let table = if is_two { table.two_lines() } else { table };
            table.rows_ui(ui, &mut self.app, &SPECIMENS);
        }
        empty_ui(ui, "No rows match.", "No row fits the filter and the view above.");
        let _ = ui.button("Clear");
    }
}

fn texts_ui(ui: &mut Ui) {
    heading_ui(ui, "Numbers and messages");
    ui.label(format!(
        "{}, {}, {}, {}, {}, {}",
        text::count(12_418),
        text::bytes(1_900_000_000),
        text::change(-2_040),
        text::known(None),
        text::share(31, 100),
        text::duration(7_800.0)
    ));
    for is_error in [false, true] {
        notice_ui(
            ui,
            &Notice {
                is_error,
                what: if is_error { "Export failed" } else { "3 captures approved" }.to_owned(),
                why: if is_error { "no space left on the disk" } else { "" }.to_owned(),
                hint: if is_error { "Free some space, then export again" } else { "" }.to_owned(),
            },
        );
    }
}

fn plots_ui(ui: &mut Ui) {
    heading_ui(ui, "Plots");
    let color = tokens(ui).accent;
    plot_head_ui(ui, "Discovered, URLs", &[("discovered", color)]);
    let points: Vec<[f64; 2]> = (0..40).map(|at| [f64::from(at), f64::from(at * at) * 4.0]).collect();
    let most = points.last().map_or(0.0, |point| point[1]);
    in_plot_style(ui, |ui| {
        framed_plot("gallery plot", theme::PLOT, most).show(ui, |plot| {
            let line = Line::new("discovered", PlotPoints::from(points));
            plot.line(line.color(color).width(PLOT_LINE).fill(0.0).fill_alpha(f32::from(plot_fill(color).a()) / 255.0));
        });
    });
    plot_head_ui(ui, "Bytes per second, kB", &[]);
    no_plot_ui(ui, "Shown from the second sample of a crawl on");
}
