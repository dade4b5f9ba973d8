//! Verdicts, what edits would change, and evidence of the made-up archive.

use super::date;
use crate::app::DeskResult;
use crate::app::models::*;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{
    AddressCountry, AnswerSource, Candidate, DecideRules, Decision, Facts, GeoEvidence, GeoFact, Trace, TraceStep,
    Verdict,
};
use crate::uri::parse_web_url;
use std::path::Path;

pub(super) fn trace(url: &str, accept: bool) -> Trace {
    let step = |index, words: &str, tested: &str, enabled, said, deciding| TraceStep {
        index,
        name: format!("Rule{index}"),
        words: words.to_owned(),
        enabled,
        tested: tested.to_owned(),
        said,
        deciding,
    };
    let hops = if accept { None } else { Some(Decision::Reject) };
    Trace {
        url: url.to_owned(),
        steps: vec![
            step(0, "reject everything", "", true, Some(Decision::Reject), false),
            step(1, "accept what the seeds reach", "http://(example,vilanova,", true, Some(Decision::Accept), accept),
            step(2, "accept servers in PT", "not asked", false, None, false),
            step(3, "reject more than 20 hops", "24 hops", true, hops, !accept),
        ],
        verdict: Verdict {
            decision: if accept { Decision::Accept } else { Decision::Reject },
            rule_index: Some(if accept { 1 } else { 3 }),
            rule_name: if accept { "SurtPrefixedDecideRule" } else { "TooManyHopsDecideRule" }.to_owned(),
        },
        turn: (!accept).then(|| "a limit of 24 hops or more".to_owned()),
    }
}

/// One seed of the made-up campaign is no URL, with which no rule can be read.
fn readable(campaign: &Campaign) -> Campaign {
    let mut campaign = campaign.clone();
    campaign.seeds.retain(|seed| parse_web_url(&seed.url).is_some());
    campaign
}

/// The rules as they are edited; nothing is known of any host.
pub(super) fn test(campaign: &Campaign, url: &str) -> Result<ScopeTest, String> {
    let url = parse_web_url(url).ok_or_else(|| format!("“{url}” is no http or https URL"))?;
    let campaign = &readable(campaign);
    let rules = DecideRules::compile(campaign).map_err(|error| error.to_string())?;
    let (trace, turn) = rules.explain_with_turn(&Candidate::bare(url), &Facts::default());
    let turn = turn.filter(|turn| turn.apply(campaign) != *campaign);
    Ok(ScopeTest { trace, turn })
}

fn has_country(edited: &Campaign) -> bool {
    edited.rules.iter().any(|rule| {
        rule["rule"] == "geolocation"
            && rule["enabled"] != false
            && rule["countries"].as_array().is_some_and(|list| !list.is_empty())
    })
}

/// A country brings ten thousand URLs in and leaves three open; every rule
/// less than eleven throws hundred out.
pub(super) fn what_if(edited: &Campaign, cx: &JobCx) -> DeskResult<WhatIf> {
    DecideRules::compile(&readable(edited))?;
    cx.stage("Trying the edited rules", Some(1_250));
    cx.checkpoint()?;
    let moved = |urls: u64, bytes| Moved {
        urls,
        hosts: urls.div_ceil(100),
        captured: if bytes > 0 { urls } else { 0 },
        bytes,
        ids: (0..i64::try_from(urls).unwrap_or(0)).collect(),
    };
    let country = has_country(edited);
    let gone = 11_u64.saturating_sub(edited.rules.len() as u64);
    Ok(WhatIf {
        launches: vec![1],
        seen: 20_000,
        apart: 0,
        stay_in: 1_000,
        stay_out: 240,
        other_rule: 0,
        unknown: moved(if country { 3 } else { 0 }, 0),
        unfetched: 0,
        by_rule: Vec::new(),
        moved_hosts: if country { 100 } else { 0 } + gone,
        moved_in: moved(if country { 10_000 } else { 0 }, 0),
        moved_out: moved(gone * 100, gone * 4_000_000),
    })
}

