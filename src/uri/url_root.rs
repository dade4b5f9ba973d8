//! URLs of a host that was read before, made without reading its name again.

use super::Url;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// What URLs of one scheme, host and port begin with.
///
/// Why: a million URLs that are decided again are mostly spelled as a parser
/// would spell them. To see that takes one look at their bytes, a tenth of the
/// time of parsing.
#[derive(Debug, Clone)]
pub struct UrlRoot {
    /// `http://fct.pt:8080/`
    text: Box<str>,
    scheme_end: u32,
    host_end: u32,
    port: Option<u16>,
}

impl UrlRoot {
    /// The root that a URL stands under; none for what has no domain name on
    /// the web, or a user in it.
    pub fn of(url: &Url) -> Option<Self> {
        let is_plain =
            matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
        let host = url.domain().filter(|_| is_plain)?;
        let path_start = url.as_str().len() - url[url::Position::BeforePath..].len();
        let text = format!("{}/", &url.as_str()[..path_start]).into_boxed_str();
        let scheme_end = url.scheme().len();
        let at = |at: usize| u32::try_from(at).ok();
        Some(Self { text, scheme_end: at(scheme_end)?, host_end: at(scheme_end + 3 + host.len())?, port: url.port() })
    }

    /// The URL of this text, where it stands under this root and is spelled as
    /// parsing leaves it; all others have to be parsed.
    pub fn url(&self, text: &str) -> Option<Url> {
        let rest = text.strip_prefix(&*self.text)?;
        let query_start = plain_query_start(rest.as_bytes())?;
        let authority_start = self.scheme_end + 3;
        let rest_start = u32::try_from(self.text.len()).ok().filter(|_| u32::try_from(text.len()).is_ok())?;
        let parts = Parts {
            text: Some(text.to_owned()),
            next: 0,
            numbers: [self.scheme_end, authority_start, authority_start, self.host_end, rest_start - 1],
            port: self.port,
            query_start: query_start.and_then(|at| u32::try_from(at).ok()).map(|at| rest_start + at),
        };
        Url::deserialize_internal(parts).ok()
    }
}

/// Whether a byte of a path stays as it is, or may have a meaning to a parser.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_word = (byte as u8).is_ascii_alphanumeric();
        let is_mark = matches!(
            byte as u8,
            b'-' | b'_'
                | b'.'
                | b'~'
                | b'!'
                | b'$'
                | b'&'
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b':'
                | b'@'
                | b'/'
                | b'%'
        );
        plain[byte] = is_word || is_mark;
        byte += 1;
    }
    plain
};

/// Where the query begins in what stands behind the first slash, if anywhere;
/// `None` where a parser might change a byte of it.
fn plain_query_start(rest: &[u8]) -> Option<Option<usize>> {
    let mut before = b'/';
    for (at, &byte) in rest.iter().enumerate() {
        if byte == b'?' {
            let is_plain = |byte: &u8| PLAIN[usize::from(*byte)] || *byte == b'?';
            return rest[at + 1..].iter().all(is_plain).then_some(Some(at));
        }
        // Segments that begin so may be `.` or `..`, in one of their spellings.
        if !PLAIN[usize::from(byte)] || before == b'/' && matches!(byte, b'.' | b'%') {
            return None;
        }
        before = byte;
    }
    Some(None)
}

/// A URL's parts in the order in which [`Url::deserialize_internal`] takes
/// them: the text, where its parts begin and end, and what they are.
struct Parts {
    text: Option<String>,
    next: u8,
    numbers: [u32; 5],
    port: Option<u16>,
    query_start: Option<u32>,
}

enum Part {
    Text(String),
    Number(u32),
    Domain,
    Port(Option<u16>),
    Place(Option<u32>),
}

impl<'de> Deserializer<'de> for Parts {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Parts {
    type Error = Error;

