//! Text to tree: the terms of a filter line or search.

use super::{
    Cursor, DOTTED, FieldTerm, FieldTest, MAX_BOOST, MAX_DISTANCE, NEAR_WITHIN, Parsed, Query, SCHEMES, Sign,
    TEXT_FIELDS, Terms, TextTest, parse,
};
use crate::query::QueryError;
use crate::query::limits::{Excess, check_pattern, check_text, check_value, is_letter};
use crate::text::is_unspaced;

/// Reads a filter line or a search; an empty one has no condition.
///
/// # Errors
/// Says the column, what was expected there and how it is written.
pub fn parse_fields(line: &str) -> Parsed<Query<FieldTerm>> {
    parse::<FilterTerms>(line)
}

/// The terms of a filter line.
struct FilterTerms;

impl Terms for FilterTerms {
    type Term = FieldTerm;
    const A_TERM: &'static str = "a word, a field such as host:a.pt, NOT or a bracket";
    const INSTEAD_OF_MANY: &'static str = "use fewer, or a pattern such as re:(a|b)";
    const HAS_NAMED_GROUPS: bool = false;

    fn token(rest: &str) -> &str {
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn literal(word: &str) -> String {
        format!("\"{word}\"")
    }

    fn negates(rest: &str) -> bool {
        rest.chars().next().is_some_and(|next| !next.is_whitespace() && next != ')')
    }

    fn term(cursor: &mut Cursor<'_>) -> Parsed<FieldTerm> {
        if near_operator(cursor).is_some() {
            let expected = "a word or phrase on both sides of NEAR, such as porto NEAR/5 \"ria formosa\" (the word \
                            itself is written \"NEAR\")";
            return Err(cursor.error(expected, Self::token(cursor.rest())));
        }
        let left = one_term(cursor)?;
        let Some((operator, within)) = near_operator(cursor) else {
            return Ok(left);
        };
        near(cursor, left, operator, within)
    }

    fn group_name(rest: &str) -> usize {
        let name = rest.split_once(":(").map_or("", |(name, _)| name);
        if is_text_field(&name.to_ascii_lowercase()) { name.len() + 1 } else { 0 }
    }

    fn name_group(name: &str, _: usize, group: &mut Query<FieldTerm>) -> Parsed<()> {
        let mut of_other = None;
        let name = name.trim_end_matches(':').to_ascii_lowercase();
        group.for_each_term_mut(&mut |term| {
            if let Some(field) = &term.field {
                of_other.get_or_insert((term.column, field.name.clone()));
                return;
            }
            term.field = Some(FieldTest {
                name: name.clone(),
                sign: Sign::Has,
                value: term.text.clone(),
                value_column: term.column,
            });
            term.text = format!("{name}:{}", term.text);
        });
        match of_other {
            Some((column, found)) => {
                let expected = format!("words and phrases in the brackets behind {name}:, which are looked for there");
                Err(QueryError { column, expected, found: format!("“{found}:”") })
            }
            None => Ok(()),
        }
    }

    fn behind_group(cursor: &mut Cursor<'_>, group: &mut Query<FieldTerm>) -> Parsed<()> {
        if let Some(boost) = cursor.rest().strip_prefix('^') {
            let number = boost_of(Self::token(boost));
            let boost = number.ok_or_else(|| cursor.error(BOOST, Self::token(cursor.rest())))?;
            cursor.advance(Self::token(cursor.rest()).len());
            group.for_each_term_mut(&mut |term| term.boost = (term.boost * boost).min(MAX_BOOST));
        }
        Ok(())
    }
}

const BOOST: &str = "a number from 0 to 1000 behind ^, such as casa^2";
const A_DISTANCE: &str = "a number from 0 to 100";

/// Whether a word is NEAR, with or without a number.
pub(crate) fn is_near(word: &str) -> bool {
    word.strip_prefix("NEAR").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// NEAR or NEAR/n ahead: its token, and the number if it is one.
fn near_operator<'a>(cursor: &Cursor<'a>) -> Option<(&'a str, Option<u32>)> {
    let token = FilterTerms::token(cursor.rest());
    match token.strip_prefix("NEAR")? {
        "" => Some((token, Some(NEAR_WITHIN))),
        rest => rest.strip_prefix('/').map(|number| (token, distance(number))),
    }
}

fn distance(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number <= MAX_DISTANCE)
}

