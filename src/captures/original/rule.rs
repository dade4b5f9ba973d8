//! The rule by which a revisit finds what it repeats, as SQL: one for the
//! catalogue and for archives that are read once.
//!
//! Tables are `capture` (of which `revisit_of_ms` is the date that a revisit
//! names, or its own), `repeat` (revisits that name another URL than theirs, or
//! were `found` by their payload) and `url` (with the page that it is of).
//! Indexes are `capture(url, digest, revisit_of_ms, date_ms)`, the same of
//! `page`, and `capture(page, date_ms)`: then each revisit is some looks into them.

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

/// Of originals that are `$like` it and have its payload digest, the one whose
/// date is nearest to that which `c` names; of two at one date the page, so that
/// the order in which they came does not tell. Each half is one look into an index,
/// however many captures of a page there are.
macro_rules! nearest {
    ($like:literal, $known:literal) => {
        concat!(
            "(SELECT id FROM (
                SELECT * FROM (SELECT x.id, x.date_ms, ",
            is_page!("x"),
            " AS is_page FROM capture x WHERE ",
            $like,
            $known,
            "
                    AND x.digest = c.digest AND ",
            names_payload!(),
            " AND x.revisit_of_ms IS NULL
                    AND x.date_ms <= c.revisit_of_ms ORDER BY x.date_ms DESC, ",
            is_page!("x"),
            " DESC, x.id LIMIT 1)
                UNION ALL
                SELECT * FROM (SELECT x.id, x.date_ms, ",
            is_page!("x"),
            " FROM capture x WHERE ",
            $like,
            $known,
            "
                    AND x.digest = c.digest AND ",
            names_payload!(),
            " AND x.revisit_of_ms IS NULL
                    AND x.date_ms > c.revisit_of_ms ORDER BY x.date_ms, ",
            is_page!("x"),
            " DESC, x.id LIMIT 1)
             ) ORDER BY abs(date_ms - c.revisit_of_ms), is_page DESC, date_ms, id LIMIT 1)"
        )
    };
}

/// The first original of a page at the date that `c` names, to the second.
macro_rules! at_date {
    ($page:literal, $known:literal, $($like:expr),+) => {
        concat!(
            "(SELECT x.id FROM capture x WHERE x.page = ",
            $page,
            $($like,)+
            $known,
            " AND x.revisit_of_ms IS NULL
                AND x.date_ms BETWEEN c.revisit_of_ms - 999 AND c.revisit_of_ms + 999
              ORDER BY abs(x.date_ms - c.revisit_of_ms), ",
            is_page!("x"),
            " DESC, x.digest, x.id LIMIT 1)"
        )
    };
}

/// As [`ORIGINAL`], among captures that `$known` holds of.
macro_rules! original {
    ($known:literal) => {
        concat!(
            "CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE coalesce(",
            nearest!("x.url = ifnull((SELECT r.url FROM repeat r WHERE r.capture = c.id), c.url)", $known),
            ",",
            at_date!(
                "ifnull((SELECT u.page FROM repeat r JOIN url u ON u.id = r.url WHERE r.capture = c.id), c.page)",
                $known,
                " AND +x.url = ifnull((SELECT r.url FROM repeat r WHERE r.capture = c.id), c.url)"
            ),
            ",",
            nearest!("x.page = c.page", $known),
            ",",
            at_date!("c.page", $known, " AND NOT ", names_payload!()),
            ", (SELECT x.id FROM repeat r JOIN capture x ON x.id = r.found WHERE r.capture = c.id",
            $known,
            ")) END"
        )
    };
}

/// The capture that `c` repeats, NULL where it is not there; `c` itself where
/// it is no revisit. It is of the URL that the revisit names, or of its own,
/// with the same payload; where digests do not tell (`sha256:`, or made of
/// chunks), it is the one at the date that the revisit names. Where there is
/// none, other spellings of its own page will do, and after them what was
/// `found` among pages of any URL that gave the same payload.
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

/// Revisits whose original is not there, and that may be of a page. Where their
/// own page has the payload, there is one: nearly always that look is enough.
pub fn lost_pages() -> String {
    format!(
        "c.revisit_of_ms > -9223372036854775808 AND {MAY_BE_PAGE}
         AND CASE WHEN {NAMES_PAYLOAD} AND EXISTS (SELECT 1 FROM capture x WHERE x.page = c.page
                       AND x.digest = c.digest AND x.revisit_of_ms IS NULL) THEN 0 ELSE {ORIGINAL} IS NULL END"
    )
}
