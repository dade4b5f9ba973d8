//! The icons of the window, painted from lines, circles and curves in a square of 16 points, so that no
//! font of signs is needed and each has the colour of the text beside it.

use super::theme::{self, tokens};
use super::widgets::name_sign;
use egui::emath::GuiRounding as _;
use egui::epaint::CubicBezierShape;
use egui::{Color32, CornerRadius, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, Vec2};

/// Width of the lines, in points of the square.
const LINE: f32 = 1.4;
/// Width of bold lines: the bars of a pause.
const BOLD: f32 = 2.2;
/// Side of the square that icons are drawn in.
const SIDE: f32 = 16.0;

/// An icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(dead_code, reason = "the set is whole: some pages that need them are still to be drawn with it")]
pub enum Icon {
    /// The list of campaigns.
    Campaigns,
    /// The page of a campaign.
    Overview,
    /// A specification.
    Spec,
    /// Sites to decide on.
    Prospect,
    /// A crawl.
    Crawl,
    /// Archive files.
    Files,
    /// The table of captures.
    Captures,
    /// A search.
    Search,
    /// Links.
    Links,
    /// Persons and bodies.
    Entities,
    /// Statements.
    Knowledge,
    /// Captures to review.
    Review,
    /// A selection.
    Select,
    /// Jobs.
    Jobs,
    /// Settings.
    Settings,
    /// Help.
    Help,
    /// Opens below.
    Down,
    /// Opens at the right.
    Right,
    /// Goes up.
    Up,
    /// Goes back.
    Back,
    /// Takes away.
    Close,
    /// Holds.
    Check,
    /// Lets wait.
    Pause,
    /// Lets go on.
    Play,
    /// Ends.
    Stop,
    /// Flags.
    Flag,
    /// More commands.
    More,
    /// Columns of a table.
    Columns,
    /// Time.
    Clock,
    /// Takes back.
    Undo,
    /// Makes again what was taken back.
    Redo,
    /// Passes over.
    Skip,
    /// Opens in another program.
    Outside,
    /// Adds.
    Plus,
    /// Takes off.
    Minus,
    /// Copies.
    Copy,
    /// A picture.
    Picture,
    /// A warning.
    Warning,
    /// An error.
    Error,
    /// What can be drawn to another place.
    Drag,
    /// A state that is good: a disc.
    Good,
    /// A state that is bad: a square.
    Bad,
    /// A state to look at: a triangle.
    Flagged,
    /// A state that waits: a ring.
    Waiting,
}

