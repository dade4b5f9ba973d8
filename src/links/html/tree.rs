//! The tree that a browser would build, as far as links and text need it:
//! the stack of open elements and the list of active formatting elements,
//! with the repair rules of the HTML standard (13.2.4 and 13.2.6), scripting
//! off. Nodes that are closed are forgotten; text of a link is a range of the
//! text since it was opened, so splitting an element means splitting a range.
//!
//! What this leaves out, on purpose: text that moves in front of a table
//! keeps its place in the anchor of a link around that table, and `template`
//! content is skipped (it is no part of the document).

use super::collect::{Collector, LinkId, Order};
use super::place::PagePlace;
use super::tag::Tag;
use super::tokens::{Attr, Attributes};

/// Elements deeper than this are put beside their parent, as browsers do it.
pub const MAX_DEPTH: usize = 512;

/// Formatting elements that are reopened at most.
const MAX_FORMATTING: usize = 128;

/// Whose vocabulary an element's name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// An open element.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) id: u32,
    pub(super) tag: Tag,
    pub(super) namespace: Namespace,
    /// HTML may stand inside (`foreignObject`, `annotation-xml` of HTML …).
    pub(super) html_inside: bool,
    link: Option<LinkId>,
    /// Where its text starts in the text of open links.
    text_start: usize,
    /// Its place in the document.
    order: u32,
    /// The place of the table it was moved in front of, with its descendants.
    moved_before: Option<u32>,
    /// It stands in the list of active formatting elements.
    listed: bool,
    /// It begins a part of the page.
    part: Option<PagePlace>,
    /// Its number as an element that makes blocks of text.
    block: Option<u32>,
}

/// An entry of the list of active formatting elements.
#[derive(Debug, Clone)]
enum Formatting {
    Marker,
    Element { id: u32, tag: Tag, hash: u64, link: Option<LinkId>, open: bool },
}

impl Formatting {
    fn is(&self, target: u32) -> bool {
        matches!(self, Self::Element { id, .. } if *id == target)
    }
}

/// Which elements end a search through the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Default,
    Button,
    ListItem,
    Table,
}

/// See the module.
pub(super) struct Tree<'o> {
    pub(super) page: Collector<'o>,
    open: Vec<Node>,
    formatting: Vec<Formatting>,
    next_id: u32,
    next_order: u32,
    /// Counts insertions into earlier places.
    early: i64,
    /// Open `p` elements and open `noscript` elements, so that most searches need not start.
    open_p: usize,
    open_noscript: usize,
    open_foreign: usize,
    /// Set while a table's rules move content in front of it.
    pub(super) foster: bool,
}

impl<'o> Tree<'o> {
    pub(super) fn new(page: Collector<'o>) -> Self {
        let mut tree = Self {
            page,
            open: Vec::with_capacity(64),
            formatting: Vec::new(),
            next_id: 0,
            next_order: 0,
            early: 0,
            open_p: 0,
            open_noscript: 0,
            open_foreign: 0,
            foster: false,
        };
        for tag in [Tag::HTML, Tag::BODY] {
            tree.push(tag, Namespace::Html, None, false);
        }
        tree
    }

    // ---- the stack of open elements

    pub(super) fn current(&self) -> Option<&Node> {
        self.open.last()
    }

    pub(super) fn current_is(&self, tag: Tag) -> bool {
        self.open.last().is_some_and(|node| node.tag == tag && node.namespace == Namespace::Html)
    }

    /// Whether the present element is one whose stray content moves in front of the table.
    pub(super) fn current_is_table_frame(&self) -> bool {
        self.open.last().is_some_and(is_table_frame)
    }

    pub(super) fn in_foreign(&self) -> bool {
        self.open_foreign > 0 && self.open.last().is_some_and(|node| node.namespace != Namespace::Html)
    }

    pub(super) fn nodes_from_top(&self) -> impl Iterator<Item = &Node> {
        self.open.iter().rev()
    }

    pub(super) fn is_bottom(&self, node: &Node) -> bool {
        self.open.first().is_some_and(|first| first.id == node.id)
    }

    fn push(&mut self, tag: Tag, namespace: Namespace, link: Option<LinkId>, listed: bool) -> u32 {
        if self.open.len() >= MAX_DEPTH {
            self.page.cut.depth += 1;
            self.pop();
        }
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        let moved_before = self.moved_before();
        let node = Node {
            id,
            tag,
            namespace,
            html_inside: false,
            link,
            text_start: self.page.mark(),
            order: self.next_order,
            moved_before,
            listed,
            part: None,
            block: None,
        };
        self.count(&node, true);
        self.open.push(node);
        id
    }

