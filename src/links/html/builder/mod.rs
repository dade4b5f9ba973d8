//! Applies the tree construction rules of the HTML standard to tokens (13.2.6.4), scripting off.
//!
//! `html`, `head` and `body` are taken as always there; before the body
//! starts only the rules of the head differ.

mod end;
mod start;

use super::quirks;
use super::tag::Tag;
use super::tokens::{Attributes, Content, Doctype, Text, TokenSink};
use super::tree::{Namespace, Tree};

/// The insertion mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Head,
    HeadNoscript,
    Body,
    Table,
    Caption,
    ColumnGroup,
    TableBody,
    Row,
    Cell,
    Frameset,
    AfterFrameset,
}

/// An element whose content is read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    Title,
    Style,
    /// Shown as it stands (`textarea`, `xmp`, `plaintext`).
    Shown,
    /// Not shown and not read (`script` …).
    Hidden,
    /// Markup that is shown by browsers without what stands around it (`noframes`, `noembed`, `iframe`).
    Fallback,
    /// Not shown, but says things of the page.
    JsonLd,
}

/// Builds the tree of one page.
pub(super) struct Builder<'o> {
    pub(super) tree: Tree<'o>,
    /// `<x/>` ends where it begins.
    xhtml: bool,
    mode: Mode,
    /// The element whose text comes next, and its place.
    raw: Option<(Raw, super::collect::Order)>,
    /// Open `template` elements: what is in them is no part of the document.
    templates: u32,
    frameset_ok: bool,
    quirks: bool,
    got_content: bool,
    form: Option<u32>,
    /// Links found before the body.
    links_of_head: usize,
}

/// What to do with a token after its rule.
enum Next {
    Done(Option<Content>),
    Again,
}

const DONE: Next = Next::Done(None);

impl<'o> Builder<'o> {
    pub(super) fn new(tree: Tree<'o>, xhtml: bool) -> Self {
        Self {
            tree,
            xhtml,
            mode: Mode::Head,
            raw: None,
            templates: 0,
            frameset_ok: true,
            quirks: true,
            got_content: false,
            form: None,
            links_of_head: 0,
        }
    }

    // ---- elements whose content is text

    fn start_raw(&mut self, tag: Tag, attributes: &Attributes, raw: Raw) -> Next {
        if tag.breaks_text() {
            self.tree.page.break_text();
        }
        let place = self.tree.next_place();
        self.tree.page.element(tag, attributes, place);
        self.raw = Some((raw, place));
        Next::Done(Some(match tag {
            Tag::TITLE | Tag::TEXTAREA => Content::RcData,
            Tag::SCRIPT => Content::ScriptData,
            Tag::PLAINTEXT => Content::PlainText,
            _ => Content::RawText,
        }))
    }

    fn end_raw(&mut self) {
        match self.raw.take() {
            Some((Raw::Title, _)) => self.tree.page.end_title(),
            Some((Raw::Style, place)) => self.tree.page.end_css(place),
            _ => {}
        }
    }

    /// “Reset the insertion mode appropriately”.
    fn reset_mode(&mut self) {
        let mut mode = Mode::Body;
        for node in self.tree.nodes_from_top() {
            if node.namespace != Namespace::Html {
                continue;
            }
            mode = match node.tag {
                Tag::TD | Tag::TH if !self.tree.is_bottom(node) => Mode::Cell,
                Tag::TR => Mode::Row,
                tag if tag.is_row_group() => Mode::TableBody,
                Tag::CAPTION => Mode::Caption,
                Tag::COLGROUP => Mode::ColumnGroup,
                Tag::TABLE => Mode::Table,
                Tag::FRAMESET => Mode::Frameset,
                Tag::BODY => Mode::Body,
                _ => continue,
            };
            break;
        }
        self.mode = mode;
    }

    // ---- text

