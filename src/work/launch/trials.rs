//! Trials: kept or discarded as a whole, and the pages of theirs that a person marks.

use crate::crawl::{Draws, RELEVANT_POINTS};
use crate::jobs::JobCx;
use crate::store::{DiscardedLaunch, ReadPage, Relevance, TrialContents};
use crate::work::models::{CaptureId, LaunchId, LaunchRow};
use crate::work::{Report, Session, counted};
use anyhow::Context;
use serde::Serialize;
use std::collections::HashSet;

/// Pages of each part of a sample.
const PAGES_OF_A_PART: usize = 10;

/// Why a page is in the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleReason {
    /// It was drawn at random of all pages that were read.
    Random,
    /// It has one of the highest scores.
    Highest,
    /// Its score is near the one from which on pages are relevant.
    Threshold,
    /// It is not in the sample; a person marked it all the same.
    Marked,
}

impl SampleReason {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Random => "Random",
            Self::Highest => "High score",
            Self::Threshold => "Near the threshold",
            Self::Marked => "Marked",
        }
    }
}

/// A page to mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SamplePage {
    /// Its capture.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// Its title. Hostile text.
    pub title: String,
    /// What it has of the request, from 0 to 10,000.
    pub score: Option<u16>,
    /// Why it is in the sample.
    pub reason: SampleReason,
    /// What a person said of it.
    pub relevance: Option<Relevance>,
}

/// The sample of a trial, and how far a person came with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrialSample {
    /// The trial: its 14 digits.
    pub launch: String,
    /// Pages that the trial read.
    pub read: u64,
    /// The pages to mark, those of the highest score first.
    pub pages: Vec<SamplePage>,
}

impl TrialSample {
    /// Pages that are marked.
    pub fn marked(&self) -> u64 {
        self.pages.iter().filter(|page| page.relevance.is_some()).count() as u64
    }

    /// Of the random pages those that are relevant, and those that are marked: an honest share of
    /// what the trial read, which the others are not.
    pub fn random_precision(&self) -> (u64, u64) {
        let random = self.pages.iter().filter(|page| page.reason == SampleReason::Random);
        let marks: Vec<Relevance> = random.filter_map(|page| page.relevance).collect();
        (marks.iter().filter(|mark| **mark == Relevance::Relevant).count() as u64, marks.len() as u64)
    }

    /// How far a person came with it, as a sentence.
    pub fn progress(&self) -> String {
        let (relevant, of) = self.random_precision();
        let precision = match of {
            0 => "no random page is marked yet".to_owned(),
            _ => format!("of the random pages {relevant} of {of} are relevant"),
        };
        format!("{} of {} marked; {precision}", self.marked(), self.pages.len())
    }
}

/// The pages of a trial to mark: ten at random, then ten of the highest score, ten near the
/// threshold, and whatever a person marked beside those. The same trial gives the same sample.
///
/// # Errors
///
/// No such launch, or a catalogue that cannot be read.
pub fn trial_sample(session: &Session, launch: LaunchId) -> anyhow::Result<TrialSample> {
    let catalogue = session.catalogue();
    let pages = catalogue.read_pages(launch)?;
    let name = catalogue.launch(launch)?.launch;
    let reasons = reasons(&pages, catalogue.order_seed(launch)?);
    let of_page = |(page, reason): (&ReadPage, Option<SampleReason>)| {
        let reason = reason.or(page.relevance.map(|_| SampleReason::Marked))?;
        Some(SamplePage {
            capture: page.capture,
            url: page.url.clone(),
            title: page.title.clone(),
            score: page.score,
            reason,
            relevance: page.relevance,
        })
    };
    let mut sample: Vec<SamplePage> = pages.iter().zip(reasons).filter_map(of_page).collect();
    sample.sort_by(|a, b| b.score.cmp(&a.score).then(a.capture.cmp(&b.capture)));
    Ok(TrialSample { launch: name, read: pages.len() as u64, pages: sample })
}

