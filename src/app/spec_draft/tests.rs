#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::json;

fn draft() -> (SpecDraft, Instant) {
    let campaign = Campaign { rules: standard_rules(), ..Campaign::new("Town") };
    let mut draft = SpecDraft::begin(Some(CampaignId::new(1)), 1, campaign);
    let now = Instant::now();
    draft.note(now);
    (draft, now)
}

#[test]
fn long_lists_of_seeds_leave_fewer_steps() {
    use crate::campaign::SeedScope;
    let (mut draft, now) = draft();
    let seed = |n: usize| Seed {
        url: format!("https://host{n}.example/"),
        scope: SeedScope::Root,
        depth: None,
        source_tag: String::new(),
    };
    draft.campaign.seeds = (0..1_000).map(seed).collect();
    draft.note(now);
    for n in 0..10 {
        draft.campaign.seeds.push(seed(1_000 + n));
        draft.note(now);
    }
    assert!(draft.undo.len() > 9);
    let one = bytes_of(&draft.campaign);
    assert!(one > 1_000 * "https://host999.example/".len());
    draft.forget_oldest(3 * one);
    assert_eq!(draft.undo.len(), 3);
    assert_eq!(draft.undo[0].state.seeds.len(), 1_007, "the last steps are kept");
    draft.forget_oldest(1);
    assert_eq!(draft.undo.len(), 1, "the last step can always be taken back");
    draft.undo(now);
    assert_eq!(draft.campaign.seeds.len(), 1_009);
}

#[test]
fn every_step_is_taken_back_and_made_again() {
    let (mut draft, now) = draft();
    let mut states = vec![draft.campaign.clone()];
    draft.campaign.rules.insert(3, json!({"rule": "geolocation", "countries": ["PT"]}));
    draft.note(now);
    states.push(draft.campaign.clone());
    draft.campaign.rules[3]["enabled"] = json!(false);
    draft.note(now);
    states.push(draft.campaign.clone());
    draft.campaign.rules.swap(3, 4);
    // Not looked at before the wish to undo comes.
    for expected in [&states[2], &states[1], &states[0]] {
        draft.undo(now);
        assert_eq!(&draft.campaign, expected);
    }
    assert!(!draft.can_undo() && draft.can_redo() && !draft.is_edited());
    draft.undo(now);
    draft.redo(now);
    assert_eq!(draft.campaign, states[1]);
    // A new edit closes the way forth.
    draft.campaign.rules.pop();
    draft.note(now);
    assert!(!draft.can_redo());
    draft.undo(now);
    assert_eq!(draft.campaign, states[1]);
}

#[test]
fn typing_in_one_field_is_one_step() {
    let (mut draft, now) = draft();
    let typed = |draft: &mut SpecDraft, text: &str, millis: u64| {
        draft.campaign.rules[2]["countries"] = json!([text]);
        draft.note(now + Duration::from_millis(millis));
    };
    typed(&mut draft, "P", 0);
    typed(&mut draft, "PT", 300);
    draft.campaign.rules[3]["max_hops"] = json!(7);
    draft.note(now + Duration::from_millis(600));
    typed(&mut draft, "E", 700);
    typed(&mut draft, "ES", 9_000);
    let mut shown = Vec::new();
    while draft.can_undo() {
        draft.undo(now);
        let rules = &draft.campaign.rules;
        shown.push(format!("{} {}", rules[2]["countries"], rules[3]["max_hops"]));
    }
    assert_eq!(shown, [r#"["E"] 7"#, r#"["PT"] 7"#, r#"["PT"] 20"#, "[] 20"]);
}

#[test]
fn only_what_decides_changes_the_scope() {
    let (mut draft, _) = draft();
    draft.campaign.name.push('s');
    draft.note(Instant::now());
    assert!(draft.shows_edits() && !draft.changes_scope());
    draft.campaign.politeness.robots = crate::campaign::RobotsPolicy::Ignore;
    draft.note(Instant::now());
    assert!(draft.changes_scope());
    // Another line of robots.txt may speak to another name.
    draft.campaign = draft.saved.clone();
    draft.campaign.politeness.user_agent = "Other/1.0 (+https://other.example/)".to_owned();
    draft.note(Instant::now());
    assert!(draft.changes_scope());
    // What is saved meanwhile is an edit no more.
    draft.set_saved(draft.campaign.clone());
    assert!(!draft.shows_edits() && !draft.changes_scope());
    draft.undo(Instant::now());
    assert!(draft.shows_edits() && draft.changes_scope());
}

#[test]
fn edits_of_rules_share_the_seeds() {
    let (mut draft, now) = draft();
    let seeds: Vec<Seed> = (0..1_000)
        .map(|n| serde_json::from_value(json!({"url": format!("https://host{n}.example/")})).unwrap())
        .collect();
    draft.campaign.seeds = seeds.clone();
    draft.note(now);
    for _ in 0..10 {
        draft.campaign.rules.pop();
        draft.note(now);
    }
    let shared = Arc::clone(&draft.noted.as_ref().unwrap().seeds);
    assert!(draft.undo.iter().skip(1).all(|step| Arc::ptr_eq(&step.state.seeds, &shared)));
    // Counted once, all steps fit where two lists of seeds would not.
    let steps = draft.undo.len();
    draft.forget_oldest(2 * bytes_of_seeds(&seeds));
    assert_eq!(draft.undo.len(), steps);
    for rules in 2..=11 {
        draft.undo(now);
        assert_eq!((draft.campaign.rules.len(), &draft.campaign.seeds), (rules, &seeds));
    }
    draft.redo(now);
    assert_eq!((draft.campaign.rules.len(), &draft.campaign.seeds), (10, &seeds));
}

#[test]
fn another_state_put_in_place_is_a_step_of_its_own() {
    let (mut draft, now) = draft();
    draft.campaign.name = "Towns".to_owned();
    draft.note(now);
    // Typed and not looked at yet, then dropped within the same moment.
    draft.campaign.name = "Towns of".to_owned();
    draft.put(draft.saved.clone(), now);
    assert!(!draft.is_edited());
    draft.undo(now);
    assert_eq!(draft.campaign.name, "Towns of");
    draft.undo(now);
    assert_eq!(draft.campaign.name, "Town");
    draft.redo(now);
    draft.redo(now);
    // Nor does typing after it go on with it.
    draft.campaign.name = "Town 2".to_owned();
    draft.note(now);
    draft.undo(now);
    assert_eq!(draft.campaign.name, "Town");
}

#[test]
fn typing_and_an_edit_elsewhere_are_two_steps() {
    use crate::campaign::Permission;
    let edits: [fn(&mut Campaign); 4] = [
        |campaign| campaign.permissions.push(Permission::default()),
        |campaign| campaign.grounds.countries.push("PT".to_owned()),
        |campaign| campaign.active = !campaign.active,
        |campaign| campaign.tags.push("a".to_owned()),
    ];
    for edit in edits {
        let (mut draft, now) = draft();
        draft.campaign.name = "Towns".to_owned();
        draft.note(now);
        draft.campaign.name = "Towns of".to_owned();
        edit(&mut draft.campaign);
        draft.note(now);
        draft.undo(now);
        assert_eq!(draft.campaign.name, "Towns", "the edit is lost in the typing before it");
    }
}
