//! What the panel remembers in addition to the query.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{Field, RowChoice};

use super::filter::{Focus, Path};
use super::rows::{choice_index, fresh_choices};

/// Input that is not in the query.
pub struct PanelMemory {
    /// The input of each choice of rows, for a user who returns to it.
    pub choices: [RowChoice; 6],
    /// Fields that were added by name, because they are not in the key.
    pub added: Vec<String>,
    /// The position of the focus once the page shows the change.
    pub focus: Option<(Path, Focus)>,
    /// The fields of the events for which this was typed.
    fields: Rc<Vec<Field>>,
}

impl Default for PanelMemory {
    /// The memory before any input.
    fn default() -> Self {
        PanelMemory { choices: fresh_choices(), added: Vec::new(), focus: None, fields: Rc::default() }
    }
}

impl PanelMemory {
    /// Follows the query. Input for other events is dropped, because they have other fields. Until
    /// the fields are loaded, nothing changes.
    pub fn follow(&mut self, fields: &Rc<Vec<Field>>, rows: &RowChoice) {
        if !fields.is_empty() && !Rc::ptr_eq(fields, &self.fields) {
            let is_there = |old: &Field| fields.iter().any(|field| field.name == old.name);
            if !self.fields.iter().all(is_there) {
                self.choices = fresh_choices();
                self.added.clear();
            }
            self.fields = fields.clone();
        }
        self.choices[choice_index(rows)] = rows.clone();
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use tabletop_keys::FieldKind;
    use tabletop_model::Bytes;

    use super::*;

    #[test]
    fn what_was_typed_for_other_events_is_forgotten() {
        let of = |names: &[&str]| {
            Rc::new(names.iter().map(|name| Field::new(*name, FieldKind::Text)).collect::<Vec<_>>())
        };
        let mut memory = PanelMemory::default();
        let prefix = RowChoice::Prefix("app-1".into());
        memory.follow(&of(&["app", "user"]), &prefix);
        memory.added.push("user".into());
        memory.follow(&of(&["app", "user", "page"]), &RowChoice::All);
        memory.follow(&of(&[]), &RowChoice::All);
        assert_eq!((memory.added.len(), &memory.choices[2]), (1, &prefix));
        memory.follow(&of(&["app", "city"]), &RowChoice::All);
        assert_eq!((memory.added.len(), &memory.choices[2]), (0, &RowChoice::Prefix(Bytes::default())));
    }
}
