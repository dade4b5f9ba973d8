//! Checks a package against its own declarations and against the format.

use super::package::clip;
use super::{
    DATAPACKAGE, DATAPACKAGE_DIGEST, Member, MemberReader, PAGES, PageReader, Resource, Signature, Wacz, WaczError,
    WaczProblem,
};
use crate::jobs::{Cancelled, JobCx};
use crate::warc::cdx::{IndexReader, LineCheck};
use crate::warc::{ArchiveReader, DigestCheck, Problem, Severity, check_reader};
use flate2::Crc;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

/// Versions of the format whose rules are known here.
const VERSIONS: [&str; 2] = ["1.1.1", "1.2.0"];

/// Problems listed; further ones are counted.
const MAX_PROBLEMS: usize = 1000;

/// A list of blocks beyond so many bytes is not read.
const MAX_BLOCK_LIST: u64 = 64 * 1024 * 1024;

/// Result of a check of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaczReport {
    /// What is wrong, in the order it was met.
    pub problems: Vec<WaczProblem>,
    /// Problems beyond those listed.
    pub more_problems: u64,
    /// Parts that were not checked, and remarks.
    pub notes: Vec<String>,
    /// Files in the package.
    pub members: u64,
    /// Members whose digests are those in the package.
    pub digests: u64,
    /// Pages in its lists.
    pub pages: u64,
    /// Records in its archive files.
    pub records: u64,
    /// Lines of its indexes.
    pub index_lines: u64,
    /// Lines that lead to their records.
    pub index_found: u64,
    /// Members of which nothing proves what they hold, missing ones and those
    /// set aside among them, `datapackage.json` and its digest not: proof is a
    /// strong digest and a length in `datapackage.json` that both fit.
    pub unproven_members: u64,
    /// The signature, where there is one.
    pub signature: Option<Signature>,
}

impl WaczReport {
    /// Number of problems, listed or not.
    pub fn problem_count(&self) -> u64 {
        self.problems.len() as u64 + self.more_problems
    }

    /// Whether a signature holds and proves what every member holds.
    pub fn is_content_proven(&self) -> bool {
        self.signature.as_ref().is_some_and(|signature| signature.holds() && signature.unproven_members == 0)
    }

    fn problem(&mut self, member: &str, what: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(WaczProblem::new(member, what));
        } else {
            self.more_problems += 1;
        }
    }
}

/// Why a check ended.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The package cannot be read.
    #[error(transparent)]
    Wacz(#[from] WaczError),
    /// Stopped on request.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
}

impl Wacz {
    /// Checks everything: members and their digests, the digest and signature
    /// of `datapackage.json`, lists of pages, every record of the archive
    /// files, and every line of the indexes.
    ///
    /// # Errors
    ///
    /// When the package cannot be read any more, or the work was stopped. What
    /// does not hold is no error but a problem of the report.
    pub fn check(&self, cx: &JobCx) -> Result<WaczReport, CheckError> {
        let mut report = WaczReport { members: self.members().len() as u64, ..WaczReport::default() };
        for problem in self.problems() {
            report.problem(&problem.member, problem.what.clone());
        }
        self.check_package_fields(&mut report);
        self.check_digests(&mut report, cx)?;
        self.check_digest_file(&mut report)?;
        self.check_pages(&mut report, cx)?;
        let captures = self.check_archives(&mut report, cx)?;
        self.check_indexes(captures, &mut report, cx)?;
        Ok(report)
    }

    /// The signature alone, without a check of the files whose digests are in `datapackage.json`; none where
    /// the package is not signed.
    ///
    /// # Errors
    ///
    /// When the package cannot be read any more.
    pub fn signature(&self) -> Result<Option<Signature>, WaczError> {
        let mut report = WaczReport::default();
        self.check_digest_file(&mut report)?;
        let problems = report.problems.into_iter().map(|problem| problem.to_string()).collect();
        Ok(report.signature.map(|signature| Signature { problems, ..signature }))
    }

