//! Reads a feed in any dialect.

use super::date::kind_of;
use super::dialect::{Dialect, dialect_of, is_entry};
use super::{Feed, FeedEntry, FeedProblem};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt;

/// Reads the text of a feed. Where it breaks off, the entries before that
/// come in.
pub fn read_feed(text: &str) -> Feed {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = FeedReading::default();
    match text.trim_start().chars().next() {
        None => found.file_problem("the file is empty", "give a crawl feed: targets as JSON"),
        Some('[') => found.array(text),
        Some('{') => found.object_or_lines(text),
        Some(_) => found.file_problem(
            "this is no crawl feed: neither [ nor { stands at its begin",
            "give targets as JSON: an array, an object with targets, or one object a line",
        ),
    }
    found.into_feed()
}

#[derive(Default)]
struct FeedReading {
    dialect: Dialect,
    values: Vec<(usize, Value)>,
    beside: Map<String, Value>,
    /// Entries that are no JSON, with their problems.
    broken: usize,
    problems: Vec<FeedProblem>,
}

impl FeedReading {
    fn file_problem(&mut self, what: impl Into<String>, hint: impl Into<String>) {
        let (what, hint) = (what.into(), hint.into());
        self.problems.push(FeedProblem { index: None, field: String::new(), what, hint, keeps_out: true });
    }

    /// Where the text breaks off.
    fn broken_text(&mut self, error: &serde_json::Error) {
        let message = error.to_string();
        let why = message.rsplit_once(" at line ").map_or(message.as_str(), |(why, _)| why);
        let place = format!("line {}, column {}", error.line(), error.column());
        self.file_problem(
            format!("{place}: this is no JSON any more ({why}); nothing after it was read"),
            "correct the file there, or fetch it again, and read it once more",
        );
    }

    fn array(&mut self, text: &str) {
        self.dialect = Dialect::Api;
        let mut values = Vec::new();
        let mut json = serde_json::Deserializer::from_str(text);
        let read = Elements(&mut values).deserialize(&mut json).and_then(|()| json.end());
        self.values = values.into_iter().enumerate().collect();
        if let Err(error) = read {
            self.broken_text(&error);
        }
    }

    fn object_or_lines(&mut self, text: &str) {
        match serde_json::from_str::<Value>(text) {
            // One entry alone, whatever its further fields hold.
            Ok(Value::Object(object)) if is_entry(&object) => {
                self.dialect = Dialect::Lines;
                self.values.push((0, Value::Object(object)));
            }
            Ok(Value::Object(object)) if object.get("targets").is_some_and(Value::is_object) => {
                // Read again to find duplicate numbers; not both at once in memory.
                drop(object);
                self.wrapped(text);
            }
            Ok(Value::Object(mut object)) if matches!(object.get("targets"), Some(Value::Array(_))) => {
                self.dialect = Dialect::Api;
                if let Some(Value::Array(targets)) = object.shift_remove("targets") {
                    self.values = targets.into_iter().enumerate().collect();
                }
                self.beside = object;
            }
            Ok(one) => {
                self.dialect = Dialect::Lines;
                self.values.push((0, one));
            }
            // One object a line, unless not even the first line is one.
            Err(_) => match text.lines().find(|line| !line.trim().is_empty()) {
                Some(first) if serde_json::from_str::<IgnoredAny>(first).is_ok() => self.lines(text),
                _ => self.wrapped(text),
            },
        }
    }

    fn wrapped(&mut self, text: &str) {
        self.dialect = Dialect::Wrapped;
        let mut targets = Vec::new();
        let mut json = serde_json::Deserializer::from_str(text);
        let read = Wrapper { targets: &mut targets, beside: &mut self.beside }
            .deserialize(&mut json)
            .and_then(|()| json.end());
        for (index, (key, value)) in targets.into_iter().enumerate() {
            let id = match value.get("id") {
                Some(Value::Number(id)) => Some(id.to_string()),
                Some(Value::String(id)) => Some(id.clone()),
                _ => None,
            };
            if let Some(id) = id.filter(|id| *id != key) {
                self.problems.push(FeedProblem {
                    index: Some(index),
                    field: "id".to_owned(),
                    what: format!("the target stands under {key}, but its number is {id}"),
                    hint: "its number counts".to_owned(),
                    keeps_out: false,
                });
            }
            self.values.push((index, value));
        }
        if let Err(error) = read {
            self.broken_text(&error);
        }
    }

    fn lines(&mut self, text: &str) {
        self.dialect = Dialect::Lines;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(value) => self.values.push((index, value)),
                Err(error) => {
                    self.broken += 1;
                    self.problems.push(FeedProblem {
                        index: Some(index),
                        field: String::new(),
                        what: format!("line {} is no JSON ({error})", index + 1),
                        hint: "correct the line, or take it out".to_owned(),
                        keeps_out: true,
                    });
                }
            }
        }
    }

    fn into_feed(self) -> Feed {
        let found = self.values.len() + self.broken;
        let mut feed =
            Feed { dialect: self.dialect, entries: Vec::new(), found, problems: self.problems, beside: self.beside };
        let mut ids: HashMap<String, usize> = HashMap::new();
        let mut first = true;
        for (index, value) in self.values {
            let Value::Object(fields) = value else {
                feed.problems.push(FeedProblem {
                    index: Some(index),
                    field: String::new(),
                    what: format!("{} is no target", kind_of(&value)),
                    hint: "give an object with id, title, seeds and schedules".to_owned(),
                    keeps_out: true,
                });
                continue;
            };
            let dialect = dialect_of(&fields, self.dialect);
            if std::mem::take(&mut first) && self.dialect != Dialect::Wrapped {
                feed.dialect = dialect;
            }
            let entry = FeedEntry { dialect, fields };
            let (meaning, problems) = entry.meaning(index);
            let keeps_out = problems.iter().any(|problem| problem.keeps_out);
            feed.problems.extend(problems);
            if keeps_out {
                continue;
            }
            if let Some(id) = meaning.id {
                match ids.get(&id) {
                    Some(earlier) => feed.problems.push(FeedProblem {
                        index: Some(index),
                        field: "id".to_owned(),
                        what: format!("entry {earlier} has the number {id} too"),
                        hint: "the later one counts; give one of them another number".to_owned(),
                        keeps_out: false,
                    }),
                    None => {
                        ids.insert(id, index);
                    }
                }
            }
            feed.entries.push((index, entry));
        }
        feed.problems.sort_by_key(|problem| problem.index.unwrap_or(usize::MAX));
        feed
    }
}

/// Gathers the elements of an array; those read before an error stay.
struct Elements<'a>(&'a mut Vec<Value>);

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of targets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            self.0.push(element);
        }
        Ok(())
    }
}

/// Gathers the targets of a wrapped feed and the fields beside them.
struct Wrapper<'a> {
    targets: &'a mut Vec<(String, Value)>,
    beside: &'a mut Map<String, Value>,
}

impl<'de> DeserializeSeed<'de> for Wrapper<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wrapper<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with targets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            if key == "targets" {
                members.next_value_seed(Members(self.targets))?;
            } else {
                self.beside.insert(key, members.next_value()?);
            }
        }
        Ok(())
    }
}

/// Gathers the members of an object; those read before an error stay.
struct Members<'a>(&'a mut Vec<(String, Value)>);

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("targets by their numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(member) = members.next_entry()? {
            self.0.push(member);
        }
        Ok(())
    }
}
