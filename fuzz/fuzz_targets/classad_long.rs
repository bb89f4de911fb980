//! Any bytes as ads of whatever form; what is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for ad in classads::read_ads(bytes).flatten() {
        let errors = ad.errors().count();
        let json = classads::json::to_string(&ad);
        let again = classads::json::parse(&json);
        if errors == 0 {
            assert_eq!(again.map(|again| again.len()).ok(), Some(ad.len()), "{json}");
        }
        let xml = classads::xml::to_string(&ad);
        let again = classads::xml::parse(&xml);
        // XML has no place for a name without characters, nor for NUL characters.
        if errors == 0 && !xml.contains("n=\"\"") && !xml.contains("\\000") {
            assert_eq!(again.map(|again| again.len()).ok(), Some(ad.len()), "{xml}");
        }
        let mut long = Vec::new();
        let _ = classads::long::write(&mut long, &ad);
        let _ = classads::read_ads(&long[..]).count();
        if let Some(banner) = ad.banner() {
            let _ = classads::long::Banner::parse(banner);
        }
    }
});
