//! Captures found over time: as bars, and the same as a table.

use crate::app::AppState;
use crate::app::models::{Period, PeriodCount, SearchQuery, date_range, with_date_range};
use crate::ui::access::name_node;
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::pages::select::captures_by;
use crate::ui::table::{Column, Table, Value, key_of};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{field_ui, framed_plot, in_plot_style, segments_ui};
use crate::uri::CaptureDate;
use egui::accesskit::Role;
use egui::{Button, Ui};
use egui_plot::{Bar, BarChart, GridMark, PlotPoint};

/// Height of the bars, with the labels below them.
const BARS: f32 = 62.0;
/// Height of the table.
const TABLE: f32 = 150.0;
/// Captures that a share is given of.
const SHARE_OF: f64 = 10_000.0;

/// The timeline of the page Search.
pub struct Timeline {
    /// Whether it is shown; in a window without room for it beside the results, whether it is not.
    pub is_open: bool,
    period: Option<Period>,
    /// Counts of 10,000 captures that there are of the time, in the place of counts.
    is_share: bool,
    has_table: bool,
    /// The bars from which and to which a drag has come.
    brush: Option<(f64, f64)>,
    /// The period that gives enough bars and not too many.
    suited: Period,
    from: String,
    to: String,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            is_open: true,
            period: None,
            is_share: false,
            has_table: false,
            brush: None,
            suited: Period::Month,
            from: String::new(),
            to: String::new(),
        }
    }
}

/// An action on a row of the table.
enum TimelineAction {
    Captures(String),
    Narrow(String),
}

impl Timeline {
    /// The period that captures are counted by.
    pub fn period(&self) -> Period {
        self.period.unwrap_or(self.suited)
    }

