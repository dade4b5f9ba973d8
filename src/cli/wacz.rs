//! `fonds wacz`: packages of archive files.

use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::export::{PackageOptions, write_package};
use crate::jobs::{counted, remove_left};
use crate::keys::{KnownKeys, SigningKey, SystemKeychain};
use crate::warc::wacz::{ExtractError, Member, PageReader, Signature, Wacz, WaczReport};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Commands for WACZ packages.
#[derive(Debug, clap::Subcommand)]
pub enum WaczCommand {
    /// Say what is in a package.
    Ls(WaczLsArgs),
    /// Say what is wrong with packages, and who signed them.
    Check(WaczCheckArgs),
    /// Pack WARC files, an index and a list of pages.
    Create(CreateArgs),
    /// Write members of a package as files.
    Extract(ExtractArgs),
}

/// Arguments of `fonds wacz ls`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds wacz ls crawl.wacz\n  fonds wacz ls --pages --json crawl.wacz | jq -r .url\n\n\
    Columns: bytes, how it is packed, name.\n\
    Exit status 1 says that members are set aside or the package says nothing of itself."
)]
pub struct WaczLsArgs {
    /// Package.
    file: PathBuf,
    /// The pages instead of the members.
    #[arg(long)]
    pages: bool,
    /// One object a member or page, after one for the package.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds wacz check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds wacz check *.wacz\n\n\
    Looks at every member and its digest, the digest and signature of the package, pages, every record of\n\
    the WARC files, and whether every line of the index leads to its record.\n\
    Exit status: 0 nothing is wrong, 1 problems were found, 2 a file cannot be read at all.")]
pub struct WaczCheckArgs {
    /// Packages.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One object a problem or note and one a file.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds wacz create`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds wacz create crawl.wacz crawl-*.warc.gz --title 'My crawl'\n  \
    fonds wacz create crawl.wacz crawl.warc.gz --pages pages.jsonl --text\n\n\
    WARC files are stored as they are; pages are the captures of HTML. The package is read back and checked.\n\
    Exit status 1 says that records of the WARC files or lines of the list of pages have problems.")]
pub struct CreateArgs {
    /// Package to write; must not exist.
    out: PathBuf,
    /// WARC files, plain or gzip per record.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Title.
    #[arg(long, default_value = "")]
    title: String,
    /// Longer description, in Markdown.
    #[arg(long, default_value = "")]
    description: String,
    /// Page to begin with.
    #[arg(long)]
    main_page: Option<String>,
    /// List of pages to take, as JSON lines with url, ts and title, instead of looking for pages.
    #[arg(long)]
    pages: Option<PathBuf>,
    /// Keep the texts of pages in the list, so that they can be searched.
    #[arg(long)]
    text: bool,
    /// Sign the package with the key of this name in the system's keychain (anonymous
    /// form of the specification); fonds key new makes one.
    #[arg(long, value_name = "NAME")]
    sign: Option<String>,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds wacz extract`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds wacz extract crawl.wacz --out crawl\n  \
    fonds wacz extract crawl.wacz --out crawl archive/data.warc.gz\n\n\
    Members whose names lead out of the folder, stand twice or clash with others, that are damaged or zip\n\
    bombs are not written; they are listed on standard error, with exit status 1.")]
pub struct ExtractArgs {
    /// Package.
    file: PathBuf,
    /// Members; all where none is named.
    members: Vec<String>,
    /// Folder to write; made if absent, refused if it holds something.
    #[arg(long)]
    out: PathBuf,
    /// One object a file.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: WaczCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        WaczCommand::Ls(args) => ls(&args, out),
        WaczCommand::Check(args) => check(&args, out),
        WaczCommand::Create(args) => create(&args, out),
        WaczCommand::Extract(args) => extract(&args, out),
    }
}

/// Opens a package and prints its problems at first sight.
fn open(path: &std::path::Path) -> anyhow::Result<(Wacz, u8)> {
    let wacz = Wacz::open(path)?;
    let mut status = FINE;
    for problem in wacz.problems() {
        status = PROBLEMS;
        warn_of!("problems of packages", "{}: {}", plain(&path.display().to_string()), plain(&problem.to_string()));
    }
    Ok((wacz, status))
}

fn ls(args: &WaczLsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (wacz, mut status) = open(&args.file)?;
    let package = wacz.package();
    if args.json {
        let object = json!({
            "file": args.file, "title": package.title, "description": package.description,
            "created": package.created, "modified": package.modified, "software": package.software,
            "wacz_version": package.wacz_version, "profile": package.profile,
            "main_page_url": package.main_page_url, "main_page_date": package.main_page_date,
            "members": wacz.members().len(), "archives": wacz.archives().len(), "set_aside": wacz.refused().len(),
        });
        json_line(out, &object)?;
    } else {
        let fields = [
            ("Title", &package.title),
            ("Description", &package.description),
            ("Created", &package.created),
            ("Modified", &package.modified),
            ("Software", &package.software),
            ("Begins with", &package.main_page_url),
            ("WACZ version", &package.wacz_version),
        ];
        for (name, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
            writeln!(out, "{name:<13} {}", plain(text))?;
        }
    }
    if !args.pages {
        for Member { name, offset, packed_len, len, stored, .. } in wacz.members() {
            if args.json {
                let object =
                    json!({"name": name, "bytes": len, "packed_bytes": packed_len, "stored": stored, "offset": offset});
                json_line(out, &object)?;
            } else {
                let packed = if *stored { "stored" } else { "deflated" };
                writeln!(out, "{len:>12} {packed:<8} {}", plain(name))?;
            }
        }
        return Ok(status);
    }
    for list in wacz.page_lists() {
        for page in PageReader::new(wacz.open_member(list)?) {
            match page {
                Ok(page) if args.json => {
                    let object = json!({
                        "list": list.name, "id": page.id, "url": page.url, "date": page.date.to_warc(),
                        "title": page.title, "text_bytes": page.text.map(|text| text.len()),
                    });
                    json_line(out, &object)?;
                }
                Ok(page) => {
                    writeln!(out, "{} {} {}", page.date.to_readable(), plain(&page.url), plain(&page.title))?;
                }
                Err(problem) => {
                    status = PROBLEMS;
                    notice!("{}, {}", plain(&list.name), plain(&problem.to_string()));
                }
            }
        }
    }
    Ok(status)
}

fn check(args: &WaczCheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let known = KnownKeys::load()?;
    let mut status = FINE;
    for file in &args.files {
        let wacz = match Wacz::open(file) {
            Ok(wacz) => wacz,
            Err(error) => {
                notice!("fonds: {}", plain(&error.to_string()));
                status = super::WRONG_USE;
                continue;
            }
        };
        let report = with_progress(|cx| Ok(wacz.check(cx)?))?;
        if report.problem_count() > 0 {
            status = status.max(PROBLEMS);
        }
        let name = plain(&file.display().to_string());
        for problem in &report.problems {
            if args.json {
                json_line(out, &json!({"file": file, "member": problem.member, "problem": problem.what}))?;
            } else {
                writeln!(out, "{name}: {}", plain(&problem.to_string()))?;
            }
        }
        for note in &report.notes {
            if args.json {
                json_line(out, &json!({"file": file, "note": note}))?;
            } else {
                writeln!(out, "{name}: note: {}", plain(note))?;
            }
        }
        if args.json {
            json_line(out, &summary(&report, file, &known))?;
        } else {
            writeln!(out, "{name}: {}", report_text(&report, &known))?;
        }
    }
    Ok(status)
}

/// The signer of a valid signature: the person at the keyboard vouches for
/// the key, or a certificate proves the domain.
fn signer_of(signature: &Signature, known: &KnownKeys) -> Option<String> {
    let holder = signature.key.as_ref().and_then(|key| known.holder_of(key)).map(|known| known.name.clone());
    let domain = signature.is_domain_proven.then(|| signature.domain.clone());
    holder.or(domain).filter(|_| signature.holds())
}

fn summary(report: &WaczReport, file: &std::path::Path, known: &KnownKeys) -> serde_json::Value {
    let signature = report.signature.as_ref().map(|signature| {
        json!({
            "holds": signature.holds(), "signed_by": signer_of(signature, known), "domain": signature.domain,
            "domain_proven": signature.is_domain_proven, "fingerprint": signature.fingerprint,
            "software": signature.software, "created": signature.created, "unverified": signature.unverified,
            "time_stamp": signature.has_time_stamp.then_some("present, not verified"),
            "proves_content": report.is_content_proven(), "unproven_members": signature.unproven_members,
        })
    });
    json!({
        "file": file, "members": report.members, "digests": report.digests, "records": report.records,
        "pages": report.pages, "index_lines": report.index_lines, "index_found": report.index_found,
        "signature": signature, "problems": report.problem_count(),
    })
}

fn report_text(report: &WaczReport, known: &KnownKeys) -> String {
    let WaczReport { members, digests, records, pages, index_lines, index_found, .. } = report;
    let mut text = format!(
        "{}, digests of {digests} right, {}, {index_found} of {} lead to theirs, {}",
        counted(*members, "member"),
        counted(*records, "record"),
        counted(*index_lines, "index line"),
        counted(*pages, "page")
    );
    let mut is_vouched = true;
    if let Some(signature) = &report.signature {
        let signer = signer_of(signature, known);
        is_vouched = signer.is_some();
        let by = match signature.domain.as_str() {
            _ if let Some(signer) = &signer => plain(signer),
            "" => format!("the anonymous key {}", &signature.fingerprint.get(..16).unwrap_or_default()),
            domain => format!("somebody in the name of {}, which nothing proves", plain(domain)),
        };
        let holds = if signature.holds() { "signed by" } else { "the signature does not hold, in the name of" };
        text.push_str(&format!(", {holds} {by}"));
        if signature.unproven_members > 0 {
            let count = signature.unproven_members;
            text.push_str(&format!(
                " (no proof of the content of {}: missing, wrong, weak or unknown digests)",
                counted(count, "member")
            ));
        }
        if signature.has_time_stamp {
            text.push_str(", time stamp present, not verified");
        }
    }
    match report.problem_count() {
        0 if is_vouched => text + ", fine",
        0 => text + ", nothing is wrong, and nobody vouches for who signed",
        count => text + ", " + &counted(count, "problem"),
    }
}

fn create(args: &CreateArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let options = PackageOptions {
        title: args.title.clone(),
        description: args.description.clone(),
        main_page_url: args.main_page.clone(),
        created: None,
        text: args.text,
        pages: args.pages.clone(),
        signer: args.sign.as_ref().map(|name| SigningKey::load(name, &SystemKeychain)).transpose()?,
    };
    let written = with_progress(|cx| Ok(write_package(&args.out, &args.files, &options, cx)?))?;
    let problems: Vec<String> =
        written.problems.iter().map(ToString::to_string).chain(written.page_problems.iter().cloned()).collect();
    for problem in &problems {
        warn_of!("problems of the files", "{}", plain(problem));
    }
    if args.json {
        let object = json!({
            "file": args.out, "bytes": written.bytes, "archives": written.archives, "pages": written.pages,
            "index_lines": written.index_lines, "problems": problems,
        });
        json_line(out, &object)?;
    } else {
        writeln!(
            out,
            "{}: {}, {}, {}, {}; read back and checked",
            plain(&args.out.display().to_string()),
            counted(written.archives as u64, "WARC file"),
            counted(written.index_lines, "index line"),
            counted(written.pages, "page"),
            counted(written.bytes, "byte")
        )?;
    }
    Ok(if problems.is_empty() { FINE } else { PROBLEMS })
}

fn extract(args: &ExtractArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (wacz, mut status) = open(&args.file)?;
    let folder = &args.out;
    remove_left(wacz.members().iter().map(|member| folder.join(&member.name)));
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{}: the folder is not empty; name one that is empty or does not exist", folder.display());
    }
    let members: Vec<&Member> = match args.members.as_slice() {
        [] => wacz.members().iter().collect(),
        names => names
            .iter()
            .map(|name| {
                let why = || match wacz.refused().iter().find(|problem| problem.member == *name) {
                    Some(problem) => format!("“{name}” is set aside: {}", problem.what),
                    None => format!("there is no member “{name}”; fonds wacz ls lists them"),
                };
                wacz.member(name).with_context(why)
            })
            .collect::<Result<_, _>>()?,
    };
    with_progress(|cx| {
        cx.stage("Writing members", Some(members.iter().map(|member| member.len).sum()));
        for member in members {
            match wacz.extract(member, folder, cx) {
                Ok(path) if args.json => {
                    json_line(out, &json!({"member": member.name, "file": path, "bytes": member.len}))?;
                }
                Ok(path) => writeln!(out, "{}", plain(&path.display().to_string()))?,
                // A damaged member, or one whose name clashes, concerns itself only.
                Err(error @ (ExtractError::Wacz(_) | ExtractError::Name { .. })) => {
                    status = PROBLEMS;
                    if args.json {
                        json_line(out, &json!({"member": member.name, "problem": error.to_string()}))?;
                    }
                    notice!("{}", plain(&error.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    })?;
    Ok(status)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::output::written;
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;

    #[track_caller]
    fn check(command: WaczCommand, status: u8) -> String {
        written(status, |out| run(command, out))
    }

    #[test]
    fn a_package_is_made_listed_checked_and_taken_apart() {
        let folder = tempfile::tempdir().unwrap();
        let date = CaptureDate::from_millis(1_709_283_600_000);
        let html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>A page</title><p>Its words";
        let page = RecordBuilder::response("urn:test:1", date, "http://a.pt/").compress(html);
        let archive = folder.path().join("a.warc.gz");
        std::fs::write(&archive, &page).unwrap();
        let file = folder.path().join("a.wacz");
        let create = |pages: Option<PathBuf>, out: &PathBuf, json| {
            WaczCommand::Create(CreateArgs {
                out: out.clone(),
                files: vec![archive.clone()],
                title: "A title".to_owned(),
                description: String::new(),
                main_page: None,
                pages,
                text: true,
                sign: None,
                json,
            })
        };
        let output = check(create(None, &file, false), FINE);
        assert!(output.contains("1 WARC file, 1 index line, 1 page, "), "{output}");
        let list = folder.path().join("pages.jsonl");
        std::fs::write(&list, "{\"url\": \"http://a.pt/\", \"ts\": \"2024-03-01T09:00:00Z\"}\nno page\n").unwrap();
        let output = check(create(Some(list), &folder.path().join("b.wacz"), true), PROBLEMS);
        assert!(output.contains("\"pages\":1") && output.contains("pages.jsonl, line 2: no JSON object"), "{output}");
        let again = run(create(None, &file, false), &mut Vec::new()).unwrap_err();
        assert!(again.to_string().contains("a.wacz: there is such a file"), "{again}");

        let ls = |pages, json| WaczCommand::Ls(WaczLsArgs { file: file.clone(), pages, json });
        let output = check(ls(false, false), FINE);
        assert!(
            output.contains("Title         A title\n") && output.contains(" stored   archive/a.warc.gz\n"),
            "{output}"
        );
        let output = check(ls(true, false), FINE);
        assert!(output.ends_with("2024-03-01 09:00:00 http://a.pt/ A page\n"), "{output}");
        let output = check(ls(true, true), FINE);
        assert!(output.contains("\"title\":\"A page\"") && output.contains("\"text_bytes\":"), "{output}");

        let checked = |json| WaczCommand::Check(WaczCheckArgs { files: vec![file.clone()], json });
        let output = check(checked(false), FINE);
        let end = "6 members, digests of 4 right, 1 record, 1 of 1 index line lead to theirs, 1 page, fine\n";
        assert!(output.ends_with(end), "{output}");
        assert!(check(checked(true), FINE).ends_with("\"signature\":null,\"problems\":0}\n"));

        let out = folder.path().join("out");
        let extract = |members: &[&str], out: PathBuf| {
            let members = members.iter().map(|name| (*name).to_owned()).collect();
            WaczCommand::Extract(ExtractArgs { file: file.clone(), members, out, json: false })
        };
        // A call was killed in its first member: no one sees what it left.
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(".datapackage.json.abcdef.open"), "{").unwrap();
        check(extract(&["archive/a.warc.gz"], out.clone()), FINE);
        assert_eq!(out.read_dir().unwrap().count(), 1, "only archive/");
        assert_eq!(std::fs::read(out.join("archive/a.warc.gz")).unwrap(), page);
        let full = run(extract(&[], out.clone()), &mut Vec::new()).unwrap_err();
        assert!(full.to_string().contains("the folder is not empty"), "{full}");
        let none = run(extract(&["nothing"], out.join("x")), &mut Vec::new()).unwrap_err();
        assert!(none.to_string().contains("there is no member “nothing”"), "{none}");
        // One bit of the archive file is another one.
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let output = check(checked(false), PROBLEMS);
        assert!(output.contains("a.wacz: archive/a.warc.gz: its CRC is not that of the zip"), "{output}");
        check(extract(&[], folder.path().join("damaged")), PROBLEMS);
        let missing = WaczCheckArgs { files: vec![folder.path().join("none.wacz")], json: false };
        check(WaczCommand::Check(missing), super::super::WRONG_USE);
    }

    #[test]
    fn names_that_clash_stop_no_other_member() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wacz");
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&file).unwrap());
        for name in ["archive/a", "archive/a/b", "archive/c"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let out = folder.path().join("out");
        let args = ExtractArgs { file, members: Vec::new(), out: out.clone(), json: true };
        let output = check(WaczCommand::Extract(args), PROBLEMS);
        assert!(output.contains("{\"member\":\"archive/a/b\",\"problem\":\"archive/a/b: not written: "), "{output}");
        assert_eq!(std::fs::read(out.join("archive/c")).unwrap(), b"archive/c");
    }

    #[test]
    fn no_more_is_claimed_of_a_signature_than_was_proven() {
        let by_domain = |is_domain_proven, has_time_stamp, unproven_members| Signature {
            domain: "archive.example".to_owned(),
            is_domain_proven,
            has_time_stamp,
            unproven_members,
            ..Signature::default()
        };
        let output = |signature, known: &KnownKeys| {
            report_text(&WaczReport { signature: Some(signature), ..WaczReport::default() }, known)
        };
        let none = KnownKeys::default();
        let fine = output(by_domain(true, false, 0), &none);
        assert!(fine.ends_with("signed by archive.example, fine"), "{fine}");
        let weak = "signed by archive.example (no proof of the content of 2 members: missing, wrong, weak or unknown digests), \
                    time stamp present, not verified, fine";
        assert!(output(by_domain(true, true, 2), &none).ends_with(weak));
        let nobody = "nothing is wrong, and nobody vouches for who signed";
        assert!(output(by_domain(false, false, 0), &none).ends_with(nobody));

        // An anonymous key is that of somebody as soon as a person vouches for it.
        let key = SigningKey::create("a", &crate::keys::MemoryKeychain::default()).unwrap().package_public();
        let anonymous = || Signature { key: Some(key.clone()), fingerprint: key.fingerprint(), ..Signature::default() };
        let unknown = output(anonymous(), &none);
        assert!(unknown.contains("signed by the anonymous key") && unknown.ends_with(nobody), "{unknown}");
        let folder = tempfile::tempdir().unwrap();
        let mut known = KnownKeys::at(&folder.path().join("keys.json")).unwrap();
        known.add("City archive", std::slice::from_ref(&key), false).unwrap();
        assert!(output(anonymous(), &known).ends_with("signed by City archive, fine"));
        let broken = Signature { problems: vec!["no".to_owned()], ..anonymous() };
        assert!(output(broken, &known).contains("the signature does not hold, in the name of the anonymous key"));
    }
}
