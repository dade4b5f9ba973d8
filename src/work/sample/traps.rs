//! Pages without an end, as real servers have them, and redirects.

use super::content::{Page, Pages};
use super::generated::{escape, listing_of, month_name};
use super::hosts::HostSpec;
use crate::serve::{HttpReply, HttpRequest};
use std::fmt::Write;

const FESTIVAL: &str = "www.festival-da-ria.example";

/// Month that the calendar opens with.
const FIRST_MONTH: (i32, u32) = (2024, 6);

/// A redirect with the short page that servers send along.
pub(super) fn moved(status: u16, location: &str) -> HttpReply {
    let target = escape(location);
    let body =
        format!("<html><head><title>{status}</title></head><body><a href=\"{target}\">{target}</a></body></html>\n");
    HttpReply::new(status, "text/html; charset=utf-8", body).with("Location", location)
}

/// A page of an endless kind: the calendar that has every month, and the
/// folder that lies within itself.
pub(super) fn endless(host: &HostSpec, request: &HttpRequest, pages: &Pages) -> Option<Page> {
    if host.name != FESTIVAL {
        return None;
    }
    if request.path == "/agenda" {
        return Some(calendar(request.query.as_deref(), pages));
    }
    let inside = request.path.strip_prefix("/labirinto/")?;
    inside.split_terminator('/').all(|part| part == "a").then(|| labyrinth(inside.matches('/').count()))
}

fn calendar(query: Option<&str>, pages: &Pages) -> Page {
    let (year, month) = query.and_then(month_of).unwrap_or(FIRST_MONTH);
    let before = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let after = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let title = format!("Agenda de {} de {year}", month_name("pt", month as usize));
    let key = format!("{year:04}-{month:02}");
    let events: Vec<_> = pages.iter().filter(|(_, page)| page.date.starts_with(&key)).collect();
    let mut body = String::from("<p class=\"lead\">Concertos, oficinas e marés do festival, mês a mês.</p>\n");
    if events.is_empty() {
        body.push_str("<p>Não há nada marcado para este mês.</p>\n");
    } else {
        body.push_str(&listing_of(events, "pt"));
    }
    // Writing to a String cannot fail.
    let _ = writeln!(
        body,
        "<nav class=\"pager\"><a rel=\"prev\" href=\"/agenda?mes={:04}-{:02}\">Mês anterior</a> \
         <a rel=\"next\" href=\"/agenda?mes={:04}-{:02}\">Mês seguinte</a></nav>",
        before.0, before.1, after.0, after.1
    );
    Page { title, lang: "pt".into(), body, ..Page::default() }
}

/// Year and month of `mes=2024-05`.
fn month_of(query: &str) -> Option<(i32, u32)> {
    let value = query.split('&').find_map(|pair| pair.strip_prefix("mes="))?;
    let (year, month) = value.split_once('-')?;
    let (year, month) = (year.parse().ok()?, month.parse().ok()?);
    ((1..=9999).contains(&year) && (1..=12).contains(&month)).then_some((year, month))
}

fn labyrinth(depth: usize) -> Page {
    let title = match depth {
        0 => "O labirinto de canas".to_owned(),
        _ => format!("O labirinto de canas, sala {depth}"),
    };
    let body = "<p>O labirinto de canas da praia tem sempre mais uma sala.</p>\n\
                <p><a href=\"a/\">Entrar na sala seguinte</a> ou <a href=\"/\">voltar ao festival</a>.</p>\n";
    Page { title, lang: "pt".into(), body: body.into(), ..Page::default() }
}