    /// Draws the captures found in each period. Gives the search that a range
    /// of time was chosen for.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        query: &SearchQuery,
        periods: &[PeriodCount],
    ) -> Option<SearchQuery> {
        let (Some(first), Some(last)) = (periods.first(), periods.last()) else { return None };
        self.suited = suited(self.suited, &first.period, &last.period);
        let narrowed_to = date_range(&query.text);
        let mut range = None;
        let bars = ui.horizontal_top(|ui| {
            let width = ui.available_width() - theme::CONTROL - ui.spacing().item_spacing.x;
            let drawn = ui.allocate_ui(egui::vec2(width, BARS), |ui| {
                ui.set_width(width);
                in_plot_style(ui, |ui| self.bars_ui(ui, periods, narrowed_to.as_deref()))
            });
            let more = icon_button_ui(ui, Icon::More, "How the timeline counts");
            let closes = egui::PopupCloseBehavior::CloseOnClickOutside;
            egui::Popup::menu(&more).close_behavior(closes).show(|ui| {
                ui.weak("Captures found by");
                let mut period = self.period();
                segments_ui(
                    ui,
                    "Period",
                    &mut period,
                    &[(Period::Day, "day"), (Period::Month, "month"), (Period::Year, "year")],
                );
                self.period = Some(period);
                ui.weak("Height of the bars");
                segments_ui(
                    ui,
                    "Height of the bars",
                    &mut self.is_share,
                    &[(false, "Number"), (true, "Per 10,000 captures")],
                );
                ui.checkbox(&mut self.has_table, "As a table");
                ui.horizontal(|ui| {
                    field_ui(ui, "From", &mut self.from, &first.period, theme::DATE_FIELD);
                    field_ui(ui, "To", &mut self.to, &last.period, theme::DATE_FIELD);
                    range = self.typed_range_ui(ui);
                });
            });
            drawn.inner
        });
        let range = bars.inner.or(range);
        let range = if self.has_table { self.table_ui(ui, app, query, periods).or(range) } else { range };
        range.map(|range| SearchQuery { text: with_date_range(&query.text, Some(&range)), ..query.clone() })
    }

    /// Whether it is drawn: in a window without room for it beside the results, only where a person
    /// opened it in the place of these.
    pub fn is_shown(&self, is_low: bool) -> bool {
        self.is_open != is_low
    }

    /// The range that was typed, once it is confirmed.
    fn typed_range_ui(&mut self, ui: &mut Ui) -> Option<String> {
        let (from, to) = (self.from.trim(), self.to.trim());
        let is_date = |text: &&str| text.is_empty() || CaptureDate::period(text).is_ok();
        let why_not = match (from, to) {
            ("", "") => Some("Type a first or last year, month or day, such as 2024-03, or drag over bars"),
            _ if ![from, to].iter().all(is_date) => Some("Write dates as 2024, 2024-03 or 2024-03-01"),
            _ => None,
        };
        let button = ui.add_enabled(why_not.is_none(), Button::new("Narrow"));
        if !button.on_disabled_hover_text(why_not.unwrap_or_default()).clicked() {
            return None;
        }
        let range = format!("{from}..{to}");
        (self.from, self.to) = Default::default();
        Some(range)
    }

    /// Draws the bars. A drag over them, or a click on one, gives the time that it chooses; the time that
    /// the search is narrowed to has an edge, and bars beside it are dim.
    fn bars_ui(&mut self, ui: &mut Ui, periods: &[PeriodCount], chosen: Option<&str>) -> Option<String> {
        let (kind, is_share) = (self.period(), self.is_share);
        let placed: Vec<(f64, &PeriodCount)> =
            periods.iter().filter_map(|period| Some((place_of(&period.period, kind)?, period))).collect();
        let brush = self.brush.or_else(|| places_of(chosen?, &placed));
        let (accent, dim) = (tokens(ui).accent, tokens(ui).fill_none);
        let is_in = |place: f64| brush.is_none_or(|(from, to)| (from - 0.5..=to + 0.5).contains(&place));
        let bars = placed.iter().map(|(place, period)| {
            let height = if is_share { share(period) } else { period.count as f64 };
            let name = format!(
                "{}: {}, {:.0} of 10,000",
                period.period,
                text::counted(period.count, "capture"),
                share(period)
            );
            let color = if is_in(*place) { accent } else { dim };
            Bar::new(*place, height).width(0.8).fill(color).stroke(egui::Stroke::NONE).name(name)
        });
        let chart = BarChart::new("captures", bars.collect());
        let most = placed.iter().map(|(_, of)| if is_share { share(of) } else { of.count as f64 }).fold(0.0, f64::max);
        let plot = framed_plot(("timeline", kind.name()), BARS, most)
            .show_grid(false)
            .show_axes([true, false])
            .x_axis_formatter(move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| axis_label(mark, kind))
            .show(ui, |plot| plot.bar_chart(chart));
        let place_at = |at: egui::Pos2| plot.transform.value_from_position(at).x;
        if let Some((from, to)) = brush {
            let frame = *plot.transform.frame();
            let x = |place: f64| plot.transform.position_from_point(&PlotPoint::new(place, 0.0)).x;
            let range = egui::Rangef::new(x(from - 0.5).max(frame.left()), x(to + 0.5).min(frame.right()));
            let edge = egui::Rect::from_x_y_ranges(range, frame.y_range());
            ui.painter().rect_stroke(edge, 0.0, egui::Stroke::new(1.0, accent), egui::StrokeKind::Inside);
        }
        let response = plot.response.interact(egui::Sense::click_and_drag());
        let response = response.on_hover_text("Drag over bars to narrow to this time");
        name_node(&response, Role::Canvas, "Captures over time");
        let pointer = response.interact_pointer_pos()?;
        // From bar to bar: beside them there is nothing.
        let bar_at = |x: f64| {
            let apart = |place: f64| (place - x).abs();
            placed.iter().min_by(|a, b| apart(a.0).total_cmp(&apart(b.0)))
        };
        let origin = ui.input(|input| input.pointer.press_origin()).unwrap_or(pointer);
        let (a, b) = (place_at(origin), place_at(pointer));
        let (first, last) = (bar_at(a.min(b))?, bar_at(a.max(b))?);
        if !response.drag_stopped() && !response.clicked() {
            self.brush = response.dragged().then_some((first.0, last.0));
            return None;
        }
        let (first, last) = match self.brush.take() {
            // The pointer is up, and where it went down is forgotten.
            Some((from, to)) if response.drag_stopped() => (bar_at(from)?, bar_at(to)?),
            _ => (first, last),
        };
        let (first, last) = (&first.1.period, &last.1.period);
        Some(if first == last { first.clone() } else { format!("{first}..{last}") })
    }

    /// Draws the timeline as rows, each number of which leads to its captures.
    fn table_ui(
        &self,
        ui: &mut Ui,
        app: &mut AppState,
        query: &SearchQuery,
        periods: &[PeriodCount],
    ) -> Option<String> {
        type Col<'a> = Column<'a, PeriodCount, TimelineAction>;
        let found = query.text.clone();
        let columns = [
            Col::text("period", "Time", 110.0, |row| &row.period),
            Col::count("captures", "Captures found", 120.0, |row| row.count).link("Show these captures", move |row| {
                Some(TimelineAction::Captures(with_date_range(&found, Some(&row.period))))
            }),
            Col::count("of", "All captures", 120.0, |row| row.of)
                .about("Captures of the time, found or not")
                .link("Show these captures", |row| Some(TimelineAction::Captures(format!("date:{}", row.period)))),
            Col::value("share", "Per 10,000", 90.0, |row| Value::Count(share(row).round() as u64)).numeric(),
        ];
        let table =
            Table::new("search-timeline", "Captures found over time", columns, |row: &PeriodCount| key_of(&row.period));
        let table =
            table.height(TABLE).on_open(|row| Some(TimelineAction::Narrow(row.period.clone()))).menu(|ui, row| {
                let narrow = ui.button("Narrow to this time").clicked();
                narrow.then(|| TimelineAction::Narrow(row.period.clone()))
            });
        match table.rows_ui(ui, app, periods)? {
            TimelineAction::Captures(filter) => captures_by(app, filter),
            TimelineAction::Narrow(range) => return Some(range),
        }
        None
    }
}

