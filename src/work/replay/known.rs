//! What a workspace knows of a URL that has no capture.

use crate::scope::rule_label;
use crate::uri::Url;
use crate::work::Session;

/// Launches that are named.
const MOST_LAUNCHES: usize = 5;

/// What is known.
pub(super) struct Known {
    /// The last that is known, in a few words.
    pub(super) brief: String,
    /// Launch by launch.
    pub(super) sentences: Vec<String>,
}

/// What is known of a URL without a capture: never seen, refused by which rule, failed how.
pub(super) fn what_is_known(session: &Session, url: &Url) -> Known {
    let mut known =
        Known { brief: "never seen by a crawl here, and in no archive file".to_owned(), sentences: Vec::new() };
    let catalogue = session.catalogue();
    let seen = catalogue.seen_of_url(url).unwrap_or_default();
    for (number, id) in seen.into_iter().take(MOST_LAUNCHES).enumerate() {
        let Ok((launch, row, ..)) = catalogue.seen_row(id) else { continue };
        let what = match row.decision.as_str() {
            "ACCEPT" => format!("in scope, but {}", row.outcome),
            _ => format!("refused by the rule “{}” ({})", rule_label(&row.rule), row.rule),
        };
        if number == 0 {
            known.brief.clone_from(&what);
        }
        let name = catalogue.launch(launch).map(|launch| format!("{} of {}", launch.launch, launch.campaign_name));
        let via = if row.via.is_empty() { String::new() } else { format!("; found on {}", row.via) };
        known.sentences.push(format!("Launch {}: {what}{via}.", name.unwrap_or_else(|_| launch.to_string())));
    }
    known
}
