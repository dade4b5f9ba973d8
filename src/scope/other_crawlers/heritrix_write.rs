//! A campaign as a Heritrix 3 job.

use super::beans::{comment_text, value_text};
use super::heritrix_settings::{CONTACT, NO_CONTACT};
use super::write_rules::{rules_xml, seed_url, surts_of};
use super::{EngineNote, refusals_note};
use crate::campaign::{Campaign, RobotsPolicy};
use crate::scope::rules::{Rule, RuleKind};
use crate::uri::parse_web_url;

/// The name that Heritrix looks for.
pub const HERITRIX_CONFIGURATION: &str = "crawler-beans.cxml";

/// Writes a job: files by their names, and notes of what Heritrix cannot do or
/// does otherwise. It begins paused, so that a person looks it over.
pub fn heritrix_job(campaign: &Campaign) -> (Vec<(String, String)>, Vec<EngineNote>) {
    let mut notes = Vec::new();
    let rules = rules_xml(campaign, &mut notes);
    notes.extend(refusals_note(campaign));
    let settings = settings(campaign, &mut notes);
    let seeds = seeds_text(campaign, &mut notes);
    let has = |is_kind: fn(&RuleKind) -> bool| {
        let rules = campaign.rules.iter().filter_map(|rule| Rule::read(rule).ok());
        rules.into_iter().any(|rule| rule.enabled && is_kind(&rule.kind))
    };
    let nofollow = has(|kind| matches!(kind, RuleKind::Nofollow(_)));
    let geo = campaign.rules.iter().any(|rule| rule.get("rule").and_then(|name| name.as_str()) == Some("geolocation"));
    let mut differences = String::new();
    for note in &notes {
        differences.push_str(&format!("   {}\n", comment_text(&note.to_string())));
    }
    let differences = if differences.is_empty() {
        String::new()
    } else {
        format!(" <!-- Not the same as in Fonds:\n{differences} -->\n")
    };
    let geo_bean = if geo {
        " <!-- Where servers stand: needs the class of UKWA's build, and a country database at this path -->\n \
         <bean id=\"externalGeoLookup\" class=\"uk.bl.wap.modules.deciderules.ExternalGeoLookup\">\n  \
         <property name=\"database\" value=\"GeoLite2-Country.mmdb\"/>\n </bean>\n"
    } else {
        ""
    };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- A Heritrix 3 job, written by Fonds from the campaign: {title} -->\n\
         <beans xmlns=\"http://www.springframework.org/schema/beans\"\n       \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n       \
         xmlns:context=\"http://www.springframework.org/schema/context\"\n       \
         xsi:schemaLocation=\"http://www.springframework.org/schema/beans \
         http://www.springframework.org/schema/beans/spring-beans-3.0.xsd \
         http://www.springframework.org/schema/context http://www.springframework.org/schema/context/spring-context-3.0.xsd\">\n\n \
         <context:annotation-config/>\n\n{differences}{metadata}\n \
         <bean id=\"seeds\" class=\"org.archive.modules.seeds.TextSeedModule\">\n  <property name=\"textSource\">\n   \
         <bean class=\"org.archive.spring.ConfigFile\">\n    <property name=\"path\" value=\"seeds.txt\"/>\n   </bean>\n  \
         </property>\n  <property name=\"sourceTagSeeds\" value=\"true\"/>\n </bean>\n\n \
         <!-- The last rule that has an opinion decides -->\n \
         <bean id=\"scope\" class=\"org.archive.modules.deciderules.DecideRuleSequence\">\n  \
         <property name=\"logToFile\" value=\"true\"/>\n  <property name=\"logExtraInfo\" value=\"true\"/>\n  \
         <property name=\"rules\">\n   <list>\n{rules}   </list>\n  </property>\n </bean>\n{geo_bean}\n{rest}</beans>\n",
        title = comment_text(&campaign.name),
        metadata = settings.metadata,
        rest = rest(&settings, nofollow),
    );
    let surts: String = surts_of(campaign).iter().map(|surt| format!("+{surt}\n")).collect();
    let files = vec![
        (HERITRIX_CONFIGURATION.to_owned(), text),
        ("seeds.txt".to_owned(), seeds),
        ("surts.txt".to_owned(), surts),
    ];
    (files, notes)
}

