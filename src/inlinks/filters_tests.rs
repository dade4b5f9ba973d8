//! Compares the filters with a build on one machine.

use super::*;
use crate::inlinks::DatasetBuilder;
use crate::inlinks::invert::{AssignOptions, Shape, ShuffleOptions};
use crate::links::MAX_PAGE_BYTES;
use crate::testing;
use crate::warc::read_record_at;

fn fetch(files: &[PathBuf]) -> impl FnMut(Place) -> Result<Record, WarcError> + '_ {
    |place| read_record_at(&files[place.file as usize], place.offset, MAX_PAGE_BYTES)
}

fn options(threads: usize, memory_bytes: usize) -> DatasetOptions {
    DatasetOptions {
        shuffle: ShuffleOptions { threads, memory_bytes, ..ShuffleOptions::default() },
        ..DatasetOptions::default()
    }
}

fn map(files: &[PathBuf], options: &DatasetOptions) -> String {
    let mut lines = Vec::new();
    let take = |piece: Vec<u8>| {
        lines.extend_from_slice(&piece);
        Ok(())
    };
    map_files(files, options, &JobCx::detached(), |_, _| (), fetch(files), take).unwrap();
    String::from_utf8(lines).unwrap()
}

fn reduce(rows: &str, columns: RowColumns, options: &DatasetOptions) -> (String, ReduceReport) {
    let mut lines = Vec::new();
    let take = |piece: &[u8]| {
        lines.extend_from_slice(piece);
        Ok(())
    };
    let report = reduce_rows(rows.as_bytes(), columns, options, &JobCx::detached(), take).unwrap();
    (String::from_utf8(lines).unwrap(), report)
}

fn build(files: &[PathBuf], options: &DatasetOptions) -> String {
    let mut builder = DatasetBuilder::new(options.clone(), &JobCx::detached()).unwrap();
    builder.add_files(files, |_, _| ()).unwrap();
    let mut lines = Vec::new();
    let take = |piece: &[u8]| {
        lines.extend_from_slice(piece);
        Ok(())
    };
    builder.finish(fetch(files), take).unwrap();
    String::from_utf8(lines).unwrap()
}

#[test]
fn map_sort_and_reduce_give_the_bytes_of_a_build() {
    let names = ["warc/real/blackbook.warc.gz", "warc/revisit/heritrix-2013-revisit.warc.gz"];
    let files: Vec<PathBuf> = names.iter().filter_map(|name| testing::data(name)).collect();
    if files.len() < names.len() {
        return;
    }
    let files = [files, vec![testing::data("warc/revisit/heritrix-2013-original.warc.gz").unwrap()]].concat();
    let expected = build(&files, &options(1, 64 << 20));
    assert!(expected.lines().count() > 100);
    assert!(build(&files, &options(3, 0)) == expected);
    let rows = map(&files, &options(1, 0));
    assert!(map(&files, &options(4, 0)) == rows);
    assert!(reduce(&rows, RowColumns::Map, &options(2, 64 << 20)).0 == expected);
    // As a shuffle elsewhere has it: sorted, and split between two reducers.
    let mut sorted: Vec<&str> = rows.lines().collect();
    sorted.sort_unstable();
    let middle = sorted[sorted.len() / 2].split('\t').next().unwrap();
    let (one, two): (Vec<&str>, Vec<&str>) = sorted.iter().partition(|row| row.split('\t').next().unwrap() < middle);
    let halves: String =
        [one, two].map(|rows| reduce(&rows.join("\n"), RowColumns::Map, &options(1, 0)).0).into_iter().collect();
    assert!(halves == expected);
}

#[test]
fn a_table_of_links_and_captures_is_reduced() {
    let rows = "pt,a)/x\tpt,a)/y\t1709283600\tTexto\n\
        pt,a)/x\tpt,b)/\t20240301090000\tFora\n\
        pt,a)/x\t1709283600\n";
    let all = DatasetOptions {
        assign: AssignOptions { shape: Shape::PerCapture, ..AssignOptions::default() },
        ..options(2, 1 << 20)
    };
    let (lines, report) = reduce(rows, RowColumns::Table, &all);
    assert_eq!(
        lines,
        "{\"url\":\"pt,a)/x\",\"count\":2,\"countInternal\":1,\"countExternal\":1,\"captureDate\":\"2024-03-01T09:00:00\",\
         \"inlinks\":[{\"date\":\"2024-03-01T09:00:00\",\"source\":\"pt,a)/y\",\"anchor\":\"Texto\"},\
         {\"date\":\"2024-03-01T09:00:00\",\"source\":\"pt,b)/\",\"anchor\":\"Fora\"}]}\n"
    );
    assert_eq!(report.bad_lines, 0);
}

