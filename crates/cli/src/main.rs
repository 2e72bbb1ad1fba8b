//! `tabletop`: the engine at the command line.

mod commands;
mod interrupt;
mod overwritten;
mod progress;
mod push;
mod remote;

fn main() -> std::process::ExitCode {
    commands::main()
}
