#![allow(clippy::unwrap_used)]
//! Jobs go out and come back, and jobs of others are read with every rule.

use super::*;
use crate::campaign::{Seed, SeedScope};
use crate::scope::{DecideRules, rule_templates, standard_rules};
use crate::testing::data_text;
use serde_json::{Value, json};

fn seed(url: &str, scope: SeedScope) -> Seed {
    Seed { url: url.to_owned(), scope, depth: None, source_tag: String::new() }
}

fn campaign(rules: Vec<Value>) -> Campaign {
    let mut campaign = Campaign::new("Election <2024> -- \"final\" #{1+1}");
    campaign.description = "two\nlines & more".to_owned();
    campaign.owner = "Ana".to_owned();
    campaign.seeds = vec![seed("http://fct.pt/", SeedScope::Root), seed("https://www.a.pt/b/c", SeedScope::Root)];
    campaign.rules = rules;
    campaign.politeness.user_agent = "Mozilla/5.0 (compatible; library +https://library.example/crawl)".to_owned();
    campaign
}

fn read_back(files: &[(String, String)]) -> EngineJob {
    let others = |name: &str| files.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
    read_heritrix_job(HERITRIX_CONFIGURATION, &files[0].1, &others).unwrap()
}

#[test]
fn a_job_comes_back_as_the_campaign_it_was() {
    let mut rules = standard_rules();
    rules[5]["prefixes"] = json!(["http://(pt,fct,", "http://(com,a,)/x"]);
    rules[6]["patterns"] = json!([".*[?&]x=<\"1\">.*", "(?i).*\\.exe", ".*#{3}x"]);
    rules[6]["comment"] = json!("no -- programs -");
    let mut campaign = campaign(rules);
    campaign.limits.max_documents = 12;
    let (files, notes) = heritrix_job(&campaign);
    let job = read_back(&files);
    // A rule of robots.txt is kept in a comment, with all the rest.
    assert_eq!(job.rules, campaign.rules.len());
    for (index, (after, before)) in job.campaign.rules.iter().zip(&campaign.rules).enumerate() {
        let mut before = before.clone();
        if index == 6 {
            before["comment"] = json!("no - - programs -");
        }
        assert_eq!(*after, before, "rule {index}");
    }
    assert_eq!(job.campaign.seeds, campaign.seeds);
    assert_eq!((&job.campaign.name, &job.campaign.description), (&campaign.name, &campaign.description));
    assert_eq!(job.campaign.politeness, campaign.politeness);
    assert_eq!(job.campaign.limits, crate::campaign::Limits { disk_floor_bytes: 500_000_000, ..campaign.limits });
    assert_eq!(job.notes, []);
    let note_lines: Vec<String> = notes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(note_lines.join("\n"), @r"
    rule 2: Heritrix has the rule and brings no database; the bean “externalGeoLookup” needs the class of UKWA's build and the path of a country database
    rule 10: robots.txt is a setting there (robotsPolicyName), which is written; the rule is switched off
    ");
    // Nothing that Spring would run; it does not read comments.
    let (_, beans) = files[0].1.split_once("<beans").unwrap();
    let quoted = "#{&#39;#&#39;}";
    assert!(beans.contains(&format!("{quoted}{{1+1}}")) && !beans.replace(quoted, "").contains("#{"), "{beans}");
    DecideRules::compile(&job.campaign).unwrap();
}

#[test]
fn every_kind_of_rule_is_written_in_its_place() {
    let mut rules: Vec<Value> = rule_templates().into_iter().map(|(_, rule)| rule).collect();
    for rule in &mut rules {
        for (name, value) in [("hosts", "a.pt"), ("domains", "co.uk"), ("countries", "PT"), ("tags", "x  --y")] {
            if rule.get(name).is_some() {
                rule[name] = json!([value]);
            }
        }
        rule["enabled"] = json!(rule["rule"] != "nofollow");
    }
    let campaign = campaign(rules.clone());
    let (files, notes) = heritrix_job(&campaign);
    let job = read_back(&files);
    assert_eq!(job.rules, rules.len());
    let changed: Vec<String> = rules
        .iter()
        .zip(&job.campaign.rules)
        .filter(|(before, after)| before != after)
        .map(|(before, after)| format!("{} -> {}", before["rule"].as_str().unwrap(), after))
        .collect();
    insta::assert_snapshot!(changed.join("\n"), @r#"
    host_list -> {"enabled":true,"comment":"","rule":"surt_prefix","prefixes":["http://(pt,a,"],"decision":"ACCEPT","also_check_via":false}
    host_list -> {"enabled":true,"comment":"","rule":"surt_prefix","prefixes":["http://(pt,a,"],"decision":"REJECT","also_check_via":false}
    top_level_domain -> {"enabled":true,"comment":"","rule":"surt_prefix","prefixes":["http://(uk,co,"],"decision":"ACCEPT","also_check_via":false}
    top_level_domain -> {"enabled":true,"comment":"","rule":"surt_prefix","prefixes":["http://(uk,co,"],"decision":"REJECT","also_check_via":false}
    query_parameters -> {"enabled":true,"comment":"","rule":"regex","patterns":["[^?]*\\?([&;]*[^&;]+[&;]+){8}[&;]*[^&;].*"],"any":true,"decision":"REJECT"}
    "#);
    let note_lines: Vec<String> = notes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(note_lines.join("\n"), @r"
    rule 7: names of hosts are written as prefixes there; they come back as such
    rule 8: names of hosts are written as prefixes there; they come back as such
    rule 10: Heritrix has the rule and brings no database; the bean “externalGeoLookup” needs the class of UKWA's build and the path of a country database
    rule 11: domains are written as prefixes there; they come back as such
    rule 12: domains are written as prefixes there; they come back as such
    rule 15: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 16: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 17: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 18: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 19: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 20: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 21: Heritrix has no such rule; it is switched off there and kept in a comment
    rule 25: parameters are counted by a pattern there; it comes back as such
    rule 28: Heritrix compares the tag of the seed, which is the seed's URL unless seeds.txt says otherwise
    rule 29: Heritrix compares the tag of the seed, which is the seed's URL unless seeds.txt says otherwise
    rule 30: nofollow is a setting there (obeyRelNofollow of the extractor), which is written; the rule is switched off
    rule 31: robots.txt is a setting there (robotsPolicyName), which is written; the rule is switched off
    ");
}

#[test]
fn scopes_of_seeds_come_back() {
    let mut campaign = campaign(standard_rules());
    campaign.seeds.push(seed("http://b.pt/x/", SeedScope::Subdomains));
    campaign.seeds.push(seed("http://c.pt/y", SeedScope::Resource));
    let (files, _) = heritrix_job(&campaign);
    assert_eq!(files[2].1, "+http://(pt,a,www,)/b/\n+http://(pt,b,\n+http://(pt,fct,)/\n");
    assert_eq!(read_back(&files).campaign.seeds, campaign.seeds);
}

#[test]
fn growing_entities_and_deep_files_are_refused() {
    let none = |_: &str| None;
    let bomb =
        "<!DOCTYPE b [<!ENTITY a \"aaaaaaaa\"><!ENTITY c \"&a;&a;\">]><beans><bean id=\"scope\">&c;</bean></beans>";
    let error = read_heritrix_job("x.cxml", bomb, &none).unwrap_err().to_string();
    assert!(error.contains("document type"), "{error}");
    let deep = "<a>".repeat(5000) + &"</a>".repeat(5000);
    assert!(read_heritrix_job("x.cxml", &deep, &none).unwrap_err().to_string().contains("deeper than"));
    assert!(read_heritrix_job("x.cxml", "<beans", &none).unwrap_err().to_string().contains("no well-formed XML"));
    let round = "<beans><import resource=\"x.cxml\"/><import resource=\"y\"/></beans>";
    let job = read_heritrix_job("x.cxml", round, &none).unwrap();
    assert_eq!((job.rules, job.notes.len()), (0, 2));
}

/// The rules of a job in short, and its notes.
fn job_text(job: &EngineJob) -> String {
    let rules = job.campaign.rules.iter().enumerate().map(|(index, rule)| {
        let off = if rule["enabled"] == json!(true) { "" } else { " (off)" };
        let mut rule = rule.as_object().unwrap().clone();
        rule.retain(|name, _| name != "comment" && name != "enabled");
        let mut text = Value::Object(rule).to_string();
        if text.len() > 160 {
            text = format!("{}… {} characters", text.chars().take(140).collect::<String>(), text.len());
        }
        format!("{index}{off} {text}")
    });
    let notes = job.notes.iter().map(|note| format!("! {note}"));
    rules.chain(notes).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_stock_profile_of_heritrix_is_read() {
    let Some(text) = data_text("heritrix/profile-crawler-beans.cxml") else { return };
    let job = read_heritrix_job("profile-crawler-beans.cxml", &text, &|_| None).unwrap();
    assert_eq!(job.campaign.seeds, [seed("http://example.example/example", SeedScope::Root)]);
    assert_eq!((job.campaign.name.as_str(), job.campaign.politeness.workers), ("basic", 25));
    insta::assert_snapshot!(job_text(&job), @r#"
    0 {"rule":"reject_all"}
    1 {"rule":"seed_scope"}
    2 {"rule":"too_many_hops","max_hops":20}
    3 {"rule":"transclusion","max_trans_hops":2,"max_speculative_hops":1}
    4 {"rule":"surt_prefix","prefixes":[],"decision":"REJECT","also_check_via":false}
    5 {"rule":"regex","patterns":[],"any":true,"decision":"REJECT"}
    6 {"rule":"pathological_path","max_repetitions":2}
    7 {"rule":"too_many_path_segments","max_segments":20}
    8 {"rule":"hop_type","hops":"P","decision":"ACCEPT"}
    9 {"rule":"scheme_not_in_set","schemes":["http","https","ftp","sftp"]}
    ! profile-crawler-beans.cxml:65: the crawler's name is Heritrix's; give the campaign a user agent of your own
    "#);
    // Every class that we write besides rules is one of the profile.
    let (files, _) = heritrix_job(&campaign(Vec::new()));
    for class in files[0].1.split("class=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(text.contains(&format!("\"{class}\"")), "{class}");
    }
}

#[test]
fn the_scope_of_ukwa_is_read() {
    let Some(text) = data_text("heritrix/ukwa-scope.xml") else { return };
    let others = |name: &str| match name {
        "excludes.xml" => data_text("heritrix/ukwa-excludes.xml"),
        "surts.txt" => data_text("heritrix/ukwa-domain-surts.txt"),
        _ => None,
    };
    let job = read_heritrix_job("ukwa-scope.xml", &text, &others).unwrap();
    insta::assert_snapshot!(job_text(&job), @r#"
    0 {"rule":"reject_all"}
    1 {"rule":"surt_prefix","prefixes":["http://(uk,","http://(scot,","http://(wales,","http://(cymru,","http://(london,"],"decision":"ACCEPT","also_check_via":false}
    2 {"rule":"regex","patterns":["^https?://[^/]+/.+(?i)(\\.(js|css|bmp|gif|jpe?g|[pm]ng|svg|tiff?|ico|web[pm]|aac|aiff?|m3u|m4[av]|midi?|mp[1234… 279 characters
    3 {"rule":"hop_path","pattern":"^.*[ER]+$","decision":"ACCEPT"}
    4 (off) {"rule":"surt_prefix","prefixes":[],"decision":"ACCEPT","also_check_via":false}
    5 (off) {"rule":"geolocation","countries":["GB"],"decision":"ACCEPT"}
    6 {"rule":"surt_prefix","prefixes":[],"decision":"ACCEPT","also_check_via":false}
    7 {"rule":"too_many_hops","max_hops":20}
    8 {"rule":"hop_path","pattern":".*RRRRR$","decision":"REJECT"}
    9 {"rule":"regex","patterns":["^.+ProductCats\\.asp\\?Keywords=.+xargs=.+$","^.+index\\.php\\?Keywords=.+xargs=.+$","^.+\\.uk/.*\\bcheckout\\b… 729 characters
    10 {"rule":"pathological_path","max_repetitions":3}
    11 {"rule":"too_many_path_segments","max_segments":15}
    12 {"rule":"surt_prefix","prefixes":[],"decision":"REJECT","also_check_via":false}
    13 (off) {"rule":"reject_all"}
    14 (off) {"rule":"reject_all"}
    15 {"rule":"hop_type","hops":"P","decision":"ACCEPT"}
    ! ukwa-scope.xml:192: it imports “sheets.xml”, which is not in the folder; its content is not known
    ! ukwa-scope.xml:125: prefixes and seeds are one rule there; here the prefixes of the present seeds are written out, and a seed that is added later needs its own
    ! ukwa-scope.xml:132: it follows the seeds there; here the prefixes of the present seeds are written out
    ! ukwa-scope.xml:71: its prefixes are in “url.shorteners.txt”, which is not in the folder; they are not known
    ! ukwa-scope.xml:105: its prefixes are in “exclude.txt”, which is not in the folder; they are not known
    ! ukwa-scope.xml:150, rule 13: OutbackCDXRecentlySeenDecideRule: Fonds has no such rule; a rule that is switched off holds its place
    "#);
}

#[test]
fn a_heritrix_1_order_is_read() {
    let (Some(text), Some(seeds)) = (data_text("logs/h1-job5/order.xml"), data_text("logs/h1-job5/seeds.txt")) else {
        return;
    };
    let job = read_heritrix1_order("order.xml", &text, Some(&seeds)).unwrap();
    assert_eq!(job.campaign.seeds.len(), 17);
    assert_eq!(job.campaign.seeds[0], seed("http://www.kb.dk", SeedScope::Subdomains));
    insta::assert_snapshot!(job_text(&job), @r#"
    0 {"rule":"reject_all"}
    1 {"rule":"seed_scope"}
    2 {"rule":"too_many_hops","max_hops":25}
    3 {"rule":"transclusion","max_trans_hops":5,"max_speculative_hops":1}
    4 {"rule":"too_many_path_segments","max_segments":20}
    5 {"rule":"pathological_path","max_repetitions":3}
    6 {"rule":"regex","patterns":[".*webbyen.*kontakt\\.asp.*"],"any":true,"decision":"REJECT"}
    7 {"rule":"regex","patterns":[".*dr\\.dk.*epg\\.asp.*"],"any":true,"decision":"REJECT"}
    8 {"rule":"regex","patterns":[".*stiften.*adstream_mjx\\.ads.*"],"any":true,"decision":"REJECT"}
    9 {"rule":"regex","patterns":[".*halibut\\.dk\\/cgi-bin.*"],"any":true,"decision":"REJECT"}
    10 {"rule":"regex","patterns":[".*cybercomputer\\.dk\\/putikurv.*"],"any":true,"decision":"REJECT"}
    11 {"rule":"regex","patterns":[".*tawselovers.*action=buy_now.*"],"any":true,"decision":"REJECT"}
    ! order.xml:95: the crawler called itself “Mozilla/5.0 (compatible; heritrix/1.5.0-200506132127 +http://netarkivet.dk/website/info.html)”; give the campaign a user agent of your own
    "#);
    let Some(seeds) = data_text("heritrix/h3-checkpoint-seeds.txt") else { return };
    assert_eq!(seeds_of_text(&seeds).0.len(), 10);
}

#[test]
fn a_browsertrix_crawl_is_written() {
    let mut rules = standard_rules();
    rules[5]["prefixes"] = json!(["http://(pt,b,", "http://(pt,fct,)/x", "http://(pt,a,www"]);
    rules[6]["patterns"] = json!([".*\\.exe"]);
    let mut campaign = campaign(rules);
    campaign.seeds.push(seed("http://b.pt/", SeedScope::Subdomains));
    campaign.seeds.push(seed("http://c.pt/", SeedScope::Plus1));
    campaign.seeds.push(Seed { depth: Some(2), ..seed("http://d.pt/", SeedScope::Root) });
    let (yaml, notes) = browsertrix_yaml(&campaign, "election");
    let note_lines: Vec<String> = notes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(yaml + &note_lines.join("\n"), @r#"
    # A Browsertrix crawl, written by Fonds.
    collection: "election"
    description: "two\nlines & more"
    title: "Election <2024> -- \"final\" #{1+1}"
    generateWACZ: true
    generateCDX: true
    limit: 10000
    sizeLimit: 2000000000
    pageExtraDelay: 3
    workers: 1
    userAgentSuffix: "Mozilla/5.0 (compatible; library +https://library.example/crawl)"
    useRobots: true
    seeds:
      - url: "http://fct.pt/"
        scopeType: prefix
        depth: 20
        exclude:
          - "^https?://([^/?#@]+\\.)?b\\.pt[:/?#]"
          - "^https?://fct\\.pt/x"
          - "^https?://([^/?#@]+\\.)?www[^/?#@.]*\\.a\\.pt[:/?#]"
          - "^(?:.*\\.exe)$"
          - "/([^?#]*/)\\1{2,}"
          - "^https?://[^/?#]*(/[^/?#]*){21,}"
      - url: "https://www.a.pt/b/c"
        scopeType: prefix
        depth: 20
        exclude:
          - "^https?://([^/?#@]+\\.)?b\\.pt[:/?#]"
          - "^https?://fct\\.pt/x"
          - "^https?://([^/?#@]+\\.)?www[^/?#@.]*\\.a\\.pt[:/?#]"
          - "^(?:.*\\.exe)$"
          - "/([^?#]*/)\\1{2,}"
          - "^https?://[^/?#]*(/[^/?#]*){21,}"
      - url: "http://b.pt/"
        scopeType: domain
        depth: 20
        exclude:
          - "^https?://([^/?#@]+\\.)?b\\.pt[:/?#]"
          - "^https?://fct\\.pt/x"
          - "^https?://([^/?#@]+\\.)?www[^/?#@.]*\\.a\\.pt[:/?#]"
          - "^(?:.*\\.exe)$"
          - "/([^?#]*/)\\1{2,}"
          - "^https?://[^/?#]*(/[^/?#]*){21,}"
      - url: "http://c.pt/"
        scopeType: page
        extraHops: 1
        exclude:
          - "^https?://([^/?#@]+\\.)?b\\.pt[:/?#]"
          - "^https?://fct\\.pt/x"
          - "^https?://([^/?#@]+\\.)?www[^/?#@.]*\\.a\\.pt[:/?#]"
          - "^(?:.*\\.exe)$"
          - "/([^?#]*/)\\1{2,}"
          - "^https?://[^/?#]*(/[^/?#]*){21,}"
      - url: "http://d.pt/"
        scopeType: prefix
        depth: 2
        exclude:
          - "^https?://([^/?#@]+\\.)?b\\.pt[:/?#]"
          - "^https?://fct\\.pt/x"
          - "^https?://([^/?#@]+\\.)?www[^/?#@.]*\\.a\\.pt[:/?#]"
          - "^(?:.*\\.exe)$"
          - "/([^?#]*/)\\1{2,}"
          - "^https?://[^/?#]*(/[^/?#]*){21,}"
    limits.max_documents: it counts pages there, not single documents
    politeness: there is one wait, between pages (pageExtraDelay), and it does not grow with slow servers; one worker keeps it true
    robots: only crawlers that know useRobots obey robots.txt; look at the version's --help
    "#);
}

#[test]
fn pages_of_a_browsertrix_crawl_are_read() {
    let pages = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\"}\n{\"url\":\"http://a.pt/\",\"seed\":true,\"depth\":0}\n\
        {\"url\":\"http://a.pt/b\",\"depth\":1}\nbroken\n{\"id\":1}\n";
    let (campaign, pages, unread) = browsertrix_campaign("a", pages);
    assert_eq!((campaign.seeds.len(), pages, unread.len()), (1, 2, 2));
    assert_eq!(unread[0].0, 4);
}

#[test]
fn numbers_of_an_order_that_cannot_be_read_are_named() {
    let order = "<crawl-order><controller>\n\
        <long name=\"max-bytes-download\">lots</long>\n\
        <integer name=\"max-toe-threads\">-3</integer>\n\
        <newObject name=\"scope\" class=\"org.archive.crawler.scope.DomainScope\">\n\
        <integer name=\"max-link-hops\">3.5</integer>\n\
        <newObject name=\"exclude-filter\" class=\"x.OrFilter\"><map name=\"filters\">\n\
        <newObject name=\"deep\" class=\"x.PathDepthFilter\"><integer name=\"max-path-depth\">?</integer></newObject>\n\
        </map></newObject></newObject>\n\
        <newObject name=\"frontier\" class=\"x\"><integer name=\"max-retries\">30</integer>\n\
        <integer name=\"min-delay-ms\">soon</integer></newObject>\n\
        </controller></crawl-order>";
    let job = read_heritrix1_order("order.xml", order, None).unwrap();
    assert_eq!((job.campaign.limits.max_bytes, job.campaign.politeness.max_retries), (0, 30));
    insta::assert_snapshot!(job_text(&job), @r#"
    0 {"rule":"reject_all"}
    1 {"rule":"seed_scope"}
    ! order.xml:2: max-bytes-download: “lots” is no number that can be used here; there is no limit then
    ! order.xml:3: max-toe-threads: “-3” is no number that can be used here; the default is used
    ! order.xml:10: min-delay-ms: “soon” is no number that can be used here; the default is used
    ! order.xml:5: max-link-hops: “3.5” is no number that can be used here; there is no limit then
    ! order.xml:7: max-path-depth: “?” is no number that can be used here
    ! order.xml:7: deep: the filter PathDepthFilter has no value that can be used; it is left out
    "#);
}