    fn check_package_fields(&self, report: &mut WaczReport) {
        let package = self.package();
        if self.member(DATAPACKAGE).is_some() {
            match package.profile.as_str() {
                "data-package" | "wacz-package" => {}
                "multi-wacz-package" => {
                    let note = "a list of other packages, which are not looked at: check each of them";
                    report.notes.push(note.to_owned());
                }
                other => report.problem(DATAPACKAGE, format!("profile is “{}”, data-package is due", clip(other))),
            }
            match package.wacz_version.as_str() {
                version if VERSIONS.contains(&version) => {}
                "" => report.problem(DATAPACKAGE, "wacz_version is missing"),
                other => {
                    let what = format!("wacz_version is {}; programs of today take {}", clip(other), VERSIONS[0]);
                    report.problem(DATAPACKAGE, what);
                }
            }
        }
        if self.archives().is_empty() && package.profile != "multi-wacz-package" {
            report.problem("archive/", "has no WARC file");
        }
        for member in self.members() {
            let random_access = member.is_archive() || member.name.ends_with(".cdx.gz");
            if random_access && !member.stored {
                report.problem(&member.name, "is compressed by the zip: replay tools cannot reach into it; store it");
            }
        }
    }

    /// Every file is listed with its length and digest, and nothing else is.
    fn check_digests(&self, report: &mut WaczReport, cx: &JobCx) -> Result<(), CheckError> {
        let total = self.members().iter().map(|member| member.len).sum();
        cx.stage("Checking digests", Some(total));
        let mut resources: HashMap<&str, &Resource> = HashMap::new();
        // Other programs may take another one of two of the same name.
        let mut unproven: HashSet<&str> = self.refused().iter().map(|refused| refused.member.as_str()).collect();
        for resource in &self.package().resources {
            if resources.insert(&resource.path, resource).is_some() {
                report.problem(DATAPACKAGE, format!("lists {} twice", clip(&resource.path)));
                unproven.insert(&resource.path);
            }
        }
        let mut present = HashSet::new();
        for member in self.members() {
            present.insert(member.name.as_str());
            let resource = resources.get(member.name.as_str()).copied();
            let is_itself = [DATAPACKAGE, DATAPACKAGE_DIGEST].contains(&member.name.as_str());
            if resource.is_none() && !is_itself && !resources.is_empty() {
                report.problem(&member.name, format!("is not listed in {DATAPACKAGE}"));
            }
            let mut digest = resource.and_then(|resource| DigestCheck::new(&resource.hash));
            if let Some(resource) = resource.filter(|_| digest.is_none()) {
                match resource.hash.as_str() {
                    "" => report.problem(&member.name, format!("has no hash in {DATAPACKAGE}")),
                    hash => report.notes.push(format!("{}: the hash “{}” is not checked", member.name, clip(hash))),
                }
            }
            let mut is_proven = digest.as_ref().is_some_and(|digest| !digest.is_weak());
            match self.read_through(member, digest.as_mut(), cx)? {
                Ok(len) => {
                    if let Some(bytes) = resource.and_then(|resource| resource.bytes).filter(|&bytes| bytes != len) {
                        report.problem(&member.name, format!("has {len} bytes, {DATAPACKAGE} says {bytes}"));
                        is_proven = false;
                    }
                    match digest.map(DigestCheck::holds) {
                        Some(true) => report.digests += 1,
                        Some(false) => {
                            report.problem(&member.name, format!("its hash is not that of {DATAPACKAGE}"));
                            is_proven = false;
                        }
                        None => {}
                    }
                }
                Err(why) => {
                    report.problem(&member.name, why);
                    is_proven = false;
                }
            }
            if !is_proven && !is_itself {
                unproven.insert(&member.name);
            }
        }
        for resource in &self.package().resources {
            if !present.contains(resource.path.as_str()) {
                report.problem(&clip(&resource.path), format!("is listed in {DATAPACKAGE} and not there"));
                unproven.insert(&resource.path);
            }
        }
        report.unproven_members = unproven.len() as u64;
        Ok(())
    }

