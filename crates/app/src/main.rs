//! The program of the page and of its worker. It is one program, so that code that both need (the schema, Rust's library) is
//! fetched and compiled once. Apart from this file, neither depends on the other.

fn main() {
    if web_sys::window().is_some() { tabletop_ui::start() } else { tabletop_worker::host::start() }
}
