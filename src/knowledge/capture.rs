//! The knowledge of a capture is written as the JSON of its metadata record and as statements.

use super::annotation::WebAnnotation;
use super::entity::CaptureEntities;
use super::graphs::{FACTS, LINKS, SCORES};
use super::links::{StatedLink, stated_links};
use super::location::{location_json, location_node};
use super::statement::{RdfNode, Statement, Statements};
use super::{check_node, launch_node, part_of_score};
use crate::analysis::ScorePart;
use crate::analysis::checks::FindingState;
use crate::inlinks::push_json;
use crate::scope::GeoFact;
use crate::uri::{CaptureDate, Url};
use serde::Serialize;
use serde_json::{Value, json};

/// The knowledge of a capture that leaves with a selection.
#[derive(Debug)]
pub struct CaptureKnowledge<'k> {
    /// Its URL.
    pub url: &'k Url,
    /// When it was made.
    pub date: CaptureDate,
    /// HTTP status; none where it has none.
    pub status: Option<u64>,
    /// The media type that was declared.
    pub mime: &'k str,
    /// The payload digest.
    pub digest: &'k str,
    /// Title; may be empty.
    pub title: &'k str,
    /// Language; may be empty.
    pub language: &'k str,
    /// Kinds of site that its page is of, by name.
    pub site_kinds: &'k [String],
    /// What checks of review found on it, false alarms left out.
    pub findings: Vec<KnownFinding<'k>>,
    /// The entities that its text names; none where it was not analysed or names nobody.
    pub entities: Option<&'k CaptureEntities>,
    /// Why it is in the export.
    pub role: &'static str,
    /// The campaign that selects it, as metadata records name it.
    pub campaign: &'k Value,
    /// The selection that it is in, where statements are to name it.
    pub selection: Option<RdfNode>,
    /// Its score, where it has one.
    pub score: Option<KnownScore<'k>>,
    /// Its origin.
    pub origin: CaptureOrigin<'k>,
    /// The links to it; none where inlinks are not built.
    pub inlinks: Option<CaptureInlinks<'k>>,
    /// Decisions and notes that hold, those of the same page and content included.
    pub notes: Vec<KnownNote>,
    /// Decisions, notes and judgements that were given on it, as statements have them.
    pub annotations: Vec<WebAnnotation>,
    /// The location of its host.
    pub location: &'k GeoFact,
    /// On what grounds it was collected; null where nothing covers it.
    pub permission: &'k Value,
    /// The ground as statements name it.
    pub ground: Option<RdfNode>,
}

/// A finding of a check of review.
#[derive(Debug, Serialize)]
pub struct KnownFinding<'k> {
    /// The check, by its name in data.
    pub check: &'k str,
    /// Its conclusion.
    pub state: FindingState,
    /// Weight times strength, 0 to 1.
    pub severity: f64,
    /// Why. Hostile text.
    pub evidence: &'k Value,
}

/// A score, and what it was held against.
#[derive(Debug)]
pub struct KnownScore<'k> {
    /// Score, 0 to 1.
    pub score: f64,
    /// Its parts.
    pub parts: &'k [ScorePart],
    /// The score that selects; none where a filter does.
    pub threshold: Option<f64>,
    /// The filter that selects in its place.
    pub filter: Option<&'k str>,
}

/// The origin of a capture: its crawl or import.
#[derive(Debug)]
pub struct CaptureOrigin<'k> {
    /// It was imported: no crawl of the workspace vouches for the claims of its file.
    pub imported: bool,
    /// The campaign that it was captured for.
    pub campaign: Option<i64>,
    /// The version of that.
    pub version: Option<u32>,
    /// Job of the crawl.
    pub job: &'k str,
    /// Launch of the job.
    pub launch: &'k str,
    /// Path from the seed.
    pub hops: &'k str,
    /// The page that led here.
    pub via: &'k str,
    /// The seed.
    pub seed: &'k str,
    /// The tag of the seed.
    pub tag: &'k str,
    /// The rule that let it in.
    pub rule: Option<&'k str>,
    /// Index of that rule.
    pub rule_index: Option<i64>,
}

/// The links to a capture within a window.
#[derive(Debug)]
pub struct CaptureInlinks<'k> {
    /// When inlinks were built.
    pub built: Option<CaptureDate>,
    /// Days between the captures of both pages, at most.
    pub window_days: u32,
    /// The links.
    pub list: Vec<CaptureInlink<'k>>,
}

