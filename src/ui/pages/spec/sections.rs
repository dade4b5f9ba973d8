//! The sections of a specification, one below the other on one page, and the list that leads to them.

use crate::campaign::{Campaign, CampaignProblem};
use crate::ui::access::mark_heading;
use crate::ui::icons::{Icon, focus_ring};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{hair, icon_at, tab_ui, tabs_ui};
use egui::accesskit::Role;
use egui::{
    Align2, CornerRadius, FontId, Id, Rect, ScrollArea, Sense, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

/// A section of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// Name, description, people.
    #[default]
    About,
    /// What pages have to be about.
    Request,
    /// Where a crawl starts.
    Seeds,
    /// Services that name pages.
    Sources,
    /// What it takes.
    Rules,
    /// What it fetches first.
    Order,
    /// What ends it.
    Limits,
    /// How it treats servers.
    Politeness,
    /// When it runs by itself.
    Schedule,
    /// On what basis URLs may be collected.
    Permissions,
    /// What countries decide.
    Geo,
    /// Saved versions.
    Versions,
}

const SECTIONS: [(Section, &str); 12] = [
    (Section::About, "About"),
    (Section::Request, "Request"),
    (Section::Seeds, "Seeds"),
    (Section::Sources, "Sources"),
    (Section::Rules, "Scope rules"),
    (Section::Order, "Order"),
    (Section::Limits, "Limits"),
    (Section::Politeness, "Politeness"),
    (Section::Schedule, "Schedule"),
    (Section::Permissions, "Permissions"),
    (Section::Geo, "Geolocation"),
    (Section::Versions, "Versions"),
];

/// Heights before the sections were drawn for the first time.
const GUESSED: f32 = 400.0;
/// Sections that are so far out of sight are not drawn.
const NEAR: f32 = 40.0;
/// What a section that is closed is high.
const CLOSED: f32 = 34.0;
/// Above a section's content.
const HEAD: f32 = 26.0;

impl Section {
    /// The section that holds a field of the campaign.
    pub fn of_field(field: &str) -> Self {
        let end = field.find(['.', '[']).unwrap_or(field.len());
        match &field[..end] {
            "request" => Self::Request,
            "seeds" => Self::Seeds,
            "sources" => Self::Sources,
            "rules" => Self::Rules,
            "permissions" | "grounds" => Self::Permissions,
            "schedule" => Self::Schedule,
            "order" => Self::Order,
            "limits" => Self::Limits,
            "politeness" => Self::Politeness,
            _ => Self::About,
        }
    }

    /// Whether a person edited something in it since the campaign was saved.
    fn is_edited(self, saved: &Campaign, now: &Campaign) -> bool {
        match self {
            Self::About => {
                let about = |of: &Campaign| {
                    let Campaign { name, description, owner, comments, tags, active, .. } = of;
                    (name.clone(), description.clone(), owner.clone(), comments.clone(), tags.clone(), *active)
                };
                about(saved) != about(now)
            }
            Self::Request => saved.request != now.request,
            Self::Seeds => saved.seeds != now.seeds,
            Self::Sources => saved.sources != now.sources,
            Self::Rules => saved.rules != now.rules,
            Self::Order => saved.order != now.order || saved.scores != now.scores,
            Self::Limits => saved.limits != now.limits,
            Self::Politeness => saved.politeness != now.politeness,
            Self::Schedule => {
                let after_run = |campaign: &Campaign| (campaign.select_after_run, campaign.analyse_after_run);
                saved.schedule != now.schedule || after_run(saved) != after_run(now)
            }
            Self::Permissions => saved.permissions != now.permissions || saved.grounds != now.grounds,
            Self::Geo | Self::Versions => false,
        }
    }
}

/// What the list of sections shows of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SectionMark {
    count: Option<usize>,
    is_edited: bool,
    has_errors: bool,
    has_warnings: bool,
}

/// The marks of all sections, in their order.
pub fn marks_of(
    saved: &Campaign,
    now: &Campaign,
    problems: &[CampaignProblem],
    stops: impl Fn(&CampaignProblem) -> bool,
) -> Vec<SectionMark> {
    let mark = |(section, _): (Section, &str)| {
        let here = || problems.iter().filter(|problem| Section::of_field(&problem.field) == section);
        let is_error = |problem: &&CampaignProblem| problem.is_error || stops(problem);
        SectionMark {
            count: match section {
                Section::Seeds => Some(now.seeds.len()),
                Section::Sources => Some(now.sources.len()).filter(|count| *count > 0),
                Section::Rules => Some(now.rules.len()),
                _ => None,
            },
            is_edited: section.is_edited(saved, now),
            has_errors: here().any(|problem| is_error(&problem)),
            has_warnings: here().next().is_some(),
        }
    };
    SECTIONS.into_iter().map(mark).collect()
}

/// Where the sections are, which are open, and which one is in sight.
pub struct Sections {
    heights: [f32; SECTIONS.len()],
    closed: Vec<Section>,
    /// How far the page is scrolled.
    offset: f32,
    /// The section to bring to the top.
    leads_to: Option<Section>,
    /// The section at the top, while the page is not scrolled away from it.
    at: Option<Section>,
}

