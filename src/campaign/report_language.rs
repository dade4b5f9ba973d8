//! Languages that people read the report of a handover in.

use serde::{Deserialize, Serialize};

/// A language of the report. RDF, metadata records and all other documents of a
/// handover are the same in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportLanguage {
    /// English.
    #[default]
    En,
    /// Portuguese, as written in Portugal.
    Pt,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// German.
    De,
}

impl ReportLanguage {
    /// Every language with its code (ISO 639-1) and its own name.
    pub const ALL: [(Self, &str, &str); 5] = [
        (Self::En, "en", "English"),
        (Self::Pt, "pt", "Português"),
        (Self::Es, "es", "Español"),
        (Self::Fr, "fr", "Français"),
        (Self::De, "de", "Deutsch"),
    ];

    /// The code of the language, as in `lang` of HTML.
    pub fn code(self) -> &'static str {
        Self::ALL.iter().find(|(of, ..)| *of == self).map_or("", |(_, code, _)| code)
    }

    /// The name of the language in itself.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(of, ..)| *of == self).map_or("", |(.., label)| label)
    }

    /// The position in [`Self::ALL`], and in tables with a column per language.
    pub fn position(self) -> usize {
        Self::ALL.iter().position(|(of, ..)| *of == self).unwrap_or(0)
    }
}

impl std::str::FromStr for ReportLanguage {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        let known = |(_, of, _): &&(Self, &str, &str)| of.eq_ignore_ascii_case(code.trim());
        match Self::ALL.iter().find(known) {
            Some((language, ..)) => Ok(*language),
            None => Err(format!("the report is written in en, pt, es, fr or de, not in “{code}”")),
        }
    }
}
