//! Paths from the seed in questions to the catalogue.

/// The number of hops of a stored path, as [`crate::scope::hop_count`] counts.
macro_rules! hop_count_sql {
    ($hops:literal) => {
        concat!(
            "(CASE instr(",
            $hops,
            ", '+') WHEN 0 THEN length(",
            $hops,
            ") ELSE CAST(",
            $hops,
            " AS INTEGER) + length(",
            $hops,
            ") - instr(",
            $hops,
            ", '+') END)"
        )
    };
}

pub(in crate::store) use hop_count_sql;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::scope::hop_count;

    #[test]
    fn the_catalogue_counts_hops_as_the_rules_do() {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        for hops in ["", "L", "LLEER", "12+LLRL", "1+R", "200+"] {
            let counted: u32 =
                conn.query_row(concat!("SELECT ", hop_count_sql!("?1")), [hops], |row| row.get(0)).unwrap();
            assert_eq!(counted as usize, hop_count(hops), "{hops}");
        }
    }
}
