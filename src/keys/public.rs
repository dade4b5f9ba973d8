//! Reads public keys and verifies signatures with them.

use super::KeyError;
use data_encoding::{BASE64, HEXLOWER};
use rustls::pki_types::SignatureVerificationAlgorithm;
use sha2::{Digest, Sha256};
use std::fmt;
use webpki::ring;

/// A kind of key.
struct Kind {
    name: &'static str,
    algorithm: &'static dyn SignatureVerificationAlgorithm,
    /// What a public key begins with (`SubjectPublicKeyInfo`); the point follows.
    key_begin: &'static [u8],
    point_len: usize,
    /// Bytes of each of the two numbers of an ECDSA signature.
    number_len: Option<usize>,
}

/// Beginning of an Ed25519 key (RFC 8410).
pub(super) const ED25519_BEGIN: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
/// Beginning of a key on P-384 (RFC 5480).
pub(super) const P384_BEGIN: &[u8] =
    b"\x30\x76\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22\x03\x62\x00";
const P256_BEGIN: &[u8] =
    b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";

static KINDS: [Kind; 3] = [
    Kind { name: "Ed25519", algorithm: ring::ED25519, key_begin: ED25519_BEGIN, point_len: 32, number_len: None },
    Kind {
        name: "ECDSA P-384 SHA-256",
        algorithm: ring::ECDSA_P384_SHA256,
        key_begin: P384_BEGIN,
        point_len: 97,
        number_len: Some(48),
    },
    Kind {
        name: "ECDSA P-256 SHA-256",
        algorithm: ring::ECDSA_P256_SHA256,
        key_begin: P256_BEGIN,
        point_len: 65,
        number_len: Some(32),
    },
];

/// The points of Ed25519 whose order is 8 or less, without the bit of their sign: one signature of such a key is that
/// of every message (RFC 8032, 8.9; the list is that of libsodium).
const SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

fn has_small_order(point: &[u8]) -> bool {
    let mut point = point.to_vec();
    if let Some(last) = point.last_mut() {
        *last &= 0x7f;
    }
    SMALL_ORDER.contains(&HEXLOWER.encode(&point).as_str())
}

/// A public key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    /// `SubjectPublicKeyInfo`.
    der: Vec<u8>,
}

impl PublicKey {
    /// Reads a key: base 64 of its `SubjectPublicKeyInfo`, with or without the lines
    /// of PEM around it.
    ///
    /// # Errors
    ///
    /// A text that is none, or a key of another kind than Ed25519, P-384 and P-256.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let base64: String =
            text.lines().filter(|line| !line.starts_with("-----")).flat_map(str::split_whitespace).collect();
        let der = BASE64.decode(base64.as_bytes()).ok();
        let point = der.as_ref().and_then(|der| der.strip_prefix(ED25519_BEGIN));
        if point.is_some_and(has_small_order) {
            return Err(KeyError::WeakKey { text: base64 });
        }
        let key = der.map(|der| Self { der }).filter(|key| key.kind().is_some());
        key.ok_or_else(|| KeyError::NotPublic { text: text.trim().chars().take(80).collect() })
    }

    /// The key of a point, by what keys of its kind begin with.
    pub(super) fn of_point(begin: &[u8], point: &[u8]) -> Self {
        Self { der: [begin, point].concat() }
    }

    fn kind(&self) -> Option<(&'static Kind, &[u8])> {
        KINDS.iter().find_map(|kind| {
            let point = self.der.strip_prefix(kind.key_begin)?;
            let is_ed25519 = kind.key_begin == ED25519_BEGIN;
            (point.len() == kind.point_len && !(is_ed25519 && has_small_order(point))).then_some((kind, point))
        })
    }

    /// Name of the algorithm: `Ed25519`, `ECDSA P-384 SHA-256`, `ECDSA P-256 SHA-256`.
    pub fn algorithm(&self) -> &'static str {
        self.kind().map_or("", |(kind, _)| kind.name)
    }

    /// Whether a signature of a message is that of this key. ECDSA signatures come
    /// as ASN.1, or as their two numbers one after the other.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.kind().is_some_and(|(kind, point)| {
            let asn1 = kind.number_len.map(|len| as_asn1(signature, len));
            kind.algorithm.verify_signature(point, message, asn1.as_deref().unwrap_or(signature)).is_ok()
        })
    }

    /// SHA-256 of the key, in hexadecimal.
    pub fn fingerprint(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(&self.der))
    }
}

/// Base 64, as [`PublicKey::parse`] reads it.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(&self.der))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

/// A curve that certificates sign on.
pub struct EcdsaCurve {
    /// Checks a signature in ASN.1.
    pub algorithm: &'static dyn SignatureVerificationAlgorithm,
    number_len: usize,
}

impl EcdsaCurve {
    /// A signature of two numbers, one after the other, as ASN.1 has it; any other
    /// is taken for ASN.1 already.
    pub fn as_asn1(&self, signature: &[u8]) -> Vec<u8> {
        as_asn1(signature, self.number_len)
    }
}

/// The curves whose signatures are checked here.
pub fn ecdsa_curves() -> impl Iterator<Item = EcdsaCurve> {
    KINDS.iter().filter_map(|kind| Some(EcdsaCurve { algorithm: kind.algorithm, number_len: kind.number_len? }))
}

fn as_asn1(signature: &[u8], number_len: usize) -> Vec<u8> {
    if signature.len() != 2 * number_len {
        return signature.to_vec();
    }
    let mut numbers = Vec::new();
    for number in signature.chunks(number_len) {
        let zeros = number.iter().take_while(|&&byte| byte == 0).count().min(number_len - 1);
        let number = &number[zeros..];
        // A first bit that is set would mean a number below zero.
        let pad = usize::from(number[0] & 0x80 != 0);
        numbers.extend([2, (number.len() + pad) as u8]);
        numbers.extend(&[0][..pad]);
        numbers.extend(number);
    }
    [&[0x30, numbers.len() as u8][..], &numbers].concat()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_kind_or_length_is_none() {
        // RFC 8410, 10.1: an example of an Ed25519 key.
        let text = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
        let key = PublicKey::parse(&format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")).unwrap();
        assert_eq!((key.to_string().as_str(), key.algorithm()), (text, "Ed25519"));
        for other in ["", "AAAA", "%", &text[..52], "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAAAA"] {
            let error = PublicKey::parse(other).unwrap_err().to_string();
            assert!(error.contains(other) && error.contains("fonds key show"), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn numbers_become_asn1_without_panic(bytes: Vec<u8>, len in 0usize..64) {
            drop(as_asn1(&bytes, len.max(1)));
            drop(as_asn1(&[bytes.clone(), bytes].concat(), len.max(1)));
        }
    }
}
