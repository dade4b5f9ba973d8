//! The anchors of each document as one number, so that those that changed are
//! found without a text being read.

use super::text_index::{TextIndex, TextIndexError, engine};
use sha1::{Digest as _, Sha1};

/// A number of anchors that others do not have, the same in all versions of
/// the program; 0 of none.
pub fn anchor_stamp(anchors: &[String]) -> u64 {
    if anchors.is_empty() {
        return 0;
    }
    let mut sum = Sha1::new();
    for anchor in anchors {
        sum.update(anchor);
        sum.update([0]);
    }
    let bytes = sum.finalize();
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl TextIndex {
    /// Gives the number of each version with the [`anchor_stamp`] of the
    /// anchors that are indexed of it.
    ///
    /// # Errors
    ///
    /// [`TextIndexError::Engine`].
    pub fn each_anchor_stamp(&self, mut each: impl FnMut(u64, u64)) -> Result<(), TextIndexError> {
        let engine = engine(&self.folder);
        for segment in self.reader.searcher().segment_readers() {
            let column = |name| segment.fast_fields().u64(name).map_err(&engine);
            let (versions, stamps) = (column("version")?, column("anchor_stamp")?);
            for doc in segment.doc_ids_alive() {
                if let Some(version) = versions.first(doc) {
                    each(version, stamps.first(doc).unwrap_or_default());
                }
            }
        }
        Ok(())
    }
}
