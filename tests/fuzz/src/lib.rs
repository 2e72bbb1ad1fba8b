//! What each fuzz target does with its input. `cargo xtask fuzz` compiles the programs in `bin` so that libFuzzer sees which code
//! an input reaches, and looks for inputs that reach more. Each function panics when something is wrong; an input that is
//! refused is well.

mod filter;
mod folder;
mod grpc;
mod shell;
mod table;

pub use filter::filter_text;
pub use folder::data_folder;
pub use grpc::requests;
pub use shell::commands;
