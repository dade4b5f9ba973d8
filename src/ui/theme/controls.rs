//! How egui's own controls are drawn: a button has a ground and no edge, a field an edge.

use super::{HIGH_CONTRAST, RING, Tokens, of_visuals};
use egui::theme::{DefaultStyle, StyleProvider};
use egui::widget_style::{ButtonStyle, StyleArgs, TextEditStyle, WidgetState};
use egui::{Color32, Context, DragValue, Frame, Stroke};

/// Draws buttons and text fields.
struct Controls;

/// Has egui draw its controls like this.
pub(super) fn install(ctx: &Context) {
    ctx.replace_widget_theme::<ButtonStyle>(Controls);
    ctx.replace_widget_theme::<TextEditStyle>(Controls);
}

/// A frame with another edge, inside, so that nothing moves when it changes.
fn with_edge(frame: Frame, edge: Stroke) -> Frame {
    frame.apply_stroke_and_expansion_without_layout_shift(edge, 0.0)
}

/// The edge of what has the keyboard, or is pressed.
fn focus_edge(colors: &Tokens) -> Stroke {
    Stroke::new(RING, colors.accent)
}

impl StyleProvider<ButtonStyle> for Controls {
    fn style(&mut self, args: &StyleArgs<'_>) -> ButtonStyle {
        let mut style: ButtonStyle = DefaultStyle.style(args);
        let frame = style.atom_layout.frame;
        if frame.stroke.is_empty() {
            return style;
        }
        let colors = of_visuals(&args.style.visuals);
        // A number that can be dragged is a field.
        let is_field = args.classes.iter().any(|class| class.as_str() == DragValue::CLASS.as_str());
        style.atom_layout.frame = match args.state {
            WidgetState::Active => with_edge(frame, focus_edge(colors)),
            _ if is_field => frame.fill(colors.raised_bg),
            _ if colors == &HIGH_CONTRAST => frame.stroke(Stroke::new(frame.stroke.width, colors.border)),
            _ => frame.stroke(Stroke::new(frame.stroke.width, Color32::TRANSPARENT)),
        };
        style
    }
}

impl StyleProvider<TextEditStyle> for Controls {
    fn style(&mut self, args: &StyleArgs<'_>) -> TextEditStyle {
        let mut style: TextEditStyle = DefaultStyle.style(args);
        let colors = of_visuals(&args.style.visuals);
        if args.state == WidgetState::Active {
            // An error keeps its edge.
            let own = args.style.visuals.widgets.active.bg_stroke;
            let edge = if own.color == colors.accent { focus_edge(colors) } else { own };
            style.atom_layout.frame = with_edge(style.atom_layout.frame, edge);
        }
        style
    }
}
