//! Verifies signatures of packages (WACZ Signing and Verification 0.1).
//!
//! What is signed is the text of the hash of `datapackage.json`, as
//! `datapackage-digest.json` has it, by ECDSA with SHA-256: with a key of its
//! own (anonymous: ArchiveWeb.page) or with the key of a certificate for a
//! domain (authsign, Browsertrix). Signatures come as the two numbers one
//! after the other or as ASN.1.

use crate::keys::{PublicKey, SigningKey, ecdsa_curves};
use crate::uri::CaptureDate;
use data_encoding::{BASE64, HEXLOWER};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, SignatureVerificationAlgorithm, UnixTime};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::time::Duration;
use webpki::{EndEntityCert, KeyUsage, ring};

/// Certificates in a chain beyond this number are not checked.
const MAX_CERTIFICATES: usize = 16;

/// The version of the specification that is written.
const VERSION: &str = "0.1.0";

/// A signature, and what was found of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// The domain named as signer; empty for an anonymous key.
    pub domain: String,
    /// A certificate for the domain, for which a known root stands, signed.
    /// Anybody can make one for which none does.
    pub is_domain_proven: bool,
    /// SHA-256 of the signer's certificate, or of the anonymous key.
    pub fingerprint: String,
    /// The anonymous key: who vouches for it is not in the package.
    pub key: Option<PublicKey>,
    /// The program that signed.
    pub software: String,
    /// When, as the signer says.
    pub created: String,
    /// There is a time stamp (RFC 3161). It is not verified: when it was signed
    /// is the signer's word.
    pub has_time_stamp: bool,
    /// Members whose content the signature does not prove, though it holds:
    /// they or the digests that it guards are missing, wrong, weak (MD5, SHA-1)
    /// or none that is known here.
    pub unproven_members: u64,
    /// What does not hold; empty where the signature is that of the signer.
    pub problems: Vec<String>,
    /// Properties of a signature of this kind that were not checked.
    pub unverified: Vec<String>,
}

impl Signature {
    /// Whether everything that was checked holds.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }

    /// Checks the `signedData` of a package whose digest file has `hash` and whose declared date of creation
    /// is `created`.
    pub(super) fn verify(signed: &Value, hash: &str, created: &str) -> Self {
        let text = |name: &str| signed.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut signature =
            Self { domain: text("domain"), software: text("software"), created: text("created"), ..Self::default() };
        let signed_hash = text("hash");
        if signed_hash != hash {
            signature.problem("another hash is signed than that of the package");
        }
        if signature.created != created {
            signature.problem("it was signed for another date than that of the package");
        }
        let bytes = match BASE64.decode(text("signature").trim().as_bytes()) {
            Ok(bytes) => bytes,
            Err(_) => {
                signature.problem("the signature is no base 64");
                Vec::new()
            }
        };
        match (text("publicKey"), text("domainCert")) {
            (key, _) if !key.is_empty() => signature.of_key(&key, signed_hash.as_bytes(), &bytes),
            (_, chain) if !chain.is_empty() => signature.of_domain(&chain, signed_hash.as_bytes(), &bytes),
            _ => signature.problem("it has neither a key nor a certificate"),
        }
        if !text("timeSignature").is_empty() {
            signature.has_time_stamp = true;
        }
        if !text("crossSignedCert").is_empty() {
            signature.leave("the cross-signed certificate");
        }
        signature
    }

    fn problem(&mut self, what: &str) {
        self.problems.push(what.to_owned());
    }

    fn leave(&mut self, what: &str) {
        self.unverified.push(what.to_owned());
    }

    fn of_key(&mut self, key: &str, message: &[u8], signature: &[u8]) {
        self.leave("who holds the key: the signature is anonymous");
        // Whoever made the key wrote the name beside it.
        self.domain.clear();
        let Ok(der) = BASE64.decode(key.trim().as_bytes()) else { return self.problem("the key is no base 64") };
        self.fingerprint = HEXLOWER.encode(&Sha256::digest(&der));
        let Ok(key) = PublicKey::parse(key) else {
            return self.problem("the key is of no kind that is known here (ECDSA, P-384 or P-256)");
        };
        if !key.verifies(message, signature) {
            self.problem("the signature is not that of the key");
        }
        self.key = Some(key);
    }

