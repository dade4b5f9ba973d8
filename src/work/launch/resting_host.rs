//! A deferred host of a running crawl, fetched in the usual order again.

use crate::work::Session;
use crate::work::models::CampaignId;

impl Session {
    /// Has the running crawl of a campaign fetch a host in the usual order that it left for the end, whatever its
    /// pages are; until this run of the crawl ends.
    ///
    /// # Errors
    ///
    /// No crawl of the campaign runs here.
    pub fn resume_host(&self, campaign: CampaignId, authority: &str) -> anyhow::Result<()> {
        let live = self.live().filter(|live| !live.cx.is_cancelled());
        let of_campaign = |launch| Ok::<_, anyhow::Error>(self.catalogue().launch(launch)?.campaign == campaign);
        match live {
            Some(live) if of_campaign(live.launch)? => {
                live.plan.spare(authority);
                Ok(())
            }
            _ => anyhow::bail!("no crawl of campaign {campaign} runs; the next one begins with no host deferred"),
        }
    }
}
