//! Links read out of metadata records, asked of the demo.

use crate::archive::warcs_under;
use crate::program::{arg, fonds};
use crate::sample::demo;
use std::path::PathBuf;

#[test]
fn metadata_records_tell_the_links_of_pages_without_html() {
    let files: Vec<PathBuf> = warcs_under(&demo().report.workspace.join("output"));
    let dataset = |from: &str| {
        let mut words = vec!["inlinks", "dataset", "--from", from];
        words.extend(files.iter().map(|file| arg(file)));
        fonds(&words).with_status(0).out
    };
    let pages = dataset("pages");
    assert!(pages.lines().count() > 50);
    assert!(pages == dataset("metadata"));
    assert!(pages == dataset("pages,wat,metadata"), "what stands there twice counts once");
    assert!(pages == dataset("pages,wat"), "ours are not taken for what others read");
    assert_eq!(dataset("wat"), "");
}
