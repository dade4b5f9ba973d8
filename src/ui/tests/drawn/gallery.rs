//! The shared widgets as they are painted: a change of one is seen here before it is on every page.

use super::shapes::lines;
use crate::app::{Settings, ThemeChoice};
use crate::ui::widgets::Gallery;
use egui_kittest::Harness;
use std::sync::Arc;

#[test]
fn widgets_are_painted_as_they_were() {
    for (name, theme) in
        [("dark", ThemeChoice::Dark), ("light", ThemeChoice::Light), ("contrast", ThemeChoice::HighContrast)]
    {
        let mut gallery = Gallery::new(Arc::new(|| {})).unwrap();
        gallery.app_mut().settings = Settings { theme, ..Settings::default() };
        let mut harness = Harness::builder()
            .with_size(egui::vec2(1280.0, 800.0))
            .with_context_setup(move |ctx| {
                crate::ui::theme::install(ctx);
                crate::ui::theme::choose(ctx, theme);
                ctx.all_styles_mut(|style| style.animation_time = 0.0);
            })
            .build_ui_state(|ui, gallery: &mut Gallery| gallery.ui(ui), gallery);
        harness.run_steps(4);
        let text = lines(&harness.output().shapes);
        assert!(text.contains("Review 214") && text.contains("Turn the seed off"), "{text}");
        insta::assert_snapshot!(name, text);
    }
}
