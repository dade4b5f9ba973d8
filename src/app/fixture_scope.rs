//! Verdicts, what edits would change, and evidence of the made-up archive.

use super::date;
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
    let (trace, turn) = rules.explain_with_remedy(&Candidate::bare(url), &Facts::default());
    let turn = turn.filter(|turn| turn.apply(campaign) != *campaign);
    Ok(ScopeTest { trace, turn })
}

/// The rule that is switched on and has a country.
fn country_rule(edited: &Campaign) -> Option<usize> {
    edited.rules.iter().position(|rule| {
        rule["rule"] == "geolocation"
            && rule["enabled"] != false
            && rule["countries"].as_array().is_some_and(|list| !list.is_empty())
    })
}

/// What comes in is on hosts from 0 on, what goes out on those from here on.
const GOING: HostNumber = 1_000;

fn host_id(side: MovedSide, seen: i64) -> i64 {
    seen / 100 + if side == MovedSide::Out { GOING.into() } else { 0 }
}

pub(super) fn what_if_hosts(answer: &WhatIf) -> Vec<MovedHost> {
    let name = |moves: &HostMoves| {
        let side = if moves.id < GOING { MovedSide::In } else { MovedSide::Out };
        host_name(side, i64::from(moves.id % GOING) * 100)
    };
    answer.hosts.iter().map(|moves| moves.named(name(moves))).collect()
}

fn host_name(side: MovedSide, seen: i64) -> String {
    let word = match side {
        MovedSide::In => "come",
        MovedSide::Out => "go",
        MovedSide::Unknown => "unknown",
    };
    format!("{word}{}.example:8080", seen / 100)
}

/// A country brings ten thousand URLs in and leaves three open; every rule
/// less than eleven throws hundred out.
pub(super) fn what_if(edited: &Campaign, cx: &JobCx) -> anyhow::Result<WhatIf> {
    cx.stage("Trying the edited rules", Some(1_250));
    cx.checkpoint()?;
    let moved = |side, urls: u64, rule, bytes: Option<u64>| Moved {
        urls,
        hosts: urls.div_ceil(100),
        captured: if bytes.is_some() { urls } else { 0 },
        bytes: bytes.unwrap_or(0) * urls,
        list: (0..i64::try_from(urls).unwrap_or(0))
            .map(|seen| {
                let mut url = MovedUrl::new(seen, host_id(side, seen), rule);
                if bytes.is_some() {
                    url.set_captured();
                }
                url
            })
            .collect(),
    };
    let country = country_rule(edited);
    let gone = 11_u64.saturating_sub(edited.rules.len() as u64);
    let come = if country.is_some() { 10_000 } else { 0 };
    let untold: Vec<i64> = (0..come / 2_000).collect();
    let rules = DecideRules::compile(&readable(edited))?;
    let by_rule = rules.lines().map(|(index, name, words, enabled)| RuleMoves {
        index,
        name: name.to_owned(),
        words,
        enabled,
        moved_in: if country == Some(index) { come.unsigned_abs() } else { 0 },
        moved_out: if index == 3 { gone * 100 } else { 0 },
    });
    let mut seen_ids = Runs::default();
    (0..20_000).for_each(|seen| seen_ids.push(seen));
    let coming = (0..come as HostNumber / 100).map(|id| HostMoves { id, moved_in: 100, ..HostMoves::default() });
    let going = (0..gone as HostNumber).map(|id| HostMoves {
        id: GOING + id,
        moved_out: 100,
        captured: 100,
        bytes: 4_000_000,
        ..HostMoves::default()
    });
    Ok(WhatIf {
        launches: vec![1],
        seen: 20_000,
        seen_ids,
        hosts: coming.chain(going).collect(),
        apart: 0,
        stay_in: 1_000,
        stay_out: 240,
        other_rule: 0,
        other_rule_ids: Vec::new(),
        unknown: moved(MovedSide::Unknown, if country.is_some() { 3 } else { 0 }, None, None),
        unfetched: untold.len() as u64,
        unfetched_ids: untold,
        by_rule: by_rule.collect(),
        moved_hosts: come.unsigned_abs() / 100 + gone,
        moved_in: moved(MovedSide::In, come.unsigned_abs(), country, None),
        moved_out: moved(MovedSide::Out, gone * 100, Some(3), Some(40_000)),
        remarks: Vec::new(),
    })
}

