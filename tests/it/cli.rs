//! The commands as a script uses them: what they print, how they end, and
//! what they leave alone.

use crate::archive::copy_folder;
use crate::archive::files_under;
use crate::program::{arg, command, fonds, fonds_with};
use crate::sample::demo;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file of a folder with its bytes; the lock may name another process.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_under(folder).into_iter().filter(|path| !path.ends_with("fonds.lock"));
    files.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// A workspace with the example campaign in it, changed by `edit`.
#[track_caller]
fn with_campaign(edit: impl FnOnce(&mut Value)) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    let output = fonds(&["new", arg(&workspace)]).with_status(0).with_message("Next: fonds campaign");
    assert_eq!(Path::new(output.out.trim()), workspace.canonicalize().unwrap());
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    edit(&mut campaign);
    let added = fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    assert_eq!(added.out, "1\n");
    (dir, workspace)
}

#[test]
fn a_campaign_goes_in_and_comes_out_the_same() {
    let (dir, workspace) = with_campaign(|campaign| {
        campaign["name"] = "Feiras e mercados".into();
        campaign["unknown_to_us"] = json!({ "kept": [1, 2] });
    });
    let rows = fonds(&["campaign", "list", arg(&workspace), "--json"]).with_status(0).json_lines();
    assert_eq!(
        (&rows[0]["id"], &rows[0]["name"], &rows[0]["version"]),
        (&json!(1), &json!("Feiras e mercados"), &json!(1))
    );
    let plain = fonds(&["campaign", "list", arg(&workspace)]).with_status(0).out;
    assert!(plain.starts_with("1\tv1\t") && plain.contains("Feiras e mercados"), "{plain}");
    let shown = fonds(&["campaign", "show", arg(&workspace), "Feiras e mercados"]).with_status(0).out;
    for args in ["Request   \"municipal library\"", "Seed      https://www.example.org/", "Rule 0", "Agent"] {
        assert!(shown.contains(args), "{args}: {shown}");
    }
    let exported = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out;
    let value: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(value["unknown_to_us"], json!({ "kept": [1, 2] }), "fields of a newer program are kept");
    // Out and in again: the same value makes no new version, another one does.
    let file = dir.path().join("campaign.json");
    std::fs::write(&file, &exported).unwrap();
    let versions = || fonds(&["campaign", "list", arg(&workspace), "--json"]).with_status(0).json_lines();
    fonds(&["campaign", "add", arg(&workspace), arg(&file), "--id", "1"]).with_status(0);
    assert_eq!(fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out, exported);
    assert_eq!((versions().len(), &versions()[0]["version"]), (1, &json!(1)));
    std::fs::write(&file, exported.replace("Feiras e mercados", "Feiras")).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&file), "--id", "1"]).with_status(0);
    assert_eq!((versions().len(), &versions()[0]["version"], &versions()[0]["name"]), (1, &json!(2), &json!("Feiras")));
}

#[test]
fn wrong_campaigns_are_refused_with_the_place_of_the_fault() {
    let (dir, workspace) = with_campaign(|_| {});
    let add = |text: &str| fonds_with(&["campaign", "add", arg(&workspace), "-"], text.as_bytes()).with_status(2);
    add("{ \"name\": ").with_message("line 1");
    add("{ \"name\": 7 }").with_message("name");
    add("{ \"name\": \"x\", \"rules\": [ { \"rule\": \"no_such_rule\" } ] }").with_message("no_such_rule");
    add("{ \"name\": \"x\", \"rules\": [ { \"rule\": \"regex\", \"patterns\": [\"(\"], \"decision\": \"REJECT\" } ] }")
        .with_message("rule");
    fonds(&["campaign", "add", arg(&workspace), arg(&dir.path().join("none.json"))])
        .with_status(2)
        .with_message("none.json");
    fonds(&["campaign", "show", arg(&workspace), "7"]).with_status(2).with_message("no campaign “7”");
    assert_eq!(fonds(&["campaign", "list", arg(&workspace), "--json"]).json_lines().len(), 1, "nothing was added");
}

