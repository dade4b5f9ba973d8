//! The `metadata` record of a capture: how it came about, and its outlinks
//! with anchor texts, so that inlinks can be rebuilt without parsing HTML.
//!
//! JSON in the envelope of WAT files, whose readers find the links where they look for them; what
//! only a crawl knows is in `Fonds`:
//!
//! ```json
//! {"Envelope": {
//!   "Format": "WARC", "WARC-Header-Metadata": {"WARC-Target-URI": "http://a.pt/", "WARC-Date": "…"},
//!   "Payload-Metadata": {"HTTP-Response-Metadata": {
//!     "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"},
//!     "HTML-Metadata": {"Head": {"Title": "A"}, "Links": [{"path": "A@/href", "url": "http://b.pt/", "text": "B"}]}}}},
//!  "Fonds": {"via": "http://c.pt/", "hops": "L", "seed": "http://c.pt/", "fetchTimeMs": 12,
//!            "verdict": {"decision": "ACCEPT", "rule_index": 1, "rule_name": "…"}}}
//! ```

use super::Unread;
use crate::links::{LinkKind, Outlink, PagePlace, has_token};
use crate::scope::Verdict;
use crate::uri::{CaptureDate, Url, parse_web_url};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{self, Read, Write};

/// Bytes of a record that are written at once.
const WRITE_BYTES: usize = 16 << 10;
/// The path of the links in a record.
const LINKS_PATH: [&str; 5] = ["Envelope", "Payload-Metadata", "HTTP-Response-Metadata", "HTML-Metadata", "Links"];

/// The notes on a capture in a metadata record of ours.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaptureNotes {
    /// HTTP status.
    pub status: i32,
    /// Type that the response was served with, without parameters; empty where it had none.
    pub mime: String,
    /// The type that it was read as where it is a page and its type says nothing of that.
    pub page_type: Option<&'static str>,
    /// Title of a page.
    pub title: Option<String>,
    /// Language of a page.
    pub language: Option<String>,
    /// Links out of it.
    pub outlinks: Vec<Outlink>,
    /// Why these are not as the page was meant to be read.
    pub unread: Option<Unread>,
    /// The page that led here.
    pub via: Option<Url>,
    /// Path from the seed.
    pub hops: String,
    /// The seed it descends from.
    pub seed: Option<String>,
    /// The word of that seed.
    pub source_tag: String,
    /// Duration of the fetch in milliseconds.
    pub fetch_ms: Option<u64>,
    /// Why it was fetched.
    pub verdict: Option<Verdict>,
    /// Remarks, as in the last column of the crawl log.
    pub annotations: Vec<String>,
    /// Interim answers (1xx) that came before the response, as text.
    pub interim: String,
    /// Why the server's certificate would not be trusted.
    pub certificate_problem: Option<String>,
}

