//! The filters against the build on one machine.

use super::*;
use crate::links::invert::{AssignOptions, Shape, ShuffleOptions};
use crate::links::{DatasetBuilder, MAX_PAGE_BYTES, testing};
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

fn reduce(rows: &str, columns: Columns, options: &DatasetOptions) -> (String, ReduceReport) {
    let mut lines = Vec::new();
    let take = |piece: &[u8]| {
        lines.extend_from_slice(piece);
        Ok(())
    };
    let report = reduce_rows(rows.as_bytes(), columns, options, &JobCx::detached(), take).unwrap();
    (String::from_utf8(lines).unwrap(), report)
}

fn build(files: &[PathBuf], options: &DatasetOptions) -> String {
    let mut builder = DatasetBuilder::new(options.clone(), &JobCx::detached());
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
    assert!(reduce(&rows, Columns::Map, &options(2, 64 << 20)).0 == expected);
    // As a shuffle elsewhere has it: sorted, and split between two reducers.
    let mut sorted: Vec<&str> = rows.lines().collect();
    sorted.sort_unstable();
    let middle = sorted[sorted.len() / 2].split('\t').next().unwrap();
    let (one, two): (Vec<&str>, Vec<&str>) = sorted.iter().partition(|row| row.split('\t').next().unwrap() < middle);
    let halves: String =
        [one, two].map(|rows| reduce(&rows.join("\n"), Columns::Map, &options(1, 0)).0).into_iter().collect();
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
    let (lines, report) = reduce(rows, Columns::Table, &all);
    assert_eq!(
        lines,
        "{\"url\":\"pt,a)/x\",\"count\":2,\"countInternal\":1,\"countExternal\":1,\"captureDate\":\"2024-03-01T09:00:00\",\
         \"inlinks\":[{\"date\":\"2024-03-01T09:00:00\",\"source\":\"pt,a)/y\",\"anchor\":\"Texto\"},\
         {\"date\":\"2024-03-01T09:00:00\",\"source\":\"pt,b)/\",\"anchor\":\"Fora\"}]}\n"
    );
    assert_eq!(report.bad_lines, 0);
}

#[test]
fn lines_that_are_no_rows_are_counted_and_the_first_is_told() {
    let rows = "(pt,a,\t20240301090000\r\n\nnonsense\n(pt,a,\t20240301090000\t(pt,b,\tinternal\ta \"b\"\n(pt,a,\tx\n\
        (pt,a,\t20240301090000\t(pt,b,\tsideways\ta";
    let (lines, report) = reduce(rows, Columns::Map, &options(1, 0));
    assert_eq!(lines.lines().count(), 1);
    assert!(lines.contains(r#""anchor":"a \"b\"""#));
    assert_eq!(report.bad_lines, 3);
    let (number, why) = report.first_bad.unwrap();
    assert_eq!((number, why.as_str()), (3, "it has one column; two make a capture, more a link"));
}
