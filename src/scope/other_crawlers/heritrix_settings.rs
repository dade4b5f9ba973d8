//! Settings of a job that a campaign has too.

use super::EngineNote;
use super::beans::Beans;
use crate::campaign::{Campaign, RobotsPolicy};

/// Placeholder of the operator's address in the crawler's name.
pub(super) const CONTACT: &str = "@OPERATOR_CONTACT_URL@";
/// The placeholder of an address in the stock profile.
pub(super) const NO_CONTACT: &str = "ENTER_AN_URL_WITH_YOUR_CONTACT_INFO_HERE_FOR_WEBMASTERS_AFFECTED_BY_YOUR_CRAWL";

pub(super) fn read(beans: &Beans, campaign: &mut Campaign, notes: &mut Vec<EngineNote>) {
    if let Some(bean) = beans.by_id("metadata") {
        let text = |name: &str| beans.text(bean, name).unwrap_or_default().trim().to_owned();
        campaign.name = text("jobName");
        campaign.description = text("description");
        campaign.owner = text("operator");
        campaign.politeness.robots = match text("robotsPolicyName").as_str() {
            "" | "obey" | "classic" => RobotsPolicy::Obey,
            "ignore" => RobotsPolicy::Ignore,
            other => {
                let what = format!("the robots policy “{other}” is not known here; robots.txt is obeyed");
                notes.push(EngineNote::new(&bean.place, what));
                RobotsPolicy::Obey
            }
        };
        let (contact, template) = (text("operatorContactUrl"), text("userAgentTemplate"));
        let has_contact = !contact.is_empty() && contact != NO_CONTACT && !contact.starts_with('[');
        if template.is_empty() || template.contains("@VERSION@") {
            // The name of another crawler: servers must not see it.
            let contact = if has_contact { format!("; its operator is reached at {contact}") } else { String::new() };
            let what = format!("the crawler's name is Heritrix's; give the campaign a user agent of your own{contact}");
            notes.push(EngineNote::new(&bean.place, what));
        } else if has_contact || !template.contains(CONTACT) {
            campaign.politeness.user_agent = template.replace(CONTACT, &contact);
        }
    }
    if let Some(bean) = beans.by_id("disposition") {
        let polite = &mut campaign.politeness;
        polite.delay_factor = beans.decimal(bean, "delayFactor").unwrap_or(5.0);
        polite.min_delay_ms = beans.number(bean, "minDelayMs").unwrap_or(3000);
        polite.max_delay_ms = beans.number(bean, "maxDelayMs").unwrap_or(30_000);
        polite.respect_crawl_delay_up_to_seconds = beans.number(bean, "respectCrawlDelayUpToSeconds").unwrap_or(300);
    }
    if let Some(bean) = beans.by_id("crawlLimiter") {
        campaign.limits.max_bytes = beans.number(bean, "maxBytesDownload").unwrap_or(0);
        campaign.limits.max_documents = beans.number(bean, "maxDocumentsDownload").unwrap_or(0);
        campaign.limits.max_seconds = beans.number(bean, "maxTimeSeconds").unwrap_or(0);
    }
    if let Some(bean) = beans.by_id("frontier") {
        campaign.politeness.max_retries = beans.number(bean, "maxRetries").unwrap_or(30);
        campaign.politeness.retry_delay_seconds = beans.number(bean, "retryDelaySeconds").unwrap_or(900);
    }
    if let Some(bean) = beans.by_id("fetchHttp") {
        campaign.limits.max_response_bytes = beans.number(bean, "maxLengthBytes").unwrap_or(0);
        campaign.limits.max_response_seconds = beans.number(bean, "timeoutSeconds").unwrap_or(1200);
    }
    if let Some(bean) = beans.by_id("crawlController") {
        campaign.politeness.workers = beans.number(bean, "maxToeThreads").unwrap_or(25);
    }
    for EngineNote { place, what } in beans.take_unread() {
        notes.push(EngineNote { place, what: format!("{what}; Heritrix's default is used") });
    }
    let association = "SurtPrefixesSheetAssociation";
    if let Some(bean) = beans.by_class(association).or_else(|| beans.by_class("DecideRuledSheetAssociation")) {
        let what = "settings that hold for some sites only (sheets) have no place in a campaign";
        notes.push(EngineNote::new(&bean.place, what));
    }
}
