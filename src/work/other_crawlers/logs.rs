//! The logs of a job: what each run of it saw, took, refused and fetched.

use super::EngineLaunch;
use crate::crawl::CrawlLogLine;
use crate::jobs::JobCx;
use crate::scope::{Decision, ScopeLine, Verdict};
use crate::store::rows::{CampaignId, LaunchId};
use crate::store::{LoggedFate, LoggedUrl, UnderWay, Workspace, job_name};
use crate::uri::{CaptureDate, parse_web_url};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A longer line is no line of a log; it is counted, not read.
const MAX_LINE_BYTES: u64 = 1024 * 1024;
/// Lines, and bytes of them, that go to the catalogue at once: the more there
/// are the fewer pages are written twice, but whoever writes, too, waits for them.
const BATCH: usize = 20_000;
const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Unread lines that are listed of one log.
pub(super) const EXAMPLES: usize = 20;
/// Deeper folders hold no logs.
const MAX_DEPTH: usize = 6;

/// Counts of a log that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LogCount {
    /// The file, as a path in the job's folder.
    pub file: String,
    /// Lines, empty ones not counted.
    pub lines: u64,
    /// Lines of URLs of the web.
    pub urls: u64,
    /// Lines of other URLs, such as `dns:`, which no capture has.
    pub others: u64,
    /// Of all lines: those with a decision of the scope.
    pub decisions: u64,
    /// Lines that could not be read.
    pub unread: u64,
    /// The first of them: file, line, and why.
    pub unread_examples: Vec<String>,
}

/// Reads all logs of a job into launches of its campaign.
pub(super) fn read(
    workspace: &Workspace,
    campaign: CampaignId,
    folder: &Path,
    name: &str,
    cx: &JobCx,
) -> anyhow::Result<Vec<EngineLaunch>> {
    let mut found = Vec::new();
    find(folder, 0, &mut found);
    let mut runs: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for log in found {
        let parent = log.parent().unwrap_or(folder);
        let run = match parent.file_name().is_some_and(|name| name == "logs") {
            true => parent.parent().unwrap_or(folder),
            false => parent,
        };
        runs.entry(run.to_owned()).or_default().push(log);
    }
    let size = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len());
    cx.stage_in_bytes("Reading logs", Some(runs.values().flatten().map(size).sum()));
    let job = job_name(name);
    let mut launches = Vec::new();
    let _bulk = workspace.catalogue().begin_bulk()?;
    for (run, mut logs) in runs {
        // Decisions before fetches; a log that was closed before the one in use.
        logs.sort_by_key(|log| {
            let name = log.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            (!name.starts_with("scope"), name.ends_with(".log"), name)
        });
        let stem = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_date = stem.len() >= 14 && stem.bytes().all(|byte| byte.is_ascii_digit());
        let mut taking = Taking {
            workspace,
            campaign,
            job: &job,
            name: is_date.then_some(stem),
            launch: None,
            new_urls: 0,
            last: None,
            batch: Vec::new(),
            batch_bytes: 0,
            under_way: None,
        };
        let mut counts = Vec::new();
        for log in logs {
            let file = log.strip_prefix(folder).unwrap_or(&log).display().to_string();
            cx.note(file.clone());
            counts.push(one_log(&log, file, &mut taking, cx)?);
        }
        taking.finish()?;
        if let Some(launch) = taking.launch {
            let why = format!("imported from {}", run.display());
            workspace.catalogue().end_engine_launch(launch, taking.last.unwrap_or_default(), &why)?;
            launches.push(EngineLaunch {
                launch,
                name: taking.name.unwrap_or_default(),
                new_urls: taking.new_urls,
                logs: counts,
            });
        } else if counts.iter().any(|count| count.lines > 0) {
            // Nothing of it could be read; the launch lists that.
            launches.push(EngineLaunch {
                launch: LaunchId::default(),
                name: run.display().to_string(),
                new_urls: 0,
                logs: counts,
            });
        }
    }
    Ok(launches)
}

fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        // “latest” is a link to a run that is read anyway.
        let Ok(meta) = path.symlink_metadata() else { continue };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_log = name.starts_with("crawl.log")
            || name.starts_with("scope.log")
            || (name.contains("crawled") && name.ends_with(".jsonl"));
        if meta.is_dir() && depth < MAX_DEPTH {
            find(&path, depth + 1, found);
        } else if meta.is_file() && is_log && !name.ends_with(".lck") {
            found.push(path);
        }
    }
}

/// A launch that lines are put into.
struct Taking<'a> {
    workspace: &'a Workspace,
    campaign: CampaignId,
    job: &'a str,
    name: Option<String>,
    launch: Option<LaunchId>,
    new_urls: u64,
    last: Option<CaptureDate>,
    batch: Vec<LoggedUrl>,
    batch_bytes: usize,
    /// The lines before, which are written while more are read.
    under_way: Option<UnderWay<u64>>,
}

impl Taking<'_> {
    /// Takes a line of so many bytes.
    fn take(&mut self, url: LoggedUrl, len_bytes: usize) -> anyhow::Result<()> {
        self.batch.push(url);
        self.batch_bytes += len_bytes;
        if self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// The first line that can be read begins the launch.
    fn seen(&mut self, date: CaptureDate) -> anyhow::Result<()> {
        self.last = self.last.max(Some(date));
        if self.launch.is_none() {
            let name = self.name.get_or_insert_with(|| date.to_digits14());
            let started = CaptureDate::parse(name).unwrap_or(date);
            self.launch = Some(self.workspace.catalogue().engine_launch(self.campaign, self.job, name, started)?);
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.wait()?;
        if let Some(launch) = self.launch {
            self.batch_bytes = 0;
            let lines = std::mem::take(&mut self.batch);
            self.under_way = Some(self.workspace.catalogue().take_logged(launch, lines)?);
        }
        Ok(())
    }

    fn wait(&mut self) -> anyhow::Result<()> {
        if let Some(under_way) = self.under_way.take() {
            self.new_urls += under_way.wait()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.wait()
    }
}

fn one_log(path: &Path, file: String, taking: &mut Taking<'_>, cx: &JobCx) -> anyhow::Result<LogCount> {
    let size = path.metadata().map_or(0, |meta| meta.len());
    let is_scope = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("scope"));
    let mut count = LogCount { file, ..LogCount::default() };
    let (zipped, mut log) = match open(path) {
        Ok(opened) => opened,
        Err(error) => {
            unread(&mut count, 1, &format!("the log cannot be opened: {error}"));
            cx.advance(size)?;
            return Ok(count);
        }
    };
    let (mut line, mut number, mut reported_bytes) = (Vec::new(), 0_u64, 0_u64);
    loop {
        line.clear();
        let read = match log.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(read) => read as u64,
            Err(error) => {
                // What was read before the file broke off stays.
                unread(&mut count, number + 1, &format!("the file breaks off here: {error}"));
                break;
            }
        };
        if read == 0 {
            break;
        }
        number += 1;
        if !zipped {
            cx.advance(read)?;
            reported_bytes += read;
        } else {
            cx.checkpoint()?;
        }
        if read == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            unread(&mut count, number, "the line is too long");
            if let Err(error) = skip_line(&mut log) {
                unread(&mut count, number, &format!("the file breaks off here: {error}"));
                break;
            }
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() {
            continue;
        }
        count.lines += 1;
        match if is_scope { of_scope_log(text) } else { of_crawl_log(text) } {
            Err(why) => {
                count.lines -= 1;
                unread(&mut count, number, &why);
            }
            Ok((date, decided, url)) => {
                taking.seen(date)?;
                count.decisions += u64::from(decided);
                match url {
                    Some(url) => {
                        count.urls += 1;
                        taking.take(url, line.len())?;
                    }
                    None => count.others += 1,
                }
            }
        }
    }
    cx.advance(size.saturating_sub(reported_bytes))?;
    Ok(count)
}

/// A log, and whether it was compressed.
fn open(path: &Path) -> std::io::Result<(bool, Box<dyn BufRead>)> {
    let mut raw = BufReader::new(File::open(path)?);
    let zipped = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(match zipped {
        true => (true, Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(raw)))),
        false => (false, Box::new(raw)),
    })
}

