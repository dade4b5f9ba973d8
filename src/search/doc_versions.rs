//! The content versions of the documents of a segment, in memory: 4 bytes a document.
//!
//! The engine's column gives one number a call, and unpacks it each time; a query asks for those of every document
//! that it finds.

use crate::jobs::{empty_set, lock};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tantivy::index::SegmentId;
use tantivy::postings::BlockSegmentPostings;
use tantivy::{DocId, SegmentReader};

/// No version: none is as high.
const NONE: u32 = u32::MAX;

/// The versions of the documents of one segment, whether these were taken out since or not.
#[derive(Debug)]
pub(super) struct DocVersions {
    of: Vec<u32>,
    highest: u32,
    /// Documents have the order of their versions.
    is_ascending: bool,
}

impl DocVersions {
    fn read(segment: &SegmentReader) -> tantivy::Result<Self> {
        let column = segment.fast_fields().u64("version")?;
        let version = |doc| column.first(doc).and_then(|version| u32::try_from(version).ok()).unwrap_or(NONE);
        let of: Vec<u32> = (0..segment.max_doc()).map(version).collect();
        let highest = of.iter().copied().filter(|version| *version != NONE).max().unwrap_or_default();
        Ok(Self { is_ascending: of.is_sorted(), of, highest })
    }

    /// The version of a document.
    pub fn of_doc(&self, doc: DocId) -> Option<u32> {
        self.of.get(doc as usize).copied().filter(|version| *version != NONE)
    }

    /// The versions of documents that are in the segment still.
    pub fn of_docs(&self, docs: &FixedBitSet, segment: &SegmentReader) -> FixedBitSet {
        let mut versions = empty_set(self.highest as usize + 1);
        let deleted = segment.has_deletes();
        for doc in docs.ones() {
            let is_deleted = deleted && segment.is_deleted(DocId::try_from(doc).unwrap_or(DocId::MAX));
            if let Some(version) = self.of.get(doc).filter(|version| **version != NONE && !is_deleted) {
                versions.insert(*version as usize);
            }
        }
        versions
    }

    /// The documents of some versions that are in the segment still, in ascending order.
    pub fn docs_of(&self, versions: &FixedBitSet, segment: &SegmentReader) -> Vec<DocId> {
        let mut docs = Vec::new();
        let mut add = |doc: usize| {
            let doc = DocId::try_from(doc).unwrap_or(DocId::MAX);
            if !segment.is_deleted(doc) {
                docs.push(doc);
            }
        };
        if !self.is_ascending {
            let is_found = |version: u32| version != NONE && versions.contains(version as usize);
            self.of.iter().enumerate().filter(|(_, version)| is_found(**version)).for_each(|(doc, _)| add(doc));
            return docs;
        }
        let mut begin = 0;
        for version in versions.ones() {
            let left = self.of.get(begin..).unwrap_or_default();
            if left.is_empty() {
                break;
            }
            begin += gallop(left, |of| (*of as usize) < version);
            // A version that was indexed again has several documents, of which one is left.
            let same = self.of.iter().enumerate().skip(begin).take_while(|(_, of)| **of as usize == version);
            same.for_each(|(doc, _)| add(doc));
        }
        docs
    }
}

/// The versions of all segments that were asked for.
#[derive(Default)]
pub(super) struct KnownVersions(Mutex<HashMap<SegmentId, Arc<DocVersions>>>);

impl KnownVersions {
    /// Those of a segment.
    pub fn of(&self, segment: &SegmentReader) -> tantivy::Result<Arc<DocVersions>> {
        let id = segment.segment_id();
        if let Some(known) = lock(&self.0).get(&id) {
            return Ok(Arc::clone(known));
        }
        let versions = Arc::new(DocVersions::read(segment)?);
        lock(&self.0).insert(id, Arc::clone(&versions));
        Ok(versions)
    }
}

/// The place of the first that is not before some point, of values that are in order: quick where it is near the
/// beginning (Bentley and Yao 1976).
pub(super) fn gallop<T>(values: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while values.get(end - 1).is_some_and(&is_before) {
        end *= 2;
    }
    let begin = end / 2;
    let between = values.get(begin..end.min(values.len())).unwrap_or_default();
    begin + between.partition_point(is_before)
}

/// Gives each document of a term with how often it has it; 1 where that was not asked for.
pub(super) fn each_posting(mut postings: BlockSegmentPostings, mut take: impl FnMut(DocId, u32)) {
    loop {
        let (docs, counts) = (postings.docs(), postings.freqs());
        if docs.is_empty() {
            return;
        }
        for (nth, doc) in docs.iter().enumerate() {
            take(*doc, counts.get(nth).copied().unwrap_or(1));
        }
        postings.advance();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::search::{IndexBuilder, IndexMark, StoredPage, TextDocument};

    #[test]
    fn the_first_that_is_not_before_a_point_is_found_at_any_distance() {
        let values: Vec<u32> = (0..40).map(|value| value * 3).collect();
        for length in 0..values.len() {
            for point in 0..125 {
                let place = values[..length].partition_point(|value| *value < point);
                assert_eq!(super::gallop(&values[..length], |value| *value < point), place);
            }
        }
    }

    #[test]
    fn documents_of_versions_are_found_in_any_order_and_without_those_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = IndexBuilder::open(folder.path()).unwrap();
        let mut add = |version: u64| {
            let page = StoredPage { version, title: "word".to_owned(), ..StoredPage::default() };
            builder.add(&TextDocument { page, ..TextDocument::default() }).unwrap();
        };
        [4, 7, 9, 12, 3, 20, 1].into_iter().for_each(&mut add);
        builder.remove(9);
        builder.commit(&IndexMark::default()).unwrap();
        let index = builder.index();
        let mut all = Vec::new();
        for segment in index.reader.searcher().segment_readers() {
            let versions = index.versions_known.of(segment).unwrap();
            let some = [3, 4, 5, 9, 20, 400].into_iter().collect();
            let docs = versions.docs_of(&some, segment);
            assert!(docs.is_sorted());
            all.extend(docs.iter().filter_map(|doc| versions.of_doc(*doc)));
            let docs = docs.iter().map(|doc| *doc as usize).collect();
            assert!(versions.of_docs(&docs, segment).is_subset(&some));
        }
        all.sort_unstable();
        assert_eq!(all, [3, 4, 20]);
    }
}
