//! Whole archive files against data sets made by others.

use super::*;
use crate::links::invert::Shape;
use crate::links::testing;
use crate::links::{DatasetObject, MAX_PAGE_BYTES, read_dataset};
use crate::uri::Fqdn;
use crate::warc::read_record_at;
use std::path::PathBuf;

fn build(files: &[PathBuf], options: &DatasetOptions) -> (Vec<DatasetObject>, BuildReport) {
    let cx = JobCx::detached();
    let mut builder = DatasetBuilder::new(options.clone(), &cx);
    builder.add_files(files, |_, _| ()).unwrap();
    let mut lines = Vec::new();
    let report = builder
        .finish(
            |place| read_record_at(&files[place.file as usize], place.offset, MAX_PAGE_BYTES),
            |piece| {
                lines.extend_from_slice(piece);
                Ok(())
            },
        )
        .unwrap();
    let objects: Vec<DatasetObject> = read_dataset(lines.as_slice()).map(Result::unwrap).collect();
    // The fast way of writing is the plain way.
    let mut again = Vec::new();
    objects.iter().for_each(|object| object.write_line(&mut again).unwrap());
    assert!(again == lines);
    assert!(objects.is_sorted_by(|a, b| (&a.url, a.capture_date) <= (&b.url, b.capture_date)));
    (objects, report)
}

fn lines(path: PathBuf) -> Vec<serde_json::Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn values(objects: &[DatasetObject]) -> Vec<serde_json::Value> {
    objects
        .iter()
        .map(|object| {
            let mut out = Vec::new();
            object.write_line(&mut out).unwrap();
            serde_json::from_slice(&out).unwrap()
        })
        .collect()
}

fn per_capture() -> AssignOptions {
    AssignOptions { shape: Shape::PerCapture, ..AssignOptions::default() }
}

#[test]
fn the_walkthrough_comes_out_as_on_the_slides() {
    let Some(file) = testing::data("inlinks/seed-walkthrough.warc.gz") else { return };
    let expected = |name: &str| lines(file.with_file_name(name));
    let files = [file.clone()];
    let (objects, report) = build(&files, &DatasetOptions::default());
    assert_eq!(values(&objects), expected("seed-walkthrough.dataset.jsonl"));
    assert_eq!((report.documents.pages, report.shuffle.links), (2, 3));
    let slides = DatasetOptions { notation: Notation::Cdx, assign: per_capture(), ..DatasetOptions::default() };
    assert_eq!(values(&build(&files, &slides).0), expected("seed-walkthrough.docs.jsonl"));
}

#[test]
fn blackbook_gives_one_data_set_from_warc_and_arc() {
    let (Some(warc), Some(arc), Some(summary)) = (
        testing::data("warc/real/blackbook.warc.gz"),
        testing::data("warc/arc/blackbook.arc.gz"),
        testing::data("inlinks/blackbook.summary.json"),
    ) else {
        return;
    };
    let (from_warc, report) = build(std::slice::from_ref(&warc), &DatasetOptions::default());
    let (from_arc, _) = build(&[arc], &DatasetOptions::default());
    assert_eq!(from_warc, from_arc);
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(summary).unwrap()).unwrap();
    let got = serde_json::json!({
        "about": expected["about"],
        "linked_pages": report.assign.objects,
        "captured_linked_pages": report.assign.captured_objects,
        "inlinks": report.assign.inlinks,
        "internal": report.assign.internal,
        "external": report.assign.inlinks - report.assign.internal,
        "top": top(&from_warc),
    });
    assert_eq!(got, expected);
    // As many pages as the Archives Unleashed Toolkit counts (`valid_pages`).
    assert_eq!(report.documents.pages, 94);
    let tiny = ShuffleOptions { memory_bytes: 0, ..ShuffleOptions::default() };
    let (spilled, spilled_report) = build(&[warc], &DatasetOptions { shuffle: tiny, ..DatasetOptions::default() });
    assert!(spilled_report.shuffle.runs > 100);
    assert_eq!(spilled, from_warc);
}

