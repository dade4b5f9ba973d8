#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fonds_fuzz::replay(data));
