//! `fonds surt`: URLs in, keys out.

use super::output::json_text;
use crate::uri::{CdxKey, DatasetKey, PageKey, ScopePrefix, ScopeSurt, Ssurt, parse_typed_url};
use clap::ValueEnum;
use serde_json::json;
use std::io::{BufRead, Write};

/// Turn URLs on standard input into keys.
#[derive(Debug, clap::Args)]
#[command(after_help = "Reads one URL a line and writes one key a line, `-` where a line has none.\n\n\
    Example:\n  \
    echo 'https://www.fct.pt/Sobre?b=2&a=1' | fonds surt --form cdx\n  \
    pt,fct)/sobre?a=1&b=2")]
pub struct SurtArgs {
    /// Which notation to write.
    #[arg(long, value_enum, default_value_t = SurtForm::Dataset)]
    pub form: SurtForm,
    /// Write one JSON object a line, with the URL and its key.
    #[arg(long)]
    pub json: bool,
}

/// A notation of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SurtForm {
    /// The published inlink data set: `(pt,fct,` and `(pt,fct,)/sobre`.
    Dataset,
    /// CDX, CDXJ and replay: `pt,fct)/sobre`.
    Cdx,
    /// Scope rules: `https://(pt,fct,www,)/sobre`.
    Heritrix,
    /// The scope prefix that a seed implies: `http://(pt,fct,`.
    Prefix,
    /// The reversible sort key: `pt,fct,//https:/Sobre`.
    Ssurt,
    /// The identity of a page inside Fonds: `pt,fct)/Sobre`.
    Page,
}

impl SurtForm {
    fn key(self, line: &str) -> Option<String> {
        match self {
            Self::Dataset => DatasetKey::of_text(line).map(|key| key.to_string()),
            Self::Cdx => CdxKey::of_text(line).map(|key| key.to_string()),
            Self::Heritrix => ScopeSurt::of_text(line).map(|surt| surt.to_string()),
            Self::Prefix => ScopePrefix::parse(line).map(|prefix| prefix.to_string()),
            Self::Ssurt => Ssurt::of_text(line).map(|key| key.to_string()),
            Self::Page => parse_typed_url(line).map(|url| PageKey::of(&url).to_string()),
        }
    }
}

/// Writes a key for every line.
pub fn run(args: &SurtArgs, input: &mut dyn BufRead, output: &mut dyn Write) -> anyhow::Result<u8> {
    each_line(input, |line| {
        let key = args.form.key(line);
        if args.json {
            writeln!(output, "{}", json_text(&json!({"url": line, "key": key}))?)
        } else {
            writeln!(output, "{}", key.as_deref().unwrap_or("-"))
        }
    })?;
    output.flush()?;
    Ok(super::FINE)
}

/// Hands every line on, without its line end; bytes that are no UTF-8 are
/// replaced, so that each line has its answer.
pub(super) fn each_line(
    input: &mut dyn BufRead,
    mut take: impl FnMut(&str) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes);
        take(line.trim_end_matches(['\n', '\r']))?;
        bytes.clear();
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(form: SurtForm, json: bool, input: &[u8], expected: &str) {
        let mut output = Vec::new();
        let status = run(&SurtArgs { form, json }, &mut &input[..], &mut output).unwrap();
        assert_eq!((String::from_utf8(output).unwrap().as_str(), status), (expected, 0), "{form:?}");
    }

    #[test]
    fn one_key_a_line() {
        let input = b"https://www.fct.pt/Sobre?b=2&a=1\r\n\nhttp://fct.pt";
        check(SurtForm::Dataset, false, input, "(pt,fct,)/sobre?b=2&a=1\n-\n(pt,fct,\n");
        check(SurtForm::Cdx, false, input, "pt,fct)/sobre?a=1&b=2\n-\npt,fct)/\n");
        check(SurtForm::Heritrix, false, input, "https://(pt,fct,www,)/sobre?b=2&a=1\n-\nhttp://(pt,fct,)\n");
        check(SurtForm::Prefix, false, input, "http://(pt,fct,www,)/\n-\nhttp://(pt,fct,\n");
        check(SurtForm::Ssurt, false, input, "pt,fct,www,//https:/Sobre?b=2&a=1\n-\npt,fct,//http:/\n");
        check(SurtForm::Page, false, input, "pt,fct)/Sobre?b=2&a=1\n-\npt,fct)/\n");
    }

    #[test]
    fn broken_bytes_and_json() {
        check(
            SurtForm::Dataset,
            true,
            b"fct.pt\n#\n",
            "{\"url\":\"fct.pt\",\"key\":\"(pt,fct,\"}\n{\"url\":\"#\",\"key\":null}\n",
        );
        check(SurtForm::Cdx, false, b"http://a.pt/\xff\n", "pt,a)/%ef%bf%bd\n");
    }
}
