//! Lines out, bars beside them.

use crate::jobs::JobCx;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// One JSON object on a line.
pub(super) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}

/// Hostile text on a terminal: no control characters, no bidi overrides.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Text of at most `most` characters.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = plain(text);
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Runs work with its progress on stderr; Ctrl-C asks it to stop cleanly.
pub(super) fn with_progress<T>(work: impl FnOnce(&JobCx) -> anyhow::Result<T>) -> anyhow::Result<T> {
    with_words(|cx, _| work(cx))
}

/// As [`with_progress`], for work that also says something on its way.
pub(super) fn with_words<T>(work: impl FnOnce(&JobCx, &dyn Fn(String)) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let cx = JobCx::detached();
    stop_on_signal(&cx);
    let bar = ProgressBar::new_spinner();
    let style =
        |template: &str| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let spinner = style("{spinner} {msg} {pos}");
    let counted = style("{spinner} {msg} [{bar:30}] {pos}/{len}");
    let in_bytes = style("{spinner} {msg} [{bar:30}] {bytes}/{total_bytes} {eta}");
    std::thread::scope(|scope| {
        let (done, ended) = crossbeam_channel::bounded::<()>(0);
        let watch = cx.clone();
        let shown = bar.clone();
        scope.spawn(move || {
            let mut last_stage = String::new();
            loop {
                let over = !matches!(
                    ended.recv_timeout(Duration::from_millis(200)),
                    Err(crossbeam_channel::RecvTimeoutError::Timeout)
                );
                let progress = watch.progress();
                // Work that makes itself wait (for room on the disk) would wait
                // for ever: there is no button to go on with.
                if progress.paused && !progress.cancelled {
                    shown.suspend(|| eprintln!("{}", plain(&progress.note)));
                    watch.cancel();
                }
                // Without a terminal the bar is silent; stages are still told.
                if progress.stage != last_stage && !progress.stage.is_empty() {
                    if shown.is_hidden() {
                        eprintln!("{}", progress.stage);
                    }
                    last_stage.clone_from(&progress.stage);
                }
                match progress.total {
                    Some(total) => {
                        shown.set_style(if progress.in_bytes { in_bytes.clone() } else { counted.clone() });
                        shown.set_length(total);
                    }
                    None => shown.set_style(spinner.clone()),
                }
                shown.set_message(match progress.note.as_str() {
                    "" => progress.stage,
                    note => format!("{}: {}", progress.stage, short(note, 60)),
                });
                shown.set_position(progress.done);
                if over {
                    break;
                }
            }
            shown.finish_and_clear();
        });
        let say = |line: String| bar.suspend(|| eprintln!("{line}"));
        let result = work(&cx, &say);
        drop(done);
        result
    })
}

/// The first signal asks to stop, the second one ends the program.
fn stop_on_signal(cx: &JobCx) {
    use std::sync::{Mutex, OnceLock, PoisonError};
    static PRESENT: OnceLock<Mutex<JobCx>> = OnceLock::new();
    let present = PRESENT.get_or_init(|| {
        let result = ctrlc::set_handler(|| {
            let cx = PRESENT.get().map(|cx| cx.lock().unwrap_or_else(PoisonError::into_inner).clone());
            match cx {
                Some(cx) if !cx.is_cancelled() => {
                    eprintln!("\nStopping cleanly; what is in hand is finished first. Press again to end at once.");
                    cx.cancel();
                }
                _ => std::process::exit(130),
            }
        });
        if let Err(error) = result {
            eprintln!("fonds: Ctrl-C cannot be caught ({error}); it will end the program at once");
        }
        Mutex::new(JobCx::detached())
    });
    *present.lock().unwrap_or_else(PoisonError::into_inner) = cx.clone();
}
