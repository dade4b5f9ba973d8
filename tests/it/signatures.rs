//! Signed handovers and packages: by the program, and by the programs of others.

use crate::archive::{file, page};
use crate::knowledge::python;
use crate::need;
use crate::program::{arg, command, fonds, fonds_of, fonds_with};
use fonds::jobs::JobCx;
use fonds::keys::{MemoryKeychain, SigningKey};
use fonds::work::models::CampaignId;
use fonds::work::{ExportWishes, Workspaces};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A workspace with one page that is selected.
fn workspace(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    let pages = [page("http://www.a.pt/", "2024-03-01T09:00:30Z", "<title>Biblioteca</title><p>Sobre")];
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir, "first.warc.gz", &pages))]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    workspace
}

/// An export of it with a package, signed with a key that is in memory alone.
fn signed(workspace: &Path, out: &Path) -> SigningKey {
    let key = SigningKey::create("City archive", &MemoryKeychain::default()).unwrap();
    let session = Workspaces::new().open(workspace).unwrap();
    let spec = session.catalogue().selection_page(CampaignId::new(1)).unwrap().spec.unwrap();
    let wishes = ExportWishes { wacz: true, signer: Some(key.clone()), ..ExportWishes::default() };
    session.export(&spec, out, wishes, &JobCx::detached()).unwrap();
    key
}

/// Lines of a verification whose check begins so.
fn lines_of(lines: &[Value], what: &str) -> Vec<Value> {
    lines.iter().filter(|line| line["what"].as_str().unwrap().starts_with(what)).cloned().collect()
}

fn package_of(out: &Path) -> PathBuf {
    let found = std::fs::read_dir(out.join("data")).unwrap().map(|entry| entry.unwrap().path());
    found.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "wacz")).unwrap()
}

#[test]
fn a_signature_is_fine_when_somebody_vouches_for_its_key_and_never_before() {
    let dir = tempfile::tempdir().unwrap();
    let (home, out) = (dir.path().join("home"), dir.path().join("out"));
    let workspace = workspace(dir.path());
    let key = signed(&workspace, &out);
    let public = key.public().to_string();

    // Nobody vouches yet, neither for the manifest nor for the package.
    let unknown = fonds_of(&home, &["verify", arg(&out)]).with_status(1);
    assert_eq!(unknown.out.lines().filter(|line| line.starts_with("???? Signature of ")).count(), 2, "{}", unknown.out);
    assert!(!unknown.out.contains("FAIL"), "{}", unknown.out);
    assert!(unknown.out.contains(&format!("fonds key trust {public} --name WHO")), "{}", unknown.out);
    let lines = fonds_of(&home, &["verify", arg(&out), "--json"]).with_status(1).json_lines();
    for line in lines_of(&lines, "Signature of ") {
        assert_eq!((&line["ok"], &line["unvouched"]), (&json!(false), &json!(true)), "{line}");
    }
    let checked = fonds_of(&home, &["wacz", "check", arg(&package_of(&out))]).with_status(0);
    assert!(checked.out.contains("nobody vouches for who signed") && !checked.out.contains("fine"), "{}", checked.out);
    fonds_of(&home, &["verify", arg(&out), "--signed-by", "City archive"]).with_status(1);

    // A person does: the package is signed by another key, which the signed manifest names.
    fonds_of(&home, &["key", "trust", &public, "--name", "Arquivo"]).with_status(0);
    let known = fonds_of(&home, &["verify", arg(&out), "--signed-by", "Arquivo", "--json"]).with_status(0).json_lines();
    let by: Vec<_> = lines_of(&known, "Signature of ").iter().map(|line| line["signed_by"].clone()).collect();
    assert_eq!(by, ["Arquivo", "Arquivo"]);
    let other = fonds_of(&home, &["verify", arg(&out), "--signed-by", "City archive"]).with_status(1);
    assert!(other.out.contains("FAIL Signed by City archive"), "{}", other.out);
    // A package by itself needs its own key.
    let package = key.package_public().to_string();
    fonds_of(&home, &["key", "trust", &package, "--name", "Arquivo, packages"]).with_status(0);
    let checked = fonds_of(&home, &["wacz", "check", arg(&package_of(&out))]).with_status(0);
    assert!(checked.out.contains("signed by Arquivo, packages, fine"), "{}", checked.out);
    let shown = fonds_of(&home, &["key", "show", "Arquivo"]).with_status(0).out;
    assert!(shown.contains(&public) && shown.contains(&key.public().fingerprint()), "{shown}");
    fonds_of(&home, &["key", "delete", "Arquivo"]).with_status(0);
    assert_eq!(fonds_of(&home, &["key", "list"]).with_status(0).out, "trusted Arquivo, packages\n");
    fonds_of(&home, &["verify", arg(&out)]).with_status(1);

    // One byte of the manifest, and nothing is taken in either.
    let manifest = out.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replacen("\"filter\": \"*\"", "\"filter\": \"x\"", 1)).unwrap();
    let changed = fonds_of(&home, &["verify", arg(&out)]).with_status(1);
    assert!(changed.out.contains("FAIL Signature of the manifest: "), "{}", changed.out);
    let new = dir.path().join("new");
    fonds(&["new", arg(&new)]).with_status(0);
    let refused = fonds_of(&home, &["import", arg(&new), arg(&out)]);
    assert!(refused.status != 0 && refused.err.contains("Signature of the manifest"), "{}", refused.err);

    // One that is not signed is as it was.
    let plain = dir.path().join("plain");
    fonds_of(&home, &["export", arg(&workspace), "--out", arg(&plain)]).with_status(0);
    let lines = fonds_of(&home, &["verify", arg(&plain), "--json"]).with_status(0).json_lines();
    assert_eq!(lines_of(&lines, "Sign"), Vec::<Value>::new());
    fonds_of(&home, &["verify", arg(&plain), "--signed-by", "Arquivo, packages"]).with_status(1);
}

