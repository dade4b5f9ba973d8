//! Names and terms of documents, one by one: a filter for many machines.

use super::answers::read_authority;
use crate::analysis::entities::{Gazetteer, NamedEntity, page_names};
use crate::analysis::terms::page_terms;
use crate::search::stem_term;
use crate::text::likeliest_language;
use anyhow::Context;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Fields that may have the text of a document, and those that name it.
const TEXTS: [&str; 3] = ["content", "main", "text"];
const IDS: [&str; 2] = ["id", "url"];
const LANGUAGES: [&str; 2] = ["content_language", "language"];
/// Terms that are written of a document.
const MOST_TERMS: usize = 50;

/// Writes names and terms of documents, an object a line; how many lines had no text.
///
/// # Errors
///
/// A file that cannot be read, a line that is no object, an output that cannot be written.
pub fn analyse_documents(
    files: &[PathBuf],
    authorities: &[PathBuf],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<u64> {
    let mut entities = Vec::new();
    for file in authorities {
        entities.extend(read_authority(file, None)?.1);
    }
    let filter = Filter { gazetteer: Gazetteer::new(&entities)?, entities };
    let mut skipped = 0;
    for file in files {
        if file == Path::new("-") {
            skipped += filter.lines(input, file, out)?;
        } else {
            let opened = File::open(file).with_context(|| file.display().to_string())?;
            skipped += filter.lines(&mut BufReader::new(opened), file, out)?;
        }
    }
    Ok(skipped)
}

struct Filter {
    gazetteer: Gazetteer,
    entities: Vec<NamedEntity>,
}

impl Filter {
    fn lines(&self, input: &mut dyn BufRead, file: &Path, out: &mut dyn Write) -> anyhow::Result<u64> {
        let mut skipped = 0;
        for (number, line) in (1_u64..).zip(input.lines()) {
            let at = || format!("{}: line {number}", file.display());
            let line = line.with_context(at)?;
            if line.trim().is_empty() {
                continue;
            }
            let document: Value = serde_json::from_str(&line).with_context(at)?;
            let field = |names: &[&str]| names.iter().find_map(|name| text_of(document.get(name)?));
            let Some(text) = field(&TEXTS) else {
                skipped += 1;
                continue;
            };
            let language = field(&LANGUAGES).unwrap_or_else(|| likeliest_language(&text).to_owned());
            serde_json::to_writer(&mut *out, &self.found(field(&IDS).as_deref(), &text, &language))?;
            out.write_all(b"\n")?;
        }
        Ok(skipped)
    }

    fn found(&self, id: Option<&str>, text: &str, language: &str) -> Value {
        let names = page_names(text, &self.gazetteer);
        let known = names.mentions.iter().map(|mention| {
            let entities = mention.entities.iter().filter_map(|number| self.entities.get(*number as usize));
            let named: Vec<Value> =
                entities.map(|entity| json!({ "name": entity.name, "kind": entity.kind, "uri": entity.uri })).collect();
            let length = mention.text.chars().count();
            json!({ "text": mention.text, "start": mention.start, "length": length, "entities": named })
        });
        let candidates = names.candidates.iter().map(|candidate| {
            let (length, is_initial) = (candidate.text.chars().count(), candidate.first_chars.is_some());
            let (text, start, kind) = (&candidate.text, candidate.start, candidate.kind);
            json!({ "text": text, "start": start, "length": length, "kind": kind, "initial": is_initial })
        });
        let mut mentions: Vec<Value> = known.chain(candidates).collect();
        mentions.sort_by_key(|mention| mention["start"].as_u64());
        let terms = page_terms(text, language, &|word| stem_term(language, word));
        let terms: Vec<Value> =
            terms.iter().take(MOST_TERMS).map(|term| json!({ "text": term.text, "count": term.count })).collect();
        json!({ "id": id, "language": language, "mentions": mentions, "terms": terms })
    }
}

/// A text, or the first of several.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(texts) => texts.first().and_then(text_of),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