    fn count(&mut self, node: &Node, up: bool) {
        let counter = match (node.namespace, node.tag) {
            (Namespace::Html, Tag::P) => &mut self.open_p,
            (Namespace::Html, Tag::NOSCRIPT) => &mut self.open_noscript,
            (Namespace::Html, _) => return,
            _ => &mut self.open_foreign,
        };
        *counter = if up { *counter + 1 } else { counter.saturating_sub(1) };
    }

    pub(super) fn pop(&mut self) -> Option<Tag> {
        let node = self.open.pop()?;
        let tag = node.tag;
        self.leave(&node, self.page.mark());
        Some(tag)
    }

    /// A node is no longer open: its link ends at `end`.
    fn leave(&mut self, node: &Node, end: usize) {
        self.count(node, false);
        if node.part.is_some() {
            self.page.place = self.open.iter().rev().find_map(|node| node.part);
        }
        if let Some(link) = node.link {
            self.page.close(link, node.text_start, end);
        }
        if node.listed
            && let Some(Formatting::Element { open, .. }) =
                self.formatting.iter_mut().rev().find(|entry| entry.is(node.id))
        {
            *open = false;
        }
        if node.namespace == Namespace::Html && node.tag.breaks_text() {
            self.page.break_text();
        }
        if node.block.is_some() {
            self.page.return_to_block(self.open.iter().rev().find_map(|node| node.block));
        }
    }

    fn remove_at(&mut self, at: usize, end: usize) {
        if at < self.open.len() {
            let node = self.open.remove(at);
            self.leave(&node, end);
        }
    }

    /// Removes a node wherever it stands; what is inside stays open.
    pub(super) fn remove(&mut self, id: u32) {
        if let Some(at) = self.open.iter().rposition(|node| node.id == id) {
            self.remove_at(at, self.page.mark());
        }
    }

    /// Pops until an HTML element for which `is_target` holds was popped.
    pub(super) fn pop_until(&mut self, is_target: impl Fn(Tag) -> bool) {
        while self.open.len() > 1 {
            let found = self.open.last().is_some_and(|node| node.namespace == Namespace::Html && is_target(node.tag));
            self.pop();
            if found {
                return;
            }
        }
    }

    /// Pops until the present element is one for which `is_target` holds, or the root.
    pub(super) fn pop_back_to(&mut self, is_target: impl Fn(&Node) -> bool) {
        while self.open.len() > 1 && !self.open.last().is_some_and(&is_target) {
            self.pop();
        }
    }

    pub(super) fn pop_all(&mut self) {
        while self.pop().is_some() {}
    }

    /// “Has an element in scope” of the standard.
    pub(super) fn in_scope(&self, scope: Scope, is_target: impl Fn(Tag) -> bool) -> bool {
        for node in self.open.iter().rev() {
            if node.namespace == Namespace::Html && is_target(node.tag) {
                return true;
            }
            if ends_scope(node, scope) {
                return false;
            }
        }
        false
    }

    pub(super) fn node_in_scope(&self, id: u32) -> bool {
        for node in self.open.iter().rev() {
            if node.id == id {
                return true;
            }
            if ends_scope(node, Scope::Default) {
                return false;
            }
        }
        false
    }

    pub(super) fn end_implied(&mut self, except: Option<Tag>) {
        while self.open.last().is_some_and(|node| {
            node.namespace == Namespace::Html && node.tag.ends_by_implication() && Some(node.tag) != except
        }) {
            self.pop();
        }
    }

    pub(super) fn has_p_in_button_scope(&self) -> bool {
        self.open_p > 0 && self.in_scope(Scope::Button, |tag| tag == Tag::P)
    }

    pub(super) fn close_p(&mut self) {
        self.end_implied(Some(Tag::P));
        self.pop_until(|tag| tag == Tag::P);
    }

    pub(super) fn close_p_in_button_scope(&mut self) {
        if self.has_p_in_button_scope() {
            self.close_p();
        }
    }

    /// Whether text here is seen by a reader with scripts.
    pub(super) fn text_is_visible(&self) -> bool {
        self.open_noscript == 0
    }

    // ---- inserting

    fn moved_before(&self) -> Option<u32> {
        let current = self.open.last()?;
        if self.foster && is_table_frame(current) {
            let table = self.open.iter().rev().find(|node| node.tag == Tag::TABLE && node.namespace == Namespace::Html);
            return Some(table.map_or(current.order, |table| table.order));
        }
        current.moved_before
    }

