//! Requests of a replay, header fields and single references, as clients and archives write them.

use super::{Dice, text_of};
use fonds::replay::{
    CdxRequest, Cookies, Hint, Part, REPLAY_PATH, ReplayUrl, Rewriter, frame_page, parse_http_date, part_of,
    plain_page, replay_path, rewrite_field,
};
use fonds::uri::parse_web_url;

/// A line is a request in each of its forms, and a field of an answer.
pub fn replay(data: &[u8]) {
    let mut dice = Dice::of(data);
    let text = text_of(data);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    if let Some(read) = ReplayUrl::parse(first, Some(rest).filter(|rest| !rest.is_empty()))
        && let Some(url) = read.target()
    {
        // What leads to it is read as the same.
        let path = replay_path("", "20240105093000", Hint::Page, url.as_str());
        let again = ReplayUrl::parse(&path[REPLAY_PATH.len()..], None).unwrap();
        assert_eq!((again.hint, again.target()), (Hint::Page, Some(url)));
    }
    if let Ok(request) = CdxRequest::parse(first) {
        assert!(request.limit <= 100_000 && request.captures_to_read() <= 100_000);
        request.write_count(dice.below(1 << 20) as u64);
    }
    let len = dice.below(5_000) as u64;
    if let Part::Bytes(part) = part_of(Some(first), len) {
        assert!(part.start < part.end && part.end <= len, "{part:?} of {len}");
    }
    parse_http_date(first);
    let rewriter = Rewriter::new(parse_web_url("http://example.pt/a/b?c").unwrap(), "20240105093000");
    let cookies = [Cookies::Dropped, Cookies::OfHost][dice.below(2)];
    let names = ["Location", "Link", "Refresh", "Set-Cookie", "Content-Type", "NEL", first];
    let name = names[dice.below(names.len())];
    if let Some((_, value)) = rewrite_field(&rewriter, Hint::Page, cookies, name, rest) {
        assert!(!value.contains(['\r', '\n']), "{value:?}");
    }
    for written in [rewriter.srcset(first), rewriter.refresh(first)] {
        assert!(written.len() <= first.len() * 100 + 1000, "{} bytes of {}", written.len(), first.len());
    }
    for page in [frame_page("", "http://127.0.0.1:1", &text), plain_page("", &text, &[first.to_owned()], &[])] {
        assert_eq!(page.matches("<script").count(), page.matches("<script src=\"/frame.js\">").count(), "{page}");
    }
}
