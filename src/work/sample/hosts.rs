//! The hosts of the sample web: address, country and how each names its charset.

use std::net::Ipv4Addr;

/// The charset of a host's pages, and how it is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// UTF-8, declared by header and page.
    Utf8,
    /// UTF-8, declared by an old `http-equiv` element only.
    Utf8HttpEquiv,
    /// Windows-1252, declared by the header only.
    Windows1252Header,
    /// ISO-8859-1, declared by the page only.
    Latin1Meta,
    /// UTF-8 with a byte order mark under a header that declares ISO-8859-1: the mark wins.
    Utf8BomLyingHeader,
    /// Windows-1252, declared by the header, under an element that declares UTF-8: the header wins.
    Windows1252LyingMeta,
    /// UTF-8, declared nowhere: the bytes show it.
    Utf8Unsaid,
    /// Windows-1252, declared nowhere: to be guessed.
    Windows1252Unsaid,
}

impl Wire {
    /// `Content-Type` of its pages.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Utf8 => "text/html; charset=utf-8",
            Self::Windows1252Header | Self::Windows1252LyingMeta => "text/html; charset=windows-1252",
            Self::Utf8BomLyingHeader => "text/html; charset=ISO-8859-1",
            Self::Utf8HttpEquiv | Self::Latin1Meta | Self::Utf8Unsaid | Self::Windows1252Unsaid => "text/html",
        }
    }

    /// The element that names a charset, if any.
    pub(super) fn meta(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Windows1252LyingMeta => "<meta charset=\"utf-8\">",
            Self::Utf8HttpEquiv => "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=utf-8\">",
            Self::Latin1Meta => "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">",
            _ => "",
        }
    }

    /// The page as it goes over the wire. Characters that the charset lacks
    /// become numeric references.
    pub fn encode(self, html: &str) -> Vec<u8> {
        match self {
            Self::Utf8 | Self::Utf8HttpEquiv | Self::Utf8Unsaid => html.as_bytes().to_vec(),
            Self::Utf8BomLyingHeader => [b"\xEF\xBB\xBF", html.as_bytes()].concat(),
            Self::Windows1252Header | Self::Windows1252LyingMeta | Self::Windows1252Unsaid => {
                encoding_rs::WINDOWS_1252.encode(html).0.into_owned()
            }
            Self::Latin1Meta => {
                let mut out = Vec::with_capacity(html.len());
                for c in html.chars() {
                    match u8::try_from(u32::from(c)) {
                        Ok(byte) => out.push(byte),
                        Err(_) => out.extend_from_slice(format!("&#{};", u32::from(c)).as_bytes()),
                    }
                }
                out
            }
        }
    }

    /// The charset that a reader has to arrive at, as the WHATWG names it.
    pub fn charset(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8HttpEquiv | Self::Utf8BomLyingHeader | Self::Utf8Unsaid => "UTF-8",
            _ => "windows-1252",
        }
    }
}

/// A host of the sample web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostSpec {
    /// Its name.
    pub name: &'static str,
    /// Another name that redirects here.
    pub alias: Option<&'static str>,
    /// Third byte of its loopback address 127.0.N.1.
    pub net: u8,
    /// Its country in the sample geolocation database.
    pub country: &'static str,
    /// Its charset and its declaration.
    pub wire: Wire,
    /// Its main language.
    pub language: &'static str,
    /// Sends its pages gzip-encoded.
    pub gzip: bool,
    /// Sends its pages chunked.
    pub chunked: bool,
    /// Folders of the generated month and tag pages, where it has such.
    pub(super) archive: Option<Archive>,
}

/// Folders and titles of generated listings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Archive {
    pub months: &'static str,
    pub tags: &'static str,
    /// Title of a month page, before the month.
    pub month_title: &'static str,
    /// Title of a tag page, before the tag.
    pub tag_title: &'static str,
}

impl HostSpec {
    /// Its loopback address.
    pub fn address(&self) -> Ipv4Addr {
        loopback(self.net)
    }

    /// Its names: the real one and the alias.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.alias)
    }
}

/// Address of the host number `net`.
pub(super) fn loopback(net: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, net, 1)
}

/// A name that is cited although its server is long gone.
pub(super) const DEAD_HOST: &str = "camara-antiga.example";
/// Its network.
pub(super) const DEAD_HOST_NET: u8 = 22;

const PLAIN: HostSpec = HostSpec {
    name: "",
    alias: None,
    net: 0,
    country: "PT",
    wire: Wire::Utf8,
    language: "pt",
    gzip: false,
    chunked: false,
    archive: None,
};

/// Every host that answers.
pub const HOSTS: &[HostSpec] = &[
    // Seeds of the sample campaign.
    HostSpec { name: "biblioteca.vilanova.example", net: 11, ..PLAIN },
    HostSpec {
        name: "www.festival-da-ria.example",
        alias: Some("festival-da-ria.example"),
        net: 12,
        wire: Wire::Utf8HttpEquiv,
        ..PLAIN
    },
    HostSpec {
        name: "jornal.vilanova.example",
        net: 13,
        wire: Wire::Windows1252Header,
        archive: Some(Archive { months: "arquivo", tags: "tema", month_title: "Arquivo de ", tag_title: "Tema: " }),
        ..PLAIN
    },
    HostSpec { name: "assembleia.example", net: 14, wire: Wire::Latin1Meta, ..PLAIN },
    HostSpec {
        name: "harborblog.example",
        net: 15,
        country: "GB",
        wire: Wire::Utf8BomLyingHeader,
        language: "en",
        gzip: true,
        archive: Some(Archive {
            months: "archive",
            tags: "tag",
            month_title: "Archive of ",
            tag_title: "Posts about ",
        }),
        ..PLAIN
    },
    HostSpec {
        name: "cuaderno.example",
        net: 16,
        country: "ES",
        wire: Wire::Windows1252LyingMeta,
        language: "es",
        chunked: true,
        archive: Some(Archive {
            months: "archivo",
            tags: "etiqueta",
            month_title: "Archivo de ",
            tag_title: "Etiqueta: ",
        }),
        ..PLAIN
    },
    // No seeds: only geolocation lets these in.
    HostSpec { name: "diaspora.example", net: 17, wire: Wire::Utf8Unsaid, language: "fr", ..PLAIN },
    HostSpec { name: "estaleiro-gaivota.example", net: 18, ..PLAIN },
    HostSpec { name: "roteiro.example", net: 19, wire: Wire::Windows1252Unsaid, ..PLAIN },
    // Outside: these stay refused.
    HostSpec { name: "postcards.example", net: 20, country: "US", language: "en", ..PLAIN },
    HostSpec { name: "praias.example", net: 21, country: "BR", ..PLAIN },
];
