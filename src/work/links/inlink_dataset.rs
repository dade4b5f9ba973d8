//! Inlinks of a workspace in the shape of the published data set.

use super::build::{capture_of, whole_seconds};
use crate::inlinks::invert::{
    AssignOptions, AssignReport, Assigned, Shuffle, ShuffleReport, TargetCapture, assign_rendered,
};
use crate::inlinks::{DatasetOptions, Keyed, render_line};
use crate::jobs::JobCx;
use crate::store::{Captures, Workspace};
use crate::uri::{Url, WebParts};
use std::io::Write;

/// The usual rules with another window.
pub fn dataset_within(window_days: u32) -> DatasetOptions {
    DatasetOptions { assign: AssignOptions { window_days, ..AssignOptions::default() }, ..DatasetOptions::default() }
}

/// Writes the inlinks of the catalogue as a build of its archive files with the same options does.
/// The catalogue has the `<a href>` of pages: options of reading archive files and of sorting rows
/// are passed over. Returns the counts of what was read and written.
///
/// # Errors
///
/// A catalogue that cannot be read, no room for sorting, nobody who takes the
/// lines, or `Cancelled`.
pub fn write_dataset(
    workspace: &Workspace,
    options: &DatasetOptions,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<(ShuffleReport, AssignReport)> {
    let catalogue = workspace.catalogue();
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links(Captures::ALL)?));
    let mut shuffle = Shuffle::new(&workspace.shuffle_options(), cx)?;
    let threads = shuffle.threads();
    let (mut target, mut source) = (String::new(), String::new());
    catalogue.feed_inlinks(Captures::ALL, |link| -> anyhow::Result<()> {
        cx.advance(1)?;
        let (to, from) = (Url::parse(&link.target_url)?, Url::parse(&link.source_url)?);
        let (to, from) = (WebParts::of(&to), WebParts::of(&from));
        options.notation.write_key(&to, &mut target);
        options.notation.write_key(&from, &mut source);
        let (to, from) = (Keyed { key: &target, name: to.name() }, Keyed { key: &source, name: from.name() });
        let anchor = options.anchor(&link.anchor);
        Ok(shuffle.push_link(&options.link_row(to, from, whole_seconds(link.date), &anchor))?)
    })??;
    catalogue.feed_pages(Captures::ALL, |page| -> anyhow::Result<()> {
        options.notation.write_key(&WebParts::of(&Url::parse(&page.url)?), &mut target);
        // Without its number: captures of one second are one.
        Ok(shuffle.push_capture(&TargetCapture { id: 0, ..capture_of(&page, &target) })?)
    })??;
    cx.stage("Writing the data set", None);
    let render = |object: &Assigned<'_>, line: &mut Vec<u8>| render_line(object, options.java_times, line);
    Ok(assign_rendered(&mut shuffle.finish()?, &options.assign, threads, render, |piece| out.write_all(piece))?)
}
