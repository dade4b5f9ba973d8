//! What the edits of a specification would change, in one line of links.

use crate::app::models::{CampaignId, Loaded, MovedSide, WhatIfAnswer};
use crate::app::{AppState, Command, Route, ScopeList, WhatIfList};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::notice_ui;
use crate::ui::words;
use egui::{RichText, Ui};

/// How much the figures of earlier edits are greyed while new ones are made.
const OLD_OPACITY: f32 = 0.6;

/// Draws the bar while edits are about the scope.
pub fn what_if_ui(ui: &mut Ui, app: &mut AppState, id: Option<CampaignId>) {
    let (Some(answer), Some(id)) = (app.what_if.clone(), id) else { return };
    theme::card_frame(ui).inner_margin(egui::Margin::symmetric(10, 5)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        match &answer {
            Loaded::Failed(notice) => notice_ui(ui, notice),
            Loaded::Ready(answer) => figures_ui(ui, app, id, answer),
            Loaded::Loading { last } => {
                ui.horizontal_wrapped(|ui| {
                    ui.spinner();
                    let done = app.what_if_progress().map(|progress| words::done(&progress)).unwrap_or_default();
                    ui.weak(format!("Trying the edits on every URL seen… {done}"));
                });
                if let Some(last) = last {
                    ui.scope(|ui| {
                        ui.multiply_opacity(OLD_OPACITY);
                        figures_ui(ui, app, id, last);
                    });
                }
            }
        }
    });
}

fn figures_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, answer: &WhatIfAnswer) {
    let figures = &answer.figures;
    let (into, out) = (&figures.moved_in, &figures.moved_out);
    let urls = into.urls + out.urls;
    let mut list = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.label(RichText::new("What if").strong().color(tokens(ui).strong_text));
        if figures.seen == 0 {
            ui.label("No crawl of this campaign has seen a URL yet, so nothing can be tried");
            return;
        }
        let mut link = |ui: &mut Ui, text: RichText, hint: &str, to: WhatIfList| {
            if ui.link(text).on_hover_text(hint).clicked() {
                list = Some(to);
            }
        };
        if urls == 0 {
            ui.label(format!(
                "These edits change no verdict on the {} seen so far",
                words::counted(figures.seen, "URL", "URLs")
            ));
        } else {
            link(ui, words::counted(urls, "URL", "URLs").into(), "Show them", WhatIfList::Both);
            ui.label("on");
            let hosts = words::counted(figures.moved_hosts, "host", "hosts");
            link(ui, hosts.into(), "Show their URLs", WhatIfList::Both);
            ui.label("with");
            let captured = words::counted(into.captured + out.captured, "of them that has", "of them that have");
            link(
                ui,
                words::bytes(into.bytes + out.bytes).into(),
                &format!("Known of the {captured} a capture"),
                WhatIfList::Both,
            );
            ui.label("would change side:");
            let color = tokens(ui).accept;
            let text = format!("+{} in", words::count(into.urls));
            link(ui, RichText::new(text).color(color), "Refused so far, would be taken", side(MovedSide::In));
            ui.label("·");
            let color = tokens(ui).reject;
            let text = format!("−{} out", words::count(out.urls));
            link(ui, RichText::new(text).color(color), "Taken so far, would be refused", side(MovedSide::Out));
        }
        if figures.unknown.urls > 0 {
            ui.label("·");
            let color = tokens(ui).flag;
            link(
                ui,
                RichText::new(format!("{} cannot be told", words::count(figures.unknown.urls))).color(color),
                "Nobody has looked up where their servers stand; they count as refused here",
                side(MovedSide::Unknown),
            );
        }
        ui.weak(format!("of {} seen; nothing is fetched or saved", words::count(figures.seen)));
    });
    if let Some(list) = list {
        app.send(Command::Go(Route::Scope(id, ScopeList::WhatIf(list))));
    }
}

fn side(side: MovedSide) -> WhatIfList {
    WhatIfList::Side(side)
}
