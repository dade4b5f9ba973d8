//! The request: one line of text and rows of a tree, each follows the other.

use crate::campaign::{Request, Term, TermKind};
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{chevron, field_led_to, lead_here};
use egui::{ComboBox, DragValue, TextEdit, Ui};

const KINDS: [(TermKind, &str); 8] = [
    (TermKind::Keyword, "keyword"),
    (TermKind::Phrase, "phrase"),
    (TermKind::Person, "person"),
    (TermKind::Place, "place"),
    (TermKind::Organisation, "organisation"),
    (TermKind::Event, "event"),
    (TermKind::Language, "language"),
    (TermKind::Period, "time period"),
];

/// An example to begin with.
const EXAMPLE: &str = "(flood OR \"high water\") AND place:\"Vila Nova\"";

/// State of the editor between frames.
#[derive(Default)]
pub struct RequestEditor {
    text: String,
    shown: Option<Request>,
    problem: Option<String>,
}

impl RequestEditor {
    /// Draws text and rows.
    pub fn ui(&mut self, ui: &mut Ui, request: &mut Request) {
        if self.shown.as_ref() != Some(request) {
            self.text = request.to_string();
            self.problem = None;
            self.shown = Some(request.clone());
        }
        let label = ui.label("Request as text");
        let field = TextEdit::multiline(&mut self.text)
            .hint_text("words, \"phrases\", person:… place:… AND OR NOT ( )")
            .desired_rows(2)
            .desired_width(f32::INFINITY);
        let field = ui.add(field).labelled_by(label.id);
        // Problems name terms by their place; the text holds all of them.
        if let Some(path) = field_led_to(ui.ctx()).filter(|path| path.starts_with("request")) {
            lead_here(&field, &path);
        }
        if field.changed() {
            match self.text.parse::<Request>() {
                Ok(parsed) => {
                    *request = parsed;
                    self.shown = Some(request.clone());
                    self.problem = None;
                }
                Err(error) => self.problem = Some(error.to_string()),
            }
        }
        if let Some(problem) = &self.problem {
            ui.colored_label(tokens(ui).reject, format!("✖ {}", text::line(problem)));
            ui.weak("The rows below show the last valid request");
        }
        if request.is_empty() && self.text.trim().is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.weak("Without a request all pages score the same");
                if ui.button("Insert an example").clicked()
                    && let Ok(parsed) = EXAMPLE.parse()
                {
                    *request = parsed;
                }
            });
        }
        ui.add_space(GAP);
        // A single term or a negation gets a group around it when one is added.
        node_ui(ui, request, "request", true);
    }
}

/// Draws one part; true when it shall be taken away.
fn node_ui(ui: &mut Ui, node: &mut Request, path: &str, is_root: bool) -> bool {
    let mut remove = false;
    match node {
        Request::And(_) | Request::Or(_) => remove = group_ui(ui, node, path, is_root),
        Request::Not(_) | Request::Term(_) => {
            ui.horizontal_wrapped(|ui| {
                let mut negated = matches!(node, Request::Not(_));
                if ui.checkbox(&mut negated, "not").changed() {
                    let inner = std::mem::take(node);
                    *node = match inner {
                        Request::Not(inner) => *inner,
                        other => Request::Not(Box::new(other)),
                    };
                }
                match node {
                    Request::Term(term) => term_ui(ui, term, path),
                    Request::Not(inner) => match inner.as_mut() {
                        Request::Term(term) => term_ui(ui, term, path),
                        _ => {
                            ui.label("the group below");
                        }
                    },
                    _ => {}
                }
                if !is_root && icon_button_ui(ui, Icon::Close, "Remove this row").clicked() {
                    remove = true;
                }
                match node {
                    Request::Term(term) => notes_ui(ui, term),
                    Request::Not(inner) => {
                        if let Request::Term(term) = inner.as_ref() {
                            notes_ui(ui, term);
                        }
                    }
                    _ => {}
                }
                if is_root && ui.button("Add a row").clicked() {
                    let first = std::mem::take(node);
                    *node = Request::And(vec![first, new_term()]);
                }
            });
            if let Request::Not(inner) = node
                && !matches!(inner.as_ref(), Request::Term(_))
            {
                let path = format!("{path}/not");
                ui.indent(&path, |ui| node_ui(ui, inner, &path, true));
            }
        }
    }
    remove
}

