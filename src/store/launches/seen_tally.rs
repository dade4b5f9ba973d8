//! Seen URLs counted for a whole batch of rows.
//!
//! Triggers count rows wherever one comes or changes: a crawl, its recovery and a
//! new judgement change rows by statements of their own, and only SQLite knows
//! what those rows were before. An import of a log is the one place that knows it
//! itself, and the only one that brings millions of rows at once, most of which fall
//! on the same few counts; so it sums them up here first. Of about 27 µs that a line
//! takes the triggers would be 3 more.
//!
//! Invariant: `seen_tally` counts each row of `seen` as the triggers would.

use super::ledger::{FAILED, FETCHED};
use crate::store::catalogue::error::StoreError;
use crate::store::rows::LaunchId;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// The key that a row of seen URLs is counted by, apart from its launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) struct Counted {
    pub host: i64,
    pub state: i64,
    pub fetch_status: i64,
    pub accepted: bool,
    pub rule_index: Option<i64>,
    pub rule_name: String,
}

impl Counted {
    /// The class of answers, as in the schema.
    fn class(&self) -> i64 {
        match self.state {
            FETCHED if self.fetch_status == 429 => 5,
            FETCHED => (self.fetch_status / 100 - 2).clamp(0, 3),
            FAILED => 4,
            _ => -1,
        }
    }
}

/// Changes to the counts of one launch.
#[derive(Default)]
pub(in crate::store) struct TallyChange(HashMap<Counted, i64>);

impl TallyChange {
    /// Lets `work` change rows of `seen` without the triggers, and counts the changes that it returns.
    /// Nothing else may write to the connection meanwhile.
    pub(in crate::store) fn of<T>(
        conn: &Connection,
        launch: LaunchId,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut change = Self::default();
        let answer = {
            let _off = TriggersOff::new(conn)?;
            work(&mut change)?
        };
        change.write(conn, launch)?;
        Ok(answer)
    }

    /// A row has come.
    pub(in crate::store) fn comes(&mut self, row: Counted) {
        self.add(row, 1);
    }

    /// A row has become another.
    pub(in crate::store) fn changes(&mut self, before: Counted, after: Counted) {
        self.add(before, -1);
        self.add(after, 1);
    }

    fn add(&mut self, row: Counted, rows: i64) {
        *self.0.entry(row).or_default() += rows;
    }

    fn write(self, conn: &Connection, launch: LaunchId) -> Result<(), StoreError> {
        let mut add = conn.prepare_cached(
            "INSERT INTO seen_tally VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT DO UPDATE SET urls = urls + excluded.urls",
        )?;
        for (row, rows) in self.0.into_iter().filter(|(_, rows)| *rows != 0) {
            let index = row.rule_index.unwrap_or(-1);
            let class = row.class();
            add.execute(params![launch, row.host, row.state, class, row.accepted, index, row.rule_name, rows])?;
        }
        Ok(())
    }
}

/// While it lives no trigger fires on the connection. However the work ends
/// they come back: rows that other writes change would not be counted.
struct TriggersOff<'c>(&'c Connection);

impl<'c> TriggersOff<'c> {
    fn new(conn: &'c Connection) -> Result<Self, StoreError> {
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        Ok(Self(conn))
    }
}

impl Drop for TriggersOff<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true) {
            tracing::error!("seen URLs are counted no more until the workspace is opened again: {error}");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::scope::{Decision, Verdict};
    use crate::store::{Catalogue, LoggedFate, LoggedUrl, Workspace};
    use crate::uri::{CaptureDate, Url};

    fn line(number: usize, fate: LoggedFate, verdict: Option<(Decision, Option<usize>)>) -> LoggedUrl {
        LoggedUrl {
            url: Url::parse(&format!("http://host{}.pt/{number}", number % 3)).unwrap(),
            via: None,
            hops: "L".to_owned(),
            seed: None,
            source_tag: String::new(),
            verdict: verdict.map(|(decision, rule_index)| Verdict {
                decision,
                rule_index,
                rule_name: format!("Rule{}", rule_index.unwrap_or(9)),
            }),
            fate,
            date: CaptureDate::from_millis(5),
        }
    }