fn top(objects: &[DatasetObject]) -> Vec<serde_json::Value> {
    let mut top: Vec<&DatasetObject> = objects.iter().collect();
    top.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.url.cmp(&b.url)));
    top.iter()
        .take(25)
        .map(|object| {
            let date = object.capture_date.map(|date| date.to_dataset());
            serde_json::json!([object.url, object.count, object.count_internal, object.count_external, date])
        })
        .collect()
}

#[test]
fn the_archives_of_arquivo_give_the_expected_objects() {
    let (Some(folder), Some(expected)) =
        (testing::data("warc/arquivo-gpl3"), testing::data("inlinks/arquivo-testwarcs.oracle.jsonl"))
    else {
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (objects, _) = build(&files, &DatasetOptions::default());
    // The list lacks the link that the page of 1996 has to itself
    // (`href= http://www.publico.pt:80/palop/..`, a blank before the value),
    // which `arquivo_expected.json` demands; see the next test.
    let (self_link, others): (Vec<_>, Vec<_>) =
        objects.iter().cloned().partition(|object| object.url == "(pt,publico,");
    assert_eq!(self_link.len(), 1);
    for (got, expected) in values(&others).iter().zip(&lines(expected.clone())) {
        assert_eq!(got, expected);
    }
    assert_eq!(others.len(), lines(expected).len());
    files.reverse();
    assert_eq!(build(&files, &DatasetOptions::default()).0, objects);
}

#[test]
fn a_page_of_1996_links_to_itself_through_port_and_dots() {
    let (Some(file), Some(expected)) = (
        testing::data("warc/arquivo-gpl3/chunked.gzip.html.record.warc.gz"),
        testing::data("inlinks/arquivo_expected.json"),
    ) else {
        return;
    };
    let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    let (objects, report) = build(&[file], &DatasetOptions { assign: per_capture(), ..DatasetOptions::default() });
    assert_eq!(serde_json::json!(report.shuffle.links), expected["outlinks"]);
    assert_eq!(serde_json::json!(objects[0].url), expected["surt"]);
    assert_eq!(serde_json::json!(objects[0].count), expected["inlinks"]);
    assert_eq!(serde_json::json!(objects[0].inlinks[0].anchor), expected["inlink_anchor"]);
    let timestamp = objects[0].capture_date.unwrap().to_digits14();
    assert_eq!(serde_json::json!(timestamp), expected["timestamp"]);
}

#[test]
fn internal_and_external_follow_the_named_policy() {
    let Some(path) = testing::data("inlinks/internal_external.tsv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let name = |text: &str| Fqdn::of(&Url::parse(text).unwrap());
        let (page, linking) = (name(fields[0]), name(fields[1]));
        let words = |internal: bool| if internal { "yes" } else { "no" };
        assert_eq!(words(InternalPolicy::Fqdn.is_internal(&page, &linking)), fields[2], "{line}");
        assert_eq!(words(InternalPolicy::Sldn.is_internal(&page, &linking)), fields[3], "{line}");
        rows += 1;
    }
    assert_eq!(rows, 10);
}

#[test]
fn a_revisit_gives_a_second_capture_with_the_same_links() {
    let Some(original) = testing::data("warc/revisit/heritrix-2013-original.warc.gz") else { return };
    let revisit = original.with_file_name("heritrix-2013-revisit.warc.gz");
    // The revisit comes first, so that it has to wait.
    let files = [revisit.clone(), original.clone()];
    let (objects, report) = build(&files, &DatasetOptions::default());
    let (once, report_once) = build(&[original], &DatasetOptions::default());
    assert_eq!((report.documents.revisits, report.documents.pages), (1, 2));
    assert_eq!(report.shuffle.links, 2 * report_once.shuffle.links);
    assert_eq!(objects.len(), once.len());
    assert!(objects.iter().zip(&once).all(|(both, once)| both.count == 2 * once.count));
    let (alone, report) = build(&[revisit], &DatasetOptions::default());
    assert!(alone.is_empty());
    assert_eq!(report.documents.unread.values().sum::<u64>(), 1);
}
