//! Queries give the results of a scan in Python that shares no code with ours.

use crate::need::peers;
use crate::search_queries::{Vocabulary, random_documents, random_queries};
use fonds::analysis::{SearchDocument, query_holds};
use fonds::query::parse_fields;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The versions that the scan in Python finds for each query.
pub fn scanned(python: &Path, documents: &[Value], queries: &[String]) -> Vec<Vec<u64>> {
    let folder = tempfile::tempdir().unwrap();
    let lines = |lines: Vec<String>| lines.join("\n") + "\n";
    let tree = |query: &String| serde_json::to_string(&parse_fields(query).unwrap()).unwrap();
    std::fs::write(folder.path().join("documents"), lines(documents.iter().map(Value::to_string).collect())).unwrap();
    std::fs::write(folder.path().join("queries"), lines(queries.iter().map(tree).collect())).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/search_oracle.py");
    let output = Command::new(python).arg(script).args(["documents", "queries"]).current_dir(folder.path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Vec<u64>> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), queries.len());
    answers
}

#[test]
fn queries_mean_what_a_scan_in_python_finds() {
    let Some([python]) = peers(["python3"]) else { return };
    let documents = random_documents(26, 200);
    let queries = random_queries(26, &Vocabulary::of(&documents), 500);
    let read: Vec<SearchDocument> = documents.iter().map(SearchDocument::of_json).collect();
    let mut some = 0;
    for (query, expected) in queries.iter().zip(scanned(&python, &documents, &queries)) {
        let tree = parse_fields(query).unwrap();
        let found: Vec<u64> =
            read.iter().filter(|document| query_holds(&tree, document)).map(|document| document.version).collect();
        assert_eq!(found, expected, "{query}");
        some += usize::from(!expected.is_empty() && expected.len() < documents.len());
    }
    assert!(some > 350, "only {some} queries find some and not all");
    for sign in [
        " OR ", " AND ", "NOT ", "-(", "\"~", "NEAR/", "NEAR ", "~", "=", "*", "?", "://", "HOST:*.", "..", "k", "^",
        ":*", ":<",
    ] {
        assert!(queries.iter().filter(|query| query.contains(sign)).count() > 2, "no queries with {sign}");
    }
}
