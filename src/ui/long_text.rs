//! A text of many lines, as long as pages are.
//!
//! What is hidden in it is written out once, and the lines are laid out a part
//! with each frame, below those before: a long text all at once would hold the
//! window up.

use super::text::{self, READ_CHARS};
use super::theme::tokens;
use crate::app::ByIdentity;
use crate::app::models::CaptureContent;
use egui::text::{ByteIndex, CCursor, LayoutJob};
use egui::{FontId, Galley, Label, Rect, TextFormat, TextStyle, Ui, Vec2};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a frame lays out, and the rest of the last line.
const PART: usize = 3 << 9;

/// Places in a text that are marked, and the number of the current one.
pub(super) type Marks<'a> = Option<(&'a Arc<Vec<Range<usize>>>, usize)>;

/// How marks look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum MarkStyle {
    /// What was found.
    #[default]
    Found,
    /// What is missing.
    Missing,
}

/// The text of a capture on the screen.
#[derive(Default)]
pub(super) struct LongText {
    style: MarkStyle,
    key: Option<LayoutKey>,
    /// The part of the text that is laid out.
    job: LayoutJob,
    laid_out: Option<Arc<Galley>>,
    /// Fill of the texture of letters: it is emptied when it is full,
    /// and what was laid out before leads nowhere in it.
    letters: f32,
    /// Bytes of the text, and of its marks, that are in it; its characters.
    taken: usize,
    marked: usize,
    chars: usize,
    /// The current mark, in its characters.
    current: Option<Range<usize>>,
    /// Height of the whole, where it was drawn before.
    height: f32,
    /// The frame in which it was drawn last.
    pass: u64,
}

/// The text, the marks and the style that a layout was made for.
#[derive(PartialEq)]
struct LayoutKey {
    content: ByIdentity<CaptureContent>,
    marks: Option<(ByIdentity<Vec<Range<usize>>>, usize)>,
    font: FontId,
    is_dark: bool,
    width: f32,
    pixels_per_point: f32,
}

impl LongText {
    /// A text whose marks are of what is missing.
    pub fn with_missing() -> Self {
        Self { style: MarkStyle::Missing, ..Self::default() }
    }

    /// Whether this is the text on the screen: that of a capture before is not
    /// laid out while the next one is read.
    pub fn shows(&self, content: &Arc<CaptureContent>) -> bool {
        self.key.as_ref().is_some_and(|key| key.content == ByIdentity::of(content))
    }

    /// Draws the text; gives the place of the current mark, once that is laid out.
    pub fn ui(&mut self, ui: &mut Ui, content: &Arc<CaptureContent>, marks: Marks<'_>) -> Option<Rect> {
        let key = LayoutKey {
            content: ByIdentity::of(content),
            marks: marks.map(|(marks, at)| (ByIdentity::of(marks), at)),
            font: TextStyle::Body.resolve(ui.style()),
            is_dark: ui.visuals().dark_mode,
            width: ui.available_width(),
            pixels_per_point: ui.pixels_per_point(),
        };
        // What was not drawn lately is laid out no more.
        let pass = ui.ctx().cumulative_pass_nr();
        let was_away = std::mem::replace(&mut self.pass, pass) + 1 < pass;
        let letters = ui.fonts(|fonts| fonts.font_atlas_fill_ratio());
        let is_emptied = letters < std::mem::replace(&mut self.letters, letters);
        if was_away || is_emptied || self.key.as_ref() != Some(&key) {
            let is_other = self.key.as_ref().is_none_or(|before| before.content != key.content);
            let height = if is_other { 0.0 } else { self.height };
            *self = Self { style: self.style, key: Some(key), height, pass, letters, ..Self::default() };
            self.job.wrap.max_width = ui.available_width();
        }
        let is_whole = self.take_part(ui, &content.text, marks);
        let galley = self.laid_out.clone()?;
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
        self.current.as_ref().map(|at| Rect::from_min_max(place(at.start).min, place(at.end).max))
    }

