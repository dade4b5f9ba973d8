//! The captures of a host, compared with each other.

use super::page_signs::{cosine, shortened};
use super::requisites::Resources;
use crate::analysis::checks::{
    AnchorSigns, CaptureSigns, CheckSettings, ContextSigns, EarlierSigns, HistorySigns, HostSigns, LOGIN_PATHS,
    PageSigns, RedirectSigns, RepeatSigns, address_form, check_capture, is_front, last_part, path_has, path_of,
};
use crate::analysis::{AnchorCheck, AnchorWords, Matcher};
use crate::inlinks::stored::host_of;
use crate::jobs::JobCx;
use crate::store::{CaptureFindings, HostCapture, KeptPage, Workspace};
use crate::text::near::MinHash;
use crate::uri::{Fqdn, Url};
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::{CampaignId, CaptureId};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;
use std::ops::Range;

/// Captures whose findings are written together.
const BATCH: usize = 512;
/// Captures that one thread compares behind each other.
const TOGETHER: usize = 32;
/// Words of main text below which an earlier capture is no good one to compare with.
const GOOD_LENGTH: u64 = 20;
/// Similarity of texts from which they repeat each other, and from which they are the same.
const NEAR: f64 = 0.9;
const SAME: f64 = 0.95;
/// URLs of one text that are counted, and texts that one is compared with.
const MOST_COUNTED: usize = 1_000;
const MOST_CANDIDATES: usize = 64;
/// Good captures before one whose median is usual.
const USUAL_CAPTURES: usize = 5;
/// The number of a title that is not there.
const NO_TITLE: u64 = 0;
/// Sources of a redirect that are named.
const NAMED_SOURCES: usize = 5;
/// Anchors of other hosts that are named.
const NAMED_ANCHORS: usize = 8;

/// The wishes of a campaign.
pub(super) struct Wishes {
    /// Languages that its request names.
    pub languages: Vec<String>,
    /// Its request.
    pub matcher: Matcher,
}

/// What all hosts are checked with.
pub(super) struct HostChecks<'w> {
    pub workspace: &'w Workspace,
    pub texts: &'w PageTexts<'w>,
    pub resources: Resources<'w>,
    pub settings: &'w CheckSettings,
    pub wishes: HashMap<CampaignId, Wishes>,
    pub window_days: u32,
}

/// A content version, as others are compared with it.
#[derive(Default)]
struct ComparedVersion {
    is_page: bool,
    words: u64,
    all_words: u64,
    language: String,
    has_phrase: bool,
    /// A number of its title.
    title: u64,
    group: Option<usize>,
    range: Option<[u64; 3]>,
}

/// Versions with one sketch.
struct Repeats {
    sketch: MinHash,
    /// Each with the number of its title, and its words in all.
    paths: BTreeMap<String, (u64, u64)>,
    is_of_error: bool,
}

/// Sums over the captures of the host.
#[derive(Default)]
struct Sums {
    versions: HashMap<CaptureId, ComparedVersion>,
    groups: Vec<Repeats>,
    bands: HashMap<(usize, u32), Vec<usize>>,
    /// Words of good pages, sorted; and by the form of their addresses.
    words: Vec<u64>,
    of_form: HashMap<String, Vec<u64>>,
    /// Sources of redirects by their target, and of those that keep their path by the domain.
    sources: HashMap<String, BTreeSet<String>>,
    renamed: HashMap<String, HashSet<String>>,
    /// Refusals by minute.
    refusals: HashMap<i64, u64>,
    /// Captures of a page, as places in the list.
    pages: HashMap<i64, Vec<usize>>,
}

