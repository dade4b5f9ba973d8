//! What waits for a person in the current campaign, and the next step of the work.

use super::models::{CampaignRow, LaunchRow, LaunchState, changed_rejections};
use super::{Action, AppState, Command, Route};
use crate::jobs::{counted, noun, verb};

/// The weight of a thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nothing goes on without it.
    Blocked,
    /// Something may be lost or missed without it.
    Warning,
    /// The next work.
    Work,
}

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
    /// What waits for a person in this campaign after its last launch, the most urgent first, as far as it
    /// is read.
    pub fn to_do(&mut self, row: &CampaignRow, last: Option<&LaunchRow>) -> Vec<ToDo> {
        let mut list = Vec::new();
        let mut add = |urgency, what: String, about: String, label, command| {
            list.push(ToDo { urgency, what, about, label, command });
        };
        let spec = || Command::Go(Route::Spec(Some(row.id)));
        if let Some(problem) = &row.problem {
            add(Urgency::Blocked, "The specification cannot be read".to_owned(), problem.clone(), "Open", spec());
        }
        if let Some(origin) = &row.suspended {
            let about = format!("It came from {origin}; no crawl of it starts");
            add(Urgency::Blocked, "The campaign is switched off".to_owned(), about, "Open", spec());
        }
        if row.seeds == 0 && row.problem.is_none() {
            let about = "A crawl starts from at least one URL".to_owned();
            add(Urgency::Blocked, "No seeds yet".to_owned(), about, "Add", spec());
        }
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
        let page = self.reads.campaign(row.id);
        if let Some(page) = page.shown().filter(|page| page.id == row.id) {
            let moved = page.moved_seeds.iter().filter(|moved| moved.is_open(&page.campaign)).count() as u64;
            if moved > 0 {
                let what = format!("{} to another site", counted_seeds(moved));
                let about = "Decide whether the targets are seeds as well".to_owned();
                add(Urgency::Warning, what, about, "Decide", spec());
            }
        }
        if let Some(last) = last.filter(|last| last.to_retry() > 0 && self.crawl_job().is_none()) {
            let failed = last.to_retry();
            let what = format!("{} of the last launch failed", counted(failed, "URL"));
            let about = "Not fetched, or answered with 429 or 5xx".to_owned();
            add(Urgency::Warning, what, about, "Show", Command::Go(Route::Crawl));
        }
        let changed = self.reads.rejected_before(row.id).shown().map(|urls| **urls).unwrap_or_default();
        if changed > 0 {
            let about = "In no selection until a person approves them".to_owned();
            let route = Route::Review { filter: REJECTED_BEFORE.to_owned() };
            add(Urgency::Warning, changed_rejections(changed), about, "Compare", Command::Go(route));
        }
        if row.to_review > 0 {
            let what = format!("{} to review", counted(row.to_review, "capture"));
            let about = format!("of {}", counted(row.captures, "capture"));
            add(Urgency::Work, what, about, "Review", Command::Go(Route::Review { filter: String::new() }));
        }
        let info = self.reads.workspace();
        if row.captures > 0 && info.shown().is_some_and(|info| info.counted_window_days.is_none()) {
            let about = "They show what is cited, and count in the score".to_owned();
            add(Urgency::Work, "Inlinks not built".to_owned(), about, "Build", Command::BuildInlinks);
        }
        if row.captures > 0 && row.selected == 0 {
            let about = "Score captures and save a selection".to_owned();
            add(Urgency::Work, "Nothing selected yet".to_owned(), about, "Select", Command::Go(Route::Select));
        }
        list.sort_by_key(|to_do| to_do.urgency);
        list
    }

    /// The next step of the work in this campaign, after its last launch.
    pub fn next_step(&self, row: &CampaignRow, last: Option<&LaunchRow>) -> NextStep {
        if self.crawl_job().is_some() && row.to_review == 0 {
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
        if row.to_review > 0 {
            let route = Route::Review { filter: String::new() };
            return NextStep::Go(route, "Review", Some(row.to_review));
        }
        match row.selected {
            0 => NextStep::Go(Route::Select, "Select captures", None),
            selected => NextStep::Go(Route::Select, "Export", Some(selected)),
        }
    }
}

fn counted_seeds(seeds: u64) -> String {
    format!("{seeds} {} {}", noun(seeds, "seed"), verb(seeds, "redirects"))
}
