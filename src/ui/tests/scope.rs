//! The scope on the page Spec: rules edited, tried, undone; countries.

use super::{TOWN, Window};
use crate::app::models::{GeoHost, GeoList, Loaded, MovedSide, WhatIf, WhatIfList};
use crate::app::{Command, Focus, JobKind, Route, RuleRef, ScopeList};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::GeoFact;
use crate::testing::{keep_geo_fact, town, town_countries, write_country_database};
use crate::ui::text;
use egui::{Key, Modifiers};
use serde_json::json;
use std::path::{Path, PathBuf};

const RULES: &str = "Scope rules 10";
/// The rule of the town that lets in what its seeds reach, and that about Portugal.
const BY_SEEDS: &str = "accepts what 6 seeds reach";
const BY_COUNTRY: &str = "accepts servers in country PT";

fn spec(tab: &str) -> Window {
    spec_of(Window::town(), tab)
}

fn spec_of(mut window: Window, tab: &str) -> Window {
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click(tab);
    window
}

fn campaign(window: &Window) -> &Campaign {
    &window.app().open.spec.as_ref().unwrap().campaign
}

/// Adds a rule about servers in Brazil, where the beaches are.
fn add_country(window: &mut Window) {
    window.click("Add a rule");
    window.click("Country, rights, robots.txt");
    window.click("Accept servers in a country");
    window.type_into("Countries", "BR");
    // A text field has an undo of its own: leave it.
    window.click("⏶ Move up");
    window.click("⏷ Move down");
}

/// Takes the rule of these words away.
fn remove_rule(window: &mut Window, text: &str) {
    window.click(text);
    window.click("✖ Remove");
}

/// Waits until the current edits have been tried; gives the answer.
#[track_caller]
fn until_tried(window: &mut Window) -> WhatIf {
    window.until("the edits are tried", |window| matches!(window.app().what_if(), Some(Loaded::Ready(_))));
    window.settle();
    match &window.app().what_if() {
        Some(Loaded::Ready(answer)) => answer.figures.clone(),
        other => panic!("{other:?}"),
    }
}

/// The tables that were written into a workspace, in order.
fn tables(folder: &Path) -> Vec<PathBuf> {
    crate::testing::files_under(&folder.join("exports/tables"))
}

