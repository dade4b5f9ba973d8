//! Questions to the built inlinks: stored links beside the catalogue, which
//! knows URLs and dates of the captures whose numbers they carry.

use super::absent_links::AbsentLink;
use crate::inlinks::invert::{LinkRow, ShuffleOptions};
use crate::inlinks::stored::{LinkStore, Mark, StoreRules, Window, host_of, tallied_anchor};
use crate::inlinks::{LinkError, MAX_INLINKS_PER_SIDE, Notation};
use crate::jobs::JobCx;
use crate::links::{LinkKind, anchor_as_shown};
use crate::store::captures::document_captures::{LandingPage, MOST_LANDINGS};
use crate::store::captures::link_list::outlinks_of;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::workspace::{Access, Workspace};
use crate::store::review::exports::{ExportedCapture, ExportedLink, LinkingPage, LinkingPages};
use crate::store::rows::{AnchorRow, CaptureId, InlinkPage, InlinkRow};
use crate::uri::{CaptureDate, Fqdn, InternalPolicy, PageKey, Url};
use rusqlite::OptionalExtension;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

/// The rules of all links that a workspace builds.
pub const BUILT_RULES: StoreRules = StoreRules { notation: Notation::Page, internal: InternalPolicy::Fqdn };

/// The folder of built inlinks.
const BUILT_LINKS: &str = "inlinks/built";

/// The form of what is stored of a link. Links in another form are built again from all captures.
pub const BUILD_FORMAT_VERSION: u32 = 7;

/// The folder of data sets that are loaded into a workspace.
pub const LOADED_LINKS: &str = "inlinks/loaded";

/// Stored links as they were when their list had this size and date.
pub(in crate::store) type Opened = (u64, SystemTime, Arc<LinkStore>);

/// The page of a capture.
pub(in crate::store) struct PageOfCapture {
    pub key: PageKey,
    pub url: String,
    pub date: CaptureDate,
}

impl Workspace {
    /// The folder of built inlinks.
    pub fn built_folder(&self) -> PathBuf {
        self.folder().join(BUILT_LINKS)
    }

    /// The options of sorting rows: beside the archive, since the system's folder for temporary files
    /// is often small, but there where the workspace is open read-only.
    pub fn shuffle_options(&self) -> ShuffleOptions {
        let temp_folder = match self.access() {
            // A link there may lead anywhere.
            Access::Write => self.own_folder("inlinks").ok(),
            Access::ReadOnly(_) => None,
        };
        ShuffleOptions { temp_folder, ..ShuffleOptions::default() }
    }

    /// See [`Catalogue::built_links`].
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn built_links(&self) -> Result<Option<Arc<LinkStore>>, StoreError> {
        self.catalogue().built_links()
    }

