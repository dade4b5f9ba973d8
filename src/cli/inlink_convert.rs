//! `fonds inlinks convert`: a data set in another form.

use super::FINE;
use super::output::{Existing, in_file, to_file};
use crate::jobs::{CountedRead, JobCx, OnStop};
use crate::links::stored::load::decoded;
use anyhow::Context;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The words of `fonds inlinks convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks convert inlinks.jsonl inlinks.jsonl.zst
  fonds inlinks convert PWA9609.jsonl.gz inlinks.parquet
  fonds inlinks convert inlinks.parquet - | fonds inlinks load my-links

Names say the form to write: .gz, .zst, .parquet, else plain lines. What is read is told by its content. Files of any
size pass through little memory. Parquet needs a program built with the feature parquet.")]
pub struct ConvertArgs {
    /// Data set to read, plain, gzip, zstd or Parquet
    input: PathBuf,
    /// File to write, which must not exist; - for plain lines on standard output
    output: PathBuf,
}

const PARQUET_MAGIC: [u8; 4] = *b"PAR1";

/// One form in, another one out.
pub(super) fn convert(args: &ConvertArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let name = args.input.display().to_string();
    let mut file = File::open(&args.input).with_context(|| name.clone())?;
    let total = file.metadata().with_context(|| name.clone())?.len();
    let mut magic = [0; 4];
    let from_parquet = read_begin(&mut file, &mut magic).with_context(|| name.clone())? && magic == PARQUET_MAGIC;
    // The place in the file was moved by the look.
    let file = File::open(&args.input).with_context(|| name.clone())?;
    cx.stage_in_bytes("Converting", Some(total));
    let to_stdout = args.output == Path::new("-");
    let to_parquet = args.output.extension().is_some_and(|extension| extension == "parquet");
    if to_stdout {
        return if from_parquet { parquet::to_lines(file, out) } else { repack(file, out, cx) }.with_context(|| name);
    }
    anyhow::ensure!(!(from_parquet && to_parquet), "{name} is a Parquet file already");
    if to_parquet {
        return in_file(&args.output, Existing::Stays, |out| parquet::from_lines(file, out, cx).with_context(|| name));
    }
    to_file(Some(&args.output), Existing::Stays, out, |out| {
        if from_parquet { parquet::to_lines(file, out) } else { repack(file, out, cx) }.with_context(|| name)
    })
}

fn read_begin(file: &mut File, begin: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact(begin) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Lines stay the bytes they are.
fn repack(file: File, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let mut input = decoded(CountedRead::new(file, OnStop::Fail, cx))?;
    std::io::copy(&mut input, out)?;
    out.flush()?;
    cx.checkpoint()?;
    Ok(FINE)
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::super::PROBLEMS;
    use super::{CountedRead, FINE, File, JobCx, OnStop, Write, decoded};
    use crate::export::{read_parquet, write_parquet};
    use crate::links::{DatasetError, read_dataset};

    /// Lines that are no objects are left out and told.
    pub(super) fn from_lines(file: File, out: &mut (impl Write + Send), cx: &JobCx) -> anyhow::Result<u8> {
        let mut bad = 0_u64;
        let objects =
            read_dataset(decoded(CountedRead::new(file, OnStop::Fail, cx))?).filter_map(|object| match object {
                Ok(object) => Some(Ok(object)),
                Err(error @ DatasetError::Line { .. }) => {
                    if bad == 0 {
                        eprintln!("the first line that is no object: {error}");
                    }
                    bad += 1;
                    None
                }
                Err(error) => Some(Err(anyhow::Error::from(error))),
            });
        let count = write_parquet(objects, out)?;
        eprintln!("{}; {} left out", crate::jobs::counted(count, "object"), crate::jobs::counted(bad, "line"));
        Ok(if bad > 0 { PROBLEMS } else { FINE })
    }

    pub(super) fn to_lines(file: File, out: &mut dyn Write) -> anyhow::Result<u8> {
        let count = read_parquet(file, |object| Ok::<_, anyhow::Error>(object.write_line(out)?))?;
        out.flush()?;
        eprintln!("{count} objects");
        Ok(FINE)
    }
}

#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{File, JobCx, Write};

    fn refuse() -> anyhow::Result<u8> {
        anyhow::bail!(
            "this program reads and writes no Parquet; build it with: cargo build --release --features parquet"
        )
    }

    pub(super) fn from_lines(_: File, _: &mut impl Write, _: &JobCx) -> anyhow::Result<u8> {
        refuse()
    }

    pub(super) fn to_lines(_: File, _: &mut dyn Write) -> anyhow::Result<u8> {
        refuse()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"url":"(pt,fct,","count":1,"countInternal":0,"countExternal":1,"captureDate":"2024-03-01T09:00:00","inlinks":[{"date":"2024-03-01T10:00:00","source":"(pt,fccn,","anchor":"Fundação"}]}"#,
        "\n",
        r#"{"url":"(pt,fct,)/x","count":0,"countInternal":0,"countExternal":0,"captureDate":null,"inlinks":[]}"#,
        "\n",
    );

    fn run(input: &Path, output: &Path) -> anyhow::Result<(u8, String)> {
        let args = ConvertArgs { input: input.to_owned(), output: output.to_owned() };
        let mut out = Vec::new();
        let status = convert(&args, &mut out, &JobCx::detached())?;
        Ok((status, String::from_utf8(out)?))
    }

    #[test]
    fn a_data_set_goes_through_every_form_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.jsonl");
        std::fs::write(&plain, LINES).unwrap();
        let forms: &[&str] = if cfg!(feature = "parquet") {
            &["a.gz", "b.zst", "c.parquet", "d.jsonl"]
        } else {
            &["a.gz", "b.zst", "d.jsonl"]
        };
        let mut last = plain;
        for form in forms {
            let next = folder.path().join(form);
            assert_eq!(run(&last, &next).unwrap(), (FINE, String::new()), "{form}");
            assert_eq!(run(&next, Path::new("-")).unwrap(), (FINE, LINES.to_owned()), "{form}");
            last = next;
        }
        assert_eq!(std::fs::read_to_string(&last).unwrap(), LINES);
        let refused = run(&last, &last).unwrap_err().to_string();
        assert!(refused.contains("Choose a file that does not exist yet"), "{refused}");
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn without_parquet_it_says_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.jsonl");
        std::fs::write(&plain, LINES).unwrap();
        let refused = format!("{:#}", run(&plain, &folder.path().join("a.parquet")).unwrap_err());
        assert!(refused.contains("--features parquet"), "{refused}");
    }
}