#[test]
fn a_country_is_added_its_effect_seen_and_undone() {
    let mut window = spec(RULES);
    window.assert_shows("Edits of rules or seeds are evaluated here");
    add_country(&mut window);
    let figures = until_tried(&mut window);
    assert!(figures.moved_in.urls > 0 && figures.moved_out.urls == 0, "{figures:?}");
    let seen = text::count(figures.seen);
    window.click(&seen);
    assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::WhatIf(WhatIfList::Seen)));
    window.assert_shows("http://biblioteca.vilanova.example/");
    window.press(Key::Backspace);
    window.assert_shows("change:");
    let newly_in = format!("newly in scope {}", figures.moved_in.urls);
    for text in [
        text::counted(figures.moved_in.urls, "URL"),
        "1 host".to_owned(),
        "unknown size".to_owned(),
        newly_in.clone(),
        "newly out 0".to_owned(),
    ] {
        window.assert_shows(&text);
    }
    assert_eq!(campaign(&window).rules.len(), 11);
    for _ in 0..4 {
        window.press_with(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(window.last_command(), Some(&Command::UndoEdit));
    window.until("the figures are gone", |window| !window.shows("change:"));
    assert!(!window.app().open.spec.as_ref().unwrap().is_edited());
    // Forth again, by its button, and the figures are back.
    for _ in 0..4 {
        window.click_more("Redo edit");
    }
    assert_eq!(window.last_command(), Some(&Command::RedoEdit));
    window.until("the figures are back", |window| window.shows(&newly_in));
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(window.app().log().back().unwrap().1.why, "Nothing to redo");
}

#[test]
fn edits_outside_scope_and_edits_without_effect_are_labelled() {
    let mut window = spec("About");
    window.type_into("Name", " II");
    window.settle();
    assert!(window.app().open.spec.as_ref().unwrap().is_edited() && window.app().what_if().is_none());
    window.click(RULES);
    // No URL has so many segments.
    window.click("Rule 7 is on");
    let figures = until_tried(&mut window);
    window.assert_shows("These edits change no decision on the");
    window.assert_shows(&text::counted(figures.seen, "URL"));
    // A rule that cannot be read is reported, and nothing is tried.
    window.click(BY_COUNTRY);
    window.type_into("Countries", "Portugal");
    window.until("the mistake is shown", |window| window.shows("is no country code"));
    window.click("Discard changes");
    window.until("the bar is gone", |window| window.app().what_if().is_none());
}

#[test]
fn a_rule_is_broken_where_what_it_is_read_with_is() {
    let mut window = spec(RULES);
    window.until("rules are read", |window| window.shows("rejects everything"));
    let spec = window.app_mut().open.spec.as_mut().unwrap();
    for rule in [
        json!({"rule": "regex", "patterns": ["("], "decision": "REJECT"}),
        json!({"rule": "permission", "states": ["granted"], "uncovered": true, "decision": "REJECT"}),
    ] {
        spec.campaign.rules.push(rule);
    }
    window.until("the pattern is shown", |window| window.shows("unclosed group"));
    assert!(!window.shows("Rule 11 cannot be read"));
    window.app_mut().open.spec.as_mut().unwrap().campaign.grounds.countries.push("Portugal".to_owned());
    window.until("the record is shown", |window| {
        window.shows("Rule 11 cannot be read: grounds: “Portugal” is no country code; give two letters, such as PT")
    });
}

/// Exports a table by the menu at the end of its heads.
fn export_table(window: &mut Window, name: &str) {
    let menu = format!("Table menu: {name}");
    window.scroll_to(&menu);
    window.click(&menu);
    window.click("Export table… Ctrl+E");
    window.click("Export table");
    window.until_done(JobKind::WriteTable);
}

#[test]
fn tables_go_to_the_workspace_that_is_open() {
    let mut window = spec("Geolocation");
    let other = town().copy(&window.root().join("other"));
    for folder in [window.folder(), other] {
        if window.folder() != folder {
            window.app_mut().send(Command::OpenWorkspace(folder.clone()));
            window.until("the other is open", |window| window.folder() == folder);
            window.app_mut().send(Command::ChooseCampaign(TOWN));
            window.press_with(Modifiers::COMMAND, Key::Num2);
            window.click("Geolocation");
        }
        window.assert_shows("diaspora.example");
        export_table(&mut window, "Hosts accepted by geolocation");
        let tables = tables(&folder);
        assert_eq!(tables.len(), 1);
        assert!(std::fs::read_to_string(&tables[0]).unwrap().contains("diaspora.example"));
    }
}

#[test]
fn every_figure_opens_its_rows_and_a_row_its_decisions() {
    let mut window = spec(RULES);
    remove_rule(&mut window, BY_COUNTRY);
    let figures = until_tried(&mut window);
    window.assert_shows(&text::bytes(figures.moved_out.bytes));
    window.click(&format!("newly out {}", figures.moved_out.urls));
    let list_of = |list| Route::Scope(TOWN, ScopeList::WhatIf(list));
    let out = WhatIfList::Side(MovedSide::Out);
    assert_eq!(window.route(), list_of(out));
    let edited = campaign(&window).clone();
    let row = window.session().what_if_rows(TOWN, &edited, &figures, out, 0..5).unwrap().remove(0);
    window.assert_shows(&row.url);
    window.assert_shows("✔ in scope by rule 2: country of the server");
    window.assert_shows("✖ refused by rule 0: reject everything");
    window.click(&row.url);
    assert_eq!(window.app().focus(), Some(Focus::Seen(row.seen)));
    window.until("both traces are shown", |window| {
        window.shows("With the edited rules") && window.shows("As crawled") && window.shows("decides")
    });
    window.press_with(Modifiers::COMMAND, Key::E);
    let rows = text::counted(figures.moved_out.urls, "row");
    window.assert_shows(&format!("{rows}, sorted and filtered as shown, 6 columns"));
    window.click("Export table");
    window.until_done(JobKind::WriteTable);
    let table = std::fs::read_to_string(&tables(&window.folder())[0]).unwrap();
    assert_eq!(table.lines().count() as u64, 1 + figures.moved_out.urls, "{table}");
    window.click("Newly in scope 0");
    window.assert_shows("No URLs in this list");
    // Rows that cannot be read say why.
    let catalogue = rusqlite::Connection::open(window.folder().join("fonds.sqlite")).unwrap();
    catalogue.execute_batch("ALTER TABLE seen RENAME TO elsewhere").unwrap();
    window.app_mut().send(Command::Go(list_of(WhatIfList::Captured)));
    window.until("the failure is shown", |window| {
        window.shows("no such table: main.seen") || window.shows("no such table: seen")
    });
    window.click_more("Undo edit");
    window.until("nothing is left", |window| window.shows("No edits to compare"));
    window.click("Back to the rules");
    assert_eq!(window.route(), Route::Spec(Some(TOWN)));
}

#[test]
fn only_the_visible_part_of_long_lists_is_read() {
    let mut window = spec(RULES);
    remove_rule(&mut window, BY_SEEDS);
    let figures = until_tried(&mut window);
    let edited = campaign(&window).clone();
    let rows_of =
        |window: &Window, list| window.session().what_if_rows(TOWN, &edited, &figures, list, 0..1_000).unwrap();
    // Nobody looked up where the hosts of the seeds are.
    let undetermined = WhatIfList::Side(MovedSide::Unknown);
    let rows = rows_of(&window, undetermined);
    assert!(rows.len() > 200, "{}", rows.len());
    window.click(&format!("{} undetermined", figures.unknown.urls));
    assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::WhatIf(undetermined)));
    window.assert_shows(&rows[7].url);
    let far = &rows[199].url;
    let as_begin = rows[..60].iter().any(|row| row.url.starts_with(far.as_str()) || row.via == *far);
    assert!(as_begin || !window.shows(far), "rows out of sight are drawn");
    window.assert_shows("The decision depends on the country of these servers");
    for (name, list, urls) in [
        ("Depend on a fetch", WhatIfList::Unfetched, figures.unfetched),
        ("Newly out", WhatIfList::Side(MovedSide::Out), figures.moved_out.urls),
    ] {
        window.click(&format!("{name} {urls}"));
        match rows_of(&window, list).first() {
            Some(row) => window.assert_shows(&row.url),
            None => window.assert_shows("No URLs in this list"),
        }
    }
    window.click_more("Undo edit");
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click(RULES);
    remove_rule(&mut window, BY_COUNTRY);
    let figures = until_tried(&mut window);
    let edited = campaign(&window).clone();
    let hosts = window.session().what_if_hosts(&figures).unwrap();
    window.click(&text::counted(figures.moved_hosts, "host"));
    assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::WhatIfHosts));
    window.click(&hosts[1].host);
    window.press(Key::Enter);
    let list = WhatIfList::Host(hosts[1].id);
    assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::WhatIf(list)));
    let rows = window.session().what_if_rows(TOWN, &edited, &figures, list, 0..10).unwrap();
    window.assert_shows(&rows[0].url);
    assert!(rows.iter().all(|row| row.url.contains(&hosts[1].host)));
    window.assert_shows("URLs of one host that are newly in scope or newly out");
}

