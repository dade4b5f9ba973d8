//! The rail: the campaign, the field that finds and does, and the pages by the way of the work.

use super::access::{Region, begin_region};
use super::icons::{Icon, focus_ring};
use super::text;
use super::theme::{self, tokens};
use crate::app::models::CampaignRow;
use crate::app::{Action, AppState, CampaignAct, Command, Route, page_name, resolve};
use egui::accesskit::Role;
use egui::{
    Align2, Color32, CornerRadius, FontId, Layout, Popup, Rect, Response, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

/// Space around what the rail has.
const EDGE: f32 = 8.0;
/// Space between an icon and its label.
const ICON_GAP: f32 = 10.0;
/// Height of the chooser of campaigns.
const CHOOSER: f32 = 44.0;
/// Lower windows have no names of groups.
const GROUPED_FROM: f32 = 560.0;
/// Height of a group's name.
const GROUP: f32 = 27.0;
/// Rows of pages and settings.
const ROWS: f32 = 15.0;
/// Letters of a campaign's name in the menu.
const MENU_CHARS: usize = 60;
/// The label of the chooser where there is no current campaign.
const EVERY_CAPTURE: &str = "All captures";
/// The label of the field that opens the palette.
const FIND: &str = "Find or do";

/// The pages by their numbers, in the order of the work, with the group that begins before them.
const WORK: [(Option<&str>, u8); 11] = [
    (None, 1),
    (Some("Plan"), 2),
    (None, 3),
    (Some("Collect"), 4),
    (None, 10),
    (Some("Explore"), 5),
    (None, 6),
    (None, 7),
    (None, 14),
    (Some("Decide"), 8),
    (None, 9),
];

/// The icon of a page.
fn icon_of(page: u8) -> Icon {
    match page {
        0 => Icon::Campaigns,
        1 => Icon::Overview,
        2 => Icon::Spec,
        3 => Icon::Prospect,
        4 => Icon::Crawl,
        5 => Icon::Captures,
        6 => Icon::Search,
        7 => Icon::Links,
        8 => Icon::Review,
        9 => Icon::Select,
        10 => Icon::Files,
        11 => Icon::Jobs,
        14 => Icon::Entities,
        _ => Icon::Help,
    }
}

/// Work that waits on a page: what is drawn, what it means, and its colour.
struct WaitingCount {
    sign: String,
    about: String,
    color: Color32,
}

/// Draws the rail; in a narrow window its icons alone.
pub fn rail_ui(ui: &mut Ui, app: &mut AppState) {
    let colors = tokens(ui);
    let is_narrow = ui.available_width() < theme::NARROW_WINDOW;
    let width = if is_narrow { theme::RAIL_NARROW } else { theme::RAIL_WIDTH };
    let frame = egui::Frame::new().fill(colors.chrome_bg);
    egui::Panel::left("rail").exact_size(width).resizable(false).show_separator_line(false).frame(frame).show(
        ui,
        |ui| {
            begin_region(ui, Region::Rail, "Pages");
            let area = ui.max_rect();
            ui.painter().vline(area.right() - 0.5, area.y_range(), theme::part_line(ui));
            let has_groups = !is_narrow && area.height() >= GROUPED_FROM;
            let groups = if has_groups { 4.0 * GROUP } else { 4.0 * theme::GAP };
            let top = if is_narrow { 2.0 * theme::RAIL_ROW } else { CHOOSER + theme::RAIL_ROW };
            let rows = area.height() - groups - top - 5.0 * EDGE;
            let row = (rows / ROWS).clamp(theme::RAIL_ROW_LEAST, theme::RAIL_ROW).floor();
            let inner = area.shrink2(vec2(if is_narrow { theme::TIGHT_GAP } else { EDGE }, EDGE));
            let mut column = ui.new_child(UiBuilder::new().id_salt("pages").max_rect(inner));
            column.spacing_mut().item_spacing.y = 0.0;
            let ui = &mut column;
            page_ui(ui, app, 0, row, is_narrow, None);
            ui.add_space(theme::TIGHT_GAP);
            chooser_ui(ui, app, is_narrow);
            ui.add_space(theme::TIGHT_GAP);
            find_ui(ui, app, is_narrow);
            ui.add_space(theme::TIGHT_GAP);
            for (group, page) in WORK {
                match group {
                    Some(name) if has_groups => group_ui(ui, name),
                    Some(_) => ui.add_space(theme::GAP),
                    None => {}
                }
                let waiting = waiting(app, page, colors);
                page_ui(ui, app, page, row, is_narrow, waiting);
            }
            let foot = inner.with_min_y((inner.bottom() - 3.0 * row).max(ui.cursor().top() + theme::TIGHT_GAP));
            let mut column = ui.new_child(UiBuilder::new().id_salt("foot").max_rect(foot));
            column.spacing_mut().item_spacing.y = 0.0;
            let ui = &mut column;
            let failed = waiting(app, 11, colors);
            page_ui(ui, app, 11, row, is_narrow, failed);
            settings_ui(ui, app, row, is_narrow);
            page_ui(ui, app, 12, row, is_narrow, None);
        },
    );
}

/// A page's count, only where work waits.
fn waiting(app: &mut AppState, page: u8, colors: &theme::Tokens) -> Option<WaitingCount> {
    let waits = |sign: &str, about: String, color| Some(WaitingCount { sign: sign.to_owned(), about, color });
    match page {
        2 => {
            let edited = app.open.spec.as_ref().is_some_and(|spec| spec.shows_edits());
            edited.then(|| waits("edited", "Unsaved edits".to_owned(), colors.flag)).flatten()
        }
        4 => match app.crawl_job() {
            Some(job) if job.cx().is_paused() => waits("paused", "A crawl is paused".to_owned(), colors.flag),
            Some(_) => waits("● live", "A crawl is running".to_owned(), colors.accept),
            None => None,
        },
        8 => {
            let to_review = current_row(app)?.counted?.to_review;
            let about = format!("{} to review", text::counted(to_review, "capture"));
            (to_review > 0).then(|| waits(&text::count(to_review), about, colors.weak_text)).flatten()
        }
        11 => {
            let failed = app.notices().iter().filter(|(_, notice)| notice.is_error).count() as u64;
            let about = text::counted(failed, "open error");
            (failed > 0).then(|| waits(&text::count(failed), about, colors.reject)).flatten()
        }
        _ => None,
    }
}

/// The row of the current campaign, as far as it is read.
fn current_row(app: &mut AppState) -> Option<CampaignRow> {
    let id = app.campaign()?;
    let answer = app.reads.campaigns();
    answer.shown()?.iter().find(|row| row.id == id).cloned()
}

fn group_ui(ui: &mut Ui, name: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), GROUP), Sense::hover());
    let at = pos2(rect.left() + EDGE, rect.bottom() - theme::TIGHT_GAP);
    let font = FontId::proportional(theme::CAPTION_TEXT);
    ui.painter().text(at, Align2::LEFT_BOTTOM, name, font, tokens(ui).faint_text);
}