#[test]
fn without_a_keychain_nothing_is_signed_and_no_file_takes_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (home, out) = (dir.path().join("home"), dir.path().join("out"));
    let workspace = workspace(dir.path());
    for call in [
        vec!["key", "new", "City archive"],
        vec!["export", arg(&workspace), "--out", arg(&out), "--sign", "City archive"],
    ] {
        fonds_of(&home, &call)
            .with_status(2)
            .with_message("keychain does not answer")
            .with_message("Nothing was signed or kept");
    }
    assert!(!out.exists() && !home.exists());
}

/// Checks both signatures with Python's cryptography: the manifest's over its bytes,
/// the package's over the text of its hash, with what ReplayWeb.page takes.
const CHECK: &str = "
import base64, hashlib, json, sys, zipfile
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.serialization import load_der_public_key
from jsonschema import Draft202012Validator
out, package = sys.argv[1], sys.argv[2]
told = json.load(open(f'{out}/manifest.sig.json', encoding='utf-8'))
schema = json.load(open(f'{out}/data/formats/signature.schema.json', encoding='utf-8'))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
validator.validate(told)
for name in told:
    assert list(validator.iter_errors({**told, name: 7})), name
    assert list(validator.iter_errors({key: value for key, value in told.items() if key != name})), name
schema = json.load(open(f'{out}/data/formats/manifest.schema.json', encoding='utf-8'))
Draft202012Validator(schema).validate(json.load(open(f'{out}/manifest.json', encoding='utf-8')))
key = load_der_public_key(base64.b64decode(told['publicKey']))
assert isinstance(key, ed25519.Ed25519PublicKey)
key.verify(base64.b64decode(told['signature']), open(f'{out}/manifest.json', 'rb').read())
with zipfile.ZipFile(package) as opened:
    words = opened.read('datapackage.json')
    digest = json.loads(opened.read('datapackage-digest.json'))
signed = digest['signedData']
assert set(signed) == {'hash', 'created', 'software', 'version', 'signature', 'publicKey'}, signed
assert signed['hash'] == digest['hash'] == 'sha256:' + hashlib.sha256(words).hexdigest()
assert signed['created'] == json.loads(words)['created']
key = load_der_public_key(base64.b64decode(signed['publicKey']))
assert key.curve.name == 'secp384r1'
raw = base64.b64decode(signed['signature'])
assert len(raw) == 96
numbers = utils.encode_dss_signature(int.from_bytes(raw[:48], 'big'), int.from_bytes(raw[48:], 'big'))
key.verify(numbers, signed['hash'].encode(), ec.ECDSA(hashes.SHA256()))
print('fine')";