fn group_ui(ui: &mut Ui, node: &mut Request, path: &str, is_root: bool) -> bool {
    let mut remove = false;
    let mut all = matches!(node, Request::And(_));
    let (Request::And(parts) | Request::Or(parts)) = node else { return false };
    let mut turned = false;
    group_frame(ui, is_root).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            turned |= ui.selectable_value(&mut all, true, "all of these (AND)").changed();
            turned |= ui.selectable_value(&mut all, false, "any of these (OR)").changed();
            if ui.button("Add a row").clicked() {
                parts.push(new_term());
            }
            if ui.button("Add a group").clicked() {
                parts.push(Request::Or(vec![new_term()]));
            }
            if !is_root && icon_button_ui(ui, Icon::Close, "Remove this group").clicked() {
                remove = true;
            }
        });
        let mut gone = None;
        for (index, part) in parts.iter_mut().enumerate() {
            let path = format!("{path}/{index}");
            if ui.push_id(&path, |ui| node_ui(ui, part, &path, false)).inner {
                gone = Some(index);
            }
        }
        if let Some(index) = gone {
            parts.remove(index);
        }
        if parts.is_empty() {
            ui.weak("No rows yet");
        }
    });
    if turned {
        let parts = std::mem::take(parts);
        *node = if all { Request::And(parts) } else { Request::Or(parts) };
    }
    remove
}

/// A group within another is a card; the whole request is none.
fn group_frame(ui: &Ui, is_root: bool) -> egui::Frame {
    if is_root { egui::Frame::new() } else { theme::card_frame(ui) }
}

fn new_term() -> Request {
    Request::Term(Term {
        kind: TermKind::Keyword,
        value: "word".to_owned(),
        weight: 1.0,
        aliases: Vec::new(),
        uri: None,
        from: None,
        to: None,
    })
}

fn term_ui(ui: &mut Ui, term: &mut Term, path: &str) {
    let label = KINDS.iter().find(|(kind, _)| *kind == term.kind).map_or("keyword", |(_, label)| label);
    ui.name_inputs("Kind of term", |ui| {
        ComboBox::from_id_salt(("kind", path)).icon(chevron).selected_text(label).width(theme::DATE_FIELD).show_ui(
            ui,
            |ui| {
                for (kind, label) in KINDS {
                    ui.selectable_value(&mut term.kind, kind, label);
                }
            },
        );
    });
    ui.name_inputs("Term", |ui| {
        ui.add(TextEdit::singleline(&mut term.value).hint_text("word or name").desired_width(theme::FIELD));
    });
    ui.name_inputs("Weight", |ui| {
        ui.add(DragValue::new(&mut term.weight).range(-1.0..=1.0).speed(0.01).max_decimals(2).prefix("weight "))
            .on_hover_text("From -1 (unwanted) to +1 (wanted)");
    });
}

/// What else is known of a term, at the end of its row.
fn notes_ui(ui: &mut Ui, term: &Term) {
    let also = (!term.aliases.is_empty()).then(|| format!("also {}", text::short(&term.aliases.join(", "), 60)));
    let dates = match (&term.from, &term.to) {
        (None, None) => None,
        (from, to) => Some(format!("{} to {}", from.as_deref().unwrap_or("…"), to.as_deref().unwrap_or("…"))),
    };
    for note in [also, dates, term.uri.clone()].into_iter().flatten() {
        ui.weak(text::short(&note, 80));
    }
}
