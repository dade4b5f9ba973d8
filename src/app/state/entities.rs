//! Names that persons put together as those of one entity.

use super::{Answer, AppState};
use crate::jobs::counted;

impl AppState {
    /// Puts a name to an entity, which its name or URI names.
    pub(super) fn put_together(&mut self, name: String, target: String) {
        let who = self.settings.person();
        self.write(
            move |session| {
                session.catalogue().merge_entities(std::slice::from_ref(&name), &target, &who)?;
                let merges = session.catalogue().entity_merges()?.len() as u64;
                Ok(format!(
                    "“{name}” is a name of “{target}” from the next analysis on: {} put together so far",
                    counted(merges, "name")
                ))
            },
            |done| Answer::Set("The names were not put together", done),
        );
    }

    /// Takes back that a name is that of another entity.
    pub(super) fn take_apart(&mut self, name: String) {
        self.write(
            move |session| {
                let apart = session.catalogue().split_entities(std::slice::from_ref(&name))?;
                Ok(match apart {
                    0 => format!("“{name}” was already a name of its own"),
                    _ => format!("“{name}” is a name of its own again from the next analysis on"),
                })
            },
            |done| Answer::Set("The names were not taken apart", done),
        );
    }
}
