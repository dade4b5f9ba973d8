//! Time of the window's thread for a frame, while a person works on a
//! large workspace: the goal is 5 ms of update and layout, at a million captures.
//!
//! `cargo bench --bench window` makes 100,000 captures;
//! `FONDS_BENCH_CAPTURES=1000000` as many as the goal speaks of.
//! `FONDS_BENCH_FOLDER=DIR` keeps the workspace there for later runs of this
//! bench; `FONDS_BENCH_ONLY=pages` takes the journeys whose name holds that. The
//! table shows processor time of that thread, since a busy machine changes the
//! clock; what a frame takes to become triangles is a figure of its own, and the
//! graphics card is in none. Frames that draw letters for the first time in their
//! size are counted apart: each letter is drawn into a picture once, then copied.
//! Every page is visited twice for the same reason.

#![allow(clippy::unwrap_used)]

mod driver;
mod generated;
mod measured;
mod random;
mod scored;
mod sizes;

use driver::{Driver, Frame, figures};
use egui::{Key, Modifiers, pos2};
use fonds::app::{Focus, PanelTab, Route};
use fonds::campaign::{Campaign, Seed, SeedScope};
use fonds::jobs::JobCx;
use fonds::uri::CaptureDate;
use fonds::warc::{Digests, FileSetOptions, RecordBuilder, WarcFileSet};
use fonds::work::models::LaunchId;
use generated::{Texts, workspace_of};
use measured::ms;
use scored::score_all;
use sizes::number;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Milliseconds that a frame may take.
const GOAL_MS: f64 = 5.0;
/// Seeds of the campaign.
const SEEDS: u64 = 2_000;
/// Frames over the goal that are named.
const NAMED: usize = 20;

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers { alt: false, ctrl: true, shift: false, mac_cmd: false, command: true };
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };

/// Ctrl and these lead to the pages, in the order of the window; with Shift to Files.
const PAGES: [(&str, Key); 9] = [
    ("Spec", Key::Num2),
    ("Crawl", Key::Num4),
    ("Captures", Key::Num5),
    ("Prospect", Key::Num3),
    ("Links", Key::Num7),
    ("Review", Key::Num8),
    ("Select & export", Key::Num9),
    ("Overview", Key::Num1),
    ("Files", Key::I),
];

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let captures = if measure { number("FONDS_BENCH_CAPTURES").unwrap_or(100_000) } else { 600 };
    let made = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("FONDS_BENCH_FOLDER").filter(|_| measure);
    let folder = kept.map_or_else(|| made.path().join("w"), PathBuf::from);
    if !folder.exists() {
        make(&folder, captures);
    }
    // Whatever the person at the keyboard has set up is no part of it.
    let mut window = Driver::new(&folder, &made.path().join("fonds"));
    println!(
        "\n{:<34} {:>6} {:^26} {:^17} {:^20}",
        "", "", "update and layout, ms", "triangles, ms", "new letters, ms"
    );
    println!(
        "{:<34} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10}",
        "journey", "frames", "median", "99 %", "longest", "median", "longest", "frames", "longest"
    );
    let mut over = report("open the workspace", window.take_frames());
    let only = std::env::var("FONDS_BENCH_ONLY").unwrap_or_default();
    let chosen = journeys(if measure { 60 } else { 3 }).into_iter().filter(|(name, _)| name.contains(&only));
    for (name, journey) in chosen {
        journey(&mut window);
        over.extend(report(name, window.take_frames()));
    }
    over.sort_by_key(|frame| std::cmp::Reverse(frame.update));
    let (with_new, without): (Vec<&Frame>, Vec<&Frame>) = over.iter().partition(|frame| frame.new_letters);
    for (frames, what) in [(without, "frames"), (with_new, "frames with new letters")] {
        println!("\n{} {what} over {GOAL_MS} ms, the longest first", frames.len());
        for frame in frames.iter().take(NAMED) {
            println!("{:>8.1} ms  {}", ms(frame.update), frame.step);
        }
    }
}

/// Prints the figures of a journey; its frames over the goal, with new letters or without.
fn report(journey: &str, frames: Vec<Frame>) -> Vec<Frame> {
    let all_over = frames.iter().filter(|frame| ms(frame.update) > GOAL_MS).cloned().collect();
    let (with_new, frames): (Vec<Frame>, Vec<Frame>) = frames.into_iter().partition(|frame| frame.new_letters);
    let update = figures(frames.iter().map(|frame| frame.update).collect());
    let triangles = figures(frames.iter().map(|frame| frame.tessellation).collect());
    let letters = figures(with_new.iter().map(|frame| frame.update).collect());
    let over = frames.iter().filter(|frame| ms(frame.update) > GOAL_MS).count();
    let note = if over == 0 { String::new() } else { format!("  {over} over {GOAL_MS} ms") };
    println!(
        "{journey:<34} {:>6} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>9} {:>10.2}{note}",
        frames.len(),
        update[0],
        update[1],
        update[2],
        triangles[0],
        triangles[2],
        with_new.len(),
        letters[2]
    );
    all_over
}

