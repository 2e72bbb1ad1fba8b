//! Tests of exported commands and code.

mod decoders;
mod export_code;
mod whole_design;
