//! Requests of CDX servers, by the names that pywb, OutbackCDX and the Wayback Machine have for their parameters.

use crate::uri::{CaptureDate, CdxKey, PageKey, parse_typed_url};
use crate::warc::cdx::{Columns, IndexLine};
use regex::Regex;
use serde_json::{Map, Value};

/// Lines of an answer where no limit is named.
const LINES: usize = 100_000;
/// Captures of a block, by which pages of answers are counted, as in indexes of pywb.
const BLOCK_CAPTURES: u64 = 3_000;
/// Blocks of a page where no size is named.
const BLOCKS: u64 = 5;
/// Names of the fields about the record of a revisit's original, as pywb has them.
pub const ORIGINAL_FIELDS: [&str; 3] = ["orig.length", "orig.offset", "orig.filename"];

/// The pages that a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CdxPages {
    /// One.
    Exact(PageKey),
    /// Those whose key begins with one of these.
    Prefixes(Vec<String>),
    /// Those from this key on, in the order of keys.
    From(String),
}

/// A page of a long answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CdxPart {
    /// Its number, from 0 on.
    pub number: u64,
    /// Blocks of a page.
    pub blocks: u64,
}

impl CdxPart {
    /// Captures of a page.
    pub fn captures(self) -> u64 {
        self.blocks.saturating_mul(BLOCK_CAPTURES)
    }
}

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CdxOutput {
    /// CDXJ.
    #[default]
    Cdxj,
    /// An object a line.
    Json,
    /// An array of arrays, the names first.
    JsonArray,
    /// Classic CDX of 11 columns, 14 with originals of revisits, or the fields that are named.
    Text,
    /// Links to captures (RFC 7089), which the server writes: they have its address.
    Link,
}

/// A request for lines.
#[derive(Debug)]
pub struct CdxRequest {
    /// Pages.
    pub pages: CdxPages,
    /// First and last date.
    pub between: (CaptureDate, CaptureDate),
    /// Nearest first.
    pub closest: Option<CaptureDate>,
    /// Newest first.
    pub reverse: bool,
    /// Lines at most.
    pub limit: usize,
    /// How they are written.
    pub output: CdxOutput,
    /// Where an answer is divided into pages, the page.
    pub part: Option<CdxPart>,
    /// The number of those pages is the answer.
    pub counts_parts: bool,
    /// Lines of revisits name the record of their original.
    pub resolves_revisits: bool,
    filters: Vec<Filter>,
    collapse: Vec<Collapse>,
    fields: Vec<String>,
}

/// Neighbouring lines that count as one.
#[derive(Debug)]
struct Collapse {
    /// The fields that are equal, each with the letters of it that count.
    fields: Vec<(String, usize)>,
    /// The last of them stays, not the first.
    keeps_last: bool,
}

#[derive(Debug)]
struct Filter {
    negated: bool,
    field: String,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Contains(String),
    Is(String),
    Matches(Regex),
}

