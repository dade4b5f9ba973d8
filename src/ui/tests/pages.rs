//! Pages of the window: texts shown, commands sent, empty states.

use super::TOWN;
use super::Window;
use crate::app::models::{
    AnchorRow, CampaignChoice, CaptureQuery, CitedBy, EventKind, EventQuery, HostColumn, ImportOptions, LaunchId,
    LaunchState, Launches, ProspectQuery, ProspectSiteQuery, ReviewMark, SeenQuery, SelectionSpec,
};
use crate::app::{Command, Focus, JobKind, PanelTab, Route};
use crate::jobs::JobCx;
use crate::ui::text;
use crate::uri::CaptureDate;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

fn go(window: &mut Window, key: Key) {
    window.press_with(Modifiers::COMMAND, key);
}

#[test]
fn the_first_page_offers_three_ways_that_work_offline() {
    let mut window = Window::bare();
    for text in ["Try the sample", "Open a workspace…", "New campaign…"] {
        window.assert_shows(text);
    }
    let offered = window.root().join("fonds");
    window.assert_shows(&format!("A new workspace is made in {}", offered.display()));
    window.click("Try the sample");
    window.until("the sample is open", |window| window.shows("Vila Nova da Ria, the festival and the shipyard"));
    assert_eq!(window.route(), Route::Overview);
    assert_eq!(window.folder(), offered.with_file_name("fonds-sample"));
}

#[test]
fn every_number_of_a_campaign_leads_to_its_rows() {
    let mut window = Window::town();
    window.assert_shows("A town on a lagoon");
    let row = window.session().catalogue().campaigns().unwrap().into_iter().find(|row| row.id == TOWN).unwrap();
    window.click(&format!("{} refused", row.counted.unwrap().refused));
    assert_eq!(window.route(), Route::Crawl);
    window.until("the refused of all launches are shown", |window| {
        window.shows(&format!("{} URLs", row.counted.unwrap().refused))
    });
    window.assert_shows("All 2 launches");
    window.assert_shows("http://praias.example/");
    window.press_with(Modifiers::ALT, Key::Home);
    window.click(&row.counted.unwrap().to_review.to_string());
    assert_eq!(window.route(), Route::Review { filter: String::new() });
    window.press_with(Modifiers::ALT, Key::Home);
    window.click("Elections");
    let other = window.app().campaign().unwrap();
    assert_eq!(window.session().catalogue().campaign_page(other).unwrap().campaign.name, "Elections");
}

#[test]
fn all_links_are_written_for_another_program() {
    let mut window = Window::town();
    go(&mut window, Key::Num7);
    window.click("Export all links");
    window.click("Write links");
    window.until_done(JobKind::WriteLinks);
    let folder = window.folder().join("exports/links");
    let written = |ending: &str| {
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        names.filter(|path| path.to_string_lossy().ends_with(ending)).count()
    };
    assert_eq!((written(".gexf"), written(".csv")), (1, 0));
    window.click("Export all links as");
    window.click("Hosts with their PageRank, CSV");
    window.click("Write links");
    window.until_done(JobKind::WriteLinks);
    assert_eq!((written(".gexf"), written(".csv")), (1, 1));
}

#[test]
fn empty_pages_name_the_next_step() {
    let mut window = Window::empty();
    window.assert_shows("No campaign yet");
    let text = format!("Data in {}; ", window.folder().display());
    window.assert_shows(&text);
    let place = window.texts().into_iter().find(|shown| shown.starts_with(&text)).unwrap();
    assert!(place.ends_with("B free"), "{place}");
    for (key, text) in [
        (Key::Num4, "No crawl has run yet"),
        (Key::Num5, "No captures yet"),
        (Key::Num3, "Inlinks not built"),
        (Key::Num7, "No anchors yet"),
        (Key::Num8, "Nothing to review"),
        (Key::Num9, "No campaign selected"),
    ] {
        go(&mut window, key);
        window.assert_shows(text);
    }
    let mut window = Window::bare();
    go(&mut window, Key::Num5);
    window.assert_shows("No workspace open");
}

