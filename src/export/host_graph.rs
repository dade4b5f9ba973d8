//! The host graph for programs that draw and count graphs.
//!
//! GEXF 1.2 (gexf.net), as Gephi and all versions of networkx read it; GraphML (graphml.graphdrawing.org),
//! as networkx, igraph and yEd do; CSV of edges or of hosts for the rest. The
//! same graph gives the same bytes: they have no date. Names are other
//! people's words and are escaped; signs that XML cannot hold become U+FFFD.

use super::csv_row;
use crate::inlinks::{HostEdge, HostGraph, HostNode};
use crate::uri::{CaptureDate, xml_text};
use std::io::{self, Write};

/// The format of a host graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// GEXF 1.2.
    Gexf,
    /// GraphML.
    GraphMl,
    /// Edges, one a line: `source,target,internal,links,first,last`.
    CsvEdges,
    /// Hosts, one a line.
    CsvHosts,
}

/// The type of a column of a graph, as both XML forms name it.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Count,
    Real,
    Text,
    Truth,
}

const HOST_COLUMNS: [(&str, Kind); 9] = [
    ("captures", Kind::Count),
    ("first_capture", Kind::Text),
    ("last_capture", Kind::Text),
    ("inlinks", Kind::Count),
    ("inlinks_internal", Kind::Count),
    ("outlinks", Kind::Count),
    ("citing_hosts", Kind::Count),
    ("cited_hosts", Kind::Count),
    ("pagerank", Kind::Real),
];

const EDGE_COLUMNS: [(&str, Kind); 4] =
    [("internal", Kind::Truth), ("links", Kind::Count), ("first", Kind::Text), ("last", Kind::Text)];

fn host_values(node: &HostNode, rank: f64) -> [String; 9] {
    let date = |date: Option<CaptureDate>| date.map(|date| date.to_dataset()).unwrap_or_default();
    [
        node.captures.to_string(),
        date(node.captured.map(|(first, _)| first)),
        date(node.captured.map(|(_, last)| last)),
        node.inlinks.to_string(),
        node.inlinks_internal.to_string(),
        node.outlinks.to_string(),
        node.citing_hosts.to_string(),
        node.cited_hosts.to_string(),
        format!("{rank:.12}"),
    ]
}

fn edge_values(edge: &HostEdge) -> [String; 4] {
    [edge.internal.to_string(), edge.links.to_string(), edge.first.to_dataset(), edge.last.to_dataset()]
}

