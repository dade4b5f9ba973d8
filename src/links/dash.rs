//! Segments of media presentations whose names are patterns (ISO 23009-1, 5.3.9.4).
//!
//! Players ask for every segment that a pattern names, so a copy without them is no recording. Of a presentation that
//! goes on for ever (no duration and no timeline) only the first segment, the one that initialises, is known.

use super::listed::ListedLinks;
use super::page::LinkKind;
use crate::uri::Url;

/// Segments of one presentation that are named: a few lines may mean any number of them.
pub(super) const MAX_SEGMENTS: usize = 50_000;

/// Digits that `%0…d` may ask for.
const MAX_WIDTH: usize = 32;

/// `SegmentTemplate` with what it inherits from the one around it.
#[derive(Debug, Clone, Default)]
pub(super) struct SegmentTemplate {
    /// The element that it is of, by its depth.
    pub(super) of: usize,
    media: Option<String>,
    initialization: Option<String>,
    /// Units of a second.
    timescale: u64,
    start_number: u64,
    end_number: Option<u64>,
    /// Of each segment, in units.
    duration: u64,
    /// What the time of the period's begin is, in units.
    offset: u64,
    timeline: Vec<TimelineEntry>,
}

/// `S` of a `SegmentTimeline`, in units.
#[derive(Debug, Clone, Copy)]
struct TimelineEntry {
    begin: Option<u64>,
    duration: u64,
    /// Segments more of this duration; negative up to the next entry or the end.
    repeats: i64,
}

/// A `Representation`: what its patterns are filled with.
#[derive(Debug, Clone, Default)]
pub(super) struct Representation {
    pub(super) id: String,
    pub(super) bandwidth: String,
}

impl SegmentTemplate {
    /// One at this depth, by the attributes of its element; what they leave out is of the one around it.
    pub(super) fn new(of: usize, around: Option<&Self>, get: impl Fn(&str) -> Option<String>) -> Self {
        let around = around.cloned().unwrap_or(Self { timescale: 1, start_number: 1, ..Self::default() });
        let number =
            |name: &str, inherited| get(name).map_or(inherited, |value| value.trim().parse().unwrap_or(inherited));
        Self {
            of,
            timescale: number("timescale", around.timescale).max(1),
            start_number: number("startNumber", around.start_number),
            end_number: get("endNumber").and_then(|value| value.trim().parse().ok()).or(around.end_number),
            duration: number("duration", around.duration),
            offset: number("presentationTimeOffset", around.offset),
            media: get("media").or(around.media),
            initialization: get("initialization").or(around.initialization),
            timeline: around.timeline,
        }
    }

    /// A timeline of its own begins.
    pub(super) fn begin_timeline(&mut self) {
        self.timeline.clear();
    }

    /// An `S` of the timeline.
    pub(super) fn push(&mut self, get: impl Fn(&str) -> Option<String>) {
        let number = |name: &str| get(name).and_then(|value| value.trim().parse().ok());
        let repeats = get("r").and_then(|value| value.trim().parse().ok()).unwrap_or_default();
        self.timeline.push(TimelineEntry { begin: number("t"), duration: number("d").unwrap_or_default(), repeats });
    }

    /// Adds all segments of a representation to `links`, at most `left`; `seconds` is how long its period is, where that
    /// is known.
    pub(super) fn add_segments(
        &self,
        of: &Representation,
        base: &Url,
        seconds: Option<f64>,
        left: &mut usize,
        links: &mut ListedLinks,
    ) {
        if let Some(initialization) = &self.initialization
            && let Some(name) = filled(initialization, of, None)
        {
            links.add_to(Some(base), LinkKind::Media, &name);
        }
        let Some(media) = &self.media else { return };
        if !["$Number", "$Time"].iter().any(|variable| media.contains(variable)) {
            // One file has all segments.
            if let Some(name) = filled(media, of, None) {
                links.add_to(Some(base), LinkKind::Media, &name);
            }
            return;
        }
        // The cast ends at the largest number.
        let units = seconds.map(|seconds| (seconds * self.timescale as f64).ceil() as u64);
        let mut number = self.start_number;
        self.each_time(units, |time| {
            if self.end_number.is_some_and(|end| number > end) {
                return false;
            }
            if *left == 0 {
                links.leave_out();
                return false;
            }
            *left -= 1;
            let Some(name) = filled(media, of, Some((number, time))) else { return false };
            links.add_to(Some(base), LinkKind::Media, &name);
            number = number.saturating_add(1);
            true
        });
    }

