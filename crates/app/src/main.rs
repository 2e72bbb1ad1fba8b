//! The program of the page and of its worker. It is one, so that what both need (the schema, the words, Rust's library) is
//! fetched and compiled once; apart from this file neither knows the other.

fn main() {
    if web_sys::window().is_some() { tabletop_ui::start() } else { tabletop_worker::host::start() }
}
