//! Records of small archive files, also for the tests in `tests/it`.

use std::io::Write;

/// The date of the captures of these records, unless a test names one.
pub(crate) const DATE: &str = "2024-03-01T09:00:00Z";

/// A record as it is in a plain file; its ID is `urn:x:KIND:URL:DATE`.
pub(crate) fn record(kind: &str, url: &str, date: &str, fields: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    let block = block.as_ref();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         WARC-Record-ID: <urn:x:{kind}:{url}:{date}>\r\n{fields}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A response with an HTML page.
pub(crate) fn page_record(url: &str, html: &str) -> Vec<u8> {
    record("response", url, DATE, "", format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}"))
}

/// Bytes as one member of a gzip file.
pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}
