//! Captures as documents for search engines of others: JSON with the field names
//! of webarchive-discovery's Solr schema, as SolrWayback reads them.
//!
//! One document is one content version: what one URL answered with one payload.
//! Its id is that of webarchive-discovery with `use_hash_url_id`: payload
//! digest, slash, MD5 of the URL in base 64. A capture makes a row
//! ([`document_rows`]); rows of one id become a document ([`DocumentMerger`]) that
//! has the content of the oldest capture and the dates of all. So machines can
//! share the work, with a sort by id in between: the result does not depend on
//! the order of rows.
//!
//! Left out on purpose: what needs Tika, DROID, face or sentiment detection;
//! `content_type` is that of the server.

use super::ExportError;
use crate::captures::limits::{MAX_PAGE_BYTES, TEXT_BYTES};
use crate::captures::{LargePagePermit, body_of, is_page_type, is_redirect};
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::uri::{CaptureDate, Url, registrable, resolve};
use crate::warc::http::HttpHead;
use crate::warc::{ArchiveReader, Digests, Problem, Record, RecordType, WarcError, sha1_field};
use data_encoding::BASE64;
use md5::{Digest, Md5};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The content of documents about captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentOptions {
    /// Links, with their hosts and domains.
    pub links: bool,
    /// Answers with any status, not only 200 to 299.
    pub all_statuses: bool,
}

/// The format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// One object a line, for `/update/json/docs` of Solr.
    Solr,
    /// The bulk lines of OpenSearch and Elasticsearch: an action with the id, then the object.
    OpenSearch,
}

/// A capture as a document of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolrRow {
    /// Of the content version.
    pub id: String,
    /// One object on one line.
    pub json: String,
}

impl SolrRow {
    /// Id and object with a tab between.
    pub fn to_line(&self) -> String {
        format!("{}\t{}", self.id, self.json)
    }

    /// Reads a line of [`Self::to_line`]; none where there is no tab.
    pub fn of_line(line: &str) -> Option<Self> {
        let (id, json) = line.split_once('\t')?;
        Some(Self { id: id.to_owned(), json: json.to_owned() })
    }
}

/// Gives a row for each capture of an archive file to `each`.
///
/// # Errors
///
/// The file cannot be read, `each` fails, or the job was cancelled. What is
/// broken within the file is given to `on_problem`.
pub fn document_rows(
    path: &Path,
    options: DocumentOptions,
    cx: &JobCx,
    mut on_problem: impl FnMut(&Problem),
    mut each: impl FnMut(SolrRow) -> io::Result<()>,
) -> Result<(), ExportError> {
    let mut reader = ArchiveReader::open(path)?.stopped_by(cx);
    while let Some(record) = reader.next_record(MAX_PAGE_BYTES)? {
        cx.checkpoint()?;
        if let Some(row) = row_of(&record, path, options) {
            each(row).map_err(|source| ExportError::from(WarcError::Io { path: path.to_owned(), source }))?;
        }
        reader.take_problems().iter().for_each(&mut on_problem);
    }
    reader.take_problems().iter().for_each(&mut on_problem);
    Ok(())
}

