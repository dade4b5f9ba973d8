//! What sets of captures answer of a filter: words of texts by the index, dates and values of facets by the columns
//! that are in memory, letters of titles and URLs too. A set is worth more than SQL where nothing else is tested.

use super::columns::ColumnTest;
use super::{Filter, FilterField, FilterWriter, Kind};
use crate::query::{FieldTerm, FieldTest, Query, Sign, TextTest, quoted_value};
use crate::search::CaptureFacts;
use crate::uri::PageKey;
use fixedbitset::FixedBitSet;
use rusqlite::types::Value;
use std::sync::Arc;

/// Captures that SQL looks up one by one; of more it asks each row.
pub(super) const FEW: usize = 1 << 13;

impl Filter {
    /// The captures that it holds where sets alone decide that; none where SQL does, too.
    pub(in crate::store) fn set(&self) -> Option<&FixedBitSet> {
        self.among.as_ref().filter(|_| self.sql == "1")
    }

    /// Whether every capture meets it.
    pub(in crate::store) fn is_everything(&self) -> bool {
        self.among.is_none() && self.sql == "1"
    }

    /// All of it as a condition on capture `c`, with its values.
    pub(in crate::store) fn condition(self) -> (String, Vec<Value>) {
        self.condition_by(FEW)
    }

    /// The same, where fewer captures than these are looked up one by one.
    pub(super) fn condition_by(self, few: usize) -> (String, Vec<Value>) {
        let Some(among) = self.among else { return (format!("({})", self.sql), self.values) };
        let (sql, value) = membership(&among, few);
        let values = std::iter::once(value).chain(self.values).collect();
        (format!("{sql} AND ({})", self.sql), values)
    }
}

/// SQL: whether capture `c` is in a set, with the value that it takes: a set of fewer than these is looked up.
pub(super) fn membership(set: &FixedBitSet, few: usize) -> (&'static str, Value) {
    if set.count_ones(..) >= few {
        return (IS_AMONG, bits(set));
    }
    let numbers: Vec<usize> = set.ones().collect();
    ("c.id IN (SELECT value FROM json_each(?))", Value::Text(serde_json::Value::from(numbers).to_string()))
}

/// Finds captures that no column has.
pub(in crate::store) trait CaptureSets {
    /// The captures of pages that link to one.
    fn linking(&self, page: &PageKey) -> Result<FixedBitSet, String>;

    /// The captures of pages that differ between two launches, as a value of `since:` names them.
    fn since(&self, value: &str) -> Result<FixedBitSet, String>;

