#![allow(clippy::unwrap_used)]
//! Feeds of others are read and come out again as they were.

use super::*;
use crate::campaign::{Campaign, Frequency, RobotsPolicy, SeedScope};
use proptest::prelude::*;
use serde_json::{Value, json};

const ITEM: &str = r#"{"id":1,"title":"gov.uk Publications","seeds":["https://www.gov.uk/government/publications"],"schedules":[{"frequency":"MONTHLY","startDate":1438246800000,"endDate":null}],"scope":"root","depth":"DEEP","ignoreRobotsTxt":false,"documentUrlScheme":null,"loginPageUrl":null,"secretId":null,"logoutUrl":null,"watched":false}"#;

fn entries(feed: &Feed) -> Vec<FeedEntry> {
    feed.entries.iter().map(|(_, entry)| entry.clone()).collect()
}

fn problem_texts(feed: &Feed) -> Vec<String> {
    feed.problems.iter().map(ToString::to_string).collect()
}

/// Everything that a campaign keeps of an entry, and gives back.
fn through_a_campaign(entry: &FeedEntry) -> FeedEntry {
    let mut campaign = Campaign::new("");
    campaign.take_entry(entry);
    let saved = Campaign::from_json(&campaign.to_json()).unwrap();
    assert_eq!(saved, campaign);
    saved.feed_entry("7").0
}

#[test]
fn the_published_entry_becomes_a_campaign() {
    let feed = read_feed(&format!("[{ITEM}]"));
    assert_eq!((feed.dialect, feed.found, feed.entries.len()), (Dialect::Api, 1, 1));
    assert_eq!(problem_texts(&feed), [""; 0]);
    let mut campaign = Campaign::new("");
    campaign.take_entry(&feed.entries[0].1);
    assert_eq!(campaign.name, "gov.uk Publications");
    assert_eq!(campaign.seeds[0].scope, SeedScope::Root);
    assert_eq!(campaign.schedule.frequency, Frequency::Monthly);
    assert_eq!(campaign.schedule.start.as_deref(), Some("2015-07-30T09:00:00.000Z"));
    assert_eq!((campaign.limits.max_bytes, campaign.limits.max_documents), (0, 0));
    assert_eq!(campaign.target.as_ref().unwrap().id().as_deref(), Some("1"));
    assert_eq!(through_a_campaign(&feed.entries[0].1), feed.entries[0].1);
}

#[test]
fn what_a_person_changed_goes_out_and_stays() {
    let item = |title: &str, frequency: &str| {
        json!([{"id": 9, "title": title, "seeds": ["http://a.pt/"], "schedules": [{"startDate": "2024-03-01 09:00:00.0",
            "endDate": "", "frequency": frequency}], "scope": "root", "x": {"y": [1]}}])
        .to_string()
    };
    let mut campaign = Campaign::new("");
    campaign.take_entry(&entries(&read_feed(&item("A", "WEEKLY")))[0]);
    campaign.limits.max_bytes = 5;
    campaign.seeds[0].scope = SeedScope::Subdomains;
    campaign.politeness.robots = RobotsPolicy::Ignore;
    campaign.target.as_mut().unwrap().watched = true;
    let (entry, notes) = campaign.feed_entry("1");
    insta::assert_snapshot!(
        serde_json::Value::Object(entry.fields).to_string(),
        @r#"{"id":9,"title":"A","seeds":["http://a.pt/"],"schedules":[{"startDate":"2024-03-01 09:00:00.0","endDate":"","frequency":"WEEKLY"}],"scope":"subdomains","x":{"y":[1]},"depth":"CAPPED","ignoreRobotsTxt":true,"watched":true}"#
    );
    assert!(notes.iter().any(|note| note == "its limit of 5 bytes became CAPPED"), "{notes:?}");
    campaign.schedule.time_zone = Some("Europe/Lisbon".to_owned());
    let notes = campaign.feed_entry("1").1;
    assert!(notes.iter().any(|note| note.starts_with("its time zone Europe/Lisbon is left out")), "{notes:?}");
    campaign.schedule.time_zone = None;
    // The feed changed the title and the frequency, and nothing else.
    campaign.take_entry(&entries(&read_feed(&item("B", "DAILY")))[0]);
    assert_eq!((campaign.name.as_str(), campaign.schedule.frequency), ("B", Frequency::Daily));
    assert_eq!((campaign.limits.max_bytes, campaign.seeds[0].scope), (5, SeedScope::Subdomains));
    assert!(campaign.target.unwrap().watched);
}