    fn of_domain(&mut self, chain: &str, message: &[u8], signature: &[u8]) {
        let certificates: Result<Vec<CertificateDer<'_>>, _> =
            CertificateDer::pem_slice_iter(chain.as_bytes()).take(MAX_CERTIFICATES).collect();
        let certificates = certificates.unwrap_or_default();
        let Some((leaf, others)) = certificates.split_first() else {
            return self.problem("the certificate cannot be read");
        };
        self.fingerprint = HEXLOWER.encode(&Sha256::digest(leaf));
        let leaf = match EndEntityCert::try_from(leaf) {
            Ok(leaf) => leaf,
            Err(error) => return self.problem(&format!("the certificate cannot be read: {error}")),
        };
        let by = |algorithm, signature: &[u8]| leaf.verify_signature(algorithm, message, signature).is_ok();
        let holds = ecdsa_curves().any(|curve| by(curve.algorithm, &curve.as_asn1(signature)))
            || by(ring::RSA_PKCS1_2048_8192_SHA256, signature);
        if !holds {
            self.problem("the signature is not that of the certificate");
        }
        let name = ServerName::try_from(self.domain.as_str());
        if !name.is_ok_and(|name| leaf.verify_is_valid_for_subject_name(&name).is_ok()) {
            self.problem("the certificate is not for the domain");
        }
        let Ok(time) = CaptureDate::parse(&self.created) else {
            return self.leave("the certificate's chain: the date of signing cannot be read");
        };
        let time = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(time.seconds()).unwrap_or_default()));
        let known: Vec<&dyn SignatureVerificationAlgorithm> = webpki::ALL_VERIFICATION_ALGS.to_vec();
        let roots = webpki_roots::TLS_SERVER_ROOTS;
        let path = leaf.verify_for_usage(&known, roots, others, time, KeyUsage::server_auth(), None, None);
        match path {
            Ok(_) => self.is_domain_proven = self.holds(),
            Err(error) => self.leave(&format!(
                "who vouches for the certificate: its chain leads to no root that is known here ({error})"
            )),
        }
    }
}

