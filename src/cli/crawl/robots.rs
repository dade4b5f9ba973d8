//! `fonds robots`: URLs in, allow or deny out.

use crate::cli::output::json_text;
use crate::cli::surt::each_line;
use crate::crawl::RobotsRules;
use crate::scope::RobotsFact;
use crate::uri::{Url, parse_typed_url};
use anyhow::Context;
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Say what a robots.txt allows of the URLs on standard input.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads one URL or path a line and writes `allow` or `deny` a line, `-` where a line is no URL.\n\n\
    Example:\n  \
    echo https://fct.pt/private/a | fonds robots robots.txt --agent fonds --why\n  \
    deny\tline 2: Disallow: /private/"
)]
pub struct RobotsArgs {
    /// The file, as the server sent it.
    #[arg(value_name = "ROBOTS.TXT")]
    pub file: PathBuf,
    /// Who asks: a product name, or a whole User-Agent value.
    #[arg(long, value_name = "NAME")]
    pub agent: String,
    /// HTTP status that the file came with; 4xx allows all, 5xx denies all.
    #[arg(long, value_name = "CODE", default_value_t = 200)]
    pub status: u16,
    /// Add the line that decides, behind a tab.
    #[arg(long)]
    pub why: bool,
    /// Write one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// Writes a verdict for every line.
pub fn run(args: &RobotsArgs, input: &mut dyn BufRead, output: &mut dyn Write) -> anyhow::Result<u8> {
    let body = std::fs::read(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let rules = RobotsRules::from_answer(Some(args.status), &body, &args.agent);
    each_line(input, |line| {
        let url = url_of(line);
        let (verdict, why) = match &url {
            Some(url) => verdict(&rules, url),
            None => ("-", String::new()),
        };
        if args.json {
            writeln!(output, "{}", json_text(&json!({"url": line, "verdict": verdict, "why": why}))?)
        } else if args.why && !why.is_empty() {
            writeln!(output, "{verdict}\t{why}")
        } else {
            writeln!(output, "{verdict}")
        }
    })?;
    output.flush()?;
    Ok(crate::cli::FINE)
}

fn verdict(rules: &RobotsRules, url: &Url) -> (&'static str, String) {
    match rules.fact(url) {
        RobotsFact::Denied { why } => ("deny", why),
        _ => {
            let line = rules.deciding_line(url).map(|(number, line)| format!("line {number}: {line}"));
            ("allow", line.unwrap_or_default())
        }
    }
}

/// A URL, or a path on the host that the file is from.
fn url_of(line: &str) -> Option<Url> {
    match line.trim() {
        path if path.starts_with('/') && !path.starts_with("//") => {
            Url::parse(&format!("http://robots.invalid{path}")).ok()
        }
        text => parse_typed_url(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_verdict_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("robots.txt");
        std::fs::write(&file, "User-agent: *\nDisallow: /private/\nAllow: /private/open\n").unwrap();
        let mut args = RobotsArgs { file, agent: "fonds/0.1".to_owned(), status: 200, why: false, json: false };
        let input = b"https://fct.pt/\nhttps://fct.pt/private/a\n/private/open\n\n";
        let check = |args: &RobotsArgs, expected: &str| {
            let mut output = Vec::new();
            assert_eq!(run(args, &mut &input[..], &mut output).unwrap(), 0);
            assert_eq!(String::from_utf8(output).unwrap(), expected);
        };
        check(&args, "allow\ndeny\nallow\n-\n");
        args.why = true;
        check(&args, "allow\ndeny\tline 2: Disallow: /private/\nallow\tline 3: Allow: /private/open\n-\n");
        args.status = 503;
        let why = "deny\trobots.txt answered with status 503\n";
        check(&args, &format!("{}-\n", why.repeat(3)));
        args.file = dir.path().join("none.txt");
        assert!(run(&args, &mut &input[..], &mut Vec::new()).unwrap_err().to_string().contains("none.txt"));
    }
}
