//! The map of the page Search.

use crate::app::Route;
use crate::app::models::{CampaignChoice, CampaignId, FacetKind, ImportOptions, SearchQuery, facet_choices};
use crate::jobs::JobCx;
use crate::scope::{AddressCountry, AnswerSource, GeoEvidence, GeoFact};
use crate::testing::{keep_geo_fact, page_record};
use crate::ui::tests::Window;
use crate::uri::CaptureDate;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};

/// The values of a facet of everything in the campaign, and in how many captures they are.
fn facet(window: &Window, kind: FacetKind) -> Vec<(String, u64)> {
    let query = SearchQuery { campaign: window.app().campaign(), ..SearchQuery::default() };
    let counts = window.session().search_counts(&query, &[kind], None).unwrap();
    counts.facets.into_iter().flat_map(|(_, values)| values).map(|value| (value.value, value.count)).collect()
}

/// The values that a search is narrowed to.
fn narrowed_to(window: &Window) -> Vec<(FacetKind, String)> {
    let Route::Search(query) = window.route() else { panic!("{:?}", window.route()) };
    let choices = facet_choices(&query.text);
    assert!(choices.iter().all(|choice| !choice.is_excluded));
    choices.into_iter().map(|choice| (choice.kind, choice.value)).collect()
}

/// What a crawl would keep of a host in this country.
fn located(code: &str) -> GeoFact {
    let address = AddressCountry::new(std::net::Ipv4Addr::LOCALHOST.into(), "127.0.0.0/8", Some(code.to_owned()));
    GeoFact::Known(GeoEvidence {
        date: CaptureDate::default(),
        addresses: vec![address],
        database: "Test".to_owned(),
        database_build: CaptureDate::default(),
        source: AnswerSource::Resolver,
    })
}

/// What has the keyboard.
fn keyboard(window: &Window) -> Option<String> {
    let mut nodes = window.harness.root().children_recursive();
    nodes.find(|node| node.accesskit_node().is_focused()).and_then(|node| node.accesskit_node().label())
}

/// The text of a country on the map.
fn mark(country: &str, count: u64) -> String {
    format!("Map: {country}: {count} {}", if count == 1 { "capture" } else { "captures" })
}