/// A part of an icon.
enum Part {
    /// A line through these points.
    Line(&'static [(f32, f32)]),
    /// The same, bold.
    Bold(&'static [(f32, f32)]),
    /// An outline of these points.
    Outline(&'static [(f32, f32)]),
    /// A filled area without dents.
    Area(&'static [(f32, f32)]),
    /// A circle by centre and radius.
    Circle(f32, f32, f32),
    /// A filled one.
    Disc(f32, f32, f32),
    /// A curve by its ends, the first and the last, and what draws it.
    Curve([(f32, f32); 4]),
}

use Part::{Area, Bold, Circle, Curve, Disc, Line, Outline};

const fn square(left: f32, top: f32, right: f32, bottom: f32) -> [(f32, f32); 4] {
    [(left, top), (right, top), (right, bottom), (left, bottom)]
}

impl Icon {
    /// Every icon.
    #[cfg(test)]
    pub const ALL: [Self; 44] = {
        use Icon::*;
        [
            Campaigns, Overview, Spec, Prospect, Crawl, Files, Captures, Search, Links, Entities, Knowledge, Review,
            Select, Jobs, Settings, Help, Down, Right, Up, Back, Close, Check, Pause, Play, Stop, Flag, More, Columns,
            Clock, Undo, Redo, Skip, Outside, Plus, Minus, Copy, Picture, Warning, Error, Drag, Good, Bad, Flagged,
            Waiting,
        ]
    };

    fn parts(self) -> &'static [Part] {
        match self {
            Self::Campaigns => &[
                Outline(&const { square(2.0, 2.5, 7.0, 7.5) }),
                Outline(&const { square(9.0, 2.5, 14.0, 7.5) }),
                Outline(&const { square(2.0, 9.0, 7.0, 14.0) }),
                Outline(&const { square(9.0, 9.0, 14.0, 14.0) }),
            ],
            Self::Overview => &[
                Line(&[(2.5, 13.5), (2.5, 8.0)]),
                Line(&[(6.2, 13.5), (6.2, 3.0)]),
                Line(&[(9.8, 13.5), (9.8, 6.0)]),
                Line(&[(13.5, 13.5), (13.5, 10.0)]),
            ],
            Self::Spec => &[
                Outline(&const { square(3.0, 2.0, 13.0, 14.0) }),
                Line(&[(5.5, 5.5), (10.5, 5.5)]),
                Line(&[(5.5, 8.0), (10.5, 8.0)]),
                Line(&[(5.5, 10.5), (8.5, 10.5)]),
            ],
            Self::Prospect => &[
                Circle(8.0, 8.0, 5.5),
                Line(&[(8.0, 1.0), (8.0, 5.0)]),
                Line(&[(8.0, 11.0), (8.0, 15.0)]),
                Line(&[(1.0, 8.0), (5.0, 8.0)]),
                Line(&[(11.0, 8.0), (15.0, 8.0)]),
            ],
            Self::Crawl => &[
                Line(&[(8.0, 2.0), (8.0, 10.0)]),
                Line(&[(4.5, 6.8), (8.0, 10.3), (11.5, 6.8)]),
                Line(&[(2.5, 13.5), (13.5, 13.5)]),
            ],
            Self::Files => &[Outline(&[(2.0, 4.5), (6.0, 4.5), (7.5, 6.5), (14.0, 6.5), (14.0, 13.5), (2.0, 13.5)])],
            Self::Captures => &[
                Outline(&const { square(2.0, 3.0, 14.0, 13.5) }),
                Line(&[(2.0, 6.5), (14.0, 6.5)]),
                Line(&[(2.0, 10.0), (14.0, 10.0)]),
                Line(&[(6.0, 3.0), (6.0, 13.5)]),
            ],
            Self::Search => &[Circle(7.0, 7.0, 4.5), Line(&[(10.4, 10.4), (14.0, 14.0)])],
            Self::Links => &[
                Circle(4.0, 12.0, 2.0),
                Circle(12.0, 4.0, 2.0),
                Circle(12.0, 12.0, 2.0),
                Line(&[(5.5, 10.5), (10.5, 5.5)]),
                Line(&[(6.0, 12.0), (10.0, 12.0)]),
            ],
            Self::Entities => &[
                Circle(8.0, 5.0, 2.8),
                Curve([(2.8, 14.0), (2.8, 11.0), (4.8, 9.2), (8.0, 9.2)]),
                Curve([(8.0, 9.2), (11.2, 9.2), (13.2, 11.0), (13.2, 14.0)]),
            ],
            Self::Knowledge => &[
                Outline(&[
                    (2.0, 3.0),
                    (7.0, 3.0),
                    (8.0, 4.0),
                    (9.0, 3.0),
                    (14.0, 3.0),
                    (14.0, 13.0),
                    (9.0, 13.0),
                    (8.0, 14.0),
                    (7.0, 13.0),
                    (2.0, 13.0),
                ]),
                Line(&[(8.0, 4.0), (8.0, 14.0)]),
            ],
            Self::Review => {
                &[Outline(&const { square(2.0, 2.5, 14.0, 14.0) }), Line(&[(4.8, 8.2), (7.2, 10.6), (11.4, 6.0)])]
            }
            Self::Select => &[Outline(&[(2.0, 3.0), (14.0, 3.0), (9.4, 8.6), (9.4, 14.0), (6.6, 12.4), (6.6, 8.6)])],
            Self::Jobs => &[Circle(8.0, 8.0, 6.0), Line(&[(8.0, 4.5), (8.0, 8.0), (10.6, 9.8)])],
            Self::Settings => &[
                Line(&[(2.0, 4.5), (7.9, 4.5)]),
                Line(&[(11.1, 4.5), (14.0, 4.5)]),
                Line(&[(2.0, 11.5), (4.9, 11.5)]),
                Line(&[(8.1, 11.5), (14.0, 11.5)]),
                Circle(9.5, 4.5, 1.6),
                Circle(6.5, 11.5, 1.6),
            ],
            Self::Help => &[
                Circle(8.0, 8.0, 6.0),
                Curve([(6.2, 6.4), (6.2, 5.3), (7.0, 4.6), (8.1, 4.6)]),
                Curve([(8.1, 4.6), (9.2, 4.6), (9.9, 5.3), (9.9, 6.3)]),
                Curve([(9.9, 6.3), (9.9, 7.7), (8.0, 7.8), (8.0, 9.3)]),
                Line(&[(8.0, 11.2), (8.0, 11.8)]),
            ],
            Self::Down => &[Line(&[(4.5, 6.5), (8.0, 10.0), (11.5, 6.5)])],
            Self::Right => &[Line(&[(6.5, 4.5), (10.0, 8.0), (6.5, 11.5)])],
            Self::Up => &[Line(&[(4.5, 9.5), (8.0, 6.0), (11.5, 9.5)])],
            Self::Back => &[Line(&[(9.5, 4.0), (5.5, 8.0), (9.5, 12.0)])],
            Self::Close => &[Line(&[(4.5, 4.5), (11.5, 11.5)]), Line(&[(11.5, 4.5), (4.5, 11.5)])],
            Self::Check => &[Line(&[(3.5, 8.5), (6.5, 11.5), (12.5, 4.5)])],
            Self::Pause => &[Bold(&[(5.5, 4.0), (5.5, 12.0)]), Bold(&[(10.5, 4.0), (10.5, 12.0)])],
            Self::Play => &[Area(&[(5.0, 3.5), (12.0, 8.0), (5.0, 12.5)])],
            Self::Stop => &[Area(&const { square(4.5, 4.5, 11.5, 11.5) })],
            Self::Flag => &[Line(&[(4.0, 14.0), (4.0, 3.0), (12.0, 3.0), (10.0, 5.8), (12.0, 8.6), (4.0, 8.6)])],
            Self::More => &[Disc(3.5, 8.0, 1.4), Disc(8.0, 8.0, 1.4), Disc(12.5, 8.0, 1.4)],
            Self::Columns => &[
                Line(&[(3.0, 3.0), (3.0, 13.0)]),
                Line(&[(8.0, 3.0), (8.0, 13.0)]),
                Line(&[(13.0, 3.0), (13.0, 13.0)]),
            ],
            Self::Clock => &[Circle(8.0, 8.0, 5.5), Line(&[(8.0, 5.0), (8.0, 8.2), (10.0, 9.5)])],
            Self::Undo => &[
                Line(&[(5.8, 3.5), (3.0, 6.5), (5.8, 9.5)]),
                Line(&[(3.0, 6.5), (9.5, 6.5)]),
                Curve([(9.5, 6.5), (14.2, 6.5), (14.2, 13.5), (9.5, 13.5)]),
                Line(&[(9.5, 13.5), (6.0, 13.5)]),
            ],
            Self::Redo => &[
                Line(&[(10.2, 3.5), (13.0, 6.5), (10.2, 9.5)]),
                Line(&[(13.0, 6.5), (6.5, 6.5)]),
                Curve([(6.5, 6.5), (1.8, 6.5), (1.8, 13.5), (6.5, 13.5)]),
                Line(&[(6.5, 13.5), (10.0, 13.5)]),
            ],
            Self::Skip => &[Outline(&[(3.5, 4.0), (8.5, 8.0), (3.5, 12.0)]), Line(&[(12.5, 4.0), (12.5, 12.0)])],
            Self::Outside => &[
                Line(&[(9.0, 3.0), (13.0, 3.0), (13.0, 7.0)]),
                Line(&[(13.0, 3.0), (7.5, 8.5)]),
                Line(&[(11.0, 9.5), (11.0, 13.0), (3.0, 13.0), (3.0, 5.0), (6.5, 5.0)]),
            ],
            Self::Plus => &[Line(&[(8.0, 3.0), (8.0, 13.0)]), Line(&[(3.0, 8.0), (13.0, 8.0)])],
            Self::Minus => &[Line(&[(3.0, 8.0), (13.0, 8.0)])],
            Self::Copy => &[
                Outline(&const { square(6.0, 6.0, 13.5, 13.5) }),
                Line(&[(3.5, 10.0), (2.5, 10.0), (2.5, 2.5), (10.0, 2.5), (10.0, 3.5)]),
            ],
            Self::Picture => &[
                Outline(&const { square(2.0, 3.0, 14.0, 13.0) }),
                Line(&[(2.0, 11.0), (5.5, 7.5), (8.5, 10.5), (10.5, 8.5), (14.0, 12.0)]),
            ],
            Self::Warning => &[
                Outline(&[(8.0, 2.5), (14.0, 13.5), (2.0, 13.5)]),
                Line(&[(8.0, 6.5), (8.0, 9.9)]),
                Line(&[(8.0, 11.2), (8.0, 11.8)]),
            ],
            Self::Error => {
                &[Circle(8.0, 8.0, 6.0), Line(&[(5.7, 5.7), (10.3, 10.3)]), Line(&[(10.3, 5.7), (5.7, 10.3)])]
            }
            Self::Drag => &[
                Disc(6.0, 4.5, 0.9),
                Disc(6.0, 8.0, 0.9),
                Disc(6.0, 11.5, 0.9),
                Disc(10.0, 4.5, 0.9),
                Disc(10.0, 8.0, 0.9),
                Disc(10.0, 11.5, 0.9),
            ],
            Self::Good => &[Disc(8.0, 8.0, 4.0)],
            Self::Bad => &[Area(&const { square(4.5, 4.5, 11.5, 11.5) })],
            Self::Flagged => &[Area(&[(8.0, 3.5), (12.5, 12.0), (3.5, 12.0)])],
            Self::Waiting => &[Circle(8.0, 8.0, 3.5)],
        }
    }

    /// Paints it into a square, in one colour.
    pub fn paint(self, painter: &Painter, square: Rect, color: Color32) {
        let scale = square.width() / SIDE;
        let corner = square.min.round_to_pixels(painter.pixels_per_point());
        let at = |(x, y): (f32, f32)| corner + Vec2::new(x, y) * scale;
        let all = |points: &[(f32, f32)]| points.iter().copied().map(at).collect::<Vec<Pos2>>();
        for part in self.parts() {
            match part {
                Line(points) => line(painter, all(points), LINE * scale, color),
                Bold(points) => line(painter, all(points), BOLD * scale, color),
                Outline(points) => {
                    painter.add(Shape::closed_line(all(points), Stroke::new(LINE * scale, color)));
                }
                Area(points) => {
                    painter.add(Shape::convex_polygon(all(points), color, Stroke::NONE));
                }
                Circle(x, y, radius) => {
                    painter.circle_stroke(at((*x, *y)), radius * scale, Stroke::new(LINE * scale, color));
                }
                Disc(x, y, radius) => {
                    painter.circle_filled(at((*x, *y)), radius * scale, color);
                }
                Curve(points) => {
                    let stroke = Stroke::new(LINE * scale, color);
                    let curve =
                        CubicBezierShape::from_points_stroke(points.map(at), false, Color32::TRANSPARENT, stroke);
                    painter.add(curve);
                }
            }
        }
    }
}

/// A line with round ends.
fn line(painter: &Painter, points: Vec<Pos2>, width: f32, color: Color32) {
    for end in [points.first(), points.last()].into_iter().flatten() {
        painter.circle_filled(*end, width / 2.0, color);
    }
    painter.add(Shape::line(points, Stroke::new(width, color)));
}

/// Draws an icon in the flow of a line. It says nothing that the text beside it does not.
pub fn icon_ui(ui: &mut Ui, icon: Icon, side: f32, color: Color32) -> Response {
    let (square, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    icon.paint(ui.painter(), square, color);
    response
}

/// A button of an icon alone, named by what it does.
pub fn icon_button_ui(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(theme::CONTROL), Sense::click());
    name_sign(&response, name);
    let colors = tokens(ui);
    let is_lit = response.hovered() || response.is_pointer_button_down_on();
    if is_lit && ui.is_enabled() {
        ui.painter().rect_filled(rect, CornerRadius::same(theme::CORNER), colors.hover_bg);
    }
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    let color = match (ui.is_enabled(), is_lit) {
        (false, _) => colors.faint_text,
        (true, true) => colors.strong_text,
        (true, false) => colors.text,
    };
    icon.paint(ui.painter(), Rect::from_center_size(rect.center(), Vec2::splat(theme::ICON)), color);
    response.on_hover_text(name)
}

/// The ring around a control that has the keyboard.
pub fn focus_ring(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(theme::RING, tokens(ui).accent);
    ui.painter().rect_stroke(rect.expand(1.0), CornerRadius::same(theme::CORNER), stroke, egui::StrokeKind::Outside);
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn every_icon_keeps_to_its_square() {
        for icon in Icon::ALL {
            assert!(!icon.parts().is_empty(), "{icon:?}");
            for part in icon.parts() {
                let points: Vec<(f32, f32)> = match part {
                    Line(points) | Bold(points) | Outline(points) | Area(points) => points.to_vec(),
                    Circle(x, y, radius) | Disc(x, y, radius) => {
                        vec![(x - radius, y - radius), (x + radius, y + radius)]
                    }
                    Curve(points) => vec![points[0], points[3]],
                };
                let square = Rect::from_min_max(pos2(0.5, 0.5), pos2(SIDE - 0.5, SIDE - 0.5));
                assert!(points.iter().all(|(x, y)| square.contains(pos2(*x, *y))), "{icon:?}: {points:?}");
            }
        }
    }
}
