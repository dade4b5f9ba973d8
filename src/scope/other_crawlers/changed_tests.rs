#![allow(clippy::unwrap_used)]
//! Tests of jobs that people changed, and of malicious ones.

use super::*;
use crate::campaign::{Seed, SeedScope};
use crate::scope::standard_rules;
use serde_json::json;

/// A job with these beans; its rules are those of `rules`.
fn job(beans: &str, rules: &str) -> EngineJob {
    let text = format!(
        "<beans>\n{beans}\n<bean id=\"scope\" class=\"DecideRuleSequence\"><property name=\"rules\"><list>\n{rules}\n\
         </list></property></bean></beans>"
    );
    read_heritrix_job("x.cxml", &text, &|name| (name == "seeds.txt").then(|| "http://a.pt/\n".to_owned())).unwrap()
}

fn notes_of(job: &EngineJob) -> String {
    job.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn endless_numbers_and_text_for_numbers_become_defaults_and_are_reported() {
    for number in ["Infinity", "NaN", "1e999", "-inf"] {
        let beans = format!("<bean id=\"disposition\"><property name=\"delayFactor\" value=\"{number}\"/></bean>");
        let job = job(&beans, "");
        assert_eq!(job.campaign.politeness.delay_factor, 5.0, "{number}");
        assert_eq!(
            notes_of(&job),
            format!(
                "x.cxml:2: “delayFactor” is “{number}”, which is no number that can be used here; \
                 Heritrix's default is used"
            )
        );
        // What is saved can be read again.
        Campaign::from_json(&job.campaign.to_json()).unwrap();
        let order = format!(
            "<crawl-order><controller><newObject name=\"frontier\"><float name=\"delay-factor\">{number}</float>\
             </newObject></controller></crawl-order>"
        );
        let job = read_heritrix1_order("order.xml", &order, None).unwrap();
        assert!(job.campaign.politeness.delay_factor.is_finite());
        assert!(notes_of(&job).contains(&format!("“{number}” is no number")), "{}", notes_of(&job));
    }
}

#[test]
fn a_setting_that_cannot_be_read_is_no_default() {
    let bean = |class: &str, properties: &str| format!("<bean class=\"{class}\">{properties}</bean>\n");
    let rules = [
        bean("TooManyHopsDecideRule", "<property name=\"maxHops\" value=\"#{1 + 1}\"/>"),
        bean("RejectDecideRule", "<property name=\"enabled\" value=\"perhaps\"/>"),
        bean("AcceptDecideRule", "<property name=\"enabled\" value=\"False\"/>"),
        bean("SurtPrefixedDecideRule", "<property name=\"decision\" value=\"reject\"/>"),
        bean(
            "MatchesListRegexDecideRule",
            "<property name=\"regexList\"><list><value>a</value><value>#{b}</value></list></property>",
        ),
        bean("TooManyPathSegmentsDecideRule", ""),
    ];
    let job = job("", &rules.concat());
    let kinds: Vec<String> =
        job.campaign.rules.iter().map(|rule| format!("{} {}", rule["rule"], rule["enabled"])).collect();
    assert_eq!(
        kinds,
        [
            "\"reject_all\" false",
            "\"reject_all\" false",
            "\"accept_all\" false",
            "\"reject_all\" false",
            "\"reject_all\" false",
            "\"too_many_path_segments\" true",
        ]
    );
    insta::assert_snapshot!(notes_of(&job), @r"
    x.cxml:4, rule 0: TooManyHopsDecideRule: “maxHops” is “#{1 + 1}”, which only a running crawler could say (x.cxml:4); a rule that is switched off holds its place
    x.cxml:5, rule 1: RejectDecideRule: “enabled” is “perhaps”, which is no “true” or “false” (x.cxml:5); a rule that is switched off holds its place
    x.cxml:7, rule 3: SurtPrefixedDecideRule: “decision” is “reject”, which is no decision of a rule (x.cxml:7); a rule that is switched off holds its place
    x.cxml:8, rule 4: MatchesListRegexDecideRule: “regexList” is “#{b}”, which only a running crawler could say (x.cxml:8); a rule that is switched off holds its place
    ");
}

#[test]
fn edits_made_in_heritrix_are_not_taken_for_scopes_of_seeds() {
    let seed = |url: &str, scope| Seed { url: url.to_owned(), scope, depth: None, source_tag: String::new() };
    let mut campaign = Campaign::new("x");
    campaign.rules = standard_rules();
    campaign.seeds = vec![seed("http://a.pt/", SeedScope::Root), seed("http://b.pt/", SeedScope::Subdomains)];
    let (files, _) = heritrix_job(&campaign);
    let read = |beans: &str, surts: &str, seeds: &str| {
        let others = |name: &str| match name {
            "surts.txt" => Some(surts.to_owned()),
            "seeds.txt" => Some(seeds.to_owned()),
            _ => None,
        };
        read_heritrix_job(HERITRIX_CONFIGURATION, beans, &others).unwrap()
    };
    let (beans, seeds, surts) = (&files[0].1, &files[1].1, &files[2].1);
    let at = campaign.rules.iter().position(|rule| rule["rule"] == "seed_scope").unwrap();
    assert_eq!(read(beans, surts, seeds).campaign.rules[at]["rule"], "seed_scope");
    // A prefix was added.
    let job = read(beans, &format!("{surts}+http://(pt,c,\n"), seeds);
    assert_eq!(job.campaign.rules[at]["prefixes"], json!(["http://(pt,a,)/", "http://(pt,b,", "http://(pt,c,"]));
    assert!(notes_of(&job).contains("changed since"), "{}", notes_of(&job));
    // Its decision was reversed, or it tests via too.
    for (property, name, value) in
        [("decision", "decision", json!("REJECT")), ("alsoCheckVia", "also_check_via", json!(true))]
    {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let id = "<bean id=\"seedSurts\" class=\"org.archive.modules.deciderules.surt.SurtPrefixedDecideRule\">\n";
        let changed = beans.replace(id, &format!("{id}<property name=\"{property}\" value=\"{text}\"/>"));
        assert_ne!(changed, *beans);
        let job = read(&changed, surts, seeds);
        assert_eq!((&job.campaign.rules[at]["rule"], &job.campaign.rules[at][name]), (&json!("surt_prefix"), &value));
    }
    // A prefix was put among the seeds.
    let plain =
        beans.replace("name=\"seedsAsSurtPrefixes\" value=\"false\"", "name=\"seedsAsSurtPrefixes\" value=\"true\"");
    let job = read(&plain, "", &format!("{seeds}+http://(pt,d,\n"));
    let prefixes = job.campaign.rules[at]["prefixes"].as_array().unwrap();
    assert!(prefixes.contains(&json!("http://(pt,d,")), "{prefixes:?}");
    // Where no rule uses it, there is a note.
    assert!(notes_of(&read(beans, surts, &format!("{seeds}+http://(pt,d,\n"))).contains("used by no rule"));
}

#[test]
fn seeds_that_are_no_urls_open_nothing_in_a_written_job() {
    let mut campaign = Campaign::new("x");
    campaign.rules = standard_rules();
    for (position, url) in
        ["http://a.pt/", "+http://(", "-http://(pt,", "#", "http://(", "fct.pt", "+x", "a b"].iter().enumerate()
    {
        let scope = if position % 2 == 0 { SeedScope::Root } else { SeedScope::Subdomains };
        campaign.seeds.push(Seed { url: (*url).to_owned(), scope, depth: None, source_tag: String::new() });
    }
    let (files, notes) = heritrix_job(&campaign);
    assert_eq!(files[1].1, "http://a.pt/\nhttp://fct.pt/\n");
    assert_eq!(files[2].1, "+http://(pt,a,)/\n+http://(pt,fct,\n");
    let seed_notes = notes.iter().map(ToString::to_string).filter(|note| note.starts_with("seed ")).collect::<Vec<_>>();
    assert_eq!(seed_notes.len(), 6, "{seed_notes:?}");
    assert_eq!(seed_notes[0], "seed 1: “+http://(” is no web address; it is left out");
}

#[test]
fn a_late_rule_that_refuses_all_is_reported_in_a_browser_crawl() {
    let mut campaign = Campaign::new("x");
    campaign.rules = standard_rules();
    let (_, before) = browsertrix_yaml(&campaign, "x");
    campaign.rules.push(json!({"enabled": true, "comment": "", "rule": "reject_all"}));
    let (_, after) = browsertrix_yaml(&campaign, "x");
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.iter().any(|note| note.what.contains("refuses what rules before it took")), "{after:?}");
}

#[test]
fn large_configurations_are_read_once_through_or_refused() {
    // Many elements, references, and imports: each is looked up, none by a walk.
    let beans: String = (0..60_000).map(|n| format!("<bean id=\"b{n}\" class=\"RejectDecideRule\"/>\n")).collect();
    let rules: String = (0..60_000).map(|n| format!("<ref bean=\"b{n}\"/>\n")).collect();
    let job = job(&beans, &rules);
    assert_eq!((job.rules, job.notes.len()), (60_000, 0));
    // What the parser would compare with one another for hours.
    let attributes = |count| (0..count).map(|n| format!(" a{n}='>'")).collect::<String>();
    let comment = format!("<!-- <a{} --><![CDATA[<a{}]]>", attributes(300), attributes(300));
    let fine = format!("<beans>{comment}\n<bean{}/></beans>", attributes(200));
    assert!(read_heritrix_job("x.cxml", &fine, &|_| None).is_ok());
    let wide = format!("<beans>{comment}\n<bean{}/></beans>", attributes(200_000));
    let error = read_heritrix_job("x.cxml", &wide, &|_| None).unwrap_err().to_string();
    assert!(error.contains("the tag in line 2 has more than 200 attributes"), "{error}");
    let spaces = (0..2000).map(|n| format!("<a xmlns:a{n}='b'>")).collect::<String>();
    let error = read_heritrix_job("x.cxml", &spaces, &|_| None).unwrap_err().to_string();
    assert!(error.contains("declares more than 100 namespaces"), "{error}");
    let large = format!("<beans>{}</beans>", "<a/>".repeat(600_000));
    let error = read_heritrix_job("x.cxml", &large, &|_| None).unwrap_err().to_string();
    assert!(error.contains("more than 500000 elements"), "{error}");
    let long = format!("<beans>{}</beans>", " ".repeat(17_000_000));
    assert!(read_heritrix_job("x.cxml", &long, &|_| None).unwrap_err().to_string().contains("larger than"));
    // The budget holds for all files together.
    let imports: String = (0..100).map(|n| format!("<import resource=\"{n}\"/>")).collect();
    let part = format!("<beans>{}</beans>", " ".repeat(5_000_000));
    let reads = std::cell::Cell::new(0);
    let others = |_: &str| {
        reads.set(reads.get() + 1);
        Some(part.clone())
    };
    let job = read_heritrix_job("x.cxml", &format!("<beans>{imports}</beans>"), &others).unwrap();
    // The last is the one for seeds.
    assert_eq!(reads.get(), 5);
    assert!(notes_of(&job).contains("no more files that it imports are read"), "{}", notes_of(&job));
}
