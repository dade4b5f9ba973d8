//! Effects of the edits of a specification, in one line of links.

use crate::app::models::{CampaignId, Loaded, MovedSide, WhatIfAnswer, WhatIfList};
use crate::app::{AppState, Command, Route, ScopeList};
use crate::ui::text;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{heading_ui, remarks_ui, spinner_ui};
use egui::{Color32, RichText, Ui};

/// Opacity of the figures of earlier edits while new ones are made.
const OLD_OPACITY: f32 = 0.6;

/// Draws the bar. It is always there, so that nothing moves when an edit begins.
pub fn what_if_ui(ui: &mut Ui, app: &mut AppState, id: Option<CampaignId>) {
    let Some(id) = id else { return };
    ui.scope(|ui| {
        heading_ui(ui, "What these edits change");
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
            match app.what_if().cloned() {
                None => {
                    ui.weak("Edits of rules or seeds are evaluated here on every URL seen so far; nothing is fetched");
                }
                Some(Loaded::Failed(notice)) => {
                    ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(&notice.why)));
                    ui.weak("Correct it, or undo the edit");
                }
                Some(Loaded::Ready(answer)) => figures_ui(ui, app, id, &answer),
                Some(Loaded::Loading { last }) => {
                    match last {
                        Some(last) => {
                            ui.multiply_opacity(OLD_OPACITY);
                            figures_ui(ui, app, id, &last);
                        }
                        None => {
                            let done = app.what_if_progress().map(|progress| text::done(&progress));
                            ui.weak(format!("Evaluating the edits on every URL seen… {}", done.unwrap_or_default()));
                        }
                    }
                    // Last, so that the links stay under the pointer when it goes.
                    spinner_ui(ui);
                }
            }
        });
    });
}

fn figures_ui(ui: &mut Ui, app: &mut AppState, id: CampaignId, answer: &WhatIfAnswer) {
    let figures = &answer.figures;
    if figures.seen == 0 {
        ui.label("No crawl of this campaign has seen a URL yet");
        return;
    }
    let (into, out) = (&figures.moved_in, &figures.moved_out);
    let urls = into.urls + out.urls;
    let mut to = None;
    let mut link = |ui: &mut Ui, text: String, color: Color32, hint: &str, route: Route| {
        // In one piece: of a link on two lines only the words can be clicked.
        let wrap_mode = ui.style_mut().wrap_mode.replace(egui::TextWrapMode::Extend);
        if ui.link(RichText::new(text).color(color)).on_hover_text(hint).clicked() {
            to = Some(route);
        }
        ui.style_mut().wrap_mode = wrap_mode;
    };
    let urls_of = |list: WhatIfList| Route::Scope(id, ScopeList::WhatIf(list));
    let side = |side: MovedSide| urls_of(WhatIfList::Side(side));
    let seen_hint = "Distinct URLs seen by crawls of this campaign";
    let colors = tokens(ui);
    if urls == 0 {
        ui.label("These edits change no decision on the");
        link(ui, text::counted(figures.seen, "URL"), colors.accent, seen_hint, urls_of(WhatIfList::Seen));
        ui.label("seen so far");
    } else {
        link(ui, text::counted(urls, "URL"), colors.accent, "Show them", urls_of(WhatIfList::Both));
        ui.label("on");
        let hosts = text::counted(figures.moved_hosts, "host");
        link(ui, hosts, colors.accent, "Show the hosts", Route::Scope(id, ScopeList::WhatIfHosts));
        ui.label("with");
        let captured = {
            let of = into.captured + out.captured;
            format!("{} that {}", text::counted(of, "URL"), crate::jobs::verb(of, "has"))
        };
        let hint = format!("Payload of the {captured} a capture; other sizes are unknown");
        match into.captured + out.captured {
            0 => drop(ui.label("unknown size").on_hover_text("None of them has a capture")),
            _ => {
                let size = text::bytes(into.bytes + out.bytes);
                link(ui, size, colors.accent, &hint, urls_of(WhatIfList::Captured));
            }
        }
        ui.label("change:");
        let text = format!("newly in scope {}", text::count(into.urls));
        link(ui, text, colors.accept, "Refused so far, accepted by the edited rules", side(MovedSide::In));
        ui.label("·");
        let text = format!("newly out {}", text::count(out.urls));
        link(ui, text, colors.reject, "Accepted so far, refused by the edited rules", side(MovedSide::Out));
    }
    if figures.unknown.urls > 0 {
        ui.label("·");
        link(
            ui,
            format!("{} undetermined", text::count(figures.unknown.urls)),
            colors.flag,
            "The decision depends on the country of the server, which was not looked up, or the look-up failed",
            side(MovedSide::Unknown),
        );
        ui.weak("(counted as in no country)");
    }
    if figures.unfetched > 0 {
        ui.label("·");
        let text = format!("{} depend on pages not fetched yet", text::count(figures.unfetched));
        let hint = "Not fetched yet: robots.txt, content type or size could still refuse them";
        link(ui, text, colors.flag, hint, urls_of(WhatIfList::Unfetched));
    }
    if urls > 0 {
        ui.weak("of");
        link(ui, text::count(figures.seen), colors.accent, seen_hint, urls_of(WhatIfList::Seen));
        ui.weak("seen");
    }
    remarks_ui(ui, &figures.remarks);
    if let Some(route) = to {
        app.send(Command::Go(route));
    }
}
