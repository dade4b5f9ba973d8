//! Launch messages: one JSON object a seed, as the crawler's queue takes them.
//!
//! Policy is in the names of sheets (`ukwa-heritrix`, `sheets.xml`).

use super::dialect::MESSAGE;
use super::fields::{CrawlFrequency, Meaning, Reader, SizeCap};
use crate::campaign::SeedScope;
use serde_json::{Map, Value, json};

/// Sheets that set how often a URL may be fetched again.
const RECRAWL: [(&str, CrawlFrequency); 7] = [
    ("recrawl-1day", CrawlFrequency::Daily),
    ("recrawl-1week", CrawlFrequency::Weekly),
    ("recrawl-27days", CrawlFrequency::Monthly),
    ("recrawl-4weeks", CrawlFrequency::Monthly),
    ("recrawl-12weeks", CrawlFrequency::Quarterly),
    ("recrawl-24weeks", CrawlFrequency::SixMonthly),
    ("recrawl-365days", CrawlFrequency::Annual),
];

/// Reads the policy out of the sheets of a message.
pub(super) fn meaning(fields: &Map<String, Value>, meaning: &mut Meaning, reader: &mut Reader<'_>) {
    match fields.get("isSeed") {
        Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) | None => {
            let hint = "it asks for one URL and is no target; it is left out";
            reader.bad("isSeed", "the message names no seed", hint);
        }
        Some(_) => reader.bad("isSeed", "neither true nor false stands here", "give true for a seed"),
    }
    if fields.get("method").and_then(Value::as_str).is_some_and(|method| method != "GET") {
        reader.note("method", "only GET is fetched", "the message is read as if it said GET");
    }
    let sheets = match fields.get("sheets") {
        None | Some(Value::Null) => return,
        Some(Value::Array(sheets)) => sheets,
        Some(_) => {
            reader.bad("sheets", "this is no list of names", "give a list of texts");
            return;
        }
    };
    for (i, sheet) in sheets.iter().enumerate() {
        let field = format!("sheets[{i}]");
        let Value::String(sheet) = sheet else {
            reader.bad(field, "this is no name of a sheet", "give each sheet as a text");
            continue;
        };
        match sheet.as_str() {
            "" => {}
            "ignoreRobots" => meaning.ignore_robots = Some(true),
            "noLimit" => meaning.cap = Some(SizeCap::Deep),
            "higherLimit" => meaning.cap = Some(SizeCap::CappedLarge),
            "resourceScope" => meaning.scope = Some(SeedScope::Resource),
            "plus1Scope" => meaning.scope = Some(SeedScope::Plus1),
            "subdomainsScope" => meaning.scope = Some(SeedScope::Subdomains),
            "blockAll" => meaning.frequency = Some(CrawlFrequency::NeverCrawl),
            other => match RECRAWL.iter().find(|(name, _)| *name == other) {
                Some((_, frequency)) => meaning.frequency = Some(*frequency),
                None => reader.note(field, format!("“{other}” has no place in a campaign"), "it is kept as it is"),
            },
        }
    }
}

/// Sheets that this program gives a meaning.
fn is_ours(sheet: &str) -> bool {
    let named =
        ["ignoreRobots", "noLimit", "higherLimit", "resourceScope", "plus1Scope", "subdomainsScope", "blockAll"];
    named.contains(&sheet) || RECRAWL.iter().any(|(name, _)| *name == sheet)
}

/// The message of one seed; `as_it_was` is the message it came from, if any.
pub(super) fn write(meaning: &Meaning, seed: &str, as_it_was: Option<&Map<String, Value>>) -> Map<String, Value> {
    let mut message = match as_it_was {
        Some(message) => message.clone(),
        None => {
            // The tag that ties captures to their target, as the launcher makes it.
            let first = meaning.seeds.first().map_or(seed, String::as_str);
            let source = meaning.id.as_ref().map_or_else(|| first.to_owned(), |id| format!("tid:{id}:{first}"));
            let fresh = json!({
                "parentUrl": seed, "url": seed,
                "parentUrlMetadata": {
                    "pathFromSeed": "",
                    "heritableData": {"source": source, "heritable": ["source", "heritable"]},
                },
                "headers": {}, "hop": "", "isSeed": true, "method": "GET", "forceFetch": true,
            });
            fresh.as_object().cloned().unwrap_or_default()
        }
    };
    message.insert(MESSAGE.seeds.to_owned(), seed.into());
    let kept = message.get("sheets").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut sheets: Vec<Value> =
        kept.into_iter().filter(|sheet| !sheet.as_str().is_some_and(|name| name.is_empty() || is_ours(name))).collect();
    let mut add = |name: &str| sheets.push(name.into());
    match meaning.frequency {
        Some(CrawlFrequency::NeverCrawl) => add("blockAll"),
        Some(frequency) => {
            if let Some((name, _)) = RECRAWL.iter().rev().find(|(_, known)| *known == frequency) {
                add(name);
            }
        }
        None => {}
    }
    if meaning.ignore_robots == Some(true) {
        add("ignoreRobots");
    }
    match meaning.cap {
        Some(SizeCap::Deep) => add("noLimit"),
        Some(SizeCap::CappedLarge) => add("higherLimit"),
        Some(SizeCap::Capped) | None => {}
    }
    match meaning.scope {
        Some(SeedScope::Resource) => add("resourceScope"),
        Some(SeedScope::Plus1) => add("plus1Scope"),
        Some(SeedScope::Subdomains) => add("subdomainsScope"),
        Some(SeedScope::Root) | None => {}
    }
    message.insert("sheets".to_owned(), Value::Array(sheets));
    message
}
