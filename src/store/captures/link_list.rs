//! The outlinks of a capture as the catalogue keeps them: a list, or several where they came in
//! parts. Lists of captures that come together are compressed as one block: pages of a site share
//! most of their links, so that a block takes two thirds of what its lists would take.
//!
//! A block: a byte for its form (0 plain, 1 deflated, then followed by the length of what is
//! deflated), and lists. A list: of each link the distance of its position from the one expected, a
//! byte for kind and marks, how many bytes its URL shares with the one before, the rest of the URL,
//! the anchor, and `rel` and place where they are. Numbers are LEB128; texts follow their length.

use super::originals::{HAS_LINKS, ORIGINAL};
use crate::inlinks::stored::{host_name, host_of};
use crate::links::{LinkKind, Outlink, PagePlace};
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::int;
use crate::store::rows::CaptureId;
use crate::uri::{PageKey, Url};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use memchr::memmem::{self, Finder};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Error, OptionalExtension, Row, params};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

const PLAIN: u8 = 0;
const DEFLATED: u8 = 1;

/// Shorter lists are not compressed.
const WORTH_COMPRESSING: usize = 100;

/// Bytes of one list before it is compressed, about; what is more begins another one.
const MAX_LIST: usize = 1 << 20;

/// Bytes of lists that are compressed as one, about: whoever reads one list unpacks all of them.
const BLOCK_BYTES: usize = 64 << 10;

/// Deflate makes nothing smaller than by this.
const MAX_RATIO: usize = 1032;

/// The levels above take more time than writing what they save.
const LEVEL: i32 = 1;

const KIND: u8 = 0b1111;
const NOFOLLOW: u8 = 1 << 4;
const HAS_REL: u8 = 1 << 5;
const HAS_PLACE: u8 = 1 << 6;

/// An outlink as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct StoredLink {
    /// Number of the link in its page.
    pub position: u32,
    /// The kind of its element.
    pub kind: LinkKind,
    /// Absolute URL.
    pub url: String,
    /// Its text.
    pub anchor: String,
    /// It, or its page, has `nofollow`.
    pub nofollow: bool,
    /// Its `rel`; empty where there is none.
    pub rel: String,
    /// The part of the page.
    pub place: Option<PagePlace>,
}

impl StoredLink {
    /// The identity of the page that it leads to; none where the stored text is no URL.
    pub(in crate::store) fn page(&self) -> Option<PageKey> {
        LinkRef::from(self).page()
    }
}

/// A link on its way into a list, or out of it.
#[derive(Clone, Copy)]
struct LinkRef<'a> {
    position: u32,
    kind: LinkKind,
    url: &'a str,
    anchor: &'a str,
    nofollow: bool,
    rel: &'a str,
    place: Option<PagePlace>,
}

impl LinkRef<'_> {
    fn page(&self) -> Option<PageKey> {
        Url::parse(self.url).ok().map(|url| PageKey::of(&url))
    }

    fn to_stored(self) -> StoredLink {
        let Self { position, kind, url, anchor, nofollow, rel, place } = self;
        let (url, anchor, rel) = (url.to_owned(), anchor.to_owned(), rel.to_owned());
        StoredLink { position, kind, url, anchor, nofollow, rel, place }
    }
}

impl<'a> From<&'a Outlink> for LinkRef<'a> {
    fn from(link: &'a Outlink) -> Self {
        let Outlink { url, kind, anchor, rel, nofollow, place, position } = link;
        let (url, anchor, rel) = (url.as_str(), anchor.as_str(), rel.as_str());
        Self { position: *position, kind: *kind, url, anchor, nofollow: *nofollow, rel, place: *place }
    }
}

impl<'a> From<&'a StoredLink> for LinkRef<'a> {
    fn from(link: &'a StoredLink) -> Self {
        let StoredLink { position, kind, url, anchor, nofollow, rel, place } = link;
        Self { position: *position, kind: *kind, url, anchor, nofollow: *nofollow, rel, place: *place }
    }
}

