//! Settings of a person, kept between runs.

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
    /// Captures related by links and texts.
    Related,
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
    /// Taller rows in tables.
    pub roomy_rows: bool,
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
            roomy_rows: false,
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
            sign_with: String::new(),
            last_workspace: None,
            recent_workspaces: Vec::new(),
        }
    }
}

impl Settings {
    /// Sizes of everything that are offered.
    pub const SCALES: [f32; 8] = [0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0];

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

    /// The name that decisions get: the one typed, else the system's user name, which may
    /// be read from a file: called on a worker.
    pub fn person(&self) -> String {
        match self.name.trim() {
            "" => crate::work::operator(),
            name => name.to_owned(),
        }
    }
}
