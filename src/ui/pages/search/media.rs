//! Tabs of media types above the results of a search.

use crate::app::models::{FacetChoice, FacetKind, FacetValue, SearchQuery, facet_choices, with_facets};
use crate::ui::access::{tab_ui, tabs_ui};
use crate::ui::text;
use egui::Ui;

/// The tabs, each with its values of the facet.
const TABS: [(&str, &[&str]); 6] = [
    ("Pages", &["page"]),
    ("Documents", &["document"]),
    ("Images", &["image"]),
    ("Audio/Video", &["audio", "video"]),
    ("Data", &["data"]),
    ("Other", &["code", "other", "text"]),
];

/// Draws the tabs with the captures found of each, whichever is chosen. Gives
/// the search of the tab that was chosen.
pub fn media_tabs_ui(ui: &mut Ui, query: &SearchQuery, values: Option<&[FacetValue]>) -> Option<SearchQuery> {
    let mut choices = facet_choices(&query.text);
    choices.retain(|choice| choice.kind == FacetKind::Media);
    let mut chosen: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    chosen.sort_unstable();
    let is_without = choices.iter().any(|choice| choice.is_excluded);
    let mut narrowed = None;
    tabs_ui(ui, "Media types", |ui| {
        let all: (&str, &[&str]) = ("All", &[]);
        for (label, media) in std::iter::once(all).chain(TABS) {
            let is_of = |value: &&FacetValue| media.is_empty() || media.contains(&value.value.as_str());
            let number = values.map(|values| values.iter().filter(is_of).map(|value| value.count).sum::<u64>());
            let label = number.map_or_else(|| label.to_owned(), |number| format!("{label} {}", text::count(number)));
            if tab_ui(ui, !is_without && chosen == media, label).clicked() {
                let choices = FacetChoice::any_of(FacetKind::Media, media);
                let text = with_facets(&query.text, FacetKind::Media, &choices);
                narrowed = Some(SearchQuery { text, ..query.clone() });
            }
        }
    });
    narrowed
}
