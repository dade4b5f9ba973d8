//! The header of a page: its title, its state in one line, and what can be done.
//!
//! One for all pages: [`Header`] is filled by the page and drawn where the window has left room for it, so
//! that nothing of a page moves when its state or a button changes.

use super::access::{Region, begin_region, mark_heading};
use super::icons::{Icon, icon_button_ui, icon_ui};
use super::text;
use super::theme::{self, tokens};
use super::widgets::{is_settled, read_only};
use crate::app::{Action, AppState, Command, Route, resolve};
use crate::guide::Guide;
use egui::accesskit::Role;
use egui::text::LayoutJob;
use egui::{
    Align, Button, Color32, Context, CornerRadius, Id, Label, Layout, Popup, Rect, Response, RichText, Stroke,
    TextFormat, TextStyle, Ui, UiBuilder, Vec2, WidgetInfo, WidgetText, vec2,
};

/// Width that title and state keep; buttons give way to the menu before they take it.
const TITLE_LEAST: f32 = 240.0;
/// Plain buttons of a header.
const PLAIN_MOST: usize = 2;
/// Letters of the campaign's name before the title in a narrow window.
const CAMPAIGN_CHARS: usize = 24;

/// What a page has in its header. `K` names the commands that only the page itself can carry out.
pub struct Header<K = ()> {
    title: String,
    mark: Option<(Icon, Color32)>,
    state: Vec<(String, Tone)>,
    plain: Vec<HeaderButton<K>>,
    primary: Option<HeaderButton<K>>,
    more: Vec<HeaderButton<K>>,
}

/// The weight of a part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    /// What is.
    Text,
    /// What is known besides.
    Weak,
    /// What needs a person.
    Flag,
}

/// A button of a header, or a line of its menu.
pub struct HeaderButton<K> {
    label: Option<String>,
    act: Act<K>,
    hint: String,
    why_not: Option<String>,
    writes: bool,
}

enum Act<K> {
    Action(Action),
    Send(Box<Command>),
    Own(K),
}

impl<K> HeaderButton<K> {
    fn new(act: Act<K>, label: Option<String>) -> Self {
        Self { label, act, hint: String::new(), why_not: None, writes: false }
    }

    /// Does an action; off with its reason where it is not possible.
    pub fn action(action: Action) -> Self {
        Self::new(Act::Action(action), None)
    }

    /// The same under another label.
    pub fn named(action: Action, label: impl Into<String>) -> Self {
        Self::new(Act::Action(action), Some(label.into()))
    }

    /// Sends a command.
    pub fn send(label: impl Into<String>, command: Command) -> Self {
        Self { writes: command.writes(), ..Self::new(Act::Send(Box::new(command)), Some(label.into())) }
    }

    /// Has the page do it: [`Header::ui`] gives the key back when it is pressed.
    pub fn own(label: impl Into<String>, key: K) -> Self {
        Self::new(Act::Own(key), Some(label.into()))
    }

    /// What it does, when hovered.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Switches it off, where there is a reason.
    pub fn off(mut self, why_not: Option<impl Into<String>>) -> Self {
        self.why_not = why_not.map(Into::into);
        self
    }

    /// It writes: off where the workspace is read only.
    pub fn writes(mut self) -> Self {
        self.writes = true;
        self
    }

    fn label(&self, app: &AppState) -> String {
        match (&self.label, &self.act) {
            (Some(label), _) => label.clone(),
            (None, Act::Action(action)) => action.label_now(app),
            (None, _) => String::new(),
        }
    }

    /// The reason why it is off; else what it does, with its keys.
    fn hint_now(&self, ui: &Ui, app: &AppState) -> Result<String, String> {
        if let Some(why) = read_only(ui).filter(|_| self.writes) {
            return Err(why.to_owned());
        }
        if let Some(why) = &self.why_not {
            return Err(why.clone());
        }
        let Act::Action(action) = &self.act else { return Ok(self.hint.clone()) };
        resolve(*action, app)?;
        let hint = if self.hint.is_empty() { action.hint() } else { self.hint.as_str() };
        Ok(match app.settings.keys_of(*action) {
            "" => hint.to_owned(),
            keys => format!("{hint} ({keys})"),
        })
    }