#[test]
fn a_crawl_needs_somebody_to_write_to() {
    for agent in ["", "Mozilla/5.0", "Fonds (no address)"] {
        let (_dir, workspace) = with_campaign(|campaign| campaign["politeness"]["user_agent"] = agent.into());
        let output = fonds(&["crawl", arg(&workspace), "1"]).with_status(2);
        let message = output.err.to_lowercase();
        assert!(message.contains("user agent") || message.contains("user-agent"), "{agent:?}: {}", output.err);
        assert!(message.contains("e-mail") || message.contains("mail address"), "{agent:?}: {}", output.err);
        assert!(files_under(&workspace.join("output")).is_empty(), "{agent:?}: no launch was begun");
    }
}

#[test]
fn loopback_is_not_fetched_unless_the_campaign_allows_it() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let resolve = format!("town.example:80:{}", listener.local_addr().unwrap());
    let (_dir, workspace) = with_campaign(|campaign| {
        campaign["politeness"]["user_agent"] = "Fonds test (+mailto:archive@town.example)".into();
        campaign["seeds"] = json!([{ "url": "http://town.example/" }, { "url": "http://127.0.0.1:1/" }]);
    });
    // Nothing was taken: the status says so, and the words say why.
    let output = fonds(&["crawl", arg(&workspace), "1", "--resolve", &resolve, "--json"]).with_status(1);
    assert_eq!(output.json_lines().last().unwrap()["fetched"], 0, "{}", output.out);
    assert!(output.err.contains("does not allow it for this host"), "{}", output.err);
    assert!(listener.accept().is_err(), "a connection was made");
    fonds(&["crawl", arg(&workspace), "1", "--resolve", "nonsense"]).with_status(2).with_message("--resolve nonsense");
}

/// Serves one page for every URL, on loopback, until the tests end.
fn one_page() -> std::net::SocketAddr {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0; 4096]);
            let page =
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere";
            let _ = socket.write_all(page);
        }
    });
    addr
}

#[test]
fn urls_that_failed_are_named_by_the_exit_status_and_taken_again_on_request() {
    let (_dir, workspace) = with_campaign(|campaign| {
        campaign["politeness"] = json!({
            "user_agent": "Fonds test (+mailto:archive@town.example)", "allow_private_addresses": true,
            "min_delay_ms": 0, "delay_factor": 0.0, "max_retries": 0, "robots": "ignore"
        });
        campaign["seeds"] = json!([{ "url": "http://town.example/" }, { "url": "http://gone.example/" }]);
    });
    let (server, closed) = (one_page(), std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let (town, gone) = (format!("town.example:80:{server}"), format!("gone.example:80:{closed}"));
    let crawl = |more: &[&str]| fonds(&[&["crawl", arg(&workspace), "1", "--resolve", &town], more].concat());
    let output = crawl(&["--resolve", &gone]).with_status(1).with_message("--retry-failed");
    assert!(output.out.starts_with("Finished with 1 failed: 1 fetched, 1 failed"), "{}", output.out);
    let back = format!("gone.example:80:{server}");
    let output = crawl(&["--resolve", &back, "--retry-failed"]).with_status(0);
    assert!(output.out.starts_with("Finished: 2 fetched, 0 failed"), "{}", output.out);
    crawl(&["--retry-failed"]).with_status(2).with_message("there is nothing to retry");
    crawl(&["--retry-failed", "--fresh"]).with_status(2);
}

#[test]
fn scope_test_explains_and_its_status_shows_whether_all_are_accepted() {
    let workspace = arg(&demo().report.workspace);
    let output = fonds(&["scope", "test", workspace, "1", "http://biblioteca.vilanova.example/nova"]).with_status(0);
    assert!(
        output.out.starts_with("ACCEPT http://biblioteca.vilanova.example/nova by SeedScopeDecideRule"),
        "{}",
        output.out
    );
    assert!(output.out.lines().any(|line| line.starts_with('>')), "the deciding rule is marked: {}", output.out);
    let urls = b"http://biblioteca.vilanova.example/\nhttp://praias.example/\nnot a url\n";
    let output = fonds_with(&["scope", "test", workspace, "1", "-", "--json"], urls).with_status(1);
    let lines = output.json_lines();
    let decisions: Vec<&str> = lines.iter().filter_map(|line| line["verdict"]["decision"].as_str()).collect();
    assert_eq!(decisions.iter().map(|text| text.to_uppercase()).collect::<Vec<_>>(), ["ACCEPT", "REJECT"]);
    assert!(lines[2]["error"].as_str().unwrap().contains("not a url"));
    assert!(lines[1]["turn"].is_string(), "what would turn it: {}", lines[1]);
    fonds(&["scope", "test", workspace, "none", "http://a.pt/"]).with_status(2).with_message("none");
}

#[test]
fn selecting_and_exporting_by_commands_comes_to_what_the_demo_came_to() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    fonds(&["select", "run", arg(&workspace), "1"]).with_status(0);
    let rows = fonds(&["select", "list", arg(&workspace), "1", "--json"]).with_status(0).json_lines();
    assert_eq!(rows.len() as u64, demo().report.scored);
    assert_eq!(rows.iter().filter(|row| row["selected"] == true).count() as u64, demo().report.selected);
    assert!(rows.is_sorted_by(|a, b| a["score"].as_f64() >= b["score"].as_f64()), "best first");
    let before = contents(&workspace);
    for every in [["--threshold", "0"], ["--filter", "*"]] {
        let all = fonds(&[&["select", "preview", arg(&workspace), "1"], &every[..]].concat()).with_status(0).out;
        assert!(all.starts_with(&format!("{0} of {0} captures", demo().report.captures)), "{all}");
    }
    fonds(&["select", "run", arg(&workspace), "1", "--weight", "beauty=1"]).with_status(2).with_message("beauty");
    let after = contents(&workspace);
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path) && !path.to_string_lossy().ends_with("-shm"))
        .collect();
    assert!(changed.is_empty(), "{changed:?}: a look or a refusal changed the workspace");
    // What finds nothing replaces nothing.
    let kept = || fonds(&["select", "list", arg(&workspace), "1", "--json"]).with_status(0).out;
    let selection = kept();
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:nowhere.example"])
        .with_status(2)
        .with_message("--allow-empty");
    assert_eq!(kept(), selection);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:cuaderno.example"]).with_status(0);

    let out = dir.path().join("export");
    let output = fonds(&["export", arg(&workspace), "--out", arg(&out), "--json"]).with_status(0);
    let report = &output.json_lines()[0];
    assert!(report["captures"].as_u64().unwrap() > 0 && report["problems"] == json!([]), "{report}");
    let lines = fonds(&["verify", arg(&out), "--json"]).with_status(0).json_lines();
    assert!(lines.len() >= 5 && lines.iter().all(|line| line["ok"] == true), "{lines:?}");
    // A second time into the same folder: refused, and all is as it was.
    let before = contents(&out);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(2).with_message("not empty");
    assert!(contents(&out) == before);
    assert!(!dir.path().join("export.open").exists());
}

