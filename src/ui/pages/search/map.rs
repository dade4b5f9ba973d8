//! Countries of the captures that a search finds: a map, and its numbers as a table.

use crate::app::AppState;
use crate::app::models::{
    CountryCount, FacetChoice, FacetKind, FacetValue, MAP_HEIGHT, MapCountry, MapPoint, SearchCounts, SearchQuery,
    facet_choices, with_facets,
};
use crate::app::models::{count_by_country, country_of, map_countries};
use crate::ui::facets::shown_value;
use crate::ui::pages::select::captures_by;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{empty_ui, least_table_height, segments_ui};
use egui::accesskit::Role;
use egui::{
    Align2, EventFilter, Key, Mesh, Modifiers, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, vec2,
};

/// The facets that the map can count by.
const KINDS: [FacetKind; 2] = [FacetKind::Country, FacetKind::TopLevel];
/// Lower places have the table beside the map.
const ROOM_BELOW: f32 = 430.0;
/// The part of such a place that the map takes.
const MAP_PART: f32 = 0.6;
/// Values named of those that have no place on the map.
const NAMED: usize = 5;
/// Half the size of a dot.
const DOT: f32 = 4.0;
/// Around a number on the map.
const NUMBER_PAD: f32 = 3.0;
/// Largest enlargement of the map, and that of one step.
const MOST_ZOOM: f32 = 16.0;
const ZOOM_STEP: f32 = 2.0;
/// Size of the scale of colours.
const SCALE: egui::Vec2 = vec2(72.0, 10.0);

/// The map of the page Search.
#[derive(Default)]
pub struct SearchMap {
    is_shown: bool,
    by_domain: bool,
    /// Code of the country that the keys are at.
    at: Option<String>,
    /// Steps that it is enlarged by.
    zoom: i32,
    /// The point in the middle; at first where most was found.
    middle: Option<MapPoint>,
    /// It was just opened: the keyboard goes there.
    is_entered: bool,
}

/// A row of the table beside the map.
struct MapRow {
    value: String,
    label: String,
    country: &'static str,
    count: u64,
}

/// An action on values.
enum MapAction {
    /// Results from there alone, or from everywhere where that is so already.
    Narrow(Vec<String>),
    /// The captures that are counted.
    Captures(Vec<String>),
}

/// The place of the map on the screen, and the part of it that is in sight.
#[derive(Clone, Copy)]
struct Sheet {
    whole: Rect,
    view: Rect,
}

impl Sheet {
    /// The largest map in a place, or the part of an enlarged one around its middle.
    fn within(place: Rect, zoom: f32, middle: MapPoint) -> Self {
        let width = place.width().min(place.height() / MAP_HEIGHT);
        let view = Align2::CENTER_TOP.align_size_within_rect(vec2(width, width * MAP_HEIGHT), place);
        let size = view.size() * zoom;
        let corner = view.center() - vec2(middle.x, middle.y) * size.x;
        let corner = corner.max(view.max - size).min(view.min);
        Self { whole: Rect::from_min_size(corner, size), view }
    }

    fn on_screen(self, point: MapPoint) -> Pos2 {
        self.whole.min + vec2(point.x, point.y) * self.whole.width()
    }

    fn on_map(self, place: Pos2) -> MapPoint {
        let from = (place - self.whole.min) / self.whole.width();
        MapPoint { x: from.x, y: from.y }
    }
}

impl SearchMap {
    /// Whether the map is shown in the place of the results.
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Chooses between results and map.
    pub fn switch_ui(&mut self, ui: &mut Ui) {
        let was_shown = self.is_shown;
        segments_ui(ui, "Views of what was found", &mut self.is_shown, &[(false, "Results"), (true, "Map")]);
        self.is_entered |= self.is_shown && !was_shown;
    }

