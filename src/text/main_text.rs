//! Separates the main text of a page from its boilerplate, line by line.
//!
//! A pure function over the layout of a page, in three steps (after boilerpipe,
//! Kohlschütter et al. 2010, and jusText, Pomikálek 2011; the way down the
//! elements is that of Readability):
//!
//! 1. A line is *good* where it is long and little of it is links. Elements
//!    that markup or names call navigation, comments, advertising … are put
//!    aside, unless they hold most of what is good.
//! 2. From the body down to the element that holds most of what is left.
//! 3. Within it good lines stay; short ones stay between good ones.
//!
//! Thresholds are round numbers, chosen once by hand; nothing is learned.

use crate::links::{BlockElement, Layout, Page, PagePlace, Tag};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Plain bytes from which a line is good.
const GOOD_BYTES: u32 = 80;

/// Share of links, in percent, above which a line is none.
const GOOD_LINKS_PERCENT: u32 = 50;

/// Share of links, in percent, above which a short line is dropped between good ones.
const SHORT_LINKS_PERCENT: u32 = 50;

/// Percent of all good bytes in an element that is not put aside whatever it is called.
const TOO_MUCH_PERCENT: u64 = 50;

/// Percent of the good bytes of an element that a part of it has to hold to take its place.
const DESCENT_PERCENT: u64 = 80;

/// Percentage for an element that is marked as the article.
const ARTICLE_PERCENT: u64 = 30;

/// Percentage of links in a short line beside good ones.
const BESIDE_LINKS_PERCENT: u32 = 20;

/// Percent of all good bytes that are left where names are to be believed.
const LEFT_PERCENT: u64 = 25;

/// Elements around the body of an article that are searched for its lead.
const LEAD_LEVELS: usize = 4;

/// Lines between two good ones that are looked over.
const GAP_LINES: usize = 6;

/// Parts of names (`class`, `id`) of what is no main text.
const BOILERPLATE_NAMES: [&str; 51] = [
    "privacy",
    "comment",
    "sidebar",
    "footer",
    "navigation",
    "navbar",
    "menu",
    "related",
    "recommend",
    "share",
    "sharing",
    "social",
    "promo",
    "newsletter",
    "cookie",
    "consent",
    "gdpr",
    "advert",
    "banner",
    "breadcrumb",
    "pagination",
    "pager",
    "popular",
    "trending",
    "widget",
    "subscri",
    "disqus",
    "outbrain",
    "taboola",
    "copyright",
    "masthead",
    "toolbar",
    "tooltip",
    "modal",
    "popup",
    "login",
    "signup",
    "sign-up",
    "sponsor",
    "byline",
    "author-bio",
    "aboutauthor",
    "read-more",
    "readmore",
    "morefrom",
    "more-from",
    "teaser",
    "skip-link",
    "sitemap",
    "taglist",
    "mostread",
];

/// Names of boilerplate, as whole names or between hyphens.
const BOILERPLATE_TOKENS: [&str; 7] = ["nav", "ad", "ads", "aside", "rss", "bio", "toc"];

/// Parts of names of the article itself.
const ARTICLE_NAMES: [&str; 14] = [
    "articlebody",
    "article-body",
    "article_body",
    "article-content",
    "article_content",
    "article-text",
    "entry-content",
    "post-content",
    "post-body",
    "post_content",
    "postbody",
    "story-body",
    "storybody",
    "story-content",
];

static NAMES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(BOILERPLATE_NAMES.iter().chain(&ARTICLE_NAMES)).ok());

/// Meaning of the names of an element.
#[derive(Debug, Clone, Copy, Default)]
struct Named {
    boilerplate: bool,
    article: bool,
}