    /// The stored counts, and those of the rows.
    fn counts(catalogue: &Catalogue) -> [Vec<String>; 2] {
        let rows = |sql: &'static str| {
            let read = |conn: &Connection| {
                let mut statement = conn.prepare(sql)?;
                let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
                Ok(rows.collect::<Result<Vec<_>, _>>()?)
            };
            catalogue.read(read).unwrap()
        };
        [
            rows(
                "SELECT concat_ws(' ', launch, host, state, class, accepted, rule_index, rule_name, urls) AS words
                 FROM seen_tally WHERE urls <> 0 ORDER BY words",
            ),
            rows(
                "SELECT concat_ws(' ', launch, host, state, CASE state
                        WHEN 2 THEN min(max(fetch_status / 100 - 2, 0), 3) WHEN 3 THEN 4 ELSE -1 END,
                    accepted, ifnull(rule_index, -1), rule_name, count(*)) AS words
                 FROM seen GROUP BY launch, host, state, CASE state
                        WHEN 2 THEN min(max(fetch_status / 100 - 2, 0), 3) WHEN 3 THEN 4 ELSE -1 END,
                    accepted, rule_index, rule_name ORDER BY words",
            ),
        ]
    }

    #[track_caller]
    fn check(catalogue: &Catalogue, what: &str) {
        let [tallied, real] = counts(catalogue);
        assert_eq!(tallied, real, "{what}");
    }

    #[test]
    fn what_is_counted_in_a_batch_is_what_the_rows_come_to() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &Campaign::new("Town")).unwrap();
        let launch = catalogue.engine_launch(campaign, "town", "20240101000000", CaptureDate::from_millis(5)).unwrap();
        let (accept, reject) = (Decision::Accept, Decision::Reject);
        let mut lines = Vec::new();
        for number in 0..40 {
            let decision = if number % 4 == 0 { reject } else { accept };
            lines.push(line(number, LoggedFate::Decided, Some((decision, (number % 5 > 0).then_some(number % 5)))));
        }
        for number in 10..60 {
            let fate = match number % 7 {
                0 => LoggedFate::Failed(-2, "no connection".to_owned()),
                1 => LoggedFate::Refused(-5000),
                2 => LoggedFate::Fetched(404),
                3 => LoggedFate::Fetched(70),
                4 => LoggedFate::Fetched(999),
                _ => LoggedFate::Fetched(200),
            };
            lines.push(line(number, fate, (number % 9 == 0).then_some((accept, Some(7)))));
        }
        // All at once, in parts, and again with what is known already.
        let take = |lines: &[LoggedUrl]| catalogue.take_logged(launch, lines.to_vec()).unwrap().wait().unwrap();
        assert_eq!(take(&lines[..20]), 20);
        check(catalogue, "the first lines");
        assert_eq!(take(&lines), 40);
        check(catalogue, "all lines");
        assert_eq!(take(&lines), 0);
        check(catalogue, "read again");
        lines.reverse();
        assert_eq!(take(&lines), 0);
        check(catalogue, "the other way round");
        // Rows that come by themselves are counted as before.
        catalogue
            .write(|conn| {
                conn.execute("UPDATE seen SET state = 3 WHERE state = 2", [])?;
                Ok(())
            })
            .unwrap();
        check(catalogue, "by the triggers");
        assert!(counts(catalogue)[0].len() > 10);
    }
    #[test]
    fn rows_are_counted_again_after_a_batch_that_broke_off() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &Campaign::new("Town")).unwrap();
        let launch = catalogue.engine_launch(campaign, "town", "20240101000000", CaptureDate::from_millis(5)).unwrap();
        let lines = (0..9).map(|number| line(number, LoggedFate::Fetched(200), None)).collect();
        catalogue.take_logged(launch, lines).unwrap().wait().unwrap();
        for panics in [false, true] {
            let broken = catalogue.write(move |conn| {
                let work = || {
                    TallyChange::of(conn, launch, |_| match panics {
                        true => panic!("a defect"),
                        false => conn.execute("UPDATE nothing SET at = 1", []).map_err(StoreError::from),
                    })
                };
                Ok(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_or(true, |work| work.is_err()))
            });
            assert!(broken.unwrap());
            let change = move |conn: &Connection| {
                Ok(conn
                    .execute("UPDATE seen SET state = ?1 WHERE id % 2 = 0", [if panics { FETCHED } else { FAILED }])?)
            };
            assert!(catalogue.write(move |conn| change(conn)).unwrap() > 0);
            check(catalogue, "after a batch that broke off");
        }
    }
}
