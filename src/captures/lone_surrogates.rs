//! Halves of characters in JSON: texts that were cut after so many UTF-16 code
//! units, as Java does, may end in the first half of a surrogate pair
//! (`\ud83d`). No text holds that, so JSON readers refuse the whole line; here
//! a half becomes the sign for what cannot be read.

use std::borrow::Cow;

/// As long as an escape, so that offsets stay.
const UNREADABLE: &[u8] = b"\\ufffd";

/// The JSON with `\ufffd` in the place of each half of a character.
pub(crate) fn without_halves(json: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += found;
        let (is_half, length) = match (unit_at(json, at), unit_at(json, at + UNREADABLE.len())) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (false, 2 * UNREADABLE.len()),
            (Some(0xd800..=0xdfff), _) => (true, UNREADABLE.len()),
            _ => (false, 2),
        };
        if is_half && let Some(place) = mended.get_or_insert_with(|| json.to_vec()).get_mut(at..at + length) {
            place.copy_from_slice(UNREADABLE);
        }
        at += length;
    }
    mended.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// The UTF-16 code unit of an escape at this place.
fn unit_at(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + UNREADABLE.len())?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit: u16, &digit| Some(unit << 4 | char::from(digit).to_digit(16)? as u16))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_become_the_sign_for_what_cannot_be_read() {
        for (json, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\uDE00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ud83d\n\\ud83d""#, "\u{fffd}\n\\ud83d"),
            (r#""\u00e9 😀""#, "é 😀"),
        ] {
            let read: String = serde_json::from_slice(&without_halves(json.as_bytes())).unwrap();
            assert_eq!(read, text, "{json}");
        }
        for json in ["\"\\", "\"\\u", "\"\\ud83", "\\ud83d\\u"] {
            without_halves(json.as_bytes());
        }
    }

    proptest! {
        /// Texts cut anywhere between code units can be read up to there.
        #[test]
        fn a_text_cut_within_a_character_is_read_up_to_there(text in ".{1,12}", cut in 0_usize..12) {
            let units: Vec<u16> = text.encode_utf16().take(cut).collect();
            let json: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let read: String = serde_json::from_slice(&without_halves(format!("\"{json}\"").as_bytes())).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