impl Default for Sections {
    fn default() -> Self {
        Self {
            heights: [GUESSED; SECTIONS.len()],
            closed: vec![Section::Geo, Section::Versions],
            offset: 0.0,
            leads_to: None,
            at: None,
        }
    }
}

impl Sections {
    /// Opens a section and brings it to the top of the page.
    pub fn go_to(&mut self, section: Section) {
        self.closed.retain(|closed| *closed != section);
        self.leads_to = Some(section);
        self.at = Some(section);
    }

    fn height(&self, at: usize) -> f32 {
        if self.closed.contains(&SECTIONS[at].0) { CLOSED } else { self.heights[at] }
    }

    fn top_of(&self, section: Section) -> f32 {
        let before = SECTIONS.iter().take_while(|(of, _)| *of != section).count();
        (0..before).map(|at| self.height(at)).sum()
    }

    fn current(&self) -> Section {
        self.at.unwrap_or_else(|| {
            let is_above = |(section, _): &&(Section, &str)| self.top_of(*section) <= self.offset + HEAD;
            SECTIONS.iter().rev().find(is_above).map_or(Section::About, |(section, _)| *section)
        })
    }

    /// Draws the list of sections: below one another where there is room beside the page, else as tabs.
    pub fn list_ui(&mut self, ui: &mut Ui, marks: &[SectionMark], is_aside: bool) {
        let current = self.current();
        let label = |(_, name): (Section, &str), mark: SectionMark| match mark.count {
            Some(count) => format!("{name} {count}"),
            None => name.to_owned(),
        };
        let mut chosen = None;
        if is_aside {
            ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
                node.set_role(Role::TabList);
                node.set_label("Parts of the specification");
            });
            ui.spacing_mut().item_spacing.y = 0.0;
            for (of, mark) in SECTIONS.into_iter().zip(marks) {
                if row_ui(ui, of.1, &label(of, *mark), *mark, of.0 == current) {
                    chosen = Some(of.0);
                }
            }
        } else {
            tabs_ui(ui, "Parts of the specification", |ui| {
                for (of, mark) in SECTIONS.into_iter().zip(marks) {
                    // All of them fit into one row.
                    let short = match of.0 {
                        Section::Rules => "Rules",
                        Section::Geo => "Geo",
                        _ => of.1,
                    };
                    if tab_ui(ui, of.0 == current, label((of.0, short), *mark)).clicked() {
                        chosen = Some(of.0);
                    }
                }
            });
        }
        if let Some(section) = chosen {
            self.go_to(section);
        }
    }

    /// Draws those sections that are in sight by `draw`.
    pub fn show_ui(&mut self, ui: &mut Ui, mut draw: impl FnMut(&mut Ui, Section)) {
        let mut area = ScrollArea::vertical().id_salt("sections").auto_shrink([false, false]);
        if let Some(section) = self.leads_to.take() {
            self.offset = self.top_of(section);
            area = area.vertical_scroll_offset(self.offset);
        }
        let room = ui.available_height();
        let (before, heights) = (self.offset, self.heights);
        let shown = area.show_viewport(ui, |ui, sight| {
            ui.spacing_mut().item_spacing.y = 0.0;
            // A ring around what has the keyboard needs the space at both sides.
            let width = ui.available_width() - theme::GAP;
            ui.set_max_width(width);
            let begin = ui.cursor().top();
            for (at, (section, name)) in SECTIONS.into_iter().enumerate() {
                let top = ui.cursor().top() - begin;
                let is_in_sight = top <= sight.max.y + NEAR && top + self.height(at) >= sight.min.y - NEAR;
                if !is_in_sight {
                    ui.allocate_space(vec2(width, self.height(at)));
                    continue;
                }
                let is_closed = self.closed.contains(&section);
                // Ids that do not depend on widgets above: the first letter typed changes that, and the
                // field shall keep the keyboard.
                let own = UiBuilder::new().scope_id(Id::unique(("spec", section as usize)));
                ui.scope_builder(own, |ui| {
                    if head_ui(ui, name, is_closed) {
                        match is_closed {
                            true => self.closed.retain(|closed| *closed != section),
                            false => self.closed.push(section),
                        }
                    }
                    if !is_closed {
                        ui.spacing_mut().item_spacing.y = ITEM_GAP;
                        draw(ui, section);
                        ui.add_space(theme::GROUP_GAP);
                    }
                    let line = ui.available_rect_before_wrap();
                    let stroke = egui::Stroke::new(hair(ui), tokens(ui).hairline);
                    ui.painter().hline(line.x_range(), line.top(), stroke);
                    ui.add_space(theme::GAP);
                });
                if !is_closed {
                    self.heights[at] = ui.cursor().top() - begin - top;
                }
            }
            // So that the last section can be brought to the top as well.
            ui.allocate_space(vec2(width, (room - self.height(SECTIONS.len() - 1)).max(0.0)));
        });
        self.offset = shown.state.clamped_offset().y;
        if (self.offset - before).abs() > 1.0 {
            self.at = None;
        } else if self.heights != heights && self.leads_to.is_none() {
            // Sections above it are of another height than was thought: it stays at the top.
            self.leads_to = self.at;
            ui.ctx().request_repaint();
        }
    }
}

