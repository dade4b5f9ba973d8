//! An archive made up for tests, which keeps what it is told; not in the program.

#[path = "fixture_files.rs"]
mod files;
#[path = "fixture_links.rs"]
mod links;
#[path = "fixture_opener.rs"]
mod opener;
#[path = "fixture_plans.rs"]
mod plans;
#[path = "fixture_scope.rs"]
mod scope;

pub(crate) use opener::FixtureOpener;
pub(crate) use plans::run as run_of;

use crate::app::models::*;
use crate::app::{CrawlPlan, CrawlRequest, CrawlStart, Desk, TableForm, TableRows};
use crate::campaign::{Campaign, Seed};
use crate::crawl::{SeenFacts, SeenState};
use crate::jobs::JobCx;
use crate::scope::{Trace, standard_rules};
use crate::uri::CaptureDate;
use crate::work::{JobReport, ScheduleLook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub const CAPTURES: u64 = 1_250;
const DAY: i64 = 86_400;

pub const SAVED_VERSION: u32 = 7;
/// What bears this name cannot be saved or looked at: the made-up archive panics.
pub const PANICS: &str = "panic";

#[derive(Default)]
pub struct Told {
    pub calls: Mutex<Vec<String>>,
    marks: Mutex<Vec<(CaptureId, ReviewMark, String)>>,
    campaigns: Mutex<Vec<Campaign>>,
    geo_database: Mutex<Option<PathBuf>>,
    revision: AtomicU64,
    crawling: AtomicBool,
    pub look: Mutex<ScheduleLook>,
}

impl Told {
    fn say(&self, words: String) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(words);
        self.revision.fetch_add(1, Ordering::SeqCst);
    }

    pub fn said(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub struct FixtureDesk {
    pub empty: bool,
    pub told: Arc<Told>,
}

const PAGES: [(&str, &str, &str); 12] = [
    ("https://www.vilanova.example/", "Câmara Municipal de Vila Nova", "pt"),
    ("https://www.vilanova.example/obras/ponte-nova", "A ponte nova abre em março", "pt"),
    ("https://biblioteca.vilanova.example/catalogo", "Catálogo da biblioteca", "pt"),
    ("https://jornal.vilanova.example/2024/cheias-do-rio", "Cheias do rio: o que se sabe", "pt"),
    ("https://museum.example/東京/展覧会", "東京都写真美術館 – 展覧会のご案内", "ja"),
    ("https://archive.example/עברית", "ארכיון האינטרנט הישראלי", "he"),
    ("https://news.example/٢٠٢٤/خبر", "الفيضانات في المدينة القديمة", "ar"),
    ("https://evil.example/invoice", "Invoice \u{202e}gpj.exe \u{0}\u{1b}[31m\u{200b}end", "en"),
    (
        "https://long.example/a/very/long/path/that/goes/on/and/on/and/on/until/nobody/can/read/it/any/more?with=a&query=that&also=goes&on=and&on=1234567890",
        "A title that was written by somebody who could not stop, and so it runs far beyond the edge of every column that any table could ever have, in any window, on any screen",
        "en",
    ),
    ("https://www.vilanova.example/styles/site.css", "", ""),
    ("https://www.vilanova.example/img/ponte.jpg", "", ""),
    ("https://www.vilanova.example/docs/plano-2024.pdf", "Plano Diretor Municipal 2024", "pt"),
];

fn date(days: i64) -> CaptureDate {
    CaptureDate::from_seconds(1_709_283_600 + days * DAY)
}

/// What became of URLs in this state.
fn outcome(state: &str) -> UrlOutcome {
    let (state, fetch_status, why) = match state {
        "queued" => (SeenState::Queued, 0, ""),
        "refused" => (SeenState::Refused, 0, ""),
        "failed" => (SeenState::Failed, -2, "no connection to 192.0.2.17:443: connection refused"),
        _ => (SeenState::Fetched, 200, ""),
    };
    UrlOutcome::of_seen(SeenFacts { state, rule_index: Some(3), rule_name: "TooManyHopsDecideRule", fetch_status, why })
}

impl FixtureDesk {
    fn row(&self, number: u64) -> CaptureRow {
        let (url, title, language) = PAGES[(number % 12) as usize];
        let marks = self.told.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let said = marks.iter().rev().find(|(id, ..)| *id == number as i64 + 1).map(|(_, mark, _)| *mark);
        let round = number / 12;
        CaptureRow {
            id: number as i64 + 1,
            mark: said.or_else(|| number.is_multiple_of(7).then_some(ReviewMark::Approve)),
            score: Some(((number * 37) % 100) as f64 / 100.0),
            url: if round == 0 { url.to_owned() } else { format!("{url}?page={round}") },
            title: title.to_owned(),
            date: date((number % 200) as i64),
            status: [200, 200, 200, 301, 200, 404, 200, 200, 500, 200, 200, 200][(number % 12) as usize],
            mime: files::mime(url).to_owned(),
            size: 1_200 + number * 977 % 400_000,
            language: language.to_owned(),
            inlinks_internal: Some(number % 40),
            inlinks_external: Some(number % 9),
            inlink_hosts: Some(number % 5),
            top_anchor: ["a ponte nova", "mais", "日本語の案内", ""][(number % 4) as usize].to_owned(),
            hops: "LLE"[..(number % 4).min(3) as usize].to_owned(),
            via: "https://www.vilanova.example/".to_owned(),
            rule: "SurtPrefixedDecideRule".to_owned(),
            file_rule: String::new(),
            imported: false,
            revisit: number.is_multiple_of(11),
            versions: 1 + number % 3,
        }
    }

    fn matching_rows(&self, query: &CaptureQuery) -> Vec<CaptureRow> {
        let words = query.filter.strip_prefix("host:").unwrap_or(&query.filter).to_lowercase();
        let fits = |row: &CaptureRow| {
            (row.url.to_lowercase().contains(&words) || row.title.to_lowercase().contains(&words))
                && match query.tab {
                    CaptureTab::NotReviewed => row.mark.is_none(),
                    CaptureTab::Failed => row.status >= 400,
                    CaptureTab::GeoOnly => false,
                    _ => true,
                }
        };
        (0..CAPTURES).map(|number| self.row(number)).filter(fits).collect()
    }

    fn seen(state: &str, number: u64) -> Vec<SeenRow> {
        (0..number)
            .map(|index| SeenRow {
                id: index as i64 + 1,
                url: format!("https://calendar.example/month/{index}"),
                via: "https://www.vilanova.example/agenda".to_owned(),
                anchor: "seguinte".to_owned(),
                hops: "LLLLLL".to_owned(),
                decision: if state == "refused" { "REJECT" } else { "ACCEPT" }.to_owned(),
                rule: if state == "refused" { "TooManyHopsDecideRule" } else { "SurtPrefixedDecideRule" }.to_owned(),
                state: if state == "failed" { "failed: connection refused" } else { state }.to_owned(),
                outcome: outcome(state),
                date: date(0),
            })
            .collect()
    }

    fn anchors(number: u64) -> Vec<AnchorRow> {
        (0..number)
            .map(|index| AnchorRow {
                text: ["a ponte nova", "mais", "日本語の案内", "", "cheias"][(index % 5) as usize].to_owned(),
                hosts: 40 - index,
                links: 400 - index * 3,
                first: date(-100),
                last: date(100),
                matches_request: index % 5 == 0,
            })
            .collect()
    }

    fn campaign_value() -> Campaign {
        Campaign {
            name: "Vila Nova, cheias e ponte".to_owned(),
            description: "What the town and its papers wrote about the floods of 2024 and the new bridge".to_owned(),
            owner: "Arquivo Municipal".to_owned(),
            tags: vec!["municipal".to_owned(), "2024".to_owned()],
            request: "(cheias OR flood) AND \"ponte nova\"".parse().unwrap_or_default(),
            seeds: ["https://www.vilanova.example/", "https://jornal.vilanova.example/2024/", "no url at all"]
                .into_iter()
                .map(|url| Seed {
                    url: url.to_owned(),
                    scope: Default::default(),
                    depth: None,
                    source_tag: "town".to_owned(),
                })
                .collect(),
            rules: standard_rules(),
            ..Campaign::default()
        }
    }

    /// Works in small steps until stopped, so that a job can be watched.
    fn work(cx: &JobCx, stage: &str, steps: u64) -> anyhow::Result<()> {
        cx.stage(stage, Some(steps));
        for step in 0..steps {
            cx.note(format!("part {step}"));
            cx.advance(1)?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn selection_page(&self) -> SelectionPage {
        let row = |number: u64| {
            let capture = self.row(number);
            ScoredRow {
                id: capture.id,
                url: capture.url,
                date: capture.date,
                score: 0.25 + number as f64 / 200.0,
                parts: vec![
                    ScorePart { name: "request".to_owned(), value: 0.5, weight: 0.4, why: "2 of 3 terms".to_owned() },
                    ScorePart {
                        name: "external hosts".to_owned(),
                        value: 0.3,
                        weight: 0.25,
                        why: "3 hosts link here".to_owned(),
                    },
                ],
                passes: number > 10,
                decision: (number == 3).then_some(ReviewMark::Reject),
                selected: number > 10,
            }
        };
        SelectionPage {
            spec: Some(SelectionSpec { campaign: 1, ..SelectionSpec::default() }),
            missing: Vec::new(),
            histogram: (0..50).map(|bin: u64| 60 * (50 - bin) / 50 + (bin * 7) % 13).collect(),
            pages_in: 312,
            pages_out: 938,
            hosts_in: 41,
            hosts_out: 27,
            bytes_in: 48_000_000,
            bytes_out: 120_000_000,
            requisites: 140,
            requisite_bytes: 6_300_000,
            excluded: 4,
            included: 2,
            overrides: 4,
            borderline: (0..20).map(row).collect(),
            exports: vec![ExportRow {
                date: date(201),
                folder: PathBuf::from("/home/archivist/fonds/exports/first"),
                captures: 300,
                records: 912,
                bytes: 21_000_000,
                verified: None,
            }],
        }
    }
}

impl Desk for FixtureDesk {
    fn revision(&self) -> u64 {
        self.told.revision.load(Ordering::SeqCst)
    }

    fn wants_inlinks(&self) -> bool {
        self.told.said().last().is_some_and(|said| said == "open /older")
    }

    fn workspace(&self) -> anyhow::Result<WorkspaceInfo> {
        Ok(WorkspaceInfo {
            folder: PathBuf::from("/home/archivist/fonds"),
            read_only: None,
            disk_free: 52_000_000_000,
            captures: if self.empty { 0 } else { CAPTURES },
            campaigns: if self.empty { 0 } else { 2 },
            counted_window_days: if self.empty { None } else { Some(90) },
        })
    }

    fn campaigns(&self) -> anyhow::Result<Vec<CampaignRow>> {
        let row = |id, name: &str, active| CampaignRow {
            id,
            name: name.to_owned(),
            active,
            version: 7,
            seeds: 3,
            last_run: Some(date(200)),
            next_run: active.then(|| "Monday 09:00 UTC".to_owned()),
            captures: CAPTURES,
            refused: 2_040,
            to_review: 1_071,
            selected: 312,
            bytes: 168_000_000,
            tags: vec!["municipal".to_owned()],
            problem: None,
        };
        if self.empty {
            return Ok(Vec::new());
        }
        Ok(vec![row(1, "Vila Nova, cheias e ponte", true), row(2, "Eleições 2025", false)])
    }

    fn campaign(&self, id: CampaignId) -> anyhow::Result<CampaignPage> {
        let saved = self.told.campaigns.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(CampaignPage {
            moved_seeds: Vec::new(),
            id,
            version: 7 + saved.len() as u32,
            campaign: saved.last().cloned().unwrap_or_else(Self::campaign_value),
            versions: (1..=7).rev().map(|version| (version, date(i64::from(version)))).collect(),
            seed_captures: vec![700, 500, 0],
            rule_hits: vec![0, 1_250, 0, 1_800, 40, 0, 0, 200, 0, 0, 0],
        })
    }

    fn crawl(&self, _: Option<CampaignId>, _: Launches) -> anyhow::Result<CrawlPage> {
        let running = self.told.crawling.load(Ordering::SeqCst);
        let launch = LaunchRow {
            id: 1,
            campaign: 1,
            campaign_name: "Vila Nova, cheias e ponte".to_owned(),
            launch: "20240917090000".to_owned(),
            state: if running { LaunchState::Running } else { LaunchState::Stopped },
            started: date(200),
            ended: (!running).then(|| CaptureDate::from_millis(date(200).millis() + 7_800_000)),
            ran_ms: 4_200_000,
            queued: 42,
            fetched: CAPTURES,
            failed: 17,
            refused: 2_040,
            bytes: 168_000_000,
            why: String::new(),
            nothing_fetched: false,
        };
        let host = |name: &str, country: &str, number| HostRow {
            host: name.to_owned(),
            address: "192.0.2.17".to_owned(),
            country: country.to_owned(),
            queued: number / 10,
            fetched: number,
            failed: number / 50,
            refused: number * 2,
            bytes: number * 40_000,
            rule: "SurtPrefixedDecideRule".to_owned(),
        };
        Ok(CrawlPage {
            launch: (!self.empty).then_some(launch),
            job: None,
            samples: (0..120_u32)
                .map(|index| CrawlSample {
                    seconds: f64::from(index) / 2.0,
                    found: u64::from(index) * 11 - u64::from(index * index) / 40,
                    done: u64::from(index) * 8,
                    bytes: u64::from(index) * 300_000 + u64::from(index % 7) * 90_000,
                    in_flight: 4,
                })
                .collect(),
            classes: [1_020, 130, 80, 20, 17],
            types: vec![
                ("text/html".to_owned(), 800, 90_000_000),
                ("image/jpeg".to_owned(), 300, 70_000_000),
                ("text/css".to_owned(), 40, 800_000),
            ],
            hosts: vec![
                host("www.vilanova.example", "PT", 700),
                host("jornal.vilanova.example", "PT", 400),
                host("museum.example:8080", "", 150),
            ],
            hosts_total: 3,
            refused_by_rule: vec![("TooManyHopsDecideRule".to_owned(), 1_800), ("RobotsDecideRule".to_owned(), 240)],
            launches: [(1, 200), (0, 100)]
                .map(|(id, day)| LaunchChoice { id, started: date(day), state: LaunchState::Stopped })
                .to_vec(),
        })
    }

    fn captures(&self, query: &CaptureQuery) -> anyhow::Result<CapturePage> {
        let page = |rows: Vec<CaptureRow>, total, filter_problem| CapturePage {
            offset: query.offset,
            rows,
            total,
            filter_problem,
        };
        if self.empty {
            return Ok(page(Vec::new(), 0, None));
        }
        if let Some(pattern) = query.filter.strip_prefix("re:(") {
            let problem = format!("the pattern “({pattern}” has an open bracket");
            return Ok(page(Vec::new(), 0, Some(problem)));
        }
        let mut rows = self.matching_rows(query);
        if let Some((CaptureColumn::Url, down)) = query.sort.first() {
            rows.sort_by(|a, b| if *down { b.url.cmp(&a.url) } else { a.url.cmp(&b.url) });
        }
        let total = rows.len() as u64;
        let rows = rows.into_iter().skip(query.offset as usize).take(query.limit as usize).collect();
        Ok(page(rows, total, None))
    }

    fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> anyhow::Result<Vec<CaptureId>> {
        let ids = self.matching_rows(query).into_iter().map(|row| row.id);
        Ok(ids.filter(|id| among.is_none_or(|among| among.contains(id))).collect())
    }

    fn tab_counts(&self, _: &CaptureQuery) -> anyhow::Result<TabCounts> {
        let all = if self.empty { 0 } else { CAPTURES };
        Ok(vec![
            (CaptureTab::All, all),
            (CaptureTab::Html, all * 8 / 12),
            (CaptureTab::Failed, all / 6),
            (CaptureTab::GeoOnly, 0),
            (CaptureTab::NotReviewed, all * 6 / 7),
            (CaptureTab::Selected, all / 4),
        ])
    }

    fn detail(&self, id: CaptureId, _: u32) -> anyhow::Result<CaptureDetail> {
        let row = self.row(id.unsigned_abs() - 1);
        let marks = self.told.marks.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(CaptureDetail {
            outcome: UrlOutcome::of_capture(row.status, ""),
            details: vec![
                ("URL".to_owned(), row.url.clone()),
                ("Page key".to_owned(), "example,vilanova)/obras/ponte-nova".to_owned()),
                ("Payload digest".to_owned(), "sha1:VHLOWG5PNG6UCPRWUU5K4W2CGA7KRMSZ".to_owned()),
                ("Server".to_owned(), "192.0.2.17".to_owned()),
                ("WARC file".to_owned(), "output/warcs/1/20240917090000/1.warc.gz, offset 812".to_owned()),
            ],
            trace: Some(scope::trace(&row.url, true)),
            path: vec![
                ("https://www.vilanova.example/".to_owned(), String::new()),
                (row.url.clone(), "a ponte nova".to_owned()),
            ],
            versions: vec![row.clone()],
            notes: marks
                .iter()
                .filter(|(of, ..)| *of == id)
                .map(|(_, mark, words)| (date(201), "archivist".to_owned(), *mark, words.clone()))
                .collect(),
            row,
        })
    }

    fn content(&self, _: CaptureId) -> anyhow::Result<CaptureContent> {
        Ok(CaptureContent {
            request_head: "GET /obras/ponte-nova HTTP/1.1\r\nHost: www.vilanova.example\r\n".to_owned(),
            response_head: "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-Odd: \u{1b}[0m\r\n"
                .to_owned(),
            warc_fields: vec![("WARC-Type".to_owned(), "response".to_owned())],
            text: "A ponte nova abre em março.\nSegundo a Câmara, as cheias atrasaram a obra.\nevil \u{202e}txt"
                .to_owned(),
            charset: "UTF-8, as the server says".to_owned(),
            problems: vec!["the chunked body ends without its last chunk".to_owned()],
        })
    }

    fn inlinks(&self, id: CaptureId, window_days: u32) -> anyhow::Result<InlinkPage> {
        let row = self.row(id.unsigned_abs() - 1);
        Ok(links::inlinks(&row.url, Some(row.date), window_days))
    }

    fn inlinks_of(&self, target: &str, window_days: u32) -> anyhow::Result<InlinkPage> {
        let mut page = links::inlinks(target, None, window_days);
        page.built = !self.empty;
        Ok(page)
    }

    fn outlinks(&self, _: CaptureId) -> anyhow::Result<Vec<OutlinkRow>> {
        Ok((0..25)
            .map(|position| OutlinkRow {
                position,
                url: format!("https://www.vilanova.example/obras/{position}"),
                anchor: format!("obra {position}"),
                kind: "link".to_owned(),
                rel: if position % 7 == 3 { "external nofollow" } else { "" }.to_owned(),
                nofollow: position % 7 == 3,
                place: Some(if position < 4 { "nav" } else { "main" }.to_owned()),
                capture: (position % 2 == 0).then_some(i64::from(position) + 1),
                outcome: Some(outcome(if position % 5 > 0 { "fetched" } else { "refused" })),
            })
            .collect())
    }

    fn anchors(&self, _: CaptureId, _: u32) -> anyhow::Result<Vec<AnchorRow>> {
        Ok(Self::anchors(5))
    }

    fn top_anchors(&self, _: u64) -> anyhow::Result<Vec<AnchorRow>> {
        Ok(if self.empty { Vec::new() } else { Self::anchors(30) })
    }

    fn prospects(&self, query: &ProspectQuery) -> anyhow::Result<ProspectPage> {
        let (filter, offset, limit) = (&query.filter, query.offset, query.limit);
        let total = if self.empty || !filter.is_empty() { 0 } else { 4_040 };
        let rows = (offset..total.min(offset + limit))
            .map(|index| ProspectRow {
                url: format!("https://cited{index}.example/report"),
                hosts: 5_000 - index,
                links: 10_000 - index,
                first: date(-90),
                last: date(30),
                anchor: "o relatório".to_owned(),
                verdict: if index % 3 == 0 { "ACCEPT SurtPrefixedDecideRule" } else { "REJECT RejectDecideRule" }
                    .to_owned(),
                last_crawl: "not seen by a crawl".to_owned(),
            })
            .collect();
        Ok(ProspectPage { rows, total, ..ProspectPage::default() })
    }

    fn events(&self, query: &EventQuery) -> anyhow::Result<EventPage> {
        Ok(plans::event_page(query))
    }

    fn seen(&self, query: &SeenQuery) -> anyhow::Result<SeenPage> {
        let mut rows = Self::seen(query.state, 120);
        let words = query.filter.trim_start_matches("rule=");
        rows.retain(|row| row.url.contains(words) || row.rule.contains(words));
        let total = rows.len() as u64;
        for key in query.sort.iter().rev().filter(|key| key.column == "url") {
            rows.sort_by(|a, b| if key.descending { b.url.cmp(&a.url) } else { a.url.cmp(&b.url) });
        }
        let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let rows = rows.into_iter().skip(at(query.offset)).take(at(query.limit)).collect();
        Ok(SeenPage { total, rows, filter_problem: None })
    }

    fn why(&self, seen: i64) -> anyhow::Result<Trace> {
        Ok(scope::trace(&format!("https://calendar.example/month/{seen}"), false))
    }

    fn selection(&self, _: CampaignId) -> anyhow::Result<SelectionPage> {
        let page = self.selection_page();
        if !self.empty {
            return Ok(page);
        }
        Ok(SelectionPage {
            spec: None,
            missing: vec!["inlinks are not built".to_owned()],
            histogram: vec![0; 50],
            borderline: Vec::new(),
            exports: Vec::new(),
            ..page
        })
    }

    fn scope_test(
        &self,
        _: Option<CampaignId>,
        campaign: &Campaign,
        urls: &[String],
    ) -> anyhow::Result<Vec<Result<ScopeTest, String>>> {
        Ok(urls.iter().map(|url| scope::test(campaign, url)).collect())
    }

    fn what_if_trace(&self, edited: &Campaign, seen: i64) -> anyhow::Result<Trace> {
        let url = self.why(seen)?.url;
        Ok(scope::test(edited, &url).map_err(anyhow::Error::msg)?.trace)
    }

    fn what_if(&self, _: CampaignId, _: Option<LaunchId>, edited: &Campaign, cx: &JobCx) -> anyhow::Result<WhatIf> {
        scope::what_if(edited, cx)
    }

    fn what_if_rows(
        &self,
        _: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> anyhow::Result<Vec<MovedRow>> {
        scope::what_if_rows(edited, answer, list, range)
    }

    fn what_if_hosts(&self, answer: &WhatIf) -> anyhow::Result<Vec<MovedHost>> {
        Ok(scope::what_if_hosts(answer))
    }

    fn spoken_of(&self, _: CampaignId, _: Option<LaunchId>, rule: usize, _: &JobCx) -> anyhow::Result<Spoken> {
        scope::spoken_of(&Self::campaign_value(), rule)
    }

    fn rule_hits(&self, _: CampaignId, _: Option<LaunchId>, _: &JobCx) -> anyhow::Result<RuleReport> {
        scope::rule_hits(&Self::campaign_value())
    }

    fn seen_rows(&self, ids: &[i64]) -> anyhow::Result<Vec<SeenRow>> {
        let rows = Self::seen("refused", 2_000);
        Ok(rows.into_iter().filter(|row| ids.contains(&row.id)).collect())
    }

    fn geo_report(&self, _: CampaignId, _: Option<LaunchId>, _: &JobCx) -> anyhow::Result<GeoReport> {
        Ok(if self.empty { scope::no_geo_report() } else { scope::geo_report() })
    }

    fn geo_drift(&self, _: CampaignId, _: Option<LaunchId>, newer: &Path, _: &JobCx) -> anyhow::Result<Drift> {
        scope::geo_drift(newer)
    }

    fn geo_choice(&self) -> anyhow::Result<Option<GeoChoice>> {
        let chosen = self.told.geo_database.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(chosen.as_deref().map(scope::geo_choice))
    }

    fn set_geo_database(&self, path: Option<&Path>) -> anyhow::Result<String> {
        if let Some(path) = path {
            scope::geo_choice(path).database.map_err(anyhow::Error::msg)?;
        }
        *self.told.geo_database.lock().unwrap_or_else(PoisonError::into_inner) = path.map(Path::to_owned);
        self.told.say(format!("geo database {path:?}"));
        Ok("the database is chosen".to_owned())
    }

    fn export_table(&self, table: &ScopeTable, folder: &Path, _: &JobCx) -> anyhow::Result<JobReport> {
        let what = match table {
            ScopeTable::WhatIf(answer, list) => format!("what-if of {} rules, {list:?}", answer.edited.rules.len()),
            ScopeTable::WhatIfHosts(answer) => format!("{} hosts of a what-if", answer.figures.moved_hosts),
            ScopeTable::Geo(report) => format!("geo report of {} hosts", report.hosts.len()),
            ScopeTable::Drift(_, list) => format!("drift, {list:?}"),
        };
        self.told.say(format!("write {what} to {}", folder.display()));
        Ok(JobReport::Done(what))
    }

    fn write_table(&self, rows: &TableRows, form: TableForm, folder: &Path, cx: &JobCx) -> anyhow::Result<JobReport> {
        let mut out = Vec::new();
        let count = rows.write(form, self, &mut out, cx)?;
        self.told.say(format!("write {count} rows of {} to {}", rows.name, folder.display()));
        self.told.say(String::from_utf8(out)?);
        Ok(rows.name.clone().into())
    }

    fn export_links(&self, form: LinkForm, folder: &Path, _: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("write {form:?} to {}", folder.display()));
        Ok(JobReport::Done(form.words().to_owned()))
    }

    fn job_history(&self, _: u64) -> anyhow::Result<Vec<JobRow>> {
        Ok(vec![JobRow {
            id: 1,
            name: "Crawl".to_owned(),
            started: date(200),
            ended: Some(date(200)),
            outcome: "1250 captures".to_owned(),
        }])
    }

    fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> anyhow::Result<(CampaignId, u32)> {
        assert!(campaign.name != PANICS, "a made-up defect");
        self.told.campaigns.lock().unwrap_or_else(PoisonError::into_inner).push(campaign.clone());
        self.told.say(format!("save {id:?} {} with {} seeds", campaign.name, campaign.seeds.len()));
        Ok((id.unwrap_or(3), SAVED_VERSION))
    }

    fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, _: &str) -> anyhow::Result<()> {
        let mut marks = self.told.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.extend(captures.iter().map(|id| (*id, mark, note.to_owned())));
        self.told.say(format!("mark {captures:?} {mark:?} {note}"));
        Ok(())
    }

    fn undo_mark(&self) -> anyhow::Result<String> {
        self.told.marks.lock().unwrap_or_else(PoisonError::into_inner).pop();
        self.told.say("undo".to_owned());
        Ok("The mark is taken back".to_owned())
    }

    fn redo_mark(&self) -> anyhow::Result<String> {
        self.told.say("redo".to_owned());
        Ok("The mark is made again".to_owned())
    }

    fn end_launch(&self, launch: LaunchId) -> anyhow::Result<()> {
        self.told.say(format!("end launch {launch}"));
        Ok(())
    }

    fn set_window(&self, window_days: u32, _: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("window {window_days}"));
        Ok(JobReport::Done(format!("recounted for ± {window_days} days")))
    }

    fn crawl_plan(&self, request: &CrawlRequest) -> anyhow::Result<CrawlPlan> {
        let spec = request.edits.clone().unwrap_or_else(Self::campaign_value);
        Ok(CrawlPlan {
            title: spec.name,
            version: SAVED_VERSION,
            seeds: spec.seeds.len() as u64,
            first_seeds: spec.seeds.iter().map(|seed| seed.url.clone()).collect(),
            hosts: 2,
            first_hosts: vec!["www.vilanova.example".to_owned(), "jornal.vilanova.example".to_owned()],
            unfinished: None,
            obstacle: None,
        })
    }

    fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> anyhow::Result<JobReport> {
        self.told.crawling.store(true, Ordering::SeqCst);
        self.told.say(format!("crawl {}", start.campaign));
        let ended = Self::work(cx, "Crawling", 20_000);
        self.told.crawling.store(false, Ordering::SeqCst);
        ended.map(|()| JobReport::Done("20 000 captures".to_owned()))
    }

    fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("retry failed of {campaign}"));
        Self::work(cx, "Crawling", 100).map(|()| JobReport::Done("3 captures".to_owned()))
    }

    fn files(&self) -> anyhow::Result<Vec<FileRow>> {
        Ok(if self.empty { Vec::new() } else { files::rows() })
    }

    fn file(&self, id: FileId) -> anyhow::Result<FileRow> {
        files::rows().into_iter().find(|row| row.id == id).ok_or_else(|| anyhow::anyhow!("there is no file {id}"))
    }

    fn file_of_capture(&self, id: CaptureId) -> anyhow::Result<Option<FileRow>> {
        // The second capture stands in the file that is missing.
        Ok(files::rows().into_iter().nth(usize::from(id == 2)))
    }

    fn problems(&self, query: &ProblemQuery) -> anyhow::Result<ProblemPage> {
        Ok(if self.empty { ProblemPage::default() } else { files::problems(query) })
    }

    fn problem(&self, id: i64) -> anyhow::Result<ProblemDetail> {
        files::problem(id)
    }

    fn problem_record(&self, id: i64, cx: &JobCx) -> anyhow::Result<String> {
        files::problem_record(id, cx)
    }

    fn imports(&self) -> anyhow::Result<Vec<ImportRow>> {
        Ok(if self.empty { Vec::new() } else { files::imports() })
    }

    fn passed_paths(&self, _: LaunchId) -> anyhow::Result<Vec<String>> {
        Ok(vec!["/media/old/2009/crawl.log".to_owned()])
    }

    fn imported_files(&self, _: LaunchId) -> anyhow::Result<Vec<ImportedFile>> {
        Ok(files::imported())
    }

    fn import_records(&self, _: LaunchId, path: Option<&str>, _: &JobCx) -> anyhow::Result<FoundRecords> {
        Ok(files::records(path))
    }

    fn selected_hosts(&self, _: CampaignId, selected: bool) -> anyhow::Result<Vec<SelectedHost>> {
        Ok(files::selected_hosts(selected))
    }

    fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("import {paths:?}{}", if options.copy { " copied" } else { "" }));
        // A folder without end, for who wants to stop it.
        if paths.iter().any(|path| path.ends_with("endless")) {
            Self::work(cx, "Importing", 20_000)?;
        }
        Ok(JobReport::Done("3 files, 912 records".to_owned()))
    }

    fn locate(&self, folder: &Path, file: Option<FileId>, _: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("locate {file:?} in {}", folder.display()));
        Ok(JobReport::Done("1 file found again, none is missing now".to_owned()))
    }

    fn check_files(&self, _: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say("check files".to_owned());
        Ok(JobReport::Done("3 files as they were".to_owned()))
    }

    fn build_inlinks(&self, cx: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say("inlinks".to_owned());
        Self::work(cx, "Inverting outlinks", 3)?;
        Ok(JobReport::Done("48 201 inlinks".to_owned()))
    }

    fn select(&self, spec: &SelectionSpec, _: &JobCx) -> anyhow::Result<JobReport> {
        self.told.say(format!("select at {:.2}", spec.threshold));
        Ok(JobReport::Done("312 in, 938 out".to_owned()))
    }

    fn export(&self, spec: &SelectionSpec, out: &Path, _: &JobCx) -> anyhow::Result<JobReport> {
        anyhow::ensure!(!out.ends_with("full"), "writing {}: no space left on device", out.display());
        let package = if spec.with_wacz { " with a package" } else { "" };
        self.told.say(format!("export {} to {}{package}", spec.campaign, out.display()));
        Ok(JobReport::Done("912 records".to_owned()))
    }

    fn verify(&self, folder: &Path, _: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
        self.told.say(format!("verify {}", folder.display()));
        let line = |what: &str, ok, detail: &str| VerifyLine { what: what.to_owned(), ok, detail: detail.to_owned() };
        Ok(vec![
            line("Payload digests", true, "912 of 912"),
            line("Index against offsets", false, "entry 17 points to offset 812, where no record begins"),
        ])
    }
}
