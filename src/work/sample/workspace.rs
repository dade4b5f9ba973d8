//! The sample campaign in a workspace.

use super::{Edition, SampleWeb, campaign, geo_database};
use crate::campaign::{Campaign, Seed, SeedScope};
use crate::exchange::HostOverride;
use crate::jobs::replace_own;
use crate::scope::standard_rules;
use crate::uri::Clock;
use crate::work::models::{CampaignId, LaunchState};
use crate::work::{CrawlOptions, ServedWeb, Session};
use anyhow::Context;
use std::io::Write;
use std::sync::Arc;

/// The setting that marks a workspace as made for the sample web.
const SAMPLE: &str = "sample_web";
/// Name of the sample's geolocation database in the workspace.
const GEO_FILE: &str = "sample-geo.mmdb";

/// Puts the sample campaign and its geolocation database into a workspace.
pub fn add_sample_campaign(session: &Session) -> anyhow::Result<CampaignId> {
    let path = session.workspace.folder().join(GEO_FILE);
    replace_own(&path, |file| file.write_all(geo_database())).with_context(|| path.display().to_string())?;
    session.catalogue().set_setting("geo_database", GEO_FILE)?;
    session.catalogue().set_setting(SAMPLE, "served by Fonds on loopback")?;
    Ok(session.catalogue().save_campaign(None, &campaign())?)
}

/// Whether the workspace's campaign needs the sample web.
pub fn is_sample(session: &Session) -> bool {
    matches!(session.catalogue().setting(SAMPLE), Ok(Some(_)))
}

/// The edition the next launch should see: the first one until a launch came
/// to its end, then the second.
pub fn sample_edition(session: &Session) -> anyhow::Result<Edition> {
    let finished = session.catalogue().launches(None)?.iter().any(|launch| launch.state == LaunchState::Finished);
    Ok(if finished { Edition::Second } else { Edition::First })
}

/// Serves the sample web for as long as the workspace is open, where it is one of the sample.
pub fn serve_sample(session: &Session) -> anyhow::Result<()> {
    if is_sample(session) {
        session.attach_web(Arc::new(SampleWeb::start(sample_edition(session)?)?));
    }
    Ok(())
}

/// A campaign to start from: short, complete, and refused by the crawl until
/// somebody puts a contact in.
pub fn example_campaign() -> Campaign {
    let site = "https://www.example.org/";
    Campaign {
        description: "What this collection is for, in a sentence or two.".to_owned(),
        request: "\"municipal library\" OR reading^0.5".parse().unwrap_or_default(),
        seeds: vec![Seed {
            url: site.to_owned(),
            scope: SeedScope::Root,
            depth: None,
            source_tag: "main site".to_owned(),
        }],
        rules: standard_rules(),
        ..Campaign::new("My first campaign")
    }
}

/// Days between the two launches of the sample, by their dates: more than the
/// inlink window, so that the window has something to show.
const DAYS_BETWEEN_LAUNCHES: u32 = 100;

impl ServedWeb for SampleWeb {
    fn overrides(&self) -> Vec<HostOverride> {
        self.resolve().into_iter().map(|(host, port, addr)| HostOverride { host, port, addr }).collect()
    }

    /// The sample's first launch sees the first edition and is dated back, as if the town had been visited in another
    /// season; later ones see the second edition.
    fn crawl_options(&self, session: &Session) -> anyhow::Result<CrawlOptions> {
        let edition = sample_edition(session)?;
        self.set_edition(edition);
        let clock = match edition {
            Edition::First => Clock::days_behind(DAYS_BETWEEN_LAUNCHES),
            Edition::Second => Clock::default(),
        };
        Ok(CrawlOptions { clock, ..CrawlOptions::default() })
    }
}
