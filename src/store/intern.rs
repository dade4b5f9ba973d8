//! Text that many rows share is kept once, under a number.

use super::workspace::StoreError;
use crate::uri::{PageKey, Url};
use rusqlite::{Connection, OptionalExtension};

/// Numbers of a URL: itself, its page, its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UrlIds {
    pub url: i64,
    pub page: i64,
    pub host: i64,
}

/// Host with port where it is no default: what one server queue stands for.
pub(super) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

pub(super) fn url_ids(conn: &Connection, url: &Url) -> Result<UrlIds, StoreError> {
    let known = conn
        .prepare_cached("SELECT id, page, host FROM url WHERE url = ?1")?
        .query_row([url.as_str()], |row| Ok(UrlIds { url: row.get(0)?, page: row.get(1)?, host: row.get(2)? }))
        .optional()?;
    if let Some(ids) = known {
        return Ok(ids);
    }
    let page = page_id(conn, &PageKey::of(url))?;
    let host =
        intern(conn, "SELECT id FROM host WHERE name = ?1", "INSERT INTO host (name) VALUES (?1)", &authority(url))?;
    conn.prepare_cached("INSERT INTO url (url, page, host) VALUES (?1, ?2, ?3)")?.execute((
        url.as_str(),
        page,
        host,
    ))?;
    Ok(UrlIds { url: conn.last_insert_rowid(), page, host })
}

pub(super) fn page_id(conn: &Connection, key: &PageKey) -> Result<i64, StoreError> {
    intern(conn, "SELECT id FROM page WHERE key = ?1", "INSERT INTO page (key) VALUES (?1)", key.as_str())
}

pub(super) fn anchor_id(conn: &Connection, text: &str) -> Result<i64, StoreError> {
    intern(conn, "SELECT id FROM anchor WHERE text = ?1", "INSERT INTO anchor (text) VALUES (?1)", text)
}

fn intern(conn: &Connection, select: &str, insert: &str, text: &str) -> Result<i64, StoreError> {
    let known = conn.prepare_cached(select)?.query_row([text], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    conn.prepare_cached(insert)?.execute([text])?;
    Ok(conn.last_insert_rowid())
}
