//! Read models about the scope: what would change, and who let what in.

use super::LaunchId;
use super::SeenId;
use crate::scope::{GeoEvidence, GeoFact, Verdict};
use crate::uri::CaptureDate;
use serde::Serialize;

/// The effect of an edited list of rules on all URLs that were seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIf {
    /// The launches whose URLs were tried.
    pub launches: Vec<LaunchId>,
    /// Distinct URLs tried.
    pub seen: u64,
    /// Their numbers.
    #[serde(skip)]
    pub seen_ids: Runs,
    /// Of these, fetched because others needed them, which no rule decides.
    pub apart: u64,
    /// Taken, and still taken.
    pub stay_in: u64,
    /// Refused, and still refused.
    pub stay_out: u64,
    /// Of those that stay: decided by a rule of another index.
    pub other_rule: u64,
    /// Their numbers, ascending; eight bytes each.
    #[serde(skip)]
    pub other_rule_ids: Vec<SeenId>,
    /// Whether they change side depends on a country that nobody has looked up, or whose look-up
    /// failed: rules that accept countries could let them in, rules that reject them could throw them
    /// out. Each is counted, too, as though its server stood in no country.
    pub unknown: Moved,
    /// Distinct hosts (with port) of the URLs that change side.
    pub moved_hosts: u64,
    /// These hosts, by their numbers.
    #[serde(skip)]
    pub hosts: Vec<HostMoves>,
    /// Accepted by the edited rules as far as is known, but robots.txt, type or size could reject it,
    /// and it was never fetched.
    pub unfetched: u64,
    /// Their numbers, ascending; eight bytes each.
    #[serde(skip)]
    pub unfetched_ids: Vec<SeenId>,
    /// URLs that would be taken in addition.
    pub moved_in: Moved,
    /// URLs that would be refused in addition.
    pub moved_out: Moved,
    /// Of each edited rule, in order: what it decides among these.
    pub by_rule: Vec<RuleMoves>,
    /// Remarks on what is not in these figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// URLs that change to one side of a [`WhatIf`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Moved {
    /// URLs.
    pub urls: u64,
    /// Distinct hosts (with port) of these URLs.
    pub hosts: u64,
    /// URLs that have a capture, whose size is known.
    pub captured: u64,
    /// Payload bytes of the last capture of each of them.
    pub bytes: u64,
    /// The URLs that are counted, by the number of the seen URL; 16 bytes each.
    #[serde(skip)]
    pub list: Vec<MovedUrl>,
}

/// A URL that is counted in a [`Moved`]. There may be millions, so that it is
/// kept small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedUrl {
    /// Number of the seen URL.
    pub seen: SeenId,
    /// Number of its host (with port).
    pub host: HostNumber,
    /// The edited rule that decides it and, in the lowest bit, whether it has a capture.
    rule_and_capture: u32,
}

/// Number of a host in a list of URLs: that of the catalogue, as far as four
/// billion go.
pub type HostNumber = u32;

/// Index that means no rule.
const NO_RULE: u32 = u32::MAX >> 1;

impl MovedUrl {
    /// A URL that the edited rule of this index decides, if any does.
    pub fn new(seen: SeenId, host: i64, rule: Option<usize>) -> Self {
        let rule = rule.and_then(|rule| u32::try_from(rule).ok()).unwrap_or(NO_RULE).min(NO_RULE);
        let host = HostNumber::try_from(host).unwrap_or(HostNumber::MAX);
        Self { seen, host, rule_and_capture: rule << 1 }
    }

    /// Takes down that it has a capture.
    pub fn set_captured(&mut self) {
        self.rule_and_capture |= 1;
    }

    /// Whether it has a capture.
    pub fn is_captured(&self) -> bool {
        self.rule_and_capture & 1 == 1
    }

    /// The edited rule that decides it; none where no rule does.
    pub fn rule(&self) -> Option<usize> {
        let rule = self.rule_and_capture >> 1;
        usize::try_from(rule).ok().filter(|_| rule != NO_RULE)
    }
}

/// Numbers of rows, kept as runs of neighbours: rows of one launch mostly
/// follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs(Vec<(i64, i64)>);