#[test]
fn a_new_campaign_is_written_and_saved() {
    let mut window = Window::empty();
    window.click("New campaign…");
    assert_eq!(window.route(), Route::Spec(None));
    window.assert_shows("before a crawl can start");
    window.type_into("Name", "Cheias");
    window.click("Seeds 0");
    window.type_into("Seeds to add, one per line", "https://www.vilanova.example/\nnot a url\nhttps://museum.example/");
    window.click("Add these seeds");
    window.assert_shows("✔ 2 seeds added, ✖ 1 not an http or https URL, left above");
    window.click("Politeness");
    window.assert_shows("Required: who crawls");
    window.type_into("User-Agent", "Fonds (archive@example.org)");
    window.until("that is enough", |window| !window.shows("Required: who crawls") && !window.shows("No contact"));
    window.assert_shows("unsaved edits");
    window.click("Save");
    window.until("the draft is saved", |window| !window.app().open.spec.as_ref().unwrap().is_edited());
    let saved = window.session().catalogue().campaign_page(window.app().campaign().unwrap()).unwrap();
    assert_eq!((saved.version, saved.campaign.name.as_str(), saved.campaign.seeds.len()), (1, "Cheias", 2));
}

#[test]
fn the_request_is_edited_as_text_and_as_rows() {
    let mut window = Window::town();
    go(&mut window, Key::Num2);
    window.click("Request");
    window.assert_shows("one of these");
    window.click_radio("Text");
    window.type_into("Request as text", " AND museum");
    let request = window.app().open.spec.as_ref().unwrap().campaign.request.to_string();
    assert!(request.contains("museum"), "{request}");
    window.type_into("Request as text", " AND (");
    window.assert_shows("✖ ");
    window.assert_shows("Rows show the last valid request");
    window.click("Discard changes");
    assert!(!window.app().open.spec.as_ref().unwrap().is_edited());
    window.click_radio("Rows");
    let terms = |window: &Window| window.harness.query_all_by_label("Remove this row").count();
    let before = terms(&window);
    window.harness.query_all_by_label("Remove this row").next().unwrap().click();
    window.until("a row is gone", |window| terms(window) == before - 1);
    assert!(window.app().open.spec.as_ref().unwrap().is_edited());
}

/// The left edges of all fields with this name.
fn edges(window: &Window, label: &str) -> Vec<i32> {
    window.harness.query_all_by_label(label).map(|node| node.rect().left().round() as i32).collect()
}

#[test]
fn the_fields_of_a_request_begin_at_one_edge_however_deep_their_group_lies() {
    let mut window = Window::town();
    window.harness.set_size(egui::vec2(1280.0, 800.0));
    go(&mut window, Key::Num2);
    window.click("Request");
    let mut terms = edges(&window, "Term");
    assert!(terms.len() > 5, "{terms:?}");
    terms.dedup();
    assert_eq!(terms.len(), 1, "{terms:?}");
}

#[test]
fn rules_are_moved_switched_added_and_tested() {
    let mut window = Window::town();
    go(&mut window, Key::Num2);
    window.click("Scope rules 10");
    let name = |window: &Window, index: usize| {
        window.app().open.spec.as_ref().unwrap().campaign.rules[index]["rule"].as_str().unwrap().to_owned()
    };
    let (first, second) = (name(&window, 6), name(&window, 7));
    window.click("#: 7");
    window.assert_shows("Number of path segments");
    window.click("⏶ Move up");
    assert_eq!((name(&window, 6), name(&window, 7)), (second.clone(), first.clone()));
    window.press_with(Modifiers::ALT, Key::ArrowDown);
    assert_eq!((name(&window, 6), name(&window, 7)), (first, second));
    window.click("Rule 7 is on");
    assert_eq!(window.app().open.spec.as_ref().unwrap().campaign.rules[7]["enabled"], false);
    window.click("Add a rule");
    window.click("Address");
    window.click("Reject long queries");
    assert_eq!(window.app().open.spec.as_ref().unwrap().campaign.rules.len(), 11);
    window.click("Rule tester");
    window.type_into("URLs to test", "http://harborblog.example/a");
    window.until("the tester answers", |window| window.shows("✔ In scope by rule 3: seed scope"));
    window.assert_shows("decides");
}