    /// Draws map and table; gives the query that a person chose there.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        app: &mut AppState,
        counts: &SearchCounts,
        query: &SearchQuery,
    ) -> Option<SearchQuery> {
        let kind = self.kind_ui(ui);
        let values = counts.facets.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, values)| values);
        if values.is_empty() {
            empty_ui(ui, "Nothing found", "Try fewer words, or take a condition away");
            return None;
        }
        let places = count_by_country(kind, values);
        note_ui(ui, kind, values, &places);
        let (size, least) = (ui.available_size(), least_table_height(ui, values.len(), theme::ROW));
        let mut map_action = None;
        let mut table_action = None;
        if places.is_empty() {
            table_action = table_ui(ui, app, kind, values);
        } else if size.y >= ROOM_BELOW {
            let height = (size.x * MAP_HEIGHT).min(size.y - least - GAP);
            map_action = self.map_ui(ui, vec2(size.x, height), kind, &places, query);
            ui.add_space(GAP);
            table_action = table_ui(ui, app, kind, values);
        } else {
            ui.horizontal_top(|ui| {
                let width = size.x * MAP_PART;
                let height = size.y.min(width * MAP_HEIGHT);
                map_action = self.map_ui(ui, vec2(width, height), kind, &places, query);
                ui.vertical(|ui| table_action = table_ui(ui, app, kind, values));
            });
        }
        match map_action.or(table_action)? {
            MapAction::Narrow(values) => {
                let text = narrowed(&query.text, kind, &values);
                Some(SearchQuery { text, ..query.clone() })
            }
            MapAction::Captures(values) => {
                captures_by(app, with_facets(&query.text, kind, &FacetChoice::any_of(kind, &values)));
                None
            }
        }
    }

    /// Whether the map can be enlarged or reduced by so many steps.
    fn can_zoom(&self, by: i32) -> bool {
        (1.0..=MOST_ZOOM).contains(&ZOOM_STEP.powi(self.zoom + by))
    }

    /// Draws the choice of the facet, the legend of colours, and the zoom.
    fn kind_ui(&mut self, ui: &mut Ui) -> FacetKind {
        ui.horizontal_wrapped(|ui| {
            ui.weak("Captures found by");
            let kinds = [(false, KINDS[0].label()), (true, KINDS[1].label())];
            segments_ui(ui, "Captures found by", &mut self.by_domain, &kinds);
            ui.add_space(GAP);
            let colors = tokens(ui);
            ui.weak("fewer");
            let (place, _) = ui.allocate_exact_size(SCALE, Sense::hover());
            let mut mesh = Mesh::default();
            for (x, color) in [(place.left(), colors.map_least), (place.right(), colors.map_most)] {
                mesh.colored_vertex(Pos2::new(x, place.top()), color);
                mesh.colored_vertex(Pos2::new(x, place.bottom()), color);
            }
            mesh.add_triangle(0, 1, 2);
            mesh.add_triangle(1, 2, 3);
            ui.painter().add(mesh);
            ui.weak("more");
            ui.add_space(GAP);
            for (sign, name, by) in [("+", "Zoom in", 1), ("−", "Zoom out", -1)] {
                let button = ui.add_enabled(self.can_zoom(by), egui::Button::new(sign).small());
                button.widget_info(|| WidgetInfo::labeled(Role::Button, self.can_zoom(by), name));
                if button.on_hover_text(name).clicked() {
                    self.zoom += by;
                }
            }
        });
        KINDS[usize::from(self.by_domain)]
    }

    /// Draws the map: one place for the keyboard, in which arrows go from country to country.
    fn map_ui(
        &mut self,
        ui: &mut Ui,
        size: egui::Vec2,
        kind: FacetKind,
        places: &[CountryCount],
        query: &SearchQuery,
    ) -> Option<MapAction> {
        let (_, rect) = ui.allocate_space(size);
        let most = places.first().map_or(MapPoint { x: 0.5, y: 0.5 * MAP_HEIGHT }, |of| of.country.point);
        let sheet = Sheet::within(rect, ZOOM_STEP.powi(self.zoom), self.middle.unwrap_or(most));
        // One name wherever it is drawn: it keeps the keyboard while new numbers load.
        let builder = UiBuilder::new()
            .scope_id(egui::Id::unique("map of what was found"))
            .max_rect(sheet.view)
            .sense(Sense::click_and_drag())
            .accessibility_role(Role::Group)
            .accessibility_label(format!("Map of captures found by {}", kind.label().to_lowercase()));
        let mut child = ui.new_child(builder);
        child.set_min_size(sheet.view.size());
        child.set_clip_rect(sheet.view.intersect(ui.clip_rect()));
        if std::mem::take(&mut self.is_entered) {
            child.memory_mut(|memory| memory.request_focus(child.unique_id()));
        }
        let has_focus = child.memory(|memory| memory.has_focus(child.unique_id()));
        let mut pressed = has_focus && self.keys(&child, places);
        let at = self.at.clone().filter(|_| has_focus);
        let map = child.response();
        if map.dragged() {
            self.middle = Some(sheet.on_map(sheet.view.center() - map.drag_delta()));
        }
        let under = map.hover_pos().map(|pointer| sheet.on_map(pointer));
        let under = under.and_then(|place| map_countries().iter().find(|country| country.contains(place)));
        draw_lands(&child, sheet, places);
        let chosen = facet_choices(&query.text);
        let is_chosen = |of: &CountryCount| is_chosen(&chosen, kind, &of.values);
        let lit = |of: &CountryCount| Some(&of.country.code) == at.as_ref();
        for of in places.iter().filter(|of| is_chosen(of) || lit(of)) {
            outline(&child, sheet, of, if lit(of) { 2.5 } else { 1.5 });
        }
        let mut chosen = None;
        let marks = marks_ui(&child, sheet, places, &is_chosen);
        for (of, mark) in places.iter().zip(&marks) {
            let mark = mark.clone().on_hover_text(sentence(of));
            if mark.clicked() {
                chosen = Some(of);
            }
            if lit(of) {
                let stroke = Stroke::new(2.0, tokens(&child).accent);
                child.painter().rect_stroke(mark.rect.expand(2.0), 3.0, stroke, StrokeKind::Outside);
                child.ctx().accesskit_node_builder(child.unique_id(), |node| {
                    node.set_active_descendant(mark.id.accesskit_id());
                });
                mark.show_tooltip_text(format!("{}; Enter narrows to it", sentence(of)));
            }
        }
        let counted = |code: &str| places.iter().find(|of| of.country.code == code);
        if let Some(country) = under {
            let name = counted(&country.code).map_or_else(|| format!("{}: no captures found", country.name), sentence);
            if map.clicked() && !pressed {
                chosen = counted(&country.code);
            }
            map.on_hover_text_at_pointer(name);
        }
        if has_focus {
            let stroke = Stroke::new(1.0, tokens(&child).accent);
            child.painter().rect_stroke(sheet.view, 0.0, stroke, StrokeKind::Inside);
        }
        pressed &= at.is_some();
        let chosen = chosen.or_else(|| at.as_deref().filter(|_| pressed).and_then(counted));
        chosen.map(|of| MapAction::Narrow(of.values.clone()))
    }

    /// Goes to the next country to the left, right, north or south, or zooms; true for Enter. All are
    /// in one line from west to east and in one from north to south, so that each is reached.
    fn keys(&mut self, ui: &Ui, places: &[CountryCount]) -> bool {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(ui.unique_id(), filter));
        let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let step = [
            (Key::ArrowLeft, true, false),
            (Key::ArrowRight, true, true),
            (Key::ArrowUp, false, false),
            (Key::ArrowDown, false, true),
        ];
        if let Some((_, sideways, onward)) = step.into_iter().find(|(key, ..)| pressed(*key)) {
            let mut line: Vec<&CountryCount> = places.iter().collect();
            let place = |of: &CountryCount| if sideways { of.country.point.x } else { of.country.point.y };
            line.sort_by(|a, b| place(a).total_cmp(&place(b)));
            let here = line.iter().position(|of| Some(&of.country.code) == self.at.as_ref());
            let next = match here {
                // The first one is where most was found.
                None => places.first(),
                Some(here) if onward => line.get(here + 1).copied(),
                Some(here) => here.checked_sub(1).and_then(|before| line.get(before)).copied(),
            };
            if let Some(next) = next {
                self.at = Some(next.country.code.clone());
                self.middle = Some(next.country.point);
            }
        }
        for (key, by) in [(Key::Plus, 1), (Key::Equals, 1), (Key::Minus, -1)] {
            if pressed(key) && self.can_zoom(by) {
                self.zoom += by;
            }
        }
        pressed(Key::Enter) || pressed(Key::Space)
    }
}

