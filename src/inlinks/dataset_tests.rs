//! Compares data sets of whole archive files with those of other programs.

use super::*;
use crate::captures::Unread;
use crate::inlinks::invert::{ResumeDir, Shape};
use crate::inlinks::{DatasetObject, read_dataset};
use crate::links::MAX_PAGE_BYTES;
use crate::testing;
use crate::uri::Fqdn;
use crate::warc::read_record_at;
use proptest::prelude::*;
use std::path::PathBuf;

fn build(files: &[PathBuf], options: &DatasetOptions) -> (Vec<DatasetObject>, BuildReport) {
    let cx = JobCx::detached();
    let mut builder = DatasetBuilder::new(options.clone(), &cx).unwrap();
    builder.add_files(files, |_, _| ()).unwrap();
    let mut lines = Vec::new();
    let (report, sorted) = builder
        .finish(
            |place| read_record_at(&files[place.file as usize], place.offset, MAX_PAGE_BYTES),
            |piece| {
                lines.extend_from_slice(piece);
                Ok(())
            },
        )
        .unwrap();
    sorted.remove_kept().unwrap();
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
        let yes_no = |internal: bool| if internal { "yes" } else { "no" };
        assert_eq!(yes_no(InternalPolicy::Fqdn.is_internal(&page, &linking)), fields[2], "{line}");
        assert_eq!(yes_no(InternalPolicy::Sldn.is_internal(&page, &linking)), fields[3], "{line}");
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

/// Response records of a file, and its pages with all of their links.
fn pages_of(file: &std::path::Path) -> (Vec<String>, Vec<(Url, CaptureDate, crate::links::Page)>) {
    let mut reader = crate::warc::ArchiveReader::open(file).unwrap();
    let mut documents = DocumentReader::default();
    let (mut responses, mut pages) = (Vec::new(), Vec::new());
    while let Some(record) = reader.next_record(MAX_PAGE_BYTES).unwrap() {
        if record.head.record_type == crate::warc::RecordType::Response {
            responses.push(record.head.target_uri().unwrap_or_default());
        }
        let place = Place { file: 0, offset: record.span.offset };
        if let Some(document) = documents.take(record, place) {
            let page = document.read_page(&PageOptions::default()).unwrap();
            pages.push((document.url.clone(), document.date, page));
        }
    }
    (responses, pages)
}

#[test]
fn what_the_archives_unleashed_toolkit_asserts_of_blackbook_holds() {
    let (Some(facts), Some(warc), Some(arc)) = (
        testing::data("inlinks/aut_expected.json"),
        testing::data("warc/real/blackbook.warc.gz"),
        testing::data("warc/arc/blackbook.arc.gz"),
    ) else {
        return;
    };
    let facts: serde_json::Value = serde_json::from_slice(&std::fs::read(facts).unwrap()).unwrap();
    let of_warc = &facts["files"]["warc/real/blackbook.warc.gz"];
    let (responses, pages) = pages_of(&warc);
    assert_eq!((&of_warc["records_returned"], &of_warc["valid_pages"]), (&responses.len().into(), &pages.len().into()));
    for fact in of_warc["page_domains"].as_array().unwrap() {
        let count = pages.iter().filter(|(url, ..)| Fqdn::of(url).as_str() == fact[0]).count();
        assert_eq!(fact[1], count);
    }
    let (url, date, first) = &pages[0];
    let fact = &of_warc["first_page"];
    assert_eq!((&fact["url"], &fact["crawl_date"]), (&url.as_str().into(), &date.to_digits14().into()));
    // A difference: it names a language from 60 letters on, we from 200.
    assert_eq!((&fact["language"], first.language.as_deref()), (&"en".into(), None));
    let links = |kind: LinkKind| {
        pages.iter().flat_map(move |(url, _, page)| {
            page.links.iter().filter(move |link| link.kind == kind).map(move |link| (url, link))
        })
    };
    let fact = &of_warc["webgraph_first"];
    let (source, link) = links(LinkKind::Anchor).next().unwrap();
    // Their address is as written, without the slash of a root.
    assert_eq!(link.url.as_str().trim_end_matches('/'), fact["dest"]);
    assert_eq!((&fact["src"], &fact["anchor"]), (&source.as_str().into(), &link.anchor.as_str().into()));
    // They count 213 places in the page itself (#…), 20 of mail, 11 of FTP, 1
    // script, and 12 parts without text of links that misnested tags split.
    let anchors = links(LinkKind::Anchor).count() as u64;
    assert_eq!(of_warc["webgraph_rows"], anchors + 213 + 20 + 11 + 1 + 12);
    // Their graph of domains has the pairs of more than five links.
    let domain = |url: &Url| Fqdn::of(url).registrable().to_owned();
    let mut graph = std::collections::BTreeMap::<(String, String), u64>::new();
    for (source, link) in links(LinkKind::Anchor) {
        *graph.entry((domain(source), domain(&link.url))).or_default() += 1;
    }
    graph.retain(|_, links| *links > 5);
    assert_eq!(of_warc["domain_graph_rows"], graph.len());
    for fact in of_warc["domain_graph_top"].as_array().unwrap() {
        let of = [1, 2].map(|at| fact[at].as_str().unwrap().to_owned());
        // The 213 places, the 11 of FTP and 10 of the 12 parts above are within archive.org.
        let more = if of[0] == of[1] { 213 + 11 + 10 } else { 0 };
        assert_eq!(fact[3], graph[&of.into()] + more);
    }
    // They count `img`; buttons that are images (`input type=image`) are 79 more.
    assert_eq!((&of_warc["image_graph_rows"], links(LinkKind::Image).count()), (&788.into(), 788 + 79));
    let fact = &of_warc["image_graph_first"];
    let (source, link) = links(LinkKind::Image).next().unwrap();
    assert_eq!((&fact["src"], &fact["image"]), (&source.as_str().into(), &link.url.as_str().into()));
    let of_arc = &facts["files"]["warc/arc/blackbook.arc.gz"];
    let (responses, pages) = pages_of(&arc);
    assert_eq!(of_arc["records"], responses.len());
    let about = responses.iter().filter(|url| url.starts_with("http://www.archive.org/about/")).count();
    assert_eq!(
        (&of_arc["urls_matching_http://www.archive.org/about/.*"], &of_arc["others"]),
        (&about.into(), &(responses.len() - about).into())
    );
    let fact = &of_arc["first_links_of_index.php_page_with_keynote"];
    let (_, date, page) = pages.iter().find(|(url, ..)| url.as_str() == fact["url"]).unwrap();
    assert_eq!(fact["crawl_date"], date.to_digits14());
    let first: Vec<_> =
        page.links.iter().filter(|link| link.kind == LinkKind::Anchor).take(3).map(|link| link.url.as_str()).collect();
    assert_eq!(fact["links"], serde_json::json!(first));
}

#[test]
fn a_build_is_taken_up_again_where_records_share_members_and_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..40).map(|n| format!("<a href=/{n}>the words of link {n}</a>")).collect();
    let page = |n: usize| testing::page_record(&format!("http://a.pt/page/{n}"), &links);
    let alone = |pages: std::ops::Range<usize>| pages.flat_map(|n| testing::gzip(page(n))).collect::<Vec<u8>>();
    let shared = testing::gzip((100..150).flat_map(page).collect::<Vec<u8>>());
    let file = folder.path().join("mixed.warc.gz");
    std::fs::write(&file, [alone(0..100), shared, alone(150..200)].concat()).unwrap();
    let files = [file];
    let (expected, _) = build(&files, &DatasetOptions::default());
    assert!(expected.iter().any(|object| object.inlinks.iter().any(|link| link.source.contains("199"))));
    let options = || {
        let keep = Some(ResumeDir::take(&folder.path().join("runs"), "mixed".to_owned()).unwrap());
        let shuffle = ShuffleOptions { memory_bytes: 1 << 18, threads: 1, keep, ..ShuffleOptions::default() };
        DatasetOptions { shuffle, ..DatasetOptions::default() }
    };
    let mut killed = DatasetBuilder::new(options(), &JobCx::detached()).unwrap();
    killed.add_files(&files, |_, _| ()).unwrap();
    drop(killed);
    let (resumed, report) = build(&files, &options());
    let already_read = report.documents.already_read;
    assert!((1..200).contains(&already_read), "{already_read}");
    assert!(resumed == expected);
}

