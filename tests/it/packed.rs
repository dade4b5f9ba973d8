//! A handover that was sent as one file: zip or tar.

use crate::folders::files_under;
use crate::program::{arg, fonds};
use crate::sample::demo;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;

/// The files of the demo's export, by path.
fn handover() -> Vec<(String, Vec<u8>)> {
    let export = &demo().report.export;
    let name = |file: &Path| file.strip_prefix(export).unwrap().to_string_lossy().replace('\\', "/");
    files_under(export).into_iter().map(|file| (name(&file), fs::read(&file).unwrap())).collect()
}

fn zipped(to: &Path, files: &[(String, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(File::create(to).unwrap());
    for (name, bytes) in files {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn tarred(to: &Path, files: &[(String, Vec<u8>)]) {
    let mut tar = tar::Builder::new(GzEncoder::new(File::create(to).unwrap(), Compression::fast()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
}

fn below(folder: &str, files: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    files.iter().map(|(name, bytes)| (format!("{folder}{name}"), bytes.clone())).collect()
}

fn workspace(dir: &Path, name: &str) -> PathBuf {
    let workspace = dir.join(name);
    fonds(&["new", arg(&workspace)]).with_status(0);
    workspace
}

/// What lies in a workspace's folder of imports.
fn imports(workspace: &Path) -> Vec<String> {
    let entries = fs::read_dir(workspace.join("imports")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_zip_and_a_tar_come_in_as_the_folder_does() {
    let dir = tempfile::tempdir().unwrap();
    let files = handover();
    let mut of_mac = below("Vila Nova/", &files);
    of_mac.push(("__MACOSX/Vila Nova/._manifest.json".to_owned(), b"\0\x05".to_vec()));
    of_mac.push(("Vila Nova/.DS_Store".to_owned(), b"Bud1".to_vec()));
    zipped(&dir.path().join("mac.zip"), &of_mac);
    zipped(&dir.path().join("Vila.zip"), &files);
    tarred(&dir.path().join("Vila.tar.gz"), &below("./", &files));
    let folder = workspace(dir.path(), "of-folder");
    fonds(&["import", arg(&folder), arg(&demo().report.export)]).with_status(0);
    let campaign_of =
        |workspace: &Path| fonds(&["campaign", "list", arg(workspace), "--json"]).with_status(0).json_lines().remove(0);
    let captures = campaign_of(&folder)["captures"].as_u64();
    assert!(captures > Some(300), "{captures:?}");
    let rows = |workspace: &Path| {
        let mut rows = crate::round_trip::rows(workspace);
        // Notes of imports are told apart by nothing but their count.
        rows.retain(|table, _| !["job", "setting"].contains(&table.as_str()));
        rows
    };
    for (file, origin) in [("mac.zip", "Vila Nova"), ("Vila.zip", "Vila"), ("Vila.tar.gz", "Vila")] {
        let into = workspace(dir.path(), &format!("of-{file}"));
        let packed = dir.path().join(file);
        for copy in [&["--copy"][..], &[]] {
            fonds(&[&["import", arg(&into), arg(&packed)], copy].concat()).with_status(0);
        }
        let campaign = campaign_of(&into);
        assert_eq!((campaign["origin"].as_str(), campaign["captures"].as_u64()), (Some(origin), captures), "{file}");
        let mut expected = rows(&folder);
        for (table, count) in rows(&into) {
            let again = ["import", "import_file", "launch", "import_root"].contains(&table.as_str());
            let before = expected.remove(&table).unwrap();
            assert!(count == before || again && count > before, "{file}: {table} {count}, of the folder {before}");
        }
        // The whole handover is kept, once, and can be verified by itself; nothing needs the file any more.
        let kept = imports(&into);
        assert_eq!(kept.len(), 1, "{kept:?}");
        let verified = fonds(&["verify", arg(&packed)]).with_status(0).out;
        assert!(verified.contains("ok   Files are those of the manifest") && !verified.contains("FAIL"), "{verified}");
        fs::remove_file(&packed).unwrap();
        fonds(&["verify", arg(&into.join("imports").join(&kept[0]))]).with_status(0);
        fonds(&["export", arg(&into), "--out", arg(&dir.path().join(format!("again-{file}")))]).with_status(0);
    }
}

#[test]
fn what_no_handover_has_in_it_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let files = handover();
    let with = |name: &str, bytes: &[u8]| {
        let mut files = files.clone();
        files.insert(0, (name.to_owned(), bytes.to_vec()));
        files
    };
    let packed = dir.path().join("x.zip");
    let into = workspace(dir.path(), "w");
    let refused = |why: &str| {
        let import = fonds(&["import", arg(&into), arg(&packed)]).with_status(1);
        assert!(import.err.contains("nothing of the handover came in") && import.err.contains(why), "{}", import.err);
        assert_eq!(imports(&into), [""; 0]);
        assert_eq!(fonds(&["captures", arg(&into), "*", "--count"]).out.trim(), "0");
    };
    zipped(&packed, &with("../outside.txt", b"x"));
    refused("“../outside.txt” is no file below the folder of the handover");
    zipped(&packed, &with("/tmp/outside.txt", b"x"));
    refused("is no file below the folder of the handover");
    assert!(!dir.path().join("outside.txt").exists() && !into.join("outside.txt").exists());
    // One more, one other, and one that is much larger than it looks.
    zipped(&packed, &with("data/more.txt", b"x"));
    refused("data/more.txt: the manifest does not list it");
    let mut other = files.clone();
    other.iter_mut().find(|(name, _)| name == "data/selection.json").unwrap().1.push(b' ');
    zipped(&packed, &other);
    refused("data/selection.json: it is not the file that the manifest lists");
    let manifest = files.iter().find(|(name, _)| name == "manifest.json").unwrap();
    zipped(&packed, &[manifest.clone(), ("data/zeros.txt".to_owned(), vec![0; 20 << 20])]);
    refused("unpacks to more than 200 times its size");
    // A link, which only tars of a person's own making have.
    let mut tar = tar::Builder::new(File::create(&packed).unwrap());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, "data/archive", "/etc").unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(manifest.1.len() as u64);
    tar.append_data(&mut header, "manifest.json", manifest.1.as_slice()).unwrap();
    tar.into_inner().unwrap();
    refused("“data/archive” is no file below the folder of the handover");
}

#[test]
fn other_packed_files_are_what_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let into = workspace(dir.path(), "w");
    let packed = dir.path().join("letters.zip");
    zipped(&packed, &[("letters/manifest.json".to_owned(), b"{\"format\": \"of another program\"}".to_vec())]);
    fonds(&["import", arg(&into), arg(&packed)]).with_status(1);
    assert_eq!(imports(&into), [""; 0]);
}

#[test]
fn a_packed_file_that_is_not_read_is_called_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let into = workspace(dir.path(), "w");
    let mut files = handover();
    // The manifest first: what is behind it is cut off.
    files.sort_by_key(|(name, _)| name != "manifest.json");
    let packed = |name: &str| dir.path().join(name);
    fs::write(packed("h.tar.bz2"), b"BZh91AY&SY and so on").unwrap();
    fs::write(packed("h.tar.xz"), b"\xfd7zXZ\0 and so on").unwrap();
    fs::write(packed("h.7z"), b"7z\xbc\xaf\x27\x1c and so on").unwrap();
    fs::write(packed("h.rar"), b"Rar!\x1a\x07\0 and so on").unwrap();
    tarred(&packed("letters.tar.gz"), &[("letters/a.txt".to_owned(), b"A letter".to_vec())]);
    tarred(&packed("cut.tar.gz"), &files);
    zipped(&packed("whole.zip"), &files);
    for (name, cut) in [("cut.tar.gz", "cut.tar.gz"), ("whole.zip", "cut.zip")] {
        let bytes = fs::read(packed(name)).unwrap();
        fs::write(packed(cut), bytes.get(..bytes.len() * 9 / 10).unwrap()).unwrap();
    }
    let without = |name: &str| files.iter().filter(|(file, _)| file != name).cloned().collect::<Vec<_>>();
    zipped(&packed("unlisted.zip"), &below("x/", &without("manifest.json")));
    for (name, expected) in [
        ("h.tar.bz2", "a file packed with bzip2: unpack it first"),
        ("h.tar.xz", "a file packed with xz: unpack it first"),
        ("h.7z", "a 7-Zip file: unpack it first"),
        ("h.rar", "a RAR file: unpack it first"),
        ("letters.tar.gz", "a tar file: unpack it first"),
        ("cut.tar.gz", "the file is cut off or damaged"),
        ("cut.zip", "a zip file whose list of members, which ends the file, is missing"),
        ("unlisted.zip", "its manifest.json is missing"),
    ] {
        let import = fonds(&["import", arg(&into), arg(&packed(name))]).with_status(1);
        assert!(import.err.contains(expected) || import.out.contains(expected), "{name}: {}{}", import.out, import.err);
        let verified = fonds(&["verify", arg(&packed(name))]);
        let is_damaged = ["cut", "unlisted"].iter().any(|begin| name.starts_with(begin));
        assert_eq!(verified.status, if is_damaged { 1 } else { 2 }, "{name}: {}{}", verified.out, verified.err);
        assert_eq!(verified.out.starts_with("FAIL The file can be unpacked"), is_damaged, "{name}: {}", verified.out);
        assert_eq!(imports(&into), [""; 0], "{name}");
    }
}

#[test]
fn a_zip_whose_members_are_packed_otherwise_is_called_that() {
    let dir = tempfile::tempdir().unwrap();
    let into = workspace(dir.path(), "w");
    let packed = dir.path().join("h.zip");
    zipped(&packed, &handover());
    let mut bytes = fs::read(&packed).unwrap();
    // The method of each member, in its own head and in the list: LZMA.
    for (begin, at) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let places: Vec<usize> =
            bytes.windows(4).enumerate().filter(|(_, four)| four == begin).map(|(at, _)| at).collect();
        for place in places {
            bytes[place + at] = 14;
        }
    }
    fs::write(&packed, bytes).unwrap();
    for command in [vec!["import", arg(&into), arg(&packed)], vec!["verify", arg(&packed)]] {
        let result = fonds(&command).with_status(1);
        assert!(
            format!("{}{}", result.out, result.err).contains("is packed with Lzma"),
            "{}{}",
            result.out,
            result.err
        );
    }
    assert_eq!(imports(&into), [""; 0]);
}