impl Runs {
    /// Adds a number that is not in it.
    pub fn push(&mut self, id: SeenId) {
        let number = id.get();
        match self.0.last_mut() {
            Some((_, last)) if *last == number - 1 => *last = number,
            _ => self.0.push((number, number)),
        }
    }

    /// Adds all of another part.
    pub fn add(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Puts them in ascending order.
    pub fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|next, run| {
            let goes_on = run.1 == next.0 - 1;
            if goes_on {
                run.1 = next.1;
            }
            goes_on
        });
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = SeenId> {
        self.0.iter().flat_map(|(first, last)| (*first..=*last).map(SeenId::new))
    }
}

/// Rows of a list that a screen shows.
pub const ROWS_SHOWN: usize = 500_000;

/// Numbers of seen URLs, of which the first are held: as many as a screen
/// shows, however many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstIds {
    urls: u64,
    first: Vec<SeenId>,
}

impl FirstIds {
    /// Adds a number that is greater than those before it.
    pub fn push(&mut self, id: SeenId) {
        self.push_within(id, ROWS_SHOWN);
    }

    /// Adds a number, if fewer than `most` are kept; returns whether it was.
    pub fn push_within(&mut self, id: SeenId, most: usize) -> bool {
        self.urls += 1;
        let is_locked = self.first.len() < most;
        if is_locked {
            self.first.push(id);
        }
        is_locked
    }

    /// Holds no more than so many from now on.
    pub fn hold_within(&mut self, most: usize) {
        self.first.truncate(most);
        self.first.shrink_to_fit();
    }

    /// Adds all of another part, which has other numbers.
    pub fn add(&mut self, other: Self) {
        self.urls += other.urls;
        if self.first.is_empty() {
            self.first = other.first;
        } else if !other.first.is_empty() {
            self.first.extend(other.first);
            self.first.sort_unstable();
            self.first.truncate(ROWS_SHOWN);
        }
    }

    /// The number of URLs.
    pub fn urls(&self) -> u64 {
        self.urls
    }

    /// The first of them, ascending.
    pub fn first(&self) -> &[SeenId] {
        &self.first
    }
}

impl FromIterator<SeenId> for FirstIds {
    /// Of ascending numbers.
    fn from_iter<I: IntoIterator<Item = SeenId>>(numbers: I) -> Self {
        let mut ids = Self::default();
        numbers.into_iter().for_each(|id| ids.push(id));
        ids
    }
}

/// The side that URLs change to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MovedSide {
    /// Would be taken.
    In,
    /// Would be refused.
    Out,
    /// Open: it depends on a country that nobody has looked up, or whose look-up failed.
    Unknown,
}

/// The URLs that one of the numbers of a [`WhatIf`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhatIfList {
    /// All that was tried.
    Seen,
    /// URLs that would come in, then those that would go out.
    Both,
    /// One of the sides.
    Side(MovedSide),
    /// Of both sides, those of the host with this number.
    Host(HostNumber),
    /// Of both sides, those that have a capture, whose bytes are counted.
    Captured,
    /// Of both sides, those that the edited rule of this index decides.
    ByRule(usize),
    /// Taken as far as is known, but a fetch could change that.
    Unfetched,
    /// Staying on their side by another rule than before.
    OtherRule,
}

/// URLs of one host that would change side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostMoves {
    /// Its number.
    pub id: HostNumber,
    /// URLs that would be taken.
    pub moved_in: u64,
    /// URLs that would be refused.
    pub moved_out: u64,
    /// Of both, URLs that have a capture.
    pub captured: u64,
    /// Payload bytes of the last capture of each of them.
    pub bytes: u64,
}

impl HostMoves {
    /// This row with the name of its host.
    pub fn named(self, host: String) -> MovedHost {
        let Self { id, moved_in, moved_out, captured, bytes } = self;
        MovedHost { id, host, moved_in, moved_out, captured, bytes }
    }

    /// Adds what another part found of the host.
    pub fn add(&mut self, other: &Self) {
        self.moved_in += other.moved_in;
        self.moved_out += other.moved_out;
        self.captured += other.captured;
        self.bytes += other.bytes;
    }
}