/// Writes the graph piece by piece. `ranks` belong to the hosts, in their
/// order; edges within a site are written only with `internal`.
pub fn write_host_graph(
    graph: &HostGraph,
    ranks: &[f64],
    format: GraphFormat,
    internal: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hosts = || graph.hosts.iter().zip(ranks.iter().copied().chain(std::iter::repeat(0.0)));
    let edges = || graph.edges.iter().filter(|edge| internal || !edge.internal);
    match format {
        GraphFormat::Gexf => {
            writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
            writeln!(out, "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">")?;
            writeln!(out, "<meta><creator>fonds {}</creator></meta>", env!("CARGO_PKG_VERSION"))?;
            writeln!(out, "<graph defaultedgetype=\"directed\" mode=\"static\">")?;
            for (class, columns) in [("node", &HOST_COLUMNS[..]), ("edge", &EDGE_COLUMNS[..])] {
                writeln!(out, "<attributes class=\"{class}\">")?;
                for (name, kind) in columns {
                    let kind = kind.type_name("string");
                    writeln!(out, "<attribute id=\"{name}\" title=\"{name}\" type=\"{kind}\"/>")?;
                }
                writeln!(out, "</attributes>")?;
            }
            writeln!(out, "<nodes>")?;
            for (number, (node, rank)) in hosts().enumerate() {
                writeln!(out, "<node id=\"{number}\" label=\"{}\">", xml_text(&node.host))?;
                gexf_values(out, &HOST_COLUMNS, &host_values(node, rank))?;
                writeln!(out, "</node>")?;
            }
            writeln!(out, "</nodes>\n<edges>")?;
            for (number, edge) in edges().enumerate() {
                let HostEdge { source, target, links, .. } = edge;
                writeln!(out, "<edge id=\"{number}\" source=\"{source}\" target=\"{target}\" weight=\"{links}\">")?;
                gexf_values(out, &EDGE_COLUMNS, &edge_values(edge))?;
                writeln!(out, "</edge>")?;
            }
            writeln!(out, "</edges>\n</graph>\n</gexf>")
        }
        GraphFormat::GraphMl => {
            writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
            writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
            writeln!(out, "<key id=\"host\" for=\"node\" attr.name=\"host\" attr.type=\"string\"/>")?;
            for (class, columns) in [("node", &HOST_COLUMNS[..]), ("edge", &EDGE_COLUMNS[..])] {
                for (name, kind) in columns {
                    let kind = kind.type_name("string");
                    writeln!(out, "<key id=\"{name}\" for=\"{class}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
                }
            }
            writeln!(out, "<graph id=\"hosts\" edgedefault=\"directed\">")?;
            for (number, (node, rank)) in hosts().enumerate() {
                write!(out, "<node id=\"n{number}\"><data key=\"host\">{}</data>", xml_text(&node.host))?;
                graphml_values(out, &HOST_COLUMNS, &host_values(node, rank))?;
                writeln!(out, "</node>")?;
            }
            for edge in edges() {
                write!(out, "<edge source=\"n{}\" target=\"n{}\">", edge.source, edge.target)?;
                graphml_values(out, &EDGE_COLUMNS, &edge_values(edge))?;
                writeln!(out, "</edge>")?;
            }
            writeln!(out, "</graph>\n</graphml>")
        }
        GraphFormat::CsvEdges => {
            csv_row(out, &["source", "target", "internal", "links", "first", "last"])?;
            edges().try_for_each(|edge| {
                let [inside, links, first, last] = edge_values(edge);
                csv_row(out, &[graph.name(edge.source), graph.name(edge.target), &inside, &links, &first, &last])
            })
        }
        GraphFormat::CsvHosts => {
            let names: Vec<&str> = std::iter::once("host").chain(HOST_COLUMNS.map(|(name, _)| name)).collect();
            csv_row(out, &names)?;
            hosts().try_for_each(|(node, rank)| {
                let values = host_values(node, rank);
                let fields: Vec<&str> =
                    std::iter::once(node.host.as_str()).chain(values.iter().map(String::as_str)).collect();
                csv_row(out, &fields)
            })
        }
    }
}

impl Kind {
    fn type_name(self, text: &'static str) -> &'static str {
        match self {
            Self::Count => "long",
            Self::Real => "double",
            Self::Text => text,
            Self::Truth => "boolean",
        }
    }
}

/// Values that are not there are left out.
fn gexf_values(out: &mut dyn Write, columns: &[(&str, Kind)], values: &[String]) -> io::Result<()> {
    writeln!(out, "<attvalues>")?;
    for ((name, _), value) in columns.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "<attvalue for=\"{name}\" value=\"{}\"/>", xml_text(value))?;
    }
    writeln!(out, "</attvalues>")
}

fn graphml_values(out: &mut dyn Write, columns: &[(&str, Kind)], values: &[String]) -> io::Result<()> {
    let mut there = columns.iter().zip(values).filter(|(_, value)| !value.is_empty());
    there.try_for_each(|((name, _), value)| write!(out, "<data key=\"{name}\">{}</data>", xml_text(value)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use roxmltree::{Document, Node};

    fn date(text: &str) -> CaptureDate {
        CaptureDate::parse(text).unwrap()
    }

    fn node(host: &str, captures: u64) -> HostNode {
        HostNode {
            host: host.to_owned(),
            captures,
            captured: (captures > 0).then(|| (date("2001"), date("2009"))),
            inlinks: 5,
            inlinks_internal: 2,
            outlinks: 7,
            citing_hosts: 1,
            cited_hosts: 3,
        }
    }

    fn edge(source: u32, target: u32, internal: bool) -> HostEdge {
        HostEdge { source, target, internal, links: 9, first: date("2003"), last: date("20040506070809") }
    }

    fn graph(names: &[&str]) -> HostGraph {
        let hosts = names.iter().enumerate().map(|(at, name)| node(name, at as u64)).collect();
        HostGraph { hosts, edges: vec![edge(0, 1, false), edge(1, 1, true)] }
    }

    fn written(graph: &HostGraph, format: GraphFormat, internal: bool) -> String {
        let mut out = Vec::new();
        write_host_graph(graph, &[0.25, 0.75], format, internal, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn elements<'a>(document: &'a Document<'a>, name: &str) -> Vec<Node<'a, 'a>> {
        document.descendants().filter(|node| node.has_tag_name(name) || node.tag_name().name() == name).collect()
    }

    const HOSTILE: [&str; 2] = ["<a b=\"&amp;'\">\u{1}\n]]>", "=cmd|' /C calc'!A0"];

    #[test]
    fn gexf_holds_hosts_and_edges_for_a_parser() {
        let text = written(&graph(&HOSTILE), GraphFormat::Gexf, true);
        let document = Document::parse(&text).unwrap();
        let nodes = elements(&document, "node");
        let labels: Vec<_> = nodes.iter().map(|node| node.attribute("label").unwrap()).collect();
        assert_eq!(labels, ["<a b=\"&amp;'\">\u{fffd}\n]]>", HOSTILE[1]]);
        let values = |node: &Node<'_, '_>| -> Vec<String> {
            let found = node.descendants().filter(|node| node.tag_name().name() == "attvalue");
            found.map(|at| format!("{}={}", at.attribute("for").unwrap(), at.attribute("value").unwrap())).collect()
        };
        assert_eq!(
            values(&nodes[0]),
            "captures=0 inlinks=5 inlinks_internal=2 outlinks=7 citing_hosts=1 cited_hosts=3 pagerank=0.250000000000"
                .split(' ')
                .collect::<Vec<_>>()
        );
        assert!(values(&nodes[1]).contains(&"last_capture=2009-01-01T00:00:00".to_owned()));
        let edges = elements(&document, "edge");
        assert_eq!(
            edges[0].attributes().map(|at| format!("{}={}", at.name(), at.value())).collect::<Vec<_>>(),
            ["id=0", "source=0", "target=1", "weight=9"]
        );
        assert_eq!(
            values(&edges[1]),
            ["internal=true", "links=9", "first=2003-01-01T00:00:00", "last=2004-05-06T07:08:09"]
        );
    }

    #[test]
    fn graphml_holds_the_same() {
        let text = written(&graph(&HOSTILE), GraphFormat::GraphMl, false);
        let document = Document::parse(&text).unwrap();
        assert_eq!(elements(&document, "key").len(), 14);
        let names: Vec<_> =
            elements(&document, "node").iter().map(|node| node.first_element_child().unwrap().text()).collect();
        assert_eq!(names, [Some("<a b=\"&amp;'\">\u{fffd}\n]]>"), Some(HOSTILE[1])]);
        let edges = elements(&document, "edge");
        assert_eq!(edges.len(), 1, "links within a site are apart");
        assert_eq!((edges[0].attribute("source"), edges[0].attribute("target")), (Some("n0"), Some("n1")));
    }

    #[test]
    fn csv_runs_no_formula() {
        let edges = written(&graph(&["a.pt", HOSTILE[1]]), GraphFormat::CsvEdges, true);
        assert_eq!(
            edges,
            "source,target,internal,links,first,last\r\n\
             a.pt,'=cmd|' /C calc'!A0,false,9,2003-01-01T00:00:00,2004-05-06T07:08:09\r\n\
             '=cmd|' /C calc'!A0,'=cmd|' /C calc'!A0,true,9,2003-01-01T00:00:00,2004-05-06T07:08:09\r\n"
        );
        let hosts = written(&graph(&["a.pt", "b.pt"]), GraphFormat::CsvHosts, false);
        let last = "b.pt,1,2001-01-01T00:00:00,2009-01-01T00:00:00,5,2,7,1,3,0.750000000000\r\n";
        assert!(hosts.starts_with("host,captures,first_capture,") && hosts.ends_with(last), "{hosts}");
    }

    proptest! {
        #[test]
        fn any_name_leaves_the_xml_sound(name in any::<String>()) {
            for format in [GraphFormat::Gexf, GraphFormat::GraphMl] {
                let text = written(&graph(&[&name, "b.pt"]), format, true);
                let document = Document::parse(&text).unwrap();
                prop_assert_eq!(elements(&document, "edge").len(), 2);
            }
        }
    }
}
