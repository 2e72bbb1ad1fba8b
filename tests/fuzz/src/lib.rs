//! The functions of the fuzz targets. `cargo xtask fuzz` compiles the programs in `bin` so that
//! libFuzzer sees which code an input reaches, and searches for inputs that reach more. A function
//! panics if it finds a bug; it may refuse an input.

mod filter;
mod folder;
mod grpc;
mod shell;
mod table;

pub use filter::filter_text;
pub use folder::data_folder;
pub use grpc::requests;
pub use shell::commands;