fn page_ui(ui: &mut Ui, app: &mut AppState, page: u8, height: f32, is_narrow: bool, waiting: Option<WaitingCount>) {
    let action = Action::GoTo(page);
    let label = page_name(usize::from(page));
    let here = app.route().page() == usize::from(page);
    let keys = app.settings.keys_of(action);
    let hint = if keys.is_empty() { label.to_owned() } else { format!("{label} ({keys})") };
    let response = row_ui(ui, icon_of(page), label, (here, height, is_narrow), waiting.as_ref());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, here, label));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_selected(here);
        if let Some(waiting) = &waiting {
            node.set_description(waiting.about.as_str());
        }
    });
    let hint = waiting.map_or(hint.clone(), |waiting| format!("{hint}\n{}", waiting.about));
    if response.on_hover_text(hint).clicked()
        && let Ok(command) = resolve(action, app)
    {
        app.send(command);
    }
}

fn settings_ui(ui: &mut Ui, app: &mut AppState, height: f32, is_narrow: bool) {
    let here = *app.route() == Route::Settings;
    let response = row_ui(ui, Icon::Settings, "Settings", (here, height, is_narrow), None);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, here, "Settings"));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_selected(here));
    let hint = format!("{} ({})", Action::Settings.hint(), app.settings.keys_of(Action::Settings));
    if response.on_hover_text(hint).clicked() {
        app.act(Action::Settings);
    }
}

