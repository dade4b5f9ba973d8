//! Lines out, bars beside them.

use crate::export::{CompressedWriter, compression_by_name};
use crate::jobs::{Existing, FileError, JobCx, Pace, WholeFile, disk_full_advice, is_disk_full, remove_left};
use crate::uri::{escape_controls, is_obeyed, printable};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The workspace of the command, as it was named.
static WORKSPACE: OnceLock<PathBuf> = OnceLock::new();

/// Notes which workspace the command is about: messages then name it in the commands that they
/// offer.
pub(super) fn set_workspace(folder: &Path) {
    // The first one is the command's own; it may look into others.
    drop(WORKSPACE.set(folder.to_owned()));
}

/// Replaces `DIR` in the commands of a message (`fonds index DIR`) by the folder: rooms that write such
/// messages know of no folder.
fn with_folder(message: &str, folder: &Path) -> String {
    let name = folder.display().to_string();
    let name = if name.contains([' ', '\'']) { format!("'{}'", name.replace('\'', "'\\''")) } else { name };
    let mut parts = message.split("fonds ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("fonds ");
        // The command itself: subcommands in small letters, then the folder.
        match part.split_once(" DIR") {
            Some((command, rest))
                if command.chars().all(|c| c.is_ascii_lowercase() || c == ' ' || c == '-')
                    && !rest.starts_with(char::is_alphanumeric) =>
            {
                out.push_str(&format!("{command} {name}{rest}"));
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// A line on standard error, if anybody takes it; hostile text in it does no harm.
pub(super) fn print_notice(message: &str) {
    let message = WORKSPACE.get().map_or_else(|| message.to_owned(), |folder| with_folder(message, folder));
    drop(io::stderr().write_all(format!("{}\n", plain_lines(&message)).as_bytes()));
}

/// Warnings of one kind that are written; those after them are counted.
const MAX_WARNINGS: u64 = 100;

/// The number of warnings so far, by kind.
static WARNINGS: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// A line on standard error, one of possibly very many of its kind.
pub(super) fn warn(kind: &'static str, text: &str) {
    let mut warnings = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let count = warnings.entry(kind).or_default();
    *count += 1;
    if *count <= MAX_WARNINGS {
        print_notice(text);
    }
}

/// Says of a file that it is empty, where it is: whoever gets nothing is to know why.
pub(super) fn report_if_empty(file: &Path) -> bool {
    let is_empty = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
    if is_empty {
        print_notice(&format!("fonds: {}: there is nothing in it", plain(&file.display().to_string())));
    }
    is_empty
}

/// Prints how many warnings of each kind were not written.
pub(super) fn end_warnings() {
    let warnings = std::mem::take(&mut *WARNINGS.lock().unwrap_or_else(PoisonError::into_inner));
    for (kind, count) in warnings.into_iter().filter(|(_, count)| *count > MAX_WARNINGS) {
        notice!("… and {} more of this kind: {kind}", count - MAX_WARNINGS);
    }
}

/// Writes a JSON object on a line.
pub(super) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> anyhow::Result<()> {
    // As one text: an error of a writer inside serde_json hides that a pipe is closed.
    writeln!(out, "{}", json_text(value)?)?;
    Ok(())
}

/// A value as JSON on one line, without characters that a terminal obeys.
pub(super) fn json_text(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escape_controls)
}

/// Has `write` write into a file, compressed by its name, or to `out`. The
/// file gets its name when it is whole: a call that fails or is stopped leaves
/// nothing; one that is killed, a hidden file that ends in `.open`, which the
/// next call for the same file takes away. A device or a pipe is written to as it is.
pub(super) fn to_file<T>(
    path: Option<&Path>,
    existing: Existing,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let Some(path) = path else { return write(out) };
    in_file(path, existing, |file| {
        let mut file = CompressedWriter::new(compression_by_name(path), file);
        let written = write(&mut file)?;
        file.finish()?;
        Ok(written)
    })
}

/// Has `write` write into a file as [`to_file`] does, without compression.
pub(super) fn in_file<T>(
    path: &Path,
    existing: Existing,
    write: impl FnOnce(&mut NamedFile<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let of_path = |error: io::Error| anyhow::Error::from(named(path, &error));
    let of_file = |error: FileError| match error.source.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow::anyhow!("{}: File exists. Choose a file that does not exist yet", path.display())
        }
        _ => of_path(error.source),
    };
    let present = path.metadata().ok();
    if present.as_ref().is_some_and(|present| !present.is_file()) && existing == Existing::IsReplaced {
        let mut file = BufWriter::new(File::options().write(true).open(path).map_err(of_path)?);
        let written = write(&mut NamedFile { file: &mut file, path })?;
        file.flush().map_err(of_path)?;
        return Ok(written);
    }
    // Behind a link: the file that it leads to is replaced, not the link.
    let is_followed = present.is_some() && existing == Existing::IsReplaced;
    let goal = if is_followed { path.canonicalize().map_err(of_path)? } else { path.to_owned() };
    remove_left([&goal]);
    let mut file = WholeFile::create_hidden(&goal, existing).map_err(of_file)?;
    let written = write(&mut NamedFile { file: &mut file, path })?;
    if let Some(present) = present {
        file.set_permissions(present.permissions()).map_err(of_file)?;
    }
    file.finish().map_err(of_file)?;
    Ok(written)
}

/// A file whose write errors name its path and, where the disk is full, the next step.
pub(super) struct NamedFile<'f> {
    file: &'f mut (dyn Write + Send),
    path: &'f Path,
}

impl Write for NamedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| named(self.path, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(self.path, &error))
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    match is_disk_full(error) {
        true => io::Error::new(error.kind(), format!("{}: {}", path.display(), disk_full_advice(path, error))),
        false => io::Error::new(error.kind(), format!("{}: {error}", path.display())),
    }
}

