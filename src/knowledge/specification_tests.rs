//! A campaign becomes statements and the same campaign again; specifications of others are read.

#![allow(clippy::unwrap_used)]

use super::read_specification::{RdfSyntax, read_specification};
use super::{CaptureIri, SPECIFICATION_TERMS, Statements, campaign_address, state_newest_version, state_version};
use crate::campaign::{
    Campaign, CampaignFile, CampaignSource, Identity, Request, Seed, SeedScope, SourceKind, UrlScore,
};
use crate::scope::{Decision, regex_rule, standard_rules};
use serde_json::json;

/// A campaign with something in each part.
fn full_campaign() -> Campaign {
    let mut campaign = Campaign::new("Ria \"2024\"\n");
    campaign.description = "two\nlines \u{1} 😀".to_owned();
    campaign.owner = "Town <archive>".to_owned();
    campaign.comments = "free".to_owned();
    campaign.tags = vec!["ria".to_owned(), "água".to_owned()];
    campaign.active = false;
    campaign.request =
        "(ria OR \"estaleiro naval\" OR person:\"Amélia Vaz\"^0.8) NOT futebol^0.5 lang:pt".parse().unwrap();
    if let Request::And(parts) = &mut campaign.request {
        let term = json!({ "term": { "kind": "event", "value": "Festa", "weight": -0.25, "aliases": ["Romaria"],
            "uri": "http://www.wikidata.org/entity/Q1", "from": "2024-07-01", "to": "2024-07-09" } });
        parts.push(serde_json::from_value(term).unwrap());
    }
    let seed =
        |url: &str, scope, depth, tag: &str| Seed { url: url.to_owned(), scope, depth, source_tag: tag.to_owned() };
    campaign.seeds = vec![
        seed("https://ria.example/", SeedScope::Plus1, Some(3), "ria"),
        seed(" http://a.pt/a|b?x=%zz ", SeedScope::Root, None, ""),
        seed("https://ria.example/", SeedScope::Subdomains, Some(0), "other"),
    ];
    let scored = |pattern: &str, tag: &str, score| UrlScore { pattern: pattern.into(), source_tag: tag.into(), score };
    campaign.scores = vec![scored("/news/", "", 0.4), scored("", "press", -1.0)];
    campaign.left_out_redirects = vec!["http://moved.pt/".to_owned()];
    let mut wiki = CampaignSource::new("wiki", SourceKind::MediaWiki, "https://wiki.example/w/api.php");
    wiki.queries = Some(vec!["b".to_owned(), "a".to_owned()]);
    (wiki.every_hours, wiki.enabled, wiki.token) = (12, false, true);
    let mut none = CampaignSource::new("blog", SourceKind::WordPress, "https://blog.example/");
    none.queries = Some(Vec::new());
    campaign.sources = vec![wiki, none, CampaignSource::new("news", SourceKind::Feed, "https://news.example/rss")];
    campaign.rules = standard_rules();
    campaign.rules.push(regex_rule("no edits", vec!["https?://w\\..*".to_owned(), "x".to_owned()], Decision::Reject));
    campaign.rules.push(json!({ "rule": "source_tag", "tags": ["ria"], "decision": "ACCEPT" }));
    campaign.permissions = serde_json::from_value(json!([{ "covers": "a.pt", "state": "granted" }])).unwrap();
    campaign.grounds.domains = vec![".pt".to_owned()];
    campaign.schedule.start = Some("2024-01-31T08:00".to_owned());
    campaign.schedule.end = Some("2030-01-01".to_owned());
    campaign.schedule.time_zone = Some("Europe/Lisbon".to_owned());
    campaign.select_after_run = true;
    campaign.analyse_after_run = true;
    campaign.order = crate::campaign::CrawlOrder::BreadthFirst;
    campaign.limits.max_documents = 77;
    campaign.politeness.user_agent = "test (mailto:a@b.pt)".to_owned();
    campaign.report_language = serde_json::from_value(json!("pt")).unwrap();
    campaign.other.insert("icon".to_owned(), json!({ "of": ["🦀", null] }));
    campaign
}

fn file_of(campaign: Campaign) -> CampaignFile {
    let digest = Some(campaign.digest());
    CampaignFile { identity: Some(Identity::new()), digest, parent: Some("0".repeat(64)), campaign }
}

