//! Persons, places, organisations and events that texts name.
//!
//! Nothing is learned: names of authority files are found as they are written ([`Gazetteer`]); further
//! names are runs of capitalised words ([`candidates`](candidates::candidates)), of which a kind is
//! known only where a word beside or in them says so ([`cues`]).
//!
//! In: the main text of a page. Out: [`PageNames`], with places in characters of that text. Whether a word
//! at the beginning of a sentence is a name is seen from the whole corpus ([`CaseCounts`]).

mod candidates;
mod case_counts;
mod cues;
mod gazetteer;
mod name_tokens;
mod page_names;

pub use case_counts::CaseCounts;
pub use gazetteer::{Gazetteer, NamedEntity};
pub use page_names::{NameCandidate, NameMention, PageNames, page_names};

use serde::{Deserialize, Serialize};

/// The kind of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntityKind {
    /// A person.
    Person,
    /// A place.
    Place,
    /// An organisation.
    Organisation,
    /// An event.
    Event,
    /// Nothing says what it is.
    #[default]
    Unknown,
}

impl EntityKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Person, Self::Place, Self::Organisation, Self::Event, Self::Unknown];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Place => "place",
            Self::Organisation => "organisation",
            Self::Event => "event",
            Self::Unknown => "unknown",
        }
    }

    /// Its name on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Person => "Person",
            Self::Place => "Place",
            Self::Organisation => "Organisation",
            Self::Event => "Event",
            Self::Unknown => "Unknown",
        }
    }

    /// The kind of a name in files, its last part where it is a URI (`foaf:Person`, `schema:Place`);
    /// none where it is no known one.
    pub fn of_name(name: &str) -> Option<Self> {
        let last = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
        Some(match last.to_lowercase().as_str() {
            "person" | "people" | "agent" | "deputy" | "politician" => Self::Person,
            "place" | "location" | "loc" | "country" | "city" | "settlement" | "feature" | "spatialthing"
            | "administrativearea" => Self::Place,
            "organisation"
            | "organization"
            | "org"
            | "company"
            | "party"
            | "formalorganization"
            | "governmentorganization" => Self::Organisation,
            "event" => Self::Event,
            "unknown" | "" => Self::Unknown,
            "per" => Self::Person,
            _ => return None,
        })
    }
}
