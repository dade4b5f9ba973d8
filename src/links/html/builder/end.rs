//! Handles end tags in tree construction.

use super::{Builder, Mode};
use crate::links::html::tag::Tag;
use crate::links::html::tokens::Attributes;
use crate::links::html::tree::{Namespace, Scope, is_special};

impl Builder<'_> {
    pub(super) fn end_of(&mut self, tag: Tag) {
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

    pub(super) fn end_formatting(&mut self, tag: Tag) {
        if !self.tree.adopt(tag) {
            self.end_any_other(tag);
        }
    }

    fn end_any_other(&mut self, tag: Tag) {
        let found = self
            .tree
            .nodes_from_top()
            .find(|node| node.namespace == Namespace::Html && node.tag == tag || is_special(node))
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

    pub(super) fn in_select(&self) -> bool {
        self.tree.in_scope(Scope::Default, |open| open == Tag::SELECT)
    }

    /// Whether there was a `select` to end.
    pub(super) fn end_select(&mut self) -> bool {
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

    pub(super) fn back_to_table(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag == Tag::TABLE);
    }

    pub(super) fn back_to_table_body(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag.is_row_group());
    }

    pub(super) fn back_to_row(&mut self) {
        self.tree.pop_back_to(|node| node.namespace == Namespace::Html && node.tag == Tag::TR);
    }

    /// These four say whether there was something to end.
    pub(super) fn end_caption(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, |open| open == Tag::CAPTION);
        if open {
            self.tree.end_implied(None);
            self.tree.pop_until(|open| open == Tag::CAPTION);
            self.tree.clear_to_marker();
            self.mode = Mode::Table;
        }
        open
    }

    pub(super) fn end_column_group(&mut self) -> bool {
        let open = self.tree.current_is(Tag::COLGROUP);
        if open {
            self.tree.pop();
            self.mode = Mode::Table;
        }
        open
    }

    pub(super) fn end_table_body(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, Tag::is_row_group);
        if open {
            self.back_to_table_body();
            self.tree.pop();
            self.mode = Mode::Table;
        }
        open
    }

    pub(super) fn end_row(&mut self) -> bool {
        let open = self.tree.in_scope(Scope::Table, |open| open == Tag::TR);
        if open {
            self.back_to_row();
            self.tree.pop();
            self.mode = Mode::TableBody;
        }
        open
    }

    pub(super) fn close_cell(&mut self) -> bool {
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
}
