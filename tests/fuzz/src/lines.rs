//! Lines of text and small files that are read, written and read again.

use super::text_of;
use fonds::campaign::feed::{Dialect, FeedEntry, read_feed, write_feed};
use fonds::campaign::{Campaign, Request};
use fonds::crawl::{CrawlLogLine, RobotsRules};
use fonds::inlinks::read_dataset;
use fonds::scope::{RobotsFact, ScopeLine};
use fonds::uri::parse_web_url;

/// Lines of a scope log.
pub fn scope_log(data: &[u8]) {
    for line in text_of(data).split('\n') {
        let Ok(read) = ScopeLine::parse(line) else { continue };
        let written = read.to_string();
        assert_eq!(ScopeLine::parse(&written).as_ref(), Ok(&read), "{written}");
    }
}

/// Lines of a crawl log.
pub fn crawl_log(data: &[u8]) {
    for line in text_of(data).split('\n') {
        let Ok(read) = CrawlLogLine::parse(line) else { continue };
        let written = read.write();
        assert_eq!(CrawlLogLine::parse(&written).map(|again| again.write()), Ok(written));
    }
}

/// The request of a campaign, as text.
pub fn request(data: &[u8]) {
    let Ok(read) = text_of(data).parse::<Request>() else { return };
    let written = read.to_string();
    assert_eq!(written.parse().as_ref(), Ok(&read), "{written}");
}

/// A campaign file.
pub fn campaign_json(data: &[u8]) {
    let Ok(read) = Campaign::from_json(&text_of(data)) else { return };
    let written = read.to_json();
    let again = Campaign::from_json(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again.to_json(), written);
    read.problems();
}

/// A crawl feed: what comes in goes out again, by way of a campaign too.
pub fn feed(data: &[u8]) {
    let feed = read_feed(&text_of(data));
    assert!(feed.entries.len() <= feed.found);
    let entries: Vec<FeedEntry> = feed.entries.into_iter().map(|(_, entry)| entry).collect();
    for entry in &entries {
        let alone = write_feed(std::slice::from_ref(entry), entry.dialect, &feed.beside);
        let again = read_feed(&alone);
        assert_eq!(again.entries.first().map(|(_, entry)| &entry.fields), Some(&entry.fields), "{alone}");
        let mut campaign = Campaign::new("");
        campaign.take_entry(entry);
        assert_eq!(campaign.feed_entry("1").0, *entry);
    }
    for dialect in Dialect::ALL {
        let written = write_feed(&entries, dialect, &feed.beside);
        assert!(entries.is_empty() || !read_feed(&written).entries.is_empty(), "{written}");
    }
}

/// Objects of the inlink data set.
pub fn dataset(data: &[u8]) {
    for object in read_dataset(data).flatten() {
        let written = serde_json::to_string(&object).unwrap();
        assert_eq!(read_dataset(written.as_bytes()).next().unwrap().unwrap(), object, "{written}");
    }
}

/// robots.txt: who is denied is told the line.
pub fn robots(data: &[u8]) {
    for answer in
        [RobotsRules::from_text(data, "fonds"), RobotsRules::from_answer(Some(200), data, "Mozilla (Fonds/1)")]
    {
        for url in ["http://a.pt/", "http://a.pt/a/b.html?c=d%20e", "https://a.pt/robots.txt", "http://a.pt/%e9$*"] {
            let url = parse_web_url(url).unwrap();
            if let RobotsFact::Denied { why } = answer.fact(&url) {
                let (number, line) = answer.deciding_line(&url).unwrap();
                assert_eq!(why, format!("line {number}: {line}"));
            }
        }
        assert!(answer.sitemaps().iter().all(|sitemap| sitemap.len() <= 3 * data.len()));
        answer.crawl_delay();
    }
}