/// A host with URLs that would change side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedHost {
    /// Its number.
    pub id: HostNumber,
    /// Its name, with port where that is no default.
    pub host: String,
    /// URLs that would be taken.
    pub moved_in: u64,
    /// URLs that would be refused.
    pub moved_out: u64,
    /// Of both, URLs that have a capture.
    pub captured: u64,
    /// Payload bytes of the last capture of each of them.
    pub bytes: u64,
}

impl WhatIf {
    /// The URLs of one side.
    pub fn side(&self, side: MovedSide) -> &Moved {
        match side {
            MovedSide::In => &self.moved_in,
            MovedSide::Out => &self.moved_out,
            MovedSide::Unknown => &self.unknown,
        }
    }

    /// The number of URLs in a list.
    pub fn count(&self, list: WhatIfList) -> u64 {
        match list {
            WhatIfList::Seen => self.seen,
            WhatIfList::Both => self.moved_in.urls + self.moved_out.urls,
            WhatIfList::Side(side) => self.side(side).urls,
            WhatIfList::Captured => self.moved_in.captured + self.moved_out.captured,
            WhatIfList::Host(host) => {
                let at = self.hosts.binary_search_by_key(&host, |moves| moves.id).ok();
                at.and_then(|at| self.hosts.get(at)).map_or(0, |moves| moves.moved_in + moves.moved_out)
            }
            WhatIfList::ByRule(rule) => self.by_rule.get(rule).map_or(0, |rule| rule.moved_in + rule.moved_out),
            WhatIfList::Unfetched => self.unfetched,
            WhatIfList::OtherRule => self.other_rule,
        }
    }

    /// Numbers of the seen URLs of a list; those that would come in first.
    pub fn ids(&self, list: WhatIfList) -> Box<dyn Iterator<Item = SeenId> + '_> {
        let both = || self.moved_in.list.iter().chain(&self.moved_out.list);
        match list {
            WhatIfList::Seen => Box::new(self.seen_ids.iter()),
            WhatIfList::Both => Box::new(both().map(|url| url.seen)),
            WhatIfList::Side(side) => Box::new(self.side(side).list.iter().map(|url| url.seen)),
            WhatIfList::Host(host) => Box::new(both().filter(move |url| url.host == host).map(|url| url.seen)),
            WhatIfList::Captured => Box::new(both().filter(|url| url.is_captured()).map(|url| url.seen)),
            WhatIfList::ByRule(rule) => {
                Box::new(both().filter(move |url| url.rule() == Some(rule)).map(|url| url.seen))
            }
            WhatIfList::Unfetched => Box::new(self.unfetched_ids.iter().copied()),
            WhatIfList::OtherRule => Box::new(self.other_rule_ids.iter().copied()),
        }
    }
}

/// The part of an edited rule in a what-if: the URLs whose side it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleMoves {
    /// Its index in the edited list.
    pub index: usize,
    /// Its name in logs.
    pub name: String,
    /// Its description.
    pub words: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// URLs it takes that were refused.
    pub moved_in: u64,
    /// URLs it refuses that were taken.
    pub moved_out: u64,
}

/// A URL that would change side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedRow {
    /// Number of the seen URL.
    pub seen: SeenId,
    /// The launch that saw it last.
    pub launch: LaunchId,
    /// The URL.
    pub url: String,
    /// The page that led here.
    pub via: String,
    /// Its path from the seed.
    pub hops: String,
    /// The decision of the rules of that launch.
    pub before: Verdict,
    /// The decision of the edited ones.
    pub after: Verdict,
    /// Payload bytes of its last capture; none where there is none.
    pub bytes: Option<u64>,
    /// Whether it still belongs to the list that counted it. Verdicts are those
    /// of now: since the list was made a page may have been fetched, a server
    /// looked up, a seed redirected.
    pub as_counted: bool,
}

/// A remark on rows of a list that the catalogue has moved out of it since.
pub fn moved_on(rows: u64) -> Option<String> {
    let rows = match rows {
        0 => return None,
        1 => "1 row is".to_owned(),
        rows => format!("{rows} rows are"),
    };
    Some(format!("{rows} decided otherwise now than when the list was counted: the workspace has changed since"))
}