#[test]
fn captures_are_filtered_chosen_and_marked() {
    let mut window = Window::town();
    go(&mut window, Key::Num5);
    let rows = window.captures("");
    let all = format!("{} rows", rows.len());
    window.assert_shows(&format!("{all}, none selected"));
    let failed = rows.iter().filter(|row| row.status >= 400).count();
    let view = format!("Failed {failed}");
    assert!(window.texts_of_menu("View").contains(&view), "{view}");
    let at = rows.iter().position(|row| !row.title.is_empty() && row.mark.is_none()).unwrap();
    window.click(&rows[at].title);
    assert_eq!(window.app().focus(), Some(Focus::Capture(rows[at].id)));
    let detail = window.session().detail(rows[at].id, 90).unwrap().details;
    let (_, digest) = detail.iter().find(|(name, _)| name == "Payload digest").unwrap();
    window.assert_shows(digest);
    window.press(Key::ArrowDown);
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    let chosen = [rows[at + 1].id, rows[at + 2].id];
    assert_eq!(*window.app().selected(), chosen.to_vec().into());
    window.press(Key::D);
    let marks =
        |window: &Window| chosen.map(|id| window.captures("").into_iter().find(|row| row.id == id).unwrap().mark);
    window.until("they are marked", |window| marks(window) == [Some(ReviewMark::Reject); 2]);
    window.until("the mark is shown", |window| window.shows("✖ Rejected"));
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("it is undone", |window| marks(window) == [rows[at + 1].mark, rows[at + 2].mark]);

    window.press(Key::Slash);
    window.harness.event(egui::Event::Text("re:(".to_owned()));
    window.until("the problem is shown", |window| window.shows("⚠ ") && window.shows("re:("));
    window.press(Key::Escape);
    window.until("the filter is gone", |window| window.shows(&all));
    window.click("Fields of the filter");
    window.assert_shows("Hosts that link to it");
    window.scroll_to("host:gov.pt");
    window.click("host:gov.pt");
    window.until("the example is the filter", |window| {
        window.route() == Route::Captures { filter: "host:gov.pt".to_owned() }
    });
    window.click("Clear filter");
    window.until("all rows are back", |window| window.shows(&all));
    window.app_mut().send(Command::Go(Route::Captures { filter: "evil.example".to_owned() }));
    // A title that would turn the reading order and move a terminal is written out.
    window.assert_shows("Invoice <U+202E>gpj.exe <U+001B>[31mend");
    window.choose("View", "Images 0");
    window.until("nothing matches", |window| window.shows("No rows match"));
    window.click("Clear");
    window.until("rows are back", |window| window.shows(&all));
    for _ in 0..2 {
        window.click_secondary("Page");
        window.click("Sort by URL");
    }
    let last = rows.iter().map(|row| &row.url).max().unwrap();
    window.until("the last comes first", |window| window.shows(last));
}

