//! The letters of titles and URLs, for filters that look for a part of them in memory.

use crate::search::{CaptureLetters, LettersOf};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::lossy;
use crate::store::filter::decoded;
use crate::text::fold_letters;

impl Catalogue {
    /// Puts the texts of captures into letters that lack them, folded as filters fold them.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn fill_letters(&self, of: LettersOf, letters: &mut CaptureLetters) -> Result<(), StoreError> {
        let sql = match of {
            LettersOf::Titles => "SELECT c.id, c.title FROM capture c WHERE c.id > ?1 ORDER BY c.id",
            LettersOf::Urls => {
                "SELECT c.id, u.url FROM capture c JOIN url u ON u.id = c.url WHERE c.id > ?1 ORDER BY c.id"
            }
        };
        self.read(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let mut rows = statement.query([letters.newest()])?;
            while let Some(row) = rows.next()?.filter(|_| !letters.is_too_long()) {
                let capture = row.get(0)?;
                let text = lossy(row.get_ref(1)?.as_bytes().map_err(rusqlite::Error::from)?);
                letters.push(capture, &fold_letters(&text));
                if of == LettersOf::Urls
                    && let Some(decoded) = decoded(&text)
                {
                    letters.push(capture, &fold_letters(&decoded));
                }
            }
            Ok(())
        })
    }
}
