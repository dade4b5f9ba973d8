//! Columns hold the facts of captures beside their texts: hits are counted by them.

use super::date_range::period_of;
use crate::jobs::empty_set;
use fixedbitset::FixedBitSet;
use foldhash::fast::RandomState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Days between the first and the last of a list with a place for each: ten thousand years.
const MAX_DAYS: i64 = 3_660_000;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// The kinds of facets that hits are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FacetKind {
    /// Pages, documents, images and so on, by media type.
    Media,
    /// Language of the page.
    #[serde(rename = "lang")]
    Language,
    /// Host.
    Host,
    /// Registrable domain of the host.
    Domain,
    /// Last label of the host.
    #[serde(rename = "tld")]
    TopLevel,
    /// Country of the server, where it was looked up.
    Country,
    /// Year of the capture.
    Year,
    /// HTTP status.
    Status,
    /// Campaign that it was crawled for.
    Campaign,
    /// Crawl or import that it came with.
    Launch,
    /// The last decision on it.
    Mark,
    /// Kind of the site, as its pages show. No column has it: it is counted with the index.
    Kind,
    /// A term of the campaign's request that it holds, as a request. No column has it: it is counted
    /// with the index.
    Term,
    /// A person, place, organisation or event that the newest analysis found in its text. No column has it.
    Entity,
    /// What became of the page since the launch before: new, gone, changed, now failing. No column has it.
    Since,
}

impl FacetKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 15] = [
        Self::Media,
        Self::Language,
        Self::Host,
        Self::Domain,
        Self::TopLevel,
        Self::Country,
        Self::Year,
        Self::Status,
        Self::Campaign,
        Self::Launch,
        Self::Mark,
        Self::Since,
        Self::Kind,
        Self::Term,
        Self::Entity,
    ];

    /// Its name on the command line and in queries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Media => "media",
            Self::Language => "lang",
            Self::Host => "host",
            Self::Domain => "domain",
            Self::TopLevel => "tld",
            Self::Country => "country",
            Self::Year => "year",
            Self::Status => "status",
            Self::Campaign => "campaign",
            Self::Launch => "launch",
            Self::Mark => "mark",
            Self::Kind => "kind",
            Self::Term => "term",
            Self::Entity => "entity",
            Self::Since => "since",
        }
    }

    /// Its name on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Media => "Type",
            Self::Language => "Language",
            Self::Host => "Host",
            Self::Domain => "Domain",
            Self::TopLevel => "Top-level domain",
            Self::Country => "Country of the server",
            Self::Year => "Year",
            Self::Status => "Status",
            Self::Campaign => "Campaign",
            Self::Launch => "Crawl or import",
            Self::Mark => "Decision",
            Self::Kind => "Kind of site",
            Self::Term => "Term of the request",
            Self::Entity => "Entity",
            Self::Since => "Since the launch before",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A value of a facet, and how many of the captures found have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetValue {
    /// The value as a query has it; empty for what has none.
    pub value: String,
    /// Captures.
    pub count: u64,
}

/// Lengths of time that captures are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Period {
    /// A day.
    Day,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Period {
    /// Characters of `2024-03-01` that name it.
    pub(super) fn chars(self) -> usize {
        match self {
            Self::Day => 10,
            Self::Month => 7,
            Self::Year => 4,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The period of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "day" => Some(Self::Day),
            "month" => Some(Self::Month),
            "year" => Some(Self::Year),
            _ => None,
        }
    }
}

/// Captures of one period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PeriodCount {
    /// As a query has it: `2024`, `2024-03` or `2024-03-01`.
    pub period: String,
    /// Captures found.
    pub count: u64,
    /// All captures of the period that were searched, found or not.
    pub of: u64,
}

/// The row of a capture, to be put into the columns. Numbers are those of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactsRow<'a> {
    /// Its number.
    pub capture: i64,
    /// Number of its content version.
    pub version: i64,
    /// Number of its URL.
    pub url: i64,
    /// Its host, with port where it has one.
    pub host: &'a str,
    /// When, in milliseconds.
    pub date_ms: i64,
    /// HTTP status.
    pub status: i32,
    /// Its medium: page, document, image and so on.
    pub media: &'a str,
    /// Language, empty where it is not known.
    pub language: &'a str,
    /// Number of its launch.
    pub launch: i64,
    /// Bytes of its payload.
    pub size: i64,
    /// It repeats a payload that was captured before.
    pub is_revisit: bool,
    /// A person reviews it by itself: it is no part of a page, and not what a crawl fetches first.
    pub is_by_itself: bool,
    /// It has a text of its own, which a request is held against.
    pub has_text: bool,
}

