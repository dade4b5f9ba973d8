//! `fonds replay rewrite`: the rewriting of replay as a filter.

use crate::cli::FINE;
use crate::replay::{Cookies, Hint, Rewriter, rewrite_field};
use crate::uri::{CaptureDate, Url};
use anyhow::Context;
use std::io::{Read, Write};

/// Rewrite standard input as an archived page, sheet or field is rewritten.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds replay rewrite html --url https://a.pt/ --timestamp 20240105093000 < page.html\n  \
    printf 'Location: /b' | fonds replay rewrite header --url https://a.pt/ --timestamp 20240105093000\n\n\
    Only references change; no line break is added. insert writes {INSERT} where the script of the replay goes, url is\n\
    one URL, header and cookie are one field: (none) for one that is left out."
)]
pub(super) struct RewriteArgs {
    /// What standard input is.
    kind: RewriteKind,
    /// The archived URL that references are resolved against.
    #[arg(long)]
    url: String,
    /// The date in replay URLs, as 14 digits.
    #[arg(long)]
    timestamp: String,
    /// What a URL or a field is for: mp_ a page, js_, cs_, im_, if_, oe_, id_.
    #[arg(long, default_value = "mp_")]
    hint: String,
    /// Keep cookies below the replay URL of their host.
    #[arg(long)]
    cookies: bool,
}

/// Kinds of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum RewriteKind {
    /// A page.
    Html,
    /// A style sheet.
    Css,
    /// A list of images.
    Srcset,
    /// The content of a meta refresh.
    MetaRefresh,
    /// A field of an answer.
    Header,
    /// A page with a base.
    Base,
    /// A page that is only marked.
    Insert,
    /// One URL.
    Url,
    /// A script, a playlist, a presentation.
    Script,
    /// A Set-Cookie field.
    Cookie,
}

pub(super) fn run(args: &RewriteArgs, input: &mut dyn Read, out: &mut dyn Write) -> anyhow::Result<u8> {
    let url = Url::parse(args.url.trim()).with_context(|| format!("--url: “{}” is not a URL", args.url))?;
    let is_date = args.timestamp.len() == 14 && CaptureDate::parse(&args.timestamp).is_ok();
    anyhow::ensure!(is_date, "--timestamp: “{}” is not a date of 14 digits", args.timestamp);
    let hint = Hint::named(&args.hint).with_context(|| format!("--hint: there is no “{}”", args.hint))?;
    let mut body = Vec::new();
    input.read_to_end(&mut body)?;
    let text = String::from_utf8_lossy(&body);
    let rewriter = Rewriter::new(url, &args.timestamp);
    let rewritten = match args.kind {
        RewriteKind::Html | RewriteKind::Base => rewriter.html(&body, None, None).bytes,
        RewriteKind::Css => rewriter.css(&body, None).bytes,
        RewriteKind::Script => rewriter.script(&body),
        RewriteKind::Insert => Rewriter::insert(&body, "{INSERT}"),
        RewriteKind::Srcset => rewriter.srcset(&text).into_bytes(),
        RewriteKind::MetaRefresh => rewriter.refresh(&text).into_bytes(),
        RewriteKind::Url => rewriter.url(&text, hint, false).map_or_else(|| body.clone(), String::into_bytes),
        RewriteKind::Header | RewriteKind::Cookie => {
            let (name, value) = text.split_once(':').context("standard input is no field “Name: value”")?;
            let cookies = if args.cookies { Cookies::OfHost } else { Cookies::Dropped };
            let field = rewrite_field(&rewriter, hint, cookies, name.trim(), value.trim());
            field.map_or_else(|| "(none)".to_owned(), |(name, value)| format!("{name}: {value}")).into_bytes()
        }
    };
    out.write_all(&rewritten)?;
    Ok(FINE)
}
