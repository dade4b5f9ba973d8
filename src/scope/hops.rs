//! Paths from the seed, one letter a hop, as Heritrix stores them.

use super::Candidate;

/// Letters of a path that are stored; of a longer one the last, behind how
/// many there were before (`12+LLRL…`).
pub const MAX_HOPS_STORED: usize = 50;

/// Redirects in a row that are followed.
pub const MAX_REDIRECTS: usize = 20;

/// Name in logs of the verdict that ends a chain of redirects.
pub const TOO_MANY_REDIRECTS: &str = "TooManyRedirectsDecideRule";

/// The number of hops of a path.
pub fn hop_count(hops: &str) -> usize {
    let (before, letters) = split(hops);
    before.saturating_add(letters.len())
}

/// The path that is one hop longer.
pub fn with_hop(hops: &str, hop: char) -> String {
    let (before, letters) = split(hops);
    let cut = (letters.len() + 1).saturating_sub(MAX_HOPS_STORED);
    let letters = letters.get(cut..).unwrap_or_default();
    match before.saturating_add(cut) {
        0 => format!("{letters}{hop}"),
        before => format!("{before}+{letters}{hop}"),
    }
}

/// The name of the verdict that refuses a URL whatever the rules decide: one
/// behind a chain of redirects that may have no end.
pub fn refused_anyway(candidate: &Candidate) -> Option<&'static str> {
    let (_, letters) = split(&candidate.hops);
    let redirects = letters.bytes().rev().take_while(|&hop| hop == b'R').count();
    (redirects > MAX_REDIRECTS).then_some(TOO_MANY_REDIRECTS)
}

/// The number of hops that are not stored, and the letters of the others.
fn split(hops: &str) -> (usize, &str) {
    match hops.split_once('+') {
        Some((before, letters)) => (before.parse().unwrap_or(0), letters),
        None => (0, hops),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_last_letters_and_its_length() {
        let (mut hops, mut all) = (String::new(), String::new());
        for (number, hop) in "LERMP".chars().cycle().take(120).enumerate() {
            hops = with_hop(&hops, hop);
            all.push(hop);
            assert_eq!(hop_count(&hops), number + 1, "{hops}");
            let stored = &all[all.len().saturating_sub(50)..];
            assert!(hops.ends_with(stored), "{hops}");
            assert_eq!(hops.len() > 50, hops.starts_with(&format!("{}+", all.len().saturating_sub(50))), "{hops}");
        }
        assert_eq!(with_hop(&"L".repeat(50), 'R'), format!("1+{}R", "L".repeat(49)));
        assert_eq!(with_hop("12+LL", 'E'), "12+LLE");
    }

    #[test]
    fn a_chain_of_redirects_ends_after_twenty() {
        for (hops, refused) in [
            ("L".to_owned() + &"R".repeat(20), false),
            ("R".repeat(21), true),
            ("R".repeat(21) + "L", false),
            (format!("7+L{}", "R".repeat(49)), true),
        ] {
            let candidate =
                Candidate { hops: hops.clone(), ..Candidate::bare(crate::uri::Url::parse("http://a.pt/").unwrap()) };
            assert_eq!(refused_anyway(&candidate).is_some(), refused, "{hops}");
        }
    }
}
