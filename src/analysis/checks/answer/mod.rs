//! What the server answered.

mod challenge;
mod cut_short;
mod login_wall;
mod media_in_part;
mod media_type;
mod rate_limit;
mod redirect_elsewhere;
mod redirect_front;
mod status;

pub(super) use challenge::CHALLENGE;
pub(super) use cut_short::CUT_SHORT;
pub(super) use login_wall::{LOGIN_PATHS, LOGIN_WALL};
pub(super) use media_in_part::MEDIA_IN_PART;
pub(super) use media_type::MEDIA_TYPE;
pub(super) use rate_limit::RATE_LIMIT;
pub(super) use redirect_elsewhere::REDIRECT_ELSEWHERE;
pub(super) use redirect_front::REDIRECT_FRONT;
pub(super) use status::STATUS;
