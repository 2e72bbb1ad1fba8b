//! The built page in a browser: each flow of a person, found by role and name as a screen reader finds things.
//!
//! `cargo xtask test e2e [NAME]` builds the page and runs these; `cargo test` alone leaves them out, for they need the
//! built page and a browser. One browser serves all tests, one after the other; each begins on a fresh page.

mod e2e {
    mod accessibility;
    mod api;
    mod data;
    mod design;
    mod first_load;
    mod first_paint;
    mod keep;
    mod keyboard;
    mod policy;
    mod query;
    mod resilience;
    pub mod run;
    mod shell;
}

fn main() -> std::process::ExitCode {
    e2e::run::main()
}