/// Reads NEAR and what follows it.
fn near(cursor: &mut Cursor<'_>, left: FieldTerm, operator: &str, within: Option<u32>) -> Parsed<FieldTerm> {
    let Some(within) = within else {
        return Err(cursor.error(&format!("{A_DISTANCE} behind NEAR/, such as NEAR/5"), operator));
    };
    let is_text_field = |term: &FieldTerm| match &term.field {
        Some(field) => field.sign == Sign::Has && is_text_field(&field.name),
        None => true,
    };
    if !is_text_field(&left) || !may_be_near(&left) {
        let expected = "a word or phrase before NEAR, of any field with text, such as title:porto NEAR/5 ria";
        return Err(cursor.error(expected, operator));
    }
    cursor.advance(operator.len());
    cursor.skip_blanks();
    let start = cursor.position();
    let expected = "a word or phrase behind NEAR, such as porto NEAR/5 \"ria formosa\"";
    let ahead = FilterTerms::token(cursor.rest());
    let is_operator = matches!(ahead, "AND" | "OR" | "NOT") || near_operator(cursor).is_some();
    if is_operator || matches!(cursor.peek(), None | Some('(' | ')')) {
        return Err(cursor.error(expected, ahead));
    }
    let right = one_term(cursor)?;
    if right.field.is_some() || !may_be_near(&right) {
        cursor.rewind(start);
        return Err(cursor.error(expected, FilterTerms::token(cursor.rest())));
    }
    if let Some((operator, _)) = near_operator(cursor) {
        let expected = "AND before another NEAR: a NEAR b AND b NEAR c";
        return Err(cursor.error(expected, operator));
    }
    let text = format!("{} {operator} {}", left.text, right.text);
    let test = TextTest::Near { left: Box::new(left.test), right: Box::new(right.test), within };
    Ok(FieldTerm { text, is_quoted: left.is_quoted || right.is_quoted, test, ..left })
}

/// Whether something can be near to it.
fn may_be_near(term: &FieldTerm) -> bool {
    term.boost == 1.0 && !matches!(term.test, TextTest::Any | TextTest::Url(_) | TextTest::Near { .. })
}

/// A term as it is written in the line.
struct Written {
    /// Without quotes.
    text: String,
    /// Bytes of the text before the first quotation mark.
    bare: Option<usize>,
    /// Bytes of the text before the last closing quotation mark, and the
    /// column behind that.
    closed: (usize, usize),
    /// The number of parts in quotes.
    quotes: usize,
}

