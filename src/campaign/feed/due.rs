//! Choice of the targets in a feed of a frequency, as the annotation tool makes it.

use super::fields::{CrawlFrequency, Meaning};
use crate::uri::CaptureDate;

/// Two hours, by which the tool widens the window at both ends.
const SLACK_MS: i64 = 2 * 60 * 60 * 1000;

/// The frequency of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedFrequency {
    /// Targets of one frequency.
    One(CrawlFrequency),
    /// Everything that is not blocked.
    All,
    /// Everything that is neither blocked nor left to the domain crawl.
    Frequent,
}

impl FeedFrequency {
    /// Reads a frequency's name, `all` or `frequent`, in whatever case.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            text if text.eq_ignore_ascii_case("all") => Some(Self::All),
            text if text.eq_ignore_ascii_case("frequent") => Some(Self::Frequent),
            text => CrawlFrequency::parse(text).map(Self::One),
        }
    }

    fn takes(self, frequency: Option<CrawlFrequency>) -> bool {
        match (self, frequency) {
            (Self::One(only), frequency) => frequency == Some(only),
            (_, None | Some(CrawlFrequency::NeverCrawl)) => false,
            (Self::Frequent, Some(CrawlFrequency::DomainCrawl)) => false,
            (Self::All | Self::Frequent, Some(_)) => true,
        }
    }
}

/// On what grounds the targets of a feed are collected: the tool keeps a feed
/// for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedGrounds {
    /// `ld`: within the reach of legal deposit, by itself or by what it inherits.
    LegalDeposit,
    /// `by`: with a licence, its own or inherited, and not within legal deposit.
    Licence,
    /// `oa`: with a licence of its own. It is about access, so dates do not count.
    OpenAccess,
}

impl FeedGrounds {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::LegalDeposit, Self::Licence, Self::OpenAccess];

    /// The value in URLs of the tool.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LegalDeposit => "ld",
            Self::Licence => "by",
            Self::OpenAccess => "oa",
        }
    }

    /// The grounds of this value, in whatever case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|grounds| grounds.as_str().eq_ignore_ascii_case(text.trim()))
    }

    /// Whether targets behind a login have feeds of their own there; those of
    /// licences do not part the two.
    pub fn part_logins(grounds: Option<Self>) -> bool {
        matches!(grounds, None | Some(Self::LegalDeposit))
    }
}

/// The grounds on which a target may be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetGrounds {
    /// Every seed is within legal deposit.
    pub legal_deposit: bool,
    /// Every seed has a licence.
    pub licence: bool,
    /// … and none of them inherits it.
    pub own_licence: bool,
}

/// The query for the targets that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueQuestion {
    /// The frequency.
    pub frequency: FeedFrequency,
    /// The time of the question.
    pub now: CaptureDate,
    /// Whether it is the feed of targets behind a login, or of all others: the tool
    /// keeps them in feeds of their own.
    pub paywalled: bool,
    /// The grounds; none tests no grounds.
    pub grounds: Option<FeedGrounds>,
}

