//! The program of the page and of its worker. It is a single program, so that code that both need
//! (the schema, Rust's standard library) is fetched and compiled only once. Except in this file,
//! neither depends on the other.

fn main() {
    if web_sys::window().is_some() { tabletop_ui::start() } else { tabletop_worker::host::start() }
}
