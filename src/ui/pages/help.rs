//! The guides.

use crate::app::{AppState, Command, Route};
use crate::guide::{GUIDES, Guide};
use crate::ui::header::Header;
use crate::ui::markdown::{Block, Markdown, MarkdownEvent, anchor_of, plain};
use crate::ui::text;
use crate::ui::theme::{self, GAP};
use crate::ui::widgets::{is_typing, tab_ui, tabs_ui};
use egui::style::ScrollAnimation;
use egui::{Align, Key, Modifiers, ScrollArea, TextEdit, Ui, Vec2};
use std::collections::BTreeMap;

/// The page Help.
#[derive(Default)]
pub struct HelpPage {
    /// The guides that were shown or searched, by name.
    texts: BTreeMap<&'static str, Markdown>,
    query: String,
    /// The guide that was drawn last: another one is shown from its begin.
    shown: &'static str,
    /// The heading to bring into sight, as a link names it; empty for the begin.
    target: Option<String>,
}

impl HelpPage {
    /// Draws the page with a guide, or with the sections of all guides that match the search.
    pub fn ui(&mut self, ui: &mut Ui, app: &mut AppState, name: &'static str) {
        let guide = Guide::named(name).unwrap_or(&GUIDES[0]);
        let about = "The same texts as with “fonds guide” on the command line";
        Header::<()>::new("Help").state(guide.title).detail(about).ui(ui, app);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Search the guides");
            ui.add(TextEdit::singleline(&mut self.query).desired_width(theme::FIELD)).labelled_by(label.id);
            if !self.query.is_empty() && ui.button("Clear").clicked() {
                self.query.clear();
            }
        });
        let searched: Vec<String> = self.query.split_whitespace().map(str::to_ascii_lowercase).collect();
        let opened = tabs_ui(ui, "Guides", |ui| {
            let clicked = |ui: &mut Ui, other: &&Guide| {
                let tab = tab_ui(ui, other.name == guide.name && searched.is_empty(), other.title);
                tab.on_hover_text(other.about).clicked()
            };
            GUIDES.iter().filter(|other| clicked(ui, other)).last()
        });
        ui.add_space(GAP);
        let is_new = self.shown != guide.name;
        self.shown = guide.name;
        if is_new && self.target.is_none() {
            self.target = Some(String::new());
        }
        let event = match searched.is_empty() {
            true => self.guide_ui(ui, guide),
            false => self.found_ui(ui, app, &searched),
        };
        match event {
            Some(MarkdownEvent::Copy(code)) => ui.ctx().copy_text(code),
            Some(MarkdownEvent::Link(link)) => self.follow(ui, app, guide, &link),
            None => {}
        }
        if let Some(other) = opened.inner {
            self.open(app, other, String::new());
        }
    }

    fn open(&mut self, app: &mut AppState, guide: &'static Guide, heading: String) {
        self.query.clear();
        self.target = Some(heading);
        if app.route() != &Route::Help(guide.name) {
            app.send(Command::Go(Route::Help(guide.name)));
        }
    }

    /// Follows a link of a guide: to a guide (`queries.md`), a heading in one (`queries.md#fields`,
    /// `#fields`), or to a page on the web.
    fn follow(&mut self, ui: &Ui, app: &mut AppState, here: &'static Guide, link: &str) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let guide = if file.is_empty() { Some(here) } else { file.strip_suffix(".md").and_then(Guide::named) };
        match guide {
            Some(guide) => self.open(app, guide, heading.to_owned()),
            None => ui.ctx().open_url(egui::OpenUrl::new_tab(link)),
        }
    }

    fn text(&mut self, guide: &'static Guide) -> &Markdown {
        self.texts.entry(guide.name).or_insert_with(|| Markdown::parse(&guide.text()))
    }

    fn guide_ui(&mut self, ui: &mut Ui, guide: &'static Guide) -> Option<MarkdownEvent> {
        let target = self.target.take();
        let text = self.text(guide);
        let mut event = None;
        let mut area = ScrollArea::vertical().id_salt(guide.name).auto_shrink([false, false]);
        if target.as_deref() == Some("") {
            area = area.vertical_scroll_offset(0.0);
        }
        area.show(ui, |ui| {
            scroll_by_keys(ui);
            theme::keep_reading_width(ui);
            for block in &text.blocks {
                if let Block::Heading(_, spans) = block
                    && target.as_ref().is_some_and(|target| *target == anchor_of(&plain(spans)))
                {
                    ui.scroll_to_cursor(Some(Align::TOP));
                }
                event = block.ui(ui, &[]).or(event.take());
            }
        });
        event
    }

    /// Draws the sections of all guides that have every searched term, with links to where they are.
    fn found_ui(&mut self, ui: &mut Ui, app: &mut AppState, searched: &[String]) -> Option<MarkdownEvent> {
        let (mut event, mut opened, mut count) = (None, None, 0);
        for guide in &GUIDES {
            self.text(guide);
        }
        ScrollArea::vertical().id_salt("sections found").auto_shrink([false, false]).show(ui, |ui| {
            scroll_by_keys(ui);
            theme::keep_reading_width(ui);
            for guide in &GUIDES {
                let Some(text) = self.texts.get(guide.name) else { continue };
                let is_heading = |block: &Block| matches!(block, Block::Heading(..));
                for section in text.blocks.chunk_by(|_, next| !is_heading(next)) {
                    let heading = section.first().filter(|first| is_heading(first)).map(Block::text);
                    let heading = heading.unwrap_or_else(|| guide.title.to_owned());
                    let section_text =
                        section.iter().map(|block| block.text().to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
                    if !searched.iter().all(|term| section_text.contains(term.as_str())) {
                        continue;
                    }
                    count += 1;
                    let place =
                        if heading == guide.title { heading.clone() } else { format!("{}: {heading}", guide.title) };
                    if ui.link(place).on_hover_text("Opens the guide at this place").clicked() {
                        opened = Some((guide, anchor_of(&heading)));
                    }
                    for block in section.iter().filter(|block| !is_heading(block)) {
                        event = block.ui(ui, searched).or(event.take());
                    }
                    ui.separator();
                }
            }
            match count {
                0 => ui.label("No section of the guides has these words. Try fewer words, or a part of one"),
                count => ui.weak(text::counted(count, "section")),
            };
        });
        if let Some((guide, heading)) = opened {
            self.open(app, guide, heading);
        }
        event
    }
}

/// Part of the height in sight that a page up or down moves a text by.
const PAGE_PART: f32 = 0.9;
/// Points that an arrow key moves it by.
const ARROW_STEP: f32 = 40.0;
/// Points that are more than any guide is high.
const WHOLE_TEXT: f32 = 1e6;

/// Moves the text by the keys that do so elsewhere, while no control has the keyboard.
fn scroll_by_keys(ui: &mut Ui) {
    if is_typing(ui) || ui.memory(|memory| memory.focused().is_some()) {
        return;
    }
    let page = ui.clip_rect().height() * PAGE_PART;
    for (key, down) in [
        (Key::PageDown, page),
        (Key::PageUp, -page),
        (Key::ArrowDown, ARROW_STEP),
        (Key::ArrowUp, -ARROW_STEP),
        (Key::Home, -WHOLE_TEXT),
        (Key::End, WHOLE_TEXT),
    ] {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            ui.scroll_with_delta_animation(Vec2::new(0.0, -down), ScrollAnimation::none());
        }
    }
}
