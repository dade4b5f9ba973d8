//! Names in packages and manifests come from others.

/// Whether a relative path stays in its folder, on any system: parts divided
/// by `/`, none of them empty, `.` or `..`; no backslash, drive or control
/// character.
pub fn stays_inside(path: &str) -> bool {
    why_not_inside(path).is_none()
}

/// Why a name is not taken.
pub(super) fn why_not_inside(path: &str) -> Option<&'static str> {
    let drive = |path: &str| path.get(1..2) == Some(":") && path.starts_with(|c: char| c.is_ascii_alphabetic());
    match path {
        "" => Some("the name is empty"),
        _ if path.chars().any(char::is_control) => Some("the name has control characters"),
        _ if path.starts_with('/') => Some("the name is an absolute path"),
        _ if drive(path) => Some("the name begins with a drive"),
        _ if path.contains('\\') => Some("the name has backslashes"),
        _ if path.contains(':') => Some("the name has a colon"),
        _ if path.split('/').any(|part| part == "..") => Some("the name leads out of the folder (“..”)"),
        _ if path.split('/').any(|part| matches!(part, "" | ".")) => Some("the name has empty parts"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_recognised() {
        for fine in ["a", "archive/data.warc.gz", "a b/c..d", "é/…"] {
            assert_eq!(why_not_inside(fine), None, "{fine}");
        }
        for (bad, why) in [
            ("", "empty"),
            ("/etc/passwd", "absolute"),
            ("../x", ".."),
            ("a/../../x", ".."),
            ("a/./x", "empty parts"),
            ("a//x", "empty parts"),
            ("C:/x", "drive"),
            ("c:x", "drive"),
            ("a\\..\\x", "backslashes"),
            ("ab:stream", "colon"),
            ("a\nb", "control"),
            ("a\0b", "control"),
        ] {
            assert!(why_not_inside(bad).is_some_and(|reason| reason.contains(why)), "{bad:?}");
        }
    }
}
