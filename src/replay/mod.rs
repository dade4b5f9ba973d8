//! Replay of captures in a browser: what goes out of this program in their place, without a workspace.
//!
//! In: bytes and header fields as they were archived, and replay URLs. Out: the same with their references replaced
//! ([`Rewriter`]), and what the servers of [`crate::work`] answer with.
//!
//! Invariants: only references are changed, all other bytes stay; what is changed never panics and is linear in its
//! length; no archived text is markup in a page of this program.
//!
//! Not here: which capture answers (the catalogue), sockets ([`crate::serve`]).

mod body_kind;
mod cdx_query;
mod memento;
mod pages;
mod range;
mod replay_url;
mod rewrite;

pub use body_kind::{BodyKind, body_kind, shown_type};
pub use cdx_query::{CdxOutput, CdxPages, CdxRequest, ORIGINAL_FIELDS, cdx_key};
pub use memento::{MementoLinks, parse_http_date};
pub use pages::{archive_policy, frame_page, frame_policy, own_file, plain_page, player_page, start_page, step_page};
pub use range::{Part, part_of};
pub use replay_url::{Hint, REPLAY_PATH, ReplayTime, ReplayUrl, replay_path};
pub use rewrite::{Cookies, FRAME_NAME, Rewriter, Rewritten, rewrite_field};
