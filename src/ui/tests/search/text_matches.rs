//! Matches of a query are marked in the text of a capture.

use super::searched;
use crate::app::models::CaptureId;
use crate::app::{Focus, PanelTab};
use crate::ui::tests::Window;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

fn focused(window: &Window) -> CaptureId {
    match window.app().focus() {
        Some(Focus::Capture(id)) => id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn matches_of_a_search_are_gone_through_in_the_text() {
    let mut window = searched("estaleiro gaivota");
    window.click("Estaleiro Gaivota");
    // The key opens the text where another tab was shown.
    window.press(Key::F3);
    assert_eq!(window.app().settings.panel_tab, PanelTab::Text);
    let text = window.session().content(focused(&window)).unwrap().text;
    let folded = crate::text::fold(&text);
    let found = folded.split(' ').filter(|word| ["estaleiro", "estaleiros", "gaivota"].contains(word)).count();
    assert!(found > 2, "{text}");
    window.assert_shows(&format!("1 of {found}"));
    window.press(Key::F3);
    window.assert_shows(&format!("2 of {found}"));
    window.press_with(Modifiers::SHIFT, Key::F3);
    window.press_with(Modifiers::SHIFT, Key::F3);
    window.assert_shows(&format!("{found} of {found}"));
    window.click("Next match");
    window.assert_shows(&format!("1 of {found}"));
    // Without words to look for nothing is marked.
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.settle();
    assert!(!window.shows(&format!(" of {found}")), "{:?}", window.texts());
}

#[test]
fn the_first_match_of_a_filter_is_brought_into_sight() {
    let mut window = Window::town();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    let filler = "<p>Nada de novo na vila.</p>".repeat(200);
    let html = format!("<html><title>Longa</title>{filler}<p>O farol apaga-se.</p>{filler}</html>");
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    let fields = "Content-Type: application/http; msgtype=response\r\n";
    let path = window.root().join("farol.warc");
    let url = "http://farol.example/";
    std::fs::write(&path, crate::testing::record("response", url, "2024-03-01T10:00:00Z", fields, answer)).unwrap();
    let options = window.app_mut().import_options();
    window.session().import(&[path], options, &crate::jobs::JobCx::detached()).unwrap();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.type_into("Filter", "found:\"farol apaga\"");
    window.press(Key::Enter);
    window.assert_shows("1 row, none selected");
    window.click(url);
    window.click("Text");
    window.assert_shows("1 of 2");
    // It scrolls there by and by.
    window.pass(1.0);
    window.settle();
    let whole = window.harness.query_all_by_label_contains("O farol apaga-se.").last().unwrap().rect();
    assert!(whole.height() > 3_000.0 && whole.top() < -1_000.0, "{whole}");
    // Half of the text is before it.
    let panel = window.harness.query_all_by_label("Details").last().unwrap().rect().bottom();
    assert!(whole.center().y > panel && whole.center().y < 1000.0, "{whole} in a panel from {panel}");
}

#[test]
fn a_text_beyond_the_limit_is_marked_where_it_is_read() {
    let mut window = Window::town();
    let filler = "<p>Nada de novo na vila nem na ria.</p>\n".repeat(140_000);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><title>Longa</title>{filler}");
    let fields = "Content-Type: application/http; msgtype=response\r\n";
    let path = window.root().join("longa.warc");
    let url = "http://longa.example/";
    std::fs::write(&path, crate::testing::record("response", url, "2024-03-01T10:00:00Z", fields, answer)).unwrap();
    let options = window.app_mut().import_options();
    window.session().import(&[path], options, &crate::jobs::JobCx::detached()).unwrap();
    window.session().index_texts(false, &crate::jobs::JobCx::detached()).unwrap();
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.type_into("Filter", "url:longa.example");
    window.press(Key::Enter);
    window.assert_shows("1 row, none selected");
    window.click(url);
    window.app_mut().show_tab(PanelTab::Text);
    window.settle();
    window.assert_shows("only the first 4 MiB of its text are searched, scored and shown");
}
