//! What the index of texts answers of a filter: a set of captures, which is
//! worth more than SQL where nothing else is asked.

use super::{Filter, FilterField, FilterWriter, Kind};
use crate::query::{FieldTerm, FieldTest, Query, Sign, TextTest, quoted_value};
use fixedbitset::FixedBitSet;
use rusqlite::types::Value;

/// Captures that SQL looks up one by one; of more it asks each row.
const FEW: usize = 1 << 13;

impl Filter {
    /// The captures that it holds where the index alone decides that; none where SQL does, too.
    pub(in crate::store) fn set(&self) -> Option<&FixedBitSet> {
        self.among.as_ref().filter(|_| self.sql == "1")
    }

    /// All of it as a condition on capture `c`, with its values.
    pub(in crate::store) fn condition(self) -> (String, Vec<Value>) {
        self.condition_by(FEW)
    }

    /// The same, where fewer captures than these are looked up one by one.
    pub(super) fn condition_by(self, few: usize) -> (String, Vec<Value>) {
        let Some(among) = self.among else { return (format!("({})", self.sql), self.values) };
        let (sql, value) = match among.count_ones(..) < few {
            true => {
                let numbers: Vec<usize> = among.ones().collect();
                ("c.id IN (SELECT value FROM json_each(?))", Value::Text(serde_json::Value::from(numbers).to_string()))
            }
            false => (IS_AMONG, bits(&among)),
        };
        let values = std::iter::once(value).chain(self.values).collect();
        (format!("{sql} AND ({})", self.sql), values)
    }
}

/// SQL: whether capture `c` is in a set, one bit a capture.
const IS_AMONG: &str = "is_among(?, c.id)";

fn bits(captures: &FixedBitSet) -> Value {
    Value::Blob(captures.as_slice().iter().flat_map(|block| block.to_le_bytes()).collect())
}

impl FilterWriter<'_> {
    /// As [`Self::query`], with all that the index answers of what has to hold
    /// together put into one set.
    pub(super) fn whole(&mut self, query: &Query<FieldTerm>) -> Result<String, String> {
        let parts = match query {
            Query::And(parts) => parts.as_slice(),
            part => std::slice::from_ref(part),
        };
        let mut written = Vec::new();
        let (texts, others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| self.is_of_texts(part));
        for part in others {
            self.is_joint = matches!(part, Query::Term(_));
            let sql = self.query(part)?;
            self.is_joint = false;
            if sql != "1" {
                written.push(sql);
            }
        }
        if !texts.is_empty() {
            written.push(self.texts(&Query::And(texts.into_iter().cloned().collect())));
        }
        Ok(match written.as_slice() {
            [] => "1".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" AND ")),
        })
    }

    pub(super) fn indexed(
        &mut self,
        field: &FilterField,
        test: &FieldTest,
        term: &FieldTerm,
    ) -> Result<String, String> {
        let (name, value) = (field.name, quoted_value(&test.value));
        if matches!(field.kind, Kind::IndexedDate) {
            test.seconds()?;
        } else if test.sign == Sign::Is {
            return Err(format!("{name} is not compared with =; write {name}:{value}"));
        }
        let is_any = name == "similar" && term.test == TextTest::Any;
        if matches!(name, "like" | "similar") && !is_any && test.value.parse::<u32>().is_err() {
            let (value, or) =
                (&test.value, if name == "similar" { ". similar:* finds those that have any" } else { "" });
            return Err(format!("“{value}” is no number of a capture; fonds captures and the lower panel show it{or}"));
        }
        let Some(full_text) = self.context.full_text else {
            return Err(format!(
                "only an index of texts answers {name}:, and there is none yet; build it: fonds index DIR. \
                 Words of URLs and titles are found without {name}:"
            ));
        };
        let found = full_text.captures(term, self.context.campaign)?;
        if !self.is_joint {
            self.values.push(bits(&found));
            return Ok(IS_AMONG.to_owned());
        }
        match &mut self.among {
            Some(among) => among.intersect_with(&found),
            none => *none = Some(found),
        }
        Ok("1".to_owned())
    }
}
