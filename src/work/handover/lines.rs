//! Documents of a handover read back: JSON, and JSON lines that may be packed.

use anyhow::Context;
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longest line, and longest document, that is read.
const MOST_BYTES: u64 = 16 << 20;

/// A JSON document.
///
/// # Errors
///
/// A file that cannot be read or is no such document, with its path.
pub(super) fn document<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let at = || path.display().to_string();
    let mut text = String::new();
    File::open(path).with_context(at)?.take(MOST_BYTES).read_to_string(&mut text).with_context(at)?;
    serde_json::from_str(&text).with_context(at)
}

/// Hands out the lines of a file, whose name ends in `.gz` where it is packed;
/// none where there is no file.
///
/// # Errors
///
/// A file that cannot be read, a line that is no such line, and what `each`
/// fails with: each with path and line.
pub(super) fn each_line<T: DeserializeOwned>(
    path: Option<&Path>,
    mut each: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut lines: Box<dyn BufRead> = match path.extension().is_some_and(|ending| ending == "gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(file)))),
        false => Box::new(BufReader::new(file)),
    };
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let at = || format!("{}, line {number}", path.display());
        if (&mut lines).take(MOST_BYTES).read_until(b'\n', &mut line).with_context(at)? == 0 {
            break;
        }
        each(serde_json::from_slice(&line).with_context(at)?).with_context(at)?;
    }
    Ok(())
}
