//! Permissions of rights holders and legal-deposit criteria, with their
//! evidence: the grounds on which URLs may be collected.

use super::SeedScope;
use crate::uri::{CaptureDate, DateError, ScopePrefix, ScopeSurt, Url, parse_typed_url};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path};

/// The answer of a rights holder, or the state of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PermissionState {
    /// Granted.
    Granted,
    /// Refused.
    Refused,
    /// Requested, without an answer yet.
    Pending,
    /// Not requested yet.
    #[default]
    Unasked,
    /// About to be requested.
    Queued,
    /// The request could not be delivered.
    Undeliverable,
    /// Another record took its place; it covers nothing any more.
    Superseded,
}

impl PermissionState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Granted,
        Self::Refused,
        Self::Pending,
        Self::Unasked,
        Self::Queued,
        Self::Undeliverable,
        Self::Superseded,
    ];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Refused => "refused",
            Self::Pending => "requested, no answer yet",
            Self::Unasked => "not requested",
            Self::Queued => "to be requested",
            Self::Undeliverable => "request undeliverable",
            Self::Superseded => "replaced by another record",
        }
    }

    /// The state as it is saved.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Refused => "refused",
            Self::Pending => "pending",
            Self::Unasked => "unasked",
            Self::Queued => "queued",
            Self::Undeliverable => "undeliverable",
            Self::Superseded => "superseded",
        }
    }
}

/// The ground that a record of a permission rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// A licence or an agreement with the rights holder.
    #[default]
    Licence,
    /// The host is under a domain of the country.
    Domain,
    /// The server is in the country.
    Hosting,
    /// The domain is registered by somebody in the country.
    Registration,
    /// The site gives a postal address in the country; the evidence names the place.
    Address,
    /// The publisher wrote so; the evidence quotes it.
    Correspondence,
    /// A professional's judgement; the evidence explains it.
    Judgement,
}

impl Criterion {
    /// Every criterion with its label.
    pub const ALL: [(Self, &str); 7] = [
        (Self::Licence, "licence"),
        (Self::Domain, "domain name"),
        (Self::Hosting, "hosting"),
        (Self::Registration, "registration"),
        (Self::Address, "postal address"),
        (Self::Correspondence, "correspondence"),
        (Self::Judgement, "professional judgement"),
    ];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(of, _)| *of == self).map_or("", |(_, name)| name)
    }

    /// Whether nobody can look it up, so that it rests on a person's
    /// evidence.
    pub fn needs_evidence(self) -> bool {
        matches!(self, Self::Address | Self::Correspondence | Self::Judgement)
    }
}

/// A file that proves something, kept in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EvidenceFile {
    /// Path in the workspace, with slashes.
    pub path: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
}

impl EvidenceFile {
    /// Whether the path keeps inside the workspace.
    pub fn is_inside(&self) -> bool {
        let names = !self.path.is_empty() && !self.path.contains('\\') && !self.path.contains('\0');
        names && Path::new(&self.path).components().all(|part| matches!(part, Component::Normal(_)))
    }
}

/// A message about a request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PermissionRequest {
    /// Day of the message, such as `2024-03-01`.
    pub date: String,
    /// How it went: email, phone, letter, web form, …
    pub channel: String,
    /// The other party of the message.
    pub contact: String,
    /// Its content, or its result.
    pub note: String,
}

/// A permission (an agreement, a licence) or a criterion that is met, and what it covers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Permission {
    /// Its coverage: a SURT prefix, or a URL that means the prefix it
    /// implies as a seed, unless `reach` is set.
    pub covers: String,
    /// Its state.
    pub state: PermissionState,
    /// The reach of a URL in `covers`. `root`: what
    /// lies under its path on the same host. `subdomains`: its host and the
    /// hosts below it. `resource` and `plus1`: nothing but itself. `www.` counts as no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<SeedScope>,
    /// The ground that it rests on.
    #[serde(default)]
    pub criterion: Criterion,
    /// Name of the licence or agreement.
    #[serde(default)]
    pub licence: String,
    /// The proof: a letter, a page, a number in a register.
    #[serde(default)]
    pub evidence: String,
    /// Day it was established, such as `2024-03-01`.
    #[serde(default)]
    pub date: String,
    /// How it was established, and by whom.
    #[serde(default)]
    pub method: String,
    /// Files that prove it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<EvidenceFile>,
    /// Messages of the request for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<PermissionRequest>,
    /// First day it holds, such as `2024-03-01`; empty means always.
    #[serde(default)]
    pub from: String,
    /// First day it holds no more; empty means without end.
    #[serde(default)]
    pub until: String,
}

/// The rules by which permissions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// Whole labels and path segments; the closest record decides; a lookup
    /// that failed is not known, and evidence of people has to be there.
    #[default]
    Strict,
    /// As W3ACT did it (`Scope.java`, `OverallLicenseStatus.java`), with its
    /// known faults: hosts are compared as strings, so `notbl.uk` inherits from
    /// `bl.uk`; http and https are two sites; a refusal counts for nothing; a
    /// failed lookup is “not in the country”; a campaign without seeds is covered.
    W3act,
}

