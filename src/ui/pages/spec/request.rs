//! The request as rows of one grid, or as one line of text.

use crate::app::models::{TermFound, quoted};
use crate::campaign::{Request, Term, TermKind};
use crate::ui::icons::{Icon, icon_button_ui};
use crate::ui::text;
use crate::ui::theme::{self, GAP, tokens};
use crate::ui::widgets::{chevron, field_led_to, lead_here, segments_ui};
use egui::{Align, ComboBox, DragValue, Layout, Rect, Response, RichText, TextEdit, Ui, vec2};

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

/// Width of the place where rows begin: how each joins the others.
const JOIN: f32 = theme::NUMBER_FIELD;
/// Rows of a group begin so much further right than the group.
const INDENT: f32 = theme::GROUP_GAP;
/// Width of the kinds of terms, the longest of which is “organisation”.
const KIND: f32 = theme::LABEL_COLUMN;
/// Least width of the field of a term.
const VALUE_LEAST: f32 = theme::DATE_FIELD;

/// How the request is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RequestView {
    #[default]
    Rows,
    Text,
}

/// What is known of the terms of a request besides.
pub struct KnownTerms<'a> {
    /// The request as it was saved.
    pub saved: &'a Request,
    /// The captures that have each term.
    pub found: &'a [TermFound],
}

impl KnownTerms<'_> {
    /// The number of captures that have a term; none where it was not tried yet.
    fn found(&self, term: &Term) -> Option<u64> {
        let is_it = |found: &&TermFound| Term { weight: term.weight, ..found.term.clone() } == *term;
        self.found.iter().find(is_it).map(|found| found.captures)
    }

    fn is_saved(&self, term: &Term) -> bool {
        fn has(of: &Request, term: &Term) -> bool {
            match of {
                Request::And(parts) | Request::Or(parts) => parts.iter().any(|part| has(part, term)),
                Request::Not(part) => has(part, term),
                Request::Term(own) => own == term,
            }
        }
        has(self.saved, term)
    }
}

/// State of the editor between frames.
#[derive(Default)]
pub struct RequestEditor {
    view: RequestView,
    text: String,
    shown: Option<Request>,
    problem: Option<String>,
}

impl RequestEditor {
    /// Draws rows or text. Gives the filter of the captures that a number leads to.
    pub fn ui(&mut self, ui: &mut Ui, request: &mut Request, known: &KnownTerms<'_>) -> Option<String> {
        if self.shown.as_ref() != Some(request) {
            self.text = request.to_string();
            self.problem = None;
            self.shown = Some(request.clone());
        }
        // A problem of no single term is seen in the text.
        let led_to = field_led_to(ui.ctx()).filter(|path| path.starts_with("request"));
        if let Some(path) = &led_to {
            self.view = if path.contains("term.") { RequestView::Rows } else { RequestView::Text };
        }
        ui.horizontal(|ui| {
            let hint = RichText::new("What a page must be about").size(theme::SMALL_TEXT).color(tokens(ui).weak_text);
            ui.label(hint);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let views = [(RequestView::Rows, "Rows"), (RequestView::Text, "Text")];
                segments_ui(ui, "View of the request", &mut self.view, &views);
            });
        });
        if self.view == RequestView::Text {
            self.text_ui(ui, request, led_to.as_deref());
            return None;
        }
        if request.is_empty() {
            empty_ui(ui, request);
            return None;
        }
        let mut rows = Rows { known, depth: depth_of(request), width: ui.available_width(), leads_to: None };
        rows.heads_ui(ui);
        rows.node_ui(ui, request, &Place::root());
        rows.leads_to
    }

    fn text_ui(&mut self, ui: &mut Ui, request: &mut Request, led_to: Option<&str>) {
        let field = TextEdit::multiline(&mut self.text)
            .hint_text("words, \"phrases\", person:… place:… AND OR NOT ( )")
            .desired_rows(3)
            .desired_width(f32::INFINITY);
        let field = ui.add(field);
        name_field(&field, "Request as text");
        if let Some(path) = led_to {
            lead_here(&field, path);
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
            ui.weak("Rows show the last valid request");
        }
        if request.is_empty() && self.text.trim().is_empty() {
            ui.weak("Without a request all pages score the same");
        }
    }
}

