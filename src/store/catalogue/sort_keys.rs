//! Orders of rows that a person chose.

/// A column to sort by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// Its name.
    pub column: &'static str,
    /// From the largest on.
    pub descending: bool,
}

/// The text behind `ORDER BY`: the columns that `sql_of` has, then `rest`, which gives every row a
/// place of its own. No name gets into the SQL.
pub(in crate::store) fn order_sql(
    sort: &[SortKey],
    sql_of: impl Fn(&str) -> Option<&'static str>,
    rest: &str,
) -> String {
    let mut keys: Vec<String> = sort
        .iter()
        .filter_map(|key| {
            let direction = if key.descending { "DESC" } else { "ASC" };
            sql_of(key.column).map(|sql| format!("{sql} {direction} NULLS LAST"))
        })
        .collect();
    keys.push(rest.to_owned());
    keys.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_columns_are_sorted_by() {
        let sql_of = |column: &str| (column == "url").then_some("u.url");
        let key = |column, descending| SortKey { column, descending };
        let sort = [key("url", true), key("url; DROP TABLE seen", false)];
        assert_eq!(order_sql(&sort, sql_of, "s.id"), "u.url DESC NULLS LAST, s.id");
        assert_eq!(order_sql(&[], sql_of, "s.id"), "s.id");
    }
}
