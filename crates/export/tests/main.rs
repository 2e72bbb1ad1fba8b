//! Tests of exported commands and code. Many need a program that the machine may lack, so they have
//! a harness that reports a skipped test as ignored: a test that returns early would count as
//! passed.

mod decoders;
mod export_code;
mod file_keys;
mod key_programs;
mod parameters;
mod programs;
mod whole_design;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use programs::{Fate, Program};

/// A test, and the program that it needs.
struct Test {
    name: &'static str,
    needs: Option<Program>,
    run: fn(),
}

impl Test {
    const fn new(name: &'static str, run: fn()) -> Test {
        Test { name, needs: None, run }
    }

    const fn of(needs: Program, name: &'static str, run: fn()) -> Test {
        Test { name, needs: Some(needs), run }
    }

    fn trial(&'static self) -> Trial {
        let run = || {
            (self.run)();
            Ok(())
        };
        match self.needs.map_or(Fate::Run, Program::fate) {
            Fate::Run => Trial::test(self.name, run),
            // The kind precedes the name; `cargo xtask test` finds the reason there.
            Fate::Skip(why) => Trial::test(self.name, run).with_kind(why).with_ignored_flag(true),
            Fate::Fail(why) => Trial::test(self.name, || Err(why.into())),
        }
    }
}

fn main() -> ExitCode {
    let tests = [
        programs::TESTS,
        export_code::TESTS,
        file_keys::TESTS,
        parameters::TESTS,
        decoders::TESTS,
        whole_design::TESTS,
    ];
    let trials = tests.into_iter().flatten().map(Test::trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
