//! `fonds replay check`.

use crate::cli::campaign::session;
use crate::cli::output::{json_line, plain, with_lines};
use crate::cli::search::query_text::QueryText;
use crate::cli::{FINE, PROBLEMS, WRONG_USE};
use crate::store::ReplayCheck;
use crate::work::{ReplayCheckOptions, ReplayFindings, Report, find_browser};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The advice where there is no browser.
pub(super) const NO_BROWSER: &str = "there is no Chromium on this machine: install one (Debian: chromium, or \
    chromium-headless-shell), or name one with --browser";

/// Open pages in a browser and compare what it shows with what was captured.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds replay check my-archive\n  \
    fonds replay check my-archive 'host:a.pt' --most 50\n  \
    fonds replay check my-archive --json | jq -r '.findings.missing[] | [.url, .why] | @tsv'\n\n\
    Each HTML page with status 200 is opened in a Chromium without a window, which has a profile of its own and gets every\n\
    answer from the archive: bytes as they were captured, nearest in time to the page. Kept are a picture (folder replay of\n\
    the workspace), the share of the captured words that is shown, requests, what was requested and not captured with its\n\
    reason, and errors of scripts. Where a crawler with a browser kept urn:view:, urn:text: or urn:pageinfo: records, the\n\
    page is compared with them. Pages that were opened before are left out, unless --again. A line is printed as soon as\n\
    its page is kept; Ctrl-C keeps what was opened so far.\n\n\
    Exit status: 0 every page was opened, 1 some could not be opened, 2 there is no browser, 130 stopped.")]
pub(super) struct ReplayCheckArgs {
    /// Workspace.
    folder: PathBuf,
    /// Filter of captures, as in fonds captures.
    #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    /// Program of Chromium, Chrome or Edge; one that is found without it.
    #[arg(long, value_name = "PROGRAM")]
    browser: Option<PathBuf>,
    /// At most so many pages.
    #[arg(long, value_name = "N")]
    most: Option<u64>,
    /// Open pages that were opened before as well.
    #[arg(long)]
    again: bool,
    /// Browsers at once.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=16))]
    browsers: u16,
    /// Print one object for each page.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReplayCheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let Some(browser) = find_browser(args.browser.as_deref(), false) else {
        notice!("fonds: {NO_BROWSER}");
        return Ok(WRONG_USE);
    };
    let session = Arc::new(session(&args.folder)?);
    let options = ReplayCheckOptions {
        filter: args.filter.to_string(),
        again: args.again,
        most: args.most,
        browser,
        browsers: usize::from(args.browsers),
    };
    let report = with_lines(|cx, beside_bar| {
        let each = |check: &ReplayCheck| {
            let mut written = Ok(());
            beside_bar(&mut || written = write_page(check, args.json, out));
            written
        };
        session.check_replay(&options, each, cx)
    })?;
    notice!("{}", report.summary());
    Ok(if report.failed > 0 { PROBLEMS } else { FINE })
}

/// Writes a page at once: whoever reads sees how far the work is.
fn write_page(check: &ReplayCheck, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    match json {
        true => json_line(out, check)?,
        false => writeln!(out, "{}", line_of(check))?,
    }
    Ok(out.flush()?)
}

/// A page in one line: words shown, requests, what is missing, errors of scripts, its URL.
fn line_of(check: &ReplayCheck) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let findings: ReplayFindings = serde_json::from_value(check.findings.clone()).unwrap_or_default();
    let mut line = format!(
        "{} of words\t{} requested\t{} missing\t{} script errors\t{}",
        share(check.words),
        check.requested,
        check.missing,
        check.script_errors,
        plain(&check.url)
    );
    if let Some(crawler) = findings.crawler {
        line.push_str(&format!("\tpicture {}, text {} as at the crawl", share(crawler.picture), share(crawler.text)));
    }
    for missing in &findings.missing {
        line.push_str(&format!("\n\t{}\t{}", plain(&missing.url), plain(&missing.why)));
    }
    line
}