    fn next_element_seed<T: serde::de::DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let part = match self.next {
            0 => Part::Text(self.text.take().unwrap_or_default()),
            at @ 1..=4 => Part::Number(self.numbers[usize::from(at) - 1]),
            5 => Part::Domain,
            6 => Part::Port(self.port),
            7 => Part::Number(self.numbers[4]),
            8 => Part::Place(self.query_start),
            9 => Part::Place(None),
            _ => return Ok(None),
        };
        self.next += 1;
        seed.deserialize(part).map(Some)
    }
}

impl<'de> Deserializer<'de> for Part {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Text(text) => visitor.visit_string(text),
            Self::Number(number) => visitor.visit_u32(number),
            Self::Domain => visitor.visit_enum(StrDeserializer::new("Domain")),
            Self::Port(Some(port)) => visitor.visit_some(port.into_deserializer()),
            Self::Place(Some(place)) => visitor.visit_some(place.into_deserializer()),
            Self::Port(None) | Self::Place(None) => visitor.visit_none(),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether it was made; it then is what parsing gives, in all its parts.
    #[track_caller]
    fn check(root: &str, text: &str) -> bool {
        let Some(url) = UrlRoot::of(&Url::parse(root).unwrap()).and_then(|root| root.url(text)) else { return false };
        let parsed = Url::parse(text).unwrap();
        assert_eq!(url.as_str(), parsed.as_str());
        // All places in the text, which comparing URLs leaves out.
        assert_eq!(format!("{url:?}"), format!("{parsed:?}"), "{text}");
        let spelled = |url: &Url| {
            let mut bytes = Vec::new();
            url.serialize_internal(&mut serde_json::Serializer::new(&mut bytes)).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(spelled(&url), spelled(&parsed), "{text}");
        true
    }

    #[test]
    fn a_url_made_of_its_root_is_the_one_that_is_parsed() {
        for (root, text) in [
            ("http://fct.pt/", "http://fct.pt/"),
            ("http://fct.pt/x?y", "http://fct.pt/a/b.html?id=1&x=%C3%A7?y"),
            ("http://fct.pt/", "http://fct.pt/?"),
            ("http://fct.pt/", "http://fct.pt//a//b"),
            ("http://fct.pt:8080/x", "http://fct.pt:8080/a/b?c=/../d"),
            ("https://fct.pt/#f", "https://fct.pt/a%2Fb;c=d/~user/x..y."),
            ("https://xn--a-0ga.pt/", "https://xn--a-0ga.pt/a"),
        ] {
            assert!(check(root, text), "{text} is parsed again");
        }
    }

    #[test]
    fn what_a_parser_might_change_is_parsed() {
        for text in [
            "http://fct.pt/a/./b/../c",
            "http://fct.pt/.",
            "http://fct.pt/%2e%2E/a",
            "http://fct.pt/a b?c d#e",
            "http://fct.pt/a#e",
            "http://fct.pt/?q=a'b\"c<d>",
            "http://fct.pt/'x'|{y}",
            "http://fct.pt/a\\b",
            "http://fct.pt/a\tb",
            "http://fct.pt/\u{e7}",
            "http://fct.pt:80/a",
            "http://fct.pt:8080/a",
            "http://me@fct.pt/a",
            "http://fct.ptx/",
            "http://fct.pt",
            "https://fct.pt/a",
            "HTTP://fct.pt/a",
            "dns:fct.pt",
            "",
        ] {
            assert!(!check("http://fct.pt/", text), "{text}");
        }
        for root in ["http://me@fct.pt/", "http://192.0.2.1/", "http://[2001:db8::1]/", "ftp://fct.pt/", "dns:fct.pt"] {
            assert!(UrlRoot::of(&Url::parse(root).unwrap()).is_none(), "{root}");
        }
    }

    proptest! {
        #[test]
        fn any_rest_gives_what_parsing_gives(rest in "([ -~]|[./%2eE?]|\\PC){0,12}") {
            for root in ["http://fct.pt/", "https://fct.pt:8443/"] {
                check(root, &format!("{root}{rest}"));
            }
        }
    }
}
