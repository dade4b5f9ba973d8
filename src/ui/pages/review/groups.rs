//! Causes that many captures share: one decision for all of them.

use super::bar::Decisions;
use crate::analysis::checks::check_of_id;
use crate::app::models::{CaptureQuery, CaptureTab, CauseGroup, Loaded, ReviewMark};
use crate::app::{AppState, MARK_KEYS, SelectedRows};
use crate::ui::decisions::mark_icon;
use crate::ui::table::{Column, Table, key_of};
use crate::ui::text;
use crate::ui::theme::{self, GROUP_GAP, tokens};
use crate::ui::widgets::{empty_ui, is_typing, keyed_button_ui, loaded_ui, read_only};
use egui::{Key, Modifiers, RichText, ScrollArea, Ui};

/// Captures of a cause that are listed before they are decided on.
const PREVIEW: u64 = 12;

/// What a click in the list of causes does.
enum GroupAct {
    Choose(String),
    Open(String),
}

/// Draws the causes with a preview of the current one. Gives the filter of one whose captures are to be reviewed one by
/// one.
pub(super) fn groups_ui(ui: &mut Ui, app: &mut AppState, at: &mut usize, decisions: &mut Decisions) -> Option<String> {
    // Keys that decide are about a cause here, not about the capture that was shown before.
    app.follow(None);
    let answer = app.reads.cause_groups(app.campaign());
    if let Loaded::Ready(groups) = &answer
        && groups.is_empty()
    {
        empty_ui(ui, "No causes to review", "Checks found nothing on captures that are to review, or have not run yet");
        return None;
    }
    let mut opened = None;
    loaded_ui(ui, &answer, |ui, groups: &Vec<CauseGroup>| {
        let Some(last) = groups.len().checked_sub(1) else { return };
        let mark = keys(ui, app, at, last, decisions);
        let group = &groups[*at];
        if let Some(mark) = mark {
            let captures = SelectedRows::all(&query(app, group, 0), group.captures);
            decisions.decide_all(app, captures, mark);
        }
        let area = ui.available_rect_before_wrap();
        let (left, right) = area.split_left_right_at_x(area.left() + area.width() * 0.55);
        let table = table().chosen(Some(key_of(&group.filter)));
        let clicked = table.rows_ui(&mut super::column(ui, "causes", left, 0.0), app, groups.iter());
        match clicked {
            Some(GroupAct::Choose(filter)) => {
                *at = groups.iter().position(|group| group.filter == filter).unwrap_or(*at);
            }
            Some(GroupAct::Open(filter)) => opened = Some(filter),
            None => {}
        }
        let mut place = super::column(ui, "preview", right, GROUP_GAP);
        if preview_ui(&mut place, app, group, decisions) {
            opened = Some(group.filter.clone());
        }
        ui.advance_cursor_after_rect(area);
    });
    opened
}

fn label_of(group: &CauseGroup) -> String {
    check_of_id(&group.check).map_or(group.check.clone(), |check| check.label.to_owned())
}

fn table<'a>() -> Table<'a, CauseGroup, GroupAct> {
    type Col<'a> = Column<'a, CauseGroup, GroupAct>;
    let columns = vec![
        Col::made("check", "Finding", 160.0, label_of).second("url", "One of them", |group| &group.url),
        Col::text("host", "Host", 160.0, |group| &group.host).second("template", "Form", |group| &group.template),
        Col::count("captures", "Captures", 80.0, |group| group.captures)
            .link("Review them one by one", |group| Some(GroupAct::Open(group.filter.clone()))),
        Col::made("severity", "Severity", 72.0, |group| format!("{:.2}", group.severity)).numeric(),
    ];
    Table::new("review causes", "Causes of findings", columns, |group: &CauseGroup| key_of(&group.filter))
        .two_lines()
        .on_focus(|group| Some(GroupAct::Choose(group.filter.clone())))
}

/// The captures that have the cause, as the table of captures finds them.
fn query(app: &AppState, group: &CauseGroup, limit: u64) -> CaptureQuery {
    CaptureQuery {
        filter: group.filter.clone(),
        tab: CaptureTab::NotReviewed,
        campaign: app.campaign(),
        sort: Vec::new(),
        offset: 0,
        limit,
    }
}

/// Draws some captures of a cause, and what may be decided for all of them. True when they shall be reviewed one by one.
fn preview_ui(ui: &mut Ui, app: &mut AppState, group: &CauseGroup, decisions: &mut Decisions) -> bool {
    let colors = tokens(ui);
    let title = format!("{} on {}", label_of(group), text::line(&group.host));
    ui.add(egui::Label::new(theme::strong(title, theme::PART_TEXT).color(colors.strong_text)).truncate());
    ui.label(RichText::new(format!("Addresses of the form {}", text::line(&group.template))).color(colors.weak_text));
    let why_not = read_only(ui);
    let answer = app.reads.captures(query(app, group, PREVIEW));
    let total = answer.ready().map_or(group.captures, |page| page.total);
    ui.horizontal_wrapped(|ui| {
        if why_not.is_some() {
            ui.disable();
        }
        for (key, mark, label) in marks() {
            let label = format!("{label} all {}", text::count(total));
            let is_primary = mark == ReviewMark::Approve;
            if keyed_button_ui(ui, mark_icon(mark), &label, key, is_primary, &label).clicked() {
                let captures = SelectedRows::all(&query(app, group, 0), total);
                decisions.decide_all(app, captures, mark);
            }
        }
    });
    ui.horizontal_wrapped(|ui| decisions.reasons_ui(ui, app));
    let opens = ui.link("Review them one by one").clicked();
    ui.separator();
    ScrollArea::vertical().id_salt("captures of the cause").auto_shrink([false, false]).show(ui, |ui| {
        loaded_ui(ui, &answer, |ui, page| {
            for row in &page.rows {
                let title = if row.title.is_empty() { "(no title)".to_owned() } else { text::line(&row.title) };
                ui.add(egui::Label::new(theme::strong(title, theme::BODY_TEXT)).truncate());
                let url = RichText::new(text::line(text::without_scheme(&row.url))).size(theme::SMALL_TEXT);
                ui.add(egui::Label::new(url.color(tokens(ui).weak_text)).truncate());
            }
            let more = page.total.saturating_sub(page.rows.len() as u64);
            if more > 0 {
                ui.weak(format!("and {} more", text::count(more)));
            }
        });
    });
    opens
}

/// The decisions on a whole cause.
fn marks() -> impl Iterator<Item = (&'static str, ReviewMark, &'static str)> {
    MARK_KEYS.into_iter().chain([("R", ReviewMark::Later, "After recrawl:")])
}

/// Goes through the causes; gives the decision on the current one, if its key was pressed.
fn keys(ui: &Ui, app: &mut AppState, at: &mut usize, last: usize, decisions: &mut Decisions) -> Option<ReviewMark> {
    *at = (*at).min(last);
    if is_typing(ui) || app.dialog().is_some() {
        return None;
    }
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::J) {
        *at = (*at + 1).min(last);
    }
    if pressed(Key::K) {
        *at = at.saturating_sub(1);
    }
    decisions.reason_keys(ui, app);
    let decision = marks().find(|(key, ..)| Key::from_name(key).is_some_and(pressed));
    decision.map(|(_, mark, _)| mark)
}