/// The seeds, one a line; what is no URL of the web is left out with a note.
fn seeds_text(campaign: &Campaign, notes: &mut Vec<EngineNote>) -> String {
    let mut text = String::new();
    for (position, seed) in campaign.seeds.iter().enumerate() {
        match seed_url(&seed.url) {
            Some(url) => text.push_str(&format!("{url}\n")),
            None => notes.push(EngineNote::new(
                format!("seed {position}"),
                format!("“{}” is no web address; it is left out", seed.url),
            )),
        }
    }
    text
}

struct Settings {
    metadata: String,
    polite: String,
    limits: String,
    retries: String,
    response: String,
    workers: usize,
}

fn property(name: &str, value: impl std::fmt::Display) -> String {
    format!("  <property name=\"{name}\" value=\"{}\"/>\n", value_text(&value.to_string()))
}

fn settings(campaign: &Campaign, notes: &mut Vec<EngineNote>) -> Settings {
    let (polite, limits) = (&campaign.politeness, &campaign.limits);
    let agent = polite.user_agent.as_str();
    let (contact, template) = match contact_of(agent) {
        Some(contact) => (contact.to_owned(), agent.replacen(contact, CONTACT, 1)),
        None => {
            notes.push(EngineNote::new(
                "user_agent",
                "Heritrix wants a name with the address of a page, such as “Mozilla/5.0 (compatible; library +https://library.example/)”; \
                 put one into operatorContactUrl and userAgentTemplate before the job is built",
            ));
            (NO_CONTACT.to_owned(), format!("Mozilla/5.0 (compatible; heritrix/@VERSION@ +{CONTACT})"))
        }
    };
    let robots = match polite.robots {
        RobotsPolicy::Obey => "obey",
        RobotsPolicy::Ignore => "ignore",
        RobotsPolicy::ObeyButLog => {
            notes.push(EngineNote::new(
                "robots",
                "Heritrix cannot ask for robots.txt, log it and fetch anyway; it ignores it",
            ));
            "ignore"
        }
    };
    if !polite.allow_private_addresses.is_none() {
        notes.push(EngineNote::new(
            "allow_private_addresses",
            "Heritrix has no such switch: it fetches private addresses",
        ));
    }
    let metadata = [
        " <bean id=\"metadata\" class=\"org.archive.modules.CrawlMetadata\" autowire=\"byName\">\n".to_owned(),
        property("operatorContactUrl", contact),
        property("jobName", &campaign.name),
        property("description", &campaign.description),
        property("operator", &campaign.owner),
        property("robotsPolicyName", robots),
        property("userAgentTemplate", template),
        " </bean>\n".to_owned(),
    ];
    let delays = [
        property("delayFactor", format!("{:?}", polite.delay_factor)),
        property("minDelayMs", polite.min_delay_ms),
        property("maxDelayMs", polite.max_delay_ms),
        property("respectCrawlDelayUpToSeconds", polite.respect_crawl_delay_up_to_seconds),
    ];
    let most = [
        property("maxBytesDownload", limits.max_bytes),
        property("maxDocumentsDownload", limits.max_documents),
        property("maxTimeSeconds", limits.max_seconds),
    ];
    Settings {
        metadata: metadata.concat(),
        polite: delays.concat(),
        limits: most.concat(),
        retries: property("maxRetries", polite.max_retries)
            + &property("retryDelaySeconds", polite.retry_delay_seconds),
        response: property("maxLengthBytes", limits.max_response_bytes)
            + &property("timeoutSeconds", limits.max_response_seconds),
        workers: polite.workers.max(1),
    }
}

/// The address in `Name (… +https://…)`, as Heritrix wants it.
fn contact_of(agent: &str) -> Option<&str> {
    let at = agent.find("+http")? + 1;
    let inside = agent[..at].rfind('(').is_some_and(|open| !agent[open..at].contains(')'));
    let rest = &agent[at..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | ';' | ',')).unwrap_or(rest.len());
    let contact = &rest[..end];
    (inside && rest[end..].contains(')') && parse_web_url(contact).is_some()).then_some(contact)
}

