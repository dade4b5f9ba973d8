//! A report as one HTML file that runs and loads nothing, and as Markdown.

use crate::campaign::ReportLanguage;
use crate::uri::xml_text;
use std::fmt::Write;

/// A piece of a report.
pub(super) enum Block {
    /// A heading.
    Heading(String),
    /// The paragraph that sums it up in one sentence.
    Lead(String),
    /// A paragraph.
    Text(String),
    /// Names with values.
    Facts(Vec<(String, String)>),
    /// A list of lines, each with its depth.
    List(Vec<(usize, String)>),
    /// A table; the columns that are numbers are aligned right.
    Table { head: Vec<String>, numbers: Vec<usize>, rows: Vec<Vec<ReportCell>> },
    /// Counts by name as bars, with what they count by; Markdown has none of it.
    Bars { of: String, counts: Vec<(String, u64)> },
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportCell {
    /// A text.
    Text(String),
    /// Says that something that was aimed at is not there: it is marked.
    Lack(String),
    /// A message of the program, in English in a report of any language.
    Message(String),
}

impl ReportCell {
    fn text(&self) -> &str {
        let (Self::Text(text) | Self::Lack(text) | Self::Message(text)) = self;
        text
    }
}

impl From<String> for ReportCell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A row of a table that is nothing but text.
pub(super) fn text_row(cells: impl IntoIterator<Item = String>) -> Vec<ReportCell> {
    cells.into_iter().map(ReportCell::Text).collect()
}

/// Counts by name, as bars and as a table.
pub(super) fn counted_by(language: ReportLanguage, of: String, counts: Vec<(String, u64)>) -> [Block; 2] {
    let rows = counts.iter().map(|(name, count)| text_row([name.clone(), language.number(*count)])).collect();
    let head = vec![of.clone(), language.captures_head()];
    [Block::Bars { of, counts }, Block::Table { head, numbers: vec![1], rows }]
}

/// Most rows that a table shows; the rest is counted.
const MOST_ROWS: usize = 200;

/// Text of so many characters without a blank, such as a URL, may be broken anywhere.
const UNBROKEN_CHARS: usize = 20;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}\
h1{font-size:1.8rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #bbb}\
table{border-collapse:collapse;margin:.6rem 0;max-width:100%}thead{display:table-header-group}\
th,td{border:1px solid #ccc;padding:.2rem .6rem;text-align:left;vertical-align:top}\
.l,p,dd,h1,li{overflow-wrap:anywhere}.s{font-size:1.15rem}.n{text-align:right;font-variant-numeric:tabular-nums}\
dl{display:grid;grid-template-columns:minmax(8rem,18rem) 1fr;gap:.15rem 1rem}dt{font-weight:bold}dd{margin:0}\
.z{background:#fbe3e0;color:#8c1d12;font-weight:bold;print-color-adjust:exact;-webkit-print-color-adjust:exact}\
img{display:block;max-width:100%}@page{margin:16mm}\
@media print{body{margin:0;padding:0;max-width:none;font-size:10pt}h1{font-size:18pt}h2{font-size:13pt;break-after:avoid}\
tr,img,dd{break-inside:avoid}table{font-size:9pt}}";

/// The report as HTML.
pub(super) fn html(language: ReportLanguage, title: &str, blocks: &[Block]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"{code}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\
         <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n",
        code = language.code(),
        title = escaped(title)
    );
    for block in blocks {
        html_block(&mut out, language, block);
    }
    out.push_str("</body></html>\n");
    out
}

fn html_block(out: &mut String, language: ReportLanguage, block: &Block) {
    match block {
        Block::Heading(text) => push(out, format_args!("<h2>{}</h2>\n", escaped(text))),
        Block::Lead(text) => push(out, format_args!("<p class=\"s\">{}</p>\n", escaped(text))),
        Block::Text(text) => push(out, format_args!("<p>{}</p>\n", escaped(text))),
        Block::List(lines) => html_list(out, lines),
        Block::Facts(facts) => {
            out.push_str("<dl>\n");
            for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                push(out, format_args!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value)));
            }
            out.push_str("</dl>\n");
        }
        Block::Table { head, numbers, rows } => {
            let class = |column: &usize| if numbers.contains(column) { " class=\"n\"" } else { "" };
            out.push_str("<table><thead><tr>");
            for (column, name) in head.iter().enumerate() {
                push(out, format_args!("<th scope=\"col\"{}>{}</th>", class(&column), escaped(name)));
            }
            out.push_str("</tr></thead><tbody>\n");
            for row in rows.iter().take(MOST_ROWS) {
                out.push_str("<tr>");
                for (column, cell) in row.iter().enumerate() {
                    let is_long = || cell.text().split_whitespace().any(|part| part.chars().count() > UNBROKEN_CHARS);
                    let class = match (cell, class(&column)) {
                        (ReportCell::Lack(_), _) => " class=\"n z\"",
                        (ReportCell::Message(_), _) => " lang=\"en\" class=\"l\"",
                        (_, "") if is_long() => " class=\"l\"",
                        (_, class) => class,
                    };
                    push(out, format_args!("<td{class}>{}</td>", escaped(cell.text())));
                }
                out.push_str("</tr>\n");
            }
            out.push_str("</tbody></table>\n");
            if rows.len() > MOST_ROWS {
                let more = language.more_rows((rows.len() - MOST_ROWS) as u64);
                push(out, format_args!("<p>{}</p>\n", escaped(&more)));
            }
        }
        Block::Bars { of, counts } => bars(out, language, of, counts),
    }
}

