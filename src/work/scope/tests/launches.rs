//! Rules of a campaign differ between its launches.

use super::*;

#[test]
fn a_chain_of_redirects_is_followed_in_the_launch_that_met_it() {
    let rules = vec![json!({"rule": "reject_all"}), json!({"rule": "seed_scope"})];
    let made = made(rules);
    let catalogue = made.session.workspace.catalogue();
    let launches = ["http://a.pt/", "http://old.a.pt/"].map(|url| made.launch(&[found(url, "L")]));
    made.launch(&[found("http://far.a.pt/page", "L")]);
    for (launch, from, to) in [
        (launches[0], "http://a.pt/", "http://old.a.pt/"),
        (launches[0], "http://old.a.pt/", "http://far.a.pt/"),
        (launches[1], "http://a.pt/", "http://near.a.pt/"),
    ] {
        let to = Some(Url::parse(to).unwrap());
        let entry = CaptureEntry { redirect_to: to, ..capture(&Url::parse(from).unwrap(), 1) };
        catalogue.add_captures(launch, vec![entry]).unwrap();
    }
    let takes = |launch, url: &str| {
        let redecision =
            redecision::Redecision::new(&made.session, made.campaign, Some(launch), &JobCx::detached()).unwrap();
        let candidate = Candidate { hops: "L".to_owned(), ..Candidate::bare(Url::parse(url).unwrap()) };
        redecision.launches[&launch].rules.decide(&candidate, &mut Default::default()).decision == Decision::Accept
    };
    assert!(takes(launches[0], "http://far.a.pt/page") && !takes(launches[0], "http://near.a.pt/page"));
    assert!(takes(launches[1], "http://near.a.pt/page") && !takes(launches[1], "http://far.a.pt/page"));
    // Reading the rules of many launches can be stopped.
    let stopped = JobCx::detached();
    stopped.cancel();
    assert!(redecision::Redecision::new(&made.session, made.campaign, None, &stopped).is_err());
}

#[test]
fn verdicts_of_many_launches_have_the_order_of_the_question() {
    let made = made(standard_rules());
    for url in ["http://a.pt/1", "http://b.pt/2", "http://a.pt/3"] {
        made.launch(&[found(url, "L")]);
    }
    let urls = ["http://a.pt/3", "nothing", "http://b.pt/2", "http://a.pt/new", "http://a.pt/1"].map(str::to_owned);
    let verdicts = scope_verdicts(&made.session, Some(made.campaign), &made.spec, &urls).unwrap();
    let verdicts: Vec<Option<Decision>> =
        verdicts.into_iter().map(|verdicts| verdicts.ok().map(|verdicts| verdicts.decision)).collect();
    let (taken, refused) = (Some(Decision::Accept), Some(Decision::Reject));
    assert_eq!(verdicts, [taken, None, refused, taken, taken]);
}

#[test]
fn rules_are_compiled_again_only_when_a_seed_redirects() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "seed_scope"})]);
    let launch = made.launch(&[found("http://a.pt/", "L")]);
    let edited = Campaign { rules: vec![json!({"rule": "accept_all"})], ..made.spec.clone() };
    let catalogue = made.session.workspace.catalogue();
    let compiled = || {
        let mut redecision =
            redecision::Redecision::new(&made.session, made.campaign, None, &JobCx::detached()).unwrap();
        let edited = redecision.edited(&edited, &JobCx::detached()).unwrap();
        (redecision.launches, edited)
    };
    let redirect = |from: &str, to: &str| {
        let to = Some(Url::parse(to).unwrap());
        let entry = CaptureEntry { redirect_to: to, ..capture(&Url::parse(from).unwrap(), 1) };
        catalogue.add_captures(launch, vec![entry]).unwrap();
    };
    let is_same = |a: &(Arc<_>, Arc<_>), b: &(Arc<_>, Arc<_>)| (Arc::ptr_eq(&a.0, &b.0), Arc::ptr_eq(&a.1, &b.1));
    let first = compiled();
    for url in ["http://a.pt/1", "http://a.pt/2"] {
        redirect(url, "http://x.pt/");
        assert_eq!(is_same(&first, &compiled()), (true, true), "{url} is no seed");
    }
    redirect("http://a.pt/", "http://far.a.pt/");
    let second = compiled();
    assert_eq!(is_same(&first, &second), (false, false));
    // A redirect of what a seed redirects to counts too, and so does another launch.
    redirect("http://far.a.pt/", "http://further.a.pt/");
    let third = compiled();
    assert_eq!(is_same(&second, &third), (false, false));
    made.launch(&[found("http://a.pt/", "L")]);
    assert_eq!(is_same(&third, &compiled()), (false, false));
}

#[test]
fn seeds_of_an_imported_job_redirect_as_in_its_archives() {
    let made = made(vec![json!({"rule": "reject_all"}), json!({"rule": "seed_scope"})]);
    let catalogue = made.session.workspace.catalogue();
    let day = |day: i64| CaptureDate::from_seconds(1_700_000_000 + day * 86_400);
    let runs = [0, 10].map(|begin| {
        let run = catalogue.engine_launch(made.campaign, "town", &day(begin).to_digits14(), day(begin)).unwrap();
        catalogue.end_engine_launch(run, day(begin + 2), "imported from x").unwrap();
        run
    });
    let takes = |launch, url: &str| {
        let redecision =
            redecision::Redecision::new(&made.session, made.campaign, Some(launch), &JobCx::detached()).unwrap();
        let candidate = Candidate { hops: "L".to_owned(), ..Candidate::bare(Url::parse(url).unwrap()) };
        redecision.launches[&launch].rules.decide(&candidate, &mut Default::default()).decision == Decision::Accept
    };
    assert!(!takes(runs[0], "http://old.pt/page"));
    let import = catalogue.begin_import(&["x".to_owned()], crate::work::models::ImportOptions::default()).unwrap();
    for (date, to) in [(day(1), "http://old.pt/"), (day(11), "http://new.pt/"), (day(20), "http://later.pt/")] {
        let url = Url::parse("http://a.pt/").unwrap();
        let entry = CaptureEntry { date, redirect_to: Some(Url::parse(to).unwrap()), ..capture(&url, 1) };
        catalogue.add_captures(import, vec![entry]).unwrap();
    }
    let taken = |launch| ["http://old.pt/a", "http://new.pt/a", "http://later.pt/a"].map(|url| takes(launch, url));
    assert_eq!(runs.map(taken), [[true, false, false], [false, true, false]]);
    // Archives of another campaign's job do not concern this one.
    let other = catalogue.save_campaign(None, &Campaign::new("Other")).unwrap();
    catalogue.assign_import(import, Some(other)).unwrap();
    assert_eq!(runs.map(taken), [[false; 3]; 2]);
    catalogue.assign_import(import, Some(made.campaign)).unwrap();
    assert_eq!(runs.map(taken), [[true, false, false], [false, true, false]]);
}