pub(super) fn what_if_rows(
    edited: &Campaign,
    answer: &WhatIf,
    side: MovedSide,
    range: std::ops::Range<u64>,
) -> DeskResult<Vec<MovedRow>> {
    let (before, after) = (trace("", side == MovedSide::Out), trace("", side == MovedSide::In));
    let country = edited.rules.iter().position(|rule| rule["rule"] == "geolocation");
    let word = match side {
        MovedSide::In => "come",
        MovedSide::Out => "go",
        MovedSide::Unknown => "unknown",
    };
    let row = |number: u64| MovedRow {
        seen: number as i64,
        launch: 1,
        url: format!("http://{word}{}.example:8080/{number}", number / 100),
        via: "https://www.vilanova.example/".to_owned(),
        hops: "L".to_owned(),
        before: before.verdict.clone(),
        after: match side {
            MovedSide::In => Verdict {
                decision: Decision::Accept,
                rule_index: country,
                rule_name: "ExternalGeoLocationDecideRule".to_owned(),
            },
            _ => after.verdict.clone(),
        },
        bytes: (side == MovedSide::Out).then_some(10_000),
    };
    Ok((range.start..range.end.min(answer.side(side).urls)).map(row).collect())
}

pub(super) fn rule_hits(campaign: &Campaign) -> DeskResult<Vec<RuleHits>> {
    let rules = DecideRules::compile(&readable(campaign))?;
    let lines = rules.lines().map(|(index, name, words, enabled)| RuleHits {
        index,
        name: name.to_owned(),
        words,
        enabled,
        spoke: 3_290 - 100 * index as u64,
        decided: if index == 3 { 1_800 } else { 0 },
        seen: Some(8),
        example: Some(format!("https://calendar.example/month/{index}")),
        ids: if index == 3 { (1..=1_800).collect() } else { Vec::new() },
    });
    Ok(lines.collect())
}

fn evidence(country: &str, build: i64) -> GeoEvidence {
    GeoEvidence {
        date: date(3),
        addresses: vec![AddressCountry::new(
            std::net::IpAddr::from([192, 0, 2, 17]),
            "192.0.2.0/24",
            Some(country.to_owned()),
        )],
        database: "Made-Up-Country".to_owned(),
        database_build: date(build),
        source: AnswerSource::Resolver,
    }
}

pub(super) fn no_geo_report() -> GeoReport {
    GeoReport { hosts: Vec::new(), decided: 0, otherwise: 0 }
}

pub(super) fn geo_report() -> GeoReport {
    let host = |name: &str, evidence, also: &[&str]| GeoHost {
        host: name.to_owned(),
        urls: 41,
        also: also.iter().map(|name| (*name).to_owned()).collect(),
        evidence,
        first_url: format!("https://{name}/começo"),
        first_seen: date(2),
        first_via: "https://www.vilanova.example/".to_owned(),
        captures: 38,
        bytes: 2_400_000,
    };
    GeoReport {
        hosts: vec![
            host("diaspora.example", GeoFact::Known(evidence("PT", -30)), &["TransclusionDecideRule"]),
            host("ferry.example:8080", GeoFact::Failed { why: "no such host".to_owned() }, &[]),
        ],
        decided: 90,
        otherwise: 8,
    }
}

pub(super) fn geo_drift(newer: &Path) -> DeskResult<Drift> {
    geo_choice(newer).database.map_err(anyhow::Error::msg)?;
    Ok(Drift {
        hosts: vec![DriftHost {
            host: "diaspora.example".to_owned(),
            moved_in: 0,
            moved_out: 41,
            example: "https://diaspora.example/começo".to_owned(),
            old: evidence("PT", -30),
            new: evidence("FR", 60),
        }],
        known: 90,
        moved: 4,
        failed: 1,
        database: "Made-Up-Country".to_owned(),
        database_build: date(60),
        remarks: vec!["the country database was built a long time ago".to_owned()],
    })
}

/// A file is sound unless its name says otherwise.
pub(super) fn geo_choice(path: &Path) -> GeoChoice {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let database = if name.contains("broken") {
        Err(format!("{} is not a sound MaxMind database (.mmdb): cut off; download it again", path.display()))
    } else {
        Ok(GeoDatabaseInfo {
            database_type: "Made-Up-Country".to_owned(),
            build_date: date(60),
            nodes: 1_234_567,
            knows_ipv6: true,
            len_bytes: 7_000_000,
            remark: Some("the country database (Made-Up-Country) was built on 2024-04-30, 200 days ago".to_owned()),
        })
    };
    GeoChoice { path: path.to_owned(), database }
}
