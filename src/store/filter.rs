//! Filter lines of tables: their fields, and what they mean in the catalogue.
//!
//! How a line is read (words, quotes, AND, OR, NOT, brackets) stands with
//! [`parse_fields`]; [`filter_fields`] lists the fields. A line finds the same
//! captures as a filter and as a search: this is the one place that answers it.
//! Plain words are looked for in texts where captures have an index of them,
//! else in URL and title. Words and texts of pages fold case and
//! diacritics as the request of a campaign does; `host:` means a host and its
//! subdomains, and `=` in the place of `:` the whole value: `host=` that host
//! alone.

mod among;
mod capture_fields;
mod columns;
mod findings;
mod functions;
mod help;
mod hosts;
mod letters;
mod of_campaign;
mod texts;
mod values;

pub(super) use functions::{decoded, register};
pub use help::query_help;
pub use of_campaign::named_campaigns;

use super::rows::{CampaignId, ReviewMark};
use crate::analysis::Judgement;
use crate::query::{
    FieldTerm, FieldTest, Query, Sign, TextTest, date_examples, number_range, parse_fields, unknown_field,
};
use crate::scope::broken_pattern;
use crate::search::{CaptureFacts, CaptureLetters, LettersOf};
use crate::store::captures::originals::{IS_PAGE, MAY_BE_PAGE, ORIGINAL};
use crate::store::catalogue::sql::mark_name;
use crate::store::launches::hop_paths::hop_count_sql;
use crate::store::review::judgements::judged_sql;
use crate::uri::{CaptureDate, Fqdn, PageKey, Url};
use among::{CaptureSets, FEW, IS_AMONG, bits, membership};
use capture_fields::CAPTURE_FIELDS;
use fixedbitset::FixedBitSet;
use hosts::HostTest;
use letters::KnownLetters;
use of_campaign::OF_NO_CAMPAIGN;
use rusqlite::types::Value;
use std::sync::Arc;
use texts::TextColumn;
use values::{contains, escape_like, has_value, is_above, yes_or_no};

/// A filter as a part of a WHERE clause with its values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    /// SQL without values of the user's, `1` when nothing is asked.
    pub sql: String,
    /// The values, in the order of the `?`s.
    pub values: Vec<Value>,
    /// Captures that it holds at most, where the index of texts says so.
    pub among: Option<FixedBitSet>,
    /// It holds nothing but what the selection at hand would write: of what
    /// campaign these are is no matter.
    pub is_of_selection: bool,
}

/// A field that a filter line may ask for.
#[derive(Debug)]
pub struct FilterField {
    /// Its name, without the sign behind it.
    pub name: &'static str,
    /// What it tests.
    pub about: &'static str,
    /// How it may be written.
    pub example: &'static str,
    kind: Kind,
}

impl FilterField {
    /// Whether the index of texts answers it, so that there has to be one.
    pub fn needs_index(&self) -> bool {
        matches!(self.kind, Kind::Indexed | Kind::IndexedDate)
    }

    fn not_ordered(&self, test: &FieldTest) -> String {
        format!("{} is not compared with {}; write {}", self.name, test.sign.as_str(), self.example)
    }
}

/// Every field of the filter of captures, in the order of a help page.
pub fn filter_fields() -> &'static [FilterField] {
    CAPTURES.fields
}

/// What may be asked of the rows of a table.
#[derive(Debug)]
pub(super) struct FilterTable {
    fields: &'static [FilterField],
    /// The texts that a word without a field is looked for in.
    anywhere: &'static [TextColumn],
}

/// Answers what the catalogue alone cannot: words of texts, by their index, and columns of all captures.
pub trait FullText: Send + Sync {
    /// Numbers of the captures that meet a term: words, of any text or those of `text:`, `main:`,
    /// `rest:` and `anchors:`, captures whose text is `like:` or
    /// nearly the same as (`similar:`) that of another, what a search found
    /// (`found:`) and what meets a request (`request:`).
    ///
    /// What it asks of a campaign is asked of this one.
    ///
    /// # Errors
    /// Why there is no answer, and what to do.
    fn captures(&self, term: &FieldTerm, campaign: Option<CampaignId>) -> Result<FixedBitSet, String>;

