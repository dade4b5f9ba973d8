//! Trials: launches that a person keeps or discards as a whole, and the pages of theirs that are
//! marked as relevant or not.

use super::recovery::lose;
use crate::jobs::counted;
use crate::store::captures::link_list::{blocks_of, outlinks_of, remove_empty_blocks};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::{CaptureId, LaunchId, LaunchRow, LaunchState, NOTHING_FETCHED, ONLY_ERRORS};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// A launch that is tried: a person keeps or discards it as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trial {
    /// The most URLs that it fetches.
    pub urls: u64,
    /// A person kept it.
    pub is_kept: bool,
    /// It is a patch, which fetches a list of URLs that captures lack.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_patch: bool,
}

impl Trial {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match (self.is_patch, self.is_kept) {
            (true, true) => "Patch, kept",
            (true, false) => "Patch",
            (false, true) => "Trial, kept",
            (false, false) => "Trial",
        }
    }
}

impl LaunchRow {
    /// Its state as text.
    pub fn label(&self) -> String {
        match self.trial {
            Some(trial) => format!("{}: {}", trial.label(), self.state_label().to_lowercase()),
            None => self.state_label(),
        }
    }

    fn state_label(&self) -> String {
        match self.state {
            _ if self.nothing_fetched => NOTHING_FETCHED.to_owned(),
            _ if self.only_errors => ONLY_ERRORS.to_owned(),
            LaunchState::Finished if self.failed > 0 => format!("Finished with {} failed", self.failed),
            state => state.label().to_owned(),
        }
    }
}

/// Counts of what goes with a trial.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TrialContents {
    /// UTC start, 14 digits.
    pub launch: String,
    /// Name of its job.
    pub job: String,
    /// Captures.
    pub captures: u64,
    /// URLs that it has seen.
    pub seen: u64,
    /// Pages that were marked as relevant or not.
    pub marked: u64,
    /// It is a patch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_patch: bool,
    /// Captures that a person decided about, judged, or put into a collection.
    pub decided: u64,
    /// Captures of other launches that repeat one of its captures and have no content of their own.
    pub repeats: u64,
    /// Captures that imported files hold as well.
    pub imported: u64,
}

impl TrialContents {
    /// The reasons to keep it, each with a number; none where nothing is lost but the trial.
    pub fn losses(&self) -> Vec<String> {
        let mut losses = Vec::new();
        if self.decided > 0 {
            losses.push(format!("a person decided about {} of it", counted(self.decided, "capture")));
        }
        if self.repeats > 0 {
            let repeats = counted(self.repeats, "revisit");
            losses.push(format!("{repeats} of other crawls or imports repeat its captures and lose their content"));
        }
        if self.imported > 0 {
            losses.push(format!("imported files hold {} of it as well", counted(self.imported, "capture")));
        }
        losses
    }
}

/// A trial or a patch that was discarded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiscardedLaunch {
    /// Its number among those.
    #[serde(skip)]
    pub id: i64,
    /// Title of its campaign.
    pub campaign: String,
    /// Name of its job.
    pub job: String,
    /// UTC start, 14 digits.
    pub launch: String,
    /// Captures that it had.
    pub captures: u64,
    /// Who discarded it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Its files are among those that were discarded.
    #[serde(skip)]
    pub is_moved: bool,
    /// It was a patch.
    pub is_patch: bool,
}

/// What a person said of a page of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relevance {
    /// The campaign is about it.
    Relevant,
    /// It is not.
    Irrelevant,
}

impl Relevance {
    /// Its name in the catalogue and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relevant => "relevant",
            Self::Irrelevant => "irrelevant",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        [Self::Relevant, Self::Irrelevant].into_iter().find(|of| of.name() == name)
    }
}