#[test]
fn hits_lead_to_the_urls_that_a_rule_decided() {
    let mut window = spec(RULES);
    let hits = crate::work::rule_hits(&window.session(), TOWN, None, &JobCx::detached()).unwrap();
    let (all, by_seeds) = (hits.rules[0].spoke, hits.rules[3].decided);
    let (all, by_seeds) = (text::count(all), text::count(by_seeds));
    window.until("hits are there", |window| window.shows(&all) && window.shows(&by_seeds));
    window.click(&by_seeds);
    let Route::Scope(TOWN, ScopeList::DecidedBy(rule)) = window.route() else { panic!("no list") };
    assert_eq!(rule.index, 3);
    window.assert_shows("URLs decided by rule 3");
    window.assert_shows("reach”: this rule decided these URLs");
    window.assert_shows(&format!("{by_seeds} URLs, with the decision of the last crawl"));
    let ids: Vec<_> = hits.rules[3].ids.first().to_vec();
    let row = window.session().seen_rows(&ids[..1]).unwrap().remove(0);
    window.assert_shows(&row.url);
    window.click(&row.url);
    window.until("the trace is shown", |window| window.shows("✔ In scope by rule 3: seed scope"));
    window.press(Key::Backspace);
    assert_eq!(window.route(), Route::Spec(Some(TOWN)));
    window.click(&all);
    assert!(matches!(&window.route(), Route::Scope(TOWN, ScopeList::SpokenBy(rule)) if rule.index == 0));
    window.assert_shows(&format!("{all} URLs, with the decision of the last crawl"));
    window.assert_shows("http://");
    window.press(Key::Backspace);
    // A rule that was changed has no hits: no crawl knows it.
    window.click("Rule 3 is on");
    assert!(!window.shows(&by_seeds));
    // An open list stays that of its rule when another crawl has other rules.
    for list in [ScopeList::DecidedBy, ScopeList::SpokenBy] {
        let other = RuleRef { summary: "rejects more than 9 hops from the seed".to_owned(), ..rule.clone() };
        window.app_mut().send(Command::Go(Route::Scope(TOWN, list(other))));
        window.until("the change is shown", |window| window.shows("The rules have changed"));
        assert!(!window.shows("with the decision of the last crawl"));
    }
}