/// A list in the making, at the end of a block.
struct ListWriter<'a, 'b> {
    plain: &'b mut Vec<u8>,
    /// The position that the next link has, if none is left out.
    next: u32,
    url: &'a str,
    anchors: u64,
    last: u32,
}

impl<'a, 'b> ListWriter<'a, 'b> {
    fn new(plain: &'b mut Vec<u8>) -> Self {
        Self { plain, next: 0, url: "", anchors: 0, last: 0 }
    }

    fn push(&mut self, link: LinkRef<'a>) {
        put_number(self.plain, u64::from(link.position.wrapping_sub(self.next)));
        self.next = link.position.wrapping_add(1);
        let mut marks = link.kind as u8;
        for (mark, is_set) in
            [(NOFOLLOW, link.nofollow), (HAS_REL, !link.rel.is_empty()), (HAS_PLACE, link.place.is_some())]
        {
            if is_set {
                marks |= mark;
            }
        }
        self.plain.push(marks);
        let shared = self.url.bytes().zip(link.url.bytes()).take_while(|(a, b)| a == b).count();
        let shared = link.url.floor_char_boundary(shared);
        put_number(self.plain, shared as u64);
        put_text(self.plain, &link.url[shared..]);
        put_text(self.plain, link.anchor);
        if !link.rel.is_empty() {
            put_text(self.plain, link.rel);
        }
        if let Some(place) = link.place {
            put_text(self.plain, place.as_str());
        }
        self.url = link.url;
        self.anchors += u64::from(link.kind == LinkKind::Anchor);
        self.last = self.last.max(link.position);
    }
}

/// A list of links in one of some [blocks](LinkBlocks).
pub(in crate::store) struct LinkList {
    /// Links of `<a href>` among them.
    anchors: u64,
    /// The highest position among them.
    last: u32,
    /// The number of its block.
    block: usize,
    /// Its place in that, before it is compressed.
    place: Range<usize>,
}

/// Lists of links that come together, packed as they are stored.
#[derive(Default)]
pub(in crate::store) struct LinkBlocks {
    packed: Vec<Vec<u8>>,
    packed_bytes: usize,
    /// Lists that make no whole block yet.
    open: Vec<u8>,
}

impl LinkBlocks {
    /// Adds the links of a capture; returns the lists that they became.
    pub(in crate::store) fn push(&mut self, links: &[Outlink]) -> Vec<LinkList> {
        self.push_all(links.iter().map(LinkRef::from))
    }

    fn push_all<'a>(&mut self, links: impl IntoIterator<Item = LinkRef<'a>>) -> Vec<LinkList> {
        let (mut lists, mut links) = (Vec::new(), links.into_iter().peekable());
        while links.peek().is_some() {
            let begin = self.open.len();
            let mut writer = ListWriter::new(&mut self.open);
            while writer.plain.len() - begin < MAX_LIST
                && let Some(link) = links.next()
            {
                writer.push(link);
            }
            let ListWriter { anchors, last, .. } = writer;
            lists.push(LinkList { anchors, last, block: self.packed.len(), place: begin..self.open.len() });
            if self.open.len() >= BLOCK_BYTES {
                self.end_block();
            }
        }
        lists
    }

    fn end_block(&mut self) {
        if !self.open.is_empty() {
            let block = packed(&self.open);
            self.packed_bytes += block.len();
            self.packed.push(block);
            self.open.clear();
        }
    }

    /// Bytes that are packed so far.
    pub(in crate::store) fn packed_bytes(&self) -> usize {
        self.packed_bytes
    }

    /// All lists, ready to be stored.
    pub(in crate::store) fn finish(mut self) -> PackedLinks {
        self.end_block();
        PackedLinks { stored: vec![None; self.packed.len()], packed: self.packed }
    }
}

/// Blocks that are ready to be stored: each with the first of its lists.
pub(in crate::store) struct PackedLinks {
    packed: Vec<Vec<u8>>,
    /// The numbers of blocks that are stored.
    stored: Vec<Option<i64>>,
}

