//! The filter line of the captures table.
//!
//! Words are looked for in URL and title; `field:value`, `field>number`,
//! `field<number` test one column; `re:…` is a regular expression over the
//! URL; `file:` takes the number of an archive file or a part of its name;
//! `import:` those that an import brought in, `imported:` all in the files that
//! it read; `selected:no` what was scored for the campaign at hand and is out,
//! `requisite:yes` what comes along because a selected capture needs it,
//! `export:yes` both that and what is selected, `byhand:yes` what a person
//! decided against the score;
//! `host:` means a host and its subdomains, `host=` the host alone, `fqdn:`
//! the host as links count it, with or without `www` and whatever its port;
//! `key:` a page by its key or URL; `page:yes` what counts as a captured page;
//! a
//! leading `-` turns a part round; quotes keep blanks together. Only letters
//! before the sign are a field's name: `a.pt/x?id=4` is a word.

use super::marks::{decision_sql, override_sql, selected_sql};
use crate::links::original_rule::{IS_PAGE, ORIGINAL, SAYS_PAGE};
use crate::links::stored::{host_name, host_of};
use crate::scope::broken_pattern;
use crate::uri::{Fqdn, PageKey, Url};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, Error};
use std::sync::Arc;

/// A filter as a part of a WHERE clause with its values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    /// SQL without values of the user's, `1` when nothing is asked.
    pub sql: String,
    /// The values, in the order of the `?`s.
    pub values: Vec<Value>,
    /// It holds nothing but what the selection at hand would write: of what
    /// campaign these are is no matter.
    pub is_of_selection: bool,
}

/// Columns that a field name stands for.
const TEXT_FIELDS: [(&str, &str); 13] = [
    ("url", "u.url"),
    ("title", "c.title"),
    ("host", "h.name"),
    ("mime", "c.mime"),
    ("type", "c.mime"),
    ("lang", "c.language"),
    ("rule", "c.rule_name"),
    ("via", "ifnull(v.url, '')"),
    ("digest", "c.digest"),
    ("anchor", "ifnull(i.top_anchor, '')"),
    ("tag", "c.source_tag"),
    ("ip", "c.ip"),
    ("hops", "c.hops"),
];

const NUMBER_FIELDS: [(&str, &str); 9] = [
    ("status", "c.status"),
    ("size", "c.size"),
    ("depth", "length(c.hops)"),
    ("score", "s.score"),
    ("inlinks.int", "i.internal"),
    ("inlinks.ext", "i.external"),
    ("inlinks.hosts", "i.hosts"),
    ("inlinks", "(i.internal + i.external)"),
    ("versions", "(SELECT count(*) FROM capture x WHERE x.page = c.page)"),
];

/// How the fields begin that have a dot.
const INLINKS: &str = "inlinks.";

/// What comes along with the selection of the campaign at hand, found once for a
/// question: a catalogue of an earlier version has no table of it.
macro_rules! requisite_sql {
    () => {
        concat!(
            "(c.id IN (SELECT capture FROM requisite WHERE campaign = ?1) AND ifnull(",
            decision_sql!(),
            ", '') <> 'reject' AND NOT ",
            selected_sql!(),
            ")"
        )
    };
}
pub(super) use requisite_sql;

/// Fields that hold or do not, and what is asked for either.
const YES_NO_FIELDS: [(&str, &str, &str); 5] = [
    ("revisit", "c.revisit_of_ms IS NOT NULL", "c.revisit_of_ms IS NULL"),
    // What was not scored is neither.
    ("selected", selected_sql!(), concat!("(s.capture IS NOT NULL AND NOT ", selected_sql!(), ")")),
    ("byhand", override_sql!(), concat!("NOT ", override_sql!())),
    ("requisite", requisite_sql!(), concat!("NOT ", requisite_sql!())),
    (
        "export",
        concat!("(", selected_sql!(), " OR ", requisite_sql!(), ")"),
        concat!("NOT (", selected_sql!(), " OR ", requisite_sql!(), ")"),
    ),
];

/// Makes `re:` and `fqdn:` work in a connection, with a pattern compiled once a statement.
pub(super) fn register(conn: &Connection) -> rusqlite::Result<()> {
    conn.create_scalar_function(
        "fqdn_of",
        1,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |context| {
            let key = context.get_raw(0).as_str().map_err(|error| Error::UserFunctionError(error.into()))?;
            Ok(host_name(host_of(key)).as_str().to_owned())
        },
    )?;
    conn.create_scalar_function(
        "regexp",
        2,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |context| {
            let pattern: Arc<regex::Regex> =
                context.get_or_create_aux(0, |value| -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
                    Ok(regex::Regex::new(value.as_str()?)?)
                })?;
            let text = context.get_raw(1).as_str().map_err(|error| Error::UserFunctionError(error.into()))?;
            Ok(pattern.is_match(text))
        },
    )
}

