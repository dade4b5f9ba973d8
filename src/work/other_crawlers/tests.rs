//! Job folders come in with their seeds, rules, decisions, fetches, archives.

use super::*;
use crate::scope::standard_rules;
use crate::store::rows::{SeenQuery, SeenRow};
use crate::testing::data;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&dir.path().join("w")).unwrap();
    (dir, workspace)
}

fn import(workspace: &Workspace, path: &Path) -> (EngineImport, ImportRow) {
    let Imported { mut jobs, mut imports, .. } =
        import_with_jobs(workspace, &[path.to_owned()], ImportOptions::default(), &JobCx::detached()).unwrap();
    let import = imports.remove(0);
    assert_eq!(jobs.len(), 1);
    (jobs.remove(0), import)
}

/// The counts of a job, without what changes from day to day.
fn import_text(job: &EngineImport) -> String {
    let mut lines =
        vec![format!("{}: {} seeds, {} rules, {} notes", job.engine.name(), job.seeds, job.rules, job.notes.len())];
    for launch in &job.launches {
        lines.push(format!("run {}: {} new", launch.name, launch.new_urls));
        for log in &launch.logs {
            lines.push(format!(
                "{}: {} lines = {} URLs + {} others + {} unread, {} decisions",
                log.file, log.lines, log.urls, log.others, log.unread, log.decisions
            ));
            assert_eq!(log.lines, log.urls + log.others + log.unread);
            lines.extend(log.unread_examples.clone());
        }
    }
    lines.join("\n")
}

#[test]
fn a_heritrix_1_job_comes_in_and_once_only() {
    let Some(folder) = data("logs/h1-job5") else { return };
    let (_dir, workspace) = workspace();
    let (job, _) = import(&workspace, &folder);
    insta::assert_snapshot!(import_text(&job), @r"
    Heritrix 1: 17 seeds, 12 rules, 1 notes
    run 20060223103328: 710 new
    crawl.log: 743 lines = 713 URLs + 30 others + 0 unread, 0 decisions
    ");
    let catalogue = workspace.catalogue();
    let row = catalogue.launch(job.launches[0].launch).unwrap();
    assert_eq!(row.campaign, job.campaign);
    assert_eq!(row.fetched + row.failed + row.refused + row.queued, job.launches[0].new_urls);
    let (again, _) = import(&workspace, &folder);
    assert!(!again.is_new);
    assert_eq!((again.campaign, again.launches[0].launch), (job.campaign, job.launches[0].launch));
    assert_eq!(again.launches[0].new_urls, 0);
    let same = catalogue.launch(job.launches[0].launch).unwrap();
    assert_eq!((same.fetched, same.failed, same.refused), (row.fetched, row.failed, row.refused));
}

/// A job folder of Heritrix 3 in its layout.
fn heritrix_3(folder: &Path, scope_log: &str, crawl_log: &str) {
    let mut campaign = Campaign::new("elections");
    campaign.rules = standard_rules();
    let seeds = seeds_of_text("http://a.pt/").0;
    campaign.seeds = seeds;
    write_heritrix_job(&campaign, folder).unwrap();
    let logs = folder.join("20240301090000/logs");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("scope.log"), scope_log).unwrap();
    fs::write(logs.join("crawl.log"), crawl_log).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("20240301090000"), folder.join("latest")).unwrap();
}

