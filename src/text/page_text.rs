//! Splits the text of a page into its parts, for a reader and for an index.

use super::main_text::main_lines;
use super::published::published_of;
use super::{Published, TextLanguage, text_language};
use crate::links::{Page, Tag, TextLine};
use crate::uri::Url;
use serde::{Deserialize, Serialize};

/// Order of the lines of main text and boilerplate on a page: counts of lines of the main text and of the
/// rest, alternating. Empty for what has no boilerplate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineOrder(Vec<u32>);

impl LineOrder {
    /// The next line is of the main text, or of the rest.
    fn push(&mut self, is_main: bool) {
        let ends_in_main = self.0.len() % 2 == 1;
        match self.0.last_mut() {
            Some(count) if ends_in_main == is_main => *count += 1,
            _ => {
                // The page begins with its main text, if with no line of it.
                if self.0.is_empty() && !is_main {
                    self.0.push(0);
                }
                self.0.push(1);
            }
        }
    }

    /// The visible text of the page as it was read, one line a block. Lines that the order does not have come
    /// last.
    pub fn join(&self, main: &str, rest: &str) -> String {
        let mut text = String::with_capacity(main.len() + rest.len() + 1);
        let mut add = |lines: &str| {
            if !lines.is_empty() {
                text.extend([if text.is_empty() { "" } else { "\n" }, lines]);
            }
        };
        let mut parts = [main, rest];
        for (index, count) in self.0.iter().enumerate() {
            let part = &mut parts[index % 2];
            let (lines, behind) = split_lines(part, *count);
            add(lines);
            *part = behind;
        }
        parts.into_iter().for_each(add);
        text
    }
}

/// The first lines of a text, and the text behind their line end.
fn split_lines(text: &str, count: u32) -> (&str, &str) {
    let Some(last) = count.checked_sub(1) else { return ("", text) };
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(last as usize);
    end.map_or((text, ""), |end| (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default()))
}

/// The text of a document. All of it is hostile text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageText {
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Declared description.
    pub description: Option<String>,
    /// Its main text, one line a block. All of what is no page.
    pub main: String,
    /// Its boilerplate: navigation, advertising and other text around the main text; one line a block. At its end the alternative texts of images.
    pub rest: String,
    /// How main text and boilerplate follow each other on the page.
    pub order: LineOrder,
    /// Its first heading; empty where it has none.
    pub heading: String,
    /// Date of publication, where it declares one.
    pub published: Option<Published>,
    /// The declared language, else that of the main text; ISO 639-1, none where that is unknown.
    pub language: Option<String>,
    /// The language of the main text, where the page declares none.
    pub judged: Option<TextLanguage>,
    /// Text is missing behind what was read.
    pub is_cut: bool,
}

impl PageText {
    /// The text of a page that was read with text; `url` is its address.
    pub fn of_page(page: &Page, url: &Url) -> Self {
        let parts = Self::parts_of(page);
        let judged = if page.language.is_some() { None } else { text_language(&parts.main) };
        let of_text = || judged.or_else(|| text_language(&page.text)).map(|judged| judged.language.to_owned());
        Self {
            description: meta(page, &["description", "og:description", "twitter:description", "dc.description"]),
            published: published_of(page, url),
            language: page.language.clone().or_else(of_text),
            judged,
            ..parts
        }
    }

    /// As [`PageText::of_page`] without description, date and language, which takes less than half the time.
    pub fn parts_of(page: &Page) -> Self {
        let mut text = Self {
            title: page.title.clone().filter(|title| !title.is_empty()).or_else(|| meta(page, &["og:title"])),
            is_cut: page.cut.text,
            ..Self::default()
        };
        let mut begin = 0;
        for (is_main, line) in main_lines(page).into_iter().zip(&page.layout.lines) {
            text.order.push(is_main);
            if text.heading.is_empty() && is_heading(page, line) {
                text.heading = page.text.get(begin..line.end as usize).unwrap_or_default().to_owned();
            }
            let part = if is_main { &mut text.main } else { &mut text.rest };
            if !part.is_empty() {
                part.push('\n');
            }
            part.push_str(page.text.get(begin..line.end as usize).unwrap_or_default());
            begin = line.end as usize + 1;
        }
        if !page.image_texts.is_empty() {
            // Behind all lines of the page: it is seen by those who do not see the image.
            text.rest.extend([if text.rest.is_empty() { "" } else { "\n" }, page.image_texts.as_str()]);
        }
        text
    }

