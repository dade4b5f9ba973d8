//! The report for people: what the collection is, how it was selected, what it
//! holds and lacks, and how to check it.

use super::decision_counts::DecisionCounts;
use super::page::{self, Block, counted_by};
use super::{CaptureGrounds, ExportedEvidence, Ground};
use crate::analysis::{Judgement, Matcher, TermCoverage};
use crate::campaign::{Campaign, Criterion, Permission, Term};
use crate::export::Written;
use crate::jobs::JobCx;
use crate::scope::{AddressCountry, GeoFact};
use crate::store::{Lacking, StoreError, Workspace};
use crate::uri::CaptureDate;
use crate::work::judgements::evaluations_by_judge;
use crate::work::models::{Balance, CampaignId, CaptureId, ReviewMark, SelectionSpec};
use anyhow::Context;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};

/// Resources that nobody captured and that are listed.
const MOST_MISSING: u64 = 50;

/// What a report is made of beyond the catalogue.
#[derive(Clone)]
pub(super) struct ReportFacts<'a> {
    /// The campaign.
    pub id: CampaignId,
    /// Its version.
    pub version: u32,
    /// Its value.
    pub campaign: Campaign,
    /// What selected the captures.
    pub spec: SelectionSpec,
    /// The rules of the scope as sentences.
    pub rules: Vec<String>,
    /// The selection in figures.
    pub balance: Balance,
    /// Captures that come along because a selected page needs them.
    pub requisites: &'a [CaptureId],
    /// What pages of it need and nobody captured.
    pub missing: Rc<MissingLookup>,
    /// What pages lack since a person rejected it.
    pub lacking: &'a RefCell<Vec<Lacking>>,
    /// What is handed over, in its order.
    pub captures: &'a [CaptureId],
    /// The files that prove permissions.
    pub evidence: &'a ExportedEvidence,
    /// What captures stand on.
    pub grounds: &'a CaptureGrounds<'a>,
}

/// Looks up what pages need and nobody captured, while the archive files are written.
pub(in crate::work) struct MissingLookup(Receiver<MissingAnswer>);

type MissingAnswer = Result<(u64, Vec<(String, u64)>), StoreError>;

impl MissingLookup {
    /// A lookup, and what a thread has to do for it.
    pub(in crate::work) fn new<'a>(
        workspace: &'a Workspace,
        campaign: CampaignId,
        requisites: &'a [CaptureId],
        cx: &'a JobCx,
    ) -> (Self, impl FnOnce() + Send + use<'a>) {
        let (send, answer) = channel();
        let look_up = move || {
            let missing = workspace.catalogue().missing_resources(campaign, requisites, MOST_MISSING, cx);
            // Nobody may wait for it any more.
            let _ = send.send(missing);
        };
        (Self(answer), look_up)
    }

    fn answer(&self) -> anyhow::Result<(u64, Vec<(String, u64)>)> {
        Ok(self.0.recv().context("what is missing was not looked up")??)
    }
}

/// The report in both forms: HTML, Markdown.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn report(
    workspace: &Workspace,
    facts: &ReportFacts<'_>,
    written: &Written<'_>,
) -> anyhow::Result<(String, String)> {
    let blocks = blocks(workspace, facts, written)?;
    let title = match facts.campaign.name.as_str() {
        "" => "Export".to_owned(),
        name => name.to_owned(),
    };
    Ok((page::html(&title, &blocks), page::markdown(&title, &blocks)))
}

