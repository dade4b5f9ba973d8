//! `fonds geo`: addresses in, countries out.

use super::output::json_text;
use super::surt::each_line;
use crate::scope::GeoDatabase;
use crate::uri::CaptureDate;
use serde_json::json;
use std::io::{BufRead, Write};
use std::net::IpAddr;
use std::path::PathBuf;

/// Say which country the addresses on standard input are in.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads one address a line and writes one country code a line, `-` where the database has none.\n\n\
    Example:\n  \
    echo 192.0.2.1 | fonds geo GeoLite2-Country.mmdb\n  \
    PT"
)]
pub struct GeoArgs {
    /// A country or city database in MaxMind's format.
    #[arg(value_name = "FILE.mmdb")]
    pub file: PathBuf,
    /// Write one JSON object a line, with the network that the entry covers.
    #[arg(long)]
    pub json: bool,
}

/// Writes a country for every line.
pub fn run(args: &GeoArgs, input: &mut dyn BufRead, output: &mut dyn Write) -> anyhow::Result<u8> {
    let database = GeoDatabase::open(&args.file)?;
    if let Some(remark) = database.remark(CaptureDate::now()) {
        notice!("note: {remark}");
    }
    let mut problems = 0u64;
    each_line(input, |line| {
        let text = line.trim().trim_start_matches('[').trim_end_matches(']');
        let found = text.parse::<IpAddr>().ok().map(|address| database.lookup(address));
        let (network, country) = match found {
            Some(Ok((network, country))) => (Some(network), country),
            // What is no address has no country.
            None => (None, None),
            Some(Err(error)) => {
                warn_of!("addresses that cannot be looked up", "fonds: {text}: {error}");
                problems += 1;
                (None, None)
            }
        };
        if args.json {
            writeln!(output, "{}", json_text(&json!({"address": line, "network": network, "country": country}))?)
        } else {
            writeln!(output, "{}", country.as_deref().unwrap_or("-"))
        }
    })?;
    output.flush()?;
    Ok(if problems == 0 { super::FINE } else { super::PROBLEMS })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use mmdb_writer::{Value, Writer};

    #[test]
    fn one_country_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("country.mmdb");
        let mut writer = Writer::new("Test-Country");
        let network: ipnet::IpNet = "192.0.2.0/24".parse().unwrap();
        writer.insert_value(network, Value::map([("country_code", "PT")])).unwrap();
        std::fs::write(&file, writer.to_bytes().unwrap()).unwrap();
        let mut args = GeoArgs { file, json: false };
        let check = |args: &GeoArgs, input: &str, expected: &str| {
            let mut output = Vec::new();
            assert_eq!(run(args, &mut input.as_bytes(), &mut output).unwrap(), 0);
            assert_eq!(String::from_utf8(output).unwrap(), expected);
        };
        check(&args, "192.0.2.1\n192.0.3.1\n\nfct.pt\n[2001:db8::1]\n", "PT\n-\n-\n-\n-\n");
        args.json = true;
        check(&args, "192.0.2.1", "{\"address\":\"192.0.2.1\",\"network\":\"192.0.2.0/24\",\"country\":\"PT\"}\n");
        args.file = dir.path().join("none.mmdb");
        assert!(run(&args, &mut "".as_bytes(), &mut Vec::new()).unwrap_err().to_string().contains("none.mmdb"));
    }
}