    /// The captures that are to review, by their columns.
    fn to_review(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String>;

    /// The captures whose URL is missing from the last launch of their campaign, by their columns.
    fn gone(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String>;

    /// The captures that are selected for the campaign at hand, by their columns.
    fn selected(&self, facts: &CaptureFacts) -> Result<FixedBitSet, String>;
}

/// SQL: whether capture `c` is in a set, one bit a capture.
pub(super) const IS_AMONG: &str = "is_among(?, c.id)";

/// A set as SQL takes it.
pub(super) fn bits(captures: &FixedBitSet) -> Value {
    Value::Blob(captures.as_slice().iter().flat_map(|block| block.to_le_bytes()).collect())
}

impl FilterWriter<'_> {
    /// As [`Self::query`], with all that sets answer of what has to hold together put into one set.
    pub(super) fn whole(&mut self, query: &Query<FieldTerm>) -> Result<String, String> {
        let parts = match query {
            Query::And(parts) => parts.as_slice(),
            part => std::slice::from_ref(part),
        };
        let (of_sets, mut others): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|part| self.is_of_sets(part));
        if !of_sets.is_empty() {
            self.among = Some(self.set(&Query::And(of_sets))?);
        }
        // Of few captures SQL looks up what persons decided and what came later.
        if self.among.as_ref().is_none_or(|among| among.count_ones(..) >= FEW) {
            let mut left = Vec::new();
            for part in others {
                match (self.set_by_columns(&part)?, &mut self.among) {
                    (None, _) => left.push(part),
                    (Some(set), Some(among)) => among.intersect_with(&set),
                    (set, none) => *none = set,
                }
            }
            others = left;
        }
        let mut written = self.parts(&others, Query::And)?;
        written.retain(|sql| sql != "1");
        Ok(match written.as_slice() {
            [] => "1".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" AND ")),
        })
    }

    /// Whether sets answer all of a query.
    pub(super) fn is_of_sets(&self, query: &Query<FieldTerm>) -> bool {
        let mut is_of_sets = !query.is_empty();
        query.for_each_term(&mut |term| {
            is_of_sets &= match &term.field {
                _ if self.letters_test(term).is_some() => true,
                None => self.has_index,
                Some(test) => {
                    let is_of_index = self.field(test).is_some_and(FilterField::needs_index);
                    is_of_index || self.is_of_catalogue(test) || self.column_test(test, term).is_some()
                }
            }
        });
        is_of_sets
    }

    /// The captures that meet a query that [sets answer](Self::is_of_sets).
    pub(super) fn set(&self, query: &Query<FieldTerm>) -> Result<FixedBitSet, String> {
        match query {
            Query::And(parts) => {
                let mut found: Option<FixedBitSet> = None;
                for part in parts {
                    let set = self.set(part)?;
                    match &mut found {
                        Some(found) => found.intersect_with(&set),
                        none => *none = Some(set),
                    }
                }
                found.map_or_else(|| self.every_capture(), Ok)
            }
            Query::Or(parts) => {
                let mut found = FixedBitSet::new();
                for part in parts {
                    found.union_with(&self.set(part)?);
                }
                Ok(found)
            }
            Query::Not(part) => {
                let without = self.set(part)?;
                let mut found = self.every_capture()?;
                found.difference_with(&without);
                Ok(found)
            }
            Query::Term(term) => self.set_of_term(term),
        }
    }

    /// What columns in memory answer of a term of a field.
    fn column_test(&self, test: &FieldTest, term: &FieldTerm) -> Option<ColumnTest> {
        self.field(test)?.column_test(test, term, self.facts.as_deref()?)
    }

    /// The captures of one test of decisions or of launches that columns in memory make quick for all captures at once.
    fn set_by_columns(&self, query: &Query<FieldTerm>) -> Result<Option<FixedBitSet>, String> {
        let (Query::Term(term), Some(facts), Some(sets)) = (query, &self.facts, self.context.sets) else {
            return Ok(None);
        };
        let Some(test) = term.field.as_ref().filter(|test| !test.sign.is_ordering()) else { return Ok(None) };
        Ok(match (test.name.as_str(), test.value.as_str()) {
            ("review", "yes") => Some(sets.to_review(facts)?),
            ("review", "no") => Some(beside(&sets.to_review(facts)?, facts)),
            ("gone", "yes") => Some(sets.gone(facts)?),
            ("gone", "no") => Some(beside(&sets.gone(facts)?, facts)),
            ("selected", "yes") => Some(sets.selected(facts)?),
            _ => None,
        })
    }

    /// Whether a set of the catalogue answers a test of a field; what is not in the set takes the columns.
    fn is_of_catalogue(&self, test: &FieldTest) -> bool {
        let is_set = self.field(test).is_some_and(|field| matches!(field.kind, Kind::Linked | Kind::Since));
        is_set && !test.value.is_empty() && !test.sign.is_ordering() && self.context.full_text.is_some()
    }

    /// The captures that a set of the catalogue has: pages that link to a URL, or differ between launches.
    pub(super) fn of_catalogue(&self, field: &FilterField, value: &str) -> Result<FixedBitSet, String> {
        let Some(sets) = self.context.sets else { return Ok(FixedBitSet::new()) };
        if matches!(field.kind, Kind::Since) {
            return sets.since(value);
        }
        let key = PageKey::of_text(value).or_else(|| PageKey::of_text(&format!("http://{value}")));
        match key {
            Some(key) => sets.linking(&key),
            None => Err(format!("“{value}” is no URL; write {}", field.example)),
        }
    }

    fn every_capture(&self) -> Result<FixedBitSet, String> {
        Ok(self.columns()?.captures().clone())
    }

    fn columns(&self) -> Result<Arc<CaptureFacts>, String> {
        match (&self.facts, self.context.full_text) {
            (Some(facts), _) => Ok(Arc::clone(facts)),
            (None, Some(full_text)) => full_text.facts(),
            (None, None) => Ok(Arc::default()),
        }
    }

    fn set_of_term(&self, term: &FieldTerm) -> Result<FixedBitSet, String> {
        if let Some(test) = self.letters_test(term) {
            return Ok(self.with_letters(&test));
        }
        let Some(test) = &term.field else {
            return if term.test == TextTest::Any { self.every_capture() } else { self.of_index("words", term) };
        };
        let at = |column: usize, why: String| format!("column {column}: {why}");
        let Some(field) = self.field(test) else { return Err(at(term.column, self.unknown(test))) };
        if let Some(column_test) = self.column_test(test, term) {
            return Ok(column_test.captures(&*self.columns()?));
        }
        if matches!(field.kind, Kind::Linked | Kind::Since) {
            return self.of_catalogue(field, &test.value).map_err(|why| at(test.value_column, why));
        }
        if !matches!(field.kind, Kind::IndexedDate) && test.sign.is_ordering() {
            return Err(at(term.column, field.not_ordered(test)));
        }
        let found = check_indexed(field, test, term).and_then(|()| self.of_index(&format!("{}:", field.name), term));
        found.map_err(|why| at(test.value_column, why))
    }

    /// What the index answers of a term, which is of this field.
    fn of_index(&self, field: &str, term: &FieldTerm) -> Result<FixedBitSet, String> {
        match self.context.full_text {
            Some(full_text) => full_text.captures(term, self.context.campaign),
            None => Err(format!(
                "only an index of texts answers {field}, and there is none yet; build it: fonds index DIR. \
                 Words of URLs and titles are found without {field}"
            )),
        }
    }
}

/// All other captures.
pub(super) fn beside(set: &FixedBitSet, facts: &CaptureFacts) -> FixedBitSet {
    let mut others = facts.captures().clone();
    others.difference_with(set);
    others
}

/// Whether the index can answer a term of its fields.
fn check_indexed(field: &FilterField, test: &FieldTest, term: &FieldTerm) -> Result<(), String> {
    let (name, value) = (field.name, quoted_value(&test.value));
    if test.value.is_empty() && test.sign != Sign::Is {
        return Err(format!("a value is missing, such as {}", field.example));
    }
    if matches!(field.kind, Kind::IndexedDate) {
        test.seconds()?;
    } else if test.sign == Sign::Is {
        return Err(format!("{name} is not compared with =; write {name}:{value}"));
    }
    let is_any = name == "similar" && term.test == TextTest::Any;
    if matches!(name, "like" | "similar") && !is_any && test.value.parse::<u32>().is_err() {
        let (value, or) = (&test.value, if name == "similar" { ". similar:* finds those that have any" } else { "" });
        return Err(format!("“{value}” is no number of a capture; fonds captures and the lower panel show it{or}"));
    }
    Ok(())
}
