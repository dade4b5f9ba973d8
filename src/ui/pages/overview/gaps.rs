//! What a campaign lacks, each with its rows and one thing to do.

use super::part_title_ui;
use crate::app::models::{CampaignId, Gap, GapAction, Overview, RowList};
use crate::app::{AppState, Command, CrawlTarget, Route};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use egui::accesskit::Role;
use egui::{Align, Label, Layout, Sense, Stroke, Ui, UiBuilder, WidgetInfo, vec2};

/// Examples of a gap.
const EXAMPLES: usize = 3;
/// Width of its number.
const NUMBER: f32 = 44.0;

/// Draws the gaps of a campaign.
pub(super) fn gaps_ui(ui: &mut Ui, app: &mut AppState, overview: &Overview) {
    part_title_ui(ui, "Gaps", "the gravest first");
    if overview.gaps.is_empty() {
        ui.weak("No gaps found");
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    for gap in &overview.gaps {
        gap_ui(ui, app, overview.campaign, gap);
    }
}

fn gap_ui(ui: &mut Ui, app: &mut AppState, campaign: CampaignId, gap: &Gap) {
    let colors = tokens(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::SIDE_ROW), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, colors.hairline));
    let builder = UiBuilder::new().id_salt(gap.kind.label(2)).max_rect(rect);
    let mut line = ui.new_child(builder.layout(Layout::right_to_left(Align::Center)));
    let name = format!("{}: {}", gap.action.label(), gap.summary());
    let command = command_of(gap, campaign);
    super::command_link_ui(&mut line, app, gap.action.label(), &name, command);
    line.with_layout(Layout::left_to_right(Align::Center), |ui| {
        let number = theme::strong(text::count(gap.count), theme::BODY_TEXT);
        let slot = vec2(NUMBER, theme::SIDE_ROW);
        ui.allocate_ui_with_layout(slot, Layout::right_to_left(Align::Center), |ui| match &gap.rows {
            Some(rows) => {
                let response = ui.link(number).on_hover_text("Show these");
                response.widget_info(|| WidgetInfo::labeled(Role::Link, true, gap.summary()));
                if response.clicked() {
                    app.send(Command::ShowRows(rows.clone()));
                }
            }
            None => drop(ui.label(number)),
        });
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.add_space(2.0);
            ui.add(Label::new(sentence(gap.kind.label(gap.count))).truncate());
            let examples: Vec<String> =
                gap.items.iter().take(EXAMPLES).map(|item| text::short(&item.label, 60)).collect();
            let examples = theme::caption(examples.join(", ")).color(colors.weak_text);
            let lines: Vec<String> = gap
                .items
                .iter()
                .take(4 * EXAMPLES)
                .map(|item| match item.about.as_str() {
                    "" => text::line(&item.label),
                    about => text::line(&format!("{}: {about}", item.label)),
                })
                .collect();
            ui.add(Label::new(examples).truncate()).on_hover_text(lines.join("\n"));
        });
    });
}

/// A text with a capital at its beginning.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn command_of(gap: &Gap, campaign: CampaignId) -> Command {
    match gap.action {
        GapAction::EditSeeds | GapAction::EditRequest | GapAction::EditRules => {
            Command::Go(Route::Spec(Some(campaign)))
        }
        GapAction::AddSeeds => match &gap.rows {
            Some(rows @ RowList::Prospects { .. }) => Command::ShowRows(rows.clone()),
            _ => Command::Go(Route::Prospect),
        },
        GapAction::StartCrawl | GapAction::ResumeCrawl => Command::RequestCrawl(CrawlTarget::Campaign(campaign)),
        GapAction::RetryFailed => Command::RetryFailed(campaign),
    }
}
