//! A ledger in memory, for tests of the crawl without a catalogue.

#![allow(clippy::unwrap_used)]

use crate::captures::{CaptureEntry, RecordPlace};
use crate::crawl::*;
use crate::links::Outlink;
use crate::scope::{AnnotationFact, GeoFact, hop_count};
use crate::uri::{CaptureDate, Url};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Mutex;

/// The state of a URL in this ledger.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredFate {
    Waiting { tries: u32, due: CaptureDate },
    Refused,
    Finished(Box<Finished>),
}

#[derive(Default, Clone)]
struct Inner {
    rows: Vec<(Admission, StoredFate)>,
    by_url: HashMap<String, usize>,
    geo: HashMap<String, GeoFact>,
    robots: HashMap<String, RobotsAnswer>,
    kept: Vec<CaptureEntry>,
    waits: HashMap<String, HostWait>,
    events: Vec<CrawlEvent>,
    versions: Vec<(u32, u32)>,
    annotations: HashMap<String, AnnotationFact>,
    /// Rows that wait, by host.
    by_host: HashMap<String, BTreeSet<usize>>,
    linkers: HashMap<usize, (Url, String)>,
    /// Rows of pages that were read, in order.
    read: Vec<usize>,
    terms: HashMap<String, TermTally>,
    ordered_by: Option<u32>,
}

/// Keeps everything; survives a crawl, so that another can go on.
#[derive(Default)]
pub struct MemoryLedger(Mutex<Inner>, Vec<CaptureEntry>, Mutex<Vec<(&'static str, String)>>);

impl MemoryLedger {
    /// A new launch after another one, whose captures it knows.
    pub fn after(earlier: &Self) -> Self {
        Self(Mutex::default(), earlier.captures(), Mutex::default())
    }

    /// Copies the ledger, to go on by itself.
    pub fn copy(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap().clone()), self.1.clone(), Mutex::default())
    }

    /// Lets calls of this name panic that are about this URL or host.
    pub fn panic_in(&self, call: &'static str, about: &str) {
        self.2.lock().unwrap().push((call, about.to_owned()));
    }

    fn may_panic(&self, call: &str, about: &str) {
        let panics = self.2.lock().unwrap().iter().any(|(name, of)| *name == call && of == about);
        assert!(!panics, "a defect in {call}");
    }

    /// Captures that no URL waited for.
    pub fn kept(&self) -> Vec<CaptureEntry> {
        self.0.lock().unwrap().kept.clone()
    }

    /// Events of the launch.
    pub fn events(&self) -> Vec<CrawlEvent> {
        self.0.lock().unwrap().events.clone()
    }

    /// Changes of the campaign's version, from and to.
    pub fn versions(&self) -> Vec<(u32, u32)> {
        self.0.lock().unwrap().versions.clone()
    }

    /// Lets a person mark a URL.
    pub fn mark(&self, url: &str, mark: &str) {
        let fact = AnnotationFact { mark: mark.to_owned(), notes: Vec::new() };
        self.0.lock().unwrap().annotations.insert(url.to_owned(), fact);
    }

    /// Every URL with its fate, in the order it was first seen.
    pub fn rows(&self) -> Vec<(Admission, StoredFate)> {
        self.0.lock().unwrap().rows.clone()
    }

    /// All captures.
    pub fn captures(&self) -> Vec<CaptureEntry> {
        let finished = |fate: &StoredFate| match fate {
            StoredFate::Finished(finished) => finished.capture.clone(),
            _ => None,
        };
        self.0.lock().unwrap().rows.iter().filter_map(|(_, fate)| finished(fate)).collect()
    }

    /// The end of one URL.
    pub fn finished(&self, url: &str) -> Option<Finished> {
        let inner = self.0.lock().unwrap();
        match &inner.rows[*inner.by_url.get(url)?].1 {
            StoredFate::Finished(finished) => Some((**finished).clone()),
            _ => None,
        }
    }
}

