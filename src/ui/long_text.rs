//! A text of many lines, as long as pages are.
//!
//! What is hidden in it is written out once, and the lines are laid out a part
//! with each frame: a long text all at once would hold the window up.

use super::text::{self, READ_CHARS};
use super::theme::tokens;
use crate::app::ByIdentity;
use crate::app::models::CaptureContent;
use egui::text::{CCursor, LayoutJob};
use egui::{FontId, Label, Rect, TextFormat, TextStyle, Ui, Vec2};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a frame lays out, and the rest of the last line.
const PART: usize = 2 << 10;

/// Places in a text that are marked, and which of them is at hand.
pub(super) type Marks<'a> = Option<(&'a Arc<Vec<Range<usize>>>, usize)>;

/// The text of a capture on the screen.
#[derive(Default)]
pub(super) struct LongText {
    look: Option<Look>,
    /// As much of the text as is laid out.
    job: LayoutJob,
    /// Bytes of the text, and of its marks, that are in it; its characters.
    taken: usize,
    marked: usize,
    chars: usize,
    /// The mark at hand, in its characters.
    at_hand: Option<Range<usize>>,
    /// Height of the whole, where it was drawn before.
    height: f32,
    /// When it was drawn last.
    pass: u64,
}

/// What is drawn, and how.
#[derive(PartialEq)]
struct Look {
    content: ByIdentity<CaptureContent>,
    marks: Option<(ByIdentity<Vec<Range<usize>>>, usize)>,
    font: FontId,
    is_dark: bool,
    width: f32,
}

impl LongText {
    /// Draws the text; where the mark at hand is, once that is laid out.
    pub fn ui(&mut self, ui: &mut Ui, content: &Arc<CaptureContent>, marks: Marks<'_>) -> Option<Rect> {
        let look = Look {
            content: ByIdentity::of(content),
            marks: marks.map(|(marks, at)| (ByIdentity::of(marks), at)),
            font: TextStyle::Body.resolve(ui.style()),
            is_dark: ui.visuals().dark_mode,
            width: ui.available_width(),
        };
        // What was not drawn lately is laid out no more.
        let pass = ui.ctx().cumulative_pass_nr();
        let was_away = std::mem::replace(&mut self.pass, pass) + 1 < pass;
        if was_away || self.look.as_ref() != Some(&look) {
            let is_other = self.look.as_ref().is_none_or(|before| before.content != look.content);
            let height = if is_other { 0.0 } else { self.height };
            *self = Self { look: Some(look), height, pass, ..Self::default() };
            self.job.wrap.max_width = ui.available_width();
        }
        let is_whole = self.take_part(ui, &content.text, marks);
        let galley = ui.painter().layout_job(self.job.clone());
        // Every letter would be painted over in each frame in which it is faded.
        let draw = |ui: &mut Ui| {
            ui.set_opacity(1.0);
            ui.add(Label::new(galley.clone()))
        };
        let response = ui.scope(draw).inner;
        if is_whole {
            self.height = response.rect.height();
        } else {
            // Whoever has scrolled in it stays where that is.
            ui.allocate_space(Vec2::new(0.0, (self.height - response.rect.height()).max(0.0)));
            ui.ctx().request_repaint();
        }
        let place = |char: usize| galley.pos_from_cursor(CCursor::new(char)).translate(response.rect.min.to_vec2());
        self.at_hand.as_ref().map(|at| Rect::from_min_max(place(at.start).min, place(at.end).max))
    }

    /// Takes more of the text; whether that is all.
    fn take_part(&mut self, ui: &Ui, content: &str, marks: Marks<'_>) -> bool {
        let (marks, at_hand) = marks.map_or((&[][..], 0), |(marks, at)| (marks.as_slice(), at));
        // As much as is read at most, and all that is marked.
        let limit = marks.last().map_or(0, |mark| mark.end).max(READ_CHARS).min(content.len());
        let limit = content.ceil_char_boundary(limit);
        let part = content.ceil_char_boundary((self.taken + PART).min(limit));
        let end = content.get(part..limit).and_then(|rest| rest.find('\n')).map_or(limit, |line| part + line + 1);
        while self.taken < end {
            let next = marks.get(self.marked).filter(|mark| mark.start < end);
            match next {
                Some(mark) if mark.start <= self.taken => {
                    let begin = self.chars;
                    self.put(ui, content, mark.end, Some(self.marked == at_hand));
                    if self.marked == at_hand {
                        self.at_hand = Some(begin..self.chars);
                    }
                    self.marked += 1;
                }
                _ => self.put(ui, content, next.map_or(end, |mark| mark.start), None),
            }
        }
        let is_whole = self.taken >= limit;
        if is_whole && limit < content.len() && self.taken < content.len() {
            self.taken = content.len();
            self.append(ui, "…", None);
        }
        is_whole
    }

    fn put(&mut self, ui: &Ui, content: &str, end: usize, marked: Option<bool>) {
        let part = text::block(content.get(self.taken..end).unwrap_or_default());
        self.taken = self.taken.max(end);
        self.append(ui, &part, marked);
    }

    fn append(&mut self, ui: &Ui, part: &str, marked: Option<bool>) {
        let (colors, font) = (tokens(ui), TextStyle::Body.resolve(ui.style()));
        let format = match marked {
            None => TextFormat::simple(font, colors.text),
            Some(is_at_hand) => TextFormat {
                background: colors.chosen_bg,
                underline: egui::Stroke::new(if is_at_hand { 3.0 } else { 1.0 }, colors.accent),
                ..TextFormat::simple(font, colors.strong_text)
            },
        };
        self.chars += part.chars().count();
        self.job.append(part, 0.0, format);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use egui_kittest::Harness;

    #[test]
    fn a_long_text_comes_in_parts_until_all_of_it_and_the_mark_at_its_end_are_there() {
        let text: String = (0..5_000).map(|line| format!("line {line} of a long\u{202e} page\r\n")).collect();
        let end = text.rfind("line 4999").unwrap();
        let marks = Arc::new(vec![0..6, end..end + 9]);
        let content = Arc::new(CaptureContent {
            request_head: String::new(),
            response_head: String::new(),
            warc_fields: Vec::new(),
            text,
            charset: String::new(),
            problems: Vec::new(),
        });
        let (mut shown, laid_out) = (LongText::default(), Arc::new(std::sync::Mutex::new(Vec::new())));
        let (of, seen) = (content.clone(), laid_out.clone());
        let window = Harness::builder().with_context_setup(super::super::theme::install);
        let mut harness = window.build_ui_state(
            move |ui, place: &mut Option<Rect>| {
                egui::ScrollArea::vertical().show(ui, |ui| *place = shown.ui(ui, &of, Some((&marks, 1))));
                seen.lock().unwrap().push(shown.job.text.len());
            },
            None,
        );
        harness.run_steps(content.text.len() / PART + 5);
        let lengths = laid_out.lock().unwrap();
        let (first, last) = (lengths[0], *lengths.last().unwrap());
        assert!(first < 2 * PART, "{first} at once");
        let most = lengths.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap();
        assert!(most < 2 * PART, "{most} with one frame");
        // What is hidden is written out, line ends are one character.
        assert_eq!(last, text::block(&content.text).len());
        let place = harness.state().unwrap();
        assert!(place.top() > 4_998.0 * 10.0 && place.width() > 10.0 && place.height() < 40.0, "{place:?}");
    }
}