/// Why each of the pages is in the sample; none of those that are not.
fn reasons(pages: &[ReadPage], seed: u64) -> Vec<Option<SampleReason>> {
    let mut reasons = vec![None; pages.len()];
    // Random ones first, of all pages: else they would be those that nobody would choose.
    let mut draws = Draws::new(seed, pages.len() as u64);
    let mut left: Vec<usize> = (0..pages.len()).collect();
    for _ in 0..PAGES_OF_A_PART.min(pages.len()) {
        let at = usize::try_from(draws.below(left.len() as u64)).unwrap_or(0);
        reasons[left.swap_remove(at)] = Some(SampleReason::Random);
    }
    let mut choose = |reason, key: &dyn Fn(u16) -> i32| {
        let mut of: Vec<usize> =
            (0..pages.len()).filter(|page| reasons[*page].is_none() && pages[*page].score.is_some()).collect();
        of.sort_by_key(|page| (key(pages[*page].score.unwrap_or(0)), *page));
        of.into_iter().take(PAGES_OF_A_PART).for_each(|page| reasons[page] = Some(reason));
    };
    choose(SampleReason::Highest, &|score| -i32::from(score));
    choose(SampleReason::Threshold, &|score| (i32::from(score) - i32::from(RELEVANT_POINTS)).abs());
    reasons
}

/// Keeps what a person said of pages of a launch, which are named by number or URL; gives how many.
///
/// # Errors
///
/// A name that is that of no page which the launch read.
pub fn mark_pages(
    session: &Session,
    launch: LaunchId,
    names: &[String],
    relevance: Option<Relevance>,
    who: &str,
) -> anyhow::Result<u64> {
    let pages = session.catalogue().read_pages(launch)?;
    let find = |name: &String| -> anyhow::Result<CaptureId> {
        let number = name.parse::<CaptureId>().ok();
        let found = pages.iter().find(|page| page.url == *name || Some(page.capture) == number);
        found.map(|page| page.capture).ok_or_else(|| {
            anyhow::anyhow!(
                "{name}: this launch read no page of this URL or number. Its pages to mark: fonds marks DIR LAUNCH"
            )
        })
    };
    let captures = names.iter().map(find).collect::<anyhow::Result<HashSet<_>>>()?;
    let captures: Vec<CaptureId> = captures.into_iter().collect();
    session.catalogue().mark_relevance(launch, &captures, relevance, who)?;
    Ok(captures.len() as u64)
}

/// The launch of this name: its 14 digits.
///
/// # Errors
///
/// No such launch.
pub fn launch_called(session: &Session, name: &str) -> anyhow::Result<LaunchRow> {
    let catalogue = session.catalogue();
    for id in catalogue.launch_ids(None)?.into_iter().rev() {
        let launch = catalogue.launch(id)?;
        if launch.launch == name {
            return Ok(launch);
        }
    }
    anyhow::bail!("there is no launch “{name}” in this workspace; fonds launches lists them")
}

/// A trial that was discarded, with what went with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrialDiscarded {
    /// What it had.
    #[serde(flatten)]
    pub contents: TrialContents,
    /// Its files, where they are now.
    pub files: Vec<String>,
}

impl Report for TrialDiscarded {
    fn summary(&self) -> String {
        let files = counted(self.files.len() as u64, "file");
        format!(
            "{} {} discarded: {}, {}, {}; {files} moved to discarded/",
            if self.contents.is_patch { "Patch" } else { "Trial" },
            self.contents.launch,
            counted(self.contents.captures, "capture"),
            counted(self.contents.seen, "URL"),
            counted(self.contents.marked, "marked page"),
        )
    }
}

/// Takes a trial out of the workspace; its files go into the folder `discarded`. `is_confirmed`
/// says that a person knows what is lost with it.
pub(in crate::work) fn discard_trial(
    session: &Session,
    launch: LaunchId,
    is_confirmed: bool,
    cx: &JobCx,
) -> anyhow::Result<TrialDiscarded> {
    let catalogue = session.catalogue();
    let losses = catalogue.trial_contents(launch)?.losses();
    anyhow::ensure!(
        is_confirmed || losses.is_empty(),
        "nothing was discarded: {}. To discard it all the same, confirm it (--yes); to keep it: fonds launches keep",
        losses.join("; ")
    );
    cx.stage("Discarding the trial", None);
    let contents = catalogue.discard_trial(launch, &crate::work::operator())?;
    after_discard(session, contents, cx)
}