    fn keys<'k>(&self, app: &'k AppState) -> &'k str {
        match &self.act {
            Act::Action(action) => app.settings.keys_of(*action),
            Act::Send(_) | Act::Own(_) => "",
        }
    }

    /// Carries it out, or gives back what the page shall do.
    fn press(self, app: &mut AppState) -> Option<K> {
        match self.act {
            Act::Action(action) => {
                if let Ok(command) = resolve(action, app) {
                    app.send(command);
                }
                None
            }
            Act::Send(command) => {
                app.send(*command);
                None
            }
            Act::Own(key) => Some(key),
        }
    }
}

impl<K> Header<K> {
    /// A header with a title alone.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), mark: None, state: Vec::new(), plain: Vec::new(), primary: None, more: Vec::new() }
    }

    /// A sign before the state, which the state also has in words.
    pub fn mark(mut self, icon: Icon, color: Color32) -> Self {
        self.mark = Some((icon, color));
        self
    }

    /// Adds to the state: what is, how many.
    pub fn state(self, state: impl Into<String>) -> Self {
        self.part(state, Tone::Text)
    }

    /// Adds to the state what may be passed over.
    pub fn detail(self, detail: impl Into<String>) -> Self {
        self.part(detail, Tone::Weak)
    }

    /// Adds to the state what needs a person.
    pub fn flag(self, flag: impl Into<String>) -> Self {
        self.part(flag, Tone::Flag)
    }

    fn part(mut self, part: impl Into<String>, tone: Tone) -> Self {
        let part = part.into();
        if !part.is_empty() {
            self.state.push((part, tone));
        }
        self
    }

    /// Adds a plain button, of which a header has two at most.
    pub fn plain(mut self, button: HeaderButton<K>) -> Self {
        self.plain.push(button);
        self
    }

    /// The next step of the work: the one button with a ground of its own.
    pub fn primary(mut self, button: HeaderButton<K>) -> Self {
        self.primary = Some(button);
        self
    }

    /// Adds a line to the menu.
    pub fn more(mut self, button: HeaderButton<K>) -> Self {
        self.more.push(button);
        self
    }

    /// Draws it above the page. Gives the key of the page's own command that was pressed.
    pub fn ui(mut self, ui: &mut Ui, app: &mut AppState) -> Option<K> {
        let place = place_of_header(ui.ctx())?;
        let mut header = ui.new_child(UiBuilder::new().id_salt("header").max_rect(place));
        header.set_clip_rect(place);
        let ui = &mut header;
        begin_region(ui, Region::Header, "Title and main commands");
        let line = theme::part_line(ui);
        ui.painter().hline(place.x_range(), place.bottom() - 0.5, line);
        let inner = place.shrink2(vec2(theme::PAGE_MARGIN, 0.0));
        let is_narrow = ui.ctx().content_rect().width() < theme::NARROW_WINDOW;
        let room = inner.width() - TITLE_LEAST - theme::CONTROL;
        let most = if is_narrow { 1 } else { PLAIN_MOST };
        let primary = self.primary.as_ref().map_or(0.0, |button| width(ui, &button.label(app)) + theme::GAP);
        let mut kept = 0;
        let mut taken = primary;
        for button in self.plain.iter().take(most) {
            taken += width(ui, &button.label(app)) + theme::GAP;
            if taken > room {
                break;
            }
            kept += 1;
        }
        // What has no room comes first in the menu.
        let folded = self.plain.split_off(kept);
        self.more.splice(0..0, folded);
        let plain: f32 = self.plain.iter().map(|button| width(ui, &button.label(app)) + theme::GAP).sum();
        let buttons = plain + primary + theme::CONTROL;
        let (left, right) = inner.split_left_right_at_x((inner.right() - buttons).max(inner.left()));
        let left = left.with_max_x(left.right() - theme::GROUP_GAP);
        let mut line = row(ui, "state", left);
        self.title_ui(&mut line, app, is_narrow);
        let mut line = row(ui, "buttons", right);
        let ui = &mut line;
        let mut pressed = None;
        for button in self.plain {
            if let Some(button) = button_ui(ui, app, button, false) {
                pressed = button.press(app).or(pressed);
            }
        }
        if let Some(button) = self.primary
            && let Some(button) = button_ui(ui, app, button, true)
        {
            pressed = button.press(app).or(pressed);
        }
        more_ui(ui, app, self.more).or(pressed)
    }

    fn title_ui(&self, ui: &mut Ui, app: &mut AppState, is_narrow: bool) {
        let colors = tokens(ui);
        // A narrow window has no room for it in the rail.
        if is_narrow && let Some(name) = campaign_name(app) {
            let name = text::short(&name, CAMPAIGN_CHARS);
            ui.add(Label::new(RichText::new(name).color(colors.weak_text)).truncate());
        }
        let title = RichText::new(text::short(&self.title, text::CELL_CHARS)).heading().color(colors.strong_text);
        let heading = ui.add(Label::new(title).truncate().selectable(false));
        mark_heading(&heading, &self.title);
        ui.add_space(theme::TIGHT_GAP);
        if let Some((icon, color)) = self.mark {
            ui.spacing_mut().item_spacing.x = theme::TIGHT_GAP;
            icon_ui(ui, icon, theme::SMALL_ICON, color);
        }
        if self.state.is_empty() {
            return;
        }
        let font = TextStyle::Body.resolve(ui.style());
        let mut job = LayoutJob::default();
        for (at, (part, tone)) in self.state.iter().enumerate() {
            let color = match tone {
                Tone::Text => colors.text,
                Tone::Weak => colors.weak_text,
                Tone::Flag => colors.flag,
            };
            // A blank, so that it is read out as another part.
            let (gap, blank) = if at == 0 { (0.0, "") } else { (theme::TIGHT_GAP, " ") };
            let part = format!("{blank}{}", text::line(part));
            job.append(&part, gap, TextFormat::simple(font.clone(), color));
        }
        ui.add(Label::new(WidgetText::from(job)).truncate());
    }
}

