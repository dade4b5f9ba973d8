//! Pages of this program around replayed ones, and in the place of those that are not there.
//!
//! All that comes from an archive or a client goes through [`xml_text`]: none of it is markup.

use crate::serve::HttpReply;
use crate::uri::xml_text;
use std::fmt::Write;

/// Script and sheet of these pages, by their paths.
const FILES: [(&str, &str, &str); 4] = [
    ("/frame.js", "text/javascript; charset=utf-8", include_str!("../../assets/replay/frame.js")),
    ("/frame.css", "text/css; charset=utf-8", include_str!("../../assets/replay/frame.css")),
    ("/shim.js", "text/javascript; charset=utf-8", include_str!("../../assets/replay/shim.js")),
    ("/step.js", "text/javascript; charset=utf-8", include_str!("../../assets/replay/step.js")),
];

/// The policy of every answer of the replay origin: nothing beyond it is loaded, whatever a page does. Frames with
/// `data:` and `blob:` are left out: no policy governs WebRTC, and nothing could be put before their scripts.
pub fn archive_policy(root: &str, control: &str, replay: &str) -> String {
    format!(
        "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'; connect-src 'self' data: blob:; \
         frame-src 'self'; worker-src 'self' blob:; object-src 'self'; base-uri 'self'; form-action 'self'; \
         frame-ancestors {control} {replay}; report-uri {root}/blocked"
    )
}

/// The policy of the pages around: they load their own parts and the replay.
pub fn frame_policy(replay: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         frame-src {replay}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

/// The page that has a person's own player show a URL.
pub fn player_page() -> HttpReply {
    HttpReply::html(200, include_str!("../../assets/replay/player.html"))
}

/// A file of these pages.
pub fn own_file(path: &str) -> Option<HttpReply> {
    let (_, mime, text) = FILES.iter().find(|(own, ..)| *own == path)?;
    Some(HttpReply::new(200, mime, *text).with("Cache-Control", "no-store"))
}

/// The page with the frame; `path` is that of the capture on the origin `replay`, `root` what paths begin with.
pub fn frame_page(root: &str, replay: &str, path: &str) -> String {
    let (root, replay, path) = (xml_text(root), xml_text(replay), xml_text(path));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Fonds replay</title>\
         <link rel=\"stylesheet\" href=\"{root}/frame.css\"></head>\
         <body class=\"frame\" data-root=\"{root}\" data-replay=\"{replay}\" data-path=\"{path}\"><header><strong id=\"date\"></strong>\
         <span id=\"url\"></span><a id=\"before\" hidden></a><a id=\"after\" hidden></a><a id=\"all\"></a>\
         <span id=\"decision\"></span><span id=\"drift\"></span><span id=\"left\"></span>\
         <details id=\"missing\" hidden><summary></summary><ul></ul></details></header>\
         <iframe name=\"fonds_replay\" title=\"Archived page\" sandbox=\"allow-scripts allow-same-origin allow-forms\" \
         allow=\"autoplay; fullscreen\" src=\"{replay}{path}\"></iframe><script src=\"{root}/frame.js\"></script></body></html>"
    )
}

/// The page that a person begins with; `about` says what there is, `hosts` are links to the first page of each.
pub fn start_page(root: &str, about: &str, hosts: &[(String, String, String)]) -> String {
    let root = xml_text(root);
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Fonds replay</title>\
         <link rel=\"stylesheet\" href=\"{root}/frame.css\"></head><body><main><h1>Replay</h1><p>{}</p>\
         <form action=\"{root}/\"><label>Archived URL <input name=\"url\" size=\"60\"></label> <button>Show</button></form>",
        xml_text(about)
    );
    push_links(&mut out, hosts);
    // Writing into a string does not fail.
    let _ = write!(out, "<p><a href=\"{root}/missing\">What replayed pages did not find</a></p></main></body></html>");
    out
}

/// The page that leads a followed link to the page around the frame.
pub fn step_page(root: &str, control: &str) -> String {
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Fonds replay</title><script src=\"{}/step.js?around={}\"></script>",
        xml_text(root),
        xml_text(control)
    )
}

/// A page of this program: title, sentences, and rows of links with what they are.
pub fn plain_page(root: &str, title: &str, sentences: &[String], links: &[(String, String, String)]) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <link rel=\"stylesheet\" href=\"{root}/frame.css\"></head><body><main><h1>{title}</h1>",
        root = xml_text(root),
        title = xml_text(title)
    );
    // Writing into a string does not fail.
    for sentence in sentences {
        let _ = write!(out, "<p>{}</p>", xml_text(sentence));
    }
    push_links(&mut out, links);
    out.push_str("</main></body></html>");
    out
}

/// Adds a table of links: path, label, what it is.
fn push_links(out: &mut String, links: &[(String, String, String)]) {
    if links.is_empty() {
        return;
    }
    out.push_str("<table>");
    for (path, label, about) in links {
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<tr><td><a href=\"{}\">{}</a></td><td>{}</td></tr>",
            xml_text(path),
            xml_text(label),
            xml_text(about)
        );
    }
    out.push_str("</table>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_an_archive_is_markup() {
        let evil = "https://a.pt/\"><script>alert(1)</script>'&";
        let link = (evil.to_owned(), evil.to_owned(), evil.to_owned());
        let links = [link];
        for page in [
            frame_page(evil, "http://127.0.0.1:1", evil),
            plain_page(evil, evil, &[evil.to_owned()], &links),
            step_page(evil, evil),
            start_page(evil, evil, &links),
        ] {
            assert!(!page.contains("<script>") && !page.contains("a.pt/\">"), "{page}");
        }
    }
}