impl CaptureNotes {
    /// Writes the block of the record, link by link.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, url: &Url, date: CaptureDate, out: impl Write) -> io::Result<()> {
        let block = MetadataBlock {
            envelope: MetadataEnvelope {
                format: "WARC",
                warc: WarcHeader { target: url.as_str(), date: date.to_warc() },
                payload: PayloadMetadata {
                    http: HttpMetadata {
                        message: ResponseMessage { status: self.status.to_string() },
                        headers: HttpHeaders { mime: Some(self.mime.as_str()).filter(|mime| !mime.is_empty()) },
                        html: HtmlMetadata {
                            links: &self.outlinks,
                            head: self.title.as_deref().map(|title| HtmlHead { title }),
                        },
                    },
                },
            },
            fonds: OfCrawl {
                via: self.via.as_ref().map(Url::as_str),
                hops: &self.hops,
                seed: self.seed.as_deref(),
                source_tag: &self.source_tag,
                fetch_ms: self.fetch_ms,
                verdict: self.verdict.as_ref(),
                language: self.language.as_deref(),
                page_type: self.page_type,
                annotations: &self.annotations,
                unread: self.unread.map(Unread::as_str),
                interim: Some(self.interim.as_str()).filter(|interim| !interim.is_empty()),
                certificate_problem: self.certificate_problem.as_deref(),
            },
        };
        // Written as it is made, a link is many small pieces.
        let mut out = io::BufWriter::with_capacity(WRITE_BYTES, out);
        serde_json::to_writer(&mut out, &block)?;
        out.flush()
    }

    /// Reads the block of such a record; none for metadata of other kinds.
    pub fn from_json(block: &[u8]) -> Option<Self> {
        Self::read_json(&mut serde_json::Deserializer::from_slice(block))
    }

    /// Reads notes as [`Self::from_json`], from a stream of any length: only the links are kept in
    /// memory.
    pub fn from_json_stream(block: impl Read) -> Option<Self> {
        Self::read_json(&mut serde_json::Deserializer::from_reader(block))
    }

    fn read_json<'de, R: serde_json::de::Read<'de>>(json: &mut serde_json::Deserializer<R>) -> Option<Self> {
        let mut outlinks = Vec::new();
        let value = AllButLinks { path: &LINKS_PATH, links: &mut outlinks }.deserialize(&mut *json).ok()?;
        json.end().ok()?;
        let fonds = value.get("Fonds")?;
        let http = value.pointer("/Envelope/Payload-Metadata/HTTP-Response-Metadata")?;
        let status = http.pointer("/Response-Message/Status").and_then(Value::as_str).unwrap_or_default();
        let annotations = fonds.get("annotations").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            status: status.parse().unwrap_or(0),
            mime: http.pointer("/Headers/Content-Type").and_then(Value::as_str).unwrap_or_default().to_owned(),
            page_type: None,
            title: http.pointer("/HTML-Metadata/Head/Title").and_then(Value::as_str).map(str::to_owned),
            language: text(fonds, "language"),
            outlinks,
            unread: text(fonds, "notReadWhole").and_then(|name| Unread::parse(&name)),
            via: text(fonds, "via").as_deref().and_then(parse_web_url),
            hops: text(fonds, "hops").unwrap_or_default(),
            seed: text(fonds, "seed"),
            source_tag: text(fonds, "sourceTag").unwrap_or_default(),
            fetch_ms: fonds.get("fetchTimeMs").and_then(Value::as_u64),
            verdict: fonds.get("verdict").cloned().and_then(|verdict| serde_json::from_value(verdict).ok()),
            annotations: annotations.filter_map(Value::as_str).map(str::to_owned).collect(),
            interim: text(fonds, "interimResponses").unwrap_or_default(),
            certificate_problem: text(fonds, "certificateProblem"),
        })
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A link as a record has it; none without a URL of the web.
fn outlink_of(link: &Value, position: usize) -> Option<Outlink> {
    let url = link.get("url").and_then(Value::as_str).and_then(parse_web_url)?;
    let rel = text(link, "rel").unwrap_or_default();
    let by_page = link.get("nofollow").and_then(Value::as_bool) == Some(true);
    Some(Outlink {
        url,
        kind: LinkKind::from_wat_path(link.get("path").and_then(Value::as_str).unwrap_or_default()),
        anchor: text(link, "text").unwrap_or_default(),
        nofollow: by_page || has_token(&rel, "nofollow"),
        rel,
        place: link.get("place").cloned().and_then(|place| serde_json::from_value(place).ok()),
        position: u32::try_from(position).unwrap_or(u32::MAX),
    })
}

#[derive(Serialize)]
struct MetadataBlock<'a> {
    #[serde(rename = "Envelope")]
    envelope: MetadataEnvelope<'a>,
    #[serde(rename = "Fonds")]
    fonds: OfCrawl<'a>,
}