/// A link to a capture.
#[derive(Debug, Clone, Copy)]
pub struct CaptureInlink<'k> {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Its URL.
    pub source: &'k str,
    /// The text of the link. Hostile text.
    pub anchor: &'k str,
    /// Same site or not.
    pub internal: bool,
}

/// A decision or note in short, as a metadata record lists it.
#[derive(Debug, Serialize)]
pub struct KnownNote {
    /// When, RFC 3339.
    pub date: String,
    /// The person.
    pub who: String,
    /// Its origin elsewhere.
    pub origin: Option<String>,
    /// The mark by its name.
    pub mark: Value,
    /// Reason or note.
    pub note: String,
}

/// The fields of a metadata record about a capture itself, in their order. Behind it come the
/// inlinks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfCapture<'k> {
    software: &'static str,
    campaign: &'k Value,
    captured_for: Value,
    title: Option<&'k str>,
    language: Option<&'k str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    site_kinds: &'k [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    findings: &'k [KnownFinding<'k>],
    #[serde(skip_serializing_if = "Option::is_none")]
    entities: Option<&'k CaptureEntities>,
    tag: Option<&'k str>,
    hops: Option<&'k str>,
    via: Option<&'k str>,
    seed: Option<&'k str>,
    verdict: Option<Value>,
    #[serde(rename = "fileSays")]
    recorded: Option<Value>,
    selection: Value,
}

/// The inlinks of a metadata record without their list, which comes last.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CountsOfLinks {
    built: Option<CaptureDate>,
    window_days: u32,
    count: usize,
    count_internal: usize,
    count_external: usize,
}

/// The fields of a metadata record behind the inlinks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BehindInlinks<'k> {
    annotations: &'k [KnownNote],
    geolocation: Value,
    permission: &'k Value,
}

fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl CaptureKnowledge<'_> {
    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The block of the capture's metadata record.
    ///
    /// # Errors
    ///
    /// None that values of this program bring about.
    pub fn json(&self) -> serde_json::Result<String> {
        let CaptureOrigin { imported, campaign, version, job, launch, hops, via, seed, tag, rule, rule_index } =
            &self.origin;
        let own = !imported;
        let knowledge = OfCapture {
            software: concat!("Fonds/", env!("CARGO_PKG_VERSION")),
            campaign: self.campaign,
            captured_for: json!({ "campaign": campaign, "version": version, "job": job, "launch": launch }),
            title: filled(self.title),
            language: filled(self.language),
            site_kinds: self.site_kinds,
            findings: &self.findings,
            entities: self.entities,
            tag: filled(tag).filter(|_| own),
            hops: own.then_some(hops),
            via: own.then_some(via),
            seed: own.then_some(seed),
            verdict: rule
                .filter(|_| own)
                .map(|rule| json!({ "decision": "ACCEPT", "ruleIndex": rule_index, "rule": rule })),
            // No crawl of the workspace vouches for the claims of an imported file.
            recorded: imported.then(|| json!({ "hops": hops, "via": via, "seed": seed, "rule": rule })),
            selection: match &self.score {
                None => json!({ "role": self.role }),
                Some(score) => json!({
                    "role": self.role,
                    "score": score.score,
                    "threshold": score.threshold,
                    "filter": score.filter,
                    "parts": score.parts,
                }),
            },
        };
        let mut json = serde_json::to_vec(&knowledge)?;
        // Hundreds of links of a page are nearly all of its record.
        join_fields(&mut json, b",\"inlinks\":");
        match &self.inlinks {
            Some(inlinks) => inlinks.push_json(&mut json)?,
            None => json.extend_from_slice(b"null"),
        }
        let rest = BehindInlinks {
            annotations: &self.notes,
            geolocation: location_json(self.host(), self.location),
            permission: self.permission,
        };
        let rest = serde_json::to_vec(&rest)?;
        json.push(b',');
        json.extend_from_slice(rest.strip_prefix(b"{").unwrap_or(&rest));
        // It is made of texts.
        Ok(String::from_utf8(json).unwrap_or_default())
    }

    /// The knowledge as statements, without the links: see [`Self::links`].
    pub fn statements(&self) -> Vec<Statement> {
        let mut out = Statements::default();
        let url = self.url.as_str();
        let mut about = out
            .about(FACTS, RdfNode::Capture)
            .is_a("f:Capture")
            .iri("prov:specializationOf", url)
            .text("f:url", url)
            .date("dct:date", self.date)
            .text("dct:format", self.mime)
            .text("dct:title", self.title)
            .text("dct:language", self.language)
            .text("f:digest", self.digest)
            .text("f:role", self.role);
        if let Some(selection) = &self.selection {
            about = about.node("f:selectedBy", selection.clone());
        }
        for kind in self.site_kinds {
            about = about.text("f:siteKind", kind);
        }
        if let Some(status) = self.status {
            about = about.count("f:status", status);
        }
        if let Some(ground) = &self.ground {
            about = about.node("f:coveredBy", ground.clone());
        }
        if let (GeoFact::Known(location), Some(host)) = (self.location, self.url.host_str()) {
            about.node("f:hostLocation", location_node(host, location));
        }
        self.origin.state(&mut out);
        if let Some(score) = &self.score {
            score.state(&mut out);
        }
        // What a check could not speak about is no measurement.
        for of in self.findings.iter().filter(|of| of.state != FindingState::NotApplicable) {
            let why = of.evidence.get("text").and_then(Value::as_str).unwrap_or_default();
            out.about(SCORES, RdfNode::PartOfCapture(format!("finding-{}", of.check)))
                .is_a("dqv:QualityMeasurement")
                .node("dqv:computedOn", RdfNode::Capture)
                .node("dqv:isMeasurementOf", check_node(of.check))
                .real("dqv:value", of.severity)
                .text("rdfs:comment", &format!("{}: {why}", of.state.as_str()));
        }
        if let Some(entities) = self.entities {
            entities.state(&mut out);
        }
        if let Some(inlinks) = &self.inlinks {
            let of_side = |internal| inlinks.list.iter().filter(|link| link.internal == internal).count() as u64;
            out.about(LINKS, RdfNode::Capture)
                .count("f:internalLinks", of_side(true))
                .count("f:externalLinks", of_side(false));
        }
        for annotation in &self.annotations {
            annotation.state(&mut out, true);
        }
        out.take()
    }

    /// The links to the capture that are stated.
    pub fn links(&self) -> Vec<StatedLink> {
        let list = self.inlinks.as_ref().map(|inlinks| inlinks.list.as_slice()).unwrap_or_default();
        let internal: Vec<bool> = list.iter().map(|link| link.internal).collect();
        let stated = |link: &CaptureInlink<'_>| StatedLink {
            date: link.date,
            source: link.source.to_owned(),
            anchor: link.anchor.to_owned(),
            internal: link.internal,
        };
        stated_links(&internal).filter_map(|at| list.get(at)).map(stated).collect()
    }
}

