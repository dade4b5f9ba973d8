//! Numbers of pages count the rows that they lead to.

use super::rows::{
    CampaignChoice, CampaignId, CampaignRow, CaptureId, CaptureQuery, CaptureTab, ImportOptions, LaunchState, Launches,
    ReviewMark, SeenQuery, SelectionSpec,
};
use super::tests::{admission, build, capture, made};
use super::{HandoverCrawl, KeptScore, LaunchLedger};
use crate::campaign::Campaign;
use crate::crawl::{AdmissionState, Ledger};
use crate::query::quoted_value;
use crate::search::CaptureFacts;
use crate::uri::CaptureDate;
use proptest::prelude::*;
use std::sync::Arc;

/// Refused URLs of rules and hosts whose names hold those of others.
fn refuse(ledger: &LaunchLedger, urls: &[(&str, &str)]) {
    let found = urls.iter().map(|(url, rule)| {
        let mut refused = admission(url, AdmissionState::Refused, 0);
        refused.verdict.rule_name = (*rule).to_owned();
        refused
    });
    ledger.admit(found.collect()).unwrap();
}

#[test]
fn every_number_of_refused_urls_counts_the_rows_it_leads_to() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    const REGEX: &str = "MatchesRegexDecideRule";
    refuse(
        &made.ledger,
        &[("http://a.pt/1", REGEX), ("http://xa.pt/1", &format!("Not{REGEX}")), ("http://b.pt/?u=a.pt", REGEX)],
    );
    let second = catalogue.begin_launch(made.campaign, "town", CaptureDate::now()).unwrap().id;
    let ledger = LaunchLedger::new(Arc::clone(catalogue), second);
    refuse(&ledger, &[("http://a.pt/1", REGEX), ("http://a.pt/2", "Rule of (b) \"c\"")]);
    ledger.admit(vec![admission("http://a.pt/q", AdmissionState::Queued, 0)]).unwrap();
    // Another campaign's are no matter.
    let other = catalogue.save_campaign(None, &Campaign::new("Other")).unwrap();
    let elsewhere = catalogue.begin_launch(other, "other", CaptureDate::now()).unwrap().id;
    refuse(&LaunchLedger::new(Arc::clone(catalogue), elsewhere), &[("http://a.pt/1", REGEX)]);

    let seen = |launches, filter: String| {
        let campaign = Some(made.campaign);
        let page = catalogue
            .seen(&SeenQuery {
                campaign,
                launches,
                state: "refused",
                filter: filter.clone(),
                sort: Vec::new(),
                offset: 0,
                limit: 100,
            })
            .unwrap();
        assert_eq!((page.filter_problem, page.rows.len() as u64), (None, page.total), "{filter}");
        page.total
    };
    let first = made.launch;
    for (launches, refused) in
        [(Launches::Last, 2), (Launches::One(second), 2), (Launches::One(first), 3), (Launches::All, 4)]
    {
        let page = catalogue.crawl_page(Some(made.campaign), launches).unwrap().unwrap();
        assert_eq!(page.launches.iter().map(|launch| launch.id).collect::<Vec<_>>(), [second, first]);
        assert_eq!(page.launch.unwrap().refused, refused, "{launches:?}");
        assert_eq!(page.hosts.len() as u64, page.hosts_total);
        assert_eq!(seen(launches, String::new()), refused, "{launches:?}");
        for (rule, urls) in page.refused_by_rule {
            assert_eq!(seen(launches, format!("rule={}", quoted_value(&rule))), urls, "{launches:?}: {rule}");
        }
        // What is counted as URLs come is what their rows count.
        for state in ["", "queued", "refused", "fetched", "failed"] {
            let total = |filter: &str| {
                let of = SeenQuery { launches, filter: filter.to_owned(), ..SeenQuery::of_launch(first, state) };
                catalogue.seen(&SeenQuery { campaign: Some(made.campaign), ..of }).unwrap().total
            };
            assert_eq!(total(""), total("url:a OR -url:a"), "{launches:?} {state}");
        }
        for host in page.hosts {
            assert_eq!(seen(launches, format!("host={}", quoted_value(&host.host))), host.refused, "{host:?}");
        }
    }
    let row = &catalogue.campaigns().unwrap()[1];
    // A URL that both refused counts once.
    assert_eq!((row.id, row.counted.unwrap().refused, seen(Launches::All, String::new())), (made.campaign, 4, 4));
    // Pages of rows have all of them once, in one order.
    let page = |offset| {
        let (campaign, filter) = (Some(made.campaign), "a.pt".to_owned());
        let query = SeenQuery {
            campaign,
            launches: Launches::All,
            state: "refused",
            filter,
            sort: Vec::new(),
            offset,
            limit: 2,
        };
        let page = catalogue.seen(&query).unwrap();
        assert_eq!(page.total, 4);
        page.rows.into_iter().map(|row| row.id)
    };
    let ids: Vec<_> = page(0).chain(page(2)).chain(page(4)).collect();
    assert_eq!((ids.len(), ids.is_sorted_by(|a, b| a < b)), (4, true), "{ids:?}");
    let problem = SeenQuery { filter: "colour:red".to_owned(), ..SeenQuery::of_launch(first, "refused") };
    assert!(catalogue.seen(&problem).unwrap().filter_problem.unwrap().contains("Fields are url, host, rule"));
}