    /// Whether there is an index, so that words without a field are looked for in texts.
    ///
    /// # Errors
    /// An index that cannot be read, and what to do.
    fn has_index(&self) -> Result<bool, String>;

    /// The columns of all captures, which may be loaded for it.
    ///
    /// # Errors
    /// Why there is no answer.
    fn facts(&self) -> Result<Arc<CaptureFacts>, String>;

    /// The same, if they are in memory as they are now.
    fn facts_in_memory(&self) -> Option<Arc<CaptureFacts>>;

    /// The letters of titles or URLs of all captures, which are loaded for it; none where they take too much memory.
    ///
    /// # Errors
    /// Why there is no answer.
    fn letters(&self, of: LettersOf) -> Result<Option<Arc<CaptureLetters>>, String>;
}

/// The captures table.
pub(super) static CAPTURES: FilterTable =
    FilterTable { fields: CAPTURE_FIELDS, anywhere: &[TextColumn::Url("u.url"), TextColumn::Text("c.title")] };

/// URLs that launches have seen: `s`, with its URL `u`, host `h` and via `v`.
pub(super) static SEEN: FilterTable = FilterTable {
    fields: SEEN_FIELDS,
    anywhere: &[
        TextColumn::Url("u.url"),
        TextColumn::Text("s.rule_name"),
        TextColumn::Text("rule_label(s.rule_name)"),
        TextColumn::Text("s.why"),
    ],
};

/// Pages cited but never captured: `t`, with its URL `u` and host `h`.
pub(super) static PROSPECTS: FilterTable =
    FilterTable { fields: PROSPECT_FIELDS, anywhere: &[TextColumn::Url("u.url"), TextColumn::Text("t.anchor")] };

