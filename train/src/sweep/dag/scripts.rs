//! The scripts of the nodes.

use std::path::Path;

use holdadvise::text::shell_quote;

use super::{quote, unusable};
use crate::Error;
use crate::sweep::plan::Program;

/// What `holdadvise-train` is called in a container image.
const IN_CONTAINER: &str = "holdadvise-train";

const NODE: &str = include_str!("program/node");
const MERGE: &str = include_str!("program/merge");
const GOES_ON: &str = include_str!("program/goes-on");
const BEST_DATA: &str = include_str!("program/best-data");

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
    let node = NODE.replacen("@PROGRAM@", &shell_quote(program), 1).replacen(
        "@TARBALL@",
        &shell_quote(tarball),
        1,
    );
    Ok([
        ("node", node),
        ("merge", MERGE.to_owned()),
        ("goes-on", GOES_ON.to_owned()),
        ("best-data", BEST_DATA.to_owned()),
    ])
}

fn file_name(path: &Path) -> Result<&str, Error> {
    quote::transferred(path)?;
    let name = path.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| unusable("tarball", &path.to_string_lossy(), "it has no file name"))
}
