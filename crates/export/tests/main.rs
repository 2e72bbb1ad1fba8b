//! Tests of exported commands and code.

mod export_code;
mod whole_design;
