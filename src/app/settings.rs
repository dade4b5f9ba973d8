//! Settings of a person, kept between runs.

use super::Action;
use crate::inlinks::MATCH_WINDOW_DAYS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The palette of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// The desktop's choice.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// White on black, with edges in place of tints.
    HighContrast,
}

/// The form of dates on the screen; files and filters have dates as WARC has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateForm {
    /// Year, month, day: `2026-11-26`.
    #[default]
    Iso,
    /// Day, name of the month, year: `26 Nov 2026`.
    Named,
    /// Day, month, year: `26/11/2026`.
    Slashed,
}

/// A tab of the lower panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanelTab {
    /// Label and value.
    #[default]
    Details,
    /// Why it was taken or refused.
    Decision,
    /// Links to it.
    Inlinks,
    /// Links out of it.
    Outlinks,
    /// Texts of the links to it.
    Anchors,
    /// Its visible text.
    Text,
    /// Persons, places and terms of its text.
    Entities,
    /// Captures related by links and texts.
    Related,
    /// What it needs to be shown, and what became of that.
    Needs,
    /// Captures of the same page.
    Versions,
    /// Heads as sent and received.
    Headers,
    /// Notes of people.
    Notes,
}

/// A table's columns as a person arranged them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableLayout {
    /// Names of its columns from the left; others follow.
    pub order: Vec<String>,
    /// Columns that were changed, by their names.
    pub columns: BTreeMap<String, ColumnLayout>,
}

/// A column's width and visibility as a person chose them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnLayout {
    /// Whether it is shown, where a person chose.
    pub shown: Option<bool>,
    /// Its width, where a person drew it.
    pub width: Option<f32>,
}

/// Settings of a person, kept between runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light or dark.
    pub theme: ThemeChoice,
    /// Size of everything, 1 is as designed.
    pub zoom: f32,
    /// Whether nothing scrolls by itself or spins.
    pub reduced_motion: bool,
    /// Taller rows in tables.
    pub roomy_rows: bool,
    /// The form of dates on the screen.
    pub dates: DateForm,
    /// Arrangements of tables, by their names.
    pub tables: BTreeMap<String, TableLayout>,
    /// Whether the lower panel is shown, if only as a line at the foot of the page.
    pub lower_panel: bool,
    /// Whether it is open, so that more than that line is shown.
    pub panel_open: bool,
    /// Whether it stands at the right of a wide window.
    pub panel_aside: bool,
    /// Its width there, as a person drew it.
    pub panel_width: f32,
    /// Whether the overview shows the steps to a first export.
    pub first_steps: bool,
    /// Whether facets stand beside the table of captures.
    pub facets: bool,
    /// Height of the lower panel, as a person drew it.
    pub panel_height: f32,
    /// Its tab, kept between rows.
    pub panel_tab: PanelTab,
    /// Whether texts are indexed during imports and crawls without anybody starting it.
    pub follow_index: bool,
    /// Days of the inlink window.
    pub window_days: u32,
    /// The name for decisions, as typed; empty for the system's user name.
    pub name: String,
    /// An e-mail address or URL of who crawls, for the `User-Agent` of new campaigns; empty for none.
    pub contact: String,
    /// Keys of actions, where a person changed them, by the names of the actions; empty for no key.
    pub shortcuts: BTreeMap<String, String>,
    /// Name of the key that signs exports; empty for none.
    pub sign_with: String,
    /// The workspace open last.
    pub last_workspace: Option<PathBuf>,
    /// Workspaces that were opened lately, the last one first.
    pub recent_workspaces: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::System,
            zoom: 1.0,
            reduced_motion: false,
            roomy_rows: false,
            dates: DateForm::Iso,
            tables: BTreeMap::new(),
            lower_panel: true,
            panel_open: false,
            panel_aside: true,
            panel_width: 360.0,
            first_steps: true,
            facets: false,
            panel_height: 280.0,
            panel_tab: PanelTab::Details,
            follow_index: true,
            window_days: MATCH_WINDOW_DAYS,
            name: String::new(),
            contact: String::new(),
            shortcuts: BTreeMap::new(),
            sign_with: String::new(),
            last_workspace: None,
            recent_workspaces: Vec::new(),
        }
    }
}

