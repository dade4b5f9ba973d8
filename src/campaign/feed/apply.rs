//! Conversion of an entry into a campaign, and back.

use super::fields::{CrawlFrequency, Meaning, SizeCap};
use super::{Dialect, FeedEntry};
use crate::campaign::{Campaign, Frequency, RobotsPolicy, Seed, SeedScope, Target};
use crate::uri::CaptureDate;

impl Meaning {
    /// How often a campaign is launched by itself for it. The tool exports no
    /// target without a start date, so that none is ever launched.
    fn launch_frequency(&self) -> Frequency {
        match self.frequency.filter(|_| self.start.is_some()) {
            None | Some(CrawlFrequency::DomainCrawl | CrawlFrequency::NeverCrawl) => Frequency::Manual,
            Some(CrawlFrequency::Annual) => Frequency::Yearly,
            Some(CrawlFrequency::SixMonthly) => Frequency::SixMonthly,
            Some(CrawlFrequency::Quarterly) => Frequency::Quarterly,
            Some(CrawlFrequency::Monthly) => Frequency::Monthly,
            Some(CrawlFrequency::Weekly) => Frequency::Weekly,
            Some(CrawlFrequency::Daily) => Frequency::Daily,
        }
    }

    fn is_blocked(&self) -> bool {
        self.frequency == Some(CrawlFrequency::NeverCrawl)
    }
}

impl Campaign {
    /// Takes an entry of a feed in. Where an earlier one is known, only what
    /// the feed changed since is taken over: what a person changed here stays.
    pub fn take_entry(&mut self, entry: &FeedEntry) {
        let (meaning, _) = entry.meaning(0);
        let before = self.entry_of_target().map(|entry| entry.meaning(0).0);
        let changed =
            |same: fn(&Meaning, &Meaning) -> bool| before.as_ref().is_none_or(|before| !same(before, &meaning));
        if changed(|a, b| a.title == b.title && a.seeds.first() == b.seeds.first()) {
            let title = meaning.title.as_deref().or(meaning.seeds.first().map(String::as_str));
            self.name = title.unwrap_or_default().trim().to_owned();
        }
        if changed(|a, b| a.seeds == b.seeds && a.scope == b.scope) {
            self.take_seeds(before.as_ref(), &meaning);
        }
        if changed(|a, b| a.cap == b.cap)
            && let Some(cap) = meaning.cap
        {
            // The tool counts bytes only.
            self.limits.max_bytes = cap.max_bytes();
            self.limits.max_documents = 0;
        }
        if changed(|a, b| a.ignore_robots == b.ignore_robots) {
            self.politeness.robots = match meaning.ignore_robots {
                Some(true) => RobotsPolicy::Ignore,
                Some(false) | None => RobotsPolicy::Obey,
            };
        }
        // Each for itself: a new date does not undo what a person set beside it.
        let ran = self.schedule.frequency != Frequency::Manual;
        if changed(|a, b| a.launch_frequency() == b.launch_frequency()) {
            self.schedule.frequency = meaning.launch_frequency();
        }
        let runs = self.schedule.frequency != Frequency::Manual;
        let begins = runs && !ran;
        // Without a frequency dates have no effect, and would be reported as a mistake.
        let text = |date: Option<CaptureDate>| date.filter(|_| runs).map(CaptureDate::to_log);
        if begins || !runs || changed(|a, b| a.start == b.start) {
            self.schedule.start = text(meaning.start);
        }
        if begins || !runs || changed(|a, b| a.end == b.end) {
            self.schedule.end = text(meaning.end);
        }
        // Only a target that is blocked, or no more, switches a campaign.
        if changed(|a, b| a.is_blocked() == b.is_blocked()) {
            self.active = !meaning.is_blocked();
        }
        let mut target = self.target.take().unwrap_or_default();
        if changed(|a, b| a.watched == b.watched) {
            target.watched = meaning.watched.unwrap_or(false);
        }
        if changed(|a, b| a.document_url_scheme == b.document_url_scheme) {
            target.document_url_scheme = meaning.document_url_scheme;
        }
        self.target = Some(Target { dialect: entry.dialect, entry: entry.fields.clone(), ..target });
    }

    fn take_seeds(&mut self, before: Option<&Meaning>, meaning: &Meaning) {
        let old = std::mem::take(&mut self.seeds);
        let same_scope = before.is_some_and(|before| before.scope == meaning.scope);
        for url in &meaning.seeds {
            let known = old.iter().find(|seed| seed.url == *url);
            let mut seed = known.cloned().unwrap_or_else(|| Seed {
                url: url.clone(),
                scope: SeedScope::default(),
                depth: None,
                source_tag: String::new(),
            });
            if known.is_none() || !same_scope {
                seed.scope = meaning.scope.unwrap_or_default();
            }
            self.seeds.push(seed);
        }
        // Seeds that a person added stay; those that the feed dropped go.
        let was_in_feed = |seed: &Seed| before.is_some_and(|before| before.seeds.contains(&seed.url));
        let added = old.into_iter().filter(|seed| !was_in_feed(seed) && !meaning.seeds.contains(&seed.url));
        self.seeds.extend(added);
    }

