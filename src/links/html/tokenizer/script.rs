//! Finds the ends of comments, scripts and other text elements.

use super::ends_tag_name;

/// Whether a tag of this name begins here, its start and name (`</title`)
/// given in lower case.
fn begins_tag(rest: &[u8], tag: &[u8]) -> bool {
    rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
        && rest.get(tag.len()).is_some_and(|&byte| ends_tag_name(byte))
}

/// Where the end tag of the element whose content begins at `at` begins.
pub(super) fn end_tag_of(name: &[u8], bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'<', bytes.get(at..)?)?;
        let rest = bytes.get(at + 1..)?;
        let is_end = rest.first() == Some(&b'/')
            && rest.get(1..=name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && rest.get(name.len() + 1).is_some_and(|&byte| ends_tag_name(byte));
        if is_end {
            return Some(at);
        }
        at += 1;
    }
}

/// The same for a script, in which an end tag may be part of the script: after
/// `<!--` a script inside the script has an end tag of its own (HTML standard,
/// 13.2.5.15 to 13.2.5.31).
pub(super) fn script_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'<', bytes.get(at..)?)?;
        let rest = bytes.get(at..)?;
        if begins_tag(rest, b"</script") {
            return Some(at);
        }
        if rest.starts_with(b"<!--") {
            match end_of_escaped(bytes, at + 4)? {
                Escaped::Script(end) => return Some(end),
                Escaped::Comment(behind) => at = behind,
            }
        } else {
            at += 1;
        }
    }
}

enum Escaped {
    /// The end tag of the script begins here.
    Script(usize),
    /// The comment is over before here.
    Comment(usize),
}

/// What ends the “escaped” part of a script; the two dashes that begin it may
/// be those that end it.
fn end_of_escaped(bytes: &[u8], mut at: usize) -> Option<Escaped> {
    let mut in_inner_script = false;
    loop {
        at += memchr::memchr2(b'<', b'>', bytes.get(at..)?)?;
        let (before, rest) = bytes.split_at_checked(at)?;
        if rest.first() == Some(&b'>') {
            at += 1;
            if before.ends_with(b"--") {
                return Some(Escaped::Comment(at));
            }
        } else if begins_tag(rest, b"</script") {
            if !in_inner_script {
                return Some(Escaped::Script(at));
            }
            in_inner_script = false;
            at += b"</script>".len();
        } else if !in_inner_script && begins_tag(rest, b"<script") {
            in_inner_script = true;
            at += b"<script>".len();
        } else {
            at += 1;
        }
    }
}

/// The place behind the comment whose content begins at `start`.
pub(super) fn comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let content = bytes.get(start..)?;
    memchr::memchr_iter(b'>', content)
        .find(|&at| {
            let before = content.get(..at).unwrap_or_default();
            // `<!-->` and `<!--->` are whole comments too.
            matches!(before, b"" | b"-") || before.ends_with(b"--") || before.ends_with(b"--!")
        })
        .map(|at| start + at + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_script(script: &str, left: &str) {
        let end = script_end(script.as_bytes(), 0).map_or("", |end| &script[end..]);
        assert_eq!(end, left, "{script}");
    }

    #[test]
    fn scripts_end_where_browsers_end_them() {
        check_script("a<b</scriptx></SCRIPT\n>c", "</SCRIPT\n>c");
        check_script("<!--</script>-->", "</script>-->");
        check_script("<!--<script></script>--></script>", "</script>");
        check_script("<!--<script></script></script>-->", "</script>-->");
        check_script("<!--<script>--></script>", "</script>");
        check_script("<!--><script></script>a</script>", "</script>a</script>");
        check_script("<!--<scripts></script>", "</script>");
        check_script("<!--<script></script", "");
        check_script("</script", "");
    }

    #[test]
    fn comments_end_where_browsers_end_them() {
        for (comment, left) in [
            (">a", "a"),
            ("->a", "a"),
            ("-->a", "a"),
            ("!>-->a", "a"),
            ("-!>-->a", "a"),
            ("--!>a", "a"),
            (" <!-->a", "a"),
            (" <!->-->a", "a"),
            (" --!->-->a", "a"),
            ("x--", ""),
        ] {
            assert_eq!(comment_end(comment.as_bytes(), 0).map_or("", |end| &comment[end..]), left, "{comment}");
        }
    }
}
