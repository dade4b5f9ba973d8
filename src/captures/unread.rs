//! Why a page was not read, or not as it was meant.

use crate::links::PageCuts;
use std::fmt;

/// Why a page was not read, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unread {
    /// The record has no date.
    NoDate,
    /// The record of a web address holds no HTTP response.
    NoHttp,
    /// The payload is longer than [`MAX_PAGE_BYTES`](crate::links::MAX_PAGE_BYTES): only its start was read.
    TooLong,
    /// The payload would be unpacked to more than
    /// [`MAX_UNPACKED_RATIO`](crate::warc::http::MAX_UNPACKED_RATIO) times its size: it was not read.
    Bomb,
    /// The payload is not encoded as declared: read as far as it goes.
    Malformed,
    /// The bytes are not in the declared charset: there is no markup in what they decode to.
    Charset,
    /// Links or anchors were left out because of a limit of [`Page::cut`](crate::links::Page::cut).
    Cut,
    /// A revisit whose original is not in the input.
    NoOriginal,
    /// A revisit whose original was there and cannot be read again.
    OriginalUnread,
    /// A metadata record in JSON that is not what a WAT record is.
    NoWat,
    /// A PDF file that only its readers can decrypt.
    Encrypted,
    /// Elements are deeper than [`MAX_DEPTH`](crate::links::MAX_DEPTH): their links are there, texts may be cut off.
    Deep,
    /// Bytes that are no text of the page's charset were replaced.
    Letters,
    /// Link types of a `rel` were left out: there are too many.
    Rels,
    /// Its record declares that it was cut when it was captured: it was too long.
    CutByLength,
    /// The same: it took too long.
    CutByTime,
    /// The same: the server went away.
    CutByDisconnect,
    /// The same, for another reason or an undeclared one.
    CutAtCapture,
}

impl Unread {
    const ALL: [Self; 18] = [
        Self::NoDate,
        Self::NoHttp,
        Self::TooLong,
        Self::Bomb,
        Self::Malformed,
        Self::Charset,
        Self::Cut,
        Self::NoOriginal,
        Self::OriginalUnread,
        Self::NoWat,
        Self::Encrypted,
        Self::Deep,
        Self::Letters,
        Self::Rels,
        Self::CutByLength,
        Self::CutByTime,
        Self::CutByDisconnect,
        Self::CutAtCapture,
    ];

    /// Why a page is not read whole, the worst first: of its payload there is
    /// more, or it is damaged, or reading it left something out.
    pub fn of_page(is_cut: bool, is_damaged: bool, left_out: &PageCuts) -> Option<Self> {
        [
            (is_cut, Self::TooLong),
            (is_damaged, Self::Malformed),
            (left_out.charset, Self::Charset),
            (left_out.links > 0 || left_out.anchors > 0, Self::Cut),
            (left_out.depth > 0, Self::Deep),
            (left_out.letters, Self::Letters),
            (left_out.rels > 0, Self::Rels),
        ]
        .into_iter()
        .find_map(|(holds, why)| holds.then_some(why))
    }

    /// The reason as [`Self::of_page`], with `WARC-Truncated` of the page's record, if it has one: that
    /// explains damage of its end.
    pub fn of_record(of_page: Option<Self>, truncated: Option<&str>) -> Option<Self> {
        let may_be_cut = of_page.is_none_or(|why| why == Self::Malformed || !why.loses_links());
        let Some(reason) = truncated.filter(|_| may_be_cut) else { return of_page };
        Some(match reason.trim().to_ascii_lowercase().as_str() {
            "length" => Self::CutByLength,
            "time" => Self::CutByTime,
            "disconnect" => Self::CutByDisconnect,
            _ => Self::CutAtCapture,
        })
    }

    /// Whether links of the page may be missing. Otherwise all are there, and
    /// some words of theirs are not as they were meant.
    pub fn loses_links(self) -> bool {
        !matches!(self, Self::Deep | Self::Letters | Self::Rels)
    }

    /// Its value in catalogues and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoDate => "no-date",
            Self::NoHttp => "no-http",
            Self::TooLong => "too-long",
            Self::Bomb => "bomb",
            Self::Malformed => "malformed",
            Self::Charset => "charset",
            Self::Cut => "cut",
            Self::NoOriginal => "no-original",
            Self::OriginalUnread => "original-unread",
            Self::NoWat => "no-wat",
            Self::Encrypted => "encrypted",
            Self::Deep => "deep",
            Self::Letters => "letters",
            Self::Rels => "rels",
            Self::CutByLength => "cut-length",
            Self::CutByTime => "cut-time",
            Self::CutByDisconnect => "cut-disconnect",
            Self::CutAtCapture => "cut-capture",
        }
    }

    /// Back from [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == text)
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoDate => "no date",
            Self::NoHttp => "no HTTP response inside",
            Self::TooLong => "too long: only its start was read",
            Self::Bomb => "unpacks to more than 250 times its size: it was not read",
            Self::Malformed => "the declared Content-Encoding is wrong: read as far as it goes",
            Self::Charset => "not in the declared charset: no links were found",
            Self::Cut => "too many or too long links: some were left out",
            Self::NoOriginal => "a revisit whose original is not in the input",
            Self::OriginalUnread => "a revisit whose original cannot be read a second time",
            Self::NoWat => "an envelope of links that is not whole",
            Self::Encrypted => "an encrypted PDF file: its links cannot be read",
            Self::Deep => "elements nested too deep: texts of links may be cut off",
            Self::Letters => "undecodable characters: they were replaced",
            Self::Rels => "too many link types in a rel: some were left out",
            Self::CutByLength => "cut at its capture, by its length: read as far as it goes",
            Self::CutByTime => "cut at its capture, by the time it took: read as far as it goes",
            Self::CutByDisconnect => "cut at its capture, since the server went away: read as far as it goes",
            Self::CutAtCapture => "cut at its capture: read as far as it goes",
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_value_of_its_own() {
        for why in Unread::ALL {
            assert_eq!(Unread::parse(why.as_str()), Some(why));
        }
        assert_eq!(Unread::parse("?"), None);
        let texts: std::collections::HashSet<String> = Unread::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), Unread::ALL.len());
    }

    #[test]
    fn the_declared_reason_of_a_cut_explains_all_but_the_length() {
        let check = |of_page, truncated, expected| assert_eq!(Unread::of_record(of_page, truncated), expected);
        check(None, None, None);
        check(Some(Unread::Deep), None, Some(Unread::Deep));
        check(None, Some(" Length"), Some(Unread::CutByLength));
        check(Some(Unread::Malformed), Some("time"), Some(Unread::CutByTime));
        check(Some(Unread::Rels), Some("disconnect"), Some(Unread::CutByDisconnect));
        check(None, Some("unspecified"), Some(Unread::CutAtCapture));
        check(Some(Unread::TooLong), Some("length"), Some(Unread::TooLong));
    }
}