/// A row of the rail.
fn row_ui(
    ui: &mut Ui,
    icon: Icon,
    label: &str,
    (here, height, is_narrow): (bool, f32, bool),
    waiting: Option<&WaitingCount>,
) -> Response {
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let corner = CornerRadius::same(theme::CORNER);
    if here {
        ui.painter().rect(rect, corner, colors.chosen_bg, theme::chosen_outline(ui), StrokeKind::Inside);
        let bar = rect.with_max_x(rect.left() + theme::MARK_BAR).shrink2(vec2(0.0, 6.0));
        ui.painter().rect_filled(bar, CornerRadius::same(2), colors.accent);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, corner, colors.hover_bg);
    }
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    let left = if is_narrow { rect.center().x - theme::ICON / 2.0 } else { rect.left() + EDGE };
    let square = Rect::from_min_size(pos2(left, rect.center().y - theme::ICON / 2.0), vec2(theme::ICON, theme::ICON));
    icon.paint(ui.painter(), square, if here { colors.accent } else { colors.weak_text });
    if is_narrow {
        if let Some(waiting) = waiting {
            ui.painter().circle_filled(square.right_top() + vec2(2.0, -1.0), 3.0, waiting.color);
        }
        return response;
    }
    let (font, color) = match here {
        true => (theme::strong_font(theme::BODY_TEXT), colors.strong_text),
        false => (FontId::proportional(theme::BODY_TEXT), colors.text),
    };
    let at = pos2(square.right() + ICON_GAP, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, label, font, color);
    if let Some(waiting) = waiting {
        let at = pos2(rect.right() - EDGE, rect.center().y);
        let color = if here && waiting.color == colors.weak_text { colors.text } else { waiting.color };
        let font = FontId::proportional(theme::CAPTION_TEXT);
        ui.painter().text(at, Align2::RIGHT_CENTER, &waiting.sign, font, color);
    }
    response
}

/// A box of the rail that can be pressed.
fn box_ui(ui: &mut Ui, height: f32, edge: Color32, ground: Color32) -> (Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let ground = if response.hovered() { tokens(ui).hover_bg } else { ground };
    let corner = CornerRadius::same(theme::CORNER);
    ui.painter().rect(rect, corner, ground, Stroke::new(1.0, edge), StrokeKind::Inside);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    (rect, response)
}

/// Draws the field that opens the palette.
fn find_ui(ui: &mut Ui, app: &mut AppState, is_narrow: bool) {
    let colors = tokens(ui);
    let (rect, response) = box_ui(ui, theme::RAIL_ROW, colors.border, colors.chrome_bg);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, FIND));
    let left = if is_narrow { rect.center().x - theme::SMALL_ICON / 2.0 } else { rect.left() + EDGE };
    let square = Rect::from_min_size(
        pos2(left, rect.center().y - theme::SMALL_ICON / 2.0),
        vec2(theme::SMALL_ICON, theme::SMALL_ICON),
    );
    Icon::Search.paint(ui.painter(), square, colors.weak_text);
    if !is_narrow {
        let at = pos2(square.right() + EDGE, rect.center().y);
        let font = FontId::proportional(theme::BODY_TEXT);
        ui.painter().text(at, Align2::LEFT_CENTER, FIND, font, colors.weak_text);
        let keys = app.settings.keys_of(Action::Palette).replace('+', " ");
        key_cap(ui, pos2(rect.right() - 6.0, rect.center().y), &keys);
    }
    let hint = format!(
        "Finds a command by its name, and captures by words or fields ({})",
        app.settings.keys_of(Action::Palette)
    );
    if response.on_hover_text(hint).clicked() {
        app.act(Action::Palette);
    }
}

/// Draws a key with its edge, its right middle at this place.
fn key_cap(ui: &Ui, right: egui::Pos2, keys: &str) {
    let colors = tokens(ui);
    let font = FontId::proportional(theme::CAPTION_TEXT);
    let galley = ui.painter().layout_no_wrap(keys.to_owned(), font, colors.weak_text);
    let size = galley.size() + vec2(theme::GAP, 2.0);
    let cap = Rect::from_min_size(pos2(right.x - size.x, right.y - size.y / 2.0), size);
    ui.painter().rect_stroke(cap, CornerRadius::same(3), Stroke::new(1.0, colors.border), StrokeKind::Inside);
    ui.painter().galley(cap.center() - galley.size() / 2.0, galley, colors.weak_text);
}