impl DueQuestion {
    /// Tests whether a target is in the feed; `Err` is the reason why not.
    ///
    /// Active; the frequency is that of the feed; the end is open or after
    /// two hours ago; the start is before in two hours. A target without a
    /// start is never exported.
    pub fn takes(&self, meaning: &Meaning, active: bool, paywalled: bool) -> Result<(), &'static str> {
        if !self.frequency.takes(meaning.frequency) {
            return Err("of another frequency");
        }
        // Blocked targets are not crawled and yet listed, as those to leave out.
        let is_block = meaning.frequency == Some(CrawlFrequency::NeverCrawl);
        if !active && !is_block {
            return Err("switched off");
        }
        if FeedGrounds::part_logins(self.grounds) && paywalled != self.paywalled {
            return Err(if paywalled { "behind a login" } else { "not behind a login" });
        }
        if self.grounds == Some(FeedGrounds::OpenAccess) {
            return Ok(());
        }
        let Some(start) = meaning.start else { return Err("without a start date") };
        if start.millis() >= self.now.millis().saturating_add(SLACK_MS) {
            return Err("not begun yet");
        }
        if meaning.end.is_some_and(|end| end.millis() <= self.now.millis().saturating_sub(SLACK_MS)) {
            return Err("ended");
        }
        Ok(())
    }

    /// Tests the grounds of a target; `Err` is the reason why they are not those of the feed.
    pub fn takes_on(&self, found: TargetGrounds) -> Result<(), &'static str> {
        match self.grounds {
            None => Ok(()),
            Some(FeedGrounds::LegalDeposit) if found.legal_deposit => Ok(()),
            Some(FeedGrounds::LegalDeposit) => Err("not within legal deposit"),
            Some(FeedGrounds::Licence) if found.legal_deposit => Err("within legal deposit"),
            Some(FeedGrounds::Licence) if found.licence => Ok(()),
            Some(FeedGrounds::Licence) => Err("without a licence"),
            Some(FeedGrounds::OpenAccess) if found.own_licence => Ok(()),
            Some(FeedGrounds::OpenAccess) => Err("without a licence of its own"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_two_hours_wider() {
        let date = |text: &str| Some(CaptureDate::parse(text).unwrap());
        let question = |name: &str| DueQuestion {
            frequency: FeedFrequency::parse(name).unwrap(),
            now: date("2024-03-01T12:00").unwrap(),
            paywalled: false,
            grounds: None,
        };
        let target = |frequency, start, end| Meaning { frequency, start, end, ..Meaning::default() };
        let weekly = |start, end| target(Some(CrawlFrequency::Weekly), start, end);
        let due = |meaning: &Meaning| question("WEEKLY").takes(meaning, true, false);
        assert_eq!(due(&weekly(None, None)), Err("without a start date"));
        assert_eq!(due(&weekly(date("2024-03-01T13:59"), None)), Ok(()));
        assert_eq!(due(&weekly(date("2024-03-01T14:00"), None)), Err("not begun yet"));
        let begun = date("2020-01-01");
        assert_eq!(due(&weekly(begun, date("2024-03-01T10:01"))), Ok(()));
        assert_eq!(due(&weekly(begun, date("2024-03-01T10:00"))), Err("ended"));
        assert_eq!(question("weekly").takes(&weekly(begun, None), false, false), Err("switched off"));
        assert_eq!(question("weekly").takes(&weekly(begun, None), true, true), Err("behind a login"));
        let taken = |name: &str| {
            let all = CrawlFrequency::ALL.into_iter();
            all.filter(|frequency| question(name).takes(&target(Some(*frequency), begun, None), true, false).is_ok())
                .count()
        };
        assert_eq!((taken("all"), taken("frequent"), taken("NeverCrawl")), (7, 6, 1));
        assert_eq!(FeedFrequency::parse("fortnightly"), None);
        // Open access has no window, and a login is no matter of it.
        let access = DueQuestion { grounds: FeedGrounds::parse("OA"), ..question("WEEKLY") };
        assert_eq!(access.takes(&weekly(None, None), true, true), Ok(()));
        assert_eq!(access.takes(&weekly(None, None), false, false), Err("switched off"));
    }

    #[test]
    fn grounds_part_targets_as_the_tool_parts_its_feeds() {
        let taken = |name: &str, found: TargetGrounds| {
            let question = DueQuestion {
                frequency: FeedFrequency::All,
                now: CaptureDate::default(),
                paywalled: false,
                grounds: FeedGrounds::parse(name),
            };
            question.takes_on(found)
        };
        let none = TargetGrounds::default();
        let law = TargetGrounds { legal_deposit: true, ..none };
        let inherited = TargetGrounds { licence: true, ..none };
        let own = TargetGrounds { own_licence: true, ..inherited };
        let both = TargetGrounds { legal_deposit: true, ..own };
        let fits = |name: &str| [none, law, inherited, own, both].map(|found| taken(name, found).is_ok());
        assert_eq!(fits("ld"), [false, true, false, false, true]);
        assert_eq!(fits("by"), [false, false, true, true, false]);
        assert_eq!(fits("oa"), [false, false, false, true, true]);
        assert_eq!(taken("by", both), Err("within legal deposit"));
        assert_eq!(fits("anything"), [true; 5], "without grounds all are taken");
    }
}