fn written(files: &[CampaignFile]) -> String {
    let (mut out, mut before) = (Statements::default(), None);
    for (version, file) in (1..).zip(files) {
        let address = campaign_address(version, file.identity.unwrap(), file);
        state_version(&mut out, version, &address, file, before.as_ref());
        before = Some(address);
    }
    state_newest_version(&mut out, &before.unwrap(), files.last().unwrap());
    let capture = CaptureIri::new("");
    out.take().iter().map(|statement| statement.line(&capture) + "\n").collect()
}

#[test]
fn a_campaign_is_read_as_it_was_written_in_any_order_of_lines() {
    for campaign in [full_campaign(), Campaign::new("x"), Campaign::default()] {
        let file = file_of(campaign);
        let text = written(std::slice::from_ref(&file));
        let read = read_specification(&text, RdfSyntax::NQuads).unwrap();
        assert_eq!((&read.file, &read.left_out[..]), (&file, &[][..]));
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        assert_eq!(read_specification(&lines.join("\n"), RdfSyntax::NQuads).unwrap().file, file);
        lines.sort_unstable();
        assert_eq!(read_specification(&lines.join("\n"), RdfSyntax::NQuads).unwrap().file, file);
    }
}

#[test]
fn of_several_versions_the_newest_is_read() {
    let first = file_of(full_campaign());
    let mut second = first.clone();
    second.campaign.name = "Ria 2025".to_owned();
    (second.parent, second.digest) = (first.digest.clone(), Some(second.campaign.digest()));
    let read = read_specification(&written(&[first.clone(), second.clone()]), RdfSyntax::NQuads).unwrap();
    assert_eq!(read.file, second);
    let two = written(&[first]) + &written(&[second]);
    assert!(read_specification(&two, RdfSyntax::NQuads).unwrap_err().contains("write one file for each"));
}

#[test]
fn each_name_of_the_specification_is_written_and_read_or_has_its_reason() {
    let first = file_of(full_campaign());
    let text = written(&[first.clone(), first]);
    for term in SPECIFICATION_TERMS {
        let is_there = text.contains(&format!("<urn:fonds:ns:{}>", term.name));
        // `name`, `title` and the like are not in our namespace.
        assert_eq!(is_there, term.is_written, "{}", term.name);
        assert_eq!(term.why.is_empty(), term.is_written && term.is_read, "{}", term.name);
        assert!(!term.about.is_empty());
    }
}

/// A specification as another program writes it.
const OF_OTHERS: &str = r#"
@prefix : <http://www.gate.ac.uk/ns/ontologies/arcomem-data-model.rdf#> .
@prefix x: <http://x.example/> .
x:campaign :crawlSpecId x:spec2 ; :hasSocialDataScope [ :hasKey "publication_date" ; :hasValue "> 01/01/2011" ] .
x:spec1 :hasHTMLCrawlId x:old . x:old :hasSeed <http://old.example/> .
x:spec2 :hasPreviousCrawlId x:spec1 ; :hasHTMLCrawlId x:html ; :hasAPICrawlId x:api, x:api2 ; :hasICSCrawlId x:ics ;
  :hasOfflineSpecId x:off ; :hasStartDate "2013-01-01" ; :hasEndDate "2013-06-30" .
x:html :hasSeed <http://b.example/>, <http://a.example/> ; :hasAssumedLanguage "en" ;
  :hasLanguagePreference [ :hasLanguage "de-AT" ; :hasWeight 0.5 ], [ :hasLanguage "*" ; :hasWeight 0.1 ] .
