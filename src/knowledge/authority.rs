//! Authority files: lists of persons, places, organisations and events with their names, as statements (SKOS and the
//! like) or as tables.
//!
//! Hostile text: lines, columns and statements are counted; nothing is followed that is not in the file.

use super::read_specification::{Known, RdfSyntax};
use crate::analysis::entities::{EntityKind, NamedEntity};

/// Entities that are read of one file, at most.
const MAX_ENTITIES: usize = 500_000;
/// Names of one entity, at most.
const MAX_NAMES: usize = 1_000;
/// Letters of a name, at most.
const MAX_NAME_CHARS: usize = 200;

/// Names of properties that give the shown name, the last part of their IRI.
const NAMES: [&str; 5] = ["prefLabel", "label", "name", "officialName", "title"];
/// Those that give other names.
const OTHER_NAMES: [&str; 7] =
    ["altLabel", "hiddenLabel", "alternateName", "alias", "nick", "shortName", "colloquialName"];

/// Reads entities of statements: each subject that has a label.
///
/// # Errors
///
/// What is wrong with the file, where, and what to do.
pub fn authority_of_statements(text: &str, syntax: RdfSyntax) -> Result<Vec<NamedEntity>, String> {
    let known = Known::read(text, syntax)?;
    let mut entities = Vec::new();
    for (subject, properties) in known.subjects() {
        let mut entity = NamedEntity::default();
        let mut names: Vec<String> = Vec::new();
        for (property, value) in properties {
            let last = property.rsplit(['/', '#']).next().unwrap_or(property);
            if NAMES.contains(&last) {
                names.push(value.to_owned());
            } else if OTHER_NAMES.contains(&last) {
                entity.aliases.push(value.to_owned());
            } else if last == "type" && entity.kind == EntityKind::Unknown {
                entity.kind = EntityKind::of_name(value).unwrap_or_default();
            }
        }
        let mut names = names.into_iter();
        let Some(first) = names.next() else { continue };
        entity.aliases.splice(0..0, names);
        entity.name = first;
        if !subject.starts_with("_:") {
            subject.clone_into(&mut entity.uri);
        }
        entities.push(entity);
    }
    finished(entities, "no subject has a label, such as skos:prefLabel")
}

/// Reads entities of a table with a head line: `name`, and if there are such columns `uri`, `kind` and `aliases`
/// (parted by `;` or `|`). Further columns whose name begins with `name`, `label` or `alias`, as `name_en`, have names, too.
///
/// # Errors
///
/// What is wrong with the file, where, and what to do.
pub fn authority_of_table(text: &str) -> Result<Vec<NamedEntity>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let head = text.lines().next().unwrap_or_default();
    let separator = [',', ';', '\t'].into_iter().max_by_key(|sign| head.matches(*sign).count()).unwrap_or(',');
    let mut rows = table_rows(text, separator)?.into_iter();
    let columns = rows.next().unwrap_or_default();
    let columns: Vec<String> = columns.iter().map(|name| name.trim().to_lowercase()).collect();
    let position = |names: &[&str]| columns.iter().position(|column| names.contains(&column.as_str()));
    let name = position(&["name", "label", "preflabel", "title"]);
    let uri = position(&["uri", "iri", "url", "id", "wikidata"]);
    let kind = position(&["kind", "type", "class"]);
    let is_of_names =
        |column: &str| ["name", "label", "alias", "altlabel", "other"].iter().any(|begin| column.starts_with(begin));
    let others: Vec<usize> = (0..columns.len())
        .filter(|at| Some(*at) != name && columns.get(*at).is_some_and(|column| is_of_names(column)))
        .collect();
    let Some(name) = name else {
        return Err("line 1: no column is called “name”; the head line has to name the columns: name,uri,kind,aliases"
            .to_owned());
    };
    let mut entities = Vec::new();
    for (line, row) in (2..).zip(rows) {
        let cell = |at: Option<usize>| at.and_then(|at| row.get(at)).map_or("", |cell| cell.trim());
        let kind = match cell(kind) {
            "" => EntityKind::Unknown,
            written => EntityKind::of_name(written).ok_or_else(|| {
                format!("row {line}: “{written}” is no kind; kinds are person, place, organisation, event")
            })?,
        };
        let aliases =
            others.iter().flat_map(|at| cell(Some(*at)).split([';', '|'])).map(|alias| alias.trim().to_owned());
        let aliases = aliases.collect();
        entities.push(NamedEntity { uri: cell(uri).to_owned(), kind, name: cell(Some(name)).to_owned(), aliases });
    }
    finished(entities, "the table has no row with a name")
}