impl PackedLinks {
    /// Adds lists to a capture that has none of their links.
    pub(in crate::store) fn insert(
        &mut self,
        conn: &Connection,
        capture: CaptureId,
        lists: &[LinkList],
    ) -> Result<(), StoreError> {
        if lists.is_empty() {
            return Ok(());
        }
        let mut insert = conn.prepare_cached(
            "INSERT INTO link_list (capture, part, anchors, last, block, begin, length)
             VALUES (?1, (SELECT ifnull(max(part) + 1, 0) FROM link_list WHERE capture = ?1), ?2, ?3, ?4, ?5, ?6)",
        )?;
        for LinkList { anchors, last, block, place } in lists {
            let Some((stored, packed)) = self.stored.get_mut(*block).zip(self.packed.get(*block)) else { continue };
            let number = match *stored {
                Some(number) => number,
                None => {
                    conn.prepare_cached("INSERT INTO link_block (links) VALUES (?1)")?.execute([packed])?;
                    *stored.insert(conn.last_insert_rowid())
                }
            };
            insert.execute(params![
                capture,
                int(*anchors),
                last,
                number,
                int(place.start as u64),
                int(place.len() as u64)
            ])?;
        }
        Ok(())
    }
}

/// Adds a list of a capture that is a block by itself, with the anchors among it and its highest position.
pub(in crate::store) fn insert_alone(
    conn: &Connection,
    (capture, anchors, last): (CaptureId, i64, u32),
    block: &[u8],
) -> Result<(), StoreError> {
    let list = LinkList { anchors: anchors.unsigned_abs(), last, block: 0, place: 0..unpacked(block)?.len() };
    PackedLinks { packed: vec![block.to_vec()], stored: vec![None] }.insert(conn, capture, &[list])
}

/// The blocks with lists of captures.
pub(in crate::store) fn blocks_of(conn: &Connection, captures: &[CaptureId]) -> Result<Vec<i64>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT block FROM link_list WHERE capture = ?1")?;
    let mut blocks = Vec::new();
    for capture in captures {
        for block in statement.query_map([capture], |row| row.get(0))? {
            blocks.push(block?);
        }
    }
    Ok(blocks)
}

/// Removes those of some blocks that no list is left of.
pub(in crate::store) fn remove_empty_blocks(conn: &Connection, mut blocks: Vec<i64>) -> Result<(), StoreError> {
    if blocks.is_empty() {
        return Ok(());
    }
    blocks.sort_unstable();
    blocks.dedup();
    conn.prepare_cached(
        "DELETE FROM link_block WHERE id IN (SELECT value FROM json_each(?1)) AND id NOT IN (SELECT block FROM link_list)",
    )?
    .execute([serde_json::json!(blocks).to_string()])?;
    Ok(())
}

/// SQL: the columns of a list `o` in its block `b`, which [`StoredList::of_row`] takes.
macro_rules! list_sql {
    () => {
        "b.links, o.begin, o.length"
    };
}

/// SQL: the block `b` of a list `o`.
macro_rules! join_block_sql {
    () => {
        "JOIN link_block b ON b.id = o.block"
    };
}

pub(in crate::store) use {join_block_sql, list_sql};

/// See [`list_sql`].
pub(in crate::store) const LIST: &str = list_sql!();
/// See [`join_block_sql`].
pub(in crate::store) const JOIN_BLOCK: &str = join_block_sql!();

/// A list as it is stored.
#[derive(Clone, Copy)]
pub(in crate::store) struct StoredList<'b> {
    block: &'b [u8],
    begin: i64,
    length: i64,
}

impl<'b> StoredList<'b> {
    /// The list in a row, whose columns from this one on are those of [`list_sql`].
    pub(in crate::store) fn of_row(row: &'b Row<'_>, at: usize) -> Result<Self, StoreError> {
        let block = row.get_ref(at)?.as_blob().map_err(Error::from)?;
        Ok(Self { block, begin: row.get(at + 1)?, length: row.get(at + 2)? })
    }

