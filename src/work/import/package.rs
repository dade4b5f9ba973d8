//! The archive files of a WACZ package are read at their places in it.
//!
//! The place of a record is then its offset in the package itself, so that it
//! is read as any other. That needs archive files that the zip only stores and
//! whose records can be entered one by one; others are unpacked into the
//! workspace first, under a name of our own, and so are packages in a package.

use super::copy::{Hashing, keep_incoming, take_back};
use super::one::{FileScan, ImportProblem, Shared, Sink, Source, not_read_yet, shares_member};
use super::{Importer, SourceFile};
use crate::captures::{Author, CaptureEntry, IndexReport, index_records};
use crate::crawl::CrawlError;
use crate::jobs::counted;
use crate::store::mtime_ns;
use crate::store::rows::{FileOutcome, ImportedFile};
use crate::uri::parse_web_url;
use crate::warc::wacz::{Member, PageReader, Wacz};
use crate::warc::{ArchiveReader, Span, format_offset, open_record_at};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The kind of a problem of the package and not of a record in it.
const PACKAGE: &str = "WACZ package";

/// The profile of a list of packages (multi-WACZ).
const MULTI_WACZ: &str = "multi-wacz-package";

/// Bytes of a list of packages that are read.
const MAX_LIST_BYTES: u64 = 16 << 20;

/// Packages that a package may stand in.
const MAX_DEPTH: usize = 3;

/// Packages within others that are read out of one file.
const MAX_PACKAGES: u32 = 2_000;

/// Bytes that are unpacked out of packages within others, beside four times those of the file.
const MAX_INNER_BYTES: u64 = 1 << 30;

/// Pages of a list that are read for their titles.
const MAX_PAGES: usize = 200_000;
/// Letters of a title that are kept.
const MAX_TITLE_CHARS: usize = 1000;
/// Lines of a list whose problems are listed.
const MAX_PAGE_PROBLEMS: usize = 100;

/// The first bytes of a zip file: a member, or the end of an empty one.
const ZIP_BEGINS: [[u8; 4]; 2] = [*b"PK\x03\x04", *b"PK\x05\x06"];

/// Whether a file is a package, by its first bytes.
pub(in crate::work) fn is_package(path: &Path) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut begin)?;
    Ok(ZIP_BEGINS.iter().any(|zip| begin == *zip))
}

fn is_package_name(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wacz")
}

/// The packages that a file lists, where it is the description of a package of packages that stands beside them: a file
/// `datapackage.json`, or of another name.
pub(super) fn listed_packages(path: &Path) -> Option<Vec<String>> {
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let mut bytes = Vec::new();
    File::open(path).ok().filter(|_| is_json)?.take(MAX_LIST_BYTES).read_to_end(&mut bytes).ok()?;
    let list: PackageList =
        serde_json::from_slice(&bytes).ok().filter(|list: &PackageList| list.profile == MULTI_WACZ)?;
    Some(list.resources.into_iter().map(|resource| resource.path).collect())
}

/// What is read of such a description.
#[derive(serde::Deserialize)]
struct PackageList {
    profile: String,
    resources: Vec<ListedPackage>,
}

#[derive(serde::Deserialize)]
struct ListedPackage {
    path: String,
}

/// What may still be unpacked out of packages that stand in the file that is imported: each of them may hold as many
/// again.
#[derive(Debug, Clone, Copy)]
pub(super) struct InnerBudget {
    packages: u32,
    bytes: u64,
}

impl InnerBudget {
    /// Of a file with so many bytes: packages are seldom packed once more.
    pub(super) fn of_file(bytes: u64) -> Self {
        Self { packages: MAX_PACKAGES, bytes: MAX_INNER_BYTES.saturating_add(bytes.saturating_mul(4)) }
    }

    pub(super) fn take(&mut self, packages: u32, bytes: u64) -> anyhow::Result<()> {
        let left = self.packages.checked_sub(packages).zip(self.bytes.checked_sub(bytes));
        let Some((packages, bytes)) = left else {
            anyhow::bail!("there is too much in packages that stand in others: extract it with fonds wacz extract")
        };
        *self = Self { packages, bytes };
        Ok(())
    }
}

