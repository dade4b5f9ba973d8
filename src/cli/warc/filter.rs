//! The filters that `ls` and `cut` share, as options of the command line.

use crate::scope::broken_pattern;
use crate::uri::{CaptureDate, ScopePrefix, ScopePrefixSet};
use crate::warc::{RecordFilter, RecordType, StatusFilter};
use anyhow::Context;

/// Filters of records. Several values of one option mean any of them;
/// different options must all hold.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    /// Type of record: response, request, metadata, revisit …
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<String>,
    /// This URL and no other.
    #[arg(long = "url", value_name = "URL")]
    urls: Vec<String>,
    /// A host with all below it (fct.pt), or a SURT prefix: http://(pt,fct,
    #[arg(long = "host", value_name = "HOST|SURT")]
    hosts: Vec<String>,
    /// A pattern (regular expression) that the URL holds.
    #[arg(long, value_name = "PATTERN")]
    matches: Option<String>,
    /// HTTP status, or a family of them: 404, 4xx
    #[arg(long = "status", value_name = "STATUS", value_delimiter = ',')]
    statuses: Vec<String>,
    /// MIME type as the server declared it; image/* for a family.
    #[arg(long = "mime", value_name = "TYPE", value_delimiter = ',')]
    mimes: Vec<String>,
    /// Captured then or later: 2024, 2024-03, 20240301090000, 2024-03-01T09:00:00Z
    #[arg(long, value_name = "DATE")]
    date_from: Option<String>,
    /// Captured then or earlier; a short date means its whole period.
    #[arg(long, value_name = "DATE")]
    date_to: Option<String>,
    /// Record id, with or without angle brackets.
    #[arg(long = "record-id", value_name = "ID")]
    record_ids: Vec<String>,
    /// Records that begin at this offset or later.
    #[arg(long, value_name = "OFFSET")]
    from: Option<String>,
    /// Records that begin before this offset.
    #[arg(long, value_name = "OFFSET")]
    to: Option<String>,
}

impl FilterArgs {
    /// The filter of these arguments.
    pub(super) fn filter(&self) -> anyhow::Result<RecordFilter> {
        const KNOWN: &str = "warcinfo, response, resource, request, metadata, revisit, conversion, continuation";
        let types = self.types.iter().map(|text| match RecordType::parse(text.trim()) {
            RecordType::Other(other) => anyhow::bail!("“{other}” is no type of record; there are {KNOWN}"),
            known => Ok(known),
        });
        let prefixes = self.hosts.iter().map(|text| {
            ScopePrefix::parse(text).with_context(|| format!("“{text}” is neither a host nor a SURT prefix"))
        });
        let statuses = self.statuses.iter().map(|text| {
            StatusFilter::parse(text).with_context(|| format!("“{text}” is no HTTP status, such as 404 or 4xx"))
        });
        let offset = |text: &Option<String>| text.as_ref().map(|text| super::place_of(text)).transpose();
        Ok(RecordFilter {
            types: types.collect::<Result<_, _>>()?,
            urls: self.urls.clone(),
            prefixes: ScopePrefixSet::new(prefixes.collect::<Result<Vec<_>, _>>()?),
            statuses: statuses.collect::<Result<_, _>>()?,
            mimes: self.mimes.clone(),
            date_from: self.date_from.as_deref().map(CaptureDate::parse).transpose()?,
            date_to: match self.date_to.as_deref() {
                // Parsed first for the text of the error.
                Some(text) => Some(CaptureDate::period(text)?.1),
                None => None,
            },
            record_ids: self.record_ids.clone(),
            pattern: match self.matches.as_deref() {
                Some(pattern) => Some(
                    regex::Regex::new(pattern)
                        .map_err(|error| anyhow::anyhow!("--matches: {}", broken_pattern(pattern, &error)))?,
                ),
                None => None,
            },
            offset_from: offset(&self.from)?,
            offset_to: offset(&self.to)?,
        })
    }
}