impl Inner {
    fn admit(&mut self, found: Vec<Admission>) -> Vec<Admitted> {
        let mut new = Vec::new();
        for admission in found {
            let queued = admission.state == AdmissionState::Queued;
            let fate = match queued {
                true => StoredFate::Waiting { tries: 0, due: CaptureDate::from_millis(0) },
                false => StoredFate::Refused,
            };
            let host = crate::uri::authority_of(&admission.candidate.url).to_owned();
            match self.by_url.get(admission.candidate.url.as_str()).copied() {
                Some(at) if queued && self.rows[at].1 == StoredFate::Refused => {
                    self.rows[at] = (admission, fate);
                    self.by_host.entry(host).or_default().insert(at);
                    new.push(Admitted::New);
                }
                Some(at) => {
                    let waits = queued && matches!(self.rows[at].1, StoredFate::Waiting { .. });
                    let changed = waits && self.merge(at, admission);
                    new.push(if changed { Admitted::Nearer } else { Admitted::Known });
                }
                None => {
                    let at = self.rows.len();
                    self.by_url.insert(admission.candidate.url.to_string(), at);
                    if queued {
                        self.by_host.entry(host).or_default().insert(at);
                    }
                    self.rows.push((admission, fate));
                    new.push(Admitted::New);
                }
            }
        }
        new
    }

    /// Takes the shorter way and the better priority of a URL that waits; false where it has both.
    fn merge(&mut self, at: usize, found: Admission) -> bool {
        let row = &mut self.rows[at].0;
        if row.priority < 0 {
            return false;
        }
        let is_nearer = hop_count(&found.candidate.hops) < hop_count(&row.candidate.hops);
        let (before, linker) = (row.clone(), self.linkers.get(&at).cloned());
        let of = |admission: &Admission| {
            admission.candidate.via.clone().map(|via| (via, admission.candidate.anchor.clone()))
        };
        let (parts, is_better) = match (row.parts, found.parts) {
            (None, None) => (None, is_nearer),
            (Some(old), Some(other)) => {
                let (best, is_better) = old.or(other);
                (Some(best), is_better)
            }
            (old, other) => {
                let is_better = found.priority < row.priority;
                (if is_better { other } else { old }, is_better)
            }
        };
        let has_parts = row.parts.is_some() || found.parts.is_some();
        let priority = if is_better { found.priority } else { row.priority };
        let linker = match (is_better, is_nearer) {
            (true, true) => None,
            (true, false) => of(&found),
            (false, true) => linker.or_else(|| of(row)),
            (false, false) => linker,
        };
        if is_nearer {
            *row = found;
        }
        row.priority = parts.map_or(priority, PriorityParts::priority);
        row.parts = parts;
        match linker.filter(|_| has_parts) {
            Some(linker) => self.linkers.insert(at, linker),
            None => self.linkers.remove(&at),
        };
        is_nearer || before != *row
    }

    /// Sets the fate of a row.
    fn set_fate(&mut self, at: usize, fate: StoredFate) {
        let host = crate::uri::authority_of(&self.rows[at].0.candidate.url).to_owned();
        let of_host = self.by_host.entry(host).or_default();
        match fate {
            StoredFate::Waiting { .. } => of_host.insert(at),
            _ => of_host.remove(&at),
        };
        self.rows[at].1 = fate;
    }

    /// Rows that wait for a host, in the order of its queue.
    fn queue_of(&self, authority: &str, in_flight: &[i64], now: CaptureDate) -> Vec<usize> {
        let rows = self.by_host.get(authority).into_iter().flatten().copied();
        let mut rows: Vec<usize> = rows.filter(|at| !in_flight.contains(&(*at as i64))).collect();
        rows.sort_by_key(|at| match &self.rows[*at] {
            (_, StoredFate::Waiting { due, .. }) if *due > now => (1, due.millis(), *at),
            (admission, _) => (0, admission.priority, *at),
        });
        rows
    }

    fn queued(&self, at: usize) -> Option<QueuedUrl> {
        match &self.rows[at] {
            (admission, StoredFate::Waiting { tries, due }) => {
                let linker = self.linkers.get(&at).cloned();
                Some(QueuedUrl { id: at as i64, admission: admission.clone(), tries: *tries, due: *due, linker })
            }
            _ => None,
        }
    }
}

impl Ledger for MemoryLedger {
    fn admit(&self, found: Vec<Admission>) -> Result<Vec<Admitted>, LedgerError> {
        Ok(self.0.lock().unwrap().admit(found))
    }