#[test]
fn weights_and_thresholds_are_changed_without_reading_a_text_again() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let run = |more: &[&str]| {
        let call = [&["select", "run", arg(&workspace), "1", "--json"], more].concat();
        fonds(&call).with_status(0).json_lines().remove(0)
    };
    let list = || fonds(&["select", "list", arg(&workspace), "1", "--json"]).with_status(0).json_lines();
    let (first, all) = (run(&["--threshold", "0.3"]), demo().report.captures);
    let as_scored = list();
    // Without the archive files nothing can be read.
    let away: Vec<PathBuf> = crate::archive::warcs_under(&workspace);
    let rename = |back: bool| {
        for file in &away {
            let hidden = file.with_extension("hidden");
            let (from, to) = if back { (&hidden, file) } else { (file, &hidden) };
            std::fs::rename(from, to).unwrap();
        }
    };
    rename(false);
    let tried = ["select", "preview", arg(&workspace), "1", "--threshold", "0.6", "--weight", "request=1", "--json"];
    let tried = fonds(&tried).with_status(0).json_lines().remove(0);
    let changed = run(&["--threshold", "0.6", "--weight", "request=1"]);
    assert_eq!((&changed["measured"], &changed["unread"]), (&json!(0), &json!([])), "{changed}");
    for figure in ["scored", "selected", "in", "out", "overrides", "change"] {
        assert_eq!(tried[figure], changed[figure], "{figure}");
    }
    assert!(changed["selected"].as_u64() < first["selected"].as_u64(), "{changed}");
    assert!(list() != as_scored, "other weights, other scores");
    for row in list() {
        let sums = row["parts"].as_array().unwrap().iter().fold((0.0, 0.0), |(got, total), part| {
            let (value, weight) = (part["value"].as_f64().unwrap(), part["weight"].as_f64().unwrap());
            (got + value * weight, total + weight)
        });
        assert!((sums.0 / sums.1 - row["score"].as_f64().unwrap()).abs() < 1e-9, "{row}");
    }
    assert_eq!(run(&["--threshold", "0.3"])["selected"], first["selected"]);
    assert_eq!(list(), as_scored);
    rename(true);
    // What depends on texts and links is read again when the request, or the window, changes.
    assert_eq!(run(&["--window-days", "30"])["measured"], json!(all));
    let campaign = dir.path().join("campaign.json");
    let shown = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out;
    let mut shown: Value = serde_json::from_str(&shown).unwrap();
    shown["description"] = json!("Another version");
    std::fs::write(&campaign, shown.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&campaign), "--id", "1"]).with_status(0);
    assert_eq!(run(&["--window-days", "30"])["measured"], json!(all));
    assert_eq!(run(&["--window-days", "30"])["measured"], json!(0));
}

