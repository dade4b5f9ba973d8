//! The page Select & export: what is selected, its check, and what is written.

use crate::app::models::{CaptureQuery, CaptureTab, ReviewMark};
use crate::app::{Action, JobKind, Route, resolve};
use crate::ui::tests::{TOWN, Window};
use crate::ui::text;
use egui::{Key, Modifiers};

fn go(window: &mut Window, key: Key) {
    window.press_with(Modifiers::COMMAND, key);
}

#[test]
fn a_selection_is_scored_exported_and_verified() {
    let mut window = Window::town();
    go(&mut window, Key::Num9);
    window.until("scores are there", |window| window.shows("7 decisions differ from the score"));
    window.press(Key::CloseBracket);
    window.assert_shows("Preview, not saved");
    // What is tried is not exported.
    let out = window.folder().join("exports/selection");
    window.app_mut().act(Action::Export);
    window.settle();
    assert!(resolve(Action::Export, window.app()).is_err_and(|why| why.contains("not saved")));
    assert!(!out.exists());
    window.click("Save selection");
    window.until_done(JobKind::Select);
    assert!((window.session().selection(TOWN).unwrap().spec.unwrap().threshold - 0.31).abs() < 1e-9);
    let out = window.folder().join("exports/selection");
    let has_package = |out: &std::path::Path| {
        crate::testing::files_under(out).iter().any(|path| path.extension().is_some_and(|of| of == "wacz"))
    };
    // What would be written is listed before, and nothing is written by that.
    let listed = window.session().catalogue().exports().unwrap().len();
    window.until("it is checked", |window| resolve(Action::Export, window.app()).is_ok());
    window.click("Dry run");
    window.until_done(JobKind::DryRun);
    assert!(!out.exists() && window.session().catalogue().exports().unwrap().len() == listed);
    let plan = window.app().dry_run().unwrap().clone();
    window.assert_shows(&plan.figures());
    window.assert_shows(&plan.room());
    window.click("Export");
    window.until_done(JobKind::Export);
    assert!(!has_package(&out));
    let written = window.session().catalogue().exports().unwrap().remove(0);
    assert_eq!((written.captures, written.records), (plan.captures, plan.records));
    assert_eq!(plan.files.len(), crate::testing::files_under(&out).len());
    window.scroll_to("Files of the dry run");
    window.click("Files of the dry run");
    window.scroll_to("Close dry run");
    window.click("Close dry run");
    assert!(!window.shows("Close dry run"));
    let report = format!("file://{}", out.join("report.html").display());
    assert_eq!(window.click_to_browser("Open report"), Some(report));
    // What is left out stays so with the selection.
    window.click("RDF");
    window.click("WACZ package");
    window.click("Entities of persons");
    window.click("Report in");
    window.click("Português");
    window.app_mut().open.export_folder = out.with_file_name("packed").display().to_string();
    window.click("Export");
    window.until_done(JobKind::Export);
    let out = out.with_file_name("packed");
    assert!(has_package(&out) && !out.join("data/knowledge.nq.gz").exists());
    let kept = window.session().selection(TOWN).unwrap().spec.unwrap();
    assert_eq!((kept.with_wacz, kept.with_rdf, kept.with_seen, kept.with_persons), (true, false, true, false));
    assert_eq!(kept.report_language, Some(crate::campaign::ReportLanguage::Pt));
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("<html lang=\"pt\">"));
    window.click("Verify");
    window.until("the checks are shown", |window| window.shows("checks passed"));
    while window.shows("Close this message") {
        window.click("Close this message");
    }
    window.scroll_to("Each check");
    window.click("Each check");
    window.assert_shows("✔ passed");
    // A byte of an archive file turns.
    let warc = crate::testing::files_under(&out).into_iter().find(|path| path.to_string_lossy().ends_with(".warc.gz"));
    let warc = warc.unwrap();
    let mut bytes = std::fs::read(&warc).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&warc, bytes).unwrap();
    window.click("Verify");
    window.until("the checks are shown", |window| window.shows("checks failed"));
    window.assert_shows("✖ ");
}

#[test]
fn a_signature_that_nobody_vouches_for_is_shown_neither_as_fine_nor_as_wrong() {
    let mut window = Window::town();
    go(&mut window, Key::Num9);
    let out = window.folder().join("exports/signed");
    let key = crate::keys::SigningKey::create("a", &crate::keys::MemoryKeychain::default()).unwrap();
    let wishes = crate::work::ExportWishes { signer: Some(key), ..Default::default() };
    let spec = window.session().selection(TOWN).unwrap().spec.unwrap();
    window.session().export(&spec, &out, wishes, &crate::jobs::JobCx::detached()).unwrap();
    window.app_mut().choose_export(out);
    window.click("Verify");
    window.until("the checks are shown", |window| window.shows("signed by a key that nobody vouches for"));
    window.assert_shows("⚠ nobody vouches");
    window.assert_shows("⚠ Signed, nobody vouches");
    assert!(!window.shows("✔ Verified") && !window.shows("✖ failed") && !window.shows("checks failed"));
    let (_, notice) = window.app().notices().last().unwrap();
    assert!(notice.what.ends_with("signed by a key that nobody vouches for"), "{}", notice.what);
}

