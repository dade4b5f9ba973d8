//! Rust code without its comments and literals, for tests about names.

/// `source` without comments and without the contents of strings and characters; lines keep their numbers.
pub fn code_only(source: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(source.len()), source);
    loop {
        // Only these begin a comment or a literal.
        let (plain, from) = rest.split_at(rest.find(['/', '\'', '"', 'b', 'c', 'r']).unwrap_or(rest.len()));
        code.push_str(plain);
        rest = from;
        let Some(first) = rest.chars().next() else { return code };
        let follows_name = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let skipped = comment_len(rest).or_else(|| char_len(rest)).or_else(|| string_len(rest, follows_name));
        match skipped {
            Some(len) => {
                code.push(' ');
                code.extend(rest[..len].chars().filter(|c| *c == '\n'));
                rest = &rest[len..];
            }
            None => {
                code.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
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

/// Bytes of the string that `rest` begins with: `"…"`, `b"…"`, `c"…"`, and raw ones as `r#"…"#`.
fn string_len(rest: &str, follows_name: bool) -> Option<usize> {
    let letters = rest.len() - rest.trim_start_matches(['b', 'c', 'r']).len();
    let prefix = &rest[..letters];
    if !["", "b", "c", "r", "br", "cr"].contains(&prefix) || (follows_name && letters > 0) {
        return None;
    }
    let is_raw = prefix.ends_with('r');
    let hashes = rest[letters..].chars().take_while(|c| is_raw && *c == '#').count();
    let begin = letters + hashes + 1;
    let inside = rest[letters + hashes..].strip_prefix('"')?;
    if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(inside.find(&end).map_or(rest.len(), |at| begin + at + end.len()));
    }
    let mut is_escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    Some(end.map_or(rest.len(), |at| begin + at + 1))
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
    let keywords = ["let", "str", "r", "b", "format", "fn", "a", "u8"];
    let found: Vec<_> = names(&code).filter(|name| !keywords.contains(name)).collect();
    let expected = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "number", "bar"];
    assert_eq!(found, expected);
}
