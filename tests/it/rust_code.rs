//! Rust code without its comments and literals, for tests about names.

/// `source` without comments and without the contents of strings and characters; lines keep their numbers.
pub fn code_only(source: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(source.len()), source);
    // Only these begin a comment or a literal.
    while let Some(at) = rest.find(['/', '\'', '"']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = match rest.as_bytes()[0] {
            b'/' => comment_len(rest),
            b'"' => Some(string_len(rest, raw_hashes(&code))),
            _ => char_len(rest),
        };
        code.push(' ');
        let (skipped, from) = rest.split_at(skipped.unwrap_or(1));
        code.extend(skipped.chars().filter(|c| *c == '\n'));
        rest = from;
    }
    code + rest
}

/// Names in code, keywords too, in the order of the text.
pub fn names(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty())
}

/// Bytes of the comment that `rest` begins with; block comments may contain others.
fn comment_len(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match rest.as_bytes().get(at..at + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") if depth > 0 => depth -= 1,
            Some(_) if depth > 0 => {
                at += 1;
                continue;
            }
            Some(_) => return None,
            None => return (depth > 0).then_some(rest.len()),
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Bytes of the character that `rest` begins with; `'a` alone is a lifetime.
fn char_len(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    let least = if first == '\\' { 2 } else { first.len_utf8() };
    let end = least + inside.get(least..)?.find('\'')?;
    (first == '\\' || (first != '\'' && end == least)).then_some(end + 2)
}

/// The hashes of the raw string that begins after `code`, as of `r#"`; none where it is no raw one.
fn raw_hashes(code: &str) -> Option<usize> {
    let before = code.trim_end_matches('#');
    let prefix = &before[before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()..];
    ["r", "br", "cr"].contains(&prefix).then(|| code.len() - before.len())
}

/// Bytes of the string that `rest` begins with, its quotes included.
fn string_len(rest: &str, raw_hashes: Option<usize>) -> usize {
    if let Some(hashes) = raw_hashes {
        let end = format!("\"{}", "#".repeat(hashes));
        return rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len());
    }
    let mut is_escaped = false;
    let end = rest[1..].bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |at| at + 2)
}

#[test]
fn names_are_those_outside_of_comments_and_literals() {
    let source = r####"
        let one: &'two str = "no \" no"; // no
        /* no /* no */ no */ let three = r#"no " no"#; let r#four = b'"'; let five = '"'; let six = '\'';
        let seven = br##"no "# no"##; let eight = c"no
        no"; let nine = "no \\"; format!("{no}"); fn ten<'a>(number: u8, bar: &'a str) {}
    "####;
    let code = code_only(source);
    assert_eq!(code.lines().count(), source.lines().count());
    let keywords = ["let", "str", "r", "br", "b", "c", "format", "fn", "a", "u8"];
    let found: Vec<_> = names(&code).filter(|name| !keywords.contains(name)).collect();
    let expected = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "number", "bar"];
    assert_eq!(found, expected);
}
