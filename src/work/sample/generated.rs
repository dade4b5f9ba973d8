//! Pages are put together from the fragments: the frame of a page, lists of pages, month and tag
//! archives, feeds and sitemaps.

use super::content::{Page, Pages, escape_path};
use super::hosts::{Archive, HostSpec};
use crate::campaign::ReportLanguage;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The host whose page links to everything.
pub(super) const AGGREGATOR: &str = "roteiro.example";

/// A page in its host's frame.
pub(super) fn fill(layout: &str, host: &HostSpec, path: &str, page: &Page) -> String {
    let layout = if layout.is_empty() {
        "<html lang=\"{{lang}}\"><head>{{head}}</head><body>{{body}}</body></html>"
    } else {
        layout
    };
    let head = format!("{}<title>{}</title>{}", host.wire.meta(), escape(&page.title), page.head);
    let mut out = String::with_capacity(layout.len() + page.body.len() + 512);
    let mut rest = layout;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            rest = after;
            break;
        };
        match name {
            "lang" => out.push_str(&page.lang),
            "head" => out.push_str(&head),
            "title" => out.push_str(&escape(&page.title)),
            "byline" => out.push_str(&byline(page)),
            "tags" => out.push_str(&tag_links(host, page)),
            "path" => out.push_str(&escape(&escape_path(path))),
            "body" => out.push_str(&page.body),
            other => tracing::warn!(name = other, "a sample layout has an unknown mark"),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn byline(page: &Page) -> String {
    let mut parts = Vec::new();
    if !page.date.is_empty() {
        parts.push(format!("<time datetime=\"{}\">{}</time>", page.date, day_text(&page.lang, &page.date)));
    }
    if !page.author.is_empty() {
        parts.push(escape(&page.author));
    }
    if parts.is_empty() { String::new() } else { format!("<p class=\"byline\">{}</p>", parts.join(" · ")) }
}

fn tag_links(host: &HostSpec, page: &Page) -> String {
    let Some(archive) = host.archive else { return String::new() };
    if page.tags.is_empty() || page.date.is_empty() {
        return String::new();
    }
    let links: Vec<_> = page
        .tags
        .iter()
        .map(|tag| format!("<a rel=\"tag\" href=\"/{}/{}.html\">{}</a>", archive.tags, slug(tag), escape(tag)))
        .collect();
    format!("<p class=\"tags\">{}</p>", links.join(" "))
}

/// Adds the archives, feeds and sitemaps of a host and fills the list marks
/// (`{{latest 6}}`, `{{months}}`, `{{tags}}`, `{{under /acervo/}}`) of its pages.
pub(super) fn add_listings(host: &HostSpec, pages: &mut Pages) {
    if let Some(archive) = host.archive {
        let made = archives(host, archive, pages);
        pages.extend(made);
        pages.insert("/feed.xml".into(), feed(host, pages));
    }
    if host.archive.is_some() || host.name.starts_with("biblioteca") {
        pages.insert("/sitemap.xml".into(), sitemap(host, pages));
    }
    let with_marks: Vec<_> =
        pages.iter().filter(|(_, p)| p.body.contains("{{")).map(|(path, _)| path.clone()).collect();
    for path in with_marks {
        let body = pages.get(&path).map(|page| fill_marks(host, &page.body, &path, pages));
        if let (Some(body), Some(page)) = (body, pages.get_mut(&path)) {
            page.body = body;
        }
    }
}

fn archives(host: &HostSpec, archive: Archive, pages: &Pages) -> Pages {
    let mut months: BTreeMap<String, Vec<(&String, &Page)>> = BTreeMap::new();
    let mut tags: BTreeMap<String, Vec<(&String, &Page)>> = BTreeMap::new();
    for (path, page) in dated(pages) {
        months.entry(page.date.chars().take(7).collect()).or_default().push((path, page));
        for tag in &page.tags {
            tags.entry(tag.clone()).or_default().push((path, page));
        }
    }
    let mut made = Pages::new();
    for (month, rows) in months {
        let title = format!("{}{}", archive.month_title, month_text(host.language, &month));
        made.insert(format!("/{}/{month}.html", archive.months), list_page(host, title, rows));
    }
    for (tag, rows) in tags {
        let title = format!("{}{tag}", archive.tag_title);
        made.insert(format!("/{}/{}.html", archive.tags, slug(&tag)), list_page(host, title, rows));
    }
    made
}

fn list_page(host: &HostSpec, title: String, rows: Vec<(&String, &Page)>) -> Page {
    let body = listing_of(rows, host.language);
    Page { title, lang: host.language.into(), body, ..Page::default() }
}

/// Pages with a date, newest first.
fn dated(pages: &Pages) -> Vec<(&String, &Page)> {
    let mut rows: Vec<_> = pages.iter().filter(|(_, p)| !p.date.is_empty() && p.is_content() && !p.hidden).collect();
    rows.sort_by(|a, b| b.1.date.cmp(&a.1.date).then_with(|| a.0.cmp(b.0)));
    rows
}

/// A list of pages with date, link and summary.
pub(super) fn listing_of(mut rows: Vec<(&String, &Page)>, lang: &str) -> String {
    rows.sort_by(|a, b| b.1.date.cmp(&a.1.date).then_with(|| a.0.cmp(b.0)));
    let mut out = String::from("<ul class=\"list\">\n");
    for (path, page) in rows {
        out.push_str("<li>");
        if !page.date.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(out, "<time datetime=\"{}\">{}</time> ", page.date, day_text(lang, &page.date));
        }
        let _ = write!(out, "<a href=\"{}\">{}</a>", escape(&escape_path(path)), escape(&page.title));
        if !page.summary.is_empty() {
            let _ = write!(out, " <span>{}</span>", escape(&page.summary));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
    out
}

fn fill_marks(host: &HostSpec, body: &str, own_path: &str, pages: &Pages) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((mark, after)) = after.split_once("}}") else {
            out.push_str("{{");
            rest = after;
            break;
        };
        out.push_str(&list_for(host, mark, own_path, pages));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn list_for(host: &HostSpec, mark: &str, own_path: &str, pages: &Pages) -> String {
    let (name, argument) = mark.split_once(' ').unwrap_or((mark, ""));
    let folder = |folder: &str| -> Vec<_> {
        pages
            .iter()
            .filter(|(path, p)| path.starts_with(folder) && *path != own_path && p.is_content() && !p.hidden)
            .collect()
    };
    match (name, host.archive) {
        ("latest", _) => {
            let rows = dated(pages).into_iter().take(argument.parse().unwrap_or(6)).collect();
            listing_of(rows, host.language)
        }
        ("under", _) => listing_of(folder(argument), host.language),
        ("months", Some(archive)) => {
            let mut rows = folder(&format!("/{}/", archive.months));
            rows.reverse();
            plain_links(rows)
        }
        ("tags", Some(archive)) => plain_links(folder(&format!("/{}/", archive.tags))),
        _ => {
            tracing::warn!(mark, "a sample fragment has an unknown mark");
            String::new()
        }
    }
}

fn plain_links(rows: Vec<(&String, &Page)>) -> String {
    let items: Vec<_> = rows
        .into_iter()
        .map(|(path, page)| {
            format!("<li><a href=\"{}\">{}</a></li>\n", escape(&escape_path(path)), escape(&page.title))
        })
        .collect();
    format!("<ul class=\"links\">\n{}</ul>\n", items.concat())
}

fn feed(host: &HostSpec, pages: &Pages) -> Page {
    let mut body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel><title>{0}</title>\
         <link>http://{0}/</link><description>{0}</description>\n",
        host.name
    );
    for (path, page) in dated(pages).into_iter().take(10) {
        let _ = writeln!(
            body,
            "<item><title>{}</title><link>http://{}{}</link><description>{}</description></item>",
            escape(&page.title),
            host.name,
            escape(&escape_path(path)),
            escape(&page.summary)
        );
    }
    body.push_str("</channel></rss>\n");
    Page { title: "Feed".into(), raw: "application/rss+xml; charset=utf-8".into(), body, ..Page::default() }
}

fn sitemap(host: &HostSpec, pages: &Pages) -> Page {
    let mut body = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (path, _) in pages.iter().filter(|(_, page)| page.is_content()) {
        let _ = writeln!(body, "<url><loc>http://{}{}</loc></url>", host.name, escape(&escape_path(path)));
    }
    body.push_str("</urlset>\n");
    Page { title: "Sitemap".into(), raw: "application/xml; charset=utf-8".into(), body, ..Page::default() }
}

/// A page with a link to every page of the sample web.
pub(super) fn index_of_all(listing: &[(String, String, String)]) -> Page {
    let mut body = String::from("<p>Todas as páginas que o Roteiro conhece.</p>\n<ol class=\"links\">\n");
    for (url, title, lang) in listing {
        let _ = writeln!(body, "<li lang=\"{lang}\"><a href=\"{}\">{}</a></li>", escape(url), escape(title));
    }
    body.push_str("</ol>\n<h2>Por ordem alfabética</h2>\n<ol class=\"links\">\n");
    let mut by_title: Vec<_> = listing.iter().collect();
    by_title.sort_by_key(|(url, title, _)| (title.to_lowercase(), url));
    for (url, title, _) in by_title {
        let host = url.split('/').nth(2).unwrap_or_default();
        let _ = writeln!(body, "<li><a href=\"{}\">{} ({host})</a></li>", escape(url), escape(title));
    }
    body.push_str("</ol>\n");
    Page { title: "Índice geral do Roteiro".into(), lang: "pt".into(), body, ..Page::default() }
}

/// Text as HTML writes it.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn slug(tag: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let plain: String = tag.nfd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect();
    plain.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join("-")
}

/// Name of a month, 1 to 12; in Portuguese with a capital, as it was spelled till 2009.
pub(super) fn month_name(lang: &str, month: usize) -> String {
    let language = lang.parse().unwrap_or(ReportLanguage::Pt);
    let name = language.month_name(month);
    match language {
        ReportLanguage::Pt => name[..1].to_uppercase() + &name[1..],
        _ => name.to_owned(),
    }
}

fn month_text(lang: &str, month: &str) -> String {
    let (year, number) = month.split_once('-').unwrap_or((month, "1"));
    let name = month_name(lang, number.parse().unwrap_or(1));
    match lang {
        "en" | "fr" => format!("{name} {year}"),
        _ => format!("{name} de {year}"),
    }
}

fn day_text(lang: &str, day: &str) -> String {
    let Some((month, number)) = day.rsplit_once('-') else { return day.to_owned() };
    let number = number.trim_start_matches('0');
    match lang {
        "en" | "fr" => format!("{number} {}", month_text(lang, month)),
        _ => format!("{number} de {}", month_text(lang, month)),
    }
}
