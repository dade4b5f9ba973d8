//! Rules as they stood in several launches.

use super::*;

#[test]
fn a_chain_of_redirects_is_followed_in_the_launch_that_met_it() {
    let rules = vec![json!({"rule": "reject_all"}), json!({"rule": "seed_scope"})];
    let made = made(rules);
    let catalogue = made.desk.workspace.catalogue();
    let launches = ["http://a.pt/", "http://old.pt/"].map(|url| made.launch(&[found(url, "L")]));
    made.launch(&[found("http://far.pt/page", "L")]);
    for (launch, from, to) in [
        (launches[0], "http://a.pt/", "http://old.pt/"),
        (launches[0], "http://old.pt/", "http://far.pt/"),
        (launches[1], "http://a.pt/", "http://near.pt/"),
    ] {
        let to = Some(Url::parse(to).unwrap());
        let entry = CaptureEntry { redirect_to: to, ..capture(&Url::parse(from).unwrap(), 1) };
        catalogue.add_captures(launch, vec![entry]).unwrap();
    }
    let takes = |launch, url: &str| {
        let bench = bench::Bench::new(&made.desk, made.campaign, Some(launch), &JobCx::detached()).unwrap();
        let candidate = Candidate { hops: "L".to_owned(), ..Candidate::bare(Url::parse(url).unwrap()) };
        bench.launches[&launch].rules.decide(&candidate, &mut Default::default()).decision == Decision::Accept
    };
    assert!(takes(launches[0], "http://far.pt/page") && !takes(launches[0], "http://near.pt/page"));
    assert!(takes(launches[1], "http://near.pt/page") && !takes(launches[1], "http://far.pt/page"));
    // Reading the rules of many launches can be stopped.
    let stopped = JobCx::detached();
    stopped.cancel();
    assert!(bench::Bench::new(&made.desk, made.campaign, None, &stopped).is_err());
}

#[test]
fn verdicts_of_many_launches_stand_in_the_order_of_the_question() {
    let made = made(standard_rules());
    for url in ["http://a.pt/1", "http://b.pt/2", "http://a.pt/3"] {
        made.launch(&[found(url, "L")]);
    }
    let asked = ["http://a.pt/3", "nothing", "http://b.pt/2", "http://a.pt/new", "http://a.pt/1"].map(str::to_owned);
    let said = scope_verdicts(&made.desk, Some(made.campaign), &made.spec, &asked).unwrap();
    let said: Vec<Option<Decision>> = said.into_iter().map(|said| said.ok().map(|said| said.decision)).collect();
    let (taken, refused) = (Some(Decision::Accept), Some(Decision::Reject));
    assert_eq!(said, [taken, None, refused, taken, taken]);
}
