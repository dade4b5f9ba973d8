//! Small facts about the workspace itself.

use super::catalogue::Catalogue;
use super::error::StoreError;
use rusqlite::OptionalExtension;

impl Catalogue {
    /// A setting's value.
    pub fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|conn| {
            Ok(conn.query_row("SELECT value FROM setting WHERE name = ?1", [name], |row| row.get(0)).optional()?)
        })
    }

    /// Changes a setting.
    pub fn set_setting(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(move |conn| {
            conn.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)", [name, value])?;
            Ok(())
        })
    }

    /// Takes a setting back.
    pub fn forget_setting(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |conn| {
            conn.execute("DELETE FROM setting WHERE name = ?1", [name])?;
            Ok(())
        })
    }
}