fn blocks(workspace: &Workspace, facts: &ReportFacts<'_>, written: &Written<'_>) -> anyhow::Result<Vec<Block>> {
    let catalogue = workspace.catalogue();
    let ReportFacts { id, campaign, spec, .. } = facts;
    let balance = &facts.balance;
    let figures = catalogue.selected_figures(*id)?;
    let counts = written.counts;
    let decided = DecisionCounts::of(workspace, *id)?;
    let excluded = balance.excluded + decided.not_here(ReviewMark::Reject);
    let mut out = vec![
        Block::Facts(vec![
            ("What it is for", campaign.description.clone()),
            ("Who answers for it", campaign.owner.clone()),
            ("Campaign", format!("{} version {}", campaign.name, facts.version)),
            ("Written", CaptureDate::now().to_warc()),
            ("Software", concat!("Fonds/", env!("CARGO_PKG_VERSION")).to_owned()),
        ]),
        Block::Heading("What was looked for".to_owned()),
        Block::Text(match campaign.request.to_string() {
            request if request.trim().is_empty() => {
                "The campaign has no request: every page in scope counts.".to_owned()
            }
            request => request,
        }),
    ];
    coverage(&mut out, workspace, facts)?;
    out.extend([
        Block::Heading("Where the crawl went".to_owned()),
        Block::Table {
            head: vec!["Seed", "Scope"],
            numbers: vec![],
            rows: campaign.seeds.iter().map(|seed| vec![seed.url.clone(), name_of(seed.scope)]).collect(),
        },
        Block::Text("Rules apply in order; the last match decides:".to_owned()),
        Block::Table {
            head: vec!["#", "Rule"],
            numbers: vec![0],
            rows: facts.rules.iter().enumerate().map(|(at, rule)| vec![at.to_string(), rule.clone()]).collect(),
        },
        Block::Heading("How captures were selected".to_owned()),
        Block::Facts(vec![
            ("Selected by", spec.criterion()),
            ("Selected", format!("{} captures of {} hosts", balance.inside.captures, balance.inside.hosts)),
            ("Left out", format!("{} captures of {} hosts", balance.outside.captures, balance.outside.hosts)),
            ("Included by hand", balance.included.to_string()),
            ("Excluded by hand", excluded.to_string()),
            ("Against score or filter", balance.overrides.to_string()),
            ("Window of inlinks", format!("{} days before and after a capture", spec.window_days)),
            (
                "Embedded resources of selected pages",
                embedded(spec, facts.requisites.len(), workspace.catalogue().vetoed(*id)?),
            ),
        ]),
        Block::Table {
            head: vec!["Part of the score", "Weight"],
            numbers: vec![1],
            rows: weights(spec).into_iter().map(|(part, weight)| vec![part, weight]).collect(),
        },
        Block::Heading("What this export holds".to_owned()),
        Block::Facts(vec![
            ("Captures", counts.captures.to_string()),
            ("Records", counts.records.to_string()),
            ("Originals of revisits that came along", counts.originals_added.to_string()),
            ("Revisits without their original", counts.revisits_unresolved.to_string()),
            ("Pages with inlinks", counts.inlink_objects.to_string()),
        ]),
    ]);
    for (of, counts) in [
        ("Month", figures.months),
        ("Status", figures.statuses),
        ("Type", figures.types),
        ("Language", figures.languages.into_iter().map(named_language).collect()),
    ] {
        out.extend(counted_by(of, counts));
    }
    launches(&mut out, workspace, *id)?;
    collections(&mut out, workspace, spec)?;
    hosts_of(&mut out, workspace, *id)?;
    permissions(&mut out, facts, written)?;
    decisions(&mut out, &decided);
    judgements(&mut out, workspace, *id)?;
    left_out(&mut out, workspace, facts)?;
    if !written.problems.is_empty() {
        out.push(Block::Heading("Problems".to_owned()));
        let rows = written.problems.iter().map(|problem| vec![problem.clone()]).collect();
        out.push(Block::Table { head: vec!["What could not be carried along as it was"], numbers: vec![], rows });
    }
    out.push(Block::Heading("How to check it".to_owned()));
    out.push(Block::Text(
        "“fonds verify FOLDER” reads everything back and names what does not fit. Without Fonds: the folder is a bag \
         (BagIt 1.0), so any BagIt tool checks its files; README.txt says what each file is."
            .to_owned(),
    ));
    Ok(out)
}

