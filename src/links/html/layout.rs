//! Layout of the visible text of a page, and its own statements of description and dates, from which the text
//! room separates main text and boilerplate.

use super::fold::fold;
use super::place::PagePlace;
use super::tag::Tag;
use super::tokens::{Attr, Attributes, Text};

/// Block elements of a page that are told apart; what is in further ones
/// counts as text of the last.
const MAX_ELEMENTS: usize = 100_000;

/// Bytes of the names (`class`, `id`) of one element.
const MAX_NAME_BYTES: usize = 256;

/// Of all elements of a page.
const MAX_NAMES_BYTES: usize = 4 << 20;

/// Statements of one kind that are kept of a page.
const MAX_STATEMENTS: usize = 64;

/// Bytes of one of them.
const MAX_STATEMENT_BYTES: usize = 4096;

/// Bytes of JSON-LD that are kept of a page.
const MAX_JSON_LD_BYTES: usize = 256 << 10;

/// A line of the visible text: a block of the page, or a part of one that a
/// `br` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLine {
    /// Where it ends in [`Page::text`](crate::links::Page), its line end not counted.
    pub(crate) end: u32,
    /// Bytes of it that are text of links.
    pub(crate) linked_bytes: u32,
    /// Number of the element around it.
    pub(crate) element: u32,
}

/// An element that makes blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockElement {
    /// Number of the element around it; its own where there is none.
    pub(crate) parent: u32,
    pub(crate) tag: Tag,
    /// The part of the page that it begins.
    pub(crate) place: Option<PagePlace>,
    /// The markup says that it is not shown.
    pub(crate) hidden: bool,
    /// Where its `class`, `id` and `itemprop` stand in [`Layout::names`].
    name: (u32, u32),
}

/// The lines of a page's visible text, and the block elements around them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// One for each line of the text.
    pub(crate) lines: Vec<TextLine>,
    /// In the order of their start tags; the first is the body.
    pub(crate) elements: Vec<BlockElement>,
    /// In lower case.
    names: String,
}

impl Layout {
    /// `class`, `id` and `itemprop` of an element, in lower case, parted by blanks.
    pub(crate) fn name_of(&self, element: &BlockElement) -> &str {
        self.names.get(element.name.0 as usize..element.name.1 as usize).unwrap_or_default()
    }

    /// The number of an element and those of the elements around it, from the inside out.
    pub(crate) fn ancestors(&self, element: usize) -> impl Iterator<Item = usize> {
        let around = |at: &usize| self.elements.get(*at).map(|element| element.parent as usize).filter(|_| *at > 0);
        std::iter::successors(Some(element), around)
    }
}

/// What a page says of itself for machines, as it stands there. Hostile text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageStatements {
    /// Names (in lower case) and contents of `meta` elements about title,
    /// description, dates and the address.
    pub metas: Vec<(String, String)>,
    /// Values of `time` elements and of microdata about dates.
    pub times: Vec<TimeStatement>,
    /// Scripts of the type `application/ld+json`, one behind the other.
    pub json_ld: String,
}

/// A date in the markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeStatement {
    /// As it is written.
    pub value: String,
    /// The markup says that it is the date of publication.
    pub is_published: bool,
}

/// Builds layout and statements while a page is read.
pub(super) struct LayoutBuilder {
    pub(super) layout: Layout,
    pub(super) statements: PageStatements,
    /// The innermost block element that is open.
    pub(super) element: u32,
    /// Element and bytes of links of the line that is being read.
    line: Option<(u32, u32)>,
}

impl LayoutBuilder {
    pub(super) fn new(enabled: bool) -> Self {
        let body = BlockElement { parent: 0, tag: Tag::BODY, place: None, hidden: false, name: (0, 0) };
        let elements = if enabled { vec![body] } else { Vec::new() };
        let layout = Layout { elements, ..Layout::default() };
        Self { layout, statements: PageStatements::default(), element: 0, line: None }
    }