/// The sentence in the place of the rows, and how to begin.
fn empty_ui(ui: &mut Ui, request: &mut Request) {
    ui.horizontal_wrapped(|ui| {
        ui.weak("Without a request all pages score the same");
        if ui.button("Add a row").clicked() {
            *request = Request::And(vec![new_term()]);
        }
        if ui.button("Insert an example").clicked()
            && let Ok(parsed) = EXAMPLE.parse()
        {
            *request = parsed;
        }
    });
}

/// How deep groups lie in groups.
fn depth_of(node: &Request) -> usize {
    match node {
        Request::And(parts) | Request::Or(parts) => 1 + parts.iter().map(depth_of).max().unwrap_or_default(),
        Request::Not(part) => depth_of(part),
        Request::Term(_) => 0,
    }
}

/// Where a part of the request stands.
struct Place {
    /// As problems name it.
    path: String,
    depth: usize,
    /// Whether all parts of the group around it have to hold; of none at the root.
    of_all: Option<bool>,
}

impl Place {
    fn root() -> Self {
        Self { path: "request".to_owned(), depth: 0, of_all: None }
    }

    fn inside(&self, of_all: bool, index: usize) -> Self {
        let name = if of_all { "and" } else { "or" };
        Self { path: format!("{}.{name}[{index}]", self.path), depth: self.depth + 1, of_all: Some(of_all) }
    }
}

/// What was done with a part that the group around it carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartEdit {
    Remove,
    /// All parts of the group have to hold, or one of them.
    Join(bool),
}

/// The rows of a request while they are drawn.
struct Rows<'k> {
    known: &'k KnownTerms<'k>,
    depth: usize,
    width: f32,
    leads_to: Option<String>,
}