#[test]
fn a_map_has_the_numbers_of_the_countries_and_narrows_by_click_and_by_keys() {
    let mut window = Window::town_as(|session| {
        for (host, code) in [("harborblog.example", "GB"), ("cuaderno.example", "ES"), ("assembleia.example", "MT")] {
            keep_geo_fact(session, host, located(code));
        }
    });
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.click("Map");
    let countries = facet(&window, FacetKind::Country);
    let count_of = |code: &str| countries.iter().find(|(value, _)| value == code).map_or(0, |(_, count)| *count);
    for (code, name) in [("PT", "Portugal"), ("ES", "Spain"), ("GB", "United Kingdom"), ("MT", "Malta")] {
        assert!(count_of(code) > 0, "{code}: {countries:?}");
        assert!(window.can_click(&mark(name, count_of(code))), "{name}: {:?}", window.texts());
    }
    // Nothing else is on the map; the table has all of it, what is not known as well.
    let marks = window.texts().iter().filter(|text| text.starts_with("Map: ")).count();
    assert_eq!(marks, countries.iter().filter(|(code, _)| !code.is_empty()).count());
    for (_, count) in &countries {
        assert!(window.shows(&format!("Captures: {count}")), "{count}: {:?}", window.texts());
    }
    // A click narrows, a second one takes it back.
    window.click(&mark("Portugal", count_of("PT")));
    assert_eq!(narrowed_to(&window), [(FacetKind::Country, "PT".to_owned())]);
    window.pass(1.0);
    window.click(&mark("Portugal", count_of("PT")));
    assert_eq!(narrowed_to(&window), []);
    // By keys from the query: past no facet to the map, which then has the keyboard.
    let map = "Map of captures found by country of the server";
    window.click("Results");
    window.harness.get_by_role_and_label(egui::accesskit::Role::TextInput, "Query").focus();
    window.settle();
    let mut passed = Vec::new();
    while passed.last().is_none_or(|label| label != "Results" && label != "Map") && passed.len() < 40 {
        window.press(Key::Tab);
        passed.extend(keyboard(&window));
    }
    assert!(passed.len() < 20 && !passed.iter().any(|label| label.contains("without ")), "{passed:?}");
    if passed.last().is_some_and(|label| label == "Results") {
        window.press(Key::Tab);
    }
    window.press(Key::Enter);
    window.pass(1.0);
    assert_eq!(keyboard(&window).as_deref(), Some(map));
    // To where most is, from there to the next in the east, and narrow to it.
    window.press(Key::ArrowRight);
    let most = countries.iter().find(|(code, _)| !code.is_empty()).unwrap();
    window.press(Key::Enter);
    assert_eq!(narrowed_to(&window), [(FacetKind::Country, most.0.clone())]);
    window.pass(1.0);
    window.press(Key::Enter);
    assert_eq!(narrowed_to(&window), []);
    window.pass(1.0);
    // From west to east, no country is passed over.
    (0..countries.len()).for_each(|_| window.press(Key::ArrowLeft));
    let mut reached = Vec::new();
    for _ in 0..marks {
        window.press(Key::Enter);
        reached.extend(narrowed_to(&window).into_iter().map(|(_, code)| code));
        window.pass(1.0);
        window.press(Key::Enter);
        window.pass(1.0);
        window.press(Key::ArrowRight);
    }
    assert_eq!(reached.first().map(String::as_str), Some("US"));
    assert_eq!(reached.last().map(String::as_str), Some("MT"));
    reached.sort();
    let mut known: Vec<String> =
        countries.iter().map(|(code, _)| code.clone()).filter(|code| !code.is_empty()).collect();
    known.sort();
    assert_eq!(reached, known);
    // Enlarged, with the last country in the middle, it can be pressed as before.
    window.click("Zoom in");
    window.click("Zoom in");
    window.click(&mark("Malta", count_of("MT")));
    assert_eq!(narrowed_to(&window), [(FacetKind::Country, "MT".to_owned())]);
    window.pass(1.0);
    window.click(&mark("Malta", count_of("MT")));
    window.pass(1.0);
    // A number of the table leads to what it counts.
    window.click_number(&format!("Captures: {}", count_of("PT")));
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(window.captures(&filter).len() as u64, count_of("PT"), "{filter}");
}

#[test]
fn a_map_of_top_level_domains_puts_those_of_one_country_together() {
    let mut window = Window::town_as(|session| {
        let urls = ["https://a.pt/", "https://b.uk/", "https://c.uk/", "https://d.gb/", "https://e.com/"];
        let bytes: Vec<u8> = urls.iter().flat_map(|url| page_record(url, "<title>A page</title>")).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("domains.warc");
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions { campaign: CampaignChoice::Of(CampaignId::new(1)), ..ImportOptions::default() };
        session.import(&[path], options, &JobCx::detached()).unwrap();
    });
    window.press_with(Modifiers::COMMAND, Key::Num6);
    window.click("Map");
    window.click("Top-level domain");
    let domains = facet(&window, FacetKind::TopLevel);
    let count_of = |value: &str| domains.iter().find(|(domain, _)| domain == value).map_or(0, |(_, count)| *count);
    assert_eq!((count_of("uk"), count_of("gb"), count_of("pt"), count_of("com")), (2, 1, 1, 1));
    assert!(window.can_click(&mark("Portugal", 1)), "{:?}", window.texts());
    assert_eq!(window.texts().iter().filter(|text| text.starts_with("Map: ")).count(), 2);
    window.assert_shows("Not on the map, only in the table: example, com");
    window.click(&mark("United Kingdom", 3));
    let of = |value: &str| (FacetKind::TopLevel, value.to_owned());
    assert_eq!(narrowed_to(&window), [of("uk"), of("gb")]);
    window.pass(1.0);
    // The table narrows to one value beside them.
    window.click("com");
    assert_eq!(narrowed_to(&window), [of("uk"), of("gb"), of("com")]);
}
