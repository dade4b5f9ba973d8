//! What checks of review found, as the catalogue keeps it.
//!
//! In: signs and findings of `work/checks`, marks of persons. Out: findings of a capture, captures by their loss, groups of one
//! cause, how often a check was right.
//!
//! Invariants: findings are derived and made again at will; marks of persons are only ever added, and taken back by a
//! date. A false alarm hides the finding of that check on all captures of that URL with that content, and their loss is that
//! of the other findings.

mod feed;
mod groups;
mod launches;
mod marks;
mod rows;
mod signs;

pub use feed::{HostCapture, SeenAs};
pub use groups::{CheckCount, FindingGroup};
pub use launches::KeptRobots;
pub(in crate::store) use marks::take_judgement;
pub use marks::{CheckPrecision, FindingMark, OFFER_OFF_BELOW, OFFER_OFF_MARKS};
pub use rows::{KeptFinding, LaunchFinding, ListedFinding, PageLoss};
pub(in crate::store) use rows::{findings_of, is_checked};
pub use signs::{CaptureFindings, KeptPage, KeptSigns};
