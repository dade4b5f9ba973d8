//! What links to the page.

mod external_inlinks;

pub(super) use external_inlinks::ExternalInlinks;
