//! Every canonical form of a URL, one type each, made only here.
//!
//! In: text or a parsed [`Url`]. Out:
//!
//! | type | example for `https://www.Example.pt:8080/A/?b=2&a=1#f` | for |
//! |---|---|---|
//! | [`PageKey`] | `pt,example:8080)/A?b=2&a=1` | identity of a page inside Fonds |
//! | [`DatasetKey`] | `(pt,example,:8080)/a/?b=2&a=1` | the published inlink data set |
//! | [`CdxKey`] | `pt,example:8080)/a?a=1&b=2` | CDX, CDXJ, pywb |
//! | [`ScopeSurt`] | `https://(pt,example,www,:8080)/a/?b=2&a=1` | scope rules, as Heritrix has them |
//! | [`Ssurt`] | `pt,example,www,//8080:https:/A/?b=2&a=1#f` | reversible sort key |
//!
//! Parsing is WHATWG ([`parse_web_url`]). The dialects are checked against the vectors of the systems they
//! come from.
//!
//! Untrusted texts hold more than URLs: the characters that a terminal obeys are known here too, for every
//! room that writes them ([`escape_controls`], [`printable`]).
//!
//! Not here: what the keys are used for.

mod cdx_key;
mod cdx_sessions;
mod clock;
mod controls;
mod dataset_key;
mod date;
mod fqdn;
mod page_key;
mod scope_surt;
mod ssurt;
mod text;
mod web_parts;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod vectors;

pub use cdx_key::CdxKey;
pub use clock::Clock;
pub use controls::{escape_controls, is_obeyed, may_be_obeyed, printable, xml_text};
pub use dataset_key::DatasetKey;
pub use date::{CaptureDate, DateError};
pub use fqdn::{Fqdn, InternalPolicy, is_same_site, registrable};
pub use page_key::PageKey;
pub use scope_surt::{ScopePrefix, ScopePrefixSet, ScopeSurt};
pub use ssurt::Ssurt;
pub use url::Url;
pub use web_parts::{WebParts, authority_of};

use std::borrow::Cow;

/// Parses an absolute http or https URL and drops its fragment, and the user
/// name and password in it.
///
/// `None` for everything that cannot be fetched over HTTP: other schemes,
/// relative references, broken text.
pub fn parse_web_url(text: &str) -> Option<Url> {
    let mut url = Url::parse(text.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_fragment(None);
    drop_user(&mut url);
    Some(url)
}

/// Takes user name and password off a URL: they are sent to nobody, and who
/// keeps URLs is not to keep them. Says whether there were any.
pub fn drop_user(url: &mut Url) -> bool {
    if url.username().is_empty() && url.password().is_none() {
        return false;
    }
    // Refused only where a URL can have none.
    url.set_username("").and_then(|()| url.set_password(None)).is_ok()
}

/// Parses a URL as people type it: `fct.pt`, `//fct.pt/sobre` and `localhost:8080` are read as http. `None`
/// where no host is named. As [`parse_web_url`], without user name and password.
pub fn parse_typed_url(text: &str) -> Option<Url> {
    let mut url = text::parse_loose(text).filter(|url| url.has_host())?;
    drop_user(&mut url);
    Some(url)
}

/// A URL, or a part of one, of which somebody sent bytes: those that are no
/// UTF-8 are percent-encoded one by one, as browsers do.
pub fn escape_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    Cow::Owned(text)
}

/// Resolves `reference` against `base`, as [`parse_web_url`].
pub fn resolve(base: &Url, reference: &str) -> Option<Url> {
    let mut url = base.join(reference.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_fragment(None);
    drop_user(&mut url);
    Some(url)
}
