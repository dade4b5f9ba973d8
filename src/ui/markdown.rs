//! Texts in Markdown on the screen: headings, paragraphs, lists, code and tables.
//!
//! Read by `pulldown-cmark`. Left out: pictures, quotes, HTML and footnotes, which the guides do
//! not have; their texts are drawn as paragraphs. For texts of this program: a text from the web
//! would have to go through [`super::text`] first.

use super::access::mark_heading;
use super::theme::{self, GAP, tokens};
use egui::text::LayoutJob;
use egui::{FontId, Label, RichText, TextFormat, TextStyle, Ui};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Points that a nested list is moved to the right.
const INDENT: f32 = 18.0;

/// A text in Markdown, read.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    pub(super) blocks: Vec<Block>,
}

/// A part of a text, one below the other.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    /// A heading: its level from 1, and its text.
    Heading(usize, Vec<Span>),
    Paragraph(Vec<Span>),
    /// An entry of a list: how deep it is nested from 1, what is put before it, and its text.
    Item(usize, String, Vec<Span>),
    /// Lines of code.
    Code(String),
    /// Rows of cells; the first one is the head.
    Table(Vec<Vec<Vec<Span>>>),
}

/// A run of text in one look.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Span {
    text: String,
    is_code: bool,
    is_strong: bool,
    is_emphasis: bool,
    /// The target of a link.
    link: Option<String>,
}

/// An action of a person on the text that was drawn.
#[derive(Debug, PartialEq)]
pub(super) enum MarkdownEvent {
    /// Followed a link to this place.
    Link(String),
    /// Copied a block of code.
    Copy(String),
}

/// The text of spans, without their styles.
pub(super) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// The target of links to a heading, as on the pages of source repositories: `#where-data-lie`.
pub(super) fn anchor_of(heading: &str) -> String {
    let letters = heading.to_lowercase().replace(' ', "-");
    letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

impl Markdown {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Self {
        let mut reader = Reader::default();
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            reader.take(event);
        }
        reader.end_text();
        Self { blocks: reader.blocks }
    }
}

impl Block {
    /// The text of the block, for searching.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Heading(_, spans) | Self::Paragraph(spans) | Self::Item(_, _, spans) => plain(spans),
            Self::Code(code) => code.clone(),
            Self::Table(rows) => rows.iter().flatten().map(|cell| plain(cell)).collect::<Vec<_>>().join(" "),
        }
    }

    /// Draws it, with `marked` words in another colour. Gives what was done with it.
    pub(super) fn ui(&self, ui: &mut Ui, marked: &[String]) -> Option<MarkdownEvent> {
        ui.scope(|ui| {
            // Rows as high as their text, not as a button.
            ui.spacing_mut().interact_size.y = 0.0;
            self.block_ui(ui, marked)
        })
        .inner
    }

    fn block_ui(&self, ui: &mut Ui, marked: &[String]) -> Option<MarkdownEvent> {
        match self {
            Self::Heading(level, spans) => {
                ui.add_space(if *level == 1 { 0.0 } else { GAP });
                let text = plain(spans);
                let style = RichText::new(text.as_str()).color(tokens(ui).strong_text);
                let heading = ui.label(if *level <= 2 { style.heading() } else { style.strong() });
                mark_heading(&heading, &text);
                None
            }
            Self::Paragraph(spans) => {
                ui.add_space(GAP / 2.0);
                spans_ui(ui, spans, marked)
            }
            Self::Item(depth, marker, spans) => {
                ui.horizontal_top(|ui| {
                    ui.add_space(INDENT * (depth - 1) as f32);
                    ui.label(marker);
                    ui.vertical(|ui| spans_ui(ui, spans, marked)).inner
                })
                .inner
            }
            Self::Code(code) => code_ui(ui, code, marked),
            Self::Table(rows) => table_ui(ui, rows, marked),
        }
    }
}

