//! What other programs read of an archive: lines of indexes, bytes of archive files.

use super::file_names::FileNames;
use super::{Origin, Replay};
use crate::replay::{CdxOutput, CdxPages, CdxRequest, MementoLinks, ORIGINAL_FIELDS, Part, cdx_key, part_of};
use crate::serve::{HttpReply, ReplyBody};
use crate::store::{ListedCapture, PageRange};
use crate::uri::CaptureDate;
use crate::warc::cdx::IndexLine;
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

impl Replay {
    /// Answers as a CDX server.
    pub(super) fn cdx(&self, query: &str) -> anyhow::Result<HttpReply> {
        let wish = match CdxRequest::parse(query) {
            Ok(wish) => wish,
            Err(why) => return Ok(HttpReply::new(400, "application/json", json!({ "message": why }).to_string())),
        };
        let catalogue = self.session.catalogue();
        let ranges = match &wish.pages {
            CdxPages::Exact(page) => vec![PageRange::Exact(page.clone())],
            CdxPages::Prefixes(prefixes) => prefixes.iter().cloned().map(PageRange::Prefix).collect(),
            CdxPages::From(key) => vec![PageRange::From(key.clone())],
        };
        if wish.counts_parts {
            let mut count = 0;
            for range in &ranges {
                count += catalogue.count_listed(range, wish.between)?;
            }
            return Ok(HttpReply::new(200, wish.content_type(), wish.write_count(count)));
        }
        let most = u64::try_from(wish.captures_to_read()).unwrap_or(u64::MAX);
        let mut captures = match (&wish.pages, wish.closest) {
            (CdxPages::Exact(page), Some(date)) => catalogue.captures_near(page, date, most)?,
            _ => self.listed(&wish, &ranges, most)?,
        };
        if wish.reverse {
            captures.reverse();
        }
        let names = self.file_names(false)?;
        let is_within = |date: CaptureDate| wish.between.0 <= date && date <= wish.between.1;
        let lines = captures.into_iter().filter(|capture| !capture.file.is_empty() && is_within(capture.date));
        let lines = lines.map(|capture| self.index_line(capture, &names, wish.resolves_revisits));
        let lines = lines.filter(|line| line.as_ref().map_or(true, |line| wish.takes(line)));
        let mut lines = wish.collapsed(lines.collect::<anyhow::Result<_>>()?);
        lines.truncate(wish.limit);
        let text = match wish.output {
            CdxOutput::Link => self.links(&lines),
            _ => wish.write(&lines),
        };
        Ok(HttpReply::new(200, wish.content_type(), text))
    }

    /// Captures of these pages in their order; of an answer that is divided, those of its part.
    fn listed(&self, wish: &CdxRequest, ranges: &[PageRange], most: u64) -> anyhow::Result<Vec<ListedCapture>> {
        let catalogue = self.session.catalogue();
        let (mut skip, mut left) = match wish.part {
            None => (0, most),
            Some(part) => (part.number.saturating_mul(part.captures()), part.captures().min(most)),
        };
        let mut captures = Vec::new();
        for range in ranges {
            let some = catalogue.list_captures_behind(range, wish.between, skip, left)?;
            // What was passed over may be less than the range has.
            if some.is_empty() && skip > 0 {
                skip = skip.saturating_sub(catalogue.count_listed(range, wish.between)?);
                continue;
            }
            (skip, left) = (0, left - some.len() as u64);
            captures.extend(some);
        }
        Ok(captures)
    }

    fn index_line(
        &self,
        capture: ListedCapture,
        names: &FileNames,
        resolves_revisits: bool,
    ) -> anyhow::Result<IndexLine> {
        let digest = Some(capture.digest).filter(|digest| !digest.is_empty());
        let mime = if capture.is_revisit { "warc/revisit".to_owned() } else { capture.mime };
        let mut more = serde_json::Map::new();
        if resolves_revisits {
            let original = match capture.is_revisit {
                true => self.session.catalogue().original_of(capture.id)?,
                false => None,
            };
            let place = original.as_ref().and_then(|original| original.records.first());
            let values = place.map_or(["-".to_owned(), "-".to_owned(), "-".to_owned()], |place| {
                [place.span.length.to_string(), place.span.offset.to_string(), names.name(&place.file)]
            });
            let names = ORIGINAL_FIELDS.map(str::to_owned);
            more.extend(names.into_iter().zip(values.map(serde_json::Value::from)));
        }
        Ok(IndexLine {
            key: cdx_key(&capture.url),
            date: capture.date,
            mime: Some(mime).filter(|mime| !mime.is_empty()),
            status: u16::try_from(capture.status).ok().filter(|status| *status > 0),
            digest,
            span: capture.span,
            filename: names.name(&capture.file),
            url: capture.url,
            more,
        })
    }

    /// Lines as links to captures.
    fn links(&self, lines: &[IndexLine]) -> String {
        let base = self.origin(Origin::Archive);
        let links = lines.iter().map(|line| MementoLinks { base: &base, url: &line.url }.memento_link(line.date));
        let mut text = links.collect::<Vec<_>>().join(",\n");
        text.push('\n');
        text
    }

    /// The bytes of an archive file of the catalogue, or a part of them.
    pub(super) fn archive_file(&self, name: &str, range: Option<&str>) -> anyhow::Result<HttpReply> {
        let missing = || HttpReply::plain(404, "The catalogue has no such archive file");
        let Ok(name) = percent_decode_str(name).decode_utf8() else { return Ok(missing()) };
        let open = |newest: bool| -> anyhow::Result<Option<File>> {
            let names = self.file_names(newest)?;
            let Some(path) = names.path(&name) else { return Ok(None) };
            Ok(File::open(self.session.workspace.file_path(path)?).ok())
        };
        let mut file = match open(false)? {
            Some(file) => file,
            None => match open(true)? {
                Some(file) => file,
                None => return Ok(missing()),
            },
        };
        let len = file.metadata()?.len();
        let reply = |status, len: u64, file: File| HttpReply {
            body: ReplyBody::Stream(len, Box::new(file.take(len))),
            ..HttpReply::new(status, "application/warc", "")
        };
        let reply = match part_of(range, len) {
            Part::Whole => reply(200, len, file),
            Part::Outside => HttpReply::plain(416, "The range begins behind the end")
                .with("Content-Range", &format!("bytes */{len}")),
            Part::Bytes(part) => {
                file.seek(SeekFrom::Start(part.start))?;
                reply(206, part.end - part.start, file)
                    .with("Content-Range", &format!("bytes {}-{}/{len}", part.start, part.end - 1))
            }
        };
        Ok(reply.with("Accept-Ranges", "bytes"))
    }
}
