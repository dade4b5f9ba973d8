//! Tests of checking the fields of records.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::warc::Headers;

#[track_caller]
fn check(version: &str, kind: &str, fields: &[(&str, &str)], expected: &[&str]) {
    let mut headers = Headers::new();
    headers.push("WARC-Record-ID", "<urn:test:1>");
    headers.push("WARC-Date", "2024-03-01T09:00:00Z");
    for (name, value) in fields {
        headers.push(*name, *value);
    }
    let head =
        RecordHead { version: version.to_owned(), record_type: RecordType::parse(kind), headers, content_length: 1 };
    let found: Vec<String> = findings(&head)
        .into_problems(0)
        .map(|problem| format!("{}: {}", problem.kind.severity().as_str(), problem.detail))
        .collect();
    assert_eq!(found, expected);
}

const URI: (&str, &str) = ("WARC-Target-URI", "http://a.pt/");
const HTTP: (&str, &str) = ("Content-Type", "application/http; msgtype=response");
const FIELDS: (&str, &str) = ("Content-Type", "application/warc-fields");

#[test]
fn what_is_right_is_passed() {
    check("WARC/1.0", "response", &[URI, HTTP, ("WARC-IP-Address", "::1")], &[]);
    check("WARC/1.0", "warcinfo", &[FIELDS, ("WARC-Filename", "a.warc")], &[]);
    check("WARC/1.1", "metadata", &[FIELDS, ("WARC-Refers-To", "<urn:x:1>")], &[]);
    let segment = [URI, ("WARC-Segment-Number", "2"), ("WARC-Segment-Origin-ID", "<urn:x:1>")];
    check("WARC/1.0", "continuation", &segment, &[]);
    check("ARC/1.0", "response", &[], &[]);
}

#[test]
fn each_type_has_its_own_fields() {
    check("WARC/1.0", "response", &[HTTP], &["error: a response record needs WARC-Target-URI"]);
    check(
        "WARC/1.0",
        "warcinfo",
        &[FIELDS, URI, ("WARC-IP-Address", "1.2.3.4")],
        &[
            "error: a warcinfo record shall not have WARC-IP-Address",
            "error: a warcinfo record shall not have WARC-Target-URI",
        ],
    );
    check(
        "WARC/1.0",
        "request",
        &[URI, ("Content-Type", "application/http"), ("WARC-Refers-To", "<urn:x:1>"), ("WARC-Filename", "x")],
        &[
            "error: a request record shall not have WARC-Refers-To",
            "error: a request record shall not have WARC-Filename",
        ],
    );
    check(
        "WARC/1.0",
        "continuation",
        &[URI, ("WARC-Segment-Number", "1")],
        &[
            "error: a continuation record needs WARC-Segment-Origin-ID",
            "error: a continuation record cannot be segment 1",
        ],
    );
    check(
        "WARC/1.0",
        "resource",
        &[URI, ("Content-Type", "x/y"), ("WARC-Segment-Number", "3")],
        &["error: segment 3 must be a continuation record, not resource"],
    );
}

#[test]
fn dates_fit_the_version() {
    let date = |version: &str, date: &str, expected: &[&str]| {
        let found = date_form(date, version);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{version} {date}");
    };
    for fine in ["2024", "2024-03", "2024-03-01", "2024-03-01T09:00Z", "2024-03-01T09:00:00.123456789Z"] {
        date("WARC/1.1", fine, &[]);
        date("WARC/1.0", fine, &["is of a form that WARC/1.1 brought"]);
    }
    for odd in ["20240301090000", "2024-03-01T09:00:00", "2024-03-01T09:00:00+01:00", "2024-03-01T09:00:00.1234567890Z"]
    {
        if crate::uri::CaptureDate::parse(odd).is_ok() {
            date("WARC/1.1", odd, &["is not of the form YYYY-MM-DDThh:mm:ssZ"]);
        }
    }
}

#[test]
fn values_are_checked() {
    let wild = |fields: &[(&str, &str)], expected: &[&str]| {
        check("WARC/1.0", "resource", &[&[URI, ("Content-Type", "x/y")], fields].concat(), expected);
    };
    wild(&[("WARC-Block-Digest", "ABC")], &["error: WARC-Block-Digest “ABC” does not name its algorithm"]);
    wild(&[("WARC-IP-Address", "a.pt")], &["error: WARC-IP-Address “a.pt” is no address"]);
    wild(&[("WARC-Concurrent-To", "urn:x:1")], &["error: WARC-Concurrent-To is not in angle brackets"]);
    wild(&[("WARC-Warcinfo-ID", "<x>")], &["error: WARC-Warcinfo-ID is no URI"]);
    wild(&[("WARC-Truncated", "bored")], &["warning: WARC-Truncated “bored” is no reason that the standard knows"]);
    check("WARC/1.0", "resource", &[("WARC-Target-URI", "<http://a.pt/>"), ("Content-Type", "x/y")], &[]);
    let brackets = [("WARC-Target-URI", "<http://a.pt/>"), ("Content-Type", "x/y")];
    check("WARC/1.1", "resource", &brackets, &["error: WARC-Target-URI is in angle brackets"]);
}

#[test]
fn revisits_are_advised() {
    let refers = ("WARC-Refers-To", "<urn:x:1>");
    let digest = ("WARC-Payload-Digest", "sha1:X");
    let profile = |value: &'static str| ("WARC-Profile", value);
    let standard = profile("http://netpreserve.org/warc/1.0/revisit/identical-payload-digest");
    check("WARC/1.0", "revisit", &[URI, HTTP, standard, refers, digest], &[]);
    check(
        "WARC/1.0",
        "revisit",
        &[URI, HTTP, standard],
        &[
            "error: a revisit record with this profile needs WARC-Payload-Digest",
            "warning: the revisit does not say which record it repeats",
        ],
    );
    check(
        "WARC/1.0",
        "revisit",
        &[URI, HTTP, refers, profile("urn:x")],
        &["warning: the revisit profile “urn:x” is not known"],
    );
    let wild = "http://netpreserve.org/warc/0.18/revisit/server-not-modified";
    check(
        "WARC/1.0",
        "revisit",
        &[URI, HTTP, refers, profile(wild)],
        &[&format!("warning: the revisit profile “{wild}” is not spelled as in the standard")],
    );
    check(
        "WARC/1.0",
        "response",
        &[URI, HTTP, standard],
        &["warning: WARC-Profile means nothing in a response record"],
    );
}