    /// The entry it came in with.
    fn entry_of_target(&self) -> Option<FeedEntry> {
        let target = self.target.as_ref().filter(|target| !target.entry.is_empty())?;
        Some(FeedEntry { dialect: target.dialect, fields: target.entry.clone() })
    }

    /// Converts the campaign into an entry of a feed, with a list of what is lost.
    /// The entry it came in with goes out again, with what was changed here;
    /// a campaign that came from no feed has `number` for its number.
    pub fn feed_entry(&self, number: &str) -> (FeedEntry, Vec<String>) {
        let mut notes = Vec::new();
        let mine = self.own_meaning(&mut notes);
        let target = self.target.clone().unwrap_or_default();
        let watched = Some(target.watched);
        let switched_off = "it is switched off here, which a feed does not say; readers take it for a live target";
        let Some(mut entry) = self.entry_of_target() else {
            if !self.active {
                notes.push(switched_off.to_owned());
            }
            let id = Some(number.to_owned());
            let document_url_scheme = target.document_url_scheme;
            let meaning = Meaning { id, watched, document_url_scheme, ..mine };
            return (FeedEntry::of_meaning(&meaning, Dialect::Api), notes);
        };
        // What the entry alone would make of a campaign, so that only real
        // changes are written into it.
        let (mut meaning, _) = entry.meaning(0);
        let mut plain = Self::new("");
        plain.take_entry(&entry);
        if self.name != plain.name {
            meaning.title = mine.title;
        }
        if mine.seeds != meaning.seeds {
            meaning.seeds = mine.seeds;
        }
        if self.seeds.iter().any(|seed| Some(seed.scope) != plain.seeds.first().map(|seed| seed.scope)) {
            meaning.scope = mine.scope;
        }
        if self.limits.max_bytes != plain.limits.max_bytes {
            meaning.cap = mine.cap;
        }
        if self.politeness.robots != plain.politeness.robots {
            meaning.ignore_robots = mine.ignore_robots;
        }
        let (now, then) = (&self.schedule, &plain.schedule);
        if now.frequency != then.frequency || (self.active && !plain.active) {
            meaning.frequency = mine.frequency;
        }
        if !self.active && !meaning.is_blocked() {
            notes.push(switched_off.to_owned());
        }
        if now.start != then.start {
            meaning.start = mine.start;
        }
        if now.end != then.end {
            meaning.end = mine.end;
        }
        if meaning.watched.unwrap_or(false) != target.watched {
            meaning.watched = watched;
        }
        meaning.document_url_scheme = target.document_url_scheme;
        entry.set_meaning(&meaning);
        (entry, notes)
    }

    fn own_meaning(&self, notes: &mut Vec<String>) -> Meaning {
        let scope = self.seeds.first().map(|seed| seed.scope).unwrap_or_default();
        if self.seeds.iter().any(|seed| seed.scope != scope) {
            notes.push("its seeds have several scopes; a target has one, that of the first seed".to_owned());
        }
        if self.seeds.iter().any(|seed| seed.depth.is_some()) {
            notes.push("depths of seeds are left out: a target has none".to_owned());
        }
        if self.limits.max_documents > 0 || self.limits.max_seconds > 0 {
            notes.push("limits of documents and seconds are left out: a target has one of bytes only".to_owned());
        }
        let cap = SizeCap::of_bytes(self.limits.max_bytes);
        if cap.max_bytes() != self.limits.max_bytes {
            notes.push(format!("its limit of {} bytes became {}", self.limits.max_bytes, cap.as_str()));
        }
        let (start, end) = self.schedule.term().unwrap_or_else(|error| {
            notes.push(format!("schedule.{error}; dates are left out"));
            (None, None)
        });
        if let Some(zone) = self.schedule.time_zone.as_ref().filter(|_| self.schedule.frequency != Frequency::Manual) {
            notes.push(format!(
                "its time zone {zone} is left out: dates of a target are UTC, so runs may come at another hour, or day, \
                 once the clocks change"
            ));
        }
        if !self.schedule.extra.is_empty() {
            notes.push("one-off dates are left out: a target has none".to_owned());
        }
        let frequency = match self.schedule.frequency {
            Frequency::Manual => None,
            Frequency::Hourly => {
                notes.push("it runs every hour; a target runs every day at most".to_owned());
                Some(CrawlFrequency::Daily)
            }
            Frequency::Daily => Some(CrawlFrequency::Daily),
            Frequency::Weekly => Some(CrawlFrequency::Weekly),
            Frequency::Monthly => Some(CrawlFrequency::Monthly),
            Frequency::Quarterly => Some(CrawlFrequency::Quarterly),
            Frequency::SixMonthly => Some(CrawlFrequency::SixMonthly),
            Frequency::Yearly => Some(CrawlFrequency::Annual),
        };
        Meaning {
            title: Some(self.name.clone()),
            seeds: self.seeds.iter().map(|seed| seed.url.clone()).collect(),
            cap: Some(cap),
            scope: Some(scope),
            ignore_robots: Some(self.politeness.robots != RobotsPolicy::Obey),
            start,
            end,
            frequency,
            ..Meaning::default()
        }
    }
}