#[test]
fn a_campaign_counts_its_imports_as_its_captures_and_its_review_do() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let page =
        |name: &str, n: u64| capture(&format!("http://a.pt/{name}{n}"), 1, n * 20, &format!("sha1:{name}{n}"), &[]);
    catalogue.add_captures(made.launch, (0..3).map(|n| page("own", n)).collect()).unwrap();
    let import = catalogue.begin_import(&["/media/old".to_owned()], ImportOptions::default()).unwrap();
    let of_none = ImportOptions { campaign: CampaignChoice::None, ..ImportOptions::default() };
    let nobodys = catalogue.begin_import(&["/media/older".to_owned()], of_none).unwrap();
    catalogue.add_captures(nobodys, vec![page("none", 30)]).unwrap();
    catalogue.add_captures(import, (10..14).map(|n| page("import", n)).collect()).unwrap();
    let other = catalogue.save_campaign(None, &Campaign::new("Other")).unwrap();
    let elsewhere = catalogue.begin_launch(other, "other", CaptureDate::now()).unwrap().id;
    catalogue.add_captures(elsewhere, vec![page("other", 20)]).unwrap();
    let shown = |campaign, tab| {
        let query = CaptureQuery { filter: String::new(), tab, campaign, sort: Vec::new(), offset: 0, limit: 100 };
        catalogue.captures(&query).unwrap()
    };
    let ids: Vec<CaptureId> = shown(None, CaptureTab::All).rows.iter().map(|row| row.id).collect();
    catalogue.mark(&[ids[0], ids[4]], ReviewMark::Approve, "", "Ana").unwrap();
    catalogue.mark(&[ids[1]], ReviewMark::Note, "later", "Ana").unwrap();
    let rows = catalogue.campaigns().unwrap();
    assert_eq!(rows.iter().map(|row| row.captures).collect::<Vec<_>>(), [1, 7]);
    let unassigned = catalogue.unassigned().unwrap();
    assert_eq!((unassigned.launches, unassigned.captures, unassigned.bytes), (1, 1, 10));
    let of_none = CaptureQuery {
        filter: "campaign:none".to_owned(),
        tab: CaptureTab::All,
        campaign: None,
        sort: Vec::new(),
        offset: 0,
        limit: 0,
    };
    assert_eq!(catalogue.captures(&of_none).unwrap().total, 1);
    let listed: Vec<_> = rows.iter().map(|row| CampaignRow { counted: None, ..row.clone() }).collect();
    assert_eq!(catalogue.listed_campaigns().unwrap(), listed);
    for row in rows {
        let all = shown(Some(row.id), CaptureTab::All);
        assert_eq!(row.captures, all.total, "{}", row.name);
        assert_eq!(row.counted.unwrap().to_review, shown(Some(row.id), CaptureTab::NotReviewed).total, "{}", row.name);
        assert_eq!(row.bytes, all.total * 10, "{}", row.name);
    }
}

