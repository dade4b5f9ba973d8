//! On what grounds a URL may be collected: which record or criterion decides,
//! inherited from where, and why.
//!
//! Strict: of the records that cover a URL and hold, the one that covers the
//! least decides, and of equal ones the last; where none does, the domain and
//! then the country of the server. The old reading is W3ACT's, see
//! [`Reading::W3act`].

use super::{Candidate, Domains, Facts, GeoFact};
use crate::campaign::{Criterion, Grounds, Permission, PermissionState, Reading, SeedScope};
use crate::jobs::{counted, verb};
use crate::uri::{CaptureDate, ScopePrefix, ScopeSurt, Url};
use serde::Serialize;
use std::borrow::Cow;

/// Where a label, a host or a path segment ends in a SURT.
const BOUNDARIES: [char; 7] = [',', ')', '/', '?', ':', '@', '('];

/// The permissions of a campaign, compiled for decisions on URLs.
#[derive(Debug)]
pub struct Permissions {
    reading: Reading,
    domains: Domains,
    typed_domains: Vec<String>,
    countries: Vec<String>,
    /// In the order in which they are tried: the first that fits decides.
    records: Vec<Record>,
}

#[derive(Debug)]
struct Record {
    /// Its position in the campaign, from 0.
    position: usize,
    covers: Covers,
    from: Option<CaptureDate>,
    until: Option<CaptureDate>,
    permission: Permission,
}

/// The coverage of a record.
#[derive(Debug)]
enum Covers {
    /// All that begins so.
    Prefix {
        prefix: ScopePrefix,
        /// Its tail as URLs are compared with it.
        tail: String,
    },
    /// A URL, and its reach.
    Url {
        url: Url,
        reach: SeedScope,
        /// Tails of its SURT, without `www` and with it.
        tails: [String; 2],
        /// The prefix of its host and all below it; an address has none below.
        domain: Option<ScopePrefix>,
    },
}

/// A URL as records are compared with it. Who logs in is no part of a place,
/// or a name before the host would step around a refusal.
struct Question<'a> {
    candidate: &'a Candidate,
    /// The tail of its SURT without a user.
    tail: Cow<'a, str>,
    /// And without the port.
    any_port: Cow<'a, str>,
}

impl<'a> Question<'a> {
    fn of(candidate: &'a Candidate) -> Self {
        let tail = candidate.surt.tail();
        Self { candidate, tail: without(tail, '@'), any_port: without(tail, ':') }
    }
}

/// A SURT, or a prefix of one, without the user of its authority, and where
/// `mark` is a colon without the port either.
fn without(tail: &str, mark: char) -> Cow<'_, str> {
    let Some(host) = tail.find("://(").map(|at| at + 4) else { return Cow::Borrowed(tail) };
    // A user may hold a parenthesis but no slash.
    let path = tail[host..].find('/').map_or(tail.len(), |at| host + at);
    let end = tail[host..path].rfind(')').map_or(path, |at| host + at);
    // Colons in brackets are of an IPv6 address.
    let from = tail[host..end].find(']').map_or(host, |at| host + at);
    match tail[from..end].find(['@', mark]) {
        Some(at) => Cow::Owned(format!("{}{}", &tail[..from + at], &tail[end..])),
        None => Cow::Borrowed(tail),
    }
}

/// The ground on which a URL may be collected.
#[derive(Debug, Clone, Copy)]
pub(super) enum Basis<'a> {
    /// A record.
    Record(&'a Permission),
    /// A domain of the grounds.
    Domain,
    /// A country of the grounds.
    Hosting,
    /// None that is known.
    Unknown,
}

impl Basis<'_> {
    /// State of the permission for the URL; none where nothing covers it.
    pub(super) fn state(self) -> Option<PermissionState> {
        match self {
            Self::Record(permission) => Some(permission.state),
            Self::Domain | Self::Hosting => Some(PermissionState::Granted),
            Self::Unknown => None,
        }
    }
}

