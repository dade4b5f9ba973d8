//! The text of JSON, as a person reads it.

use std::borrow::Cow;

/// JSON with the escapes in its strings resolved (RFC 8259, 7); breaks of lines in them become blanks. What is no JSON,
/// or breaks off, is taken as it stands.
pub(crate) fn text_of_json(json: &str) -> Cow<'_, str> {
    let Some(first) = json.find('\\') else { return Cow::Borrowed(json) };
    let mut out = String::with_capacity(json.len());
    out.push_str(&json[..first]);
    let mut rest = &json[first..];
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(letter) = rest.chars().next() else { break };
        let behind = &rest[letter.len_utf8()..];
        rest = match letter {
            'n' | 'r' | 't' | 'b' | 'f' => {
                out.push(' ');
                behind
            }
            '"' | '/' | '\\' => {
                out.push(letter);
                behind
            }
            'u' => match code_point(behind) {
                Some((letter, len)) => {
                    out.push(letter);
                    &behind[len..]
                }
                None => {
                    out.push('\\');
                    rest
                }
            },
            _ => {
                out.push('\\');
                rest
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The letter of the digits behind `\u`, or of these and a second escape that makes a pair with it, and how many bytes
/// they take. A half without its other one is U+FFFD.
fn code_point(behind: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(behind)?;
    let second = behind.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(unit);
    match (first, second) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
            char::from_u32(0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)).map(|letter| (letter, 10))
        }
        _ => Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_become_letters() {
        for (json, text) in [
            (r#"{"t":"Popula\u00e7\u00e3o"}"#, r#"{"t":"População"}"#),
            (r#"["a\nb", "c\/d", "\"e\"", "\\u00e7"]"#, r#"["a b", "c/d", ""e"", "\u00e7"]"#),
            (r#""\ud83d\ude00 \uD83D x \udc00""#, "\"😀 \u{fffd} x \u{fffd}\""),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""torn \u00e"#, r#""torn \u00e"#),
            (r#""\q \"#, r#""\q "#),
        ] {
            assert_eq!(text_of_json(json), text, "{json}");
        }
    }

    proptest! {
        #[test]
        fn strings_are_read_as_serde_reads_them(text in "\\PC{0,40}") {
            let json = serde_json::to_string(&text).unwrap_or_default();
            let ascii: String = json.chars().flat_map(|letter| {
                let mut units = [0; 2];
                let units = letter.encode_utf16(&mut units).to_vec();
                let is_ascii = letter.is_ascii();
                units.into_iter().map(move |unit| if is_ascii { letter.to_string() } else { format!("\\u{unit:04x}") })
            }).collect();
            prop_assert_eq!(text_of_json(&ascii).into_owned(), format!("\"{text}\""));
        }
    }
}