/// The name that a value has in the campaign's file.
fn name_of(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn named_language((name, count): (String, u64)) -> (String, u64) {
    (if name.is_empty() { "not known".to_owned() } else { name }, count)
}

/// Hosts with where they stand, by which database, and its build.
fn hosts_of(out: &mut Vec<Block>, workspace: &Workspace, id: CampaignId) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for host in &workspace.catalogue().selected_hosts(id, true)? {
        let [country, address, database, built] = match workspace.catalogue().known_location(&host.host)? {
            GeoFact::Known(evidence) => {
                let built = evidence.database_build.to_warc().get(..10).unwrap_or_default().to_owned();
                let mut countries: Vec<&str> =
                    evidence.addresses.iter().map(|place| place.country.as_deref().unwrap_or("no country")).collect();
                countries.dedup();
                let address = |place: &AddressCountry| format!("{} in {}", place.address, place.network);
                let addresses: Vec<String> = evidence.addresses.iter().map(address).collect();
                [countries.join(", "), addresses.join(", "), evidence.database.clone(), built]
            }
            GeoFact::Failed { why } => [format!("not known: {why}"), String::new(), String::new(), String::new()],
            GeoFact::NotAsked => Default::default(),
        };
        let (captures, bytes) = (host.captures.to_string(), host.bytes.to_string());
        rows.push(vec![host.host.clone(), captures, bytes, country, address, database, built]);
    }
    out.push(Block::Heading("Hosts".to_owned()));
    let head = vec!["Host", "Captures", "Bytes", "Country", "Address and network", "Database", "Built"];
    out.push(Block::Table { head, numbers: vec![1, 2], rows });
    Ok(())
}

/// On what grounds captures were collected, and what proves that.
fn permissions(out: &mut Vec<Block>, facts: &ReportFacts<'_>, written: &Written<'_>) -> anyhow::Result<()> {
    let ReportFacts { campaign, evidence, grounds, captures, .. } = facts;
    let of_law = &campaign.grounds;
    if campaign.permissions.is_empty() && of_law.domains.is_empty() && of_law.countries.is_empty() {
        return Ok(());
    }
    let left_out: Vec<CaptureId> = written.left_out.iter().filter_map(|at| captures.get(*at)).copied().collect();
    let counts = grounds.counts(&left_out)?;
    let count = |ground| counts.get(&ground).copied().unwrap_or_default().to_string();
    out.push(Block::Heading("Permissions and licences".to_owned()));
    let row = |(at, record): (usize, &Permission)| {
        vec![
            (at + 1).to_string(),
            record.covers.clone(),
            name_of(record.state),
            record.criterion.label().to_owned(),
            record.licence.clone(),
            record.evidence.clone(),
            record.date.clone(),
            count(Ground::Record(at)),
        ]
    };
    let rows = campaign.permissions.iter().enumerate().map(row).collect();
    let head = vec!["Record", "Covers", "State", "Criterion", "Licence", "Evidence", "Date", "Captures"];
    out.push(Block::Table { head, numbers: vec![0, 7], rows });
    let mut by_law = Vec::new();
    for (ground, criterion, of) in
        [(Ground::Domain, Criterion::Domain, &of_law.domains), (Ground::Hosting, Criterion::Hosting, &of_law.countries)]
    {
        if !of.is_empty() {
            by_law.push(format!("{} by {} ({})", count(ground), criterion.label(), of.join(", ")));
        }
    }
    by_law.push(format!("{} by nothing that holds", count(Ground::None)));
    out.push(Block::Text(format!("Captures without a record: {}.", by_law.join(", "))));
    let files = campaign.permissions.iter().enumerate().flat_map(|(at, record)| {
        evidence.of_record(record).into_iter().map(move |file| {
            let path = file.path.unwrap_or_else(|| "not in this folder, see Problems".to_owned());
            vec![(at + 1).to_string(), file.name, path, file.sha256]
        })
    });
    let rows: Vec<Vec<String>> = files.collect();
    if !rows.is_empty() {
        out.push(Block::Text("These files prove them:".to_owned()));
        out.push(Block::Table {
            head: vec!["Record", "File", "Path in this folder", "SHA-256"],
            numbers: vec![0],
            rows,
        });
    }
    Ok(())
}

/// What comes along with selected pages, and what does not.
fn embedded(spec: &SelectionSpec, requisites: usize, vetoed: u64) -> String {
    match spec.with_requisites {
        true => format!("{requisites} come along, {vetoed} do not since a person rejected them"),
        false => "do not come along".to_owned(),
    }
}

