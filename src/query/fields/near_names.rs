//! A name that does not exist is answered with those that a person may have meant.

/// The names that are nearest to one, the nearest first, three at most: those
/// that begin with it or differ by few letters. None where nothing is near.
pub fn nearest_names<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    // A third of the letters may be wrong, one in any name.
    let most = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|known| {
            let distance = strsim::osa_distance(&name, known);
            let begins = known.starts_with(&name) || (known.len() > 2 && name.starts_with(known));
            (distance <= most || begins).then_some((distance, known))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, known)| known).take(3).collect()
}

/// Why a name is no field: what was perhaps meant, how the text itself is
/// looked for, and every field.
pub fn unknown_field<'a>(name: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let near = nearest_names(name, names.clone());
    let meant = match near.as_slice() {
        [] => String::new(),
        near => format!(" (did you mean {}?)", near.join(" or ")),
    };
    let names: Vec<&str> = names.into_iter().collect();
    format!(
        "“{name}” is no field{meant}; to look for the text itself, put it in quotes. Fields are {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_field_name_is_understood() {
        let names = ["host", "lang", "date", "title", "inlinks", "inlinks.ext", "collection", "file", "file_rule"];
        for (name, expected) in [
            ("hots", vec!["host"]),
            ("Titel", vec!["title"]),
            ("language", vec!["lang"]),
            ("inlink", vec!["inlinks", "inlinks.ext"]),
            ("colection", vec!["collection"]),
            ("fil", vec!["file", "file_rule"]),
            ("colour", vec![]),
        ] {
            assert_eq!(nearest_names(name, names), expected, "{name}");
        }
        assert!(unknown_field("hots", names).starts_with("“hots” is no field (did you mean host?); to look"));
        assert!(unknown_field("colour", names).contains("is no field; to look"));
    }
}
