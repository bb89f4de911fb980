//! The first bytes of executables.

use holdadvise::checks::{Fault, readers};

/// Any bytes as the beginning of an executable: nothing is both a script and of a machine, and an
/// interpreter is one whole path of the first line.
pub fn program_head(bytes: &[u8]) {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let is_script = bytes.starts_with(b"#!");
    match readers::interpreter(bytes) {
        Ok(Some(path)) => {
            assert!(is_script && path.starts_with('/') && line.contains(&path), "{path:?}");
            assert!(!path.contains(|sign: char| sign.is_ascii_whitespace()), "{path:?}");
        }
        Ok(None) => {}
        Err(fault) => {
            assert!(is_script && fault == Fault::CarriageReturn && line.ends_with('\r'));
        }
    }
    let machine = readers::machine(bytes);
    assert!(machine.is_none() || !is_script && bytes.len() >= 20, "{machine:?}");
}
