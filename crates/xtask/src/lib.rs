//! What people who work on Tabletop need beside cargo itself; `cargo xtask` is its program. The tests and the benchmark
//! take the server from here, so that the site is served in one way everywhere.

mod server;

pub use server::{Line, Server};
