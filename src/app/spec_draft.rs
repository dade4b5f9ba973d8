//! A specification being edited, with the way back.

use super::models::{CampaignId, CampaignPage};
use super::scans::same_scope;
use crate::campaign::{Campaign, CampaignProblem, CampaignSource, Politeness, Seed};
use crate::scope::standard_rules;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Steps that can be undone.
const STEPS_KEPT: usize = 100;
/// About how many bytes they may take together: a list of a hundred thousand
/// seeds is kept whole with each step that changes it. The last step can be undone whatever it takes.
const STEPS_BYTES: usize = 128 << 20;
/// Typing in one field is one step as long as no pause is longer.
const TYPING_PAUSE: Duration = Duration::from_secs(2);

/// A specification being edited.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecDraft {
    /// The campaign; none for a new one.
    pub id: Option<CampaignId>,
    /// The version it was begun from; 0 for a new one.
    pub version: u32,
    /// The newest version that is known, whoever saved it.
    pub newest: u32,
    /// The specification as edited.
    pub campaign: Campaign,
    /// The specification as saved last.
    pub saved: Campaign,
    /// Its state at the last check; none before the first one.
    noted: Option<State>,
    changes: DraftChanges,
    /// Obstacles of a good run, as of the last check.
    problems: Arc<Vec<CampaignProblem>>,
    revision: u64,
    undo: VecDeque<Step>,
    redo: Vec<State>,
    last: Option<(Place, Instant)>,
    /// The save that is under way, by its number.
    saving: Option<u64>,
}

/// Differences from the saved one: lists may be long and are compared once an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct DraftChanges {
    edited: bool,
    changes_scope: bool,
}

/// A campaign at one time. States share their seeds as long as these are
/// the same: there may be a hundred thousand, and most edits are not of them.
#[derive(Debug, Clone, PartialEq)]
struct State {
    /// Without its seeds.
    rest: Campaign,
    seeds: Arc<Vec<Seed>>,
}

impl State {
    /// The current state, with the seeds of `last` where they are the same.
    fn of(campaign: &mut Campaign, last: Option<&Self>) -> Self {
        let seeds = std::mem::take(&mut campaign.seeds);
        let rest = campaign.clone();
        campaign.seeds = seeds;
        let seeds = match last.filter(|last| *last.seeds == campaign.seeds) {
            Some(last) => Arc::clone(&last.seeds),
            None => Arc::new(campaign.seeds.clone()),
        };
        Self { rest, seeds }
    }

    fn campaign(self) -> Campaign {
        Campaign { seeds: Arc::unwrap_or_clone(self.seeds), ..self.rest }
    }

    /// Whether a campaign is in this state.
    fn is(&self, campaign: &mut Campaign) -> bool {
        let seeds = std::mem::take(&mut campaign.seeds);
        let same = *self.seeds == seeds && self.rest == *campaign;
        campaign.seeds = seeds;
        same
    }
}

/// A state to go back to.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    state: State,
    /// About how much memory it takes, its seeds apart.
    bytes: usize,
    /// Bytes of its seeds.
    seeds_bytes: usize,
}

impl Step {
    fn to(state: State) -> Self {
        Self { bytes: bytes_of(&state.rest), seeds_bytes: bytes_of_seeds(&state.seeds), state }
    }
}

/// A number that no draft has had yet.
fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// The field that an edit was made in.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Argument(usize, String),
    Seed(usize),
    Source(usize),
    Name,
    Description,
    Owner,
    Comments,
    Agent,
    Request,
}

impl SpecDraft {
    /// A new campaign with the defaults and the standard rules, which are no edit.
    pub fn new(user_agent: String) -> Self {
        let politeness = Politeness { user_agent, ..Politeness::default() };
        Self::begin(None, 0, Campaign { rules: standard_rules(), politeness, ..Campaign::default() })
    }

    /// The draft of a saved campaign.
    pub fn of(page: &CampaignPage) -> Self {
        Self::begin(Some(page.id), page.version, page.campaign.clone())
    }

    fn begin(id: Option<CampaignId>, version: u32, campaign: Campaign) -> Self {
        let saved = campaign.clone();
        let (undo, redo) = (VecDeque::new(), Vec::new());
        let revision = next_revision();
        let (noted, changes, problems) = (None, DraftChanges::default(), Arc::default());
        let newest = version;
        Self {
            id,
            version,
            newest,
            campaign,
            saved,
            noted,
            changes,
            problems,
            revision,
            undo,
            redo,
            last: None,
            saving: None,
        }
    }