/// What happens to the captures of two campaigns.
#[derive(Debug, Clone)]
enum Act {
    /// Campaign, page and payload of a capture.
    Captured(bool, u8, u8),
    /// The campaign whose launch ended, so that the next one begins.
    Launched(bool),
    /// Which of the captures, of all that there are, and how.
    Marked(u8, ReviewMark),
    Undone,
    /// Campaign, and what it selects: a bit for each of the first captures.
    Selected(bool, u16),
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (any::<bool>(), 0..4_u8, 0..3_u8).prop_map(|(other, page, payload)| Act::Captured(other, page, payload)),
        3 => (any::<u8>(), prop::sample::select(&ReviewMark::ALL[..])).prop_map(|(at, mark)| Act::Marked(at, mark)),
        1 => any::<bool>().prop_map(Act::Launched),
        1 => Just(Act::Undone),
        1 => (any::<bool>(), any::<u16>()).prop_map(|(other, bits)| Act::Selected(other, bits)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counts_of_campaigns_are_those_of_their_lists(acts in prop::collection::vec(acts(), 1..40)) {
        let made = made();
        let catalogue = made.workspace.catalogue();
        let other = catalogue.save_campaign(None, &Campaign::new("Other")).unwrap();
        let mut launches = [made.launch, catalogue.begin_launch(other, "other", CaptureDate::now()).unwrap().id];
        let list = |campaign: Option<CampaignId>, tab| {
            let query = CaptureQuery { filter: String::new(), tab, campaign, sort: Vec::new(), offset: 0, limit: 100 };
            catalogue.captures(&query).unwrap()
        };
        for (nth, act) in (0_i64..).zip(acts) {
            let all: Vec<CaptureId> = list(None, CaptureTab::All).rows.iter().map(|row| row.id).collect();
            match act {
                Act::Captured(is_other, page, payload) => {
                    // A payload without a digest is the same as no other.
                    let digest = if payload == 0 { String::new() } else { format!("sha1:{payload}") };
                    let mut entry = capture(&format!("http://a.pt/{page}"), nth, nth as u64 * 20, &digest, &[]);
                    if payload == 2 && page == 0 {
                        entry.notes.status = 404;
                    }
                    catalogue.add_captures(launches[usize::from(is_other)], vec![entry]).unwrap();
                }
                Act::Launched(is_other) => {
                    let launch = &mut launches[usize::from(is_other)];
                    catalogue.set_launch_state(*launch, LaunchState::Finished, "").unwrap();
                    let campaign = if is_other { other } else { made.campaign };
                    *launch = catalogue.begin_launch(campaign, &format!("{nth}"), CaptureDate::now()).unwrap().id;
                }
                Act::Marked(at, mark) if !all.is_empty() => {
                    catalogue.mark(&[all[usize::from(at) % all.len()]], mark, "", "Ana").unwrap();
                }
                Act::Undone => drop(catalogue.undo_mark().unwrap()),
                Act::Selected(is_other, bits) => {
                    let campaign = if is_other { other } else { made.campaign };
                    let rows = list(Some(campaign), CaptureTab::All).rows;
                    let scored = rows.iter().enumerate().map(|(at, row)| KeptScore {
                        id: row.id,
                        score: 0.5,
                        passes: bits >> (at % 16) & 1 == 1,
                        decision: None,
                    });
                    let spec = SelectionSpec { campaign, ..SelectionSpec::default() };
                    catalogue.keep_selection(&spec, scored.collect()).unwrap();
                }
                Act::Marked(..) => {}
            }
        }
        for row in catalogue.campaigns().unwrap() {
            let counts = row.counted.unwrap();
            let listed = |tab| list(Some(row.id), tab).total;
            prop_assert_eq!((row.captures, counts.to_review), (listed(CaptureTab::All), listed(CaptureTab::NotReviewed)));
            prop_assert_eq!(counts.selected, listed(CaptureTab::Selected));
        }
        // By the columns of captures in memory, of a campaign and of all.
        let mut facts = CaptureFacts::default();
        catalogue.fill_facts(&mut facts).unwrap();
        let by_sql = |campaign, filter: &str, tab| {
            let query =
                CaptureQuery { filter: filter.to_owned(), tab, campaign, sort: Vec::new(), offset: 0, limit: 0 };
            catalogue.matching_captures(&query).unwrap().ones().collect::<Vec<_>>()
        };
        for campaign in [None, Some(made.campaign), Some(other)] {
            let mut to_review = catalogue.captures_to_review(&facts, campaign).unwrap();
            campaign.into_iter().for_each(|campaign| to_review.intersect_with(&facts.of_campaign(campaign.get())));
            let to_review: Vec<usize> = to_review.ones().collect();
            prop_assert_eq!(&to_review, &by_sql(campaign, "", CaptureTab::NotReviewed), "{:?}", campaign);
            prop_assert_eq!(to_review, by_sql(campaign, "review:yes", CaptureTab::All));
        }
        let gone: Vec<usize> = catalogue.gone_captures(&facts).unwrap().ones().collect();
        prop_assert_eq!(gone, by_sql(None, "gone:yes", CaptureTab::All));
        for campaign in [made.campaign, other] {
            let selected = catalogue.selected_captures(&facts, campaign).unwrap();
            let selected: Vec<usize> = facts.of_campaign(campaign.get()).intersection(&selected).collect();
            prop_assert_eq!(selected, by_sql(Some(campaign), "selected:yes", CaptureTab::All));
        }
    }
}

#[test]
fn captures_that_a_handover_gives_to_a_launch_are_counted_there_at_once() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let to_town = ImportOptions { campaign: CampaignChoice::Of(made.campaign), ..ImportOptions::default() };
    let import = catalogue.begin_import(&["/media/handover".to_owned()], to_town).unwrap();
    catalogue.add_captures(import, vec![capture("http://a.pt/", 1, 0, "sha1:A", &[])]).unwrap();
    let launch = made.launch;
    catalogue
        .write(move |conn| Ok(conn.execute("INSERT INTO launch_origin (launch, origin) VALUES (?1, 'Ana')", [launch])?))
        .unwrap();
    let (before, kept) = (catalogue.facts_stamp().unwrap(), catalogue.facts_mark(CaptureId::new(1)).unwrap());
    let of = catalogue.launch(launch).unwrap();
    let way = HandoverCrawl { job: "town".to_owned(), launch: of.launch, ..HandoverCrawl::default() };
    catalogue.assign_to_launches(made.campaign, vec![(CaptureId::new(1), way)]).unwrap();
    // What was read before is read again, in memory and from a file.
    assert_ne!(catalogue.facts_stamp().unwrap()[1..3], before[1..3]);
    assert_ne!(catalogue.facts_mark(CaptureId::new(1)).unwrap(), kept);
}