fn one_term(cursor: &mut Cursor<'_>) -> Parsed<FieldTerm> {
    let column = cursor.column();
    let start = cursor.position();
    let written = written(cursor)?;
    let behind = cursor.position();
    let field = field_of(&written.text, written.bare.unwrap_or(written.text.len()), column);
    let value_at = field.as_ref().map_or(0, |field| written.text.len() - field.value.len());
    let is_text = field.as_ref().is_none_or(|field| is_text_field(&field.name));
    let mut term = FieldTerm {
        column,
        text: String::new(),
        is_quoted: written.bare.is_some(),
        field,
        test: TextTest::Any,
        boost: 1.0,
    };
    let mut text = written.text.as_str();
    let value;
    if written.quotes == 1 && written.bare == Some(value_at) {
        // `"…"~2^3`
        let (end, column) = written.closed;
        let behind = if is_text { &text[end..] } else { "" };
        let (slop, boost) =
            behind_quotes(behind)
                .map_err(|expected| QueryError { column, expected, found: format!("“{behind}”") })?;
        if let (None, None) = (slop, boost) {
            value = &text[value_at..];
        } else {
            value = &text[value_at..end];
            text = &text[..end];
        }
        term.boost = boost.unwrap_or(1.0);
        term.test = TextTest::Phrase { text: value.to_owned(), slop: slop.unwrap_or(0) };
    } else if written.bare.is_some() {
        value = &text[value_at..];
        term.test = TextTest::Phrase { text: value.to_owned(), slop: 0 };
    } else {
        // Errors show the place of the value.
        cursor.rewind(start + value_at);
        let mut bare = &text[value_at..];
        if is_text && let Some((before, boost)) = boosted(bare) {
            term.boost = boost_of(boost).ok_or_else(|| {
                cursor.error(&format!("{BOOST}; the text itself is written in quotes, \"{bare}\""), bare)
            })?;
            bare = before;
        }
        text = &text[..value_at + bare.len()];
        term.test = match &term.field {
            Some(field) if field.sign != Sign::Has => TextTest::Word(bare.to_owned()),
            _ if bare == "*" => TextTest::Any,
            Some(field) if field.name == "host" && bare.contains(['*', '?']) => {
                enough_letters(bare).map_err(|expected| cursor.error(&expected, bare))?;
                TextTest::Pattern(bare.to_owned())
            }
            Some(_) if !is_text => TextTest::Word(bare.to_owned()),
            _ => form_of(bare).map_err(|expected| cursor.error(&expected, bare))?,
        };
        value = bare;
        term.is_quoted = matches!(term.test, TextTest::Phrase { .. });
        cursor.rewind(behind);
    }
    let within = match &term.test {
        TextTest::Pattern(pattern) => check_pattern(pattern),
        _ if is_text && term.field.as_ref().is_none_or(|field| field.sign == Sign::Has) => check_text(value),
        _ => check_value(value),
    };
    if let Err(Excess { expected, found }) = within {
        let column = term.field.as_ref().map_or(column, |field| field.value_column);
        return Err(QueryError { column, expected, found });
    }
    if let Some(field) = &mut term.field {
        field.value = value.to_owned();
    }
    term.text = text.to_owned();
    cursor.skip_blanks();
    Ok(term)
}

/// Takes a term up to its end.
fn written(cursor: &mut Cursor<'_>) -> Parsed<Written> {
    let mut written = Written { text: String::new(), bare: None, closed: (0, 0), quotes: 0 };
    let mut open_brackets = 0_usize;
    while let Some(c) = cursor.peek() {
        match c {
            '"' => {
                written.bare.get_or_insert(written.text.len());
                quoted(cursor, &mut written.text)?;
                written.closed = (written.text.len(), cursor.column());
                written.quotes += 1;
                continue;
            }
            c if c.is_whitespace() => break,
            '(' => open_brackets += 1,
            ')' if open_brackets > 0 => open_brackets -= 1,
            ')' if cursor.is_in_group() || is_last(cursor) && !written.text.starts_with("re:") => break,
            _ => {}
        }
        cursor.take(c);
        written.text.push(c);
    }
    if written.bare.is_none() && written.text.is_empty() {
        return Err(cursor.error(FilterTerms::A_TERM, ""));
    }
    Ok(written)
}

/// Whether the bracket ahead ends its word.
fn is_last(cursor: &Cursor<'_>) -> bool {
    cursor.rest().trim_start_matches(')').chars().next().is_none_or(char::is_whitespace)
}

/// Takes what is in quotes.
fn quoted(cursor: &mut Cursor<'_>, text: &mut String) -> Parsed<()> {
    let opened = cursor.column();
    cursor.take('"');
    loop {
        match cursor.peek() {
            None => {
                let expected = format!(
                    "a closing quotation mark to the one of column {opened} (a quotation mark inside is written twice)"
                );
                return Err(cursor.error(&expected, ""));
            }
            Some('"') => {
                cursor.take('"');
                // Written twice, it is one quotation mark.
                if !cursor.take('"') {
                    return Ok(());
                }
                text.push('"');
            }
            Some(c) => {
                cursor.take(c);
                text.push(c);
            }
        }
    }
}

