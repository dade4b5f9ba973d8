//! Links in the fields of an answer: `Link` (RFC 8288) and `Refresh`.

use super::html::{kind_of_rel, refresh_url};
use super::page::LinkKind;

/// Links of one answer that are read.
const MAX_HEADER_LINKS: usize = 1000;

/// A reference in the head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderLink {
    /// What kind of link it is.
    pub(crate) kind: LinkKind,
    /// As it is written.
    pub(crate) reference: String,
    /// Its link types, in lower case.
    pub(crate) rel: String,
}

/// The links of `Link` fields, in their order, and of a `Refresh` field.
pub(crate) fn header_links<'f>(
    links: impl IntoIterator<Item = std::borrow::Cow<'f, str>>,
    refresh: Option<&str>,
) -> Vec<HeaderLink> {
    let mut found = Vec::new();
    for field in links {
        let mut rest = &*field;
        while found.len() < MAX_HEADER_LINKS
            && let Some((reference, parameters)) = rest.split_once('<').and_then(|(_, behind)| behind.split_once('>'))
        {
            let (rel, behind) = rel_of(parameters);
            if let Some(kind) = kind_of_rel(&rel) {
                found.push(HeaderLink { kind, reference: reference.trim().to_owned(), rel });
            }
            rest = behind;
        }
    }
    if let Some(reference) = refresh.and_then(refresh_url) {
        found.push(HeaderLink { kind: LinkKind::MetaRefresh, reference: reference.to_owned(), rel: String::new() });
    }
    found
}

/// The first `rel` among the parameters of a link, and what stands behind the comma that ends them.
fn rel_of(parameters: &str) -> (String, &str) {
    let (mut rel, mut begin, mut is_quoted) = (None, 0, false);
    let mut take = |parameter: &str| {
        let Some((name, value)) = parameter.split_once('=') else { return };
        if name.trim().eq_ignore_ascii_case("rel") && rel.is_none() {
            rel = Some(value.trim().trim_matches('"').trim().to_ascii_lowercase());
        }
    };
    let mut end = parameters.len();
    let mut bytes = parameters.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_quoted => drop(bytes.next()),
            b'"' => is_quoted = !is_quoted,
            b';' | b',' if !is_quoted => {
                take(parameters.get(begin..at).unwrap_or_default());
                begin = at + 1;
                if byte == b',' {
                    end = at + 1;
                    break;
                }
            }
            _ => {}
        }
    }
    if end == parameters.len() && begin < end {
        take(parameters.get(begin..).unwrap_or_default());
    }
    (rel.unwrap_or_default(), parameters.get(end..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_fields_are_split_where_links_end() {
        let fields = [
            "</a,b>; rel=preload; as=image, <c>;rel=\"next x\"; title=\"one, <no>; rel=no\", <d>",
            "<//cdn.pt>; rel=preconnect, <e>; rev=x",
            "no link",
            "<unclosed",
        ];
        let found = header_links(fields.map(std::borrow::Cow::Borrowed), Some("3; URL='r'"));
        let found: Vec<_> = found.iter().map(|link| (link.reference.as_str(), link.kind, link.rel.as_str())).collect();
        assert_eq!(
            found,
            [
                ("/a,b", LinkKind::Stylesheet, "preload"),
                ("c", LinkKind::LinkElement, "next x"),
                ("d", LinkKind::LinkElement, ""),
                ("e", LinkKind::LinkElement, ""),
                ("r", LinkKind::MetaRefresh, ""),
            ]
        );
        assert_eq!(header_links([], Some("5")), []);
    }
}
