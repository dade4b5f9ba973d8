//! Each page: words shown, commands sent, empty states.

use super::Window;
use crate::app::models::{CitedBy, ReviewMark};
use crate::app::{Command, Focus, PanelTab, Route};
use egui::{Key, Modifiers};

fn go(window: &mut Window, key: Key) {
    window.press_with(Modifiers::COMMAND, key);
}

#[test]
fn the_first_page_offers_three_ways_that_work_offline() {
    let mut window = Window::bare();
    for words in ["New campaign", "Open WARC, WACZ or workspace…", "Open the sample campaign"] {
        window.check_says(words);
    }
    window.check_says("A new campaign is kept in /home/archivist/fonds");
    window.click("Open the sample campaign");
    window.check_told("sample /home/archivist/fonds-sample");
    window.until("the sample is open", |window| window.says("Vila Nova, cheias e ponte"));
}

#[test]
fn every_number_of_a_campaign_leads_to_its_rows() {
    let mut window = Window::full();
    window.check_says("What the town and its papers wrote");
    window.click("2\u{a0}040 refused");
    assert_eq!(window.app().route, Route::Crawl);
    window.until("the refused of all launches are shown", |window| window.says("120 URLs"));
    window.check_says("All 2 launches");
    window.check_says("https://calendar.example/month/7");
    go(&mut window, Key::Num1);
    window.click("1\u{a0}071");
    assert_eq!(window.app().route, Route::Review);
    go(&mut window, Key::Num1);
    window.click("Eleições 2025");
    assert_eq!(window.app().campaign, Some(2));
}

#[test]
fn all_links_are_written_for_another_program() {
    let mut window = Window::full();
    go(&mut window, Key::Num6);
    window.click("Write links");
    window.check_told("write Gexf to /home/archivist/fonds/exports/links");
    window.click("Export all links as");
    window.click("Hosts with their PageRank, CSV");
    window.click("Write links");
    window.check_told("write CsvHosts to /home/archivist/fonds/exports/links");
}

#[test]
fn empty_pages_say_what_to_do_next() {
    let mut window = Window::empty();
    window.check_says("No campaign yet");
    window.check_says("Data in /home/archivist/fonds; 52 GB free");
    for (key, words) in [
        (Key::Num3, "No crawl has run yet"),
        (Key::Num4, "No captures yet"),
        (Key::Num5, "No uncaptured pages are cited"),
        (Key::Num6, "No anchors yet"),
        (Key::Num7, "Nothing to review"),
        (Key::Num8, "No campaign selected"),
    ] {
        go(&mut window, key);
        window.check_says(words);
    }
    let mut window = Window::bare();
    go(&mut window, Key::Num4);
    window.check_says("No workspace open");
}

#[test]
fn a_new_campaign_is_written_and_saved() {
    let mut window = Window::empty();
    window.click("New campaign");
    assert_eq!(window.app().route, Route::Spec(None));
    window.check_says("before a crawl can start");
    window.type_into("Name", "Cheias");
    window.click("Seeds 0");
    window.type_into("Seeds to add, one per line", "https://www.vilanova.example/\nnot a url\nhttps://museum.example/");
    window.click("Add these seeds");
    window.check_says("✔ 2 seeds added, ✖ 1 not an http or https URL, left above");
    window.click("Politeness");
    window.check_says("✖ Required: who crawls");
    window.type_into("User-Agent, sent to every server", "Fonds (archive@example.org)");
    window.check_says("✔ Contains contact information");
    window.check_says("unsaved edits");
    window.click("Save as new version");
    window.check_told("save None Cheias with 2 seeds");
    window.until("the draft is saved", |window| !window.app().spec.as_ref().unwrap().is_edited());
    assert_eq!(window.app().campaign, Some(3));
}

