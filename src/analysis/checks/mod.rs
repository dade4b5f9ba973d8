//! Review checks: what is wrong with captured pages, hosts and launches, by what is stored of them.
//!
//! In: [`CaptureSigns`], the [`PageSigns`] of a content version by itself and the [`ContextSigns`] of a capture among others; for a
//! launch, [`LaunchSigns`]. Out: a [`Finding`] of each check that has something to say. A check that says nothing is
//! no good sign: nothing is known then.
//!
//! A check is data: its name, level, inputs, weight, thresholds and sources stand beside the function that reads the signs, one
//! check a file, in the folder of its subject. A new one is that file and a line in [`CHECKS`]:
//!
//! | folder | compares |
//! |---|---|
//! | `answer` | what the server answered: status, redirects, walls, type, completeness |
//! | `content` | what the page has: text, language, letters, signs of other pages in its place |
//! | `history` | the capture with earlier ones of the page |
//! | `links` | the page with what it needs, and with what links to it |
//! | `launch` | a launch and its hosts with what was expected of them |
//!
//! Invariants: pure; nothing is fetched or read from disk; a problem needs two signals that do not depend on each other,
//! or a fact; findings do not depend on the order in which captures came.
//!
//! Not here: where the signs come from (`work/checks`), how findings are kept (`store/findings`) and drawn.

mod address;
mod answer;
mod check;
mod content;
mod evidence;
mod finding;
mod history;
mod launch;
mod links;
mod phrases;
mod requisites;
mod settings;
mod signs;

pub use address::{address_form, is_front, last_part, path_depth, path_has, path_of};
pub use check::{Check, CheckLevel, Threshold};
pub use finding::{Finding, FindingState, PROBLEM_SEVERITY, Signal, page_loss};
pub use phrases::{PhraseKind, begins_with_error_number, phrases_in};
pub use requisites::{CheckedLink, requisites_of};
pub use settings::{CheckLimits, CheckSettings};
pub use signs::{
    AnchorSigns, CaptureSigns, ContextSigns, EarlierSigns, FoundPhrase, HistorySigns, HostSigns, LackingRequisite,
    LaunchHost, LaunchSigns, PageSigns, RedirectSigns, RepeatSigns, Requisite, RequisiteKind, RequisiteSigns,
    SeedSigns,
};

/// Every check, in the order of the screen.
pub static CHECKS: [&Check; 33] = [
    &answer::STATUS,
    &answer::REDIRECT_FRONT,
    &answer::REDIRECT_ELSEWHERE,
    &content::SOFT_404,
    &content::NEARLY_EMPTY,
    &content::SCRIPT_BUILT,
    &links::MISSING_RESOURCES,
    &history::OTHER_TIME,
    &content::PARKED,
    &answer::LOGIN_WALL,
    &content::CONSENT_WALL,
    &content::PAYWALL,
    &answer::CHALLENGE,
    &answer::RATE_LIMIT,
    &answer::CUT_SHORT,
    &answer::MEDIA_IN_PART,
    &content::GARBLED,
    &answer::MEDIA_TYPE,
    &history::OFF_TOPIC,
    &history::SIZE_CHANGE,
    &content::SAME_AS_MANY,
    &links::ANCHORS,
    &content::LANGUAGE,
    &content::REQUEST,
    &links::LIVE_LEAK,
    &links::OWN_RULES,
    &launch::SEED_MISSING,
    &launch::SEED_OFF_SCOPE,
    &launch::HOST_FAILURES,
    &launch::LAUNCH_SHRUNK,
    &launch::NOT_SEEN_AGAIN,
    &launch::ROBOTS_CLOSED,
    &launch::NEW_HOSTS,
];

/// Parts of paths of pages for signing in.
pub const LOGIN_PATHS: [&str; 10] = answer::LOGIN_PATHS;

/// The check of this name.
pub fn check_of_id(id: &str) -> Option<&'static Check> {
    CHECKS.into_iter().find(|check| check.id == id)
}

/// The findings of all checks that are on, on a capture.
pub fn check_capture(signs: &CaptureSigns<'_>, settings: &CheckSettings) -> Vec<Finding> {
    let on = CHECKS.into_iter().filter(|check| settings.is_on(check));
    on.filter_map(|check| check.of_capture(signs, settings.limits(check))).collect()
}