/// The row of a record; none where it is no capture, or one with a status that is not requested.
fn row_of(record: &Record, path: &Path, options: DocumentOptions) -> Option<SolrRow> {
    let head = &record.head;
    if !head.record_type.is_capture() {
        return None;
    }
    let (uri, url, date) = (head.target_uri()?, head.target_url()?, head.date()?);
    let is_revisit = head.record_type == RecordType::Revisit;
    let (http, body) = body_of(record, MAX_PAGE_BYTES);
    let status = http.as_ref().map(|http| http.status);
    if !options.all_statuses && status.is_some_and(|status| !(200..300).contains(&status)) {
        return None;
    }
    let hash = payload_digest(record, http.as_ref());
    let id = format!("{hash}/{}", BASE64.encode(&Md5::digest(uri.as_bytes())));
    let mut fields = Fields(Map::new());
    fields.put("id", id.as_str());
    fields.put("hash", hash);
    fields.put("record_type", if head.is_arc() { "arc" } else { head.record_type.as_str() });
    fields.maybe("warc_key_id", head.headers.get("WARC-Record-ID"));
    fields.maybe("warc_ip", head.headers.get("WARC-IP-Address"));
    fields.put("source_file", path.file_name().unwrap_or_default().to_string_lossy());
    fields.put("source_file_path", path.to_string_lossy());
    fields.put("source_file_offset", if record.span.is_inside_member() { 0 } else { record.span.offset });
    fields.dates(date);
    fields.url(&uri, &url);
    fields.maybe("status_code", status);
    let served = http.as_ref().and_then(|http| http.headers.get("Content-Type"));
    let served = served.or_else(|| head.headers.get("Content-Type").filter(|_| http.is_none() && !head.is_http()));
    fields.types(served.as_deref(), body.mime());
    if let Some(http) = &http {
        let server = ["X-Powered-By", "Server"].iter().filter_map(|name| http.headers.get(name));
        fields.list("server", server);
        if is_redirect(http.status)
            && let Some(target) = http.headers.get_url("Location").and_then(|location| resolve(&url, &location))
        {
            fields.put("redirect_to_norm", normalised(&target));
        }
    }
    if !is_revisit {
        fields.put("content_length", body.payload.bytes.len() as u64);
        let (links, text) = body.read(&url, &mut LargePagePermit::default(), TEXT_BYTES);
        let is_code = served.as_ref().is_some_and(|kind| kind.contains("javascript") || kind.contains("css"));
        let text = text.or_else(|| if is_code { None } else { body.text(&url, TEXT_BYTES) });
        if let Some(text) = text {
            let content = text.all();
            fields.maybe("title", text.title.clone());
            fields.maybe("description", text.description.clone());
            fields.maybe("content_language", text.language.clone());
            fields.put("content_text_length", content.chars().count() as u64);
            fields.put("content", content);
            if let Some(published) = text.published {
                let day = published.date.to_warc();
                fields.put("publication_year", day.get(..4).unwrap_or_default());
                fields.put("publication_date", day);
                fields.put("publication_evidence_s", published.evidence.as_str());
            }
        }
        if options.links {
            let of = |is_image: bool| {
                links
                    .outlinks
                    .iter()
                    .filter(move |link| (link.kind == LinkKind::Image) == is_image)
                    .map(|link| &link.url)
            };
            let pages = || links.outlinks.iter().filter(|link| link.kind.hop() == 'L').map(|link| &link.url);
            fields.list("links", pages().map(normalised));
            fields.list("links_images", of(true).map(normalised));
            fields.list("links_hosts", pages().map(host_of));
            fields.list("links_domains", pages().map(|url| registrable(&host_of(url)).to_owned()));
            fields.list("links_public_suffixes", pages().filter_map(|url| public_suffix(&host_of(url))));
        }
    }
    Some(SolrRow { json: serde_json::to_string(&fields.0).ok()?, id })
}

/// The payload digest of the record; of chunked bodies, and where it has none, that of the bytes.
fn payload_digest(record: &Record, http: Option<&HttpHead>) -> String {
    let declared = record.head.headers.get("WARC-Payload-Digest").and_then(|field| sha1_field(&field));
    let is_revisit = record.head.record_type == RecordType::Revisit;
    let is_chunked = http.is_some_and(HttpHead::is_chunked);
    match declared {
        Some(declared) if is_revisit || !is_chunked || record.omitted > 0 => declared,
        declared if is_revisit || record.omitted > 0 => declared.unwrap_or_default(),
        _ => Digests::of_block(&record.block, http.is_some()).payload,
    }
}

