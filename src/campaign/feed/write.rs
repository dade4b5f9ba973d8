//! Writes entries in a dialect.

use super::dialect::{Dialect, Names};
use super::fields::{CrawlFrequency, Meaning, SizeCap, scope_name};
use super::{FeedEntry, message};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Writes entries as a feed. What stood beside the targets of a wrapped feed
/// is written where the dialect has a place for it.
pub fn write_feed(entries: &[FeedEntry], dialect: Dialect, beside: &Map<String, Value>) -> String {
    let objects: Vec<Value> =
        entries.iter().flat_map(|entry| entry.in_dialect(dialect)).map(|entry| Value::Object(entry.fields)).collect();
    match dialect {
        Dialect::Api | Dialect::Launcher | Dialect::WriteBack => {
            let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
            if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) }
        }
        Dialect::Lines | Dialect::Launch => objects.iter().map(|object| format!("{object}\n")).collect(),
        Dialect::Wrapped => {
            let mut taken = HashSet::new();
            let mut targets = Map::new();
            for (number, object) in objects.into_iter().enumerate() {
                let id = match object.get("id") {
                    Some(Value::Number(id)) => id.to_string(),
                    Some(Value::String(id)) => id.clone(),
                    _ => format!("without-number-{number}"),
                };
                // Two of one number would come out as one.
                let key = if taken.insert(id.clone()) { id } else { format!("{id}-{number}") };
                taken.insert(key.clone());
                targets.insert(key, object);
            }
            let mut whole = beside.clone();
            whole.insert("targets".to_owned(), Value::Object(targets));
            format!("{}\n", Value::Object(whole))
        }
    }
}