/// The findings of all checks that are on, on a launch, each with its subject: a URL, a host or nothing.
pub fn check_launch(signs: &LaunchSigns, settings: &CheckSettings) -> Vec<(String, Finding)> {
    let on = CHECKS.into_iter().filter(|check| settings.is_on(check));
    on.flat_map(|check| check.of_launch(signs, settings.limits(check))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Signs of a page of so many words that came with 200.
    pub(super) fn page(url: &str, words: u64) -> (PageSigns, ContextSigns) {
        let (letters, chars) = (words * 5, words * 6);
        let page =
            PageSigns { is_read: true, is_page: true, words, all_words: words, letters, chars, ..PageSigns::default() };
        let (url, mime) = (url.to_owned(), "text/html".to_owned());
        (page, ContextSigns { url, mime, status: 200, ..ContextSigns::default() })
    }

    pub(super) fn with_phrase(mut page: PageSigns, kind: PhraseKind, place: &str) -> PageSigns {
        page.phrases.push(FoundPhrase { kind, place: place.to_owned(), phrase: "a phrase".to_owned() });
        page
    }

    /// The state that a check comes to by the program's thresholds.
    pub(super) fn found(check: &'static Check, page: &PageSigns, of: &ContextSigns) -> Option<FindingState> {
        let settings = CheckSettings::default();
        check.of_capture(&CaptureSigns { page, of }, settings.limits(check)).map(|finding| finding.state)
    }

    /// The subjects on which a check finds something in a launch.
    pub(super) fn found_of_launch(check: &'static Check, of: &LaunchSigns) -> Vec<String> {
        let settings = CheckSettings::default();
        check.of_launch(of, settings.limits(check)).into_iter().map(|(subject, _)| subject).collect()
    }

    #[test]
    fn each_check_has_a_name_of_its_own_and_a_rule() {
        let mut ids: Vec<_> = CHECKS.iter().map(|check| check.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CHECKS.len());
        let is_name = |id: &str| id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        for check in CHECKS {
            assert!(is_name(check.id) && (0.0..=1.0).contains(&check.weight), "{}", check.id);
            assert!(check.rule.ends_with('.') && !check.inputs.is_empty() && !check.sources.is_empty(), "{}", check.id);
        }
    }

    #[test]
    fn a_sound_page_has_no_findings_and_an_empty_input_neither() {
        let (page, of) = page("http://a.pt/x", 300);
        let settings = CheckSettings::default();
        assert_eq!(check_capture(&CaptureSigns { page: &page, of: &of }, &settings), []);
        assert_eq!(check_launch(&LaunchSigns::default(), &settings), []);
    }

    #[test]
    fn thresholds_that_were_set_count_and_checks_that_are_off_are_silent() {
        let (page, of) = page("http://a.pt/x", 30);
        let page = with_phrase(page, PhraseKind::NotFound, "title");
        let found = |settings: &CheckSettings| {
            let found = check_capture(&CaptureSigns { page: &page, of: &of }, settings);
            found.into_iter().map(|finding| (finding.check, finding.state)).collect::<Vec<_>>()
        };
        let mut settings = CheckSettings::default();
        assert_eq!(found(&settings), [("soft-404", FindingState::Problem)]);
        settings.thresholds.insert("soft-404.main_words".to_owned(), 10.0);
        assert_eq!(found(&settings), [("soft-404", FindingState::Odd)]);
        settings.off.insert("soft-404".to_owned());
        assert_eq!(found(&settings), []);
    }

    #[test]
    fn signs_are_read_back_as_they_were_kept() {
        let (mut page, mut of) = page("http://a.pt/é", 30);
        page.range = Some([0, 1, 2]);
        of.history = Some(HistorySigns { usual_cosine: Some(0.25), ..HistorySigns::default() });
        let json = serde_json::to_vec(&(&page, &of)).unwrap();
        assert_eq!(serde_json::from_slice::<(PageSigns, ContextSigns)>(&json).unwrap(), (page, of));
    }
}