x:api :APIScope "twitter" ; :hasAPIKeyword "olympics" ; :hasAPIPeriod_Hour 6 .
x:api2 :APIScope "feed" ; <urn:fonds:ns:address> "https://n.example/rss" ; :hasAPIPeriod_Hour 24 .
x:ics :URLScope [ :hasPattern "www\\..*\\.de/" ; :hasScore 1.0 ], [ :hasPattern "/calendar/" ; :hasScore -1 ],
    [ :hasPattern "/news/" ; :hasScore 0.4 ] ;
  :sourceScope [ :hasTag "press" ; :hasScore -1.0 ] ;
  :hasEntityPreference [ :hasEntityURI <http://dbpedia.org/resource/Barack_Obama> ; :hasEntityName "Barack Obama" ] ;
  :hasKeyword "election", "town hall" ; :topicScope [ :hasTopic "politics" ; :hasScore -0.5 ] .
x:off :eventScope [ :hasEvent x:e1 ; :hasText "Election day" ; :hasScore 0.75 ] .
x:post a :Post ; :fromUser x:someone .
"#;

#[test]
fn a_specification_of_others_becomes_a_campaign_and_what_has_no_place_is_named() {
    let read = read_specification(OF_OTHERS, RdfSyntax::TriG).unwrap();
    let campaign = &read.file.campaign;
    let urls: Vec<&str> = campaign.seeds.iter().map(|seed| seed.url.as_str()).collect();
    assert_eq!(urls, ["http://a.example/", "http://b.example/"]);
    let mut terms = Vec::new();
    campaign.request.for_each_term(&mut |term| terms.push((term.value.clone(), term.weight, term.uri.clone())));
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let uri = |uri: &str| Some(uri.to_owned());
    assert_eq!(
        terms,
        [
            ("Barack Obama".to_owned(), 1.0, uri("http://dbpedia.org/resource/Barack_Obama")),
            ("Election day".to_owned(), 0.75, uri("http://x.example/e1")),
            ("de".to_owned(), 0.5, None),
            ("election".to_owned(), 1.0, None),
            ("politics".to_owned(), -0.5, None),
            ("town hall".to_owned(), 1.0, None),
        ]
    );
    assert_eq!(campaign.schedule.start.as_deref(), Some("2013-01-01"));
    assert_eq!(campaign.schedule.end.as_deref(), Some("2013-06-30"));
    assert_eq!(campaign.sources.len(), 1);
    assert_eq!((campaign.sources[0].kind, campaign.sources[0].every_hours), (SourceKind::Feed, 24));
    let usual = standard_rules().len();
    let own = &campaign.rules[usual..];
    assert_eq!(own[0]["patterns"], json!([".*(?:www\\..*\\.de/).*"]));
    assert_eq!((&own[1]["decision"], &own[1]["patterns"]), (&json!("REJECT"), &json!([".*(?:/calendar/).*"])));
    assert_eq!((&own[2]["tags"], &own[2]["decision"]), (&json!(["press"]), &json!("REJECT")));
    let score = &campaign.scores[0];
    assert_eq!((campaign.scores.len(), score.pattern.as_str(), score.score), (1, "/news/", 0.4));
    crate::scope::DecideRules::compile(campaign).unwrap();
    let named = read.left_out.join("\n");
    for name in [
        "APIScope twitter: the network is closed",
        "hasLanguage *:",
        "hasAssumedLanguage: ",
        "hasSocialDataScope: ",
        "hasKey: ",
        "hasValue: ",
        "Post: ",
        "fromUser: ",
    ] {
        assert!(named.contains(name), "{name} in {named}");
    }
    assert_eq!(read.left_out.len(), 8, "{named}");
}

#[test]
fn what_is_no_specification_is_refused_with_its_place() {
    let refused = |text: &str, syntax| read_specification(text, syntax).unwrap_err();
    assert!(refused("<a:b> <c:d> \"x\" .\n<a:b> <c", RdfSyntax::NQuads).starts_with("line 2, column"));
    assert!(refused("@prefix : <a:b>", RdfSyntax::TriG).starts_with("line 1, column"));
    assert!(refused("<a:b> <c:d> \"x\" .", RdfSyntax::NQuads).contains("no crawl specification"));
    assert!(refused("", RdfSyntax::NQuads).contains("no crawl specification"));
    let term = "<a:b> <urn:fonds:ns:hasSeed> <http://a.pt/> .\n<a:b> <urn:fonds:ns:";
    assert!(refused(&format!("{term}request> \"ria AND (\" ."), RdfSyntax::NQuads).starts_with("field request: "));
    let setting = format!(
        "{term}hasSetting> <a:s> .\n<a:s> <http://www.w3.org/2000/01/rdf-schema#label> \"limits\" .\n\
         <a:s> <urn:fonds:ns:json> \"{{\" ."
    );
    assert!(refused(&setting, RdfSyntax::NQuads).contains("a:s: its JSON cannot be read"));
    // A circle is followed no further than its names.
    let circle = "<a:b> <urn:fonds:ns:hasHTMLCrawlId> <a:b> .\n<a:b> <urn:fonds:ns:hasSeed> <http://a.pt/> .";
    assert_eq!(read_specification(circle, RdfSyntax::NQuads).unwrap().file.campaign.seeds.len(), 1);
}
