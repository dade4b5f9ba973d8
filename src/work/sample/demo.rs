//! The main job on the sample web, start to verified export.

use super::SampleWeb;
use crate::jobs::JobCx;
use crate::store::Workspace;
use crate::warc::OPEN_SUFFIX;
use crate::work::Report;
use crate::work::models::{CaptureQuery, CaptureTab, LaunchState, SelectionSpec, VerifyLine};
use crate::work::{self, Session};
use anyhow::Context;
use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Launches of the sample campaign in a demo.
const LAUNCHES: usize = 2;

/// The figures of a demo.
#[derive(Debug, Clone, Serialize)]
pub struct DemoReport {
    /// Launches of the crawl.
    pub launches: u64,
    /// Captures in all launches.
    pub captures: u64,
    /// Those that repeat a payload already held.
    pub revisits: u64,
    /// URLs refused, each as the last launch that saw it decided.
    pub refused: u64,
    /// Refused URLs by the rule that decided.
    pub refused_by_rule: Vec<(String, u64)>,
    /// Hosts of the captures that the geolocation rule decided.
    pub geo_hosts: Vec<String>,
    /// Inlinks kept.
    pub inlinks: u64,
    /// Of these, those of the same site.
    pub internal: u64,
    /// Of these, those of other sites.
    pub external: u64,
    /// Pages that are linked to.
    pub linked_pages: u64,
    /// Pages cited but never captured.
    pub uncaptured: u64,
    /// Texts that can be searched.
    pub texts: u64,
    /// Captures scored.
    pub scored: u64,
    /// Captures selected.
    pub selected: u64,
    /// Captures in the export, with what selected pages need.
    pub exported_captures: u64,
    /// Records in the export.
    pub exported_records: u64,
    /// Checks of the read-back.
    pub checks: Vec<VerifyLine>,
    /// Whether all of them hold.
    pub verified: bool,
    /// The workspace.
    pub workspace: PathBuf,
    /// The export.
    pub export: PathBuf,
}

/// The name of a folder that is not finished yet.
fn unfinished(folder: &Path) -> PathBuf {
    folder.with_extension(OPEN_SUFFIX.trim_start_matches('.'))
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).context(folder.display().to_string()),
        _ => Ok(()),
    }
}

/// Makes the workspace with its campaign. It gets its name when it is whole:
/// a demo that is killed before leaves nothing that the next one stumbles over.
fn make_workspace(place: &Path) -> anyhow::Result<Session> {
    let open = unfinished(place);
    remove(&open)?;
    work::sample::add_sample_campaign(&Session::new(Workspace::create(&open)?))?;
    std::fs::rename(&open, place).with_context(|| place.display().to_string())?;
    Ok(Session::new(Workspace::open(place)?))
}

/// Runs the demo in a folder, or goes on with one that was stopped or killed.
pub fn run_demo(folder: &Path, cx: &JobCx, print: &dyn Fn(String)) -> anyhow::Result<DemoReport> {
    let place = folder.join("workspace");
    let session = if place.join("fonds.sqlite").exists() {
        let session = Session::new(Workspace::open(&place)?);
        anyhow::ensure!(
            work::sample::is_sample(&session),
            "{}: this workspace is not one of a demo. Choose another folder with --out",
            place.display()
        );
        print(format!("1. Going on in {}", place.display()));
        session
    } else {
        let session = make_workspace(&place)?;
        print(format!("1. Made a workspace with the sample campaign in {}", place.display()));
        session
    };
    let campaign = session.catalogue().listed_campaigns()?.first().context("the sample campaign is missing")?.id;

    let web = SampleWeb::start(work::sample::sample_edition(&session)?)?;
    if web.fallback() {
        print("   This system has one loopback address only: the part about geolocation will not show".to_owned());
    }
    session.attach_web(Arc::new(web));
    for number in 1..=LAUNCHES {
        let finished = session.catalogue().launches(Some(campaign))?;
        let finished = finished.iter().filter(|launch| launch.state == LaunchState::Finished).count();
        if finished >= number {
            print(format!("{}. Launch {number} is finished already", number + 1));
            continue;
        }
        let options = session.crawl_options()?;
        let outcome = work::crawl(&session, campaign, &options, cx)?;
        print(format!("{}. Launch {number}: {}", number + 1, outcome.summary()));
        cx.checkpoint()?;
        anyhow::ensure!(outcome.complete, "the crawl came to no end: {}", outcome.summary());
    }

    let inlinks = work::build_inlinks(&session.workspace, false, cx)?;
    print(format!("4. Inlinks: {}", inlinks.summary()));
    let texts = work::index_texts(&session.workspace, false, cx)?;
    print(format!("5. Text index: {}", texts.summary()));
    let spec = SelectionSpec { campaign, ..SelectionSpec::default() };
    let selection = work::select(&session.workspace, &spec, false, cx)?;
    print(format!("6. Selection: {}", selection.summary()));
    let export = folder.join("export");
    // An export is always made again.
    remove(&export)?;
    let exported = work::export(&session.workspace, &spec, &export, work::ExportWishes::default(), cx)?;
    print(format!("7. Export: {}", exported.summary()));
    let checks = work::verify(&export, cx)?;
    session.catalogue().keep_verification(&export, &checks)?;
    let verified = checks.iter().all(|check| check.ok);
    print(format!("8. Read back: {}", if verified { "every check holds" } else { "a check fails" }));

    let catalogue = session.catalogue();
    let refused_by_rule = catalogue.refused_by_rule(campaign)?;
    let total = |tab: CaptureTab| -> anyhow::Result<u64> {
        Ok(catalogue.captures(&CaptureQuery { tab, ..work::everything() })?.total)
    };
    let launches = catalogue.launches(Some(campaign))?;
    Ok(DemoReport {
        launches: launches.len() as u64,
        captures: total(CaptureTab::All)?,
        revisits: catalogue.count_revisits()?,
        refused: refused_by_rule.iter().map(|(_, urls)| urls).sum(),
        refused_by_rule,
        geo_hosts: catalogue.hosts_by_rule(campaign, "ExternalGeoLocationDecideRule")?,
        inlinks: inlinks.inlinks,
        internal: inlinks.internal,
        external: inlinks.external,
        linked_pages: inlinks.targets,
        uncaptured: inlinks.uncaptured,
        texts: texts.versions,
        scored: selection.balance.scored,
        selected: selection.selected,
        exported_captures: exported.captures,
        exported_records: exported.records,
        checks,
        verified,
        workspace: session.workspace.folder().to_owned(),
        export: export.canonicalize().unwrap_or(export),
    })
}
