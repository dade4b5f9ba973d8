//! Revisits: what they say, and the record that holds what they leave out.

use super::filter::same_url;
use super::{ArchiveReader, RecordFacts, RecordHead, RecordType, Span, WarcError};
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use std::path::{Path, PathBuf};

/// What `WARC-Profile` says of a revisit (WARC/1.1, 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisitProfile {
    /// The payload has the digest of one that is held.
    IdenticalPayload,
    /// The server said that nothing changed (304).
    ServerNotModified,
    /// A profile that is not known: the block means nothing to us.
    Other(String),
}

impl RevisitProfile {
    /// Reads a profile. Writers in the wild put other versions into the URI,
    /// leave `revisit/` out, use https, brackets, or a slash at the end; the
    /// last word tells what they mean.
    pub fn parse(uri: &str) -> Self {
        let bare = uri.trim().trim_matches(['<', '>', '/']).to_ascii_lowercase();
        match bare.rsplit('/').next().unwrap_or_default() {
            "identical-payload-digest" | "uri-agnostic-identical-payload-digest" => Self::IdenticalPayload,
            "server-not-modified" => Self::ServerNotModified,
            _ => Self::Other(uri.trim().to_owned()),
        }
    }

    /// Whether `uri` is spelled as WARC/1.0 or 1.1 has it.
    pub fn is_standard(&self, uri: &str) -> bool {
        let word = match self {
            Self::IdenticalPayload => "identical-payload-digest",
            Self::ServerNotModified => "server-not-modified",
            Self::Other(_) => return false,
        };
        let uri = uri.trim();
        ["1.0", "1.1"].iter().any(|version| uri == format!("http://netpreserve.org/warc/{version}/revisit/{word}"))
    }
}

/// How the original of a revisit was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// By `WARC-Refers-To`.
    RecordId,
    /// By `WARC-Refers-To-Target-URI` and `WARC-Refers-To-Date`.
    UrlAndDate,
    /// By URL and payload digest: the revisit does not say, or what it says
    /// is not in the files.
    UrlAndDigest,
    /// By payload digest alone.
    Digest,
}

impl FoundBy {
    /// In words, after “found by”.
    pub fn words(self) -> &'static str {
        match self {
            Self::RecordId => "the record id that the revisit names",
            Self::UrlAndDate => "the URL and date that the revisit names",
            Self::UrlAndDigest => "its URL and payload digest",
            Self::Digest => "its payload digest alone",
        }
    }
}

/// The record that holds the payload of a revisit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The file it stands in.
    pub file: PathBuf,
    /// Its place in the file.
    pub span: Span,
    /// How it was found.
    pub found_by: FoundBy,
    /// What it is about.
    pub facts: RecordFacts,
}

/// Looks for the original of `revisit` in `files`, which are read to their
/// end unless the record id is met. Of equally good ones the first is taken.
///
/// `Ok(None)` where none of the files holds it, or the job was stopped.
pub fn find_original(revisit: &RecordHead, files: &[PathBuf], cx: &JobCx) -> Result<Option<Original>, WarcError> {
    let wanted = Wanted::of(revisit);
    let mut best: Option<Original> = None;
    for file in files {
        look_into(file, &wanted, &mut best, cx)?;
        if best.as_ref().is_some_and(|best| best.found_by == FoundBy::RecordId) || cx.is_cancelled() {
            break;
        }
    }
    Ok(best)
}

struct Wanted {
    /// Its own id: a revisit is no original of itself.
    own_id: Option<String>,
    id: Option<String>,
    place: Option<(String, CaptureDate)>,
    url: Option<String>,
    digest: Option<String>,
}

impl Wanted {
    fn of(revisit: &RecordHead) -> Self {
        let facts = RecordFacts::of(revisit, &[]);
        let date = facts.refers_to_date.as_deref().and_then(|date| CaptureDate::parse(date).ok());
        Self {
            own_id: facts.record_id,
            id: facts.refers_to,
            place: facts.refers_to_url.zip(date),
            url: facts.url,
            digest: facts.payload_digest,
        }
    }

    fn found_by(&self, facts: &RecordFacts) -> Option<FoundBy> {
        let holds_payload = matches!(facts.record_type, RecordType::Response | RecordType::Resource);
        if facts.record_id.is_some() && facts.record_id == self.own_id {
            return None;
        }
        if self.id.is_some() && facts.record_id == self.id {
            return Some(FoundBy::RecordId);
        }
        if !holds_payload {
            return None;
        }
        let is_url = |url: &String| facts.url.as_deref().is_some_and(|other| same_url(url, other));
        // Files of different writers cut the same date differently.
        let is_date = |date: &CaptureDate| facts.date.is_some_and(|other| other.seconds() == date.seconds());
        if self.place.as_ref().is_some_and(|(url, date)| is_date(date) && is_url(url)) {
            return Some(FoundBy::UrlAndDate);
        }
        let same_digest = self.digest.is_some() && facts.payload_digest == self.digest;
        match same_digest {
            true if self.url.as_ref().is_some_and(is_url) => Some(FoundBy::UrlAndDigest),
            true => Some(FoundBy::Digest),
            false => None,
        }
    }
}