impl Rows<'_> {
    /// Width of the first column: all fields begin at one edge, however deep their group lies.
    fn join_column(&self) -> f32 {
        JOIN + INDENT * self.depth.saturating_sub(1) as f32
    }

    fn value_width(&self) -> f32 {
        let fixed = self.join_column() + KIND + 2.0 * theme::NUMBER_FIELD + theme::CONTROL + 5.0 * GAP;
        (self.width - fixed).max(VALUE_LEAST)
    }

    fn heads_ui(&self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            ui.add_space(self.join_column() + GAP);
            for (head, width, is_number) in [
                ("Kind", KIND, false),
                ("Value", self.value_width(), false),
                ("Weight", theme::NUMBER_FIELD, true),
                ("Found", theme::NUMBER_FIELD, true),
            ] {
                let align =
                    if is_number { Layout::right_to_left(Align::Center) } else { Layout::left_to_right(Align::Center) };
                ui.allocate_ui_with_layout(vec2(width, theme::HEAD_ROW), align, |ui| {
                    ui.set_min_width(width);
                    let hint = match head {
                        "Weight" => "From -1 (unwanted) to +1 (wanted)",
                        "Found" => "Captures that have the term",
                        _ => "",
                    };
                    let label = RichText::new(head).size(theme::SMALL_TEXT).color(tokens(ui).weak_text);
                    let label = ui.label(label);
                    if !hint.is_empty() {
                        label.on_hover_text(hint);
                    }
                });
            }
        });
    }

    fn node_ui(&mut self, ui: &mut Ui, node: &mut Request, at: &Place) -> Option<PartEdit> {
        let is_group = |node: &Request| matches!(node, Request::And(_) | Request::Or(_) | Request::Not(_));
        match node {
            Request::And(_) | Request::Or(_) => self.group_ui(ui, node, at, false),
            Request::Not(inner) if is_group(inner) => self.group_ui(ui, node, at, true),
            Request::Not(_) | Request::Term(_) => self.term_row_ui(ui, node, at),
        }
    }

    /// Draws how a part joins the others of its group.
    fn join_ui(&self, ui: &mut Ui, node: &mut Request, at: &Place) -> Option<PartEdit> {
        let indent = INDENT * at.depth.saturating_sub(1) as f32;
        ui.add_space(indent);
        let is_not = matches!(node, Request::Not(_));
        let of_all = at.of_all.unwrap_or(true);
        let (mut joined, mut negated) = (None, None);
        let label = match (is_not, of_all) {
            (true, _) => "Not",
            (false, true) => "And",
            (false, false) => "Or",
        };
        ui.name_inputs("Joined by", |ui| {
            ComboBox::from_id_salt(("join", &at.path))
                .icon(chevron)
                .selected_text(label)
                .width(JOIN)
                .truncate()
                .show_ui(ui, |ui| {
                    for (name, all) in [("And", true), ("Or", false)] {
                        let hint =
                            if all { "All rows of the group have to hold" } else { "One row of the group has to hold" };
                        if ui.selectable_label(!is_not && of_all == all, name).on_hover_text(hint).clicked() {
                            (joined, negated) = (Some(all), Some(false));
                        }
                    }
                    if ui.selectable_label(is_not, "Not").on_hover_text("This row must not hold").clicked() {
                        negated = Some(true);
                    }
                });
        });
        ui.add_space(self.join_column() - indent - JOIN);
        if let Some(negated) = negated.filter(|negated| *negated != is_not) {
            *node = match std::mem::take(node) {
                Request::Not(inner) if !negated => *inner,
                other => Request::Not(Box::new(other)),
            };
        }
        match (joined, at.of_all) {
            (Some(all), Some(of_all)) if all != of_all => Some(PartEdit::Join(all)),
            // A single term becomes a group of one.
            (Some(false), None) => {
                *node = Request::Or(vec![std::mem::take(node)]);
                None
            }
            _ => None,
        }
    }

    fn term_row_ui(&mut self, ui: &mut Ui, node: &mut Request, at: &Place) -> Option<PartEdit> {
        let mut edit = None;
        let row = ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            edit = self.join_ui(ui, node, at);
            let (term, path) = match node {
                Request::Term(term) => (term, format!("{}.term", at.path)),
                Request::Not(inner) => match inner.as_mut() {
                    Request::Term(term) => (term, format!("{}.not.term", at.path)),
                    _ => return,
                },
                _ => return,
            };
            self.term_ui(ui, term, &path);
            if icon_button_ui(ui, Icon::Close, "Remove this row").clicked() {
                edit = Some(PartEdit::Remove);
            }
        });
        if let Some(term) = term_of(node) {
            if !self.known.is_saved(term) {
                let left = row.response.rect.left() - GAP;
                let bar = Rect::from_x_y_ranges(left..=left + theme::MARK_BAR, row.response.rect.y_range());
                ui.painter().rect_filled(bar, 0.0, tokens(ui).flag);
            }
            self.notes_ui(ui, term);
        }
        if at.of_all.is_none() {
            if edit == Some(PartEdit::Remove) {
                *node = Request::default();
            } else {
                ui.horizontal(|ui| {
                    if add_ui(ui, "Add a row") {
                        let first = std::mem::take(node);
                        *node = Request::And(vec![first, new_term()]);
                    }
                });
            }
            return None;
        }
        edit
    }

    fn group_ui(&mut self, ui: &mut Ui, node: &mut Request, at: &Place, is_not: bool) -> Option<PartEdit> {
        let mut edit = None;
        if at.of_all.is_some() || is_not {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                edit = self.join_ui(ui, node, at);
                let of = match &*node {
                    Request::Not(inner) => group_label(inner),
                    group => group_label(group),
                };
                ui.label(RichText::new(of).color(tokens(ui).weak_text));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if icon_button_ui(ui, Icon::Close, "Remove this group").clicked() {
                        edit = Some(PartEdit::Remove);
                    }
                });
            });
        }
        let (inner, at) = match node {
            Request::Not(inner) => {
                (inner.as_mut(), Place { path: format!("{}.not", at.path), depth: at.depth, of_all: at.of_all })
            }
            node => (node, Place { path: at.path.clone(), depth: at.depth, of_all: at.of_all }),
        };
        let all = matches!(inner, Request::And(_));
        if !matches!(inner, Request::And(_) | Request::Or(_)) {
            self.node_ui(ui, inner, &at);
            return edit;
        }
        let (Request::And(parts) | Request::Or(parts)) = inner else { return edit };
        let (mut gone, mut joined) = (None, None);
        for (index, part) in parts.iter_mut().enumerate() {
            let at = at.inside(all, index);
            match ui.push_id(&at.path, |ui| self.node_ui(ui, part, &at)).inner {
                Some(PartEdit::Remove) => gone = Some(index),
                Some(PartEdit::Join(all)) => joined = Some(all),
                None => {}
            }
        }
        if let Some(index) = gone {
            parts.remove(index);
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GROUP_LINKS;
            ui.add_space(self.join_column() - JOIN + if at.depth > 0 { INDENT } else { 0.0 });
            if add_ui(ui, "Add a row") {
                parts.push(new_term());
            }
            if add_ui(ui, "Add a group") {
                parts.push(Request::Or(vec![new_term()]));
            }
            if parts.is_empty() {
                ui.weak("No rows yet");
            }
        });
        if let Some(all) = joined {
            let parts = std::mem::take(parts);
            *inner = if all { Request::And(parts) } else { Request::Or(parts) };
        }
        edit
    }

    fn term_ui(&mut self, ui: &mut Ui, term: &mut Term, path: &str) {
        let label = KINDS.iter().find(|(kind, _)| *kind == term.kind).map_or("keyword", |(_, label)| label);
        ui.name_inputs("Kind of term", |ui| {
            let kinds = ComboBox::from_id_salt(("kind", path)).icon(chevron).selected_text(label);
            kinds.width(KIND).truncate().show_ui(ui, |ui| {
                for (kind, label) in KINDS {
                    ui.selectable_value(&mut term.kind, kind, label);
                }
            });
        });
        let width = self.value_width();
        let field = TextEdit::singleline(&mut term.value).hint_text("word or name");
        let field = ui.add_sized([width, theme::CONTROL], field);
        name_field(&field, "Term");
        if let Some(led_to) = field_led_to(ui.ctx()).filter(|led_to| led_to.starts_with(path)) {
            lead_here(&field, &led_to);
        }
        let weight = DragValue::new(&mut term.weight).range(-1.0..=1.0).speed(0.01).fixed_decimals(2);
        ui.name_inputs("Weight", |ui| ui.add_sized([theme::NUMBER_FIELD, theme::CONTROL], weight))
            .on_hover_text("From -1 (unwanted) to +1 (wanted)");
        let size = vec2(theme::NUMBER_FIELD, theme::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.set_min_size(size);
            self.found_ui(ui, term);
        });
    }

    /// Draws the number of captures that have a term; it leads to them.
    fn found_ui(&mut self, ui: &mut Ui, term: &Term) {
        let colors = tokens(ui);
        match self.known.found(term) {
            None => drop(ui.label(RichText::new("–").color(colors.faint_text)).on_hover_text("Not known yet")),
            Some(0) => {
                let zero = theme::strong("0", theme::BODY_TEXT).color(colors.flag);
                ui.label(zero).on_hover_text("No capture has it");
            }
            Some(count) => {
                let link = ui.link(text::count(count));
                if link
                    .on_hover_text(format!("Show the captures that have “{}”", text::short(&term.value, 60)))
                    .clicked()
                {
                    let alone = Request::Term(Term { weight: 1.0, ..term.clone() });
                    self.leads_to = Some(format!("request:{}", quoted(&alone.to_string())));
                }
            }
        }
    }

    /// What else is known of a term, below its value.
    fn notes_ui(&self, ui: &mut Ui, term: &Term) {
        let also = (!term.aliases.is_empty()).then(|| format!("also {}", term.aliases.join(", ")));
        let dates = match (&term.from, &term.to) {
            (None, None) => None,
            (from, to) => Some(format!("{} to {}", from.as_deref().unwrap_or("…"), to.as_deref().unwrap_or("…"))),
        };
        let notes: Vec<String> = [also, dates, term.uri.clone()].into_iter().flatten().collect();
        if notes.is_empty() {
            return;
        }
        let notes = text::line(&notes.join("; "));
        let line = vec2(ui.available_width(), theme::GROUP_GAP);
        ui.allocate_ui_with_layout(line, Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(self.join_column() + KIND + 2.0 * GAP + theme::CONTROL_PAD);
            let label = RichText::new(notes.as_str()).size(theme::SMALL_TEXT).color(tokens(ui).weak_text);
            ui.add(egui::Label::new(label).truncate());
        });
    }
}

/// Names a field for who listens: else its example would.
fn name_field(field: &Response, name: &str) {
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name));
}

/// Space between the links below a group.
const GROUP_LINKS: f32 = theme::GROUP_GAP;

fn add_ui(ui: &mut Ui, label: &str) -> bool {
    ui.link(label).clicked()
}

fn group_label(node: &Request) -> &'static str {
    match node {
        Request::And(_) => "all of these",
        _ => "one of these",
    }
}

fn term_of(node: &Request) -> Option<&Term> {
    match node {
        Request::Term(term) => Some(term),
        Request::Not(inner) => term_of(inner),
        _ => None,
    }
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