/// Hostile text on a terminal, as one line: what a terminal obeys becomes “\u{fffd}”.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// A text as [`plain`] makes it, but for lines and tabs, which stay.
fn plain_lines(text: &str) -> String {
    let mut plain_text = String::with_capacity(text.len());
    for part in text.split_inclusive(['\n', '\t']) {
        let end = part.strip_suffix(['\n', '\t']);
        // A return alone would write over the line; before a line's end it is not needed.
        plain_text.push_str(&plain(end.unwrap_or(part).trim_end_matches('\r')));
        plain_text.extend(end.and(part.chars().last()));
    }
    plain_text
}

/// Writes hostile text to a terminal or a pipe: control characters and what is
/// no text become “\u{fffd}”; lines and tabs stay.
pub(super) struct Harmless<'a> {
    out: &'a mut dyn Write,
    /// The beginning of a character that is not whole yet.
    pending: Vec<u8>,
    /// The function that text passes.
    shown: fn(&str) -> String,
}

impl<'a> Harmless<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, pending: Vec::new(), shown: plain_lines }
    }

    /// A writer for a pipe: the marks that scripts are written with stay.
    pub(super) fn piped(out: &'a mut dyn Write) -> Self {
        Self { shown: |text| printable(text).into_owned(), ..Self::new(out) }
    }
}

