//! What selected captures need to be shown, in SQL.

/// SQL: the links of `needed` captures that a page cannot be shown without, as
/// capture `c` with `k`, the key of the page that they lead to and their URL,
/// and that page `t`, if it is known. A revisit has the links of what it repeats; of
/// a capture that a person rejected none is followed.
macro_rules! needed_links_sql {
    () => {
        "FROM needed n JOIN capture c ON c.id = n.id
         JOIN link_list o ON o.capture = CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE
               ifnull((SELECT x.id FROM capture x WHERE x.url = c.url AND x.digest = c.digest
                        AND x.revisit_of_ms IS NULL ORDER BY x.date_ms DESC LIMIT 1), c.id) END
         JOIN json_each(shown_links(o.links)) k LEFT JOIN page t ON t.key = k.value ->> 0
         WHERE n.id NOT IN (SELECT capture FROM rejected)"
    };
}

/// SQL: the capture of the page of `t` that is nearest to `c` in time.
macro_rules! nearest_sql {
    () => {
        "(SELECT x.id FROM capture x WHERE x.page = t.id ORDER BY abs(x.date_ms - c.date_ms), x.id LIMIT 1)"
    };
}

/// SQL: common table expressions after `asked (campaign)`: what the selected
/// captures of those campaigns need (images, style sheets and scripts, as
/// captured nearest in time, what those need in turn, and the goals of
/// redirects). `along (campaign, capture)` is what comes along with them; a
/// capture that a person rejected never does.
macro_rules! needed_sql {
    () => {
        $crate::store::needed::needed_sql!(
            $crate::store::needed::nearest_sql!(),
            $crate::store::needed::needed_links_sql!()
        )
    };
    ($nearest:expr, $links:expr) => {
        concat!(
            "decided (capture, mark, id) AS MATERIALIZED (
                SELECT capture, mark, max(id) FROM mark WHERE undone_ms IS NULL AND mark <> 'note' GROUP BY capture),
             rejected (capture) AS MATERIALIZED (SELECT capture FROM decided WHERE mark = 'reject'),
             chosen (campaign, id) AS (
                SELECT campaign, capture FROM score
                WHERE selected AND campaign IN asked AND capture NOT IN (SELECT capture FROM rejected)
                UNION
                SELECT a.campaign, d.capture FROM asked a, decided d
                JOIN capture c ON c.id = d.capture JOIN launch l ON l.id = c.launch
                WHERE d.mark = 'approve' AND (l.campaign IS NULL OR l.campaign = a.campaign)),
             needed (campaign, id) AS (
                SELECT campaign, id FROM chosen UNION SELECT n.campaign, ",
            $nearest,
            " ",
            $links,
            "), along (campaign, capture) AS (
                SELECT campaign, id FROM needed WHERE id IS NOT NULL AND id NOT IN (SELECT capture FROM rejected)
                EXCEPT SELECT campaign, id FROM chosen)"
        )
    };
}

pub(super) use {nearest_sql, needed_links_sql, needed_sql};
