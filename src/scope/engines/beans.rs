//! The beans of a Spring configuration: as much of it as crawl jobs use.

use super::{EngineError, EngineNote};
use std::collections::HashMap;

/// Deeper configurations nobody writes.
const MAX_DEPTH: usize = 100;
/// Elements, comments and texts of one file.
const MAX_NODES: u32 = 2_000_000;
/// What an expression that would be run stands for when it is only text.
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
    Element(Element),
    Comment(String),
    Text(String),
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Comment(_) | Node::Text(_) => None,
        })
    }

    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.elements().find(|element| element.tag == tag)
    }

    /// All text directly in it.
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

/// Parses a file.
pub(super) fn parse(file: &str, text: &str) -> Result<Element, EngineError> {
    let error = |why: String| EngineError { file: file.to_owned(), why };
    let options = roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|why| match why {
        roxmltree::Error::DtdDetected => error(
            "it has a document type (<!DOCTYPE …>), which is refused: entities in it can grow without end. \
             Take it out and read the file again"
                .to_owned(),
        ),
        why => error(format!("it is no well-formed XML ({why}); correct it and read it again")),
    })?;
    convert(file, &document, document.root_element(), 0)
        .ok_or_else(|| error(format!("its elements go deeper than {MAX_DEPTH}")))
}

fn convert(
    file: &str,
    document: &roxmltree::Document<'_>,
    node: roxmltree::Node<'_, '_>,
    depth: usize,
) -> Option<Element> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut nodes = Vec::new();
    for child in node.children() {
        if child.is_element() {
            nodes.push(Node::Element(convert(file, document, child, depth + 1)?));
        } else if child.is_comment() {
            nodes.push(Node::Comment(child.text().unwrap_or_default().to_owned()));
        } else if let Some(text) = child.text().filter(|_| child.is_text()) {
            nodes.push(Node::Text(text.to_owned()));
        }
    }
    let line = document.text_pos_at(node.range().start).row;
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

/// All beans of a job, those of imported files included.
#[derive(Debug, Default)]
pub(super) struct Beans {
    files: Vec<Element>,
    /// `bean.property` and its value, which stands above what the bean says.
    overrides: HashMap<String, String>,
}

impl Beans {
    pub fn read(
        file: &str,
        text: &str,
        others: OtherFiles<'_>,
        notes: &mut Vec<EngineNote>,
    ) -> Result<Self, EngineError> {
        let mut beans = Self { files: vec![parse(file, text)?], overrides: HashMap::new() };
        let mut at = 0;
        let mut seen = vec![file.to_owned()];
        while let Some(root) = beans.files.get(at) {
            let wanted: Vec<(String, String)> = root
                .elements()
                .filter(|element| element.tag == "import")
                .filter_map(|element| Some((element.attribute("resource")?.to_owned(), element.place.clone())))
                .collect();
            for (name, place) in wanted {
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name.clone());
                match others(&name).map(|text| parse(&name, &text)) {
                    Some(Ok(root)) => beans.files.push(root),
                    Some(Err(error)) => notes.push(EngineNote::new(place, format!("it imports {error}"))),
                    None => notes.push(EngineNote::new(
                        place,
                        format!("it imports “{name}”, which is not in the folder; what stands there is not known"),
                    )),
                }
            }
            at += 1;
        }
        beans.gather_overrides();
        Ok(beans)
    }

    fn gather_overrides(&mut self) {
        let mut found = HashMap::new();
        let configurers = self.files.iter().flat_map(Element::elements);
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

    /// What overrides say of a property, by its dotted name.
    pub fn overridden(&self, name: &str) -> Option<&str> {
        self.overrides.get(name).map(String::as_str)
    }

    /// The bean (or list) of this id, wherever it stands.
    pub fn by_id(&self, id: &str) -> Option<&Element> {
        fn find<'a>(element: &'a Element, id: &str) -> Option<&'a Element> {
            if element.attribute("id") == Some(id) {
                return Some(element);
            }
            element.elements().find_map(|child| find(child, id))
        }
        self.files.iter().find_map(|root| find(root, id))
    }

    /// The first bean at the top whose class has this name.
    pub fn by_class(&self, class: &str) -> Option<&Element> {
        self.files.iter().flat_map(Element::elements).find(|bean| bean.class().ends_with(class))
    }

    /// What a `<ref bean="…"/>` means; itself where it is none.
    pub fn resolved<'a>(&'a self, element: &'a Element) -> Option<&'a Element> {
        match element.tag.as_str() {
            "ref" => self.by_id(element.attribute("bean").or(element.attribute("local"))?),
            _ => Some(element),
        }
    }

    /// The value of a bean's property; none where it is not said.
    pub fn property<'a>(&'a self, bean: &'a Element, name: &str) -> Option<Setting<'a>> {
        let id = bean.attribute("id").unwrap_or_default();
        if let Some(value) = self.overrides.get(&format!("{id}.{name}")).filter(|_| !id.is_empty()) {
            return plain(value).map(Setting::Text);
        }
        let property = bean.elements().find(|element| {
            element.tag == "property" && element.attribute("name").is_some_and(|known| known.eq_ignore_ascii_case(name))
        });
        let Some(property) = property else {
            // `p:name="…"` is short for a property.
            return bean.attribute(name).and_then(plain).map(Setting::Text);
        };
        if let Some(value) = property.attribute("value") {
            return plain(value).map(Setting::Text);
        }
        let inside = match property.attribute("ref") {
            Some(id) => self.by_id(id)?,
            None => self.resolved(property.elements().next()?)?,
        };
        Some(match inside.tag.as_str() {
            "value" => Setting::Text(plain(&inside.text())?),
            "list" | "set" | "array" => {
                let values = inside.elements().filter(|element| element.tag == "value");
                Setting::List(values.filter_map(|value| plain(value.text().trim())).collect())
            }
            _ => Setting::Bean(inside),
        })
    }

    pub fn text(&self, bean: &Element, name: &str) -> Option<String> {
        match self.property(bean, name)? {
            Setting::Text(text) => Some(text),
            Setting::List(_) | Setting::Bean(_) => None,
        }
    }

    pub fn flag(&self, bean: &Element, name: &str) -> Option<bool> {
        match self.text(bean, name)?.trim() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub fn number<T: std::str::FromStr>(&self, bean: &Element, name: &str) -> Option<T> {
        self.text(bean, name)?.trim().parse().ok()
    }

    /// A list of texts; one text is a list of one.
    pub fn list(&self, bean: &Element, name: &str) -> Option<Vec<String>> {
        match self.property(bean, name)? {
            Setting::List(list) => Some(list),
            Setting::Text(text) => Some(vec![text]),
            Setting::Bean(_) => None,
        }
    }
}

/// A value with its expressions taken for what they stand for: the default of
/// `#{systemEnvironment['X'] ?: default}`, the text of a quoted `#{`. None
/// where only a running crawler could say.
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
    let mut out = String::with_capacity(text.len());
    for character in text.replace("#{", QUOTED_HASH).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // In an attribute they would become blanks.
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
    out
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
