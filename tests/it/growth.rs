//! Time against size: whatever the shape of an input, twice as much of it takes
//! about twice as long. Timings belong to a machine that does nothing else:
//!
//!     cargo test --release --test it growth -- --ignored --test-threads=1

use crate::archive::gzip;
use crate::hostile::targets;
use fonds::links::{PageOptions, read_links, read_page};
use fonds::uri::Url;
use std::time::{Duration, Instant};

/// As much as twice the input may take more time.
const MOST_GROWTH: f64 = 2.5;
/// Shorter runs are all noise.
const LEAST: Duration = Duration::from_millis(40);
/// Inputs do not grow beyond this: what is quick up to here is quick enough.
const MOST_BYTES: usize = 32 << 20;
/// Another program may have been in the way.
const TRIES: usize = 4;

/// An input of about so many bytes.
type Shape = Box<dyn Fn(usize) -> Vec<u8>>;

fn repeated(unit: &'static str) -> Shape {
    Box::new(move |bytes| unit.repeat(bytes / unit.len() + 1).into_bytes())
}

/// One long thing before many short ones, half of the bytes each.
fn half_and_half(begin: &'static str, long: &'static str, end: &'static str, unit: &'static str) -> Shape {
    Box::new(move |bytes| {
        let (long, units) = (long.repeat(bytes / 2 / long.len() + 1), unit.repeat(bytes / 2 / unit.len() + 1));
        [begin, &long, end, &units].concat().into_bytes()
    })
}

/// Something within itself.
fn nested(open: &'static str, close: &'static str) -> Shape {
    Box::new(move |bytes| {
        let depth = bytes / (open.len() + close.len()) + 1;
        [open.repeat(depth), close.repeat(depth)].concat().into_bytes()
    })
}

/// Units with their numbers in them: no two are the same.
fn numbered(begin: &'static str, unit: fn(usize) -> String, end: &'static str) -> Shape {
    Box::new(move |bytes| {
        let mut text = begin.to_owned();
        for number in 0.. {
            if text.len() >= bytes {
                break;
            }
            text.push_str(&unit(number));
        }
        text.push_str(end);
        text.into_bytes()
    })
}

fn time_of(target: fn(&[u8]), input: &[u8]) -> Duration {
    let start = Instant::now();
    target(input);
    start.elapsed()
}

#[track_caller]
fn check(name: &str, target: fn(&[u8]), shape: &Shape) {
    let mut bytes = 1 << 12;
    while time_of(target, &shape(bytes)) < LEAST && bytes < MOST_BYTES {
        bytes *= 2;
    }
    let mut best = f64::MAX;
    for attempt in 0..TRIES {
        // Below some length of its own a shape may take no time at all.
        if attempt > 0 && attempt % 2 == 0 && bytes < MOST_BYTES {
            bytes *= 2;
        }
        let [one, two] = [bytes, 2 * bytes].map(|bytes| {
            let input = shape(bytes);
            (0..3).map(|_| time_of(target, &input)).min().unwrap_or_default().as_secs_f64()
        });
        best = best.min(two / one);
        if best <= MOST_GROWTH || two < LEAST.as_secs_f64() {
            println!("{name:<40} {bytes:>9} bytes: {one:.3} s, twice as many: {two:.3} s");
            return;
        }
    }
    panic!("{name}: twice {bytes} bytes take {best:.1} times as long");
}

/// Reads a page in both ways.
fn page(data: &[u8]) {
    let (url, options) = (Url::parse("http://example.pt/a/b?c").unwrap(), PageOptions::default());
    let page = read_page(data, None, &url, &options);
    let mut count = 0;
    read_links(data, None, &url, &options, |_| count += 1);
    assert_eq!(page.links.len(), count);
}

#[test]
#[ignore = "timings"]
fn pages_take_time_in_proportion_to_their_length() {
    for (name, shape) in [
        ("links", repeated("<a href=/one>one</a>\n")),
        ("a long base", half_and_half("<base href='http://b.pt/", "b/", "'>", "<a href=x>x</a>")),
        ("a long page of text", repeated("some words of text ")),
        ("nested links", nested("<a href=x>", "</a>")),
        ("nested elements", nested("<div>", "</div>")),
        ("nested bold", nested("<b>", "")),
        ("misnested", repeated("<p><b><i></p></b></i>")),
        ("nested tables", nested("<table><tr><td>", "")),
        ("buttons", nested("<p><button>", "")),
        ("select", nested("<select><option>", "")),
        ("foreign", nested("<svg><a>", "")),
        ("templates", nested("<template>", "")),
        ("attributes of one tag", numbered("<a ", |number| format!("a{number}=b "), ">")),
        ("attributes of one name", half_and_half("<a ", "href=x ", ">", "<a href=y>")),
        ("one long attribute", half_and_half("<a href='", "x", "'>", "<a href=y>")),
        ("link types", half_and_half("<a href=x rel='", "next ", "'>", "<a href=y>")),
        ("srcset", half_and_half("<img srcset='", "a 1x, ", "'>", "<a href=y>")),
        ("open comments", repeated("<!-- ")),
        ("open tags", repeated("<a ")),
        ("open quotes", repeated("<a b='")),
        ("entities", repeated("&amp;&notit;&#xffff;")),
        ("styles", half_and_half("<style>", "a{b:url(c)}", "</style>", "<a style='d:url(e)'>")),
        ("imports", half_and_half("<style>", "@import ", "</style>", "<a>")),
        ("scripts", repeated("<script>'</scrip")),
        ("titles", repeated("<title>a</title>")),
        ("images in a link", half_and_half("<a href=x>", "<img alt=a src=b>", "</a>", "<a href=y>")),
        ("charsets", repeated("<meta charset=x>")),
        ("dots", half_and_half("<a href='/", "../a/", "'>", "<a href=../../y>")),
    ] {
        check(name, page, &shape);
    }
}