#[test]
fn beside_a_writer_and_on_a_read_only_disk_exports_are_written_and_files_checked() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let exports = |folder: &Path| {
        let open = fonds::store::Workspace::open_read_only(folder).unwrap();
        open.catalogue().exports().unwrap().len()
    };
    let before = exports(&workspace);
    let mut rows = Vec::new();
    let mut run = |name: &str, why: &str| {
        let out = dir.path().join(name);
        let output = fonds(&["export", arg(&workspace), "--out", arg(&out), "--json"]).with_status(0);
        let report = output.json_lines().remove(0);
        assert!(report["not_listed"].as_str().unwrap().contains(why), "{report}");
        fonds(&["verify", arg(&out)]).with_status(0);
        assert_eq!(exports(&workspace), before);
        rows.push((report["captures"].clone(), report["records"].clone()));
        let output = fonds(&["files", "list", arg(&workspace), "--check"]).with_status(0);
        assert!(output.err.contains("does not keep this result") && output.err.contains(why), "{}", output.err);
        // What was found is shown, though it is not kept.
        let file = crate::archive::warcs_under(&workspace).remove(0);
        let whole = std::fs::read(&file).unwrap();
        let mut other = whole.clone();
        other[50] ^= 1;
        std::fs::write(&file, other).unwrap();
        let output = fonds(&["files", "list", arg(&workspace), "--check"]).with_status(1);
        assert!(output.out.contains("changed\t"), "{}", output.out);
        std::fs::write(&file, whole).unwrap();
        fonds(&["files", "list", arg(&workspace), "--check"]).with_status(0);
    };
    // A crawl holds the workspace as this does.
    fonds(&["files", "list", arg(&workspace), "--check"]).with_status(0);
    let open = fonds::store::Workspace::open(&workspace).unwrap();
    run("beside", "another process writes it");
    drop(open);
    let catalogue = workspace.join("fonds.sqlite");
    let mut permissions = std::fs::metadata(&catalogue).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&catalogue, permissions.clone()).unwrap();
    run("read-only", "it cannot be written to");
    #[allow(clippy::permissions_set_readonly_false)]
    permissions.set_readonly(false);
    std::fs::set_permissions(&catalogue, permissions).unwrap();
    let output = fonds(&["export", arg(&workspace), "--out", arg(&dir.path().join("noted")), "--json"]).with_status(0);
    let report = output.json_lines().remove(0);
    assert!(report["not_listed"].is_null() && exports(&workspace) == before + 1, "{report}");
    assert!(rows.iter().all(|row| *row == (report["captures"].clone(), report["records"].clone())), "{rows:?}");
}

