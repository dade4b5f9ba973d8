//! Comma-separated values that a spreadsheet opens as text.

use crate::uri::printable;
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes one row (RFC 4180) of [`spreadsheet_cell`]s.
pub fn csv_row(out: &mut dyn Write, fields: &[&str]) -> io::Result<()> {
    for (position, field) in fields.iter().enumerate() {
        if position > 0 {
            out.write_all(b",")?;
        }
        let field = spreadsheet_cell(field);
        if field.contains([',', '"', '\n', '\r', ';', '\t']) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            out.write_all(field.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
}

/// Text that a spreadsheet would run as a formula gets an apostrophe before it,
/// and what a terminal obeys is replaced: URLs, titles and host names are other
/// people's words.
pub fn spreadsheet_cell(field: &str) -> Cow<'_, str> {
    let field = printable(field);
    let is_number = || field.parse::<f64>().is_ok();
    // Blanks before it do not keep a spreadsheet from reading a formula.
    let begins = field.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    match (begins && !is_number()) || field.starts_with(['\t', '\r', '\n']) {
        true => Cow::Owned(format!("'{field}")),
        false => field,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_formula() {
        for (field, expected) in [
            ("a.pt", "a.pt"),
            ("", ""),
            ("12", "12"),
            ("-3", "-3"),
            ("=1+1", "'=1+1"),
            ("  =1+1", "'  =1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("\t=1", "\"'\t=1\""),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("a\u{9b}31m\u{202e}b", "a\u{fffd}31m\u{fffd}b"),
        ] {
            let mut row = Vec::new();
            csv_row(&mut row, &[field, "x"]).unwrap();
            assert_eq!(String::from_utf8(row).unwrap(), format!("{expected},x\r\n"), "{field:?}");
        }
    }
}