impl Filter {
    /// Reads a filter line; `Err` says in words what was not understood.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let mut filter = Self::default();
        let mut parts = Vec::new();
        for word in words(line)? {
            let (word, turned) = match word.strip_prefix('-') {
                Some(rest) if !rest.is_empty() => (rest.to_owned(), true),
                _ => (word, false),
            };
            let sql = filter.part(&word)?;
            if let Some((name, value)) = word.split_once([':', '=']) {
                let is_of = ["requisite", "export"].iter().any(|field| name.eq_ignore_ascii_case(field));
                filter.is_of_selection |= is_of && value == if turned { "no" } else { "yes" };
            }
            parts.push(if turned { format!("NOT ({sql})") } else { sql });
        }
        filter.sql = if parts.is_empty() { "1".to_owned() } else { parts.join(" AND ") };
        Ok(filter)
    }

    fn part(&mut self, word: &str) -> Result<String, String> {
        if let Some(pattern) = word.strip_prefix("re:") {
            regex::Regex::new(pattern).map_err(|error| broken_pattern(pattern, &error))?;
            self.values.push(Value::Text(pattern.to_owned()));
            return Ok("regexp(?, u.url)".to_owned());
        }
        let field_end = word.find([':', '>', '<', '=']).filter(|end| may_be_field(&word[..*end]));
        let Some(end) = field_end else { return Ok(self.anywhere(word)) };
        let name = word[..end].to_ascii_lowercase();
        let (operator, value) = match &word[end..] {
            rest if rest.starts_with(">=") || rest.starts_with("<=") => rest.split_at(2),
            rest => rest.split_at(1),
        };
        if let Some((_, column)) = NUMBER_FIELDS.iter().find(|(field, _)| *field == name) {
            return self.number(&name, column, operator, value);
        }
        if let Some((_, column)) = TEXT_FIELDS.iter().find(|(field, _)| *field == name) {
            if name == "host" && operator == "=" {
                self.values.push(Value::Text(value.to_lowercase()));
                return Ok("h.name = ?".to_owned());
            }
            if name == "host" {
                // A host stands for its subdomains too, at a label boundary.
                self.values.push(Value::Text(value.to_lowercase()));
                self.values.push(Value::Text(format!("%.{}", escape_like(&value.to_lowercase()))));
                return Ok("(h.name = ? OR h.name LIKE ? ESCAPE '\\')".to_owned());
            }
            self.values.push(Value::Text(contains(value)));
            return Ok(format!("{column} LIKE ? ESCAPE '\\'"));
        }
        let yes_or_no = |yes: &str, no: &str| match value {
            "yes" => Ok(yes.to_owned()),
            "no" => Ok(no.to_owned()),
            _ => Err(format!("“{value}” is neither yes nor no; write {name}:yes or {name}:no")),
        };
        if let Some((_, yes, no)) = YES_NO_FIELDS.iter().find(|(field, ..)| *field == name) {
            return yes_or_no(yes, no);
        }
        match name.as_str() {
            "page" => {
                let is_page = format!(
                    "({SAYS_PAGE} AND EXISTS
                        (SELECT 1 FROM capture p WHERE p.id = ifnull({ORIGINAL}, c.id) AND {IS_PAGE}))"
                );
                yes_or_no(&is_page, &format!("NOT {is_page}"))
            }
            "fqdn" => Ok(self.fqdn(value)),
            "key" => {
                let key = PageKey::of_text(value).map_or_else(|| value.to_owned(), |key| key.as_str().to_owned());
                // A key as it stands need not be the one of the URL that it looks like.
                self.values.extend([value.to_owned(), key].map(Value::Text));
                Ok("c.page IN (SELECT id FROM page WHERE key IN (?, ?))".to_owned())
            }
            "date" => self.date(value),
            "mark" => {
                self.values.push(Value::Text(value.to_lowercase()));
                Ok(format!("ifnull({}, 'none') = ?", super::capture_table::LAST_MARK))
            }
            "import" => match value.parse::<i64>() {
                Ok(launch) => {
                    self.values.push(Value::Integer(launch));
                    Ok("c.launch = ?".to_owned())
                }
                Err(_) => Err(format!("“{value}” is no number of an import; the page Files lists them")),
            },
            "imported" => match value.parse::<i64>() {
                Ok(launch) => {
                    self.values.push(Value::Integer(launch));
                    self.values.push(Value::Integer(launch));
                    // A file may have grown since and been read again.
                    self.values.push(Value::Integer(launch));
                    Ok("c.launch <= ? AND c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                        (SELECT i.file FROM import_file i
                         WHERE i.launch = ? AND i.outcome IN ('read', 'cut') AND i.file IS NOT NULL
                         UNION SELECT m.id FROM import_file i JOIN warc_file m ON m.package = i.file
                         WHERE i.launch = ? AND i.outcome IN ('read', 'cut')))"
                        .to_owned())
                }
                Err(_) => Err(format!("“{value}” is no number of an import; the page Files lists them")),
            },
            "file" => Ok(match value.parse::<i64>() {
                // A number that no file has is a part of a name.
                Ok(file) => {
                    let number = Value::Integer(file);
                    self.values.extend([number.clone(), Value::Text(contains(value)), number]);
                    // What was unpacked from a package stands in the package.
                    "c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                        (SELECT id FROM warc_file WHERE ? IN (id, package) UNION ALL SELECT id FROM warc_file
                         WHERE path LIKE ? ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM warc_file WHERE id = ?)))"
                        .to_owned()
                }
                Err(_) => {
                    self.values.push(Value::Text(contains(value)));
                    "c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                        (SELECT w.id FROM warc_file w JOIN warc_file p ON p.id IN (w.id, w.package)
                         WHERE p.path LIKE ? ESCAPE '\\'))"
                        .to_owned()
                }
            }),
            "campaign" => match value.parse::<i64>() {
                Ok(campaign) => {
                    self.values.push(Value::Integer(campaign));
                    Ok("c.launch IN (SELECT id FROM launch WHERE launch.campaign = ?)".to_owned())
                }
                Err(_) => Err(format!("“{value}” is no number of a campaign; the page Campaigns lists them")),
            },
            "launch" => {
                self.values.push(Value::Text(value.to_owned()));
                Ok("c.launch IN (SELECT id FROM launch WHERE launch.launch = ?)".to_owned())
            }
            // `http://…` typed as a whole is a word, not a field.
            "http" | "https" => Ok(self.anywhere(word)),
            _ => Err(format!(
                "“{name}” is no field. Fields are {}, page, fqdn, key, date, mark, file, import, imported, campaign, \
                 launch and re",
                TEXT_FIELDS
                    .iter()
                    .chain(&NUMBER_FIELDS)
                    .map(|(field, _)| *field)
                    .chain(YES_NO_FIELDS.iter().map(|(field, ..)| *field))
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        }
    }

    fn fqdn(&mut self, host: &str) -> String {
        let name = Url::parse(&format!("http://{host}/")).map_or_else(|_| Fqdn::new(host), |url| Fqdn::of(&url));
        let begin = name.reversed();
        // Keys that begin so are those of its subdomains too, and of names that go on.
        let after = format!("{begin}\u{10ffff}");
        self.values.extend([begin, after, name.as_str().to_owned()].map(Value::Text));
        "c.page IN (SELECT id FROM page WHERE key >= ? AND key < ? AND fqdn_of(key) = ?)".to_owned()
    }

    fn anywhere(&mut self, word: &str) -> String {
        self.values.push(Value::Text(contains(word)));
        self.values.push(Value::Text(contains(word)));
        "(u.url LIKE ? ESCAPE '\\' OR c.title LIKE ? ESCAPE '\\')".to_owned()
    }

    fn number(&mut self, name: &str, column: &str, operator: &str, value: &str) -> Result<String, String> {
        // `status:4xx`
        let class = value.strip_suffix("xx").and_then(|class| class.parse::<i64>().ok());
        if let Some(class) = class.filter(|class| (1..=9).contains(class)) {
            return Ok(format!("{column} BETWEEN {} AND {}", class * 100, class * 100 + 99));
        }
        let number: f64 = value
            .parse()
            .map_err(|_| format!("“{value}” is no number. Write it as {name}:200, {name}>3 or {name}<3"))?;
        self.values.push(Value::Real(number));
        let operator = if operator == ":" { "=" } else { operator };
        Ok(format!("ifnull({column}, 0) {operator} ?"))
    }

    fn date(&mut self, value: &str) -> Result<String, String> {
        let (from, to) = value.split_once("..").unwrap_or((value, value));
        let parse = |text: &str| {
            crate::uri::CaptureDate::parse(text).map_err(|error| format!("{error}; a range is date:2024-03..2024-05"))
        };
        let mut parts = Vec::new();
        if !from.is_empty() {
            self.values.push(Value::Integer(parse(from)?.millis()));
            parts.push("c.date_ms >= ?");
        }
        if !to.is_empty() {
            self.values.push(Value::Integer(end_of(to, parse(to)?).millis()));
            parts.push("c.date_ms < ?");
        }
        Ok(if parts.is_empty() { "1".to_owned() } else { format!("({})", parts.join(" AND ")) })
    }
}

