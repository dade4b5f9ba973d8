//! Sitemaps and drawings that are gzip files.

use super::LargePagePermit;
use crate::uri::Url;
use crate::warc::Headers;
use crate::warc::http::{Payload, decode_body};
use std::convert::Infallible;

/// The first bytes of a gzip file.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Whether a URL is of a sitemap that may be compressed.
pub fn is_packed_sitemap(url: &Url) -> bool {
    let path = url.path();
    path.ends_with(".xml.gz") || path.ends_with(".gz") && path.contains("sitemap")
}

/// Sitemaps may be gzip files. A damaged end still leaves the entries before it.
pub(super) fn unpacked<'a>(payload: &'a [u8], permit: &mut LargePagePermit) -> Payload<'a> {
    let mut headers = Headers::new();
    if payload.starts_with(&GZIP) {
        headers.push("Content-Encoding", "gzip");
    }
    let Ok(unpacked) = permit.decode(|limit| Ok::<_, Infallible>(decode_body(&headers, payload, limit)));
    unpacked
}