/// Ends what a trial left to do that is out of the catalogue, where the disk took no more of it; of one that was
/// discarded as a whole it changes nothing. None where no trial of this name (14 digits) was discarded.
pub(in crate::work) fn finish_discard(
    session: &Session,
    name: &str,
    cx: &JobCx,
) -> anyhow::Result<Option<TrialDiscarded>> {
    let discarded = session.catalogue().discarded_launches()?.into_iter().find(|trial| trial.launch == name);
    let Some(DiscardedLaunch { launch, job, captures, is_patch, .. }) = discarded else { return Ok(None) };
    let contents = TrialContents { launch, job, captures, is_patch, ..TrialContents::default() };
    after_discard(session, contents, cx).map(Some)
}

/// Moves the files of discarded trials, and has revisits of their captures look for another original.
fn after_discard(session: &Session, contents: TrialContents, cx: &JobCx) -> anyhow::Result<TrialDiscarded> {
    let unfinished = || {
        let name = &contents.launch;
        format!(
            "the launch {name} is out of the catalogue, and not all that follows is done. Do it again: fonds launches discard DIR {name}"
        )
    };
    session.workspace.move_discarded().with_context(unfinished)?;
    let files = session.workspace.discarded_files()?.into_iter().filter(|file| file.launch == contents.launch);
    let files = files.map(|file| file.path).collect();
    session.catalogue().settle_originals(cx).with_context(unfinished)?;
    Ok(TrialDiscarded { contents, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: i64, score: Option<u16>) -> ReadPage {
        ReadPage {
            capture: CaptureId::new(number),
            url: format!("http://a.pt/{number}"),
            host: "a.pt".to_owned(),
            title: String::new(),
            score,
            relevance: None,
            is_seed: false,
            via: None,
            anchor: String::new(),
        }
    }

    #[test]
    fn a_sample_has_random_pages_of_all_then_the_highest_then_those_near_the_threshold() {
        let pages: Vec<ReadPage> = (0..300).map(|number| page(number, Some(number as u16 * 30))).collect();
        let of = reasons(&pages, 7);
        let with = |reason| (0..300).filter(|page| of[*page] == Some(reason)).collect::<Vec<usize>>();
        let (random, high, near) =
            (with(SampleReason::Random), with(SampleReason::Highest), with(SampleReason::Threshold));
        assert_eq!((random.len(), high.len(), near.len()), (10, 10, 10));
        assert!(high.iter().all(|page| *page >= 280), "{high:?}");
        assert!(near.iter().all(|page| (90..=110).contains(page)), "{near:?}");
        assert!(random.iter().any(|page| *page < 150) && random.iter().any(|page| *page >= 150), "{random:?}");
        assert_eq!(of, reasons(&pages, 7));
        assert_ne!(of, reasons(&pages, 8));
        // Drawn over many seeds, every page comes as often as others.
        let mut drawn = vec![0; 300];
        for seed in 0..3000 {
            let of = reasons(&pages, seed);
            (0..300).filter(|page| of[*page] == Some(SampleReason::Random)).for_each(|page| drawn[page] += 1);
        }
        assert!(drawn.iter().all(|count| (50..160).contains(count)), "{drawn:?}");
    }

    #[test]
    fn few_pages_and_pages_without_score_are_all_in_the_sample_at_random() {
        let pages: Vec<ReadPage> = (0..4).map(|number| page(number, None)).collect();
        assert!(reasons(&pages, 1).iter().all(|reason| *reason == Some(SampleReason::Random)));
        let pages: Vec<ReadPage> = (0..12).map(|number| page(number, None)).collect();
        assert_eq!(reasons(&pages, 1).iter().flatten().count(), 10);
        assert!(reasons(&[], 1).is_empty());
    }
}