/// A page that a launch read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPage {
    /// Its capture.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// Its host with port.
    pub host: String,
    /// Its title. Hostile text.
    pub title: String,
    /// What it has of the request, from 0 to 10,000; none where the launch had no words to look for.
    pub score: Option<u16>,
    /// What a person said of it.
    pub relevance: Option<Relevance>,
    /// Whether a seed led to it by itself, or by redirects.
    pub is_seed: bool,
    /// The URL that led to it; none of seeds.
    pub via: Option<String>,
    /// The text of the link that led to it. Hostile text.
    pub anchor: String,
}

/// A link of a page: its target and its text.
pub type LinkedText = (String, String);

/// Number of [`Media::Page`](crate::captures::Media::Page).
const PAGE: i64 = crate::captures::Media::Page as i64;

impl Catalogue {
    /// What goes with a trial that is discarded.
    ///
    /// # Errors
    ///
    /// No such launch, or a catalogue that cannot be read.
    pub fn trial_contents(&self, id: LaunchId) -> Result<TrialContents, StoreError> {
        self.read(|conn| contents(conn, id))
    }

    /// Keeps a trial: from now on it is a launch like others, but for that it is never resumed.
    pub fn keep_trial(&self, id: LaunchId) -> Result<(), StoreError> {
        self.write(move |conn| {
            check_open(conn, id)?;
            conn.execute("UPDATE launch SET kept_ms = ?2 WHERE id = ?1", params![id, CaptureDate::now().millis()])?;
            Ok(())
        })
    }

    /// Takes a trial out of the catalogue, all or nothing: its captures with all that is known of
    /// them, its queue and its events. Its files are left to [`Self::discarded_launches`].
    ///
    /// # Errors
    ///
    /// A launch that is no trial, was kept or runs; a catalogue that cannot be written.
    pub fn discard_trial(&self, id: LaunchId, who: &str) -> Result<TrialContents, StoreError> {
        let who = who.to_owned();
        self.write(move |conn| {
            check_open(conn, id)?;
            let contents = contents(conn, id)?;
            let ids = conn
                .prepare("SELECT id FROM capture WHERE launch = ?1 ORDER BY id")?
                .query_map([id], |row| row.get(0))?
                .collect::<Result<Vec<CaptureId>, _>>()?;
            conn.execute("DELETE FROM relevance_mark WHERE launch = ?1", [id])?;
            conn.execute(
                "CREATE TEMP TABLE discarded_page AS SELECT DISTINCT page FROM capture WHERE launch = ?1",
                [id],
            )?;
            let blocks = blocks_of(conn, &ids)?;
            for capture in &ids {
                conn.prepare_cached("DELETE FROM file_rule WHERE capture = ?1")?.execute([capture])?;
                lose(conn, id, *capture)?;
            }
            remove_empty_blocks(conn, blocks)?;
            compare_again(conn)?;
            conn.execute_batch("DROP TABLE discarded_page")?;
            conn.execute(
                "INSERT INTO discarded_launch (campaign, job, launch, captures, who, date_ms, is_patch)
                 SELECT ifnull(k.name, ''), l.job, l.launch, ?2, ?3, ?4, ?5
                 FROM launch l LEFT JOIN campaign k ON k.id = l.campaign WHERE l.id = ?1",
                params![id, int(contents.captures), who, CaptureDate::now().millis(), contents.is_patch],
            )?;
            for known in [
                "DELETE FROM seen WHERE launch = ?1",
                "DELETE FROM seen_tally WHERE launch = ?1",
                "DELETE FROM patch_url WHERE launch = ?1",
                "DELETE FROM launch_term WHERE launch = ?1",
                "DELETE FROM host_wait WHERE launch = ?1",
                "DELETE FROM robots WHERE launch = ?1",
                "DELETE FROM event WHERE launch = ?1",
                "DELETE FROM launch_change WHERE launch = ?1",
                "DELETE FROM launch_sample WHERE launch = ?1",
                "DELETE FROM copied_capture WHERE file IN (SELECT id FROM warc_file WHERE launch = ?1)",
                "UPDATE import_file SET file = NULL WHERE file IN (SELECT id FROM warc_file WHERE launch = ?1)",
                "DELETE FROM problem WHERE file IN (SELECT id FROM warc_file WHERE launch = ?1)",
                "DELETE FROM warc_file WHERE launch = ?1",
                "UPDATE schedule_run SET launch = NULL WHERE launch = ?1",
                "DELETE FROM launch WHERE id = ?1",
            ] {
                conn.execute(known, [id])?;
            }
            Ok(contents)
        })
    }