#[test]
fn decisions_and_fetches_of_a_run_meet_in_one_launch() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    let at = "2024-03-01T09:00:01.000Z";
    let scope = format!(
        "{at} 5 SurtPrefixedDecideRule REJECT http://x.pt/ {{\"hopPath\":\"L\",\"via\":\"http://a.pt/\",\"seed\":\"http://a.pt/\",\"host\":\"x.pt\"}}\n\
         {at} 1 SurtPrefixedDecideRule ACCEPT http://a.pt/b\n{at} 1 SurtPrefixedDecideRule ACCEPT http://a.pt/b\n\
         {at} 9 PrerequisiteAcceptDecideRule ACCEPT dns:a.pt\n{at} REJECT http://old.pt/\nnonsense\n{at} x Rule ACCEPT http://b.pt/\n\
         {at} 1 SurtPrefixedDecideRule ACCEPT http://a.pt/never\n"
    );
    let crawl = format!(
        "{at}   200         12 http://a.pt/ - - text/html #001 20240301090000500+20 sha1:AAAA http://a.pt/ -\n\
         {at}   404         12 http://a.pt/b L http://a.pt/ text/html #001 20240301090000600+20 sha1:AAAA http://a.pt/ 3t\n\
         {at}    -2          - http://a.pt/c L http://a.pt/ unknown #001 - - http://a.pt/ -\n\
         {at} -9998          - http://a.pt/d L http://a.pt/ unknown #001 - - http://a.pt/ - {{\"scopeDecision\":\"ACCEPT by rule #1 SurtPrefixedDecideRule\"}}\n\
         {at}     1         56 dns:a.pt P http://a.pt/ text/dns #001 - - - -\n"
    );
    heritrix_3(&folder, &scope, &crawl);
    let (job, imported) = import(&workspace, &folder);
    insta::assert_snapshot!(import_text(&job), @r"
    Heritrix 3: 1 seeds, 11 rules, 1 notes
    run 20240301090000: 7 new
    20240301090000/logs/scope.log: 8 lines = 5 URLs + 1 others + 2 unread, 6 decisions
    20240301090000/logs/scope.log:6: the line has 1 of 5 parts: date, rule index, rule, decision, URL
    20240301090000/logs/scope.log:7: “x” is no rule index; a number from 0 is expected, or -1 where no rule spoke
    20240301090000/logs/crawl.log: 5 lines = 4 URLs + 1 others + 0 unread, 1 decisions
    ");
    let catalogue = workspace.catalogue();
    let row = catalogue.launch(job.launches[0].launch).unwrap();
    assert_eq!((row.fetched, row.failed, row.refused, row.queued), (2, 1, 3, 1));
    let seen: Vec<String> = catalogue
        .seen(&SeenQuery::of_launch(job.launches[0].launch, "all"))
        .unwrap()
        .rows
        .into_iter()
        .map(|row| format!("{} {} {} by {} <- {}", row.url, row.decision, row.state, row.rule, row.via))
        .collect();
    insta::assert_snapshot!(seen.join("\n"), @r"
    http://x.pt/ REJECT refused by SurtPrefixedDecideRule <- http://a.pt/
    http://a.pt/b ACCEPT fetched by SurtPrefixedDecideRule <- http://a.pt/
    http://old.pt/ REJECT refused by  <- 
    http://a.pt/never ACCEPT queued by SurtPrefixedDecideRule <- 
    http://a.pt/ ACCEPT fetched by  <- 
    http://a.pt/c ACCEPT failed: no connection by  <- http://a.pt/
    http://a.pt/d ACCEPT refused by SurtPrefixedDecideRule <- http://a.pt/
    ");
    // What was only let in is no seed, and neither is what has a way from one.
    let rows = catalogue.seen(&SeenQuery::of_launch(job.launches[0].launch, "all")).unwrap().rows;
    let is_seed = |row: &SeenRow| catalogue.seen_row(row.id).unwrap().2;
    let seeds: Vec<String> = rows.into_iter().filter(is_seed).map(|row| row.url).collect();
    assert_eq!(seeds, ["http://a.pt/"]);
    let (_, campaign) = catalogue.campaign(job.campaign).unwrap();
    assert_eq!(campaign.rules, standard_rules());
    assert_eq!(catalogue.launch(imported.launch).unwrap().campaign, job.campaign);
    // Read again: nothing new, nothing worse.
    let (again, _) = import(&workspace, &folder);
    assert_eq!(again.launches[0].new_urls, 0);
    assert_eq!(catalogue.launch(job.launches[0].launch).unwrap().failed, 1);
}

#[test]
fn files_outside_of_a_job_are_not_opened() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    heritrix_3(&folder, "", "");
    fs::write(dir.path().join("secret.txt"), "http://secret.pt/").unwrap();
    let path = folder.join("crawler-beans.cxml");
    let text = fs::read_to_string(&path).unwrap().replace("value=\"seeds.txt\"", "value=\"../secret.txt\"");
    fs::write(&path, text).unwrap();
    let (job, _) = import(&workspace, &folder);
    assert_eq!(job.seeds, 0);
    assert!(
        job.notes.iter().any(|note| note.what.contains("“../secret.txt”, which is not in the folder")),
        "{:?}",
        job.notes
    );
    assert!(write_heritrix_job(&Campaign::new("x"), &folder).unwrap_err().to_string().contains("already"));
}

const RECORD: &str = "WARC/1.0\r\nWARC-Type: response\r\n\
    WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n\
    WARC-Date: 2024-03-01T09:00:00Z\r\nWARC-Target-URI: http://a.pt/\r\nContent-Type: application/http\r\n\
    Content-Length: 47\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nolá!\r\n\r\n";

#[test]
fn a_torn_configuration_keeps_no_archive_out() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    let line = "2024-03-01T09:00:01.000Z   200         12 http://a.pt/ - - text/html #001 20240301090000500+20 sha1:AAAA - -\n";
    heritrix_3(&folder, "", line);
    fs::write(folder.join("crawler-beans.cxml"), "<beans><bean").unwrap();
    fs::write(folder.join("seeds.txt"), "http://a.pt/\nhttp://[x\n-http://(pt,b,\n").unwrap();
    fs::write(folder.join("20240301090000/logs/crawl.log.1"), [0x1f, 0x8b, 0, 1]).unwrap();
    fs::write(folder.join("20240301090000/a.warc"), RECORD).unwrap();
    let (job, imported) = import(&workspace, &folder);
    assert!(job.broken.as_deref().unwrap().contains("no well-formed XML"), "{:?}", job.broken);
    assert_eq!((job.engine, job.seeds, imported.new_captures), (Engine::Logs, 1, 1));
    // The line, and the configuration, and the log that is not what its name claims.
    assert_eq!((job.launches[0].new_urls, job.unread()), (1, 2));
    let notes: Vec<String> = job.notes.iter().map(|note| note.what.clone()).collect();
    assert!(notes[0].ends_with("Seeds, logs and archives are read without it"), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("1 line with + or -")), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("“http://[x”")), "{notes:?}");
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_opened_is_counted() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    heritrix_3(&folder, "", "");
    let log = folder.join("20240301090000/logs/crawl.log");
    fs::set_permissions(&log, fs::Permissions::from_mode(0o000)).unwrap();
    fs::write(folder.join("20240301090000/a.warc"), RECORD).unwrap();
    let can_read_all = fs::File::open(&log).is_ok();
    let (job, imported) = import(&workspace, &folder);
    assert_eq!(imported.new_captures, 1);
    // An administrator opens it all the same; it is empty then.
    let example = job.launches.iter().flat_map(|launch| &launch.logs).flat_map(|log| &log.unread_examples).next();
    assert_eq!(
        example.is_some_and(|example| example.contains("the log cannot be opened")),
        !can_read_all,
        "{example:?}"
    );
}

