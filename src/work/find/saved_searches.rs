//! A saved search keeps a query under a name, not its results.
//!
//! They are one value in the catalogue, `{"version": 1, "searches": […]}`. A collection keeps
//! captures; a saved search runs again each time.

use super::search::{SearchOrder, SearchQuery};
use crate::store::Catalogue;
use crate::uri::CaptureDate;
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

/// The setting that holds them.
const SETTING: &str = "saved_searches";
/// The form that is written and read.
const VERSION: u32 = 1;
/// Searches of one workspace at most.
const MOST: usize = 1_000;
/// Characters of a name at most.
const NAME_CHARS: usize = 200;
/// Bytes that are read at most: a catalogue of others may hold anything.
const MOST_BYTES: usize = 8 << 20;

/// A search under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSearch {
    /// Its name; upper and lower case are the same.
    pub name: String,
    /// The query as it was typed, with the values of facets that were chosen.
    pub query: String,
    /// The order of results.
    #[serde(default)]
    pub order: SearchOrder,
    /// Whether nothing is folded.
    #[serde(default)]
    pub shows_all: bool,
    /// The person who saved it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
}

impl SavedSearch {
    /// The query of the search, of all campaigns and without a limit of its own.
    pub fn query(&self) -> SearchQuery {
        SearchQuery { text: self.query.clone(), order: self.order, shows_all: self.shows_all, ..SearchQuery::default() }
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    searches: Vec<SavedSearch>,
}

/// The form alone, which every version has.
#[derive(Deserialize)]
struct Form {
    version: u32,
}

fn read(text: Option<&str>) -> anyhow::Result<Vec<SavedSearch>> {
    const WHAT: &str = "the saved searches of this workspace cannot be read";
    let Some(text) = text else { return Ok(Vec::new()) };
    ensure!(text.len() <= MOST_BYTES, "{WHAT}: they are longer than any that Fonds writes; nothing was changed");
    let Form { version } = serde_json::from_str(text).context(WHAT)?;
    ensure!(
        version <= VERSION,
        "{WHAT}: a newer Fonds saved them. Open the workspace with that program; nothing was changed"
    );
    Ok(serde_json::from_str::<Stored>(text).context(WHAT)?.searches)
}

/// The saved searches of a workspace, by name.
///
/// # Errors
///
/// A catalogue that cannot be read, or searches that a newer program saved.
pub fn saved_searches(catalogue: &Catalogue) -> anyhow::Result<Vec<SavedSearch>> {
    read(catalogue.setting(SETTING)?.as_deref())
}

/// The saved search of this name.
///
/// # Errors
///
/// As [`saved_searches`], and a name that there is not.
pub fn saved_search(catalogue: &Catalogue, name: &str) -> anyhow::Result<SavedSearch> {
    let found = saved_searches(catalogue)?.into_iter().find(|search| is_same_name(&search.name, name));
    found.with_context(|| missing(name))
}

/// Keeps a search, in the place of one that had its name; whether there was one.
///
/// # Errors
///
/// No name or one that is too long, too many searches, or a catalogue that cannot be written.
pub fn save_search(catalogue: &Catalogue, search: SavedSearch) -> anyhow::Result<bool> {
    let name = fit_name(&search.name)?;
    change(catalogue, move |searches| {
        let before = searches.len();
        searches.retain(|other| !is_same_name(&other.name, &name));
        ensure!(searches.len() < MOST, "there are {MOST} saved searches, and no room for more. Remove some first");
        let was_there = searches.len() < before;
        searches.push(SavedSearch { name, ..search });
        Ok(was_there)
    })
}

/// Gives a saved search another name.
///
/// # Errors
///
/// No such search, another one with the new name, or a catalogue that cannot be written.
pub fn rename_search(catalogue: &Catalogue, from: &str, to: &str) -> anyhow::Result<()> {
    let (from, to) = (from.to_owned(), fit_name(to)?);
    change(catalogue, move |searches| {
        let is_other = |search: &SavedSearch| is_same_name(&search.name, &to) && !is_same_name(&search.name, &from);
        if searches.iter().any(is_other) {
            bail!("a search is saved as “{to}” already. Choose another name, or remove that one first");
        }
        let search = searches.iter_mut().find(|search| is_same_name(&search.name, &from));
        search.with_context(|| missing(&from))?.name = to;
        Ok(())
    })
}

/// Removes a saved search.
///
/// # Errors
///
/// No such search, or a catalogue that cannot be written.
pub fn forget_search(catalogue: &Catalogue, name: &str) -> anyhow::Result<()> {
    let name = name.to_owned();
    change(catalogue, move |searches| {
        let before = searches.len();
        searches.retain(|search| !is_same_name(&search.name, &name));
        ensure!(searches.len() < before, missing(&name));
        Ok(())
    })
}

fn change<T: Send + 'static>(
    catalogue: &Catalogue,
    change: impl FnOnce(&mut Vec<SavedSearch>) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let changed = |before: Option<String>| {
        let mut searches = read(before.as_deref())?;
        let answer = change(&mut searches)?;
        searches.sort_by_cached_key(|search| search.name.to_lowercase());
        Ok((serde_json::to_string(&Stored { version: VERSION, searches })?, answer))
    };
    catalogue.change_setting(SETTING, move |before| match changed(before) {
        Ok((text, answer)) => (Some(text), Ok(answer)),
        Err(error) => (None, Err(error)),
    })?
}