#[test]
fn the_tester_offers_the_smallest_change_and_makes_it() {
    let mut window = spec(RULES);
    window.click("Rule tester");
    let urls = "http://harborblog.example/a/b\nhttps://elsewhere.example/x\nhttp://harborblog.example/?sessionid=7\n\
                nothing at all";
    window.type_into("URLs to test", urls);
    let counts = |accepted: u32, refused: u32| {
        move |window: &Window| {
            window.shows(&format!("{accepted} accepted")) && window.shows(&format!("{refused} refused"))
        }
    };
    window.until("the tester answers", counts(1, 2));
    window.assert_shows("1 not a URL");
    window.assert_shows("✖ “nothing at all” is no http or https URL");
    let mut open = |begin: &str| {
        let line = window.texts().into_iter().find(|text| text.starts_with(begin)).unwrap();
        window.scroll_to(&line);
        window.click(&line);
    };
    open("✖ Refused by rule 0: reject everything  https://elsewhere.example/x");
    open("✖ Refused by rule 5");
    window.assert_shows("the country of its server is not looked up yet");
    let change = window.texts().into_iter().find(|text| text.starts_with("⮫ ")).unwrap();
    window.scroll_to(&change);
    window.click(&change);
    assert!(matches!(window.last_command(), Some(Command::EditSpec(_))));
    window.until("the verdict turns", counts(2, 1));
    window.click_more("Undo edit");
    window.until("it turns back", counts(1, 2));
    // Each number shows its URLs alone.
    window.scroll_to("1 not a URL");
    window.click("1 not a URL");
    window.assert_shows("✖ “nothing at all” is no http or https URL");
    assert!(!window.shows("✖ Refused by rule 0"));
}

#[test]
fn a_seed_shows_what_it_reaches_while_it_is_typed() {
    let mut window = spec("Seeds 6");
    window.type_into("Seeds to add, one per line", "https://www.fct.pt");
    window.assert_shows("everything that starts with http://(pt,fct,www,");
    window.assert_shows("⚠ opens subdomains; end the seed with a slash to keep to this host");
    window.type_into("Seeds to add, one per line", "/");
    window.assert_shows("everything that starts with http://(pt,fct,www,)/");
    assert!(!window.shows("⚠ opens subdomains"));
    for (label, name, reach) in [
        ("this page", "resource: ", "this page and what it needs to be shown"),
        ("page + 1 link", "plus1: ", "this page, the pages it links to"),
        ("host + subdomains", "subdomains: ", "this host and all hosts below it: http://(pt,fct,"),
        ("this path and below", "root: ", "everything that starts with"),
    ] {
        window.click_radio(label);
        window.assert_shows(name);
        window.assert_shows(reach);
    }
    window.type_into("URL of seed 2", "2024/lanternas");
    window.assert_shows("http://(example,festival-da-ria,www,)/2024/");
}

