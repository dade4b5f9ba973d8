//! Writes the events of a launch into its catalogue and its log.
//!
//! events.log has one line an event: time, kind, host, URL, status and text,
//! separated by blanks. Absent values are `-`; only the text has blanks.

use crate::crawl::logs::crawl_log::{escape, escape_last};
use crate::crawl::logs::line_file::LineFile;
use crate::crawl::{CrawlError, CrawlEvent, CrawlStats, Ledger};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Events are written at the latest after this time.
const EVERY: Duration = Duration::from_millis(500);
/// Events that wait for a catalogue that cannot be written to.
const MAX_BACKLOG: usize = 10_000;

/// Takes events out of the statistics of a launch and writes them.
pub(in crate::crawl) struct EventWriter<'a> {
    stats: &'a CrawlStats,
    ledger: &'a dyn Ledger,
    state: Mutex<WriterState>,
}

struct WriterState {
    log: LineFile,
    written: Option<Instant>,
    /// Rows that could not be written yet.
    rows: VecDeque<CrawlEvent>,
}

impl<'a> EventWriter<'a> {
    /// Opens events.log in the folder, which is made if missing.
    pub(in crate::crawl) fn open(
        folder: &Path,
        stats: &'a CrawlStats,
        ledger: &'a dyn Ledger,
    ) -> Result<Self, CrawlError> {
        fs::create_dir_all(folder).map_err(|source| CrawlError::io(folder, source))?;
        let path = folder.join("events.log");
        let log = LineFile::open(&path).map_err(|source| CrawlError::io(&path, source))?;
        let state = WriterState { log, written: None, rows: VecDeque::new() };
        Ok(Self { stats, ledger, state: Mutex::new(state) })
    }

    /// Writes what there is, if some time has gone since the last time.
    pub(in crate::crawl) fn flush_sometimes(&self) {
        let is_due = |written: Instant| written.elapsed() >= EVERY;
        if self.lock().written.is_none_or(is_due) {
            self.flush();
        }
    }

    /// Writes what there is. What cannot be written is written later.
    pub(in crate::crawl) fn flush(&self) {
        self.write(false);
    }

    fn write(&self, all: bool) {
        let mut state = self.lock();
        state.written = Some(Instant::now());
        let events = self.stats.take_events(all);
        let lines: String = events.iter().map(line).collect();
        // The file keeps what cannot be written; others report a full disk.
        let _ = state.log.add(&lines);
        state.rows.extend(events);
        if !state.rows.is_empty() && self.ledger.keep_events(state.rows.iter().cloned().collect()).is_ok() {
            state.rows.clear();
        }
        let over = state.rows.len().saturating_sub(MAX_BACKLOG);
        state.rows.drain(..over);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for EventWriter<'_> {
    /// Writes all that is left, however the launch ended.
    fn drop(&mut self) {
        self.write(true);
    }
}

/// The line of an event, with its end.
fn line(event: &CrawlEvent) -> String {
    let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { escape(text) };
    let status = if event.status == 0 { "-".to_owned() } else { event.status.to_string() };
    format!(
        "{} {} {} {} {status} {}\n",
        event.date.to_log(),
        event.kind.name(),
        or_dash(&event.host),
        or_dash(&event.url),
        escape_last(&event.text),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::EventKind;
    use crate::uri::CaptureDate;

    #[test]
    fn hostile_text_stays_on_its_line() {
        let mut event = CrawlEvent::new(EventKind::Host, "no\nanswer\r from {\"a\":1}\u{2028}x");
        event.date = CaptureDate::from_millis(0);
        assert_eq!(line(&event), "1970-01-01T00:00:00.000Z host - - - no_answer_ from {\"a\":1}_x\n");
        event.url = "http://a.example/ b\tc".to_owned();
        let event = event.of_host("a.example").with_status(-2);
        assert!(line(&event).contains(" host a.example http://a.example/%20b_c -2 no_answer_"), "{}", line(&event));
    }
}
