//! Sources of a campaign: a service is recognised, tested and read in the background.
//!
//! Invariants: a test or the recognition of an address requests one page and keeps nothing; what they found changes only
//! the draft that they were started for. A token goes to the keychain of the system and is read by nobody here.

use super::super::models::{CampaignId, SourceRow};
use super::{Answer, AppState, JobKind};
use crate::campaign::{CampaignSource, QUERY_PLACE, SourceKind};
use crate::jobs::{self, JobHandle, Outcome};
use crate::uri::parse_web_url;
use crate::work::{self, SourceChoice, SourceTest};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An action on sources of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceAct {
    /// Finds out what a service at an address speaks, and adds it to the open specification.
    Add(String),
    /// Adds a source to the open specification, of this kind at this address.
    AddAs(SourceKind, String),
    /// Forgets the address that was to be added.
    GiveUpAdding,
    /// Reads one page of a source of the open specification and keeps nothing.
    Test(Box<CampaignSource>),
    /// Reads a source of a campaign, or all that are switched on.
    Run(CampaignId, Option<String>),
    /// Keeps a token of a source in the keychain.
    KeepToken(Box<CampaignSource>, TokenText),
    /// Takes the token of a source out of the keychain.
    ForgetToken(Box<CampaignSource>),
}

/// A token on its way to the keychain. It is taken out once and shown nowhere.
#[derive(Clone)]
pub struct TokenText(Arc<Mutex<Option<String>>>);

impl TokenText {
    /// Takes the text of a field, which is empty afterwards.
    pub fn taken_from(field: &mut String) -> Self {
        Self(Arc::new(Mutex::new(Some(std::mem::take(field)))))
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl PartialEq for TokenText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(…)")
    }
}

/// A kind of source that an address was recognised as: its kind, the address of its interface, the evidence.
pub type RecognisedAs = (SourceKind, String, String);

/// What is known of an address that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceAdding {
    /// Its page is being read.
    Reading(String),
    /// It is of several kinds, of which a person chooses one.
    Choice(String, Vec<RecognisedAs>),
    /// It was not recognised, and why; a person may name its kind.
    Unknown(String, String),
    /// It was added: the name of the source, and by what it was recognised.
    Added(String, String),
}

