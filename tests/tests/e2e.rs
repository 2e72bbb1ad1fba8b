//! Tests of the built page in a browser, one for each flow of a user. Elements are found by role
//! and name, as a screen reader finds them.
//!
//! `cargo xtask test e2e [NAME]` builds the page and runs these. `cargo test` alone skips them,
//! because they need the built page and a browser. Each begins on a fresh page, in a browser that
//! no other test uses at that time.

mod e2e {
    pub mod run;

    /// Declares files of tests, and a constant with the tests of each file.
    macro_rules! files {
        ($ALL:ident: $($file:ident)+) => {
            $(mod $file;)+

            const $ALL: &[&[run::Test]] = &[$($file::TESTS),+];
        };
    }

    /// Each view has a file with its name.
    macro_rules! of_views {
        ($(#[doc = $about:literal] $id:ident = $name:ident,)+) => {
            files!(OF_VIEWS: $($name)+);
        };
    }

    tabletop_workspace::each_view!(of_views);

    files!(OTHERS:
        first_load
        first_paint
        first_view
        still
        shift
        data
        scoreboard
        share
        examples
        query
        inspect
        results
        shell
        api
        policy
        resilience
        storage
        durable
        timeline
        heatmap
        earlier_builds
        workspaces
        map
        views
        language
        keyboard
        accessibility
    );
}

fn main() -> std::process::ExitCode {
    e2e::run::main()
}