#[test]
fn hosts_let_in_by_location_show_their_evidence_and_captures() {
    let mut window = spec_of(
        Window::town_as(|session| {
            let why = "no such host".to_owned();
            keep_geo_fact(session, "camara-antiga.example", GeoFact::Failed { why });
        }),
        "Geolocation",
    );
    let report = crate::work::geo_report(&window.session(), TOWN, None, &JobCx::detached()).unwrap();
    // The table's rows are in this order, and the first cell of a name is clicked.
    let is_first =
        |host: &&GeoHost| report.hosts.iter().find(|other| other.urls == host.urls).unwrap().host == host.host;
    let is_known = |fact: &GeoFact| matches!(fact, GeoFact::Known(_));
    let host = report.hosts.iter().find(|host| is_first(host) && is_known(&host.evidence)).unwrap();
    window.assert_shows(&host.host);
    window.assert_shows(&format!("{} hosts, listed below; country rules decided", report.hosts.len()));
    window.assert_shows("127.0.17.1 in 127.0.17.0/24 is PT");
    window.assert_shows("⚠ since then: no such host");
    // Each number leads to what it counts.
    let decided = text::counted(report.decided, "URL");
    for (cell, list, title, urls) in [
        (None, GeoList::Decided, "URLs accepted by geolocation".to_owned(), report.decided),
        (
            Some(format!("URLs: {}", host.urls)),
            GeoList::Host(host.host.clone()),
            format!("URLs of {} accepted by geolocation only", host.host),
            host.urls,
        ),
    ] {
        match cell {
            Some(cell) => window.click_number(&cell),
            None => window.click(&decided),
        }
        assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::Geo(list)));
        window.assert_shows(&title);
        window.assert_shows(&format!("{}, with the decision of the last crawl", text::counted(urls, "URL")));
        window.press(Key::Backspace);
        window.assert_shows(&decided);
    }
    window.click(&host.host);
    let GeoFact::Known(evidence) = &host.evidence else { panic!("{host:?}") };
    window.assert_shows(evidence.source.label());
    export_table(&mut window, "Hosts accepted by geolocation");
    let table = std::fs::read_to_string(&tables(&window.folder())[0]).unwrap();
    assert!(report.hosts.iter().all(|host| table.contains(&host.host)), "{table}");
    let captures = format!("Show {} captures", host.captures);
    window.scroll_to(&captures);
    window.click(&captures);
    let filter = format!("host={} campaign:1", host.host);
    assert_eq!(window.route(), Route::Captures { filter });
}

#[test]
fn another_database_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let (broken, newer) = (dir.path().join("broken.mmdb"), dir.path().join("newer.mmdb"));
    std::fs::write(&broken, "no database").unwrap();
    // The emigrants' site moves to France, and the beaches, which are out all the same, to Chile.
    write_country_database(
        &newer,
        town_countries().map(|(host, network, country)| match host {
            "diaspora.example" => (network, "FR"),
            "praias.example" => (network, "CL"),
            _ => (network, country),
        }),
    );
    let mut window = spec("Geolocation");
    window.type_into("Other database", &broken.display().to_string());
    window.click("Compare");
    window.until("the mistake is shown", |window| window.shows("is not a sound MaxMind database"));
    let mut window = spec_of(
        Window::town_as(|session| {
            let why = "no such host".to_owned();
            keep_geo_fact(session, "gone.example", GeoFact::Failed { why });
        }),
        "Geolocation",
    );
    window.type_into("Other database", &newer.display().to_string());
    window.click("Compare");
    window.until("the drift is there", |window| window.shows("1 host changes decisions"));
    let drift = window.session().geo_drift(TOWN, None, &newer, &JobCx::detached()).unwrap();
    let host = &drift.hosts[0];
    assert_eq!((host.host.as_str(), host.moved_in), ("diaspora.example", 0));
    let moved_out = format!("Newly out: {}", host.moved_out);
    window.assert_shows(&moved_out);
    window.assert_shows("127.0.17.1 in 127.0.17.0/24 is FR");
    // Every number has its rows.
    window.click("1 host was not resolved");
    window.assert_shows("gone.example");
    window.assert_shows("no such host");
    export_table(&mut window, "Hosts");
    assert!(std::fs::read_to_string(&tables(&window.folder())[0]).unwrap().contains("gone.example"));
    window.click(&format!("{} hosts have known addresses", drift.known));
    window.assert_shows(&drift.known_hosts[0].0);
    window.click("2 hosts have another country");
    window.assert_shows("diaspora.example");
    window.assert_shows("praias.example");
    window.click("1 host moved, no decision changes");
    window.assert_shows("praias.example");
    window.click("1 host changes decisions");
    window.click_number(&moved_out);
    let list = GeoList::DriftOut("diaspora.example".to_owned());
    assert_eq!(window.route(), Route::Scope(TOWN, ScopeList::Geo(list)));
    window.assert_shows("URLs of diaspora.example that it would refuse");
    window.assert_shows("http://diaspora.example/");
}

