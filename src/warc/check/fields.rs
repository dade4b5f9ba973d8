//! Checks which fields a record has, and their values (WARC/1.0 and 1.1, clauses 5 to 7).
//!
//! The reader has reported missing mandatory fields and duplicate fields already.

use super::super::findings::Findings;
use super::super::revisit::RevisitProfile;
use super::super::{ProblemKind, RecordHead, RecordType};
use RecordType::{Continuation, Conversion, Metadata, Request, Resource, Response, Revisit, Warcinfo};

/// A field and the types of records that shall not have it.
const FORBIDDEN: [(&str, &[RecordType]); 9] = [
    ("WARC-Concurrent-To", &[Warcinfo, Conversion, Continuation]),
    ("WARC-IP-Address", &[Warcinfo, Conversion, Continuation]),
    ("WARC-Refers-To", &[Warcinfo, Response, Resource, Request, Continuation]),
    ("WARC-Target-URI", &[Warcinfo]),
    ("WARC-Warcinfo-ID", &[Warcinfo]),
    ("WARC-Filename", &[Response, Resource, Request, Metadata, Revisit, Conversion, Continuation]),
    ("WARC-Segment-Origin-ID", &[Warcinfo, Response, Resource, Request, Metadata, Revisit, Conversion]),
    ("WARC-Segment-Total-Length", &[Warcinfo, Response, Resource, Request, Metadata, Revisit, Conversion]),
    ("WARC-Payload-Digest", &[Warcinfo]),
];

/// A field and the types of records that shall have it.
const MANDATORY: [(&str, &[RecordType]); 4] = [
    ("WARC-Target-URI", &[Response, Resource, Request, Revisit, Conversion, Continuation]),
    ("WARC-Profile", &[Revisit]),
    ("WARC-Segment-Origin-ID", &[Continuation]),
    ("WARC-Segment-Number", &[Continuation]),
];

/// Fields whose value is a URI in angle brackets.
const IDS: [&str; 5] =
    ["WARC-Record-ID", "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Warcinfo-ID", "WARC-Segment-Origin-ID"];

/// Everything that is wrong with the fields of a record, or unwise.
pub(super) fn findings(head: &RecordHead) -> Findings {
    let mut found = Findings::default();
    if !head.is_arc() {
        presence(head, &mut found);
        values(head, &mut found);
        advice(head, &mut found);
    }
    found
}

fn presence(head: &RecordHead, found: &mut Findings) {
    let kind = &head.record_type;
    let has = |name: &str| head.headers.get_bytes(name).is_some_and(|value| !value.is_empty());
    for (name, types) in MANDATORY {
        if types.contains(kind) && !has(name) {
            found.push((ProblemKind::BadField, format!("a {kind} record needs {name}")));
        }
    }
    for (name, types) in FORBIDDEN {
        if types.contains(kind) && has(name) {
            found.push((ProblemKind::BadField, format!("a {kind} record shall not have {name}")));
        }
    }
    if *kind == Revisit
        && head.headers.get("WARC-Profile").is_some_and(|uri| {
            RevisitProfile::parse(&uri) == RevisitProfile::IdenticalPayload && !has("WARC-Payload-Digest")
        })
    {
        found.push((ProblemKind::BadField, "a revisit record with this profile needs WARC-Payload-Digest".to_owned()));
    }
}

fn values(head: &RecordHead, found: &mut Findings) {
    let mut bad = |detail: String| found.push((ProblemKind::BadField, detail));
    let text = |name: &str| head.headers.get_trimmed(name);
    for name in IDS {
        for value in head.headers.all(name).filter(|value| !value.is_empty()) {
            let value = String::from_utf8_lossy(value);
            match value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
                // The drafts before WARC/1.0 did not require them.
                None if head.version.to_ascii_uppercase().starts_with("WARC/0.") => {}
                None => bad(format!("{name} is not in angle brackets")),
                Some(uri) if !is_uri(uri) => bad(format!("{name} is no URI")),
                Some(_) => {}
            }
        }
    }
    if let Some(uri) = text("WARC-Target-URI") {
        let bare = uri.trim_matches(['<', '>']);
        // The reader reports a blank of each record.
        if !bare.contains(char::is_whitespace) && !is_uri(bare) {
            bad("WARC-Target-URI is no URI".to_owned());
        }
        // The grammar of WARC/1.0 required them by mistake; its examples had none.
        if uri.starts_with('<') && head.version.eq_ignore_ascii_case("WARC/1.1") {
            bad("WARC-Target-URI is in angle brackets".to_owned());
        }
    }
    if let Some(date) = text("WARC-Date") {
        date_form(&date, &head.version).into_iter().for_each(|why| bad(format!("WARC-Date “{}” {why}", clip(&date))));
    }
    if let Some(date) = text("WARC-Refers-To-Date")
        && crate::uri::CaptureDate::parse(&date).is_err()
    {
        bad(format!("WARC-Refers-To-Date “{}” is no date", clip(&date)));
    }
    if let Some(ip) = text("WARC-IP-Address")
        && ip.parse::<std::net::IpAddr>().is_err()
    {
        bad(format!("WARC-IP-Address “{}” is no address", clip(&ip)));
    }
    for name in ["WARC-Block-Digest", "WARC-Payload-Digest"] {
        if let Some(digest) = text(name)
            && digest.split_once(':').is_none_or(|(algorithm, value)| algorithm.is_empty() || value.is_empty())
        {
            bad(format!("{name} “{}” does not name its algorithm", clip(&digest)));
        }
    }
    let number = |name: &str| text(name).map(|number| (number.parse::<u64>().ok(), number));
    for name in ["WARC-Segment-Number", "WARC-Segment-Total-Length"] {
        if let Some((None, number)) = number(name) {
            bad(format!("{name} “{}” is no number", clip(&number)));
        }
    }
    if let Some((Some(number), _)) = number("WARC-Segment-Number") {
        match (&head.record_type, number) {
            (_, 0) => bad("WARC-Segment-Number counts from 1".to_owned()),
            (Continuation, 1) => bad("a continuation record cannot be segment 1".to_owned()),
            (Continuation, _) | (_, 1) => {}
            (kind, number) => bad(format!("segment {number} must be a continuation record, not {kind}")),
        }
    }
}