/// Makes blocks of the events of the parser.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    spans: Vec<Span>,
    /// The style of the text that comes.
    style: Span,
    /// Numbers of the lists around, the innermost last; none where they have none.
    lists: Vec<Option<u64>>,
    /// The marker before the entry that begins.
    marker: Option<String>,
    code: Option<String>,
    rows: Vec<Vec<Vec<Span>>>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => *code += &text,
                None => self.push(&text),
            },
            Event::Code(text) => {
                self.style.is_code = true;
                self.push(&text);
                self.style.is_code = false;
            }
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.push("\n"),
            Event::Rule
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn push(&mut self, text: &str) {
        match self.spans.last_mut() {
            Some(last) if Span { text: String::new(), ..last.clone() } == self.style => last.text += text,
            _ => self.spans.push(Span { text: text.to_owned(), ..self.style.clone() }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.style.is_strong = true,
            Tag::Emphasis => self.style.is_emphasis = true,
            Tag::Link { dest_url, .. } => self.style.link = Some(dest_url.into_string()),
            Tag::List(first) => {
                self.end_text();
                self.lists.push(first);
            }
            Tag::Item => {
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    _ => "•".to_owned(),
                });
            }
            Tag::CodeBlock(kind) => {
                self.end_text();
                drop::<CodeBlockKind<'_>>(kind);
                self.code = Some(String::new());
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.style.is_strong = false,
            TagEnd::Emphasis => self.style.is_emphasis = false,
            TagEnd::Link => self.style.link = None,
            TagEnd::List(_) => {
                self.end_text();
                self.lists.pop();
            }
            TagEnd::Heading(level) => {
                let spans = std::mem::take(&mut self.spans);
                self.blocks.push(Block::Heading(level as usize, spans));
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.blocks.push(Block::Code(code.trim_end().to_owned()));
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.blocks.push(Block::Table(std::mem::take(&mut self.rows))),
            TagEnd::Paragraph | TagEnd::Item => self.end_text(),
            _ => {}
        }
    }

    /// Ends a paragraph or the text of an entry.
    fn end_text(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.is_empty() {
            return;
        }
        let depth = self.lists.len();
        self.blocks.push(match self.marker.take() {
            Some(marker) => Block::Item(depth.max(1), marker, spans),
            // A further paragraph of an entry.
            None if depth > 0 => Block::Item(depth, "  ".to_owned(), spans),
            None => Block::Paragraph(spans),
        });
    }
}

fn spans_ui(ui: &mut Ui, spans: &[Span], marked: &[String]) -> Option<MarkdownEvent> {
    let mut followed = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for run in spans.chunk_by(|a, b| a.link == b.link) {
            match &run[0].link {
                Some(link) => {
                    if ui.link(plain(run)).on_hover_text(link).clicked() {
                        followed = Some(MarkdownEvent::Link(link.clone()));
                    }
                }
                None => {
                    let job = job_of(ui, run, marked);
                    ui.add(Label::new(job).wrap());
                }
            }
        }
    });
    followed
}

/// The text of spans with their looks.
fn job_of(ui: &Ui, spans: &[Span], marked: &[String]) -> LayoutJob {
    let colors = tokens(ui);
    let (body, code) = (TextStyle::Body.resolve(ui.style()), TextStyle::Monospace.resolve(ui.style()));
    let mut job = LayoutJob::default();
    for span in spans {
        let font_id: FontId = if span.is_code { code.clone() } else { body.clone() };
        let format = TextFormat {
            font_id,
            color: if span.is_strong { colors.strong_text } else { colors.text },
            italics: span.is_emphasis,
            background: if span.is_code { ui.visuals().code_bg_color } else { TextFormat::default().background },
            ..TextFormat::default()
        };
        append_marked(&mut job, &span.text, &format, marked, colors.chosen_bg);
    }
    job
}

/// Appends a text with another ground behind the words that are marked.
fn append_marked(job: &mut LayoutJob, text: &str, format: &TextFormat, marked: &[String], ground: egui::Color32) {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    while at < text.len() {
        let next = marked
            .iter()
            .filter_map(|word| lower[at..].find(word.as_str()).map(|found| (at + found, word.len())))
            .filter(|(_, len)| *len > 0)
            .min();
        let Some((found, len)) = next.filter(|(found, len)| text.is_char_boundary(found + len)) else { break };
        job.append(&text[at..found], 0.0, format.clone());
        job.append(&text[found..found + len], 0.0, TextFormat { background: ground, ..format.clone() });
        at = found + len;
    }
    job.append(&text[at..], 0.0, format.clone());
}

