//! A launch, its seeds and hosts, with what was expected of them.

mod host_failures;
mod launch_shrunk;
mod new_hosts;
mod not_seen_again;
mod robots_closed;
mod seed_missing;
mod seed_off_scope;

pub(super) use host_failures::HOST_FAILURES;
pub(super) use launch_shrunk::LAUNCH_SHRUNK;
pub(super) use new_hosts::NEW_HOSTS;
pub(super) use not_seen_again::NOT_SEEN_AGAIN;
pub(super) use robots_closed::ROBOTS_CLOSED;
pub(super) use seed_missing::SEED_MISSING;
pub(super) use seed_off_scope::SEED_OFF_SCOPE;
