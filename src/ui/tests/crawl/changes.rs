//! One launch against another, versions and missing parts in the window: each number leads to its rows.

use crate::app::models::{CampaignId, CaptureQuery, PageChange};
use crate::app::{Command, Focus, PanelTab, Route};
use crate::ui::tests::Window;
use crate::work;

const TOWN: CampaignId = CampaignId::new(1);

#[test]
fn the_changes_of_a_launch_are_a_table_whose_numbers_lead_to_their_rows() {
    let mut window = Window::town();
    window.app_mut().send(Command::ChooseCampaign(TOWN));
    window.app_mut().send(Command::Go(Route::Crawl));
    window.until("the launch is there", |window| window.can_click("Changes"));
    window.click("Changes");
    let compared = work::launch_comparison(&window.session(), TOWN, None, None).unwrap().unwrap();
    window.until("they are compared", |window| window.shows("against"));
    let host = compared.hosts.first().unwrap();
    window.until("the hosts are there", |window| window.shows(&host.host));
    let change = PageChange::ALL.into_iter().find(|change| compared.count(*change) > 0).unwrap();
    let filter = compared.filter(change, None);
    window.app_mut().send(Command::GoToAll(Route::Captures { filter: filter.clone() }));
    let query = CaptureQuery { filter, campaign: Some(TOWN), ..work::everything() };
    let total = window.session().catalogue().captures(&query).unwrap().total;
    assert_eq!(total, compared.count(change));
    window.until("the rows are there", |window| window.shows(&crate::ui::text::counted(total, "row")));
}

#[test]
fn a_version_is_compared_with_the_one_before_in_signs() {
    let mut window = Window::town();
    let session = window.session();
    let query = CaptureQuery {
        filter: "since:changed status:200 media:page".to_owned(),
        campaign: Some(TOWN),
        limit: 50,
        ..work::everything()
    };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    let differs = |row: &&crate::app::models::CaptureRow| {
        let named = work::NamedCapture::Number(row.id);
        let Ok((before, after)) = work::captures_to_compare(&session, &named, None, (None, None)) else { return false };
        let diff = work::capture_diff(&session, before, after, false).unwrap();
        diff.text.added_words > 0 && diff.text.removed_words > 0
    };
    let row = rows.iter().find(differs).expect("a page of the town has other words in the second crawl");
    window.app_mut().settings.panel_tab = PanelTab::Versions;
    window
        .app_mut()
        .send(Command::Go(Route::Captures { filter: format!("key:{}", crate::app::models::quoted(&row.url)) }));
    window.until("the page is there", |window| window.shows("2 rows") || window.shows("3 rows"));
    window.app_mut().follow(Focus::Capture(row.id));
    window.until("the versions are there", |window| window.can_click("Difference"));
    window.click("Difference");
    window.until("they are compared", |window| window.shows("words added"));
    assert!(window.shows("−") && window.shows("+"), "what differs is in signs as well");
    window.app_mut().settings.panel_tab = PanelTab::Needs;
    window.until("the parts are there", |window| window.shows("captured") || window.shows("Nothing else is needed"));
}