/// The fields of a document, in the order in which they were put.
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Each value once, in the order of the first; nothing where there is none.
    fn list(&mut self, name: &str, values: impl Iterator<Item = String>) {
        let mut seen = BTreeSet::new();
        let values: Vec<Value> = values.filter(|value| seen.insert(value.clone())).map(Value::from).collect();
        if !values.is_empty() {
            self.0.insert(name.to_owned(), Value::from(values));
        }
    }

    fn dates(&mut self, date: CaptureDate) {
        let digits = date.to_digits14();
        let (second, year) =
            (format!("{}Z", date.to_dataset()), digits.get(..4).and_then(|year| year.parse::<u64>().ok()));
        self.maybe("wayback_date", digits.parse::<u64>().ok());
        self.put("crawl_date", second.as_str());
        self.maybe("crawl_year", year);
        self.0.insert("crawl_dates".to_owned(), json!([second]));
        self.0.insert("crawl_years".to_owned(), json!([year]));
    }

    fn url(&mut self, uri: &str, url: &Url) {
        let (host, path) = (host_of(url), url.path());
        self.put("url", uri);
        self.put("url_norm", normalised(url));
        self.put("url_path", path);
        let is_front = path == "/"
            || path.strip_prefix("/index.").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_lowercase()));
        self.put(
            "url_type",
            match path {
                _ if is_front => "slashpage",
                path if path.eq_ignore_ascii_case("/robots.txt") => "robots.txt",
                _ => "normal",
            },
        );
        let labels: Vec<&str> = host.rsplit('.').collect();
        let surts = (1..=labels.len()).map(|count| format!("({},", labels[..count].join(",")));
        let is_name = url.domain().is_some();
        self.list("host_surt", surts.filter(|_| is_name));
        self.put("domain", registrable(&host));
        self.maybe("public_suffix", public_suffix(&host));
        self.put("host", host);
        let resource = path.rsplit('/').next().unwrap_or_default();
        self.put("resourcename", resource);
        let extension = resource.rsplit_once('.').map(|(_, extension)| {
            extension.chars().map(|c| c.to_ascii_lowercase()).filter(char::is_ascii_alphanumeric).collect::<String>()
        });
        self.maybe("content_type_ext", extension);
    }

    /// The type that was declared, and what it is by that or by its bytes, where it is a page.
    fn types(&mut self, served: Option<&str>, computed: &str) {
        let declared = served.map(|served| served.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let Some(kind) = Some(computed.to_owned()).filter(|mime| is_page_type(mime)).or(declared) else { return };
        let begins = |begin: &str| kind.starts_with(begin);
        let (norm, shown) = match kind.as_str() {
            _ if begins("image/") => ("image", "Image"),
            _ if begins("audio/") => ("audio", "Audio"),
            "application/mp4" => ("video", "Video"),
            _ if begins("video/") => ("video", "Video"),
            _ if is_page_type(&kind) => ("html", "Web Page"),
            _ if begins("application/pdf") => ("pdf", "Document"),
            _ if kind.ends_with("word") => ("word", "Document"),
            _ if kind.ends_with("excel") => ("excel", "Data"),
            _ if kind.ends_with("powerpoint") => ("powerpoint", "Presentation"),
            _ if begins("text/plain") => ("text", "Document"),
            _ => ("other", "Other"),
        };
        self.maybe("content_type_served", served);
        self.put("content_type_full", served.unwrap_or(&kind));
        self.put("content_type", kind.as_str());
        self.put("content_type_norm", norm);
        self.put("type", shown);
    }
}

/// The host without `www.`, in lower case.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    without_www(&host).to_owned()
}

/// Without `www.`, `www2.`, `ww.`, as webarchive-discovery takes it off.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("ww") else { return host };
    let rest = rest.strip_prefix('w').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = rest.strip_prefix("2.").map_or_else(|| rest.strip_prefix('.'), Some);
    rest.filter(|rest| !rest.is_empty()).unwrap_or(host)
}

/// The public suffix of a host; none of an address.
fn public_suffix(host: &str) -> Option<String> {
    let domain = registrable(host);
    let is_address = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || host.starts_with('[');
    domain.split_once('.').filter(|_| !is_address).map(|(_, suffix)| suffix.to_owned())
}

/// A URL as webarchive-discovery's `url_norm` has it: lower case, `http`, no
/// `www.`, letters of other scripts and harmless escapes written out, no slash
/// at the end but that of a host alone. Session ids stay.
fn normalised(url: &Url) -> String {
    let mut text = format!("http://{}", host_of(url));
    if let Some(port) = url.port() {
        text.push_str(&format!(":{port}"));
    }
    let mut rest = url.path().to_owned();
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        rest.push('?');
        rest.push_str(query);
    }
    text.push_str(&unescaped(&rest).to_lowercase());
    text.truncate(text.trim_end_matches('/').len());
    if !text["http://".len()..].contains('/') {
        text.push('/');
    }
    text
}

