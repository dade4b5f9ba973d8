//! Campaigns as wholes in the window: what belongs to none, what is given to one, what is deleted or added twice.

use super::{TOWN, Window};
use crate::app::models::{CampaignId, LaunchId};
use crate::app::{CampaignPlace, Command, Dialog, FilesRoute, Route};
use crate::campaign::Campaign;
use crate::work::JobKind;

/// The import of the town.
fn import(window: &Window) -> LaunchId {
    crate::work::imports(&window.session().workspace).unwrap()[0].launch
}

/// The town, whose imported captures are of no campaign.
fn town_with_unassigned() -> Window {
    Window::town_as(|session| {
        let import = crate::work::imports(&session.workspace).unwrap()[0].launch;
        session.assign_import(import, None).unwrap();
    })
}

#[test]
fn captures_of_no_campaign_are_on_the_first_page_and_lead_to_their_rows() {
    let mut window = town_with_unassigned();
    let found = window.session().catalogue().unassigned().unwrap();
    assert!(found.captures > 1);
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.assert_shows("captures belong to no campaign");
    window.click(&found.captures.to_string());
    assert_eq!(window.route(), Route::Captures { filter: "campaign:none".to_owned() });
    assert_eq!(window.app().campaign(), None);
    window.assert_shows("All captures");
    window.assert_shows("changed.example");
    // A list without a current campaign names what it cannot answer.
    window.app_mut().send(Command::Go(Route::Captures { filter: "NOT selected:yes".to_owned() }));
    window.assert_shows("there are several: 1 “");
}

#[test]
fn an_import_is_given_to_another_campaign_and_its_numbers_lead_to_its_rows() {
    let mut window = town_with_unassigned();
    let launch = import(&window);
    window.app_mut().send(Command::Go(Route::Files(FilesRoute::Imports(Some((launch, Vec::new()))))));
    window.assert_shows("Belongs to campaign");
    window.app_mut().send(Command::Campaigns(crate::app::CampaignAct::AssignImport(launch, Some(CampaignId::new(2)))));
    window.until_done(JobKind::AssignImport);
    let row = &crate::work::imports(&window.session().workspace).unwrap()[0];
    assert_eq!(row.campaign, Some(CampaignId::new(2)));
    window.assert_shows("Elections");
    window.click(&format!("{} new captures", row.new_captures));
    assert_eq!(window.app().campaign(), Some(CampaignId::new(2)), "the campaign at hand has these rows");
    let listed = window.session().catalogue().campaigns().unwrap();
    let of = |id: i64| listed.iter().find(|row| row.id == CampaignId::new(id)).unwrap().captures;
    assert_eq!(of(2), row.new_captures);
}

#[test]
fn a_campaign_is_switched_off_and_deleted_after_a_preview_of_what_goes() {
    let mut window = Window::town();
    window.app_mut().send(Command::ChooseCampaign(CampaignId::new(1)));
    window.app_mut().send(Command::Go(Route::Campaigns));
    let is_active =
        |window: &Window| window.session().catalogue().campaign_page(CampaignId::new(1)).unwrap().campaign.active;
    let before = is_active(&window);
    window.click(if before { "Switch schedule off" } else { "Switch schedule on" });
    window.until("it is switched", |window| is_active(window) != before);
    let all = |window: &Window| window.session().catalogue().captures(&crate::work::everything()).unwrap().total;
    let captures = all(&window);
    let title = window.session().catalogue().campaigns().unwrap().into_iter().find(|row| row.id == TOWN);
    let title = title.unwrap().title();
    window.click_more(&format!("Delete {}…", crate::ui::text::short(&title, 40)));
    assert_eq!(window.app().dialog(), Some(Dialog::DeleteCampaign(CampaignId::new(1))));
    window.assert_shows("Goes: ");
    window.assert_shows("of no campaign from then on");
    window.click("Delete the campaign");
    window.until("it is gone", |window| window.session().catalogue().campaigns().unwrap().len() == 1);
    assert_eq!(all(&window), captures);
    window.assert_shows("Deleted the campaign");
}

