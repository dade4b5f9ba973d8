//! One certificate for all archived hosts, which the browser of this program accepts by its pin alone.

use anyhow::Context;
use data_encoding::BASE64;
use rcgen::PublicKeyData;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A certificate without a host name, whose key is in memory as long as this.
pub(super) struct PinnedCertificate {
    /// The server's side of TLS with it.
    pub(super) tls: Arc<ServerConfig>,
    /// SHA-256 of its public key (SubjectPublicKeyInfo) in Base64, as `--ignore-certificate-errors-spki-list` takes it.
    pub(super) pin: String,
}

impl PinnedCertificate {
    /// Makes one.
    ///
    /// # Errors
    ///
    /// A system without random numbers.
    pub(super) fn new() -> anyhow::Result<Self> {
        let why = "a certificate for the browser cannot be made";
        let key = rcgen::KeyPair::generate().context(why)?;
        let certificate = rcgen::CertificateParams::default().self_signed(&key).context(why)?;
        let pin = BASE64.encode(&Sha256::digest(key.subject_public_key_info()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .context(why)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivatePkcs8KeyDer::from(key.serialize_der()).into())
            .context(why)?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: Arc::new(tls), pin })
    }
}