    /// The place of an element that is inserted now.
    pub(super) fn next_place(&mut self) -> Order {
        self.next_order = self.next_order.saturating_add(1);
        match self.moved_before() {
            Some(table) => (table, self.before()),
            None => (self.next_order, 0),
        }
    }

    /// Second number of a place just before an element, after those put there earlier.
    fn before(&mut self) -> i64 {
        self.early += 1;
        i64::MIN + self.early
    }

    /// Second number of a place that is the first child of an element, before those put there earlier.
    fn first_child(&mut self) -> i64 {
        self.early += 1;
        i64::MAX - self.early
    }

    /// Inserts an HTML element and leaves it open.
    pub(super) fn insert(&mut self, tag: Tag, attributes: &Attributes) -> u32 {
        self.insert_as(tag, attributes, false)
    }

    /// Inserts an HTML element that has no content to be read.
    pub(super) fn insert_void(&mut self, tag: Tag, attributes: &Attributes) {
        if tag.breaks_text() {
            self.page.break_text();
        }
        let place = self.next_place();
        self.page.element(tag, attributes, place);
    }

    fn insert_as(&mut self, tag: Tag, attributes: &Attributes, listed: bool) -> u32 {
        if tag.breaks_text() {
            self.page.break_text();
        } else if matches!(tag, Tag::TD | Tag::TH) {
            self.page.part_text();
        }
        let place = self.next_place();
        let link = if tag == Tag::A { self.page.open_anchor(attributes, place) } else { None };
        self.page.element(tag, attributes, place);
        let id = self.push(tag, Namespace::Html, link, listed);
        let part = PagePlace::begun_by(tag, attributes);
        let block = self.page.start_block(tag, attributes, part);
        if let Some(node) = self.open.last_mut() {
            (node.part, node.block) = (part, block);
        }
        if part.is_some() {
            self.page.place = part;
        }
        id
    }

    /// Inserts an element that no tag stands for.
    pub(super) fn insert_implied(&mut self, tag: Tag) -> u32 {
        self.insert(tag, &Attributes::default())
    }

    /// Inserts an element of SVG or MathML.
    pub(super) fn insert_foreign(&mut self, tag: Tag, namespace: Namespace, attributes: &Attributes, closed: bool) {
        let place = self.next_place();
        let mut link = None;
        if tag == Tag::A && attributes.has(Attr::Href) {
            link = self.page.open_anchor(attributes, place);
        } else if namespace == Namespace::Svg {
            self.page.svg_element(tag, attributes, place);
        }
        if closed {
            if let Some(link) = link {
                let mark = self.page.mark();
                self.page.close(link, mark, mark);
            }
            return;
        }
        self.push(tag, namespace, link, false);
        let html_inside = match namespace {
            Namespace::Svg => matches!(tag, Tag::FOREIGNOBJECT | Tag::DESC | Tag::TITLE),
            Namespace::MathMl => {
                tag == Tag::ANNOTATION_XML
                    && attributes.get(Attr::Encoding).is_some_and(|encoding| {
                        encoding.eq_ignore_ascii_case("text/html")
                            || encoding.eq_ignore_ascii_case("application/xhtml+xml")
                    })
            }
            Namespace::Html => false,
        };
        if let Some(node) = self.open.last_mut() {
            node.html_inside = html_inside;
        }
    }

    // ---- the list of active formatting elements

    pub(super) fn push_marker(&mut self) {
        self.formatting.push(Formatting::Marker);
    }

    pub(super) fn clear_to_marker(&mut self) {
        while let Some(entry) = self.formatting.pop() {
            match entry {
                Formatting::Marker => return,
                Formatting::Element { id, .. } => self.unlist(id),
            }
        }
    }

    fn unlist(&mut self, id: u32) {
        if let Some(node) = self.open.iter_mut().rev().find(|node| node.id == id) {
            node.listed = false;
        }
    }

    fn unlist_entry(&mut self, at: usize) {
        if let Formatting::Element { id, open: true, .. } = self.formatting.remove(at) {
            self.unlist(id);
        }
    }

    /// Entries after the last marker.
    fn since_marker(&self) -> usize {
        self.formatting.iter().rposition(|entry| matches!(entry, Formatting::Marker)).map_or(0, |marker| marker + 1)
    }