    /// Reads the list. Its block stays unpacked for the next one: lists of a block are read one after the other.
    fn read<T>(self, read: impl FnOnce(&[u8]) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let Self { block, begin, length } = self;
        // What reads another list meanwhile finds none.
        let mut last = LAST_BLOCK.take();
        if last.packed != block {
            last.packed.clear();
            last.plain.clear();
            last.plain.extend_from_slice(&unpacked(block)?);
            last.packed.extend_from_slice(block);
        }
        let place = usize::try_from(begin).ok().zip(usize::try_from(length).ok());
        let list = place.and_then(|(begin, length)| last.plain.get(begin..)?.get(..length));
        let answer = list.ok_or_else(|| broken("its place is not in its block")).and_then(read);
        LAST_BLOCK.set(last);
        answer
    }
}

/// A block that was read.
#[derive(Default)]
struct ReadBlock {
    packed: Vec<u8>,
    plain: Vec<u8>,
}

thread_local! {
    static LAST_BLOCK: Cell<ReadBlock> = Cell::default();
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Bytes as lists are stored, compressed where that pays.
pub(in crate::store) fn packed(plain: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: RefCell<Compressor> =
            RefCell::new(Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()));
    }
    if plain.len() >= WORTH_COMPRESSING {
        let mut out = vec![DEFLATED];
        put_number(&mut out, plain.len() as u64);
        let head = out.len();
        let done = COMPRESSOR.with_borrow_mut(|compressor| {
            out.resize(head + compressor.deflate_compress_bound(plain.len()), 0);
            compressor.deflate_compress(plain, &mut out[head..])
        });
        if let Ok(len) = done {
            out.truncate(head + len);
            out.shrink_to_fit();
            return out;
        }
    }
    let mut out = Vec::with_capacity(1 + plain.len());
    out.push(PLAIN);
    out.extend_from_slice(plain);
    out
}

/// The error of a broken stored list.
fn broken(what: &str) -> StoreError {
    StoreError::Content(format!("a list of outlinks ({what})"))
}

/// The links of a list, in their order.
///
/// # Errors
///
/// [`StoreError::Content`] for bytes that are no list.
pub(in crate::store) fn decode(list: StoredList<'_>) -> Result<Vec<StoredLink>, StoreError> {
    let mut links = Vec::new();
    each_link(list, |link| links.push(link.to_stored()))?;
    Ok(links)
}

/// A page that links may lead to.
pub(in crate::store) struct LinkTarget {
    key: PageKey,
    /// What a page's key has of its host stands in each of its URLs, too.
    host: Finder<'static>,
}

impl LinkTarget {
    pub(in crate::store) fn new(key: &PageKey) -> Self {
        let host = host_name(host_of(key.as_str()));
        Self { key: key.clone(), host: Finder::new(host.as_str()).into_owned() }
    }

    /// Whether an `<a href>` of a list leads to the page.
    ///
    /// # Errors
    ///
    /// As [`decode`].
    pub(in crate::store) fn is_in(&self, list: StoredList<'_>) -> Result<bool, StoreError> {
        let mut leads = false;
        each_raw(list, |link| {
            if !leads && link.kind == LinkKind::Anchor && self.may_be(link.url) {
                leads = link.read()?.page().is_some_and(|page| page == self.key);
            }
            Ok(())
        })?;
        Ok(leads)
    }

    /// Whether a URL may be one of the page: path and query are those of the key, and it has the host.
    fn may_be(&self, url: &[u8]) -> bool {
        let Some(authority) = memmem::find(url, b"://").map(|at| at + 3) else { return true };
        let rest = &url[authority..];
        let rest = &rest[memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len())..];
        let rest = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
        let (path, query) = rest.split_at(memchr::memchr(b'?', rest).unwrap_or(rest.len()));
        let path = if path.len() > 1 { path.strip_suffix(b"/").unwrap_or(path) } else { path };
        let query = if query == b"?" { b"" } else { query };
        let of_key = self.key.as_str().as_bytes();
        of_key.strip_suffix(query).is_some_and(|key| key.ends_with(path)) && self.host.find(url).is_some()
    }
}

