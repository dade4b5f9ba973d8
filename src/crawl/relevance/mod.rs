//! The order of a crawl that follows its request.
//!
//! Two choices, kept apart: which host is next ([`gains`]) and which URL of it ([`parts`], made by
//! the [`guide`]). Of many ways tried on 38,000 pages of documentation this one found the most:
//! one queue of all hosts by priority was worse than going round the hosts, since one talkative
//! host takes it. Nothing is inherited from pages further back, and nothing is refused: what has no
//! words of the request comes later.
//!
//! Politeness and scope bound it all: only hosts that are due are chosen from.

pub(super) mod draws;
pub(super) mod gains;
pub(super) mod guide;
pub(super) mod orders;
pub(super) mod parts;
pub(super) mod rescore;
