//! Names and letters in a page by which checks know walls, placeholders and garbled text.
//!
//! A marker alone proves nothing: of sound articles a third name a consent manager, and a sixth have a CAPTCHA in a form.
//! Checks take one together with what else a page has or lacks.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// The kind of thing that a name in the bytes of a page marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkerKind {
    /// A page that a guard of servers puts before the one that was requested.
    Challenge,
    /// A test that distinguishes people from programs.
    Captcha,
    /// A manager of consents to cookies.
    Consent,
    /// A service that fills domains that are for sale.
    Parking,
}

impl MarkerKind {
    /// Its name in data.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Captcha => "captcha",
            Self::Consent => "consent",
            Self::Parking => "parking",
        }
    }
}

/// Names in scripts, addresses and elements of those services today.
const MARKERS: [(MarkerKind, &str); 42] = [
    (MarkerKind::Challenge, "/cdn-cgi/challenge-platform/"),
    (MarkerKind::Challenge, "_cf_chl_opt"),
    (MarkerKind::Challenge, "geo.captcha-delivery.com"),
    (MarkerKind::Challenge, "/_Incapsula_Resource"),
    (MarkerKind::Challenge, "px-captcha"),
    (MarkerKind::Challenge, "awsWafCookieDomainList"),
    (MarkerKind::Challenge, "ddos-guard"),
    (MarkerKind::Captcha, "g-recaptcha"),
    (MarkerKind::Captcha, "h-captcha"),
    (MarkerKind::Captcha, "cf-turnstile"),
    (MarkerKind::Consent, "cdn.cookielaw.org"),
    (MarkerKind::Consent, "onetrust"),
    (MarkerKind::Consent, "didomi"),
    (MarkerKind::Consent, "usercentrics"),
    (MarkerKind::Consent, "consensu.org"),
    (MarkerKind::Consent, "quantcast"),
    (MarkerKind::Consent, "sourcepoint"),
    (MarkerKind::Consent, "sp-prod.net"),
    (MarkerKind::Consent, "cookiebot"),
    (MarkerKind::Consent, "axeptio"),
    (MarkerKind::Consent, "cookieyes"),
    (MarkerKind::Consent, "termly.io"),
    (MarkerKind::Consent, "iubenda"),
    (MarkerKind::Consent, "trustarc"),
    (MarkerKind::Consent, "klaro"),
    (MarkerKind::Consent, "borlabs-cookie"),
    (MarkerKind::Consent, "tarteaucitron"),
    (MarkerKind::Consent, "cookiefirst"),
    (MarkerKind::Consent, "civiccomputing"),
    (MarkerKind::Consent, "osano"),
    (MarkerKind::Consent, "complianz"),
    (MarkerKind::Consent, "cookie-script.com"),
    (MarkerKind::Consent, "cookiehub"),
    (MarkerKind::Consent, "consentmanager.net"),
    (MarkerKind::Consent, "fundingchoicesmessages.google.com"),
    (MarkerKind::Parking, "sedoparking.com"),
    (MarkerKind::Parking, "parkingcrew.net"),
    (MarkerKind::Parking, "bodis.com"),
    (MarkerKind::Parking, "cdn0.dan.com"),
    (MarkerKind::Parking, "afternic.com"),
    (MarkerKind::Parking, "hugedomains.com"),
    (MarkerKind::Parking, "parklogic.com"),
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = MARKERS.iter().map(|(_, name)| name);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(names).ok()
});

/// Bytes behind `<noscript` that are searched.
const NOSCRIPT_BYTES: usize = 600;

/// The markers that the bytes of a page have, each once, as `kind name`.
pub(super) fn page_markers(body: &[u8]) -> Vec<String> {
    let mut found = [false; MARKERS.len()];
    for hit in FINDER.iter().flat_map(|finder| finder.find_iter(body)) {
        if let Some(found) = found.get_mut(hit.pattern().as_usize()) {
            *found = true;
        }
    }
    let of_page = MARKERS.iter().zip(found).filter(|(_, found)| *found);
    of_page.map(|((kind, name), _)| format!("{} {name}", kind.as_str())).collect()
}

/// Whether a page shows a notice, where no scripts run, that it needs them.
pub(super) fn needs_scripts(body: &[u8]) -> bool {
    memchr::memmem::find_iter(body, "<noscript").any(|at| {
        let rest = body.get(at..body.len().min(at + NOSCRIPT_BYTES)).unwrap_or_default();
        let text = rest.get(..memchr::memmem::find(rest, b"</noscript").unwrap_or(rest.len())).unwrap_or_default();
        memchr::memmem::find(&text.to_ascii_lowercase(), b"javascript").is_some()
    })
}

/// Whether JSON-LD declares that the page is not to be read for free (schema.org
/// `isAccessibleForFree`).
pub(super) fn is_not_free(json_ld: &str) -> bool {
    json_ld.split("isAccessibleForFree").skip(1).any(|behind| {
        let value = behind.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':'));
        value.get(..5).is_some_and(|value| value.eq_ignore_ascii_case("false"))
    })
}

/// Counts letters in a text in the place of bytes of no letter (U+FFFD), and pairs that come of
/// UTF-8 that was taken for Latin letters (`Ã©`, `Â«`, `â€™`, `Ð°`).
pub(super) fn garbled_letters(text: &str) -> [u64; 2] {
    let bytes = text.as_bytes();
    let replaced = memchr::memmem::find_iter(bytes, "\u{fffd}").count() as u64;
    let pairs = memchr::memchr_iter(0xc3, bytes).filter(|at| {
        let behind = bytes.get(at + 1..).unwrap_or_default();
        matches!(behind, [0x82 | 0x83 | 0x90 | 0x91, 0xc2, ..] | [0x83, 0xe2, ..] | [0xa2, 0xe2, 0x82, 0xac, ..])
    });
    [replaced, pairs.count() as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_services_are_found_once() {
        let page =
            b"<script src=https://cdn.cookielaw.org/a.js></script><div class=g-recaptcha></div><div class=g-recaptcha>";
        assert_eq!(page_markers(page), ["captcha g-recaptcha", "consent cdn.cookielaw.org"]);
        assert!(page_markers(b"<p>A page about cookies").is_empty());
        for (_, name) in MARKERS {
            assert!(page_markers(name.as_bytes()).iter().any(|found| found.ends_with(name)), "{name}");
        }
    }

    #[test]
    fn scripts_that_are_needed_and_readers_who_pay_are_known() {
        assert!(needs_scripts(b"<noscript>You need to enable JavaScript to run this app.</noscript>"));
        assert!(!needs_scripts(b"<noscript><img src=x></noscript><p>JavaScript"));
        assert!(is_not_free("{\"isAccessibleForFree\": \"False\"}") && is_not_free("{\"isAccessibleForFree\":false}"));
        assert!(!is_not_free("{\"isAccessibleForFree\":true}") && !is_not_free("isAccessibleForFree"));
    }

    #[test]
    fn garbled_letters_are_counted() {
        assert_eq!(garbled_letters("MANHÃ em São João, «ria» – Ã"), [0, 0]);
        let twice = |text: &str| text.bytes().map(char::from).collect::<String>();
        assert_eq!(garbled_letters(&twice("é ã « а")), [0, 4]);
        assert_eq!(garbled_letters("itâ€™s a \u{fffd}"), [1, 1]);
    }
}
