//! Large pages, one at a time.
//!
//! A page of 64 MiB may take several times as much while it is read, and many
//! threads read pages: beyond [`LARGE_PAGE_BYTES`] one waits for the other.

use crate::links::MAX_PAGE_BYTES;
use crate::warc::http::Payload;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pages above this are in hand one at a time, in all threads together.
pub const LARGE_PAGE_BYTES: usize = 8 << 20;

static LARGE_PAGE: Mutex<()> = Mutex::new(());

/// The right to have a large page in hand, as soon as there is one.
#[derive(Default)]
pub struct LargeTurn(Option<MutexGuard<'static, ()>>);

impl LargeTurn {
    /// So many bytes are in hand: waits until they may be.
    pub fn wait_for(&mut self, bytes: usize) {
        if bytes > LARGE_PAGE_BYTES && self.0.is_none() {
            self.0 = Some(LARGE_PAGE.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Decodes a page with a limit of bytes: how long it comes out is not known
    /// before.
    pub fn decode<'a, E>(&mut self, mut decode: impl FnMut(usize) -> Result<Payload<'a>, E>) -> Result<Payload<'a>, E> {
        let payload = decode(LARGE_PAGE_BYTES)?;
        if !payload.cut {
            return Ok(payload);
        }
        drop(payload);
        self.wait_for(LARGE_PAGE_BYTES + 1);
        decode(MAX_PAGE_BYTES)
    }
}