#[test]
fn the_lower_panel_explains_the_row() {
    let mut window = Window::town();
    go(&mut window, Key::Num5);
    window.app_mut().send(Command::Go(Route::Captures { filter: "host:estaleiro-gaivota.example".to_owned() }));
    window.assert_shows("http://estaleiro-gaivota.example/mestre.html");
    let row = window.captures("").into_iter().find(|row| row.url == "http://estaleiro-gaivota.example/").unwrap();
    window.click(&row.title);
    let session = window.session();
    let links = session.workspace.inlinks_of_capture(row.id, 90).unwrap();
    for (tab, text) in [
        ("Details", "✔ Fetched (HTTP 200)."),
        ("Decision", "✔ In scope by rule 2: country of the server"),
        ("Inlinks", "http://estaleiro-gaivota.example/barcos/"),
        ("Inlinks", "header"),
        ("Outlinks", "http://estaleiro-gaivota.example/historia.html"),
        ("Anchors", "✔ term"),
        ("Text", "Estaleiro"),
        ("Versions", "Captured (UTC)"),
        ("Headers", "GET / HTTP/1.1"),
        ("Notes", "No notes or decisions yet"),
    ] {
        window.click(tab);
        window.until(tab, |window| window.shows(text));
    }
    // Numbers of anchors lead to the links that they count, of both sides.
    let anchors = session.anchors(row.id, 90).unwrap();
    let is_alone =
        |of: &&AnchorRow| anchors.iter().filter(|row| [row.links, row.hosts].contains(&of.links)).count() == 1;
    let anchor = anchors.iter().filter(|row| row.links > row.hosts).find(is_alone).unwrap();
    let other = links.rows.iter().find(|link| link.in_window && link.anchor != anchor.text).unwrap();
    window.click("Inlinks");
    window.click("internal only");
    window.click("Anchors");
    window.assert_shows("✔ term");
    window.click(&anchor.links.to_string());
    assert_eq!(window.app().settings.panel_tab, PanelTab::Inlinks);
    let narrowed = format!("in the window, “{}” ✖", anchor.text);
    window.assert_shows(&narrowed);
    assert!(!window.shows(&other.anchor) && !window.shows("– outside"));
    window.click(&narrowed);
    window.until("all links are back", |window| !window.shows(&narrowed));
    window.click("Notes");
    window.type_into("Note", "cited by the paper");
    window.click("Add note");
    window.until("the note is shown", |window| window.shows("cited by the paper"));
    let notes = session.detail(row.id, 90).unwrap().notes;
    assert!(notes.iter().any(|note| (note.mark, note.note.as_str()) == (ReviewMark::Note, "cited by the paper")));
    // The tab is kept from row to row.
    window.press(Key::ArrowDown);
    assert_eq!(window.app().settings.panel_tab, PanelTab::Notes);
    window.assert_shows("No notes or decisions yet");
    window.press(Key::W);
    assert_eq!(window.app().settings.panel_tab, PanelTab::Decision);
    window.assert_shows("✔ In scope by rule");
    window.press(Key::F7);
    assert!(!window.shows("✔ In scope by rule"));
}

#[test]
fn refused_urls_explain_themselves() {
    let mut window = Window::town_as(|session| {
        let launch = session.catalogue().begin_launch(TOWN, "halted", CaptureDate::now()).unwrap().id;
        session.catalogue().set_launch_state(launch, LaunchState::Stopped, "").unwrap();
    });
    let session = window.session();
    go(&mut window, Key::Num4);
    window.until("the launch is shown", |window| window.shows("Stopped, can be resumed"));
    window.click_more("End this launch");
    window.until("it is ended", |window| !window.shows("Stopped, can be resumed"));
    let state = session.crawl(Some(TOWN), Launches::Last).unwrap().launch.unwrap().state;
    assert_eq!(state, LaunchState::Finished);
    window.assert_shows("ran ");
    window.click("Launch");
    window.click("All 3 launches");
    let all = session.crawl(Some(TOWN), Launches::All).unwrap();
    let figure = format!("{} refused", all.launch.unwrap().refused);
    window.until("all launches are shown", |window| window.shows(&figure));
    window.click(&figure);
    let rule = all.refused_by_rule.iter().find(|(rule, _)| rule == "TooManyHopsDecideRule").unwrap();
    window.click(&rule.1.to_string());
    window.until("the list is that of the rule", |window| window.shows("rule=TooManyHopsDecideRule"));
    let filter = "rule=TooManyHopsDecideRule".to_owned();
    let by_hops = SeenQuery {
        campaign: Some(TOWN),
        launches: Launches::All,
        filter,
        limit: 10,
        ..SeenQuery::of_launch(LaunchId::new(0), "refused")
    };
    let row = session.catalogue().seen(&by_hops).unwrap().rows.remove(0);
    window.assert_shows(&row.url);
    window.click(&row.url);
    assert_eq!(window.app().focus(), Some(Focus::Seen(row.id)));
    window.until("the trace is shown", |window| window.shows("✖ Refused by rule 4: number of hops."));
    window.assert_shows("rejects more than 8 hops from the seed");
}