/// The field at the beginning of a word, of which the first `bare` bytes were
/// not in quotes.
fn field_of(text: &str, bare: usize, column: usize) -> Option<FieldTest> {
    let end = text.get(..bare)?.find([':', '=', '<', '>'])?;
    let (name, rest) = text.split_at(end);
    let is_scheme = SCHEMES.iter().any(|scheme| name.eq_ignore_ascii_case(scheme)) && rest.starts_with(':');
    if !may_be_field(name) || is_scheme || rest.starts_with("://") {
        return None;
    }
    let sign_ahead = |rest: &str| Sign::ALL.into_iter().find(|sign| rest.starts_with(sign.as_str()));
    let mut sign = sign_ahead(rest)?;
    let mut signs = sign.as_str().len();
    // `size:<1m` is `size<1m`.
    if sign == Sign::Has
        && let Some(inner) = rest.get(signs..).and_then(sign_ahead).filter(|inner| inner.is_ordering())
    {
        let value = rest.get(signs + inner.as_str().len()..).unwrap_or_default();
        let is_bare = bare >= text.len() - value.len();
        if is_bare && value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) {
            sign = inner;
            signs += inner.as_str().len();
        }
    }
    Some(FieldTest {
        name: name.to_ascii_lowercase(),
        sign,
        value: rest.get(signs..)?.to_owned(),
        value_column: column + name.chars().count() + signs,
    })
}

/// Whether a person can have meant a field. A part of a URL, which has such
/// signs of its own, holds more than letters before the first one.
fn may_be_field(name: &str) -> bool {
    let dotted = |start: &&&str| name.get(..start.len()).is_some_and(|of| of.eq_ignore_ascii_case(start));
    let letters = DOTTED.iter().find(dotted).map_or(name, |start| &name[start.len()..]);
    !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

fn is_text_field(name: &str) -> bool {
    TEXT_FIELDS.contains(&name)
}

/// The signs right behind a closing quotation mark: `~2`, `^3` or both; neither where it goes on
/// with other text. `Err` has what was expected.
fn behind_quotes(text: &str) -> Result<(Option<u32>, Option<f32>), String> {
    let (tilde, boost) = match text.split_once('^') {
        Some((tilde, boost)) => (tilde, Some(boost)),
        None => (text, None),
    };
    let slop = match tilde.strip_prefix('~') {
        Some(number) => {
            let expected = || format!("{A_DISTANCE} behind ~, such as \"ria formosa\"~3");
            Some(distance(number).ok_or_else(expected)?)
        }
        None if tilde.is_empty() => None,
        None => return Ok((None, None)),
    };
    let boost = boost.map(|boost| boost_of(boost).ok_or_else(|| BOOST.to_owned())).transpose()?;
    Ok((slop, boost))
}

/// A bare text, and the text behind its `^`. Where a URL has that sign, it is a part of it.
fn boosted(text: &str) -> Option<(&str, &str)> {
    let (before, boost) = text.rsplit_once('^')?;
    let is_word = !before.is_empty() && !before.contains(['/', '=', '&', '%', '^']);
    (is_word && (boost_of(boost).is_some() || is_letters(before))).then_some((before, boost))
}

fn boost_of(digits: &str) -> Option<f32> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.parse::<f32>().ok().filter(|boost| is_number && (0.0..=MAX_BOOST).contains(boost))
}

/// The test of a name in a request: a word with `*`, `?` or `~` as in a search, everything else as
/// it is written.
pub fn name_test(name: &str) -> TextTest {
    match form_of(name) {
        Ok(test @ (TextTest::Pattern(_) | TextTest::Fuzzy(_))) if check_form(name).is_ok() => test,
        _ => TextTest::Phrase { text: name.to_owned(), slop: 0 },
    }
}

/// Whether a bare word has a form that it can be looked for in; `Err` has what could have been there.
pub(crate) fn check_form(word: &str) -> Result<(), Excess> {
    let excess = |expected: String| Excess { expected, found: format!("“{}”", word.escape_debug()) };
    match form_of(word).map_err(excess)? {
        TextTest::Pattern(pattern) => check_pattern(&pattern),
        _ => Ok(()),
    }
}

