//! Finds the declared date of publication of a page, and its source.
//!
//! In this order: `meta` elements, JSON-LD, `time` elements and microdata, a
//! day in the URL, a day in a short line near the headline. The day is taken as
//! it is written; time and zone are left out. Running text is not searched.

use super::fold;
use crate::links::{Page, Tag};
use crate::uri::{CaptureDate, Url};
use jiff::civil::Date;

/// The first year of the web: an earlier date is none of a page.
const FIRST_YEAR: i16 = 1991;

/// A later year is a slip.
const LAST_YEAR: i16 = 2099;

/// A date of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Midnight of the day, in UTC.
    pub date: CaptureDate,
    /// Source of the date.
    pub evidence: DateEvidence,
}

/// Source of a date of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateEvidence {
    /// A `meta` element.
    Meta,
    /// `datePublished` of JSON-LD.
    JsonLd,
    /// A `time` element or microdata.
    Time,
    /// Year, month and day in the URL.
    Url,
    /// A short line near the headline, or one whose element is named after its date.
    Line,
}

impl DateEvidence {
    /// Value in records and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::JsonLd => "json-ld",
            Self::Time => "time",
            Self::Url => "url",
            Self::Line => "line",
        }
    }
}

/// Lines around the headline that are searched for a day.
const NEAR_LINES: usize = 6;

/// Bytes of a line that may be nothing but a date, an author and the like.
const MAX_LINE_BYTES: usize = 120;

/// Names of `meta` elements with a date of publication, the surest first.
const META_NAMES: [&str; 29] = [
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "cxenseparse:recs:publishtime",
    "bt:pubdate",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "published_date",
    "published_time",
    "publication_date",
    "article.published",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "datecreated",
    "article.created",
    "created",
    "date",
];

/// Date of publication of a page, where the page has one.
pub(super) fn published_of(page: &Page, url: &Url) -> Option<Published> {
    let statements = &page.statements;
    let by = |date: Option<Date>, evidence| date.and_then(|date| published(date, evidence));
    by(date_of_metas(&statements.metas), DateEvidence::Meta)
        .or_else(|| by(date_of_json_ld(&statements.json_ld), DateEvidence::JsonLd))
        .or_else(|| {
            let of = |sure_only: bool| {
                let times = statements.times.iter().filter(move |time| !sure_only || time.is_published);
                times.map(|time| time.value.as_str()).find_map(date_in)
            };
            by(of(true).or_else(|| of(false)), DateEvidence::Time)
        })
        .or_else(|| by(date_of_path(url.path()), DateEvidence::Url))
        .or_else(|| by(date_of_lines(page), DateEvidence::Line))
}

fn published(date: Date, evidence: DateEvidence) -> Option<Published> {
    let digits = format!("{:04}{:02}{:02}000000", date.year(), date.month(), date.day());
    Some(Published { date: CaptureDate::parse(&digits).ok()?, evidence })
}

fn date_of_metas(metas: &[(String, String)]) -> Option<Date> {
    let of = |requested: &&str| {
        metas.iter().filter(move |(name, _)| name == requested).find_map(|(_, value)| date_in(value))
    };
    META_NAMES.iter().find_map(of)
}

/// The first `datePublished`, else the first `dateCreated`. JSON-LD of pages is
/// broken now and then, so it is searched and not parsed.
fn date_of_json_ld(json: &str) -> Option<Date> {
    ["\"datePublished\"", "\"dateCreated\""].iter().find_map(|key| {
        json.match_indices(key).find_map(|(at, _)| {
            let rest = json.get(at + key.len()..)?.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
            date_in(rest.split('"').next()?)
        })
    })
}

/// `/2024/05/01/`, `/2024-05-01-` and `/20240501` in a path.
fn date_of_path(path: &str) -> Option<Date> {
    let digits = |text: &str| text.len() == text.bytes().filter(u8::is_ascii_digit).count();
    let mut parts = path.split('/');
    while let Some(part) = parts.next() {
        if part.len() == 4 && digits(part) {
            let mut next = parts.clone();
            if let (Some(month), Some(day)) = (next.next(), next.next()) {
                let end = day.find(|c: char| !c.is_ascii_digit()).unwrap_or(day.len());
                if let Some(date) = date(part, month, &day[..end]) {
                    return Some(date);
                }
            }
        }
        let tokens: Vec<&str> = part.split(['-', '_', '.']).collect();
        let in_three = tokens.windows(3).find_map(|three| match three {
            [year, month, day] if year.len() == 4 => date(year, month, day),
            [day, month, year] if year.len() == 4 => date(year, month, day),
            _ => None,
        });
        let compact = |token: &&str| match token.len() {
            8 if digits(token) => date(&token[..4], &token[4..6], &token[6..]),
            _ => None,
        };
        if let Some(found) = in_three.or_else(|| tokens.iter().find_map(compact)) {
            return Some(found);
        }
    }
    None
}

