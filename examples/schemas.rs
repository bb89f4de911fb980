//! Writes the JSON Schemas of what the tools print below `schemas/`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in holdadvise::cli::schemas() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
