//! The signature of a handover: one of the exact bytes of its manifest, which has
//! the digests of all other files. And that of a package in it.

use super::manifest::{MANIFEST_NAME, Manifest, ManifestFile};
use super::verify::Faults;
use super::{ExportError, VerifyCheck, io_at};
use crate::export::write::sink::Sink;
use crate::keys::{PublicKey, SigningKey};
use crate::warc::wacz::{Signature, Wacz, stays_inside};
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Name of the file with the signature, beside the manifest.
pub const SIGNATURE_NAME: &str = "manifest.sig.json";

/// A longer file is no signature, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The algorithm of signatures (RFC 8032).
const ALGORITHM: &str = "Ed25519";

/// `manifest.sig.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestSignature {
    /// `fonds-signature`.
    format: String,
    version: u32,
    /// `manifest.json`.
    signed: String,
    algorithm: String,
    /// Base 64 of the key (`SubjectPublicKeyInfo`).
    public_key: String,
    /// Base 64 of the signature of the bytes of the file.
    signature: String,
    /// The signer's name of the key. Like the date it is not signed.
    signer: String,
    /// RFC 3339.
    created: String,
    software: String,
}

const FORMAT: &str = "fonds-signature";
const VERSION: u32 = 1;

/// Signs the bytes of a manifest; returns size and digest of the file.
pub(super) fn write_signature(
    sink: &mut Sink<'_>,
    key: &SigningKey,
    manifest: &Manifest,
    bytes: &[u8],
) -> Result<ManifestFile, ExportError> {
    let signature = ManifestSignature {
        format: FORMAT.to_owned(),
        version: VERSION,
        signed: MANIFEST_NAME.to_owned(),
        algorithm: ALGORITHM.to_owned(),
        public_key: key.public().to_string(),
        signature: BASE64.encode(&key.sign(bytes)),
        signer: key.name().to_owned(),
        created: manifest.created.clone(),
        software: manifest.software.clone(),
    };
    let mut text =
        serde_json::to_vec_pretty(&signature).map_err(|error| io_at(Path::new(SIGNATURE_NAME))(error.into()))?;
    text.push(b'\n');
    sink.text(SIGNATURE_NAME, false, &text)
}

/// Whether the manifest is signed, and by which key; none where neither a
/// signature is there nor the manifest names one.
pub(super) fn check_signature(manifest: &Manifest, folder: &Path) -> Result<Option<VerifyCheck>, ExportError> {
    const WHAT: &str = "Signature of the manifest";
    let path = folder.join(SIGNATURE_NAME);
    let mut faults = Faults::default();
    let mut text = Vec::new();
    match File::open(&path) {
        Ok(file) => drop(file.take(MAX_BYTES).read_to_end(&mut text).map_err(io_at(&path))?),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some(key) = manifest.signed_with.first() else { return Ok(None) };
            faults.add(format!(
                "the manifest says that it is signed with the key {key}, and {SIGNATURE_NAME} is not here"
            ));
            return Ok(Some(faults.into_check(WHAT, "none".to_owned())));
        }
        Err(error) => return Err(io_at(&path)(error)),
    }
    let signature: ManifestSignature = match serde_json::from_slice(&text) {
        Ok(signature) => signature,
        Err(error) => {
            faults.add(format!("{SIGNATURE_NAME}: {error}"));
            return Ok(Some(faults.into_check(WHAT, "unreadable".to_owned())));
        }
    };
    let ManifestSignature { format, version, signed, algorithm, public_key, .. } = &signature;
    if (format.as_str(), *version, signed.as_str()) != (FORMAT, VERSION, MANIFEST_NAME) {
        faults.add(format!("{SIGNATURE_NAME}: it is no signature of a manifest in version {VERSION} of its format"));
    }
    let key = PublicKey::parse(public_key).ok().filter(|key| key.algorithm() == ALGORITHM && algorithm == ALGORITHM);
    let bytes = fs::read(folder.join(MANIFEST_NAME)).map_err(io_at(&folder.join(MANIFEST_NAME)))?;
    let signed = BASE64.decode(signature.signature.as_bytes()).unwrap_or_default();
    match &key {
        None => faults.add(format!("{SIGNATURE_NAME}: the key or its algorithm is not {ALGORITHM}")),
        Some(key) if !key.verifies(&bytes, &signed) => faults.add(format!(
            "it is not the signature of {MANIFEST_NAME} by this key: one of the three was changed after signing"
        )),
        Some(_) => {}
    }
    if manifest.signed_with.first().is_some_and(|first| first != public_key) {
        faults.add("the manifest says that it is signed with another key".to_owned());
    }
    let figures = format!("{ALGORITHM}, key {public_key}, signed on {} as the signer says", signature.created);
    Ok(Some(faults.into_check(WHAT, figures).signed_by(key)))
}