impl CdxRequest {
    /// Reads the query of a request.
    ///
    /// # Errors
    ///
    /// A sentence for the client.
    pub fn parse(query: &str) -> Result<Self, String> {
        let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let get = |name: &str| pairs.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let pages = match (get("url"), get("urlkey")) {
            (Some(url), _) => pages_of(url, get("matchType"), get("method"), get("requestBody"))?,
            (None, Some(key)) => {
                let key = PageKey::of_text(key).ok_or_else(|| format!("urlkey={key} is no key"))?;
                range_of(&key, false, get("matchType").unwrap_or("exact"))?
            }
            (None, None) => return Err("The \"url\" param is required".to_owned()),
        };
        let date = |name: &str| {
            let period = |text| CaptureDate::period(text).map_err(|error| error.to_string());
            get(name).map(period).transpose()
        };
        let output = match get("output") {
            None | Some("cdxj") => CdxOutput::Cdxj,
            Some("json") => CdxOutput::Json,
            Some("jsonarray") => CdxOutput::JsonArray,
            Some("jsondict") => CdxOutput::Json,
            Some("text" | "cdx") => CdxOutput::Text,
            Some("link") => CdxOutput::Link,
            Some(other) => return Err(format!("output={other} not supported")),
        };
        let limit = get("limit").map(|limit| limit.parse().map_err(|_| format!("limit={limit} is no number")));
        let number = |name: &str| {
            let read = |text: &str| text.parse::<u64>().map_err(|_| format!("{name}={text} is no number"));
            get(name).map(read).transpose()
        };
        let is_set = |name: &str| matches!(get(name), Some("true" | "1"));
        let (page, blocks, counts_parts) = (number("page")?, number("pageSize")?, is_set("showNumPages"));
        let is_divided = page.is_some() || blocks.is_some() || counts_parts;
        let part = CdxPart { number: page.unwrap_or(0), blocks: blocks.unwrap_or(BLOCKS).max(1) };
        let filters = pairs.iter().filter(|(name, _)| name == "filter").map(|(_, filter)| Filter::parse(filter));
        Ok(Self {
            pages,
            between: (
                date("from")?.map_or(CaptureDate::from_millis(0), |(begin, _)| begin),
                date("to")?.map_or(CaptureDate::from_millis(i64::MAX), |(_, end)| end),
            ),
            closest: date("closest")?.map(|(begin, _)| begin),
            reverse: get("sort") == Some("reverse"),
            limit: limit.transpose()?.unwrap_or(LINES).min(LINES),
            output,
            part: is_divided.then_some(part),
            counts_parts,
            resolves_revisits: is_set("resolveRevisits"),
            filters: filters.collect::<Result<_, _>>()?,
            collapse: collapses(&pairs)?,
            fields: get("fl")
                .or(get("fields"))
                .map(|list| list.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
        })
    }

    /// The captures that have to be read for it: more than its limit where only some of them are in the answer, or the
    /// last of them first.
    pub fn captures_to_read(&self) -> usize {
        match self.filters.is_empty() && self.collapse.is_empty() && !self.reverse {
            true => self.limit,
            false => LINES,
        }
    }

    /// Whether filters take a line.
    pub fn takes(&self, line: &IndexLine) -> bool {
        self.filters.iter().all(|filter| filter.takes(line))
    }

    /// Leaves of neighbouring lines one each, where the request says so (`collapse`, `collapseToLast`, `collapseTime`).
    pub fn collapsed(&self, mut lines: Vec<IndexLine>) -> Vec<IndexLine> {
        for Collapse { fields, keeps_last } in &self.collapse {
            let begins = |line: &IndexLine| -> Vec<String> {
                fields.iter().map(|(name, letters)| field(line, name).chars().take(*letters).collect()).collect()
            };
            lines.dedup_by(|next, kept| {
                let is_equal = next.key == kept.key && begins(next) == begins(kept);
                if is_equal && *keeps_last {
                    std::mem::swap(next, kept);
                }
                is_equal
            });
        }
        lines
    }

    /// The type of the answer.
    pub fn content_type(&self) -> &'static str {
        match self.output {
            CdxOutput::Cdxj => "text/x-cdxj",
            CdxOutput::Json => "text/x-ndjson",
            CdxOutput::JsonArray => "application/json",
            CdxOutput::Text => "text/plain; charset=utf-8",
            CdxOutput::Link => "application/link-format",
        }
    }

    /// The answer to a request for the number of pages, of so many captures in all.
    pub fn write_count(&self, captures: u64) -> String {
        let part = self.part.unwrap_or(CdxPart { number: 0, blocks: BLOCKS });
        let pages = captures.div_ceil(part.captures());
        match self.output {
            CdxOutput::Json => {
                let blocks = captures.div_ceil(BLOCK_CAPTURES);
                format!("{}\n", serde_json::json!({"pages": pages, "pageSize": part.blocks, "blocks": blocks}))
            }
            _ => format!("{pages}\n"),
        }
    }