#[test]
fn a_launch_counts_the_time_that_it_ran() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let ran = || catalogue.launch(made.launch).unwrap().ran_ms;
    // The clock of a test: what runs now has been running for longer.
    let passes = |seconds: i64| {
        let sql = "UPDATE launch SET started_ms = started_ms - ?1, running_since_ms = running_since_ms - ?1";
        catalogue.write(move |conn| Ok(conn.execute(sql, [seconds * 1000])?)).unwrap();
    };
    #[track_caller]
    fn check(ran_ms: u64, seconds: u64) {
        assert!((seconds * 1000..seconds * 1000 + 900).contains(&ran_ms), "{ran_ms} ms are not {seconds} s");
    }
    passes(60);
    check(ran(), 60);
    catalogue.set_launch_state(made.launch, LaunchState::Running, "").unwrap();
    catalogue.set_launch_state(made.launch, LaunchState::Stopped, "by a person").unwrap();
    passes(100 * 24 * 3600);
    check(ran(), 60);
    catalogue.set_launch_state(made.launch, LaunchState::Running, "").unwrap();
    passes(30);
    catalogue.set_launch_state(made.launch, LaunchState::Paused, "").unwrap();
    passes(500);
    check(ran(), 90);
    catalogue.set_launch_state(made.launch, LaunchState::Running, "").unwrap();
    passes(1);
    catalogue.set_launch_state(made.launch, LaunchState::Finished, "").unwrap();
    passes(10_000);
    check(ran(), 91);
    // Ended by a person much later, it has run no longer.
    catalogue.set_launch_state(made.launch, LaunchState::Finished, "ended by a person").unwrap();
    check(ran(), 91);
    // One that was killed ran until its last capture.
    catalogue.set_launch_state(made.launch, LaunchState::Running, "").unwrap();
    let now = CaptureDate::now();
    catalogue.add_captures(made.launch, vec![capture("http://a.pt/", now.seconds(), 0, "sha1:A", &[])]).unwrap();
    passes(3600);
    catalogue.end_abandoned_launches().unwrap();
    let killed = ran();
    assert!((91_000 + 3_598_000..91_000 + 3_602_000).contains(&killed), "{killed}");
    let all = catalogue.crawl_page(Some(made.campaign), Launches::All).unwrap().unwrap();
    assert_eq!(all.launch.unwrap().ran_ms, killed);
}

