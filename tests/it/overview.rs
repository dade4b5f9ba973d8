//! A campaign at a glance: each number of `fonds overview` is the number of rows that its filter lists.

use crate::program::{arg, fonds};
use crate::sample::demo;
use serde_json::Value;
use std::path::Path;

fn captures(workspace: &Path, filter: &str) -> u64 {
    let list = ["captures", arg(workspace), "--campaign", "1", "--json", filter];
    fonds(&list).with_status(0).json_lines().len() as u64
}

#[test]
fn figures_cells_and_gaps_are_counted_by_their_filters() {
    let workspace = &demo().report.workspace;
    let overview = fonds(&["overview", arg(workspace), "1", "--json"]).with_status(0).json_lines().remove(0);
    let list = |of: &Value| overview[of.as_str().unwrap()].as_array().unwrap().clone();
    for figure in list(&"figures".into()) {
        if figure["rows"]["list"] == "captures" {
            let filter = figure["rows"]["filter"].as_str().unwrap();
            assert_eq!(figure["count"], captures(workspace, filter), "{figure}");
        }
    }
    let matrix = &overview["matrix"];
    let (rows, columns) = (matrix["rows"].as_array().unwrap(), matrix["columns"].as_array().unwrap());
    assert!(rows.len() > 5 && columns.len() > 5, "{matrix}");
    for (nth, row) in rows.iter().enumerate() {
        assert_eq!(row["captures"], captures(workspace, row["filter"].as_str().unwrap()), "{row}");
        let at = nth % columns.len();
        let filter = overview["cell_filters"][nth][at].as_str().unwrap();
        assert_eq!(row["cells"][at], captures(workspace, filter), "{filter}");
    }
    for gap in list(&"gaps".into()) {
        assert!(!gap["items"].as_array().unwrap().is_empty() && gap["action"].is_string(), "{gap}");
    }
    assert!(!list(&"waiting".into()).is_empty(), "nothing was reviewed in the demo");
    assert_eq!(list(&"launches".into()).len(), 2);

    let text = fonds(&["overview", arg(workspace), "1"]).with_status(0).out;
    for part in ["Launches\n", "Gaps\n", "To do\n", "Terms by hosts\n"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for by in ["hosts", "months", "languages", "launches"] {
        let lines = fonds(&["overview", arg(workspace), "1", "--by", by, "--matrix"]).with_status(0).out;
        let mut lines = lines.lines().map(|line| line.split('\t').count());
        let columns = lines.next().unwrap();
        assert!(columns > 2 && lines.all(|count| count == columns), "{by}");
    }
    fonds(&["overview", arg(workspace), "1", "--by", "weeks"]).with_status(2);
}
