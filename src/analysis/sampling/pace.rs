//! How long a decision takes.

use std::time::Duration;

/// The last so many decisions make the pace.
pub const DECISIONS_OF_PACE: usize = 20;

/// The median of the last [`DECISIONS_OF_PACE`] times between decisions, oldest first; of an even number the mean of
/// the two in the middle. A break of an hour counts as one long decision, and so changes little. None without one.
pub fn median_of_last(times: &[Duration]) -> Option<Duration> {
    let mut last = times[times.len().saturating_sub(DECISIONS_OF_PACE)..].to_vec();
    last.sort_unstable();
    let middle = last.len() / 2;
    let upper = *last.get(middle)?;
    Some(if last.len() % 2 == 1 { upper } else { (last[middle - 1] + upper) / 2 })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn seconds(times: &[u64]) -> Vec<Duration> {
        times.iter().map(|of| Duration::from_secs(*of)).collect()
    }

    #[test]
    fn the_pace_is_the_median_of_the_last_twenty() {
        assert_eq!(median_of_last(&[]), None);
        assert_eq!(median_of_last(&seconds(&[9, 3, 3600])).unwrap().as_secs(), 9);
        assert_eq!(median_of_last(&seconds(&[4, 8])).unwrap().as_secs(), 6);
        let slow_at_first = [vec![100; 30], (1..=20).collect()].concat();
        assert_eq!(median_of_last(&seconds(&slow_at_first)).unwrap().as_millis(), 10_500);
    }
}
