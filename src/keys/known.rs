//! Lists the keys that a person vouches for. They are no secret: a file beside other settings lists them, as
//! SSH lists known hosts.

use super::signing::check_name;
use super::{KeyError, Keychain, PublicKey, SigningKey};
use crate::jobs::{make_private_folder, replace_own, settings_folder};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A person or an institution, and the keys that are theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownKey {
    /// Who.
    pub name: String,
    /// Public keys, as [`PublicKey`] is printed.
    pub keys: Vec<String>,
    /// The private part is in the keychain here.
    pub own: bool,
}

/// The keys that the person at the keyboard vouches for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownKeys {
    path: Option<PathBuf>,
    keys: Vec<KnownKey>,
}

impl KnownKeys {
    /// The list of the person at the keyboard; empty where there is none yet.
    ///
    /// # Errors
    ///
    /// A list that cannot be read: nobody is unknown by accident.
    pub fn load() -> Result<Self, KeyError> {
        match settings_folder() {
            Some(folder) => Self::at(&folder.join("keys.json")),
            None => Ok(Self::default()),
        }
    }

    /// The list in a file; empty where there is none.
    ///
    /// # Errors
    ///
    /// See [`Self::load`].
    pub fn at(path: &Path) -> Result<Self, KeyError> {
        let wrong = |why: String| KeyError::List { path: path.to_owned(), why };
        let keys = match std::fs::read(path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(wrong(error.to_string())),
        };
        Ok(Self { path: Some(path.to_owned()), keys })
    }

    /// All keys, in the order in which they were added.
    pub fn all(&self) -> &[KnownKey] {
        &self.keys
    }

    /// The entry of that name.
    pub fn named(&self, name: &str) -> Option<&KnownKey> {
        self.keys.iter().find(|known| known.name == name)
    }

    /// Whose key this is.
    pub fn holder_of(&self, key: &PublicKey) -> Option<&KnownKey> {
        let text = key.to_string();
        self.keys.iter().find(|known| known.keys.contains(&text))
    }

    /// Makes a key of this person, and lists it.
    ///
    /// # Errors
    ///
    /// A name that is taken or none, and errors of the keychain; nothing is kept then.
    pub fn create(&mut self, name: &str, keychain: &dyn Keychain) -> Result<SigningKey, KeyError> {
        if self.named(name).is_some() {
            return Err(KeyError::Exists { name: name.to_owned() });
        }
        let key = SigningKey::create(name, keychain)?;
        if let Err(error) = self.add(name, &key.publics(), true) {
            keychain.forget(name)?;
            return Err(error);
        }
        Ok(key)
    }

    /// Takes a key off the list, and out of the keychain where it is one of this
    /// person; returns what the list had.
    ///
    /// # Errors
    ///
    /// A name that nothing has, and errors of the keychain.
    pub fn delete(&mut self, name: &str, keychain: &dyn Keychain) -> Result<Option<KnownKey>, KeyError> {
        let known = self.named(name);
        // A key may be in the keychain alone, where the list was lost.
        let is_forgotten = known.is_none_or(|known| known.own) && keychain.forget(name)?;
        match known.is_some() || !is_forgotten {
            true => self.remove(name).map(Some),
            false => Ok(None),
        }
    }

    /// Lists keys under a name, and keeps the list.
    ///
    /// # Errors
    ///
    /// A name or key that is listed already, and a list that cannot be written.
    pub fn add(&mut self, name: &str, keys: &[PublicKey], own: bool) -> Result<(), KeyError> {
        check_name(name)?;
        let listed = keys.iter().find_map(|key| self.holder_of(key)).or_else(|| self.named(name));
        if let Some(listed) = listed {
            return Err(KeyError::Exists { name: listed.name.clone() });
        }
        let keys = keys.iter().map(ToString::to_string).collect();
        self.keys.push(KnownKey { name: name.to_owned(), keys, own });
        self.keep()
    }

    fn remove(&mut self, name: &str) -> Result<KnownKey, KeyError> {
        let at = self.keys.iter().position(|known| known.name == name);
        let known = self.keys.remove(at.ok_or_else(|| KeyError::Unlisted { name: name.to_owned() })?);
        self.keep().map(|()| known)
    }

    fn keep(&self) -> Result<(), KeyError> {
        let path = self.path.as_deref().ok_or(KeyError::NoPlace)?;
        let wrong = |error: std::io::Error| KeyError::List { path: path.to_owned(), why: error.to_string() };
        path.parent().map_or(Ok(()), make_private_folder).map_err(wrong)?;
        let mut text = serde_json::to_vec_pretty(&self.keys).map_err(|error| wrong(error.into()))?;
        text.push(b'\n');
        replace_own(path, |file| file.write_all(&text)).map_err(wrong)
    }
}
