//! What the browser stores of workspaces: the one of this tab, and the list of all.

pub mod saved;
pub mod workspaces;
