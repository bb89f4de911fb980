//! The scripts of the nodes.

use std::path::Path;

use holdadvise::text::shell_quote;

use super::{quote, unusable};
use crate::Error;
use crate::sweep::plan::Program;

/// What `holdadvise-train` is called in a container image.
const IN_CONTAINER: &str = "holdadvise-train";

/// Name and content of each script.
///
/// # Errors
/// For a path of the program that cannot be used.
pub(super) fn scripts(program: &Program) -> Result<[(&'static str, String); 4], Error> {
    let (program, tarball) = match program {
        Program::Container(_) => (IN_CONTAINER, ""),
        Program::Tarball(tarball) => ("", file_name(tarball)?),
        Program::Installed(path) => (quote::path("program", path)?, ""),
    };
    let node = include_str!("program/node").replacen("@PROGRAM@", &shell_quote(program), 1);
    let node = node.replacen("@TARBALL@", &shell_quote(tarball), 1);
    Ok([
        ("node", node),
        ("merge", include_str!("program/merge").to_owned()),
        ("goes-on", include_str!("program/goes-on").to_owned()),
        ("best-data", include_str!("program/best-data").to_owned()),
    ])
}

fn file_name(path: &Path) -> Result<&str, Error> {
    quote::transferred(path)?;
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| unusable("tarball", &path.to_string_lossy(), "it has no file name"))
}
