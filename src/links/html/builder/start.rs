//! Handles start tags in tree construction.

use super::{Builder, DONE, Mode, Next, Raw};
use crate::links::html::tag::Tag;
use crate::links::html::tokens::{Attr, Attributes, Content};
use crate::links::html::tree::{Namespace, Scope, is_special};

impl Builder<'_> {
    pub(super) fn start(&mut self, tag: Tag, attributes: &Attributes, self_closing: bool) -> Option<Content> {
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

    pub(super) fn start_body(&mut self) {
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
            Tag::NOFRAMES => self.start_raw(tag, attributes, Raw::Fallback),
            Tag::SCRIPT => {
                let kind = attributes.get(Attr::Type);
                let is_json_ld = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"));
                self.start_raw(tag, attributes, if is_json_ld { Raw::JsonLd } else { Raw::Hidden })
            }
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

    pub(super) fn leave_head_noscript(&mut self) {
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
                return self.start_raw(tag, attributes, Raw::Fallback);
            }
            Tag::NOEMBED => return self.start_raw(tag, attributes, Raw::Fallback),
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
                    || is_special(node) && !matches!(node.tag, Tag::ADDRESS | Tag::DIV | Tag::P)
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
            Tag::NOFRAMES => return self.start_raw(tag, attributes, Raw::Fallback),
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

    pub(super) fn html_rules_for_text(&self) -> bool {
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

    pub(super) fn leave_foreign(&mut self) {
        self.tree.pop_back_to(|node| {
            node.namespace == Namespace::Html
                || node.html_inside
                || node.namespace == Namespace::MathMl
                    && matches!(node.tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT)
        });
    }
}