#[test]
fn the_request_is_edited_as_text_and_as_rows() {
    let mut window = Window::full();
    go(&mut window, Key::Num2);
    window.click("Request");
    window.check_says("all of these (AND)");
    window.type_into("Request as text", " AND museum");
    let request = window.app().spec.as_ref().unwrap().campaign.request.to_string();
    assert!(request.contains("museum"), "{request}");
    window.type_into("Request as text", " AND (");
    window.check_says("✖ ");
    window.check_says("show the last valid request");
    window.click("Discard changes");
    assert!(!window.app().spec.as_ref().unwrap().is_edited());
    // The last one is that of the inner group.
    window.click("all of these (AND)");
    assert!(window.app().spec.as_ref().unwrap().is_edited());
}

#[test]
fn rules_are_moved_switched_added_and_tested() {
    let mut window = Window::full();
    go(&mut window, Key::Num2);
    window.click("Scope rules 11");
    let name = |window: &Window, index: usize| {
        window.app().spec.as_ref().unwrap().campaign.rules[index]["rule"].as_str().unwrap().to_owned()
    };
    let (first, second) = (name(&window, 0), name(&window, 1));
    window.click("1");
    window.check_says("Arguments of “seed scope”");
    window.click("⏶ Move up");
    assert_eq!((name(&window, 0), name(&window, 1)), (second.clone(), first.clone()));
    window.press_with(Modifiers::ALT, Key::ArrowDown);
    assert_eq!((name(&window, 0), name(&window, 1)), (first, second));
    window.click("Rule 0 is on");
    assert_eq!(window.app().spec.as_ref().unwrap().campaign.rules[0]["enabled"], false);
    window.click("Add a rule");
    window.click("Address");
    window.click("Reject long queries");
    assert_eq!(window.app().spec.as_ref().unwrap().campaign.rules.len(), 12);
    window.type_into("URLs to test", "https://www.vilanova.example/a");
    window.until("the tester answers", |window| window.says("✔ In scope by rule 1: seed scope"));
    window.check_says("decides");
}