    /// Another number with every edit that was noticed, and in every draft: who
    /// keeps something about a draft need not compare its lists.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether a save of it is under way.
    pub fn is_being_saved(&self) -> bool {
        self.saving.is_some()
    }

    /// Begins a save, which its number distinguishes from others: by its end another
    /// draft may be open.
    pub(super) fn begin_save(&mut self, save: u64) {
        self.saving = Some(save);
    }

    /// A save has ended; false when it was of another draft.
    pub(super) fn end_save(&mut self, save: u64) -> bool {
        let own = self.saving == Some(save);
        if own {
            self.saving = None;
        }
        own
    }

    /// The version that saving its edits makes.
    pub fn next_version(&self) -> u32 {
        self.version.max(self.newest) + 1
    }

    /// Obstacles of a good run, as of the last check.
    pub fn problems(&self) -> &Arc<Vec<CampaignProblem>> {
        &self.problems
    }

    /// Whether this problem keeps it from being saved and crawled.
    pub fn is_stopped_by(&self, problem: &CampaignProblem) -> bool {
        problem.stops_crawl || (problem.field == "name" && (self.id.is_none() || self.changes.edited))
    }

    /// Whether it can be saved and crawled, as of the last check.
    pub fn is_complete(&self) -> bool {
        self.noted.is_some() && !self.problems.iter().any(|problem| self.is_stopped_by(problem))
    }

    /// Whether something is not saved.
    pub fn is_edited(&self) -> bool {
        self.campaign != self.saved
    }

    /// Whether something was not saved at the last check: pages draw this, and nothing is compared.
    pub fn shows_edits(&self) -> bool {
        self.changes.edited
    }

    /// Whether what is not saved could change a verdict, as of the last check.
    pub fn changes_scope(&self) -> bool {
        self.changes.changes_scope
    }

    /// Takes what was saved for what it is compared with from now on.
    pub(super) fn set_saved(&mut self, saved: Campaign) {
        self.saved = saved;
        self.recheck();
    }

    fn recheck(&mut self) {
        self.problems = Arc::new(self.campaign.problems());
        self.changes =
            DraftChanges { edited: self.is_edited(), changes_scope: !same_scope(&self.campaign, &self.saved) };
    }

    /// Takes notice of what was edited since the last check.
    pub fn note(&mut self, now: Instant) {
        if self.noted.as_ref().is_some_and(|noted| noted.is(&mut self.campaign)) {
            return;
        }
        let state = State::of(&mut self.campaign, self.noted.as_ref());
        self.revision = next_revision();
        self.recheck();
        let Some(before) = self.noted.replace(state) else { return };
        let place = place_of(&before, &self.campaign);
        let goes_on = match (&place, &self.last) {
            (Some(place), Some((last, at))) => place == last && now.duration_since(*at) <= TYPING_PAUSE,
            _ => false,
        };
        if !goes_on {
            self.undo.push_back(Step::to(before));
            self.forget_oldest(STEPS_BYTES);
        }
        self.redo.clear();
        self.last = place.map(|place| (place, now));
    }

    /// Keeps the last steps that fit, and one at least.
    fn forget_oldest(&mut self, most_bytes: usize) {
        let mut room = most_bytes;
        let mut last_seeds = self.noted.as_ref().map(|noted| Arc::as_ptr(&noted.seeds));
        let fitting = self.undo.iter().rev().take(STEPS_KEPT).take_while(|step| {
            let shared = last_seeds.replace(Arc::as_ptr(&step.state.seeds)) == Some(Arc::as_ptr(&step.state.seeds));
            let bytes = step.bytes + if shared { 0 } else { step.seeds_bytes };
            let fits = bytes <= room;
            room = room.saturating_sub(bytes);
            fits
        });
        let kept = fitting.count().max(1);
        self.undo.drain(..self.undo.len().saturating_sub(kept));
    }

    /// Whether there is an edit to take back.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether there is an edit to make again.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Takes the last edit back.
    pub fn undo(&mut self, now: Instant) {
        self.note(now);
        if let Some(before) = self.undo.pop_back() {
            self.redo.extend(self.noted.take());
            self.restore(before.state);
        }
    }