#[test]
fn lists_that_cannot_be_read_are_reported() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("news");
    fs::create_dir_all(folder.join("archive")).unwrap();
    fs::create_dir_all(folder.join("pages/extraPages.jsonl")).unwrap();
    fs::write(folder.join("pages/pages.jsonl"), "broken\n".repeat(50)).unwrap();
    let (job, _) = import(&workspace, &folder);
    let notes: Vec<String> = job.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.iter().filter(|note| note.contains("this is no page")).count(), logs::EXAMPLES);
    assert!(notes.contains(&"pages/pages.jsonl: 30 more lines could not be read".to_owned()), "{notes:?}");
    assert!(notes.contains(&"pages/extraPages.jsonl: this is no file".to_owned()), "{notes:?}");
}

#[test]
fn a_browsertrix_collection_comes_in() {
    let (dir, workspace) = workspace();
    let root = dir.path().join("crawls");
    let folder = root.join("collections/news");
    for sub in ["archive", "pages", "logs"] {
        fs::create_dir_all(folder.join(sub)).unwrap();
    }
    fs::write(folder.join("archive/rec-1.warc"), RECORD).unwrap();
    fs::write(folder.join("news.wacz"), "a package of the same").unwrap();
    fs::write(
        folder.join("pages/pages.jsonl"),
        "{\"format\":\"json-pages-1.0\"}\n{\"url\":\"http://a.pt/\",\"seed\":true}\nbroken\n",
    )
    .unwrap();
    fs::write(folder.join("logs/crawl-1.log"), "{\"logLevel\":\"error\"}\nx\n").unwrap();
    let (job, imported) = import(&workspace, &root);
    assert_eq!((job.engine, job.seeds, job.pages, job.passed_over.len()), (Engine::Browsertrix, 1, 1, 1));
    assert_eq!((imported.files, imported.new_captures), (1, 1));
    let notes: Vec<String> = job.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.starts_with("pages/pages.jsonl:3: this is no page")), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("logs/crawl-1.log:2: this is no line")), "{notes:?}");
    assert!(notes.iter().any(|note| note == "logs/crawl-1.log: 1 of 2 lines with errors"), "{notes:?}");
    assert_eq!(workspace.catalogue().campaigns().unwrap()[0].captures, 1);
}

#[cfg(unix)]
#[test]
fn archives_outside_of_a_job_are_passed_over() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    heritrix_3(&folder, "", "");
    fs::write(folder.join("20240301090000/a.warc"), RECORD).unwrap();
    fs::create_dir_all(dir.path().join("secret")).unwrap();
    fs::write(dir.path().join("secret/b.warc"), RECORD.replace("http://a.pt/", "http://b.pt/")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("secret"), folder.join("20240301090000/warcs")).unwrap();
    let (job, imported) = import(&workspace, &folder);
    assert_eq!((imported.files, imported.new_captures), (1, 1));
    assert_eq!(job.passed_over.len(), 1);
    assert!(job.passed_over[0].contains("leads out of the job's folder"), "{:?}", job.passed_over);
}

#[test]
fn another_job_at_the_same_place_is_another_campaign() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("job");
    heritrix_3(&folder, "", "");
    let (first, _) = import(&workspace, &folder);
    fs::write(folder.join("seeds.txt"), "http://a.pt/\nhttp://b.pt/\n").unwrap();
    let (grown, _) = import(&workspace, &folder);
    assert_eq!((grown.campaign, grown.is_new), (first.campaign, false));
    fs::write(folder.join("seeds.txt"), "http://c.pt/\n").unwrap();
    let (second, _) = import(&workspace, &folder);
    assert!(second.is_new);
    assert_ne!(second.campaign, first.campaign);
    // Killed before the folder was tied to its campaign, an import finds it again.
    let key = format!("engine_job {}", folder.canonicalize().unwrap().display());
    workspace.catalogue().set_setting(&key, &format!("{BEGUN}{}", first.campaign)).unwrap();
    let (again, _) = import(&workspace, &folder);
    assert_eq!((again.campaign, again.is_new), (second.campaign, false));
    assert_eq!(workspace.catalogue().campaigns().unwrap().len(), 2);
}