impl MovedRow {
    /// Its host, with port where the URL has one; empty where it has none.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default()
    }
}

/// Counts of one rule: URLs it had an opinion of, and URLs it decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleHits {
    /// Its index.
    pub index: usize,
    /// Its name in logs.
    pub name: String,
    /// Its description.
    pub words: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// URLs it had an opinion of.
    pub spoke: u64,
    /// URLs it had the last word on.
    pub decided: u64,
    /// Number of an example (one it decided, if there is any).
    pub seen: Option<SeenId>,
    /// Its URL.
    pub example: Option<String>,
    /// The URLs it decided.
    #[serde(skip)]
    pub ids: FirstIds,
}

/// Counts of each rule of a launch's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleReport {
    /// One row a rule, in their order.
    pub rules: Vec<RuleHits>,
    /// Remarks on what is not in these figures.
    pub remarks: Vec<String>,
}

/// URLs that one rule of a launch's list had an opinion of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleMatches {
    /// The rule's name in logs; empty where the list has no such rule.
    pub name: String,
    /// Its description.
    pub words: String,
    /// The URLs it had an opinion of.
    pub ids: FirstIds,
    /// Remarks on what is not in these figures.
    pub remarks: Vec<String>,
}

/// A host that only its location let in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeoHost {
    /// The host, with port where it is no default.
    pub host: String,
    /// URLs that only geolocation let in.
    pub urls: u64,
    /// These seen URLs.
    #[serde(skip)]
    pub ids: FirstIds,
    /// Names of other rules that accepted some of them on the way, without the last opinion.
    pub also: Vec<String>,
    /// The evidence.
    pub evidence: GeoFact,
    /// The first such URL.
    pub first_url: String,
    /// When it was let in: the first time that this happened to its host.
    pub first_seen: CaptureDate,
    /// The page that led there; empty for a seed.
    pub first_via: String,
    /// Captures of the host.
    pub captures: u64,
    /// Their payload bytes.
    pub bytes: u64,
}

/// The report about such hosts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GeoReport {
    /// One row a host, by name.
    pub hosts: Vec<GeoHost>,
    /// URLs that a geolocation rule had the last word on and let in.
    pub decided: u64,
    /// Of these, URLs that would have come in without it.
    pub otherwise: u64,
    /// These seen URLs.
    #[serde(skip)]
    pub otherwise_ids: FirstIds,
    /// Remarks on what is not in these figures.
    pub remarks: Vec<String>,
}

/// The seen URLs that a number of a [`GeoReport`] or a [`Drift`] counts. Hosts go by their name in
/// the answer, so that a list stays that of its host when the report is made again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GeoList {
    /// All that a geolocation rule had the last word on and let in.
    Decided,
    /// Of these, what would have come in without it.
    Otherwise,
    /// URLs of a host of the report that only geolocation let in.
    Host(String),
    /// URLs of a host of the comparison that another database would let in.
    DriftIn(String),
    /// URLs of a host of the comparison that another database would throw out.
    DriftOut(String),
}

impl GeoReport {
    /// The row of a host.
    pub fn host(&self, name: &str) -> Option<&GeoHost> {
        let at = self.hosts.binary_search_by(|host| host.host.as_str().cmp(name));
        at.ok().and_then(|at| self.hosts.get(at))
    }

    /// The number of seen URLs that are kept of a list.
    pub fn kept(&self, list: &GeoList) -> u64 {
        let of_hosts = || self.hosts.iter().map(|host| host.ids.first().len()).sum::<usize>();
        let count = match list {
            GeoList::Decided => of_hosts() + self.otherwise_ids.first().len(),
            GeoList::Otherwise => self.otherwise_ids.first().len(),
            GeoList::Host(name) => self.host(name).map_or(0, |host| host.ids.first().len()),
            GeoList::DriftIn(_) | GeoList::DriftOut(_) => 0,
        };
        count as u64
    }