    /// Lays out more of the text; whether that is all.
    fn take_part(&mut self, ui: &Ui, content: &str, marks: Marks<'_>) -> bool {
        let (marks, current) = marks.map_or((&[][..], 0), |(marks, at)| (marks.as_slice(), at));
        // As much as is read at most, and all that is marked.
        let marked = if self.style == MarkStyle::Found { marks.last().map_or(0, |mark| mark.end) } else { 0 };
        let limit = marked.max(READ_CHARS).min(content.len());
        let limit = content.ceil_char_boundary(limit);
        if self.laid_out.is_some() && self.taken >= limit {
            return true;
        }
        let line_end = |from: usize| {
            let rest = content.get(from..limit);
            rest.and_then(|rest| rest.find('\n')).map_or(limit, |line| from + line + 1)
        };
        let mut end = line_end(content.ceil_char_boundary((self.taken + PART).min(limit)));
        let mut part = LayoutJob { wrap: self.job.wrap.clone(), ..LayoutJob::default() };
        while self.taken < end {
            let next = marks.get(self.marked).filter(|mark| mark.start < end);
            match next {
                Some(mark) if mark.start <= self.taken => {
                    let begin = self.chars;
                    self.put(ui, &mut part, content, mark.end, Some(self.marked == current));
                    if self.marked == current {
                        self.current = Some(begin..self.chars);
                    }
                    self.marked += 1;
                    // A mark may go on in the next line.
                    if self.taken > end && !content.as_bytes()[..self.taken].ends_with(b"\n") {
                        end = line_end(self.taken);
                    }
                }
                _ => self.put(ui, &mut part, content, next.map_or(end, |mark| mark.start), None),
            }
        }
        let is_whole = self.taken >= limit;
        if is_whole && limit < content.len() {
            self.append(ui, &mut part, "…", None);
        }
        if !is_whole {
            drop_line_end(&mut part);
        }
        let part = ui.painter().layout_job(part);
        self.laid_out = Some(match self.laid_out.take() {
            None => part,
            Some(before) => {
                let whole = Galley::concat(Arc::new(self.job.clone()), &[before, part], ui.pixels_per_point());
                Arc::new(whole)
            }
        });
        is_whole
    }

    fn put(&mut self, ui: &Ui, part: &mut LayoutJob, content: &str, end: usize, marked: Option<bool>) {
        let text = text::block(content.get(self.taken..end).unwrap_or_default());
        self.taken = self.taken.max(end);
        self.append(ui, part, &text, marked);
    }

    fn append(&mut self, ui: &Ui, part: &mut LayoutJob, text: &str, marked: Option<bool>) {
        let (colors, font) = (tokens(ui), TextStyle::Body.resolve(ui.style()));
        let format = match marked {
            None => TextFormat::simple(font, colors.text),
            Some(_) if self.style == MarkStyle::Missing => {
                TextFormat { background: colors.reject_bg, ..TextFormat::simple(font, colors.reject) }
            }
            Some(is_current) => TextFormat {
                background: colors.chosen_bg,
                underline: egui::Stroke::new(if is_current { 3.0 } else { 1.0 }, colors.accent),
                ..TextFormat::simple(font, colors.strong_text)
            },
        };
        self.chars += text.chars().count();
        self.job.append(text, 0.0, format.clone());
        part.append(text, 0.0, format);
    }
}

/// The end of the last line comes back when the next part is put below.
fn drop_line_end(part: &mut LayoutJob) {
    if part.text.pop().is_some()
        && let Some(last) = part.sections.last_mut()
    {
        last.byte_range.end = ByteIndex(part.text.len());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use egui_kittest::Harness;

    #[test]
    fn a_long_text_comes_in_parts_until_all_of_it_and_the_mark_at_its_end_are_there() {
        let text: String = (0..5_000).map(|line| format!("line {line} of a long\u{202e} pagé\r\n")).collect();
        let end = text.rfind("line 4999").unwrap();
        // One ends with a letter of two bytes, one goes on in the next line.
        let letter = text.find("pagé").unwrap();
        let over = text.find("pagé\r\nline 2500").unwrap();
        let marks = Arc::new(vec![letter..letter + 5, over..over + 11, end..end + 9]);
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
                egui::ScrollArea::vertical().show(ui, |ui| *place = shown.ui(ui, &of, Some((&marks, 2))));
                let at_once = place.map(|_| ui.painter().layout_job(shown.job.clone()));
                seen.lock().unwrap().push((shown.laid_out.clone().unwrap(), at_once));
            },
            None,
        );
        harness.run_steps(content.text.len() / PART + 5);
        let laid_out = laid_out.lock().unwrap();
        let lengths: Vec<usize> = laid_out.iter().map(|(galley, _)| galley.text().len()).collect();
        let (first, last) = (lengths[0], *lengths.last().unwrap());
        assert!(first < 2 * PART, "{first} at once");
        let most = lengths.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap();
        assert!(most < 2 * PART, "{most} with one frame");
        // What is hidden is written out, line ends are one character.
        assert_eq!(last, text::block(&content.text).len());
        let (in_parts, at_once) = laid_out.last().unwrap();
        let rows =
            |galley: &Galley| galley.rows.iter().map(|row| (row.text(), row.ends_with_newline)).collect::<Vec<_>>();
        let at_once = at_once.as_ref().unwrap();
        assert_eq!(rows(in_parts), rows(at_once));
        assert!((in_parts.rect.height() - at_once.rect.height()).abs() < 1.0, "{:?} {:?}", in_parts.rect, at_once.rect);
        let place = harness.state().unwrap();
        assert!(place.top() > 4_998.0 * 10.0 && place.width() > 10.0 && place.height() < 40.0, "{place:?}");
    }
}