#[test]
#[ignore = "timings"]
fn archives_take_time_in_proportion_to_their_length() {
    const RECORD: &str =
        "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:a>\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
    for (name, shape) in [
        ("records", repeated(RECORD)),
        ("heads", repeated("WARC/1.0\r\n")),
        ("fields", half_and_half("WARC/1.0\r\n", "A: b\r\n", "\r\n", "x")),
        ("garbage", repeated("garbage\r\n\r\n")),
        ("wrong lengths", repeated("WARC/1.0\r\nContent-Length: 99999999\r\n\r\nabc\r\n\r\n")),
        ("members", Box::new(|bytes| gzip(RECORD.as_bytes()).repeat(bytes / 120 + 1))),
        ("broken members", Box::new(|bytes| gzip(RECORD.as_bytes())[..60].repeat(bytes / 60 + 1))),
    ] {
        check(name, targets::warc, &shape);
    }
    check("arc records", targets::arc, &repeated("http://a.pt/ 1.2.3.4 20240301090000 text/html 3\nabc\n"));
    check("index lines", targets::cdx, &repeated("pt,a)/ 20240301090000 {\"url\": \"http://a.pt/\"}\n"));
    check("one index line", targets::cdx, &half_and_half("pt,a)/ 2024 {\"a\": \"", "b", "\"}\n", "x\n"));
    check(
        "chunks",
        targets::http,
        &half_and_half("@HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", "", "z"),
    );
    check("fields", targets::http, &half_and_half("@HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n", "z"));
}

#[test]
#[ignore = "timings"]
fn other_files_take_time_in_proportion_to_their_length() {
    const SCOPE: &str = "<beans><bean id='scope' class='DecideRuleSequence'><property name='rules'><list>";
    const DECISION: &str = "{\"url\":\"http://a.pt/\",\"status_code\":200,\"timestamp\":\"2014-11-05T10:17:39Z\"}\n";
    for (name, target, shape) in [
        ("strings of PDF", targets::pdf as fn(&[u8]), repeated("/URI (http://a.pt/) ")),
        ("open strings of PDF", targets::pdf, repeated("/URI (")),
        ("open hexadecimal strings of PDF", targets::pdf, repeated("/URI <")),
        ("streams of PDF", targets::pdf, repeated("/ObjStm/FlateDecode stream x")),
        ("objects of PDF", targets::pdf, numbered("", |n| format!("{n} 0 obj<</Type/Page/Parent 1 0 R>> "), "")),
        ("sets of words", targets::request, repeated("a AND b OR ")),
        ("groups", targets::request, nested("(", ")")),
        ("robots", targets::robots, repeated("User-agent: fonds\nDisallow: /a*b$\n")),
        (
            "wildcards of robots",
            targets::robots,
            half_and_half("User-agent: *\nDisallow: /", "*a", "$\n", "Allow: /\n"),
        ),
        ("keys", targets::keys, repeated("http://www.a.pt/b/../c?d=e&f=g#h\n")),
        ("one long key", targets::keys, half_and_half("http://a.pt/?", "b=c&", "\n", "http://a.pt/\n")),
        ("labels", targets::keys, half_and_half("http://", "a.", "pt/\n", "http://a.pt/\n")),
        ("lines of a scope log", targets::scope_log, repeated("2014-11-05T10:17:39.790Z 4 A ACCEPT http://a.pt/ {}\n")),
        ("a campaign", targets::campaign_json, nested("[", "]")),
        (
            "seeds",
            targets::campaign_json,
            numbered(
                "{\"name\":\"a\",\"seeds\":[{\"url\":\"http://a.pt/\"}",
                |n| format!(",{{\"url\":\"http://a.pt/{n}\"}}"),
                "]}",
            ),
        ),
        ("elements of a job", targets::job_config, repeated("<a b='c'>")),
        ("attributes of a job", targets::job_config, numbered("<a ", |n| format!("a{n}='b' "), "/>")),
        ("namespaces of a job", targets::job_config, numbered("<a>", |n| format!("<b xmlns:a{n}='b'>"), "")),
        (
            "namespaces that are used",
            targets::job_config,
            half_and_half("<a>", "<b xmlns:a='b' a:c='d'/>", "</a>", " "),
        ),
        (
            "rules of a job",
            targets::job_config,
            numbered(SCOPE, |_| "<bean class='RejectDecideRule'/>".to_owned(), "</list></property></bean></beans>"),
        ),
        ("texts of a job", targets::browsertrix, repeated("a\u{85}b ")),
        ("decisions", targets::decisions, repeated(DECISION)),
        (
            "pages of a crawl",
            targets::decisions,
            numbered("", |n| format!("{{\"id\":\"{n}\",\"url\":\"http://a.pt/{n}\",\"seed\":true}}\n"), ""),
        ),
        (
            "entries of a feed",
            targets::feed,
            numbered(
                "[",
                |n| {
                    format!(
                        "{}{{\"id\":{n},\"title\":\"a\",\"seeds\":[\"http://a.pt/\"]}}",
                        if n > 0 { "," } else { "" }
                    )
                },
                "]",
            ),
        ),
    ] {
        check(name, target, &shape);
    }
}
