//! What a launch had done at some moments of its run, as its plots show it.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::{CrawlSample, LaunchId};
use rusqlite::params;

/// The most samples of a launch that are kept.
pub const SAMPLES_KEPT: usize = 240;

impl Catalogue {
    /// The kept samples of a launch, oldest first.
    pub fn launch_samples(&self, launch: LaunchId) -> Result<Vec<CrawlSample>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT ran_ms, found, done, bytes, in_flight FROM launch_sample WHERE launch = ?1 ORDER BY ran_ms",
            )?;
            let samples = statement.query_map([launch], |row| {
                Ok(CrawlSample {
                    seconds: row.get::<_, i64>(0)? as f64 / 1000.0,
                    found: uint(row.get(1)?),
                    done: uint(row.get(2)?),
                    bytes: uint(row.get(3)?),
                    in_flight: uint(row.get(4)?),
                })
            })?;
            Ok(samples.collect::<Result<_, _>>()?)
        })
    }

    /// Keeps these samples of a launch in place of those it had, at most [`SAMPLES_KEPT`] of them, evenly
    /// over the run, with the last one.
    pub fn keep_launch_samples(&self, launch: LaunchId, samples: &[CrawlSample]) -> Result<(), StoreError> {
        let end = samples.last().map_or(0.0, |last| last.seconds).max(f64::MIN_POSITIVE);
        let part = |of: &CrawlSample| (of.seconds / end * (SAMPLES_KEPT - 1) as f64) as usize;
        // The last one of each part of the time.
        let is_kept = |at: &usize| samples.get(at + 1).is_none_or(|next| part(next) != part(&samples[*at]));
        let kept: Vec<CrawlSample> = (0..samples.len()).filter(is_kept).map(|at| samples[at]).collect();
        self.write(move |conn| {
            conn.execute("DELETE FROM launch_sample WHERE launch = ?1", [launch])?;
            let mut statement = conn.prepare_cached(
                "INSERT OR REPLACE INTO launch_sample (launch, ran_ms, found, done, bytes, in_flight)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for of in &kept {
                let ran_ms = (of.seconds * 1000.0).round() as i64;
                statement.execute(params![
                    launch,
                    ran_ms,
                    int(of.found),
                    int(of.done),
                    int(of.bytes),
                    int(of.in_flight)
                ])?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::campaign::Campaign;
    use crate::store::Workspace;
    use crate::uri::CaptureDate;

    #[test]
    fn samples_of_a_long_run_are_kept_evenly_over_its_time() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let catalogue = workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &Campaign::new("Town")).unwrap();
        let launch = catalogue.begin_launch(campaign, "town", CaptureDate::now()).unwrap().id;
        let sample = |seconds: f64| CrawlSample { seconds, found: (seconds * 2.0) as u64, ..CrawlSample::default() };
        // An hour in steps of a minute, then one in steps of half a second.
        let hours = (0..60).map(|at| f64::from(at) * 60.0).chain((0..7200).map(|at| 3600.0 + f64::from(at) * 0.5));
        let samples: Vec<CrawlSample> = hours.map(sample).collect();
        catalogue.keep_launch_samples(launch, &samples).unwrap();
        let kept = catalogue.launch_samples(launch).unwrap();
        assert!((170..=SAMPLES_KEPT).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last(), samples.last());
        let second_hour = kept.iter().filter(|of| of.seconds >= 3600.0).count();
        assert!((118..=122).contains(&second_hour), "{second_hour}");
        // Those of a later moment take their place.
        catalogue.keep_launch_samples(launch, &samples[..2]).unwrap();
        assert_eq!(catalogue.launch_samples(launch).unwrap(), samples[..2]);
        catalogue.keep_launch_samples(launch, &[]).unwrap();
        assert!(catalogue.launch_samples(launch).unwrap().is_empty());
    }
}