fn code_ui(ui: &mut Ui, code: &str, marked: &[String]) -> Option<MarkdownEvent> {
    let mut copied = None;
    theme::card_frame(ui).fill(ui.visuals().code_bg_color).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::TOP), |ui| {
            if ui.small_button("Copy").on_hover_text("Copies these lines").clicked() {
                copied = Some(MarkdownEvent::Copy(code.to_owned()));
            }
            ui.with_layout(egui::Layout::top_down(egui::Align::LEFT), |ui| {
                let span = Span { text: code.to_owned(), is_code: true, ..Span::default() };
                let job = job_of(ui, &[span], marked);
                ui.add(Label::new(job).wrap());
            });
        });
    });
    copied
}

fn table_ui(ui: &mut Ui, rows: &[Vec<Vec<Span>>], marked: &[String]) -> Option<MarkdownEvent> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return None;
    }
    let mut followed = None;
    let width = ui.available_width() - GAP * (columns - 1) as f32;
    // A narrow first column of names, and the rest for what they mean.
    let first = if columns == 1 { width } else { width * 0.4_f32.min(1.2 / columns as f32) };
    let other = (width - first) / (columns.max(2) - 1) as f32;
    egui::Grid::new(ui.next_auto_id()).num_columns(columns).spacing([GAP, GAP / 2.0]).show(ui, |ui| {
        for (number, row) in rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let cell_width = if column == 0 { first } else { other };
                ui.vertical(|ui| {
                    ui.set_width(cell_width);
                    if number == 0 {
                        ui.label(RichText::new(plain(cell)).strong().color(tokens(ui).strong_text));
                    } else {
                        followed = spans_ui(ui, cell, marked).or(followed.take());
                    }
                });
            }
            ui.end_row();
        }
    });
    followed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Span {
        Span { text: text.to_owned(), ..Span::default() }
    }

    #[test]
    fn a_text_is_read_into_what_is_drawn() {
        let text = "# Crawl\n\nOne\nline with `code`.\n\n- a\n- b **c**\n\n  more\n\n1. [x](queries.md#fields)\n\n\
                    ```sh\nfonds a\nfonds b\n```\n\n| A | B |\n|---|---|\n| `ria` | Both |\n";
        let blocks = Markdown::parse(text).blocks;
        let code = |text: &str| Span { is_code: true, ..span(text) };
        let link = Span { link: Some("queries.md#fields".to_owned()), ..span("x") };
        assert_eq!(
            blocks,
            [
                Block::Heading(1, vec![span("Crawl")]),
                Block::Paragraph(vec![span("One line with "), code("code"), span(".")]),
                Block::Item(1, "•".to_owned(), vec![span("a")]),
                Block::Item(1, "•".to_owned(), vec![span("b "), Span { is_strong: true, ..span("c") }]),
                Block::Item(1, "  ".to_owned(), vec![span("more")]),
                Block::Item(1, "1.".to_owned(), vec![link]),
                Block::Code("fonds a\nfonds b".to_owned()),
                Block::Table(vec![vec![vec![span("A")], vec![span("B")]], vec![vec![code("ria")], vec![span("Both")]]]),
            ]
        );
        assert_eq!(blocks[7].text(), "A B ria Both");
    }

    #[test]
    fn headings_are_linked_to_by_their_letters() {
        assert_eq!(anchor_of("Where data lie"), "where-data-lie");
        assert_eq!(anchor_of("Select, export & verify"), "select-export--verify");
    }

    #[test]
    fn marks_keep_the_text_whole() {
        let mut job = LayoutJob::default();
        let marked = ["ria".to_owned(), "é".to_owned()];
        append_marked(&mut job, "Ria é RIA ı", &TextFormat::default(), &marked, egui::Color32::RED);
        assert_eq!(job.text, "Ria é RIA ı");
        let grounds = job.sections.iter().filter(|section| section.format.background == egui::Color32::RED);
        assert_eq!(grounds.count(), 3);
    }
}