    /// The reason why there are no built inlinks, in words that begin a sentence.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn why_no_links(&self) -> Result<&'static str, StoreError> {
        if self.catalogue().needs_rebuild()? {
            return Ok("inlinks are kept in another form than by the Fonds that built them");
        }
        let folder = self.built_folder();
        match LinkStore::is_in(&folder).then(|| LinkStore::open(&folder)) {
            Some(Ok(store)) if self.catalogue().is_other_than_of(&store.mark())? => {
                Ok("inlinks are of another catalogue, as after a backup was put back")
            }
            Some(Err(error)) if error.is_damage() => Ok("inlinks are damaged"),
            _ => Ok("inlinks are not built yet"),
        }
    }

    /// The damage of the built inlinks; none where they are whole or absent.
    ///
    /// # Errors
    ///
    /// Errors of the system, or `Cancelled`.
    pub fn damage_of_links(&self, cx: &JobCx) -> Result<Option<String>, StoreError> {
        let folder = self.built_folder();
        if !LinkStore::is_in(&folder) {
            return Ok(None);
        }
        match LinkStore::open(&folder).and_then(|store| store.check(cx)) {
            Err(LinkError::Stored(error)) if LinkError::is_damage_of(&error) => Ok(Some(error.to_string())),
            checked => Ok(checked.map(|()| None)?),
        }
    }

    /// Opens the built inlinks to fill them; where they are damaged, what is
    /// left of them goes first.
    ///
    /// # Errors
    ///
    /// A workspace that is open read-only, and errors of the system.
    pub fn links_to_build(&self) -> Result<LinkStore, StoreError> {
        if let Access::ReadOnly(why) = self.access() {
            return Err(why.refusal(self.folder()));
        }
        let folder = self.own_folder(self.built_folder())?;
        match LinkStore::open_to_add(&folder, BUILT_RULES) {
            Err(error) if error.is_damage() => {
                LinkStore::remove(&folder)?;
                Ok(LinkStore::open_to_add(&folder, BUILT_RULES)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Inlinks of a capture's page; those outside the window are marked so.
    ///
    /// # Errors
    ///
    /// No such capture, or links that cannot be read.
    pub fn inlinks_of_capture(&self, id: CaptureId, window_days: u32) -> Result<InlinkPage, StoreError> {
        let PageOfCapture { key, url, date } = self.catalogue().page_of_capture(id)?;
        self.inlink_page(&key, url, Some(Window { around: date, days: window_days }), window_days)
    }

    /// Inlinks of a page that may never have been captured.
    ///
    /// # Errors
    ///
    /// Links that cannot be read.
    pub fn inlinks_of_page(&self, key: &PageKey, label: &str, window_days: u32) -> Result<InlinkPage, StoreError> {
        self.inlink_page(key, label.to_owned(), None, window_days)
    }

    pub(in crate::store) fn inlink_page(
        &self,
        key: &PageKey,
        target: String,
        window: Option<Window>,
        window_days: u32,
    ) -> Result<InlinkPage, StoreError> {
        let store = self.built_links()?;
        let mut page = InlinkPage {
            target,
            capture_dates: self.catalogue().capture_dates(key)?,
            around: window.map(|window| window.around),
            window_days,
            rows: Vec::new(),
            internal: 0,
            external: 0,
            cut: 0,
            outside_cut: 0,
            built: store.is_some(),
        };
        let Some(store) = store else { return Ok(page) };
        // The cap counts inside and outside the window apart: those of other years must not displace those
        // of the window.
        let mut kept = [[0_usize; 2]; 2];
        store.each_inlink(key.as_str(), None, |link| {
            let in_window = window.is_none_or(|window| window.holds(link.date));
            if in_window {
                *(if link.internal { &mut page.internal } else { &mut page.external }) += 1;
            }
            let side = &mut kept[usize::from(in_window)][usize::from(link.internal)];
            if *side >= MAX_INLINKS_PER_SIDE {
                *(if in_window { &mut page.cut } else { &mut page.outside_cut }) += 1;
            } else {
                *side += 1;
                page.rows.push(inlink_row(link, in_window));
            }
            true
        })?;
        self.catalogue().name_sources(&mut page.rows)?;
        self.catalogue().name_origins(key, &mut page.rows)?;
        self.catalogue().place_links(key, &mut page.rows)?;
        for row in &mut page.rows {
            row.anchor = anchor_as_shown(&row.anchor).into_owned();
        }
        Ok(page)
    }

    /// Gives out the links to a capture's page within the window in the order
    /// (date, source, anchor), all of them. Says whether inlinks are built.
    ///
    /// # Errors
    ///
    /// As [`Self::inlinks_of_capture`].
    pub fn each_inlink_of_capture(
        &self,
        id: CaptureId,
        window_days: u32,
        mut take: impl FnMut(&LinkRow<'_>),
    ) -> Result<bool, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(false) };
        let PageOfCapture { key, date, .. } = self.catalogue().page_of_capture(id)?;
        let window = Window { around: date, days: window_days };
        store.each_inlink(key.as_str(), Some(window), |link| {
            take(link);
            true
        })?;
        Ok(true)
    }

    /// Anchors of a capture's inlinks in the window, most linking hosts first.
    ///
    /// # Errors
    ///
    /// As [`Self::inlinks_of_capture`].
    pub fn anchors_of_capture(&self, id: CaptureId, window_days: u32) -> Result<Vec<AnchorRow>, StoreError> {
        let mut tallies = HashMap::<String, (HashSet<Box<str>>, AnchorRow)>::new();
        self.each_inlink_of_capture(id, window_days, |link| {
            let row = || AnchorRow {
                text: tallied_anchor(link.anchor).into_owned(),
                hosts: 0,
                links: 0,
                first: link.date,
                last: link.date,
                matches_request: false,
            };
            let text = tallied_anchor(link.anchor);
            if !tallies.contains_key(&*text) {
                tallies.insert(text.clone().into_owned(), (HashSet::new(), row()));
            }
            let Some((hosts, row)) = tallies.get_mut(&*text) else { return };
            if !hosts.contains(host_of(link.source)) {
                hosts.insert(host_of(link.source).into());
            }
            row.links += 1;
            row.last = link.date;
        })?;
        let tallied = tallies.into_values().map(|(hosts, row)| AnchorRow { hosts: hosts.len() as u64, ..row });
        let mut rows: Vec<AnchorRow> = tallied.collect();
        rows.sort_by(|a, b| (b.hosts, b.links, &a.text).cmp(&(a.hosts, a.links, &b.text)));
        Ok(rows)
    }

    /// Pages that link to a URL: those of the built inlinks, and the page that led the crawl there,
    /// with the text of its link.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read.
    pub fn landing_pages(&self, url: &str, via: Option<&str>) -> Result<Vec<LandingPage>, StoreError> {
        let mut linking = Vec::new();
        if let (Some(store), Some(key)) = (self.built_links()?, PageKey::of_text(url)) {
            store.each_inlink(key.as_str(), None, |link| {
                linking.push((link.source_id, link.anchor.to_owned()));
                linking.len() < MOST_LANDINGS
            })?;
        }
        self.catalogue().landing_pages(url, via, linking)
    }

    /// The export of a capture; `sources` has the linking pages that were named before.
    ///
    /// # Errors
    ///
    /// As [`Self::inlinks_of_capture`].
    pub fn exported_capture(
        &self,
        id: CaptureId,
        window_days: u32,
        sources: &LinkingPages,
    ) -> Result<ExportedCapture, StoreError> {
        let mut links = Vec::new();
        let mut unnamed = Vec::new();
        let mut kept = [0_usize; 2];
        let is_built = sources.with(|known| {
            self.each_inlink_of_capture(id, window_days, |link| {
                let side = &mut kept[usize::from(link.internal)];
                if *side >= MAX_INLINKS_PER_SIDE {
                    return;
                }
                *side += 1;
                let source = CaptureId::try_from(link.source_id).ok();
                let named = source.and_then(|source| known.get(&source)).cloned();
                // A page that is not here is named by its link.
                let named = named.or_else(|| absent_source(link).map(|url| Arc::new(LinkingPage::new(url.to_owned()))));
                if named.is_none() {
                    unnamed.push((links.len(), source, link.source.to_owned()));
                }
                links.push((link.date, named, link.anchor.to_owned(), link.internal));
            })
        })?;
        let mut found = HashMap::new();
        if !unnamed.is_empty() {
            self.catalogue().read(|conn| {
                // One read transaction for all of them.
                let transaction = conn.unchecked_transaction()?;
                let mut statement = transaction
                    .prepare_cached("SELECT u.url FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1")?;
                for (at, source, key) in unnamed {
                    let url = match source {
                        Some(source) if !found.contains_key(&source) => {
                            statement.query_row([source], |row| row.get(0)).optional()?
                        }
                        _ => None,
                    };
                    if let Some((source, url)) = source.zip(url) {
                        found.insert(source, Arc::new(LinkingPage::new(url)));
                    }
                    // Links of a build are of captures; those of a catalogue that was brought back may not be.
                    let named = source.and_then(|source| found.get(&source)).cloned();
                    links[at].1 = Some(named.unwrap_or_else(|| Arc::new(LinkingPage::new(key))));
                }
                Ok(())
            })?;
            sources.extend(found);
        }
        let link = |(date, source, anchor, internal): (_, Option<_>, _, _)| {
            source.map(|source| ExportedLink { date, source, anchor, internal })
        };
        let links = links.into_iter().filter_map(link).collect();
        self.catalogue().exported_capture(id, is_built.then_some(links))
    }
}

/// A link as rows have it; its URL and host are those of its key until the
/// catalogue names them.
fn inlink_row(link: &LinkRow<'_>, in_window: bool) -> InlinkRow {
    InlinkRow {
        date: link.date,
        source: absent_source(link).unwrap_or(link.source).to_owned(),
        source_host: String::new(),
        anchor: link.anchor.to_owned(),
        internal: link.internal,
        in_window,
        capture: CaptureId::try_from(link.source_id).ok(),
        nofollow: link.nofollow,
        rel: String::new(),
        place: None,
        position: None,
        origin: None,
    }
}

/// The URL of the linking page, where that is not here.
fn absent_source<'a>(link: &LinkRow<'a>) -> Option<&'a str> {
    Some(link.source_url).filter(|url| !url.is_empty())
}