impl Importer<'_> {
    /// Reads every archive file of a package, which stands in so many others, and
    /// of the packages in it. One that cannot be read is a problem of the
    /// package; the others come in. `outermost` is the package that is imported, where
    /// this one stands in it.
    pub(super) fn package(
        &self,
        source: &Source<'_>,
        sha256: String,
        done: &mut ImportedFile,
        depth: usize,
        outermost: Option<&Sink<'_>>,
    ) -> anyhow::Result<FileScan> {
        let wacz = Wacz::open(&source.path)?;
        let mut problems: Vec<ImportProblem> =
            wacz.problems().map(|problem| ImportProblem::new(0, PACKAGE, problem.to_string())).collect();
        let titles = titles(&wacz, &mut problems);
        let mut sink = Sink::new(self, source);
        (sink.titles, sink.package) = (Some(&titles), outermost);
        let mut whole = 0;
        // Why the disk gave no more: another import has to try again.
        let mut torn = None;
        for (index, member) in wacz.archives().iter().enumerate() {
            let result = match self.is_readable_in_place(&wacz, member) {
                true => {
                    self.in_place(&wacz, index, &sink, done, &mut torn).and_then(|(of_member, shared)| {
                        problems.extend(of_member);
                        whole += u32::from(shared > 0);
                        // They cannot be entered in the package.
                        match shared {
                            0 => Ok(Vec::new()),
                            _ => self.unpacked(&wacz, index, &sink, &sha256, true, done),
                        }
                    })
                }
                false => self.unpacked(&wacz, index, &sink, &sha256, false, done),
            };
            self.cx.checkpoint()?;
            match result {
                Ok(of_member) => {
                    whole += 1;
                    problems.extend(of_member);
                }
                Err(error) if super::one::is_of_workspace(&error) => return Err(error),
                Err(error) => {
                    let why = format!("{}: {}", member.name, super::super::error_chain(&error));
                    if error.chain().any(is_of_disk) {
                        torn.get_or_insert_with(|| why.clone());
                    }
                    problems.push(ImportProblem::new(member.offset, PACKAGE, why));
                }
            }
        }
        let packages: Vec<&Member> = wacz.members().iter().filter(|member| is_package_name(&member.name)).collect();
        for member in &packages {
            let result = match depth < MAX_DEPTH {
                true => self.package_inside(&wacz, member, &sink, &sha256, done, depth),
                false => Err(anyhow::anyhow!("it stands in {depth} others: extract it with fonds wacz extract")),
            };
            self.cx.checkpoint()?;
            match result {
                Ok((inside, torn_inside)) => {
                    whole += 1;
                    problems.extend(inside);
                    torn = torn.or(torn_inside);
                }
                Err(error) if super::one::is_of_workspace(&error) => return Err(error),
                Err(error) => {
                    let why = format!("{}: {}", member.name, super::super::error_chain(&error));
                    if error.chain().any(is_of_disk) {
                        torn.get_or_insert_with(|| why.clone());
                    }
                    problems.push(ImportProblem::new(member.offset, PACKAGE, why));
                }
            }
        }
        problems.extend(not_inside(&wacz));
        sink.flush()?;
        done.new_captures += sink.brought_in()?;
        done.problem_count += problems.len() as u64;
        let archives = wacz.archives().len() + packages.len();
        let sha256 = if whole > 0 {
            done.outcome = FileOutcome::Read;
            sink.file()?;
            sha256
        } else {
            let why = match archives {
                0 if wacz.package().profile == MULTI_WACZ => {
                    "a list of packages that are not in it: fetch them, and import their files"
                }
                0 => "a package without archive files",
                _ => "a package of which no archive file could be read",
            };
            done.error = Some(why.to_owned());
            String::new()
        };
        done.file = sink.file.get();
        if let Some(why) = torn {
            done.outcome = if done.records > 0 { FileOutcome::Cut } else { FileOutcome::Unread };
            done.error = Some(why);
            return Ok(FileScan { sha256: String::new(), problems, is_torn: true });
        }
        Ok(FileScan { sha256, problems, is_torn: false })
    }

    /// Unpacks a package that stands in another one into the workspace, and reads
    /// it there; what it comes to is added to what that one does.
    fn package_inside(
        &self,
        wacz: &Wacz,
        member: &Member,
        package: &Sink<'_>,
        sha256: &str,
        done: &mut ImportedFile,
        depth: usize,
    ) -> anyhow::Result<(Vec<ImportProblem>, Option<String>)> {
        let outermost = package.outermost();
        outermost.unpack_inside(1, member.len)?;
        let packages = wacz.members().iter().filter(|member| is_package_name(&member.name));
        let number = packages.take_while(|before| before.offset != member.offset).count() + 1;
        let cx = self.cx.aside("unpacking");
        let mut bytes = Hashing::new(wacz.open_member(member)?, &cx);
        let permissions = fs::metadata(wacz.path())?.permissions();
        let (path, of_member) = keep_incoming(self.workspace, &cx, &mut bytes, permissions, |_| {
            (sha256.to_owned(), format!("package-{number}.wacz"))
        })?;
        let meta = fs::metadata(&path)?;
        let found = SourceFile { path: path.clone(), size: meta.len(), mtime_ns: mtime_ns(&meta), trouble: None };
        let mut inside = not_read_yet(&found);
        let label = self.workspace.stored_name(&path);
        let source = Source { found: &found, label, path, mtime_ns: found.mtime_ns, cx };
        let read = match is_package(&source.path) {
            Ok(true) => self.package(&source, of_member.clone(), &mut inside, depth + 1, Some(outermost)),
            Ok(false) => Err(anyhow::anyhow!("its name says that it is a package, and it is none")),
            Err(error) => Err(error.into()),
        };
        let problem = |why: &String| ImportProblem::new(member.offset, PACKAGE, format!("{}: {why}", member.name));
        let is_torn = read.as_ref().is_ok_and(|scan| scan.is_torn);
        let torn = inside.error.as_ref().filter(|_| is_torn).map(|why| format!("{}: {why}", member.name));
        let Some(file) = inside.file else {
            take_back(&source.path);
            read?;
            let why = inside.error.unwrap_or_else(|| "there is no record in it".to_owned());
            anyhow::ensure!(is_torn, "{why}");
            return Ok((vec![problem(&why)], torn));
        };
        let mut problems: Vec<ImportProblem> = wrong_digest(wacz, member, &of_member).into_iter().collect();
        problems.extend(read?.problems.into_iter().map(|problem| {
            let detail = format!("{}, offset {}: {}", member.name, format_offset(problem.offset), problem.detail);
            ImportProblem::new(member.offset, problem.kind, detail)
        }));
        problems.extend(inside.error.as_ref().map(problem));
        self.workspace.catalogue().member_is_read(file, &of_member, inside.records)?;
        done.records += inside.records;
        done.captures += inside.captures;
        done.new_captures += inside.new_captures;
        done.revisits += inside.revisits;
        done.orphans += inside.orphans;
        for (scheme, count) in inside.left_out {
            *done.left_out.entry(scheme).or_default() += count;
        }
        Ok((problems, torn))
    }

    /// Whether records of this member can be read at their places in the package.
    fn is_readable_in_place(&self, wacz: &Wacz, member: &Member) -> bool {
        // The dictionary of a zstd file is at the beginning of a file.
        if !member.stored || member.name.to_ascii_lowercase().ends_with(".zst") {
            return false;
        }
        let first = open_record_at(wacz.path(), member.offset).and_then(|mut reader| {
            reader.next_head()?;
            reader.finish_record()
        });
        // What is damaged is read in place, too: its problems are listed.
        first.ok().flatten().is_none_or(|span| !span.is_inside_member())
    }

    /// Reads a member at its place. Returns its problems, and how many captures cannot be entered there
    /// since their records share a compressed member.
    fn in_place(
        &self,
        wacz: &Wacz,
        index: usize,
        sink: &Sink<'_>,
        done: &mut ImportedFile,
        torn: &mut Option<String>,
    ) -> anyhow::Result<(Vec<ImportProblem>, u64)> {
        let member = &wacz.archives()[index];
        let mut bytes = Hashing::new(wacz.open_archive(index)?, self.cx);
        let reader = ArchiveReader::new(bytes.by_ref(), wacz.path()).map_err(CrawlError::from)?;
        let reader = reader.backed_by(&File::open(wacz.path())?, member.offset, member.len);
        let (mut shared, mut shared_revisits) = (0, 0);
        let take = |mut entry: CaptureEntry| {
            if shares_member(&entry) {
                shared += 1;
                shared_revisits += u64::from(entry.revisit_of.is_some());
                return Ok(());
            }
            for place in &mut entry.records {
                place.span.offset += member.offset;
            }
            sink.take(entry)
        };
        let (report, ended) = index_records(reader, &sink.source.label, Author::Anyone, take, self.cx);
        let mut problems = counted_in(&report, member.offset, done);
        // They are counted where they are taken.
        done.captures = done.captures.saturating_sub(shared);
        done.revisits = done.revisits.saturating_sub(shared_revisits);
        match ended {
            Ok(()) => {}
            Err(error @ (CrawlError::Ledger(_) | CrawlError::Cancelled(_))) => return Err(error.into()),
            Err(error) if report.records == 0 => return Err(error.into()),
            Err(error) => {
                let why = format!("{}: reading stopped: {error}", member.name);
                if is_of_disk(&error) || std::error::Error::source(&error).is_some_and(is_of_disk) {
                    torn.get_or_insert_with(|| why.clone());
                }
                problems.push(ImportProblem::new(member.offset, PACKAGE, why));
                return Ok((problems, shared));
            }
        }
        problems.extend(nothing_in(member, &report));
        problems.extend(wrong_digest(wacz, member, &bytes.finish()?.0));
        Ok((problems, shared))
    }

    /// Unpacks a member into the workspace and reads it there; where all else of
    /// it was read in the package, `only_shared` captures are taken.
    fn unpacked(
        &self,
        wacz: &Wacz,
        index: usize,
        package: &Sink<'_>,
        sha256: &str,
        only_shared: bool,
        done: &mut ImportedFile,
    ) -> anyhow::Result<Vec<ImportProblem>> {
        let member = &wacz.archives()[index];
        if package.package.is_some() {
            package.outermost().unpack_inside(0, member.len)?;
        }
        let cx = self.cx.aside("unpacking");
        let mut bytes = Hashing::new(wacz.open_archive(index)?, &cx);
        let permissions = fs::metadata(wacz.path())?.permissions();
        // The name in the package is hostile text: the copy has a name of ours.
        let (path, of_member) = keep_incoming(self.workspace, &cx, &mut bytes, permissions, |_| {
            (sha256.to_owned(), format!("archive-{}", index + 1))
        })?;
        let wrong = if only_shared { None } else { wrong_digest(wacz, member, &of_member) };
        let mut problems: Vec<ImportProblem> = wrong.into_iter().collect();
        let meta = fs::metadata(&path)?;
        let found = SourceFile { path: path.clone(), size: meta.len(), mtime_ns: mtime_ns(&meta), trouble: None };
        let source =
            Source { found: &found, label: self.workspace.stored_name(&path), path, mtime_ns: found.mtime_ns, cx };
        let mut sink = Sink::new(self, &source);
        sink.only_shared = only_shared;
        (sink.package, sink.titles) = (Some(package.outermost()), package.titles);
        let Shared { report, whole } = self.read_records(&source, &sink)?;
        if only_shared {
            // The rest was listed when it was read in the package.
            let (captures, revisits) = sink.taken();
            done.captures += captures;
            done.revisits += revisits;
        } else {
            problems.extend(counted_in(&report, 0, done).into_iter().map(|problem| {
                let detail = format!("{}, offset {}: {}", member.name, format_offset(problem.offset), problem.detail);
                ImportProblem::new(member.offset, problem.kind, detail)
            }));
        }
        done.new_captures += sink.brought_in()?;
        match whole {
            // Another import finds it where it was left.
            Err(error) if error.chain().any(is_of_disk) => return Err(error),
            Err(error) if report.captures == 0 => {
                take_back(&source.path);
                return Err(error);
            }
            // It was listed when the rest was read in the package.
            Err(_) if only_shared => {}
            Err(error) => {
                let why = format!("{}: reading stopped: {}", member.name, super::super::error_chain(&error));
                problems.push(ImportProblem::new(member.offset, PACKAGE, why));
            }
            // Nothing refers to it.
            Ok(_) if report.captures == 0 => {
                take_back(&source.path);
                problems.extend(nothing_in(member, &report));
                return Ok(problems);
            }
            Ok(_) => {}
        }
        // Read as far as it makes sense, and its bytes are known to the last.
        self.workspace.catalogue().member_is_read(sink.file()?, &of_member, report.records)?;
        Ok(problems)
    }
}