/// Escapes written out, but for blanks, `%`, `#`, `\\` and controls; bytes that
/// are no UTF-8 stay escaped.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = rest.get(1..3).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (first, code) {
            (b'%', Some(code)) if !code.is_ascii_control() && !b" %#\\".contains(&code) => {
                bytes.push(code);
                rest = &rest[3..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The parts of a row that decide whose content a document has, and its dates.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct RowFacts {
    /// A revisit has no content.
    record_type: RowKind,
    wayback_date: u64,
    source_file_path: String,
    source_file_offset: u64,
    crawl_dates: Vec<String>,
}

/// Whether a row has content; the one that does goes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
enum RowKind {
    Content,
    Revisit,
}

impl From<String> for RowKind {
    fn from(kind: String) -> Self {
        if kind == "revisit" { Self::Revisit } else { Self::Content }
    }
}

/// Puts the rows of one id together; those of one id have to come one behind the other.
#[derive(Debug, Default)]
pub struct DocumentMerger {
    id: String,
    best: Option<(RowFacts, String)>,
    dates: BTreeSet<String>,
    rows: u64,
}

impl DocumentMerger {
    /// Takes a row, and gives the document before it, if that is whole now.
    ///
    /// # Errors
    ///
    /// The row is none.
    pub fn add(&mut self, row: SolrRow) -> serde_json::Result<Option<SolrRow>> {
        let facts: RowFacts = serde_json::from_str(&row.json)?;
        let before = if row.id == self.id { None } else { self.finish()? };
        self.id = row.id;
        self.rows += 1;
        self.dates.extend(facts.crawl_dates.iter().cloned());
        if self.best.as_ref().is_none_or(|(best, _)| facts < *best) {
            self.best = Some((facts, row.json));
        }
        Ok(before)
    }

    /// The last document.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn finish(&mut self) -> serde_json::Result<Option<SolrRow>> {
        let (id, dates, rows) = (std::mem::take(&mut self.id), std::mem::take(&mut self.dates), self.rows);
        self.rows = 0;
        let Some((_, json)) = self.best.take() else { return Ok(None) };
        if rows == 1 {
            return Ok(Some(SolrRow { id, json }));
        }
        let mut fields: Map<String, Value> = serde_json::from_str(&json)?;
        let year = |date: &String| date.get(..4).and_then(|year| year.parse::<u64>().ok());
        let years: BTreeSet<u64> = dates.iter().filter_map(year).collect();
        fields.insert("crawl_date".to_owned(), json!(dates.first()));
        fields.insert("crawl_year".to_owned(), json!(years.first()));
        fields.insert("crawl_dates".to_owned(), json!(dates));
        fields.insert("crawl_years".to_owned(), json!(years));
        Ok(Some(SolrRow { id, json: serde_json::to_string(&fields)? }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(normalised(&Url::parse(url).unwrap()), expected, "{url}");
    }

    #[test]
    fn urls_are_normalised_as_webarchive_discovery_does() {
        check("https://www.Site.pt", "http://site.pt/");
        check("http://www2.site.pt/A/", "http://site.pt/a");
        check("http://site.pt:8080/a/?B=1", "http://site.pt:8080/a/?b=1");
        check("http://site.pt/%C3%89vora/%2A%20x%25", "http://site.pt/évora/*%20x%25");
        check("http://site.pt/%ff", "http://site.pt/%ff");
        check("http://wwwx.pt/", "http://wwwx.pt/");
        check("http://www.pt/", "http://pt/");
    }

    #[test]
    fn suffixes_are_below_the_registrable_domain() {
        assert_eq!(public_suffix("a.site.co.uk").as_deref(), Some("co.uk"));
        assert_eq!(public_suffix("site.pt").as_deref(), Some("pt"));
        assert_eq!(public_suffix("10.0.0.1"), None);
        assert_eq!(public_suffix("localhost"), None);
    }

    fn row(date: u64, kind: &str, offset: u64) -> SolrRow {
        let day = format!("{}-01-01T00:00:00Z", date / 10_000_000_000);
        let json = json!({"record_type": kind, "wayback_date": date, "source_file_path": "f", "source_file_offset": offset,
            "crawl_date": day, "crawl_year": 1, "crawl_dates": [day], "crawl_years": [1], "content": offset});
        SolrRow { id: "x".to_owned(), json: json.to_string() }
    }

    fn merged(rows: &[SolrRow]) -> Value {
        let mut merger = DocumentMerger::default();
        for row in rows {
            assert_eq!(merger.add(row.clone()).unwrap(), None);
        }
        serde_json::from_str(&merger.finish().unwrap().unwrap().json).unwrap()
    }

    proptest! {
        #[test]
        fn a_document_is_the_same_whatever_the_order_of_its_rows(order in Just(vec![0, 1, 2, 3]).prop_shuffle()) {
            let rows = [
                row(20_200_101_000_000, "response", 4),
                row(20_190_101_000_000, "response", 9),
                row(20_180_101_000_000, "revisit", 1),
                row(20_190_101_000_000, "response", 12),
            ];
            let rows: Vec<SolrRow> = order.into_iter().map(|at| rows[at].clone()).collect();
            let document = merged(&rows);
            prop_assert_eq!(&document["content"], 9);
            prop_assert_eq!(&document["crawl_date"], "2018-01-01T00:00:00Z");
            prop_assert_eq!(&document["crawl_years"], &json!([2018, 2019, 2020]));
        }
    }
}