/// A bean of the crawler's machinery.
fn bean(id: &str, class: &str, properties: &str) -> String {
    match properties {
        "" => format!(" <bean id=\"{id}\" class=\"org.archive.{class}\"/>\n"),
        _ => format!(" <bean id=\"{id}\" class=\"org.archive.{class}\">\n{properties} </bean>\n"),
    }
}

fn chain(id: &str, class: &str, processors: &[&str]) -> String {
    let refs: String = processors.iter().map(|name| format!("    <ref bean=\"{name}\"/>\n")).collect();
    bean(id, class, &format!("  <property name=\"processors\">\n   <list>\n{refs}   </list>\n  </property>\n"))
}

/// The beans that every job needs, in the order of a URL's way through it.
fn rest(settings: &Settings, nofollow: bool) -> String {
    let extractor = if nofollow { property("obeyRelNofollow", true) } else { String::new() };
    let controller = property("maxToeThreads", settings.workers) + &property("pauseAtStart", true);
    let logger = property("logExtraInfo", true);
    [
        bean("candidateScoper", "crawler.prefetch.CandidateScoper", ""),
        bean("preparer", "crawler.prefetch.FrontierPreparer", ""),
        chain("candidateProcessors", "modules.CandidateChain", &["candidateScoper", "preparer"]),
        "\n".to_owned(),
        bean("preselector", "crawler.prefetch.Preselector", ""),
        bean("preconditions", "crawler.prefetch.PreconditionEnforcer", ""),
        bean("fetchDns", "modules.fetcher.FetchDNS", ""),
        bean("fetchHttp", "modules.fetcher.FetchHTTP", &settings.response),
        bean("extractorHttp", "modules.extractor.ExtractorHTTP", ""),
        bean("extractorHtml", "modules.extractor.ExtractorHTML", &extractor),
        bean("extractorCss", "modules.extractor.ExtractorCSS", ""),
        bean("extractorJs", "modules.extractor.ExtractorJS", ""),
        chain(
            "fetchProcessors",
            "modules.FetchChain",
            &[
                "preselector", "preconditions", "fetchDns", "fetchHttp", "extractorHttp", "extractorHtml",
                "extractorCss", "extractorJs",
            ],
        ),
        "\n".to_owned(),
        bean("warcWriter", "modules.writer.WARCWriterChainProcessor", ""),
        bean("candidates", "crawler.postprocessor.CandidatesProcessor", ""),
        bean("disposition", "crawler.postprocessor.DispositionProcessor", &settings.polite),
        chain("dispositionProcessors", "modules.DispositionChain", &["warcWriter", "candidates", "disposition"]),
        "\n".to_owned(),
        bean("crawlController", "crawler.framework.CrawlController", &controller),
        bean("frontier", "crawler.frontier.BdbFrontier", &settings.retries),
        bean("uriUniqFilter", "crawler.util.BdbUriUniqFilter", ""),
        bean("actionDirectory", "crawler.framework.ActionDirectory", ""),
        bean("crawlLimiter", "crawler.framework.CrawlLimitEnforcer", &settings.limits),
        bean("checkpointService", "crawler.framework.CheckpointService", ""),
        " <bean id=\"statisticsTracker\" class=\"org.archive.crawler.reporting.StatisticsTracker\" autowire=\"byName\"/>\n".to_owned(),
        bean("loggerModule", "crawler.reporting.CrawlerLoggerModule", &logger),
        " <bean id=\"sheetOverlaysManager\" class=\"org.archive.crawler.spring.SheetOverlaysManager\" autowire=\"byType\"/>\n".to_owned(),
        bean("bdb", "bdb.BdbModule", ""),
        bean("cookieStore", "modules.fetcher.BdbCookieStore", ""),
        bean("serverCache", "modules.net.BdbServerCache", ""),
        bean("configPathConfigurer", "spring.ConfigPathConfigurer", ""),
    ]
    .concat()
}