/// A bare text as it is meant; `Err` has what could have been there.
fn form_of(text: &str) -> Result<TextTest, String> {
    // Signs around a word are none of its form: `=__name__`.
    if let Some(exact) = text
        .strip_prefix('=')
        .filter(|rest| rest.chars().find(|c| is_letter(*c)).is_some_and(char::is_alphabetic) && !rest.contains('*'))
    {
        return Ok(TextTest::Exact(exact.to_owned()));
    }
    if let Some(fuzzy) = text.strip_prefix('~').filter(|rest| is_letters(rest)) {
        if fuzzy.chars().count() < 3 {
            return Err("at least three letters behind ~, such as ~lisboa".to_owned());
        }
        return Ok(TextTest::Fuzzy(fuzzy.to_owned()));
    }
    let other = |c: &char| !is_letter(*c) && !matches!(c, '*' | '?');
    if text.contains('*') {
        if text.starts_with('*') {
            return Err(format!(
                "letters before *: only a host may begin with it, such as host:*.pt; the end of a URL is written \
                 re:{}$, the text itself \"{text}\"",
                text.trim_start_matches('*').replace('.', "\\.")
            ));
        }
        if !text.contains(|c| other(&c)) {
            enough_letters(text)?;
            only_at_the_end(text)?;
            return Ok(TextTest::Pattern(text.to_owned()));
        }
        if text.chars().filter(other).all(|c| matches!(c, '-' | '\'' | '’' | '.' | ',' | ';' | '!' | '+' | '_' | '@'))
        {
            let parts: Vec<&str> = text.split(|c| other(&c)).filter(|part| part.contains(is_letter)).collect();
            return Err(format!(
                "* in one word of letters and digits only: write {}, and the text itself \"{text}\"",
                parts.join(" ")
            ));
        }
    } else if has_inner_question_mark(text) && !text.contains(|c| other(&c)) {
        enough_letters(text)?;
        only_at_the_end(text)?;
        return Ok(TextTest::Pattern(text.to_owned()));
    }
    let paired = with_paired_brackets(text);
    Ok(match (is_url(text), paired) {
        (true, Some(paired)) if paired == text => TextTest::Url(paired),
        // The same URL by the rules of canonical ones.
        (true, _) => TextTest::Url(text.replace('(', "%28").replace(')', "%29")),
        (false, Some(paired)) => TextTest::Word(paired),
        (false, None) => TextTest::Phrase { text: text.to_owned(), slop: 0 },
    })
}

/// A bare text that reads the same within a group, where a closing bracket that it did not open ends
/// it: each of its brackets has its other one. `None` where it begins with a closing one.
fn with_paired_brackets(text: &str) -> Option<String> {
    let (mut paired, mut open) = (String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '(' => open += 1,
            ')' if open > 0 => open -= 1,
            ')' if paired.is_empty() => return None,
            ')' => paired.push('('),
            _ => {}
        }
        paired.push(c);
    }
    paired.extend(std::iter::repeat_n(')', open));
    Some(paired)
}

/// Whether a `?` is between letters. At the end of a word it ends a question, at the beginning the
/// path of a URL.
fn has_inner_question_mark(text: &str) -> bool {
    let inner = text.trim_end_matches('?');
    !text.starts_with('?') && inner.len() == text.len() && inner.contains('?')
}

/// Words of scripts without blanks are found by each two letters, not as wholes.
fn only_at_the_end(pattern: &str) -> Result<(), String> {
    if pattern.contains(is_unspaced) && pattern.trim_end_matches('*').contains(['*', '?']) {
        let parts: Vec<&str> = pattern.split(['*', '?']).filter(|part| !part.is_empty()).collect();
        return Err(format!("* at the end only in scripts without blanks: write {}", parts.join(" NEAR/3 ")));
    }
    Ok(())
}

fn enough_letters(pattern: &str) -> Result<(), String> {
    if !pattern.contains(is_unspaced) && pattern.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return Err("at least two letters beside * and ?, such as lis*".to_owned());
    }
    Ok(())
}

fn is_letters(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_letter)
}

/// Whether a word looks like a URL that somebody pasted: it has a scheme, or
/// a host and a path, or begins with `www.`.
fn is_url(text: &str) -> bool {
    if let Some((scheme, rest)) = text.split_once("://") {
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        return is_scheme && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.is_empty();
    }
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let (host, path) = text.split_at(end);
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) => return false,
        None => host,
    };
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_top = |label: &&str| label.chars().count() > 1 && label.chars().all(|c| c.is_alphabetic() || c == '-');
    let is_www = labels.first().is_some_and(|label| label.eq_ignore_ascii_case("www"));
    let may_be_host = labels.len() > 1 && labels.iter().all(is_label) && labels.last().is_some_and(is_top);
    may_be_host && (path.starts_with('/') || is_www)
}
