//! A patch: what captures lack is listed, and fetched when a person says so.

use super::answers::{Answer, DialogKeys};
use crate::app::models::{HoleChoice, PatchSource};
use crate::app::{AppState, Command};
use crate::ui::panel::needs::holes_ui;
use crate::ui::text;
use crate::ui::theme::GAP;
use crate::ui::widgets::{heading_ui, loaded_ui};
use egui::Ui;

/// URLs that are named.
const EXAMPLES: usize = 6;

/// Draws the question.
pub(super) fn patch_ui(ui: &mut Ui, app: &mut AppState, keys: &mut DialogKeys, choice: &mut HoleChoice) {
    let Some(source) = app.patch_source().cloned() else { return };
    let campaign = app.campaign();
    let answer = app.reads.patch_offer(campaign, source.clone());
    let offer = answer.ready().cloned();
    let number = offer.as_ref().map_or(0, |offer| offer.urls(*choice).len() as u64);
    heading_ui(ui, &format!("Patch {}?", text::counted(number, "missing resource")));
    match &source {
        PatchSource::Captures(captures) => {
            ui.label(format!("What {} to be shown", text::counted_verb(captures.len() as u64, "capture", "needs")));
        }
        PatchSource::Filter(filter) if filter.trim().is_empty() => drop(ui.label("What all captures need to be shown")),
        PatchSource::Filter(filter) => {
            ui.label(text::line(&format!("What the captures need that match “{filter}”")));
        }
    }
    let mut urls = Vec::new();
    loaded_ui(ui, &answer, |ui, offer| {
        urls = holes_ui(ui, offer, choice);
        for url in urls.iter().take(EXAMPLES) {
            ui.weak(text::short(url, 80));
        }
        if urls.len() > EXAMPLES {
            ui.weak(format!("and {}", text::counted((urls.len() - EXAMPLES) as u64, "more URL")));
        }
    });
    ui.weak("A launch of its own, which follows no link; it can be discarded as a whole");
    ui.add_space(GAP);
    let campaign = offer.as_ref().and_then(|offer| offer.campaign);
    let why_not = match (campaign, urls.is_empty()) {
        (None, _) if offer.is_some() => "These captures are of no campaign: choose one first",
        (_, true) => "There is nothing to fetch",
        _ => "",
    };
    let patch = Answer::new(format!("Patch {}", text::count(urls.len() as u64))).only_if(why_not.is_empty(), why_not);
    match (keys.answers_ui(ui, 0, vec![patch.writes(), Answer::new("Cancel")]), campaign) {
        (Some(0), Some(campaign)) => {
            let captures = offer.map(|offer| offer.captures.clone()).unwrap_or_default();
            app.send(Command::Patch { campaign, urls, captures });
        }
        (Some(1), _) => app.send(Command::CloseDialog),
        _ => {}
    }
}