/// Captures found of 10,000 that there are of the time.
fn share(period: &PeriodCount) -> f64 {
    period.count as f64 * SHARE_OF / period.of.max(1) as f64
}

/// The places of the first and last bar of a range of dates, such as `2024-03..2024-05`.
fn places_of(range: &str, placed: &[(f64, &PeriodCount)]) -> Option<(f64, f64)> {
    let (from, to) = range.split_once("..").unwrap_or((range, range));
    // Compared as far as both are written: a day is in its month.
    let is_from = |period: &str| from.is_empty() || period >= from || from.starts_with(period);
    let is_until = |period: &str| to.is_empty() || period <= to || period.starts_with(to);
    let mut chosen = placed.iter().filter(|(_, of)| is_from(&of.period) && is_until(&of.period)).map(|(at, _)| *at);
    let first = chosen.next()?;
    Some((first, chosen.next_back().unwrap_or(first)))
}

/// The period by which there are enough bars from the first to the last, and not too many to tell apart.
fn suited(now: Period, first: &str, last: &str) -> Period {
    let months = |period: &str| {
        let mut parts = period.split('-').map(|part| part.parse::<i64>().unwrap_or_default());
        (parts.next().unwrap_or_default(), parts.next())
    };
    let ((from, from_month), (to, to_month)) = (months(first), months(last));
    // Of years alone, the longest time that they may be.
    let months = (to - from) * 12 + to_month.unwrap_or(12) - from_month.unwrap_or(1) + 1;
    match months {
        MOST_BARS.. => Period::Year,
        // Years do not say whether days would do.
        ..=MONTHS_IN_DAYS if now != Period::Year => Period::Day,
        _ => Period::Month,
    }
}

