//! Fuzz target: see `tabletop_fuzz::requests`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tabletop_fuzz::requests(input));