    fn waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError> {
        self.may_panic("waiting", authority);
        let inner = self.0.lock().unwrap();
        Ok(inner
            .queue_of(authority, in_flight, now)
            .into_iter()
            .take(limit)
            .filter_map(|at| inner.queued(at))
            .collect())
    }

    fn waiting_at(
        &self,
        authority: &str,
        in_flight: &[i64],
        now: CaptureDate,
        place: u64,
    ) -> Result<Option<QueuedUrl>, LedgerError> {
        let inner = self.0.lock().unwrap();
        let queue = inner.queue_of(authority, in_flight, now);
        let url = queue.get(usize::try_from(place).unwrap()).and_then(|at| inner.queued(*at));
        Ok(url.filter(|url| url.due <= now))
    }

    fn learned_order(&self, each: &mut dyn FnMut(&str, u16)) -> Result<LearnedOrder, LedgerError> {
        let inner = self.0.lock().unwrap();
        for at in &inner.read {
            if let (admission, StoredFate::Finished(finished)) = &inner.rows[*at] {
                let score = finished.reading.as_ref().unwrap().score;
                each(crate::uri::authority_of(&admission.candidate.url), score);
            }
        }
        let (pages, terms) = (inner.read.len() as u64, inner.terms.clone());
        Ok(LearnedOrder { seed: 0, pages, terms, version: inner.ordered_by.or(Some(1)) })
    }

    fn waiting_span(&self) -> Result<Option<(i64, i64)>, LedgerError> {
        let inner = self.0.lock().unwrap();
        let rows = inner.by_host.values().flatten().map(|at| *at as i64);
        Ok(rows.clone().min().zip(rows.max()))
    }