    /// A text that has no boilerplate.
    pub fn of_text(main: String, is_cut: bool) -> Self {
        let judged = text_language(&main);
        let language = judged.map(|judged| judged.language.to_owned());
        Self { main, is_cut, language, judged, ..Self::default() }
    }

    /// The whole text, main text first.
    pub fn all(&self) -> String {
        LineOrder::default().join(&self.main, &self.rest)
    }

    /// The whole text in the order of the page.
    pub fn in_order(&self) -> String {
        self.order.join(&self.main, &self.rest)
    }
}

/// The text of XML: without tags and comments, a line for each piece between
/// them, CDATA and escaped HTML (as feeds have it) taken for text of pages.
pub(crate) fn text_of_markup(xml: &str) -> String {
    let text = without_tags(xml);
    if !text.contains('&') {
        return text;
    }
    without_tags(&unescaped(&text))
}

/// Text with the references resolved that XML knows without a document type (XML 1.0, 4.1 and 4.6).
fn unescaped(text: &str) -> String {
    /// Bytes of a reference that is looked at.
    const MAX_REFERENCE: usize = 12;
    let letter_of = |name: &str| match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "amp" => Some('&'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|letter| *letter != '\0')
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let near = &rest[..rest.floor_char_boundary(MAX_REFERENCE)];
        match near.find(';').and_then(|end| Some((letter_of(&near[..end])?, end))) {
            Some((letter, end)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn without_tags(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while !rest.is_empty() {
        let (text, behind) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        for line in text.replace("]]>", "\n").lines().filter(|line| !line.trim().is_empty()) {
            out.extend(line.split_whitespace().flat_map(|token| [" ", token]).skip(1));
            out.push('\n');
        }
        rest = match behind.strip_prefix("<![CDATA[") {
            Some(data) => data,
            None if behind.starts_with("<!--") => behind.split_once("-->").map_or("", |(_, rest)| rest),
            None => behind.split_once('>').map_or("", |(_, rest)| rest),
        };
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether a line is in a heading.
fn is_heading(page: &Page, line: &TextLine) -> bool {
    let element = page.layout.elements.get(line.element as usize);
    element.is_some_and(|element| matches!(element.tag, Tag::H1 | Tag::H2))
}

/// The first of these statements that says anything.
fn meta(page: &Page, names: &[&str]) -> Option<String> {
    let metas = &page.statements.metas;
    let of = |name: &&str| metas.iter().find(|(own, value)| own == name && !value.is_empty());
    names.iter().find_map(of).map(|(_, value)| value.clone())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::links::{PageOptions, read_page};

    fn text_of(html: &str) -> PageText {
        let url = "http://a.pt/2024/05/01/x".parse().unwrap();
        PageText::of_page(&read_page(html.as_bytes(), Some("utf-8"), &url, &PageOptions::default()), &url)
    }

    /// A page with an article and boilerplate.
    const ARTICLE: &str = "<title>Festival</title><meta name=description content='O festival da ria.'>\
        <nav><a href=/>Início</a> <a href=/n>Notícias</a></nav>\
        <div class=sidebar><p>Assine já a nossa carta de notícias e receba todas as semanas o melhor da região no seu correio.</div>\
        <article><h1>Festival da ria</h1>\
        <p>O festival da ria de Aveiro começa no domingo com uma regata de moliceiros, música e visitas ao estaleiro naval.\
        <p>Diz a <a href=/ana>Ana Vaz</a>:<h2>Programa</h2>\
        <p>A entrada é livre, e as crianças com menos de dez anos têm de vir acompanhadas por uma pessoa adulta, diz a câmara.</article>\
        <div id=comments><p>Gostei muito deste festival no ano passado, a música era boa e as pessoas eram todas muito simpáticas!</div>\
        <footer>© Jornal da Ria, todos os direitos reservados. Proibida a reprodução, mesmo em parte, sem autorização.</footer>";

    #[test]
    fn the_main_text_is_the_article() {
        let text = text_of(ARTICLE);
        assert_eq!(
            (text.title.as_deref(), text.description.as_deref()),
            (Some("Festival"), Some("O festival da ria."))
        );
        let begins: Vec<&str> = text.main.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(begins, ["Festival", "O", "Diz", "Programa", "A"], "{}", text.main);
        let begins: Vec<&str> = text.rest.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(begins, ["Início", "Assine", "Gostei", "©"], "{}", text.rest);
        assert_eq!(text.language.as_deref(), Some("pt"));
        assert_eq!(text.published.unwrap().date.to_digits14(), "20240501000000");
        assert_eq!(text.heading, "Festival da ria");
        let url = "http://a.pt/".parse().unwrap();
        let page = read_page(ARTICLE.as_bytes(), Some("utf-8"), &url, &PageOptions::default());
        assert_eq!(text.in_order(), page.text);
        assert_eq!(text.all().len(), page.text.len());
        assert_eq!(text.main.lines().count() + text.rest.lines().count(), page.text.lines().count());
    }

    #[test]
    fn texts_of_images_are_text() {
        let text = text_of("<p>Olá<img alt='Um moliceiro  na ria'><img alt=''><img alt='Um moliceiro na ria'>, mundo");
        assert_eq!((text.main.as_str(), text.rest.as_str()), ("Olá, mundo", "Um moliceiro na ria"));
        assert_eq!(text.in_order(), "Olá, mundo\nUm moliceiro na ria");
    }

    #[test]
    fn an_order_that_knows_too_few_or_too_many_lines_loses_none() {
        let join = |order: &[u32]| LineOrder(order.to_vec()).join("a\nb\nc", "x\ny");
        assert_eq!(join(&[]), "a\nb\nc\nx\ny");
        assert_eq!(join(&[0, 1, 2]), "x\na\nb\nc\ny");
        assert_eq!(join(&[1, 9, u32::MAX, 3]), "a\nx\ny\nb\nc");
    }

    #[test]
    fn a_short_page_is_main_text_but_for_its_menu() {
        let text = text_of("<nav><a href=/>Início</a></nav><h1>Olá</h1><p>Até já.<p><a href=x>mais</a>");
        assert_eq!((text.main.as_str(), text.rest.as_str()), ("Olá\nAté já.", "Início\nmais"));
        assert_eq!(text_of(""), PageText { published: text_of("").published, ..PageText::default() });
    }

    #[test]
    fn xml_gives_its_text() {
        let check = |xml: &str, expected: &str| assert_eq!(text_of_markup(xml), expected, "{xml}");
        check("<rss><title>A ria</title>\n<!-- <no> --><link/>x  y</rss>", "A ria\nx y");
        check("<d><![CDATA[<p>Olá <b>mundo</b>]]></d><d>&lt;p>1 &amp;amp; 2&lt;/p></d>", "Olá\nmundo\n1 &amp; 2");
        check("a < b", "a");
        check("<t>Popula&#231;&#xE3;o &#38;#65; &nosuch; & x</t>", "População &#65; &nosuch; & x");
        check("", "");
    }

    #[test]
    fn the_declared_language_of_a_page_counts() {
        assert_eq!(text_of(&format!("<html lang=en-GB>{ARTICLE}")).language.as_deref(), Some("en"));
        assert_eq!(text_of("<p>OK").language, None);
    }
}