/// Lists within lists, by the depths of the lines.
fn html_list(out: &mut String, lines: &[(usize, String)]) {
    let mut open = 0;
    for (depth, line) in lines {
        while open > depth + 1 {
            out.push_str("</li></ul>");
            open -= 1;
        }
        if open == depth + 1 {
            out.push_str("</li>\n");
        }
        while open <= *depth {
            out.push_str("<ul>\n");
            open += 1;
        }
        push(out, format_args!("<li>{}", escaped(line)));
    }
    out.push_str(&"</li></ul>".repeat(open));
    out.push('\n');
}

/// A bar a count, the longest as wide as the picture. It is an SVG in the file itself, as an image:
/// its content can neither run nor load anything, and readers of HTML 4 take it.
fn bars(out: &mut String, language: ReportLanguage, of: &str, counts: &[(String, u64)]) {
    const ROW: usize = 18;
    const WIDTH: u64 = 420;
    const LABEL: u64 = 190;
    const LABEL_CHARS: usize = 28;
    let shown = &counts[..counts.len().min(60)];
    let most = shown.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let (width, height) = (LABEL + WIDTH + 80, shown.len() * ROW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-size=\"12\" font-family=\"sans-serif\">\n"
    );
    for (at, (name, count)) in shown.iter().enumerate() {
        let (top, bar) = (at * ROW, (count * WIDTH).div_ceil(most));
        let short: String = match name.chars().count() {
            0..=LABEL_CHARS => name.clone(),
            _ => name.chars().take(LABEL_CHARS - 1).chain(['…']).collect(),
        };
        push(
            &mut svg,
            format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{LABEL}\" y=\"{}\" width=\"{bar}\" height=\"13\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
                LABEL - 8,
                top + 13,
                escaped(&short),
                top + 2,
                "#3b6ea5",
                LABEL + bar + 6,
                top + 13,
                language.number(*count)
            ),
        );
    }
    svg.push_str("</svg>\n");
    push(
        out,
        format_args!(
            "<img alt=\"{}\" width=\"{width}\" height=\"{height}\" src=\"data:image/svg+xml;base64,{}\">\n",
            escaped(&language.captures_by(of)),
            data_encoding::BASE64.encode(svg.as_bytes())
        ),
    );
    if counts.len() > shown.len() {
        let (shown, all) = (language.number(shown.len() as u64), language.number(counts.len() as u64));
        push(out, format_args!("<p>{}</p>\n", escaped(&language.picture_of_first(&shown, &all))));
    }
}