/// Names what has no place on the map.
fn note_ui(ui: &mut Ui, kind: FacetKind, values: &[FacetValue], places: &[CountryCount]) {
    let names: Vec<_> =
        values.iter().filter(|of| country_of(kind, &of.value).is_none()).map(|of| shown_value(&of.value)).collect();
    if places.is_empty() && kind == FacetKind::Country {
        ui.label("Countries of servers are not known yet: crawls look them up with a geolocation database");
    } else if !names.is_empty() {
        let more = if names.len() > NAMED { " …" } else { "" };
        ui.weak(format!("Not on the map, only in the table: {}{more}", names[..names.len().min(NAMED)].join(", ")));
    }
}

/// Draws all lands, those with captures coloured by their number.
fn draw_lands(ui: &Ui, sheet: Sheet, places: &[CountryCount]) {
    let colors = tokens(ui);
    let painter = ui.painter();
    painter.rect_filled(sheet.view, 0.0, colors.raised_bg);
    let most = places.iter().map(|of| of.count).max().unwrap_or(1).max(2) as f32;
    let mut mesh = Mesh::default();
    let mut borders = Vec::new();
    for country in map_countries() {
        let count = places.iter().find(|of| of.country.code == country.code).map(|of| of.count as f32);
        let color = count.map_or(colors.map_land, |count| {
            colors.map_least.lerp_to_gamma(colors.map_most, count.max(1.0).ln() / most.ln())
        });
        let first = u32::try_from(mesh.vertices.len()).unwrap_or_default();
        let points: Vec<Pos2> = country.points.iter().map(|point| sheet.on_screen(*point)).collect();
        points.iter().for_each(|point| mesh.colored_vertex(*point, color));
        for [a, b, c] in country.triangles.as_chunks::<3>().0 {
            mesh.add_triangle(first + a, first + b, first + c);
        }
        let border = Stroke::new(0.7, colors.raised_bg);
        borders.extend(country.rings.iter().map(|ring| Shape::closed_line(points[ring.clone()].to_vec(), border)));
    }
    painter.add(mesh);
    painter.extend(borders);
}