/// On what grounds URLs without a record of their own may be collected, and
/// how records are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grounds {
    /// How records are read.
    pub reading: Reading,
    /// Domains whose hosts are within the law's reach: `uk`, `scot`.
    pub domains: Vec<String>,
    /// Countries in which a server makes a host so: ISO 3166 codes.
    pub countries: Vec<String>,
    /// Whether a crawl leaves out what a record refuses, however records are
    /// read: a rule of the scope behind all others.
    pub obey_refusals: bool,
}

impl Default for Grounds {
    fn default() -> Self {
        Self { reading: Reading::default(), domains: Vec::new(), countries: Vec::new(), obey_refusals: true }
    }
}

impl Grounds {
    /// Problems of the grounds: field, fault, and what to do.
    pub(super) fn problems(&self) -> Vec<(String, String, &'static str)> {
        let mut found = Vec::new();
        for (i, domain) in self.domains.iter().enumerate() {
            if domain.trim().is_empty() || domain.contains(['/', ':', '@', ' ']) {
                found.push((format!("domains[{i}]"), format!("“{domain}” is no domain"), "write it as uk or co.uk"));
            }
        }
        for (i, country) in self.countries.iter().enumerate() {
            let code = country.trim();
            if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                found.push((
                    format!("countries[{i}]"),
                    format!("“{country}” is no country code"),
                    "two letters (ISO 3166), such as PT",
                ));
            }
        }
        found
    }
}

impl Permission {
    /// The URL in `covers`; none where that is a SURT prefix or no URL.
    pub fn url(&self) -> Option<Url> {
        parse_typed_url(&self.covers).filter(|_| !self.covers.contains('('))
    }

    /// First instant it holds, and first it holds no more.
    pub fn term(&self) -> Result<(Option<CaptureDate>, Option<CaptureDate>), DateError> {
        let instant = |text: &str| match text.trim() {
            "" => Ok(None),
            text => CaptureDate::parse(text).map(Some),
        };
        Ok((instant(&self.from)?, instant(&self.until)?))
    }

    /// Whether somebody can be shown what it rests on.
    pub fn has_evidence(&self) -> bool {
        !self.evidence.trim().is_empty() || !self.files.is_empty()
    }

    /// Problems of the record: field, fault, and what to do.
    pub(super) fn problems(&self) -> Vec<(String, String, &'static str)> {
        let mut found = Vec::new();
        let mut note = |field: String, what: String, hint| found.push((field, what, hint));
        let readable = match self.reach {
            Some(_) => self.url().is_some(),
            None => ScopePrefix::parse(&self.covers).is_some(),
        };
        if !readable {
            let form = if self.reach.is_some() { "a URL" } else { "a SURT prefix or a URL" };
            note(
                "covers".to_owned(),
                format!("“{}” is not {form}", self.covers),
                "write it as https://www.example.org/",
            );
        }
        if let (None, Some(url), Some(prefix)) = (self.reach, self.url(), ScopePrefix::parse(&self.covers))
            && url.path() != "/"
            && prefix.tail().len() < ScopeSurt::of(&url).tail().len()
        {
            let what = format!("without a reach “{}” covers all that begins with {prefix}", self.covers);
            note("reach".to_owned(), what, "say how far it reaches: resource, root or subdomains");
        }
        let day = |field: &str, text: &str| {
            let bad = !text.trim().is_empty() && CaptureDate::parse(text).is_err();
            bad.then(|| (field.to_owned(), format!("“{text}” is no day"), "write 2024-07-01"))
        };
        let mut days =
            vec![("from".to_owned(), &self.from), ("until".to_owned(), &self.until), ("date".to_owned(), &self.date)];
        days.extend(
            self.requests.iter().enumerate().map(|(i, request)| (format!("requests[{i}].date"), &request.date)),
        );
        found.extend(days.iter().filter_map(|(field, text)| day(field, text)));
        let mut note = |field: String, what: String, hint| found.push((field, what, hint));
        if let Ok((Some(from), Some(until))) = self.term()
            && until <= from
        {
            note(
                "until".to_owned(),
                format!("it ends ({}) before it begins ({})", self.until, self.from),
                "exchange them",
            );
        }
        if self.criterion.needs_evidence() && self.state == PermissionState::Granted && !self.has_evidence() {
            let what = format!("“{}” without evidence counts for nothing", self.criterion.label());
            note("evidence".to_owned(), what, "say where it stands, or attach a file");
        }
        for (i, file) in self.files.iter().enumerate() {
            if !file.is_inside() {
                let what = format!("“{}” leads out of the workspace and is not read", file.path);
                note(format!("files[{i}].path"), what, "attach the file with: fonds scope attach");
            }
            if file.sha256.len() != 64 || !file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let what = format!("“{}” is no SHA-256", file.sha256);
                note(format!("files[{i}].sha256"), what, "attach the file with: fonds scope attach");
            }
        }
        found
    }
}
