//! Inversion and search documents on many machines: Spark sorts between our two filters.

use crate::archives::record;
use crate::need;
use crate::program::{arg, fonds, fonds_with};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const INLINKS: &str = "inlinks_spark.py";

/// Pages of each file; all of them link to pages of all files.
const PAGES: u32 = 60;
const FILES: u32 = 5;

/// Archive files of pages that link round about: to each other, to pages that
/// were never captured, with anchors of many scripts.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let texts = ["Início", "Fundação", "東京", "a\u{2028}b", "x &amp; \"y\"", "", "😀 z\\n", "\u{85}\u{b}"];
    let file = |file: u32| {
        let mut warc = Vec::new();
        for page in 0..PAGES {
            let mut html = String::from("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n");
            for link in 0..20 {
                let to = (page * 31 + link * 7 + file * 13) % 90;
                let text = texts[((page + link) % 8) as usize];
                let host = ["a.pt", "www.b.pt", "ç.pt", "b.pt:8080", "nunca.pt"][(to % 5) as usize];
                write!(html, "<a href='http://{host}/p{to}'>{text}</a>").unwrap();
            }
            let host = ["a.pt", "b.pt", "ç.pt"][(page % 3) as usize];
            let date = format!("20{:02}-0{}-01T09:00:{:02}Z", 10 + file, 1 + page % 9, page % 60);
            let fields = "Content-Type: application/http\r\n";
            warc.extend(record("response", &format!("http://{host}/p{page}"), &date, fields, html));
        }
        let path = folder.join(format!("{file} of some.warc"));
        std::fs::write(&path, warc).unwrap();
        path
    };
    (0..FILES).map(file).collect()
}

/// Two workers, each a process of its own.
const CLUSTER: &str = "local-cluster[2,1,1024]";
/// Two threads of one process, which begin in a third of the time.
const THREADS: &str = "local[2]";

