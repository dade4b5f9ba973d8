//! What filters ask of values in SQL.

use super::texts::TextQuestionReader;
use crate::captures::Media;
use crate::crawl::{SeenFacts, UrlOutcome};
use crate::inlinks::stored::{host_name, host_of};
use crate::scope::{GeoFact, rule_label};
use crate::search::{domain_of, top_level_of, without_port};
use crate::store::catalogue::lossy::lossy;
use crate::store::launches::seen_state;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error};
use std::borrow::Cow;
use std::sync::Arc;

/// Makes `re:`, `fqdn:` and the folding of text work in a connection; a
/// pattern or word is compiled once a statement.
pub(in crate::store) fn register(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("fqdn_of", 1, flags, |context| {
        Ok(host_name(host_of(text_of(context, 0)?)).as_str().to_owned())
    })?;
    conn.create_scalar_function("outcome_of", 5, flags, |context| {
        let outcome = UrlOutcome::of_seen(SeenFacts {
            state: seen_state(context.get(0)?),
            rule_index: context.get::<Option<i64>>(1)?.and_then(|index| usize::try_from(index).ok()),
            rule_name: text_of(context, 2)?,
            fetch_status: context.get(3)?,
            why: text_of(context, 4)?,
        });
        Ok(outcome.sentence)
    })?;
    conn.create_scalar_function("rule_label", 1, flags, |context| Ok(rule_label(text_of(context, 0)?).to_owned()))?;
    conn.create_scalar_function("regexp", 2, flags, |context| {
        let pattern: Arc<regex::Regex> =
            context.get_or_create_aux(0, |value| -> Result<_, Failed> { Ok(regex::Regex::new(value.as_str()?)?) })?;
        Ok(pattern.is_match(text_of(context, 1)?))
    })?;
    conn.create_scalar_function("media_name", 1, flags, |context| Ok(Media::of_number(context.get(0)?).as_str()))?;
    for (name, part) in
        [("without_port", without_port as fn(&str) -> &str), ("domain_of", domain_of), ("top_level_of", top_level_of)]
    {
        conn.create_scalar_function(name, 1, flags, move |context| Ok(part(text_of(context, 0)?).to_owned()))?;
    }
    conn.create_scalar_function("country_of", 1, flags, |context| {
        let fact: Option<String> = context.get(0)?;
        let fact = fact.and_then(|fact| serde_json::from_str::<GeoFact>(&fact).ok());
        Ok(fact.and_then(|fact| fact.country().map(str::to_owned)))
    })?;
    conn.create_scalar_function("texts_meet", -1, flags, |context| {
        let question: Arc<TextQuestionReader> =
            context.get_or_create_aux(0, |value| -> Result<_, Failed> { TextQuestionReader::of(value.as_str()?) })?;
        question.holds(context)
    })?;
    conn.create_scalar_function("is_among", 2, flags, |context| {
        let bits = context.get_raw(0).as_blob().map_err(|error| Error::UserFunctionError(error.into()))?;
        let number = usize::try_from(context.get::<i64>(1)?).unwrap_or(usize::MAX);
        Ok(bits.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1))
    })
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn text_of<'a>(context: &'a Context<'_>, at: usize) -> rusqlite::Result<&'a str> {
    context.get_raw(at).as_str().map_err(|error| Error::UserFunctionError(error.into()))
}

/// A text that is no more than shown, whatever its bytes are.
pub(super) fn shown_text_of<'a>(context: &'a Context<'_>, at: usize) -> rusqlite::Result<Cow<'a, str>> {
    let bytes = context.get_raw(at).as_bytes().map_err(|error| Error::UserFunctionError(error.into()))?;
    Ok(lossy(bytes))
}

/// A URL without its percent-encoding; none where it has none, or where it
/// hides other bytes than text.
pub(in crate::store) fn decoded(url: &str) -> Option<Cow<'_, str>> {
    memchr::memchr(b'%', url.as_bytes())?;
    percent_encoding::percent_decode_str(url).decode_utf8().ok()
}