/// Values that are kept once and referred to by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Names {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number) = (Arc::<str>::from(name), u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    fn name(&self, number: u32) -> &str {
        usize::try_from(number).ok().and_then(|number| self.names.get(number)).map_or("", |name| name)
    }
}

/// One column: a value of each capture, by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names32 {
    names: Names,
    /// The number of a name for each capture.
    pub(super) of: Vec<u32>,
    /// The captures with each name, where these are few: one bit a capture and name.
    sets: Vec<FixedBitSet>,
}

impl Names32 {
    /// A column of names, without sets.
    pub(super) fn of(names: Vec<String>, of: Vec<u32>) -> Self {
        let mut own = Names::default();
        for name in &names {
            own.number(name);
        }
        Self { names: own, of, sets: Vec::new() }
    }

    /// Its names, by their numbers.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.names.iter().map(AsRef::as_ref)
    }

    fn push(&mut self, at: usize, name: &str) {
        let number = self.names.number(name);
        self.of.resize(at + 1, 0);
        self.of[at] = number;
    }

    /// The same, and keeps the set of each name.
    fn push_in_sets(&mut self, at: usize, name: &str) {
        self.push(at, name);
        self.put_in_set(at);
    }

    fn put_in_set(&mut self, at: usize) {
        let number = self.of[at] as usize;
        if self.sets.len() <= number {
            self.sets.resize_with(number + 1, FixedBitSet::new);
        }
        self.sets[number].grow_and_insert(at);
    }

    /// The number of captures with each name, by its number.
    fn count(&self, captures: &FixedBitSet) -> Vec<u64> {
        if !self.sets.is_empty() {
            return self.sets.iter().map(|set| set.intersection_count(captures) as u64).collect();
        }
        let mut counts = vec![0_u64; self.names.names.len().max(1)];
        for capture in captures.ones() {
            if let Some(count) = self.of.get(capture).and_then(|number| counts.get_mut(*number as usize)) {
                *count += 1;
            }
        }
        counts
    }
}

/// Values with the sum of their counts, the most frequent first, then by value.
fn in_order(counts: impl Iterator<Item = (String, u64)>) -> Vec<FacetValue> {
    let mut sums: HashMap<String, u64> = HashMap::new();
    counts.for_each(|(value, count)| *sums.entry(value).or_default() += count);
    let mut found: Vec<FacetValue> = sums.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
    found.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    found
}

/// The columns of all captures, by the capture's number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureFacts {
    /// Captures that there are.
    there: FixedBitSet,
    pub(super) versions: Vec<u32>,
    pub(super) urls: Vec<u32>,
    /// Captures of a version beside its first one.
    further: HashMap<u32, Vec<u32>>,
    /// Versions that have such, and these captures.
    repeated: FixedBitSet,
    repeats: FixedBitSet,
    /// Dates, in milliseconds since 1970.
    pub(super) dates_ms: Vec<i64>,
    /// Bytes of payloads.
    pub(super) sizes: Vec<u64>,
    pub(super) hosts: Names32,
    pub(super) media: Names32,
    pub(super) languages: Names32,
    pub(super) statuses: Names32,
    pub(super) launches: Names32,
    /// Captures that repeat a payload.
    pub(super) revisits: FixedBitSet,
    /// Captures that a person reviews by themselves.
    pub(super) by_themselves: FixedBitSet,
    /// Captures with a text of their own.
    pub(super) with_text: FixedBitSet,
    marks: Names32,
    countries: HashMap<Arc<str>, String>,
    campaigns: HashMap<i64, i64>,
    launch_names: HashMap<i64, String>,
    pub(super) newest: i64,
}

