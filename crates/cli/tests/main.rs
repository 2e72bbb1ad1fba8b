//! The program `tabletop`, and the code that it generates.

mod generated_code;
mod program;