impl Named {
    fn of(name: &str) -> Self {
        let mut named = Self::default();
        if name.is_empty() {
            return named;
        }
        let found = NAMES.iter().flat_map(|names| names.find_iter(name)).map(|found| found.pattern().as_usize());
        for pattern in found {
            let is_article = pattern >= BOILERPLATE_NAMES.len();
            named.article |= is_article;
            named.boilerplate |= !is_article;
        }
        let mut tokens = name.split(|c: char| !c.is_ascii_alphanumeric());
        named.boilerplate |= tokens.any(|token| BOILERPLATE_TOKENS.contains(&token));
        named
    }
}

/// Properties of one line.
#[derive(Debug, Clone, Copy)]
struct Line {
    bytes: u32,
    linked: u32,
    element: usize,
    /// Its share of the main text, in bytes, by itself.
    good: u32,
}

/// Whether each line of a page's text is main text.
pub(super) fn main_lines(page: &Page) -> Vec<bool> {
    let layout = &page.layout;
    let lines = lines_of(page);
    let (aside, content) = put_aside(layout, &lines);
    let named = |at: usize| Named::of(layout.name_of(&layout.elements[at]));
    let root = descend(layout, &content, named);
    let inside = inside_of(layout, root);
    let is_candidate = |line: &Line| inside[line.element] && !aside[line.element];
    if content.first().is_none_or(|good| *good == 0) {
        // Nothing is long: what is no menu is all there is.
        let is_main = |line: &Line| !aside[line.element] && line.has_few_links(SHORT_LINKS_PERCENT);
        return lines.iter().map(is_main).collect();
    }
    let mut kept: Vec<bool> = lines.iter().map(|line| is_candidate(line) && line.good > 0).collect();
    keep_lead(layout, &lines, &aside, root, &mut kept);
    // Short lines beside good ones in the same element, and between good ones.
    let around = around(layout);
    let mut shared = vec![false; layout.elements.len()];
    for (line, kept) in lines.iter().zip(&kept) {
        shared[around[line.element]] |= *kept;
    }
    let mut last_good: Option<usize> = None;
    for at in 0..lines.len() {
        let line = &lines[at];
        if line.good == 0 {
            kept[at] = is_candidate(line) && shared[around[line.element]] && line.has_few_links(BESIDE_LINKS_PERCENT);
            continue;
        }
        if !kept[at] {
            continue;
        }
        if let Some(last) = last_good.filter(|last| at - last <= GAP_LINES + 1) {
            for between in last + 1..at {
                let line = &lines[between];
                kept[between] |= is_candidate(line) && line.has_few_links(SHORT_LINKS_PERCENT);
            }
        }
        last_good = Some(at);
    }
    kept
}

/// For each element that is a paragraph or heading, the element that it shares with others.
fn around(layout: &Layout) -> Vec<usize> {
    let mut around = vec![0; layout.elements.len()];
    for (at, element) in layout.elements.iter().enumerate().skip(1) {
        let is_inner = element.tag.is_heading()
            || matches!(
                element.tag,
                Tag::P | Tag::LI | Tag::UL | Tag::OL | Tag::PRE | Tag::BLOCKQUOTE | Tag::DT | Tag::DD | Tag::DL
            );
        around[at] = if is_inner { around[element.parent as usize] } else { at };
    }
    around
}

/// Keeps good lines between the last first-order heading and the root: the lead of an article is often beside
/// its body.
fn keep_lead(layout: &Layout, lines: &[Line], aside: &[bool], root: usize, kept: &mut [bool]) {
    let Some(first) = kept.iter().position(|kept| *kept) else { return };
    let is_title = |line: &Line| layout.ancestors(line.element).take(4).any(|at| layout.elements[at].tag == Tag::H1);
    let Some(title) = lines[..first].iter().rposition(is_title) else { return };
    let outermost = layout.ancestors(root).take(LEAD_LEVELS + 1).filter(|at| *at > 0).last();
    let near = inside_of(layout, outermost.unwrap_or(root));
    for at in title + 1..first {
        let line = &lines[at];
        kept[at] = line.good > 0 && !aside[line.element] && near[line.element];
    }
}

