//! Names of elements as small numbers, and the groups that the HTML standard
//! puts them in.

use super::tokenizer::MAX_PACKED;

/// An element's name in lower case. Names without a number of their own are
/// told apart by a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag(u32);

macro_rules! tags {
    ($($konst:ident = $number:literal $name:literal,)*) => {
        /// The names as numbers.
        mod packed {
            $(pub(super) const $konst: u128 = crate::links::html::tokenizer::pack($name);)*
        }

        impl Tag {
            $(pub(crate) const $konst: Tag = Tag($number);)*

            /// From the name in any case, and the number that it is packed
            /// into where it is not too long.
            pub(crate) fn of(packed: u128, name: &[u8]) -> Self {
                match packed {
                    _ if name.len() > MAX_PACKED => Self(hash(name) | OTHER),
                    $(packed::$konst => Self::$konst,)*
                    _ => Self(hash(name) | OTHER),
                }
            }
        }
    };
}

/// Set in the numbers of names that are no constant here.
const OTHER: u32 = 0x8000_0000;

/// Of the name in lower case, NUL replaced.
fn hash(name: &[u8]) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    let mut add = |byte: u8| hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    for byte in name {
        match byte {
            0 => "\u{fffd}".bytes().for_each(&mut add),
            byte => add(byte.to_ascii_lowercase()),
        }
    }
    hash
}

tags! {
    A = 0 b"a",
    ABBR = 1 b"abbr",
    ADDRESS = 2 b"address",
    ANNOTATION_XML = 3 b"annotation-xml",
    APPLET = 4 b"applet",
    AREA = 5 b"area",
    ARTICLE = 6 b"article",
    ASIDE = 7 b"aside",
    AUDIO = 8 b"audio",
    B = 9 b"b",
    BASE = 10 b"base",
    BASEFONT = 11 b"basefont",
    BGSOUND = 12 b"bgsound",
    BIG = 13 b"big",
    BLOCKQUOTE = 14 b"blockquote",
    BODY = 15 b"body",
    BR = 16 b"br",
    BUTTON = 17 b"button",
    CAPTION = 18 b"caption",
    CENTER = 19 b"center",
    CODE = 20 b"code",
    COL = 21 b"col",
    COLGROUP = 22 b"colgroup",
    DD = 23 b"dd",
    DEL = 24 b"del",
    DESC = 25 b"desc",
    DETAILS = 26 b"details",
    DIALOG = 27 b"dialog",
    DIR = 28 b"dir",
    DIV = 29 b"div",
    DL = 30 b"dl",
    DT = 31 b"dt",
    EM = 32 b"em",
    EMBED = 33 b"embed",
    FIELDSET = 34 b"fieldset",
    FIGCAPTION = 35 b"figcaption",
    FIGURE = 36 b"figure",
    FONT = 37 b"font",
    FOOTER = 38 b"footer",
    FOREIGNOBJECT = 39 b"foreignobject",
    FORM = 40 b"form",
    FRAME = 41 b"frame",
    FRAMESET = 42 b"frameset",
    H1 = 43 b"h1",
    H2 = 44 b"h2",
    H3 = 45 b"h3",
    H4 = 46 b"h4",
    H5 = 47 b"h5",
    H6 = 48 b"h6",
    HEAD = 49 b"head",
    HEADER = 50 b"header",
    HGROUP = 51 b"hgroup",
    HR = 52 b"hr",
    HTML = 53 b"html",
    I = 54 b"i",
    IFRAME = 55 b"iframe",
    IMAGE = 56 b"image",
    IMG = 57 b"img",
    INPUT = 58 b"input",
    INS = 59 b"ins",
    KEYGEN = 60 b"keygen",
    LI = 61 b"li",
    LINK = 62 b"link",
    LISTING = 63 b"listing",
    MAIN = 64 b"main",
    MALIGNMARK = 65 b"malignmark",
    MARQUEE = 66 b"marquee",
    MATH = 67 b"math",
    MENU = 68 b"menu",
    META = 69 b"meta",
    MGLYPH = 70 b"mglyph",
    MI = 71 b"mi",
    MN = 72 b"mn",
    MO = 73 b"mo",
    MS = 74 b"ms",
    MTEXT = 75 b"mtext",
    NAV = 76 b"nav",
    NOBR = 77 b"nobr",
    NOEMBED = 78 b"noembed",
    NOFRAMES = 79 b"noframes",
    NOSCRIPT = 80 b"noscript",
    OBJECT = 81 b"object",
    OL = 82 b"ol",
    OPTGROUP = 83 b"optgroup",
    OPTION = 84 b"option",
    P = 85 b"p",
    PARAM = 86 b"param",
    PICTURE = 87 b"picture",
    PLAINTEXT = 88 b"plaintext",
    PRE = 89 b"pre",
    Q = 90 b"q",
    RB = 91 b"rb",
    RP = 92 b"rp",
    RT = 93 b"rt",
    RTC = 94 b"rtc",
    RUBY = 95 b"ruby",
    S = 96 b"s",
    SCRIPT = 97 b"script",
    SEARCH = 98 b"search",
    SECTION = 99 b"section",
    SELECT = 100 b"select",
    SMALL = 101 b"small",
    SOURCE = 102 b"source",
    SPAN = 103 b"span",
    STRIKE = 104 b"strike",
    STRONG = 105 b"strong",
    STYLE = 106 b"style",
    SUB = 107 b"sub",
    SUMMARY = 108 b"summary",
    SUP = 109 b"sup",
    SVG = 110 b"svg",
    TABLE = 111 b"table",
    TBODY = 112 b"tbody",
    TD = 113 b"td",
    TEMPLATE = 114 b"template",
    TEXTAREA = 115 b"textarea",
    TFOOT = 116 b"tfoot",
    TH = 117 b"th",
    THEAD = 118 b"thead",
    TITLE = 119 b"title",
    TR = 120 b"tr",
    TRACK = 121 b"track",
    TT = 122 b"tt",
    U = 123 b"u",
    UL = 124 b"ul",
    USE = 125 b"use",
    VAR = 126 b"var",
    VIDEO = 127 b"video",
    WBR = 128 b"wbr",
    XMP = 129 b"xmp",
    FEIMAGE = 130 b"feimage",
}