fn unread(count: &mut LogCount, number: u64, why: &str) {
    count.lines += 1;
    count.unread += 1;
    if count.unread_examples.len() < EXAMPLES {
        count.unread_examples.push(format!("{}:{number}: {why}", count.file));
    }
}

fn skip_line(log: &mut dyn BufRead) -> std::io::Result<()> {
    loop {
        let buffer = log.fill_buf()?;
        let (used, over) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        log.consume(used);
        if over {
            return Ok(());
        }
    }
}

/// Date, whether the line has a decision of the scope, and the URL if it is one of the web.
type Logged = (CaptureDate, bool, Option<LoggedUrl>);

fn of_scope_log(text: &str) -> Result<Logged, String> {
    let line = match ScopeLine::parse(text) {
        Ok(line) => line,
        Err(error) => old_scope_line(text).ok_or_else(|| error.to_string())?,
    };
    let extra = |name: &str| line.extra.as_ref().and_then(|extra| extra.get(name)?.as_str()).map(str::to_owned);
    let url = parse_web_url(&line.url).map(|url| LoggedUrl {
        url,
        via: extra("via").as_deref().and_then(parse_web_url),
        hops: extra("hopPath").unwrap_or_default(),
        seed: extra("seed").filter(|seed| !seed.is_empty()),
        source_tag: String::new(),
        verdict: Some(line.verdict.clone()),
        fate: LoggedFate::Decided,
        date: line.date,
    });
    Ok((line.date, true, url))
}

/// `<time> ACCEPT <url>`: what a scope wrote before rules were named.
fn old_scope_line(text: &str) -> Option<ScopeLine> {
    let mut fields = text.splitn(3, ' ');
    let date = CaptureDate::parse(fields.next()?).ok()?;
    let decision = match fields.next()? {
        "ACCEPT" => Decision::Accept,
        "REJECT" => Decision::Reject,
        _ => return None,
    };
    let verdict = Verdict { decision, rule_index: None, rule_name: String::new() };
    Some(ScopeLine { date, verdict, url: fields.next()?.to_owned(), extra: None })
}

fn of_crawl_log(text: &str) -> Result<Logged, String> {
    let line = if text.starts_with('{') { CrawlLogLine::parse_stream(text)? } else { CrawlLogLine::parse(text)? };
    let verdict = line.scope_decision();
    let decided = verdict.is_some();
    let fate = match line.status {
        // Out of scope, blocked by a person or a processor, denied by robots.txt.
        -5002..=-5000 | -9998 => LoggedFate::Refused(line.status),
        status if status > 0 => LoggedFate::Fetched(status),
        status => LoggedFate::Failed(status, status_text(status).to_owned()),
    };
    let is_seed = line.hops.is_empty() && line.via.is_none();
    let url = line.web_url().map(|url| LoggedUrl {
        seed: is_seed.then(|| line.url.clone()),
        url,
        via: line.via.as_deref().and_then(parse_web_url),
        hops: line.hops.clone(),
        source_tag: line.source_tag.clone(),
        verdict,
        fate,
        date: line.started.unwrap_or(line.logged),
    });
    Ok((line.logged, decided, url))
}

/// The meaning of a fetch status below one (`FetchStatusCodes`).
fn status_text(status: i32) -> &'static str {
    match status {
        0 => "never tried",
        -1 => "the name could not be looked up",
        -2 => "no connection",
        -3 => "the connection broke",
        -4 => "no answer in time",
        -5 => "an error in the crawler",
        -6 => "the name could not be looked up before",
        -7 => "not to be fetched: the address or its scheme is not supported",
        -8 => "too many tries",
        -50 => "waited for something else",
        -60 => "could not be queued",
        -61 => "robots.txt could not be fetched before",
        -62 | -63 => "something it needs could not be fetched before",
        -404 => "an empty answer, taken for “not found”",
        -3000 => "a serious error in the crawler",
        -4000 => "taken for a trap",
        -4001 => "too many links from its seed",
        -4002 => "too many embeds from its seed",
        -5003 => "a quota was used up",
        -5004 => "the time was used up",
        -6000 => "taken out by a person",
        -7000 => "its worker was ended",
        _ => "no answer",
    }
}