/// Why a URL may be collected, or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Derivation {
    /// The URL.
    pub url: String,
    /// State of its permission; none where nothing covers it.
    pub state: Option<PermissionState>,
    /// The ground that it rests on.
    pub criterion: Option<Criterion>,
    /// Position of the record that decides, from 0.
    pub record: Option<usize>,
    /// The coverage of the record, where the URL inherits from it.
    pub inherited_from: Option<String>,
    /// The reason in words.
    pub why: String,
    /// All records and criteria on the way, in order.
    pub steps: Vec<DerivationStep>,
}

impl Derivation {
    /// Whether it may be collected.
    pub fn is_granted(&self) -> bool {
        self.state == Some(PermissionState::Granted)
    }
}

/// A record or criterion on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DerivationStep {
    /// The record or criterion.
    pub what: String,
    /// The result of the step.
    #[serde(rename = "said")]
    pub result: String,
    /// Whether it decides.
    pub deciding: bool,
}

/// The decision whether all seeds of a campaign may be collected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeedsVerdict {
    /// Whether each seed has a ground.
    pub covered: bool,
    /// Whether all seeds are under the domains. W3ACT's feed has this flag.
    pub all_by_domain: bool,
    /// Whether all seeds are hosted in the countries. W3ACT's feed has this flag.
    pub all_by_hosting: bool,
    /// The reason in words.
    pub why: String,
}

