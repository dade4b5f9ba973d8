//! What is drawn: pictures of pages and widgets.

mod gallery;
mod pictures;
pub(super) mod pixels;
mod rules;
mod shapes;