#[derive(Serialize)]
struct MetadataEnvelope<'a> {
    #[serde(rename = "Format")]
    format: &'static str,
    #[serde(rename = "WARC-Header-Metadata")]
    warc: WarcHeader<'a>,
    #[serde(rename = "Payload-Metadata")]
    payload: PayloadMetadata<'a>,
}

#[derive(Serialize)]
struct WarcHeader<'a> {
    #[serde(rename = "WARC-Target-URI")]
    target: &'a str,
    #[serde(rename = "WARC-Date")]
    date: String,
}

#[derive(Serialize)]
struct PayloadMetadata<'a> {
    #[serde(rename = "HTTP-Response-Metadata")]
    http: HttpMetadata<'a>,
}

#[derive(Serialize)]
struct HttpMetadata<'a> {
    #[serde(rename = "Response-Message")]
    message: ResponseMessage,
    #[serde(rename = "Headers")]
    headers: HttpHeaders<'a>,
    #[serde(rename = "HTML-Metadata")]
    html: HtmlMetadata<'a>,
}

#[derive(Serialize)]
struct ResponseMessage {
    #[serde(rename = "Status")]
    status: String,
}

#[derive(Serialize)]
struct HttpHeaders<'a> {
    #[serde(rename = "Content-Type", skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
}

#[derive(Serialize)]
struct HtmlMetadata<'a> {
    #[serde(rename = "Links", serialize_with = "write_links")]
    links: &'a [Outlink],
    #[serde(rename = "Head", skip_serializing_if = "Option::is_none")]
    head: Option<HtmlHead<'a>>,
}

#[derive(Serialize)]
struct HtmlHead<'a> {
    #[serde(rename = "Title")]
    title: &'a str,
}

#[derive(Serialize)]
struct LinkEntry<'a> {
    path: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    rel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nofollow: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<PagePlace>,
}

/// The fields that only a crawl knows.
#[derive(Serialize)]
struct OfCrawl<'a> {
    via: Option<&'a str>,
    hops: &'a str,
    seed: Option<&'a str>,
    #[serde(rename = "sourceTag")]
    source_tag: &'a str,
    #[serde(rename = "mimeDetected", skip_serializing_if = "Option::is_none")]
    page_type: Option<&'a str>,
    #[serde(rename = "fetchTimeMs")]
    fetch_ms: Option<u64>,
    verdict: Option<&'a Verdict>,
    language: Option<&'a str>,
    annotations: &'a [String],
    #[serde(rename = "notReadWhole", skip_serializing_if = "Option::is_none")]
    unread: Option<&'a str>,
    #[serde(rename = "interimResponses", skip_serializing_if = "Option::is_none")]
    interim: Option<&'a str>,
    #[serde(rename = "certificateProblem", skip_serializing_if = "Option::is_none")]
    certificate_problem: Option<&'a str>,
}

fn write_links<S: Serializer>(links: &[Outlink], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(links.iter().map(|link| LinkEntry {
        path: link.kind.wat_path(),
        url: link.url.as_str(),
        text: &link.anchor,
        rel: &link.rel,
        // The page declares it for all its links.
        nofollow: (link.nofollow && !has_token(&link.rel, "nofollow")).then_some(true),
        place: link.place,
    }))
}

/// Reads JSON as a value without what is at `path`: links are taken out of the stream one by one,
/// since values of a million of them fill the memory.
struct AllButLinks<'a> {
    path: &'a [&'static str],
    links: &'a mut Vec<Outlink>,
}