#[test]
fn a_resumed_build_reports_the_same_as_one_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..300).map(|n| format!("<a href=/{}>the words of link {n}</a>", n % 200)).collect();
    // Some are too deep: that is reported of them, and of their revisits.
    let deep = |n: usize| if n % 30 == 7 { "<div>".repeat(600) } else { String::new() };
    let page = |n| testing::page_record(&format!("http://a.pt/page/{n}"), &format!("{}{links}", deep(n)));
    let mut bytes: Vec<u8> = (0..100).flat_map(page).collect();
    bytes.extend(testing::revisit_record("http://a.pt/lost", "http://a.pt/never"));
    for n in 0..50 {
        bytes.extend(testing::revisit_record(&format!("http://a.pt/again/{n}"), &format!("http://a.pt/page/{n}")));
    }
    let files = [folder.path().join("a.warc")];
    std::fs::write(&files[0], bytes).unwrap();
    // So little memory that runs end with every batch of pages.
    let options = |runs: &str| {
        let keep = Some(ResumeDir::take(&folder.path().join(runs), "a".to_owned()).unwrap());
        let shuffle = ShuffleOptions { memory_bytes: 0, threads: 1, keep, ..ShuffleOptions::default() };
        DatasetOptions { shuffle, ..DatasetOptions::default() }
    };
    let (expected, once) = build(&files, &options("once"));
    // The first batch of 64 pages gets into runs; the others may not.
    let mut killed = DatasetBuilder::new(options("again"), &JobCx::detached()).unwrap();
    killed.add_files(&files, |_, _| ()).unwrap();
    drop(killed);
    let runs = || {
        let entries = std::fs::read_dir(folder.path().join("again")).unwrap().map(Result::unwrap);
        let runs = entries.filter(|entry| entry.file_name().to_str().unwrap().starts_with("run-"));
        runs.map(|run| run.metadata().unwrap().len()).sum::<u64>()
    };
    let mut runs_were = Vec::new();
    for _ in 0..3 {
        let mut stopped = DatasetBuilder::new(options("again"), &JobCx::detached()).unwrap();
        stopped.add_files(&files, |_, _| ()).unwrap();
        let fetch = |place: Place| read_record_at(&files[0], place.offset, MAX_PAGE_BYTES);
        assert!(stopped.finish(fetch, |_| Err(std::io::ErrorKind::BrokenPipe.into())).is_err());
        runs_were.push(runs());
    }
    assert!(runs_were[0] > 0 && runs_were.iter().all(|bytes| *bytes == runs_were[0]), "{runs_were:?}");
    let (objects, again) = build(&files, &options("again"));
    assert!(objects == expected);
    assert_eq!(again.documents.already_read, 150);
    assert_eq!((again.documents.pages, again.assign), (once.documents.pages, once.assign));
    let counts = |report: &BuildReport| (report.shuffle.links, report.shuffle.captures, report.shuffle.duplicates);
    assert_eq!(counts(&again), counts(&once));
    assert_eq!(once.documents.unread, [(Unread::Deep, 6), (Unread::NoOriginal, 1)].into());
    assert_eq!((again.documents.unread, again.documents.listed), (once.documents.unread, once.documents.listed));
}