    /// Numbers of the seen URLs of a list, as far as they are held; ascending
    /// where they are of one host.
    pub fn ids(&self, list: &GeoList) -> Box<dyn Iterator<Item = SeenId> + '_> {
        match list {
            GeoList::Decided => {
                let of_hosts = self.hosts.iter().flat_map(|host| host.ids.first());
                Box::new(of_hosts.chain(self.otherwise_ids.first()).copied())
            }
            GeoList::Otherwise => Box::new(self.otherwise_ids.first().iter().copied()),
            GeoList::Host(name) => Box::new(self.host(name).into_iter().flat_map(|host| host.ids.first()).copied()),
            GeoList::DriftIn(_) | GeoList::DriftOut(_) => Box::new(std::iter::empty()),
        }
    }
}

/// A host that has another country in another database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriftHost {
    /// The host.
    pub host: String,
    /// URLs that would be taken.
    pub moved_in: u64,
    /// URLs that would be refused.
    pub moved_out: u64,
    /// The seen URLs that would be taken.
    #[serde(skip)]
    pub ids_in: FirstIds,
    /// The seen URLs that would be refused.
    #[serde(skip)]
    pub ids_out: FirstIds,
    /// One of them; empty where none changes side.
    pub example: String,
    /// The evidence that was recorded.
    pub old: GeoEvidence,
    /// The same addresses in the other database.
    pub new: GeoEvidence,
}

/// The effect of another geolocation database on decisions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Hosts whose verdicts change, by name.
    pub hosts: Vec<DriftHost>,
    /// Hosts with another country that change no verdict of this campaign, by name.
    #[serde(skip)]
    pub quiet: Vec<DriftHost>,
    /// Hosts with recorded addresses.
    pub known: u64,
    /// Their names, with these addresses in words, by name.
    #[serde(skip)]
    pub known_hosts: Vec<(String, String)>,
    /// Of these, hosts some address of which has another country now.
    pub moved: u64,
    /// Hosts whose name could not be resolved; nothing is known of them.
    pub failed: u64,
    /// Their names, with the error, by name.
    #[serde(skip)]
    pub failures: Vec<(String, String)>,
    /// Type of the other database.
    pub database: String,
    /// When it was built.
    pub database_build: CaptureDate,
    /// Reasons not to trust the comparison, as text.
    pub remarks: Vec<String>,
}

/// The hosts that a number of a [`Drift`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DriftList {
    /// Those whose verdicts change.
    #[default]
    ChangeSide,
    /// Those with another country that change no verdict.
    Quiet,
    /// Those with another country.
    Moved,
    /// Those with recorded addresses.
    Known,
    /// Those whose name could not be resolved.
    Failed,
}

impl Drift {
    /// The hosts with another country of a list; none where it is of others.
    pub fn moved_hosts(&self, list: DriftList) -> Vec<&DriftHost> {
        match list {
            DriftList::ChangeSide => self.hosts.iter().collect(),
            DriftList::Quiet => self.quiet.iter().collect(),
            DriftList::Moved => self.hosts.iter().chain(&self.quiet).collect(),
            DriftList::Known | DriftList::Failed => Vec::new(),
        }
    }

    /// The row of a host whose verdicts change.
    pub fn host(&self, name: &str) -> Option<&DriftHost> {
        let at = self.hosts.binary_search_by(|host| host.host.as_str().cmp(name));
        at.ok().and_then(|at| self.hosts.get(at))
    }

    /// The seen URLs of a list; none where it is no list of a comparison.
    pub fn ids(&self, list: &GeoList) -> Option<&FirstIds> {
        match list {
            GeoList::DriftIn(name) => self.host(name).map(|host| &host.ids_in),
            GeoList::DriftOut(name) => self.host(name).map(|host| &host.ids_out),
            GeoList::Decided | GeoList::Otherwise | GeoList::Host(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_urls_than_a_screen_shows_the_first_are_kept() {
        let many = ROWS_SHOWN as i64 * 2;
        let mut all = FirstIds::default();
        // As readers find them, each a part of all.
        for reader in 0..3 {
            all.add((0..many).filter(|id| id % 3 == reader).map(SeenId::new).collect());
        }
        assert_eq!(all.urls(), ROWS_SHOWN as u64 * 2);
        assert_eq!(all.first().len(), ROWS_SHOWN);
        assert!(all.first().iter().map(|id| id.get()).eq(0..ROWS_SHOWN as i64));
    }
}