fn outline(ui: &Ui, sheet: Sheet, of: &CountryCount, width: f32) {
    let stroke = Stroke::new(width, tokens(ui).accent);
    for ring in &of.country.rings {
        let points = of.country.points[ring.clone()].iter().map(|point| sheet.on_screen(*point)).collect();
        ui.painter().add(Shape::closed_line(points, stroke));
    }
}

/// Whether a number would hide a country: then it is beside a dot.
fn is_small(country: &MapCountry, sheet: Sheet, height: f32) -> bool {
    let largest = country.rings.iter().max_by_key(|ring| ring.len());
    let points = largest.and_then(|ring| country.points.get(ring.clone())).unwrap_or_default();
    let place = Rect::from_points(&points.iter().map(|point| sheet.on_screen(*point)).collect::<Vec<_>>());
    points.is_empty() || place.width().min(place.height()) < 1.2 * height
}

/// The number of each country at its place, the greatest first; a dot where another number has
/// taken the room. Each can be pressed by those who do not see the map.
fn marks_ui(
    ui: &Ui,
    sheet: Sheet,
    places: &[CountryCount],
    is_chosen: &dyn Fn(&CountryCount) -> bool,
) -> Vec<Response> {
    let colors = tokens(ui);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let dot = |place: Pos2| Rect::from_center_size(place, egui::Vec2::splat(2.0 * DOT));
    let height = ui.text_style_height(&egui::TextStyle::Small);
    let small: Vec<bool> = places.iter().map(|of| is_small(of.country, sheet, height)).collect();
    let dotted = places.iter().zip(&small).filter(|(_, is_small)| **is_small);
    let mut taken: Vec<Rect> = dotted.map(|(of, _)| dot(sheet.on_screen(of.country.point))).collect();
    let mut dots = Vec::new();
    let mut marks = Vec::new();
    for (of, is_small) in places.iter().zip(small) {
        let place = sheet.on_screen(of.country.point);
        let sign = if is_chosen(of) { "✔ " } else { "" };
        let label = format!("{sign}{}", text::count(of.count));
        let galley = ui.painter().layout_no_wrap(label, font.clone(), colors.strong_text);
        let size = galley.size() + 2.0 * vec2(NUMBER_PAD, 0.0);
        let beside = DOT + NUMBER_PAD + size.x / 2.0;
        let tries = if is_small { [beside, -beside] } else { [0.0, 0.0] };
        let tries = tries.into_iter().map(|x| Rect::from_center_size(place + vec2(x, 0.0), size));
        let free = tries
            .filter(|number| sheet.view.contains_rect(*number))
            .find(|number| taken.iter().all(|other| !other.intersects(*number)));
        if let Some(number) = free {
            ui.painter().rect(number, 3.0, colors.raised_bg, Stroke::new(1.0, colors.border), StrokeKind::Inside);
            ui.painter().galley(number.min + vec2(NUMBER_PAD, 0.0), galley, colors.strong_text);
            taken.push(number);
        }
        if free.is_none() || is_small {
            dots.push(place);
        }
        let touched = match free {
            Some(number) if is_small => number.union(dot(place)),
            Some(number) => number,
            None => dot(place),
        };
        let mark = ui.interact(touched, ui.unique_id().with(&of.country.code), Sense::CLICK);
        let name = format!("Map: {}", sentence(of));
        mark.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen(of), name.as_str()));
        marks.push(mark);
    }
    for place in dots {
        ui.painter().circle(place, DOT, colors.map_most, Stroke::new(1.0, colors.raised_bg));
    }
    marks
}