/// Decodes the links of a capture, which an error names.
pub(in crate::store) fn decode_of(capture: CaptureId, list: StoredList<'_>) -> Result<Vec<StoredLink>, StoreError> {
    decode(list).map_err(|error| match error {
        StoreError::Content(what) => StoreError::Content(format!("{what} of capture {capture}")),
        error => error,
    })
}

/// The bytes that [`packed`] was given.
pub(in crate::store) fn unpacked(list: &[u8]) -> Result<Cow<'_, [u8]>, StoreError> {
    thread_local! {
        static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    }
    let (form, mut rest) = list.split_first().ok_or_else(|| broken("it is empty"))?;
    match *form {
        PLAIN => Ok(Cow::Borrowed(rest)),
        DEFLATED => {
            let len = take_number(&mut rest)?;
            let len = usize::try_from(len).ok().filter(|len| *len <= rest.len().saturating_mul(MAX_RATIO));
            let mut room = vec![0; len.ok_or_else(|| broken("its length is no length"))?];
            match DECOMPRESSOR.with_borrow_mut(|one| one.deflate_decompress(rest, &mut room)) {
                Ok(got) if got == room.len() => Ok(Cow::Owned(room)),
                _ => Err(broken("it cannot be unpacked")),
            }
        }
        _ => Err(broken("it has a form that this version does not know")),
    }
}

/// Hands the links of a list out, as [`decode`] gives them.
fn each_link(list: StoredList<'_>, mut take: impl FnMut(LinkRef<'_>)) -> Result<(), StoreError> {
    each_raw(list, |link| {
        take(link.read()?);
        Ok(())
    })
}

/// A link of a list whose texts are not decoded.
struct RawLink<'l> {
    position: u32,
    marks: u8,
    kind: LinkKind,
    url: &'l [u8],
    anchor: &'l [u8],
    rel: &'l [u8],
    place: &'l [u8],
}

impl RawLink<'_> {
    fn read(&self) -> Result<LinkRef<'_>, StoreError> {
        let &Self { position, marks, kind, url, anchor, rel, place } = self;
        let text = |bytes| std::str::from_utf8(bytes).map_err(|_| broken("a text is no UTF-8"));
        let place = if place.is_empty() { None } else { PagePlace::of_name(text(place)?) };
        let nofollow = marks & NOFOLLOW != 0;
        Ok(LinkRef { position, kind, url: text(url)?, anchor: text(anchor)?, nofollow, rel: text(rel)?, place })
    }
}

fn each_raw(list: StoredList<'_>, take: impl FnMut(RawLink<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
    list.read(|plain| each_in(plain, take))
}

fn each_in(mut rest: &[u8], mut take: impl FnMut(RawLink<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
    let (mut next, mut url) = (0_u32, Vec::new());
    while !rest.is_empty() {
        let step = u32::try_from(take_number(&mut rest)?).map_err(|_| broken("a position is too large"))?;
        let position = next.wrapping_add(step);
        next = position.wrapping_add(1);
        let (marks, behind) = rest.split_first().ok_or_else(|| broken("it ends within a link"))?;
        rest = behind;
        let kind = LinkKind::ALL.get(usize::from(marks & KIND)).ok_or_else(|| broken("a link is of no known kind"))?;
        let shared = usize::try_from(take_number(&mut rest)?).ok();
        url.truncate(shared.filter(|shared| *shared <= url.len()).ok_or_else(|| broken("a URL shares too much"))?);
        url.extend_from_slice(take_bytes(&mut rest)?);
        let anchor = take_bytes(&mut rest)?;
        let rel = if marks & HAS_REL != 0 { take_bytes(&mut rest)? } else { b"" };
        let place = if marks & HAS_PLACE != 0 { take_bytes(&mut rest)? } else { b"" };
        take(RawLink { position, marks: *marks, kind: *kind, url: &url, anchor, rel, place })?;
    }
    Ok(())
}

fn take_number(rest: &mut &[u8]) -> Result<u64, StoreError> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first().ok_or_else(|| broken("it ends within a number"))?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(broken("a number is too long"))
}

