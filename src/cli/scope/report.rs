//! `fonds scope report`: what one rule let in, out of logs of any length.

use crate::cli::output::{json_line, plain};
use crate::cli::{FINE, PROBLEMS};
use crate::export::csv_row;
use crate::jobs::{JobCx, counted};
use crate::scope::{Domains, GEOLOCATION_RULE, LogQuestion, LogReport, LogTotals, LoggedHost};
use anyhow::Context;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// List the hosts that a rule let in, outside the own domains.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    fonds scope report scope.log --own-tld uk\n  \
    fonds scope report scope.log.1.gz scope.log --own-tld pt --own-tld com.pt --csv > hosts.csv\n  \
    zcat scope.log.gz | fonds scope report - --own-tld uk --totals --json\n\n\
    Read are scope.log files of Fonds and Heritrix, crawl.log files whose JSON says scopeDecision, and\n\
    either of them compressed by gzip. A host is listed once, however many ports, capitals or lines it\n\
    has; those of a domain stand together.\n\
    Lines of dns: URLs, which fetch no page, count neither as decisions nor as hosts.\n\
    Columns: decisions, host, first URL. The totals come at the end, on standard error.\n\
    Memory: what --memory-mib says holds about 4,500 hosts a MiB; more go to temporary files.\n\
    Exit status 1 says that some lines were no decisions.")]
pub struct ReportArgs {
    /// Logs, or - for standard input.
    #[arg(required = true, value_name = "SCOPE.LOG")]
    pub logs: Vec<PathBuf>,
    /// Domain whose hosts are expected anyway and left out; may be given again.
    #[arg(long = "own-tld", value_name = "DOMAIN")]
    pub own: Vec<String>,
    /// The rule, as logs name it.
    #[arg(long, default_value = GEOLOCATION_RULE)]
    pub rule: String,
    /// Count look-ups of names (dns: lines) as decisions, and their names as hosts.
    #[arg(long)]
    pub with_dns: bool,
    /// Memory for hosts before they go to temporary files.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub memory_mib: u32,
    /// Only the totals, with every rule's decisions.
    #[arg(long)]
    pub totals: bool,
    /// One object a host; with --totals, one object.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Comma-separated values with a head line.
    #[arg(long)]
    pub csv: bool,
}

pub(super) fn run(args: &ReportArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let own = Domains::parse(args.own.iter().map(String::as_str)).map_err(anyhow::Error::msg)?;
    let memory_bytes = args.memory_mib as usize * 1024 * 1024;
    let mut report =
        LogReport::new(LogQuestion { rule: args.rule.clone(), own, with_dns: args.with_dns, memory_bytes });
    for path in &args.logs {
        let name = if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
        let log = open(path, &name, cx)?;
        report.read(&name, log, cx).with_context(|| name.clone())?;
    }
    cx.stage("Listing hosts", None);
    let mut out = BufWriter::new(out);
    if args.csv && !args.totals {
        csv_row(&mut out, &["host", "decisions", "first_url"])?;
    }
    let totals = report.finish(|host| -> anyhow::Result<()> {
        if args.totals {
            return Ok(());
        }
        one_host(args, &host, &mut out)
    })?;
    if args.totals && args.json {
        json_line(&mut out, &totals)?;
    } else if args.totals {
        for (rule, accepted, rejected) in &totals.rules {
            let rule = if rule.is_empty() { "(no rule named)" } else { rule };
            writeln!(out, "{accepted:>12} in {rejected:>12} out  {}", plain(rule))?;
        }
    }
    out.flush()?;
    print_totals(&totals, args);
    Ok(if totals.unread == 0 { FINE } else { PROBLEMS })
}

fn one_host(args: &ReportArgs, host: &LoggedHost, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.json {
        json_line(out, host)
    } else if args.csv {
        Ok(csv_row(out, &[&host.host, &host.decisions.to_string(), &host.first_url])?)
    } else {
        Ok(writeln!(out, "{:>8}  {}  {}", host.decisions, plain(&host.host), plain(&host.first_url))?)
    }
}

fn print_totals(totals: &LogTotals, args: &ReportArgs) {
    let ReportArgs { rule, own, with_dns, .. } = args;
    notice!(
        "{}: {} taken, {} refused; {} let {} in, of which {} under {}",
        counted(totals.lines, "line"),
        totals.accepted,
        totals.rejected,
        plain(rule),
        totals.by_rule_accepted,
        totals.under_own,
        if own.is_empty() { "no domain named".to_owned() } else { plain(&own.join(", ")) },
    );
    let (hosts, domains) = (counted(totals.hosts, "host"), counted(totals.domains, "domain"));
    notice!("{hosts} of {domains} elsewhere, in {}", counted(totals.elsewhere, "line"));
    if totals.dns > 0 && !with_dns {
        notice!("{} of look-ups (dns:) not counted; --with-dns counts them", counted(totals.dns, "line"));
    }
    if totals.without_host > 0 {
        notice!("{} without host, not listed", counted(totals.without_host, "line"));
    }
    if totals.unread > 0 {
        notice!("{} without decision; the first:", counted(totals.unread, "line"));
        totals.unread_examples.iter().for_each(|example| notice!("  {}", plain(example)));
    }
}

/// Opens a log; gzip is known by its first bytes.
fn open(path: &Path, name: &str, cx: &JobCx) -> anyhow::Result<Box<dyn Read>> {
    let (mut raw, total): (Box<dyn Read>, Option<u64>) = if path.as_os_str() == "-" {
        (Box::new(std::io::stdin()), None)
    } else {
        let file = File::open(path).with_context(|| name.to_owned())?;
        let meta = file.metadata().with_context(|| name.to_owned())?;
        anyhow::ensure!(!meta.is_dir(), "{name}: this is a folder; name the log files in it");
        let total = Some(meta.len()).filter(|len| *len > 0 && meta.is_file());
        (Box::new(file), total)
    };
    let mut begin = Vec::new();
    raw.by_ref().take(2).read_to_end(&mut begin).with_context(|| name.to_owned())?;
    let zipped = begin == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(begin).chain(raw);
    // Of a compressed log nobody knows how long it is.
    cx.stage(format!("Reading {}", plain(name)), total.filter(|_| !zipped));
    Ok(if zipped {
        Box::new(flate2::read::MultiGzDecoder::new(std::io::BufReader::new(whole)))
    } else {
        Box::new(whole)
    })
}