#[test]
fn refused_urls_are_selected_and_exported_by_keys() {
    let mut window = Window::town();
    let launch = window.session().crawl(Some(TOWN), Launches::Last).unwrap().launch.unwrap();
    go(&mut window, Key::Num4);
    window.click(&format!("{} refused", launch.refused));
    window.assert_shows("http://praias.example/");
    window.press(Key::ArrowDown);
    assert!(matches!(window.app().focus(), Some(Focus::Seen(_))), "the row explains itself");
    window.press_with(Modifiers::SHIFT, Key::ArrowDown);
    window.press_with(Modifiers::COMMAND, Key::E);
    window.assert_shows(&format!("{} rows, sorted and filtered as shown, 6 columns", launch.refused));
    window.click("JSON lines");
    window.click("Export table");
    window.until_done(JobKind::WriteTable);
    let mut written = std::fs::read_dir(window.folder().join("exports/tables")).unwrap();
    let path = written.next().unwrap().unwrap().path();
    assert!(path.file_name().unwrap().to_string_lossy().starts_with("crawl-urls"), "{path:?}");
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().count() as u64, launch.refused);
    assert!(text.lines().all(|line| line.starts_with("{\"url\":\"http")), "{text}");
}

#[test]
fn prospects_become_seeds() {
    let mut window = Window::town();
    go(&mut window, Key::Num3);
    // By site first, with what its pages are cited as; its number leads to them.
    let of_sites =
        ProspectSiteQuery { campaign: Some(TOWN), filter: String::new(), sort: Vec::new(), offset: 0, limit: 99 };
    let sites = window.session().prospect_sites(&of_sites).unwrap();
    let cited = window.session().prospects(&ProspectQuery::new(Some(TOWN), "", 0, 1000)).unwrap();
    assert_eq!((sites.pages, sites.rows.iter().map(|site| site.pages).sum::<u64>()), (cited.total, cited.total));
    assert_eq!(sites.rows[0].best.hosts, cited.rows[0].hosts);
    let site = &sites.rows[0];
    window.assert_shows(&format!("{}, {}", text::counted(sites.total, "site"), text::counted(cited.total, "page")));
    window.assert_shows(&site.host);
    window.assert_shows(&site.anchors[0]);
    window.click(&site.host);
    window.click("Add as seed");
    let seed = format!("http://{}/", site.host);
    assert_eq!(window.app().open.spec.as_ref().unwrap().campaign.seeds.last().unwrap().url, seed);
    window.click_number(&format!("Pages: {}", site.pages));
    window.assert_shows(&format!("host={}", site.host));
    window.assert_shows(&text::counted(site.pages, "page"));
    window.click("Clear");
    let (first, last) = (&cited.rows[0].url, &cited.rows.last().unwrap().url);
    window.assert_shows(first);
    window.assert_shows(&text::counted(cited.total, "page"));
    window.press(Key::End);
    window.until("the last rows are there", |window| window.shows(last));
    window.press(Key::Home);
    window.until("the first rows are back", |window| window.shows(first));
    window.click(first);
    window.click("Add as seed");
    assert_eq!(window.route(), Route::Prospect);
    let spec = window.app().open.spec.as_ref().unwrap();
    assert_eq!(&spec.campaign.seeds.last().unwrap().url, first);
    window.assert_shows("unsaved edits");
}

#[test]
fn links_of_any_page_are_found() {
    let mut window = Window::town();
    go(&mut window, Key::Num7);
    let anchors = window.session().top_anchors(100).unwrap();
    window.assert_shows(&anchors[0].text);
    let is_alone =
        |of: &&AnchorRow| anchors.iter().filter(|row| [row.links, row.hosts].contains(&of.links)).count() == 1;
    let anchor = anchors.iter().take(10).find(is_alone).unwrap();
    window.click(&anchor.links.to_string());
    assert_eq!(window.route(), Route::CitedPages(None, CitedBy::Anchor(anchor.text.clone())));
    window.assert_shows(&format!("Pages linked as “{}”", anchor.text));
    let by = CitedBy::Anchor(anchor.text.clone());
    let pages = crate::work::cited_pages(&window.session().workspace, None, &by, &JobCx::detached()).unwrap().unwrap();
    window.assert_shows(&pages.rows[0].target);
    window.click("Anchors");
    let page = "http://estaleiro-gaivota.example/";
    window.type_into("Inlinks of", page);
    window.click("Show inlinks");
    assert_eq!(window.route(), Route::Links { target: page.to_owned() });
    let first = window.session().inlinks_of(page, 90).unwrap().rows.remove(0);
    window.assert_shows(&first.source);
}