/// Draws the current campaign with its version and next run; its menu has the others.
fn chooser_ui(ui: &mut Ui, app: &mut AppState, is_narrow: bool) {
    let colors = tokens(ui);
    let current = current_row(app);
    let is_open = app.session().is_some();
    let name = match (&current, is_open) {
        (Some(row), _) => row.title(),
        (None, true) if app.shows_every_campaign() => EVERY_CAPTURE.to_owned(),
        (None, true) => "No campaign yet".to_owned(),
        (None, false) => "No workspace open".to_owned(),
    };
    let edited = app.open.spec.as_ref().is_some_and(|spec| spec.shows_edits());
    let about = match &current {
        _ if edited => "unsaved edits".to_owned(),
        Some(row) => match &row.next_run {
            Some(next) => format!("v{}, next run {next}", row.version),
            None => format!("v{}, no scheduled run", row.version),
        },
        None => String::new(),
    };
    let (rect, response) =
        box_ui(ui, if is_narrow { theme::RAIL_ROW } else { CHOOSER }, colors.border, colors.raised_bg);
    let label = text::short(&name, MENU_CHARS);
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, is_open, &label));
    if is_narrow {
        let letters: String = name.split_whitespace().filter_map(|part| part.chars().next()).take(2).collect();
        let font = theme::strong_font(theme::SMALL_TEXT);
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, text::line(&letters), font, colors.strong_text);
    } else {
        let chevron = Rect::from_center_size(pos2(rect.right() - 14.0, rect.center().y), vec2(12.0, 12.0));
        Icon::Down.paint(ui.painter(), chevron, colors.weak_text);
        let lines = rect.shrink2(vec2(EDGE, theme::TIGHT_GAP)).with_max_x(chevron.left() - theme::TIGHT_GAP);
        let layout = Layout::top_down(egui::Align::Min);
        let mut inner = ui.new_child(UiBuilder::new().id_salt("campaign").max_rect(lines).layout(layout));
        inner.spacing_mut().item_spacing.y = 0.0;
        let first = theme::strong(label.as_str(), theme::BODY_TEXT).color(colors.strong_text);
        inner.add(egui::Label::new(first).truncate().selectable(false));
        if !about.is_empty() {
            let color = if edited { colors.flag } else { colors.weak_text };
            inner.add(egui::Label::new(theme::caption(text::line(&about)).color(color)).truncate().selectable(false));
        }
    }
    let hint = if about.is_empty() { label } else { format!("{label}\n{}", text::line(&about)) };
    let response = response.on_hover_text(hint);
    Popup::menu(&response).show(|ui| menu_ui(ui, app));
}

fn menu_ui(ui: &mut Ui, app: &mut AppState) {
    ui.set_min_width(theme::FIELD);
    let answer = app.reads.campaigns();
    for row in answer.shown().into_iter().flat_map(|rows| rows.iter()) {
        if ui.selectable_label(Some(row.id) == app.campaign(), text::short(&row.title(), MENU_CHARS)).clicked() {
            app.send(Command::ChooseCampaign(row.id));
            ui.close();
        }
    }
    if app.session().is_some() {
        ui.separator();
        let every = ui.selectable_label(app.shows_every_campaign(), EVERY_CAPTURE);
        if every.on_hover_text("Of every campaign, and of none").clicked() {
            app.send(Command::Campaigns(CampaignAct::ShowEveryCapture));
            ui.close();
        }
    }
    ui.separator();
    for action in [Action::NewCampaign, Action::OpenWorkspace] {
        let resolved = resolve(action, app);
        let line = ui.add_enabled(resolved.is_ok(), egui::Button::new(action.label()));
        match resolved {
            Ok(command) if line.clicked() => {
                app.send(command);
                ui.close();
            }
            Ok(_) => {}
            Err(why) => drop(line.on_disabled_hover_text(why)),
        }
    }
}
