//! Rows for the clipboard.

use crate::app::models::spreadsheet_cell;
use crate::ui::text;

/// Characters of a cell on the clipboard.
const COPY_CHARS: usize = 100_000;

/// The form in which rows are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyForm {
    /// Tab-separated values, for spreadsheets.
    Tsv,
    /// A table for texts.
    Markdown,
}

impl CopyForm {
    /// The rows under their head. No cell runs as a formula, leaves its row or
    /// hides what is in it.
    pub(super) fn text(self, head: &[&str], numbers: &[bool], rows: &[Vec<String>]) -> String {
        let lines = rows.iter().map(|row| self.line(row.iter().map(String::as_str)));
        let head_line = self.line(head.iter().copied());
        let rule = match self {
            Self::Tsv => String::new(),
            Self::Markdown => {
                let marks = numbers.iter().map(|is_number| if *is_number { "---:" } else { "---" });
                format!("| {} |\n", marks.collect::<Vec<_>>().join(" | "))
            }
        };
        std::iter::once(head_line).chain([rule]).chain(lines).collect()
    }

    fn line<'c>(self, cells: impl Iterator<Item = &'c str>) -> String {
        match self {
            Self::Tsv => {
                let cells = cells.map(|cell| text::short(cell, COPY_CHARS));
                let cells: Vec<String> = cells.map(|cell| spreadsheet_cell(&cell).into_owned()).collect();
                format!("{}\n", cells.join("\t"))
            }
            Self::Markdown => {
                let cells: Vec<String> = cells.map(escaped).collect();
                format!("| {} |\n", cells.join(" | "))
            }
        }
    }
}

/// Text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text::short(text, COPY_CHARS).chars() {
        if matches!(char, '\\' | '|' | '<' | '[' | ']' | '`' | '*') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_to_themselves() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let tsv = |cells: &[&str]| CopyForm::Tsv.text(&["a"], &[false], &[row(cells)]);
        assert_eq!(tsv(&["1\t2", "x\ny"]), "a\n1 2\tx y\n");
        assert_eq!(
            tsv(&["=HYPERLINK(\"http://a.pt/\")", "\n+1+1", "-2+3", "@SUM(A1)", "-3", "gpj\u{202e}"]),
            "a\n'=HYPERLINK(\"http://a.pt/\")\t' +1+1\t'-2+3\t'@SUM(A1)\t-3\tgpj<U+202E>\n"
        );
        let text = CopyForm::Markdown.text(&["URL", "Links"], &[false, true], &[row(&["a|b\n<c>", "3"])]);
        assert_eq!(text, "| URL | Links |\n| --- | ---: |\n| a\\|b \\<c> | 3 |\n");
    }
}