    /// The answer.
    pub fn write(&self, lines: &[IndexLine]) -> String {
        let mut out = String::new();
        match self.output {
            CdxOutput::JsonArray => {
                let names = self.names();
                let mut rows = vec![Value::from(names.clone())];
                rows.extend(lines.iter().map(|line| names.iter().map(|name| Value::from(field(line, name))).collect()));
                out = Value::from(rows).to_string();
                out.push('\n');
            }
            output => {
                for line in lines {
                    out.push_str(&self.line(line, output));
                    out.push('\n');
                }
            }
        }
        out
    }

    fn names(&self) -> Vec<String> {
        match self.fields.is_empty() {
            false => self.fields.clone(),
            true => {
                let names = ["urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"];
                let originals = ORIGINAL_FIELDS.into_iter().filter(|_| self.resolves_revisits);
                names.into_iter().chain(originals).map(str::to_owned).collect()
            }
        }
    }

    fn line(&self, line: &IndexLine, output: CdxOutput) -> String {
        let object = || {
            let pairs = self.names().into_iter().map(|name| {
                let value = Value::from(field(line, &name));
                (name, value)
            });
            Value::from(pairs.collect::<Map<String, Value>>()).to_string()
        };
        match output {
            CdxOutput::Json | CdxOutput::JsonArray | CdxOutput::Link => object(),
            CdxOutput::Text if self.fields.is_empty() => {
                let mut text = Columns::eleven().line(line);
                for name in ORIGINAL_FIELDS.iter().filter(|_| self.resolves_revisits) {
                    text.push(' ');
                    text.push_str(&field(line, name));
                }
                text
            }
            CdxOutput::Text => self.fields.iter().map(|name| field(line, name)).collect::<Vec<_>>().join(" "),
            CdxOutput::Cdxj if self.fields.is_empty() => line.to_string(),
            CdxOutput::Cdxj => format!("{} {} {}", line.key, line.date.to_digits14(), object()),
        }
    }
}

/// A field of a line by any of its names; `-` where it has none.
fn field(line: &IndexLine, name: &str) -> String {
    let text = match name {
        "urlkey" => Some(line.key.to_string()),
        "timestamp" => Some(line.date.to_digits14()),
        "url" | "original" | "u" => Some(line.url.clone()),
        "mime" | "mimetype" | "m" => line.mime.clone(),
        "status" | "statuscode" | "s" => line.status.map(|status| status.to_string()),
        "digest" => line.digest.clone(),
        "length" => Some(line.span.length.to_string()),
        "offset" => Some(line.span.offset.to_string()),
        "filename" => Some(line.filename.clone()),
        other => {
            // The names of OutbackCDX.
            let own = match other {
                "originalLength" => "orig.length",
                "originalOffset" => "orig.offset",
                "originalFilename" => "orig.filename",
                other => other,
            };
            line.more.get(own).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
    };
    text.unwrap_or_else(|| "-".to_owned())
}

impl Filter {
    /// `[!][=|~]field:expression`.
    fn parse(filter: &str) -> Result<Self, String> {
        let (negated, rest) = filter.strip_prefix('!').map_or((false, filter), |rest| (true, rest));
        let (kind, rest) = match rest.chars().next() {
            Some(kind @ ('=' | '~')) => (Some(kind), &rest[1..]),
            _ => (None, rest),
        };
        let (name, expression) = rest.split_once(':').ok_or_else(|| format!("filter={filter} has no field"))?;
        let matcher = match kind {
            None => Matcher::Contains(expression.to_owned()),
            Some('=') => Matcher::Is(expression.to_owned()),
            // Beginning at the start, as pywb has it.
            Some(_) => {
                let regex = regex::RegexBuilder::new(&format!("^(?:{expression})")).size_limit(1 << 20).build();
                Matcher::Matches(regex.map_err(|_| format!("filter={filter} is no regular expression"))?)
            }
        };
        Ok(Self { negated, field: name.to_owned(), matcher })
    }

    fn takes(&self, line: &IndexLine) -> bool {
        let value = field(line, &self.field);
        self.negated
            != match &self.matcher {
                Matcher::Contains(text) => value.contains(text.as_str()),
                Matcher::Is(text) => value == *text,
                Matcher::Matches(regex) => regex.is_match(&value),
            }
    }
}

/// The collapses of a request: `collapse=timestamp:8` and `collapseToLast` as the Wayback Machine has them,
/// `collapseTime=8` as pywb has it, by time and status.
fn collapses(pairs: &[(String, String)]) -> Result<Vec<Collapse>, String> {
    let number = |name: &str, text: &str| text.parse().map_err(|_| format!("{name}={text} names no number of letters"));
    let mut found = Vec::new();
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        let fields = match name.as_str() {
            "collapse" | "collapseToLast" => match value.split_once(':') {
                Some((field, letters)) => vec![(field.to_owned(), number(name, letters)?)],
                None => vec![(value.clone(), usize::MAX)],
            },
            "collapseTime" => {
                vec![("timestamp".to_owned(), number(name, value)?), ("status".to_owned(), usize::MAX)]
            }
            _ => continue,
        };
        found.push(Collapse { fields, keeps_last: name == "collapseToLast" });
    }
    Ok(found)
}

