//! The sample of a request, on the page Spec while it is typed.

use crate::app::{JobKind, Route};
use crate::ui::tests::{TOWN, Window};
use egui::{Key, Modifiers};

fn sample_of(window: &Window) -> crate::app::models::RequestSample {
    let spec = window.app().open.spec.as_ref().unwrap();
    window.session().request_sample(&spec.campaign.request, Some(TOWN), 10).unwrap()
}

#[test]
fn a_request_is_tried_while_it_is_typed_and_its_numbers_lead_to_captures() {
    let mut window = Window::town();
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.click("Request");
    window.assert_shows("No text index: the request cannot be tried on the captures");
    window.click("Index texts");
    window.until_done(JobKind::IndexTexts);
    window.until("captures are there", |window| window.shows("The best, as the request scores them"));
    // Each term has the number of captures that have it, which leads to them.
    let first = sample_of(&window).terms.into_iter().find(|found| found.captures > 0).unwrap();
    window.until("terms are counted", |window| window.can_click(&crate::ui::text::count(first.captures)));
    window.click_radio("Text");
    window.type_into("Request as text", " AND estaleiro");
    window.pass(1.0);
    window.settle();
    // The draft is queried, not the saved request.
    let spec = window.app().open.spec.as_ref().unwrap();
    assert!(spec.is_edited());
    let (draft, saved) = (spec.campaign.request.clone(), spec.saved.request.clone());
    let sample = |request| window.session().request_sample(request, Some(TOWN), 10).unwrap();
    let (draft, saved) = (sample(&draft), sample(&saved));
    assert!(draft.meeting > 0 && draft.meeting < saved.meeting, "{} of {}", draft.meeting, saved.meeting);
    window.assert_shows(&format!("Captures that meet the request: {}", draft.meeting));
    assert!(window.shows(&draft.best[0].found), "{:?}", window.texts());
    let others = draft.captures - draft.meeting;
    window.click(&format!("Captures that do not meet the request: {others}"));
    let Route::Captures { filter } = window.route() else { panic!("{:?}", window.route()) };
    assert_eq!(window.captures(&filter).len() as u64, others, "{filter}");
    window.assert_shows(&format!("{others} rows"));
}
