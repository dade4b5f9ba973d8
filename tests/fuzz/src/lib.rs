//! Bodies of the fuzz targets. Every body panics when a
//! promise is broken, and knows nothing of the fuzzer.
//!
//! | where | promises |
//! |---|---|
//! | [`archive`] | WARC and ARC give the same records in any split, and again by their places |
//! | [`catalogue`] | rows of a catalogue that somebody changed give answers or errors |
//! | [`damage`] | what a damaged file keeps is read |
//! | [`http`] | bodies are decoded within a limit, in any split |
//! | [`index`] | lines of an index are read again as they were written; packages keep to their bounds |
//! | [`jobs`] | configurations and lines of other crawlers become campaigns that can be saved and written again |
//! | [`lines`] | what is read from text, is written and read again, is equal |
//! | [`pages`] | pages, style sheets, envelopes of links and PDF files keep to the limits |
//! | [`replay`] | requests of a replay and fields of its answers keep to their bounds; nothing of them is markup |
//! | [`keys`] | keys of URLs are stable |
//! | [`stored`] | stored links answer or name what is damaged; lines that are loaded come out |

#![allow(clippy::unwrap_used)]

mod archive;
mod catalogue;
mod damage;
mod http;
mod index;
mod jobs;
mod keys;
mod lines;
mod pages;
mod replay;
mod stored;

pub use archive::{arc, warc};
pub use catalogue::{catalogue, question};
pub use damage::gzip;
pub use http::http;
pub use index::{cdx, wacz};
pub use jobs::{browsertrix, decisions, job_config};
pub use keys::keys;
pub use lines::{campaign_json, crawl_log, dataset, feed, request, robots, scope_log};
pub use pages::{html, mmdb, pdf, wat};
pub use replay::replay;
pub use stored::{load_lines, segment};

/// Numbers that depend on the bytes alone, so that a finding repeats.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn of(data: &[u8]) -> Self {
        Self(
            data.iter()
                .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// From 0 to below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// The text in the bytes, whatever they are.
pub(crate) fn text_of(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}
