//! The `metadata` record of a capture: how it came about, and its outlinks
//! with anchor texts, so that inlinks can be rebuilt without parsing HTML.
//!
//! JSON in the envelope of WAT files, whose readers find the links where they
//! look for them; what only a crawl knows stands in `Fonds`:
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

use crate::links::{LinkKind, Outlink, Unread, has_word};
use crate::scope::Verdict;
use crate::uri::{CaptureDate, Url, parse_web_url};
use serde_json::{Value, json};

/// What a metadata record of ours tells of a capture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaptureNotes {
    /// HTTP status.
    pub status: i32,
    /// Type that the response was served with, without parameters; empty where it had none.
    pub mime: String,
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
    /// The block of the record.
    pub fn to_json(&self, url: &Url, date: CaptureDate) -> Vec<u8> {
        let links: Vec<Value> = self
            .outlinks
            .iter()
            .map(|link| {
                let mut entry = json!({"path": link.kind.wat_path(), "url": link.url.as_str()});
                if !link.anchor.is_empty() {
                    entry["text"] = json!(link.anchor);
                }
                if !link.rel.is_empty() {
                    entry["rel"] = json!(link.rel);
                }
                // The page says it of all its links.
                if link.nofollow && !has_word(&link.rel, "nofollow") {
                    entry["nofollow"] = json!(true);
                }
                if let Some(place) = link.place {
                    entry["place"] = json!(place);
                }
                entry
            })
            .collect();
        let headers = if self.mime.is_empty() { json!({}) } else { json!({"Content-Type": self.mime}) };
        let mut html = json!({"Links": links});
        if let Some(title) = &self.title {
            html["Head"] = json!({"Title": title});
        }
        let mut fonds = json!({
            "via": self.via.as_ref().map(Url::as_str),
            "hops": self.hops,
            "seed": self.seed,
            "sourceTag": self.source_tag,
            "fetchTimeMs": self.fetch_ms,
            "verdict": self.verdict,
            "language": self.language,
            "annotations": self.annotations,
        });
        if let Some(why) = self.unread {
            fonds["notReadWhole"] = json!(why.word());
        }
        if !self.interim.is_empty() {
            fonds["interimResponses"] = json!(self.interim);
        }
        if let Some(problem) = &self.certificate_problem {
            fonds["certificateProblem"] = json!(problem);
        }
        let value = json!({
            "Envelope": {
                "Format": "WARC",
                "WARC-Header-Metadata": {"WARC-Target-URI": url.as_str(), "WARC-Date": date.to_warc()},
                "Payload-Metadata": {"HTTP-Response-Metadata": {
                    "Response-Message": {"Status": self.status.to_string()},
                    "Headers": headers,
                    "HTML-Metadata": html,
                }},
            },
            "Fonds": fonds,
        });
        value.to_string().into_bytes()
    }

    /// Reads the block of such a record; none for metadata of other kinds.
    pub fn from_json(block: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(block).ok()?;
        let fonds = value.get("Fonds")?;
        let http = value.pointer("/Envelope/Payload-Metadata/HTTP-Response-Metadata")?;
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let status = http.pointer("/Response-Message/Status").and_then(Value::as_str).unwrap_or_default();
        let links = http.pointer("/HTML-Metadata/Links").and_then(Value::as_array);
        let mut outlinks = Vec::new();
        for link in links.into_iter().flatten() {
            let Some(url) = link.get("url").and_then(Value::as_str).and_then(parse_web_url) else { continue };
            let rel = text(link, "rel").unwrap_or_default();
            let by_page = link.get("nofollow").and_then(Value::as_bool) == Some(true);
            outlinks.push(Outlink {
                url,
                kind: LinkKind::from_wat_path(link.get("path").and_then(Value::as_str).unwrap_or_default()),
                anchor: text(link, "text").unwrap_or_default(),
                nofollow: by_page || has_word(&rel, "nofollow"),
                rel,
                place: link.get("place").cloned().and_then(|place| serde_json::from_value(place).ok()),
                position: u32::try_from(outlinks.len()).unwrap_or(u32::MAX),
            });
        }
        let annotations = fonds.get("annotations").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            status: status.parse().unwrap_or(0),
            mime: http.pointer("/Headers/Content-Type").and_then(Value::as_str).unwrap_or_default().to_owned(),
            title: http.pointer("/HTML-Metadata/Head/Title").and_then(Value::as_str).map(str::to_owned),
            language: text(fonds, "language"),
            outlinks,
            unread: text(fonds, "notReadWhole").and_then(|word| Unread::from_word(&word)),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::links::PagePlace;
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
        let block = notes.to_json(&Url::parse("http://a.pt/").unwrap(), CaptureDate::from_seconds(0));
        assert_eq!(CaptureNotes::from_json(&block), Some(notes));
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