/// The name of the current campaign, as far as it is read.
pub fn campaign_name(app: &mut AppState) -> Option<String> {
    let id = app.campaign()?;
    let rows = app.reads.campaigns();
    let row = rows.shown()?.iter().find(|row| row.id == id)?;
    Some(row.title())
}

/// A line of the header.
fn row(ui: &mut Ui, id: &str, place: Rect) -> Ui {
    let builder = UiBuilder::new().id_salt(id).max_rect(place).layout(Layout::left_to_right(Align::Center));
    let mut row = ui.new_child(builder);
    row.spacing_mut().item_spacing.x = theme::GAP;
    row
}

/// Width of a button with this label.
fn width(ui: &Ui, label: &str) -> f32 {
    let galley = ui.painter().layout_no_wrap(label.to_owned(), theme::strong_font(theme::BODY_TEXT), Color32::WHITE);
    galley.size().x.ceil() + 2.0 * theme::BUTTON_PAD
}

/// Draws a button; gives it back when it is pressed.
fn button_ui<K>(ui: &mut Ui, app: &AppState, button: HeaderButton<K>, is_primary: bool) -> Option<HeaderButton<K>> {
    let label = button.label(app);
    let hint = button.hint_now(ui, app);
    let size = vec2(width(ui, &label), theme::CONTROL);
    let response = match is_primary {
        true => primary_ui(ui, &label, size, hint.is_ok()),
        false => {
            ui.add_enabled(hint.is_ok(), Button::new(label.as_str()).stroke(theme::button_edge(ui)).min_size(size))
        }
    };
    let response = match &hint {
        Ok(hint) if hint.is_empty() => response,
        Ok(hint) => response.on_hover_text(hint),
        Err(why) => response.on_disabled_hover_text(why),
    };
    // An action is the same under another label, such as that of the next version.
    let what = match &button.act {
        Act::Action(action) => format!("{action:?}"),
        Act::Send(_) | Act::Own(_) => label,
    };
    (is_settled(ui, &response, ("header", what), app.route().page()) && response.clicked()).then_some(button)
}

