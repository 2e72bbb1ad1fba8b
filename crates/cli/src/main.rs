//! `tabletop`: the engine at the command line.

mod commands;
mod interrupt;
mod progress;
mod push;

fn main() -> std::process::ExitCode {
    commands::main()
}
