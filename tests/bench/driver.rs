//! The window without a screen: frames are drawn when the program requests
//! them and when something is done, and each is measured.

use crate::measured::{ms, thread_time};
use egui::epaint::ClippedShape;
use egui::{
    Context, Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, RawInput, Rect, Shape,
    TouchPhase, Vec2,
};
use fonds::app::{AppState, Settings, Workspaces};
use fonds::ui::Cockpit;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// As large as a usual screen.
const SIZE: Vec2 = Vec2::new(1600.0, 1000.0);
/// How long answers are waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// A frame asked for later than this, as of clocks and figures that change, is not waited for.
const SOON: Duration = Duration::from_millis(300);
/// How often it is looked for answers.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// So many looks without anything to draw, and nothing is on its way.
const QUIET_POLLS: usize = 5;

/// Processor time of the window's thread for one frame.
#[derive(Clone)]
pub struct Frame {
    /// What was done before, in the words of the benchmark.
    pub step: String,
    /// Update and layout.
    pub update: Duration,
    /// Shapes into triangles.
    pub tessellation: Duration,
    /// Letters were drawn that had never been drawn in their size.
    pub new_letters: bool,
}

/// The window, and its frames since the last time they were taken.
pub struct Driver {
    ctx: Context,
    cockpit: Cockpit,
    begun: Instant,
    /// When the next frame is asked for.
    due: Arc<Mutex<Option<Instant>>>,
    /// What is written on the screen, and where.
    texts: Vec<(String, Pos2)>,
    modifiers: Modifiers,
    step: String,
    frames: Vec<Frame>,
}

impl Driver {
    /// On a workspace, which it opens.
    pub fn new(folder: &Path, beside: &Path) -> Self {
        let (ctx, due) = (Context::default(), Arc::new(Mutex::new(None)));
        let frames_due = due.clone();
        ctx.set_request_repaint_callback(move |info| {
            let at = Instant::now() + info.delay;
            let mut due = frames_due.lock().unwrap_or_else(PoisonError::into_inner);
            *due = Some(due.map_or(at, |before: Instant| before.min(at)));
        });
        let opener = Arc::new(Workspaces::offering(beside.to_owned()));
        // All tabs of the panel have room below the page only.
        let settings = Settings { panel_aside: false, ..Settings::default() };
        let cockpit = Cockpit::new(&ctx, opener, settings, Some(folder.to_owned())).unwrap();
        let (texts, frames) = (Vec::new(), Vec::new());
        let step = "open the workspace".to_owned();
        let mut window =
            Self { ctx, cockpit, begun: Instant::now(), due, texts, modifiers: Modifiers::NONE, step, frames };
        window.draw(Vec::new());
        window.settle();
        window
    }

    /// What the window knows.
    pub fn app(&self) -> &AppState {
        &self.cockpit.app
    }

