//! Help for the tests of this room: where foreign data lies, and html5lib's format.

use std::path::PathBuf;

/// The folder or file `name` of the test data; says so and gives nothing where it is absent.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("FONDS_TEST_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {name} in the test data ({})", root.display());
    None
}

/// A response with a page, as it stands in a plain file.
pub(crate) fn page_record(url: &str, html: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
    record("response", url, "", &http)
}

/// A repeat of what was captured at another URL (by [`page_record`]).
pub(crate) fn revisit_record(url: &str, original: &str) -> Vec<u8> {
    record("revisit", url, &format!("WARC-Refers-To: <{}>\r\n", id_of(original)), "")
}

fn id_of(url: &str) -> String {
    format!("urn:x:{url}")
}

fn record(kind: &str, url: &str, fields: &str, block: &str) -> Vec<u8> {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-03-01T09:00:00Z\r\n\
         WARC-Record-ID: <{}>\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        id_of(url),
        block.len()
    )
    .into_bytes()
}

/// Bytes as one member of a gzip file.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// One case of a `.dat` file.
pub(crate) struct DatCase(Vec<(Vec<u8>, Vec<u8>)>);

impl DatCase {
    /// The lines under `#name`, without the last line end.
    pub(crate) fn part(&self, name: &[u8]) -> &[u8] {
        self.0.iter().find(|(part, _)| part == name).map(|(_, lines)| lines.as_slice()).unwrap_or_default()
    }
}

/// The cases of a `.dat` file of html5lib.
pub(crate) fn dat_cases(bytes: &[u8]) -> Vec<DatCase> {
    let mut cases = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line == b"#data\n" {
            cases.push(DatCase(Vec::new()));
        }
        let Some(DatCase(parts)) = cases.last_mut() else { continue };
        let is_name = line.strip_prefix(b"#").is_some_and(|name| {
            [
                b"data\n".as_slice(),
                b"errors\n",
                b"document\n",
                b"encoding\n",
                b"document-fragment\n",
                b"script-off\n",
                b"script-on\n",
            ]
            .contains(&name)
        });
        if is_name {
            parts.push((line.get(1..line.len() - 1).unwrap_or_default().to_vec(), Vec::new()));
        } else if let Some((_, lines)) = parts.last_mut() {
            lines.extend_from_slice(line);
        }
    }
    for DatCase(parts) in &mut cases {
        for (_, lines) in parts {
            if lines.ends_with(b"\n") {
                lines.pop();
            }
        }
    }
    cases
}