impl CaptureOrigin<'_> {
    fn state(&self, out: &mut Statements) {
        if self.imported {
            return;
        }
        out.about(FACTS, RdfNode::Capture)
            .node("prov:wasGeneratedBy", launch_node(self.job, self.launch))
            .iri("f:via", self.via)
            .iri("f:seed", self.seed)
            .text("dct:subject", self.tag)
            .text("f:hops", self.hops);
        let Some(rule) = self.rule else { return };
        let about = out
            .about(FACTS, RdfNode::PartOfCapture("verdict".to_owned()))
            .is_a("f:Verdict")
            .node("f:about", RdfNode::Capture)
            .node("f:decision", RdfNode::Term("f:accept"))
            .node("prov:wasGeneratedBy", launch_node(self.job, self.launch))
            .text("f:rule", rule);
        if let Some(index) = self.rule_index.and_then(|index| u64::try_from(index).ok()) {
            about.count("f:ruleIndex", index);
        }
    }
}

impl KnownScore<'_> {
    fn state(&self, out: &mut Statements) {
        out.about(SCORES, RdfNode::PartOfCapture("score".to_owned()))
            .is_a("dqv:QualityMeasurement")
            .node("dqv:computedOn", RdfNode::Capture)
            .node("dqv:isMeasurementOf", RdfNode::Term("f:relevance"))
            .real("dqv:value", self.score);
        // What does not count is not known, or nobody wants it: no measurement.
        for (number, of) in (1..).zip(self.parts).filter(|(_, of)| of.weight != 0.0) {
            out.about(SCORES, RdfNode::PartOfCapture(format!("score-{number}")))
                .is_a("dqv:QualityMeasurement")
                .node("dqv:computedOn", RdfNode::Capture)
                .node("dqv:isMeasurementOf", part_of_score(&of.name))
                .real("dqv:value", of.value)
                .real("f:weight", of.weight)
                .text("rdfs:comment", &of.why);
        }
    }
}

