//! Addresses: how deep they are, front pages, and their form.

use crate::uri::Url;

/// Longest part of a form.
const MAX_PART: usize = 40;
/// Files that stand for their folder.
const INDEX: &str = "index.";

/// The parts of the path of a URL; empty for what is no URL.
fn parts(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else { return Vec::new() };
    url.path().split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Parts of the path; an index file is none.
pub fn path_depth(url: &str) -> usize {
    parts(url).iter().filter(|part| !part.to_ascii_lowercase().starts_with(INDEX)).count()
}

/// Whether it is the address of a front page: no path, or that of a language alone; without a query.
pub fn is_front(url: &str) -> bool {
    let Ok(parsed) = Url::parse(url) else { return false };
    if parsed.query().is_some_and(|query| !query.is_empty()) {
        return false;
    }
    let is_language = |part: &str| {
        let mut of = part.split(['-', '_']);
        let is_code = |code: &str| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        of.next().is_some_and(is_code) && of.next().is_none_or(is_code) && of.next().is_none()
    };
    match parts(url).as_slice() {
        [] => true,
        [only] => {
            only.to_ascii_lowercase().starts_with(INDEX) || is_language(only) || only.eq_ignore_ascii_case("home")
        }
        [language, file] => is_language(language) && file.to_ascii_lowercase().starts_with(INDEX),
        _ => false,
    }
}

/// Whether a part of the path begins with a word, such as `login` in `/user/login.php`.
pub fn path_has(url: &str, word: &str) -> bool {
    parts(url).iter().any(|part| {
        let part = part.to_ascii_lowercase();
        part.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

/// Whether the last part of the path is the name of a page about errors, or a part is that of pages that are not there.
pub fn is_of_errors(url: &str) -> bool {
    let parts = parts(url);
    let stem = |part: &String| part.split('.').next().unwrap_or_default().to_ascii_lowercase().replace(['-', '_'], "");
    parts.iter().any(|part| matches!(stem(part).as_str(), "404" | "notfound" | "error404" | "404error"))
        || parts.last().is_some_and(|part| stem(part) == "error")
}

/// The last part of the path that is no index file: copies of a page in folders of languages or versions have one.
pub fn last_part(url: &str) -> &str {
    let parts = path_of(url).rsplit('/').filter(|part| !part.is_empty());
    parts.into_iter().find(|part| !part.to_ascii_lowercase().starts_with(INDEX)).unwrap_or_default()
}

/// The path of a URL without its query; the URL itself where it is none.
pub fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// The form of an address: its first part, a star for each further one, the end of its file, and the names of its
/// parameters. Digits become `0`: `/news/*/*.html?id`.
pub fn address_form(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else { return String::new() };
    let parts = parts(url);
    let mut form = String::new();
    for (nth, part) in parts.iter().enumerate() {
        form.push('/');
        let is_last = nth + 1 == parts.len();
        let end = part.rsplit_once('.').map(|(_, end)| end).filter(|end| is_last && end.len() <= 5 && !end.is_empty());
        match nth {
            0 if parts.len() > 1 => form.push_str(&without_digits(part)),
            _ => form.push('*'),
        }
        if let Some(end) = end {
            form.push('.');
            form.push_str(&end.to_ascii_lowercase());
        }
    }
    if form.is_empty() || parsed.path().ends_with('/') {
        form.push('/');
    }
    let mut names: Vec<String> = parsed.query_pairs().map(|(name, _)| without_digits(&name)).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(6);
    if !names.is_empty() {
        form.push('?');
        form.push_str(&names.join("&"));
    }
    form
}

fn without_digits(part: &str) -> String {
    let mut form = String::new();
    for c in part.chars().take(MAX_PART) {
        match c.is_ascii_digit() {
            true if form.ends_with('0') => {}
            true => form.push('0'),
            false => form.push(c),
        }
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_pages_and_forms_of_addresses() {
        for front in ["http://a.pt/", "http://a.pt/index.html", "http://a.pt/pt/", "http://a.pt/pt-BR/index.php"] {
            assert!(is_front(front), "{front}");
        }
        for other in ["http://a.pt/news", "http://a.pt/?id=3", "http://a.pt/pt/news", "x"] {
            assert!(!is_front(other), "{other}");
        }
        assert_eq!(address_form("http://a.pt/news/2014/05/ria.html?id=3&p=1"), "/news/*/*/*.html?id&p");
        assert_eq!(address_form("http://a.pt/ria"), "/*");
        assert_eq!(address_form("http://a.pt/"), "/");
        assert_eq!(path_depth("http://a.pt/news/index.html"), 1);
        assert!(path_has("http://a.pt/user/login.php", "login") && !path_has("http://a.pt/authors/x", "auth"));
    }
}