/// Those that have a capture cannot be read.
pub(super) fn what_if_rows(
    edited: &Campaign,
    answer: &WhatIf,
    list: WhatIfList,
    range: std::ops::Range<u64>,
) -> anyhow::Result<Vec<MovedRow>> {
    anyhow::ensure!(list != WhatIfList::Captured, "the disk has gone");
    let country = country_rule(edited);
    let coming = WhatIf { moved_out: Moved::default(), ..answer.clone() }.ids(list).count();
    let row = |(at, seen): (usize, i64)| {
        let side = match list {
            WhatIfList::Side(side) => side,
            WhatIfList::Seen => return unmoved(seen),
            _ if at < coming => MovedSide::In,
            _ => MovedSide::Out,
        };
        MovedRow {
            seen,
            launch: 1,
            url: format!("http://{}/{seen}", host_name(side, seen)),
            via: "https://www.vilanova.example/".to_owned(),
            hops: "L".to_owned(),
            before: trace("", side == MovedSide::Out).verdict,
            after: match side {
                MovedSide::In => Verdict {
                    decision: Decision::Accept,
                    rule_index: country,
                    rule_name: "ExternalGeoLocationDecideRule".to_owned(),
                },
                _ => trace("", false).verdict,
            },
            bytes: (side == MovedSide::Out).then_some(40_000),
            // One of those that cannot be told was looked up meanwhile.
            as_counted: side != MovedSide::Unknown || seen > 0,
        }
    };
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let rows = answer.ids(list).enumerate().skip(at(range.start)).take(at(range.end - range.start));
    Ok(rows.map(row).collect())
}

fn unmoved(seen: i64) -> MovedRow {
    let verdict = trace("", true).verdict;
    MovedRow {
        seen,
        launch: 1,
        url: format!("http://tried.example/{seen}"),
        via: String::new(),
        hops: "L".to_owned(),
        before: verdict.clone(),
        after: verdict,
        bytes: None,
        as_counted: true,
    }
}

pub(super) fn rule_hits(campaign: &Campaign) -> anyhow::Result<RuleReport> {
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
        ids: if index == 3 { (1..=1_800).collect() } else { FirstIds::default() },
    });
    let remarks = vec!["1 URL cannot be read and is left out: “http://[”: invalid IPv6 address".to_owned()];
    Ok(RuleReport { rules: lines.collect(), remarks })
}

pub(super) fn spoken_of(campaign: &Campaign, rule: usize) -> anyhow::Result<Spoken> {
    let RuleReport { rules, remarks } = rule_hits(campaign)?;
    let hits = rules.into_iter().nth(rule);
    let (name, words) = hits.map(|hits| (hits.name, hits.words)).unwrap_or_default();
    Ok(Spoken { name, words, ids: (1..=3_290 - 100 * rule as i64).collect(), remarks })
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
    GeoReport::default()
}

pub(super) fn geo_report() -> GeoReport {
    let host = |name: &str, evidence, also: &[&str]| GeoHost {
        host: name.to_owned(),
        urls: 41,
        ids: (1..=41).collect(),
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
        otherwise_ids: (42..50).collect(),
        remarks: Vec::new(),
    }
}

pub(super) fn geo_drift(newer: &Path) -> anyhow::Result<Drift> {
    geo_choice(newer).database.map_err(anyhow::Error::msg)?;
    let host = |name: &str, out: i64| DriftHost {
        host: name.to_owned(),
        moved_in: 0,
        moved_out: out.unsigned_abs(),
        ids_in: FirstIds::default(),
        ids_out: (1..=out).collect(),
        example: if out > 0 { format!("https://{name}/começo") } else { String::new() },
        old: evidence("PT", -30),
        new: evidence("FR", 60),
    };
    Ok(Drift {
        hosts: vec![host("diaspora.example", 41)],
        quiet: vec![host("quiet.example", 0), host("still.example", 0), host("stillness.example", 0)],
        known: 90,
        known_hosts: (0..90).map(|at| (format!("known{at}.example"), "192.0.2.17 is PT".to_owned())).collect(),
        moved: 4,
        failed: 1,
        failures: vec![("gone.example".to_owned(), "no such host".to_owned())],
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
