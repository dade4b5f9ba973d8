//! Keys of URLs.

use super::text_of;
use fonds::uri::{
    CaptureDate, CdxKey, DatasetKey, Fqdn, PageKey, ScopePrefix, ScopePrefixSet, ScopeSurt, Ssurt, Url,
    parse_typed_url, parse_web_url, resolve,
};

/// Lines of text as URLs, prefixes and dates.
pub fn keys(data: &[u8]) {
    let text = text_of(data);
    let mut prefixes = Vec::new();
    let mut surts = Vec::new();
    for line in text.lines().take(50) {
        if let Some(key) = CdxKey::of_text(line) {
            assert!(!line.trim().is_empty() && !key.as_str().contains('\n'), "{key}");
        }
        DatasetKey::of_text(line);
        Ssurt::of_text(line);
        Ssurt::from_stored(line.to_owned()).to_url();
        surts.extend(ScopeSurt::of_text(line));
        if let Some(prefix) = ScopePrefix::parse(line) {
            if prefix.as_str().starts_with("http://(") {
                assert_eq!(ScopePrefix::parse(prefix.as_str()), Some(prefix.clone()), "{prefix}");
            }
            prefix.remark();
            prefixes.push(prefix);
        }
        prefixes.push(ScopePrefix::implied_by_seed(line));
        if let Ok(date) = CaptureDate::parse(line) {
            assert_eq!(CaptureDate::parse(&date.to_warc()), Ok(date), "{}", date.to_warc());
            assert_eq!(CaptureDate::parse(&date.to_digits17()), Ok(date), "{}", date.to_digits17());
        }
        for url in [parse_typed_url(line), parse_web_url(line)].into_iter().flatten() {
            url_keys(&url);
            if let Some(url) = resolve(&url, line) {
                url_keys(&url);
            }
            surts.push(ScopeSurt::of(&url));
            prefixes.push(ScopePrefix::host_of(&url));
            assert!(
                ScopePrefix::host_of(&url).matches(&ScopeSurt::of(&url))
                    || url.port().is_some()
                    || !url.username().is_empty()
                    || url.password().is_some(),
                "{url}"
            );
        }
    }
    let set = ScopePrefixSet::new(prefixes.iter().cloned());
    for surt in &surts {
        let expected = prefixes.iter().any(|prefix| prefix.matches(surt));
        assert_eq!(set.matches(surt), expected, "{surt}");
        assert_eq!(set.matching(surt).is_some(), expected, "{surt}");
    }
}

fn url_keys(url: &Url) {
    let key = CdxKey::of(url);
    assert!(!key.as_str().contains([' ', '\n', '\r']), "{key}");
    let again = Url::parse(url.as_str()).unwrap();
    assert_eq!(CdxKey::of(&again), key);
    assert_eq!(PageKey::of(&again), PageKey::of(url));
    PageKey::of(url).host_part();
    let dataset = DatasetKey::of(url);
    dataset.host_part();
    dataset.host();
    dataset.likely_url();
    let fqdn = Fqdn::of(url);
    if matches!(url.scheme(), "http" | "https") {
        assert_eq!(Fqdn::name_of(url), fqdn.as_str());
    }
    assert!(fqdn.as_str().ends_with(fqdn.registrable()));
    fqdn.reversed();
    let ssurt = Ssurt::of(url);
    assert_eq!(ssurt.to_url().as_ref(), Some(url), "{ssurt}");
}
