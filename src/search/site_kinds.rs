//! Kinds of sites in the index: which there are, and which pages are of them.

use super::text_index::{TextIndex, TextIndexError, engine};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

impl TextIndex {
    /// The content versions of each kind of site that any page is of, by its name.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn site_kinds(&self) -> Result<BTreeMap<String, FixedBitSet>, TextIndexError> {
        self.with_site_kinds(None)
    }

    /// The content versions of a kind of site.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn of_site_kind(&self, name: &str) -> Result<FixedBitSet, TextIndexError> {
        Ok(self.with_site_kinds(Some(name))?.remove(name).unwrap_or_default())
    }

    fn with_site_kinds(&self, only: Option<&str>) -> Result<BTreeMap<String, FixedBitSet>, TextIndexError> {
        let engine = engine(&self.folder);
        let mut found: BTreeMap<String, FixedBitSet> = BTreeMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let numbers = segment.fast_fields().u64("version").map_err(&engine)?;
            let inverted = segment.inverted_index(self.fields.site_kind).map_err(&engine)?;
            let mut terms = inverted.terms().stream().map_err(|error| engine(error.into()))?;
            while terms.advance() {
                let Ok(name) = std::str::from_utf8(terms.key()) else { continue };
                if only.is_some_and(|only| only != name) {
                    continue;
                }
                let of_kind = found.entry(name.to_owned()).or_default();
                let postings = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
                let mut postings = postings.map_err(|error| engine(error.into()))?;
                while postings.doc() != TERMINATED {
                    let doc = postings.doc();
                    if !segment.is_deleted(doc)
                        && let Some(version) = numbers.first(doc).and_then(|version| usize::try_from(version).ok())
                    {
                        of_kind.grow_and_insert(version);
                    }
                    postings.advance();
                }
            }
        }
        found.retain(|_, versions| !versions.is_clear());
        Ok(found)
    }
}
