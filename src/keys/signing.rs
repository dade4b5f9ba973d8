//! Signs with the private keys of a person.

use super::keychain::Keychain;
use super::public::{ED25519_BEGIN, P384_BEGIN};
use super::{KeyError, PublicKey};
use data_encoding::BASE64_MIME;
use p384::ecdsa::Signature;
use p384::ecdsa::signature::hazmat::PrehashSigner;
use p384::pkcs8::DecodePrivateKey;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// Longest name of a key, in letters.
pub(super) const MAX_NAME: usize = 100;

/// Checks the name of a key.
pub(super) fn check_name(name: &str) -> Result<(), KeyError> {
    let fits = (1..=MAX_NAME).contains(&name.chars().count()) && name.trim() == name;
    match fits && !name.contains(char::is_control) {
        true => Ok(()),
        false => Err(KeyError::Name { name: name.chars().take(MAX_NAME).collect() }),
    }
}

/// A key of this person with its private part, in memory.
#[derive(Clone)]
pub struct SigningKey(Arc<Pair>);

struct Pair {
    name: String,
    manifest: Ed25519KeyPair,
    package: p384::ecdsa::SigningKey,
}

impl SigningKey {
    /// Makes a key and puts its private part into the keychain.
    ///
    /// # Errors
    ///
    /// A name that another key has or that cannot be one, and errors of the keychain.
    pub fn create(name: &str, keychain: &dyn Keychain) -> Result<Self, KeyError> {
        check_name(name)?;
        if keychain.secret(name)?.is_some() {
            return Err(KeyError::Exists { name: name.to_owned() });
        }
        let random = SystemRandom::new();
        let manifest = Ed25519KeyPair::generate_pkcs8(&random).map_err(|_| KeyError::NoRandom)?;
        let package = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &random);
        let package = package.map_err(|_| KeyError::NoRandom)?;
        let secret = pem(manifest.as_ref()) + &pem(package.as_ref());
        let key = Self::of_secret(name, &secret)?;
        keychain.keep(name, &secret)?;
        Ok(key)
    }

    /// The key of that name in the keychain.
    ///
    /// # Errors
    ///
    /// When there is none, and errors of the keychain.
    pub fn load(name: &str, keychain: &dyn Keychain) -> Result<Self, KeyError> {
        let secret = keychain.secret(name)?.ok_or_else(|| KeyError::NoKey { name: name.to_owned() })?;
        Self::of_secret(name, &secret)
    }

    /// Reads what [`Self::create`] put into the keychain: two private keys (PKCS#8)
    /// as PEM, Ed25519 first.
    fn of_secret(name: &str, secret: &str) -> Result<Self, KeyError> {
        let spoiled = || KeyError::Spoiled { name: name.to_owned() };
        let keys: Vec<PrivatePkcs8KeyDer<'_>> =
            PrivatePkcs8KeyDer::pem_slice_iter(secret.as_bytes()).take(2).filter_map(Result::ok).collect();
        let [manifest, package] = keys.as_slice() else { return Err(spoiled()) };
        let manifest = Ed25519KeyPair::from_pkcs8(manifest.secret_pkcs8_der()).map_err(|_| spoiled())?;
        let package = p384::SecretKey::from_pkcs8_der(package.secret_pkcs8_der()).map_err(|_| spoiled())?;
        Ok(Self(Arc::new(Pair { name: name.to_owned(), manifest, package: package.into() })))
    }

    /// Name in the keychain.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The key that manifests are signed with (Ed25519).
    pub fn public(&self) -> PublicKey {
        PublicKey::of_point(ED25519_BEGIN, self.0.manifest.public_key().as_ref())
    }

    /// The key that packages are signed with (ECDSA on P-384).
    pub fn package_public(&self) -> PublicKey {
        PublicKey::of_point(P384_BEGIN, self.0.package.verifying_key().to_sec1_point(false).as_bytes())
    }

    /// Both public keys, that of manifests first.
    pub fn publics(&self) -> [PublicKey; 2] {
        [self.public(), self.package_public()]
    }

    /// An Ed25519 signature of a message, 64 bytes.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.manifest.sign(message).as_ref().to_vec()
    }

    /// An ECDSA signature of a message by P-384 and SHA-256, as browsers write it:
    /// its two numbers one after the other, 96 bytes.
    pub fn sign_package(&self, message: &[u8]) -> Vec<u8> {
        let signature: Result<Signature, _> = self.0.package.sign_prehash(&Sha256::digest(message));
        // A digest of 32 bytes is long enough for the curve: that is all it can complain of.
        signature.map(|signature| signature.to_bytes().to_vec()).unwrap_or_default()
    }
}

fn pem(der: &[u8]) -> String {
    let lines = BASE64_MIME.encode(der).replace('\r', "");
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.trim_end())
}

impl PartialEq for SigningKey {
    fn eq(&self, other: &Self) -> bool {
        self.publics() == other.publics()
    }
}

impl Eq for SigningKey {}

/// The private part is not shown.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({:?}, {})", self.name(), self.public())
    }
}
