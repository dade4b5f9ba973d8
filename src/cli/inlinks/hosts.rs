//! `fonds inlinks hosts` and `graph`: links counted host by host.

use super::loaded::with_links;
use super::{is_cut, print_if_cut, print_if_empty};
use crate::cli::FINE;
use crate::cli::output::{json_line, plain, to_file};
use crate::export::{GraphFormat, write_host_graph};
use crate::jobs::{Existing, JobCx, counted, noun};
use crate::work::{NutchForm, NutchLimits, RankedHosts};
use clap::ValueEnum;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `fonds inlinks hosts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks hosts my-archive
  fonds inlinks hosts my-links --json | jq -r 'select(.captures == 0) | .host'

Columns: PageRank in thousandths, citing hosts, external links to it, internal ones, captures of its pages, host.
PageRank counts a link between two hosts once, whatever its pages and dates, and leaves links within a site out; damping
0.85. With --json, captured holds the dates of the first and the last capture. What was captured as an error, a redirect,
a PDF file or an image is no page and not counted. Of a workspace, all captures are read, whether inlinks are built or
not: links of captures since the last build are in, other than in top, show, uncaptured and the window.")]
pub struct HostsArgs {
    /// Workspace, or folder of stored links
    folder: PathBuf,
    /// Most rows
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Only hosts of which no page was captured: where a campaign could go next
    #[arg(long)]
    uncaptured: bool,
    /// One object a host
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds inlinks graph`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks graph my-archive --format gexf --out hosts.gexf        for Gephi
  fonds inlinks graph my-links --format graphml --out hosts.graphml    for networkx, igraph, yEd
  fonds inlinks graph my-links --format csv > links-between-hosts.csv
  fonds inlinks graph my-links --format csv-hosts > hosts.csv

Hosts have counts of captures, links and PageRank; edges have the number of links, and the dates of the first and the
last. The same links give the same bytes. Of a workspace, all captures are read, as by fonds inlinks hosts.")]
pub struct GraphArgs {
    /// Workspace, or folder of stored links
    folder: PathBuf,
    /// How to write it
    #[arg(long, value_enum)]
    format: FormatArg,
    /// Edges within a site too, marked as internal; hosts have their number in any case
    #[arg(long)]
    internal: bool,
    /// File to write; standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatArg {
    Gexf,
    Graphml,
    Csv,
    CsvHosts,
}

#[derive(Serialize)]
struct HostRow<'h> {
    #[serde(flatten)]
    node: &'h crate::inlinks::HostNode,
    pagerank: f64,
}

/// Hosts, those that others think most of first.
pub(in crate::cli) fn hosts(args: &HostsArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let RankedHosts { graph, ranks } = with_links(&args.folder, |_| Ok(()), |links| links.hosts(cx))?;
    let mut rows: Vec<HostRow<'_>> = graph
        .hosts
        .iter()
        .zip(ranks)
        .filter(|(node, _)| !args.uncaptured || node.captures == 0)
        .map(|(node, pagerank)| HostRow { node, pagerank })
        .collect();
    // Hosts come by name, and stay so where ranks are equal.
    rows.sort_by(|a, b| b.pagerank.total_cmp(&a.pagerank));
    let cut = is_cut(&mut rows, args.limit);
    print_if_empty(
        rows.is_empty(),
        if args.uncaptured { "Of every host a page was captured" } else { "No host is known" },
    );
    for row in &rows {
        if args.json {
            json_line(out, row)?;
            continue;
        }
        let node = row.node;
        writeln!(
            out,
            "{:>8.3} {:>4} {:<6} {:>5} external {:>5} internal {:>5} {:<8} {}",
            row.pagerank * 1000.0,
            node.citing_hosts,
            noun(node.citing_hosts, "host"),
            node.inlinks,
            node.inlinks_internal,
            node.captures,
            noun(node.captures, "capture"),
            plain(&node.host)
        )?;
    }
    print_if_cut(cut, args.limit);
    Ok(FINE)
}

/// The host graph in a form of others.
pub(in crate::cli) fn graph(args: &GraphArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let format = match args.format {
        FormatArg::Gexf => GraphFormat::Gexf,
        FormatArg::Graphml => GraphFormat::GraphMl,
        FormatArg::Csv => GraphFormat::CsvEdges,
        FormatArg::CsvHosts => GraphFormat::CsvHosts,
    };
    // Inside, so that a file which is there is refused before the work.
    let graph = to_file(args.out.as_deref(), Existing::Stays, out, |out| {
        let RankedHosts { graph, ranks } = with_links(&args.folder, |_| Ok(()), |links| links.hosts(cx))?;
        write_host_graph(&graph, &ranks, format, args.internal, out)?;
        Ok(graph)
    })?;
    let (edges, internal) = (graph.external().count(), graph.edges.len() - graph.external().count());
    let (hosts, edges) = (counted(graph.hosts.len() as u64, "host"), counted(edges as u64, "edge"));
    notice!("{hosts}, {edges} between sites, {internal} within");
    Ok(FINE)
}

/// The anchors of all pages, as Nutch lists them.
pub(in crate::cli) fn nutch(folder: &Path, json: bool, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let form = if json { NutchForm::Anchors } else { NutchForm::Dump };
    let report = with_links(folder, |_| Ok(()), |links| links.write_nutch(&NutchLimits::default(), form, out, cx))?;
    let (inlinks, pages) = (counted(report.inlinks, "inlink"), counted(report.pages, "page"));
    notice!("{inlinks} of {pages}; {} left out over the limit of a page", report.cut);
    Ok(FINE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("hosts.gexf");
        std::fs::write(&out, "kept").unwrap();
        let nowhere = folder.path().join("nowhere");
        let args = GraphArgs { folder: nowhere, format: FormatArg::Gexf, internal: false, out: Some(out.clone()) };
        let error = graph(&args, &mut Vec::new(), &JobCx::detached()).unwrap_err().to_string();
        assert!(error.contains("File exists"), "{error}");
        assert_eq!(std::fs::read_to_string(out).unwrap(), "kept");
    }
}
