//! Media types that the results of a search are narrowed to.

use crate::app::models::{FacetChoice, FacetKind, FacetValue, SearchQuery, facet_choices, with_facets};
use crate::ui::text;
use crate::ui::widgets::drop_ui;
use egui::Ui;

/// The types, each with its values of the facet.
const TYPES: [(&str, &[&str]); 6] = [
    ("Pages", &["page"]),
    ("Documents", &["document"]),
    ("Images", &["image"]),
    ("Audio/Video", &["audio", "video"]),
    ("Data", &["data"]),
    ("Other", &["code", "other", "text"]),
];

/// Draws the types as a drop, with the captures found of each, whichever is chosen. Gives the search of
/// the type that was chosen.
pub fn media_drop_ui(
    ui: &mut Ui,
    query: &SearchQuery,
    values: Option<&[FacetValue]>,
    width: f32,
) -> Option<SearchQuery> {
    let mut choices = facet_choices(&query.text);
    choices.retain(|choice| choice.kind == FacetKind::Media);
    let mut chosen: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    chosen.sort_unstable();
    let is_without = choices.iter().any(|choice| choice.is_excluded);
    let all: (&str, &[&str]) = ("All types", &[]);
    let of_type = |media: &[&str]| !is_without && chosen == media;
    let shown =
        std::iter::once(all).chain(TYPES).find(|(_, media)| of_type(media)).map_or("Some types", |(label, _)| label);
    let mut narrowed = None;
    drop_ui(ui, "media types", "Media types", shown, width, |ui| {
        for (label, media) in std::iter::once(all).chain(TYPES) {
            let is_of = |value: &&FacetValue| media.is_empty() || media.contains(&value.value.as_str());
            let number = values.map(|values| values.iter().filter(is_of).map(|value| value.count).sum::<u64>());
            let label = number.map_or_else(|| label.to_owned(), |number| format!("{label} {}", text::count(number)));
            if ui.selectable_label(of_type(media), label).clicked() {
                let choices = FacetChoice::any_of(FacetKind::Media, media);
                let text = with_facets(&query.text, FacetKind::Media, &choices);
                narrowed = Some(SearchQuery { text, ..query.clone() });
            }
        }
    });
    narrowed
}