/// What a test of a source came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SourceTestState<'a> {
    /// It runs.
    Running,
    /// It ended; the source may have answered that it gives nothing.
    Ended(&'a SourceTest),
    /// It could not be made.
    Failed(&'a str),
}

type Recognition = Vec<RecognisedAs>;

/// Tests of sources and the recognition of an address, which run or have ended.
#[derive(Default)]
pub(in crate::app) struct SourceChecks {
    tests: Vec<(CampaignSource, RunningCheck<SourceTest>)>,
    adding: Option<SourceAdding>,
    recognition: Option<(Option<CampaignId>, String, JobHandle<Recognition>)>,
}

/// A check that runs, or what it came to.
enum RunningCheck<T> {
    Running(JobHandle<T>),
    Ended(Result<T, String>),
}

impl SourceChecks {
    /// Whether one runs.
    pub fn is_running(&self) -> bool {
        let is_running = |check: &RunningCheck<SourceTest>| matches!(check, RunningCheck::Running(_));
        self.recognition.is_some() || self.tests.iter().any(|(_, check)| is_running(check))
    }

    fn stop_recognition(&mut self) {
        if let Some((_, _, handle)) = self.recognition.take() {
            handle.cx.cancel();
        }
    }
}

impl Drop for SourceChecks {
    fn drop(&mut self) {
        self.stop_recognition();
        for (_, check) in &self.tests {
            if let RunningCheck::Running(handle) = check {
                handle.cx.cancel();
            }
        }
    }
}

/// The value of a check that has ended, or why there is none.
fn value_of<T>(outcome: Outcome<T>) -> Result<T, String> {
    match outcome {
        Outcome::Done(value) => Ok(value),
        Outcome::Cancelled => Err("stopped".to_owned()),
        Outcome::Failed(why) => Err(why),
        Outcome::Panicked(why) => Err(format!("internal error: {why}")),
    }
}

/// Whether two sources send the same requests.
fn has_same_requests(a: &CampaignSource, b: &CampaignSource) -> bool {
    *a == CampaignSource { enabled: a.enabled, every_hours: a.every_hours, ..b.clone() }
}

impl AppState {
    pub(super) fn act_on_sources(&mut self, act: SourceAct) {
        match act {
            SourceAct::Add(address) => self.recognise_source(address.trim().to_owned()),
            SourceAct::AddAs(kind, address) => self.add_source(kind, address, "its kind was named by you".to_owned()),
            SourceAct::GiveUpAdding => {
                self.open.source_checks.stop_recognition();
                self.open.source_checks.adding = None;
            }
            SourceAct::Test(source) => self.test_source(*source),
            SourceAct::Run(campaign, name) => {
                // Its rows have the answer of the run from now on.
                self.open.source_checks.tests.retain(|(of, _)| name.as_ref().is_some_and(|name| of.name != *name));
                let keychain = Arc::clone(&self.keychain);
                let choice = name.map_or(SourceChoice::All, SourceChoice::Named);
                self.start(JobKind::ReadSources, move |session, cx| {
                    session.run_sources(campaign, &choice, keychain.as_ref(), cx)
                });
            }
            SourceAct::KeepToken(source, token) => {
                let keychain = Arc::clone(&self.keychain);
                self.write(
                    move |_| {
                        let token = token.take().unwrap_or_default();
                        anyhow::ensure!(!token.trim().is_empty(), "the token is empty");
                        keychain.keep(&work::token_name(&source), token.trim())?;
                        Ok(format!("The token of “{}” is in the keychain", source.name))
                    },
                    |done| Answer::Set("The token was not kept", done),
                );
            }
            SourceAct::ForgetToken(source) => {
                let keychain = Arc::clone(&self.keychain);
                self.write(
                    move |_| {
                        let was_there = keychain.forget(&work::token_name(&source))?;
                        let what = if was_there { "was taken out of" } else { "was not in" };
                        Ok(format!("The token of “{}” {what} the keychain", source.name))
                    },
                    |done| Answer::Set("The token was not taken out", done),
                );
            }
        }
    }

    /// What is known of the address that is to be added.
    pub fn source_adding(&self) -> Option<&SourceAdding> {
        self.open.source_checks.adding.as_ref()
    }

    /// What the last test of a source came to; none where it was edited since.
    pub fn source_test(&self, source: &CampaignSource) -> Option<SourceTestState<'_>> {
        let tests = &self.open.source_checks.tests;
        let (_, check) = tests.iter().find(|(of, _)| has_same_requests(of, source))?;
        Some(match check {
            RunningCheck::Running(_) => SourceTestState::Running,
            RunningCheck::Ended(Ok(test)) => SourceTestState::Ended(test),
            RunningCheck::Ended(Err(why)) => SourceTestState::Failed(why),
        })
    }

    /// What is kept of a source of a draft, among the rows of its campaign.
    pub fn kept_source<'r>(rows: &'r [SourceRow], source: &CampaignSource) -> Option<&'r SourceRow> {
        rows.iter().find(|row| {
            let of = &row.source;
            of.name == source.name && of.kind == source.kind && of.address.trim() == source.address.trim()
        })
    }

    fn recognise_source(&mut self, address: String) {
        if address.contains(QUERY_PLACE) {
            return self.add_source(SourceKind::Search, address, "its address has a place for the query".to_owned());
        }
        self.open.source_checks.stop_recognition();
        let Some(url) = parse_web_url(&address) else {
            let why = "it is no web address; write it whole, such as https://www.example.org/".to_owned();
            self.open.source_checks.adding = Some(SourceAdding::Unknown(address, why));
            return;
        };
        let Some((session, spec)) = self.session().cloned().zip(self.open.spec.as_ref()) else { return };
        let (id, campaign) = (spec.id, spec.campaign.clone());
        let spawned = jobs::spawn("recognise a source", Default::default(), self.wake.clone(), move |cx| {
            let found = work::recognise_source(&session, id, &campaign, &url, cx)?;
            anyhow::Ok(found.into_iter().map(|(kind, url, evidence)| (kind, url.to_string(), evidence)).collect())
        });
        self.open.source_checks.adding = Some(match spawned {
            Ok(handle) => {
                self.open.source_checks.recognition = Some((id, address.clone(), handle));
                SourceAdding::Reading(address)
            }
            Err(error) => SourceAdding::Unknown(address, error.to_string()),
        });
    }

    fn test_source(&mut self, source: CampaignSource) {
        let Some((session, spec)) = self.session().cloned().zip(self.open.spec.as_ref()) else { return };
        let tests = &mut self.open.source_checks.tests;
        let is_same = |(of, _): &(CampaignSource, RunningCheck<SourceTest>)| has_same_requests(of, &source);
        if tests.iter().any(|test| is_same(test) && matches!(test.1, RunningCheck::Running(_))) {
            return;
        }
        // Those of its earlier states go with it.
        tests.retain(|test| !is_same(test) && test.0.name != source.name);
        let (id, campaign, keychain, of) = (spec.id, spec.campaign.clone(), Arc::clone(&self.keychain), source.clone());
        let spawned = jobs::spawn("test a source", Default::default(), self.wake.clone(), move |cx| {
            work::test_source(&session, id, &campaign, &of, keychain.as_ref(), cx)
        });
        let check = match spawned {
            Ok(handle) => RunningCheck::Running(handle),
            Err(error) => RunningCheck::Ended(Err(error.to_string())),
        };
        self.open.source_checks.tests.push((source, check));
    }

    /// Takes in what tests and recognitions came to.
    pub(super) fn poll_sources(&mut self) {
        let checks = &mut self.open.source_checks;
        for (_, check) in &mut checks.tests {
            if matches!(check, RunningCheck::Running(handle) if handle.is_finished())
                && let RunningCheck::Running(handle) = std::mem::replace(check, RunningCheck::Ended(Err(String::new())))
            {
                *check = RunningCheck::Ended(value_of(handle.join()));
            }
        }
        let Some((id, address, handle)) = checks.recognition.take_if(|(_, _, handle)| handle.is_finished()) else {
            return;
        };
        if self.open.spec.as_ref().is_none_or(|spec| spec.id != id) {
            self.open.source_checks.adding = None;
            return;
        }
        let unknown = |why: String| Some(SourceAdding::Unknown(address.clone(), why));
        match value_of(handle.join()) {
            Err(why) => self.open.source_checks.adding = unknown(why),
            Ok(found) => match found.as_slice() {
                [] => self.open.source_checks.adding = unknown("nothing there is known as a source".to_owned()),
                [(kind, place, evidence)] => self.add_source(*kind, place.clone(), evidence.clone()),
                _ => self.open.source_checks.adding = Some(SourceAdding::Choice(address, found)),
            },
        }
    }

    /// Adds a source to the open specification, under a name that no other has.
    fn add_source(&mut self, kind: SourceKind, address: String, evidence: String) {
        let Some(spec) = &mut self.open.spec else { return };
        let mut source = CampaignSource::new("", kind, address);
        let host = source.url().and_then(|url| url.host_str().map(str::to_owned));
        let host = host.unwrap_or_else(|| kind.name().to_owned());
        let is_free = |name: &String| !spec.campaign.sources.iter().any(|of| of.name == *name);
        let names = std::iter::once(host.clone()).chain((2..).map(|number| format!("{host} {number}")));
        source.name = names.into_iter().find(is_free).unwrap_or_default();
        self.open.source_checks.adding =
            Some(SourceAdding::Added(source.name.clone(), format!("{}: {evidence}", kind.label())));
        spec.campaign.sources.push(source);
    }
}

#[cfg(all(test, feature = "gui"))]
impl AppState {
    /// Keeps tokens there instead of in the keychain of the system.
    pub(crate) fn use_keychain(&mut self, keychain: Arc<dyn crate::keys::Keychain>) {
        self.keychain = keychain;
    }
}