fn target_of(schedule: &Value) -> FeedEntry {
    let text = json!([{"id": 9, "title": "T", "seeds": ["http://a.pt/"], "schedules": [schedule]}]);
    entries(&read_feed(&text.to_string())).remove(0)
}

#[test]
fn a_change_of_dates_leaves_the_rest_of_a_schedule_alone() {
    let mut campaign = Campaign::new("");
    campaign
        .take_entry(&target_of(&json!({"startDate": "2024-03-01", "endDate": "2024-12-31", "frequency": "WEEKLY"})));
    campaign.active = false;
    campaign.schedule.frequency = Frequency::Daily;
    campaign
        .take_entry(&target_of(&json!({"startDate": "2024-03-01", "endDate": "2025-12-31", "frequency": "WEEKLY"})));
    assert_eq!((campaign.active, campaign.schedule.frequency), (false, Frequency::Daily));
    assert_eq!(campaign.schedule.end.as_deref(), Some("2025-12-31T00:00:00.000Z"));
    campaign
        .take_entry(&target_of(&json!({"startDate": "2024-03-01", "endDate": "2025-12-31", "frequency": "MONTHLY"})));
    assert_eq!((campaign.active, campaign.schedule.frequency), (false, Frequency::Monthly));
    assert!(campaign.feed_entry("1").1.iter().any(|note| note.contains("switched off here")));
    // Blocked and unblocked by the tool, it is switched.
    campaign.active = true;
    campaign.take_entry(&target_of(&json!({"startDate": "2024-03-01", "frequency": "NEVERCRAWL"})));
    assert_eq!((campaign.active, campaign.schedule.start.as_deref()), (false, None));
    assert!(!campaign.feed_entry("1").1.iter().any(|note| note.contains("switched off here")));
    campaign.take_entry(&target_of(&json!({"startDate": "2024-03-01", "frequency": "DAILY"})));
    assert_eq!((campaign.active, campaign.schedule.frequency), (true, Frequency::Daily));
    assert_eq!(campaign.schedule.start.as_deref(), Some("2024-03-01T00:00:00.000Z"));
    // A person starts its crawls: a new date does not change that.
    campaign.schedule.frequency = Frequency::Manual;
    campaign.schedule.start = None;
    campaign.take_entry(&target_of(&json!({"startDate": "2024-05-01", "frequency": "DAILY"})));
    assert_eq!((campaign.schedule.frequency, campaign.schedule.start), (Frequency::Manual, None));
}

#[test]
fn a_target_without_a_start_is_crawled_manually_only() {
    for start in [json!(null), json!("")] {
        let entry = target_of(&json!({"startDate": start, "frequency": "DAILY"}));
        let (_, problems) = entry.meaning(0);
        assert!(problems[0].to_string().contains("crawled by hand only"), "{problems:?}");
        let mut campaign = Campaign::new("");
        campaign.take_entry(&entry);
        assert_eq!((campaign.active, campaign.schedule.frequency), (true, Frequency::Manual));
        // The feed keeps its word, and a start that comes later sets it going.
        assert_eq!(through_a_campaign(&entry), entry);
        campaign.take_entry(&target_of(&json!({"startDate": "2024-03-01", "frequency": "DAILY"})));
        assert_eq!(campaign.schedule.frequency, Frequency::Daily);
        assert_eq!(campaign.schedule.start.as_deref(), Some("2024-03-01T00:00:00.000Z"));
    }
}

#[test]
fn seeds_in_one_text_are_separated() {
    for (text, expected) in [
        ("http://a.pt/, http://b.pt/", vec!["http://a.pt/", "http://b.pt/"]),
        ("http://a.pt/x,y,HTTPS://b.pt/\r\n,http://c.pt/,", vec!["http://a.pt/x,y", "HTTPS://b.pt/", "http://c.pt/"]),
        ("http://a.pt/1,2", vec!["http://a.pt/1,2"]),
    ] {
        let feed = read_feed(&json!([{"id": 1, "title": "T", "seeds": text, "schedules": [{}]}]).to_string());
        let entry = &entries(&feed)[0];
        assert_eq!(entry.meaning(0).0.seeds, expected);
        assert_eq!(problem_texts(&feed), [""; 0]);
        assert_eq!(through_a_campaign(entry), *entry);
    }
}

#[test]
fn blocked_and_domain_crawl_targets_keep_their_values() {
    for (frequency, active) in [("NEVERCRAWL", false), ("DOMAINCRAWL", true), ("SIXMONTHLY", true), ("monthly", true)] {
        let text = json!([{"id": "t-1", "title": "T", "seeds": ["http://a.pt"],
            "schedules": [{"frequency": frequency, "startDate": 0}]}]);
        let entry = &entries(&read_feed(&text.to_string()))[0];
        let mut campaign = Campaign::new("");
        campaign.take_entry(entry);
        assert_eq!(campaign.active, active, "{frequency}");
        assert_eq!(through_a_campaign(entry), *entry);
    }
}