/// The one button with a ground of its own.
pub fn primary_ui(ui: &mut Ui, label: &str, size: Vec2, enabled: bool) -> Response {
    let colors = tokens(ui);
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        let lit = colors.primary_bg.lerp_to_gamma(Color32::BLACK, 0.15);
        for (state, ground) in [
            (&mut widgets.inactive, colors.primary_bg),
            (&mut widgets.hovered, lit),
            (&mut widgets.active, lit),
            (&mut widgets.noninteractive, colors.primary_bg),
        ] {
            state.weak_bg_fill = ground;
            state.bg_stroke = Stroke::NONE;
            state.fg_stroke.color = colors.primary_text;
        }
        let text = theme::strong(label, theme::BODY_TEXT).color(colors.primary_text);
        let button = Button::new(text).min_size(size).corner_radius(CornerRadius::same(theme::CORNER));
        ui.add_enabled(enabled, button)
    })
    .inner
}

/// Draws the menu; gives the key of what was chosen in it.
fn more_ui<K>(ui: &mut Ui, app: &mut AppState, buttons: Vec<HeaderButton<K>>) -> Option<K> {
    let response = icon_button_ui(ui, Icon::More, "More commands");
    let mut pressed = None;
    Popup::menu(&response).show(|ui| {
        ui.set_min_width(theme::FIELD);
        for button in buttons {
            let hint = button.hint_now(ui, app);
            let (label, keys) = (button.label(app), button.keys(app).to_owned());
            if menu_line_ui(ui, &label, &keys, hint) {
                pressed = button.press(app);
            }
        }
        ui.separator();
        let guide = Guide::named(app.route().guide()).filter(|_| !matches!(app.route(), Route::Help(_)));
        if let Some(guide) = guide {
            let hint = format!("Opens the guide “{}”: {}", guide.title, guide.about);
            let keys = app.settings.keys_of(Action::GoTo(12)).to_owned();
            if menu_line_ui(ui, "Guide", &keys, Ok(hint)) {
                app.send(Command::Go(Route::Help(guide.name)));
            }
        }
        for action in [Action::Back, Action::Keys] {
            let keys = match app.settings.keys_of(action) {
                "" if action == Action::Keys => "?".to_owned(),
                keys => keys.to_owned(),
            };
            let resolved = resolve(action, app);
            let hint = resolved.as_ref().map(|_| action.hint().to_owned()).map_err(|why| (*why).to_owned());
            if menu_line_ui(ui, &action.label(), &keys, hint)
                && let Ok(command) = resolved
            {
                app.send(command);
            }
        }
    });
    pressed
}

/// A line of the menu with its keys, off with its reason where it has one; true when it was chosen.
fn menu_line_ui(ui: &mut Ui, label: &str, keys: &str, hint: Result<String, String>) -> bool {
    let keys = RichText::new(keys).size(theme::CAPTION_TEXT).color(tokens(ui).weak_text);
    let response = ui.add_enabled(hint.is_ok(), Button::new(label).right_text(keys));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, hint.is_ok(), label));
    let response = match &hint {
        Ok(hint) if hint.is_empty() => response,
        Ok(hint) => response.on_hover_text(hint),
        Err(why) => response.on_disabled_hover_text(why),
    };
    if response.clicked() {
        ui.close();
    }
    response.clicked()
}

fn place_id() -> Id {
    Id::unique("place of the page's header")
}

/// Notes where the header of the page is to be drawn.
pub fn note_place(ctx: &Context, place: Rect) {
    ctx.data_mut(|data| data.insert_temp(place_id(), place));
}

fn place_of_header(ctx: &Context) -> Option<Rect> {
    ctx.data(|data| data.get_temp(place_id()))
}
