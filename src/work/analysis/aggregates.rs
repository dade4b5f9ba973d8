//! Aggregates that leave: what counts fewer than so many is left out of them, since small numbers can point to a person.
//!
//! A zero counts nobody and stays. Of a row of cells the sum goes with the first cell that is left out, from which it
//! could be reckoned.

use crate::analysis::entities::EntityKind;
use crate::analysis::terms::CorpusTerm;
use crate::campaign::TermKind;
use crate::store::EntityRow;
use crate::work::overview::Matrix;

/// The least count of a cell that leaves, where nobody says otherwise.
pub const LEAST_CELL: u64 = 5;

/// A cell of a table that may leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AggregateCell {
    /// Text: a name, a day, a score.
    Text(String),
    /// A count that may leave.
    Count(u64),
    /// A count of fewer than so many, which does not.
    Below(u64),
}

impl AggregateCell {
    fn of(count: u64, least: u64) -> Self {
        if count > 0 && count < least { Self::Below(least) } else { Self::Count(count) }
    }

    fn is_below(&self) -> bool {
        matches!(self, Self::Below(_))
    }
}

impl std::fmt::Display for AggregateCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => write!(f, "{count}"),
            Self::Below(least) => write!(f, "<{least}"),
        }
    }
}

/// A table that may leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AggregateTable {
    /// Names of its columns.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<AggregateCell>>,
    /// Rows and cells that were left out.
    pub dropped: u64,
}

fn text(text: impl ToString) -> AggregateCell {
    AggregateCell::Text(text.to_string())
}

fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// Entities as a table, without those of fewer pages or mentions, and without persons where these are to be left out.
pub fn entities_aggregate(rows: &[EntityRow], least: u64, without_persons: bool) -> AggregateTable {
    let mut table = AggregateTable {
        head: head(["name", "kind", "uri", "source", "mentions", "pages", "first", "last"]),
        ..AggregateTable::default()
    };
    for row in rows {
        let [mentions, pages] = [row.mentions, row.pages].map(|count| AggregateCell::of(count, least));
        if mentions.is_below() || pages.is_below() || without_persons && row.kind == EntityKind::Person {
            table.dropped += 1;
            continue;
        }
        let [first, last] = [row.first, row.last].map(|date| text(date.to_readable().get(..10).unwrap_or_default()));
        let cells = [text(&row.name), text(row.kind.name()), text(&row.uri), text(&row.source)];
        table.rows.push(cells.into_iter().chain([mentions, pages, first, last]).collect());
    }
    table
}

/// Terms as a table, without those of fewer pages or occurrences.
pub fn terms_aggregate(rows: &[CorpusTerm], least: u64) -> AggregateTable {
    let mut table = AggregateTable {
        head: head(["term", "count", "pages", "elsewhere", "c_value", "keyness"]),
        ..AggregateTable::default()
    };
    for row in rows {
        let [count, pages, elsewhere] =
            [row.count, row.pages, row.elsewhere].map(|count| AggregateCell::of(count, least));
        if count.is_below() || pages.is_below() {
            table.dropped += 1;
            continue;
        }
        table.dropped += u64::from(elsewhere.is_below());
        // Keyness is reckoned from both counts.
        let keyness = row.keyness.filter(|_| !elsewhere.is_below()).map(|keyness| format!("{keyness:.2}"));
        let c_value = text(format!("{:.2}", row.c_value));
        table.rows.push(vec![text(&row.text), count, pages, elsewhere, c_value, text(keyness.unwrap_or_default())]);
    }
    table
}

/// A matrix as a table, with its zeros, without cells of fewer captures and the sums of their rows; without persons where
/// these are to be left out.
pub fn matrix_aggregate(matrix: &Matrix, least: u64, without_persons: bool) -> AggregateTable {
    let heads = matrix.columns.iter().map(|column| column.label.clone());
    let head = head(["term", "captures"]).into_iter().chain(heads).collect();
    let mut table = AggregateTable { head, ..AggregateTable::default() };
    for row in &matrix.rows {
        if without_persons && row.term.kind == TermKind::Person {
            table.dropped += 1;
            continue;
        }
        let cells: Vec<AggregateCell> = row.cells.iter().map(|count| AggregateCell::of(*count, least)).collect();
        let below = cells.iter().filter(|cell| cell.is_below()).count() as u64;
        table.dropped += below;
        let all = if below > 0 { AggregateCell::Below(least) } else { AggregateCell::of(row.captures, least) };
        // A sum that is known to be more is none of few.
        let all = match all {
            AggregateCell::Below(_) if row.captures >= least => text("…"),
            all => all,
        };
        table.rows.push([text(&row.label), all].into_iter().chain(cells).collect());
    }
    table
}

impl AggregateTable {
    /// The table as tab-separated lines, heads first.
    pub fn to_tsv(&self) -> String {
        let plain = |cell: String| cell.replace(|c: char| c.is_control(), " ");
        let line = |cells: Vec<String>| cells.into_iter().map(plain).collect::<Vec<_>>().join("\t") + "\n";
        let rows = self.rows.iter().map(|row| row.iter().map(ToString::to_string).collect());
        [self.head.clone()].into_iter().chain(rows).map(line).collect()
    }

    /// The table as comma-separated lines, heads first.
    ///
    /// # Errors
    ///
    /// An output that cannot be written.
    pub fn write_csv(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let mut write = |cells: &[String]| {
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            crate::export::csv_row(out, &cells)
        };
        write(&self.head)?;
        for row in &self.rows {
            write(&row.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
