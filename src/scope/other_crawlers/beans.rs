//! The beans of a Spring configuration: as much of it as crawl jobs use.

use super::{EngineError, EngineNote};
use crate::uri::xml_text;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Deeper configurations nobody writes.
const MAX_DEPTH: usize = 100;
/// Elements, comments and texts of all files of a job.
const MAX_NODES: u32 = 500_000;
/// Bytes of all files of a job.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Attributes of one tag: the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 200;
/// Declarations of namespaces in a file: every element carries on those around it.
const MAX_NAMESPACES: usize = 100;
/// Spelling of `#{` as plain text, which would begin an expression to be run.
const QUOTED_HASH: &str = "#{'#'}{";

/// Reads the other files of a job by their names in its folder.
pub(super) type OtherFiles<'a> = &'a dyn Fn(&str) -> Option<String>;

/// An element with what is in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Element {
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub nodes: Vec<Node>,
    /// `crawler-beans.cxml:138`
    pub place: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Element(Rc<Element>),
    Comment(String),
    Text(String),
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(&**element),
            Node::Comment(_) | Node::Text(_) => None,
        })
    }

    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.elements().find(|element| element.tag == tag)
    }

    /// The text directly in the element.
    pub fn text(&self) -> String {
        let texts = self.nodes.iter().filter_map(|node| match node {
            Node::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The class without its package.
    pub fn class(&self) -> &str {
        self.attribute("class").unwrap_or_default().rsplit('.').next().unwrap_or_default()
    }
}

/// How much more of a job is read.
struct Budget {
    bytes: usize,
    nodes: u32,
}

impl Budget {
    fn whole() -> Self {
        Self { bytes: MAX_BYTES, nodes: MAX_NODES }
    }

    fn is_used_up(&self) -> bool {
        self.bytes == 0 || self.nodes == 0
    }
}

/// Parses a file that is read alone.
pub(super) fn parse(file: &str, text: &str) -> Result<Rc<Element>, EngineError> {
    parse_within(file, text, &mut Budget::whole())
}

fn parse_within(file: &str, text: &str, budget: &mut Budget) -> Result<Rc<Element>, EngineError> {
    let error = |why: String| EngineError { file: file.to_owned(), why };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() >= budget.bytes {
        budget.bytes = 0;
        let why = format!("the configuration is larger than {MAX_BYTES} bytes; keep long lists in files of their own");
        return Err(error(why));
    }
    budget.bytes -= text.len();
    check_tags(text).map_err(error)?;
    let options = roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: budget.nodes, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|why| match why {
        roxmltree::Error::DtdDetected => error(
            "it has a document type (<!DOCTYPE …>), which is refused: entities in it can grow without end. \
             Take it out and read the file again"
                .to_owned(),
        ),
        roxmltree::Error::NodesLimitReached => {
            budget.nodes = 0;
            error(format!(
                "the configuration has more than {MAX_NODES} elements and texts; keep long lists in files of their own"
            ))
        }
        why => error(format!("it is no well-formed XML ({why}); correct it and read it again")),
    })?;
    let nodes = u32::try_from(document.descendants().count()).unwrap_or(u32::MAX);
    budget.nodes = budget.nodes.saturating_sub(nodes);
    // A query of the parser for the place of each element would read the text again each time.
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    convert(file, &lines, document.root_element(), 0)
        .map(Rc::new)
        .ok_or_else(|| error(format!("its elements go deeper than {MAX_DEPTH}")))
}

/// Refuses what would keep the parser busy for hours, in words.
fn check_tags(text: &str) -> Result<(), String> {
    let mut namespaces = 0;
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((begin, end)) = skipped.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            rest = rest[begin.len()..].find(end).map_or("", |at| &rest[begin.len() + at + end.len()..]);
            continue;
        }
        let line = || text[..text.len() - rest.len()].matches('\n').count() + 1;
        let (mut attributes, mut quote, mut end) = (0, None, rest.len());
        for (at, c) in rest.char_indices() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('"' | '\'', None) => quote = Some(c),
                ('=', None) => {
                    attributes += 1;
                    let name = rest[..at].trim_end().rsplit([' ', '\t', '\r', '\n']).next().unwrap_or_default();
                    namespaces += usize::from(name.starts_with("xmlns"));
                }
                ('>', None) => {
                    end = at;
                    break;
                }
                _ => {}
            }
            if attributes > MAX_ATTRIBUTES {
                return Err(format!(
                    "the tag in line {} has more than {MAX_ATTRIBUTES} attributes, which no crawl job needs; \
                     correct it and read it again",
                    line()
                ));
            }
            if namespaces > MAX_NAMESPACES {
                return Err(format!(
                    "up to line {} it declares more than {MAX_NAMESPACES} namespaces, which no crawl job needs; \
                     correct it and read it again",
                    line()
                ));
            }
        }
        rest = &rest[end..];
    }
    Ok(())
}