type Journey = Box<dyn Fn(&mut Driver)>;

/// What a person does; everything that repeats does so `times`.
fn journeys(times: usize) -> Vec<(&'static str, Journey)> {
    vec![
        ("Captures: open", Box::new(|window| go(window, CTRL, Key::Num5, "open Captures"))),
        ("Captures: pointer over the rows", Box::new(move |window| point_over(window, times))),
        ("Captures: keys, page by page", Box::new(move |window| scroll_by_keys(window, times))),
        ("Captures: wheel", Box::new(move |window| scroll_by_wheel(window, times))),
        ("Captures: sort by a column", Box::new(sort)),
        ("Captures: filter, letter by letter", Box::new(|window| filter(window, "metade quase"))),
        ("Captures: select rows", Box::new(move |window| select(window, times))),
        ("Captures: thousands selected", Box::new(move |window| select_many(window, times))),
        ("Captures: facets beside the rows", Box::new(move |window| facets(window, times))),
        ("Lower panel: tabs by keyboard", Box::new(panel_tabs)),
        ("Lower panel: a page of 2 MB", Box::new(large_page)),
        ("Search: open", Box::new(|window| go(window, CTRL, Key::Num6, "open Search"))),
        ("Search: type, waiting for answers", Box::new(|window| search(window, "metade quase", true))),
        ("Search: type at once", Box::new(|window| search(window, "metade raten", false))),
        ("Search: results by the wheel", Box::new(move |window| scroll_by_wheel(window, times))),
        ("Search: map", Box::new(move |window| map(window, times))),
        ("Select & export: the threshold", Box::new(move |window| move_threshold(window, times))),
        ("all pages, the first time", Box::new(move |window| all_pages(window, times))),
        ("all pages, again", Box::new(move |window| all_pages(window, times))),
        ("the same while a screen reader listens", Box::new(move |window| read_out(window, times))),
    ]
}

fn go(window: &mut Driver, modifiers: Modifiers, key: Key, what: &str) {
    window.step(what);
    window.press(modifiers, key);
    window.settle();
}

fn point_over(window: &mut Driver, times: usize) {
    window.step("move the pointer");
    for at in 0..times * 4 {
        window.point(pos2(300.0 + (at % 50) as f32 * 20.0, 250.0 + (at % 40) as f32 * 10.0));
    }
    window.settle();
}

fn scroll_by_keys(window: &mut Driver, times: usize) {
    window.step("click a row");
    window.click("host");
    window.settle();
    assert!(matches!(window.app().focus(), Some(Focus::Capture(_))), "no row is at hand");
    for key in [Key::PageDown, Key::End, Key::PageUp, Key::Home, Key::ArrowDown] {
        window.step(&format!("press {}", key.name()));
        let ends = matches!(key, Key::End | Key::Home);
        for _ in 0..if ends { 1 } else { times } {
            window.press(NONE, key);
        }
        window.settle();
    }
}

fn scroll_by_wheel(window: &mut Driver, times: usize) {
    window.step("turn the wheel");
    window.point(pos2(700.0, 480.0));
    for lines in [-8.0, 5.0] {
        for _ in 0..times {
            window.roll_wheel(lines);
        }
        window.settle();
    }
}

fn sort(window: &mut Driver) {
    for head in ["Captured", "Captured", "Page", "Status", "Type", "Captured"] {
        window.step(&format!("sort by {head}"));
        window.click(head);
        window.settle();
    }
}

/// Types into the line of the page.
fn type_line(window: &mut Driver, text: &str, waits: bool) {
    window.step("go to the line");
    window.press(NONE, Key::Escape);
    window.press(NONE, Key::Escape);
    window.press(NONE, Key::Slash);
    window.settle();
    window.press(CTRL, Key::A);
    for letter in text.chars() {
        window.step(&format!("type {letter:?} of {text:?}"));
        window.type_letter(letter);
        if waits {
            window.settle();
        }
    }
    window.settle();
}