/// Space between the lines of a section.
const ITEM_GAP: f32 = 6.0;

/// Draws the head of a section, which folds it; true when it was clicked.
fn head_ui(ui: &mut Ui, name: &str, is_closed: bool) -> bool {
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::click());
    let color = if response.hovered() { colors.strong_text } else { colors.weak_text };
    let icon = if is_closed { Icon::Right } else { Icon::Down };
    icon_at(ui.painter(), icon, pos2(rect.left() + theme::ICON / 2.0, rect.center().y), color);
    let at = pos2(rect.left() + theme::ICON + theme::TIGHT_GAP, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, name, theme::strong_font(theme::PART_TEXT), colors.strong_text);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    mark_heading(&response, name);
    response.ctx.accesskit_node_builder(response.id, |node| node.set_expanded(!is_closed));
    response.on_hover_text(if is_closed { "Show this section" } else { "Fold this section" }).clicked()
}

/// Draws a line of the list of sections; true when it was clicked.
fn row_ui(ui: &mut Ui, name: &str, label: &str, mark: SectionMark, is_current: bool) -> bool {
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), theme::RAIL_ROW), Sense::click());
    let corner = CornerRadius::same(theme::CORNER);
    if is_current {
        ui.painter().rect(rect, corner, colors.hover_bg, theme::chosen_outline(ui), StrokeKind::Inside);
        let bar = rect.with_max_x(rect.left() + theme::MARK_BAR).shrink2(vec2(0.0, 2.0));
        ui.painter().rect_filled(bar, CornerRadius::same(1), colors.accent);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, corner, colors.hover_bg);
    }
    let color = if is_current { colors.strong_text } else { colors.text };
    let at = pos2(rect.left() + theme::GAP, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, name, FontId::proportional(theme::BODY_TEXT), color);
    let end = pos2(rect.right() - theme::GAP, rect.center().y);
    let sign = match mark {
        SectionMark { has_errors: true, .. } => Some((Icon::Error, colors.reject)),
        SectionMark { has_warnings: true, .. } => Some((Icon::Warning, colors.flag)),
        _ => None,
    };
    let mut right = end.x;
    if let Some((icon, color)) = sign {
        let square = Rect::from_center_size(
            pos2(right - theme::SMALL_ICON / 2.0, end.y),
            vec2(theme::SMALL_ICON, theme::SMALL_ICON),
        );
        icon.paint(ui.painter(), square, color);
        right = square.left() - theme::TIGHT_GAP;
    }
    let (text, color) = match (mark.is_edited, mark.count) {
        (true, _) => ("edited".to_owned(), colors.flag),
        (false, Some(count)) => (count.to_string(), colors.weak_text),
        (false, None) => (String::new(), colors.weak_text),
    };
    let font = FontId::proportional(theme::CAPTION_TEXT);
    ui.painter().text(pos2(right, end.y), Align2::RIGHT_CENTER, text, font, color);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_current, label));
    response.ctx.accesskit_node_builder(response.id, |node| {
        node.set_selected(is_current);
        let about = [
            mark.is_edited.then_some("edited"),
            mark.has_errors.then_some("has errors"),
            (mark.has_warnings && !mark.has_errors).then_some("has warnings"),
        ];
        let about: Vec<&str> = about.into_iter().flatten().collect();
        if !about.is_empty() {
            node.set_description(about.join(", "));
        }
    });
    response.clicked()
}

#[cfg(test)]
mod tests {
    use super::{SECTIONS, Section, Sections, marks_of};
    use crate::campaign::Campaign;

    #[test]
    fn what_was_edited_and_what_is_wrong_is_marked_at_its_section() {
        let saved = Campaign::default();
        let mut now = saved.clone();
        now.limits.max_seconds += 60;
        now.name = "Cheias".to_owned();
        let marks = marks_of(&saved, &now, &now.problems(), |problem| problem.stops_crawl);
        let of = |section: Section| marks[SECTIONS.iter().position(|(of, _)| *of == section).unwrap_or_default()];
        assert!(of(Section::About).is_edited && of(Section::Limits).is_edited && !of(Section::Request).is_edited);
        assert!(of(Section::Seeds).has_errors && of(Section::Politeness).has_errors, "a new campaign lacks both");
        assert_eq!(of(Section::Seeds).count, Some(0));
    }

    #[test]
    fn the_section_at_the_top_is_the_current_one() {
        let mut sections = Sections::default();
        assert_eq!(sections.current(), Section::About);
        sections.offset = sections.top_of(Section::Rules) + 5.0;
        assert_eq!(sections.current(), Section::Rules);
        sections.go_to(Section::Versions);
        assert_eq!((sections.current(), sections.closed.contains(&Section::Versions)), (Section::Versions, false));
    }
}
