//! The rule by which a revisit finds what it repeats, as SQL: one for the
//! catalogue, for archives that are read once, and for `warc cat`.
//!
//! 1. The capture of the URL and date that the revisit names
//!    (`WARC-Refers-To-Target-URI`, `WARC-Refers-To-Date`; its own where it
//!    names none), to the second.
//! 2. Of its own URL and payload digest, the one nearest to that date.
//! 3. The record that it names (`WARC-Refers-To`), unless that has another
//!    payload digest.
//! 4. Of its payload digest, whatever the URL, the nearest to that date; pages
//!    first.
//!
//! Digests are SHA-1; those of other kinds are no evidence. A revisit whose own head declares its
//! kind, a page or something else, is by the last two clauses a repeat of no other kind of thing.
//! The order in which records came never counts.
//!
//! Tables are `capture x` (with `page`, of all spellings of a URL, and `media`)
//! and a row `m` of what a revisit says: `url`, `page`; `of_url`, `of_page`,
//! `of_ms`, which it names; `digest`, empty where it names no payload; `record`,
//! NULL where it names none; `says`, a number of [`DeclaredKind`]. Indexes are
//! `capture(page, date_ms)` and `capture(page, digest, url, revisit_of_ms, date_ms)`.
//! The last two clauses need tables of the captures that may be found so:
//! `by_record (record, is_page, digest, id)`, of each ID one of each kind, and
//! `payload (digest, is_page, date_ms, status, id)`.

use crate::captures::media::{is_page_type, is_unknown_type, is_xml_type};

/// The kind that the head of a revisit declares. Numbers are those that a catalogue keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum DeclaredKind {
    /// Nothing, as where there is no head, or one of what was not modified.
    Nothing = 0,
    /// That it is of a page.
    Page = 1,
    /// That it is of something else.
    Other = 2,
}

impl DeclaredKind {
    /// The kind that a head with this status (0 where there is none) and type declares. Redirects and
    /// errors often have no payload, as empty pages: they are of nothing else than they declare.
    pub fn of(status: i32, mime: &str) -> Self {
        Self::of_kind(status, mime, is_page_type(mime))
    }

    /// The declared kind, with `is_page_type` given for types that are taken for pages.
    pub fn of_kind(status: i32, mime: &str, is_page_type: bool) -> Self {
        match status {
            304 => Self::Nothing,
            0 | 200..=299 if is_unknown_type(mime) || is_xml_type(mime) && !is_page_type => Self::Nothing,
            // A status that cannot be read declares nothing.
            0 if is_page_type => Self::Nothing,
            200..=299 if is_page_type => Self::Page,
            _ => Self::Other,
        }
    }
}

/// The digest of no bytes.
const NOTHING: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// Whether the digest that a revisit with this status declares is one of a payload. What is not
/// modified has none of its own, and that may have been digested; nor does no bytes tell without a head.
pub fn names_payload(digest: &str, status: i32) -> bool {
    !digest.is_empty() && (digest != NOTHING || (200..300).contains(&status))
}

/// SQL: whether the capture `$of` is one of a page: what it shows to a person is one, and not an error
/// ([`Media::Page`](crate::captures::Media)).
#[macro_export]
macro_rules! is_page_sql {
    ($of:literal) => {
        concat!("(", $of, ".media = 1 AND ", $of, ".status BETWEEN 200 AND 299)")
    };
}

/// SQL: of the rows `x` of table `$table` that `$of` holds of, the one nearest in time to `$date` (milliseconds).
/// Of those that are equally far to the second, one with a status from 200 to 299 comes first, then the
/// earlier, of one instant a page. Each side in time is one look into an index, however many captures there are.
#[macro_export]
macro_rules! nearest_sql {
    (@order "capture") => {
        concat!("x.status NOT BETWEEN 200 AND 299, x.date_ms, NOT ", $crate::is_page_sql!("x"), ", x.digest, x.id")
    };
    (@order $table:literal) => {
        "x.status NOT BETWEEN 200 AND 299, x.date_ms, x.id"
    };
    ($table:tt, $of:expr, $date:literal) => {
        concat!(
            "(SELECT x.id FROM (SELECT min(ifnull(",
            $date,
            " - (SELECT max(x.date_ms) FROM ",
            $table,
            " x WHERE ",
            $of,
            " AND x.date_ms <= ",
            $date,
            "), 1 << 60), ifnull((SELECT min(x.date_ms) FROM ",
            $table,
            " x WHERE ",
            $of,
            " AND x.date_ms > ",
            $date,
            ") - ",
            $date,
            ", 1 << 60)) / 1000 * 1000 + 999 AS most) g CROSS JOIN (SELECT 0 AS later UNION ALL SELECT 1) s CROSS JOIN ",
            $table,
            " x WHERE ",
            $of,
            // Of the seconds that are equally far, before and after; what lies between them is not read.
            " AND x.date_ms BETWEEN iif(s.later, ",
            $date,
            " + g.most - 999, ",
            $date,
            " - g.most) AND iif(s.later, ",
            $date,
            " + g.most, ",
            $date,
            " - g.most + 999) ORDER BY ",
            $crate::nearest_sql!(@order $table),
            " LIMIT 1)"
        )
    };
}

pub use {is_page_sql, nearest_sql};

/// The first clause of the rule. Of several captures of that second the one with its payload comes first, then
/// as [`nearest_sql`] has it.
pub const AT_DATE: &str = concat!(
    "(SELECT x.id FROM capture x
      WHERE x.page = m.of_page AND +x.url = m.of_url AND x.revisit_of_ms IS NULL
        AND x.date_ms BETWEEN m.of_ms - 999 AND m.of_ms + 999
      ORDER BY m.digest <> '' AND x.digest = m.digest DESC, ",
    nearest_sql!(@order "capture"),
    " LIMIT 1)"
);

/// The second.
pub const SAME_URL: &str = nearest_sql!(
    "capture",
    "m.digest <> '' AND x.page = m.page AND x.digest = m.digest AND x.url = m.url AND x.revisit_of_ms IS NULL",
    "m.of_ms"
);

/// The third. Of all records of one kind that have one ID it is the same one, whatever the order of files.
pub const BY_RECORD: &str = "(SELECT n.id FROM by_record n
    WHERE n.record = m.record AND (m.digest = '' OR n.digest IN ('', m.digest))
      AND (m.declared_kind = 0 OR (m.declared_kind = 1) = n.is_page)
    ORDER BY n.is_page DESC LIMIT 1)";

/// The fourth.
pub const BY_PAYLOAD: &str = concat!(
    "ifnull(",
    nearest_sql!(
        "payload",
        "m.digest <> '' AND m.declared_kind <> 2 AND x.digest = m.digest AND x.is_page = 1",
        "m.of_ms"
    ),
    ", ",
    nearest_sql!(
        "payload",
        "m.digest <> '' AND m.declared_kind <> 1 AND x.digest = m.digest AND x.is_page = 0",
        "m.of_ms"
    ),
    ")"
);