/// Pages of three hosts that link to each other, one of them captured often,
/// and revisits.
fn mixed_records() -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    for n in 0..39 {
        let links: String = (0..n % 7)
            .map(|k| format!("<a href='http://h{}.pt/{}'>words {}</a>", k % 3, (n * 5 + k) % 11, k % 2))
            .collect();
        let html = format!("{links}<a href=/{}>own</a>", n % 4);
        let page = testing::page_record(&format!("http://h{}.pt/{}", n % 3, n % 13), &html);
        let day = format!("2024-{:02}-{:02}T", n % 9 + 1, n % 28 + 1);
        records.push(String::from_utf8(page).unwrap().replace("2024-03-01T", &day).into_bytes());
    }
    records.extend((0..6).map(|n| {
        testing::revisit_record(&format!("http://again.pt/{n}"), &format!("http://h{}.pt/{}", n % 3, n % 13))
    }));
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However records are shared out among files, in whatever order, packed
    /// or not, and with whatever threads and memory.
    #[test]
    fn split_files_give_the_same_bytes(
        file_of in prop::collection::vec(0_usize..4, 45),
        order in Just((0..45_usize).collect::<Vec<_>>()).prop_shuffle(),
        packed in any::<[bool; 4]>(),
        threads in 1_usize..4,
        memory_bytes in prop_oneof![Just(0), Just(1 << 16), Just(64 << 20)],
        per_capture in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let records = mixed_records();
        let assign = if per_capture { self::per_capture() } else { AssignOptions::default() };
        let one = [folder.path().join("one.warc")];
        std::fs::write(&one[0], records.concat()).unwrap();
        let expected = build(&one, &DatasetOptions { assign: assign.clone(), ..DatasetOptions::default() });
        prop_assert!(expected.0.len() > 20 && expected.1.documents.revisits == 6);
        let mut files = vec![Vec::new(); 4];
        for at in order {
            let record = &records[at];
            let file = file_of[at];
            files[file].extend(if packed[file] { testing::gzip(record) } else { record.clone() });
        }
        let paths: Vec<PathBuf> = (0..4).map(|n| folder.path().join(format!("{n}.warc"))).collect();
        let written: Vec<PathBuf> = paths
            .iter()
            .zip(&files)
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(path, bytes)| {
                std::fs::write(path, bytes).unwrap();
                path.clone()
            })
            .collect();
        let shuffle = ShuffleOptions { threads, memory_bytes, ..ShuffleOptions::default() };
        let split = build(&written, &DatasetOptions { assign, shuffle, ..DatasetOptions::default() });
        prop_assert!(split.0 == expected.0);
        prop_assert_eq!(split.1.assign, expected.1.assign);
    }
}