fn clear_line(window: &mut Driver) {
    window.press(NONE, Key::Slash);
    window.settle();
    window.press(CTRL, Key::A);
    window.press(NONE, Key::Delete);
    window.settle();
    window.press(NONE, Key::Escape);
    assert!(
        matches!(window.app().route(), Route::Captures { filter } if filter.is_empty()),
        "{:?}",
        window.app().route()
    );
}

fn filter(window: &mut Driver, text: &str) {
    type_line(window, text, true);
    assert!(matches!(window.app().route(), Route::Captures { filter } if filter == text), "{:?}", window.app().route());
    window.step("clear the filter");
    clear_line(window);
}

fn select(window: &mut Driver, times: usize) {
    window.step("click a row");
    window.click("host");
    window.settle();
    window.step("select with Shift and an arrow");
    for _ in 0..times {
        window.press(Modifiers::SHIFT, Key::ArrowDown);
    }
    window.settle();
    assert_eq!(window.app().selected().count(), times as u64 + 1);
    window.step("select all");
    window.press(CTRL, Key::A);
    window.settle();
    assert!(window.app().selected().count() >= 600, "{} are selected", window.app().selected().count());
    window.step("move on in the selection");
    for _ in 0..times {
        window.press(NONE, Key::ArrowDown);
    }
    window.settle();
}

fn select_many(window: &mut Driver, times: usize) {
    type_line(window, "pagina", true);
    window.step("select a range of many rows");
    window.click("host");
    window.settle();
    for _ in 0..times * 2 {
        window.press(Modifiers::SHIFT, Key::PageDown);
    }
    window.settle();
    let selected = window.app().selected().count();
    assert!(selected > 2, "{selected} are selected");
    window.step(&format!("move the pointer, {selected} selected"));
    for at in 0..times {
        window.point(pos2(400.0, 250.0 + (at % 40) as f32 * 10.0));
    }
    window.step(&format!("narrow the filter, {selected} selected"));
    type_line(window, "pagina status:404", false);
    assert!(window.app().selected().count() < selected);
    window.step("clear the filter");
    clear_line(window);
}

fn facets(window: &mut Driver, times: usize) {
    window.step("show facets");
    window.press(NONE, Key::F8);
    window.settle();
    assert!(window.app().settings.facets);
    point_over(window, 10);
    window.step("scroll the facets to the end of the first hosts");
    window.point(pos2(1500.0, 400.0));
    let more = |window: &Driver| window.place_of(|text| text.ends_with(" more"));
    for _ in 0..20 {
        if more(window).is_none() {
            window.roll_wheel(-3.0);
            window.settle();
        }
    }
    window.step("show all hosts of the facet");
    window.click_at(more(window).unwrap());
    window.settle();
    window.step("scroll all hosts of the facet");
    for _ in 0..times {
        window.roll_wheel(-30.0);
    }
    window.settle();
    window.step("hide facets");
    window.press(NONE, Key::F8);
    window.settle();
}

fn panel_tabs(window: &mut Driver) {
    window.step("go to the lower panel");
    window.click("host");
    window.settle();
    window.press(NONE, Key::F6);
    // Past the button that hides the panel, and the first tab.
    window.press(NONE, Key::Tab);
    window.press(NONE, Key::Tab);
    for (name, tab) in [
        ("Text", PanelTab::Text),
        ("Inlinks", PanelTab::Inlinks),
        ("Outlinks", PanelTab::Outlinks),
        ("Needs", PanelTab::Needs),
        ("Versions", PanelTab::Versions),
        ("Decision", PanelTab::Decision),
        ("Notes", PanelTab::Notes),
        ("Anchors", PanelTab::Anchors),
        ("Entities", PanelTab::Entities),
        ("Related", PanelTab::Related),
        ("Headers", PanelTab::Headers),
    ] {
        window.step(&format!("show the tab {name}"));
        window.press(NONE, Key::Tab);
        window.press(NONE, Key::Space);
        window.settle();
        assert_eq!(window.app().settings.panel_tab, tab);
    }
}

fn large_page(window: &mut Driver) {
    window.step("find the large page");
    type_line(window, "host:large.example", true);
    window.click("large");
    window.settle();
    for tab in ["Details", "Outlinks", "Headers", "Text"] {
        window.step(&format!("show the tab {tab} of the large page"));
        window.click(tab);
        window.settle();
        assert!(window.app().settings.lower_panel && !window.shows("This could not be read"), "{tab}");
        if tab == "Outlinks" {
            window.step("sort its links");
            window.click("Page area");
            window.settle();
        }
        window.step(&format!("scroll the tab {tab} of the large page"));
        window.point(pos2(700.0, 850.0));
        for _ in 0..10 {
            window.roll_wheel(-10.0);
        }
        window.settle();
    }
    window.step("clear the filter");
    clear_line(window);
}