fn take_bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], StoreError> {
    let len = usize::try_from(take_number(rest)?).ok();
    let (bytes, behind) =
        len.and_then(|len| rest.split_at_checked(len)).ok_or_else(|| broken("it ends within a text"))?;
    *rest = behind;
    Ok(bytes)
}

/// Adds links of a capture; those that are there stay.
pub(in crate::store) fn insert_outlinks(
    conn: &Connection,
    capture: CaptureId,
    links: &[Outlink],
) -> Result<(), StoreError> {
    let Some(first) = links.iter().map(|link| link.position).min() else { return Ok(()) };
    let last: Option<u32> = conn
        .prepare_cached("SELECT max(last) FROM link_list WHERE capture = ?1")?
        .query_row([capture], |row| row.get(0))?;
    let known: HashSet<u32> = match last.is_some_and(|last| last >= first) {
        true => stored_links(conn, capture)?.into_iter().map(|link| link.position).collect(),
        // Parts of a page come one after the other.
        false => HashSet::new(),
    };
    let new = links.iter().filter(|link| !known.contains(&link.position)).map(LinkRef::from);
    let mut blocks = LinkBlocks::default();
    let lists = blocks.push_all(new);
    blocks.finish().insert(conn, capture, &lists)
}

/// The links that are stored of a capture, by their position; not those of what it repeats.
pub(in crate::store) fn stored_links(conn: &Connection, capture: CaptureId) -> Result<Vec<StoredLink>, StoreError> {
    let mut statement = conn.prepare_cached(concat!(
        "SELECT ",
        list_sql!(),
        " FROM link_list o ",
        join_block_sql!(),
        " WHERE o.capture = ?1 ORDER BY o.part"
    ))?;
    let mut rows = statement.query([capture])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        links.append(&mut decode_of(capture, StoredList::of_row(row, 0)?)?);
    }
    links.sort_by_key(|link| link.position);
    Ok(links)
}

/// The links out of a capture, by their position; a revisit has those of what it repeats.
pub(in crate::store) fn outlinks_of(conn: &Connection, capture: CaptureId) -> Result<Vec<StoredLink>, StoreError> {
    let has_links: Option<CaptureId> = conn
        .prepare_cached(&format!(
            "SELECT {HAS_LINKS} FROM capture c JOIN capture p ON p.id = {ORIGINAL} WHERE c.id = ?1"
        ))?
        .query_row([capture], |row| row.get(0))
        .optional()?;
    has_links.map_or_else(|| Ok(Vec::new()), |has_links| stored_links(conn, has_links))
}

/// Keys of pages by URL, so that links of many pages to the same few are read once.
#[derive(Default)]
pub(in crate::store) struct PageKeys(HashMap<String, PageKey>);

impl PageKeys {
    /// URLs that are remembered.
    const MOST: usize = 20_000;

    /// The key of the page of a URL.
    pub(in crate::store) fn of(&mut self, url: &str) -> Result<&PageKey, StoreError> {
        if !self.0.contains_key(url) {
            if self.0.len() >= Self::MOST {
                self.0.clear();
            }
            let key = PageKey::of(&crate::store::catalogue::sql::parse_stored(url)?);
            self.0.insert(url.to_owned(), key);
        }
        self.0.get(url).ok_or_else(|| broken("no URL"))
    }
}

/// URLs whose pages `shown_links` remembers: the pages of a site name the same style sheets and scripts.
const KNOWN_URLS: usize = 4096;

