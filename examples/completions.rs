//! Writes the completions of bash, zsh and fish below `completions/`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (path, text) in holdadvise::cli::completions() {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}
