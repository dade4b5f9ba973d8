//! Runs that schedules called for: what became of each, and why.

use crate::campaign::{Campaign, Run};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::RunId;
use crate::store::rows::{CampaignId, LaunchId};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

/// The state of a scheduled run that fell due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Its turn comes: one crawl of a workspace is at work at a time.
    Waiting,
    /// It waits for a person's answer whether it starts.
    #[serde(rename = "asked")]
    Unanswered,
    /// Its crawl is at work, or was when the program ended.
    Running,
    /// Its crawl came to its end, or to a limit of the campaign.
    Done,
    /// Its crawl was stopped by a person and waits to be resumed.
    Stopped,
    /// Its crawl could not begin or go on.
    Failed,
    /// Nobody was there to start it, and it was left out.
    Missed,
    /// A later run covers it.
    MadeUp,
    /// The campaign's crawl was still at work, so it did not start.
    Overlapped,
    /// A person left it out, or switched the campaign off.
    Skipped,
}

impl RunState {
    const ALL: [Self; 10] = [
        Self::Waiting,
        Self::Unanswered,
        Self::Running,
        Self::Done,
        Self::Stopped,
        Self::Failed,
        Self::Missed,
        Self::MadeUp,
        Self::Overlapped,
        Self::Skipped,
    ];

    /// The state as the catalogue keeps it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Unanswered => "asked",
            Self::Running => "running",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Missed => "missed",
            Self::MadeUp => "made_up",
            Self::Overlapped => "overlapped",
            Self::Skipped => "skipped",
        }
    }

    /// The state for a person.
    pub fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting to start",
            Self::Unanswered => "waiting for an answer",
            Self::Running => "running",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Missed => "missed",
            Self::MadeUp => "missed, covered by a later run",
            Self::Overlapped => "not started, a crawl was running",
            Self::Skipped => "skipped",
        }
    }
}

/// A run that a schedule called for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScheduledRun {
    /// Its number.
    pub id: RunId,
    /// The campaign.
    pub campaign: CampaignId,
    /// Its title.
    pub campaign_name: String,
    /// When it was due.
    pub due: CaptureDate,
    /// Whether it was a one-off date.
    pub is_extra: bool,
    /// Its outcome.
    pub state: RunState,
    /// Number of its launch, once there is one.
    pub launch: Option<LaunchId>,
    /// Name of its launch: its UTC second, 14 digits.
    pub launch_name: Option<String>,
    /// When the schedule was checked and it was found due.
    pub noticed: CaptureDate,
    /// Why it is as it is, in words.
    pub why: String,
}

/// A campaign as a scheduler needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduled {
    /// Its number.
    pub id: CampaignId,
    /// Its latest version.
    pub version: u32,
    /// When it was made: its birthday.
    pub created: CaptureDate,
    /// Its value.
    pub campaign: Campaign,
    /// Its origin, while it waits for a person here to let it run: none of its runs is due.
    pub suspended: Option<String>,
}

const RUN: &str =
    "SELECT r.id, r.campaign, k.name, r.due_ms, r.is_extra, r.state, r.launch, l.launch, r.noticed_ms, r.why
    FROM schedule_run r JOIN campaign k ON k.id = r.campaign LEFT JOIN launch l ON l.id = r.launch";

fn run_row(row: &Row<'_>) -> rusqlite::Result<ScheduledRun> {
    let name: String = row.get(5)?;
    Ok(ScheduledRun {
        id: row.get(0)?,
        campaign: row.get(1)?,
        campaign_name: row.get(2)?,
        due: CaptureDate::from_millis(row.get(3)?),
        is_extra: row.get(4)?,
        state: RunState::ALL.into_iter().find(|state| state.as_str() == name).unwrap_or(RunState::Failed),
        launch: row.get(6)?,
        launch_name: row.get(7)?,
        noticed: CaptureDate::from_millis(row.get(8)?),
        why: row.get(9)?,
    })
}

