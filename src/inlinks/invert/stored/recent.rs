//! Cache of the blocks of a segment that were read last. Queries page after page, nearly in the order of
//! keys, find most of them in the same blocks.

use super::super::blocks::read_block;
use super::super::index::Index;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Blocks that are kept of a segment: those that some threads look into at a time.
const MAX_BLOCKS: usize = 4;

/// The last blocks and the last leaf of a segment. Threads share it.
#[derive(Default)]
pub(in crate::inlinks::invert) struct Recent {
    /// The one used last is the last.
    blocks: Mutex<Vec<RecentBlock>>,
    leaf: Mutex<Option<(u64, Arc<Index>)>>,
}

struct RecentBlock {
    offset: u64,
    next: u64,
    plain: Arc<Vec<u8>>,
}

impl Recent {
    /// The block at this offset, and where the next one begins; as [`read_block`] reads it,
    /// where it is not there.
    ///
    /// # Errors
    ///
    /// Those of [`read_block`].
    pub(in crate::inlinks::invert) fn block(
        &self,
        file: &File,
        offset: u64,
        end: u64,
        packed: &mut Vec<u8>,
    ) -> io::Result<(u64, Arc<Vec<u8>>)> {
        {
            let mut blocks = lock(&self.blocks);
            if let Some(at) = blocks.iter().position(|block| block.offset == offset) {
                let block = blocks.remove(at);
                let found = (block.next, block.plain.clone());
                blocks.push(block);
                return Ok(found);
            }
        }
        let mut plain = Vec::new();
        let next = read_block(file, offset, end, packed, &mut plain)?;
        let plain = Arc::new(plain);
        let mut blocks = lock(&self.blocks);
        if blocks.len() >= MAX_BLOCKS {
            blocks.remove(0);
        }
        blocks.push(RecentBlock { offset, next, plain: plain.clone() });
        Ok((next, plain))
    }

    /// The leaf at this offset, which `read` reads where it is another than the last one.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub(super) fn leaf(&self, offset: u64, read: impl FnOnce() -> io::Result<Index>) -> io::Result<Arc<Index>> {
        if let Some((_, leaf)) = lock(&self.leaf).as_ref().filter(|(at, _)| *at == offset) {
            return Ok(leaf.clone());
        }
        let leaf = Arc::new(read()?);
        *lock(&self.leaf) = Some((offset, leaf.clone()));
        Ok(leaf)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
