//! The parts of a table's keys: those that the user has named, or else the parts between
//! separators.

use tabletop_protocol::LiveTable;
use tabletop_views::server::KeyParts;

use crate::browser;

/// Returns the parts that are stored for a table.
pub fn parts_of(table: LiveTable) -> KeyParts {
    let text = browser::stored(&stored_name(&table)).unwrap_or_default();
    KeyParts::of(table, text)
}

/// Takes a text that the user has typed, and stores it for the table.
pub fn set_parts(parts: &mut KeyParts, text: String) {
    let name = stored_name(&parts.table);
    if text.is_empty() {
        browser::remove_stored(&name);
    } else {
        // A browser that stores nothing keeps it until the reload.
        browser::store(&name, &text);
    }
    parts.set(text);
}

fn stored_name(table: &LiveTable) -> String {
    format!("server-template.{}.{}", table.instance, table.table)
}