/// Titles by URL and second.
pub(super) type Titles = HashMap<(String, i64), String>;

/// The titles in the package's lists of pages: those that a browser saw, for pages that set theirs
/// by script or are no HTML.
fn titles(wacz: &Wacz, problems: &mut Vec<ImportProblem>) -> Titles {
    let mut titles = Titles::new();
    for list in wacz.page_lists() {
        let pages = match wacz.open_member(list) {
            Ok(reader) => PageReader::new(reader),
            Err(error) => {
                problems.push(ImportProblem::new(list.offset, PACKAGE, error.to_string()));
                continue;
            }
        };
        let mut listed = 0;
        for page in pages.take(MAX_PAGES) {
            match page {
                Ok(page) if page.title.is_empty() || titles.len() >= MAX_PAGES => {}
                Ok(page) => {
                    if let Some(url) = parse_web_url(&page.url) {
                        titles.insert(
                            (url.to_string(), page.date.seconds()),
                            page.title.chars().take(MAX_TITLE_CHARS).collect(),
                        );
                    }
                }
                Err(problem) if listed < MAX_PAGE_PROBLEMS => {
                    listed += 1;
                    problems.push(ImportProblem::new(list.offset, PACKAGE, format!("{}, {problem}", list.name)));
                }
                Err(_) => {}
            }
        }
    }
    titles
}