impl Tag {
    /// Elements that never have content.
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Tag::AREA
                | Tag::BASE
                | Tag::BASEFONT
                | Tag::BGSOUND
                | Tag::BR
                | Tag::COL
                | Tag::EMBED
                | Tag::FRAME
                | Tag::HR
                | Tag::IMG
                | Tag::INPUT
                | Tag::KEYGEN
                | Tag::LINK
                | Tag::META
                | Tag::PARAM
                | Tag::SOURCE
                | Tag::TRACK
                | Tag::WBR
        )
    }

    /// The “special” category of the HTML standard (13.2.4.2), HTML names.
    pub(crate) fn is_special(self) -> bool {
        self.is_plain_block() && self != Tag::DIALOG
            || self.is_heading()
            || self.is_void()
            || self.is_table_part()
            || matches!(
                self,
                Tag::APPLET
                    | Tag::BODY
                    | Tag::BUTTON
                    | Tag::DD
                    | Tag::DT
                    | Tag::FORM
                    | Tag::FRAMESET
                    | Tag::HEAD
                    | Tag::HTML
                    | Tag::IFRAME
                    | Tag::LI
                    | Tag::LISTING
                    | Tag::MARQUEE
                    | Tag::NOEMBED
                    | Tag::NOFRAMES
                    | Tag::NOSCRIPT
                    | Tag::OBJECT
                    | Tag::P
                    | Tag::PLAINTEXT
                    | Tag::PRE
                    | Tag::SCRIPT
                    | Tag::SELECT
                    | Tag::STYLE
                    | Tag::TABLE
                    | Tag::TEMPLATE
                    | Tag::TEXTAREA
                    | Tag::TITLE
                    | Tag::XMP
            )
    }

    /// Blocks whose start tag closes an open `p` and whose end tag closes them.
    pub(crate) fn is_plain_block(self) -> bool {
        matches!(
            self,
            Tag::ADDRESS
                | Tag::ARTICLE
                | Tag::ASIDE
                | Tag::BLOCKQUOTE
                | Tag::CENTER
                | Tag::DETAILS
                | Tag::DIALOG
                | Tag::DIR
                | Tag::DIV
                | Tag::DL
                | Tag::FIELDSET
                | Tag::FIGCAPTION
                | Tag::FIGURE
                | Tag::FOOTER
                | Tag::HEADER
                | Tag::HGROUP
                | Tag::MAIN
                | Tag::MENU
                | Tag::NAV
                | Tag::OL
                | Tag::SEARCH
                | Tag::SECTION
                | Tag::SUMMARY
                | Tag::UL
        )
    }

    pub(crate) fn is_heading(self) -> bool {
        matches!(self, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    }

    /// `caption`, `col`, `colgroup`, `tbody`, `td`, `tfoot`, `th`, `thead`, `tr`.
    pub(crate) fn is_table_part(self) -> bool {
        self.is_row_group() || matches!(self, Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::TD | Tag::TH | Tag::TR)
    }

    pub(crate) fn is_row_group(self) -> bool {
        matches!(self, Tag::TBODY | Tag::TFOOT | Tag::THEAD)
    }

    /// Elements of the list of active formatting elements.
    pub(crate) fn is_formatting(self) -> bool {
        matches!(
            self,
            Tag::A
                | Tag::B
                | Tag::BIG
                | Tag::CODE
                | Tag::EM
                | Tag::FONT
                | Tag::I
                | Tag::NOBR
                | Tag::S
                | Tag::SMALL
                | Tag::STRIKE
                | Tag::STRONG
                | Tag::TT
                | Tag::U
        )
    }

    /// Elements that end by implication.
    pub(crate) fn ends_by_implication(self) -> bool {
        matches!(
            self,
            Tag::DD | Tag::DT | Tag::LI | Tag::OPTGROUP | Tag::OPTION | Tag::P | Tag::RB | Tag::RP | Tag::RT | Tag::RTC
        )
    }

    /// Start tags that leave SVG and MathML (`font` only with some attributes).
    pub(crate) fn leaves_foreign(self) -> bool {
        self.is_heading()
            || self.is_formatting() && !matches!(self, Tag::A | Tag::FONT)
            || matches!(
                self,
                Tag::BLOCKQUOTE
                    | Tag::BODY
                    | Tag::BR
                    | Tag::CENTER
                    | Tag::DD
                    | Tag::DIV
                    | Tag::DL
                    | Tag::DT
                    | Tag::EMBED
                    | Tag::HEAD
                    | Tag::HR
                    | Tag::IMG
                    | Tag::LI
                    | Tag::LISTING
                    | Tag::MENU
                    | Tag::META
                    | Tag::OL
                    | Tag::P
                    | Tag::PRE
                    | Tag::RUBY
                    | Tag::SPAN
                    | Tag::SUB
                    | Tag::SUP
                    | Tag::TABLE
                    | Tag::UL
                    | Tag::VAR
            )
    }

    /// Whether visible text starts a new line before and after the element.
    pub(crate) fn breaks_text(self) -> bool {
        self.is_plain_block()
            || self.is_heading()
            || self.is_row_group()
            || matches!(
                self,
                Tag::BR
                    | Tag::CAPTION
                    | Tag::DD
                    | Tag::DT
                    | Tag::FORM
                    | Tag::HR
                    | Tag::LI
                    | Tag::LISTING
                    | Tag::OPTION
                    | Tag::P
                    | Tag::PRE
                    | Tag::TABLE
                    | Tag::TR
                    | Tag::XMP
            )
    }
}
