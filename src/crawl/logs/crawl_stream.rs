//! Reader of the stream in which UKWA's crawlers report what they fetched: one
//! JSON object per URL, from Heritrix or from the proxy of the browsers.

use crate::crawl::CrawlLogLine;
use crate::uri::CaptureDate;
use serde_json::{Map, Value};

impl CrawlLogLine {
    /// Reads an object of the stream. `Err` says what is wrong, for a person.
    pub fn parse_stream(line: &str) -> Result<Self, String> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| format!("this is no JSON object ({error})"))?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let number = |name: &str| object.get(name).and_then(Value::as_i64);
        let url = text("url").ok_or("it has no “url”")?.to_owned();
        let status = number("status_code").ok_or("it has no “status_code”")?;
        let logged = text("timestamp").ok_or("it has no “timestamp”")?;
        let (started, took_ms) = match text("start_time_plus_duration").and_then(|times| times.split_once('+')) {
            Some((started, took)) => (CaptureDate::parse(started).ok(), took.parse().ok()),
            None => (None, None),
        };
        let size = number("size").or_else(|| number("content_length"));
        Ok(Self {
            logged: CaptureDate::parse(logged).map_err(|error| error.to_string())?,
            status: i32::try_from(status).map_err(|_| format!("{status} is no status"))?,
            size: size.and_then(|size| u64::try_from(size).ok()),
            url,
            hops: text("hop_path").unwrap_or_default().to_owned(),
            via: text("via").map(str::to_owned),
            mime: text("mimetype").or_else(|| text("content_type")).unwrap_or("-").to_owned(),
            worker: number("thread").and_then(|thread| u32::try_from(thread).ok()).unwrap_or(0),
            started,
            took_ms,
            digest: text("content_digest").map(str::to_owned),
            source_tag: text("seed").unwrap_or_default().to_owned(),
            annotations: text("annotations")
                .unwrap_or_default()
                .split(',')
                .map(str::to_owned)
                .filter(|annotation| !annotation.is_empty())
                .collect(),
            extra: object.get("extra_info").and_then(Value::as_object).cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn data(name: &str) -> Option<String> {
        crate::testing::data_text(&format!("logs/{name}"))
    }

    /// Counts of a log: lines, read, with a scope decision, written back the same.
    fn counts(name: &str, parse: fn(&str) -> Result<CrawlLogLine, String>) -> Option<String> {
        let text = data(name)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let read: Vec<(&str, CrawlLogLine)> =
            lines.iter().filter_map(|line| Some((*line, parse(line).ok()?))).collect();
        for (_, line) in &read {
            // What a reader of Heritrix's logs takes: twelve columns, and JSON behind them.
            let written = line.write();
            assert_eq!(CrawlLogLine::parse(&written).unwrap(), *line, "{written}");
        }
        let same = read.iter().filter(|(text, line)| line.write() == *text).count();
        let decided = read.iter().filter(|(_, line)| line.scope_decision().is_some()).count();
        let count = format!(
            "{name}: {} lines, {} read, {decided} with a scope decision, {same} the same byte for byte",
            lines.len(),
            read.len()
        );
        Some(count)
    }

    #[test]
    fn logs_of_others_are_read_and_written_back() {
        let parse = CrawlLogLine::parse;
        let all = [
            counts("h3-crawl-scopeDecision.log", parse),
            counts("h3-fragment.log", parse),
            counts("h1-job5/crawl.log", parse),
            counts("ukwa-crawled-stream.jsonl", CrawlLogLine::parse_stream),
        ];
        let Some(all) = all.into_iter().collect::<Option<Vec<_>>>() else { return };
        println!("{}", all.join("\n"));
        insta::assert_snapshot!(all.join("\n"), @r"
    h3-crawl-scopeDecision.log: 76 lines, 76 read, 76 with a scope decision, 76 the same byte for byte
    h3-fragment.log: 22 lines, 22 read, 0 with a scope decision, 22 the same byte for byte
    h1-job5/crawl.log: 743 lines, 743 read, 0 with a scope decision, 743 the same byte for byte
    ukwa-crawled-stream.jsonl: 116 lines, 116 read, 92 with a scope decision, 0 the same byte for byte
    ");
    }

    #[test]
    fn hops_and_statuses_have_the_published_names() {
        let (Some(hops), Some(statuses)) = (data("heritrix-hops.txt"), data("heritrix-status-codes.txt")) else {
            return;
        };
        println!("{} hop lines, {} status lines", hops.lines().count(), statuses.lines().count());
        for letter in ["L", "E", "P", "R", "X"] {
            assert!(hops.lines().any(|line| line.trim_start().starts_with(letter)), "{hops}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, expected) in [
            ("x", "this is no JSON object"),
            ("{}", "it has no “url”"),
            (r#"{"url":"a","status_code":99999999999,"timestamp":"2019"}"#, "99999999999 is no status"),
            (r#"{"url":"a","status_code":1,"timestamp":"soon"}"#, "“soon” is not a date"),
        ] {
            let error = CrawlLogLine::parse_stream(line).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
