//! The inlink data set as Parquet, for programs that read columns.
//!
//! One row an object, its inlinks as a list, dates as UTC timestamps in
//! milliseconds. Row groups are as large as the memory they may take, so files
//! of any size are written and read as they come.

use crate::inlinks::{DatasetInlink, DatasetObject};
use crate::jobs::Cancelled;
use crate::uri::CaptureDate;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError as Inner;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{Field, Row, RowAccessor};
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

const SCHEMA: &str = "message inlinks {
    required binary url (STRING);
    required int64 count;
    required int64 countInternal;
    required int64 countExternal;
    optional int64 captureDate (TIMESTAMP(MILLIS,true));
    required group inlinks (LIST) {
        repeated group list {
            required group element {
                optional int64 date (TIMESTAMP(MILLIS,true));
                required binary source (STRING);
                required binary anchor (STRING);
            }
        }
    }
}";

/// Inlinks, or objects, that make a row group: some 50 MB in memory.
const GROUP_ROWS: usize = 250_000;

/// A data set could not be written as Parquet, or not read.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The file, or what it is written into.
    #[error("Parquet: {0}")]
    Parquet(#[from] Inner),
    /// A row is no object of the data set.
    #[error("row {row}: {why}; the columns of the inlink data set are expected")]
    Row {
        /// From 1.
        row: u64,
        /// The fault.
        why: String,
    },
    /// An error of the reader or writer of objects.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Writes objects as they come; returns their number. The same objects give the same bytes.
///
/// # Errors
///
/// What cannot be written into, or the error of an object.
pub fn write_parquet<E: From<ParquetError>>(
    objects: impl Iterator<Item = Result<DatasetObject, E>>,
    out: impl Write + Send,
) -> Result<u64, E> {
    let inner = |error: Inner| E::from(ParquetError::from(error));
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(inner)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(Default::default()))
        .set_created_by(format!("fonds {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(inner)?;
    let (mut batch, mut inlinks, mut count) = (Vec::new(), 0, 0);
    for object in objects {
        let object = object?;
        count += 1;
        inlinks += object.inlinks.len();
        batch.push(object);
        if inlinks >= GROUP_ROWS || batch.len() >= GROUP_ROWS {
            write_group(writer.next_row_group().map_err(inner)?, &batch).map_err(inner)?;
            batch.clear();
            inlinks = 0;
        }
    }
    if !batch.is_empty() {
        write_group(writer.next_row_group().map_err(inner)?, &batch).map_err(inner)?;
    }
    writer.close().map_err(inner)?;
    Ok(count)
}

fn write_group<W: Write + Send>(
    mut group: SerializedRowGroupWriter<'_, W>,
    objects: &[DatasetObject],
) -> Result<(), Inner> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let numbers =
        |group: &mut SerializedRowGroupWriter<'_, W>, values: &[i64], def: Option<&[i16]>, rep: Option<&[i16]>| {
            let Some(mut column) = group.next_column()? else { return Ok(()) };
            column.typed::<Int64Type>().write_batch(values, def, rep)?;
            column.close()
        };
    let texts = |group: &mut SerializedRowGroupWriter<'_, W>,
                 values: &[ByteArray],
                 def: Option<&[i16]>,
                 rep: Option<&[i16]>| {
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        column.typed::<ByteArrayType>().write_batch(values, def, rep)?;
        column.close()
    };
    let urls: Vec<ByteArray> = objects.iter().map(|object| object.url.as_str().into()).collect();
    texts(&mut group, &urls, None, None)?;
    for count in [
        |object: &DatasetObject| object.count,
        |object: &DatasetObject| object.count_internal,
        |object: &DatasetObject| object.count_external,
    ] {
        let counts: Vec<i64> = objects.iter().map(|object| number(count(object))).collect();
        numbers(&mut group, &counts, None, None)?;
    }
    let dates: Vec<i64> = objects.iter().filter_map(|object| object.capture_date).map(CaptureDate::millis).collect();
    let there: Vec<i16> = objects.iter().map(|object| i16::from(object.capture_date.is_some())).collect();
    numbers(&mut group, &dates, Some(&there), None)?;
    // An object without inlinks has one place of level 0; its first inlink begins a list, others go on with it.
    let (mut rep, mut def, mut date_def) = (Vec::new(), Vec::new(), Vec::new());
    for object in objects {
        if object.inlinks.is_empty() {
            rep.push(0);
            def.push(0);
            date_def.push(0);
        }
        for (at, inlink) in object.inlinks.iter().enumerate() {
            rep.push(i16::from(at > 0));
            def.push(1);
            date_def.push(if inlink.date.is_some() { 2 } else { 1 });
        }
    }
    let inlinks = || objects.iter().flat_map(|object| &object.inlinks);
    let dates: Vec<i64> = inlinks().filter_map(|inlink| inlink.date).map(CaptureDate::millis).collect();
    numbers(&mut group, &dates, Some(&date_def), Some(&rep))?;
    for text in
        [|inlink: &DatasetInlink| inlink.source.as_str().into(), |inlink: &DatasetInlink| inlink.anchor.as_str().into()]
    {
        let values: Vec<ByteArray> = inlinks().map(text).collect();
        texts(&mut group, &values, Some(&def), Some(&rep))?;
    }
    group.close()?;
    Ok(())
}