#[test]
fn a_backup_made_beside_a_writer_takes_the_place_of_a_damaged_catalogue() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    std::fs::create_dir(workspace.join("evidence")).unwrap();
    std::fs::write(workspace.join("evidence/letter.txt"), "you may").unwrap();
    let rows = |folder: &Path| fonds(&["select", "list", arg(folder), "1", "--json"]).with_status(0).out;
    let before = rows(&workspace);
    let out = dir.path().join("backups/today");
    let open = fonds::store::Workspace::open(&workspace).unwrap();
    open.catalogue().set_setting("a", "b").unwrap();
    let output = fonds(&["backup", arg(&workspace), arg(&out), "--json"]).with_status(0);
    let report = output.json_lines().remove(0);
    assert!(report["campaign_versions"].as_u64().unwrap() > 0 && report["evidence"] == 1, "{report}");
    assert!(report["archive_files"].as_u64().unwrap() > 0, "{report}");
    drop(open);
    let names: Vec<_> = files_under(&out).iter().map(|path| arg(path.strip_prefix(&out).unwrap()).to_owned()).collect();
    assert_eq!(names, ["backup.json", "campaigns/campaign-1.v1.json", "evidence/letter.txt", "fonds.sqlite"]);
    let kept = std::fs::read_to_string(out.join("campaigns/campaign-1.v1.json")).unwrap();
    assert!(kept.trim() == fonds(&["campaign", "export", arg(&workspace), "1"]).out.trim());
    fonds(&["backup", arg(&workspace), arg(&out)]).with_status(2).with_message("not empty");
    // The catalogue is lost, and the copy takes its place.
    let catalogue = workspace.join("fonds.sqlite");
    let mut bytes = std::fs::read(&catalogue).unwrap();
    bytes[4096..].fill(0x55);
    std::fs::write(&catalogue, bytes).unwrap();
    let output = fonds(&["campaign", "list", arg(&workspace)]).with_status(2).with_message("Lost without a backup");
    assert!(output.err.contains("fonds backup") && output.err.contains("output/warcs"), "{}", output.err);
    std::fs::copy(out.join("fonds.sqlite"), &catalogue).unwrap();
    assert_eq!(rows(&workspace), before);
    assert_eq!(fonds::store::Workspace::open(&workspace).unwrap().catalogue().setting("a").unwrap().unwrap(), "b");
}

#[test]
fn a_workspace_is_rebuilt_of_its_warc_files_with_its_campaigns() {
    let dir = tempfile::tempdir().unwrap();
    let (old, again) = (&demo().report.workspace, dir.path().join("again"));
    fonds(&["new", arg(&again)]).with_status(0);
    let warcs = old.join("output/warcs");
    let import = || fonds(&["import", arg(&again), arg(&warcs)]).with_status(0);
    let output = import();
    assert!(output.err.contains("(restored): version 1") && !output.err.contains("passed over"), "{}", output.err);
    let list = |folder: &Path| fonds(&["campaign", "list", arg(folder), "--json"]).with_status(0).json_lines();
    let (was, is) = (list(old), list(&again));
    assert_eq!(is.len(), 1);
    for field in ["name", "version", "seeds", "captures"] {
        assert_eq!(is[0][field], was[0][field], "{field}");
    }
    let text = |folder: &Path| fonds(&["campaign", "export", arg(folder), "1"]).with_status(0).out;
    assert!(text(&again) == text(old));
    // A second time nothing comes of it.
    let output = import();
    assert!(output.err.contains("here already, left as it is"), "{}", output.err);
    assert_eq!(list(&again), is);
    // A newer version of a campaign that was crawled stands beside its WARC files at once.
    let copy = dir.path().join("copy");
    copy_folder(old, &copy);
    let file = dir.path().join("campaign.json");
    let mut campaign: Value = serde_json::from_str(&text(&copy)).unwrap();
    campaign["description"] = "Newer".into();
    std::fs::write(&file, campaign.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&copy), arg(&file), "--id", "1"]).with_status(0);
    let versions: Vec<PathBuf> =
        files_under(&copy.join("output/warcs")).into_iter().filter(|path| arg(path).ends_with(".json")).collect();
    assert_eq!(versions.len(), 2, "{versions:?}");
    assert!(std::fs::read_to_string(&versions[1]).unwrap().trim() == text(&copy).trim());
    // A torn one is named, the rest comes in.
    std::fs::write(&versions[0], "{").unwrap();
    let torn = dir.path().join("torn");
    fonds(&["new", arg(&torn)]).with_status(0);
    let output = fonds(&["import", arg(&torn), arg(&copy.join("output/warcs"))]).with_status(1);
    assert!(output.err.contains("campaign file not read") && output.err.contains("campaign.v1.json"), "{}", output.err);
    assert_eq!(list(&torn)[0]["version"], 2);
}

