//! The examples of the replay reference, and what holds for any input.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn rewriter(base: &str) -> Rewriter {
    Rewriter::new(Url::parse(base).unwrap(), "20240105093000")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// What comes out of an example, where its kind is one of rewriting.
fn answer(vector: &Value) -> Option<String> {
    let field = |name: &str| vector[name].as_str().unwrap_or_default();
    let (input, hint) = (field("input"), Hint::named(field("modifier")).unwrap());
    let rewriter = rewriter(field("base_url"));
    let pair = |cookies| {
        let (name, value) = input.split_once(": ").unwrap();
        let field = rewrite_field(&rewriter, hint, cookies, name, value);
        field.map_or("(none)".to_owned(), |(name, value)| format!("{name}: {value}"))
    };
    Some(match field("kind") {
        "url" => rewriter.url(input, hint, false).unwrap_or_else(|| input.to_owned()),
        "html" | "base" if !field("expected").starts_with("Content-Security-Policy") => {
            text(rewriter.html(input.as_bytes(), None, None).bytes)
        }
        "insert" => text(Rewriter::insert(input.as_bytes(), "{INSERT}")),
        "srcset" => rewriter.srcset(input),
        "meta_refresh" => rewriter.refresh(input),
        "css" => text(rewriter.css(input.as_bytes(), None).bytes),
        "script" => text(rewriter.script(input.as_bytes())),
        "header" => pair(Cookies::Dropped),
        "cookie" if input.starts_with("Set-Cookie") => {
            match field("note").contains("option 'host'") || input.contains("Domain") {
                true => pair(Cookies::OfHost),
                false => pair(Cookies::Dropped),
            }
        }
        _ => return None,
    })
}