impl CaptureInlinks<'_> {
    fn push_json(&self, json: &mut Vec<u8>) -> serde_json::Result<()> {
        let count_internal = self.list.iter().filter(|link| link.internal).count();
        let counts = CountsOfLinks {
            built: self.built,
            window_days: self.window_days,
            count: self.list.len(),
            count_internal,
            count_external: self.list.len() - count_internal,
        };
        serde_json::to_writer(&mut *json, &counts)?;
        join_fields(json, b",\"list\":[");
        for (number, link) in self.list.iter().enumerate() {
            if number > 0 {
                json.push(b',');
            }
            link.push_json(json);
        }
        json.extend_from_slice(b"]}");
        Ok(())
    }
}

impl CaptureInlink<'_> {
    fn push_json(&self, json: &mut Vec<u8>) {
        json.extend_from_slice(b"{\"date\":\"");
        json.extend_from_slice(self.date.to_warc().as_bytes());
        json.extend_from_slice(b"\",\"source\":");
        push_json(json, self.source);
        json.extend_from_slice(b",\"anchor\":");
        push_json(json, self.anchor);
        json.extend_from_slice(if self.internal { b",\"internal\":true}" } else { b",\"internal\":false}" });
    }
}

/// Goes on with an object, of which all fields so far are there.
fn join_fields(json: &mut Vec<u8>, field: &[u8]) {
    json.pop_if(|last| *last == b'}');
    json.extend_from_slice(field);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{AnnotationBody, CaptureEntity, CaptureIri, EntityPlace, PageAssessment, push_links};
    use super::*;
    use crate::analysis::entities::EntityKind;

    fn part(name: &str, value: f64, weight: f64) -> ScorePart {
        ScorePart { name: name.to_owned(), value, weight, why: format!("why {name}") }
    }

    /// Lets `test` see the record and the quads of a capture.
    fn written(imported: bool, test: impl FnOnce(Value, Vec<String>)) {
        let (url, location) = (Url::parse("http://a.pt/x?y=1").unwrap(), GeoFact::NotQueried);
        let (campaign, permission) = (json!({ "name": "Town" }), json!({ "state": "granted" }));
        let site_kinds = ["mediawiki".to_owned()];
        let evidence = json!({ "text": "“not found” in the title" });
        let (state, severity) = (FindingState::Problem, 0.75);
        let place = EntityPlace { start: 3, end: 13, text: "Amélia Vaz".to_owned() };
        let vaz = CaptureEntity {
            name: "Amélia Vaz".to_owned(),
            kind: EntityKind::Person,
            uri: String::new(),
            source: "deputies.csv".to_owned(),
            mentions: 1,
            places: vec![place],
        };
        let entities = CaptureEntities { analysis: "ab".to_owned(), without_persons: false, list: vec![vaz] };
        let parts = [part("Request", 0.5, 2.0), part("Depth", 0.0, 0.0)];
        let date = CaptureDate::from_seconds(1_700_000_000);
        let link = |source, anchor, internal| CaptureInlink { date, source, anchor, internal };
        let known = CaptureKnowledge {
            url: &url,
            date,
            status: Some(200),
            mime: "text/html",
            digest: "sha1:AB",
            title: "Um \"título\"\u{9b}",
            language: "",
            site_kinds: &site_kinds,
            findings: vec![KnownFinding { check: "soft-404", state, severity, evidence: &evidence }],
            entities: Some(&entities),
            role: "selected",
            campaign: &campaign,
            selection: Some(RdfNode::Iri("urn:fonds:selection:1".to_owned())),
            score: Some(KnownScore { score: 0.25, parts: &parts, threshold: Some(0.2), filter: None }),
            origin: CaptureOrigin {
                imported,
                campaign: Some(1),
                version: Some(2),
                job: "job",
                launch: "20240101",
                hops: "LL",
                via: "http://a.pt/",
                seed: "http://seed.pt/",
                tag: "main",
                rule: Some("HopsDecideRule"),
                rule_index: Some(3),
            },
            inlinks: Some(CaptureInlinks {
                built: None,
                window_days: 30,
                list: vec![link("http://b.pt/", "ver \"x\"", false), link("http://a.pt/", "", true)],
            }),
            notes: vec![KnownNote {
                date: date.to_warc(),
                who: "Inês".to_owned(),
                origin: None,
                mark: json!("approve"),
                note: String::new(),
            }],
            annotations: vec![WebAnnotation {
                id: "urn:uuid:7".to_owned(),
                who: "Inês".to_owned(),
                date,
                undone: None,
                url: url.to_string(),
                captured: Some(date),
                digest: "sha1:AB".to_owned(),
                record_id: String::new(),
                bodies: vec![
                    AnnotationBody::Decision("f:approve", PageAssessment::default()),
                    AnnotationBody::Tag("ria".to_owned()),
                ],
                sources: Vec::new(),
            }],
            location: &location,
            permission: &permission,
            ground: Some(RdfNode::Iri("urn:fonds:permission:9".to_owned())),
        };
        let capture = CaptureIri::new("urn:uuid:1");
        let mut lines: Vec<String> = known.statements().iter().map(|statement| statement.line(&capture)).collect();
        let mut of_links = String::new();
        push_links(&known.links(), &capture, &mut of_links);
        lines.extend(of_links.lines().map(str::to_owned));
        lines.iter().for_each(|line| drop(super::super::read_quad(line.as_bytes()).unwrap()));
        test(serde_json::from_str(&known.json().unwrap()).unwrap(), lines);
    }

    #[test]
    fn record_and_quads_agree() {
        written(false, |json, lines| {
            let has =
                |end: &str| assert_eq!(lines.iter().filter(|line| line.contains(end)).count(), 1, "{end}: {lines:#?}");
            assert_eq!(json["title"], "Um \"título\"\u{9b}");
            has("<http://purl.org/dc/terms/title> \"Um \\\"título\\\"\u{9b}\"");
            assert_eq!((&json["language"], &json["hops"], &json["tag"]), (&Value::Null, &json!("LL"), &json!("main")));
            assert_eq!(json["siteKinds"], json!(["mediawiki"]));
            has("<urn:fonds:ns:siteKind> \"mediawiki\"");
            assert_eq!(
                json["entities"]["list"][0]["places"][0],
                json!({ "start": 3, "end": 13, "text": "Amélia Vaz" })
            );
            has("<https://schema.org/mentions> <urn:fonds:entity:person:Am%C3%A9lia%20Vaz>");
            has("#char=3,13> <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#anchorOf> \"Amélia Vaz\"");
            has(
                "#char=3,13> <http://www.w3.org/2005/11/its/rdf#taIdentRef> <urn:fonds:entity:person:Am%C3%A9lia%20Vaz>",
            );
            has("<urn:fonds:ns:hops> \"LL\"");
            has("<http://purl.org/dc/terms/subject> \"main\"");
            has("<urn:fonds:ns:via> <http://a.pt/>");
            assert_eq!(json["verdict"], json!({ "decision": "ACCEPT", "ruleIndex": 3, "rule": "HopsDecideRule" }));
            has("<urn:fonds:ns:rule> \"HopsDecideRule\"");
            assert_eq!((&json["selection"]["score"], &json["selection"]["threshold"]), (&json!(0.25), &json!(0.2)));
            has("#score> <http://www.w3.org/ns/dqv#value> \"0.25\"");
            has("#score-1> <urn:fonds:ns:weight> \"2\"");
            assert!(!lines.iter().any(|line| line.contains("#score-2")), "what does not count is no measurement");
            assert_eq!((&json["inlinks"]["countInternal"], &json["inlinks"]["countExternal"]), (&json!(1), &json!(1)));
            has("<urn:fonds:ns:internalLinks> \"1\"");
            assert_eq!(json["inlinks"]["list"][0]["anchor"], "ver \"x\"");
            has("<urn:fonds:ns:anchor> \"ver \\\"x\\\"\"");
            assert_eq!(json["annotations"][0]["mark"], "approve");
            has("<http://www.w3.org/ns/oa#hasBody> <urn:fonds:ns:approve>");
            has("<urn:uuid:7#tag-0> <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> \"ria\"");
            has("<urn:fonds:ns:coveredBy> <urn:fonds:permission:9>");
        });
    }

    #[test]
    fn nobody_vouches_for_what_an_imported_file_declares() {
        written(true, |json, lines| {
            assert_eq!(json["fileSays"]["via"], "http://a.pt/");
            for field in ["hops", "via", "seed", "tag", "verdict"] {
                assert_eq!(json[field], Value::Null, "{field}");
            }
            for property in ["ns:via", "ns:seed", "ns:hops", "ns:rule", "<urn:fonds:launch:"] {
                assert!(!lines.iter().any(|line| line.contains(property)), "{property}");
            }
        });
    }
}