/// How a field is tested.
#[derive(Debug)]
enum Kind {
    /// A text of a page in this column: case and diacritics fold.
    Text(&'static str),
    /// A URL in this column: as a text, percent-encoding resolved too.
    Url(&'static str),
    /// A value that the program or a server wrote, in this column; only the
    /// case of ASCII letters folds.
    Value(&'static str),
    /// A number in this column.
    Number(&'static str),
    /// What holds and what does not hold.
    YesNo(&'static str, &'static str),
    /// A number that the catalogue gave, with the condition on it; the second
    /// is what has such numbers, the third the page that lists them.
    Id(&'static str, &'static str, &'static str),
    Host,
    Fqdn,
    Key,
    Page,
    /// A time in milliseconds in this column.
    Date(&'static str),
    Mark,
    File,
    Launch,
    /// Captures of a collection, by its name.
    Collection {
        /// Those that a person took out of it.
        is_out: bool,
    },
    /// Captures of a selection of the campaign at hand that was saved under a name.
    Saved,
    Pattern,
    /// Pages with a link to a URL.
    Linked,
    /// Pages that differ between two launches.
    Since,
    /// Judged so as a result of a search, whose query is the value.
    Judged(Judgement),
    /// What a check found.
    Check,
    /// The worst finding.
    Finding,
    /// What a check found on addresses of one form.
    Cause,
    /// Pages that lack a resource.
    Breaks,
    /// What the index of texts answers.
    Indexed,
    /// The same of a date.
    IndexedDate,
}

const fn field(name: &'static str, about: &'static str, example: &'static str, kind: Kind) -> FilterField {
    FilterField { name, about, example, kind }
}

/// A field that holds or does not: name, what it means, and the conditions for yes and no.
macro_rules! yes_no {
    ($name:literal, $about:literal, $yes:expr, $no:expr) => {
        field($name, concat!($about, ": yes or no"), concat!($name, ":yes"), Kind::YesNo($yes, $no))
    };
}
use yes_no;

const SEEN_FIELDS: &[FilterField] = &[
    field("url", "Text in the URL", "url:/news/", Kind::Url("u.url")),
    field("host", "A host and its subdomains; host= is that host alone", "host:gov.pt", Kind::Host),
    field("rule", "Name of the rule that decided", "rule:TooManyHops", Kind::Value("s.rule_name")),
    field("why", "Text in the reason of a failure", "why:refused", Kind::Text("s.why")),
    field("via", "Text in the URL of the page that led to it", "via:/links.html", Kind::Url("ifnull(v.url, '')")),
    field("anchor", "Text of the link", "anchor:next", Kind::Text("s.anchor")),
    field(
        "tag",
        "Text in the tag of its seed, or of the source that named it",
        "tag=source:news",
        Kind::Text("s.source_tag"),
    ),
    field("hops", "Part of the path from the seed", "hops:LL", Kind::Value("s.hops")),
    field("depth", "Hops from the seed", "depth<=2", Kind::Number(hop_count_sql!("s.hops"))),
    yes_no!("embedded", "Part of a page, such as an image", "(s.hops LIKE '%E')", "(s.hops NOT LIKE '%E')"),
    field("cited", "Hosts that link to its page, if never captured", "cited>=3", Kind::Number(CITED)),
    field("date", "When it was seen: a year, month, day or range", "date>=2019-05", Kind::Date("s.date_ms")),
];

const PROSPECT_FIELDS: &[FilterField] = &[
    field("url", "Text in the URL", "url:/news/", Kind::Url("u.url")),
    field("host", "A host and its subdomains; host= is that host alone", "host:gov.pt", Kind::Host),
    field("anchor", "Text in its most common anchor", "anchor:report", Kind::Text("t.anchor")),
    field("hosts", "Hosts that link to it", "hosts>=2", Kind::Number("t.hosts")),
    field("links", "Links to it", "links>3", Kind::Number("(t.internal + t.external)")),
];

const CITED: &str = "ifnull((SELECT t.hosts FROM prospect t WHERE t.page = u.page), 0)";

impl Filter {
    /// Reads a filter line; `Err` says which column was not understood, and why.
    pub(super) fn parse(table: &'static FilterTable, line: &str, context: FilterContext<'_>) -> Result<Self, String> {
        Self::of(table, &parse_fields(line).map_err(|error| error.to_string())?, context)
    }

    /// What a query of fields means; `Err` as for a line.
    pub(super) fn of(
        table: &'static FilterTable,
        query: &Query<FieldTerm>,
        context: FilterContext<'_>,
    ) -> Result<Self, String> {
        let is_of_selection = is_of_selection(query, true);
        let mut has_plain_terms = false;
        query.for_each_term(&mut |term| has_plain_terms |= term.field.is_none());
        let has_index = match context.full_text {
            Some(full_text) if has_plain_terms => full_text.has_index()?,
            _ => false,
        };
        let facts = context.full_text.and_then(FullText::facts_in_memory);
        let (values, letters) = (Vec::new(), KnownLetters::default());
        let mut writer = FilterWriter { table, context, has_index, facts, letters, values, among: None };
        writer.load_letters(query)?;
        let sql = writer.whole(query)?;
        Ok(Self { sql, values: writer.values, among: writer.among, is_of_selection })
    }
}

/// What answers a filter besides the catalogue.
#[derive(Clone, Copy, Default)]
pub(super) struct FilterContext<'a> {
    /// The index of texts, where there is one.
    pub full_text: Option<&'a dyn FullText>,
    /// The campaign whose scores and selections are meant.
    pub campaign: Option<CampaignId>,
    /// Finds captures that no column has.
    pub sets: Option<&'a dyn CaptureSets>,
}

/// A filter in the making.
struct FilterWriter<'a> {
    table: &'static FilterTable,
    context: FilterContext<'a>,
    values: Vec<Value>,
    /// Words without a field are looked for in texts.
    has_index: bool,
    /// Columns of captures, where these are in memory.
    facts: Option<Arc<CaptureFacts>>,
    /// Letters of titles and URLs, where the query looks for some and these are in memory.
    letters: KnownLetters,
    /// What sets answered of parts that have to hold together.
    among: Option<FixedBitSet>,
}

impl FilterWriter<'_> {
    fn query(&mut self, query: &Query<FieldTerm>) -> Result<String, String> {
        let (parts, group, joint): (_, fn(_) -> _, _) = match query {
            Query::And(parts) if parts.is_empty() => return Ok("1".to_owned()),
            query if self.is_of_sets(query) => {
                let found = self.set(query)?;
                self.values.push(bits(&found));
                return Ok(IS_AMONG.to_owned());
            }
            query if self.is_of_texts(query) => return Ok(self.texts(query)),
            Query::And(parts) => (parts, Query::And, " AND "),
            Query::Or(parts) => (parts, Query::Or, " OR "),
            // What is unknown does not hold.
            Query::Not(part) => return Ok(format!("(({}) IS NOT TRUE)", self.query(part)?)),
            Query::Term(term) => return self.term(term),
        };
        Ok(format!("({})", self.parts(parts, group)?.join(joint)))
    }

    /// The parts of a group; those that sets answer are one of them, the first, and those of texts of rows the last.
    fn parts(
        &mut self,
        parts: &[Query<FieldTerm>],
        group: fn(Vec<Query<FieldTerm>>) -> Query<FieldTerm>,
    ) -> Result<Vec<String>, String> {
        let (of_sets, others): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|part| self.is_of_sets(part));
        let (texts, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|part| self.is_of_texts(part));
        let together = |parts: Vec<_>| (!parts.is_empty()).then(|| group(parts));
        let written = together(of_sets).into_iter().chain(others).chain(together(texts));
        written.map(|part| self.query(&part)).collect()
    }

    fn term(&mut self, term: &FieldTerm) -> Result<String, String> {
        let Some(test) = &term.field else { return Ok(self.texts(&Query::Term(term.clone()))) };
        let at = |column: usize, why: String| format!("column {column}: {why}");
        let Some(field) = self.field(test) else { return Err(at(term.column, self.unknown(test))) };
        if !matches!(field.kind, Kind::Number(_) | Kind::Date(_)) && test.sign.is_ordering() {
            return Err(at(term.column, field.not_ordered(test)));
        }
        self.test(field, test, term).map_err(|why| at(test.value_column, why))
    }

    fn field(&self, test: &FieldTest) -> Option<&'static FilterField> {
        self.table.fields.iter().find(|field| field.name == test.name)
    }

    fn unknown(&self, test: &FieldTest) -> String {
        unknown_field(&test.name, self.table.fields.iter().map(|field| field.name))
    }

    fn test(&mut self, field: &FilterField, test: &FieldTest, term: &FieldTerm) -> Result<String, String> {
        let value = test.value.as_str();
        if value.is_empty() && test.sign != Sign::Is {
            return Err(format!("a value is missing, such as {}", field.example));
        }
        if term.test == TextTest::Any
            && let Some(sql) = has_value(&field.kind)
        {
            return Ok(sql);
        }
        let is = test.sign == Sign::Is;
        Ok(match &field.kind {
            Kind::Text(_) | Kind::Url(_) => self.texts(&Query::Term(term.clone())),
            Kind::Value(column) if is => self.one(&format!("{column} = ? COLLATE NOCASE"), value),
            Kind::Value(column) => self.one(&format!("{column} LIKE ? ESCAPE '\\'"), &contains(value)),
            Kind::Number(column) => self.number(field, column, test)?,
            Kind::YesNo(yes, no) => yes_or_no(field, value, yes, no)?,
            Kind::Id(_, "campaign", _) if value == NO_MARK => OF_NO_CAMPAIGN.to_owned(),
            Kind::Id(condition, what, list) => match value.parse::<i64>() {
                Ok(id) => format!("({})", self.all(condition, &Value::Integer(id))),
                Err(_) => return Err(format!("“{value}” is no number of an {what}; {list}").replace("an c", "a c")),
            },
            Kind::Host => self.host(value, is, &term.test),
            Kind::Fqdn => self.fqdn(value),
            Kind::Key => {
                let key = PageKey::of_text(value).map_or_else(|| value.to_owned(), |key| key.as_str().to_owned());
                // A key as it stands need not be the one of the URL that it looks like.
                self.values.extend([value.to_owned(), key].map(Value::Text));
                "c.page IN (SELECT id FROM page WHERE key IN (?, ?))".to_owned()
            }
            Kind::Page => {
                let is_page = format!(
                    "({MAY_BE_PAGE} AND EXISTS
                        (SELECT 1 FROM capture p WHERE p.id = {ORIGINAL} AND {IS_PAGE}))"
                );
                yes_or_no(field, value, &is_page, &format!("NOT {is_page}"))?
            }
            Kind::Date(column) => self.date(column, test)?,
            Kind::Mark => {
                let marks: Vec<String> = ReviewMark::DECISIONS.into_iter().map(mark_name).collect();
                let value = value.to_lowercase();
                if value != NO_MARK && !marks.contains(&value) {
                    return Err(format!("“{value}” is no mark; marks are {} and {NO_MARK}", marks.join(", ")));
                }
                self.one(
                    &format!("ifnull({}, '{NO_MARK}') = ?", crate::store::captures::capture_table::LAST_MARK),
                    &value,
                )
            }
            Kind::Judged(judgement) => self.one(&judged_sql(*judgement, false), value),
            Kind::File => self.file(value),
            Kind::Collection { is_out } => {
                let is_out = u8::from(*is_out);
                let sql = format!(
                    "c.id IN (SELECT k.capture FROM collected k JOIN collection o ON o.id = k.collection
                        WHERE o.name = ? AND k.is_out = {is_out})"
                );
                self.one(&sql, value)
            }
            Kind::Saved => self.one(
                "c.id IN (SELECT n.capture FROM named_capture n JOIN named_selection o ON o.id = n.selection
                    WHERE o.name = ? AND o.campaign = ?1)",
                value,
            ),
            Kind::Launch => self.one("c.launch IN (SELECT id FROM launch WHERE launch.launch = ?)", value),
            Kind::Pattern => {
                regex::Regex::new(value).map_err(|error| broken_pattern(value, &error))?;
                self.one("regexp(?, u.url)", value)
            }
            Kind::Linked | Kind::Since => {
                let (sql, value) = membership(&self.of_catalogue(field, value)?, FEW);
                self.values.push(value);
                sql.to_owned()
            }
            Kind::Check => self.check(value)?,
            Kind::Finding => findings::finding_sql(value)?,
            Kind::Cause => self.cause(value)?,
            Kind::Breaks => self.one(findings::BREAKS, value),
            // Such a term is answered by a set.
            Kind::Indexed | Kind::IndexedDate => return Err(format!("write {}", field.example)),
        })
    }

    fn one(&mut self, sql: &str, value: &str) -> String {
        self.values.push(Value::Text(value.to_owned()));
        sql.to_owned()
    }

    /// A condition in which the value stands as often as `?` does.
    fn all(&mut self, sql: &str, value: &Value) -> String {
        self.values.extend(sql.matches('?').map(|_| value.clone()));
        sql.to_owned()
    }

    fn host(&mut self, value: &str, alone: bool, test: &TextTest) -> String {
        let (sql, values) = HostTest::new(value, alone, test).sql();
        self.values.extend(values.into_iter().map(Value::Text));
        sql
    }

    fn fqdn(&mut self, host: &str) -> String {
        let name = Url::parse(&format!("http://{host}/")).map_or_else(|_| Fqdn::new(host), |url| Fqdn::of(&url));
        let begin = name.reversed();
        // Keys that begin so are those of its subdomains too, and of names that go on.
        let after = format!("{begin}\u{10ffff}");
        self.values.extend([begin, after, name.as_str().to_owned()].map(Value::Text));
        "c.page IN (SELECT id FROM page WHERE key >= ? AND key < ? AND fqdn_of(key) = ?)".to_owned()
    }

    fn file(&mut self, value: &str) -> String {
        // A number that no file has is a part of a name.
        if let Ok(file) = value.parse::<i64>() {
            let number = Value::Integer(file);
            self.values.extend([number.clone(), Value::Text(contains(value)), number]);
            // What was unpacked from a package stands in the package.
            "c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                (SELECT id FROM warc_file WHERE ? IN (id, package) UNION ALL SELECT id FROM warc_file
                 WHERE path LIKE ? ESCAPE '\\' AND NOT EXISTS (SELECT 1 FROM warc_file WHERE id = ?)))"
                .to_owned()
        } else {
            self.one(
                "c.id IN (SELECT r.capture FROM record r WHERE r.position = 0 AND r.file IN
                    (SELECT w.id FROM warc_file w JOIN warc_file p ON p.id IN (w.id, w.package)
                     WHERE p.path LIKE ? ESCAPE '\\'))",
                &contains(value),
            )
        }
    }

    fn number(&mut self, field: &FilterField, column: &str, test: &FieldTest) -> Result<String, String> {
        let name = field.name;
        self.compared(column, test, |text| {
            let range = number_range(text).map(|(first, last)| (Value::Real(first), Value::Real(last)));
            range.ok_or_else(|| {
                format!(
                    "“{text}” is no number; write it as {name}:3, {name}>3, {name}<=2.5k, {name}:3..10 or {name}:3.."
                )
            })
        })
    }

    fn date(&mut self, column: &str, test: &FieldTest) -> Result<String, String> {
        let millis = |date: CaptureDate| Value::Integer(date.millis());
        self.compared(column, test, |text| {
            let period = CaptureDate::period(text).map(|(first, last)| (millis(first), millis(last)));
            period.map_err(|error| format!("{error}; {}", date_examples("date")))
        })
    }

    /// A column compared with values, each of which `read` gives the first and last of.
    fn compared(
        &mut self,
        column: &str,
        test: &FieldTest,
        read: impl Fn(&str) -> Result<(Value, Value), String>,
    ) -> Result<String, String> {
        let sides = test.comparisons()?;
        let ends = sides.iter().map(|side| read(side.value)).collect::<Result<Vec<_>, _>>()?;
        if let ([(from, _), (_, to)], [first, last]) = (&ends[..], &sides[..])
            && is_above(from, to)
        {
            let name = &test.name;
            return Err(format!("nothing is from {0} to {1}; write {name}:{1}..{0}", first.value, last.value));
        }
        let parts: Vec<String> =
            sides.iter().zip(ends).map(|(side, (first, last))| self.range(column, side.sign, first, last)).collect();
        Ok(match parts.as_slice() {
            [] => "1".to_owned(),
            parts => format!("({})", parts.join(" AND ")),
        })
    }

    /// A column compared with a period or family, of which first and last belong to it.
    fn range(&mut self, column: &str, sign: Sign, first: Value, last: Value) -> String {
        let (sign, value) = match sign {
            Sign::Has | Sign::Is => {
                self.values.extend([first, last]);
                return format!("{column} BETWEEN ? AND ?");
            }
            Sign::Less => ("<", first),
            Sign::AtMost => ("<=", last),
            Sign::Greater => (">", last),
            Sign::AtLeast => (">=", first),
        };
        self.values.push(value);
        format!("{column} {sign} ?")
    }
}

/// What `mark:` calls captures without a decision, and `campaign:` those of none.
const NO_MARK: &str = "none";

/// Whether only captures meet a query that the selection would write.
fn is_of_selection(query: &Query<FieldTerm>, holds: bool) -> bool {
    match (query, holds) {
        (Query::And(parts), true) | (Query::Or(parts), false) => parts.iter().any(|part| is_of_selection(part, holds)),
        (Query::Or(parts), true) | (Query::And(parts), false) => {
            !parts.is_empty() && parts.iter().all(|part| is_of_selection(part, holds))
        }
        (Query::Not(part), _) => is_of_selection(part, !holds),
        (Query::Term(term), _) => term.field.as_ref().is_some_and(|test| {
            matches!(test.name.as_str(), "requisite" | "export") && test.value == if holds { "yes" } else { "no" }
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