/// Runs the script on `master`.
fn run_spark(python: &Path, master: &str, script: &str, folder: &Path, out: &str, more: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(script);
    Command::new(python)
        .current_dir(folder)
        .arg(script)
        .args(["--master", master, "--fonds", env!("CARGO_BIN_EXE_fonds"), "--out", out])
        .args(more)
        .arg("list.txt")
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        .env("SPARK_LOCAL_DIRS", folder.join("spark"))
        .env("SPARK_WORKER_DIR", folder.join("work"))
        .env("PYSPARK_PYTHON", python)
        // These processes end before compiling their code well would pay.
        .env("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .output()
        .unwrap()
}

/// What it writes, all parts one behind the other.
#[track_caller]
fn spark(python: &Path, master: &str, script: &str, folder: &Path, out: &str, more: &[&str]) -> String {
    let output = run_spark(python, master, script, folder, out, more);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let mut parts: Vec<PathBuf> =
        std::fs::read_dir(folder.join(out)).unwrap().map(|entry| entry.unwrap().path()).collect();
    parts.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("part-"));
    parts.sort();
    let filled = parts.iter().filter(|path| path.metadata().unwrap().len() > 0).count();
    assert!(filled >= 2, "the work was shared: {parts:?}");
    parts.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn spark_gives_the_bytes_of_one_machine() {
    let (Some(_), Some([python, _])) = (need::program("java"), need::peers(["python", "spark-submit"])) else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let files = archives(folder);
    let list: String = files.iter().map(|path| format!("{}\n", path.display())).collect();
    std::fs::write(folder.join("list.txt"), list).unwrap();
    let local = |options: &[&str]| {
        let mut args = vec!["inlinks", "dataset"];
        args.extend(options);
        args.extend(files.iter().map(|path| arg(path)));
        fonds(&args).with_status(0).out
    };
    let one_machine = local(&[]);
    assert!(one_machine.lines().count() > 80 && one_machine.contains("東京"), "{one_machine}");
    assert!(spark(&python, CLUSTER, INLINKS, folder, "plain", &["--reduce-tasks", "3"]) == one_machine);
    let options = ["--map=--preset arquivo-2024", "--reduce=--preset arquivo-2024 --memory-mib 64"];
    let tasks = ["--map-tasks", "2", "--reduce-tasks", "4"];
    let more = [options, [tasks[0], tasks[1]], [tasks[2], tasks[3]]].concat();
    assert!(spark(&python, THREADS, INLINKS, folder, "arquivo", &more) == local(&["--preset", "arquivo-2024"]));
    // A file that is not there is no data set without it.
    std::fs::remove_file(&files[1]).unwrap();
    let output = run_spark(&python, THREADS, INLINKS, folder, "part", &["--map-tasks", "1"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("inlinks map; test $? -le 1"), "{message}");
}

#[test]
fn spark_finds_the_names_and_terms_of_one_machine() {
    let (Some(_), Some([python, _])) = (need::program("java"), need::peers(["python", "spark-submit"])) else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let texts = [
        "Dr. Ana Vaz spoke in Porto about the boats.\u{2028}Ana Vaz left\u{85} for Faro.",
        "A Estaleiro Gaivota, Lda. reparou os barcos do Porto; 東京 não.",
        "",
        "Faro e Porto, \u{b}outra vez: Ana  Vaz (\"AV\").",
    ];
    let lines = |file: u32| {
        (0..60_u32).map(move |page| {
            let text = texts[((page + file) % 4) as usize];
            let document = serde_json::json!({ "id": format!("{file}/{page}"), "content": format!("{text} {page}") });
            format!("{document}\n")
        })
    };
    let files = ["a.jsonl", "b.jsonl"];
    for (number, file) in (0..).zip(files) {
        std::fs::write(folder.join(file), lines(number).collect::<String>()).unwrap();
    }
    let authority = folder.join("deputies.csv");
    std::fs::write(&authority, "name,kind\nAna Vaz,person\nPorto,place\n").unwrap();
    let paths = files.map(|file| folder.join(file));
    std::fs::write(folder.join("list.txt"), format!("{}\n{}\n", paths[0].display(), paths[1].display())).unwrap();
    let options = ["analyse", "documents", "--authority", arg(&authority)];
    let all: Vec<&str> = options.iter().copied().chain(paths.iter().map(|path| arg(path))).collect();
    let one_machine = fonds(&all).with_status(0).out;
    assert_eq!(one_machine.lines().count(), 120);
    assert!(one_machine.contains("\"name\":\"Ana Vaz\"") && one_machine.contains("\"terms\":[{"), "{one_machine}");
    let more = [&format!("--map=--authority {}", authority.display()), "--map-tasks", "3"];
    assert!(spark(&python, THREADS, "analyse_spark.py", folder, "names", &more) == one_machine);
    // Hadoop Streaming gives each task a run of whole lines.
    let input: Vec<String> = lines(0).chain(lines(1)).collect();
    let tasks = input.chunks(7).map(|lines| {
        let args: Vec<&str> = options.iter().copied().chain(["-"]).collect();
        fonds_with(&args, lines.concat().as_bytes()).with_status(0).out
    });
    assert!(tasks.collect::<String>() == one_machine);
}

#[test]
fn spark_gives_the_search_documents_of_one_machine() {
    let (Some(_), Some([python, _])) = (need::program("java"), need::peers(["python", "spark-submit"])) else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let mut files = archives(folder);
    // The same pages a year later: more dates of the same versions, in another file.
    let again = std::fs::read_to_string(&files[0]).unwrap().replace("WARC-Date: 2010-", "WARC-Date: 2011-");
    files.push(folder.join("again.warc"));
    std::fs::write(files.last().unwrap(), again).unwrap();
    let list: String = files.iter().map(|path| format!("{}\n", path.display())).collect();
    std::fs::write(folder.join("list.txt"), list).unwrap();
    let local = |options: &[&str]| {
        let paths = files.iter().map(|path| arg(path));
        let args: Vec<&str> = ["index", "documents"].into_iter().chain(options.iter().copied()).chain(paths).collect();
        fonds(&args).with_status(0).out
    };
    let one_machine = local(&[]);
    assert_eq!(one_machine.lines().count(), (PAGES * FILES) as usize);
    assert!(one_machine.contains("\"crawl_years\":[2010,2011]"), "{one_machine}");
    let tasks = ["--reduce-tasks", "3"];
    let script = "documents_spark.py";
    assert!(spark(&python, CLUSTER, script, folder, "plain", &tasks) == one_machine);
    let bulk =
        spark(&python, THREADS, script, folder, "bulk", &[&tasks[..], &["--reduce=--format opensearch"]].concat());
    assert!(bulk == local(&["--format", "opensearch"]));
}