#[test]
fn bad_entries_are_named_and_good_ones_come_in() {
    let text = format!(
        r#"[{ITEM},
        7,
        {{"id":2,"title":"","seeds":[]}},
        {{"id":[],"title":"T","seeds":["http://a.pt/",5," "],"schedules":[{{"startDate":"soon","frequency":"FORTNIGHTLY"}}]}},
        {{"id":1,"title":"T","seeds":["not a url"],"scope":"planet","depth":"SHALLOW","watched":"perhaps","schedules":{{}}}},
        {{"id":1,"title":"T","seeds":["http://b.pt/"],"schedules":[{{"startDate":"2024-03-02","endDate":"2024-03-01","frequency":"DAILY"}},{{}}]}},
        {{"id":5,"title":"T","seeds":["http"#
    );
    let feed = read_feed(&text);
    assert_eq!((feed.found, feed.entries.len()), (6, 2));
    insta::assert_snapshot!(problem_texts(&feed).join("\n"), @r"
    entry 1: a number is no target; give an object with id, title, seeds and schedules
    entry 2, seeds: there is no seed; give at least one URL to start from
    entry 2, title: there is no title; the first seed stands for it
    entry 2, schedules: there is no schedule; the target is crawled by hand only
    entry 3, id: a list is no number of a target; give the target's number
    entry 3, seeds[1]: a number is no URL; give each seed as a text
    entry 3, seeds[2]: the seed is empty; give a URL, or take it out
    entry 3, id: there is no number; a second import cannot know the target again
    entry 3, schedules[0].startDate: “soon” is no date; give milliseconds since 1970 or a date such as 2024-03-01 09:00:00, or null
    entry 3, schedules[0].frequency: “FORTNIGHTLY” is no frequency; give one of DOMAINCRAWL, ANNUAL, SIXMONTHLY, QUARTERLY, MONTHLY, WEEKLY, DAILY, NEVERCRAWL
    entry 4, seeds[0]: “not a url” is no web address; correct it in the campaign before it is crawled
    entry 4, depth: “SHALLOW” is not known; give one of CAPPED, CAPPED_LARGE, DEEP, or null
    entry 4, scope: “planet” is no scope; give one of resource, plus1, root, subdomains, or null
    entry 4, watched: a text where true or false is expected; give true, false or null
    entry 4, schedules: an object is no list of schedules; give a list of one object
    entry 5, schedules: there are 2 schedules; the first is used; the others are kept and do nothing
    entry 5, schedules[0].endDate: the end is before the start; it is never crawled; correct one
    entry 5, id: entry 0 has the number 1 too; the later one counts; give one of them another number
    line 7, column 42: this is no JSON any more (EOF while parsing a string); nothing after it was read; correct the file there, or fetch it again, and read it once more
    ");
    for (text, expected) in [
        ("", "the file is empty; give a crawl feed: targets as JSON"),
        (
            "<html>",
            "this is no crawl feed: neither [ nor { stands at its begin; give targets as JSON: an array, an object with targets, or one object a line",
        ),
    ] {
        assert_eq!(problem_texts(&read_feed(text)), [expected]);
    }
}

#[test]
fn each_dialect_is_known_and_written_back() {
    let wrapped = format!("{{\"invalid_targets\":[],\"targets\":{{\"1\":{ITEM}}}}}\n");
    let launcher = ITEM.replace("1438246800000", "\"2015-07-30 09:00:00\"");
    let write_back = r#"{"title":"Turok 2","field_subjects":["13"],"field_crawl_frequency":"monthly","field_urls":["http://turok99.com"],"field_crawl_start_date":"1417255200","field_scope":"root"}"#;
    let message = r#"{"parentUrl":"http://a.pt/","url":"http://a.pt/","isSeed":true,"method":"GET","x":1,"sheets":["recrawl-1day","ignoreRobots","x"]}"#;
    for (text, dialect) in [
        (format!("[\n{ITEM}\n]\n"), Dialect::Api),
        (wrapped, Dialect::Wrapped),
        (format!("{ITEM}\n{launcher}\n"), Dialect::Lines),
        (format!("[\n{launcher}\n]\n"), Dialect::Launcher),
        (format!("[\n{write_back}\n]\n"), Dialect::WriteBack),
        (format!("{message}\n{message}\n"), Dialect::Launch),
    ] {
        let feed = read_feed(&text);
        assert_eq!((feed.dialect, feed.problems.iter().any(|problem| problem.keeps_out)), (dialect, false), "{text}");
        assert_eq!(write_feed(&entries(&feed), dialect, &feed.beside), text);
        for entry in entries(&feed) {
            assert_eq!(through_a_campaign(&entry), entry);
        }
        assert_eq!(Dialect::parse(dialect.as_str()), Some(dialect));
    }
    // A broken line or member keeps no other out.
    let feed = read_feed(&format!("{ITEM}\n{{\n{ITEM}"));
    assert_eq!((feed.found, feed.entries.len(), feed.problems[0].index), (3, 2, Some(1)));
    let feed = read_feed(&format!("{{\"targets\":{{\"8\":{ITEM},\"2\":{{"));
    assert_eq!((feed.dialect, feed.entries.len()), (Dialect::Wrapped, 1));
    assert!(problem_texts(&feed)[0].contains("stands under 8, but its number is 1"), "{:?}", problem_texts(&feed));
}

#[test]
fn a_single_entry_may_have_a_field_called_like_the_list_of_targets() {
    for (targets, entry) in [
        ("{}", r#"{"url":"http://a.pt/","isSeed":true,"targets":{}}"#),
        (r#"[{"id":2}]"#, r#"{"id":1,"seeds":["http://a.pt/"],"targets":[{"id":2}]}"#),
    ] {
        for text in [entry.to_owned(), format!("{entry}\n{entry}\n")] {
            let feed = read_feed(&text);
            assert_eq!(feed.entries.len(), text.lines().count(), "{text}");
            assert_eq!(feed.entries[0].1.fields["targets"].to_string(), targets, "{text}");
        }
    }
}

#[test]
fn an_entry_means_the_same_in_every_dialect() {
    let extra = ITEM.replace("\"watched\":false", "\"watched\":true,\"collections\":[{\"id\":4}]");
    let entry = &entries(&read_feed(&format!("[{extra}]")))[0];
    let (meaning, _) = entry.meaning(0);
    for dialect in Dialect::ALL {
        let text = write_feed(std::slice::from_ref(entry), dialect, &Map::new());
        let feed = read_feed(&text);
        assert_eq!(feed.dialect, dialect, "{text}");
        let (again, _) = feed.entries[0].1.meaning(0);
        if dialect == Dialect::Launch {
            insta::assert_snapshot!(text, @r#"{"parentUrl":"https://www.gov.uk/government/publications","url":"https://www.gov.uk/government/publications","parentUrlMetadata":{"pathFromSeed":"","heritableData":{"source":"tid:1:https://www.gov.uk/government/publications","heritable":["source","heritable"]}},"headers":{},"hop":"","isSeed":true,"method":"GET","forceFetch":true,"sheets":["recrawl-4weeks","noLimit"]}"#);
            // It has no place for title, dates and documents, and its URL is its name; all the rest is the same.
            let expected = Meaning {
                id: again.id.clone(),
                title: None,
                start: None,
                end: None,
                watched: None,
                document_url_scheme: None,
                // “root” is what holds without a sheet, and so is robots.txt.
                scope: None,
                ignore_robots: None,
                ..meaning.clone()
            };
            assert_eq!(again, expected, "{text}");
            continue;
        }
        assert_eq!(again, meaning, "{text}");
        assert!(text.contains("\"collections\":[{\"id\":4}]"), "{text}");
        let back = feed.entries[0].1.in_dialect(Dialect::Api);
        assert_eq!(back[0].meaning(0).0, meaning);
    }
}

#[test]
fn every_feed_of_others_comes_back() {
    let Some(folder) = crate::testing::data("feeds") else { return };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut counts = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let feed = read_feed(&text);
        let written = write_feed(&entries(&feed), feed.dialect, &feed.beside);
        assert_eq!(entries(&read_feed(&written)), entries(&feed), "{}", path.display());
        for entry in entries(&feed) {
            assert_eq!(through_a_campaign(&entry), entry);
        }
        counts.push(format!(
            "{}: {}, {} found, {} taken, {} problems",
            path.file_name().unwrap().to_string_lossy(),
            feed.dialect.as_str(),
            feed.found,
            feed.entries.len(),
            feed.problems.len()
        ));
    }
    println!("{}", counts.join("\n"));
    insta::assert_snapshot!(counts.join("\n"), @r"
    act-seed002.json: api, 1 found, 1 taken, 0 problems
    act-w3act-targets.json: api, 5 found, 5 taken, 0 problems
    act-w3act-testdata.json: api, 3 found, 3 taken, 0 problems
    ukwa-heritrix-seed-launch.jsonl: launch, 4 found, 3 taken, 2 problems
    ");
}

fn date() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        // From 1980: earlier, seconds and milliseconds look the same.
        (320_000_000_000_i64..9_000_000_000_000).prop_map(Value::from),
        (320_000_000_i64..3_000_000_000).prop_map(|seconds| {
            let date = crate::uri::CaptureDate::from_seconds(seconds);
            date.to_dataset().replace('T', " ").into()
        }),
        (320_000_000_i64..3_000_000_000)
            .prop_map(|seconds| crate::uri::CaptureDate::from_seconds(seconds).to_log().into()),
    ]
}

fn one_of(choices: &'static [&'static str]) -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), proptest::sample::select(choices).prop_map(Value::from)]
}

prop_compose! {
    fn target()(
        id in prop_oneof![any::<i64>().prop_map(Value::from), "[a-z0-9]{1,8}".prop_map(Value::from), Just(Value::Null)],
        title in prop_oneof![".{0,12}".prop_map(Value::from), Just(Value::Null)],
        seeds in prop::collection::vec("https?://[a-z]{1,8}\\.pt/[a-z%é ]{0,6}", 1..4),
        scope in one_of(&["resource", "plus1", "root", "subdomains", "Root"]),
        depth in one_of(&["CAPPED", "CAPPED_LARGE", "DEEP", "deep"]),
        frequency in one_of(&["DOMAINCRAWL", "ANNUAL", "SIXMONTHLY", "QUARTERLY", "MONTHLY", "WEEKLY", "DAILY", "NEVERCRAWL"]),
        start in date(), end in date(),
        robots in prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from)],
        watched in prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from)],
        scheme in prop_oneof![Just(Value::Null), ".{0,8}".prop_map(Value::from)],
        unknown in prop::collection::hash_map("x[a-zA-Z_]{0,6}", ".{0,6}".prop_map(Value::from), 0..3),
    ) -> Value {
        let mut target = json!({
            "id": id, "title": title, "seeds": seeds, "scope": scope, "depth": depth, "ignoreRobotsTxt": robots,
            "schedules": [{"startDate": start, "endDate": end, "frequency": frequency, "by": 1}],
            "watched": watched, "documentUrlScheme": scheme,
        });
        target.as_object_mut().unwrap().extend(unknown);
        target
    }
}