fn pages_of(url: &str, match_type: Option<&str>, method: Option<&str>, body: Option<&str>) -> Result<CdxPages, String> {
    let (url, match_type) = match (url.strip_prefix("*."), url.strip_suffix('*')) {
        (Some(domain), _) => (domain.to_owned(), "domain"),
        (_, Some(prefix)) => (prefix.to_owned(), "prefix"),
        _ => (url.to_owned(), match_type.unwrap_or("exact")),
    };
    let mut parsed = parse_typed_url(&url).ok_or_else(|| format!("url={url} is no URL"))?;
    if let Some(method) = method.filter(|method| !method.eq_ignore_ascii_case("GET")) {
        let before = parsed.query().map(|query| format!("{query}&")).unwrap_or_default();
        let body = body.map(|body| format!("&{body}")).unwrap_or_default();
        parsed.set_query(Some(&format!("{before}__wb_method={}{body}", method.to_ascii_uppercase())));
    }
    range_of(&PageKey::of(&parsed), url.ends_with('/'), match_type)
}

/// Pages by a key, the URL of which may end with a slash, which is no part of a key.
fn range_of(key: &PageKey, ends_with_slash: bool, match_type: &str) -> Result<CdxPages, String> {
    let host = key.host_part().to_owned();
    Ok(match match_type {
        "exact" => CdxPages::Exact(key.clone()),
        "range" => CdxPages::From(key.as_str().to_owned()),
        "prefix" => {
            let is_folder = ends_with_slash && !key.as_str().ends_with('/');
            CdxPages::Prefixes(vec![if is_folder { format!("{}/", key.as_str()) } else { key.as_str().to_owned() }])
        }
        "host" => CdxPages::Prefixes(vec![format!("{host})")]),
        "domain" => CdxPages::Prefixes(vec![format!("{host})"), format!("{host},")]),
        other => return Err(format!("matchType={other} not supported")),
    })
}

