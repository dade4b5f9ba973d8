//! Links of the made-up archive to one page.

use super::{DAY, date};
use crate::app::models::{InlinkPage, InlinkRow};
use crate::uri::CaptureDate;

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