#[test]
fn pages_never_captured_are_counted_whole_and_paged_through() {
    let made = made();
    let catalogue = made.workspace.catalogue();
    let links: Vec<(String, String)> =
        (0..5).map(|n| (format!("http://gone.pt/{n}"), format!("Relatório {n}"))).collect();
    let links: Vec<(&str, &str)> = links.iter().map(|(url, anchor)| (url.as_str(), anchor.as_str())).collect();
    let citing = [
        capture("http://a.pt/", 1, 0, "sha1:A", &links),
        capture("http://b.pt/", 1, 20, "sha1:B", &links[3..]),
        capture("http://gone.pt/4", 1, 40, "sha1:C", &[]),
    ];
    catalogue.add_captures(made.launch, citing.to_vec()).unwrap();
    build(&made.workspace);
    let urls = |filter: &str, offset, limit| {
        let page =
            catalogue.prospects(&super::rows::ProspectQuery::new(Some(made.campaign), filter, offset, limit)).unwrap();
        assert_eq!(page.filter_problem, None);
        let urls: Vec<String> =
            page.rows.iter().map(|row| row.url.trim_start_matches("http://gone.pt/").to_owned()).collect();
        (urls.concat(), page.total)
    };
    assert_eq!(urls("", 0, 3), ("301".to_owned(), 4));
    assert_eq!(urls("", 3, 3), ("2".to_owned(), 4));
    assert_eq!(urls("relatorio", 1, 2), ("01".to_owned(), 4));
    assert_eq!(urls("hosts>1 OR anchor:\"RELATÓRIO 2\"", 0, 9), ("32".to_owned(), 2));
    let under = |limit| {
        let page = made.workspace.prospects_under("pt,gone)/", None, limit, &Default::default()).unwrap();
        (page.rows.len(), page.total)
    };
    assert_eq!((under(1), under(9)), ((1, 4), (4, 4)));
    // Captured since the build, it is no more counted.
    catalogue.add_captures(made.launch, vec![capture("http://gone.pt/3", 2, 60, "sha1:D", &[])]).unwrap();
    assert_eq!((urls("", 0, 1), under(1)), (("0".to_owned(), 3), (1, 3)));
}