#[test]
fn a_campaign_of_a_title_that_is_here_is_saved_after_a_question() {
    let mut window = Window::town();
    let listed = |window: &Window| window.session().catalogue().campaigns().unwrap().len();
    // The town is a sample: a dialog comes first.
    window.app_mut().send(Command::BeginCampaign(CampaignPlace::Open));
    window.assert_shows("before a crawl can start");
    window.type_into("Name", "Elections");
    window.click("Save");
    window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::Twins));
    window.assert_shows("has the same title");
    assert_eq!(listed(&window), 2, "nothing is saved yet");
    window.click("Cancel");
    assert!(window.app().open.spec.as_ref().unwrap().is_edited());
    window.click("Save");
    window.until("the dialog is back", |window| window.app().dialog() == Some(Dialog::Twins));
    window.click("Save as another campaign");
    window.until("it is saved", |window| listed(window) == 3);
}

#[test]
fn a_draft_takes_the_place_of_what_somebody_else_saved_only_after_a_question() {
    let mut window = Window::town();
    window.app_mut().send(Command::Go(Route::Spec(Some(TOWN))));
    window.until("the draft is at hand", |window| window.app().open.spec.is_some());
    let edit = |window: &mut Window| {
        window.app_mut().open.spec.as_mut().unwrap().campaign.comments = "mine".to_owned();
        window.settle();
    };
    edit(&mut window);
    let saved = |window: &Window| window.session().catalogue().campaign(TOWN).unwrap();
    let (first, campaign) = saved(&window);
    let session = window.session();
    session.save_campaign(Some(TOWN), &Campaign { owner: "somebody".to_owned(), ..campaign }).unwrap();
    let open_comparison = |window: &mut Window| {
        window.settle();
        let version = window.app().open.spec.as_ref().unwrap().next_version();
        window.click(&format!("Save as v{version}"));
        window.until("the dialog is open", |window| window.app().dialog() == Some(Dialog::NewerVersion));
        window.settle();
    };
    open_comparison(&mut window);
    for text in [format!("Version {}", first + 1).as_str(), "owner", "somebody", "comments", "mine"] {
        window.assert_shows(text);
    }
    window.click("Cancel");
    assert!(window.app().open.spec.as_ref().unwrap().is_edited());
    assert_eq!(saved(&window).0, first + 1, "nothing was saved");
    open_comparison(&mut window);
    window.click(&format!("Save mine as version {}", first + 2));
    window.until("it is saved", |window| saved(window).0 == first + 2);
    assert_eq!(saved(&window).1.comments, "mine");
    window.settle();
    // The other answer takes what is there.
    let (last, campaign) = saved(&window);
    session.save_campaign(Some(TOWN), &Campaign { owner: "again".to_owned(), ..campaign }).unwrap();
    window.app_mut().open.spec.as_mut().unwrap().campaign.comments = "not kept".to_owned();
    window.settle();
    open_comparison(&mut window);
    window.click("Discard mine");
    window.until("it is taken", |window| {
        window.app().open.spec.as_ref().is_some_and(|spec| spec.campaign.owner == "again" && !spec.is_edited())
    });
    assert_eq!(saved(&window).0, last + 1);
}

#[test]
fn a_branch_is_listed_below_its_campaign_with_its_number_and_its_origin() {
    let window = Window::town_as(|session| {
        let file = session.catalogue().campaign_page(TOWN).unwrap().file;
        let campaign = Campaign { name: "A town of others".to_owned(), ..file.campaign.clone() };
        let file = crate::campaign::CampaignFile { campaign, digest: None, parent: None, ..file };
        session.save_campaign_file(None, &file).unwrap();
    });
    let rows = window.session().catalogue().campaigns().unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.branch.map(|point| point.campaign))).collect();
    let trunk = names.iter().position(|(name, _)| name.starts_with("Vila Nova")).unwrap();
    assert_eq!(names[trunk + 1], ("A town of others", Some(TOWN)), "{names:?}");
    let mut window = window;
    window.app_mut().send(Command::Go(Route::Campaigns));
    window.assert_shows("↳ A town of others (branch of campaign 1)");
    // The branch is below its campaign.
    let at = |window: &Window, what: &str| window.texts().iter().position(|text| text.starts_with(what)).unwrap();
    assert!(at(&window, "↳ A town of others") > at(&window, "Vila Nova da Ria, the festival and the s…, "));
}