#[test]
fn captures_are_filtered_chosen_and_marked() {
    let mut window = Window::full();
    go(&mut window, Key::Num4);
    window.until("rows are there", |window| window.says("1\u{a0}250 rows, none selected"));
    window.check_says("Failed 208");
    window.check_says("Invoice <U+202E>gpj.exe <U+0000><U+001B>[31m<U+200B>end");
    window.click("Catálogo da biblioteca");
    assert_eq!(window.app().focus, Some(Focus::Capture(3)));
    window.check_says("sha1:VHLOWG5PNG6UCPRWUU5K4W2CGA7KRMSZ");
    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(window.app().selected, vec![4, 5].into());
    window.press(Key::D);
    window.check_told("mark [4, 5] Reject");
    window.until("the mark is shown", |window| window.says("✖ Rejected"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.check_told("undo");

    window.press(Key::Slash);
    window.harness.event(egui::Event::Text("re:(".to_owned()));
    window.until("the problem is shown", |window| window.says("has an open bracket"));
    window.press(Key::Escape);
    window.until("the filter is gone", |window| window.says("1\u{a0}250 rows"));
    window.click("?");
    window.check_says("Hosts that link to it");
    window.click("host:gov.pt");
    window.until("the example is the filter", |window| {
        window.app().route == Route::Captures { filter: "host:gov.pt".to_owned() }
    });
    window.click("Clear filter");
    window.until("all rows are back", |window| window.says("1\u{a0}250 rows"));
    window.click("Geolocation only 0");
    window.until("nothing matches", |window| window.says("No rows match"));
    window.click("Clear");
    window.until("rows are back", |window| window.says("1\u{a0}250 rows"));
    window.sort_by("URL");
    window.sort_by("URL");
    window.until("the last comes first", |window| window.says("styles/site.css?page=99"));
}

#[test]
fn the_lower_panel_explains_the_row() {
    let mut window = Window::full();
    go(&mut window, Key::Num4);
    window.until("rows are there", |window| window.says("Catálogo da biblioteca"));
    window.click("Catálogo da biblioteca");
    for (tab, words) in [
        ("Details", "✔ Fetched (HTTP 200)."),
        ("Decision", "✔ In scope by rule 1: SURT prefix"),
        ("Inlinks", "12 more omitted by the limit"),
        ("Inlinks", "ugc nofollow"),
        ("Inlinks", "footer"),
        ("Outlinks", "✖ Refused by rule 3: number of hops"),
        ("Anchors", "✔ term"),
        ("Text", "Segundo a Câmara"),
        ("Versions", "Captured (UTC)"),
        ("Headers", "GET /obras/ponte-nova HTTP/1.1"),
        ("Notes", "No notes or decisions yet"),
    ] {
        window.click(tab);
        window.until(tab, |window| window.says(words));
    }
    // Numbers of anchors lead to the links that they count, of both sides.
    window.click("Inlinks");
    window.click("internal only");
    window.click("Anchors");
    window.until("anchors are there", |window| window.says("✔ term"));
    window.click("400");
    assert_eq!(window.app().settings.panel_tab, PanelTab::Inlinks);
    window.check_says("in the window, “a ponte nova” ✖");
    assert!(!window.says("leia mais") && !window.says("– outside"));
    window.check_says("blog4.example");
    window.click("in the window, “a ponte nova” ✖");
    window.until("all links are back", |window| window.says("leia mais"));
    window.click("Notes");
    window.type_into("Note", "cited by the paper");
    window.click("Add note");
    window.check_told("mark [3] Note cited by the paper");
    window.until("the note is shown", |window| window.says("cited by the paper"));
    // The tab is kept from row to row.
    window.click("A ponte nova abre em março");
    assert_eq!(window.app().settings.panel_tab, PanelTab::Notes);
    window.check_says("No notes or decisions yet");
    window.press(Key::W);
    assert_eq!(window.app().settings.panel_tab, PanelTab::Decision);
    window.press(Key::F7);
    assert!(!window.says("In scope by rule 1"));
}

#[test]
fn refused_urls_explain_themselves() {
    let mut window = Window::full();
    go(&mut window, Key::Num3);
    window.until("the launch is shown", |window| window.says("Stopped, can be resumed"));
    window.check_says("Discovered 955, finished 952, waiting 3; after 59 s");
    window.click("2\u{a0}040 refused");
    window.check_says("https://calendar.example/month/7");
    window.click("https://calendar.example/month/7");
    assert_eq!(window.app().focus, Some(Focus::Seen(8)));
    window.until("the trace is shown", |window| window.says("✖ Refused by rule 3: number of hops."));
    window.check_says("a limit of 24 hops or more");
    window.click("End this launch");
    window.check_told("end launch 1");
    window.click("1\u{a0}800");
    window.until("the list is that of the rule", |window| window.says("rule=TooManyHopsDecideRule"));
    window.check_says("ran 1 h 10 min");
    window.click("Launch");
    window.click("All 2 launches");
    window.until("all launches are shown", |window| window.says("All 2 launches"));
}

#[test]
fn refused_urls_are_selected_and_exported_by_keys() {
    let mut window = Window::full();
    go(&mut window, Key::Num3);
    window.until("the figures are there", |window| window.says("2\u{a0}040"));
    window.click("2\u{a0}040 refused");
    window.until("rows are there", |window| window.says("https://calendar.example/month/1"));
    window.press(Key::ArrowDown);
    assert!(matches!(window.app().focus, Some(Focus::Seen(_))), "the row explains itself");
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.press_with(Modifiers::COMMAND, Key::E);
    window.check_says("120 rows, sorted and filtered as shown, 6 columns");
    window.click("JSON lines");
    window.click("Export table");
    window.check_told("write 120 rows of crawl-urls to /home/archivist/fonds/exports/tables");
    window.check_told("{\"url\":\"https://calendar.example/month/");
}

#[test]
fn prospects_become_seeds() {
    let mut window = Window::full();
    go(&mut window, Key::Num5);
    window.until("rows are there", |window| window.says("https://cited0.example/report"));
    window.check_says("4\u{a0}040 pages");
    window.press(Key::End);
    window.until("the last rows are there", |window| window.says("https://cited4039.example/report"));
    window.press(Key::Home);
    window.until("the first rows are back", |window| window.says("https://cited0.example/report"));
    window.click("https://cited0.example/report");
    window.click("Add as seed");
    assert_eq!(window.app().route, Route::Spec(Some(1)));
    let spec = window.app().spec.as_ref().unwrap();
    assert_eq!(spec.campaign.seeds.last().unwrap().url, "https://cited0.example/report");
    window.check_says("unsaved edits");
}

#[test]
fn links_of_any_page_are_found() {
    let mut window = Window::full();
    go(&mut window, Key::Num6);
    window.until("anchors are there", |window| window.says("日本語の案内"));
    window.click("397");
    assert_eq!(window.app().route, Route::CitedPages(None, CitedBy::Words("mais".to_owned())));
    window.until("pages are there", |window| window.says("http://words.example/page-0"));
    window.check_says("Pages linked as “mais”");
    window.click("← Links");
    window.type_into("Inlinks of", "https://cited0.example/report");
    window.click("Show inlinks");
    assert_eq!(window.app().route, Route::Links { target: "https://cited0.example/report".to_owned() });
    window.until("inlinks are there", |window| window.says("blog3.example"));
    window.check_says("evil <U+202E>txt");
}

#[test]
fn hosts_are_put_in_order_and_their_numbers_lead_to_pages_and_inlinks() {
    let mut window = Window::full();
    go(&mut window, Key::Num6);
    window.click("Hosts");
    window.until("hosts are there", |window| window.says("host-0.example"));
    window.check_says("first 9 by this column shown, 3 not shown");
    assert!(!window.says("host-11.example"));
    window.check_says("no page");
    window.check_says("not errors, redirects or PDF files");
    window.click("Captures");
    assert_eq!(window.app().route, Route::LinkHosts(None));
    window.check_says("host-11.example");
    window.click("11");
    assert_eq!(window.app().route, Route::Captures { filter: "fqdn:host-11.example page:yes".to_owned() });
    window.click("← Back");
    window.click("711");
    assert_eq!(window.app().route, Route::CitedPages(None, CitedBy::OfHost("host-11.example".to_owned())));
    window.until("pages are there", |window| window.says("http://host-11.example/page-0"));
    window.click("202");
    let filter = "key:http://host-11.example/page-2 page:yes".to_owned();
    assert_eq!(window.app().route, Route::Captures { filter });
    window.click("← Back");
    window.click("599");
    assert_eq!(window.app().route, Route::Links { target: "http://host-11.example/page-1".to_owned() });
    window.check_says("of all dates");
    let mut window = Window::empty();
    go(&mut window, Key::Num6);
    window.click("Hosts");
    window.until("it says what to do", |window| window.says("Inlinks are not built yet"));
}

#[test]
fn a_data_set_of_others_is_opened_and_asked() {
    let mut window = Window::full();
    go(&mut window, Key::Num6);
    window.click("its loaded data set");
    window.check_says("48\u{a0}201 links");
    window.click("Cited pages");
    window.until("pages are there", |window| window.says("http://all.example/page-0"));
    window.check_says("the 20 most cited are shown; 2\u{a0}480 are not");
    window.check_says("links stored in /home/archivist/fonds/inlinks/loaded");
    window.click("← Links");
    window.type_into("Link data set", "/media/other-links");
    window.click("Open link data set");
    assert_eq!(window.app().route.link_folder(), Some(&"/media/other-links".into()));
    window.type_into("Inlinks of", "http://a.example/");
    window.click("Show inlinks");
    window.check_told("inlinks of http://a.example/ in /media/other-links");
    window.check_says("blog3.example");
    window.click("this workspace");
    assert_eq!(window.app().route, Route::Links { target: String::new() });
    window.until("anchors are there", |window| window.says("日本語の案内"));
    window.type_into("Link data set", "/broken");
    window.click("Open link data set");
    window.until("it says why", |window| window.says("no links are stored here"));
}

#[test]
fn review_is_done_with_keys() {
    let mut window = Window::full();
    go(&mut window, Key::Num7);
    window.until("the queue is there", |window| window.says("captures to review"));
    window.press(Key::J);
    assert_eq!(window.app().focus, Some(Focus::Capture(3)));
    window.press(Key::K);
    window.click("3 soft 404");
    window.press(Key::D);
    window.check_told("mark [2] Reject soft 404");
    window.until("the next one moves up", |window| window.app().focus == Some(Focus::Capture(3)));
    window.press(Key::A);
    window.check_told("mark [3] Approve");
    window.click("Undo last decision");
    window.check_told("undo");
    assert!(matches!(window.app().asked.iter().rev().nth(1), Some(Command::Mark { mark: ReviewMark::Approve, .. })));
}

#[test]
fn a_selection_is_scored_exported_and_verified() {
    let mut window = Window::full();
    go(&mut window, Key::Num8);
    window.until("scores are there", |window| window.says("4 manual overrides"));
    window.press(Key::CloseBracket);
    window.check_says("Not scored with these settings yet");
    window.click("Score and select");
    window.check_told("select at 0.31");
    window.click("Export selection");
    window.check_told("export 1 to /home/archivist/fonds/exports/selection");
    window.until("the export ended", |window| window.app().jobs.is_empty());
    assert!(!window.told().iter().any(|said| said.contains("with a package")));
    window.click("Also write a WACZ package");
    window.click("Export selection");
    window.check_told("export 1 to /home/archivist/fonds/exports/selection with a package");
    window.until("the export ended", |window| window.app().jobs.is_empty());
    window.click("Verify last export");
    window.check_told("verify /home/archivist/fonds/exports/selection");
    window.until("the checks are shown", |window| window.says("1 of 2 checks failed"));
    window.check_says("✔ passed");
    window.check_says("entry 17 points to offset 812, where no record begins");
}

#[test]
fn every_number_of_a_selection_leads_to_its_rows() {
    let mut window = Window::full();
    go(&mut window, Key::Num8);
    window.until("the figures are there", |window| window.says("938"));
    for (figure, filter) in [("312", "selected:yes"), ("938", "selected:no")] {
        window.click(figure);
        assert_eq!(window.app().route, Route::Captures { filter: filter.to_owned() });
        window.click("← Back");
    }
    for (figure, filter) in [
        ("140 embedded resources included", "requisite:yes"),
        ("2 included by hand", "mark:approve"),
        ("4 excluded by hand", "mark:reject"),
        ("4 manual overrides", "byhand:yes"),
        ("452 captures to write", "export:yes"),
    ] {
        window.click(figure);
        assert_eq!(window.app().route, Route::Captures { filter: filter.to_owned() });
        window.click("← Back");
    }
    for (figure, selected, host, captures) in
        [("41", true, "host-2.example", "38"), ("27", false, "host-21.example", "19")]
    {
        window.click(figure);
        assert_eq!(window.app().route, Route::SelectedHosts(selected));
        window.until("the hosts are there", |window| window.says(host));
        window.click(captures);
        let side = if selected { "yes" } else { "no" };
        assert_eq!(window.app().route, Route::Captures { filter: format!("selected:{side} host={host}") });
        window.click("← Back");
        window.click("← Select & export");
        window.until("the figures are there", |window| window.says("938"));
    }
}

#[test]
fn jobs_and_settings_are_shown() {
    let mut window = Window::full();
    go(&mut window, Key::Num9);
    window.check_says("1250 captures");
    window.click("Light");
    assert_eq!(window.app().settings.theme, crate::app::ThemeChoice::Light);
    window.click("Comfortable rows in the captures table");
    assert!(window.app().settings.roomy_rows);
}

#[test]
fn events_of_a_launch_lead_to_the_urls_they_are_about() {
    let mut window = Window::full();
    go(&mut window, Key::Num3);
    window.click("Events");
    window.check_says("2 events");
    window.check_says("Stopped on request");
    window.click("Host 1");
    window.check_says("1 event");
    window.click("http://museum.example:8080/7");
    assert_eq!(window.app().focus, Some(Focus::Seen(2)));
    window.click("museum.example:8080");
    window.until("its queue is shown", |window| !window.says("1 event"));
}