impl CaptureFacts {
    /// Takes a capture in. They come in the order of their numbers.
    pub fn push(&mut self, row: &FactsRow<'_>) {
        let Ok(at) = usize::try_from(row.capture) else { return };
        self.versions.resize(at + 1, 0);
        self.versions[at] = u32::try_from(row.version).unwrap_or_default();
        self.put_in_sets(at);
        self.urls.resize(at + 1, 0);
        self.urls[at] = u32::try_from(row.url).unwrap_or_default();
        self.dates_ms.resize(at + 1, 0);
        self.dates_ms[at] = row.date_ms;
        self.sizes.resize(at + 1, 0);
        self.sizes[at] = u64::try_from(row.size).unwrap_or_default();
        self.hosts.push(at, row.host);
        self.media.push_in_sets(at, row.media);
        self.languages.push(at, row.language);
        self.statuses.push(at, &if row.status == 0 { String::new() } else { row.status.to_string() });
        self.launches.push(at, &row.launch.to_string());
        let sets = [
            (&mut self.revisits, row.is_revisit),
            (&mut self.by_themselves, row.is_by_itself),
            (&mut self.with_text, row.has_text),
        ];
        for (set, holds) in sets {
            set.grow(at + 1);
            set.set(at, holds);
        }
        self.newest = self.newest.max(row.capture);
    }

    /// Puts a capture into the sets that follow from its version.
    fn put_in_sets(&mut self, at: usize) {
        self.there.grow(at + 1);
        self.there.insert(at);
        let version = self.versions[at];
        if let Some(capture) = u32::try_from(at).ok().filter(|capture| *capture != version) {
            self.further.entry(version).or_default().push(capture);
            self.repeated.grow_and_insert(version as usize);
            self.repeats.grow_and_insert(at);
        }
    }

    /// The same with the sets that follow from its columns.
    pub(super) fn completed(mut self) -> Self {
        for at in 0..self.versions.len() {
            if self.versions[at] > 0 {
                self.put_in_sets(at);
                self.media.put_in_set(at);
            }
        }
        self
    }

    /// Renews the countries of hosts, the campaigns of launches, and their names.
    pub fn describe(
        &mut self,
        countries: HashMap<Arc<str>, String>,
        launches: impl IntoIterator<Item = (i64, Option<i64>, String)>,
    ) {
        self.countries = countries;
        (self.campaigns, self.launch_names) = Default::default();
        for (launch, campaign, name) in launches {
            self.campaigns.extend(campaign.map(|campaign| (launch, campaign)));
            self.launch_names.insert(launch, name);
        }
    }

    /// Renews the decisions of persons: captures that are not listed have no decision.
    pub fn mark(&mut self, marks: impl IntoIterator<Item = (i64, String)>) {
        self.marks = Names32::default();
        self.marks.names.number("");
        self.marks.of = vec![0; self.versions.len()];
        for (capture, mark) in marks {
            let number = self.marks.names.number(&mark);
            if let Some(place) = usize::try_from(capture).ok().and_then(|at| self.marks.of.get_mut(at)) {
                *place = number;
            }
        }
    }

    /// The newest capture taken in.
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// The set of all captures.
    pub fn captures(&self) -> &FixedBitSet {
        &self.there
    }

    /// The captures that repeat a payload which was captured before.
    pub fn revisits(&self) -> &FixedBitSet {
        &self.revisits
    }

    /// The captures that a person reviews by themselves: neither parts of pages nor what a crawl fetches first.
    pub fn by_themselves(&self) -> &FixedBitSet {
        &self.by_themselves
    }

    /// The captures that have text of their own, which a request is held against.
    pub fn with_text(&self) -> &FixedBitSet {
        &self.with_text
    }

    /// Takes those captures out of a set that have an earlier one of their content version among others.
    pub fn remove_repeats(&self, set: &mut FixedBitSet, others: &FixedBitSet) {
        for version in self.repeated.ones() {
            let mut has_earlier = false;
            for capture in self.captures_of_version(version) {
                if has_earlier && set.contains(capture) {
                    set.remove(capture);
                }
                has_earlier |= others.contains(capture);
            }
        }
    }

    /// The last of each URL among some captures; one whose URL has no number is the only one of it.
    pub fn last_of_urls(&self, among: &FixedBitSet) -> FixedBitSet {
        let mut known: HashSet<u32, RandomState> = HashSet::default();
        let mut last = among.clone();
        for capture in among.ones().rev() {
            let url = self.urls.get(capture).copied().unwrap_or_default();
            if url > 0 && !known.insert(url) {
                last.remove(capture);
            }
        }
        last
    }

    /// The captures of launches, by their numbers.
    pub fn of_launches(&self, is_meant: impl Fn(i64) -> bool) -> FixedBitSet {
        let is_one: Vec<bool> = self.launches.names().map(|name| name.parse().is_ok_and(&is_meant)).collect();
        let mut found =
            set_where(&self.launches.of, |number| is_one.get(*number as usize).copied().unwrap_or_default());
        found.intersect_with(&self.there);
        found
    }

