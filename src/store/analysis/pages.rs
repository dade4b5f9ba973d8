//! What is kept of each content version, and of all together.

use super::{AnalysisResult, AnalysisStore};
use crate::analysis::entities::{CaseCounts, PageNames};
use crate::analysis::terms::{PageTerm, TermPages};
use fixedbitset::FixedBitSet;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

/// Bytes of a page when unpacked, at most.
const MAX_PAGE_BYTES: usize = 64 << 20;
/// Pages that are read in one step.
const STEP: usize = 512;

/// What is found in the text of a content version by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysedPage {
    /// Its number.
    #[serde(skip)]
    pub version: u64,
    /// Its names.
    pub names: PageNames,
    /// Its terms.
    pub terms: Vec<PageTerm>,
}

/// A page as it is kept, some kilobytes.
#[derive(Debug, Clone)]
pub struct PackedPage {
    version: u64,
    content: Vec<u8>,
}

impl AnalysedPage {
    /// The page as it is kept.
    pub fn pack(&self) -> PackedPage {
        let content = lz4_flex::block::compress_prepend_size(&serde_json::to_vec(self).unwrap_or_default());
        PackedPage { version: self.version, content }
    }

    fn decode(version: u64, kept: &[u8]) -> Option<Self> {
        let (len, packed) = lz4_flex::block::uncompressed_size(kept).ok()?;
        if len > MAX_PAGE_BYTES.min(packed.len().saturating_mul(255).saturating_add(64)) {
            return None;
        }
        let page: Self = serde_json::from_slice(&lz4_flex::block::decompress(packed, len).ok()?).ok()?;
        Some(Self { version, ..page })
    }
}

/// Counts of all pages together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CorpusCounts {
    /// How words are written.
    pub case: CaseCounts,
    /// On how many pages terms are.
    pub terms: TermPages,
}

impl AnalysisStore {
    /// The versions that were analysed: all, and those that other names were searched in.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn analysed(&self, names: &str) -> AnalysisResult<[FixedBitSet; 2]> {
        let conn = self.conn();
        self.of((|| {
            let mut statement = conn.prepare("SELECT version, names = ?1 FROM page")?;
            let mut rows = statement.query([names])?;
            let [mut all, mut outdated] = [FixedBitSet::new(), FixedBitSet::new()];
            while let Some(row) = rows.next()? {
                let (version, is_present): (i64, bool) = (row.get(0)?, row.get(1)?);
                let Ok(version) = usize::try_from(version) else { continue };
                all.grow_and_insert(version);
                if !is_present {
                    outdated.grow_and_insert(version);
                }
            }
            Ok([all, outdated])
        })())
    }

    /// The counts of all pages; empty ones where there are none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn corpus(&self) -> AnalysisResult<CorpusCounts> {
        let conn = self.conn();
        let kept = |name: &str| {
            let found = conn.query_row("SELECT content FROM corpus WHERE name = ?1", [name], |row| row.get(0));
            self.of(match found {
                Err(rusqlite::Error::QueryReturnedNoRows) => Ok(Vec::<u8>::new()),
                found => found,
            })
        };
        Ok(CorpusCounts {
            case: CaseCounts::decode(&kept("case")?).unwrap_or_default(),
            terms: TermPages::decode(&kept("terms")?).unwrap_or_default(),
        })
    }

    /// Keeps pages, and the counts with them: both or none.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn put_pages(&self, pages: &[PackedPage], names: &str, corpus: &CorpusCounts) -> AnalysisResult<()> {
        let mut conn = self.conn();
        self.of((|| {
            let transaction = conn.transaction()?;
            {
                let mut put = transaction
                    .prepare_cached("INSERT OR REPLACE INTO page (version, names, content) VALUES (?1, ?2, ?3)")?;
                for page in pages {
                    put.execute(params![i64::try_from(page.version).unwrap_or(i64::MAX), names, page.content])?;
                }
            }
            put_corpus(&transaction, corpus)?;
            transaction.commit()
        })())
    }

    /// Forgets all pages, as where some of them are gone: counts of all together cannot be taken back.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn forget_pages(&self) -> AnalysisResult<()> {
        let conn = self.conn();
        self.of(conn.execute_batch("BEGIN; DELETE FROM page; DELETE FROM corpus; COMMIT;"))
    }

    /// Calls `each` with pages of these versions, in order. A page that is damaged is left out.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and those of `each`.
    pub fn each_page<E: From<super::AnalysisError>>(
        &self,
        versions: &FixedBitSet,
        mut each: impl FnMut(Vec<AnalysedPage>) -> Result<(), E>,
    ) -> Result<(), E> {
        let versions: Vec<usize> = versions.ones().collect();
        for some in versions.chunks(STEP) {
            let packed = self.packed(some)?;
            let decoded = packed.iter().filter_map(|(version, packed)| AnalysedPage::decode(*version, packed));
            each(decoded.collect())?;
        }
        Ok(())
    }

    fn packed(&self, versions: &[usize]) -> AnalysisResult<Vec<(u64, Vec<u8>)>> {
        let conn = self.conn();
        self.of((|| {
            let mut statement = conn.prepare_cached("SELECT content FROM page WHERE version = ?1")?;
            let mut found = Vec::with_capacity(versions.len());
            for version in versions {
                let mut rows = statement.query([i64::try_from(*version).unwrap_or(i64::MAX)])?;
                if let Some(row) = rows.next()? {
                    found.push((*version as u64, row.get(0)?));
                }
            }
            Ok(found)
        })())
    }
}

fn put_corpus(conn: &Connection, corpus: &CorpusCounts) -> rusqlite::Result<()> {
    let mut put = conn.prepare_cached("INSERT OR REPLACE INTO corpus (name, content) VALUES (?1, ?2)")?;
    put.execute(params!["case", corpus.case.encode()])?;
    put.execute(params!["terms", corpus.terms.encode()])?;
    Ok(())
}
