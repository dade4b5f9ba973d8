//! Links out of JSON: web application manifests and JSON Feed, by the names of their members.
//!
//! Other JSON gives no links: what looks like an address in it is one for scripts alone.

use super::listed::ListedLinks;
use super::page::{LinkKind, Outlink};
use super::resolve::may_be_file;
use crate::uri::Url;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Gives every string of a JSON text to `found`, with the name of its member and that of the member that holds its
/// object; elements of a list have the name of the list. Ends where the text is no JSON.
pub(super) fn json_strings(json: &[u8], mut found: impl FnMut(&str, &str, &str)) {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = JsonValue { around: "", name: "", found: &mut found };
    // Strings before an error were given already.
    let _ = value.deserialize(&mut reader);
}

/// A value that is read for its strings.
struct JsonValue<'n, F> {
    around: &'n str,
    name: &'n str,
    found: &'n mut F,
}

#[derive(Deserialize)]
struct MemberName<'j>(#[serde(borrow)] Cow<'j, str>);

impl<'de, F: FnMut(&str, &str, &str)> DeserializeSeed<'de> for JsonValue<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&str, &str, &str)> Visitor<'de> for JsonValue<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        (self.found)(self.around, self.name, value);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { around, name, found } = self;
        while list.next_element_seed(JsonValue { around, name, found: &mut *found })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(MemberName(name)) = members.next_key::<MemberName<'de>>()? {
            members.next_value_seed(JsonValue { around: self.name, name: &name, found: &mut *self.found })?;
        }
        Ok(())
    }
}

/// Links of a web application manifest (W3C) or a JSON Feed (jsonfeed.org, 1.1); none of other JSON. Says how many
/// were left out.
pub(crate) fn read_json(body: &[u8], url: &Url) -> (Vec<Outlink>, u64) {
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let may_be_one = |mark: &[u8]| memchr::memmem::find(body, mark).is_some();
    if ![&b"\"icons\""[..], b"\"start_url\"", b"jsonfeed.org"].into_iter().any(may_be_one) {
        return (Vec::new(), 0);
    }
    let (mut of_feed, mut of_manifest) = (ListedLinks::new(url), ListedLinks::new(url));
    let (mut is_feed, mut has_icons, mut is_application) = (false, false, false);
    json_strings(body, |around, name, value| {
        if around.is_empty() {
            is_feed |= name == "version" && value.contains("//jsonfeed.org/version/");
            is_application |= matches!(name, "name" | "short_name" | "start_url" | "display");
        }
        match (around, name) {
            ("items", "content_html") => of_feed.markup(value),
            ("" | "items", "icon" | "favicon" | "image" | "banner_image") | ("author" | "authors", "avatar") => {
                of_feed.add(LinkKind::Image, value);
            }
            ("", "home_page_url" | "feed_url" | "next_url")
            | ("items", "url" | "external_url")
            | ("attachments" | "author" | "authors", "url") => of_feed.add(LinkKind::Manifest, value),
            _ => {}
        }
        match (around, name) {
            ("icons" | "screenshots", "src") if may_be_file(value) || !value.contains(' ') => {
                has_icons = true;
                of_manifest.add(LinkKind::Image, value);
            }
            ("", "start_url") | ("shortcuts", "url") => of_manifest.add(LinkKind::LinkElement, value),
            _ => {}
        }
    });
    let is_named = url.path().ends_with(".webmanifest") || url.path().ends_with("/manifest.json");
    match () {
        () if is_feed => of_feed.finish(),
        () if has_icons || is_application && is_named => of_manifest.finish(),
        () => (Vec::new(), 0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &[&str]) {
        let (links, _) = read_json(json.as_bytes(), &Url::parse("http://a.pt/m/x.json").unwrap());
        assert_eq!(links.iter().map(|link| link.url.as_str()).collect::<Vec<_>>(), expected, "{json}");
    }

    #[test]
    fn manifests_and_feeds_are_known_by_their_members() {
        check(
            r#"{"name":"x","icons":[{"src":"i.png","sizes":"1x1"}],"screenshots":[{"src":"/s.png"}],"start_url":"../",
                "shortcuts":[{"url":"new","icons":[{"src":"n.png"}]}],"related_applications":[{"url":"http://no.pt/"}]}"#,
            &["http://a.pt/m/i.png", "http://a.pt/s.png", "http://a.pt/", "http://a.pt/m/new", "http://a.pt/m/n.png"],
        );
        check(
            "\u{feff}{\"items\":[{\"url\":\"/1\",\"content_html\":\"<a href='d'>x</a>\",\"image\":\"i\",\
             \"attachments\":[{\"url\":\"/e\"}]}],\"next_url\":\"/2\",\"version\":\"https://jsonfeed.org/version/1.1\"}",
            &["http://a.pt/1", "http://a.pt/m/d", "http://a.pt/m/i", "http://a.pt/e", "http://a.pt/2"],
        );
        for other in
            ["{\"url\":\"http://a.pt/no\"}", "{\"items\":[{\"url\":\"/no\"}]}", "[1, null, true, 2.5]", "x", ""]
        {
            check(other, &[]);
        }
        let deep = "[".repeat(100_000);
        check(&deep, &[]);
    }
}