impl Catalogue {
    /// Every campaign with its birthday, in the order of their numbers, and the errors of those whose
    /// specification cannot be read.
    pub fn scheduled_campaigns(&self) -> Result<(Vec<Scheduled>, Vec<String>), StoreError> {
        let rows = self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT k.id, k.version, k.created_ms, v.spec, o.origin FROM campaign k
                 JOIN campaign_version v ON v.campaign = k.id AND v.version = k.version
                 LEFT JOIN campaign_origin o ON o.campaign = k.id AND o.activated_ms IS NULL
                 WHERE k.deleted_ms IS NULL ORDER BY k.id",
            )?;
            let rows = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
                .collect::<Result<Vec<(CampaignId, u32, i64, String, Option<String>)>, _>>()?;
            Ok(rows)
        })?;
        let (mut campaigns, mut problems) = (Vec::new(), Vec::new());
        for (id, version, created, spec, suspended) in rows {
            match crate::store::campaigns::parse(id, &spec) {
                Ok(campaign) => {
                    let created = CaptureDate::from_millis(created);
                    campaigns.push(Scheduled { id, version, created, campaign, suspended });
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok((campaigns, problems))
    }

    /// Since when a campaign's schedule is as it is now, and on or off. Of one that
    /// came from elsewhere not before a person here let it run.
    pub fn schedule_since(&self, id: CampaignId) -> Result<CaptureDate, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT spec, saved_ms FROM campaign_version WHERE campaign = ?1 ORDER BY version DESC",
            )?;
            let mut rows = statement.query([id])?;
            let mut found: Option<(Campaign, i64)> = None;
            while let Some(row) = rows.next()? {
                // A version that cannot be read is another one.
                let earlier = match crate::store::campaigns::parse(id, &row.get::<_, String>(0)?) {
                    Err(_) if found.is_some() => break,
                    earlier => earlier?,
                };
                match &mut found {
                    None => found = Some((earlier, row.get(1)?)),
                    Some((now, since)) if now.active == earlier.active && now.schedule == earlier.schedule => {
                        *since = row.get(1)?;
                    }
                    Some(_) => break,
                }
            }
            let (_, since) = found.ok_or(StoreError::Missing { what: "campaign", id: id.to_string() })?;
            let activated: Option<Option<i64>> = conn
                .prepare_cached("SELECT activated_ms FROM campaign_origin WHERE campaign = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()?;
            Ok(CaptureDate::from_millis(since.max(activated.flatten().unwrap_or(since))))
        })
    }

    /// Runs of a campaign, or of all, those due last first.
    pub fn scheduled_runs(&self, campaign: Option<CampaignId>, limit: u64) -> Result<Vec<ScheduledRun>, StoreError> {
        self.runs_where(
            "?1 IS NULL OR r.campaign = ?1 ORDER BY r.due_ms DESC, r.id DESC LIMIT ?2",
            params![campaign, i64::try_from(limit).unwrap_or(i64::MAX)],
        )
    }

    /// Runs that wait, need an answer, or are at work; those due first first.
    pub fn open_scheduled_runs(&self) -> Result<Vec<ScheduledRun>, StoreError> {
        self.runs_where("r.state IN ('waiting', 'asked', 'running') ORDER BY r.due_ms, r.id", [])
    }

    /// A run by its number.
    pub fn scheduled_run(&self, id: RunId) -> Result<ScheduledRun, StoreError> {
        let mut runs = self.runs_where("r.id = ?1", [id])?;
        runs.pop().ok_or(StoreError::Missing { what: "scheduled run", id: id.to_string() })
    }

    fn runs_where(&self, condition: &str, values: impl rusqlite::Params) -> Result<Vec<ScheduledRun>, StoreError> {
        self.rows(&format!("{RUN} WHERE {condition}"), values, run_row)
    }

    /// The date at which the last recorded run of a campaign was due, not after `now`.
    pub fn last_scheduled(&self, campaign: CampaignId, now: CaptureDate) -> Result<Option<CaptureDate>, StoreError> {
        self.read(|conn| {
            let due: Option<i64> = conn
                .prepare_cached("SELECT max(due_ms) FROM schedule_run WHERE campaign = ?1 AND due_ms <= ?2")?
                .query_row(params![campaign, now.millis()], |row| row.get(0))?;
            Ok(due.map(CaptureDate::from_millis))
        })
    }

    /// Writes down runs that fell due; returns those not known yet.
    pub fn keep_scheduled(
        &self,
        campaign: CampaignId,
        runs: Vec<(Run, RunState, String)>,
        now: CaptureDate,
    ) -> Result<Vec<ScheduledRun>, StoreError> {
        let ids: Vec<RunId> = self.write(move |conn| {
            let mut ids = Vec::new();
            for (run, state, why) in runs {
                let new: Option<RunId> = conn
                    .prepare_cached(
                        "INSERT INTO schedule_run (campaign, due_ms, is_extra, state, noticed_ms, why)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING RETURNING id",
                    )?
                    .query_row(
                        params![campaign, run.date.millis(), run.is_extra, state.as_str(), now.millis(), why],
                        |row| row.get(0),
                    )
                    .optional()?;
                ids.extend(new);
            }
            Ok(ids)
        })?;
        ids.into_iter().map(|id| self.scheduled_run(id)).collect()
    }

    /// Changes what became of a run.
    pub fn set_scheduled(&self, id: RunId, state: RunState, why: &str) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.execute("UPDATE schedule_run SET state = ?2, why = ?3 WHERE id = ?1", (id, state.as_str(), why))
    }

    /// Says which launch a run has begun.
    pub fn set_scheduled_launch(&self, id: RunId, launch: LaunchId) -> Result<(), StoreError> {
        self.execute("UPDATE schedule_run SET launch = ?2 WHERE id = ?1", (id, launch))
    }

    /// Says what becomes of a run that waits for its turn, unless it has begun.
    pub fn settle_waiting(&self, id: RunId, state: RunState, why: &str) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.execute(
            "UPDATE schedule_run SET state = ?2, why = ?3 WHERE id = ?1 AND state = 'waiting'",
            (id, state.as_str(), why),
        )
    }

    /// Records the answer of a person for a run: it starts, or not. Returns false where the run needs
    /// no answer any more.
    pub fn answer_scheduled(&self, id: RunId, starts: bool) -> Result<bool, StoreError> {
        let (state, why) =
            if starts { (RunState::Waiting, "started by hand") } else { (RunState::Skipped, "skipped by hand") };
        self.write(move |conn| {
            let changed = conn.execute(
                "UPDATE schedule_run SET state = ?2, why = ?3 WHERE id = ?1 AND state = 'asked'",
                params![id, state.as_str(), why],
            )?;
            Ok(changed == 1)
        })
    }

    /// Takes back the rows of runs that are still to come and began no launch: the clock was ahead, and
    /// is right now.
    pub fn forget_scheduled_after(&self, now: CaptureDate) -> Result<u64, StoreError> {
        self.write(move |conn| {
            let gone = conn.execute(
                "DELETE FROM schedule_run WHERE due_ms > ?1 AND launch IS NULL AND state <> 'running'",
                [now.millis()],
            )?;
            Ok(gone as u64)
        })
    }

    /// Whether a launch of this campaign is at work, whoever began it.
    pub fn is_crawling(&self, campaign: CampaignId) -> Result<bool, StoreError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached(
                    "SELECT 1 FROM launch WHERE kind = 'crawl' AND campaign = ?1 AND state IN ('running', 'paused')",
                )?
                .exists([campaign])?)
        })
    }
}