fn convert(file: &str, lines: &[usize], node: roxmltree::Node<'_, '_>, depth: usize) -> Option<Element> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut nodes = Vec::new();
    for child in node.children() {
        if child.is_element() {
            nodes.push(Node::Element(Rc::new(convert(file, lines, child, depth + 1)?)));
        } else if child.is_comment() {
            nodes.push(Node::Comment(child.text().unwrap_or_default().to_owned()));
        } else if let Some(text) = child.text().filter(|_| child.is_text()) {
            nodes.push(Node::Text(text.to_owned()));
        }
    }
    let line = lines.partition_point(|end| *end < node.range().start) + 1;
    Some(Element {
        tag: node.tag_name().name().to_owned(),
        attributes: node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect(),
        nodes,
        place: format!("{file}:{line}"),
    })
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setting<'a> {
    Text(String),
    List(Vec<String>),
    Bean(&'a Element),
}

/// The beans of a job, those of imported files included.
#[derive(Debug, Default)]
pub(super) struct Beans {
    files: Vec<Rc<Element>>,
    /// The first element of each id.
    ids: HashMap<String, Rc<Element>>,
    /// `bean.property` and its value, which goes before that in the bean.
    overrides: HashMap<String, String>,
    /// Values that were needed and could not be read, since they were last taken.
    unread: RefCell<Vec<EngineNote>>,
}

impl Beans {
    pub fn read(
        file: &str,
        text: &str,
        others: OtherFiles<'_>,
        notes: &mut Vec<EngineNote>,
    ) -> Result<Self, EngineError> {
        let mut budget = Budget::whole();
        let mut beans = Self { files: vec![parse_within(file, text, &mut budget)?], ..Self::default() };
        let mut at = 0;
        let mut seen = HashSet::from([file.to_owned()]);
        'files: while let Some(root) = beans.files.get(at) {
            let imports: Vec<(String, String)> = root
                .elements()
                .filter(|element| element.tag == "import")
                .filter_map(|element| Some((element.attribute("resource")?.to_owned(), element.place.clone())))
                .collect();
            for (name, place) in imports {
                if !seen.insert(name.clone()) {
                    continue;
                }
                match others(&name).map(|text| parse_within(&name, &text, &mut budget)) {
                    Some(Ok(root)) => beans.files.push(root),
                    Some(Err(error)) => {
                        notes.push(EngineNote::new(place, format!("it imports {error}")));
                        if budget.is_used_up() {
                            notes.push(EngineNote::new(file, "no more files that it imports are read"));
                            break 'files;
                        }
                    }
                    None => notes.push(EngineNote::new(
                        place,
                        format!("it imports “{name}”, which is not in the folder; its content is not known"),
                    )),
                }
            }
            at += 1;
        }
        for root in &beans.files {
            gather_ids(root, &mut beans.ids);
        }
        beans.gather_overrides();
        Ok(beans)
    }

    fn gather_overrides(&mut self) {
        let mut found = HashMap::new();
        let configurers = self.files.iter().flat_map(|root| root.elements());
        for bean in configurers.filter(|bean| bean.class() == "PropertyOverrideConfigurer") {
            for property in bean.elements().filter(|element| element.attribute("name") == Some("properties")) {
                for prop in property.child("props").into_iter().flat_map(Element::elements) {
                    if let Some(key) = prop.attribute("key") {
                        found.insert(key.trim().to_owned(), prop.text());
                    }
                }
                let lines = property.child("value").map(Element::text).unwrap_or_default();
                for line in lines.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!'])) {
                    if let Some((key, value)) = line.split_once(['=', ':']) {
                        found.insert(key.trim().to_owned(), value.trim().to_owned());
                    }
                }
            }
        }
        self.overrides = found;
    }

    /// The value of a property in the overrides, by its dotted name.
    pub fn overridden(&self, name: &str) -> Option<&str> {
        self.overrides.get(name).map(String::as_str)
    }

    /// The bean (or list) of this id, in any file.
    pub fn by_id(&self, id: &str) -> Option<&Element> {
        self.ids.get(id).map(|element| &**element)
    }

    /// The first bean at the top whose class has this name.
    pub fn by_class(&self, class: &str) -> Option<&Element> {
        self.files.iter().flat_map(|root| root.elements()).find(|bean| bean.class().ends_with(class))
    }

    /// Resolves a `<ref bean="…"/>`; any other element is returned.
    pub fn resolved<'a>(&'a self, element: &'a Element) -> Option<&'a Element> {
        match element.tag.as_str() {
            "ref" => self.by_id(element.attribute("bean").or(element.attribute("local"))?),
            _ => Some(element),
        }
    }

    /// Takes what could not be read since this was last called.
    pub fn take_unread(&self) -> Vec<EngineNote> {
        self.unread.take()
    }

    fn unread(&self, at: &Element, name: &str, what: &str) {
        self.unread.borrow_mut().push(EngineNote::new(&at.place, format!("“{name}” {what}")));
    }

    /// A value that is known without running anything; any other becomes a note.
    fn plain(&self, at: &Element, name: &str, value: &str) -> Option<String> {
        let text = plain(value);
        if text.is_none() {
            self.unread(at, name, &format!("is “{}”, which only a running crawler could say", short(value)));
        }
        text
    }

    /// The value of a bean's property; none where it is missing, or cannot be
    /// read, which [`Self::take_unread`] reports.
    pub fn property<'a>(&'a self, bean: &'a Element, name: &str) -> Option<Setting<'a>> {
        let id = bean.attribute("id").unwrap_or_default();
        if let Some(value) = self.overrides.get(&format!("{id}.{name}")).filter(|_| !id.is_empty()) {
            return self.plain(bean, name, value).map(Setting::Text);
        }
        let property = bean.elements().find(|element| {
            element.tag == "property" && element.attribute("name").is_some_and(|known| known.eq_ignore_ascii_case(name))
        });
        let Some(property) = property else {
            // `p:name="…"` is short for a property.
            return bean.attribute(name).and_then(|value| self.plain(bean, name, value)).map(Setting::Text);
        };
        if let Some(value) = property.attribute("value") {
            return self.plain(property, name, value).map(Setting::Text);
        }
        let inside = match property.attribute("ref") {
            Some(id) => self.by_id(id),
            None => self.resolved(property.elements().next()?),
        };
        let Some(inside) = inside else {
            self.unread(property, name, "names a bean that is not there");
            return None;
        };
        Some(match inside.tag.as_str() {
            "value" => Setting::Text(self.plain(inside, name, &inside.text())?),
            "list" | "set" | "array" => {
                let mut list = Vec::new();
                for entry in inside.elements() {
                    if entry.tag == "value" {
                        list.extend(self.plain(entry, name, entry.text().trim()));
                    } else {
                        self.unread(entry, name, &format!("has a <{}>, which is no plain value", entry.tag));
                    }
                }
                Setting::List(list)
            }
            _ => Setting::Bean(inside),
        })
    }

    pub fn text(&self, bean: &Element, name: &str) -> Option<String> {
        match self.property(bean, name)? {
            Setting::Text(text) => Some(text),
            Setting::List(_) | Setting::Bean(_) => {
                self.unread(bean, name, "is no plain value");
                None
            }
        }
    }

    /// A text that is read as something else; a failure becomes a note.
    pub fn read_as<T>(
        &self,
        bean: &Element,
        name: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(bean, name)?;
        let value = read(text.trim());
        if value.is_none() {
            self.unread(bean, name, &format!("is “{}”, which is no {expected}", short(&text)));
        }
        value
    }

    /// True or false, in the words that Spring takes for them.
    pub fn flag(&self, bean: &Element, name: &str) -> Option<bool> {
        self.read_as(bean, name, "“true” or “false”", |text| match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => Some(true),
            "false" | "off" | "no" | "0" => Some(false),
            _ => None,
        })
    }

    /// A whole number.
    pub fn number<T: std::str::FromStr>(&self, bean: &Element, name: &str) -> Option<T> {
        self.read_as(bean, name, "number that can be used here", |text| text.parse().ok())
    }

    /// A number with a fraction. Endless ones have no place in a campaign.
    pub fn decimal(&self, bean: &Element, name: &str) -> Option<f64> {
        let read = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        self.read_as(bean, name, "number that can be used here", read)
    }

    /// A list of texts; one text is a list of one.
    pub fn list(&self, bean: &Element, name: &str) -> Option<Vec<String>> {
        match self.property(bean, name)? {
            Setting::List(list) => Some(list),
            Setting::Text(text) => Some(vec![text]),
            Setting::Bean(_) => {
                self.unread(bean, name, "is no list of plain values");
                None
            }
        }
    }
}