    /// The last entry of this name after the last marker.
    fn listed(&self, target: Tag) -> Option<usize> {
        let start = self.since_marker();
        self.formatting[start..]
            .iter()
            .rposition(|entry| matches!(entry, Formatting::Element { tag, .. } if *tag == target))
            .map(|at| start + at)
    }

    /// Inserts a formatting element and lists it. Of three equal ones the
    /// oldest leaves the list.
    pub(super) fn insert_formatting(&mut self, tag: Tag, attributes: &Attributes) {
        let start = self.since_marker();
        let same = |entry: &Formatting| matches!(entry, Formatting::Element { tag: t, hash: h, .. } if *t == tag && *h == attributes.hash);
        let equal = self.formatting[start..].iter().filter(|entry| same(entry)).count();
        if equal >= 3
            && let Some(at) = self.formatting[start..].iter().position(same)
        {
            self.unlist_entry(start + at);
        }
        if self.formatting.len() - start >= MAX_FORMATTING {
            self.unlist_entry(start);
        }
        let id = self.insert_as(tag, attributes, true);
        let link = self.open.last().and_then(|node| node.link);
        self.formatting.push(Formatting::Element { id, tag, hash: attributes.hash, link, open: true });
    }

    /// The element of this name leaves list and stack (a second `a` ends the first).
    pub(super) fn forget(&mut self, tag: Tag, id: u32) {
        if let Some(at) = self.formatting.iter().rposition(|entry| entry.is(id)) {
            self.unlist_entry(at);
        }
        if self.open.iter().any(|node| node.id == id && node.tag == tag) {
            self.remove(id);
        }
    }

    pub(super) fn listed_id(&self, tag: Tag) -> Option<u32> {
        match self.formatting.get(self.listed(tag)?)? {
            Formatting::Element { id, .. } => Some(*id),
            Formatting::Marker => None,
        }
    }

    /// “Reconstruct the active formatting elements”.
    pub(super) fn reconstruct(&mut self) {
        let stays = |entry: &Formatting| matches!(entry, Formatting::Marker | Formatting::Element { open: true, .. });
        if self.formatting.last().is_none_or(stays) {
            return;
        }
        let start = self.formatting.iter().rposition(stays).map_or(0, |at| at + 1);
        for at in start..self.formatting.len() {
            let Some(Formatting::Element { tag, link, .. }) = self.formatting.get(at) else { continue };
            let (tag, link) = (*tag, *link);
            let place = self.next_place();
            let link = link.and_then(|link| self.page.open_again(link, place));
            let new = self.push(tag, Namespace::Html, link, true);
            if let Some(Formatting::Element { id, open, .. }) = self.formatting.get_mut(at) {
                *id = new;
                *open = true;
            }
        }
    }

    /// The adoption agency algorithm. `false` where the end tag is to be
    /// treated as any other.
    pub(super) fn adopt(&mut self, subject: Tag) -> bool {
        if self.current_is(subject) && self.open.last().is_some_and(|node| !node.listed) {
            self.pop();
            return true;
        }
        for round in 0..8 {
            let Some(entry_at) = self.listed(subject) else { return round > 0 };
            let Some(Formatting::Element { id: element, hash, link, .. }) = self.formatting.get(entry_at).cloned()
            else {
                return true;
            };
            let Some(element_at) = self.open.iter().rposition(|node| node.id == element) else {
                self.formatting.remove(entry_at);
                return true;
            };
            if !self.node_in_scope(element) {
                return true;
            }
            let block = self.open[element_at..].iter().position(is_special).map(|offset| element_at + offset);
            let Some(block_at) = block else {
                while self.open.len() > element_at {
                    self.pop();
                }
                self.formatting.remove(entry_at);
                return true;
            };
            self.split(subject, element, hash, link, element_at, block_at);
        }
        true
    }

