//! Requests of a source go out as those of a crawl do: politely, by robots.txt, to public addresses, into the archive.

use crate::campaign::{Campaign, CampaignSource, RobotsPolicy, SourceKind};
use crate::captures::is_redirect;
use crate::crawl::{Delays, RobotsRules};
use crate::exchange::{Archive, Client, Exchange, FetchLimits, Intake, Provenance, RequestFields, fetch_status};
use crate::jobs::JobCx;
use crate::scope::RobotsFact;
use crate::sources::{ApiAnswer, ApiRequest, Refusal};
use crate::uri::{Url, authority_of, drop_user, resolve};
use crate::warc::WarcError;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Bytes of an answer that are read; of a sitemap, its most by the protocol.
const MAX_ANSWER_BYTES: u64 = 16 << 20;
const MAX_SITEMAP_BYTES: u64 = 52 << 20;
/// Redirects of one request that are followed.
const MAX_REDIRECTS: usize = 5;
/// The time between two looks for a stop while a run waits.
const WAIT_STEP: Duration = Duration::from_millis(50);
/// The types that are accepted.
const ACCEPT: &str = "application/json, application/xml;q=0.9, */*;q=0.8";

/// Where the answers of a run are written.
pub(super) struct AnswerArchive<'a> {
    pub archive: &'a Archive,
    pub intake: &'a Intake<'a>,
}

/// Sends the requests of the sources of one campaign.
pub(super) struct SourceWire<'a> {
    campaign: &'a Campaign,
    client: &'a Client,
    archive: Option<AnswerArchive<'a>>,
    delays: Delays,
    robots: HashMap<String, RobotsRules>,
    /// When hosts may be sent the next request.
    free: HashMap<String, Instant>,
    cx: &'a JobCx,
}

impl<'a> SourceWire<'a> {
    /// Writes answers to `archive`, if there is one.
    pub fn new(campaign: &'a Campaign, client: &'a Client, archive: Option<AnswerArchive<'a>>, cx: &'a JobCx) -> Self {
        let delays = Delays::of(&campaign.politeness);
        Self { campaign, client, archive, delays, robots: HashMap::new(), free: HashMap::new(), cx }
    }

    /// Sends a request of a source, along its redirects. A token goes to the origin of the source alone.
    pub fn fetch(
        &mut self,
        source: &CampaignSource,
        token: Option<&str>,
        request: &ApiRequest,
    ) -> anyhow::Result<Result<ApiAnswer, Refusal>> {
        let home = source.url().map(|url| url.origin());
        let mut url = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            if let Some(why) = self.refused_by_robots(source, &url)? {
                return Ok(Err(Refusal::Failed(why)));
            }
            let fields = RequestFields {
                accept: Some(ACCEPT),
                fields: request.conditions.clone(),
                token: token.filter(|_| home.as_ref() == Some(&url.origin())).map(str::to_owned),
            };
            let answer = match self.exchange(source, &url, &fields)? {
                Ok(answer) => answer,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let target = answer.headers.get_url("Location").filter(|_| is_redirect(answer.status));
            let Some(target) = target else { return Ok(Ok(answer)) };
            let Some(mut target) = resolve(&url, &target).filter(|url| matches!(url.scheme(), "http" | "https")) else {
                return Ok(Err(Refusal::Failed(format!("{url} redirects to an address that is none of the web"))));
            };
            drop_user(&mut target);
            url = target;
        }
        Ok(Err(Refusal::Failed(format!("{} redirects more than {MAX_REDIRECTS} times", request.url))))
    }

    /// Why robots.txt closes a URL of a source; none where it does not, or does not count.
    fn refused_by_robots(&mut self, source: &CampaignSource, url: &Url) -> anyhow::Result<Option<String>> {
        if self.campaign.politeness.robots != RobotsPolicy::Obey || source.ignore_robots {
            return Ok(None);
        }
        let origin = url.origin().ascii_serialization();
        if !self.robots.contains_key(&origin) {
            let rules = self.read_robots(source, url)?;
            self.robots.insert(origin.clone(), rules);
        }
        Ok(match self.robots[&origin].fact(url) {
            RobotsFact::Denied { why } => Some(format!(
                "robots.txt says no to {url} ({why}). Where the owner of the site offers this interface to programs, \
                 set \"ignore_robots\" of the source"
            )),
            _ => None,
        })
    }

