//! Fuzz target: see `tabletop_fuzz::filter_text`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tabletop_fuzz::filter_text(input));