/// Passes every object of a file to `take`; returns their number.
///
/// # Errors
///
/// A file that is none of Parquet or has other columns, or an error of `take`.
pub fn read_parquet<E: From<ParquetError>>(
    file: File,
    mut take: impl FnMut(DatasetObject) -> Result<(), E>,
) -> Result<u64, E> {
    let inner = |error: Inner| E::from(ParquetError::from(error));
    let reader = SerializedFileReader::new(file).map_err(inner)?;
    let mut count = 0;
    for row in reader.get_row_iter(None).map_err(inner)? {
        count += 1;
        let row = row.map_err(inner)?;
        let object = object_of(&row).map_err(|error| ParquetError::Row { row: count, why: error.to_string() })?;
        take(object)?;
    }
    Ok(count)
}

fn object_of(row: &Row) -> Result<DatasetObject, Inner> {
    let at = |name: &str| {
        let found = row.get_column_iter().position(|(column, _)| column == name);
        found.ok_or_else(|| Inner::General(format!("it has no column {name}")))
    };
    let count = |name: &str| Ok::<u64, Inner>(u64::try_from(row.get_long(at(name)?)?).unwrap_or(0));
    let list = row.get_list(at("inlinks")?)?;
    let inlinks = list.elements().iter().map(|element| match element {
        Field::Group(inlink) => {
            let field =
                |name: &str| inlink.get_column_iter().find(|(column, _)| *column == name).map(|(_, field)| field);
            Ok(DatasetInlink {
                date: date_of(field("date"))?,
                source: text_of(field("source"))?,
                anchor: text_of(field("anchor"))?,
            })
        }
        _ => Err(Inner::General("an inlink is no group".to_owned())),
    });
    let date_at = at("captureDate")?;
    Ok(DatasetObject {
        url: row.get_string(at("url")?)?.clone(),
        count: count("count")?,
        count_internal: count("countInternal")?,
        count_external: count("countExternal")?,
        capture_date: date_of(row.get_column_iter().nth(date_at).map(|(_, field)| field))?,
        inlinks: inlinks.collect::<Result<_, _>>()?,
    })
}

fn date_of(field: Option<&Field>) -> Result<Option<CaptureDate>, Inner> {
    match field {
        Some(Field::TimestampMillis(millis)) => Ok(Some(CaptureDate::from_millis(*millis))),
        Some(Field::TimestampMicros(micros)) => Ok(Some(CaptureDate::from_millis(micros.div_euclid(1000)))),
        None | Some(Field::Null) => Ok(None),
        Some(other) => Err(Inner::General(format!("{other} is no timestamp"))),
    }
}

fn text_of(field: Option<&Field>) -> Result<String, Inner> {
    match field {
        Some(Field::Str(text)) => Ok(text.clone()),
        None | Some(Field::Null) => Ok(String::new()),
        Some(other) => Err(Inner::General(format!("{other} is no text"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Seek;

    fn object(number: u64) -> DatasetObject {
        let date = |n: u64| CaptureDate::from_seconds(-86_400 + 7_919 * n as i64);
        let inlink = |n: u64| DatasetInlink {
            date: (!n.is_multiple_of(3)).then(|| date(n)),
            source: format!("(pt,fonte{n},"),
            anchor: ["", "Fundação \u{0}\n\"x\"", "東京"][n as usize % 3].to_owned(),
        };
        DatasetObject {
            url: format!("(pt,a{number},)/"),
            count: number,
            count_internal: number / 2,
            count_external: number - number / 2,
            capture_date: number.is_multiple_of(2).then(|| date(number)),
            inlinks: (0..number % 5).map(inlink).collect(),
        }
    }

    fn written(objects: u64) -> File {
        let mut file = tempfile::tempfile().unwrap();
        let all = (0..objects).map(|number| Ok::<_, ParquetError>(object(number)));
        assert_eq!(write_parquet(all, &mut file).unwrap(), objects);
        file.rewind().unwrap();
        file
    }

    #[test]
    fn objects_come_back_as_they_went() {
        for objects in [0, 1, 1000] {
            let mut read = Vec::new();
            let count = read_parquet(written(objects), |object| {
                read.push(object);
                Ok::<_, ParquetError>(())
            });
            assert_eq!(count.unwrap(), objects);
            assert!(read == (0..objects).map(object).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_same_objects_give_the_same_bytes_and_other_files_are_refused() {
        let bytes = |mut file: File| {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
            bytes
        };
        assert!(bytes(written(100)) == bytes(written(100)));
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"{\"url\":\"x\"}\n").unwrap();
        let refused = read_parquet(file, |_| Ok::<_, ParquetError>(())).unwrap_err();
        assert!(refused.to_string().starts_with("Parquet: "), "{refused}");
    }
}
