//! Index files and packages.

use fonds::jobs::JobCx;
use fonds::warc::ArchiveReader;
use fonds::warc::cdx::{Columns, IndexForm, IndexLine, IndexReader};
use fonds::warc::wacz::{PageReader, Wacz, stays_inside};
use std::io::Read;
use std::path::Path;

/// Bytes read of a member of a package.
const MAX_MEMBER: u64 = 1024 * 1024;

/// CDXJ and classic CDX of any columns, plain or gzip: what is read, is
/// written in every form and read again.
pub fn cdx(data: &[u8]) {
    for line in IndexReader::new(data, "fuzzed").unwrap() {
        match line {
            Ok(line) => check_forms(&line),
            Err(problem) => assert!(problem.to_string().len() < 2000 + problem.why.len()),
        }
    }
}

/// A line is one line in every form, and is read as what was written.
pub(crate) fn check_forms(line: &IndexLine) {
    for form in [IndexForm::Cdxj, IndexForm::OutbackCdx] {
        let text = form.line(line);
        assert!(!text.contains('\n'), "{text:?}");
        let again = IndexLine::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(again.to_string(), IndexLine::parse(&again.to_string()).unwrap().to_string());
        if form == IndexForm::Cdxj {
            assert_eq!(again.to_string(), text);
        }
    }
    for (form, columns) in [(IndexForm::Cdx9, Columns::nine()), (IndexForm::Cdx11, Columns::eleven())] {
        let text = form.line(line);
        assert!(!text.contains('\n'), "{text:?}");
        let again = columns.parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(columns.line(&again), text);
    }
}

/// A WACZ package: members keep to their bounds and come out into their folder.
pub fn wacz(data: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), data).unwrap();
    let Ok(package) = Wacz::open(file.path()) else { return };
    for problem in package.problems() {
        assert!(!problem.to_string().is_empty());
    }
    let mut end = 0;
    let mut members: Vec<_> = package.members().to_vec();
    members.sort_by_key(|member| (member.offset, member.packed_len));
    for member in &members {
        assert!(stays_inside(&member.name), "{}", member.name);
        assert!(member.packed_len == 0 || member.offset >= end, "{} shares bytes", member.name);
        assert!(member.offset + member.packed_len <= data.len() as u64, "{}", member.name);
        end = end.max(member.offset + member.packed_len);
        let mut bytes = Vec::new();
        let read = package.open_member(member).unwrap().take(MAX_MEMBER).read_to_end(&mut bytes);
        assert!(bytes.len() as u64 <= member.len, "{}", member.name);
        if read.is_ok() && member.len <= MAX_MEMBER {
            assert_eq!(bytes.len() as u64, member.len, "{}", member.name);
        }
    }
    for index in 0..package.archives().len() {
        let source = package.open_archive(index).unwrap().take(MAX_MEMBER);
        let mut reader = ArchiveReader::new(source, Path::new("member")).unwrap();
        while let Ok(Some(_)) = reader.next_record(1000) {}
    }
    for member in package.page_lists() {
        for page in PageReader::new(package.open_member(member).unwrap().take(MAX_MEMBER)).flatten() {
            let line = page.line();
            let again = PageReader::new(line.as_bytes()).next().unwrap_or_else(|| panic!("{line} is lost"));
            assert_eq!(again.as_ref(), Ok(&page), "{line}");
        }
    }
    let cx = JobCx::detached();
    let report = package.check(&cx).unwrap();
    assert_eq!(report.members, members.len() as u64);
    let folder = tempfile::tempdir().unwrap();
    for member in members.iter().filter(|member| member.len <= MAX_MEMBER) {
        if let Ok(path) = package.extract(member, folder.path(), &cx) {
            assert!(path.starts_with(folder.path()), "{}", path.display());
            assert_eq!(std::fs::metadata(path).unwrap().len(), member.len);
        }
    }
}
