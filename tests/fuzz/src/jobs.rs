//! Files of other crawlers: configurations of jobs, and lines of what they
//! decided and fetched.

use super::{Dice, text_of};
use fonds::campaign::{Campaign, Seed, SeedScope};
use fonds::crawl::CrawlLogLine;
use fonds::scope::other_crawlers::{
    HERITRIX_CONFIGURATION, browsertrix_campaign, browsertrix_yaml, heritrix_job, read_heritrix_job,
    read_heritrix1_order, seeds_of_text,
};
use fonds::scope::{DecideRules, standard_rules};

/// A job configuration; what stands behind `<!--seeds-->` are its seeds.
pub fn job_config(data: &[u8]) {
    let text = text_of(data);
    let (text, seeds) = text.split_once("<!--seeds-->").unwrap_or((&text, ""));
    let other = |name: &str| (name == "seeds.txt").then(|| seeds.to_owned());
    let of_job = read_heritrix_job("x.cxml", text, &other).map(|job| job.campaign);
    let of_order = read_heritrix1_order("order.xml", text, Some(seeds)).map(|job| job.campaign);
    for campaign in [of_job, of_order].into_iter().flatten() {
        let saved = campaign.to_json();
        let again = Campaign::from_json(&saved).unwrap_or_else(|error| panic!("{error}: {saved}"));
        assert_eq!(again.to_json(), saved);
        campaign.problems();
        // Rules that cannot be used are told of and switched off, not taken.
        if let Err(error) = DecideRules::compile(&campaign) {
            assert!(error.why.contains("MiB of memory"), "{error}");
        }
        let (files, _) = heritrix_job(&campaign);
        let other = |name: &str| files.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        let back = read_heritrix_job(HERITRIX_CONFIGURATION, &files[0].1, &other);
        let back = back.unwrap_or_else(|error| panic!("{error}: {}", files[0].1));
        assert_eq!(back.campaign.rules.len(), campaign.rules.len(), "{}", files[0].1);
        browsertrix_yaml(&campaign, "x");
    }
}

/// Texts in the configuration of a Browsertrix crawl: whatever stands in them,
/// it has the lines that harmless ones have.
pub fn browsertrix(data: &[u8]) {
    let text = text_of(data);
    let mut dice = Dice::of(data);
    let of = |text: &str, seed: &str| {
        let seed = Seed { url: seed.to_owned(), scope: SeedScope::Root, depth: None, source_tag: text.to_owned() };
        let mut campaign = Campaign { seeds: vec![seed], rules: standard_rules(), ..Campaign::new(text) };
        campaign.description = text.to_owned();
        campaign.politeness.user_agent = text.to_owned();
        browsertrix_yaml(&campaign, "x").0
    };
    if text.trim().is_empty() {
        return;
    }
    let seed = ["http://a.pt/", "http://a.pt/b?c=d"][dice.below(2)];
    let (hostile, harmless) = (of(&text, seed), of("x", seed));
    assert_eq!(hostile.lines().count(), harmless.lines().count(), "{hostile}");
    assert!(!hostile.contains(|c: char| c.is_control() && c != '\n'), "{hostile:?}");
    let (seeds, _, unread) = seeds_of_text(&text);
    assert!(seeds.len() + unread.len() <= text.lines().count());
}

/// Lines of objects: what a crawler fetched and decided, and pages of a crawl.
pub fn decisions(data: &[u8]) {
    let text = text_of(data);
    for line in text.split('\n') {
        let Ok(read) = CrawlLogLine::parse_stream(line) else { continue };
        let written = read.write();
        if let Ok(again) = CrawlLogLine::parse(&written) {
            assert_eq!(again.write(), written);
        }
        assert!(!written.contains('\n'), "{written}");
    }
    let (campaign, pages, unread) = browsertrix_campaign("x", &text);
    assert!(campaign.seeds.len() <= pages && pages + unread.len() <= text.lines().count());
    assert_eq!(Campaign::from_json(&campaign.to_json()).unwrap().seeds, campaign.seeds);
}
