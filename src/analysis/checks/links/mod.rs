//! Checks of the links to a page.

mod external_inlinks;

pub(super) use external_inlinks::ExternalInlinks;
