//! The captures of pages that link to a page: those that the built inlinks name, and those whose links came since or
//! were never built, whose lists are read.

use super::built_inlinks::BUILD_FORMAT_VERSION;
use super::link_rows::{CHANGED_REVISITS, Captures, NEW_CAPTURES};
use crate::inlinks::stored::LinkStore;
use crate::store::captures::link_list::{JOIN_BLOCK, LIST, LinkTarget, StoredList};
use crate::store::captures::originals::{HAS_LINKS, IS_PAGE, MAY_BE_PAGE, ORIGINAL};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::CaptureId;
use crate::uri::PageKey;
use fixedbitset::FixedBitSet;
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

/// So many linking captures are looked up one by one; of more the index of pages is read as a whole.
const FEW: usize = 4_096;

impl Catalogue {
    /// The captures of pages that have an `<a href>` to a page, as numbers.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read.
    pub(in crate::store) fn linking_captures(&self, page: &PageKey) -> Result<FixedBitSet, StoreError> {
        if let Some(store) = self.built_links()?
            && self.has_links_of_all(&store)?
        {
            match self.built_sources(page, &store) {
                // The lists of outlinks are what it was made of.
                Err(StoreError::Links(error)) if error.is_damage() => {}
                answered => return answered,
            }
        }
        let mut found = FixedBitSet::new();
        self.read(|conn| add_by_lists(conn, page, NEW_CAPTURES, Captures::ALL, &mut found))?;
        Ok(found)
    }

    /// Whether built inlinks go on where they end: a build would not begin from scratch.
    fn has_links_of_all(&self, store: &LinkStore) -> Result<bool, StoreError> {
        let mark = store.mark();
        Ok(mark.keys == BUILD_FORMAT_VERSION && !self.lost_links()? && self.originals_replaced()? <= mark.read_up_to)
    }

    fn built_sources(&self, page: &PageKey, store: &LinkStore) -> Result<FixedBitSet, StoreError> {
        // Numbers of captures that there are; others could take any amount of memory.
        let newest = self.newest_capture()?;
        let mut found = FixedBitSet::new();
        store.each_inlink(page.as_str(), None, |link| {
            let source = CaptureId::try_from(link.source_id).ok().filter(|source| *source <= newest);
            let at = source.and_then(|source| usize::try_from(source).ok());
            at.into_iter().for_each(|at| found.grow_and_insert(at));
            true
        })?;
        let mark = store.mark();
        let since = Captures {
            after: CaptureId::new(mark.captures_up_to),
            up_to: CaptureId::MAX,
            changed_after: mark.read_up_to,
        };
        self.read(|conn| {
            add_twins(conn, page, &mut found)?;
            add_by_lists(conn, page, NEW_CAPTURES, since, &mut found)?;
            add_by_lists(conn, page, CHANGED_REVISITS, since, &mut found)
        })?;
        Ok(found)
    }
}

/// Adds captures whose links are those of another one: of equal links of one page and second, built inlinks keep one.
fn add_twins(conn: &Connection, page: &PageKey, found: &mut FixedBitSet) -> Result<(), StoreError> {
    let mut twins = Vec::<CaptureId>::new();
    if found.count_ones(..) <= FEW {
        let mut of_second = conn.prepare_cached(
            "SELECT x.id FROM capture c CROSS JOIN capture x
                ON x.page = c.page AND x.date_ms / 1000 = c.date_ms / 1000
                AND x.date_ms BETWEEN c.date_ms - 999 AND c.date_ms + 999
             WHERE c.id = ?1 AND x.id <> c.id",
        )?;
        for capture in found.ones().filter_map(|capture| CaptureId::try_from(capture).ok()) {
            let mut rows = of_second.query([capture])?;
            while let Some(row) = rows.next()? {
                twins.push(row.get(0)?);
            }
        }
    } else {
        let mut statement = conn.prepare_cached(
            "SELECT page, date_ms / 1000, id FROM capture INDEXED BY capture_page ORDER BY page, date_ms",
        )?;
        let mut rows = statement.query([])?;
        let (mut second, mut captures) = ((0_i64, 0_i64), Vec::<CaptureId>::new());
        let mut keep = |captures: &mut Vec<CaptureId>| {
            if captures.len() > 1 {
                twins.append(captures);
            }
            captures.clear();
        };
        while let Some(row) = rows.next()? {
            let of = (row.get(0)?, row.get(1)?);
            if of != second {
                keep(&mut captures);
                second = of;
            }
            captures.push(row.get(2)?);
        }
        keep(&mut captures);
    }
    let is_new = |twin: &CaptureId| usize::try_from(*twin).is_ok_and(|twin| !found.contains(twin));
    twins.retain(is_new);
    let mut lists = LinkLists::of(conn, page)?;
    let mut owner = conn.prepare_cached(&format!(
        "SELECT {HAS_LINKS} FROM capture c CROSS JOIN capture p ON p.id = {ORIGINAL}
         WHERE c.id = ?1 AND {IS_PAGE} AND {MAY_BE_PAGE}"
    ))?;
    for twin in twins {
        let owner: Option<CaptureId> = owner.query_row([twin], |row| row.get(0)).optional()?;
        if let (Some(owner), Ok(at)) = (owner, usize::try_from(twin))
            && lists.leads(owner)?
        {
            found.grow_and_insert(at);
        }
    }
    Ok(())
}

/// Adds those of some captures whose lists of outlinks lead to the page.
fn add_by_lists(
    conn: &Connection,
    page: &PageKey,
    which: &str,
    of: Captures,
    found: &mut FixedBitSet,
) -> Result<(), StoreError> {
    let mut lists = LinkLists::of(conn, page)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT c.id, {HAS_LINKS} FROM capture c CROSS JOIN capture p ON p.id = {ORIGINAL}
         WHERE {IS_PAGE} AND {MAY_BE_PAGE} AND {which}"
    ))?;
    let mut rows = statement.query((of.after, of.up_to, of.changed_after))?;
    while let Some(row) = rows.next()? {
        if lists.leads(row.get(1)?)?
            && let Ok(at) = usize::try_from(row.get::<_, CaptureId>(0)?)
        {
            found.grow_and_insert(at);
        }
    }
    Ok(())
}

/// Lists of outlinks, each read once: revisits share those of what they repeat.
struct LinkLists<'c> {
    target: LinkTarget,
    lists: rusqlite::CachedStatement<'c>,
    known: HashMap<CaptureId, bool>,
}

impl<'c> LinkLists<'c> {
    fn of(conn: &'c Connection, page: &PageKey) -> Result<Self, StoreError> {
        let sql = format!("SELECT {LIST} FROM link_list o {JOIN_BLOCK} WHERE o.capture = ?1 AND o.anchors > 0");
        let lists = conn.prepare_cached(&sql)?;
        Ok(Self { target: LinkTarget::new(page), lists, known: HashMap::new() })
    }

    /// Whether a list of this capture leads to the page.
    fn leads(&mut self, capture: CaptureId) -> Result<bool, StoreError> {
        if let Some(leads) = self.known.get(&capture) {
            return Ok(*leads);
        }
        let mut leads = false;
        let mut rows = self.lists.query([capture])?;
        while let Some(row) = rows.next()? {
            leads |= self.target.is_in(StoredList::of_row(row, 0)?)?;
        }
        drop(rows);
        self.known.insert(capture, leads);
        Ok(leads)
    }
}
