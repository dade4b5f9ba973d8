//! The inlinks that a handover lists of its captures, read back where the pages that
//! link did not come with it.

use crate::export::{InlinksOfCapture, KnownInlink, Manifest, each_known_inlinks};
use crate::inlinks::MAX_INLINKS_PER_SIDE;
use crate::jobs::{JobCx, counted};
use crate::links::html::fold::fold;
use crate::links::{MAX_ANCHOR_BYTES, MAX_URL_BYTES};
use crate::store::{AbsentLink, Workspace};
use crate::uri::{CaptureDate, PageKey, Url};
use crate::work::Report;
use crate::work::models::CaptureId;
use serde::Serialize;
use std::path::Path;

/// Links that are kept in one go.
const MOST_KEPT: usize = 100_000;

/// The outcome of reading inlinks back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InlinksImport {
    /// Captures whose metadata records list inlinks.
    pub captures: u64,
    /// Inlinks that they list.
    pub listed: u64,
    /// Those from pages that are not here.
    pub absent: u64,
}

impl Report for InlinksImport {
    fn summary(&self) -> String {
        format!(
            "{} of {} listed, {} from pages that are not here",
            counted(self.listed, "inlink"),
            counted(self.captures, "capture"),
            self.absent
        )
    }
}

/// Takes the inlinks in that the metadata records of a handover list of its captures and that no capture here
/// gives. Called again it changes nothing.
///
/// # Errors
///
/// An archive file that cannot be read, a catalogue that cannot be written, or a stop.
pub(in crate::work) fn import_inlinks(
    workspace: &Workspace,
    (folder, manifest): (&Path, &Manifest),
    origin: &str,
    cx: &JobCx,
) -> anyhow::Result<InlinksImport> {
    let mut report = InlinksImport::default();
    let archive = manifest.payload("archive/");
    let (mut found, mut kept) = (Vec::new(), 0);
    cx.stage("Reading inlinks", Some(manifest.counts.metadata));
    for file in manifest.files.iter().filter(|file| file.path.starts_with(&archive)) {
        each_known_inlinks(&folder.join(&file.path), cx, |known| -> anyhow::Result<()> {
            cx.advance(1)?;
            let Some(capture) = capture_of(workspace, &known)? else { return Ok(()) };
            report.captures += 1;
            report.listed += known.inlinks.list.len() as u64;
            let absent = absent_links(workspace, &known.inlinks.list)?;
            if absent.is_empty() {
                return Ok(());
            }
            report.absent += absent.len() as u64;
            kept += absent.len();
            found.push((capture, absent));
            if kept >= MOST_KEPT {
                workspace.catalogue().keep_absent_links(origin.to_owned(), std::mem::take(&mut found))?;
                kept = 0;
            }
            Ok(())
        })?;
    }
    workspace.catalogue().keep_absent_links(origin.to_owned(), found)?;
    Ok(report)
}

/// The capture that a metadata record is about.
fn capture_of(workspace: &Workspace, known: &InlinksOfCapture) -> anyhow::Result<Option<CaptureId>> {
    let Ok(url) = Url::parse(&known.url) else { return Ok(None) };
    let names = workspace.catalogue().capture_names(&url)?;
    let is_it = |name: &&crate::store::CaptureName| match known.record_id.as_str() {
        // As in ARC files.
        "" => name.date == known.date,
        id => name.record_id == id,
    };
    Ok(names.iter().find(is_it).map(|name| name.id))
}

/// Those of a list that no capture here gives: a thousand of each side at most, as exports list them.
fn absent_links(workspace: &Workspace, list: &[KnownInlink]) -> anyhow::Result<Vec<AbsentLink>> {
    let mut links = Vec::new();
    let mut of_side = [0; 2];
    for KnownInlink { date, source, anchor, internal, .. } in list {
        let side = &mut of_side[usize::from(*internal)];
        *side += 1;
        let url = Url::parse(source).ok().filter(|_| *side <= MAX_INLINKS_PER_SIDE && source.len() <= MAX_URL_BYTES);
        let (Some(url), Ok(date)) = (url, CaptureDate::parse(date)) else { continue };
        if workspace.catalogue().has_links_of(&PageKey::of(&url), date)? {
            continue;
        }
        let mut folded = fold(anchor);
        folded.truncate(folded.floor_char_boundary(MAX_ANCHOR_BYTES));
        let date = CaptureDate::from_seconds(date.seconds());
        links.push(AbsentLink { date, source_url: url.to_string(), anchor: folded });
    }
    Ok(links)
}