/// The report as Markdown.
pub(super) fn markdown(language: ReportLanguage, title: &str, blocks: &[Block]) -> String {
    let mut out = format!("# {}\n", plain(title));
    for block in blocks {
        match block {
            Block::Heading(text) => push(&mut out, format_args!("\n## {}\n", plain(text))),
            Block::Text(text) | Block::Lead(text) => push(&mut out, format_args!("\n{}\n", plain(text))),
            Block::List(lines) => {
                out.push('\n');
                for (depth, line) in lines {
                    push(&mut out, format_args!("{}- {}\n", "  ".repeat(*depth), plain(line)));
                }
            }
            Block::Facts(facts) => {
                out.push('\n');
                for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                    push(&mut out, format_args!("- **{}**: {}\n", plain(name), plain(value)));
                }
            }
            Block::Table { head, numbers, rows } => markdown_table(&mut out, language, (head, numbers, rows)),
            Block::Bars { .. } => {}
        }
    }
    out
}

fn markdown_table(
    out: &mut String,
    language: ReportLanguage,
    (head, numbers, rows): (&[String], &[usize], &[Vec<ReportCell>]),
) {
    let line = |out: &mut String, cells: &mut dyn Iterator<Item = String>| {
        push(out, format_args!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    };
    out.push('\n');
    line(out, &mut head.iter().map(|name| plain(name)));
    line(out, &mut (0..head.len()).map(|at| if numbers.contains(&at) { "---:" } else { "---" }.to_owned()));
    for row in rows.iter().take(MOST_ROWS) {
        line(out, &mut row.iter().map(|cell| plain(cell.text())));
    }
    if rows.len() > MOST_ROWS {
        push(out, format_args!("\n{}\n", plain(&language.more_rows((rows.len() - MOST_ROWS) as u64))));
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}

/// Text of strangers as text of HTML: no tag, no attribute, and nothing that changes the direction
/// of the text beside it.
fn escaped(text: &str) -> String {
    xml_text(&text.replace(is_unseen, " "))
}

/// Text of strangers as text of Markdown, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if is_unseen(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Controls, and marks that turn the reading order.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_strangers_stay_text_in_both_forms() {
        let hostile = "<script>alert(1)</script> \"x\" [a](javascript:b) | \u{202e}end".to_owned();
        let [bars, counts] =
            counted_by(ReportLanguage::En, "Host".to_owned(), vec![(hostile.clone(), 3), ("b".to_owned(), 0)]);
        let blocks = [
            Block::Heading(hostile.clone()),
            bars,
            counts,
            Block::List(vec![(0, "a".to_owned()), (1, hostile.clone()), (1, "b".to_owned()), (0, "c".to_owned())]),
            Block::Table { head: vec!["A".to_owned()], numbers: vec![], rows: vec![vec![hostile.clone().into()]; 300] },
        ];
        let html = html(ReportLanguage::En, &hostile, &blocks);
        assert!(!html.contains("<script") && !html.contains('\u{202e}'), "{html}");
        assert!(html.contains("… and 100 more"));
        assert_eq!((html.matches("<li>").count(), html.matches("<ul>").count()), (4, 2));
        assert_eq!((html.matches("</li>").count(), html.matches("</ul>").count()), (4, 2));
        let picture = html.split("base64,").nth(1).unwrap().split('"').next().unwrap();
        let svg = String::from_utf8(data_encoding::BASE64.decode(picture.as_bytes()).unwrap()).unwrap();
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"), "{svg}");
        roxmltree::Document::parse(&svg).unwrap();
        let markdown = markdown(ReportLanguage::En, &hostile, &blocks);
        assert!(!markdown.contains("[a]") && !markdown.contains("<script"), "{markdown}");
        let rows = markdown.lines().filter(|line| line.starts_with('|')).collect::<Vec<_>>();
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(rows.iter().all(|row| [2, 3].contains(&cells(row))), "{rows:?}");
    }
}