/// The first day in a short line whose element is named after its date, or that is near the headline.
fn date_of_lines(page: &Page) -> Option<Date> {
    let layout = &page.layout;
    let is_headline =
        |element: u32| layout.ancestors(element as usize).take(2).any(|at| layout.elements[at].tag == Tag::H1);
    let headline = layout.lines.iter().position(|line| is_headline(line.element));
    let (mut begin, mut near, mut named) = (0, None, None);
    for (at, line) in layout.lines.iter().enumerate() {
        let text = page.text.get(begin..line.end as usize).unwrap_or_default();
        begin = line.end as usize + 1;
        let is_near = headline.is_some_and(|headline| headline.abs_diff(at) <= NEAR_LINES);
        if text.len() > MAX_LINE_BYTES
            || line.linked_bytes as usize * 2 > text.len()
            || !text.contains(|c: char| c.is_ascii_digit())
        {
            continue;
        }
        let is_named = || {
            layout.elements.get(line.element as usize).is_some_and(|element| {
                ["date", "publi", "posted", "submitted"].iter().any(|part| layout.name_of(element).contains(part))
            })
        };
        if near.is_none() && is_near {
            near = date_before_year(text);
        } else if named.is_none() && is_named() {
            named = date_before_year(text);
        }
    }
    near.or(named)
}

/// The day in a value that machines are to read: ISO 8601, RFC 9110, or a day
/// with a month's name or in numbers with the year last.
fn date_in(value: &str) -> Option<Date> {
    let value = value.trim();
    let value = value.get(..value.floor_char_boundary(64)).unwrap_or(value);
    let tokens: Vec<&str> =
        value.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty()).take(8).collect();
    // 2024-05-01T10:00, 2024/05/01, 20240501, 20240501T1000.
    if let [first, rest @ ..] = tokens.as_slice() {
        let eight = first.get(..8).filter(|eight| eight.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(eight) = eight.filter(|_| {
            first.len() == 8
                || first.as_bytes().get(8).is_some_and(|byte| byte.eq_ignore_ascii_case(&b't'))
                || first.len() == 14
        }) {
            return date(eight.get(..4)?, eight.get(4..6)?, eight.get(6..)?);
        }
        if let ([month, day, ..], 4) = (rest, first.len()) {
            let day = day.split(['T', 't']).next().unwrap_or(day);
            return date(first, month, day);
        }
    }
    date_before_year(value)
}

/// A day with its month in numbers or by name, and the year behind it:
/// `Wed, 01 May 2024`, `May 1, 2024`, `1 de maio de 2024`, `01.05.2024`.
fn date_before_year(text: &str) -> Option<Date> {
    let tokens: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty() && !["de", "of", "del", "d"].contains(token))
        .take(40)
        .collect();
    tokens.windows(3).find_map(|three| {
        let [first, second, year] = three else { return None };
        if year.len() != 4 {
            return None;
        }
        match (month_number(first), month_number(second)) {
            (None, Some(month)) => date(year, month, day_number(first)),
            (Some(month), None) => date(year, month, day_number(second)),
            (None, None) => date(year, second, first).or_else(|| date(year, first, second)),
            _ => None,
        }
    })
}

/// `1st` as `1`.
fn day_number(day: &str) -> &str {
    day.trim_end_matches(char::is_alphabetic)
}

