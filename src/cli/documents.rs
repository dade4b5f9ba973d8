//! `fonds documents`.

use super::campaign::{read_only_session, session};
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::jobs::{counted, verb};
use crate::work::{self, DocumentList, DocumentRow};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Documents on watched targets.
#[derive(Debug, clap::Subcommand)]
pub enum DocumentsCommand {
    /// List the documents (PDF and the like) of watched targets, with their versions.
    #[command(after_help = "Examples:\n  fonds documents list my-archive\n  \
        fonds documents list my-archive --new --json | jq -r .url\n  \
        fonds documents list my-archive --new --harvester > documents.jsonl\n\n\
        A target is watched where its crawl feed says so, or its campaign's file: \"target\": {\"watched\": true,\n\
        \"document_url_scheme\": \"www.example.org/reports/\"}. A document is one of a target's where it is under a\n\
        seed, or a page under a seed links to it; with a document_url_scheme only where its URL begins so.\n\
        Landing pages have the words of links once inlinks are built: fonds inlinks build my-archive\n\
        Columns: N new document, V new version, - known; versions, first seen, URL, title, landing page.")]
    List {
        /// Workspace.
        folder: PathBuf,
        /// Only new documents and new versions, since fonds documents noted.
        #[arg(long)]
        new: bool,
        /// One object a document.
        #[arg(long, conflicts_with = "harvester")]
        json: bool,
        /// One object a version, as the document harvester of UKWA writes it.
        #[arg(long)]
        harvester: bool,
    },
    /// Take note of the list: what is in it is new no more.
    #[command(after_help = "Example:\n  fonds documents noted my-archive")]
    Noted {
        /// Workspace.
        folder: PathBuf,
    },
}

pub(super) fn run(command: DocumentsCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        DocumentsCommand::List { folder, new, json, harvester } => {
            let session = read_only_session(&folder)?;
            let list = with_progress(|cx| work::documents(&session.workspace, new, cx))?;
            for row in &list.rows {
                if json {
                    json_line(out, row)?;
                } else if harvester {
                    harvested(row, new, out)?;
                } else {
                    let mark = if row.is_new {
                        "N"
                    } else if row.has_new_version {
                        "V"
                    } else {
                        "-"
                    };
                    writeln!(
                        out,
                        "{mark}\t{}\t{}\t{}\t{}\t{}",
                        row.versions.len(),
                        row.first_seen.to_readable(),
                        plain(&row.url),
                        plain(&row.title),
                        plain(row.landing_page.as_deref().unwrap_or("-"))
                    )?;
                }
            }
            let versions: usize = list.rows.iter().map(|row| row.versions.len()).sum();
            let fresh = list.rows.iter().filter(|row| row.is_new).count();
            let changed = list.rows.iter().filter(|row| row.has_new_version).count();
            notice!(
                "{} in {}: {fresh} new, {changed} with a new version; {}; {}",
                counted(list.rows.len() as u64, "document"),
                counted(versions as u64, "version"),
                counted(list.watched as u64, "watched target"),
                match list.elsewhere as u64 {
                    1 => "1 capture of a document belongs to none of them".to_owned(),
                    number => {
                        format!(
                            "{} of documents {} to none of them",
                            counted(number, "capture"),
                            verb(number, "belongs")
                        )
                    }
                }
            );
            Ok(warn_unread(&list))
        }
        DocumentsCommand::Noted { folder } => {
            let session = session(&folder)?;
            let list = with_progress(|cx| work::documents(&session.workspace, true, cx))?;
            work::documents_noted(&session.workspace, &list)?;
            notice!("{} with something new noted", counted(list.rows.len() as u64, "document"));
            Ok(warn_unread(&list))
        }
    }
}

/// Warns of campaigns that the list leaves out since they cannot be read; gives the exit status.
fn warn_unread(list: &DocumentList) -> u8 {
    for (id, name, problem) in &list.unread {
        warn_of!(
            "campaigns that cannot be read",
            "note: campaign {id} ({}) cannot be read, nor whether its target is watched: {}",
            plain(name),
            plain(problem)
        );
    }
    if list.unread.is_empty() { FINE } else { PROBLEMS }
}

fn harvested(row: &DocumentRow, only_new: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for version in row.versions.iter().filter(|version| version.is_new || !only_new) {
        let object = json!({
            "wayback_timestamp": version.first_seen.to_digits14(),
            "landing_page_url": row.landing_page,
            "document_url": row.url,
            "filename": row.filename,
            "size": version.bytes,
            "job_name": version.job,
            "launch_id": version.launch,
            "source": version.source,
            "title": row.title,
            "digest": version.digest,
            "target_id": row.target,
        });
        json_line(out, &object)?;
    }
    Ok(())
}
