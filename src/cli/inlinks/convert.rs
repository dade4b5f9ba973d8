//! `fonds inlinks convert`: a data set in another form.

use super::dataset::MAX_PRINTED;
use super::options::NotationArg;
use crate::cli::output::{in_file, plain, to_file};
use crate::cli::{FINE, PROBLEMS};
use crate::inlinks::stored::load::decoded;
use crate::inlinks::{DatasetError, DatasetLines, Notation, object_of};
use crate::jobs::{CountedRead, Existing, JobCx, OnStop, counted};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Arguments of `fonds inlinks convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks convert inlinks.jsonl inlinks.jsonl.zst
  fonds inlinks convert PWA9609.jsonl.gz inlinks.parquet
  fonds inlinks convert inlinks.parquet - | fonds inlinks load my-links
  fonds inlinks convert --notation cdx inlinks.jsonl.gz inlinks-cdx.jsonl.gz

Names say the form to write: .gz, .zst, .parquet, else plain lines. Input is recognized by its content. Files of any
size pass through little memory. Lines that are no objects of a data set are left out and counted, the first ones listed
with their numbers; all others stay the bytes they are. An input in which no line is one is refused, and no file is
written. Parquet needs a program built with the feature parquet.

--notation cdx makes pt,fct)/sobre of (pt,fct,)/sobre, each key the one that its URL has there. Objects stay as many
and in their order: two pages that CDX keys do not tell apart (/sobre and /sobre/) are two lines with one key. There
is no way back: CDX keys have forgotten the order of the query, the last slash and more. For a data set that is
grouped by the other notation run fonds inlinks dataset --notation on the archive files.")]
pub struct InlinkConvertArgs {
    /// Data set to read, plain, gzip, zstd or Parquet
    input: PathBuf,
    /// File to write, which must not exist; - for plain lines on standard output
    output: PathBuf,
    /// Write keys as CDX files do, pt,fct)/sobre [default: as they are]
    #[arg(long, value_enum, value_name = "NAME")]
    notation: Option<NotationArg>,
}

/// Refuses to write lines under the name of a Parquet file.
pub(in crate::cli) fn no_parquet(out: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = out.filter(|path| is_parquet(path)) else { return Ok(()) };
    let (path, lines) = (path.display(), path.with_extension("jsonl.gz"));
    let lines = lines.display();
    anyhow::bail!(
        "{path}: lines are written here, and no Parquet; write them to {lines}, and then run: \
         fonds inlinks convert {lines} {path}"
    )
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

const PARQUET_MAGIC: [u8; 4] = *b"PAR1";

/// Converts a data set from one form to another.
pub(in crate::cli) fn convert(args: &InlinkConvertArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let name = args.input.display().to_string();
    let mut file = File::open(&args.input).with_context(|| name.clone())?;
    let total = file.metadata().with_context(|| name.clone())?.len();
    let mut magic = [0; 4];
    let from_parquet = read_begin(&mut file, &mut magic).with_context(|| name.clone())? && magic == PARQUET_MAGIC;
    // The place in the file was moved by the look.
    let file = File::open(&args.input).with_context(|| name.clone())?;
    cx.stage_in_bytes("Converting", Some(total));
    let notation = args.notation.map(NotationArg::notation);
    let to_lines = |out: &mut dyn Write| -> anyhow::Result<u8> {
        let written = match from_parquet {
            true => parquet::to_lines(file.try_clone()?, notation, out),
            false => repack(file.try_clone()?, notation, out, cx),
        };
        written.with_context(|| name.clone())
    };
    if args.output == Path::new("-") {
        return to_lines(out);
    }
    if is_parquet(&args.output) {
        anyhow::ensure!(
            !from_parquet,
            "{name} is a Parquet file already; write its lines, to a name that ends in .jsonl"
        );
        return in_file(&args.output, Existing::Stays, |out| {
            parquet::from_lines(file, notation, out, cx).with_context(|| name)
        });
    }
    to_file(Some(&args.output), Existing::Stays, out, to_lines)
}

fn read_begin(file: &mut File, begin: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact(begin) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Lines that are broken are left out; the others stay the bytes they are, but
/// for their keys where they are to be others.
fn repack(file: File, notation: Option<Notation>, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let mut lines = DatasetLines::new(decoded(CountedRead::new(file, OnStop::Fail, cx))?);
    let (mut bad, mut written) = (BadLines::default(), 0);
    while let Some(line) = lines.next_line() {
        let (number, line) = line?;
        let mut object: Object = match object_of(line) {
            Ok(object) => object,
            Err(source) => {
                bad.report(DatasetError::Line { line: number, source });
                continue;
            }
        };
        if let Some(notation) = notation {
            let rekeyed = object.keys().try_for_each(|key| rekey(key, notation));
            match rekeyed {
                Ok(()) => out.write_all(&serde_json::to_vec(&object)?)?,
                Err(NoKey::Unknown(why)) => {
                    bad.report(format_args!("line {number}: {why}"));
                    continue;
                }
                Err(NoKey::NoWay(why)) => anyhow::bail!("line {number}: {why}"),
            }
        } else {
            out.write_all(line.strip_suffix(b"\n").unwrap_or(line))?;
        }
        out.write_all(b"\n")?;
        written += 1;
    }
    out.flush()?;
    cx.checkpoint()?;
    bad.status(written)
}

/// A line of a data set with its times as they are written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    url: String,
    count: u64,
    count_internal: u64,
    count_external: u64,
    #[serde(default)]
    capture_date: Option<String>,
    #[serde(default)]
    inlinks: Option<Vec<Inlink>>,
}

#[derive(Serialize, Deserialize)]
struct Inlink {
    #[serde(default)]
    date: Option<String>,
    source: String,
    #[serde(default)]
    anchor: Option<String>,
}

impl Object {
    fn keys(&mut self) -> impl Iterator<Item = &mut String> {
        let sources = self.inlinks.iter_mut().flatten().map(|inlink| &mut inlink.source);
        std::iter::once(&mut self.url).chain(sources)
    }
}

/// A key that cannot be written in another notation.
enum NoKey {
    /// It names no page.
    Unknown(String),
    /// It does not know enough.
    NoWay(String),
}

fn rekey(key: &mut String, target: Notation) -> Result<(), NoKey> {
    match Notation::of_key(key) {
        _ if key.starts_with("data:") => Ok(()),
        notation if notation == target => Ok(()),
        Notation::Dataset => {
            let url = Notation::Dataset.likely_url(key);
            let url = url.ok_or_else(|| NoKey::Unknown(format!("“{}” is the key of no page", plain(key))))?;
            *key = target.key(&url);
            Ok(())
        }
        _ => Err(NoKey::NoWay(format!(
            "“{}” is a CDX key, which has forgotten what the other notation tells apart (the order of a query, a last \
             slash); make the data set of its archive files: fonds inlinks dataset FILE…",
            plain(key)
        ))),
    }
}

/// Number of lines left out; the first ones are printed.
#[derive(Default)]
struct BadLines(u64);

impl BadLines {
    fn report(&mut self, why: impl std::fmt::Display) {
        self.0 += 1;
        if self.0 <= MAX_PRINTED {
            notice!("left out: {why}");
        }
    }

    /// Refuses an input of which nothing is left.
    fn status(&self, written: u64) -> anyhow::Result<u8> {
        if self.0 == 0 {
            return Ok(FINE);
        }
        anyhow::ensure!(written > 0, "no line is an object of a data set, and nothing was written");
        notice!("{} left out", counted(self.0, "line"));
        Ok(PROBLEMS)
    }
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::{BadLines, CountedRead, File, JobCx, NoKey, OnStop, Write, counted, decoded, rekey};
    use crate::export::{read_parquet, write_parquet};
    use crate::inlinks::{DatasetError, DatasetObject, Notation, read_dataset};

    fn rekeyed(mut object: DatasetObject, notation: Option<Notation>) -> Result<DatasetObject, NoKey> {
        if let Some(notation) = notation {
            let sources = object.inlinks.iter_mut().map(|inlink| &mut inlink.source);
            std::iter::once(&mut object.url).chain(sources).try_for_each(|key| rekey(key, notation))?;
        }
        Ok(object)
    }

    /// Lines that are no objects are left out and reported.
    pub(super) fn from_lines(
        file: File,
        notation: Option<Notation>,
        out: &mut (impl Write + Send),
        cx: &JobCx,
    ) -> anyhow::Result<u8> {
        let mut bad = BadLines::default();
        let objects = read_dataset(decoded(CountedRead::new(file, OnStop::Fail, cx))?);
        let objects = objects.filter_map(|object| match object {
            Ok(object) => match rekeyed(object, notation) {
                Ok(object) => Some(Ok(object)),
                Err(NoKey::Unknown(why)) => {
                    bad.report(why);
                    None
                }
                Err(NoKey::NoWay(why)) => Some(Err(anyhow::Error::msg(why))),
            },
            Err(error @ DatasetError::Line { .. }) => {
                bad.report(error);
                None
            }
            Err(error) => Some(Err(anyhow::Error::from(error))),
        });
        let count = write_parquet(objects, out)?;
        notice!("{}", counted(count, "object"));
        bad.status(count)
    }

    pub(super) fn to_lines(file: File, notation: Option<Notation>, out: &mut dyn Write) -> anyhow::Result<u8> {
        let mut bad = BadLines::default();
        let count = read_parquet(file, |object| {
            match rekeyed(object, notation) {
                Ok(object) => object.write_line(out)?,
                Err(NoKey::Unknown(why)) => bad.report(why),
                Err(NoKey::NoWay(why)) => anyhow::bail!(why),
            }
            Ok::<_, anyhow::Error>(())
        })?;
        out.flush()?;
        notice!("{}", counted(count, "object"));
        bad.status(count)
    }
}

#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{File, JobCx, Notation, Write};

    fn refuse() -> anyhow::Result<u8> {
        anyhow::bail!(
            "this program reads and writes no Parquet; build it with: cargo build --release --features parquet"
        )
    }

    pub(super) fn from_lines(_: File, _: Option<Notation>, _: &mut impl Write, _: &JobCx) -> anyhow::Result<u8> {
        refuse()
    }

    pub(super) fn to_lines(_: File, _: Option<Notation>, _: &mut dyn Write) -> anyhow::Result<u8> {
        refuse()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::Url;
    use proptest::prelude::*;

    const LINES: &str = concat!(
        r#"{"url":"(pt,fct,","count":1,"countInternal":0,"countExternal":1,"captureDate":"2024-03-01T09:00:00","inlinks":[{"date":"2024-03-01T10:00:00","source":"(pt,fccn,","anchor":"Fundação"}]}"#,
        "\n",
        r#"{"url":"(pt,fct,)/x","count":0,"countInternal":0,"countExternal":0,"captureDate":null,"inlinks":[]}"#,
        "\n",
    );

    fn run(input: &Path, output: &Path) -> anyhow::Result<(u8, String)> {
        let args = InlinkConvertArgs { input: input.to_owned(), output: output.to_owned(), notation: None };
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

    #[test]
    fn broken_lines_are_left_out_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, out) = (folder.path().join("a.jsonl"), folder.path().join("b.gz"));
        std::fs::write(&plain, format!("\u{feff}{LINES}no object\r\n\n{{\"url\":1}}\n{LINES}")).unwrap();
        assert_eq!(run(&plain, &out).unwrap(), (PROBLEMS, String::new()));
        assert_eq!(run(&out, Path::new("-")).unwrap(), (FINE, [LINES, LINES].concat()));
    }

    #[test]
    fn keys_are_written_as_cdx_files_have_them_and_not_back() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two, three] = ["a.jsonl", "b.jsonl", "c.jsonl"].map(|name| folder.path().join(name));
        let object = |url: &str, source: &str| {
            let counts = r#""count":1,"countInternal":0,"countExternal":1,"captureDate":"2024-03-01T09:00""#;
            format!(r#"{{"url":"{url}",{counts},"inlinks":[{{"date":null,"source":"{source}","anchor":"Olá"}}]}}"#)
                + "\n"
        };
        let lines = [object("(pt,fct,", "(pt,fccn,:8080)/X/?b=2&a=1"), object("data:x", "(1.2.3.4)/y/")].concat();
        std::fs::write(&one, &lines).unwrap();
        let written = |input: &Path, output: &Path, notation| {
            let (input, output) = (input.to_owned(), output.to_owned());
            convert(&InlinkConvertArgs { input, output, notation: Some(notation) }, &mut Vec::new(), &JobCx::detached())
        };
        assert_eq!(written(&one, &two, NotationArg::Cdx).unwrap(), FINE);
        let converted = [object("pt,fct)/", "pt,fccn:8080)/x?a=1&b=2"), object("data:x", "4,3,2,1)/y")].concat();
        assert_eq!(std::fs::read_to_string(&two).unwrap(), converted);
        // Keys that are right already stay.
        assert_eq!(written(&two, &three, NotationArg::Cdx).unwrap(), FINE);
        assert_eq!(std::fs::read_to_string(&three).unwrap(), converted);
        std::fs::remove_file(&three).unwrap();
        let why = format!("{:#}", written(&two, &three, NotationArg::Dataset).unwrap_err());
        assert!(why.contains("line 1: “pt,fct)/” is a CDX key") && !three.exists(), "{why}");
        std::fs::write(&one, [object("(pt,fct,", "(,)/"), lines].concat()).unwrap();
        std::fs::remove_file(&two).unwrap();
        assert_eq!(written(&one, &two, NotationArg::Cdx).unwrap(), PROBLEMS);
        assert_eq!(std::fs::read_to_string(&two).unwrap(), converted);
    }

    proptest! {
        #[test]
        fn a_key_becomes_the_one_that_its_url_has(
            scheme in "https?",
            host in "(www\\.|WWW2\\.|ww2\\.)?[a-z0-9é-]{1,6}(\\.[A-Za-z_]{1,4}){0,2}|1\\.2\\.3\\.4|\\[::1\\]",
            user in "(u(:p)?@)?",
            port in "(:(80|443|8080|21))?",
            path in "(/[a-zA-Z0-9é%~|'\"\\[\\]@:;=+*.,()!$&^`{}\\\\ -]{0,6}){0,4}(/(%[0-9a-fA-F]{2}){0,3})?(;jsessionid=[0-9A-F]{32})?",
            query in "(\\?(([a-zA-C]|PHPSESSID|sid|%2[56])=?[a-zA-C0-9%+/é'\"]{0,4}&){0,4}(PHPSESSID=[0-9A-Fa-f]{32})?)?",
        ) {
            let Ok(url) = Url::parse(&format!("{scheme}://{user}{host}{port}{path}{query}")) else { return Ok(()) };
            let mut key = Notation::Dataset.key(&url);
            prop_assert!(rekey(&mut key, Notation::Cdx).is_ok(), "{key}");
            prop_assert_eq!(key, Notation::Cdx.key(&url), "{}", url);
        }
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn without_parquet_the_message_names_the_build_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.jsonl");
        std::fs::write(&plain, LINES).unwrap();
        let refused = format!("{:#}", run(&plain, &folder.path().join("a.parquet")).unwrap_err());
        assert!(refused.contains("--features parquet"), "{refused}");
    }
}