    fn read_robots(&mut self, source: &CampaignSource, url: &Url) -> anyhow::Result<RobotsRules> {
        let mut place = url.clone();
        place.set_path("/robots.txt");
        place.set_query(None);
        let agent = &self.campaign.politeness.user_agent;
        for _ in 0..=MAX_REDIRECTS {
            let Ok(answer) = self.exchange(source, &place, &RequestFields::default())? else {
                return Ok(RobotsRules::from_answer(None, &[], agent));
            };
            let target = answer.headers.get_url("Location").filter(|_| is_redirect(answer.status));
            match target.and_then(|target| resolve(&place, &target)) {
                Some(target) => place = target,
                None => return Ok(RobotsRules::from_answer(Some(answer.status), &answer.body, agent)),
            }
        }
        Ok(RobotsRules::from_answer(Some(404), &[], agent))
    }

    /// One exchange, when its host may be sent a request.
    fn exchange(
        &mut self,
        source: &CampaignSource,
        url: &Url,
        fields: &RequestFields,
    ) -> anyhow::Result<Result<ApiAnswer, Refusal>> {
        let authority = authority_of(url).to_owned();
        if let Some(free) = self.free.get(&authority) {
            self.wait(free.saturating_duration_since(Instant::now()))?;
        }
        self.cx.checkpoint()?;
        let most = if source.kind == SourceKind::Sitemap { MAX_SITEMAP_BYTES } else { MAX_ANSWER_BYTES };
        let limits = FetchLimits::of(&self.campaign.limits);
        let limits = FetchLimits { bytes: limits.bytes.min(most), ..limits };
        let fetched = self.client.addresses(url);
        let fetched = fetched.and_then(|addresses| self.client.fetch_with(url, &addresses, limits, None, fields));
        let delay = self.robots.get(&url.origin().ascii_serialization()).and_then(RobotsRules::crawl_delay);
        let took = fetched.as_ref().map_or(Some(Duration::ZERO), |exchange| Some(exchange.took));
        self.free.insert(authority.clone(), Instant::now() + self.delays.after(&authority, took, delay));
        match fetched {
            Ok(exchange) => Ok(Ok(self.kept(source, url, exchange, limits)?)),
            Err(error) if matches!(error.status, fetch_status::DISK_FULL | fetch_status::DISK_FAILED) => {
                anyhow::bail!("{}", error.message)
            }
            Err(error) => {
                self.cx.checkpoint()?;
                let why = format!("{url}: {}", error.message);
                Ok(Err(if error.retry { Refusal::Wait(self.delays.retry(), why) } else { Refusal::Failed(why) }))
            }
        }
    }

    /// Writes an exchange to the archive; returns when it is safe there.
    fn kept(
        &self,
        source: &CampaignSource,
        url: &Url,
        mut exchange: Exchange,
        limits: FetchLimits,
    ) -> anyhow::Result<ApiAnswer> {
        let limit = usize::try_from(limits.bytes).unwrap_or(usize::MAX);
        let payload = exchange.decoded_payload(limit)?;
        let cut = match exchange.cut {
            Some(cut) => Some(limits.reason_of(cut)),
            None => payload.cut.then(|| format!("it is longer than {limit} bytes once it is decoded")),
        };
        let answer = ApiAnswer {
            url: url.clone(),
            status: exchange.head.status,
            headers: exchange.head.headers.clone(),
            body: payload.bytes.into_owned(),
            cut,
            date: exchange.date,
        };
        if let Some(AnswerArchive { archive, intake }) = &self.archive {
            let provenance = Provenance { source_tag: source.tag(), ..Provenance::default() };
            let taken = intake.take::<WarcError>(url, exchange, provenance, |_, _| Ok(None))?;
            self.cx.checkpoint()?;
            if let Some(taken) = taken {
                archive.make_durable(&taken.entry.records)?;
            }
        }
        Ok(answer)
    }

    /// Waits, unless a person stops the run.
    pub fn wait(&self, time: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + time;
        while let Some(rest) = end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero()) {
            self.cx.checkpoint()?;
            std::thread::sleep(rest.min(WAIT_STEP));
        }
        Ok(())
    }
}
