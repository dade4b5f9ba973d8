//! Small facts about the workspace itself.

use super::Catalogue;
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
        self.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)", [name, value])
    }

    /// Changes a setting after what it was, or leaves it; nobody else changes it meanwhile.
    pub fn change_setting<T: Send + 'static>(
        &self,
        name: &str,
        change: impl FnOnce(Option<String>) -> (Option<String>, T) + Send + 'static,
    ) -> Result<T, StoreError> {
        let name = name.to_owned();
        self.write(move |conn| {
            let before = conn.query_row("SELECT value FROM setting WHERE name = ?1", [&name], |row| row.get(0));
            let (value, answer) = change(before.optional()?);
            if let Some(value) = value {
                conn.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)", [name, value])?;
            }
            Ok(answer)
        })
    }

    /// Takes a setting back.
    pub fn forget_setting(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.execute("DELETE FROM setting WHERE name = ?1", [name])
    }
}