/// The `signedData` of a package, in the anonymous form: the text of the hash is signed.
pub(super) fn signed_data(key: &SigningKey, hash: &str, created: &str, software: &str) -> Value {
    json!({
        "hash": hash,
        "created": created,
        "software": software,
        "version": VERSION,
        "signature": BASE64.encode(&key.sign_package(hash.as_bytes())),
        "publicKey": key.package_public().to_string(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    // Made with Python's cryptography; the keys were thrown away.
    const HASH: &str = "sha256:99304336d04ec547b0b4c9a199644b5b845b8ed32177c0e5240a8839760ce915";
    const DATE: &str = "2026-11-21T20:00:00Z";
    const KEY: &str = "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEkRLnLG7kyEPTlDDk4eHncqnsSk4n7y5z2l0Cap+/ks2ZDRGyAfGT9YNyl0n6SZ06zh18riluhLGdMC928GfDmFIYvY8NrFAcuL8Crh0cYiZpJ12Wu/QPqiXFNWMYeLUa";
    const RAW: &str = "CnB0EWO6N/FbrbXUZGkfGQpXtH/2biy3dvEo2KTbqF5H0jiDEbdGXFCgRToqATxLg/E903S2IDqGU9VDrFLSEBXTV5C2TtU/CfPebXAjMx6vZ+ic7e5JFuUsNIz/LxP/";
    const ASN1: &str = "MGUCMApwdBFjujfxW6211GRpHxkKV7R/9m4st3bxKNik26heR9I4gxG3RlxQoEU6KgE8SwIxAIPxPdN0tiA6hlPVQ6xS0hAV01eQtk7VPwnz3m1wIzMer2fonO3uSRblLDSM/y8T/w==";
    const DOMAIN: &str =
        "MEUCIQCvt0WrxbiiI276Ja7/Ne5soaMGJrWe76ePNN8juCzQ2QIgO1t6O5GCzg3NGbDpuBB+uaSzbUxUJLO5NTz9gi8XmVM=";
    const CHAIN: &str = "\
-----BEGIN CERTIFICATE-----\n\
MIIBTzCB9qADAgECAgECMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCVRlc3Qgcm9v\n\
dDAeFw0yNDAxMDEwMDAwMDBaFw0zNDAxMDEwMDAwMDBaMBoxGDAWBgNVBAMMD2Fy\n\
Y2hpdmUuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABM0wBS2gdR5D\n\
NlF9tbgVbHecrGcZ3m5buJNSnzBFZ1xzD5jQ+VgRObZkXmy92EDzt+fUaFyrBhxg\n\
G1Ao7lWd/SGjMzAxMBoGA1UdEQQTMBGCD2FyY2hpdmUuZXhhbXBsZTATBgNVHSUE\n\
DDAKBggrBgEFBQcDATAKBggqhkjOPQQDAgNIADBFAiBFT902MtnZBRlTPVi4L/le\n\
yXdD1+aOAu+fkQdwR0NBQgIhAOzlzz6sNwEjQb8OawXXyJToS1BYO4IuFDqgY4za\n\
S7MZ\n\
-----END CERTIFICATE-----\n\n\
-----BEGIN CERTIFICATE-----\n\
MIIBKjCB0KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCVRlc3Qgcm9v\n\
dDAeFw0yNDAxMDEwMDAwMDBaFw0zNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCVRl\n\
c3Qgcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMIiVjJvoVF3UsIjAciW\n\
x6NDSy0sANypoH/yUzLesmzA1cbGCeZYE3WBmRycRAeYbjeT9wP+wUPLkQ+Sddq7\n\
vACjEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIl1AW+a\n\
VCZ1VIz3NRH/rNpSirxPgU5wOW8qbuHFJLvLAiEA0BCMNHjFIijTELps9TPufcD3\n\
mroYJLrdHDTf4a0cfrw=\n\
-----END CERTIFICATE-----\n";

    #[track_caller]
    fn check(signed: &Value, problems: &[&str], unverified: &[&str]) {
        let found = Signature::verify(signed, HASH, DATE);
        assert_eq!(found.problems, problems);
        assert_eq!(found.holds(), problems.is_empty());
        assert_eq!(found.unverified.len(), unverified.len(), "{:?}", found.unverified);
        for (found, expected) in found.unverified.iter().zip(unverified) {
            assert!(found.contains(expected), "{found}: {expected}");
        }
        assert!(!found.fingerprint.is_empty());
    }

    fn anonymous(signature: &str) -> Value {
        json!({"hash": HASH, "created": DATE, "signature": signature, "publicKey": KEY, "software": "test"})
    }

    #[test]
    fn anonymous_signatures_are_verified() {
        check(&anonymous(RAW), &[], &["anonymous"]);
        check(&anonymous(ASN1), &[], &["anonymous"]);
        check(&anonymous(DOMAIN), &["the signature is not that of the key"], &["anonymous"]);
        check(
            &anonymous("%"),
            &["the signature is no base 64", "the signature is not that of the key"],
            &["anonymous"],
        );
        let mut other = anonymous(RAW);
        other["hash"] = "sha256:00".into();
        other["created"] = "2026".into();
        let problems = [
            "another hash is signed than that of the package",
            "it was signed for another date than that of the package",
            "the signature is not that of the key",
        ];
        check(&other, &problems, &["anonymous"]);
        let mut key = anonymous(RAW);
        key["publicKey"] = "AAAA".into();
        check(&key, &["the key is of no kind that is known here (ECDSA, P-384 or P-256)"], &["anonymous"]);
    }

    #[test]
    fn domain_signatures_are_verified_as_far_as_reported() {
        let signed = json!({"hash": HASH, "created": DATE, "signature": DOMAIN, "domain": "archive.example",
            "domainCert": CHAIN, "timeSignature": "AAAA", "timestampCert": "", "software": "authsigner"});
        let left = ["no root that is known here"];
        check(&signed, &[], &left);
        let mut other = signed.clone();
        other["domain"] = "other.example".into();
        check(&other, &["the certificate is not for the domain"], &left);
        let mut other = signed.clone();
        other["signature"] = ASN1.into();
        check(&other, &["the signature is not that of the certificate"], &left);
        let mut other = signed;
        other["domainCert"] = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".into();
        let found = Signature::verify(&other, HASH, DATE);
        assert!(found.has_time_stamp);
        assert!(found.problems[0].starts_with("the certificate cannot be read"), "{:?}", found.problems);
        let none = Signature::verify(&json!({"hash": HASH, "created": DATE, "signature": ""}), HASH, DATE);
        assert_eq!(none.problems, ["it has neither a key nor a certificate"]);
        assert_eq!(Signature::verify(&json!(7), HASH, DATE).problems.len(), 3);
    }
}
