//! Fuzz target: see `tabletop_fuzz::commands`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tabletop_fuzz::commands(input));