/// Parts of the score with their weights.
fn weights(spec: &SelectionSpec) -> Vec<(String, String)> {
    let weights = serde_json::to_value(spec.weights).unwrap_or_default();
    let named = |(name, weight): (&String, &Value)| (name.replace('_', " "), weight.to_string());
    weights.as_object().map(|weights| weights.iter().map(named).collect()).unwrap_or_default()
}

/// How many captures match each term of the request: what was aimed at against
/// what was found, by what was kept when they were scored.
fn coverage(out: &mut Vec<Block>, workspace: &Workspace, facts: &ReportFacts<'_>) -> anyhow::Result<()> {
    let catalogue = workspace.catalogue();
    let conditions = catalogue.measured_with(facts.id)?.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let version = conditions.and_then(|conditions| conditions["campaign_version"].as_u64());
    let measured = match version.filter(|version| *version != u64::from(facts.version)) {
        None => None,
        Some(old) => catalogue.campaign_versions(facts.id)?.into_iter().find(|(version, _)| u64::from(*version) == old),
    };
    let request = measured.as_ref().map_or(&facts.campaign.request, |(_, campaign)| &campaign.request);
    let matcher = Matcher::compile(request);
    if matcher.terms().is_empty() {
        return Ok(());
    }
    let (mut selected, mut all) = (TermCoverage::new(&matcher), TermCoverage::new(&matcher));
    catalogue.each_term_description(facts.id, |is_selected, terms| {
        all.add(terms);
        if is_selected {
            selected.add(terms);
        }
    })?;
    out.push(Block::Heading("What was found of it".to_owned()));
    let mut text = format!(
        "How many of {} selected captures with a text hold each term, and how many of all {} that were scored.",
        selected.pages(),
        all.pages()
    );
    if let Some((version, _)) = &measured {
        text.push_str(&format!(" They were scored with version {version} of the campaign, whose terms these are."));
    }
    if all.unclear() > 0 {
        text.push_str(&format!(" {} were scored with other terms and are not counted.", all.unclear()));
    }
    out.push(Block::Text(text));
    let names = matcher.terms().iter().map(|term| term.value.clone());
    out.push(Block::Bars { of: "Term", counts: names.zip(selected.found().iter().copied()).collect() });
    let row = |(number, term): (usize, &Term)| {
        let count = |coverage: &TermCoverage| match coverage.found().get(number) {
            Some(0) | None if matcher.speaks_for(number) => page::NONE.to_owned(),
            found => found.copied().unwrap_or_default().to_string(),
        };
        vec![
            term.kind.prefix().to_owned(),
            term.value.clone(),
            term.aliases.join(", "),
            term.weight.to_string(),
            if matcher.speaks_for(number) { "for" } else { "against" }.to_owned(),
            count(&selected),
            count(&all),
        ]
    };
    out.push(Block::Table {
        head: vec!["Kind", "Term", "Other names", "Weight", "Speaks", "Selected", "Of all"],
        numbers: vec![3, 5, 6],
        rows: matcher.terms().iter().enumerate().map(row).collect(),
    });
    Ok(())
}