fn table_ui(ui: &mut Ui, app: &mut AppState, kind: FacetKind, values: &[FacetValue]) -> Option<MapAction> {
    type Col<'a> = Column<'a, MapRow, MapAction>;
    let narrow = |row: &MapRow| Some(MapAction::Narrow(vec![row.value.clone()]));
    let columns = [
        Col::text("value", kind.label(), 120.0, |row| &row.label).link("Narrow the search to it", narrow),
        Col::count("captures", "Captures", 80.0, |row| row.count)
            .link("Show these captures", |row| Some(MapAction::Captures(vec![row.value.clone()]))),
        Col::text("country", "Country", 200.0, |row| row.country).or("not on the map"),
    ];
    let row = |of: &FacetValue| MapRow {
        label: shown_value(&of.value),
        country: country_of(kind, &of.value).map_or("", |country| &country.name),
        value: of.value.clone(),
        count: of.count,
    };
    let rows: Vec<MapRow> = values.iter().map(row).collect();
    let (id, name) = match kind {
        FacetKind::Country => ("hits by country", "Captures found by country of the server"),
        _ => ("hits by top-level domain", "Captures found by top-level domain"),
    };
    Table::new(id, name, columns, |row| key_of(&row.value)).on_open(narrow).rows_ui(ui, app, &rows)
}

/// `Portugal: 12 captures`.
fn sentence(of: &CountryCount) -> String {
    format!("{}: {}", of.country.name, text::counted(of.count, "capture"))
}

fn is_chosen(chosen: &[FacetChoice], kind: FacetKind, values: &[String]) -> bool {
    FacetChoice::any_of(kind, values).iter().all(|choice| chosen.contains(choice))
}

/// The query with these values beside others of their facet, or without them where they are in it.
fn narrowed(line: &str, kind: FacetKind, values: &[String]) -> String {
    let mut choices = facet_choices(line);
    let were_chosen = is_chosen(&choices, kind, values);
    choices.retain(|one| one.kind == kind && !values.contains(&one.value));
    if !were_chosen {
        choices.extend(FacetChoice::any_of(kind, values));
    }
    with_facets(line, kind, &choices)
}