impl Settings {
    /// Sizes of everything that are offered.
    pub const SCALES: [f32; 10] = [0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0];

    /// Makes everything a step larger or smaller, or as designed with 0.
    pub fn step_scale(&mut self, step: i32) {
        let now = self.zoom_factor();
        let mut scales = Self::SCALES.into_iter();
        let next = match step {
            0 => Some(1.0),
            1.. => scales.find(|scale| *scale > now),
            ..0 => scales.rfind(|scale| *scale < now),
        };
        self.zoom = next.unwrap_or(now);
    }

    /// The factor of enlargement; 1 where the file of the settings names a size that
    /// nothing can be drawn in.
    pub fn zoom_factor(&self) -> f32 {
        if (0.5..=3.0).contains(&self.zoom) { self.zoom } else { 1.0 }
    }

    /// The keys of an action, such as `Ctrl+K`; empty for none.
    pub fn keys_of(&self, action: Action) -> &str {
        if self.shortcuts.is_empty() {
            return action.keys();
        }
        self.shortcuts.get(&shortcut_name(action)).map_or(action.keys(), String::as_str)
    }

    /// Gives an action these keys; those that it has by default need no place in the settings.
    pub fn set_keys(&mut self, action: Action, keys: &str) {
        if keys == action.keys() {
            self.shortcuts.remove(&shortcut_name(action));
        } else {
            self.shortcuts.insert(shortcut_name(action), keys.to_owned());
        }
    }

    /// Whether a person changed the keys of an action.
    pub fn has_own_keys(&self, action: Action) -> bool {
        self.shortcuts.contains_key(&shortcut_name(action))
    }

    /// Another action with the same keys, of which only one can be carried out.
    pub fn conflict_of(&self, action: Action) -> Option<Action> {
        let keys = self.keys_of(action);
        let is_same = |other: &Action| *other != action && self.keys_of(*other) == keys;
        if keys.is_empty() { None } else { Action::ALL.into_iter().find(is_same) }
    }

    /// The `User-Agent` of a new campaign; empty where no contact is known.
    pub fn user_agent(&self) -> String {
        match self.contact.trim() {
            "" => String::new(),
            contact => format!("Fonds/{} (+{contact})", env!("CARGO_PKG_VERSION")),
        }
    }

    /// The name that decisions get: the one typed, else the system's user name, which may
    /// be read from a file: called on a worker.
    pub fn person(&self) -> String {
        match self.name.trim() {
            "" => crate::work::operator(),
            name => name.to_owned(),
        }
    }
}

/// The name of an action in the settings.
fn shortcut_name(action: Action) -> String {
    format!("{action:?}")
}

#[cfg(test)]
mod tests {
    use super::{Action, Settings};

    #[test]
    fn keys_are_changed_found_in_conflict_and_reset() {
        let mut settings = Settings::default();
        let all = Action::ALL;
        assert!(all.into_iter().all(|action| settings.conflict_of(action).is_none() && !settings.has_own_keys(action)));
        settings.set_keys(Action::BuildInlinks, "Ctrl+K");
        assert_eq!(settings.keys_of(Action::BuildInlinks), "Ctrl+K");
        assert_eq!(settings.conflict_of(Action::Palette), Some(Action::BuildInlinks));
        let kept: Settings =
            serde_json::from_str(&serde_json::to_string(&settings).unwrap_or_default()).unwrap_or_default();
        assert_eq!(kept, settings);
        settings.set_keys(Action::BuildInlinks, Action::BuildInlinks.keys());
        assert_eq!(settings, Settings::default());
        // Without keys there is nothing that two could have.
        settings.set_keys(Action::Palette, "");
        assert_eq!((settings.keys_of(Action::Palette), settings.conflict_of(Action::Palette)), ("", None));
    }

    #[test]
    fn the_scale_goes_from_three_quarters_to_three() {
        let mut settings = Settings::default();
        let mut scales = vec![settings.zoom];
        (0..20).for_each(|_| settings.step_scale(-1));
        scales.push(settings.zoom);
        (0..20).for_each(|_| settings.step_scale(1));
        scales.push(settings.zoom);
        settings.step_scale(0);
        assert_eq!((scales, settings.zoom), (vec![1.0, 0.75, 3.0], 1.0));
    }
}