proptest! {
    /// Read, kept by a campaign, and written again, an entry is what it was;
    /// through another dialect it still means the same.
    #[test]
    fn entries_come_back_whole(targets in prop::collection::vec(target(), 1..4)) {
        for dialect in [Dialect::Api, Dialect::Lines] {
            let text = match dialect {
                Dialect::Lines => targets.iter().map(|target| format!("{target}\n")).collect::<String>(),
                _ => Value::Array(targets.clone()).to_string(),
            };
            let feed = read_feed(&text);
            prop_assert_eq!(feed.entries.len(), targets.len(), "{:?}", feed.problems);
            let read = entries(&feed);
            for (entry, target) in read.iter().zip(&targets) {
                prop_assert_eq!(&Value::Object(entry.fields.clone()), target);
                prop_assert_eq!(&through_a_campaign(entry), entry);
            }
            for other in [Dialect::Wrapped, Dialect::WriteBack, Dialect::Launcher, Dialect::Api, Dialect::Lines] {
                let written = write_feed(&read, other, &Map::new());
                let again = read_feed(&written);
                prop_assert_eq!(again.entries.len(), read.len(), "{} {:?}", written, again.problems);
                for ((_, after), before) in again.entries.iter().zip(&read) {
                    let (mut before, _) = before.meaning(0);
                    let (after, _) = after.meaning(0);
                    if other == Dialect::WriteBack {
                        // It counts whole seconds.
                        for date in [&mut before.start, &mut before.end] {
                            *date = date.map(|date| crate::uri::CaptureDate::from_seconds(date.seconds()));
                        }
                    }
                    prop_assert_eq!(after, before, "{}", written);
                }
            }
        }
    }
}

#[test]
fn a_field_that_means_something_only_in_the_other_dialect_stays_behind() {
    let message = r#"{"parentUrl":"http://a.example/","url":"http://a.example/","watched":{},"isSeed":true}"#;
    let [(_, entry)] = &read_feed(message).entries[..] else { panic!("no entry") };
    for dialect in Dialect::ALL {
        let written = write_feed(std::slice::from_ref(entry), dialect, &Default::default());
        assert_eq!(read_feed(&written).entries.len(), 1, "{written}");
    }
}
