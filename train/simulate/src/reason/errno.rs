//! Error numbers as Linux words them (`strerror`).

pub(crate) fn text(errno: i32) -> &'static str {
    match errno {
        0 => "Success",
        2 => "No such file or directory",
        5 => "Input/output error",
        8 => "Exec format error",
        13 => "Permission denied",
        23 => "Too many open files in system",
        28 => "No space left on device",
        110 => "Connection timed out",
        116 => "Stale file handle",
        122 => "Disk quota exceeded",
        _ => "Unknown error",
    }
}
