//! Tests of keys, signatures and the list of known keys.

use super::*;

fn list(folder: &tempfile::TempDir) -> KnownKeys {
    KnownKeys::at(&folder.path().join("settings/keys.json")).unwrap()
}

#[test]
fn a_key_is_in_the_keychain_alone_and_the_list_has_its_public_part() {
    let folder = tempfile::tempdir().unwrap();
    let keychain = MemoryKeychain::default();
    let key = list(&folder).create("City archive", &keychain).unwrap();
    let known = list(&folder);
    assert_eq!(known.named("City archive").unwrap().keys, key.publics().map(|key| key.to_string()));
    assert!(known.holder_of(&key.public()).unwrap().own && known.holder_of(&key.package_public()).unwrap().own);
    let secret = keychain.secret("City archive").unwrap().unwrap();
    assert_eq!(secret.matches("-----BEGIN PRIVATE KEY-----").count(), 2);
    let text = std::fs::read_to_string(folder.path().join("settings/keys.json")).unwrap();
    // The first line of each key has private bytes; the last ones have the public part, too.
    for block in secret.split("-----BEGIN PRIVATE KEY-----\n").skip(1) {
        let line = block.lines().next().unwrap();
        assert!(line.len() == 76, "{}", line.len());
        assert!(!text.contains(line) && !format!("{key:?}").contains(line), "a line of the secret is in the list");
    }

    // What was made signs, and what was loaded is the same key.
    let loaded = SigningKey::load("City archive", &keychain).unwrap();
    assert_eq!(loaded, key);
    assert!(key.public().verifies(b"manifest", &loaded.sign(b"manifest")));
    assert!(!key.public().verifies(b"manifesto", &loaded.sign(b"manifest")));
    let signature = loaded.sign_package(b"sha256:00");
    assert_eq!(signature.len(), 96, "two numbers of P-384, as browsers write them");
    assert!(key.package_public().verifies(b"sha256:00", &signature));
    assert!(!key.package_public().verifies(b"sha256:01", &signature));
    assert!(!key.public().verifies(b"sha256:00", &signature));

    let taken = list(&folder).create("City archive", &keychain).unwrap_err();
    assert!(matches!(taken, KeyError::Exists { .. }), "{taken}");
    list(&folder).delete("City archive", &keychain).unwrap();
    assert!(keychain.secret("City archive").unwrap().is_none() && list(&folder).all().is_empty());
    let gone = SigningKey::load("City archive", &keychain).unwrap_err().to_string();
    assert!(gone.contains("fonds key new"), "{gone}");
    assert!(list(&folder).delete("City archive", &keychain).is_err());
}

#[test]
fn a_key_has_one_holder_and_a_private_key_outlives_a_lost_list() {
    let folder = tempfile::tempdir().unwrap();
    let keychain = MemoryKeychain::default();
    let key = SigningKey::create("a", &keychain).unwrap();
    let mut known = list(&folder);
    known.add("b", &[key.public()], false).unwrap();
    let twice = known.add("c", &[key.public()], false).unwrap_err().to_string();
    assert!(twice.contains("“b”"), "{twice}");
    // To trust no longer takes nothing out of the keychain.
    keychain.keep("b", "another's").unwrap();
    known.delete("b", &keychain).unwrap();
    assert!(keychain.secret("b").unwrap().is_some());
    assert!(matches!(SigningKey::load("b", &keychain).unwrap_err(), KeyError::Spoiled { .. }));
    // The list does not have this one, the keychain does.
    assert_eq!(known.delete("a", &keychain).unwrap(), None);
    assert!(keychain.secret("a").unwrap().is_none());
    for name in ["", " a", "a\nb", &"n".repeat(101)] {
        assert!(matches!(known.create(name, &keychain).unwrap_err(), KeyError::Name { .. }), "{name:?}");
    }
}

#[test]
fn a_list_that_cannot_be_read_makes_nobody_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    std::fs::write(&path, "[{").unwrap();
    let error = KnownKeys::at(&path).unwrap_err().to_string();
    assert!(error.contains("keys.json") && error.contains("mend it"), "{error}");
}

#[test]
fn keys_whose_one_signature_is_that_of_everything_are_none() {
    let mut identity = [0_u8; 32];
    identity[0] = 1;
    for sign in [0, 0x80] {
        identity[31] = sign;
        let text = data_encoding::BASE64.encode(&[super::public::ED25519_BEGIN, &identity].concat());
        assert!(PublicKey::parse(&text).is_err(), "{sign}");
    }
}