#[test]
fn others_find_the_signatures_right_and_the_bag_whole() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    signed(&workspace(dir.path()), &out);
    let package = package_of(&out);
    let Some(found) = python(CHECK, &[&out, &package]) else { return };
    assert_eq!(found, "fine\n");
    let [python, wacz] = need::peers(["python3", "wacz"]).unwrap();
    let bag = Command::new(python).args(["-m", "bagit", "--validate", arg(&out)]).output().unwrap();
    assert!(bag.status.success(), "{}", String::from_utf8_lossy(&bag.stderr));
    let valid = Command::new(wacz).args(["validate", "-f"]).arg(&package).output().unwrap();
    assert!(valid.status.success(), "{}", String::from_utf8_lossy(&valid.stdout));

    // As README.txt of the handover has it.
    let Some(openssl) = need::program("openssl") else { return };
    let signature: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.sig.json")).unwrap()).unwrap();
    let decoded = |name: &str| {
        let path = dir.path().join(name);
        let bytes = data_encoding::BASE64.decode(signature[name].as_str().unwrap().as_bytes()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let readme = std::fs::read_to_string(out.join("README.txt")).unwrap();
    let arguments = "pkeyutl -verify -pubin -keyform DER -inkey";
    assert!(readme.contains(&format!("openssl {arguments} ")));
    let mut call = Command::new(openssl);
    call.args(arguments.split(' ')).arg(decoded("publicKey")).args(["-rawin", "-in"]).arg(out.join("manifest.json"));
    let output = call.arg("-sigfile").arg(decoded("signature")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a session with a keychain of its own, and calls the program in it.
const SESSION: &str = "
printf pw | gnome-keyring-daemon --unlock --components=secrets > /dev/null
\"$1\" key new 'City archive' --json > \"$3/new.json\"
\"$1\" export \"$2\" --out \"$3/out\" --wacz --sign 'City archive' > \"$3/export.txt\"
\"$1\" verify \"$3/out\" --signed-by 'City archive' --json > \"$3/checks.jsonl\"
\"$1\" key delete 'City archive' > /dev/null
\"$1\" export \"$2\" --out \"$3/again\" --sign 'City archive' 2> \"$3/gone.txt\" || test $? = 2";

#[test]
fn a_key_of_the_systems_keychain_signs_and_is_in_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let (Some(bash), Some(session), Some(_)) =
        (need::program("bash"), need::program("dbus-run-session"), need::program("gnome-keyring-daemon"))
    else {
        return;
    };
    let home = dir.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let program = command::<&str>(&[]).get_program().to_owned();
    let mut call = Command::new(session);
    call.arg("--").arg(bash).args(["-e", "-c", SESSION, "bash"]).arg(program).args([&workspace, &home]);
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"] {
        call.env_remove(name);
    }
    let output = call.env("HOME", &home).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    // What the session's own programs print is none of it.
    let checks = std::fs::read_to_string(home.join("checks.jsonl")).unwrap();
    let lines: Vec<Value> = checks.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines_of(&lines, "Signature of the manifest")[0]["signed_by"], "City archive");
    assert!(lines.iter().all(|line| line["ok"] == true), "{lines:#?}");
    let written = std::fs::read_to_string(home.join("export.txt")).unwrap();
    assert!(written.contains("signed with the key “City archive”"), "{written}");
    let gone = std::fs::read_to_string(home.join("gone.txt")).unwrap();
    assert!(gone.contains("there is no key “City archive”"), "{gone}");
    assert!(!home.join("again").exists());
    let config = std::fs::read_to_string(home.join(".config/fonds/keys.json")).unwrap();
    assert_eq!(config, "[]\n");
}

#[test]
fn a_key_with_which_anybody_can_sign_is_refused_as_that() {
    let dir = tempfile::tempdir().unwrap();
    // The identity point of Ed25519, and one of order 8.
    for point in ["AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU="] {
        let key = format!("MCowBQYDK2VwAyEA{point}");
        let refused = fonds_of(dir.path(), &["key", "trust", &key, "--name", "Weak"]).with_status(2);
        assert!(
            refused.err.contains("weak Ed25519 key") && refused.err.contains("anybody can sign"),
            "{}",
            refused.err
        );
        assert!(!refused.err.contains("no public key that is known"), "{}", refused.err);
    }
    assert_eq!(fonds_of(dir.path(), &["key", "list"]).with_status(0).out, "");
}