#[test]
fn every_number_of_a_selection_leads_to_its_rows() {
    let mut window = Window::town();
    let page = window.session().selection(TOWN).unwrap();
    go(&mut window, Key::Num9);
    window.until("the figures are there", |window| window.shows("7 decisions differ from the score"));
    let export = page.balance.inside.captures + page.requisites;
    let bytes = text::bytes(page.balance.inside.bytes + page.requisite_bytes);
    window.click(&format!("{export} captures to write, {bytes}"));
    assert_eq!(window.route(), Route::Captures { filter: "export:yes".to_owned() });
    window.go_back();
    for (figure, filter) in [
        (page.balance.inside.captures.to_string(), "selected:yes"),
        (page.balance.outside.captures.to_string(), "selected:no"),
        (format!("Show: {} embedded resources included", page.requisites), "requisite:yes"),
        (format!("{} approved", page.balance.included), "mark:approve"),
        (format!("{} rejected", page.balance.excluded), "mark:reject"),
        (format!("Show: {} decisions differ from the score", page.balance.overrides), "byhand:yes"),
    ] {
        if figure.starts_with("0 ") {
            assert!(window.shows(&figure) && !window.can_click(&figure), "{figure}");
            continue;
        }
        window.click(&figure);
        assert_eq!(window.route(), Route::Captures { filter: filter.to_owned() }, "{figure}");
        window.go_back();
    }
    for (figure, selected) in [(page.balance.inside.hosts, true), (page.balance.outside.hosts, false)] {
        window.click(&figure.to_string());
        assert_eq!(window.route(), Route::SelectedHosts(selected));
        let host = window.session().catalogue().selected_hosts(TOWN, selected).unwrap().remove(0);
        window.assert_shows(&host.host);
        window.click_number(&format!("Captures: {}", host.captures));
        let side = if selected { "yes" } else { "no" };
        assert_eq!(window.route(), Route::Captures { filter: format!("selected:{side} host={}", host.host) });
        window.go_back();
        window.click("← Select & export");
        window.until("the figures are there", |window| window.shows("7 decisions differ from the score"));
    }
}

#[test]
fn a_moved_threshold_shows_at_once_what_comes_in_and_goes_out() {
    let mut window = Window::town();
    let page = window.session().selection(TOWN).unwrap();
    let kept = page.spec.clone().unwrap().threshold;
    go(&mut window, Key::Num9);
    window.until("the figures are there", |window| window.shows("7 decisions differ from the score"));
    assert!(window.shows("the same"));
    let count = |window: &Window, filter: &str| {
        let (filter, tab) = (filter.to_owned(), CaptureTab::All);
        let query = CaptureQuery { campaign: Some(TOWN), filter, tab, sort: Vec::new(), offset: 0, limit: 1 };
        let page = window.session().catalogue().captures(&query).unwrap();
        assert_eq!(page.filter_problem, None, "{}", query.filter);
        page.total
    };
    for key in [Key::CloseBracket, Key::OpenBracket] {
        for _ in 0..20 {
            window.press(key);
        }
        let at = window.app().open.selection_draft.threshold;
        if at == kept {
            continue;
        }
        window.assert_shows("Preview, not saved");
        // Numbers on the screen are those of the catalogue, and each leads to its rows.
        let inside = format!("(score>={at} -rejected_before:yes OR mark:approve) -mark:reject");
        let removed = format!("selected:yes score<{at} -mark:approve");
        assert!(count(&window, &removed) > 0, "nothing goes out at {at}");
        for (label, filter) in [
            (count(&window, &inside).to_string(), inside.clone()),
            (format!("−{}", count(&window, &removed)), removed.clone()),
        ] {
            window.click(&label);
            assert_eq!(window.route(), Route::Captures { filter });
            window.go_back();
            window.until("the figures are there", |window| window.shows("7 decisions differ from the score"));
        }
    }
    // Back where it was, the kept selection is shown.
    assert!(window.shows("the same"));
    assert_eq!(window.session().selection(TOWN).unwrap().balance, page.balance);
}