/// What the captures came from.
fn launches(out: &mut Vec<Block>, workspace: &Workspace, id: CampaignId) -> anyhow::Result<()> {
    let rows = workspace.catalogue().launches(Some(id))?.into_iter().map(|launch| {
        vec![
            launch.started.to_readable(),
            launch.ended.map(|ended| ended.to_readable()).unwrap_or_default(),
            launch.label(),
            launch.fetched.to_string(),
            launch.failed.to_string(),
            launch.refused.to_string(),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        out.push(Block::Heading("Crawls of the campaign".to_owned()));
        let head = vec!["Began (UTC)", "Ended (UTC)", "State", "Fetched", "Failed", "Refused"];
        out.push(Block::Table { head, numbers: vec![3, 4, 5], rows });
    }
    Ok(())
}

/// Collections whose captures are selected, too.
fn collections(out: &mut Vec<Block>, workspace: &Workspace, spec: &SelectionSpec) -> anyhow::Result<()> {
    let rows = workspace.catalogue().collections()?.into_iter().filter(|row| spec.collections.contains(&row.name));
    let rows: Vec<_> = rows.map(|row| vec![row.name, row.about, row.who, row.captures.to_string()]).collect();
    if !rows.is_empty() {
        out.push(Block::Heading("Collections".to_owned()));
        let head = vec!["Collection", "What it is for", "Made by", "Captures"];
        out.push(Block::Table { head, numbers: vec![3], rows });
    }
    Ok(())
}

/// Standing decisions, by what was decided, why, and where that came from.
fn decisions(out: &mut Vec<Block>, counts: &DecisionCounts) {
    if counts.by_reason.is_empty() {
        return;
    }
    out.push(Block::Heading("Decisions of reviewers".to_owned()));
    let name = |mark| match mark {
        ReviewMark::Approve => "Approved",
        ReviewMark::Reject => "Rejected",
        ReviewMark::Flag | ReviewMark::Clear | ReviewMark::Note => "Flagged",
    };
    let rows = counts.by_reason.iter().map(|((mark, reason, origin), count)| {
        let (captures, others) = (count.here + count.not_here, count.others);
        let origin = origin.clone().unwrap_or_default();
        vec![name(*mark).to_owned(), reason.clone(), origin, captures.to_string(), others.to_string()]
    });
    let head = vec!["Decision", "Reason", "From", "Captures", "Other targets"];
    out.push(Block::Table { head, numbers: vec![3, 4], rows: rows.collect() });
}

/// Results of searches as persons judged them.
fn judgements(out: &mut Vec<Block>, workspace: &Workspace, id: CampaignId) -> anyhow::Result<()> {
    let figures = evaluations_by_judge(workspace.catalogue(), id)?;
    if figures.is_empty() {
        return Ok(());
    }
    out.push(Block::Heading("How good searches were".to_owned()));
    out.push(Block::Text(
        "Results that persons judged one by one. P@10 is the share of right ones among those of the first ten results \
         that are right or wrong, with its interval of 95 % (Wilson). Of all judges, what most of them say of a result \
         counts; where they balance it is unsure."
            .to_owned(),
    ));
    let rows = figures.into_iter().map(|(query, judge, of)| {
        let precision = of.first(10).and_then(|at| at.precision).map_or_else(String::new, |share| share.to_string());
        let judge = judge.unwrap_or_else(|| format!("all {}", of.judges.len()));
        let counts = Judgement::ALL.map(|judgement| of.counts.of(judgement).to_string());
        [query, judge].into_iter().chain(counts).chain([precision]).collect()
    });
    out.push(Block::Table {
        head: vec!["Query", "Judge", "Right", "Wrong", "Unsure", "P@10"],
        numbers: vec![2, 3, 4, 5],
        rows: rows.collect(),
    });
    Ok(())
}

/// What is not in it, and why.
fn left_out(out: &mut Vec<Block>, workspace: &Workspace, facts: &ReportFacts<'_>) -> anyhow::Result<()> {
    let refused = workspace.catalogue().refused_by_rule(facts.id)?;
    if !refused.is_empty() {
        out.push(Block::Heading("What the crawl refused".to_owned()));
        let rows = refused.into_iter().map(|(rule, urls)| vec![rule, urls.to_string()]).collect();
        out.push(Block::Table { head: vec!["Rule", "URLs"], numbers: vec![1], rows });
        out.push(Block::Text("data/seen.jsonl.gz lists each of them.".to_owned()));
    }
    let lacking = facts.lacking.borrow();
    if !lacking.is_empty() {
        out.push(Block::Heading("What pages lack".to_owned()));
        let rows = lacking.iter().map(|lacking| {
            vec![lacking.page.clone(), lacking.url.clone(), lacking.who.clone(), lacking.reason.clone()]
        });
        let head = vec!["Page", "Lacks", "Rejected by", "Reason"];
        out.push(Block::Table { head, numbers: vec![], rows: rows.collect() });
    }
    let (missing, first) = facts.missing.answer()?;
    if missing > 0 {
        out.push(Block::Heading("What is missing".to_owned()));
        out.push(Block::Text(format!(
            "{missing} URLs that pages of this export need to be shown have no capture here, or none but errors. Most needed are:"
        )));
        let rows = first.into_iter().map(|(url, pages)| vec![url, pages.to_string()]).collect();
        out.push(Block::Table { head: vec!["URL", "Captures that need it"], numbers: vec![1], rows });
    }
    Ok(())
}