fn site_of(url: &str) -> String {
    Url::parse(url).map(|url| Fqdn::of(&url).registrable().to_owned()).unwrap_or_default()
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

fn median_of(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A status that shows the page.
fn is_good(status: i32) -> bool {
    (200..300).contains(&status)
}

impl HostChecks<'_> {
    /// Checks all captures of a host, and gives the findings out in batches. Says how many were checked.
    pub fn check(
        &self,
        host: i64,
        cx: &JobCx,
        mut put: impl FnMut(Vec<CaptureFindings>) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let captures = self.workspace.catalogue().captures_to_check(host)?;
        let sums = self.sums(&captures)?;
        let order: Vec<usize> = (0..captures.len()).collect();
        for batch in order.chunks(BATCH) {
            let some = |places: &[usize]| -> anyhow::Result<Vec<CaptureFindings>> {
                places.iter().filter_map(|at| Some(self.one(&captures, captures.get(*at)?, &sums))).collect()
            };
            let checked: anyhow::Result<Vec<Vec<CaptureFindings>>> = batch.par_chunks(TOGETHER).map(some).collect();
            put(checked?.into_iter().flatten().collect())?;
            cx.advance(batch.len() as u64)?;
        }
        Ok(captures.len() as u64)
    }

    fn sums(&self, captures: &[HostCapture]) -> anyhow::Result<Sums> {
        let mut sums = Sums::default();
        let mut groups: HashMap<Vec<u8>, usize> = HashMap::new();
        for (at, capture) in captures.iter().enumerate() {
            sums.pages.entry(capture.page).or_default().push(at);
            if matches!(capture.status, 429 | 503) {
                *sums.refusals.entry(capture.date.seconds() / 60).or_default() += 1;
            }
            if let Some(to) = &capture.redirect_to {
                sums.add_redirect(&capture.url, to);
            }
            if !sums.versions.contains_key(&capture.version) {
                let kept = self.workspace.catalogue().page_signs(capture.version)?;
                let KeptPage { signs, sketch, .. } = kept.unwrap_or_default();
                if signs.words > 0
                    && let Ok(bytes) = <&[u8; MinHash::BYTES]>::try_from(sketch.as_slice())
                {
                    let next = sums.groups.len();
                    let group = *groups.entry(sketch.clone()).or_insert(next);
                    if group == next {
                        let sketch = MinHash::from_bytes(bytes);
                        for (band, hash) in sketch.bands().iter().enumerate() {
                            sums.bands.entry((band, *hash)).or_default().push(next);
                        }
                        sums.groups.push(Repeats { sketch, paths: BTreeMap::new(), is_of_error: false });
                    }
                    sums.add_version(capture.version, &signs, Some(group));
                } else {
                    sums.add_version(capture.version, &signs, None);
                }
                if is_good(capture.status) && !signs.refresh_to.is_empty() {
                    sums.add_redirect(&capture.url, &signs.refresh_to);
                }
            }
            sums.add_capture(capture);
        }
        sums.words.sort_unstable();
        // The order of numbers in the catalogue is that of arrival: groups are in the order of their addresses.
        for places in sums.pages.values_mut() {
            places.sort_by_key(|at| captures.get(*at).map(|of| (of.date, of.digest.clone(), of.id)));
        }
        Ok(sums)
    }

    fn one(&self, captures: &[HostCapture], capture: &HostCapture, sums: &Sums) -> anyhow::Result<CaptureFindings> {
        let catalogue = self.workspace.catalogue();
        let KeptPage { signs: page, terms, .. } = catalogue.page_signs(capture.version)?.unwrap_or_default();
        let form = address_form(&capture.url);
        let wishes = capture.campaign.and_then(|campaign| self.wishes.get(&campaign));
        let seen = catalogue.seen_as(capture.launch, &capture.url)?;
        let mut of = ContextSigns {
            url: capture.url.clone(),
            status: capture.status,
            mime: capture.mime.clone(),
            size: capture.size,
            is_embedded: capture.hops.ends_with('E'),
            redirect: sums.redirect(capture, &page),
            repeats: sums.repeats(capture),
            host: Some(sums.host(capture, &page, &form)),
            requisites: self.resources.of(capture, &page)?,
            languages: wishes.map(|wishes| wishes.languages.clone()).unwrap_or_default(),
            covered_bytes: sums.covered(captures, capture),
            ..ContextSigns::default()
        };
        if let Some(seen) = seen {
            (of.tries, of.why) = (seen.tries, seen.why);
            let spoke = |wishes: &Wishes| wishes.matcher.speaks_of(&seen.anchor);
            of.is_off_request = seen.score == Some(0) && !seen.anchor.is_empty() && wishes.is_some_and(spoke);
        }
        of.history = self.history(captures, capture, &page, &terms, sums)?;
        if capture.external[1] >= 2 && page.is_page && is_good(capture.status) {
            of.anchors = self.anchors(captures, capture, sums)?;
        }
        let findings = check_capture(&CaptureSigns { page: &page, of: &of }, self.settings);
        let external = Some(capture.external[0]);
        Ok(CaptureFindings { capture: capture.id, signs: Some(of), template: form, external, findings })
    }

    fn history(
        &self,
        captures: &[HostCapture],
        capture: &HostCapture,
        page: &PageSigns,
        terms: &[u8],
        sums: &Sums,
    ) -> anyhow::Result<Option<HistorySigns>> {
        let others: Vec<&HostCapture> = sums.others(captures, capture).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let answered: Vec<&&HostCapture> = others.iter().filter(|of| is_good(of.status)).collect();
        let mut signs = HistorySigns { answered: answered.len() as u64, ..HistorySigns::default() };
        signs.last_answer = answered.iter().map(|of| of.date).max().map(|date| date.to_warc()).unwrap_or_default();
        let before: Vec<&HostCapture> = others.into_iter().filter(|of| of.date < capture.date).collect();
        let is_good_one =
            |of: &&&HostCapture| is_good(of.status) && sums.version(of).is_some_and(ComparedVersion::is_good);
        let good: Vec<&HostCapture> = before.iter().filter(is_good_one).copied().collect();
        let last = good.get(good.len().saturating_sub(USUAL_CAPTURES)..).unwrap_or_default();
        let mut lengths: Vec<u64> = last.iter().filter_map(|of| Some(sums.version(of)?.words)).collect();
        signs.median_words = median(&mut lengths);
        let files = before.iter().filter(|of| is_good(of.status)).rev().take(USUAL_CAPTURES);
        signs.median_bytes = median(&mut files.map(|of| of.size).collect::<Vec<u64>>());
        // What repeats the last one needs no comparison.
        if good.is_empty() || !page.is_page {
            return Ok(Some(signs));
        }
        let terms_of = |of: &HostCapture| -> anyhow::Result<Vec<u8>> {
            Ok(self.workspace.catalogue().page_signs(of.version)?.map(|kept| kept.terms).unwrap_or_default())
        };
        let earlier = |of: &HostCapture, others: &[u8]| EarlierSigns {
            capture: of.id.get(),
            date: of.date.to_warc(),
            words: sums.version(of).map_or(0, |version| version.words),
            cosine: if of.version == capture.version { 1.0 } else { (cosine(others, terms) * 1e4).round() / 1e4 },
            is_other_language: sums.version(of).is_some_and(|version| {
                !version.language.is_empty() && !page.language.is_empty() && version.language != page.language
            }),
        };
        if let (Some(first), Some(last)) = (good.first(), good.last()) {
            signs.first = Some(earlier(first, &terms_of(first)?));
            signs.last = Some(earlier(last, &terms_of(last)?));
        }
        if good.len() >= 3 {
            let recent = good.get(good.len().saturating_sub(2 * USUAL_CAPTURES)..).unwrap_or_default();
            let terms = recent.iter().map(|of| terms_of(of)).collect::<anyhow::Result<Vec<_>>>()?;
            let mut cosines: Vec<f64> = terms.windows(2).map(|pair| cosine(&pair[0], &pair[1])).collect();
            signs.usual_cosine = median_of(&mut cosines).map(|usual| (usual * 1e4).round() / 1e4);
        }
        Ok(Some(signs))
    }

    fn anchors(
        &self,
        captures: &[HostCapture],
        capture: &HostCapture,
        sums: &Sums,
    ) -> anyhow::Result<Option<AnchorSigns>> {
        let (mut words, mut hosts, mut texts) = (AnchorWords::default(), BTreeSet::new(), BTreeSet::new());
        self.workspace.each_inlink_of_capture(capture.id, self.window_days, |link| {
            if !link.internal {
                words.take(link.anchor);
                if texts.len() < NAMED_ANCHORS {
                    texts.insert(shortened(link.anchor.trim()));
                }
                hosts.insert(host_of(link.source).to_owned());
            }
        })?;
        let mut reader = self.texts.reader()?;
        let Some(page) = reader.indexed(capture.version.unsigned_abs()) else { return Ok(None) };
        let mut signs = AnchorSigns { hosts: hosts.len() as u64, ..AnchorSigns::default() };
        match words.clone().check(&page.title, &page.text()) {
            AnchorCheck::SharesNothing { anchor_words } => {
                signs.shares_nothing = true;
                signs.anchor_words = anchor_words.into_iter().take(20).collect();
                signs.texts = texts.into_iter().filter(|text| !text.is_empty()).collect();
            }
            AnchorCheck::Agrees { .. } | AnchorCheck::NotChecked { .. } => return Ok(Some(signs)),
        }
        let before = sums.others(captures, capture).filter(|of| of.date < capture.date && is_good(of.status)).last();
        let earlier = before.and_then(|of| reader.indexed(of.version.unsigned_abs()));
        signs.was_true_before =
            earlier.map(|page| matches!(words.check(&page.title, &page.text()), AnchorCheck::Agrees { .. }));
        Ok(Some(signs))
    }
}

impl ComparedVersion {
    /// Whether later captures are compared with it: a page with a text, and no notice in its place.
    fn is_good(&self) -> bool {
        self.is_page && self.words >= GOOD_LENGTH && !self.has_phrase
    }
}

impl Sums {
    fn version(&self, of: &HostCapture) -> Option<&ComparedVersion> {
        self.versions.get(&of.version)
    }

    fn add_version(&mut self, number: CaptureId, signs: &PageSigns, group: Option<usize>) {
        let version = ComparedVersion {
            is_page: signs.is_page,
            words: signs.words,
            all_words: signs.all_words,
            language: signs.language.clone(),
            has_phrase: signs.phrases.iter().any(|of| of.place != "text"),
            // Signs are all that tells titles such as `operator<` and `operator!=` apart.
            title: match signs.title.trim() {
                "" => NO_TITLE,
                title => foldhash::fast::FixedState::default().hash_one(title),
            },
            group,
            range: signs.range,
        };
        self.versions.insert(number, version);
    }

    fn add_redirect(&mut self, from: &str, to: &str) {
        self.sources.entry(to.to_owned()).or_default().insert(path_of(from).to_owned());
        let (own, other) = (site_of(from), site_of(to));
        if own != other {
            let path =
                |url: &str| Url::parse(url).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
            if path(from) == path(to) {
                self.renamed.entry(other).or_default().insert(path_of(from).to_owned());
            }
        }
    }

    fn add_capture(&mut self, capture: &HostCapture) {
        let Some(version) = self.versions.get(&capture.version) else { return };
        if version.is_page && is_good(capture.status) {
            self.words.push(version.words);
            self.of_form.entry(address_form(&capture.url)).or_default().push(version.words);
        }
        let (title, all_words) = (version.title, version.all_words);
        let Some(group) = version.group.and_then(|group| self.groups.get_mut(group)) else { return };
        if matches!(capture.status, 404 | 410) {
            group.is_of_error = true;
        } else if is_good(capture.status) && group.paths.len() < MOST_COUNTED {
            group.paths.insert(path_of(&capture.url).to_owned(), (title, all_words));
        }
    }

    /// Other captures of the same page, oldest first.
    fn others<'c>(&self, captures: &'c [HostCapture], of: &HostCapture) -> impl Iterator<Item = &'c HostCapture> {
        let places: &[usize] = self.pages.get(&of.page).map_or(&[], Vec::as_slice);
        let places: Vec<usize> = places.to_vec();
        let id = of.id;
        places.into_iter().filter_map(move |at| captures.get(at)).filter(move |other| other.id != id)
    }

    fn redirect(&self, capture: &HostCapture, page: &PageSigns) -> Option<RedirectSigns> {
        let is_refresh = is_good(capture.status) && page.words < 60 && !page.refresh_to.is_empty();
        let to = capture.redirect_to.as_ref().or(is_refresh.then_some(&page.refresh_to))?;
        let own = path_of(&capture.url);
        let sources = self.sources.get(to);
        let other = site_of(to);
        let has_way_back = to.split_once('?').is_some_and(|(_, query)| query.contains('='));
        let host = Url::parse(to).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let is_own = |part: &&str| path_has(&capture.url, part);
        let is_login = LOGIN_PATHS.iter().any(|part| path_has(to, part)) && !LOGIN_PATHS.iter().any(is_own);
        let first = host.split('.').next().unwrap_or_default().to_owned();
        Some(RedirectSigns {
            is_other_site: other != site_of(&capture.url),
            is_to_front: is_front(to),
            sources: sources.map_or(1, |sources| sources.len() as u64),
            other_sources: sources
                .into_iter()
                .flatten()
                .filter(|source| *source != own)
                .take(NAMED_SOURCES)
                .cloned()
                .collect(),
            renamed: self.renamed.get(&other).map_or(0, |sources| sources.len() as u64),
            is_to_login: is_login && has_way_back,
            is_to_consent: matches!(first.as_str(), "consent" | "cookieconsent" | "consentmanager"),
            to: to.clone(),
        })
    }

    fn repeats(&self, capture: &HostCapture) -> Option<RepeatSigns> {
        let version = self.version(capture)?;
        let number = version.group?;
        let own = self.groups.get(number)?;
        let mut candidates: BTreeSet<usize> = BTreeSet::from([number]);
        for (band, hash) in own.sketch.bands().iter().enumerate() {
            let of_band = self.bands.get(&(band, *hash)).map_or(&[][..], Vec::as_slice);
            candidates.extend(of_band.iter().take(MOST_CANDIDATES));
        }
        let path = path_of(&capture.url);
        let last = last_part(&capture.url);
        let (mut signs, mut near, mut same) = (RepeatSigns::default(), BTreeSet::new(), BTreeMap::new());
        for group in candidates.into_iter().filter_map(|at| self.groups.get(at)) {
            let similarity = group.sketch.similarity(&own.sketch);
            if similarity < NEAR {
                continue;
            }
            // Copies of a page in folders of languages or versions are no notice, nor what says more around its text.
            let is_other = |other: &str| other != path && (last.is_empty() || last_part(other) != last);
            let is_as_long = |length: u64| length.abs_diff(version.all_words) * 10 <= version.all_words.max(length);
            let others = group.paths.iter().filter(|(other, (_, length))| is_other(other) && is_as_long(*length));
            near.extend(others.clone().map(|(other, _)| other));
            if similarity >= SAME {
                same.extend(others);
                signs.is_of_error |= group.is_of_error && is_good(capture.status);
            }
        }
        (signs.near, signs.same) = (near.len() as u64, same.len() as u64);
        // Pages without a title have none in common.
        let is_one_title = |of: &&&(u64, u64)| of.0 == version.title && version.title != NO_TITLE;
        signs.same_title = same.values().filter(is_one_title).count() as u64;
        signs.example = near.first().map(|path| (*path).clone()).unwrap_or_default();
        Some(signs)
    }

    fn host(&self, capture: &HostCapture, page: &PageSigns, form: &str) -> HostSigns {
        let mut of_form = self.of_form.get(form).cloned().unwrap_or_default();
        let shorter = self.words.partition_point(|words| *words <= page.words);
        HostSigns {
            pages: self.words.len() as u64,
            of_form: of_form.len() as u64,
            median_words: median(&mut of_form),
            short_percent: (shorter * 100 / self.words.len().max(1)) as u64,
            burst: self.refusals.get(&(capture.date.seconds() / 60)).copied().unwrap_or(0),
        }
    }

    /// Bytes that all parts of a file cover together.
    fn covered(&self, captures: &[HostCapture], capture: &HostCapture) -> Option<u64> {
        let [first, last, whole] = self.version(capture)?.range?;
        let parts = self.others(captures, capture).filter_map(|of| self.version(of)?.range);
        let mut ranges: Vec<Range<u64>> =
            parts.filter(|range| range[2] == whole).map(|range| range[0]..range[1].saturating_add(1)).collect();
        ranges.push(first..last.saturating_add(1));
        ranges.sort_by_key(|range| (range.start, range.end));
        let (mut covered, mut end) = (0_u64, 0);
        for range in ranges {
            covered += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        }
        Some(covered)
    }
}