impl Permissions {
    /// Makes records and grounds ready; the error names what makes no sense.
    pub fn compile(permissions: &[Permission], grounds: &Grounds) -> Result<Self, String> {
        let mut records = Vec::with_capacity(permissions.len());
        for (position, permission) in permissions.iter().enumerate() {
            let wrong = |why: String| format!("permission {} ({}): {why}", position + 1, permission.covers);
            let covers = match permission.reach {
                Some(reach) => permission
                    .url()
                    .map(|url| Covers::of(url, reach))
                    .ok_or_else(|| wrong("this is no URL, which a record with a reach needs".to_owned()))?,
                None => ScopePrefix::parse(&permission.covers)
                    .map(|prefix| Covers::Prefix { tail: without(prefix.tail(), '@').into_owned(), prefix })
                    .ok_or_else(|| wrong("this is neither a SURT prefix nor a URL".to_owned()))?,
            };
            let (from, until) = permission.term().map_err(|error| wrong(error.to_string()))?;
            records.push(Record { position, covers, from, until, permission: permission.clone() });
        }
        match grounds.reading {
            Reading::Strict => {
                records.sort_by_key(|record| std::cmp::Reverse((record.covers.closeness(), record.position)))
            }
            // Evidence of people comes first there, then licences.
            Reading::W3act => {
                records.sort_by_key(|record| (!record.permission.criterion.needs_evidence(), record.position))
            }
        }
        let typed_domains = grounds.domains.clone();
        let domains =
            Domains::parse(typed_domains.iter().map(String::as_str)).map_err(|why| format!("grounds: {why}"))?;
        let mut countries = Vec::new();
        for country in &grounds.countries {
            let code = country.trim().to_ascii_uppercase();
            if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
                return Err(format!("grounds: “{country}” is no country code; give two letters, such as PT"));
            }
            countries.push(code);
        }
        Ok(Self { reading: grounds.reading, domains, typed_domains, countries, records })
    }

    /// Finds the ground on which a URL may be collected.
    pub(super) fn basis(&self, candidate: &Candidate, facts: &Facts) -> Basis<'_> {
        // Making a URL ready to be compared takes longer than most rules.
        let record = (!self.records.is_empty()).then(|| {
            let question = Question::of(candidate);
            self.records.iter().find(|record| self.refusal(record, &question, facts).is_none())
        });
        match record.flatten() {
            Some(record) => Basis::Record(&record.permission),
            None if self.domain(&candidate.url).is_some() => Basis::Domain,
            None if !self.countries.is_empty() && self.hosting(facts).is_ok() => Basis::Hosting,
            None => Basis::Unknown,
        }
    }

    /// The coverage of records that refuse something, in the campaign's order.
    pub(super) fn refused(&self) -> Vec<String> {
        let mut records: Vec<&Record> =
            self.records.iter().filter(|record| record.permission.state == PermissionState::Refused).collect();
        records.sort_unstable_by_key(|record| record.position);
        records.into_iter().map(|record| record.permission.covers.clone()).collect()
    }

    fn domain(&self, url: &Url) -> Option<usize> {
        self.domains.position(url.domain()?.trim_end_matches('.'))
    }

    /// The country of the grounds that hosts the server, or why there is none.
    fn hosting(&self, facts: &Facts) -> Result<&str, String> {
        if self.countries.is_empty() {
            return Err("no country is set".to_owned());
        }
        let evidence = match &facts.geo {
            GeoFact::NotQueried => return Err("not known: the country of the server was not looked up".to_owned()),
            GeoFact::Failed { why } if self.reading == Reading::Strict => return Err(format!("not known: {why}")),
            GeoFact::Failed { .. } => return Err("not in the country (the lookup failed)".to_owned()),
            GeoFact::Known(evidence) => evidence,
        };
        // A host with a foot in another country is not hosted here; the old reading sees the first address only.
        let checked = match self.reading {
            Reading::Strict => evidence.addresses.len(),
            Reading::W3act => 1,
        };
        let mut found: Option<&str> = None;
        for place in evidence.addresses.iter().take(checked) {
            let country = place.country.as_deref().unwrap_or("no country");
            let listed = self.countries.iter().find(|listed| listed.eq_ignore_ascii_case(country));
            found = Some(listed.ok_or_else(|| format!("{} in {} is {country}", place.address, place.network))?);
        }
        found.ok_or_else(|| "the host has no address".to_owned())
    }

    /// Whether the country of the server could change the result.
    pub(super) fn wants_geo(&self, candidate: &Candidate, facts: &Facts) -> bool {
        !self.countries.is_empty()
            && facts.geo == GeoFact::NotQueried
            && matches!(self.basis(candidate, facts), Basis::Unknown)
    }

    /// Whether the country of a server can matter.
    pub(super) fn uses_geo(&self) -> bool {
        !self.countries.is_empty()
    }

    /// The reason why a record does not decide on a URL; none where it does.
    fn refusal(&self, record: &Record, question: &Question<'_>, facts: &Facts) -> Option<&'static str> {
        let permission = &record.permission;
        let covers = match self.reading {
            // What keeps a URL out and names no port keeps out all ports of its host.
            Reading::Strict if permission.state != PermissionState::Granted => {
                record.covers.covers(question, &question.tail) || record.covers.covers(question, &question.any_port)
            }
            Reading::Strict => record.covers.covers(question, &question.tail),
            Reading::W3act => record.covers.covers_as_strings(&question.candidate.url),
        };
        if !covers {
            return Some("does not cover it");
        }
        if permission.state == PermissionState::Superseded {
            return Some("superseded by another record");
        }
        // Without a date nothing is over.
        if let Some(date) = facts.date {
            if record.from.is_some_and(|from| date < from) {
                return Some("does not hold yet");
            }
            if record.until.is_some_and(|until| date >= until) {
                return Some("holds no more");
            }
        }
        let granted = permission.state == PermissionState::Granted;
        match self.reading {
            Reading::W3act if !granted => Some("is not granted, which counts for nothing"),
            Reading::Strict if granted && permission.criterion.needs_evidence() && !permission.has_evidence() => {
                Some("has no evidence, so it counts for nothing")
            }
            _ => None,
        }
    }

    /// The whole way to the answer for a URL.
    pub fn derive(&self, candidate: &Candidate, facts: &Facts) -> Derivation {
        let question = Question::of(candidate);
        let mut steps = Vec::new();
        let mut decided: Option<&Record> = None;
        for record in &self.records {
            let refusal = self.refusal(record, &question, facts);
            // What is about other sites is not listed; there may be thousands.
            if refusal == Some("does not cover it") {
                continue;
            }
            let deciding = refusal.is_none() && decided.is_none();
            let outcome = match refusal {
                Some(why) => why.to_owned(),
                None if deciding => record.summary(),
                None => format!("{}, but a closer record or an earlier one decides", record.permission.state.as_str()),
            };
            if deciding {
                decided = Some(record);
            }
            let what = format!("record {} for {}", record.position + 1, record.permission.covers);
            steps.push(DerivationStep { what, result: outcome, deciding });
        }
        let by_record = decided.is_some();
        let domain = self.domain(&candidate.url).and_then(|at| self.typed_domains.get(at));
        if !self.typed_domains.is_empty() {
            let outcome =
                domain.map_or_else(|| "is under none of them".to_owned(), |domain| format!("is under {domain}"));
            let what = format!("domains {}", self.typed_domains.join(", "));
            steps.push(DerivationStep { what, result: outcome, deciding: !by_record && domain.is_some() });
        }
        let hosting = self.hosting(facts);
        if !self.countries.is_empty() {
            let outcome =
                hosting.as_ref().map_or_else(Clone::clone, |country| format!("its server stands in {country}"));
            let deciding = !by_record && domain.is_none() && hosting.is_ok();
            steps.push(DerivationStep {
                what: format!("hosting in {}", self.countries.join(", ")),
                result: outcome,
                deciding,
            });
        }
        let inherited_from = decided.filter(|record| !record.is_own(&question)).map(|r| r.permission.covers.clone());
        let (state, criterion) = match (decided, domain, hosting) {
            (Some(record), ..) => (Some(record.permission.state), Some(record.permission.criterion)),
            (None, Some(_), _) => (Some(PermissionState::Granted), Some(Criterion::Domain)),
            (None, None, Ok(_)) => (Some(PermissionState::Granted), Some(Criterion::Hosting)),
            (None, None, Err(_)) => (None, None),
        };
        let why = match steps.iter().find(|step| step.deciding) {
            Some(step) => match &inherited_from {
                Some(from) => format!("{}, inherited from {from}", step.result),
                None => step.result.clone(),
            },
            None if steps.is_empty() => "no record covers it, and no grounds are set".to_owned(),
            None => "nothing that holds covers it".to_owned(),
        };
        let record = decided.map(|record| record.position);
        Derivation { url: candidate.url.to_string(), state, criterion, record, inherited_from, why, steps }
    }

    /// Whether all seeds may be collected, from the derivation and the facts of each.
    pub fn of_seeds(&self, seeds: &[(Candidate, Facts)]) -> SeedsVerdict {
        let granted = |(candidate, facts): &&(Candidate, Facts)| {
            self.basis(candidate, facts).state() == Some(PermissionState::Granted)
        };
        let count = seeds.iter().filter(granted).count();
        let w3act = self.reading == Reading::W3act;
        // An empty list is covered there, and by every criterion.
        let covered = count == seeds.len() && (w3act || !seeds.is_empty());
        let all = |holds: &dyn Fn(&(Candidate, Facts)) -> bool| seeds.iter().all(holds) && (w3act || !seeds.is_empty());
        let why = match (seeds.len(), covered) {
            (0, true) => "there are no seeds, which the old reading takes for covered".to_owned(),
            (0, false) => "there are no seeds".to_owned(),
            (seeds, true) => format!("all {} {} a ground", counted(seeds as u64, "seed"), verb(seeds as u64, "has")),
            (seeds, false) => {
                let open = seeds - count;
                format!("{open} of {} {} no ground", counted(seeds as u64, "seed"), verb(open as u64, "has"))
            }
        };
        SeedsVerdict {
            covered,
            all_by_domain: all(&|(candidate, _)| self.domain(&candidate.url).is_some()),
            all_by_hosting: all(&|(_, facts)| self.hosting(facts).is_ok()),
            why,
        }
    }
}

