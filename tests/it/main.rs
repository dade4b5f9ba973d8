//! Journeys through the whole program, in one test binary.

#![allow(clippy::unwrap_used)]

#[path = "../../src/testing/archives.rs"]
mod archives;
#[path = "../../src/testing/files.rs"]
mod folders;
#[path = "../../src/crawl/tests/generated_web.rs"]
mod generated_web;

mod archive;
mod campaigns;
mod claims;
mod cli;
mod decisions;
mod demo;
mod differential;
mod durable;
mod evaluate;
mod evidence;
mod export_report;
mod faults;
mod feed;
mod files;
mod foreign;
mod full_disk;
mod full_pages;
mod growth;
mod guide;
mod handover;
mod handover_bounds;
mod handover_kills;
mod hostile;
mod hostile_workspaces;
mod import_messages;
mod imports;
mod imports_again;
mod inlink_arguments;
mod inlink_messages;
mod inlinks;
mod kill;
mod knowledge;
mod limits;
mod link_kinds;
mod need;
mod next_steps;
mod odd_calls;
mod other_writers;
mod packed;
mod peers;
mod peers_formats;
mod peers_index;
mod peers_spark;
mod permissions;
mod program;
mod promise;
mod read_back;
mod refusals;
mod report_languages;
mod revisits;
mod round_trip;
mod rust_code;
mod sample;
mod schedule;
mod scope;
mod search;
mod search_documents;
mod search_oracle;
mod search_queries;
mod selections;
mod signatures;
mod site_kinds;
mod site_server;
mod sites;
mod sources;
mod spellings;
mod strange_numbers;
mod strangers;
mod structure;
mod switched_off;
mod text_quality;
mod trials;
mod two_archives;
mod unread;
mod weekly;
mod which;
mod window;