    /// Whether anybody wants to know.
    fn is_enabled(&self) -> bool {
        !self.layout.elements.is_empty()
    }

    /// An element starts; gives its number where it makes blocks.
    pub(super) fn start(&mut self, tag: Tag, attributes: &Attributes, place: Option<PagePlace>) -> Option<u32> {
        let makes_blocks = tag.breaks_text() || matches!(tag, Tag::TD | Tag::TH | Tag::BUTTON | Tag::SELECT);
        if !makes_blocks || !self.is_enabled() || self.layout.elements.len() >= MAX_ELEMENTS {
            return None;
        }
        let number = u32::try_from(self.layout.elements.len()).ok()?;
        let name = self.keep_name(attributes);
        let hidden = attributes.has(Attr::Hidden)
            || attributes.get(Attr::AriaHidden).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
            || attributes.get(Attr::Style).is_some_and(|style| hides(&style));
        self.layout.elements.push(BlockElement { parent: self.element, tag, place, hidden, name });
        self.element = number;
        Some(number)
    }

    fn keep_name(&mut self, attributes: &Attributes) -> (u32, u32) {
        let names = &mut self.layout.names;
        let from = names.len();
        for attribute in [Attr::Class, Attr::Id, Attr::Itemprop] {
            if let Some(value) = attributes.get(attribute)
                && names.len() < MAX_NAMES_BYTES
            {
                if names.len() > from {
                    names.push(' ');
                }
                let value = value.get(..value.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or_default();
                names.extend(value.chars().map(|c| c.to_ascii_lowercase()));
            }
        }
        (u32::try_from(from).unwrap_or(u32::MAX), u32::try_from(names.len()).unwrap_or(u32::MAX))
    }

    /// So many bytes of visible text were added to the line.
    pub(super) fn add_text(&mut self, bytes: usize, is_linked: bool) {
        if bytes == 0 {
            return;
        }
        let (_, linked) = self.line.get_or_insert((self.element, 0));
        if is_linked {
            *linked = linked.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        }
    }

    /// The line ends, and the text with it at `end`.
    pub(super) fn end_line(&mut self, end: usize) {
        let (element, linked_bytes) = self.line.take().unwrap_or((self.element, 0));
        // Text that was cut may end where a line did.
        if self.layout.lines.last().is_some_and(|line| line.end as usize >= end) {
            return;
        }
        self.layout.lines.push(TextLine { end: u32::try_from(end).unwrap_or(u32::MAX), linked_bytes, element });
    }

    /// A `meta` with content, if anybody wants to know.
    pub(super) fn meta(&mut self, attributes: &Attributes, content: &str) {
        const SUBJECTS: [&str; 9] =
            ["desc", "title", "date", "time", "publi", "created", "issued", "modified", "og:url"];
        if !self.is_enabled() || self.statements.metas.len() >= MAX_STATEMENTS {
            return;
        }
        for attribute in [Attr::Property, Attr::Name, Attr::Itemprop] {
            let Some(name) = attributes.get(attribute) else { continue };
            let name = name.trim().to_ascii_lowercase();
            if name.len() <= 64 && SUBJECTS.iter().any(|subject| name.contains(subject)) {
                self.statements.metas.push((name, shortened(content)));
                return;
            }
        }
    }

    /// Any element: one with a date says when something was published.
    pub(super) fn dated(&mut self, attributes: &Attributes) {
        let is_time = attributes.has(Attr::Datetime);
        if !is_time && !attributes.has(Attr::Itemprop)
            || !self.is_enabled()
            || self.statements.times.len() >= MAX_STATEMENTS
        {
            return;
        }
        let subject = attributes.get(Attr::Itemprop).unwrap_or_default().to_ascii_lowercase();
        let is_published = subject.contains("datepublished") || subject.contains("datecreated");
        let value = attributes.get(Attr::Datetime).or_else(|| attributes.get(Attr::Content).filter(|_| is_published));
        let Some(value) = value else { return };
        let class = attributes.get(Attr::Class).unwrap_or_default().to_ascii_lowercase();
        let is_published = is_published || class.contains("publish") || class.contains("entry-date");
        self.statements.times.push(TimeStatement { value: shortened(&value), is_published });
    }

    /// Text of a script of JSON-LD.
    pub(super) fn json_ld(&mut self, text: Text<'_>) {
        let kept = &mut self.statements.json_ld;
        if self.layout.elements.is_empty() || kept.len() >= MAX_JSON_LD_BYTES {
            return;
        }
        let text = text.decoded();
        let room = MAX_JSON_LD_BYTES - kept.len();
        kept.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        kept.push('\n');
    }
}

/// White space folded, at most so long.
fn shortened(value: &str) -> String {
    fold(value.get(..value.floor_char_boundary(MAX_STATEMENT_BYTES)).unwrap_or_default())
}

/// Whether a `style` takes an element off the page.
fn hides(style: &str) -> bool {
    let packed: String = style
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .take(MAX_NAME_BYTES)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    packed.contains("display:none") || packed.contains("visibility:hidden")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::links::{PageOptions, read_page};

    /// Tag numbers do not print: what is checked is text, bytes of links, names.
    #[track_caller]
    fn check(html: &str, max_text_bytes: usize, expected: &[(&str, u32, &str)]) {
        let url = "http://a.pt/".parse().unwrap();
        let options = PageOptions { max_text_bytes, ..PageOptions::default() };
        let page = read_page(html.as_bytes(), Some("utf-8"), &url, &options);
        let mut begin = 0;
        let lines = page.layout.lines.iter().map(|line| {
            let text = page.text.get(begin..line.end as usize).unwrap();
            begin = line.end as usize + 1;
            let element = &page.layout.elements[line.element as usize];
            (text, line.linked_bytes, page.layout.name_of(element))
        });
        let lines: Vec<_> = lines.collect();
        assert_eq!(lines, expected, "{html}");
        assert_eq!(lines.iter().map(|(text, ..)| *text).collect::<Vec<_>>().join("\n"), page.text, "{html}");
    }

    #[test]
    fn every_line_of_the_text_knows_its_element_and_its_links() {
        check(
            "<div class=A id=b>one <a href=x>two</a> <p class=c>three<br><b>four</b></p> five</div><td>six<h1> </h1>",
            1 << 20,
            &[("one two", 3, "a b"), ("three", 0, "c"), ("four", 0, "c"), ("five", 0, "a b"), ("six", 0, "")],
        );
        check("<ul><li><a href=x>a</a> <li class=n>b</ul>c", 1 << 20, &[("a", 1, ""), ("b", 0, "n"), ("c", 0, "")]);
        check("<p>one<p>two<p>three", 6, &[("one", 0, ""), ("tw", 0, "")]);
        check("<p>one<p>two", 4, &[("one", 0, "")]);
        check("<p>one<p>two", 3, &[("one", 0, "")]);
        check("", 1 << 20, &[]);
    }

    #[test]
    fn statements_for_machines_are_kept() {
        let html = "<meta property='og:description' content=' a  b '><meta name=viewport content=x>\
            <script type='application/LD+json'>{\"a\":1}</script><script>no()</script>\
            <time datetime=2024-05-01 class='entry-date'>1 May</time><i itemprop=datePublished content=2024></i>\
            <i itemprop=name content=x></i>";
        let page = read_page(html.as_bytes(), None, &"http://a.pt/".parse().unwrap(), &PageOptions::default());
        assert_eq!(page.statements.metas, [("og:description".to_owned(), "a b".to_owned())]);
        let times: Vec<_> = page.statements.times.iter().map(|time| (time.value.as_str(), time.is_published)).collect();
        assert_eq!(times, [("2024-05-01", true), ("2024", true)]);
        assert_eq!(page.statements.json_ld, "{\"a\":1}\n");
        let bare = read_page(html.as_bytes(), None, &page.base, &PageOptions::links_only());
        assert_eq!((bare.statements, bare.layout), Default::default());
    }
}