#[test]
fn digits_of_a_table_are_a_day_or_seconds() {
    let per_capture = DatasetOptions {
        assign: AssignOptions { shape: Shape::PerCapture, ..AssignOptions::default() },
        ..options(1, 1 << 20)
    };
    let date_of = |text: &str| {
        let (lines, report) = reduce(&format!("pt,a)/x\t{text}\n"), RowColumns::Table, &per_capture);
        let date = lines.split("\"captureDate\":\"").nth(1).and_then(|rest| rest.split('"').next());
        (date.map(str::to_owned), report.bad_lines)
    };
    let day = |text: &str| (Some(text.to_owned()), 0);
    assert_eq!(date_of("20090601"), day("2009-06-01T00:00:00"));
    assert_eq!(date_of("2009"), day("2009-01-01T00:00:00"));
    assert_eq!(date_of("915148800"), day("1999-01-01T00:00:00"));
    assert_eq!(date_of("1709283600"), day("2024-03-01T09:00:00"));
    assert_eq!(date_of("-86400"), day("1969-12-31T00:00:00"));
    assert_eq!(date_of("20091399"), (None, 1));
}

#[test]
fn lines_that_are_no_rows_are_counted_and_the_first_is_shown() {
    let rows = "\u{feff}(pt,a,\t20240301090000\r\n\nnonsense\n(pt,a,\t20240301090000\t(pt,b,\tinternal\ta \"b\"\n(pt,a,\tx\n\
        (pt,a,\t20240301090000\t(pt,b,\tsideways\ta";
    let (lines, report) = reduce(rows, RowColumns::Map, &options(1, 0));
    assert_eq!(lines.lines().count(), 1);
    assert!(lines.contains(r#""anchor":"a \"b\"""#));
    assert_eq!(report.bad_lines, 3);
    let (number, why) = report.first_bad.unwrap();
    assert_eq!((number, why.as_str()), (3, "it has one column; two make a capture, more a link"));
}

#[test]
fn lines_of_revisits_go_out_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..2000).map(|n| format!("<a href='/{n:060}'>the words of link {n}</a>")).collect();
    let mut bytes = testing::page_record("http://a.pt/", &links);
    (0..40).for_each(|n| bytes.extend(testing::revisit_record(&format!("http://a.pt/{n}"), "http://a.pt/")));
    let files = [folder.path().join("a.warc")];
    std::fs::write(&files[0], bytes).unwrap();
    let mut pieces = Vec::new();
    let take = |piece: Vec<u8>| {
        pieces.push(piece.len());
        Ok(())
    };
    map_files(&files, &options(1, 0), &JobCx::detached(), |_, _| (), fetch(&files), take).unwrap();
    let (all, largest) = (pieces.iter().sum::<usize>(), *pieces.iter().max().unwrap());
    assert!(all > 8 * LINES_BYTES && largest < 2 * LINES_BYTES, "{largest} of {all}");
    let lines = map(&files, &options(1, 0)).lines().count();
    assert_eq!(lines, 41 * 2001);
}

#[test]
fn pieces_wait_for_those_before_them_and_not_without_limit() {
    let ordered = InOrder::new(|_: Vec<u8>| Ok(()));
    let given = std::sync::atomic::AtomicUsize::new(0);
    let piece = || vec![b'x'; MAX_WAITING_BYTES / 4];
    std::thread::scope(|scope| {
        let fast = scope.spawn(|| {
            for number in 1..10 {
                ordered.take(number, &mut piece()).unwrap();
                given.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            }
        });
        while given.load(std::sync::atomic::Ordering::SeqCst) < 4 {
            std::thread::yield_now();
        }
        assert!(!fast.is_finished() && ordered.state().waiting_bytes == MAX_WAITING_BYTES);
        ordered.take(0, &mut piece()).unwrap();
    });
    assert_eq!(ordered.state().next, 10);
    // Where the one that is waited for fails, nobody waits for ever.
    ordered.take(11, &mut vec![b'x'; MAX_WAITING_BYTES]).unwrap();
    ordered.is_over();
    ordered.take(12, &mut piece()).unwrap();
}
