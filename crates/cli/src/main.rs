//! `tabletop`: the engine at the command line.

fn main() {}
