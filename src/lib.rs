//! Fonds, the archivist's cockpit.
//!
//! The tree follows the way of the data: a campaign declares its target, the
//! scope decides, the crawl fetches, WARC files keep, the catalogue indexes,
//! links are inverted into inlinks, a person reviews, and the export carries
//! everything out again. Where a change goes, kind by kind: `ARCHITECTURE.md` beside this file.
//!
//! | room | holds | may know |
//! |---|---|---|
//! | [`uri`] | [`uri::Fqdn`], the page identity, the SURT dialects, capture dates | – |
//! | [`jobs`] | spawn, progress, cancel, locks, files that are whole or not there; no domain words | – |
//! | [`keys`] | keys that sign, the system's keychain, the keys that a person vouches for | – |
//! | [`query`] | the query language: boolean queries as text, words, phrases, fields and their bounds | uri, text |
//! | [`campaign`] | [`campaign::Campaign`], seeds, request, schedule, limits | uri, query |
//! | [`scope`] | decide rules and their verdicts | uri, campaign |
//! | [`serve`] | the small HTTP server on loopback: sample web, replay, tests | uri |
//! | [`warc`] | records, reader, writer, digests, CDXJ | uri, keys |
//! | [`links`] | outlinks of pages | uri, warc |
//! | [`text`] | when two spellings are one word; main text, dates, language and near-duplicates of pages | uri, warc, links |
//! | [`captures`] | archive records and exchanges → captures, their links and originals | uri, scope, warc, links, text |
//! | [`replay`] | what a browser gets of a capture: rewriting, replay URLs, Memento, CDX answers, the pages around it | uri, serve, warc, links, captures |
//! | [`inlinks`] | outlinks inverted, the data set, stored inlinks | uri, warc, links, captures |
//! | [`exchange`] | one request and its answer, byte for byte, and the records that it becomes | uri, campaign, scope, warc, links, captures |
//! | [`analysis`] | request matches, anchor tallies, score, review checks | uri, query, campaign, warc, links, text, captures, inlinks |
//! | [`crawl`] | frontier, politeness, robots: which exchange is next, and what is kept of it | uri, campaign, scope, warc, links, captures, exchange, analysis |
//! | [`sources`] | services that name pages, each by its protocol | uri, campaign, warc, links, crawl |
//! | [`search`] | the text index, ranking, facets of what is found | uri, query, text, analysis |
//! | [`store`] | the workspace folder and its catalogue | value types above |
//! | [`guide`] | the manual, compiled in | campaign, store |
//! | [`knowledge`] | what is known as statements (RDF) and JSON: vocabulary, N-Quads, captures, annotations | uri, campaign, scope, inlinks, analysis |
//! | [`export`] | WARC with metadata records, CDXJ, data set, manifest, verify; documents for search engines | store, links, text, captures, inlinks, warc, keys, knowledge |
//! | [`work`] | [`work::Session`]: every query and write of an open workspace; the sample web | all above |
//! | [`app`] | state of the window: commands, answers, jobs | all above |
//! | [`cli`] | the headless commands | all but app and ui |
//! | `ui` | window, pages, panels (feature `gui`) | app, guide, value types |
//! | `testing` | a real workspace and small archives for tests, which any room may use | all above |
//!
//! The way of one capture: [`crawl`] takes a URL off its frontier and asks
//! [`scope`] once more; the answer goes byte for byte into a WARC file
//! ([`warc`]); [`captures`] makes a capture of the records, the same way for a
//! crawl, an import and a data set, and has [`links`] read what the page links
//! to; [`store`] keeps it in the catalogue; [`inlinks`] turns all links round
//! and matches them to captures; [`analysis`] scores, a person decides, and
//! [`work`] does it all on an open workspace for window and command line;
//! [`export`] writes what was selected, and reads it back.
//!
//! Any room with long work may take a [`jobs::JobCx`]. The table is checked by
//! `tests/it/structure.rs`.

/// A pipeline frees in one thread what another made: measured on exports, this takes a tenth less
/// time and a sixth less memory than the allocator of glibc.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

pub mod uri;

pub mod jobs;

pub mod keys;

pub mod query;

pub mod campaign;

pub mod scope;

pub mod serve;

pub mod warc;

pub mod links;

pub mod text;

pub mod captures;

pub mod replay;

pub mod inlinks;

pub mod exchange;

pub mod analysis;

pub mod crawl;

pub mod sources;

pub mod search;

pub mod store;

pub mod guide;

pub mod knowledge;

pub mod export;

pub mod work;

pub mod app;

pub mod cli;

#[cfg(test)]
mod testing;

#[cfg(feature = "gui")]
pub mod ui;