#[test]
fn agrees_with_the_examples_of_the_reference() {
    let Some(path) = crate::testing::data("replay/vectors.json") else { return };
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        let Some(found) = answer(vector) else { continue };
        count += 1;
        if Some(found.as_str()) != vector["expected"].as_str() {
            wrong.push(format!(
                "{}: {}\n  expected {}\n  found    {found}",
                vector["kind"], vector["input"], vector["expected"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 140, "{count}");
}

#[test]
fn references_keep_the_charset_of_their_page() {
    let page = b"<meta charset=shift_jis><a href=\"/x?q=\x83\x65\">\x83\x65</a><a href='b'>";
    let found = rewriter("https://a.pt/").html(page, None, None);
    assert_eq!(found.charset, None);
    let expected =
        b"<meta charset=shift_jis><a href=\"/w/20240105093000mp_/https://a.pt/x?q=%83e\">\x83\x65</a><a href='b'>";
    assert_eq!(found.bytes, expected);
    // What is no superset of ASCII goes out as UTF-8.
    let page: Vec<u8> = "\u{feff}<a href='/ç'>ç".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let found = rewriter("https://a.pt/").html(&page, None, None);
    assert_eq!(text(found.bytes), "<a href='/w/20240105093000mp_/https://a.pt/%C3%A7'>ç");
    assert_eq!(found.charset, Some("UTF-8"));
    // A wrong declaration costs no byte.
    let page = b"<p>\xe9<a href=/b>";
    let found = rewriter("https://a.pt/").html(page, Some("utf-8"), None).bytes;
    assert_eq!(found, b"<p>\xe9<a href=/w/20240105093000mp_/https://a.pt/b>");
    let sheet = b"\xef\xbb\xbfa{b:url(/c)}";
    let found = rewriter("https://a.pt/").css(sheet, None);
    assert_eq!(
        (text(found.bytes).as_str(), found.charset),
        ("a{b:url(/w/20240105093000oe_/https://a.pt/c)}", Some("UTF-8"))
    );
}

#[test]
fn what_is_written_in_other_ways_is_rewritten_too() {
    for (page, expected) in [
        ("<a href='/a' href='/b'>", "<a href='/w/20240105093000mp_/https://a.pt/a' href='/b'>"),
        ("<a href=\"/a'\">", "<a href=\"/w/20240105093000mp_/https://a.pt/a'\">"),
        ("<a href='/a&apos;'>", "<a href='/w/20240105093000mp_/https://a.pt/a&#39;'>"),
        ("<a href=/a?b=c>", "<a href=/w/20240105093000mp_/https://a.pt/a?b=c>"),
        ("<a href=.%2e/x>", "<a href=/w/20240105093000mp_/https://a.pt/x>"),
        (
            "<p style=\"a:url(/b);content:'é'\">",
            "<p style=\"a:url(/w/20240105093000oe_/https://a.pt/b);content:'&#233;'\">",
        ),
        (
            "<svg><style><a href='/x'></style></svg>",
            "<svg><style><a href='/w/20240105093000mp_/https://a.pt/x'></style></svg>",
        ),
        (
            "<link rel='preconnect stylesheet' href=/a>",
            "<link rel='_preconnect stylesheet' href=/w/20240105093000cs_/https://a.pt/a>",
        ),
        ("<base href='data:,x'><a href=/y>", "<base href='data:,x'><a href=/w/20240105093000mp_/https://a.pt/y>"),
        ("<a href='/w/2024mp_/http://b.pt/'>", "<a href='/w/20240105093000mp_/https://a.pt/w/2024mp_/http://b.pt/'>"),
    ] {
        assert_eq!(text(rewriter("https://a.pt/").html(page.as_bytes(), None, None).bytes), expected, "{page}");
    }
}

#[test]
fn links_of_fields_that_only_connect_are_left_out() {
    let rewriter = rewriter("https://a.pt/");
    let field = |value| rewrite_field(&rewriter, Hint::Page, Cookies::Dropped, "Link", value).map(|(_, value)| value);
    assert_eq!(field("<https://b.pt>; rel=preconnect, </a.js>; rel=\"dns-prefetch\""), None);
    assert_eq!(
        field("<https://b.pt>; rel=preconnect, </a,b.js>; rel=modulepreload").as_deref(),
        Some("</w/20240105093000js_/https://a.pt/a,b.js>; rel=modulepreload")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a page is, rewriting gives an answer; where it has no reference it gives the same bytes; what was
    /// rewritten stays as it is.
    #[test]
    fn any_page_is_rewritten_once(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<a href=", "'/x'", "\"http://b.pt/?a&b\"", " srcset='/a 1x, /b'", ">", "<style>", "url(/a)", "</style>", "<script>",
            "</script>", "<svg>", "<base href=/c/>", "é", "&quot;", "<!--", "-->", "\\", "<meta http-equiv=refresh content='0;/x'>",
            "<iframe srcdoc=\"<a href='/q'>\">", "@import '/s';", "\u{0}", "<", "/", " style='a:url(\"/k\")'", "<title>", "</title>",
        ]), 0..24),
    ) {
        let page = parts.concat();
        let once = rewriter("https://a.pt/b/").html(page.as_bytes(), Some("utf-8"), None).bytes;
        let again = rewriter("https://a.pt/b/").html(&once, Some("utf-8"), None).bytes;
        prop_assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&once));
        prop_assert!(once.len() <= page.len() * 40 + 200);
        if !page.contains(['/', '\\']) {
            prop_assert_eq!(once, page.into_bytes());
        }
    }

    #[test]
    fn any_bytes_are_rewritten(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let rewriter = rewriter("https://a.pt/");
        rewriter.clone().html(&bytes, None, Some("<script>"));
        rewriter.clone().css(&bytes, None);
        rewriter.script(&bytes);
        let value = String::from_utf8_lossy(&bytes);
        rewriter.srcset(&value);
        rewriter.refresh(&value);
        for name in ["Location", "Link", "Set-Cookie", "Refresh"] {
            rewrite_field(&rewriter, Hint::Page, Cookies::OfHost, name, &value);
        }
    }
}