fn search(window: &mut Driver, text: &str, waits: bool) {
    type_line(window, text, waits);
    assert!(matches!(window.app().route(), Route::Search(query) if query.text == text), "{:?}", window.app().route());
}

fn map(window: &mut Driver, times: usize) {
    window.step("open the map");
    window.click("Map");
    window.settle();
    assert!(window.shows("By ") || window.shows("Country") || window.shows("Domain"));
    window.step("move the pointer over the map");
    for at in 0..times * 2 {
        window.point(pos2(400.0 + (at % 40) as f32 * 12.0, 500.0 + (at % 20) as f32 * 8.0));
    }
    window.step("move over the map by keys");
    for key in [Key::ArrowRight, Key::ArrowDown, Key::ArrowLeft, Key::Plus, Key::Minus] {
        window.press(NONE, key);
    }
    window.settle();
    window.step("close the map");
    window.click("Results");
    window.settle();
}

fn move_threshold(window: &mut Driver, times: usize) {
    window.press(NONE, Key::Escape);
    go(window, CTRL, Key::Num9, "open Select & export");
    let kept = window.app().open.selection_draft.threshold;
    for (key, presses) in [(Key::CloseBracket, times), (Key::OpenBracket, times * 2)] {
        window.step(&format!("move the threshold by {}", key.name()));
        for _ in 0..presses {
            window.press(NONE, key);
        }
        let threshold = window.app().open.selection_draft.threshold;
        assert!(threshold != kept);
        window.settle();
        assert!(window.shows(&format!("{threshold:.2}")));
    }
}

fn all_pages(window: &mut Driver, times: usize) {
    window.press(NONE, Key::Escape);
    for (name, key) in PAGES {
        let modifiers = if key == Key::I { CTRL_SHIFT } else { CTRL };
        go(window, modifiers, key, &format!("open {name}"));
        window.step(&format!("move the pointer on {name}"));
        for at in 0..times / 3 {
            window.point(pos2(300.0 + at as f32 * 30.0, 200.0 + at as f32 * 20.0));
        }
    }
    assert!(matches!(window.app().route(), Route::Files(_)), "{:?}", window.app().route());
    go(window, CTRL, Key::Num6, "open Search");
}

fn read_out(window: &mut Driver, times: usize) {
    window.read_out(true);
    go(window, CTRL, Key::Num5, "open Captures, read out");
    point_over(window, times);
    go(window, CTRL, Key::Num6, "open Search, read out");
    point_over(window, times);
    window.read_out(false);
}

/// Makes the workspace: captures, a page of two megabytes that can be read, and a campaign.
fn make(folder: &Path, captures: u64) {
    let session = workspace_of(folder, &Texts::new(), captures);
    let request = "metade OR quase^0.5 AND NOT raten".parse().unwrap();
    let seeds = (1..=SEEDS).map(|host| Seed {
        url: format!("http://host{host}.pt/"),
        scope: SeedScope::Root,
        depth: None,
        source_tag: String::new(),
    });
    let campaign = Campaign { request, seeds: seeds.collect(), ..Campaign::new("The town") };
    let (id, _) = session.save_campaign(None, &campaign).unwrap();
    session.assign_import(LaunchId::new(1), Some(id)).unwrap();
    // Beside the workspace, so that later runs find it.
    session
        .import(&[large_archive(&folder.with_extension("archives"))], Default::default(), &JobCx::detached())
        .unwrap();
    session.index_texts(false, &JobCx::detached()).unwrap();
    score_all(folder);
}

fn large_archive(folder: &Path) -> PathBuf {
    let mut set = WarcFileSet::new(FileSetOptions::new(folder, "LARGE"));
    let mut block =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<title>A large page</title>".to_owned();
    for number in 0..6_000 {
        write!(block, "<p>In the year {number} the town kept its records where they had been before, and ").unwrap();
        write!(block, "<a href=\"/records/{number}\">record {number}</a> says who wrote them down. ").unwrap();
        for other in 0..4 {
            write!(block, "It names house {other}{number} beside the river, its people and what they paid. ").unwrap();
        }
        block.push_str("</p>\n");
    }
    let block = block.into_bytes();
    let date = CaptureDate::from_seconds(1_704_067_200);
    let builder =
        RecordBuilder::response("urn:uuid:00000000-0000-4000-8000-000000000001", date, "http://large.example/");
    set.append(&[&builder.digests(&Digests::of_block(&block, true)).compress(&block)]).unwrap();
    set.close().unwrap().remove(0)
}