impl<'de> DeserializeSeed<'de> for AllButLinks<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AllButLinks<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let value = match self.path.split_first() {
                Some((next, path)) if name == *next => {
                    // Of equal names the last one counts.
                    self.links.clear();
                    entries.next_value_seed(AllButLinks { path, links: &mut *self.links })?
                }
                _ => entries.next_value()?,
            };
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        while let Some(element) = elements.next_element::<Value>()? {
            if self.path.is_empty() {
                self.links.extend(outlink_of(&element, self.links.len()));
            }
        }
        Ok(Value::Null)
    }

    // What is no map on the way there, and no list at its end, holds no links.

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::scope::Decision;

    #[test]
    fn notes_survive_the_record() {
        let link = |position: u32, kind: LinkKind, anchor: &str| Outlink {
            url: Url::parse(&format!("http://b.pt/{position}")).unwrap(),
            kind,
            anchor: anchor.to_owned(),
            rel: if position == 1 { "external nofollow".to_owned() } else { String::new() },
            nofollow: position < 2,
            place: (position == 0).then_some(PagePlace::Footer),
            position,
        };
        let notes = CaptureNotes {
            page_type: None,
            status: 200,
            mime: "text/html".to_owned(),
            title: Some("Câmara <b>".to_owned()),
            language: Some("pt".to_owned()),
            outlinks: vec![link(0, LinkKind::Anchor, "Olá \u{2028}\"x\""), link(1, LinkKind::Image, "")],
            unread: Some(Unread::TooLong),
            via: Some(Url::parse("http://c.pt/").unwrap()),
            hops: "LE".to_owned(),
            seed: Some("c.pt".to_owned()),
            source_tag: "town".to_owned(),
            fetch_ms: Some(12),
            verdict: Some(Verdict {
                decision: Decision::Accept,
                rule_index: Some(1),
                rule_name: "SurtPrefixedDecideRule".to_owned(),
            }),
            annotations: vec!["dol:3".to_owned()],
            interim: "HTTP/1.1 103\r\n\r\n".to_owned(),
            certificate_problem: Some("expired".to_owned()),
        };
        let mut block = Vec::new();
        notes.write_json(&Url::parse("http://a.pt/").unwrap(), CaptureDate::from_seconds(0), &mut block).unwrap();
        let expected = concat!(
            r#"{"Envelope":{"Format":"WARC","WARC-Header-Metadata":{"WARC-Target-URI":"http://a.pt/","#,
            r#""WARC-Date":"1970-01-01T00:00:00Z"},"Payload-Metadata":{"HTTP-Response-Metadata":{"#,
            r#""Response-Message":{"Status":"200"},"Headers":{"Content-Type":"text/html"},"HTML-Metadata":{"Links":["#,
            r#"{"path":"A@/href","url":"http://b.pt/0","text":"Olá "#,
            "\u{2028}",
            r#"\"x\"","nofollow":true,"place":"footer"},"#,
            r#"{"path":"IMG@/src","url":"http://b.pt/1","rel":"external nofollow"}],"Head":{"Title":"Câmara <b>"}}}}},"#,
            r#""Fonds":{"via":"http://c.pt/","hops":"LE","seed":"c.pt","sourceTag":"town","fetchTimeMs":12,"#,
            r#""verdict":{"decision":"ACCEPT","rule_index":1,"rule_name":"SurtPrefixedDecideRule"},"language":"pt","#,
            r#""annotations":["dol:3"],"notReadWhole":"too-long","interimResponses":"HTTP/1.1 103\r\n\r\n","#,
            r#""certificateProblem":"expired"}}"#,
        );
        assert_eq!(String::from_utf8_lossy(&block), expected);
        assert_eq!(CaptureNotes::from_json(&block).as_ref(), Some(&notes));
        assert_eq!(CaptureNotes::from_json_stream(block.as_slice()), Some(notes));
        let wat: Value = serde_json::from_slice(&block).unwrap();
        let links = "/Envelope/Payload-Metadata/HTTP-Response-Metadata/HTML-Metadata/Links";
        assert_eq!(wat.pointer(links).unwrap().as_array().unwrap().len(), 2);
    }

    #[test]
    fn other_metadata_is_none_of_ours() {
        for block in ["", "fetchTimeMs: 12\r\n", "{}", "{\"Envelope\":{}}", "[1]"] {
            assert_eq!(CaptureNotes::from_json(block.as_bytes()), None, "{block}");
        }
    }
}
