//! Schedules, permissions and events of the made-up archive.

use super::FixtureDesk;
use crate::app::models::{CampaignId, CrawlEvent, EventKind, EventPage, EventQuery, EventRow, RunState, ScheduledRun};
use crate::app::{CrawlStart, Desk, Plans};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{Candidate, Derivation, Facts, Permissions};
use crate::uri::{CaptureDate, parse_web_url};
use crate::work::{JobReport, ScheduleLook};
use std::sync::PoisonError;

/// A run of the first campaign.
pub(crate) fn run(id: i64, state: RunState) -> ScheduledRun {
    ScheduledRun {
        id,
        campaign: 1,
        campaign_name: "Vila Nova".to_owned(),
        due: CaptureDate::from_seconds(1_773_651_600),
        is_extra: false,
        state,
        launch: None,
        launch_name: None,
        noticed: CaptureDate::from_seconds(1_773_738_000),
        why: "found 24 hours late; Fonds was not running".to_owned(),
    }
}

impl Plans for FixtureDesk {
    fn schedule_look(&self) -> anyhow::Result<ScheduleLook> {
        let look = self.told.look.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert!(look.problems != [super::PANICS], "a made-up defect");
        Ok(look)
    }

    fn run_scheduled(&self, run: i64, cx: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("scheduled run {run}"));
        self.run_crawl(CrawlStart { campaign: 1, version: super::SAVED_VERSION, fresh: true }, cx)
    }

    fn answer_scheduled(&self, run: i64, starts: bool) -> anyhow::Result<String> {
        let mut look = self.told.look.lock().unwrap_or_else(PoisonError::into_inner);
        let (answered, asked) = std::mem::take(&mut look.asked).into_iter().partition(|asked| asked.id == run);
        look.asked = asked;
        let answered: Vec<ScheduledRun> = answered;
        if starts {
            look.waiting.extend(answered);
        }
        self.told.say(format!("answer {run} {starts}"));
        Ok("The answer is kept".to_owned())
    }

    fn scheduled_runs(&self, _: CampaignId, _: u64) -> anyhow::Result<Vec<ScheduledRun>> {
        Ok(vec![run(2, RunState::Missed), run(1, RunState::Done)])
    }

    fn permissions(&self, campaign: &Campaign, urls: &[String]) -> anyhow::Result<Vec<Result<Derivation, String>>> {
        let permissions = Permissions::compile(&campaign.permissions, &campaign.grounds).map_err(anyhow::Error::msg)?;
        Ok(urls
            .iter()
            .map(|url| match parse_web_url(url) {
                Some(url) => Ok(permissions.derive(&Candidate::bare(url), &Facts::default())),
                None => Err("no http or https URL".to_owned()),
            })
            .collect())
    }
}

/// The end of a launch, and a host that refuses.
pub fn event_page(query: &EventQuery) -> EventPage {
    let event = |id: i64, kind, text: &str| EventRow { id, seen: None, event: CrawlEvent::new(kind, text) };
    let mut busy = event(2, EventKind::Host, "the server answered 429: nothing is fetched for 600 seconds");
    (busy.event.host, busy.event.url) = ("museum.example:8080".to_owned(), "http://museum.example:8080/7".to_owned());
    (busy.event.status, busy.event.count, busy.seen) = (429, 12, Some(2));
    let rows = vec![event(3, EventKind::End, "Stopped on request"), busy];
    let kinds = rows.iter().map(|row| (row.event.kind, 1)).collect();
    let is_shown = |row: &EventRow| query.kind.is_none_or(|kind| row.event.kind == kind);
    let rows: Vec<_> = rows.into_iter().filter(is_shown).collect();
    EventPage { total: rows.len() as u64, rows, kinds }
}