#[test]
fn hosts_are_put_in_order_and_their_numbers_lead_to_pages_and_inlinks() {
    let mut window = Window::town();
    let table = crate::work::link_hosts(&window.session().workspace, None, &JobCx::detached()).unwrap().unwrap();
    let host = table.by(HostColumn::Captures)[0].node.clone();
    go(&mut window, Key::Num7);
    window.click("Sites");
    window.assert_shows(&host.host);
    window.assert_shows("no page");
    window.assert_shows("not errors, redirects or PDF files");
    window.click("Captures");
    assert_eq!(window.route(), Route::LinkHosts(None));
    window.click_number(&format!("Captures: {}", host.captures));
    assert_eq!(window.route(), Route::Captures { filter: format!("fqdn:{} page:yes", host.host) });
    window.go_back();
    window.click_number(&format!("External: {}", text::count(host.inlinks)));
    let by = CitedBy::OfHost(host.host.clone());
    assert_eq!(window.route(), Route::CitedPages(None, by.clone()));
    let pages =
        crate::work::cited_pages(&window.session().workspace, None, &by, &JobCx::detached()).unwrap().unwrap().rows;
    window.assert_shows(&pages[0].target);
    let route = window.route();
    window.click_number(&format!("External: {}", pages[0].counts.external));
    assert!(matches!(&window.route(), Route::Links { target } if !target.is_empty()));
    window.assert_shows("of all dates");
    window.go_back();
    assert_eq!(window.route(), route);
    window.click_number(&format!("Captures: {}", pages[0].captures));
    assert!(matches!(&window.route(), Route::Captures { filter } if filter.ends_with(" page:yes")));
    let mut window = Window::empty();
    go(&mut window, Key::Num7);
    window.click("Sites");
    window.until("it says what to do", |window| window.shows("Inlinks are not built yet"));
}

#[test]
fn a_data_set_of_others_is_opened_and_queried() {
    let mut window = Window::town();
    let other = window.root().join("other-links");
    crate::testing::load_links(&window.folder().join("inlinks/loaded"));
    crate::testing::load_links(&other);
    go(&mut window, Key::Num7);
    window.choose("Links of", "its loaded data set");
    window.assert_shows("6 links");
    window.click("Cited pages");
    window.assert_shows("links stored in ");
    window.assert_shows("pt,fct,sub");
    window.click("Data set");
    window.choose("Links of", "another folder…");
    window.type_into("Link data set", &other.display().to_string());
    window.click("Open link data set");
    assert_eq!(window.route().link_folder(), Some(&other));
    window.type_into("Inlinks of", "https://www.fct.pt/");
    window.click("Show inlinks");
    window.assert_shows("Fundação");
    window.choose("Links of", "this workspace");
    assert_eq!(window.route(), Route::Links { target: String::new() });
    window.assert_shows("O Moliceiro");
    window.type_into("Link data set", &window.root().join("broken").display().to_string());
    window.click("Open link data set");
    window.until("it says why", |window| window.shows("no links are stored here"));
}

#[test]
fn review_is_done_with_keys() {
    let mut window = Window::town();
    go(&mut window, Key::Num8);
    window.until("the queue is there", |window| window.shows("captures to review"));
    let queue: Vec<_> = window.captures("review:yes").into_iter().map(|row| row.id).collect();
    window.press(Key::J);
    assert_eq!(window.app().focus(), Some(Focus::Capture(queue[1])));
    window.press(Key::K);
    window.click("6 soft 404");
    window.press(Key::D);
    let notes = |window: &Window, id| window.session().detail(id, 90).unwrap().notes;
    window.until("it is rejected", |window| {
        notes(window, queue[0]).iter().any(|note| (note.mark, note.note.as_str()) == (ReviewMark::Reject, "soft 404"))
    });
    window.until("the next one moves up", |window| window.app().focus() == Some(Focus::Capture(queue[1])));
    window.press(Key::A);
    let approved = |window: &Window| notes(window, queue[1]).iter().any(|note| note.mark == ReviewMark::Approve);
    window.until("it is approved", approved);
    window.until("the next one moves up", |window| window.app().focus() == Some(Focus::Capture(queue[2])));
    window.click("Undo last decision");
    window.until("it is to review again", |window| window.app().focus() == Some(Focus::Capture(queue[1])));
    assert_eq!(window.captures("").iter().find(|row| row.id == queue[1]).unwrap().mark, None);
}

