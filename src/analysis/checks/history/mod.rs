//! The capture beside earlier ones of its page.

mod off_topic;
mod other_time;
mod size_change;

pub(super) use off_topic::OFF_TOPIC;
pub(super) use other_time::OTHER_TIME;
pub(super) use size_change::SIZE_CHANGE;