fn advice(head: &RecordHead, found: &mut Findings) {
    let mut advise = |detail: String| found.push((ProblemKind::Advice, detail));
    let text = |name: &str| head.headers.get_trimmed(name);
    let kind = text("Content-Type");
    let mime = kind.as_deref().map(|kind| kind.split(';').next().unwrap_or_default().trim());
    let is = |mime: &str, name: &str| mime.eq_ignore_ascii_case(name);
    if head.content_length > 0 && kind.is_none() && head.record_type != Continuation {
        advise("Content-Type is missing".to_owned());
    }
    if let RecordType::Other(other) = &head.record_type
        && !other.is_empty()
    {
        advise(format!("“{}” is no type of record that the standard knows", clip(other)));
    }
    let is_web = text("WARC-Target-URI").is_some_and(|uri| {
        let uri = uri.trim_start_matches('<').as_bytes();
        let begins = |with: &[u8]| uri.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with));
        begins(b"http://") || begins(b"https://")
    });
    match (&head.record_type, mime) {
        (Warcinfo, Some(mime)) if !is(mime, "application/warc-fields") => {
            advise("application/warc-fields is recommended for warcinfo records".to_owned());
        }
        (Response | Request, Some(mime)) if is_web && !is(mime, "application/http") => {
            advise(format!("a {} of a web URL should be application/http", head.record_type));
        }
        _ => {}
    }
    if head.record_type == Revisit
        && let Some(uri) = text("WARC-Profile")
    {
        match RevisitProfile::parse(&uri) {
            RevisitProfile::Other(_) => advise(format!("the revisit profile “{}” is not known", clip(&uri))),
            profile if !profile.is_standard(&uri) => {
                advise(format!("the revisit profile “{}” is not spelled as in the standard", clip(&uri)));
            }
            _ => {}
        }
        let refers = ["WARC-Refers-To", "WARC-Refers-To-Target-URI"].iter().any(|name| text(name).is_some());
        if !refers {
            advise("the revisit does not say which record it repeats".to_owned());
        }
    } else if text("WARC-Profile").is_some() {
        advise(format!("WARC-Profile means nothing in a {} record", head.record_type));
    }
    if let Some(reason) = text("WARC-Truncated")
        && !["length", "time", "disconnect", "unspecified"].contains(&reason.to_ascii_lowercase().as_str())
    {
        advise(format!("WARC-Truncated “{}” is no reason that the standard knows", clip(&reason)));
    }
}

/// Problem of the form of a date: WARC/1.1 takes parts of a date and fractions of up to nine digits, its
/// forerunners whole seconds.
fn date_form(date: &str, version: &str) -> Option<&'static str> {
    if crate::uri::CaptureDate::parse(date).is_err() {
        // The reader has reported it.
        return None;
    }
    // `d` replaces a digit. RFC 3339 permits small letters.
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { 'd' } else { c.to_ascii_uppercase() }).collect();
    let seconds = "dddd-dd-ddTdd:dd:dd";
    if shape.strip_suffix('Z') == Some(seconds) {
        return None;
    }
    let is_new = !matches!(version.to_ascii_uppercase().as_str(), "WARC/0.17" | "WARC/0.18" | "WARC/1.0");
    let is_part = ["dddd", "dddd-dd", "dddd-dd-dd", "dddd-dd-ddTdd:ddZ"].contains(&shape.as_str());
    let fraction = shape.strip_prefix(seconds).and_then(|rest| rest.strip_prefix('.')?.strip_suffix('Z'));
    let is_fraction =
        fraction.is_some_and(|digits| (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b == b'd'));
    match (is_part || is_fraction, is_new) {
        (true, true) => None,
        (true, false) => Some("is of a form that WARC/1.1 brought"),
        (false, _) => Some("is not of the form YYYY-MM-DDThh:mm:ssZ"),
    }
}

fn is_uri(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap_or_default();
    scheme.len() < text.len()
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !text.contains(char::is_whitespace)
}

/// At most the first 80 characters, for a message.
fn clip(text: &str) -> String {
    super::super::read::clip(text)
}

#[cfg(test)]
mod tests;
