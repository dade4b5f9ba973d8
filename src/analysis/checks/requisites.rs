//! What a page cannot be shown without, weighed by what it loses: of its links, and of the images of its elements.

use super::signs::{Requisite, RequisiteKind};
use crate::links::{LinkKind, PageImage};
use std::collections::BTreeSet;

/// Requisites that are listed of a page.
const MOST_REQUISITES: usize = 1_000;
/// Alternatives that are kept of one.
const MOST_ALTERNATIVES: usize = 32;
/// Pixels of a screen.
const SCREEN: f64 = 1024.0 * 768.0;
/// Weight in tenths of an image whose size is not declared.
const UNSIZED_IMAGE: u64 = 20;

/// Scripts that count visits or show advertisements, by a part of their URL: a page loses nothing without them.
const COUNTERS: [&str; 16] = [
    "google-analytics.com/",
    "googletagmanager.com/",
    "/urchin.js",
    "/matomo.js",
    "/piwik.js",
    "stats.wp.com/",
    "statcounter.com/",
    "scorecardresearch.com/",
    "quantserve.com/",
    "chartbeat.com/",
    "hotjar.com/",
    "doubleclick.net/",
    "googlesyndication.com/",
    "connect.facebook.net/",
    "mc.yandex.ru/",
    "plausible.io/",
];

/// A link out of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedLink {
    /// Its kind.
    pub kind: LinkKind,
    /// Its `rel`; empty where there is none.
    pub rel: String,
    /// Its URL. Hostile text.
    pub url: String,
}

impl CheckedLink {
    /// Whether it is a style sheet that is in use, and no icon, manifest, preload or alternative style.
    fn is_style(&self) -> bool {
        let has = |name: &str| self.rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(name));
        self.rel.is_empty() || has("stylesheet") && !has("alternate")
    }
}

fn is_counter(url: &str) -> bool {
    COUNTERS.iter().any(|part| url.contains(part))
}

/// What a page loads, by its links in their order: what it loses without each in tenths of weight, those without a weight
/// last. The images of its elements, where they are known, are weighed by their declared sizes, and each with the
/// sizes to choose from (`srcset`) is one; where they are not, each image counts by itself.
pub fn requisites_of(links: &[CheckedLink], images: Option<&[PageImage]>, has_modules: bool) -> Vec<Requisite> {
    let mut found: Vec<Requisite> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let scripts = links.iter().filter(|link| link.kind == LinkKind::Script && !is_counter(&link.url)).count();
    let mut styles = 0;
    let mut was_media = false;
    for link in links {
        let is_media = link.kind == LinkKind::Media;
        let (kind, weight) = match link.kind {
            LinkKind::Stylesheet if link.is_style() => (RequisiteKind::Style, if styles < 2 { 80 } else { 50 }),
            LinkKind::Script if is_counter(&link.url) => (RequisiteKind::Script, 0),
            LinkKind::Script => (RequisiteKind::Script, if scripts == 1 || has_modules { 30 } else { 10 }),
            LinkKind::Frame => (RequisiteKind::Frame, 40),
            LinkKind::Media => (RequisiteKind::Media, 100),
            LinkKind::Css => (RequisiteKind::Image, if is_font(&link.url) { 3 } else { 10 }),
            LinkKind::Image if images.is_none() => (RequisiteKind::Image, UNSIZED_IMAGE),
            _ => {
                was_media = false;
                continue;
            }
        };
        if !known.insert(&link.url) {
            continue;
        }
        // Sources of one player are alternatives.
        if let (true, true, Some(last)) = (is_media, was_media, found.last_mut()) {
            if last.urls.len() < MOST_ALTERNATIVES {
                last.urls.push(link.url.clone());
            }
            continue;
        }
        was_media = is_media;
        styles += usize::from(kind == RequisiteKind::Style);
        found.push(Requisite { kind, urls: vec![link.url.clone()], weight });
    }
    add_images(&mut found, &mut known, links, images.unwrap_or_default());
    let is_loaded =
        |kind| matches!(kind, LinkKind::Stylesheet | LinkKind::Image | LinkKind::Redirect | LinkKind::MetaRefresh);
    for link in links.iter().filter(|link| is_loaded(link.kind)) {
        if known.insert(&link.url) {
            let kind = if link.kind == LinkKind::Image { RequisiteKind::Image } else { RequisiteKind::Other };
            found.push(Requisite { kind, urls: vec![link.url.clone()], weight: 0 });
        }
    }
    found.truncate(MOST_REQUISITES);
    found
}