    /// The content version of a capture; 0 for none.
    pub fn version_of(&self, capture: usize) -> usize {
        self.versions.get(capture).copied().unwrap_or_default() as usize
    }

    /// The day of a capture, since 1970.
    pub fn day_of(&self, capture: usize) -> i32 {
        i32::try_from(self.date_ms_of(capture).div_euclid(DAY_MS)).unwrap_or_default()
    }

    /// The date of a capture, in milliseconds since 1970.
    pub fn date_ms_of(&self, capture: usize) -> i64 {
        self.dates_ms.get(capture).copied().unwrap_or_default()
    }

    /// The language of a capture; empty where it is not known.
    pub fn language_of(&self, capture: usize) -> &str {
        self.languages.of.get(capture).map_or("", |number| self.languages.names.name(*number))
    }

    /// Bytes of the payloads of captures.
    pub fn bytes_of(&self, captures: &FixedBitSet) -> u64 {
        captures.ones().filter_map(|capture| self.sizes.get(capture)).fold(0, |sum, size| sum.saturating_add(*size))
    }

    /// The host of a capture.
    pub fn host_of(&self, capture: usize) -> &str {
        self.hosts.of.get(capture).map_or("", |number| self.hosts.names.name(*number))
    }

    /// Whether two captures are of one host.
    pub fn have_one_host(&self, one: usize, other: usize) -> bool {
        self.hosts.of.get(one) == self.hosts.of.get(other)
    }

    /// The first of some captures by date, and of one date by number; at most so many.
    pub fn first_by_date(&self, captures: &FixedBitSet, newest_first: bool, most: usize) -> Vec<usize> {
        let key = |capture: usize| match self.date_ms_of(capture) {
            date_ms if newest_first => date_ms.saturating_neg(),
            date_ms => date_ms,
        };
        let found = self.there.intersection(captures);
        first_by_key(found.map(|capture| (key(capture), capture)), most)
            .into_iter()
            .map(|(_, capture)| capture)
            .collect()
    }

    /// Whether a content version has one capture.
    pub fn is_single(&self, version: usize) -> bool {
        self.there.contains(version) && !self.repeated.contains(version)
    }

    /// The captures of a content version, in the order in which they came.
    pub fn captures_of_version(&self, version: usize) -> impl Iterator<Item = usize> {
        let first = self.there.contains(version).then_some(version);
        // Most versions have one capture.
        let version = u32::try_from(version).ok().filter(|_| self.repeated.contains(version));
        let further = version.and_then(|version| self.further.get(&version));
        first.into_iter().chain(further.into_iter().flatten().map(|capture| *capture as usize))
    }

    /// The captures of content versions.
    pub fn captures_of(&self, versions: &FixedBitSet) -> FixedBitSet {
        let mut found = self.there.clone();
        found.intersect_with(versions);
        for version in self.repeated.intersection(versions) {
            found.extend(self.captures_of_version(version));
        }
        found
    }

    /// The captures of days, the last one included.
    pub fn captures_of_days(&self, days: RangeInclusive<i32>) -> FixedBitSet {
        let first_ms = if *days.start() == i32::MIN { i64::MIN } else { i64::from(*days.start()) * DAY_MS };
        let last_ms = if *days.end() == i32::MAX { i64::MAX } else { (i64::from(*days.end()) + 1) * DAY_MS - 1 };
        let mut found = set_where(&self.dates_ms, |date_ms| first_ms <= *date_ms && *date_ms <= last_ms);
        found.intersect_with(&self.there);
        found
    }

    /// The content versions of captures.
    pub fn versions_of(&self, captures: &FixedBitSet) -> FixedBitSet {
        let mut found = captures.clone();
        found.difference_with(&self.repeats);
        found.grow(self.versions.len());
        for capture in self.repeats.intersection(captures) {
            found.insert(self.version_of(capture));
        }
        found
    }

    /// The captures whose value of a facet is one of those that are meant. Years are tested by
    /// [`Self::captures_of_days`], and terms by whoever asks the index.
    pub fn with_value(&self, kind: FacetKind, is_meant: impl Fn(&str) -> bool) -> FixedBitSet {
        self.with_value_among(&self.there, kind, is_meant)
    }

