//! Links of a workspace, written in the forms of other programs.

use super::hosts::{LinkSource, NutchForm, NutchLimits, RankedHosts};
use super::inlink_dataset::{dataset_within, write_dataset};
use crate::export::{GraphFormat, write_host_graph};
use crate::jobs::{JobCx, counted};
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::files::table_files::{new_folder, write_file};
use crate::work::models::LinkForm;
use std::path::Path;

/// Writes the links into a folder, which is made if absent. Files are named by
/// what they hold and the moment; none is replaced. Says in words what was written.
///
/// # Errors
///
/// Links that cannot be read, no way to write there, or `Cancelled`:
/// nothing is left in the folder then.
pub fn export_links(session: &Session, form: LinkForm, folder: &Path, cx: &JobCx) -> anyhow::Result<String> {
    let workspace = &session.workspace;
    let folder = &new_folder(workspace, folder)?;
    let (name, ending) = form.name();
    let path = folder.join(format!("{name}-{}.{ending}", CaptureDate::now().to_digits14()));
    let links = LinkSource::Workspace(session);
    let graph = |format: GraphFormat| {
        write_file(&path, |out| {
            let RankedHosts { graph, ranks } = links.hosts(cx)?;
            write_host_graph(&graph, &ranks, format, true, out)?;
            let edges = graph.external().count();
            let within = graph.edges.len() - edges;
            let hosts = counted(graph.hosts.len() as u64, "host");
            Ok(format!("{hosts}, {} between sites, {within} within", counted(edges as u64, "edge")))
        })
    };
    let figures = match form {
        LinkForm::Gexf => graph(GraphFormat::Gexf)?,
        LinkForm::GraphMl => graph(GraphFormat::GraphMl)?,
        LinkForm::CsvEdges => graph(GraphFormat::CsvEdges)?,
        LinkForm::CsvHosts => graph(GraphFormat::CsvHosts)?,
        LinkForm::Dataset => write_file(&path, |out| {
            let window_days = workspace.catalogue().window_days()?;
            let (_, report) = write_dataset(workspace, &dataset_within(window_days), out, cx)?;
            Ok(format!("{} with inlinks within ±{window_days} days", counted(report.objects, "page")))
        })?,
        LinkForm::Nutch => write_file(&path, |out| {
            let report = links.write_nutch(&NutchLimits::default(), NutchForm::Dump, out, cx)?;
            let (inlinks, pages) = (counted(report.inlinks, "inlink"), counted(report.pages, "page"));
            Ok(format!("{inlinks} of {pages}, {} left out over the limit", report.cut))
        })?,
    };
    Ok(format!("{figures}, in {}", path.display()))
}