    /// Reads a member to its end; its length, or what is wrong with it.
    fn read_through(
        &self,
        member: &Member,
        mut digest: Option<&mut DigestCheck>,
        cx: &JobCx,
    ) -> Result<Result<u64, String>, CheckError> {
        let mut reader = self.open_member(member)?;
        let mut crc = Crc::new();
        let mut buffer = vec![0; 256 * 1024];
        let mut len = 0;
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return Ok(Err(error.to_string())),
            };
            let piece = &buffer[..read];
            crc.update(piece);
            if let Some(digest) = &mut digest {
                digest.update(piece);
            }
            len += read as u64;
            cx.advance(read as u64)?;
        }
        Ok(if crc.sum() == member.crc32 { Ok(len) } else { Err("its CRC is not that of the zip".to_owned()) })
    }

    /// `datapackage-digest.json` and the signature in it.
    fn check_digest_file(&self, report: &mut WaczReport) -> Result<(), WaczError> {
        if self.member(DATAPACKAGE_DIGEST).is_none() {
            let note = format!("there is no {DATAPACKAGE_DIGEST}: nothing guards {DATAPACKAGE} itself");
            report.notes.push(note);
            return Ok(());
        }
        let value: Value = match self.read_small(DATAPACKAGE_DIGEST) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
            Err(WaczError::Member { why, .. }) => {
                report.problem(DATAPACKAGE_DIGEST, why);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let hash = value.get("hash").and_then(Value::as_str).unwrap_or_default();
        if value.get("path").and_then(Value::as_str) != Some(DATAPACKAGE) {
            report.problem(DATAPACKAGE_DIGEST, format!("its path is not {DATAPACKAGE}"));
        }
        let digest = DigestCheck::new(hash);
        let is_strong = digest.as_ref().is_some_and(|digest| !digest.is_weak());
        let mut is_list_proven = false;
        match (digest, self.read_small(DATAPACKAGE)) {
            (Some(mut digest), Ok(bytes)) => {
                digest.update(&bytes);
                let holds = digest.holds();
                is_list_proven = holds && is_strong;
                if !holds {
                    report.problem(DATAPACKAGE, format!("its hash is not that of {DATAPACKAGE_DIGEST}"));
                }
            }
            (None, _) => report.problem(DATAPACKAGE_DIGEST, format!("no hash that is known here: “{}”", clip(hash))),
            // A missing or broken file was reported before.
            (_, Err(_)) => {}
        }
        if let Some(signed) = value.get("signedData").filter(|signed| !signed.is_null()) {
            let mut signature = Signature::verify(signed, hash, &self.package().created);
            for problem in &signature.problems {
                report.problem(DATAPACKAGE_DIGEST, format!("signature: {problem}"));
            }
            for left in &signature.unverified {
                report.notes.push(format!("signature: not verified: {left}"));
            }
            if signature.has_time_stamp {
                let note =
                    "signature: time stamp present, not verified (RFC 3161): when it was signed is the signer's word";
                report.notes.push(note.to_owned());
            }
            // Where the list of all digests may be another one, it guards nothing.
            if !is_list_proven {
                report.unproven_members = report.unproven_members.max(report.members);
            }
            signature.unproven_members = report.unproven_members;
            if signature.unproven_members > 0 {
                report.notes.push(format!(
                    "signature: it does not prove the content of {} members: they, or their digests in {DATAPACKAGE}, are missing, wrong, weak (MD5, SHA-1) or unknown here",
                    signature.unproven_members
                ));
            }
            report.signature = Some(signature);
        }
        Ok(())
    }

    fn check_pages(&self, report: &mut WaczReport, cx: &JobCx) -> Result<(), CheckError> {
        if self.member(PAGES).is_none() && self.member(DATAPACKAGE).is_some() {
            report.problem(PAGES, "is missing");
        }
        cx.stage("Checking pages", None);
        for member in self.page_lists() {
            for page in PageReader::new(self.open_member(member)?) {
                match page {
                    Ok(_) => report.pages += 1,
                    Err(problem) => report.problem(&member.name, problem.to_string()),
                }
                cx.advance(1)?;
            }
        }
        Ok(())
    }

    /// Says how many records an index has to list.
    fn check_archives(&self, report: &mut WaczReport, cx: &JobCx) -> Result<u64, CheckError> {
        cx.stage("Checking records", None);
        let mut captures = 0;
        for member in self.archives() {
            cx.note(&*member.name);
            let name = std::path::Path::new(&member.name);
            // Deviations from the advice of the standard are notes, not problems.
            let mut advice: Option<Problem> = None;
            let mut on_problem = |problem: Problem| {
                match problem.kind.severity() {
                    Severity::Error => report.problem(&member.name, problem.to_string()),
                    Severity::Warning if advice.is_none() => advice = Some(problem),
                    Severity::Warning => {}
                }
                ControlFlow::Continue(())
            };
            let checked = ArchiveReader::new(self.open_member(member)?, name)
                .and_then(|reader| check_reader(reader, name, true, cx, &mut on_problem));
            cx.checkpoint()?;
            match checked {
                Ok(found) => {
                    report.records += found.total();
                    let listed = ["response", "resource", "revisit"].map(|kind| found.records.get(kind).copied());
                    captures += listed.into_iter().flatten().sum::<u64>();
                    if let Some(first) = advice {
                        let more = found.count(Severity::Warning) - 1;
                        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
                        report.notes.push(format!("{}: {first}{more}", member.name));
                    }
                }
                Err(error) => report.problem(&member.name, error.to_string()),
            }
        }
        Ok(captures)
    }

    fn check_indexes(&self, captures: u64, report: &mut WaczReport, cx: &JobCx) -> Result<(), CheckError> {
        let is_list = |name: &str| name.ends_with(".idx");
        let indexes = || self.members().iter().filter(|member| member.name.starts_with("indexes/"));
        if indexes().next().is_none() && !self.archives().is_empty() {
            report.problem("indexes/", "has no index");
        }
        cx.stage("Checking indexes", None);
        let archives: HashMap<&str, &Member> =
            self.archives().iter().map(|member| (member.name.trim_start_matches("archive/"), member)).collect();
        for member in indexes() {
            if is_list(&member.name) {
                self.check_block_list(member, report)?;
                continue;
            }
            let mut lines = match IndexReader::new(self.open_member(member)?, &member.name) {
                Ok(lines) => lines,
                Err(error) => {
                    report.problem(&member.name, error.to_string());
                    continue;
                }
            };
            let mut check = LineCheck::default();
            while let Some(line) = lines.next() {
                report.index_lines += 1;
                cx.advance(1)?;
                let line = match line {
                    Ok(line) => line,
                    Err(problem) => {
                        report.problem(&member.name, format!("line {}: {}", problem.line, problem.why));
                        continue;
                    }
                };
                let source = match archives.get(line.filename.as_str()) {
                    None => None,
                    Some(archive) => match self.open_member(archive)? {
                        MemberReader::Stored(window) => Some(window),
                        // The compression by the zip was reported before.
                        MemberReader::Deflated(_) => continue,
                    },
                };
                let wrong = check
                    .check_line(&line, source)
                    .map_err(|source| WaczError::Io { path: self.path().to_owned(), source })?;
                for what in wrong {
                    report.problem(&member.name, format!("line {}: {what}", lines.line_number()));
                }
            }
            report.index_found += check.found;
        }
        if report.index_lines == 0 && indexes().next().is_some() && captures > 0 {
            report.problem("indexes/", "holds no line, so that nothing in the package is found by its URL");
        }
        Ok(())
    }

    /// `index.idx`: where the blocks of a compressed index begin, and with what.
    fn check_block_list(&self, member: &Member, report: &mut WaczReport) -> Result<(), CheckError> {
        let mut blocks: Option<&Member> = self.member(&format!("{}.cdx.gz", member.name.trim_end_matches(".idx")));
        let lines = BufReader::new(self.open_member(member)?.take(MAX_BLOCK_LIST)).lines();
        for (index, line) in lines.enumerate() {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    report.problem(&member.name, error.to_string());
                    break;
                }
            };
            let Some((prefix, json)) = line.find(" {").map(|at| (line[..at].trim(), &line[at + 1..])) else { continue };
            let value: Value = serde_json::from_str(json).unwrap_or_default();
            if prefix.starts_with("!meta") {
                let name = value.get("filename").and_then(Value::as_str);
                blocks = name.and_then(|name| self.member(&format!("indexes/{name}"))).or(blocks);
                continue;
            }
            let number = |name: &str| value.get(name).and_then(Value::as_u64);
            let wrong = match (blocks, number("offset"), number("length")) {
                (Some(blocks), Some(offset), Some(length)) => self.check_block(blocks, prefix, offset, length)?,
                (None, ..) => Some("there is no compressed index that it leads into".to_owned()),
                _ => Some("has no offset and length".to_owned()),
            };
            if let Some(wrong) = wrong {
                report.problem(&member.name, format!("line {}: {wrong}", index + 1));
            }
        }
        Ok(())
    }

    fn check_block(
        &self,
        blocks: &Member,
        prefix: &str,
        offset: u64,
        length: u64,
    ) -> Result<Option<String>, CheckError> {
        let MemberReader::Stored(mut window) = self.open_member(blocks)? else { return Ok(None) };
        if offset.checked_add(length).is_none_or(|end| end > window.len()) {
            return Ok(Some(format!("{} has only {} bytes", blocks.name, window.len())));
        }
        let mut line = Vec::new();
        let begin = window.seek(SeekFrom::Start(offset)).and_then(|_| {
            let block = GzDecoder::new(BufReader::new(window.take(length)));
            BufReader::new(block.take(prefix.len() as u64)).read_to_end(&mut line)
        });
        Ok(match begin {
            Ok(_) if line == prefix.as_bytes() => None,
            Ok(_) => Some(format!("the block at offset {offset} does not begin with it")),
            Err(error) => Some(format!("the block at offset {offset}: {error}")),
        })
    }
}