/// The month that a name begins with in English, Portuguese, Spanish, French,
/// German, Italian or Dutch.
fn month_number(name: &str) -> Option<&'static str> {
    const MONTHS: [(&str, &[&str]); 12] = [
        ("1", &["jan", "ene", "gen"]),
        ("2", &["feb", "fev"]),
        ("3", &["mar", "maart", "maerz", "mrz"]),
        ("4", &["abr", "avr", "apr"]),
        ("5", &["may", "mai", "mag", "mei"]),
        ("6", &["jun", "juin", "giu"]),
        ("7", &["jul", "juil", "lug"]),
        ("8", &["aug", "ago", "aou"]),
        ("9", &["sep", "set"]),
        ("10", &["oct", "okt", "out", "ott"]),
        ("11", &["nov"]),
        ("12", &["dec", "dez", "dic", "dici"]),
    ];
    if !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let name = fold(name);
    MONTHS.into_iter().find_map(|(number, begins)| begins.iter().any(|begin| name.starts_with(begin)).then_some(number))
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    let number = |text: &str| text.parse::<i8>().ok();
    let year = year.parse::<i16>().ok().filter(|year| (FIRST_YEAR..=LAST_YEAR).contains(year))?;
    if month.len() > 2 || day.len() > 2 {
        return None;
    }
    Date::new(year, number(month)?, number(day)?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::links::{PageOptions, read_page};

    #[track_caller]
    fn check(value: &str, expected: &str) {
        let found = date_in(value).map(|date| date.to_string()).unwrap_or_default();
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn days_are_read_as_machines_and_people_write_them() {
        for value in [
            "2024-05-01",
            "2024-05-01T23:59:00+02:00",
            "2024-05-01 10:00",
            "2024/5/1",
            "20240501",
            "20240501T101500Z",
            "20240501101500",
            "Wed, 01 May 2024 10:00:00 GMT",
            "May 1, 2024",
            "1 May 2024",
            "1st May 2024",
            "1.5.2024",
            "01/05/2024",
            "1 de maio de 2024",
            "Mittwoch, 1. Mai 2024 um 23:30",
            "1er mai 2024",
        ] {
            check(value, "2024-05-01");
        }
        check("05/31/2024", "2024-05-31");
        for value in [
            "",
            "2024",
            "2024-05",
            "yesterday",
            "1 de maio",
            "2024-13-01",
            "2024-02-30",
            "1066-10-14",
            "3024-01-01",
            "é".repeat(99).as_str(),
        ] {
            check(value, "");
        }
    }

    #[test]
    fn a_day_in_the_path_is_one_of_publication() {
        for (path, expected) in [
            ("/2024/05/01/x", "2024-05-01"),
            ("/noticias/2024-05-01-festival", "2024-05-01"),
            ("/n/20240501/x.html", "2024-05-01"),
            ("/a_2024_5_1.html", "2024-05-01"),
            ("/2024/05/", ""),
            ("/2024/festival/1", ""),
            ("/id/12345678", ""),
        ] {
            let found = date_of_path(path).map(|date| date.to_string()).unwrap_or_default();
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn the_surest_statement_counts_and_is_named() {
        let of = |html: &str| {
            let url = "http://a.pt/2020/01/02/x".parse().unwrap();
            let page = read_page(html.as_bytes(), None, &url, &PageOptions::default());
            published_of(&page, &url).map(|found| (found.date.to_digits14(), found.evidence.as_str()))
        };
        let day = |day: &str, evidence| Some((format!("{day}000000"), evidence));
        assert_eq!(of("x"), day("20200102", "url"));
        let bare = read_page(
            "<h1>T</h1><p>Ana, 2 de maio de 2024<p class=date>1.1.2024".as_bytes(),
            None,
            &"http://a.pt/".parse().unwrap(),
            &PageOptions::default(),
        );
        let found = published_of(&bare, &bare.base).unwrap();
        assert_eq!((found.date.to_digits14().as_str(), found.evidence.as_str()), ("20240502000000", "line"));
        let times = "<time datetime=2021-01-01>x</time><time class=entry-date datetime=2021-01-02>y</time>";
        assert_eq!(of(times), day("20210102", "time"));
        let json =
            format!("<script type=application/ld+json>[{{\"datePublished\" : \"2022-01-03T01:00\"</script>{times}");
        assert_eq!(of(&json), day("20220103", "json-ld"));
        let metas = "<meta name=date content=2023-01-05><meta property=article:published_time content='soon'>\
                     <meta property=article:published_time content='2023-01-04'>";
        assert_eq!(of(&format!("{metas}{json}")), day("20230104", "meta"));
    }
}
