//! Tests of the built page in a browser, one for each flow of a user. Elements are found by role
//! and name, as a screen reader finds them.
//!
//! `cargo xtask test e2e [NAME]` builds the page and runs these. `cargo test` alone skips them,
//! because they need the built page and a browser. Each begins on a fresh page, in a browser that
//! no other test uses at that time.

mod e2e {
    mod accessibility;
    mod api;
    mod compare;
    mod data;
    mod design;
    mod earlier_builds;
    mod examples;
    mod first_load;
    mod first_paint;
    mod heatmap;
    mod inspect;
    mod keyboard;
    mod language;
    mod map;
    mod policy;
    mod profiles;
    mod query;
    mod resilience;
    mod results;
    pub mod run;
    mod schema;
    mod scoreboard;
    mod server;
    mod share;
    mod shell;
    mod shift;
    mod still;
    mod storage;
    mod tablet;
    mod timeline;
    mod traffic;
    mod views;
    mod workspaces;
}

fn main() -> std::process::ExitCode {
    e2e::run::main()
}
