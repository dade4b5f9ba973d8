//! A report as one HTML file that runs and loads nothing, and as Markdown.

use std::fmt::Write;

/// A piece of a report.
pub(super) enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Names with values.
    Facts(Vec<(&'static str, String)>),
    /// A table; the columns that are numbers stand right.
    Table { head: Vec<&'static str>, numbers: Vec<usize>, rows: Vec<Vec<String>> },
    /// Counts by name, as bars and as a table.
    Bars { of: &'static str, counts: Vec<(String, u64)> },
}

/// How many rows a table shows at most; the rest is counted.
const MOST_ROWS: usize = 200;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c}\
h1{font-size:1.8rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #bbb}\
table{border-collapse:collapse;margin:.6rem 0;max-width:100%}\
th,td{border:1px solid #ccc;padding:.2rem .6rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}\
.n{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}dt{font-weight:bold}dd{margin:0 0 .4rem 1.5rem}\
svg{max-width:100%}@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}tr,svg{break-inside:avoid}}";

/// The report as HTML.
pub(super) fn html(title: &str, blocks: &[Block]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n",
        title = escaped(title)
    );
    for block in blocks {
        html_block(&mut out, block);
    }
    out.push_str("</body></html>\n");
    out
}

fn html_block(out: &mut String, block: &Block) {
    match block {
        Block::Heading(text) => push(out, format_args!("<h2>{}</h2>\n", escaped(text))),
        Block::Text(text) => push(out, format_args!("<p>{}</p>\n", escaped(text))),
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
                    push(out, format_args!("<td{}>{}</td>", class(&column), escaped(cell)));
                }
                out.push_str("</tr>\n");
            }
            out.push_str("</tbody></table>\n");
            html_more(out, rows.len());
        }
        Block::Bars { of, counts } => {
            bars(out, of, counts);
            let rows = counts.iter().map(|(name, count)| vec![name.clone(), count.to_string()]).collect();
            html_block(out, &Block::Table { head: vec![of, "Captures"], numbers: vec![1], rows });
        }
    }
}

fn html_more(out: &mut String, rows: usize) {
    if rows > MOST_ROWS {
        push(out, format_args!("<p>… and {} more</p>\n", rows - MOST_ROWS));
    }
}

/// A bar a count, the longest as wide as the picture.
fn bars(out: &mut String, of: &str, counts: &[(String, u64)]) {
    const ROW: usize = 18;
    const WIDTH: u64 = 420;
    const LABEL: u64 = 190;
    let shown = &counts[..counts.len().min(60)];
    let most = shown.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    push(
        out,
        format_args!(
            "<svg role=\"img\" aria-label=\"Captures by {}\" width=\"{}\" height=\"{}\" font-size=\"12\" font-family=\"sans-serif\">\n",
            escaped(&of.to_lowercase()),
            LABEL + WIDTH + 80,
            shown.len() * ROW
        ),
    );
    for (at, (name, count)) in shown.iter().enumerate() {
        let (top, width) = (at * ROW, (count * WIDTH).div_ceil(most));
        let short: String = name.chars().take(28).collect();
        push(
            out,
            format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{LABEL}\" y=\"{}\" width=\"{width}\" height=\"13\" fill=\"#3b6ea5\"/><text x=\"{}\" y=\"{}\">{count}</text>\n",
                LABEL - 8,
                top + 13,
                escaped(&short),
                top + 2,
                LABEL + width + 6,
                top + 13
            ),
        );
    }
    out.push_str("</svg>\n");
}

/// The report as Markdown.
pub(super) fn markdown(title: &str, blocks: &[Block]) -> String {
    let mut out = format!("# {}\n", plain(title));
    for block in blocks {
        match block {
            Block::Heading(text) => push(&mut out, format_args!("\n## {}\n", plain(text))),
            Block::Text(text) => push(&mut out, format_args!("\n{}\n", plain(text))),
            Block::Facts(facts) => {
                out.push('\n');
                for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                    push(&mut out, format_args!("- **{}**: {}\n", plain(name), plain(value)));
                }
            }
            Block::Table { head, numbers, rows } => markdown_table(&mut out, head, numbers, rows),
            Block::Bars { of, counts } => {
                let rows: Vec<_> = counts.iter().map(|(name, count)| vec![name.clone(), count.to_string()]).collect();
                markdown_table(&mut out, &[of, "Captures"], &[1], &rows);
            }
        }
    }
    out
}

fn markdown_table(out: &mut String, head: &[&str], numbers: &[usize], rows: &[Vec<String>]) {
    let line = |out: &mut String, cells: &mut dyn Iterator<Item = String>| {
        push(out, format_args!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    };
    out.push('\n');
    line(out, &mut head.iter().map(|name| plain(name)));
    line(out, &mut (0..head.len()).map(|at| if numbers.contains(&at) { "---:" } else { "---" }.to_owned()));
    for row in rows.iter().take(MOST_ROWS) {
        line(out, &mut row.iter().map(|cell| plain(cell)));
    }
    if rows.len() > MOST_ROWS {
        push(out, format_args!("\n… and {} more\n", rows.len() - MOST_ROWS));
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}

/// Text of strangers as text of HTML: no tag, no attribute, and nothing that
/// changes the direction of what stands beside.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_unseen(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The same for Markdown, on one line.
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
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_strangers_stay_text_in_both_forms() {
        let hostile = "<script>alert(1)</script> \"x\" [a](javascript:b) | \u{202e}end".to_owned();
        let blocks = [
            Block::Heading(hostile.clone()),
            Block::Bars { of: "Host", counts: vec![(hostile.clone(), 3), ("b".to_owned(), 0)] },
            Block::Table { head: vec!["A"], numbers: vec![], rows: vec![vec![hostile.clone()]; 300] },
        ];
        let html = html(&hostile, &blocks);
        assert!(!html.contains("<script") && !html.contains('\u{202e}'), "{html}");
        assert!(html.contains("… and 100 more"));
        let markdown = markdown(&hostile, &blocks);
        assert!(!markdown.contains("[a]") && !markdown.contains("<script"), "{markdown}");
        let rows = markdown.lines().filter(|line| line.starts_with('|')).collect::<Vec<_>>();
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(rows.iter().all(|row| [2, 3].contains(&cells(row))), "{rows:?}");
    }
}