    /// The same of some captures.
    pub fn with_value_among(
        &self,
        captures: &FixedBitSet,
        kind: FacetKind,
        is_meant: impl Fn(&str) -> bool,
    ) -> FixedBitSet {
        let column = self.column(kind);
        let is_one: Vec<bool> = column.names.names.iter().map(|name| is_meant(&self.value(kind, name))).collect();
        let is_one = |number: usize| is_one.get(number).copied().unwrap_or_default();
        let mut found = match &column.sets[..] {
            [] => set_where(&column.of, |number| is_one(*number as usize)),
            sets => {
                let mut found = empty_set(self.versions.len());
                sets.iter().enumerate().filter(|(nth, _)| is_one(*nth)).for_each(|(_, set)| found.union_with(set));
                found
            }
        };
        found.intersect_with(captures);
        found
    }

    /// Those of some captures that have each of these values of a facet, in one pass.
    pub fn with_values_among(&self, captures: &FixedBitSet, kind: FacetKind, values: &[&str]) -> Vec<FixedBitSet> {
        let column = self.column(kind);
        let values_of = column.names.names.iter().map(|name| self.value(kind, name));
        let places: Vec<Option<usize>> = values_of.map(|of| values.iter().position(|value| *value == of)).collect();
        let mut found = vec![FixedBitSet::with_capacity(captures.len()); values.len()];
        for capture in captures.ones() {
            if let Some(place) = column.of.get(capture).and_then(|number| *places.get(*number as usize)?) {
                found[place].insert(capture);
            }
        }
        found
    }

    /// The captures of a campaign, by its number.
    pub fn of_campaign(&self, campaign: i64) -> FixedBitSet {
        let campaign = campaign.to_string();
        self.with_value(FacetKind::Campaign, |of| of == campaign)
    }

    /// Whether a capture that there was has this value of a facet.
    pub fn has_value(&self, kind: FacetKind, value: &str) -> bool {
        self.column(kind).names.names.iter().any(|name| self.value(kind, name) == value)
    }

    /// How often captures have each value of some facets, the most frequent
    /// first, then by value. Facets of one column are counted together.
    pub fn counts(&self, kinds: &[FacetKind], captures: &FixedBitSet) -> Vec<Vec<FacetValue>> {
        let is_of_column = |kind: &&FacetKind| {
            !matches!(kind, FacetKind::Term | FacetKind::Kind | FacetKind::Entity | FacetKind::Since | FacetKind::Year)
        };
        let mut columns: Vec<&Names32> = Vec::new();
        for kind in kinds.iter().filter(is_of_column) {
            let column = self.column(*kind);
            if !columns.iter().any(|known| std::ptr::eq(*known, column)) {
                columns.push(column);
            }
        }
        let count_days = || if kinds.contains(&FacetKind::Year) { self.by_day(captures) } else { HashMap::new() };
        let count_columns = || columns.par_iter().map(|column| column.count(captures)).collect::<Vec<_>>();
        let (days, counted) = rayon::join(count_days, count_columns);
        let of_kind = |kind: FacetKind| match kind {
            FacetKind::Term | FacetKind::Kind | FacetKind::Entity | FacetKind::Since => Vec::new(),
            FacetKind::Year => in_order(days.iter().map(|(day, count)| (period_of(*day, Period::Year), *count))),
            kind => {
                let column = self.column(kind);
                let counts = columns.iter().zip(&counted).find(|(known, _)| std::ptr::eq(**known, column));
                let counts = counts.map_or(&[][..], |(_, counts)| counts);
                let counts = column.names.names.iter().zip(counts).filter(|(_, count)| **count > 0);
                in_order(counts.map(|(name, count)| (self.value(kind, name), *count)))
            }
        };
        kinds.iter().map(|kind| of_kind(*kind)).collect()
    }

    /// The counts of one facet, as [`Self::counts`].
    pub fn count(&self, kind: FacetKind, captures: &FixedBitSet) -> Vec<FacetValue> {
        self.counts(&[kind], captures).pop().unwrap_or_default()
    }

    /// Captures found in each period, from the first to the last, beside all `of` which they were found.
    pub fn histogram(&self, captures: &FixedBitSet, of: &FixedBitSet, period: Period) -> Vec<PeriodCount> {
        let mut found: std::collections::BTreeMap<String, u64> = Default::default();
        for (day, count) in self.by_day(captures) {
            *found.entry(period_of(day, period)).or_default() += count;
        }
        let mut all: HashMap<String, u64> = HashMap::new();
        for (day, count) in self.by_day(of) {
            *all.entry(period_of(day, period)).or_default() += count;
        }
        found
            .into_iter()
            .map(|(period, count)| PeriodCount { of: all.get(&period).copied().unwrap_or_default(), period, count })
            .collect()
    }