/// The key that an index has for a URL.
pub fn cdx_key(url: &str) -> CdxKey {
    CdxKey::of_text(url).unwrap_or_else(|| CdxKey::from_stored(url.to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::warc::Span;

    fn line() -> IndexLine {
        IndexLine {
            key: cdx_key("https://museu.example/a"),
            date: CaptureDate::parse("20240105093000").unwrap(),
            url: "https://museu.example/a".into(),
            mime: Some("text/html".into()),
            status: Some(200),
            digest: Some("sha1:AAAA".into()),
            span: Span { offset: 7, length: 9 },
            filename: "a.warc.gz".into(),
            more: Map::new(),
        }
    }

    #[test]
    fn requests_of_other_programs_are_read() {
        let read = |query: &str| CdxRequest::parse(query).unwrap();
        let key = |url: &str| PageKey::of_text(url).unwrap();
        assert_eq!(read("url=museu.example").pages, CdxPages::Exact(key("museu.example")));
        assert_eq!(read("url=https://museu.example/a*").pages, CdxPages::Prefixes(vec!["example,museu)/a".to_owned()]));
        assert_eq!(
            read("url=*.museu.example").pages,
            CdxPages::Prefixes(vec!["example,museu)".to_owned(), "example,museu,".to_owned()])
        );
        assert_eq!(read("url=museu.example/a&matchType=range").pages, CdxPages::From("example,museu)/a".to_owned()));
        assert_eq!(read("urlkey=example,museu)/a").pages, CdxPages::Exact(key("https://museu.example/a")));
        assert_eq!(read("url=a.pt&page=2&pageSize=1").part, Some(CdxPart { number: 2, blocks: 1 }));
        assert_eq!(read("url=a.pt&showNumPages=true").write_count(15_001), "2\n");
        assert_eq!(
            read("url=a.pt&showNumPages=true&pageSize=1&output=json").write_count(6_001),
            "{\"pages\":3,\"pageSize\":1,\"blocks\":3}\n"
        );
        let pywb = read("url=a.pt&closest=20240105000000&sort=closest&limit=100&matchType=exact");
        assert_eq!((pywb.closest.unwrap().to_digits14().as_str(), pywb.limit), ("20240105000000", 100));
        assert!(read("url=a.pt&closest=&sort=closest").closest.is_none());
        let posted = read("url=https://museu.example/g&method=POST&requestBody=a%3D1");
        assert_eq!(posted.pages, CdxPages::Exact(key("https://museu.example/g?__wb_method=POST&a=1")));
        assert_eq!(CdxRequest::parse("output=json").unwrap_err(), "The \"url\" param is required");
        assert!(
            CdxRequest::parse("url=a.pt&output=foo").is_err()
                && CdxRequest::parse("url=a.pt&filter=~status:(").is_err()
        );
    }

    #[test]
    fn filters_and_fields_are_those_of_pywb() {
        let takes = |filter: &str| CdxRequest::parse(&format!("url=a.pt&filter={filter}")).unwrap().takes(&line());
        for (filter, expected) in [
            ("=status:200", true),
            ("=status:20", false),
            ("status:20", true),
            ("!status:20", false),
            ("~mime:text/.*", true),
            ("~mime:html", false),
            ("!~statuscode:4..", true),
            ("mimetype:html", true),
        ] {
            assert_eq!(takes(filter), expected, "{filter}");
        }
        let written = |query: &str| CdxRequest::parse(query).unwrap().write(&[line()]);
        assert!(
            written("url=a.pt").starts_with("example,museu)/a 20240105093000 {\"url\": \"https://museu.example/a\"")
        );
        assert_eq!(written("url=a.pt&fl=urlkey,timestamp&output=text"), "example,museu)/a 20240105093000\n");
        assert_eq!(
            written("url=a.pt&fields=offset,status&output=json").matches('"').count(),
            8,
            "all values are texts"
        );
        assert_eq!(written("url=a.pt&fields=status&output=jsondict"), "{\"status\":\"200\"}\n");
        assert!(written("url=a.pt&output=jsonarray").starts_with("[[\"urlkey\",\"timestamp\",\"url\""));
    }

    #[test]
    fn neighbouring_lines_collapse_by_the_beginning_of_a_field() {
        let at = |digits: &str, status| IndexLine {
            date: CaptureDate::parse(digits).unwrap(),
            status: Some(status),
            ..line()
        };
        let lines = || {
            vec![
                at("20240105093000", 200),
                at("20240105101500", 404),
                at("20240105111500", 404),
                at("20240106000000", 200),
            ]
        };
        let days = |query: &str| {
            let request = CdxRequest::parse(&format!("url=a.pt&{query}")).unwrap();
            request.collapsed(lines()).iter().map(|line| line.date.to_digits14()[6..10].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(days("collapse=timestamp:8"), ["0509", "0600"]);
        assert_eq!(days("collapseToLast=timestamp:8"), ["0511", "0600"]);
        assert_eq!(days("collapse=digest"), ["0509"]);
        assert_eq!(days("collapseTime=8"), ["0509", "0510", "0600"]);
        assert_eq!(days("collapse="), ["0509", "0510", "0511", "0600"]);
        assert!(CdxRequest::parse("url=a.pt&collapse=timestamp:day").is_err());
    }
}