/// A capture's stamp as a number.
fn checksum_of(stamp: &str) -> u64 {
    Sha256::digest(stamp).first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl Catalogue {
    /// The built inlinks as they are now; none where nobody built them, where
    /// they are damaged, and where they are of another catalogue, whose numbers
    /// mean other captures: they have to be built then.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub(in crate::store) fn built_links(&self) -> Result<Option<Arc<LinkStore>>, StoreError> {
        let mut opened = self.opened_links.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = self.path().with_file_name(BUILT_LINKS);
        let list = match LinkStore::list_of(&folder).metadata() {
            Ok(list) => list,
            Err(_) => {
                *opened = None;
                return Ok(None);
            }
        };
        let (bytes, changed) = (list.len(), list.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        if let Some((_, _, store)) = opened.as_ref().filter(|(was, when, _)| (*was, *when) == (bytes, changed)) {
            return Ok(Some(Arc::clone(store)));
        }
        *opened = None;
        match LinkStore::open(&folder) {
            Ok(store) if store.rules() == BUILT_RULES && !self.is_other_than_of(&store.mark())? => {
                let store = Arc::new(store);
                *opened = Some((bytes, changed, Arc::clone(&store)));
                Ok(Some(store))
            }
            Ok(_) => Ok(None),
            Err(error) if error.is_damage() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The mark of links of all captures up to one; `keys` is the form of what is stored.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn mark_of_links(&self, up_to: CaptureId, keys: u32) -> Result<Mark, StoreError> {
        Ok(Mark {
            captures_up_to: up_to.get(),
            keys,
            read_up_to: self.originals_changed()?,
            last: self.capture_stamp(up_to)?.as_deref().map_or(0, checksum_of),
            lost: self.captures_lost()?,
        })
    }

    /// Whether links with this mark were built of another catalogue.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn is_other_than_of(&self, mark: &Mark) -> Result<bool, StoreError> {
        // Earlier versions did not write what the last capture was.
        let is_known = mark.last != 0;
        Ok(is_known
            && self
                .is_other(CaptureId::new(mark.captures_up_to), mark.lost, |stamp| checksum_of(stamp) == mark.last)?)
    }

    pub(in crate::store) fn page_of_capture(&self, id: CaptureId) -> Result<PageOfCapture, StoreError> {
        self.row_if_any(
            "SELECT p.key, u.url, c.date_ms FROM capture c JOIN page p ON p.id = c.page JOIN url u ON u.id = c.url
                 WHERE c.id = ?1",
            [id],
            |row| {
                let key = PageKey::from_stored(row.get(0)?);
                Ok(PageOfCapture { key, url: row.get(1)?, date: CaptureDate::from_millis(row.get(2)?) })
            },
        )?
        .ok_or(StoreError::Missing { what: "capture", id: id.to_string() })
    }

    /// The number of the page of a capture.
    ///
    /// # Errors
    ///
    /// No such capture, or a catalogue that cannot be read.
    pub fn page_number(&self, id: CaptureId) -> Result<i64, StoreError> {
        self.read(|conn| {
            let page = conn.prepare_cached("SELECT page FROM capture WHERE id = ?1")?.query_row([id], |row| row.get(0));
            page.optional()?.ok_or(StoreError::Missing { what: "capture", id: id.to_string() })
        })
    }

    fn capture_dates(&self, key: &PageKey) -> Result<Vec<CaptureDate>, StoreError> {
        self.rows(
            "SELECT date_ms FROM capture WHERE page = (SELECT id FROM page WHERE key = ?1) ORDER BY date_ms",
            [key.as_str()],
            |row| Ok(CaptureDate::from_millis(row.get(0)?)),
        )
    }

    /// Puts the URLs and hosts of the linking captures in the place of their keys.
    fn name_sources(&self, rows: &mut [InlinkRow]) -> Result<(), StoreError> {
        let mut known = HashMap::<CaptureId, (String, String)>::new();
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT u.url, h.name FROM capture c JOIN url u ON u.id = c.url JOIN host h ON h.id = c.host
                 WHERE c.id = ?1",
            )?;
            for row in rows {
                if let Some(id) = row.capture
                    && !known.contains_key(&id)
                    && let Some(names) = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?
                {
                    known.insert(id, names);
                }
                match row.capture.and_then(|id| known.get(&id)) {
                    Some((url, host)) => (row.source, row.source_host) = (url.clone(), host.clone()),
                    // Links of a build are of captures; those of a catalogue that was brought back may not be.
                    None => {
                        let url = Url::parse(&row.source).ok();
                        let url = url.or_else(|| PageKey::from_stored(row.source.clone()).likely_url());
                        row.source_host = url.map(|url| Fqdn::of(&url).as_str().to_owned()).unwrap_or_default();
                        row.capture = None;
                    }
                }
            }
            Ok(())
        })
    }

    /// Says of each link to a page from one that is not here which handover lists it.
    fn name_origins(&self, target: &PageKey, rows: &mut [InlinkRow]) -> Result<(), StoreError> {
        if rows.iter().all(|row| row.capture.is_some()) {
            return Ok(());
        }
        let mut origins = HashMap::new();
        for (origin, AbsentLink { date, source_url, anchor }) in self.absent_links_of(target)? {
            origins.entry((date, source_url, anchor)).or_insert(origin);
        }
        for row in rows.iter_mut().filter(|row| row.capture.is_none()) {
            row.origin = origins.get(&(row.date, row.source.clone(), row.anchor.clone())).cloned();
        }
        Ok(())
    }

    /// Adds to each link to a page its place in the linking page and its rel. Of equal ones one that is
    /// followed comes first, as among those that are stored.
    fn place_links(&self, target: &PageKey, rows: &mut [InlinkRow]) -> Result<(), StoreError> {
        let mut unplaced = HashMap::<CaptureId, HashMap<String, &mut InlinkRow>>::new();
        for row in rows {
            if let Some(capture) = row.capture {
                unplaced.entry(capture).or_default().insert(row.anchor.clone(), row);
            }
        }
        self.read(|conn| {
            for (capture, mut by_anchor) in unplaced {
                let mut links = outlinks_of(conn, capture)?;
                links.retain(|link| link.kind == LinkKind::Anchor && link.page().as_ref() == Some(target));
                links.sort_by_key(|link| (link.nofollow, link.position));
                for link in links {
                    if let Some(row) = by_anchor.remove(&link.anchor) {
                        (row.nofollow, row.rel) = (link.nofollow, link.rel);
                        row.place = link.place.map(|place| place.as_str().to_owned());
                        row.position = Some(link.position);
                    }
                }
            }
            Ok(())
        })
    }

    fn landing_pages(
        &self,
        url: &str,
        via: Option<&str>,
        linking: Vec<(u64, String)>,
    ) -> Result<Vec<LandingPage>, StoreError> {
        self.read(|conn| {
            let mut pages = Vec::new();
            let mut statement =
                conn.prepare_cached("SELECT u.url, c.title FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1")?;
            for (id, anchor) in linking {
                let id = CaptureId::try_from(id).unwrap_or_default();
                let found =
                    statement.query_row([id], |row| Ok((row.get(0)?, row.get::<_, LossyText>(1)?.0))).optional()?;
                pages.extend(found.map(|(url, title)| LandingPage { url, title, anchor }));
            }
            let Some(via) = via else { return Ok(pages) };
            let page = Url::parse(url).ok().map(|url| PageKey::of(&url));
            let mut link: Option<(String, String)> = None;
            let mut captures = conn.prepare_cached(
                "SELECT id, title FROM capture WHERE url = (SELECT id FROM url WHERE url = ?1) ORDER BY date_ms",
            )?;
            let mut captures = captures.query([via])?;
            while link.as_ref().is_none_or(|(_, anchor)| anchor.is_empty())
                && let Some(capture) = captures.next()?
            {
                let mut links = outlinks_of(conn, capture.get(0)?)?;
                links.retain(|link| link.page() == page);
                let found = links.iter().find(|link| !link.anchor.is_empty()).or(links.first());
                if let Some(found) = found.filter(|found| link.is_none() || !found.anchor.is_empty()) {
                    link = Some((capture.get::<_, LossyText>(1)?.0, found.anchor.clone()));
                }
            }
            let (title, anchor) = link.unwrap_or_default();
            pages.push(LandingPage { url: via.to_owned(), title, anchor });
            Ok(pages)
        })
    }
}
