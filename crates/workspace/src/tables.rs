//! The names of the designs' tables, which the shell, scripts and exports share.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Design, Workspace};

/// The maximum length of a table's id, in characters.
const CHARACTERS_MAX: usize = 50;
/// Characters of an id that are reserved for the number that makes it unique.
const NUMBER: usize = 6;

impl Workspace {
    /// Returns the id of each design's table, in the order of the designs: the design's name in
    /// lower case, `design-1` for “Design 1”. Ids are unique: the second one with the same name
    /// gets a number.
    pub fn table_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for design in &self.designs {
            let plain = design.table_id();
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let free = core::iter::once(plain.clone()).chain(numbered).find(|id| !ids.contains(id));
            ids.push(free.expect("there are more numbers than designs"));
        }
        ids
    }
}

impl Design {
    /// Returns the id of the design's table, if no other design has that name.
    fn table_id(&self) -> String {
        let mut id = String::new();
        for character in self.name.chars() {
            match character {
                _ if id.len() >= CHARACTERS_MAX - NUMBER => break,
                'a'..='z' | '0'..='9' | '_' | '.' => id.push(character),
                'A'..='Z' => id.push(character.to_ascii_lowercase()),
                // A run of characters that ids cannot contain becomes a hyphen.
                _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
                _ => {}
            }
        }
        let id = id.trim_matches(['-', '.']);
        if id.is_empty() { "design".into() } else { id.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn ids(names: &[&str]) -> Vec<String> {
        let mut workspace = Workspace::default();
        let design = workspace.designs[0].clone();
        workspace.designs =
            names.iter().map(|name| Design { name: name.to_string(), ..design.clone() }).collect();
        workspace.table_ids()
    }

    #[test]
    fn a_table_is_named_after_its_design() {
        assert_eq!(
            ids(&["Design 1", "User, then time!", "v1.2_b"]),
            ["design-1", "user-then-time", "v1.2_b"]
        );
        assert_eq!(ids(&["", "\u{00fc}ber", "\u{8868}", "..."]), ["design", "ber", "design-2", "design-3"]);
    }

    #[test]
    fn each_table_has_a_unique_valid_id() {
        assert_eq!(ids(&["a", "A", "a-2", "a"]), ["a", "a-2", "a-2-2", "a-3"]);
        let long = "x".repeat(200);
        for id in ids(&[&long, &long, "-- a --", ".b"]) {
            let first = id.chars().next().expect("not empty");
            assert!(id.len() <= CHARACTERS_MAX && (first == '_' || first.is_ascii_alphanumeric()), "{id}");
        }
    }
}