/// The first instant after the period that a text names: a day for
/// `2024-03-01`, a month for `2024-03`, a year for `2024`.
fn end_of(text: &str, start: crate::uri::CaptureDate) -> crate::uri::CaptureDate {
    let span = match text.len() {
        0..=4 => jiff::Span::new().years(1),
        5..=7 => jiff::Span::new().months(1),
        8..=10 => jiff::Span::new().days(1),
        _ => jiff::Span::new().seconds(1),
    };
    let start_time = jiff::Timestamp::from_millisecond(start.millis()).unwrap_or_default();
    let zoned = start_time.to_zoned(jiff::tz::TimeZone::UTC);
    zoned.checked_add(span).map_or(start, |end| crate::uri::CaptureDate::from_millis(end.timestamp().as_millisecond()))
}

/// Whether a person can have meant a field. A part of a URL, which has such
/// signs of its own, holds more than letters before the first one.
fn may_be_field(name: &str) -> bool {
    let of_inlinks = name.get(..INLINKS.len()).filter(|start| start.eq_ignore_ascii_case(INLINKS));
    let letters = of_inlinks.map_or(name, |start| &name[start.len()..]);
    !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

fn contains(text: &str) -> String {
    format!("%{}%", escape_like(text))
}

fn escape_like(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// Splits at blanks outside quotes; quotes are dropped.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // Twice, it stands for itself.
            '"' if quoted && chars.next_if_eq(&'"').is_some() => word.push('"'),
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    if quoted {
        return Err("a quotation mark is not closed".to_owned());
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

/// A value as the line takes it back, whatever letters it has.
pub fn quoted(value: &str) -> String {
    match value.contains(|c: char| c == '"' || c.is_whitespace()) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, sql: &str) {
        assert_eq!(Filter::parse(line).unwrap().sql, sql, "{line}");
    }

    #[test]
    fn a_line_becomes_a_condition() {
        check("", "1");
        check("status:404", "ifnull(c.status, 0) = ?");
        check("status:4xx", "c.status BETWEEN 400 AND 499");
        check("inlinks.ext>3 -lang:pt", "ifnull(i.external, 0) > ? AND NOT (c.language LIKE ? ESCAPE '\\')");
        check("http://a.pt/", "(u.url LIKE ? ESCAPE '\\' OR c.title LIKE ? ESCAPE '\\')");
        check("date:2024-03..", "(c.date_ms >= ?)");
        check("host:a.pt", "(h.name = ? OR h.name LIKE ? ESCAPE '\\')");
        check("host=A.pt", "h.name = ?");
        check("key:http://www.a.pt/x/", "c.page IN (SELECT id FROM page WHERE key IN (?, ?))");
        assert_eq!(Filter::parse("key:http://www.a.pt/x/").unwrap().values[1], Value::Text("pt,a)/x".to_owned()));
        assert_eq!(Filter::parse("fqdn:WWW.é.pt").unwrap().values[2], Value::Text("xn--9ca.pt".to_owned()));
        check("campaign:2", "c.launch IN (SELECT id FROM launch WHERE launch.campaign = ?)");
        assert_eq!(words("host=\"a\"\"b.pt\" x").unwrap(), ["host=a\"b.pt", "x"]);
        assert_eq!(Filter::parse("\"uma frase\"").unwrap().values[0], Value::Text("%uma frase%".to_owned()));
        assert_eq!(Filter::parse("50%_x").unwrap().values[0], Value::Text("%50\\%\\_x%".to_owned()));
    }

    #[test]
    fn a_part_of_a_url_is_a_word_whatever_signs_it_has() {
        for line in ["rnal.vilanova.example/x?sessionid=4", "?id=4", "a.pt:8080/", "/2024:03", "=4", "inlinks.pt/?a=1"]
        {
            check(line, "(u.url LIKE ? ESCAPE '\\' OR c.title LIKE ? ESCAPE '\\')");
        }
        check("-a.pt/?id=4", "NOT ((u.url LIKE ? ESCAPE '\\' OR c.title LIKE ? ESCAPE '\\'))");
        check("Inlinks.Hosts>3", "ifnull(i.hosts, 0) > ?");
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (line, words) in [
            ("inlinks.all>3", "“inlinks.all” is no field"),
            ("colour:red", "“colour” is no field"),
            ("status:many", "no number"),
            ("re:(", "the pattern “(” is broken"),
            ("\"open", "not closed"),
            ("date:soon", "no"),
            ("campaign:town", "no number of a campaign"),
            ("selected:maybe", "neither yes nor no"),
            ("requisite:maybe", "write requisite:yes or requisite:no"),
            ("page:maybe", "write page:yes or page:no"),
        ] {
            let error = Filter::parse(line).unwrap_err();
            assert!(error.contains(words), "{line}: {error}");
        }
    }
}