/// Longer times have a bar for each year.
const MOST_BARS: i64 = 81;
/// Times of so many months at most have a bar for each day.
const MONTHS_IN_DAYS: i64 = 4;

/// The place of a period on the axis: years, months or days one after the other.
fn place_of(period: &str, kind: Period) -> Option<f64> {
    let mut parts = period.split('-').map(|part| part.parse::<i64>().ok());
    let year = parts.next()??;
    Some(match kind {
        Period::Year => year as f64,
        Period::Month => (year * 12 + parts.next()?? - 1) as f64,
        Period::Day => CaptureDate::parse(period).ok()?.millis().div_euclid(86_400_000) as f64,
    })
}

/// The period at a place of the axis.
fn period_at(place: f64, kind: Period) -> String {
    let place = place.round() as i64;
    match kind {
        Period::Year => format!("{place:04}"),
        Period::Month => format!("{:04}-{:02}", place.div_euclid(12), place.rem_euclid(12) + 1),
        Period::Day => text::day(CaptureDate::from_seconds(place.saturating_mul(86_400))),
    }
}

/// The label below the axis: none between two periods.
fn axis_label(mark: GridMark, kind: Period) -> String {
    if mark.value.fract().abs() > 1e-9 { String::new() } else { period_at(mark.value, kind) }
}

#[cfg(test)]
mod tests {
    use super::{Period, PeriodCount, period_at, place_of, places_of, suited};

    #[test]
    fn periods_lie_where_their_time_is() {
        for (kind, period, next) in [
            (Period::Year, "1999", "2000"),
            (Period::Month, "2023-12", "2024-01"),
            (Period::Day, "2024-02-28", "2024-02-29"),
            (Period::Day, "1969-12-31", "1970-01-01"),
        ] {
            let place = place_of(period, kind).unwrap_or_default();
            assert_eq!(period_at(place, kind), period);
            assert_eq!(period_at(place + 1.0, kind), next);
            assert_eq!(place_of(next, kind), Some(place + 1.0));
        }
    }

    #[test]
    fn bars_are_neither_few_nor_many() {
        for (now, first, last, expected) in [
            (Period::Month, "2026-08", "2026-11", Period::Day),
            (Period::Day, "2026-08-16", "2026-11-26", Period::Day),
            (Period::Month, "2026-01", "2026-11", Period::Month),
            (Period::Day, "2025-11-30", "2026-11-01", Period::Month),
            (Period::Month, "2012-01", "2026-11", Period::Year),
            (Period::Year, "2012", "2026", Period::Year),
            (Period::Year, "2025", "2026", Period::Month),
            (Period::Year, "2020", "2026", Period::Year),
            (Period::Month, "2020-01", "2026-09", Period::Year),
        ] {
            assert_eq!(suited(now, first, last), expected, "{first} to {last}");
        }
    }

    #[test]
    fn the_bars_of_a_range_are_found() {
        let counts: Vec<PeriodCount> = ["2024-01", "2024-02", "2024-04", "2025-01"]
            .into_iter()
            .map(|period| PeriodCount { period: period.to_owned(), count: 1, of: 1 })
            .collect();
        let placed: Vec<(f64, &PeriodCount)> = (0..).map(f64::from).zip(&counts).collect();
        for (range, expected) in [
            ("2024-02..2024-04", Some((1.0, 2.0))),
            ("2024", Some((0.0, 2.0))),
            ("2024-02-15..2024-04-03", Some((1.0, 2.0))),
            ("..2024-02", Some((0.0, 1.0))),
            ("2025..", Some((3.0, 3.0))),
            ("2030", None),
        ] {
            assert_eq!(places_of(range, &placed), expected, "{range}");
        }
    }
}
