//! The manual: guides in Markdown, compiled into the program.
//!
//! In: the files of `assets/guide/`. Out: their texts, for `fonds guide` and the page Help.
//!
//! Invariants: tables that describe the query language are generated from the
//! lists that the program itself uses, that of links from the one that a test crawls; a test runs or parses every command in them.
//!
//! Not here: how a guide is drawn, which page a guide explains.

mod link_examples;
#[cfg(test)]
mod tests;

pub use link_examples::{LINK_EXAMPLES, LinkExample, LinkExamples};

use crate::query::QUERY_RULES;
use crate::store::filter_fields;
use std::fmt::Write;

/// A guide to one subject.
#[derive(Debug)]
pub struct Guide {
    /// Its name on the command line and of its file.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its subject, in a line.
    pub about: &'static str,
    source: &'static str,
}

macro_rules! guide {
    ($name:literal, $title:literal, $about:literal) => {
        Guide {
            name: $name,
            title: $title,
            about: $about,
            source: include_str!(concat!("../../assets/guide/", $name, ".md")),
        }
    };
}

/// Every guide, in the order in which a newcomer reads them.
pub const GUIDES: [Guide; 9] = [
    guide!("crawl", "Campaigns and crawls", "seeds, scope, permissions, crawling, schedules"),
    guide!("links", "Links that a crawl follows", "kinds of links, which of them are followed, how many"),
    guide!("import", "Import", "archive files, other crawlers, crawl feeds, missing files"),
    guide!("review", "Review", "inlinks, tables and keys, decisions"),
    guide!("search", "Search", "the index of texts, results, judging results"),
    guide!("queries", "Queries", "how filters and searches are written, every field"),
    guide!("handover", "Select and export", "selections, collections, exports, signatures, reading exports back"),
    guide!("scripts", "Scripts", "small tools for files, keys and links; exit status"),
    guide!("limits", "Limits", "limits in figures, what Fonds does not do"),
];

/// The line of a guide in whose place the table of the query syntax is put.
const SYNTAX_MARKER: &str = "<!-- table of the query syntax -->";
/// The line of a guide in whose place the table of the fields is put.
const FIELDS_MARKER: &str = "<!-- table of the fields -->";
/// The line of a guide in whose place the table of the kinds of links is put.
const LINKS_MARKER: &str = "<!-- table of the links -->";

impl Guide {
    /// The guide of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        GUIDES.iter().find(|guide| guide.name == name)
    }

    /// The text of the guide in Markdown, with the tables that are generated.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.source.len());
        for line in self.source.lines() {
            match line {
                SYNTAX_MARKER => text += &syntax_table(),
                FIELDS_MARKER => text += &fields_table(),
                LINKS_MARKER => text += &links_table(),
                line => {
                    text += line;
                    text.push('\n');
                }
            }
        }
        text
    }
}

fn links_table() -> String {
    let mut text = String::from("| Link | Followed |\n| --- | --- |\n");
    for kind in LINK_EXAMPLES {
        let _ = writeln!(text, "| {} | {} |", kind.subject, if kind.is_followed { "yes" } else { "no" });
    }
    text
}

fn syntax_table() -> String {
    table("Written", QUERY_RULES.iter().map(|(written, about)| (written.replace(", ", "`, `"), *about)))
}

fn fields_table() -> String {
    table("Field", filter_fields().iter().map(|field| (field.example.to_owned(), field.about)))
}

fn table(head: &str, rows: impl Iterator<Item = (String, &'static str)>) -> String {
    let mut text = format!("| {head} | Finds |\n|---|---|\n");
    for (written, about) in rows {
        let _ = writeln!(text, "| `{written}` | {about} |");
    }
    text
}
