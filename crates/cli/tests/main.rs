//! Tests of the program `tabletop` and of the code that it generates.

mod generated_code;
mod generated_design;
mod program;
