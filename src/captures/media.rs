//! What is said of a capture by its status and MIME type alone.

/// Whether a status and a MIME type, in lower case and without parameters, are
/// those of a page: what makes inlinks.
pub fn is_page(status: impl Into<i32>, mime: &str) -> bool {
    (200..300).contains(&status.into()) && is_page_type(mime)
}

/// Whether a page may be served with this MIME type.
pub fn is_page_type(mime: &str) -> bool {
    matches!(mime, "text/html" | "application/xhtml+xml")
}
