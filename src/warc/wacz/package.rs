//! Reads `datapackage.json`.

use super::{DATAPACKAGE, WaczProblem};
use serde_json::{Map, Value};

/// Contents of `datapackage.json`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Package {
    /// `data-package`; `multi-wacz-package` for a list of other packages.
    pub profile: String,
    /// The WACZ version, such as `1.1.1`.
    pub wacz_version: String,
    /// Its title.
    pub title: String,
    /// A longer description, in Markdown.
    pub description: String,
    /// Date of creation, unparsed.
    pub created: String,
    /// Date of the last change, unparsed.
    pub modified: String,
    /// The program that made it.
    pub software: String,
    /// The page to begin with.
    pub main_page_url: String,
    /// Date of the main page, unparsed.
    pub main_page_date: String,
    /// The files in it.
    pub resources: Vec<Resource>,
}

/// A file that a package lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// Its path in the package.
    pub path: String,
    /// Algorithm and digest in hexadecimal, `sha256:…`; empty where none is given.
    pub hash: String,
    /// Its length in bytes.
    pub bytes: Option<u64>,
}

impl Package {
    /// The resource of this path.
    pub fn resource(&self, path: &str) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.path == path)
    }

    /// Reads what can be read and lists what cannot.
    pub(super) fn parse(bytes: &[u8], problems: &mut Vec<WaczProblem>) -> Self {
        let mut problem = |what: String| problems.push(WaczProblem::new(DATAPACKAGE, what));
        let object: Map<String, Value> = match serde_json::from_slice(bytes) {
            Ok(object) => object,
            Err(error) => {
                problem(format!("is no JSON object: {error}"));
                return Self::default();
            }
        };
        // WACZ 1.0 kept the title in an object of its own.
        let metadata = object.get("metadata").and_then(Value::as_object);
        let mut text = |names: &[&str]| -> String {
            let places = [Some(&object), metadata];
            let found =
                names.iter().flat_map(|name| places.iter().filter_map(move |map| map.as_ref()?.get(*name))).next();
            match found {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => {
                    problem(format!("“{}” is no text: {}", names[0], clip(&other.to_string())));
                    String::new()
                }
            }
        };
        let mut package = Self {
            profile: text(&["profile"]),
            wacz_version: text(&["wacz_version"]),
            title: text(&["title"]),
            description: text(&["description", "desc"]),
            created: text(&["created"]),
            modified: text(&["modified"]),
            software: text(&["software"]),
            main_page_url: text(&["mainPageUrl", "mainPageURL"]),
            main_page_date: text(&["mainPageDate"]),
            resources: Vec::new(),
        };
        match object.get("resources") {
            Some(Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    match resource(value) {
                        Some(resource) => package.resources.push(resource),
                        None => problem(format!("resource {} has no path: {}", index + 1, clip(&value.to_string()))),
                    }
                }
            }
            _ => problem("has no list of resources".to_owned()),
        }
        package
    }
}

fn resource(value: &Value) -> Option<Resource> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let path = text(value.get("path"))?;
    // WACZ 1.0: {"stats": {"hash": …, "bytes": …}, "hashing": "sha256"}.
    let stats = value.get("stats");
    let of_either = |name: &str| value.get(name).or_else(|| stats?.get(name));
    let mut hash = text(of_either("hash")).unwrap_or_default();
    if !hash.is_empty()
        && !hash.contains(':')
        && let Some(algorithm) = text(value.get("hashing"))
    {
        hash = format!("{algorithm}:{hash}");
    }
    Some(Resource { path, hash, bytes: of_either("bytes").and_then(Value::as_u64) })
}

/// Text of others, cut for a message.
pub(super) fn clip(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