impl FeedEntry {
    /// The entry in a dialect: itself where it has that already. As launch
    /// messages it becomes one a seed.
    pub fn in_dialect(&self, dialect: Dialect) -> Vec<Self> {
        if self.dialect == dialect {
            return vec![self.clone()];
        }
        let (meaning, _) = self.meaning(0);
        if dialect == Dialect::Launch {
            let seeds = meaning.seeds.iter();
            let message = |seed: &String| Self { dialect, fields: message::write(&meaning, seed, None) };
            return seeds.map(message).collect();
        }
        let mut fields = Map::new();
        if self.dialect.names() == dialect.names() {
            fields.clone_from(&self.fields);
            self.write_dates(&mut fields, dialect);
        } else {
            write_all(&meaning, dialect, &mut fields);
            // What means nothing here, but something there, would be taken for that.
            let (known, taken) = (known_names(self.dialect), known_names(dialect));
            let is_other = |name: &str| !known.contains(&name) && !taken.contains(&name);
            for (name, value) in self.fields.iter().filter(|(name, _)| is_other(name)) {
                fields.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        vec![Self { dialect, fields }]
    }

    /// The dates of every schedule, as the dialect has them. What is no date
    /// stays.
    fn write_dates(&self, fields: &mut Map<String, Value>, dialect: Dialect) {
        let names = dialect.names();
        let Some(Value::Array(schedules)) = names.schedules.and_then(|list| fields.get_mut(list)) else {
            return;
        };
        for schedule in schedules.iter_mut().filter_map(Value::as_object_mut) {
            for name in [names.start, names.end] {
                if let Some(date) = schedule.get_mut(name)
                    && let Ok(read) = super::date::FeedDate::read(date)
                {
                    *date = dialect.date(read);
                }
            }
        }
    }

    /// Changes what the entry means, where it means something else; all the
    /// rest stays as it is. Launch messages name one seed: the first is taken.
    pub fn set_meaning(&mut self, meaning: &Meaning) {
        let (present, _) = self.meaning(0);
        if self.dialect == Dialect::Launch {
            if present != *meaning
                && let Some(seed) = meaning.seeds.first()
            {
                self.fields = message::write(meaning, seed, Some(&self.fields));
            }
            return;
        }
        let names = self.dialect.names();
        let fields = &mut self.fields;
        if present.id != meaning.id {
            fields.insert("id".to_owned(), id_value(meaning));
        }
        if present.title != meaning.title {
            fields.insert(names.title.to_owned(), text_value(meaning.title.as_deref()));
        }
        if present.seeds != meaning.seeds {
            fields.insert(names.seeds.to_owned(), meaning.seeds.clone().into());
        }
        if present.cap != meaning.cap {
            fields.insert(names.cap.to_owned(), text_value(meaning.cap.map(SizeCap::as_str)));
        }
        if present.scope != meaning.scope {
            fields.insert(names.scope.to_owned(), text_value(meaning.scope.map(scope_name)));
        }
        if present.ignore_robots != meaning.ignore_robots {
            fields.insert(names.ignore_robots.to_owned(), meaning.ignore_robots.into());
        }
        if present.watched != meaning.watched {
            fields.insert(names.watched.to_owned(), meaning.watched.into());
        }
        if present.document_url_scheme != meaning.document_url_scheme {
            fields.insert(names.document_url_scheme.to_owned(), text_value(meaning.document_url_scheme.as_deref()));
        }
        let dates = |meaning: &Meaning| (meaning.start, meaning.end, meaning.frequency);
        if dates(&present) == dates(meaning) {
            return;
        }
        let dialect = self.dialect;
        let Some(schedule) = schedule_of(&mut self.fields, names) else { return };
        if present.start != meaning.start {
            schedule.insert(names.start.to_owned(), dialect.date(meaning.start));
        }
        if present.end != meaning.end {
            schedule.insert(names.end.to_owned(), dialect.date(meaning.end));
        }
        if present.frequency != meaning.frequency {
            schedule.insert(names.frequency.to_owned(), text_value(meaning.frequency.map(CrawlFrequency::as_str)));
        }
    }

    /// A fresh entry that means this.
    pub fn of_meaning(meaning: &Meaning, dialect: Dialect) -> Self {
        let mut fields = Map::new();
        write_all(meaning, dialect, &mut fields);
        Self { dialect, fields }
    }
}

fn write_all(meaning: &Meaning, dialect: Dialect, fields: &mut Map<String, Value>) {
    let names = dialect.names();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    if meaning.id.is_some() || dialect != Dialect::WriteBack {
        put("id", id_value(meaning));
    }
    put(names.title, text_value(meaning.title.as_deref()));
    put(names.seeds, meaning.seeds.clone().into());
    put(names.cap, text_value(meaning.cap.map(SizeCap::as_str)));
    put(names.scope, text_value(meaning.scope.map(scope_name)));
    put(names.ignore_robots, meaning.ignore_robots.into());
    let dates = [
        (names.start, dialect.date(meaning.start)),
        (names.end, dialect.date(meaning.end)),
        (names.frequency, text_value(meaning.frequency.map(CrawlFrequency::as_str))),
    ];
    match names.schedules {
        Some(list) => {
            let schedule: Map<String, Value> =
                dates.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            put(list, Value::Array(vec![Value::Object(schedule)]));
        }
        None => dates.into_iter().for_each(|(name, value)| put(name, value)),
    }
    if dialect != Dialect::WriteBack || meaning.watched.is_some() {
        put(names.watched, meaning.watched.into());
    }
    if dialect != Dialect::WriteBack || meaning.document_url_scheme.is_some() {
        put(names.document_url_scheme, text_value(meaning.document_url_scheme.as_deref()));
    }
}

/// The object with dates and frequency; made where it is missing.
fn schedule_of<'a>(fields: &'a mut Map<String, Value>, names: &Names) -> Option<&'a mut Map<String, Value>> {
    let Some(list) = names.schedules else { return Some(fields) };
    let schedules = fields.entry(list).or_insert_with(|| Value::Array(Vec::new()));
    if schedules.is_null() {
        *schedules = Value::Array(Vec::new());
    }
    let schedules = schedules.as_array_mut()?;
    if schedules.is_empty() {
        schedules.push(Value::Object(Map::new()));
    }
    schedules.first_mut()?.as_object_mut()
}

/// Fields whose meaning [`write_all`] writes under other names.
fn known_names(dialect: Dialect) -> Vec<&'static str> {
    if dialect == Dialect::Launch {
        return vec!["id", "url"];
    }
    let names = dialect.names();
    let mut known = vec![
        "id",
        names.title,
        names.seeds,
        names.cap,
        names.scope,
        names.ignore_robots,
        names.watched,
        names.document_url_scheme,
    ];
    match names.schedules {
        Some(list) => known.push(list),
        None => known.extend([names.start, names.end, names.frequency]),
    }
    known
}

fn id_value(meaning: &Meaning) -> Value {
    match meaning.id.as_deref() {
        None => Value::Null,
        Some(id) => match id.parse::<i64>() {
            Ok(number) if number.to_string() == id => number.into(),
            _ => id.into(),
        },
    }
}

fn text_value(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}
