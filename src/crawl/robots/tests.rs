#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[track_caller]
fn check(robots: &str, target: &str, expected: Option<&str>) {
    let rules = RobotsRules::from_answer(Some(200), robots.as_bytes(), "FooBot/1.0 (+https://foo.bar/)");
    let why = match rules.fact(&url(target)) {
        RobotsFact::Denied { why } => Some(why),
        _ => None,
    };
    assert_eq!(why.as_deref(), expected, "{target}\n{robots}");
}

#[test]
fn names_the_line_that_decides() {
    let robots = "# all\nUser-agent: *\nDisallow: /private/ # keep out\nAllow: /private/open/\nDisallow: /*.php$\n";
    check(robots, "http://foo.bar/", None);
    check(robots, "http://foo.bar/private/x", Some("line 3: Disallow: /private/ # keep out"));
    check(robots, "http://foo.bar/private/open/x", None);
    check(robots, "http://foo.bar/a/b.php", Some("line 5: Disallow: /*.php$"));
    check(robots, "http://foo.bar/a/b.php?x", None);
    check("User-agent: *\nDisallow: /", "http://foo.bar/robots.txt", None);
    check("Disallow: /", "http://foo.bar/x", None);
    check("User-agent: Other\nDisallow: /", "http://foo.bar/x", None);
    check("User-agent: foobot/2.1\r\nDisallow: /x", "http://foo.bar/x", Some("line 3: Disallow: /x"));
}

#[test]
fn spellings_of_a_path_are_one() {
    let denied = |line: &str| Some(format!("line 2: {line}"));
    for (path, target) in [
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/%7Ejoe/", "/~joe/index.html"),
        ("/a%3cd.html", "/a%3Cd.html"),
        ("/a b", "/a%20b"),
        ("/x?a=*&b=1$", "/x?a=foo&b=1"),
        ("/with-a-%2A.html", "/with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/a$b", "/a$b"),
    ] {
        let line = format!("Disallow: {path}");
        check(&format!("User-agent: *\n{line}"), &format!("http://foo.bar{target}"), denied(&line).as_deref());
    }
    check("User-agent: *\nDisallow: /a%2Fb", "http://foo.bar/a/b", None);
}

#[test]
fn the_answer_s_status_decides_first() {
    let body = b"User-agent: *\nDisallow: /x";
    for (status, denied) in [
        (Some(200), true),
        (Some(301), false),
        (Some(404), false),
        (Some(403), false),
        (Some(429), true),
        (Some(500), true),
        (Some(503), true),
        (None, true),
    ] {
        let rules = RobotsRules::from_answer(status, body, "FooBot");
        assert_eq!(matches!(rules.fact(&url("http://foo.bar/x")), RobotsFact::Denied { .. }), denied, "{status:?}");
    }
    let unreachable = RobotsRules::from_answer(None, b"", "FooBot");
    let why = "robots.txt could not be reached".to_owned();
    assert_eq!(unreachable.fact(&url("http://foo.bar/x")), RobotsFact::Denied { why });
    let html = b"\n<!DOCTYPE html>\n<p>User-agent: *\nDisallow: /";
    let rules = RobotsRules::from_answer(Some(200), html, "FooBot");
    assert_eq!(rules.fact(&url("http://foo.bar/x")), RobotsFact::Allowed);
}

#[test]
fn long_files_are_read_up_to_the_limit() {
    let mut body = b"User-agent: *\nDisallow: /early\n".to_vec();
    body.resize(MAX_ROBOTS_BYTES, b'#');
    body.extend_from_slice(b"\nDisallow: /late\n");
    let rules = RobotsRules::from_answer(Some(200), &body, "FooBot");
    assert!(matches!(rules.fact(&url("http://foo.bar/early")), RobotsFact::Denied { .. }));
    assert_eq!(rules.fact(&url("http://foo.bar/late")), RobotsFact::Allowed);
}

#[test]
fn delays_and_sitemaps() {
    let robots = "Sitemap: https://foo.bar/map.xml\nUser-agent: *\nCrawl-delay: 10\nUser-agent: FooBot\n\
                  Crawl-delay: 2.5\nDisallow:\nSitemap: /b.xml # relative";
    let rules = RobotsRules::from_answer(Some(200), robots.as_bytes(), "FooBot");
    assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(2500)));
    assert_eq!(rules.sitemaps(), ["https://foo.bar/map.xml", "/b.xml"]);
    let other = RobotsRules::from_answer(Some(200), robots.as_bytes(), "BarBot");
    assert_eq!(other.crawl_delay(), Some(Duration::from_secs(10)));
    for delay in ["-1", "NaN", "inf", "1e400", "soon"] {
        let robots = format!("User-agent: *\nCrawl-delay: {delay}");
        assert_eq!(RobotsRules::from_answer(Some(200), robots.as_bytes(), "FooBot").crawl_delay(), None, "{delay}");
    }
}

#[test]
fn product_names() {
    for (agent, expected) in [
        ("Fonds/0.1 (+mailto:a@b.pt)", "Fonds"),
        ("Mozilla/5.0 (compatible; fonds/0.1 +https://arquivo.example/)", "fonds"),
        ("bl.uk_lddc_bot/3.3", "bl.uk_lddc_bot"),
        ("FooBot", "FooBot"),
        ("", ""),
    ] {
        assert_eq!(product_name(agent), expected);
    }
}

#[test]
fn agrees_with_the_published_vectors() {
    let Some(table) = crate::testing::data_text("robots/robots.tsv") else { return };
    let (mut passed, mut free, mut free_passed) = (0, 0, 0);
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let text = |at: usize| serde_json::from_str::<String>(columns[at]).unwrap();
        let (agent, target, robots) = (text(3), text(4), text(6));
        let rules = RobotsRules::from_answer(Some(200), robots.as_bytes(), &agent);
        let decided = Url::parse(&target).map_or(RobotsFact::Allowed, |target| rules.fact(&target));
        let right = (decided == RobotsFact::Allowed) == (columns[5] == "allow");
        if columns[2] == "yes" {
            assert!(right, "{row}");
            passed += 1;
        } else {
            free += 1;
            free_passed += usize::from(right);
        }
    }
    println!("robots.txt: {passed} of {passed} rows of RFC 9309, {free_passed} of {free} rows left to programs");
}

/// The plain meaning of a pattern, by trying every split.
fn slow(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| slow(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && slow(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn patterns_match_as_the_plain_search_does(pattern in "/?[ab*]{0,6}\\$?", path in "/[ab]{0,8}") {
        prop_assert_eq!(matches(&pattern, &path), slow(pattern.as_bytes(), path.as_bytes()));
    }

    #[test]
    fn no_body_stops_it(body in proptest::collection::vec(any::<u8>(), 0..300), agent in "\\PC{0,20}") {
        let rules = RobotsRules::from_answer(Some(200), &body, &agent);
        let _ = (rules.fact(&url("http://foo.bar/x?y=%zz")), rules.crawl_delay(), rules.sitemaps());
    }
}
