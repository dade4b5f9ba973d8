//! Keys that sign handovers and packages, and the keys that a person vouches for.
//!
//! In: bytes to sign, or bytes with a signature and a public key. Out: a signature,
//! whether one holds, and who vouches for its key.
//!
//! A key of Fonds is two keys under one name, since the field asks for two: Ed25519
//! (RFC 8032) signs the manifest of a handover, ECDSA on P-384 with SHA-256 signs
//! WACZ packages, which is what ArchiveWeb.page writes and ReplayWeb.page checks
//! (WACZ Signing and Verification 0.1.0, anonymous form). Public keys are written as
//! base 64 of their `SubjectPublicKeyInfo`, as that specification has them.
//!
//! Invariants: the private part is in the keychain of the system and in memory, nowhere else; without a
//! keychain there is no key, and no file takes its place. A signature that holds says that the signer had a
//! key, never who that is: the person at the keyboard vouches for a key ([`KnownKeys`]).
//!
//! Not here: what is signed (`export`, `warc::wacz`), time stamps, revocation.

mod keychain;
mod known;
mod public;
mod signing;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use keychain::{Keychain, MemoryKeychain, SystemKeychain};
pub use known::{KnownKey, KnownKeys};
pub use public::{EcdsaCurve, PublicKey, ecdsa_curves};
pub use signing::SigningKey;

use std::path::PathBuf;

/// A key cannot be made, found, read or kept.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The system has no keychain that answers.
    #[error(
        "the system's keychain does not answer ({why}), and Fonds keeps private keys nowhere else. On Linux it is \
         GNOME Keyring, KWallet or KeePassXC (Secret Service) in a session with D-Bus: begin one, unlock it, then try \
         again; or do this on a machine that has one. Nothing was signed or kept"
    )]
    NoKeychain {
        /// Error of the system.
        why: String,
    },
    /// Error of the keychain.
    #[error("key “{name}”: the system's keychain says: {why}. Unlock it, then try again")]
    Refused {
        /// The key.
        name: String,
        /// Error of the system.
        why: String,
    },
    /// There is no key of that name.
    #[error("there is no key “{name}” in the system's keychain. Make it with: fonds key new NAME")]
    NoKey {
        /// The name.
        name: String,
    },
    /// Nothing is known of that name.
    #[error("no key “{name}” is known here; fonds key list lists all")]
    Unlisted {
        /// The name.
        name: String,
    },
    /// A key of that name is there already.
    #[error("there is a key “{name}” already. Name another one, or delete that one first")]
    Exists {
        /// The name.
        name: String,
    },
    /// What cannot be the name of a key.
    #[error("“{name}” is no name for a key: 1 to {} letters on one line are", signing::MAX_NAME)]
    Name {
        /// The name.
        name: String,
    },
    /// What the keychain has is no key.
    #[error(
        "key “{name}”: what the keychain has under this name is no key of Fonds. Delete it there, then make a new one"
    )]
    Spoiled {
        /// The name.
        name: String,
    },
    /// A text is no public key.
    #[error(
        "“{text}” is no public key that is known here: base 64 of an Ed25519, P-384 or P-256 key \
         (SubjectPublicKeyInfo) is, as fonds key show prints it and manifest.sig.json has it"
    )]
    NotPublic {
        /// The begin of the text.
        text: String,
    },
    /// A key with which anybody can sign.
    #[error(
        "“{text}” is a weak Ed25519 key (a point of small order): one signature of it holds for every text, so that \
         anybody can sign with it. Ask its holder for another one, such as fonds key new makes"
    )]
    WeakKey {
        /// The key.
        text: String,
    },
    /// The list of known keys cannot be read or written.
    #[error("{}: {why}. It lists the keys that you vouch for: mend it, or delete it and trust them again", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Nobody knows where the settings of the person are.
    #[error("the list of known keys has no place: set HOME (on Windows APPDATA), then try again")]
    NoPlace,
    /// Nothing random comes from the system.
    #[error("the system gives no random numbers, without which there is no key")]
    NoRandom,
}