/// Entities of another source as authority files have them: with a name, each name once, no more than files may have.
///
/// # Errors
///
/// There are more than may be.
pub fn checked_entities(entities: Vec<NamedEntity>) -> Result<Vec<NamedEntity>, String> {
    if entities.is_empty() { Ok(entities) } else { finished(entities, "no entity has a name") }
}

/// Entities with a name, each name once.
fn finished(mut entities: Vec<NamedEntity>, without: &str) -> Result<Vec<NamedEntity>, String> {
    let is_name = |name: &str| name.chars().any(char::is_alphanumeric) && name.chars().count() <= MAX_NAME_CHARS;
    for entity in &mut entities {
        if !is_name(&entity.name) && !entity.aliases.is_empty() {
            entity.name = entity.aliases.remove(0);
        }
        let mut seen = std::collections::HashSet::from([entity.name.clone()]);
        entity.aliases.retain(|alias| is_name(alias) && seen.insert(alias.clone()));
        entity.aliases.truncate(MAX_NAMES);
    }
    entities.retain(|entity| is_name(&entity.name));
    match entities.len() {
        0 => Err(format!("nothing to load: {without}")),
        len if len > MAX_ENTITIES => {
            Err(format!("there are more than {MAX_ENTITIES} entities; load those that matter"))
        }
        _ => Ok(entities),
    }
}

/// The rows of a table (RFC 4180): cells may be in quotation marks, with line breaks and doubled marks in them.
fn table_rows(text: &str, separator: char) -> Result<Vec<Vec<String>>, String> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut line, mut opened) = (false, 1, 1);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                (is_quoted, opened) = (true, line);
                cell.clear();
            }
            '\r' if !is_quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c if c == separator && !is_quoted => row.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    if is_quoted {
        return Err(format!("line {opened}: a quotation mark is not closed"));
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows.retain(|row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty()));
    Ok(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_names_in_its_columns() {
        let table = "\u{feff}name;uri;kind;aliases;name_en\r\n\"Vaz; Amélia\";urn:x:1;person;A. Vaz|Amélia;\n\nGrécia;;place;;Greece\n";
        let read = authority_of_table(table).unwrap();
        let names: Vec<Vec<&str>> = read.iter().map(|entity| entity.names().collect()).collect();
        assert_eq!(names, [vec!["Vaz; Amélia", "A. Vaz", "Amélia"], vec!["Grécia", "Greece"]]);
        assert_eq!(
            (read[0].uri.as_str(), read[0].kind, read[1].kind),
            ("urn:x:1", EntityKind::Person, EntityKind::Place)
        );
        for (wrong, why) in [
            ("a,b\n1,2\n", "no column is called"),
            ("name,kind\nX,wizard\n", "row 2: “wizard” is no kind"),
            ("name\n\"open\n", "line 2: a quotation mark"),
            ("name\n", "nothing to load"),
        ] {
            assert!(authority_of_table(wrong).unwrap_err().contains(why), "{wrong}");
        }
    }

    #[test]
    fn statements_have_names_in_labels() {
        let skos = "<urn:x:gr> <http://www.w3.org/2004/02/skos/core#prefLabel> \"Grécia\"@pt .\n\
            <urn:x:gr> <http://www.w3.org/2004/02/skos/core#altLabel> \"Griechenland\"@de .\n\
            <urn:x:gr> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Place> .\n\
            <urn:x:none> <http://www.w3.org/2004/02/skos/core#broader> <urn:x:gr> .\n";
        let read = authority_of_statements(skos, RdfSyntax::NQuads).unwrap();
        let expected = NamedEntity {
            uri: "urn:x:gr".to_owned(),
            kind: EntityKind::Place,
            name: "Grécia".to_owned(),
            aliases: vec!["Griechenland".to_owned()],
        };
        assert_eq!(read, [expected]);
        assert!(authority_of_statements("<a> <b> .", RdfSyntax::NQuads).unwrap_err().contains("line 1"));
    }
}
