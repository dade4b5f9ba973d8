//! Evidence of permissions in the window: it outlives a save, and an export
//! that lacks it says so.

use super::Window;
use crate::app::models::CampaignId;
use crate::app::{Action, Command, Route, Session};
use crate::campaign::{Permission, PermissionState};
use crate::jobs::JobCx;
use crate::work::attach_evidence;
use std::path::Path;

const TOWN: CampaignId = CampaignId::new(1);

/// Saves a record.
fn permit(session: &Session) {
    let (_, mut campaign) = session.catalogue().campaign(TOWN).unwrap();
    campaign.permissions = vec![Permission {
        covers: "http://www.museum.example/".to_owned(),
        state: PermissionState::Granted,
        ..Permission::default()
    }];
    session.save_campaign(Some(TOWN), &campaign).unwrap();
}

/// Attaches a letter that proves it; answers with its path in the workspace.
fn attach(session: &Session, folder: &Path) -> String {
    let letter = folder.join("letter.pdf");
    std::fs::write(&letter, "You may").unwrap();
    attach_evidence(session, TOWN, 0, &[letter], &JobCx::detached()).unwrap().remove(0).path
}

#[test]
fn a_draft_from_before_a_letter_was_attached_keeps_it_and_names_it() {
    let mut window = Window::town_as(permit);
    let session = window.session();
    window.app_mut().send(Command::Go(Route::Spec(Some(TOWN))));
    window.until("the draft is there", |window| window.app().open.spec.is_some());
    window.click("About");
    window.type_into("Description", " edited");
    assert_eq!(window.app().open.spec.as_ref().unwrap().campaign.permissions.len(), 1);
    let path = attach(&session, window.root());
    window.app_mut().act(Action::SaveCampaign);
    window.until("it is saved", |window| !window.app().open.spec.as_ref().unwrap().is_edited());
    window.assert_shows("stays attached");
    let files = |session: &Session| {
        let (_, saved) = session.catalogue().campaign(TOWN).unwrap();
        saved.permissions.into_iter().flat_map(|record| record.files).map(|file| file.path).collect::<Vec<_>>()
    };
    assert_eq!(files(&session), [path.as_str()]);
    assert_eq!(
        window.app().open.spec.as_ref().unwrap().campaign.permissions[0].files.len(),
        1,
        "the draft has it, too"
    );
    // A record that is removed takes it along, and the window shows a note.
    window.app_mut().open.spec.as_mut().unwrap().campaign.permissions.clear();
    window.app_mut().act(Action::SaveCampaign);
    window.until("it is named", |window| window.shows("no record has any more"));
    assert!(window.shows(&path));
    assert!(files(&session).is_empty());
}

#[test]
fn an_export_without_evidence_stays_in_sight() {
    let mut window = Window::town_as(permit);
    let session = window.session();
    let path = attach(&session, window.root());
    std::fs::remove_file(window.folder().join(&path)).unwrap();
    window.app_mut().open.export_folder = window.root().join("export").display().to_string();
    window.app_mut().act(Action::Export);
    window.until("a notice is shown", |window| window.shows("Export ended"));
    let notices = window.app().notices();
    let (_, notice) = notices.iter().find(|(_, notice)| notice.what.contains("Export ended")).unwrap();
    assert!(notice.is_error && notice.why.contains(&path) && notice.why.contains("fonds scope attach"), "{notice:?}");
}