impl Line {
    fn has_few_links(&self, percent: u32) -> bool {
        u64::from(self.linked) * 100 <= u64::from(self.bytes) * u64::from(percent)
    }
}

fn lines_of(page: &Page) -> Vec<Line> {
    let mut begin = 0;
    let lines = page.layout.lines.iter().map(|line| {
        let bytes = line.end.saturating_sub(begin);
        begin = line.end + 1;
        let linked = line.linked_bytes.min(bytes);
        let plain = bytes - linked;
        let mut line = Line { bytes, linked, element: line.element as usize, good: 0 };
        if plain >= GOOD_BYTES && line.has_few_links(GOOD_LINKS_PERCENT) {
            line.good = plain;
        }
        line
    });
    lines.collect()
}

/// Sums over each element and all in it.
fn sums(layout: &Layout, values: impl Iterator<Item = (usize, u32)>) -> Vec<u64> {
    let mut sums = vec![0_u64; layout.elements.len()];
    for (element, value) in values {
        sums[element] += u64::from(value);
    }
    for at in (1..sums.len()).rev() {
        let sum = sums[at];
        sums[layout.elements[at].parent as usize] += sum;
    }
    sums
}

/// Finds elements that are no main text, whatever is in them, and the amount of good text in the others.
/// Where little is left, names are not believed.
fn put_aside(layout: &Layout, lines: &[Line]) -> (Vec<bool>, Vec<u64>) {
    let good = sums(layout, lines.iter().map(|line| (line.element, line.good)));
    let total = good.first().copied().unwrap_or_default();
    let without = |names: bool| {
        let mut aside = vec![false; layout.elements.len()];
        for (at, element) in layout.elements.iter().enumerate().skip(1) {
            let is_inside = aside[element.parent as usize];
            let is_aside = || {
                let named = if names { Named::of(layout.name_of(element)) } else { Named::default() };
                element.hidden || is_boilerplate_tag(element) || named.boilerplate && !named.article
            };
            let holds_much = good[at] * 100 > total * TOO_MUCH_PERCENT;
            aside[at] = is_inside || !holds_much && is_aside();
        }
        let content =
            sums(layout, lines.iter().map(|line| (line.element, if aside[line.element] { 0 } else { line.good })));
        (aside, content)
    };
    let (aside, content) = without(true);
    let is_enough = content.first().is_some_and(|left| left * 100 >= total * LEFT_PERCENT);
    if is_enough { (aside, content) } else { without(false) }
}

fn is_boilerplate_tag(element: &BlockElement) -> bool {
    matches!(element.place, Some(PagePlace::Nav | PagePlace::Footer | PagePlace::Aside))
        || matches!(element.tag, Tag::BUTTON | Tag::SELECT | Tag::FORM | Tag::MENU | Tag::FIGCAPTION)
}

/// The element that holds most of what is good and little else.
fn descend(layout: &Layout, content: &[u64], named: impl Fn(usize) -> Named) -> usize {
    let total = content.first().copied().unwrap_or_default();
    let article = (1..content.len())
        .filter(|at| content[*at] * 100 > total * ARTICLE_PERCENT && named(*at).article)
        .max_by_key(|at| content[*at]);
    let mut root = article.unwrap_or_default();
    // Children follow their parents, so that one pass finds the way down.
    for at in root + 1..content.len() {
        let element = &layout.elements[at];
        if element.parent as usize == root
            && content[at] * 100 > content[root] * DESCENT_PERCENT
            && !matches!(element.tag, Tag::P | Tag::TD | Tag::LI)
        {
            root = at;
        }
    }
    root
}

fn inside_of(layout: &Layout, root: usize) -> Vec<bool> {
    let mut inside = vec![false; layout.elements.len()];
    for (at, element) in layout.elements.iter().enumerate() {
        inside[at] = at == root || at > 0 && inside[element.parent as usize];
    }
    inside
}
