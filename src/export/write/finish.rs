//! End of an export, when all captures are in: its archive files are closed, and
//! what was gathered beside them goes into files of its own. Each waits for the disk in
//! the end, so they are written at the same time.

use super::attachments::{Attachment, Written};
use super::sink::{Archives, Sink};
use super::{INDEX_NAME, INLINKS_NAME};
use crate::export::bag::PAYLOAD;
use crate::export::knowledge::{Graph, KNOWLEDGE_NAME};
use crate::export::{ExportError, io_at, no_temporary};
use crate::jobs::{JobCx, SpillSort};
use crate::warc::cdx::IndexSorter;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread::{ScopedJoinHandle, scope};

/// The files beside the attachments that are still to be written.
pub(in crate::export) struct Unwritten {
    /// Archive files that are not closed yet.
    pub archives: Option<Archives>,
    /// Lines of the index, where it is written.
    pub index: Option<IndexSorter>,
    /// Lines of the inlink data set, where that comes along.
    pub inlinks: Option<SpillSort>,
    /// Everything as RDF, where that comes along.
    pub graph: Option<Graph>,
}

/// Writes all that is left; returns the rows of each attachment, the graph among them.
///
/// # Errors
///
/// A disk that does not take it, an attachment that cannot be made, or a stop.
pub(in crate::export) fn write_files(
    unwritten: Unwritten,
    attachments: Vec<Attachment<'_>>,
    written: &Written<'_>,
    sink: &mut Sink<'_>,
    cx: &JobCx,
) -> Result<BTreeMap<String, u64>, ExportError> {
    let Unwritten { archives, index, inlinks, graph } = unwritten;
    let close = |sink: &mut Sink<'_>| archives.map_or(Ok(()), |archives| archives.close(sink).map(drop));
    let lists = |sink: &mut Sink<'_>| {
        index.map_or(Ok(()), |index| write_index(index, sink))?;
        graph.map(|graph| write_graph(graph, sink)).transpose()
    };
    let inlinks = |sink: &mut Sink<'_>| inlinks.map_or(Ok(()), |inlinks| write_inlinks(inlinks, sink, cx));
    cx.stage("Writing indexes and attachments", Some(attachments.len() as u64));
    let mut rows = BTreeMap::new();
    let folder = sink.folder().map(Path::to_owned);
    let attach = |sink: &mut Sink<'_>| {
        for attachment in attachments {
            cx.note(attachment.path());
            let (path, of_it) = sink.attachment(attachment, written)?;
            rows.insert(path, of_it);
            cx.advance(1)?;
        }
        Ok(())
    };
    let graph = match folder {
        None => {
            close(sink)?;
            inlinks(sink)?;
            let graph = lists(sink)?;
            attach(sink)?;
            graph
        }
        Some(folder) => scope(|scope| {
            let closed = scope.spawn(|| close(&mut Sink::Folder(&folder)));
            let listed = scope.spawn(|| lists(&mut Sink::Folder(&folder)));
            let inlinks = scope.spawn(|| inlinks(&mut Sink::Folder(&folder)));
            let attached = attach(sink);
            let (closed, listed, inlinks) = (done(closed), done(listed), done(inlinks));
            attached.and(closed).and(inlinks).and(listed)
        })?,
    };
    rows.extend(graph);
    Ok(rows)
}

/// The result of a thread.
fn done<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn write_index(index: IndexSorter, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    sink.file(&format!("{PAYLOAD}{INDEX_NAME}"), false, |out| index.write(out).map_err(io_at(Path::new(INDEX_NAME))))
}

fn write_inlinks(inlinks: SpillSort, sink: &mut Sink<'_>, cx: &JobCx) -> Result<(), ExportError> {
    let failed = io_at(Path::new(INLINKS_NAME));
    sink.file(&format!("{PAYLOAD}{INLINKS_NAME}"), true, |out| {
        for line in inlinks.finish().map_err(no_temporary)? {
            let line = line.map_err(no_temporary)?;
            out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(&failed)?;
            cx.checkpoint()?;
        }
        Ok(())
    })
}

/// Writes the graph; returns its place and the number of its quads.
fn write_graph(graph: Graph, sink: &mut Sink<'_>) -> Result<(String, u64), ExportError> {
    let path = format!("{PAYLOAD}{KNOWLEDGE_NAME}");
    let mut quads = 0;
    sink.file(&path, false, |out| {
        quads = graph.write(out).map_err(io_at(Path::new(KNOWLEDGE_NAME)))?;
        Ok(())
    })?;
    Ok((path, quads))
}