#[test]
fn selections_are_saved_and_collections_made_filled_and_selected() {
    let mut window = Window::town();
    go(&mut window, Key::Num9);
    window.until("the figures are there", |window| window.shows("7 decisions differ from the score"));
    window.click("Saved 0");
    window.type_into("Name", "Handover 2026");
    window.click("Save under this name");
    window.until("it is saved", |window| window.session().selection(TOWN).unwrap().named.len() == 1);
    let kept = window.session().selection(TOWN).unwrap().balance.inside.captures;
    window.until("it is listed", |window| window.shows(&format!("Captures: {kept}")));
    window.click("Collections 0");
    window.type_into("Collection", "Ria");
    window.type_into("Filled by filter", "title:ria");
    window.click("Save collection");
    let collections = |window: &Window| window.session().catalogue().collections().unwrap();
    window.until("it is filled", |window| collections(window).first().is_some_and(|row| row.captures > 0));
    let captures = collections(&window)[0].captures;
    window.until("the number is there", |window| window.shows(&format!("Captures: {captures}")));
    // Its captures come in with the draft, before anything is kept.
    window.click_radio("By collection");
    window.click("Ria");
    assert_eq!(window.app().open.selection_draft.collections, ["Ria"]);
    window.until("what it adds is shown", |window| window.shows("Preview, not saved"));
    // Messages lie over the page until they are closed.
    (0..3).for_each(|_| window.press(Key::Escape));
    window.click("Save selection");
    window.until("it is kept", |window| {
        let page = window.session().selection(TOWN).unwrap();
        page.spec.unwrap().collections == ["Ria"] && page.named[0].added > 0
    });
    window.click_number(&format!("Captures: {captures}"));
    assert_eq!(window.route(), Route::Captures { filter: "collection:Ria".to_owned() });
}

#[test]
fn a_refused_permission_holds_the_export_until_a_person_decides() {
    let mut window = Window::town();
    let host = window.session().catalogue().selected_hosts(TOWN, true).unwrap().remove(0).host;
    let mut campaign = window.session().catalogue().campaign(TOWN).unwrap().1;
    campaign.permissions.push(crate::campaign::Permission {
        covers: format!("http://{host}/"),
        state: crate::campaign::PermissionState::Refused,
        ..Default::default()
    });
    window.session().save_campaign(Some(TOWN), &campaign).unwrap();
    go(&mut window, Key::Num9);
    window.assert_shows("Permission refused for 1 site");
    window.assert_shows("1 to decide");
    window.until("it is off", |window| resolve(Action::Export, window.app()).is_err_and(|why| why.contains("refused")));
    window.click("Decide: Permission refused for 1 site");
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    let captures: Vec<_> = window.captures(&filter).iter().map(|row| row.id).collect();
    assert!(!captures.is_empty());
    window.session().mark(&captures, ReviewMark::Reject, "refused", "a").unwrap();
    window.go_back();
    window.until("it may leave", |window| resolve(Action::Export, window.app()).is_ok());
    window.assert_shows("No permission is refused");
}

#[test]
fn one_step_at_a_time_is_shown_in_a_narrow_window() {
    let mut window = Window::town();
    window.harness.set_size(egui::vec2(900.0, 600.0));
    go(&mut window, Key::Num9);
    window.assert_shows("Captures by score");
    assert!(!window.shows("Folder"));
    window.click("3 Hand over");
    window.assert_shows("Folder");
    assert!(!window.shows("Captures by score"));
    window.until("it is checked", |window| resolve(Action::Export, window.app()).is_ok());
}

#[test]
fn lists_of_the_selection_name_what_comes_in_and_goes_out() {
    let mut window = Window::town();
    go(&mut window, Key::Num9);
    let against = window.captures("byhand:yes");
    let differ = format!("{} decisions differ from the score", against.len());
    window.until("scores are there", |window| window.shows(&differ));
    window.click(&format!("Against the score {}", against.len()));
    window.assert_shows(&against[0].url);
    (0..20).for_each(|_| window.press(Key::CloseBracket));
    let at = window.app().open.selection_draft.threshold;
    let removed = window.captures(&format!("selected:yes score<{at} -mark:approve"));
    let tab = format!("Newly out {}", text::count(removed.len() as u64));
    window.until("the list is counted", |window| window.can_click(&tab));
    window.click(&tab);
    window.until("rows are listed", |window| removed.iter().any(|row| window.shows(&row.url)));
    window.click("Discard");
    window.until("it is as saved", |window| window.can_click("Newly out 0"));
}

#[test]
fn a_second_export_has_a_folder_of_its_own() {
    let mut window = Window::town();
    go(&mut window, Key::Num9);
    for name in ["selection", "selection-2"] {
        window.until("it is checked", |window| resolve(Action::Export, window.app()).is_ok());
        let folder = window.folder().join("exports").join(name);
        window.until("the folder is offered", |window| window.app().open.export_folder == folder.display().to_string());
        window.click("Export");
        window.until_done(JobKind::Export);
        assert!(folder.join("report.html").exists());
    }
    // What a person named stays.
    window.app_mut().open.export_folder = window.root().join("mine").display().to_string();
    window.settle();
    assert!(window.app().open.export_folder.ends_with("mine"));
}
