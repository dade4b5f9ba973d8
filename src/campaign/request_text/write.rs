//! Tree to text.

use super::{is_day, is_plain, needs_escape};
use crate::campaign::request::{Request, Term, TermKind};
use std::fmt::{self, Write};

pub(super) fn request(f: &mut fmt::Formatter<'_>, request: &Request) -> fmt::Result {
    match request {
        Request::And(parts) if parts.is_empty() => Ok(()),
        other => part(f, other, false),
    }
}

/// Writes a part; `inside` another group it gets brackets where it needs them.
fn part(f: &mut fmt::Formatter<'_>, request: &Request, inside: bool) -> fmt::Result {
    let (operator, name, parts) = match request {
        Request::Term(one) => return write!(f, "{one}"),
        Request::Not(inner) => {
            f.write_str("NOT ")?;
            return part(f, inner, true);
        }
        Request::And(parts) => (" AND ", "ALL", parts),
        Request::Or(parts) => (" OR ", "ANY", parts),
    };
    match parts.as_slice() {
        [] => write!(f, "{name}()"),
        [only] => {
            write!(f, "{name}(")?;
            part(f, only, false)?;
            f.write_char(')')
        }
        many => {
            if inside {
                f.write_char('(')?;
            }
            for (i, one) in many.iter().enumerate() {
                if i > 0 {
                    f.write_str(operator)?;
                }
                part(f, one, true)?;
            }
            if inside { f.write_char(')') } else { Ok(()) }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_days = self.from.is_some() || self.to.is_some();
        let (bare_keyword, bare_phrase) = match self.kind {
            TermKind::Keyword => (is_plain(&self.value), false),
            TermKind::Phrase => (false, true),
            _ => (false, false),
        };
        if !bare_keyword && !bare_phrase {
            write!(f, "{}:", self.kind.prefix())?;
        }
        let only_days = self.kind == TermKind::Period && self.value.is_empty() && has_days && self.aliases.is_empty();
        if bare_phrase {
            quoted(f, &self.value)?;
        } else if !only_days {
            name(f, &self.value)?;
        }
        for alias in &self.aliases {
            f.write_char('|')?;
            name(f, alias)?;
        }
        if has_days {
            f.write_char('[')?;
            day(f, self.from.as_deref())?;
            f.write_str("..")?;
            day(f, self.to.as_deref())?;
            f.write_char(']')?;
        }
        if let Some(uri) = &self.uri {
            f.write_char('<')?;
            escaped(f, uri, '>')?;
            f.write_char('>')?;
        }
        if self.weight != 1.0 {
            write!(f, "^{}", self.weight)?;
        }
        Ok(())
    }
}

fn name(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if is_plain(text) { f.write_str(text) } else { quoted(f, text) }
}

/// Writes a day. One that is none is shown in quotes, so that nothing hides;
/// reading it back gives the error.
fn day(f: &mut fmt::Formatter<'_>, day: Option<&str>) -> fmt::Result {
    match day {
        None => Ok(()),
        Some(day) if is_day(day) => f.write_str(day),
        Some(other) => quoted(f, other),
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    escaped(f, text, '"')?;
    f.write_char('"')
}

fn escaped(f: &mut fmt::Formatter<'_>, text: &str, end: char) -> fmt::Result {
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\\' => f.write_str("\\\\")?,
            _ if c == end => write!(f, "\\{c}")?,
            _ if needs_escape(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            _ => f.write_char(c)?,
        }
    }
    Ok(())
}
