//! Fuzz target: see `tabletop_fuzz::data_folder`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tabletop_fuzz::data_folder(input));
