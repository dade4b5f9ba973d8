//! Index of blocks: offset and first row of each.

use super::blocks::{Reader, push_number, push_slice, shared_len};

/// First rows, by target and time, in order, with a place in a file for each.
#[derive(Default)]
pub(super) struct Index {
    offsets: Vec<u64>,
    whens: Vec<u64>,
    /// Ends of the targets in `targets`.
    ends: Vec<usize>,
    targets: Vec<u8>,
}

impl Index {
    pub(super) fn push(&mut self, offset: u64, target: &[u8], when: u64) {
        self.offsets.push(offset);
        self.whens.push(when);
        self.targets.extend_from_slice(target);
        self.ends.push(self.targets.len());
    }

    pub(super) fn clear(&mut self) {
        self.offsets.clear();
        self.whens.clear();
        self.ends.clear();
        self.targets.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Memory in use, in bytes, about as much as it takes on the disk.
    pub(super) fn bytes(&self) -> usize {
        self.targets.len() + self.len() * (size_of::<u64>() + size_of::<u16>())
    }

    /// The target of the row at a place of the list.
    pub(super) fn target(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let to = self.ends.get(at).copied().unwrap_or(from);
        self.targets.get(from..to).unwrap_or_default()
    }

    pub(super) fn when(&self, at: usize) -> u64 {
        self.whens.get(at).copied().unwrap_or(0)
    }

    /// Offset to begin reading at, so that no row from `target` and `when` on is passed over: the last place
    /// that begins before them, else the first.
    pub(super) fn offset_before(&self, target: &[u8], when: u64) -> Option<u64> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if (self.target(middle), self.when(middle)) < (target, when) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.offsets.get(low.saturating_sub(1)).copied()
    }

    /// The index of the blocks behind `by` other bytes.
    pub(super) fn shifted(mut self, by: u64) -> Self {
        self.offsets.iter_mut().for_each(|offset| *offset += by);
        self
    }

    /// Appends the list, to be read by [`Self::read`].
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut last: (&[u8], u64) = (b"", 0);
        for (at, &offset) in self.offsets.iter().enumerate() {
            let target = self.target(at);
            let shared = shared_len(last.0, target);
            push_number(out, shared as u64);
            push_slice(out, target.get(shared..).unwrap_or_default());
            out.extend_from_slice(&self.when(at).to_le_bytes());
            push_number(out, offset.wrapping_sub(last.1));
            last = (target, offset);
        }
    }

    /// `None` for bytes that are no such list.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut index = Self::default();
        let mut reader = Reader::new(bytes);
        let (mut target, mut offset) = (Vec::new(), 0_u64);
        while !reader.is_over() {
            reader.front_coded(&mut target)?;
            let when = reader.fixed()?;
            offset = offset.wrapping_add(reader.number()?);
            index.push(offset, &target, when);
        }
        Some(index)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reading_begins_before_the_requested_row() {
        let mut index = Index::default();
        for (offset, target, when) in [(16, "a", 5), (40, "a", 9), (90, "b", 1), (100, "b", 1)] {
            index.push(offset, target.as_bytes(), when);
        }
        let mut bytes = Vec::new();
        index.write(&mut bytes);
        let read = Index::read(&bytes).unwrap();
        let check = |target: &str, when: u64, offset: u64| {
            assert_eq!(read.offset_before(target.as_bytes(), when), Some(offset), "{target} {when}");
        };
        check("", 0, 16);
        check("a", 5, 16);
        check("a", 6, 16);
        check("a", 9, 16);
        check("a", 10, 40);
        // The same row may end one block and begin the next.
        check("b", 1, 40);
        check("b", 2, 100);
        check("z", 0, 100);
        assert!(Index::read(&bytes[..bytes.len() - 1]).is_none());
        assert_eq!(Index::default().offset_before(b"a", 0), None);
    }
}