/// Adds the images of elements, weighed by their declared areas. Those of a few pixels, which count readers, are left out.
fn add_images<'l>(
    found: &mut Vec<Requisite>,
    known: &mut BTreeSet<&'l str>,
    links: &'l [CheckedLink],
    images: &'l [PageImage],
) {
    let own: BTreeSet<&str> = images.iter().map(|image| image.url.as_str()).collect();
    for image in images {
        let weight = match (image.width, image.height) {
            (Some(width), Some(height)) if width <= 4 && height <= 4 => continue,
            (Some(width), Some(height)) => match f64::from(width) * f64::from(height) / SCREEN {
                0.2.. => 80,
                0.02.. => 30,
                _ => 10,
            },
            _ => UNSIZED_IMAGE,
        };
        if image.url.is_empty() || !known.insert(&image.url) {
            continue;
        }
        // Images of other sizes follow the one of the element among its links.
        let at = links.iter().position(|link| link.kind == LinkKind::Image && link.url == image.url);
        let behind = at.and_then(|at| links.get(at + 1..)).unwrap_or_default().iter();
        let others = behind
            .take_while(|link| link.kind == LinkKind::Image && !own.contains(link.url.as_str()))
            .take(MOST_ALTERNATIVES);
        let mut urls = vec![image.url.clone()];
        for other in others {
            known.insert(&other.url);
            urls.push(other.url.clone());
        }
        found.push(Requisite { kind: RequisiteKind::Image, urls, weight });
    }
}

fn is_font(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    [".woff", ".woff2", ".ttf", ".otf", ".eot"].iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(kind: LinkKind, rel: &str, url: &str) -> CheckedLink {
        CheckedLink { kind, rel: rel.to_owned(), url: url.to_owned() }
    }

    fn weights(found: &[Requisite]) -> Vec<(&str, usize, u64)> {
        found.iter().map(|of| (of.kind.as_str(), of.urls.len(), of.weight)).collect()
    }

    #[test]
    fn sources_of_one_player_and_sizes_of_one_image_are_one_requisite() {
        let links = [
            link(LinkKind::Stylesheet, "stylesheet", "http://a.pt/a.css"),
            link(LinkKind::Image, "", "http://a.pt/1.jpg"),
            link(LinkKind::Image, "", "http://a.pt/1-large.jpg"),
            link(LinkKind::Media, "", "http://a.pt/v.webm"),
            link(LinkKind::Media, "", "http://a.pt/v.mp4"),
        ];
        let images = [PageImage { url: "http://a.pt/1.jpg".to_owned(), ..PageImage::default() }];
        let found = requisites_of(&links, Some(&images), false);
        assert_eq!(weights(&found), [("style", 1, 80), ("media", 2, 100), ("image", 2, 20)]);
        // Without its elements each image is by itself.
        let found = requisites_of(&links, None, false);
        assert_eq!(weights(&found), [("style", 1, 80), ("image", 1, 20), ("image", 1, 20), ("media", 2, 100)]);
    }

    #[test]
    fn a_page_loses_nothing_without_what_counts_its_visits() {
        let links = [
            link(LinkKind::Script, "", "http://www.google-analytics.com/urchin.js"),
            link(LinkKind::Script, "", "http://a.pt/menu.js"),
        ];
        assert_eq!(weights(&requisites_of(&links, Some(&[]), false)), [("script", 1, 0), ("script", 1, 30)]);
    }

    #[test]
    fn icons_preloads_and_images_for_others_are_listed_without_a_weight() {
        let links = [
            link(LinkKind::Stylesheet, "shortcut icon", "http://a.pt/favicon.ico"),
            link(LinkKind::Stylesheet, "preload", "http://a.pt/a.css"),
            link(LinkKind::Stylesheet, "stylesheet", "http://a.pt/a.css"),
            link(LinkKind::Stylesheet, "alternate stylesheet", "http://a.pt/night.css"),
            link(LinkKind::Image, "", "http://a.pt/for-others.png"),
            link(LinkKind::Anchor, "", "http://a.pt/next"),
        ];
        let found = requisites_of(&links, Some(&[]), false);
        assert_eq!(weights(&found), [("style", 1, 80), ("other", 1, 0), ("other", 1, 0), ("image", 1, 0)]);
        assert_eq!(found[0].urls, ["http://a.pt/a.css"]);
    }
}