    /// Makes the edit again that was taken back last.
    pub fn redo(&mut self, now: Instant) {
        self.note(now);
        if let Some(after) = self.redo.pop() {
            self.undo.extend(self.noted.take().map(Step::to));
            self.restore(after);
        }
    }

    /// Puts another state in place of the present one, as one step of its own.
    pub fn put(&mut self, campaign: Campaign, now: Instant) {
        self.note(now);
        self.last = None;
        self.campaign = campaign;
        self.note(now);
        self.last = None;
    }

    fn restore(&mut self, state: State) {
        self.campaign = state.clone().campaign();
        self.noted = Some(state);
        self.revision = next_revision();
        self.last = None;
        self.recheck();
    }
}

impl Default for SpecDraft {
    fn default() -> Self {
        Self::new(String::new())
    }
}

/// About how much memory a campaign takes; lists make up most of it.
fn bytes_of(campaign: &Campaign) -> usize {
    let permissions = campaign.permissions.iter().map(|record| {
        let texts = [&record.covers, &record.licence, &record.evidence, &record.method];
        size_of_val(record) + texts.iter().map(|text| text.len()).sum::<usize>()
    });
    let rules = campaign.rules.iter().map(bytes_of_value);
    let rest = campaign.other.values().chain(campaign.target.iter().flat_map(|target| target.entry.values()));
    let seeds = bytes_of_seeds(&campaign.seeds);
    size_of_val(campaign) + seeds + permissions.chain(rules).chain(rest.map(bytes_of_value)).sum::<usize>()
}

fn bytes_of_seeds(seeds: &[Seed]) -> usize {
    seeds.iter().map(|seed| size_of_val(seed) + seed.url.len() + seed.source_tag.len()).sum()
}

fn bytes_of_value(value: &Value) -> usize {
    let inner: usize = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of_value).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + bytes_of_value(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of_val(value) + inner
}

/// The only field in which a state differs from what came after it, if it is
/// one that a person types in.
fn place_of(state: &State, after: &Campaign) -> Option<Place> {
    let before = &state.rest;
    let mut places = Vec::new();
    if !is_typed_only(before, after) {
        return None;
    }
    for (place, differs) in [
        (Place::Name, before.name != after.name),
        (Place::Description, before.description != after.description),
        (Place::Owner, before.owner != after.owner),
        (Place::Comments, before.comments != after.comments),
        (Place::Agent, before.politeness.user_agent != after.politeness.user_agent),
        (Place::Request, before.request != after.request),
    ] {
        if differs {
            places.push(place);
        }
    }
    if before.rules.len() != after.rules.len() || state.seeds.len() != after.seeds.len() {
        return None;
    }
    for (index, (old, new)) in before.rules.iter().zip(&after.rules).enumerate().filter(|(_, (old, new))| old != new) {
        let (old, new) = (old.as_object()?, new.as_object()?);
        if old.len() != new.len() {
            return None;
        }
        for (name, value) in new {
            if old.get(name) != Some(value) {
                let typed = value.is_array() || value.is_number() || value.is_string() && name != "decision";
                places.push(typed.then(|| Place::Argument(index, name.clone()))?);
            }
        }
    }
    for (index, (old, new)) in state.seeds.iter().zip(&after.seeds).enumerate().filter(|(_, (old, new))| old != new) {
        places.push((old.scope == new.scope).then_some(Place::Seed(index))?);
    }
    if before.sources.len() != after.sources.len() {
        return None;
    }
    for (index, (old, new)) in
        before.sources.iter().zip(&after.sources).enumerate().filter(|(_, (old, new))| old != new)
    {
        let typed = CampaignSource {
            name: old.name.clone(),
            address: old.address.clone(),
            queries: new.queries.as_ref().and(old.queries.clone()),
            ..new.clone()
        };
        places.push((typed == *old).then_some(Place::Source(index))?);
    }
    if places.len() == 1 { places.pop() } else { None }
}

/// Whether a state without its seeds and what came after it are the same
/// outside the fields that [`Place`] names.
fn is_typed_only(before: &Campaign, after: &Campaign) -> bool {
    before.tags == after.tags
        && before.active == after.active
        && before.permissions == after.permissions
        && before.grounds == after.grounds
        && before.schedule == after.schedule
        && before.order == after.order
        && before.limits == after.limits
        && before.target == after.target
        && before.other == after.other
        && before.politeness
            == Politeness { user_agent: before.politeness.user_agent.clone(), ..after.politeness.clone() }
}

#[cfg(test)]
mod tests;