#[test]
fn the_geolocation_database_is_chosen_and_given_up() {
    let mut window = Window::empty();
    let (broken, sound) = (window.root().join("broken.mmdb"), window.root().join("country.mmdb"));
    std::fs::write(&broken, "no database").unwrap();
    write_country_database(&sound, town_countries().map(|(_, network, country)| (network, country)));
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.assert_shows("No geolocation database set");
    window.type_into("Database file", &broken.display().to_string());
    window.click("Use this database");
    window.until("the mistake is shown", |window| window.shows("Geolocation database not changed"));
    window.assert_shows(&format!("{} is not a sound MaxMind database (.mmdb)", broken.display()));
    window.app_mut().send(Command::SetGeoDatabase(Some(sound.clone())));
    window.until("it is shown", |window| window.shows("✔ Test-Country"));
    let choice = window.session().geo_choice().unwrap().unwrap();
    assert_eq!(choice.path, sound);
    window.assert_shows(&format!("{} nodes", text::count(choice.database.unwrap().nodes)));
    window.assert_shows("⚠ The country database (Test-Country) was built on 2024-06-01, ");
    window.scroll_to("Remove database");
    window.click("Remove database");
    window.assert_shows("No geolocation database set");
    assert_eq!(window.session().geo_choice().unwrap(), None);
}

#[test]
fn the_hours_of_a_window_of_time_stay_numbers() {
    let mut window = spec(RULES);
    window.click("Add a rule");
    window.click("Time, reviewers");
    window.click("Reject outside a window of time");
    let at = campaign(&window).rules.iter().position(|rule| rule["rule"] == "schedule_window").unwrap();
    window.assert_shows("0\n0");
    window.type_into("Hours", "6");
    assert_eq!(campaign(&window).rules[at]["hours"], serde_json::json!([0, 6]));
    window.until("the rule is read", |window| window.shows("rejects what is not decided between 0:00 and 6:00 UTC"));
}

#[test]
fn a_mistake_that_a_seed_makes_goes_with_it() {
    let mut window = spec(RULES);
    let broken = |window: &Window| window.shows("✖ seed 3 (“no url at all”)");
    let seed = |window: &mut Window, url: &str| {
        url.clone_into(&mut window.app_mut().open.spec.as_mut().unwrap().campaign.seeds[2].url);
    };
    seed(&mut window, "no url at all");
    window.until("the mistake is shown", broken);
    seed(&mut window, "https://museu.example/");
    window.until("it is gone", |window| !broken(window));
    seed(&mut window, "no url at all");
    window.until("it is shown again", broken);
}

#[test]
fn domains_and_countries_are_undone_where_they_are_typed() {
    let mut window = spec("Permissions");
    let grounds = campaign(&window).grounds.clone();
    window.type_into("Servers in these countries", ", BR");
    window.assert_shows(", BR");
    assert_ne!(campaign(&window).grounds, grounds);
    window.click("Discard changes");
    assert_eq!(campaign(&window).grounds, grounds);
    assert!(!window.shows(", BR"), "on screen: {:?}", window.texts());
    window.click_more("Undo edit");
    window.assert_shows("BR");
    while window.app().open.spec.as_ref().unwrap().is_edited() {
        window.click_more("Undo edit");
    }
    assert!(!window.shows("BR"));
}