impl Record {
    fn is_own(&self, question: &Question<'_>) -> bool {
        let is_own = |tails: &[String; 2]| tails.iter().any(|tail| *tail == question.tail);
        match &self.covers {
            Covers::Url { tails, .. } => is_own(tails),
            Covers::Prefix { .. } => self.permission.url().is_some_and(|url| is_own(&tails_of(&url))),
        }
    }

    fn summary(&self) -> String {
        let Permission { state, criterion, licence, evidence, date, method, files, .. } = &self.permission;
        let mut summary = format!("{} by {}", state.as_str(), criterion.label());
        if *criterion == Criterion::Licence {
            summary = state.as_str().to_owned();
        }
        let parts = [("licence", licence), ("evidence", evidence), ("on", date), ("method", method)];
        for (name, text) in parts.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
            summary.push_str(&format!(", {name} {text}"));
        }
        match files.as_slice() {
            [] => {}
            [file] => summary.push_str(&format!(", file {}", file.path)),
            files => summary.push_str(&format!(", {} files", files.len())),
        }
        summary
    }
}

impl Covers {
    fn of(url: Url, reach: SeedScope) -> Self {
        let domain = url.domain().map(|_| ScopePrefix::domain_of(&url));
        Self::Url { tails: tails_of(&url), domain, url, reach }
    }