    /// Gives the time at which each segment begins to `each` until that says no.
    fn each_time(&self, units: Option<u64>, mut each: impl FnMut(u64) -> bool) {
        let end = units.map(|units| units.saturating_add(self.offset));
        let mut time = self.offset;
        if self.timeline.is_empty() {
            let Some(end) = end.filter(|_| self.duration > 0) else { return };
            while time < end && each(time) {
                let Some(next) = time.checked_add(self.duration) else { return };
                time = next;
            }
            return;
        }
        for (at, entry) in self.timeline.iter().enumerate() {
            time = entry.begin.unwrap_or(if at == 0 { 0 } else { time });
            let next = || self.timeline.get(at + 1).and_then(|next| next.begin).or(end).unwrap_or(time);
            let mut left = match u64::try_from(entry.repeats) {
                Ok(repeats) => repeats.saturating_add(1),
                Err(_) => next().saturating_sub(time).div_ceil(entry.duration.max(1)).max(1),
            };
            while left > 0 {
                if entry.duration == 0 || !each(time) {
                    return;
                }
                let Some(next) = time.checked_add(entry.duration) else { return };
                time = next;
                left -= 1;
            }
        }
    }
}

/// A pattern with its variables; none where it has others, or those of a segment where none is meant.
fn filled(pattern: &str, of: &Representation, segment: Option<(u64, u64)>) -> Option<String> {
    let mut name = String::new();
    let mut parts = pattern.split('$');
    name.push_str(parts.next()?);
    while let Some(variable) = parts.next() {
        let (variable, format) =
            variable.split_once('%').map_or((variable, None), |(name, format)| (name, Some(format)));
        let width = match format {
            None => 1,
            Some(format) => {
                format.strip_prefix('0')?.strip_suffix('d')?.parse().ok().filter(|width| *width <= MAX_WIDTH)?
            }
        };
        match variable {
            "" => name.push('$'),
            "RepresentationID" => name.push_str(&of.id),
            "Bandwidth" => name.push_str(&format!("{:0>width$}", of.bandwidth)),
            "Number" => name.push_str(&format!("{:0width$}", segment?.0)),
            "Time" => name.push_str(&format!("{:0width$}", segment?.1)),
            _ => return None,
        }
        // What follows the second `$`.
        name.push_str(parts.next()?);
    }
    Some(name)
}

/// Seconds of a duration of XML Schema (`PT1H2M3.5S`), without years and months, whose length is not known.
pub(super) fn seconds(duration: &str) -> Option<f64> {
    let (mut seconds, mut is_time) = (0.0, false);
    let mut rest = duration.trim().strip_prefix('P')?;
    while !rest.is_empty() {
        if let Some(time) = rest.strip_prefix('T') {
            (rest, is_time) = (time, true);
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        seconds += number
            * match (rest[end..].chars().next()?, is_time) {
                ('D', false) => 86_400.0,
                ('H', true) => 3_600.0,
                ('M', true) => 60.0,
                ('S', true) => 1.0,
                ('Y' | 'M', false) if number == 0.0 => 0.0,
                _ => return None,
            };
        rest = &rest[end + 1..];
    }
    Some(seconds)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_seconds() {
        for (text, expected) in [
            ("PT1H2M3.5S", Some(3723.5)),
            ("P1DT1S", Some(86_401.0)),
            ("P0Y0M0DT0H3M30.000S", Some(210.0)),
            ("PT30", None),
            ("P1M", None),
            ("30", None),
            ("PTéS", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn patterns_are_filled_or_refused() {
        let of = Representation { id: "v 1".into(), bandwidth: "64000".into() };
        for (pattern, expected) in [
            ("$RepresentationID$/$Number$.m4s", Some("v 1/7.m4s")),
            ("s-$Number%05d$-$Time$-$Bandwidth$.m4s", Some("s-00007-900-64000.m4s")),
            ("a$$b", Some("a$b")),
            ("$Number%x$", None),
            ("$Number%099999999d$", None),
            ("$Other$", None),
            ("$Number", None),
        ] {
            assert_eq!(filled(pattern, &of, Some((7, 900))).as_deref(), expected, "{pattern}");
        }
        assert_eq!(filled("$Number$", &of, None), None);
    }
}
