//! A small HTTP/1.1 server on loopback, for what this program serves to this machine: the sample web, replay, tests.
//!
//! In: addresses of loopback and a [`Handler`] that answers one [`HttpRequest`] with one [`HttpReply`]. Out: sockets that
//! answer until the [`HttpServer`] is dropped. [`NamedHosts`] gives many host names addresses of their own.
//!
//! Invariants, whatever a client sends: nothing listens beyond loopback; a connection takes one thread, and there are at
//! most [`ServerLimits::connections`]; a request takes at most [`ServerLimits::head_bytes`] and
//! [`ServerLimits::body_bytes`] of memory, a streamed reply one buffer; a client that is too slow is disconnected;
//! a handler that panics costs its client a reply and nobody else anything; dropping the server ends every connection.
//!
//! The handler decides which hosts and origins it serves, and what a path leads to: a request carries `Host` and
//! target as they were sent, and [`HttpRequest::file_path`] gives the path of a file that leads out of no folder.
//!
//! Not here on purpose: TLS, HTTP/2, compression, bodies of requests in chunks, more than loopback.

mod named_hosts;
mod reply;
mod request;
mod server;
#[cfg(test)]
mod tests;

pub use named_hosts::{NamedHosts, URL_PORT};
pub use reply::{HttpReply, ReplyBody, ReplyFraming, http_date, type_by_name};
pub use request::{HttpRequest, ServerLimits};
pub use server::{Handler, HttpServer};
