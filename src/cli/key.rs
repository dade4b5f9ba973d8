//! `fonds key`: keys that sign, and keys of others that a person vouches for.

use super::FINE;
use super::output::{json_line, plain};
use crate::keys::{KeyError, KnownKey, KnownKeys, PublicKey, SystemKeychain};
use serde_json::json;
use std::io::Write;

/// Commands for signing keys.
#[derive(Debug, clap::Subcommand)]
pub enum KeyCommand {
    /// Make a key of your own, its private part in the system's keychain.
    #[command(
        after_help = "Example:\n  fonds key new 'City archive' && fonds export my-archive --out /tmp/export --sign 'City archive'\n\n\
        It is two keys under one name: Ed25519 for manifests of exports, ECDSA P-384 for WACZ packages, as their\n\
        specification and ReplayWeb.page have it. The private parts are in the keychain (Secret Service on Linux,\n\
        Keychain on macOS, Credential Manager on Windows) and in no file; without a keychain there is no key."
    )]
    New(KeyNameArgs),
    /// List the keys that are known here.
    #[command(
        after_help = "Example:\n  fonds key list\n\nThe list is a file with your settings; it has no private keys."
    )]
    List(KeyListArgs),
    /// Print the public keys of one name.
    #[command(after_help = "Example:\n  fonds key show 'City archive'\n\n\
        Give them to those who receive your exports, by a way that they trust: with them alone they know that a\n\
        signature is yours.")]
    Show(KeyNameArgs),
    /// Vouch for public keys of somebody: verify says that they signed.
    #[command(
        after_help = "Example:\n  fonds key trust MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE= --name 'City archive'\n\n\
        Anybody can make a key and write any name beside it. Take a key from its holder, not from the handover that\n\
        it signed."
    )]
    Trust(TrustArgs),
    /// Forget a key; one of your own goes out of the keychain for good.
    #[command(after_help = "Example:\n  fonds key delete 'City archive'\n\n\
        What a key has signed stays signed. A private key that was deleted cannot be had back.")]
    Delete(KeyNameArgs),
}

/// The name of a key.
#[derive(Debug, clap::Args)]
pub struct KeyNameArgs {
    /// Name of the key.
    name: String,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds key list`.
#[derive(Debug, clap::Args)]
pub struct KeyListArgs {
    /// One object a name.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds key trust`.
#[derive(Debug, clap::Args)]
pub struct TrustArgs {
    /// Public keys, as fonds key show prints them.
    #[arg(required = true, value_name = "PUBLICKEY")]
    keys: Vec<String>,
    /// Who holds them.
    #[arg(long, value_name = "WHO")]
    name: String,
}

pub(super) fn run(command: &KeyCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut known = KnownKeys::load()?;
    match command {
        KeyCommand::New(KeyNameArgs { name, json }) => {
            known.create(name, &SystemKeychain)?;
            show(&known, name, *json, out)?;
        }
        KeyCommand::Show(KeyNameArgs { name, json }) => show(&known, name, *json, out)?,
        KeyCommand::List(args) => {
            for entry in known.all() {
                match args.json {
                    true => json_line(out, entry)?,
                    false => {
                        let whose = if entry.own { "own    " } else { "trusted" };
                        writeln!(out, "{whose} {}", plain(&entry.name))?;
                    }
                }
            }
        }
        KeyCommand::Trust(TrustArgs { keys, name }) => {
            let keys = keys.iter().map(|key| PublicKey::parse(key)).collect::<Result<Vec<_>, _>>()?;
            known.add(name, &keys, false)?;
            writeln!(out, "What these keys sign is taken as signed by {}", plain(name))?;
        }
        KeyCommand::Delete(KeyNameArgs { name, json }) => {
            let entry = known.delete(name, &SystemKeychain)?;
            let (was_own, keys) = entry.map_or((true, Vec::new()), |entry| (entry.own, entry.keys));
            if *json {
                json_line(out, &json!({ "name": name, "own": was_own, "keys": keys }))?;
            } else {
                let whose = if was_own { "and its private part is deleted" } else { "and is vouched for no more" };
                writeln!(out, "{} is off the list, {whose}", plain(name))?;
            }
        }
    }
    Ok(FINE)
}

/// Prints an entry, with what others call to vouch for it.
fn show(known: &KnownKeys, name: &str, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let unlisted = || KeyError::Unlisted { name: name.to_owned() };
    let entry @ KnownKey { keys, own, .. } = known.named(name).ok_or_else(unlisted)?;
    if as_json {
        return json_line(out, entry);
    }
    writeln!(
        out,
        "{} ({})",
        plain(name),
        if *own { "your own, private part in the system's keychain" } else { "trusted" }
    )?;
    for text in keys {
        let key = PublicKey::parse(text)?;
        writeln!(out, "{:<20} {key}\n{:<20} SHA-256 {}", key.algorithm(), "", key.fingerprint())?;
    }
    let quoted = format!("'{}'", name.replace('\'', r"'\''"));
    writeln!(out, "Others vouch for it with: fonds key trust {} --name {}", keys.join(" "), plain(&quoted))?;
    Ok(())
}
