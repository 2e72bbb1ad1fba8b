//! What the pane of the query keeps for itself.

use tabletop_export::Lang;

use crate::page::state::{Change, Part};

/// The access pattern that is selected, and what is open next to it.
#[derive(Clone, Debug)]
pub struct QueryLook {
    /// The selected access pattern.
    pub named: Option<String>,
    /// The name that is being typed for a query.
    pub naming: Option<Naming>,
    /// Whether the limits of the access pattern are shown.
    pub limits: bool,
    /// The language of the query as code.
    pub code_language: Lang,
}

impl Part for QueryLook {
    fn follow(&mut self, change: &Change) {
        if matches!(change, Change::Saved) {
            self.named = None;
        }
    }
}

impl Default for QueryLook {
    fn default() -> Self {
        QueryLook { named: None, naming: None, limits: false, code_language: Lang::Python }
    }
}

/// A name for a query, while it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The access pattern that is renamed; `None` if a new one is saved.
    pub of: Option<String>,
    /// As typed.
    pub name: String,
}