    fn by_day(&self, captures: &FixedBitSet) -> HashMap<i32, u64> {
        let (mut first, mut last) = (i32::MAX, i32::MIN);
        for capture in captures.ones() {
            let day = self.day_of(capture);
            (first, last) = (first.min(day), last.max(day));
        }
        if first > last {
            return HashMap::new();
        }
        let days = i64::from(last) - i64::from(first) + 1;
        if days > MAX_DAYS {
            let mut counts = HashMap::new();
            captures.ones().for_each(|capture| *counts.entry(self.day_of(capture)).or_default() += 1);
            return counts;
        }
        let mut counts = vec![0_u64; usize::try_from(days).unwrap_or(1)];
        for capture in captures.ones() {
            let at = usize::try_from(i64::from(self.day_of(capture)) - i64::from(first)).unwrap_or_default();
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
        (first..).zip(counts).filter(|(_, count)| *count > 0).collect()
    }

    fn column(&self, kind: FacetKind) -> &Names32 {
        match kind {
            FacetKind::Media => &self.media,
            FacetKind::Language => &self.languages,
            FacetKind::Host | FacetKind::Domain | FacetKind::TopLevel | FacetKind::Country => &self.hosts,
            // Years are counted by day, kinds of sites and terms with the index, changes by launches.
            FacetKind::Status
            | FacetKind::Year
            | FacetKind::Kind
            | FacetKind::Term
            | FacetKind::Entity
            | FacetKind::Since => &self.statuses,
            FacetKind::Campaign | FacetKind::Launch => &self.launches,
            FacetKind::Mark => &self.marks,
        }
    }

    /// The facet value of a column's value.
    fn value(&self, kind: FacetKind, name: &str) -> String {
        match kind {
            FacetKind::Domain => domain_of(name).to_owned(),
            FacetKind::TopLevel => top_level_of(name).to_owned(),
            FacetKind::Country => self.countries.get(without_port(name)).cloned().unwrap_or_default(),
            FacetKind::Campaign => {
                let campaign = name.parse().ok().and_then(|launch: i64| self.campaigns.get(&launch));
                campaign.map(ToString::to_string).unwrap_or_default()
            }
            FacetKind::Launch => {
                let launch = name.parse().ok().and_then(|launch: i64| self.launch_names.get(&launch));
                launch.cloned().unwrap_or_default()
            }
            FacetKind::Media
            | FacetKind::Language
            | FacetKind::Host
            | FacetKind::Status
            | FacetKind::Year
            | FacetKind::Mark
            | FacetKind::Kind
            | FacetKind::Entity
            | FacetKind::Since
            | FacetKind::Term => name.to_owned(),
        }
    }
}

/// A host without its port, if it has one.
pub fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The registrable domain of a host, or the host where it has none.
pub fn domain_of(host: &str) -> &str {
    crate::uri::registrable(without_port(host))
}

/// The last label of a host name; empty for addresses.
pub fn top_level_of(host: &str) -> &str {
    let name = without_port(host);
    let last = name.rsplit('.').next().unwrap_or(name);
    if name.starts_with('[') || last.bytes().all(|byte| byte.is_ascii_digit()) { "" } else { last }
}

/// The first of numbers with keys, in their order; at most so many. Sorting all of them would take longer.
pub fn first_by_key(all: impl Iterator<Item = (i64, usize)>, most: usize) -> Vec<(i64, usize)> {
    let mut first: Vec<(i64, usize)> = Vec::new();
    // Whatever is behind this one is none of them.
    let mut last = None;
    for one in all {
        if last.is_some_and(|last| one > last) {
            continue;
        }
        first.push(one);
        if first.len() >= most.saturating_mul(2).max(1) {
            if most > 0 {
                last = Some(*first.select_nth_unstable(most - 1).1);
            }
            first.truncate(most);
        }
    }
    first.sort_unstable();
    first.truncate(most);
    first
}

/// The places of values that meet a test.
fn set_where<T>(values: &[T], is_meant: impl Fn(&T) -> bool) -> FixedBitSet {
    const BITS: usize = usize::BITS as usize;
    let bits = |some: &[T]| some.iter().rev().fold(0, |bits, value| bits << 1 | usize::from(is_meant(value)));
    FixedBitSet::with_capacity_and_blocks(values.len(), values.chunks(BITS).map(bits))
}