#[test]
fn a_changed_export_does_not_verify() {
    let dir = tempfile::tempdir().unwrap();
    let file = |folder: &Path, ending: &str| {
        files_under(folder).into_iter().find(|path| path.to_string_lossy().ends_with(ending)).unwrap()
    };
    for (number, ending) in [".warc.gz", "index.cdxj", "inlinks.jsonl"].iter().enumerate() {
        let export = dir.path().join(number.to_string());
        copy_folder(&demo().report.export, &export);
        let path = file(&export, ending);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        std::fs::write(&path, bytes).unwrap();
        let output = fonds(&["verify", arg(&export)]).with_status(1);
        assert!(output.out.contains("FAIL"), "{ending}: {}", output.out);
    }
    let export = dir.path().join("without");
    copy_folder(&demo().report.export, &export);
    std::fs::remove_file(file(&export, "index.cdxj")).unwrap();
    assert!(fonds(&["verify", arg(&export)]).with_status(1).out.contains("index.cdxj"));
    fonds(&["verify", arg(dir.path())]).with_status(2).with_message("no export");
}

#[test]
fn what_is_no_workspace_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("thesis");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("chapter.txt"), "years of work").unwrap();
    let workspace = arg(&folder);
    let calls: [&[&str]; 9] = [
        &["campaign", "list", workspace],
        &["crawl", workspace, "1"],
        &["import", workspace, workspace],
        &["inlinks", "build", workspace],
        &["inlinks", "export", workspace],
        &["scope", "test", workspace, "1", "http://a.pt/"],
        &["select", "run", workspace, "1"],
        &["export", workspace, "--out", "never-made"],
        &["new", workspace],
    ];
    let before = contents(&folder);
    for call in calls {
        let output = fonds(call).with_status(2);
        let expected = if call[0] == "new" { "not empty" } else { "not a workspace" };
        assert!(
            output.err.contains(expected) && output.err.contains("Choose") && output.out.is_empty(),
            "{call:?}: {}",
            output.err
        );
        assert!(contents(&folder) == before, "{call:?} changed the folder");
    }
    fonds(&["campaign", "list", arg(&dir.path().join("nowhere"))]).with_status(2).with_message("fonds new");
    // A demo does not go on in an archive of somebody.
    let mine = dir.path().join("mine/workspace");
    fonds(&["new", arg(&mine)]).with_status(0);
    fonds(&["demo", "--out", arg(mine.parent().unwrap())]).with_status(2).with_message("--out");
    assert_eq!(fonds(&["campaign", "list", arg(&mine)]).with_status(0).out, "");
    assert!(!mine.join("sample-geo.mmdb").exists());
}

#[test]
fn newer_damaged_and_read_only_workspaces_are_left_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let made = |name: &str| {
        let folder = dir.path().join(name);
        fonds(&["new", arg(&folder)]).with_status(0);
        (folder.join("fonds.sqlite"), folder)
    };
    let check = |folder: &Path, args: &[&str]| {
        let before = contents(folder);
        for call in [["campaign", "list", arg(folder)].as_slice(), &["inlinks", "build", arg(folder)]] {
            let output = fonds(call).with_status(2);
            assert!(args.iter().all(|text| output.err.contains(text)), "{}", output.err);
            assert!(contents(folder) == before, "{call:?} changed the folder");
        }
    };
    let (file, folder) = made("newer");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(&file, bytes).unwrap();
    check(&folder, &["newer Fonds", "nothing was changed"]);

    let (file, folder) = made("damaged");
    std::fs::write(&file, b"this was a catalogue once").unwrap();
    check(&folder, &["damaged", "fonds import"]);

    let (file, folder) = made("read-only");
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    // It can be looked at, and that changes nothing.
    let before = contents(&folder);
    fonds(&["campaign", "list", arg(&folder)]).with_status(0);
    fonds(&["inlinks", "build", arg(&folder)]).with_status(2).with_message("cannot be written to");
    assert_eq!(contents(&folder).keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(contents(&folder) == before);
}

#[test]
fn a_second_process_may_read_a_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("archive");
    copy_folder(&demo().report.workspace, &workspace);
    let open = fonds::store::Workspace::open(&workspace).unwrap();
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(2).with_message("open elsewhere");
    let rows = fonds(&["inlinks", "top", arg(&workspace), "--limit", "2", "--json"]).with_status(0).json_lines();
    assert_eq!(rows.len(), 2);
    drop(open);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
}

