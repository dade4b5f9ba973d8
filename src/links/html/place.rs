//! Part of the page that a link is in, where the markup declares one.

use super::tag::Tag;
use super::tokens::{Attr, Attributes};
use serde::{Deserialize, Serialize};

/// A part of a page: an element of HTML that stands for it, or its role
/// (WAI-ARIA landmark). Of nested ones the innermost counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PagePlace {
    /// `<main>`, `role=main`: what the page is about.
    Main,
    /// `<nav>`, `role=navigation`.
    Nav,
    /// `<header>`, `role=banner`.
    Header,
    /// `<footer>`, `role=contentinfo`.
    Footer,
    /// `<aside>`, `role=complementary`.
    Aside,
}

impl PagePlace {
    /// Its value in records and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Nav => "nav",
            Self::Header => "header",
            Self::Footer => "footer",
            Self::Aside => "aside",
        }
    }

    /// The part whose value this is.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Main, Self::Nav, Self::Header, Self::Footer, Self::Aside]
            .into_iter()
            .find(|place| place.as_str() == name)
    }

    /// The part that an element begins. A role counts before the element's
    /// name, and of several roles the first that is one of these.
    pub(crate) fn begun_by(tag: Tag, attributes: &Attributes) -> Option<Self> {
        let by_role = || attributes.get(Attr::Role)?.split_ascii_whitespace().find_map(Self::of_role);
        let by_name = match tag {
            Tag::MAIN => Some(Self::Main),
            Tag::NAV => Some(Self::Nav),
            Tag::HEADER => Some(Self::Header),
            Tag::FOOTER => Some(Self::Footer),
            Tag::ASIDE => Some(Self::Aside),
            _ => None,
        };
        by_role().or(by_name)
    }

    fn of_role(role: &str) -> Option<Self> {
        let roles = [
            ("main", Self::Main),
            ("navigation", Self::Nav),
            ("banner", Self::Header),
            ("contentinfo", Self::Footer),
            ("complementary", Self::Aside),
        ];
        roles.into_iter().find_map(|(name, place)| role.eq_ignore_ascii_case(name).then_some(place))
    }
}