#[test]
fn jobs_and_settings_are_shown() {
    let mut window = Window::town();
    window.click("Jobs");
    for job in window.session().job_history(10).unwrap() {
        window.assert_shows(&job.name);
        window.assert_shows(&job.outcome[..20]);
    }
    window.press_with(Modifiers::COMMAND, Key::Comma);
    window.click("Light");
    assert_eq!(window.app().settings.theme, crate::app::ThemeChoice::Light);
    window.click_radio("Comfortable");
    assert!(window.app().settings.roomy_rows);
}

#[test]
fn events_of_a_launch_lead_to_the_urls_they_are_about() {
    let mut window = Window::town();
    go(&mut window, Key::Num4);
    let launch = window.session().crawl(Some(TOWN), Launches::Last).unwrap().launch.unwrap().id;
    let query = EventQuery { launch, kind: None, each: false, offset: 0, limit: 100 };
    let events = window.session().catalogue().events(&query).unwrap();
    window.click("Events");
    window.assert_shows(&text::counted(events.total, "event"));
    window.assert_shows(&events.rows[0].event.text);
    let hosts = events.kinds.iter().find(|(kind, _)| *kind == EventKind::Host).unwrap().1;
    window.click(&format!("Host {hosts}"));
    window.assert_shows(&text::counted(hosts, "event"));
    let event = events.rows.iter().find(|row| row.event.kind == EventKind::Host && row.seen.is_some()).unwrap();
    window.click(&event.event.url);
    assert_eq!(window.app().focus(), event.seen.map(Focus::Seen));
    window.click(&event.event.host);
    window.until("its queue is shown", |window| !window.shows(&text::counted(hosts, "event")));
}

#[test]
fn captures_nearest_to_the_threshold_are_in_where_a_filter_finds_them() {
    let window = Window::town();
    let session = window.session();
    let filter = "host:cuaderno.example".to_owned();
    let query = CaptureQuery { campaign: Some(TOWN), filter: filter.clone(), ..crate::work::everything() };
    let found = session.capture_ids(&query, None).unwrap();
    let draft = SelectionSpec { campaign: TOWN, filter, ..SelectionSpec::default() };
    let (above, below) = session.selection(TOWN).unwrap().scores.nearest(&draft.weights, draft.threshold, 20);
    let rows = session.scored_under(&draft, &[above, below].concat()).unwrap();
    assert!(rows.iter().any(|row| row.selected) && rows.iter().any(|row| !row.selected));
    for row in rows {
        let manual = row.decision.and_then(ReviewMark::decides);
        assert_eq!(row.selected, manual.unwrap_or(found.contains(&row.id)), "{}, score {}", row.url, row.score);
    }
}

#[test]
fn kinds_of_sites_lead_to_their_captures_and_to_rules_of_the_draft() {
    let mut window = Window::town_as(|session| {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("wiki.warc");
        let html = "<meta name=generator content='MediaWiki 1.43.0'><title>Ria</title><p>About the lagoon of the town";
        let pages = ["http://wiki.example/Ria", "http://wiki.example/index.php?title=Ria&action=edit"];
        std::fs::write(&archive, pages.map(|url| crate::testing::page_record(url, html)).concat()).unwrap();
        let options = ImportOptions { campaign: CampaignChoice::Of(TOWN), copy: true, ..ImportOptions::default() };
        session.import(&[archive], options, &JobCx::detached()).unwrap();
        session.index_texts(false, &JobCx::detached()).unwrap();
    });
    window.app_mut().send(Command::Go(Route::Prospect));
    window.click("Kinds of sites");
    window.until("the wiki is recognised", |window| window.shows("wiki.example"));
    window.assert_shows("generator MediaWiki");
    window.click("wiki.example");
    window.click("Add exclusions…");
    window.until("the rules are in the draft", |window| window.app().is_spec_edited());
    let (_, saved) = window.session().catalogue().campaign(TOWN).unwrap();
    assert!(!saved.rules.iter().any(|rule| rule.to_string().contains("action=")), "nothing is saved");
}