/// Adds the function `shown_links(block, begin, length)` to a connection: a JSON array of the links of a list that a page
/// cannot be shown without, each the key of its page and its URL.
pub(in crate::store) fn register(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let known = RefCell::new(HashMap::<String, Option<String>>::new());
    conn.create_scalar_function("shown_links", 3, flags, move |context| {
        let failed = |error: StoreError| Error::UserFunctionError(error.into());
        let block = context.get_raw(0).as_blob().map_err(|error| Error::UserFunctionError(error.into()))?;
        let list = StoredList { block, begin: context.get(1)?, length: context.get(2)? };
        let mut known = known.borrow_mut();
        let mut pages = "[".to_owned();
        each_raw(list, |link| {
            use LinkKind::{Css, Frame, Image, Media, Redirect, Script, Stylesheet};
            // Most links are of other kinds: their texts are passed over.
            if !matches!(link.kind, Stylesheet | Image | Script | Media | Css | Frame | Redirect) {
                return Ok(());
            }
            let link = link.read()?;
            if !known.contains_key(link.url) {
                if known.len() >= KNOWN_URLS {
                    known.clear();
                }
                let page = link.page().map(|page| serde_json::to_string(&[page.as_str(), link.url])).transpose();
                let page = page.map_err(|error| StoreError::Content(error.to_string()))?;
                known.insert(link.url.to_owned(), page);
            }
            if let Some(Some(page)) = known.get(link.url) {
                if pages.len() > 1 {
                    pages.push(',');
                }
                pages.push_str(page);
            }
            Ok(())
        })
        .map_err(failed)?;
        pages.push(']');
        Ok(pages)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stored(block: &[u8], place: Range<usize>) -> StoredList<'_> {
        StoredList { block, begin: place.start as i64, length: place.len() as i64 }
    }

    fn link() -> impl Strategy<Value = StoredLink> {
        let places = [None, Some(PagePlace::Main), Some(PagePlace::Aside)];
        (
            0_u32..3_000,
            proptest::sample::select(LinkKind::ALL.to_vec()),
            "http://(a|b)\\.pt/[a-cé]{0,9}",
            "\\PC{0,20}",
            any::<bool>(),
            "(|nofollow|ugc me)",
            proptest::sample::select(places.to_vec()),
        )
            .prop_map(|(position, kind, url, anchor, nofollow, rel, place)| StoredLink {
                position,
                kind,
                url,
                anchor,
                nofollow,
                rel,
                place,
            })
    }

    proptest! {
        #[test]
        fn links_come_out_of_a_list_as_they_went_in(links in prop::collection::vec(link(), 0..60)) {
            // Each page twice, so that lists are behind one another.
            let mut blocks = LinkBlocks::default();
            let lists = [(); 2].map(|()| blocks.push_all(links.iter().map(LinkRef::from)));
            let PackedLinks { packed, .. } = blocks.finish();
            for lists in lists {
                let anchors: u64 = lists.iter().map(|list| list.anchors).sum();
                prop_assert_eq!(anchors, links.iter().filter(|link| link.kind == LinkKind::Anchor).count() as u64);
                let read = |list: &LinkList| decode(stored(&packed[list.block], list.place.clone())).unwrap();
                let found: Vec<StoredLink> = lists.iter().flat_map(read).collect();
                prop_assert_eq!(&found, &links);
            }
        }

        #[test]
        fn foreign_bytes_are_an_error_or_links(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            links in prop::collection::vec(link(), 1..30),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let _ = decode(stored(&bytes, 0..bytes.len()));
            let mut blocks = LinkBlocks::default();
            let place = blocks.push_all(links.iter().map(LinkRef::from)).remove(0).place;
            let mut spoiled = blocks.finish().packed.remove(0);
            let at = at.index(spoiled.len());
            spoiled[at] = byte;
            let _ = decode(stored(&spoiled, place.clone()));
            let _ = decode(stored(&spoiled, at..place.end));
            let _ = decode(stored(&spoiled[..at], place));
        }
    }

    #[test]
    fn a_list_that_claims_a_huge_length_takes_no_memory() {
        let mut list = vec![DEFLATED];
        put_number(&mut list, u64::MAX >> 1);
        list.extend_from_slice(&[3, 0]);
        assert!(decode(stored(&list, 0..1)).is_err());
        for (begin, length) in [(-1, 1), (0, -1), (1, 1), (i64::MAX, i64::MAX)] {
            assert!(decode(StoredList { block: &[PLAIN, 0], begin, length }).is_err());
        }
    }
}