    fn each_waiting(&self, part: QueuePart<'_>, each: &mut dyn FnMut(&WaitingUrl<'_>)) -> Result<(), LedgerError> {
        let inner = self.0.lock().unwrap();
        let rows = match part {
            QueuePart::Numbered(first, last) => {
                let rows = inner.by_host.values().flatten().copied();
                let rows: BTreeSet<usize> = rows.filter(|at| (first..=last).contains(&(*at as i64))).collect();
                rows.into_iter().collect()
            }
            QueuePart::FirstOf(host, most) => {
                let mut rows = inner.queue_of(host, &[], CaptureDate::from_millis(i64::MAX));
                rows.truncate(most);
                rows
            }
        };
        for url in rows.into_iter().filter_map(|at| inner.queued(at)) {
            let found = &url.admission.candidate;
            let (linker, anchor) = match &url.linker {
                Some((linker, anchor)) => (Some(linker.as_str()), anchor.as_str()),
                None => (found.via.as_ref().map(Url::as_str), found.anchor.as_str()),
            };
            let (priority, parts) = (url.admission.priority, url.admission.parts);
            let (hops, is_seed, source_tag) = (found.hops.as_str(), found.is_seed, found.source_tag.as_str());
            let (id, url) = (url.id, found.url.as_str());
            each(&WaitingUrl { id, url, linker, anchor, hops, is_seed, source_tag, priority, parts });
        }
        Ok(())
    }

    fn rescore(&self, changed: Vec<(i64, i64, Option<PriorityParts>)>) -> Result<(), LedgerError> {
        let mut inner = self.0.lock().unwrap();
        for (id, priority, parts) in changed {
            let row = &mut inner.rows[id as usize];
            if matches!(row.1, StoredFate::Waiting { .. }) {
                (row.0.priority, row.0.parts) = (priority, parts);
            }
        }
        Ok(())
    }

    fn keep_ordered(&self, version: u32) -> Result<(), LedgerError> {
        self.0.lock().unwrap().ordered_by = Some(version);
        Ok(())
    }

    fn keep_terms(&self, terms: Vec<(String, TermTally)>) -> Result<(), LedgerError> {
        let mut inner = self.0.lock().unwrap();
        for (term, tally) in terms {
            inner.terms.entry(term).or_insert(tally);
        }
        Ok(())
    }

    fn backlog(&self) -> Result<Vec<HostBacklog>, LedgerError> {
        let inner = self.0.lock().unwrap();
        let hosts = inner.by_host.iter().filter(|(_, rows)| !rows.is_empty());
        let backlog = hosts.map(|(authority, rows)| HostBacklog {
            authority: authority.clone(),
            waiting: rows.len() as u64,
            first: rows.iter().map(|at| inner.rows[*at].0.priority).min().unwrap(),
        });
        Ok(backlog.collect())
    }

    fn defer(&self, id: i64, tries: u32, due: CaptureDate, _why: &str) -> Result<(), LedgerError> {
        self.0.lock().unwrap().set_fate(id as usize, StoredFate::Waiting { tries, due });
        Ok(())
    }

    fn fail_waiting(
        &self,
        authority: &str,
        in_flight: &[i64],
        status: i32,
        why: &str,
        limit: usize,
    ) -> Result<Vec<QueuedUrl>, LedgerError> {
        let ended = self.waiting(authority, in_flight, CaptureDate::now(), limit)?;
        for url in &ended {
            let (why, refused, capture) = (Some(why.to_owned()), None, None);
            let found = Vec::new();
            self.finish(Finished { id: url.id, fetch_status: status, why, refused, capture, found, reading: None })?;
        }
        Ok(ended)
    }

    fn queue_again(&self, url: &Url, priority: i64) -> Result<bool, LedgerError> {
        let mut inner = self.0.lock().unwrap();
        let Some(at) = inner.by_url.get(url.as_str()).copied() else { return Ok(false) };
        inner.rows[at].0.priority = priority;
        inner.set_fate(at, StoredFate::Waiting { tries: 0, due: CaptureDate::from_millis(0) });
        Ok(true)
    }

    fn host_waits(&self) -> Result<Vec<HostWait>, LedgerError> {
        Ok(self.0.lock().unwrap().waits.values().cloned().collect())
    }

    fn keep_host_wait(&self, wait: &HostWait) -> Result<(), LedgerError> {
        self.0.lock().unwrap().waits.insert(wait.authority.clone(), wait.clone());
        Ok(())
    }

    fn end_host_wait(&self, authority: &str) -> Result<(), LedgerError> {
        self.0.lock().unwrap().waits.remove(authority);
        Ok(())
    }

    fn is_known_host(&self, authority: &str) -> Result<bool, LedgerError> {
        let is_known = |(admission, fate): &(Admission, StoredFate)| {
            crate::uri::authority_of(&admission.candidate.url) == authority
                && (admission.candidate.is_seed || matches!(fate, StoredFate::Finished(end) if end.fetch_status > 0))
        };
        Ok(self.0.lock().unwrap().rows.iter().any(is_known))
    }

    fn finish(&self, finished: Finished) -> Result<Vec<Admitted>, LedgerError> {
        if let Some(capture) = &finished.capture {
            self.may_panic("finish", capture.url.as_str());
        }
        let mut inner = self.0.lock().unwrap();
        let at = finished.id as usize;
        assert!(matches!(inner.rows[at].1, StoredFate::Waiting { .. }), "finished twice: {:?}", inner.rows[at]);
        let found = finished.found.clone();
        if let Some(reading) = &finished.reading {
            inner.read.push(at);
            for term in &reading.terms {
                inner.terms.entry(term.clone()).and_modify(|tally| tally.pages += 1);
            }
        }
        inner.set_fate(at, StoredFate::Finished(Box::new(finished)));
        Ok(inner.admit(found))
    }

    fn add_outlinks(&self, record: &RecordPlace, links: Vec<Outlink>, is_last: bool) -> Result<(), LedgerError> {
        let mut inner = self.0.lock().unwrap();
        let Inner { rows, kept, .. } = &mut *inner;
        let finished = rows.iter_mut().filter_map(|(_, fate)| match fate {
            StoredFate::Finished(finished) => finished.capture.as_mut(),
            _ => None,
        });
        let mut captures = finished.chain(kept).filter(|capture| capture.records[0] == *record);
        let capture = captures.next().unwrap();
        assert!(!capture.outlinks_complete, "it has all its outlinks: {}", capture.url);
        capture.notes.outlinks.extend(links);
        capture.outlinks_complete = is_last;
        Ok(())
    }

    fn same_payload(&self, url: &Url, payload_digest: &str) -> Result<Option<(CaptureDate, String)>, LedgerError> {
        self.may_panic("same_payload", url.as_str());
        let like = |capture: &CaptureEntry| {
            capture.url == *url && capture.payload_digest == payload_digest && capture.revisit_of.is_none()
        };
        let found = self.1.iter().cloned().chain(self.captures()).find(like);
        Ok(found.map(|capture| (capture.date, capture.records[0].record_id.clone())))
    }

    fn geo_facts(&self) -> Result<HashMap<String, GeoFact>, LedgerError> {
        Ok(self.0.lock().unwrap().geo.clone())
    }

    fn annotations(&self) -> Result<HashMap<String, AnnotationFact>, LedgerError> {
        Ok(self.0.lock().unwrap().annotations.clone())
    }

    fn keep_geo_facts(&self, facts: &[(String, GeoFact)]) -> Result<(), LedgerError> {
        self.0.lock().unwrap().geo.extend(facts.iter().cloned());
        Ok(())
    }

    fn robots(&self, origin: &str) -> Result<Option<RobotsAnswer>, LedgerError> {
        Ok(self.0.lock().unwrap().robots.get(origin).cloned())
    }

    fn keep_robots(&self, origin: &str, answer: &RobotsAnswer) -> Result<(), LedgerError> {
        self.0.lock().unwrap().robots.insert(origin.to_owned(), answer.clone());
        Ok(())
    }

    fn redirect_of(&self, url: &Url) -> Result<Option<Url>, LedgerError> {
        let captures = self.captures();
        Ok(captures.into_iter().find(|capture| capture.url == *url).and_then(|capture| capture.redirect_to))
    }

    fn undecided(&self, after: i64, limit: usize) -> Result<Vec<QueuedUrl>, LedgerError> {
        let inner = self.0.lock().unwrap();
        let from = usize::try_from(after.saturating_add(1)).unwrap_or(0);
        let refused = |at: usize| {
            let (admission, fate) = &inner.rows[at];
            let (admission, due) = (admission.clone(), CaptureDate::from_millis(0));
            (*fate == StoredFate::Refused).then_some(QueuedUrl {
                id: at as i64,
                admission,
                tries: 0,
                due,
                linker: None,
            })
        };
        Ok((from..inner.rows.len()).filter_map(|at| inner.queued(at).or_else(|| refused(at))).take(limit).collect())
    }

    fn rejudge(&self, changed: Vec<ChangedAdmission>) -> Result<Vec<bool>, LedgerError> {
        let mut inner = self.0.lock().unwrap();
        let mut store = |ChangedAdmission { id, from, to }| {
            let row = &mut inner.rows[id as usize];
            let fate = match (&row.1, from, to.state) {
                (StoredFate::Waiting { .. }, AdmissionState::Queued, AdmissionState::Refused) => StoredFate::Refused,
                (StoredFate::Refused, AdmissionState::Refused, AdmissionState::Queued) => {
                    StoredFate::Waiting { tries: 0, due: CaptureDate::from_millis(0) }
                }
                (StoredFate::Waiting { .. }, AdmissionState::Queued, _)
                | (StoredFate::Refused, AdmissionState::Refused, _) => row.1.clone(),
                _ => return false,
            };
            row.0 = to;
            inner.set_fate(id as usize, fate);
            true
        };
        Ok(changed.into_iter().map(&mut store).collect())
    }

    fn change_version(&self, from: u32, to: u32, _since: CaptureDate) -> Result<(), LedgerError> {
        self.0.lock().unwrap().versions.push((from, to));
        Ok(())
    }

    fn find_waiting(&self, url: &Url) -> Result<Option<QueuedUrl>, LedgerError> {
        let inner = self.0.lock().unwrap();
        Ok(inner.by_url.get(url.as_str()).and_then(|at| inner.queued(*at)))
    }

    fn recorded(&self, file: &str) -> Result<Vec<Range<u64>>, LedgerError> {
        let kept = self.0.lock().unwrap().kept.clone();
        let places = self.captures().into_iter().chain(kept).flat_map(|capture| capture.records);
        let places = places.filter(|place| place.file == file);
        let mut ranges: Vec<_> = places.map(|place| place.span.offset..place.span.offset + place.span.length).collect();
        ranges.sort_by_key(|range| range.start);
        Ok(ranges)
    }

    fn keep_capture(&self, capture: CaptureEntry) -> Result<(), LedgerError> {
        self.0.lock().unwrap().kept.push(capture);
        Ok(())
    }

    fn decided_since(&self, date: CaptureDate, each: &mut dyn FnMut(Admission)) -> Result<(), LedgerError> {
        let rows = self.rows().into_iter().map(|(admission, _)| admission);
        rows.filter(|admission| admission.date >= date).for_each(each);
        Ok(())
    }

    fn keep_events(&self, events: Vec<CrawlEvent>) -> Result<(), LedgerError> {
        self.0.lock().unwrap().events.extend(events);
        Ok(())
    }

    fn files(&self) -> Result<Vec<String>, LedgerError> {
        let places = self.captures().into_iter().chain(self.kept()).flat_map(|capture| capture.records);
        let mut files: Vec<String> = places.map(|place| place.file).collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    fn captures_at(&self, file: &str, offsets: &[u64]) -> Result<Vec<LostCapture>, LedgerError> {
        let is_at = |place: &RecordPlace| place.file == file && offsets.contains(&place.span.offset);
        let found = self.captures().into_iter().chain(self.kept()).filter(|capture| capture.records.iter().any(is_at));
        Ok(found.map(|lost| LostCapture { id: 0, url: lost.url, date: lost.date, decisions: Vec::new() }).collect())
    }

    fn lose_captures(&self, lost: &[LostCapture]) -> Result<(), LedgerError> {
        let mut inner = self.0.lock().unwrap();
        let inner = &mut *inner;
        let is_lost =
            |capture: &CaptureEntry| lost.iter().any(|lost| (&lost.url, lost.date) == (&capture.url, capture.date));
        inner.kept.retain(|capture| !is_lost(capture));
        for at in 0..inner.rows.len() {
            if matches!(&inner.rows[at].1, StoredFate::Finished(end) if end.capture.as_ref().is_some_and(is_lost)) {
                inner.set_fate(at, StoredFate::Waiting { tries: 0, due: CaptureDate::from_millis(0) });
            }
        }
        Ok(())
    }

    fn captures_since(&self, _: CaptureDate, each: &mut dyn FnMut(CaptureEntry)) -> Result<(), LedgerError> {
        self.captures().into_iter().chain(self.kept()).for_each(each);
        Ok(())
    }

    fn failed_since(&self, _: CaptureDate, each: &mut dyn FnMut(Admission, i32)) -> Result<(), LedgerError> {
        for (admission, fate) in self.rows() {
            if let StoredFate::Finished(end) = fate
                && end.capture.is_none()
            {
                let verdict = end.refused.unwrap_or(admission.verdict);
                each(Admission { verdict, ..admission }, end.fetch_status);
            }
        }
        Ok(())
    }

    fn tally(&self, seeds: &[Url]) -> Result<LaunchTally, LedgerError> {
        let mut tally = LaunchTally::default();
        for capture in self.captures().into_iter().chain(self.kept()) {
            let (host, is_duplicate) = (crate::uri::authority_of(&capture.url), capture.revisit_of.is_some());
            tally.add_capture(host, &capture.notes.mime, capture.notes.status, capture.payload_len, is_duplicate);
        }
        for (admission, fate) in self.rows() {
            let StoredFate::Finished(end) = fate else { continue };
            let host = crate::uri::authority_of(&admission.candidate.url);
            match (&end.refused, &end.capture) {
                (Some(_), _) => tally.add_refusal(host, end.fetch_status),
                (None, None) => tally.add_failures(host, 1),
                (None, Some(_)) => {}
            }
            if seeds.contains(&admission.candidate.url) {
                tally.seeds.insert(admission.candidate.url.to_string(), end.fetch_status);
                let redirect = end.capture.and_then(|capture| capture.redirect_to);
                tally.redirects.extend(redirect.map(|to| (admission.candidate.url.to_string(), to.to_string())));
            }
        }
        Ok(tally)
    }

    fn keep_running(&self) -> Result<(), LedgerError> {
        Ok(())
    }

    fn has_seen(&self, url: &Url) -> Result<bool, LedgerError> {
        Ok(self.0.lock().unwrap().by_url.contains_key(url.as_str()))
    }
}