fn gather_ids(element: &Rc<Element>, ids: &mut HashMap<String, Rc<Element>>) {
    if let Some(id) = element.attribute("id") {
        ids.entry(id.to_owned()).or_insert_with(|| Rc::clone(element));
    }
    for node in &element.nodes {
        if let Node::Element(child) = node {
            gather_ids(child, ids);
        }
    }
}

/// The begin of a value, for a note.
fn short(value: &str) -> String {
    let mut text: String = value.chars().take(80).collect();
    if text.len() < value.len() {
        text.push('…');
    }
    text
}

/// A value with its expressions replaced: by the default of
/// `#{systemEnvironment['X'] ?: default}`, the text of a quoted `#{`. None
/// where only a running crawler knows it.
fn plain(value: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("#{") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(QUOTED_HASH) {
            out.push_str("#{");
            rest = after;
            continue;
        }
        let end = rest.find('}')?;
        let (_, default) = rest[2..end].split_once("?:")?;
        out.push_str(default.trim().trim_matches('\''));
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// Text as a value in a configuration: escaped, and never an expression that
/// the reader would run.
pub(super) fn value_text(text: &str) -> String {
    xml_text(&text.replace("#{", QUOTED_HASH))
}

/// Text as a comment.
pub(super) fn comment_text(text: &str) -> String {
    let clean = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    let text: String = text.chars().map(clean).collect();
    let mut text = text.trim().to_owned();
    while text.contains("--") {
        text = text.replace("--", "- -");
    }
    if text.ends_with('-') { text + " " } else { text }
}
