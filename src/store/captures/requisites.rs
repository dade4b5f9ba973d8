//! Requisites are the captures that selected pages need to be shown; they are found in SQL.

/// SQL: the links of `needed` captures that a page cannot be shown without, as
/// capture `c` with `k`, the key of the page that they lead to and their URL,
/// and that page `t`, if it is known. A revisit has the links of what it repeats; of
/// a capture that a person rejected none is followed.
macro_rules! needed_links_sql {
    () => {
        concat!(
            "FROM needed n JOIN capture c ON c.id = n.id JOIN capture p ON p.id = ",
            $crate::store::captures::originals::original_sql!(),
            " JOIN link_list o ON o.capture = ",
            $crate::store::captures::originals::has_links_sql!(),
            " ",
            $crate::store::captures::link_list::join_block_sql!(),
            " JOIN json_each(shown_links(",
            $crate::store::captures::link_list::list_sql!(),
            ")) k LEFT JOIN page t ON t.key = k.value ->> 0
             WHERE n.id NOT IN (SELECT capture FROM rejected)"
        )
    };
}

/// SQL: the capture of the page of `t` that `c` is shown with: the nearest one that is no error.
macro_rules! requisite_capture_sql {
    () => {
        $crate::store::captures::originals::nearest_of_page_sql!("t.id", "c.date_ms", without_errors)
    };
}

/// SQL: common table expressions after `target_campaign (campaign)`: `chosen (campaign, id)` are
/// the selected captures of those campaigns, `rejected (capture, id)` those that a person
/// rejected, whoever selected them, and new versions of rejected pages that nobody
/// approved, each with its rejection.
macro_rules! chosen_sql {
    () => {
        concat!(
            $crate::store::captures::requisites::decided_sql!(),
            ", rejected (capture, id) AS MATERIALIZED (SELECT capture, id FROM decided WHERE mark = 'reject'
             UNION SELECT c.id, (SELECT m.id FROM mark m WHERE ",
            $crate::store::review::marks::earlier_rejections_sql!(),
            " ORDER BY m.id DESC LIMIT 1)
             FROM capture c WHERE c.page IN (SELECT page FROM mark WHERE mark = 'reject' AND undone_ms IS NULL) AND ",
            $crate::store::review::marks::rejected_before_sql!(),
            "), chosen (campaign, id) AS (
            SELECT campaign, capture FROM score
            WHERE selected AND campaign IN target_campaign AND capture NOT IN (SELECT capture FROM rejected)
            UNION
            SELECT a.campaign, d.capture FROM target_campaign a, decided d
            JOIN capture c ON c.id = d.capture JOIN launch l ON l.id = c.launch
            WHERE d.mark = 'approve' AND l.campaign = a.campaign)"
        )
    };
}

/// SQL: a common table expression: `decided (capture, mark, id)` are all captures with a decision, the
/// one that was given on them or that they inherit.
macro_rules! decided_sql {
    () => {
        concat!(
            "decided (capture, mark, id) AS MATERIALIZED (SELECT c.id, m.mark, max(m.id)
                FROM mark m CROSS JOIN capture c INDEXED BY capture_payload ON ",
            $crate::store::review::marks::decisions_on_sql!(),
            " GROUP BY c.id)"
        )
    };
}

/// SQL: the same, and what the selected
/// captures of those campaigns need (images, style sheets and scripts, as
/// captured nearest in time, what those need in turn, and the goals of
/// redirects). `along (campaign, capture)` is what comes along with them; a
/// capture that a person rejected never does. A condition limits the selected captures
/// whose needs are looked up.
macro_rules! needed_sql {
    () => {
        $crate::store::captures::requisites::needed_sql!("")
    };
    ($of_chosen:literal) => {
        concat!(
            $crate::store::captures::requisites::chosen_sql!(),
            ", needed (campaign, id) AS (
                SELECT campaign, id FROM chosen ",
            $of_chosen,
            " UNION SELECT n.campaign, ",
            $crate::store::captures::requisites::requisite_capture_sql!(),
            " ",
            $crate::store::captures::requisites::needed_links_sql!(),
            "), along (campaign, capture) AS (
                SELECT campaign, id FROM needed WHERE id IS NOT NULL AND id NOT IN (SELECT capture FROM rejected)
                EXCEPT SELECT campaign, id FROM chosen)"
        )
    };
}

/// SQL: the requisites of the selection of the target campaign.
macro_rules! requisite_sql {
    () => {
        concat!(
            "(c.id IN (SELECT capture FROM requisite WHERE campaign = ?1) AND ifnull(",
            $crate::store::review::marks::decision_sql!(),
            ", '') <> 'reject' AND NOT ",
            $crate::store::review::marks::selected_sql!(),
            ")"
        )
    };
}

/// SQL: what would come along with the selection of the target campaign and does not, since a
/// person rejected it; found once for a question.
macro_rules! vetoed_sql {
    () => {
        concat!(
            "(c.id IN (WITH RECURSIVE target_campaign (campaign) AS (SELECT ?1), ",
            $crate::store::captures::requisites::needed_sql!(),
            " SELECT id FROM needed WHERE id IN (SELECT capture FROM rejected)))"
        )
    };
}

pub(in crate::store) use {
    chosen_sql, decided_sql, needed_links_sql, needed_sql, requisite_capture_sql, requisite_sql, vetoed_sql,
};
