//! How the user sees the results of a table of a server, and what its values mean. A server does
//! not store this: the browser does.

use tabletop_client::json;
use tabletop_protocol::LiveTable;
use tabletop_workspace::ResultColumns;

use crate::browser;

/// The choices for a table, stored in the browser.
#[derive(Default)]
pub struct KeptResults {
    stored_name: String,
    now: Option<Box<ResultColumns>>,
}

impl KeptResults {
    /// The user's choices for a table, if any.
    pub fn of(table: &LiveTable) -> KeptResults {
        let stored_name = format!("server-results.{}.{}", table.instance, table.table);
        let now = browser::stored(&stored_name).and_then(|text| json::read_results(&text)).map(Box::new);
        KeptResults { stored_name, now }
    }

    /// Returns the choices.
    pub fn now(&self) -> Option<Box<ResultColumns>> {
        self.now.clone()
    }

    /// Takes a choice, and stores it for the table.
    pub fn set(&mut self, results: Option<Box<ResultColumns>>) {
        match &results {
            None => browser::remove_stored(&self.stored_name),
            Some(results) => {
                // A browser that stores nothing keeps it until the reload.
                browser::store(&self.stored_name, &json::write_results(results));
            }
        }
        self.now = results;
    }
}
