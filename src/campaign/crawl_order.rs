//! The order in which a crawl fetches what waits.

use serde::{Deserialize, Serialize};

/// The order of the queue. Politeness and scope are the same in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrawlOrder {
    /// What the request is about first: of hosts and of the URLs of a host. Without words to look
    /// for it is [`Self::RoundRobin`].
    #[default]
    Relevance,
    /// One host after the other; of a host what is nearest to a seed.
    #[serde(rename = "hosts_in_turn")]
    RoundRobin,
    /// What is nearest to a seed first, whatever its host.
    BreadthFirst,
}

impl CrawlOrder {
    /// Every order, in the order of menus.
    pub const ALL: [Self; 3] = [Self::Relevance, Self::RoundRobin, Self::BreadthFirst];

    /// The name of the order in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::RoundRobin => "hosts_in_turn",
            Self::BreadthFirst => "breadth_first",
        }
    }

    /// What the order does, for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Relevance => {
                "first what the request is about, by the text of links, URLs and pages; hosts that proved relevant \
                 come first, one fetch in ten is random"
            }
            Self::RoundRobin => "one host after the other; of each host what is nearest to a seed",
            Self::BreadthFirst => "what is nearest to a seed first, whatever its host",
        }
    }

    /// The name of the order for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Relevance => "By relevance",
            Self::RoundRobin => "Hosts in turn",
            Self::BreadthFirst => "Breadth first",
        }
    }
}
