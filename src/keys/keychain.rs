//! Keeps private keys in the keychain of the system.

use super::KeyError;
use keyring::v1::{Entry, Error};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Name of the entries of Fonds in the keychain.
const SERVICE: &str = "Fonds";

/// Keeps secrets by their names.
pub trait Keychain: Send + Sync {
    /// The secret of that name, if there is one.
    ///
    /// # Errors
    ///
    /// Errors of the system, also where it has no keychain.
    fn secret(&self, name: &str) -> Result<Option<String>, KeyError>;

    /// Keeps a secret.
    ///
    /// # Errors
    ///
    /// Errors of the system, also where it has no keychain.
    fn keep(&self, name: &str, secret: &str) -> Result<(), KeyError>;

    /// Forgets a secret; returns whether there was one.
    ///
    /// # Errors
    ///
    /// Errors of the system, also where it has no keychain.
    fn forget(&self, name: &str) -> Result<bool, KeyError>;
}

/// The keychain of the system: Secret Service, macOS, Windows.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemKeychain;

fn entry(name: &str) -> Result<Entry, KeyError> {
    match Entry::store_status() {
        Ok(()) => Entry::new(SERVICE, name).map_err(|error| refused(name, &error)),
        Err(error) => Err(KeyError::NoKeychain { why: error.to_string() }),
    }
}

fn refused(name: &str, error: &Error) -> KeyError {
    match error {
        Error::NoDefaultStore => KeyError::NoKeychain { why: error.to_string() },
        _ => KeyError::Refused { name: name.to_owned(), why: error.to_string() },
    }
}

impl Keychain for SystemKeychain {
    fn secret(&self, name: &str) -> Result<Option<String>, KeyError> {
        match entry(name)?.get_password() {
            Ok(secret) => Ok(Some(secret)),
            Err(Error::NoEntry) => Ok(None),
            Err(Error::BadEncoding(_)) => Err(KeyError::Spoiled { name: name.to_owned() }),
            Err(error) => Err(refused(name, &error)),
        }
    }

    fn keep(&self, name: &str, secret: &str) -> Result<(), KeyError> {
        entry(name)?.set_password(secret).map_err(|error| refused(name, &error))
    }

    fn forget(&self, name: &str) -> Result<bool, KeyError> {
        match entry(name)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(refused(name, &error)),
        }
    }
}

/// A keychain in memory, which ends with it: for tests.
#[derive(Default)]
pub struct MemoryKeychain(Mutex<BTreeMap<String, String>>);

impl Keychain for MemoryKeychain {
    fn secret(&self, name: &str) -> Result<Option<String>, KeyError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned())
    }

    fn keep(&self, name: &str, secret: &str) -> Result<(), KeyError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), secret.to_owned());
        Ok(())
    }

    fn forget(&self, name: &str) -> Result<bool, KeyError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name).is_some())
    }
}