#[test]
fn inlinks_are_shown_by_url_and_by_key() {
    let workspace = arg(&demo().report.workspace);
    let show = |page: &str| fonds(&["inlinks", "show", workspace, page, "--json"]).with_status(0).out;
    let by_url = show("http://www.festival-da-ria.example/");
    assert!(by_url.lines().count() > 3);
    for other in ["https://festival-da-ria.example", "(example,festival-da-ria,)/", "example,festival-da-ria)/"] {
        assert_eq!(show(other), by_url, "{other}");
    }
    fonds(&["inlinks", "show", workspace, "http://nobody-links.example/"]).with_status(1);
    for call in [["inlinks", "anchors", workspace, "--json"], ["inlinks", "uncaptured", workspace, "--json"]] {
        assert!(!fonds(&call).with_status(0).json_lines().is_empty(), "{call:?}");
    }
    let anchors = fonds(&["inlinks", "anchors", workspace, "http://www.festival-da-ria.example/"]).with_status(0).out;
    assert!(anchors.contains('“'), "{anchors}");
    // Any window, whatever the columns count.
    let page = "http://www.festival-da-ria.example/";
    let captures = fonds(&["inlinks", "top", workspace, "--json", "--limit", "500"]).with_status(0).json_lines();
    let as_counted = fonds(&["inlinks", "top", workspace, "--json", "--limit", "500", "--window-days", "90"]);
    assert_eq!(as_counted.with_status(0).json_lines(), captures);
    let wide = fonds(&["inlinks", "top", workspace, "--json", "--limit", "500", "--window-days", "3650"]);
    let wide = wide.with_status(0).json_lines();
    assert!(wide.len() >= captures.len() && wide != captures);
    let date = wide[0]["date"].to_string();
    let around = |days: &str| {
        let call = ["inlinks", "show", workspace, page, "--json", "--date", "1999-01-01", "--window-days", days];
        fonds(&call).out.lines().count()
    };
    assert!(date.len() > 4 && around("90") == 0 && around("none") == by_url.lines().count());
    let uncaptured = |prefix: &[&str]| {
        let call = [&["inlinks", "uncaptured", workspace, "--json", "--limit", "1000"], prefix].concat();
        fonds(&call).with_status(0).json_lines()
    };
    let all = uncaptured(&[]);
    assert_eq!(uncaptured(&["--prefix", "example"]), all);
    let of_site = uncaptured(&["--prefix", "(example,festival-da-ria,"]);
    assert!(of_site.len() < all.len() && of_site.iter().all(|row| all.contains(row)));
    let file = tempfile::tempdir().unwrap().path().join("inlinks.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    fonds(&["inlinks", "export", workspace, "--out", arg(&file)]).with_status(0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, fonds(&["inlinks", "export", workspace]).with_status(0).out);
    fonds(&["inlinks", "export", workspace, "--out", arg(&file)]).with_status(2).with_message("does not exist yet");
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
}

#[test]
fn archive_files_go_straight_into_lists_checks_and_data_sets() {
    let export = crate::archive::warcs_under(&demo().report.export).remove(0);
    let records = fonds(&["warc", "ls", arg(&export), "--json"]).with_status(0).json_lines();
    assert_eq!(records.len() as u64, demo().report.exported_records);
    fonds(&["warc", "check", arg(&export)]).with_status(0);
    let index = fonds(&["warc", "index", arg(&export)]).with_status(0).out;
    let listed = std::fs::read_to_string(demo().report.export.join("data/indexes/index.cdxj")).unwrap();
    assert_eq!(index.lines().count(), listed.lines().count());
    let direct = fonds(&["inlinks", "dataset", arg(&export)]).with_status(0).json_lines();
    assert!(!direct.is_empty() && direct.iter().all(|object| object["count"].as_u64() > Some(0)));
    // A flipped bit is found, and said to be where it is.
    let dir = tempfile::tempdir().unwrap();
    let broken = dir.path().join("broken.warc.gz");
    let mut bytes = std::fs::read(&export).unwrap();
    let middle = bytes.len() / 2;
    // In the deflated bytes before the next member: fields of a gzip head are guarded by nothing.
    let member = middle + bytes[middle..].windows(3).position(|window| window == [0x1f, 0x8b, 8]).unwrap();
    bytes[member - 20] ^= 0x10;
    std::fs::write(&broken, bytes).unwrap();
    let output = fonds(&["warc", "check", arg(&broken)]).with_status(1);
    assert!(
        output.out.contains("broken.warc.gz") || output.err.contains("broken.warc.gz"),
        "{}{}",
        output.out,
        output.err
    );
    for call in ["ls", "check", "index"] {
        fonds(&["warc", call, arg(&dir.path().join("none.warc.gz"))]).with_status(2).with_message("none.warc.gz");
    }
}

#[test]
fn the_whole_workspace_and_its_files_give_the_same_data_set() {
    let report = &demo().report;
    let files = crate::archive::warcs_under(&report.workspace.join("output"));
    let mut args = vec!["inlinks", "dataset"];
    args.extend(files.iter().map(|file| arg(file)));
    let direct = fonds(&args).with_status(0).out;
    assert_eq!(direct, fonds(&["inlinks", "export", arg(&report.workspace)]).with_status(0).out);
}

#[test]
fn the_filters_answer_line_by_line() {
    let keys =
        fonds_with(&["surt", "--form", "cdx"], b"https://www.fct.pt/Sobre?b=2&a=1\nnothing here\n").with_status(0);
    assert_eq!(keys.out.lines().next(), Some("pt,fct)/sobre?a=1&b=2"));
    assert_eq!(keys.out.lines().count(), 2);
    assert_eq!(fonds_with(&["surt"], b"http://arquivo.pt/\n").with_status(0).out, "(pt,arquivo,\n");
    fonds(&["surt", "--form", "other"]).with_status(2).with_message("possible values");

    let dir = tempfile::tempdir().unwrap();
    let robots = dir.path().join("robots.txt");
    std::fs::write(&robots, "User-agent: fonds\nDisallow: /private\n").unwrap();
    let output =
        fonds_with(&["robots", arg(&robots), "--agent", "fonds"], b"/private/a\nhttp://a.pt/open\n").with_status(0);
    assert_eq!(output.out, "deny\nallow\n");

    let geo = demo().report.workspace.join("sample-geo.mmdb");
    let output = fonds_with(&["geo", arg(&geo)], b"127.0.11.1\n127.0.15.1\n192.0.2.1\nno address\n").with_status(0);
    assert_eq!(output.out, "PT\nGB\n-\n-\n");
    fonds(&["geo", arg(&robots)]).with_status(2).with_message("robots.txt");
}

#[test]
fn every_command_teaches_by_example() {
    let help = fonds(&["--help"]).with_status(0).out;
    assert!(help.contains("fonds demo") && help.contains("Exit status"), "{help}");
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let (mut seen, mut without) = (0, Vec::new());
    while let Some(args) = open.pop() {
        let mut call = args.clone();
        call.push("--help".to_owned());
        let help = fonds(&call).with_status(0).out;
        let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or("");
        let names: Vec<&str> = commands
            .lines()
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .collect();
        for name in &names {
            open.push(args.iter().cloned().chain([(*name).to_owned()]).collect());
        }
        if names.is_empty() {
            seen += 1;
            if !help.contains(&format!("  fonds {}", args.join(" ")))
                && !help.contains(&format!("| fonds {}", args.join(" ")))
            {
                without.push(args.join(" "));
            }
        }
    }
    assert!(seen >= 20, "only {seen} commands were found");
    assert!(without.is_empty(), "the help of these shows no example: {without:?}");
}

#[test]
fn wrong_arguments_and_closed_pipes_are_no_drama() {
    fonds(&["crawl"]).with_status(2).with_message("Usage");
    fonds(&["no-such-command"]).with_status(2);
    fonds(&["demo", "--no-such-flag"]).with_status(2);
    // The reader has had enough after one line.
    let mut child = command(&["inlinks", "export", arg(&demo().report.workspace)]).spawn().unwrap();
    let mut first = [0; 10];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !err.contains("panicked"), "{} {err}", output.status);
}

#[test]
fn a_closed_pipe_ends_every_reading_command_in_peace() {
    let export = crate::archive::warcs_under(&demo().report.export).remove(0);
    let path = arg(&export);
    let page = fonds(&["warc", "ls", "--json", "--type", "response", path]).with_status(0).json_lines();
    let offset = page[0]["offset"].to_string();
    for args in [
        &["warc", "ls", path][..],
        &["warc", "ls", "--json", path],
        &["warc", "cat", path, &offset],
        &["warc", "cat", path, &offset, "--raw"],
        &["warc", "cut", path, "--out", "-"],
        &["warc", "check", "--json", path],
        &["warc", "index", path],
    ] {
        let mut child = crate::program::command(args).spawn().unwrap();
        // Nobody reads: the first line meets a closed pipe.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
        assert!(!err.contains("fonds:"), "{args:?}: {err}");
    }
}
