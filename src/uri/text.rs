//! Parsing of lines of text as URLs, shared by the dialects.

use super::Url;

/// Appends ASCII text in lower case.
pub(super) fn push_lower(key: &mut String, text: &str) {
    let from = key.len();
    key.push_str(text);
    key[from..].make_ascii_lowercase();
}

/// Appends `:8080`.
pub(super) fn push_port(key: &mut String, port: u16) {
    let mut digits = [0u8; 6];
    let mut at = digits.len();
    let mut rest = port;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    at -= 1;
    digits[at] = b':';
    key.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}

/// Whether the text before the first colon is a scheme and no host name:
/// `example.pt:8080/a` and `localhost:8080` name a host and a port.
pub(super) fn has_scheme(text: &str) -> bool {
    let Some((before, after)) = text.split_once(':') else {
        return false;
    };
    let is_name = before.starts_with(|c: char| c.is_ascii_alphabetic())
        && before.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if !is_name || before.contains('.') {
        return false;
    }
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = digits > 0 && after[digits..].bytes().next().is_none_or(|b| matches!(b, b'/' | b'?' | b'#'));
    !is_port
}

/// Parses a URL as people type it: `//host/x` and `host/x` are read as http.
pub(super) fn parse_loose(line: &str) -> Option<Url> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("//") {
        return Url::parse(&format!("http://{rest}")).ok();
    }
    if has_scheme(line) {
        return Url::parse(line).ok();
    }
    // A path or fragment alone names no host.
    if line.is_empty() || line.starts_with(['/', '#', '?', '\\']) {
        return None;
    }
    Url::parse(&format!("http://{line}")).ok()
}

/// Port 21 where an ftp URL spells it out.
pub(super) fn typed_ftp_port(line: &str) -> Option<u16> {
    let authority = line.get(..6).filter(|scheme| scheme.eq_ignore_ascii_case("ftp://")).map(|_| &line[6..])?;
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.ends_with(":21").then_some(21)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_distinguished_from_a_host() {
        for (text, expected) in [
            ("http://a", true),
            ("mailto:a@b.pt", true),
            ("example.pt:8080/a", false),
            ("localhost:8080", false),
            ("localhost:8080/x", false),
            ("tel:351123456789x", true),
            ("www.example.pt", false),
        ] {
            assert_eq!(has_scheme(text), expected, "{text}");
        }
    }

    #[test]
    fn ports_are_written() {
        for port in [0, 1, 80, 8080, u16::MAX] {
            let mut key = String::new();
            push_port(&mut key, port);
            assert_eq!(key, format!(":{port}"));
        }
    }
}