    /// Trials that were discarded, oldest first.
    pub fn discarded_launches(&self) -> Result<Vec<DiscardedLaunch>, StoreError> {
        self.rows(
            "SELECT id, campaign, job, launch, captures, who, date_ms, is_moved, is_patch FROM discarded_launch ORDER BY id",
            [],
            |row| {
                Ok(DiscardedLaunch {
                    id: row.get(0)?,
                    campaign: row.get(1)?,
                    job: row.get(2)?,
                    launch: row.get(3)?,
                    captures: uint(row.get(4)?),
                    who: row.get(5)?,
                    date: CaptureDate::from_millis(row.get(6)?),
                    is_moved: row.get(7)?,
                    is_patch: row.get(8)?,
                })
            },
        )
    }

    /// The files of a trial that was discarded are moved.
    pub(in crate::store) fn discarded_is_moved(&self, id: i64) -> Result<(), StoreError> {
        self.execute("UPDATE discarded_launch SET is_moved = 1 WHERE id = ?1", [id])
    }

    /// Keeps what a person said of pages of a launch; none takes it back.
    pub fn mark_relevance(
        &self,
        launch: LaunchId,
        captures: &[CaptureId],
        relevance: Option<Relevance>,
        who: &str,
    ) -> Result<(), StoreError> {
        let (captures, who) = (captures.to_vec(), who.to_owned());
        self.write(move |conn| {
            let now = CaptureDate::now().millis();
            let mut statement = conn.prepare_cached(
                "INSERT INTO relevance_mark (launch, capture, mark, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for capture in &captures {
                statement.execute(params![launch, capture, relevance.map_or("none", Relevance::name), who, now])?;
            }
            Ok(())
        })
    }

    /// The pages that a launch read, in the order of their capture: each URL once.
    pub fn read_pages(&self, launch: LaunchId) -> Result<Vec<ReadPage>, StoreError> {
        self.rows(
            "SELECT max(c.id), u.url, h.name, c.title, s.score,
                (SELECT m.mark FROM relevance_mark m WHERE m.launch = c.launch AND m.capture = c.id
                 ORDER BY m.id DESC LIMIT 1), ifnull(s.is_seed, 0),
                (SELECT url FROM url WHERE id = ifnull(s.linker, s.via)), ifnull(s.linker_anchor, ifnull(s.anchor, ''))
             FROM capture c JOIN url u ON u.id = c.url JOIN host h ON h.id = c.host
             LEFT JOIN seen s ON s.url = c.url AND s.launch = c.launch
             WHERE c.launch = ?1 AND c.media = ?2 AND c.status BETWEEN 200 AND 299 GROUP BY c.url ORDER BY c.id",
            params![launch, PAGE],
            |row| {
                let mark: Option<String> = row.get(5)?;
                Ok(ReadPage {
                    capture: row.get(0)?,
                    url: row.get(1)?,
                    host: row.get(2)?,
                    title: row.get(3)?,
                    score: row.get(4)?,
                    relevance: mark.as_deref().and_then(Relevance::of_name),
                    is_seed: row.get(6)?,
                    via: row.get(7)?,
                    anchor: row.get(8)?,
                })
            },
        )
    }

    /// The seed of the random choices of a launch.
    pub fn order_seed(&self, launch: LaunchId) -> Result<u64, StoreError> {
        let seed: Option<i64> =
            self.row_if_any("SELECT order_seed FROM launch WHERE id = ?1", [launch], |row| row.get(0))?;
        Ok(seed.unwrap_or_default().cast_unsigned())
    }