/// The signature of each package in the export that has one.
pub(super) fn check_packages(manifest: &Manifest, folder: &Path) -> Result<Vec<VerifyCheck>, ExportError> {
    let mut checks = Vec::new();
    for file in manifest.files.iter().filter(|file| file.path.ends_with(".wacz") && stays_inside(&file.path)) {
        let mut faults = Faults::default();
        let what = format!("Signature of {}", file.path);
        let found = Wacz::open(&folder.join(&file.path)).and_then(|wacz| wacz.signature());
        let Signature { problems, key, created, domain, is_domain_proven, .. } = match found {
            // That another package than the manifest's is here was checked by its digest.
            Err(error) => {
                faults.add(error.to_string());
                checks.push(faults.into_check(&what, "unreadable".to_owned()));
                continue;
            }
            Ok(None) => continue,
            Ok(Some(signature)) => signature,
        };
        if problems.is_empty() && key.is_none() && !is_domain_proven {
            faults.add(format!("nothing proves that {domain} signed it"));
        }
        problems.into_iter().for_each(|problem| faults.add(problem));
        let by = match &key {
            Some(key) => format!("{}, key {key}", key.algorithm()),
            None => format!("certificate of {domain}"),
        };
        let figures = format!("{by}, signed on {created} as the signer says");
        checks.push(faults.into_check(&what, figures).signed_by(key));
    }
    Ok(checks)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::signed_export;
    use super::super::verify;
    use super::*;
    use crate::jobs::JobCx;
    use crate::keys::MemoryKeychain;

    fn key() -> SigningKey {
        SigningKey::create("a", &MemoryKeychain::default()).unwrap()
    }

    /// The checks that do not hold, and the keys of signatures that do.
    fn checks(folder: &Path) -> (Vec<String>, Vec<PublicKey>) {
        let (mut wrong, mut signers) = (Vec::new(), Vec::new());
        for check in verify(folder, &JobCx::detached()).unwrap().into_iter().filter(|check| !check.ok) {
            match check.signer {
                Some(key) => signers.push(key),
                None => wrong.push(format!("{}: {}", check.what, check.detail)),
            }
        }
        (wrong, signers)
    }

    fn change(path: &Path, change: impl FnOnce(&mut serde_json::Value)) {
        let mut value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        change(&mut value);
        fs::write(path, serde_json::to_vec_pretty(&value).unwrap()).unwrap();
    }

    #[test]
    fn a_signed_export_names_its_keys_and_no_check_of_it_is_fine_by_itself() {
        let root = tempfile::tempdir().unwrap();
        let key = key();
        let out = signed_export(root.path(), Some(key.clone()));
        assert_eq!(checks(&out), (Vec::new(), key.publics().to_vec()));
        let unsigned = signed_export(&root.path().join("unsigned"), None);
        assert_eq!(checks(&unsigned), (Vec::new(), Vec::new()));
        assert!(!unsigned.join(SIGNATURE_NAME).exists());
    }

    #[test]
    fn a_signature_that_was_taken_off_or_exchanged_is_found() {
        let root = tempfile::tempdir().unwrap();
        let (one, other) = (key(), key());
        let signed = |name: &str| signed_export(&root.path().join(name), Some(one.clone()));
        #[track_caller]
        fn check(out: &Path, expected: &str) {
            let (wrong, signers) = checks(out);
            let found = wrong.iter().filter(|wrong| wrong.starts_with("Signature of the manifest")).collect::<Vec<_>>();
            assert!(found.len() == 1 && found[0].contains(expected), "{wrong:#?}");
            assert!(signers.iter().all(|key| key.algorithm() != ALGORITHM));
            assert!(wrong.iter().any(|wrong| wrong.starts_with("The folder is a bag")), "{wrong:#?}");
        }
        let out = signed("removed");
        fs::remove_file(out.join(SIGNATURE_NAME)).unwrap();
        check(&out, "manifest.sig.json is not here");

        // The signature of another export by the same key.
        let (out, donor) = (signed("swapped"), signed_export(&root.path().join("donor/of"), Some(one.clone())));
        change(&donor.join(MANIFEST_NAME), |manifest| manifest["title"] = "other".into());
        let bytes = fs::read(donor.join(MANIFEST_NAME)).unwrap();
        fs::remove_file(out.join(SIGNATURE_NAME)).unwrap();
        write_signature(&mut Sink::Folder(&out), &one, &Manifest::read(&donor).unwrap(), &bytes).unwrap();
        check(&out, "one of the three was changed after signing");

        // One letter of the manifest.
        let out = signed("changed");
        let text = fs::read_to_string(out.join(MANIFEST_NAME)).unwrap();
        fs::write(out.join(MANIFEST_NAME), text.replacen("\"title\": \"\"", "\"title\": \"x\"", 1)).unwrap();
        check(&out, "one of the three was changed after signing");

        // Another key beside the old signature, and one that signed the manifest truly.
        let out = signed("key");
        change(&out.join(SIGNATURE_NAME), |signature| signature["publicKey"] = other.public().to_string().into());
        check(&out, "is signed with another key");
        let out = signed("signed again");
        fs::remove_file(out.join(SIGNATURE_NAME)).unwrap();
        let manifest = Manifest::read(&out).unwrap();
        write_signature(&mut Sink::Folder(&out), &other, &manifest, &fs::read(out.join(MANIFEST_NAME)).unwrap())
            .unwrap();
        check(&out, "is signed with another key");
        assert!(crate::export::check_handover(&out, &JobCx::detached()).is_err(), "it is not read back");

        for (name, value) in [("algorithm", "none"), ("publicKey", "AAAA"), ("signature", ""), ("format", "x")] {
            let out = signed(name);
            change(&out.join(SIGNATURE_NAME), |signature| signature[name] = value.into());
            check(&out, "wrong: ");
        }
        let out = signed("torn");
        fs::write(out.join(SIGNATURE_NAME), "{").unwrap();
        check(&out, "unreadable");
    }
}
