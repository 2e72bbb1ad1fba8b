//! The shell: commands of cbt and of the HBase shell against the tables that the page shows.
//!
//! ```text
//! prompt --ShellAction--> page/engine_link/shell.rs: requests to the engine, step by step --ShellEvent--> ShellState --> pane
//! ```

mod commands;
mod pane;
mod prompt;

pub use commands::{Commands, as_commands, foldable};
pub use pane::{fold, shell_pane};
pub use prompt::is_prompt;
