//! WARC files as a WACZ package, with a page for each HTML capture.

use super::{ExportError, io_at, no_temporary};
use crate::captures::Unread;
use crate::captures::{Document, DocumentReader, DocumentReport, Place, ReadFrom};

use crate::jobs::JobCx;
use crate::keys::SigningKey;
use crate::links::{MAX_PAGE_BYTES, PageOptions};
use crate::uri::CaptureDate;
use crate::warc::wacz::{PageReader, WaczOptions, WaczPage, WaczWriteError, WaczWritten, write_wacz};
use crate::warc::{ArchiveReader, PlaceReader, format_offset, same_url};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Text that is kept of a page, in bytes.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The options of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageOptions {
    /// Its title.
    pub title: String,
    /// A longer description, in Markdown.
    pub description: String,
    /// The page to begin with.
    pub main_page_url: Option<String>,
    /// Its date; the system's clock where none is given.
    pub created: Option<CaptureDate>,
    /// The list of pages has their texts, so that they can be searched.
    pub text: bool,
    /// A list of pages to take (JSON lines) instead of looking for them.
    pub pages: Option<PathBuf>,
    /// Signs it.
    pub signer: Option<SigningKey>,
}

/// Packs WARC files into the package `out`.
///
/// Pages are the captures of HTML with a status from 200 to 299, and revisits
/// of such; each has its URL, date and title.
pub fn write_package(
    out: &Path,
    archives: &[PathBuf],
    options: &PackageOptions,
    cx: &JobCx,
) -> Result<WaczWritten, ExportError> {
    // Told before pages are looked for, which may take long.
    if std::fs::symlink_metadata(out).is_ok() {
        return Err(WaczWriteError::Exists { path: out.to_owned() }.into());
    }
    let mut list = tempfile::tempfile().map_err(no_temporary)?;
    let mut problems = Vec::new();
    let mut writer = BufWriter::new(&mut list);
    let mut unlisted = options.main_page_url.as_deref();
    let mut put = |page: &WaczPage| {
        unlisted = unlisted.filter(|main| !same_url(main, &page.url));
        writeln!(writer, "{}", page.line()).map_err(no_temporary)
    };
    match &options.pages {
        None => problems = find_pages(archives, options.text, &mut put, cx)?,
        Some(path) => {
            let file = std::fs::File::open(path).map_err(io_at(path))?;
            for page in PageReader::new(file) {
                match page {
                    Ok(page) => put(&page)?,
                    Err(problem) => problems.push(format!("{}, {problem}", path.display())),
                }
            }
        }
    }
    problems.extend(unlisted.map(|main| format!("main page {main}: it is on no list of pages")));
    writer.flush().map_err(no_temporary)?;
    drop(writer);
    list.seek(SeekFrom::Start(0)).map_err(no_temporary)?;
    let defaults = WaczOptions::default();
    let mut written = write_wacz(
        out,
        archives,
        WaczOptions {
            title: options.title.clone(),
            description: options.description.clone(),
            main_page_url: options.main_page_url.clone(),
            created: options.created.unwrap_or(defaults.created),
            has_text: options.text,
            signer: options.signer.clone(),
            // Every line was written a moment ago.
            pages: Box::new(PageReader::new(list).filter_map(Result::ok)),
            ..defaults
        },
        cx,
    )?;
    written.page_problems = problems;
    Ok(written)
}

/// Says which pages cannot be listed.
fn find_pages(
    archives: &[PathBuf],
    text: bool,
    put: &mut dyn FnMut(&WaczPage) -> Result<(), ExportError>,
    cx: &JobCx,
) -> Result<Vec<String>, ExportError> {
    let sizes = archives.iter().map(|path| std::fs::metadata(path).map_or(0, |data| data.len()));
    cx.stage("Looking for pages", Some(sizes.sum()));
    let max_text_bytes = if text { MAX_TEXT_BYTES } else { 0 };
    let options = PageOptions { max_text_bytes, ..PageOptions::default() };
    let mut documents = DocumentReader::new(ReadFrom { wat: false, ..ReadFrom::default() }, &std::env::temp_dir());
    let mut before = 0;
    for (number, path) in archives.iter().enumerate() {
        let mut reader = ArchiveReader::open(path)?;
        let file = u32::try_from(number).unwrap_or(u32::MAX);
        while let Some(record) = reader.next_record(MAX_PAGE_BYTES)? {
            let place = Place { file, offset: record.span.offset };
            if let Some(document) = documents.take(record, place) {
                put(&page_of(&document, &options))?;
            }
            cx.set_done(before + reader.file_offset());
            documents.check()?;
            cx.checkpoint()?;
        }
        before += reader.file_offset();
    }
    let mut reader = PlaceReader::default();
    documents.resolve(
        |_, _| false,
        cx,
        |place| reader.read(&archives[place.file as usize], place.offset, MAX_PAGE_BYTES, cx),
        |document, _, _| match document.is_lost() {
            true => Ok(()),
            false => put(&page_of(document, &options)),
        },
    )?;
    Ok(unread_pages(&documents.into_report(), archives))
}

/// The pages whose originals could not be read a second time, in words.
fn unread_pages(report: &DocumentReport, archives: &[PathBuf]) -> Vec<String> {
    let unread = report.listed.iter().filter(|(.., why)| *why == Unread::OriginalUnread);
    let describe = |(place, url, why): &(Place, String, Unread)| {
        let file = archives.get(place.file as usize).map(|path| path.display().to_string()).unwrap_or_default();
        format!("{file}, offset {}: {url}: {why}", format_offset(place.offset))
    };
    let mut lines: Vec<String> = unread.map(describe).collect();
    // Only the first notes are listed, of whatever kind.
    let unread = report.unread.get(&Unread::OriginalUnread).copied().unwrap_or_default();
    let unnamed = unread.saturating_sub(lines.len() as u64);
    if unnamed > 0 {
        lines.push(format!("pages that are not named here, {unnamed}: {}", Unread::OriginalUnread));
    }
    lines
}

fn page_of(document: &Document, options: &PageOptions) -> WaczPage {
    let page = document.read_page(options);
    WaczPage {
        id: String::new(),
        url: document.url.to_string(),
        date: document.date,
        title: page.as_ref().and_then(|page| page.title.clone()).unwrap_or_default(),
        text: page.map(|page| page.text).filter(|_| options.max_text_bytes > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_cannot_be_read_are_reported_beside_many_other_notes() {
        let place = |offset| Place { file: 0, offset };
        let report = DocumentReport {
            unread: [(Unread::NoOriginal, 5_000), (Unread::OriginalUnread, 3)].into(),
            listed: vec![
                (place(5), "http://a.pt/".to_owned(), Unread::NoOriginal),
                (place(9), "http://b.pt/".to_owned(), Unread::OriginalUnread),
            ],
            ..DocumentReport::default()
        };
        let why = Unread::OriginalUnread;
        let expected =
            [format!("a.warc, offset 9: http://b.pt/: {why}"), format!("pages that are not named here, 2: {why}")];
        assert_eq!(unread_pages(&report, &["a.warc".into()]), expected);
    }
}