    fn text_by_mode(&mut self, text: Text<'_>) {
        let visible = self.tree.text_is_visible();
        if !self.html_rules_for_text() {
            match self.tree.current().map(|node| node.tag) {
                Some(Tag::SCRIPT) => {}
                Some(Tag::STYLE) => {
                    let place = self.tree.next_place();
                    self.tree.page.push_css(text);
                    self.tree.page.end_css(place);
                }
                _ => self.tree.page.push_text(text, visible),
            }
            self.frameset_ok = self.frameset_ok && text.is_blank();
            return;
        }
        match self.mode {
            Mode::Head | Mode::HeadNoscript => {
                if text.is_blank() {
                    return;
                }
                if self.mode == Mode::HeadNoscript {
                    self.leave_head_noscript();
                }
                self.start_body();
                self.text_by_mode(text);
            }
            Mode::Body | Mode::Cell | Mode::Caption => {
                self.tree.reconstruct();
                self.tree.page.push_text(text, visible);
                self.frameset_ok = self.frameset_ok && text.is_blank();
            }
            Mode::Table | Mode::TableBody | Mode::Row => {
                if self.tree.current_is_table_frame() && text.is_blank() {
                    self.tree.page.push_text(text, visible);
                    return;
                }
                self.tree.foster = true;
                self.tree.reconstruct();
                self.tree.foster = false;
                self.tree.page.push_text(text, visible);
                self.frameset_ok = self.frameset_ok && text.is_blank();
            }
            Mode::ColumnGroup => {
                if text.is_blank() {
                    self.tree.page.push_text(text, visible);
                } else if self.end_column_group() {
                    self.text_by_mode(text);
                }
            }
            Mode::Frameset | Mode::AfterFrameset => {}
        }
    }
}

impl TokenSink for Builder<'_> {
    fn text(&mut self, text: Text<'_>) {
        if self.templates > 0 && self.raw.is_none() {
            return;
        }
        match self.raw {
            Some((Raw::Title, _)) => {
                self.tree.page.push_title(text);
                self.tree.page.push_text(text, false);
            }
            Some((Raw::Style, _)) => self.tree.page.push_css(text),
            Some((Raw::Shown, _)) => {
                let visible = self.tree.text_is_visible();
                self.tree.page.push_text(text, visible);
            }
            Some((Raw::Hidden, _)) => {}
            Some((Raw::Fallback, place)) => self.tree.page.inner_document(&text.decoded(), place),
            Some((Raw::JsonLd, place)) => self.tree.page.push_json_ld(text, place),
            None => self.text_by_mode(text),
        }
    }

    fn start_tag(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Option<Content> {
        self.got_content = true;
        self.end_raw();
        if self.templates > 0 {
            if self.xhtml && self_closing {
                return None;
            }
            if tag == Tag::TEMPLATE {
                self.templates = self.templates.saturating_add(1);
            }
            let place = self.tree.next_place();
            self.tree.page.template_element(tag, attributes, place);
            if tag == Tag::STYLE {
                self.raw = Some((Raw::Style, place));
            }
            return match tag {
                Tag::TITLE | Tag::TEXTAREA => Some(Content::RcData),
                Tag::SCRIPT => Some(Content::ScriptData),
                Tag::STYLE | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES => Some(Content::RawText),
                _ => None,
            };
        }
        let state = self.start(tag, attributes, self_closing);
        if self.xhtml && self_closing && !tag.is_void() {
            self.end_tag(tag);
            return None;
        }
        state
    }

    fn end_tag(&mut self, tag: Tag) {
        self.got_content = true;
        if self.raw.is_some() {
            if tag.breaks_text() {
                self.tree.page.break_text();
            }
            self.end_raw();
            return;
        }
        if self.templates > 0 {
            self.templates -= u32::from(tag == Tag::TEMPLATE);
            return;
        }
        self.end_of(tag);
    }

    fn doctype(&mut self, doctype: &Doctype<'_>) {
        // One that comes late is ignored, as any other misplaced declaration.
        if !self.got_content {
            self.got_content = true;
            self.quirks = quirks::is_quirky(doctype);
        }
    }

    fn in_foreign(&self) -> bool {
        self.templates == 0 && self.tree.in_foreign()
    }

    fn end(&mut self) {
        self.end_raw();
        self.tree.pop_all();
    }
}
