//! `tabletop`: the engine at the command line.

mod commands;

fn main() -> std::process::ExitCode {
    commands::main()
}