impl Write for Harmless<'_> {
    fn write(&mut self, new: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(new);
        let bytes = std::mem::take(&mut self.pending);
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(&(self.shown)(chunk.valid()));
            let is_begin =
                chunks.peek().is_none() && std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            match chunk.invalid() {
                [] => {}
                begin if is_begin => self.pending = begin.to_vec(),
                _ => text.push('\u{fffd}'),
            }
        }
        self.out.write_all(text.as_bytes())?;
        Ok(new.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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

/// Runs work with its progress on stderr; Ctrl-C stops it cleanly.
pub(super) fn with_progress<T>(work: impl FnOnce(&JobCx) -> anyhow::Result<T>) -> anyhow::Result<T> {
    with_text(|cx, _| work(cx))
}

/// Runs work as [`with_progress`] does, for work that also prints lines on its way.
pub(super) fn with_text<T>(work: impl FnOnce(&JobCx, &dyn Fn(String)) -> anyhow::Result<T>) -> anyhow::Result<T> {
    with_bar(|cx, bar| work(cx, &|line| bar.suspend(|| notice!("{line}"))))
}

/// Runs work as [`with_progress`] does, for work that writes its results on its way: by the
/// function given, so that lines and bar do not mix on a terminal.
pub(super) fn with_lines<T>(
    work: impl FnOnce(&JobCx, &dyn Fn(&mut dyn FnMut())) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mixes = io::stdout().is_terminal();
    with_bar(|cx, bar| work(cx, &|write| if mixes { bar.suspend(write) } else { write() }))
}

pub(super) fn with_bar<T>(work: impl FnOnce(&JobCx, &ProgressBar) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let cx = JobCx::detached();
    stop_on_signal(&cx);
    let bar = ProgressBar::new_spinner();
    let style =
        |template: &str| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let spinner = style("{spinner} {msg} {pos} {prefix}");
    let counted = style("{spinner} {msg} [{bar:30}] {pos}/{len} {prefix}");
    let in_bytes = style("{spinner} {msg} [{bar:30}] {decimal_bytes}/{decimal_total_bytes} {prefix}");
    std::thread::scope(|scope| {
        let (done, ended) = crossbeam_channel::bounded::<()>(0);
        let watch = cx.clone();
        let shown = bar.clone();
        scope.spawn(move || {
            let mut last_stage = String::new();
            let mut pace = Pace::default();
            loop {
                let over = !matches!(
                    ended.recv_timeout(Duration::from_millis(200)),
                    Err(crossbeam_channel::RecvTimeoutError::Timeout)
                );
                let progress = watch.progress();
                pace.sample(&progress);
                shown.set_prefix(pace.summary(&progress));
                // Without a terminal the bar is silent; stages are still printed.
                if progress.stage != last_stage && !progress.stage.is_empty() {
                    if shown.is_hidden() {
                        notice!("{}", progress.stage);
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
                shown.set_message(match (progress.obstacle.as_str(), progress.note.as_str()) {
                    ("", "") => plain(&progress.stage),
                    ("", note) => format!("{}: {}", plain(&progress.stage), short(note, 60)),
                    // The reason for a pause is printed in full.
                    (obstacle, _) => format!("{}: {}", plain(&progress.stage), plain(obstacle)),
                });
                shown.set_position(progress.done);
                if over {
                    break;
                }
            }
            shown.finish_and_clear();
        });
        let result = work(&cx, &bar);
        drop(done);
        result
    })
}

/// Handles signals: the first one stops the work, the second one ends the program.
fn stop_on_signal(cx: &JobCx) {
    use std::sync::Once;
    static PRESENT: Mutex<Option<JobCx>> = Mutex::new(None);
    static HANDLER: Once = Once::new();
    // Set before a signal can need it.
    *PRESENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.clone());
    HANDLER.call_once(|| {
        let result = ctrlc::set_handler(|| {
            let cx = PRESENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match cx {
                Some(cx) if !cx.is_cancelled() => {
                    notice!("\nStopping cleanly; what is in hand is finished first. Press again to end at once.");
                    cx.cancel();
                }
                _ => std::process::exit(130),
            }
        });
        if let Err(error) = result {
            notice!("fonds: Ctrl-C cannot be caught ({error}); it will end the program at once");
        }
    });
}

/// The output of a command, which has to end with this status.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[track_caller]
pub(super) fn written(status: u8, run: impl FnOnce(&mut dyn Write) -> anyhow::Result<u8>) -> String {
    let mut out = Vec::new();
    let found = run(&mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(found, status, "{out}");
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_offered_names_the_workspace() {
        let of = |message: &str| with_folder(message, Path::new("my archive"));
        assert_eq!(of("build it: fonds index DIR. Or not"), "build it: fonds index 'my archive'. Or not");
        assert_eq!(of("fonds scope attach DIR 1 2 FILE, DIR"), "fonds scope attach 'my archive' 1 2 FILE, DIR");
        assert_eq!(of("of fonds “a” in DIR"), "of fonds “a” in DIR");
        assert_eq!(of("fonds verify DIRECTORY"), "fonds verify DIRECTORY");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_link_and_the_mode_of_a_replaced_file_stay() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        let put =
            |path: &Path, text: &str| in_file(path, Existing::IsReplaced, |out| Ok(out.write_all(text.as_bytes())?));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        put(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        // A failed write leaves the file alone, and the error names it.
        let failed = in_file(&file, Existing::IsReplaced, |_| -> anyhow::Result<()> { anyhow::bail!("no") });
        assert_eq!(
            (failed.unwrap_err().to_string().as_str(), std::fs::read_to_string(&file).unwrap().as_str()),
            ("no", "new")
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let full = Path::new("/dev/full");
        let error = put(full, "new").unwrap_err().to_string();
        assert!(error.starts_with("/dev/full: No space"), "{error}");
        assert!(full.metadata().unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        let check = |bytes: &[u8], expected: &str| {
            for size in [1, 2, 100] {
                let mut out = Vec::new();
                let mut harmless = Harmless::new(&mut out);
                bytes.chunks(size).for_each(|piece| harmless.write_all(piece).unwrap());
                let text = String::from_utf8(out).unwrap();
                assert_eq!(text.replace('\u{fffd}', "?"), expected, "in pieces of {size}");
            }
        };
        check("a\tb\nçã€😀\n".as_bytes(), "a\tb\nçã€😀\n");
        check(b"\x1b[31mred\x07\x7f", "?[31mred??");
        check("\u{9b}31m\u{202e}txt".as_bytes(), "?31m?txt");
        check(b"\xff\xfeab\xc3", "??ab");
        check(b"\xc3(", "?(");
        check("\u{85}\u{200f}\u{2067}\u{61c}".as_bytes(), "????");
    }

    #[test]
    fn json_lines_hold_no_raw_control_characters() {
        let text = "a\u{9b}31m\u{7f}\u{85}\n\u{202e}\u{2066}\u{200f}\u{61c}é😀";
        let mut line = Vec::new();
        json_line(&mut line, &[text]).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line, "[\"a\\u009b31m\\u007f\\u0085\\n\\u202e\\u2066\\u200f\\u061cé😀\"]\n");
        assert_eq!(serde_json::from_str::<[String; 1]>(&line).unwrap(), [text]);
    }
}
