//! The scope on the page Spec: rules edited, tried, undone; countries.

use super::Window;
use crate::app::models::{GeoList, Loaded, MovedSide, WhatIfList};
use crate::app::{Command, Focus, Route, RuleAsked, ScopeList};
use crate::campaign::Campaign;
use egui::{Key, Modifiers};
use serde_json::json;

fn spec(tab: &str) -> Window {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click(tab);
    window
}

fn campaign(window: &Window) -> &Campaign {
    &window.app().spec.as_ref().unwrap().campaign
}

/// Adds a rule about servers in Portugal.
fn add_country(window: &mut Window) {
    window.click("Add a rule");
    window.click("Country, rights, robots.txt");
    window.click("Accept servers in a country");
    window.type_into("countries", "PT");
    // A text field has an undo of its own: leave it.
    window.click("⏶ Move up");
    window.click("⏷ Move down");
}

/// Waits until the edits as they stand have been tried.
#[track_caller]
fn until_tried(window: &mut Window) {
    window.until("the edits are tried", |window| matches!(window.app().what_if, Some(Loaded::Ready(_))));
    window.settle();
}

#[test]
fn a_country_is_added_its_effect_seen_and_undone() {
    let mut window = spec("Scope rules 11");
    window.check_says("Edits of rules or seeds are evaluated here");
    add_country(&mut window);
    until_tried(&mut window);
    window.click("20\u{a0}000");
    assert_eq!(window.app().route, Route::Scope(1, ScopeList::WhatIf(WhatIfList::Seen)));
    window.until("rows are there", |window| window.says("http://tried.example/3"));
    window.press(Key::Backspace);
    window.check_says("change:");
    for words in
        ["10\u{a0}000 URLs", "100 hosts", "unknown size", "newly in scope 10\u{a0}000", "newly out 0", "3 undetermined"]
    {
        window.check_says(words);
    }
    assert_eq!(campaign(&window).rules.len(), 12);
    for _ in 0..4 {
        window.press_with(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(window.asked(), Some(&Command::UndoEdit));
    window.until("the figures are gone", |window| !window.says("change:"));
    assert!(!window.app().spec.as_ref().unwrap().is_edited());
    // Forth again, by its button, and the figures are back.
    for _ in 0..4 {
        window.click("↷ Redo edit");
    }
    assert_eq!(window.asked(), Some(&Command::RedoEdit));
    window.until("the figures are back", |window| window.says("newly in scope 10\u{a0}000"));
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(window.app().log.back().unwrap().1.why, "Nothing to redo");
}

#[test]
fn edits_that_are_no_matter_of_scope_and_those_that_change_nothing_say_so() {
    let mut window = spec("About");
    window.type_into("Name", " II");
    window.settle();
    assert!(window.app().spec.as_ref().unwrap().is_edited() && window.app().what_if.is_none());
    window.click("Scope rules 11");
    window.click("Rule 5 is on");
    until_tried(&mut window);
    window.check_says("These edits change no decision on the");
    window.check_says("20\u{a0}000 URLs");
    // A rule that cannot be read is told, and nothing is tried.
    window.click("2");
    window.type_into("countries", "Portugal");
    window.until("the mistake is told", |window| window.says("is no country code"));
    window.click("Discard changes");
    window.until("the bar is gone", |window| window.app().what_if.is_none());
}

#[test]
fn a_rule_is_broken_where_what_it_is_read_with_is() {
    let mut window = spec("Scope rules 11");
    window.until("rules are read", |window| window.says("rejects everything"));
    let spec = window.app_mut().spec.as_mut().unwrap();
    for rule in [
        json!({"rule": "regex", "patterns": ["("], "decision": "REJECT"}),
        json!({"rule": "permission", "states": ["granted"], "uncovered": true, "decision": "REJECT"}),
    ] {
        spec.campaign.rules.push(rule);
    }
    window.until("the pattern is told", |window| window.says("unclosed group"));
    assert!(!window.says("Rule 12 cannot be read"));
    window.app_mut().spec.as_mut().unwrap().campaign.grounds.countries.push("Portugal".to_owned());
    window.until("the record is told", |window| {
        window.says("Rule 12 cannot be read: grounds: “Portugal” is no country code; give two letters, such as PT")
    });
}

#[test]
fn tables_go_to_the_workspace_that_is_open() {
    let mut window = spec("Geolocation");
    window.until("the report is there", |window| window.says("diaspora.example"));
    window.scroll_to("Export as CSV");
    window.click("Export as CSV");
    window.check_told("write geo report of 2 hosts to /home/archivist/fonds/exports/tables");
    window.until("the job is over", |window| window.app().jobs.is_empty());
    window.app_mut().send(Command::OpenWorkspace("/media/other".into()));
    window.check_told("open /media/other");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click("Geolocation");
    window.until("the report is there", |window| window.says("diaspora.example"));
    window.scroll_to("Export as CSV");
    window.click("Export as CSV");
    window.check_told("write geo report of 2 hosts to /media/other/exports/tables");
}

#[test]
fn every_figure_opens_its_rows_and_a_row_its_decisions() {
    let mut window = spec("Scope rules 11");
    window.click("0");
    window.click("✖ Remove");
    until_tried(&mut window);
    window.check_says("4.0 MB");
    window.click("newly out 100");
    let list_of = |list| Route::Scope(1, ScopeList::WhatIf(list));
    assert_eq!(window.app().route, list_of(WhatIfList::Side(MovedSide::Out)));
    window.until("rows are there", |window| window.says("http://go0.example:8080/0"));
    window.check_says("go0.example:8080");
    window.check_says("✔ in scope by rule 1: SURT prefix");
    window.check_says("✖ refused by rule 3: number of hops");
    window.click("http://go0.example:8080/2");
    assert_eq!(window.app().focus, Some(Focus::Seen(2)));
    window.until("both traces are shown", |window| {
        window.says("With the edited rules") && window.says("As crawled") && window.says("decides")
    });
    window.press_with(Modifiers::COMMAND, Key::E);
    window.check_says("100 rows, sorted and filtered as shown, 6 columns");
    window.click("Export table");
    window.check_told("write 100 rows of what-if-urls to /home/archivist/fonds/exports/tables");
    window.click("Newly in scope 0");
    window.check_says("No URLs in this list");
    // Rows that cannot be read say why.
    window.app_mut().send(Command::Go(list_of(WhatIfList::Captured)));
    window.until("the failure is told", |window| window.says("the disk has gone"));
    window.click("↶ Undo edit");
    window.until("nothing is left", |window| window.says("No edits to compare"));
    window.click("Back to the rules");
    assert_eq!(window.app().route, Route::Spec(Some(1)));
}

#[test]
fn long_lists_are_read_where_they_are_looked_at() {
    let mut window = spec("Scope rules 11");
    add_country(&mut window);
    until_tried(&mut window);
    window.click("10\u{a0}000 URLs");
    assert_eq!(window.app().route, Route::Scope(1, ScopeList::WhatIf(WhatIfList::Both)));
    window.until("rows are there", |window| window.says("http://come0.example:8080/7"));
    assert!(!window.says("http://come0.example:8080/99"), "rows out of sight are drawn");
    window.click("Undetermined 3");
    window.until("rows are there", |window| window.says("http://unknown0.example:8080/2"));
    // One was looked up since it was counted.
    window.check_says("⚠ http://unknown0.example:8080/0");
    window.check_says("The decision depends on the country of these servers");
    window.click("Depend on a fetch 5");
    window.until("rows are there", |window| window.says("http://come0.example:8080/4"));
    window.click("Hosts 100");
    assert_eq!(window.app().route, Route::Scope(1, ScopeList::WhatIfHosts));
    window.until("hosts are there", |window| window.says("come3.example:8080"));
    window.click("come3.example:8080");
    window.press(Key::Enter);
    assert_eq!(window.app().route, Route::Scope(1, ScopeList::WhatIf(WhatIfList::Host(3))));
    window.until("rows are there", |window| window.says("http://come3.example:8080/305"));
    assert!(!window.says("http://come0.example:8080/4"));
    window.check_says("URLs of one host that are newly in scope or newly out");
}

#[test]
fn hits_lead_to_the_urls_that_a_rule_decided() {
    let mut window = spec("Scope rules 11");
    window.until("hits are there", |window| window.says("3\u{a0}290") && window.says("1\u{a0}800"));
    window.click("1\u{a0}800");
    let Route::Scope(1, ScopeList::DecidedBy(asked)) = window.app().route.clone() else { panic!("no list") };
    assert_eq!(asked.index, 3);
    window.check_says("URLs decided by rule 3");
    window.check_says("hops from the seed”: this rule decided these URLs");
    window.check_says("⚠ 1 URL cannot be read and is left out: “http://[”");
    window.check_says("1\u{a0}800 URLs, with the decision of the last crawl");
    window.until("rows are there", |window| window.says("https://calendar.example/month/7"));
    window.click("https://calendar.example/month/7");
    window.until("the trace is shown", |window| window.says("a limit of 24 hops or more"));
    window.press(Key::Backspace);
    assert_eq!(window.app().route, Route::Spec(Some(1)));
    window.click("3\u{a0}290");
    assert!(matches!(&window.app().route, Route::Scope(1, ScopeList::SpokenBy(asked)) if asked.index == 0));
    window.until("rows are there", |window| window.says("https://calendar.example/month/7"));
    window.check_says("3\u{a0}290 URLs, with the decision of the last crawl");
    window.press(Key::Backspace);
    // A rule that was changed has no hits: no crawl knows it.
    window.click("Rule 3 is on");
    assert!(!window.says("1\u{a0}800"));
    // A list that was asked for stays that of its rule when another crawl has other rules.
    for list in [ScopeList::DecidedBy, ScopeList::SpokenBy] {
        let other = RuleAsked { words: "rejects more than 9 hops from the seed".to_owned(), ..asked.clone() };
        window.app_mut().send(Command::Go(Route::Scope(1, list(other))));
        window.until("the change is told", |window| window.says("The rules have changed"));
        assert!(!window.says("with the decision of the last crawl"));
    }
}

#[test]
fn the_tester_offers_the_smallest_change_and_makes_it() {
    let mut window = spec("Scope rules 11");
    window.type_into("URLs to test", "https://www.vilanova.example/a/b\nhttps://elsewhere.example/x\nnothing at all");
    window.until("the tester answers", |window| {
        window.says("1 accepted") && window.says("1 refused") && window.says("1 not a URL")
    });
    window.check_says("✖ “nothing at all” is no http or https URL");
    window.scroll_to("✖ Refused by rule 0: reject everything  https://elsewhere.example/x");
    window.click("✖ Refused by rule 0: reject everything  https://elsewhere.example/x");
    window.check_says("the country of its server is not looked up yet");
    let turn = window.words().into_iter().find(|words| words.starts_with("⮫ ")).unwrap();
    window.scroll_to(&turn);
    window.click(&turn);
    assert!(matches!(window.asked(), Some(Command::EditSpec(_))));
    window.until("the verdict turns", |window| window.says("2 accepted") && window.says("0 refused"));
    window.click("↶ Undo edit");
    window.until("it turns back", |window| window.says("1 accepted") && window.says("1 refused"));
    // Each number shows its URLs alone.
    window.scroll_to("1 not a URL");
    window.click("1 not a URL");
    window.check_says("✖ “nothing at all” is no http or https URL");
    assert!(!window.says("✖ Refused by rule 0"));
}

#[test]
fn a_seed_tells_what_it_reaches_while_it_is_typed() {
    let mut window = spec("Seeds 3");
    window.type_into("Seeds to add, one per line", "https://www.fct.pt");
    window.check_says("everything that starts with http://(pt,fct,www,");
    window.check_says("⚠ opens subdomains; end the seed with a slash to keep to this host");
    window.type_into("Seeds to add, one per line", "/");
    window.check_says("everything that starts with http://(pt,fct,www,)/");
    assert!(!window.says("⚠ opens subdomains"));
    for (word, name, reach) in [
        ("this page", "resource: ", "this page and what it needs to be shown"),
        ("page + 1 link", "plus1: ", "this page, the pages it links to"),
        ("host + subdomains", "subdomains: ", "this host and all hosts below it: http://(pt,fct,"),
        ("this path and below", "root: ", "everything that starts with"),
    ] {
        window.click_radio(word);
        window.check_says(name);
        window.check_says(reach);
    }
    window.type_into("URL of seed 2", "/cheias");
    window.check_says("http://(example,vilanova,jornal,)/2024/");
}

#[test]
fn hosts_let_in_by_location_show_their_evidence_and_captures() {
    let mut window = spec("Geolocation");
    window.until("the report is there", |window| window.says("diaspora.example"));
    window.check_says("2 hosts, listed below; country rules decided");
    window.check_says("192.0.2.17 in 192.0.2.0/24 is PT");
    window.check_says("⚠ since then: no such host");
    // Each number leads to what it counts.
    for (figure, list, title, rows) in [
        ("90 URLs", GeoList::Decided, "URLs accepted by geolocation", "90 URLs"),
        ("8", GeoList::Otherwise, "URLs also accepted by other rules", "8 URLs"),
        (
            "41",
            GeoList::Host("ferry.example:8080".to_owned()),
            "URLs of ferry.example:8080 accepted by geolocation only",
            "41 URLs",
        ),
    ] {
        window.click(figure);
        assert_eq!(window.app().route, Route::Scope(1, ScopeList::Geo(list)));
        window.check_says(title);
        window.check_says(&format!("{rows}, with the decision of the last crawl"));
        window.press(Key::Backspace);
        window.until("the report is there", |window| window.says("diaspora.example"));
    }
    window.click("diaspora.example");
    window.check_says("embedded resource");
    window.check_says("resolver");
    window.scroll_to("Export as CSV");
    window.click("Export as CSV");
    window.check_told("write geo report of 2 hosts");
    window.scroll_to("Show 38 captures");
    window.click("Show 38 captures");
    assert_eq!(window.app().route, Route::Captures { filter: "host=diaspora.example campaign:1".to_owned() });
}

#[test]
fn another_database_is_compared() {
    let mut window = spec("Geolocation");
    window.type_into("Other database", "/media/broken.mmdb");
    window.click("Compare");
    window.until("the mistake is told", |window| window.says("is not a sound MaxMind database"));
    let mut window = spec("Geolocation");
    window.type_into("Other database", "/media/newer.mmdb");
    window.click("Compare");
    window.until("the drift is there", |window| window.says("1 host changes decisions"));
    window.check_says("−41");
    window.check_says("192.0.2.17 in 192.0.2.0/24 is FR");
    // Every number has its rows.
    window.click("1 host was not resolved");
    window.check_says("gone.example");
    window.check_says("no such host");
    window.scroll_to("Export as CSV");
    window.click("Export as CSV");
    window.check_told("write drift, Failed");
    window.click("90 hosts have known addresses");
    window.check_says("known0.example");
    window.click("4 hosts have another country");
    window.check_says("diaspora.example");
    window.check_says("quiet.example");
    window.click("3 hosts moved, no decision changes");
    window.check_says("stillness.example");
    window.click("1 host changes decisions");
    window.click("−41");
    assert_eq!(window.app().route, Route::Scope(1, ScopeList::Geo(GeoList::DriftOut("diaspora.example".to_owned()))));
    window.check_says("URLs of diaspora.example that it would refuse");
    window.until("rows are there", |window| window.says("https://calendar.example/month/7"));
}

#[test]
fn the_geolocation_database_is_chosen_and_given_up() {
    let mut window = Window::full();
    window.press_with(Modifiers::COMMAND, Key::Num9);
    window.check_says("No geolocation database set");
    window.type_into("Database file", "/media/broken.mmdb");
    window.click("Use this database");
    window.until("the mistake is told", |window| window.says("Geolocation database not changed"));
    window.check_says("/media/broken.mmdb is not a sound MaxMind database (.mmdb): cut off; download it again");
    window.app_mut().send(Command::SetGeoDatabase(Some("/media/city.mmdb".into())));
    window.check_told("geo database Some(\"/media/city.mmdb\")");
    window.until("it is shown", |window| window.says("✔ Made-Up-Country"));
    window.check_says("IPv4 and IPv6, 1\u{a0}234\u{a0}567 nodes, 7.0 MB");
    window.check_says("⚠ The country database (Made-Up-Country) was built on 2024-04-30, 200 days ago");
    window.click("Remove database");
    window.check_told("geo database None");
}

#[test]
fn the_hours_of_a_window_of_time_stay_numbers() {
    let mut window = spec("Scope rules 11");
    window.click("Add a rule");
    window.click("Time, reviewers");
    window.click("Reject outside a window of time");
    let at = campaign(&window).rules.iter().position(|rule| rule["rule"] == "schedule_window").unwrap();
    window.check_says("0\n0");
    window.type_into("hours", "6");
    assert_eq!(campaign(&window).rules[at]["hours"], serde_json::json!([0, 6]));
    window.until("the rule is read", |window| !window.says("…") && !window.says("invalid type"));
}

#[test]
fn a_mistake_that_a_seed_makes_goes_with_it() {
    let mut window = spec("Scope rules 11");
    let broken = |window: &Window| window.says("✖ seed 3 (“no url at all”)");
    window.until("the mistake is told", broken);
    let seed = |window: &mut Window, url: &str| {
        url.clone_into(&mut window.app_mut().spec.as_mut().unwrap().campaign.seeds[2].url);
    };
    seed(&mut window, "https://museu.example/");
    window.until("it is gone", |window| !broken(window));
    seed(&mut window, "no url at all");
    window.until("it is told again", broken);
}

#[test]
fn domains_and_countries_are_undone_where_they_are_typed() {
    let mut window = spec("Permissions");
    let grounds = campaign(&window).grounds.clone();
    window.type_into("Servers in these countries", ", BR");
    window.check_says(", BR");
    assert_ne!(campaign(&window).grounds, grounds);
    window.click("Discard changes");
    assert_eq!(campaign(&window).grounds, grounds);
    assert!(!window.says(", BR"), "on screen: {:?}", window.words());
    window.click("↶ Undo edit");
    window.check_says("BR");
    while window.app().spec.as_ref().unwrap().is_edited() {
        window.click("↶ Undo edit");
    }
    assert!(!window.says("BR"));
}
