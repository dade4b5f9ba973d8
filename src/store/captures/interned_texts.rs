//! Text that many rows share is kept once, under a number.

use crate::store::catalogue::error::StoreError;
use crate::store::rows::HostId;
use crate::store::rows::PageId;
use crate::store::rows::UrlId;
use crate::uri::{PageKey, Url, authority_of};
use rusqlite::{CachedStatement, Connection, OptionalExtension};
use std::collections::HashMap;

/// Numbers of a URL: itself, its page, its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct UrlIds {
    pub url: UrlId,
    pub page: PageId,
    pub host: HostId,
}

pub(in crate::store) fn url_ids(conn: &Connection, url: &Url) -> Result<UrlIds, StoreError> {
    url_ids_and_page(conn, url).map(|(ids, _)| ids)
}

/// Numbers a URL, and returns whether its page had no number before: nothing is of it then.
pub(in crate::store) fn url_ids_and_page(conn: &Connection, url: &Url) -> Result<(UrlIds, bool), StoreError> {
    let known = conn
        .prepare_cached("SELECT id, page, host FROM url WHERE url = ?1")?
        .query_row([url.as_str()], |row| Ok(UrlIds { url: row.get(0)?, page: row.get(1)?, host: row.get(2)? }))
        .optional()?;
    if let Some(ids) = known {
        return Ok((ids, false));
    }
    let key = PageKey::of(url);
    // Most new URLs are of new pages.
    let is_new_page = conn.prepare_cached(INSERT_PAGE)?.execute([key.as_str()])? > 0;
    let page = if is_new_page { PageId::new(conn.last_insert_rowid()) } else { page_id(conn, &key)? };
    let host = host_id(conn, authority_of(url))?;
    conn.prepare_cached("INSERT INTO url (url, page, host) VALUES (?1, ?2, ?3)")?.execute((
        url.as_str(),
        page,
        host,
    ))?;
    Ok((UrlIds { url: UrlId::new(conn.last_insert_rowid()), page, host }, is_new_page))
}

const INSERT_PAGE: &str = "INSERT INTO page (key) VALUES (?1) ON CONFLICT DO NOTHING";

/// Numbers many URLs in one transaction.
pub(in crate::store) struct Interning<'c> {
    conn: &'c Connection,
    known: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    insert_page: CachedStatement<'c>,
    /// By authority; of this transaction only, which may be taken back.
    hosts: HashMap<String, HostId>,
}

impl<'c> Interning<'c> {
    pub(in crate::store) fn new(conn: &'c Connection) -> Result<Self, StoreError> {
        Ok(Self {
            conn,
            known: conn.prepare_cached("SELECT id, page, host FROM url WHERE url = ?1")?,
            insert: conn.prepare_cached("INSERT INTO url (url, page, host) VALUES (?1, ?2, ?3)")?,
            insert_page: conn.prepare_cached(INSERT_PAGE)?,
            hosts: HashMap::new(),
        })
    }

    /// The numbers of a URL, and whether it had none before.
    pub(in crate::store) fn url_ids(&mut self, url: &Url) -> Result<(UrlIds, bool), StoreError> {
        let known = self
            .known
            .query_row([url.as_str()], |row| Ok(UrlIds { url: row.get(0)?, page: row.get(1)?, host: row.get(2)? }));
        if let Some(ids) = known.optional()? {
            return Ok((ids, false));
        }
        let key = PageKey::of(url);
        // Most new URLs are of new pages.
        let page = match self.insert_page.execute([key.as_str()])? {
            0 => page_id(self.conn, &key)?,
            _ => PageId::new(self.conn.last_insert_rowid()),
        };
        let authority = authority_of(url);
        let host = match self.hosts.get(authority) {
            Some(host) => *host,
            None => {
                let host = host_id(self.conn, authority)?;
                self.hosts.insert(authority.to_owned(), host);
                host
            }
        };
        self.insert.execute((url.as_str(), page, host))?;
        Ok((UrlIds { url: UrlId::new(self.conn.last_insert_rowid()), page, host }, true))
    }
}

fn host_id(conn: &Connection, authority: &str) -> Result<HostId, StoreError> {
    let sql = ("SELECT id FROM host WHERE name = ?1", "INSERT INTO host (name) VALUES (?1)");
    Ok(HostId::new(intern(conn, sql.0, sql.1, authority)?))
}

pub(in crate::store) fn page_id(conn: &Connection, key: &PageKey) -> Result<PageId, StoreError> {
    let sql = ("SELECT id FROM page WHERE key = ?1", "INSERT INTO page (key) VALUES (?1)");
    Ok(PageId::new(intern(conn, sql.0, sql.1, key.as_str())?))
}

fn intern(conn: &Connection, select: &str, insert: &str, text: &str) -> Result<i64, StoreError> {
    let known = conn.prepare_cached(select)?.query_row([text], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    conn.prepare_cached(insert)?.execute([text])?;
    Ok(conn.last_insert_rowid())
}