    /// The links of captures that lead to pages, in the order of the page.
    pub fn page_links(&self, captures: &[CaptureId]) -> Result<Vec<Vec<LinkedText>>, StoreError> {
        self.read(|conn| {
            let links = |capture: &CaptureId| -> Result<Vec<LinkedText>, StoreError> {
                let links = outlinks_of(conn, *capture)?.into_iter();
                Ok(links.filter(|link| link.kind.hop() == 'L').map(|link| (link.url, link.anchor)).collect())
            };
            captures.iter().map(links).collect()
        })
    }
}

/// Refuses a launch that cannot be kept or discarded.
fn check_open(conn: &Connection, id: LaunchId) -> Result<(), StoreError> {
    let found = conn
        .prepare(
            "SELECT trial IS NOT NULL, kept_ms IS NOT NULL, state IN ('running', 'paused') FROM launch WHERE id = ?1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    match found {
        None => Err(StoreError::Missing { what: "launch", id: id.to_string() }),
        Some((false, ..)) => Err(StoreError::NoTrial("it is no trial")),
        Some((_, true, _)) => Err(StoreError::NoTrial("it was kept")),
        Some((.., true)) => Err(StoreError::NoTrial("it runs; stop it first")),
        Some(_) => Ok(()),
    }
}

/// Compares captures of the pages in the table `discarded_page` with those before them again.
fn compare_again(conn: &Connection) -> Result<(), StoreError> {
    conn.execute_batch(
        "UPDATE capture SET change = ifnull((SELECT 1 + (p.digest = capture.digest) FROM capture p
            WHERE p.page = capture.page AND p.date_ms < capture.date_ms AND p.status BETWEEN 200 AND 299
            ORDER BY p.date_ms DESC LIMIT 1), 0)
         WHERE page IN (SELECT page FROM discarded_page) AND revisit_of_ms IS NULL AND status BETWEEN 200 AND 299;
         UPDATE capture SET change = ifnull((SELECT p.status BETWEEN 200 AND 299 FROM capture p
            WHERE p.page = capture.page AND p.date_ms < capture.date_ms AND p.status NOT BETWEEN 300 AND 399
            ORDER BY p.date_ms DESC LIMIT 1), 0)
         WHERE page IN (SELECT page FROM discarded_page) AND revisit_of_ms IS NULL AND status >= 400",
    )?;
    Ok(())
}

fn contents(conn: &Connection, id: LaunchId) -> Result<TrialContents, StoreError> {
    let names = conn.query_row("SELECT launch, job FROM launch WHERE id = ?1", [id], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    let (launch, job) = names.optional()?.ok_or(StoreError::Missing { what: "launch", id: id.to_string() })?;
    let count = |sql: &str| -> rusqlite::Result<u64> { conn.query_row(sql, [id], |row| row.get(0).map(uint)) };
    Ok(TrialContents {
        launch,
        job,
        is_patch: count("SELECT EXISTS (SELECT 1 FROM patch_url WHERE launch = ?1)")? > 0,
        captures: count("SELECT count(*) FROM capture WHERE launch = ?1")?,
        seen: count("SELECT count(*) FROM seen WHERE launch = ?1")?,
        marked: count(
            "SELECT count(*) FROM (SELECT mark, max(id) FROM relevance_mark WHERE launch = ?1 GROUP BY capture)
             WHERE mark <> 'none'",
        )?,
        decided: count(
            "SELECT count(*) FROM capture c WHERE c.launch = ?1 AND (
                EXISTS (SELECT 1 FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL)
                OR EXISTS (SELECT 1 FROM judgement j WHERE j.capture = c.id)
                OR EXISTS (SELECT 1 FROM collected k WHERE k.capture = c.id AND k.who <> ''))",
        )?,
        repeats: count(
            "SELECT count(*) FROM capture r JOIN capture c ON c.id = r.original
             WHERE c.launch = ?1 AND r.launch <> ?1",
        )?,
        imported: count(
            "SELECT count(DISTINCT k.capture) FROM copied_capture k JOIN capture c ON c.id = k.capture
             WHERE c.launch = ?1",
        )?,
    })
}