fn look_into(file: &Path, wanted: &Wanted, best: &mut Option<Original>, cx: &JobCx) -> Result<(), WarcError> {
    let mut reader = ArchiveReader::open(file)?;
    while let Some(head) = reader.next_head()? {
        let facts = RecordFacts::of(&head, &[]);
        if let Some(found_by) = wanted.found_by(&facts)
            && best.as_ref().is_none_or(|best| found_by < best.found_by)
            && let Some(span) = reader.finish_record()?
        {
            *best = Some(Original { file: file.to_owned(), span, found_by, facts });
            if found_by == FoundBy::RecordId {
                return Ok(());
            }
        }
        cx.set_done(reader.file_offset());
        if cx.checkpoint().is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::warc::{Digests, REVISIT_NOT_MODIFIED, RecordBuilder, read_record_at};
    use std::fs;

    const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_250);
    const LATER: CaptureDate = CaptureDate::from_millis(1_709_370_000_000);
    const BLOCK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbody";

    #[test]
    fn profiles_of_the_wild_are_understood() {
        let check = |uri: &str, expected: RevisitProfile, standard: bool| {
            let profile = RevisitProfile::parse(uri);
            assert_eq!(profile, expected, "{uri}");
            assert_eq!(profile.is_standard(uri), standard, "{uri}");
        };
        use RevisitProfile::{IdenticalPayload, Other, ServerNotModified};
        check("http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", IdenticalPayload, true);
        check("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", IdenticalPayload, true);
        check("http://netpreserve.org/warc/1.0/revisit/server-not-modified", ServerNotModified, true);
        check(REVISIT_NOT_MODIFIED, ServerNotModified, true);
        check("http://netpreserve.org/warc/0.18/revisit/identical-payload-digest", IdenticalPayload, false);
        check("http://netpreserve.org/warc/1.0/revisit/uri-agnostic-identical-payload-digest", IdenticalPayload, false);
        check("http://netpreserve.org/warc/1.1/server-not-modified", ServerNotModified, false);
        check("<https://netpreserve.org/warc/1.1/revisit/server-not-modified/>", ServerNotModified, false);
        check("http://example.org/other", Other("http://example.org/other".to_owned()), false);
        check("", Other(String::new()), false);
    }

    /// Two files, the second with the original; the head of `revisit` looked
    /// for in them.
    fn found(revisit: &RecordBuilder) -> Option<(FoundBy, String)> {
        let folder = tempfile::tempdir().unwrap();
        let digests = Digests::of_block(BLOCK, true);
        let page = |id: &str, url: &str, date| RecordBuilder::response(id, date, url).digests(&digests).compress(BLOCK);
        let files = [folder.path().join("a.warc.gz"), folder.path().join("b.warc.gz")];
        let first = [page("urn:test:elsewhere", "http://b.pt/", LATER), revisit.compress(&BLOCK[..45])].concat();
        fs::write(&files[0], first).unwrap();
        fs::write(
            &files[1],
            [page("urn:test:1", "http://a.pt/", DATE), page("urn:test:2", "http://a.pt/", LATER)].concat(),
        )
        .unwrap();
        let head = ArchiveReader::open(&files[0]).unwrap().records(0).nth(1).unwrap().unwrap().head;
        let original = find_original(&head, &files, &JobCx::detached()).unwrap()?;
        let record = read_record_at(&original.file, original.span.offset, 1000).unwrap();
        assert_eq!(record.block, BLOCK);
        Some((original.found_by, original.facts.record_id.unwrap().replace("urn:test:", "")))
    }

    #[test]
    fn originals_are_found_by_what_the_revisit_names() {
        let digest = Digests::of_block(BLOCK, true).payload;
        let revisit =
            |digest: &str, original| RecordBuilder::revisit("urn:test:r", LATER, "http://a.pt/", digest, original);
        let check = |record: &RecordBuilder, by: FoundBy, id: &str| {
            assert_eq!(found(record), Some((by, id.to_owned())));
        };
        check(&revisit(&digest, ("urn:test:2", "http://a.pt/", DATE)), FoundBy::RecordId, "2");
        // The date of the revisit was cut to the second.
        let second = CaptureDate::from_millis(1_709_283_600_000);
        check(&revisit("sha1:OTHER", ("urn:test:9", "http://A.pt", second)), FoundBy::UrlAndDate, "1");
        check(&revisit(&digest, ("", "http://a.pt/", CaptureDate::from_millis(0))), FoundBy::UrlAndDigest, "1");
        let elsewhere =
            RecordBuilder::revisit("urn:test:r", LATER, "http://c.pt/", &digest, ("", "http://c.pt/", DATE));
        check(&elsewhere, FoundBy::Digest, "elsewhere");
        let asked = RecordBuilder::not_modified("urn:test:r", LATER, "http://a.pt/", ("", "http://a.pt/", DATE));
        check(&asked, FoundBy::UrlAndDate, "1");
        assert_eq!(found(&revisit("sha1:OTHER", ("urn:test:r", "http://c.pt/", DATE))), None);
    }
}