fn missing(name: &str) -> String {
    format!("no search is saved as “{name}”. List them on the page Search, or with: fonds search DIR --list-saved")
}

fn is_same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn fit_name(name: &str) -> anyhow::Result<String> {
    let name = name.trim();
    ensure!(!name.is_empty(), "the search has no name. Give it one to find it by");
    ensure!(name.chars().count() <= NAME_CHARS, "the name of the search is longer than {NAME_CHARS} characters");
    Ok(name.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::empty_session;

    fn search(name: &str, query: &str) -> SavedSearch {
        let (order, who) = (SearchOrder::Oldest, "Ana".to_owned());
        let date = CaptureDate::from_seconds(1_700_000_000);
        SavedSearch { name: name.to_owned(), query: query.to_owned(), order, shows_all: true, who, date }
    }

    fn names(catalogue: &Catalogue) -> Vec<String> {
        saved_searches(catalogue).unwrap().into_iter().map(|search| search.name).collect()
    }

    #[test]
    fn searches_are_kept_as_they_were_and_found_by_name() {
        let (_dir, session) = empty_session();
        let catalogue = session.catalogue();
        assert_eq!(names(catalogue), Vec::<String>::new());
        assert!(!save_search(catalogue, search(" Ships ", "navio*")).unwrap());
        assert!(!save_search(catalogue, search("bridges", "ponte")).unwrap());
        assert_eq!(names(catalogue), ["bridges", "Ships"]);
        assert_eq!(saved_search(catalogue, "SHIPS").unwrap(), search("Ships", "navio*"));
        assert!(save_search(catalogue, search("ships", "navio")).unwrap(), "it takes the place of the other");
        assert_eq!(names(catalogue), ["bridges", "ships"]);
        rename_search(catalogue, "ships", "Boats").unwrap();
        assert!(rename_search(catalogue, "boats", "BRIDGES").is_err(), "two would have one name");
        rename_search(catalogue, "bridges", "Bridges").unwrap();
        assert_eq!(names(catalogue), ["Boats", "Bridges"]);
        forget_search(catalogue, "boats").unwrap();
        assert!(forget_search(catalogue, "boats").is_err());
        assert!(saved_search(catalogue, "Boats").is_err());
        for name in ["  ".to_owned(), "x".repeat(NAME_CHARS + 1)] {
            assert!(save_search(catalogue, search(&name, "x")).is_err(), "{name}");
        }
    }

    #[test]
    fn searches_of_a_newer_program_and_damaged_ones_are_not_written_over() {
        let (_dir, session) = empty_session();
        let catalogue = session.catalogue();
        for (value, why) in [
            (r#"{"version": 2, "searches": [], "folders": []}"#, "newer Fonds"),
            (r#"{"version": 1, "searches": [{"name": 7}]}"#, "cannot be read"),
            ("no JSON", "cannot be read"),
        ] {
            catalogue.set_setting(SETTING, value).unwrap();
            let error = format!("{:#}", save_search(catalogue, search("a", "b")).unwrap_err());
            assert!(error.contains(why), "{error}");
            assert!(saved_searches(catalogue).is_err(), "{value}");
            assert_eq!(catalogue.setting(SETTING).unwrap().as_deref(), Some(value));
        }
    }
}
