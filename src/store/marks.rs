//! What persons say about captures. Append-only.

use super::capture_table::{mark_of, mark_word};
use super::catalogue::Catalogue;
use super::rows::{CaptureId, ReviewMark};
use super::workspace::StoreError;
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};

impl Catalogue {
    /// Appends one word about many captures; it is taken back as one.
    pub fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> Result<(), StoreError> {
        let (captures, note, who) = (captures.to_vec(), note.to_owned(), who.to_owned());
        self.write(move |conn| {
            let act: i64 = conn.query_row("SELECT ifnull(max(act), 0) + 1 FROM mark", [], |row| row.get(0))?;
            for capture in captures {
                conn.prepare_cached(
                    "INSERT INTO mark (act, capture, mark, note, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    act,
                    capture,
                    mark_word(mark),
                    note,
                    who,
                    CaptureDate::now().millis()
                ])?;
            }
            Ok(())
        })
    }

    /// Takes back the last word that still holds: what it was and on how
    /// many captures.
    pub fn undo_mark(&self) -> Result<Option<(ReviewMark, u64)>, StoreError> {
        self.write(|conn| {
            let last: Option<(i64, String)> = conn
                .query_row("SELECT act, mark FROM mark WHERE undone_ms IS NULL ORDER BY id DESC LIMIT 1", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            let Some((act, word)) = last else { return Ok(None) };
            let changed = conn.execute(
                "UPDATE mark SET undone_ms = ?2 WHERE act = ?1 AND undone_ms IS NULL",
                params![act, CaptureDate::now().millis()],
            )?;
            Ok(mark_of(&word).map(|mark| (mark, changed as u64)))
        })
    }
}
