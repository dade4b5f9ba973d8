//! A version of a campaign that was saved while its crawl runs, applied to that.

use super::crawl::{check_activated, prepare};
use super::live_view::LiveCrawl;
use crate::campaign::Campaign;
use crate::crawl::Plan;
use crate::work::Session;
use crate::work::models::CampaignId;

impl Session {
    /// Lets the running crawl of a campaign go by its newest version, and returns that version: what waits is
    /// ordered by it and decided when its turn comes, what was refused is decided again, new seeds are queued.
    ///
    /// # Errors
    ///
    /// No crawl of it runs here, a trial does, or the version has what a crawl takes in only when it begins. The
    /// crawl goes on as it was.
    pub fn apply_version(&self, campaign: CampaignId) -> anyhow::Result<u32> {
        let live = self.live().filter(|live| !live.cx.is_cancelled());
        let launch = live.as_ref().map(|live| self.catalogue().launch(live.launch)).transpose()?;
        let Some((live, launch)) = live.zip(launch).filter(|(_, launch)| launch.campaign == campaign) else {
            anyhow::bail!("no crawl of campaign {campaign} runs; the next one goes by the newest version");
        };
        anyhow::ensure!(launch.trial.is_none(), "a trial ends with the version that it began with");
        let (version, spec) = self.catalogue().campaign(campaign)?;
        let now = live.plan.now();
        if now.version == version {
            return Ok(version);
        }
        check_activated(self, campaign, &spec)?;
        let (rules, _) = prepare(self, &spec)?;
        let mut fixed = fixed_fields(&now.campaign, &spec);
        if rules.uses_geo() && !live.knows_countries {
            fixed.push("the countries of servers");
        }
        anyhow::ensure!(
            fixed.is_empty(),
            "a crawl takes in {} only when it begins. Stop it and resume it, and it goes by version {version}",
            fixed.join(", ")
        );
        live.plan.replace(Plan::new(spec, version, rules))?;
        Ok(version)
    }

    /// The version of its campaign that a running crawl could go by and does not.
    pub(in crate::work) fn version_to_apply(&self, live: &LiveCrawl) -> anyhow::Result<Option<u32>> {
        let launch = self.catalogue().launch(live.launch)?;
        let newest = self.catalogue().newest_version(launch.campaign)?;
        Ok(newest.filter(|newest| launch.trial.is_none() && *newest != live.plan.now().version))
    }
}

/// Fields that differ and count only from the beginning of a run.
fn fixed_fields(now: &Campaign, next: &Campaign) -> Vec<&'static str> {
    let (now, next) = ((&now.politeness, &now.limits), (&next.politeness, &next.limits));
    let fields = [
        ("the number of workers", now.0.workers != next.0.workers),
        ("the user agent", now.0.user_agent != next.0.user_agent),
        ("the private addresses", now.0.allow_private_addresses != next.0.allow_private_addresses),
        ("the space that stays free on the disk", now.1.disk_floor_bytes != next.1.disk_floor_bytes),
    ];
    fields.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::crawl::resume_tests::{seed, session, town};
    use crate::jobs::JobCx;
    use crate::testing::{ScriptedReply, ScriptedServer};
    use crate::work::CrawlOptions;
    use crate::work::Session;
    use crate::work::models::{CampaignId, Launches};
    use std::sync::{Arc, Mutex, OnceLock};

    #[test]
    fn what_a_person_saves_and_applies_holds_for_the_crawl_that_runs() {
        type Steered = (Arc<Session>, CampaignId);
        let current: Arc<OnceLock<Steered>> = Arc::default();
        let refusals: Arc<Mutex<Vec<String>>> = Arc::default();
        let server = ScriptedServer::start({
            let (current, refusals) = (Arc::clone(&current), Arc::clone(&refusals));
            move |host, path| match (host, path) {
                (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
                ("a.example", "/") => {
                    let links: String =
                        (0..9).map(|n| format!("<a href=/keep{n}>k</a><a href=/drop{n}>d</a>")).collect();
                    ScriptedReply::html(&format!("{links}<a href=http://b.example/x>b</a>"))
                }
                ("a.example", "/keep0") => {
                    let (session, id) = current.get().unwrap();
                    let mut next = town();
                    next.politeness.workers = 2;
                    session.catalogue().save_campaign(Some(*id), &next).unwrap();
                    refusals.lock().unwrap().push(session.apply_version(*id).unwrap_err().to_string());
                    next.politeness.workers = 1;
                    next.seeds.push(seed("http://b.example/"));
                    let regex = next.rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
                    regex["patterns"] = serde_json::json!([".*/drop.*"]);
                    session.catalogue().save_campaign(Some(*id), &next).unwrap();
                    assert_eq!(session.crawl(Some(*id), Launches::Last).unwrap().saved_version, Some(3));
                    assert_eq!(session.apply_version(*id).unwrap(), 3);
                    assert_eq!(session.crawl(Some(*id), Launches::Last).unwrap().saved_version, None);
                    session.resume_host(*id, "b.example").unwrap();
                    ScriptedReply::html("leaf")
                }
                _ => ScriptedReply::html("leaf"),
            }
        });
        let dir = tempfile::tempdir().unwrap();
        let session = Arc::new(session(dir.path(), &server));
        let id = session.catalogue().save_campaign(None, &town()).unwrap();
        let idle = session.apply_version(id).unwrap_err().to_string();
        assert!(idle.contains("no crawl of campaign 1 runs"), "{idle}");
        let idle = session.resume_host(id, "b.example").unwrap_err().to_string();
        assert!(idle.contains("the next one begins with no host deferred"), "{idle}");
        assert!(current.set((Arc::clone(&session), id)).is_ok());
        let outcome = session.crawl_with(id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
        assert!(outcome.complete, "{outcome:?}");
        let refusals = refusals.lock().unwrap();
        assert!(refusals[0].contains("the number of workers only when it begins"), "{refusals:?}");
        // What waited is refused by the new rule, and a new seed is crawled with what it lets in.
        let of_a = server.paths("a.example");
        assert!(of_a.iter().filter(|path| path.starts_with("/drop")).count() <= 1, "{of_a:?}");
        assert_eq!(of_a.iter().filter(|path| path.starts_with("/keep")).count(), 9);
        let mut of_b = server.paths("b.example");
        of_b.sort();
        assert_eq!(of_b, ["/", "/robots.txt", "/x"]);
        let launch = session.catalogue().last_launch(Some(id)).unwrap().unwrap().id;
        assert_eq!(session.catalogue().launch_version(launch).unwrap(), 3);
        // What it had done over time stays when it has ended.
        let samples = session.catalogue().crawl_page(Some(id), Launches::Last).unwrap().unwrap().samples;
        let last = samples.last().unwrap();
        assert!(samples.len() >= 2 && last.done == last.found && last.bytes > 0, "{samples:?}");
    }
}
