//! The rule by which a revisit finds what it repeats, as SQL: one for the
//! catalogue, for archives that are read once, and for `warc cat`.
//!
//! 1. The capture of the URL and date that the revisit names
//!    (`WARC-Refers-To-Target-URI`, `WARC-Refers-To-Date`; its own where it
//!    names none), to the second.
//! 2. Of its own URL and payload digest, the one nearest to that date.
//! 3. The record that it names (`WARC-Refers-To`), unless that has another
//!    payload digest.
//! 4. Of its payload digest, the page nearest to that date.
//!
//! Digests are SHA-1; those of other kinds tell nothing. The first two are
//! looks into an index and part of each query ([`ORIGINAL`]). The others
//! search all captures once, and what they find is kept as `repeat.found`.
//!
//! Tables are `capture` (of which `revisit_of_ms` is the date that a revisit
//! names, or its own), `repeat` (revisits that name another URL than theirs, or
//! were `found`) and `url` (with the page that it is of). Indexes are
//! `capture(url, digest, revisit_of_ms, date_ms)` and `capture(page, date_ms)`.

/// Whether a capture is one of a page.
macro_rules! is_page {
    ($of:literal) => {
        concat!("(", $of, ".status BETWEEN 200 AND 299 AND ", $of, ".mime IN ('text/html', 'application/xhtml+xml'))")
    };
}

/// [`is_page`] of `p`, which is what a capture repeats, or the capture itself.
pub const IS_PAGE: &str = is_page!("p");

/// The same of `w`, which it was taken to repeat before.
pub const WAS_PAGE: &str = is_page!("w");

/// Whether `c` names a payload. What is not modified has none of its own, and
/// that may have been digested; nor does no bytes tell without a head.
macro_rules! names_payload {
    () => {
        "(c.digest <> '' AND (c.digest <> 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ' OR c.status BETWEEN 200 AND 299))"
    };
}

/// See the macro.
pub const NAMES_PAYLOAD: &str = names_payload!();

/// The capture at the URL and second that `c` names. Of several the one with
/// its payload, then the nearest, then a page: the order in which they came
/// does not count.
macro_rules! at_date {
    ($known:literal) => {
        concat!(
            "(SELECT x.id FROM capture x
               WHERE x.page = ifnull((SELECT u.page FROM repeat r JOIN url u ON u.id = r.url WHERE r.capture = c.id), c.page)
                AND +x.url = ifnull((SELECT r.url FROM repeat r WHERE r.capture = c.id), c.url)",
            $known,
            " AND x.revisit_of_ms IS NULL
                AND x.date_ms BETWEEN c.revisit_of_ms - 999 AND c.revisit_of_ms + 999
              ORDER BY x.digest = c.digest AND ",
            names_payload!(),
            " DESC, abs(x.date_ms - c.revisit_of_ms), ",
            is_page!("x"),
            " DESC, x.digest, x.id LIMIT 1)"
        )
    };
}

/// One side in time of [`same_url`].
macro_rules! same_url_side {
    ($known:literal, $side:literal) => {
        concat!(
            "SELECT * FROM (SELECT x.id, x.date_ms, ",
            is_page!("x"),
            " AS is_page FROM capture x WHERE x.url = c.url",
            $known,
            " AND x.digest = c.digest AND ",
            names_payload!(),
            " AND x.revisit_of_ms IS NULL AND x.date_ms ",
            $side,
            ", ",
            is_page!("x"),
            " DESC, x.id LIMIT 1)"
        )
    };
}

/// Of the captures of the URL of `c` with its payload, the one whose date is
/// nearest to that which it names. Each side is one look into an index, however
/// many captures of a URL there are.
macro_rules! same_url {
    ($known:literal) => {
        concat!(
            "(SELECT id FROM (",
            same_url_side!($known, "<= c.revisit_of_ms ORDER BY x.date_ms DESC"),
            " UNION ALL ",
            same_url_side!($known, "> c.revisit_of_ms ORDER BY x.date_ms"),
            ") ORDER BY abs(date_ms - c.revisit_of_ms), is_page DESC, date_ms, id LIMIT 1)"
        )
    };
}

/// As [`ORIGINAL`], among captures that `$known` holds of.
macro_rules! original {
    ($known:literal) => {
        concat!(
            "CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE coalesce(",
            at_date!($known),
            ", ",
            same_url!($known),
            ", (SELECT x.id FROM repeat r JOIN capture x ON x.id = r.found WHERE r.capture = c.id",
            $known,
            ")) END"
        )
    };
}

/// The first clause of the rule, for a revisit `c`.
pub(super) const AT_DATE: &str = at_date!("");

/// The second.
pub(super) const SAME_URL: &str = same_url!("");

/// The capture that `c` repeats, NULL where it is not there; `c` itself where
/// it is no revisit.
pub const ORIGINAL: &str = original!("");

/// [`ORIGINAL`] as it was when capture `?1` was the newest one.
pub const ORIGINAL_THEN: &str = original!(" AND +x.id <= ?1");

/// [`ORIGINAL`] as it is when capture `?2` is the newest one.
pub const ORIGINAL_NOW: &str = original!(" AND +x.id <= ?2");

/// Whether the status of `c` says that it is of no page, whatever it repeats:
/// redirects and errors often have no payload, as empty pages.
pub const SAYS_PAGE: &str = "(c.status IN (0, 304) OR c.status BETWEEN 200 AND 299)";

/// Whether status and type of `c` leave open that it is of a page. The type in
/// the head of what was not modified says nothing.
pub const MAY_BE_PAGE: &str = "(c.status = 304 OR (c.status = 0 OR c.status BETWEEN 200 AND 299)
           AND c.mime IN ('', '-', 'text/html', 'application/xhtml+xml'))";

/// Whether the type of `c` says that it is of a page: then nothing else is found for it.
pub const IS_DECLARED_PAGE: &str = "(c.status <> 304 AND c.mime IN ('text/html', 'application/xhtml+xml'))";

/// Revisits whose original is not there, and that may be of a page. Where their
/// own URL has the payload, there is one: nearly always that look is enough.
pub fn lost_pages() -> String {
    format!(
        "c.revisit_of_ms > -9223372036854775808 AND {MAY_BE_PAGE}
         AND CASE WHEN {NAMES_PAYLOAD} AND EXISTS (SELECT 1 FROM capture x WHERE x.url = c.url
                       AND x.digest = c.digest AND x.revisit_of_ms IS NULL) THEN 0 ELSE {ORIGINAL} IS NULL END"
    )
}
