//! Hosts, cited pages and inlinks of a workspace, and of a data set beside it.

use super::*;
use crate::testing::load_links;
use crate::work::build_inlinks;
use crate::work::models::HostColumn;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(&dir.path().join("archive")).unwrap();
    (dir, workspace)
}

#[test]
fn a_data_set_is_found_in_its_folder_and_in_the_workspace_it_was_loaded_into() {
    let (dir, workspace) = workspace();
    assert_eq!(link_set(&workspace, None).unwrap(), None);
    // Inlinks of captures are those of another workspace, and no data set.
    build_inlinks(&workspace, false, &JobCx::detached()).unwrap();
    for (folder, expected) in [
        (workspace.folder().to_owned(), "this is a workspace, and no links of others were loaded into it"),
        (workspace.built_folder(), "these are the inlinks that a workspace has built"),
    ] {
        let error = link_set(&workspace, Some(&folder)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: {expected}", folder.display())), "{error}");
    }
    let elsewhere = dir.path().join("elsewhere");
    let error = link_set(&workspace, Some(&elsewhere)).unwrap_err().to_string();
    assert!(error.contains("elsewhere: no links are stored here") && error.contains("inlinks load"), "{error}");
    load_links(&elsewhere);
    load_links(&workspace.folder().join(LOADED_LINKS));
    let set = link_set(&workspace, Some(&elsewhere)).unwrap().unwrap();
    assert_eq!((set.links, set.pages, set.captures), (6, 4, 1));
    // Other links have another revision, also those that take the place of as many.
    let revision = || link_set(&workspace, Some(&elsewhere)).unwrap().unwrap().revision;
    assert_eq!(revision(), set.revision);
    let list = std::fs::File::options().write(true).open(LinkStore::list_of(&elsewhere)).unwrap();
    list.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let first = revision();
    std::fs::remove_dir_all(&elsewhere).unwrap();
    load_links(&elsewhere);
    assert_ne!(revision(), first);
    // A workspace is shown as what was loaded into it.
    let here = link_set(&workspace, None).unwrap().unwrap();
    assert_eq!(link_set(&workspace, Some(workspace.folder())).unwrap().unwrap(), here);
    let shown = inlinks_in(workspace.folder(), "https://www.fct.pt/").unwrap();
    assert_eq!((shown.external, shown.internal, shown.around), (2, 1, None));
    assert!(inlinks_in(&elsewhere, "no page at all").is_err());
}

#[test]
fn hosts_and_their_cited_pages_are_counted() {
    let (dir, workspace) = workspace();
    let folder = dir.path().join("links");
    load_links(&folder);
    let cx = JobCx::detached();
    let table = link_hosts(&workspace, Some(&folder), &cx).unwrap().unwrap();
    assert_eq!((table.hosts, table.edges), (5, 4));
    let names = |column| table.by(column).iter().map(|row| row.node.host.clone()).collect::<Vec<_>>();
    assert_eq!(names(HostColumn::CitingHosts)[0], "fct.pt");
    assert_eq!(names(HostColumn::Host), ["fccn.pt", "fct.pt", "fctx.pt", "jornal.pt", "sub.fct.pt"]);
    let fct = table.by(HostColumn::External)[0];
    let node = &fct.node;
    assert_eq!((node.inlinks, node.inlinks_internal, node.citing_hosts, node.captures), (3, 1, 2, 1));
    assert!(fct.pagerank > table.by(HostColumn::PageRank)[4].pagerank);
    // Subdomains and names that go on are other hosts; the sums are those of the table.
    let pages = cited_pages(&workspace, Some(&folder), &CitedBy::OfHost("fct.pt".to_owned()), &cx).unwrap().unwrap();
    let keys: Vec<&str> = pages.rows.iter().map(|row| row.target.as_str()).collect();
    assert_eq!((keys, pages.pages), (vec!["(pt,fct,", "(pt,fct,)/sobre"], 2));
    let sum =
        |of: fn(&crate::inlinks::stored::CitedCounts) -> u64| pages.rows.iter().map(|row| of(&row.counts)).sum::<u64>();
    assert_eq!((sum(|counts| counts.external), sum(|counts| counts.internal)), (3, 1));
    assert_eq!(cited_pages(&workspace, Some(&folder), &CitedBy::All, &cx).unwrap().unwrap().pages, 4);
    // Words are those of other sites' links, and exact.
    let called = |text: &str| {
        let by = CitedBy::Anchor(text.to_owned());
        let pages = cited_pages(&workspace, Some(&folder), &by, &cx).unwrap().unwrap();
        let rows = pages.rows.into_iter().map(|row| (row.target, row.counts.hosts, row.counts.external, row.captures));
        rows.collect::<Vec<_>>()
    };
    let row = |target: &str, captures| (target.to_owned(), 1, 1, captures);
    assert_eq!(called("X"), [row("(pt,fct,)/sobre", 0), row("(pt,fct,sub,)/x", 0), row("(pt,fctx,)/x", 0)]);
    assert_eq!((called("FCT"), called("Início"), called("x")), (vec![row("(pt,fct,", 1)], vec![], vec![]));
    cx.cancel();
    assert!(link_hosts(&workspace, Some(&folder), &cx).is_err());
}

#[test]
fn a_workspace_has_hosts_once_its_inlinks_are_built() {
    let (_dir, workspace) = workspace();
    let cx = JobCx::detached();
    assert_eq!(link_hosts(&workspace, None, &cx).unwrap(), None);
    assert_eq!(cited_pages(&workspace, None, &CitedBy::All, &cx).unwrap(), None);
    build_inlinks(&workspace, false, &cx).unwrap();
    assert_eq!(link_hosts(&workspace, None, &cx).unwrap().unwrap().hosts, 0);
    assert_eq!(cited_pages(&workspace, None, &CitedBy::All, &cx).unwrap().unwrap().pages, 0);
}
