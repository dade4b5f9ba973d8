//! Which rule of the HTML standard's tree construction a token meets
//! (13.2.6.4), scripting off.
//!
//! `html`, `head` and `body` are taken as always there; before the body
//! starts only the rules of the head differ.

use super::quirks;
use super::tag::Tag;
use super::tokens::{Attr, Attributes, TokenSink};
use super::tree::{Namespace, Scope, Tree};
use html5gum::State;

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
    /// Not shown and not read (`script`, `iframe`, `noframes` …).
    Hidden,
}

/// Builds the tree of one page.
pub(super) struct Builder<'o> {
    pub(super) tree: Tree<'o>,
    mode: Mode,
    /// The element whose text comes next, and its place.
    raw: Option<(Raw, super::collect::Order)>,
    /// Open `template` elements: all in them is skipped.
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
    Done(Option<State>),
    Again,
}

const DONE: Next = Next::Done(None);

impl<'o> Builder<'o> {
    pub(super) fn new(tree: Tree<'o>) -> Self {
        Self {
            tree,
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
            Tag::TITLE | Tag::TEXTAREA => State::RcData,
            Tag::SCRIPT => State::ScriptData,
            Tag::PLAINTEXT => State::PlainText,
            _ => State::RawText,
        }))
    }

    fn end_raw(&mut self) {
        match self.raw.take() {
            Some((Raw::Title, _)) => self.tree.page.end_title(),
            Some((Raw::Style, place)) => self.tree.page.end_css(place),
            _ => {}
        }
    }

    // ---- start tags

    fn start(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Option<State> {
        // Every rule that says “again” changes mode or stack towards a rule
        // that does not; the bound guards against a mistake in that reasoning.
        for _ in 0..1024 {
            if self.tree.in_foreign() && !self.html_rules_for_start(tag) {
                match self.start_in_foreign(tag, attributes, self_closing) {
                    Next::Done(state) => return state,
                    Next::Again => continue,
                }
            }
            let next = match self.mode {
                Mode::Head => self.start_in_head(tag, attributes),
                Mode::HeadNoscript => self.start_in_head_noscript(tag, attributes),
                Mode::Body => self.start_in_body(tag, attributes, self_closing),
                Mode::Table => self.start_in_table(tag, attributes, self_closing),
                Mode::Caption => self.start_in_caption(tag, attributes, self_closing),
                Mode::ColumnGroup => self.start_in_column_group(tag, attributes),
                Mode::TableBody => self.start_in_table_body(tag, attributes, self_closing),
                Mode::Row => self.start_in_row(tag, attributes, self_closing),
                Mode::Cell => self.start_in_cell(tag, attributes, self_closing),
                Mode::Frameset | Mode::AfterFrameset => self.start_in_frameset(tag, attributes),
            };
            match next {
                Next::Done(state) => return state,
                Next::Again => {}
            }
        }
        None
    }

    fn start_body(&mut self) {
        self.mode = Mode::Body;
        self.links_of_head = self.tree.page.link_count();
        self.tree.pop_back_to(|node| node.tag == Tag::BODY);
    }

    /// Elements that the head's rules take, wherever they stand.
    fn start_of_head(&mut self, tag: Tag, attributes: &Attributes) -> Option<Next> {
        Some(match tag {
            Tag::BASE | Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META => {
                self.tree.insert_void(tag, attributes);
                DONE
            }
            Tag::TITLE => self.start_raw(tag, attributes, Raw::Title),
            Tag::STYLE => self.start_raw(tag, attributes, Raw::Style),
            Tag::NOFRAMES | Tag::SCRIPT => self.start_raw(tag, attributes, Raw::Hidden),
            Tag::TEMPLATE => {
                self.templates = 1;
                DONE
            }
            _ => return None,
        })
    }

    fn start_in_head(&mut self, tag: Tag, attributes: &Attributes) -> Next {
        match tag {
            Tag::HTML => self.tree.page.html(attributes),
            Tag::HEAD => {}
            Tag::NOSCRIPT => {
                self.tree.insert(tag, attributes);
                self.mode = Mode::HeadNoscript;
            }
            Tag::BODY => {
                self.start_body();
                self.frameset_ok = false;
                let place = self.tree.next_place();
                self.tree.page.element(tag, attributes, place);
            }
            Tag::FRAMESET => {
                self.links_of_head = self.tree.page.link_count();
                self.start_frameset(attributes);
            }
            _ => match self.start_of_head(tag, attributes) {
                Some(next) => return next,
                None => {
                    self.start_body();
                    return Next::Again;
                }
            },
        }
        DONE
    }

    fn start_in_head_noscript(&mut self, tag: Tag, attributes: &Attributes) -> Next {
        match tag {
            Tag::HTML => self.tree.page.html(attributes),
            Tag::HEAD | Tag::NOSCRIPT => {}
            Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META | Tag::NOFRAMES | Tag::STYLE => {
                return self.start_of_head(tag, attributes).unwrap_or(DONE);
            }
            _ => {
                self.leave_head_noscript();
                return Next::Again;
            }
        }
        DONE
    }

    fn leave_head_noscript(&mut self) {
        self.tree.pop_until(|tag| tag == Tag::NOSCRIPT);
        self.mode = Mode::Head;
    }

    fn start_frameset(&mut self, attributes: &Attributes) {
        self.tree.pop_back_to(|_| false);
        self.tree.page.keep_links(self.links_of_head);
        self.tree.insert(Tag::FRAMESET, attributes);
        self.mode = Mode::Frameset;
    }

    fn start_in_body(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        if let Some(next) = self.start_of_head(tag, attributes) {
            return next;
        }
        match tag {
            Tag::HTML => self.tree.page.html(attributes),
            Tag::BODY => {
                self.frameset_ok = false;
                let place = self.tree.next_place();
                self.tree.page.element(tag, attributes, place);
            }
            Tag::FRAMESET => {
                if self.frameset_ok {
                    self.start_frameset(attributes);
                }
            }
            _ if tag.is_plain_block() => {
                self.tree.close_p_in_button_scope();
                self.tree.insert(tag, attributes);
            }
            Tag::P => {
                self.tree.close_p_in_button_scope();
                self.tree.insert(tag, attributes);
            }
            _ if tag.is_heading() => {
                self.tree.close_p_in_button_scope();
                if self.tree.current().is_some_and(|node| node.namespace == Namespace::Html && node.tag.is_heading()) {
                    self.tree.pop();
                }
                self.tree.insert(tag, attributes);
            }
            Tag::PRE | Tag::LISTING => {
                self.tree.close_p_in_button_scope();
                self.tree.insert(tag, attributes);
                self.frameset_ok = false;
            }
            Tag::FORM => {
                if self.form.is_none() {
                    self.tree.close_p_in_button_scope();
                    self.form = Some(self.tree.insert(tag, attributes));
                }
            }
            Tag::LI => self.start_item(tag, attributes, |open| open == Tag::LI),
            Tag::DD | Tag::DT => self.start_item(tag, attributes, |open| matches!(open, Tag::DD | Tag::DT)),
            Tag::PLAINTEXT => {
                self.tree.close_p_in_button_scope();
                return self.start_raw(tag, attributes, Raw::Shown);
            }
            Tag::BUTTON => {
                if self.tree.in_scope(Scope::Default, |open| open == Tag::BUTTON) {
                    self.tree.end_implied(None);
                    self.tree.pop_until(|open| open == Tag::BUTTON);
                }
                self.tree.reconstruct();
                self.tree.insert(tag, attributes);
                self.frameset_ok = false;
            }
            Tag::A => {
                if let Some(id) = self.tree.listed_id(Tag::A) {
                    self.end_formatting(Tag::A);
                    self.tree.forget(Tag::A, id);
                }
                self.tree.reconstruct();
                self.tree.insert_formatting(tag, attributes);
            }
            Tag::NOBR => {
                self.tree.reconstruct();
                if self.tree.in_scope(Scope::Default, |open| open == Tag::NOBR) {
                    self.end_formatting(Tag::NOBR);
                    self.tree.reconstruct();
                }
                self.tree.insert_formatting(tag, attributes);
            }
            _ if tag.is_formatting() => {
                self.tree.reconstruct();
                self.tree.insert_formatting(tag, attributes);
            }
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                self.tree.reconstruct();
                self.tree.insert(tag, attributes);
                self.tree.push_marker();
                self.frameset_ok = false;
            }
            Tag::TABLE => {
                if !self.quirks {
                    self.tree.close_p_in_button_scope();
                }
                self.tree.insert(tag, attributes);
                self.frameset_ok = false;
                self.mode = Mode::Table;
            }
            Tag::AREA | Tag::BR | Tag::EMBED | Tag::IMG | Tag::KEYGEN | Tag::WBR | Tag::INPUT => {
                if tag == Tag::INPUT {
                    self.end_select();
                }
                self.tree.reconstruct();
                self.tree.insert_void(tag, attributes);
                let hidden = tag == Tag::INPUT
                    && attributes.get(Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
                self.frameset_ok &= hidden;
            }
            Tag::PARAM | Tag::SOURCE | Tag::TRACK => self.tree.insert_void(tag, attributes),
            Tag::HR => {
                self.tree.close_p_in_button_scope();
                if self.in_select() {
                    self.tree.end_implied(None);
                }
                self.tree.insert_void(tag, attributes);
                self.frameset_ok = false;
            }
            Tag::IMAGE => {
                // “Don't ask”, says the standard.
                self.tree.reconstruct();
                self.tree.insert_void(Tag::IMG, attributes);
                self.frameset_ok = false;
            }
            Tag::TEXTAREA => {
                self.frameset_ok = false;
                return self.start_raw(tag, attributes, Raw::Shown);
            }
            Tag::XMP => {
                self.tree.close_p_in_button_scope();
                self.tree.reconstruct();
                self.frameset_ok = false;
                return self.start_raw(tag, attributes, Raw::Shown);
            }
            Tag::IFRAME => {
                self.frameset_ok = false;
                return self.start_raw(tag, attributes, Raw::Hidden);
            }
            Tag::NOEMBED => return self.start_raw(tag, attributes, Raw::Hidden),
            Tag::SELECT => {
                // A second one ends the first.
                if !self.end_select() {
                    self.tree.reconstruct();
                    self.tree.insert(tag, attributes);
                    self.frameset_ok = false;
                }
            }
            Tag::OPTGROUP | Tag::OPTION => {
                if self.in_select() {
                    self.tree.end_implied((tag == Tag::OPTION).then_some(Tag::OPTGROUP));
                } else if self.tree.current_is(Tag::OPTION) {
                    self.tree.pop();
                }
                self.tree.reconstruct();
                self.tree.insert(tag, attributes);
            }
            Tag::RB | Tag::RTC | Tag::RP | Tag::RT => {
                if self.tree.in_scope(Scope::Default, |open| open == Tag::RUBY) {
                    let keep = matches!(tag, Tag::RP | Tag::RT).then_some(Tag::RTC);
                    self.tree.end_implied(keep);
                }
                self.tree.insert(tag, attributes);
            }
            Tag::MATH | Tag::SVG => {
                self.tree.reconstruct();
                let namespace = if tag == Tag::SVG { Namespace::Svg } else { Namespace::MathMl };
                self.tree.insert_foreign(tag, namespace, attributes, self_closing);
            }
            _ if tag.is_table_part() || matches!(tag, Tag::FRAME | Tag::HEAD) => {}
            _ => {
                self.tree.reconstruct();
                self.tree.insert(tag, attributes);
            }
        }
        DONE
    }

    fn start_item(&mut self, tag: Tag, attributes: &Attributes, same: impl Fn(Tag) -> bool) {
        self.frameset_ok = false;
        let open = self
            .tree
            .nodes_from_top()
            .find(|node| {
                node.namespace == Namespace::Html && same(node.tag)
                    || super::tree::is_special(node) && !matches!(node.tag, Tag::ADDRESS | Tag::DIV | Tag::P)
            })
            .filter(|node| node.namespace == Namespace::Html && same(node.tag))
            .map(|node| node.tag);
        if let Some(open) = open {
            self.tree.end_implied(Some(open));
            self.tree.pop_until(|tag| tag == open);
        }
        self.tree.close_p_in_button_scope();
        self.tree.insert(tag, attributes);
    }

    fn start_in_table(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        match tag {
            Tag::CAPTION => {
                self.back_to_table();
                self.tree.push_marker();
                self.tree.insert(tag, attributes);
                self.mode = Mode::Caption;
            }
            Tag::COLGROUP => {
                self.back_to_table();
                self.tree.insert(tag, attributes);
                self.mode = Mode::ColumnGroup;
            }
            Tag::COL => {
                self.back_to_table();
                self.tree.insert_implied(Tag::COLGROUP);
                self.mode = Mode::ColumnGroup;
                return Next::Again;
            }
            Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                self.back_to_table();
                self.tree.insert(tag, attributes);
                self.mode = Mode::TableBody;
            }
            Tag::TD | Tag::TH | Tag::TR => {
                self.back_to_table();
                self.tree.insert_implied(Tag::TBODY);
                self.mode = Mode::TableBody;
                return Next::Again;
            }
            Tag::TABLE => {
                if self.tree.in_scope(Scope::Table, |open| open == Tag::TABLE) {
                    self.tree.pop_until(|open| open == Tag::TABLE);
                    self.reset_mode();
                    return Next::Again;
                }
            }
            Tag::STYLE | Tag::SCRIPT | Tag::TEMPLATE => return self.start_of_head(tag, attributes).unwrap_or(DONE),
            Tag::INPUT if attributes.get(Attr::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")) => {
                self.tree.insert_void(tag, attributes);
            }
            Tag::FORM => {
                if self.form.is_none() {
                    self.form = Some(self.tree.insert(tag, attributes));
                    self.tree.pop();
                }
            }
            _ => {
                self.tree.foster = true;
                let next = self.start_in_body(tag, attributes, self_closing);
                self.tree.foster = false;
                return next;
            }
        }
        DONE
    }

    fn start_in_caption(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        if tag.is_table_part() {
            return if self.end_caption() { Next::Again } else { DONE };
        }
        self.start_in_body(tag, attributes, self_closing)
    }

    fn start_in_column_group(&mut self, tag: Tag, attributes: &Attributes) -> Next {
        match tag {
            Tag::HTML => self.tree.page.html(attributes),
            Tag::COL => self.tree.insert_void(tag, attributes),
            Tag::TEMPLATE => self.templates = 1,
            _ => return if self.end_column_group() { Next::Again } else { DONE },
        }
        DONE
    }

    fn start_in_table_body(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        match tag {
            Tag::TR => {
                self.back_to_table_body();
                self.tree.insert(tag, attributes);
                self.mode = Mode::Row;
            }
            Tag::TH | Tag::TD => {
                self.back_to_table_body();
                self.tree.insert_implied(Tag::TR);
                self.mode = Mode::Row;
                return Next::Again;
            }
            _ if tag.is_table_part() => {
                return if self.end_table_body() { Next::Again } else { DONE };
            }
            _ => return self.start_in_table(tag, attributes, self_closing),
        }
        DONE
    }

    fn start_in_row(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        match tag {
            Tag::TH | Tag::TD => {
                self.back_to_row();
                self.tree.insert(tag, attributes);
                self.mode = Mode::Cell;
                self.tree.push_marker();
            }
            _ if tag.is_table_part() => {
                return if self.end_row() { Next::Again } else { DONE };
            }
            _ => return self.start_in_table(tag, attributes, self_closing),
        }
        DONE
    }

    fn start_in_cell(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        if tag.is_table_part() {
            return if self.close_cell() { Next::Again } else { DONE };
        }
        self.start_in_body(tag, attributes, self_closing)
    }

    fn start_in_frameset(&mut self, tag: Tag, attributes: &Attributes) -> Next {
        match tag {
            Tag::HTML => self.tree.page.html(attributes),
            Tag::NOFRAMES => return self.start_raw(tag, attributes, Raw::Hidden),
            Tag::FRAMESET if self.mode == Mode::Frameset => {
                self.tree.insert(tag, attributes);
            }
            Tag::FRAME if self.mode == Mode::Frameset => self.tree.insert_void(tag, attributes),
            _ => {}
        }
        DONE
    }

    // ---- SVG and MathML

    /// Whether a start tag inside SVG or MathML is read by HTML's rules.
    fn html_rules_for_start(&self, tag: Tag) -> bool {
        let Some(node) = self.tree.current() else { return true };
        match node.namespace {
            Namespace::Html => true,
            _ if node.html_inside => true,
            Namespace::MathMl => {
                let text = matches!(node.tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT);
                text && !matches!(tag, Tag::MGLYPH | Tag::MALIGNMARK)
                    || node.tag == Tag::ANNOTATION_XML && tag == Tag::SVG
            }
            Namespace::Svg => false,
        }
    }

    fn html_rules_for_text(&self) -> bool {
        self.tree.current().is_none_or(|node| {
            node.namespace == Namespace::Html
                || node.html_inside
                || node.namespace == Namespace::MathMl
                    && matches!(node.tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT)
        })
    }

    fn start_in_foreign(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Next {
        let leaves = tag.leaves_foreign()
            || tag == Tag::FONT && [Attr::Color, Attr::Face, Attr::Size].iter().any(|&name| attributes.has(name));
        if leaves {
            self.leave_foreign();
            return Next::Again;
        }
        let namespace = self.tree.current().map_or(Namespace::Svg, |node| node.namespace);
        self.tree.insert_foreign(tag, namespace, attributes, self_closing);
        DONE
    }

    fn leave_foreign(&mut self) {
        self.tree.pop_back_to(|node| {
            node.namespace == Namespace::Html
                || node.html_inside
                || node.namespace == Namespace::MathMl
                    && matches!(node.tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT)
        });
    }

    // ---- end tags

    fn end_of(&mut self, tag: Tag) {
        for _ in 0..1024 {
            if self.tree.in_foreign() && self.end_in_foreign(tag) {
                return;
            }
            let again = match self.mode {
                Mode::Head => match tag {
                    Tag::BODY | Tag::HTML | Tag::BR => {
                        self.start_body();
                        true
                    }
                    _ => false,
                },
                Mode::HeadNoscript => match tag {
                    Tag::NOSCRIPT => {
                        self.leave_head_noscript();
                        false
                    }
                    Tag::BR => {
                        self.leave_head_noscript();
                        true
                    }
                    _ => false,
                },
                Mode::Body => {
                    self.end_in_body(tag);
                    false
                }
                Mode::Table => self.end_in_table(tag),
                Mode::Caption => match tag {
                    Tag::CAPTION => {
                        self.end_caption();
                        false
                    }
                    Tag::TABLE => self.end_caption(),
                    _ if tag.is_table_part() || matches!(tag, Tag::BODY | Tag::HTML) => false,
                    _ => {
                        self.end_in_body(tag);
                        false
                    }
                },
                Mode::ColumnGroup => match tag {
                    Tag::COLGROUP => {
                        self.end_column_group();
                        false
                    }
                    Tag::COL | Tag::TEMPLATE => false,
                    _ => self.end_column_group(),
                },
                Mode::TableBody => match tag {
                    _ if tag.is_row_group() => {
                        if self.tree.in_scope(Scope::Table, |open| open == tag) {
                            self.back_to_table_body();
                            self.tree.pop();
                            self.mode = Mode::Table;
                        }
                        false
                    }
                    Tag::TABLE => self.end_table_body(),
                    _ if tag.is_table_part() || matches!(tag, Tag::BODY | Tag::HTML) => false,
                    _ => self.end_in_table(tag),
                },
                Mode::Row => match tag {
                    Tag::TR => {
                        self.end_row();
                        false
                    }
                    Tag::TABLE => self.end_row(),
                    _ if tag.is_row_group() => self.tree.in_scope(Scope::Table, |open| open == tag) && self.end_row(),
                    _ if tag.is_table_part() || matches!(tag, Tag::BODY | Tag::HTML) => false,
                    _ => self.end_in_table(tag),
                },
                Mode::Cell => match tag {
                    Tag::TD | Tag::TH => {
                        if self.tree.in_scope(Scope::Table, |open| open == tag) {
                            self.tree.end_implied(None);
                            self.tree.pop_until(|open| open == tag);
                            self.tree.clear_to_marker();
                            self.mode = Mode::Row;
                        }
                        false
                    }
                    Tag::TABLE | Tag::TR | Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                        self.tree.in_scope(Scope::Table, |open| open == tag) && self.close_cell()
                    }
                    Tag::BODY | Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::HTML => false,
                    _ => {
                        self.end_in_body(tag);
                        false
                    }
                },
                Mode::Frameset => {
                    if tag == Tag::FRAMESET && self.tree.current_is(Tag::FRAMESET) {
                        self.tree.pop();
                        if !self.tree.current_is(Tag::FRAMESET) {
                            self.mode = Mode::AfterFrameset;
                        }
                    }
                    false
                }
                Mode::AfterFrameset => false,
            };
            if !again {
                return;
            }
        }
    }

    fn end_in_body(&mut self, tag: Tag) {
        match tag {
            // What follows the end of the body is read as if it stood inside.
            Tag::BODY | Tag::HTML => {}
            Tag::FORM => {
                let Some(id) = self.form.take() else { return };
                if self.tree.node_in_scope(id) {
                    self.tree.end_implied(None);
                    self.tree.remove(id);
                }
            }
            Tag::P => {
                if !self.tree.has_p_in_button_scope() {
                    self.tree.insert_implied(Tag::P);
                }
                self.tree.close_p();
            }
            Tag::LI => {
                if self.tree.in_scope(Scope::ListItem, |open| open == Tag::LI) {
                    self.tree.end_implied(Some(Tag::LI));
                    self.tree.pop_until(|open| open == Tag::LI);
                }
            }
            Tag::DD | Tag::DT => {
                if self.tree.in_scope(Scope::Default, |open| open == tag) {
                    self.tree.end_implied(Some(tag));
                    self.tree.pop_until(|open| open == tag);
                }
            }
            _ if tag.is_heading() => {
                if self.tree.in_scope(Scope::Default, Tag::is_heading) {
                    self.tree.end_implied(None);
                    self.tree.pop_until(Tag::is_heading);
                }
            }
            _ if tag.is_formatting() => self.end_formatting(tag),
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                if self.tree.in_scope(Scope::Default, |open| open == tag) {
                    self.tree.end_implied(None);
                    self.tree.pop_until(|open| open == tag);
                    self.tree.clear_to_marker();
                }
            }
            Tag::BR => {
                self.tree.reconstruct();
                self.tree.insert_void(tag, &Attributes::default());
                self.frameset_ok = false;
            }
            _ if tag.is_plain_block() || matches!(tag, Tag::BUTTON | Tag::LISTING | Tag::PRE | Tag::SELECT) => {
                if self.tree.in_scope(Scope::Default, |open| open == tag) {
                    self.tree.end_implied(None);
                    self.tree.pop_until(|open| open == tag);
                }
            }
            _ => self.end_any_other(tag),
        }
    }

    fn end_formatting(&mut self, tag: Tag) {
        if !self.tree.adopt(tag) {
            self.end_any_other(tag);
        }
    }

    fn end_any_other(&mut self, tag: Tag) {
        let found = self
            .tree
            .nodes_from_top()
            .find(|node| node.namespace == Namespace::Html && node.tag == tag || super::tree::is_special(node))
            .filter(|node| node.namespace == Namespace::Html && node.tag == tag)
            .map(|node| node.id);
        if let Some(id) = found {
            self.tree.end_implied(Some(tag));
            self.tree.pop_back_to(|node| node.id == id);
            self.tree.pop();
        }
    }

    /// `true`: the tag is to be looked at again.
    fn end_in_table(&mut self, tag: Tag) -> bool {
        match tag {
            Tag::TABLE => {
                if self.tree.in_scope(Scope::Table, |open| open == Tag::TABLE) {
                    self.tree.pop_until(|open| open == Tag::TABLE);
                    self.reset_mode();
                }
            }
            _ if tag.is_table_part() || matches!(tag, Tag::BODY | Tag::HTML) => {}
            _ => {
                self.tree.foster = true;
                self.end_in_body(tag);
                self.tree.foster = false;
            }
        }
        false
    }

    fn in_select(&self) -> bool {
        self.tree.in_scope(Scope::Default, |open| open == Tag::SELECT)
    }

    /// Whether there was a `select` to end.
    fn end_select(&mut self) -> bool {
        let open = self.in_select();
        if open {
            self.tree.pop_until(|open| open == Tag::SELECT);
        }
        open
    }

    /// `true` when the tag is dealt with.
    fn end_in_foreign(&mut self, tag: Tag) -> bool {
        if matches!(tag, Tag::BR | Tag::P) {
            self.leave_foreign();
            // Inside an element that takes HTML the tag is HTML's affair.
            return false;
        }
        let mut found = None;
        for node in self.tree.nodes_from_top() {
            if node.namespace == Namespace::Html {
                break;
            }
            if node.tag == tag {
                found = Some(node.id);
                break;
            }
        }
        match found {
            Some(id) => {
                self.tree.pop_back_to(|node| node.id == id);
                self.tree.pop();
                true
            }
            None => false,
        }
    }

    // ---- tables

    fn back_to_table(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag == Tag::TABLE);
    }

    fn back_to_table_body(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag.is_row_group());
    }

    fn back_to_row(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag == Tag::TR);
    }

    /// These four say whether there was something to end.
    fn end_caption(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, |open| open == Tag::CAPTION);
        if open {
            self.tree.end_implied(None);
            self.tree.pop_until(|open| open == Tag::CAPTION);
            self.tree.clear_to_marker();
            self.mode = Mode::Table;
        }
        open
    }

    fn end_column_group(&mut self) -> bool {
        let open = self.tree.current_is(Tag::COLGROUP);
        if open {
            self.tree.pop();
            self.mode = Mode::Table;
        }
        open
    }

    fn end_table_body(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, Tag::is_row_group);
        if open {
            self.back_to_table_body();
            self.tree.pop();
            self.mode = Mode::Table;
        }
        open
    }

    fn end_row(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, |open| open == Tag::TR);
        if open {
            self.back_to_row();
            self.tree.pop();
            self.mode = Mode::TableBody;
        }
        open
    }

    fn close_cell(&mut self) -> bool {
        let is_cell = |tag| matches!(tag, Tag::TD | Tag::TH);
        let open = self.tree.in_scope(Scope::Table, is_cell);
        if open {
            self.tree.end_implied(None);
            self.tree.pop_until(is_cell);
            self.tree.clear_to_marker();
            self.mode = Mode::Row;
        }
        open
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

    fn text_by_mode(&mut self, text: &str) {
        let visible = self.tree.text_is_visible();
        if !self.html_rules_for_text() {
            let hidden = self.tree.current().is_some_and(|node| matches!(node.tag, Tag::SCRIPT | Tag::STYLE));
            if !hidden {
                self.tree.page.push_text(text, visible);
            }
            self.frameset_ok &= is_blank(text);
            return;
        }
        match self.mode {
            Mode::Head | Mode::HeadNoscript => {
                if is_blank(text) {
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
                self.frameset_ok &= is_blank(text);
            }
            Mode::Table | Mode::TableBody | Mode::Row => {
                if self.tree.current_is_table_frame() && is_blank(text) {
                    self.tree.page.push_text(text, visible);
                    return;
                }
                self.tree.foster = true;
                self.tree.reconstruct();
                self.tree.foster = false;
                self.tree.page.push_text(text, visible);
                self.frameset_ok &= is_blank(text);
            }
            Mode::ColumnGroup => {
                if is_blank(text) {
                    self.tree.page.push_text(text, visible);
                } else if self.end_column_group() {
                    self.text_by_mode(text);
                }
            }
            Mode::Frameset | Mode::AfterFrameset => {}
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | 0))
}

impl TokenSink for Builder<'_> {
    fn text(&mut self, text: &str) {
        if self.templates > 0 {
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
            None => self.text_by_mode(text),
        }
    }

    fn start_tag(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Option<State> {
        self.got_content = true;
        self.end_raw();
        if self.templates > 0 {
            if tag == Tag::TEMPLATE {
                self.templates = self.templates.saturating_add(1);
            }
            return match tag {
                Tag::TITLE | Tag::TEXTAREA => Some(State::RcData),
                Tag::SCRIPT => Some(State::ScriptData),
                Tag::STYLE | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES => Some(State::RawText),
                _ => None,
            };
        }
        self.start(tag, attributes, self_closing)
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

    fn doctype(&mut self, name: &[u8], public: Option<&[u8]>, system: Option<&[u8]>, force_quirks: bool) {
        // One that comes late is ignored, as any other misplaced declaration.
        if !self.got_content {
            self.got_content = true;
            self.quirks = force_quirks || quirks::is_quirky(name, public, system);
        }
    }

    fn in_foreign(&self) -> bool {
        self.templates == 0 && self.tree.in_foreign()
    }

    fn wants_text(&self) -> bool {
        self.templates == 0 && !matches!(self.raw, Some((Raw::Hidden, _)))
    }

    fn end(&mut self) {
        self.end_raw();
        self.tree.pop_all();
    }
}