    /// One round of the adoption agency: the elements from `element_at` on end
    /// before the block at `block_at`, and begin anew around or inside it.
    fn split(
        &mut self,
        subject: Tag,
        element: u32,
        hash: u64,
        link: Option<LinkId>,
        element_at: usize,
        block_at: usize,
    ) {
        let (block_id, cut, block_order) = match self.open.get(block_at) {
            Some(block) => (block.id, block.text_start, block.order),
            None => return,
        };
        let mut bookmark = self.formatting.iter().position(|entry| entry.is(element)).unwrap_or(0);
        let mut at = block_at;
        let mut inner = 0;
        let mut next_to_block = true;
        let mut clones = Vec::new();
        while at > element_at + 1 {
            at -= 1;
            inner += 1;
            let Some(node) = self.open.get(at) else { break };
            let (id, tag, namespace, listed) = (node.id, node.tag, node.namespace, node.listed);
            let entry_at = if listed { self.formatting.iter().rposition(|entry| entry.is(id)) } else { None };
            match entry_at {
                Some(entry_at) if inner <= 3 => {
                    let entry_link = match self.formatting.get(entry_at) {
                        Some(Formatting::Element { link, .. }) => *link,
                        _ => None,
                    };
                    let new = self.next_id;
                    self.next_id = self.next_id.wrapping_add(1);
                    if let Some(Formatting::Element { id, open, .. }) = self.formatting.get_mut(entry_at) {
                        *id = new;
                        *open = true;
                    }
                    if next_to_block {
                        bookmark = entry_at + 1;
                    }
                    next_to_block = false;
                    clones.push((at, new, tag, namespace, entry_link));
                }
                entry => {
                    if let Some(entry_at) = entry {
                        self.unlist_entry(entry_at);
                        if entry_at < bookmark {
                            bookmark -= 1;
                        }
                    }
                    self.remove_at(at, cut);
                    for clone in &mut clones {
                        clone.0 -= 1;
                    }
                }
            }
        }
        // From the outermost in, so that places in the document are in order.
        for (at, new, tag, namespace, entry_link) in clones.into_iter().rev() {
            let place = (block_order, self.before());
            let link = entry_link.and_then(|link| self.page.open_again(link, place));
            let Some(old) = self.open.get(at).cloned() else { continue };
            let node = Node {
                id: new,
                tag,
                namespace,
                link,
                text_start: cut,
                order: block_order,
                listed: true,
                ..old.clone()
            };
            self.count(&node, true);
            self.open[at] = node;
            self.leave(&Node { listed: false, ..old }, cut);
        }
        // The element itself: ends before the block, begins anew inside it.
        let place = (block_order, self.first_child());
        let link = link.and_then(|link| self.page.open_again(link, place));
        let new = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        if let Some(entry_at) = self.formatting.iter().position(|entry| entry.is(element)) {
            self.formatting.remove(entry_at);
            if entry_at < bookmark {
                bookmark -= 1;
            }
        }
        let entry = Formatting::Element { id: new, tag: subject, hash, link, open: true };
        self.formatting.insert(bookmark.min(self.formatting.len()), entry);
        if let Some(at) = self.open.iter().position(|node| node.id == element) {
            if let Some(node) = self.open.get_mut(at) {
                node.listed = false;
            }
            self.remove_at(at, cut);
        }
        if let Some(at) = self.open.iter().position(|node| node.id == block_id) {
            let moved_before = self.open[at].moved_before;
            let node = Node {
                id: new,
                tag: subject,
                namespace: Namespace::Html,
                html_inside: false,
                link,
                text_start: cut,
                order: block_order,
                moved_before,
                listed: true,
                part: None,
                block: None,
            };
            self.open.insert(at + 1, node);
        }
    }
}

fn is_table_frame(node: &Node) -> bool {
    node.namespace == Namespace::Html && (node.tag.is_row_group() || matches!(node.tag, Tag::TABLE | Tag::TR))
}

/// The “special” category, with its names of MathML and SVG.
pub(super) fn is_special(node: &Node) -> bool {
    match node.namespace {
        Namespace::Html => node.tag.is_special(),
        Namespace::MathMl => is_mathml_special(node.tag),
        Namespace::Svg => matches!(node.tag, Tag::FOREIGNOBJECT | Tag::DESC | Tag::TITLE),
    }
}

fn is_mathml_special(tag: Tag) -> bool {
    matches!(tag, Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT | Tag::ANNOTATION_XML)
}

fn ends_scope(node: &Node, scope: Scope) -> bool {
    let html = node.namespace == Namespace::Html;
    let table = html && matches!(node.tag, Tag::HTML | Tag::TABLE | Tag::TEMPLATE);
    match scope {
        Scope::Table => table,
        _ => {
            table
                || html
                    && matches!(
                        node.tag,
                        Tag::APPLET | Tag::CAPTION | Tag::TD | Tag::TH | Tag::MARQUEE | Tag::OBJECT | Tag::SELECT
                    )
                || node.namespace == Namespace::MathMl && is_mathml_special(node.tag)
                || node.namespace == Namespace::Svg && is_special(node)
                || scope == Scope::Button && html && node.tag == Tag::BUTTON
                || scope == Scope::ListItem && html && matches!(node.tag, Tag::OL | Tag::UL)
        }
    }
}
