//! What waits for a person in the current campaign, and the next step of the work.

use super::models::{CampaignRow, LaunchRow, LaunchState, Urgency, WaitingKind};
use super::{Action, AppState, Command, Route};
use crate::jobs::counted;

/// A thing that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ToDo {
    /// Its weight.
    pub urgency: Urgency,
    /// What waits.
    pub what: String,
    /// What is known of it besides.
    pub about: String,
    /// The verb of the link.
    pub label: &'static str,
    /// What the link does.
    pub command: Command,
}

/// The next step of the work: an action, or a page.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// An action under this label.
    Do(Action, &'static str),
    /// A page under a label, with how many wait there.
    Go(Route, &'static str, Option<u64>),
}

/// Filter of captures whose URL was rejected before and has changed since.
pub const REJECTED_BEFORE: &str = "rejected_before:yes";

impl AppState {
    /// What waits for a person in this campaign, the most urgent first, as far as it is read.
    pub fn to_do(&mut self, row: &CampaignRow) -> Vec<ToDo> {
        let mut list = Vec::new();
        let mut add = |urgency, what: String, about: String, label, command| {
            list.push(ToDo { urgency, what, about, label, command });
        };
        let spec = || Command::Go(Route::Spec(Some(row.id)));
        if self.open.spec.as_ref().is_some_and(|spec| spec.id == Some(row.id) && spec.shows_edits()) {
            let about = format!("v{} is saved and runs", row.version);
            add(Urgency::Warning, "Unsaved edits of the specification".to_owned(), about, "Open", spec());
        }
        let missed: Vec<_> = self.schedules().unanswered.iter().filter(|run| run.campaign == row.id).collect();
        if let Some(first) = missed.first() {
            let about = match &*first.why {
                "" => "The window was closed when they were due".to_owned(),
                why => why.to_owned(),
            };
            let what = format!("{} of the schedule", counted(missed.len() as u64, "missed run"));
            add(Urgency::Warning, what, about, "Decide", Command::Go(Route::Crawl));
        }
        let crawls = self.crawl_job().is_some();
        let answer = self.reads.waiting(row.id);
        let waiting = answer.shown().filter(|of| of.0 == row.id).map(|of| &*of.1).unwrap_or_default();
        for of in waiting {
            let review = |filter: &str| Command::Go(Route::Review { filter: filter.to_owned() });
            let (label, command) = match of.kind {
                WaitingKind::Unreadable | WaitingKind::SwitchedOff | WaitingKind::Permissions => ("Open", spec()),
                WaitingKind::NoSeeds => ("Add", spec()),
                WaitingKind::MovedSeeds => ("Decide", spec()),
                // They may be fetched yet.
                WaitingKind::Failed if crawls => continue,
                WaitingKind::Failed => ("Show", Command::Go(Route::Crawl)),
                WaitingKind::ChangedRejections => ("Compare", review(REJECTED_BEFORE)),
                WaitingKind::Review => ("Review", review("")),
                WaitingKind::Inlinks => ("Build", Command::BuildInlinks),
                WaitingKind::Selection => ("Select", Command::Go(Route::Select)),
            };
            add(of.urgency, of.what.clone(), of.about.clone(), label, command);
        }
        list.sort_by_key(|to_do| to_do.urgency);
        list
    }

    /// The next step of the work in this campaign, after its last launch.
    pub fn next_step(&self, row: &CampaignRow, last: Option<&LaunchRow>) -> NextStep {
        let (to_review, selected) = row.counted.map(|counts| (counts.to_review, counts.selected)).unzip();
        if self.crawl_job().is_some() && to_review == Some(0) {
            return NextStep::Go(Route::Crawl, "Open crawl", None);
        }
        if row.problem.is_some() || row.seeds == 0 && row.captures == 0 {
            return NextStep::Go(Route::Spec(Some(row.id)), "Edit specification", None);
        }
        if row.captures == 0 {
            let resumes = last.is_some_and(|last| last.state == LaunchState::Stopped);
            let label = if resumes { "Resume crawl…" } else { "Start crawl…" };
            return NextStep::Do(Action::StartCrawl, label);
        }
        if to_review != Some(0) {
            let route = Route::Review { filter: String::new() };
            return NextStep::Go(route, "Review", to_review);
        }
        match selected.filter(|selected| *selected > 0) {
            None => NextStep::Go(Route::Select, "Select captures", None),
            selected => NextStep::Go(Route::Select, "Export", selected),
        }
    }
}