/// Packages that a package lists and does not hold.
fn not_inside(wacz: &Wacz) -> Option<ImportProblem> {
    let resources = &wacz.package().resources;
    let is_absent = |path: &&str| is_package_name(path) && wacz.member(path).is_none();
    let absent: Vec<&str> = resources.iter().map(|resource| resource.path.as_str()).filter(is_absent).collect();
    let first = absent.first().filter(|_| wacz.package().profile == MULTI_WACZ)?;
    let packages = counted(absent.len() as u64, "package");
    let why = format!("{packages} that it lists, not in it: fetch them, and import their files; the first is {first}");
    Some(ImportProblem::new(0, PACKAGE, why))
}

/// Whether the error is the operating system's: what is broken in the bytes has no number of its
/// own there.
fn is_of_disk(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.raw_os_error().is_some())
}

/// A member without a record, and without a word of why.
fn nothing_in(member: &Member, report: &IndexReport) -> Option<ImportProblem> {
    let is_mute = report.records == 0 && report.problems.is_empty();
    is_mute.then(|| ImportProblem::new(member.offset, PACKAGE, format!("{}: there is no record in it", member.name)))
}

/// Adds what was found in a member to what the package came to.
fn counted_in(report: &IndexReport, offset: u64, done: &mut ImportedFile) -> Vec<ImportProblem> {
    done.records += report.records;
    done.captures += report.captures;
    done.revisits += report.revisits;
    done.orphans += report.orphans;
    for (scheme, count) in &report.left_out {
        *done.left_out.entry(scheme.clone()).or_default() += count;
    }
    // Those that are not listed; the others are counted at the end.
    done.problem_count += report.more_problems;
    let shifted = report.problems.iter().map(|problem| {
        let row = ImportProblem::from(problem.clone());
        match (Span { offset: problem.offset, length: 0 }).is_inside_member() {
            true => ImportProblem {
                offset,
                // Its member counts from the beginning of the archive inside.
                member: None,
                detail: format!("offset {} in the member: {}", format_offset(problem.offset), row.detail),
                ..row
            },
            false => ImportProblem { offset: problem.offset.saturating_add(offset), ..row },
        }
    });
    shifted.collect()
}

/// Compares a member with the digest that the package declares for it.
fn wrong_digest(wacz: &Wacz, member: &Member, sha256: &str) -> Option<ImportProblem> {
    let declared = wacz.package().resource(&member.name)?.hash.strip_prefix("sha256:")?.to_ascii_lowercase();
    (declared != sha256).then(|| {
        let why = format!("{}: its SHA-256 is {sha256}, datapackage.json says {declared}", member.name);
        ImportProblem::new(member.offset, crate::warc::ProblemKind::BadDigest.label(), why)
    })
}