    /// The frames since they were taken last.
    pub fn take_frames(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.frames)
    }

    /// Whether a text that begins so is on the screen.
    pub fn shows(&self, text: &str) -> bool {
        self.place_of(|other| other.starts_with(text)).is_some()
    }

    /// Lets a screen reader listen, or no longer.
    pub fn read_out(&mut self, reads: bool) {
        if reads { self.ctx.enable_accesskit() } else { self.ctx.disable_accesskit() }
    }

    /// Draws a frame with what happened since the last.
    pub fn draw(&mut self, events: Vec<Event>) {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SIZE)),
            max_texture_side: Some(8192),
            time: Some(self.begun.elapsed().as_secs_f64()),
            focused: true,
            events,
            ..RawInput::default()
        };
        let begun = thread_time();
        let cockpit = &mut self.cockpit;
        let mut output = self.ctx.run_ui(input, |ui| {
            let ctx = ui.ctx().clone();
            cockpit.logic(&ctx);
            cockpit.ui(ui);
        });
        let update = thread_time().saturating_sub(begun);
        let new_letters = !output.textures_delta.set.is_empty();
        output.textures_delta.clear();
        self.texts.clear();
        output.shapes.iter().for_each(|shape| gather(shape, &shape.shape, &mut self.texts));
        let begun = thread_time();
        std::hint::black_box(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        let tessellation = thread_time().saturating_sub(begun);
        self.frames.push(Frame { step: self.step.clone(), update, tessellation, new_letters });
    }

    /// Draws whenever that is asked for, until nothing is on its way.
    pub fn settle(&mut self) {
        let (begun, mut quiet) = (Instant::now(), 0);
        while quiet < QUIET_POLLS && begun.elapsed() < PATIENCE {
            let due = *self.due.lock().unwrap_or_else(PoisonError::into_inner);
            match due {
                Some(at) if at <= Instant::now() => {
                    self.draw(Vec::new());
                    quiet = 0;
                }
                Some(at) if at < Instant::now() + SOON => quiet = 0,
                _ if self.app().is_waited_for() => quiet = 0,
                _ => quiet += 1,
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Says what is done next, for the frames that follow.
    pub fn step(&mut self, what: &str) {
        what.clone_into(&mut self.step);
    }

    /// Presses a key and lets it go.
    pub fn press(&mut self, modifiers: Modifiers, key: Key) {
        let before = std::mem::replace(&mut self.modifiers, modifiers);
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        let changed = (before != modifiers).then_some(Event::ModifiersChanged(modifiers));
        self.draw(changed.into_iter().chain([event(true)]).collect());
        self.modifiers = Modifiers::NONE;
        let changed = (modifiers != Modifiers::NONE).then_some(Event::ModifiersChanged(Modifiers::NONE));
        self.draw([event(false)].into_iter().chain(changed).collect());
    }

    /// Types a letter.
    pub fn type_letter(&mut self, letter: char) {
        self.draw(vec![Event::Text(letter.to_string())]);
    }

    /// Moves the pointer.
    pub fn point(&mut self, at: Pos2) {
        self.draw(vec![Event::PointerMoved(at)]);
    }

    /// Turns the wheel by so many lines.
    pub fn roll_wheel(&mut self, lines: f32) {
        self.draw(vec![Event::MouseWheel {
            unit: MouseWheelUnit::Line,
            delta: Vec2::new(0.0, lines),
            phase: TouchPhase::Move,
            source: MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        }]);
    }

    /// Clicks what is written so, or begins so.
    #[track_caller]
    pub fn click(&mut self, text: &str) {
        match self.place_of(|other| other.starts_with(text)) {
            Some(place) => self.click_at(place),
            None => panic!("“{text}” is not on the screen, but {:?}", self.texts),
        }
    }

    /// Clicks a place.
    pub fn click_at(&mut self, place: Pos2) {
        self.point(place);
        for pressed in [true, false] {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            self.draw(vec![Event::PointerButton { pos: place, button, pressed, modifiers }]);
        }
    }

    /// Where such a text is on the screen.
    pub fn place_of(&self, is_it: impl Fn(&str) -> bool) -> Option<Pos2> {
        self.texts.iter().find(|(text, _)| is_it(text)).map(|(_, place)| *place)
    }
}

/// Texts of a shape that are in sight, and a place on each.
fn gather(of: &ClippedShape, shape: &Shape, texts: &mut Vec<(String, Pos2)>) {
    match shape {
        Shape::Text(text) => {
            let place = text.pos + Vec2::new(3.0, text.galley.size().y / 2.0);
            if of.clip_rect.contains(place) {
                texts.push((text.galley.text().to_owned(), place));
            }
        }
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| gather(of, shape, texts)),
        _ => {}
    }
}

/// The figures of a number of frames: median, 99th percentile, longest, in milliseconds.
pub fn figures(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    [50, 99, 100].map(|share| at(share).map_or(0.0, |time| ms(*time)))
}
