//! Stored links: segments that were tampered with, and lines that are loaded.

use fonds::inlinks::invert::ShuffleOptions;
use fonds::inlinks::stored::load::{LoadInput, LoadOptions, load};
use fonds::inlinks::stored::{LinkStore, Window};
use fonds::jobs::JobCx;
use fonds::uri::CaptureDate;
use std::path::Path;

/// A segment as the bytes say, and one whose only block they are, with
/// checksums that are right: answers or errors, and errors name the file.
pub fn segment(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    query(folder.path(), data);
    let mut file = b"fondslnk\x01\0\0\0\0\0\0\0".to_vec();
    // A list of one place: an empty target at no time, and the offset.
    let list = |offset: u64| {
        let mut list = vec![0; 10];
        let mut rest = offset;
        while rest >= 0x80 {
            list.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        list.push(rest as u8);
        list
    };
    let start = file.len() as u64;
    file.extend_from_slice(&block(data));
    let blocks_end = file.len() as u64;
    file.extend_from_slice(&block(&list(start)));
    let leaves_end = file.len() as u64;
    file.extend_from_slice(&block(&list(blocks_end)));
    let mut end: Vec<u8> =
        [blocks_end, leaves_end, 1, 0, 0, 1, 1].iter().flat_map(|number| number.to_le_bytes()).collect();
    end.extend_from_slice(&sum(&end).to_le_bytes());
    end.extend_from_slice(b"\x01\0\0\0fondslnk");
    file.extend_from_slice(&end);
    query(folder.path(), &file);
}

fn sum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A block of literals, as LZ4 has them.
fn block(plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut rest = plain.len();
    packed.push((rest.min(15) << 4) as u8);
    if rest >= 15 {
        rest -= 15;
        while rest >= 255 {
            packed.push(255);
            rest -= 255;
        }
        packed.push(rest as u8);
    }
    packed.extend_from_slice(plain);
    let head = [plain.len() as u32, packed.len() as u32, sum(plain)];
    [head.iter().flat_map(|number| number.to_le_bytes()).collect(), packed].concat()
}

fn query(folder: &Path, segment: &[u8]) {
    std::fs::write(folder.join("links-000001.seg"), segment).unwrap();
    let number = |from_end: usize| {
        let at = segment.len().checked_sub(from_end)?;
        segment.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    };
    let [links, internal, captures, targets] = [56, 48, 40, 32].map(|at| number(at).unwrap_or(0));
    let list = serde_json::json!({"format": "fonds links", "version": 1, "notation": "dataset", "internal": "fqdn",
        "next": 2, "segments": [{"number": 1, "bytes": segment.len(), "links": links, "internal": internal,
            "captures": captures, "targets": targets}]});
    std::fs::write(folder.join("links.json"), list.to_string()).unwrap();
    let store = match LinkStore::open(folder) {
        Ok(store) => store,
        Err(error) => return assert!(error.to_string().contains("links-000001.seg"), "{error}"),
    };
    let cx = JobCx::detached();
    let (mut seen, mut first) = (0, None);
    let read = store.each_target("", &cx, |cited| {
        seen += 1;
        first.get_or_insert_with(|| cited.target.clone());
        Ok(true)
    });
    if let Err(error) = read {
        assert!(error.to_string().contains("links-000001.seg") || error.to_string().contains("a row of"), "{error}");
    }
    let target = first.unwrap_or_default();
    let window = Window { around: CaptureDate::from_seconds(1_700_000_000), days: 90 };
    for window in [None, Some(window)] {
        let _ = store.inlinks(&target, window, 10);
    }
    let _ = store.counts_of_captures(&target, 90, |_, _| ());
    let _ = store.most_cited(90, 3, &cx);
    let options = ShuffleOptions { memory_bytes: 1 << 20, threads: 1, ..ShuffleOptions::default() };
    let _ = store.top_anchors(3, &options, &cx);
}

/// Lines into stored links: what is counted is what comes out.
pub fn load_lines(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("links");
    let options = LoadOptions {
        shuffle: ShuffleOptions { memory_bytes: 1 << 20, threads: 1, ..ShuffleOptions::default() },
        ..LoadOptions::default()
    };
    let input = LoadInput { name: "fuzzed".to_owned(), input: Box::new(data) };
    let cx = JobCx::detached();
    let Ok(report) = load(&folder, vec![input], &options, &cx) else { return };
    let store = LinkStore::open_to_add(
        &folder,
        LinkStore::open(&folder).map_or_else(|_| Default::default(), |store| store.rules()),
    )
    .unwrap();
    let (mut links, mut captures, mut targets) = (0, 0, 0);
    store
        .each_target("", &cx, |cited| {
            let answer = store.inlinks(&cited.target, None, usize::MAX).unwrap();
            assert_eq!(answer.captures.len() as u64, cited.captures);
            assert_eq!(answer.counts, cited.counts);
            links += answer.inlinks.len() as u64;
            captures += cited.captures;
            targets += 1;
            Ok(true)
        })
        .unwrap();
    let counts = report.added.counts;
    assert_eq!((links, captures, targets), (counts.links, counts.captures, counts.targets));
}