    /// How little it covers: the longer its SURT, the less.
    fn closeness(&self) -> (usize, bool) {
        match self {
            Self::Prefix { tail, .. } => (tail.len(), false),
            Self::Url { domain: Some(domain), reach: SeedScope::Subdomains, .. } => (domain.tail().len(), false),
            Self::Url { tails: [tail, _], reach, .. } => (tail.len(), *reach != SeedScope::Root),
        }
    }

    /// By whole labels and path segments; http and https are one. `url_tail`
    /// is a tail of the URL.
    fn covers(&self, question: &Question<'_>, url_tail: &str) -> bool {
        match self {
            // A typed prefix may end in the middle of a name: `(uk,bl` is not about `blah.uk`.
            Self::Prefix { tail, .. } => {
                let ends = |rest: &str| tail.ends_with(BOUNDARIES) || rest.is_empty() || rest.starts_with(BOUNDARIES);
                tail.contains('(') && url_tail.strip_prefix(tail.as_str()).is_some_and(ends)
            }
            Self::Url { domain: Some(domain), reach: SeedScope::Subdomains, .. } => url_tail.starts_with(domain.tail()),
            Self::Url { url, reach: SeedScope::Subdomains, .. } => question.candidate.url.host() == url.host(),
            Self::Url { tails, reach, .. } => tails.iter().any(|own| {
                let rest = url_tail.strip_prefix(own.as_str());
                let ends = own.ends_with('/');
                match reach {
                    SeedScope::Root => rest.is_some_and(|rest| ends || rest.is_empty() || rest.starts_with(['/', '?'])),
                    _ => rest == Some(""),
                }
            }),
        }
    }

    /// Compares as W3ACT does: text of URL and host, no boundaries.
    fn covers_as_strings(&self, candidate: &Url) -> bool {
        let text = |url: &Url| url.as_str().to_lowercase().replacen("www.", "", 1);
        let host = |url: &Url| url.host_str().unwrap_or_default().to_lowercase().replacen("www.", "", 1);
        match self {
            Self::Prefix { prefix, .. } => prefix.matches(&ScopeSurt::of(candidate)),
            Self::Url { url, reach: SeedScope::Root, .. } => text(candidate).starts_with(&text(url)),
            Self::Url { url, reach: SeedScope::Subdomains, .. } => host(candidate).ends_with(&host(url)),
            Self::Url { url, .. } => text(candidate) == text(url),
        }
    }
}

/// The tail of a URL's SURT without the label `www`, and with it; of no user.
fn tails_of(url: &Url) -> [String; 2] {
    let on_host = |host: Option<String>| {
        let mut other = url.clone();
        other.set_fragment(None);
        if let Some(host) = host {
            // A host with a label more or less is a host.
            let _ = other.set_host(Some(&host));
        }
        without(ScopeSurt::of(&other).tail(), '@').into_owned()
    };
    let bare = url.domain().map(|domain| match domain.strip_prefix("www.") {
        Some(rest) if rest.contains('.') => rest.to_owned(),
        _ => domain.to_owned(),
    });
    let www = bare.as_ref().map(|domain| format!("www.{domain}"));
    [on_host(bare), on_host(www)]
}

#[cfg(test)]
#[path = "permissions_tests.rs"]
mod tests;
