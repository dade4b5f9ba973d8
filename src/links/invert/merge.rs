//! Many sorted runs as one.

use super::row::identity_len;
use super::run::RunReader;
use std::io;

/// The rows of several runs in order, each identity once (the least row of it).
pub(super) struct Merge {
    runs: Vec<RunReader>,
    /// Numbers of runs as a heap: the one with the least row first.
    heap: Vec<usize>,
    row: Vec<u8>,
    identity: usize,
    duplicates: u64,
    started: bool,
}

impl Merge {
    pub(super) fn new(runs: Vec<RunReader>) -> io::Result<Self> {
        let mut merge = Self { runs, heap: Vec::new(), row: Vec::new(), identity: 0, duplicates: 0, started: false };
        for number in 0..merge.runs.len() {
            if merge.runs[number].advance()? {
                merge.heap.push(number);
            }
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(at);
        }
        Ok(merge)
    }

    /// Rows that were left out because an equal one came before.
    pub(super) fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// The present row.
    pub(super) fn row(&self) -> &[u8] {
        &self.row
    }

    /// Goes to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        while let Some(&least) = self.heap.first() {
            let candidate = self.runs[least].row();
            let repeats = self.started && candidate.get(..self.identity) == self.row.get(..self.identity);
            if repeats {
                self.duplicates += 1;
            } else {
                self.row.clear();
                self.row.extend_from_slice(candidate);
                self.identity = identity_len(&self.row)
                    .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "bytes that are no row"))?;
                self.started = true;
            }
            if !self.runs[least].advance()? {
                let last = self.heap.len() - 1;
                self.heap.swap(0, last);
                self.heap.pop();
            }
            self.sift_down(0);
            if !repeats {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut least = at;
            for child in [left, right] {
                if child < self.heap.len() && self.less(child, least) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn less(&self, a: usize, b: usize) -> bool {
        self.runs[self.heap[a]].row() < self.runs[self.heap[b]].row()
    }
}
