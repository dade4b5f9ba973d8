//! Links of the made-up archive: to one page, and of all hosts.

use super::{DAY, FixtureDesk, date};
use crate::app::LinkDesk;
use crate::app::models::{CitedBy, CitedPages, HostTable, InlinkPage, InlinkRow, LinkSet, RankedHost};
use crate::inlinks::HostNode;
use crate::inlinks::stored::{Cited, CitedCounts};
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use std::path::Path;

/// Hosts that are kept of each column; there are three more.
const KEPT: usize = 9;

/// Links to a page from six blogs, a week apart.
pub(super) fn inlinks(target: &str, around: Option<CaptureDate>, window_days: u32) -> InlinkPage {
    let window = i64::from(window_days) * DAY * 1000;
    let rows: Vec<InlinkRow> = (0..60)
        .map(|index| {
            let date = date(index * 7 - 200);
            InlinkRow {
                date,
                source: format!("https://blog{}.example/post/{index}", index % 6),
                source_host: format!("blog{}.example", index % 6),
                anchor: ["a ponte nova", "leia mais", "", "evil \u{202e}txt"][(index % 4) as usize].to_owned(),
                internal: index % 3 == 0,
                in_window: around.is_none_or(|around| (date.millis() - around.millis()).abs() <= window),
                capture: (index % 2 == 0).then_some(index + 1),
                nofollow: index % 5 == 1,
                rel: if index % 5 == 1 { "ugc nofollow" } else { "" }.to_owned(),
                place: (index % 2 == 0).then(|| ["nav", "main", "footer"][(index % 3) as usize].to_owned()),
                position: (index % 2 == 0).then_some(41),
            }
        })
        .collect();
    let count = |internal| rows.iter().filter(|row| row.in_window && row.internal == internal).count() as u64;
    InlinkPage {
        target: target.to_owned(),
        capture_dates: vec![date(0), date(40), date(120)],
        around,
        window_days,
        internal: count(true),
        external: count(false),
        rows,
        cut: 12,
        outside_cut: 0,
        built: true,
    }
}

fn host(number: u64) -> RankedHost {
    let node = HostNode {
        host: format!("host-{number}.example"),
        captures: if number.is_multiple_of(4) { 0 } else { number },
        captured: (!number.is_multiple_of(4)).then(|| (date(-10), date(20))),
        inlinks: 700 + number,
        inlinks_internal: 300 + number,
        outlinks: 5,
        citing_hosts: 90 - number,
        cited_hosts: 3,
    };
    RankedHost { node, pagerank: 0.02 / (number + 1) as f64 }
}

impl LinkDesk for FixtureDesk {
    fn link_set(&self, folder: Option<&Path>) -> anyhow::Result<Option<LinkSet>> {
        let folder = folder.unwrap_or(Path::new("/home/archivist/fonds/inlinks/loaded"));
        anyhow::ensure!(!folder.ends_with("broken"), "{}: no links are stored here", folder.display());
        let folder = folder.to_owned();
        let set = LinkSet { folder, links: 48_201, pages: 9_120, captures: 1_400, bytes: 1_100_000, revision: 7 };
        Ok((!self.empty).then_some(set))
    }

    fn inlinks_in(&self, folder: &Path, page: &str) -> anyhow::Result<InlinkPage> {
        self.told.say(format!("inlinks of {page} in {}", folder.display()));
        Ok(inlinks(page, None, u32::MAX))
    }

    fn link_hosts(&self, _: Option<&Path>, _: &JobCx) -> anyhow::Result<Option<HostTable>> {
        let hosts = (0..12).map(host).collect();
        Ok((!self.empty).then(|| HostTable::of(hosts, 240, KEPT)))
    }

    fn cited_pages(&self, folder: Option<&Path>, by: &CitedBy, _: &JobCx) -> anyhow::Result<Option<CitedPages>> {
        let site = match by {
            CitedBy::OfHost(host) => host,
            CitedBy::All => "all.example",
            CitedBy::Words(_) => "words.example",
        };
        let page = |number: u64| Cited {
            target: format!("http://{site}/page-{number}"),
            captures: number % 3 * 100 + number,
            counts: CitedCounts { hosts: 40 - number, external: 600 - number, internal: 11 },
            dates: Some((date(-100), date(100))),
        };
        let pages = if folder.is_some() { 2_500 } else { 20 };
        Ok((!self.empty).then(|| CitedPages { rows: (0..20).map(page).collect(), pages }))
    }
}
